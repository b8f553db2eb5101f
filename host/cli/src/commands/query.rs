//! `assay query`.

use crate::args::{AnswerFormat, QueryArgs};
use assay_commands::query::{self, Format, QuerySettings};
use assay_commands::{Ending, Failure};

pub(super) fn run(args: &QueryArgs) -> Result<Ending, Failure> {
    let QueryArgs { run, sql, format, limit, timeout } = args;
    let format = match format {
        AnswerFormat::Table => Format::Table,
        AnswerFormat::Csv => Format::Csv,
        AnswerFormat::Json => Format::Json,
        AnswerFormat::Arrow => Format::Arrow,
    };
    query::run(&QuerySettings { run: run.clone(), sql: sql.clone(), format, limit: *limit, timeout: timeout.clone() })
}
