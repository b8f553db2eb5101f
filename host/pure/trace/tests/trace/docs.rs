//! `docs/trajectories.md` against the code: its example is a file of ours, and its tables have every field.

use crate::support::{Disk, example, file_of, sub_agent};
use assay_trace::{EventKind, Outcome, WriteError, Writer, read, rescore, stats};
use serde_json::Value;
use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../../../docs/trajectories.md");

/// The example of the page.
fn page_example() -> &'static [u8] {
    let (_, from) = PAGE.split_once("```jsonl\n").unwrap();
    from.split_once("```").unwrap().0.as_bytes()
}

#[test]
fn the_example_is_read_and_resumed() {
    let loaded = read(page_example()).unwrap();
    assert_eq!((&loaded.damage, loaded.head.lines), (&None, 8));
    let stats = stats(&loaded.trajectory);
    assert_eq!((stats.model_calls, stats.steps.len(), stats.reward), (1, 3, Some(1.0)));
    assert_eq!(loaded.trajectory.verdict().unwrap().outcome(), Some(Outcome::Success));
    // It leaves out what may be absent and our writer writes: the same records in other bytes.
    assert_eq!(read(&file_of(&loaded.trajectory)[..]).unwrap().trajectory, loaded.trajectory);

    let disk = Disk { bytes: page_example().to_vec(), ..Disk::default() };
    let verdict = loaded.trajectory.verdict().unwrap().clone();
    assert_eq!(rescore(disk, &loaded, verdict).unwrap().lines, 9);
    let again = Writer::resume(Disk::default(), &loaded).unwrap().append(loaded.trajectory.records());
    assert!(matches!(again, Err(WriteError::Unstorable { .. })), "its messages are there already");
}

/// The keys of an object and, where they have a form of ours, of the objects below.
fn keys(value: &Value, out: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                out.insert(key.clone());
                // What these hold is named by whoever writes, not by the format.
                let is_free = ["meta", "versions", "hashes", "limits", "tools", "arguments", "detail"]
                    .contains(&&**key)
                    || key == "parts" && field.is_object()
                    || key == "body" && fields["kind"] == "of_my_own";
                if !is_free {
                    keys(field, out);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, out)),
        _ => {}
    }
}

#[test]
fn every_field_and_kind_is_on_the_page() {
    let mut found = BTreeSet::new();
    for line in [file_of(&example()), file_of(&sub_agent())].concat().split(|byte| *byte == b'\n') {
        if !line.is_empty() {
            keys(&serde_json::from_slice(line).unwrap(), &mut found);
        }
    }
    assert!(found.len() > 50, "{found:?}");
    let is_missing = |name: &&str| !PAGE.contains(&format!("`{name}`")) && !PAGE.contains(&format!("\"{name}\":"));
    let missing: Vec<_> = found.iter().map(String::as_str).filter(is_missing).collect();
    assert_eq!(missing, Vec::<&str>::new());
    for name in EventKind::NAMES {
        assert!(PAGE.contains(&format!("\n| `{name}` |")), "the table of events lacks {name}");
    }
}
