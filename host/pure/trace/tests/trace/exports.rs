//! Exports: the whole example against stored files, which the other formats' own readers have accepted, and the rules case by case.

use crate::support::{call_id, event, example, file_of, id, leaf, metadata, model_call, state, sub_agent};
use assay_model::Time;
use assay_trace::export::atif::{Document, Export, Source, atif};
use assay_trace::export::chat::{ChatFilter, ChatRow, FlagFilter, MalformedCalls, chat_row};
use assay_trace::export::inspect::inspect_log;
use assay_trace::export::otel::otel;
use assay_trace::export::steps::step_rows;
use assay_trace::import::Importer;
use assay_trace::{
    EventKind, Message, OtherEvent, Outcome, Part, Record, Role, ToolCall, Trajectory, TrajectoryId, Verdict, read,
};
use serde_json::{Value, json};

fn trajectory(name: &str, records: Vec<Record>) -> Trajectory {
    let mut trajectory = Trajectory::new(metadata(name));
    for record in records {
        trajectory.push(record).unwrap();
    }
    trajectory
}

fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

/// The files under `golden` are made by the example program from `example.jsonl` and `sub.jsonl`:
/// `cargo run -p assay-trace --example trace_tool -- atif example.jsonl sub.jsonl`, and `inspect` likewise.
#[test]
fn the_example_and_its_exports_are_as_stored() {
    let (stored, stored_sub) = (include_bytes!("golden/example.jsonl"), include_bytes!("golden/sub.jsonl"));
    assert!(file_of(&example()) == stored, "the file format has changed: raise its version");
    assert!(file_of(&sub_agent()) == stored_sub, "the file format has changed: raise its version");
    let (example, sub) = (read(&stored[..]).unwrap().trajectory, read(&stored_sub[..]).unwrap().trajectory);
    let document = atif(&example, std::slice::from_ref(&sub)).unwrap().document;
    assert!(
        pretty(&document) == include_str!("golden/example.atif.json"),
        "ATIF: look at the difference, then store it"
    );
    let log = inspect_log(&[example, sub]).unwrap();
    assert!(
        pretty(&log) == include_str!("golden/example.inspect.json"),
        "Inspect: look at the difference, then store it"
    );
}

#[test]
fn spans_of_an_episode_and_its_sub_agent_are_one_trace() {
    let (own, sub) = (example(), sub_agent());
    let parent = sub.metadata().parent.as_ref().unwrap().trajectory_id.clone();
    let parents = [(sub.metadata().id.clone(), parent)].into();
    let spans = |trajectory: &Trajectory, with_content| {
        let value = otel(trajectory, &parents, with_content);
        value["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone()
    };
    let (all, subs) = (spans(&own, false), spans(&sub, false));
    assert_eq!((&subs[0]["traceId"], &subs[0]["parentSpanId"]), (&all[0]["traceId"], &all[0]["spanId"]));
    let names: Vec<&str> = all.iter().map(|span| span["name"].as_str().unwrap()).collect();
    assert_eq!(names[0], "invoke_agent assay");
    for name in ["chat test/model-1", "execute_tool read_file", "execute_tool python"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let text = Value::from(all.clone()).to_string();
    for said in ["gen_ai.evaluation.score.value", "assay.flag", "gen_ai.response.finish_reasons", "error.type"] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    assert!(text.contains(r#"{"key":"gen_ai.usage.input_tokens","value":{"intValue":"160"}}"#), "{text}");
    assert!(!text.contains("I shall read the file."), "what was said is for those who ask for it");
    assert!(Value::from(spans(&own, true)).to_string().contains("I shall read the file."));
    assert_eq!(all, spans(&own, false), "the same each time");

    // Who claims to be one's own ancestor still has a trace.
    let id = own.metadata().id.clone();
    assert!(otel(&own, &[(id.clone(), id)].into(), false).is_object());
}

#[test]
fn pairs_hold_the_thought_of_the_answer_alone() {
    let rows: Vec<Value> = step_rows(&example()).map(|row| serde_json::to_value(row).unwrap()).collect();
    assert_eq!(rows.len(), example().steps());
    assert_eq!(rows[0]["completion"][0]["reasoning_content"], "First look.");
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(
            (row["step"].as_u64(), &row["completion"][0]["role"]),
            (Some(index as u64 + 1), &"assistant".into())
        );
        assert!(!row["prompt"].to_string().contains("reasoning_content"));
        assert!(row["reward"].is_number() && row.get("steps_left_out").is_none());
    }
    assert_eq!(
        rows[1]["prompt"][2],
        rows[0]["completion"][0].as_object().map_or(Value::Null, |said| {
            let mut said = said.clone();
            said.remove("reasoning_content");
            Value::Object(said)
        })
    );
    let trimmed =
        event(1, EventKind::Other(OtherEvent::new("context_trimmed", &json!({"steps_left_out": 3})).unwrap()));
    let answer = Message::assistant(id("a"), vec![Part::text("yes")], vec![]).unwrap();
    let row = step_rows(&trajectory("t", vec![trimmed, answer.into()])).next().unwrap();
    assert_eq!((row.steps_left_out, row.reward), (3, None));
}

/// What ATIF 1.8 demands beyond its fields.
fn check_atif(document: &Document) {
    let text = serde_json::to_string(document).unwrap();
    assert_eq!(
        serde_json::from_str::<Document>(&text).unwrap(),
        *document,
        "it survives a reader that knows no other fields"
    );
    assert!(!document.steps.is_empty());
    for (at, step) in document.steps.iter().enumerate() {
        assert_eq!(step.step_id, at + 1);
        if step.source != Source::Agent {
            assert!(step.model_name.is_none() && step.reasoning_content.is_none(), "{step:?}");
            assert!(step.tool_calls.is_empty() && step.metrics.is_none(), "{step:?}");
        }
        assert_ne!(step.llm_call_count, Some(0));
        for result in step.observation.iter().flat_map(|observation| &observation.results) {
            if let Some(id) = &result.source_call_id {
                assert!(step.tool_calls.iter().any(|call| call.tool_call_id == *id), "{id} is not called in its step");
            }
            assert!(result.content.is_some() || !result.subagent_trajectory_ref.is_empty());
        }
    }
    for sub in &document.subagent_trajectories {
        assert!(sub.trajectory_id.is_some());
        check_atif(sub);
    }
}

#[test]
fn atif_keeps_what_it_has_no_place_for() {
    let Export { document, images } = atif(&example(), &[sub_agent()]).unwrap();
    check_atif(&document);
    let path = images.keys().next().unwrap();
    assert_eq!((path.len(), &path[..7], images[path].as_slice()), (75, "images/", &b"\x89PNG\r\n\x1a\n"[..]));
    assert!(pretty(&document).contains(path), "images are files beside the document");
    let (agent, last) = (&document.steps[2], &document.steps[3]);
    assert_eq!(agent.reasoning_content.as_deref(), Some("First look."));
    assert_eq!(agent.extra["parts"][0]["signature"], "SIG-A");
    assert_eq!(agent.extra["parts"][1], json!({"type": "redacted_reasoning", "data": "OPAQUE"}));
    assert_eq!(agent.extra["faults"][0]["body"]["name"], "slow_read");
    assert_eq!(agent.extra["state_hashes"][0]["kind"], "state");
    assert_eq!(agent.tool_calls[1].arguments.len(), 0);
    assert_eq!(agent.tool_calls[1].extra["arguments_raw"], "{\"path\": ");
    let metrics = agent.metrics.as_ref().unwrap();
    assert_eq!((metrics.prompt_tokens, metrics.cached_tokens, metrics.cost_usd), (Some(160), Some(50), Some(0.00125)));
    assert_eq!(last.metrics.as_ref().unwrap().cost_usd, None, "an unknown cost is left out");
    assert_eq!(last.extra["flags"][0]["body"]["name"], "test_files_touched");
    assert_eq!(document.final_metrics.as_ref().unwrap().total_cost_usd, None);
    assert_eq!(document.subagent_trajectories[0].trajectory_id.as_deref(), Some("example-1.sub"));
    assert_eq!(document.extra["reward"], 1.0);
}

#[test]
fn atif_of_odd_trajectories() {
    let orphan = Message::tool(id("t"), call_id("never"), "late");
    let document = atif(&trajectory("t", vec![event(1, state("s")), orphan.into()]), &[]).unwrap().document;
    check_atif(&document);
    assert_eq!(
        (document.steps[0].source, document.extra["state_hashes"].as_array().map(Vec::len)),
        (Source::System, Some(1))
    );

    // A call id that comes again belongs to the later step; an answer may come late.
    let call = || vec![ToolCall::new(call_id("c"), "ls", "")];
    let document = atif(
        &trajectory(
            "t",
            vec![
                Message::assistant(id("a1"), vec![], call()).unwrap().into(),
                Message::assistant(id("a2"), vec![], call()).unwrap().into(),
                Message::user(id("u"), "go on").into(),
                Message::tool(id("t1"), call_id("c"), "late").into(),
            ],
        ),
        &[],
    )
    .unwrap()
    .document;
    check_atif(&document);
    assert!(document.steps[0].observation.is_none() && document.steps[1].observation.is_some());

    let empty = atif(&trajectory("t", vec![]), &[]).unwrap_err();
    assert_eq!(empty.to_string(), "there is nothing to export: the trajectory t has no messages");

    // Two trajectories that claim to be each other's parents, and one that claims to be its own.
    let child_of = |name: &str, parent: &str| {
        let mut metadata = metadata(name);
        let trajectory_id = TrajectoryId::new(parent).unwrap();
        metadata.parent = Some(assay_trace::Parent { trajectory_id, call_id: None });
        let mut trajectory = Trajectory::new(metadata);
        trajectory.push(Message::user(id("u"), "x")).unwrap();
        trajectory
    };
    let circle = [child_of("a", "b"), child_of("b", "a")];
    assert_eq!(atif(&circle[0], &circle).unwrap_err().to_string(), "two trajectories are named a");
    let own = [child_of("a", "a")];
    assert!(atif(&own[0], &own).is_err());
    let family = [child_of("b", "a"), child_of("c", "b"), child_of("d", "elsewhere")];
    let document = atif(&trajectory("a", vec![Message::user(id("u"), "x").into()]), &family).unwrap().document;
    assert_eq!(document.subagent_trajectories[0].subagent_trajectories.len(), 1, "and those of sub-agents' sub-agents");
}

#[test]
fn chat_rows_are_filtered() {
    let verdict = |outcome, reward| Verdict::scored(Time(1), "s", outcome, "", leaf("r", reward)).unwrap();
    let solved = trajectory("t", vec![Message::user(id("u"), "x").into(), verdict(Outcome::Success, 1.0).into()]);
    let failed = trajectory("t", vec![Message::user(id("u"), "x").into(), verdict(Outcome::Failure, 0.0).into()]);
    let unscored = trajectory("t", vec![Verdict::unscored(Time(1), "s", "no engine").unwrap().into()]);
    let open = trajectory("t", vec![Message::user(id("u"), "x").into()]);
    let check = |name: &str, filter: &ChatFilter, expected: [bool; 5]| {
        let taken = [&solved, &failed, &unscored, &open, &example()].map(|trajectory| filter.takes(trajectory));
        assert_eq!(taken, expected, "{name}");
    };
    let all = ChatFilter::default();
    check("by default, no flags and no malformed calls", &all, [true, true, true, true, false]);
    check("reward", &ChatFilter { reward_min: Some(0.5), ..all.clone() }, [true, false, false, false, false]);
    check(
        "an unscored one is not a 0",
        &ChatFilter { reward_max: Some(0.5), ..all.clone() },
        [false, true, false, false, false],
    );
    let outcomes = Some([Outcome::Failure].into());
    check("outcome", &ChatFilter { outcomes, ..all.clone() }, [false, true, false, false, false]);
    let keep = ChatFilter { malformed_calls: MalformedCalls::Keep, ..all };
    check("still flagged", &keep, [true, true, true, true, false]);
    let unflagged = ChatFilter { without_flags: FlagFilter::Named(["other".to_owned()].into()), ..keep };
    check("another flag", &unflagged, [true; 5]);
    let malformed = ChatFilter { malformed_calls: MalformedCalls::LeaveOut, ..unflagged };
    check("still malformed", &malformed, [true, true, true, true, false]);
}

#[test]
fn chat_rows_go_there_and_back() {
    let row = chat_row(&example());
    let text = serde_json::to_string(&row).unwrap();
    let back: ChatRow = serde_json::from_str(&text).unwrap();
    assert_eq!(back, row);
    let value: Value = serde_json::from_str(&text).unwrap();
    let imported = Importer::new("row").take(value.clone()).made;
    assert_eq!(imported[0].messages().count(), example().messages().count());
    for (there, here) in imported[0].messages().zip(example().messages()) {
        assert_eq!((there.role(), there.text(), there.answers()), (here.role(), here.text(), here.answers()));
        assert_eq!(there.tool_calls(), here.tool_calls(), "calls keep their raw arguments");
    }
    assert_eq!(value["messages"][1]["content"][1]["image_url"]["url"], "data:image/png;base64,iVBORw0KGgo=");
    assert_eq!(value["messages"][2]["content"], "I shall read the file.", "no reasoning");
    assert_eq!((&value["parallel_tool_calls"], &value["tools"][0]["type"]), (&json!(true), &json!("function")));

    let only_calls = Message::assistant(id("a"), vec![], vec![ToolCall::new(call_id("c"), "ls", "{}")]).unwrap();
    let mut bare = Trajectory::new(assay_trace::Metadata { tools: vec![], ..metadata("t") });
    bare.push(only_calls).unwrap();
    let value = serde_json::to_value(chat_row(&bare)).unwrap();
    let call = json!({"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}});
    assert_eq!(value, json!({"messages": [{"role": "assistant", "content": null, "tool_calls": [call]}]}));
}

#[test]
fn inspect_counts_samples_scores_and_usage() {
    let unscored = trajectory(
        "t2",
        vec![
            Message::user(id("u"), "x").into(),
            event(5, model_call(None, None, 1)),
            Verdict::unscored(Time(1), "s", "no test engine").unwrap().into(),
        ],
    );
    let log = inspect_log(&[example(), unscored.clone()]).unwrap();
    assert_eq!((&log["version"], &log["status"]), (&json!(2), &json!("success")));
    let samples = log["samples"].as_array().unwrap();
    assert_eq!((&samples[0]["epoch"], &samples[1]["epoch"]), (&json!(1), &json!(2)), "one scenario, two epochs");
    assert_eq!(samples[0]["scores"]["assay"]["value"], 1.0);
    assert_eq!(
        (&samples[1]["scores"], &samples[1]["error"]["message"]),
        (&Value::Null, &json!("unscored: no test engine"))
    );
    assert_eq!(log["results"]["scores"][0]["unscored_samples"], 1);
    let usage = &samples[0]["model_usage"]["test/model-1"];
    assert_eq!(
        (&usage["total_tokens"], &usage["total_cost"]),
        (&json!(380), &Value::Null),
        "an unknown cost is left out"
    );
    assert_eq!(samples[0]["limit"], json!({"type": "turn", "limit": 2.0, "reason": "Steps: 2 of 2 used"}));
    let model: Vec<_> =
        samples[0]["events"].as_array().unwrap().iter().filter(|each| each["event"] == "model").collect();
    assert_eq!((&model[0]["input_refs"], &model[1]["input_refs"]), (&json!([[0, 2]]), &json!([[0, 5]])));
    assert_eq!(model[0]["timestamp"], "2026-01-02T03:04:05.000000+00:00", "when it began");
    assert_eq!(inspect_log(&[unscored]).unwrap()["status"], "error");

    assert_eq!(inspect_log(&[]).unwrap_err().to_string(), "there is no trajectory to export");
    let mut other = metadata("o");
    other.model = "other".into();
    let error = inspect_log(&[example(), Trajectory::new(other)]).unwrap_err();
    assert!(error.to_string().contains("test/model-1 and other"), "{error}");
}

#[test]
fn dates_are_right() {
    let check = |seconds: u64, date: &str| {
        let mut metadata = metadata("t");
        metadata.started_at = Time(seconds * 1_000_000_000 + 123_456_789);
        let log = inspect_log(&[Trajectory::new(metadata)]).unwrap();
        assert_eq!(log["stats"]["started_at"], format!("{date}.123456+00:00"));
    };
    check(0, "1970-01-01T00:00:00");
    check(951_782_400, "2000-02-29T00:00:00");
    check(1_709_164_799, "2024-02-28T23:59:59");
    check(4_107_542_400, "2100-03-01T00:00:00");
    check(18_446_744_073, "2554-07-21T23:34:33");
}

#[test]
fn roles_outside_a_conversation_have_no_place() {
    let row =
        chat_row(&trajectory("t", vec![Message::assistant(id("a"), vec![Part::text("x")], vec![]).unwrap().into()]));
    assert_eq!((row.messages[0].role, row.parallel_tool_calls), (Role::Assistant, Some(false)));
}
