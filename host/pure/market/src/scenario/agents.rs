//! Groups of background agents and what each kind can be told, as checked data.

use assay_model::{Nanos, Side, Time};

/// Agents of one kind with the same settings. Agent number `n` of the group (from 1) is called `<name>-<n>`.
#[derive(Clone, PartialEq, Debug)]
pub struct AgentGroup {
    /// Name of the group; unique, because it keys the random streams.
    pub name: String,
    /// How many.
    pub count: u32,
    /// Sizes of their own; none if they draw every size from the scenario's mixture, or draw none at all.
    pub own_size: Option<SizeRange>,
    /// What they do.
    pub kind: AgentKind,
}

/// Each agent of the group draws one size, uniformly within these limits, at its start, and orders no other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SizeRange {
    /// Smallest, in shares; above zero.
    pub least: u32,
    /// Largest, in shares.
    pub most: u32,
}

/// What a group of agents does.
#[derive(Clone, PartialEq, Debug)]
pub enum AgentKind {
    /// Trade once, at random.
    Noise(NoiseSettings),
    /// Trade towards their estimate of the fundamental value.
    Value(ValueSettings),
    /// Follow moving averages.
    Momentum(MomentumSettings),
    /// Quote a ladder on both sides.
    MarketMaker(MarketMakerSettings),
    /// Buy or sell a large quantity as a share of the traded volume.
    Execution(ExecutionSettings),
    /// Split large orders into many of one side.
    Metaorder(MetaorderSettings),
    /// Send orders that come in clusters.
    Hawkes(HawkesSettings),
    /// Take what is offered at a wrong price.
    Informed(InformedSettings),
    /// Show large orders that they do not mean to trade.
    Spoofer(SpooferSettings),
    /// Quote a ladder around an estimate that learns from the flow of orders.
    Dealer(DealerSettings),
}

impl AgentKind {
    /// Every kind's name, as scenarios spell it.
    pub const NAMES: [&'static str; 10] = [
        "noise",
        "value",
        "momentum",
        "market-maker",
        "execution",
        "metaorder",
        "hawkes",
        "informed",
        "spoofer",
        "dealer",
    ];

    /// The kind's name, as scenarios spell it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        let index = match self {
            Self::Noise(_) => 0,
            Self::Value(_) => 1,
            Self::Momentum(_) => 2,
            Self::MarketMaker(_) => 3,
            Self::Execution(_) => 4,
            Self::Metaorder(_) => 5,
            Self::Hawkes(_) => 6,
            Self::Informed(_) => 7,
            Self::Spoofer(_) => 8,
            Self::Dealer(_) => 9,
        };
        Self::NAMES[index]
    }

    /// Whether agents of this kind draw the sizes of their orders.
    #[must_use]
    pub fn draws_sizes(&self) -> bool {
        !matches!(self, Self::MarketMaker(_) | Self::Execution(_) | Self::Dealer(_))
    }
}

/// Noise agents wake once, at a U-quadratic time between these two, and trade at the far touch, either side with equal chance.
#[derive(Clone, PartialEq, Debug)]
pub struct NoiseSettings {
    /// Earliest wake-up; those before the open act at the open.
    pub active_from: Time,
    /// Latest wake-up; those after the close never act.
    pub active_until: Time,
}

/// Value agents estimate the fundamental value at the close from noisy observations and trade towards it.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueSettings {
    /// Mean of the exponential time between wake-ups.
    pub wake_interval: Nanos,
    /// The mean reversion they believe in, per second.
    pub mean_reversion_per_second: f64,
    /// Variance of an observation of the fundamental value, in cents².
    pub observation_variance: f64,
    /// Variance that they believe each nanosecond adds to the value, in cents².
    pub shock_variance_per_nanosecond: f64,
    /// Share of orders placed at the far touch, to trade at once.
    pub aggressive_share: f64,
    /// The others are placed uniformly up to this many spreads from the far touch.
    pub depth_spreads: u32,
}

/// Momentum agents buy at the offer when the short moving average of the mid price is at or above the long one, and else sell at the bid.
#[derive(Clone, PartialEq, Debug)]
pub struct MomentumSettings {
    /// Mean of the exponential time between wake-ups.
    pub wake_interval: Nanos,
    /// Observations in the short average.
    pub short_window: u32,
    /// Observations in the long average; more than in the short one.
    pub long_window: u32,
}

/// Adaptive market makers cancel all and quote a ladder anew at each wake-up, and add one when the book is one-sided.
#[derive(Clone, PartialEq, Debug)]
pub struct MarketMakerSettings {
    /// Mean of the exponential time between wake-ups.
    pub wake_interval: Nanos,
    /// Window over which traded volume is measured.
    pub volume_window: Nanos,
    /// Shares quoted at each level, as a share of the traded volume.
    pub participation: f64,
    /// Least shares quoted at each level.
    pub minimum_size: u32,
    /// Shares quoted at the outermost level of each side instead; zero for as many as at the others.
    pub backstop_size: u32,
    /// Levels on each side.
    pub levels: u32,
    /// Distance between levels, in smoothed spreads.
    pub level_spacing: f64,
    /// Weight of the newest spread in the moving average.
    pub spread_smoothing: f64,
    /// The moving average's first value, in cents.
    pub initial_spread: f64,
    /// How far the ladder moves with the takers when all traded volume was on one side, in cents; below zero, against them.
    pub trade_skew: f64,
    /// The book is one-sided when its smaller side is less than one minus this of the larger.
    pub imbalance_threshold: f64,
    /// Pause between cancelling and asking for the market.
    pub cancel_delay: Nanos,
}

/// Execution agents work one large order: at each wake-up they send a market order for a share of the volume that was traded since the last.
#[derive(Clone, PartialEq, Debug)]
pub struct ExecutionSettings {
    /// Buy or sell; none if the seed decides, for the whole group.
    pub side: Option<Side>,
    /// Shares to trade in all, at least and at most: the seed decides, for the whole group.
    pub quantity: (u64, u64),
    /// Shares of each order, as a share of the volume traded in the last interval.
    pub participation: f64,
    /// First wake-up, at the earliest and at the latest: the seed decides, for the whole group.
    pub active_from: (Time, Time),
    /// No wake-up from here on.
    pub active_until: Ending,
    /// Time between wake-ups.
    pub interval: Nanos,
    /// Share of the seeds in which the group does anything.
    pub chance: f64,
}

/// When something ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// At this time.
    At(Time),
    /// So long after it began.
    After(Nanos),
}

/// Wake-ups that come in clusters and follow the clock: a Hawkes process over a base rate that is a parabola over the session.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowSettings {
    /// Mean time between wake-ups at midday, those that others set off included.
    pub wake_interval: Nanos,
    /// Mean number of wake-ups that each one sets off, below 1; zero for a Poisson process.
    pub self_excitation: f64,
    /// Over what times one sets off others: the shortest.
    pub memory_shortest: Nanos,
    /// And the longest.
    pub memory_longest: Nanos,
    /// Rate at the open and at the close as a multiple of that at midday.
    pub edge_ratio: f64,
}

/// Metaorder agents work large orders one after the other, each in market orders of one side.
#[derive(Clone, PartialEq, Debug)]
pub struct MetaorderSettings {
    /// When they send a piece.
    pub flow: FlowSettings,
    /// Exponent of the power law from which the number of pieces is drawn; the smaller, the longer the orders.
    pub tail_exponent: f64,
    /// Most pieces of an order.
    pub most_pieces: u32,
    /// Share of the orders whose owner knows the fundamental value: they buy below it and sell above it, and end when the price has reached it. The
    /// others take either side with equal chance.
    pub informed: f64,
    /// How far the mid must be from the value for an owner who knows it to begin, in cents.
    pub edge: f64,
}

/// Order-flow agents send market and limit orders that excite one another.
#[derive(Clone, PartialEq, Debug)]
pub struct HawkesSettings {
    /// When they send an order.
    pub flow: FlowSettings,
    /// Share of market orders.
    pub taker_share: f64,
    /// Mean of the exponential distance of limit orders behind the best price, in cents: the best that does not trade, or with `improves = false` the best
    /// that somebody shows on their own side.
    pub depth: f64,
    /// Whether limit orders may be better than any on their side.
    pub improves: bool,
    /// Limit orders that each keeps resting; the oldest is cancelled for a new one.
    pub resting_orders: u32,
    /// Whether they cancel them all when a shock to the fundamental value becomes known.
    pub cancels_at_news: bool,
}

/// Informed agents know the fundamental value and take what is offered at a price that is wrong by more than `edge`.
#[derive(Clone, PartialEq, Debug)]
pub struct InformedSettings {
    /// When they look.
    pub flow: FlowSettings,
    /// In cents.
    pub edge: f64,
}

/// Spoofing agents rest an order of their own at the touch and a large one behind the other side's touch, which they cancel when the touch
/// comes close.
#[derive(Clone, PartialEq, Debug)]
pub struct SpooferSettings {
    /// Mean of the exponential time between looks.
    pub wake_interval: Nanos,
    /// Shares of the large order.
    pub shown_size: u32,
    /// Its distance behind the touch, in cents.
    pub distance: i64,
    /// Cancelled when the touch is this near or nearer, in cents; less than the distance.
    pub retreat: i64,
}

/// Dealers quote a ladder on both sides of an estimate of the value that follows the flow of orders, and cancel and quote anew when it has changed.
#[derive(Clone, PartialEq, Debug)]
pub struct DealerSettings {
    /// Mean of the exponential time between looks.
    pub wake_interval: Nanos,
    /// Least distance of the best quotes from the estimate, in cents.
    pub half_spread: f64,
    /// Levels on each side.
    pub levels: u32,
    /// Distance between levels, in cents. Levels behind the best one stand further out where `impact` would otherwise pay for taking them and giving them
    /// back.
    pub level_step: u32,
    /// Shares quoted at each level.
    pub level_size: u32,
    /// Shares quoted at the outermost level of each side instead; zero for as many as at the others.
    pub backstop_size: u32,
    /// How far each share that takers buy net moves the estimate, in cents.
    pub impact: f64,
    /// Share of that move which fades again.
    pub fading_share: f64,
    /// Over what times it fades: the shortest.
    pub fading_shortest: Nanos,
    /// And the longest.
    pub fading_longest: Nanos,
    /// Share of each shock to the fundamental value that is public, and moves the estimate at once.
    pub news_share: f64,
    /// How far each share held moves the ladder against it, in cents.
    pub inventory_skew: f64,
    /// How far each cent by which flow has moved the estimate of late moves the quotes apart on each side, in cents.
    pub widening: f64,
    /// For how long a move counts as of late: it fades with this time.
    pub widening_memory: Nanos,
}
