//! The exchange against a naive one, event for event: random streams of millions of steps, and all short streams there are.
//!
//! A failure prints the seed, what differs, and the stream made as small as it gets. To run one stream again, call `check`
//! (or `check_limited`) with it.

mod audit;
mod naive;
mod stream;

use assay_market::{AgentIndex, Event, EventKind, EventSink, Exchange, PriceBand};
use assay_model::{Price, Reason, RequestKind, Side, Time, UpdateKind};
use audit::Audit;
use naive::Naive;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use stream::{Shape, Step};

/// Ordinary trading: a few agents, a narrow book.
const BUSY: Shape = Shape { name: "busy", agents: 4, steps: 1_000, width: 6, jumps: (20, 2), far: 0 };
/// Many ties, many self-trades.
const TIGHT: Shape = Shape { name: "tight", agents: 2, steps: 300, width: 1, jumps: (0, 0), far: 0 };
/// The touch jumps beyond the ladder's window and back, and orders rest at any price: the window moves and the overflow map works.
const WILD: Shape = Shape { name: "wild", agents: 8, steps: 30_000, width: 40, jumps: (1, 30_000), far: 400 };
/// A slow drift over many windows.
const DRIFT: Shape = Shape { name: "drift", agents: 6, steps: 30_000, width: 30, jumps: (500, 60), far: 100 };

const BUSY_SEEDS: u64 = 4_000;
const TIGHT_SEEDS: u64 = 10_000;
const WILD_SEEDS: u64 = 60;
const DRIFT_SEEDS: u64 = 60;

const STEPS: u64 = BUSY_SEEDS * BUSY.steps as u64
    + TIGHT_SEEDS * TIGHT.steps as u64
    + WILD_SEEDS * WILD.steps as u64
    + DRIFT_SEEDS * DRIFT.steps as u64;
const _: () = assert!(STEPS >= 10_000_000, "fewer steps than were promised");

#[test]
fn busy_streams_agree() {
    check_seeds(&BUSY, BUSY_SEEDS);
}

#[test]
fn tight_streams_agree() {
    check_seeds(&TIGHT, TIGHT_SEEDS);
}

#[test]
fn wild_streams_agree() {
    check_seeds(&WILD, WILD_SEEDS);
}

#[test]
fn drifting_streams_agree() {
    check_seeds(&DRIFT, DRIFT_SEEDS);
}

#[test]
fn all_short_streams_agree() {
    for length in 1..=4 {
        stream::exhaustive(length, |steps| check("exhaustive", 2, steps));
    }
}

/// A stream that never asks for something proves nothing about it.
#[test]
fn streams_reach_every_answer() {
    let mut seen = Recorder::default();
    for (shape, seed) in [BUSY, TIGHT, WILD, DRIFT].iter().flat_map(|shape| (0..6).map(move |seed| (shape, seed))) {
        let steps = stream::random(shape, seed);
        let mut exchange = Exchange::new(shape.agents);
        if let Some(limits) = Limits::of(&steps).filter(|_| seed % 2 == 0) {
            exchange = limits.on(exchange);
        }
        for step in steps {
            take(&mut exchange, Time(0), &step, &mut seen);
        }
    }
    let updates = seen.0.iter().filter_map(|event| match event.kind {
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
        };
    }
    use Reason::{
        InvalidPrice, InvalidQuantity, MarketClosed, MarketNotOpen, NoLiquidity, OutsideBand, PositionLimit, Replaced,
        Requested, SelfTrade, TraderStopped, UnknownOrder, WouldTrade,
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
    ];
    assert_eq!(rejected, BTreeSet::from(refusals));
    assert_eq!(cancelled, BTreeSet::from([Requested, NoLiquidity, Replaced, MarketClosed, TraderStopped, SelfTrade]));
    assert_eq!(others.len(), 5, "{others:?}");
}

fn check_seeds(shape: &Shape, seeds: u64) {
    for seed in 0..seeds {
        let (name, steps) = (format!("{} {seed}", shape.name), stream::random(shape, seed));
        // Without limits orders stray further; with them, every fourth stream is enough.
        check(&name, shape.agents, &steps);
        if seed % 4 == 0 {
            check_limited(&format!("{name} with limits"), shape.agents, &steps, Limits::of(&steps));
        }
    }
}

/// What an exchange may forbid beyond what it always does.
#[derive(Clone, Copy)]
struct Limits {
    band: PriceBand,
    /// Of the first agent, in shares.
    position: u32,
}

impl Limits {
    /// For a stream: around its first valid price, wide enough that much happens within and much without.
    fn of(steps: &[Step]) -> Option<Self> {
        let opening_reference = steps.iter().find_map(|step| match step {
            Step::Request(_, request) => match request.kind {
                RequestKind::Limit { price, .. } => Price::new(price),
                _ => None,
            },
            _ => None,
        })?;
        Some(Self { band: PriceBand { opening_reference, basis_points: 1_000 }, position: 25 })
    }

    fn on(self, exchange: Exchange) -> Exchange {
        exchange.with_band(self.band).with_position_limit(AgentIndex(0), self.position)
    }
}

/// Fails with the smallest stream found if the two exchanges differ on these steps.
fn check(name: &str, agents: u32, steps: &[Step]) {
    check_limited(name, agents, steps, None);
}

fn check_limited(name: &str, agents: u32, steps: &[Step], limits: Option<Limits>) {
    let outcome = catch_unwind(|| differ(agents, steps, limits)).unwrap_or(Some(Difference::panic(steps)));
    let Some(difference) = outcome else { return };
    let (steps, difference) = shrink(agents, steps[..=difference.step].to_vec(), limits, difference);
    let listing: String = steps.iter().map(|step| format!("  {step:?}\n")).collect();
    panic!("stream {name}: {}\n{} steps are enough:\n{listing}", difference.what, steps.len());
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
struct Recorder(Vec<Event>);

impl EventSink for Recorder {
    fn event(&mut self, event: &Event) {
        self.0.push(*event);
    }
}

fn differ(agents: u32, steps: &[Step], limits: Option<Limits>) -> Option<Difference> {
    let (mut exchange, mut naive, mut audit) = (Exchange::new(agents), Naive::default(), Audit::default());
    if let Some(limits) = limits {
        exchange = limits.on(exchange);
        let Limits { band, position } = limits;
        naive.band = Some((band.opening_reference.cents(), i64::from(band.basis_points)));
        naive.position_limit = Some((AgentIndex(0), i64::from(position)));
    }
    let (mut seen, mut wanted) = (Recorder::default(), Vec::new());
    for (index, step) in steps.iter().enumerate() {
        let at = Time(index as u64);
        seen.0.clear();
        wanted.clear();
        take(&mut exchange, at, step, &mut seen);
        naive.step(at, step, agents, &mut wanted);
        let difference = |what| Some(Difference { step: index, what });
        if seen.0 != wanted {
            return difference(format!("events\n  {:?}\ninstead of\n  {wanted:?}", seen.0));
        }
        let mut audited = seen.0.iter().try_for_each(|event| audit.event(event));
        // These look at the whole book, so not every time; at the end always.
        if index % 61 == 0 || index + 1 == steps.len() {
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
fn shrink(
    agents: u32,
    mut steps: Vec<Step>,
    limits: Option<Limits>,
    mut difference: Difference,
) -> (Vec<Step>, Difference) {
    let (mut piece, mut tries) = (steps.len().div_ceil(2), 0);
    while piece > 0 {
        let mut start = 0;
        while start < steps.len() && tries < SHRINKS_MAX {
            tries += 1;
            let left_out = start..start + piece;
            let hours = |step: &Step| matches!(step, Step::Open | Step::Close);
            let kept = steps.iter().enumerate().filter(|(index, step)| hours(step) || !left_out.contains(index));
            let fewer: Vec<Step> = kept.map(|(_, step)| *step).collect();
            let outcome = catch_unwind(AssertUnwindSafe(|| differ(agents, &fewer, limits)));
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
