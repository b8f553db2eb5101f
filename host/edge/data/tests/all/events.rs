//! Random events of every kind, and rows turned back into events.

use crate::support::{Row, Told, integer, rows, text};
use assay_data::{DEPTH, LOG, ORDERS, QUOTES, SESSIONS, TRADES, read_orders};
use assay_market::{AgentIndex, Event, EventKind, LevelChange, Session};
use assay_model::{
    Display, Level, Liquidity, LogLine, OrderUpdate, PRICE_MAX_CENTS, PostOnly, Price, Qualifiers, Quote, Reason,
    Request, RequestId, RequestKind, Seed, Side, Stream, SymbolIndex, Terms, Time, TimeInForce, Trigger, UpdateKind,
};
use std::collections::BTreeMap;
use std::path::Path;

/// Draws what it is asked for, extremes more often than chance would have it.
struct Draw(Stream);

impl Draw {
    fn below(&mut self, limit: u64) -> u64 {
        self.0.below(limit)
    }
    fn number(&mut self) -> u64 {
        match self.below(6) {
            0 => 0,
            1 => i64::MAX as u64,
            2 => self.below(i64::MAX as u64),
            _ => self.below(300),
        }
    }
    fn signed(&mut self) -> i64 {
        match self.below(8) {
            0 => i64::MIN,
            1 => i64::MAX,
            2 => -1,
            _ => 100_000 + self.below(50) as i64,
        }
    }
    fn narrow(&mut self) -> u32 {
        if self.below(5) == 0 { u32::MAX } else { self.below(1_000) as u32 }
    }
    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }
    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
    fn side(&mut self) -> Side {
        self.pick(&[Side::Buy, Side::Sell])
    }
    fn price(&mut self) -> Price {
        Price::clamped(if self.below(9) == 0 { PRICE_MAX_CENTS } else { 99_980 + self.below(40) as i64 })
    }
    fn agent(&mut self) -> AgentIndex {
        AgentIndex(self.narrow())
    }
    fn id(&mut self) -> RequestId {
        RequestId(self.number())
    }
    fn level(&mut self) -> Option<Level> {
        let level = Level { price: self.price(), quantity: self.number() };
        self.coin().then_some(level)
    }

    fn request(&mut self) -> RequestKind {
        let (side, order, price, quantity) = (self.side(), self.id(), self.signed(), self.number());
        match self.below(8) {
            0 => {
                let qualifiers = Qualifiers { hidden: self.coin(), post_only: self.coin() };
                RequestKind::Limit { side, price, quantity, qualifiers }
            }
            1 => RequestKind::Market { side, quantity },
            2 => RequestKind::Cancel { order },
            3 => RequestKind::CancelAll,
            4 => RequestKind::Modify { order, price, quantity },
            5 => RequestKind::Reduce { order, by: quantity },
            6 => RequestKind::Replace { order, price, quantity },
            _ => RequestKind::Order(Terms {
                expires: Time(self.number()),
                price: self.pick(&[0, -1, i32::MIN, i32::MAX, 100_000]),
                quantity: self.narrow(),
                shown: self.narrow(),
                trigger_at: self.pick(&[0, -1, i32::MIN, i32::MAX, 5]),
                side,
                time_in_force: self.pick(&TimeInForce::ALL),
                display: self.pick(&Display::ALL),
                post_only: self.pick(&PostOnly::ALL),
                trigger: self.pick(&Trigger::ALL),
            }),
        }
    }

    fn update(&mut self, at: Time) -> OrderUpdate {
        let kind = match self.below(8) {
            0 => UpdateKind::Accepted,
            1 => UpdateKind::Triggered,
            2 => UpdateKind::Fill {
                price: self.price(),
                quantity: self.narrow(),
                liquidity: self.pick(&[Liquidity::Maker, Liquidity::Taker]),
            },
            3 => UpdateKind::Cancelled { reason: self.pick(&Reason::ALL) },
            4 => UpdateKind::CancelledAll { count: self.narrow() },
            5 => UpdateKind::Modified { price: self.price() },
            6 => UpdateKind::Reduced { by: self.narrow() },
            _ => UpdateKind::Rejected { reason: self.pick(&Reason::ALL) },
        };
        OrderUpdate { request: self.id(), order: self.id(), at, remaining: self.narrow(), kind }
    }

    fn event(&mut self, at: Time) -> Event {
        let kind = match self.below(40) {
            0 => EventKind::Opened,
            1 => EventKind::Closed,
            2 => EventKind::Session(Session::Call),
            3 => EventKind::Session(Session::Continuous),
            4..16 => {
                EventKind::Request { agent: self.agent(), request: Request { id: self.id(), kind: self.request() } }
            }
            16..28 => EventKind::Update { agent: self.agent(), update: self.update(at) },
            28..34 => EventKind::Trade {
                price: self.price(),
                quantity: self.narrow(),
                taker_side: self.side(),
                maker: (self.agent(), self.id()),
                taker: (self.agent(), self.id()),
            },
            _ => {
                let (bid, ask) = (self.level(), self.level());
                let last = self.coin().then_some(self.price());
                EventKind::Quote(Quote { sequence: self.number(), at, bid, ask, last, volume: self.number() })
            }
        };
        Event { at, symbol: SymbolIndex::FIRST, kind }
    }
}

/// So many random events, with changes of levels between them and lines of log.
pub(crate) fn random(seed: u64, count: usize) -> Told {
    let mut draw = Draw(Stream::new(Seed(seed), "events", "random"));
    let mut told = Told::default();
    let mut at = 1_600_000_000_000_000_000;
    for number in 0..count {
        at += draw.pick(&[0, 0, 1, 17, 1_000_000_007]);
        for _ in 0..draw.below(3) {
            let level = Level { price: draw.price(), quantity: draw.number() };
            told.levels
                .push((number, LevelChange { at: Time(at), symbol: SymbolIndex::FIRST, side: draw.side(), level }));
        }
        told.events.push(draw.event(Time(at)));
    }
    for text in ["", "plain", "line\nbreak, \"quotes\", \u{202e}ɪt", "\0"] {
        told.log.push(LogLine { at: Time(at), text: text.to_owned() });
    }
    told
}

fn time(row: &Row) -> Time {
    Time(integer(row, "time") as u64)
}

fn number(row: &Row, column: &str) -> u64 {
    integer(row, column) as u64
}

fn side(word: &str) -> Side {
    if word == "buy" { Side::Buy } else { Side::Sell }
}

fn price(row: &Row, column: &str) -> Price {
    Price::new(integer(row, column)).unwrap()
}

fn reason(row: &Row) -> Reason {
    // The words are the variants' names.
    let is_it = |reason: &Reason| {
        let mut word = String::new();
        for letter in format!("{reason:?}").chars() {
            if letter.is_uppercase() && !word.is_empty() {
                word.push('_');
            }
            word.extend(letter.to_lowercase());
        }
        word == text(row, "reason")
    };
    *Reason::ALL.iter().find(|reason| is_it(reason)).unwrap()
}

fn update(row: &Row) -> OrderUpdate {
    let narrow = |column| u32::try_from(integer(row, column)).unwrap();
    let kind = match text(row, "message") {
        "accepted" => UpdateKind::Accepted,
        "triggered" => UpdateKind::Triggered,
        "fill" => UpdateKind::Fill {
            price: price(row, "price"),
            quantity: narrow("quantity"),
            liquidity: if text(row, "liquidity") == "maker" { Liquidity::Maker } else { Liquidity::Taker },
        },
        "cancelled" => UpdateKind::Cancelled { reason: reason(row) },
        "all_cancelled" => UpdateKind::CancelledAll { count: narrow("quantity") },
        "modified" => UpdateKind::Modified { price: price(row, "price") },
        "reduced" => UpdateKind::Reduced { by: narrow("quantity") },
        "rejected" => UpdateKind::Rejected { reason: reason(row) },
        other => panic!("{other} is not an answer"),
    };
    let (request, order) = (RequestId(number(row, "request")), RequestId(number(row, "order")));
    OrderUpdate { request, order, at: time(row), remaining: narrow("remaining"), kind }
}

fn quote(row: &Row) -> Quote {
    let level = |name: &str, amount: &str| {
        row.contains_key(name).then(|| Level { price: price(row, name), quantity: number(row, amount) })
    };
    Quote {
        sequence: number(row, "sequence"),
        at: time(row),
        bid: level("bid_price", "bid_quantity"),
        ask: level("ask_price", "ask_quantity"),
        last: row.contains_key("last_price").then(|| price(row, "last_price")),
        volume: number(row, "volume"),
    }
}

/// What a recording of one episode says, turned back. Requests come from the reader that replays use.
pub(crate) fn back(folder: &Path) -> Told {
    let mut events: BTreeMap<i64, Event> = BTreeMap::new();
    let mut add = |row: &Row, kind| {
        let before = events.insert(integer(row, "event"), Event { at: time(row), symbol: SymbolIndex::FIRST, kind });
        assert_eq!(before, None, "two rows of one event");
    };
    let mut requests = read_orders(&folder.join(ORDERS.file_name()), "ASSAY", None).unwrap();
    for row in rows(folder, &ORDERS) {
        let agent = AgentIndex(u32::try_from(integer(&row, "agent")).unwrap());
        if row.contains_key("remaining") {
            add(&row, EventKind::Update { agent, update: update(&row) });
        } else {
            let (at, sender, request) = requests.next().unwrap().unwrap();
            assert_eq!((at, sender), (time(&row), agent));
            add(&row, EventKind::Request { agent, request });
        }
    }
    assert!(requests.next().is_none());
    for row in rows(folder, &QUOTES) {
        add(&row, EventKind::Quote(quote(&row)));
    }
    for row in rows(folder, &TRADES) {
        let of =
            |agent, order| (AgentIndex(u32::try_from(integer(&row, agent)).unwrap()), RequestId(number(&row, order)));
        let trade = EventKind::Trade {
            price: price(&row, "price"),
            quantity: u32::try_from(integer(&row, "quantity")).unwrap(),
            taker_side: side(text(&row, "taker_side")),
            maker: of("maker_agent", "maker_order"),
            taker: of("taker_agent", "taker_order"),
        };
        add(&row, trade);
    }
    for row in rows(folder, &SESSIONS) {
        let kind = match text(&row, "phase") {
            "opened" => EventKind::Opened,
            "call" => EventKind::Session(Session::Call),
            "continuous" => EventKind::Session(Session::Continuous),
            _ => EventKind::Closed,
        };
        add(&row, kind);
    }
    assert!(events.keys().copied().eq(0..events.len() as i64), "an event is missing");
    let levels = rows(folder, &DEPTH).into_iter().map(|row| {
        let level = Level { price: price(&row, "price"), quantity: number(&row, "quantity") };
        (
            number(&row, "event") as usize,
            LevelChange { at: time(&row), symbol: SymbolIndex::FIRST, side: side(text(&row, "side")), level },
        )
    });
    let log = rows(folder, &LOG).into_iter().map(|row| LogLine { at: time(&row), text: text(&row, "line").to_owned() });
    Told { events: events.into_values().collect(), levels: levels.collect(), log: log.collect() }
}
