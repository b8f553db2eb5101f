//! The file under crashes, failing disks and tampering.

use crate::support::{Disk, example, example_records, file_of, id, metadata};
use assay_trace::{Damage, Digest, LineError, Loss, Message, ReadError, ReadLimits, WriteError, Writer, read};
use assay_trace::{MetadataError, read_with_limits, verify};

fn lines(file: &[u8]) -> Vec<Vec<u8>> {
    file.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

#[test]
fn what_is_written_is_read_back() {
    let trajectory = example();
    let file = file_of(&trajectory);
    let loaded = read(&file[..]).unwrap();
    assert_eq!(loaded.trajectory, trajectory);
    assert_eq!(loaded.damage, None);
    assert_eq!((loaded.head.bytes, loaded.head.lines), (file.len() as u64, lines(&file).len() as u64));
    assert_eq!(file_of(&loaded.trajectory), file, "and written again it is the same bytes");
}

#[test]
fn batches_make_the_same_file_as_single_records() {
    let records = example_records();
    let mut writer = Writer::create(Disk::default(), &metadata("example-1")).unwrap();
    for batch in records.chunks(4) {
        writer.append(batch).unwrap();
    }
    assert_eq!(writer.into_sink().bytes, file_of(&example()));
}

/// The chain as `docs/trajectories.md` words it, without our own reader.
#[test]
fn the_chain_can_be_verified_byte_for_byte() {
    let mut previous = [0; 32];
    for line in lines(&file_of(&example())) {
        let line = line.strip_suffix(b"\n").unwrap();
        let (open, seal) = line.split_at(line.len() - 76);
        previous = *blake3::hash(&[&previous[..], open].concat()).as_bytes();
        assert_eq!(seal, format!(",\"_hash\":\"{}\"}}", blake3::Hash::from(previous).to_hex()).as_bytes());
    }
}

#[test]
fn a_file_cut_anywhere_loads_up_to_its_last_whole_line_and_can_be_resumed() {
    let (trajectory, records) = (example(), example_records());
    let whole = file_of(&trajectory);
    let ends: Vec<usize> = lines(&whole)
        .iter()
        .scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        })
        .collect();
    for cut in 0..=whole.len() {
        let kept = ends.iter().filter(|end| **end <= cut).count();
        let loaded = match read(&whole[..cut]) {
            Ok(loaded) => loaded,
            Err(ReadError::NoLine { bytes }) => {
                assert_eq!((kept, bytes), (0, cut as u64), "cut at {cut}");
                continue;
            }
            Err(error) => panic!("cut at {cut}: {error}"),
        };
        assert_eq!(loaded.trajectory.records(), &records[..kept - 1], "cut at {cut}");
        let lost = (cut - ends[kept - 1]) as u64;
        let damage = (lost > 0).then_some(Damage { line: kept as u64 + 1, loss: Loss::Cut { bytes: lost } });
        assert_eq!(loaded.damage, damage, "cut at {cut}");

        let disk = Disk { bytes: whole[..cut].to_vec(), ..Disk::default() };
        let mut writer = Writer::resume(disk, &loaded).unwrap();
        writer.append(&records[kept - 1..]).unwrap();
        assert!(writer.into_sink().bytes == whole, "cut at {cut}: resumed, the file is as if nothing had happened");
    }
}

#[test]
fn a_disk_that_fails_at_any_byte_loses_nothing_that_was_acknowledged() {
    let records = example_records();
    let whole = file_of(&example());
    for accepts in (0..whole.len()).step_by(7) {
        let disk = Disk { accepts: Some(accepts), short_writes: Some(11), ..Disk::default() };
        let Ok(mut writer) = Writer::create(disk, &metadata("example-1")) else { continue };
        let mut acknowledged = 0;
        for batch in records.chunks(3) {
            match writer.append(batch) {
                Ok(()) => acknowledged += batch.len(),
                Err(WriteError::Io(_)) => break,
                Err(error) => panic!("{error}"),
            }
        }
        assert!(matches!(writer.append(&records[..1]), Err(WriteError::Poisoned)), "it writes no more");
        let disk = writer.into_sink();
        let loaded = read(&disk.bytes[..]).unwrap();
        assert!(loaded.trajectory.records().len() >= acknowledged, "{accepts} bytes: {acknowledged} were acknowledged");
        assert!(loaded.damage.iter().all(Damage::is_cut));
        let done = loaded.trajectory.records().len();
        let mut writer = Writer::resume(Disk { accepts: None, ..disk }, &loaded).unwrap();
        writer.append(&records[done..]).unwrap();
        assert_eq!(writer.into_sink().bytes, whole);
    }
}

#[test]
fn a_record_is_durable_before_the_call_returns() {
    let mut writer = Writer::create(Disk::default(), &metadata("example-1")).unwrap();
    for record in example_records() {
        writer.append(&[record]).unwrap();
        let head = writer.head();
        let disk = writer.into_sink();
        assert_eq!((disk.synced, disk.bytes.len() as u64), (disk.bytes.len(), head.bytes));
        let loaded = read(&disk.bytes[..]).unwrap();
        writer = Writer::resume(disk, &loaded).unwrap();
    }
    let disk = Disk { sync_fails: true, ..Disk::default() };
    assert!(matches!(Writer::create(disk, &metadata("x")), Err(WriteError::Io(_))), "a sync that fails is an error");
}

/// Each tampered file must be reported at the line, and everything before it must load.
#[test]
fn tampering_is_reported_with_the_line() {
    let whole = lines(&file_of(&example()));
    let check = |name: &str, tampered: Vec<Vec<u8>>, line: u64| {
        let loaded = read(&tampered.concat()[..]).unwrap();
        let damage = loaded.damage.clone().unwrap_or_else(|| panic!("{name}: not noticed"));
        assert_eq!(damage, Damage { line, loss: Loss::Invalid(LineError::BrokenChain) }, "{name}");
        assert_eq!(loaded.head.lines, line - 1, "{name}");
        assert!(damage.to_string().starts_with(&format!("line {line}: ")), "{name}: {damage}");
        let disk = Disk { bytes: tampered.concat(), ..Disk::default() };
        assert!(
            matches!(Writer::resume(disk, &loaded), Err(WriteError::Damaged { .. })),
            "{name}: evidence is not cut off"
        );
    };
    for at in 1..whole.len() {
        let line = at as u64 + 1;
        let mut changed = whole.clone();
        changed[at][40] ^= 1;
        check("changed", changed, line);
        let mut inserted = whole.clone();
        inserted.insert(at + 1, whole[at].clone());
        check("inserted", inserted, line + 1);
        if at + 1 < whole.len() {
            let mut reordered = whole.clone();
            reordered.swap(at, at + 1);
            check("reordered", reordered, line);
            let mut removed = whole.clone();
            removed.remove(at);
            check("removed", removed, line);
        }
    }
}

#[test]
fn a_removed_end_is_seen_by_who_kept_the_head() {
    let file = file_of(&example());
    let head = read(&file[..]).unwrap().head;
    let all = lines(&file);
    let shortened = read(&all[..all.len() - 1].concat()[..]).unwrap();
    assert_eq!(shortened.damage, None, "the chain alone cannot know");
    assert_ne!(shortened.head, head, "but its head is another");
}

/// A first line with other fields, sealed correctly.
fn sealed(open: &str) -> Vec<u8> {
    format!("{open},\"_hash\":\"{}\"}}\n", Digest::chained(Digest::ZERO, open.as_bytes())).into_bytes()
}

#[test]
fn foreign_and_later_files_are_told_apart() {
    let check = |open: &str, words: &str| {
        let error = read(&sealed(open)[..]).unwrap_err().to_string();
        assert!(error.contains(words), "{open}: {error}");
    };
    check("{\"_type\":\"metadata\",\"format\":\"rlm\",\"version\":\"1.0\"", "the format is \"rlm\"");
    check(
        "{\"_type\":\"metadata\",\"format\":\"assay-trajectory\",\"version\":\"1.1\",\"new\":1",
        "use a newer program",
    );
    check("{\"_type\":\"metadata\",\"format\":\"assay-trajectory\",\"version\":\"2.0\"", "use a newer program");
    check("{\"_type\":\"metadata\",\"format\":\"assay-trajectory\",\"version\":\"1\"", "MAJOR.MINOR");
    check("{\"_type\":\"metadata\",\"format\":\"assay-trajectory\",\"version\":\"1.0\"", "missing field");
    check("{\"_type\":\"message\",\"role\":\"user\"", "not of type metadata");
    let unsealed = read(&b"{\"messages\":[]}\n"[..]).unwrap_err();
    assert!(matches!(unsealed, ReadError::NotSealed(LineError::NoHash)), "{unsealed}");
    assert_eq!(
        MetadataError::OtherFormat { found: "x".into() }.to_string(),
        "the format is \"x\", not \"assay-trajectory\""
    );
}

#[test]
fn limits_hold_for_lines_and_files() {
    let file = file_of(&example());
    let longest = lines(&file).iter().map(Vec::len).max().unwrap() as u64;
    let all = ReadLimits { line_bytes: longest, file_bytes: file.len() as u64, memory_bytes: None };
    assert_eq!(read_with_limits(&file[..], all).unwrap().damage, None);

    let short_lines = ReadLimits { line_bytes: longest - 1, ..all };
    // The longest line is the first or not: either way nothing longer is held.
    match read_with_limits(&file[..], short_lines) {
        Ok(loaded) => assert_eq!(loaded.damage.unwrap().loss, Loss::Invalid(LineError::TooLong { limit: longest - 1 })),
        Err(error) => assert!(matches!(error, ReadError::NotSealed(LineError::TooLong { .. })), "{error}"),
    }
    let small_file = ReadLimits { file_bytes: all.file_bytes - 1, ..all };
    let loaded = read_with_limits(&file[..], small_file).unwrap();
    let limit = small_file.file_bytes;
    assert_eq!(loaded.damage.unwrap().loss, Loss::Invalid(LineError::FileTooLarge { limit }));
    assert_eq!(loaded.head.lines + 1, lines(&file).len() as u64);
}

#[test]
fn what_could_not_be_read_back_is_not_written() {
    let mut writer = Writer::create(Disk::default(), &metadata("example-1")).unwrap();
    let before = writer.head();
    let mut deep = serde_json::Value::Null;
    for _ in 0..200 {
        deep = serde_json::Value::Array(vec![deep]);
    }
    let check = |writer: &mut Writer<Disk>, records: &[assay_trace::Record]| {
        let error = writer.append(records).unwrap_err();
        assert!(matches!(error, WriteError::Unstorable { .. }), "{error}");
        assert_eq!(writer.head(), before);
    };
    check(&mut writer, &[Message::user(id("u"), "x").with_meta("deep", deep).into()]);
    check(&mut writer, &[Message::user(id("u"), "x").into(), Message::user(id("u"), "y").into()]);
    writer.append(&[Message::user(id("u"), "x").into()]).unwrap();
    assert!(writer.append(&[Message::user(id("u"), "again").into()]).is_err());
    writer.append(&[Message::user(id("v"), "still writes").into()]).unwrap();
    assert_eq!(read(&writer.into_sink().bytes[..]).unwrap().trajectory.messages().count(), 2);
}

/// Whatever is wrong with a file, checking it without keeping it finds what reading it finds.
#[test]
fn verifying_finds_what_reading_finds() {
    let check = |name: &str, bytes: &[u8]| match (read(bytes), verify(bytes)) {
        (Ok(loaded), Ok(verified)) => {
            assert_eq!((&verified.head, &verified.damage), (&loaded.head, &loaded.damage), "{name}");
            assert_eq!(&verified.metadata, loaded.trajectory.metadata(), "{name}");
            assert_eq!(verified.messages, loaded.trajectory.messages().count() as u64, "{name}");
            assert_eq!(verified.events, loaded.trajectory.events().count() as u64, "{name}");
            assert_eq!(verified.verdict.as_ref(), loaded.trajectory.verdict(), "{name}");
        }
        (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string(), "{name}"),
        (read, verified) => panic!("{name}: read {read:?}, verified {verified:?}"),
    };
    let file = file_of(&example());
    for place in (0..=file.len()).step_by(7) {
        check(&format!("cut at {place}"), &file[..place]);
        let mut flipped = file.clone();
        if let Some(byte) = flipped.get_mut(place) {
            *byte ^= 1;
        }
        check(&format!("flipped at {place}"), &flipped);
    }
    // A chain may be whole and its records still contradict each other.
    let metadata = lines(&file).remove(0);
    let mut twice = metadata.clone();
    let mut previous = read(&metadata[..]).unwrap().head.hash;
    for _ in 0..2 {
        let open = "{\"_type\":\"message\",\"id\":\"u\",\"role\":\"user\",\"parts\":[]";
        previous = Digest::chained(previous, open.as_bytes());
        twice.extend(format!("{open},\"_hash\":\"{previous}\"}}\n").into_bytes());
    }
    check("two messages with one id", &twice);
    let damage = verify(&twice[..]).unwrap().damage.expect("ids differ");
    assert!(damage.line == 3 && damage.to_string().contains("share the id u"), "{damage}");
}
