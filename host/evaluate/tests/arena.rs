//! Arenas of native traders: seats rotate, threads do not matter, a failure is stated, and who is fed shows up.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_evaluate::{Arena, ArenaRecord, Entrant, FlowRecord, Native, Seeds, StrategyRecord, ToolRecord, arena};
use assay_market::{Scenario, Trader};
use assay_model::{Desk, OrderUpdate, Qualifiers, RequestKind, Side, StrategyConfig};
use assay_sandbox::Outcome;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

/// What a player does at every tick.
#[derive(Clone, Copy, PartialEq)]
enum Habit {
    Nothing,
    /// Takes a few shares, either side.
    Take,
    /// Rests an offer far above the market, and another player's bids find it.
    OfferDear,
    /// Buys up to a price far above the market, so that a dear offer is reached.
    BuyDear,
    /// Rests inside the spread by the clock, so far on one side that whoever takes gains.
    GiveResting,
    /// Takes what rests there, by the same clock.
    TakeGift,
    /// Quotes both sides at the market's best prices.
    Quote,
    /// Fails at the tenth tick.
    Fail,
}

struct Player {
    desk: Desk,
    habit: Habit,
    ticks: u64,
    /// There was room inside the spread when this round began.
    has_room: bool,
}

/// Ticks of a round in which two meet: one rests, the other takes, what is left goes.
const ROUND: u64 = 3;
/// Shares of a gift.
const GIFT: u64 = 50;

/// A few cents above the market, within every band.
const DEAR: i64 = 40;

impl Player {
    fn act(&mut self) -> Option<RequestKind> {
        let ask = self.desk.quote().ask?.price.cents();
        let plain = Qualifiers::default();
        match self.habit {
            Habit::Take => {
                let side = if self.ticks.is_multiple_of(2) { Side::Buy } else { Side::Sell };
                Some(RequestKind::Market { side, quantity: 3 })
            }
            // One order stays; later ones would only stand behind it.
            Habit::OfferDear if self.desk.open_orders_all() > 0 => None,
            Habit::OfferDear => {
                Some(RequestKind::Limit { side: Side::Sell, price: ask + DEAR, quantity: 200, qualifiers: plain })
            }
            // Enough to sweep whatever lies before the dear offer.
            Habit::BuyDear if self.desk.position() < 4_000 => {
                Some(RequestKind::Limit { side: Side::Buy, price: ask + 2 * DEAR, quantity: 800, qualifiers: plain })
            }
            Habit::GiveResting | Habit::TakeGift => self.meet(),
            Habit::Quote if self.ticks.is_multiple_of(2) => Some(RequestKind::CancelAll),
            Habit::Quote => {
                let bid = self.desk.quote().bid?.price.cents();
                let (side, price) = if self.desk.position() > 0 { (Side::Sell, ask) } else { (Side::Buy, bid) };
                Some(RequestKind::Limit { side, price, quantity: 20, qualifiers: plain })
            }
            Habit::Nothing | Habit::Fail | Habit::BuyDear => None,
        }
    }

    /// In even rounds shares go to the taker just above the bid, in odd ones they come back just below the offer.
    fn meet(&mut self) -> Option<RequestKind> {
        let (bid, ask) = (self.desk.quote().bid?.price.cents(), self.desk.quote().ask?.price.cents());
        let (round, step) = (self.ticks / ROUND, self.ticks % ROUND);
        let goes = round.is_multiple_of(2);
        if step == 0 {
            self.has_room = ask - bid > 2;
        }
        let held = self.desk.position().unsigned_abs();
        let quantity = if goes { GIFT } else { held };
        if quantity == 0 || goes && held > 0 {
            return None;
        }
        let qualifiers = Qualifiers::default();
        match (self.habit, step) {
            (Habit::GiveResting, 0) if self.has_room => {
                let (side, price) = if goes { (Side::Sell, bid + 1) } else { (Side::Buy, ask - 1) };
                Some(RequestKind::Limit { side, price, quantity, qualifiers })
            }
            (Habit::TakeGift, 1) if self.has_room && ask - bid == 1 => {
                let side = if goes { Side::Buy } else { Side::Sell };
                Some(RequestKind::Market { side, quantity })
            }
            (Habit::GiveResting, 2) => Some(RequestKind::CancelAll),
            _ => None,
        }
    }
}

impl Trader for Player {
    fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }
    fn initialize(&mut self, _: &StrategyConfig) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        self.ticks += 1;
        if self.habit == Habit::Fail && self.ticks == 10 {
            return ControlFlow::Break(());
        }
        if let Some(kind) = self.act() {
            let _limit = self.desk.submit(kind);
        }
        ControlFlow::Continue(())
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_order_update(&mut self, _: &OrderUpdate) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

fn strategy(name: &str) -> StrategyRecord {
    StrategyRecord {
        file_name: name.to_owned(),
        source_hash: None,
        source: None,
        component_hash: String::new(),
        sdk_version: None,
        rustc_version: None,
    }
}

fn play(habits: &[(&str, Habit)], changes: &str, seeds: u64, threads: usize) -> ArenaRecord {
    let scenario = Scenario::parse(&format!("base = \"smoke\"\n{changes}")).unwrap();
    let seeds = Seeds::count(seeds).unwrap();
    let entrants: Vec<_> = habits
        .iter()
        .map(|&(name, habit)| Entrant {
            name: name.to_owned(),
            strategy: strategy(name),
            contender: Native(move |desk: Desk| Player { desk, habit, ticks: 0, has_room: false }),
        })
        .collect();
    let tool = ToolRecord { assay: "0".into(), wasmtime: "0".into() };
    let place = Arena { scenario: &scenario, seeds: &seeds, threads: NonZeroUsize::new(threads).unwrap() };
    arena(&place, &entrants, (tool, "assay arena".into()), &|_, _| (), &AtomicBool::new(false)).unwrap()
}

#[test]
fn threads_change_nothing_and_seats_rotate() {
    let habits = [("a", Habit::Take), ("b", Habit::Nothing), ("c", Habit::Take)];
    let record = play(&habits, "", 6, 1);
    assert_eq!(record, play(&habits, "", 6, 4));
    let seats: Vec<Vec<u64>> =
        record.games.iter().map(|game| game.players.iter().map(|player| player.seat).collect()).collect();
    assert_eq!(seats[..3], [vec![0, 1, 2], vec![1, 2, 0], vec![2, 0, 1]]);
    assert_eq!(seats[3], seats[0]);
    for entrant in &record.entrants {
        assert!(entrant.pnl_by_seat_cents.iter().all(Option::is_some), "{entrant:?}");
    }
    let idle = &record.entrants[1];
    assert_eq!((idle.pnl_mean_cents, idle.failed), (Some(0.0), 0));
    // Who pays spreads is rated below who does nothing.
    assert!(idle.rating.unwrap().rating > record.entrants[0].rating.unwrap().rating);
}

#[test]
fn a_player_that_fails_is_stated_and_the_others_play_on() {
    let record = play(&[("good", Habit::Take), ("bad", Habit::Fail)], "", 4, 2);
    assert!(record.complete && record.unscored.is_empty());
    let [good, bad] = &record.entrants[..] else { panic!("two entrants") };
    assert_eq!((good.failed, bad.failed), (0, 4));
    for game in &record.games {
        assert_eq!(game.players[0].outcome, Outcome::Finished);
        assert!(game.players[0].shares > Some(50.0), "it played on: {:?}", game.players[0]);
        assert!(game.players[1].stopped.is_some());
    }
}

/// Failing early loses little: the rating says so, the rank does not follow it.
#[test]
fn who_fails_in_every_game_is_ranked_last() {
    for (habits, rank) in [
        ([("bad", Habit::Fail), ("good", Habit::Take), ("idle", Habit::Nothing)], 3),
        ([("bad", Habit::Fail), ("worse", Habit::Fail), ("good", Habit::Take)], 2),
        ([("a", Habit::Fail), ("b", Habit::Fail), ("c", Habit::Fail)], 1),
    ] {
        let record = play(&habits, "", 6, 2);
        let listed = record.listed();
        assert!(listed.is_sorted_by_key(|entrant| entrant.failed > 0), "{listed:#?}");
        for entrant in listed {
            let (failed, words) = (entrant.failed > 0, entrant.rating_words().unwrap());
            assert_eq!(
                (failed && entrant.rating.unwrap().rank != rank, words.ends_with('*')),
                (false, failed),
                "{words}"
            );
            assert_eq!(entrant.failed_words(record.games.len()), if failed { "6 of 6" } else { "0" });
        }
    }
}

/// Two seats feed a third: they sweep the book up to its dear offers.
#[test]
fn who_is_fed_shows_up() {
    let habits = [("fed", Habit::OfferDear), ("feeder", Habit::BuyDear), ("taker", Habit::Take)];
    let record = play(&habits, "", 12, 2);
    let fed: Vec<(&str, &str)> =
        record.flows.iter().filter(|flow| flow.feeds).map(|flow| (flow.from.as_str(), flow.to.as_str())).collect();
    assert_eq!(fed, [("feeder", "fed")], "{:#?}", record.flows);
}

/// A feeder need not take: it can rest where the other gains by taking. The mid is then that of the market without either of them.
#[test]
fn who_is_fed_by_orders_that_rest_shows_up() {
    let often = "[strategy]\ntick_interval = \"100ms\"";
    let habits = [("feeder", Habit::GiveResting), ("fed", Habit::TakeGift), ("idle", Habit::Nothing)];
    let record = play(&habits, often, 12, 2);
    let fed: Vec<&FlowRecord> = record.flows.iter().filter(|flow| flow.feeds).collect();
    let [flow] = fed[..] else { panic!("{:#?}", record.flows) };
    assert_eq!((flow.from.as_str(), flow.to.as_str()), ("feeder", "fed"));
    assert!(flow.taking_cents.abs() < flow.paid_cents / 2.0, "it pays as the maker: {flow:?}");
    assert!(flow.excess_cents > 0.0 && flow.shares > 50.0, "{flow:?}");
}

/// Makers and takers that trade with whoever comes are not named, whatever they win or lose by it.
#[test]
fn honest_seats_are_not_named() {
    for habits in [
        [("a", Habit::Take), ("b", Habit::Take), ("c", Habit::Take)],
        [("a", Habit::Take), ("b", Habit::Quote), ("c", Habit::Quote)],
        [("a", Habit::Quote), ("b", Habit::Take), ("c", Habit::Nothing)],
    ] {
        let record = play(&habits, "", 12, 2);
        assert!(!record.flows.iter().any(|flow| flow.feeds), "{:#?}", record.flows);
        assert!(!record.pairs.iter().any(|pair| pair.linked), "{:#?}", record.pairs);
    }
}

/// A strategy in a market of its own does the same whether a second seat is there and does nothing.
#[test]
fn a_seat_that_does_nothing_changes_nobody() {
    let alone = play(&[("a", Habit::Take), ("b", Habit::Nothing)], "", 2, 1);
    let more = play(&[("a", Habit::Take), ("b", Habit::Nothing), ("c", Habit::Nothing)], "", 2, 1);
    assert_eq!(alone.games[0].players[0].pnl_cents, more.games[0].players[0].pnl_cents);
    assert_eq!(alone.games[0].players[0].shares, more.games[0].players[0].shares);
}
