//! What code asks of the host while its cell waits: tests, commands, questions, sub-agents, the end.
//!
//! Invariants: every call and its answer is recorded, so that a replay needs neither a bench nor a model. An answer never holds more than
//! [`ANSWER_BYTES_MAX`], and of the tests only what the settings allow. **No deadlock:** a call holds no lock and no permit while it waits, and neither does
//! the agent whose cell waits for it: what limits concurrency (a provider's pacing, the bench's semaphores) is taken and given back within one
//! call of its port. So any number of agents, nested at will, get on with one permit.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assay_grade::rule::Ended as Exited;
use assay_model::{Nanos, Time};
use assay_trace::{
    Digest, Event, EventKind, Flag, Message, MessageId, OtherEvent, Outcome, Record, ToolRun, TrajectoryId,
};
use assay_tree::Tree;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::exit::{Exit, Worth};
use crate::ports::{Graded, Host, HostAnswer, HostCall, ModelError, ModelRequest, SoFar, TestRun};
use crate::record::{HOST_CALL, RecordedCall, files_digest};
use crate::reply::{estimated, model_call, next_seed, request, text_of};
use crate::settings::Calls;
use crate::start::Context;
use crate::stop::Stop;
use crate::sub_agent;
use crate::submission::Submission;
use crate::text::{cut_middle, printable};

/// The longest answer to a call, in bytes: it becomes a Python string, of which the model can print what it wants to see.
pub const ANSWER_BYTES_MAX: usize = 64 << 10;
/// The longest argument of a call, in bytes of JSON: of a longer one the record holds the digest, and the call is refused unless it is
/// `finish`.
pub const ARGUMENT_BYTES_MAX: usize = 256 << 10;
/// Answers the calls of one agent.
pub(crate) struct Desk {
    pub(crate) context: Arc<Context>,
    state: Mutex<State>,
}

/// What calls leave behind for the loop.
#[derive(Default)]
pub(crate) struct State {
    /// What happened since the loop last looked.
    records: Vec<Record>,
    /// The summary, once `finish` was called.
    pub(crate) finished: Option<String>,
    /// Trouble that ends the episode: a question or a sub-agent met what is nobody's fault in the episode.
    pub(crate) trouble: Option<Stop>,
    /// The files that were last graded, and what they are worth.
    pub(crate) graded: Option<(Digest, Graded)>,
    /// Successes that confirming runs contradicted, one flag a grading.
    contradictions: Vec<Flag>,
    pub(crate) flags: Vec<Flag>,
    pub(crate) sub_agents: Vec<TrajectoryId>,
    /// Those that its sub-agents sent off.
    pub(crate) descendants: Vec<TrajectoryId>,
    calls: BTreeMap<&'static str, u32>,
    question_tokens: u64,
    /// How often each question was asked.
    questions: BTreeMap<Digest, u64>,
    /// Replies of the agent's model so far.
    pub(crate) steps: u32,
}

impl Desk {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        Self { context, state: Mutex::new(State::default()) }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn take_records(&self) -> Vec<Record> {
        std::mem::take(&mut self.state().records)
    }

    /// The trajectories of the sub-agents, then of those that they sent off.
    pub(crate) fn all_sub_agents(&self) -> Vec<TrajectoryId> {
        let state = self.state();
        state.sub_agents.iter().chain(&state.descendants).cloned().collect()
    }

    fn now(&self) -> Time {
        self.context.ports.clock.now()
    }

    pub(crate) fn record(&self, kind: EventKind) {
        let at = self.now();
        self.state().records.push(Event { at, kind }.into());
    }

    fn flag(&self, name: &str, detail: String) {
        let flag = Flag { name: name.to_owned(), detail };
        self.record(EventKind::Flag(flag.clone()));
        self.state().flags.push(flag);
    }

    /// What of the allowed calls is left: all that a sub-agent may make.
    pub(crate) fn calls_left(&self) -> Calls {
        let (calls, state) = (&self.context.settings.calls, self.state());
        let left = |name, allowed: u32| allowed.saturating_sub(state.calls.get(name).copied().unwrap_or(0));
        Calls {
            test_runs: left("run_tests", calls.test_runs),
            shell_commands: left("shell", calls.shell_commands),
            questions: left("llm_query", calls.questions),
            question_tokens: calls.question_tokens.saturating_sub(state.question_tokens),
            ..calls.clone()
        }
    }

    /// Counts the calls of a sub-agent as the sender's own.
    pub(crate) fn count_calls_of(&self, sub_agent: &Self) {
        let (made, tokens) = {
            let state = sub_agent.state();
            (state.calls.clone(), state.question_tokens)
        };
        let mut state = self.state();
        state.question_tokens += tokens;
        for (name, times) in made.into_iter().filter(|(name, _)| *name != "sub_agent") {
            *state.calls.entry(name).or_default() += times;
        }
    }

    /// How often a confirming run has contradicted a success in the episode so far.
    pub(crate) fn contradicted(&self) -> u32 {
        let own = u32::try_from(self.state().contradictions.len()).unwrap_or(u32::MAX);
        self.context.contradicted_before.saturating_add(own)
    }

    /// Records that a confirming run contradicted a success: the count is read from here where files are graded after the end.
    fn contradict(&self, flag: Flag) {
        self.state().contradictions.push(flag.clone());
        self.flag(&flag.name, flag.detail);
    }

    /// Takes over what became of a sub-agent's guesses. They count for its sender's files as well, also for those that have a score.
    pub(crate) fn take_contradictions_of(&self, sub_agent: &Self) {
        let found = std::mem::take(&mut sub_agent.state().contradictions);
        if !found.is_empty() {
            self.state().graded = None;
        }
        for flag in found {
            self.contradict(flag);
        }
    }

    /// Counts a call.
    ///
    /// # Errors
    /// There were as many as allowed.
    fn admit(&self, call: &'static str, allowed: u32) -> Result<(), String> {
        let mut state = self.state();
        let made = state.calls.entry(call).or_default();
        if *made < allowed {
            *made += 1;
            Ok(())
        } else if allowed == 0 {
            Err(format!("{call} is not available here"))
        } else {
            Err(format!("{call} was called {allowed} times already, which is all there are"))
        }
    }

    async fn answer(&self, call: HostCall, tree: Tree) -> HostAnswer {
        let calls = &self.context.settings.calls;
        match call {
            HostCall::RunTests { tests } => {
                self.admit("run_tests", calls.test_runs)?;
                self.run_tests(&tests, tree).await
            }
            HostCall::Shell { command } => {
                self.admit("shell", calls.shell_commands)?;
                let ran = self.on_bench(self.context.ports.grader.shell(command, tree)).await;
                shell_answer(&ran.map_err(|error| error.to_string())?)
            }
            HostCall::Ask { prompt } => {
                self.admit("llm_query", calls.questions)?;
                self.ask(prompt).await
            }
            HostCall::SubAgent { task } => {
                self.admit("sub_agent", if self.context.depth_left == 0 { 0 } else { calls.sub_agents })?;
                sub_agent::send(self, task, tree).await
            }
            HostCall::Finish { summary } => {
                self.state().finished.get_or_insert(summary);
                Ok(String::new())
            }
        }
    }

    async fn run_tests(&self, wanted: &[String], tree: Tree) -> HostAnswer {
        let graded = self.grade(Submission { tree, patch: None }).await;
        if graded.verdict.outcome().is_none() {
            let why = graded.verdict.reason();
            self.flag("tests_unavailable", format!("a run_tests on the way had no result: {why}"));
        }
        // A choice of tests would tell one hidden test from another.
        let note = if wanted.is_empty() { "" } else { "All tests were run: single ones cannot be chosen.\n" };
        // The verdict's reason is the grader's, and may name a hidden test.
        graded.feedback.map(|feedback| format!("{note}{feedback}"))
    }

    /// What files are worth. Files that were graded last are not graded again, so that a flaky test cannot be tried until it passes. A grading without
    /// a score says nothing of the files, so it is not remembered. The bench's queue is not charged to the episode.
    pub(crate) async fn grade(&self, submission: Submission) -> Graded {
        let files = files_digest(&submission.tree);
        if let Some((_, graded)) = self.state().graded.as_ref().filter(|(graded, _)| *graded == files) {
            return graded.clone();
        }
        let asked = self.now();
        let (spent, contradicted) = (self.context.account.spent(asked), self.contradicted());
        let so_far = SoFar { steps: self.state().steps, spent, contradicted };
        let graded = self.on_bench(self.context.ports.grader.grade(submission, so_far)).await;
        if let Some(flag) = graded.contradiction.clone() {
            self.contradict(flag);
        }
        if graded.verdict.outcome().is_some() {
            self.state().graded = Some((files, graded.clone()));
        }
        graded
    }

    /// Waits for the bench. Of that time, the episode is charged what its own containers took.
    async fn on_bench<T>(&self, work: BoxFuture<'_, T>) -> T {
        let Context { ports, account, .. } = &*self.context;
        let before = ports.grader.bench_time();
        account.pause(self.now());
        let done = work.await;
        let took = Nanos(ports.grader.bench_time().0.saturating_sub(before.0));
        account.resume(self.now(), took);
        done
    }

    /// How often a question was asked before; counts this time.
    fn asked_before(&self, prompt: &str) -> u64 {
        let mut state = self.state();
        let times = state.questions.entry(Digest::of(prompt.as_bytes())).or_default();
        *times += 1;
        *times - 1
    }

    async fn ask(&self, prompt: String) -> HostAnswer {
        let Context { ports, settings, account, .. } = &*self.context;
        let allowed = settings.calls.question_tokens;
        let used = self.state().question_tokens;
        if used >= allowed {
            return Err(format!("the {allowed} tokens for questions are used up"));
        }
        if let Some((exit, _)) = account.exceeded(self.now()) {
            return Err(format!("a limit is reached: {exit}"));
        }
        let model = ports.helper_model.as_ref().unwrap_or(&ports.model);
        let bytes = prompt.len() as u64;
        let earlier = self.asked_before(&prompt);
        let message = Message::user(MessageId::by_position(1), prompt);
        let request = request(&self.context, vec![Arc::new(message)], 0);
        // Who asks the same again wants another answer, also where answers are recorded by their requests.
        let request = ModelRequest { seed: request.seed.map(|seed| next_seed(seed, earlier)), ..request };
        let asked = self.now();
        account.asks();
        let reply = model.ask(request).await;
        account.has_asked(1);
        let latency = self.now().since(asked);
        account.waited(latency);
        self.record(EventKind::ModelCall(model_call(model.name(), latency, reply.as_ref())));
        let reply = match reply {
            Ok(reply) => reply,
            Err(ModelError::ContextTooLong { why }) => return Err(format!("the prompt is too long: {why}")),
            Err(error) => {
                self.state().trouble.get_or_insert(Stop::of_model(&error));
                return Err(error.to_string());
            }
        };
        let text = text_of(&reply);
        let usage = reply.usage.unwrap_or_else(|| estimated(bytes, text.len() as u64));
        account.charge(usage, reply.cost_microdollars);
        self.state().question_tokens += usage.total();
        Ok(text)
    }
}

impl Host for Desk {
    fn call(&self, call: HostCall, tree: Tree) -> BoxFuture<'_, HostAnswer> {
        async move {
            let asked = self.now();
            let (name, arguments, is_short) = described(&call);
            let files = files_digest(&tree).to_string();
            // The work is done whatever the length of its summary, of which the loop keeps little.
            let is_taken = is_short || matches!(call, HostCall::Finish { .. });
            let answer = if is_taken {
                self.answer(call, tree).await
            } else {
                Err(format!("the arguments are longer than {ARGUMENT_BYTES_MAX} bytes"))
            };
            let short = |text: String| printable(&cut_middle(&text, ANSWER_BYTES_MAX)).into_owned();
            let answer = answer.map(short).map_err(short);
            let error = answer.as_ref().err().cloned();
            let latency = self.now().since(asked);
            self.record(EventKind::ToolRun(ToolRun { call_id: None, tool: name.to_owned(), latency, error }));
            let (text, error) = (answer.as_ref().ok().cloned(), answer.as_ref().err().cloned());
            let recorded = RecordedCall { answer: text, arguments, call: name.to_owned(), error, files };
            let event = serde_json::to_value(&recorded).ok().and_then(|body| OtherEvent::new(HOST_CALL, &body).ok());
            if let Some(event) = event {
                self.record(EventKind::Other(event));
            }
            answer
        }
        .boxed()
    }
}

/// A call as it is recorded and compared: its name and arguments, or their digest where they are too long.
pub(crate) fn described(call: &HostCall) -> (&'static str, Value, bool) {
    let (name, arguments) = match call {
        HostCall::RunTests { tests } => ("run_tests", json!({ "tests": tests })),
        HostCall::Shell { command } => ("shell", json!({ "command": command })),
        HostCall::Ask { prompt } => ("llm_query", json!({ "prompt": prompt })),
        HostCall::SubAgent { task } => ("sub_agent", json!({ "task": task })),
        HostCall::Finish { summary } => ("finish", json!({ "summary": summary })),
    };
    let text = arguments.to_string();
    if text.len() <= ARGUMENT_BYTES_MAX {
        return (name, arguments, true);
    }
    let digest = Digest::of(text.as_bytes()).to_string();
    (name, json!({ "bytes": text.len(), "digest": digest }), false)
}

fn shell_answer(run: &TestRun) -> HostAnswer {
    let ended = match &run.ended {
        Exited::Exited(code) | Exited::ScriptExited(code) => format!("exit code {code}"),
        Exited::TimedOut => "out of time".to_owned(),
        Exited::OutOfMemory => "out of memory".to_owned(),
        Exited::Excess(why) | Exited::Lost(why) => return Err(format!("the command's end was lost: {why}")),
        Exited::Unrecorded => return Err("the command's end was not recorded".to_owned()),
    };
    let dropped =
        if run.dropped_bytes == 0 { String::new() } else { format!("[{} bytes left out]\n", run.dropped_bytes) };
    Ok(format!("{}{dropped}[{ended}]\n", String::from_utf8_lossy(&run.log)))
}

/// Whether files are worth 1.
pub(crate) fn is_solved(graded: &Graded) -> bool {
    // A task's own reward may be 1 for what is not a success.
    graded.verdict.outcome() == Some(Outcome::Success) && graded.verdict.reward().is_some_and(|reward| reward >= 1.0)
}

/// What ends an episode when a question or a sub-agent ended like this.
pub(crate) fn is_trouble(exit: Exit) -> bool {
    exit.worth() == Worth::Unscored
}
