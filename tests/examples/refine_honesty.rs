//! How often `assay refine` promotes on real markets where nothing is better (`make honesty-refine`): sessions with strategies all of whose candidates are
//! equally good, each session with draws of its own.
//!
//! Usage: `refine_honesty --assay PROGRAM --sessions N --markets NAME[,…]`, in any folder; N sessions for each strategy in each market. A table for docs/refine.md goes to standard output, progress to standard error.

use serde_json::Value;
use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Strategies whose one parameter makes nothing better, with what they are.
const STRATEGIES: [(&str, &str, &str); 2] = [
    ("moments", "maker that looks at its quotes at other moments", include_str!("equal/moments.rs")),
    ("sides", "taker that guesses the side", include_str!("equal/sides.rs")),
];
/// Seeds of sessions count from here.
const SEED: u64 = 1_000;

/// What sessions came to.
#[derive(Default)]
struct Tally {
    sessions: u64,
    candidates: u64,
    trials: u64,
    promoting: u64,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.sessions += other.sessions;
        self.candidates += other.candidates;
        self.trials += other.trials;
        self.promoting += other.promoting;
    }

    fn row(&self, strategy: &str, market: &str) -> String {
        let (low, high) = exact(self.promoting, self.sessions);
        format!(
            "| {strategy} | {market} | {} | {} | {} | {} | {:.1}% to {:.1}% |\n",
            self.sessions,
            self.candidates,
            self.trials,
            self.promoting,
            100.0 * low,
            100.0 * high
        )
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--assay", assay, "--sessions", sessions, "--markets", markets] => sessions
            .parse::<u64>()
            .map_err(|_| "the number of sessions is not a number".into())
            .and_then(|sessions| table(Path::new(assay), sessions, markets)),
        _ => Err("usage: refine_honesty --assay PROGRAM --sessions N --markets NAME[,…]".into()),
    };
    match done {
        Ok(text) => {
            print(&text);
            ExitCode::SUCCESS
        }
        Err(error) => {
            say(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stdout, reason = "the table")]
fn print(text: &str) {
    print!("{text}");
}

#[expect(clippy::print_stderr, reason = "a program for people")]
fn say(text: &str) {
    eprintln!("{text}");
}

fn table(assay: &Path, sessions: u64, markets: &str) -> Result<String, Box<dyn Error>> {
    let assay = assay.canonicalize()?;
    let home = tempfile::tempdir()?;
    let mut text = "| all candidates are equal: a | market | sessions | candidates | trials | sessions that promote | 95% interval |\n|---|---|---|---|---|---|---|\n".to_owned();
    let mut all = Tally::default();
    for (name, words, source) in STRATEGIES {
        std::fs::write(home.path().join(format!("{name}.rs")), source)?;
        for market in markets.split(',') {
            let mut tally = Tally::default();
            for number in 0..sessions {
                tally.add(&session(&assay, home.path(), (name, market), SEED + number)?);
            }
            let row = tally.row(words, &format!("`{market}`"));
            say(row.trim_end());
            text.push_str(&row);
            all.add(&tally);
        }
    }
    Ok(text + &all.row("all", ""))
}

/// One session, as a user begins it; at the end it is removed.
fn session(assay: &Path, home: &Path, (name, market): (&str, &str), seed: u64) -> Result<Tally, Box<dyn Error>> {
    let folder = format!("{name}-{market}-{seed}");
    let output = Command::new(assay)
        .current_dir(home)
        .args(["refine", "--from", &format!("{name}.rs"), "--scenario", market, "--seed", &seed.to_string()])
        .args(["--dir", &folder, "--no-store"])
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let log = std::fs::read_to_string(home.join(&folder).join(format!("{name}-1/log.jsonl")))?;
    std::fs::remove_dir_all(home.join(&folder))?;
    let mut tally = Tally { sessions: 1, ..Tally::default() };
    for line in log.lines() {
        let event: Value = serde_json::from_str(line)?;
        let body = &event["body"];
        match body["what"].as_str() {
            Some("written") if body["candidate"] != "0.0" => tally.candidates += 1,
            Some("decided") => {
                tally.trials += 1;
                tally.promoting |= u64::from(body["promoted"] == true);
            }
            _ => {}
        }
    }
    Ok(tally)
}

/// The exact 95% interval of a probability (Clopper and Pearson, Biometrika 26, 1934).
fn exact(hits: u64, of: u64) -> (f64, f64) {
    let low = if hits == 0 { 0.0 } else { crossing(|p| 1.0 - at_most(hits - 1, of, p) < 0.025) };
    let high = if hits == of { 1.0 } else { crossing(|p| at_most(hits, of, p) > 0.025) };
    (low, high)
}

/// Up to which probability something holds.
fn crossing(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}

/// How likely at most `hits` of `of` are.
fn at_most(hits: u64, of: u64, p: f64) -> f64 {
    let mut term = (1.0 - p).powi(i32::try_from(of).unwrap_or(i32::MAX));
    let mut sum = term;
    for k in 0..hits {
        term *= (of - k) as f64 / (k + 1) as f64 * p / (1.0 - p);
        sum += term;
    }
    sum
}
