//! A season that has as many tries as there can be, and one that was not finished.

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

#[test]
fn nothing_is_left_of_a_season_that_could_not_be_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = path(folder.path(), "spring", 1);
    // A folder where a file should be: as if the disk were full.
    let obstacle = place.join(BOARD);
    std::fs::create_dir_all(obstacle.join("full")).expect("a folder");
    let error = Season::create(folder.path(), definition("spring")).expect_err("it cannot be written");
    assert!(matches!(error, BoardError::Write { .. }), "{error:?}");
    std::fs::remove_dir_all(&obstacle).expect("removed");
    assert_eq!(std::fs::read_dir(&place).expect("a folder").count(), 0);

    for name in MADE {
        std::fs::write(place.join(name), "of somebody").expect("written");
        let error = Season::create(folder.path(), definition("spring")).expect_err("it was begun");
        assert!(matches!(&error, BoardError::HalfMade(folder) if *folder == place), "{error:?}");
        assert_eq!(std::fs::read(place.join(name)).expect("it was left"), b"of somebody");
        std::fs::remove_file(place.join(name)).expect("removed");
    }
    Season::create(folder.path(), definition("spring")).expect("a season");
}
