//! The control run: the task's tests once more, with tests among them that cannot pass.
//!
//! A submission is code, and it runs in the process that tests it. It can replace what runs a test, what compares, what reports and what ends the
//! process, and it can print any log; log, counts, report and exit code then agree. What it cannot tell as easily is which tests *should* fail. So
//! where everything passed, the tests run again in another container, and each file that decides ends with a test that is wrong whatever the code
//! does. Each of these must be reported as failed. Their names depend on what no submission has seen: the tests that decide.
//!
//! What remains: code that reads the tests as they run and tells the wrong ones apart, and objects that lie to the comparisons of the right ones.

use std::collections::BTreeMap;

use assay_grade::rule::{Ended, Expected, Flag, Reason, Score, Unscored, Verdict};
use assay_grade::task::{Kind, Task};
use assay_world::Digest;
use serde::{Deserialize, Serialize};

use crate::ports::{BenchError, Job, TestRun};

/// Ends of names, so that an added test is called as people call theirs.
const ENDS: [&str; 8] =
    ["_again", "_twice", "_is_stable", "_by_default", "_of_many", "_in_order", "_unchanged", "_exactly"];
/// Bytes of the log's end that are kept: the summary of the added tests, for an audit.
const SHOWN_BYTES_MAX: usize = 4096;

/// What a control run showed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// The tests that were added, as pytest names them.
    pub added: Vec<String>,
    /// How it ended.
    pub ended: Ended,
    /// The first of them that was not reported as failed.
    pub passed: Option<String>,
    /// The end of what was printed.
    pub log_end: String,
}

/// A control run before it is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ControlJob {
    added: Vec<String>,
    /// What is run.
    pub job: Box<Job>,
}

/// The control run that belongs to `job`. `None` where tests cannot be added: the runner is not pytest, the names of the tests say no file, or a
/// script of the task's own puts the tests in place.
pub(super) fn job(task: &Task, job: &Job, patch: &[u8]) -> Option<ControlJob> {
    let Expected::Lists { fail_to_pass, .. } = &task.secret.expected else { return None };
    if !task.parser()?.is_pytest() || task.secret.eval_script.is_some() || task.kind == Kind::R2eGym {
        return None;
    }
    // A file and a name in it that pytest is known to collect there, which must be so since a test of the file has to pass.
    let mut models: BTreeMap<&str, &str> = BTreeMap::new();
    for id in fail_to_pass {
        let (file, rest) = id.split_once(".py::")?;
        let function = rest.split('[').next().unwrap_or(rest).rsplit("::").next().unwrap_or(rest);
        models.entry(&id[..file.len() + ".py".len()]).or_insert(function);
    }
    let seed = Digest::of(format!("{fail_to_pass:?}\n{}", Digest::of(patch)).as_bytes()).to_string();
    let number =
        |at: usize| seed.get(at..at + 3).and_then(|digits| usize::from_str_radix(digits, 16).ok()).unwrap_or(1);
    let (left, right) = (number(0) + 1, number(3) + 8192);
    let (mut script, mut added) = (String::new(), Vec::new());
    for (file, model) in models {
        if !model.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return None;
        }
        let name = format!("{model}{}", ENDS[number(6) % ENDS.len()]);
        let quoted = file.replace('\'', "'\\''");
        script.push_str(&format!(
            "cat >> '{quoted}' << 'END_OF_TEST'\n\n\ndef {name}():\n    values = [{left}, {right}]\n    \
             values.append(len(values))\n    assert values == [{right}, {left}, 3]\nEND_OF_TEST\n"
        ));
        added.push(format!("{file}::{name}"));
    }
    script.push_str(&job.script);
    let label = format!("{}-control", job.label);
    Some(ControlJob { added, job: Box::new(Job { script, junit: None, label, ..job.clone() }) })
}

impl ControlJob {
    /// What came of it.
    pub(super) fn read(self, run: Result<TestRun, BenchError>) -> Control {
        let run = match run {
            Ok(run) => run,
            Err(error) => {
                let ended = Ended::Lost(error.to_string());
                return Control { added: self.added, ended, passed: None, log_end: String::new() };
            }
        };
        let log = assay_grade::decode_log(&run.log);
        // Colours and progress may stand between the two, so a line need only hold both.
        let is_failed =
            |name: &&String| log.lines().any(|line| line.contains("FAILED") && line.contains(name.as_str()));
        let passed = match run.ended {
            Ended::Exited(1) => self.added.iter().find(|name| !is_failed(name)),
            _ => self.added.first(),
        };
        let end = log.len().saturating_sub(SHOWN_BYTES_MAX);
        let log_end = log.get(end..).unwrap_or_else(|| log.get(end + 1..).unwrap_or_default()).to_owned();
        Control { passed: passed.cloned(), added: self.added, ended: run.ended, log_end }
    }
}

impl Control {
    /// The verdict that it replaces; `None` where it confirms what the rule said.
    pub(super) fn objection(&self) -> Option<Verdict> {
        match (&self.ended, &self.passed) {
            (Ended::TimedOut, _) => Some(Verdict::Unscored(Unscored::TimedOut)),
            (Ended::OutOfMemory, _) => Some(Verdict::Unscored(Unscored::OutOfMemory)),
            (Ended::Lost(why), _) => Some(Verdict::Unscored(Unscored::Infrastructure(why.clone()))),
            (Ended::Exited(_) | Ended::Unrecorded, Some(name)) => {
                let reason = Reason::Forfeit(Flag::ControlPassed { name: name.clone() });
                Some(Verdict::Scored(Score { reward: 0.0, reason, parts: Vec::new(), differences: Vec::new() }))
            }
            (Ended::Exited(_) | Ended::Unrecorded, None) => None,
        }
    }
}
