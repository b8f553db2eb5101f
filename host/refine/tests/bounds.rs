//! Plans whose numbers no session has: nobody goes on with them, and whoever only looks is told what there is.

use assay_refine::about;
use assay_refine::core::bounds::{GENERATIONS_MAX, GOAL_BYTES_MAX, MICRODOLLARS_MAX, MODELS_MAX, WIDTH_MAX};
use assay_refine::core::event::Body;
use assay_refine::core::plan::{Plan, RULES_VERSION, Rules};
use assay_refine::journal::{Journal, Kept, LOG_NAME};
use assay_refine::manage;
use serde_json::{Value, json};

const SOURCE: &str = "what it began with";

fn plan() -> Value {
    let tunable =
        json!({"name": "a", "default": 1.0, "low": 0.5, "high": 2.0, "is_logarithmic": true, "is_integer": false});
    json!({
        "rules_version": RULES_VERSION, "assay": "0.1.0", "seed": 1, "goal": "balanced",
        "markets": [{"name": "calm", "hash": "x"}], "family": [{"name": "thin", "hash": "y"}], "strategy": "a.rs",
        "source_hash": blake3::hash(SOURCE.as_bytes()).to_hex().as_str(),
        "writer": {"kind": "tuner", "parameters": [tunable]}, "search": "evolve",
        "rules": serde_json::to_value(Rules::default()).expect("JSON"),
        "budget": {"microdollars": 1, "tokens": 1, "minutes": 1.0},
    })
}

fn models(count: usize, goal: &str) -> Value {
    let others: Vec<String> = (1..count).map(|number| format!("scripted:{number}")).collect();
    json!({"kind": "model", "model": "scripted:0", "others": others, "goal": goal, "prompts_hash": "x"})
}

/// The plan with another value in it.
fn with(pointer: &str, value: Value) -> Plan {
    let mut plan = plan();
    *plan.pointer_mut(pointer).expect("it is there") = value;
    serde_json::from_value(plan).unwrap_or_else(|error| panic!("{pointer}: {error}"))
}

#[test]
fn what_the_command_line_can_ask_for_is_within_bounds() {
    let markets: Vec<Value> = (0..8).map(|number| json!({"name": format!("{number}.toml"), "hash": "x"})).collect();
    for (pointer, value) in [
        ("/rules/width", json!(WIDTH_MAX)),
        ("/rules/generations", json!(GENERATIONS_MAX)),
        ("/rules/trials_max", json!(u32::MAX)),
        ("/rules/plateau", json!(0)),
        ("/rules/plateau", json!(u32::MAX)),
        ("/rules/target", json!(1.0)),
        ("/rules/target", json!(10.0)),
        ("/budget/microdollars", json!(MICRODOLLARS_MAX)),
        ("/budget/tokens", json!(u64::MAX)),
        ("/budget/minutes", json!(f64::MAX)),
        ("/budget/minutes", json!(null)),
        ("/seed", json!(u64::MAX)),
        ("/markets", json!(markets)),
        ("/markets/0/name", json!("x".repeat(4_096))),
        ("/family", json!([])),
        ("/writer", models(MODELS_MAX, &"x".repeat(GOAL_BYTES_MAX))),
        // As before version 7.
        ("/rules/pooled_blocks", json!(0)),
    ] {
        assert_eq!(with(pointer, value.clone()).validate(), Ok(()), "{pointer} {value}");
    }
}

#[test]
fn a_value_beyond_its_bounds_is_named() {
    let market = json!({"name": "calm", "hash": "x"});
    let long = json!("x".repeat(9_000));
    for (pointer, value, said) in [
        ("/rules/width", json!(0), "the plan has 0 for rules.width; it can have 1 to 256"),
        ("/rules/width", json!(257), "257 for rules.width"),
        ("/rules/generations", json!(1_001), "1001 for rules.generations"),
        ("/rules/rungs", json!([2, 4_000_000_000_u32]), "4000000000 for rules.rungs[]"),
        ("/rules/rungs", json!([]), "0 for rules.rungs, entries"),
        ("/rules/rungs", json!(vec![1; 100]), "100 for rules.rungs, entries"),
        ("/rules/rungs", json!([6, 2, 12]), "[6, 2, 12] for rules.rungs; it can have numbers that ascend"),
        ("/rules/block_seeds", json!(0), "0 for rules.block_seeds"),
        ("/rules/alpha", json!(-1.0), "-1.0 for rules.alpha"),
        ("/rules/bet_max", json!(1.5), "1.5 for rules.bet_max"),
        ("/rules/target", json!(-1e300), "for rules.target"),
        ("/budget/minutes", json!(-1.0), "-1.0 for budget.minutes"),
        ("/markets", json!([]), "0 for markets, entries"),
        ("/family", json!(vec![market; 9]), "9 for family, entries"),
        ("/markets/0/name", long.clone(), "9000 for markets[].name, bytes"),
        ("/family/0/hash", long.clone(), "9000 for markets[].hash, bytes"),
        ("/strategy", long, "9000 for strategy, bytes"),
        ("/writer/parameters/0/low", json!(3.0), "3.0 for writer.parameters[].low"),
        ("/writer/parameters/0/low", json!(0.0), "0.0 for writer.parameters[].low"),
        ("/writer", models(MODELS_MAX + 1, "more"), "8 for writer.others, entries"),
        ("/writer", models(1, &"x".repeat(GOAL_BYTES_MAX + 1)), "8001 for writer.goal, bytes"),
    ] {
        let error = with(pointer, value).validate().expect_err(pointer).to_string();
        assert!(error.contains(said) && error.len() < 200, "{pointer}: {error}");
    }
}

/// Where the numbers of a value stand.
fn numbers(value: &Value, at: &str) -> Vec<String> {
    match value {
        Value::Number(_) => vec![at.to_owned()],
        Value::Array(all) => {
            all.iter().enumerate().flat_map(|(index, one)| numbers(one, &format!("{at}/{index}"))).collect()
        }
        Value::Object(all) => all.iter().flat_map(|(name, one)| numbers(one, &format!("{at}/{name}"))).collect(),
        _ => Vec::new(),
    }
}

/// A number that is added to the plan gets a bound, or is one of those that are only compared or drawn by.
#[test]
fn every_number_that_is_worked_by_has_a_bound() {
    let free = [
        "/rules_version",
        "/seed",
        "/rules/trials_max",
        "/rules/plateau",
        "/budget/tokens",
        "/budget/minutes",
        "/budget/microdollars",
        "/writer/parameters/0/default",
        "/writer/parameters/0/high",
    ];
    let all = numbers(&plan(), "");
    assert!(all.len() > 20 && free.iter().all(|one| all.iter().any(|pointer| pointer == one)), "{all:?}");
    for pointer in all {
        let is_taken = with(&pointer, json!(u32::MAX)).validate().is_ok();
        assert_eq!(is_taken, free.contains(&pointer.as_str()), "{pointer}");
    }
}

/// Through the log of a session that has come to its first generation, and to its first trial.
#[test]
fn nobody_goes_on_with_a_log_beyond_bounds_and_it_can_still_be_looked_at() {
    let bodies = [
        json!({"what": "written", "candidate": "0.0", "parent": null, "program": {"settings": [1.0]}, "idea": ""}),
        json!({"what": "probed", "candidate": "0.0", "print": "p", "failure": null}),
        json!({"what": "closed", "generation": 0}),
        json!({"what": "written", "candidate": "1.0", "parent": "0.0", "program": {"settings": [1.5]}, "idea": ""}),
        json!({"what": "probed", "candidate": "1.0", "print": "q", "failure": null}),
        json!({"what": "compared", "trial": 1, "candidate": "1.0", "from_block": 0, "pairs": vec![(5.0, 4.5); 16]}),
    ];
    let check = |bodies: &[Value], pointer: &str, value: &Value, field: &str| {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a-1");
        let began = Body::Began { plan: Box::new(with(pointer, value.clone())) };
        let mut journal = Journal::begin(&path, began, SOURCE, 1).expect("begun");
        for body in bodies {
            journal.note(1, serde_json::from_value(body.clone()).expect("an event")).expect("noted");
        }
        drop(journal);
        let log = std::fs::read(path.join(LOG_NAME)).expect("there is a log");
        let kept = Kept::read(&path).expect("it can be read");
        let errors = [
            Journal::open(&path, 1).err().map(|error| error.to_string()),
            manage::hint(&path, "wider", 1).err().map(|error| error.to_string()),
            manage::fork(&kept, "a-1", 1, dir.path(), 1).err().map(|error| error.to_string()),
        ];
        for error in errors {
            let error = error.expect(pointer);
            assert!(error.contains(field), "{pointer}: {error}");
        }
        let shown = about::session("a-1", &kept);
        let stages = shown["progress"]["stages"].as_object().expect("stages");
        let slots: u64 = stages.values().filter_map(Value::as_u64).sum();
        assert!(slots <= u64::from(WIDTH_MAX), "{pointer}: {shown}");
        assert!(log == std::fs::read(path.join(LOG_NAME)).expect("there is a log"), "{pointer}: nothing is lost");
        assert_eq!(std::fs::read_dir(dir.path()).expect("there").count(), 1, "{pointer}: nothing has begun");
    };
    for (pointer, value, field) in [
        ("/rules/width", json!(u32::MAX), "rules.width"),
        ("/rules/width", json!(0), "rules.width"),
        ("/rules/rungs", json!([u32::MAX]), "rules.rungs[]"),
        ("/rules/probe_seeds", json!(u32::MAX), "rules.probe_seeds"),
        ("/rules/block_seeds", json!(u32::MAX), "rules.block_seeds"),
        ("/rules/batch_blocks", json!(u32::MAX), "rules.batch_blocks"),
        ("/rules/trial_blocks", json!(0), "rules.trial_blocks"),
        ("/rules/bet_max", json!(-1.0), "rules.bet_max"),
        ("/rules/alpha", json!(-1.0), "rules.alpha"),
        ("/rules/pooled_blocks", json!(u32::MAX), "rules.pooled_blocks"),
        ("/rules/generations", json!(u32::MAX), "rules.generations"),
    ] {
        check(&bodies[..3], pointer, &value, field);
        check(&bodies, pointer, &value, field);
    }
}
