//! Bodies of unknown events: any JSON, kept byte for byte, and no value of ours holds all of it.

use crate::hostile::after_metadata;
use crate::support::file_of;
use assay_trace::export::{atif::atif, chat::chat_row, inspect::inspect_log, otel::otel, steps::step_rows};
use assay_trace::import::Importer;
use assay_trace::{EventKind, Filter, Trajectory, read, show};
use serde_json::{Value, json};

fn bodies(trajectory: &Trajectory) -> Vec<&str> {
    let others = trajectory.events().filter_map(|event| match &event.kind {
        EventKind::Other(other) => Some(other.body()),
        _ => None,
    });
    others.collect()
}

/// The body goes through every export as a value or, where none can hold it, as text; never is it lost, and nothing panics.
#[track_caller]
fn check(body: &str, is_text: bool) {
    let shown: String = body.chars().take(60).collect();
    let event = format!("{{\"_type\":\"event\",\"at_ns\":5,\"kind\":\"later\",\"body\":{body}");
    let message = r#"{"_type":"message","id":"m1","role":"assistant","parts":[{"type":"text","text":"x"}]"#;
    let loaded = read(&after_metadata(&[&event, message, &event])[..]).unwrap();
    assert_eq!(loaded.damage, None, "{shown}");
    let there = loaded.trajectory;
    assert_eq!(bodies(&there), [body, body]);

    let log = inspect_log(std::slice::from_ref(&there)).unwrap();
    let document = serde_json::to_value(atif(&there, &[]).unwrap().document).unwrap();
    for place in [
        log.pointer("/samples/0/events/0/data"),
        log.pointer("/samples/0/events/1/data"),
        document.pointer("/extra/events/0"),
        document.pointer("/steps/0/extra/events/0"),
    ] {
        let event = place.unwrap();
        assert_eq!((&event["at_ns"], &event["kind"]), (&json!(5), &json!("later")), "{shown}");
        assert_eq!(event.get("body_text").and_then(Value::as_str), is_text.then_some(body), "{shown}");
        assert_eq!(event.get("body").is_none(), is_text, "{shown}");
    }
    for value in [log, document] {
        // Others read no deeper than we do.
        let value: Value = serde_json::from_str(&value.to_string()).unwrap();
        let taken = Importer::new("x").take(value);
        assert_eq!((taken.made.len(), taken.damaged), (1, vec![]), "{shown}");
        let back = &taken.made[0];
        if is_text && back.metadata().meta["imported_from"] == "atif" {
            assert_eq!(bodies(back), [body, body], "there and back");
        }
        assert_eq!(read(&file_of(back)[..]).unwrap().damage, None, "{shown}");
    }
    assert!(step_rows(&there).count() == 1 && chat_row(&there).messages.len() == 1, "{shown}");
    assert!(otel(&there, &[].into(), true).is_object(), "{shown}");
    assert!(show(&there, &Filter::default(), 10).contains("later"), "{shown}");
}

#[test]
fn deep_bodies() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    for (levels, is_text) in
        [(1, false), (64, false), (65, true), (126, true), (127, true), (128, true), (150, true), (100_000, true)]
    {
        check(&nested(levels), is_text);
    }
    check(&format!("{}0{}", "{\"a\":".repeat(200), "}".repeat(200)), true);
}

#[test]
fn odd_bodies() {
    for body in [r#"{"a":1,"a":2}"#, "12345678901234567890123", "1e-400", r#""\ud83d\ude00""#, "null"] {
        check(body, false);
    }
    for body in ["1e400", "[-1e999]", r#""\ud800""#, r#"{"\udfff":1}"#, r#"["\ud800\n"]"#, r#"[ "\udc00\ud800" ]"#] {
        check(body, true);
    }
}

/// What others have where an export of ours puts a body as text.
#[test]
fn a_text_that_is_no_body_stays_what_it_is() {
    for event in [
        json!({"at_ns": 5, "kind": "later", "body_text": "[1,\n2]"}),
        json!({"at_ns": 5, "kind": "later", "body_text": "[1"}),
        json!({"at_ns": 5, "kind": "later", "body_text": 1}),
        json!({"at_ns": 5, "kind": "later", "body_text": "1", "more": 1}),
        json!({"at_ns": -5, "kind": "later", "body_text": "1"}),
        json!({"at_ns": 5, "kind": "flag", "body_text": "1"}),
    ] {
        let document = json!({
            "schema_version": "ATIF-v1.8", "agent": {"name": "x", "version": "1"}, "extra": {"events": [event]},
            "steps": [{"step_id": 1, "source": "user", "message": "x"}],
        });
        let made = Importer::new("x").take(document).made;
        assert_eq!(bodies(&made[0]), [event.to_string()], "it is kept as it came");
        assert_eq!(read(&file_of(&made[0])[..]).unwrap().damage, None, "{event}");
    }
}
