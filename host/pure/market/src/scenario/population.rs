//! The `[[agents]]` tables of a scenario, checked.

use assay_model::{Nanos, PRICE_MAX_CENTS, QUANTITY_MAX, Side, Time};
use std::ops::RangeInclusive;

use super::agents::{
    AgentGroup, AgentKind, DealerSettings, Ending, ExecutionSettings, FlowSettings, HawkesSettings, InformedSettings,
    MarketMakerSettings, MetaorderSettings, MomentumSettings, NoiseSettings, SizeRange, SpooferSettings, ValueSettings,
};
use super::clock::DAY;
use super::error::{ScenarioError, ScenarioFault};
use super::limits::{CENTS, LATENCY_MAX, LEVELS_MAX, REVERSION, SHARE, VARIANCE, WAKE_INTERVAL_MIN, WINDOW_MAX};
use super::read::{Section, name};
use crate::owner::{EXCHANGE, FUNDAMENTAL, REPLAY, STRATEGY};
use crate::{AGENTS_MAX, OPEN_ORDERS_MAX};

/// Most shares that an execution agent works: more than any company has.
const EXECUTION_QUANTITY_MAX: i64 = 1_000_000_000_000;

/// Each wake-up may set off nearly one other; at one, the process would explode.
const EXCITATION: RangeInclusive<f64> = 0.0..=0.99;
/// Most orders that an order-flow agent keeps resting: as many as the exchange lets one have.
const RESTING_MAX: i64 = OPEN_ORDERS_MAX as i64;

/// Every group, in the order of the file.
pub(super) fn agents(root: &Section<'_, '_>, midnight: Time) -> Result<Vec<AgentGroup>, ScenarioError> {
    let mut groups: Vec<AgentGroup> = Vec::new();
    let mut total = 0;
    for section in root.sections("agents")? {
        let kind = AgentKind::NAMES[section.word("kind", &AgentKind::NAMES)?];
        let name = name(&section, "name", Some(kind))?;
        if [EXCHANGE, FUNDAMENTAL, REPLAY, STRATEGY].contains(&name.as_str())
            || groups.iter().any(|group| group.name == name)
        {
            let hint = "give every group its own `name`: names key the random streams";
            return Err(section.fault("name", ScenarioFault::NameTaken(name), Some(hint.to_owned())));
        }
        let count = section.integer("count", 0..=AGENTS_MAX as i64, None)?;
        total += count as u64;
        if total > AGENTS_MAX {
            return Err(section.fault("count", ScenarioFault::TooManyAgents { total, limit: AGENTS_MAX }, None));
        }
        let kind = match kind {
            "noise" => AgentKind::Noise(noise(&section, midnight)?),
            "value" => AgentKind::Value(value(&section)?),
            "momentum" => AgentKind::Momentum(momentum(&section)?),
            "market-maker" => AgentKind::MarketMaker(market_maker(&section)?),
            "execution" => AgentKind::Execution(execution(&section, midnight)?),
            "metaorder" => AgentKind::Metaorder(metaorder(&section)?),
            "hawkes" => AgentKind::Hawkes(hawkes(&section)?),
            "informed" => AgentKind::Informed(informed(&section)?),
            "spoofer" => AgentKind::Spoofer(spoofer(&section)?),
            "dealer" => AgentKind::Dealer(dealer(&section)?),
            other => unreachable!("`{other}` is among the names of kinds, but has no arm here"),
        };
        let own_size = if section.has("own_size") { Some(own_size(&section)?) } else { None };
        groups.push(AgentGroup { name, count: count as u32, own_size, kind });
    }
    Ok(groups)
}

/// The keys of a group of agents, with those that every kind has.
fn group<'d, 'i>(section: &Section<'d, 'i>, own: &[&str]) -> Result<Section<'d, 'i>, ScenarioError> {
    section.clone().only(&[&["kind", "name", "count"], own].concat())
}

/// As [`group`], for a kind that draws the sizes of its orders.
fn sizing_group<'d, 'i>(section: &Section<'d, 'i>, own: &[&str]) -> Result<Section<'d, 'i>, ScenarioError> {
    group(section, &[&["own_size"], own].concat())
}

fn own_size(section: &Section<'_, '_>) -> Result<SizeRange, ScenarioError> {
    let section = section.section("own_size", &["least", "most"])?;
    let shares = |key| section.integer(key, 1..=QUANTITY_MAX as i64, None);
    let (least, most) = (shares("least")?, shares("most")?);
    if least > most {
        return Err(section.fault("least", ScenarioFault::Greater { other: "most" }, None));
    }
    Ok(SizeRange { least: least as u32, most: most as u32 })
}

/// The hours in which a group is active.
fn active(section: &Section<'_, '_>, midnight: Time) -> Result<(Time, Time), ScenarioError> {
    let (from, until) = (section.time_of_day("active_from", None)?, section.time_of_day("active_until", None)?);
    if from >= until {
        return Err(section.fault("active_from", ScenarioFault::NotLess { other: "active_until" }, None));
    }
    Ok((midnight + from, midnight + until))
}

fn wake_interval(section: &Section<'_, '_>) -> Result<Nanos, ScenarioError> {
    section.duration("wake_interval", WAKE_INTERVAL_MIN..=DAY, None)
}

fn noise(section: &Section<'_, '_>, midnight: Time) -> Result<NoiseSettings, ScenarioError> {
    let section = sizing_group(section, &["active_from", "active_until"])?;
    let (active_from, active_until) = active(&section, midnight)?;
    Ok(NoiseSettings { active_from, active_until })
}

fn value(section: &Section<'_, '_>) -> Result<ValueSettings, ScenarioError> {
    let section = sizing_group(
        section,
        &[
            "wake_interval",
            "mean_reversion_per_second",
            "observation_variance",
            "shock_variance_per_nanosecond",
            "aggressive_share",
            "depth_spreads",
        ],
    )?;
    Ok(ValueSettings {
        wake_interval: wake_interval(&section)?,
        mean_reversion_per_second: section.number("mean_reversion_per_second", REVERSION, None)?,
        observation_variance: section.number("observation_variance", VARIANCE, None)?,
        shock_variance_per_nanosecond: section.number("shock_variance_per_nanosecond", VARIANCE, Some(100_000.0))?,
        aggressive_share: section.number("aggressive_share", SHARE, Some(0.1))?,
        depth_spreads: section.integer("depth_spreads", 1..=1_000, Some(2))? as u32,
    })
}

fn momentum(section: &Section<'_, '_>) -> Result<MomentumSettings, ScenarioError> {
    let section = sizing_group(section, &["wake_interval", "short_window", "long_window"])?;
    let window = |key, default| section.integer(key, 1..=i64::from(WINDOW_MAX), Some(default));
    let (short, long) = (window("short_window", 20)?, window("long_window", 50)?);
    if short >= long {
        return Err(section.fault("short_window", ScenarioFault::NotLess { other: "long_window" }, None));
    }
    Ok(MomentumSettings {
        wake_interval: wake_interval(&section)?,
        short_window: short as u32,
        long_window: long as u32,
    })
}

fn market_maker(section: &Section<'_, '_>) -> Result<MarketMakerSettings, ScenarioError> {
    let section = group(
        section,
        &[
            "wake_interval",
            "volume_window",
            "participation",
            "minimum_size",
            "backstop_size",
            "levels",
            "level_spacing",
            "spread_smoothing",
            "initial_spread",
            "trade_skew",
            "imbalance_threshold",
            "cancel_delay",
        ],
    )?;
    let wake_interval = wake_interval(&section)?;
    Ok(MarketMakerSettings {
        wake_interval,
        volume_window: section.duration("volume_window", Nanos(0)..=DAY, Some(wake_interval))?,
        participation: section.number("participation", SHARE, None)?,
        minimum_size: section.integer("minimum_size", 1..=QUANTITY_MAX as i64, Some(1))? as u32,
        backstop_size: section.integer("backstop_size", 0..=QUANTITY_MAX as i64, Some(0))? as u32,
        levels: section.integer("levels", 1..=i64::from(LEVELS_MAX), None)? as u32,
        level_spacing: section.number("level_spacing", 0.0..=1_000.0, None)?,
        spread_smoothing: section.number("spread_smoothing", SHARE, None)?,
        initial_spread: section.number("initial_spread", CENTS, Some(50.0))?,
        trade_skew: section.number("trade_skew", -*CENTS.end()..=*CENTS.end(), Some(0.0))?,
        imbalance_threshold: section.number("imbalance_threshold", SHARE, Some(0.9))?,
        cancel_delay: section.duration("cancel_delay", Nanos(0)..=LATENCY_MAX, Some(Nanos(50)))?,
    })
}

fn execution(section: &Section<'_, '_>, midnight: Time) -> Result<ExecutionSettings, ScenarioError> {
    let keys = ["side", "quantity", "participation", "active_from", "active_until", "lasts", "interval", "chance"];
    let section = group(section, &keys)?;
    let (earliest, latest) = section.times_of_day("active_from")?;
    let quantity = section.integers("quantity", 1..=EXECUTION_QUANTITY_MAX)?;
    Ok(ExecutionSettings {
        side: [Some(Side::Buy), Some(Side::Sell), None][section.word("side", &["buy", "sell", "random"])?],
        quantity: (quantity.0 as u64, quantity.1 as u64),
        participation: section.number("participation", SHARE, None)?,
        active_from: (midnight + earliest, midnight + latest),
        active_until: ending(&section, midnight, latest)?,
        interval: section.duration("interval", WAKE_INTERVAL_MIN..=DAY, None)?,
        chance: section.number("chance", SHARE, Some(1.0))?,
    })
}

/// When a group whose hours may begin as late as `latest` rests: at a time, or so long after it began.
fn ending(section: &Section<'_, '_>, midnight: Time, latest: Nanos) -> Result<Ending, ScenarioError> {
    if section.has("lasts") {
        if section.has("active_until") {
            let hint = "say when it ends, or how long it lasts";
            return Err(section.fault(
                "lasts",
                ScenarioFault::NotWith { other: "active_until" },
                Some(hint.to_owned()),
            ));
        }
        return Ok(Ending::After(section.duration("lasts", WAKE_INTERVAL_MIN..=DAY, None)?));
    }
    let until = section.time_of_day("active_until", None)?;
    if latest >= until {
        return Err(section.fault("active_from", ScenarioFault::NotLess { other: "active_until" }, None));
    }
    Ok(Ending::At(midnight + until))
}

const FLOW_KEYS: [&str; 5] = ["wake_interval", "self_excitation", "memory_shortest", "memory_longest", "edge_ratio"];

/// The keys of a kind that wakes with a [`FlowSettings`] and draws sizes, and the flow.
fn flow_group<'d, 'i>(
    section: &Section<'d, 'i>,
    own: &[&str],
) -> Result<(Section<'d, 'i>, FlowSettings), ScenarioError> {
    let section = sizing_group(section, &[&FLOW_KEYS, own].concat())?;
    let memory = |key, default| section.duration(key, WAKE_INTERVAL_MIN..=DAY, Some(default));
    let shortest = memory("memory_shortest", Nanos::SECOND)?;
    let longest = memory("memory_longest", Nanos::from_secs(600).max(shortest))?;
    if shortest > longest {
        return Err(section.fault("memory_shortest", ScenarioFault::Greater { other: "memory_longest" }, None));
    }
    let flow = FlowSettings {
        wake_interval: wake_interval(&section)?,
        self_excitation: section.number("self_excitation", EXCITATION, Some(0.0))?,
        memory_shortest: shortest,
        memory_longest: longest,
        edge_ratio: section.number("edge_ratio", 0.01..=100.0, Some(1.0))?,
    };
    Ok((section, flow))
}

fn metaorder(section: &Section<'_, '_>) -> Result<MetaorderSettings, ScenarioError> {
    let (section, flow) = flow_group(section, &["tail_exponent", "most_pieces", "informed", "edge"])?;
    Ok(MetaorderSettings {
        flow,
        tail_exponent: section.number("tail_exponent", 0.1..=10.0, Some(1.5))?,
        most_pieces: section.integer("most_pieces", 1..=1_000_000, Some(10_000))? as u32,
        informed: section.number("informed", SHARE, Some(0.0))?,
        edge: section.number("edge", CENTS, Some(0.0))?,
    })
}

fn hawkes(section: &Section<'_, '_>) -> Result<HawkesSettings, ScenarioError> {
    let (section, flow) =
        flow_group(section, &["taker_share", "depth", "resting_orders", "improves", "cancels_at_news"])?;
    Ok(HawkesSettings {
        flow,
        taker_share: section.number("taker_share", SHARE, None)?,
        depth: section.number("depth", CENTS, None)?,
        resting_orders: section.integer("resting_orders", 1..=RESTING_MAX, Some(100))? as u32,
        improves: section.boolean("improves", true)?,
        cancels_at_news: section.boolean("cancels_at_news", false)?,
    })
}

fn informed(section: &Section<'_, '_>) -> Result<InformedSettings, ScenarioError> {
    let (section, flow) = flow_group(section, &["edge"])?;
    Ok(InformedSettings { flow, edge: section.number("edge", CENTS, Some(0.0))? })
}

fn spoofer(section: &Section<'_, '_>) -> Result<SpooferSettings, ScenarioError> {
    let section = sizing_group(section, &["wake_interval", "shown_size", "distance", "retreat"])?;
    let cents = |key| section.integer(key, 0..=PRICE_MAX_CENTS, None);
    let (distance, retreat) = (cents("distance")?, cents("retreat")?);
    if retreat >= distance {
        return Err(section.fault("retreat", ScenarioFault::NotLess { other: "distance" }, None));
    }
    Ok(SpooferSettings {
        wake_interval: wake_interval(&section)?,
        shown_size: section.integer("shown_size", 1..=QUANTITY_MAX as i64, None)? as u32,
        distance,
        retreat,
    })
}

fn dealer(section: &Section<'_, '_>) -> Result<DealerSettings, ScenarioError> {
    let section = group(
        section,
        &[
            "wake_interval",
            "half_spread",
            "levels",
            "level_step",
            "level_size",
            "backstop_size",
            "impact",
            "fading_share",
            "fading_shortest",
            "fading_longest",
            "news_share",
            "inventory_skew",
            "widening",
            "widening_memory",
        ],
    )?;
    let time = |key, default| section.duration(key, WAKE_INTERVAL_MIN..=DAY, Some(default));
    let shares = |key, range, default| section.integer(key, range, default);
    let fading_shortest = time("fading_shortest", Nanos::from_secs(10))?;
    let fading_longest = time("fading_longest", Nanos::from_secs(600).max(fading_shortest))?;
    if fading_shortest > fading_longest {
        return Err(section.fault("fading_shortest", ScenarioFault::Greater { other: "fading_longest" }, None));
    }
    Ok(DealerSettings {
        wake_interval: wake_interval(&section)?,
        half_spread: section.number("half_spread", CENTS, None)?,
        levels: section.integer("levels", 1..=i64::from(LEVELS_MAX), Some(1))? as u32,
        level_step: section.integer("level_step", 1..=PRICE_MAX_CENTS, Some(1))? as u32,
        level_size: shares("level_size", 1..=QUANTITY_MAX as i64, None)? as u32,
        backstop_size: shares("backstop_size", 0..=QUANTITY_MAX as i64, Some(0))? as u32,
        impact: section.number("impact", CENTS, Some(0.0))?,
        fading_share: section.number("fading_share", SHARE, Some(0.0))?,
        fading_shortest,
        fading_longest,
        news_share: section.number("news_share", SHARE, Some(0.0))?,
        inventory_skew: section.number("inventory_skew", CENTS, Some(0.0))?,
        widening: section.number("widening", CENTS, Some(0.0))?,
        widening_memory: time("widening_memory", Nanos::from_secs(60))?,
    })
}
