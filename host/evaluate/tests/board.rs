//! Attacks on boards: each tries to stand higher than its strategy is good, and each says why it does not pay.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_evaluate::Sample;
use assay_evaluate::board::{
    BOARD_FORMAT, BoardDefinition, BoardScenario, BoardTry, Ladder, Mismatch, SealedRow, SealedSeeds, Standings,
    StandingsError, TryOutcome, classify, classify_results, standings,
};

const PUBLIC: u64 = 20;
const SEALED: u64 = 100;

/// splitmix64 (Steele, Lea and Flood, 2014), and a sum of twelve uniforms for a normal number.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// PnL in `seeds` seeds, deviation $10, with `skill` in deviations.
    fn results(&mut self, count: u64, skill: f64) -> Vec<f64> {
        (0..count).map(|_| 1_000.0 * (skill + self.normal())).collect()
    }
}

fn definition() -> BoardDefinition {
    BoardDefinition {
        format: BOARD_FORMAT.to_owned(),
        name: "spring".to_owned(),
        season: 1,
        release: "1.0.0".to_owned(),
        schema: "2.0".to_owned(),
        measure: "pnl".to_owned(),
        scenario: BoardScenario {
            reference: "calm".to_owned(),
            name: "calm".to_owned(),
            hash: "ab".repeat(32),
            recording: None,
            series: None,
        },
        public: (1..=PUBLIC).collect(),
        sealed: SealedSeeds { count: SEALED, commitment: "0".repeat(64) },
        step: 1_000.0,
        created_ms: 0,
    }
}

/// A board in memory, to which things are submitted as the command does it.
#[derive(Default)]
struct Board {
    tries: Vec<BoardTry>,
    rows: Vec<SealedRow>,
    is_recorded: bool,
}

impl Board {
    fn submit(&mut self, author: &str, content: &str, public: &[f64], sealed: &[f64]) -> TryOutcome {
        let number = self.tries.len() as u64 + 1;
        let path =
            |kind: &str, index: usize| if self.is_recorded { kind.to_owned() } else { format!("{kind} {index}") };
        let rows = public.iter().enumerate();
        let public: Vec<_> = rows.map(|(index, value)| (index as u64 + 1, path("market", index), *value)).collect();
        let rows = sealed.iter().enumerate();
        let values: Vec<(String, f64)> = rows.map(|(index, value)| (path("sealed", index), *value)).collect();
        let outcome = classify(&self.tries, author, content)
            .unwrap_or_else(|| classify_results(&self.tries, &self.rows, &public, &values));
        if outcome == TryOutcome::Entry {
            self.rows.push(SealedRow { number, values });
        }
        self.tries.push(BoardTry {
            number,
            at_ms: 0,
            author: author.to_owned(),
            file: "strategy.rs".to_owned(),
            content: Some(content.to_owned()),
            outcome: outcome.clone(),
            public,
        });
        outcome
    }

    fn standings(&self) -> Standings {
        standings(&definition(), &self.tries, &self.rows, false, "").unwrap()
    }

    fn rank(&self, number: u64) -> Option<u64> {
        self.standings().rows.iter().find(|row| row.number == number).and_then(|row| row.rank)
    }
}

/// A file may say anything: the step decides how much is shown of sealed means, and as many seeds are drawn as it says.
#[test]
fn numbers_that_no_board_has_are_named() {
    let check = |change: &dyn Fn(&mut BoardDefinition), expected: Option<&str>| {
        let mut board = definition();
        change(&mut board);
        assert_eq!(board.flaw(), expected, "{board:?}");
    };
    check(&|_| (), None);
    for step in [0.0, -0.0, -1.0, -1e308, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        check(&|board| board.step = step, Some("its step is not an amount above 0"));
    }
    for (count, fits) in [(0, false), (1, false), (2, true), (1_000, true), (1_001, false), (u64::MAX, false)] {
        let expected = (!fits).then_some("it has too few or too many seeds");
        check(&|board| board.sealed.count = count, expected);
        if count < 2_000 {
            check(&|board| board.public = (0..count).collect(), expected);
        }
    }
    for public in [vec![1, 1], vec![2, 1], vec![1, 3, 2]] {
        check(&|board| board.public = public.clone(), Some("its public seeds do not ascend"));
    }
}

#[test]
fn skill_is_ranked_first_and_is_no_luck() {
    let mut random = Random(1);
    let mut board = Board::default();
    for (author, skill) in [("ada", 0.0), ("bob", 2.0), ("eve", 0.1)] {
        board.submit(author, author, &random.results(PUBLIC, skill), &random.results(SEALED, skill));
    }
    let found = board.standings();
    assert_eq!((found.rows[0].author.as_str(), found.rows[0].rank, found.rows[0].tied), ("bob", Some(1), false));
    assert!(found.rows[1].tied && found.rows[2].tied && found.rows[2].rank == Some(2));
    let luck = found.luck.unwrap();
    assert_eq!((luck.luck_percent, luck.overfitting_percent), (0, Some(0)));
}

#[test]
fn fifty_names_for_one_author_gain_nothing() {
    // Fifty strategies without skill, each under a name of its own: one is the best, and must not stand alone before any other.
    let mut random = Random(2);
    let (mut told, boards) = (0, 40);
    for _ in 0..boards {
        let mut board = Board::default();
        for name in 0..50 {
            let author = format!("name {name}");
            board.submit(&author, &author, &random.results(PUBLIC, 0.0), &random.results(SEALED, 0.0));
        }
        let found = board.standings();
        told += u32::from(found.rows.iter().any(|row| row.rank != Some(1)));
        assert!(found.luck.unwrap().luck_percent >= 10, "the best of fifty is said to be luck: {:?}", found.luck);
        // The names themselves decide nothing.
        let mut one = Board { tries: board.tries.clone(), rows: board.rows.clone(), is_recorded: false };
        one.tries.iter_mut().for_each(|entry| "one".clone_into(&mut entry.author));
        let ranks = |board: &Board| board.standings().rows.iter().map(|row| (row.number, row.rank)).collect::<Vec<_>>();
        assert_eq!(ranks(&board), ranks(&one));
    }
    // 5% of the boards would be 2; three deviations more are 6.
    assert!(told <= 6, "{told} of {boards} boards rank one before another");
}

#[test]
fn resubmitting_until_lucky_gives_the_same_try_again() {
    let mut random = Random(3);
    let mut board = Board::default();
    let (public, sealed) = (random.results(PUBLIC, 0.0), random.results(SEALED, 0.0));
    assert_eq!(board.submit("ada", "content", &public, &sealed), TryOutcome::Entry);
    let before = board.standings();
    for _ in 0..30 {
        // Even if it came with other results: they are not looked at.
        let lucky = random.results(SEALED, 5.0);
        assert_eq!(board.submit("ada", "content", &public, &lucky), TryOutcome::Again { of: 1 });
    }
    let found = board.standings();
    assert_eq!((found.tries, found.chances, found.rows.len(), found.rows[0].repeats), (31, 1, 1, 30));
    assert_eq!((found.rows[0].sealed_shown, found.luck), (before.rows[0].sealed_shown, before.luck));
    assert_eq!(found.authors, [("ada".to_owned(), 31)]);
}

#[test]
fn a_copy_stays_with_who_submitted_it_first_whatever_it_is_called() {
    let mut random = Random(4);
    let mut board = Board::default();
    let (public, sealed) = (random.results(PUBLIC, 1.0), random.results(SEALED, 1.0));
    board.submit("ada", "content", &public, &sealed);
    assert_eq!(board.submit("eve", "content", &public, &sealed), TryOutcome::Copy { of: 1 });
    // Renamed by its author.
    board.tries[0].file = "first.rs".to_owned();
    assert_eq!(board.submit("ada", "content", &public, &sealed), TryOutcome::Again { of: 1 });
    let found = board.standings();
    assert_eq!((found.rows.len(), found.rows[0].author.as_str(), found.rows[0].file.as_str()), (1, "ada", "first.rs"));
}

#[test]
fn a_farm_of_ties_is_one_entry() {
    // A constant more in the source makes another content with the same results.
    let mut random = Random(5);
    let mut board = Board::default();
    let (public, sealed) = (random.results(PUBLIC, 1.0), random.results(SEALED, 1.0));
    board.submit("ada", "content", &public, &sealed);
    for copy in 0..20 {
        let outcome = board.submit("eve", &format!("content {copy}"), &public, &sealed);
        assert_eq!(outcome, TryOutcome::SameResults { of: 1 });
    }
    let found = board.standings();
    assert_eq!((found.rows.len(), found.rows[0].tied, found.rows[0].repeats, found.chances), (1, false, 20, 21));
    // Results that differ by a cent in a seed are an entry, which shares the rank, behind.
    let mut other = sealed.clone();
    other[7] += 1.0;
    assert_eq!(board.submit("eve", "nearly", &public, &other), TryOutcome::Entry);
    let found = board.standings();
    assert_eq!((found.rows[0].author.as_str(), found.rows[0].tied, found.rows[1].rank), ("ada", true, Some(1)));
}

#[test]
fn picked_seeds_are_no_entry() {
    let mut random = Random(6);
    let mut board = Board::default();
    board.submit("eve", "content", &random.results(PUBLIC, 0.0), &random.results(SEALED, 0.0));
    let whole = board.tries.clone();
    let refused = |board: &Board| standings(&definition(), &board.tries, &board.rows, false, "").unwrap_err();
    board.tries[0].public.retain(|(_, _, value)| *value > 0.0);
    assert_eq!(refused(&board), StandingsError::Public { number: 1 });
    board.tries.clone_from(&whole);
    board.tries[0].public[0].0 = 7_000;
    assert_eq!(refused(&board), StandingsError::Public { number: 1 });
    board.tries = whole;
    board.rows[0].values.truncate(10);
    assert_eq!(refused(&board), StandingsError::Sealed { number: 1 });
    board.rows.clear();
    assert_eq!(refused(&board), StandingsError::Sealed { number: 1 });
}

#[test]
fn asking_often_tells_little_of_sealed_seeds() {
    // Climbing by what is shown: three hundred variants without skill. What is shown moves a few times, by steps, and never without a better result.
    let mut random = Random(7);
    let mut ladder = Ladder::default();
    let shown: Vec<f64> =
        (0..300).filter_map(|_| ladder.climb(&Sample::of_distinct(random.results(SEALED, 0.0)), 1_000.0)).collect();
    assert!((1..=6).contains(&shown.len()), "{shown:?}");
    assert!(shown.windows(2).all(|pair| pair[0] < pair[1]), "{shown:?}");
    assert!(shown.iter().all(|value| value % 100.0 == 0.0), "rounded to a step of a standard error: {shown:?}");
}

#[test]
fn a_recorded_market_has_a_ladder_and_no_ranks() {
    let mut board = Board { is_recorded: true, ..Board::default() };
    for (author, value) in [("ada", 10_000.0), ("bob", 10_900.0), ("eve", 12_400.0), ("joe", 5_000.0)] {
        // A little luck of its own in each seed: still one market.
        let values = |count: u64| (0..count).map(|seed| value + seed as f64 / 100.0).collect::<Vec<_>>();
        board.submit(author, author, &values(PUBLIC), &values(SEALED));
    }
    let found = board.standings();
    assert_eq!((found.observations, found.luck), (Some(1), None));
    let shown: Vec<_> = (1..=4).map(|n| found.rows.iter().find(|row| row.number == n).unwrap().sealed_shown).collect();
    assert_eq!(shown, [Some(10_000.0), None, Some(12_000.0), None], "better by less than the step is not better");
    assert_eq!((1..=4).map(|number| board.rank(number)).collect::<Vec<_>>(), [None, None, Some(1), None]);
    assert!(found.rows.iter().all(|row| row.public_interval.is_none()));
}

#[test]
fn other_releases_records_and_markets_are_refused_with_the_reason() {
    let board = definition();
    let here = board.scenario.clone();
    assert_eq!(board.check("1.0.0", "2.0", &here), Ok(()));
    let refused = |release, schema, scenario: &BoardScenario| board.check(release, schema, scenario).unwrap_err();
    assert!(matches!(refused("1.1.0", "2.0", &here), Mismatch::Release { .. }));
    assert!(refused("1.0.0", "2.1", &here).to_string().contains("run record 2.0, but this Assay writes 2.1"));
    let changed = BoardScenario { hash: "cd".repeat(32), ..here.clone() };
    assert!(
        refused("1.0.0", "2.0", &changed).to_string().contains("had the hash abababababab… and now has cdcdcdcdcdcd…")
    );
    let other_recording = BoardScenario { recording: Some("ef".repeat(32)), ..here };
    assert!(refused("1.0.0", "2.0", &other_recording).to_string().contains("data files"));
    // Neither season nor name nor market shares its seeds with another.
    let labels = ["a", "b"].map(|name| BoardDefinition::label(name, 1, "x"));
    assert!(labels[0] != labels[1] && BoardDefinition::label("a", 2, "x") != labels[0]);
}
