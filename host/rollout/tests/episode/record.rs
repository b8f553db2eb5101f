//! What stands in the record of an episode, and when.

use crate::support::{Lab, Line, code, events, reply};
use assay_model::Nanos;
use assay_rollout::SampleRate;
use assay_rollout::ports::{Decision, Supervisor};
use assay_trace::{Record, ToolCall, stats};
use futures::future::{BoxFuture, FutureExt as _, ready};
use std::sync::{Arc, Mutex};

/// Notes what is on disk whenever a cell is about to run.
struct Peeker {
    sinks: Arc<crate::support::MemorySinks>,
    seen: Mutex<Vec<usize>>,
}

impl Supervisor for Peeker {
    fn before_cell<'a>(&'a self, _: u32, _: &'a str) -> BoxFuture<'a, Decision> {
        self.seen.lock().unwrap().push(self.sinks.trajectory("ep-1").messages().count());
        ready(Decision::GoOn).boxed()
    }
}

#[test]
fn a_reply_is_on_disk_before_its_code_runs_and_a_step_before_the_next() {
    let mut lab = Lab::new(&[&code("print a"), &code("print b"), &code("finish c")]);
    let peeker = Arc::new(Peeker { sinks: Arc::clone(&lab.sinks), seen: Mutex::default() });
    lab.supervisor = Arc::clone(&peeker) as Arc<dyn Supervisor>;
    lab.run();
    assert_eq!(*peeker.seen.lock().unwrap(), [3, 5, 7]);
}

#[test]
fn the_order_of_records() {
    let lab = Lab::new(&[&code("write answer 42\nrun_tests"), &code("finish done")]);
    let mut lab = lab;
    lab.settings.early_stop = false;
    lab.run();
    let names: Vec<String> = lab
        .trajectory()
        .records()
        .iter()
        .map(|record| match record {
            Record::Message(message) => message.role().name().to_owned(),
            Record::Event(event) => event.kind.name().to_owned(),
            Record::Verdict(_) => "score".to_owned(),
        })
        .collect();
    let expected = "system user state \
        assistant model_call tool_run host_call code_cell state user \
        assistant model_call tool_run host_call code_cell state \
        exit patch score";
    assert_eq!(names.join(" "), expected);
}

#[test]
fn the_patch_and_the_metadata_are_there() {
    let lab = Lab::new(&[&code("write answer 42\nrm notes\nfinish done")]);
    let ended = lab.run();
    let trajectory = lab.trajectory();
    let patch = &events(&trajectory, "patch")[0];
    assert_eq!(patch["patch"].as_str().unwrap().as_bytes(), &*ended.patch.unwrap());
    assert!(patch["patch"].as_str().unwrap().contains("deleted file mode"));
    let metadata = trajectory.metadata();
    assert_eq!(metadata.scenario, "lab__answer-1");
    assert_eq!(metadata.hashes["files"], patch["base"].as_str().unwrap());
    assert_eq!(metadata.limits["steps"], 40);
    assert_eq!((metadata.run.as_deref(), metadata.attempt, metadata.seed.0), (Some("run-1"), 1, 7));
    assert_eq!(stats(&trajectory).model_calls, 1);
}

#[test]
fn a_patch_that_is_no_text_is_kept_in_base64() {
    let lab = Lab::new(&[&code("write answer 42\nfinish done")]);
    let mut lab = lab;
    let content = assay_tree::Content::from(b"caf\xe9\n".to_vec());
    lab.start.base.put(b"answer", content, assay_model::Time(0)).unwrap();
    let ended = lab.run();
    let patch = &events(&lab.trajectory(), "patch")[0];
    let base64 = assay_trace::Base64::new(patch["patch_base64"].as_str().unwrap()).unwrap();
    assert_eq!(base64.to_bytes(), *ended.patch.unwrap());
}

#[test]
fn working_time_leaves_out_the_waiting() {
    // Ten seconds in a cell; the model's requests take a few looks at the clock.
    let lab = Lab::new(&[&code("sleep 10"), &code("finish done")]);
    let ended = lab.run();
    let ten = Nanos::from_secs(10);
    assert!(ended.spent.working >= ten && ended.spent.working < ended.spent.wall, "{:?}", ended.spent);
}

#[test]
fn tool_calls_that_nobody_offered_are_counted_and_not_kept() {
    let call = ToolCall::new(assay_trace::CallId::new("c1").unwrap(), "ls", "{}");
    let with_call = assay_rollout::ports::ModelReply { tool_calls: vec![call], ..reply("") };
    let lab = Lab::with_lines(vec![Line::Reply(with_call), Line::Say(code("finish done"))]);
    lab.run();
    let trajectory = lab.trajectory();
    let message = trajectory.messages().nth(2).unwrap();
    assert_eq!((message.tool_calls().len(), &message.meta()["tool_calls_ignored"]), (0, &1.into()));
    assert!(trajectory.messages().nth(3).unwrap().text().contains("no block tagged `repl`"));
}

#[test]
fn a_sample_goes_by_the_id() {
    let none = SampleRate::per_mille(0);
    let id = |n: u32| format!("ep-{n}");
    let sampled = (0..10_000).filter(|n| SampleRate::per_mille(100).takes(&id(*n))).count();
    assert!((900..1_100).contains(&sampled), "{sampled} of 10,000 at 100 of 1,000");
    assert!((0..100).all(|n| SampleRate::ALL.takes(&id(n)) && !none.takes(&id(n))));
}

#[test]
fn a_request_that_nobody_waited_for_may_have_cost_something() {
    let hangs = Line::Hang(Nanos::from_secs(4_000));
    let lab = Lab::with_lines(vec![Line::Say(code("print a")), hangs]);
    assert_eq!(lab.run().exit, assay_rollout::Exit::WallTime);
    let stats = stats(&lab.trajectory());
    assert_eq!((stats.model_calls, stats.cost_microdollars.known, stats.cost_microdollars.unknown), (2, 50, 1));
}
