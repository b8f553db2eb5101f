//! Every token and cent is in every total: those of sub-agents, and those of attempts that came to nothing.

use assay_rollout::run::{EpisodeRecord, EpisodeSpec, RunEnd, Spending, Stop, TroubleKind, figures, read_journal};

use crate::support::{Act, drive, open, proven};

fn spent(tokens: u64) -> Spending {
    Spending { tokens, cost_microdollars: tokens, ..Spending::default() }
}

#[track_caller]
fn check(attempts: u32, choose: impl Fn(&EpisodeSpec) -> Act + Send + Sync + 'static, own: u64, earlier: u64) {
    let home = tempfile::tempdir().expect("a folder");
    let mut folder = open(home.path(), 1, 1, false).expect("a new folder");
    assert_eq!(drive(&mut folder, attempts, &Stop::new(), choose).0, RunEnd::Complete);
    let records = read_journal(&home.path().join("results.jsonl")).expect("a journal");
    let [EpisodeRecord { tokens, cost_microdollars, earlier: before, .. }] = records.as_slice() else { panic!("one") };
    assert_eq!((*tokens, *cost_microdollars, *before), (Some(own), Some(own), spent(earlier)));
    // Whoever only looks finds all of it backed.
    assert_eq!(proven(home.path()).records, records);
    let figures = figures(&records);
    assert_eq!((figures.tokens, figures.cost_microdollars), (own + earlier, own + earlier));
    assert_eq!((figures.tokens_unknown, figures.cost_unknown), (0, 0));
}

#[test]
fn totals() {
    let fails_until = |last: u32, then: Act| {
        move |spec: &EpisodeSpec| if spec.attempt < last { Act::Trouble(TroubleKind::Passing) } else { then }
    };
    check(1, fails_until(1, Act::Solve), 7, 0);
    check(1, fails_until(1, Act::SendsOff), 5_000_007, 0);
    check(3, fails_until(3, Act::Solve), 7, 14);
    check(3, fails_until(2, Act::SendsOff), 5_000_007, 7);
    check(2, fails_until(9, Act::Solve), 7, 7);
}

#[test]
fn what_an_episode_without_a_score_has_cost_counts_when_it_is_tried_again() {
    let home = tempfile::tempdir().expect("a folder");
    let mut folder = open(home.path(), 1, 1, false).expect("a new folder");
    drive(&mut folder, 2, &Stop::new(), |_| Act::Trouble(TroubleKind::Passing));
    drop(folder);
    let mut folder = open(home.path(), 1, 1, true).expect("the folder");
    drive(&mut folder, 2, &Stop::new(), |_| Act::Solve);
    let records: Vec<EpisodeRecord> = folder.finished().cloned().collect();
    assert_eq!((records[0].tokens, records[0].earlier), (Some(7), spent(14)));
    assert_eq!(figures(&records).tokens, 21);
    drop(folder);
    assert_eq!(proven(home.path()).records, records);
}

#[test]
fn what_an_undone_episode_has_cost_counts_when_it_is_run_again() {
    let home = tempfile::tempdir().expect("a folder");
    let mut folder = open(home.path(), 1, 1, false).expect("a new folder");
    let stop = Stop::new();
    let asked = stop.clone();
    drive(&mut folder, 2, &stop, move |spec| {
        if spec.attempt == 2 {
            asked.stop();
        }
        Act::Trouble(TroubleKind::Passing)
    });
    drop(folder);
    let mut folder = open(home.path(), 1, 1, false).expect("the folder");
    drive(&mut folder, 2, &Stop::new(), |_| Act::Solve);
    let records: Vec<EpisodeRecord> = folder.finished().cloned().collect();
    // How far the second attempt got before it was undone is up to the machine.
    assert!(records[0].id == "t1.s1" && [7, 14].contains(&records[0].earlier.tokens), "{records:?}");
}

#[test]
fn what_was_undone_again_and_again_counts_each_time_and_once() {
    let home = tempfile::tempdir().expect("a folder");
    for undone in 1..=3 {
        let mut folder = open(home.path(), 1, 1, false).expect("the folder");
        let stop = Stop::new();
        let asked = stop.clone();
        let (end, _) = drive(&mut folder, 2, &stop, move |spec| match spec.attempt {
            1 => Act::Trouble(TroubleKind::Passing),
            _ => {
                asked.stop();
                Act::Hang
            }
        });
        assert_eq!(end, RunEnd::Stopped);
        drop(folder);
        // Starts that do nothing count nothing twice.
        for _ in 0..2 {
            drop(open(home.path(), 1, 1, false).expect("the folder"));
        }
        let lines = std::fs::read_to_string(home.path().join("discarded.jsonl")).expect("it is there");
        assert_eq!(lines.matches("\"t1.s1\"").count(), undone, "{lines}");
    }
    let mut folder = open(home.path(), 1, 1, false).expect("the folder");
    drive(&mut folder, 2, &Stop::new(), |_| Act::Solve);
    drop(folder);
    // Once it has a line, that line has it all.
    let folder = open(home.path(), 1, 1, true).expect("the folder");
    let record = folder.finished().next().expect("one");
    // How far the second attempts got before they were undone is up to the machine.
    assert!(record.tokens == Some(7) && (21..=42).contains(&record.earlier.tokens), "{record:?}");
    assert_eq!(proven(home.path()).records, std::slice::from_ref(record));
}
