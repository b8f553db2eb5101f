//! What grading finds out about a task once, and asks of it where a run of its tests alone does not decide.
//!
//! Invariant: what is kept comes from the right fix or from the untouched files, never from a submission; what the infrastructure did is not kept.

use assay_grade::rule::{Ended, Rule, Run, Unscored, Verdict};

use super::control::{self, Control, Passed};
use super::{GradeSettings, GradingRecord, PlanSettings, Work, plan, second};
use crate::ports::{Job, TestBench};
use crate::task::known::Pool;
use crate::task::{LoadedTask, Workspace};

/// Ends of the tests' own making without a result, after which it is asked whether they have one without the submission.
pub(super) const OWN_ENDS_MIN: u32 = 2;

/// Confirms a reward, or finds out whose doing it is that there is no result.
pub(super) async fn follow_up(
    bench: &dyn TestBench,
    task: &LoadedTask,
    workspace: &Workspace,
    settings: &GradeSettings,
    job: &Job,
    record: &mut GradingRecord,
    statuses: &assay_grade::StatusMap,
) {
    if settings.rule == Rule::Strict && settings.control && record.is_solved() {
        match pool(bench, task, workspace, settings, &job.label).await {
            Ok(pool) => {
                let passed = Passed::new(&task.task, statuses, record.ended.as_ref());
                if pool.none.is_empty() {
                    record.controls = control::confirm(bench, settings, &task.task, job, pool, &passed).await;
                } else {
                    record.no_control = Some(pool.none.clone());
                }
                if record.controls.iter().all(|control| control.objection().is_none()) {
                    record.second = second::ask(bench, task, workspace, settings, job, pool, &passed).await;
                }
            }
            Err(why) => record.controls = vec![Control::unmade(why.to_string())],
        }
    }
    if let (Verdict::Unscored(why), true) = (&record.verdict, record.own_ends >= OWN_ENDS_MIN)
        && why.is_of_the_tests()
        && record.changed_files > 0
    {
        let how = why.to_string();
        let ask = || finishes(bench, task, workspace, settings, &job.label);
        let is_forced = match why {
            // How much time there is depends on what else the machine does: it is asked now, and each time.
            Unscored::TimedOut => ask().await.is_ok(),
            _ => workspace.known.finishes.get_or_try_init(ask).await.is_ok(),
        };
        if is_forced {
            record.forced = Some(how);
        }
    }
}

/// What can be made wrong in the task's tests; made at the first call.
///
/// # Errors
/// The infrastructure failed.
pub(super) async fn pool<'w>(
    bench: &dyn TestBench,
    task: &LoadedTask,
    workspace: &'w Workspace,
    settings: &GradeSettings,
    label: &str,
) -> Result<&'w Pool, Unscored> {
    let label = format!("{label}-pool");
    workspace.known.pool.get_or_try_init(|| control::make(bench, task, workspace, settings, &label)).await
}

/// How many tests made wrong there are for a task, and why none where there is none.
///
/// # Errors
/// The infrastructure failed.
pub(crate) async fn controls_of(
    bench: &dyn TestBench,
    task: &LoadedTask,
    workspace: &Workspace,
    settings: &GradeSettings,
) -> Result<(usize, String), Unscored> {
    let pool = pool(bench, task, workspace, settings, &super::plan::label(task.id())).await?;
    Ok((pool.len(), pool.none.clone()))
}

/// Why a task has no second opinion; empty where it has one.
///
/// # Errors
/// The infrastructure failed.
pub(crate) async fn no_second_opinion(
    bench: &dyn TestBench,
    task: &LoadedTask,
    workspace: &Workspace,
    settings: &GradeSettings,
) -> Result<String, Unscored> {
    let label = super::plan::label(task.id());
    let known = &workspace.known.second;
    let covered = known.get_or_try_init(|| second::covered(bench, task, workspace, settings, &label)).await?;
    Ok(covered.why.clone())
}

/// The second opinion alone about `tree`, as if everything else had called it a success: for whoever tries how far it carries.
///
/// # Errors
/// There is nothing to run, or the infrastructure failed.
pub async fn second_opinion(
    bench: &dyn TestBench,
    task: &LoadedTask,
    workspace: &Workspace,
    tree: &assay_tree::Tree,
    settings: &GradeSettings,
    label: &str,
) -> Result<second::SecondOpinion, Unscored> {
    let planning = PlanSettings { limits: settings.limits, with_report: true, label, patch: None, run_unchanged: true };
    let planned = plan(task, workspace, tree, planning).map_err(|error| super::unplanned(&error))?;
    let Work::Run { job, .. } = planned.work else {
        return Err(Unscored::CannotRun("nothing is to be run".to_owned()));
    };
    let pool = pool(bench, task, workspace, settings, &job.label).await?;
    let passed = Passed::all(&task.task);
    Ok(second::ask(bench, task, workspace, settings, &job, pool, &passed).await)
}

/// Whether the tests come to a result over the untouched files, now.
async fn finishes(
    bench: &dyn TestBench,
    task: &LoadedTask,
    workspace: &Workspace,
    settings: &GradeSettings,
    label: &str,
) -> Result<(), ()> {
    let label = format!("{label}-untouched");
    let planning =
        PlanSettings { limits: settings.limits, with_report: true, label: &label, patch: None, run_unchanged: true };
    let planned = plan(task, workspace, &workspace.base, planning).map_err(drop)?;
    let (Work::Run { job, .. }, Some(scenario)) = (planned.work, task.task.scenario()) else { return Err(()) };
    // A machine that is busy with a submission may lose this run, or end it too early: that must not let the submission off.
    for _ in 0..=settings.retries {
        let Ok(run) = bench.run((*job).clone()).await else { continue };
        let log = assay_grade::decode_log(&run.log);
        let seen = Run { log: &log, ended: &run.ended, junit: run.junit.as_deref() };
        let is_result = matches!(run.ended, Ended::Exited(_))
            && matches!(assay_grade::rule::grade(Rule::Strict, &scenario, seen), Verdict::Scored(_));
        if is_result {
            return Ok(());
        }
    }
    Err(())
}
