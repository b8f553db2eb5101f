//! What the loop promises, on simulated markets: how often it promotes where nothing is better, how soon it finds what is better, and that a log that was
//! cut anywhere ends as the whole one.

use assay_model::{Seed, Stream};
use assay_refine::core::event::{Body, End, Event, Program};
use assay_refine::core::place::Place;
use assay_refine::core::plan::{Budget, Plan, RULES_VERSION, Rules, Search, Tunable, WriterPlan};
use assay_refine::core::state::State;
use assay_refine::core::step::{Means, Step, interval, next};
use assay_refine::core::tuner::{self, Proposal};
use support::pooled;

mod support;

/// What candidates' points are drawn from.
#[derive(Clone, Copy, Debug)]
enum Noise {
    Normal,
    /// Student's with 3 degrees of freedom: heavy tails.
    Heavy,
    /// Exponential: a long tail of losses, mean 0.
    Skewed,
}

/// A market in which a candidate's points are `gain` × its first parameter (or its height on a hill, for a gain below 0), and noise of standard deviation 1 of which half is the block's.
struct World {
    noise: Noise,
    gain: f64,
}

/// What a candidate is worth where the best values lie within the ranges: 1 at (0.8, 0.3), less around it.
fn hill(values: &[f64]) -> f64 {
    let (a, b) = (values[0] - 0.8, values[1] - 0.3);
    (-(a * a + b * b) / 0.05).exp()
}

impl World {
    fn points(&self, values: &[f64], family: &str, block: u32, place: Place) -> f64 {
        let draw = |owner: &str| {
            let mut stream = Stream::new(Seed(7), owner, &format!("{family} {block}"));
            match self.noise {
                Noise::Normal => stream.normal(),
                Noise::Heavy => {
                    let (top, squares) = (stream.normal(), (0..3).map(|_| stream.normal().powi(2)).sum::<f64>());
                    top / (squares / 3.0).sqrt() / 3.0_f64.sqrt()
                }
                Noise::Skewed => 1.0 - stream.exponential(1.0),
            }
        };
        let half = 0.5_f64.sqrt();
        let worth = if self.gain < 0.0 { -self.gain * hill(values) } else { self.gain * values[0] };
        5.0 + worth + half * draw("market") + half * draw(&place.to_string())
    }
}

fn plan(seed: u64) -> Plan {
    let tunable = |name: &str| Tunable {
        name: name.to_owned(),
        default: 0.0,
        low: 0.0,
        high: 1.0,
        is_logarithmic: false,
        is_integer: false,
        default_at: None,
    };
    Plan {
        rules_version: RULES_VERSION,
        assay: String::new(),
        seed,
        goal: "balanced".to_owned(),
        markets: Vec::new(),
        family: Vec::new(),
        strategy: "origin.rs".to_owned(),
        source_hash: String::new(),
        writer: WriterPlan::Tuner { parameters: vec![tunable("a"), tunable("b")] },
        search: Search::Evolve,
        rules: Rules { target: f64::INFINITY, ..Rules::default() },
        budget: Budget::default(),
    }
}

/// What happens at a step.
fn body(state: &State, step: &Step, world: &World) -> Option<Body> {
    let WriterPlan::Tuner { parameters } = &state.plan().writer else { return None };
    let of = |place: Place| tuner::settings(state, place, parameters);
    let points = |place: Place, family: String, blocks: std::ops::Range<u32>| -> Vec<f64> {
        blocks.map(|block| world.points(&of(place), &format!("{} {family}", state.seed()), block, place)).collect()
    };
    let seeds = |blocks: &std::ops::Range<u32>| blocks.len() as u32 * state.plan().rules.block_seeds;
    Some(match step {
        Step::Over(_) | Step::Plan | Step::Judge { .. } => return None,
        Step::Note(body) => body.clone(),
        Step::Write(places) => {
            let candidate = places[0];
            let Proposal { values, parent, other, idea } = match candidate {
                Place::ORIGIN => Proposal { values: vec![0.0, 0.0], parent: None, other: None, idea: String::new() },
                place => tuner::propose(state, place, parameters),
            };
            Body::Written { candidate, parent, other, program: Program::Settings(values), idea, revised: None }
        }
        Step::Probe(places) => {
            let print = format!("{:?}", of(places[0]));
            Body::Probed { candidate: places[0], print, failure: None, behaviour: None }
        }
        Step::Score { candidates, blocks } => Body::Scored {
            candidate: candidates[0],
            from_block: blocks.start,
            points: points(candidates[0], format!("search {}", state.generation()), blocks.clone()),
            by_market: Vec::new(),
        },
        Step::Compare { trial, candidate, champion, blocks } => {
            let family = || format!("trial {trial}");
            let pairs = points(*candidate, family(), blocks.clone()).into_iter();
            let pairs = pairs.zip(points(*champion, family(), blocks.clone())).collect();
            Body::Compared { trial: *trial, candidate: *candidate, from_block: blocks.start, pairs, veto: None }
        }
        Step::Pool { trial, candidate, champion, blocks } => {
            let of = |place: Place| points(place, format!("pooled {trial}"), blocks.clone());
            let level = state.plan().level(*trial as usize);
            let found = pooled(seeds(blocks), level, &of(*candidate), &of(*champion));
            Body::Pooled { trial: *trial, candidate: *candidate, found }
        }
        Step::Unseal { champion, blocks } => {
            let of = |place: Place| points(place, "sealed".to_owned(), blocks.clone());
            let (best, origin) = (of(*champion), of(Place::ORIGIN));
            let pooled = Some(pooled(seeds(blocks), 0.025, &best, &origin));
            Body::Unsealed { pairs: best.into_iter().zip(origin).collect(), family: Vec::new(), pooled }
        }
    })
}

/// Goes on from these events until the end.
fn finish(mut events: Vec<Event>, world: &World) -> (Vec<Event>, State) {
    let mut state = State::fold(&events).expect("it folds").expect("it begins");
    while let Some(body) = body(&state, &next(&state, Means::Enough), world) {
        let event = Event { seq: state.seq() + 1, at_ms: 0, owner: 0, body };
        state.apply(&event).expect("what comes next may come next");
        events.push(event);
    }
    (events, state)
}

fn session(seed: u64, world: &World) -> (Vec<Event>, State) {
    let began = Body::Began { plan: Box::new(plan(seed)) };
    finish(vec![Event { seq: 1, at_ms: 0, owner: 0, body: began }], world)
}

/// How many of the sessions promote anything; and generations until the first promotion, on average.
fn promoting(sessions: u64, world: &World) -> (u64, f64) {
    let (mut promoting, mut generations) = (0, 0);
    for seed in 0..sessions {
        let (_, state) = session(seed, world);
        if let Some(first) = state.trials().iter().find(|trial| trial.promoted == Some(true)) {
            promoting += 1;
            generations += u64::from(first.candidate.generation);
        }
    }
    (promoting, generations as f64 / promoting.max(1) as f64)
}

#[test]
fn where_nothing_is_better_one_session_in_twenty_promotes_at_most() {
    for noise in [Noise::Normal, Noise::Heavy, Noise::Skewed] {
        let (promoting, _) = promoting(1_000, &World { noise, gain: 0.0 });
        println!("{noise:?}: {promoting} of 1,000 sessions without a better candidate promote one");
        assert!(promoting <= 50, "{noise:?}: {promoting}");
    }
}

#[test]
fn half_a_standard_deviation_is_found() {
    for (noise, least) in [(Noise::Normal, 90), (Noise::Heavy, 90)] {
        let (promoting, generations) = promoting(100, &World { noise, gain: 0.5 });
        println!(
            "{noise:?}: {promoting} of 100 sessions find half a standard deviation, in generation {generations:.1} on average"
        );
        assert!(promoting >= least, "{noise:?}: {promoting}");
    }
}

/// Sessions of equal plans that differ in how parents are chosen: what their champions are worth, where 1 is the most.
#[test]
fn a_search_that_looks_everywhere_climbs_a_hill() {
    const SESSIONS: u64 = 60;
    let world = World { noise: Noise::Normal, gain: -1.0 };
    // The hill is out of sight from where a session begins, so whoever only looks near the champion stays there.
    for (search, least) in [(Search::Evolve, 0.5), (Search::Chain, 0.0), (Search::BestOfN, 0.3)] {
        let worth = (0..SESSIONS).map(|seed| {
            let plan = Plan { search, ..plan(seed) };
            let began = Body::Began { plan: Box::new(plan) };
            let (_, state) = finish(vec![Event { seq: 1, at_ms: 0, owner: 0, body: began }], &world);
            let WriterPlan::Tuner { parameters } = &state.plan().writer else { return 0.0 };
            hill(&tuner::settings(&state, state.champion(), parameters))
        });
        let worth: Vec<f64> = worth.collect();
        let (low, high) = interval(&worth);
        println!("{search:?}: champions of {SESSIONS} sessions are worth {low:.2} to {high:.2} of 1");
        assert!(low >= least, "{search:?}: {low}");
    }
}

#[test]
fn a_log_that_was_cut_anywhere_ends_as_the_whole_one() {
    let world = World { noise: Noise::Normal, gain: 0.5 };
    let (whole, _) = session(3, &world);
    assert!(whole.len() > 100, "{}", whole.len());
    for cut in 1..whole.len() {
        let (again, _) = finish(whole[..cut].to_vec(), &world);
        assert!(again == whole, "cut after {cut}");
    }
}

#[test]
fn ten_thousand_events_fold_to_the_state_that_wrote_them() {
    let world = World { noise: Noise::Heavy, gain: 0.0 };
    let mut plan = plan(11);
    (plan.rules.generations, plan.rules.plateau, plan.rules.trials_max) = (u32::MAX, 0, u32::MAX);
    let mut events = vec![Event { seq: 1, at_ms: 0, owner: 0, body: Body::Began { plan: Box::new(plan) } }];
    let mut state = State::begin(&events[0]).expect("it begins");
    while events.len() < 10_000 {
        let body = body(&state, &next(&state, Means::Enough), &world).expect("it has no end");
        let event = Event { seq: state.seq() + 1, at_ms: 0, owner: 0, body };
        state.apply(&event).expect("what comes next may come next");
        events.push(event);
    }
    let started = std::time::Instant::now();
    assert!(State::fold(&events).expect("it folds") == Some(state));
    println!("a fold of 10,000 events took {:?}", started.elapsed());
}

#[test]
fn a_fork_draws_anew_and_leaves_the_seal_alone() {
    let world = World { noise: Noise::Normal, gain: 1.0 };
    let (whole, _) = session(5, &world);
    let promoted = whole.iter().position(|event| matches!(event.body, Body::Decided { promoted: true, .. }));
    let at = promoted.expect("a whole standard deviation is found") + 1;
    let mut events = whole[..at].to_vec();
    let body = Body::Forked { from: "parent".to_owned(), at: at as u64, seed: 99 };
    events.push(Event { seq: at as u64 + 1, at_ms: 0, owner: 0, body });
    let (fork, state) = finish(events, &world);
    assert!(state.ended().is_some() && state.sealed().is_none());
    assert!(!fork.iter().any(|event| matches!(event.body, Body::Unsealed { .. })));
}

#[test]
fn events_out_of_place_are_refused() {
    let (whole, _) = session(1, &World { noise: Noise::Normal, gain: 0.0 });
    for missing in 0..whole.len().min(60) {
        let mut events = whole.clone();
        events.remove(missing);
        assert!(State::fold(&events).is_err(), "without event {}", missing + 1);
    }
    let ended = whole.len() as u64;
    let mut events = whole;
    events.push(Event { seq: ended + 1, at_ms: 0, owner: 0, body: Body::Hinted { text: "late".to_owned() } });
    assert!(State::fold(&events).is_err(), "nothing comes after the end");
}

#[test]
fn a_session_ends_when_its_trials_are_used() {
    let world = World { noise: Noise::Normal, gain: 1.0 };
    let mut plan = plan(2);
    (plan.rules.trials_max, plan.rules.plateau) = (2, 0);
    let began = Body::Began { plan: Box::new(plan) };
    let (_, state) = finish(vec![Event { seq: 1, at_ms: 0, owner: 0, body: began }], &world);
    assert_eq!((state.ended(), state.trials().len()), (Some(End::Validation), 2));
}

#[test]
fn what_is_crossed_has_each_value_from_one_of_two_parents() {
    let mut crossed = 0;
    for seed in 0..20 {
        let (events, state) = session(seed, &World { noise: Noise::Normal, gain: -1.0 });
        let WriterPlan::Tuner { parameters } = &state.plan().writer else { return };
        for event in &events {
            let Body::Written { parent: Some(a), other: Some(b), program: Program::Settings(values), .. } = &event.body
            else {
                continue;
            };
            let (a, b) = (tuner::settings(&state, *a, parameters), tuner::settings(&state, *b, parameters));
            assert!(values.iter().zip(a.iter().zip(&b)).all(|(value, (a, b))| value == a || value == b), "{event:?}");
            assert!(*values != a && *values != b, "{event:?}");
            crossed += 1;
        }
    }
    assert!(crossed > 0, "one slot of four crosses");
}
