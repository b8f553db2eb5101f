//! Text for people: colours as escapes, which a face drops where they are not wanted; text from outside that cannot drive a terminal; tables.

const RED: &str = "\x1b[1;31m";
const YELLOW: &str = "\x1b[33m";
const GREEN: &str = "\x1b[32m";
const DIM: &str = "\x1b[2m";
const RESET: &str = "\x1b[0m";

/// What a line begins with that the runner of a CI service takes for an order.
const COMMANDS: [&str; 2] = ["::", "##["];

/// Dim text for asides.
#[must_use]
pub fn dim(text: &str) -> String {
    format!("{DIM}{text}{RESET}")
}

/// A word that is good news.
#[must_use]
pub fn good(text: &str) -> String {
    format!("{GREEN}{text}{RESET}")
}

/// A word that asks for a second look.
#[must_use]
pub fn doubtful(text: &str) -> String {
    format!("{YELLOW}{text}{RESET}")
}

/// A word that is bad news.
#[must_use]
pub fn bad(text: &str) -> String {
    format!("{RED}{text}{RESET}")
}

/// Text from outside on one line: control characters, line ends and tabs among them, and those that hide or reorder text are made visible, so that it can
/// neither drive the terminal, nor fool the reader, nor pass for a line of ours.
#[must_use]
pub fn visible(text: &str) -> String {
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
#[must_use]
pub fn lines(text: &str) -> String {
    let is_command = |line: &str| COMMANDS.iter().any(|start| line.trim_start().starts_with(start));
    let shown = |line: &str| {
        let line = line.split('\t').map(visible).collect::<Vec<_>>().join("\t");
        if is_command(&line) { format!("| {line}") } else { line }
    };
    text.split('\n').map(shown).collect::<Vec<_>>().join("\n")
}

/// The same with a margin at every line but the first, so that none of them passes for another message.
#[must_use]
pub fn margined(text: &str) -> String {
    lines(text).trim_end().replace('\n', "\n  | ")
}

/// A table with right-aligned columns after the first.
#[must_use]
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    left_table(header, rows, 1)
}

/// A table whose first columns are aligned to the left, the rest to the right.
#[must_use]
pub fn left_table(header: &[&str], rows: &[Vec<String>], left: usize) -> String {
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
