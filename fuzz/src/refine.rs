//! The log of a refinement: what is read of it, and by what somebody goes on.

use assay_refine::about;
use assay_refine::core::bounds::{GENERATIONS_MAX, MARKETS_MAX, WIDTH_MAX};
use assay_refine::core::event::{Body, Event};
use assay_refine::core::step::{Means, Step, next};
use assay_refine::journal::{Journal, Kept, LOG_NAME};
use std::fs;
use std::path::Path;

/// More blocks than any step runs: a batch comes with those before the first look at a trial.
const BLOCKS_MAX: usize = 2_048;

/// A log is refused and left as it is, or it can be shown, and each of its events is written as it was read. A session goes on only by a plan within bounds.
pub fn refine_log(bytes: &[u8]) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let path = home.path().join("session");
    fs::create_dir(&path).expect("made");
    fs::write(path.join(LOG_NAME), bytes).expect("written");
    let kept = Kept::read(&path);
    if let Ok(kept) = &kept {
        can_be_shown(kept);
    }
    match Journal::open(&path, 1) {
        Ok(journal) => goes_on(journal, &path, bytes),
        Err(_) => assert_eq!(log_in(&path), bytes, "nobody works by it"),
    }
}

fn log_in(path: &Path) -> Vec<u8> {
    fs::read(path.join(LOG_NAME)).expect("there is a log")
}

fn can_be_shown(kept: &Kept) {
    for (event, number) in kept.events.iter().zip(1..) {
        assert_eq!(event.seq, number, "its number is its place");
        let line = serde_json::to_vec(event).expect("an event is JSON");
        assert_eq!(&serde_json::from_slice::<Event>(&line).expect("and is read again"), event);
    }
    let state = &kept.state;
    assert_eq!(state.seq(), kept.events.len() as u64);
    assert!(about::session("session", kept).is_object());
    assert_eq!(about::trials(state).len(), state.trials().len());
    assert_eq!(about::sealed(state).is_some(), state.sealed().is_some());
    for place in state.candidates().keys() {
        assert!(about::candidate(state, *place).is_some(), "{place} is there");
    }
}

fn goes_on(mut journal: Journal, path: &Path, bytes: &[u8]) {
    let whole = log_in(path);
    assert!(bytes.starts_with(&whole) && whole.ends_with(b"\n"), "half a line is cut off, and nothing else");
    let (state, plan) = (journal.state(), journal.state().plan());
    assert!(plan.validate().is_ok(), "its plan is within bounds");
    assert!((1..=GENERATIONS_MAX).contains(&plan.rules.generations) && (1..=WIDTH_MAX).contains(&plan.rules.width));
    assert!((1..=MARKETS_MAX).contains(&plan.markets.len()));
    for means in [Means::Enough, Means::NoRequests, Means::NoTime] {
        match next(state, means) {
            Step::Write(slots) => assert!(slots.len() <= WIDTH_MAX as usize),
            Step::Score { blocks, .. }
            | Step::Compare { blocks, .. }
            | Step::Pool { blocks, .. }
            | Step::Unseal { blocks, .. } => assert!(blocks.len() <= BLOCKS_MAX, "{blocks:?}"),
            Step::Probe(_) | Step::Plan | Step::Judge { .. } | Step::Note(_) | Step::Over(_) => {}
        }
    }
    let (events, is_over) = (state.seq(), state.ended().is_some());
    let noted = journal.note(0, Body::Hinted { text: "wider".to_owned() });
    assert_eq!(noted.is_err(), is_over, "what is over takes nothing more");
    drop(journal);
    let again = Kept::read(path).expect("what was written can be read");
    assert_eq!(again.state.seq(), events + u64::from(!is_over));
}
