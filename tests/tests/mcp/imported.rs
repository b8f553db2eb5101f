//! Published benchmarks that are served: each world's tools over the protocol, and a task of each that an agent does at the other end. They are imported
//! from the packages of `tests/benchmarks/requirements.txt`; without those the test says that it was skipped.

use super::{Served, interpreter, python, texts};
use assay_tests::{assay, root, show};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The words of a benchmark's import, the world's name, the task that is done, and a call for the official client.
type Benchmark = (&'static [&'static str], &'static str, &'static str, (&'static str, &'static str));

const WORLDS: [Benchmark; 3] = [
    (&["tau2", "--domain", "retail"], "tau2-retail", "1", ("list_all_product_types", "{}")),
    (&["bfcl"], "bfcl", "multi_turn_miss_func_0", ("pwd", "{}")),
    (&["agentdojo", "--suite", "banking"], "agentdojo-banking", "user_task_0", ("get_balance", "{}")),
];
/// Sessions of the official client, one for each revision and one that falls back; and that of the agent.
const SESSIONS: &str = "6";

/// The folder that the packages are installed in.
fn site() -> Option<PathBuf> {
    let python = interpreter("tests/benchmarks/requirements.txt");
    let library = python.parent()?.parent()?.join("lib");
    let version = std::fs::read_dir(&library).ok().and_then(|mut entries| entries.next()?.ok());
    let site = version.map(|version| version.path().join("site-packages")).filter(|site| site.join("tau2").is_dir());
    if site.is_none() {
        let words = "skipped: tests against published benchmarks; `make setup-python` installs them\n";
        let _ = std::io::stderr().write_all(words.as_bytes());
    }
    site
}

fn import(folder: &Path, words: &[&str], site: &Path, name: &str) {
    let (benchmark, rest) = words.split_first().expect("a benchmark");
    let output = assay(folder)
        .args(["worlds", "import", benchmark])
        .arg(site)
        .args(rest)
        .args(["--out", name])
        .output()
        .expect("assay starts");
    assert!(output.status.success(), "{}", show(&output));
}

/// What the reference actions of a task do, turn by turn: calls, and what is said.
fn deeds(folder: &Path, world: &str, task: &str) -> Vec<Vec<toml::Value>> {
    let tasks = std::fs::read_dir(folder.join(world).join("tasks")).expect("there are tasks");
    let tables = tasks.map(|entry| {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a task");
        text.parse::<toml::Table>().expect("TOML")
    });
    let table = tables.into_iter().find(|table| table["id"].as_str() == Some(task)).expect("the task is there");
    let gold = |table: &toml::Table| table.get("gold").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    match table.get("turn").and_then(toml::Value::as_array) {
        Some(turns) => turns.iter().map(|turn| gold(turn.as_table().expect("a turn"))).collect(),
        None => vec![gold(&table)],
    }
}

/// Does a task by its reference actions; what it is worth, as the operator sees it.
fn play(served: &Served, folder: &Path, world: &str, task: &str) -> Value {
    let (session, begun) = served.open(world, "2025-11-25");
    assert!(begun["instructions"].as_str().is_some_and(|text| !text.is_empty()), "{begun}");
    let turns = deeds(folder, world, task);
    let mut last = String::new();
    for (number, turn) in turns.iter().enumerate() {
        for deed in turn {
            if let Some(text) = deed.get("say").and_then(toml::Value::as_str) {
                last = text.to_owned();
                continue;
            }
            let tool = deed["call"].as_str().expect("a call");
            assert!(served.tools(world, &session).iter().any(|name| name == tool), "{world}: {tool} is not offered");
            let with = deed.get("with").cloned().unwrap_or_else(|| toml::Table::new().into());
            let answer = served.call(world, &session, tool, &serde_json::to_value(with).expect("JSON"));
            assert_eq!(answer["result"]["isError"], false, "{world}: {deed}: {answer}");
        }
        if number + 1 < turns.len() {
            // A message ends a turn of a conversation that is written out.
            served.call(world, &session, "message_user", &json!({ "text": "That is done." }));
        }
    }
    served.call(world, &session, "finish_task", &json!({ "message": last }));
    let (_, _, status) = served.control_of(world, "");
    let sessions = status["sessions"].as_array().expect("a list");
    sessions.iter().find(|one| one["session"] == session.as_str()).expect("ours").clone()
}

#[test]
fn published_benchmarks_are_served() {
    let Some(site) = site() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut arguments = vec!["--samples", SESSIONS, "--out", "runs"];
    for (words, name, task, _) in WORLDS {
        import(folder.path(), words, &site, name);
        arguments.extend([name, "--task", task]);
    }
    let served = Served::begin_in(folder, &arguments);

    let mut client = Command::new(python());
    client.arg(root().join("tests/mcp/client.py")).arg(&served.agent);
    for (_, name, _, (tool, call)) in WORLDS {
        client.args([&format!("http://{}/{name}/mcp", served.host), tool, call]);
    }
    let output = client.output().expect("python runs");
    assert!(output.status.success(), "{}", show(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().count(), 5, "{text}");
    for line in text.lines() {
        let seen: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(seen["errors"], json!([false, false, false]), "{seen}");
        for (index, part) in ["Keyboard", "current_working_directory", "1810"].into_iter().enumerate() {
            assert!(seen["answers"][index].to_string().contains(part), "{seen}");
        }
        // What a task holds back is not there yet.
        assert!(!seen["tools"][1].as_array().expect("a list").contains(&json!("sort")), "{seen}");
    }
    for (_, name, task, _) in WORLDS {
        let status = play(&served, served.folder.path(), name, task);
        assert_eq!(status["reward"], json!(1.0), "{name}: {status}");
    }
}

/// A tool that a conversation hands out later is announced when it comes, and listed from then on.
#[test]
fn tools_that_come_later_are_announced() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join("w").join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    let tool = |name: &str| format!("[[tool]]\nbuiltin = \"{name}\"\nname = \"{name}\"\n");
    write(
        "world.toml",
        &format!("name = \"w\"\nbegins = 1_700_000_000\n{}{}", tool("files_list"), tool("files_write")),
    );
    write("policy.md", "Do it.");
    write("files/readme.txt", "hello");
    let turns = "[[turn]]\nsay = \"Look.\"\n[[turn.gold]]\ncall = \"files_list\"\n[[turn]]\nsay = \"Write.\"\ntools = [\"files_write\"]\n[[turn.gold]]\ncall = \"files_write\"\nwith = { path = \"a\", text = \"b\" }\n";
    write("tasks/t.toml", &format!("id = \"t\"\ngold = []\ntools = [\"files_list\"]\n{turns}"));
    let served = Served::begin_in(folder, &["w", "--out", "runs"]);
    let (session, _) = served.open("w", "2025-11-25");
    assert!(!served.tools("w", &session).contains(&"files_write".to_owned()));
    let early = served.call("w", &session, "files_write", &json!({ "path": "a", "text": "b" }));
    assert_eq!(early["error"]["code"], -32_602, "{early}");
    served.call("w", &session, "files_list", &json!({}));
    let next = served.call("w", &session, "message_user", &json!({ "text": "I see." }));
    assert!(texts(&next).join("\n").contains("more tools now: files_write; list your tools again"), "{next}");
    assert!(served.tools("w", &session).contains(&"files_write".to_owned()));
    served.call("w", &session, "files_write", &json!({ "path": "a", "text": "b" }));
    served.call("w", &session, "finish_task", &json!({}));
    assert_eq!(served.control_of("w", "").2["sessions"][0]["reward"], json!(1.0));
}
