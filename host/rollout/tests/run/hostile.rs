//! Folders that are in use, somebody else's, damaged or full.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;

use assay_rollout::ports::Sinks as _;
use assay_rollout::run::{FolderError, RunEnd, RunFolder, RunRecord, Stop, plan};
use assay_trace::{Digest, Metadata, TrajectoryId};

use crate::support::{Act, SEED, drive, files, metadata, names, open, proven, record, says, verdict};

fn refusal(result: Result<RunFolder, FolderError>) -> String {
    let error = result.expect_err("the folder is refused");
    format!("{error} ({})", error.hint().unwrap_or_else(|| "no hint".to_owned()))
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

#[test]
fn a_folder_in_use_or_of_another_kind_is_refused() {
    let home = tempfile::tempdir().expect("a folder");
    let run = home.path().join("run");
    let first = open(&run, 2, 1, false).expect("a new folder");
    let text = refusal(open(&run, 2, 1, false));
    assert!(text.contains("another run") && text.contains(&std::process::id().to_string()), "{text}");
    drop(first);
    let text = refusal(RunFolder::open(&run, &record(&names(2), "other"), &[], false));
    assert!(text.contains("model was \"scripted\", now it is \"other\""), "{text}");
    let text = refusal(open(&run, 3, 1, false));
    assert!(text.contains("task t3 was not there"), "{text}");

    std::fs::write(home.path().join("file"), "mine").expect("written");
    let text = refusal(open(home.path(), 1, 1, false));
    assert!(text.contains("no run.json") && text.contains("nothing in this one was touched"), "{text}");
    let text = refusal(open(&home.path().join("file"), 1, 1, false));
    assert!(text.contains("it is a file"), "{text}");
    std::fs::write(home.path().join("run.json"), "{\"format\": \"x\"}").expect("written");
    assert!(refusal(open(home.path(), 1, 1, false)).contains("something else"));
    assert!(!home.path().join("lock").exists() && !home.path().join("episodes").exists());
}

#[test]
fn nothing_of_a_run_is_written_through_a_link() {
    let home = tempfile::tempdir().expect("a folder");
    let victim = home.path().join("victim");
    let victims = home.path().join("victims");
    std::fs::write(&victim, "mine").expect("written");
    std::fs::create_dir(&victims).expect("made");
    std::fs::write(victims.join("t1.s1.jsonl"), "mine").expect("written");
    for (name, to) in [
        ("lock", &victim),
        ("results.jsonl", &victim),
        ("run.json", &victim),
        ("episodes", &victims),
        ("outputs", &victims),
    ] {
        let run = home.path().join("run");
        let _ = std::fs::remove_dir_all(&run);
        drop(open(&run, 2, 1, false).expect("a new folder"));
        let place = run.join(name);
        let _ = std::fs::remove_dir(&place);
        let _ = std::fs::remove_file(&place);
        symlink(to, &place).expect("linked");
        assert!(open(&run, 2, 1, false).is_err(), "{name}");
        assert_eq!(std::fs::read_to_string(&victim).expect("it is there"), "mine", "{name}");
        assert_eq!(std::fs::read(victims.join("t1.s1.jsonl")).expect("it is there"), b"mine", "{name}");
    }
    // The folder itself.
    symlink(&victims, home.path().join("linked")).expect("linked");
    assert!(open(&home.path().join("linked"), 2, 1, false).is_err());
    assert_eq!(std::fs::read_dir(&victims).expect("a folder").count(), 1);
}

#[test]
fn impossible_plans_are_refused() {
    for id in ["", ".x", "-x", "a/b", "..", "a b", "ü", &"x".repeat(201)] {
        assert!(plan(&[id.to_owned()], 1, SEED).is_err(), "{id}");
    }
    for (tasks, samples) in [(vec![], 1), (names(1), 0), (names(1), 10_001), (vec!["a".to_owned(); 2], 1)] {
        assert!(plan(&tasks, samples, SEED).is_err(), "{tasks:?} {samples}");
    }
}

#[test]
fn what_a_crash_leaves_is_recovered_or_removed() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = open(home.path(), 4, 1, false).expect("a new folder");
    let specs: Vec<_> = folder.pending().iter().map(|pending| pending.spec.clone()).collect();
    runtime().block_on(async {
        // Scored, but its line was lost; cut in the middle; begun twice; with a sub-agent.
        let mut scored = folder.files("t1.s1").begin(metadata(&specs[0])).await.expect("begun");
        scored.append(vec![says("done", 1), verdict(true)]).await.expect("written");
        let mut cut = folder.files("t2.s1").begin(metadata(&specs[1])).await.expect("begun");
        cut.append(vec![says("done", 1), verdict(true)]).await.expect("written");
        let id = TrajectoryId::new("t1.s1.1").expect("an id");
        let sub = Metadata { id, ..metadata(&specs[0]) };
        folder.files("t1.s1").begin(sub).await.expect("written");
        for (id, owner) in [("t1.s1/../x", "t1.s1"), ("t2.s1", "t1.s1"), ("t1.s12", "t1.s1")] {
            let id = TrajectoryId::new(id).expect("an id");
            let stranger = Metadata { id, ..metadata(&specs[0]) };
            assert!(folder.files(owner).begin(stranger).await.is_err());
        }
    });
    drop(folder);
    let path = home.path().join("episodes/t2.s1.jsonl");
    let bytes = std::fs::read(&path).expect("a trajectory");
    std::fs::write(&path, &bytes[..bytes.len() - 1]).expect("written");
    std::fs::write(home.path().join(".assay-draft-17"), "half").expect("written");
    std::fs::write(home.path().join("lock"), "4194304000\n").expect("written");
    for id in ["t1.s1", "t2.s1"] {
        std::fs::create_dir_all(home.path().join("episodes").join(id)).expect("made");
        std::fs::write(home.path().join("episodes").join(id).join("log"), "whole").expect("written");
        std::fs::write(home.path().join("outputs").join(format!("{id}.1.log")), "whole").expect("written");
    }
    std::fs::create_dir(home.path().join("outputs/unfinished")).expect("made");

    let folder = open(home.path(), 4, 1, false).expect("the folder");
    assert_eq!(folder.finished().map(|record| record.id.as_str()).collect::<Vec<_>>(), ["t1.s1"]);
    let found = files(home.path());
    let kept = [
        "episodes/t1.s1.1.jsonl",
        "episodes/t1.s1.jsonl",
        "episodes/t1.s1/log",
        "outputs/t1.s1.1.log",
        "results.jsonl",
        "run.json",
    ];
    assert_eq!(found, kept);
}

/// Trajectories of another agent for the same tasks and seeds are none of this run, whether their lines are there or lost.
#[test]
fn trajectories_of_another_agent_are_refused() {
    let home = tempfile::tempdir().expect("a folder");
    let tasks = names(1);
    let plan = plan(&tasks, 1, SEED).expect("a small plan");
    let opened = |agent: &str| {
        let settings = BTreeMap::from([("agent".to_owned(), agent.into())]);
        let digests = tasks.iter().map(|task| (task.clone(), "digest".to_owned())).collect();
        RunFolder::open(home.path(), &RunRecord::new(settings, digests), &plan, false)
    };
    let mut folder = opened("none").expect("a new folder");
    drive(&mut folder, 1, &Stop::new(), |_| Act::Solve);
    drop(folder);
    drop(opened("none").expect("its own agent's"));
    let run = home.path().join("run.json");
    let whole = std::fs::read_to_string(&run).expect("a record");
    std::fs::write(&run, whole.replace("\"none\"", "\"other\"")).expect("written");
    for lines in [None, Some("")] {
        if let Some(lines) = lines {
            std::fs::write(home.path().join("results.jsonl"), lines).expect("written");
        }
        let text = refusal(opened("other"));
        let expected = "episodes/t1.s1.jsonl was played by \"none\", but this is a run of \"other\"";
        assert!(text.contains(expected) && text.contains("remove that file"), "{text}");
    }
}

/// The first line of a trajectory, then one that is small on disk and large in memory, then another.
fn swollen(whole: &str) -> String {
    let first = whole.lines().next().and_then(|line| line.rsplit_once(",\"_hash\"")).expect("a sealed line").0;
    let lists = vec!["[]"; 4_000_000].join(",");
    let notes = format!("{{\"_type\":\"message\",\"role\":\"user\",\"meta\":{{\"a\":[{lists}]}}");
    let event = "{\"_type\":\"event\",\"at_ns\":1,\"kind\":\"mine\",\"body\":0";
    let (mut previous, mut file) = (Digest::ZERO, String::new());
    for line in [first, &notes, event] {
        previous = Digest::chained(previous, line.as_bytes());
        file += &format!("{line},\"_hash\":\"{previous}\"}}\n");
    }
    file
}

/// Neither for figures and pages nor to go on with a run.
#[test]
fn a_trajectory_that_needs_too_much_memory_is_named_and_not_parsed() {
    let home = tempfile::tempdir().expect("a folder");
    let mut folder = open(home.path(), 2, 1, false).expect("a new folder");
    drive(&mut folder, 1, &Stop::new(), |_| Act::Solve);
    drop(folder);
    let file = home.path().join("episodes/t1.s1.jsonl");
    let whole = std::fs::read_to_string(&file).expect("a trajectory");
    std::fs::write(&file, swollen(&whole)).expect("written");
    let needs = "up to line 2, it needs more than 1073741824 bytes of memory";
    let found = proven(home.path());
    let doubts: Vec<&str> = found.doubts.iter().map(|doubt| doubt.why.as_str()).collect();
    assert_eq!(doubts, [format!("its trajectory, episodes/t1.s1.jsonl, is not one of Assay: {needs}")]);
    assert_eq!(found.records.iter().map(|record| record.id.as_str()).collect::<Vec<_>>(), ["t2.s1"]);
    // Without their lines, episodes are read again.
    std::fs::write(home.path().join("results.jsonl"), "").expect("written");
    let text = refusal(open(home.path(), 2, 1, false));
    assert!(text.contains("t1.s1.jsonl") && text.contains(needs) && text.contains("move the file away"), "{text}");
}

/// A journal of which the first line says that its episode has no score, and names no record of its trajectory.
fn unnamed(whole: &str) -> String {
    let (first, rest) = whole.split_once('\n').expect("lines");
    let mut line: serde_json::Value = serde_json::from_str(first).expect("it is JSON");
    line["result"] = "unscored".into();
    line["hash"] = "ab".repeat(32).into();
    format!("{line}\n{rest}")
}

#[test]
fn a_damaged_journal_is_refused_and_a_cut_one_is_not() {
    let home = tempfile::tempdir().expect("a folder");
    let mut folder = open(home.path(), 3, 1, false).expect("a new folder");
    drive(&mut folder, 1, &Stop::new(), |_| Act::Solve);
    drop(folder);
    let path = home.path().join("results.jsonl");
    let whole = std::fs::read_to_string(&path).expect("a journal");
    let first = whole.lines().next().expect("a line").to_owned();
    for (content, expected) in [
        (whole.replacen("\"sample\":1", "\"sample\":x", 1), "line 1"),
        (whole.replace("\"sample\":1", "\"sample\":x"), "so are lines 2, 3"),
        (whole.replace("\"sample\":1", "\"sample\":x"), "remove lines 1, 2, 3 of"),
        // What an agent that runs as the user could write into it.
        (whole.replacen("\"tokens\":7", "\"tokens\":8", 1), "its number of tokens is 8, but that of its trajectory"),
        (whole.replacen("\"steps\":1", "\"steps\":0", 1), "its number of steps is 0, but that of its trajectory"),
        (whole.replacen("\"reward\":1.0", "\"reward\":1e308", 1), "its reward is"),
        (whole.replacen("\"reward\":1.0", "\"reward\":0.5", 1), "line 1 of"),
        (
            whole.replacen("\"reward\":1.0", "\"reward\":0.5", 1),
            "its reward is 0.5, but that of its trajectory, episodes/t",
        ),
        (
            whole.replacen("\"outcome\":\"success\"", "\"outcome\":\"failure\"", 1),
            "its outcome is failure, but that of its trajectory",
        ),
        (
            whole.replacen("{\"scored\":{\"reward\":1.0,\"outcome\":\"success\"}}", "\"unscored\"", 1),
            "its outcome is unscored, but that of its trajectory",
        ),
        // With the hash of nothing, too.
        (unnamed(&whole), "it is unscored, but its trajectory, episodes/t"),
        (whole.replacen("\"id\":\"t1.s1\"", "\"id\":\"t2.s1\"", 1), "the episode is called \"t2.s1\""),
        (format!("{whole}{first}\n"), "line 4 of"),
        (format!("{whole}{first}\n"), "is there twice"),
        (format!("{whole}{}\n", "x".repeat(2 << 20)), "more than"),
    ] {
        std::fs::write(&path, content).expect("written");
        let text = refusal(open(home.path(), 3, 1, false));
        assert!(text.contains(expected), "{text}");
    }
    // A success that lies where another episode was, with a line that fits it.
    let lines: Vec<&str> = whole.lines().collect();
    let hash = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("it is JSON");
        value["hash"].as_str().expect("a hash").to_owned()
    };
    let id = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("it is JSON");
        value["id"].as_str().expect("an id").to_owned()
    };
    let file = |line: &str| home.path().join(format!("episodes/{}.jsonl", id(line)));
    let own = std::fs::read(file(lines[1])).expect("a trajectory");
    std::fs::copy(file(lines[0]), file(lines[1])).expect("copied");
    std::fs::write(&path, whole.replace(&hash(lines[1]), &hash(lines[0]))).expect("written");
    let text = refusal(open(home.path(), 3, 1, false));
    assert!(text.contains("line 2 of") && text.contains("is that of the episode"), "{text}");
    std::fs::write(file(lines[1]), own).expect("written");
    // Every possible cut of the last line: its trajectory brings the line back.
    let last = whole.trim_end().rfind('\n').expect("three lines") + 1;
    for end in (last..whole.len()).step_by(17).chain([whole.len() - 1]) {
        std::fs::write(&path, &whole[..end]).expect("written");
        let folder = open(home.path(), 3, 1, false).expect("the folder");
        assert_eq!((folder.finished().count(), folder.pending().len()), (3, 0));
        drop(folder);
        let again = std::fs::read_to_string(&path).expect("a journal");
        assert_eq!(again, whole, "the line is the same as it was");
    }
}

#[test]
fn a_trajectory_that_cannot_be_written_ends_the_run_and_counts_nothing() {
    let home = tempfile::tempdir().expect("a folder");
    let mut folder = open(home.path(), 1, 1, false).expect("a new folder");
    std::fs::create_dir(home.path().join("episodes/t1.s1.jsonl")).expect("a folder in the place of the file");
    let (end, told) = drive(&mut folder, 3, &Stop::new(), |_| Act::Solve);
    let RunEnd::Unkept(why) = end else { panic!("{end:?}") };
    assert!(why.contains("episodes/t1.s1.jsonl"), "{why}");
    assert_eq!((told.len(), folder.finished().count()), (1, 0), "{told:?}");
    drop(folder);
    assert_eq!(open(home.path(), 1, 1, false).expect("the folder").pending().len(), 1);
    assert_eq!(files(home.path()), ["results.jsonl", "run.json"]);
}

#[test]
fn of_many_lines_a_message_names_some_and_counts_the_others() {
    let first = (1..=20).map(|line| line.to_string()).collect::<Vec<_>>().join(", ");
    for (lines, expected) in [
        (vec![7], "line 7".to_owned()),
        (vec![7, 3], "lines 3, 7".to_owned()),
        ((1..=20).collect(), format!("lines {first}")),
        ((1..=1_000).collect(), format!("lines {first} and 980 more")),
    ] {
        assert_eq!(assay_rollout::run::lines_in_words(&lines), expected);
    }
}
