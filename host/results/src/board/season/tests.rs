//! A season that has as many tries as there can be.

use super::super::tests::definition;
use super::*;
use assay_evaluate::board::TryOutcome;

fn refused(number: u64) -> BoardTry {
    BoardTry {
        number,
        at_ms: 0,
        author: "ada".to_owned(),
        file: "mine.rs".to_owned(),
        content: None,
        outcome: TryOutcome::Refused { what: "S001".to_owned() },
        public: Vec::new(),
    }
}

#[test]
fn a_full_season_takes_no_try_and_can_be_closed() {
    let folder = tempfile::tempdir().expect("a folder");
    let season = Season::create(folder.path(), definition("full")).expect("a season");
    let mut open = season.open().expect("it is whole");
    // As `enter` does, but for the standings after each.
    for number in 1..=BOARD_TRIES_MAX as u64 {
        open.check_takes().expect("there is room");
        let entry = refused(number);
        open.journal.append(&json(&Line::Try(entry.clone())).expect("JSON")).expect("written");
        open.tries.push(entry);
    }
    open.publish().expect("published");
    assert!(matches!(open.check_takes(), Err(BoardError::Full { season: 1, .. })));
    assert!(matches!(open.enter(refused(0), None), Err(BoardError::Full { .. })));
    assert_eq!(season.published().expect("published").standings.tries, BOARD_TRIES_MAX as u64);

    season.open().expect("it is whole").close().expect("a full season can be closed");
    assert!(season.published().expect("published").standings.closed);
    let closed = season.open().expect("it is whole");
    assert_eq!((closed.tries.len(), closed.closed), (BOARD_TRIES_MAX, true));
    assert!(matches!(closed.check_takes(), Err(BoardError::Closed { season: 1, .. })));
    assert!(matches!(closed.close(), Err(BoardError::Closed { season: 1, .. })));
}
