//! The collector: one pass over the events of an episode.

use super::account::Account;
use super::catalogue::{KPI_COUNT, Kpi};
use super::depth::DepthRecorder;
use super::measure::{Measure, Measures, Missing, RETURNS_MIN, Sample};
use super::orders::Orders;
use super::series::{Recorder, Series, Snapshot};
use super::spreads::{HORIZONS, Judged, MAKER_HORIZONS, Spreads};
use super::statistics::{Returns, TimeWeighted};
use super::tape::{SIGNATURE_MEASURED, Tape, YEAR_SECONDS, mid_of};
use crate::fees::Fees;
use crate::{AgentIndex, Event, EventKind, EventSink, Exchange, Session};
use assay_model::{Liquidity, Nanos, OrderUpdate, Quote, SymbolIndex, Time};

/// Step of the equity grid behind the Sharpe ratio.
const SHARPE_STEP: Nanos = Nanos::from_secs(60);

/// Whom to measure, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The measured trader.
    pub trader: AgentIndex,
    /// When the market opens.
    pub open: Time,
    /// When the market closes; later events are not measured.
    pub close: Time,
    /// What the venue charges.
    pub fees: Fees,
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
    tape: Tape,
    account: Account,
    orders: Orders,
    /// Shares traded in the symbols after the first.
    volume_elsewhere: u64,
    spreads_taken: Spreads<{ HORIZONS.len() }>,
    spreads_made: Spreads<{ MAKER_HORIZONS.len() }>,
    spreads_all: Spreads<{ HORIZONS.len() }>,
    inventory: TimeWeighted,
    equity: Returns,
    recorder: Recorder,
    depth: Option<DepthRecorder>,
    session: Session,
    /// Something has happened since the state was last measured.
    unsettled: bool,
    closed: bool,
}

impl Collector {
    /// A collector for an episode that has not begun.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let Settings { open, close, fees, .. } = settings;
        let own = [Sample::Fills, Sample::FillsWithLaterMid];
        Self {
            settings,
            at: open,
            quote: Quote::default(),
            tape: Tape::new(open),
            account: Account::new(fees),
            orders: Orders::default(),
            volume_elsewhere: 0,
            spreads_taken: Spreads::new(HORIZONS, own),
            spreads_made: Spreads::new(MAKER_HORIZONS, own),
            spreads_all: Spreads::new(HORIZONS, [Sample::Trades, Sample::TradesWithLaterMid]),
            inventory: TimeWeighted::new(open, Some(0)),
            equity: Returns::arithmetic(open, SHARPE_STEP),
            recorder: Recorder::new(open, close),
            depth: None,
            session: Session::Continuous,
            unsettled: true,
            closed: false,
        }
    }

    /// The same, looking at the visible book as well, which only a chart needs.
    #[must_use]
    pub fn with_depth(self) -> Self {
        let depth = Some(DepthRecorder::new(self.settings.open, self.settings.close));
        Self { depth, ..self }
    }

    /// Measures the state that the last request left behind.
    fn settle(&mut self) {
        if !std::mem::take(&mut self.unsettled) {
            return;
        }
        let mid = self.tape.mid();
        self.orders.settle();
        self.account.mark(SymbolIndex::FIRST, mid);
        self.inventory.set(self.at, Some(self.account.position()));
        self.equity.set(self.at, self.account.equity_change());
        let snapshot = Snapshot {
            mid_cents: mid.map(|half_cents| half_cents as f64 / 2.0),
            bid: self.quote.bid.map(|level| level.price),
            ask: self.quote.ask.map(|level| level.price),
            position: self.account.position(),
            pnl_cents: self.account.equity_change_cents(),
            drawdown_cents: self.account.drawdown_cents(),
        };
        self.recorder.settle(self.at, &snapshot);
    }

    fn quote(&mut self, quote: &Quote) {
        if let Some(mid) = self.tape.mid()
            && mid_of(quote).is_some_and(|now| now != mid)
        {
            self.mid_holds_until(mid, self.at);
        }
        self.recorder.quote(self.at, &self.quote, quote);
        self.quote = *quote;
        self.tape.quote(self.at, quote);
        self.unsettled = true;
        self.settle();
    }

    fn update(&mut self, update: &OrderUpdate) {
        if let Some(fill) = self.orders.update(update) {
            self.account.fill(SymbolIndex::FIRST, fill.side, fill.price, fill.quantity, fill.liquidity);
            let judged = Judged { taker_side: fill.taker_side(), price: fill.price, quantity: fill.quantity };
            match fill.liquidity {
                _ if self.session == Session::Call => {}
                Liquidity::Taker => self.spreads_taken.trade(self.at, &judged, self.tape.mid()),
                Liquidity::Maker => self.spreads_made.trade(self.at, &judged, self.tape.mid()),
            }
            self.recorder.fill(self.at, &fill);
            self.unsettled = true;
        }
    }

    /// Takes in what an event in a symbol after the first means for profit and for what the trader did.
    fn elsewhere(&mut self, event: &Event) {
        let symbol = event.symbol;
        match event.kind {
            EventKind::Request { agent, request } if agent == self.settings.trader => {
                self.orders.request(&request, self.account.mid(symbol));
                self.unsettled = true;
            }
            EventKind::Update { agent, update } if agent == self.settings.trader => {
                if let Some(fill) = self.orders.update(&update) {
                    self.account.fill(symbol, fill.side, fill.price, fill.quantity, fill.liquidity);
                    self.unsettled = true;
                }
            }
            EventKind::Trade { quantity, .. } => self.volume_elsewhere += u64::from(quantity),
            EventKind::Quote(quote) => {
                if let Some((bid, ask)) = quote.bid.zip(quote.ask) {
                    self.account.mark(symbol, Some(bid.price.cents() + ask.price.cents()));
                    self.unsettled = true;
                }
            }
            _ => {}
        }
    }

    fn mid_holds_until(&mut self, mid: i64, until: Time) {
        self.spreads_taken.mid_holds_until(mid, until);
        self.spreads_made.mid_holds_until(mid, until);
        self.spreads_all.mid_holds_until(mid, until);
    }

    /// The measures and series of the whole session.
    #[must_use]
    pub fn finish(mut self) -> Collected {
        self.settle();
        let close = self.settings.close;
        if let Some(mid) = self.tape.mid() {
            // A later mid at the close itself still counts.
            self.mid_holds_until(mid, close + Nanos(1));
        }
        self.tape.finish(close);
        self.inventory.set(close, None);
        self.equity.finish(close);
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

/// The measures, each by its definition in the catalogue.
impl Collector {
    fn measure(&self, kpi: Kpi) -> Measure {
        match kpi {
            Kpi::Pnl
            | Kpi::RealisedPnl
            | Kpi::UnrealisedPnl
            | Kpi::Fees
            | Kpi::MaxDrawdown
            | Kpi::Sharpe
            | Kpi::SharpeStandardError
            | Kpi::SharpeReturns => self.profit(kpi),
            Kpi::InventoryFinal => Measure::Value(self.account.position() as f64),
            Kpi::InventoryMean => Measure::Value(self.inventory.mean().unwrap_or_default()),
            Kpi::InventorySd => Measure::Value(self.inventory.standard_deviation().unwrap_or_default()),
            Kpi::InventoryMax => Measure::Value(self.account.position_absolute_max() as f64),
            Kpi::Orders => Measure::Value(self.orders.submitted() as f64),
            Kpi::Rejections => Measure::Value(self.orders.rejections() as f64),
            Kpi::Fills => Measure::Value(self.orders.fills() as f64),
            Kpi::SharesTraded => Measure::Value(self.orders.filled_shares() as f64),
            Kpi::FillRateOrders => self.orders.fill_rate_orders(),
            Kpi::FillRateQuantity => self.orders.fill_rate_quantity(),
            Kpi::FillRatePassive => self.orders.fill_rate_passive(),
            Kpi::MakerShare => self.orders.maker_share(),
            Kpi::OrderToTrade => self.orders.order_to_trade(),
            Kpi::OrderToTradeVolume => self.orders.order_to_trade_volume(),
            Kpi::Participation => {
                let volume = self.tape.volume() + self.volume_elsewhere;
                Measure::ratio(self.orders.filled_shares(), volume, Sample::MarketShares)
            }
            Kpi::Shortfall => self.orders.shortfall_basis_points(),
            Kpi::EffectiveSpreadPaid => self.spreads_taken.effective(),
            Kpi::RealisedSpreadPaid1s => self.spreads_taken.realised(0),
            Kpi::RealisedSpreadPaid5s => self.spreads_taken.realised(1),
            Kpi::RealisedSpreadPaid60s => self.spreads_taken.realised(2),
            Kpi::Impact1s => self.spreads_taken.impact(0),
            Kpi::Impact5s => self.spreads_taken.impact(1),
            Kpi::Impact60s => self.spreads_taken.impact(2),
            Kpi::EffectiveSpreadEarned => self.spreads_made.effective(),
            Kpi::RealisedSpreadEarned1s => self.spreads_made.realised(2),
            Kpi::RealisedSpreadEarned5s => self.spreads_made.realised(3),
            Kpi::RealisedSpreadEarned60s => self.spreads_made.realised(4),
            Kpi::AdverseSelection100ms => self.spreads_made.impact(0),
            Kpi::AdverseSelection500ms => self.spreads_made.impact(1),
            Kpi::AdverseSelection1s => self.spreads_made.impact(2),
            Kpi::AdverseSelection5s => self.spreads_made.impact(3),
            Kpi::AdverseSelection60s => self.spreads_made.impact(4),
            Kpi::Spread => self.tape.spread_mean_cents(),
            Kpi::Trades => Measure::Value(self.tape.trades() as f64),
            Kpi::Volume => Measure::Value(self.tape.volume() as f64),
            Kpi::ReturnSd60s => self.tape.one_minute_deviation_basis_points(),
            Kpi::MidRange => self.tape.mid_range_cents(),
            Kpi::BidSize => self.tape.bid_size_mean(),
            Kpi::Volatility1s => self.tape.volatility(SIGNATURE_MEASURED[0]),
            Kpi::Volatility10s => self.tape.volatility(SIGNATURE_MEASURED[1]),
            Kpi::Volatility60s => self.tape.volatility(SIGNATURE_MEASURED[2]),
            Kpi::Volatility300s => self.tape.volatility(SIGNATURE_MEASURED[3]),
            Kpi::OneSidedTime => self.tape.one_sided_fraction(),
            Kpi::Vpin => self.tape.vpin(),
            Kpi::SpreadRecovery => self.tape.spread_recovery_seconds(),
            Kpi::SpreadShocks => Measure::Value(self.tape.spread_shocks() as f64),
            Kpi::MarketEffectiveSpread => self.spreads_all.effective(),
            Kpi::MarketRealisedSpread1s => self.spreads_all.realised(0),
            Kpi::MarketRealisedSpread5s => self.spreads_all.realised(1),
            Kpi::MarketRealisedSpread60s => self.spreads_all.realised(2),
            Kpi::MarketImpact1s => self.spreads_all.impact(0),
            Kpi::MarketImpact5s => self.spreads_all.impact(1),
            Kpi::MarketImpact60s => self.spreads_all.impact(2),
        }
    }

    fn profit(&self, kpi: Kpi) -> Measure {
        let no_mid = Measure::Missing(Missing::TooFew { sample: Sample::Mids, have: 0, need: 1 });
        let unrealised = self.account.unrealised_cents();
        match kpi {
            Kpi::RealisedPnl => Measure::Value(self.account.realised_cents()),
            Kpi::UnrealisedPnl => unrealised.map_or(no_mid, Measure::Value),
            Kpi::Fees => Measure::Value(self.account.fees_cents()),
            Kpi::SharpeReturns => Measure::Value(self.equity.count() as f64),
            // Shares held that cannot be marked leave these three without a value.
            _ if unrealised.is_none() => no_mid,
            Kpi::Pnl => Measure::Value(self.account.equity_change_cents()),
            Kpi::MaxDrawdown => Measure::Value(self.account.drawdown_max_cents()),
            _ => self.sharpe(kpi == Kpi::SharpeStandardError),
        }
    }

    /// The annualised Sharpe ratio, or its standard error.
    fn sharpe(&self, standard_error: bool) -> Measure {
        let count = self.equity.count();
        let deviation = self.equity.standard_deviation();
        if count >= RETURNS_MIN && deviation == 0.0 {
            return Measure::Missing(Missing::NoVariation);
        }
        Measure::given(Sample::Returns, count, RETURNS_MIN, || {
            let ratio = self.equity.mean() / deviation;
            let value = if standard_error { libm::sqrt((1.0 + ratio * ratio / 2.0) / count as f64) } else { ratio };
            value * libm::sqrt(YEAR_SECONDS * 1e9 / SHARPE_STEP.0 as f64)
        })
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

    fn event(&mut self, event: &Event) {
        if event.symbol == SymbolIndex::FIRST && self.closed {
            return;
        }
        let at = event.at.clamp(self.settings.open, self.settings.close);
        if at > self.at || matches!(event.kind, EventKind::Request { .. } | EventKind::Closed) {
            self.settle();
        }
        self.at = at;
        if event.symbol != SymbolIndex::FIRST {
            return self.elsewhere(event);
        }
        match &event.kind {
            EventKind::Opened => {}
            EventKind::Session(session) => self.session = *session,
            EventKind::Closed => self.closed = true,
            EventKind::Request { agent, request } => {
                if *agent == self.settings.trader {
                    self.orders.request(request, self.tape.mid());
                    self.unsettled = true;
                }
            }
            EventKind::Update { agent, update } => {
                if *agent == self.settings.trader {
                    self.update(update);
                }
            }
            EventKind::Trade { price, quantity, taker_side, .. } => {
                let taker_side = (self.session == Session::Continuous).then_some(*taker_side);
                self.tape.trade(*quantity, taker_side);
                self.recorder.trade(self.at, *quantity);
                if let Some(taker_side) = taker_side {
                    let judged = Judged { taker_side, price: *price, quantity: *quantity };
                    self.spreads_all.trade(self.at, &judged, self.tape.mid());
                }
            }
            EventKind::Quote(quote) => self.quote(quote),
        }
    }
}
