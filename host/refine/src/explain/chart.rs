//! A stretch of an episode as a chart: drawn in characters for every model, and as a picture for those that see.
//!
//! Invariants: the numbers at the axes stand in the text, so a model may cite them; a picture holds nothing but lines, so nobody's words get into it.

use super::series::{bucket, moment};
use super::{number, png};
use assay_evaluate::SeriesRecord;
use std::fmt::Write as _;
use std::ops::Range;

/// Characters across, and lines of a panel.
const COLUMNS: usize = 60;
const ROWS: usize = 7;
/// Pixels of a panel, and between two.
const WIDTH: usize = 640;
const HEIGHT: usize = 140;
const GAP: usize = 12;
/// Pixels between a line and the edges of its panel.
const MARGIN: usize = 8;
/// Parts of a panel that lines across and down divide.
const PARTS: usize = 4;
/// Colours of a picture, by their number in its palette.
const PALETTE: [[u8; 3]; 5] = [[255, 255, 255], [224, 224, 224], [120, 120, 120], [20, 70, 160], [150, 180, 220]];
const GRID: u8 = 1;
const ZERO: u8 = 2;
const LINE: u8 = 3;
const BAR: u8 = 4;

/// What is drawn, and in what.
struct Panel {
    title: &'static str,
    values: Vec<Option<f64>>,
    /// Whether it is counted in each bucket: then it stands on zero.
    is_counted: bool,
}

/// The stretch between two moments, in buckets.
fn window(series: &SeriesRecord, from: &str, to: &str) -> Option<Range<usize>> {
    let (from, to) = (bucket(series, moment(series, from)?)?, bucket(series, moment(series, to)?)?);
    let to = to.saturating_add(1).min(series.volume.len());
    (from < to).then_some(from..to)
}

fn panels(series: &SeriesRecord, window: Range<usize>) -> Vec<Panel> {
    let cut = |values: &[Option<f64>]| values.get(window.clone()).unwrap_or_default().to_vec();
    let volume: Vec<Option<f64>> = series.volume.iter().map(|shares| Some(*shares as f64)).collect();
    let dollars: Vec<Option<f64>> = series.pnl.last.iter().map(|cents| cents.map(|cents| cents / 100.0)).collect();
    let all = [
        ("middle of the market, in cents", cut(&series.mid.last), false),
        ("profit, in dollars", cut(&dollars), false),
        ("shares held", cut(&series.position.last), false),
        ("shares traded, in each bucket", cut(&volume), true),
    ];
    let is_drawn = |values: &[Option<f64>]| values.iter().flatten().any(|value| *value != 0.0);
    let drawn = all.into_iter().filter(|(_, values, _)| is_drawn(values));
    drawn.map(|(title, values, is_counted)| Panel { title, values, is_counted }).collect()
}

impl Panel {
    fn bounds(&self) -> (f64, f64) {
        let finite = self.values.iter().flatten().filter(|value| value.is_finite());
        finite.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)))
    }

    /// The last finite value in one of `of` equal parts of the panel.
    fn part(&self, part: usize, of: usize) -> Option<f64> {
        let at = |part: usize| part * self.values.len() / of;
        let range = at(part)..at(part + 1).max(at(part) + 1).min(self.values.len());
        self.values.get(range)?.iter().rev().flatten().copied().find(|value| value.is_finite())
    }

    /// How far up a value is, from 0 at `low` to `top` at the highest.
    fn height(&self, value: f64, low: f64, top: usize) -> usize {
        let (_, high) = self.bounds();
        if high > low { ((value - low) / (high - low) * top as f64).round() as usize } else { top / 2 }
    }

    fn text(&self) -> String {
        let columns = self.values.len().min(COLUMNS);
        let mut rows = vec![vec![' '; columns]; ROWS];
        let (low, high) = self.bounds();
        let parts = (0..columns).map(|column| (column, self.part(column, columns)));
        for (column, value) in parts.filter_map(|(column, value)| Some((column, value?))) {
            rows[ROWS - 1 - self.height(value, low, ROWS - 1)][column] = '*';
        }
        let mut text = format!("{}: lowest {}, highest {}\n", self.title, number(low), number(high));
        for row in rows {
            let line: String = row.into_iter().collect();
            let _infallible = writeln!(text, "|{}", line.trim_end());
        }
        text
    }

    /// Draws it into a picture, `top` pixels below its upper edge.
    fn draw(&self, pixels: &mut [u8], top: usize) {
        let mut dot = |x: usize, up: usize, colour: u8| pixels[(top + HEIGHT - 1 - up) * WIDTH + x] = colour;
        let (low, high) = self.bounds();
        let low = if self.is_counted { 0.0 } else { low };
        let height = |value: f64| MARGIN + self.height(value, low, HEIGHT - 1 - 2 * MARGIN);
        for part in 0..=PARTS {
            for x in 0..WIDTH {
                dot(x, part * (HEIGHT - 1) / PARTS, GRID);
            }
            for up in 0..HEIGHT {
                dot(part * (WIDTH - 1) / PARTS, up, GRID);
            }
        }
        if low < 0.0 && high > 0.0 {
            for x in 0..WIDTH {
                dot(x, height(0.0), ZERO);
            }
        }
        let mut before: Option<usize> = None;
        for x in 0..WIDTH {
            let Some(value) = self.part(x, WIDTH) else { continue };
            let up = height(value);
            if self.is_counted {
                for below in MARGIN..up {
                    dot(x, below, BAR);
                }
            }
            // Two pixels thick, so that it does not drown in the grid.
            let from = before.unwrap_or(up);
            for dotted in from.min(up)..=from.max(up) + 1 {
                dot(x, dotted, LINE);
            }
            before = Some(up);
        }
    }
}

/// The chart in characters, if these words ask for one.
pub(super) fn answer(series: &SeriesRecord, words: &[&str]) -> Option<String> {
    match words {
        ["chart", from, to] => drawn(series, from, to),
        _ => None,
    }
}

/// The picture that belongs to an answer, if one does: the panels below each other, in PNG.
pub(super) fn picture(series: &SeriesRecord, question: &str) -> Option<Vec<u8>> {
    match question.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["chart", from, to] => painted(series, from, to),
        _ => None,
    }
}

fn drawn(series: &SeriesRecord, from: &str, to: &str) -> Option<String> {
    let window = window(series, from, to)?;
    let step = series.step_ns as f64 / 1e9;
    let mut text = format!(
        "seed {}, from second {} to {}; time goes to the right\n",
        series.seed,
        number(window.start as f64 * step),
        number(window.end as f64 * step)
    );
    panels(series, window).iter().for_each(|panel| text.push_str(&panel.text()));
    Some(text)
}

fn painted(series: &SeriesRecord, from: &str, to: &str) -> Option<Vec<u8>> {
    let panels = panels(series, window(series, from, to)?);
    let height = panels.len() * (HEIGHT + GAP);
    let mut pixels = vec![0; height * WIDTH];
    for (index, panel) in panels.iter().enumerate() {
        panel.draw(&mut pixels, index * (HEIGHT + GAP) + GAP / 2);
    }
    (!panels.is_empty()).then(|| png::written(&pixels, WIDTH, &PALETTE))
}
