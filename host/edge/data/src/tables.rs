//! Events to rows: what the tables of one episode hold, a page at a time.

use crate::encode::{Constants, Data, EncodedGroup, GroupEncoder, Optional};
use crate::names;
use crate::schema::{AGENTS, DEPTH, FUNDAMENTAL, LOG, ORDERS, QUOTES, SESSIONS, TRADES, Table};
use assay_market::{AgentIndex, Event, EventKind, Fundamental, LevelChange, Scenario};
use assay_model::{
    Display, LogLine, Nanos, OrderUpdate, PostOnly, Quote, Request, RequestKind, Seed, Side, SymbolIndex, Terms, Time,
    TimeInForce, Trigger, UpdateKind,
};
use parquet::errors::Result;
use parquet::schema::types::SchemaDescPtr;

/// Rows of a page: enough that a page's header is nothing beside it, and half a megabyte of each column in memory at most.
const PAGE_ROWS: usize = 1 << 16;

/// A number as a signed integer, at most the largest.
#[inline]
fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Rows gathered for a page.
trait Rows: Default {
    const TABLE: &'static Table;
    fn rows(&self) -> usize;
    fn clear(&mut self);
    /// Hands the columns that are not constant over, in the order of the schema.
    fn columns<R>(&self, take: impl FnOnce(&[Data<'_>]) -> R) -> R;
}

/// Declares the rows of a table by its columns, in the order of the schema.
macro_rules! rows {
    ($name:ident, $table:ident, $first:ident, { $($column:ident: $type:ty => $data:ident,)* }) => {
        #[derive(Debug, Default)]
        struct $name {
            $($column: $type,)*
        }

        impl Rows for $name {
            const TABLE: &'static Table = &$table;
            fn rows(&self) -> usize {
                self.$first.len()
            }
            fn clear(&mut self) {
                $(self.$column.clear();)*
            }
            fn columns<R>(&self, take: impl FnOnce(&[Data<'_>]) -> R) -> R {
                take(&[$(Data::$data(&self.$column),)*])
            }
        }
    };
}

rows!(Quotes, QUOTES, time, {
    time: Vec<i64> => Integers,
    event: Vec<i64> => Integers,
    sequence: Vec<i64> => Integers,
    bid_price: Optional<i64> => OptionalIntegers,
    bid_quantity: Optional<i64> => OptionalIntegers,
    ask_price: Optional<i64> => OptionalIntegers,
    ask_quantity: Optional<i64> => OptionalIntegers,
    last_price: Optional<i64> => OptionalIntegers,
    volume: Vec<i64> => Integers,
});

rows!(Depth, DEPTH, time, {
    time: Vec<i64> => Integers,
    event: Vec<i64> => Integers,
    side: Vec<u8> => Names,
    price: Vec<i64> => Integers,
    quantity: Vec<i64> => Integers,
});

rows!(Trades, TRADES, time, {
    time: Vec<i64> => Integers,
    event: Vec<i64> => Integers,
    price: Vec<i64> => Integers,
    quantity: Vec<i64> => Integers,
    taker_side: Vec<u8> => Names,
    maker_agent: Vec<i64> => Integers,
    maker_order: Vec<i64> => Integers,
    taker_agent: Vec<i64> => Integers,
    taker_order: Vec<i64> => Integers,
});

rows!(Orders, ORDERS, time, {
    time: Vec<i64> => Integers,
    event: Vec<i64> => Integers,
    agent: Vec<i64> => Integers,
    message: Vec<u8> => Names,
    request: Vec<i64> => Integers,
    order: Optional<i64> => OptionalIntegers,
    side: Optional<u8> => OptionalNames,
    price: Optional<i64> => OptionalIntegers,
    quantity: Optional<i64> => OptionalIntegers,
    remaining: Optional<i64> => OptionalIntegers,
    reason: Optional<u8> => OptionalNames,
    liquidity: Optional<u8> => OptionalNames,
    time_in_force: Optional<u8> => OptionalNames,
    expires: Optional<i64> => OptionalIntegers,
    display: Optional<u8> => OptionalNames,
    shown: Optional<i64> => OptionalIntegers,
    post_only: Optional<u8> => OptionalNames,
    trigger: Optional<u8> => OptionalNames,
    trigger_price: Optional<i64> => OptionalIntegers,
});

rows!(Sessions, SESSIONS, time, {
    time: Vec<i64> => Integers,
    event: Vec<i64> => Integers,
    phase: Vec<u8> => Names,
});

rows!(Log, LOG, time, {
    time: Vec<i64> => Integers,
    agent: Vec<i64> => Integers,
    line: Vec<String> => Texts,
});

rows!(Values, FUNDAMENTAL, time, {
    time: Vec<i64> => Integers,
    value: Vec<f64> => Numbers,
});

rows!(Agents, AGENTS, agent, {
    agent: Vec<i64> => Integers,
    name: Vec<String> => Texts,
    kind: Vec<String> => Texts,
});

impl Quotes {
    fn push(&mut self, number: i64, event: &Event, quote: &Quote) {
        let row = self.rows();
        self.time.push(integer(event.at.0));
        self.event.push(number);
        self.sequence.push(integer(quote.sequence));
        if let Some(bid) = quote.bid {
            self.bid_price.set(row, bid.price.cents());
            self.bid_quantity.set(row, integer(bid.quantity));
        }
        if let Some(ask) = quote.ask {
            self.ask_price.set(row, ask.price.cents());
            self.ask_quantity.set(row, integer(ask.quantity));
        }
        if let Some(last) = quote.last {
            self.last_price.set(row, last.cents());
        }
        self.volume.push(integer(quote.volume));
    }
}

impl Orders {
    fn open_row(&mut self, number: i64, at: Time, agent: AgentIndex, message: u8, request: u64) -> usize {
        let row = self.rows();
        self.time.push(integer(at.0));
        self.event.push(number);
        self.agent.push(i64::from(agent.0));
        self.message.push(message);
        self.request.push(integer(request));
        row
    }

    fn request(&mut self, number: i64, at: Time, agent: AgentIndex, request: &Request) {
        let row = self.open_row(number, at, agent, names::request(&request.kind), request.id.0);
        let own = integer(request.id.0);
        match request.kind {
            RequestKind::Limit { side, price, quantity, qualifiers } => {
                self.new_order(row, own, side, Some(price), integer(quantity));
                if qualifiers.hidden {
                    self.display.set(row, Display::Hidden as u8);
                }
                if qualifiers.post_only {
                    self.post_only.set(row, PostOnly::Reject as u8);
                }
            }
            RequestKind::Market { side, quantity } => self.new_order(row, own, side, None, integer(quantity)),
            RequestKind::Order(terms) => self.terms(row, own, &terms),
            RequestKind::Cancel { order } => self.order.set(row, integer(order.0)),
            RequestKind::CancelAll => {}
            RequestKind::Reduce { order, by } => {
                self.order.set(row, integer(order.0));
                self.quantity.set(row, integer(by));
            }
            RequestKind::Modify { order, price, quantity } | RequestKind::Replace { order, price, quantity } => {
                self.order.set(row, integer(order.0));
                self.price.set(row, price);
                self.quantity.set(row, integer(quantity));
            }
        }
    }

    fn new_order(&mut self, row: usize, id: i64, side: Side, price: Option<i64>, quantity: i64) {
        self.order.set(row, id);
        self.side.set(row, side as u8);
        if let Some(price) = price {
            self.price.set(row, price);
        }
        self.quantity.set(row, quantity);
    }

    /// Whatever is at its default is left out.
    fn terms(&mut self, row: usize, id: i64, terms: &Terms) {
        let price = (terms.price != 0).then_some(i64::from(terms.price));
        self.new_order(row, id, terms.side, price, i64::from(terms.quantity));
        if terms.time_in_force != TimeInForce::Day {
            self.time_in_force.set(row, terms.time_in_force as u8);
        }
        if terms.expires != Time(0) {
            self.expires.set(row, integer(terms.expires.0));
        }
        if terms.display != Display::Full {
            self.display.set(row, terms.display as u8);
        }
        if terms.shown != 0 {
            self.shown.set(row, i64::from(terms.shown));
        }
        if terms.post_only != PostOnly::No {
            self.post_only.set(row, terms.post_only as u8);
        }
        if terms.trigger != Trigger::None {
            self.trigger.set(row, terms.trigger as u8);
        }
        if terms.trigger_at != 0 {
            self.trigger_price.set(row, i64::from(terms.trigger_at));
        }
    }

    fn update(&mut self, number: i64, at: Time, agent: AgentIndex, update: &OrderUpdate) {
        let row = self.open_row(number, at, agent, names::update(&update.kind), update.request.0);
        self.order.set(row, integer(update.order.0));
        self.remaining.set(row, i64::from(update.remaining));
        match update.kind {
            UpdateKind::Accepted | UpdateKind::Triggered => {}
            UpdateKind::Fill { price, quantity, liquidity } => {
                self.price.set(row, price.cents());
                self.quantity.set(row, i64::from(quantity));
                self.liquidity.set(row, liquidity as u8);
            }
            UpdateKind::CancelledAll { count } => self.quantity.set(row, i64::from(count)),
            UpdateKind::Modified { price } => self.price.set(row, price.cents()),
            UpdateKind::Reduced { by } => self.quantity.set(row, i64::from(by)),
            UpdateKind::Cancelled { reason } | UpdateKind::Rejected { reason } => self.reason.set(row, reason as u8),
        }
    }
}

/// A table of one episode: full pages encoded, the rest as rows.
struct Gathering<T: Rows> {
    rows: T,
    group: GroupEncoder,
}

impl<T: Rows> Gathering<T> {
    fn new(schemas: &Schemas) -> Result<Self> {
        Ok(Self { rows: T::default(), group: GroupEncoder::new(T::TABLE, schemas.of(T::TABLE))? })
    }

    /// Encodes the rows if they make a page.
    #[inline]
    fn settle(&mut self) -> Result<()> {
        if self.rows.rows() >= PAGE_ROWS { self.encode() } else { Ok(()) }
    }

    fn encode(&mut self) -> Result<()> {
        let rows = self.rows.rows();
        self.rows.columns(|columns| self.group.page(columns, rows))?;
        self.rows.clear();
        Ok(())
    }

    fn finish(mut self, constants: &Constants<'_>) -> Result<(&'static Table, EncodedGroup)> {
        if self.rows.rows() > 0 {
            self.encode()?;
        }
        Ok((T::TABLE, self.group.finish(constants)?))
    }
}

/// The Parquet schema of each table.
pub(crate) struct Schemas(Vec<(&'static str, SchemaDescPtr)>);

impl Schemas {
    pub(crate) fn new() -> Result<Self> {
        let schema = |table: &&'static Table| {
            let schema = parquet::arrow::ArrowSchemaConverter::new().convert(&table.arrow())?;
            Ok((table.name, SchemaDescPtr::new(schema)))
        };
        crate::schema::TABLES.iter().map(schema).collect::<Result<_>>().map(Self)
    }

    pub(crate) fn of(&self, table: &Table) -> &SchemaDescPtr {
        let found = self.0.iter().find(|(name, _)| *name == table.name);
        &found.expect("there is a schema for every table").1
    }
}

/// The tables of one symbol in one episode.
pub(crate) struct EpisodeTables {
    symbol: SymbolIndex,
    quotes: Gathering<Quotes>,
    depth: Gathering<Depth>,
    trades: Gathering<Trades>,
    orders: Gathering<Orders>,
    sessions: Gathering<Sessions>,
    log: Gathering<Log>,
    events: i64,
}

impl EpisodeTables {
    pub(crate) fn new(symbol: SymbolIndex, schemas: &Schemas) -> Result<Self> {
        Ok(Self {
            symbol,
            quotes: Gathering::new(schemas)?,
            depth: Gathering::new(schemas)?,
            trades: Gathering::new(schemas)?,
            orders: Gathering::new(schemas)?,
            sessions: Gathering::new(schemas)?,
            log: Gathering::new(schemas)?,
            events: 0,
        })
    }

    /// Takes in what happened next, in this symbol and in others: events are counted over all.
    pub(crate) fn events(&mut self, events: &[Event]) -> Result<()> {
        for event in events {
            if event.symbol == self.symbol {
                self.event(event);
            }
            self.events += 1;
        }
        self.quotes.settle()?;
        self.trades.settle()?;
        self.orders.settle()?;
        self.sessions.settle()
    }

    fn event(&mut self, event: &Event) {
        let (at, number) = (event.at, self.events);
        match &event.kind {
            EventKind::Request { agent, request } => self.orders.rows.request(number, at, *agent, request),
            EventKind::Update { agent, update } => self.orders.rows.update(number, at, *agent, update),
            EventKind::Quote(quote) => self.quotes.rows.push(number, event, quote),
            EventKind::Trade { price, quantity, taker_side, maker, taker } => {
                let trades = &mut self.trades.rows;
                trades.time.push(integer(at.0));
                trades.event.push(number);
                trades.price.push(price.cents());
                trades.quantity.push(i64::from(*quantity));
                trades.taker_side.push(*taker_side as u8);
                trades.maker_agent.push(i64::from(maker.0.0));
                trades.maker_order.push(integer(maker.1.0));
                trades.taker_agent.push(i64::from(taker.0.0));
                trades.taker_order.push(integer(taker.1.0));
            }
            EventKind::Opened => self.session(at, names::OPENED),
            EventKind::Closed => self.session(at, names::CLOSED),
            EventKind::Session(session) => self.session(at, names::session(*session)),
        }
    }

    fn session(&mut self, at: Time, phase: u8) {
        let sessions = &mut self.sessions.rows;
        sessions.time.push(integer(at.0));
        sessions.event.push(self.events);
        sessions.phase.push(phase);
    }

    /// Takes in changes of levels, each with the number of events before it.
    pub(crate) fn levels(&mut self, changes: &[(u64, LevelChange)]) -> Result<()> {
        let depth = &mut self.depth.rows;
        for (event, LevelChange { at, side, level, .. }) in
            changes.iter().filter(|(_, change)| change.symbol == self.symbol)
        {
            depth.time.push(integer(at.0));
            depth.event.push(integer(*event));
            depth.side.push(*side as u8);
            depth.price.push(level.price.cents());
            depth.quantity.push(integer(level.quantity));
        }
        self.depth.settle()
    }

    pub(crate) fn log(&mut self, agent: AgentIndex, lines: &[LogLine]) -> Result<()> {
        let log = &mut self.log.rows;
        for line in lines {
            log.time.push(integer(line.at.0));
            log.agent.push(i64::from(agent.0));
            log.line.push(line.text.clone());
        }
        self.log.settle()
    }

    /// The encoded tables; those without rows too.
    pub(crate) fn finish(self, constants: &Constants<'_>) -> Result<Vec<(&'static Table, EncodedGroup)>> {
        Ok(vec![
            self.quotes.finish(constants)?,
            self.depth.finish(constants)?,
            self.trades.finish(constants)?,
            self.orders.finish(constants)?,
            self.sessions.finish(constants)?,
            self.log.finish(constants)?,
        ])
    }
}

/// A symbol's fundamental value in a seed, each second.
pub(crate) fn fundamental(
    scenario: &Scenario,
    symbol: SymbolIndex,
    constants: &Constants<'_>,
    schemas: &Schemas,
) -> Result<(&'static Table, EncodedGroup)> {
    let mut values = Gathering::<Values>::new(schemas)?;
    let mut fundamental = Fundamental::of(scenario, symbol, Seed(constants.seed));
    let mut at = scenario.open;
    while at <= scenario.close {
        values.rows.time.push(integer(at.0));
        values.rows.value.push(fundamental.value_at(at));
        values.settle()?;
        at = at + Nanos::SECOND;
    }
    values.finish(constants)
}

/// A symbol's agents; the strategy is with the first's.
pub(crate) fn agents(
    scenario: &Scenario,
    symbol: SymbolIndex,
    constants: &Constants<'_>,
    schemas: &Schemas,
) -> Result<(&'static Table, EncodedGroup)> {
    let mut agents = Gathering::<Agents>::new(schemas)?;
    for number in 0..=scenario.trader().0 {
        let agent = AgentIndex(number);
        let (of, kind) = match scenario.group_of(agent) {
            Some((of, group, _)) => (of, group.kind.name()),
            None if agent == scenario.trader() => (SymbolIndex::FIRST, "strategy"),
            None => (SymbolIndex::FIRST, "replay"),
        };
        if of != symbol {
            continue;
        }
        agents.rows.agent.push(i64::from(number));
        agents.rows.name.push(scenario.agent_name(agent));
        agents.rows.kind.push(kind.to_owned());
        agents.settle()?;
    }
    agents.finish(constants)
}
