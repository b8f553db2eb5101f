//! From TOML to a checked [`Scenario`].

use assay_model::{Budget, Nanos, QUANTITY_MAX, Time};

use super::clock::{DAY, clock_text, duration_text};
use super::draft::{Draft, ScenarioData};
use super::error::{ScenarioError, ScenarioFault};
use super::fundamental::fundamental;
use super::limits::{LATENCY_MAX, POSITION_LIMIT_MAX, SHARE, STARTING_CASH_MAX, STARTING_CASH_MIN, TICK_INTERVAL_MIN};
use super::overlay::{self, FindBase};
use super::population::agents;
use super::read::{Section, name};
use super::recorded::replay;
use super::settings::{
    FundamentalSettings, Jitter, MessageKind, MessageSettings, NetworkSettings, OrderSize, PRICE_BAND_BASIS_POINTS,
    Scenario, SizeShape, Thinking,
};
use super::symbols::{First, others};
use super::{capital, venue};
use crate::exchange::{Margin, TraderLimits};
use crate::fees::Fees;

/// Slowest computer, in nanoseconds for a unit of fuel: some thousand times slower than ours. A whole callback's standard budget then takes ten seconds.
const NANOSECONDS_PER_FUEL_MAX: f64 = 1_000.0;
/// How long before `close` a market closes at the earliest, if its scenario does not say: as for the random end of a closing auction at several
/// exchanges, half a minute to two.
const CLOSE_WINDOW_USUAL: Nanos = Nanos::from_secs(120);
/// And at most this fraction of the session.
const CLOSE_WINDOW_SHARE: u64 = 10;

/// As in the plan of US markets to address extraordinary volatility (limit up, limit down).
const PRICE_BAND_WINDOW: Nanos = Nanos::from_secs(5 * 60);
/// The whole price, in basis points: downwards as good as no band.
const PRICE_BAND_MAX: i64 = 10_000;
/// Weights are written with a few decimals; what is left over goes to the last component.
const WEIGHTS_TOLERANCE: f64 = 1e-6;
/// The tables and keys of a scenario.
const ROOT_KEYS: [&str; 13] = [
    "name",
    "summary",
    "gives_away",
    "symbol",
    "market",
    "replay",
    "network",
    "fundamental",
    "order_size",
    "agents",
    "symbols",
    "fees",
    "strategy",
];

impl Scenario {
    /// Parses and checks a scenario that names no data files; for one that does see [`Draft`].
    ///
    /// # Errors
    /// The first thing that is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, ScenarioError> {
        Draft::parse(text)?.complete(ScenarioData::default())
    }
}

impl Draft {
    /// Parses and checks a scenario; the data files that it names are for others to load.
    ///
    /// # Errors
    /// The first thing that is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, ScenarioError> {
        Self::parse_over(text, &mut |name| Err(format!("unknown preset `{name}`")))
    }

    /// The same, for a text whose `base` may be a file: `find` reads it.
    ///
    /// # Errors
    /// The first thing that is wrong with the text, or with its base.
    pub fn parse_over(text: &str, find: FindBase<'_>) -> Result<Self, ScenarioError> {
        let root = overlay::document(text)?;
        let Some(base) = overlay::base(text, &root, find)? else {
            return Self::of(Section::root(text, &root, text.len()), text.to_owned());
        };
        let root = overlay::merged(text, root, overlay::padded(&base)?)?;
        let whole = overlay::written(&root);
        Self::of(Section::root(text, &root, base.at), whole)
    }

    /// Checks a document; `source` is its whole text.
    fn of(root: Section<'_, '_>, source: String) -> Result<Self, ScenarioError> {
        let root = root.only(&ROOT_KEYS)?;
        let keys = ["date", "open", "close", "close_window", "price_band_basis_points", "price_band_window"];
        let market = root.section("market", &[&keys[..], &venue::KEYS].concat())?;
        let (midnight, open, close) = hours(&market)?;
        let replay = replay(&root)?;
        // Recorded orders have passed the rules of their own venue.
        let default_band = replay.is_none().then_some(i64::from(PRICE_BAND_BASIS_POINTS));
        let band = if default_band.is_some() || market.has("price_band_basis_points") {
            Some(market.integer("price_band_basis_points", 1..=PRICE_BAND_MAX, default_band)? as u32)
        } else {
            None
        };
        let fees = venue::fees(&root)?;
        let strategy = strategy(&root, close.since(open), fees)?;
        let close_window = close_window(&market, close.since(open), strategy.warm_up, replay.is_some())?;
        let closes_from = Time(close.0 - close_window.0);
        let (venue, drawn_halts) = venue::venue(&market, midnight, open..close, closes_from)?;
        let (name, summary, symbol) =
            (name(&root, "name", None)?, root.text("summary", Some(""))?, name(&root, "symbol", None)?);
        // Recorded participants take the place of agents, and need neither a network nor a value.
        let stands_alone = replay.is_some() && !root.has("agents");
        let agents = if stands_alone { Vec::new() } else { agents(&root, midnight)? };
        let lacks_fundamental = stands_alone && !root.has("fundamental");
        let (fundamental, series) =
            if lacks_fundamental { (FundamentalSettings::constant(1.0), None) } else { fundamental(&root)? };
        let process = (series.is_none() && !lacks_fundamental).then_some(&fundamental);
        let others = others(&root, midnight, &First { symbol: &symbol, process, agents: &agents })?;
        let mut groups = agents.iter().chain(others.iter().flat_map(|other| &other.agents));
        let mixture_is_used = groups.any(|group| group.kind.draws_sizes() && group.own_size.is_none());
        // Each symbol is margined on its own: nothing that happens in one can take what stands behind another.
        let symbols = 1 + others.len() as i64;
        let margin = strategy.limits.margin.map(|all| Margin { capital: all.capital / symbols, ..all });
        let trader_limits = TraderLimits { margin, ..strategy.limits };
        let scenario = Scenario {
            name,
            summary,
            gives_away: root.text("gives_away", Some(""))?,
            symbol,
            open,
            close,
            close_window,
            price_band_basis_points: band,
            price_band_window: market.duration("price_band_window", Nanos(0)..=DAY, Some(PRICE_BAND_WINDOW))?,
            venue,
            drawn_halts,
            fees,
            network: if stands_alone && !root.has("network") { NetworkSettings::default() } else { network(&root)? },
            fundamental,
            fundamental_series: None,
            replay: None,
            order_sizes: order_sizes(&root, mixture_is_used)?,
            agents,
            others,
            warm_up: strategy.warm_up,
            starting_cash: strategy.starting_cash,
            trader_limits,
            latency: strategy.latency,
            thinking: strategy.thinking,
            tick_interval: strategy.tick_interval,
            market_data_interval: strategy.market_data_interval,
            budget: strategy.budget,
            source,
        };
        Ok(Self { scenario, midnight, replay, series, lacks_fundamental })
    }
}

/// Midnight, open and close of the day. Times of day are the exchange's own; the epoch is counted as if they were UTC.
fn hours(section: &Section<'_, '_>) -> Result<(Time, Time, Time), ScenarioError> {
    let date = section.date("date")?;
    let (open, close) = (section.time_of_day("open", None)?, section.time_of_day("close", None)?);
    if open >= close {
        let what = ScenarioFault::CloseNotAfterOpen { open: clock_text(open), close: clock_text(close) };
        return Err(section.fault("close", what, Some("both are on the same day".to_owned())));
    }
    let days = days_since_epoch(i64::from(date.year), i64::from(date.month), i64::from(date.day));
    // A time is 64 bits of nanoseconds: 1970 to 2554. The lower end leaves room for what happens before the open.
    let Some(days) = u64::try_from(days).ok().filter(|_| (1971..=2500).contains(&date.year)) else {
        let range = "1971-01-01 to 2500-12-31".to_owned();
        return Err(section.fault("date", ScenarioFault::OutOfRange { found: date.to_string(), range }, None));
    };
    let midnight = Time(days * DAY.0);
    Ok((midnight, midnight + open, midnight + close))
}

/// How long before the close the market may close already. Who knows the instant can have the last word on the price at which everybody's shares are
/// valued; exchanges end their closing auctions at a random time for that reason. A recording is the same whatever the seed and ends when it ends, so
/// there the default is none.
fn close_window(
    market: &Section<'_, '_>,
    session: Nanos,
    warm_up: Nanos,
    is_recording: bool,
) -> Result<Nanos, ScenarioError> {
    const KEY: &str = "close_window";
    let (opening, closing) = venue::auctions(market, session)?;
    // What is left of the session when auctions have had their time, and when the others have had theirs alone.
    let (between, with_trader) = (session.0 - opening.0 - closing.0, session.0 - warm_up.0);
    if !market.has(KEY) {
        let usual = CLOSE_WINDOW_USUAL.0.min(session.0 / CLOSE_WINDOW_SHARE).min(with_trader.min(between) / 2);
        return Ok(Nanos(if is_recording { 0 } else { usual }));
    }
    let with_hint = |error: ScenarioError| {
        let hint = "at most half of the session; \"0s\" closes the market at `close` in every episode".to_owned();
        ScenarioError { hint: error.hint.or(Some(hint)), ..error }
    };
    let window = market.duration(KEY, Nanos(0)..=Nanos(session.0 / 2), None).map_err(with_hint)?;
    let room = with_trader.min(between);
    if window.0 >= room {
        let range = format!("0s to less than {}", duration_text(Nanos(room)));
        let hint = "the warm-up and the auctions must be over before the market may close";
        let what = ScenarioFault::OutOfRange { found: duration_text(window), range };
        return Err(market.fault(KEY, what, Some(hint.to_owned())));
    }
    Ok(window)
}

/// Days from 1970-01-01 to a date of the proleptic Gregorian calendar (Hinnant, "chrono-compatible low-level date algorithms").
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn network(root: &Section<'_, '_>) -> Result<NetworkSettings, ScenarioError> {
    let section = root.section("network", &["line_metres", "computation_delay", "jitter", "messages"])?;
    let jitter = section.section("jitter", &["scale", "clip", "unit"])?;
    let jitter = Jitter {
        scale: jitter.number("scale", SHARE, Some(0.5))?,
        clip: jitter.number("clip", 0.001..=1.0, Some(0.1))?,
        unit: jitter.number("unit", 1.0..=1e6, Some(10.0))?,
    };
    Ok(NetworkSettings {
        // A minute at the speed of light.
        line_metres: section.number("line_metres", 0.0..=1.8e10, None)?,
        computation_delay: section.duration("computation_delay", Nanos(0)..=LATENCY_MAX, None)?,
        jitter: section.has("jitter").then_some(jitter),
        messages: messages(&section)?,
    })
}

fn messages(network: &Section<'_, '_>) -> Result<[MessageSettings; MessageKind::ALL.len()], ScenarioError> {
    let section = network.section("messages", &MessageKind::ALL.map(MessageKind::name))?;
    let mut messages = [MessageSettings::default(); MessageKind::ALL.len()];
    for (settings, kind) in messages.iter_mut().zip(MessageKind::ALL) {
        let keys: &[&str] =
            if kind.can_be_lost() { &["delay", "pair_spread", "loss"] } else { &["delay", "pair_spread"] };
        let section = section.section(kind.name(), keys)?;
        let latency = |key| section.duration(key, Nanos(0)..=LATENCY_MAX, Some(Nanos(0)));
        let (delay, pair_spread) = (latency("delay")?, latency("pair_spread")?);
        *settings = MessageSettings { delay, pair_spread, loss: section.number("loss", SHARE, Some(0.0))? };
    }
    Ok(messages)
}

/// The mixture; it may be left out where nobody draws from it.
fn order_sizes(root: &Section<'_, '_>, needed: bool) -> Result<Vec<OrderSize>, ScenarioError> {
    let mut sizes = Vec::new();
    if !needed && !root.has("order_size") {
        return Ok(sizes);
    }
    for section in root.sections("order_size")? {
        let shape = match section.word("shape", &["lognormal", "normal"])? {
            0 => {
                let section = section.clone().only(&["shape", "weight", "mu", "sigma"])?;
                // e^14 is above the largest order.
                SizeShape::LogNormal {
                    mu: section.number("mu", 0.0..=14.0, None)?,
                    sigma: section.number("sigma", 0.0..=10.0, None)?,
                }
            }
            _ => {
                let section = section.clone().only(&["shape", "weight", "mean", "deviation"])?;
                let shares = || 0.0..=QUANTITY_MAX as f64;
                SizeShape::Normal {
                    mean: section.number("mean", shares(), None)?,
                    deviation: section.number("deviation", shares(), None)?,
                }
            }
        };
        sizes.push(OrderSize { weight: section.number("weight", SHARE, None)?, shape });
    }
    let total: f64 = sizes.iter().map(|size| size.weight).sum();
    if (total - 1.0).abs() > WEIGHTS_TOLERANCE {
        return Err(root.fault("order_size", ScenarioFault::WeightsNotOne(format!("{total:.6}")), None));
    }
    Ok(sizes)
}

/// What a scenario says about the strategy; every key has a default.
struct Strategy {
    warm_up: Nanos,
    starting_cash: i64,
    limits: TraderLimits,
    latency: Nanos,
    thinking: Thinking,
    tick_interval: Nanos,
    market_data_interval: Nanos,
    budget: Budget,
}

fn strategy(root: &Section<'_, '_>, session: Nanos, fees: Fees) -> Result<Strategy, ScenarioError> {
    let keys = [
        "warm_up",
        "starting_cash",
        "position_limit",
        "loss_limit",
        "latency",
        "nanoseconds_per_fuel",
        "nanoseconds_per_fuel_python",
        "tick_interval",
        "market_data_interval",
        "budget",
    ];
    let section = root.section("strategy", &[&keys[..], &capital::KEYS].concat())?;
    let starting_cash = section.integer("starting_cash", STARTING_CASH_MIN..=STARTING_CASH_MAX, Some(10_000_000))?;
    let mut tick_interval = section.duration("tick_interval", Nanos(0)..=DAY, Some(Nanos::SECOND))?;
    if tick_interval != Nanos(0) {
        // Zero means no ticks; anything else has a floor.
        tick_interval = section.duration("tick_interval", TICK_INTERVAL_MIN..=DAY, Some(tick_interval))?;
    }
    Ok(Strategy {
        warm_up: section.duration("warm_up", Nanos(0)..=Nanos(session.0 - 1), Some(Nanos(0)))?,
        starting_cash,
        limits: TraderLimits {
            position: section.integer("position_limit", 1..=POSITION_LIMIT_MAX, Some(5_000))? as u32,
            loss: if section.has("loss_limit") {
                Some(section.integer("loss_limit", 1..=STARTING_CASH_MAX, None)?)
            } else {
                None
            },
            margin: capital::margin(&section, starting_cash, fees)?,
        },
        latency: section.duration("latency", Nanos(0)..=LATENCY_MAX, Some(Nanos(1_000_000)))?,
        thinking: Thinking {
            picoseconds_per_fuel: picoseconds(&section, "nanoseconds_per_fuel", Thinking::USUAL.picoseconds_per_fuel)?,
            picoseconds_per_fuel_python: picoseconds(
                &section,
                "nanoseconds_per_fuel_python",
                Thinking::USUAL.picoseconds_per_fuel_python,
            )?,
        },
        tick_interval,
        market_data_interval: section.duration("market_data_interval", Nanos(0)..=DAY, Some(Nanos(0)))?,
        budget: budget(&section)?,
    })
}

/// A number of nanoseconds, held to the picosecond.
fn picoseconds(section: &Section<'_, '_>, key: &str, default: u64) -> Result<u64, ScenarioError> {
    let nanoseconds = section.number(key, 0.0..=NANOSECONDS_PER_FUEL_MAX, Some(default as f64 / 1e3))?;
    let picoseconds = libm::round(nanoseconds * 1e3);
    if nanoseconds > 0.0 && picoseconds < 1.0 {
        let range = format!("0.001 to {NANOSECONDS_PER_FUEL_MAX}");
        let what = ScenarioFault::OutOfRange { found: nanoseconds.to_string(), range };
        return Err(section.fault(key, what, Some("0 lets computing take no time".to_owned())));
    }
    Ok(picoseconds as u64)
}

fn budget(section: &Section<'_, '_>) -> Result<Budget, ScenarioError> {
    let keys = [
        "fuel_initialize",
        "fuel_callback",
        "fuel_episode",
        "memory_bytes",
        "fuel_per_tick",
        "fuel_per_market_data",
        "fuel_per_order_update",
    ];
    let section = section.section("budget", &keys)?;
    let amount =
        |key, most, default: u64| section.integer(key, 1..=most, Some(default as i64)).map(|amount| amount as u64);
    let growth = |key| section.integer(key, 0..=i64::MAX, Some(0)).map(|amount| amount as u64);
    let default = Budget::STANDARD;
    Ok(Budget {
        fuel_initialize: amount("fuel_initialize", i64::MAX, default.fuel_initialize)?,
        fuel_callback: amount("fuel_callback", i64::MAX, default.fuel_callback)?,
        fuel_episode: amount("fuel_episode", i64::MAX, default.fuel_episode)?,
        // What a 32-bit WebAssembly memory can hold.
        memory_bytes: amount("memory_bytes", 4 << 30, default.memory_bytes)?,
        fuel_per_tick: growth("fuel_per_tick")?,
        fuel_per_market_data: growth("fuel_per_market_data")?,
        fuel_per_order_update: growth("fuel_per_order_update")?,
    })
}
