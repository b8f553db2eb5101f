//! What `assay doctor` found, for a person and for a script.

use super::Report;
use super::ground::Trial;
use super::installation::{Probe, State};
use crate::face;
use assay_hostile::{Attack, Class, Expectation};
use serde_json::json;

/// Name and version of the JSON form.
const SCHEMA: &str = "assay.doctor 1.0";
/// Characters of what an attack tries, of what is expected and of what was seen, in the table.
const CELL_CHARS_MAX: usize = 44;
/// Characters of the longest probe name.
const NAME_CHARS: usize = 18;

/// One line about one thing.
pub(super) fn probe_line(probe: &Probe) -> String {
    let mark = match probe.state {
        State::Ok => face::good("ok"),
        State::Limited => face::doubtful("limited"),
        State::Missing => face::bad("missing"),
    };
    let mut line = format!("  {:NAME_CHARS$} {mark}  {}", probe.name, face::visible(&probe.found));
    if let Some(hint) = &probe.hint {
        line.push_str(&format!("\n  {:NAME_CHARS$} {}", "", face::dim(&format!("→ {hint}"))));
    }
    line
}

/// The table of attacks; with many of them, a line a class and those that did not hold.
pub(super) fn render(report: &Report, many: bool) -> String {
    let mut text = Vec::new();
    let fallen: Vec<&(Attack, Trial)> = report.trials.iter().filter(|(_, trial)| !trial.faults.is_empty()).collect();
    if !many {
        let rows: Vec<Vec<String>> = report.trials.iter().map(|(attack, trial)| row(attack, trial)).collect();
        text.push(face::left_table(&["class", "attack", "expected", "seen", "time", "memory", "ok"], &rows, 4));
        text.push(String::new());
    }
    text.push(classes(report));
    for (attack, trial) in &fallen {
        text.push(format!("\n{} {} ({}): {}", face::bad("not held"), attack.id, attack.class, attack.tries));
        text.extend(trial.faults.iter().map(|fault| format!("  {}", face::visible(fault))));
        if !trial.detail.is_empty() {
            text.push(face::dim(&format!("  {}", face::lines(&trial.detail))));
        }
    }
    let not_run = match report.not_run {
        0 => String::new(),
        number => format!(", {number} were not tried because something is missing"),
    };
    let (held, of) = (report.held(), report.trials.len());
    let verdict = if held == of { face::good("held") } else { face::bad("held") };
    text.push(format!("\n{held} of {of} attacks {verdict}{not_run}, in {:.1} s", report.seconds));
    text.join("\n")
}

fn row(attack: &Attack, trial: &Trial) -> Vec<String> {
    vec![
        attack.class.to_string(),
        cut(&attack.tries),
        cut(&expected(&attack.expect, &trial.seen)),
        cut(&trial.seen),
        format!("{:.2} s", trial.seconds),
        format!("{} MB", trial.megabytes),
        if trial.faults.is_empty() { face::good("yes") } else { face::bad("NO") },
    ]
}

/// Of several answers that will do, the one that was given.
fn expected(expect: &Expectation, seen: &str) -> String {
    let text = expect.to_string();
    let given = text.split(" | ").find(|one| Expectation::new(*one).fits(seen)).map(ToOwned::to_owned);
    given.unwrap_or(text)
}

fn cut(text: &str) -> String {
    let text = face::visible(&text.replace('\n', " "));
    if text.chars().count() <= CELL_CHARS_MAX {
        return text;
    }
    text.chars().take(CELL_CHARS_MAX - 1).chain(['…']).collect()
}

/// A line a class: how many held, and the worst that was seen of time and memory.
fn classes(report: &Report) -> String {
    let rows: Vec<Vec<String>> = Class::ALL
        .iter()
        .filter_map(|class| {
            let of: Vec<&Trial> =
                report.trials.iter().filter(|(attack, _)| attack.class == *class).map(|(_, trial)| trial).collect();
            let held = of.iter().filter(|trial| trial.faults.is_empty()).count();
            let slowest = of.iter().map(|trial| trial.seconds).fold(0.0, f64::max);
            let largest = of.iter().map(|trial| trial.megabytes).max()?;
            Some(vec![
                class.to_string(),
                class.title().to_owned(),
                format!("{held} of {}", of.len()),
                format!("{slowest:.2} s"),
                format!("{largest} MB"),
            ])
        })
        .collect();
    face::left_table(&["class", "goes for", "held", "slowest", "largest"], &rows, 2)
}

/// Everything, for a script.
pub(super) fn json(report: &Report) -> String {
    let attacks: Vec<serde_json::Value> = report
        .trials
        .iter()
        .map(|(attack, trial)| {
            json!({
                "class": attack.class,
                "id": attack.id,
                "tries": attack.tries,
                "expected": attack.expect,
                "seen": trial.seen,
                "detail": trial.detail,
                "seconds": trial.seconds,
                "seconds_max": attack.seconds,
                "megabytes": trial.megabytes,
                "megabytes_max": attack.megabytes,
                "held": trial.faults.is_empty(),
                "faults": trial.faults,
            })
        })
        .collect();
    let value = json!({
        "schema": SCHEMA,
        "installation": report.probes,
        "attacks": attacks,
        "held": report.held(),
        "of": report.trials.len(),
        "not_run": report.not_run,
        "seconds": report.seconds,
    });
    format!("{value:#}")
}
