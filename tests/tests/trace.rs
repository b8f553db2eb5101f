//! `assay trace` as a user meets it: on good files, on files that are cut, changed or something else, and into a reader that goes away.

use assay_tests::{assay, root, show};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

/// Two trajectories differ, or one is not whole.
const NO: i32 = 1;
/// Cannot be carried out as given.
const USAGE: i32 = 2;

fn golden(name: &str) -> PathBuf {
    root().join("host/pure/trace/tests/trace/golden").join(name)
}

fn golden_bytes(name: &str) -> Vec<u8> {
    std::fs::read(golden(name)).expect("the trace crate has its test data")
}

/// A folder with good and bad trajectories in it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let good = golden_bytes("example.jsonl");
    let text = String::from_utf8(good.clone()).expect("JSON is UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    let without_line_5: String =
        lines.iter().enumerate().filter(|(at, _)| *at != 4).map(|(_, line)| format!("{line}\n")).collect();
    let files: [(&str, Vec<u8>); 9] = [
        ("good.jsonl", good.clone()),
        ("sub.jsonl", golden_bytes("sub.jsonl")),
        ("cut.jsonl", good[..good.len() - 40].to_vec()),
        ("changed.jsonl", text.replacen("It is off by one.", "It is off by two.", 1).into_bytes()),
        ("removed.jsonl", without_line_5.into_bytes()),
        ("first.jsonl", text.replacen("\"seed\":7", "\"seed\":8", 1).into_bytes()),
        ("empty.jsonl", Vec::new()),
        ("binary.jsonl", (0..=255u8).cycle().take(5_000).collect()),
        ("other.jsonl", b"{\"hello\": \"world\"}\n".to_vec()),
    ];
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).expect("a file can be written");
    }
    folder
}

#[track_caller]
fn trace(folder: &Path, arguments: &[&str], exit: i32) -> Output {
    let output = assay(folder).arg("trace").args(arguments).output().expect("assay starts");
    let printed = show(&output);
    assert_eq!(output.status.code(), Some(exit), "assay trace {arguments:?}\n{printed}");
    assert!(!printed.contains("panicked"), "assay trace {arguments:?}\n{printed}");
    output
}

/// Runs `assay trace` and expects the exit code and every one of `words` in what it prints.
#[track_caller]
fn check(arguments: &[&str], exit: i32, words: &[&str]) {
    let folder = folder();
    let printed = show(&trace(folder.path(), arguments, exit));
    for word in words {
        assert!(printed.contains(word), "assay trace {arguments:?} must say {word:?}\n{printed}");
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

#[test]
fn files_that_are_no_trajectory() {
    for command in [
        &["show", "FILE"][..],
        &["stats", "good.jsonl", "FILE"],
        &["diff", "good.jsonl", "FILE"],
        &["export", "FILE", "--to", "chat"],
    ] {
        for (file, word) in [
            ("absent.jsonl", "no such file"),
            (".", "is a folder"),
            ("empty.jsonl", "no complete line"),
            ("binary.jsonl", "line 1"),
            ("other.jsonl", "does not end with its `_hash`"),
            ("first.jsonl", "line 1"),
        ] {
            let arguments: Vec<&str> = command.iter().map(|word| if *word == "FILE" { file } else { word }).collect();
            check(&arguments, USAGE, &[word, file, "hint"]);
        }
    }
    check(&["diff", "-", "-"], USAGE, &["standard input", "once"]);
}

#[test]
fn verify_says_the_first_bad_line() {
    check(&["verify", "good.jsonl"], 0, &["good.jsonl: intact: ", "last hash"]);
    for (file, words) in [
        ("cut.jsonl", &["ends in the middle of line 21", "bytes are lost", "20 lines before it are intact"][..]),
        ("changed.jsonl", &["line 3: the line's hash does not follow", "2 lines before"]),
        ("removed.jsonl", &["line 5: the line's hash does not follow", "4 lines before"]),
        ("first.jsonl", &["line 1: the line's hash does not follow"]),
        ("empty.jsonl", &["no complete line"]),
        ("binary.jsonl", &["line 1"]),
    ] {
        check(&["verify", file], NO, words);
        check(&["verify", "good.jsonl", file, "sub.jsonl"], NO, &["good.jsonl: intact", file, "sub.jsonl: intact"]);
    }
    check(&["verify", "sub.jsonl"], 0, &["no score, so lines may be missing"]);
    check(&["verify", "absent.jsonl"], USAGE, &["absent.jsonl", "hint"]);
    check(&["verify", "."], USAGE, &["is a folder"]);
}

#[test]
fn show_picks_what_is_asked_for() {
    check(&["show", "good.jsonl"], 0, &["example-1", "[0] system", "[1] assistant", "It is off by one."]);
    check(&["show", "cut.jsonl"], 0, &["warning", "ends in the middle of line 21", "It is off by one."]);
    check(&["show", "changed.jsonl"], 0, &["warning", "line 3", "You repair programs."]);
    let folder = folder();
    let only = stdout(&trace(folder.path(), &["show", "good.jsonl", "--role", "user,system"], 0));
    assert!(only.contains("[0] system") && only.contains("[0] user"), "{only}");
    assert!(!only.contains("assistant") && !only.contains("ran "), "{only}");
    let only = stdout(&trace(folder.path(), &["show", "good.jsonl", "--steps", "1..1"], 0));
    assert!(only.contains("[1]") && !only.contains("[0]") && !only.contains("[2]"), "{only}");
    check(&["show", "good.jsonl", "--steps", "900.."], 0, &["nothing to show"]);
    check(&["show", "good.jsonl", "--steps", "9..3"], USAGE, &["not a valid range of steps", "3..9"]);
    check(&["show", "good.jsonl", "--steps", "x"], USAGE, &["not a valid range of steps", "hint"]);
    check(&["show", "good.jsonl", "--role", "asistant"], USAGE, &["'assistant'"]);
}

#[test]
fn standard_input_is_a_file() {
    let folder = folder();
    for (arguments, word) in [
        (&["show", "-"][..], "example-1"),
        (&["stats", "-"], "outcome"),
        (&["verify", "-"], "standard input: intact"),
        (&["diff", "-", "good.jsonl"], "actions: the same"),
        (&["export", "-", "--to", "chat", "--keep-flagged", "--keep-malformed"], "\"messages\""),
    ] {
        let mut child = assay(folder.path())
            .arg("trace")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("assay starts");
        let mut stdin = child.stdin.take().expect("standard input is piped");
        stdin.write_all(&golden_bytes("example.jsonl")).expect("assay reads");
        drop(stdin);
        let output = child.wait_with_output().expect("assay ends");
        assert!(output.status.success() && stdout(&output).contains(word), "{arguments:?}\n{}", show(&output));
    }
}

#[test]
fn figures_of_one_and_of_many() {
    check(&["stats", "good.jsonl"], 0, &["outcome   success", "tokens", "cost", "step", "model calls"]);
    check(
        &["stats", "good.jsonl", "sub.jsonl"],
        0,
        &["good.jsonl", "sub.jsonl", "2 episodes", "1 success", "no verdict"],
    );
    let folder = folder();
    let output = trace(folder.path(), &["stats", "good.jsonl", "sub.jsonl", "--format", "json"], 0);
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(list[0]["stats"]["outcome"], "success");
    assert_eq!(list[0]["seed"], 7);
    assert_eq!(list[1]["stats"]["outcome"], serde_json::Value::Null);
    // What is not known is not 0.
    assert_eq!(list[1]["stats"]["tokens"]["unknown"], 1);
    check(&["stats", "good.jsonl", "--format", "jsn"], USAGE, &["'json'"]);
}

#[test]
fn differences_have_an_exit_code() {
    check(&["diff", "good.jsonl", "good.jsonl"], 0, &["actions: the same", "states: the same"]);
    check(&["diff", "good.jsonl", "sub.jsonl"], NO, &["actions: part after 0", "left:", "right:"]);
    check(&["diff", "good.jsonl", "cut.jsonl"], NO, &["warning", "no verdict"]);
    let folder = folder();
    let output = trace(folder.path(), &["diff", "good.jsonl", "sub.jsonl", "--format", "json"], NO);
    let diff: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(diff["first_action"]["same_before"], 0);
    check(&["diff", "good.jsonl", "good.jsonl", "--format", "jso"], USAGE, &["'json'"]);
}

#[test]
fn exports_are_those_of_the_crate() {
    let folder = folder();
    let inspect = trace(folder.path(), &["export", "good.jsonl", "sub.jsonl", "--to", "inspect", "--all"], 0);
    assert!(inspect.stdout == golden_bytes("example.inspect.json"), "the log is the stored one");
    let both = ["export", "good.jsonl", "sub.jsonl", "--to", "atif"];
    trace(folder.path(), &[&both[..], &["--out", "a.json"]].concat(), 0);
    let document = std::fs::read(folder.path().join("a.json")).expect("the document is there");
    assert!(document == golden_bytes("example.atif.json"), "the document is the stored one");
    let images: Vec<_> = std::fs::read_dir(folder.path().join("images")).expect("images lie beside it").collect();
    let name = images[0].as_ref().expect("a file").file_name().into_string().expect("a plain name");
    assert!(images.len() == 1 && String::from_utf8_lossy(&document).contains(&name), "{name}");

    // Again: the same image may lie there, the document may not.
    let again = show(&trace(folder.path(), &[&both[..], &["--out", "a.json"]].concat(), USAGE));
    assert!(again.contains("already exists"), "{again}");
    trace(folder.path(), &[&both[..], &["--out", "b.json"]].concat(), 0);
    check(&both, USAGE, &["images", "--out"]);
    check(&["export", "good.jsonl", "good.jsonl", "--to", "atif", "--out", "a"], USAGE, &["one episode", "are two"]);
    check(&["export", "good.jsonl", "--to", "chat", "--out", "no/such/a"], USAGE, &["no/such/a", "hint"]);
    check(&["export", "good.jsonl", "--to", "cat"], USAGE, &["'chat'"]);
    check(&["export", "good.jsonl", "--to", "chat", "--out", "good.jsonl"], USAGE, &["already exists"]);
}

#[test]
fn chat_rows_are_chosen() {
    let every = ["--keep-flagged", "--keep-malformed"];
    for (filters, rows) in [
        // One is flagged, the other has no score.
        (&[][..], 0),
        (&["--all"], 1),
        (&every, 1),
        (&[every[0], every[1], "--all"], 2),
        (&[every[0], every[1], "--max-tokens", "10"], 0),
        (&[every[0], every[1], "--max-seconds", "3600"], 1),
        (&[every[0], every[1], "--max-reward", "0.5"], 0),
        (&[every[0], every[1], "--min-reward", "0.1"], 1),
        (&[every[0], every[1], "--min-reward", "2"], 0),
        (&[every[0], every[1], "--outcome", "failure,success"], 1),
        (&[every[0], every[1], "--outcome", "safety_violation"], 0),
    ] {
        let folder = folder();
        let arguments =
            [&["export", "good.jsonl", "sub.jsonl", "--to", "chat", "--out", "rows.jsonl"], filters].concat();
        let printed = show(&trace(folder.path(), &arguments, 0));
        assert!(printed.contains(&format!("{rows} of 2 episodes")), "{filters:?}\n{printed}");
        let written = std::fs::read_to_string(folder.path().join("rows.jsonl")).expect("the rows are there");
        assert_eq!(written.lines().count(), rows, "{filters:?}");
        for row in written.lines() {
            let row: serde_json::Value = serde_json::from_str(row).expect("a row is JSON");
            assert!(row["messages"].is_array());
        }
    }
    check(&["export", "good.jsonl", "--to", "chat", "--min-reward", "nan"], USAGE, &["not a valid reward"]);
    check(&["export", "good.jsonl", "--to", "chat", "--min-reward", "much"], USAGE, &["--min-reward"]);
    check(&["export", "good.jsonl", "--to", "chat", "--outcome", "succes"], USAGE, &["'success'"]);
}

#[test]
fn what_others_recorded_becomes_trajectories() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let rows = "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}], \"id\": \"../x\"}\n{\"messages\": 3\n\n{\"role\": \"user\"}\n{\"nothing\": 1}\n";
    std::fs::write(at("rows.jsonl"), rows).expect("written");
    let printed = show(&trace(folder.path(), &["import", "rows.jsonl", "--out", "in"], USAGE));
    for word in [
        "rows.jsonl: line 2",
        "rows.jsonl: line 5",
        "its keys are nothing",
        "2 episodes into in",
        "2 lines or documents",
    ] {
        assert!(printed.contains(word), "{word}\n{printed}");
    }
    trace(folder.path(), &["verify", "in/_.._x.jsonl", "in/rows.2.jsonl"], 0);
    let again = show(&trace(folder.path(), &["import", "rows.jsonl", "--out", "in"], USAGE));
    assert!(again.contains("2 of them there already"), "{again}");

    // Documents over many lines, as our own exports are, and standard input.
    let both = ["export", "good.jsonl", "sub.jsonl", "--to", "atif", "--out", "a.json"];
    trace(folder.path(), &both, 0);
    let log = trace(folder.path(), &["export", "good.jsonl", "--to", "inspect"], 0);
    std::fs::write(at("log.json"), &log.stdout).expect("written");
    let printed = show(&trace(folder.path(), &["import", "a.json", "log.json", "--out", "back"], 0));
    assert!(printed.contains("3 episodes into back"), "{printed}");
    let diff = show(&trace(folder.path(), &["diff", "good.jsonl", "back/example-1.jsonl"], 0));
    assert!(diff.contains("the same"), "{diff}");
    check(&["import", "absent.jsonl"], USAGE, &["absent.jsonl", "hint"]);
    check(&["import", "empty.jsonl"], USAGE, &["nothing to import"]);
    check(&["import", "binary.jsonl"], USAGE, &["binary.jsonl: line 1"]);
    check(&["import", "good.jsonl", "--out", "good.jsonl"], USAGE, &["--out"]);
}

#[test]
fn nothing_is_exported_from_a_file_that_was_changed() {
    for form in ["chat", "atif", "inspect"] {
        let folder = folder();
        let arguments = ["export", "good.jsonl", "removed.jsonl", "--to", form, "--out", "out"];
        let printed = show(&trace(folder.path(), &arguments, USAGE));
        assert!(printed.contains("removed.jsonl is not exported: line 5"), "{printed}");
        assert!(!folder.path().join("out").exists(), "{form}: no half of an export");
        let left = std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left, 9, "{form}: no temporary file is left");
    }
    check(&["export", "cut.jsonl", "--to", "inspect"], 0, &["warning", "ends in the middle of line 21"]);
}

/// `assay trace … | head` and a full disk.
#[test]
fn readers_that_go_away_and_full_disks() {
    let folder = folder();
    let many: Vec<&str> = vec!["good.jsonl"; 100];
    for arguments in [
        [&["export", "--to", "chat", "--keep-flagged", "--keep-malformed"], &many[..]].concat(),
        [&["export", "--to", "inspect"], &many[..]].concat(),
        [&["stats", "--format", "json"], &many[..]].concat(),
        vec!["show", "good.jsonl"],
    ] {
        let mut child = assay(folder.path())
            .arg("trace")
            .args(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("assay starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("assay ends");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}\n{}", show(&output));

        let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has a full device");
        let status = assay(folder.path()).arg("trace").args(&arguments).stdout(full).stderr(Stdio::null()).status();
        assert_eq!(status.expect("assay starts").code(), Some(4), "{arguments:?}");
    }
}

#[test]
fn help_teaches() {
    for (arguments, words) in [
        (&["--help"][..], &["assay trace export", "docs/trajectories.md"][..]),
        (&["show", "--help"], &["--steps", "3..9", "--role"]),
        (&["stats", "--help"], &["json", "at least"]),
        (&["diff", "--help"], &["Examples", "--format"]),
        (&["verify", "--help"], &["vouches"]),
        (&["export", "--help"], &["atif", "chat", "inspect", "--min-reward", "safety_violation"]),
    ] {
        check(arguments, 0, words);
    }
}
