//! All example worlds: their tasks, the agents that come with Assay, and ways of doing a task wrong or otherwise than its script.

use crate::common::{EXAMPLES, episode, example, task};
use assay_model::Seed;
use assay_trace::Outcome;
use assay_world::{Action, Difficulty, Episode, Profile};
use assay_worlds::agents::OwnAgent;
use assay_worlds::{Standing, check};
use serde_json::Value;

/// Seeds of the episodes under faults.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=10;

/// Ways of doing tasks, a line each: the world, the task, what is done, and the outcome.
const WAYS: &str = include_str!("ways.jsonl");

#[test]
fn every_task_is_admitted() {
    for name in EXAMPLES {
        let world = example(name);
        for one in check(&world) {
            assert_eq!(one.standing, Standing::Admitted, "{name}: {}", one.task);
        }
        assert!(world.tasks.len() >= 12, "{name}");
        for (difficulty, least) in [(Difficulty::Easy, 2), (Difficulty::Medium, 5), (Difficulty::Hard, 3)] {
            let count = world.tasks.iter().filter(|task| task.difficulty == difficulty).count();
            assert!(count >= least, "{name}: {count} of {difficulty:?}");
        }
    }
}

#[test]
fn scripts_score_one_and_idlers_nothing() {
    for name in EXAMPLES {
        let world = example(name);
        for (agent, expected) in [(OwnAgent::Scripted, 1.0), (OwnAgent::Null, 0.0), (OwnAgent::TalkOnly, 0.0)] {
            for task in &world.tasks {
                let (judged, _) = episode(&world, task, &agent, 1, Profile::None);
                let score = judged.score.value().number();
                assert_eq!(score, Some(expected), "{name}: {agent:?} {}: {:?}", task.id, judged.why);
            }
        }
    }
}

#[test]
fn the_careful_script_survives_rough_services_and_the_hasty_one_does_not() {
    for name in EXAMPLES {
        let world = example(name);
        let solved = |agent: OwnAgent| {
            let episodes = SEEDS.flat_map(|seed| world.tasks.iter().map(move |task| (seed, task)));
            let results = episodes.map(|(seed, task)| episode(&world, task, &agent, seed, Profile::Rough).0);
            results.filter(|judged| judged.outcome == Outcome::Success).count()
        };
        let all = world.tasks.len() * SEEDS.count();
        let (careful, hasty) = (solved(OwnAgent::Scripted), solved(OwnAgent::Hasty));
        assert_eq!(careful, all, "{name}");
        assert!(hasty * 10 < all * 9, "{name}: {hasty} of {all}");
    }
}

/// What an agent may do instead of the script succeeds, and what it must not do fails, each with the outcome that fits.
#[test]
fn other_ways_are_worth_what_they_should_be() {
    let worlds = EXAMPLES.map(|name| (name, example(name)));
    for line in WAYS.lines() {
        let way: Value = serde_json::from_str(line).expect("a line of JSON");
        let text = |key: &str| way.get(key).and_then(Value::as_str).expect("a text");
        let (_, world) = worlds.iter().find(|(name, _)| *name == text("world")).expect("the world is there");
        let task = task(world, text("task"));
        let mut episode = Episode::begin(&world.definition, &task, Seed(1), Profile::None).expect("it begins");
        for deed in way.get("does").and_then(Value::as_array).expect("a list") {
            let (name, value) = deed.as_object().and_then(|deed| deed.iter().next()).expect("one deed");
            episode.act(&match value {
                Value::String(said) => Action { say: Some(said.clone()), ..Action::default() },
                arguments => Action { calls: vec![(name.clone(), arguments.to_string())], ..Action::default() },
            });
        }
        episode.act(&Action { stop: true, ..Action::default() });
        let judged = episode.judge().expect("comparable");
        assert_eq!(judged.outcome.name(), text("outcome"), "{}, {}: {:?}", task.id, text("way"), judged.why);
    }
}
