//! A market that writes LOBSTER files about itself: orders in a list, everything found by looking at all of them.
//!
//! As in the real ones, the files begin when the book is there already, show the best levels only, and have a row only for what happens at a level
//! that is shown. Prices are cents in here and ten-thousandths of a dollar in the files.

use std::fmt::Write as _;

/// The state of a `SplitMix64` generator (Steele, Lea & Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Less than `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

#[derive(Clone, Copy)]
struct Order {
    id: u64,
    /// 1 to buy, -1 to sell.
    side: i64,
    price: i64,
    size: u64,
}

/// What the market is like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub seed: u64,
    pub rows: usize,
    /// Levels shown a side.
    pub levels: usize,
    /// Orders that are there before the first row.
    pub before: usize,
    /// Mean nanoseconds from one row to the next.
    pub pace: u64,
    /// One execution in this many is out of turn, behind others at a price or at a worse one; none if 0.
    pub out_of_turn: u64,
    /// A halt somewhere in the middle.
    pub halts: bool,
    /// A seventh column, as in newer files.
    pub newer: bool,
}

impl Shape {
    /// Of the files in `examples/replay`: some five minutes, three levels.
    pub(crate) const EXAMPLE: Self = Self {
        seed: 4,
        rows: 600,
        levels: 3,
        before: 40,
        pace: 350_000_000,
        out_of_turn: 0,
        halts: false,
        newer: true,
    };
}

/// A file pair.
pub(crate) struct Files {
    pub messages: String,
    pub orderbook: String,
}

struct Market {
    shape: Shape,
    random: Random,
    orders: Vec<Order>,
    next_id: u64,
    now: u64,
    files: Files,
    rows: usize,
    has_halted: bool,
}

/// The files of a market of this shape.
pub(crate) fn generate(shape: Shape) -> Files {
    let mut market = Market {
        shape,
        random: Random(shape.seed),
        orders: Vec::new(),
        next_id: 1_000,
        now: 34_200_000_000_000,
        files: Files { messages: String::new(), orderbook: String::new() },
        rows: 0,
        has_halted: !shape.halts,
    };
    for number in 0..shape.before {
        let side = if number % 2 == 0 { 1 } else { -1 };
        let price = 10_000 - side * (2 + market.random.below(30) as i64);
        market.enter(side, price);
    }
    while market.rows < shape.rows {
        market.now += 1 + market.random.below(2 * shape.pace);
        if !market.has_halted && market.rows >= shape.rows / 2 {
            market.halt();
        }
        market.step();
    }
    market.files
}

impl Market {
    fn enter(&mut self, side: i64, price: i64) -> Order {
        self.next_id += 1 + self.random.below(3);
        let order = Order { id: self.next_id, side, price, size: 1 + self.random.below(300) };
        self.orders.push(order);
        order
    }

    /// Price and size of each level of a side, best first.
    fn levels(&self, side: i64) -> Vec<(i64, u64)> {
        let mut prices: Vec<i64> =
            self.orders.iter().filter(|order| order.side == side).map(|order| order.price).collect();
        prices.sort_by_key(|price| -side * price);
        prices.dedup();
        let size = |price| {
            let at_price = self.orders.iter().filter(|order| order.side == side && order.price == price);
            at_price.map(|order| order.size).sum()
        };
        prices.into_iter().map(|price| (price, size(price))).collect()
    }

    fn best(&self, side: i64) -> Option<i64> {
        self.levels(side).first().map(|(price, _)| *price)
    }

    fn is_shown(&self, side: i64, price: i64) -> bool {
        self.levels(side).iter().take(self.shape.levels).any(|(shown, _)| *shown == price)
    }

    fn row(&mut self, kind: u32, order: Order, size: u64, price: i64) {
        let Order { id, side, .. } = order;
        let seventh = if self.shape.newer { ",null" } else { "" };
        let (seconds, nanos) = (self.now / 1_000_000_000, self.now % 1_000_000_000);
        let decimals = format!("{nanos:09}");
        // Files drop zeros at the end.
        let decimals = match decimals.trim_end_matches('0') {
            "" => "0",
            digits => digits,
        };
        writeln!(self.files.messages, "{seconds}.{decimals},{kind},{id},{size},{price},{side}{seventh}")
            .expect("a string takes everything");
        let (asks, bids) = (self.levels(-1), self.levels(1));
        let cells = (0..self.shape.levels).map(|level| {
            let (ask, ask_size) = asks.get(level).map_or((9_999_999_999, 0), |(price, size)| (price * 100, *size));
            let (bid, bid_size) = bids.get(level).map_or((-9_999_999_999, 0), |(price, size)| (price * 100, *size));
            format!("{ask},{ask_size},{bid},{bid_size}")
        });
        let cells: Vec<String> = cells.collect();
        writeln!(self.files.orderbook, "{}", cells.join(",")).expect("a string takes everything");
        self.rows += 1;
    }

    fn step(&mut self) {
        let side = if self.random.below(2) == 0 { 1 } else { -1 };
        match self.random.below(100) {
            0..=44 => self.submit(side),
            45..=79 => self.cancel(),
            80..=94 => self.take(side),
            95..=97 => self.take_hidden(side),
            _ => {
                let nobody = Order { id: 0, side, price: 0, size: 0 };
                let size = self.random.below(100);
                self.row(6, nobody, size, 1_000_000);
            }
        }
    }

    fn submit(&mut self, side: i64) {
        // Behind the other side's best, sometimes inside the spread, mostly near the own best, sometimes far off.
        let limit = self.best(-side).unwrap_or(10_000 + side * 20) - side;
        let depth = if self.random.below(20) == 0 { 60 } else { 8 };
        let distance = self.random.below(depth) as i64;
        let order = self.enter(side, limit - side * distance);
        if self.is_shown(side, order.price) {
            self.row(1, order, order.size, order.price * 100);
        }
    }

    fn cancel(&mut self) {
        if self.orders.len() < 4 {
            return;
        }
        let index = self.random.below(self.orders.len() as u64) as usize;
        let order = self.orders[index];
        let is_shown = self.is_shown(order.side, order.price);
        let part = self.random.below(order.size + 1);
        let (kind, size) = if part == 0 || part == order.size { (3, order.size) } else { (2, part) };
        self.lessen(index, size);
        if is_shown {
            self.row(kind, order, size, order.price * 100);
        }
    }

    fn lessen(&mut self, index: usize, by: u64) {
        self.orders[index].size -= by;
        if self.orders[index].size == 0 {
            self.orders.remove(index);
        }
    }

    /// Somebody takes up to some hundred shares from `side`, all at one time.
    fn take(&mut self, side: i64) {
        let mut wanted = 1 + self.random.below(400);
        while wanted > 0 && self.orders.iter().filter(|order| order.side == side).count() > 2 {
            let out_of_turn = self.shape.out_of_turn > 0 && self.random.below(self.shape.out_of_turn) == 0;
            let shown: Vec<(i64, u64)> = self.levels(side).into_iter().take(self.shape.levels).collect();
            let worse = out_of_turn && self.random.below(4) == 0;
            let Some(&(best, _)) = shown.get(usize::from(worse && shown.len() > 1)) else { return };
            let queue: Vec<usize> = (0..self.orders.len())
                .filter(|index| self.orders[*index].side == side && self.orders[*index].price == best)
                .collect();
            let turn = if out_of_turn { self.random.below(queue.len() as u64) as usize } else { 0 };
            let order = self.orders[queue[turn]];
            let size = wanted.min(order.size);
            wanted -= size;
            self.lessen(queue[turn], size);
            self.row(4, order, size, best * 100);
        }
    }

    /// Somebody takes hidden shares, mostly between the best prices, often between two ticks.
    fn take_hidden(&mut self, side: i64) {
        let (Some(bid), Some(ask)) = (self.best(1), self.best(-1)) else { return };
        let price = bid * 100 + 50 * self.random.below(2 * (ask - bid) as u64 + 1) as i64;
        let nobody = Order { id: 0, side, price: 0, size: 0 };
        let size = 1 + self.random.below(100);
        self.row(5, nobody, size, price);
    }

    /// Orders come and go without trading; then trading goes on.
    fn halt(&mut self) {
        self.has_halted = true;
        let marker = Order { id: 0, side: -1, price: 0, size: 0 };
        self.row(7, marker, 0, -1);
        for _ in 0..20 {
            self.now += 100_000_000;
            if self.random.below(2) == 0 {
                self.submit(1);
            } else {
                self.cancel();
            }
        }
        self.row(7, marker, 0, 0);
        self.now += 100_000_000;
        self.row(7, marker, 0, 1);
    }
}
