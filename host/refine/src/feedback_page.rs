//! The feedback benchmark as a page for people: who helps, by how much, at what cost, and who names what is wrong.

use crate::evidence::{is_unpriced, points};
use crate::feedback::{ArmRecord, Benchmark};
use std::fmt::Write as _;

/// The page in Markdown. `command` makes it again.
#[must_use]
pub fn page(found: &Benchmark, command: &str) -> String {
    let mut text = format!(
        "# Whose feedback helps\n\nMade by `{}`. {} of {} units were finished: {} strategies, rewritten in each arm by {}.\n",
        plain(command),
        found.units,
        found.units_planned,
        found.strategies.len(),
        plain(&found.writer)
    );
    text.push_str(
        "\nUplift: points of the rewrite over the one that was told nothing, with a 95% interval over units; the verdict is Holm's for all arms. Gain: points over \
         the strategy as it was. Struck: numbers that explanations had and the runs had not. docs/refine.md says more.\n\n",
    );
    text.push_str("| told | verdict | rank | uplift | gain | unusable answers | struck | tokens | cost of a unit |\n|---|---|---|---|---|---|---|---|---|\n");
    for arm in &found.arms {
        text.push_str(&row(arm, found.units));
    }
    let diagnosed: Vec<_> = found.arms.iter().filter_map(|arm| Some((arm, arm.diagnosis?))).collect();
    if !diagnosed.is_empty() {
        text.push_str(
            "\n## Who names what is wrong\n\nPrecision: the part of the flaws named that were planted. Recall: the part of the planted flaws that were named. Wronged: healthy strategies of which a \
             flaw was named.\n\n| model | precision | recall | named | planted | wronged | cost of explaining a strategy |\n|---|---|---|---|---|---|---|\n",
        );
    }
    for (arm, diagnosis) in diagnosed {
        let part = |value: Option<f64>| value.map_or_else(|| "none named".to_owned(), |value| format!("{value:.2}"));
        let _infallible = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} of {} healthy | {} |",
            plain(&arm.arm),
            part(diagnosis.precision()),
            part(diagnosis.recall()),
            diagnosis.named,
            diagnosis.planted,
            diagnosis.wronged,
            diagnosis.healthy,
            cost_of_one(arm.tokens, arm.explaining_microdollars, found.units)
        );
    }
    text
}

fn row(arm: &ArmRecord, units: usize) -> String {
    let interval =
        arm.interval.map_or_else(String::new, |one| format!(" ({} to {})", points(one.low), points(one.high)));
    format!(
        "| {} | {} | {} | {}{interval} | {} | {} | {} | {} | {} |\n",
        plain(&arm.arm),
        arm.verdict,
        arm.rank,
        points(arm.uplift),
        points(arm.gain),
        arm.unusable,
        arm.struck,
        arm.tokens,
        cost_of_one(arm.tokens, arm.microdollars, units)
    )
}

/// What a unit has cost, of so many.
fn cost_of_one(tokens: u64, microdollars: u64, units: usize) -> String {
    if is_unpriced(tokens, microdollars) {
        return "unknown".to_owned();
    }
    format!("${:.4}", microdollars as f64 / 1e6 / units.max(1) as f64)
}

/// A name of somebody's, in a cell of a table or between backticks.
fn plain(text: &str) -> String {
    const CHARS_MAX: usize = 300;
    let one = |c: char| match c {
        '|' | '<' | '>' | '`' | '[' | ']' => '\'',
        c if c.is_control() || assay_validator::is_hidden(c) => ' ',
        c => c,
    };
    text.chars().take(CHARS_MAX).map(one).collect()
}
