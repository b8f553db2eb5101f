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
    let (lines, head, unfinished) = Journal::read(&path).expect("read");
    assert_eq!(unfinished, 0);
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
fn what_stands_behind_the_last_line_began_as_a_line_or_is_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = made(folder.path(), &["one", "two"]);
    let whole = std::fs::read(&path).expect("read");
    let check = |what: &str, tail: &[u8], is_cut_short: bool| {
        std::fs::write(&path, [whole.as_slice(), tail].concat()).expect("written");
        let found = Journal::read(&path).map(|(lines, _, unfinished)| (lines.len(), unfinished));
        match found {
            Ok(found) => assert!(is_cut_short && found == (2, tail.len() as u64), "{what}: {found:?}"),
            Err(StoreError::Damaged { .. }) => assert!(!is_cut_short, "{what}"),
            Err(error) => panic!("{what}: {error}"),
        }
        assert_eq!(Journal::open(&path, WAIT).is_ok(), is_cut_short, "{what}");
    };
    let hash = "0123456789abcdef".repeat(4);
    let after = |text: &str| format!("{hash}{text}").into_bytes();
    check("nothing", b"", true);
    check("part of a hash", &hash.as_bytes()[..9], true);
    check("a hash", hash.as_bytes(), true);
    check("a hash and a space", &after(" "), true);
    check("part of a text", &after(" {\"try\": \u{fc}"), true);
    check("part of a character", &[after(" "), vec![0xc3]].concat(), true);
    check("no hash", b"x", false);
    check("a longer hash", &after("0"), false);
    check("upper case", b"ABC", false);
    check("no UTF-8", &[after(" "), vec![0xff, 0xff]].concat(), false);
    check("a control character", &after(" a\u{1b}[2J"), false);
    check("NULs behind a beginning", &after(" \0\0"), false);
    check("NULs", &vec![0; 1 << 20], false);
    check("text without an end", &vec![b'a'; 3 << 20], false);
    check("a line without an end", &after(&format!(" {}", "a".repeat(3 << 20))), false);
    check("another line", &after(" text\n"), false);
    check("an empty line", b"\n", false);
    check("ends of lines", b"\r\n", false);
}

#[test]
fn what_cannot_be_read_again_is_not_appended() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = made(folder.path(), &["one"]);
    let whole = std::fs::read(&path).expect("read");
    let mut journal = Journal::open(&path, WAIT).expect("opened");
    for text in ["a\nb", "a\rb", "\0", &"a".repeat(1 << 20)] {
        assert!(journal.append(text).is_err(), "{} bytes", text.len());
    }
    assert!(std::fs::read(&path).expect("read") == whole, "the journal is as it was");
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
    assert_eq!(Journal::read(&path).expect("read").0.len(), 40);
    let held = Journal::open(&path, WAIT).expect("opened");
    assert!(matches!(Journal::open(&path, Duration::from_millis(50)), Err(StoreError::Locked { .. })));
    drop(held);
}
