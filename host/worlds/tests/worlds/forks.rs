//! The same seed gives the same states, whatever else runs and whatever forks are made on the way; a recorded episode goes on from any of its steps.

use crate::common::{EXAMPLES, desk, example, task};
use assay_model::Seed;
use assay_rollout::ports::{Sink, SinkError, Sinks};
use assay_rollout::run::EpisodeSpec;
use assay_trace::{Digest, Event, EventKind, Metadata, Outcome, Record, Role, Trajectory};
use assay_world::{Action, Deed, Episode, Profile, Task};
use assay_worlds::agents::{Agent, Agents, OwnAgent};
use assay_worlds::view::{Asked, ViewError, view};
use assay_worlds::{FORKED_FROM, Fork, ForkError, Start, States, World, run};
use futures::executor::block_on;
use futures::future::BoxFuture;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// Keeps trajectories whole.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<Trajectory>>>);

impl Sinks for Kept {
    fn begin(&self, metadata: Metadata) -> BoxFuture<'_, Result<Box<dyn Sink>, SinkError>> {
        self.0.lock().expect("not poisoned").push(Trajectory::new(metadata));
        Box::pin(async { Ok(Box::new(self.clone()) as Box<dyn Sink>) })
    }
}

impl Sink for Kept {
    fn append(&mut self, records: Vec<Record>) -> BoxFuture<'_, Result<(), SinkError>> {
        let mut kept = self.0.lock().expect("not poisoned");
        let last = kept.last_mut().expect("begun");
        records.into_iter().for_each(|record| last.push(record).expect("ids differ"));
        Box::pin(async { Ok(()) })
    }
}

fn begin(world: &Arc<World>, task: &Arc<Task>, seed: u64) -> Start {
    let spec = EpisodeSpec { task: task.id.clone(), sample: 1, attempt: 1, seed: Seed(seed) };
    let (world, task, agent) = (Arc::clone(world), Arc::clone(task), "scripted".to_owned());
    Start { world, task, spec, faults: Profile::Rough, agent, run: None }
}

fn recorded(start: &Start, agent: &mut dyn Agent) -> Trajectory {
    let kept = Kept::default();
    block_on(run(start, agent, &kept, None)).expect("no infrastructure to fail");
    kept.0.lock().expect("not poisoned").remove(0)
}

/// Goes on from a step with an agent.
fn from(fork: &Fork, world: &Arc<World>, next: Box<dyn Agent>) -> Trajectory {
    let kept = Kept::default();
    let mut agent = fork.agent(next);
    let start = fork.start(world, fork.spec.clone(), "scripted".to_owned());
    block_on(run(&start, &mut *agent, &fork.sinks(&kept), None)).expect("no infrastructure to fail");
    kept.0.lock().expect("not poisoned").remove(0)
}

/// The same agent, put in the place of itself after any step, does what it did.
#[test]
fn an_episode_goes_on_from_every_step_as_it_did() {
    let world = desk();
    for task in &world.tasks {
        for seed in [7, 8] {
            let first = recorded(&begin(&world, task, seed), &mut *OwnAgent::Scripted.agent(task, 1));
            for step in 0..first.steps() {
                let fork =
                    block_on(Fork::at(&world, &first, step)).unwrap_or_else(|error| panic!("{}: {error}", task.id));
                let again = from(&fork, &world, OwnAgent::Scripted.agent(task, 1));
                assert!(again.records() == first.records(), "{} seed {seed} from step {step}", task.id);
                let note = &again.metadata().meta[FORKED_FROM];
                assert_eq!((&note["trajectory"], &note["step"]), (&first.metadata().id.as_str().into(), &step.into()));
            }
        }
    }
}

/// An agent that gives up at a step: another goes on from there and succeeds.
#[test]
fn another_agent_can_go_on() {
    let world = desk();
    let task = task(&world, "cancel-pending");
    let first = recorded(&begin(&world, &task, 7), &mut *OwnAgent::Scripted.agent(&task, 1));
    let fork = block_on(Fork::at(&world, &first, 2)).expect("a fork");
    for (next, outcome) in [(OwnAgent::Scripted, Outcome::Success), (OwnAgent::Null, Outcome::Failure)] {
        let again = from(&fork, &world, next.agent(&task, 1));
        assert_eq!(again.verdict().and_then(|verdict| verdict.outcome()), Some(outcome), "{next:?}");
        assert_eq!(again.metadata().seed, Seed(7));
    }
}

#[test]
fn what_does_not_fit_is_not_forked() {
    let world = desk();
    let task = task(&world, "refund-damaged");
    let first = recorded(&begin(&world, &task, 7), &mut *OwnAgent::Scripted.agent(&task, 1));
    let at = |world: &Arc<World>, trajectory: &Trajectory, step| block_on(Fork::at(world, trajectory, step)).err();
    let steps = first.steps();
    assert_eq!(at(&world, &first, steps), Some(ForkError::Step { wanted: steps, steps }));

    let rewritten = |change: &dyn Fn(Record) -> Option<Record>, metadata: &dyn Fn(&mut Metadata)| {
        let mut head = first.metadata().clone();
        metadata(&mut head);
        let mut other = Trajectory::new(head);
        let records = first.records().iter().cloned().filter_map(change);
        records.for_each(|record| other.push(record).expect("ids differ"));
        other
    };
    let is_answer = |record: &Record| matches!(record, Record::Message(message) if message.role() == Role::Tool);
    let nothing = |_: &mut Metadata| {};
    let lost = rewritten(&|record| (!is_answer(&record)).then_some(record), &nothing);
    assert!(matches!(at(&world, &lost, 1), Some(ForkError::Differs { step: 1, .. })), "{:?}", at(&world, &lost, 1));
    let seed = rewritten(&Some, &|metadata| metadata.seed = Seed(8));
    assert!(matches!(at(&world, &seed, steps - 1), Some(ForkError::Differs { .. })));
    for (other, expected) in [
        (rewritten(&Some, &|metadata| metadata.scenario = "no-such".to_owned()), "has no task \"no-such\""),
        (rewritten(&Some, &|metadata| metadata.hashes.clear()), "has changed since"),
        (rewritten(&Some, &|metadata| metadata.meta.clear()), "does not say how tools fail"),
    ] {
        let error = at(&world, &other, 1).expect("refused").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// The parts of the recorded changes of a step: `documents/orders` of `documents/orders/1/status`.
fn changed_parts(trajectory: &Trajectory, step: usize) -> BTreeSet<String> {
    let bodies = trajectory.placed().filter(|placed| placed.step == step).filter_map(|placed| match placed.record {
        Record::Event(Event { kind: EventKind::Other(other), .. }) if other.kind() == "changes" => {
            serde_json::from_str::<serde_json::Value>(other.body()).ok()
        }
        _ => None,
    });
    let paths = bodies.flat_map(|body| body["changes"].as_array().cloned().unwrap_or_default());
    let part = |change: serde_json::Value| {
        let path: Vec<&str> = change["path"].as_str().unwrap_or_default().split('/').collect();
        let length = match path[0] {
            "files" => 1,
            "databases" => 3,
            _ => 2,
        };
        path[..length].join("/")
    };
    paths.map(part).collect()
}

/// What is shown of every step is what was recorded, and what it marks is what the step changed.
#[test]
fn every_step_has_a_state_that_can_be_looked_at() {
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for world in EXAMPLES.map(example) {
        for task in world.tasks.iter().take(4) {
            let first = recorded(&begin(&world, task, 7), &mut *OwnAgent::Scripted.agent(task, 1));
            let steps = first.steps();
            for step in 0..=steps {
                let states = block_on(Fork::states(&world, &first, step));
                let states = states.unwrap_or_else(|error| panic!("{} step {step}: {error}", task.id));
                check_state(&states, (step, steps), &changed_parts(&first, step), &mut kinds);
            }
            let absent = block_on(Fork::states(&world, &first, steps + 1)).err();
            assert_eq!(absent, Some(ForkError::Absent { wanted: steps + 1, steps }));
        }
    }
    for kind in ["databases", "documents", "mail"] {
        assert!(kinds.get(kind).is_some_and(|marks| *marks > 0), "no step has changed {kind}: {kinds:?}");
    }
}

fn check_state(
    states: &States,
    (step, steps): (usize, usize),
    recorded: &BTreeSet<String>,
    kinds: &mut BTreeMap<String, u64>,
) {
    let look = |part: Option<&str>, from: u64, count: usize| {
        view(states, (step, steps), &Asked { part, from, count }).expect("a view")
    };
    let shown = look(None, 0, 50);
    let changed = shown.parts.iter().filter(|part| part.changed > 0).map(|part| part.path.clone());
    assert_eq!(changed.collect::<BTreeSet<String>>(), *recorded, "step {step}");
    for part in &shown.parts {
        let page = look(Some(&part.path), 0, 100).page.expect("a page");
        let marked = page.lines.iter().chain(&page.removed).filter(|line| line.mark.is_some()).count() as u64;
        *kinds.entry(part.path.split('/').next().unwrap_or_default().to_owned()).or_default() += marked;
        if page.next.is_none() {
            assert_eq!((page.total, marked), (part.entries, part.changed), "{} step {step}", part.path);
        }
        // In pages of one row, the same rows.
        let few = page.total.min(3);
        let rows = (0..few).map(|row| look(Some(&part.path), row, 1).page.expect("a page").lines.remove(0));
        assert!(rows.eq(page.lines.iter().take(3).cloned()), "{}", part.path);
        assert!(serde_json::to_string(&look(Some(&part.path), 0, 100)).expect("JSON").len() < 60 << 10);
    }
    for absent in ["documents/no-such", "databases/x/y", "files/no/such", "mail/nobody", "nothing", ""] {
        let asked = Asked { part: Some(absent), from: 0, count: 1 };
        let found = view(states, (step, steps), &asked).err();
        assert_eq!(found, Some(ViewError::NoPart(absent.to_owned())));
    }
}

/// The root digest after each of the task's reference actions, tried until they are done, among faults.
fn roots(world: &World, task: &Arc<Task>, seed: u64, has_forks: bool) -> Vec<Digest> {
    let mut episode = Episode::begin(&world.definition, task, Seed(seed), Profile::Rough).expect("it begins");
    let mut roots = vec![episode.world().state().hash().root()];
    for deed in &task.gold {
        let action = match deed {
            Deed::Say(text) => Action { say: Some(text.clone()), ..Action::default() },
            Deed::Call { tool, arguments } => {
                let arguments = serde_json::Value::Object(arguments.clone()).to_string();
                Action { calls: vec![(tool.clone(), arguments)], ..Action::default() }
            }
        };
        for _ in 0..2 {
            if has_forks {
                // What is done in a fork is done nowhere else.
                let mut other = episode.clone();
                other.act(&action);
                other.act(&action);
                other.judge().expect("comparable");
            }
            episode.act(&action);
            roots.push(episode.world().state().hash().root());
        }
    }
    roots
}

#[test]
fn a_seed_gives_the_same_roots_on_one_thread_and_on_eight_and_among_forks() {
    let world = desk();
    let all = |has_forks: bool| -> Vec<Vec<Digest>> {
        let tasks = world.tasks.iter();
        tasks.flat_map(|task| (1..=4).map(|seed| roots(&world, task, seed, has_forks)).collect::<Vec<_>>()).collect()
    };
    let alone = all(false);
    assert_eq!(all(true), alone);
    let eight = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..8)
            .map(|number| {
                let all = &all;
                scope.spawn(move || all(number % 2 == 0))
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().expect("no panic")).collect::<Vec<_>>()
    });
    assert!(eight.iter().all(|roots| *roots == alone));
    let states: std::collections::BTreeSet<&Digest> = alone.iter().flatten().collect();
    assert!(states.len() > alone.len() * 2, "episodes differ: {}", states.len());
}

#[test]
fn what_our_own_agents_cost_is_known() {
    // None of them asks a model: whoever counts what episodes have cost knows them by their names.
    for own in OwnAgent::ALL {
        assert!(assay_rollout::run::asks_no_model(own.name()), "{}", own.name());
    }
    assert!(!assay_rollout::run::asks_no_model("openai:gpt"));
}
