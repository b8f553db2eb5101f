//! Tools in Python: what they remember, what is compared, and the end of every tool that misbehaves.

use crate::common::{Files, load, write};
use assay_model::Seed;
use assay_world::{Action, Caller, Episode, Profile, Task, World};
use assay_worlds::{Standing, check as probe_all};
use serde_json::json;
use std::sync::Arc;

const WORLD: &str = r#"
name = "w"
begins = 1_700_000_000
[[python]]
name = "desk"
module = "tools.desk"
class = "Desk"
load = "begin"
begin = '{"with": {"a": 1.0}}'
[[tool]]
python = "desk"
name = "add"
description = "Add."
parameters = { type = "object", required = ["name"], properties = { name = { type = "string" } } }
[[tool]]
python = "desk"
name = "count"
description = "Count."
reads = true
[[tool]]
python = "desk"
name = "misbehave"
description = "Do something wrong."
parameters = { type = "object", required = ["how"], properties = { how = { type = "string" } } }
"#;
const DESK: &str = r#"
import hashlib, time

class Desk:
    def begin(self, things):
        self.things = things
        self._secret = []

    def add(self, name):
        self._secret.append(time.time())
        if name in self.things:
            raise ValueError(f"{name} is there")
        self.things[name] = len(self._secret)
        return {"added": name, "half": 0.5}

    def count(self):
        self.things["read"] = 1
        return f"{len(self.things)} things"

    def misbehave(self, how):
        self.things["half"] = "done"
        if how == "loop":
            while True:
                pass
        if how == "allocate":
            return [bytearray(1 << 20) for _ in range(1 << 20)]
        if how == "recurse":
            return self.misbehave(how)
        if how == "exit":
            import os
            os._exit(3)
        if how == "raise":
            raise KeyError("x")
        if how == "interrupt":
            raise KeyboardInterrupt
        if how == "answer":
            return "x" * (1 << 20)
        if how == "object":
            self.things = {str(n): "x" * 1000 for n in range(5000)}
        if how == "memory":
            self._secret = b"".join(hashlib.sha256(bytes([n % 251, n % 256, n >> 8])).digest() for n in range(30_000))
        if how == "lambda":
            self._secret = lambda: 1
        if how == "cycle":
            self.things["self"] = self.things
        if how == "files":
            return open("/etc/passwd").read()
        if how == "host":
            import builtins, __main__
            return __main__.shell("ls")
        return "survived"
"#;
const TASK: &str = r#"
id = "t"
request = "Add b."
[[gold]]
call = "add"
with = { name = "b" }
"#;
const FILES: Files<'_> =
    &[("world.toml", WORLD), ("tasks/t.toml", TASK), ("python/tools/__init__.py", ""), ("python/tools/desk.py", DESK)];

fn loaded() -> assay_worlds::World {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), FILES);
    load(folder.path()).unwrap_or_else(|error| panic!("{error}"))
}

fn begin(world: &assay_worlds::World) -> World {
    let (tools, state) = (Arc::clone(&world.definition.tools), world.definition.state.fork());
    World::new(tools, state, Seed(1), Profile::None, Arc::from([]))
}

#[test]
fn objects_remember_and_reads_change_nothing() {
    let loaded = loaded();
    let mut world = begin(&loaded);
    let mut say = |tool: &str, arguments: &str| world.call(Caller::Agent, tool, arguments).text.clone();
    assert_eq!(say("count", "{}"), "2 things");
    assert_eq!(say("add", r#"{"name":"b"}"#), r#"{"added":"b","half":0.5}"#);
    assert_eq!(say("count", "{}"), "3 things");
    assert!(say("add", r#"{"name":"b"}"#).contains("ValueError: b is there"));
    assert_eq!(world.state().documents.get("python", "desk"), Some(&json!({ "things": { "a": 1, "b": 1 } })));
    // A fork goes its own way.
    let mut fork = world.clone();
    fork.call(Caller::Agent, "add", r#"{"name":"c"}"#);
    assert_eq!(world.call(Caller::Agent, "count", "{}").text, "3 things");
    assert_eq!(fork.call(Caller::Agent, "count", "{}").text, "4 things");
}

#[test]
fn the_first_call_changes_what_it_changed_and_no_more() {
    let loaded = loaded();
    let check = |calls: &[(&str, &str)], expected: &[&str]| {
        let mut world = begin(&loaded);
        let before = world.state().fork();
        for (tool, arguments) in calls {
            world.call(Caller::Agent, tool, arguments);
        }
        let changes = world.changes_since(&before, world.log()).expect("comparable");
        let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
        assert_eq!(changes, expected, "{calls:?}");
    };
    let (count, add, raise) = (("count", "{}"), ("add", r#"{"name":"b"}"#), ("misbehave", r#"{"how":"raise"}"#));
    check(&[count], &[]);
    check(&[raise], &[]);
    check(&[add], &["+ documents/python/desk/things/b = 1"]);
    check(&[raise, count, add, count], &["+ documents/python/desk/things/b = 1"]);
}

#[test]
fn memories_are_replayed_and_not_compared() {
    let loaded = loaded();
    assert_eq!(probe_all(&loaded)[0].standing, Standing::Admitted);
    let hashes = |task: &Arc<Task>| {
        let mut episode = Episode::begin(&loaded.definition, task, Seed(3), Profile::None).expect("it begins");
        let call = ("add".to_owned(), r#"{"name":"b"}"#.to_owned());
        episode.act(&Action { calls: vec![call], ..Action::default() });
        episode.world().state().hash().root()
    };
    assert_eq!(hashes(&loaded.tasks[0]), hashes(&loaded.tasks[0]));
    // In another process, nothing is remembered of the calls.
    let again = self::loaded();
    let mut other = begin(&again);
    let mut one = begin(&loaded);
    for world in [&mut other, &mut one] {
        world.call(Caller::Agent, "add", r#"{"name":"b"}"#);
    }
    assert_eq!(one.state().hash().root(), other.state().hash().root());
}

#[test]
fn every_misbehaviour_has_an_end_and_leaves_nothing() {
    let loaded = loaded();
    let mut world = begin(&loaded);
    for (how, expected) in [
        ("loop", "ran too long"),
        ("allocate", "MemoryError"),
        ("recurse", "RecursionError"),
        ("exit", "the tool ended"),
        ("raise", "KeyError: 'x'"),
        ("interrupt", "the tool failed: KeyboardInterrupt"),
        ("answer", "ask for less"),
        ("object", "at most"),
        ("memory", "remembers"),
        ("lambda", "the tool failed"),
        ("files", "FileNotFoundError"),
        ("host", "at most 0 such calls"),
    ] {
        let called = world.call(Caller::Agent, "misbehave", &json!({ "how": how }).to_string());
        let error = called.result.as_ref().expect_err(how);
        assert!(error.message.contains(expected), "{how}: {}", error.message);
        assert!(world.state().documents.get("python", "desk").is_none(), "{how}");
    }
    assert_eq!(world.call(Caller::Agent, "misbehave", r#"{"how":"cycle"}"#).text, "survived");
    assert_eq!(world.broken(), None);
}

#[test]
fn wrong_worlds_say_where_and_what() {
    let check = |from: &str, to: &str, expected: &str| {
        assert!(WORLD.contains(from), "{from}");
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), FILES);
        std::fs::write(folder.path().join("world.toml"), WORLD.replacen(from, to, 1)).expect("written");
        let error = load(folder.path()).err().unwrap_or_else(|| panic!("{to} loads"));
        let text = format!("{error} {}", error.hint.clone().unwrap_or_default());
        assert!(text.contains(expected), "{expected:?} is not in {text:?}");
    };
    check("tools.desk", "tools.dusk", "there is no module \"tools.dusk\"");
    check("python = \"desk\"", "python = \"dask\"", "there is no object \"dask\"; did you mean \"desk\"?");
    check("class =", "clas =", "did you mean `class`?");
    check("'{\"with\"", "'[\"with\"", "`begin` of desk is not JSON");
    check("reads = true", "reads = true\nsteps = [{ fail = \"x\" }]", "no `steps`");
    check(
        "python = \"desk\"\nname = \"add\"",
        "native = \"tau2.retail.calculat\"\nname = \"add\"",
        "tau2.retail.calculate",
    );
    // A module that does not load is told by its file and line, wherever it is first used.
    for (module, expected) in [
        ("import json\nclass Desk\n    pass\n", "python/tools/desk.py, line 2: SyntaxError"),
        ("import json\nimport nothing_like_this\n", "python/tools/desk.py, line 2: ModuleNotFoundError"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), FILES);
        std::fs::write(folder.path().join("python/tools/desk.py"), module).expect("written");
        let world = load(folder.path()).unwrap_or_else(|error| panic!("{error}"));
        let Standing::Refused(why) = &probe_all(&world)[0].standing else { panic!("admitted: {module}") };
        assert!(why.to_string().contains(expected), "{expected:?} is not in {why}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), FILES);
    let error = assay_worlds::load(folder.path()).err().expect("there is no interpreter");
    assert!(error.to_string().contains("Python"), "{error}");
}
