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
        "401": {"description": "No token, or another one."},
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
            "description": "What the pages of `assay serve` show, for programs. Nothing can be changed. Send the token of the printed link as `Authorization: Bearer TOKEN`. Prices and cash are in integer cents, quantities in shares, times in nanoseconds or milliseconds since 1970, as names say.",
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

fn paths() -> Value {
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
            &json!({"type": "object", "properties": {"total": {"type": "integer"}, "page": {"type": "integer"}, "size": {"type": "integer"}, "runs": list_of("Run")}}),
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
        "Error": {"type": "object", "properties": {"error": {"type": "object", "properties": {
            "status": {"type": "integer"}, "title": {"type": "string"}, "detail": {"type": "string"},
        }}}},
    })
}
