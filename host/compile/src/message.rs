//! What the compiler says about a source, read from its JSON lines.

use crate::hint::hint;
use assay_jail::{Captured, Ended};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

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
pub(crate) struct Diagnostic<'a> {
    message: String,
    code: Option<DiagnosticCode>,
    level: String,
    #[serde(borrow)]
    spans: Vec<Span<'a>>,
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

#[derive(Clone, Deserialize)]
struct Span<'a> {
    file_name: String,
    line_start: u32,
    column_start: u32,
    is_primary: bool,
    /// Read only where it is followed: expansions lie in each other, deeper than the parser goes.
    #[serde(borrow)]
    expansion: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Expansion<'a> {
    #[serde(borrow)]
    span: Span<'a>,
}

/// Reads one diagnostic per line of what a compiler said before it ended so, errors first. Lines that are none are passed over.
pub(crate) fn parse(said: &Captured, ended: Ended, is_own_file: impl Fn(&str) -> bool) -> Vec<CompileMessage> {
    let lines = said.bytes.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"{"));
    collect(lines.map(|line| serde_json::from_slice(line).ok()), said, ended, is_own_file)
}

/// Turns the diagnostics of what was said into messages, errors first. `None` is one that cannot be read. It counts all the same:
/// otherwise an author could hide an error or a warning by making it long.
pub(crate) fn collect<'a>(
    diagnostics: impl Iterator<Item = Option<Diagnostic<'a>>>,
    said: &Captured,
    ended: Ended,
    is_own_file: impl Fn(&str) -> bool,
) -> Vec<CompileMessage> {
    let mut messages: Vec<CompileMessage> = Vec::new();
    let mut unread = 0;
    for diagnostic in diagnostics {
        match diagnostic {
            Some(diagnostic) => messages.extend(convert(diagnostic, &is_own_file)),
            None => unread += 1,
        }
    }
    if unread > 0 || said.dropped_bytes > 0 {
        messages.insert(0, not_shown(unread, said, ended));
    }
    // Sorted before any are left out: warnings, however many, hide no error.
    messages.sort_by_key(|message| message.level);
    messages.truncate(KEPT_MAX);
    messages
}

/// Stands for the diagnostics that cannot be read. It comes first, so that a brief form has it. One of a compiler that went on was a warning; of
/// one that did not, the error may be among them.
fn not_shown(unread: usize, said: &Captured, ended: Ended) -> CompileMessage {
    let (level, word) = match ended {
        Ended::Exited(0) => (Level::Warning, "warning"),
        _ => (Level::Error, "error"),
    };
    let message = if said.dropped_bytes > 0 {
        // The cut may lie between two lines.
        let (mib, least) = (said.bytes.len() >> 20, unread.max(1));
        format!("the compiler's messages are longer than {mib} MiB: at least {least} of them cannot be shown")
    } else {
        format!("the compiler's messages cannot all be read: {unread} of them cannot be shown")
    };
    let help = "shorten long lines and texts of the source, and mend what else is reported".to_owned();
    let rendered = format!("{word}: {message}\n  = help: {help}\n");
    CompileMessage { level, code: None, message, place: None, rendered, help: Some(help) }
}

fn convert(diagnostic: Diagnostic<'_>, is_own_file: impl Fn(&str) -> bool) -> Option<CompileMessage> {
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
fn place(primary: &Span<'_>, is_own_file: impl Fn(&str) -> bool) -> Place {
    let outwards = std::iter::successors(Some(primary.clone()), |span| {
        let expansion: Expansion<'_> = serde_json::from_str(span.expansion?.get()).ok()?;
        Some(expansion.span)
    });
    let own = outwards.take(EXPANSIONS_MAX).find(|span| is_own_file(&span.file_name));
    let span = own.unwrap_or_else(|| primary.clone());
    Place { file: span.file_name, line: span.line_start, column: span.column_start }
}
