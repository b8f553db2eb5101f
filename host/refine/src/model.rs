//! The writer that is a language model: what it is told, and what becomes of its answers.
//!
//! Invariants: a reply is stored before anything in it is read; one that is stored is never asked for again; what is told depends on earlier generations
//! and on the stored replies of this slot only; nothing of the seeds of trials or of the seal is told; what strategies and models said is told as data.

use crate::analyst::Analyst;
pub use crate::ask::{Answer, Ask, NoAnswer, Speaker};
use crate::core::archive::{complement, parent};
use crate::core::event::{Body, Program};
use crate::core::hypotheses::{Fate, hypotheses};
use crate::core::place::Place;
use crate::core::plan::{Search, WriterPlan};
use crate::core::seeds::{Family, block};
use crate::core::state::State;
use crate::reply;
use crate::session::{Trouble, Work, Writer};
use assay_model::{Seed, Stream};

/// Further answers that a candidate gets after one that cannot be used.
pub const REPAIRS_MAX: u32 = 3;
/// Bytes of what was tried, as it is told. With the summary 6,000 tokens, where two bytes make one at most.
const TRIED_BYTES_MAX: usize = 5_000;
/// Bytes of what the program did and why.
pub(crate) const SUMMARY_BYTES_MAX: usize = 7_000;
/// Bytes of another program that is shown beside; a longer one is not.
const OTHER_BYTES_MAX: usize = 12_000;
/// Bytes of what is wrong with an answer: about 2,000 tokens.
const WHY_BYTES_MAX: usize = 6_000;

/// Tasks that slots have in turn, and the one of them that crosses two programs.
const TASKS: u32 = 5;
const CROSSING: u32 = 4;

const SYSTEM: &str = include_str!("../prompts/system.md");
const WRITE: &str = include_str!("../prompts/write.md");
const REPAIR: &str = include_str!("../prompts/repair.md");

/// Checks and builds a program: what is wrong with it, if anything is.
pub type Check<'a> = dyn Fn(&str) -> Result<Result<(), String>, Trouble> + 'a;

/// Runs a program on a few seeds: what it did, for a reader.
pub type Tell<'a> = dyn Fn(&Program, &[Seed]) -> Result<String, Trouble> + 'a;

/// See the module documentation.
pub struct ModelWriter<'a> {
    ask: &'a dyn Ask,
    check: &'a Check<'a>,
    tell: &'a Tell<'a>,
    guide: &'a str,
    analyst: Option<Analyst<'a>>,
}

/// The hash of all prompts, with this guide, and with those of an explainer if there is one.
#[must_use]
pub fn prompts_hash(guide: &str, explains: bool) -> String {
    let mut hasher = blake3::Hasher::new();
    let explaining: &[&str] = if explains { &crate::explain::RUN_PROMPTS } else { &[] };
    for part in [SYSTEM, WRITE, REPAIR, guide].iter().chain(explaining) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

impl<'a> ModelWriter<'a> {
    /// A writer that asks `ask`, checks by `check`, and tells how strategies are written by `guide` and what they did by `tell`.
    #[must_use]
    pub const fn new(ask: &'a dyn Ask, check: &'a Check<'a>, tell: &'a Tell<'a>, guide: &'a str) -> Self {
        Self { ask, check, tell, guide, analyst: None }
    }

    /// With somebody who explains to the writer what the program did.
    #[must_use]
    pub fn with_analyst(mut self, analyst: Option<Analyst<'a>>) -> Self {
        self.analyst = analyst;
        self
    }

    /// What the program at `place` did on the probe seeds, and why, if there is somebody who explains it.
    fn did(&self, work: &mut Work<'_>, place: Place, shown: &str) -> Result<String, Trouble> {
        // Nothing is decided by the probe seeds.
        let plan = work.state().plan();
        let seeds = block(plan.seed, Family::Probe, 0, plan.rules.probe_seeds);
        let program = Program::Source(blake3::hash(shown.as_bytes()).to_hex().to_string());
        let mut did = (self.tell)(&program, &seeds)?;
        if let Some(analyst) = &self.analyst
            && let Some(why) = analyst.why(work, place, &program, &seeds)?
        {
            did = format!("Why, as an analyst explains it:\n{}\n\n{did}", why.trim());
        }
        did.truncate(did.floor_char_boundary(SUMMARY_BYTES_MAX));
        Ok(did)
    }

    /// The answer to an attempt: the stored one, or a new one, which is then stored.
    fn answer(
        &self,
        work: &mut Work<'_>,
        place: Place,
        attempt: u32,
        messages: &[(Speaker, String)],
    ) -> Result<Result<String, String>, Trouble> {
        if let Some(hash) = work.state().reply(place, attempt) {
            return Ok(Ok(work.journal().reply(hash)?));
        }
        if work.is_spent() {
            return Ok(Err("the budget was spent".to_owned()));
        }
        work.note(Body::Asked { candidate: place, attempt })?;
        match self.ask.ask(messages, attempt) {
            Ok(Answer { text, tokens, microdollars }) => {
                let reply = work.journal().keep_reply(&text)?;
                work.note(Body::Answered { candidate: place, attempt, reply, tokens, microdollars })?;
                Ok(Ok(text))
            }
            Err(NoAnswer::Slot(why)) => Ok(Err(why)),
            Err(NoAnswer::Session(why)) => Err(Trouble::Infrastructure(why)),
        }
    }
}

impl Writer for ModelWriter<'_> {
    fn write(&mut self, work: &mut Work<'_>, place: Place) -> Result<Body, Trouble> {
        let from = from(work.state(), place);
        let shown = program(work, from)?;
        let beside = match complement(work.state(), from).filter(|_| work.state().plan().search == Search::Evolve) {
            None => None,
            Some(other) => Some((other, program(work, other)?)).filter(|(_, text)| text.len() <= OTHER_BYTES_MAX),
        };
        // It is a parent where the task is to cross the two.
        let other = beside.as_ref().map(|(other, _)| *other).filter(|_| place.slot % TASKS == CROSSING);
        let did = self.did(work, from, &shown)?;
        let request = request(work.state(), (place, from), (&shown, &did), beside.as_ref());
        let mut answer = |messages: &[(Speaker, String)], attempt: u32| self.answer(work, place, attempt, messages);
        let proposed = proposal((self.guide, &request), &shown, &mut answer, self.check)?;
        Ok(match proposed {
            Ok(reply::Proposal { program, idea }) => {
                let program = Program::Source(work.journal().keep_program(&program)?);
                Body::Written { candidate: place, parent: Some(from), other, program, idea }
            }
            Err(why) => Body::Unwritten { candidate: place, why },
        })
    }
}

/// Answers a conversation with the given number of replies, or says why it cannot.
pub(crate) type Reply<'a> = dyn FnMut(&[(Speaker, String)], u32) -> Result<Result<String, String>, Trouble> + 'a;

/// Asks for a program, and again if it cannot be used; why there is none, if there is none.
pub(crate) fn proposal(
    (guide, request): (&str, &str),
    shown: &str,
    reply: &mut Reply<'_>,
    check: &Check<'_>,
) -> Result<Result<reply::Proposal, String>, Trouble> {
    let mut messages = vec![(Speaker::System, format!("{SYSTEM}{guide}")), (Speaker::User, request.to_owned())];
    let mut why = String::new();
    for attempt in 0..=REPAIRS_MAX {
        let text = match reply(&messages, attempt)? {
            Ok(text) => text,
            Err(why) => return Ok(Err(why)),
        };
        why = match reply::read(&text, shown) {
            Err(error) => error.to_string(),
            Ok(proposal) => match check(&proposal.program)? {
                Ok(()) => return Ok(Ok(proposal)),
                Err(why) => why,
            },
        };
        why.truncate(why.floor_char_boundary(WHY_BYTES_MAX));
        messages.push((Speaker::Assistant, text));
        messages.push((Speaker::User, REPAIR.replace("{why}", &as_data(&why))));
    }
    let first = why.lines().next().unwrap_or_default();
    Ok(Err(format!("no usable answer in {} tries: {first}", REPAIRS_MAX + 1)))
}

/// The source of a candidate.
fn program(work: &Work<'_>, place: Place) -> Result<String, Trouble> {
    match work.state().candidates().get(&place).and_then(|candidate| candidate.program.as_ref()) {
        Some(Program::Source(hash)) => Ok(work.journal().program(hash)?),
        _ => Err(Trouble::Infrastructure(format!("there is no program of {place}"))),
    }
}

/// What a slot's candidate is made from.
fn from(state: &State, place: Place) -> Place {
    match state.plan().search {
        Search::BestOfN => Place::ORIGIN,
        Search::Chain => state.champion(),
        Search::Evolve => parent(state, &mut Stream::new(Seed(state.seed()), &format!("slot {place}"), "parent")),
    }
}

/// What the model is asked for a candidate.
fn request(
    state: &State,
    (place, from): (Place, Place),
    (shown, did): (&str, &str),
    beside: Option<&(Place, String)>,
) -> String {
    let goal = match &state.plan().writer {
        WriterPlan::Model { goal, .. } => goal.as_str(),
        WriterPlan::Tuner { .. } => "",
    };
    // Slots differ in what is asked of them, so that not all answers are alike.
    let task = match (place.slot % TASKS, beside) {
        (1, _) => "Try another idea than those below.",
        (2, _) => "Make it simpler, and better by that.",
        (3, _) => "Find its greatest weakness and mend it.",
        (CROSSING, Some(_)) => "Cross the two programs below: take from each what it does better.",
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
    let mut filled = String::new();
    let mut rest = request.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let (name, tail) = after.split_once('}').unwrap_or((after, ""));
        match name {
            "goal" => filled.push_str(told.goal),
            "program" => filled.push_str(&as_data(told.program)),
            "did" => filled.push_str(&as_data(told.did)),
            "other" => filled.push_str(told.other),
            "tried" => filled.push_str(&as_data(told.tried)),
            "hints" => filled.push_str(told.hints),
            other => filled.push_str(other),
        }
        rest = tail;
    }
    filled + rest
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

/// Text that cannot end the data that it stands in.
fn as_data(text: &str) -> String {
    text.replace("</data>", "</ data>").replace("<data>", "< data>")
}
