//! Numbers and rules in words.

use crate::policy::{Amount, Rule, Statistic};
use assay_evaluate::Tail;
use assay_market::metrics::Unit;

/// A number with thousands separated and at most two decimals; very small ones keep three digits, so that none looks like 0 that is not.
pub(super) fn number(value: f64) -> String {
    if value != 0.0 && value.abs() < 0.005 {
        return format!("{value:.2e}");
    }
    let text = format!("{:.2}", value.abs());
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let decimals = decimals.trim_end_matches('0');
    let sign = if value < 0.0 { "-" } else { "" };
    if decimals.is_empty() { format!("{sign}{grouped}") } else { format!("{sign}{grouped}.{decimals}") }
}

/// A number without its unit, as the unit wants it.
pub(super) fn bare(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Fraction => format!("{}%", number(value * 100.0)),
        _ => number(value),
    }
}

/// A number with its unit.
pub(super) fn amount(value: f64, unit: Unit) -> String {
    let word = match unit {
        Unit::Cents => " cents",
        Unit::CentsPerShare => " cents a share",
        Unit::Shares => " shares",
        Unit::Count | Unit::Ratio | Unit::Fraction => "",
        Unit::BasisPoints => " basis points",
        Unit::Seconds => " s",
    };
    format!("{}{word}", bare(value, unit))
}

/// What a rule asks, as a sentence: "lower 95% bound of PnL above 0 cents".
pub(super) fn asks(rule: &Rule) -> String {
    let minus = if rule.against_baseline { " minus the baseline's" } else { "" };
    let measure = format!("{}{minus}", rule.measure.title);
    let limits = limits(rule);
    match rule.statistic {
        Statistic::Mean => format!("mean {measure} {limits}"),
        Statistic::EverySeed => format!("{measure} {limits} in every seed"),
        Statistic::Bound { tail, percent, .. } => {
            let end = match tail {
                Tail::Lower => "lower",
                Tail::Upper => "upper",
            };
            format!("{end} {percent}% bound of {measure} {limits}")
        }
    }
}

fn limits(rule: &Rule) -> String {
    let text = |limit: Amount| match limit {
        Amount::Absolute(value) => amount(value, rule.measure.unit),
        Amount::OfBaseline(fraction) => format!("{}% of the baseline's", number(fraction * 100.0)),
    };
    let lower =
        rule.lower.map(|limit| format!("{} {}", if limit.strict { "above" } else { "at least" }, text(limit.amount)));
    let upper =
        rule.upper.map(|limit| format!("{} {}", if limit.strict { "below" } else { "at most" }, text(limit.amount)));
    lower.into_iter().chain(upper).collect::<Vec<_>>().join(" and ")
}

/// "1 seed", "20 seeds".
pub(super) fn seeds(count: usize) -> String {
    format!("{count} seed{}", if count == 1 { "" } else { "s" })
}
