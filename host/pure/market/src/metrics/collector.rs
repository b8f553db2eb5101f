//! The collector: one pass over the events of an episode.

use super::account::Account;
use super::catalogue::KPI_COUNT;
use super::depth::DepthRecorder;
use super::measure::{Measure, Measures, Sample};
use super::orders::Orders;
use super::series::{Recorder, Series, Snapshot};
use super::sharpe::EquitySteps;
use super::spreads::{HORIZONS, Judged, MAKER_HORIZONS, Spreads};
use super::statistics::TimeWeighted;
use super::tape::{Tape, mid_of};
use crate::fees::Fees;
use crate::{AgentIndex, Event, EventKind, EventSink, Exchange, LeftOut, OthersQuote, Scenario, Session};
use assay_model::{Liquidity, Nanos, OrderUpdate, Quote, SYMBOLS_MAX, Seed, SymbolIndex, Time};

/// Whom to measure, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The measured trader.
    pub trader: AgentIndex,
    /// When the market opens: where the series begin.
    pub open: Time,
    /// When it opens for the trader: where every measure begins.
    pub from: Time,
    /// When the market closes at the latest: where the series end. The measures end when it closes; later events are not measured.
    pub close: Time,
    /// What the venue charges.
    pub fees: Fees,
}

impl Settings {
    /// For the trader in this seat of an episode; the first seat is 0.
    #[must_use]
    pub fn of(scenario: &Scenario, seed: Seed, seat: usize) -> Self {
        let Scenario { open, fees, .. } = *scenario;
        let (trader, close) = (scenario.seat(seat), scenario.close_at(seed));
        Self { trader, open, from: scenario.trader_open(), close, fees }
    }
}

/// What a [`Collector`] found.
#[derive(Clone, PartialEq, Debug)]
pub struct Collected {
    /// Every measure.
    pub measures: Measures,
    /// The course of the episode.
    pub series: Series,
    /// Orders of the trader's that were rejected because too many of its orders rested already.
    pub rejections_too_many_open: u64,
}

/// Listens to an episode and measures it; see the module documentation.
#[derive(Debug)]
pub struct Collector {
    settings: Settings,
    /// Time of the last event, within the session.
    at: Time,
    quote: Quote,
    pub(super) tape: Tape,
    pub(super) account: Account,
    pub(super) orders: Orders,
    /// Shares traded since the start in the symbols after the first, and in all of them by the trader, each trade counted once.
    pub(super) volume_elsewhere: u64,
    pub(super) volume_own: u64,
    pub(super) spreads_taken: Spreads<{ HORIZONS.len() }>,
    pub(super) spreads_made: Spreads<{ MAKER_HORIZONS.len() }>,
    pub(super) spreads_all: Spreads<{ HORIZONS.len() }>,
    pub(super) inventory: TimeWeighted,
    pub(super) equity: EquitySteps,
    /// By symbol, the mid in half cents without the trader's orders, while others show both sides.
    others_mids: [Option<i64>; SYMBOLS_MAX],
    recorder: Recorder,
    depth: Option<DepthRecorder>,
    session: Session,
    /// Something has happened since the state was last measured.
    unsettled: bool,
    /// So has something that equity depends on.
    revalue: bool,
    closed_at: Option<Time>,
}

impl Collector {
    /// A collector for an episode that has not begun.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let Settings { open, from, close, fees, .. } = settings;
        let own = [Sample::Fills, Sample::FillsWithLaterMid];
        Self {
            settings,
            at: open,
            quote: Quote::default(),
            tape: Tape::new(from),
            account: Account::new(fees),
            orders: Orders::default(),
            volume_elsewhere: 0,
            volume_own: 0,
            spreads_taken: Spreads::new(HORIZONS, own),
            spreads_made: Spreads::new(MAKER_HORIZONS, own),
            spreads_all: Spreads::new(HORIZONS, [Sample::Trades, Sample::TradesWithLaterMid]),
            inventory: TimeWeighted::new(from, Some(0)),
            equity: EquitySteps::new(from),
            others_mids: [None; SYMBOLS_MAX],
            recorder: Recorder::new(open, close),
            depth: None,
            session: Session::Continuous,
            unsettled: true,
            revalue: false,
            closed_at: None,
        }
    }

    /// The same, looking at the visible book as well, which only a chart needs.
    #[must_use]
    pub fn with_depth(self) -> Self {
        let depth = Some(DepthRecorder::new(self.settings.open, self.settings.close));
        Self { depth, ..self }
    }

    /// Time has come to `at`, within the session: measures the state that has held, where it is due.
    #[inline]
    fn clock(&mut self, at: Time) {
        // It was the open at first, so it is never before.
        let at = at.min(self.settings.close);
        if at > self.at {
            self.move_on(at);
        }
    }

    fn move_on(&mut self, at: Time) {
        self.settle();
        while let Some(due) = self.equity.due_before(at) {
            if self.account.holds() {
                self.account.look(due);
                self.at = due;
                self.record();
            }
            self.equity.take(self.account.equity_change());
        }
        self.at = at;
    }

    /// Measures the state that the last request left behind.
    fn settle(&mut self) {
        if !std::mem::take(&mut self.unsettled) {
            return;
        }
        self.orders.settle();
        if std::mem::take(&mut self.revalue) {
            self.account.look(self.at);
        }
        self.record();
    }

    fn record(&mut self) {
        let snapshot = Snapshot {
            mid_cents: self.tape.mid().map(|half_cents| half_cents as f64 / 2.0),
            bid: self.quote.bid.map(|level| level.price),
            ask: self.quote.ask.map(|level| level.price),
            position: self.account.position(),
            pnl_cents: self.account.equity_change_cents(),
            drawdown_cents: self.account.drawdown_cents(),
        };
        self.recorder.settle(self.at, &snapshot);
    }

    fn quote(&mut self, quote: &Quote) {
        let (before, now) = (mid_of(&self.quote), mid_of(quote));
        if before != now {
            self.spreads_all.mid_holds_until(before, self.at);
        }
        self.recorder.quote(self.at, &self.quote, quote);
        self.quote = *quote;
        self.tape.quote(self.at, quote);
        if let Some(mid) = now {
            self.account.mid_is(SymbolIndex::FIRST, mid);
        }
        self.unsettled = true;
        self.settle();
    }

    fn update(&mut self, symbol: SymbolIndex, update: &OrderUpdate) {
        let Some(fill) = self.orders.update(update, self.session) else { return };
        self.account.fill(symbol, fill.side, fill.price, fill.quantity, fill.liquidity);
        self.revalue = true;
        self.unsettled = true;
        if symbol != SymbolIndex::FIRST {
            return;
        }
        self.inventory.set(self.at, Some(self.account.position()));
        let judged = Judged { taker_side: fill.taker_side(), price: fill.price, quantity: fill.quantity };
        let mid = self.others_mids[0];
        match fill.liquidity {
            _ if self.session == Session::Call => {}
            Liquidity::Taker => self.spreads_taken.trade(self.at, &judged, mid),
            Liquidity::Maker => self.spreads_made.trade(self.at, &judged, mid),
        }
        self.recorder.fill(self.at, &fill);
    }

    fn trade(&mut self, symbol: SymbolIndex, judged: &Judged, is_own: bool) {
        let is_first = symbol == SymbolIndex::FIRST;
        if is_first {
            self.recorder.trade(self.at, judged.quantity);
        }
        if self.at < self.settings.from {
            return;
        }
        if is_own {
            self.volume_own += u64::from(judged.quantity);
        }
        if !is_first {
            self.volume_elsewhere += u64::from(judged.quantity);
            return;
        }
        let is_continuous = self.session == Session::Continuous;
        self.tape.trade(judged.quantity, is_continuous.then_some(judged.taker_side));
        if is_continuous {
            self.spreads_all.trade(self.at, judged, mid_of(&self.quote));
        }
    }

    /// The measures and series of the whole session.
    #[must_use]
    pub fn finish(mut self) -> Collected {
        let close = self.closed_at.unwrap_or(self.settings.close);
        self.clock(close);
        self.settle();
        // A later mid at the close itself still counts.
        let end = close + Nanos(1);
        self.spreads_taken.mid_holds_until(self.others_mids[0], end);
        self.spreads_made.mid_holds_until(self.others_mids[0], end);
        self.spreads_all.mid_holds_until(mid_of(&self.quote), end);
        self.account.look(close);
        // A drawdown that the liquidation makes good was there all the same.
        self.record();
        self.account.liquidate(close);
        self.record();
        self.equity.finish(close, self.account.equity_change());
        self.tape.finish(close);
        self.inventory.finish(close);
        let mut measures = [Measure::Value(0.0); KPI_COUNT];
        for (slot, info) in measures.iter_mut().zip(&super::KPIS) {
            *slot = self.measure(info.kpi);
        }
        let (signature, depth) = (self.tape.signature(), self.depth.and_then(DepthRecorder::finish));
        let rejections_too_many_open = self.orders.rejections_too_many_open();
        Collected {
            measures: Measures(measures),
            series: self.recorder.finish(signature, depth),
            rejections_too_many_open,
        }
    }
}

impl EventSink for Collector {
    fn depth_interval(&self) -> Option<Nanos> {
        self.depth.as_ref().map(DepthRecorder::step)
    }

    fn depth(&mut self, _: Time, exchange: &Exchange) {
        if let Some(depth) = &mut self.depth {
            depth.sample(exchange);
        }
    }

    fn leaves_out(&self) -> Vec<LeftOut> {
        vec![LeftOut::One(self.settings.trader)]
    }

    fn others(&mut self, quote: &OthersQuote) {
        if quote.left_out != LeftOut::One(self.settings.trader) || self.closed_at.is_some() {
            return;
        }
        self.clock(quote.at);
        let mid = quote.bid.zip(quote.ask).map(|(bid, ask)| bid.cents() + ask.cents());
        let before = std::mem::replace(&mut self.others_mids[usize::from(quote.symbol.0)], mid);
        if before == mid {
            return;
        }
        if quote.symbol == SymbolIndex::FIRST {
            self.spreads_taken.mid_holds_until(before, self.at);
            self.spreads_made.mid_holds_until(before, self.at);
        }
        if let Some(mid) = mid {
            self.account.mark(quote.symbol, self.at, mid);
            if self.account.holds() {
                self.revalue = true;
                self.unsettled = true;
            }
        }
    }

    fn closing(&mut self, at: Time, symbol: SymbolIndex, exchange: &Exchange) {
        self.clock(at);
        self.settle();
        let trader = self.settings.trader;
        self.account.close(symbol, self.at, |side| exchange.levels_without(side, trader));
    }

    fn event(&mut self, event: &Event) {
        let (symbol, is_first) = (event.symbol, event.symbol == SymbolIndex::FIRST);
        if is_first && self.closed_at.is_some() {
            return;
        }
        self.clock(event.at);
        let trader = self.settings.trader;
        let own = |agent: AgentIndex| agent == trader;
        match &event.kind {
            EventKind::Session(session) if is_first => {
                self.session = *session;
                if *session == Session::Continuous {
                    self.orders.resume();
                    self.unsettled = true;
                }
            }
            EventKind::Opened | EventKind::Session(_) => {}
            EventKind::Closed => {
                self.settle();
                if is_first {
                    self.closed_at = Some(self.at);
                }
            }
            EventKind::Request { agent, request } => {
                self.settle();
                if own(*agent) {
                    self.orders.request(request, self.others_mids[usize::from(symbol.0)], self.session);
                    self.unsettled = true;
                }
            }
            EventKind::Update { agent, update } => {
                if own(*agent) {
                    self.update(symbol, update);
                }
            }
            EventKind::Trade { price, quantity, taker_side, maker, taker } => {
                let judged = Judged { taker_side: *taker_side, price: *price, quantity: *quantity };
                let is_own = own(maker.0) || own(taker.0);
                self.trade(symbol, &judged, is_own);
            }
            EventKind::Quote(quote) if is_first => self.quote(quote),
            EventKind::Quote(quote) => {
                if let Some(mid) = mid_of(quote) {
                    self.account.mid_is(symbol, mid);
                }
            }
        }
    }
}
