//! Pairs of values on a plane: one dot for each seed of two runs.

use super::svg::{Axis, Mark, Panel, stack};
use maud::{PreEscaped, html};

/// Height of the plane in SVG units.
const HEIGHT: f64 = 320.0;
/// Dots that are drawn: beyond, they hide each other.
const DOTS_MAX: usize = 2_000;
/// Greater numbers have no marks on an axis.
const VALUE_MAX: f64 = 1e15;

/// Pairs `(across, up)` as an SVG drawing in the classes of [`crate::STYLE`], both on one scale, with the line on which both are the same. Pairs beyond the
/// first 2,000, and those that no axis can show, are left out. `label` says to those who cannot see it what it shows; it may come from outside.
#[must_use]
pub fn scatter(pairs: &[(f64, f64)], label: &str) -> String {
    let is_drawn = |(x, y): &&(f64, f64)| x.abs() < VALUE_MAX && y.abs() < VALUE_MAX;
    let dots: Vec<(f64, f64)> = pairs.iter().filter(is_drawn).take(DOTS_MAX).copied().collect();
    let values = || dots.iter().flat_map(|(x, y)| [*x, *y]);
    let (low, high) =
        values().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let range = if dots.is_empty() { (0.0, 1.0) } else { (low, high) };
    let axis = || Axis::values(range, false);
    let mut panel = Panel::new("A", HEIGHT, axis(), axis());
    panel.line("muted dashed", [Some((range.0, range.0)), Some((range.1, range.1))]);
    panel.marks("f main", Mark::Dot, dots.iter().copied());
    let (view_box, body) = stack(vec![panel]);
    html! { svg viewBox=(view_box) role="img" aria-label=(label) { (PreEscaped(body)) } }.into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_from_outside_is_text_and_every_number_can_be_drawn() {
        for pairs in [&[][..], &[(1.0, 1.0)], &[(f64::NAN, 1.0), (1e300, -1e300)], &[(0.0, 5.0), (3.0, 4.0)]] {
            let drawing = scatter(pairs, "\"><script>");
            assert!(drawing.contains("&quot;&gt;&lt;script&gt;") && !drawing.contains("NaN"), "{drawing}");
        }
        assert_eq!(scatter(&[(0.0, 5.0), (3.0, 4.0)], "").matches("a4 4").count(), 4);
    }
}
