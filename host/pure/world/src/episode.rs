//! One attempt of an agent at a task, turn by turn.
//!
//! Invariants: nothing happens between two turns but what the agenda holds; the same task, seed, profile and actions give the same states, texts and
//! score. An agent sees its own tools, what is said to it and notices, and nothing else: not the task, the user's slots or the state.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use assay_model::{Nanos, Seed, Time};
use thiserror::Error;

use crate::agenda::Event;
use crate::by_authors::TurnEnd;
use crate::called::Called;
use crate::faults::{Fault, Profile, Single};
use crate::limits::{CALLS_PER_TURN_MAX, EPISODE_BYTES_MAX, MESSAGE_BYTES_MAX, SECONDS_MAX};
use crate::mail::Letter;
use crate::reactions::{Reactions, reactions};
use crate::reward::{End, Evidence, Judged, guards, judge};
use crate::scope::Scope;
use crate::state::State;
use crate::task::{Deed, Task};
use crate::telling::is_told_in_time;
use crate::tool_spec::Caller;
use crate::user::{Gone, User};
use crate::value;
use crate::words::cut;
use crate::world::{Tools, World};

/// The time that a turn of the agent takes beside its calls.
const TURN: Nanos = Nanos::from_secs(2);
/// The time after which a user answers.
const ANSWER: Nanos = Nanos::from_secs(20);

/// The time that what was done has at least to take effect before states are compared: what two agents do falls on different moments.
const SETTLED: Nanos = Nanos::from_secs(24 * 3_600);
/// How often time passes until nothing is left on the agenda; what happens then may put down more.
const SETTLING_ROUNDS: usize = 32;

/// What all episodes of a world share.
#[derive(Clone)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// What the agent is told about its work.
    pub policy: String,
    /// The tools.
    pub tools: Arc<Tools>,
    /// The state that tasks begin with.
    pub state: State,
}

/// Why a task cannot begin, or its right answer cannot be had.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TaskError {
    /// Something of the task does not fit the world.
    #[error("{what}: {why}")]
    Unfit {
        /// Which part of the task.
        what: String,
        /// A text that stands in that part.
        word: String,
        /// What is wrong.
        why: String,
    },
    /// A reference action fails.
    #[error("the reference action {number} ({tool}) fails: {why}")]
    Gold {
        /// Which, from 1.
        number: usize,
        /// The tool.
        tool: String,
        /// The tool's words.
        why: String,
    },
    /// The machine of a tool failed: the task says nothing about it.
    #[error("a tool's machine failed: {0}")]
    Broken(String),
    /// What the agent left cannot be compared with what was right.
    #[error("the states cannot be compared: {0}")]
    Unreadable(String),
}

/// What an agent does in a turn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Action {
    /// What it says to the user, who answers where it calls no tool.
    pub say: Option<String>,
    /// The tools that it calls, with their arguments as text.
    pub calls: Vec<(String, String)>,
    /// Whether it is done.
    pub stop: bool,
}

/// Something that an agent hears between two turns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Heard {
    /// The user says something.
    User(String),
    /// The world tells it something.
    Notice(String),
}

/// What came of a turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turn {
    /// The calls of this turn in the world's log; fewer than were made where some were refused.
    pub calls: Range<usize>,
    /// Events in the world's list that happened meanwhile.
    pub events: Range<usize>,
    /// What the agent hears.
    pub heard: Vec<Heard>,
}

/// See the module documentation.
#[derive(Clone)]
pub struct Episode {
    task: Arc<Task>,
    tools: Arc<Tools>,
    initial: World,
    world: World,
    user: Option<User>,
    said: Vec<String>,
    /// How many calls the log had before each of these.
    said_after: Vec<usize>,
    /// How many messages it had said when the user told each of their slots.
    slots_told: BTreeMap<String, usize>,
    /// The turns of a conversation that is written out, as far as they have ended.
    ended: Vec<TurnEnd>,
    /// What it was told, by the request and by the user.
    given: String,
    /// Bytes that it said.
    bytes: u64,
    /// Whether the user has what they came for; the agent may still finish what it began.
    is_content: bool,
    turns: u32,
    seen: usize,
    end: Option<End>,
}

impl Episode {
    /// An episode before its first turn.
    ///
    /// # Errors
    /// The task does not fit the world.
    pub fn begin(world: &Definition, task: &Arc<Task>, seed: Seed, profile: Profile) -> Result<Self, TaskError> {
        let state = before(world, task, prepare(world, task, seed)?)?;
        let singles: Arc<[_]> = task.faults.clone().into();
        let tools = Arc::clone(&world.tools);
        let user = task.user.clone().map(|spec| User::new(Arc::new(spec), seed));
        let mut world = World::new(Arc::clone(&tools), state, seed, profile, singles);
        world.hear(user.iter().flat_map(User::told));
        let mut world = world.guarded(guards(task).into());
        if let Some(tools) = &task.tools {
            world = world.offering(tools.iter().cloned().collect());
            world.offer(task.said.first().map_or(&[], |turn| turn.tools.as_slice()));
        }
        if is_compared(task) {
            world = world.trailed();
        }
        let mut episode = Self {
            task: Arc::clone(task),
            tools,
            initial: world.clone(),
            world,
            user,
            said: Vec::new(),
            said_after: Vec::new(),
            slots_told: BTreeMap::new(),
            ended: Vec::new(),
            given: String::new(),
            bytes: 0,
            is_content: false,
            turns: 0,
            seen: 0,
            end: None,
        };
        episode.given = episode.opening();
        let opening = episode.user.iter().flat_map(User::told).map(|slot| (slot.clone(), 0)).collect();
        episode.slots_told = opening;
        Ok(episode)
    }

    /// What the agent hears first.
    #[must_use]
    pub fn opening(&self) -> String {
        match &self.user {
            Some(user) => user.opening(),
            None => {
                let request = self.task.said.first().map(|turn| &turn.say).or(self.task.request.as_ref());
                request.cloned().unwrap_or_default()
            }
        }
    }

    /// The world.
    #[must_use]
    pub const fn world(&self) -> &World {
        &self.world
    }

    /// How it ended, once it has.
    #[must_use]
    pub const fn end(&self) -> Option<End> {
        self.end
    }

    /// What the agent did about each fault.
    #[must_use]
    pub fn reactions(&self) -> Reactions {
        reactions(self.world.log())
    }

    /// Takes a turn. After the end nothing happens any more.
    pub fn act(&mut self, action: &Action) -> Turn {
        let (first_call, first_event) = (self.world.log().len(), self.seen);
        let mut heard = Vec::new();
        if self.end.is_none() {
            self.turns += 1;
            self.world.pass(TURN);
            if let Some(text) = &action.say {
                self.bytes += text.len() as u64;
                self.said.push(text.clone());
                self.said_after.push(first_call);
            }
            for (tool, arguments) in action.calls.iter().take(CALLS_PER_TURN_MAX) {
                if self.is_full() {
                    break;
                }
                self.world.call(Caller::Agent, tool, arguments);
            }
            if let Some(text) = &action.say
                && action.calls.is_empty()
            {
                heard.extend(self.say(text));
            }
            let stopped = if self.is_content { End::UserContent } else { End::Stopped };
            if action.stop {
                self.stop_turn();
                self.end.get_or_insert(stopped);
            }
            if self.end.is_none() && self.is_full() {
                self.end = Some(End::Bytes);
            }
            if self.end.is_none() && self.turns >= self.task.turns {
                self.end = Some(if self.is_content { stopped } else { End::Turns });
            }
        }
        self.seen = self.world.happened().len();
        let notices = self.world.happened()[first_event..].iter().filter_map(|event| event.notify.clone());
        heard.extend(notices.map(Heard::Notice));
        Turn { calls: first_call..self.world.log().len(), events: first_event..self.seen, heard }
    }

    /// Whether calls and messages take all the memory that an episode has.
    fn is_full(&self) -> bool {
        self.world.bytes().saturating_add(self.bytes) > EPISODE_BYTES_MAX
    }

    /// Ends the episode for a fault of the agent: what it left is judged as it stands.
    pub fn fail(&mut self) {
        self.end.get_or_insert(End::AgentFailed);
    }

    /// The user hears what the agent said last.
    fn say(&mut self, text: &str) -> Option<Heard> {
        if !self.task.said.is_empty() {
            return self.next_said();
        }
        let user = self.user.as_mut()?;
        if self.is_content {
            // They have gone; this was the agent's last word.
            self.end = Some(End::UserContent);
            return None;
        }
        let mut facts = self.task.tell.iter();
        let facts = facts.all(|fact| is_told_in_time(fact, &self.said, &self.given, &self.slots_told));
        let conditions = user.content();
        let has_reason = !conditions.is_empty() || !self.task.tell.is_empty();
        let is_content = has_reason && facts && (conditions.is_empty() || self.world.all(conditions));
        self.world.pass(ANSWER);
        let (answer, gone) = user.hear(cut(text, MESSAGE_BYTES_MAX), is_content);
        for slot in user.told() {
            self.slots_told.entry(slot.clone()).or_insert(self.said.len());
        }
        self.world.hear(user.told());
        match gone {
            Some(Gone::Content) => self.is_content = true,
            Some(Gone::Impatient) => self.end = Some(End::UserLeft),
            None => {}
        }
        self.given.push(' ');
        self.given.push_str(&answer);
        Some(Heard::User(answer))
    }

    /// The agent stops in the middle of a conversation that is written out: the turn counts as it stands.
    fn stop_turn(&mut self) {
        if self.end.is_none() && self.ended.len() < self.task.said.len() {
            self.ended.push(turn_end(&self.world, &self.ended));
        }
    }

    /// A turn of a conversation that is written out has ended: what is said next, if anything is.
    fn next_said(&mut self) -> Option<Heard> {
        self.world.pass(ANSWER);
        self.ended.push(turn_end(&self.world, &self.ended));
        let Some(next) = self.task.said.get(self.ended.len()) else {
            self.end = Some(End::Stopped);
            return None;
        };
        self.world.offer(&next.tools);
        self.given.push(' ');
        self.given.push_str(&next.say);
        Some(Heard::User(next.say.clone()))
    }

    /// What the episode came to, as it stands.
    ///
    /// # Errors
    /// A reference action fails, or the states cannot be compared.
    pub fn judge(&self) -> Result<Judged, TaskError> {
        let is_lenient = self.task.authors.is_some();
        let (mut gold, wanted) = self.gold(self.world.interfered(), is_lenient)?;
        let (mut world, mut initial) = (self.world.clone(), self.initial.clone());
        if let Some(why) = world.broken().or(gold.broken()) {
            return Err(TaskError::Broken(why.to_owned()));
        }
        // What is still to come of what was done comes on all sides.
        let mut until = world.state().now().max(gold.state().now()) + SETTLED;
        for _ in 0..SETTLING_ROUNDS {
            let last = [&world, &gold, &initial].into_iter().filter_map(|world| world.state().agenda.last()).max();
            until = until.max(last.unwrap_or(until));
            world.pass_to(until);
            gold.pass_to(until);
            initial.pass_to(until);
            if [&world, &gold, &initial].into_iter().all(|world| world.state().agenda.is_empty()) {
                break;
            }
        }
        let evidence = Evidence {
            initial: &initial,
            gold: &gold,
            world: &world,
            turns: (self.ended.as_slice(), wanted.as_slice()),
            said: &self.said,
            said_after: &self.said_after,
            given: &self.given,
            slots_told: &self.slots_told,
        };
        judge(&self.task, &evidence, self.end.unwrap_or(End::Stopped)).map_err(TaskError::Unreadable)
    }

    /// Tries whether the reference actions succeed where every concurrent writer of the task gets in before them.
    ///
    /// # Errors
    /// A reference action fails.
    pub fn rehearse(&self) -> Result<(), TaskError> {
        let all: BTreeSet<usize> = (0..self.task.faults.len()).collect();
        self.gold(&all, false).map(drop)
    }

    /// The world after the reference actions, with the same seed and without faults. What others did before the agent's calls they do here too, each before
    /// the same call, or in the end. A lenient replay passes over what fails. Beside the world: the turns of a conversation that is written out.
    fn gold(&self, interfered: &BTreeSet<usize>, is_lenient: bool) -> Result<(World, Vec<TurnEnd>), TaskError> {
        let state = self.initial.state().fork();
        let mut gold =
            World::new(Arc::clone(&self.tools), state, state_seed(&self.initial), Profile::None, Arc::from([]));
        if is_compared(&self.task) {
            gold = gold.trailed();
        }
        let mut others: Vec<&Single> = interfered.iter().filter_map(|index| self.task.faults.get(*index)).collect();
        others.retain(|single| single.fault == Fault::ConcurrentWriter);
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        let mut turns = Vec::new();
        let lasts = self.task.said.iter().scan(0, |sum, turn| {
            *sum += turn.gold.len();
            Some(*sum)
        });
        let lasts: Vec<usize> = lasts.collect();
        for (index, deed) in self.task.gold.iter().enumerate() {
            while lasts.get(turns.len()).is_some_and(|last| *last <= index) {
                turns.push(turn_end(&gold, &turns));
            }
            gold.pass(TURN);
            let Deed::Call { tool, arguments } = deed else { continue };
            let count = counts.entry(tool.as_str()).or_default();
            *count += 1;
            let is_now = |single: &&Single| single.tool == *tool && single.call == *count;
            let (now, later): (Vec<&Single>, Vec<&Single>) = others.into_iter().partition(is_now);
            others = later;
            now.into_iter().for_each(|single| gold.intervene(single));
            let arguments = serde_json::Value::Object(arguments.clone()).to_string();
            let caller = if operator_only(&self.tools, tool) { Caller::Operator } else { Caller::Agent };
            if let Err(error) = &gold.call(caller, tool, &arguments).result
                && !is_lenient
            {
                return Err(TaskError::Gold { number: index + 1, tool: tool.clone(), why: error.message.clone() });
            }
        }
        others.into_iter().for_each(|single| gold.intervene(single));
        while turns.len() < lasts.len() {
            turns.push(turn_end(&gold, &turns));
        }
        Ok((gold, turns))
    }

    /// The calls of a turn.
    #[must_use]
    pub fn calls(&self, turn: &Turn) -> &[Arc<Called>] {
        &self.world.log()[turn.calls.clone()]
    }
}

/// A turn that ends now, after those that have ended.
fn turn_end(world: &World, before: &[TurnEnd]) -> TurnEnd {
    let begin = before.last().map_or(0, |turn| turn.calls.end);
    TurnEnd { world: world.clone(), calls: begin..world.log().len() }
}

/// Whether states are compared by our rules, which look at every step; authors of benchmarks have theirs.
const fn is_compared(task: &Task) -> bool {
    task.authors.is_none() && task.said.is_empty()
}

fn state_seed(world: &World) -> Seed {
    world.state().seed()
}

fn operator_only(tools: &Tools, name: &str) -> bool {
    tools.get(name).is_some_and(|tool| !tool.spec.callers.contains(&Caller::Agent))
}

/// The state after what whoever runs the world has done before the agent comes.
fn before(world: &Definition, task: &Task, state: State) -> Result<State, TaskError> {
    let seed = state.seed();
    let mut world = World::new(Arc::clone(&world.tools), state, seed, Profile::None, Arc::from([]));
    for deed in &task.before {
        let Deed::Call { tool, arguments } = deed else { continue };
        let arguments = serde_json::Value::Object(arguments.clone()).to_string();
        if let Err(error) = &world.call(Caller::Operator, tool, &arguments).result {
            let (what, why) = (format!("before ({tool})"), error.message.clone());
            return Err(TaskError::Unfit { what, word: tool.clone(), why });
        }
    }
    match world.broken() {
        Some(why) => Err(TaskError::Broken(why.to_owned())),
        None => Ok(world.state().fork()),
    }
}

/// The state that an episode of a task begins with.
fn prepare(world: &Definition, task: &Task, seed: Seed) -> Result<State, TaskError> {
    let mut state = world.state.fork().with_seed(seed);
    let unfit = |what: &str, word: &str, why: String| {
        let (what, word) = (what.to_owned(), word.to_owned());
        TaskError::Unfit { what, word, why }
    };
    for overlay in &task.overlays {
        let wrong = |why: String| unfit("overlay", &overlay.document, why);
        let (collection, id) = split(&overlay.document).map_err(wrong)?;
        match &overlay.value {
            Some(value) => {
                state.documents.put(collection, id, value.clone()).map_err(|why| wrong(why.to_string()))?;
            }
            None if state.documents.remove(collection, id) => {}
            None => return Err(wrong(format!("{} is not there", overlay.document))),
        }
    }
    for (name, text) in &task.begin {
        state.memories.set(name, text.as_bytes()).map_err(|why| unfit("begin", name, why))?;
    }
    for letter in &task.letters {
        let sent = Letter { at: state.now(), ..letter.clone() };
        state.mail.send(sent).map_err(|why| unfit("letter", &letter.to, why.to_string()))?;
    }
    for injection in &task.injections {
        inject(&mut state, &injection.document, &injection.path, &injection.text)
            .map_err(|why| unfit(&format!("injection {}", injection.name), &injection.name, why))?;
    }
    for planned in &task.events {
        if planned.after > SECONDS_MAX {
            let why = format!("`after` is {}, at most {SECONDS_MAX} seconds", planned.after);
            return Err(unfit("event", &planned.source, why));
        }
        let at: Time = state.now() + Nanos::from_secs(planned.after);
        let (steps, notify) = (planned.steps.as_slice().into(), planned.notify.clone());
        let event = Event { source: planned.source.clone(), steps, scope: Scope::default(), notify };
        if !state.agenda.add(at, event) {
            return Err(unfit("event", &planned.source, "the agenda is full".to_owned()));
        }
    }
    Ok(state)
}

/// Appends an attacker's words to a text.
fn inject(state: &mut State, document: &str, path: &str, text: &str) -> Result<(), String> {
    let (collection, id) = split(document)?;
    let mut whole = state.documents.get(collection, id).cloned().ok_or_else(|| format!("{document} is not there"))?;
    match value::place(&mut whole, path) {
        Some(serde_json::Value::String(there)) => {
            there.push(' ');
            there.push_str(text);
        }
        _ => return Err(format!("{document} has no text at {path}")),
    }
    state.documents.put(collection, id, whole).map_err(|why| why.to_string())
}

fn split(document: &str) -> Result<(&str, &str), String> {
    document.split_once('/').ok_or_else(|| format!("a document is named COLLECTION/ID, here {document:?}"))
}
