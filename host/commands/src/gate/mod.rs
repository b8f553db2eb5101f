//! What `assay gate` does: a policy decides about submissions. One gives a verdict on the screen, many a folder of verdicts.

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
mod settings;
mod show;
mod submissions;
mod summary;
mod verify;

use crate::interrupt::{SHORT, on_interrupt};
use crate::ledger::Place;
use crate::settings::Machine;
use crate::{DONE, Ending, Failure, face, output};
use assay_gate::policy::TEMPLATE;
use assay_gate::{Decision, Verdict};
use assay_run::Stop;
pub use keygen::keygen;
use ledger::{Begun, VerdictLedger};
use plan::Plan;
pub use report::report;
use reports::Reports;
pub use settings::{GateSettings, ReportSettings, VerdictOutputSettings, VerifyVerdictSettings};
use std::path::Path;
use std::sync::Arc;
use submissions::{Batch, Entry};
pub use verify::verify;

/// Writes a commented policy to start from, in a new file.
///
/// # Errors
/// Where the file exists or cannot be written.
pub fn init(file: &Path) -> Result<Ending, Failure> {
    output::to_new_file(file, |out| Ok(out.write_all(TEMPLATE.as_bytes())?))?;
    let path = file.display().to_string();
    face::step("Created", &path);
    face::note(&face::lines(&format!("Next:\n  assay gate my-strategy.rs --policy {path}")));
    DONE
}

/// Gates submissions: one verdict, or a folder of them. How it ends is the gravest decision.
///
/// # Errors
/// Where the settings are wrong, the machine fails, or it was interrupted.
pub fn run(machine: Machine, settings: &GateSettings) -> Result<Ending, Failure> {
    // Everything that the user may have got wrong comes before the first slow step.
    let batch = submissions::find(settings)?;
    let reports = Reports::resolve(settings, &batch)?;
    let place = Place::to_record(&settings.record)?;
    let plan = Arc::new(Plan::resolve(machine, settings, batch.entries.len())?);
    match batch {
        Batch { entries, is_batch: true, .. } => batch::run(&plan, &entries, settings, &reports, place.as_ref()),
        Batch { entries, is_batch: false, .. } => one(&plan, &entries[0], settings, &reports, place.as_ref()),
    }
}

/// One submission: what it got wrong is the verdict, what the person at the terminal got wrong is usage.
fn one(
    plan: &Arc<Plan>,
    entry: &Entry,
    settings: &GateSettings,
    reports: &Reports<'_>,
    place: Option<&Place>,
) -> Result<Ending, Failure> {
    let stop = stop_on_interrupt("\ninterrupted: there will be no verdict (press again to stop immediately)");
    plan.prepare_for(std::slice::from_ref(entry));
    let begun = Begun::now();
    let opened = examine::open(plan, entry)?;
    let examined = pool::examine(plan, opened, &stop)?;
    plan.caches.warn();
    reports.show(&show::verdict(&examined.verdict));
    let written = reports.write(std::slice::from_ref(&examined.verdict));
    // Last: by now the verdict is where it was asked for, and the store may take its time.
    let ledger = VerdictLedger::open(plan, settings, place);
    ledger.given(entry, &examined, begun);
    ledger.close();
    written.map(|()| examined.verdict.decision.into())
}

impl From<Decision> for Ending {
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
fn stop_on_interrupt(note: &'static str) -> Stop {
    let stop = Stop::new();
    let asked = stop.clone();
    on_interrupt(note, SHORT, move || asked.stop());
    stop
}

/// What is not known may still turn out well, so it is said first; then what is graver.
fn ending_of(verdicts: &[Verdict]) -> Ending {
    let order = [Decision::Unscored, Decision::Rejected, Decision::Fail];
    let found = order.into_iter().find(|decision| verdicts.iter().any(|verdict| verdict.decision == *decision));
    found.unwrap_or(Decision::Pass).into()
}

/// What an interrupted command says.
fn interrupted(message: String) -> Failure {
    Failure { ending: Ending::Interrupted, message, hint: None }
}
