//! Each dialect both ways: what is sent, byte for byte where it matters, and what an answer becomes.

use crate::support::{KEY, Server, ask, id, model, request, settings, stream, user};
use assay_llm::{Keys, Reasoning, Settings};
use assay_rollout::ports::{ModelReply, ModelRequest};
use assay_trace::{CallId, ImageSource, MediaType, Message, Meta, Part, Speaker, ToolCall, Usage};
use serde_json::{Value, json};
use std::sync::Arc;

fn call_id(text: &str) -> CallId {
    CallId::new(text).expect("an identifier")
}

fn tools() -> Arc<[Value]> {
    let parameters = json!({"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]});
    Arc::from([
        json!({"type": "function", "function": {"name": "bash", "description": "runs", "parameters": parameters}}),
    ])
}

fn reasoning(text: &str, signature: Option<&str>) -> Part {
    Part::Reasoning { text: text.to_owned(), signature: signature.map(str::to_owned) }
}

/// Asks once, then again with the answer, and a tool's answer to each call, in the conversation. Gives the first answer and the second
/// request's body.
async fn twice(spec: &str, reasoning: Option<Reasoning>, frames: &[&str]) -> (ModelReply, Value, Server) {
    let server = Server::start(vec![stream(frames)]).await;
    let model = model(spec, &Settings { reasoning, ..settings(&server) });
    let first =
        ModelRequest { tools: tools(), ..request(vec![Message::system(id("s"), "sys"), Message::user(id("u"), "hi")]) };
    let reply = model.ask(first.clone()).await.expect("a whole answer");
    let said = Message::assistant(id("a"), reply.parts.clone(), reply.tool_calls.clone()).expect("ids differ");
    let answers = reply.tool_calls.iter().map(|call| Message::tool(id("t"), call.id().clone(), "done"));
    let more = std::iter::once(said).chain(answers).map(Arc::new);
    let second = ModelRequest { messages: first.messages.iter().cloned().chain(more).collect(), ..first };
    model.ask(second).await.expect("a whole answer");
    let body = server.seen()[1].body.clone();
    (reply, body, server)
}

#[tokio::test]
async fn openai_text_calls_and_usage() {
    let (reply, body, server) = twice(
        "openai:gpt-4.1-mini",
        None,
        &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"let "}}],"usage":null}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"me"}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c0","type":"function","function":{"name":"bash","arguments":""}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"c1","type":"function","function":{"name":"bash","arguments":"{\"comm"}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{ \"command\":"}},{"index":1,"function":{"arguments":"and\":"}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"  \"ls\" }"}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":30,"total_tokens":130,"prompt_tokens_details":{"cached_tokens":60},"completion_tokens_details":{"reasoning_tokens":12}}}"#,
            "[DONE]",
        ],
    )
    .await;
    assert_eq!(reply.parts, [Part::text("let me")]);
    let raw: Vec<_> = reply.tool_calls.iter().map(|call| (call.id().as_str(), call.arguments_raw())).collect();
    assert_eq!(raw, [("c0", r#"{ "command":  "ls" }"#), ("c1", r#"{"command":"#)], "byte for byte, broken ones too");
    assert!(reply.tool_calls[1].parse_error().is_some());
    assert_eq!(reply.usage, Some(Usage { input: 40, output: 30, cache_read: 60, cache_write: 0, reasoning: 12 }));
    assert_eq!(reply.cost_microdollars, Some(16 + 48 + 6));
    assert_eq!((reply.retries, reply.stop_reason.as_deref()), (0, Some("tool_calls")));

    let seen = &server.seen()[1];
    assert_eq!(seen.path(), "/v1/chat/completions");
    assert_eq!(seen.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    let function = |id: &str, arguments: &str| json!({"type": "function", "id": id, "function": {"name": "bash", "arguments": arguments}});
    let mut sent_tool = tools()[0].clone();
    sent_tool["function"]["strict"] = json!(false);
    assert_eq!(
        body,
        json!({
            "model": "gpt-4.1-mini",
            "stream": true,
            "stream_options": {"include_usage": true},
            "tools": [sent_tool],
            "messages": [
                {"role": "system", "content": "sys"},
                {"role": "user", "content": "hi"},
                {"role": "assistant", "content": "let me", "tool_calls": [
                    function("c0", r#"{"command":"ls"}"#),
                    function("c1", r#"{"unparsed_arguments":"{\"command\":"}"#),
                ]},
                {"role": "tool", "tool_call_id": "c0", "content": "done"},
                {"role": "tool", "tool_call_id": "c1", "content": "done"},
            ],
        })
    );
}

#[tokio::test]
async fn openai_sampling_settings_and_images() {
    let server = Server::start(vec![crate::support::hello()]).await;
    let data = assay_trace::Base64::of(b"png");
    let image = |source| Part::Image { media_type: MediaType::Png, source };
    let parts = vec![
        Part::text("see"),
        image(ImageSource::Data(data)),
        image(ImageSource::Url("https://example.org/a.png".to_owned())),
    ];
    let message = Message::new(id("u"), Speaker::User, parts, Meta::new()).expect("a user may show images");
    let asked =
        ModelRequest { temperature: Some(0.25), output_tokens_max: Some(77), seed: Some(9), ..request(vec![message]) };
    // A name whose end looks like an effort is sent as it is.
    let reply = model("openai-compatible:qwen-max", &settings(&server)).ask(asked.clone()).await.expect("an answer");
    assert_eq!(reply.cost_microdollars, None, "an unknown price is not zero");
    let body = &server.seen()[0].body;
    let url = |url: &str| json!({"type": "image_url", "image_url": {"url": url}});
    assert_eq!(
        *body,
        json!({
            "model": "qwen-max", "stream": true, "stream_options": {"include_usage": true},
            "temperature": 0.25, "max_tokens": 77, "seed": 9,
            "messages": [{"role": "user", "content": [
                {"type": "text", "text": "see"}, url("data:image/png;base64,cG5n"), url("https://example.org/a.png"),
            ]}],
        })
    );
    model("anthropic:claude-sonnet-4-5", &settings(&server)).ask(asked).await.expect_err("another dialect");
    let body = &server.seen()[1].body;
    assert_eq!(
        body["messages"][0]["content"][1]["source"],
        json!({"type": "base64", "media_type": "image/png", "data": "cG5n"})
    );
    assert_eq!(body["messages"][0]["content"][2]["source"], json!({"type": "url", "url": "https://example.org/a.png"}));
}

#[tokio::test]
async fn a_server_of_ones_own_thinks_aloud_and_needs_no_key() {
    let frames = [
        r#"{"choices":[{"delta":{"role":"assistant","reasoning_content":"hm"}}]}"#,
        r#"{"choices":[{"delta":{"reasoning_content":"m"}}]}"#,
        r#"{"choices":[{"delta":{"content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#,
        "[DONE]",
    ];
    let (reply, body, _) = twice("openai-compatible:m", None, &frames).await;
    assert_eq!(reply.parts, [reasoning("hmm", None), Part::text("yes")]);
    assert_eq!(reply.usage, Some(Usage { input: 3, output: 4, ..Usage::default() }));
    assert_eq!(body["messages"][2], json!({"role": "assistant", "content": "yes", "reasoning_content": "hmm"}));

    let (_, body, _) = twice("openai:m", None, &frames).await;
    assert_eq!(body["messages"][2], json!({"role": "assistant", "content": "yes"}), "OpenAI takes no such field");

    let server = Server::start(vec![stream(&frames)]).await;
    let keyless = Settings { keys: Keys::default(), ..settings(&server) };
    model("openai-compatible:m", &keyless).ask(user("hi")).await.expect("an answer");
    assert_eq!(server.seen()[0].header("authorization"), None);
}

#[tokio::test]
async fn openrouter_reasoning_details_go_back_as_they_came() {
    let (reply, body, _) = twice(
        "openrouter:anthropic/claude-sonnet-4.5",
        Some(Reasoning::High),
        &[
            r#"{"choices":[{"delta":{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","format":"anthropic-claude-v1","index":0}]}}]}"#,
            r#"{"choices":[{"delta":{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","index":0}]}}]}"#,
            r#"{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","signature":"SIG","index":0}]}}]}"#,
            r#"{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"ENC","id":"r1","index":1}]}}]}"#,
            r#"{"choices":[{"delta":{"content":"yes"},"finish_reason":"stop"}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"cost":0.0123456}}"#,
            "[DONE]",
        ],
    )
    .await;
    assert_eq!(reply.cost_microdollars, Some(12_346), "what the gateway says, for no table knows its prices");
    assert_eq!(reply.parts.len(), 3);
    assert!(
        matches!(&reply.parts[0], Part::Reasoning { text, signature: Some(_) } if text == "ab"),
        "{:?}",
        reply.parts
    );
    assert_eq!(body["reasoning_effort"], "high");
    assert_eq!(
        body["messages"][2],
        json!({"role": "assistant", "content": "yes", "reasoning_details": [
            {"type": "reasoning.text", "text": "ab", "format": "anthropic-claude-v1", "index": 0, "signature": "SIG"},
            {"type": "reasoning.encrypted", "data": "ENC", "id": "r1", "index": 1},
        ]})
    );
}

#[tokio::test]
async fn anthropic_thinking_stays_signed_and_in_order() {
    let (reply, body, server) = twice(
        "anthropic:claude-sonnet-4-5",
        Some(Reasoning::Tokens(2_000)),
        &[
            r#"{"type":"message_start","message":{"usage":{"input_tokens":20,"cache_read_input_tokens":300,"cache_creation_input_tokens":40,"output_tokens":1}}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
            r#"{"type":"ping"}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"first"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"SIG-A"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"HIDDEN"}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            r#"{"type":"content_block_start","index":2,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"thinking_delta","thinking":"second"}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"signature_delta","signature":"SIG-"}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"signature_delta","signature":"B"}}"#,
            r#"{"type":"content_block_stop","index":2}"#,
            r#"{"type":"content_block_start","index":3,"content_block":{"type":"text","text":""}}"#,
            r#"{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"I look."}}"#,
            r#"{"type":"content_block_stop","index":3}"#,
            r#"{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"toolu_1","name":"bash","input":{}}}"#,
            r#"{"type":"content_block_delta","index":4,"delta":{"type":"input_json_delta","partial_json":"{\"command\": "}}"#,
            r#"{"type":"content_block_delta","index":4,"delta":{"type":"input_json_delta","partial_json":"\"ls\"}"}}"#,
            r#"{"type":"content_block_stop","index":4}"#,
            r#"{"type":"content_block_start","index":5,"content_block":{"type":"tool_use","id":"toolu_2","name":"bash","input":{}}}"#,
            r#"{"type":"content_block_delta","index":5,"delta":{"type":"input_json_delta","partial_json":"{\"command"}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"output_tokens":55}}"#,
            r#"{"type":"message_stop"}"#,
        ],
    )
    .await;
    assert_eq!(
        reply.parts,
        [
            reasoning("first", Some("SIG-A")),
            Part::RedactedReasoning { data: "HIDDEN".to_owned() },
            reasoning("second", Some("SIG-B")),
            Part::text("I look."),
        ]
    );
    let raw: Vec<_> = reply.tool_calls.iter().map(|call| (call.id().as_str(), call.arguments_raw())).collect();
    assert_eq!(raw, [("toolu_1", r#"{"command": "ls"}"#), ("toolu_2", r#"{"command"#)]);
    assert_eq!(reply.usage, Some(Usage { input: 20, output: 55, cache_read: 300, cache_write: 40, reasoning: 0 }));
    assert_eq!(reply.cost_microdollars, Some(60 + 825 + 90 + 150));
    assert_eq!(reply.stop_reason.as_deref(), Some("max_tokens"));

    let seen = &server.seen()[1];
    assert_eq!((seen.path(), seen.header("x-api-key")), ("/v1/messages", Some(KEY)));
    assert_eq!(seen.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(body["system"], "sys");
    assert_eq!(body["model"], "claude-sonnet-4-5");
    assert_eq!(body["thinking"]["budget_tokens"], 2_000);
    assert_eq!(body["tools"][0]["input_schema"], tools()[0]["function"]["parameters"]);
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "first", "signature": "SIG-A"},
                {"type": "redacted_thinking", "data": "HIDDEN"},
                {"type": "thinking", "thinking": "second", "signature": "SIG-B"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "toolu_1", "name": "bash", "input": {"command": "ls"}},
                {"type": "tool_use", "id": "toolu_2", "name": "bash", "input": {"unparsed_arguments": "{\"command"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"},
                {"type": "tool_result", "tool_use_id": "toolu_2", "content": "done", "cache_control": {"type": "ephemeral"}},
            ]},
        ])
    );
}

#[tokio::test]
async fn anthropic_is_not_sent_the_reasoning_of_others() {
    let server = Server::start(vec![crate::support::hello()]).await;
    let parts = vec![reasoning("unsigned", None), Part::text("  "), Part::text("kept")];
    let said = Message::assistant(id("a"), parts, vec![]).expect("no calls");
    let nothing = Message::assistant(id("b"), vec![], vec![]).expect("no calls");
    let asked = request(vec![Message::user(id("u"), "x"), said, nothing, Message::user(id("v"), "y")]);
    model("anthropic:claude-sonnet-4-5", &settings(&server)).ask(asked).await.expect_err("another dialect");
    let messages = server.seen()[0].body["messages"].clone();
    assert_eq!(messages.as_array().map(Vec::len), Some(3), "{messages}");
    assert_eq!(messages[1], json!({"role": "assistant", "content": "kept"}));
}

#[tokio::test]
async fn gemini_thoughts_signatures_and_calls() {
    let (reply, body, server) = twice(
        "gemini:gemini-2.5-pro",
        Some(Reasoning::Low),
        &[
            r#"{"candidates":[{"content":{"parts":[{"text":"plan","thought":true}],"role":"model"}}],"usageMetadata":{"promptTokenCount":50}}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"I "}],"role":"model"}}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"look"},{"functionCall":{"name":"bash","args":{"command":"ls"}},"thoughtSignature":"SIG"},{"functionCall":{"id":"own","name":"bash","args":{}}}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":50,"cachedContentTokenCount":30,"candidatesTokenCount":7,"thoughtsTokenCount":13,"totalTokenCount":70}}"#,
        ],
    )
    .await;
    assert_eq!(reply.parts, [reasoning("plan", None), Part::text("I look"), reasoning("", Some("SIG"))]);
    let raw: Vec<_> = reply.tool_calls.iter().map(|call| (call.id().as_str(), call.arguments_raw())).collect();
    assert_eq!(raw, [("call#bash#0", r#"{"command":"ls"}"#), ("own", "{}")]);
    assert_eq!(reply.usage, Some(Usage { input: 20, output: 20, cache_read: 30, cache_write: 0, reasoning: 13 }));
    assert_eq!(reply.stop_reason.as_deref(), Some("STOP"));

    let seen = &server.seen()[1];
    assert_eq!(seen.path(), "/v1/models/gemini-2.5-pro:streamGenerateContent?alt=sse");
    assert_eq!(seen.header("x-goog-api-key"), Some(KEY));
    assert_eq!(body["systemInstruction"], json!({"parts": [{"text": "sys"}]}));
    assert_eq!(body["generationConfig"]["thinkingConfig"], json!({"thinkingBudget": 1000, "includeThoughts": true}));
    let answer = |extra: Value| {
        let mut response = json!({"name": "bash", "response": {"name": "bash", "content": "done"}});
        if let (Some(response), Value::Object(extra)) = (response.as_object_mut(), extra) {
            response.extend(extra);
        }
        json!({ "functionResponse": response })
    };
    assert_eq!(
        body["contents"],
        json!([
            {"role": "user", "parts": [{"text": "hi"}]},
            {"role": "model", "parts": [
                {"text": "I look"},
                {"functionCall": {"name": "bash", "args": {"command": "ls"}}, "thoughtSignature": "SIG"},
                {"functionCall": {"id": "own", "name": "bash", "args": {}}},
            ]},
            {"role": "user", "parts": [answer(json!({})), answer(json!({"id": "own"}))]},
        ])
    );
}

#[tokio::test]
async fn gemini_signatures_on_text_go_back_where_they_stood() {
    let (reply, body, _) = twice(
        "gemini:gemini-3-pro",
        None,
        &[
            r#"{"candidates":[{"content":{"parts":[{"text":"one"},{"text":"two","thoughtSignature":"S1"}]}}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"S2"}]},"finishReason":"STOP"}]}"#,
        ],
    )
    .await;
    assert_eq!(
        reply.parts,
        [Part::text("one"), reasoning("", Some("S1")), Part::text("two"), reasoning("", Some("S2"))]
    );
    assert_eq!(
        body["contents"][1]["parts"],
        json!([{"text": "one"}, {"text": "two", "thoughtSignature": "S1"}, {"text": "", "thoughtSignature": "S2"}])
    );
    assert_eq!(reply.usage, None, "unknown is not zero");
}

#[tokio::test]
async fn models_of_the_responses_interface_are_spoken_to_there() {
    let (reply, body, server) = twice(
        "openai:gpt-5.1-codex",
        Some(Reasoning::Low),
        &[
            r#"{"type":"response.created","response":{"id":"r"}}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"ENC"}}"#,
            r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"ENC2"}}"#,
            r#"{"type":"response.output_text.delta","delta":"I look."}"#,
            r#"{"type":"response.output_item.done","output_index":2,"item":{"type":"message","content":[{"type":"output_text","text":"I look."}]}}"#,
            r#"{"type":"response.output_item.done","output_index":3,"item":{"type":"function_call","call_id":"c1","name":"bash","arguments":"{ \"command\": \"ls\" }"}}"#,
            r#"{"type":"response.completed","response":{"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":60},"output_tokens":30,"output_tokens_details":{"reasoning_tokens":12}}}}"#,
        ],
    )
    .await;
    assert_eq!(reply.parts.len(), 3);
    assert!(matches!(&reply.parts[0], Part::Reasoning { text, signature: Some(_) } if text == "hm"));
    assert_eq!(reply.parts[2], Part::text("I look."));
    assert_eq!(reply.tool_calls[0].arguments_raw(), r#"{ "command": "ls" }"#);
    assert_eq!(reply.usage, Some(Usage { input: 40, output: 30, cache_read: 60, cache_write: 0, reasoning: 12 }));
    assert_eq!(reply.stop_reason.as_deref(), Some("completed"));

    assert_eq!(server.seen()[1].path(), "/v1/responses");
    let function = &tools()[0]["function"];
    let tool = json!({
        "type": "function", "name": "bash", "description": "runs", "parameters": function["parameters"], "strict": false,
    });
    assert_eq!(
        body,
        json!({
            "model": "gpt-5.1-codex", "stream": true, "store": false, "include": ["reasoning.encrypted_content"],
            "reasoning": {"effort": "low", "summary": "auto"}, "tools": [tool],
            "input": [
                {"role": "system", "content": "sys"},
                {"role": "user", "content": "hi"},
                {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": "ENC"},
                {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "ENC2"},
                {"role": "assistant", "content": "I look."},
                {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": r#"{"command":"ls"}"#},
                {"type": "function_call_output", "call_id": "c1", "output": "done"},
            ],
        })
    );

    let cut = r#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}"#;
    let (result, _) = ask("openai:o3-pro", vec![stream(&[cut])]).await;
    assert_eq!(result.expect("an answer").stop_reason.as_deref(), Some("max_output_tokens"));
    let failures = [
        ("server_error", "after 2 retries"),
        ("rate_limit_exceeded", "after 2 retries"),
        ("context_length_exceeded", "too long for the model"),
        ("invalid_prompt", "rejected the request"),
    ];
    for (code, expected) in failures {
        let failed =
            format!(r#"{{"type":"response.failed","response":{{"error":{{"code":"{code}","message":"m"}}}}}}"#);
        let error = ask("openai:codex-mini", vec![stream(&[&failed])]).await.0.expect_err(code).to_string();
        assert!(error.contains(expected), "{code}: {error}");
    }
}

#[tokio::test]
async fn streams_that_are_odd_but_whole_are_understood() {
    let check = async |spec: &str, frames: &[&str], text: &str, calls: &[(&str, &str)]| {
        let (result, _) = ask(spec, vec![stream(frames)]).await;
        let reply = result.unwrap_or_else(|error| panic!("{frames:?}: {error}"));
        let said: String =
            reply.parts.iter().map(|part| if let Part::Text { text } = part { text } else { "" }).collect();
        assert_eq!(said, text, "{frames:?}");
        let heard: Vec<_> = reply.tool_calls.iter().map(|call| (call.id().as_str(), call.arguments_raw())).collect();
        assert_eq!(heard, calls, "{frames:?}");
    };
    let done = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    // No `[DONE]`; no finish reason; comments between frames; content in pieces of a list.
    check("openai:m", &[r#"{"choices":[{"delta":{"content":"a"}}]}"#, done], "a", &[]).await;
    check("openai:m", &[r#"{"choices":[{"delta":{"content":"a"}}]}"#, "[DONE]"], "a", &[]).await;
    check(
        "openrouter:m",
        &["\n: OPENROUTER PROCESSING\n", r#"{"choices":[{"delta":{"content":"a"}}]}"#, done],
        "a",
        &[],
    )
    .await;
    check("openai:m", &[r#"{"choices":[{"delta":{"content":[{"type":"text","text":"a"}]}}]}"#, done], "a", &[]).await;
    // All calls numbered alike; one without id; a call in one piece together with the finish reason.
    let call = |id: &str, arguments: &str| {
        format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"id":"{id}","function":{{"name":"t","arguments":"{arguments}"}}}}]}}}}]}}"#
        )
    };
    check("openai:m", &[&call("x", "1"), &call("y", "2"), done], "", &[("x", "1"), ("y", "2")]).await;
    check("openai:m", &[&call("", "1"), done], "", &[("call_0", "1")]).await;
    check("openai:m", &[&call("x", "1").replace("]}}]}", r#"]},"finish_reason":"tool_calls"}]}"#)], "", &[("x", "1")])
        .await;
    // An input that comes at once.
    check(
        "anthropic:m",
        &[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"x","name":"t","input":{"a":1}}}"#,
            r#"{"type":"some_future_event"}"#,
            r#"{"type":"message_stop"}"#,
        ],
        "",
        &[("x", r#"{"a":1}"#)],
    )
    .await;
}

#[tokio::test]
async fn what_no_dialect_says_is_refused_before_any_request() {
    let server = Server::start(vec![crate::support::hello()]).await;
    let image = Part::Image { media_type: MediaType::Png, source: ImageSource::Url("https://example.org".to_owned()) };
    let in_answer =
        Message::new(id("t"), Speaker::Tool { call_id: call_id("c") }, vec![image], Meta::new()).expect("allowed");
    let call = ToolCall::new(call_id("c"), "bash", "{}");
    let said = Message::assistant(id("a"), vec![], vec![call]).expect("one call");
    let shown = request(vec![Message::user(id("u"), "x"), said, in_answer]);
    let nameless = ModelRequest { tools: Arc::from([json!({"type": "function"})]), ..user("x") };
    let model = model("openai:m", &settings(&server));
    for (asked, why) in [(shown, "must not hold images"), (nameless, "a tool has no name")] {
        let error = model.ask(asked).await.expect_err(why);
        assert!(error.to_string().contains(why), "{error}");
    }
    assert_eq!(server.seen().len(), 0);
}
