//! An engine that is away for a while: what is asked again, what is charged, and what is graded after the end.

use crate::support::{Lab, code, events};
use assay_model::Nanos;
use assay_rollout::Exit;
use assay_rollout::later::{LaterError, Ungraded};
use assay_rollout::ports::{Sink, SinkError};
use assay_trace::{Outcome, Record, Verdict};
use futures::executor::block_on;
use futures::future::{BoxFuture, FutureExt as _, ready};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Keeps what is appended.
#[derive(Default)]
struct Appended(Vec<Record>);

impl Sink for Appended {
    fn append(&mut self, records: Vec<Record>) -> BoxFuture<'_, Result<(), SinkError>> {
        self.0.extend(records);
        ready(Ok(())).boxed()
    }
}

fn down(replies: &[&str], gradings: u64) -> Lab {
    let lab = Lab::new(replies);
    lab.grader.down_for.store(gradings, Ordering::SeqCst);
    lab
}

#[test]
fn a_grading_without_a_score_is_not_remembered() {
    let lab = down(&[&code("write answer 42\nrun_tests"), &code("finish done")], 1);
    let ended = lab.run();
    assert_eq!((ended.exit, ended.verdict.outcome()), (Exit::Finished, Some(Outcome::Success)));
    assert_eq!(lab.grader.graded.lock().unwrap().len(), 2, "the engine was back for the second");
    // One with a score is remembered: nobody tries a flaky test until it passes.
    let lab = down(&[&code("write answer 43\nrun_tests\nrun_tests\nfinish done")], 0);
    assert_eq!(lab.run().verdict.outcome(), Some(Outcome::Failure));
    assert_eq!(lab.grader.graded.lock().unwrap().len(), 1);
}

/// What the engine left ungraded, and what it comes to later.
fn later(lab: &Lab) -> (Vec<Record>, Result<Verdict, LaterError>) {
    let ungraded = Ungraded::of(&lab.trajectory()).expect("only its score is missing");
    let mut sink = Appended::default();
    let graded = block_on(ungraded.grade(&lab.start.base, &*lab.grader, &*lab.clock, &mut sink));
    (sink.0, graded)
}

#[test]
fn files_are_graded_later_as_they_would_have_been_at_the_end() {
    for (cell, limit, expected) in [
        ("write answer 42\nfinish done", None, (Outcome::Success, "finished: every test is as expected", 0)),
        ("write answer 43\nfinish done", None, (Outcome::Failure, "finished: 1 tests are not as expected", 0)),
        ("write answer cheat\nfinish done", None, (Outcome::SafetyViolation, "finished: the tests were touched", 1)),
        ("write answer 42", Some(1), (Outcome::Success, "steps: every test is as expected", 1)),
        ("write answer 43", Some(1), (Outcome::Timeout, "steps: 1 tests are not as expected", 0)),
        ("rm answer\nfinish done", None, (Outcome::Failure, "finished: 1 tests are not as expected", 0)),
    ] {
        let (outcome, reason, flags) = expected;
        let mut lab = down(&[&code(cell)], 1);
        lab.settings.limits.steps = limit.unwrap_or(lab.settings.limits.steps);
        assert_eq!(lab.run().verdict.outcome(), None, "{cell}");
        let (records, graded) = later(&lab);
        let verdict = graded.expect("it is graded");
        assert_eq!((verdict.outcome(), verdict.reason()), (Some(outcome), reason));
        let kinds: Vec<String> = records
            .iter()
            .filter_map(|record| match record {
                Record::Event(event) => Some(event.kind.name().to_owned()),
                _ => None,
            })
            .collect();
        assert_eq!((kinds[0].as_str(), kinds.len()), ("graded_later", 1 + flags), "{cell}");
        assert_eq!(records.last(), Some(&Record::from(verdict)));
        // The model was asked at the time, and a reward gets the amounts of that time.
        assert_eq!(lab.model.asked.lock().unwrap().len(), 1);
        let graded = lab.grader.graded.lock().unwrap();
        let [first, second] = graded.as_slice() else { panic!("{} gradings", graded.len()) };
        assert_eq!((first.steps, first.spent.usage.total()), (second.steps, second.spent.usage.total()));
        assert_eq!(first.spent.cost_microdollars, second.spent.cost_microdollars);
    }
}

#[test]
fn what_was_guessed_is_counted_from_the_record() {
    let cell = "write answer guess 1\nrun_tests\nwrite answer guess 2\nrun_tests\nwrite answer bench down\nfinish done";
    let lab = down(&[&code(cell)], 0);
    assert_eq!(lab.run().verdict.outcome(), None);
    assert_eq!(later(&lab).1.expect("it is tried").outcome(), None);
    let before: Vec<u32> = lab.grader.graded.lock().unwrap().iter().map(|so_far| so_far.contradicted).collect();
    assert_eq!(before, [0, 1, 2, 2]);
}

#[test]
fn what_has_a_score_or_no_worth_is_not_graded_later() {
    let scored = down(&[&code("write answer 42\nfinish done")], 0);
    scored.run();
    // Its script ended: that says nothing of the model.
    let ended = down(&[&code("write answer 42")], 0);
    ended.run();
    for lab in [scored, ended] {
        assert!(Ungraded::of(&lab.trajectory()).is_none());
    }
}

#[test]
fn other_files_are_refused() {
    let mut lab = down(&[&code("write answer 42\nfinish done")], 1);
    lab.run();
    lab.start.base.unlink(b"notes", assay_model::Time(0)).unwrap();
    let (records, graded) = later(&lab);
    assert!(matches!(graded, Err(LaterError::OtherFiles)) && records.is_empty());
}

#[test]
fn the_queue_of_the_bench_is_not_charged_and_its_tests_are() {
    let hour = Nanos::from_secs(3_600);
    for (queue, running, exit) in [
        (Nanos(5 * hour.0), Nanos::from_secs(60), Exit::Finished),
        (Nanos(0), Nanos(hour.0 + 1), Exit::WallTime),
        (hour, hour, Exit::WallTime),
    ] {
        let mut lab = Lab::new(&[&code("write answer 43\nrun_tests"), &code("write answer 42"), &code("finish done")]);
        let takes = Some((Arc::clone(&lab.clock), queue, running));
        lab.grader = Arc::new(crate::support::FileGrader { takes, ..Default::default() });
        let ended = lab.run();
        assert_eq!(ended.exit, exit, "{queue:?} {running:?}: {}", ended.detail);
        let charged = ended.spent.wall;
        assert!(charged < Nanos(2 * running.0 + Nanos::from_secs(1).0), "{charged:?}");
        assert!(ended.spent.working < Nanos::from_secs(1), "{:?}", ended.spent);
        assert_eq!(events(&lab.trajectory(), "exit").len(), 1);
    }
}
