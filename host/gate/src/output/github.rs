//! Annotations of GitHub Actions: workflow commands, one a line, with the escapes that the runner undoes
//! (<https://docs.github.com/actions/reference/workflow-commands-for-github-actions>).

use super::Context;
use super::problem::{Problem, Spot, Weight, left_out, problems};
use crate::verdict::Verdict;

/// GitHub shows this many annotations of a kind for one step, and drops the rest.
pub const ANNOTATIONS_MAX: usize = 10;

/// The verdicts as workflow commands, worst first, at most [`ANNOTATIONS_MAX`] of each kind; the last one of a kind says how many are left out. Each line
/// ends with a line feed. What is signed off is left out.
#[must_use]
pub fn annotations(verdicts: &[Verdict], context: &Context<'_>) -> String {
    let problems = problems(verdicts, context);
    let (errors, rest): (Vec<_>, Vec<_>) = problems.iter().partition(|problem| problem.weight <= Weight::Unknown);
    let warnings: Vec<&Problem<'_>> = rest.into_iter().filter(|problem| problem.weight == Weight::Warns).collect();
    commands("error", &errors) + &commands("warning", &warnings)
}

fn commands(kind: &str, problems: &[&Problem<'_>]) -> String {
    let shown = if problems.len() > ANNOTATIONS_MAX { ANNOTATIONS_MAX - 1 } else { problems.len() };
    let mut text: String = problems[..shown].iter().map(|problem| command(kind, problem)).collect();
    if shown < problems.len() {
        let more = left_out(problems.len() - shown);
        text.push_str(&format!("::{kind} title=Assay gate::{more}; the summary of this job has them\n"));
    }
    text
}

fn command(kind: &str, problem: &Problem<'_>) -> String {
    // Columns mean something to GitHub within one line only, and its last one is included.
    let place = match problem.spot {
        Spot::Line(number) => format!(",line={number}"),
        Spot::Span(at) if at.start_line == at.end_line => {
            let last = at.end_column.saturating_sub(1).max(at.start_column);
            format!(",line={},endLine={},col={},endColumn={last}", at.start_line, at.end_line, at.start_column)
        }
        Spot::Span(at) => format!(",line={},endLine={}", at.start_line, at.end_line),
        Spot::Whole | Spot::Byte(_) => String::new(),
    };
    let (file, title) = (property(&problem.file), property(&problem.title));
    format!("::{kind} file={file}{place},title={title}::{}\n", data(&problem.message))
}

/// The message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
