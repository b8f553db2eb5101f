//! What to look at first, by rules that anybody can check against the figures.

use super::text::{number, percent};
use super::{chosen, find, value};
use crate::score::traded_too_little;
use assay_evaluate::{RunRecord, RunVerdict};

/// Lines of advice at most: more would be a list of everything.
const ADVICE_MAX: usize = 5;
/// Rejected requests for each order from which on they are worth a word.
const REJECTED: f64 = 0.05;
/// Messages for each fill from which on they are worth a word.
const ORDER_TO_TRADE: f64 = 50.0;
/// Share of its fuel that the dearest call may use before it is worth a word.
const FUEL: f64 = 0.5;
/// Beyond this many seeds, the difference is too small to look for.
const SEEDS_MAX: f64 = 10_000.0;

pub(super) fn advice(record: &RunRecord) -> Vec<String> {
    if record.verdict == RunVerdict::Unscored {
        return vec!["run it again: the failure was not the strategy's fault".to_owned()];
    }
    let rules = [failed, idle, thin, rejected, picked_off, takes, marked, fees, chatty, dear, uncertain];
    rules.iter().filter_map(|rule| rule(record)).take(ADVICE_MAX).collect()
}

fn mean(record: &RunRecord, key: &str) -> Option<f64> {
    find(record, key)?.strategy.mean
}

fn dollars(cents: f64) -> String {
    number(cents / 100.0)
}

fn failed(record: &RunRecord) -> Option<String> {
    (record.verdict == RunVerdict::Failed).then(|| {
        "fix the failure first: a failed strategy is removed, its orders are cancelled, and its position is marked at the close".to_owned()
    })
}

fn idle(record: &RunRecord) -> Option<String> {
    if mean(record, "fills")? > 0.0 {
        return None;
    }
    Some(match mean(record, "orders")? {
        0.0 => "it never sent an order".to_owned(),
        orders => {
            format!("none of its {} orders per session traded: compare its prices with the touch", number(orders))
        }
    })
}

/// One that never traded has been told so.
fn thin(record: &RunRecord) -> Option<String> {
    if mean(record, "fills")? > 0.0 { traded_too_little(record.score.as_ref()?) } else { None }
}

fn rejected(record: &RunRecord) -> Option<String> {
    let (rejections, orders) = (mean(record, "rejections")?, mean(record, "orders")?);
    (rejections > REJECTED * orders.max(1.0)).then(|| {
        format!(
            "{} requests per session are rejected, for {} orders: read the reason in on_order_update",
            number(rejections),
            number(orders)
        )
    })
}

fn picked_off(record: &RunRecord) -> Option<String> {
    let (earned, adverse) = (mean(record, "effective_spread_earned")?, mean(record, "adverse_selection_5s")?);
    (adverse > earned).then(|| {
        format!(
            "its quotes are picked off: within 5 s the mid moves {} cents per share against it, more than the {} it earns; quote wider, or cancel sooner",
            number(adverse),
            number(earned)
        )
    })
}

fn takes(record: &RunRecord) -> Option<String> {
    let (made, paid, pnl) =
        (mean(record, "maker_share")?, mean(record, "effective_spread_paid")?, mean(record, "pnl")?);
    let cost = paid / 2.0 * (1.0 - made) * mean(record, "shares_traded")?;
    (cost > 0.0 && cost > pnl.abs() / 2.0).then(|| {
        format!(
            "taking costs about ${} per session: {} of its shares at half a spread of {} cents",
            dollars(cost),
            percent(1.0 - made),
            number(paid)
        )
    })
}

fn marked(record: &RunRecord) -> Option<String> {
    let (unrealised, realised) = (mean(record, "unrealised_pnl")?, mean(record, "realised_pnl")?);
    (unrealised.abs() > realised.abs()).then(|| {
        let held = record.episodes.iter().filter(|episode| value(episode, "inventory_final").is_some_and(|q| q != 0.0));
        format!(
            "the result is a mark, not a trade: ${} unrealised against ${} realised, shares held at the close in {} seeds",
            dollars(unrealised),
            dollars(realised),
            held.count()
        )
    })
}

fn fees(record: &RunRecord) -> Option<String> {
    let (fees, pnl) = (mean(record, "fees")?, mean(record, "pnl")?);
    (fees > 0.0 && pnl < 0.0 && pnl + fees > 0.0)
        .then(|| format!("fees of ${} per session turn a profit into a loss", dollars(fees)))
}

fn chatty(record: &RunRecord) -> Option<String> {
    let ratio = mean(record, "order_to_trade")?;
    (ratio > ORDER_TO_TRADE).then(|| {
        format!("{} messages for each fill: keep orders where they are unless the price has moved", number(ratio + 1.0))
    })
}

fn dear(record: &RunRecord) -> Option<String> {
    let shares = record
        .summary
        .usage
        .callbacks
        .iter()
        .map(|row| (row.fuel_max as f64 / row.fuel_limit.max(1) as f64, row.callback));
    let (share, callback) = shares.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (share > FUEL).then(|| format!("one call of {} took {} of its fuel", callback.name(), percent(share)))
}

/// The interval shrinks with the root of the number of seeds.
fn uncertain(record: &RunRecord) -> Option<String> {
    let row = &find(record, "pnl")?.difference;
    let (mean, interval) = (row.mean?, row.interval?);
    if interval.excludes_zero() || interval.degenerate {
        return None;
    }
    let ratio = (interval.high - interval.low) / 2.0 / mean.abs();
    let needed = row.n as f64 * ratio * ratio;
    let other = chosen(record).map_or_else(|| "zero".to_owned(), |other| format!("that of {other}"));
    Some(match needed {
        needed if needed <= SEEDS_MAX => {
            format!(
                "PnL cannot be told apart from {other}; about {} seeds would be needed if the mean stays the same",
                number(needed.ceil())
            )
        }
        _ => format!("PnL cannot be told apart from {other}, and more seeds will not help: change the strategy"),
    })
}
