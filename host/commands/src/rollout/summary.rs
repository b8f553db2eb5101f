//! What a run came to, for a person and for a program.

use super::words;
use crate::Failure;
use crate::settings::FiguresFormat;
use crate::{face, output};
use assay_rollout::run::{Deeds, EpisodeRecord, Figures, Interval, figures};
use serde_json::json;
use std::path::Path;

/// Reasons and flags that are shown; a program gets all of them.
const LINES_MAX: usize = 12;

/// Hands over the summary.
pub(super) fn show(
    folder: &Path,
    model: &str,
    planned: usize,
    records: &[EpisodeRecord],
    format: FiguresFormat,
) -> Result<(), Failure> {
    let figures = figures(records);
    match format {
        FiguresFormat::Table => {
            face::out(&table(folder, model, planned, &figures));
            Ok(())
        }
        FiguresFormat::Json => output::json(&json!({
            "run": folder, "model": model, "planned": planned, "figures": figures, "episodes": records,
        })),
    }
}

fn table(folder: &Path, model: &str, planned: usize, figures: &Figures) -> String {
    let scored = figures.solved + figures.failed;
    let mut text = vec![format!(
        "{}: {model}, {} of {planned} episodes finished, {} of {scored} scored ones solved",
        face::visible(&folder.display().to_string()),
        figures.episodes,
        figures.solved
    )];
    let row = |name: String, value: &Interval| {
        let estimate = format!("{:.3}", value.estimate);
        vec![name, estimate, words::ends(value), value.tasks.to_string(), value.episodes.to_string()]
    };
    let mut rows: Vec<_> = figures.pass_at.iter().map(|pass| row(format!("pass@{}", pass.k), &pass.value)).collect();
    rows.extend(figures.reward.iter().map(|reward| row("mean reward".to_owned(), reward)));
    if !rows.is_empty() {
        text.push(face::table(&["", "estimate", "95 % interval", "tasks", "episodes"], &rows));
    }
    let at_least = |unknown: usize| {
        if unknown > 0 { format!(" plus the unknown cost of {unknown} episodes") } else { String::new() }
    };
    let mean = |sum: u64| sum as f64 / figures.episodes.max(1) as f64;
    text.push(format!("steps     {} ({:.1} an episode)", figures.steps, mean(figures.steps)));
    let Deeds { cells, code_bytes, tools } = &figures.deeds;
    if *cells > 0 {
        let each = *code_bytes as f64 / *cells as f64;
        text.push(format!("code      {cells} cells of {each:.0} bytes, {:.0} bytes an episode", mean(*code_bytes)));
    }
    if !tools.is_empty() {
        let calls: Vec<String> =
            tools.iter().map(|(name, times)| format!("{times} × {}", face::visible(name))).collect();
        text.push(format!("calls     {}", calls.join(", ")));
    }
    text.push(format!("tokens    {}{}", words::count(figures.tokens), at_least(figures.tokens_unknown)));
    text.push(format!("cost      {}{}", words::dollars(figures.cost_microdollars), at_least(figures.cost_unknown)));
    text.extend(counted("unscored", &figures.unscored));
    text.extend(counted("flag", &figures.flags));
    text.join("\n")
}

/// The most frequent first.
fn counted(name: &str, counts: &std::collections::BTreeMap<String, usize>) -> Vec<String> {
    let mut counts: Vec<_> = counts.iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let hidden = counts.len().saturating_sub(LINES_MAX);
    let shown = counts.iter().take(LINES_MAX);
    let mut lines: Vec<_> = shown.map(|(what, count)| format!("{name:<9} {count} × {}", face::visible(what))).collect();
    if hidden > 0 {
        lines.push(format!("{name:<9} and {hidden} other reasons; --format json lists all"));
    }
    lines
}
