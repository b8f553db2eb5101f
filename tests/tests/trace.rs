//! `assay trace` as a user meets it: on good files, on files that are cut, changed or something else, and into a reader that goes away.

use assay_tests::{assay, root, show};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

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

/// The interpreter that `make setup-python` has prepared, with the models of the published `harbor` package.
fn harbor() -> PathBuf {
    let setup = Command::new(root().join("tests/atif/setup")).arg("--where").output().expect("bash is there");
    assert!(setup.status.success(), "{}", show(&setup));
    let python = PathBuf::from(String::from_utf8_lossy(&setup.stdout).trim());
    assert!(python.is_file(), "{} is not there: run `make setup-python`", python.display());
    python
}

#[test]
fn atif_documents_are_those_of_the_published_package() {
    let folder = folder();
    let python = harbor();
    let export = |name: &str, files: &[&str]| {
        trace(folder.path(), &[&["export", "--to", "atif", "--all", "--out", name], files].concat(), 0);
    };
    // Whole, cut off, a sub-agent's alone; chat rows, and a document with audio, that others recorded.
    export("whole.json", &["good.jsonl", "sub.jsonl"]);
    export("cut.json", &["cut.jsonl"]);
    export("sub.json", &["sub.jsonl"]);
    let row = r#"{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b", "reasoning_content": "c"}], "id": "row"}"#;
    let audio = r#"{"schema_version": "ATIF-v1.8", "trajectory_id": "audio", "agent": {"name": "x", "version": "1"}, "steps": [
        {"step_id": 1, "source": "user", "message": [{"type": "text", "text": "listen"},
            {"type": "audio", "source": {"media_type": "audio/wav", "path": "a.wav", "duration_sec": 2.5}}]},
        {"step_id": 2, "source": "agent", "message": "yes", "llm_call_count": 1, "reasoning_effort": "low"}]}"#;
    for (name, text) in [("rows.jsonl", row), ("audio.json", audio)] {
        std::fs::write(folder.path().join(name), text).expect("written");
        trace(folder.path(), &["import", name, "--out", "in"], 0);
    }
    export("row.json", &["in/row.jsonl"]);
    export("heard.json", &["in/audio.jsonl"]);
    let kept = std::fs::read_to_string(folder.path().join("heard.json")).expect("it is there");
    assert!(kept.contains("a.wav") && kept.contains("duration_sec"), "what we have no place for is kept\n{kept}");

    let output = Command::new(python)
        .arg(root().join("tests/atif/validates.py"))
        .args(["whole.json", "cut.json", "sub.json", "row.json", "audio.json", "heard.json"])
        .current_dir(folder.path())
        .output()
        .expect("python runs");
    assert!(output.status.success(), "{}", show(&output));
    let said = stdout(&output);
    assert!(said.lines().count() == 6 && said.lines().all(|line| line.starts_with("ATIF-v1.8 ")), "{said}");
    assert!(said.starts_with("ATIF-v1.8 4 1\n"), "{said}");
}

/// A span's attributes, with the one value that each has.
fn attributes(span: &serde_json::Value) -> std::collections::BTreeMap<String, serde_json::Value> {
    let list = span["attributes"].as_array().expect("attributes");
    let value = |each: &serde_json::Value| {
        let value = each["value"].as_object().expect("a value");
        assert_eq!(value.len(), 1, "{each}");
        (each["key"].as_str().expect("a key").to_owned(), value.values().next().expect("one").clone())
    };
    let all: std::collections::BTreeMap<_, _> = list.iter().map(value).collect();
    assert_eq!(all.len(), list.len(), "no attribute is there twice");
    all
}

#[test]
fn spans_follow_the_conventions() {
    let folder = folder();
    let export = |more: &[&str]| {
        let output =
            trace(folder.path(), &[&["export", "good.jsonl", "sub.jsonl", "--to", "otel", "--all"], more].concat(), 0);
        let lines: Vec<serde_json::Value> =
            stdout(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        lines
    };
    let lines = export(&[]);
    assert_eq!((lines.len(), &lines), (2, &export(&[])), "the same files give the same spans");
    let spans_of = |line: &serde_json::Value| line["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().cloned();
    let [own, subs] = [&lines[0], &lines[1]].map(|line| spans_of(line).expect("spans"));
    let root = &own[0];
    assert_eq!((root["name"].as_str(), root["kind"].as_u64()), (Some("invoke_agent assay"), Some(1)));
    assert_eq!((&subs[0]["traceId"], &subs[0]["parentSpanId"]), (&root["traceId"], &root["spanId"]), "one trace");
    let mut ids = std::collections::BTreeSet::new();
    for span in own.iter().chain(&subs) {
        let id = |field: &str| span[field].as_str().expect(field).to_owned();
        assert_eq!((id("traceId").len(), id("spanId").len()), (32, 16));
        assert!(ids.insert(id("spanId")), "{span}");
        let nanos = |field: &str| id(field).parse::<u64>().expect("a number in text");
        assert!(nanos("startTimeUnixNano") <= nanos("endTimeUnixNano"), "{span}");
        let attributes = attributes(span);
        let operation = attributes["gen_ai.operation.name"].as_str().expect("text");
        assert!(id("name").starts_with(operation), "{span}");
        let required: &[&str] = match operation {
            "chat" => &["gen_ai.provider.name", "gen_ai.request.model"],
            "execute_tool" => &["gen_ai.tool.name", "gen_ai.tool.type"],
            _ => &["gen_ai.agent.name", "gen_ai.conversation.id"],
        };
        assert!(required.iter().all(|name| attributes.contains_key(*name)), "{span}");
        assert!(!attributes.contains_key("gen_ai.output.messages"), "content is for those who ask for it");
    }
    let named = |name: &str| own.iter().find(|span| span["name"] == name).unwrap_or_else(|| panic!("{name}"));
    let call = attributes(named("chat test/model-1"));
    assert_eq!(call["gen_ai.usage.input_tokens"], "160", "all input, cached or not");
    assert!(named("execute_tool read_file")["spanId"].is_string());
    let failed: Vec<_> = own.iter().filter(|span| span["status"]["code"] == 2).collect();
    assert!(failed.iter().all(|span| attributes(span).contains_key("error.type")), "{failed:?}");
    let events: Vec<_> = root["events"].as_array().expect("events").iter().map(|event| &event["name"]).collect();
    assert!(events.contains(&&"gen_ai.evaluation.result".into()), "{events:?}");
    let said = serde_json::to_string(&export(&["--content"])).expect("JSON");
    assert!(said.contains("gen_ai.output.messages") && said.contains("I shall read the file."), "{said}");
}

#[test]
fn each_step_becomes_a_pair_with_its_thought() {
    let folder = folder();
    let arguments = ["export", "good.jsonl", "--to", "steps", "--keep-flagged", "--keep-malformed"];
    let rows: Vec<serde_json::Value> = stdout(&trace(folder.path(), &arguments, 0))
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert!(rows.len() >= 2);
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(row["step"], index + 1);
        assert_eq!((&row["episode"], row["completion"].as_array().map(Vec::len)), (&"example-1".into(), Some(1)));
        assert_eq!(row["completion"][0]["role"], "assistant");
        assert!(row["reward"].is_number() && row["tools"].is_array());
        let prompt = row["prompt"].as_array().expect("a prompt");
        assert_eq!(prompt[0]["role"], "system");
        assert!(prompt.iter().all(|message| message["reasoning_content"].is_null()), "thoughts are not shown again");
    }
    assert_eq!(rows[0]["completion"][0]["reasoning_content"], "First look.");
    let more = rows[1]["prompt"].as_array().map_or(0, Vec::len);
    assert!(more > rows[0]["prompt"].as_array().map_or(0, Vec::len), "the conversation grows");
    // The same choice as for rows: what is flagged is not taught.
    check(&["export", "good.jsonl", "--to", "steps"], 0, &["0 of 1 episodes", "--keep-flagged"]);
    for (bound, episodes) in [("0.0001", 0), ("3600", 1)] {
        let arguments = [&arguments[..], &["--max-latency", bound, "--out", "s.jsonl"]].concat();
        check(&arguments, 0, &[&format!("{episodes} of 1 episodes")]);
    }
    check(&["export", "good.jsonl", "--to", "steps", "--max-latency", "nan"], USAGE, &["--max-latency"]);
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
    assert!(again.contains("2 of them already there"), "{again}");

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
fn episodes_that_share_an_id_each_have_a_file() {
    let folder = folder();
    let row =
        |text: usize| format!("{{\"messages\": [{{\"role\": \"user\", \"content\": \"{text}\"}}], \"id\": \"m\"}}\n");
    let mut rows: Vec<String> = (0..300).map(row).collect();
    let check = |rows: &[String], words: &str, files: usize| {
        std::fs::write(folder.path().join("rows.jsonl"), rows.concat()).expect("written");
        let printed = show(&trace(folder.path(), &["import", "rows.jsonl", "--out", "in"], 0));
        assert!(printed.contains(words), "{words}\n{printed}");
        assert_eq!(std::fs::read_dir(folder.path().join("in")).expect("a folder").count(), files, "{words}");
    };
    check(&rows, "300 episodes into in", 300);
    trace(folder.path(), &["verify", "in/m.jsonl", "in/m-2.jsonl", "in/m-300.jsonl"], 0);
    check(&rows, "300 episodes into in, 300 of them already there", 300);
    rows.reverse();
    check(&rows, "300 episodes into in, 300 of them already there", 300);
    rows.insert(0, row(300));
    check(&rows, "301 episodes into in, 300 of them already there", 301);
    // What somebody has changed is neither believed nor touched.
    let changed = folder.path().join("in/m-5.jsonl");
    std::fs::write(&changed, "mine").expect("written");
    check(&rows, "301 episodes into in, 300 of them already there", 302);
    assert_eq!(std::fs::read(&changed).expect("it is there"), b"mine");
}

/// Parsers of JSON stop at some depth, and a trajectory does not.
#[test]
fn a_body_that_nests_deep_goes_through_every_export() {
    let folder = folder();
    let body = "[".repeat(150) + &"]".repeat(150);
    let document = format!(
        r#"{{"schema_version": "ATIF-v1.8", "trajectory_id": "deep", "agent": {{"name": "x", "version": "1"}},
            "steps": [{{"step_id": 1, "source": "agent", "message": "x"}}],
            "extra": {{"events": [{{"at_ns": 5, "kind": "later", "body_text": "{body}"}}]}}}}"#
    );
    std::fs::write(folder.path().join("deep.json"), document).expect("written");
    trace(folder.path(), &["import", "deep.json", "--out", "in"], 0);
    let file = std::fs::read_to_string(folder.path().join("in/deep.jsonl")).expect("it is there");
    assert!(file.contains(&format!("\"kind\":\"later\",\"body\":{body},\"_hash\"")), "{file}");
    trace(folder.path(), &["verify", "in/deep.jsonl"], 0);
    for form in ["chat", "steps", "atif", "inspect", "otel"] {
        let printed = stdout(&trace(folder.path(), &["export", "in/deep.jsonl", "--to", form, "--all"], 0));
        assert_eq!(printed.contains(&body), matches!(form, "atif" | "inspect"), "{form}\n{printed}");
    }
}

/// A row up to a list in the arguments of a call.
const CALL: &str =
    r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\":["#;

/// What is small on disk and large in memory is refused before it is parsed, and what is damaged throughout ends.
#[test]
fn imports_stay_within_their_memory() {
    let folder = folder();
    let many = |what: &str, count: usize| vec![what; count].join(",");
    let long = many("1", 100_000);
    // A row that is fine; `meta` keeps what it does not know.
    let row = "{\"messages\":[{\"role\":\"user\",\"content\":\"a, [b], {c} \\\\\\\",\"}]}\n";
    let line = format!("{{\"role\":\"user\",\"content\":\"a\",\"more\":[{long}]}}\n");
    let cases = [
        (
            format!("{{\"messages\":[{}]}}\n{row}", many("{\"a\":1}", 1_000_000)),
            "line 1: the value needs more than 384 MiB",
            1,
        ),
        (format!("{{\"samples\":[{}]}}\n{row}", many("[]", 3_000_000)), "line 1: the value needs more than 384 MiB", 1),
        (format!("[\n{}]\n", many("{}", 1_500_000)), "line 1: the value needs more than 384 MiB", 0),
        (format!("{row}{}", line.repeat(40)), "the lines of one conversation need more than 384 MiB", 1),
        (format!("{row}{}{row}", "x\n".repeat(10_000)), "10000 lines, documents or messages are damaged", 1),
        (format!("{row}[{}]\n{row}", many("1", 20_000)), "10000 lines, documents or messages are damaged", 1),
        (
            format!("{row}{{\"samples\":[{}]}}\n{row}", many("1", 20_000)),
            "10000 lines, documents or messages are damaged",
            1,
        ),
        // A call's arguments are JSON in a text.
        (
            format!("{CALL}{}]}}\"}}}}]}}]}}\n{row}", many("[]", 3_000_000)),
            "line 1: the value needs more than 384 MiB",
            1,
        ),
        (
            format!("{}\"}}\n{row}", "{\"messages\":[], \"text\":\"".to_owned() + &"x".repeat(65 << 20)),
            "more than 67108864 bytes",
            0,
        ),
    ];
    for (number, (text, words, made)) in cases.iter().enumerate() {
        std::fs::write(folder.path().join("much.jsonl"), text).expect("written");
        let out = format!("out{number}");
        let printed = show(&trace(folder.path(), &["import", "much.jsonl", "--out", &out], USAGE));
        assert!(printed.contains(words) && printed.contains("hint"), "{words}\n{printed}");
        let files = std::fs::read_dir(folder.path().join(&out)).expect("a folder").count();
        assert_eq!(files, *made, "{words}\n{printed}");
    }
    // Rows that are together larger than one value may be are read one by one.
    std::fs::write(folder.path().join("rows.jsonl"), row.replace("a, ", &"a".repeat(1 << 20)).repeat(70))
        .expect("written");
    let printed = show(&trace(folder.path(), &["import", "rows.jsonl", "--out", "rows"], 0));
    assert!(printed.contains("70 episodes into rows"), "{printed}");
}

/// A trajectory of one message, whose field `meta` holds this.
fn with_notes(path: &Path, notes: &str) {
    let good = String::from_utf8(golden_bytes("example.jsonl")).expect("JSON is UTF-8");
    let first = good.lines().next().and_then(|line| line.rsplit_once(",\"_hash\"")).expect("a sealed line").0;
    let message = format!(r#"{{"_type":"message","id":"m1","role":"user","meta":{{"a":{notes}}}"#);
    let (mut previous, mut file) = ([0u8; 32], String::new());
    for open in [first, &message] {
        let hash = blake3::Hasher::new().update(&previous).update(open.as_bytes()).finalize();
        previous = *hash.as_bytes();
        file += &format!("{open},\"_hash\":\"{hash}\"}}\n");
    }
    std::fs::write(path, file).expect("written");
}

/// What is small on disk and large in memory is refused by all commands before it is parsed, and several files together where they are held together.
#[test]
fn episodes_stay_within_their_memory() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let lists = |count: usize| format!("[{}]", vec!["[]"; count].join(","));
    with_notes(&at("huge.jsonl"), &lists(4_000_000));
    with_notes(&at("large.jsonl"), &lists(2_000_000));
    // As long, but of text.
    with_notes(&at("text.jsonl"), &format!("\"{}\"", "[],".repeat(4_000_000)));
    let check = |arguments: &[&str], mebibytes: u64| {
        let printed = show(&trace(folder.path(), arguments, USAGE));
        let words = format!("line 2: what is held at once needs more than {mebibytes} MiB of memory");
        assert!(printed.contains(&words) && printed.contains("assay serve"), "{arguments:?}\n{printed}");
    };
    for (command, more) in [
        ("diff", &["good.jsonl"][..]),
        ("show", &[]),
        ("stats", &[]),
        ("verify", &[]),
        ("rescore", &["--rule", "strict"]),
        ("replay", &["--tasks", "."]),
        ("export", &["--to", "chat"]),
        ("export", &["--to", "steps"]),
        ("export", &["--to", "otel"]),
    ] {
        check(&[&[command, "huge.jsonl"][..], more].concat(), 1024);
    }
    for form in ["atif", "inspect"] {
        check(&["export", "large.jsonl", "--to", form], 512);
        check(&["export", "text.jsonl", "huge.jsonl", "--to", form], 512);
    }
    check(&["diff", "large.jsonl", "large.jsonl"], 1024);
    check(&["verify", "good.jsonl", "huge.jsonl"], 1024);
    // One at a time there is room for each, and text needs what it is long.
    trace(folder.path(), &["stats", "large.jsonl", "large.jsonl", "text.jsonl"], 0);
    trace(folder.path(), &["verify", "large.jsonl", "text.jsonl"], 0);
    trace(folder.path(), &["diff", "large.jsonl", "text.jsonl"], 0);
    trace(folder.path(), &["export", "text.jsonl", "--all", "--to", "inspect", "--out", "log.json"], 0);
}

#[test]
fn nothing_is_exported_from_a_file_that_was_changed() {
    for form in ["chat", "steps", "atif", "inspect", "otel"] {
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
