//! Journals: what was appended is read, what was changed is found, and processes take turns.

use assay_store::{Journal, Readers, StoreError};
use std::path::Path;
use std::time::Duration;

const WAIT: Duration = Duration::from_secs(20);

fn made(folder: &Path, lines: &[&str]) -> std::path::PathBuf {
    let path = folder.join("tries.log");
    Journal::create(&path, Readers::Everybody).expect("made");
    let mut journal = Journal::open(&path, WAIT).expect("opened");
    for line in lines {
        journal.append(line).expect("appended");
    }
    path
}

#[test]
fn what_was_appended_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = made(folder.path(), &["one", "two words", "ü"]);
    let (lines, head) = Journal::read(&path).expect("read");
    assert_eq!(lines, ["one", "two words", "ü"]);
    let journal = Journal::open(&path, WAIT).expect("opened");
    assert_eq!((journal.lines(), journal.head()), (lines.as_slice(), head.as_str()));
    assert!(matches!(Journal::create(&path, Readers::Everybody), Err(StoreError::NotWritable { .. })));
    let missing = Journal::open(&folder.path().join("none"), WAIT);
    assert!(matches!(missing, Err(StoreError::Missing { .. })));
}

#[test]
fn every_changed_byte_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = made(folder.path(), &["one", "two", "three"]);
    let whole = std::fs::read(&path).expect("read");
    // The last line end is special: without it the last line was never written.
    for index in 0..whole.len() - 1 {
        let mut changed = whole.clone();
        changed[index] ^= 1;
        std::fs::write(&path, &changed).expect("written");
        assert!(matches!(Journal::read(&path), Err(StoreError::Damaged { .. })), "byte {index}");
    }
    let text = String::from_utf8(whole).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    for order in [&[1, 2][..], &[0, 2], &[1, 0, 2], &[0, 0, 1, 2]] {
        let other: String = order.iter().map(|line| format!("{}\n", lines[*line])).collect();
        std::fs::write(&path, other).expect("written");
        assert!(matches!(Journal::read(&path), Err(StoreError::Damaged { .. })), "{order:?}");
    }
}

#[test]
fn a_line_that_a_crash_cut_short_is_dropped() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = made(folder.path(), &["one", "two"]);
    let whole = std::fs::read(&path).expect("read");
    std::fs::write(&path, &whole[..whole.len() - 3]).expect("written");
    let mut journal = Journal::open(&path, WAIT).expect("opened");
    assert_eq!(journal.lines(), ["one"]);
    journal.append("three").expect("appended");
    drop(journal);
    assert_eq!(Journal::read(&path).expect("read").0, ["one", "three"]);
}

#[test]
fn writers_take_turns() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = made(folder.path(), &[]);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                for line in 0..10 {
                    let mut journal = Journal::open(path, WAIT).expect("opened");
                    journal.append(&format!("{writer} {line}")).expect("appended");
                }
            });
        }
    });
    let (lines, _) = Journal::read(&path).expect("read");
    assert_eq!(lines.len(), 40);
    let held = Journal::open(&path, WAIT).expect("opened");
    assert!(matches!(Journal::open(&path, Duration::from_millis(50)), Err(StoreError::Locked { .. })));
    drop(held);
}
