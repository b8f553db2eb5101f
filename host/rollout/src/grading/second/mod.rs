//! A second opinion: the task's tests in a process that never loads the submission, which another process holds.
//!
//! ```text
//! launch.py (root) ──► judge: pytest, the tests, what stands in for modules  ◄── frames of JSON ──► holder: the submission, answers calls
//!                      a user of its own, may not read the submission                               another user, may not read the tests
//! ```
//!
//! Values cross as values and are compared by the judge; other objects stay where they are, and every access to one is a question. It covers the tests
//! that the right fix passes like this, which is tried once a task. A success needs those too: with the tests as they are, and with some made wrong.
//!
//! Invariants: what the infrastructure did is not a disagreement; a test that the right fix does not pass is never held against a submission; a task has no
//! second opinion only for a reason that any machine would find, so a busy one takes none away.

mod job;
mod report;

use std::collections::BTreeSet;

use assay_grade::rule::{Ended, Expected, Flag, Reason, Score, Unscored, Verdict};
use futures::future::join_all;
use serde::{Deserialize, Serialize};

use super::control::{Passed, WrongTests, is_possible, with_texts, wrong_tests};
use super::protect::Protection;
use super::{GradeSettings, PlanSettings, Work, plan, unrun};
use crate::ports::{Job, TestBench, TestRun};
use crate::task::known::{Covered, Edit, Pool};
use crate::task::{LoadedTask, Workspace};
use job::{Mark, Sides};
use report::Report;

/// How often a run is tried that does not agree: a flaky test is not a forgery. One that comes to no end is not tried again: the right fix is, once, and
/// shows whether the machine is too busy. So an opinion takes at most three times what one run may take, however slow a submission makes itself.
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
    let known = workspace.known.second.get_or_try_init(|| covered(bench, task, workspace, settings, &job.label));
    let covered = match known.await {
        Err(why) => return SecondOpinion::of(Says::Lost { why: why.to_string() }),
        Ok(covered) if covered.ids.is_empty() => {
            return SecondOpinion::of(Says::Impossible { why: covered.why.clone() });
        }
        Ok(covered) => covered,
    };
    let sides = Sides::of(task, workspace, job);
    let tests = passed.ids().count();
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
                let (says, nanoseconds, log_end) = match bench.run(job::second(&edited, sides, &mark, tests)).await {
                    Ok(run) => (covered.opinion(&run, &mark.token, passed, &wrong), run.nanoseconds, end_of(&run)),
                    Err(error) => (Says::Lost { why: error.to_string() }, 0, String::new()),
                };
                let is_endless = matches!(says, Says::Unfinished { .. });
                if says == Says::Agreed || is_endless || tries >= TRIES {
                    let label = format!("{label}-gold");
                    let excuse =
                        if is_endless { no_end(bench, task, workspace, settings, &label, tests).await } else { None };
                    return SecondOpinion { says: excuse.unwrap_or(says), nanoseconds, edits: wrong.edits, log_end };
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

/// The run of the right fix.
fn right_fix(
    task: &LoadedTask,
    workspace: &Workspace,
    settings: &GradeSettings,
    label: &str,
) -> Result<(Job, Sides), &'static str> {
    let Ok(gold) = task.gold_tree(workspace) else { return Err("the right fix does not apply") };
    let planning = PlanSettings { limits: settings.limits, with_report: true, label, patch: None, run_unchanged: true };
    let Ok(Work::Run { job, .. }) = plan(task, workspace, &gold, planning).map(|plan| plan.work) else {
        return Err("the right fix cannot be run");
    };
    let sides = Sides::of(task, workspace, &job);
    Ok((*job, sides))
}

/// What a submission that came to no end is told instead, if the right fix comes to none now either. It did when its tests were found out.
async fn no_end(
    bench: &dyn TestBench,
    task: &LoadedTask,
    workspace: &Workspace,
    settings: &GradeSettings,
    label: &str,
    tests: usize,
) -> Option<Says> {
    let (job, sides) = right_fix(task, workspace, settings, label).ok()?;
    let mark = Mark::drawn(settings.secret.draw(label));
    match bench.run(job::second(&job, &sides, &mark, tests)).await {
        Err(error) => Some(Says::Lost { why: error.to_string() }),
        Ok(run) => match &run.ended {
            Ended::Lost(why) => Some(Says::Lost { why: why.clone() }),
            ended @ (Ended::TimedOut | Ended::OutOfMemory | Ended::Excess(_)) => {
                Some(Says::Lost { why: too_busy(ended) })
            }
            Ended::Exited(_) | Ended::ScriptExited(_) | Ended::Unrecorded => None,
        },
    }
}

fn too_busy(ended: &Ended) -> String {
    format!(
        "the right fix itself came to no end in the second opinion ({}); raise the task's limits, or try when the machine has less to do",
        how(ended)
    )
}

/// Finds out which tests the right fix passes like this.
///
/// # Errors
/// The infrastructure failed, which says nothing about the task.
pub(super) async fn covered(
    bench: &dyn TestBench,
    task: &LoadedTask,
    workspace: &Workspace,
    settings: &GradeSettings,
    label: &str,
) -> Result<Covered, Unscored> {
    if !is_possible(&task.task) {
        return Ok(Covered::without("its tests do not run with pytest, or its own script puts them in place"));
    }
    let label = format!("{label}-second-gold");
    let (job, sides) = match right_fix(task, workspace, settings, &label) {
        Ok(found) => found,
        Err(why) => return Ok(Covered::without(why)),
    };
    let (Expected::Lists { fail_to_pass, pass_to_pass, .. }, Some(parser)) =
        (&task.task.secret.expected, task.task.parser())
    else {
        return Ok(Covered::without("there is no list of the tests that decide"));
    };
    let deciding = fail_to_pass.len() + pass_to_pass.len();
    let runs = (0..TRIES).map(|turn| {
        let mark = Mark::drawn(settings.secret.draw(&format!("{label}\n{turn}")));
        let job = Job { label: format!("{label}-{turn}"), ..job::second(&job, &sides, &mark, deciding) };
        async move { (bench.run(job).await, mark) }
    });
    let mut ids: BTreeSet<String> = fail_to_pass.iter().chain(pass_to_pass).cloned().collect();
    let mut why = String::new();
    for (run, mark) in join_all(runs).await {
        let run = run.map_err(|error| unrun(&error))?;
        match &run.ended {
            Ended::Lost(why) => return Err(Unscored::Infrastructure(why.clone())),
            // On a machine with less to do, it might have ended: without a second opinion for that, forged results would be believed.
            ended @ (Ended::TimedOut | Ended::OutOfMemory | Ended::Excess(_)) => {
                return Err(Unscored::Infrastructure(too_busy(ended)));
            }
            Ended::Exited(_) | Ended::ScriptExited(_) | Ended::Unrecorded => {}
        }
        match Report::take(&run.log, &mark.token, parser).map(|report| (report.trouble(), report)) {
            Some((None, report)) if matches!(run.ended, Ended::Exited(_)) => {
                why = report.objection(fail_to_pass.iter().map(String::as_str)).unwrap_or(why);
                ids.retain(|id| report.has_passed(id));
            }
            Some((Some(trouble), _)) => return Ok(Covered::without(trouble)),
            _ if matches!(run.ended, Ended::Unrecorded) => {
                return Err(Unscored::Infrastructure(
                    "the run of the right fix in the second opinion has no exit code".to_owned(),
                ));
            }
            _ => return Ok(Covered::without(format!("its tests left no report: {}", how(&run.ended)))),
        }
    }
    // A test that passes without the fix as well says nothing about it.
    if fail_to_pass.iter().any(|id| ids.contains(id)) {
        return Ok(Covered { ids, parser: Some(parser), why: String::new() });
    }
    Ok(Covered::without(why))
}

impl Covered {
    /// What one run says, with these tests made wrong.
    fn opinion(&self, run: &TestRun, token: &str, passed: &Passed<'_>, wrong: &WrongTests) -> Says {
        match &run.ended {
            Ended::Lost(why) => return Says::Lost { why: why.clone() },
            ended @ (Ended::TimedOut | Ended::OutOfMemory | Ended::Excess(_)) => {
                return Says::Unfinished { how: how(ended) };
            }
            Ended::Exited(_) | Ended::ScriptExited(_) | Ended::Unrecorded => {}
        }
        let report = self.parser.and_then(|parser| Report::take(&run.log, token, parser));
        let Some(report) = report else {
            return Says::Disagreed { what: format!("no report, {}", how(&run.ended)) };
        };
        let expected = passed.ids().filter(|id| self.ids.contains(*id) && !wrong.gone.contains(*id));
        let objection = report.trouble().or_else(|| report.objection(expected));
        match (objection, wrong.fails.iter().find(|id| report.has_passed(id))) {
            (Some(what), _) => Says::Disagreed { what },
            (None, Some(id)) => Says::Disagreed { what: format!("{id} was made wrong but passes") },
            (None, None) => Says::Agreed,
        }
    }
}

/// How a run ended, for people.
fn how(ended: &Ended) -> String {
    match ended {
        Ended::Exited(code) | Ended::ScriptExited(code) => format!("exit code {code}"),
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
