//! `make bench`: how many submissions a minute go through the gate, cold and warm, and where the time goes.
//!
//! A hundred small strategies, each another text, are checked, compiled and run on `rmsc04` over five seeds, by the command line as a user has
//! it. Cold: the SDK is prepared, nothing else is kept. Warm: what rustc made of each and its machine code are kept, so nothing is compiled.

use serde_json::{Value, json};
use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

const SUBMISSIONS: usize = 100;
/// Rounds; the middle one is quoted.
const ROUNDS: usize = 3;
const POLICY: &str = "name = \"bench\"\n[[scenarios]]\nscenario = \"rmsc04\"\npublic = 5\n[[rules]]\nname = \"any\"\nmeasure = \"pnl\"\nstatistic = \"lower 95% bound\"\nabove = -1_000_000_000\n";

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Started as a helper, or as the command that is measured, this program is what `assay` would be.
    if arguments.first().is_some_and(|word| ["jail", "precompile", "gate"].contains(&word.as_str())) {
        return assay_cli::main();
    }
    match measure() {
        Ok(figure) => {
            print_line(&figure.to_string());
            ExitCode::SUCCESS
        }
        Err(error) => {
            note(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stdout, reason = "the result of a bench")]
fn print_line(line: &str) {
    println!("{line}");
}

#[expect(clippy::print_stderr, reason = "a program for people")]
fn note(text: &str) {
    eprintln!("{text}");
}

/// A strategy that differs from every other one in what it buys and when.
fn strategy(number: usize) -> String {
    format!(
        "use assay_sdk::*;\n\nstruct S {{\n    ticks: u64,\n}}\n\nimpl Strategy for S {{\n    fn initialize(_: &Config, _: &mut Exchange) -> Self {{\n        \
         S {{ ticks: {number} }}\n    }}\n\n    fn on_tick(&mut self, exchange: &mut Exchange) {{\n        self.ticks += 1;\n        \
         if self.ticks % {} == 0 {{\n            let side = if exchange.position() > {number} {{ Side::Sell }} else {{ Side::Buy }};\n            \
         exchange.market(side, Quantity::of({}));\n        }}\n    }}\n}}\n\nexport!(S);\n",
        number + 10,
        number + 1
    )
}

fn measure() -> Outcome<Value> {
    let home = tempfile::tempdir()?;
    let write = |name: &str, text: &str| std::fs::write(home.path().join(name), text);
    std::fs::create_dir(home.path().join("subs"))?;
    write("gate.toml", POLICY)?;
    write("first.rs", &strategy(SUBMISSIONS + 1))?;
    for number in 0..SUBMISSIONS {
        write(&format!("subs/s{number:03}.rs"), &strategy(number))?;
    }
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let cache = home.path().join(format!("cache{round}"));
        // Prepares the SDK, which is done once on a machine.
        gate(home.path(), &cache, &["first.rs"])?;
        for (name, rates) in [("cold", &mut cold), ("warm", &mut warm)] {
            let started = Instant::now();
            let said = gate(home.path(), &cache, &["subs", "--out", &format!("{name}{round}")])?;
            let rate = SUBMISSIONS as f64 * 60.0 / started.elapsed().as_secs_f64();
            let phases = said.lines().find(|line| line.contains("rustc")).unwrap_or_default();
            note(&format!("{name}: {rate:.0} a minute; {}", phases.trim()));
            rates.push(rate);
        }
    }
    let (cold, warm) = (median(cold), median(warm));
    Ok(json!({
        "id": "gate-per-minute", "median": cold, "unit": "1/min", "versus": "the same with all that was compiled kept", "versus_median": warm,
        "ratio": cold / warm
    }))
}

fn gate(home: &Path, cache: &Path, arguments: &[&str]) -> Outcome<String> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("gate").args(arguments).current_dir(home).env("ASSAY_CACHE_DIR", cache).env("NO_COLOR", "1");
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        Ok(said)
    } else {
        Err(format!("the gate ended with {}\n{said}", output.status).into())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
