//! `assay refine` as a user meets it: a session that is killed ends as one that is not, threads change nothing, bad answers of a model have a named end,
//! and an attack on the score does not become champion.

use assay_model::{Seed, Stream};
use assay_tests::{assay, root, show};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Output, Stdio};

#[path = "refine/attacks.rs"]
mod attacks;
#[path = "refine/means.rs"]
mod means;
#[path = "refine/models.rs"]
mod models;
#[path = "refine/tampered.rs"]
mod tampered;

const USAGE: i32 = 2;
const REJECTED: i32 = 1;
const INFRASTRUCTURE: i32 = 4;

fn refine(home: &Path, words: &[&str], exit: i32) -> Output {
    // A session without a seed draws one; what is compared here is the same each time.
    let begins = words.iter().any(|word| matches!(*word, "--from" | "--model")) && !words.contains(&"--seed");
    let seed: &[&str] = if begins && words.first() != Some(&"resume") && words.first() != Some(&"bench") {
        &["--seed", "1"]
    } else {
        &[]
    };
    let output = assay(home).arg("refine").args(words).args(seed).output().expect("assay starts");
    assert_eq!(output.status.code(), Some(exit), "{words:?}\n{}", show(&output));
    output
}

/// The events of a session without what may differ.
fn events(home: &Path, id: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(home.join("refine").join(id).join("log.jsonl")).expect("there is a log");
    let event = |line: &str| {
        let mut event: Value = serde_json::from_str(line).expect("each line is an event");
        let fields = event.as_object_mut().expect("an event is an object");
        fields.remove("at_ms");
        fields.remove("owner");
        event
    };
    text.lines().map(event).collect()
}

fn of_kind<'a>(events: &'a [Value], what: &str) -> Vec<&'a Value> {
    events.iter().map(|event| &event["body"]).filter(|body| body["what"] == what).collect()
}

/// A home with the badly tuned example in it, and with two markets: one in which orders are slow, and one that pays makers, so that there is something to be found.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a folder");
    std::fs::copy(root().join("examples/refine/mistuned_maker.rs"), home.path().join("maker.rs")).expect("copied");
    std::fs::write(home.path().join("slow.toml"), "base = \"smoke\"\nstrategy.latency = \"80ms\"\n").expect("written");
    let kind = "fees.maker_microcents_per_share = -3000000\nfees.taker_microcents_per_share = 3100000\n";
    std::fs::write(home.path().join("kind.toml"), format!("base = \"smoke\"\n{kind}")).expect("written");
    home
}

/// With a market that is kept for the end.
const SESSION: [&str; 10] =
    ["--from", "maker.rs", "--scenario", "kind.toml", "--family", "slow.toml", "--generations", "1", "--width", "3"];

#[test]
fn a_session_is_listed_shown_exported_and_forked_and_threads_change_nothing() {
    let home = home();
    refine(home.path(), &[&SESSION[..], &["--threads", "1"]].concat(), 0);
    let whole = events(home.path(), "maker-1");
    let text = show(&refine(home.path(), &[&SESSION[..], &["--threads", "8"]].concat(), 0));
    assert!(text.contains("Result") && text.contains("of 1 markets that it never saw"), "{text}");
    assert!(text.contains("generation 1: the champion is"), "{text}");
    assert!(events(home.path(), "maker-2") == whole, "on other threads");
    let unsealed = of_kind(&whole, "unsealed");
    assert!(
        unsealed.len() == 1 && unsealed[0]["family"][0].as_array().is_some_and(|pairs| pairs.len() == 16),
        "{unsealed:?}"
    );
    refine(home.path(), &["resume", "maker-2"], 0);
    assert_eq!(events(home.path(), "maker-2").len(), whole.len(), "what is over stays so");

    let status = show(&refine(home.path(), &["status"], 0));
    assert!(status.contains("maker-2") && status.contains("done"), "{status}");
    let status: Value =
        serde_json::from_slice(&refine(home.path(), &["status", "--json"], 0).stdout).expect("it is JSON");
    assert!(status[0]["session"] == "maker-1" && status[1]["events"] == whole.len(), "{status}");
    assert!(show(&refine(home.path(), &["show", "maker-1"], 0)).contains("## Unseen markets"));
    let last = refine(home.path(), &["show", "maker-1", "--json", "--after", &(whole.len() - 1).to_string()], 0);
    assert_eq!(String::from_utf8_lossy(&last.stdout).lines().count(), 1, "{}", show(&last));
    refine(home.path(), &["export", "maker-1", "--out", "best.rs"], 0);
    refine(home.path(), &["export", "maker-1"], 0);
    let champion = std::fs::read(home.path().join("refine/maker-1/champion.rs")).expect("written");
    for name in ["best.rs", "maker-1.rs"] {
        assert!(champion == std::fs::read(home.path().join(name)).expect("written"), "{name}");
    }
    refine(home.path(), &["export", "maker-1"], USAGE);
    refine(home.path(), &["stop", "maker-1"], USAGE);
    refine(home.path(), &["fork", "maker-1@9"], 0);
    refine(home.path(), &["resume", "maker-1-fork-1"], 0);
    assert!(of_kind(&events(home.path(), "maker-1-fork-1"), "unsealed").is_empty(), "the seal is its parent's");
}

/// Generations of the scripted session that is killed.
const GENERATIONS: u32 = 12;
const KILLS: u32 = 20;

/// Twelve generations of one candidate each, by two writers that now and then must be asked twice, and look over what they write; by somebody who looks
/// closer before explaining, somebody who proposes markets, and somebody who judges.
fn scripted_session(home: &Path) -> Vec<&'static str> {
    let source = std::fs::read_to_string(home.join("maker.rs")).expect("there");
    let mut answers = Vec::new();
    for generation in 1..=GENERATIONS {
        let about = format!("candidate {generation}.0.");
        if generation % 3 == 0 {
            answers.push(json!({"about": about, "text": "I would quote nearer."}));
        }
        let nearer = source.replace("= 14.0 in", &format!("= {}.0 in", 14 - generation));
        let text = format!("IDEA: quote nearer\n```rust\n{nearer}```");
        // The first one only for a writer who hears the explanation.
        let about = if generation == 1 { "it quotes too far away".to_owned() } else { about };
        answers.push(json!({"about": about, "text": text, "usage": {"input": 900, "output": 100}}));
    }
    answers.rotate_left(1);
    answers.push(json!({"when": "look it over once", "text": "KEEP", "usage": {"input": 50, "output": 1}}));
    script(home, &answers);
    std::fs::copy(home.join("script.jsonl"), home.join("other.jsonl")).expect("copied");
    let plan = "MARKET: slow over 1\nstrategy.latency x 5\nWHY: to see\nMARKET: free over 1\nfees x 0\n";
    std::fs::write(home.join("plan.jsonl"), json!({"text": plan}).to_string()).expect("written");
    let verdict = "SCORE: 5\nCOMPARISON: same\nRECOMMENDATION: keep\nREASONING: it is hardly nearer";
    std::fs::write(home.join("judge.jsonl"), json!({"text": verdict}).to_string()).expect("written");
    let why = [json!("ASK: seeds"), json!({"text": "it quotes too far away", "usage": {"input": 90, "output": 10}})];
    std::fs::write(home.join("why.jsonl"), why.map(|line| line.to_string()).join("\n")).expect("written");
    let writers = ["nearer", "--model", "scripted:script.jsonl", "--model", "scripted:other.jsonl", "--self-review"];
    let others = ["--explain-model", "scripted:why.jsonl", "--judge-model", "scripted:judge.jsonl"];
    let models = [&writers[..], &others[..], &["--plan-model", "scripted:plan.jsonl"]].concat();
    let rest =
        ["--from", "maker.rs", "--scenario", "kind.toml", "--generations", "12", "--width", "1", "--plateau", "0"];
    [&models[..], &rest[..]].concat()
}

/// Events without what a kill may change: a request that was in flight is sent, and written down, once more.
fn settled(events: Vec<Value>) -> Vec<Value> {
    let mut bodies: Vec<Value> = Vec::new();
    for mut event in events {
        let body = event["body"].take();
        if body["what"] != "asked" || bodies.last() != Some(&body) {
            bodies.push(body);
        }
    }
    bodies
}

/// Events that end nodes by the way.
const ENDS: [(&str, &str); 11] = [
    ("planned", "plan"),
    ("written", "write"),
    ("unwritten", "write"),
    ("probed", "execute"),
    ("scored", "execute"),
    ("compared", "execute"),
    ("pooled", "execute"),
    ("unsealed", "execute"),
    ("decided", "judge"),
    ("judged", "advise"),
    ("closed", "aggregate"),
];

/// Every node of the loop begins and ends, one within the other, and somebody who follows the events knows at each where the session is.
fn nodes_are_whole(bodies: &[Value]) {
    let (mut open, mut seen) = (Vec::new(), std::collections::BTreeSet::new());
    for body in bodies {
        let what = body["what"].as_str().expect("a kind");
        let node = body["node"].as_str();
        if let ("entered", Some(node)) = (what, node) {
            seen.insert(node);
            open.push(node);
        } else if let Some(ended) = node.or_else(|| ENDS.iter().find(|end| end.0 == what).map(|end| end.1)) {
            assert_eq!(open.pop(), Some(ended), "{body}");
        }
        assert!(!matches!(what, "asked" | "answered") || !open.is_empty(), "nobody knows what for: {body}");
    }
    assert_eq!(open, Vec::<&str>::new(), "every node ends");
    let all = ["advise", "aggregate", "execute", "explain", "feed_back", "judge", "plan", "validate", "write"];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), all);
    let refused = bodies.iter().filter(|body| body["what"] == "left" && body["why"].is_string());
    assert!(refused.count() > 0, "answers that cannot be used are told");
}

#[test]
fn a_session_that_is_killed_at_twenty_moments_ends_as_one_that_is_not() {
    let home = home();
    let session = scripted_session(home.path());
    refine(home.path(), &[&session[..], &["--threads", "1"]].concat(), 0);
    let whole = settled(events(home.path(), "maker-1"));
    let closed = whole.iter().filter(|body| body["what"] == "closed").count();
    assert_eq!(closed, 1 + GENERATIONS as usize, "{closed}");
    let count = |what: &str| whole.iter().filter(|body| body["what"] == what).count();
    assert_eq!((count("planned"), count("judged")), (1, count("decided")));
    assert!(count("judged") > 0 && whole.iter().any(|body| body["attempt"] == 2_000), "somebody looked over a draft");
    nodes_are_whole(&whole);

    let mut random = Stream::new(Seed(17), "kill", "moments");
    let begin: Vec<&str> = [&["refine", "--json", "--threads", "8", "--seed", "1"], &session[..]].concat();
    let resume = ["refine", "resume", "maker-2", "--json", "--threads", "2"];
    for kill in 0..KILLS {
        let words = if kill == 0 { &begin[..] } else { &resume[..] };
        let mut child =
            assay(home.path()).args(words).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("assay starts");
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        lines.take(1 + random.below(20) as usize).for_each(drop);
        // Somewhere within what comes next.
        std::thread::sleep(std::time::Duration::from_millis(random.below(25)));
        child.kill().expect("it can be killed");
        child.wait().expect("it is gone");
    }
    refine(home.path(), &["resume", "maker-2"], 0);
    let killed = events(home.path(), "maker-2");
    let mut answered: Vec<Value> = Vec::new();
    for event in &killed {
        let key = json!([event["body"]["candidate"], event["body"]["attempt"]]);
        match event["body"]["what"].as_str() {
            Some("asked") => assert!(!answered.contains(&key), "{key} was asked again, though its reply is stored"),
            Some("answered") => answered.push(key),
            _ => {}
        }
    }
    assert!(settled(killed) == whole, "killed {KILLS} times, on other threads");
}

fn script(home: &Path, answers: &[Value]) {
    let lines: Vec<String> = answers.iter().map(Value::to_string).collect();
    std::fs::write(home.join("script.jsonl"), lines.join("\n")).expect("written");
}

const MODEL: [&str; 7] = ["nearer", "--model", "scripted:script.jsonl", "--from", "maker.rs", "--scenario", "smoke"];

#[test]
fn answers_of_all_kinds_have_a_named_end() {
    let home = home();
    let edit = |old: &str, new: &str| format!("IDEA: this\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n");
    let to = |slot: u32, text: &str| json!({"about": format!("candidate 1.{slot}"), "text": text});
    let source = std::fs::read_to_string(home.path().join("maker.rs")).expect("there");
    let escape = "IDEA: look\n```rust\nuse assay_sdk::*;\nfn f() { std::process::exit(0) }\n```";
    script(
        home.path(),
        &[
            to(0, "I would quote nearer."),
            to(0, "```\na\n```\n```\nb\n```"),
            to(0, &edit("nowhere", "x")),
            to(0, escape),
            to(1, "Non."),
            to(1, &edit("half_spread: f64 = 14.0 in", "half_spread: f64 = 3.0 in")),
            to(2, &format!("IDEA: the same\n```rust\n{source}```")),
            json!({"about": "candidate 1.3", "error": "no_answer"}),
        ],
    );
    refine(home.path(), &[&MODEL[..], &["--generations", "1", "--width", "4"]].concat(), 0);
    let events = events(home.path(), "maker-1");
    let unwritten: Vec<String> =
        of_kind(&events, "unwritten").iter().map(|body| body["candidate"].to_string()).collect();
    assert_eq!(unwritten, ["\"1.0\"", "\"1.3\""]);
    assert!(of_kind(&events, "unwritten")[0]["why"].as_str().is_some_and(|why| why.contains("4 tries")), "{events:?}");
    let (silent, said): (Vec<&Value>, Vec<&Value>) =
        of_kind(&events, "answered").into_iter().partition(|body| body["why"].is_string());
    assert_eq!((said.len(), silent.len()), (4 + 2 + 1, 1), "{silent:?}");
    let story = std::fs::read_to_string(home.path().join("refine/maker-1/story.md")).expect("written");
    assert!(story.contains("places the same orders as 0.0"), "{story}");

    let unavailable = json!({"text": "", "error": "unavailable"});
    script(home.path(), &[unavailable]);
    let text = show(&refine(home.path(), &[&MODEL[..], &["--generations", "1", "--width", "1"]].concat(), 4));
    assert!(text.contains("assay refine resume maker-2"), "{text}");
    refine(home.path(), &["hint", "maker-2", "quote one cent from the middle"], 0);
    script(home.path(), &[to(0, &edit("half_spread: f64 = 14.0 in", "half_spread: f64 = 1.0 in"))]);
    refine(home.path(), &["resume", "maker-2"], 0);
}

/// What a run in a market found, without what it is called.
fn episodes_in(home: &Path, words: &[&str]) -> Value {
    let output = assay(home).args(["run", "--seeds", "3", "--no-store"]).args(words).output().expect("assay starts");
    assert_eq!(output.status.code(), Some(0), "{words:?}\n{}", show(&output));
    let text = std::fs::read_to_string(home.join("report/run.json")).expect("written");
    let mut record: Value = serde_json::from_str(&text).expect("a record");
    record["episodes"].take()
}

fn episodes(home: &Path, words: &[&str]) -> Value {
    episodes_in(home, &[&["--scenario", "smoke"], words].concat())
}

#[test]
fn a_parameter_that_is_set_is_a_default_that_is_changed() {
    let home = home();
    let source = std::fs::read_to_string(home.path().join("maker.rs")).expect("there");
    std::fs::write(home.path().join("nearer.rs"), source.replace("= 14.0 in", "= 3.0 in")).expect("written");
    let default = episodes(home.path(), &["maker.rs"]);
    let set = episodes(home.path(), &["maker.rs", "--param", "half_spread=3"]);
    assert_ne!(default, set);
    assert_eq!(episodes(home.path(), &["nearer.rs"]), set);
    assert_eq!(episodes(home.path(), &["nearer.rs", "--param", "half_spread=14"]), default);
    for (word, part) in [
        ("half_spread=0", "0 is not a valid half_spread"),
        ("lot=1.5", "a whole number from 5 to 100"),
        ("half=3", "declares no parameter `half`"),
        ("half_spread", "is not a valid setting"),
    ] {
        let output = assay(home.path()).args(["run", "maker.rs", "--no-store", "--param", word]).output();
        let output = output.expect("assay starts");
        assert_eq!(output.status.code(), Some(USAGE), "{}", show(&output));
        assert!(show(&output).contains(part), "{word}\n{}", show(&output));
    }
}

/// Twins with the same parameters send the same orders where thinking takes no time, and the tuner sets those of a Python file as it sets others.
#[test]
fn a_python_strategy_has_parameters_as_its_twin_in_rust_has() {
    let home = home();
    let example = root().join("examples/refine/mistuned_maker.py");
    std::fs::copy(&example, home.path().join("maker.py")).expect("copied");
    let market = "base = \"smoke\"\nstrategy.nanoseconds_per_fuel = 0\nstrategy.nanoseconds_per_fuel_python = 0\n";
    std::fs::write(home.path().join("market.toml"), market).expect("written");
    let orders = |words: &[&str]| -> Vec<Value> {
        let words = [words, &["--scenario", "market.toml"]].concat();
        let record = episodes_in(home.path(), &words);
        record.as_array().expect("episodes").iter().map(|episode| episode["event_log_hash"].clone()).collect()
    };
    let set = ["--param", "half_spread=3", "--param", "lot=50"];
    let (default, changed) = (orders(&["maker.py"]), orders(&[&["maker.py"], &set[..]].concat()));
    assert_eq!(default, orders(&["maker.rs"]));
    assert_eq!(changed, orders(&[&["maker.rs"], &set[..]].concat()));
    assert_ne!(default, changed);
    for (word, part) in [
        ("half_spread=0", "0 is not a valid half_spread"),
        ("lot=1.5", "a whole number from 5 to 100"),
        ("half=3", "declares no parameter `half`"),
    ] {
        let output = assay(home.path()).args(["run", "maker.py", "--no-store", "--param", word]).output();
        let output = output.expect("assay starts");
        assert_eq!(output.status.code(), Some(USAGE), "{}", show(&output));
        assert!(show(&output).contains(part), "{word}\n{}", show(&output));
    }
    let stray =
        "from assay import *\nclass S(Strategy):\n    lots = [parameter(1, 0, 2)]\n    far = parameter(9, 1, 2)\n";
    std::fs::write(home.path().join("stray.py"), stray).expect("written");
    let output = assay(home.path()).args(["check", "stray.py"]).output().expect("assay starts");
    assert_eq!(show(&output).matches("C040").count(), 2, "{}", show(&output));

    refine(home.path(), &["--from", "maker.py", "--scenario", "smoke", "--generations", "1", "--width", "2"], 0);
    let events = events(home.path(), "maker-1");
    assert_eq!(of_kind(&events, "written").len(), 1 + 2, "{events:?}");
    let best = std::fs::read_to_string(home.path().join("refine/maker-1/champion.py")).expect("written");
    assert!(best.contains("half_spread = parameter("), "{best}");
}

#[test]
fn what_cannot_begin_says_why() {
    let home = home();
    std::fs::write(
        home.path().join("plain.rs"),
        std::fs::read(root().join("guest-sdk/template/strategy.rs")).expect("there"),
    )
    .expect("written");
    std::fs::write(home.path().join("refused.rs"), "fn main() { unsafe {} }").expect("written");
    for (words, exit, part) in [
        (&[][..], USAGE, "there is no strategy to begin with"),
        (&["--from", "plain.rs"][..], USAGE, "declares no parameters"),
        (&["--from", "refused.rs"][..], REJECTED, "was refused"),
        (&["--from", "maker.rs", "--scenario", "clam"][..], USAGE, "there is no scenario"),
        (&["--from", "maker.rs", "--scenario", "calm,calm"][..], USAGE, "given twice"),
        (&["--from", "maker.rs", "--width", "0"][..], USAGE, "--width is out of range"),
        (&["--from", "maker.rs", "--trials", "0"][..], USAGE, "--trials is out of range"),
        (&["--from", "maker.rs", "--family", "thin,calm"][..], USAGE, "in --scenario and in --family"),
        (&["--from", "maker.rs", "--family", "clam"][..], USAGE, "there is no scenario"),
        (&["--from", "maker.rs", "--budget-minutes", "0"][..], USAGE, "--budget-minutes is out of range"),
        (&["a goal", "--from", "maker.rs"][..], USAGE, "the tuner does not read goals"),
        (&["--model", "scripted:none.jsonl"][..], USAGE, "a model needs a goal"),
        (&["a", "--model", "scripted:a", "--model", "scripted:a"][..], USAGE, "the model scripted:a was given twice"),
        (&["--from", "maker.rs", "--judge-model", "scripted:a"][..], USAGE, "need a model that writes"),
        (&["--from", "maker.rs", "--self-review"][..], USAGE, "need a model that writes"),
        (&["show", "nobody"][..], USAGE, "there is no session"),
        (&["resume", "../maker"][..], USAGE, "is not a valid id"),
        (&["fork", "maker-1"][..], USAGE, "is not a valid place"),
    ] {
        let text = show(&refine(home.path(), words, exit));
        assert!(text.contains(part), "{words:?}\n{text}");
    }
    refine(home.path(), &["--from", "maker.rs", "--dry-run"], 0);
    assert!(!home.path().join("refine").exists(), "nothing has begun");
}

#[test]
fn an_explanation_holds_to_the_numbers_of_its_run() {
    let home = home();
    episodes(home.path(), &["maker.rs"]);
    let explain = |words: &[&str]| {
        let output = assay(home.path()).arg("explain").arg("report").args(words).output().expect("assay starts");
        assert_eq!(output.status.code(), Some(0), "{}", show(&output));
        show(&output)
    };
    let told = explain(&[]);
    assert!(told.contains("Write no number that is not there") && told.contains("maker.rs"), "{told}");
    script(home.path(), &[json!("It earned 987654.25 because it is the best, says 1 of its lines.")]);
    let text = explain(&["--model", "scripted:script.jsonl"]);
    assert!(text.contains("earned [struck out: not in the data] because") && text.contains("says 1 of"), "{text}");
    // What it asks for is the run's; what it only says in a question is not.
    let record: Value = serde_json::from_slice(&std::fs::read(home.path().join("report/run.json")).expect("written"))
        .expect("a record");
    let curve = &record["episodes"][2]["pnl_curve"];
    let middle = curve[curve.as_array().expect("a list").len() / 2].as_f64().expect("a number") / 100.0;
    let said = format!("In the middle of seed 3 it had {middle:.2}, not 987654.25.");
    script(home.path(), &[json!("Let me see.\nASK: curve 3"), json!("ASK: seed 987654.25"), json!(said)]);
    let text = explain(&["--model", "scripted:script.jsonl"]);
    assert!(text.contains(&format!("it had {middle:.2}, not [struck out")) && text.contains("2 questions"), "{text}");
    for question in ["seeds", "seed 1", "measure fills", "log 2", "fills 0 60", "course 10 30", "book 30", "chart 0 90"]
    {
        script(
            home.path(),
            &[json!(format!("ASK: {question}")), json!({"when": "no answer", "text": "none"}), json!("seen")],
        );
        let text = explain(&["--model", "scripted:script.jsonl"]);
        assert!(text.contains("seen"), "{question}: {text}");
    }
    script(home.path(), &[json!({"error": "refused"})]);
    let text = explain(&["--model", "scripted:script.jsonl"]);
    assert!(text.contains("gave no answer") && text.contains("maker.rs"), "{text}");
}

/// What a model is answered to one question about `folder`, at the end of which it says `seen`.
fn answered(home: &Path, folder: &str, question: &str) -> String {
    // The answer itself is in nobody's output, so the model is made to say what it could not know.
    let answers =
        [json!(format!("ASK: {question}")), json!({"when": "no answer", "text": "none"}), json!("seen 987654")];
    script(home, &answers);
    answered_by_script(home, folder)
}

#[test]
fn an_explanation_may_ask_the_data_of_a_run_and_of_an_observed_market() {
    let home = home();
    episodes(home.path(), &["maker.rs", "--data", "--param", "half_spread=1"]);
    for question in [
        "parties 1",
        "agent 1 0",
        "order 2 1",
        "volatility 0 60",
        "sql select kind, count(*) as agents from agents group by kind",
        // What is no query has an answer too: why it is none.
        "sql drop table trades",
        "sql select nothing from nowhere",
    ] {
        let text = answered(home.path(), "report", question);
        assert!(text.contains("seen [struck out"), "{question}: {text}");
    }
    // What a query found may be said; what the model itself put into the query may not.
    let own = "ASK: sql select 987654 as mine, 300000 + count(*) * 0 as found from trades";
    script(home.path(), &[json!(own), json!("It had 987654 and 300000.")]);
    let text = answered_by_script(home.path(), "report");
    assert!(text.contains("It had [struck out: not in the data] and [struck out"), "{text}");
    let computed = "ASK: sql select count(*) * 0 + 40 * 10000 as found, 9 * 111 as other from trades";
    script(home.path(), &[json!(computed), json!("So 400000 and 999.")]);
    assert!(answered_by_script(home.path(), "report").contains("So 400000 and 999."));

    let words = ["observe", "smoke", "--seeds", "3", "--data"];
    let output = assay(home.path()).args(words).output().expect("assay starts");
    assert_eq!(output.status.code(), Some(0), "{}", show(&output));
    let output = assay(home.path()).args(["explain", "observation"]).output().expect("assay starts");
    let told = show(&output);
    assert!(told.contains("without a strategy, 3 seeds") && told.contains("ASK: parties"), "{told}");
    for question in [
        "measures",
        "measure spread",
        "kinds",
        "halts",
        "jumps",
        "course 0 10",
        "volatility 0 60",
        "book 30",
        "chart 0 90",
        "parties 2",
        "agent 3 1",
        "sql select count(*) from trades where episode = 'baseline'",
    ] {
        let text = answered(home.path(), "observation/observation.json", question);
        assert!(text.contains("seen [struck out"), "{question}: {text}");
    }
    script(home.path(), &[json!({"error": "no_answer"})]);
    let text = answered_by_script(home.path(), "observation");
    assert!(text.contains("gave no answer") && text.contains("Who trades"), "{text}");
}

fn answered_by_script(home: &Path, folder: &str) -> String {
    let output = assay(home).args(["explain", folder, "--model", "scripted:script.jsonl"]).output();
    show(&output.expect("assay starts"))
}

/// Three strategies, two of which are damaged; three models, of which one knows, one guesses and one makes up numbers; and a writer that mends what is
/// named rightly.
#[test]
fn feedback_is_worth_what_it_names_and_flaws_are_counted() {
    let home = home();
    let path = |name: &str| home.path().join(name);
    let healthy = std::fs::read_to_string(root().join("examples/strategies/queue_aware_maker.rs")).expect("there");
    std::fs::write(path("healthy.rs"), &healthy).expect("written");
    let planted = |flaw: &str, old: &str, new: &str| {
        format!(
            "[[strategy]]\nfile = \"healthy.rs\"\nflaw = \"{flaw}\"\nedits = [{{ old = \"{old}\", new = \"{new}\" }}]\n"
        )
    };
    let far = planted("too-far", "HALF_SPREAD: f64 = 3.0", "HALF_SPREAD: f64 = 60.0");
    let one = planted("one-sided", "Quantity::new(room)", "Quantity::new(if side == Side::Sell { 0 } else { room })");
    let flaws = "[flaws]\ntoo-far = \"quotes are too far away\"\none-sided = \"it quotes one side only\"\n";
    let corpus = format!("{flaws}{far}{one}[[strategy]]\nfile = \"healthy.rs\"\n");
    std::fs::write(path("corpus.toml"), corpus).expect("written");

    let lines = |name: &str, answers: &[Value]| {
        let lines: Vec<String> = answers.iter().map(Value::to_string).collect();
        std::fs::write(path(name), lines.join("\n")).expect("written");
    };
    let says = |number: u32, flaw: &str| {
        let name = format!("strategy-0{number}.rs");
        json!({"about": format!("`{name}`"), "text": format!("FLAW: {flaw}\nSo it is with {name}.")})
    };
    lines("knows.jsonl", &[says(1, "too-far"), says(2, "one-sided"), says(3, "none")]);
    lines("guesses.jsonl", &[says(1, "one-sided"), says(2, "one-sided"), says(3, "too-far")]);
    lines("invents.jsonl", &[json!("It lost 987654.25.\nFLAW: bad luck")]);
    let whole = json!(format!("IDEA: mend it\n```rust\n{healthy}```\n"));
    let mends = |number: u32, flaw: &str| json!({"about": says(number, flaw)["text"], "text": whole});
    let edit =
        "IDEA: leave it\n<<<<<<< SEARCH\nuse assay_sdk::*;\n=======\nuse assay_sdk::*;\n// So.\n>>>>>>> REPLACE\n";
    lines("writes.jsonl", &[mends(1, "too-far"), mends(2, "one-sided"), json!(edit)]);

    let models = ["bench", "--models", "scripted:knows.jsonl,scripted:guesses.jsonl,scripted:invents.jsonl"];
    let rest = ["--model", "scripted:writes.jsonl", "--flaws", "corpus.toml", "--scenario", "smoke", "--blocks", "2"];
    let words = [&models[..], &rest[..], &["--samples", "1"]].concat();
    let output = refine(home.path(), &[&words[..], &["--json", "--page", "page.md"]].concat(), 0);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(found["units"] == 3 && found["units_planned"] == 3, "{found}");
    let arm = |name: &str| {
        let arms = found["arms"].as_array().expect("a list");
        arms.iter().find(|arm| arm["arm"] == name).unwrap_or_else(|| panic!("{name}: {found}")).clone()
    };
    let diagnosis = |name: &str| {
        let one = arm(name)["diagnosis"].clone();
        ["named", "right", "planted", "wronged"].map(|field| one[field].as_u64().unwrap_or(99))
    };
    assert_eq!(diagnosis("scripted:knows.jsonl"), [2, 2, 2, 0]);
    assert_eq!(diagnosis("scripted:guesses.jsonl"), [3, 1, 2, 1]);
    assert_eq!(diagnosis("scripted:invents.jsonl"), [0, 0, 2, 0]);
    assert_eq!(arm("scripted:invents.jsonl")["struck"], 3, "once for each strategy");
    assert_eq!(arm("shuffled")["uplift"], arm("withheld")["uplift"]);
    let gain = |name: &str| arm(name)["gain"].as_f64().expect("a number");
    assert!(gain("scripted:knows.jsonl") != gain("withheld"), "what is named is mended: {found}");
    let page = std::fs::read_to_string(path("page.md")).expect("written");
    assert!(page.contains("| scripted:knows.jsonl | 1.00 | 1.00 | 2 | 2 | 0 of 1 healthy |"), "{page}");
    assert!(page.contains("assay refine bench --models") && page.contains("none named"), "{page}");

    // Everything was answered, and is not asked for again.
    for name in ["knows", "guesses", "invents", "writes"] {
        lines(&format!("{name}.jsonl"), &[json!({"error": "unavailable"})]);
    }
    let again = refine(home.path(), &[&words[..], &["--json"]].concat(), 0);
    assert!(again.stdout == output.stdout, "{}", show(&again));
}

/// The shipped corpus is as large as it says, and every edit fits.
#[test]
fn the_corpus_of_flaws_can_be_read() {
    let folder = root().join("examples/refine/flaws");
    let text = std::fs::read_to_string(folder.join("corpus.toml")).expect("there");
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).map_err(|error| error.to_string());
    let corpus = assay_refine::flaws::Corpus::read(&text, &read).expect("a corpus");
    let count = |flaw: Option<&str>| corpus.strategies.iter().filter(|one| one.flaw.as_deref() == flaw).count();
    for flaw in corpus.flaws.keys() {
        assert_eq!(count(Some(flaw)), 3, "{flaw}");
    }
    assert!(corpus.flaws.len() == 8 && count(None) == 3, "{}", corpus.strategies.len());
}
