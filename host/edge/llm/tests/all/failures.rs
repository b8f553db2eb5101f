//! What goes wrong between us and a provider: what is tried again, what is not, and how long anything may take.

use crate::support::{
    KEY, LIMITS, RETRY, Response, Server, Step, ask, frames, head, hello, model, offline, plain, settings, stream,
    stream_head, try_open, unlimited, user,
};
use assay_llm::{Keys, Limits, OpenError, Retry, Settings};
use assay_rollout::ports::{ModelError, ModelReply};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::Notify;

const OPENAI: &str = "openai:m";
const PART: &str = r#"{"choices":[{"index":0,"delta":{"content":"hel"}}]}"#;

/// A failure, then a whole answer.
async fn check_retried(name: &str, failure: Response) {
    let (result, requests) = ask(OPENAI, vec![failure, hello()]).await;
    let ModelReply { parts, retries, .. } = result.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!((retries, requests), (1, 2), "{name}");
    assert_eq!(parts, [assay_trace::Part::text("hello")], "{name}: nothing of the broken answer is left");
}

#[tokio::test]
async fn what_passes_is_tried_again() {
    for status in [408, 409, 425, 429, 500, 502, 503, 504, 529] {
        check_retried(&format!("status {status}"), plain(status, "", r#"{"error":{"message":"later"}}"#)).await;
    }
    check_retried("closed at once", vec![]).await;
    check_retried("closed after the head", vec![stream_head()]).await;
    check_retried("cut between frames", stream(&[PART])).await;
    check_retried("cut within a frame", vec![stream_head(), frames(&[PART]), Step::Send(b"data: {\"choi".to_vec())])
        .await;
    let short = head(200, "content-type: text/event-stream\r\ncontent-length: 9999\r\n");
    check_retried("cut before the announced end", vec![short, frames(&[PART])]).await;
    check_retried("not JSON", stream(&[PART, "{not json}"])).await;
    check_retried("not UTF-8", vec![stream_head(), Step::Send(b"data: \xff\xfe\n\n".to_vec())]).await;
    check_retried("a web page", plain(200, "content-type: text/html\r\n", "<html>login</html>")).await;
    check_retried("no stream at all", plain(200, "content-type: application/json\r\n", r#"{"choices":[]}"#)).await;
    check_retried("an end without an answer", stream(&["[DONE]"])).await;
    check_retried(
        "an error amid the stream",
        stream(&[PART, r#"{"error":{"message":"overloaded","type":"server_error"}}"#]),
    )
    .await;
    check_retried(
        "a gateway's error",
        stream(&[PART, r#"{"error":{"code":502,"message":"bad gateway"},"choices":[]}"#]),
    )
    .await;
}

#[tokio::test]
async fn each_dialect_notices_a_stream_that_breaks_off() {
    let broken = [
        ("anthropic:m", r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hel"}}"#),
        ("gemini:m", r#"{"candidates":[{"content":{"parts":[{"text":"hel"}]}}]}"#),
        ("openrouter:m", PART),
        ("openai-compatible:m", PART),
    ];
    for (spec, frame) in broken {
        let (result, requests) = ask(spec, vec![stream(&[frame])]).await;
        let error = result.expect_err(spec);
        assert!(
            matches!(&error, ModelError::Unavailable { retries: 2, why } if why.contains("ended before")),
            "{spec}: {error}"
        );
        assert_eq!(requests, 3, "{spec}");
        assert!(error.is_infrastructure());
    }
    let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let (result, requests) = ask("anthropic:m", vec![stream(&[overloaded])]).await;
    assert!(result.expect_err("overloaded").to_string().contains("Overloaded"));
    assert_eq!(requests, 3);
}

#[tokio::test]
async fn what_the_user_has_to_mend_is_not_tried_again() {
    let check = async |spec: &str, response: Response, why: &str, hint: &str| {
        let (result, requests) = ask(spec, vec![response, hello()]).await;
        let error = result.expect_err(why);
        let ModelError::Refused { why: found, hint: said } = &error else { panic!("{error:?}") };
        assert!(found.contains(why), "{found}");
        assert!(said.clone().unwrap_or_default().contains(hint), "{said:?}");
        assert_eq!(requests, 1, "{why}");
    };
    let body = |message: &str| format!(r#"{{"error":{{"message":"{message}"}}}}"#);
    check(OPENAI, plain(400, "", &body("bad temperature")), "status 400: bad temperature", "").await;
    check(OPENAI, plain(401, "", &body("who?")), "status 401: who?", "OPENAI_API_KEY").await;
    check("anthropic:m", plain(403, "", &body("no")), "status 403: no", "ANTHROPIC_API_KEY").await;
    check("openrouter:m", plain(402, "", &body("pay")), "status 402: pay", "no credit").await;
    check(OPENAI, plain(404, "", &body("no such model")), "no such model", "model's name").await;
    check(
        OPENAI,
        plain(429, "", r#"{"error":{"code":"insufficient_quota","message":"q"}}"#),
        "status 429",
        "no credit",
    )
    .await;
    check("gemini:m", stream(&[r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#]), "blocked: SAFETY", "").await;
    let wrong = r#"{"type":"error","error":{"type":"invalid_request_error","message":"no such tool"}}"#;
    check("anthropic:m", stream(&[wrong]), "no such tool", "").await;
}

#[tokio::test]
async fn a_conversation_that_is_too_long_is_told_apart() {
    let bodies = [
        (OPENAI, r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#),
        (
            "openai-compatible:m",
            r#"{"object":"error","message":"This model's maximum context length is 4096 tokens."}"#,
        ),
        (
            "anthropic:m",
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}"#,
        ),
        (
            "gemini:m",
            r#"{"error":{"code":400,"message":"The input token count (9) exceeds the maximum number of tokens allowed (8)."}}"#,
        ),
    ];
    for (spec, body) in bodies {
        let (result, requests) = ask(spec, vec![plain(400, "", body)]).await;
        assert!(matches!(result, Err(ModelError::ContextTooLong { .. })), "{spec}: {result:?}");
        assert_eq!(requests, 1);
    }
}

#[tokio::test]
async fn a_provider_is_given_the_time_it_asks_for() {
    let server = Server::start(vec![plain(429, "retry-after-ms: 30\r\n", ""), hello()]).await;
    let started = Instant::now();
    model(OPENAI, &settings(&server)).ask(user("hi")).await.expect("an answer");
    assert!(started.elapsed() >= Duration::from_millis(30));

    // An hour, in either form, is cut to what the settings allow.
    for asked in ["3600", "Fri, 31 Dec 9999 23:59:59 GMT"] {
        let server = Server::start(vec![plain(503, &format!("retry-after: {asked}\r\n"), ""), hello()]).await;
        let started = Instant::now();
        model(OPENAI, &settings(&server)).ask(user("hi")).await.expect("an answer");
        assert!(started.elapsed() >= RETRY.asked_wait_max, "{asked}");
    }
}

/// Ten minutes of waits of half a minute, each a thousandth of a second here.
#[tokio::test]
async fn a_provider_that_has_too_much_to_do_for_long_is_waited_for() {
    let mut responses = vec![plain(429, "", "slow down"); 25];
    responses.insert(9, plain(500, "", "oops"));
    responses.push(hello());
    let server = Server::start(responses).await;
    let retry = Retry { throttled_max: Retry::STANDARD.throttled_max, ..RETRY };
    let reply = model(OPENAI, &Settings { retry, ..settings(&server) }).ask(user("hi")).await.expect("an answer");
    assert_eq!((reply.retries, server.seen().len()), (26, 27));

    // One that never has less to do is given up, and says why.
    let server = Server::start(vec![plain(429, "", "slow down")]).await;
    let error = model(OPENAI, &settings(&server)).ask(user("hi")).await.expect_err("no answer");
    assert_eq!(error, ModelError::Unavailable { why: "status 429: slow down".to_owned(), retries: 2 });
}

/// Servers that refuse what they do not know say so in the first answer, and it is shown.
#[tokio::test]
async fn a_server_that_refuses_unknown_fields_is_sent_none() {
    let refusal = r#"{"message":"Extra inputs are not permitted","loc":["body","seed"]}"#;
    let (result, requests) = ask("openai-compatible:m", vec![plain(422, "", refusal)]).await;
    let error = result.expect_err("refused");
    assert!(error.to_string().contains("status 422: Extra inputs are not permitted"), "{error}");
    assert_eq!(requests, 1);
    // What is not set is not sent, so `--no-seed` is enough.
    let server = Server::start(vec![hello()]).await;
    model("openai-compatible:m", &settings(&server)).ask(user("hi")).await.expect("an answer");
    let body = server.seen()[0].body.as_object().expect("an object").clone();
    let fields: BTreeSet<&str> = body.keys().map(String::as_str).collect();
    assert_eq!(fields, BTreeSet::from(["messages", "model", "stream", "stream_options"]));
}

#[tokio::test]
async fn what_is_said_is_heard_as_it_comes_and_never_with_the_key() {
    let text = |part: &str| format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"{part}"}}}}]}}"#);
    let done = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#.to_owned();
    let long = "x".repeat(200);
    let (half, rest) = KEY.split_at(7);
    let frames: Vec<String> = [text("one "), text(&long), text(half), text(rest), text(" two"), done].into();
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    let server = Server::start(vec![stream(&frames)]).await;
    let heard = std::sync::Mutex::new(Vec::new());
    let hear = |text: &str| heard.lock().expect("nobody panicked").push(text.to_owned());
    model(OPENAI, &settings(&server)).ask_aloud(user("hi"), &hear).await.expect("an answer");
    let heard = heard.into_inner().expect("nobody panicked");
    assert_eq!(heard.concat(), format!("one {long}[key] two"));
    assert!(heard.len() >= 2, "not all at once: {heard:?}");
}

#[tokio::test]
async fn what_does_not_fit_in_the_deadline_is_not_waited_for() {
    let server = Server::start(vec![plain(429, "retry-after: 3600\r\n", "slow down")]).await;
    let retry = Retry { asked_wait_max: Duration::from_hours(1), ..RETRY };
    let error = model(OPENAI, &Settings { retry, ..settings(&server) }).ask(user("hi")).await.expect_err("no time");
    assert_eq!(error, ModelError::Unavailable { why: "status 429: slow down".to_owned(), retries: 0 });
}

#[tokio::test]
async fn silence_ends() {
    let check = async |response: Response, limits: Limits, why: &str| {
        let server = Server::start(vec![response]).await;
        let retry = Retry { retries_max: 1, ..RETRY };
        let error =
            model(OPENAI, &Settings { limits, retry, ..settings(&server) }).ask(user("hi")).await.expect_err(why);
        assert!(error.to_string().contains(why), "{error}");
        assert!(error.is_infrastructure());
        // The client has gone: nothing is left open.
        server.until_under_way(0).await;
    };
    let short = Duration::from_millis(30);
    let first = Limits { first_frame: short, ..LIMITS };
    let next = Limits { next_frame: short, ..LIMITS };
    let deadline = Limits { deadline: short, ..LIMITS };
    check(vec![Step::Stall], first, "no answer began").await;
    check(vec![stream_head(), Step::Stall], first, "no answer began").await;
    check(vec![head(500, ""), Step::Stall], first, "status 500").await;
    check(vec![stream_head(), frames(&[PART]), Step::Stall], next, "stalled").await;
    check(vec![stream_head(), frames(&[PART]), Step::Send(b"data: {".to_vec()), Step::Stall], next, "stalled").await;
    check(vec![stream_head(), frames(&[PART]), Step::Stall], deadline, "no answer within").await;
}

#[tokio::test]
async fn a_slow_stream_is_not_a_silent_one() {
    let go_on = Arc::new(Notify::new());
    let mut response = vec![stream_head()];
    for frame in [PART, PART, r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#] {
        let Step::Send(bytes) = frames(&[frame]) else { unreachable!("frames are sent") };
        // One byte at a time, frames and characters torn apart.
        response.extend(bytes.into_iter().map(|byte| Step::Send(vec![byte])));
        response.push(Step::Send(b": still here\n\n".to_vec()));
        response.push(Step::Wait(Arc::clone(&go_on)));
    }
    response.push(frames(&["[DONE]"]));
    let server = Server::start(vec![response]).await;
    let model = model(OPENAI, &settings(&server));
    let asked = tokio::spawn(async move { model.ask(user("hi")).await });
    server.until_seen(1).await;
    while !asked.is_finished() {
        go_on.notify_one();
        tokio::task::yield_now().await;
    }
    let reply = asked.await.expect("no panic").expect("an answer");
    assert_eq!(reply.parts, [assay_trace::Part::text("helhel")]);
}

#[tokio::test]
async fn nobody_there_is_unavailable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/v1", listener.local_addr().expect("bound"));
    drop(listener);
    let settings = Settings { base_url: Some(url), ..offline() };
    let error = model(OPENAI, &settings).ask(user("hi")).await.expect_err("nobody listens");
    assert!(matches!(&error, ModelError::Unavailable { retries: 2, .. }), "{error}");
    assert!(error.to_string().contains("refused"), "{error}");
}

#[tokio::test]
async fn a_dropped_question_leaves_nothing_behind() {
    let server = Server::start(vec![vec![stream_head(), frames(&[PART]), Step::Stall], hello()]).await;
    let model = model(OPENAI, &Settings { concurrency_max: 1, ..settings(&server) });
    let first = {
        let model = Arc::clone(&model);
        tokio::spawn(async move { model.ask(user("hi")).await })
    };
    server.until_under_way(1).await;
    server.until_seen(1).await;
    let waiting = {
        let model = Arc::clone(&model);
        tokio::spawn(async move { model.ask(user("second")).await })
    };
    tokio::task::yield_now().await;
    waiting.abort();
    first.abort();
    let reply = model.ask(user("third")).await.expect("the place is free again");
    assert_eq!(reply.parts, [assay_trace::Part::text("hello")]);
    assert_eq!(server.seen().len(), 2, "the second was never sent");
}

#[tokio::test]
async fn a_provider_that_is_overrun_gets_fewer_requests_at_a_time() {
    let gate = Arc::new(Notify::new());
    let held = |mut response: Response| {
        response.insert(0, Step::Wait(Arc::clone(&gate)));
        response
    };
    // Eight come at once and are all too much; what is tried again comes in fours.
    let mut responses: Vec<_> = (0..8).map(|_| held(plain(429, "", ""))).collect();
    responses.push(held(hello()));
    let server = Server::start(responses).await;
    let model = model(OPENAI, &settings(&server));
    let asked: Vec<_> = (0..8)
        .map(|_| {
            let model = Arc::clone(&model);
            tokio::spawn(async move { model.ask(user("hi")).await })
        })
        .collect();
    server.until_seen(8).await;
    assert_eq!(server.peak(), 8);
    for _ in 0..8 {
        gate.notify_one();
        tokio::task::yield_now().await;
    }
    server.until_seen(12).await;
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(server.seen().len(), 12, "half of eight at a time");
    while !asked.iter().all(tokio::task::JoinHandle::is_finished) {
        gate.notify_one();
        tokio::task::yield_now().await;
    }
    for answer in asked {
        assert_eq!(answer.await.expect("no panic").expect("an answer").retries, 1);
    }
}

#[tokio::test]
async fn what_can_be_known_before_any_request_is() {
    let check = |spec: &str, settings: Settings, message: &str, hint: &str| {
        let error = try_open(spec, &settings, &unlimited()).err().expect(message);
        assert!(error.to_string().contains(message), "{error}");
        assert!(error.hint().unwrap_or_default().contains(hint), "{:?}", error.hint());
    };
    let keyless = || Settings { keys: Keys::default(), ..offline() };
    let at = |url: &str| Settings { base_url: Some(url.to_owned()), ..offline() };
    check(OPENAI, keyless(), "OPENAI_API_KEY is not set", "export OPENAI_API_KEY");
    check("anthropic:m", keyless(), "ANTHROPIC_API_KEY is not set", "");
    check("gemini:m", keyless(), "GEMINI_API_KEY is not set", "");
    check("openrouter:m", keyless(), "OPENROUTER_API_KEY is not set", "");
    let broken = Settings { keys: Keys::from_lookup(|_| Some("a b\nc".to_owned())), ..offline() };
    check(OPENAI, broken, "OPENAI_API_KEY does not contain a valid key", "copy the key again");
    check("openai-compatible:m", offline(), "needs the URL of its server", "http://localhost:8000/v1");
    check(OPENAI, at("nonsense"), "not a URL", "");
    check(OPENAI, at("ftp://example.org"), "neither http nor https", "");
    check(
        OPENAI,
        at("https://me:pass@example.org/v1"),
        "`…` is not a URL of a model's server: it contains a user or a password",
        "",
    );
    check(OPENAI, at("https://me:pass@:x"), "`…` is not a URL", "");
    check(OPENAI, at("https://example.org/v1?key=1"), "it has more after the path", "");
    check(OPENAI, at("http://example.org/v1"), "unencrypted", "");
    let thinking = Settings { reasoning: Some(assay_llm::Reasoning::Tokens(5)), ..offline() };
    check(OPENAI, thinking, "does not accept a number of reasoning tokens", "low, medium or high");
    check("scripted:/nowhere/a.toml", offline(), "failed to read the script", "docs/models.md");
    assert!(try_open("openai-compatible:m", &at("http://192.168.1.5:8000/v1"), &unlimited()).is_ok());
    assert!(matches!(try_open("cassette:/nowhere", &offline(), &unlimited()), Err(OpenError::Cassette { .. })));
}
