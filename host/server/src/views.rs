//! From an id to a page: finds what was asked for, reads no more of it than is shown, and hands it to [`crate::pages`].
//!
//! Invariants: whatever is read is bounded; what cannot be read is a [`Problem`] with words for a person, never an empty page. What has no `async` blocks on
//! files and computes, and is to be called where that is no harm.

pub(crate) mod arena;
pub(crate) mod aside;
pub(crate) mod asking;
mod batches;
pub(crate) mod boards;
pub(crate) mod compare;
pub(crate) mod desk;
pub(crate) mod edit;
mod ends;
mod episodes;
pub(crate) mod files;
mod orders;
pub(crate) mod outline;
pub(crate) mod records;
pub(crate) mod sessions;
pub(crate) mod start;
pub(crate) mod state;
mod step;

pub(crate) use batches::{batch, lines, proofs, unlisted, verdict, verdict_of_batch, verdicts};
use batches::{run_of_verdict, unbacked};

use crate::Examine;
use crate::code::Code;
use crate::id::{FolderId, Id, ItemId, Name};
use crate::index::{Index, IndexError};
use crate::library::{Found, Library, SCHEMA_BYTES_MAX, Scan, What};
use crate::pages::home::Home;
use crate::pages::refine::Session;
use crate::pages::rollout::Rollout;
use crate::pages::runs::{Listing, RUNS_PER_PAGE};
use crate::pages::{Frame, Topic, doctor, gate, home, refine, rollouts, runs, worlds};
use crate::place::Place;
use crate::spending::Ledger;
use crate::starting::Work;
use crate::tables;
use crate::topic::{TopicId, number_of_store};
use assay_evaluate::{
    MARKETS_SCHEMA_NAME, MARKETS_SCHEMA_VERSION, MarketRecord, MarketsRecord, RunRecord, check_schema,
};
use assay_files::OpenError;
use assay_gate::Verdict;
use assay_gate::verdict::{SCHEMA_NAME as VERDICT_SCHEMA, SCHEMA_VERSION as VERDICT_VERSION};
use assay_refine::core::event::Program;
use assay_refine::core::place::Place as Slot;
use assay_refine::journal::{JournalError, Kept};
use assay_report::{Manner, Window};
use assay_rollout::run as rollout_run;
use assay_store::{Filter, Kind, Page as StorePage, RunDetail, RunId, StoreError, Total};
use assay_work::jobs::Job;
use std::fmt::Display;
use std::fs::File;
use std::sync::Arc;
use std::time::SystemTime;

/// Bytes of a record, a verdict or a summary.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// Verdicts of the first page.
const VERDICTS: u32 = 5;
/// The measure of a listing.
const MEASURE: &str = "pnl";

/// Why there is no page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Problem {
    pub code: Code,
    pub title: &'static str,
    pub words: String,
    /// The parameter or the field that it is about, by its name.
    pub field: Option<String>,
}

/// A page, or why there is none.
pub(crate) type View = Result<String, Problem>;

/// What becomes of something that was posted.
pub(crate) enum Done {
    /// A page, or part of one, of this status.
    Page(u16, String),
    /// Another page shows it.
    Go(String),
}

impl Problem {
    pub(crate) fn new(code: Code, title: &'static str, words: impl Into<String>) -> Self {
        Self { code, title, words: words.into(), field: None }
    }

    /// The same about a parameter or a field.
    pub(crate) fn about(self, field: &str) -> Self {
        Self { field: Some(field.to_owned()), ..self }
    }

    /// That a thing with a name of its own is not there: a job, say.
    pub(crate) fn none(words: &str) -> Self {
        Self::new(Code::NotFound, "Not found", words)
    }

    /// That no page has an address.
    pub(crate) fn no_address() -> Self {
        Self::none("Nothing has this address. The links at the top lead to everything there is.")
    }

    pub(crate) fn no_job() -> Self {
        Self::none("There is no such job. The list of jobs has those that are kept.")
    }

    pub(crate) fn no_board() -> Self {
        Self::none("There is no such board, or no such season. The list of boards has those that there are.")
    }

    /// That a result is not there: a run, or something in a folder.
    pub(crate) fn nothing() -> Self {
        let words = "Nothing has this address. It may have been removed, or its folder was not named with --runs.";
        Self::new(Code::NotFound, "Not found", words)
    }

    pub(crate) fn unreadable(what: &str, why: impl Display) -> Self {
        Self::new(Code::Unreadable, "It cannot be read", format!("{what}: {why}"))
    }

    pub(crate) fn busy() -> Self {
        Self::new(Code::Busy, "The server is busy", "Try again in a moment.")
    }

    pub(crate) fn bug() -> Self {
        let words = "Making this page failed. That is a fault of Assay, perhaps because the file is damaged.";
        Self::new(Code::Internal, "This page failed", words)
    }

    pub(crate) fn of_store(error: &StoreError) -> Self {
        match error {
            StoreError::NoRun(_) | StoreError::Ambiguous(_) => Self::nothing(),
            error => Self::new(Code::Unavailable, "The store cannot be read", in_words(error)),
        }
    }

    pub(crate) fn of_file(what: &str, error: &OpenError) -> Self {
        if error.is_missing() { Self::nothing() } else { Self::unreadable(what, error) }
    }

    pub(crate) fn of_index(error: &IndexError) -> Self {
        match error {
            IndexError::Busy => {
                let words = "This trajectory is just being indexed. Try again in a moment.";
                Self::new(Code::Busy, "The server is busy", words)
            }
            IndexError::Files(_) => {
                Self::unreadable("the trajectory", format!("{error}; if it has just been changed, try again"))
            }
        }
    }
}

fn in_words(error: &StoreError) -> String {
    error.hint().map_or_else(|| error.to_string(), |hint| format!("{error}; {hint}"))
}

/// Why a list has no runs of the store. One that is not there yet is no fault, and whoever reads an export is not told where it would be.
fn of_list(frame: Frame<'_>, error: &StoreError) -> String {
    match error {
        StoreError::Missing { place } if frame.is_served() => {
            format!("There is no store at {place}. The first run makes one; --store or ASSAY_STORE name another.")
        }
        StoreError::Missing { .. } => "There is no store yet. The first run makes one.".to_owned(),
        error => in_words(error),
    }
}

/// A folder of one of these kinds.
pub(crate) fn folder(library: &Library, id: FolderId, what: &[What]) -> Result<Found, Problem> {
    library.folder(id).filter(|found| what.contains(&found.what)).ok_or_else(Problem::nothing)
}

fn topic_of_folder(library: &Library, id: FolderId) -> Topic {
    let topic = TopicId::Folder(id);
    // Before the page is read: whatever comes meanwhile is told.
    Topic { after: topic.number_of_files(library).unwrap_or(0), name: topic.to_string() }
}

/// What is in the folders, for whoever may not block otherwise.
fn scan(library: &Library) -> Arc<Scan> {
    tokio::task::block_in_place(|| library.scan())
}

async fn topic_of_store(library: &Library) -> Topic {
    Topic { after: number_of_store(library).await, name: TopicId::Store.to_string() }
}

/// The first page.
pub(crate) async fn home(frame: Frame<'_>, library: &Library, work: Option<&Work>, ledger: &Ledger) -> View {
    let topic = topic_of_store(library).await;
    let listed = newest(library, &Filter::default(), RUNS_PER_PAGE).await;
    let (runs, trouble) = match &listed {
        Ok(rows) => (rows.as_slice(), None),
        Err(error) => (&[][..], Some(of_list(frame, error))),
    };
    let is_known = matches!(listed, Ok(_) | Err(StoreError::Missing { .. }));
    let filter = Filter { kind: Some(Kind::Gate), ..Filter::default() };
    // Why there are none is said of the runs.
    let verdicts = newest(library, &filter, VERDICTS).await.unwrap_or_default();
    let (scan, bill) = tokio::task::block_in_place(|| {
        let scan = library.scan();
        let bill = ledger.bill(&scan, SystemTime::now());
        (scan, bill)
    });
    let jobs: Vec<Job> =
        work.map_or_else(Vec::new, |work| work.jobs.list().into_iter().filter(|job| !job.state.is_end()).collect());
    Ok(home::page(
        frame,
        &Home { runs, trouble, is_known, verdicts: &verdicts, scan: &scan, jobs: &jobs, bill: &bill, topic },
    ))
}

/// The newest runs of the store.
pub(crate) async fn newest(
    library: &Library,
    filter: &Filter,
    size: u32,
) -> Result<Vec<assay_store::RunRow>, StoreError> {
    let store = library.store().await?;
    Ok(store.list(filter, StorePage { number: 0, size }, Some(MEASURE)).await?.0)
}

/// The list of runs.
pub(crate) async fn runs(frame: Frame<'_>, library: &Library, filter: &Filter, page: u32) -> View {
    let topic = topic_of_store(library).await;
    let (rows, total, trouble) = match listing(library, filter, page, RUNS_PER_PAGE).await {
        Ok((rows, total)) => (rows, total, None),
        Err(error) => (Vec::new(), Total::default(), Some(of_list(frame, &error))),
    };
    let scan = scan(library);
    Ok(runs::list(frame, &Listing { rows: &rows, total, filter, page, scan: &scan, trouble, topic }))
}

/// Runs of a page, and how many there are on all pages.
async fn listing(
    library: &Library,
    filter: &Filter,
    page: u32,
    size: u32,
) -> Result<(Vec<assay_store::RunRow>, Total), StoreError> {
    library.store().await?.list(filter, StorePage { number: page, size }, Some(MEASURE)).await
}

/// The same for whoever makes no page of it.
pub(crate) async fn listed(
    library: &Library,
    filter: &Filter,
    page: u32,
    size: u32,
) -> Result<(Vec<assay_store::RunRow>, Total), Problem> {
    match listing(library, filter, page, size).await {
        Err(StoreError::Missing { .. }) => Ok((Vec::new(), Total { runs: 0, is_exact: true })),
        other => other.map_err(|error| Problem::of_store(&error)),
    }
}

/// A run of the store and, where it has one, the bytes of its record.
pub(crate) async fn stored(library: &Library, id: RunId) -> Result<(RunDetail, Option<Vec<u8>>), Problem> {
    let failed = |error: StoreError| Problem::of_store(&error);
    let store = library.store().await.map_err(failed)?;
    let detail = store.get(id).await.map_err(failed)?;
    let record = detail.artifacts.iter().find(|file| file.name == "run.json" && file.bytes <= FILE_BYTES_MAX);
    let bytes = match record {
        // A page without the report is better than none.
        Some(file) => store.artifact(file.hash).await.ok(),
        None => None,
    };
    Ok((detail, bytes))
}

/// One run of the store.
pub(crate) fn run(
    frame: Frame<'_>,
    library: &Library,
    detail: &RunDetail,
    (record, window): (Option<&[u8]>, Option<Window>),
) -> View {
    let place = Place::Run(detail.entry.run.id);
    let report = record.filter(|bytes| !is_of_markets(bytes)).map(|bytes| {
        let read = assay_report::read(bytes).map_err(|error| error.to_string());
        read.map(|record| report_body(frame, &record, &place, window))
    });
    let links: Vec<Option<Place>> =
        detail.entry.trajectories.iter().take(500).map(|episode| link(library, &episode.path)).collect();
    let has_source = record.is_some_and(|bytes| edit::of_record(bytes).is_ok());
    // Each market of several has a report with tables of its own.
    let may_have = detail.entry.run.kind == Kind::Run && !record.is_some_and(is_of_markets);
    let tables = (frame.is_served() && may_have)
        .then(|| record.map_or_else(|| Ok(tables::Tables::default()), |bytes| tables::of_record(library, bytes)));
    Ok(runs::run(frame, detail, (report.as_ref(), has_source), tables.as_ref(), &links))
}

/// The report of a run in its page: where there is a server, with any window of its charts. Its figures are computed again first, which takes a while.
pub(crate) fn report_body(frame: Frame<'_>, record: &RunRecord, place: &Place, window: Option<Window>) -> String {
    let notice = runs::doubted(frame, &record.checked()).into_string();
    if !frame.is_served() {
        let mut record = record.clone();
        record.command = frame.told(&record.command).into_owned();
        return notice + &assay_report::body(&record);
    }
    notice + &assay_report::body_served(record, Manner { window, address: Some(&frame.links.to(place)) })
}

/// Whether the record of a run is one over several markets, which the store keeps market by market.
pub(crate) fn is_of_markets(record: &[u8]) -> bool {
    let start = &record[..record.len().min(SCHEMA_BYTES_MAX)];
    String::from_utf8_lossy(start).contains(&format!("\"{MARKETS_SCHEMA_NAME}\""))
}

/// The page of a file that the store names, if it lies in a folder that may be read.
fn link(library: &Library, path: &str) -> Option<Place> {
    let path = std::path::Path::new(path);
    let name = path.file_name()?.to_str()?.strip_suffix(".jsonl")?.parse().ok()?;
    let folder = FolderId::of(path.parent()?.parent()?);
    let found =
        library.folder(folder).filter(|found| matches!(found.what, What::Rollout | What::World | What::Damaged))?;
    Some(Place::Trajectory(ItemId { folder: found.id, name }, 0))
}

/// The report in a folder.
pub(crate) fn report(frame: Frame<'_>, library: &Library, id: FolderId, window: Option<Window>) -> View {
    let (found, bytes) = recorded(library, id, &[What::Report, What::Markets])?;
    let file = || format!("{}/run.json", found.name);
    if found.what == What::Report {
        let record = assay_report::read(&bytes).map_err(|error| Problem::unreadable(&file(), error))?;
        let body = report_body(frame, &record, &Place::Report(found.id), window);
        let tables = frame.is_served().then(|| tables::beside(&found));
        return Ok(runs::report(frame, &found, (&record, &body), tables.as_ref()));
    }
    let mut record = markets_from(&bytes, &file())?;
    record.command = frame.told(&record.command).into_owned();
    let link = |market: &MarketRecord| {
        let below = FolderId::of(&found.path.join(&market.folder));
        let found = library.folder(below).filter(|found| found.what == What::Report)?;
        Some(frame.links.to(&Place::Report(found.id)))
    };
    Ok(runs::markets(frame, &found.name, &record, &link))
}

/// Refuses a file of another schema, or of a later version of it.
fn known(bytes: &[u8], (name, version): (&str, &str), file: &str) -> Result<(), Problem> {
    check_schema(bytes, name, version).map_err(|error| Problem::unreadable(file, error))
}

/// The record of a run over several markets.
pub(crate) fn markets_from(bytes: &[u8], file: &str) -> Result<MarketsRecord, Problem> {
    known(bytes, (MARKETS_SCHEMA_NAME, MARKETS_SCHEMA_VERSION), file)?;
    serde_json::from_slice(bytes)
        .map_err(|error| Problem::unreadable(file, format!("it is damaged, or of another version of Assay: {error}")))
}

/// The record of the report in a folder.
pub(crate) fn report_bytes(library: &Library, id: FolderId) -> Result<Vec<u8>, Problem> {
    record_bytes(library, id, &[What::Report])
}

/// The same of a report of one of these kinds.
pub(crate) fn record_bytes(library: &Library, id: FolderId, what: &[What]) -> Result<Vec<u8>, Problem> {
    Ok(recorded(library, id, what)?.1)
}

/// A report of one of these kinds with its record.
pub(crate) fn recorded(library: &Library, id: FolderId, what: &[What]) -> Result<(Found, Vec<u8>), Problem> {
    let found = folder(library, id, what)?;
    let read = found.open().and_then(|folder| folder.read("run.json", FILE_BYTES_MAX));
    let bytes = read.map_err(|error| Problem::of_file("run.json", &error))?;
    Ok((found, bytes))
}

/// The list of rollouts.
pub(crate) fn rollouts(frame: Frame<'_>, library: &Library) -> View {
    Ok(rollouts::list(frame, &library.scan()))
}

/// A folder of a rollout, or of trajectories.
pub(crate) fn rollout(frame: Frame<'_>, library: &Library, id: FolderId) -> View {
    let found = folder(library, id, &[What::Rollout, What::Trajectories, What::Damaged])?;
    if found.what != What::Rollout {
        return bare(frame, &found);
    }
    let page = episodes(library, &found, |rollout| rollouts::page(frame, rollout));
    or_bare(frame, found, page)
}

/// The page of a run of episodes; where its record cannot be read, why, and its trajectories.
fn or_bare(frame: Frame<'_>, mut found: Found, page: View) -> View {
    let read = |found: &Found| -> Result<(), String> {
        let folder = found.open().map_err(|error| error.to_string())?;
        rollout_run::RunRecord::read_in(&folder).map(drop).map_err(|error| error.to_string())
    };
    if page.is_ok() {
        return page;
    }
    let Err(why) = read(&found) else { return page };
    found.damage = Some(why);
    bare(frame, &found)
}

/// A folder of which no more is known than its trajectories.
fn bare(frame: Frame<'_>, found: &Found) -> View {
    Ok(rollouts::trajectories(frame, found, &trajectories(found)?))
}

/// The names of the trajectories of a folder. What is wrong is said of the folder that has it: its own, or `episodes` in it.
fn trajectories(found: &Found) -> Result<Vec<Name>, Problem> {
    found.open().map_err(|error| Problem::of_file(&found.name, &error))?;
    found.trajectories().map_err(|error| Problem::of_file(&found.name_of_episodes(), &error))
}

/// The list of runs in worlds.
pub(crate) fn worlds(frame: Frame<'_>, library: &Library) -> View {
    Ok(worlds::list(frame, &library.scan()))
}

/// A run in a world.
pub(crate) fn world(frame: Frame<'_>, library: &Library, id: FolderId) -> View {
    let found = folder(library, id, &[What::World, What::Damaged])?;
    if found.what == What::Damaged {
        return bare(frame, &found);
    }
    let page = episodes(library, &found, |run| worlds::page(frame, run, &rollout_run::pass_all(run.finished)));
    or_bare(frame, found, page)
}

/// A rollout, or a run in a world, shown as `show` does.
pub(crate) fn run_of_episodes<T>(
    library: &Library,
    (id, what): (FolderId, What),
    show: impl FnOnce(&Rollout<'_>) -> T,
) -> Result<T, Problem> {
    let found = folder(library, id, &[what, What::Damaged])?;
    match &found.damage {
        Some(why) => Err(Problem::unreadable(&found.name, why)),
        None => episodes(library, &found, show),
    }
}

/// A folder of episodes, shown as `show` does.
fn episodes<T>(library: &Library, found: &Found, show: impl FnOnce(&Rollout<'_>) -> T) -> Result<T, Problem> {
    let topic = topic_of_folder(library, found.id);
    let failed = |error: OpenError| Problem::of_file(&found.name, &error);
    let trajectories = trajectories(found)?;
    let folder = found.open().map_err(failed)?;
    let record = rollout_run::RunRecord::read_in(&folder).map_err(|error| Problem::unreadable("run.json", error))?;
    let is_taken = || rollout_run::RunFolder::is_taken_in(&folder);
    // Asked before and after: lines of a run that began or ended meanwhile may be missing here.
    let was_taken = is_taken();
    let journal = folder.look(rollout_run::JOURNAL_NAME).map_err(failed)?;
    let rollout_run::Proven { records: finished, doubts, damaged, .. } = match journal {
        Some(journal) if journal.kind == assay_files::Kind::File && journal.bytes <= rollout_run::JOURNAL_BYTES_MAX => {
            rollout_run::read_proven_journal_in(&folder).map_err(|error| Problem::unreadable("results.jsonl", error))?
        }
        Some(_) => return Err(Problem::unreadable("results.jsonl", "it is too large, or not a regular file")),
        None => rollout_run::Proven::default(),
    };
    let figures = rollout_run::figures(&finished);
    let with_result = finished.iter().chain(doubts.iter().map(|doubt| &doubt.record));
    let shortened = ends::shortened(found, with_result.clone(), &trajectories);
    let unlisted = rollout_run::unlisted(&record, &folder, with_result);
    let is_running = was_taken || is_taken();
    let unlisted = if is_running { Vec::new() } else { unlisted };
    let stated = rollout_run::stated(&record, &folder, &finished);
    let rollout = Rollout {
        found,
        record: &record,
        finished: &finished,
        doubts: &doubts,
        damaged: &damaged,
        stated: &stated,
        figures: &figures,
        trajectories: &trajectories,
        shortened: &shortened,
        unlisted: &unlisted,
        is_running,
        has_rewards: found.what == What::World,
        topic,
    };
    Ok(show(&rollout))
}

/// The list of refinements.
pub(crate) fn refinements(frame: Frame<'_>, library: &Library) -> View {
    Ok(refine::list(frame, &library.scan()))
}

/// A session in a folder.
pub(crate) fn session(library: &Library, id: FolderId) -> Result<(Found, Kept), Problem> {
    let found = folder(library, id, &[What::Refinement])?;
    let opened = found.open().map_err(|error| Problem::of_file("log.jsonl", &error))?;
    let kept = Kept::read_in(opened).map_err(|error| match error {
        JournalError::Missing => Problem::nothing(),
        error => Problem::unreadable("log.jsonl", error),
    })?;
    Ok((found, kept))
}

/// One session.
pub(crate) fn refinement(frame: Frame<'_>, library: &Library, id: FolderId, work: Option<&Work>) -> View {
    let topic = topic_of_folder(library, id);
    let (found, kept) = session(library, id)?;
    let job = work.and_then(|work| work.jobs.of_session(&found.path));
    let session = Session { found: &found, state: &kept.state, is_running: kept.is_running, job: job.as_ref(), topic };
    Ok(refine::page(frame, &session))
}

/// One candidate of a session.
pub(crate) fn candidate(frame: Frame<'_>, library: &Library, id: FolderId, slot: &str) -> View {
    let slot = Slot::try_from(slot.to_owned()).map_err(|_| Problem::nothing())?;
    let (found, kept) = session(library, id)?;
    let source = source_of(&kept, slot);
    refine::candidate(frame, &found, &kept.state, slot, source.as_ref()).ok_or_else(Problem::nothing)
}

/// The source of a candidate, or why it cannot be read; none of a slot of which nothing came.
pub(crate) fn source_of(kept: &Kept, slot: Slot) -> Option<Result<String, String>> {
    let candidate = kept.state.candidates().get(&slot)?;
    let hash = match candidate.program.as_ref()? {
        Program::Source(hash) => hash,
        Program::Settings(_) => &kept.state.plan().source_hash,
    };
    Some(kept.program(hash).map_err(|error| error.to_string()))
}

/// The places of all candidates of a session.
pub(crate) fn slots(library: &Library, id: FolderId) -> Result<Vec<String>, Problem> {
    let (_, kept) = session(library, id)?;
    Ok(kept.state.candidates().keys().map(ToString::to_string).collect())
}

/// Asks the process of a session to stop.
pub(crate) fn stop(library: &Library, id: FolderId) -> Result<(), Problem> {
    let (_, kept) = session(library, id)?;
    if !kept.is_running {
        return Err(Problem::new(Code::Conflict, "It is not running", "No process runs this session."));
    }
    kept.ask_to_stop().map_err(|error| Problem::unreadable("the session", error))
}

/// The gate: batches and verdicts.
pub(crate) async fn gates(frame: Frame<'_>, library: &Library) -> View {
    let filter = Filter { kind: Some(Kind::Gate), ..Filter::default() };
    let (stored, trouble) = match newest(library, &filter, RUNS_PER_PAGE).await {
        Ok(rows) => (rows, None),
        Err(StoreError::Missing { .. }) => (Vec::new(), None),
        Err(error) => (Vec::new(), Some(in_words(&error))),
    };
    let scan = scan(library);
    let compared = tokio::task::block_in_place(|| unbacked(&scan));
    Ok(gate::list(frame, &scan, (&stored, trouble.as_deref()), &compared))
}

/// A verdict of the store.
pub(crate) async fn stored_verdict(library: &Library, id: RunId) -> Result<Vec<u8>, Problem> {
    let failed = |error: StoreError| Problem::of_store(&error);
    let store = library.store().await.map_err(failed)?;
    let detail = store.get(id).await.map_err(failed)?;
    let file = detail.artifacts.iter().find(|file| file.name == "verdict.json" && file.bytes <= FILE_BYTES_MAX);
    store.artifact(file.ok_or_else(Problem::nothing)?.hash).await.map_err(failed)
}

/// A verdict from its bytes.
pub(crate) fn verdict_page(frame: Frame<'_>, bytes: &[u8], is_signed: Option<bool>) -> View {
    Ok(gate::verdict(frame, &verdict_from(bytes)?, is_signed))
}

/// The same for whoever makes no page of it.
pub(crate) fn verdict_from(bytes: &[u8]) -> Result<Verdict, Problem> {
    known(bytes, (VERDICT_SCHEMA, VERDICT_VERSION), "the verdict")?;
    serde_json::from_slice(bytes).map_err(|error| Problem::unreadable("the verdict", error))
}

/// A trajectory's file with its index.
fn indexed(library: &Library, id: &ItemId) -> Result<(File, Index), Problem> {
    let opened = library.trajectory(id).ok_or_else(Problem::nothing)?;
    let (file, path) = opened.map_err(|error| Problem::of_file("the trajectory", &error))?;
    // First: what comes meanwhile belongs to an end that has come, too.
    let last = ends::last_hash(library, id);
    let mut index = Index::open(library.cache(), &file, &path).map_err(|error| Problem::of_index(&error))?;
    if let Some(hash) = last {
        index.is_shortened = ends::is_missing(&file, &index, hash).map_err(|error| Problem::of_index(&error))?;
    }
    Ok((file, index))
}

/// What this machine has. Looks at it now.
pub(crate) fn machine(frame: Frame<'_>, examine: Option<&Examine>) -> String {
    let checks = examine.map(|examine| (examine.0)());
    doctor::page(frame, checks.as_deref())
}

/// Whatever an address under `/runs` or `/gate` names.
pub(crate) fn id(text: &str) -> Result<Id, Problem> {
    text.parse().map_err(|_| Problem::nothing())
}
