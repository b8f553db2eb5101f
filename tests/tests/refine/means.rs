//! What a session may use and touch: its budget, its models, its folder. What cannot begin leaves nothing behind, and what was paid for is used.

use super::{INFRASTRUCTURE, USAGE, events, home, of_kind, refine, script, settled};
use assay_tests::show;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

fn edit(spread: &str, tokens: u64) -> Value {
    let (old, new) = ("half_spread: f64 = 14.0 in", format!("half_spread: f64 = {spread} in"));
    let text = format!("IDEA: {spread} cents\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n");
    json!({"text": text, "usage": {"input": tokens, "output": 0}})
}

/// A session of a model that writes by `script.jsonl`, one candidate a generation.
fn session(home: &Path, words: &[&str], exit: i32) -> String {
    let usual = ["nearer", "--from", "maker.rs", "--scenario", "smoke", "--search", "chain", "--plateau", "0"];
    show(&refine(home, &[&usual[..], words].concat(), exit))
}

const SCRIPTED: [&str; 4] = ["--model", "scripted:script.jsonl", "--generations", "3"];

#[test]
fn what_was_paid_for_is_tried_and_what_does_not_fit_is_not_asked_for() {
    // (tokens of each answer, the budget, requests, candidates that were run besides the origin)
    let cases = [
        (60_000, 100_000, 1, 1, "the second would take as much as the first"),
        (100_000, 100_000, 1, 1, "nothing is left"),
        (50_000, 100_000, 2, 2, "both fit"),
        (10, 50, 0, 0, "the request alone is larger"),
    ];
    for (tokens, budget, requests, run, why) in cases {
        let home = home();
        script(home.path(), &[edit("4.0", tokens), edit("3.0", tokens), edit("5.0", tokens)]);
        let budget = budget.to_string();
        let text = session(home.path(), &[&SCRIPTED[..], &["--width", "2", "--budget-tokens", &budget]].concat(), 0);
        let all = events(home.path(), "maker-1");
        assert_eq!(of_kind(&all, "asked").len(), requests, "{why}: {text}");
        assert_eq!(of_kind(&all, "probed").len(), run + 1, "{why}: {text}");
        assert!(of_kind(&all, "closed").len() > 1, "its generation is decided: {why}: {text}");
        assert_eq!(of_kind(&all, "ended")[0]["why"], if run > 0 { "budget" } else { "generations" }, "{why}: {text}");
        assert_eq!(text.contains("no candidate was written"), run == 0, "{why}: {text}");
    }
}

#[test]
fn what_a_session_needs_is_looked_for_before_it_begins() {
    let home = home();
    let home = home.path();
    std::fs::write(home.join("broken.jsonl"), "{\"text\": 1}").expect("written");
    for (words, part) in [
        (&["--model", "scripted:none.jsonl"][..], "none.jsonl"),
        (&["--model", "scripted:broken.jsonl"][..], "broken.jsonl"),
        (&["--model", "cassette:none.jsonl"][..], "none.jsonl"),
        (&["--model", "openai:gpt-5-mini"][..], "OPENAI_API_KEY is not set"),
        (&["--model", "scripted:a", "--model", "scripted:b", "--record", "tape"][..], "replies of one model"),
        (&["--model", "nobody:at-all"][..], "unknown provider"),
        (&["--model", "openai-compatible:x"][..], "needs the URL"),
        (&["--model", "scripted:none.jsonl", "--dry-run"][..], "none.jsonl"),
        (&["--model", "scripted:none.jsonl", "--target", "11"][..], "--target is out of range"),
        (&["--model", "scripted:none.jsonl", "--prices", "none.toml"][..], "none.toml"),
    ] {
        let text = session(home, words, USAGE);
        assert!(text.contains(part), "{words:?}\n{text}");
    }
    for (words, part) in [
        (&["--from", "maker.rs", "--models", "nobody:x", "--dry-run"][..], "unknown provider"),
        (&["--models", "scripted:none.jsonl"][..], "--flaws"),
    ] {
        let text = show(&refine(home, &[&["bench"][..], words].concat(), USAGE));
        assert!(text.contains(part), "{words:?}\n{text}");
    }
    // What it would take can be asked for before there is a key, and before there is a tape.
    let text = session(home, &["--model", "openai:gpt-5-mini", "--record", "tape.jsonl", "--dry-run"], 0);
    assert!(text.contains("OPENAI_API_KEY is not set") && text.contains("about $"), "{text}");
    assert!(!home.join("refine").exists() && !home.join("tape.jsonl").exists(), "nothing has begun");
}

#[test]
fn a_session_is_resumed_with_what_it_began_with() {
    let home = home();
    let home = home.path();
    let prices = |dollars: &str| {
        let text = format!(
            "version = \"1\"\nsource = \"here\"\n[models.\"scripted:*\"]\ninput = {dollars}\noutput = {dollars}\n"
        );
        std::fs::write(home.join("prices.toml"), text).expect("written");
    };
    prices("1.0");
    script(home, &[edit("4.0", 1_000)]);
    session(home, &[&SCRIPTED[..], &["--width", "1", "--prices", "prices.toml"]].concat(), 0);
    let log = home.join("refine/maker-1/log.jsonl");
    let text = std::fs::read_to_string(&log).expect("there is a log");
    let whole = events(home, "maker-1");
    let cut = |lines: usize| {
        let kept: Vec<&str> = text.split_inclusive('\n').take(lines).collect();
        std::fs::write(&log, kept.concat()).expect("written");
    };
    cut(6);
    let said = show(&refine(home, &["resume", "maker-1"], USAGE));
    assert!(said.contains("prices of the models have changed") && said.contains("--prices"), "{said}");
    prices("2.0");
    let said = show(&refine(home, &["resume", "maker-1", "--prices", "prices.toml"], USAGE));
    assert!(said.contains("prices of the models have changed"), "{said}");
    prices("1.0");
    refine(home, &["resume", "maker-1", "--prices", "prices.toml"], 0);
    assert_eq!(settled(events(home, "maker-1")), settled(whole));

    // Folders without a session, and a link to another one.
    std::os::unix::fs::symlink("maker-1", home.join("refine/linked")).expect("a link");
    std::fs::create_dir(home.join("refine/empty")).expect("made");
    std::fs::write(home.join("refine/empty/log.jsonl"), "").expect("written");
    let last = format!("maker-1@{}", events(home, "maker-1").len());
    for (words, part) in [
        (&["resume", "linked"][..], "link"),
        (&["show", "linked"][..], "link"),
        (&["hint", "linked", "wider"][..], "link"),
        (&["show", "empty"][..], "the log is empty"),
        (&["hint", "maker-1", "wider"][..], "the session is over"),
        (&["fork", "maker-1@99999"][..], "events"),
        (&["fork", &last][..], "had been decided"),
    ] {
        let output = refine_any(home, words);
        assert!(output.contains(part), "{words:?}\n{output}");
    }
    std::fs::write(home.join("best.rs"), "mine").expect("written");
    let said = show(&refine(home, &["export", "maker-1", "--out", "best.rs"], USAGE));
    assert!(said.contains("exists already") && said.contains("--out"), "{said}");
}

/// What a command says that does not succeed.
fn refine_any(home: &Path, words: &[&str]) -> String {
    let output = assay_tests::assay(home).arg("refine").args(words).output().expect("assay starts");
    assert_ne!(output.status.code(), Some(0), "{words:?}\n{}", show(&output));
    show(&output)
}

#[test]
fn a_recorded_session_is_repeated_without_its_model() {
    let home = home();
    let home = home.path();
    script(home, &[edit("4.0", 900), edit("3.0", 900), edit("5.0", 900)]);
    let generations = ["--width", "1", "--generations", "3"];
    session(home, &[&["--model", "scripted:script.jsonl", "--record", "tape.jsonl"][..], &generations].concat(), 0);
    std::fs::remove_file(home.join("script.jsonl")).expect("removed");
    session(home, &[&["--model", "cassette:tape.jsonl"][..], &generations].concat(), 0);
    let decided = |id: &str| -> Vec<Value> {
        let mut all = settled(events(home, id));
        all.retain(|body| body["what"] != "began");
        all
    };
    assert_eq!(decided("maker-2"), decided("maker-1"));
    // Another goal is another request, which nobody recorded: the session stops instead of ending without a result.
    let other = ["wider", "--from", "maker.rs", "--scenario", "smoke", "--model", "cassette:tape.jsonl"];
    let text = show(&refine(home, &other, INFRASTRUCTURE));
    assert!(text.contains("contains no answer to request"), "{text}");
}

/// How a provider of the tests behaves.
#[derive(Clone, Copy)]
enum Manner {
    /// It answers, and does not say what that took.
    Silent,
    /// It breaks off in the middle of every answer.
    Broken,
    /// There are always too many requests.
    Busy,
}

/// A provider on this machine; its address. It answers until the test ends.
fn provider(manner: Manner) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("it has one");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let asked = request(&mut stream);
            let said = match manner {
                Manner::Busy => {
                    "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned()
                }
                Manner::Silent | Manner::Broken => {
                    let spread = 2 + asked.len() % 7;
                    let text = edit(&format!("{spread}.0"), 0)["text"].clone();
                    let piece = json!({"choices": [{"index": 0, "delta": {"content": text}}]});
                    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
                    let end = format!("data: {end}\n\ndata: [DONE]\n\n");
                    let end = if matches!(manner, Manner::Silent) { &*end } else { "" };
                    format!(
                        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: {piece}\n\n{end}"
                    )
                }
            };
            // Whoever was killed meanwhile does not hear it.
            let _ = stream.write_all(said.as_bytes());
        }
    });
    format!("http://{address}/v1")
}

/// A request, read to its end.
fn request(stream: &mut TcpStream) -> Vec<u8> {
    let (mut text, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let head = text.windows(4).position(|end| end == b"\r\n\r\n");
        let length = head.and_then(|end| {
            let head = String::from_utf8_lossy(&text[..end]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:").map(str::trim))?;
            Some(end + 4 + length.parse::<usize>().ok()?)
        });
        if length.is_some_and(|length| text.len() >= length) {
            return text;
        }
        match stream.read(&mut piece) {
            Ok(read) if read > 0 => text.extend(&piece[..read]),
            _ => return text,
        }
    }
}

#[test]
fn what_a_provider_does_not_report_is_estimated_and_kept() {
    let home = home();
    let home = home.path();
    let url = provider(Manner::Silent);
    let model = ["--model", "openai-compatible:m", "--model-url", &url, "--width", "1", "--generations", "9"];
    let spent = |id: &str| -> Vec<u64> {
        of_kind(&events(home, id), "answered").iter().filter_map(|body| body["tokens"].as_u64()).collect()
    };
    session(home, &[&model[..], &["--budget-tokens", "1"]].concat(), 0);
    assert!(spent("maker-1").is_empty(), "the request does not fit");
    session(home, &[&model[..], &["--budget-tokens", "20000"]].concat(), 0);
    let all = spent("maker-2");
    assert!(!all.is_empty() && all.iter().all(|tokens| *tokens > 1_000), "{all:?}");
    assert!(all.iter().sum::<u64>() <= 20_000 + all.iter().max().copied().unwrap_or(0), "{all:?}");
    let ended = events(home, "maker-2");
    assert_eq!(of_kind(&ended, "ended")[0]["why"], "budget", "{all:?}");

    // Killed after its first answer and resumed, it has spent what it had: the sums are of both processes.
    let log = home.join("refine/maker-2/log.jsonl");
    let text = std::fs::read_to_string(&log).expect("there is a log");
    let first = text.lines().position(|line| line.contains("\"what\":\"answered\"")).expect("there is one");
    let cut: Vec<&str> = text.split_inclusive('\n').take(first + 1).collect();
    std::fs::write(&log, cut.concat()).expect("written");
    refine(home, &["resume", "maker-2"], 0);
    assert_eq!(spent("maker-2"), all);

    // What broke off is paid for as well, whatever becomes of the session.
    let url = provider(Manner::Broken);
    let broken = ["--model", "openai-compatible:m", "--model-url", &url, "--width", "1", "--generations", "1"];
    let begin = ["refine", "nearer", "--from", "maker.rs", "--scenario", "smoke", "--seed", "1"];
    let text = show(&assay_tests::assay(home).args(begin).args(broken).output().expect("assay starts"));
    let status: Value = serde_json::from_slice(&refine(home, &["status", "--json"], 0).stdout).expect("it is JSON");
    assert!(status[2]["tokens"].as_u64().is_some_and(|tokens| tokens > 1_000), "{text}\n{status}");
}

#[test]
fn minutes_end_a_session_that_waits_for_a_model() {
    let home = home();
    let home = home.path();
    let url = provider(Manner::Busy);
    let model = ["--model", "openai-compatible:m", "--model-url", &url, "--width", "2", "--generations", "2"];
    let text = session(home, &[&model[..], &["--budget-minutes", "0.05"]].concat(), 0);
    assert!(text.contains("Waiting") && text.contains("the budget is spent"), "{text}");
    assert_eq!(of_kind(&events(home, "maker-1"), "ended")[0]["why"], "budget", "{text}");
}
