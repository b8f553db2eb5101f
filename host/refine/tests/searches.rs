//! Which search wins with a writer whose programs are of known worth: evolving, best-of-n and chain, with equal numbers of candidates. `cargo test -p
//! assay-refine --test searches -- --nocapture` prints the table of docs/refine.md.

use assay_evaluate::Sample;
use assay_model::{Seed, Stream};
use assay_refine::core::archive::parent;
use assay_refine::core::event::{Body, Event, Program};
use assay_refine::core::place::Place;
use assay_refine::core::plan::{Budget, ModelPlan, Plan, RULES_VERSION, Rules, Search, WriterPlan};
use assay_refine::core::state::State;
use assay_refine::core::step::{Means, Step, next};
use support::pooled;

mod support;

const SESSIONS: u64 = 100;

/// How a writer's programs are worth what they are, in standard deviations of a block.
#[derive(Clone, Copy)]
enum Writer {
    /// Small changes of the program that is shown, most for the worse.
    Edits,
    /// Whole programs that owe nothing to the one that is shown, most of them worse than the origin.
    Rewrites,
    /// One in four is a rewrite, the others are edits.
    Both,
}

impl Writer {
    fn worth(self, shown: f64, stream: &mut Stream) -> f64 {
        let (edit, rewrite) = (shown - 0.1 + 0.3 * stream.normal(), -1.0 + stream.normal());
        let is_rewrite = match self {
            Self::Edits => false,
            Self::Rewrites => true,
            Self::Both => stream.unit() < 0.25,
        };
        if is_rewrite { rewrite } else { edit }
    }
}

fn plan(seed: u64, search: Search) -> Plan {
    let rules = Rules { target: f64::INFINITY, plateau: 0, ..Rules::default() };
    Plan {
        rules_version: RULES_VERSION,
        assay: String::new(),
        seed,
        goal: "balanced".to_owned(),
        markets: Vec::new(),
        family: Vec::new(),
        strategy: "origin.rs".to_owned(),
        source_hash: String::new(),
        writer: WriterPlan::Model(ModelPlan::default()),
        search,
        rules,
        budget: Budget::default(),
    }
}

/// What a candidate is worth: its program is its worth.
fn worth(state: &State, place: Place) -> f64 {
    match state.candidates().get(&place).and_then(|candidate| candidate.program.as_ref()) {
        Some(Program::Settings(values)) => values[0],
        _ => 0.0,
    }
}

fn body(state: &State, step: Step, writer: Writer) -> Option<Body> {
    // Half of the noise of a block is the market's, which all that meet on it share.
    let points = |place: Place, family: &str, blocks: std::ops::Range<u32>| -> Vec<f64> {
        let noise = |owner: &str, block: u32| {
            Stream::new(Seed(state.seed()), owner, &format!("{family} {block}")).normal() * 0.5_f64.sqrt()
        };
        let own = place.to_string();
        blocks.map(|block| 5.0 + worth(state, place) + noise("market", block) + noise(&own, block)).collect()
    };
    let seeds = |blocks: &std::ops::Range<u32>| blocks.len() as u32 * state.plan().rules.block_seeds;
    Some(match step {
        Step::Over(_) | Step::Plan | Step::Judge { .. } => return None,
        Step::Note(body) => body,
        Step::Write(places) => {
            let place = places[0];
            let mut stream = Stream::new(Seed(state.seed()), &format!("slot {place}"), "writer");
            // As the model's writer chooses.
            let from = match state.plan().search {
                _ if place == Place::ORIGIN => None,
                Search::BestOfN => Some(Place::ORIGIN),
                Search::Chain => Some(state.champion()),
                Search::Evolve => {
                    Some(parent(state, &mut Stream::new(Seed(state.seed()), &format!("slot {place}"), "parent")))
                }
            };
            let worth = from.map_or(0.0, |from| writer.worth(worth(state, from), &mut stream));
            let program = Program::Settings(vec![worth]);
            Body::Written { candidate: place, parent: from, other: None, program, idea: String::new(), revised: None }
        }
        Step::Probe(places) => {
            Body::Probed { candidate: places[0], print: places[0].to_string(), failure: None, behaviour: None }
        }
        Step::Score { candidates, blocks } => {
            let points = points(candidates[0], &format!("search {}", state.generation()), blocks.clone());
            Body::Scored { candidate: candidates[0], from_block: blocks.start, points, by_market: Vec::new() }
        }
        Step::Compare { trial, candidate, champion, blocks } => {
            let of = |place: Place| points(place, &format!("trial {trial}"), blocks.clone());
            let pairs = of(candidate).into_iter().zip(of(champion)).collect();
            Body::Compared { trial, candidate, from_block: blocks.start, pairs, veto: None }
        }
        Step::Pool { trial, candidate, champion, blocks } => {
            let of = |place: Place| points(place, &format!("pooled {trial}"), blocks.clone());
            let found = pooled(seeds(&blocks), state.plan().level(trial as usize), &of(candidate), &of(champion));
            Body::Pooled { trial, candidate, found }
        }
        Step::Unseal { champion, blocks } => {
            let of = |place: Place| points(place, "sealed", blocks.clone());
            let (best, origin) = (of(champion), of(Place::ORIGIN));
            let pooled = Some(pooled(seeds(&blocks), 0.025, &best, &origin));
            Body::Unsealed { pairs: best.into_iter().zip(origin).collect(), family: Vec::new(), pooled }
        }
    })
}

/// What the champion of a session is worth.
fn champion(seed: u64, search: Search, writer: Writer) -> f64 {
    let began = Event { seq: 1, at_ms: 0, owner: 0, body: Body::Began { plan: Box::new(plan(seed, search)) } };
    let mut state = State::begin(&began).expect("it begins");
    while let Some(body) = body(&state, next(&state, Means::Enough), writer) {
        let event = Event { seq: state.seq() + 1, at_ms: 0, owner: 0, body };
        state.apply(&event).expect("what comes next may come next");
    }
    worth(&state, state.champion())
}

#[test]
fn changes_add_up_where_they_are_changes_of_what_won() {
    const SEARCHES: [Search; 3] = [Search::Evolve, Search::BestOfN, Search::Chain];
    println!("| the writer's programs | evolve | best-of-n | chain |\n|---|---|---|---|");
    let mut all = Vec::new();
    for (writer, words) in [
        (Writer::Edits, "small changes of what it is shown"),
        (Writer::Rewrites, "new ones, whatever it is shown"),
        (Writer::Both, "one in four new, the others changes"),
    ] {
        let samples = SEARCHES
            .map(|search| Sample::of_distinct((0..SESSIONS).map(|seed| champion(seed, search, writer)).collect()));
        let cells = samples.each_ref().map(|sample| {
            let estimate = sample.estimate().expect("there are sessions");
            let interval = estimate.interval.expect("they differ");
            format!("{:.2} ({:.2} to {:.2})", estimate.mean, interval.low, interval.high)
        });
        println!("| {words} | {} |", cells.join(" | "));
        all.push(samples);
    }
    let leads = |of: usize, a: usize, b: usize| {
        let difference = all[of][a].minus(&all[of][b]).and_then(|difference| difference.estimate());
        let interval = difference.expect("there are sessions").interval.expect("they differ");
        if interval.low > 0.0 {
            1
        } else if interval.high < 0.0 {
            -1
        } else {
            0
        }
    };
    assert_eq!((leads(0, 0, 1), leads(0, 2, 1)), (1, 1), "changes add up only where they are changes of what won");
    assert_eq!(
        (leads(1, 0, 1), leads(1, 2, 1)),
        (0, 0),
        "whoever does not look at what is shown does not care what it is"
    );
}
