//! The description of the API in `OpenAPI` 3.1.

use assay_data::PART_ROWS_MAX;
use serde_json::{Value, json};

/// A parameter of a query.
fn query(name: &str, kind: &str, what: &str) -> Value {
    json!({"name": name, "in": "query", "required": false, "description": what, "schema": {"type": kind}})
}

fn of_path(name: &str, what: &str) -> Value {
    json!({"name": name, "in": "path", "required": true, "description": what, "schema": {"type": "string"}})
}

fn ok(what: &str, schema: &Value) -> Value {
    json!({
        "200": {"description": what, "content": {"application/json": {"schema": schema}}},
        "401": {"description": "No token, or another one.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
        "default": {"description": "Why there is no answer.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
    })
}

fn operation(id: &str, what: &str, parameters: &[Value], schema: &Value) -> Value {
    json!({"get": {"operationId": id, "summary": what, "parameters": parameters, "responses": ok(what, schema)}})
}

fn list_of(name: &str) -> Value {
    json!({"type": "array", "items": {"$ref": format!("#/components/schemas/{name}")}})
}

/// See the module documentation.
pub(super) fn document() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Assay", "version": env!("CARGO_PKG_VERSION"),
            "description": "What the pages of `assay serve` show and start, for programs. No GET changes anything. Send the token of the printed link as `Authorization: Bearer TOKEN`. Prices and cash are in integer cents, quantities in shares, times in nanoseconds or milliseconds since 1970, as names say.",
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths(),
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}, "schemas": schemas()},
    })
}

/// The name of a column in a query.
fn columns(what: &str) -> Value {
    query("columns", "string", what)
}

fn from() -> Value {
    query("from", "integer", "The first row, from 0.")
}

fn folder() -> Value {
    of_path("id", "The id of a report in a folder: the last part of the address of its page.")
}

fn rows() -> Value {
    json!({"type": "object", "properties": {"total": {"type": "integer"}, "from": {"type": "integer"}, "rows": {"type": "array", "items": {"type": "object"}}}})
}

/// Part of a table, which has forms of its own.
fn table() -> Value {
    let mut table = operation(
        "table",
        "Rows of a table, or the whole table as Parquet.",
        &[
            folder(),
            of_path("table", "The name of the table."),
            columns("Names of columns with commas between them; all if there are none."),
            from(),
            query("count", "integer", &format!("How many rows: 1,000 unless said otherwise, at most {PART_ROWS_MAX}.")),
            json!({"name": "format", "in": "query", "required": false, "description": "How they are written; `parquet` is the whole file.", "schema": {"enum": ["json", "csv", "arrow", "parquet"]}}),
        ],
        &rows(),
    );
    for kind in ["text/csv", "application/vnd.apache.arrow.stream", "application/vnd.apache.parquet"] {
        table["get"]["responses"]["200"]["content"][kind] = json!({"schema": {"type": "string", "format": "binary"}});
    }
    table
}

/// Something that is posted, with these fields of a form.
fn posting(id: &str, what: &str, parameters: &[Value], fields: &[(&str, &str, &str)], schema: &Value) -> Value {
    let properties: serde_json::Map<String, Value> = fields
        .iter()
        .map(|(name, kind, what)| ((*name).to_owned(), json!({"type": kind, "description": what})))
        .collect();
    let mut posting =
        json!({"operationId": id, "summary": what, "parameters": parameters, "responses": ok(what, schema)});
    if !fields.is_empty() {
        let form = json!({"schema": {"type": "object", "properties": properties}});
        posting["requestBody"] = json!({"content": {"application/x-www-form-urlencoded": form}});
        posting["responses"]["201"] = json!({"description": "It is a job now.", "content": {"application/json": {"schema": {"type": "object", "properties": {"job": {"$ref": "#/components/schemas/Job"}}}}}});
    }
    json!({"post": posting})
}

/// A field of a form: its name, its type, and what it is.
type Field = (&'static str, &'static str, &'static str);

const MARKET: Field = ("market", "string", "A market or the id of a scenario file; once for each.");
const SEED: Field = ("seed", "integer", "What every draw depends on.");
const ACT: Field = ("act", "string", "`start` starts it; without it, the answer is what it would take.");
const DOLLARS: Field = ("dollars", "number", "Dollars that a model may cost.");
const TOKENS: Field = ("tokens", "integer", "Tokens that a model may take; it needs one of both limits.");
const SAMPLES: Field = ("samples", "integer", "Episodes of each task.");
const AT_ONCE: Field = ("at_once", "integer", "Episodes at once.");
const GOAL: Field = ("goal", "string", "The goal of the score.");

/// What starts a job: its name in the address, what it is, and its fields.
const STARTS: [(&str, &str, &[Field]); 6] = [
    (
        "run",
        "Run a strategy.",
        &[
            ("strategy", "string", "The id of a strategy."),
            ("baseline", "string", "The id of what it is compared with; a trader that does nothing if it is empty."),
            MARKET,
            ("seeds", "string", "`20`, `5..8` or `3,7,11`."),
            GOAL,
            ("checked", "string", "Not empty: keep quotes, trades and orders as tables."),
        ],
    ),
    (
        "gate",
        "Judge a strategy.",
        &[
            ("strategy", "string", "The id of a strategy."),
            ("policy", "string", "The id of a policy; the one of `assay gate init` if it is empty."),
            ("checked", "string", "Not empty: public seeds only."),
        ],
    ),
    (
        "refine",
        "Refine a strategy.",
        &[
            ("strategy", "string", "The id of the strategy to begin with."),
            ("writer", "string", "A model that writes; the tuner if it is empty."),
            ("words", "string", "What the model is asked for."),
            MARKET,
            ("family", "string", "`none` for no markets that only the end sees; empty for the usual ones."),
            ("unseen", "string", "A market for the end only, instead of the usual ones; once for each."),
            GOAL,
            ("generations", "integer", "Generations at most."),
            ("width", "integer", "Candidates in each."),
            SEED,
            ("minutes", "number", "Minutes at most."),
            DOLLARS,
            TOKENS,
            ACT,
        ],
    ),
    (
        "rollout",
        "Let a model mend the repositories of tasks.",
        &[
            ("tasks", "string", "The id of tasks."),
            ("only", "string", "A pattern for their ids: `*` is any text."),
            ("model", "string", "One of the models; `scripted` is the script of each task."),
            SAMPLES,
            AT_ONCE,
            SEED,
            ("steps", "integer", "Replies of the model in an episode."),
            DOLLARS,
            TOKENS,
            ACT,
        ],
    ),
    (
        "world",
        "Let an agent work in a world.",
        &[
            ("world", "string", "The id of a world."),
            ("only", "string", "Ids of tasks with commas between them; all if it is empty."),
            ("model", "string", "One of the agents."),
            ("faults", "string", "How often tools fail."),
            SAMPLES,
            AT_ONCE,
            SEED,
            DOLLARS,
            TOKENS,
            ACT,
        ],
    ),
    (
        "fork",
        "Let an agent go on from a step of an episode in a world.",
        &[
            ("world", "string", "The id of the world of the episode."),
            ("episode", "string", "The id of its trajectory: the last part of the address of its page."),
            ("step", "integer", "After which step to go on."),
            ("model", "string", "One of the agents."),
            SAMPLES,
            AT_ONCE,
            DOLLARS,
            TOKENS,
            ACT,
        ],
    ),
];

/// Everything about jobs.
fn paths_of_jobs() -> serde_json::Map<String, Value> {
    let id = || of_path("id", "The id of a job.");
    let job = json!({"$ref": "#/components/schemas/Job"});
    let changed = json!({"type": "object", "properties": {"job": job}});
    let mut paths = serde_json::Map::new();
    paths.insert(
        "/api/choices".to_owned(),
        operation(
            "choices",
            "What may be named when something is started: files by id, markets, models, agents.",
            &[],
            &json!({"type": "object"}),
        ),
    );
    let all = json!({"type": "object", "properties": {"total": {"type": "integer"}, "jobs": list_of("Job")}});
    paths.insert("/api/jobs".to_owned(), operation("jobs", "What was started, the newest first.", &[], &all));
    paths.insert(
        "/api/jobs/{id}".to_owned(),
        operation("job", "One job, with the end of what it has printed.", &[id()], &job),
    );
    for (name, what) in
        [("stop", "End a job, as Ctrl-C does."), ("resume", "Have a job go on that has ended before it was done.")]
    {
        paths.insert(format!("/api/jobs/{{id}}/{name}"), posting(name, what, &[id()], &[], &changed));
    }
    let estimate =
        json!({"type": "object", "properties": {"estimate": {"type": "string"}, "can_start": {"type": "boolean"}}});
    for (name, what, fields) in STARTS {
        paths.insert(format!("/api/jobs/{name}"), posting(&format!("start_{name}"), what, &[], fields, &estimate));
    }
    paths
}

fn paths() -> Value {
    let mut paths = paths_of_results();
    if let Some(map) = paths.as_object_mut() {
        map.extend(paths_of_jobs());
    }
    paths
}

fn paths_of_results() -> Value {
    let id = || of_path("id", "The id of a run of the store.");
    let any = || {
        of_path(
            "id",
            "The id of a run of the store, or of a report in a folder: the last part of the address of its page.",
        )
    };
    let count = query("count", "integer", "How many rows: 1,000 unless said otherwise.");
    json!({
        "/api/openapi.json": operation("document", "This document.", &[], &json!({"type": "object"})),
        "/api/runs": operation(
            "runs",
            "Runs of the store, newest first.",
            &[
                query("kind", "string", "Only runs of this kind: run, gate, rollout."),
                query("status", "string", "Only runs with this status."),
                query("scenario", "string", "Only runs in this scenario."),
                query("strategy", "string", "Only runs of this strategy or model."),
                query("page", "integer", "The page, from 1."),
                query("size", "integer", "Runs of a page: 1 to 200."),
            ],
            &json!({"type": "object", "properties": {"total": {"type": "integer"}, "total_is_exact": {"type": "boolean", "description": "Where it is false, there may be more: a thousand beyond the page are counted."}, "page": {"type": "integer"}, "size": {"type": "integer"}, "runs": list_of("Run")}}),
        ),
        "/api/runs/{id}": operation("run", "One run.", &[id()], &json!({"$ref": "#/components/schemas/Run"})),
        "/api/runs/{id}/measures": operation(
            "measures",
            "Measures of a run, with means and 95% intervals.",
            &[
                id(),
                query("measure", "string", "Only this one; docs/measures.md lists them."),
                query("scenario", "string", "Only in this scenario."),
                query("samples", "boolean", "With the value of every seed."),
            ],
            &json!({"type": "object", "properties": {"run": {"type": "string"}, "measures": list_of("Measure")}}),
        ),
        "/api/runs/{id}/episodes": operation(
            "episodes",
            "Seeds of a run with their measures.",
            &[any(), columns("Measures with commas between them; all if there are none."), from(), count.clone()],
            &rows(),
        ),
        "/api/runs/{id}/series": operation(
            "series",
            "The course of the first scored seed, in equal steps.",
            &[any(), columns("Columns with commas between them; all if there are none."), from(), count],
            &json!({"type": "object", "properties": {
                "seed": {"type": "integer"}, "start_ns": {"type": "integer"}, "step_ns": {"type": "integer"}, "total": {"type": "integer"},
                "from": {"type": "integer"}, "columns": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": ["number", "null"]}}},
            }}),
        ),
        "/api/runs/{id}/charts": operation(
            "charts",
            "The values of the charts that have time across, interval by interval.",
            &[
                any(),
                query("from", "integer", "Where the window begins, in nanoseconds of exchange time; the whole session without it."),
                query("to", "integer", "Where it ends."),
            ],
            &json!({"type": "object", "properties": {
                "from_ns": {"type": "integer"}, "to_ns": {"type": "integer"}, "charts": {"type": "array", "items": {"type": "object"}},
            }}),
        ),
        "/api/runs/{id}/tables": operation(
            "tables",
            "Tables of a run that was recorded with `--data`, and their columns.",
            &[folder()],
            &json!({"type": "object", "properties": {"tables": {"type": "array", "items": {"type": "object"}}}}),
        ),
        "/api/runs/{id}/tables/{table}": table(),
    })
}

fn schemas() -> Value {
    let spread = json!({
        "n": {"type": "integer"}, "mean": {"type": "number"}, "low": {"type": ["number", "null"]}, "high": {"type": ["number", "null"]},
    });
    let mut measure = json!({"type": "object", "properties": {
        "measure": {"type": "string"}, "scenario": {"type": "string"}, "unit": {"type": "string"}, "better": {"enum": ["higher", "lower", "neutral"]},
        "samples": {"type": "array", "description": "Pairs of seed and value.", "items": {"type": "array"}},
    }});
    for name in ["n", "mean", "low", "high"] {
        measure["properties"][name] = spread[name].clone();
    }
    json!({
        "Run": {"type": "object", "required": ["id", "kind", "status", "subject"], "properties": {
            "id": {"type": "string"}, "kind": {"type": "string"}, "status": {"type": "string"}, "verdict": {"type": ["string", "null"]},
            "subject": {"type": "string"}, "subject_hash": {"type": ["string", "null"]}, "command": {"type": "string"}, "tool": {"type": "string"},
            "scenarios": {"type": "array", "items": {"type": "string"}}, "created_ms": {"type": "integer"}, "started_ms": {"type": ["integer", "null"]},
            "finished_ms": {"type": ["integer", "null"]}, "error": {"type": ["string", "null"]},
            "pnl": {"type": ["object", "null"], "description": "In a list: the mean over seeds in cents.", "properties": spread},
            "measures": {"type": "integer"}, "episodes": {"type": "integer"}, "files": {"type": "array", "items": {"type": "object"}},
        }},
        "Measure": measure,
        "Job": {"type": "object", "required": ["id", "kind", "state"], "properties": {
            "id": {"type": "string"}, "kind": {"type": "string"}, "subject": {"type": "string"}, "state": {"type": "string"}, "is_over": {"type": "boolean"},
            "exit_code": {"type": ["integer", "null"]}, "can_resume": {"type": "boolean"}, "command": {"type": "array", "items": {"type": "string"}},
            "asked_ms": {"type": "integer"}, "began_ms": {"type": ["integer", "null"]}, "ended_ms": {"type": ["integer", "null"]},
            "resumes": {"type": "integer"}, "page": {"type": "string"}, "output": {"type": "string"}, "output_bytes": {"type": "integer"},
            "result": {"type": ["string", "null"], "description": "The id of its folder of results: the last part of the address of its page."},
        }},
        "Error": {"type": "object", "properties": {"error": {"type": "object", "properties": {
            "status": {"type": "integer"}, "title": {"type": "string"}, "detail": {"type": "string"},
        }}}},
    })
}
