//! Picking records out of an episode.

use crate::event::EventKind;
use crate::identifier::CallId;
use crate::message::{Message, Role};
use crate::trajectory::{Placed, Record, Trajectory};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Which records to pick. A record must meet every condition that is set; without any, all are picked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// Only messages of these roles; no events or verdicts.
    pub roles: Option<BTreeSet<Role>>,
    /// Only what happened in these steps.
    pub steps: Option<RangeInclusive<usize>>,
    /// Only what concerns this tool: messages that call it, its answers and its runs; a code cell concerns its language.
    pub tool: Option<String>,
    /// Only steps in which this flag was raised.
    pub flag: Option<String>,
}

impl Filter {
    /// The records of a trajectory that it picks, with their steps, in order.
    #[must_use]
    pub fn pick<'a>(&self, trajectory: &'a Trajectory) -> Vec<Placed<'a>> {
        let tools_by_call = trajectory.tools_by_call();
        let flagged = self.flag.as_ref().map(|flag| steps_flagged(trajectory, flag));
        trajectory
            .placed()
            .filter(|placed| self.steps.as_ref().is_none_or(|steps| steps.contains(&placed.step)))
            .filter(|placed| flagged.as_ref().is_none_or(|flagged| flagged.contains(&placed.step)))
            .filter(|placed| match (&self.roles, placed.record) {
                (None, _) => true,
                (Some(roles), Record::Message(message)) => roles.contains(&message.role()),
                (Some(_), _) => false,
            })
            .filter(|placed| self.tool.as_ref().is_none_or(|tool| concerns(placed.record, tool, &tools_by_call)))
            .collect()
    }
}

fn steps_flagged(trajectory: &Trajectory, name: &str) -> BTreeSet<usize> {
    let raised = |placed: &Placed<'_>| match placed.record {
        Record::Event(event) => matches!(&event.kind, EventKind::Flag(flag) if flag.name == name),
        _ => false,
    };
    trajectory.placed().filter(raised).map(|placed| placed.step).collect()
}

fn concerns(record: &Record, tool: &str, tools_by_call: &BTreeMap<&CallId, &str>) -> bool {
    let is_of_tool = |call: &CallId| tools_by_call.get(call) == Some(&tool);
    match record {
        Record::Message(message) => {
            message.tool_calls().iter().any(|call| call.tool() == tool)
                || Message::answers(message).is_some_and(is_of_tool)
        }
        Record::Event(event) => match &event.kind {
            EventKind::ToolRun(run) => run.tool == tool,
            EventKind::CodeCell(cell) => cell.language == tool || cell.call_id.as_ref().is_some_and(is_of_tool),
            EventKind::SubAgent(sub) => sub.call_id.as_ref().is_some_and(is_of_tool),
            _ => false,
        },
        Record::Verdict(_) => false,
    }
}
