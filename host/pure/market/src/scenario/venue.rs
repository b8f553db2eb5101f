//! The `[market]` keys that say how the venue trades, and `[fees]`.

use std::ops::RangeInclusive;

use assay_model::{Nanos, Time};

use super::error::{ScenarioError, ScenarioFault};
use super::read::{Section, clock_text};
use crate::exchange::{Breaker, Halt, LimitPause, SelfTrade, Venue};
use crate::fees::{Fee, Fees};

/// The keys of `[market]` that are read here.
pub(super) const KEYS: [&str; 6] =
    ["self_trade_prevention", "opening_auction", "closing_auction", "halts", "circuit_breakers", "limit_pause"];
/// Shortest halt: a second, in which anybody can answer.
const HALT_MIN: Nanos = Nanos::SECOND;
/// Most halts, and most circuit breakers.
const STOPS_MAX: usize = 100;
/// Largest fee or rebate a share: a hundred dollars.
const PER_SHARE: RangeInclusive<i64> = -10_000_000_000..=10_000_000_000;
/// Largest fee or rebate on the notional: all of it.
const MILLIONTHS: RangeInclusive<i64> = -1_000_000..=1_000_000;

pub(super) fn venue(market: &Section<'_, '_>, midnight: Time, open: Time, close: Time) -> Result<Venue, ScenarioError> {
    let session = close.since(open);
    let auction = |key, most: Nanos| market.duration(key, Nanos(0)..=most, Some(Nanos(0)));
    let opening_auction = auction("opening_auction", Nanos(session.0 - 1))?;
    let closing_auction = auction("closing_auction", Nanos(session.0 - 1 - opening_auction.0))?;
    let self_trade = if market.has("self_trade_prevention") {
        SelfTrade::ALL[market.word("self_trade_prevention", &SelfTrade::NAMES)?]
    } else {
        SelfTrade::default()
    };
    Ok(Venue {
        self_trade,
        opening_auction,
        closing_auction: (closing_auction.0 > 0).then(|| Time(close.0 - closing_auction.0)),
        halts: halts(market, midnight, open, close)?,
        limit_pause: limit_pause(market, session)?,
        breakers: breakers(market, session)?,
    })
}

fn lasts(section: &Section<'_, '_>, session: Nanos) -> Result<Nanos, ScenarioError> {
    section.duration("lasts", HALT_MIN..=session.max(HALT_MIN), None)
}

fn list<'d, 'i>(market: &Section<'d, 'i>, key: &str) -> Result<Vec<Section<'d, 'i>>, ScenarioError> {
    let sections = if market.has(key) { market.sections(key)? } else { Vec::new() };
    if sections.len() > STOPS_MAX {
        let what = ScenarioFault::OutOfRange {
            found: format!("{} entries", sections.len()),
            range: format!("0 to {STOPS_MAX}"),
        };
        return Err(market.fault(key, what, None));
    }
    Ok(sections)
}

fn halts(market: &Section<'_, '_>, midnight: Time, open: Time, close: Time) -> Result<Vec<Halt>, ScenarioError> {
    let mut halts: Vec<Halt> = Vec::new();
    for section in list(market, "halts")? {
        let section = section.only(&["at", "lasts"])?;
        let at = midnight + section.time_of_day("at", None)?;
        let from = halts.last().map_or(open, |halt| halt.at + halt.lasts);
        if at < from || at >= close {
            let text = |time: Time| clock_text(time.since(midnight));
            let what =
                ScenarioFault::OutOfRange { found: text(at), range: format!("{} to {}", text(from), text(close)) };
            let hint = "halts are listed by time, each after the end of the one before, within the session";
            return Err(section.fault("at", what, Some(hint.to_owned())));
        }
        halts.push(Halt { at, lasts: lasts(&section, close.since(open))? });
    }
    Ok(halts)
}

fn breakers(market: &Section<'_, '_>, session: Nanos) -> Result<Vec<Breaker>, ScenarioError> {
    let mut breakers: Vec<Breaker> = Vec::new();
    for section in list(market, "circuit_breakers")? {
        let section = section.only(&["fall_basis_points", "lasts"])?;
        let least = breakers.last().map_or(1, |breaker| i64::from(breaker.fall_basis_points) + 1);
        let fall = section.integer("fall_basis_points", least..=10_000, None)?;
        breakers.push(Breaker { fall_basis_points: fall as u32, lasts: lasts(&section, session)? });
    }
    Ok(breakers)
}

fn limit_pause(market: &Section<'_, '_>, session: Nanos) -> Result<Option<LimitPause>, ScenarioError> {
    if !market.has("limit_pause") {
        return Ok(None);
    }
    let section = market.section("limit_pause", &["after", "lasts"])?;
    let after = section.duration("after", Nanos(1)..=session, Some(Nanos::from_secs(15)))?;
    Ok(Some(LimitPause { after, lasts: lasts(&section, session)? }))
}

pub(super) fn fees(root: &Section<'_, '_>) -> Result<Fees, ScenarioError> {
    let keys = [
        "maker_microcents_per_share",
        "taker_microcents_per_share",
        "maker_notional_millionths",
        "taker_notional_millionths",
    ];
    let section = root.section("fees", &keys)?;
    let fee = |per_share, millionths| {
        Ok(Fee {
            microcents_per_share: section.integer(per_share, PER_SHARE, Some(0))?,
            notional_millionths: section.integer(millionths, MILLIONTHS, Some(0))?,
        })
    };
    Ok(Fees { maker: fee(keys[0], keys[2])?, taker: fee(keys[1], keys[3])? })
}
