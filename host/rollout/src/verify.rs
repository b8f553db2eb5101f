//! Is a task any good? The right fix must score 1, the untouched files 0, and each test must say the same each time.
//!
//! Invariant: a task is good only if every run was scored and as it must be; trouble with the infrastructure says nothing about it.

use std::collections::{BTreeMap, BTreeSet};

use assay_grade::StatusMap;
use assay_grade::rule::{Expected, Reason, Rule, Score, Verdict};
use assay_tree::Tree;
use serde::Serialize;

use crate::grading::{GradeSettings, Graded, Occasion, controls_of, grade, no_second_opinion, time_limit_ns};
use crate::ports::TestBench;
use crate::task::{LoadedTask, Workspace, WorkspaceError};

/// What is said of tests that leave no room in their time.
const SHORT_OF_TIME: &str = "the tests take more than half of their time limit, so a slow but right submission may run out of time: raise `seconds`";
/// Names of tests that a report spells out.
const NAMES_MAX: usize = 50;

/// What became of a task; nothing is known of the one by default.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Report {
    /// The task.
    pub instance_id: String,
    /// What is to be thought of it.
    pub standing: Standing,
    /// Why, in a sentence; empty for a good one.
    pub why: String,
    /// What the user can do about it.
    pub hint: Option<String>,
    /// The rewards of the right fix, run by run; `None` is unscored.
    pub gold: Vec<Option<f64>>,
    /// The rewards of the untouched files, run by run.
    pub untouched: Vec<Option<f64>>,
    /// Tests that did not say the same each time, sorted; those that decide first.
    pub flaky: Vec<Flaky>,
    /// Flags of the right fix: what it changes looks like an attack.
    pub flags: Vec<String>,
    /// How many tests made wrong were seen to fail on the right fix, as a reward needs them; none where it was not tried.
    pub controls: Option<usize>,
    /// Why rewards have no second opinion from a process without the submission; empty where they have one, none where it was not tried.
    pub no_second_opinion: Option<String>,
}

/// What is to be thought of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It can be used.
    Good,
    /// Its tests do not say the same each time.
    Flaky,
    /// The right fix does not score 1, or nothing does not score 0.
    Bad,
    /// It could not be told: the infrastructure failed.
    #[default]
    Unknown,
}

/// A test that did not say the same each time.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Flaky {
    /// Whether the task's score depends on it.
    pub decides: bool,
    /// Its name.
    pub name: String,
    /// What it said; `absent` where it was not there.
    pub statuses: BTreeSet<String>,
}

/// Runs the right fix and the untouched files `repeat` times each.
pub async fn verify(bench: &dyn TestBench, task: &LoadedTask, repeat: u32, settings: &GradeSettings) -> Report {
    let mut report = Report { instance_id: task.id().to_owned(), ..Report::default() };
    let workspace = match task.workspace(bench).await {
        Ok(workspace) => workspace,
        Err(error) => {
            report.why = error.to_string();
            report.hint = match error {
                WorkspaceError::Bench(error) => error.hint().map(str::to_owned),
                WorkspaceError::Load(error) => error.hint,
            };
            return report;
        }
    };
    let gold = match task.gold_tree(&workspace) {
        Ok(tree) => tree,
        Err(error) => {
            (report.standing, report.why) = (Standing::Bad, error.to_string());
            report.hint =
                Some("the fix was made against different files than those in the image or the folder".to_owned());
            return report;
        }
    };
    let (mut golds, mut untouched) = (Vec::new(), Vec::new());
    for turn in 1..=repeat.max(1) {
        golds.push(run(bench, task, &workspace, &gold, settings, &format!("{}-gold-{turn}", task.id())).await);
        untouched.push(
            run(bench, task, &workspace, workspace.base(), settings, &format!("{}-none-{turn}", task.id())).await,
        );
        // Without an engine the second turn is as good as the first.
        if golds.iter().chain(&untouched).any(|graded: &Graded| graded.hint.is_some()) {
            break;
        }
    }
    judge(task, &golds, &untouched, &mut report);
    let is_long = |graded: &Graded| graded.nanoseconds.saturating_mul(2) > time_limit_ns(task, settings);
    if report.standing == Standing::Good && untouched.iter().all(is_long) {
        report.hint = Some(SHORT_OF_TIME.to_owned());
    }
    if report.standing == Standing::Good && settings.control && settings.rule == Rule::Strict {
        match controls_of(bench, task, &workspace, settings).await {
            Ok((count, why)) => {
                report.controls = Some(count);
                if count == 0 {
                    report.hint = Some(format!("rewards cannot be confirmed with deliberately broken tests: {why}"));
                }
            }
            Err(why) => (report.standing, report.why) = (Standing::Unknown, why.to_string()),
        }
        match no_second_opinion(bench, task, &workspace, settings).await {
            Ok(why) => report.no_second_opinion = Some(why),
            Err(why) => (report.standing, report.why) = (Standing::Unknown, why.to_string()),
        }
    }
    report
}

async fn run(
    bench: &dyn TestBench,
    task: &LoadedTask,
    workspace: &Workspace,
    tree: &Tree,
    settings: &GradeSettings,
    label: &str,
) -> Graded {
    let occasion = Occasion { label: label.to_owned(), run_unchanged: true, ..Occasion::default() };
    grade(bench, task, workspace, tree, settings, &occasion).await
}

fn judge(task: &LoadedTask, golds: &[Graded], untouched: &[Graded], report: &mut Report) {
    // A reward of the task's own may be any number: whether it is solved is for the tests.
    let rewards = |graded: &[Graded]| graded.iter().map(|graded| graded.verdict.reward()).collect::<Vec<_>>();
    (report.gold, report.untouched) = (rewards(golds), rewards(untouched));
    report.flags = golds
        .iter()
        .flat_map(|graded| &graded.flags)
        .map(|flag| flag.detail.clone())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .take(NAMES_MAX)
        .collect();
    let mut flaky: BTreeMap<String, Flaky> = BTreeMap::new();
    for runs in [golds, untouched] {
        let scored: Vec<&StatusMap> =
            runs.iter().filter(|graded| graded.verdict.reward().is_some()).map(|graded| &graded.statuses).collect();
        for test in unsteady(task, &scored) {
            flaky.entry(test.name.clone()).or_insert(test);
        }
    }
    report.flaky = flaky.into_values().collect();
    report.flaky.sort_by(|one, other| other.decides.cmp(&one.decides).then_with(|| one.name.cmp(&other.name)));
    let names: Vec<&str> = report.flaky.iter().filter(|test| test.decides).map(|test| test.name.as_str()).collect();
    let unscored = golds.iter().chain(untouched).find(|graded| graded.verdict.reward().is_none());
    let is_steady = |rewards: &[Option<f64>]| rewards.windows(2).all(|pair| pair[0] == pair[1]);
    let (standing, why, hint) = if let Some(graded) = unscored {
        (Standing::Unknown, graded.feedback_for_people(), graded.hint.clone())
    } else if !names.is_empty() || !is_steady(&report.gold) || !is_steady(&report.untouched) {
        let names = if names.is_empty() { "the score".to_owned() } else { names.join(", ") };
        (
            Standing::Flaky,
            format!("different results each time: {names}"),
            Some("remove these tests from the task, or the task from the set".to_owned()),
        )
    } else if let Some(graded) = golds.iter().find(|graded| !graded.is_solved()) {
        (Standing::Bad, format!("the right fix does not pass: {}", graded.feedback_for_people()), gold_hint(graded))
    } else if let Some(why) = task.reward.as_ref().and_then(|_| {
        golds
            .iter()
            .find_map(|graded| graded.score.value().number().is_none().then(|| graded.score.value().to_string()))
    }) {
        (Standing::Bad, format!("the task's own reward: {why}"), None)
    } else if untouched.iter().any(Graded::is_solved) {
        (Standing::Bad, "the untouched files pass".to_owned(), Some("the tests do not see the bug".to_owned()))
    } else {
        (Standing::Good, String::new(), None)
    };
    (report.standing, report.why, report.hint) = (standing, why, hint);
    report.flaky.truncate(NAMES_MAX);
}

/// Why the right fix may have failed, as far as the score tells.
fn gold_hint(graded: &Graded) -> Option<String> {
    match &graded.verdict {
        Verdict::Scored(Score { reason: Reason::Forfeit(_), .. }) => Some(
            "if the task's own tests print such summaries, the strict rule cannot be used: pass --rule swe_bench"
                .to_owned(),
        ),
        Verdict::Scored(Score { reason: Reason::NoResults, .. }) => {
            Some("check the test command and the log parser".to_owned())
        }
        _ => None,
    }
}

impl Graded {
    /// The reason, with the tests that are not as expected: for whoever owns the task, never for a model.
    #[must_use]
    pub fn feedback_for_people(&self) -> String {
        match &self.verdict {
            Verdict::Unscored(why) => why.to_string(),
            Verdict::Scored(score) => {
                let status = |status: &Option<assay_grade::Status>| {
                    status.as_ref().map_or("absent", |status| status.as_str()).to_owned()
                };
                let differences = score.differences.iter().map(|difference| {
                    format!(
                        "{} is {}, not {}",
                        difference.name,
                        status(&difference.found),
                        status(&difference.expected)
                    )
                });
                let complaint = self.script_error.iter().map(|line| format!("the task's script said `{line}`"));
                [score.reason.to_string()]
                    .into_iter()
                    .chain(complaint)
                    .chain(differences)
                    .collect::<Vec<_>>()
                    .join("; ")
            }
        }
    }
}

/// The tests whose status differs between runs.
fn unsteady(task: &LoadedTask, runs: &[&StatusMap]) -> Vec<Flaky> {
    let decides = |name: &str| match &task.task.secret.expected {
        Expected::Map { after, .. } => after.get(name).is_some(),
        Expected::Lists { fail_to_pass, pass_to_pass, .. } => {
            fail_to_pass.iter().chain(pass_to_pass).any(|test| test == name)
        }
    };
    let names: BTreeSet<&str> = runs.iter().flat_map(|run| run.iter().map(|(name, _)| name)).collect();
    let statuses = |name: &str| -> BTreeSet<String> {
        runs.iter().map(|run| run.get(name).map_or("absent", |status| status.as_str()).to_owned()).collect()
    };
    let found = names.into_iter().map(|name| (name, statuses(name))).filter(|(_, statuses)| statuses.len() > 1);
    found.map(|(name, statuses)| Flaky { decides: decides(name), name: name.to_owned(), statuses }).collect()
}
