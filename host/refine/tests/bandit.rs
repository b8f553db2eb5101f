//! Which model writes, and what it is asked for: what pays more for what it costs. Each case is a session with two models of known skill, or with one model
//! that does some of what it is asked for better than the rest; the attacks are ways to be asked often without being any good.

use assay_model::{Seed, Stream};
use assay_refine::core::archive::{complement, source};
use assay_refine::core::bandit::{Arm, by_model, by_operator, choose, choose_operator};
use assay_refine::core::event::{Body, Event, Program};
use assay_refine::core::node::Node;
use assay_refine::core::operator::Operator;
use assay_refine::core::place::Place;
use assay_refine::core::plan::{Budget, ModelPlan, Plan, Rules, Search, WriterPlan};
use assay_refine::core::state::State;
use assay_refine::core::step::{Means, Step, next};

const SESSIONS: u64 = 60;

/// How a model writes, or does one of the things that it is asked for, and what its candidates cost.
#[derive(Clone, Copy, Debug)]
struct Model {
    /// What its programs are worth beside the one that is shown, on average, in standard deviations of a block; `None` if none can be used.
    change: Option<f64>,
    /// How much they differ in that.
    spread: f64,
    /// The noise of their own, beside that of others.
    noise: f64,
    /// Tokens of an answer.
    tokens: u64,
    /// Micro-dollars of an answer.
    microdollars: u64,
}

const HONEST: Model = Model { change: Some(-0.1), spread: 0.3, noise: 1.0, tokens: 1_000, microdollars: 100 };
const BLIND: Model = Model { change: Some(-0.8), ..HONEST };
const DEAR: Model = Model { tokens: 8_000, microdollars: 800, ..HONEST };
/// Nothing that it says can be used.
const JUNK: Model = Model { change: None, ..HONEST };
/// The same, for nothing.
const FREE_JUNK: Model = Model { tokens: 0, microdollars: 0, ..JUNK };
/// What it is shown, with a change that changes nothing but the orders.
const COPIES: Model = Model { change: Some(0.0), spread: 0.0, noise: 0.02, tokens: 100, microdollars: 10 };
/// Worse programs whose points leap, so that some shine by luck.
const GAMBLER: Model = Model { change: Some(-0.6), noise: 4.0, tokens: 100, microdollars: 10, ..HONEST };

/// What the skill of a session depends on.
#[derive(Clone, Copy, Debug)]
enum Skill {
    /// On which of two models writes.
    OfModels([Model; 2]),
    /// On what the one model is asked for, in the order of [`Operator::OF_MODELS`].
    OfOperators([Model; 5]),
}

fn plan(seed: u64, skill: Skill) -> Plan {
    let others = if matches!(skill, Skill::OfModels(_)) { vec!["second".to_owned()] } else { Vec::new() };
    let models = ModelPlan { model: "first".to_owned(), others, ..ModelPlan::default() };
    Plan {
        rules_version: 6,
        assay: String::new(),
        seed,
        goal: "balanced".to_owned(),
        markets: Vec::new(),
        family: Vec::new(),
        strategy: "origin.rs".to_owned(),
        source_hash: String::new(),
        writer: WriterPlan::Model(models),
        search: Search::Evolve,
        // What pays is what is tried here, by blocks alone.
        rules: Rules { target: f64::INFINITY, plateau: 0, pooled_blocks: 0, ..Rules::default() },
        budget: Budget::default(),
    }
}

/// A session at work: a program is its worth and its noise.
struct Session {
    state: State,
    skill: Skill,
}

impl Session {
    fn new(seed: u64, skill: Skill) -> Self {
        let began = Event { seq: 1, at_ms: 0, owner: 0, body: Body::Began { plan: Box::new(plan(seed, skill)) } };
        Self { state: State::begin(&began).expect("it begins"), skill }
    }

    fn note(&mut self, body: Body) {
        let event = Event { seq: self.state.seq() + 1, at_ms: 0, owner: 0, body };
        self.state.apply(&event).expect("what comes next may come next");
    }

    fn of(&self, place: Place) -> (f64, f64) {
        match self.state.candidates().get(&place).and_then(|candidate| candidate.program.as_ref()) {
            Some(Program::Settings(values)) => (values[0], values[1]),
            _ => (0.0, 1.0),
        }
    }

    /// Half of the noise of a block is the market's.
    fn points(&self, place: Place, family: &str, blocks: std::ops::Range<u32>) -> Vec<f64> {
        let (worth, own) = self.of(place);
        let noise = |owner: &str, block: u32| {
            Stream::new(Seed(self.state.seed()), owner, &format!("{family} {block}")).normal() * 0.5_f64.sqrt()
        };
        let name = place.to_string();
        blocks.map(|block| 5.0 + worth + noise("market", block) + own * noise(&name, block)).collect()
    }

    fn write(&mut self, place: Place) -> Body {
        let mut stream = Stream::new(Seed(self.state.seed()), &format!("slot {place}"), "writer");
        if place == Place::ORIGIN {
            return written(place, (None, None), Program::Settings(vec![0.0, 1.0]));
        }
        let operator = choose_operator(&self.state, place).expect("models write");
        self.note(Body::Entered { node: Node::Write, candidate: place, number: 0, operator: Some(operator) });
        let from = source(&self.state, place);
        let other = complement(&self.state, from).filter(|_| operator == Operator::Cross);
        let (shown, noise) = self.of(from);
        let number = choose(&self.state, place);
        let index = Operator::OF_MODELS.iter().position(|one| *one == operator).expect("one of models");
        let Model { change, spread, noise: own, tokens, microdollars } = match self.skill {
            Skill::OfModels(models) => models[number as usize],
            Skill::OfOperators(operators) => operators[index],
        };
        self.note(Body::Asked { candidate: place, attempt: 0, model: Some(number) });
        self.note(Body::Answered {
            candidate: place,
            attempt: 0,
            reply: String::new(),
            tokens,
            microdollars,
            why: None,
        });
        let Some(change) = change else { return Body::Unwritten { candidate: place, why: "prose".to_owned() } };
        // A copy has the noise of what it copies, nearly.
        let noise = if spread > 0.0 { own } else { noise + own };
        let program = Program::Settings(vec![shown + change + spread * stream.normal(), noise]);
        written(place, (Some(from), other), program)
    }

    /// How many candidates each model, or each operator, was asked for in the second half of the session.
    fn run(mut self) -> Vec<u32> {
        loop {
            let body = match next(&self.state, Means::Enough) {
                Step::Over(_) => break,
                Step::Note(body) => body,
                Step::Write(places) => self.write(places[0]),
                Step::Probe(places) => {
                    Body::Probed { candidate: places[0], print: places[0].to_string(), failure: None, behaviour: None }
                }
                Step::Score { candidates, blocks } => {
                    let family = format!("search {}", self.state.generation());
                    let points = self.points(candidates[0], &family, blocks.clone());
                    Body::Scored { candidate: candidates[0], from_block: blocks.start, points, by_market: Vec::new() }
                }
                Step::Compare { trial, candidate, champion, blocks } => {
                    let of = |place: Place| self.points(place, &format!("trial {trial}"), blocks.clone());
                    let pairs = of(candidate).into_iter().zip(of(champion)).collect();
                    Body::Compared { trial, candidate, from_block: blocks.start, pairs, veto: None }
                }
                Step::Unseal { .. } => Body::Unsealed { pairs: vec![(1.0, 0.0); 2], family: Vec::new(), pooled: None },
                Step::Plan | Step::Judge { .. } | Step::Pool { .. } => unreachable!("nobody is there for it"),
            };
            self.note(body);
        }
        let (models, operators) = (by_model(&self.state, u32::MAX), by_operator(&self.state, u32::MAX));
        let all = |arms: &[Arm]| arms.iter().map(|arm| arm.candidates).sum::<u32>();
        assert_eq!(all(&operators), all(&models), "each candidate was asked for something");
        let count = |arms: &[Arm], name: &str| arms.iter().find(|arm| arm.name == name).map_or(0, |arm| arm.candidates);
        let of = |names: &[&str], end: &[Arm], middle: &[Arm]| -> Vec<u32> {
            names.iter().map(|name| count(end, name) - count(middle, name)).collect()
        };
        match self.skill {
            Skill::OfModels(_) => of(&["first", "second"], &models, &by_model(&self.state, 7)),
            Skill::OfOperators(_) => {
                of(&Operator::OF_MODELS.map(Operator::word), &operators, &by_operator(&self.state, 7))
            }
        }
    }
}

fn written(candidate: Place, (parent, other): (Option<Place>, Option<Place>), program: Program) -> Body {
    Body::Written { candidate, parent, other, program, idea: String::new(), revised: None }
}

/// Which part of the candidates of the second half each has.
fn shares(skill: Skill) -> Vec<f64> {
    let mut all = Vec::new();
    for seed in 0..SESSIONS {
        let asked = Session::new(seed, skill).run();
        all.resize(asked.len(), 0);
        for (sum, one) in all.iter_mut().zip(asked) {
            *sum += one;
        }
    }
    let sum: u32 = all.iter().sum();
    all.iter().map(|one| f64::from(*one) / f64::from(sum)).collect()
}

/// Which part of the candidates the first of two models writes once there is something to go by.
fn check(models: [Model; 2], range: std::ops::RangeInclusive<f64>) {
    let share = shares(Skill::OfModels(models))[0];
    assert!(range.contains(&share), "{share:.3} to {:?} beside {:?}", models[0], models[1]);
}

/// Which part of the slots goes to what is done in another way than the rest, which is done honestly.
fn check_operator(which: usize, skill: Model, rest: Model, range: std::ops::RangeInclusive<f64>) {
    let mut operators = [rest; 5];
    operators[which] = skill;
    let all = shares(Skill::OfOperators(operators));
    assert!(range.contains(&all[which]), "{all:.3?}: {which} is {skill:?}, the rest {rest:?}");
    // Crossing needs two programs of which each does something better, so its share is not held.
    assert!(all[..4].iter().all(|share| *share >= 0.02), "somebody starves: {all:.3?}");
}

#[test]
fn whoever_pays_more_for_the_cost_writes_more() {
    check([HONEST, HONEST], 0.4..=0.6);
    check([HONEST, BLIND], 0.6..=1.0);
    check([BLIND, HONEST], 0.0..=0.4);
    check([HONEST, DEAR], 0.57..=1.0);
}

#[test]
fn nobody_is_asked_often_by_being_useless_cheap_or_lucky() {
    for (attack, least) in [(JUNK, 0.75), (FREE_JUNK, 0.75), (COPIES, 0.6), (GAMBLER, 0.65)] {
        check([HONEST, attack], least..=1.0);
        // At the price of an honest one it is worse off, or as it was.
        let Model { tokens, microdollars, .. } = HONEST;
        check([HONEST, Model { tokens, microdollars, ..attack }], 0.55..=1.0);
    }
}

#[test]
fn what_pays_more_for_the_cost_is_asked_for_more() {
    check_operator(0, HONEST, HONEST, 0.1..=0.35);
    check_operator(0, HONEST, BLIND, 0.25..=1.0);
    check_operator(3, HONEST, BLIND, 0.25..=1.0);
    check_operator(2, DEAR, HONEST, 0.0..=0.2);
}

#[test]
fn nothing_is_asked_for_often_that_fails_cheaply_or_shines_by_luck() {
    // A copy of what is shown is as good as that, which is better than the champion now and then.
    for (attack, most) in [(JUNK, 0.16), (FREE_JUNK, 0.16), (COPIES, 0.21), (GAMBLER, 0.16)] {
        check_operator(1, attack, HONEST, 0.0..=most);
    }
}

#[test]
fn the_choice_is_a_function_of_the_log() {
    let run = || Session::new(3, Skill::OfModels([HONEST, GAMBLER])).run();
    assert_eq!(run(), run());
}
