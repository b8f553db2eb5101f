//! `make bench`: the figures that need several crates at once, and the table of all figures.
//!
//! `--json` prints one JSON line a figure, as the crates' own benches do, `--only WORD` of those alone whose names hold the word; `--table LINES JSON` reads the lines of all benches, shows
//! them and writes the list. Ratios are what to compare between machines: these are noisy.

use assay_compile::{BuildSettings, Source};
use assay_data::DataRecorder;
use assay_evaluate::{
    Arena, Contender, Entrant, Guest, Recorder, RunRecord, Seeds, StrategyRecord, ToolRecord, Trial, arena, evaluate,
};
use assay_market::{Scenario, Thinking, Trader, simulate};
use assay_model::Seed;
use assay_sandbox::{Program, Sandbox, SandboxSettings};
use assay_tests::native::NativeTrader;
use assay_tests::root;
use serde_json::{Value, json};
use std::error::Error;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

#[path = "../../examples/strategies/market_maker.rs"]
mod market_maker;
#[path = "trial/refine.rs"]
mod refine;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Pairs of runs; the median of their ratios is quoted.
const ROUNDS: usize = 31;
/// The same for runs of many seeds.
const TRIAL_ROUNDS: usize = 15;
/// The paired seeds on which a search tries a strategy.
const SEARCH_SEEDS: u64 = 256;
/// Whole days of a trial.
const DAYS: u64 = 8;
/// Games of an arena.
const GAMES: u64 = 24;
/// The same for what takes seconds.
const LONG_ROUNDS: usize = 5;
/// Enough that opening and closing the files, which costs the same for any number, is a small part.
const TRIAL_SEEDS: u64 = 100;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).filter(|word| *word != "--bench").collect();
    let done = match words.as_slice() {
        // Started as a helper by the build or the sandbox, this program is what `assay` would be.
        ["jail" | "precompile", ..] => return assay_cli::main(),
        ["--table", lines, json] => table(Path::new(lines), Path::new(json)),
        [.., "--only", word] => measure(word),
        _ => measure(""),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            note(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// The figures whose names hold this word.
fn measure(word: &str) -> Outcome<()> {
    type Figure<'a> = (&'a str, &'a dyn Fn() -> Outcome<Value>);
    let folder = root().join("target/bench-cache");
    let every = std::thread::available_parallelism()?;
    let figures: [Figure<'_>; 9] = [
        ("source-to-ready-s", &|| source_to_ready(&folder)),
        ("wasm-over-native", &|| wasm_over_native(&folder)),
        ("parquet-overhead", &|| parquet_overhead("parquet-overhead", NonZeroUsize::MIN, &folder)),
        ("parquet-overhead-busy", &|| parquet_overhead("parquet-overhead-busy", every, &folder)),
        ("trial-256-seeds-s", &|| whole_trial("trial-256-seeds-s", "calm", SEARCH_SEEDS, every, &folder)),
        ("trial-8-days-s", &|| whole_trial("trial-8-days-s", "calm-day", DAYS, every, &folder)),
        ("arena-4-seats-over-1", &|| arena_seats(&folder)),
        ("refine-generation-ms", &|| refine::generation(&folder)),
        ("refine-resume-ms", &|| refine::resume(&folder)),
    ];
    for (_, figure) in figures.iter().filter(|(name, _)| name.contains(word)) {
        print_line(&figure()?.to_string());
    }
    Ok(())
}

fn table(lines: &Path, json: &Path) -> Outcome<()> {
    let text = std::fs::read_to_string(lines)?;
    let figures: Vec<Value> =
        text.lines().filter(|line| line.starts_with('{')).map(serde_json::from_str).collect::<Result<_, _>>()?;
    print_table(&figures);
    std::fs::write(json, format!("{:#}\n", Value::from(figures)))?;
    note(&format!("wrote {}", json.display()));
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the result of a bench")]
fn print_line(line: &str) {
    println!("{line}");
}

#[expect(clippy::print_stderr, reason = "a program for people")]
fn note(text: &str) {
    eprintln!("{text}");
}

#[expect(clippy::print_stdout, reason = "a program for people")]
fn print_table(figures: &[Value]) {
    println!("{:<24} {:>12} {:<8} {:>12} {:>8}  versus", "id", "median", "unit", "its median", "ratio");
    for figure in figures {
        let number = |key: &str| figure[key].as_f64().map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
        let text = |key: &str| figure[key].as_str().unwrap_or("-").to_owned();
        println!(
            "{:<24} {:>12} {:<8} {:>12} {:>8}  {}",
            text("id"),
            number("median"),
            text("unit"),
            number("versus_median"),
            number("ratio"),
            text("versus")
        );
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn build_settings(folder: &Path) -> Outcome<BuildSettings> {
    Ok(BuildSettings::new(std::env::current_exe()?, folder.join("sdk")))
}

fn sandbox(cache: &Path) -> Outcome<Sandbox> {
    Ok(Sandbox::new(&SandboxSettings::new(cache.to_owned(), std::env::current_exe()?))?)
}

/// Check, rustc, wrap, check, Cranelift, map. Returns the program and the seconds that rustc took in its jail.
fn ready(path: &Path, build: &BuildSettings, sandbox: &Sandbox) -> Outcome<(Program, f64)> {
    let source = Source::open(path)?;
    for file in source.rust_files() {
        let findings = assay_validator::check_source(&file.name, &file.text);
        if findings.has_errors() {
            return Err(findings.into());
        }
    }
    let built = assay_compile::build(&source, build)?;
    let program = sandbox.load(&assay_validator::check_component(built.component)?)?;
    Ok((program, built.timings.compile.as_secs_f64()))
}

fn market_maker_path() -> PathBuf {
    root().join("examples/strategies/market_maker.rs")
}

/// One file to a program that can start. Warm: the SDK is prepared; rustc runs, and the artifact is new, in every round.
fn source_to_ready(folder: &Path) -> Outcome<Value> {
    let build = BuildSettings { kept_bytes_max: 0, ..build_settings(folder)? };
    let (mut whole, mut rustc) = (Vec::new(), Vec::new());
    for round in 0..8 {
        let cache = tempfile::tempdir()?;
        let sandbox = sandbox(cache.path())?;
        let started = Instant::now();
        let (_, rustc_seconds) = ready(&market_maker_path(), &build, &sandbox)?;
        // The first round prepares the SDK and is not counted.
        if round > 0 {
            whole.push(started.elapsed().as_secs_f64());
            rustc.push(rustc_seconds);
        }
    }
    let (whole, rustc) = (median(whole), median(rustc));
    Ok(
        json!({ "id": "source-to-ready-s", "median": whole, "unit": "s", "versus": "rustc's part of it", "versus_median": rustc, "ratio": whole / rustc }),
    )
}

/// CPU seconds of this thread.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn timed<T: Trader>(scenario: &Scenario, seed: Seed, trader: &mut T) -> (f64, String) {
    let started = cpu_seconds();
    let summary = simulate(scenario, seed, trader, &mut ());
    (cpu_seconds() - started, summary.log_hash.to_string())
}

/// `rmsc04` with the example market maker in the sandbox, against the same file compiled natively. Both must give the same event log.
fn wasm_over_native(folder: &Path) -> Outcome<Value> {
    let (program, _) = ready(&market_maker_path(), &build_settings(folder)?, &sandbox(&folder.join("artifacts"))?)?;
    let mut scenario = Scenario::preset("rmsc04").ok_or("there is no rmsc04")?;
    // A native trader has no fuel to pay for in time.
    scenario.thinking = Thinking::NONE;
    let guest = Guest::new(program, scenario.budget);
    let (mut wasm, mut native, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let seed = Seed(1 + round as u64 % 10);
        let mut guest_trader = guest.start(scenario.new_desk(seed))?;
        let (guest_seconds, guest_hash) = timed(&scenario, seed, &mut guest_trader);
        let mut native_trader = NativeTrader::new(market_maker::strategy(), scenario.new_desk(seed));
        let (native_seconds, native_hash) = timed(&scenario, seed, &mut native_trader);
        if guest_hash != native_hash {
            return Err(format!("seed {}: the sandboxed and the native market maker traded differently", seed.0).into());
        }
        wasm.push(guest_seconds * 1e3);
        native.push(native_seconds * 1e3);
        ratios.push(guest_seconds / native_seconds);
    }
    Ok(json!({
        "id": "wasm-over-native", "median": median(ratios), "unit": "x", "versus": "the same file compiled natively, ms CPU",
        "versus_median": median(native), "ratio": median(wasm)
    }))
}

fn tool_record() -> ToolRecord {
    ToolRecord { assay: String::new(), wasmtime: String::new() }
}

fn strategy_record() -> StrategyRecord {
    StrategyRecord {
        file_name: "market_maker.rs".to_owned(),
        source: None,
        source_hash: None,
        component_hash: String::new(),
        sdk_version: None,
        rustc_version: None,
    }
}

/// A trial as `assay run` does it: strategy and baseline for each seed.
fn trial(
    scenario: &Scenario,
    guest: &Guest,
    seeds: u64,
    threads: NonZeroUsize,
    recorder: Option<&dyn Recorder>,
) -> Outcome<RunRecord> {
    let trial = Trial {
        scenario,
        seeds: &Seeds::count(seeds)?,
        threads,
        tool: tool_record(),
        command: String::new(),
        strategy: strategy_record(),
        findings: Vec::new(),
        findings_omitted: 0,
        recorder,
        baselines: None,
    };
    Ok(evaluate(&trial, guest, &(), &AtomicBool::new(false))?.without_timing())
}

/// Seconds of the evaluation of `rmsc04` with every episode kept as Parquet, from the first file opened to the last one on the disk,
/// against the same without. Compiling the strategy is not in it. Both must give the same record.
///
/// On one thread this is what recording costs the simulation, as long as the writer has a processor to itself. With every processor
/// simulating, the writer takes its time from them, and the figure is what recording costs in all.
fn parquet_overhead(id: &str, threads: NonZeroUsize, folder: &Path) -> Outcome<Value> {
    let (program, _) = ready(&market_maker_path(), &build_settings(folder)?, &sandbox(&folder.join("artifacts"))?)?;
    let scenario = Scenario::preset("rmsc04").ok_or("there is no rmsc04")?;
    let guest = Guest::new(program, scenario.budget);
    let data = folder.join("data");
    let (mut kept, mut plain, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=TRIAL_ROUNDS {
        let started = Instant::now();
        let without = trial(&scenario, &guest, TRIAL_SEEDS, threads, None)?;
        let plain_seconds = started.elapsed().as_secs_f64();
        let started = Instant::now();
        let recorder = DataRecorder::create(&data, &scenario, "bench", threads)?;
        let with = trial(&scenario, &guest, TRIAL_SEEDS, threads, Some(&recorder))?;
        recorder.finish()?;
        let kept_seconds = started.elapsed().as_secs_f64();
        if with != without {
            return Err("recording changed the record".into());
        }
        // The first round warms up.
        if round > 0 {
            plain.push(plain_seconds);
            kept.push(kept_seconds);
            ratios.push(kept_seconds / plain_seconds);
        }
    }
    Ok(json!({
        "id": id, "median": median(kept), "unit": "s", "versus": "the same trial without data",
        "versus_median": median(plain), "ratio": median(ratios)
    }))
}

/// Seconds of a trial, strategy and baseline for each seed, against the same on one thread. Compiling the strategy is not in it.
fn whole_trial(id: &str, market: &str, seeds: u64, threads: NonZeroUsize, folder: &Path) -> Outcome<Value> {
    let (program, _) = ready(&market_maker_path(), &build_settings(folder)?, &sandbox(&folder.join("artifacts"))?)?;
    let scenario = Scenario::preset(market).ok_or("there is no such market")?;
    let guest = Guest::new(program, scenario.budget);
    let (mut all, mut one, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=LONG_ROUNDS {
        let started = Instant::now();
        trial(&scenario, &guest, seeds, threads, None)?;
        let all_seconds = started.elapsed().as_secs_f64();
        let started = Instant::now();
        trial(&scenario, &guest, seeds, NonZeroUsize::MIN, None)?;
        let one_seconds = started.elapsed().as_secs_f64();
        // The first round warms up.
        if round > 0 {
            all.push(all_seconds);
            one.push(one_seconds);
            ratios.push(all_seconds / one_seconds);
        }
    }
    Ok(json!({
        "id": id, "median": median(all), "unit": "s", "versus": "the same on one thread",
        "versus_median": median(one), "ratio": median(ratios)
    }))
}

/// Seconds of games of `calm` with four market makers against the same games with one, on one thread.
fn arena_seats(folder: &Path) -> Outcome<Value> {
    let (program, _) = ready(&market_maker_path(), &build_settings(folder)?, &sandbox(&folder.join("artifacts"))?)?;
    let scenario = Scenario::preset("calm").ok_or("there is no calm")?;
    let guest = Guest::new(program, scenario.budget);
    let seeds = Seeds::count(GAMES)?;
    let played = |seats: usize| -> Outcome<f64> {
        let entrants: Vec<Entrant<Guest>> = (0..seats)
            .map(|seat| Entrant {
                name: format!("maker {seat}"),
                strategy: strategy_record(),
                contender: guest.clone(),
            })
            .collect();
        let games = Arena { scenario: &scenario, seeds: &seeds, threads: NonZeroUsize::MIN };
        let started = Instant::now();
        arena(&games, &entrants, (tool_record(), String::new()), &|_, _| (), &AtomicBool::new(false))?;
        Ok(started.elapsed().as_secs_f64())
    };
    let (mut four, mut one, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=TRIAL_ROUNDS {
        let (four_seconds, one_seconds) = (played(4)?, played(1)?);
        // The first round warms up.
        if round > 0 {
            four.push(four_seconds);
            one.push(one_seconds);
            ratios.push(four_seconds / one_seconds);
        }
    }
    Ok(json!({
        "id": "arena-4-seats-over-1", "median": median(ratios), "unit": "x", "versus": "the same games with one seat, s",
        "versus_median": median(one), "ratio": median(four)
    }))
}
