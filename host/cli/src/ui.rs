//! The only place that prints.
//!
//! Results go to standard output, everything about the work to standard error, so that output can be piped. Colours are dropped
//! where they are not wanted. A reader that goes away early (`| head`) is not an error.

use crate::exit::Failure;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

const RED: &str = "\x1b[1;31m";
const CYAN: &str = "\x1b[1;36m";
const YELLOW: &str = "\x1b[33m";
const GREEN: &str = "\x1b[32m";
const DIM: &str = "\x1b[2m";
const RESET: &str = "\x1b[0m";

/// What a line begins with that the runner of a CI service takes for an order.
const COMMANDS: [&str; 2] = ["::", "##["];

/// Set once a result could not be written although somebody is reading: a full disk, say.
static LOST: AtomicBool = AtomicBool::new(false);

/// Prints a result.
pub(crate) fn out(text: &str) {
    let mut stdout = anstream::stdout();
    if let Err(error) = writeln!(stdout, "{text}").and_then(|()| stdout.flush())
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        LOST.store(true, Ordering::Relaxed);
    }
}

/// Where results go that are written piece by piece, bytes and all.
pub(crate) fn pieces() -> impl std::io::Write {
    std::io::BufWriter::new(std::io::stdout().lock())
}

/// Whether part of the results was lost on the way out.
pub(crate) fn lost_output() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Prints a word about the work in progress.
pub(crate) fn note(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Prints one finished step, aligned.
pub(crate) fn step(verb: &str, text: &str) {
    note(&format!("{GREEN}{verb:>10}{RESET} {}", margined(text)));
}

/// Prints a warning.
pub(crate) fn warn(text: &str) {
    note(&format!("\x1b[1;33mwarning{RESET}: {}", margined(text)));
}

/// Prints why a command ended early.
pub(crate) fn fail(failure: &Failure) {
    note(&format!("{RED}error{RESET}: {}", margined(&failure.message)));
    if let Some(text) = &failure.hint {
        hint(text);
    }
}

/// Prints what to do about the error or warning before it.
pub(crate) fn hint(text: &str) {
    note(&format!(" {CYAN}hint{RESET}: {}", margined(text)));
}

/// Dim text for asides.
pub(crate) fn dim(text: &str) -> String {
    format!("{DIM}{text}{RESET}")
}

/// A word that is good news.
pub(crate) fn good(text: &str) -> String {
    format!("{GREEN}{text}{RESET}")
}

/// A word that asks for a second look.
pub(crate) fn doubtful(text: &str) -> String {
    format!("{YELLOW}{text}{RESET}")
}

/// A word that is bad news.
pub(crate) fn bad(text: &str) -> String {
    format!("{RED}{text}{RESET}")
}

/// Whether standard error is a terminal, where progress may be drawn.
pub(crate) fn is_interactive() -> bool {
    use std::io::IsTerminal as _;
    std::io::stderr().is_terminal()
}

/// Whether results may be coloured.
pub(crate) fn wants_colour() -> bool {
    anstream::stdout().current_choice() != anstream::ColorChoice::Never
}

/// Columns of the terminal, within reason.
pub(crate) fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|text| text.parse::<usize>().ok());
    columns.unwrap_or(100).clamp(60, 160)
}

/// Text from outside on one line: control characters, line ends and tabs among them, and those that hide or reorder text are made visible, so that it can
/// neither drive the terminal, nor fool the reader, nor pass for a line of ours.
pub(crate) fn visible(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' => "\\n".chars().collect(),
        '\t' => "\\t".chars().collect(),
        c if c.is_control() || assay_validator::is_hidden(c) => c.escape_unicode().collect(),
        c => vec![c],
    };
    text.chars().flat_map(shown).collect()
}

/// The same for text that has lines: they and tabs stay. A line that whoever reads our output may obey, as GitHub does with those that begin with `::`, gets a
/// mark in front.
pub(crate) fn lines(text: &str) -> String {
    let is_command = |line: &str| COMMANDS.iter().any(|start| line.trim_start().starts_with(start));
    let shown = |line: &str| {
        let line = line.split('\t').map(visible).collect::<Vec<_>>().join("\t");
        if is_command(&line) { format!("| {line}") } else { line }
    };
    text.split('\n').map(shown).collect::<Vec<_>>().join("\n")
}

/// The same with a margin at every line but the first, so that none of them passes for another message.
pub(crate) fn margined(text: &str) -> String {
    lines(text).trim_end().replace('\n', "\n  | ")
}

/// A table with right-aligned columns after the first.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    left_table(header, rows, 1)
}

/// A table whose first columns are aligned to the left, the rest to the right.
pub(crate) fn left_table(header: &[&str], rows: &[Vec<String>], left: usize) -> String {
    let width = |column: usize| {
        rows.iter().map(|row| shown_chars(&row[column])).chain([shown_chars(header[column])]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: &[&str]| {
        let mut text = String::new();
        for (column, cell) in cells.iter().enumerate() {
            let pad = " ".repeat(widths[column] - shown_chars(cell));
            let gap = if column == 0 { "" } else { "  " };
            if column < left {
                text.push_str(&format!("{gap}{cell}{pad}"));
            } else {
                text.push_str(&format!("{gap}{pad}{cell}"));
            }
        }
        text.trim_end().to_owned()
    };
    let rule = dim(&"─".repeat(widths.iter().sum::<usize>() + 2 * (widths.len() - 1)));
    let mut lines = vec![line(header), rule];
    lines.extend(rows.iter().map(|row| line(&row.iter().map(String::as_str).collect::<Vec<_>>())));
    lines.join("\n")
}

/// Characters of a cell on the screen: colours take none.
fn shown_chars(cell: &str) -> usize {
    let escapes: usize =
        [RED, GREEN, YELLOW, RESET].iter().map(|escape| cell.matches(escape).count() * escape.len()).sum();
    cell.chars().count() - escapes
}
