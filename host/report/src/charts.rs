//! Charts as inline SVG.
//!
//! The colours are those of the light theme, and the page's style sheet replaces them by value in the dark one: an SVG attribute
//! gives way to any CSS rule, so no chart has to be drawn twice.

use crate::format::{clock, grouped};
use assay_evaluate::{EpisodeRecord, FillRecord, RangeRecord, SeriesRecord};
use assay_model::Side;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::*;

/// Width and height of a chart in SVG units.
const SIZE: (u32, u32) = (1_080, 250);
/// Bars of the volume chart: thin ones would run together.
const BARS: usize = 100;
/// Other seeds drawn in the profit chart: beyond, more lines make it no clearer.
pub(crate) const CURVES_MAX: usize = 200;
/// Marks on the time axis, at most.
const TIME_MARKS_MAX: u64 = 9;
/// Marks on the value axis, at most.
const VALUE_MARKS_MAX: f64 = 5.0;
/// Steps of the time axis in seconds, from which the finest that fits is taken.
const TIME_STEPS: [u64; 12] = [1, 5, 10, 15, 30, 60, 300, 600, 900, 1_800, 3_600, 7_200];

/// The light theme's colours; the style sheet names the same values.
pub(crate) mod colour {
    use plotters::style::RGBColor;

    /// Text and axes.
    pub(crate) const MUTED: RGBColor = RGBColor(0x5B, 0x67, 0x73);
    /// Grid.
    pub(crate) const GRID: RGBColor = RGBColor(0xE3, 0xE7, 0xEB);
    /// The main line.
    pub(crate) const MAIN: RGBColor = RGBColor(0x1F, 0x5F, 0xA8);
    /// The baseline.
    pub(crate) const BASELINE: RGBColor = RGBColor(0x8A, 0x94, 0x9E);
    /// Purchases.
    pub(crate) const BUY: RGBColor = RGBColor(0x13, 0x7A, 0x5B);
    /// Sales, and losses.
    pub(crate) const SELL: RGBColor = RGBColor(0xB8, 0x4A, 0x1B);
}

/// One chart with what is said about it.
pub(crate) struct Chart {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// For those who cannot see it.
    pub(crate) description: String,
    /// Class of the swatch and what it stands for.
    pub(crate) legend: Vec<(&'static str, String)>,
    /// `None` if it could not be drawn.
    pub(crate) svg: Option<String>,
}

type Axes<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<MarkedAxis, MarkedAxis>>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// All charts of a run.
pub(crate) fn charts(series: &SeriesRecord, episodes: &[EpisodeRecord]) -> Vec<Chart> {
    vec![price(series), spread(series), volume(series), inventory(series), profit(series, episodes), drawdown(series)]
}

fn price(series: &SeriesRecord) -> Chart {
    let range = bounds(series.mid.min.iter().chain(&series.mid.max).chain(&series.baseline_mid).flatten());
    let svg = draw(series, range, 0.01, |axes, width| {
        lines(axes, &series.baseline_mid, width, 0.01, colour::BASELINE, 1)?;
        band(axes, &series.mid, width, 0.01, colour::MAIN)?;
        lines(axes, &series.mid.last, width, 0.01, colour::MAIN, 1)?;
        let (made, took): (Vec<&FillRecord>, Vec<&FillRecord>) = series.fills.iter().partition(|fill| fill.maker);
        axes.draw_series(made.into_iter().map(|fill| {
            let (place, shape, colour) = fill_mark(fill, series.start_ns);
            EmptyElement::at(place) + PathElement::new(shape, colour)
        }))?;
        let took = took.into_iter().map(|fill| {
            let (place, shape, colour) = fill_mark(fill, series.start_ns);
            EmptyElement::at(place) + Polygon::new(shape, colour.filled())
        });
        axes.draw_series(took).map(drop)
    });
    let shown = series.fills.len() as u64;
    let fills = match series.fills_total {
        total if total == shown => format!("{total} fills"),
        total => format!("{shown} of {total} fills shown"),
    };
    Chart {
        id: "price",
        title: "Price ($) with fills",
        description: format!(
            "Mid price of seed {}, its least and greatest value in each interval, and {fills}.",
            series.seed
        ),
        legend: vec![
            ("main", "mid, with its range".to_owned()),
            ("baseline", "mid without the strategy".to_owned()),
            ("buy", "bought".to_owned()),
            ("sell", "sold (filled mark: took liquidity, outline: made it)".to_owned()),
            ("", fills),
        ],
        svg,
    }
}

/// A triangle that touches the fill: from below for a purchase, from above for a sale.
fn fill_mark(fill: &FillRecord, start_ns: u64) -> ((f64, f64), Vec<(i32, i32)>, RGBColor) {
    let place = (fill.at_ns.saturating_sub(start_ns) as f64 / 1e9, fill.price as f64 * 0.01);
    let (base, colour) = match fill.side {
        Side::Buy => (7, colour::BUY),
        Side::Sell => (-7, colour::SELL),
    };
    (place, vec![(0, 0), (-4, base), (4, base), (0, 0)], colour)
}

/// The spread, cut off above what nearly all of it fits into: an empty book at the open would flatten the rest of the day.
fn spread(series: &SeriesRecord) -> Chart {
    let mut sorted: Vec<f64> = series.spread.max.iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    let highest = sorted.last().copied().unwrap_or_default();
    let usual = sorted.get(sorted.len() * 19 / 20).copied().unwrap_or_default();
    let cut = if highest > 4.0 * usual { 3.0 * usual } else { highest };
    let clip =
        |values: &[Option<f64>]| values.iter().map(|value| value.map(|value| value.min(cut))).collect::<Vec<_>>();
    let RangeRecord { last, min, max } = &series.spread;
    let clipped = RangeRecord { last: clip(last), min: clip(min), max: clip(max) };
    let svg = draw(series, (0.0, cut), 1.0, |axes, width| {
        band(axes, &clipped, width, 1.0, colour::MAIN)?;
        lines(axes, &clipped.last, width, 1.0, colour::MAIN, 1)
    });
    let mut legend = vec![("main", "spread, with its range".to_owned())];
    if cut < highest {
        legend.push(("", format!("cut off at {}, highest {}", grouped(cut, 0), grouped(highest, 0))));
    }
    Chart {
        id: "spread",
        title: "Spread (\u{a2})",
        description: format!("Best offer less best bid of seed {}.", series.seed),
        legend,
        svg,
    }
}

fn volume(series: &SeriesRecord) -> Chart {
    let every = series.volume.len().div_ceil(BARS).max(1);
    let sums =
        |values: &[u64]| values.chunks(every).map(|bucket| bucket.iter().sum::<u64>() as f64).collect::<Vec<_>>();
    let (all, own) = (sums(&series.volume), sums(&series.volume_own));
    let svg = draw(series, bounds(all.iter().chain(&[0.0])), 1.0, |axes, width| {
        for (values, colour) in [(&all, colour::BASELINE), (&own, colour::MAIN)] {
            let bar_width = width * every as f64;
            let bars = values.iter().enumerate().filter(|(_, value)| **value > 0.0).map(|(index, value)| {
                let left = index as f64 * bar_width;
                Rectangle::new([(left + bar_width * 0.1, 0.0), (left + bar_width * 0.9, *value)], colour.filled())
            });
            axes.draw_series(bars)?;
        }
        Ok(())
    });
    let seconds = series.step_ns as f64 / 1e9 * every as f64;
    Chart {
        id: "volume",
        title: "Volume (shares)",
        description: format!(
            "Shares traded in each {} s of seed {}, and the strategy's part of them.",
            grouped(seconds, 1),
            series.seed
        ),
        legend: vec![
            ("baseline", format!("everyone, each {} s", grouped(seconds, 1))),
            ("main", "the strategy's part".to_owned()),
        ],
        svg,
    }
}

fn inventory(series: &SeriesRecord) -> Chart {
    let range = bounds(series.position.min.iter().chain(&series.position.max).flatten().chain(&[0.0]));
    let svg = draw(series, range, 1.0, |axes, width| {
        zero(axes, series)?;
        band(axes, &series.position, width, 1.0, colour::MAIN)?;
        lines(axes, &series.position.last, width, 1.0, colour::MAIN, 1)
    });
    Chart {
        id: "inventory",
        title: "Inventory (shares)",
        description: format!("Shares held by the strategy in seed {}; below zero is short.", series.seed),
        legend: vec![("main", "inventory, with its range".to_owned())],
        svg,
    }
}

fn profit(series: &SeriesRecord, episodes: &[EpisodeRecord]) -> Chart {
    let others: Vec<&EpisodeRecord> =
        episodes.iter().filter(|episode| episode.seed != series.seed).take(CURVES_MAX).collect();
    let every = others.iter().flat_map(|episode| &episode.pnl_curve);
    let range = bounds(series.pnl.min.iter().chain(&series.pnl.max).flatten().chain(every).chain(&[0.0]));
    let svg = draw(series, range, 0.01, |axes, width| {
        zero(axes, series)?;
        for episode in &others {
            let points = episode.pnl_curve.len().max(1);
            let wide = width * series.volume.len() as f64 / points as f64;
            let curve: Vec<Option<f64>> = episode.pnl_curve.iter().copied().map(Some).collect();
            lines(axes, &curve, wide, 0.01, colour::BASELINE, 1)?;
        }
        band(axes, &series.pnl, width, 0.01, colour::MAIN)?;
        lines(axes, &series.pnl.last, width, 0.01, colour::MAIN, 2)
    });
    let mut legend = vec![("main", format!("seed {}", series.seed))];
    let left_out = episodes.len().saturating_sub(others.len() + 1);
    match (others.len(), left_out) {
        (0, _) => {}
        (shown, 0) => legend.push(("baseline", format!("the {shown} other seeds"))),
        (shown, left_out) => legend.push(("baseline", format!("{shown} other seeds ({left_out} more in run.json)"))),
    }
    legend.push(("", "the baseline stays at 0".to_owned()));
    Chart {
        id: "pnl",
        title: "PnL ($)",
        description: format!(
            "Equity less starting cash, marked at the mid, of seed {} and {} others.",
            series.seed,
            others.len()
        ),
        legend,
        svg,
    }
}

fn drawdown(series: &SeriesRecord) -> Chart {
    let range = bounds(series.drawdown.max.iter().flatten().chain(&[0.0]));
    let svg = draw(series, (-range.1, -range.0), 0.01, |axes, width| {
        let bottom = series.drawdown.max.iter().enumerate();
        let points = bottom.map(|(index, value)| ((index as f64 + 0.5) * width, -value.unwrap_or_default() * 0.01));
        axes.draw_series(AreaSeries::new(points, 0.0, colour::SELL.mix(0.25)).border_style(colour::SELL)).map(drop)
    });
    Chart {
        id: "drawdown",
        title: "Drawdown ($)",
        description: format!("How far equity was below its highest so far in seed {}.", series.seed),
        legend: vec![("sell", "fall below the highest equity so far".to_owned())],
        svg,
    }
}

/// Draws axes over the session and the given range of values (times `factor`), then what `content` adds; it gets the width of a
/// bucket in seconds.
fn draw(
    series: &SeriesRecord,
    range: (f64, f64),
    factor: f64,
    content: impl FnOnce(&mut Axes<'_>, f64) -> Drawn,
) -> Option<String> {
    let width = series.step_ns as f64 / 1e9;
    let seconds = width * series.volume.len() as f64;
    let (low, high) = padded(range.0 * factor, range.1 * factor);
    let (marks, decimals) = value_marks(low, high);
    // Dollars have two decimals or none.
    let decimals = if factor < 1.0 && decimals > 0 { decimals.max(2) } else { decimals };
    let mut svg = String::new();
    let drawn = (|| {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let mut axes = ChartBuilder::on(&area)
            .margin(6)
            .margin_right(20)
            .x_label_area_size(26)
            .y_label_area_size(72)
            .build_cartesian_2d(
            MarkedAxis { low: 0.0, high: seconds, marks: time_marks(series.start_ns, seconds) },
            MarkedAxis { low, high, marks },
        )?;
        let label = ("sans-serif", 13).into_font().color(&colour::MUTED);
        axes.configure_mesh()
            .disable_x_mesh()
            .bold_line_style(colour::GRID)
            .light_line_style(TRANSPARENT)
            .axis_style(colour::GRID)
            .label_style(label)
            .x_label_formatter(&|second| clock(series.start_ns + (second * 1e9) as u64, false))
            .y_label_formatter(&|value| grouped(*value, decimals))
            .draw()?;
        content(&mut axes, width)?;
        area.present()
    })();
    drawn.ok().map(|()| svg)
}

/// An axis with given marks: the library's own knows no round times of day, and leaves out marks on a narrow range far from zero.
struct MarkedAxis {
    low: f64,
    high: f64,
    marks: Vec<f64>,
}

impl Ranged for MarkedAxis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (start, end): (i32, i32)) -> i32 {
        start + ((value - self.low) / (self.high - self.low) * f64::from(end - start)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.marks.clone()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.low..self.high
    }
}

/// Round values in the range, and how many decimals tell them apart.
fn value_marks(low: f64, high: f64) -> (Vec<f64>, usize) {
    let magnitude = ((high - low) / VALUE_MARKS_MAX).log10().floor();
    let power = 10_f64.powf(magnitude);
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|round| round * power)
        .into_iter()
        .find(|step| (high - low) / step <= VALUE_MARKS_MAX);
    let step = step.unwrap_or(10.0 * power);
    let marks = ((low / step).ceil() as i64..=(high / step).floor() as i64).map(|mark| mark as f64 * step).collect();
    (marks, (-step.log10().floor()).clamp(0.0, 6.0) as usize)
}

/// Round times of day within the session, as seconds from its start.
fn time_marks(start_ns: u64, seconds: f64) -> Vec<f64> {
    let start = start_ns / 1_000_000_000;
    let length = seconds as u64;
    let step = TIME_STEPS.into_iter().find(|step| length / step < TIME_MARKS_MAX).unwrap_or(length.max(1));
    (start.div_ceil(step)..=(start + length) / step).map(|mark| (mark * step - start) as f64).collect()
}

/// The least and the greatest value; zero without any.
fn bounds<'a>(values: impl Iterator<Item = &'a f64>) -> (f64, f64) {
    let found = values.fold(None, |range: Option<(f64, f64)>, &value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    });
    found.unwrap_or((0.0, 0.0))
}

/// A little air around the values, and some height even if they are all the same.
fn padded(low: f64, high: f64) -> (f64, f64) {
    let air = if high > low { (high - low) * 0.04 } else { 0.5 };
    (low - air, high + air)
}

fn zero(axes: &mut Axes<'_>, series: &SeriesRecord) -> Drawn {
    let end = series.step_ns as f64 / 1e9 * series.volume.len() as f64;
    axes.draw_series(std::iter::once(PathElement::new([(0.0, 0.0), (end, 0.0)], colour::MUTED))).map(drop)
}

/// A line through the middles of the buckets, interrupted where there is no value.
fn lines(axes: &mut Axes<'_>, values: &[Option<f64>], width: f64, factor: f64, colour: RGBColor, stroke: u32) -> Drawn {
    for piece in pieces(values) {
        let points = piece.map(|(index, value)| ((index as f64 + 0.5) * width, value * factor));
        axes.draw_series(LineSeries::new(points, colour.stroke_width(stroke)))?;
    }
    Ok(())
}

/// The area between the least and the greatest value of each bucket.
fn band(axes: &mut Axes<'_>, range: &RangeRecord, width: f64, factor: f64, colour: RGBColor) -> Drawn {
    let place = |(index, value): (usize, f64)| ((index as f64 + 0.5) * width, value * factor);
    let shapes = pieces(&range.min).zip(pieces(&range.max)).map(|(low, high)| {
        let mut outline: Vec<(f64, f64)> = low.map(place).collect();
        outline.extend(high.map(place).collect::<Vec<_>>().into_iter().rev());
        Polygon::new(outline, colour.mix(0.25))
    });
    axes.draw_series(shapes).map(drop)
}

/// Stretches of values with their indices.
fn pieces(values: &[Option<f64>]) -> impl Iterator<Item = impl Iterator<Item = (usize, f64)>> {
    let mut start = 0;
    values.chunk_by(|a, b| a.is_some() == b.is_some()).filter_map(move |piece| {
        let first = start;
        start += piece.len();
        piece[0]
            .is_some()
            .then(|| piece.iter().enumerate().filter_map(move |(index, value)| Some((first + index, (*value)?))))
    })
}
