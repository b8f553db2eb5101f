//! Settings of a run that were changed after its episodes had run: what their trajectories state of them is shown beside what `run.json` says.

use crate::api::json_of;
use crate::contradicted::{last_hash, metadata, scored};
use crate::fixture::{Memory, Server, check_is_inert};
use assay_model::{Seed, Time};
use assay_rollout::run::{RunRecord, episode_seed};
use assay_trace::score::{Finite, ScoreNode};
use assay_trace::{Metadata, Outcome, TrajectoryId, Verdict, Writer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What somebody does to the record of a run, and what its page says then.
type Change = (fn(&mut Value), Option<&'static str>);

const CHANGES: &[Change] = &[
    (|_| {}, None),
    (|run| run["settings"]["model_url"] = json!("nobody states it"), None),
    (|run| run["settings"]["faults"] = json!("heavy"), Some("faults: &quot;heavy&quot; here, &quot;none&quot; in ")),
    (|run| run["settings"]["world"] = json!("bank"), Some("world: &quot;bank&quot; here, &quot;desk&quot; in ")),
    (|run| run["settings"]["assay"] = json!("9"), Some("assay: &quot;9&quot; here, &quot;0.1.0&quot; in ")),
    (|run| run["settings"]["steps"] = json!(9), Some("steps: 9 here, 40 in episodes/t.s1.jsonl")),
    (|run| run["settings"]["time_ns"] = json!(null), Some("time_ns: null here, 7 in ")),
    (|run| run["settings"]["tokens"] = json!(5), Some("tokens: 5 here, null in ")),
    (|run| run["settings"]["seed"] = json!(6), Some("which follows from another in ")),
    (|run| run["settings"]["samples"] = json!(0), Some("samples: 0 here, sample 1 in ")),
    (|run| run["tasks"]["t"] = json!("f"), Some("task t: f here, 0 in ")),
];

#[test]
fn settings_that_were_changed_after_the_fact_are_told() {
    for (change, expected) in CHANGES {
        let folder = tempfile::tempdir().expect("a folder");
        let run = folder.path().join("run");
        fs::create_dir_all(run.join("episodes")).expect("made");
        let settings = [
            ("agent", json!("model")),
            ("assay", json!("0.1.0")),
            ("world", json!("desk")),
            ("faults", json!("none")),
            ("samples", json!(1)),
            ("seed", json!(5)),
            ("steps", json!(40)),
            ("time_ns", json!(7)),
            ("tokens", json!(null)),
        ];
        let settings = settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let tasks = BTreeMap::from([("t".to_owned(), "0".to_owned())]);
        let mut record = serde_json::to_value(RunRecord::new(settings, tasks)).expect("JSON");
        change(&mut record);
        fs::write(run.join("run.json"), record.to_string()).expect("written");
        let (id, seed) = (TrajectoryId::new("t.s1").expect("an id"), episode_seed(Seed(5), "t", 1));
        let mut metadata = Metadata::new(id, "t", "model", seed, Time(1));
        metadata.versions = BTreeMap::from([("assay".to_owned(), "0.1.0".to_owned())]);
        metadata.hashes = BTreeMap::from([("task".to_owned(), "0".to_owned())]);
        let limits = [("steps", 40), ("wall_ns", 7), ("context_tokens", 28_000)];
        metadata.limits = limits.into_iter().map(|(name, limit)| (name.to_owned(), limit)).collect();
        metadata.tags = vec!["world".to_owned(), "desk".to_owned()];
        metadata.meta.insert("faults".to_owned(), json!("none"));
        let hash = scored(&run.join("episodes/t.s1.jsonl"), &metadata, 1.0);
        let line = json!({
            "id": "t.s1", "task": "t", "sample": 1, "attempt": 1, "seed": seed.0, "result": {"scored": {"reward": 1.0, "outcome": "success"}},
            "reason": "", "steps": 0, "tokens": 0, "cost_microdollars": 0, "flags": [], "duration_ns": 5, "hash": hash,
        });
        fs::write(run.join("results.jsonl"), format!("{line}\n")).expect("written");
        let server = Server::start(&[folder.path()]);
        let path = server.link("/worlds", "/worlds/");
        let page = server.get(&path);
        assert_eq!(page.status, 200, "{}", page.body);
        let notice = "was changed after episodes had run";
        assert_eq!(page.body.contains(notice), expected.is_some(), "{expected:?}\n{}", page.body);
        let told = json_of(&server, &format!("/api{path}"));
        let altered = told["altered"].as_array().expect("a list");
        assert_eq!(altered.len(), usize::from(expected.is_some()), "{told}");
        if let Some(words) = expected {
            assert!(page.body.contains(words), "{words}\n{}", page.body);
        }
    }
}

/// The model of a rollout that was played by another, what its trajectory names, the rule of the rollout, what scored it, and what the page says.
type Played = (&'static str, &'static str, &'static str, &'static str, Option<&'static str>);

const PLAYED: &[Played] = &[
    ("openai:a", "openai:a", "strict", "strict 0.1.0", None),
    ("scripted", "scripted:a.jsonl", "strict", "strict 0.1.0", None),
    ("scripted:some/a.jsonl", "scripted:a.jsonl", "strict", "strict 0.1.0", None),
    ("cassette:a.jsonl", "openai:a", "strict", "strict 0.1.0", None),
    // Whatever else scores says nothing of the rule.
    ("openai:a", "openai:a", "strict", "test", None),
    ("gpt-9", "openai:a", "strict", "strict 0.1.0", Some("model: &quot;gpt-9&quot; here, &quot;openai:a&quot; in ")),
    ("openai:b", "openai:a", "strict", "strict 0.1.0", Some("model: &quot;openai:b&quot; here, ")),
    ("scripted", "openai:a", "strict", "strict 0.1.0", Some("model: &quot;scripted&quot; here, ")),
    ("scripted:b.jsonl", "scripted:a.jsonl", "strict", "strict 0.1.0", Some("&quot;scripted:b.jsonl&quot; here, ")),
    ("openai:a", "openai:a", "strict", "swe_bench 0.1.0", Some("rule: &quot;strict&quot; here, &quot;swe_bench&quot;")),
];

/// Makes a rollout of one solved episode with these settings. The trajectory is one of `model`, and scored by `scorer`.
fn rollout(run: &Path, settings: &[(&str, &str)], model: &str, scorer: &str) {
    fs::create_dir_all(run.join("episodes")).expect("made");
    let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    let tasks = BTreeMap::from([("t".to_owned(), "0".to_owned())]);
    fs::write(run.join("run.json"), serde_json::to_vec(&RunRecord::new(settings, tasks)).expect("JSON"))
        .expect("written");
    let score = ScoreNode::scored("score", Finite::new(1.0).expect("finite"));
    let verdict = Verdict::scored(Time(1), scorer, Outcome::Success, "finished", score).expect("a verdict");
    let mut writer = Writer::create(Memory::default(), &metadata("t.s1", model)).expect("begun");
    writer.append(&[verdict.into()]).expect("written");
    let text = String::from_utf8(writer.into_sink().0).expect("text");
    let line = json!({
        "id": "t.s1", "task": "t", "sample": 1, "attempt": 1, "seed": 1, "result": {"scored": {"reward": 1.0, "outcome": "success"}},
        "reason": "", "steps": 0, "tokens": 0, "cost_microdollars": 0, "flags": [], "duration_ns": 5, "hash": last_hash(&text),
    });
    fs::write(run.join("episodes/t.s1.jsonl"), text).expect("written");
    fs::write(run.join("results.jsonl"), format!("{line}\n")).expect("written");
}

#[test]
fn another_model_or_rule_than_that_of_the_episodes_is_told() {
    for &(asked, model, rule, scorer, expected) in PLAYED {
        let folder = tempfile::tempdir().expect("a folder");
        rollout(&folder.path().join("run"), &[("model", asked), ("rule", rule)], model, scorer);
        let server = Server::start(&[folder.path()]);
        let path = server.link("/rollouts", "/rollouts/");
        let page = server.get(&path);
        assert_eq!(page.status, 200, "{}", page.body);
        let told = json_of(&server, &format!("/api{path}"));
        assert_eq!(told["unsealed"], json!([]), "{told}");
        let altered = told["altered"].as_array().expect("a list");
        assert_eq!(altered.len(), usize::from(expected.is_some()), "{asked}, {model}\n{told}");
        if let Some(words) = expected {
            assert!(page.body.contains(words), "{words}\n{}", page.body);
        }
    }
}

#[test]
fn a_score_that_was_added_later_says_nothing_of_the_rule() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    rollout(&run, &[("model", "openai:a"), ("rule", "strict")], "openai:a", "strict 0.1.0");
    let score = ScoreNode::scored("score", Finite::new(1.0).expect("finite"));
    let [first, again] = ["strict 0.1.0", "swe_bench 0.1.0"].map(|scorer| {
        Verdict::scored(Time(1), scorer, Outcome::Success, "finished", score.clone()).expect("a verdict").into()
    });
    let mut writer = Writer::create(Memory::default(), &metadata("t.s1", "openai:a")).expect("begun");
    writer.append(&[first, again]).expect("written");
    fs::write(run.join("episodes/t.s1.jsonl"), writer.into_sink().0).expect("written");
    let server = Server::start(&[folder.path()]);
    let told = json_of(&server, &format!("/api{}", server.link("/rollouts", "/rollouts/")));
    assert_eq!((&told["altered"], &told["total"]), (&json!([]), &json!(1)), "{told}");
}

#[test]
fn a_first_line_that_was_changed_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    rollout(&run, &[("model", "gpt-9")], "openai:a", "strict 0.1.0");
    let file = run.join("episodes/t.s1.jsonl");
    let text = fs::read_to_string(&file).expect("text");
    fs::write(&file, text.replace("openai:a", "gpt-9")).expect("written");
    let server = Server::start(&[folder.path()]);
    let path = server.link("/rollouts", "/rollouts/");
    let page = server.get(&path);
    check_is_inert(&path, &page);
    assert!(page.body.contains("1 trajectory has a first line that was changed"), "{}", page.body);
    let told = json_of(&server, &format!("/api{path}"));
    let id = path.trim_start_matches("/rollouts/");
    assert_eq!((&told["altered"], &told["unsealed"]), (&json!([]), &json!([format!("{id}.t.s1")])), "{told}");
}
