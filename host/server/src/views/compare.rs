//! Two runs of the store, as `assay compare` compares them.
//!
//! Invariants: a record is read only if it is small enough for a page, and only its schema, its scenario, the strategy's source and the hashes of its episodes are
//! kept of it.

use super::desk::{refused, unwell};
use super::orders::{self, Course};
use super::{FILE_BYTES_MAX, MEASURE, Problem, View, in_words, is_of_markets, known};
use crate::code::Code;
use crate::library::Library;
use crate::lines;
use crate::pages::Frame;
use crate::pages::compare::{self as page, Choice, Comparison, Side};
use crate::pages::orders::Drawn;
use crate::pages::runs::RUNS_PER_PAGE;
use crate::recording::Episode;
use crate::starting::Work;
use assay_evaluate::{SCHEMA_NAME, SCHEMA_VERSION};
use assay_results::{CompareError, Compared, Meaning, compare, same_kind, same_meaning};
use assay_store::{Filter, Kind, Page as StorePage, RunDetail, RunId, StoreError};
use assay_work::jobs::{Job, Plan, What as JobWhat};
use assay_work::offers::StrategyName;
use assay_work::order::{GOALS, Markets, OrderError, RunOrder, Seeds};
use serde::Deserialize;

/// The scenario of a run that is made again, in the folder of its job.
const MARKET: &str = "market.toml";

/// A run with what the page needs of its record.
pub(crate) struct Read {
    detail: RunDetail,
    meaning: Meaning,
    record: Option<Record>,
}

impl Read {
    fn source(&self) -> Option<&str> {
        self.record.as_ref()?.strategy.source.as_deref()
    }

    fn course(&self) -> Course<'_> {
        let record = self.record.as_ref();
        Course {
            run: &self.detail.entry.run,
            episodes: record.map_or(&[][..], |record| record.episodes.as_slice()),
            drawn: record.and_then(|record| record.series),
            can_be_made_again: self.material().is_some(),
        }
    }

    /// What the run can be made again from: the name and text of its strategy, and the text of its scenario.
    fn material(&self) -> Option<[&str; 3]> {
        let Record { strategy, scenario, .. } = self.record.as_ref()?;
        let text = scenario.as_ref().map(|scenario| scenario.text.as_str()).filter(|text| !text.is_empty());
        Some([&strategy.file_name, strategy.source.as_deref()?, text?])
    }
}

/// Of `run.json`, which has much more.
#[derive(Deserialize)]
struct Record {
    strategy: Strategy,
    #[serde(default)]
    scenario: Option<Scenario>,
    #[serde(default)]
    episodes: Vec<Episode>,
    #[serde(default)]
    series: Option<Drawn>,
}

#[derive(Deserialize)]
struct Strategy {
    #[serde(default)]
    file_name: String,
    source: Option<String>,
}

#[derive(Deserialize)]
struct Scenario {
    #[serde(default)]
    text: String,
}

/// What the address of a comparison names beside the runs.
#[derive(Default)]
pub(crate) struct Chosen {
    /// The measure whose seeds are drawn, and where.
    pub measure: Option<String>,
    pub scenario: Option<String>,
    /// The seed in which the first different order is looked for.
    pub seed: Option<u64>,
}

/// Reads one of the runs.
pub(crate) async fn read(library: &Library, id: RunId) -> Result<Read, Problem> {
    let failed = |error: StoreError| Problem::of_store(&error);
    let store = library.store().await.map_err(failed)?;
    let detail = store.get(id).await.map_err(failed)?;
    let bytes = match detail.artifacts.iter().find(|file| file.name == "run.json") {
        Some(file) if file.bytes > FILE_BYTES_MAX => {
            return Err(Problem::unreadable("run.json", "it is too large for a page: use `assay compare`"));
        }
        Some(file) => Some(store.artifact(file.hash).await.map_err(failed)?),
        None => None,
    };
    if let Some(bytes) = bytes.as_deref().filter(|bytes| detail.entry.run.kind == Kind::Run && !is_of_markets(bytes)) {
        known(bytes, (SCHEMA_NAME, SCHEMA_VERSION), "run.json")?;
    }
    // A record of many megabytes is read whole, and its figures are computed again.
    tokio::task::block_in_place(|| {
        let meaning = Meaning::of(&detail.entry.run, bytes.as_deref());
        let is_strategy = detail.entry.run.kind == Kind::Run;
        let record = bytes.filter(|_| is_strategy).and_then(|bytes| serde_json::from_slice::<Record>(&bytes).ok());
        Ok(Read { detail, meaning, record })
    })
}

/// The page of the comparison.
pub(crate) fn both(frame: Frame<'_>, library: &Library, runs: (&Read, &Read), chosen: &Chosen) -> View {
    compared(library, runs, chosen, |comparison| page::both(frame, comparison))
}

/// The comparison, shown as `show` does.
pub(crate) fn compared<T>(
    library: &Library,
    (a, b): (&Read, &Read),
    chosen: &Chosen,
    show: impl FnOnce(&Comparison<'_>) -> T,
) -> Result<T, Problem> {
    let refused = |error: CompareError| {
        let words = format!("{error}. What to do: {}.", error.hint());
        Problem::new(Code::Unprocessable, "They cannot be compared", words)
    };
    same_kind(&a.detail.entry.run, &b.detail.entry.run).map_err(refused)?;
    same_meaning(&a.meaning, &b.meaning).map_err(refused)?;
    let rows = compare(&a.detail, &b.detail, &[]).map_err(refused)?;
    let drawn = drawn(&rows, (chosen.measure.as_deref(), chosen.scenario.as_deref()));
    let changes = a.source().zip(b.source()).map(|(a, b)| lines::changes(b, a));
    let side = |read: &Read| Side { run: read.detail.entry.run.clone(), has_source: read.source().is_some() };
    let orders = orders::parted(library, [a.course(), b.course()], chosen.seed);
    let comparison = Comparison { a: side(a), b: side(b), rows: &rows, drawn, changes, orders };
    Ok(show(&comparison))
}

/// The row whose seeds are drawn: the one that was asked for, else the usual measure, else the first in pairs.
fn drawn(rows: &[Compared<'_>], (measure, scenario): (Option<&str>, Option<&str>)) -> Option<usize> {
    let is_paired = |row: &Compared<'_>| !row.pairs().is_empty();
    let is_asked = |row: &Compared<'_>| {
        measure.is_some_and(|measure| row.a.measure == measure)
            && scenario.is_none_or(|scenario| row.scenario == scenario)
    };
    let first = |is_it: &dyn Fn(&Compared<'_>) -> bool| rows.iter().position(|row| is_it(row) && is_paired(row));
    first(&is_asked).or_else(|| first(&|row| row.a.measure == MEASURE)).or_else(|| first(&|_| true))
}

/// Starts a job that makes an episode of a run again and records its events.
pub(crate) fn again(work: &Work, read: &Read, seed: u64) -> Result<Job, Problem> {
    let [name, source, market] = read.material().ok_or_else(|| {
        unwell("the store does not have the source of this run and its scenario; run its command with --data instead")
    })?;
    let name = StrategyName::like(name);
    let started = work.jobs.start(name.stem(), |own| {
        let (strategy, result) = (own.join(name.as_str()), own.join("report"));
        let wrong = |error: OrderError| error.to_string();
        let markets = Markets::parse([MARKET], |_| Some(own.join(MARKET))).map_err(wrong)?;
        let (seeds, goal) = (Seeds::parse(&format!("{seed}..={seed}")).map_err(wrong)?, GOALS[0]);
        let words = RunOrder { strategy, markets, seeds, goal, baseline: None, keeps_data: true }.words(&result);
        let files = vec![(name.to_string(), source.to_owned()), (MARKET.to_owned(), market.to_owned())];
        let (what, subject) = (JobWhat::Run, name.to_string());
        Ok(Plan { what, subject, files, words, again: None, session: None, hint: None, result })
    });
    started.map_err(|error| refused(&error))
}

/// Runs to choose from: for the first, or for the second if the first is known.
pub(crate) async fn choice(frame: Frame<'_>, library: &Library, first: Option<RunId>, number: u32) -> View {
    let failed = |error: StoreError| Problem::of_store(&error);
    let listed = async {
        let store = library.store().await?;
        let Some(id) = first else { return Ok::<_, StoreError>((store, None)) };
        let detail = store.get(id).await?;
        Ok((store, Some(detail)))
    };
    let (store, first) = match listed.await {
        Ok(found) => found,
        Err(error @ StoreError::Missing { .. }) => return Ok(page::nothing(frame, &in_words(&error))),
        Err(error) => return Err(failed(error)),
    };
    if first.as_ref().is_some_and(|first| first.entry.kpis.is_empty()) {
        let words =
            "It has no figures: it failed, has not ended, or is a refinement without sealed seeds that were opened.";
        return Err(Problem::new(Code::Unprocessable, "It cannot be compared", words));
    }
    let filter = Filter {
        kind: first.as_ref().map(|first| first.entry.run.kind),
        scenario: first.as_ref().and_then(|first| first.entry.scenarios.first()).map(|scenario| scenario.name.clone()),
        ..Filter::default()
    };
    let wanted = StorePage { number, size: RUNS_PER_PAGE };
    let (rows, total) = store.list(&filter, wanted, Some(MEASURE)).await.map_err(failed)?;
    let mut offered = Vec::with_capacity(rows.len());
    for row in rows {
        // Most have the usual measure; of the others, those without any figure are left out.
        if row.kpi.is_some() || !store.get(row.run.id).await.map_err(failed)?.entry.kpis.is_empty() {
            offered.push(row);
        }
    }
    let first = first.map(|first| first.entry.run);
    Ok(page::choice(frame, &Choice { first: first.as_ref(), rows: &offered, total, page: number }))
}
