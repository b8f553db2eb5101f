//! A supervisor steps in: what it decides happens, and is on record.

use crate::support::{Lab, code, events};
use assay_rollout::Exit;
use assay_rollout::episode::run;
use assay_rollout::ports::{Decision, Observer, Phase, Progress, Supervisor};
use assay_trace::{Message, Record, stats};
use futures::executor::block_on;
use futures::future::{BoxFuture, FutureExt as _, ready};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Decisions in turn; at the end it only looks on.
#[derive(Default)]
struct Planned {
    requests: Mutex<VecDeque<Decision>>,
    cells: Mutex<VecDeque<Decision>>,
}

fn next(decisions: &Mutex<VecDeque<Decision>>) -> BoxFuture<'_, Decision> {
    ready(decisions.lock().unwrap().pop_front().unwrap_or(Decision::GoOn)).boxed()
}

impl Supervisor for Planned {
    fn before_request<'a>(&'a self, _: u32, _: &'a [Arc<Message>]) -> BoxFuture<'a, Decision> {
        next(&self.requests)
    }

    fn before_cell<'a>(&'a self, _: u32, _: &'a str) -> BoxFuture<'a, Decision> {
        next(&self.cells)
    }
}

fn supervised(replies: &[&str], requests: Vec<Decision>, cells: Vec<Decision>) -> Lab {
    let mut lab = Lab::new(replies);
    let planned = Planned { requests: Mutex::new(requests.into()), cells: Mutex::new(cells.into()) };
    lab.supervisor = Arc::new(planned);
    lab
}

#[test]
fn decisions() {
    let done = code("write answer 42\nfinish done");
    // A word before the request.
    let lab = supervised(&[&done], vec![Decision::Say("Try 42.".to_owned())], vec![]);
    lab.run();
    assert!(lab.last_asked().ends_with("Try 42."));

    // A reply in the model's stead: it is not asked, and no call is on record.
    let lab = supervised(&[], vec![Decision::Replace(done.clone())], vec![]);
    assert_eq!(lab.run().verdict.reward(), Some(1.0));
    assert_eq!((lab.model.asked.lock().unwrap().len(), stats(&lab.trajectory()).model_calls), (0, 0));

    // A word instead of a cell: neither it nor the reply's other cells run.
    let two = format!("{}{}", code("write answer 1"), code("write answer 2"));
    let lab = supervised(&[&two, &done], vec![], vec![Decision::Say("Not like this.".to_owned())]);
    lab.run();
    assert_eq!(events(&lab.trajectory(), "code_cell").len(), 1);
    assert!(lab.last_asked().contains("Not like this."));

    // The end, before the second cell.
    let lab = supervised(&[&two], vec![], vec![Decision::GoOn, Decision::Stop]);
    let ended = lab.run();
    assert_eq!((ended.exit, ended.verdict.outcome()), (Exit::Cancelled, None));
    assert_eq!(events(&lab.trajectory(), "code_cell").len(), 1);
}

#[test]
fn only_a_supervisor_that_steps_in_is_flagged() {
    let done = code("finish done");
    let looked_on = supervised(&[&done], vec![], vec![]);
    let stepped_in = supervised(&[&done], vec![Decision::Say("Go.".to_owned())], vec![]);
    looked_on.run();
    stepped_in.run();
    assert!(looked_on.trajectory().flags().is_empty());
    assert!(stepped_in.trajectory().flags().contains("supervised"));
    let event = &events(&stepped_in.trajectory(), "supervisor")[0];
    assert_eq!((&event["before"], &event["decision"]), (&"request".into(), &"say".into()));
}

/// Notes what it is told.
#[derive(Default)]
struct Noting {
    phases: Mutex<Vec<(Phase, u32)>>,
    records: Mutex<usize>,
}

impl Observer for Noting {
    fn progress(&self, progress: &Progress) {
        self.phases.lock().unwrap().push((progress.phase, progress.step));
    }

    fn recorded(&self, records: &[Record]) {
        *self.records.lock().unwrap() += records.len();
    }
}

#[test]
fn an_observer_is_told_each_phase_and_each_record() {
    let lab = Lab::new(&[&code("write answer 42"), &code("finish done")]);
    let noting = Arc::new(Noting::default());
    let mut ports = lab.ports();
    ports.observer = Arc::clone(&noting) as Arc<dyn Observer>;
    block_on(run(&ports, lab.start.clone(), &lab.settings));
    let expected = [
        (Phase::Starting, 0),
        (Phase::Model, 1),
        (Phase::Cell, 1),
        (Phase::Model, 2),
        (Phase::Cell, 2),
        (Phase::Grading, 2),
        (Phase::Ended, 2),
    ];
    assert_eq!(*noting.phases.lock().unwrap(), expected);
    assert_eq!(*noting.records.lock().unwrap(), lab.trajectory().records().len());
}
