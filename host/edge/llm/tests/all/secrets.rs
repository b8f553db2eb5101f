//! A key goes into a request's header and nowhere else, whatever a server does with it.

use crate::support::{KEY, Response, Server, ask, model, plain, settings, stream, user};
use assay_llm::{SCRUBBED, Settings};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The key as servers, URLs and JSON spell it.
fn spellings() -> [String; 2] {
    [KEY.to_owned(), KEY.replace('/', "%2F").replace('+', "%2B")]
}

fn assert_clean(text: &str) {
    for spelling in spellings() {
        assert!(!text.contains(&spelling), "{text}");
    }
}

#[tokio::test]
async fn no_error_shows_a_key_that_the_server_plays_back() {
    let mut echoes: Vec<Response> = Vec::new();
    for spelling in spellings() {
        let said = format!(r#"{{"error":{{"message":"wrong key {spelling}!","type":"x"}}}}"#);
        for status in [302, 400, 401, 403, 404, 413, 429, 500, 529] {
            echoes.push(plain(
                status,
                &format!("location: http://{spelling}/\r\nx-key: {spelling}\r\nretry-after: {spelling}\r\n"),
                &said,
            ));
            echoes.push(plain(status, "", &spelling));
        }
        echoes.push(stream(&[&said]));
        echoes.push(stream(&[&format!(r#"{{"choices": "{spelling}" nonsense"#)]));
        echoes.push(plain(200, &format!("content-type: {spelling}\r\n"), &spelling));
        echoes.push(stream(&[&format!(
            r#"{{"type":"error","error":{{"type":"authentication_error","message":"{spelling}"}}}}"#
        )]));
        echoes.push(stream(&[&format!(r#"{{"promptFeedback":{{"blockReason":"{spelling}"}}}}"#)]));
    }
    for spec in ["openai:m", "openrouter:m", "anthropic:m", "gemini:m"] {
        for echo in &echoes {
            let (result, _) = ask(spec, vec![echo.clone()]).await;
            let error = result.expect_err("an error");
            assert_clean(&error.to_string());
            assert_clean(&format!("{error:?}"));
        }
    }
}

#[tokio::test]
async fn a_long_error_is_not_cut_amid_the_key() {
    let body = format!("{}{KEY}", "x".repeat(985));
    let (result, _) = ask("openai:m", vec![plain(400, "", &body)]).await;
    let error = result.expect_err("refused").to_string();
    assert!(!error.contains(&KEY[..6]), "{error}");
}

#[tokio::test]
async fn no_answer_shows_a_key_that_the_server_plays_back() {
    let (half, rest) = KEY.split_at(7);
    let frames = [
        format!(r#"{{"choices":[{{"delta":{{"reasoning_content":"{KEY}"}}}}]}}"#),
        // In two pieces.
        format!(r#"{{"choices":[{{"delta":{{"content":"{half}"}}}}]}}"#),
        format!(r#"{{"choices":[{{"delta":{{"content":"{rest}"}}}}]}}"#),
        format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"id":"{KEY}","function":{{"name":"{KEY}","arguments":"{{\"a\":\"{KEY}\"}}"}}}}]}}}}]}}"#
        ),
        format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"{KEY}"}}]}}"#),
    ];
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    let (result, _) = ask("openai:m", vec![stream(&frames)]).await;
    let shown = format!("{:?}", result.expect("an answer"));
    assert_clean(&shown);
    assert_eq!(shown.matches(SCRUBBED).count(), 7, "raw arguments and parsed ones, {shown}");
}

#[tokio::test]
async fn a_cassette_holds_no_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tape.jsonl");
    let frame = format!(r#"{{"choices":[{{"delta":{{"content":"{KEY}"}},"finish_reason":"stop"}}]}}"#);
    let server = Server::start(vec![stream(&[&frame])]).await;
    let settings = Settings { record: Some(path.clone()), ..settings(&server) };
    assert_clean(&format!("{settings:?}"));
    model("openai:m", &settings).ask(user("hi")).await.expect("an answer");
    assert_clean(&std::fs::read_to_string(path).expect("it was recorded"));
}

/// Keeps the text of all events.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl Visit for Log {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        *self.0.lock().expect("nobody panicked") += &format!("{field}={value:?}\n");
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut self.clone());
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut self.clone());
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn no_log_shows_a_key() {
    let log = Log::default();
    let guard = tracing::subscriber::set_default(log.clone());
    for response in [plain(401, "", KEY), stream(&[KEY]), stream(&[&format!(r#"{{"type":"error","x":"{KEY}"}}"#)])] {
        for spec in ["openai:m", "anthropic:m", "gemini:m"] {
            ask(spec, vec![response.clone()]).await.0.expect_err("an error");
        }
    }
    tracing::info!("the log works");
    drop(guard);
    let text = log.0.lock().expect("nobody panicked").clone();
    assert!(text.contains("the log works"));
    assert_clean(&text);
}
