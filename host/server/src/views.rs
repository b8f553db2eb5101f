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
mod episode_runs;
mod episodes;
pub(crate) mod files;
mod orders;
pub(crate) mod outline;
mod problem;
pub(crate) mod records;
mod refinements;
mod reports;
pub(crate) mod sessions;
pub(crate) mod start;
pub(crate) mod state;
mod step;

pub(crate) use batches::{batch, lines, proofs, unlisted, verdict, verdict_of_batch, verdicts};
use batches::{run_of_verdict, unbacked};
pub(crate) use episode_runs::{rollout, rollouts, run_of_episodes, world, worlds};
use problem::in_words;
pub(crate) use problem::{Done, Problem, View};
pub(crate) use refinements::{candidate, refinement, refinements, session, slots, source_of, stop};
pub(crate) use reports::{report, run};

use crate::Examine;
use crate::id::{FolderId, Id, ItemId};
use crate::index::Index;
use crate::library::{Found, Library, SCHEMA_BYTES_MAX, Scan, What};
use crate::pages::home::Home;
use crate::pages::runs::{Listing, RUNS_PER_PAGE};
use crate::pages::{Frame, Topic, doctor, gate, home, runs};
use crate::spending::Ledger;
use crate::starting::Work;
use crate::topic::{TopicId, number_of_store};
use assay_evaluate::{MARKETS_SCHEMA_NAME, MARKETS_SCHEMA_VERSION, MarketsRecord, check_schema};
use assay_gate::Verdict;
use assay_gate::verdict::{SCHEMA_NAME as VERDICT_SCHEMA, SCHEMA_VERSION as VERDICT_VERSION};
use assay_store::{Filter, Kind, Page as StorePage, RunDetail, RunId, StoreError, Total};
use assay_work::jobs::Job;
use std::fs::File;
use std::sync::Arc;
use std::time::SystemTime;

/// Bytes of a record, a verdict or a summary.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// Verdicts of the first page.
const VERDICTS: u32 = 5;
/// The measure of a listing.
const MEASURE: &str = "pnl";

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

/// Whether the record of a run is one over several markets, which the store keeps market by market.
pub(crate) fn is_of_markets(record: &[u8]) -> bool {
    let start = &record[..record.len().min(SCHEMA_BYTES_MAX)];
    String::from_utf8_lossy(start).contains(&format!("\"{MARKETS_SCHEMA_NAME}\""))
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
