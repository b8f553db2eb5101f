//! `assay gate`: a policy decides about submissions. One gives a verdict on the screen, many a folder of verdicts.

mod batch;
mod caches;
mod examine;
mod folder;
mod key;
mod keygen;
mod ledger;
mod outputs;
mod phases;
mod plan;
mod pool;
mod report;
mod reports;
mod seals;
mod show;
mod submissions;
mod summary;
mod verify;

use super::interrupt::{SHORT, on_interrupt};
use crate::args::{GateArgs, GateCommand, GateRunArgs};
use crate::exit::{Exit, Failure};
use crate::settings::Machine;
use crate::store::Place;
use crate::{output, ui};
use assay_gate::policy::TEMPLATE;
use assay_gate::{Decision, Verdict};
use ledger::{Begun, VerdictLedger};
use plan::Plan;
use reports::Reports;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use submissions::{Batch, Entry};

pub(crate) fn run(args: &GateArgs, machine: impl FnOnce() -> Result<Machine, Failure>) -> Result<Exit, Failure> {
    match &args.command {
        Some(GateCommand::Init { file }) => init(file),
        Some(GateCommand::Verify(args)) => verify::run(args),
        Some(GateCommand::Keygen(args)) => keygen::run(args),
        Some(GateCommand::Report(args)) => report::run(args),
        None => gate(machine()?, &args.run),
    }
}

fn init(file: &Path) -> Result<Exit, Failure> {
    output::to_new_file(file, |out| Ok(out.write_all(TEMPLATE.as_bytes())?))?;
    let path = file.display().to_string();
    ui::step("Created", &path);
    ui::note(&ui::lines(&format!("Next:\n  assay gate my-strategy.rs --policy {path}")));
    super::DONE
}

fn gate(machine: Machine, args: &GateRunArgs) -> Result<Exit, Failure> {
    // Everything that the user may have got wrong comes before the first slow step.
    let batch = submissions::find(args)?;
    let reports = Reports::resolve(args, &batch)?;
    let place = Place::to_record(&args.record)?;
    let plan = Arc::new(Plan::resolve(machine, args, batch.entries.len())?);
    match batch {
        Batch { entries, is_batch: true, .. } => batch::run(&plan, &entries, args, &reports, place.as_ref()),
        Batch { entries, is_batch: false, .. } => one(&plan, &entries[0], args, &reports, place.as_ref()),
    }
}

/// One submission: what it got wrong is the verdict, what the person at the terminal got wrong is usage.
fn one(
    plan: &Arc<Plan>,
    entry: &Entry,
    args: &GateRunArgs,
    reports: &Reports<'_>,
    place: Option<&Place>,
) -> Result<Exit, Failure> {
    let stop = stop_on_interrupt("\ninterrupted: there will be no verdict (press again to stop immediately)");
    plan.prepare_for(std::slice::from_ref(entry));
    let begun = Begun::now();
    let opened = examine::open(plan, entry)?;
    let examined = pool::examine(plan, opened, &stop)?;
    plan.caches.warn();
    reports.show(&show::verdict(&examined.verdict));
    let written = reports.write(std::slice::from_ref(&examined.verdict));
    // Last: by now the verdict is where it was asked for, and the store may take its time.
    let ledger = VerdictLedger::open(plan, args, place);
    ledger.given(entry, &examined, begun);
    ledger.close();
    written.map(|()| examined.verdict.decision.into())
}

impl From<Decision> for Exit {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Pass => Self::Success,
            Decision::Rejected => Self::Rejected,
            Decision::Fail => Self::StrategyFailed,
            Decision::Unscored => Self::Infrastructure,
        }
    }
}

/// The first Ctrl-C asks, the second ends at once.
fn stop_on_interrupt(note: &'static str) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    on_interrupt(note, SHORT, move || flag.store(true, Ordering::Relaxed));
    stop
}

/// What is not known may still turn out well, so it is said first; then what is graver.
fn exit(verdicts: &[Verdict]) -> Exit {
    let order = [Decision::Unscored, Decision::Rejected, Decision::Fail];
    let found = order.into_iter().find(|decision| verdicts.iter().any(|verdict| verdict.decision == *decision));
    found.unwrap_or(Decision::Pass).into()
}

/// What an interrupted command says.
fn interrupted(message: String) -> Failure {
    Failure { exit: Exit::Interrupted, message, hint: None }
}
