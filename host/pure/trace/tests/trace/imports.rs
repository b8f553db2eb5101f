//! What others recorded: each dialect, what a round trip keeps, and what cannot be read.

use crate::support::example;
use assay_model::{Seed, Time};
use assay_trace::export::atif::atif;
use assay_trace::export::inspect::inspect_log;
use assay_trace::import::Importer;
use assay_trace::{EventKind, Message, Outcome, Part, Role, Trajectory, stats};
use serde_json::{Value, json};

/// All trajectories of some values.
fn imported(values: impl IntoIterator<Item = Value>) -> Vec<Trajectory> {
    let mut importer = Importer::new("file");
    let take = |value| {
        let taken = importer.take(value);
        assert_eq!(taken.damaged, []);
        taken.made
    };
    let mut made: Vec<Trajectory> = values.into_iter().flat_map(take).collect();
    made.extend(importer.end());
    made
}

fn one(value: Value) -> Trajectory {
    let [trajectory] = <[_; 1]>::try_from(imported([value])).unwrap();
    trajectory
}

/// Role, text, calls and answered call of each message, in short.
fn told(trajectory: &Trajectory) -> Vec<String> {
    let short = |message: &Message| {
        let calls: Vec<String> = message
            .tool_calls()
            .iter()
            .map(|call| format!("{}={}({})", call.id(), call.tool(), call.arguments_raw()))
            .collect();
        let answers = message.answers().map_or_else(String::new, |id| format!(" to {id}"));
        format!("{}{answers}: {}{}", message.role().name(), message.text(), calls.join(" "))
    };
    trajectory.messages().map(short).collect()
}

#[test]
fn dialects_of_chat() {
    for (messages, expected) in [
        (
            json!([
                {"role": "developer", "content": "Be brief."},
                {"role": "user", "content": [{"type": "text", "text": "Sum?"}]},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{\"a\": 1}"}}]},
                {"role": "tool", "tool_call_id": "c1", "content": "2"},
                {"role": "assistant", "content": "Two."},
            ]),
            &["system: Be brief.", "user: Sum?", "assistant: c1=add({\"a\": 1})", "tool to c1: 2", "assistant: Two."][..],
        ),
        (
            json!([
                {"role": "user", "content": "Sum?"},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "Add.", "signature": "s"},
                    {"type": "text", "text": "I add."},
                    {"type": "tool_use", "id": "t1", "name": "add", "input": {"a": 1}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "2"}]}]},
            ]),
            &["user: Sum?", "assistant: I add.t1=add({\"a\":1})", "tool to t1: 2"],
        ),
        // No ids: the answer is that of the call before it, and an answer to nothing is somebody's word.
        (
            json!([
                {"role": "assistant", "tool_calls": [{"function": {"name": "ls", "arguments": {}}}]},
                {"role": "tool", "content": "a.py"},
                {"role": "function", "content": "b.py"},
            ]),
            &["assistant: call-1=ls({})", "tool to call-1: a.py", "user: b.py"],
        ),
    ] {
        for value in [json!({ "messages": messages }), messages.clone()] {
            assert_eq!(told(&one(value)), expected);
        }
        // One message a line.
        let Value::Array(lines) = messages else { panic!("a list") };
        let [trajectory] = <[_; 1]>::try_from(imported(lines)).unwrap();
        assert_eq!(told(&trajectory), expected);
    }
}

/// An answer without an id is that of the first call that has none; a message without an id gets that of the next free place.
#[test]
fn calls_and_places_are_found_in_their_order() {
    let call = |id: &str| json!({"id": id, "function": {"name": "f", "arguments": "{}"}});
    let says =
        |ids: &[&str]| json!({"role": "assistant", "tool_calls": ids.iter().map(|id| call(id)).collect::<Vec<_>>()});
    let answers = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "x"});
    let any = json!({"role": "tool", "content": "x"});
    for (messages, answered) in [
        (json!([says(&["a", "b"]), any, any, any]), "a b -"),
        (json!([says(&["a", "b", "c"]), answers("b"), any, any]), "b a c"),
        (json!([says(&["a"]), says(&["a", "b"]), answers("a"), any]), "a b"),
        (json!([answers("a"), says(&["a"]), any, any]), "a a -"),
        (json!([says(&["a"]), answers("a"), says(&["b", "a"]), answers("z"), any]), "a z b"),
        (json!([says(&["a"]), answers("a"), says(&["a"]), answers("a"), any]), "a a -"),
    ] {
        let trajectory = one(json!({ "messages": messages }));
        let others = trajectory.messages().filter(|message| message.role() != Role::Assistant);
        let others = others.map(|message| message.answers().map_or("-".to_owned(), ToString::to_string));
        assert_eq!(others.collect::<Vec<_>>().join(" "), answered, "{messages}");
    }
    for (ids, expected) in [
        (&["", ""][..], "m1 m2"),
        (&["m3", "m4", "", ""], "m3 m4 m5 m6"),
        (&["m2", "", "", "m9", ""], "m2 m3 m4 m9 m5"),
        (&["m3", "", "", "m3", ""], "m3 m2 m4 m5 m6"),
    ] {
        let messages: Vec<Value> = ids.iter().map(|id| json!({"role": "user", "content": "x", "id": id})).collect();
        let trajectory = one(json!({ "messages": messages }));
        let given: Vec<&str> = trajectory.messages().map(|message| message.id().as_str()).collect();
        assert_eq!(given.join(" "), expected, "{ids:?}");
    }
}

#[test]
fn unknown_fields_are_kept() {
    let row = json!({
        "messages": [{"role": "user", "content": [{"type": "audio", "data": "x"}], "name": "Ann", "id": "u"},
                     {"role": "user", "content": "again", "id": "u"}],
        "model": "m", "instance_id": "t-1", "seed": 7, "reward": 1, "split": "train", "created_at": "2026-01-02T03:04:05Z",
    });
    let trajectory = one(row);
    let metadata = trajectory.metadata();
    assert_eq!((metadata.id.as_str(), metadata.model.as_str(), metadata.scenario.as_str()), ("t-1", "m", "t-1"));
    assert_eq!((metadata.seed, metadata.started_at), (Seed(7), Time(1_767_323_045_000_000_000)));
    assert_eq!((&metadata.meta["split"], &metadata.meta["imported_from"]), (&json!("train"), &json!("chat")));
    let messages: Vec<&Message> = trajectory.messages().collect();
    assert_eq!(messages[0].meta()["content"], json!([{"type": "audio", "data": "x"}]));
    assert_eq!((messages[0].meta()["name"].as_str(), messages[1].meta()["id"].as_str()), (Some("Ann"), Some("u")));
    assert_eq!(messages[1].id().as_str(), "m2", "ids differ");
    let verdict = trajectory.verdict().unwrap();
    assert_eq!((verdict.outcome(), verdict.reward()), (Some(Outcome::Success), Some(1.0)));
    let none = one(json!({"messages": [{"role": "assistant", "content": "x"}]}));
    assert!(none.verdict().is_none() && stats(&none).tokens.unknown == 1, "nothing is made up");
}

#[test]
fn typed_lines_may_be_interleaved() {
    let lines = [
        json!({"_type": "metadata", "id": "run-7", "model": "m", "git": "abc"}),
        json!({"_type": "message", "role": "user", "content": "hello"}),
        json!({"_type": "event", "name": "cache_miss", "bytes": 3, "timestamp": "2026-01-02T03:04:05Z"}),
        json!({"_type": "event", "at_ns": 5, "kind": "flag", "body": {"name": "f", "detail": "d"}}),
        json!({"_type": "telemetry", "cpu": 0.5}),
        json!({"_type": "message", "role": "assistant", "content": "hi"}),
        json!({"_type": "score", "score": 0.5, "reason": "half", "grader": "g"}),
        json!({"_type": "metadata", "id": "run-8"}),
        json!({"_type": "message", "role": "user", "content": "next"}),
    ];
    let made = imported(lines);
    let names: Vec<&str> = made.iter().map(|trajectory| trajectory.metadata().id.as_str()).collect();
    assert_eq!(names, ["run-7", "run-8"]);
    assert_eq!(told(&made[0]), ["user: hello", "assistant: hi"]);
    let kinds: Vec<&str> = made[0].events().map(|event| event.kind.name()).collect();
    assert_eq!(kinds, ["cache_miss", "flag", "telemetry", "score"]);
    assert_eq!(made[0].metadata().meta["git"], "abc");
    assert_eq!(made[0].verdict().map(|verdict| (verdict.reward(), verdict.reason())), Some((Some(0.5), "half")));

    // Our own lines, without their chain.
    let ours = include_str!("golden/example.jsonl").lines().map(|line| serde_json::from_str(line).unwrap());
    let [back] = <[_; 1]>::try_from(imported(ours)).unwrap();
    assert_eq!(back, example());
}

#[test]
fn documents_go_there_and_back() {
    let there = example();
    let document = serde_json::to_value(atif(&there, &[]).unwrap().document).unwrap();
    let log = inspect_log(std::slice::from_ref(&there)).unwrap();
    for (form, value) in [("atif", document), ("inspect", log)] {
        let here = one(value);
        let (one, other) = (there.metadata(), here.metadata());
        assert_eq!(
            (&one.id, &one.run, &one.scenario, &one.model, one.seed),
            (&other.id, &other.run, &other.scenario, &other.model, other.seed),
            "{form}"
        );
        assert_eq!(
            (&one.agent, one.attempt, &one.limits, &one.hashes),
            (&other.agent, other.attempt, &other.limits, &other.hashes),
            "{form}"
        );
        // Inspect has no place for the white space of good arguments.
        let plain = |trajectory| told(trajectory).join("\n").replace("\": ", "\":");
        assert_eq!(plain(&there), plain(&here), "{form}");
        let thoughts = |trajectory: &Trajectory| -> Vec<Part> {
            let parts =
                trajectory.messages().filter(|message| message.role() == Role::Assistant).flat_map(Message::parts);
            parts.filter(|part| !matches!(part, Part::Text { .. })).cloned().collect()
        };
        assert_eq!(thoughts(&there), thoughts(&here), "{form}");
        let worth = |trajectory: &Trajectory| {
            trajectory.verdict().map(|verdict| (verdict.outcome(), verdict.reward(), verdict.score().clone()))
        };
        assert_eq!(worth(&there), worth(&here), "{form}");
        let spent =
            |trajectory: &Trajectory| (stats(trajectory).tokens.known, stats(trajectory).cost_microdollars.known);
        assert_eq!(spent(&there), spent(&here), "{form}");
    }
}

#[test]
fn documents_of_others() {
    let document = json!({
        "schema_version": "ATIF-v1.8", "trajectory_id": "a-1", "session_id": "s", "novelty": {"x": 1},
        "agent": {"name": "harbor", "version": "2", "model_name": "m"},
        "steps": [
            {"step_id": 1, "source": "user", "message": "Fix it.", "timestamp": "2026-01-02T03:04:05Z"},
            {"step_id": 2, "source": "agent", "message": "", "reasoning_content": "Hm.", "is_copied_context": true,
             "tool_calls": [{"tool_call_id": "c", "function_name": "ls", "arguments": {"p": "."}}],
             "observation": {"results": [{"source_call_id": "c", "content": "a.py"}]},
             "metrics": {"prompt_tokens": 100, "completion_tokens": 5, "cached_tokens": 40, "cost_usd": 0.25}},
        ],
        "subagent_trajectories": [{"schema_version": "ATIF-v1.8", "agent": {"name": "sub", "version": "1"}, "steps": [
            {"step_id": 1, "source": "agent", "message": "done"}]}],
    });
    let made = imported([document]);
    assert_eq!(told(&made[0]), ["user: Fix it.", "assistant: c=ls({\"p\":\".\"})", "tool to c: a.py"]);
    assert_eq!(told(&made[1]), ["assistant: done"]);
    assert_eq!(made[1].metadata().parent.as_ref().map(|parent| parent.trajectory_id.as_str()), Some("a-1"));
    assert_eq!(made[0].metadata().meta["novelty"], json!({"x": 1}));
    let assistant = made[0].messages().nth(1).unwrap();
    assert_eq!(assistant.meta()["is_copied_context"], true);
    let calls: Vec<_> = made[0]
        .events()
        .filter_map(|event| if let EventKind::ModelCall(call) = &event.kind { Some(call) } else { None })
        .collect();
    let usage = calls[0].usage.unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.output, calls[0].cost_microdollars), (60, 40, 5, Some(250_000)));

    let log = json!({
        "version": 2, "status": "success", "eval": {"model": "m", "run_id": "r", "created": "2026-01-02T03:04:05+00:00"},
        "samples": [{
            "id": 3, "epoch": 1, "input": "Q", "target": "A", "uuid": "u-1",
            "messages": [{"id": "a", "role": "user", "content": "Q", "source": "input"},
                         {"id": "b", "role": "assistant", "content": [{"type": "reasoning", "reasoning": "r"}, {"type": "text", "text": "A"}]}],
            "events": [{"event": "model", "input": ["long"], "output": {"choices": [{"message": {"id": "b"}}],
                        "usage": {"input_tokens": 7, "output_tokens": 2}}, "working_time": 1.5},
                       {"event": "info", "data": 1}],
            "scores": {"match": {"value": "C", "answer": "A", "explanation": "right"}},
        }],
    });
    let sample = one(log);
    assert_eq!(told(&sample), ["user: Q", "assistant: A"]);
    assert_eq!((sample.metadata().id.as_str(), sample.metadata().scenario.as_str()), ("u-1", "3"));
    assert_eq!(stats(&sample).tokens.total().map(|usage| usage.total()), Some(9));
    assert_eq!(sample.verdict().and_then(|verdict| verdict.reward()), Some(1.0));
    assert_eq!(sample.metadata().meta["target"], "A");
    assert!(sample.events().any(|event| event.kind.name() == "inspect_info"));
}

#[test]
fn what_cannot_be_read_is_named() {
    for (value, words) in [
        (json!(3), "it is a number"),
        (json!({"a": 1, "b": 2}), "its keys are a, b"),
        (json!({}), "an object without keys"),
        (json!([1]), "item 1: it is not an object"),
        (json!({"messages": [{"role": "user"}, {"content": "x"}]}), "message 2: `role` is missing"),
        (json!({"messages": [{"role": "wizard"}]}), "the role \"wizard\" is none of"),
        (json!({"role": 3}), "`role` is missing or not a text"),
        (json!({"schema_version": "ATIF-v1.7"}), "`steps`"),
        (json!({"schema_version": "ATIF-v1.7", "steps": [{"source": "dog"}]}), "step 1: the source \"dog\""),
        (json!({"samples": [{}]}), "sample 1: `messages` is not a list"),
    ] {
        let error = Importer::new("x").take(value.clone()).damaged[0].to_string();
        assert!(error.contains(words), "{value}: {error}");
    }
    // What is damaged costs itself alone.
    let mut importer = Importer::new("x");
    for (role, damaged) in [("user", 0), ("nobody", 1), ("assistant", 0)] {
        assert_eq!(importer.take(json!({"role": role, "content": "a"})).damaged.len(), damaged, "{role}");
    }
    assert_eq!(told(&importer.end().unwrap()), ["user: a", "assistant: a"]);
    let good = json!({"messages": [{"role": "user", "content": "a"}]});
    let log = json!({"samples": [good, {}, good]});
    for rows in [json!([good, {"a": 1}, 7, good]), log] {
        let taken = Importer::new("x").take(rows.clone());
        assert!(taken.made.len() == 2 && !taken.damaged.is_empty(), "{rows}");
    }
}

/// ATIF 1.8 has audio, and we have not.
#[test]
fn what_we_have_no_place_for_comes_back_in_an_export() {
    let audio = json!({"type": "audio", "source": {"media_type": "audio/wav", "path": "a.wav", "duration_sec": 2.5}});
    let trajectory = one(json!({
        "schema_version": "ATIF-v1.8", "trajectory_id": "audio", "agent": {"name": "x", "version": "1"},
        "steps": [
            {"step_id": 1, "source": "user", "message": [{"type": "text", "text": "listen"}, audio]},
            {"step_id": 2, "source": "agent", "message": "yes", "llm_call_count": 1, "reasoning_effort": "low"},
        ],
    }));
    assert_eq!(told(&trajectory), ["user: listen", "assistant: yes"]);
    let document = serde_json::to_value(atif(&trajectory, &[]).unwrap().document).unwrap();
    for kept in ["a.wav", "duration_sec", "reasoning_effort"] {
        assert!(document.to_string().contains(kept), "{kept}: {document}");
    }
}
