//! An agent at work: its conversation, session, record and account, and what it can do with them.
//!
//! Invariants: what is waited for (a model, a cell, a supervisor) is broken off when the time on the wall is over, a write to the record never is;
//! message ids and events depend only on what came before, so that the same replies and a clock that gives the same times make the same bytes.

use std::sync::Arc;

use assay_model::{Nanos, Time};
use assay_trace::{
    Event, EventKind, Flag, Limit, LimitReached, Message, MessageId, OtherEvent, Part, Record, StateHash,
};
use assay_tree::Tree;
use futures::future::{BoxFuture, Either, select};
use serde_json::{Value, json};

use crate::context::Conversation;
use crate::exit::Exit;
use crate::host_calls::{Desk, is_solved};
use crate::limits::Account;
use crate::ports::{
    Cell, Clock, Decision, ModelError, ModelReply, Phase, Progress, Session, SessionError, SessionStart, Sink,
};
use crate::record::{
    CELL_INTERRUPTED, EXIT, RecordedExit, SUPERVISOR, code_cell, error_text, files_digest, metadata, text_bytes,
};
use crate::reply::{REPLY_BYTES_MAX, Reply, bounded, estimated, model_call, reply_of, request, text_of, was_cut_off};
use crate::settings::Settings;
use crate::start::{Brief, Context};
use crate::stop::Stop;
use crate::stuck::Watch;
use crate::text::{cut_middle, printable};

/// Room for a block's output where earlier blocks have used up the step's.
const SHOWN_BYTES_LEAST: usize = 200;
/// How often one request is tried with less of the conversation, where the provider finds it too long.
const TOO_LONG_RETRIES: u32 = 2;
/// How often the time that is left is looked at while none is charged: by so much an episode may overrun its limit.
const PAUSE_LOOK: Nanos = Nanos(50_000_000);
/// An agent at work.
pub(crate) struct Agent {
    pub(crate) desk: Desk,
    pub(crate) stuck: Watch,
    pub(crate) replies_without_code: u32,
    pub(crate) flags: Vec<Flag>,
    pub(crate) steps: u32,
    context: Arc<Context>,
    conversation: Conversation,
    session: Option<Box<dyn Session>>,
    sink: Option<Box<dyn Sink>>,
    pending: Vec<Record>,
    messages: usize,
    steps_left_out: usize,
    /// Text that the record holds, in bytes.
    recorded_bytes: u64,
}

impl Agent {
    /// An agent that has been told nothing and has no session. [`Agent::begin`] gives it both.
    pub(crate) fn new(context: Arc<Context>) -> Self {
        Self {
            desk: Desk::new(Arc::clone(&context)),
            stuck: Watch::default(),
            replies_without_code: 0,
            flags: Vec::new(),
            steps: 0,
            context,
            conversation: Conversation::new(Vec::new()),
            session: None,
            sink: None,
            pending: Vec::new(),
            messages: 0,
            steps_left_out: 0,
            recorded_bytes: 0,
        }
    }

    /// Begins the record, starts the session and tells the agent what to do.
    pub(crate) async fn begin(&mut self, brief: Brief, started_at: Time) -> Result<(), Stop> {
        self.progress(Phase::Starting);
        let context = Arc::clone(&self.context);
        let metadata = metadata(&context, &brief, started_at);
        let sink = context.ports.sinks.begin(metadata).await;
        self.sink = Some(sink.map_err(|error| Stop::new(Exit::SinkFailed, error.to_string()))?);
        let start = SessionStart {
            tree: context.start.base.fork(),
            folder: context.start.folder.clone(),
            seed: context.start.seed,
            time: context.settings.session_time,
            limits: context.settings.limits.session,
        };
        let session = self.within(context.ports.sessions.start(start)).await?;
        self.session = Some(session.map_err(session_failed)?);
        let system = Message::system(self.next_id(), brief.system);
        self.add(system);
        self.say(brief.report);
        self.record_state();
        self.commit().await
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.context.settings
    }

    /// The files as they are.
    pub(crate) fn tree(&self) -> Tree {
        self.session.as_ref().map_or_else(|| self.context.start.base.fork(), |session| session.tree())
    }

    pub(crate) fn steps_left(&self) -> u32 {
        self.settings().limits.steps.saturating_sub(self.steps)
    }

    pub(crate) fn now(&self) -> Time {
        self.context.ports.clock.now()
    }

    pub(crate) fn record(&mut self, kind: EventKind) {
        let at = self.now();
        self.pending.push(Event { at, kind }.into());
    }

    /// Records an event that has no form of its own in the format.
    pub(crate) fn note(&mut self, kind: &str, body: &Value) {
        if let Ok(event) = OtherEvent::new(kind, body) {
            self.record(EventKind::Other(event));
        }
    }

    /// Raises a flag; each name once.
    pub(crate) fn flag(&mut self, flag: Flag) {
        if self.flags.iter().all(|raised| raised.name != flag.name) {
            self.flags.push(flag.clone());
            self.record(EventKind::Flag(flag));
        }
    }

    /// Records how the work ended, and what it had used by then.
    pub(crate) fn note_end(&mut self, stop: &Stop) {
        let spent = self.context.account.spent(self.now());
        let exit = RecordedExit {
            cost_microdollars: spent.cost_microdollars,
            detail: stop.detail.clone(),
            exit: stop.exit.name().to_owned(),
            tokens: Some(spent.usage.total()),
            wall_ns: spent.wall.0,
        };
        if let Ok(body) = serde_json::to_value(exit) {
            self.note(EXIT, &body);
        }
    }

    /// Writes what was recorded. It is on disk when the call is over.
    pub(crate) async fn commit(&mut self) -> Result<(), Stop> {
        let records = std::mem::take(&mut self.pending);
        let Some(sink) = self.sink.as_mut().filter(|_| !records.is_empty()) else { return Ok(()) };
        self.recorded_bytes += records.iter().map(text_bytes).sum::<u64>();
        self.context.ports.observer.recorded(&records);
        sink.append(records).await.map_err(|error| Stop::new(Exit::SinkFailed, error.to_string()))
    }

    pub(crate) fn pend(&mut self, record: impl Into<Record>) {
        self.pending.push(record.into());
    }

    fn next_id(&mut self) -> MessageId {
        self.messages += 1;
        MessageId::by_position(self.messages)
    }

    fn add(&mut self, message: Message) {
        self.pending.push(message.clone().into());
        self.conversation.push(Arc::new(message));
    }

    /// Says something to the model.
    pub(crate) fn say(&mut self, text: String) {
        let id = self.next_id();
        self.add(Message::user(id, text));
    }

    pub(crate) fn progress(&self, phase: Phase) {
        let spent = self.context.account.spent(self.now());
        let Context { ports, .. } = &*self.context;
        let (usage, cost_microdollars) = (spent.usage, spent.cost_microdollars);
        // A step begins with the request.
        let step = self.steps + u32::from(phase == Phase::Model);
        ports.observer.progress(&Progress { phase, step, usage, cost_microdollars });
    }

    /// Whether there is something left for another step.
    pub(crate) fn check_limits(&mut self) -> Result<(), Stop> {
        let allowed = self.settings().limits.steps;
        if self.steps >= allowed {
            let (allowed, used) = (u64::from(allowed), u64::from(self.steps));
            return Err(self.reached(Exit::Steps, Some(LimitReached { limit: Limit::Steps, allowed, used })));
        }
        match self.context.account.exceeded(self.now()) {
            Some((exit, limit)) => Err(self.reached(exit, limit)),
            None => self.check_output(),
        }
    }

    fn check_output(&mut self) -> Result<(), Stop> {
        let (limit, allowed, used) = (Limit::OutputBytes, self.settings().limits.record_bytes, self.recorded_bytes);
        if used < allowed {
            return Ok(());
        }
        Err(self.reached(Exit::Output, Some(LimitReached { limit, allowed, used })))
    }

    fn reached(&mut self, exit: Exit, limit: Option<LimitReached>) -> Stop {
        let Some(reached) = limit else { return Stop::new(exit, "cost is limited, but a reply had no price") };
        let detail = format!("{} of {} used", reached.used, reached.allowed);
        self.record(EventKind::LimitReached(reached));
        Stop::new(exit, detail)
    }

    /// Waits no longer than the time on the wall allows.
    async fn within<T>(&mut self, work: BoxFuture<'_, T>) -> Result<T, Stop> {
        let context = Arc::clone(&self.context);
        let done = timed(&*context.ports.clock, &context.account, work).await;
        done.ok_or_else(|| self.out_of_time())
    }

    /// Waits for a person, however long one thinks: that is not charged to the episode.
    async fn patiently<T>(&mut self, work: BoxFuture<'_, T>) -> T {
        self.context.account.pause(self.now());
        let done = work.await;
        self.context.account.resume(self.now(), Nanos(0));
        done
    }

    fn out_of_time(&mut self) -> Stop {
        match self.context.account.exceeded(self.now()) {
            Some((exit @ Exit::WallTime, limit)) => self.reached(exit, limit),
            _ => Stop::new(Exit::WallTime, "the time limit is reached"),
        }
    }

    /// Asks the model for its next reply and records it. A supervisor may say something first, or reply in its stead.
    pub(crate) async fn ask(&mut self) -> Result<Reply, Stop> {
        let supervisor = Arc::clone(&self.context.ports.supervisor);
        let mut retries = 0;
        loop {
            let tokens_max = self.settings().limits.context_tokens;
            let fitted = self.conversation.fit(tokens_max);
            let fitted = fitted.map_err(|error| Stop::new(Exit::ContextTooLong, error.to_string()))?;
            if fitted.steps_left_out != self.steps_left_out {
                self.steps_left_out = fitted.steps_left_out;
                let body = json!({ "steps_left_out": fitted.steps_left_out, "tokens_estimated": fitted.tokens });
                self.note("context_trimmed", &body);
            }
            let decision = self.patiently(supervisor.before_request(self.steps + 1, &fitted.messages)).await;
            match self.supervised("request", decision)? {
                Decision::GoOn | Decision::Stop => {}
                Decision::Say(text) => {
                    self.say(text);
                    continue;
                }
                Decision::Replace(text) => {
                    let reply = reply_of(vec![Part::text(text)]);
                    return Ok(self.take_reply(reply, fitted.bytes, None));
                }
            }
            self.progress(Phase::Model);
            let asked = self.now();
            let model = Arc::clone(&self.context.ports.model);
            let context = Arc::clone(&self.context);
            context.account.asks();
            let observer = Arc::clone(&context.ports.observer);
            let hear = |text: &str| observer.heard(text);
            let reply = model.ask_aloud(request(&context, fitted.messages, self.steps), &hear);
            let reply = self.within(reply).await;
            context.account.has_asked(1);
            let latency = self.now().since(asked);
            let reply = reply.inspect_err(|_| self.record_broken_off(latency))?;
            self.context.account.waited(latency);
            match reply {
                Err(ModelError::ContextTooLong { .. }) if retries < TOO_LONG_RETRIES => {
                    self.record(EventKind::ModelCall(model_call(model.name(), latency, reply.as_ref())));
                    self.conversation.was_too_long(fitted.bytes);
                    retries += 1;
                }
                Err(error) => {
                    self.record(EventKind::ModelCall(model_call(model.name(), latency, Err(&error))));
                    return Err(Stop::of_model(&error));
                }
                Ok(reply) => return Ok(self.take_reply(reply, fitted.bytes, Some(latency))),
            }
        }
    }

    /// Records a request that nobody waited for any more. The provider may charge for it.
    fn record_broken_off(&mut self, latency: Nanos) {
        let broken = ModelError::Unavailable { why: "the episode's time was over".to_owned(), retries: 0 };
        let call = model_call(self.context.ports.model.name(), latency, Err(&broken));
        self.record(EventKind::ModelCall(call));
    }

    /// Records a reply and what it cost. Without a latency it is a supervisor's, of which no model call is recorded.
    fn take_reply(&mut self, reply: ModelReply, bytes_sent: u64, latency: Option<Nanos>) -> Reply {
        self.steps += 1;
        self.desk.state().steps = self.steps;
        let call = model_call(self.context.ports.model.name(), latency.unwrap_or_default(), Ok(&reply));
        let text = text_of(&reply);
        if let Some(usage) = reply.usage {
            self.conversation.measured(bytes_sent, usage.input_total());
        }
        let was_cut_off = was_cut_off(&reply);
        if latency.is_some() {
            let usage = reply.usage.unwrap_or_else(|| estimated(bytes_sent, text.len() as u64));
            self.context.account.charge(usage, reply.cost_microdollars);
        }
        // No tools were offered, so calls of tools are not the loop's language; they are counted, and not kept, as nothing would answer them.
        let tool_calls = reply.tool_calls.len();
        let (parts, is_whole) = bounded(reply.parts);
        let id = self.next_id();
        let message = Message::assistant(id.clone(), parts, Vec::new());
        let mut message = message.unwrap_or_else(|_| Message::user(id, text.clone()));
        if tool_calls > 0 {
            message = message.with_meta("tool_calls_ignored", tool_calls.into());
        }
        let text = message.text();
        self.add(message);
        if latency.is_some() {
            self.record(EventKind::ModelCall(call));
        }
        if !is_whole {
            let detail = format!("a reply of more than {REPLY_BYTES_MAX} bytes was cut");
            self.flag(Flag { name: "reply_cut".to_owned(), detail });
        }
        Reply { text, was_cut_off }
    }

    /// Runs one cell and records it with the state that it leaves. The text is what the model is told; an `Err` of it is what a supervisor says
    /// instead of running this cell and the reply's others.
    pub(crate) async fn run_cell(&mut self, code: &str, room: &mut usize) -> Result<Result<String, String>, Stop> {
        let supervisor = Arc::clone(&self.context.ports.supervisor);
        let decision = self.patiently(supervisor.before_cell(self.steps, code)).await;
        let replaced;
        let code = match self.supervised("cell", decision)? {
            Decision::Say(text) => return Ok(Err(format!("{text}\n"))),
            Decision::Replace(code) => {
                replaced = code;
                &replaced
            }
            Decision::GoOn | Decision::Stop => code,
        };
        self.progress(Phase::Cell);
        let begun = self.now();
        let ran = self.execute(code).await;
        let latency = self.now().since(begun);
        let calls = self.desk.take_records();
        self.pending.extend(calls);
        let flags = std::mem::take(&mut self.desk.state().flags);
        self.flags.extend(flags);
        let cell = match ran {
            Some(cell) => cell.map_err(session_failed)?,
            None => {
                self.note(CELL_INTERRUPTED, &json!({ "source": code }));
                // Questions and sub-agents are gone with the cell, and their own records with them.
                let open = self.context.account.open_requests();
                (0..open).for_each(|_| self.record_broken_off(latency));
                self.context.account.has_asked(open);
                return Err(self.out_of_time());
            }
        };
        let shown = shown(&cell, self.settings().limits.shown_bytes_per_cell.min((*room).max(SHOWN_BYTES_LEAST)));
        *room = room.saturating_sub(shown.len());
        self.record(EventKind::CodeCell(code_cell(code, cell, latency)));
        self.record_state();
        self.commit().await?;
        self.check_end()?;
        self.check_output()?;
        Ok(Ok(shown))
    }

    /// `None` where the time ran out.
    async fn execute(&mut self, code: &str) -> Option<Result<Cell, SessionError>> {
        let session = self.session.as_mut()?;
        timed(&*self.context.ports.clock, &self.context.account, session.run(code, &self.desk)).await
    }

    /// Whether a call of the last cell ended the work.
    fn check_end(&mut self) -> Result<(), Stop> {
        let files = files_digest(&self.tree());
        let early_stop = self.settings().early_stop;
        let mut state = self.desk.state();
        if let Some(trouble) = state.trouble.take() {
            return Err(trouble);
        }
        if let Some(summary) = &state.finished {
            return Err(Stop::new(Exit::Finished, summary.clone()));
        }
        // Tests that passed on files which the same cell then changed prove nothing.
        let solved = state.graded.as_ref().is_some_and(|(graded, worth)| *graded == files && is_solved(worth));
        if early_stop && solved {
            return Err(Stop::new(Exit::SolvedEarly, "a run_tests on the way was worth 1"));
        }
        Ok(())
    }

    fn record_state(&mut self) {
        let Some(session) = &self.session else { return };
        let parts = session.parts().into_iter().chain([("files".to_owned(), files_digest(&session.tree()))]);
        let state = StateHash::new(parts.collect());
        self.record(EventKind::State(state));
    }

    /// Records what a supervisor decided, if it did more than look on.
    fn supervised(&mut self, before: &str, decision: Decision) -> Result<Decision, Stop> {
        let name = match &decision {
            Decision::GoOn => return Ok(decision),
            Decision::Replace(_) => "replace",
            Decision::Say(_) => "say",
            Decision::Stop => "stop",
        };
        self.note(SUPERVISOR, &json!({ "before": before, "decision": name }));
        self.flag(Flag { name: "supervised".to_owned(), detail: "a supervisor stepped in".to_owned() });
        match decision {
            Decision::Stop => Err(Stop::new(Exit::Cancelled, format!("by the supervisor, before a {before}"))),
            other => Ok(other),
        }
    }
}

/// The work's result, or none where it took longer than the time that is left. Time that is not charged does not count.
async fn timed<T>(clock: &dyn Clock, account: &Account, mut work: BoxFuture<'_, T>) -> Option<T> {
    loop {
        let Some(left) = account.time_left(clock.now()) else { return Some(work.await) };
        let length = if account.is_paused() { left.max(PAUSE_LOOK) } else { left };
        match select(work, clock.sleep(length)).await {
            Either::Left((done, _)) => return Some(done),
            Either::Right(_) if account.time_left(clock.now()) == Some(Nanos(0)) => return None,
            Either::Right(((), unfinished)) => work = unfinished,
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`, which gives values")]
fn session_failed(error: SessionError) -> Stop {
    let hint = error.hint.as_ref().map_or_else(String::new, |hint| format!(" (hint: {hint})"));
    Stop::new(Exit::SessionFailed, format!("{error}{hint}"))
}

/// What the model is told of a cell.
fn shown(cell: &Cell, bytes_max: usize) -> String {
    let error = cell.error.as_ref().map(error_text);
    let texts = [Some(&cell.stdout), Some(&cell.stderr), error.as_ref()];
    let mut all = String::new();
    for text in texts.into_iter().flatten().filter(|text| !text.is_empty()) {
        all.push_str(text);
        if !text.ends_with('\n') {
            all.push('\n');
        }
    }
    if all.is_empty() {
        all.push_str("(no output)\n");
    }
    let mut shown = printable(&cut_middle(&all, bytes_max)).into_owned();
    if cell.dropped_bytes > 0 {
        shown.push_str(&format!("[{} bytes of output were dropped]\n", cell.dropped_bytes));
    }
    shown
}
