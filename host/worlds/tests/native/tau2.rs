//! τ²-bench beside its published package: the hash of the databases, every reference action, seeded calls, and which tasks our probes refuse.

use crate::common::{packages, peer};
use assay_model::{Seed, Time};
use assay_tau2::{Domain, Hasher, telecom_hashes};
use assay_world::value::normal;
use assay_world::{Caller, Deed, Profile, State, World};
use assay_worlds::{Refusal, Standing, check, import, load};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// Calls of a walk: the package hashes the whole database after each. `ASSAY_TAU2_CALLS` asks for more.
const CALLS: &str = "120";

struct Imported {
    world: assay_worlds::World,
    hasher: Hasher,
}

fn import_of(site: &Path, domain: Domain) -> Imported {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("world");
    import::tau2(site, domain, &out).unwrap_or_else(|error| panic!("{error}"));
    let world = load(&out).unwrap_or_else(|error| panic!("{error}"));
    let hasher = Hasher::new(domain.shape(), &world.definition.state.documents);
    Imported { world, hasher }
}

fn begin(imported: &Imported) -> World {
    let (tools, state) = (Arc::clone(&imported.world.definition.tools), imported.world.definition.state.fork());
    World::new(tools, state, Seed(1), Profile::None, Arc::from([]))
}

/// Does what a line says the operator does.
fn begun(imported: &Imported, line: &Value) -> World {
    let mut world = begin(imported);
    for deed in line["begin"].as_array().into_iter().flatten() {
        let called = world.call(Caller::Operator, deed[0].as_str().expect("a name"), &deed[1].to_string());
        assert!(called.result.is_ok(), "{deed}: {:?}", called.result);
    }
    world
}

/// The state has the hash of a line: that of the whole database, or of the company's and of the phone.
fn same_hash(imported: &Imported, world: &World, line: &Value) {
    let ours = match line.get("user") {
        None => (imported.hasher.hash(&world.state().documents), None),
        Some(_) => {
            let (company, user) = telecom_hashes(world.state());
            (company, Some(Value::from(user)))
        }
    };
    assert_eq!((Value::from(ours.0), ours.1.as_ref()), (line["hash"].clone(), line.get("user")), "{line}");
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} of {value}"))
}

/// An answer as the package's comparison takes it: a text that is JSON counts as what it says.
fn meaning(value: &Value) -> Value {
    let said = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    normal(said.unwrap_or_else(|| value.clone()))
}

/// Compares a walk: answers, errors, and the hash after each call.
fn walk(imported: &Imported, lines: &[Value]) -> usize {
    let mut world = begin(imported);
    let mut calls = 0;
    same_hash(imported, &world, &lines[0]);
    for line in &lines[1..] {
        if line.get("begin").is_some() {
            world = begun(imported, line);
            continue;
        }
        calls += 1;
        let called = world.call(Caller::Agent, text(line, "tool"), &line["arguments"].to_string());
        match (&called.result, line.get("error")) {
            (Ok(answer), None) => assert_eq!(meaning(answer), meaning(&line["answer"]), "{line}"),
            (Err(error), Some(wanted)) => assert_eq!(Some(error.message.as_str()), wanted.as_str(), "{line}"),
            (result, _) => panic!("{result:?}\n{line}"),
        }
        same_hash(imported, &world, line);
    }
    calls
}

/// Compares the reference actions of every task: what raises, and the hash in the end.
fn gold(imported: &Imported, lines: &[Value]) -> usize {
    for line in lines {
        let task = imported.world.tasks.iter().find(|task| task.id == text(line, "task")).expect("the task is there");
        let mut world = begin(imported);
        for (index, deed) in task.gold.iter().enumerate() {
            let Deed::Call { tool, arguments } = deed else { continue };
            let called = world.call(Caller::Agent, tool, &Value::Object(arguments.clone()).to_string());
            let (ours, theirs) = (called.result.as_ref().err(), line["errors"].get(index.to_string()));
            // The tasks are newer than the package's tools.
            let is_newer = theirs.and_then(Value::as_str).is_some_and(|error| error.contains("get_item_details"));
            let theirs = theirs.filter(|_| !is_newer).and_then(Value::as_str);
            assert_eq!(ours.map(|error| error.message.as_str()), theirs, "{line}");
        }
        assert_eq!(imported.hasher.hash(&world.state().documents), text(line, "hash"), "{}", task.id);
    }
    lines.len()
}

/// How many tasks are admitted, and how many are refused because nothing need be done, a reference action fails, or a model would have to judge.
fn probes(imported: &Imported) -> [usize; 4] {
    let mut counts = [0; 4];
    for probed in check(&imported.world) {
        let place = match probed.standing {
            Standing::Admitted => 0,
            Standing::Refused(Refusal::Free { .. }) => 1,
            Standing::Refused(Refusal::GoldFails(_)) => 2,
            Standing::Refused(Refusal::NeedsJudge(_)) => 3,
            Standing::Refused(other) => panic!("{}: {other}", probed.task),
        };
        counts[place] += 1;
    }
    counts
}

fn compare(domain: Domain, hash: &str, tasks: usize, expected: [usize; 4]) {
    let Some((python, site)) = packages() else { return };
    let (imported, name) = (import_of(&site, domain), domain.name());
    calls(&imported, &python, domain, hash);
    let path = site.join(format!("tau2_{name}_mcp/data/tau2/domains/{name}/tasks.json"));
    let lines = peer(&python, "peer_tau2.py", &["gold", name, path.to_str().expect("UTF-8")]);
    assert_eq!(gold(&imported, &lines), tasks);
    assert_eq!(probes(&imported), expected);
}

/// Compares the database and seeded calls.
fn calls(imported: &Imported, python: &Path, domain: Domain, hash: &str) {
    let calls = std::env::var("ASSAY_TAU2_CALLS").unwrap_or_else(|_| CALLS.to_owned());
    let lines = match std::env::var_os("ASSAY_TAU2_WALKS") {
        // Walks that were recorded before: hashing 10,000 times takes the package half an hour.
        Some(folder) => {
            let path = Path::new(&folder).join(format!("{}.jsonl", domain.name()));
            let text = std::fs::read_to_string(path).expect("a recorded walk");
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
        }
        None => peer(python, "peer_tau2.py", &["walk", domain.name(), "3", &calls]),
    };
    assert_eq!(text(&lines[0], "hash"), hash);
    let done = walk(imported, &lines);
    assert!(done >= 100, "{done} calls");
}

#[test]
fn the_company_and_the_phone_are_those_of_the_package() {
    let Some((python, site)) = packages() else { return };
    let imported = import_of(&site, Domain::Telecom);
    let hash = "304cf5ef059852e117ea801ab9a5efc24c9713ec887679dc2e30acceb4b6742d";
    calls(&imported, &python, Domain::Telecom, hash);
    assert_eq!(imported.world.tasks.len(), 114);
    // In the package all reference actions succeed, and doing nothing never does.
    let lines = peer(&python, "peer_tau2.py", &["gold", "telecom"]);
    let worth = |key: &str| lines.iter().filter(|line| line[key] == Value::Bool(true)).count();
    assert_eq!((lines.len(), worth("gold"), worth("null")), (114, 114, 0));
    assert_eq!(probes(&imported), [114, 0, 0, 0]);
}

#[test]
fn the_shop_is_that_of_the_package() {
    let hash = "b25c9cb211f5efcaee5dd646054a73c4a9f43f4f5acc32c10713cd9f9ac20e9c";
    compare(Domain::Retail, hash, 114, [65, 6, 3, 40]);
}

#[test]
fn the_airline_is_that_of_the_package() {
    compare(Domain::Airline, "124e39a664b56402bcd09cb8a6a9cece6acb8462337c969799d5658e3250f263", 50, [26, 24, 0, 0]);
}

#[test]
fn what_changed_first_does_not_matter_to_the_hash() {
    let shape = Domain::Retail.shape();
    let mut state = State::new(Time::default(), Seed(0));
    for (table, id) in [("orders", "a"), ("orders", "c"), ("products", "p"), ("users", "u"), ("users", "v")] {
        state.documents.put(table, id, serde_json::json!({ "amount": 1, "n": 1, "t": "é" })).expect("kept");
    }
    let hasher = Hasher::new(shape, &state.documents);
    let mut changed = state.fork();
    let same = |state: &State| {
        assert_eq!(hasher.hash(&state.documents), Hasher::new(shape, &state.documents).hash(&state.documents));
    };
    same(&changed);
    for (table, id, is_there) in [
        ("users", "v", true),
        ("users", "w", true),
        ("orders", "b", true),
        ("orders", "a", false),
        ("users", "u", false),
        ("products", "p", false),
        ("users", "v", false),
        ("users", "w", false),
        ("orders", "0", true),
        ("products", "p", true),
    ] {
        if is_there {
            changed.documents.put(table, id, serde_json::json!({ "amount": 2.5 })).expect("kept");
        } else {
            changed.documents.remove(table, id);
        }
        same(&changed);
        let mut alone = state.fork();
        if is_there {
            alone.documents.put(table, id, serde_json::json!({ "balance": 3 })).expect("kept");
        } else {
            alone.documents.remove(table, id);
        }
        same(&alone);
    }
}
