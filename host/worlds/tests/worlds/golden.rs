//! The state after each step of the example worlds' scripted episodes, by its digest, beside those of `step-hashes.txt`: any build of any machine has the
//! same ones. `ASSAY_BLESS=1` writes the file anew, after a change of a world or of what an episode is.

use std::fs;
use std::path::Path;

use crate::common::{EXAMPLES, episode, example};
use assay_trace::{Event, EventKind, Record};
use assay_world::Profile;
use assay_worlds::agents::OwnAgent;

/// Digits of a digest that are compared.
const DIGITS: usize = 16;

/// A line for each task: the digests after its steps, under failing tools, the beginning first.
fn hashes() -> String {
    let mut text = String::new();
    for name in EXAMPLES {
        let world = example(name);
        for task in &world.tasks {
            let (_, records) = episode(&world, task, &OwnAgent::Scripted, 1, Profile::Rough);
            let states = records.iter().filter_map(|record| match record {
                Record::Event(Event { kind: EventKind::State(state), .. }) => Some(state.root().to_string()),
                _ => None,
            });
            let states: Vec<String> = states.map(|root| root[..DIGITS].to_owned()).collect();
            text.push_str(&format!("{name} {}: {}\n", task.id, states.join(" ")));
        }
    }
    text
}

#[test]
fn step_hashes_are_those_of_every_build() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/worlds/step-hashes.txt");
    let found = hashes();
    if std::env::var_os("ASSAY_BLESS").is_some() {
        fs::write(&path, &found).expect("written");
    }
    let golden = fs::read_to_string(&path).expect("there; ASSAY_BLESS=1 writes it");
    for (found, golden) in found.lines().zip(golden.lines()) {
        assert_eq!(found, golden);
    }
    assert_eq!(found.lines().count(), golden.lines().count(), "as many tasks as before");
}
