//! A checked scenario as data.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use assay_model::{Budget, Desk, Nanos, Price, Seed, StrategyConfig, StrategyTerms, Stream, SymbolIndex, Time};

use super::agents::AgentGroup;
use super::clock::DAY;
use super::drawn_halt::DrawnHalt;
use super::recorded::ReplayMarket;
use crate::exchange::{TraderLimits, Venue};
use crate::fees::Fees;
use crate::owner::{EXCHANGE, REPLAY, STRATEGY};
use crate::series::FundamentalSeries;
use crate::{AgentIndex, FuelOf, PriceBand};

/// Seats in one market. A tournament of more is played in several markets: what each seat is sent and answered adds to what all others wait for, and a market
/// in which most of the flow is strategies says little about any of them.
pub const SEATS_MAX: usize = 16;

/// Width of the price band where a scenario does not say.
pub(super) const PRICE_BAND_BASIS_POINTS: u32 = 1_000;

/// A market in which an episode happens; see the module documentation.
#[derive(Clone, PartialEq, Debug)]
pub struct Scenario {
    /// Short name.
    pub name: String,
    /// One line about it.
    pub summary: String,
    /// Whom it pays for nothing, if it does: profit in such a market is not to be ranked or rewarded. Empty otherwise.
    pub gives_away: String,
    /// The first symbol: the one that a strategy knows without asking, and that the market's measures are of.
    pub symbol: String,
    /// When trading begins.
    pub open: Time,
    /// When trading ends at the latest; later than `open`.
    pub close: Time,
    /// Trading ends at an instant of its own in each episode, at most so long before `close`; at most half of the session. Zero: at `close` always.
    pub close_window: Nanos,
    /// How far from a reference orders may be, in hundredths of a per cent of it; before the first trade, from the fundamental mean. None: any
    /// distance.
    pub price_band_basis_points: Option<u32>,
    /// The band's reference is the mean price of the shares traded for so long; zero: the last trade.
    pub price_band_window: Nanos,
    /// How the venue trades.
    pub venue: Venue,
    /// Halts whose beginning the seed decides, by time.
    pub drawn_halts: Vec<DrawnHalt>,
    /// What it charges.
    pub fees: Fees,
    /// How messages travel.
    pub network: NetworkSettings,
    /// The fundamental value that value agents estimate.
    pub fundamental: FundamentalSettings,
    /// The series that it follows instead of a process, if it does; the settings then hold its first value.
    pub fundamental_series: Option<Arc<FundamentalSeries>>,
    /// The recorded market in which it all happens, if there is one.
    pub replay: Option<ReplayMarket>,
    /// The mixture from which noise, value and momentum agents draw their order sizes.
    pub order_sizes: Vec<OrderSize>,
    /// The first symbol's background agents, in the order of their indices.
    pub agents: Vec<AgentGroup>,
    /// Further symbols of the same exchange; their agents come behind those of the first.
    pub others: Vec<OtherSymbol>,
    /// How long the others trade before the market opens for the strategy; shorter than the session.
    pub warm_up: Nanos,
    /// The strategy's cash at the start, in cents.
    pub starting_cash: i64,
    /// How much the strategy may hold and lose in each symbol. Its capital there is an equal share of the starting cash.
    pub trader_limits: TraderLimits,
    /// The strategy's one-way latency to the exchange, at least.
    pub latency: Nanos,
    /// How long the strategy computes.
    pub thinking: Thinking,
    /// Time between the strategy's ticks; zero means no ticks.
    pub tick_interval: Nanos,
    /// Least time between two quotes sent to the strategy; zero means every change is sent.
    pub market_data_interval: Nanos,
    /// What the strategy may use.
    pub budget: Budget,
    /// The text this was parsed from. Private, so that only the parser makes scenarios.
    pub(super) source: String,
}

/// How long a strategy takes for what it computes: picoseconds for each unit of fuel, so that sums are exact. A request leaves when the fuel that was spent
/// before it has been paid for in time, and the strategy is busy until that of the whole callback has. 0: computing takes no time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thinking {
    /// For a compiled strategy.
    pub picoseconds_per_fuel: u64,
    /// For one in Python, whose fuel includes that of its interpreter.
    pub picoseconds_per_fuel_python: u64,
}

impl Thinking {
    /// Computing takes no time.
    pub const NONE: Self = Self { picoseconds_per_fuel: 0, picoseconds_per_fuel_python: 0 };

    /// What most scenarios have; `docs/fuel.md` says where it comes from.
    pub const USUAL: Self = Self { picoseconds_per_fuel: 500, picoseconds_per_fuel_python: 100 };

    /// How long so much fuel takes, to the nanosecond below; at most a day, after which every market has closed.
    #[must_use]
    #[inline]
    pub fn time(self, of: FuelOf, fuel: u64) -> Nanos {
        let picoseconds = u128::from(fuel) * u128::from(self.rate(of));
        Nanos(u64::try_from(picoseconds / 1_000).map_or(DAY.0, |time| time.min(DAY.0)))
    }

    pub(crate) fn rate(self, of: FuelOf) -> u64 {
        match of {
            FuelOf::Code => self.picoseconds_per_fuel,
            FuelOf::Python => self.picoseconds_per_fuel_python,
        }
    }
}

/// A symbol beside the first. Hours, rules, fees, network and order sizes are the exchange's, so all symbols share them; books and agents are their own.
#[derive(Clone, PartialEq, Debug)]
pub struct OtherSymbol {
    /// Its name.
    pub symbol: String,
    /// Its own part of its fundamental value.
    pub fundamental: FundamentalSettings,
    /// Cents by which its value is off its own part for each cent that the first symbol's is off its mean.
    pub beta: f64,
    /// Its background agents.
    pub agents: Vec<AgentGroup>,
}

/// How messages travel between agents and the exchange.
#[derive(Clone, PartialEq, Debug)]
pub struct NetworkSettings {
    /// Length in metres of the line on which the exchange and the background agents sit, each at a uniformly drawn place;
    /// messages travel at the speed of light.
    pub line_metres: f64,
    /// How long an agent is busy with each message and wake-up; what it sends leaves when it is done.
    pub computation_delay: Nanos,
    /// Random extra latency; none means that a link's latency is constant.
    pub jitter: Option<Jitter>,
    /// What the messages of each kind meet besides, in the order of [`MessageKind::ALL`].
    pub messages: [MessageSettings; MessageKind::ALL.len()],
}

/// Nobody far from the exchange, and fifty nanoseconds for each message: where only the strategy sends any, its own latency says the rest.
impl Default for NetworkSettings {
    fn default() -> Self {
        Self { line_metres: 0.0, computation_delay: Nanos(50), jitter: None, messages: Default::default() }
    }
}

/// What a message is about. Each kind has a channel of its own to and from each agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageKind {
    /// To the exchange: an order, a change or a cancel.
    Request,
    /// To the exchange: a question about the market.
    Query,
    /// From the exchange: what became of a request or an order.
    Update,
    /// From the exchange: the answer to a query.
    Snapshot,
    /// From the exchange: word of a one-sided book.
    Imbalance,
    /// From the exchange: a quote with depth, to the strategy.
    MarketData,
}

impl MessageKind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Request, Self::Query, Self::Update, Self::Snapshot, Self::Imbalance, Self::MarketData];

    /// The kind's name, as scenarios spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["request", "query", "update", "snapshot", "imbalance", "market-data"][self as usize]
    }

    /// Whether messages of this kind can get lost. Requests and their answers cannot: each request has one terminal answer.
    #[must_use]
    pub fn can_be_lost(self) -> bool {
        !matches!(self, Self::Request | Self::Update)
    }
}

/// What messages of one kind meet besides the latency of their link. Messages of one kind never overtake each other.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct MessageSettings {
    /// Extra latency of each.
    pub delay: Nanos,
    /// Each ordered pair of sender and receiver has an extra latency of its own, drawn uniformly up to this.
    pub pair_spread: Nanos,
    /// Share that gets lost.
    pub loss: f64,
}

/// The cubic jitter of ABIDES: a message takes `minimum × (1 + scale / (x³ · unit))`, with `x` uniform in `(clip, 1]`. Messages on
/// one link never overtake each other.
#[derive(Clone, PartialEq, Debug)]
pub struct Jitter {
    /// The curve's `a`.
    pub scale: f64,
    /// Smallest `x`, in `(0, 1]`: bounds the longest delay.
    pub clip: f64,
    /// Fraction of the minimum latency that is the unit of jitter.
    pub unit: f64,
}

/// An Ornstein–Uhlenbeck value with rare large shocks.
#[derive(Clone, PartialEq, Debug)]
pub struct FundamentalSettings {
    /// Long-run mean and first value, in cents; the least of them if the seed decides.
    pub mean: f64,
    /// The most of them; no more than `mean` if the seed does not decide.
    pub mean_most: f64,
    /// Share of the distance to the mean that is lost, per second.
    pub mean_reversion_per_second: f64,
    /// Standard deviation of one second's change, in cents.
    pub volatility_per_root_second: f64,
    /// The value is drawn on this grid and holds in between, so that it does not depend on who looks when.
    pub step: Nanos,
    /// Mean time between shocks; zero means none.
    pub shock_interval: Nanos,
    /// Mean size of a shock in cents; up and down are equally likely.
    pub shock_mean: f64,
    /// Variance of a shock's size in cents².
    pub shock_variance: f64,
    /// Mean time from a shock to a second one of the same size, up or down; zero means none. No shock comes in between.
    pub aftershock_interval: Nanos,
}

impl FundamentalSettings {
    /// A value, in cents, that never changes.
    #[must_use]
    pub fn constant(cents: f64) -> Self {
        Self {
            mean: cents,
            mean_most: cents,
            mean_reversion_per_second: 0.0,
            volatility_per_root_second: 0.0,
            step: Nanos(u64::MAX),
            shock_interval: Nanos(0),
            shock_mean: 0.0,
            shock_variance: 0.0,
            aftershock_interval: Nanos(0),
        }
    }
}

/// One component of the order-size mixture.
#[derive(Clone, PartialEq, Debug)]
pub struct OrderSize {
    /// Its share of the draws.
    pub weight: f64,
    /// Its distribution, rounded to whole shares.
    pub shape: SizeShape,
}

/// See [`OrderSize`].
#[derive(Clone, PartialEq, Debug)]
pub enum SizeShape {
    /// The logarithm of the size is normal.
    LogNormal {
        /// Mean of the logarithm.
        mu: f64,
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
    /// The size is normal.
    Normal {
        /// Mean in shares.
        mean: f64,
        /// Standard deviation in shares.
        deviation: f64,
    },
}

impl Scenario {
    /// The text that this scenario was parsed from.
    #[must_use]
    pub fn to_toml(&self) -> &str {
        &self.source
    }

    /// Number of symbols.
    #[must_use]
    pub fn symbol_count(&self) -> u8 {
        // The parser admits `SYMBOLS_MAX`.
        1 + self.others.len() as u8
    }

    /// The names of all symbols, by index.
    pub fn symbols(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.symbol.as_str()).chain(self.others.iter().map(|other| other.symbol.as_str()))
    }

    /// A symbol's background agents.
    #[must_use]
    pub fn agents_of(&self, symbol: SymbolIndex) -> &[AgentGroup] {
        self.other(symbol).map_or(&self.agents, |other| &other.agents)
    }

    /// A symbol's fundamental value, or its own part of it.
    #[must_use]
    pub fn fundamental_of(&self, symbol: SymbolIndex) -> &FundamentalSettings {
        self.other(symbol).map_or(&self.fundamental, |other| &other.fundamental)
    }

    /// One that is not the first.
    pub(crate) fn other(&self, symbol: SymbolIndex) -> Option<&OtherSymbol> {
        self.others.get(usize::from(symbol.0).checked_sub(1)?)
    }

    /// The exchange's price band for a symbol in the episode of `seed`, if it has one; without one, but with margins, the reference by which positions are valued.
    #[must_use]
    pub fn price_band(&self, symbol: SymbolIndex, seed: Seed) -> Option<PriceBand> {
        let opening_reference = Price::clamped(self.level(symbol, seed).round_ties_even() as i64);
        let values = self.trader_limits.margin.is_some().then_some(PriceBand::UNLIMITED);
        let basis_points = self.price_band_basis_points.or(values)?;
        let width = self.price_band_basis_points.unwrap_or(PRICE_BAND_BASIS_POINTS);
        Some(PriceBand {
            opening_reference,
            basis_points,
            window: self.price_band_window,
            shares: PriceBand::SHARES,
            session_basis_points: width * PriceBand::SESSION_WIDTHS,
        })
    }

    /// When the market opens for the strategy.
    #[must_use]
    pub fn trader_open(&self) -> Time {
        self.open + self.warm_up
    }

    /// From when on the market may close: a strategy that is flat by then is flat at the close.
    #[must_use]
    pub fn closes_from(&self) -> Time {
        Time(self.close.0 - self.close_window.0)
    }

    /// When trading ends in the episode of `seed`: uniform over the nanoseconds after [`closes_from`](Self::closes_from) up to `close`. Nobody who takes part
    /// is told.
    #[must_use]
    pub fn close_at(&self, seed: Seed) -> Time {
        Time(self.close.0 - Stream::new(seed, EXCHANGE, "close").below(self.close_window.0))
    }

    /// What the strategy is told at the start.
    #[must_use]
    pub fn strategy_config(&self) -> StrategyConfig {
        StrategyConfig {
            symbol: self.symbol.clone(),
            starting_cash: self.starting_cash,
            market_open: self.trader_open(),
            market_close: self.closes_from(),
            close_window: self.close_window,
            latency: self.latency,
            tick_interval: self.tick_interval,
            terms: self.strategy_terms(),
        }
    }

    /// What the strategy is held to and charged, as it is told.
    fn strategy_terms(&self) -> StrategyTerms {
        // Basis points, as millionths.
        let millionths = |basis_points: u32| basis_points.saturating_mul(100);
        let margin = self.trader_limits.margin;
        StrategyTerms {
            position_limit: self.trader_limits.position.into(),
            loss_limit: self.trader_limits.loss.unwrap_or(0),
            margin_long: margin.map_or(0, |margin| millionths(margin.long)),
            margin_short: margin.map_or(0, |margin| millionths(margin.short)),
            maintenance_margin: margin.map_or(0, |margin| millionths(margin.maintenance)),
            maker_fee: self.fees.maker,
            taker_fee: self.fees.taker,
            price_band: self.price_band_basis_points.unwrap_or(0),
            picoseconds_per_fuel: self.thinking.picoseconds_per_fuel,
        }
    }

    /// The first seat's desk for the episode of `seed`.
    #[must_use]
    pub fn new_desk(&self, seed: Seed) -> Desk {
        self.new_desk_for(seed, 0)
    }

    /// A seat's desk for the episode of `seed`.
    #[must_use]
    pub fn new_desk_for(&self, seed: Seed, seat: usize) -> Desk {
        let owner = self.agent_name(self.seat(seat));
        Desk::new(seed, &owner, self.starting_cash).with_symbols(self.symbols().map(str::to_owned))
    }

    /// Number of background agents, recorded participants left out.
    #[must_use]
    pub fn agent_count(&self) -> u32 {
        self.groups().map(|(_, group)| group.count).sum()
    }

    /// The indices of the recorded participants: behind the background agents.
    #[must_use]
    pub fn recorded(&self) -> Range<u32> {
        let first = self.agent_count();
        first..first + self.replay.as_ref().map_or(0, |replay| replay.recording.participants())
    }

    /// The index of the strategy in the first seat: behind everybody but other strategies.
    #[must_use]
    pub fn trader(&self) -> AgentIndex {
        AgentIndex(self.recorded().end)
    }

    /// The index of the strategy in this seat, which is below [`SEATS_MAX`].
    #[must_use]
    pub fn seat(&self, seat: usize) -> AgentIndex {
        debug_assert!(seat < SEATS_MAX, "there is no such seat");
        AgentIndex(self.trader().0 + seat as u32)
    }

    /// Every group with its symbol, in the order of the agents' indices.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (SymbolIndex, &AgentGroup)> {
        let symbols = (0..self.symbol_count()).map(SymbolIndex);
        symbols.flat_map(|symbol| self.agents_of(symbol).iter().map(move |group| (symbol, group)))
    }

    /// The symbol and the group of a background agent and its number in the group, from 1; `None` for everyone else.
    #[must_use]
    pub fn group_of(&self, agent: AgentIndex) -> Option<(SymbolIndex, &AgentGroup, u32)> {
        let mut first = 0;
        for (symbol, group) in self.groups() {
            if agent.0 < first + group.count {
                return Some((symbol, group, agent.0 - first + 1));
            }
            first += group.count;
        }
        None
    }

    /// The name that keys an agent's random streams, for example `momentum-3`, or `XYZ/momentum-3` for a symbol that is not the first; `replay-1` for a
    /// recorded participant, which has none; `strategy` for the strategy in the first seat, `strategy-2` for that in the second.
    #[must_use]
    pub fn agent_name(&self, agent: AgentIndex) -> String {
        let recorded = self.recorded();
        if recorded.contains(&agent.0) {
            return format!("{REPLAY}-{}", agent.0 - recorded.start + 1);
        }
        let Some((symbol, group, number)) = self.group_of(agent) else {
            return match agent.0.saturating_sub(recorded.end) {
                0 => STRATEGY.to_owned(),
                // No group is called `strategy`, so no agent is either.
                seat => format!("{STRATEGY}-{}", seat + 1),
            };
        };
        format!("{}{}-{number}", Prefix(self.other(symbol)), group.name)
    }
}

/// What stands before the names of a symbol's random streams: nothing for the first, so that further symbols change nothing about it. No name
/// holds a slash.
pub(crate) struct Prefix<'s>(pub(crate) Option<&'s OtherSymbol>);

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |other| write!(f, "{}/", other.symbol))
    }
}
