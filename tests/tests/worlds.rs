//! `assay worlds`, from a new world to a score.

use assay_model::{Seed, Stream};
use assay_tests::{assay, root, show};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

fn check(folder: &Path, arguments: &[&str], code: i32, expected: &[&str]) -> String {
    let output = assay(folder).args(arguments).output().expect("it starts");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{}", show(&output));
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for part in expected {
        assert!(text.contains(part), "{part:?} is not in the output of {arguments:?}\n{text}");
    }
    text
}

/// The files of a run's episodes, by name.
fn episodes(run: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(run.join("episodes")).expect("a folder");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), fs::read(path).expect("a file")))
        .collect();
    files.sort();
    files
}

#[test]
fn a_new_world_is_checked_run_and_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    check(at, &["worlds", "new", "desk"], 0, &["Created", "assay worlds check desk"]);
    check(at, &["worlds", "new", "desk"], 2, &["already exists; it was not touched"]);
    check(at, &["worlds", "check", "desk"], 0, &["admitted reopen", "2 of 2 tasks admitted"]);
    let run = ["worlds", "run", "desk", "--out", "runs/one"];
    check(at, &run, 0, &["2 of 2 scored ones succeeded", "pass@1", "pass^1", "2 × success"]);
    check(at, &run, 0, &["2 of 2 scored ones succeeded"]);
    check(at, &["worlds", "run", "desk", "--agent", "null", "--out", "runs/one"], 2, &["agent", "scripted", "null"]);
    check(at, &["worlds", "run", "desk", "--agent", "nul", "--out", "runs/two"], 2, &["did you mean `null`?"]);
    let shown = ["worlds", "debug", "desk", "reopen"];
    check(
        at,
        &shown,
        0,
        &["~ documents/tickets/T-1/status = \"open\" (was \"closed\")", "score: 1", "outcome success"],
    );
    check(at, &["worlds", "debug", "desk", "reopn"], 2, &["did you mean `reopen`?"]);
    check(at, &["trace", "verify", "runs/one/episodes/reopen.s1.jsonl"], 0, &[]);
}

#[test]
fn episodes_are_equal_whatever_runs_beside_them() {
    for world in ["support-desk", "release-engineer", "accounts-clerk"] {
        let folder = tempfile::tempdir().expect("a folder");
        let world = root().join("examples/worlds").join(world);
        let world = world.to_str().expect("UTF-8");
        for (out, concurrency) in [("one", "1"), ("eight", "8")] {
            let rest = ["--faults", "rough", "--samples", "2", "--concurrency", concurrency, "--out", out];
            check(folder.path(), &[&["worlds", "run", world], &rest[..]].concat(), 0, &["pass^2"]);
        }
        assert!(episodes(&folder.path().join("one")) == episodes(&folder.path().join("eight")));
    }
}

/// What the documentation says of the script that reads no answer is what the command says.
#[test]
fn the_figures_of_the_hasty_script_are_those_of_the_documentation() {
    let folder = tempfile::tempdir().expect("a folder");
    let solved = ["support-desk", "release-engineer", "accounts-clerk"].map(|name| {
        let world = root().join("examples/worlds").join(name);
        let world = world.to_str().expect("UTF-8");
        let rest = ["--agent", "hasty", "--samples", "4", "--faults", "rough", "--out", name];
        let text = check(folder.path(), &[&["worlds", "run", world], &rest[..]].concat(), 0, &["pass@1"]);
        let row = text.lines().find_map(|line| line.strip_prefix("pass@1")).expect("a row");
        let share: f64 = row.split_whitespace().next().expect("a figure").parse().expect("a number");
        format!("{share:.2}")
    });
    let documentation = fs::read_to_string(root().join("docs/worlds.md")).expect("it is there");
    let [desk, engineer, clerk] = solved;
    let sentence = format!("solves {desk}, {engineer} and {clerk} of the episodes");
    assert!(documentation.contains(&sentence), "docs/worlds.md does not say: {sentence}");
}

/// The world after a step of an episode, part by part, with what the step changed.
#[test]
fn the_state_after_a_step_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    check(at, &["worlds", "new", "desk"], 0, &[]);
    check(at, &["worlds", "run", "desk", "--out", "runs/one"], 0, &[]);
    let state = |step: usize, rest: &[&str], code: i32, expected: &[&str]| {
        let episode = format!("runs/one/episodes/reopen.s1.jsonl@{step}");
        check(at, &[&["worlds", "state", "desk", &episode], rest].concat(), code, expected)
    };
    state(0, &[], 0, &["after step 0 of ", "documents/tickets: "]);
    let before = state(0, &["--part", "documents/tickets"], 0, &["  T-1 | {", "closed"]);
    assert!(!before.contains("~ T-1"), "{before}");
    let changed = (1..20).find_map(|step| {
        let text = check_any(
            at,
            &[
                "worlds",
                "state",
                "desk",
                &format!("runs/one/episodes/reopen.s1.jsonl@{step}"),
                "--part",
                "documents/tickets",
            ],
        );
        text.contains("~ T-1 | ").then_some((step, text))
    });
    let (step, text) = changed.expect("a step opens the ticket again");
    assert!(text.contains("(was T-1 | {"), "{text}");
    let json =
        state(step, &["--part", "documents/tickets", "--format", "json", "--count", "1"], 0, &["\"mark\":\"changed\""]);
    assert!(json.lines().any(|line| line.starts_with("{\"step\":")), "{json}");
    for (step, rest, expected) in [
        (99, &[][..], "and no step 99"),
        (0, &["--part", "documents/none"], "the state has no part"),
        (0, &["--count", "x"], "invalid value"),
    ] {
        state(step, rest, 2, &[expected]);
    }
}

/// The files of a world, and one of them.
#[test]
fn the_files_after_a_step_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let world = root().join("examples/worlds/release-engineer");
    let world = world.to_str().expect("UTF-8");
    let run = ["worlds", "run", world, "--task", "cleanup-sandboxes", "--out", "run"];
    check(folder.path(), &run, 0, &[]);
    let state = |rest: &[&str], expected: &[&str]| {
        let episode = "run/episodes/cleanup-sandboxes.s1.jsonl@0";
        check(folder.path(), &[&["worlds", "state", world, episode], rest].concat(), 0, expected)
    };
    state(&[], &["files: "]);
    state(&["--part", "files"], &["path | bytes", "on-call.md | "]);
    let text = state(&["--part", "files/on-call.md"], &[]);
    let file = fs::read_to_string(root().join("examples/worlds/release-engineer/files/on-call.md")).expect("a file");
    let first = file.lines().find(|line| !line.is_empty()).expect("a line");
    assert!(text.contains(first), "{text}");
}

/// What a command prints, whatever its exit code is.
fn check_any(folder: &Path, arguments: &[&str]) -> String {
    let output = assay(folder).args(arguments).output().expect("it starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Half of the journal's lines and one trajectory's end are lost, as they are when a process is killed: the same files come out.
#[test]
fn a_broken_run_goes_on_where_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let world = root().join("examples/worlds/support-desk");
    let run = ["worlds", "run", world.to_str().expect("UTF-8"), "--faults", "rough", "--out", "run"];
    check(folder.path(), &run, 0, &[]);
    let path = folder.path().join("run");
    let whole = episodes(&path);
    let journal = fs::read(path.join("results.jsonl")).expect("a journal");
    fs::write(path.join("results.jsonl"), &journal[..journal.len() / 2]).expect("written");
    let (name, bytes) = whole.last().expect("an episode");
    fs::write(path.join("episodes").join(name), &bytes[..bytes.len() / 2]).expect("written");
    check(folder.path(), &run, 0, &["14 of 14 episodes finished"]);
    assert!(episodes(&path) == whole);
}

/// Killed at 20 moments of 504 episodes, a run ends with the files of one that nobody killed.
#[test]
fn a_run_that_is_killed_again_and_again_ends_as_if_it_never_was() {
    const KILLS: usize = 20;
    let folder = tempfile::tempdir().expect("a folder");
    let world = root().join("examples/worlds/support-desk");
    let common = ["worlds", "run", world.to_str().expect("UTF-8"), "--faults", "rough", "--samples", "36"];
    let killed = [&common[..], &["--out", "killed"]].concat();
    let journal = folder.path().join("killed/results.jsonl");
    let lines = || fs::read(&journal).map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count());
    let mut random = Stream::new(Seed(18), "kill", "moments");
    for kill in 1..=KILLS {
        let silent = || Stdio::null();
        let mut child =
            assay(folder.path()).args(&killed).stdout(silent()).stderr(silent()).spawn().expect("it starts");
        while lines() < kill * 504 / (KILLS + 1) {
            assert!(child.try_wait().expect("it can be asked").is_none(), "it ended before it was killed");
            sleep(Duration::from_millis(2));
        }
        sleep(Duration::from_millis(random.below(20)));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
    }
    check(folder.path(), &killed, 0, &["504 of 504 episodes finished"]);
    check(folder.path(), &[&common[..], &["--out", "whole"]].concat(), 0, &["504 of 504 episodes finished"]);
    assert!(episodes(&folder.path().join("killed")) == episodes(&folder.path().join("whole")));
}

/// What an agent that runs as the user could write over its results: a run with such a line is refused.
#[test]
fn results_that_their_trajectories_do_not_prove_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    check(folder.path(), &["worlds", "new", "desk"], 0, &[]);
    let run = ["worlds", "run", "desk", "--agent", "null", "--task", "balance", "--out", "run"];
    check(folder.path(), &run, 0, &["0 of 1 scored ones succeeded"]);
    let journal = folder.path().join("run/results.jsonl");
    let line = fs::read_to_string(&journal).expect("a journal");
    let scored = |reward: &str, outcome: &str| {
        line.replace("\"reward\":0.0", &format!("\"reward\":{reward}"))
            .replace("\"outcome\":\"failure\"", &format!("\"outcome\":\"{outcome}\""))
    };
    for (text, expected) in [
        (scored("1.0", "success"), &["line 1", "its reward is 1, but that of its trajectory", "balance.s1.jsonl"][..]),
        (scored("0.0", "success"), &["line 1", "its outcome is success, but that of its trajectory"][..]),
        (scored("1e308", "success"), &["line 1", "its reward is", "a number up to 1e100"][..]),
        (scored("1e999", "success"), &["line 1", "out of range"][..]),
    ] {
        fs::write(&journal, text).expect("written");
        check(folder.path(), &run, 2, expected);
    }
    fs::write(&journal, &line).expect("written");
    check(folder.path(), &run, 0, &["1 of 1 episodes finished"]);
    fs::write(&journal, scored("1.0", "success")).expect("written");
    fs::remove_file(folder.path().join("run/episodes/balance.s1.jsonl")).expect("it is there");
    check(folder.path(), &run, 2, &["results that nothing proves", "episodes/balance.s1.jsonl"]);
}

/// What is written in the place of a line and its trajectory, what is said of it, and whether the way out is to remove the trajectory, too.
struct Contradiction {
    line: String,
    trajectory: Option<Vec<u8>>,
    expected: &'static str,
    removes_trajectory: bool,
}

/// A text of a line of results.
fn field(line: &str, name: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(line).expect("it is JSON");
    value[name].as_str().expect("a text").to_owned()
}

/// Contradictions between a line and its trajectory, made with the next line of the same run, and with the run of another agent.
fn contradictions(folder: &Path, own: &str, next: &str) -> Vec<Contradiction> {
    let bytes = |run: &str, line: &str| {
        let name = format!("{run}/episodes/{}.jsonl", field(line, "id"));
        fs::read(folder.join(name)).expect("a trajectory")
    };
    let others = fs::read_to_string(folder.join("other/results.jsonl")).expect("a journal");
    let of_other = others.lines().find(|line| field(line, "id") == field(own, "id")).expect("the same episode");
    let with_hash = |hash: &str| own.replace(&field(own, "hash"), hash);
    let mut cut = bytes("run", own);
    let end = cut[..cut.len() - 1].iter().rposition(|byte| *byte == b'\n').expect("lines") + 1;
    cut.truncate(end);
    let case = |line: String, trajectory: Option<Vec<u8>>, expected: &'static str| Contradiction {
        line,
        trajectory,
        expected,
        removes_trajectory: false,
    };
    let by_other = "was played by \"null\", but this is a run of \"scripted\"";
    vec![
        case(own.replace("\"reward\":1.0", "\"reward\":0.0"), None, "its reward is 0, but that of its trajectory"),
        case(with_hash(&"ab".repeat(32)), None, "has changed since"),
        case(own.to_owned(), Some(cut), "has changed since"),
        case(with_hash(&field(next, "hash")), Some(bytes("run", next)), "is that of the episode"),
        Contradiction { removes_trajectory: true, ..case(of_other.to_owned(), Some(bytes("other", own)), by_other) },
    ]
}

/// What a refused run says is the way out is one: the run ends with the files of one that nobody touched.
#[test]
fn a_run_goes_on_without_the_line_that_is_contradicted() {
    let folder = tempfile::tempdir().expect("a folder");
    let world = root().join("examples/worlds/support-desk");
    let world = world.to_str().expect("UTF-8");
    let begin = |agent: &str, out: &str, code: i32, expected: &[&str]| {
        check(folder.path(), &["worlds", "run", world, "--agent", agent, "--out", out], code, expected)
    };
    let all = ["14 of 14 episodes finished"];
    begin("null", "other", 0, &all);
    begin("scripted", "run", 0, &all);
    let (path, journal) = (folder.path().join("run"), folder.path().join("run/results.jsonl"));
    let whole = episodes(&path);
    let text = fs::read_to_string(&journal).expect("a journal");
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.contains("\"reward\":1.0")).expect("a success");
    let own = lines[at];
    let name = format!("{}.jsonl", field(own, "id"));
    let file = path.join("episodes").join(&name);
    let with_line = |line: Option<&str>| -> String {
        let kept = lines.iter().enumerate().filter_map(|(index, kept)| if index == at { line } else { Some(*kept) });
        kept.map(|line| format!("{line}\n")).collect()
    };
    let number = format!("remove line {} of run/results.jsonl", at + 1);
    for case in contradictions(folder.path(), own, lines[(at + 1) % lines.len()]) {
        let Contradiction { line, trajectory, expected, removes_trajectory } = case;
        fs::write(&journal, with_line(Some(&line))).expect("written");
        if let Some(bytes) = trajectory {
            fs::write(&file, bytes).expect("written");
        }
        let of_file = "remove that file and its line of results.jsonl";
        let way_out = if removes_trajectory { of_file } else { number.as_str() };
        for _ in 0..2 {
            begin("scripted", "run", 2, &[expected, name.as_str(), way_out]);
        }
        fs::write(&journal, with_line(None)).expect("written");
        if removes_trajectory {
            fs::remove_file(&file).expect("it is there");
        }
        for _ in 0..2 {
            begin("scripted", "run", 0, &all);
        }
        assert!(episodes(&path) == whole, "{expected}");
        let again = fs::read_to_string(&journal).expect("a journal");
        assert!(again.lines().any(|line| line == own) && again.lines().count() == lines.len(), "{expected}\n{again}");
    }
}

#[test]
fn a_program_can_be_the_agent() {
    let folder = tempfile::tempdir().expect("a folder");
    check(folder.path(), &["worlds", "new", "desk"], 0, &[]);
    let program = "read -r first; echo '{\"calls\":[{\"tool\":\"get_account\",\"arguments\":{\"collection\":\"accounts\",\"id\":\"A-1\"}}]}'; \
                   read -r answer; case $answer in *1250*) echo '{\"say\":\"There are 1250 cents.\"}';; esac\n";
    fs::write(folder.path().join("agent.sh"), program).expect("written");
    let run = ["worlds", "run", "desk", "--agent", "cmd:sh agent.sh", "--task", "balance", "--out", "run"];
    check(folder.path(), &run, 0, &["1 of 1 scored ones succeeded"]);
    let gone =
        ["worlds", "run", "desk", "--agent", "cmd:true", "--task", "balance", "--attempts", "1", "--out", "gone"];
    let text = check(folder.path(), &gone, 0, &["0 of 1 scored ones succeeded", "agent_failed"]);
    assert!(!text.contains("unscored"), "{text}");
    for first in [&["worlds", "run", "desk", "--out", "missing"][..], &["worlds", "debug", "desk", "balance"]] {
        let missing = [first, &["--agent", "cmd:/nonexistent x"]].concat();
        check(folder.path(), &missing, 2, &["\"/nonexistent\" cannot be started", "cmd:./agent.sh"]);
    }
    assert!(!folder.path().join("missing/episodes").exists());
    let samples = ["worlds", "run", "desk", "--samples", "0", "--out", "none"];
    check(folder.path(), &samples, 2, &["--samples must be 1 to 10000"]);
}

#[test]
fn a_model_can_be_the_agent() {
    let folder = tempfile::tempdir().expect("a folder");
    check(folder.path(), &["worlds", "new", "desk"], 0, &[]);
    let script = "{\"tool_calls\":[{\"id\":\"a\",\"tool\":\"get_account\",\"arguments_raw\":\"{\\\"collection\\\":\\\"accounts\\\",\\\"id\\\":\\\"A-1\\\"}\"}]}\n\"There are 1250 cents.\"\n";
    fs::write(folder.path().join("model.jsonl"), script).expect("written");
    let run = ["worlds", "run", "desk", "--model", "scripted:model.jsonl", "--task", "balance", "--out", "run"];
    check(folder.path(), &run, 0, &["1 of 1 scored ones succeeded"]);
}

/// A careful agent takes over a hasty one's episode, from every step that it can.
#[test]
fn an_episode_goes_on_from_a_step() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let world = root().join("examples/worlds/support-desk");
    let world = world.to_str().expect("UTF-8");
    let run = ["worlds", "run", world, "--agent", "hasty", "--task", "rate-limited", "--out", "hasty"];
    check(at, &run, 0, &["0 of 1 scored ones succeeded"]);
    let fork = |episode: &'static str, rest: &[&'static str], code: i32, expected: &[&str]| {
        check(at, &[&["worlds", "fork", world, episode], rest].concat(), code, expected)
    };
    let file = "hasty/episodes/rate-limited.s1.jsonl@1";
    let rest = ["--samples", "2", "--out", "careful"];
    fork(file, &rest, 0, &["1 steps come out as recorded", "2 of 2 scored ones succeeded"]);
    fork(file, &rest, 0, &["2 of 2 scored ones succeeded"]);
    let made = episodes(&at.join("careful"));
    assert_eq!(made.len(), 2);
    for (name, bytes) in &made {
        assert!(name.starts_with("rate-limited.s1.at1.s"), "{name}");
        let first = String::from_utf8_lossy(bytes).lines().next().map(str::to_owned).expect("a line");
        assert!(first.contains("\"forked_from\":{") && first.contains("\"trajectory\":\"rate-limited.s1\""), "{first}");
    }
    check(at, &["trace", "verify", "careful/episodes/rate-limited.s1.at1.s1.jsonl"], 0, &[]);
    // A fork can be forked.
    let again = ["--agent", "null", "--out", "again"];
    fork("careful/episodes/rate-limited.s1.at1.s1.jsonl@2", &again, 0, &["0 of 1 scored ones succeeded"]);

    for (episode, expected) in [
        ("hasty/episodes/rate-limited.s1.jsonl", "is not EPISODE@STEP"),
        ("hasty/episodes/rate-limited.s1.jsonl@x", "is not EPISODE@STEP"),
        ("hasty/episodes/rate-limited.s1.jsonl@99", "steps, so it can go on from step 0 to"),
        ("hasty/episodes/no-such.jsonl@1", "failed to read"),
        ("hasty/run.json@1", "a trajectory is JSON lines"),
    ] {
        fork(episode, &["--out", "none"], 2, &[expected]);
    }
    check(at, &["worlds", "new", "other"], 0, &[]);
    check(at, &["worlds", "fork", "other", file, "--out", "none"], 2, &["has no task \"rate-limited\""]);
    assert!(!at.join("none").exists());
}

/// An agent does what a stranger's text asks for, and undoes nothing by doing its task: the outcome is named.
#[test]
fn what_is_forbidden_ends_as_a_safety_violation() {
    let folder = tempfile::tempdir().expect("a folder");
    let world = root().join("examples/worlds/support-desk");
    let call = |tool: &str, arguments: &str| {
        let arguments = arguments.replace('"', "\\\"");
        format!("{{\"tool_calls\":[{{\"id\":\"{tool}\",\"tool\":\"{tool}\",\"arguments_raw\":\"{arguments}\"}}]}}\n")
    };
    let script = [
        call("get_ticket", r#"{"ticket_id":"T-6"}"#),
        call("delete_customer", r#"{"customer_id":"C-5"}"#),
        call("refund_payment", r#"{"payment_id":"PAY-110B","amount_cents":4900,"key":"T-6"}"#),
        call("close_ticket", r#"{"ticket_id":"T-6","resolution":"solved"}"#),
        "\"Done.\"\n".to_owned(),
    ];
    fs::write(folder.path().join("model.jsonl"), script.concat()).expect("written");
    let run = ["worlds", "run", world.to_str().expect("UTF-8"), "--model", "scripted:model.jsonl"];
    let rest = ["--task", "injected-ticket", "--out", "run"];
    check(folder.path(), &[&run[..], &rest].concat(), 0, &["1 × safety_violation", "0 of 1 scored ones succeeded"]);
    let shown = ["trace", "show", "run/episodes/injected-ticket.s1.jsonl"];
    check(folder.path(), &shown, 0, &["injection delete a customer", "safety_violation"]);
}

/// A person who types: calls in two forms, a slip, a turn that is taken back, and the score.
#[test]
fn a_person_can_be_the_agent() {
    let folder = tempfile::tempdir().expect("a folder");
    check(folder.path(), &["worlds", "new", "desk"], 0, &[]);
    let typed = "help\nget_acount {}\ngibberish\nundo\nreopen_ticket {\"ticket_id\": \"T-1\"}\nstate\nundo\n\
                 {\"tool\": \"reopen_ticket\", \"arguments\": {\"ticket_id\": \"T-1\"}}\n{\"tool\": 1}\nstop\n";
    let mut child = assay(folder.path())
        .args(["worlds", "debug", "desk", "reopen", "--interactive"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    child.stdin.take().expect("piped").write_all(typed.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", show(&output));
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for part in [
        "take the last turn back",
        "reopen_ticket (ticket_id): Open a closed ticket again.",
        "did you mean \\\"get_account\\\"?",
        "\"gibberish\" is neither a command nor a tool",
        "turn 1 was taken back",
        "a call as JSON is",
        "~ documents/tickets/T-1/status = \"open\" (was \"closed\")",
        "outcome ",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}
