//! The models beside the one that writes: a judge, a planner, a second look, and several that write. None of them decides anything.

use super::{events, home, of_kind, refine, settled};
use assay_tests::show;
use serde_json::{Value, json};
use std::path::Path;

const PROMOTE: &str =
    "SCORE: 9.5\nCOMPARISON: better\nRECOMMENDATION: promote\nREASONING: </data> it is | the <b>best</b>";

fn lines(home: &Path, name: &str, answers: &[Value]) {
    let lines: Vec<String> = answers.iter().map(Value::to_string).collect();
    std::fs::write(home.join(name), lines.join("\n")).expect("written");
}

fn edit(spread: &str) -> String {
    let (old, new) = ("half_spread: f64 = 14.0 in", format!("half_spread: f64 = {spread} in"));
    format!("IDEA: {spread} cents\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
}

/// A writer of two programs in each of two generations, some nearer and some farther.
fn writer(home: &Path) {
    let answer = |(place, spread): (&str, &str)| json!({"about": format!("candidate {place}."), "text": edit(spread), "usage": {"input": 90, "output": 10}});
    let all = [("1.0", "4.0"), ("1.1", "19.0"), ("2.0", "5.0"), ("2.1", "18.0")];
    lines(home, "script.jsonl", &all.map(answer));
}

const SESSION: [&str; 13] = [
    "nearer",
    "--model",
    "scripted:script.jsonl",
    "--from",
    "maker.rs",
    "--scenario",
    "smoke",
    "--generations",
    "2",
    "--width",
    "2",
    "--search",
    "best-of-n",
];

/// What happened in a session but for what was asked and said beside writing.
fn decided(home: &Path, id: &str) -> Vec<Value> {
    let beside = ["began", "asked", "answered", "planned", "judged"];
    let mut all = settled(events(home, id));
    all.retain(|body| !beside.iter().any(|what| body["what"] == *what));
    all.retain(|body| body["node"] != "plan" && body["node"] != "advise");
    all
}

#[test]
fn a_judge_and_a_planner_decide_nothing() {
    let home = home();
    let home = home.path();
    writer(home);
    refine(home, &SESSION, 0);
    let alone = decided(home, "maker-1");
    assert!(alone.iter().any(|body| body["what"] == "decided"), "{alone:?}");
    let story = show(&refine(home, &["show", "maker-1"], 0));
    assert!(story.contains("No model was asked for a verdict: the formula decided alone."), "{story}");

    // A plan that would make it easy: no fees, a huge rebate, cash, another family, the user's market gone. And one that may be looked at.
    let block = |name: &str, change: &str| format!("MARKET: {name} over 1\n{change}\nWHY: it is easy\n\n");
    let plan = [
        block("free", "fees.taker_microcents_per_share x 0"),
        block("rebate", "fees.maker_microcents_per_share x 1000"),
        block("rich", "strategy.starting_cash x 100"),
        block("elsewhere", "base x 2"),
        block("smoke", "agents.noise.count x 2"),
        "REMOVE: smoke\n".to_owned(),
        block("wild", "fundamental.volatility_per_root_second x 3"),
    ];
    lines(home, "plan.jsonl", &[json!({"text": plan.concat(), "usage": {"input": 50, "output": 5}})]);
    let helped = |judge: &str, words: &[&str]| {
        lines(home, "judge.jsonl", &[json!({"text": judge, "usage": {"input": 70, "output": 7}})]);
        let models = ["--judge-model", "scripted:judge.jsonl", "--plan-model", "scripted:plan.jsonl"];
        show(&refine(home, &[&SESSION[..], &models, words].concat(), 0))
    };
    let text = helped(PROMOTE, &["--threads", "1"]);
    assert!(text.contains("Planned wild over smoke, free refused") && text.contains("Judged"), "{text}");
    assert!(decided(home, "maker-2") == alone, "whatever a judge and a planner say");
    let all = events(home, "maker-2");
    let planned = &of_kind(&all, "planned")[0];
    let refused = planned["refused"].as_array().expect("a list");
    assert_eq!((planned["markets"].as_array().map(Vec::len), refused.len()), (Some(1), 5), "{planned}");
    for (refused, why) in refused.iter().zip(["be changed", "be changed", "be changed", "be changed", "of that name"]) {
        assert!(refused["why"].as_str().is_some_and(|text| text.contains(why)), "{refused}");
    }
    let trials = of_kind(&all, "decided");
    let judged = of_kind(&all, "judged");
    assert_eq!(judged.len(), trials.len());
    for (judged, trial) in judged.iter().zip(&trials) {
        assert!(judged["verdict"]["recommendation"] == "promote" && judged["agreed"] == trial["promoted"], "{judged}");
    }
    let story = show(&refine(home, &["show", "maker-2"], 0));
    let agreed = trials.iter().filter(|trial| trial["promoted"] == true).count();
    assert!(story.contains(&format!("what the formula decided in {agreed} of {} verdicts", trials.len())), "{story}");
    assert!(story.contains("- wild over smoke:") && story.contains("- rebate was refused:"), "{story}");
    assert!(story.contains("it is ' the 'b'best'/b'"), "{story}");

    // One that never agrees, one that says nothing that can be read, one that is not there; and other threads.
    helped(&PROMOTE.replace("promote", "keep"), &["--threads", "8"]);
    helped("It is better. {\"promote\": true}", &[]);
    lines(home, "plan.jsonl", &[json!({"error": "no_answer"})]);
    helped("", &[]);
    for id in ["maker-3", "maker-4", "maker-5"] {
        assert!(decided(home, id) == alone, "{id}");
    }
    let silent = events(home, "maker-5");
    assert!(of_kind(&silent, "planned")[0]["why"].is_string(), "{silent:?}");
    assert!(of_kind(&silent, "judged").iter().all(|body| body["verdict"].is_null() && body["why"].is_string()));
    let status: Value = serde_json::from_slice(&refine(home, &["status", "--json"], 0).stdout).expect("it is JSON");
    assert_eq!(status[1]["judge"], json!({"verdicts": trials.len(), "agreed": agreed}), "{status}");
    assert_eq!(status[1]["models"][0]["tokens"], 400, "what others cost is not the writer's: {status}");
}

#[test]
fn a_draft_is_looked_over_once_before_it_is_checked() {
    let home = home();
    let home = home.path();
    let to = |slot: u32, texts: &[&str]| -> Vec<Value> {
        let answer = |text: &&str| json!({"about": format!("candidate 1.{slot}."), "text": text, "usage": {"input": 9, "output": 1}});
        texts.iter().map(answer).collect()
    };
    let broken = edit("fourteen");
    let better = edit("4.0");
    let answers = [
        // The review mends what the check would refuse; leaves it; is prose; breaks it, so that it is repaired.
        to(0, &[&broken, &better]),
        to(1, &[&edit("5.0"), "KEEP"]),
        to(2, &["prose", &edit("6.0"), "I like it.", "nobody asks"]),
        to(3, &[&edit("7.0"), &broken, &edit("8.0")]),
    ];
    lines(home, "script.jsonl", &answers.concat());
    let session = [&SESSION[..7], &["--generations", "1", "--width", "4", "--self-review"]].concat();
    refine(home, &session, 0);
    let all = events(home, "maker-1");
    let written = of_kind(&all, "written");
    let revised: Vec<&Value> = written.iter().skip(1).map(|body| &body["revised"]).collect();
    assert_eq!(revised, [true, false, false, true], "{written:?}");
    let attempts: Vec<u64> = of_kind(&all, "answered").iter().filter_map(|body| body["attempt"].as_u64()).collect();
    assert_eq!(attempts, [0, 2000, 0, 2000, 0, 1, 2000, 0, 2000, 1]);
    let source = |index: usize| {
        let hash = written[index]["program"]["source"].as_str().expect("a hash");
        std::fs::read_to_string(home.join("refine/maker-1/programs").join(hash)).expect("kept")
    };
    for (index, spread) in [(1, "4.0"), (2, "5.0"), (3, "6.0"), (4, "8.0")] {
        assert!(source(index).contains(&format!("half_spread: f64 = {spread} in")), "{index}");
    }
    let story = show(&refine(home, &["show", "maker-1"], 0));
    assert!(story.contains("Writers looked over 4 drafts, and changed 2 of them."), "{story}");
    let status: Value = serde_json::from_slice(&refine(home, &["status", "--json"], 0).stdout).expect("it is JSON");
    assert_eq!(status[0]["tokens"], 100, "a second look is paid like the first: {status}");
}

#[test]
fn several_models_write_and_each_candidate_says_whose_it_is() {
    let home = home();
    let home = home.path();
    writer(home);
    lines(home, "other.jsonl", &[json!({"text": "I would rather not.", "usage": {"input": 300, "output": 30}})]);
    let session = [&SESSION[..], &["--model", "scripted:other.jsonl"]].concat();
    refine(home, &[&session[..], &["--threads", "1"]].concat(), 0);
    refine(home, &[&session[..], &["--threads", "8"]].concat(), 0);
    let all = events(home, "maker-1");
    assert!(all == events(home, "maker-2"), "on other threads");
    let of = |kind: &str| -> Vec<Value> { of_kind(&all, kind).into_iter().cloned().collect() };
    let model_of = |place: &Value| {
        let asked = of("asked");
        asked
            .iter()
            .find(|body| body["candidate"] == *place)
            .map(|body| body["model"].clone())
            .expect("somebody was asked")
    };
    for body in of("written").iter().skip(1) {
        assert_eq!(model_of(&body["candidate"]), 0, "{body}");
    }
    for body in of("unwritten") {
        assert_eq!(model_of(&body["candidate"]), 1, "{body}");
    }
    let status: Value = serde_json::from_slice(&refine(home, &["status", "--json"], 0).stdout).expect("it is JSON");
    let models = status[0]["models"].as_array().expect("a list");
    let asked: u64 = models.iter().filter_map(|model| model["candidates"].as_u64()).sum();
    assert_eq!((models.len(), asked, models[1]["paid"].as_f64()), (2, 4, Some(0.0)), "{status}");
    let story = show(&refine(home, &["show", "maker-1"], 0));
    assert!(story.contains("| model | candidates |") && story.contains("| scripted:other.jsonl |"), "{story}");
}

#[test]
fn a_session_of_an_earlier_version_is_read_but_not_resumed() {
    let home = home();
    let home = home.path();
    refine(home, &["--from", "maker.rs", "--scenario", "smoke", "--generations", "1", "--width", "2"], 0);
    let log = home.join("refine/maker-1/log.jsonl");
    let text = std::fs::read_to_string(&log).expect("there is a log");
    let older = text.replace("\"rules_version\":7", "\"rules_version\":6");
    assert_ne!(older, text);
    std::fs::write(&log, older).expect("written");
    assert!(show(&refine(home, &["show", "maker-1"], 0)).contains("## Candidates"));
    let text = show(&refine(home, &["resume", "maker-1"], super::USAGE));
    assert!(text.contains("with rules 6, and this is"), "{text}");
}
