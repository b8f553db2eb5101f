//! Arbitrary and damaged bytes: the reader reports, and never panics.

use crate::messages::any_message;
use crate::support::{Disk, example, file_of, metadata, sub_agent};
use assay_trace::{Digest, Loss, Message, MessageId, ReadLimits, Record, Writer, read, read_with_limits};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

const LIMITS: ReadLimits = ReadLimits { line_bytes: 4_096, file_bytes: 65_536 };

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
fn after_metadata(lines: &[&str]) -> Vec<u8> {
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
