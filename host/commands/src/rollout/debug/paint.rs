//! Records in colour. Colours are dropped where they are not wanted; text from outside is made visible first.

use super::is_shown;
use crate::face;
use assay_trace::{CodeCell, EventKind, Message, ModelCall, Part, Record, Role};

const BOLD: &str = "\x1b[1m";
const CYAN: &str = "\x1b[1;36m";
const YELLOW: &str = "\x1b[1;33m";
const MAGENTA: &str = "\x1b[1;35m";
const GREEN: &str = "\x1b[32m";
const BLUE: &str = "\x1b[34m";
const RED: &str = "\x1b[31m";
const RESET: &str = "\x1b[0m";

/// Lines of one text that are shown.
const LINES_MAX: usize = 120;
/// Digits of a hash that tell states apart.
const HASH_DIGITS: usize = 12;

const KEYWORDS: &[&str] = &[
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
    "False", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "None", "nonlocal", "not", "or",
    "pass", "raise", "return", "True", "try", "while", "with", "yield",
];

/// A heading.
pub(super) fn title(text: &str) -> String {
    format!("{BOLD}{text}{RESET}")
}

/// A record as text, if it is worth showing.
pub(super) fn record(record: &Record) -> Option<String> {
    match record {
        Record::Message(message) => Some(self::message(message)),
        Record::Event(event) if is_shown(&event.kind) => self::event(&event.kind),
        Record::Event(_) => None,
        Record::Verdict(verdict) => {
            let value = verdict.score().value();
            Some(format!(
                "\n{} {}: {}",
                title("verdict"),
                face::visible(&value.to_string()),
                face::visible(verdict.reason())
            ))
        }
    }
}

fn message(message: &Message) -> String {
    let (colour, name) = match message.role() {
        Role::System => (YELLOW, "system"),
        Role::User => (CYAN, "user"),
        Role::Assistant => (MAGENTA, "assistant"),
        Role::Tool => (CYAN, "tool"),
    };
    let mut text = format!("\n{colour}── {name}{RESET}");
    for part in message.parts() {
        match part {
            Part::Text { text: said } => text.push_str(&format!("\n{}", prose(&cut(said)))),
            Part::Reasoning { text: thought, .. } => text.push_str(&format!("\n{}", face::dim(&cut(thought)))),
            Part::RedactedReasoning { .. } => {
                text.push_str(&format!("\n{}", face::dim("(reasoning that the provider hides)")));
            }
            Part::Image { .. } => text.push_str(&format!("\n{}", face::dim("(an image)"))),
        }
    }
    text
}

fn event(kind: &EventKind) -> Option<String> {
    match kind {
        EventKind::ModelCall(ModelCall { usage, cost_microdollars, latency, error, .. }) => {
            let used = usage.map_or_else(
                || "tokens unknown".to_owned(),
                |usage| format!("{} tokens in, {} out", usage.input_total(), usage.output),
            );
            let cost = cost_microdollars.map_or_else(|| "cost unknown".to_owned(), super::words::dollars);
            let error = error.as_ref().map_or_else(String::new, |error| format!("; {}", face::visible(error)));
            Some(face::dim(&format!("{used}, {cost}, {:.1} s{error}", latency.0 as f64 / 1e9)))
        }
        EventKind::CodeCell(cell) => Some(self::cell(cell)),
        EventKind::State(state) => {
            let root = state.root().to_string();
            Some(face::dim(&format!("state {}", &root[..HASH_DIGITS])))
        }
        EventKind::Flag(flag) => {
            Some(format!("{YELLOW}flag {}{RESET}: {}", face::visible(&flag.name), face::visible(&flag.detail)))
        }
        EventKind::LimitReached(limit) => {
            Some(format!("{YELLOW}limit{RESET} {:?}: {} of {}", limit.limit, limit.used, limit.allowed))
        }
        EventKind::ToolRun(run) => {
            let error = run.error.as_ref().map_or_else(String::new, |error| format!(": {}", face::visible(error)));
            Some(face::dim(&format!("{} in {:.1} s{error}", face::visible(&run.tool), run.latency.0 as f64 / 1e9)))
        }
        EventKind::SubAgent(agent) => Some(face::dim(&format!("sub-agent {}", agent.trajectory_id))),
        EventKind::World(_) | EventKind::Other(_) => None,
    }
}

fn cell(cell: &CodeCell) -> String {
    let mut text = format!("{BLUE}── code{RESET}\n{}", python(&cut(&cell.source)));
    for (name, output, colour) in [("output", &cell.stdout, GREEN), ("errors", &cell.stderr, RED)] {
        if !output.is_empty() {
            text.push_str(&format!("\n{colour}── {name}{RESET}\n{}", cut(output)));
        }
    }
    if let Some(error) = &cell.error {
        text.push_str(&format!("\n{RED}── ended by{RESET} {}", cut(error)));
    }
    if cell.dropped_bytes > 0 {
        text.push_str(&format!("\n{}", face::dim(&format!("{} bytes of output were not kept", cell.dropped_bytes))));
    }
    text
}

/// The first lines, made visible.
fn cut(text: &str) -> String {
    let text = face::lines(text);
    let lines: Vec<&str> = text.lines().collect();
    let hidden = lines.len().saturating_sub(LINES_MAX);
    let mut shown = lines[..lines.len() - hidden].join("\n");
    if hidden > 0 {
        shown.push_str(&format!("\n… {hidden} more lines"));
    }
    shown
}

/// Text with code blocks coloured.
fn prose(text: &str) -> String {
    let mut in_code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            lines.push(face::dim(line));
        } else {
            lines.push(if in_code { python(line) } else { line.to_owned() });
        }
    }
    lines.join("\n")
}

/// Python, lightly coloured: keywords, strings on one line, comments.
pub(super) fn python(code: &str) -> String {
    code.lines().map(python_line).collect::<Vec<_>>().join("\n")
}

fn python_line(line: &str) -> String {
    let (mut text, mut rest) = (String::new(), line);
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let (length, colour) = match first {
            '#' => (rest.len(), "\x1b[2m"),
            '"' | '\'' => (string_length(rest, first), GREEN),
            c if is_word(c) => {
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                (length, if KEYWORDS.contains(&&rest[..length]) { BLUE } else { "" })
            }
            c => (c.len_utf8(), ""),
        };
        let (token, after) = rest.split_at(length);
        if colour.is_empty() {
            text.push_str(token);
        } else {
            text.push_str(&format!("{colour}{token}{RESET}"));
        }
        rest = after;
    }
    text
}

/// Bytes of the string that begins here, its closing quote included.
fn string_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (place, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return place + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::python;

    #[test]
    fn colours_change_no_text() {
        for code in ["def f(x): return 'a # b' # c", "x = \"\\\"\" + 'ü", "\"\"\"doc", "", "  if True:\n\tpass"] {
            let plain: String = anstream::adapter::strip_str(&python(code)).to_string();
            assert_eq!(plain, code);
        }
        assert!(python("if x:").contains("\x1b[34mif\x1b[0m"));
        assert!(!python("'if x:'").contains("\x1b[34m"));
    }
}
