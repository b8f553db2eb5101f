//! `assay run`: a strategy over seeds in one market or in several, beside a baseline; tables on the screen, a report in a folder.

mod baseline;
mod markets;
mod parameters;
mod profile;
mod progress;
mod table;

use super::interrupt::{SHORT, on_interrupt};
use super::prepare::{Prepared, Refused, Runnable};
use super::{check, data, prepare, scenarios};
use crate::args::{GoalName, RunArgs};
use crate::command_line::{command_line, path_word};
use crate::exit::{Exit, Failure, chain};
use crate::settings::{self, Machine, ReportFolder};
use crate::store::{About, Kept, Ledger, Place};
use crate::ui;
use assay_evaluate::{
    FindingRecord, Goal, Guest, Recorder, RunRecord, RunVerdict, ScenarioRecord, Seeds, StrategyRecord, ToolRecord,
    Trial,
};
use assay_market::Scenario;
use assay_model::Budget;
use assay_sandbox::python::PythonProgram;
use assay_sandbox::{CompileError, LoadError, Program, Sandbox, SandboxSettings};
use assay_validator::CheckedComponent;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

pub(crate) fn run(machine: &Machine, args: &RunArgs) -> Result<Exit, Failure> {
    // Everything that the user may have got wrong comes before the first slow step.
    let scenarios = markets::scenarios(args)?;
    let seeds = settings::seeds(&args.seeds)?;
    for scenario in &scenarios {
        scenarios::warn_of_seeds(scenario, &seeds);
    }
    let threads = settings::threads(args.threads)?;
    let place = Place::to_record(&args.record)?;
    let folder = ReportFolder::prepare(&args.out)?;
    data::check(&folder, args.data)?;
    // Before the report that it may come from is written over.
    let baseline = baseline::find(args)?;
    let cancel = cancel_on_interrupt();

    // A mistyped name is not a run.
    let ledger = Ledger::open(place.as_ref().filter(|_| args.strategy.exists()));
    let given = Given { machine, args, seeds: &seeds, threads, cancel: &cancel, baseline: baseline.as_ref() };
    let result = match scenarios.as_slice() {
        [scenario] => {
            let mut ready = None;
            ledger.recorded(about(args, scenario), |kept| work(&given, scenario, &folder, &mut ready, kept).1)
        }
        scenarios => markets::run(&given, scenarios, &folder, &ledger),
    };
    ledger.close();
    result
}

/// What is known of the run in one market before it begins.
fn about(args: &RunArgs, scenario: &Scenario) -> About {
    About::run(&args.strategy, reproduce(args, &args.scenario), scenario)
}

/// What a run is given once its flags are in order.
struct Given<'a> {
    machine: &'a Machine,
    args: &'a RunArgs,
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
                exit: Exit::Rejected,
                message: format!("{}{} was refused, so it did not run", what, refused.name),
                hint: folder.holds_report().then(|| "the report in that folder is from an earlier run".to_owned()),
            }
        };
        let prepared =
            parameters::prepare(given.machine, &given.args.strategy, &given.args.param, given.threads.get())?
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
        ui::step("Ready", &format!("{} in {seconds:.1} s", prepared.name));
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
) -> (Option<RunRecord>, Result<Exit, Failure>) {
    let found = record(given, scenario, folder, ready);
    match found {
        Err(failure) => (None, Err(failure)),
        Ok((record, trouble)) => {
            let exit = match conclude(&record, scenario, given.seeds, folder, kept) {
                // Without a report, that is what matters.
                Err(failure) if failure.exit == Exit::Infrastructure => Err(failure),
                // The report is there and true, but what was asked for is not whole.
                exit => trouble.and(exit),
            };
            (Some(record), exit)
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
    let Given { args, seeds, threads, cancel, .. } = *given;
    let ready = match ready {
        Some(ready) => ready,
        None => ready.insert(Ready::new(given, folder)?),
    };
    let guest = guest(&ready.sandbox, &ready.prepared, scenario.budget)?;
    if cancel.load(Ordering::Relaxed) {
        return Err(Failure {
            exit: Exit::Interrupted,
            message: "interrupted before the first seed; nothing to keep".into(),
            hint: None,
        });
    }
    let recorder =
        data::recorder(args.data, folder, scenario, threads, || data_name(scenario, &ready.strategy, seeds))?;
    let trial = Trial {
        scenario,
        seeds,
        threads,
        tool: tool(),
        command: reproduce(args, &args.scenario),
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
    record.score = Some(record.score(goal(args.goal)));
    let profiled = match &ready.prepared.code {
        Runnable::Compiled { checked, .. } if args.profile => {
            profile::run(&ready.sandbox, checked, scenario, cancel, folder, &mut record)
        }
        Runnable::Python { .. } if args.profile => {
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

const fn goal(name: GoalName) -> Goal {
    match name {
        GoalName::Balanced => Goal::Balanced,
        GoalName::Profit => Goal::Profit,
        GoalName::Risk => Goal::Risk,
        GoalName::Execution => Goal::Execution,
        GoalName::Impact => Goal::Impact,
    }
}

/// Writes the report and says how it went.
fn conclude(
    record: &RunRecord,
    scenario: &Scenario,
    seeds: &Seeds,
    folder: &ReportFolder,
    kept: &mut Kept,
) -> Result<Exit, Failure> {
    let json = serde_json::to_vec_pretty(record)
        .map_err(|error| Failure::infrastructure(format!("failed to write the record: {error}")))?;
    kept.record(record, &json);
    // First, so that it is seen whatever becomes of the files.
    ui::out(&table::render(record, &scenario.name));
    folder.write("run.json", &json)?;
    folder.write("run-summary.md", assay_report::run_summary(record).as_bytes())?;
    let page = folder.write("index.html", assay_report::render(record).as_bytes())?;
    ui::step("Report", &page.display().to_string());
    folder.tell_leftovers(&[]);

    if !record.complete {
        let finished = record.episodes.len() + record.unscored.len();
        let message = format!(
            "interrupted: {finished} of {} seeds were finished; the report covers those and says so",
            seeds.as_slice().len()
        );
        return Err(Failure { exit: Exit::Interrupted, message, hint: None });
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
        RunVerdict::Finished => Ok(Exit::Success),
        RunVerdict::Failed => {
            let failed = record.summary.outcomes.iter().filter(|outcome| outcome.what != "finished");
            let list = failed
                .map(|outcome| format!("{} ({} seeds, first {})", outcome.what, outcome.seeds, outcome.first_seed));
            let message = format!("the strategy failed: {}", list.collect::<Vec<_>>().join(", "));
            Err(Failure { exit: Exit::StrategyFailed, message, hint: Some(table::first_failure(record)) })
        }
        RunVerdict::Unscored => Err(Failure::infrastructure("no seed could be scored")),
    }
}

/// What can be put on trial, within the scenario's budget.
pub(super) fn guest(sandbox: &Sandbox, prepared: &Prepared, budget: Budget) -> Result<Guest, Failure> {
    match &prepared.code {
        Runnable::Compiled { checked, .. } => Ok(Guest::new(load(sandbox, checked)?, budget)),
        Runnable::Python { engine, text, .. } => {
            Ok(Guest::python(PythonProgram::new(engine.clone(), &prepared.name, text), budget))
        }
    }
}

pub(super) fn sandbox(machine: &Machine, threads: NonZeroUsize) -> Result<Sandbox, Failure> {
    let mut settings = SandboxSettings::new(machine.cache.join("artifacts"), machine.helper.clone());
    settings.instances = settings.instances.max(u32::try_from(threads.get()).unwrap_or(u32::MAX));
    Sandbox::new(&settings).map_err(|error| Failure::infrastructure(chain(&error)))
}

fn load(sandbox: &Sandbox, checked: &CheckedComponent) -> Result<Program, Failure> {
    let program = sandbox.load(checked).map_err(|error| match &error {
        LoadError::Compile(CompileError::Component(_)) => Failure {
            exit: Exit::Rejected,
            message: chain(&error),
            hint: Some("make the strategy's functions smaller".into()),
        },
        _ => Failure::infrastructure(chain(&error)),
    })?;
    prepare::warn_of_cache(program.origin(), program.cache_warning());
    Ok(program)
}

/// The first Ctrl-C lets finished seeds be kept, the second ends at once.
pub(super) fn cancel_on_interrupt() -> Arc<AtomicBool> {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancel);
    on_interrupt("\ninterrupted: keeping what has finished (press again to stop immediately)", SHORT, move || {
        flag.store(true, Ordering::Relaxed);
    });
    cancel
}

/// The command that gives the same record. Threads, folder and data are left out: the record does not depend on them.
fn reproduce(args: &RunArgs, scenarios: &[String]) -> String {
    let (path, scenarios) = (path_word(&args.strategy), scenarios.join(","));
    let mut words = vec!["assay", "run", &path, "--scenario", &scenarios, "--seeds", &args.seeds];
    for change in &args.set {
        words.extend(["--set", change]);
    }
    for change in &args.param {
        words.extend(["--param", change]);
    }
    if args.goal != GoalName::Balanced {
        words.extend(["--goal", goal(args.goal).name()]);
    }
    let baseline = args.baseline.as_deref().map(path_word);
    if let Some(baseline) = &baseline {
        words.extend(["--baseline", baseline]);
    }
    if args.profile {
        words.push("--profile");
    }
    command_line(&words)
}

pub(super) fn strategy_record(prepared: &Prepared) -> StrategyRecord {
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
