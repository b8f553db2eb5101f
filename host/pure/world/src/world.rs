//! A world at work: tools are called, time passes, events happen.
//!
//! Invariants: a call works on a fork and is committed if it succeeds; a fault changes what the caller hears, and for some faults whether it was done,
//! and nothing else; the same seed and the same calls give the same states and answers. Cloning a world is a fork of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use assay_model::{Nanos, Seed, Time};
use serde_json::{Map, Value};

use crate::agenda::AGENDA;
use crate::builtin;
use crate::called::{CallError, Called, Happened, error, error_text};
use crate::changes::Change;
use crate::condition::{About, Condition};
use crate::faults::{Fault, Profile, Single, fault_of, retry_after};
use crate::limits::{ANSWER_BYTES_MAX, CALLS_MAX, EVENTS_PER_STEP_MAX};
use crate::native::NativeError;
use crate::perform::{happen, perform};
use crate::scope::Scope;
use crate::services::{Services, Wanted};
use crate::state::{State, draw};
use crate::step::Step;
use crate::task::Named;
use crate::tool::{Body, Tool};
use crate::tool_spec::Caller;
use crate::trail::Trail;
use crate::value;
use crate::words::{cut, nearest};
use crate::work::Work;

/// Tools by name.
pub type Tools = BTreeMap<String, Tool>;

/// See the module documentation.
#[derive(Clone)]
pub struct World {
    tools: Arc<Tools>,
    state: State,
    /// The state before the last change, which stale answers show.
    before: State,
    seed: Seed,
    profile: Profile,
    singles: Arc<[Single]>,
    services: Services,
    log: Vec<Arc<Called>>,
    happened: Vec<Happened>,
    /// About how many bytes of memory the log takes.
    bytes: u64,
    /// What others did before the agent's calls: places in the list of faults.
    interfered: BTreeSet<usize>,
    guards: Arc<[Named]>,
    /// What was changed on the way, where that is kept.
    trail: Option<Trail>,
    /// The guards that held at some time, by their place in the list.
    struck: BTreeSet<usize>,
    /// The slots that the user has told.
    told: Arc<BTreeSet<String>>,
    /// The tools that the agent has; all that it may call where nothing is said.
    offered: Option<Arc<BTreeSet<String>>>,
    /// Why the machine failed, once it has.
    broken: Option<Arc<str>>,
}

impl World {
    /// A world in this state. Faults are drawn from the seed.
    #[must_use]
    pub fn new(tools: Arc<Tools>, state: State, seed: Seed, profile: Profile, singles: Arc<[Single]>) -> Self {
        let (before, services) = (state.fork(), Services::default());
        let (log, happened, bytes, interfered) = (Vec::new(), Vec::new(), 0, BTreeSet::new());
        let (guards, struck) = (Arc::from([]), BTreeSet::new());
        Self {
            tools,
            state,
            before,
            seed,
            profile,
            singles,
            services,
            log,
            happened,
            bytes,
            interfered,
            guards,
            trail: None,
            struck,
            told: Arc::default(),
            offered: None,
            broken: None,
        }
    }

    /// The same world, which remembers from now on whether one of these was ever so: it looks after every call and event.
    #[must_use]
    pub fn guarded(mut self, guards: Arc<[Named]>) -> Self {
        self.guards = guards;
        self.struck = BTreeSet::new();
        self.look();
        self
    }

    /// The same world, which remembers from now on what is changed, and by whom.
    #[must_use]
    pub(crate) fn trailed(mut self) -> Self {
        self.trail = Some(Trail::default());
        self
    }

    /// What was changed on the way, where that is kept.
    pub(crate) const fn trail(&self) -> Option<&Trail> {
        self.trail.as_ref()
    }

    /// Puts a state in the place of the present one; `by` says what of the agent's own did it.
    fn replace(&mut self, next: State, by: Option<&str>) {
        let was = std::mem::replace(&mut self.state, next);
        self.note(&was, by);
        self.before = was;
    }

    /// Notes what has changed since a state.
    fn note(&mut self, since: &State, by: Option<&str>) {
        // States that cannot be compared end the episode where the turn is recorded.
        if let Some(trail) = &mut self.trail
            && let Ok(changes) = since.changes(&self.state)
        {
            self.bytes += trail.note(changes, by);
        }
    }

    /// The guards, and whether each was so at any time.
    pub fn struck(&self) -> impl Iterator<Item = (&Named, bool)> {
        self.guards.iter().enumerate().map(|(index, guard)| (guard, self.struck.contains(&index)))
    }

    /// Notes which guards hold now.
    fn look(&mut self) {
        let guards = Arc::clone(&self.guards);
        for (index, guard) in guards.iter().enumerate() {
            if !self.struck.contains(&index) && self.all(&guard.when) {
                self.struck.insert(index);
            }
        }
    }

    /// The user has told these slots by now: what depends on it is looked at.
    pub(crate) fn hear<'s>(&mut self, slots: impl Iterator<Item = &'s String>) {
        let told: BTreeSet<String> = slots.cloned().collect();
        if told != *self.told {
            self.told = Arc::new(told);
            self.look();
        }
    }

    /// The same world, in which the agent has only these tools.
    #[must_use]
    pub fn offering(mut self, tools: BTreeSet<String>) -> Self {
        self.offered = Some(Arc::new(tools));
        self
    }

    /// Whether a tool runs statements in a database.
    pub(crate) fn is_query(&self, tool: &str) -> bool {
        let body = self.tools.get(tool).map(|tool| &tool.body);
        matches!(body, Some(Body::BuiltIn(builtin::BuiltIn::DatabaseQuery, _)))
    }

    /// Whether letters to an address come to the agent itself. The tools of users and operators have addresses of other people.
    pub(crate) fn is_own_address(&self, address: &str) -> bool {
        let mut own = self.tools.values().filter(|tool| tool.spec.callers.contains(&Caller::Agent));
        own.any(|tool| matches!(&tool.body, Body::BuiltIn(_, reach) if reach.address == address))
    }

    /// Gives the agent more tools.
    pub(crate) fn offer(&mut self, tools: &[String]) {
        if let Some(offered) = &mut self.offered {
            Arc::make_mut(offered).extend(tools.iter().cloned());
        }
    }

    /// Why the machine failed in a call, once it has: what the world came to says nothing about the agent then.
    #[must_use]
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// About how many bytes of memory all calls so far take.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The state now.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// All calls so far.
    #[must_use]
    pub fn log(&self) -> &[Arc<Called>] {
        &self.log
    }

    /// All events so far.
    #[must_use]
    pub fn happened(&self) -> &[Happened] {
        &self.happened
    }

    /// What has changed since the state `before`, leaf by leaf, with these calls in between: all that were made since, in their order. What a program makes
    /// for itself at its first call was there, as far as anybody can tell, and does not count as a change.
    ///
    /// # Errors
    /// See [`State::changes`].
    pub fn changes_since(&self, before: &State, calls: &[Arc<Called>]) -> Result<Vec<Change>, String> {
        let mut before = before.fork();
        for called in calls.iter().filter(|called| called.was_done && called.is_write) {
            let tool = self.tools.get(&called.tool);
            before = tool.and_then(|tool| begun(tool, &before, called.at)).unwrap_or(before);
        }
        before.changes(&self.state)
    }

    /// The tools that somebody may call.
    pub fn tools_of(&self, caller: Caller) -> impl Iterator<Item = &Tool> {
        self.tools.values().filter(move |tool| self.is_offered(tool, caller))
    }

    /// Whether somebody has a tool.
    fn is_offered(&self, tool: &Tool, caller: Caller) -> bool {
        let is_there = |offered: &Arc<BTreeSet<String>>| caller != Caller::Agent || offered.contains(&tool.spec.name);
        tool.spec.callers.contains(&caller) && self.offered.as_ref().is_none_or(is_there)
    }

    /// Lets time pass, and what is due happen.
    pub fn pass(&mut self, time: Nanos) {
        let until = self.state.now() + time;
        self.pass_to(until);
    }

    /// Lets time pass up to a moment, and what is due by then happen in its order.
    pub fn pass_to(&mut self, until: Time) {
        let until = until.max(self.state.now());
        for _ in 0..EVENTS_PER_STEP_MAX {
            let Some((at, event)) = self.state.agenda.due(until) else { break };
            self.state.pass_to(at);
            let mut fork = self.state.fork();
            let mut scope = event.scope.clone();
            scope.set("now", now_text(at));
            let mut work = Work::new();
            let done = happen(&event.steps, &mut scope, &mut fork, &mut work);
            let told = done.and_then(|()| event.notify.as_ref().map(|text| scope.text(text, &mut work)).transpose());
            let (notify, failed) = match told {
                Ok(notify) => (notify, None),
                Err(why) => (None, Some(cut(&why, REFUSAL_BYTES_MAX).to_owned())),
            };
            if failed.is_none() && !event.steps.is_empty() {
                let by = (event.source == AGENDA).then_some("what a call had set going");
                self.replace(fork, by);
                self.look();
            }
            self.bytes += notify.as_ref().map_or(0, String::len) as u64;
            self.happened.push(Happened { at, source: event.source.clone(), notify, failed });
        }
        self.state.pass_to(until);
    }

    /// Calls a tool. Whatever is wrong with the call is an answer.
    pub fn call(&mut self, caller: Caller, name: &str, arguments: &str) -> &Called {
        let called = self.attempt(caller, name, arguments);
        let until = called.at + called.latency;
        let answer =
            called.result.as_ref().map_or(0, value::weight) + called.arguments.as_ref().map_or(0, value::weight);
        self.bytes += CALL_BYTES + answer + called.text.len() as u64;
        // A fault can have others write, or do a part.
        let may_have_changed = called.was_done || called.fault.is_some();
        self.log.push(Arc::new(called));
        if may_have_changed {
            self.look();
        }
        self.pass_to(until);
        &self.log[self.log.len() - 1]
    }

    fn attempt(&mut self, caller: Caller, name: &str, raw: &str) -> Called {
        let at = self.state.now();
        let mut called = Called {
            at,
            caller,
            tool: cut(name, 128).to_owned(),
            arguments: None,
            result: Ok(Value::Null),
            text: String::new(),
            fault: None,
            is_write: false,
            was_done: false,
            latency: crate::tool_spec::LATENCY,
            not_before: None,
        };
        let tools = Arc::clone(&self.tools);
        let result = if self.log.len() >= CALLS_MAX {
            Err(error("too_many_calls", format!("an episode has at most {CALLS_MAX} calls")))
        } else {
            match tools.get(name).filter(|tool| self.is_offered(tool, caller)) {
                None => Err(error("unknown_tool", self.unknown(caller, name))),
                Some(tool) => {
                    called.is_write = tool.spec.is_write;
                    called.latency = tool.spec.latency;
                    self.read(tool, raw, caller).and_then(|arguments| {
                        called.arguments = Some(arguments.clone());
                        self.with_faults(tool, &arguments, &mut called)
                    })
                }
            }
        };
        let is_native = tools.get(name).is_some_and(|tool| matches!(tool.body, Body::Native(_)));
        if called.text.is_empty() {
            called.text = match &result {
                Ok(Value::String(text)) if is_native => text.clone(),
                Ok(value) => value.to_string(),
                Err(error) => error_text(error, called.not_before.map(|until| until.since(at))),
            };
        }
        called.result = result;
        called
    }

    fn unknown(&self, caller: Caller, name: &str) -> String {
        let near = nearest(cut(name, 128), self.tools_of(caller).map(|tool| tool.spec.name.as_str()));
        let hint = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
        format!("there is no tool {:?}{hint}", cut(name, 128))
    }

    /// The arguments of a call.
    fn read(&self, tool: &Tool, raw: &str, caller: Caller) -> Result<Value, CallError> {
        let wanted = if caller == Caller::Agent { self.services.wanted(&tool.spec.name, raw) } else { Wanted::AsIs };
        let read = match wanted {
            Wanted::AsIs => tool.read_arguments(raw),
            Wanted::Without(rest) => tool.read_arguments(&rest),
            Wanted::Missing => return Err(Services::changed()),
        };
        read.map_err(|why| error("arguments", why))
    }

    /// The call with what goes wrong on purpose. Only the agent's tools fail.
    fn with_faults(&mut self, tool: &Tool, arguments: &Value, called: &mut Called) -> Result<Value, CallError> {
        // Waiting is no service that could fail.
        let is_wait = matches!(tool.body, Body::BuiltIn(builtin::BuiltIn::Wait, _));
        if called.caller != Caller::Agent || is_wait {
            return self.commit(tool, arguments, called);
        }
        let name = &tool.spec.name;
        let n = self.services.count(name);
        if let Some(until) = self.services.blocked(name, called.at) {
            called.not_before = Some(until);
            return Err(limited());
        }
        let kind = (name.as_str(), tool.spec.is_write, tool.spec.is_idempotent);
        called.fault = fault_of(self.profile, &self.singles, self.seed, kind, n);
        if called.fault == Some(Fault::SlowDays) {
            let (at, source) = (called.at, name.clone());
            self.services.slow(name, at);
            let notify = Some(format!("{name} is slow today: calls to it take much longer than usual"));
            self.happened.push(Happened { at, source, notify, failed: None });
        }
        called.latency = self.services.latency(name, tool.spec.latency, called.at);
        let value = match called.fault {
            None => self.commit(tool, arguments, called)?,
            Some(fault) => self.failing(fault, tool, arguments, called, n)?,
        };
        Ok(self.services.answered(name, value))
    }

    /// The n-th call to a tool, which this befalls.
    fn failing(
        &mut self,
        fault: Fault,
        tool: &Tool,
        arguments: &Value,
        called: &mut Called,
        n: u64,
    ) -> Result<Value, CallError> {
        let name = &tool.spec.name;
        match fault {
            Fault::SlowDays => self.commit(tool, arguments, called),
            Fault::RateLimit => {
                let until = called.at + retry_after(self.seed, name, n);
                self.services.block(name, until);
                called.not_before = Some(until);
                Err(limited())
            }
            Fault::ServerError => {
                Err(error("unavailable", "503 Service Unavailable: nothing was done; try again".to_owned()))
            }
            Fault::TimeoutBefore => {
                called.latency = TIMEOUT;
                Err(timeout())
            }
            Fault::TimeoutAfter => {
                called.latency = TIMEOUT;
                self.commit(tool, arguments, called).and_then(|_| Err(timeout()))
            }
            Fault::DroppedConnection => {
                if draw(self.seed, &format!("dropped {name}"), n).coin() {
                    self.commit(tool, arguments, called)?;
                }
                Err(dropped())
            }
            Fault::Malformed => {
                let value = self.commit(tool, arguments, called)?;
                called.text = format!("<html><body>502 Bad Gateway</body></html>{}", cut(&value.to_string(), 8));
                Err(error("broken_answer", "the answer is not JSON".to_owned()))
            }
            Fault::Truncated => {
                let whole = self.commit(tool, arguments, called)?.to_string();
                called.text = cut(&whole, whole.len() / 2).to_owned() + "…";
                Err(error("broken_answer", "the answer breaks off".to_owned()))
            }
            Fault::StaleRead => {
                let mut stale = self.before.fork();
                stale.pass_to(called.at);
                let value = self.run(tool, arguments, called.caller, stale).map(|(value, _)| value)?;
                called.was_done = true;
                Ok(value)
            }
            Fault::Duplicate => {
                let value = self.commit(tool, arguments, called)?;
                // What the second delivery is answered, nobody hears.
                if let Ok((_, state)) = self.run(tool, arguments, called.caller, self.state.fork()) {
                    let was = std::mem::replace(&mut self.state, state);
                    self.note(&was, None);
                }
                Ok(value)
            }
            Fault::PartialWrite => self.in_part(tool, arguments, called, n),
            Fault::ConcurrentWriter => self.after_others(tool, arguments, called, n),
            Fault::SchemaDrift => {
                let taken = value::at(&tool.spec.parameters, "properties").is_some_and(Services::names_needed);
                let is_field = taken || !tool.spec.is_write && draw(self.seed, &format!("drift {name}"), n).coin();
                let is_new = self.services.drift(name, is_field);
                if is_new && !is_field { Err(Services::changed()) } else { self.commit(tool, arguments, called) }
            }
        }
    }

    /// A call before which somebody else writes.
    fn after_others(
        &mut self,
        tool: &Tool,
        arguments: &Value,
        called: &mut Called,
        n: u64,
    ) -> Result<Value, CallError> {
        let singles = Arc::clone(&self.singles);
        let asked = singles.iter().position(|single| single.tool == tool.spec.name && single.call == n);
        match asked.filter(|index| !singles[*index].steps.is_empty()) {
            Some(index) => {
                self.interfered.insert(index);
                self.intervene(&singles[index]);
                self.commit(tool, arguments, called)
            }
            None => Err(error("conflict", CONFLICT.to_owned())),
        }
    }

    /// Does the first writing steps of a tool, at least one and not all, and loses the answer.
    fn in_part(&mut self, tool: &Tool, arguments: &Value, called: &mut Called, n: u64) -> Result<Value, CallError> {
        let mut stream = draw(self.seed, &format!("part {}", tool.spec.name), n);
        let Some(most) = tool.parts().checked_sub(2) else {
            return Err(error("unavailable", "503 Service Unavailable: nothing was done; try again".to_owned()));
        };
        let part = 1 + usize::try_from(stream.below(most as u64 + 1)).unwrap_or(0);
        let (_, state) = self.run_part(tool, arguments, called.caller, self.state.fork(), Some(part))?;
        // How much of it was done is not the agent's doing: what is left over it may put right.
        self.replace(state, None);
        Err(if stream.coin() { dropped() } else { error("unavailable", BROKE_OFF.to_owned()) })
    }

    /// Does what a concurrent writer does; nothing of it if a step fails.
    pub(crate) fn intervene(&mut self, single: &Single) {
        let (at, mut fork, mut scope) = (self.state.now(), self.state.fork(), Scope::default());
        scope.set("now", now_text(at));
        let failed = happen(&single.steps, &mut scope, &mut fork, &mut Work::new()).err();
        if failed.is_none() {
            self.replace(fork, None);
        }
        let failed = failed.map(|why| cut(&why, REFUSAL_BYTES_MAX).to_owned());
        self.happened.push(Happened { at, source: single.source.clone(), notify: None, failed });
    }

    /// The faults of the list at which somebody else has written, by their places.
    pub(crate) const fn interfered(&self) -> &BTreeSet<usize> {
        &self.interfered
    }

    /// What a tool answers the operator about this world, which stays as it is; none where it refuses. The evidence is no part of what the tool's schema
    /// describes, and as long as the episode.
    ///
    /// # Errors
    /// The machine failed.
    pub(crate) fn ask(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        evidence: Map<String, Value>,
    ) -> Result<Option<Value>, String> {
        let tools = Arc::clone(&self.tools);
        let Some(tool) = tools.get(name).filter(|tool| self.is_offered(tool, Caller::Operator)) else {
            return Ok(None);
        };
        let Ok(mut arguments) = tool.read_arguments(&Value::Object(arguments.clone()).to_string()) else {
            return Ok(None);
        };
        if let Value::Object(fields) = &mut arguments {
            fields.extend(evidence);
        }
        let mut world = self.clone();
        let answer = world.run(tool, &arguments, Caller::Operator, self.state.fork());
        match world.broken {
            Some(why) => Err(format!("a tool's machine failed: {why}")),
            None => Ok(answer.ok().map(|(answer, _)| answer)),
        }
    }

    /// Runs the tool on a fork, and keeps the fork if it succeeds.
    fn commit(&mut self, tool: &Tool, arguments: &Value, called: &mut Called) -> Result<Value, CallError> {
        let (value, state) = self.run(tool, arguments, called.caller, self.state.fork())?;
        if tool.spec.is_write {
            let was = std::mem::replace(&mut self.state, state);
            if self.trail.is_some() {
                let by = format!("call {} ({})", self.log.len() + 1, tool.spec.name);
                self.note(begun(tool, &was, called.at).as_ref().unwrap_or(&was), Some(&by));
            }
            self.before = was;
        } else {
            // What reads changes nothing; it may have waited.
            self.state.pass_to(called.at);
            called.latency.0 = called.latency.0.saturating_add(state.now().since(called.at).0);
        }
        called.was_done = true;
        Ok(value)
    }

    fn run(
        &mut self,
        tool: &Tool,
        arguments: &Value,
        caller: Caller,
        state: State,
    ) -> Result<(Value, State), CallError> {
        self.run_part(tool, arguments, caller, state, None)
    }

    /// A tool's work, or only that of its first few writing steps.
    fn run_part(
        &mut self,
        tool: &Tool,
        arguments: &Value,
        caller: Caller,
        mut state: State,
        part: Option<usize>,
    ) -> Result<(Value, State), CallError> {
        let refused = |why: String| error("refused", cut(&why, REFUSAL_BYTES_MAX).to_owned());
        let mut work = Work::new();
        let value = match &tool.body {
            Body::BuiltIn(kind, reach) => {
                builtin::call(*kind, reach, arguments, &mut state, &mut work).map_err(refused)?
            }
            Body::Native(body) => match body.call(arguments, &mut state) {
                Ok(value) => value,
                Err(NativeError::Refused(why)) => return Err(refused(why)),
                Err(NativeError::Broken(why)) => {
                    self.broken.get_or_insert_with(|| why.as_str().into());
                    return Err(error("unavailable", "the tool's machine failed".to_owned()));
                }
            },
            Body::Rules { steps, answer } => {
                let mut scope = Scope::default();
                scope.set("now", now_text(state.now()));
                scope.set("caller", caller.name().into());
                for (name, value) in arguments.as_object().into_iter().flatten() {
                    scope.set(name, value.clone());
                }
                perform(part.map_or(steps, |part| first(steps, part)), &mut scope, &mut state, &mut work)
                    .map_err(refused)?;
                if part.is_some() { Value::Null } else { scope.fill(answer, &mut work).map_err(refused)? }
            }
        };
        let bytes = value.to_string().len();
        if bytes > ANSWER_BYTES_MAX {
            return Err(refused(format!("the answer has {bytes} bytes, at most {ANSWER_BYTES_MAX}; ask for less")));
        }
        Ok((value, state))
    }

    /// Whether all conditions hold now. An empty list is no condition that could hold.
    #[must_use]
    pub fn all(&self, conditions: &[Condition]) -> bool {
        !conditions.is_empty() && conditions.iter().all(|condition| self.holds(condition))
    }

    /// Whether a condition holds now.
    #[must_use]
    pub fn holds(&self, condition: &Condition) -> bool {
        let texts = |texts: String| Some(Value::from(texts)).filter(|text| text != "");
        match &condition.about {
            About::Document { collection, id, path } => {
                let found = self.state.documents.get(collection, id).and_then(|document| value::at(document, path));
                condition.fits(found)
            }
            About::Query { database, sql } => {
                // What cannot be asked any more is not there.
                let found = self.state.ask(database, sql).ok().flatten();
                condition.fits(found.as_ref())
            }
            About::Mail(address) => {
                let letters = self.state.mail.letters(address);
                let all = letters.map(|letter| format!("{}\n{}\n", letter.subject, letter.body)).collect();
                condition.fits(texts(all).as_ref())
            }
            About::File(path) => {
                let content = self.state.files.read_all(path.as_bytes()).ok();
                let text = content.map(|content| Value::from(String::from_utf8_lossy(&content).into_owned()));
                condition.fits(text.as_ref())
            }
            About::Called { tool, arguments } => {
                let fits = |called: &&Arc<Called>| {
                    let given = called.arguments.as_ref();
                    let same = |(path, wanted): (&String, &Value)| {
                        given
                            .and_then(|given| value::at(given, path))
                            .is_some_and(|given| value::normal(given.clone()) == *wanted)
                    };
                    called.caller == Caller::Agent
                        && called.was_done
                        && called.tool == *tool
                        && arguments.iter().all(same)
                };
                let times = self.log.iter().filter(fits).count();
                condition.fits(Some(&Value::from(times)))
            }
            About::Told(slot) => condition.fits(Some(&Value::Bool(self.told.contains(slot)))),
        }
    }
}

/// A state with what a program makes for itself at its first call: that was there, as far as anybody can tell.
fn begun(tool: &Tool, state: &State, at: Time) -> Option<State> {
    let Body::Native(body) = &tool.body else { return None };
    let mut begun = state.fork();
    begun.pass_to(at);
    body.begin(&mut begun).is_ok().then_some(begun)
}

/// Bytes of the words with which a call or an event is refused.
const REFUSAL_BYTES_MAX: usize = 2_000;
/// Bytes of memory of a call beside its arguments and its answer.
const CALL_BYTES: u64 = 512;
/// How long a caller waits for an answer that does not come.
const TIMEOUT: Nanos = Nanos::from_secs(30);

/// What is told when somebody else writes at the same time.
const CONFLICT: &str =
    "409 Conflict: somebody else is changing the same record; nothing was done: read it again, then try again";
/// What is told when only a part was done.
const BROKE_OFF: &str = "500 Internal Server Error: the request broke off; a part of it may have been done";

fn limited() -> CallError {
    error("rate_limit", "429 Too Many Requests: wait before you try again".to_owned())
}

fn timeout() -> CallError {
    error("timeout", "the request timed out; it is not known whether it was carried out".to_owned())
}

fn dropped() -> CallError {
    error("connection", "the connection was lost; it is not known whether the request was carried out".to_owned())
}

/// The steps up to and with the n-th that writes.
fn first(steps: &[Step], n: usize) -> &[Step] {
    let last = steps.iter().enumerate().filter(|(_, step)| step.is_write()).nth(n - 1);
    last.map_or(steps, |(index, _)| &steps[..=index])
}

/// The world's time as steps see it: seconds since the epoch.
fn now_text(now: Time) -> Value {
    (now.0 / 1_000_000_000).into()
}
