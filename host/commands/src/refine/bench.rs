//! What `assay refine bench` does: it finds out whose feedback helps a writer. The benchmark is `assay_refine::feedback`; here settings become its parts, and
//! its result a table.

use super::MICRO;
use super::asking::Asking;
use super::begin::{scenarios, strategy};
use super::explain::explain_all;
use super::model::{Asked, Shared};
use super::settings::BenchSettings;
use super::workshop::Workshop;
use crate::command_line::{command_line, path_word};
use crate::guide::{GUIDE, GUIDE_PYTHON};
use crate::interrupt::cancel_on_interrupt;
use crate::settings::{self, Machine};
use crate::{Ending, Failure, face};
use assay_evaluate::RunRecord;
use assay_files::{Folder, Links};
use assay_model::Seed;
use assay_refine::core::bounds::GOAL_BYTES_MAX;
use assay_refine::core::event::Program;
use assay_refine::core::plan::Budget;
use assay_refine::core::seeds::{Family, block};
use assay_refine::core::state::Spent;
use assay_refine::evidence::points;
use assay_refine::explain::{Explanation, QUESTIONS_MAX};
use assay_refine::feedback::{Benchmark, Setup, Subject, run as benchmark};
use assay_refine::feedback_page::page;
use assay_refine::flaws::{CORPUS_BYTES_MAX, Corpus, Planted};
use assay_refine::market::{Loaded, Markets};
use assay_refine::model::{Ask, NoAnswer, REPAIRS_MAX};
use assay_refine::session::{Bench as _, Trouble};
use assay_report::run_summary;
use std::collections::BTreeMap;
use std::path::Path;

/// Models that are compared at most: each is an arm in every unit.
const MODELS_MAX: usize = 16;
/// Strategies at most.
const STRATEGIES_MAX: usize = 64;
/// Rewrites of a strategy in an arm.
const SAMPLES_MAX: u32 = 1_000;
/// Blocks of a unit.
const BLOCKS_MAX: u32 = 100;
/// Seeds of a block, and of the run that is explained.
const BLOCK_SEEDS: u32 = 8;

/// A strategy with what it did.
struct Strategy<'a> {
    workshop: &'a Workshop,
    markets: &'a Markets<'a>,
    records: Vec<RunRecord>,
    summary: String,
    flaw: Option<&'a str>,
    flaws: &'a BTreeMap<String, String>,
}

impl Subject for Strategy<'_> {
    fn name(&self) -> &str {
        self.workshop.name()
    }

    fn source(&self) -> &str {
        self.workshop.source()
    }

    fn summary(&self) -> &str {
        &self.summary
    }

    fn flaw(&self) -> Option<&str> {
        self.flaw
    }

    /// Market by market.
    fn explain(&self, model: &dyn Ask) -> Result<Explanation, NoAnswer> {
        explain_all(model, &self.records, self.flaws)
    }

    fn check(&self, source: &str) -> Result<Result<(), String>, Trouble> {
        self.workshop.check(source)
    }

    fn score(&self, source: &str, blocks: &[Vec<Seed>]) -> Result<Vec<f64>, Trouble> {
        let hash = blake3::hash(source.as_bytes()).to_hex().to_string();
        if self.workshop.loaded(&hash).is_none() {
            self.workshop.check(source)?.map_err(Trouble::Infrastructure)?;
        }
        Ok(self.markets.score(&Program::Source(hash), blocks)?.points)
    }
}

/// Finds out whose feedback helps a writer, or only says what that would take.
///
/// # Errors
///
/// Where the settings are wrong, a strategy is refused, or the machine or a model fails; and where it is interrupted.
pub fn run(machine: &Machine, settings: &BenchSettings) -> Result<Ending, Failure> {
    check_numbers(settings)?;
    let scenarios = scenarios(&settings.scenario)?;
    let threads = settings::threads(settings.threads)?;
    let (given, flaws) = given(settings)?;
    let workshops = workshops(machine, &given, threads)?;
    let guide = if workshops[0].is_python() { GUIDE_PYTHON } else { GUIDE };
    let writer_spec = settings.model.as_ref().unwrap_or(&settings.models[0]);
    estimate(settings, given.len(), writer_spec);
    let budget = Budget {
        microdollars: settings.budget_usd.map(|dollars| (dollars * MICRO) as u64),
        tokens: settings.budget_tokens,
        minutes: None,
    };
    let asking = Asking { access: &settings.access, tape: None, is_trial: settings.dry_run };
    let shared = Shared::new(&asking, budget, Spent::default())?;
    let writer = Asked::open(writer_spec, &shared)?;
    let asked: Vec<Asked> = settings.models.iter().map(|spec| Asked::open(spec, &shared)).collect::<Result<_, _>>()?;
    if settings.dry_run {
        return Ok(Ending::Success);
    }
    let folder = Folder::make(&settings.out)
        .map_err(|error| Failure::usage(format!("failed to make the folder {}: {error}", settings.out.display())))?;

    let cancel = cancel_on_interrupt();
    let load = |program: &Program| -> Result<Loaded, Trouble> {
        let found = match program {
            Program::Source(hash) => workshops.iter().find_map(|workshop| workshop.loaded(hash)),
            Program::Settings(_) => None,
        };
        found.ok_or_else(|| Trouble::Infrastructure("the program is not loaded".to_owned()))
    };
    let markets = Markets::new(&scenarios, settings.goal, threads, &load, &cancel);
    let seeds = block(settings.seed, Family::Probe, 0, BLOCK_SEEDS);
    let strategies: Vec<Strategy<'_>> = workshops
        .iter()
        .zip(&given)
        .map(|(workshop, given)| tried((workshop, &markets), &seeds, (given.flaw.as_deref(), &flaws)))
        .collect::<Result<_, _>>()
        .map_err(|trouble| ended(trouble, settings))?;
    let subjects: Vec<&dyn Subject> = strategies.iter().map(|strategy| strategy as &dyn Subject).collect();
    let models: Vec<(String, &dyn Ask)> =
        settings.models.iter().zip(&asked).map(|(spec, asked)| (spec.clone(), asked as &dyn Ask)).collect();
    let setup = Setup {
        subjects: &subjects,
        writer: (writer_spec, &writer),
        models: &models,
        flaws: &flaws,
        goal: settings.words.trim(),
        guide,
        samples: settings.samples,
        blocks: (settings.blocks, BLOCK_SEEDS),
        seed: settings.seed,
        budget: (budget.tokens, budget.microdollars),
        folder: &folder,
        stop: &cancel,
    };
    let mut watch = |done: usize, planned: usize| face::step("Unit", &format!("{done} of {planned}"));
    let found = benchmark(&setup, &mut watch).map_err(|trouble| ended(trouble, settings))?;
    show(&found, settings.json);
    if let Some(path) = &settings.page {
        let failed = |error: std::io::Error| Failure::usage(format!("failed to write {}: {error}", path.display()));
        std::fs::write(path, page(&found, &reproduce(settings))).map_err(failed)?;
        face::step("Wrote", &path.display().to_string());
    }
    Ok(Ending::Success)
}

/// The command, without where it keeps and writes what.
fn reproduce(settings: &BenchSettings) -> String {
    let from: Vec<String> = settings.from.iter().map(|path| path_word(path)).collect();
    let (models, from, scenario) = (settings.models.join(","), from.join(","), settings.scenario.join(","));
    let (samples, blocks, seed) =
        (settings.samples.to_string(), settings.blocks.to_string(), settings.seed.to_string());
    let flaws = settings.flaws.as_ref().map(|path| path_word(path));
    let mut words = vec!["assay", "refine", "bench", "--models", &models];
    match &flaws {
        Some(flaws) => words.extend(["--flaws", flaws]),
        None => words.extend(["--from", &from]),
    }
    words.extend(settings.model.iter().flat_map(|model| ["--model", model.as_str()]));
    words.extend(["--scenario", &scenario, "--samples", &samples, "--blocks", &blocks, "--seed", &seed]);
    command_line(&words)
}

/// A strategy as it is given.
struct Given {
    name: String,
    source: String,
    flaw: Option<String>,
}

/// The strategies, and the flaws that may be planted in them.
fn given(settings: &BenchSettings) -> Result<(Vec<Given>, BTreeMap<String, String>), Failure> {
    let Some(path) = &settings.flaws else {
        let one = |path: &std::path::PathBuf| strategy(path).map(|(name, source)| Given { name, source, flaw: None });
        return Ok((settings.from.iter().map(one).collect::<Result<_, _>>()?, BTreeMap::new()));
    };
    let failed = |error: &dyn std::fmt::Display| Failure::usage(format!("{}: {error}", path.display()));
    let text = assay_files::read_text(path, Links::Followed, CORPUS_BYTES_MAX).map_err(|error| failed(&error))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let read = |file: &str| strategy(&folder.join(file)).map(|(_, source)| source).map_err(|failure| failure.message);
    let corpus = Corpus::read(&text, &read).map_err(|error| failed(&error))?;
    if !(1..=STRATEGIES_MAX).contains(&corpus.strategies.len()) {
        return Err(failed(&format!("it has {} strategies; use 1 to {STRATEGIES_MAX}", corpus.strategies.len())));
    }
    let one = |planted: Planted| Given { name: planted.name, source: planted.source, flaw: planted.flaw };
    Ok((corpus.strategies.into_iter().map(one).collect(), corpus.flaws))
}

/// A strategy, run on the seeds that are told of.
fn tried<'a>(
    (workshop, markets): (&'a Workshop, &'a Markets<'a>),
    seeds: &[Seed],
    (flaw, flaws): (Option<&'a str>, &'a BTreeMap<String, String>),
) -> Result<Strategy<'a>, Trouble> {
    let hash = blake3::hash(workshop.source().as_bytes()).to_hex().to_string();
    let mut records = markets.records(&Program::Source(hash), seeds)?;
    for record in &mut records {
        workshop.name().clone_into(&mut record.strategy.file_name);
    }
    let summary = records.iter().map(run_summary).collect::<Vec<_>>().join("\n");
    Ok(Strategy { workshop, markets, records, summary, flaw, flaws })
}

fn workshops(machine: &Machine, given: &[Given], threads: std::num::NonZeroUsize) -> Result<Vec<Workshop>, Failure> {
    let mut workshops: Vec<Workshop> = Vec::new();
    for Given { name, source, .. } in given {
        if workshops.iter().any(|other| other.name() == name) {
            return Err(Failure::usage(format!("two strategies are called {name}")).hint("rename one of them"));
        }
        let workshop = Workshop::new(machine, name, source, threads)?;
        if workshops.first().is_some_and(|first| first.is_python() != workshop.is_python()) {
            return Err(Failure::usage("the strategies are of two languages")
                .hint("compare Rust strategies in one benchmark, and Python ones in another"));
        }
        workshops.push(workshop);
    }
    Ok(workshops)
}

fn check_numbers(settings: &BenchSettings) -> Result<(), Failure> {
    let out_of_range = |name: &str, most: u64| {
        Err(Failure::usage(format!("--{name} is out of range")).hint(format!("use 1 to {most}")))
    };
    if !(1..=SAMPLES_MAX).contains(&settings.samples) {
        return out_of_range("samples", u64::from(SAMPLES_MAX));
    }
    if !(1..=BLOCKS_MAX).contains(&settings.blocks) {
        return out_of_range("blocks", u64::from(BLOCKS_MAX));
    }
    if settings.models.is_empty() {
        return Err(Failure::usage("no models were given").hint("name some with --models"));
    }
    if settings.from.is_empty() && settings.flaws.is_none() {
        return Err(Failure::usage("no strategies were given")
            .hint("name some with --from, or a file of strategies with planted flaws with --flaws"));
    }
    let counts = [("models", settings.models.len(), MODELS_MAX), ("from", settings.from.len(), STRATEGIES_MAX)];
    for (name, count, most) in counts {
        if count > most {
            return Err(Failure::usage(format!("{count} were given with --{name}; at most {most}")));
        }
    }
    let mut indexed = settings.models.iter().enumerate();
    if let Some((_, twice)) = indexed.find(|(index, one)| settings.models[..*index].contains(*one)) {
        return Err(Failure::usage(format!("the model {twice} was given twice")));
    }
    if !(1..=GOAL_BYTES_MAX).contains(&settings.words.trim().len()) {
        return out_of_range("words", GOAL_BYTES_MAX as u64);
    }
    let is_wrong = |dollars: f64| !(dollars > 0.0 && dollars < 1e9);
    if settings.budget_usd.is_some_and(is_wrong) || settings.budget_tokens == Some(0) {
        return Err(Failure::usage("the budget is out of range").hint("use a number above zero"));
    }
    Ok(())
}

/// What it may take, before anything is asked.
fn estimate(settings: &BenchSettings, strategies: usize, writer: &str) {
    let units = strategies as u64 * u64::from(settings.samples);
    let plain = if strategies > 1 { 3 } else { 2 };
    let arms = plain + settings.models.len() as u64;
    let explaining = settings.models.len() as u64 * settings.scenario.len() as u64;
    let episodes = units * (arms + 1) * u64::from(settings.blocks * BLOCK_SEEDS) * settings.scenario.len() as u64;
    face::step(
        "Plan",
        &format!(
            "{units} {} of {arms} arms, {episodes} episodes at most; {} to {} requests to {writer} to write, {} to {} to explain",
            if units == 1 { "unit" } else { "units" },
            units * arms,
            units * arms * u64::from(REPAIRS_MAX + 1),
            units * explaining,
            units * explaining * u64::from(QUESTIONS_MAX + 1)
        ),
    );
}

fn ended(trouble: Trouble, settings: &BenchSettings) -> Failure {
    let again = format!("replies are kept in {}: the same command continues", settings.out.display());
    match trouble {
        Trouble::Interrupted => {
            Failure { ending: Ending::Interrupted, message: "interrupted".to_owned(), hint: Some(again) }
        }
        other => Failure::infrastructure(other.to_string()).hint(again),
    }
}

fn show(found: &Benchmark, json: bool) {
    if json {
        face::out_json(&serde_json::to_string_pretty(found).unwrap_or_default());
        return;
    }
    let rows: Vec<Vec<String>> = found
        .arms
        .iter()
        .map(|arm| {
            let interval =
                arm.interval.map_or_else(String::new, |one| format!("{} to {}", points(one.low), points(one.high)));
            let per_unit = arm.microdollars as f64 / MICRO / found.units.max(1) as f64;
            vec![
                face::visible(&arm.arm),
                arm.verdict.to_owned(),
                arm.rank.to_string(),
                points(arm.uplift),
                interval,
                points(arm.gain),
                arm.unusable.to_string(),
                arm.struck.to_string(),
                arm.tokens.to_string(),
                if arm.microdollars == 0 { "none known".to_owned() } else { format!("${per_unit:.4}") },
            ]
        })
        .collect();
    let diagnosed = found.arms.iter().filter_map(|arm| Some((arm, arm.diagnosis?)));
    let diagnosed: Vec<Vec<String>> = diagnosed
        .map(|(arm, one)| {
            let part = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| format!("{value:.2}"));
            let wronged = format!("{} of {}", one.wronged, one.healthy);
            vec![face::visible(&arm.arm), part(one.precision()), part(one.recall()), wronged]
        })
        .collect();
    let header = ["told", "", "rank", "uplift", "95% interval", "gain", "unusable", "struck", "tokens", "cost a unit"];
    face::out(&face::left_table(&header, &rows, 2));
    face::out(&format!(
        "{} of {} units, written by {}. Uplift: points over the rewrite that was told nothing; gain: over the strategy as it was.",
        found.units,
        found.units_planned,
        face::visible(&found.writer)
    ));
    if !diagnosed.is_empty() {
        face::out(&format!(
            "\n{}",
            face::left_table(&["model", "precision", "recall", "healthy ones wronged"], &diagnosed, 1)
        ));
    }
    if found.budget_spent {
        face::warn("the budget is spent; with a larger one, the same command continues");
    }
    if found.strategies.len() == 1 {
        face::note(
            "With two strategies or more, one arm is told of another strategy's run: what a text is worth that says nothing.",
        );
    }
}
