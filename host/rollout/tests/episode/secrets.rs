//! No secret of a task reaches a model. By construction, since a prompt is made from a type that has none; here it is seen.

use crate::support::{FileGrader, Lab, code};
use assay_grade::rule::{EvalType, Expected};
use assay_grade::task::{Bench, Gold, Kind, Public, Secret, Task, Tests};
use assay_rollout::Submission;
use assay_rollout::ports::{BenchError, Graded, Grader, SoFar, TestRun};
use assay_tree::Tree;
use futures::executor::block_on;
use futures::future::{BoxFuture, FutureExt as _};
use std::sync::Arc;

/// A task in which every field that no model may see holds the marker.
fn marked(marker: &str) -> Task {
    let text = |name: &str| format!("{marker}-{name}");
    Task {
        kind: Kind::SweBench,
        public: Public {
            instance_id: "lab__answer-1".to_owned(),
            repository: "lab/answer".to_owned(),
            problem_statement: "The answer is off by one.".to_owned(),
            language: "python".to_owned(),
        },
        bench: Bench {
            image: text("image"),
            folder: "/testbed".to_owned(),
            base_commit: Some(text("commit")),
            test_command: Some(text("command")),
            version: Some(text("version")),
            created_at: Some(text("created")),
        },
        secret: Secret {
            gold: Gold::Patch(text("gold")),
            tests: Tests::Patch(text("tests")),
            expected: Expected::Lists {
                fail_to_pass: vec![text("fail")],
                pass_to_pass: vec![text("pass")],
                eval_type: EvalType::PassAndFail,
            },
            log_parser: Some(text("parser")),
            eval_script: Some(text("script")),
            hints: Some(text("hints")),
            other: [("key".to_owned(), text("other").into())].into(),
        },
    }
}

/// A grader that knows the task, as the real one does, and lets its secrets into everything but the feedback.
struct Knowing(Task, FileGrader);

impl Grader for Knowing {
    fn grade(&self, submission: Submission, so_far: SoFar) -> BoxFuture<'_, Graded> {
        async move {
            let graded = self.1.grade(submission, so_far).await;
            let secret = format!("{:?}", self.0.bench);
            let flag = assay_trace::Flag { name: "seen".to_owned(), detail: secret };
            Graded { events: vec![assay_trace::EventKind::Flag(flag)], ..graded }
        }
        .boxed()
    }

    fn shell(&self, command: String, tree: Tree) -> BoxFuture<'_, Result<TestRun, BenchError>> {
        self.1.shell(command, tree)
    }
}

#[test]
fn no_message_of_an_episode_holds_a_secret() {
    let marker = "SECRETMARKER";
    let task = marked(marker);
    let replies =
        [code("write answer 43\nrun_tests"), "hm".to_owned(), code("ask Why?\nsub_agent look"), code("finish done")];
    let mut lab = Lab::new(&replies.each_ref().map(String::as_str)).helper(vec![
        crate::support::Line::Say("So.".to_owned()),
        crate::support::Line::Say(code("run_tests\nfinish x")),
    ]);
    lab.start.task = task.public.clone();
    let mut ports = lab.ports();
    ports.grader = Arc::new(Knowing(task, FileGrader::default()));
    block_on(assay_rollout::episode::run(&ports, lab.start.clone(), &lab.settings));
    let helper = lab.helper.as_ref().unwrap();
    let asked = [lab.model.asked.lock().unwrap(), helper.asked.lock().unwrap()];
    let requests: Vec<_> = asked.iter().flat_map(|asked| asked.iter()).collect();
    assert!(requests.len() >= 6);
    for request in requests {
        for message in &request.messages {
            let bytes = serde_json::to_string(&**message).unwrap();
            assert!(!bytes.contains(marker), "{bytes}");
        }
    }
    for name in lab.sinks.names() {
        for message in lab.sinks.trajectory(&name).messages() {
            assert!(!message.text().contains(marker));
        }
    }
}

#[test]
fn a_task_without_a_report_still_has_a_prompt() {
    let mut lab = Lab::new(&[&code("finish done")]);
    lab.start.task.problem_statement = " \n".to_owned();
    lab.run();
    assert!(lab.last_asked().contains("There is no bug report"));
}

#[test]
fn the_prompt_says_what_can_be_called() {
    let mut lab = Lab::new(&[&code("finish done")]);
    lab.settings.calls.sub_agent_depth = 0;
    lab.run();
    let asked = lab.last_asked();
    for part in
        ["shell is not available", "sub_agent is not available", "run_tests can be called 20 times", "read_file(path)"]
    {
        assert!(asked.contains(part), "{part}");
    }
}
