//! `docs/score.md`: the tables of the score are what the code says.

use assay_evaluate::score::{
    Axis, CEILING_PER_POINT, DRAWDOWN_FLOOR, EMPTY_SPREAD_FACTOR, GAUGES, Gauge, HARM_POINTS, PARTICIPATION_MIN,
    PROFILES, REJECTED_SHARE_MAX, REJECTIONS_JUDGED_MIN, RUIN_SHARE, SCORE_VERSION, Scale, TAIL_LOSS, TAIL_ONE_IN,
    UNMEASURED_COST,
};
use std::fmt::Write as _;
use std::path::Path;

/// Set to write the documentation instead of comparing it.
const BLESS: &str = "ASSAY_BLESS";
const BEGIN: &str = "<!-- tables of the code: `make docs` writes them -->\n";
const END: &str = "<!-- end of the tables -->\n";

fn tables() -> String {
    let mut text = format!(
        "\nScore version {SCORE_VERSION}.\n\n### Scales\n\n| axis | measure | formed from | points |\n|---|---|---|---|\n"
    );
    for gauge in &GAUGES {
        let harm = if gauge.harm_only { "; can only take away" } else { "" };
        let _infallible =
            writeln!(text, "| {} | `{}` | {}{harm} | {} |", gauge.axis.name(), gauge.key, gauge.what, knots(gauge));
    }
    let _infallible = write!(
        text,
        "\nFrom the risk axis: the mean loss of the worst seeds, one in {TAIL_ONE_IN}, as a share of the starting cash, takes {}.\n",
        tail(TAIL_LOSS)
    );
    text.push_str("\n### Weights\n\n| goal |");
    let axes = Axis::ALL.map(|axis| format!(" {} |", axis.name())).concat();
    let _infallible =
        writeln!(text, "{axes} led by | doing nothing |\n|---|{}---|---|", "---|".repeat(Axis::ALL.len()));
    for profile in &PROFILES {
        let weights: String = profile.weights.iter().map(|weight| format!(" {weight:.2} |")).collect();
        let leads = profile.leads.iter().map(|axis| axis.name()).collect::<Vec<_>>().join(", ");
        let idle: f64 = Axis::ALL.iter().zip(&profile.weights).map(|(axis, weight)| weight * axis.idle()).sum();
        let _infallible = writeln!(text, "| `{}` |{weights} {leads} | {idle:.2} |", profile.name);
    }
    let percent = |share: f64| format!("{}%", (share * 1e6).round() / 1e4);
    text.push_str("\n### Thresholds\n\n| what | threshold |\n|---|---|\n");
    for (what, threshold) in [
        (
            "veto: requests rejected, as a share of those sent",
            format!("more than {} (of {REJECTIONS_JUDGED_MIN} at least)", percent(REJECTED_SHARE_MAX)),
        ),
        (
            "veto: loss in one seed, as a share of the starting cash",
            format!("more than {}, or taken out by the market", percent(RUIN_SHARE)),
        ),
        (
            "ceiling: points above doing nothing for each point of the leading axis above its neutral",
            format!("{CEILING_PER_POINT}"),
        ),
        ("ceiling: an effect on the market certainly at or below, in points", format!("{HARM_POINTS}")),
        ("execution: shares traded, as a share of the baseline's volume, at least", percent(PARTICIPATION_MIN)),
        ("execution: cost of a share whose cost is not known, in half spreads", format!("{UNMEASURED_COST}")),
        ("risk: added to each seed's drawdown, as a share of the starting cash", percent(DRAWDOWN_FLOOR)),
        (
            "spread: while a side is empty, it counts as this multiple of the baseline's",
            format!("{EMPTY_SPREAD_FACTOR}"),
        ),
    ] {
        let _infallible = writeln!(text, "| {what} | {threshold} |");
    }
    text + "\n"
}

fn knots(gauge: &Gauge) -> String {
    let is_percent = gauge.axis == Axis::Profit || gauge.axis.is_effect();
    let knot = |(value, points): &(f64, f64)| {
        let value = if is_percent { format!("{}%", (value * 1e4).round() / 1e2) } else { value.to_string() };
        format!("{value} → {points}")
    };
    gauge.scale.0.iter().map(knot).collect::<Vec<_>>().join(", ")
}

fn tail(scale: Scale) -> String {
    let knot = |(value, points): &(f64, f64)| format!("{points} at {}%", value * 100.0);
    scale.0.iter().map(knot).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_page_says_what_the_code_does() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/score.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let generated = format!("{before}{BEGIN}{}{END}{after}", tables());
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    assert!(std::fs::read_to_string(&path).unwrap() == generated, "docs/score.md is stale: run `make docs`");
}
