//! What `assay run` does: a strategy over seeds in one market or in several, beside a baseline; tables on the screen, a report in a folder.

mod baseline;
mod markets;
mod parameters;
mod profile;
mod progress;
mod table;

use crate::command_line::{command_line, path_word};
use crate::interrupt::cancel_on_interrupt;
use crate::ledger::{About, Kept, Ledger, Place};
use crate::prepare::{Prepared, Refused, Runnable};
use crate::settings::{self, Machine, RecordSettings, ReportFolder};
use crate::{Ending, Failure, chain, check, data, face, prepare, scenarios};
pub use assay_evaluate::Goal;
use assay_evaluate::{
    FindingRecord, Guest, Recorder, RunRecord, RunVerdict, ScenarioRecord, Seeds, StrategyRecord, ToolRecord, Trial,
};
use assay_market::Scenario;
use assay_model::Budget;
use assay_sandbox::python::PythonProgram;
use assay_sandbox::{CompileError, LoadError, Program, Sandbox, SandboxSettings};
use assay_validator::CheckedComponent;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What is run, where, and what is kept of it.
#[derive(Clone, Debug)]
pub struct RunSettings {
    /// A strategy: a .rs or .py file, a crate folder, or a compiled .wasm component.
    pub strategy: PathBuf,
    /// The markets: names, or TOML files.
    pub scenario: Vec<String>,
    /// Keys of the markets to change, each a `key=value`.
    pub set: Vec<String>,
    /// Parameters of the strategy to set, each a `name=value`.
    pub param: Vec<String>,
    /// The seeds: `20`, `5..8` or `3,7,11`.
    pub seeds: String,
    /// The goal of the score.
    pub goal: Goal,
    /// What stands in the strategy's place for comparison: a strategy, a run.json, or `previous` for the one of the report in `out`.
    pub baseline: Option<PathBuf>,
    /// Folder for index.html and run.json.
    pub out: PathBuf,
    /// How many seeds run in parallel; otherwise one a processor.
    pub threads: Option<usize>,
    /// Whether everything that happens in the market is kept as tables.
    pub data: bool,
    /// Whether the first seed runs once more to see where the fuel goes.
    pub profile: bool,
    /// The store that the run is recorded in.
    pub record: RecordSettings,
}

/// Runs a strategy over seeds, writes the report and records the run.
///
/// # Errors
///
/// Where the settings are wrong, the strategy is refused or fails, a seed cannot be scored, this machine fails, or it is interrupted.
pub fn run(machine: &Machine, settings: &RunSettings) -> Result<Ending, Failure> {
    // Everything that the user may have got wrong comes before the first slow step.
    let scenarios = markets::scenarios(settings)?;
    let seeds = settings::seeds(&settings.seeds)?;
    for scenario in &scenarios {
        scenarios::warn_of_seeds(scenario, &seeds);
        scenarios::warn_of_gifts(scenario);
    }
    let threads = settings::threads(settings.threads)?;
    let place = Place::to_record(&settings.record)?;
    let folder = ReportFolder::prepare(&settings.out)?;
    data::check(&folder, settings.data)?;
    // Before the report that it may come from is written over.
    let baseline = baseline::find(settings)?;
    let cancel = cancel_on_interrupt();

    // A mistyped name is not a run.
    let ledger = Ledger::open(place.as_ref().filter(|_| settings.strategy.exists()));
    let given = Given { machine, settings, seeds: &seeds, threads, cancel: &cancel, baseline: baseline.as_ref() };
    let result = match scenarios.as_slice() {
        [scenario] => {
            let mut ready = None;
            ledger.recorded(about(settings, scenario), |kept| work(&given, scenario, &folder, &mut ready, kept).1)
        }
        scenarios => markets::run(&given, scenarios, &folder, &ledger),
    };
    ledger.close();
    result
}

/// What is known of the run in one market before it begins.
fn about(settings: &RunSettings, scenario: &Scenario) -> About {
    About::run(&settings.strategy, reproduce(settings), scenario)
}

/// What a run is given once its settings are in order.
struct Given<'a> {
    machine: &'a Machine,
    settings: &'a RunSettings,
    seeds: &'a Seeds,
    threads: NonZeroUsize,
    cancel: &'a AtomicBool,
    baseline: Option<&'a baseline::Named>,
}

/// What is ready to be tried in any market: made once.
struct Ready {
    sandbox: Sandbox,
    prepared: Prepared,
    strategy: StrategyRecord,
    baseline: Option<(Prepared, StrategyRecord)>,
    seconds: f64,
}

impl Ready {
    fn new(given: &Given<'_>, folder: &ReportFolder) -> Result<Self, Failure> {
        let started = Instant::now();
        let refused = |refused: Refused, what: &str| {
            check::show(&refused.findings, &refused.drawings);
            Failure {
                ending: Ending::Rejected,
                message: format!("{}{} was refused, so it did not run", what, refused.name),
                hint: folder.holds_report().then(|| "the report in that folder is from an earlier run".to_owned()),
            }
        };
        let prepared =
            parameters::prepare(given.machine, &given.settings.strategy, &given.settings.param, given.threads.get())?
                .map_err(|findings| refused(findings, ""))?;
        let baseline = match given.baseline {
            None => None,
            Some(named) => {
                let mut prepared = prepare::prepare(given.machine, named.path(), given.threads.get())?
                    .map_err(|findings| refused(findings, "the baseline "))?;
                named.name.clone_into(&mut prepared.name);
                let record = strategy_record(&prepared);
                Some((prepared, record))
            }
        };
        let sandbox = sandbox(given.machine, given.threads)?;
        let strategy = strategy_record(&prepared);
        let seconds = started.elapsed().as_secs_f64();
        face::step("Ready", &format!("{} in {seconds:.1} s", prepared.name));
        Ok(Self { sandbox, prepared, strategy, baseline, seconds })
    }
}

/// Runs one market and writes its report: the record, if there is one, and how it went.
fn work(
    given: &Given<'_>,
    scenario: &Scenario,
    folder: &ReportFolder,
    ready: &mut Option<Ready>,
    kept: &mut Kept,
) -> (Option<RunRecord>, Result<Ending, Failure>) {
    let found = record(given, scenario, folder, ready);
    match found {
        Err(failure) => (None, Err(failure)),
        Ok((record, trouble)) => {
            let result = match conclude(&record, scenario, given.seeds, folder, kept) {
                // Without a report, that is what matters.
                Err(failure) if failure.ending == Ending::Infrastructure => Err(failure),
                // The report is there and true, but what was asked for is not whole.
                result => trouble.and(result),
            };
            (Some(record), result)
        }
    }
}

/// Tries the strategy in one market. Beside the record stands what went wrong with its data or its profile.
fn record(
    given: &Given<'_>,
    scenario: &Scenario,
    folder: &ReportFolder,
    ready: &mut Option<Ready>,
) -> Result<(RunRecord, Result<(), Failure>), Failure> {
    let Given { settings, seeds, threads, cancel, .. } = *given;
    let ready = match ready {
        Some(ready) => ready,
        None => ready.insert(Ready::new(given, folder)?),
    };
    let guest = guest(&ready.sandbox, &ready.prepared, scenario.budget)?;
    if cancel.load(Ordering::Relaxed) {
        return Err(Failure {
            ending: Ending::Interrupted,
            message: "interrupted before the first seed; nothing to keep".into(),
            hint: None,
        });
    }
    let recorder =
        data::recorder(settings.data, folder, scenario, threads, || data_name(scenario, &ready.strategy, seeds))?;
    let trial = Trial {
        scenario,
        seeds,
        threads,
        tool: tool(),
        command: reproduce(settings),
        strategy: ready.strategy.clone(),
        findings: ready.prepared.findings.iter().map(FindingRecord::from).collect(),
        findings_omitted: ready.prepared.findings.omitted() as u64,
        recorder: recorder.as_ref().map(|recorder| recorder as &dyn Recorder),
        baselines: None,
    };
    let progress = progress::Bar::new(seeds.as_slice().len(), &scenario.name);
    let evaluated = match &ready.baseline {
        None => assay_evaluate::evaluate(&trial, &guest, &progress, cancel),
        Some((prepared, strategy)) => {
            let baseline = self::guest(&ready.sandbox, prepared, scenario.budget)?;
            assay_evaluate::evaluate_against(&trial, &guest, (&baseline, strategy.clone()), &progress, cancel)
        }
    };
    progress.finish();
    let mut record = evaluated.map_err(Failure::infrastructure)?;
    let data = data::finish(recorder);
    record.timing.phases_seconds.insert("prepare".to_owned(), ready.seconds);
    record.score = Some(record.score(settings.goal));
    let profiled = match &ready.prepared.code {
        Runnable::Compiled { checked, .. } if settings.profile => {
            profile::run(&ready.sandbox, checked, scenario, cancel, folder, &mut record)
        }
        Runnable::Python { .. } if settings.profile => {
            Err(Failure::usage("--profile shows the functions of a compiled strategy; a Python file has none"))
        }
        _ => Ok(()),
    };
    Ok((record, data.and(profiled)))
}

/// What the data of a run is called.
fn data_name(scenario: &Scenario, strategy: &StrategyRecord, seeds: &Seeds) -> String {
    let seeds = seeds.as_slice().iter().map(|seed| seed.0);
    assay_evaluate::data_name(&tool().assay, strategy, &ScenarioRecord::from(scenario), seeds)
}

fn tool() -> ToolRecord {
    ToolRecord { assay: env!("CARGO_PKG_VERSION").to_owned(), wasmtime: assay_sandbox::ENGINE_VERSION.to_owned() }
}

/// Writes the report and says how it went.
fn conclude(
    record: &RunRecord,
    scenario: &Scenario,
    seeds: &Seeds,
    folder: &ReportFolder,
    kept: &mut Kept,
) -> Result<Ending, Failure> {
    let json = serde_json::to_vec_pretty(record)
        .map_err(|error| Failure::infrastructure(format!("failed to write the record: {error}")))?;
    kept.record(record, &json);
    // First, so that it is seen whatever becomes of the files.
    face::out(&table::render(record, &scenario.name));
    folder.write("run.json", &json)?;
    folder.write("run-summary.md", assay_report::run_summary(record).as_bytes())?;
    let page = folder.write("index.html", assay_report::render(record).as_bytes())?;
    face::step("Report", &page.display().to_string());
    folder.tell_leftovers(&[]);

    if !record.complete {
        let finished = record.episodes.len() + record.unscored.len();
        let message = format!(
            "interrupted: {finished} of {} seeds were finished; the report covers those and says so",
            seeds.as_slice().len()
        );
        return Err(Failure { ending: Ending::Interrupted, message, hint: None });
    }
    if let Some(unscored) = record.unscored.first() {
        let message = format!(
            "{} of {} seeds could not be scored: {}",
            record.unscored.len(),
            seeds.as_slice().len(),
            unscored.what
        );
        return Err(Failure::infrastructure(message).hint("this says nothing about the strategy; run it again"));
    }
    match record.verdict {
        RunVerdict::Finished => Ok(Ending::Success),
        RunVerdict::Failed => {
            let failed = record.summary.outcomes.iter().filter(|outcome| outcome.what != "finished");
            let list = failed
                .map(|outcome| format!("{} ({} seeds, first {})", outcome.what, outcome.seeds, outcome.first_seed));
            let message = format!("the strategy failed: {}", list.collect::<Vec<_>>().join(", "));
            Err(Failure { ending: Ending::StrategyFailed, message, hint: Some(table::first_failure(record)) })
        }
        RunVerdict::Unscored => Err(Failure::infrastructure("no seed could be scored")),
    }
}

/// What can be put on trial, within the scenario's budget.
pub(crate) fn guest(sandbox: &Sandbox, prepared: &Prepared, budget: Budget) -> Result<Guest, Failure> {
    match &prepared.code {
        Runnable::Compiled { checked, .. } => Ok(Guest::new(load(sandbox, checked)?, budget)),
        Runnable::Python { engine, text, .. } => {
            Ok(Guest::python(PythonProgram::new(engine.clone(), &prepared.name, text), budget))
        }
    }
}

/// The sandbox for episodes on that many threads at once.
pub(crate) fn sandbox(machine: &Machine, threads: NonZeroUsize) -> Result<Sandbox, Failure> {
    let mut settings = SandboxSettings::new(machine.cache.join("artifacts"), machine.helper.clone());
    settings.instances = settings.instances.max(u32::try_from(threads.get()).unwrap_or(u32::MAX));
    Sandbox::new(&settings).map_err(|error| Failure::infrastructure(chain(&error)))
}

fn load(sandbox: &Sandbox, checked: &CheckedComponent) -> Result<Program, Failure> {
    let program = sandbox.load(checked).map_err(|error| match &error {
        LoadError::Compile(CompileError::Component(_)) => Failure {
            ending: Ending::Rejected,
            message: chain(&error),
            hint: Some("make the strategy's functions smaller".into()),
        },
        _ => Failure::infrastructure(chain(&error)),
    })?;
    prepare::warn_of_cache(program.origin(), program.cache_warning());
    Ok(program)
}

/// The command that gives the same record. Threads, folder and data are left out: the record does not depend on them.
fn reproduce(settings: &RunSettings) -> String {
    let (path, scenarios) = (path_word(&settings.strategy), settings.scenario.join(","));
    let mut words = vec!["assay", "run", &path, "--scenario", &scenarios, "--seeds", &settings.seeds];
    for change in &settings.set {
        words.extend(["--set", change]);
    }
    for change in &settings.param {
        words.extend(["--param", change]);
    }
    if settings.goal != Goal::Balanced {
        words.extend(["--goal", settings.goal.name()]);
    }
    let baseline = settings.baseline.as_deref().map(path_word);
    if let Some(baseline) = &baseline {
        words.extend(["--baseline", baseline]);
    }
    if settings.profile {
        words.push("--profile");
    }
    command_line(&words)
}

/// What a record says of a strategy.
pub(crate) fn strategy_record(prepared: &Prepared) -> StrategyRecord {
    let (source, component_hash, made_by) = match &prepared.code {
        Runnable::Compiled { checked, built } => {
            let source = built.source.as_ref().map(|source| source.text.clone());
            (source, checked.hash().to_string(), built.made_by.as_ref())
        }
        // The component is the interpreter, with the SDK in it.
        Runnable::Python { engine, text, .. } => (Some(text.clone()), engine.component_hash().to_string(), None),
    };
    StrategyRecord {
        file_name: prepared.name.clone(),
        source_hash: source.as_ref().map(|text| blake3::hash(text.as_bytes()).to_string()),
        source,
        component_hash,
        sdk_version: made_by.map(|made_by| made_by.sdk_version.to_owned()),
        rustc_version: made_by.map(|made_by| made_by.rustc_version.clone()),
    }
}
