//! The data of a run as a model queries it: `assay query`, with its limits, and an answer that is bounded.

use assay_data::{Format, QueryLimits, Question, RunData};
use assay_refine::explain::{Query, ROWS_MAX};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of an answer that are read; less of it is shown.
const ANSWER_BYTES_MAX: u64 = 64 << 10;
/// What a query may take: a model asks for little.
const SECONDS_MAX: u64 = 10;

/// Data that was kept beside a record.
pub(super) struct Kept {
    folder: PathBuf,
    data: RunData,
}

impl Kept {
    /// That of the run with this record; `None` if there is none that can be read.
    pub(super) fn find(record: &Path) -> Option<Self> {
        let folder = record.parent()?.to_owned();
        // `run.json` alone has the current folder as its parent.
        let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
        RunData::open(&folder).ok().map(|data| Self { folder, data })
    }
}

impl Query for Kept {
    fn tables(&self) -> String {
        let line = |(table, _): (&assay_data::Table, u64)| {
            let columns: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
            format!("{}: {}\n", table.name, columns.join(", "))
        };
        self.data.tables().map(line).collect()
    }

    fn query(&self, sql: &str) -> Result<String, String> {
        let question = Question {
            run: self.folder.clone(),
            sql: sql.to_owned(),
            rows: Some(ROWS_MAX),
            format: Format::Csv,
            limits: QueryLimits { time: Duration::from_secs(SECONDS_MAX), ..QueryLimits::default() },
        };
        crate::query::engine::answer(&question, ANSWER_BYTES_MAX).map_err(|failure| failure.message)
    }
}
