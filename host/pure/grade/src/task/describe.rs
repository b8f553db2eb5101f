//! What an import understood, in words: a paragraph for each data set, then the rows that could not be read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use super::{Gold, Imported, Kind, Task, Tests};
use crate::rule::Expected;

/// How many bad rows are spelled out.
const ERRORS_SHOWN_MAX: usize = 10;

/// What the rows of each data set hold, counted one by one, so that no row need be kept.
#[derive(Debug, Clone, Default)]
pub struct Summary(BTreeMap<Kind, Counts>);

#[derive(Debug, Clone, Default)]
struct Counts {
    tasks: usize,
    repositories: BTreeMap<String, usize>,
    images: BTreeSet<String>,
    mended: usize,
    kept: usize,
    mapped: usize,
    gold: BTreeMap<String, usize>,
    tests: BTreeMap<String, usize>,
    parsers: BTreeMap<String, usize>,
    silent: usize,
    other: BTreeSet<String>,
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

fn count(counts: &mut BTreeMap<String, usize>, name: &str) {
    *counts.entry(name.to_owned()).or_default() += 1;
}

fn listed(counts: &BTreeMap<String, usize>) -> String {
    counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

impl Summary {
    /// Counts a task.
    pub fn add(&mut self, task: &Task) {
        let counts = self.0.entry(task.kind).or_default();
        counts.tasks += 1;
        count(&mut counts.repositories, &task.public.repository);
        counts.images.insert(task.bench.image.clone());
        match &task.secret.expected {
            Expected::Map { after, .. } => counts.mapped += after.len(),
            Expected::Lists { fail_to_pass, pass_to_pass, .. } => {
                counts.mended += fail_to_pass.len();
                counts.kept += pass_to_pass.len();
            }
        }
        count(&mut counts.gold, gold(task));
        count(&mut counts.tests, tests(task));
        count(&mut counts.parsers, task.parser().map_or("none known", |parser| parser.name()));
        counts.silent += usize::from(task.public.problem_statement.is_empty());
        counts.other.extend(task.secret.other.keys().cloned());
    }
}

impl Counts {
    fn expected(&self) -> String {
        if self.mapped > 0 {
            format!("{} tests with their statuses", self.mapped)
        } else {
            format!("{} tests to fix, {} to keep passing", self.mended, self.kept)
        }
    }
}

/// By data set the repositories, tests, parsers and keys kept unread: a paragraph each.
impl fmt::Display for Summary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, counts) in &self.0 {
            writeln!(formatter, "{kind}: {} tasks", counts.tasks)?;
            let mut line = |name: &str, value: &str| writeln!(formatter, "  {name:<12} {value}");
            line("repositories", &listed(&counts.repositories))?;
            line("images", &counts.images.len().to_string())?;
            line("expected", &counts.expected())?;
            line("gold fix", &listed(&counts.gold))?;
            line("tests", &listed(&counts.tests))?;
            line("log parsers", &listed(&counts.parsers))?;
            if counts.silent > 0 {
                line("no report", &counts.silent.to_string())?;
            }
            if !counts.other.is_empty() {
                line("kept as is", &counts.other.iter().map(String::as_str).collect::<Vec<_>>().join(", "))?;
            }
        }
        Ok(())
    }
}

impl Imported {
    /// What was understood, by data set; then the bad rows.
    #[must_use]
    pub fn describe(&self) -> String {
        let mut summary = Summary::default();
        for task in &self.tasks {
            summary.add(task);
        }
        let mut text = summary.to_string();
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
