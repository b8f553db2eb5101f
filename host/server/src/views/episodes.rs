//! Forms that start rollouts and runs in worlds, and fork the latter.

use super::Problem;
use super::asking::{Begun, Refusal, Refused, estimate, money, number, offer, optional};
use crate::id::ItemId;
use crate::library::Library;
use crate::pages::start::Filled;
use crate::starting::Work;
use assay_work::episodes::{Actor, Amount, ForkOrder, RolloutOrder, SCRIPTED, WorldsOrder};
use assay_work::jobs::{Plan, What};
use assay_work::offers::Kind;
use assay_world::Profile;
use assay_worlds::agents::{Agents as _, OwnAgent};
use std::path::Path;

/// The folder of a run in that of its job.
const RESULT: &str = "run";

/// What is started, once its order is right.
struct Started<'a> {
    what: What,
    subject: &'a str,
    words: &'a dyn Fn(&Path) -> Vec<String>,
    again: &'a dyn Fn(&Path) -> Vec<String>,
}

impl Started<'_> {
    fn start(&self, work: &Work) -> Result<Begun, Refusal> {
        let Self { what, subject, .. } = *self;
        let job = work.jobs.start(subject, |own| {
            let result = own.join(RESULT);
            let (words, again) = ((self.words)(&result), Some((self.again)(&result)));
            let (subject, files) = (subject.to_owned(), Vec::new());
            Ok(Plan { what, subject, files, words, again, session: None, hint: None, result })
        })?;
        Ok(Begun::Job(Box::new(job)))
    }
}

fn amount(filled: &Filled, seed: u64) -> Result<Amount, Refused> {
    Ok(Amount { samples: number(&filled.samples, "samples")?, at_once: number(&filled.at_once, "at_once")?, seed })
}

/// A model that was named at start.
fn is_known(work: &Work, model: &str) -> bool {
    work.models.iter().any(|known| known == model)
}

/// `assay rollout run`
pub(super) fn rollout(work: &Work, filled: &Filled, is_start: bool) -> Result<Begun, Refusal> {
    let tasks = offer(work, &filled.tasks, |kind| kind == Kind::Tasks, "tasks")?;
    let model = match filled.model.as_str() {
        SCRIPTED | "" => SCRIPTED,
        model if is_known(work, model) => model,
        _ => return Err(Refused::unlisted("model").into()),
    };
    let order = RolloutOrder {
        tasks: tasks.path(),
        only: filled.only.clone(),
        model: model.to_owned(),
        amount: amount(filled, number(&filled.seed, "seed")?)?,
        steps: optional(&filled.steps, "steps")?,
        budget: money(filled)?,
    };
    order.check()?;
    if !is_start {
        return estimate(work, &order.words_of_estimate(&work.jobs.path().join("estimate")));
    }
    let (words, again) = (|out: &Path| order.words(out), |out: &Path| order.words_of_resume(out));
    Started { what: What::Rollout, subject: &tasks.file_name, words: &words, again: &again }.start(work)
}

/// Who acts in a world.
fn actor(work: &Work, filled: &Filled) -> Result<Actor, Refused> {
    let name = if filled.model.is_empty() { OwnAgent::Scripted.name() } else { filled.model.as_str() };
    match OwnAgent::ALL.iter().find(|own| own.name() == name) {
        Some(own) => Ok(Actor::Own(*own)),
        None if is_known(work, name) => Ok(Actor::Model(name.to_owned())),
        None => Err(Refused::unlisted("model").called("agent")),
    }
}

/// `assay worlds fork`, from a step of an episode in a folder that may be read.
pub(super) fn fork(library: &Library, work: &Work, filled: &Filled, is_start: bool) -> Result<Begun, Refusal> {
    let world = offer(work, &filled.world, |kind| kind == Kind::World, "world")?;
    let none = || {
        Refused::of("episode", "open it and follow the link to this form").or_told("it is not the id of a trajectory")
    };
    let id = filled.episode.parse::<ItemId>().map_err(|_| none())?;
    let opened = library.trajectory(&id).ok_or_else(|| Refusal::Other(Problem::nothing()))?;
    let (_, episode) = opened.map_err(|error| Refusal::Other(Problem::of_file("the trajectory", &error)))?;
    let order = ForkOrder {
        world: world.path(),
        episode,
        step: number(&filled.step, "step")?,
        actor: actor(work, filled)?,
        amount: amount(filled, 0)?,
        budget: money(filled)?,
    };
    order.check()?;
    if !is_start {
        return estimate(work, &order.words_of_estimate(&work.jobs.path().join("estimate")));
    }
    let (words, again) = (|out: &Path| order.words(out), |out: &Path| order.words_of_resume(out));
    Started { what: What::World, subject: &world.file_name, words: &words, again: &again }.start(work)
}

/// `assay worlds run`
pub(super) fn world(work: &Work, filled: &Filled, is_start: bool) -> Result<Begun, Refusal> {
    let world = offer(work, &filled.world, |kind| kind == Kind::World, "world")?;
    let faults = Profile::ALL.iter().find(|profile| profile.name() == filled.faults || filled.faults.is_empty());
    let order = WorldsOrder {
        world: world.path(),
        only: filled.only.clone(),
        actor: actor(work, filled)?,
        faults: *faults.ok_or_else(|| Refused::unlisted("faults"))?,
        amount: amount(filled, number(&filled.seed, "seed")?)?,
        budget: money(filled)?,
    };
    order.check()?;
    if !is_start {
        return estimate(work, &order.words_of_estimate(&work.jobs.path().join("estimate")));
    }
    let (words, again) = (|out: &Path| order.words(out), |out: &Path| order.words_of_resume(out));
    Started { what: What::World, subject: &world.file_name, words: &words, again: &again }.start(work)
}
