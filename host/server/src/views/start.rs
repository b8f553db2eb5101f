//! The forms that start work: what was filled in becomes an order, and the order a job. Pages and the API call the same functions.
//!
//! Invariants: nothing that costs money starts without an estimate having been asked for, or `act=start` having been said; whatever is wrong is said before
//! anything begins.

use super::asking::{
    Begun, Refusal, Refused, chosen_baseline, chosen_markets, estimate, money, number, offer, optional,
};
use super::desk::{POLICY, job_address};
use super::{Done, Problem, episodes};
use crate::form::Form;
use crate::library::Library;
use crate::pages::start::{Choices, Filled};
use crate::pages::{Frame, episodes as episode_pages, start as page};
use crate::starting::Work;
use assay_work::jobs::{Plan, What as JobWhat};
use assay_work::offers::{Kind, Offer, StrategyName};
use assay_work::order::{self, Budget, GateOrder, RefineOrder, RunOrder, Seeds, Unseen, Writer, goal};
use std::path::PathBuf;

/// What a form starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Begins {
    Run,
    Gate,
    Refinement,
    Rollout,
    World,
    Fork,
}

impl Begins {
    /// Each by its name in the API.
    pub(crate) const ALL: [(&'static str, Self); 6] = [
        ("run", Self::Run),
        ("gate", Self::Gate),
        ("refine", Self::Refinement),
        ("rollout", Self::Rollout),
        ("world", Self::World),
        ("fork", Self::Fork),
    ];

    fn page(self, frame: Frame<'_>, filled: &Filled, choices: &Choices<'_>) -> String {
        match self {
            Self::Run => page::run(frame, filled, choices),
            Self::Gate => page::gate(frame, filled, choices),
            Self::Refinement => page::refine(frame, filled, choices),
            Self::Rollout => episode_pages::rollout(frame, filled, choices),
            Self::World => episode_pages::world(frame, filled, choices),
            Self::Fork => episode_pages::fork(frame, filled, choices),
        }
    }

    /// Starts what a form asks for, or says what it would take.
    pub(crate) fn begin(self, library: &Library, work: &Work, form: &Form) -> Result<Begun, Refusal> {
        let (filled, is_start) = (filled(form), form.get("act") == "start");
        match self {
            Self::Run => run(work, &filled),
            Self::Gate => gate(work, &filled),
            Self::Refinement => refinement(work, &filled, is_start),
            Self::Rollout => episodes::rollout(work, &filled, is_start),
            Self::World => episodes::world(work, &filled, is_start),
            Self::Fork => episodes::fork(library, work, &filled, is_start),
        }
    }

    /// An empty form. `chosen` is what the address names.
    pub(crate) fn form(self, frame: Frame<'_>, work: &Work, chosen: Named) -> String {
        self.page(frame, &fresh(chosen), &choices(&work.offers.list(), work))
    }

    /// A form that was sent: what comes of it, as a page.
    pub(crate) fn sent(self, frame: Frame<'_>, library: &Library, work: &Work, form: &Form) -> Result<Done, Problem> {
        let offers = work.offers.list();
        let choices = choices(&offers, work);
        match self.begin(library, work, form) {
            Ok(Begun::Job(job)) => Ok(Done::Go(job_address(&job.id))),
            Ok(Begun::Estimate(asked)) => {
                let estimate = Some((asked.output.as_str(), asked.code == Some(0)));
                Ok(Done::Page(200, self.page(frame, &filled(form), &Choices { estimate, ..choices })))
            }
            Err(Refusal::Form(refused)) => {
                let words = refused.words();
                let trouble = Some(words.as_str());
                Ok(Done::Page(422, self.page(frame, &filled(form), &Choices { trouble, ..choices })))
            }
            Err(Refusal::Other(problem)) => Err(problem),
        }
    }
}

fn choices<'a>(offers: &'a [Offer], work: &'a Work) -> Choices<'a> {
    Choices { offers, models: &work.models, trouble: None, estimate: None }
}

fn filled(form: &Form) -> Filled {
    let text = |name: &str| form.get(name).trim().to_owned();
    Filled {
        strategy: text("strategy"),
        markets: form.all("market").map(str::to_owned).collect(),
        family: text("family"),
        unseen: form.all("unseen").map(str::to_owned).collect(),
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
        tasks: text("tasks"),
        world: text("world"),
        only: text("only"),
        model: text("model"),
        faults: text("faults"),
        samples: text("samples"),
        at_once: text("at_once"),
        steps: text("steps"),
        episode: text("episode"),
        step: text("step"),
    }
}

/// What an address names for a form.
pub(crate) struct Named {
    /// The file, or the episode.
    pub chosen: Option<String>,
    /// The step and the world of a fork.
    pub step: Option<String>,
    pub world: Option<String>,
}

/// What a form offers as a seed: one that nothing has been run with, so that the sealed seeds of a refinement are new ones.
fn new_seed() -> String {
    let mut bytes = [0; 4];
    // Without randomness of the system, people choose.
    getrandom::fill(&mut bytes).map_or_else(|_| String::new(), |()| u32::from_le_bytes(bytes).to_string())
}

fn fresh(named: Named) -> Filled {
    let chosen = named.chosen.unwrap_or_default();
    Filled {
        tasks: chosen.clone(),
        world: named.world.unwrap_or_else(|| chosen.clone()),
        episode: chosen.clone(),
        step: named.step.unwrap_or_default(),
        strategy: chosen,
        markets: vec!["calm".to_owned()],
        seeds: "20".to_owned(),
        goal: "balanced".to_owned(),
        generations: "6".to_owned(),
        width: "8".to_owned(),
        seed: new_seed(),
        samples: "1".to_owned(),
        at_once: "4".to_owned(),
        ..Filled::default()
    }
}

/// A strategy that was chosen.
struct Chosen {
    /// Its name in a job's folder.
    name: StrategyName,
    text: String,
    path: PathBuf,
}

fn chosen_strategy(work: &Work, id: &str) -> Result<Chosen, Refused> {
    let offer = offer(work, id, Kind::is_strategy, "strategy")?;
    let text = offer.read().map_err(|error| Refused::of("strategy", format!("{}: {error}", offer.name)))?;
    Ok(Chosen { name: StrategyName::like(&offer.file_name), text, path: offer.path() })
}

fn run(work: &Work, filled: &Filled) -> Result<Begun, Refusal> {
    let Chosen { name, text, .. } = chosen_strategy(work, &filled.strategy)?;
    let baseline = chosen_baseline(work, &filled.baseline)?;
    let (seeds, goal) = (Seeds::parse(&filled.seeds)?, goal(&filled.goal)?);
    let markets = chosen_markets(work, "market", filled.markets.iter().map(String::as_str))?;
    let keeps_data = filled.is_checked;
    let job = work.jobs.start(name.stem(), |own| {
        let (strategy, result) = (own.join(name.as_str()), own.join("report"));
        let words = RunOrder { strategy, markets, seeds, goal, baseline, keeps_data }.words(&result);
        let (what, subject, files) = (JobWhat::Run, name.to_string(), vec![(name.to_string(), text)]);
        Ok(Plan { what, subject, files, words, again: None, session: None, hint: None, result })
    })?;
    Ok(Begun::Job(Box::new(job)))
}

fn gate(work: &Work, filled: &Filled) -> Result<Begun, Refusal> {
    let Chosen { name, text, .. } = chosen_strategy(work, &filled.strategy)?;
    // A policy may name files beside it, so it stays where it is.
    let policy = match filled.policy.as_str() {
        "" => None,
        id => Some(offer(work, id, |kind| kind == Kind::Policy, "policy")?.path()),
    };
    let job = work.jobs.start(name.stem(), |own| {
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
    })?;
    Ok(Begun::Job(Box::new(job)))
}

/// The markets that only its end sees. Those that are named count, whatever is chosen beside them.
fn family(work: &Work, filled: &Filled) -> Result<Unseen, Refusal> {
    let wrong = |why: &str, told| Err(Refused::of("family", why).or_told(told).into());
    match (filled.unseen.is_empty(), filled.family.as_str()) {
        (true, "") => Ok(Unseen::Usual),
        (true, "none") => Ok(Unseen::None),
        (false, "") => chosen_markets(work, "unseen", filled.unseen.iter().map(String::as_str)).map(Unseen::These),
        (false, "none") => wrong("choose none, or name some", "`none` and `unseen` exclude each other"),
        _ => wrong("choose one of the list", "use `none`, or leave it empty"),
    }
}

/// A refinement as it was asked for: what it begins with, and the rest.
fn order_of_refinement(work: &Work, filled: &Filled) -> Result<(Option<Chosen>, RefineOrder), Refusal> {
    let strategy = if filled.strategy.is_empty() { None } else { Some(chosen_strategy(work, &filled.strategy)?) };
    let writer = match filled.writer.as_str() {
        "" if filled.words.is_empty() => Writer::Tuner,
        "" => {
            let why = "only a model that writes reads it: choose one, or leave it empty";
            let told = "only a model reads them: name it as `writer`, or leave them out";
            return Err(Refused::of("words", why).called("what a model is asked for, in words").or_told(told).into());
        }
        model if work.models.iter().any(|known| known == model) => {
            Writer::Model { model: model.to_owned(), words: filled.words.clone() }
        }
        _ => return Err(Refused::unlisted("writer").called("who writes candidates").into()),
    };
    let order = RefineOrder {
        from: strategy.as_ref().map(|chosen| chosen.path.clone()),
        writer,
        goal: goal(&filled.goal)?,
        seed: number(&filled.seed, "seed")?,
        generations: number(&filled.generations, "generations")?,
        width: number(&filled.width, "width")?,
        budget: Budget { minutes: optional(&filled.minutes, "minutes")?, ..money(filled)? },
        markets: chosen_markets(work, "market", filled.markets.iter().map(String::as_str))?,
        family: family(work, filled)?,
    };
    order.check()?;
    Ok((strategy, order))
}

fn refinement(work: &Work, filled: &Filled, is_start: bool) -> Result<Begun, Refusal> {
    let (strategy, order) = order_of_refinement(work, filled)?;
    if !is_start {
        return estimate(work, &order.words_of_estimate(&work.jobs.path().join("estimate")));
    }
    let subject = strategy.as_ref().map_or_else(|| "strategy.rs".to_owned(), |chosen| chosen.name.to_string());
    let stem = StrategyName::like(&subject).stem().to_owned();
    let job = work.jobs.start(&stem, |own| {
        let dir = own.join("refine");
        let from = strategy.as_ref().map(|chosen| own.join(chosen.name.as_str()));
        let files = strategy.map(|chosen| (chosen.name.to_string(), chosen.text)).into_iter().collect();
        // In a folder of its own, it is the first of its name.
        let session = dir.join(format!("{stem}-1"));
        let words = RefineOrder { from, ..order }.words(&dir);
        let (again, result) = (order::resume(&session), session.clone());
        Ok(Plan { what: JobWhat::Refine, subject, files, words, again, session: Some(session), hint: None, result })
    })?;
    Ok(Begun::Job(Box::new(job)))
}
