//! Scripts and cassettes: models made of files.

use crate::support::{Server, hello, id, model, offline, plain, request, settings, try_open, unlimited, user};
use assay_llm::{KEY_VARIABLES, PriceTable, Settings};
use assay_rollout::ports::{Model, ModelError, ModelReply, ModelRequest};
use assay_trace::{Message, Part, Usage};
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn scripted(folder: &Path, file: &str, text: &str) -> Arc<dyn Model> {
    let path = folder.join(file);
    fs::write(&path, text).expect("the folder is writable");
    model(&format!("scripted:{}", path.display()), &offline())
}

/// A conversation of user messages with answers between them.
fn conversation(said: &[&str]) -> ModelRequest {
    let messages = said.iter().enumerate().map(|(index, text)| {
        let id = id(&index.to_string());
        match index % 2 {
            0 => Message::user(id, *text),
            _ => Message::assistant(id, vec![Part::text(*text)], vec![]).expect("no calls"),
        }
    });
    request(messages.collect())
}

async fn said(model: &Arc<dyn Model>, request: ModelRequest) -> String {
    match model.ask(request).await {
        Ok(reply) => {
            reply.parts.iter().map(|part| if let Part::Text { text } = part { text.as_str() } else { "" }).collect()
        }
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn a_script_answers_by_the_conversation_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let toml = r#"
        [[answers]]
        text = "one"
        [[answers]]
        when = "FAILED"
        text = "look at the failure"
        [[answers]]
        about = "second bug"
        text = "only for the second"
        [[answers]]
        epoch = 1
        text = "only for the second sample"
        [[answers]]
        text = "two"
    "#;
    let model = scripted(folder.path(), "fix.toml", toml);
    assert_eq!(model.name(), "scripted:fix.toml", "without the folder");
    let check = async |conversation: ModelRequest, answer: &str| assert_eq!(said(&model, conversation).await, answer);
    for _ in 0..2 {
        check(conversation(&["a bug"]), "one").await;
        check(conversation(&["a bug", "one", "go on"]), "two").await;
        check(conversation(&["a bug", "one", "test_a FAILED"]), "look at the failure").await;
        check(conversation(&["the second bug", "one", "go on"]), "only for the second").await;
        check(conversation(&["the second bug", "one", "go on", "x", "go on"]), "two").await;
        check(ModelRequest { epoch: 1, ..conversation(&["a bug", "one", "go on"]) }, "only for the second sample")
            .await;
    }
    // The first steps of a long conversation are left out; what they were answered is not said again.
    check(ModelRequest { replies: 1, ..conversation(&["a bug"]) }, "two").await;
    let error = model.ask(conversation(&["a bug", "one", "go on", "two", "go on"])).await.expect_err("the end");
    let why = "scripted:fix.toml has 2 answers for this conversation, it asks for number 3";
    assert_eq!(error, ModelError::NoAnswer { why: why.to_owned() });
}

#[tokio::test]
async fn a_script_may_be_lines_and_give_all_that_a_provider_gives() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = r#""plain text"

{"text": "t", "reasoning": "r", "tool_calls": [{"id": "c", "tool": "bash", "arguments_raw": "{broken"}], "usage": {"input": 7, "output": 2}, "stop_reason": "length"}
{"error": "unavailable", "why": "down"}
{"error": "refused"}
{"error": "context_too_long"}
{"error": "budget_spent"}
{"error": "no_answer"}
"#;
    let model = scripted(folder.path(), "s.jsonl", lines);
    let at = |position: usize| {
        let mut said = vec!["x"];
        said.extend(["y", "z"].repeat(position));
        conversation(&said)
    };
    let plain = model.ask(at(0)).await.expect("an answer");
    assert_eq!(plain.parts, [Part::text("plain text")]);
    assert_eq!((plain.usage, plain.cost_microdollars), (None, Some(0)), "a script is free");
    let reply = model.ask(at(1)).await.expect("an answer");
    assert_eq!(reply.parts, [Part::Reasoning { text: "r".to_owned(), signature: None }, Part::text("t")]);
    assert_eq!(reply.tool_calls[0].arguments_raw(), "{broken");
    assert_eq!(reply.usage, Some(Usage { input: 7, output: 2, ..Usage::default() }));
    assert_eq!(reply.stop_reason.as_deref(), Some("length"));
    assert_eq!(model.ask(at(2)).await, Err(ModelError::Unavailable { why: "down".to_owned(), retries: 0 }));
    for (position, text) in [(3, "rejected"), (4, "too long"), (5, "budget"), (6, "no recorded answer")] {
        assert!(said(&model, at(position)).await.contains(text), "{position}");
    }
}

#[test]
fn a_broken_script_says_where() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |file: &str, text: &str, why: &str| {
        let path = folder.path().join(file);
        fs::write(&path, text).expect("the folder is writable");
        let error = try_open(&format!("scripted:{}", path.display()), &offline(), &unlimited()).err().expect(why);
        assert!(error.to_string().contains(why), "{error}");
    };
    check("a.jsonl", "\"x\"\n{\"txt\": 1}\n", "line 2: unknown field `txt`");
    check("a.toml", "[[answers]]\ntext = 1\n", "line 2");
    check("b.toml", "", "missing field `answers`");
    let missing = try_open("scripted:nowhere.toml", &offline(), &unlimited()).err().expect("it is not there");
    assert!(missing.to_string().starts_with("failed to read the script nowhere.toml: "), "{missing}");
}

#[tokio::test]
async fn a_cassette_gives_back_what_was_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tape.jsonl");
    let server = Server::start(vec![plain(400, "", "no"), hello()]).await;
    let settings = Settings { record: Some(path.clone()), ..settings(&server) };
    let recorded = {
        let model = model("openai:gpt-4.1-mini", &settings);
        model.ask(user("one")).await.expect_err("a refusal, which is not recorded");
        let recorded = model.ask(user("one")).await.expect("an answer");
        assert_eq!(model.ask(user("one")).await.as_ref(), Ok(&recorded), "known by now");
        model.ask(ModelRequest { epoch: 1, ..user("one") }).await.expect("another sample");
        recorded
    };
    assert_eq!(server.seen().len(), 3);
    assert_eq!(fs::read_to_string(&path).expect("recorded").lines().count(), 3, "the model and two answers");

    let replayed = model(&format!("cassette:{}", path.display()), &offline());
    assert_eq!(replayed.name(), "openai:gpt-4.1-mini");
    assert_eq!(replayed.ask(user("one")).await, Ok(recorded));
    let error = replayed.ask(user("two")).await.expect_err("never asked");
    assert!(matches!(error, ModelError::NoAnswer { .. }), "{error}");
    assert_eq!(server.seen().len(), 3);

    // What the answers cost is in the file; a cassette of a model without a price is of no use where money is limited.
    let limited = Settings { needs_price: true, ..offline() };
    let spec = format!("cassette:{}", path.display());
    assert!(try_open(&spec, &limited, &unlimited()).is_ok());
    let text = fs::read_to_string(&path).expect("recorded");
    fs::write(&path, text.replace("\"cost_microdollars\":8", "\"cost_microdollars\":null")).expect("writable");
    let error = try_open(&spec, &limited, &unlimited()).err().expect("no price");
    assert!(error.to_string().contains("the price of `cassette:"), "{error}");
}

#[tokio::test]
async fn a_cassette_cut_anywhere_loses_only_what_was_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tape.jsonl");
    let script = scripted(folder.path(), "s.jsonl", "\"answer\"\n\"second\"\n");
    let record = || {
        let settings = Settings { record: Some(path.clone()), ..offline() };
        model(&format!("scripted:{}", folder.path().join("s.jsonl").display()), &settings)
    };
    let asked = [conversation(&["a"]), conversation(&["a", "b", "c"])];
    let expected: Vec<_> = futures::future::join_all(asked.iter().map(|request| script.ask(request.clone()))).await;
    for request in &asked {
        record().ask(request.clone()).await.expect("an answer");
    }
    let whole = fs::read(&path).expect("recorded");
    let first_line = whole.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    for cut in first_line..whole.len() {
        fs::write(&path, &whole[..cut]).expect("writable");
        let replay = model(&format!("cassette:{}", path.display()), &offline());
        let known = futures::future::join_all(asked.iter().map(|request| replay.ask(request.clone()))).await;
        let lines = whole[first_line..cut].iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(known.iter().filter(|answer| answer.is_ok()).count(), lines, "cut at {cut}");
        if cut % 16 == 0 {
            let model = record();
            let answers = futures::future::join_all(asked.iter().map(|request| model.ask(request.clone()))).await;
            assert_eq!(answers, expected);
            drop(model);
            assert_eq!(fs::read(&path).expect("recorded").len(), whole.len(), "cut at {cut}: mended");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_may_record_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tape.jsonl");
    let server = Server::start(vec![hello()]).await;
    let recorder = model("openai:m", &Settings { record: Some(path.clone()), ..settings(&server) });
    let asked = (0..64).map(|index| {
        let recorder = Arc::clone(&recorder);
        tokio::spawn(async move { recorder.ask(user(&format!("question {}", index % 16))).await })
    });
    for answer in futures::future::join_all(asked).await {
        let ModelReply { parts, .. } = answer.expect("no panic").expect("an answer");
        assert_eq!(parts, [Part::text("hello")]);
    }
    assert_eq!(fs::read_to_string(&path).expect("recorded").lines().count(), 17, "one answer to each question");
    drop(recorder);
    let replay = model(&format!("cassette:{}", path.display()), &offline());
    for index in 0..16 {
        replay.ask(user(&format!("question {index}"))).await.expect("recorded");
    }
}

#[tokio::test]
async fn a_cassette_is_of_one_model_and_recorded_by_one_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tape.jsonl");
    let settings = Settings { record: Some(path.clone()), ..offline() };
    let message =
        |spec: &str| try_open(spec, &settings, &unlimited()).err().map(|error| error.to_string()).unwrap_or_default();
    let held = model("openai:a", &settings);
    assert!(message("openai:a").contains("another process is recording"));
    drop(held);
    assert_eq!(message("openai:a"), "");
    assert!(message("openai:b").contains("contains the answers of `openai:a`, not of `openai:b`"));
    for (text, why) in [
        ("{}\n", "line 1"),
        ("{\"_type\":\"cassette\",\"version\":\"2.0\",\"model\":\"m\"}\n", "version 2.0"),
        ("", "empty"),
    ] {
        fs::write(&path, text).expect("writable");
        let spec = format!("cassette:{}", path.display());
        let error = try_open(&spec, &offline(), &unlimited()).err().expect(why).to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn the_documentation_names_every_variable_and_its_examples_are_read() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/models.md");
    let page = fs::read_to_string(page).expect("the page is there");
    for (provider, variable) in KEY_VARIABLES {
        assert!(page.contains(&format!("| `{}:NAME` |", provider.name())), "{}", provider.name());
        assert!(page.contains(&format!("`{variable}`")), "{variable}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut seen = 0;
    for block in page.split("```").skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').expect("a block has lines");
        let path = folder.path().join(format!("example.{language}"));
        fs::write(&path, text).expect("writable");
        if text.contains("[models.") {
            PriceTable::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        } else {
            let kind = if text.contains("\"cassette\"") { "cassette" } else { "scripted" };
            model(&format!("{kind}:{}", path.display()), &offline());
        }
        seen += 1;
    }
    assert_eq!(seen, 4);
}
