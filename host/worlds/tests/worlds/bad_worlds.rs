//! World folders that are wrong: each says what, where and what to do. Agents that are wrong: each gets an answer, and the episode a named end.

use crate::common::{desk, task};
use assay_model::Seed;
use assay_world::limits::{CALLS_MAX, CALLS_PER_TURN_MAX};
use assay_world::{Action, Episode, Profile};
use assay_worlds::{Standing, check as probe_all, load};
use std::fs;
use std::path::Path;

const WORLD: &str = r#"
name = "w"
begins = 0
[[tool]]
name = "put"
description = "Put."
parameters = { type = "object", required = ["id"], properties = { id = { type = "string" } } }
steps = [{ insert = "things", id = "$id", value = { n = 1 } }]
[[tool]]
builtin = "wait"
"#;
const TASK: &str = r#"
id = "t"
request = "Put a."
[[gold]]
call = "put"
with = { id = "a" }
"#;

fn write(folder: &Path, world: &str, task: &str) {
    fs::create_dir_all(folder.join("tasks")).expect("a folder");
    fs::create_dir_all(folder.join("data")).expect("a folder");
    fs::write(folder.join("world.toml"), world).expect("written");
    fs::write(folder.join("policy.md"), "Do it.").expect("written");
    fs::write(folder.join("tasks/t.toml"), task).expect("written");
}

fn check(world: &str, task: &str, expected: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), world, task);
    let error = match load(folder.path()) {
        Ok(_) => panic!("loaded, although {expected:?} was expected"),
        Err(error) => error,
    };
    let text = format!("{error} {}", error.hint.clone().unwrap_or_default());
    for part in expected {
        assert!(text.contains(part), "{part:?} is not in {text:?}");
    }
}

#[test]
fn the_plain_world_loads() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), WORLD, TASK);
    let world = load(folder.path()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(probe_all(&world)[0].standing, Standing::Admitted);
}

#[test]
fn wrong_worlds_say_where_and_what() {
    let twice = format!("{WORLD}\n[[tool]]\nname = \"put\"\ndescription = \"Again.\"\nanswer = 1\n");
    let user = |lines: &str| {
        format!(
            "id = \"t\"\ngold = []\n[user]\ngoal = \"g\"\n{lines}\n[[user.slot]]\nname = \"code\"\nvalue = \"secret-7\"\nasked_by = [\"code\"]\nsay = \"{{code}}\"\n"
        )
    };
    let cases: Vec<(String, String, Vec<&str>)> = vec![
        (WORLD.replace("begins", "begin"), TASK.into(), vec!["world.toml, line 3", "did you mean `begins`?"]),
        (twice, TASK.into(), vec!["world.toml, line 13", "two tools have the name put"]),
        (WORLD.replace("\"$id\"", "\"$ident\""), TASK.into(), vec!["use `ident`", "line 5"]),
        (WORLD.replace("insert = ", "insret = "), TASK.into(), vec!["line 8", "did you mean `insert`?"]),
        (WORLD.replace("type = \"string\"", "type = \"strnig\""), TASK.into(), vec!["no schema"]),
        (WORLD.replace("{ n = 1 } }", "{ n = 1 }, path = \"x\", of = 1 }"), TASK.into(), vec!["`of` means nothing"]),
        (WORLD.into(), TASK.replace("request", "requests"), vec!["t.toml, line 3", "did you mean `request`?"]),
        (WORLD.into(), user("opening = \"It is {code}.\""), vec!["t.toml, line 5", "opening", "code", "not told then"]),
        (WORLD.into(), user("opening = \"It is SECRET-7.\""), vec!["gives away the value of the slot code"]),
        (
            WORLD.into(),
            user("opening = \"It is {cood}.\""),
            vec!["line 5", "{cood} is not a slot", "did you mean {code}?"],
        ),
        (
            WORLD.into(),
            format!("{TASK}\n[[fault]]\ntool = \"putt\"\ncall = 1\nfault = \"malformed\"\n"),
            vec!["there is no tool \"putt\"", "line 9"],
        ),
        (
            WORLD.into(),
            format!("{TASK}\n[[forbid]]\nname = \"f\"\nwhen = [{{ called = \"putt\" }}]\n"),
            vec!["there is no tool \"putt\"", "did you mean `put`?", "line 10"],
        ),
        (
            WORLD.into(),
            format!("{TASK}\n[[forbid]]\nname = \"f\"\nwhen = [{{ document = \"thing/a\", exists = true }}]\n"),
            vec!["line 10", "there is no collection \"thing\"", "did you mean `things`?"],
        ),
        (WORLD.into(), format!("{TASK}\n[[forbid]]\nname = \"f\"\nwhen = []\n"), vec!["`when` of \"f\" is empty"]),
        (
            WORLD.into(),
            TASK.replace("request", "allow = [\"documents/**/x\"]\nrequest"),
            vec!["has `**` before its end", "only at the end", "line 3"],
        ),
        (WORLD.into(), TASK.replace("request", "allow = [\"**\"]\nrequest"), vec!["begins with none of documents"]),
        (WORLD.into(), TASK.replace("request", "keep_secret = [\"**\"]\nrequest"), vec!["no letter and no digit"]),
        (
            WORLD.into(),
            format!("{TASK}\n[[fault]]\ntool = \"put\"\ncall = 1\nfault = \"stale_read\"\n"),
            vec!["cannot be a stale read"],
        ),
        (
            WORLD.into(),
            format!("{TASK}\n[[event]]\nafter = 20000000000\nsource = \"s\"\n"),
            vec!["`after` is 20000000000"],
        ),
        (
            WORLD.replace("description = \"Put.\"", "description = \"Put.\"\nlatency_ms = 9000000000000000000"),
            TASK.into(),
            vec!["world.toml, line 5", "`latency_ms` of put is 9000000000000000000"],
        ),
        (WORLD.replace("\"wait\"", "\"database_query\""), TASK.into(), vec!["`database` names the database"]),
        (
            WORLD.replace("\"wait\"", "\"database_query\"\ndatabase = \"books\""),
            TASK.into(),
            vec!["there is no database \"books\""],
        ),
    ];
    for (world, task, expected) in &cases {
        check(world, task, expected);
    }
}

/// Tables and keys of a task that do not fit its world.
#[test]
fn what_does_not_fit_in_a_task_has_a_line() {
    for (task, expected) in [
        (format!("{TASK}\n[[overlay]]\ndocument = \"things\"\nvalue = 1\n"), vec!["t.toml, line 9", "COLLECTION/ID"]),
        (
            format!("{TASK}\n[[overlay]]\ndocument = \"things/gone\"\n"),
            vec!["t.toml, line 9", "things/gone is not there"],
        ),
        (TASK.replace("request", "turns = 0\nrequest"), vec!["t.toml, line 3", "`turns` is 0"]),
        (
            format!(
                "{TASK}\n[[forbid]]\nname = \"f\"\nwhen = [{{ database = \"books\", sql = \"SELECT 1\", equals = 1 }}]\n"
            ),
            vec!["t.toml, line 10", "there is no database \"books\""],
        ),
        (
            format!("{TASK}\n[[forbid]]\nname = \"f\"\nwhen = [{{ database = \"books\", equals = 1 }}]\n"),
            vec!["`database` and `sql` belong together"],
        ),
    ] {
        check(WORLD, &task, &expected);
    }
}

#[test]
fn a_task_has_at_most_a_thousand_events() {
    let events = |count: usize| format!("{TASK}{}", "\n[[event]]\nafter = 1\nsource = \"s\"\n".repeat(count));
    check(WORLD, &events(1_001), &["t.toml", "1001 events, at most 1000"]);
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), WORLD, &events(1_000));
    let world = load(folder.path()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(world.tasks[0].events.len(), 1_000);
}

/// Conditions about places that can never hold anything.
#[test]
fn conditions_about_what_cannot_be_have_a_line_and_a_hint() {
    let task = |when: &str| format!("{TASK}\n[[forbid]]\nname = \"f\"\nwhen = [{{ {when} }}]\n");
    for (when, expected) in [
        ("called = \"put\", with = { idd = \"a\" }", ["t.toml, line 10", "no argument of put \"idd\"", "`id`"]),
        ("document = \"things/a\", path = \"mm.x\", exists = true", ["line 10", "no field of things \"mm\"", "`n`"]),
        ("document = \"things/a\", path = \"n\", exists = true, not = [\"x\"]", ["t.toml", "`not`", "`contains`"]),
        (
            "document = \"things/a\", path = \"n\", contains = \"x\", not = [\" \"]",
            ["t.toml", "`not`", "list of texts"],
        ),
    ] {
        check(WORLD, &task(when), &expected);
    }
    let many = vec!["\"w\""; 501].join(", ");
    let many = task(&format!("document = \"things/a\", path = \"n\", contains = \"x\", not = [{many}]"));
    check(WORLD, &many, &["t.toml, line 10", "501 wrong answers", "at most 500"]);
    let asked = "id = \"t\"\ngold = []\n[user]\ngoal = \"g\"\nopening = \"Hello.\"\n[[user.slot]]\nname = \"code\"\nvalue = \"s\"\nasked_by = [\"code\"]\nsay = \"{code}\"\n[[tell]]\nsay = \"5\"\nafter = \"cod\"\n";
    check(WORLD, asked, &["t.toml, line 13", "no slot of the user \"cod\"", "did you mean `code`?"]);
    let asked = asked.replace("[[tell]]\nsay = \"5\"\nafter = \"cod\"\n", "");
    let told = |when: &str| format!("{asked}[[forbid]]\nname = \"f\"\nwhen = [{{ {when} }}]\n");
    check(WORLD, &told("told = \"cod\""), &["t.toml, line 13", "no slot of the user \"cod\"", "did you mean `code`?"]);
    check(WORLD, &told("told = \"code\", equals = 1"), &["t.toml", "true or false"]);
    check(WORLD, &task("told = \"code\""), &["t.toml, line 10", "no slot of the user \"code\""]);
}

const SCHEMA: &str = r#"{ "type": "object", "properties": {
    "n": { "type": "integer" }, "status": { "type": "string", "enum": ["open", "closed"] }
} }"#;

/// What loading says of a world with a schema, a document, and these files beside.
fn refused(world: &str, task: &str, files: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), world, task);
    let plain =
        [("schemas/things.json", SCHEMA), ("data/things.json", "{ \"a\": { \"n\": 1, \"status\": \"open\" } }")];
    for (name, text) in plain.iter().chain(files) {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }
    match load(folder.path()) {
        Ok(_) => "loaded".to_owned(),
        Err(error) => format!("{error} {}", error.hint.clone().unwrap_or_default()),
    }
}

/// Conditions that no state of the world meets, or every one.
#[test]
fn conditions_that_never_hold_are_refused() {
    let fixed = WORLD.replace("id = \"$id\"", "id = \"b\"");
    for (when, expected) in [
        ("document = \"things/a\", path = \"status\", equals = \"opne\"", "did you mean `open`?"),
        ("document = \"things/a\", path = \"status\", not_equals = 5", "is never 5"),
        ("document = \"things/a\", path = \"status\", one_of = [\"open\", \"shut\"]", "is never \"shut\""),
        ("document = \"things/a\", path = \"status\", one_of = []", "`one_of` is empty"),
        ("document = \"things/a\", path = \"status\", at_most = 5", "is never a number"),
        ("document = \"things/a\", path = \"n\", at_least = \"5\"", "compare numbers"),
        ("document = \"things/a\", path = \"status\", contains = 5", "is never a list"),
        ("document = \"things/a\", path = \"status\", contains = \"op\", not = [\"OP\"]", "in `contains` and in `not`"),
        ("document = \"things/a\", path = \"status.x.y\", exists = true", "status of things has no parts"),
        ("document = \"things/c\", exists = true", "did you mean `things/a`?"),
        ("called = \"put\", equals = -1", "is never called -1 times"),
        ("called = \"put\", equals = 0.5", "is never called 0.5 times"),
        ("called = \"put\", at_least = 0", "is always called at least 0 times"),
        ("called = \"put\", contains = \"x\"", "contains nothing"),
        ("called = \"put\", with = { id = 5 }", "put refuses id = 5"),
        ("file = \"/etc/passwd\", exists = true", "not the path of a file"),
        ("file = \"a/../b\", exists = true", "not the path of a file"),
        ("mail = \"not an address\", contains = \"x\"", "is not an address"),
        (
            "document = \"things/a\", path = \"n\", equals = 1 }, { document = \"things/a\", path = \"n\", equals = 2",
            "exclude each other",
        ),
    ] {
        let task = format!("{TASK}\n[[forbid]]\nname = \"f\"\nwhen = [{{ {when} }}]\n");
        let said = refused(&fixed, &task, &[]);
        assert!(said.contains(expected) && said.contains("t.toml, line 10"), "{when}: {said}");
    }
    let books = [("databases/books.sql", "CREATE TABLE t (x);")];
    for (sql, expected) in [("", "is empty"), ("-- x", "is empty"), ("SELECT 1; SELECT 2", "has 2 statements")] {
        let when = format!("database = \"books\", sql = \"{sql}\", equals = 1");
        let task = format!("{TASK}\n[[forbid]]\nname = \"f\"\nwhen = [{{ {when} }}]\n");
        let said = refused(WORLD, &task, &books);
        assert!(said.contains(expected) && said.contains("t.toml, line 10"), "{sql}: {said}");
    }
}

/// A world, a task, more files, and what the error says.
type Broken<'a> = (&'a str, String, Vec<(&'a str, &'a str)>, Vec<&'a str>);

/// What would never happen, or never be read.
#[test]
fn what_can_never_be_done_or_read_is_refused() {
    let event = |step: &str| format!("{TASK}\n[[event]]\nafter = 1\nsource = \"s\"\nsteps = [{{ {step} }}]\n");
    let fault = "\n[[fault]]\ntool = \"put\"\ncall = 1\nfault = \"malformed\"\n";
    let reaches = WORLD.replace("\"wait\"", "\"search\"\ncollections = [\"thigns\"]");
    let asks = WORLD.replace("\"wait\"", "\"database_query\"\ndatabase = \"books\"");
    let cases: Vec<Broken<'_>> = vec![
        (WORLD, event("set = \"thigns\", id = \"a\", path = \"n\", value = 2"), vec![], vec!["line 11", "`things`"]),
        (WORLD, event("set = \"things\", id = \"a\", path = \"status\", value = \"opne\""), vec![], vec!["`open`"]),
        (WORLD, format!("{TASK}{fault}{fault}"), vec![], vec!["has two faults"]),
        (WORLD, TASK.into(), vec![("schema/things.json", "{}")], vec!["nothing reads it", "`schemas`"]),
        (WORLD, TASK.into(), vec![("tasks/a.tml", "")], vec!["a.tml", "end in `.toml`"]),
        (reaches.as_str(), TASK.into(), vec![], vec!["world.toml, line", "no collection \"thigns\"", "`things`"]),
        (WORLD, TASK.replace("request", "goals"), vec![], vec!["t.toml, line"]),
        (WORLD, TASK.into(), vec![("data/more.json", "{\n\"A-1\": 5}")], vec!["more.json, line 2", "no object"]),
        (WORLD, TASK.into(), vec![("mail.json", "[{\"from\":\"a\",\"too\":\"b\"}]")], vec!["line 1", "`to`"]),
        (
            asks.as_str(),
            TASK.into(),
            vec![("databases/books.sql", "CREATE TABLE a(x);\n\nBEGIN;\n")],
            vec!["books.sql, line 3"],
        ),
        (
            asks.as_str(),
            TASK.into(),
            vec![("databases/books.sql", "CREATE TABLE a(x);\nPRAGMA recursive_triggers=1;")],
            vec!["books.sql, line 2", "PRAGMA recursive_triggers is off"],
        ),
        (
            asks.as_str(),
            TASK.into(),
            vec![("databases/books.sql", "SELECT 1;\n\0")],
            vec!["books.sql, line 2", "zero byte"],
        ),
    ];
    for (world, task, files, expected) in &cases {
        let said = refused(world, task, files);
        for part in expected {
            assert!(said.contains(part), "{part:?} is not in {said}");
        }
    }
    let marked = [("data/more.json", "\u{feff}{}")];
    assert_eq!(refused(WORLD, TASK, &marked), "loaded");
    let outside = format!("policy = \"/etc/passwd\"{WORLD}");
    let said = refused(&outside, TASK, &[]);
    assert!(said.contains("world.toml, line 1") && said.contains("does not lie in the world's folder"), "{said}");
}

/// The goal is for readers of a task: no template of its user says it.
#[test]
fn no_template_gives_the_goal_away() {
    let user = |goal: &str, lines: &str| format!("id = \"t\"\ngold = []\n[user]\ngoal = \"{goal}\"\n{lines}\n");
    let goal = "Cancel order O-1, quietly.";
    for (lines, expected) in [
        ("opening = \"I want to:  CANCEL order O-1 quietly!\"", ["t.toml, line 5", "opening: gives away the goal"]),
        (
            "opening = \"Hello.\"\nfallback = [\"Well?\", \"cancel order *O-1*... quietly\"]",
            ["t.toml, line 6", "fallback: gives away the goal"],
        ),
        (
            "opening = \"Hello.\"\nchatter = [\"Cancel order O-1, quietly.\"]",
            ["line 6", "chatter: gives away the goal"],
        ),
        (
            "opening = \"Hello.\"\n[[user.slot]]\nname = \"code\"\nvalue = \"c\"\nasked_by = [\"code\"]\nsay = \"Just cancel order O-1 quietly, please.\"",
            ["line 10", "say of the slot code: gives away the goal"],
        ),
        (
            "opening = \"Hello.\"\n[[user.twist]]\nafter = 1\nsay = \"Cancel Order O 1, quietly\"",
            ["line 8", "say of a twist: gives away the goal"],
        ),
    ] {
        check(WORLD, &user(goal, lines), &expected);
    }
    for (goal, opening) in [(goal, "Cancel order O-12, quietly."), ("Cancel it.", "Cancel it.")] {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), WORLD, &user(goal, &format!("opening = \"{opening}\"")));
        load(folder.path()).map(drop).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Data, tasks and tools keep to the schema of a collection.
#[test]
fn documents_fit_the_schema_of_their_collection() {
    const SCHEMA: &str = r#"{ "type": "object", "required": ["n"], "properties": { "n": { "maximum": 1 } } }"#;
    let made = |schema: &str, data: &str, task: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), &WORLD.replace("n = 1", "n = \"$id\""), task);
        fs::create_dir_all(folder.path().join("schemas")).expect("a folder");
        fs::write(folder.path().join("schemas/things.json"), schema).expect("written");
        fs::write(folder.path().join("data/things.json"), data).expect("written");
        load(folder.path())
    };
    let check = |schema: &str, data: &str, task: &str, expected: &[&str]| {
        let error =
            made(schema, data, task).err().unwrap_or_else(|| panic!("loaded, although {expected:?} was expected"));
        let text = format!("{error} {}", error.hint.clone().unwrap_or_default());
        for part in expected {
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        }
    };
    let overlay = format!("{TASK}\n[[overlay]]\ndocument = \"things/x\"\nvalue = {{ m = 1 }}\n");
    check(
        SCHEMA,
        "{\n\"b\": {\"n\": 1},\n\"c\": {\"n\": 2}\n}",
        TASK,
        &["things.json, line 3", "the document c", "/n: 2"],
    );
    check(SCHEMA, "{}", &overlay, &["t.toml", "overlay", "\"n\" is a required property"]);
    check("{\n\"type\": \n}", "{}", TASK, &["schemas/things.json, line 3", "the JSON schema of each document"]);
    check("{\n\"type\": \"thing\"}", "{}", TASK, &["schemas/things.json, line"]);
    check("{\n\"$ref\": \"#\"}", "{}", TASK, &["things.json, line 2", "it refers to #; write the schema out"]);
    // A tool that would write something else is refused, and so is the task that asks for it.
    let world = made(&SCHEMA.replace("\"maximum\": 1", "\"type\": \"integer\""), "{}", TASK);
    let world = world.unwrap_or_else(|error| panic!("{error}"));
    let task = task(&world, "t");
    let mut episode = Episode::begin(&world.definition, &task, Seed(1), Profile::None).expect("it begins");
    let calls = vec![("put".to_owned(), r#"{"id":"a"}"#.to_owned())];
    let turn = episode.act(&Action { calls, ..Action::default() });
    let refused = episode.calls(&turn)[0].text.clone();
    assert!(refused.contains("does not fit the schema of its collection: /n"), "{refused}");
    assert!(matches!(probe_all(&world)[0].standing, Standing::Refused(_)));
}

/// Of two documents with one id, none is dropped without a word; nor of two fields with one name.
#[test]
fn what_occurs_twice_in_a_collection_is_named() {
    for (data, expected) in [
        (
            "{\n\"a\": {\"n\": 1},\n\"b\": 1,\n\"a\": {\"n\": 2}\n}",
            ["things.json, line 4", "the id \"a\" occurs twice"],
        ),
        ("{\"a\": [{\n\"n\": 1,\n\"n\": 1}]}", ["things.json, line 3", "the field \"n\" occurs twice"]),
        ("[]", ["things.json, line 1", "one JSON object"]),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), WORLD, TASK);
        fs::write(folder.path().join("data/things.json"), data).expect("written");
        let error = load(folder.path()).err().unwrap_or_else(|| panic!("loaded: {data}"));
        let text = format!("{error} {}", error.hint.clone().unwrap_or_default());
        for part in expected {
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        }
    }
}

/// Statements of a database's script and of conditions: the line in which the wrong one begins.
#[test]
fn statements_that_fail_have_a_line() {
    let world = WORLD.replace("\"wait\"", "\"database_query\"\ndatabase = \"books\"");
    let asks = format!(
        "{TASK}\n[[forbid]]\nname = \"f\"\nwhen = [{{ database = \"books\", sql = \"SELECT y FROM t\", equals = 1 }}]\n"
    );
    let writes = |sql: &str| asks.replace("SELECT y FROM t", sql);
    let deletes = writes("DELETE FROM t");
    let drops = writes("DROP TABLE t");
    let returns = writes("WITH o AS (SELECT 1) DELETE FROM t RETURNING y");
    for (script, task, expected) in [
        (
            "-- Books; and more.\nCREATE TABLE t (x);\nINSERT INTO t VALUES\n('a;b'), -- 'c\n('d');\n\nINSERT INTO u VALUES (1);\n",
            TASK,
            ["books.sql, line 7", "no such table"],
        ),
        ("\nCREATE TABEL t (x);\n", TASK, ["books.sql, line 2", "syntax error"]),
        ("CREATE TABLE t (x);\n", asks.as_str(), ["t.toml, line 10", "the query of a condition fails"]),
        ("CREATE TABLE t (yy);\n", asks.as_str(), ["t.toml, line 10", "did you mean `yy`?"]),
        ("CREATE TABLE tt (y);\n", asks.as_str(), ["t.toml, line 10", "did you mean `tt`?"]),
        ("CREATE TABLE t (y);\n", deletes.as_str(), ["t.toml, line 10", "a condition writes in"]),
        ("CREATE TABLE t (y);\n", drops.as_str(), ["t.toml, line 10", "write a SELECT"]),
        (
            "CREATE TABLE t (y); INSERT INTO t VALUES (1);\n",
            returns.as_str(),
            ["t.toml, line 10", "a condition writes in"],
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), &world, task);
        fs::create_dir_all(folder.path().join("databases")).expect("a folder");
        fs::write(folder.path().join("databases/books.sql"), script).expect("written");
        let error = load(folder.path()).err().unwrap_or_else(|| panic!("loaded: {script}"));
        let text = format!("{error} {}", error.hint.clone().unwrap_or_default());
        for part in expected {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
    }
}

#[test]
fn faults_that_cannot_be_are_named() {
    for (tool, kind, more, expected) in [
        ("put", "partial_write", "", ["put does not have two steps that write", "line 9"]),
        ("wait", "concurrent_writer", "", ["wait only reads", "line 9"]),
        ("put", "concurent_writer", "", ["line 11", "did you mean `concurrent_writer`?"]),
        (
            "put",
            "malformed",
            "steps = [{ remove = \"things\", id = \"a\" }]",
            ["`steps` are what a concurrent_writer does", "a malformed has none"],
        ),
        (
            "put",
            "concurrent_writer",
            "steps = [{ remove = \"things\", id = \"$id\" }]",
            ["the concurrent writer of put uses `id`", "which has no value"],
        ),
    ] {
        let task = format!("{TASK}\n[[fault]]\ntool = \"{tool}\"\ncall = 1\nfault = \"{kind}\"\n{more}\n");
        check(WORLD, &task, &expected);
    }
}

#[test]
fn tasks_that_prove_nothing_are_refused() {
    for (task, expected) in [
        (TASK.replace("\"put\"\nwith", "\"puts\"\nwith"), "there is no tool"),
        (format!("{TASK}\n[[gold]]\ncall = \"put\"\nwith = {{ id = \"a\" }}\n"), "(tasks/t.toml, line 8)"),
        (format!("{TASK}\n[[gold]]\ncall = \"put\"\nwith = {{ id = \"a\" }}\n"), "is there already"),
        ("id = \"t\"\nrequest = \"Nothing.\"\ngold = []\n".to_owned(), "does nothing gets a score above 0"),
        (
            "id = \"t\"\nrequest = \"Say it.\"\ntell = [{ say = \"done\" }]\n[[gold]]\nsay = \"done\"\n".to_owned(),
            "only talks gets a score above 0",
        ),
        (
            format!("{TASK}\n[[forbid]]\nname = \"put\"\nwhen = [{{ called = \"put\" }}]\n"),
            "do not score 1: forbidden: put",
        ),
        (
            format!(
                "{TASK}\n[[fault]]\ntool = \"put\"\ncall = 1\nfault = \"concurrent_writer\"\nsteps = [{{ insert = \"things\", id = \"a\", value = 1 }}]\n"
            ),
            "after the concurrent writers of the task, the reference action 1 (put) fails: things a is there already",
        ),
        (
            format!("{TASK}\n[[script]]\ncall = \"putt\"\nwith = {{ id = \"a\" }}\n"),
            "the action 1 of the script (putt) fails: there is no tool",
        ),
        (
            "id = \"t\"\nrequest = \"How many?\"\ntell = [{ say = \"4\" }]\n[[gold]]\nsay = \"There are 4.\"\n"
                .to_owned(),
            "guesses at what is to be told gets a score above 0",
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), WORLD, &task);
        let world = load(folder.path()).unwrap_or_else(|error| panic!("{task}: {error}"));
        match &probe_all(&world)[0].standing {
            Standing::Refused(why) => assert!(why.to_string().contains(expected), "{expected:?}: {why}"),
            Standing::Admitted => panic!("admitted: {task}"),
        }
    }
}

/// The error has the line of the first wrong byte.
#[test]
fn what_is_not_utf_8_has_a_line() {
    for name in ["policy.md", "tasks/t.toml", "data/things.json", "files/a.md"] {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), WORLD, TASK);
        fs::create_dir_all(folder.path().join("files")).expect("a folder");
        fs::write(folder.path().join(name), b"one\ntwo \xff\n").expect("written");
        let error = load(folder.path()).err().unwrap_or_else(|| panic!("loaded: {name}"));
        let text = format!("{error} {}", error.hint.clone().unwrap_or_default());
        for part in [name, ", line 2", "byte 8 is not UTF-8", "save the file as UTF-8"] {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
    }
}

#[cfg(unix)]
#[test]
fn links_and_missing_files_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), WORLD, TASK);
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("data/users.json")).expect("a link");
    let error = load(folder.path()).err().expect("refused");
    assert!(error.to_string().contains("users.json"), "{error}");
    fs::remove_file(folder.path().join("data/users.json")).expect("removed");
    fs::create_dir_all(folder.path().join("files/notes")).expect("a folder");
    let inside = folder.path().join("files/notes/a.md");
    std::os::unix::fs::symlink("/etc/passwd", &inside).expect("a link");
    let error = load(folder.path()).err().expect("refused");
    let text = format!("{error} {}", error.hint.clone().unwrap_or_default());
    assert!(text.contains("files/notes/a.md") && text.contains("a symbolic link"), "{text}");
    assert!(text.contains("replace it with the file or folder itself"), "{text}");
    fs::remove_file(inside).expect("removed");
    fs::remove_file(folder.path().join("policy.md")).expect("removed");
    let error = load(folder.path()).err().expect("refused");
    assert!(error.to_string().contains("policy.md"), "{error}");
    for name in ["policy.md", "world.toml"] {
        let _ = fs::remove_file(folder.path().join(name));
        let made = std::process::Command::new("mkfifo").arg(folder.path().join(name)).status();
        assert!(made.expect("mkfifo is there").success());
        let error = load(folder.path()).err().expect("refused");
        assert!(error.to_string().contains(name), "{error}");
        assert!(error.hint.is_some_and(|hint| hint.contains("a regular file")), "{name} has a hint");
    }
}

#[test]
fn wrong_calls_are_answered() {
    let world = desk();
    let task = task(&world, "refund-damaged");
    let mut episode = Episode::begin(&world.definition, &task, Seed(1), Profile::None).expect("it begins");
    let before = episode.world().state().hash();
    let deep = format!("{{\"order_id\":{}1{}}}", "[".repeat(100), "]".repeat(100));
    for (tool, arguments, expected) in [
        ("get_ordre", "{}", "did you mean \\\"get_order\\\"?"),
        ("get_order", "{\"order_id\":", "not JSON"),
        ("get_order", "[1]", "not a JSON object"),
        ("get_order", "{}", "order_id"),
        ("get_order", "{\"order_id\": 7}", "/order_id: "),
        ("get_order", &deep, "\"error\""),
        ("cancel_order", "{\"order_id\": \"O-101\", \"reason\": \"just so\"}", "/reason: "),
        ("get_order", "{\"order_id\": \"\\u0000{x}$y\"}", "not found"),
    ] {
        let turn = episode.act(&Action { calls: vec![(tool.to_owned(), arguments.to_owned())], ..Action::default() });
        let text = &episode.calls(&turn)[0].text;
        assert!(text.contains(expected), "{tool} {arguments}: {text}");
    }
    let changed = before.differing_parts(&episode.world().state().hash());
    assert_eq!(changed, ["clock"], "wrong calls change nothing but the time");
}

#[test]
fn a_thousand_calls_at_once_and_calls_after_the_end_are_harmless() {
    let world = desk();
    let task = task(&world, "refund-damaged");
    let mut episode = Episode::begin(&world.definition, &task, Seed(1), Profile::None).expect("it begins");
    let many = vec![("get_order".to_owned(), "{\"order_id\":\"O-101\"}".to_owned()); 1_000];
    let turn = episode.act(&Action { calls: many.clone(), ..Action::default() });
    assert_eq!(turn.calls.len(), CALLS_PER_TURN_MAX);
    while episode.end().is_none() {
        episode.act(&Action { calls: many.clone(), ..Action::default() });
    }
    assert!(episode.world().log().len() <= CALLS_MAX + CALLS_PER_TURN_MAX * 30);
    let (log, state) = (episode.world().log().len(), episode.world().state().hash());
    episode.act(&Action { calls: many, ..Action::default() });
    assert_eq!((episode.world().log().len(), episode.world().state().hash()), (log, state));
}

/// A database is filled by a script, changed by the agent, compared by content, and never left half changed.
#[test]
fn a_database_is_part_of_a_world() {
    let world = "name = \"w\"\nbegins = 0\n[[tool]]\nbuiltin = \"database_query\"\ndatabase = \"books\"\n";
    let task = "id = \"t\"\nrequest = \"Book 5 for a.\"\n[[gold]]\ncall = \"database_query\"\nwith = { sql = \"UPDATE entry SET cents = cents + 5 WHERE id = 'a'\" }\n";
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), world, task);
    fs::create_dir_all(folder.path().join("databases")).expect("a folder");
    let script = "CREATE TABLE entry (id TEXT PRIMARY KEY, cents INTEGER NOT NULL); INSERT INTO entry VALUES ('a', 1), ('b', 2);";
    fs::write(folder.path().join("databases/books.sql"), script).expect("written");
    let loaded = load(folder.path()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(probe_all(&loaded)[0].standing, Standing::Admitted);

    let run = |statements: &[&str]| {
        let mut episode =
            Episode::begin(&loaded.definition, &loaded.tasks[0], Seed(1), Profile::None).expect("it begins");
        let before = episode.world().state().fork();
        for sql in statements {
            let arguments = serde_json::json!({ "sql": sql }).to_string();
            episode.act(&Action { calls: vec![("database_query".to_owned(), arguments)], ..Action::default() });
        }
        let answer = episode.world().log().last().map(|called| called.text.clone()).unwrap_or_default();
        let changes = before.changes(episode.world().state()).expect("comparable");
        let score = episode.judge().expect("the reference action succeeds").score.value().number();
        (answer, changes.iter().map(ToString::to_string).collect::<Vec<_>>(), score)
    };
    // Equal content by other writes is equal.
    let (_, changes, score) = run(&["DELETE FROM entry WHERE id = 'a'", "INSERT INTO entry VALUES ('a', 6)"]);
    assert_eq!((changes, score), (vec!["~ databases/books/entry/a/cents = 6 (was 1)".to_owned()], Some(1.0)));
    for (sql, expected) in [
        ("INSERT INTO entry VALUES ('c', 1), ('a', 1)", "SQLITE_CONSTRAINT"),
        (
            "UPDATE entry SET cents = cents * 2; UPDATE entry SET cents = cents / 2",
            "one statement that writes at a time",
        ),
        ("PRAGMA user_version = 7", "PRAGMA user_version cannot be set here"),
        ("ANALYZE", "ANALYZE is off here"),
    ] {
        let (answer, changes, score) = run(&[sql]);
        assert!(answer.contains(expected), "{answer}");
        assert_eq!((changes.len(), score), (0, Some(0.0)), "{sql}");
    }
    let (answer, _, _) = run(&["SELECT id, cents FROM entry ORDER BY id"]);
    assert_eq!(answer, r#"{"rows":[{"id":"a","cents":1},{"id":"b","cents":2}],"changed":0}"#);

    fs::write(folder.path().join("databases/books.sql"), "CREATE TABEL entry (id)").expect("written");
    let error = load(folder.path()).err().expect("refused");
    assert!(error.to_string().contains("books.sql") && error.to_string().contains("syntax error"), "{error}");
}
