//! Real logs and rows beside the workspace, where present: each log must give exactly the statuses that the reference harness reads.
//!
//! They are data of other projects and no part of this one; without them the tests say so and pass.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use assay_grade::rule::{Ended, Evidence, Flag, Rule, Run, Verdict, flags, grade};
use assay_grade::{Parser, Status, decode_log, task};
use serde::Deserialize;

#[derive(Deserialize)]
struct Log {
    file: String,
    instance_id: String,
    parser: String,
    repo: String,
    statuses: BTreeMap<String, Status>,
}

fn data(folder: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data").join(folder);
    if !path.is_dir() {
        // One write: tests of other threads write in between.
        let words = format!("skipped: test logs of other projects, which are not in ../shared/data/{folder}\n");
        let _ = std::io::stderr().write_all(words.as_bytes());
        return None;
    }
    Some(path)
}

#[expect(clippy::disallowed_methods, reason = "a test reads its data")]
fn read(path: &Path) -> String {
    decode_log(&std::fs::read(path).expect("the data is readable"))
}

fn logs() -> Option<(PathBuf, Vec<Log>)> {
    let folder = data("test-logs")?;
    let list = read(&folder.join("expected.jsonl"));
    let logs = list.lines().map(|line| serde_json::from_str(line).expect("a line describes a log")).collect();
    Some((folder, logs))
}

#[test]
fn every_log_gives_the_statuses_of_the_reference() {
    let Some((folder, logs)) = logs() else { return };
    assert!(logs.len() >= 156, "only {} logs", logs.len());
    for Log { file, parser, repo, statuses, .. } in logs {
        let found = Parser::for_repository(&repo).expect("a known repository");
        assert_eq!(found.name().split("_pydantic").next(), Some(parser.as_str()), "{file}");
        let map = found.parse(&read(&folder.join(&file)));
        let map: BTreeMap<String, Status> =
            map.iter().map(|(name, status)| (name.to_owned(), status.clone())).collect();
        assert_eq!(map, statuses, "{file}");
    }
}

/// Honest runs must not be accused: no log here contradicts itself, but those of pytest's own tests, which run pytest.
#[test]
fn honest_logs_forfeit_nothing() {
    let Some((folder, logs)) = logs() else { return };
    for Log { file, repo, .. } in logs {
        let log = read(&folder.join(&file));
        let nested_summaries = repo == "pytest-dev/pytest";
        let found = flags(Evidence { patch: "", log: &log, exit: None, protected: &[], nested_summaries });
        let forfeits: Vec<&Flag> = found.iter().filter(|flag| flag.forfeits()).collect();
        assert!(forfeits.is_empty(), "{file}: {forfeits:?}");
    }
}

#[test]
fn every_row_imports() {
    let Some(folder) = data("rows") else { return };
    for (file, tasks) in [
        ("swe-bench-verified-a.jsonl", 3),
        ("swe-bench-verified-b.jsonl", 3),
        ("swe-gym.jsonl", 3),
        ("swe-smith.jsonl", 1),
    ] {
        let imported = task::import(&read(&folder.join(file)));
        assert_eq!(imported.errors, [], "{file}");
        assert_eq!(imported.tasks.len(), tasks, "{file}");
        assert!(imported.tasks.iter().all(|task| task.scenario().is_some()), "{file}: a parser for every task");
    }
}

/// Rows and logs of the same instance together: what the reference harness decided, with the tests listed in the row.
#[test]
fn rows_and_logs_give_the_known_verdicts() {
    let (Some(rows), Some((folder, logs))) = (data("rows"), logs()) else { return };
    let lines = read(&rows.join("swe-bench-verified-a.jsonl")) + &read(&rows.join("swe-bench-verified-b.jsonl"));
    let mut compared = 0;
    for task in task::import(&lines).tasks {
        for log in logs.iter().filter(|log| log.instance_id == task.public.instance_id) {
            let is_gold = log.file.contains("golden");
            // These logs are older than the markers that the rule asks for.
            let text = format!(">>>>> Start Test Output\n{}\n>>>>> End Test Output", read(&folder.join(&log.file)));
            let run = Run { log: &text, ended: &Ended::Unrecorded, junit: None };
            let scenario = task.scenario().expect("a known repository");
            if let Verdict::Scored(score) = grade(Rule::SweBench, &scenario, run) {
                assert!(!is_gold || score.reward == 1.0, "{}: {score:?}", log.file);
                compared += 1;
            }
        }
    }
    assert!(compared > 0, "no row has a log");
}
