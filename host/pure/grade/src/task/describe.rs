//! What an import understood, in words: a paragraph for each data set, then the rows that could not be read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{Gold, Imported, Kind, Task, Tests};
use crate::rule::Expected;

/// How many bad rows are spelled out.
const ERRORS_SHOWN_MAX: usize = 10;

fn counted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    counts.into_iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

fn gold(task: &Task) -> &'static str {
    match task.secret.gold {
        Gold::Patch(_) => "a patch",
        Gold::Bug(_) => "the reverse of the bug's patch",
        Gold::Files(_) => "whole files",
    }
}

fn tests(task: &Task) -> &'static str {
    match task.secret.tests {
        Tests::InImage => "in the image",
        Tests::Patch(_) => "a patch",
        Tests::Files(_) => "whole files",
        Tests::InParentCommit => "in the parent commit",
    }
}

fn expected(tasks: &[&Task]) -> String {
    let (mut mended, mut kept, mut mapped) = (0, 0, 0);
    for task in tasks {
        match &task.secret.expected {
            Expected::Map { after, .. } => mapped += after.len(),
            Expected::Lists { fail_to_pass, pass_to_pass, .. } => {
                mended += fail_to_pass.len();
                kept += pass_to_pass.len();
            }
        }
    }
    if mapped > 0 {
        format!("{mapped} tests with their statuses")
    } else {
        format!("{mended} tests to mend, {kept} to keep")
    }
}

fn paragraph(kind: Kind, tasks: &[&Task]) -> String {
    let repositories = counted(tasks.iter().map(|task| task.public.repository.as_str()));
    let parsers = counted(tasks.iter().map(|task| task.parser().map_or("none known", |parser| parser.name())));
    let images: BTreeSet<&str> = tasks.iter().map(|task| task.bench.image.as_str()).collect();
    let silent = tasks.iter().filter(|task| task.public.problem_statement.is_empty()).count();
    let other: BTreeSet<&str> = tasks.iter().flat_map(|task| task.secret.other.keys()).map(String::as_str).collect();
    let mut text = format!("{kind}: {} tasks\n", tasks.len());
    let mut line = |name: &str, value: &str| {
        writeln!(text, "  {name:<12} {value}").expect("a string takes everything");
    };
    line("repositories", &repositories);
    line("images", &images.len().to_string());
    line("expected", &expected(tasks));
    line("gold fix", &counted(tasks.iter().map(|task| gold(task))));
    line("tests", &counted(tasks.iter().map(|task| tests(task))));
    line("log parsers", &parsers);
    if silent > 0 {
        line("no report", &silent.to_string());
    }
    if !other.is_empty() {
        line("kept as is", &other.into_iter().collect::<Vec<_>>().join(", "));
    }
    text
}

impl Imported {
    /// What was understood: by data set the repositories, tests, parsers and keys kept unread; then the bad rows.
    #[must_use]
    pub fn describe(&self) -> String {
        let mut by_kind: BTreeMap<Kind, Vec<&Task>> = BTreeMap::new();
        for task in &self.tasks {
            by_kind.entry(task.kind).or_default().push(task);
        }
        let mut text: String = by_kind.iter().map(|(&kind, tasks)| paragraph(kind, tasks)).collect();
        for error in self.errors.iter().take(ERRORS_SHOWN_MAX) {
            writeln!(text, "{error}").expect("a string takes everything");
        }
        if self.errors.len() > ERRORS_SHOWN_MAX {
            writeln!(text, "and {} more rows that could not be read", self.errors.len() - ERRORS_SHOWN_MAX)
                .expect("a string takes everything");
        }
        text
    }
}
