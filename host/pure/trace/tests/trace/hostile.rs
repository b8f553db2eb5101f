//! Arbitrary and damaged bytes: the reader reports, and never panics.

use crate::messages::any_message;
use crate::support::{Disk, example, file_of, metadata, sub_agent};
use assay_trace::{
    Digest, Loss, MEMORY_BYTES_MAX, Message, MessageId, ReadError, ReadLimits, Record, Writer, read, read_with_limits,
    still_holds, verdict_at, verify, verify_with_limits, weight,
};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

const LIMITS: ReadLimits = ReadLimits { line_bytes: 4_096, file_bytes: 65_536, memory_bytes: None };

/// A file with these lines, each sealed as it should be.
fn sealed(lines: &[String]) -> Vec<u8> {
    let mut previous = Digest::ZERO;
    let mut file = Vec::new();
    for open in lines {
        previous = Digest::chained(previous, open.as_bytes());
        file.extend(format!("{open},\"_hash\":\"{previous}\"}}\n").bytes());
    }
    file
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_no_trajectory(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        prop_assert!(read_with_limits(&bytes[..], LIMITS).is_err());
    }

    /// One byte of a good file is changed: whatever the byte, nothing after it is believed.
    #[test]
    fn one_wrong_byte_is_found(at in any::<prop::sample::Index>(), flip in 1u8..) {
        let mut file = file_of(&example());
        let at = at.index(file.len());
        let line = file[..at].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        let lines = file.iter().filter(|byte| **byte == b'\n').count() as u64;
        file[at] ^= flip;
        match read(&file[..]) {
            Err(_) => prop_assert_eq!(line, 1),
            Ok(loaded) => {
                let damage = loaded.damage.unwrap();
                prop_assert_eq!(damage.line, line);
                // Only a changed last line feed can look like a cut.
                prop_assert!(!damage.is_cut() || line == lines);
            }
        }
    }

    /// Lines that are sealed rightly but hold anything: an error with the line, or a record that can be written again.
    #[test]
    fn sealed_nonsense_is_reported(kind in "message|event|score|metadata|other", fields in "\\PC{0,60}") {
        let file = after_metadata(&[&format!("{{\"_type\":\"{kind}\",{fields}")]);
        let loaded = read(&file[..]).unwrap();
        let damage = loaded.damage.unwrap();
        prop_assert_eq!(damage.line, 2);
        prop_assert!(matches!(damage.loss, Loss::Invalid(_)), "{:?}", damage);
    }

    #[test]
    fn any_messages_survive_the_file(messages in prop::collection::vec(any_message(), 0..4)) {
        let mut writer = Writer::create(Disk::default(), &metadata("x")).unwrap();
        let mut written = Vec::new();
        for message in messages {
            // Two of them may share an id, which is refused.
            if writer.append(&[message.clone().into()]).is_ok() {
                written.push(message);
            }
        }
        let loaded = read(&writer.into_sink().bytes[..]).unwrap();
        prop_assert_eq!(loaded.damage, None);
        prop_assert_eq!(loaded.trajectory.messages().cloned().collect::<Vec<_>>(), written);
    }
}

/// A file with our first line and these.
pub(crate) fn after_metadata(lines: &[&str]) -> Vec<u8> {
    let first = serde_json::to_string(&metadata("x")).unwrap();
    let first = format!("{{\"_type\":\"metadata\",{}", &first[1..first.len() - 1]);
    sealed(&std::iter::once(first).chain(lines.iter().map(|line| (*line).to_owned())).collect::<Vec<_>>())
}

#[test]
fn older_messages_without_an_id_take_that_of_their_position() {
    let file = after_metadata(&[
        r#"{"_type":"message","role":"user","parts":[]"#,
        r#"{"_type":"event","at_ns":1,"kind":"mine","body":0"#,
        r#"{"_type":"message","id":"named","role":"assistant","parts":[]"#,
        r#"{"_type":"message","role":"user","parts":[]"#,
    ]);
    let loaded = read(&file[..]).unwrap();
    assert_eq!(loaded.damage, None);
    let ids: Vec<_> = loaded.trajectory.messages().map(|message| message.id().as_str()).collect();
    assert_eq!(ids, ["m1", "named", "m3"]);
    let mut writer = Writer::resume(Disk { bytes: file, ..Disk::default() }, &loaded).unwrap();
    let again = Message::user(MessageId::new("m3").unwrap(), "x");
    assert!(writer.append(&[again.into()]).is_err(), "and nobody else may take it");
    let clash =
        after_metadata(&[r#"{"_type":"message","id":"m2","role":"user""#, r#"{"_type":"message","role":"user""#]);
    let damage = read(&clash[..]).unwrap().damage.unwrap().to_string();
    assert!(damage.contains("two messages share the id m2"), "{damage}");
}

/// The value with one more field, once for each of its objects that has a form of ours.
fn with_surprise(value: &Value) -> Vec<Value> {
    match value {
        Value::Object(fields) => {
            let mut surprised = fields.clone();
            surprised.insert("surprise".into(), Value::Null);
            let mut out = vec![Value::Object(surprised)];
            for (key, field) in fields {
                let is_free = ["meta", "versions", "hashes", "limits", "tools", "arguments", "detail"]
                    .contains(&&**key)
                    || key == "body" && fields["kind"] == "of_my_own";
                for changed in with_surprise(field).into_iter().filter(|_| !is_free) {
                    let mut whole = fields.clone();
                    whole.insert(key.clone(), changed);
                    out.push(Value::Object(whole));
                }
            }
            out
        }
        Value::Array(items) => (0..items.len())
            .flat_map(|at| {
                with_surprise(&items[at]).into_iter().map(move |changed| {
                    let mut whole = items.clone();
                    whole[at] = changed;
                    Value::Array(whole)
                })
            })
            .collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_field_that_is_not_ours_is_refused_wherever_it_stands() {
    fn check<T: Serialize + DeserializeOwned>(record: &T) -> usize {
        let mutants = with_surprise(&serde_json::to_value(record).unwrap());
        for mutant in &mutants {
            assert!(serde_json::from_str::<T>(&mutant.to_string()).is_err(), "{mutant}");
        }
        mutants.len()
    }
    let mut checked = check(&metadata("x")) + check(sub_agent().metadata());
    for record in example().records() {
        checked += match record {
            Record::Message(message) => check(message),
            Record::Event(event) => check(event),
            Record::Verdict(verdict) => check(verdict),
        };
    }
    assert!(checked > 60, "{checked}");
}

#[test]
fn an_unknown_kind_of_event_is_kept_byte_for_byte() {
    let file = after_metadata(&[r#"{"_type":"event","at_ns":5,"kind":"later","body":{ "z":1.0,  "a":1e3,"z":2 }"#]);
    let loaded = read(&file[..]).unwrap();
    assert_eq!(loaded.damage, None);
    assert_eq!(file_of(&loaded.trajectory), file);
}

#[test]
fn memory_is_bounded_by_the_line_limit() {
    let endless = std::io::repeat(b'x');
    let error = read_with_limits(std::io::BufReader::new(endless), LIMITS).unwrap_err();
    assert_eq!(error.to_string(), "the file is not a trajectory: line 1: the line is longer than 4096 bytes");
}

/// Memory that the cases below may need. Their files are less than half of it.
const ROOM: u64 = 1 << 20;

fn within(memory_bytes: u64) -> ReadLimits {
    ReadLimits { memory_bytes: Some(memory_bytes), ..ReadLimits::STANDARD }
}

fn is_refused<T>(read: &Result<T, ReadError>, line: u64) -> bool {
    matches!(read, Err(ReadError::NeedsMemory { line: at, limit: ROOM }) if *at == line)
}

/// Wherever a line holds JSON of somebody else, what is small in the file and large in memory is refused before it is parsed.
#[test]
fn memory_is_bounded_by_what_a_line_expands_to() {
    fn check(what: &str, file: &[u8], line: u64) {
        assert!((file.len() as u64) < ROOM / 2, "{what}");
        assert!(is_refused(&read_with_limits(file, within(ROOM)), line), "read: {what}");
        assert!(is_refused(&verify_with_limits(file, within(ROOM)), line), "verify: {what}");
        // With more room it is read as far as it is valid.
        assert!(verify(file).is_ok(), "{what}");
    }
    let many = |one: &str| vec![one; 200_000 / (one.len() + 1)].join(",");
    for one in ["[]", "{}", "1", "\"\"", "[[]]", "{\"a\":{}}"] {
        let list = format!("[{}]", many(one));
        let text = Value::from(format!("{{\"a\":{list}}}"));
        // The same with brackets and commas as escapes: longer, and still small beside what it becomes.
        let escaped = format!("\"{{\\\"a\\\":[{}]}}\"", vec!["1"; 25_000].join("\\u002c"));
        for (what, line) in [
            ("notes", format!(r#"{{"_type":"message","role":"user","meta":{{"a":{list}}}"#)),
            ("a field that is not ours", format!(r#"{{"_type":"message","role":"user","more":{list}"#)),
            (
                "arguments",
                format!(
                    r#"{{"_type":"message","role":"assistant","tool_calls":[{{"id":"c","tool":"t","arguments":{{"a":{list}}}}}]"#
                ),
            ),
            (
                "arguments in a text",
                format!(
                    r#"{{"_type":"message","role":"assistant","tool_calls":[{{"id":"c","tool":"t","arguments_raw":{text}}}]"#
                ),
            ),
            (
                "escaped arguments in a text",
                format!(
                    r#"{{"_type":"message","role":"assistant","tool_calls":[{{"id":"c","tool":"t","arguments\u005fraw":{escaped}}}]"#
                ),
            ),
            (
                "details",
                format!(
                    r#"{{"_type":"event","at_ns":1,"kind":"world","body":{{"source":"s","name":"n","detail":{list}}}"#
                ),
            ),
            (
                "a score",
                format!(
                    r#"{{"_type":"score","at_ns":1,"scorer":"s","outcome":"success","reason":"r","score":{{"name":"n","rule":{{"product":{list}}}}}"#
                ),
            ),
        ] {
            check(&format!("{what} of {one}"), &after_metadata(&[&line]), 2);
        }
        let first = serde_json::to_string(&metadata("x")).unwrap();
        let first = format!("{{\"_type\":\"metadata\",{},\"meta\":{{\"a\":{list}}}", &first[1..first.len() - 1]);
        check(&format!("the first line with {one}"), &sealed(&[first]), 1);
    }
}

/// Whoever names no limits has those for files of others.
#[test]
fn memory_is_bounded_without_asking() {
    let lists = vec!["[]"; 4_000_000].join(",");
    let large = format!(r#"{{"_type":"message","role":"user","meta":{{"a":[{lists}]}}"#);
    let file = after_metadata(&[&large, r#"{"_type":"event","at_ns":1,"kind":"mine","body":0"#]);
    // No line has this hash, so all of them are looked at.
    let cursor = || std::io::Cursor::new(&file[..]);
    for (what, error) in [
        ("read", read(&file[..]).err()),
        ("verify", verify(&file[..]).err()),
        ("still_holds", still_holds(cursor(), Digest::ZERO).err()),
        ("verdict_at", verdict_at(cursor(), Digest::ZERO).err()),
    ] {
        let is_refused = matches!(error, Some(ReadError::NeedsMemory { line: 2, limit: MEMORY_BYTES_MAX }));
        assert!(is_refused, "{what}: {error:?}");
    }
}

/// Lines that are small add up where all are held, and do not where each is only checked.
#[test]
fn memory_is_bounded_over_all_lines() {
    let line = r#"{"_type":"event","at_ns":1,"kind":"mine","body":[1,2,3]"#;
    let file = after_metadata(&[line; 2_000]);
    let error = read_with_limits(&file[..], within(ROOM)).unwrap_err();
    let ReadError::NeedsMemory { line: at, limit: ROOM } = error else { panic!("{error}") };
    assert!((2..2_000).contains(&at), "{at}");
    let verified = verify_with_limits(&file[..], within(ROOM)).unwrap();
    assert_eq!((verified.events, verified.damage), (2_000, None));
    // Of messages their ids are kept.
    let file = after_metadata(&[r#"{"_type":"message","role":"user""#; 9_000]);
    assert!(matches!(verify_with_limits(&file[..], within(ROOM)), Err(ReadError::NeedsMemory { .. })));
}

/// Texts need what they are long, whatever is in them, and what is read needs what was said before.
#[test]
fn texts_are_not_taken_for_brackets() {
    let text = Value::from("[{,\"\\".repeat(20_000));
    let file = after_metadata(&[
        &format!(r#"{{"_type":"message","role":"user","parts":[{{"type":"text","text":{text}}}]"#),
        &format!(r#"{{"_type":"event","at_ns":1,"kind":"flag","body":{{"name":"n","detail":{text}}}"#),
    ]);
    let loaded = read_with_limits(&file[..], within(ROOM)).unwrap();
    assert_eq!(loaded.damage, None);
    assert!(loaded.memory_bytes < file.len() as u64 + 20_000, "{}", loaded.memory_bytes);
    assert_eq!(weight(b"\"[{,\\\",\""), 8);
    let needs = loaded.memory_bytes;
    assert_eq!(read_with_limits(&file[..], within(needs)).unwrap().trajectory, loaded.trajectory);
    let error = read_with_limits(&file[..], within(needs - 1)).unwrap_err().to_string();
    assert_eq!(error, format!("up to line 3, it needs more than {} bytes of memory", needs - 1));
    assert_eq!(read(&file[..]).unwrap().trajectory, loaded.trajectory);
}
