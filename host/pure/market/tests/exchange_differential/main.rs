//! The exchange against a naive one, event for event: random streams of millions of steps, and all short streams there are.
//!
//! A failure prints the seed, what differs, and the stream made as small as it gets. To run one stream again, call `check`
//! (or `check_under`) with it.

mod audit;
mod naive;
mod rules;
mod stream;

use assay_market::{Event, EventKind, EventSink, Exchange, LevelChange};
use assay_model::{Level, Price, Reason, Side, Time, UpdateKind};
use audit::Audit;
use naive::Naive;
use rules::Rules;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use stream::{Shape, Step};

/// Ordinary trading: a few agents, a narrow book.
const BUSY: Shape = Shape { name: "busy", agents: 4, steps: 1_000, width: 6, jumps: (20, 2), far: 0, rare: 0 };
/// Many ties, many self-trades.
const TIGHT: Shape = Shape { name: "tight", agents: 2, steps: 300, width: 1, jumps: (0, 0), far: 0, rare: 0 };
/// The touch jumps beyond the ladder's window and back, and orders rest at any price: the window moves and the overflow map works.
const WILD: Shape = Shape { name: "wild", agents: 8, steps: 30_000, width: 40, jumps: (1, 30_000), far: 400, rare: 3 };
/// A slow drift over many windows.
const DRIFT: Shape = Shape { name: "drift", agents: 6, steps: 30_000, width: 30, jumps: (500, 60), far: 100, rare: 3 };
/// Every order feature and every rule of a venue, all the time.
const RICH: Shape = Shape { name: "rich", agents: 4, steps: 1_000, width: 6, jumps: (20, 2), far: 0, rare: 60 };
/// The same with many ties and many self-trades.
const RICH_TIGHT: Shape =
    Shape { name: "rich-tight", agents: 2, steps: 300, width: 2, jumps: (0, 0), far: 0, rare: 60 };

const BUSY_SEEDS: u64 = 1_000;
const TIGHT_SEEDS: u64 = 2_000;
const WILD_SEEDS: u64 = 60;
const DRIFT_SEEDS: u64 = 60;
const RICH_SEEDS: u64 = 6_000;
const RICH_TIGHT_SEEDS: u64 = 14_000;

/// With every order feature on.
const RICH_STEPS: u64 = RICH_SEEDS * RICH.steps as u64 + RICH_TIGHT_SEEDS * RICH_TIGHT.steps as u64;
const _: () = assert!(RICH_STEPS >= 10_000_000, "fewer steps than were promised");

#[test]
fn busy_streams_agree() {
    check_seeds(&BUSY, 0..BUSY_SEEDS);
}

#[test]
fn tight_streams_agree() {
    check_seeds(&TIGHT, 0..TIGHT_SEEDS);
}

#[test]
fn wild_streams_agree() {
    check_seeds(&WILD, 0..WILD_SEEDS);
}

#[test]
fn drifting_streams_agree() {
    check_seeds(&DRIFT, 0..DRIFT_SEEDS);
}

#[test]
fn rich_streams_agree() {
    check_seeds(&RICH, 0..RICH_SEEDS);
}

#[test]
fn rich_and_tight_streams_agree() {
    check_seeds(&RICH_TIGHT, 0..RICH_TIGHT_SEEDS);
}

#[test]
fn all_short_streams_agree() {
    for length in 1..=4 {
        stream::exhaustive(&stream::alphabet(), length, |steps| check("exhaustive", 2, steps));
    }
}

#[test]
fn all_short_streams_of_rare_orders_agree() {
    let letters = stream::rare_alphabet();
    for rules in Rules::of_short_streams() {
        for length in 1..=3 {
            stream::exhaustive(&letters, length, |steps| check_under("exhaustive and rare", 2, steps, &rules));
        }
    }
}

/// What is said to some streams of each shape; more of those with rare orders, for some rules are seldom reached.
fn every_kind_of_stream() -> Recorder {
    let mut seen = Recorder::default();
    for (shape, seed) in [BUSY, TIGHT, WILD, DRIFT, RICH, RICH_TIGHT]
        .iter()
        .flat_map(|shape| (0..if shape.rare < 50 { 12_u64 } else { 400 }).map(move |seed| (shape, seed)))
    {
        let steps = stream::random(shape, seed);
        let mut exchange = Exchange::new(shape.agents);
        if seed % 2 == 0 {
            exchange = Rules::of(shape, seed, &steps).on(exchange);
        }
        for (step, at) in steps.iter().zip(0..) {
            take(&mut exchange, Time(at), step, &mut seen);
        }
    }
    seen
}

/// A stream that never asks for something proves nothing about it.
#[test]
fn streams_reach_every_answer() {
    let seen = every_kind_of_stream();
    let updates = seen.events.iter().filter_map(|event| match event.kind {
        EventKind::Update { update, .. } => Some(update.kind),
        _ => None,
    });
    let (mut rejected, mut cancelled, mut others) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for kind in updates {
        match kind {
            UpdateKind::Rejected { reason } => rejected.insert(reason),
            UpdateKind::Cancelled { reason } => cancelled.insert(reason),
            UpdateKind::Accepted => others.insert("accepted"),
            UpdateKind::Fill { .. } => others.insert("fill"),
            UpdateKind::CancelledAll { .. } => others.insert("cancelled all"),
            UpdateKind::Modified { .. } => others.insert("modified"),
            UpdateKind::Reduced { .. } => others.insert("reduced"),
            UpdateKind::Triggered => others.insert("triggered"),
        };
    }
    use Reason::{
        BuyingPower, CannotFill, Expired, InAuction, InvalidPrice, InvalidQuantity, InvalidTerms, LossLimit,
        MarketClosed, MarketNotOpen, NoAuction, NoLiquidity, OrderWaits, OutsideBand, PositionLimit, Replaced,
        Requested, Ruined, SelfTrade, TraderStopped, UnknownOrder, WouldTrade,
    };
    // Too many open orders takes ten thousand of them; the protocol tests have it.
    let refusals = [
        MarketClosed,
        TraderStopped,
        WouldTrade,
        InvalidPrice,
        InvalidQuantity,
        UnknownOrder,
        MarketNotOpen,
        OutsideBand,
        PositionLimit,
        CannotFill,
        Expired,
        InvalidTerms,
        NoAuction,
        OrderWaits,
        InAuction,
        LossLimit,
        BuyingPower,
        Ruined,
    ];
    assert_eq!(rejected, BTreeSet::from(refusals));
    let endings = [
        Requested,
        NoLiquidity,
        Replaced,
        MarketClosed,
        TraderStopped,
        SelfTrade,
        WouldTrade,
        OutsideBand,
        CannotFill,
        Expired,
        InAuction,
        LossLimit,
        BuyingPower,
        Ruined,
    ];
    assert_eq!(cancelled, BTreeSet::from(endings));
    assert_eq!(others.len(), 6, "{others:?}");
}

fn check_seeds(shape: &Shape, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let (name, steps) = (format!("{} {seed}", shape.name), stream::random(shape, seed));
        // Without rules orders stray further; with them, every fourth stream is enough.
        let rules = Rules::of(shape, seed, &steps);
        if shape.rare < 50 {
            check(&name, shape.agents, &steps);
        }
        if shape.rare >= 50 || seed % 4 == 0 {
            check_under(&format!("{name} under rules"), shape.agents, &steps, &rules);
        }
    }
}

/// Fails with the smallest stream found if the two exchanges differ on these steps.
fn check(name: &str, agents: u32, steps: &[Step]) {
    check_under(name, agents, steps, &Rules::default());
}

fn check_under(name: &str, agents: u32, steps: &[Step], rules: &Rules) {
    let outcome = catch_unwind(|| differ(agents, steps, rules)).unwrap_or(Some(Difference::panic(steps)));
    let Some(difference) = outcome else { return };
    let (steps, difference) = shrink(agents, steps[..=difference.step].to_vec(), rules, difference);
    let listing: String = steps.iter().map(|step| format!("  {step:?}\n")).collect();
    panic!("stream {name}: {}\n{} steps are enough under {rules:?}:\n{listing}", difference.what, steps.len());
}

/// Where and how two exchanges part.
struct Difference {
    step: usize,
    what: String,
}

impl Difference {
    fn panic(steps: &[Step]) -> Self {
        Self { step: steps.len() - 1, what: "one of the two panicked".to_owned() }
    }
}

#[derive(Default)]
struct Recorder {
    events: Vec<Event>,
    /// The visible book as it follows from the changes told.
    levels: [BTreeMap<Price, u64>; 2],
}

impl Recorder {
    /// Best first.
    fn depth(&self, side: Side) -> Vec<Level> {
        let levels = self.levels[side as usize].iter();
        let mut levels: Vec<Level> = levels.map(|(&price, &quantity)| Level { price, quantity }).collect();
        if side == Side::Buy {
            levels.reverse();
        }
        levels
    }
}

impl EventSink for Recorder {
    fn event(&mut self, event: &Event) {
        self.events.push(*event);
    }
    fn level(&mut self, change: &LevelChange) {
        let LevelChange { side, level: Level { price, quantity }, .. } = *change;
        let levels = &mut self.levels[side as usize];
        if quantity == 0 {
            levels.remove(&price)
        } else {
            levels.insert(price, quantity)
        };
    }
}

fn differ(agents: u32, steps: &[Step], rules: &Rules) -> Option<Difference> {
    let mut exchange = rules.on(Exchange::new(agents)).telling_depth();
    let (mut naive, mut audit) = (rules.naive(), Audit::default());
    audit.lenient = *rules != Rules::default();
    audit.self_trades = rules.lets_people_trade_with_themselves();
    let (mut seen, mut wanted) = (Recorder::default(), Vec::new());
    let mut is_closed = false;
    for (index, step) in steps.iter().enumerate() {
        let at = Time(index as u64);
        seen.events.clear();
        wanted.clear();
        take(&mut exchange, at, step, &mut seen);
        naive.step(at, step, agents, &mut wanted);
        let difference = |what| Some(Difference { step: index, what });
        if seen.events != wanted {
            return difference(format!("events\n  {:?}\ninstead of\n  {wanted:?}", seen.events));
        }
        is_closed |= *step == Step::Close;
        let mut audited = seen.events.iter().try_for_each(|event| audit.event(event));
        // These look at the whole book, so not every time; at the end always.
        if index % 61 == 0 || index + 1 == steps.len() {
            // What has been told stands as it was at the close.
            let told = [Side::Buy, Side::Sell].map(|side| seen.depth(side));
            let stands = is_closed || told == [naive.depth(Side::Buy), naive.depth(Side::Sell)];
            let tops = told.iter().map(|levels| levels.first().copied());
            if !stands || !tops.eq([naive.quote.bid, naive.quote.ask]) {
                return difference(format!("told levels {told:?} instead of the book's"));
            }
            if let Some(what) = depth_differs(&exchange, &naive) {
                return difference(what);
            }
            audited = audited.and_then(|()| audit.between_requests());
        }
        if *step == Step::Close {
            audited = audited.and_then(|()| audit.at_the_end());
        }
        if let Err(what) = audited {
            return difference(what);
        }
    }
    None
}

fn take(exchange: &mut Exchange, at: Time, step: &Step, out: &mut Recorder) {
    match step {
        Step::Open => exchange.open(at, out),
        Step::Close => exchange.close(at, out),
        Step::Stop(agent) => exchange.stop(at, *agent, out),
        Step::Request(agent, request) => exchange.handle(at, *agent, request, out),
    }
}

fn depth_differs(exchange: &Exchange, naive: &Naive) -> Option<String> {
    if *exchange.quote() != naive.quote {
        return Some(format!("quote {:?} instead of {:?}", exchange.quote(), naive.quote));
    }
    let totals = (naive.total(Side::Buy), naive.total(Side::Sell));
    if exchange.bid_ask_totals() != totals {
        return Some(format!("totals {:?} instead of {totals:?}", exchange.bid_ask_totals()));
    }
    let mut levels = Vec::new();
    for side in [Side::Buy, Side::Sell] {
        exchange.depth(side, usize::MAX, &mut levels);
        if levels != naive.depth(side) {
            return Some(format!("{side:?} levels {levels:?} instead of {:?}", naive.depth(side)));
        }
    }
    None
}

/// Attempts at a smaller stream. Where the window of the ladder must move first, streams stay long and each attempt is slow.
const SHRINKS_MAX: usize = 2_000;

/// Leaves out ever smaller pieces as long as the two still differ.
fn shrink(agents: u32, mut steps: Vec<Step>, rules: &Rules, mut difference: Difference) -> (Vec<Step>, Difference) {
    let (mut piece, mut tries) = (steps.len().div_ceil(2), 0);
    while piece > 0 {
        let mut start = 0;
        while start < steps.len() && tries < SHRINKS_MAX {
            tries += 1;
            let left_out = start..start + piece;
            let hours = |step: &Step| matches!(step, Step::Open | Step::Close);
            let kept = steps.iter().enumerate().filter(|(index, step)| hours(step) || !left_out.contains(index));
            let fewer: Vec<Step> = kept.map(|(_, step)| *step).collect();
            let outcome = catch_unwind(AssertUnwindSafe(|| differ(agents, &fewer, rules)));
            match outcome.unwrap_or_else(|_| Some(Difference::panic(&fewer))) {
                Some(found) if fewer.len() < steps.len() => {
                    steps = fewer;
                    steps.truncate(found.step + 1);
                    difference = found;
                }
                _ => start += piece,
            }
        }
        piece /= 2;
    }
    (steps, difference)
}
