//! `assay run`: a strategy over seeds against the inert baseline, a table on the screen, a report in a folder.

mod data;
mod profile;
mod progress;
mod table;

use super::interrupt::on_interrupt;
use super::prepare::{Prepared, Runnable};
use super::{check, prepare, scenarios};
use crate::args::RunArgs;
use crate::exit::{Exit, Failure, chain};
use crate::settings::{self, Machine, ReportFolder};
use crate::store::{About, Kept, Ledger, Place, command_line, path_word};
use crate::ui;
use assay_evaluate::{FindingRecord, Guest, Recorder, RunRecord, RunVerdict, Seeds, StrategyRecord, ToolRecord, Trial};
use assay_market::Scenario;
use assay_model::Budget;
use assay_sandbox::python::PythonProgram;
use assay_sandbox::{CompileError, LoadError, Program, Sandbox, SandboxSettings};
use assay_store::{Kind, RunId};
use assay_validator::CheckedComponent;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

pub(crate) fn run(machine: &Machine, args: &RunArgs) -> Result<Exit, Failure> {
    // Everything that the user may have got wrong comes before the first slow step.
    let scenario = settings::scenario(&args.scenario)?;
    let seeds = settings::seeds(&args.seeds)?;
    scenarios::warn_of_seeds(&scenario, &seeds);
    let threads = settings::threads(args.threads)?;
    let place = Place::to_record(&args.record)?;
    let folder = ReportFolder::prepare(&args.out)?;
    data::check(&folder)?;
    let cancel = cancel_on_interrupt();

    // A mistyped name is no run.
    let ledger = Ledger::open(place.as_ref().filter(|_| args.strategy.exists()));
    let about = About {
        id: RunId::now(),
        kind: Kind::Run,
        subject: args.strategy.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        command: reproduce(args),
        scenarios: vec![crate::store::scenario_of(&scenario)],
    };
    let given = Given { machine, args, scenario: &scenario, seeds: &seeds, threads, folder: &folder, cancel: &cancel };
    let result = ledger.recorded(about, |kept| work(&given, kept));
    ledger.close();
    result
}

/// What a run is given once its flags are in order.
struct Given<'a> {
    machine: &'a Machine,
    args: &'a RunArgs,
    scenario: &'a Scenario,
    seeds: &'a Seeds,
    threads: NonZeroUsize,
    folder: &'a ReportFolder,
    cancel: &'a AtomicBool,
}

fn work(given: &Given<'_>, kept: &mut Kept) -> Result<Exit, Failure> {
    let Given { machine, args, scenario, seeds, threads, folder, cancel } = *given;
    let started = Instant::now();
    let prepared = match prepare::prepare(machine, &args.strategy, threads.get())? {
        Ok(prepared) => prepared,
        Err(refused) => {
            check::show(&refused.findings, &refused.drawings);
            return Err(Failure {
                exit: Exit::Rejected,
                message: format!("{} was refused; it did not run", refused.name),
                hint: folder.holds_report().then(|| "the report in that folder is from an earlier run".to_owned()),
            });
        }
    };
    let sandbox = sandbox(machine, threads)?;
    let guest = guest(&sandbox, &prepared, scenario.budget)?;
    ui::step("Ready", &format!("{} in {:.1} s", prepared.name, started.elapsed().as_secs_f64()));
    if cancel.load(Ordering::Relaxed) {
        return Err(Failure {
            exit: Exit::Interrupted,
            message: "interrupted before the first seed; nothing to keep".into(),
            hint: None,
        });
    }

    let strategy = strategy_record(&prepared);
    let recorder = data::recorder(args.data, folder, scenario, &strategy, seeds, threads)?;
    let trial = Trial {
        scenario,
        seeds,
        threads,
        tool: ToolRecord {
            assay: env!("CARGO_PKG_VERSION").to_owned(),
            wasmtime: assay_sandbox::ENGINE_VERSION.to_owned(),
        },
        command: reproduce(args),
        strategy,
        findings: prepared.findings.iter().map(FindingRecord::from).collect(),
        findings_omitted: prepared.findings.omitted() as u64,
        recorder: recorder.as_ref().map(|recorder| recorder as &dyn Recorder),
        baselines: None,
    };
    let progress = progress::Bar::new(seeds.as_slice().len());
    let evaluated = assay_evaluate::evaluate(&trial, &guest, &progress, cancel);
    progress.finish();
    let mut record = evaluated.map_err(Failure::infrastructure)?;
    let data = data::finish(recorder);
    record
        .timing
        .phases_seconds
        .insert("prepare".to_owned(), started.elapsed().as_secs_f64() - record.timing.evaluate_seconds);
    let profiled = match &prepared.code {
        Runnable::Compiled { checked, .. } if args.profile => {
            profile::run(&sandbox, checked, scenario, cancel, folder, &mut record)
        }
        Runnable::Python { .. } if args.profile => {
            Err(Failure::usage("--profile shows the functions of a compiled strategy; a Python file has none"))
        }
        _ => Ok(()),
    };
    let exit = conclude(&record, scenario, seeds, folder, kept);
    match exit {
        // Without a report, that is what matters.
        Err(failure) if failure.exit == Exit::Infrastructure => Err(failure),
        // The report is there and true, but what was asked for is not whole.
        exit => data.and(profiled).and(exit),
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

    if !record.complete {
        let finished = record.episodes.len() + record.unscored.len();
        let message = format!(
            "interrupted: {finished} of {} seeds had finished; the report holds those and says so",
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
fn guest(sandbox: &Sandbox, prepared: &Prepared, budget: Budget) -> Result<Guest, Failure> {
    match &prepared.code {
        Runnable::Compiled { checked, .. } => Ok(Guest::new(load(sandbox, checked)?, budget)),
        Runnable::Python { engine, text } => {
            Ok(Guest::python(PythonProgram::new(engine.clone(), &prepared.name, text), budget))
        }
    }
}

fn sandbox(machine: &Machine, threads: NonZeroUsize) -> Result<Sandbox, Failure> {
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
fn cancel_on_interrupt() -> Arc<AtomicBool> {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancel);
    on_interrupt("\ninterrupted: keeping what has finished (again to stop at once)", move || {
        flag.store(true, Ordering::Relaxed);
    });
    cancel
}

/// The command that gives the same record. Threads, folder and data are left out: the record does not depend on them.
fn reproduce(args: &RunArgs) -> String {
    let path = path_word(&args.strategy);
    let words = ["assay", "run", &path, "--scenario", &args.scenario, "--seeds", &args.seeds, "--profile"];
    command_line(if args.profile { &words } else { &words[..7] })
}

fn strategy_record(prepared: &Prepared) -> StrategyRecord {
    let (source, component_hash, made_by) = match &prepared.code {
        Runnable::Compiled { checked, built } => {
            let source = built.source.as_ref().map(|source| source.text.clone());
            (source, checked.hash().to_string(), built.made_by.as_ref())
        }
        // The component is the interpreter, with the SDK in it.
        Runnable::Python { engine, text } => (Some(text.clone()), engine.component_hash().to_string(), None),
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
