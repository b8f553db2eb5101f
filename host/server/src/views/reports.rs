//! Runs with their reports: those of the store, and those in folders.
//!
//! Invariant: a page without a report is better than none; figures of a record are computed again before they are shown.

use super::{Problem, View, edit, is_of_markets, markets_from, recorded};
use crate::id::{FolderId, ItemId};
use crate::library::{Library, What};
use crate::pages::{Frame, runs};
use crate::place::Place;
use crate::tables;
use assay_evaluate::{MarketRecord, RunRecord};
use assay_report::{Manner, Window};
use assay_store::{Kind, RunDetail};

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
fn report_body(frame: Frame<'_>, record: &RunRecord, place: &Place, window: Option<Window>) -> String {
    let notice = runs::doubted(frame, &record.checked()).into_string();
    if !frame.is_served() {
        let mut record = record.clone();
        record.command = frame.told(&record.command).into_owned();
        return notice + &assay_report::body(&record);
    }
    notice + &assay_report::body_served(record, Manner { window, address: Some(&frame.links.to(place)) })
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
