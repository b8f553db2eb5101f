//! The one user of the query engine, `datafusion`.

use crate::words::{failure, no_table};
use assay_data::{QueryError, RunData, Table};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::{DataFusionError, TableReference};
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::execution::context::SQLOptions;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::object_store::local::LocalFileSystem;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::sql::parser::{DFParser, Statement};
use datafusion::sql::sqlparser::ast;
use futures::StreamExt as _;
use std::sync::Arc;

/// Where the run's folder is, for the engine: a store of its own, so that no path means anything.
const STORE: &str = "run://data/";

/// What the engine's thread sends.
pub(crate) enum Message {
    Schema(SchemaRef),
    Batch(RecordBatch),
    Failed(QueryError),
    Done,
}

/// Answers a query: its schema, then its rows, as long as `send` says that somebody listens.
pub(crate) fn run(
    run: &RunData,
    sql: &str,
    rows: Option<usize>,
    memory_bytes: usize,
    send: &dyn Fn(Message) -> bool,
) -> Result<(), QueryError> {
    let failed = |error: DataFusionError| failure(&error, memory_bytes);
    let statement = only_query(sql, memory_bytes)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .map_err(|error| QueryError::Engine { what: format!("failed to start the query engine: {error}") })?;
    runtime.block_on(async {
        let context = context(run, memory_bytes)?;
        for name in context.state().resolve_table_references(&statement).map_err(failed)? {
            register(&context, run, &name)?;
        }
        let plan = context.state().statement_to_plan(statement).await.map_err(failed)?;
        let reading = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
        reading.verify_plan(&plan).map_err(failed)?;
        let frame = context.execute_logical_plan(plan).await.map_err(failed)?;
        let frame = if rows.is_some() { frame.limit(0, rows).map_err(failed)? } else { frame };
        let mut stream = frame.execute_stream().await.map_err(failed)?;
        if !send(Message::Schema(stream.schema())) {
            return Ok(());
        }
        while let Some(batch) = stream.next().await {
            if !send(Message::Batch(batch.map_err(failed)?)) {
                break;
            }
        }
        Ok(())
    })
}

/// The text as one query, or what else it is.
fn only_query(sql: &str, memory_bytes: usize) -> Result<Statement, QueryError> {
    let mut statements = DFParser::parse_sql(sql).map_err(|error| failure(&error, memory_bytes))?;
    let first_word = sql.split_whitespace().next().unwrap_or_default().to_uppercase();
    match (statements.pop_front(), statements.len()) {
        (Some(Statement::Statement(statement)), 0) if matches!(*statement, ast::Statement::Query(_)) => {
            Ok(Statement::Statement(statement))
        }
        (None, _) => Err(QueryError::Sql {
            what: "the SQL contains no query".to_owned(),
            at: None,
            hint: Some("omit the SQL to list the tables".to_owned()),
        }),
        (Some(_), 0) => Err(QueryError::NoQuery { what: first_word }),
        (Some(_), more) => Err(QueryError::Sql {
            what: format!("the SQL has {} statements", more + 1),
            at: None,
            hint: Some("run one statement at a time".to_owned()),
        }),
    }
}

/// An engine that knows functions and nothing to apply them to.
fn context(run: &RunData, memory_bytes: usize) -> Result<SessionContext, QueryError> {
    let broken = |what: String| QueryError::Engine { what };
    // One partition: rows come in the order of the files, and sums of floats are the same each time.
    let mut config = SessionConfig::new().with_target_partitions(1);
    config.options_mut().sql_parser.collect_spans = true;
    let environment = RuntimeEnvBuilder::new()
        .with_memory_limit(memory_bytes, 1.0)
        .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled))
        .build_arc()
        .map_err(|error| broken(error.to_string()))?;
    let builder = SessionStateBuilder::new().with_config(config).with_runtime_env(environment);
    let context = SessionContext::new_with_state(builder.with_default_features().build());
    let functions: Vec<String> = context.state().table_functions().keys().cloned().collect();
    for function in functions {
        context.deregister_udtf(&function);
    }
    let store = LocalFileSystem::new_with_prefix(run.folder()).map_err(|error| broken(error.to_string()))?;
    let url = ObjectStoreUrl::parse(STORE).map_err(|error| broken(error.to_string()))?;
    context.register_object_store(url.as_ref(), Arc::new(store));
    Ok(context)
}

/// Makes a table known that the query names, once its file has been looked at.
fn register(context: &SessionContext, run: &RunData, name: &TableReference) -> Result<(), QueryError> {
    let table = match name {
        TableReference::Bare { table } => Table::named(table),
        _ => None,
    };
    let present = || run.tables().map(|(table, _)| table);
    let Some(table) = table.filter(|table| present().any(|other| other.name == table.name)) else {
        return Err(no_table(&name.to_string(), present()));
    };
    let path = run.checked(table)?;
    // What the file says: a later minor version may have more columns.
    // Its metadata is left out: it names the table, so that a join could not be turned round.
    let schema = Arc::new(Schema::new(assay_data::columns(&path)?));
    let broken = |error: DataFusionError| QueryError::Engine { what: error.to_string() };
    let url = ListingTableUrl::parse(format!("{STORE}{}", table.file_name())).map_err(broken)?;
    let options = ListingOptions::new(Arc::new(ParquetFormat::default()));
    let config = ListingTableConfig::new(url).with_listing_options(options).with_schema(schema);
    let provider = ListingTable::try_new(config).map_err(broken)?;
    context.register_table(table.name, Arc::new(provider)).map_err(broken)?;
    Ok(())
}
