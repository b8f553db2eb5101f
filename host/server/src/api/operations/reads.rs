//! What is asked for and changes nothing.

use super::{Operation, Part, read};
use crate::parameter::{
    FROM, KIND, LANGUAGE, ONLY, PAGE, Parameter, SCENARIO, STATUS, STEP, STRATEGY, WINDOW_FROM, WINDOW_TO, may, needs,
};

const RUN: Part =
    ("id", "The id of a run of the store, or of a report in a folder: the last part of the address of its page.");
const FOLDER: Part = ("id", "The id of a folder of results; `/api/folders` lists them.");
const TRAJECTORY: Part = ("id", "The id of a trajectory: the last part of the address of its page.");
const NUMBER: Part = ("number", "The number of a record, from 0.");
const JOB: Part = ("id", "The id of a job.");

const ROWS: Parameter = may("count", "integer", "How many rows.").or("1000").within(0, 10_000);
const FEW: Parameter = may("count", "integer", "How many rows.").or("1000").within(0, 1_000);
const MEASURES: Parameter = may("columns", "string", "Measures with commas between them; all if there are none.");
const COLUMNS: Parameter =
    may("columns", "string", "Names of columns with commas between them; all if there are none.");
const WITH_BODIES: Parameter =
    may("bodies", "boolean", "`true`: each row with its record, as many as fit into 8 MiB.").or("false");

/// See [`super`].
pub(in crate::api) const READS: &[Operation] = &[
    read("document", "/api/openapi.json", "This document.", "object"),
    read("runs", "/api/runs", "Runs of the store, newest first.", "Runs").asks(list!(
        Parameter,
        KIND,
        STATUS,
        SCENARIO,
        STRATEGY,
        PAGE,
        may("size", "integer", "Runs of a page.").or("50").within(1, 200)
    )),
    read("run", "/api/runs/{id}", "One run.", "Run").at(list!(Part, RUN)),
    read(
        "measures",
        "/api/runs/{id}/measures",
        "Measures of a run, with means and 95% intervals. `contradictions` are those of the run.",
        "run:string measures:[Measure] contradictions:[string]",
    )
    .at(list!(Part, RUN))
    .asks(list!(
        Parameter,
        may("measure", "string", "Only this one; docs/measures.md lists them."),
        may("scenario", "string", "Only in this scenario."),
        may("samples", "boolean", "`true`: with the value of every seed.").or("false")
    )),
    read(
        "report",
        "/api/runs/{id}/report",
        "The record of a run without its seeds and their course; of a run over several markets, that of all.",
        "Report",
    )
    .at(list!(Part, RUN)),
    read(
        "episodes",
        "/api/runs/{id}/episodes",
        "Seeds of a run with their measures.",
        "total:integer from:integer rows:[object]",
    )
    .at(list!(Part, RUN))
    .asks(list!(Parameter, MEASURES, FROM, ROWS)),
    read("series", "/api/runs/{id}/series", "The course of the first scored seed, in equal steps.", "Series")
        .at(list!(Part, RUN))
        .asks(list!(Parameter, COLUMNS, FROM, ROWS)),
    read(
        "charts",
        "/api/runs/{id}/charts",
        "The values of the charts that have time across, interval by interval.",
        "from_ns:integer to_ns:integer charts:[Chart]",
    )
    .at(list!(Part, RUN))
    .asks(list!(Parameter, WINDOW_FROM, WINDOW_TO)),
    read("chart_file", "/api/runs/{id}/charts/{file}", "One chart as CSV or SVG; an error is JSON.", "")
        .at(list!(Part, RUN, ("file", "The name of a chart with `.csv` or `.svg`: `price.csv`, say.")))
        .asks(list!(Parameter, WINDOW_FROM, WINDOW_TO))
        .or_as(&["text/csv", "image/svg+xml"]),
    read(
        "tables",
        "/api/runs/{id}/tables",
        "Tables of a run that was recorded with `--data`, and their columns. Those of a run of the store are found beside the report that has its record.",
        "tables:[Table]",
    )
    .at(list!(Part, RUN)),
    read(
        "table",
        "/api/runs/{id}/tables/{table}",
        "Rows of a table, or the whole table as Parquet.",
        "table:string total:integer from:integer rows:[object]",
    )
    .at(list!(Part, RUN, ("table", "The name of the table.")))
    .asks(list!(
        Parameter,
        COLUMNS,
        FROM,
        may("count", "integer", "How many rows.").or("1000").within(0, 100_000),
        may("format", "json|csv|arrow|parquet", "How they are written; `parquet` is the whole file.").or("json")
    ))
    .or_as(&["text/csv", "application/vnd.apache.arrow.stream", "application/vnd.apache.parquet"]),
    read("compare", "/api/compare", "Two runs of the store, as `assay compare` compares them.", "Comparison").asks(
        list!(
            Parameter,
            needs("a", "string", "The id of the first run."),
            needs("b", "string", "The id of the other one."),
            may("measure", "string", "The measure that is told seed by seed."),
            may("scenario", "string", "In which scenario."),
            may("seed", "integer", "The seed in which the first different order is looked for.")
        ),
    ),
    read(
        "folders",
        "/api/folders",
        "Folders of results, the newest first.",
        "total:integer from:integer folders:[Folder] troubles:[string]",
    )
    .asks(list!(
        Parameter,
        may(
            "what",
            "report|markets|arena|rollout|world|refinement|batch|trajectories|damaged",
            "Only those that hold this."
        ),
        FROM,
        FEW
    )),
    read("spending", "/api/spending", "What models have cost, today (UTC) and in all.", "Spending"),
    read("boards", "/api/boards", "Boards with their last seasons.", "total:integer boards:[Board]"),
    read(
        "board",
        "/api/boards/{name}",
        "The standings of a season of a board.",
        "standings:object behind:integer last_season:integer",
    )
    .at(list!(Part, ("name", "The name of a board.")))
    .asks(list!(Parameter, may("season", "integer", "An earlier season; the last one without it."))),
    read("arena", "/api/arenas/{id}", "The games of an arena: ratings, pairs, who paid whom.", "Arena")
        .at(list!(Part, FOLDER))
        .asks(list!(Parameter, FROM, FEW)),
    read("rollout", "/api/rollouts/{id}", "A rollout: figures, and each episode by task and attempt.", "Episodes")
        .at(list!(Part, FOLDER))
        .asks(list!(Parameter, FROM, FEW)),
    read("world", "/api/worlds/{id}", "A run in a world: figures, and each episode by task and sample.", "Episodes")
        .at(list!(Part, FOLDER))
        .asks(list!(Parameter, FROM, FEW)),
    read("gate", "/api/gate/{id}", "A verdict rule by rule; of a batch, its verdicts in short.", "Verdict")
        .at(list!(Part, ("id", "The id of a batch, of one of its verdicts, or of a run of the store.")))
        .asks(list!(Parameter, FROM, FEW)),
    read(
        "refinement",
        "/api/refine/{id}",
        "A refinement: how it stands, champions, trials, sealed seeds, spending.",
        "Refinement",
    )
    .at(list!(Part, FOLDER)),
    read(
        "candidates",
        "/api/refine/{id}/candidates",
        "Candidates of a refinement.",
        "total:integer from:integer candidates:[Candidate]",
    )
    .at(list!(Part, FOLDER))
    .asks(list!(Parameter, FROM, FEW)),
    read(
        "candidate",
        "/api/refine/{id}/candidates/{candidate}",
        "One candidate: its program, what that changed, its trials.",
        "Candidate",
    )
    .at(list!(Part, FOLDER, ("candidate", "Its generation and slot: `3.7`."))),
    read("events", "/api/refine/{id}/events", "The log of a refinement.", "total:integer from:integer events:[object]")
        .at(list!(Part, FOLDER))
        .asks(list!(Parameter, FROM, FEW)),
    read("trajectory", "/api/trajectories/{id}", "A trajectory in short.", "Trajectory").at(list!(Part, TRAJECTORY)),
    read("records", "/api/trajectories/{id}/records", "Records of a trajectory, each in short.", "Records")
        .at(list!(Part, TRAJECTORY))
        .asks(list!(Parameter, FROM, FEW, WITH_BODIES)),
    read("record", "/api/trajectories/{id}/records/{number}", "One record, up to 8 MiB of it.", "Row")
        .at(list!(Part, TRAJECTORY, NUMBER)),
    read(
        "search",
        "/api/trajectories/{id}/search",
        "The records in which a text stands. `is_cut`: not all of the file was searched; `too_long` is the line, from 0, that was too long for it.",
        "text:string records:[integer] is_cut:boolean too_long:integer? broken:integer?",
    )
    .at(list!(Part, TRAJECTORY))
    .asks(list!(Parameter, needs("q", "string", "The text, upper and lower case as it stands there."))),
    read("outline", "/api/trajectories/{id}/outline", "Steps, tools, runs of tests, errors and scores.", "Outline")
        .at(list!(Part, TRAJECTORY))
        .asks(list!(Parameter, FROM, ONLY)),
    read(
        "scores",
        "/api/trajectories/{id}/scores",
        "The last scores of a trajectory with their trees, the newest first.",
        "scores:[Row] broken:integer?",
    )
    .at(list!(Part, TRAJECTORY)),
    read(
        "state",
        "/api/trajectories/{id}/state",
        "The world of an episode after a step, or the places that steps have changed.",
        "State",
    )
    .at(list!(Part, TRAJECTORY))
    .asks(list!(
        Parameter,
        STEP,
        may("world", "string", "The id of the world in which the episode ran; `/api/choices` lists them."),
        may("part", "string", "The part of the state whose rows are told: `documents/orders`, say."),
        FROM
    )),
    read(
        "files",
        "/api/trajectories/{id}/files",
        "The files of a bug-fix episode after a step, as a difference.",
        "Files",
    )
    .at(list!(Part, TRAJECTORY))
    .asks(list!(
        Parameter,
        STEP,
        may("tasks", "string", "The id of the tasks of the run; `/api/choices` lists them."),
        may("file", "string", "The file whose text is told.")
    )),
    read(
        "aside",
        "/api/trajectories/{id}/compare",
        "Two trajectories side by side, as `assay trace diff` compares them.",
        "Aside",
    )
    .at(list!(Part, TRAJECTORY))
    .asks(list!(Parameter, needs("with", "string", "The id of the other one."), FROM, FEW)),
    read("doctor", "/api/doctor", "What this machine has and lacks of what Assay needs.", "checks:[Check]?"),
    read(
        "draft",
        "/api/edit",
        "The text of a strategy, from wherever it is named, or a template; with how it would run.",
        "Draft",
    )
    .asks(list!(
        Parameter,
        may("open", "string", "The id of a strategy; `/api/choices` lists them."),
        may("run", "string", "The id of a run of the store."),
        may("report", "string", "The id of a report in a folder."),
        may("session", "string", "The id of a refinement."),
        may("candidate", "string", "Which candidate of it."),
        may("job", "string", "The id of a job that runs a strategy."),
        LANGUAGE
    )),
    read(
        "choices",
        "/api/choices",
        "What may be named when something is started: files by id, markets, models, agents.",
        "Choices",
    ),
    read("jobs", "/api/jobs", "What was started, the newest first.", "total:integer from:integer jobs:[Job]").asks(
        list!(Parameter, FROM, may("count", "integer", "How many jobs.").or("50").within(0, 200)),
    ),
    read("job", "/api/jobs/{id}", "One job, with the end of what it has printed.", "Job").at(list!(Part, JOB)),
];
