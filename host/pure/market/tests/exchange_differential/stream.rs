//! Streams of steps for an exchange: random ones of several shapes, and all short ones over a small alphabet.

use assay_market::AgentIndex;
use assay_model::{
    Display, PRICE_MAX_CENTS, PostOnly, QUANTITY_MAX, Qualifiers, Request, RequestId, RequestKind, Seed, Side, Stream,
    Terms, Time, TimeInForce, Trigger,
};

/// One thing done to an exchange.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Step {
    Open,
    Close,
    Stop(AgentIndex),
    Request(AgentIndex, Request),
}

/// What a random stream looks like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) agents: u32,
    pub(crate) steps: usize,
    /// Limit prices lie this many ticks around the mid, or closer.
    pub(crate) width: u64,
    /// Per mille of steps at which the mid jumps, and how far at most.
    pub(crate) jumps: (u64, u64),
    /// Per mille of prices that are far away, nearly always on the side where they rest.
    pub(crate) far: u64,
    /// Per cent of orders that have the rarer terms.
    pub(crate) rare: u64,
}

/// A trading day of this shape: a few requests before the open, many while it is open, a few after the close.
pub(crate) fn random(shape: &Shape, seed: u64) -> Vec<Step> {
    let mut maker = Maker {
        random: Stream::new(Seed(seed), shape.name, "steps"),
        last_ids: vec![0; shape.agents as usize],
        mid: 1 + shape.width as i64 * 2 + shape.jumps.1 as i64 * 4,
        shape: *shape,
        steps: 0,
    };
    let mut steps = Vec::with_capacity(shape.steps + 2);
    let (before, after) = (shape.steps / 100, shape.steps / 100);
    for index in 0..shape.steps {
        if index == before {
            steps.push(Step::Open);
        }
        if index == shape.steps - after {
            steps.push(Step::Close);
        }
        steps.push(maker.step());
    }
    steps
}

struct Maker {
    random: Stream,
    last_ids: Vec<u64>,
    mid: i64,
    shape: Shape,
    /// So many steps have been made; nearly the time.
    steps: u64,
}

impl Maker {
    fn step(&mut self) -> Step {
        self.steps += 1;
        let (chance, reach) = self.shape.jumps;
        if self.random.below(1_000) < chance {
            let jump = self.random.below(2 * reach + 1) as i64 - reach as i64;
            self.mid = (self.mid + jump).clamp(1, PRICE_MAX_CENTS);
        }
        let agent = self.random.below(u64::from(self.shape.agents));
        // One agent in every second stream.
        if self.random.below(2 * self.shape.steps as u64) == 0 {
            return Step::Stop(AgentIndex(agent as u32));
        }
        let last_id = &mut self.last_ids[agent as usize];
        *last_id += 1;
        let id = RequestId(*last_id);
        let kind = match self.random.below(100) {
            0..58 if self.random.below(100) < self.shape.rare => RequestKind::Order(self.terms()),
            0..46 => {
                let side = self.side();
                let (price, quantity) = (self.price(side), self.quantity());
                let (hidden, post_only) = (self.random.below(5) == 0, self.random.below(6) == 0);
                RequestKind::Limit { side, price, quantity, qualifiers: Qualifiers { hidden, post_only } }
            }
            46..58 => RequestKind::Market { side: self.side(), quantity: self.quantity() },
            58..74 => RequestKind::Cancel { order: self.order(id) },
            74..83 => {
                let (order, side) = (self.order(id), self.side());
                RequestKind::Modify { order, price: self.price(side), quantity: self.quantity() }
            }
            83..90 => RequestKind::Reduce { order: self.order(id), by: self.quantity() },
            90..98 => {
                let (order, side) = (self.order(id), self.side());
                RequestKind::Replace { order, price: self.price(side), quantity: self.quantity() }
            }
            _ if self.random.below(4) == 0 => RequestKind::CancelAll,
            _ => RequestKind::Cancel { order: self.order(id) },
        };
        Step::Request(AgentIndex(agent as u32), Request { id, kind })
    }

    /// Mostly terms that go together.
    fn terms(&mut self) -> Terms {
        let side = self.side();
        let mut terms = match self.random.below(4) {
            0 => Terms::market(side, self.quantity()),
            _ => Terms::limit(side, self.price(side), self.quantity()),
        };
        let mut pick = |of: usize| self.random.below(of as u64) as usize;
        let (force, display) = (pick(TimeInForce::ALL.len()), pick(Display::ALL.len()));
        let post_only = pick(PostOnly::ALL.len());
        let mixed = pick(8) == 0;
        if mixed || terms.price == 0 || pick(3) == 0 {
            terms = terms.with(TimeInForce::ALL[force]);
        }
        if mixed || terms.time_in_force == TimeInForce::Day && terms.price != 0 {
            terms = terms.shown_as(Display::ALL[display]);
            if mixed || (terms.display != Display::Comply && pick(2) == 0) {
                terms = terms.post_only(PostOnly::ALL[post_only]);
            }
        }
        if mixed || (terms.post_only == PostOnly::No && terms.display != Display::Comply && pick(3) == 0) {
            terms.trigger = Trigger::ALL[pick(Trigger::ALL.len())];
        }
        terms.trigger_at = match terms.trigger {
            Trigger::Trail => self.random.below(2 * self.shape.width) as i32,
            _ => self.price(side).clamp(-1, 1 << 30) as i32,
        };
        terms.shown = self.random.below(6) as u32;
        terms.expires = Time((self.steps + self.random.below(80)).saturating_sub(2));
        terms
    }

    fn side(&mut self) -> Side {
        if self.random.coin() { Side::Buy } else { Side::Sell }
    }

    fn price(&mut self, side: Side) -> i64 {
        const ODD: [i64; 6] = [0, -1, i64::MIN, i64::MAX, PRICE_MAX_CENTS + 1, -PRICE_MAX_CENTS];
        match self.random.below(1_000) {
            0..10 => ODD[self.random.below(ODD.len() as u64) as usize],
            draw if draw < 10 + self.shape.far => {
                let reach = 1 << self.random.below(18);
                let distance = self.shape.width as i64 + self.random.below(reach) as i64;
                let across = if self.random.below(64) == 0 { -1 } else { 1 };
                (self.mid - across * side.sign() * distance).clamp(1, PRICE_MAX_CENTS)
            }
            _ => self.mid + self.random.below(2 * self.shape.width + 1) as i64 - self.shape.width as i64,
        }
    }

    fn quantity(&mut self) -> u64 {
        const ODD: [u64; 5] = [0, QUANTITY_MAX, QUANTITY_MAX + 1, u32::MAX as u64 + 2, u64::MAX];
        match self.random.below(100) {
            0 => ODD[self.random.below(ODD.len() as u64) as usize],
            _ => 1 + self.random.below(12),
        }
    }

    /// Mostly one of the agent's latest orders, alive or not; sometimes nonsense.
    fn order(&mut self, next: RequestId) -> RequestId {
        const ODD: [u64; 4] = [0, u64::MAX, u32::MAX as u64 + 1, 1 << 40];
        match self.random.below(50) {
            0 => RequestId(ODD[self.random.below(ODD.len() as u64) as usize]),
            1 => next,
            _ => RequestId(next.0.saturating_sub(1 + self.random.below(24))),
        }
    }
}

/// An agent and what it asks; ids are filled in by [`exhaustive`].
pub(crate) type Letter = (AgentIndex, RequestKind);

/// Every kind of request, with few enough values that all short streams of them can be tried.
pub(crate) fn alphabet() -> Vec<Letter> {
    use Side::{Buy, Sell};
    let limit = |side, price, quantity, hidden, post_only| {
        let qualifiers = Qualifiers { hidden, post_only };
        RequestKind::Limit { side, price, quantity, qualifiers }
    };
    let first = RequestId(1);
    let kinds = [
        limit(Buy, 1, 2, false, false),
        limit(Buy, 2, 1, false, false),
        limit(Buy, 2, 2, true, false),
        limit(Buy, 2, 1, false, true),
        limit(Sell, 1, 2, false, false),
        limit(Sell, 2, 1, false, false),
        limit(Sell, 1, 1, true, false),
        limit(Sell, 1, 1, false, true),
        RequestKind::Market { side: Buy, quantity: 2 },
        RequestKind::Market { side: Sell, quantity: 1 },
        RequestKind::Cancel { order: first },
        RequestKind::CancelAll,
        RequestKind::Modify { order: first, price: 1, quantity: 1 },
        RequestKind::Modify { order: first, price: 2, quantity: 2 },
        RequestKind::Reduce { order: first, by: 1 },
        RequestKind::Replace { order: first, price: 1, quantity: 1 },
        RequestKind::Replace { order: first, price: 2, quantity: 1 },
    ];
    [0, 1].into_iter().flat_map(|agent| kinds.map(|kind| (AgentIndex(agent), kind))).collect()
}

/// Every kind of rare order, and what makes it act.
pub(crate) fn rare_alphabet() -> Vec<Letter> {
    use Side::{Buy, Sell};
    use TimeInForce::{AtClose, AtOpen, FillOrKill, ImmediateOrCancel};
    let (buy, sell) = (Terms::limit(Buy, 3, 3), Terms::limit(Sell, 3, 2));
    let first = RequestId(1);
    let orders = [
        buy,
        sell,
        Terms::limit(Sell, 4, 1),
        Terms::market(Buy, 2),
        sell.with(FillOrKill),
        buy.with(ImmediateOrCancel),
        buy.good_till(Time(3)),
        buy.with(AtOpen),
        Terms::market(Sell, 2).with(AtClose),
        buy.post_only(PostOnly::Slide),
        sell.post_only(PostOnly::Slide),
        Terms::limit(Sell, 4, 1).post_only(PostOnly::Slide),
        buy.iceberg(1),
        buy.shown_as(Display::Comply),
        sell.shown_as(Display::Comply),
        sell.shown_as(Display::Hidden),
        Terms::market(Sell, 1).stop(3),
        Terms::limit(Buy, 4, 2).stop(4),
        Terms::market(Sell, 1).trail(1),
    ];
    let changes = [
        RequestKind::Cancel { order: first },
        RequestKind::Modify { order: first, price: 4, quantity: 2 },
        RequestKind::Reduce { order: first, by: 1 },
        RequestKind::Replace { order: first, price: 3, quantity: 1 },
    ];
    let kinds: Vec<RequestKind> = orders.into_iter().map(RequestKind::Order).chain(changes).collect();
    [0, 1].into_iter().flat_map(|agent| kinds.iter().map(move |kind| (AgentIndex(agent), *kind))).collect()
}

/// Calls `visit` with every stream of `length` letters, the first of them by agent 0: the agents are alike.
pub(crate) fn exhaustive(letters: &[Letter], length: u32, mut visit: impl FnMut(&[Step])) {
    let mut steps = Vec::new();
    for number in 0..letters.len().pow(length) / 2 {
        let mut number = number;
        let mut last_ids = [0; 2];
        steps.clear();
        steps.push(Step::Open);
        for place in (0..length).rev() {
            let (agent, kind) = letters[number / letters.len().pow(place)];
            number %= letters.len().pow(place);
            let last_id = &mut last_ids[agent.0 as usize];
            *last_id += 1;
            steps.push(Step::Request(agent, Request { id: RequestId(*last_id), kind }));
        }
        steps.push(Step::Close);
        visit(&steps);
    }
}
