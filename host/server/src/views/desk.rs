//! Jobs: how they stand, and what is done to them.

use super::{Done, Problem, View, run_of_verdict};
use crate::code::Code;
use crate::id::FolderId;
use crate::library::{Found, Library, What};
use crate::pages::jobs::Shown;
use crate::pages::{Frame, Topic, jobs as page};
use crate::starting::Work;
use crate::topic::{TopicId, number_of_jobs};
use assay_store::{Filter, Kind, Page as StorePage, RunId};
use assay_work::jobs::{Job, JobId, Plan, StartError, What as JobWhat};
use assay_work::offers::StrategyName;
use std::time::{Duration, UNIX_EPOCH};

/// What a policy is called in a job's folder.
pub(super) const POLICY: &str = "gate.toml";
/// The newest runs of the store among which that of a job is looked for.
const RUNS_LOOKED_AT: u32 = 50;
/// Bytes of a run's record that is shown beside its job.
const RECORD_BYTES_MAX: u64 = 64 << 20;

/// Something that is not as it has to be, of this machine say.
pub(crate) fn unwell(why: &str) -> Problem {
    Problem::new(Code::Unprocessable, "That cannot be done", why)
}

pub(crate) fn refused(error: &StartError) -> Problem {
    let code = match error {
        StartError::Full | StartError::TooMany => Code::TooMany,
        StartError::Closing => Code::Unavailable,
        StartError::Plan(_) => Code::Unprocessable,
        StartError::Files(_) => Code::Internal,
    };
    Problem::new(code, "It was not started", error.to_string())
}

/// The editor with a job beside its text.
pub(crate) fn editor_address(id: &JobId) -> String {
    format!("/edit?job={id}#job")
}

pub(crate) fn job_address(id: &JobId) -> String {
    format!("/jobs/{id}")
}

/// The page of a job that has been started.
pub(crate) fn begun(job: &Job) -> Done {
    Done::Go(job_address(&job.id))
}

pub(crate) fn topic(work: &Work, id: &JobId) -> Topic {
    let topic = TopicId::Job(id.clone());
    Topic { name: topic.to_string(), after: topic.number_of_job(work).unwrap_or(0) }
}

/// The run of the store that a job has made, or goes on with. A verdict says which it is, whoever has given it again since; otherwise, the command of the run
/// names the job's folder, or the session.
pub(crate) async fn run_of_job(library: &Library, work: &Work, id: &JobId) -> Option<RunId> {
    let job = work.jobs.find(id)?;
    let kind = match job.what {
        JobWhat::Run => Kind::Run,
        JobWhat::Gate => Kind::Gate,
        JobWhat::Refine => Kind::Refine,
        JobWhat::Rollout | JobWhat::World => return None,
    };
    // Only a session is in the store from its beginning on.
    if kind != Kind::Refine && !job.state.is_end() {
        return None;
    }
    let store = library.store().await.ok()?;
    if kind == Kind::Gate {
        let own = tokio::task::block_in_place(|| run_of_verdict(library, result_of(library, &job)?.id));
        if let Some(own) = own {
            // It was not recorded where the store could not be written.
            return store.get(own).await.ok().map(|detail| detail.entry.run.id);
        }
    }
    let folder = format!("/{id}/");
    let filter = Filter { kind: Some(kind), ..Filter::default() };
    let page = StorePage { number: 0, size: RUNS_LOOKED_AT };
    let (rows, _) = store.list(&filter, page, None).await.ok()?;
    let session = job.session.as_deref();
    let session = session.and_then(|path| Some((path.parent()?.to_str()?, path.file_name()?.to_str()?)));
    let is_its = |row: &&assay_store::RunRow| {
        let command = row.run.command.as_str();
        match session {
            Some((dir, name)) => {
                let is_there = command.contains(&folder) || command.trim_end_matches('\'').ends_with(dir);
                is_there && command.contains(&format!(" refine resume {name} --dir "))
            }
            None => row.run.subject == job.subject && command.contains(&folder),
        }
    };
    rows.iter().find(is_its).map(|row| row.run.id)
}

/// The folder of what a job has made, once it is seen.
fn result_of(library: &Library, job: &Job) -> Option<Found> {
    let id = FolderId::of(&job.result);
    // Its end is told at once, so what it has left must be seen at once.
    let ended = job.ended_ms.and_then(|ended| UNIX_EPOCH.checked_add(Duration::from_millis(ended)));
    ended.map_or_else(|| library.folder(id), |ended| library.folder_since(id, ended))
}

/// A job with what is known of it.
pub(crate) fn shown(library: &Library, work: &Work, id: &JobId, run: Option<RunId>) -> Result<Shown, Problem> {
    let job = work.jobs.find(id).ok_or_else(Problem::no_job)?;
    let output = work.jobs.output(id);
    let found = result_of(library, &job);
    let record = found.as_ref().filter(|found| found.what == What::Report && job.state.is_end()).and_then(|found| {
        let bytes = found.open().and_then(|folder| folder.read("run.json", RECORD_BYTES_MAX)).ok()?;
        // One that cannot be read says why on its own page.
        assay_report::read(&bytes).ok()
    });
    let can_go_on = work.jobs.can_go_on(&job);
    Ok(Shown { job, output, found, run, record, can_go_on })
}

pub(crate) fn jobs(frame: Frame<'_>, work: &Work) -> String {
    let topic = Topic { name: TopicId::Jobs.to_string(), after: number_of_jobs(work) };
    page::list(frame, &work.jobs.list(), &topic)
}

pub(crate) fn job(library: &Library, frame: Frame<'_>, work: &Work, id: &JobId, run: Option<RunId>) -> View {
    let topic = topic(work, id);
    let shown = shown(library, work, id, run)?;
    Ok(page::page(frame, &shown, &topic))
}

pub(crate) fn stop(work: &Work, id: &JobId) -> Result<Done, Problem> {
    work.jobs.find(id).ok_or_else(Problem::no_job)?;
    if work.jobs.stop(id) {
        return Ok(Done::Go(job_address(id)));
    }
    Err(Problem::new(Code::Conflict, "It is not running", "The job has ended, or is stopping."))
}

/// Has a job go on where it ended.
pub(crate) fn go_on(work: &Work, id: &JobId) -> Result<Done, Problem> {
    work.jobs.find(id).ok_or_else(Problem::no_job)?;
    match work.jobs.go_on(id) {
        Ok(job) => Ok(Done::Go(job_address(&job.id))),
        Err(StartError::Plan(words)) => Err(Problem::new(Code::Conflict, "It cannot go on", words)),
        Err(error) => Err(refused(&error)),
    }
}

/// Starts a job anew from what it was given.
pub(crate) fn again(work: &Work, id: &JobId) -> Result<Job, Problem> {
    let old = work.jobs.find(id).ok_or_else(Problem::no_job)?;
    if !old.state.is_end() || old.what == JobWhat::Refine {
        let words = "It has not ended, or it is a refinement, which can only be resumed.";
        return Err(Problem::new(Code::Conflict, "It cannot be run again", words));
    }
    let text = |name: &str| work.jobs.text(id, name, assay_work::offers::SOURCE_BYTES_MAX).ok();
    let given = [old.subject.as_str(), POLICY].into_iter().filter_map(|name| Some((name.to_owned(), text(name)?)));
    let files: Vec<(String, String)> = given.collect();
    let name = StrategyName::like(&old.subject);
    let before = work.jobs.path().join(id.as_str());
    let started = work.jobs.start(name.stem(), |own| {
        // What lay in its folder lies in the new one.
        let (from, to) = (before.to_string_lossy().into_owned(), own.to_string_lossy().into_owned());
        let moved = |words: &[String]| words.iter().map(|word| word.replace(&from, &to)).collect::<Vec<String>>();
        let (words, again) = (moved(&old.words), old.again.as_deref().map(moved));
        let result = old.result.strip_prefix(&before).map_or_else(|_| own.join("results"), |rest| own.join(rest));
        let (what, subject) = (old.what, old.subject.clone());
        Ok(Plan { what, subject, files, words, again, session: None, hint: None, result })
    });
    started.map_err(|error| refused(&error))
}
