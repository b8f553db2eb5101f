//! The `[market]` keys that say how the venue trades, and `[fees]`.

use std::ops::{Range, RangeInclusive};

use assay_model::{Liquidity, Nanos, PRICE_MAX_CENTS, Price, Time};

use super::clock::clock_text;
use super::drawn_halt::DrawnHalt;
use super::error::{ScenarioError, ScenarioFault};
use super::read::Section;
use crate::exchange::{Breaker, Halt, LimitPause, SelfTrade, Venue};
use crate::fees::{Fee, Fees};

/// The keys of `[market]` that are read here.
pub(super) const KEYS: [&str; 6] =
    ["self_trade_prevention", "opening_auction", "closing_auction", "halts", "circuit_breakers", "limit_pause"];
/// Shortest halt: a second, in which anybody can answer.
const HALT_MIN: Nanos = Nanos::SECOND;
/// Most halts, and most circuit breakers.
const STOPS_MAX: usize = 100;
/// Largest fee or rebate a share: a dollar, some three hundred times what US venues may take.
const PER_SHARE: RangeInclusive<i64> = -100_000_000..=100_000_000;
/// Largest fee or rebate on the notional: 5 %, above every stamp duty and tax on trades of shares. Nobody trades where it is more.
const MILLIONTHS: RangeInclusive<i64> = -50_000..=50_000;

/// The lengths of the auctions at the open and at the close, which together are shorter than the session.
pub(super) fn auctions(market: &Section<'_, '_>, session: Nanos) -> Result<(Nanos, Nanos), ScenarioError> {
    let auction = |key, most: Nanos| market.duration(key, Nanos(0)..=most, Some(Nanos(0)));
    let opening = auction("opening_auction", Nanos(session.0 - 1))?;
    Ok((opening, auction("closing_auction", Nanos(session.0 - 1 - opening.0))?))
}

/// The rules of a session that closes at `closes_from` at the earliest, and the halts that the seed decides about.
pub(super) fn venue(
    market: &Section<'_, '_>,
    midnight: Time,
    hours: Range<Time>,
    closes_from: Time,
) -> Result<(Venue, Vec<DrawnHalt>), ScenarioError> {
    let Range { start: open, end: close } = hours;
    let session = close.since(open);
    let (opening_auction, closing_auction) = auctions(market, session)?;
    let self_trade = if market.has("self_trade_prevention") {
        SelfTrade::ALL[market.word("self_trade_prevention", &SelfTrade::NAMES)?]
    } else {
        SelfTrade::default()
    };
    let (halts, drawn) = halts(market, midnight, open, close)?;
    let venue = Venue {
        self_trade,
        opening_auction,
        closing_auction: (closing_auction.0 > 0).then(|| Time(closes_from.0 - closing_auction.0)),
        halts,
        limit_pause: limit_pause(market, session)?,
        breakers: breakers(market, session)?,
    };
    Ok((venue, drawn))
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

/// The halts at fixed times, and those that the seed decides about.
type Halts = (Vec<Halt>, Vec<DrawnHalt>);

fn halts(market: &Section<'_, '_>, midnight: Time, open: Time, close: Time) -> Result<Halts, ScenarioError> {
    let (mut fixed, mut drawn) = (Vec::new(), Vec::new());
    let mut from = open;
    for section in list(market, "halts")? {
        let section = section.only(&["at", "lasts"])?;
        let (earliest, latest) = section.times_of_day("at")?;
        let (earliest, latest) = (midnight + earliest, midnight + latest);
        if earliest < from || latest >= close {
            let text = |time: Time| clock_text(time.since(midnight));
            let found = text(if earliest < from { earliest } else { latest });
            let what = ScenarioFault::OutOfRange { found, range: format!("{} to {}", text(from), text(close)) };
            let hint = "halts are listed by time, each after the end of the one before, within the session";
            return Err(section.fault("at", what, Some(hint.to_owned())));
        }
        let lasts = lasts(&section, close.since(open))?;
        from = latest + lasts;
        if earliest == latest {
            fixed.push(Halt { at: earliest, lasts });
        } else {
            drawn.push(DrawnHalt { earliest, latest, lasts });
        }
    }
    Ok((fixed, drawn))
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

/// A price at which both sides of a trade together are paid, and what, in micro-cents a share. What they pay is a straight line in the price, so
/// it is least at one end.
fn pays_both_sides(fees: &Fees) -> Option<(i64, i64)> {
    let of = |price: i64| {
        let price_of = |liquidity| fees.of(liquidity, Price::clamped(price), 1);
        // The largest fees at the highest price come to some 10^14.
        (price, (price_of(Liquidity::Maker) + price_of(Liquidity::Taker)) as i64)
    };
    [of(1), of(PRICE_MAX_CENTS)].into_iter().find(|(_, paid)| *paid < 0)
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
    let fees = Fees { maker: fee(keys[0], keys[2])?, taker: fee(keys[1], keys[3])? };
    let Some((price, microcents)) = pays_both_sides(&fees) else { return Ok(fees) };
    let what = ScenarioFault::PaysBothSides { price, microcents: -microcents };
    let hint = "two who trade with each other would be paid for it: make the taker's fee at least as large as the maker's rebate";
    let rebates = [fees.maker.microcents_per_share, fees.taker.microcents_per_share];
    let rebates = rebates.into_iter().chain([fees.maker.notional_millionths, fees.taker.notional_millionths]);
    let rebate = keys.into_iter().zip(rebates).find(|(_, fee)| *fee < 0).map_or(keys[0], |(key, _)| key);
    Err(section.fault(rebate, what, Some(hint.to_owned())))
}
