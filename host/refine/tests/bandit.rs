//! Which model writes: the one whose candidates pay more for what they cost. Each case is a session with two models of known skill; the attacks are ways
//! to be asked often without being any good.

use assay_model::{Seed, Stream};
use assay_refine::core::archive::parent;
use assay_refine::core::bandit::{by_model, by_operator, choose};
use assay_refine::core::event::{Body, Event, Program};
use assay_refine::core::place::Place;
use assay_refine::core::plan::{Budget, ModelPlan, Plan, RULES_VERSION, Rules, Search, WriterPlan};
use assay_refine::core::state::State;
use assay_refine::core::step::{Step, next};

const SESSIONS: u64 = 60;

/// How a model writes, and what its candidates cost.
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

fn plan(seed: u64) -> Plan {
    let models = ModelPlan { model: "first".to_owned(), others: vec!["second".to_owned()], ..ModelPlan::default() };
    Plan {
        rules_version: RULES_VERSION,
        assay: String::new(),
        seed,
        goal: "balanced".to_owned(),
        markets: Vec::new(),
        family: Vec::new(),
        strategy: "origin.rs".to_owned(),
        source_hash: String::new(),
        writer: WriterPlan::Model(models),
        search: Search::Evolve,
        rules: Rules { target: f64::INFINITY, plateau: 0, ..Rules::default() },
        budget: Budget::default(),
    }
}

/// A session at work: a program is its worth and its noise.
struct Session {
    state: State,
    models: [Model; 2],
}

impl Session {
    fn new(seed: u64, models: [Model; 2]) -> Self {
        let began = Event { seq: 1, at_ms: 0, owner: 0, body: Body::Began { plan: Box::new(plan(seed)) } };
        Self { state: State::begin(&began).expect("it begins"), models }
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
        let state = &self.state;
        let mut stream = Stream::new(Seed(state.seed()), &format!("slot {place}"), "writer");
        if place == Place::ORIGIN {
            let program = Program::Settings(vec![0.0, 1.0]);
            return written(place, None, program);
        }
        let from = parent(state, &mut Stream::new(Seed(state.seed()), &format!("slot {place}"), "parent"));
        let (shown, noise) = self.of(from);
        let number = choose(state, place);
        let Model { change, spread, noise: own, tokens, microdollars } = self.models[number as usize];
        self.note(Body::Asked { candidate: place, attempt: 0, model: Some(number) });
        self.note(Body::Answered { candidate: place, attempt: 0, reply: String::new(), tokens, microdollars });
        let Some(change) = change else { return Body::Unwritten { candidate: place, why: "prose".to_owned() } };
        // A copy has the noise of what it copies, nearly.
        let noise = if spread > 0.0 { own } else { noise + own };
        written(place, Some(from), Program::Settings(vec![shown + change + spread * stream.normal(), noise]))
    }

    /// How many candidates each model was asked for in the second half of the session.
    fn run(mut self) -> [u32; 2] {
        loop {
            let body = match next(&self.state, false) {
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
                Step::Unseal { .. } => Body::Unsealed { pairs: vec![(1.0, 0.0); 2], family: Vec::new() },
                Step::Plan | Step::Judge { .. } => unreachable!("nobody is there for it"),
            };
            self.note(body);
        }
        let (middle, end) = (by_model(&self.state, 7), by_model(&self.state, u32::MAX));
        let operators: u32 = by_operator(&self.state, u32::MAX).iter().map(|arm| arm.candidates).sum();
        assert_eq!(
            operators,
            end.iter().map(|arm| arm.candidates).sum::<u32>(),
            "each candidate was asked for something"
        );
        [0, 1].map(|model| end[model].candidates - middle[model].candidates)
    }
}

fn written(candidate: Place, parent: Option<Place>, program: Program) -> Body {
    Body::Written { candidate, parent, other: None, program, idea: String::new(), revised: None }
}

/// Which part of the candidates the first of two models writes once there is something to go by.
fn check(models: [Model; 2], range: std::ops::RangeInclusive<f64>) {
    let asked = (0..SESSIONS).map(|seed| Session::new(seed, models).run());
    let [first, second] = asked.fold([0, 0], |all, one| [all[0] + one[0], all[1] + one[1]]);
    let share = f64::from(first) / f64::from(first + second);
    assert!(range.contains(&share), "{share:.3} to {:?} beside {:?}", models[0], models[1]);
}

#[test]
fn whoever_pays_more_for_the_cost_writes_more() {
    check([HONEST, HONEST], 0.4..=0.6);
    check([HONEST, BLIND], 0.6..=1.0);
    check([BLIND, HONEST], 0.0..=0.4);
    check([HONEST, DEAR], 0.6..=1.0);
}

#[test]
fn nobody_is_asked_often_by_being_useless_cheap_or_lucky() {
    for (attack, least) in [(JUNK, 0.65), (FREE_JUNK, 0.55), (COPIES, 0.42), (GAMBLER, 0.5)] {
        check([HONEST, attack], least..=1.0);
        // At the price of an honest one it is worse off.
        let Model { tokens, microdollars, .. } = HONEST;
        check([HONEST, Model { tokens, microdollars, ..attack }], 0.55..=1.0);
    }
}

#[test]
fn the_choice_is_a_function_of_the_log() {
    let run = || Session::new(3, [HONEST, GAMBLER]).run();
    assert_eq!(run(), run());
}
