//! Figures of `assay refine`: how long a generation takes, and how long a session takes to be there again.

use super::{Outcome, build_settings, median, ready, sandbox};
use assay_evaluate::Goal;
use assay_market::Scenario;
use assay_refine::core::event::{Body, Event, Program};
use assay_refine::core::place::Place;
use assay_refine::core::plan::{Budget, Plan, RULES_VERSION, Rules, Search, WriterPlan};
use assay_refine::core::seeds::{Family, block};
use assay_refine::core::state::State;
use assay_refine::core::step::{Means, Step, next};
use assay_refine::journal::{Journal, Kept};
use assay_refine::market::{Loaded, Markets};
use assay_refine::session::Bench as _;
use assay_tests::root;
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

const CANDIDATES: usize = 4;
const BLOCKS: u32 = 16;
const BLOCK_SEEDS: u32 = 8;
const ROUNDS: usize = 5;
const EVENTS: usize = 10_000;

/// Milliseconds of four candidates over 128 paired seeds of each of two half-hour markets, scored in blocks, on two threads.
pub(super) fn generation(folder: &Path) -> Outcome<Value> {
    let source = root().join("examples/refine/mistuned_maker.rs");
    let (program, _) = ready(&source, &build_settings(folder)?, &sandbox(&folder.join("artifacts"))?)?;
    let presets: Option<Vec<Scenario>> = ["calm", "volatile"].into_iter().map(Scenario::preset).collect();
    let scenarios = presets.ok_or("there is no such market")?;
    let load = |program_of: &Program| match program_of {
        Program::Settings(values) => {
            Ok(Loaded::Compiled(program.with_parameters(values.iter().copied().map(Some).collect::<Vec<_>>())))
        }
        Program::Source(_) => Err(assay_refine::session::Trouble::Interrupted),
    };
    let cancel = AtomicBool::new(false);
    let two = NonZeroUsize::MIN.saturating_add(1);
    let (mut four, mut one, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=ROUNDS as u32 {
        let family = Family::Search { generation: round };
        let blocks: Vec<_> = (0..BLOCKS).map(|number| block(1, family, number, BLOCK_SEEDS)).collect();
        let timed = |candidates: usize| -> Outcome<f64> {
            // Baselines are run anew for each generation.
            let bench = Markets::new(&scenarios, Goal::Balanced, two, &load, &cancel);
            let started = Instant::now();
            // Every candidate runs on all seeds: the race of a session drops most of them earlier.
            for candidate in 0..candidates {
                bench.score(&Program::Settings(vec![3.0 + candidate as f64]), &blocks)?;
            }
            Ok(started.elapsed().as_secs_f64() * 1e3)
        };
        let (all, single) = (timed(CANDIDATES)?, timed(1)?);
        // The first round warms up.
        if round > 0 {
            four.push(all);
            one.push(single);
            ratios.push(all / single);
        }
    }
    Ok(json!({
        "id": "refine-generation-ms", "median": median(four), "unit": "ms", "versus": "one candidate",
        "versus_median": median(one), "ratio": median(ratios)
    }))
}

/// Milliseconds to read and fold a log of 10,000 events.
pub(super) fn resume(folder: &Path) -> Outcome<Value> {
    let events = session()?;
    let path = folder.join(format!("refine-{}", std::process::id()));
    drop(Journal::copy(&path, &events, &[], 0)?);
    let (mut whole, mut fold, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let kept = Kept::read(&path)?;
        let read_ms = started.elapsed().as_secs_f64() * 1e3;
        let started = Instant::now();
        State::fold(&kept.events)?;
        let fold_ms = started.elapsed().as_secs_f64() * 1e3;
        whole.push(read_ms);
        fold.push(fold_ms);
        ratios.push(read_ms / fold_ms);
    }
    std::fs::remove_dir_all(&path)?;
    Ok(json!({
        "id": "refine-resume-ms", "median": median(whole), "unit": "ms", "versus": "the fold alone",
        "versus_median": median(fold), "ratio": median(ratios)
    }))
}

/// The first events of a long session in which nothing is better.
fn session() -> Outcome<Vec<Event>> {
    let plan = Plan {
        rules_version: RULES_VERSION,
        assay: String::new(),
        seed: 1,
        goal: "balanced".to_owned(),
        markets: Vec::new(),
        family: Vec::new(),
        strategy: "origin.rs".to_owned(),
        source_hash: String::new(),
        writer: WriterPlan::Tuner { parameters: Vec::new() },
        search: Search::Evolve,
        rules: Rules { generations: u32::MAX, plateau: 0, ..Rules::default() },
        budget: Budget::default(),
    };
    let mut events = vec![Event { seq: 1, at_ms: 0, owner: 0, body: Body::Began { plan: Box::new(plan) } }];
    let mut state = State::begin(&events[0])?;
    while events.len() < EVENTS {
        let body = match next(&state, Means::Enough) {
            Step::Note(body) => body,
            Step::Write(places) => {
                let parent = (places[0] != Place::ORIGIN).then_some(Place::ORIGIN);
                Body::Written {
                    candidate: places[0],
                    parent,
                    other: None,
                    program: Program::Settings(vec![f64::from(places[0].generation); 5]),
                    idea: "five parameters".to_owned(),
                    revised: None,
                }
            }
            Step::Probe(places) => {
                Body::Probed { candidate: places[0], print: places[0].to_string(), failure: None, behaviour: None }
            }
            Step::Score { candidates, blocks } => {
                let points = vec![2.7; blocks.len()];
                let (candidate, from_block) = (candidates[0], blocks.start);
                Body::Scored { candidate, from_block, points, by_market: Vec::new() }
            }
            step => return Err(format!("{step:?} does not come here").into()),
        };
        let event = Event { seq: state.seq() + 1, at_ms: 0, owner: 0, body };
        state.apply(&event)?;
        events.push(event);
    }
    Ok(events)
}
