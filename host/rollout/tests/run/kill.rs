//! kill -9 at random moments: no finished episode is lost, none runs twice, nothing is left lying about.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use assay_model::{Seed, Stream};

use crate::support::files;

const EPISODES: usize = 200;
const KILLS: u64 = 20;

fn helper(folder: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_assay-rollout-helper"))
        .args([&folder.display().to_string(), &EPISODES.to_string(), "7"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the helper starts")
}

/// What it says has finished, until it was said `most` times or it ends.
fn finished(child: &mut Child, most: usize) -> Vec<String> {
    let lines = BufReader::new(child.stdout.as_mut().expect("it is piped")).lines();
    lines.map_while(Result::ok).take(most).collect()
}

fn journal(folder: &Path) -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(folder.join("results.jsonl")).unwrap_or_default();
    let mut counts = BTreeMap::new();
    for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        let record: serde_json::Value = serde_json::from_str(line).expect("whole lines are JSON");
        *counts.entry(record["id"].as_str().expect("a name").to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn twenty_kills_lose_nothing_and_repeat_nothing() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("run");
    let mut random = Stream::new(Seed(20), "kill", "moments");
    let mut said: BTreeSet<String> = BTreeSet::new();
    for kill in 1..=KILLS {
        let mut child = helper(&folder);
        // Moments are counted in finished episodes, not in time: the same ones on a slow machine. The first falls before anything finished.
        let most = if kill == 1 { 0 } else { 1 + random.below(12) as usize };
        let now = finished(&mut child, most);
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
        for id in now {
            assert!(said.insert(id.clone()), "{id} finished twice (kill {kill})");
        }
        let lines = journal(&folder);
        assert!(lines.values().all(|count| *count == 1), "kill {kill}: {lines:?}");
        assert!(said.iter().all(|id| lines.contains_key(id)), "kill {kill}: a finished episode is lost");
        // What was journalled without being said is finished too.
        said.extend(lines.into_keys());
    }
    assert!(said.len() < EPISODES, "the kills came too late to mean anything");
    let mut child = helper(&folder);
    let rest = finished(&mut child, usize::MAX);
    assert!(child.wait().expect("it ends").success());
    assert!(rest.iter().all(|id| !said.contains(id)), "an episode ran twice");

    let lines = journal(&folder);
    assert_eq!(lines.len(), EPISODES);
    assert!(lines.values().all(|count| *count == 1));
    let expected: BTreeSet<String> = lines
        .keys()
        .flat_map(|id| [format!("episodes/{id}.jsonl"), format!("episodes/{id}/log")])
        .chain(["results.jsonl".to_owned(), "run.json".to_owned()])
        .collect();
    assert_eq!(files(&folder).into_iter().collect::<BTreeSet<_>>(), expected);
    assert!(!folder.join("lock").exists());
}

#[test]
fn files_that_may_grow_no_more_cost_nothing_that_finished() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("run");
    // The journal reaches its limit in the middle of a line; the signal that would end the process is ignored, as on a full disk there is none.
    let limited = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 10; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_assay-rollout-helper")])
        .args([&folder.display().to_string(), &EPISODES.to_string(), "7"])
        .output()
        .expect("a shell starts");
    let why = String::from_utf8_lossy(&limited.stderr);
    assert!(!limited.status.success() && why.contains("results.jsonl") && why.contains("File too large"), "{why}");
    let said: BTreeSet<String> = String::from_utf8_lossy(&limited.stdout).lines().map(str::to_owned).collect();
    assert!((1..EPISODES).contains(&said.len()));
    let mut child = helper(&folder);
    let rest = finished(&mut child, usize::MAX);
    assert!(child.wait().expect("it ends").success());
    assert!(rest.iter().all(|id| !said.contains(id)), "an episode ran twice");
    let lines = journal(&folder);
    assert!(lines.len() == EPISODES && lines.values().all(|count| *count == 1));
}
