//! The store as commands use it: where it is, how it is asked, and how work is recorded in it.
//!
//! Invariant: recording never spoils the work. A store that cannot be written is one warning, and what the work has found is returned all the same.

mod register;

use crate::settings::{RecordSettings, StoreSettings};
use crate::{Ending, Failure, face};
use assay_evaluate::{RunRecord, ScenarioRecord};
use assay_market::Scenario;
use assay_store::{
    Access, ArtifactPlace, Iteration, Kind, Known, Limits, Location, Owner, Run, RunEntry, RunId, Status, Store,
    StoreError, Time, Trouble,
};
pub(crate) use register::{Ended, Register};
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// How long a store that could not be written is left alone: whoever records waits for it no more often.
const REST: Duration = Duration::from_secs(30);
/// What is said once a store takes what it did not take before.
const AFTER_ALL: &str = "in the store, after all";

/// Where the store and its artifacts are.
pub struct Place {
    location: Location,
    artifacts: ArtifactPlace,
}

impl Place {
    /// Where a command records what it does, unless it is told not to.
    pub(crate) fn to_record(settings: &RecordSettings) -> Result<Option<Self>, Failure> {
        if settings.no_store { Ok(None) } else { Self::resolve(&settings.store).map(Some) }
    }

    /// What was asked for, or the project's own.
    ///
    /// # Errors
    /// Where the settings name no store, or the current folder cannot be found.
    pub fn resolve(settings: &StoreSettings) -> Result<Self, Failure> {
        let here = std::env::current_dir()
            .map_err(|error| Failure::usage(format!("failed to find the current folder: {error}")))?;
        let project = Location::of_project(&here);
        let location = match settings.store.as_deref().filter(|text| !text.is_empty()) {
            Some(text) => Location::parse(text).map_err(|error| {
                Failure::usage(error).hint("name a file, or postgres://USER@HOST/DATABASE, with --store or ASSAY_STORE")
            })?,
            None => project.clone(),
        };
        let artifacts = match settings.artifacts.as_deref().filter(|text| !text.is_empty()) {
            Some(text) => ArtifactPlace::parse(text),
            // A server has no folder beside it: files stay in the project.
            None => ArtifactPlace::Folder(location.artifacts().or_else(|| project.artifacts()).unwrap_or_default()),
        };
        Ok(Self { location, artifacts })
    }
}

#[cfg(feature = "rollouts")]
impl Place {
    /// For whoever opens the store by itself.
    pub fn into_parts(self) -> (Location, ArtifactPlace) {
        (self.location, self.artifacts)
    }
}

/// An open store with the thread of its own that it runs on.
pub(crate) struct Open {
    store: Store,
    runtime: Runtime,
}

impl Open {
    /// Opens the store.
    pub(crate) fn new(place: &Place, access: Access) -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::infrastructure(format!("failed to start the store: {error}")))?;
        let opened = Store::open(&place.location, &place.artifacts, access, Limits::STANDARD);
        let store = runtime.block_on(opened).map_err(failure)?;
        Ok(Self { store, runtime })
    }

    /// Opens what is there, to be read.
    pub(crate) fn to_read(settings: &StoreSettings) -> Result<Self, Failure> {
        Self::new(&Place::resolve(settings)?, Access::Read)
    }

    /// Waits for an answer.
    pub(crate) fn ask<T>(&self, ask: impl AsyncFnOnce(&Store) -> Result<T, StoreError>) -> Result<T, Failure> {
        self.runtime.block_on(ask(&self.store)).map_err(failure)
    }

    /// Writes a run with its files.
    fn keep(&self, entry: &RunEntry, files: &[(String, Vec<u8>)], known: Known) -> Result<bool, StoreError> {
        self.runtime.block_on(self.store.keep(entry, files, known))
    }

    /// Lets go of it: SQLite tidies up behind its last reader.
    pub(crate) fn close(self) {
        self.runtime.block_on(self.store.close());
    }
}

#[expect(clippy::needless_pass_by_value, reason = "what errors are mapped with takes them whole")]
pub(crate) fn failure(error: StoreError) -> Failure {
    let failure = if error.is_usage() { Failure::usage(&error) } else { Failure::infrastructure(&error) };
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// What is known of work before it begins.
pub(crate) struct About {
    /// Its id: [`RunId::now`], or of its content if doing it again is the same.
    pub id: RunId,
    /// What it is.
    pub kind: Kind,
    /// What is tried: a file name, a model.
    pub subject: String,
    /// The command that does it again.
    pub command: String,
    /// The scenarios that it runs in.
    pub scenarios: Vec<assay_store::Scenario>,
}

impl About {
    /// A run of a strategy in one market.
    pub(crate) fn run(strategy: &Path, command: String, scenario: &Scenario) -> Self {
        Self {
            id: RunId::now(),
            kind: Kind::Run,
            subject: strategy.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            command,
            scenarios: vec![scenario_of(scenario)],
        }
    }
}

/// What work leaves to be recorded; filled in as it becomes known.
pub(crate) struct Kept {
    /// The run's entry. Its status comes from how the work ends.
    pub entry: RunEntry,
    /// Its files, by name.
    pub files: Vec<(String, Vec<u8>)>,
    /// What becomes of what the store knows of it already.
    pub known: Known,
    /// The stack where it failed, if that is known.
    pub backtrace: Option<String>,
}

impl Kept {
    /// Keeps what a run record says: measures, verdict, hashes, stack, and the record itself.
    pub(crate) fn record(&mut self, record: &RunRecord, json: &[u8]) {
        assay_results::enter(&mut self.entry, record);
        self.backtrace =
            record.diagnostics.backtraces.first().map(|stack| format!("seed {}\n{}", stack.seed, stack.text));
        self.files.push(("run.json".to_owned(), json.to_vec()));
    }
}

/// The store in which a command records its work, if it has one.
pub(crate) struct Ledger(Option<Open>);

impl Ledger {
    /// Opens the store for writing. One that cannot be had is a warning: work goes on without it.
    pub(crate) fn open(place: Option<&Place>) -> Self {
        Self(place.and_then(|place| Open::new(place, Access::Write).inspect_err(warn).ok()))
    }

    /// Does work and records it: as running when it begins; when it ends, as completed, as failed with its error, or as cancelled.
    ///
    /// What was not recorded when it began is tried once more at its end if it took so long that things may have changed.
    pub(crate) fn recorded(
        &self,
        about: About,
        work: impl FnOnce(&mut Kept) -> Result<Ending, Failure>,
    ) -> Result<Ending, Failure> {
        let (started, clock) = (Time::now(), Instant::now());
        let entry = begun(about, started);
        let mut kept = Kept { entry, files: Vec::new(), known: Known::Replaced, backtrace: None };
        let begun = self.0.as_ref().map(|open| (open, written(open, &kept).inspect_err(warn).is_ok(), Instant::now()));
        let result = work(&mut kept);
        if let Some((open, is_begun, tried)) = begun
            && (is_begun || tried.elapsed() >= REST)
        {
            end(&mut kept, &result, started.after(clock.elapsed()));
            match (is_begun, written(open, &kept)) {
                (true, Err(failure)) => warn(&failure),
                (false, Ok(())) => face::step("Recorded", AFTER_ALL),
                (true, Ok(())) | (false, Err(_)) => {}
            }
        }
        result
    }

    /// Lets go of the store.
    pub(crate) fn close(self) {
        if let Some(open) = self.0 {
            open.close();
        }
    }
}

/// What is known of work as it begins.
pub(crate) fn begun(about: About, started: Time) -> RunEntry {
    let mut entry = RunEntry::of(Run {
        id: about.id,
        kind: about.kind,
        status: Status::Running,
        subject: about.subject,
        subject_hash: None,
        command: about.command,
        tool: env!("CARGO_PKG_VERSION").to_owned(),
        verdict: None,
        trouble: None,
        owner: Owner::this_process(),
        created: started,
        started: Some(started),
        finished: None,
    });
    entry.scenarios = about.scenarios;
    entry
}

/// The end, as the work's own result tells it.
fn end(kept: &mut Kept, result: &Result<Ending, Failure>, finished: Time) {
    let run = &mut kept.entry.run;
    run.finished = Some(finished);
    run.status = match result {
        Ok(_) => Status::Completed,
        Err(failure) if failure.ending == Ending::Interrupted => Status::Cancelled,
        Err(_) => Status::Failed,
    };
    let trouble = |failure: &Failure| {
        let hint = failure.hint.as_ref().map_or_else(String::new, |hint| format!("; {hint}"));
        Trouble { error: format!("{}{hint}", failure.message), backtrace: kept.backtrace.take() }
    };
    run.trouble = result.as_ref().err().map(trouble);
    if kept.entry.iterations.is_empty() {
        kept.entry.iterations.push(Iteration {
            number: 1,
            status: run.status,
            source_hash: run.subject_hash.clone(),
            trouble: run.trouble.clone(),
            started: run.started,
            finished: run.finished,
        });
    }
}

/// Writes what is known.
fn written(open: &Open, kept: &Kept) -> Result<(), Failure> {
    open.keep(&kept.entry, &kept.files, kept.known).map(drop).map_err(failure)
}

fn warn(failure: &Failure) {
    face::warn(&format!("not recorded: {failure}"));
    if let Some(hint) = &failure.hint {
        face::hint(&format!("{hint}; or pass --no-store to run without it"));
    }
}

/// A scenario as the store keeps it.
pub(crate) fn scenario_of(scenario: &Scenario) -> assay_store::Scenario {
    assay_results::scenario(&ScenarioRecord::from(scenario))
}
