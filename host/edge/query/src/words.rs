//! What is wrong with a query, in the asker's terms: the engine's errors translated.

use assay_data::{QueryError, Spot, TABLES, Table};
use datafusion::common::{DataFusionError, Diagnostic, SchemaError};

/// The failure of a query that names a table the run does not have.
pub(crate) fn no_table(name: &str, tables: impl Iterator<Item = &'static Table>) -> QueryError {
    let tables: Vec<_> = tables.collect();
    let list = tables.iter().map(|table| table.name).collect::<Vec<_>>().join(", ");
    let hint = match nearest(name, tables.iter().map(|table| table.name)) {
        Some(nearest) => format!("did you mean `{nearest}`? The tables are {list}"),
        None => format!("the tables are {list}"),
    };
    QueryError::NoTable { name: name.to_owned(), hint }
}

/// From the engine's words, before the first row or later.
pub(crate) fn failure(error: &DataFusionError, limit_bytes: usize) -> QueryError {
    let at = error.diagnostic().and_then(spot);
    match error.find_root() {
        DataFusionError::ResourcesExhausted(_) => QueryError::TooLarge { limit_bytes },
        DataFusionError::SQL(error, _) => {
            let (what, at) = split_place(&error.to_string());
            QueryError::Sql { what: format!("the SQL cannot be read: {what}"), at, hint: None }
        }
        DataFusionError::SchemaError(error, _) => schema_error(error, at),
        DataFusionError::Plan(what) | DataFusionError::NotImplemented(what) => {
            let what = what.lines().next().unwrap_or_default().to_owned();
            let hint = error.to_string().lines().nth(1).map(str::to_owned).filter(|hint| !hint.is_empty());
            QueryError::Sql { what: lower_first(&what), at, hint }
        }
        DataFusionError::ParquetError(_) | DataFusionError::ObjectStore(_) | DataFusionError::IoError(_) => {
            QueryError::Failed { what: format!("a file of the run is damaged: {}", error.find_root()) }
        }
        DataFusionError::ExecutionJoin(_) => {
            QueryError::Failed { what: "the engine panicked, possibly because of damaged data".to_owned() }
        }
        DataFusionError::Internal(_) => QueryError::Engine { what: first_line(error) },
        other => QueryError::Failed { what: first_line(other) },
    }
}

fn first_line(error: &DataFusionError) -> String {
    error.strip_backtrace().lines().next().unwrap_or_default().to_owned()
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

fn spot(diagnostic: &Diagnostic) -> Option<Spot> {
    let start = diagnostic.span?.start;
    Some(Spot { line: start.line, column: start.column })
}

/// The parser says where in its message.
fn split_place(message: &str) -> (String, Option<Spot>) {
    let message = message.trim_start_matches("sql parser error: ");
    let found = message.rsplit_once(" at Line: ").and_then(|(what, place)| {
        let (line, column) = place.split_once(", Column: ")?;
        Some((what.to_owned(), Some(Spot { line: line.parse().ok()?, column: column.trim().parse().ok()? })))
    });
    found.unwrap_or_else(|| (message.to_owned(), None))
}

fn schema_error(error: &SchemaError, at: Option<Spot>) -> QueryError {
    match error {
        SchemaError::FieldNotFound { field, valid_fields } => {
            let known: Vec<&str> = valid_fields.iter().map(|field| field.name.as_str()).collect();
            let elsewhere: Vec<&str> = TABLES
                .iter()
                .filter(|table| table.columns.iter().any(|column| column.name == field.name))
                .map(|table| table.name)
                .collect();
            let hint = match nearest(&field.name, known.iter().copied()) {
                Some(nearest) => format!("did you mean `{nearest}`? There are {}", known.join(", ")),
                None if !elsewhere.is_empty() => format!("it is in {}", elsewhere.join(", ")),
                None => format!("there are {}", known.join(", ")),
            };
            QueryError::Sql { what: format!("there is no column `{}`", field.flat_name()), at, hint: Some(hint) }
        }
        SchemaError::AmbiguousReference { field } => QueryError::Sql {
            what: format!("`{}` may be a column of several tables", field.name),
            at,
            hint: Some("prefix it with the table name, as in `trades.price`".to_owned()),
        },
        other => QueryError::Sql { what: lower_first(&other.to_string()), at, hint: None },
    }
}

/// The word most like `name`, if one is like it.
fn nearest<'w>(name: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    const LIKE: f64 = 0.75;
    let name = name.to_lowercase();
    words
        .map(|word| (strsim::jaro_winkler(&name, word), word))
        .filter(|(likeness, _)| *likeness >= LIKE)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, word)| word)
}
