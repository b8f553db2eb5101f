//! The archive: whom it keeps, who is drawn as a parent, and who complements whom, with several markets and ways of trading.

use assay_model::{Seed, Stream};
use assay_refine::core::archive::{complement, members, parent};
use assay_refine::core::event::{Behaviour, Body, Event, Program};
use assay_refine::core::place::Place;
use assay_refine::core::plan::{Budget, Plan, RULES_VERSION, Rules, Search, WriterPlan};
use assay_refine::core::state::State;

/// What a candidate has over the champion in each of two markets, and its fills in a run.
type Worth = (f64, f64, f64);

/// After a generation of candidates that are worth this.
fn state(worths: &[Worth]) -> State {
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
        rules: Rules { width: worths.len() as u32, ..Rules::default() },
        budget: Budget::default(),
    };
    let mut bodies = vec![Body::Began { plan: Box::new(plan) }];
    let mut add = |candidate: Place, fills: f64| {
        let program = Program::Settings(vec![f64::from(candidate.slot)]);
        bodies.push(Body::Written {
            candidate,
            parent: None,
            other: None,
            program,
            idea: String::new(),
            revised: None,
        });
        let behaviour = Some(Behaviour { fills, maker_share: 1.0 });
        bodies.push(Body::Probed { candidate, print: candidate.to_string(), failure: None, behaviour });
        if candidate == Place::ORIGIN {
            bodies.push(Body::Closed { generation: 0 });
        }
    };
    add(Place::ORIGIN, 5.0);
    let slots = || (0..).map(|slot| Place { generation: 1, slot });
    slots().zip(worths).for_each(|(place, worth)| add(place, worth.2));
    let scored = |candidate: Place, a: f64, b: f64| Body::Scored {
        candidate,
        from_block: 0,
        points: vec![f64::midpoint(a, b); 2],
        by_market: vec![vec![a; 2], vec![b; 2]],
    };
    bodies.extend(slots().zip(worths).map(|(place, worth)| scored(place, 4.0 + worth.0, 4.0 + worth.1)));
    bodies.push(scored(Place::ORIGIN, 4.0, 4.0));
    bodies.push(Body::Closed { generation: 1 });
    let events: Vec<Event> = (1..).zip(bodies).map(|(seq, body)| Event { seq, at_ms: 0, owner: 0, body }).collect();
    State::fold(&events).expect("it folds").expect("it begins")
}

/// The slots of generation 1 in the archive, best first; `None` is the origin.
fn check(worths: &[Worth], kept: &[Option<u32>]) {
    let slots: Vec<Option<u32>> = members(&state(worths))
        .iter()
        .map(|member| (member.place != Place::ORIGIN).then_some(member.place.slot))
        .collect();
    assert_eq!(slots, kept, "{worths:?}");
}

#[test]
fn the_best_the_front_and_the_leaders_of_cells_stay() {
    // The best four in all, the champion always.
    check(&[(-1.0, -1.0, 5.0)], &[None, Some(0)]);
    let five: Vec<Worth> = (0..6).map(|slot| (-f64::from(slot) - 1.0, -f64::from(slot) - 1.0, 5.0)).collect();
    check(&five, &[None, Some(0), Some(1), Some(2)]);
    // One that no other beats in both markets.
    let front = [&five[..], &[(3.0, -20.0, 5.0)]].concat();
    check(&front, &[None, Some(0), Some(1), Some(2), Some(6)]);
    // One that trades in another way.
    let other = [&five[..], &[(-9.0, -9.0, 500.0)]].concat();
    check(&other, &[None, Some(0), Some(1), Some(2), Some(6)]);
}

#[test]
fn a_complement_is_better_where_the_parent_is_worse() {
    let slot = |slot| Place { generation: 1, slot };
    let state = state(&[(3.0, -1.0, 5.0), (-2.0, 2.0, 5.0), (-8.0, -8.0, 500.0)]);
    assert_eq!(complement(&state, slot(0)), Some(slot(1)));
    assert_eq!(complement(&state, slot(1)), Some(slot(0)));
    assert_eq!(complement(&state, Place { generation: 9, slot: 0 }), None, "it is not in the archive");
    let alone = self::state(&[(-1.0, -1.0, 5.0), (-2.0, -2.0, 500.0)]);
    assert_eq!(complement(&alone, Place::ORIGIN), Some(slot(1)), "nobody is ahead, so one that trades otherwise");
    assert_eq!(complement(&self::state(&[(-1.0, -1.0, 5.0)]), Place::ORIGIN), None);
}

#[test]
fn a_parent_is_of_the_archive_and_the_best_most_often() {
    let state = state(&[(2.0, 2.0, 5.0), (1.0, 1.0, 5.0), (-1.0, -1.0, 5.0)]);
    let kept: Vec<Place> = members(&state).iter().map(|member| member.place).collect();
    let mut counts = vec![0; kept.len()];
    for draw in 0..1_000 {
        let drawn = parent(&state, &mut Stream::new(Seed(draw), "test", "parent"));
        counts[kept.iter().position(|place| *place == drawn).expect("a member")] += 1;
    }
    assert!(counts.is_sorted_by(|a, b| a >= b), "{counts:?}");
}
