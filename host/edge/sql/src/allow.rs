//! What a guest's statements may do: everything within one image, and nothing that outlives a call without being in it.

use crate::call::{self, Access, Call};
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

/// Pragmas that only tell, and may have an argument.
const TELL: &[&str] = &[
    "foreign_key_check",
    "foreign_key_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "quick_check",
    "table_info",
    "table_list",
    "table_xinfo",
];
/// Pragmas that tell without an argument, and would set something with one.
const TELL_ALONE: &[&str] = &[
    "collation_list",
    "compile_options",
    "database_list",
    "encoding",
    "foreign_keys",
    "freelist_count",
    "function_list",
    "page_count",
    "page_size",
    "recursive_triggers",
    "schema_version",
];
/// Pragmas whose value is in the image.
const KEPT: &[&str] = &["application_id", "user_version"];
/// Functions that reach out of the image.
const FORBIDDEN_FUNCTIONS: &[&str] = &["load_extension", "fts3_tokenizer", "sqlite_log"];

/// SQLite asks this for each thing that a statement would do, when it compiles it.
pub(crate) fn authorize(context: AuthContext<'_>) -> Authorization {
    let answer = call::with(|call| {
        let refusal = match call.access {
            Access::Own => None,
            Access::Write | Access::Read => refuse(&context),
            Access::Step => refuse(&context).or_else(|| refuse_unseen(&context, call.defines)),
        };
        note(call, &context);
        match refusal {
            None => true,
            Some(reason) => {
                call.refused.get_or_insert(reason);
                false
            }
        }
    });
    // Outside of calls only connections are opened, by this crate.
    if answer == Some(false) { Authorization::Deny } else { Authorization::Allow }
}

/// Remembers what the statement is about.
fn note(call: &mut Call, context: &AuthContext<'_>) {
    call.writes |= is_write(&context.action);
    call.defines |= is_definition(&context.action);
    match context.action {
        AuthAction::Insert { table_name }
        | AuthAction::Delete { table_name }
        | AuthAction::Update { table_name, .. }
            if context.accessor.is_none() && !is_internal(table_name) =>
        {
            call.target.get_or_insert_with(|| table_name.to_owned());
        }
        _ => {}
    }
}

/// Whether a statement that does this changes the image.
fn is_write(action: &AuthAction<'_>) -> bool {
    let is_change = matches!(
        action,
        AuthAction::Insert { .. } | AuthAction::Delete { .. } | AuthAction::Update { .. } | AuthAction::Reindex { .. }
    );
    is_change || is_definition(action)
}

/// Whether it changes what there is to have content.
fn is_definition(action: &AuthAction<'_>) -> bool {
    matches!(
        action,
        AuthAction::CreateIndex { .. }
            | AuthAction::CreateTable { .. }
            | AuthAction::CreateTrigger { .. }
            | AuthAction::CreateView { .. }
            | AuthAction::DropIndex { .. }
            | AuthAction::DropTable { .. }
            | AuthAction::DropTrigger { .. }
            | AuthAction::DropView { .. }
            | AuthAction::AlterTable { .. }
            | AuthAction::Analyze { .. }
    )
}

/// Why an action is refused that would change what nobody compares. SQLite's own statements keep its tables in order where something is defined or dropped.
fn refuse_unseen(context: &AuthContext<'_>, defines: bool) -> Option<String> {
    match context.action {
        AuthAction::Analyze { .. } => {
            Some("ANALYZE is off here: what it stores is in no table that is compared".to_owned())
        }
        AuthAction::Pragma { pragma_name, pragma_value: Some(_) }
            if KEPT.iter().any(|name| pragma_name.eq_ignore_ascii_case(name)) =>
        {
            Some(format!("PRAGMA {pragma_name} cannot be set here: what it keeps is no content"))
        }
        AuthAction::Delete { table_name } | AuthAction::Update { table_name, .. }
            if is_internal(table_name) && !is_schema(table_name) && !defines =>
        {
            Some(format!("{table_name} is SQLite's own"))
        }
        _ => None,
    }
}

fn is_internal(table: &str) -> bool {
    table.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("sqlite_"))
}

/// Why an action is refused.
fn refuse(context: &AuthContext<'_>) -> Option<String> {
    match context.action {
        AuthAction::Attach { .. } | AuthAction::Detach { .. } => {
            Some("a database consists of one image: ATTACH, DETACH and VACUUM are off".to_owned())
        }
        AuthAction::CreateVtable { .. } | AuthAction::DropVtable { .. } => Some("virtual tables are off".to_owned()),
        AuthAction::CreateTempIndex { .. }
        | AuthAction::CreateTempTable { .. }
        | AuthAction::CreateTempTrigger { .. }
        | AuthAction::CreateTempView { .. }
        | AuthAction::DropTempIndex { .. }
        | AuthAction::DropTempTable { .. }
        | AuthAction::DropTempTrigger { .. }
        | AuthAction::DropTempView { .. } => {
            Some("temporary tables, views and triggers are off: nothing outlives a call but the image".to_owned())
        }
        AuthAction::Function { function_name } => FORBIDDEN_FUNCTIONS
            .iter()
            .any(|name| function_name.eq_ignore_ascii_case(name))
            .then(|| format!("the function {function_name} is off")),
        AuthAction::Pragma { pragma_name, pragma_value } => refuse_pragma(pragma_name, pragma_value),
        // Statements of SQLite's own that change these name no other columns, and insert without asking.
        AuthAction::Insert { table_name } if is_internal(table_name) && !is_schema(table_name) => {
            Some(format!("{table_name} is SQLite's own"))
        }
        AuthAction::Update { table_name, column_name }
            if is_internal(table_name) && !is_schema(table_name) && column_name.eq_ignore_ascii_case("rowid") =>
        {
            Some(format!("{table_name} is SQLite's own"))
        }
        AuthAction::Read { table_name, .. } if table_name.eq_ignore_ascii_case("dbstat") => {
            Some("the table dbstat is off".to_owned())
        }
        AuthAction::Unknown { code, .. } => Some(format!("action {code} is off")),
        _ => None,
    }
}

/// SQLite itself keeps statements from changing these.
fn is_schema(table: &str) -> bool {
    ["sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"]
        .iter()
        .any(|name| table.eq_ignore_ascii_case(name))
}

fn refuse_pragma(name: &str, value: Option<&str>) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let lower = lower.as_str();
    let is_allowed = TELL.contains(&lower)
        || KEPT.contains(&lower)
        || (TELL_ALONE.contains(&lower) && value.is_none())
        // Scripts switch on what is on already.
        || (lower == "foreign_keys" && value.is_some_and(|v| ["on", "1", "true", "yes"].contains(&v.to_ascii_lowercase().as_str())));
    (!is_allowed).then(|| format!("PRAGMA {name} is off, or cannot be set"))
}
