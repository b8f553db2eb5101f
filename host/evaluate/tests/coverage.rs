//! How often the intervals hold: simulated samples whose true mean is known, and the table of `docs/evidence.md`, which this test regenerates.
//!
//! The numbers come from a generator of our own, so the table is the same on every machine.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_evaluate::{Sample, student_interval, unseen_loss_rate};
use std::fmt::Write as _;
use std::path::Path;

const BLESS: &str = "ASSAY_BLESS";
/// Samples of each kind and size: a coverage of 95% is known to 0.3 points.
const SAMPLES: u32 = 5_000;
const SIZES: [usize; 3] = [20, 30, 100];
const BEGIN: &str = "<!-- coverage: begin -->\n";
const END: &str = "<!-- coverage: end -->";

/// splitmix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((z ^ (z >> 31)) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Box and Muller.
    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// A kind of sample.
struct Kind {
    name: &'static str,
    mean: f64,
    draw: fn(&mut Random) -> f64,
}

const KINDS: [Kind; 5] = [
    Kind { name: "normal", mean: 0.0, draw: Random::normal },
    Kind { name: "Student's t, 3 degrees", mean: 0.0, draw: student_3 },
    Kind { name: "exponential", mean: 1.0, draw: |random| -random.uniform().ln() },
    Kind { name: "wins 1, loses 9 in 1 of 10", mean: 0.0, draw: |random| pennies(random, 10.0) },
    Kind { name: "wins 1, loses 49 in 1 of 50", mean: 0.0, draw: |random| pennies(random, 50.0) },
];

fn student_3(random: &mut Random) -> f64 {
    let squares: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
    random.normal() / (squares / 3.0).sqrt()
}

/// A small gain nearly always, and a loss that takes it all back: what selling insurance looks like. A little noise, so that no two seeds are equal.
fn pennies(random: &mut Random, one_in: f64) -> f64 {
    let noise = 0.1 * random.normal();
    noise + if random.uniform() < 1.0 / one_in { 1.0 - one_in } else { 1.0 }
}

/// Shares in percent.
struct Coverage {
    plain: f64,
    ours: f64,
    /// The true mean lies below our interval: skill is claimed that is not there.
    false_gain_plain: f64,
    false_gain: f64,
    width: f64,
}

fn simulate(kind: &Kind, n: usize, random: &mut Random) -> Coverage {
    let (mut plain, mut ours, mut gain_plain, mut gain, mut widths) = (0_u32, 0_u32, 0_u32, 0_u32, 0.0);
    for _ in 0..SAMPLES {
        let sample = Sample::of_distinct((0..n).map(|_| (kind.draw)(random)).collect());
        let (low, high) = student_interval(&sample).unwrap();
        let interval = sample.estimate().unwrap().interval.unwrap();
        plain += u32::from((low..=high).contains(&kind.mean));
        ours += u32::from((interval.low..=interval.high).contains(&kind.mean));
        gain_plain += u32::from(low > kind.mean);
        gain += u32::from(interval.low > kind.mean);
        widths += (interval.high - interval.low) / (high - low);
    }
    let percent = |count: u32| 100.0 * f64::from(count) / f64::from(SAMPLES);
    Coverage {
        plain: percent(plain),
        ours: percent(ours),
        false_gain_plain: percent(gain_plain),
        false_gain: percent(gain),
        width: widths / f64::from(SAMPLES),
    }
}

fn table() -> String {
    let mut text = String::from(
        "| values | seeds | Student's t holds | ours holds | t: gain where there is none | ours: gain where there is none | ours is wider by |\n|---|---|---|---|---|---|---|\n",
    );
    let mut random = Random(20);
    for kind in &KINDS {
        for n in SIZES {
            let found = simulate(kind, n, &mut random);
            let Coverage { plain, ours, false_gain_plain, false_gain, width } = found;
            assert!(ours >= plain && false_gain <= false_gain_plain, "{} {n}: never worse than Student's", kind.name);
            writeln!(
                text,
                "| {} | {n} | {plain:.1}% | {ours:.1}% | {false_gain_plain:.1}% | {false_gain:.1}% | {:.0}% |",
                kind.name,
                100.0 * (width - 1.0)
            )
            .expect("a string takes anything");
        }
    }
    text.push_str("\n| seeds, none of which loses | a loss this frequent is missed 1 time in 20 |\n|---|---|\n");
    for n in [20, 30, 100, 300, 1_000] {
        writeln!(text, "| {n} | {:.1}% of sessions |", 100.0 * unseen_loss_rate(n)).expect("a string takes anything");
    }
    text
}

#[test]
fn the_table_of_the_page_is_what_is_simulated() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/evidence.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has a place for the table");
    let (_, after) = rest.split_once(END).expect("the place has an end");
    let generated = format!("{before}{BEGIN}{}{END}{after}", table());
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(&path, generated).unwrap();
        return;
    }
    assert!(page == generated, "docs/evidence.md is stale: run this test with {BLESS}=1");
}
