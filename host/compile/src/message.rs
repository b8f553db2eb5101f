//! What the compiler says about a source, read from its JSON lines.

use crate::hint::hint;
use serde::{Deserialize, Serialize};

/// Messages kept in a brief form: a model mends the first few and compiles again.
pub const MESSAGES_MAX: usize = 8;
/// Characters of one text in a brief form.
pub const MESSAGE_CHARS_MAX: usize = 800;
/// Messages kept of one compilation; the compiler can be made to print thousands.
const KEPT_MAX: usize = 200;
/// Macro expansions followed outwards to reach the user's own line.
const EXPANSIONS_MAX: usize = 64;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// It does not compile.
    Error,
    /// It compiles, but.
    Warning,
}

/// A position in a source file, both numbers from 1, the column in characters.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The user's file name, or the path inside a crate.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

/// One error or warning of the compiler.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CompileMessage {
    /// Error or warning.
    pub level: Level,
    /// The compiler's code, as in `E0308`, or a lint's name.
    pub code: Option<String>,
    /// One sentence.
    pub message: String,
    /// Where, if it is about a place.
    pub place: Option<Place>,
    /// The whole message as the compiler draws it, with the source lines.
    pub rendered: String,
    /// How to mend it, if we or the compiler know.
    pub help: Option<String>,
}

/// The same for a model: errors only where there are any, at most [`MESSAGES_MAX`], each text at most [`MESSAGE_CHARS_MAX`] long.
#[must_use]
pub fn brief(messages: &[CompileMessage]) -> Vec<CompileMessage> {
    let worst = messages.iter().map(|message| message.level).min();
    let chosen = messages.iter().filter(|message| Some(message.level) == worst).take(MESSAGES_MAX);
    chosen
        .map(|message| CompileMessage {
            message: shorten(&message.message),
            rendered: shorten(&message.rendered),
            help: message.help.as_deref().map(shorten),
            ..message.clone()
        })
        .collect()
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(MESSAGE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The part of rustc's JSON that is used.
#[derive(Deserialize)]
pub(crate) struct Diagnostic {
    message: String,
    code: Option<DiagnosticCode>,
    level: String,
    spans: Vec<Span>,
    children: Vec<Child>,
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct DiagnosticCode {
    code: String,
}

#[derive(Deserialize)]
struct Child {
    message: String,
    level: String,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: u32,
    column_start: u32,
    is_primary: bool,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

/// Reads one diagnostic per line, errors first. Lines that are none are passed over: the last may be cut.
pub(crate) fn parse(output: &[u8], is_own_file: impl Fn(&str) -> bool) -> Vec<CompileMessage> {
    let lines = output.split(|byte| *byte == b'\n');
    collect(lines.filter_map(|line| serde_json::from_slice(line).ok()), is_own_file)
}

/// Turns diagnostics into messages, errors first.
pub(crate) fn collect(
    diagnostics: impl Iterator<Item = Diagnostic>,
    is_own_file: impl Fn(&str) -> bool,
) -> Vec<CompileMessage> {
    let mut messages: Vec<_> =
        diagnostics.filter_map(|diagnostic| convert(diagnostic, &is_own_file)).take(KEPT_MAX).collect();
    messages.sort_by_key(|message| message.level);
    messages
}

fn convert(diagnostic: Diagnostic, is_own_file: impl Fn(&str) -> bool) -> Option<CompileMessage> {
    let level = match diagnostic.level.as_str() {
        "warning" => Level::Warning,
        level if level.starts_with("error") => Level::Error,
        _ => return None,
    };
    // Summaries ("aborting due to 2 previous errors", "1 warning emitted") have neither a place nor a code.
    let is_summary = diagnostic.message.starts_with("aborting due to") || diagnostic.message.ends_with("emitted");
    if diagnostic.spans.is_empty() && is_summary {
        return None;
    }
    let rendered = diagnostic.rendered.unwrap_or_else(|| diagnostic.message.clone());
    let own = diagnostic.code.as_ref().and_then(|code| hint(&code.code, &rendered));
    let compilers =
        diagnostic.children.iter().filter(|child| child.level == "help").map(|child| child.message.as_str());
    let help: Vec<_> = own.into_iter().chain(compilers).collect();
    Some(CompileMessage {
        level,
        code: diagnostic.code.map(|code| code.code),
        place: diagnostic.spans.iter().find(|span| span.is_primary).map(|span| place(span, is_own_file)),
        rendered,
        help: if help.is_empty() { None } else { Some(help.join("; ")) },
        message: diagnostic.message,
    })
}

/// The span itself, or the innermost place in the user's own files that expands to it.
fn place(primary: &Span, is_own_file: impl Fn(&str) -> bool) -> Place {
    let outwards =
        std::iter::successors(Some(primary), |span| span.expansion.as_ref().map(|expansion| &expansion.span));
    let span = outwards.take(EXPANSIONS_MAX).find(|span| is_own_file(&span.file_name)).unwrap_or(primary);
    Place { file: span.file_name.clone(), line: span.line_start, column: span.column_start }
}
