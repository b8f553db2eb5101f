//! Two runs of the store, as `assay compare` compares them.
//!
//! Invariants: a record is read only if it is small enough for a page, and only its schema and the strategy's source are kept of it.

use super::{FILE_BYTES_MAX, MEASURE, Problem, View, in_words};
use crate::library::Library;
use crate::pages::Frame;
use crate::pages::compare::{self as page, Choice, Comparison, Side};
use crate::pages::runs::RUNS_PER_PAGE;
use assay_model::Time;
use assay_results::{CompareError, Compared, Meaning, compare, same_kind, same_meaning};
use assay_store::{Filter, Kind, Page as StorePage, RunDetail, RunId, StoreError};
use assay_tree::patch::diff;
use assay_tree::{Content, Limits, Tree};
use serde::Deserialize;

/// A longer source is not compared line by line.
const SOURCE_BYTES_MAX: usize = 1 << 20;
/// The file in the trees that are compared; nobody sees its name.
const FILE: &[u8] = b"strategy";

/// A run with what the page needs of its record.
pub(crate) struct Read {
    detail: RunDetail,
    meaning: Meaning,
    source: Option<String>,
}

/// Of `run.json`, which has much more.
#[derive(Deserialize)]
struct Record {
    strategy: Strategy,
}

#[derive(Deserialize)]
struct Strategy {
    source: Option<String>,
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
    let meaning = Meaning::of(&detail.entry.run, bytes.as_deref());
    let is_strategy = detail.entry.run.kind == Kind::Run;
    let record = bytes.filter(|_| is_strategy).and_then(|bytes| serde_json::from_slice::<Record>(&bytes).ok());
    Ok(Read { detail, meaning, source: record.and_then(|record| record.strategy.source) })
}

/// The comparison. `chosen` are a measure and a scenario whose seeds are drawn.
pub(crate) fn both(frame: Frame<'_>, a: &Read, b: &Read, chosen: (Option<&str>, Option<&str>)) -> View {
    let refused = |error: CompareError| Problem {
        status: 422,
        title: "They cannot be compared",
        words: format!("{error}; {}", error.hint()),
    };
    same_kind(&a.detail.entry.run, &b.detail.entry.run).map_err(refused)?;
    same_meaning(&a.meaning, &b.meaning).map_err(refused)?;
    let rows = compare(&a.detail, &b.detail, &[]).map_err(refused)?;
    let drawn = drawn(&rows, chosen);
    let changes = a.source.as_deref().zip(b.source.as_deref()).map(|(a, b)| changes(b, a));
    let side = |read: &Read| Side { run: read.detail.entry.run.clone(), has_source: read.source.is_some() };
    let comparison = Comparison { a: side(a), b: side(b), rows: &rows, drawn, changes };
    Ok(page::both(frame, &comparison))
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

/// The lines in which a source differs from another one, with some around them; `None` where they cannot be told.
fn changes(from: &str, to: &str) -> Option<Vec<String>> {
    if from == to {
        return Some(Vec::new());
    }
    let tree = |text: &str| {
        let limits = Limits { bytes_max: SOURCE_BYTES_MAX as u64, inodes_max: 1 };
        let mut tree = Tree::new(limits);
        tree.put(FILE, Content::from(text.as_bytes()), Time(0)).ok()?;
        Some(tree)
    };
    let patch = diff(&tree(from)?, &tree(to)?).ok()?;
    let text = String::from_utf8_lossy(&patch);
    // What comes before the first place is about files; what is no text has no places.
    let lines: Vec<String> = text.lines().skip_while(|line| !line.starts_with("@@")).map(str::to_owned).collect();
    if lines.is_empty() { None } else { Some(lines) }
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
    let filter = Filter {
        kind: first.as_ref().map(|first| first.entry.run.kind),
        scenario: first.as_ref().and_then(|first| first.entry.scenarios.first()).map(|scenario| scenario.name.clone()),
        ..Filter::default()
    };
    let wanted = StorePage { number, size: RUNS_PER_PAGE };
    let (rows, total) = store.list(&filter, wanted, Some(MEASURE)).await.map_err(failed)?;
    let first = first.map(|first| first.entry.run);
    Ok(page::choice(frame, &Choice { first: first.as_ref(), rows: &rows, total, page: number }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_compared_line_by_line() {
        assert_eq!(changes("a\n", "a\n"), Some(Vec::new()));
        let lines = changes("one\ntwo\nthree\n", "one\n2\nthree\n").expect("lines");
        assert_eq!(lines, ["@@ -1,3 +1,3 @@", " one", "-two", "+2", " three"]);
        assert_eq!(changes("a\0", "b\0"), None);
        assert_eq!(changes("a", &"x".repeat(SOURCE_BYTES_MAX + 1)), None);
    }
}
