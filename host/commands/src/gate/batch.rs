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
use assay_run::{RunEnd, Stop, Trouble, TroubleKind, Unit};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const OUT: &str = "verdicts";
const TEMPLATE: &str = "    Gating {bar:24.cyan/dim} {pos}/{len}  {elapsed} (left {eta})  {msg}";

/// What all submissions share.
struct Work<'a> {
    plan: &'a Arc<Plan>,
    entries: &'a [Entry],
    /// Where a submission is in `entries`, by its id.
    places: BTreeMap<&'a str, usize>,
    folder: VerdictFolder,
    ledger: &'a VerdictLedger<'a>,
    reports: &'a Reports<'a>,
    stop: Stop,
    bar: Bar,
}

/// What has a verdict on the disk.
#[derive(Default)]
struct State {
    /// By place in `entries`.
    verdicts: BTreeMap<usize, Verdict>,
    /// Taken over from an earlier start.
    kept: usize,
    /// Made again, because nothing shows that the earlier one is ours.
    doubted: usize,
}

/// What came of a submission.
enum Decided {
    /// A verdict of an earlier start, which stands.
    Earlier(Verdict),
    /// A new one, which is not on the disk yet.
    New { examined: Examined, begun: Begun, is_doubted: bool },
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
    let places = entries.iter().enumerate().map(|(place, entry)| (entry.id.as_str(), place)).collect();
    let work = Work { plan, entries, places, folder, ledger: &ledger, reports, stop, bar };
    let mut state = State::default();
    let units = entries.iter().map(|entry| Unit::new(&entry.id));
    let mut keep = |unit: &Unit, decided: Result<_, Trouble>| work.keep(&mut state, unit, decided);
    let end = assay_run::run(units, &mut keep, plan.jobs, &work.stop, |unit| work.decide(unit));
    work.bar.finish_and_clear();
    plan.caches.warn();
    let result = conclude(work, state, end);
    ledger.close();
    result
}

/// Shows and writes what came out.
fn conclude(work: Work<'_>, state: State, end: RunEnd<Failure>) -> Result<Ending, Failure> {
    match end {
        RunEnd::Complete | RunEnd::Stopped => {}
        RunEnd::Failed(trouble) => return Err(Failure::infrastructure(trouble)),
        RunEnd::Unkept(failure) => return Err(failure),
    }
    let Work { plan, entries, folder, ledger, reports, .. } = work;
    let State { verdicts, kept, doubted } = state;
    let summary = Summary::new(plan, entries, &verdicts, ledger);
    let path = folder.write_summary(&summary)?;
    let verdicts: Vec<Verdict> = verdicts.into_values().collect();
    reports.show(&show::batch(&verdicts));
    if kept > 0 {
        let verdicts = if kept == 1 { "verdict" } else { "verdicts" };
        face::step("Kept", &format!("{kept} {verdicts} from an earlier run"));
    }
    if doubted > 0 {
        let message = "verdicts from an earlier run that could not be authenticated (written on another machine, by an older release, or by someone else)";
        face::step("Again", &format!("{doubted} {message}"));
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
    /// Where a submission is in `entries`.
    fn place(&self, unit: &Unit) -> usize {
        self.places[unit.key.as_str()]
    }

    /// What comes of a submission; a failure ends the batch. The trouble is that somebody has asked to stop.
    fn decide(&self, unit: &Unit) -> Result<Result<Decided, Failure>, Trouble> {
        match self.examine(&self.entries[self.place(unit)]) {
            Err(Failure { ending: Ending::Interrupted, message, .. }) => {
                Err(Trouble::new(TroubleKind::Passing, message))
            }
            decided => Ok(decided),
        }
    }

    fn examine(&self, entry: &Entry) -> Result<Decided, Failure> {
        let begun = Begun::now();
        let opened = match examine::open(self.plan, entry) {
            Ok(opened) => opened,
            // It was there when the batch began.
            Err(failure) => {
                let examined = examine::vanished(self.plan, entry, &failure);
                return Ok(Decided::New { examined, begun, is_doubted: false });
            }
        };
        let mut is_doubted = false;
        if let Some(Earlier { verdict, is_authentic }) = self.folder.existing(&entry.id)?
            && still_holds(self.plan, &verdict, &opened)
        {
            if is_authentic {
                return Ok(Decided::Earlier(verdict));
            }
            is_doubted = true;
        }
        let examined = pool::examine(self.plan, opened, &self.stop)?;
        Ok(Decided::New { examined, begun, is_doubted })
    }

    /// Puts a verdict where it survives, and then announces it. A submission that brought a worker down has one, too.
    fn keep(
        &self,
        state: &mut State,
        unit: &Unit,
        decided: Result<Result<Decided, Failure>, Trouble>,
    ) -> Result<(), Failure> {
        let place = self.place(unit);
        let entry = &self.entries[place];
        let fallen = |trouble: Trouble| {
            let failure = Failure::infrastructure(assay_validator::escape(&trouble.why));
            let examined = examine::vanished(self.plan, entry, &failure);
            Ok(Decided::New { examined, begun: Begun::now(), is_doubted: false })
        };
        let (verdict, is_kept) = match decided.unwrap_or_else(fallen)? {
            Decided::Earlier(verdict) => {
                // The process that gave it may have been killed before it was recorded, or had no store.
                self.ledger.kept(entry, &verdict);
                (verdict, true)
            }
            Decided::New { examined, begun, is_doubted } => {
                self.write(entry, &examined, begun)?;
                state.doubted += usize::from(is_doubted);
                (examined.verdict, false)
            }
        };
        let decision = verdict.decision.word();
        state.kept += usize::from(is_kept);
        state.verdicts.insert(place, verdict);
        let done = state.verdicts.len();
        if face::is_interactive() {
            self.bar.set_message(format!("{}: {decision}", entry.id));
            self.bar.set_position(done as u64);
        } else if !is_kept {
            face::note(&format!("{done}/{} {} {decision}", self.entries.len(), entry.id));
        }
        Ok(())
    }

    /// Puts a verdict on the disk, signed first: whoever sees the verdict finds the signature. The store comes after: the folder is the truth.
    fn write(&self, entry: &Entry, examined: &Examined, begun: Begun) -> Result<(), Failure> {
        let signed = self.reports.signed(&examined.verdict)?;
        self.folder.write(&entry.id, &examined.verdict, signed.as_deref())?;
        self.ledger.given(entry, examined, begun);
        Ok(())
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
