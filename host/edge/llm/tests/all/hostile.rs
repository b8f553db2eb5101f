//! Servers that mean harm: answers without end, figures without sense, redirects.

use crate::support::{
    RETRY, Response, Server, Step, ask, frames, head, model, plain, settings, stream, stream_head, user,
};
use assay_llm::{Limits, Retry, Settings};
use assay_rollout::ports::ModelError;

const ALL: [&str; 5] = ["openai:m", "openai-compatible:m", "openrouter:m", "anthropic:m", "gemini:m"];

#[tokio::test]
async fn an_answer_without_end_is_cut_at_its_limit_and_not_asked_for_again() {
    let endless = [
        ("openai:m", r#"{"choices":[{"delta":{"content":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}}]}"#),
        ("gemini:m", r#"{"candidates":[{"content":{"parts":[{"text":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}]}}]}"#),
    ];
    for (spec, frame) in endless {
        let Step::Send(bytes) = frames(&[frame; 100]) else { unreachable!("frames are sent") };
        let (result, requests) = ask(spec, vec![vec![stream_head(), Step::Flood(bytes)]]).await;
        let error = result.expect_err("too large");
        assert!(
            matches!(&error, ModelError::Refused { why, .. } if why.contains("larger than 1048576 bytes")),
            "{error}"
        );
        assert_eq!(requests, 1);
    }
    let begun = frames(&[r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#]);
    let Step::Send(bytes) = frames(
        &[r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"xxxxxxxxxxxx"}}"#; 100],
    ) else {
        unreachable!("frames are sent")
    };
    let (result, _) = ask("anthropic:m", vec![vec![stream_head(), begun, Step::Flood(bytes)]]).await;
    assert!(result.expect_err("too large").to_string().contains("larger than"));
}

/// Nothing of these ends a line or an event, so nothing of it can be heard; time is not what ends them.
#[tokio::test]
async fn what_never_ends_a_frame_is_cut_by_bytes() {
    let retry = Retry { retries_max: 0, ..RETRY };
    let too_large = "rejected the request: the answer is larger than 1048576 bytes";
    let floods: [(&str, Response, &str); 6] = [
        ("no line", vec![stream_head(), Step::Flood(vec![b'x'; 1024])], too_large),
        (
            "no end of a line",
            vec![stream_head(), Step::Send(b"data: ".to_vec()), Step::Flood(b"[1,".repeat(100))],
            too_large,
        ),
        ("no end of an event", vec![stream_head(), Step::Flood(b"data: 1\n".repeat(100))], too_large),
        ("only comments", vec![stream_head(), Step::Flood(b": still here\n\n".repeat(100))], too_large),
        ("only line ends", vec![stream_head(), Step::Flood(vec![b'\n'; 1024])], too_large),
        ("an error", vec![head(500, ""), Step::Flood(vec![b'x'; 1024])], "status 500: xxx"),
    ];
    for (name, flood, why) in floods {
        for spec in ALL {
            let server = Server::start(vec![flood.clone()]).await;
            let error =
                model(spec, &Settings { retry, ..settings(&server) }).ask(user("hi")).await.expect_err("no end");
            assert!(error.to_string().contains(why), "{spec}, {name}: {error}");
            assert!(error.to_string().len() < 1_200, "{spec}, {name}");
            server.until_under_way(0).await;
        }
    }
}

/// At the limit of the program itself: 64 MiB that make no frame take no more than a moment, and others get their turn meanwhile.
#[tokio::test]
async fn a_flood_takes_time_by_its_length_and_nobody_elses() {
    let server = Server::start(vec![vec![stream_head(), Step::Flood(vec![b'x'; 65_536])]]).await;
    let limits = Limits::STANDARD;
    let retry = Retry { retries_max: 0, ..RETRY };
    let model = model("openai:m", &Settings { limits, retry, ..settings(&server) });
    let mut asked = std::pin::pin!(model.ask(user("hi")));
    let mut turns = 0;
    let error = loop {
        tokio::select! {
            answer = &mut asked => break answer.expect_err("no end"),
            () = tokio::task::yield_now() => turns += 1,
        }
    };
    assert!(error.to_string().contains("larger than 67108864 bytes"), "{error}");
    assert!(turns > 10, "{turns} turns for others");
}

#[tokio::test]
async fn a_large_error_is_cut() {
    let body = format!(r#"{{"error":{{"message":"{}"}}}}"#, "x".repeat(100_000));
    let (result, _) = ask("openai:m", vec![plain(400, "", &body)]).await;
    let error = result.expect_err("refused").to_string();
    assert!(error.len() < 1_200, "{}", error.len());
}

/// Figures that do not fit, calls numbered in billions, blocks that never began, values of the wrong kind: an answer or an error, soon,
/// and no panic. Each frame is tried alone and before a whole answer.
#[tokio::test]
async fn frames_without_sense_do_no_harm() {
    let deep = format!(r#"{{"choices":{}{}}}"#, "[".repeat(5_000), "]".repeat(5_000));
    let shouted = [
        deep.as_str(),
        r#"{"choices":[{"delta":{"tool_calls":[{"index":4294967295,"id":"c","function":{"name":"t","arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":-1,"function":null}]}}],"usage":{"prompt_tokens":2147483648,"completion_tokens":18446744073709551615}}"#,
        r#"{"choices":{"0":{"delta":7}}}"#,
        r#"{"choices":[{"delta":{"content":{"a":1},"role":5,"tool_calls":{}}}]}"#,
        r#"{"type":"message_start","message":{"usage":{"input_tokens":2147483647,"cache_read_input_tokens":2147483647,"output_tokens":2147483647}}}"#,
        r#"{"type":"content_block_delta","index":99,"delta":{"type":"text_delta","text":"x"}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use"}}"#,
        r#"{"type":"content_block_start"}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":{}},"usage":[]}"#,
        r#"{"candidates":[{"content":{"parts":[{"functionCall":7},{"inlineData":{}},null]},"finishReason":3}],"usageMetadata":{"promptTokenCount":2147483647,"toolUsePromptTokenCount":2147483647,"candidatesTokenCount":2147483647,"thoughtsTokenCount":2147483647}}"#,
        r#"{"error":"no"}"#,
        r#"{"error":{}}"#,
        "[]",
        "null",
        "7",
        "\"text\"",
    ];
    let ends = [
        r#"{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}"#,
        r#"{"type":"message_stop"}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}]}"#,
    ];
    for spec in ALL {
        for frame in shouted {
            for end in ends {
                let (result, _) = ask(spec, vec![stream(&[frame, end, "[DONE]"])]).await;
                if let Ok(reply) = result {
                    assert!(reply.tool_calls.len() <= 1, "{spec} {frame}");
                }
            }
        }
    }
}

#[tokio::test]
async fn more_calls_than_anybody_makes_are_an_error() {
    let frames: Vec<String> = (0..1_000)
        .map(|index| format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":{index},"id":"c{index}","function":{{"name":"t"}}}}]}}}}]}}"#))
        .collect();
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    let (result, _) = ask("openai:m", vec![stream(&frames)]).await;
    assert!(result.expect_err("too many").to_string().contains("more than 256 tool calls"));
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = Server::start(vec![crate::support::hello()]).await;
    for status in [301, 302, 303, 307, 308] {
        let there = format!("location: {}/chat/completions\r\n", elsewhere.url);
        let (result, requests) = ask("openai:m", vec![plain(status, &there, "")]).await;
        let error = result.expect_err("a redirect");
        let ModelError::Refused { hint: Some(hint), .. } = &error else { panic!("{error:?}") };
        assert!(hint.contains("redirects are not followed"), "{hint}");
        assert_eq!(requests, 1);
    }
    assert_eq!(elsewhere.seen().len(), 0, "neither key nor conversation went there");
}
