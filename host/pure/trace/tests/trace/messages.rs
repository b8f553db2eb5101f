//! Messages: which are refused, how records load, and that nothing is lost on the way.

use crate::support::{call_id, example, id};
use assay_trace::{
    ARGUMENTS_DEPTH_MAX, Base64, ImageSource, MediaType, Message, MessageError, MessageId, MessageRecord, Part, Record,
    Role, Speaker, ToolCall,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn load(record: &str) -> Result<Message, String> {
    let record: MessageRecord = serde_json::from_str(record).map_err(|error| error.to_string())?;
    Message::from_record(record, 3).map_err(|error| error.to_string())
}

#[test]
fn wrong_messages_are_refused_with_the_reason() {
    let check = |record: &str, words: &str| {
        let error = load(record).expect_err(record);
        assert!(error.contains(words), "{record}: {error}");
    };
    let call = r#"{"id":"c","tool":"ls","arguments_raw":"{}"}"#;
    check(r#"{"role":"tool","parts":[]}"#, "a tool message must carry `tool_call_id`");
    for role in ["system", "user", "assistant"] {
        let words = format!("a {role} message must not carry `tool_call_id`");
        check(&format!(r#"{{"role":"{role}","tool_call_id":"c"}}"#), &words);
    }
    for role in ["system", "user", "tool"] {
        let record = format!(r#"{{"role":"{role}","tool_call_id":"x","tool_calls":[{call}]}}"#);
        check(&record, &format!("a {role} message must not call tools"));
        let thought = format!(r#"{{"role":"{role}","parts":[{{"type":"reasoning","text":"hm"}}]}}"#);
        let words = if role == "tool" { "must carry" } else { "must not hold reasoning" };
        check(&thought, words);
    }
    check(&format!(r#"{{"role":"assistant","tool_calls":[{call},{call}]}}"#), "share the id c");
    check(r#"{"role":"narrator"}"#, "unknown variant `narrator`");
    check(r#"{"role":"user","content":"hello"}"#, "unknown field `content`");
    check(r#"{"role":"user","id":""}"#, "must not be empty");
    check(r#"{"role":"user","id":"a\nb"}"#, "control character");
    check(&format!(r#"{{"role":"user","id":"{}"}}"#, "x".repeat(257)), "257 bytes, at most 256");
    check(
        r#"{"role":"user","parts":[{"type":"image","media_type":"image/png","source":{"data":"no!"}}]}"#,
        "not padded base64",
    );
    check(r#"{"role":"user","parts":[{"type":"image","media_type":"image/tiff","source":{"url":"u"}}]}"#, "image/tiff");
    let both = r#"{"id":"c","tool":"ls","arguments_raw":"{\"a\":1}","arguments":{"a":2}}"#;
    check(&format!(r#"{{"role":"assistant","tool_calls":[{both}]}}"#), "not what `arguments_raw` says");
    let both = r#"{"id":"c","tool":"ls","arguments":{},"parse_error":"?"}"#;
    check(&format!(r#"{{"role":"assistant","tool_calls":[{both}]}}"#), "exclude each other");
    let no_id = MessageRecord { id: None, ..Message::user(id("u"), "x").into() };
    assert_eq!(Message::try_from(no_id), Err(MessageError::MissingId));
}

#[test]
fn older_records_take_the_id_of_their_position() {
    let message = load(r#"{"role":"user","parts":[{"type":"text","text":"hello"}]}"#).unwrap();
    assert_eq!((message.id(), message.meta().len()), (&MessageId::by_position(3), 0));
    assert_eq!(message.id().as_str(), "m3");
    let named = load(r#"{"role":"user","id":"mine","meta":{"a":[1,2]}}"#).unwrap();
    assert_eq!((named.id().as_str(), &named.meta()["a"]), ("mine", &json!([1, 2])));
}

#[test]
fn arguments_are_kept_raw_and_parsed_or_explained() {
    let check = |raw: &str, expected: Result<Value, &str>| {
        let call = ToolCall::new(call_id("c"), "t", raw);
        assert_eq!(call.arguments_raw(), raw);
        assert_eq!(call.arguments().is_none(), call.parse_error().is_some());
        match expected {
            Ok(arguments) => assert_eq!(call.arguments().cloned().map(Value::Object), Some(arguments), "{raw}"),
            Err(words) => assert!(call.parse_error().unwrap().contains(words), "{raw}: {:?}", call.parse_error()),
        }
    };
    check("{\"a\": 1}", Ok(json!({"a": 1})));
    check("", Ok(json!({})));
    check("  \n", Ok(json!({})));
    check("{\"a\": ", Err("EOF while parsing"));
    check("[1]", Err("not an object"));
    check("{} {}", Err("trailing characters"));
    let nested = |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
    check(&nested(ARGUMENTS_DEPTH_MAX + 1), Err("nested deeper than 64 levels"));
    assert!(ToolCall::new(call_id("c"), "t", nested(ARGUMENTS_DEPTH_MAX - 1)).arguments().is_some());
    check(&nested(100_000), Err("recursion limit"));

    let (one, two) = (r#"{"b":{"y":1,"x":2},"a":[1]}"#, r#"{ "a" : [1], "b" : {"x":2,"y":1} }"#);
    let canonical = |raw| ToolCall::new(call_id("c"), "t", raw).arguments_canonical();
    assert_eq!(canonical(one), canonical(two));
    assert_eq!(canonical(one), r#"{"a":[1],"b":{"x":2,"y":1}}"#);
}

#[test]
fn only_some_of_the_arguments_may_be_given() {
    let check = |record: &str, raw: &str| {
        let call: ToolCall = serde_json::from_str(record).unwrap();
        assert_eq!(call.arguments_raw(), raw, "{record}");
    };
    check(r#"{"id":"c","tool":"t","arguments":{"b":1,"a":2}}"#, r#"{"a":2,"b":1}"#);
    check(r#"{"id":"c","tool":"t","arguments_raw":"{ }"}"#, "{ }");
    check(r#"{"id":"c","tool":"t"}"#, "");
    let foreign: ToolCall =
        serde_json::from_str(r#"{"id":"c","tool":"t","arguments_raw":"{}","parse_error":"schema"}"#).unwrap();
    assert_eq!((foreign.arguments(), foreign.parse_error()), (None, Some("schema")));
}

#[test]
fn every_field_has_its_accessor() {
    let trajectory = example();
    let roles: Vec<_> = trajectory.messages().map(Message::role).collect();
    let expected = [Role::System, Role::User, Role::Assistant, Role::Tool, Role::Tool, Role::Assistant];
    assert_eq!(roles, expected);
    let assistant = trajectory.messages().nth(2).unwrap();
    assert_eq!((assistant.text().as_str(), assistant.parts().len()), ("I shall read the file.", 3));
    assert_eq!(assistant.tool_calls().iter().map(|call| call.id().as_str()).collect::<Vec<_>>(), ["call-1", "call-2"]);
    assert_eq!(trajectory.messages().nth(3).unwrap().answers(), Some(&call_id("call-1")));
    assert_eq!((trajectory.steps(), trajectory.flags().len()), (2, 1));
    let noted = assistant.clone().with_meta("kept", json!(true));
    assert_ne!(&noted, assistant, "a note makes a new message");
    let last = trajectory.records().last().unwrap();
    assert!(matches!(last, Record::Verdict(verdict) if Some(verdict) == trajectory.verdict()));
    let mut again = trajectory.clone();
    let error = again.push(Message::user(id("u1"), "x")).unwrap_err();
    assert_eq!(error.to_string(), "two messages share the id u1");
}

fn any_part(reasoning: bool) -> BoxedStrategy<Part> {
    let text = any::<String>().prop_map(Part::text);
    let media = prop_oneof![Just(MediaType::Png), Just(MediaType::Jpeg), Just(MediaType::Gif), Just(MediaType::Webp)];
    let source = prop_oneof![
        any::<Vec<u8>>().prop_map(|bytes| ImageSource::Data(Base64::of(&bytes))),
        any::<String>().prop_map(ImageSource::Url)
    ];
    let image = (media, source).prop_map(|(media_type, source)| Part::Image { media_type, source });
    if !reasoning {
        return prop_oneof![text, image].boxed();
    }
    let thought =
        (any::<String>(), any::<Option<String>>()).prop_map(|(text, signature)| Part::Reasoning { text, signature });
    let redacted = any::<String>().prop_map(|data| Part::RedactedReasoning { data });
    prop_oneof![text, image, thought, redacted].boxed()
}

/// JSON values whose numbers are awkward and whose keys are any text.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

pub(crate) fn any_message() -> impl Strategy<Value = Message> {
    let raw = prop_oneof![any::<String>(), any_json().prop_map(|value| value.to_string())];
    let calls = prop::collection::vec((any::<String>(), raw), 0..3).prop_map(|calls| {
        let made =
            calls.into_iter().enumerate().map(|(at, (tool, raw))| ToolCall::new(call_id(&format!("c{at}")), tool, raw));
        made.collect::<Vec<_>>()
    });
    let assistant = (calls, prop::collection::vec(any_part(true), 0..5))
        .prop_map(|(tool_calls, parts)| (Speaker::Assistant { tool_calls }, parts));
    let speaker = prop_oneof![
        Just(Speaker::System),
        Just(Speaker::User),
        "[a-z]{1,8}".prop_map(|call| Speaker::Tool { call_id: call_id(&call) })
    ];
    let other = (speaker, prop::collection::vec(any_part(false), 0..5));
    let meta = prop::collection::btree_map(any::<String>(), any_json(), 0..3);
    ("\\PC{1,20}", prop_oneof![assistant, other], meta)
        .prop_map(|(name, (speaker, parts), meta)| Message::new(id(&name), speaker, parts, meta).unwrap())
}

#[test]
fn base64_has_one_spelling() {
    let check = |text: &str, bytes: Option<&[u8]>| {
        let found = Base64::new(text).ok().map(|base64| base64.to_bytes());
        assert_eq!(found.as_deref(), bytes, "{text}");
    };
    for (bytes, text) in [(&b""[..], ""), (b"f", "Zg=="), (b"fo", "Zm8="), (b"foo", "Zm9v"), (b"\xfb\xff", "+/8=")] {
        assert_eq!(Base64::of(bytes).as_str(), text);
        check(text, Some(bytes));
    }
    for wrong in ["Zg", "Zg=", "Zh==", "Zm9", "Z===", "====", "Zm9v\n", "-_8=", "Zg==Zg==", "é==="] {
        check(wrong, None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn base64_goes_there_and_back(bytes in any::<Vec<u8>>(), text in "[A-D=]{0,9}") {
        let base64 = Base64::of(&bytes);
        prop_assert_eq!(base64.to_bytes(), bytes);
        prop_assert_eq!(Base64::new(base64.as_str()).unwrap(), base64);
        if let Ok(found) = Base64::new(text.as_str()) {
            prop_assert_eq!(Base64::of(&found.to_bytes()), found);
        }
    }

    #[test]
    fn a_message_survives_its_json(message in any_message()) {
        let text = serde_json::to_string(&message).unwrap();
        let back: Message = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&back, &message);
        prop_assert_eq!(serde_json::to_string(&back).unwrap(), text);
        let twice = Message::try_from(MessageRecord::from(message.clone())).unwrap();
        prop_assert_eq!(twice, message);
    }
}
