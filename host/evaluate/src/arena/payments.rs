//! Who pays whom more than is usual, and which two meet too often to be strangers.
//!
//! A payment is compared with what the payer pays and the receiver gets in the same role in trades with the market, or with what liquidity costs here,
//! whichever is most. Trades with other seats do not show what is usual: they may be in league, too. Trades with the market count for as many
//! shares as they had, so that one dear share does not make a dear price the usual one; and a taker's trades at no cost do not offset dear ones.
//!
//! Money can also pass at fair prices, where one pushes the market and the other trades on it. Prices do not show that, but who meets whom does.

use super::flows::Flow;
use super::{Entrant, FlowRecord, Game, PairRecord, THE_MARKET, mean_of, profits, seat_of, together};

/// How many times as often as by chance, in odds, the loser of a pair trades with the winner before the two are named. Takers and market makers that trade with
/// whoever comes are at about 1, habits of the clock make it several times that, and pairs that trade by appointment come to hundreds.
const ODDS_MIN: f64 = 10.0;
/// The part of its shares that the loser trades with the winner at least.
const PART_MIN: f64 = 0.5;
/// Shares that the two have traded with each other at least: of fewer, no odds can be told.
const MET_MIN: f64 = 100.0;

/// What passed between the entrants in all games. Parties are the entrants, in their order, and behind them the market.
struct Ledger<'a> {
    games: &'a [Game],
    seats: usize,
}

impl Ledger<'_> {
    /// What `taker` took from `maker` in a game.
    fn taken(&self, game: usize, taker: usize, maker: usize) -> Flow {
        let seat = |party: usize| if party == self.seats { self.seats } else { seat_of(party, game, self.seats) };
        self.games[game].flows.taken(seat(taker), seat(maker))
    }

    /// The same in all games.
    fn taken_in_all(&self, taker: usize, maker: usize) -> Flow {
        (0..self.games.len()).fold(Flow::default(), |sum, game| sum + self.taken(game, taker, maker))
    }

    /// Shares that two have traded with each other in a game.
    fn shares(&self, game: usize, one: usize, other: usize) -> u64 {
        self.taken(game, one, other).shares + if one == other { 0 } else { self.taken(game, other, one).shares }
    }

    fn shares_in_all(&self, one: usize, other: usize) -> f64 {
        (0..self.games.len()).map(|game| self.shares(game, one, other)).sum::<u64>() as f64
    }

    /// Cents that `from` paid `to` in a game, in both roles.
    fn paid(&self, game: usize, from: usize, to: usize) -> f64 {
        let half_cents = self.taken(game, from, to).half_cents - self.taken(game, to, from).half_cents;
        half_cents as f64 / 2.0
    }

    /// Cents a share that `from` would usually pay `to` when it takes and when it makes.
    fn usual(&self, from: usize, to: usize) -> [f64; 2] {
        let market = self.seats;
        let all = |taker, maker| self.taken_in_all(taker, maker);
        let dear = |flow: Flow| (flow.dear_half_cents as f64 / 2.0, flow.dear_shares as f64);
        // A maker pays what its taker gets.
        let made = |flow: Flow| (-flow.half_cents as f64 / 2.0, flow.shares as f64);
        let (cents, shares) = dear(all(market, market));
        let liquidity = if shares > 0.0 { cents / shares } else { 0.0 };
        if from == market || to == market {
            return [liquidity, 0.0];
        }
        let (_, shares_taken) = dear(all(from, to));
        let (_, shares_made) = made(all(to, from));
        [
            usual(liquidity, [all(from, market), all(market, to)].map(dear), shares_taken),
            usual(0.0, [all(market, from), all(to, market)].map(made), shares_made),
        ]
    }

    /// Of what `from` paid `to` in a game, what goes beyond the usual.
    fn excess(&self, game: usize, from: usize, to: usize, [taking, making]: [f64; 2]) -> f64 {
        let (took, made) = (self.taken(game, from, to), self.taken(game, to, from));
        self.paid(game, from, to) - taking * took.dear_shares as f64 - making * made.shares as f64
    }

    /// The odds that the two trade with each other, as a multiple of what chance would make them: 1 for those who trade with whoever comes. Half a share is
    /// added to each count, so that there is always a figure (Haldane 1956).
    fn odds(&self, one: usize, other: usize) -> f64 {
        let (mut ours, mut theirs, mut nobodys) = (0.0, 0.0, 0.0);
        for party in (0..=self.seats).filter(|party| *party != one && *party != other) {
            ours += self.shares_in_all(one, party);
            theirs += self.shares_in_all(other, party);
            for third in (party..=self.seats).filter(|third| *third != one && *third != other) {
                nobodys += self.shares_in_all(party, third);
            }
        }
        (self.shares_in_all(one, other) + 0.5) * (nobodys + 0.5) / ((ours + 0.5) * (theirs + 0.5))
    }

    /// Whether `loser` and `winner` trade with each other too often, and too much, to be strangers.
    fn meet_too_often(&self, loser: usize, winner: usize) -> bool {
        self.shares_in_all(loser, winner) >= MET_MIN
            && self.odds(loser, winner) >= ODDS_MIN
            && self.part(loser, winner) >= PART_MIN
    }

    /// The part of its shares that `one` has traded with `other`.
    fn part(&self, one: usize, other: usize) -> f64 {
        let all: f64 = (0..=self.seats).filter(|party| *party != one).map(|party| self.shares_in_all(one, party)).sum();
        if all > 0.0 { self.shares_in_all(one, other) / all } else { 0.0 }
    }
}

/// The highest of a price and of those of trades elsewhere, each filled up at the first price to the shares that it is to explain.
fn usual(base: f64, elsewhere: [(f64, f64); 2], shares_to_explain: f64) -> f64 {
    elsewhere.into_iter().fold(base, |most, (cents, shares)| {
        let all = shares.max(shares_to_explain);
        if all > 0.0 { most.max((cents + base * (all - shares)) / all) } else { most }
    })
}

fn mean(values: &[f64]) -> f64 {
    mean_of(values).map_or(0.0, |estimate| estimate.mean)
}

/// Every two entrants, and whether they look as if they were in league.
pub(super) fn pairs<C>(entrants: &[Entrant<C>], games: &[Game]) -> Vec<PairRecord> {
    let ledger = Ledger { games, seats: entrants.len() };
    let count = entrants.len() * entrants.len().saturating_sub(1) / 2;
    let mut pairs = Vec::with_capacity(count);
    for one in 0..entrants.len() {
        for other in one + 1..entrants.len() {
            let (ours, theirs) = (profits(games, one), profits(games, other));
            let in_order = mean(&ours) >= mean(&theirs);
            let (better, worse) = if in_order { (one, other) } else { (other, one) };
            let (high, low) = if in_order { (&ours, &theirs) } else { (&theirs, &ours) };
            let differences: Vec<f64> = high.iter().zip(low).map(|(high, low)| high - low).collect();
            // Each pair looks at two intervals.
            let wins = together(high, 2 * count).is_some_and(|interval| interval.low > 0.0);
            let loses = together(low, 2 * count).is_some_and(|interval| interval.high < 0.0);
            let odds = (ledger.shares_in_all(better, worse) > 0.0).then(|| ledger.odds(better, worse));
            pairs.push(PairRecord {
                better: entrants[better].name.clone(),
                worse: entrants[worse].name.clone(),
                difference_cents: mean(&differences),
                interval: together(&differences, count),
                meeting_odds: odds,
                linked: wins && loses && ledger.meet_too_often(worse, better),
            });
        }
    }
    pairs
}

/// What passed between each two parties, and whether it is more than is usual.
pub(super) fn who_pays_whom<C>(entrants: &[Entrant<C>], games: &[Game]) -> Vec<FlowRecord> {
    let seats = entrants.len();
    let ledger = Ledger { games, seats };
    let name = |party: usize| entrants.get(party).map_or(THE_MARKET, |entrant| &entrant.name).to_owned();
    let each = |value: &dyn Fn(usize) -> f64| (0..games.len()).map(value).collect::<Vec<f64>>();
    let mut flows = Vec::new();
    for one in 0..seats {
        for other in one + 1..=seats {
            if ledger.shares_in_all(one, other) == 0.0 {
                continue;
            }
            let received: f64 = each(&|game| ledger.paid(game, other, one)).iter().sum();
            let (to, from) = if received >= 0.0 { (one, other) } else { (other, one) };
            let rates = ledger.usual(from, to);
            let excess = each(&|game| ledger.excess(game, from, to, rates));
            let interval = together(&excess, seats * (seats + 1) / 2);
            flows.push(FlowRecord {
                to: name(to),
                from: name(from),
                shares: mean(&each(&|game| ledger.shares(game, from, to) as f64)),
                paid_cents: mean(&each(&|game| ledger.paid(game, from, to))),
                taking_cents: mean(&each(&|game| ledger.taken(game, from, to).half_cents as f64 / 2.0)),
                excess_cents: mean(&excess),
                // Among entrants only: the market is not in league with anybody.
                feeds: from != seats && to != seats && interval.is_some_and(|interval| interval.low > 0.0),
                interval,
            });
        }
    }
    flows
}

#[cfg(test)]
mod tests {
    use super::{Ledger, usual};
    use crate::arena::{Flows, Game, GameRecord};
    use assay_market::{AgentIndex, Event, EventKind, EventSink};
    use assay_model::{OrderId, Price, Side, SymbolIndex, Time};

    /// A game of two seats: shares between them, between each and the market, and of the market with itself.
    fn game([pair, first, second, market]: [u32; 4]) -> Game {
        let mut flows = Flows::new(AgentIndex(10), 2, 1);
        for (maker, taker, quantity) in [(10, 11, pair), (1, 10, first), (11, 1, second), (1, 2, market)] {
            let [maker, taker] = [maker, taker].map(|agent| (AgentIndex(agent), OrderId::default()));
            let price = Price::new(100).expect("a price");
            let kind = EventKind::Trade { price, quantity, taker_side: Side::Buy, maker, taker };
            flows.event(&Event { at: Time(1), symbol: SymbolIndex::FIRST, kind });
        }
        let record = GameRecord { seed: 1, players: Vec::new(), event_log_hash: String::new() };
        Game { record, flows }
    }

    #[test]
    fn pairs_by_appointment_meet_too_often_and_strangers_do_not() {
        for (what, shares, expected) in [
            ("the loser trades with nobody else", [624_000, 3_000, 430_000, 900_000], true),
            ("both trade elsewhere, too", [291_000, 95_000, 174_000, 900_000], true),
            ("a feeder and its fed", [188_000, 100, 180, 14_000], true),
            ("a taker and the maker that everybody meets", [6_000, 4_000, 60_000, 40_000], false),
            ("a taker and one maker of many", [500, 9_500, 4_000, 90_000], false),
            ("two that rarely trade, once with each other", [1, 1, 1, 50], false),
            ("two that never do", [0, 1_000, 1_000, 90_000], false),
        ] {
            let ledger = Ledger { games: &[game(shares)], seats: 2 };
            let (odds, part) = (ledger.odds(0, 1), ledger.part(0, 1));
            assert_eq!(ledger.meet_too_often(0, 1), expected, "{what}: odds {odds}, part {part}");
        }
    }

    #[test]
    fn a_few_dear_shares_elsewhere_do_not_make_a_dear_price_usual() {
        // Price here; cents and shares elsewhere, twice; shares to explain; the usual price.
        for (base, elsewhere, shares, expected) in [
            (2.0, [(0.0, 0.0), (0.0, 0.0)], 100.0, 2.0),
            (2.0, [(0.0, 0.0), (0.0, 0.0)], 0.0, 2.0),
            // One share for ten dollars hides ten dollars, and not a hundred times that.
            (2.0, [(1_000.0, 1.0), (0.0, 0.0)], 100.0, 11.98),
            (2.0, [(500.0, 100.0), (0.0, 0.0)], 100.0, 5.0),
            (2.0, [(100.0, 100.0), (6_000.0, 1_000.0)], 100.0, 6.0),
            (0.0, [(-500.0, 100.0), (-1.0, 1.0)], 100.0, 0.0),
        ] {
            assert!((usual(base, elsewhere, shares) - expected).abs() < 1e-9, "{base} {elsewhere:?} {shares}");
        }
    }
}
