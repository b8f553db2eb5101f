//! Replay: equal where the session keeps its word, and the first difference where it does not.

use crate::support::{Lab, Line, TinySessions, code};
use assay_model::Time;
use assay_rollout::ports::{Decision, Supervisor};
use assay_rollout::replay::{ReplayError, Replayed, replay, replay_to};
use assay_trace::{CodeCell, Event, EventKind, Record, Trajectory};
use assay_tree::Content;
use futures::executor::block_on;
use futures::future::{BoxFuture, FutureExt as _, ready};
use std::sync::Arc;

fn rich() -> Lab {
    let replies = [
        format!("{}{}", code("print a\nrandom\ndrift"), code("write answer 43\nrun_tests")),
        "No code.".to_owned(),
        code("ask Why?\nsub_agent look\nraise ValueError: x"),
        code("shell ls"),
        code("burn 99000000000"),
        code("write answer 42\nfinish done"),
    ];
    let helper = vec![Line::Say("Because.".to_owned()), Line::Say(code("write notes new\nfinish looked"))];
    Lab::new(&replies.each_ref().map(String::as_str)).helper(helper)
}

fn again(lab: &Lab, trajectory: &Trajectory) -> Result<Replayed, ReplayError> {
    block_on(replay(trajectory, &lab.start.base, &lab.sessions))
}

#[test]
fn everything_is_equal_without_a_model_or_a_bench() {
    let lab = rich();
    let ended = lab.run();
    let asked = lab.model.asked.lock().unwrap().len();
    let gradings = lab.grader.graded.lock().unwrap().len();
    let replayed = again(&lab, &lab.trajectory()).unwrap();
    assert_eq!(replayed.divergence, None);
    assert_eq!((replayed.cells, replayed.calls, replayed.states), (6, 5, 7));
    assert_eq!(replayed.tree.digest(), ended.tree.digest());
    assert_eq!(lab.model.asked.lock().unwrap().len(), asked);
    assert_eq!(lab.grader.graded.lock().unwrap().len(), gradings);

    // The sub-agent's own trajectory, over the files that it began with.
    let (id, base) = replayed.sub_agents.iter().next().unwrap();
    assert_eq!(id.as_str(), "ep-1.1");
    let of_sub_agent = block_on(replay(&lab.sinks.trajectory("ep-1.1"), base, &lab.sessions)).unwrap();
    assert_eq!((of_sub_agent.divergence, of_sub_agent.cells), (None, 1));
}

/// The files after each step, and those before it.
#[test]
fn a_replay_stops_after_any_step() {
    let lab = rich();
    let ended = lab.run();
    let recorded = lab.trajectory();
    let at = |step: usize| {
        let (replayed, before) = block_on(replay_to(&recorded, &lab.start.base, &lab.sessions, step)).unwrap();
        assert_eq!(replayed.divergence, None, "step {step}");
        (before.digest(), replayed.tree.digest())
    };
    assert_eq!(at(0), (lab.start.base.digest(), lab.start.base.digest()));
    for step in 1..=recorded.steps() {
        assert_eq!(at(step).0, at(step - 1).1, "step {step}");
    }
    assert_eq!(at(recorded.steps()).1, ended.tree.digest());
    assert_eq!(at(usize::MAX), at(recorded.steps()));
}

/// The trajectory with every record passed through `change`.
fn changed(trajectory: &Trajectory, change: impl Fn(Record) -> Option<Record>) -> Trajectory {
    let mut copy = Trajectory::new(trajectory.metadata().clone());
    for record in trajectory.records().iter().cloned().filter_map(change) {
        copy.push(record).unwrap();
    }
    copy
}

fn with_cell(trajectory: &Trajectory, change: impl Fn(&mut CodeCell)) -> Trajectory {
    changed(trajectory, |record| match record {
        Record::Event(Event { at, kind: EventKind::CodeCell(mut cell) }) => {
            change(&mut cell);
            Some(Event { at, kind: EventKind::CodeCell(cell) }.into())
        }
        other => Some(other),
    })
}

#[test]
fn the_first_difference_is_told() {
    let lab = rich();
    lab.run();
    let recorded = lab.trajectory();
    let is_call = |record: &Record| matches!(record, Record::Event(event) if event.kind.name() == "host_call");
    let cases: Vec<(&str, Trajectory)> = vec![
        ("stdout", with_cell(&recorded, |cell| cell.stdout.push('!'))),
        ("stderr", with_cell(&recorded, |cell| cell.stderr.push('!'))),
        ("fuel", with_cell(&recorded, |cell| cell.fuel += 1)),
        ("dropped bytes", with_cell(&recorded, |cell| cell.dropped_bytes += 1)),
        ("error", with_cell(&recorded, |cell| cell.error = Some("none".to_owned()))),
        ("code", with_cell(&recorded, |cell| cell.source.push('!'))),
        ("call", changed(&recorded, |record| (!is_call(&record)).then_some(record))),
    ];
    for (what, trajectory) in cases {
        let divergence = again(&lab, &trajectory).unwrap().divergence.unwrap();
        assert_eq!(divergence.what, what, "{divergence}");
        assert_eq!(divergence.step, 1);
    }
    // More calls on record than were made.
    let twice = changed(&recorded, Some);
    let mut more = Trajectory::new(twice.metadata().clone());
    for record in twice.records() {
        more.push(record.clone()).unwrap();
        if is_call(record) {
            more.push(record.clone()).unwrap();
        }
    }
    assert_eq!(again(&lab, &more).unwrap().divergence.unwrap().what, "call");
}

#[test]
fn other_files_another_session_and_another_format_are_told() {
    let mut lab = rich();
    lab.run();
    let recorded = lab.trajectory();
    let faithless = TinySessions { clock: Arc::clone(&lab.clock), drift: "there".to_owned(), refuses: false };
    let replayed = block_on(replay(&recorded, &lab.start.base, &faithless)).unwrap();
    let told = replayed.divergence.unwrap().to_string();
    assert!(told.contains("step 1, cell 1: stdout differs") && told.contains("there"), "{told}");

    lab.start.base.put(b"more", Content::from(b"x".to_vec()), Time(0)).unwrap();
    assert_eq!(again(&lab, &recorded).unwrap().divergence.unwrap().what, "base files");

    let mut metadata = recorded.metadata().clone();
    metadata.meta.clear();
    let error = again(&lab, &Trajectory::new(metadata)).err().unwrap();
    assert!(error.to_string().contains("lacks `folder`"), "{error}");
}

#[test]
fn a_cell_that_was_broken_off_ends_the_replay() {
    let lab = Lab::new(&[&code("print a"), &code("write answer 43\nhang 3600")]);
    lab.run();
    let replayed = again(&lab, &lab.trajectory()).unwrap();
    assert_eq!((replayed.divergence, replayed.was_interrupted, replayed.cells), (None, true, 1));
}

/// Puts its own code in place of the first cell.
struct Editor;

impl Supervisor for Editor {
    fn before_cell<'a>(&'a self, step: u32, _: &'a str) -> BoxFuture<'a, Decision> {
        let decision = if step == 1 { Decision::Replace("write answer 42".to_owned()) } else { Decision::GoOn };
        ready(decision).boxed()
    }
}

#[test]
fn a_supervisors_cell_is_replayed_too() {
    let mut lab = Lab::new(&[&code("write answer 43"), &code("finish done")]);
    lab.supervisor = Arc::new(Editor);
    assert_eq!(lab.run().verdict.reward(), Some(1.0));
    assert_eq!(again(&lab, &lab.trajectory()).unwrap().divergence, None);
}
