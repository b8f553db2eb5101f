//! Episodes whose work is done and whose files have no score: they are graded from their records, and never run again.

use std::sync::atomic::{AtomicU32, Ordering};

use assay_rollout::run::{RunEnd, Stop, TroubleKind, Work, read_journal};

use crate::support::{Act, drive, files, open, proven};

/// What was told of an episode, without its name.
fn words(told: &[String]) -> Vec<&str> {
    told.iter().map(|line| line.split(' ').next().unwrap_or_default()).collect()
}

#[test]
fn an_engine_that_fails_for_a_while_costs_no_episode() {
    let home = tempfile::tempdir().expect("a folder");
    let mut folder = open(home.path(), 1, 1, false).expect("a new folder");
    let calls = AtomicU32::new(0);
    let (end, told) = drive(&mut folder, 3, &Stop::new(), move |_| match calls.fetch_add(1, Ordering::Relaxed) {
        0 => Act::Ends(Some(TroubleKind::Passing)),
        1 => Act::Trouble(TroubleKind::Passing),
        _ => Act::Solve,
    });
    assert_eq!(end, RunEnd::Complete);
    assert_eq!(words(&told), ["began", "again", "began", "again", "began", "finished"]);
    let record = folder.finished().next().expect("one").clone();
    // The same attempt all the time, and asked only once.
    assert_eq!((record.id.as_str(), record.steps, record.tokens), ("t1.s1", 1, Some(7)));
    assert!(record.is_solved() && record.earlier.is_nothing(), "{record:?}");
}

#[test]
fn what_stayed_ungraded_is_graded_when_asked() {
    let home = tempfile::tempdir().expect("a folder");
    let mut folder = open(home.path(), 2, 1, false).expect("a new folder");
    drive(&mut folder, 1, &Stop::new(), |spec| match spec.task.as_str() {
        "t1" => Act::Ends(Some(TroubleKind::Passing)),
        _ => Act::Trouble(TroubleKind::Lasting),
    });
    drop(folder);
    assert!(open(home.path(), 2, 1, false).expect("the folder").pending().is_empty(), "only where it is asked for");
    let mut folder = open(home.path(), 2, 1, true).expect("the folder");
    let pending: Vec<(String, Work)> = folder.pending().iter().map(|one| (one.spec.id(), one.work)).collect();
    assert_eq!(pending, [("t1.s1".to_owned(), Work::Grade), ("t2.s1.a2".to_owned(), Work::Run)]);
    folder.only_grade();
    let (end, told) = drive(&mut folder, 1, &Stop::new(), |_| Act::Fail);
    assert_eq!((end, told.len()), (RunEnd::Complete, 2));
    let records = read_journal(&home.path().join("results.jsonl")).expect("a journal");
    let rewards: Vec<_> = records.iter().map(|record| (record.id.as_str(), record.reward())).collect();
    assert_eq!(rewards, [("t1.s1", Some(0.0)), ("t2.s1", None)]);
    drop(folder);
    // The trajectory goes on with the hash that the journal has, and nothing of it counts as changed.
    let folder = open(home.path(), 2, 1, false).expect("the folder");
    assert!(folder.changed().is_empty(), "{:?}", folder.changed());
}

#[test]
fn what_was_being_graded_when_the_process_ended_is_graded_by_the_next_one() {
    let home = tempfile::tempdir().expect("a folder");
    let mut folder = open(home.path(), 9, 1, false).expect("a new folder");
    let stop = Stop::new();
    let asked = stop.clone();
    drive(&mut folder, 1, &stop, move |spec| match spec.task.as_str() {
        "t1" => Act::Ends(None),
        // It begins only once another has finished, and by then the first has ended its work.
        "t9" => {
            asked.stop();
            Act::Hang
        }
        "t2" => Act::Solve,
        _ => Act::Hang,
    });
    drop(folder);
    let mut folder = open(home.path(), 9, 1, false).expect("the folder");
    let first = &folder.pending()[0];
    let is_there = files(home.path()).contains(&"episodes/t1.s1.jsonl".to_owned());
    // Unless the stop came before the record of its end.
    if first.work == Work::Grade {
        assert!(is_there && first.spec.id() == "t1.s1");
    }
    assert_eq!(folder.pending().len(), 8);
    assert_eq!(drive(&mut folder, 1, &Stop::new(), |_| Act::Solve).0, RunEnd::Complete);
    assert!(folder.finished().all(|record| record.is_solved() && record.steps == 1));
}

#[test]
fn a_spent_budget_does_not_keep_what_is_paid_for_from_being_graded() {
    let home = tempfile::tempdir().expect("a folder");
    let mut folder = open(home.path(), 9, 1, false).expect("a new folder");
    let calls = AtomicU32::new(0);
    let (end, _) = drive(&mut folder, 3, &Stop::new(), move |spec| match spec.task.as_str() {
        "t1" if calls.fetch_add(1, Ordering::Relaxed) < 2 => Act::Ends(Some(TroubleKind::Passing)),
        "t1" => Act::Solve,
        _ => Act::Trouble(TroubleKind::Budget),
    });
    assert!(matches!(end, RunEnd::Failed(_)), "{end:?}");
    let finished: Vec<_> = folder.finished().map(|record| (record.id.as_str(), record.is_solved())).collect();
    assert_eq!(finished, [("t1.s1", true)]);
}

#[test]
fn an_episode_that_failed_before_its_first_record_is_believed() {
    let home = tempfile::tempdir().expect("a folder");
    let mut folder = open(home.path(), 1, 1, false).expect("a new folder");
    drive(&mut folder, 1, &Stop::new(), |_| Act::FailsAtOnce);
    assert!(folder.finished().all(|record| record.hash.is_some() && record.reward().is_none()));
    drop(folder);
    let proven = proven(home.path());
    assert_eq!((proven.records.len(), proven.doubts), (1, Vec::new()));
    let folder = open(home.path(), 1, 1, false).expect("the folder");
    assert!(folder.changed().is_empty(), "{:?}", folder.changed());
}

#[test]
fn a_score_that_was_written_before_a_panic_is_taken_once() {
    let home = tempfile::tempdir().expect("a folder");
    let mut folder = open(home.path(), 1, 1, false).expect("a new folder");
    assert_eq!(drive(&mut folder, 1, &Stop::new(), |_| Act::PanicsAfter).0, RunEnd::Complete);
    let record = folder.finished().next().expect("one").clone();
    assert_eq!((record.reward(), &record.hash), (None, &None));
    drop(folder);
    let why = proven(home.path()).doubts.pop().expect("one").why;
    assert!(why.contains("episodes/t1.s1.jsonl, holds a score: success"), "{why}");
    for retry in [false, true] {
        let folder = open(home.path(), 1, 1, retry).expect("the folder");
        assert!(folder.pending().is_empty(), "{:?}", folder.pending());
        let record = folder.finished().next().expect("one").clone();
        assert!(record.is_solved() && record.tokens == Some(7) && record.earlier.is_nothing(), "{record:?}");
    }
    let lines = std::fs::read_to_string(home.path().join("results.jsonl")).expect("a journal").lines().count();
    let proven = proven(home.path());
    assert_eq!((lines, proven.records.len(), proven.doubts), (2, 1, Vec::new()));
}
