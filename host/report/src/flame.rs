//! A profile as a flame graph: one row for each depth of calls, each box as wide as its fuel.
//!
//! Invariants: a file of its own without script, font or link; names are the guest's and are escaped; a function has one colour, whatever else is in the
//! graph; the drawing is a function of the profile alone. Hovering over a box shows its name and its figures (SVG's `title`).

use crate::format::{count, visible};
use assay_sandbox::{Frame, Profile};
use std::fmt::Write as _;

/// Width of the drawing.
const WIDTH: f64 = 1_200.0;
const ROW: f64 = 18.0;
/// Room for the two lines above the graph.
const ABOVE: f64 = 44.0;
/// Boxes narrower than this cannot be seen and are left out, with what they call.
const BOX_MIN: f64 = 0.2;
/// Width of a letter, and boxes too narrow for three of them bear no name.
const LETTER: f64 = 6.6;
/// Rows drawn; what is called more deeply shows in its callers' widths only.
const ROWS_MAX: usize = 200;
/// Characters of a name in the text that hovering shows.
const NAME_CHARS_MAX: usize = 200;

const STYLE: &str = "text{font:11px monospace;fill:#111}.head{font-size:13px;fill:#333}rect{stroke:#fff;stroke-width:.5}\
g:hover rect{stroke:#111;stroke-width:1}\
@media (prefers-color-scheme:dark){svg{background:#16181d}.head{fill:#ddd}rect{stroke:#16181d}g:hover rect{stroke:#fff}}";

/// The drawing. `title` is a line above it.
#[must_use]
pub fn flame_graph(profile: &Profile, title: &str) -> String {
    let graph = Graph::new(profile);
    let mut boxes = String::new();
    let mut rows = 0;
    let mut left = 0.0;
    // Depth first; a pile of its own, because guests decide how deep it goes.
    let mut pile = Vec::new();
    for &root in &graph.roots {
        pile.push((root, 0, left));
        left += graph.width(root);
    }
    while let Some((index, row, left)) = pile.pop() {
        let width = graph.width(index);
        if width < BOX_MIN || row >= ROWS_MAX {
            continue;
        }
        rows = rows.max(row + 1);
        graph.draw(&mut boxes, index, row, left);
        let mut at = left;
        for &callee in &graph.callees[index] {
            pile.push((callee, row + 1, at));
            at += graph.width(callee);
        }
    }
    let height = ABOVE + rows as f64 * ROW + 8.0;
    let mut svg = String::new();
    let _infallible = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\">\
         <style>{STYLE}</style><text class=\"head\" x=\"4\" y=\"16\">{}</text>\
         <text class=\"head\" x=\"4\" y=\"34\">Each row calls the one below; width is fuel, {} in all. Hover over a box for its figures.</text>\n{boxes}</svg>\n",
        escaped(title),
        count(graph.all),
    );
    svg
}

struct Graph<'a> {
    frames: &'a [Frame],
    /// Fuel of each frame and of what lies below it.
    below: Vec<u64>,
    /// Of each frame, the widest first.
    callees: Vec<Vec<usize>>,
    roots: Vec<usize>,
    all: u64,
}

impl<'a> Graph<'a> {
    fn new(profile: &'a Profile) -> Self {
        let frames = profile.frames.as_slice();
        let below = profile.totals();
        let mut callees = vec![Vec::new(); frames.len()];
        let mut roots = Vec::new();
        for (index, frame) in frames.iter().enumerate() {
            match frame.parent {
                Some(parent) => callees[parent].push(index),
                None => roots.push(index),
            }
        }
        let wide_first =
            |indices: &mut Vec<usize>| indices.sort_by_key(|&index| (std::cmp::Reverse(below[index]), index));
        callees.iter_mut().for_each(wide_first);
        let all = roots.iter().map(|&root| below[root]).sum();
        Self { frames, below, callees, roots, all }
    }

    fn width(&self, index: usize) -> f64 {
        WIDTH * self.below[index] as f64 / self.all.max(1) as f64
    }

    fn draw(&self, into: &mut String, index: usize, row: usize, left: f64) {
        let (frame, width, y) = (&self.frames[index], self.width(index), ABOVE + row as f64 * ROW);
        let name = escaped(&frame.name);
        let share = self.below[index] as f64 / self.all.max(1) as f64 * 100.0;
        let _infallible = write!(
            into,
            "<g><title>{name}\n{} fuel, {share:.2} % of all; {} its own; {} calls</title>\
             <rect x=\"{left:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{ROW}\" fill=\"{}\"/>",
            count(self.below[index]),
            count(frame.fuel),
            count(frame.calls),
            colour(&frame.name),
        );
        let letters = ((width - 6.0) / LETTER) as usize;
        if letters >= 3 {
            let shown: String = visible(&frame.name, letters).chars().take(letters).collect();
            let _infallible =
                write!(into, "<text x=\"{:.2}\" y=\"{:.1}\">{}</text>", left + 3.0, y + 13.0, escaped(&shown));
        }
        into.push_str("</g>\n");
    }
}

/// Warm for the guest's functions, cool for the host's; the hue comes from the name (FNV-1a).
fn colour(name: &str) -> String {
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let (base, light) = if name.starts_with("exchange.") { (195, 68) } else { (15, 66) };
    format!("hsl({},75%,{}%)", base + hash % 40, light + hash / 40 % 10)
}

fn escaped(text: &str) -> String {
    let text = visible(text, NAME_CHARS_MAX);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
