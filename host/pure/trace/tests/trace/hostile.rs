//! Arbitrary and damaged bytes: the reader reports, and never panics.

use crate::messages::any_message;
use crate::support::{Disk, example, file_of, metadata};
use assay_trace::{Digest, Loss, ReadLimits, Writer, read, read_with_limits};
use proptest::prelude::*;

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
        let first = serde_json::to_string(&metadata("x")).unwrap();
        let first = format!("{{\"_type\":\"metadata\",{}", &first[1..first.len() - 1]);
        let file = sealed(&[first, format!("{{\"_type\":\"{kind}\",{fields}")]);
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

#[test]
fn an_unknown_kind_of_event_is_kept_byte_for_byte() {
    let first = serde_json::to_string(&metadata("x")).unwrap();
    let first = format!("{{\"_type\":\"metadata\",{}", &first[1..first.len() - 1]);
    let event = r#"{"_type":"event","at_ns":5,"kind":"later","body":{ "z":1.0,  "a":1e3,"z":2 }"#.to_owned();
    let file = sealed(&[first, event]);
    let loaded = read(&file[..]).unwrap();
    assert_eq!(loaded.damage, None);
    assert_eq!(file_of(&loaded.trajectory), file);
}

#[test]
fn memory_is_bounded_by_the_line_limit() {
    let endless = std::io::repeat(b'x');
    let error = read_with_limits(std::io::BufReader::new(endless), LIMITS).unwrap_err();
    assert_eq!(error.to_string(), "the file is no trajectory: line 1: the line is longer than 4096 bytes");
}
