//! A second opinion: the task's tests in a process that never loads the submission, which another process holds.
//!
//! ```text
//! launch.py (root) ──► judge: pytest, the tests, what stands in for modules  ◄── frames of JSON ──► holder: the submission, answers calls
//!                      a user of its own, may not read the submission                               another user, may not read the tests
//! ```
//!
//! Values cross as values and are compared by the judge; other objects stay where they are, and every access to one is a question. A task allows it
//! where the right fix passes like this, which is tried once. Then a success needs it too: with the tests as they are, and with some made wrong.
//!
//! Invariants: what the infrastructure did is no disagreement; a task whose right fix does not pass is never held against a submission.

mod job;
mod report;

use std::collections::BTreeSet;

use assay_grade::rule::{Ended, Expected, Flag, Reason, Score, Unscored, Verdict};
use futures::future::join_all;
use serde::{Deserialize, Serialize};

use super::control::{Edit, Passed, Pool, WrongTests, is_possible, with_texts, wrong_tests};
use super::protect::Protection;
use super::{GradeSettings, PlanSettings, Work, plan, unrun};
use crate::ports::{Job, TestBench, TestRun};
use crate::task::{LoadedTask, Workspace};
use job::{Mark, Sides};
use report::Report;

/// How often a run is tried that does not agree: a flaky test is no forgery.
const TRIES: u32 = 2;
/// Bytes of a log's end that are kept, for an audit.
const SHOWN_BYTES_MAX: usize = 4096;

/// What the second opinion is, and what it cost.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecondOpinion {
    /// The opinion.
    pub says: Says,
    /// Wall time of its runs over the submission, in nanoseconds; they run at once, and the longest counts. It is in no other time of the record.
    pub nanoseconds: u64,
    /// What was made of the tests in the run with wrong ones.
    pub edits: Vec<Edit>,
    /// The end of what the first run printed that did not agree.
    pub log_end: String,
}

/// Whether the tests pass as well where another process has the submission.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Says {
    /// Nobody asked: there was no success, the rule is a published one, or it is switched off.
    #[default]
    NotNeeded,
    /// The task allows none.
    Impossible {
        /// Why not.
        why: String,
    },
    /// They pass.
    Agreed,
    /// They do not.
    Disagreed {
        /// The first test that is not as it should be, or what else is wrong.
        what: String,
    },
    /// They came to no end, which the right fix does.
    Unfinished {
        /// How they ended.
        how: String,
    },
    /// The infrastructure failed.
    Lost {
        /// Why.
        why: String,
    },
}

impl SecondOpinion {
    fn of(says: Says) -> Self {
        Self { says, ..Self::default() }
    }

    /// The verdict that it replaces; `None` where it has nothing against a success.
    pub(super) fn objection(&self) -> Option<Verdict> {
        let reason = match &self.says {
            Says::NotNeeded | Says::Impossible { .. } | Says::Agreed => return None,
            Says::Lost { why } => return Some(Verdict::Unscored(Unscored::Infrastructure(why.clone()))),
            Says::Disagreed { what } => Reason::Forfeit(Flag::SecondOpinionDisagreed { what: what.clone() }),
            Says::Unfinished { how } => Reason::Unfinished { how: how.clone() },
        };
        Some(Verdict::Scored(Score { reward: 0.0, reason, parts: Vec::new(), differences: Vec::new() }))
    }
}

/// Asks for one about a submission that was a success otherwise.
pub(super) async fn ask(
    bench: &dyn TestBench,
    task: &LoadedTask,
    workspace: &Workspace,
    settings: &GradeSettings,
    job: &Job,
    pool: &Pool,
    passed: &Passed<'_>,
) -> SecondOpinion {
    let known = workspace.known.second.get_or_try_init(|| why_impossible(bench, task, workspace, settings, &job.label));
    match known.await {
        Err(why) => return SecondOpinion::of(Says::Lost { why: why.to_string() }),
        Ok(why) if !why.is_empty() => return SecondOpinion::of(Says::Impossible { why: why.clone() }),
        Ok(_) => {}
    }
    let sides = Sides::of(task, workspace, job);
    let runs = (0..=u32::from(!pool.is_empty())).map(|kind| {
        let (label, sides) = (format!("{}-second-{}", job.label, kind + 1), &sides);
        async move {
            let mut tries = 0;
            loop {
                tries += 1;
                let draw = settings.secret.draw(&format!("{label}\n{tries}"));
                let wrong = if kind == 0 { WrongTests::default() } else { wrong_tests(pool, passed, draw) };
                let edited = with_texts(job, &pool.texts, wrong.edits.iter(), &label);
                let mark = Mark::drawn(settings.secret.draw(&format!("{label}\n{tries}\nmark")));
                let (says, nanoseconds, log_end) = match bench.run(job::second(&edited, sides, &mark)).await {
                    Ok(run) => (opinion(&run, &mark.token, passed, &wrong), run.nanoseconds, end_of(&run)),
                    Err(error) => (Says::Lost { why: error.to_string() }, 0, String::new()),
                };
                if says == Says::Agreed || tries >= TRIES {
                    return SecondOpinion { says, nanoseconds, edits: wrong.edits, log_end };
                }
            }
        }
    });
    let mut runs = join_all(runs).await;
    let nanoseconds = runs.iter().map(|run| run.nanoseconds).max().unwrap_or_default();
    let edits = runs.iter_mut().flat_map(|run| std::mem::take(&mut run.edits)).collect();
    let against = runs.into_iter().find(|run| run.says != Says::Agreed);
    let (says, log_end) = against.map_or((Says::Agreed, String::new()), |run| (run.says, run.log_end));
    SecondOpinion { says, nanoseconds, edits, log_end }
}

/// Why a task has no second opinion, by whether its right fix passes; empty where it has one.
///
/// # Errors
/// The infrastructure failed, which says nothing about the task.
pub(super) async fn why_impossible(
    bench: &dyn TestBench,
    task: &LoadedTask,
    workspace: &Workspace,
    settings: &GradeSettings,
    label: &str,
) -> Result<String, Unscored> {
    if !is_possible(&task.task) {
        return Ok("its tests are not pytest's, or a script of its own puts them in place".to_owned());
    }
    let Ok(gold) = task.gold_tree(workspace) else { return Ok("the right fix does not apply".to_owned()) };
    let label = format!("{label}-second-gold");
    let planning =
        PlanSettings { limits: settings.limits, with_report: true, label: &label, patch: None, run_unchanged: true };
    let Ok(Work::Run { job, .. }) = plan(task, workspace, &gold, planning).map(|plan| plan.work) else {
        return Ok("the right fix cannot be run".to_owned());
    };
    let Expected::Lists { fail_to_pass, pass_to_pass, .. } = &task.task.secret.expected else {
        return Ok("no list says which tests decide".to_owned());
    };
    let sides = Sides::of(task, workspace, &job);
    let mut why = String::new();
    for turn in 0..TRIES {
        let mark = Mark::drawn(settings.secret.draw(&format!("{label}\n{turn}")));
        let run = bench.run(job::second(&job, &sides, &mark)).await.map_err(|error| unrun(&error))?;
        why = match (&run.ended, Report::take(&run.log, &mark.token)) {
            (Ended::Lost(why), _) => return Err(Unscored::Infrastructure(why.clone())),
            (Ended::Exited(_), Some(report)) => {
                let ids = fail_to_pass.iter().chain(pass_to_pass).map(String::as_str);
                report.objection(ids).unwrap_or_default()
            }
            (Ended::Exited(code), None) => format!("its tests ended with {code} and left no report"),
            (ended, _) => how(ended),
        };
        if why.is_empty() {
            break;
        }
    }
    Ok(why)
}

/// What one run says, with these tests made wrong.
fn opinion(run: &TestRun, token: &str, passed: &Passed<'_>, wrong: &WrongTests) -> Says {
    match &run.ended {
        Ended::Lost(why) => return Says::Lost { why: why.clone() },
        ended @ (Ended::TimedOut | Ended::OutOfMemory | Ended::Excess(_)) => {
            return Says::Unfinished { how: how(ended) };
        }
        Ended::Exited(_) | Ended::Unrecorded => {}
    }
    let Some(report) = Report::take(&run.log, token) else {
        return Says::Disagreed { what: format!("no report, {}", how(&run.ended)) };
    };
    let edited: BTreeSet<_> = wrong.edits.iter().map(|edit| (edit.path.clone(), edit.test.clone())).collect();
    let untouched = passed.ids().filter(|(_, test)| !test.is_some_and(|test| edited.contains(test)));
    let all = untouched.map(|(id, _)| id).collect::<Vec<_>>();
    match (report.objection(all.into_iter()), wrong.fails.iter().find(|id| report.has_passed(id))) {
        (Some(what), _) => Says::Disagreed { what },
        (None, Some(id)) => Says::Disagreed { what: format!("{id} was made wrong and passes") },
        (None, None) => Says::Agreed,
    }
}

/// How a run ended, for people.
fn how(ended: &Ended) -> String {
    match ended {
        Ended::Exited(code) => format!("exit code {code}"),
        Ended::TimedOut => Unscored::TimedOut.to_string(),
        Ended::OutOfMemory => Unscored::OutOfMemory.to_string(),
        Ended::Excess(why) | Ended::Lost(why) => why.clone(),
        Ended::Unrecorded => "no exit code".to_owned(),
    }
}

fn end_of(run: &TestRun) -> String {
    let log = assay_grade::decode_log(&run.log);
    let end = log.len().saturating_sub(SHOWN_BYTES_MAX);
    (end..log.len()).find_map(|at| log.get(at..)).unwrap_or_default().to_owned()
}
