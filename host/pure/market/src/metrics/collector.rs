//! The collector: one pass over the events of an episode.

use super::account::Account;
use super::catalogue::{KPI_COUNT, Kpi};
use super::measure::{Measure, Measures, Missing, RETURNS_MIN, Sample};
use super::orders::Orders;
use super::series::{Recorder, Series, Snapshot};
use super::spreads::Spreads;
use super::statistics::{Returns, TimeWeighted};
use super::tape::{Tape, YEAR_SECONDS};
use crate::fees::Fees;
use crate::{AgentIndex, Event, EventKind, EventSink};
use assay_model::{Nanos, OrderUpdate, Quote, Time};

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
    spreads: Spreads,
    inventory: TimeWeighted,
    equity: Returns,
    recorder: Recorder,
    /// Something has happened since the state was last measured.
    unsettled: bool,
    closed: bool,
}

impl Collector {
    /// A collector for an episode that has not begun.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let Settings { open, close, fees, .. } = settings;
        Self {
            settings,
            at: open,
            quote: Quote::default(),
            tape: Tape::new(open),
            account: Account::new(fees),
            orders: Orders::default(),
            spreads: Spreads::default(),
            inventory: TimeWeighted::new(open, Some(0)),
            equity: Returns::arithmetic(open, SHARPE_STEP),
            recorder: Recorder::new(open, close),
            unsettled: true,
            closed: false,
        }
    }

    /// Measures the state that the last request left behind.
    fn settle(&mut self) {
        if !std::mem::take(&mut self.unsettled) {
            return;
        }
        let mid = self.tape.mid();
        self.orders.settle();
        self.account.mark(mid);
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
        if let Some(mid) = self.tape.mid() {
            self.spreads.mid_holds_until(mid, self.at);
        }
        self.quote = *quote;
        self.tape.quote(self.at, quote);
        self.unsettled = true;
        self.settle();
    }

    fn update(&mut self, update: &OrderUpdate) {
        if let Some(fill) = self.orders.update(update) {
            self.account.fill(fill.side, fill.price, fill.quantity, fill.liquidity);
            self.spreads.fill(self.at, &fill, self.tape.mid());
            self.recorder.fill(self.at, &fill);
            self.unsettled = true;
        }
    }

    /// The measures and series of the whole session.
    #[must_use]
    pub fn finish(mut self) -> Collected {
        self.settle();
        let close = self.settings.close;
        if let Some(mid) = self.tape.mid() {
            // A later mid at the close itself still counts.
            self.spreads.mid_holds_until(mid, close + Nanos(1));
        }
        self.tape.finish(close);
        self.inventory.set(close, None);
        self.equity.finish(close);
        let mut measures = [Measure::Value(0.0); KPI_COUNT];
        for (slot, info) in measures.iter_mut().zip(&super::KPIS) {
            *slot = self.measure(info.kpi);
        }
        let rejections_too_many_open = self.orders.rejections_too_many_open();
        Collected { measures: Measures(measures), series: self.recorder.finish(), rejections_too_many_open }
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
            Kpi::OrderToTrade => self.orders.order_to_trade(),
            Kpi::OrderToTradeVolume => self.orders.order_to_trade_volume(),
            Kpi::Participation => Measure::ratio(self.orders.filled_shares(), self.tape.volume(), Sample::MarketShares),
            Kpi::Shortfall => self.orders.shortfall_basis_points(),
            Kpi::EffectiveSpreadPaid => self.spreads.taker().effective(),
            Kpi::RealisedSpreadPaid1s => self.spreads.taker().realised(0),
            Kpi::RealisedSpreadPaid5s => self.spreads.taker().realised(1),
            Kpi::RealisedSpreadPaid60s => self.spreads.taker().realised(2),
            Kpi::Impact1s => self.spreads.taker().impact(0),
            Kpi::Impact5s => self.spreads.taker().impact(1),
            Kpi::Impact60s => self.spreads.taker().impact(2),
            Kpi::EffectiveSpreadEarned => self.spreads.maker().effective(),
            Kpi::RealisedSpreadEarned1s => self.spreads.maker().realised(0),
            Kpi::RealisedSpreadEarned5s => self.spreads.maker().realised(1),
            Kpi::RealisedSpreadEarned60s => self.spreads.maker().realised(2),
            Kpi::AdverseSelection1s => self.spreads.maker().impact(0),
            Kpi::AdverseSelection5s => self.spreads.maker().impact(1),
            Kpi::AdverseSelection60s => self.spreads.maker().impact(2),
            Kpi::Spread => self.tape.spread_mean_cents(),
            Kpi::Trades => Measure::Value(self.tape.trades() as f64),
            Kpi::Volume => Measure::Value(self.tape.volume() as f64),
            Kpi::ReturnSd60s => self.tape.one_minute_deviation_basis_points(),
            Kpi::MidRange => self.tape.mid_range_cents(),
            Kpi::BidSize => self.tape.bid_size_mean(),
            Kpi::Volatility1s => self.tape.volatility(0),
            Kpi::Volatility10s => self.tape.volatility(1),
            Kpi::Volatility60s => self.tape.volatility(2),
            Kpi::Volatility300s => self.tape.volatility(3),
            Kpi::OneSidedTime => self.tape.one_sided_fraction(),
            Kpi::Vpin => self.tape.vpin(),
            Kpi::SpreadRecovery => self.tape.spread_recovery_seconds(),
        }
    }

    fn profit(&self, kpi: Kpi) -> Measure {
        let no_mid = Measure::Missing(Missing::TooFew { sample: Sample::Mids, have: 0, need: 1 });
        let unrealised = self.account.unrealised_cents(self.tape.mid());
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
    fn event(&mut self, event: &Event) {
        if self.closed {
            return;
        }
        let at = event.at.clamp(self.settings.open, self.settings.close);
        if at > self.at || matches!(event.kind, EventKind::Request { .. } | EventKind::Closed) {
            self.settle();
        }
        self.at = at;
        match &event.kind {
            EventKind::Opened | EventKind::Session(_) => {}
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
            EventKind::Trade { quantity, taker_side, .. } => {
                self.tape.trade(*quantity, *taker_side);
                self.recorder.trade(self.at, *quantity);
            }
            EventKind::Quote(quote) => self.quote(quote),
        }
    }
}
