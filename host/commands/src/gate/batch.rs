//! Many submissions: a verdict file each, in a folder that goes on where it was.
//!
//! Invariant: a verdict is announced once it is on the disk, and no submission that has one of ours under the same policy and release is run again.

use super::examine::{self, Examined, Opened};
use super::folder::{Earlier, VerdictFolder};
use super::ledger::{Begun, VerdictLedger};
use super::plan::{Market, Plan};
use super::reports::Reports;
use super::settings::GateSettings;
use super::submissions::Entry;
use super::summary::Summary;
use super::{ending_of, interrupted, pool, show, stop_on_interrupt};
use crate::face::Bar;
use crate::ledger::Place;
use crate::{Ending, Failure, face};
use assay_gate::verdict::{Seeds, Tool, Trial};
use assay_gate::{Decision, Verdict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

const OUT: &str = "verdicts";
const TEMPLATE: &str = "    Gating {bar:24.cyan/dim} {pos}/{len}  {elapsed} (left {eta})  {msg}";

/// What the workers share.
struct Work<'a> {
    plan: &'a Arc<Plan>,
    entries: &'a [Entry],
    folder: VerdictFolder,
    ledger: &'a VerdictLedger<'a>,
    reports: &'a Reports<'a>,
    next: AtomicUsize,
    stop: Arc<AtomicBool>,
    state: Mutex<State>,
    bar: Bar,
}

#[derive(Default)]
struct State {
    /// By place in `entries`.
    verdicts: BTreeMap<usize, Verdict>,
    /// Taken over from an earlier start.
    kept: usize,
    /// Made again, because nothing shows that the earlier one is ours.
    doubted: usize,
    /// The first failure that ends the batch: verdicts cannot be written.
    failure: Option<Failure>,
}

/// Refuses to write another output in the place of a verdict, or of what belongs to the folder.
fn not_among_verdicts(settings: &GateSettings, out: &Path) -> Result<(), Failure> {
    let output = &settings.output;
    let files = [&settings.json, &output.junit, &output.sarif, &output.markdown, &output.code_quality];
    for file in files.into_iter().flatten() {
        let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let is_within = match (parent.canonicalize(), out.canonicalize()) {
            (Ok(parent), Ok(out)) => parent == out,
            _ => false,
        };
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if is_within && (name.ends_with(".json") || name.starts_with('.')) {
            return Err(Failure::usage(format!(
                "{} could be the name of a verdict in {}",
                file.display(),
                out.display()
            ))
            .hint("write it to another folder than --out, or under a name that does not end with .json"));
        }
    }
    Ok(())
}

pub(super) fn run(
    plan: &Arc<Plan>,
    entries: &[Entry],
    settings: &GateSettings,
    reports: &Reports<'_>,
    place: Option<&Place>,
) -> Result<Ending, Failure> {
    let out = settings.out.clone().unwrap_or_else(|| PathBuf::from(OUT));
    let stop =
        stop_on_interrupt("\ninterrupted: keeping the verdicts written so far (press again to stop immediately)");
    let folder = VerdictFolder::open(&out, &plan.keys, settings.wait, &stop)?;
    not_among_verdicts(settings, &out)?;
    // Before any work is done: somebody else's file is in the way.
    for entry in entries {
        folder.existing(&entry.id)?;
    }
    plan.prepare_for(entries);
    let ledger = VerdictLedger::open(plan, settings, place);
    let bar = face::bar(TEMPLATE, Some(entries.len() as u64));
    let work = Work {
        plan,
        entries,
        folder,
        ledger: &ledger,
        reports,
        next: AtomicUsize::new(0),
        stop,
        state: Mutex::new(State::default()),
        bar,
    };
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs.get() {
            scope.spawn(|| work.go());
        }
    });
    work.bar.finish_and_clear();
    plan.caches.warn();
    let result = conclude(work);
    ledger.close();
    result
}

/// Shows and writes what came out.
fn conclude(work: Work<'_>) -> Result<Ending, Failure> {
    let Work { plan, entries, folder, ledger, reports, state, .. } = work;
    let State { verdicts, kept, doubted, failure } = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(failure) = failure {
        return Err(failure);
    }
    let summary = Summary::new(plan, entries, &verdicts, ledger);
    let path = folder.write_summary(&summary)?;
    let verdicts: Vec<Verdict> = verdicts.into_values().collect();
    reports.show(&show::batch(&verdicts));
    if kept > 0 {
        face::step("Kept", &format!("{kept} verdicts from an earlier run"));
    }
    if doubted > 0 {
        let message = "from an earlier run could not be authenticated and were made again (written on another machine, by an older release, or by someone else)";
        face::step("Again", &format!("{doubted} verdicts {message}"));
    }
    face::step("Time", &show::phases(&plan.phases));
    face::step("Verdicts", &path.display().to_string());
    let ending = ending_of(&verdicts);
    reports.write(&verdicts)?;
    if !summary.complete {
        let message = format!("interrupted: {} of {} submissions have a verdict", verdicts.len(), entries.len());
        return Err(interrupted(message).hint("repeat the command to resume"));
    }
    Ok(ending)
}

impl Work<'_> {
    /// One worker: the next submission, until there is none or the batch ends.
    fn go(&self) {
        while !self.stop.load(Ordering::Relaxed) {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(entry) = self.entries.get(index) else { return };
            match self.decide(entry) {
                Ok((verdict, is_kept)) => self.done(index, verdict, is_kept),
                Err(Failure { ending: Ending::Interrupted, .. }) => return,
                Err(failure) => {
                    self.stop.store(true, Ordering::Relaxed);
                    let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                    state.failure.get_or_insert(failure);
                    return;
                }
            }
        }
    }

    /// The verdict, and whether it is an earlier one. An error ends the batch.
    fn decide(&self, entry: &Entry) -> Result<(Verdict, bool), Failure> {
        let begun = Begun::now();
        let opened = match examine::open(self.plan, entry) {
            Ok(opened) => opened,
            // It was there when the batch began.
            Err(failure) => {
                let examined = examine::vanished(self.plan, entry, &failure);
                return Ok((self.keep(entry, examined, begun)?, false));
            }
        };
        if let Some(Earlier { verdict, is_authentic }) = self.folder.existing(&entry.id)?
            && still_holds(self.plan, &verdict, &opened)
        {
            if is_authentic {
                // The process that gave it may have been killed before it was recorded, or had no store.
                self.ledger.kept(entry, &verdict);
                return Ok((verdict, true));
            }
            self.state.lock().unwrap_or_else(PoisonError::into_inner).doubted += 1;
        }
        let examined = pool::examine(self.plan, opened, &self.stop)?;
        Ok((self.keep(entry, examined, begun)?, false))
    }

    /// Puts a verdict on the disk, signed first: whoever sees the verdict finds the signature. The store comes after: the folder is the truth.
    fn keep(&self, entry: &Entry, examined: Examined, begun: Begun) -> Result<Verdict, Failure> {
        let signed = self.reports.signed(&examined.verdict)?;
        self.folder.write(&entry.id, &examined.verdict, signed.as_deref())?;
        self.ledger.given(entry, &examined, begun);
        Ok(examined.verdict)
    }

    fn done(&self, index: usize, verdict: Verdict, is_kept: bool) {
        let decision = verdict.decision;
        let done = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.kept += usize::from(is_kept);
            state.verdicts.insert(index, verdict);
            state.verdicts.len()
        };
        let id = &self.entries[index].id;
        if face::is_interactive() {
            self.bar.set_message(format!("{id}: {}", decision.word()));
            self.bar.set_position(done as u64);
        } else if !is_kept {
            face::note(&format!("{done}/{} {id} {}", self.entries.len(), decision.word()));
        }
    }
}

/// Whether an earlier verdict is the one that this start would give. What could not be scored may be tried again.
fn still_holds(plan: &Plan, verdict: &Verdict, opened: &Opened) -> bool {
    let trials = &verdict.trials;
    let same_trials = trials.len() == plan.markets.len() && trials.iter().zip(&plan.markets).all(is_of);
    verdict.decision != Decision::Unscored
        && verdict.decision_follows()
        && opened.hash.is_some()
        && verdict.submission.hash == opened.hash
        && verdict.submission.name == opened.entry.name
        && verdict.policy.hash == plan.policy.hash
        && is_made_by(plan, verdict)
        && (same_trials || verdict.decision == Decision::Rejected)
        // An exception that ends may have ended since.
        && !opened.hash.as_deref().is_some_and(|hash| plan.is_dated(hash))
}

/// Whether this release made it, with the compiler, the SDK and the interpreter that there are now. Without an interpreter, what one has found stands.
fn is_made_by(plan: &Plan, verdict: &Verdict) -> bool {
    let Verdict { tool, submission, .. } = verdict;
    let release = Tool { python_component: None, ..tool.clone() };
    let is_interpreter =
        |hash: &String| plan.interpreter.get().map_or(true, |engine| *hash == engine.component_hash().to_string());
    let is_compiler = |version: &String| plan.build.toolchain.as_ref().is_none_or(|found| found.version == *version);
    release == Plan::tool()
        && tool.python_component.as_ref().is_none_or(is_interpreter)
        && submission.rustc_version.as_ref().is_none_or(is_compiler)
        && submission.sdk_hash.as_ref().is_none_or(|hash| *hash == assay_compile::sdk_hash().to_string())
}

fn is_of((trial, market): (&Trial, &Market)) -> bool {
    let same_seeds = match (&trial.seeds, &market.hidden) {
        (Seeds::Public { seeds }, None) => seeds.iter().eq(market.seeds.as_slice().iter().map(|seed| &seed.0)),
        (Seeds::Hidden { commitment, .. }, Some(hidden)) => *commitment == hidden.commitment,
        _ => false,
    };
    same_seeds && trial.scenario_hash == market.scenario_hash()
}
