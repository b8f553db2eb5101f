//! `assay tasks` as a user meets it: rows of every data set and rows with something wrong, logs of every kind and things that are not logs.

use assay_tests::{assay, show};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

/// Cannot be carried out as given.
const USAGE: i32 = 2;

#[track_caller]
fn tasks(folder: &Path, arguments: &[&str], exit: i32) -> Output {
    let output = assay(folder).arg("tasks").args(arguments).output().expect("assay starts");
    let printed = show(&output);
    assert_eq!(output.status.code(), Some(exit), "assay tasks {arguments:?}\n{printed}");
    assert!(!printed.contains("panicked"), "assay tasks {arguments:?}\n{printed}");
    output
}

/// Runs `assay tasks` in a folder with one file; expects the exit code and every one of `words` in what it prints.
#[track_caller]
fn check(file: (&str, &[u8]), arguments: &[&str], exit: i32, words: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join(file.0), file.1).expect("a file can be written");
    let printed = show(&tasks(folder.path(), arguments, exit));
    for word in words {
        assert!(printed.contains(word), "assay tasks {arguments:?} must say {word:?}\n{printed}");
    }
}

fn swe_gym(id: &str) -> Value {
    json!({
        "repo": "getmoto/moto", "instance_id": id, "base_commit": "abc", "patch": "SECRET-patch", "test_patch": "SECRET-test",
        "problem_statement": "It breaks.", "hints_text": "SECRET-hint", "created_at": "2022", "version": "4.0",
        "FAIL_TO_PASS": ["SECRET-a", "SECRET-b"], "PASS_TO_PASS": ["c"], "unheard_of": "SECRET-other",
    })
}

fn swe_bench(id: &str) -> Value {
    let mut row = swe_gym(id);
    row["repo"] = json!("astropy/astropy");
    row["environment_setup_commit"] = json!("def");
    row["FAIL_TO_PASS"] = json!("[\"SECRET-a\"]");
    row
}

fn swe_smith() -> Value {
    json!({
        "instance_id": "a__b.0.x", "repo": "swesmith/a__b.0", "patch": "SECRET-bug", "FAIL_TO_PASS": ["SECRET-a"],
        "PASS_TO_PASS": [], "image_name": "swesmith.x86_64.a__b.0", "base_commit": "abc", "problem_statement": "It breaks.",
    })
}

fn lines(rows: &[Value]) -> Vec<u8> {
    rows.iter().flat_map(|row| format!("{row}\n").into_bytes()).collect()
}

/// A repository that no list knows: the user says how its tests run.
#[test]
fn rows_of_any_repository() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut row = swe_gym("some__body-1");
    (row["repo"], row["image_name"]) = (json!("some/body"), json!("i:1"));
    std::fs::write(folder.path().join("rows.jsonl"), lines(&[row])).expect("a file can be written");
    let flags = ["--test-command", "pytest -rA tests", "--log-parser", "pytest"];
    let printed = show(&tasks(folder.path(), &[&["import", "rows.jsonl"], &flags[..]].concat(), 0));
    assert!(printed.contains("pytest 1") && printed.contains("a patch 1"), "{printed}");
    let bytes = std::fs::read(folder.path().join("tasks/some__body-1.json")).expect("a task");
    let task: Value = serde_json::from_slice(&bytes).expect("JSON");
    assert_eq!((&task["bench"]["test_command"], &task["bench"]["image"]), (&json!("pytest -rA tests"), &json!("i:1")));
    assert_eq!(task["secret"]["log_parser"], "pytest");
    let import = |flags: &[&str], words: &[&str]| {
        let printed = show(&tasks(folder.path(), &[&["import", "rows.jsonl"], flags].concat(), USAGE));
        assert!(words.iter().all(|word| printed.contains(word)), "{printed}");
    };
    import(&["--log-parser", "pytset"], &["no log parser `pytset`", "did you mean `pytest`?"]);
    import(&["--test-command", " "], &["--test-command is empty"]);
}

#[test]
fn rows_become_tasks() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rows = lines(&[swe_gym("getmoto__moto-1"), swe_bench("astropy__astropy-1"), swe_smith()]);
    std::fs::write(folder.path().join("rows.jsonl"), &rows).expect("a file can be written");
    let printed = show(&tasks(folder.path(), &["import", "rows.jsonl"], 0));
    for word in [
        "SWE-bench: 1 tasks",
        "SWE-Gym: 1 tasks",
        "SWE-smith: 1 tasks",
        "unheard_of",
        "pytest_v2",
        "3 tasks into tasks",
    ] {
        assert!(printed.contains(word), "{word}\n{printed}");
    }
    assert!(!printed.contains("SECRET"), "{printed}");
    for id in ["getmoto__moto-1", "astropy__astropy-1", "a__b.0.x"] {
        let path = folder.path().join("tasks").join(format!("{id}.json"));
        let task: Value = serde_json::from_slice(&std::fs::read(path).expect("a task a file")).expect("JSON");
        assert_eq!(task["public"]["instance_id"], id);
        assert!(task["secret"].to_string().contains("SECRET"));
        for open in ["public", "bench", "kind"] {
            assert!(!task[open].to_string().contains("SECRET"), "{id}: {open}");
        }
    }
    assert_eq!(std::fs::read_dir(folder.path().join("tasks")).expect("the folder").count(), 3);

    // Again: what is there is left alone, what is there and differs is an error.
    let again = show(&tasks(folder.path(), &["import", "rows.jsonl"], 0));
    assert!(again.contains("3 tasks into tasks, 3 of them already there"), "{again}");
    let mine = folder.path().join("tasks/a__b.0.x.json");
    std::fs::write(&mine, "mine").expect("a file can be written");
    let again = show(&tasks(folder.path(), &["import", "rows.jsonl"], USAGE));
    assert!(again.contains("row 3: tasks/a__b.0.x.json already exists") && again.contains("1 of 3 rows"), "{again}");
    assert_eq!(std::fs::read(&mine).expect("it is there"), b"mine");
}

#[test]
fn bad_rows_are_named_and_spoil_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let without = |key: &str| {
        let mut row = swe_gym("x__y-9");
        row.as_object_mut().expect("an object").remove(key);
        row
    };
    let mut rows = lines(&[swe_gym("x__y-1"), without("repo"), json!({"a": 1}), json!(7)]);
    rows.extend_from_slice(b"\n{\"cut\": \n\xff\xfe\n");
    rows.extend(lines(&[
        swe_gym("../../escape"),
        swe_gym(".hidden"),
        swe_gym(""),
        swe_gym("x__y-1"),
        swe_gym("x__y-2"),
    ]));
    std::fs::write(folder.path().join("rows.jsonl"), &rows).expect("a file can be written");
    let printed = show(&tasks(folder.path(), &["import", "rows.jsonl", "--out", "out/deep"], USAGE));
    for word in [
        "row 2: key `repo`: expected a text, found nothing",
        "row 3: its keys fit none of",
        "row 4: expected a JSON object, found a number",
        "row 6: expected a JSON object, found broken JSON",
        "row 7: expected a JSON object, found broken JSON",
        "row 8: key `instance_id`: `../../escape` is not a valid file name",
        "row 9: key `instance_id`",
        "row 10: key `instance_id`",
        "row 11: key `instance_id`: `x__y-1` is already used by row 1",
        "2 tasks into out/deep",
        "9 of 11 rows of rows.jsonl could not be imported",
        "hint",
    ] {
        assert!(printed.contains(word), "{word}\n{printed}");
    }
    let mut names: Vec<_> = std::fs::read_dir(folder.path().join("out/deep"))
        .expect("the folder")
        .map(|file| file.expect("a file").file_name().into_string().expect("a plain name"))
        .collect();
    names.sort();
    assert_eq!(names, ["x__y-1.json", "x__y-2.json"]);
}

#[test]
fn files_that_are_no_rows() {
    for (bytes, words) in [
        (&b""[..], &["no rows", "hint"][..]),
        (b"\n \n", &["no rows"]),
        (b"PAR1\x15\x04", &["failed to read rows.jsonl", "check that the file is complete"]),
        (b"\x1f\x8b\x08\x00", &["check that the file is complete"]),
        (b"[\n{}]\n", &["JSON array", "jq"]),
        (b"\x00\x01\x02\xff garbage", &["row 1: expected a JSON object"]),
    ] {
        check(("rows.jsonl", bytes), &["import", "rows.jsonl"], USAGE, words);
    }
    let row = lines(&[swe_smith()]);
    check(("rows.jsonl", &row), &["import", "absent.jsonl"], USAGE, &["absent.jsonl", "hint"]);
    check(("rows.jsonl", &row), &["import", "."], USAGE, &["is a folder"]);
    check(("rows.jsonl", &row), &["import", "rows.jsonl", "--out", "rows.jsonl"], USAGE, &["--out"]);
    check(("rows.jsonl", &row[..100]), &["import", "rows.jsonl"], USAGE, &["row 1", "broken JSON"]);
}

#[test]
fn gzipped_rows_become_tasks() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&lines(&[swe_gym("x__y-1"), swe_bench("x__y-2")])).expect("bytes are packed");
    let packed = packed.finish().expect("bytes are packed");
    check(("rows.jsonl.gz", &packed), &["import", "rows.jsonl.gz"], 0, &["2 tasks"]);
    check(
        ("rows.jsonl.gz", &packed[..packed.len() - 9]),
        &["import", "rows.jsonl.gz"],
        USAGE,
        &["check that the file is complete"],
    );
}

const TASK: &str = r#"
id = "one"
language = "python"
[image]
name = "nowhere:1"
from = "present"
[tests]
command = "pytest"
parser = "pytest"
fail_to_pass = ["test_it.py::test_it"]
pass_to_pass = []
"#;

/// A task folder whose `task.toml` is `document`.
fn task_folder(document: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let task = folder.path().join("task");
    std::fs::create_dir_all(task.join("repository")).expect("a folder");
    for (path, text) in [
        ("task.toml", document),
        ("problem.md", "It breaks.\n"),
        ("repository/it.py", "bad\n"),
        ("gold.patch", "diff --git a/it.py b/it.py\n--- a/it.py\n+++ b/it.py\n@@ -1 +1 @@\n-bad\n+good\n"),
    ] {
        std::fs::write(task.join(path), text).expect("a file can be written");
    }
    folder
}

#[test]
fn without_an_engine_a_task_is_unknown() {
    let folder = task_folder(TASK);
    let arguments = ["verify", "task", "--docker-url", "unix:///nowhere/docker.sock", "--image-cache", "images"];
    let printed = show(&tasks(folder.path(), &arguments, 4));
    for word in ["one", "unknown", "no test engine", "hint", "dockerd"] {
        assert!(printed.contains(word), "{word}\n{printed}");
    }
    let json = [&arguments[..], &["--format", "json"]].concat();
    let report: Value = serde_json::from_slice(&tasks(folder.path(), &json, 4).stdout).expect("JSON");
    assert_eq!((&report[0]["instance_id"], &report[0]["standing"]), (&json!("one"), &json!("unknown")));
}

#[test]
fn tasks_that_cannot_be_verified_say_why() {
    let folder = task_folder(&TASK.replace("command", "comand"));
    let printed = show(&tasks(folder.path(), &["verify", "task"], USAGE));
    assert!(printed.contains("task.toml, line 8") && printed.contains("did you mean `command`?"), "{printed}");
    tasks(folder.path(), &["verify", "nothing"], USAGE);
    let folder = task_folder(TASK);
    let printed = show(&tasks(folder.path(), &["verify", "task", "--docker-url", "ftp://x"], USAGE));
    assert!(printed.contains("ftp://x") && printed.contains("hint"), "{printed}");
}

const LOG: &[u8] =
    b"PASSED a.py::one\r\nFAILED a.py::two - assert \xff\r\nSKIPPED [1] a.py:3: no\nPASSED a.py::\x1b[31mred\x1b[0m\n";

#[test]
fn logs_become_statuses() {
    let log = ("test.log", LOG);
    check(
        log,
        &["parse-log", "test.log", "--repo", "getmoto/moto"],
        0,
        &["\"a.py::one\": \"PASSED\"", "\"a.py::two\": \"FAILED\""],
    );
    check(log, &["parse-log", "test.log", "--repo", "GetMoto/Moto"], 0, &["\"PASSED\""]);
    check(
        log,
        &["parse-log", "test.log", "--parser", "pytest", "--format", "table"],
        0,
        &["PASSED   a.py::one", "FAILED   a.py::two", "2 PASSED", "\\u{1b}"],
    );
    let go = ("go.log", &b"--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\n"[..]);
    check(go, &["parse-log", "go.log", "--parser", "gotest"], 0, &["\"TestA\": \"PASSED\"", "\"TestB\": \"FAILED\""]);
    check(log, &["parse-log", "test.log", "--parser", "cargo"], 0, &["{}", "warning", "no test found"]);
    let binary: Vec<u8> = (0..=255u8).cycle().take(50_000).collect();
    check(("b.log", &binary), &["parse-log", "b.log", "--parser", "django"], 0, &["{}", "no test found"]);
}

#[test]
fn log_rules_that_there_are_not() {
    let log = ("test.log", LOG);
    for (arguments, words) in [
        (&["test.log", "--repo", "astropy/astropi"][..], &["astropy/astropi", "did you mean `astropy/astropy`?"][..]),
        (&["test.log", "--repo", "nobody/nothing-like-it"], &["no log parser is known", "--parser pytest"]),
        (&["test.log", "--parser", "pytets"], &["did you mean `pytest`?"]),
        (&["test.log", "--parser", "zzzzzzzzzzzz"], &["there are: pytest,"]),
        (&["test.log"], &["--repo", "--parser"]),
        (&["test.log", "--parser", "pytest", "--repo", "a/b"], &["cannot be used with"]),
        (&["test.log", "--parser", "pytest", "--format", "tabel"], &["'table'"]),
        (&["absent.log", "--parser", "pytest"], &["absent.log", "hint"]),
        (&[".", "--parser", "pytest"], &["is a folder"]),
    ] {
        check(log, &[&["parse-log"], arguments].concat(), USAGE, words);
    }
}

#[test]
fn standard_input_is_a_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let row = lines(&[swe_smith()]);
    for (arguments, bytes, word) in [
        (&["parse-log", "-", "--parser", "pytest"][..], LOG, "a.py::one"),
        (&["import", "-"], &row, "SWE-smith: 1 tasks"),
    ] {
        let mut command = assay(folder.path());
        let mut child = command
            .arg("tasks")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("assay starts");
        let mut stdin = child.stdin.take().expect("standard input is piped");
        stdin.write_all(bytes).expect("assay reads");
        drop(stdin);
        let output = child.wait_with_output().expect("assay ends");
        let printed = show(&output);
        assert!(output.status.success() && printed.contains(word), "{arguments:?}\n{printed}");
    }
}

/// `assay tasks parse-log … | head` and a full disk.
#[test]
fn readers_that_go_away_and_full_disks() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log: String = (0..20_000).map(|number| format!("PASSED a.py::test_{number}\n")).collect();
    std::fs::write(folder.path().join("test.log"), log).expect("a file can be written");
    for format in ["json", "table"] {
        let arguments = ["tasks", "parse-log", "test.log", "--parser", "pytest", "--format", format];
        let mut child = assay(folder.path())
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("assay starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("assay ends");
        assert_eq!(output.status.code(), Some(0), "{format}\n{}", show(&output));
        let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has a full device");
        let status = assay(folder.path()).args(arguments).stdout(full).stderr(Stdio::null()).status();
        assert_eq!(status.expect("assay starts").code(), Some(4), "{format}");
    }
}

#[test]
fn help_teaches() {
    let nothing = ("nothing", &b""[..]);
    check(nothing, &["--help"], 0, &["assay tasks import", "parse-log"]);
    check(nothing, &["import", "--help"], 0, &["SWE-smith", "secret", "--out"]);
    check(nothing, &["parse-log", "--help"], 0, &["--repo", "--parser", "pytest_v2"]);
}
