//! Where two episodes part: in what was done, and in what came of it.
//!
//! An *action* is a tool call or a code cell that no tool call carried; two actions are the same if tool and arguments are, whatever the
//! order of keys. Actions are aligned by longest common subsequence. States are compared where the same was done: before the first
//! action, and after each aligned pair.

use crate::align::{Row, align};
use crate::digest::{Digest, StateHash};
use crate::event::EventKind;
use crate::terminal::harmless;
use crate::trajectory::{Record, Trajectory};
use crate::verdict::Verdict;
use serde::Serialize;
use std::fmt;

/// Longest text of one action in the form for people, in characters.
const SHOWN_CHARACTERS_MAX: usize = 100;

/// Something an agent did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Action {
    /// The step.
    pub step: usize,
    /// The tool, or a code cell's language.
    pub tool: String,
    /// The arguments in canonical form, or the code.
    pub arguments: String,
}

impl Action {
    fn is_same(&self, other: &Self) -> bool {
        (&self.tool, &self.arguments) == (&other.tool, &other.arguments)
    }
}

/// Where two episodes part.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Diff {
    /// What was done on the left.
    pub left: Vec<Action>,
    /// What was done on the right.
    pub right: Vec<Action>,
    /// What of it is the same.
    pub alignment: Vec<Row>,
    /// The first action that is not the same on both sides; `None` if all are.
    pub first_action: Option<ActionDivergence>,
    /// The first state that differs although the same was done; `None` if there is none.
    pub first_state: Option<StateDivergence>,
    /// What the left one was worth.
    pub left_result: Option<EpisodeResult>,
    /// What the right one was worth.
    pub right_result: Option<EpisodeResult>,
}

/// The first action that is not the same; a side that had already ended has none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ActionDivergence {
    /// How many actions before it are the same.
    pub same_before: usize,
    /// What was done on the left.
    pub left: Option<Action>,
    /// What was done on the right.
    pub right: Option<Action>,
}

/// The first state that differs although the same was done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StateDivergence {
    /// The step on the left.
    pub left_step: usize,
    /// The step on the right.
    pub right_step: usize,
    /// The aligned action after which it was seen; `None` before the first.
    pub after: Option<Action>,
    /// The root on the left.
    pub left_root: Digest,
    /// The root on the right.
    pub right_root: Digest,
    /// The parts that differ.
    pub parts: Vec<String>,
}

/// What an episode was worth.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EpisodeResult {
    /// The outcome's name, or `unscored`.
    pub outcome: &'static str,
    /// The score, if there is one.
    pub reward: Option<f64>,
    /// How it ended, or why it is unscored.
    pub reason: String,
}

impl EpisodeResult {
    fn of(verdict: &Verdict) -> Self {
        let outcome = verdict.outcome().map_or("unscored", crate::Outcome::name);
        Self { outcome, reward: verdict.reward(), reason: verdict.reason().to_owned() }
    }
}

/// What was done, and the state after each action, if it was hashed; the first state is that before any action.
struct Course {
    actions: Vec<Action>,
    states: Vec<Option<(usize, StateHash)>>,
}

/// Compares two episodes.
#[must_use]
pub fn diff(left: &Trajectory, right: &Trajectory) -> Diff {
    let (left_course, right_course) = (course(left), course(right));
    let key = |action: &Action| (action.tool.clone(), action.arguments.clone());
    let keys = |course: &Course| course.actions.iter().map(key).collect::<Vec<_>>();
    let alignment = align(&keys(&left_course), &keys(&right_course));
    Diff {
        first_action: first_action(&left_course, &right_course),
        first_state: first_state(&left_course, &right_course, &alignment),
        alignment,
        left: left_course.actions,
        right: right_course.actions,
        left_result: left.verdict().map(EpisodeResult::of),
        right_result: right.verdict().map(EpisodeResult::of),
    }
}

impl Diff {
    /// Whether the same was done, the same came of it, and it was worth the same.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.first_action.is_none() && self.first_state.is_none() && self.left_result == self.right_result
    }
}

fn course(trajectory: &Trajectory) -> Course {
    let mut course = Course { actions: Vec::new(), states: vec![None] };
    let act = |course: &mut Course, step, tool: &str, arguments: String| {
        course.actions.push(Action { step, tool: tool.to_owned(), arguments });
        course.states.push(None);
    };
    for placed in trajectory.placed() {
        match placed.record {
            Record::Message(message) => {
                for call in message.tool_calls() {
                    act(&mut course, placed.step, call.tool(), call.arguments_canonical());
                }
            }
            Record::Event(event) => match &event.kind {
                EventKind::CodeCell(cell) if cell.call_id.is_none() => {
                    act(&mut course, placed.step, &cell.language, cell.source.clone());
                }
                // The last state before the next action is the one that came of this action.
                EventKind::State(state) => {
                    course.states[course.actions.len()] = Some((placed.step, state.clone()));
                }
                _ => {}
            },
            Record::Verdict(_) => {}
        }
    }
    course
}

fn first_action(left: &Course, right: &Course) -> Option<ActionDivergence> {
    let same_before = left.actions.iter().zip(&right.actions).take_while(|(a, b)| a.is_same(b)).count();
    let (left, right) = (left.actions.get(same_before).cloned(), right.actions.get(same_before).cloned());
    (left.is_some() || right.is_some()).then_some(ActionDivergence { same_before, left, right })
}

fn first_state(left: &Course, right: &Course, alignment: &[Row]) -> Option<StateDivergence> {
    let after_pairs = alignment.iter().filter_map(|row| match row {
        Row::Both { left, right } => Some((left + 1, right + 1)),
        _ => None,
    });
    std::iter::once((0, 0)).chain(after_pairs).find_map(|(left_place, right_place)| {
        let (left_step, left_state) = left.states[left_place].as_ref()?;
        let (right_step, right_state) = right.states[right_place].as_ref()?;
        (left_state.root() != right_state.root()).then(|| StateDivergence {
            left_step: *left_step,
            right_step: *right_step,
            after: left_place.checked_sub(1).map(|place| left.actions[place].clone()),
            left_root: left_state.root(),
            right_root: right_state.root(),
            parts: left_state.differing_parts(right_state),
        })
    })
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.arguments.replace('\n', "⏎");
        let shown: String = text.chars().take(SHOWN_CHARACTERS_MAX).collect();
        let more = if shown.len() < text.len() { "…" } else { "" };
        write!(f, "step {}: {} {}{more}", self.step, harmless(&self.tool), harmless(&shown))
    }
}

impl fmt::Display for EpisodeResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reward {
            Some(reward) => write!(f, "{}, reward {reward} ({})", self.outcome, self.reason),
            None => write!(f, "{} ({})", self.outcome, self.reason),
        }
    }
}

/// For people: the alignment like a text diff, then where the episodes part.
impl fmt::Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.alignment {
            match row {
                Row::Both { left, .. } => writeln!(f, "  {}", self.left[*left])?,
                Row::Left(place) => writeln!(f, "- {}", self.left[*place])?,
                Row::Right(place) => writeln!(f, "+ {}", self.right[*place])?,
            }
        }
        match &self.first_action {
            None => writeln!(f, "actions: the same, {}", self.left.len())?,
            Some(ActionDivergence { same_before, left, right }) => {
                let side =
                    |action: &Option<Action>| action.as_ref().map_or("nothing more".to_owned(), Action::to_string);
                writeln!(f, "actions: part after {same_before}")?;
                writeln!(f, "  left:  {}", side(left))?;
                writeln!(f, "  right: {}", side(right))?;
            }
        }
        match &self.first_state {
            None => writeln!(f, "states: the same wherever the same was done")?,
            Some(state) => {
                let after =
                    state.after.as_ref().map_or("before any action".to_owned(), |action| format!("after {action}"));
                writeln!(f, "states: part {after}, in {}", state.parts.join(", "))?;
                writeln!(f, "  left:  {} (step {})", state.left_root, state.left_step)?;
                writeln!(f, "  right: {} (step {})", state.right_root, state.right_step)?;
            }
        }
        let result =
            |result: &Option<EpisodeResult>| result.as_ref().map_or("no verdict".to_owned(), EpisodeResult::to_string);
        writeln!(f, "left:  {}", result(&self.left_result))?;
        writeln!(f, "right: {}", result(&self.right_result))
    }
}
