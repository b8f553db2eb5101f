//! Ctrl-C, or a polite kill, in the middle of a run: what was finished is kept, and the report says that it is partial.

use assay_tests::{assay, root};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};

#[test]
fn an_interruption_keeps_what_was_finished() {
    for signal in ["-INT", "-TERM"] {
        interrupt(signal);
    }
}

fn interrupt(signal: &str) {
    const SEEDS: usize = 5_000;
    let folder = tempfile::tempdir().expect("a temporary folder");
    assert!(assay(folder.path()).args(["new", "s"]).status().expect("assay starts").success());
    let mut child = assay(folder.path())
        .args(["run", "s.rs", "--scenario", "smoke", "--threads", "1", "--seeds", &SEEDS.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("assay starts");

    // Not a terminal, so each finished seed is a line: interrupt after the second, whenever that is.
    let mut lines = BufReader::new(child.stderr.take().expect("stderr is piped"));
    let mut seen = String::new();
    while !seen.contains("seed 2 ") {
        assert!(
            lines.read_line(&mut seen).expect("stderr is text") > 0,
            "the run ended before its second seed:\n{seen}"
        );
    }
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill starts");
    assert!(status.success());
    lines.read_to_string(&mut seen).expect("stderr is text");
    let status = child.wait().expect("assay ends");

    assert_eq!(status.code(), Some(130), "{seen}");
    assert!(seen.contains("interrupted"), "it says what happened:\n{seen}");
    let record: Value = serde_json::from_slice(
        &std::fs::read(folder.path().join("report/run.json")).expect("a partial record is kept"),
    )
    .expect("run.json is JSON");
    let finished = record["episodes"].as_array().map_or(0, Vec::len);
    assert_eq!(record["complete"], false);
    assert!((2..SEEDS).contains(&finished), "{finished} seeds were kept");
    let page = std::fs::read_to_string(folder.path().join("report/index.html")).expect("a partial page is kept");
    assert!(page.to_lowercase().contains("interrupted"), "the page says that it is partial");
}

/// Starts a command on one task with an engine that listens and never answers, and sends it a signal once it has asked. What it says until it ends.
fn interrupted(words: &[&str], signal: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let socket = folder.path().join("engine.sock");
    let engine = UnixListener::bind(&socket).expect("a socket");
    let mut child = assay(folder.path())
        .args(words)
        .args(["--docker-url", &format!("unix://{}", socket.display())])
        .arg(root().join("examples/bugs/stash"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("assay starts");
    let _connection = engine.accept().expect("it asks the engine");
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill starts");
    assert!(status.success());
    let mut seen = String::new();
    child.stderr.take().expect("stderr is piped").read_to_string(&mut seen).expect("stderr is text");
    assert_eq!(child.wait().expect("assay ends").code(), Some(130), "{seen}");
    seen
}

#[test]
fn an_interrupted_verification_shows_what_it_knows() {
    let seen = interrupted(&["tasks", "verify"], "-INT");
    assert!(seen.contains("interrupted: 0 of 1 tasks were checked"), "{seen}");
}

/// A run ends when it is asked to, whatever it waits for before its first episode: its interpreter, or the image of a task.
#[test]
fn an_interrupted_run_does_not_wait_for_its_engine() {
    let seen = interrupted(&["rollout", "run", "--model", "scripted", "--out", "out", "--no-store"], "-TERM");
    assert!(seen.contains("interrupted: 0 of 1 episodes are finished"), "{seen}");
    // Its last resort.
    assert!(!seen.contains("did not stop in time"), "{seen}");
}
