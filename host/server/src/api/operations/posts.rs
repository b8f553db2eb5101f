//! What is posted: it starts something, or changes how something goes on.

use super::{Operation, Part, post};
use crate::parameter::{Parameter, may, needs};

const JOB: Part = ("id", "The id of a job.");
const SESSION: Part = ("id", "The id of a refinement: the last part of the address of its page.");

const STRATEGY: Parameter = needs("strategy", "string", "The id of a strategy.");
const BASELINE: Parameter =
    may("baseline", "string", "The id of what it is compared with; a trader that does nothing if it is empty.");
const MARKET: Parameter =
    needs("market", "string", "A market or the id of a scenario file; once for each, 8 at most.").many();
const SEEDS: Parameter = needs("seeds", "string", "`20`, `5..8` or `3,7,11`; 1,000 at most.");
const GOAL: Parameter = needs("goal", "balanced|profit|risk|execution|impact", "The goal of the score.");
const SEED: Parameter = needs("seed", "integer", "What every draw depends on.");
const SAMPLES: Parameter = needs("samples", "integer", "Episodes of each task.").within(1, 1_000);
const AT_ONCE: Parameter = needs("at_once", "integer", "Episodes at once.").within(1, 64);
const AGENT: Parameter = may("model", "string", "One of the agents.").or("scripted");
const DOLLARS: Parameter = may("dollars", "number", "Dollars that a model may cost.");
const TOKENS: Parameter = may("tokens", "integer", "Tokens that a model may take; it needs one of both limits.");
const ACT: Parameter =
    may("act", "start|estimate", "`start` starts it; without it, the answer is what it would take.").or("estimate");
const NAME: Parameter = needs("name", "string", "What the strategy is called, with `.rs` or `.py`.");
const SOURCE: Parameter = needs("source", "string", "Its text, 1 MiB at most.");

const STARTED: &str = "job:Job";
const ESTIMATE: &str = "estimate:string";
/// The job as it is then.
const CHANGED: &str = "job:Job?";
/// The address of the page that shows what became of it.
const PAGE: &str = "page:string";

/// See [`super`].
pub(in crate::api) const POSTS: &[Operation] = &[
    post("start_run", "/api/jobs/run", "Run a strategy.", STARTED).makes(STARTED).takes(list!(
        Parameter,
        STRATEGY,
        BASELINE,
        MARKET,
        SEEDS,
        GOAL,
        may("checked", "string", "Not empty: keep quotes, trades and orders as tables.")
    )),
    post("start_gate", "/api/jobs/gate", "Judge a strategy.", STARTED).makes(STARTED).takes(list!(
        Parameter,
        STRATEGY,
        may("policy", "string", "The id of a policy; the one of `assay gate init` if it is empty."),
        may("checked", "string", "Not empty: public seeds only.")
    )),
    post("start_refine", "/api/jobs/refine", "Refine a strategy.", ESTIMATE).makes(STARTED).takes(list!(
        Parameter,
        may("strategy", "string", "The id of the strategy to begin with; the starter of `assay new` if it is empty."),
        may("writer", "string", "A model that writes; the tuner if it is empty."),
        may("words", "string", "What the model is asked for; only with `writer`."),
        MARKET,
        may("family", "string", "`none` for no markets that only the end sees; empty for the usual ones."),
        may("unseen", "string", "A market for the end only, instead of the usual ones; once for each.").many(),
        GOAL,
        needs("generations", "integer", "Generations at most.").within(1, 1_000),
        needs("width", "integer", "Candidates in each.").within(1, 256),
        SEED,
        may("minutes", "number", "Minutes at most."),
        DOLLARS,
        TOKENS,
        ACT
    )),
    post("start_rollout", "/api/jobs/rollout", "Let a model mend the repositories of tasks.", ESTIMATE)
        .makes(STARTED)
        .takes(list!(
            Parameter,
            needs("tasks", "string", "The id of tasks."),
            may("only", "string", "A pattern for their ids: `*` is any text."),
            may("model", "string", "One of the models; `scripted` is the script of each task.").or("scripted"),
            SAMPLES,
            AT_ONCE,
            SEED,
            may("steps", "integer", "Replies of the model in an episode."),
            DOLLARS,
            TOKENS,
            ACT
        )),
    post("start_world", "/api/jobs/world", "Let an agent work in a world.", ESTIMATE).makes(STARTED).takes(list!(
        Parameter,
        needs("world", "string", "The id of a world."),
        may("only", "string", "Ids of tasks with commas between them; all if it is empty."),
        AGENT,
        may("faults", "string", "How often tools fail; `/api/choices` lists it."),
        SAMPLES,
        AT_ONCE,
        SEED,
        DOLLARS,
        TOKENS,
        ACT
    )),
    post("start_fork", "/api/jobs/fork", "Let an agent go on from a step of an episode in a world.", ESTIMATE)
        .makes(STARTED)
        .takes(list!(
            Parameter,
            needs("world", "string", "The id of the world of the episode."),
            needs("episode", "string", "The id of its trajectory: the last part of the address of its page."),
            needs("step", "integer", "After which step to go on."),
            AGENT,
            SAMPLES,
            AT_ONCE,
            DOLLARS,
            TOKENS,
            ACT
        )),
    post("stop_job", "/api/jobs/{id}/stop", "End a job, as Ctrl-C does.", CHANGED).at(list!(Part, JOB)),
    post("resume_job", "/api/jobs/{id}/resume", "Have a job go on that has ended before it was done.", CHANGED)
        .at(list!(Part, JOB)),
    post("again", "/api/jobs/{id}/again", "Start a job anew from what it was given.", STARTED)
        .makes(STARTED)
        .at(list!(Part, JOB)),
    post("check", "/api/edit/check", "Check the text of a strategy.", "Checked").takes(list!(Parameter, NAME, SOURCE)),
    post("save", "/api/edit/save", "Save the text of a strategy.", "id:string version:string").takes(list!(
        Parameter,
        NAME,
        SOURCE,
        may(
            "base",
            "string",
            "The version that was opened under this name, so that nothing newer is replaced; `base` of `/api/edit`."
        )
    )),
    post(
        "run_text",
        "/api/edit/run",
        "Run the text of a strategy; one that does not pass is answered with its findings.",
        "Checked",
    )
    .makes(STARTED)
    .takes(list!(
        Parameter,
        NAME,
        SOURCE,
        needs("market", "string", "A market or the id of a scenario file."),
        SEEDS,
        GOAL,
        BASELINE
    )),
    post("record_seed", "/api/compare/record", "Make a seed of a run of the store again, with its events.", STARTED)
        .makes(STARTED)
        .takes(list!(Parameter, needs("run", "string", "The id of the run."), needs("seed", "integer", "The seed."))),
    post(
        "pause_session",
        "/api/refine/{id}/stop",
        "Have a refinement stop after its current step, whoever runs it.",
        PAGE,
    )
    .at(list!(Part, SESSION)),
    post("resume_session", "/api/refine/{id}/resume", "Have a refinement go on.", PAGE).at(list!(Part, SESSION)),
    post("hint", "/api/refine/{id}/hint", "Tell the writers of a refinement something.", PAGE)
        .at(list!(Part, SESSION))
        .takes(list!(Parameter, needs("hint", "string", "What."))),
    post(
        "fork_session",
        "/api/refine/{id}/fork",
        "Begin a refinement with the first events of another, and run it.",
        STARTED,
    )
    .makes(STARTED)
    .at(list!(Part, SESSION))
    .takes(list!(Parameter, needs("at", "integer", "The last event that both have."))),
];
