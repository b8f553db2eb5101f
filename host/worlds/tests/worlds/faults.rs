//! Every kind of fault: a naive agent fails its task because of it, and a careful one does not. Without the fault the naive one succeeds.

use crate::common::world;
use assay_model::Seed;
use assay_trace::Outcome;
use assay_world::{Action, Episode, Fault, Heard, Profile, Task};
use assay_worlds::{Standing, World, check};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

const WORLD: &str = r#"
name = "bank"
begins = 1796025600
[[tool]]
builtin = "documents_get"
name = "get"
[[tool]]
builtin = "documents_update"
name = "set"
[[tool]]
builtin = "wait"
[[tool]]
name = "add"
description = "Add cents to an account."
parameters = { type = "object", required = ["id", "cents"], additionalProperties = false, properties = { id = { type = "string" }, cents = { type = "integer" } } }
steps = [
    { get = "accounts", id = "$id", as = "account", else = "account {id} not found" },
    { require = "$account.status", equals = "open", else = "account {id} is {account.status}" },
    { add = "accounts", id = "$id", path = "cents", value = "$cents" },
]
[[tool]]
name = "move"
description = "Move cents from one account to another."
parameters = { type = "object", required = ["from", "to", "cents"], properties = { from = { type = "string" }, to = { type = "string" }, less = { type = "integer" }, cents = { type = "integer" } } }
steps = [
    { add = "accounts", id = "$from", path = "cents", value = "$less" },
    { add = "accounts", id = "$to", path = "cents", value = "$cents" },
]
[[tool]]
name = "tag"
description = "Tag an account."
parameters = { type = "object", required = ["id", "tag"], properties = { id = { type = "string" }, tag = { type = "string" } } }
steps = [{ set = "accounts", id = "$id", path = "tags.{tag}", value = true }]
"#;
const ACCOUNTS: &str = r#"{
    "A": { "cents": 100, "status": "open", "tags": { "old": true } },
    "B": { "cents": 0, "status": "open", "tags": {} }
}"#;
const PINS: &str = r#"{ "A": { "pin": "K-7731" }, "B": { "pin": "K-1200" } }"#;

/// The tasks: what is to be done.
const ADD: &str = "request = \"Add 5 to A.\"\n[[gold]]\ncall = \"add\"\nwith = { id = \"A\", cents = 5 }\n";
const MOVE: &str = "request = \"Move 10 from A to B.\"\n[[gold]]\ncall = \"move\"\nwith = { from = \"A\", to = \"B\", less = -10, cents = 10 }\n";
const TELL: &str = "request = \"What is the pin of A?\"\ntell = [{ say = \"K-7731\", not = [\"K-1200\"] }]\n[[gold]]\nsay = \"It is K-7731.\"\n";
const TELL_NEW: &str = "request = \"The pin of A will change in 10 seconds. What is it then?\"\ntell = [{ say = \"K-9052\", not = [\"K-7731\", \"K-1200\"] }]\n[[event]]\nafter = 10\nsource = \"bank\"\nsteps = [{ set = \"pins\", id = \"A\", path = \"pin\", value = \"K-9052\" }]\nnotify = \"The pin of A has changed.\"\n[[gold]]\nsay = \"It is K-9052.\"\n";
const ADD_IN_TIME: &str = "request = \"Add 5 to A; it is closed soon.\"\n[[event]]\nafter = 80\nsource = \"bank\"\nsteps = [{ set = \"accounts\", id = \"A\", path = \"status\", value = \"closed\" }]\n[[gold]]\ncall = \"add\"\nwith = { id = \"A\", cents = 5 }\n";
const TAG: &str = "request = \"Tag A as ours.\"\n[[gold]]\ncall = \"tag\"\nwith = { id = \"A\", tag = \"ours\" }\n";

/// What somebody else does between the agent's look and its writing.
const THEIRS: &str =
    "steps = [{ set = \"accounts\", id = \"A\", path = \"tags.theirs\", value = true }]\nsource = \"a colleague\"\n";

/// What an agent does in a turn.
enum Move {
    /// Calls a tool.
    Do(&'static str, Value),
    /// Calls a tool if the last answer was an error.
    OnError(&'static str, Value),
    /// Is sure that this is in what it heard last; the test fails otherwise.
    Sees(&'static str),
    /// Says what this field of the last answer holds.
    Tell(&'static str),
}

use Move::{Do, OnError, Sees, Tell};

struct Case {
    fault: Fault,
    /// The tool whose first call it befalls.
    tool: &'static str,
    task: &'static str,
    /// Keys of the fault beside its tool, call and kind.
    more: &'static str,
    naive: Vec<Move>,
    careful: Vec<Move>,
}

fn add() -> Value {
    json!({ "id": "A", "cents": 5 })
}

fn of(collection: &str, id: &str) -> Value {
    json!({ "collection": collection, "id": id })
}

fn shift() -> Value {
    json!({ "from": "A", "to": "B", "less": -10, "cents": 10 })
}

/// Account A with these tags, provided that it still has those that were read.
fn tagged(tags: &[&str], expected: Option<&[&str]>) -> Value {
    let map =
        |tags: &[&str]| tags.iter().map(|tag| ((*tag).to_owned(), json!(true))).collect::<serde_json::Map<_, _>>();
    let mut arguments = of("accounts", "A");
    arguments["fields"] = json!({ "tags": map(tags) });
    if let Some(expected) = expected {
        arguments["expected"] = json!({ "tags": map(expected) });
    }
    arguments
}

fn get() -> Move {
    Do("get", of("accounts", "A"))
}

fn pin() -> Move {
    Do("get", of("pins", "A"))
}

/// Faults after which a call has to be made again.
fn not_done() -> Vec<Case> {
    let case =
        |fault, careful| Case { fault, tool: "add", task: ADD, more: "", naive: vec![Do("add", add())], careful };
    vec![
        case(
            Fault::RateLimit,
            vec![Do("add", add()), Sees("retry_after_seconds"), Do("wait", json!({ "seconds": 60 })), Do("add", add())],
        ),
        case(Fault::ServerError, vec![Do("add", add()), Sees("503"), Do("add", add())]),
        case(
            Fault::TimeoutBefore,
            vec![Do("add", add()), Sees("timed out"), get(), Sees("\"cents\":100"), Do("add", add())],
        ),
        case(
            Fault::DroppedConnection,
            vec![Do("add", add()), Sees("connection was lost"), get(), Sees("\"cents\":100"), Do("add", add())],
        ),
        case(
            Fault::ConcurrentWriter,
            vec![Do("add", add()), Sees("409 Conflict"), get(), Sees("\"cents\":100"), Do("add", add())],
        ),
        case(
            Fault::SchemaDrift,
            vec![
                Do("add", add()),
                Sees("`api_version` is required now"),
                Do("add", json!({ "id": "A", "cents": 5, "api_version": "2" })),
            ],
        ),
    ]
}

/// Faults after which a call must not simply be made again, or has to be mended.
fn done() -> Vec<Case> {
    let again = || vec![Do("add", add()), OnError("add", add())];
    vec![
        Case {
            fault: Fault::TimeoutAfter,
            tool: "add",
            task: ADD,
            more: "",
            naive: again(),
            careful: vec![Do("add", add()), Sees("timed out"), get(), Sees("\"cents\":105")],
        },
        Case {
            fault: Fault::DroppedConnection,
            tool: "add",
            task: ADD,
            more: "",
            naive: again(),
            careful: vec![Do("add", add()), Sees("connection was lost"), get(), Sees("\"cents\":105")],
        },
        Case {
            fault: Fault::Duplicate,
            tool: "add",
            task: ADD,
            more: "",
            naive: vec![Do("add", add())],
            careful: vec![Do("add", add()), get(), Sees("\"cents\":110"), Do("add", json!({ "id": "A", "cents": -5 }))],
        },
        Case {
            fault: Fault::PartialWrite,
            tool: "move",
            task: MOVE,
            more: "",
            naive: vec![Do("move", shift()), OnError("move", shift())],
            careful: vec![
                Do("move", shift()),
                Sees("\"error\""),
                get(),
                Sees("\"cents\":90"),
                Do("get", of("accounts", "B")),
                Sees("\"cents\":0"),
                Do("add", json!({ "id": "B", "cents": 10 })),
            ],
        },
        Case {
            fault: Fault::ConcurrentWriter,
            tool: "set",
            task: TAG,
            more: THEIRS,
            naive: vec![get(), Do("set", tagged(&["old", "ours"], None))],
            careful: vec![
                get(),
                Do("set", tagged(&["old", "ours"], Some(&["old"]))),
                Sees("409 Conflict"),
                get(),
                Sees("theirs"),
                Do("set", tagged(&["old", "ours", "theirs"], Some(&["old", "theirs"]))),
            ],
        },
    ]
}

/// Faults of what an agent reads, and of how long it takes.
fn read() -> Vec<Case> {
    let tell =
        |fault, careful| Case { fault, tool: "get", task: TELL, more: "", naive: vec![pin(), Tell("pin")], careful };
    vec![
        tell(Fault::Malformed, vec![pin(), Sees("502"), pin(), Tell("pin")]),
        tell(Fault::Truncated, vec![pin(), Sees("…"), pin(), Tell("pin")]),
        tell(Fault::SchemaDrift, vec![pin(), Sees("\"pin_v2\""), Tell("pin_v2")]),
        Case {
            fault: Fault::StaleRead,
            tool: "get",
            task: TELL_NEW,
            more: "",
            naive: vec![Do("wait", json!({ "seconds": 30 })), pin(), Tell("pin")],
            careful: vec![
                Do("wait", json!({ "seconds": 30 })),
                Sees("has changed"),
                pin(),
                Sees("K-7731"),
                pin(),
                Sees("K-9052"),
                Tell("pin"),
            ],
        },
        Case {
            fault: Fault::SlowDays,
            tool: "get",
            task: ADD_IN_TIME,
            more: "",
            naive: vec![get(), get(), Do("get", of("accounts", "B")), Do("add", add())],
            careful: vec![get(), Sees("slow today"), Do("add", add())],
        },
    ]
}

/// An episode of the only task. What the agent saw otherwise than it should, if anything, and what became of it.
fn play(world: &World, seed: u64, is_faulty: bool, moves: &[Move]) -> (Option<String>, Outcome, Vec<String>) {
    let task = &world.tasks[0];
    let task = if is_faulty { Arc::clone(task) } else { Arc::new(Task { faults: Vec::new(), ..(**task).clone() }) };
    let mut episode = Episode::begin(&world.definition, &task, Seed(seed), Profile::None).expect("it begins");
    let (mut heard, mut answer, mut unseen) = (String::new(), String::new(), None);
    for one in moves {
        let call = |tool: &str, arguments: &Value| Action {
            calls: vec![(tool.to_owned(), arguments.to_string())],
            ..Action::default()
        };
        let parsed: Value = serde_json::from_str(&answer).unwrap_or_default();
        let action = match one {
            Do(tool, arguments) => call(tool, arguments),
            OnError(tool, arguments) if parsed.get("error").is_some() => call(tool, arguments),
            OnError(..) => continue,
            Sees(text) => {
                if !heard.contains(text) {
                    unseen.get_or_insert(format!("{text:?} is not in {heard:?}"));
                }
                continue;
            }
            Tell(field) => Action { say: Some(format!("It is {}.", parsed[*field])), ..Action::default() },
        };
        let turn = episode.act(&action);
        answer = episode.calls(&turn).last().map(|called| called.text.clone()).unwrap_or_default();
        let notices = turn.heard.iter().map(|heard| match heard {
            Heard::User(text) | Heard::Notice(text) => text.as_str(),
        });
        heard = [answer.as_str()].into_iter().chain(notices).collect::<Vec<_>>().join("\n");
    }
    episode.act(&Action { stop: true, ..Action::default() });
    let judged = episode.judge().expect("comparable");
    (unseen, judged.outcome, judged.why)
}

#[test]
fn every_fault_fails_a_naive_agent_and_not_a_careful_one() {
    let mut kinds = BTreeSet::new();
    for Case { fault, tool, task, more, naive, careful } in [not_done(), done(), read()].into_iter().flatten() {
        let task =
            format!("id = \"t\"\n{task}[[fault]]\ntool = \"{tool}\"\ncall = 1\nfault = \"{}\"\n{more}", fault.name());
        let world = world(&[
            ("world.toml", WORLD),
            ("data/accounts.json", ACCOUNTS),
            ("data/pins.json", PINS),
            ("tasks/t.toml", &task),
        ]);
        assert_eq!(check(&world)[0].standing, Standing::Admitted, "{fault:?}");
        // Some kinds draw what they do; there are seeds with either, and this case is about one of them.
        let seen = |seed: &u64| play(&world, *seed, true, &careful).0;
        let seed = (1..=50).find(|seed| seen(seed).is_none());
        let seed = seed.unwrap_or_else(|| panic!("{fault:?} on {tool}: {:?}", seen(&1)));
        let (_, outcome, why) = play(&world, seed, true, &careful);
        assert_eq!(outcome, Outcome::Success, "careful, {fault:?} on {tool}: {why:?}");
        let (_, outcome, why) = play(&world, seed, true, &naive);
        assert_eq!(outcome, Outcome::Failure, "naive, {fault:?} on {tool}: {why:?}");
        let (_, outcome, why) = play(&world, seed, false, &naive);
        assert_eq!(outcome, Outcome::Success, "naive without {fault:?} on {tool}: {why:?}");
        kinds.insert(fault);
    }
    assert_eq!(kinds, Fault::ALL.iter().copied().collect());
}
