//! How fast the book is: a random stream of orders against the book, the exchange around it, and a bare array ladder as the floor.
//!
//! The stream: 10,000 limit orders to fill the book, then a million operations, of which half are limit orders, 40 % cancel a live
//! order and 10 % are market orders. Limit prices lie 1 + Exp(mean 12) ticks from a mid that walks one tick every 50 operations or so.
//! All three must end with the same volume, touch and number of live orders, or the figures would mean nothing.
//!
//! Rates are operations per CPU second of one thread, building the empty book included. `cargo bench -p assay-market --bench book [-- --json]`

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads its arguments and prints what it found"
)]

use assay_market::book::{Book, Fill, Handle, Resting, Taken};
use assay_market::{AgentIndex, Event, EventKind, EventSink, Exchange};
use assay_model::{Price, Qualifiers, Request, RequestId, RequestKind, Seed, Side, Stream, Time, UpdateKind};
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;

const WARM_UP: usize = 10_000;
const OPERATIONS: usize = 1_000_000;
/// The three are timed in turn, so that a busy spell of the machine hits them alike; the median of these rounds is reported.
const ROUNDS: usize = 15;
/// Prices stay far below this: the mid walks about 150 ticks.
const TICKS: usize = 200_000;

#[derive(Clone, Copy)]
enum Operation {
    /// The order's id is the operation's index in the stream.
    Limit {
        side: Side,
        price: u32,
        quantity: u32,
    },
    Market {
        side: Side,
        quantity: u32,
    },
    Cancel {
        order: u32,
        side: Side,
    },
}

/// What must come out the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct End {
    volume: u64,
    live: usize,
    touch: (Option<u32>, Option<u32>),
}

fn main() {
    let operations = generate();
    let end = run_floor(&operations);
    assert_eq!(run_book(&operations), end, "the book and the ladder disagree");
    assert_eq!(run_exchange(&operations), end, "the exchange and the ladder disagree");
    let runs: [fn(&[Operation]) -> End; 3] = [run_floor, run_book, run_exchange];
    let mut rates = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        for (run, rates) in runs.iter().zip(&mut rates) {
            let start = cpu_seconds();
            black_box(run(black_box(&operations)));
            rates.push(operations.len() as f64 / (cpu_seconds() - start) / 1e6);
        }
    }
    let [floor, book, exchange] = rates.map(median);
    for (id, rate) in [("book-mops", book), ("exchange-mops", exchange)] {
        let ratio = rate / floor;
        if std::env::args().any(|argument| argument == "--json") {
            println!(
                r#"{{"id":"{id}","median":{rate:.2},"unit":"Mops/s","versus":"array ladder","versus_median":{floor:.2},"ratio":{ratio:.3}}}"#
            );
        } else {
            println!("{id:<14} {rate:6.2} Mops per CPU second   array ladder {floor:6.2}   ratio {ratio:.2}");
        }
    }
}

/// CPU time of this thread: what else the machine does counts for less.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

/// The stream of operations; the floor itself plays along, to know which orders are live.
fn generate() -> Vec<Operation> {
    let mut random = Stream::new(Seed(1), "bench", "book");
    let mut floor = Floor::new(WARM_UP + OPERATIONS);
    let mut live = Vec::new();
    let mut mid = 100_000;
    let mut operations = Vec::with_capacity(WARM_UP + OPERATIONS);
    while operations.len() < WARM_UP + OPERATIONS {
        if random.below(50) == 0 {
            mid += if random.coin() { 1 } else { -1 };
        }
        let choice = if operations.len() < WARM_UP { 0 } else { random.below(10) };
        let side = if random.coin() { Side::Buy } else { Side::Sell };
        let operation = match choice {
            0..5 => {
                let distance = 1 + random.exponential(12.0) as i64;
                let quantity = 1 + random.below(100) as u32;
                live.push(operations.len() as u32);
                Operation::Limit { side, price: (mid - side.sign() * distance) as u32, quantity }
            }
            5..9 => {
                let Some(order) = draw_live(&mut live, &floor, &mut random) else { continue };
                Operation::Cancel { order, side: floor.orders[order as usize].side }
            }
            _ => Operation::Market { side, quantity: 1 + random.below(50) as u32 },
        };
        floor.apply(operations.len() as u32, operation);
        operations.push(operation);
    }
    operations
}

/// Draws orders until one is still live.
fn draw_live(live: &mut Vec<u32>, floor: &Floor, random: &mut Stream) -> Option<u32> {
    while !live.is_empty() {
        let order = live.swap_remove(random.below(live.len() as u64) as usize);
        if floor.orders[order as usize].quantity > 0 {
            return Some(order);
        }
    }
    None
}

fn run_floor(operations: &[Operation]) -> End {
    let mut floor = Floor::new(operations.len());
    for (id, operation) in (0..).zip(operations) {
        floor.apply(id, *operation);
    }
    let live = floor.orders.iter().filter(|order| order.quantity > 0).count();
    let touch = (Some(floor.best[0] as u32).filter(|bid| *bid > 0), Some(floor.best[1] as u32));
    End { volume: floor.volume, live, touch }
}

/// Buyers and sellers are two agents, so nobody trades with himself.
fn agent(side: Side) -> AgentIndex {
    AgentIndex(side as u32)
}

fn run_book(operations: &[Operation]) -> End {
    let mut book = Book::new();
    let mut handles: Vec<Option<Handle>> = vec![None; operations.len()];
    let (mut volume, mut live) = (0, 0);
    for (id, operation) in operations.iter().enumerate() {
        let mut on_fill = |fill: Fill| {
            volume += u64::from(fill.quantity);
            live -= usize::from(fill.remaining == 0);
        };
        match *operation {
            Operation::Limit { side, price, quantity } => {
                let price = Price::clamped(i64::from(price));
                let agent = agent(side);
                if let Taken::Remaining(quantity) = book.take(side, Some(price), quantity, agent, &mut on_fill) {
                    let (id, qualifiers) = (RequestId(id as u64), Qualifiers::default());
                    let order = Resting { agent, id, side, price, quantity, qualifiers };
                    handles[id.0 as usize] = Some(book.rest(order));
                    live += 1;
                }
            }
            Operation::Market { side, quantity } => {
                black_box(book.take(side, None, quantity, agent(side), &mut on_fill));
            }
            Operation::Cancel { order, .. } => {
                let removed = handles[order as usize].and_then(|handle| book.remove(handle));
                live -= usize::from(removed.is_some());
            }
        }
    }
    let touch = [Side::Buy, Side::Sell].map(|side| book.top(side).map(|level| level.price.ticks()));
    End { volume, live, touch: (touch[0], touch[1]) }
}

/// Counts orders in and out and drops everything else.
#[derive(Default)]
struct Counter {
    live: usize,
}

impl EventSink for Counter {
    fn event(&mut self, event: &Event) {
        if let EventKind::Update { update, .. } = event.kind {
            match update.kind {
                UpdateKind::Accepted => self.live += 1,
                UpdateKind::Fill { .. } | UpdateKind::Cancelled { .. } if update.remaining == 0 => self.live -= 1,
                _ => {}
            }
        }
    }
}

fn run_exchange(operations: &[Operation]) -> End {
    let mut exchange = Exchange::new(2);
    let mut counter = Counter::default();
    exchange.open(Time(0), &mut counter);
    for (id, operation) in (0..).zip(operations) {
        let (side, kind) = match *operation {
            Operation::Limit { side, price, quantity } => {
                let (price, quantity, qualifiers) = (i64::from(price), u64::from(quantity), Qualifiers::default());
                (side, RequestKind::Limit { side, price, quantity, qualifiers })
            }
            Operation::Market { side, quantity } => (side, RequestKind::Market { side, quantity: u64::from(quantity) }),
            Operation::Cancel { order, side } => (side, RequestKind::Cancel { order: RequestId(u64::from(order)) }),
        };
        exchange.handle(Time(id), agent(side), &Request { id: RequestId(id), kind }, &mut counter);
    }
    let quote = exchange.quote();
    let touch = [quote.bid, quote.ask].map(|level| level.map(|level| level.price.ticks()));
    End { volume: quote.volume, live: counter.live, touch: (touch[0], touch[1]) }
}

const NIL: u32 = u32::MAX;

/// The least that can be called a price-time book: one array of queues a side, indexed by price, no owners, no answers, no bounds on
/// memory.
struct Floor {
    orders: Vec<FloorOrder>,
    /// First and last order by side and price.
    queues: [Vec<[u32; 2]>; 2],
    best: [usize; 2],
    volume: u64,
}

#[derive(Clone, Copy)]
struct FloorOrder {
    price: u32,
    quantity: u32,
    previous: u32,
    next: u32,
    side: Side,
}

impl Floor {
    fn new(orders: usize) -> Self {
        let order = FloorOrder { price: 0, quantity: 0, previous: NIL, next: NIL, side: Side::Buy };
        let queues = || vec![[NIL; 2]; TICKS];
        Self { orders: vec![order; orders], queues: [queues(), queues()], best: [0, TICKS - 1], volume: 0 }
    }

    fn apply(&mut self, id: u32, operation: Operation) {
        match operation {
            Operation::Limit { side, price, quantity } => self.limit(id, side, price, quantity),
            Operation::Market { side: Side::Buy, quantity } => {
                black_box(self.take(Side::Buy, TICKS as u32, quantity));
            }
            Operation::Market { side: Side::Sell, quantity } => {
                black_box(self.take(Side::Sell, 0, quantity));
            }
            Operation::Cancel { order, .. } => self.unlink(order),
        }
    }

    fn limit(&mut self, id: u32, side: Side, price: u32, quantity: u32) {
        let quantity = self.take(side, price, quantity);
        if quantity == 0 {
            return;
        }
        let [first, last] = &mut self.queues[side as usize][price as usize];
        let previous = std::mem::replace(last, id);
        if previous == NIL {
            *first = id;
        } else {
            self.orders[previous as usize].next = id;
        }
        self.orders[id as usize] = FloorOrder { price, quantity, previous, next: NIL, side };
        match side {
            Side::Buy => self.best[0] = self.best[0].max(price as usize),
            Side::Sell => self.best[1] = self.best[1].min(price as usize),
        }
    }

    fn take(&mut self, side: Side, limit: u32, mut wanted: u32) -> u32 {
        let other = side.opposite() as usize;
        while wanted > 0 {
            let best = self.best[other];
            let beyond = match side {
                Side::Buy => best as u32 > limit,
                Side::Sell => (best as u32) < limit,
            };
            let [first, _] = self.queues[other][best];
            if beyond || first == NIL {
                break;
            }
            let order = &mut self.orders[first as usize];
            let traded = wanted.min(order.quantity);
            order.quantity -= traded;
            wanted -= traded;
            self.volume += u64::from(traded);
            if order.quantity == 0 {
                self.unlink(first);
            }
        }
        wanted
    }

    fn unlink(&mut self, id: u32) {
        let FloorOrder { price, previous, next, side, .. } = self.orders[id as usize];
        self.orders[id as usize].quantity = 0;
        if previous != NIL {
            self.orders[previous as usize].next = next;
        }
        if next != NIL {
            self.orders[next as usize].previous = previous;
        }
        let queues = &mut self.queues[side as usize];
        let [first, last] = &mut queues[price as usize];
        if *first == id {
            *first = next;
        }
        if *last == id {
            *last = previous;
        }
        let best = &mut self.best[side as usize];
        match side {
            Side::Buy => {
                while *best > 0 && queues[*best][0] == NIL {
                    *best -= 1;
                }
            }
            Side::Sell => {
                while *best < TICKS - 1 && queues[*best][0] == NIL {
                    *best += 1;
                }
            }
        }
    }
}
