//! The writer that is a language model: what it is told, and what becomes of its answers.
//!
//! Invariants: a reply is stored before anything in it is read; one that is stored is never asked for again; what is told depends on earlier generations
//! and on the stored replies of this slot only, and so does which model is asked for what; nothing of the seeds of trials or of the seal is told, nor what a judge
//! said; what strategies and models said is told as data.

use crate::analyst::Analyst;
pub use crate::ask::{Answer, Ask, NoAnswer, Picture, Speaker};
use crate::core::archive::{complement, source};
use crate::core::bandit::{choose, choose_operator};
use crate::core::event::{Body, Program};
use crate::core::hypotheses::{Fate, hypotheses};
use crate::core::node::Node;
use crate::core::operator::Operator;
use crate::core::place::Place;
use crate::core::plan::{ModelPlan, Search};
use crate::core::purpose::Purpose;
use crate::core::seeds::{Family, block};
use crate::core::state::State;
use crate::planner::{Planner, Stress};
use crate::prompt::as_data;
use crate::session::{Tell, Trouble, Work, Writer};
use crate::stored::Request;
use crate::{judge, planner, prompt, reply};
use assay_model::Seed;
use std::cell::{Cell, RefCell};

/// Further answers that a candidate gets after one that cannot be used.
pub const REPAIRS_MAX: u32 = 3;
/// Bytes of what was tried, as it is told. With the summary 6,000 tokens, where two bytes make one at most.
const TRIED_BYTES_MAX: usize = 5_000;
/// Bytes of what the program did and why.
pub(crate) const SUMMARY_BYTES_MAX: usize = 7_000;
/// Bytes of what it did in markets that were proposed, within those.
const STRESS_BYTES_MAX: usize = 1_500;
/// Bytes of another program that is shown beside; a longer one is not.
const OTHER_BYTES_MAX: usize = 12_000;
/// Bytes of what is wrong with an answer: about 2,000 tokens.
const WHY_BYTES_MAX: usize = 6_000;
/// Bytes of an answer that its writer is shown again: no program that could be used is longer, and each of them is paid for with every repair.
const SAID_BYTES_MAX: usize = 128 * 1024;
/// Bytes of that in the log.
const NOTED_BYTES_MAX: usize = 600;

const SYSTEM: &str = include_str!("../prompts/system.md");
const WRITE: &str = include_str!("../prompts/write.md");
const REPAIR: &str = include_str!("../prompts/repair.md");
const REVIEW: &str = include_str!("../prompts/review.md");

/// Checks and builds a program: what is wrong with it, if anything is.
pub type Check<'a> = dyn Fn(&str) -> Result<Result<(), String>, Trouble> + 'a;

/// See the module documentation.
pub struct ModelWriter<'a> {
    models: &'a [Box<dyn Ask>],
    check: &'a Check<'a>,
    tell: &'a Tell<'a>,
    guide: &'a str,
    analyst: Option<Analyst<'a>>,
    judge: Option<&'a dyn Ask>,
    planner: Option<(Planner<'a>, &'a Stress<'a>)>,
}

/// The hash of all prompts that these models are sent, with this guide.
#[must_use]
pub fn prompts_hash(guide: &str, models: &ModelPlan) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut parts = vec![SYSTEM, WRITE, REPAIR, guide];
    parts.extend(crate::explain::RUN_PROMPTS.iter().filter(|_| models.explain_model.is_some()));
    parts.extend(models.judge_model.iter().map(|_| judge::PROMPT));
    parts.extend(models.plan_model.iter().map(|_| planner::PROMPT));
    parts.extend(models.self_review.then_some(REVIEW));
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

impl<'a> ModelWriter<'a> {
    /// A writer that asks `models`, checks by `check`, and tells how strategies are written by `guide` and what they did by `tell`.
    #[must_use]
    pub const fn new(models: &'a [Box<dyn Ask>], check: &'a Check<'a>, tell: &'a Tell<'a>, guide: &'a str) -> Self {
        Self { models, check, tell, guide, analyst: None, judge: None, planner: None }
    }

    /// With somebody who explains to the writer what the program did.
    #[must_use]
    pub fn with_analyst(mut self, analyst: Option<Analyst<'a>>) -> Self {
        self.analyst = analyst;
        self
    }

    /// With somebody who says what they think of challengers.
    #[must_use]
    pub const fn with_judge(mut self, judge: Option<&'a dyn Ask>) -> Self {
        self.judge = judge;
        self
    }

    /// With somebody who proposes markets, and how programs run in those.
    #[must_use]
    pub const fn with_planner(mut self, planner: Option<(Planner<'a>, &'a Stress<'a>)>) -> Self {
        self.planner = planner;
        self
    }

    /// What the program at `place` did on the probe seeds, and why, if there is somebody who explains it.
    fn did(&self, work: &mut Work<'_>, (slot, place): (Place, Place), shown: &str) -> Result<String, Trouble> {
        work.enter(Node::FeedBack, slot, 0)?;
        // Nothing is decided by the probe seeds.
        let plan = work.state().plan();
        let seeds = block(plan.seed, Family::Probe, 0, plan.rules.probe_seeds);
        let program = Program::Source(blake3::hash(shown.as_bytes()).to_hex().to_string());
        let mut did = (self.tell)(&program, &seeds)?;
        if let Some(analyst) = &self.analyst {
            work.enter(Node::Explain, place, 0)?;
            if let Some(why) = analyst.why(work, place, &program, &seeds)? {
                did = format!("Why, as an analyst explains it:\n{}\n\n{did}", why.trim());
            }
            work.leave(Node::Explain, place, 0, None)?;
        }
        let stress = self.stress(work.state(), &program, &seeds)?;
        did.truncate(did.floor_char_boundary(SUMMARY_BYTES_MAX - stress.len()));
        work.leave(Node::FeedBack, slot, 0, None)?;
        Ok(did + &stress)
    }

    /// What a program did in the markets that were proposed; nothing if none were.
    fn stress(&self, state: &State, program: &Program, seeds: &[Seed]) -> Result<String, Trouble> {
        let markets = state.planned().map_or(&[][..], |planned| &planned.markets[..]);
        let Some((_, stress)) = self.planner.filter(|_| !markets.is_empty()) else { return Ok(String::new()) };
        let told = stress(program, seeds, markets)?;
        let mut text = format!("\n\nIn harder markets, which do not count in its score:\n{told}");
        text.truncate(text.floor_char_boundary(STRESS_BYTES_MAX));
        Ok(text)
    }
}

impl Writer for ModelWriter<'_> {
    fn write(&mut self, work: &mut Work<'_>, place: Place) -> Result<Body, Trouble> {
        let from = source(work.state(), place);
        let shown = work.source(from)?;
        let beside = match complement(work.state(), from).filter(|_| work.state().plan().search == Search::Evolve) {
            None => None,
            Some(other) => Some((other, work.source(other)?)).filter(|(_, text)| text.len() <= OTHER_BYTES_MAX),
        };
        let operator = choose_operator(work.state(), place);
        // It is a parent where the task is to cross the two.
        let other = beside.as_ref().map(|(other, _)| *other).filter(|_| operator == Some(Operator::Cross));
        let reviews = work.state().plan().writer.models().is_some_and(|models| models.self_review);
        let did = self.did(work, (place, from), &shown)?;
        let request = request(work.state(), (place, from, operator), (&shown, &did), beside.as_ref());
        let model = choose(work.state(), place);
        let ask = self.models.get(model as usize).or(self.models.first());
        let ask = &**ask.ok_or_else(|| Trouble::Infrastructure("no model was given".to_owned()))?;
        let model = (self.models.len() > 1).then_some(model);
        let (work, tries) = (RefCell::new(work), Cell::new(0));
        let mut answer = |messages: &[(Speaker, String)], attempt: u32| -> Result<Result<String, String>, Trouble> {
            let replies = messages.iter().filter(|message| message.0 == Speaker::Assistant).count();
            let request = Request { ask, model, candidate: place, attempt, pictures: &[] };
            Ok(request.reply(&mut work.borrow_mut(), messages, replies as u32)?.map(|answer| answer.text))
        };
        let mut validate = |draft: &Draft| -> Result<Result<(), String>, Trouble> {
            let number = tries.replace(tries.get() + 1);
            work.borrow_mut().enter(Node::Validate, place, number)?;
            let found = validated(self.check, draft)?;
            let why = found.as_ref().err().map(|why| why[..why.floor_char_boundary(NOTED_BYTES_MAX)].to_owned());
            work.borrow_mut().leave(Node::Validate, place, number, why)?;
            Ok(found)
        };
        let proposed = proposal((self.guide, &request), &shown, reviews, &mut answer, &mut validate)?;
        let work = work.into_inner();
        Ok(match proposed {
            Ok(reply::Proposal { program, idea, revised }) => {
                let program = Program::Source(work.journal().keep_program(&program)?);
                Body::Written { candidate: place, parent: Some(from), other, program, idea, revised }
            }
            Err(why) => Body::Unwritten { candidate: place, why },
        })
    }

    fn plan(&mut self, work: &mut Work<'_>) -> Result<Body, Trouble> {
        let planner = self.planner.as_ref();
        planner.ok_or_else(|| Trouble::Infrastructure("no planning model was given".to_owned()))?.0.plan(work)
    }

    fn judge(&mut self, work: &mut Work<'_>, trial: u32) -> Result<Body, Trouble> {
        let ask = self.judge.ok_or_else(|| Trouble::Infrastructure("no judging model was given".to_owned()))?;
        judge::judge(work, ask, self.tell, trial)
    }
}

/// Answers a conversation with the given number of replies, or says why it cannot.
pub(crate) type Reply<'a> = dyn FnMut(&[(Speaker, String)], u32) -> Result<Result<String, String>, Trouble> + 'a;

/// A draft, or why an answer is none.
pub(crate) type Draft = Result<reply::Proposal, String>;

/// Says what is wrong with a draft, if anything is.
pub(crate) type Validate<'a> = dyn FnMut(&Draft) -> Result<Result<(), String>, Trouble> + 'a;

/// What a check finds in a draft. An answer that is none was not checked: it is wrong as it is.
pub(crate) fn validated(check: &Check<'_>, draft: &Draft) -> Result<Result<(), String>, Trouble> {
    match draft {
        Ok(draft) => check(&draft.program),
        Err(why) => Ok(Err(why.clone())),
    }
}

/// Asks for a program, and again if it cannot be used; why there is none, if there is none. If it `reviews`, the first draft that can be read is looked
/// over by its writer before it is checked.
pub(crate) fn proposal(
    (guide, request): (&str, &str),
    shown: &str,
    reviews: bool,
    reply: &mut Reply<'_>,
    validate: &mut Validate<'_>,
) -> Result<Draft, Trouble> {
    let mut messages = vec![(Speaker::System, format!("{SYSTEM}{guide}")), (Speaker::User, request.to_owned())];
    let (mut why, mut revised) = (String::new(), None);
    for attempt in 0..=REPAIRS_MAX {
        let text = match reply(&messages, attempt)? {
            Ok(text) => text,
            Err(why) => return Ok(Err(why)),
        };
        let mut draft = reply::read(&text, shown).map_err(|error| error.to_string());
        messages.push((Speaker::Assistant, said_again(text)));
        if reviews && revised.is_none() {
            draft = match draft {
                Ok(first) => Ok(reviewed(&mut messages, first, shown, reply)?),
                unread => unread,
            };
            revised = draft.as_ref().ok().map(|draft| draft.revised.unwrap_or(false));
        }
        why = match (validate(&draft)?, draft) {
            (Ok(()), Ok(draft)) => return Ok(Ok(reply::Proposal { revised, ..draft })),
            (Err(why), _) | (Ok(()), Err(why)) => why,
        };
        why.truncate(why.floor_char_boundary(WHY_BYTES_MAX));
        messages.push((Speaker::User, REPAIR.replace("{why}", &as_data(&why))));
    }
    let first = why.lines().next().unwrap_or_default();
    Ok(Err(format!("no usable answer in {} tries: {first}", REPAIRS_MAX + 1)))
}

/// An answer as its writer is shown it with what is wrong.
fn said_again(mut answer: String) -> String {
    if answer.len() > SAID_BYTES_MAX {
        let left_out = answer.len() - answer.floor_char_boundary(SAID_BYTES_MAX);
        answer.truncate(answer.floor_char_boundary(SAID_BYTES_MAX));
        answer.push_str(&format!("\n[{left_out} more bytes]"));
    }
    answer
}

/// The draft after its writer has looked it over. A review that has no answer, or none that can be read, leaves it as it is.
fn reviewed(
    messages: &mut Vec<(Speaker, String)>,
    draft: reply::Proposal,
    shown: &str,
    reply: &mut Reply<'_>,
) -> Result<reply::Proposal, Trouble> {
    messages.push((Speaker::User, REVIEW.to_owned()));
    let Ok(text) = reply(messages, Purpose::Reviewing.first())? else {
        messages.pop();
        return Ok(draft);
    };
    let read = reply::read(&text, shown);
    messages.push((Speaker::Assistant, said_again(text)));
    Ok(match read {
        Ok(new) if new.program != draft.program => {
            let idea = if new.idea.is_empty() { draft.idea } else { new.idea };
            reply::Proposal { program: new.program, idea, revised: Some(true) }
        }
        _ => draft,
    })
}

/// What the model is asked for a candidate.
fn request(
    state: &State,
    (place, from, operator): (Place, Place, Option<Operator>),
    (shown, did): (&str, &str),
    beside: Option<&(Place, String)>,
) -> String {
    let goal = state.plan().writer.models().map_or("", |models| models.goal.as_str());
    // Slots differ in what is asked of them, so that not all answers are alike.
    let task = match (operator, beside) {
        (Some(Operator::Explore), _) => "Try another idea than those below.",
        (Some(Operator::Simplify), _) => "Make it simpler, and better by that.",
        (Some(Operator::Mend), _) => "Find its greatest weakness and mend it.",
        (Some(Operator::Cross), Some(_)) => "Cross the two programs below: take from each what it does better.",
        _ => "Improve what it does.",
    };
    let other = beside.map_or(String::new(), |(other, text)| {
        let text = as_data(text);
        format!("\nAnother program, candidate {other}, which does better where this one does worse, or trades in another way. Edits are of the program above, not of this one:\n\n<data>\n{text}\n</data>\n")
    });
    let hints: String = state.hints().iter().map(|hint| format!("\nA hint from the user: {hint}\n")).collect();
    let tried = tried(state, place.generation);
    filled((place, from), task, &Told { goal, program: shown, did, other: &other, tried: &tried, hints: &hints })
}

/// What a request tells.
pub(crate) struct Told<'a> {
    pub(crate) goal: &'a str,
    pub(crate) program: &'a str,
    pub(crate) did: &'a str,
    pub(crate) other: &'a str,
    pub(crate) tried: &'a str,
    pub(crate) hints: &'a str,
}

/// The request for a candidate with everything that it tells.
pub(crate) fn filled((place, from): (Place, Place), task: &str, told: &Told<'_>) -> String {
    // Texts of others come last, so that no mark in them is filled in.
    let request = WRITE.replace("{place}", &place.to_string()).replace("{parent}", &from.to_string());
    let request = request.replace("{task}", task);
    prompt::filled(&request, |name| {
        Some(match name {
            "goal" => told.goal.to_owned(),
            "program" => as_data(told.program),
            "did" => as_data(told.did),
            "other" => told.other.to_owned(),
            "tried" => as_data(told.tried),
            "hints" => told.hints.to_owned(),
            _ => return None,
        })
    })
}

/// What earlier generations tried, as far as there is room: first what made champions, then the rest, each newest first. What a trial measured is not told.
fn tried(state: &State, generation: u32) -> String {
    let mut text = String::new();
    let mut all = hypotheses(state);
    all.retain(|one| one.place.generation < generation);
    all.sort_by_key(|one| (!matches!(one.fate, Fate::Confirmed(_)), std::cmp::Reverse(one.place)));
    for one in all {
        let gained = one.gained().unwrap_or_else(|| "not scored".to_owned());
        let result = match &one.fate {
            Fate::Out(why) => format!("out: {why}"),
            Fate::Confirmed(_) => format!("{gained}, and became champion"),
            Fate::NotConfirmed(_) | Fate::Raced | Fate::Open => gained,
        };
        let line = format!("{}: {} → {result}\n", one.place, one.candidate.idea.replace('\n', " "));
        if text.len() + line.len() > TRIED_BYTES_MAX {
            break;
        }
        text.push_str(&line);
    }
    if text.is_empty() { "nothing yet\n".to_owned() } else { text }
}
