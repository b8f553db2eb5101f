//! Jobs and the forms that start them; what is done to sessions.

use super::{Done, Problem, View, session};
use crate::form::Form;
use crate::id::FolderId;
use crate::library::{Library, What};
use crate::pages::jobs::Shown;
use crate::pages::start::{Choices, Filled};
use crate::pages::{Frame, Topic, jobs as page, start};
use crate::starting::Work;
use crate::topic::{TopicId, number_of_jobs};
use assay_refine::core::plan::WriterPlan;
use assay_refine::manage;
use assay_store::{Filter, Page as StorePage, RunId};
use assay_work::jobs::{Job, JobId, Plan, StartError, State, What as JobWhat};
use assay_work::offers::{Kind, Offer, OfferId, StrategyName};
use assay_work::order::{self, Budget, GateOrder, Markets, OrderError, RefineOrder, RunOrder, Seeds, Writer, goal};
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

/// How long a command may take to say what it would do: it compiles the strategy.
const ESTIMATE_WAIT: Duration = Duration::from_secs(120);
/// The newest runs of the store among which that of a job is looked for.
const RUNS_LOOKED_AT: u32 = 50;
/// Bytes of a run's record that is shown beside its job.
const RECORD_BYTES_MAX: u64 = 64 << 20;

/// Something that is not as it has to be, of this machine say.
pub(crate) fn unwell(why: &str) -> Problem {
    Problem { status: 422, title: "That cannot be done", words: why.to_owned() }
}

fn refused(error: &StartError) -> Problem {
    let status = match error {
        StartError::Full | StartError::TooMany | StartError::Closing => 503,
        StartError::Plan(_) => 422,
        StartError::Files(_) => 500,
    };
    Problem { status, title: "It was not started", words: error.to_string() }
}

/// The editor with a job beside its text.
pub(crate) fn editor_address(id: &JobId) -> String {
    format!("/edit?job={id}#job")
}

fn job_address(id: &JobId) -> String {
    format!("/jobs/{id}")
}

pub(crate) fn topic(work: &Work, id: &JobId) -> Topic {
    let topic = TopicId::Job(id.clone());
    Topic { name: topic.to_string(), after: topic.number_of_job(work).unwrap_or(0) }
}

/// The run of the store that a job has made: its command names the job's folder.
pub(crate) async fn run_of_job(library: &Library, work: &Work, id: &JobId) -> Option<RunId> {
    let job = work.jobs.find(id).filter(|job| job.what == JobWhat::Run && job.state.is_end())?;
    let folder = format!("/{id}/");
    let (filter, page) = (Filter::default(), StorePage { number: 0, size: RUNS_LOOKED_AT });
    let (rows, _) = library.store().await.ok()?.list(&filter, page, None).await.ok()?;
    let is_its = |row: &&assay_store::RunRow| row.run.subject == job.subject && row.run.command.contains(&folder);
    rows.iter().find(is_its).map(|row| row.run.id)
}

/// A job with what is known of it.
pub(crate) fn shown(library: &Library, work: &Work, id: &JobId, run: Option<RunId>) -> Result<Shown, Problem> {
    let job = work.jobs.find(id).ok_or_else(Problem::nothing)?;
    let output = work.jobs.output(id);
    let id = FolderId::of(&job.result);
    // Its end is told at once, so what it has left must be seen at once.
    let ended = job.ended_ms.and_then(|ended| UNIX_EPOCH.checked_add(Duration::from_millis(ended)));
    let found = ended.map_or_else(|| library.folder(id), |ended| library.folder_since(id, ended));
    let record = found.as_ref().filter(|found| found.what == What::Report && job.state.is_end()).and_then(|found| {
        let bytes = found.open().and_then(|folder| folder.read("run.json", RECORD_BYTES_MAX)).ok()?;
        // One that cannot be read says why on its own page.
        assay_report::read(&bytes).ok()
    });
    Ok(Shown { job, output, found, run, record })
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
    work.jobs.find(id).ok_or_else(Problem::nothing)?;
    if work.jobs.stop(id) {
        return Ok(Done::Go(job_address(id)));
    }
    Err(Problem { status: 409, title: "It is not running", words: "The job has ended, or is stopping.".to_owned() })
}

/// Starts a job anew from what it was given.
pub(crate) fn again(work: &Work, id: &JobId) -> Result<Done, Problem> {
    let old = work.jobs.find(id).ok_or_else(Problem::nothing)?;
    if !old.state.is_end() || old.what == JobWhat::Refine {
        let words = "It has not ended, or it is a refinement, which is resumed on its own page.".to_owned();
        return Err(Problem { status: 409, title: "It cannot be run again", words });
    }
    let text = |name: &str| work.jobs.text(id, name, assay_work::offers::SOURCE_BYTES_MAX).ok();
    let given = [old.subject.as_str(), POLICY].into_iter().filter_map(|name| Some((name.to_owned(), text(name)?)));
    let files: Vec<(String, String)> = given.collect();
    let name = StrategyName::like(&old.subject);
    let before = work.jobs.path().join(id.as_str());
    let started = work.jobs.start(name.stem(), |own| {
        // What lay in its folder lies in the new one.
        let (from, to) = (before.to_string_lossy().into_owned(), own.to_string_lossy().into_owned());
        let words: Vec<String> = old.words.iter().map(|word| word.replace(&from, &to)).collect();
        let again = old.again.as_ref().map(|_| words.clone());
        let result = old.result.strip_prefix(&before).map_or_else(|_| own.join("results"), |rest| own.join(rest));
        let (what, subject) = (old.what, old.subject.clone());
        Ok(Plan { what, subject, files, words, again, session: None, hint: None, result })
    });
    started.map(|job| Done::Go(job_address(&job.id))).map_err(|error| refused(&error))
}

/// What a policy is called in a job's folder.
const POLICY: &str = "gate.toml";

fn offer(work: &Work, id: &str, is_right: impl Fn(Kind) -> bool, field: &'static str) -> Result<Offer, OrderError> {
    let found = id.parse::<OfferId>().ok().and_then(|id| work.offers.find(id));
    found
        .filter(|offer| is_right(offer.kind))
        .ok_or_else(|| OrderError { field, why: "choose one of the list".to_owned() })
}

/// The path of what a run is compared with; none for a trader that does nothing.
pub(crate) fn chosen_baseline(work: &Work, id: &str) -> Result<Option<PathBuf>, String> {
    if id.is_empty() {
        return Ok(None);
    }
    offer(work, id, Kind::is_strategy, "compare with")
        .map(|offer| Some(offer.path()))
        .map_err(|error| error.to_string())
}

/// A strategy that was chosen.
struct Chosen {
    /// Its name in a job's folder.
    name: StrategyName,
    text: String,
    path: PathBuf,
}

fn chosen_strategy(work: &Work, id: &str) -> Result<Chosen, String> {
    let offer = offer(work, id, Kind::is_strategy, "strategy").map_err(|error| error.to_string())?;
    let text = offer.read().map_err(|error| format!("{}: {error}", offer.name))?;
    Ok(Chosen { name: StrategyName::like(&offer.file_name), text, path: offer.path() })
}

fn filled(form: &Form) -> Filled {
    let text = |name: &str| form.get(name).trim().to_owned();
    Filled {
        strategy: text("strategy"),
        markets: form.all("market").map(str::to_owned).collect(),
        seeds: text("seeds"),
        goal: text("goal"),
        baseline: text("baseline"),
        policy: text("policy"),
        is_checked: !form.get("checked").is_empty(),
        writer: text("writer"),
        words: text("words"),
        generations: text("generations"),
        width: text("width"),
        seed: text("seed"),
        minutes: text("minutes"),
        dollars: text("dollars"),
        tokens: text("tokens"),
    }
}

fn fresh(strategy: Option<String>) -> Filled {
    Filled {
        strategy: strategy.unwrap_or_default(),
        markets: vec!["calm".to_owned()],
        seeds: "20".to_owned(),
        goal: "balanced".to_owned(),
        generations: "6".to_owned(),
        width: "8".to_owned(),
        seed: "1".to_owned(),
        ..Filled::default()
    }
}

fn choices<'a>(offers: &'a [Offer], work: &'a Work, trouble: Option<&'a str>) -> Choices<'a> {
    Choices { offers, models: &work.models, trouble, estimate: None }
}

pub(crate) fn new_run(frame: Frame<'_>, work: &Work, strategy: Option<String>) -> String {
    start::run(frame, &fresh(strategy), &choices(&work.offers.list(), work, None))
}

pub(crate) fn start_run(frame: Frame<'_>, work: &Work, form: &Form) -> Result<Done, Problem> {
    let filled = filled(form);
    let asked = || {
        let Chosen { name, text, .. } = chosen_strategy(work, &filled.strategy)?;
        let baseline = chosen_baseline(work, &filled.baseline)?;
        let words = |error: OrderError| error.to_string();
        let markets = Markets::parse(filled.markets.iter().map(String::as_str)).map_err(words)?;
        let (seeds, goal) = (Seeds::parse(&filled.seeds).map_err(words)?, goal(&filled.goal).map_err(words)?);
        Ok::<_, String>((name, text, baseline, markets, seeds, goal))
    };
    let (name, text, baseline, markets, seeds, goal) = match asked() {
        Ok(asked) => asked,
        Err(why) => {
            let page = start::run(frame, &filled, &choices(&work.offers.list(), work, Some(&why)));
            return Ok(Done::Page(422, page));
        }
    };
    let keeps_data = filled.is_checked;
    let started = work.jobs.start(name.stem(), |own| {
        let (strategy, result) = (own.join(name.as_str()), own.join("report"));
        let words = RunOrder { strategy, markets, seeds, goal, baseline, keeps_data }.words(&result);
        let (what, subject, files) = (JobWhat::Run, name.to_string(), vec![(name.to_string(), text)]);
        Ok(Plan { what, subject, files, words, again: None, session: None, hint: None, result })
    });
    started.map(|job| Done::Go(job_address(&job.id))).map_err(|error| refused(&error))
}

pub(crate) fn new_gate(frame: Frame<'_>, work: &Work, strategy: Option<String>) -> String {
    start::gate(frame, &fresh(strategy), &choices(&work.offers.list(), work, None))
}

pub(crate) fn start_gate(frame: Frame<'_>, work: &Work, form: &Form) -> Result<Done, Problem> {
    let filled = filled(form);
    let asked = || {
        let strategy = chosen_strategy(work, &filled.strategy)?;
        // A policy may name files beside it, so it stays where it is.
        let policy = match filled.policy.as_str() {
            "" => None,
            id => {
                Some(offer(work, id, |kind| kind == Kind::Policy, "policy").map_err(|error| error.to_string())?.path())
            }
        };
        Ok::<_, String>((strategy, policy))
    };
    let (Chosen { name, text, .. }, policy) = match asked() {
        Ok(asked) => asked,
        Err(why) => {
            let page = start::gate(frame, &filled, &choices(&work.offers.list(), work, Some(&why)));
            return Ok(Done::Page(422, page));
        }
    };
    let started = work.jobs.start(name.stem(), |own| {
        let mut files = vec![(name.to_string(), text)];
        let policy = policy.unwrap_or_else(|| {
            files.push((POLICY.to_owned(), work.policy.to_owned()));
            own.join(POLICY)
        });
        let (submission, result) = (own.join(name.as_str()), own.join("verdicts"));
        let words = GateOrder { submission, policy, is_feedback: filled.is_checked }.words(&result);
        // The one before may still be writing what it has.
        let again = Some([words.as_slice(), &["--wait".to_owned()]].concat());
        let (what, subject) = (JobWhat::Gate, name.to_string());
        Ok(Plan { what, subject, files, words, again, session: None, hint: None, result })
    });
    started.map(|job| Done::Go(job_address(&job.id))).map_err(|error| refused(&error))
}

pub(crate) fn new_refinement(frame: Frame<'_>, work: &Work, strategy: Option<String>) -> String {
    start::refine(frame, &fresh(strategy), &choices(&work.offers.list(), work, None))
}

/// A refinement as it was asked for: what it begins with, and the rest.
fn refinement(work: &Work, filled: &Filled) -> Result<(Option<Chosen>, RefineOrder), String> {
    let wrong = |field: &str| format!("{field}: it is not a number");
    let number = |text: &str, field: &str| text.parse::<u32>().map_err(|_| wrong(field));
    fn optional<T: std::str::FromStr>(text: &str, field: &str) -> Result<Option<T>, String> {
        if text.is_empty() {
            Ok(None)
        } else {
            text.parse().map(Some).map_err(|_| format!("{field}: it is not a number"))
        }
    }
    let strategy = if filled.strategy.is_empty() { None } else { Some(chosen_strategy(work, &filled.strategy)?) };
    let writer = match filled.writer.as_str() {
        "" => Writer::Tuner,
        model if work.models.iter().any(|known| known == model) => {
            Writer::Model { model: model.to_owned(), words: filled.words.clone() }
        }
        _ => return Err("who writes candidates: choose one of the list".to_owned()),
    };
    let words = |error: OrderError| error.to_string();
    let order = RefineOrder {
        from: strategy.as_ref().map(|chosen| chosen.path.clone()),
        writer,
        markets: Markets::parse(filled.markets.iter().map(String::as_str)).map_err(words)?,
        goal: goal(&filled.goal).map_err(words)?,
        seed: filled.seed.parse().map_err(|_| wrong("seed"))?,
        generations: number(&filled.generations, "generations")?,
        width: number(&filled.width, "width")?,
        budget: Budget {
            dollars: optional(&filled.dollars, "dollars")?,
            tokens: optional(&filled.tokens, "tokens")?,
            minutes: optional(&filled.minutes, "minutes")?,
        },
    };
    order.check().map_err(words)?;
    Ok((strategy, order))
}

/// Says what a refinement would take, or starts it.
pub(crate) fn start_refinement(frame: Frame<'_>, work: &Work, form: &Form) -> Result<Done, Problem> {
    let filled = filled(form);
    let offers = work.offers.list();
    let (strategy, order) = match refinement(work, &filled) {
        Ok(asked) => asked,
        Err(why) => return Ok(Done::Page(422, start::refine(frame, &filled, &choices(&offers, work, Some(&why))))),
    };
    if form.get("act") != "start" {
        let words = order.words_of_estimate(&work.jobs.path().join("estimate"));
        let asked = work.jobs.ask(&words, ESTIMATE_WAIT).map_err(|error| unwell(&error.to_string()))?;
        let estimate = Some((asked.output.as_str(), asked.code == Some(0)));
        return Ok(Done::Page(
            200,
            start::refine(frame, &filled, &Choices { estimate, ..choices(&offers, work, None) }),
        ));
    }
    let subject = strategy.as_ref().map_or_else(|| "strategy.rs".to_owned(), |chosen| chosen.name.to_string());
    let stem = StrategyName::like(&subject).stem().to_owned();
    let started = work.jobs.start(&stem, |own| {
        let dir = own.join("refine");
        let from = strategy.as_ref().map(|chosen| own.join(chosen.name.as_str()));
        let files = strategy.map(|chosen| (chosen.name.to_string(), chosen.text)).into_iter().collect();
        // In a folder of its own, it is the first of its name.
        let session = dir.join(format!("{stem}-1"));
        let words = RefineOrder { from, ..order }.words(&dir);
        let (again, result) = (order::resume(&session), session.clone());
        Ok(Plan { what: JobWhat::Refine, subject, files, words, again, session: Some(session), hint: None, result })
    });
    started.map(|job| Done::Go(job_address(&job.id))).map_err(|error| refused(&error))
}

/// A job that goes on with a session.
fn resumed(work: &Work, subject: &str, session: PathBuf, hint: Option<String>) -> Result<Job, Problem> {
    let words = order::resume(&session).ok_or_else(Problem::nothing)?;
    let name = session.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let started = work.jobs.start(&name, |_| {
        Ok(Plan {
            what: JobWhat::Refine,
            subject: subject.to_owned(),
            files: Vec::new(),
            again: Some(words.clone()),
            words,
            result: session.clone(),
            session: Some(session),
            hint,
        })
    });
    started.map_err(|error| refused(&error))
}

fn conflict(title: &'static str, words: &str) -> Problem {
    Problem { status: 409, title, words: words.to_owned() }
}

pub(crate) fn resume(library: &Library, work: &Work, id: FolderId) -> Result<Done, Problem> {
    let (found, kept) = session(library, id)?;
    if kept.state.ended().is_some() {
        return Err(conflict("It is over", "Nothing is left to do in this session; a fork can go on from any event."));
    }
    if kept.is_running || work.jobs.of_session(&found.path).is_some() {
        return Err(conflict("It is running", "This session is running, or waits for its turn."));
    }
    resumed(work, &kept.state.plan().strategy, found.path, None)?;
    Ok(Done::Go(format!("/refine/{id}")))
}

/// Gives a session a hint. One that runs is stopped for it, and goes on with it.
pub(crate) fn hint(library: &Library, work: &Work, id: FolderId, form: &Form) -> Result<Done, Problem> {
    let (found, kept) = session(library, id)?;
    let text = manage::checked_hint(form.get("hint")).map_err(|error| unwell(&error.to_string()))?;
    if matches!(kept.state.plan().writer, WriterPlan::Tuner { .. }) {
        return Err(unwell(&manage::ManageError::Deaf.to_string()));
    }
    if kept.state.ended().is_some() {
        return Err(conflict("It is over", "No candidate will be written any more that could hear it."));
    }
    let running = work.jobs.of_session(&found.path);
    if running.as_ref().is_some_and(|job| job.hint.is_some()) {
        return Err(conflict(
            "A hint waits already",
            "The session is stopping for another hint. Give this one once it goes on.",
        ));
    }
    if let Some(job) = running.as_ref().filter(|job| job.state == State::Running) {
        // It stops as after Ctrl-C, and loses nothing.
        let _ = work.jobs.stop(&job.id);
    } else if running.is_some() {
        return Err(conflict("It waits for its turn", "Give the hint once the session runs."));
    } else if kept.is_running {
        kept.ask_to_stop().map_err(|error| Problem::unreadable("the session", error))?;
    } else {
        manage::hint(&found.path, text, std::process::id()).map_err(|error| unwell(&error.to_string()))?;
        return Ok(Done::Go(format!("/refine/{id}")));
    }
    resumed(work, &kept.state.plan().strategy, found.path, Some(text.to_owned()))?;
    Ok(Done::Go(format!("/refine/{id}")))
}

/// Begins a session with the events of another, in a folder of its own, and runs it.
pub(crate) fn fork(library: &Library, work: &Work, id: FolderId, form: &Form) -> Result<Done, Problem> {
    let (found, kept) = session(library, id)?;
    let at: u64 = form.get("at").trim().parse().map_err(|_| unwell("the event to fork after: it is not a number"))?;
    let parent = found.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let subject = kept.state.plan().strategy.clone();
    let started = work.jobs.start(&format!("{parent}-fork"), |own| {
        let dir = own.join("refine");
        let id = manage::fork(&kept, &parent, at, &dir, std::process::id()).map_err(|error| error.to_string())?;
        let session = dir.join(id);
        let words = order::resume(&session).ok_or("the fork has no folder")?;
        Ok(Plan {
            what: JobWhat::Refine,
            subject,
            files: Vec::new(),
            again: Some(words.clone()),
            words,
            result: session.clone(),
            session: Some(session),
            hint: None,
        })
    });
    started.map(|job| Done::Go(job_address(&job.id))).map_err(|error| refused(&error))
}
