//! Marks on a plane, as SVG text: axes, lines, areas, boxes and triangles in classes whose colours the style sheet gives.
//!
//! Invariants: no colour, font or size of text is written here, so one drawing serves light, dark and paper; every number has one decimal, so
//! drawings are small and the same everywhere; nothing but numbers and words of ours gets in.

use crate::format::{clock, grouped};
use std::fmt::Write as _;

/// Width of every drawing in SVG units.
pub(crate) const WIDTH: f64 = 1_080.0;
/// Room for the labels of the value axis.
pub(crate) const LEFT: f64 = 70.0;
pub(crate) const RIGHT: f64 = 14.0;
/// Room above a panel for what its values are.
const ABOVE: f64 = 24.0;
/// Room below for the labels of the other axis.
const BELOW: f64 = 26.0;
/// Room below a panel that leaves its labels to the next one.
const GAP: f64 = 8.0;
/// Marks on an axis, at most.
const TIME_MARKS_MAX: u64 = 9;
const VALUE_MARKS_MAX: f64 = 5.0;
/// Marks that are drawn whatever the range is.
const MARKS_MAX: usize = 20;
/// Steps of the time axis in seconds, from which the finest that fits is taken.
const TIME_STEPS: [u64; 13] = [1, 2, 5, 10, 15, 30, 60, 300, 600, 900, 1_800, 3_600, 7_200];

/// A range of values with labelled marks.
pub(super) struct Axis {
    low: f64,
    high: f64,
    is_logarithmic: bool,
    marks: Vec<(f64, String)>,
}

impl Axis {
    /// Times of day from `start_ns` on; values are seconds after it.
    pub(super) fn time(start_ns: u64, seconds: f64) -> Self {
        let start = start_ns / 1_000_000_000;
        let length = seconds as u64;
        let step = TIME_STEPS.into_iter().find(|step| length / step < TIME_MARKS_MAX).unwrap_or(length.max(1));
        let marks =
            (start.div_ceil(step)..=start.saturating_add(length) / step).take(MARKS_MAX).map(|mark| mark * step);
        let marks = marks.map(|mark| ((mark - start) as f64, clock(mark.saturating_mul(1_000_000_000), false)));
        let marks = marks.collect();
        Self { low: 0.0, high: seconds, is_logarithmic: false, marks }
    }

    /// Round values in the range, with a little air around it. Dollars have two decimals or none.
    pub(super) fn values((low, high): (f64, f64), is_money: bool) -> Self {
        // Closer together, numbers of that size can hardly be told apart, and there is no step between them.
        let size = low.abs().max(high.abs());
        let is_range = high - low > (size * 1e-9).max(1e-9);
        let air = if is_range { (high - low) * 0.04 } else { (size * 1e-6).max(0.5) };
        let (low, high) = (low - air, high + air);
        let power = 10_f64.powf(((high - low) / VALUE_MARKS_MAX).log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|round| round * power);
        let step = steps.into_iter().find(|step| (high - low) / step <= VALUE_MARKS_MAX).unwrap_or(10.0 * power);
        let decimals = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
        let decimals = if is_money && decimals > 0 { decimals.max(2) } else { decimals };
        let marks = (low / step).ceil() as i64..=(high / step).floor() as i64;
        let marks =
            marks.take(MARKS_MAX).map(|mark| (mark as f64 * step, grouped(mark as f64 * step, decimals))).collect();
        Self { low, high, is_logarithmic: false, marks }
    }

    /// Positive values, each of them marked, equal ratios equally far apart.
    pub(super) fn ratios(marks: Vec<(f64, String)>) -> Self {
        let ends = marks.first().zip(marks.last()).map_or((1.0, 1.0), |(first, last)| (first.0, last.0));
        Self { low: ends.0 / 1.15, high: ends.1 * 1.15, is_logarithmic: true, marks }
    }

    /// Where a value lies, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let (low, high, value) = match self.is_logarithmic {
            true => (self.low.ln(), self.high.ln(), value.ln()),
            false => (self.low, self.high, value),
        };
        if high > low { (value - low) / (high - low) } else { 0.5 }
    }
}

/// The shape of a mark.
#[derive(Clone, Copy)]
pub(super) enum Mark {
    /// A triangle whose tip touches the place from below.
    Up,
    /// A triangle whose tip touches the place from above.
    Down,
    /// A disc.
    Dot,
    /// A square.
    Square,
}

/// One pair of axes with what is drawn between them.
pub(super) struct Panel {
    body: String,
    x: Axis,
    y: Axis,
    height: f64,
    has_x_labels: bool,
}

impl Panel {
    /// A panel whose values are named `title`.
    pub(super) fn new(title: &str, height: f64, x: Axis, y: Axis) -> Self {
        let mut panel = Self { body: String::new(), x, y, height, has_x_labels: true };
        panel.text(LEFT, -9.0, "t", title);
        for index in 0..panel.y.marks.len() {
            let (value, label) = panel.y.marks[index].clone();
            let y = panel.y_of(value);
            let _infallible = write!(panel.body, r#"<path class="g" d="M{} {}H{}"/>"#, n(LEFT), n(y), n(WIDTH - RIGHT));
            panel.text(LEFT - 8.0, y + 4.5, "t end", &label);
        }
        panel
    }

    fn x_of(&self, value: f64) -> f64 {
        LEFT + self.x.place(value) * (WIDTH - LEFT - RIGHT)
    }

    fn y_of(&self, value: f64) -> f64 {
        (1.0 - self.y.place(value)) * self.height
    }

    fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let _infallible = write!(self.body, r#"<text class="{class}" x="{}" y="{}">{text}</text>"#, n(x), n(y));
    }

    fn path(&mut self, class: &str, data: &str) {
        if !data.is_empty() {
            let _infallible = write!(self.body, r#"<path class="{class}" d="{data}"/>"#);
        }
    }

    /// Lines through the points, interrupted where there is none.
    pub(super) fn line(&mut self, class: &str, points: impl IntoIterator<Item = Option<(f64, f64)>>) {
        let (mut data, mut pen_is_down) = (String::new(), false);
        for point in points {
            if let Some((x, y)) = point {
                let command = if pen_is_down { 'L' } else { 'M' };
                let _infallible = write!(data, "{command}{} {}", n(self.x_of(x)), n(self.y_of(y)));
            }
            pen_is_down = point.is_some();
        }
        self.path(&format!("l {class}"), &data);
    }

    /// The areas between the first and the second value at each place, interrupted where there is none.
    pub(super) fn area(&mut self, class: &str, points: &[Option<(f64, f64, f64)>]) {
        let mut data = String::new();
        for piece in points.split(Option::is_none).filter(|piece| !piece.is_empty()) {
            let edge = |upper: bool| {
                piece
                    .iter()
                    .flatten()
                    .map(move |&(x, low, high)| (x, if upper { high } else { low }))
                    .collect::<Vec<_>>()
            };
            let there = edge(false).into_iter().chain(edge(true).into_iter().rev());
            for (index, (x, y)) in there.enumerate() {
                let command = if index == 0 { 'M' } else { 'L' };
                let _infallible = write!(data, "{command}{} {}", n(self.x_of(x)), n(self.y_of(y)));
            }
            data.push('z');
        }
        self.path(&format!("a {class}"), &data);
    }

    /// Boxes given by opposite corners.
    pub(super) fn boxes(&mut self, class: &str, boxes: impl IntoIterator<Item = [(f64, f64); 2]>) {
        let mut data = String::new();
        for [(x0, y0), (x1, y1)] in boxes {
            let (left, right, bottom, top) = (self.x_of(x0), self.x_of(x1), self.y_of(y0), self.y_of(y1));
            let _infallible =
                write!(data, "M{} {}h{}v{}h{}z", n(left), n(top), n(right - left), n(bottom - top), n(left - right));
        }
        self.path(&format!("f {class}"), &data);
    }

    /// Marks at places; `class` says filled (`f`) or outlined (`o`), and the colour.
    pub(super) fn marks(&mut self, class: &str, mark: Mark, places: impl IntoIterator<Item = (f64, f64)>) {
        let mut data = String::new();
        for (x, y) in places {
            let (x, y) = (self.x_of(x), self.y_of(y));
            let _infallible = match mark {
                Mark::Up => write!(data, "M{} {}l-5 9h10z", n(x), n(y)),
                Mark::Down => write!(data, "M{} {}l-5 -9h10z", n(x), n(y)),
                Mark::Dot => write!(data, "M{} {}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", n(x - 4.0), n(y)),
                Mark::Square => write!(data, "M{} {}h7v7h-7z", n(x - 3.5), n(y - 3.5)),
            };
        }
        self.path(class, &data);
    }

    /// A level across the panel.
    pub(super) fn level(&mut self, value: f64) {
        let y = self.y_of(value);
        let data = format!("M{} {}H{}", n(LEFT), n(y), n(WIDTH - RIGHT));
        self.path("l muted thin", &data);
    }

    fn finish(mut self) -> String {
        let bottom = self.height;
        for index in 0..self.x.marks.len() {
            let (value, label) = self.x.marks[index].clone();
            let x = self.x_of(value);
            let _infallible = write!(self.body, r#"<path class="g" d="M{} {}v5"/>"#, n(x), n(bottom));
            if self.has_x_labels {
                let class = if x > WIDTH - 40.0 { "t end" } else { "t mid" };
                self.text(x.min(WIDTH - 2.0), bottom + 20.0, class, &label);
            }
        }
        let frame = format!("M{} {}H{}", n(LEFT), n(bottom), n(WIDTH - RIGHT));
        self.path("g axis", &frame);
        self.body
    }
}

/// Panels above each other that share the lowest one's labels across: the view box, and what is in it.
pub(super) fn stack(panels: Vec<Panel>) -> (String, String) {
    let (count, mut top, mut body) = (panels.len(), 0.0, String::new());
    for (index, mut panel) in panels.into_iter().enumerate() {
        panel.has_x_labels = index + 1 == count;
        let below = if panel.has_x_labels { BELOW } else { GAP };
        let height = panel.height;
        let _infallible = write!(body, r#"<g transform="translate(0 {})">{}</g>"#, n(top + ABOVE), panel.finish());
        top += ABOVE + height + below;
    }
    (format!("0 0 {} {}", n(WIDTH), n(top)), body)
}

/// A coordinate with one decimal at most.
fn n(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}
