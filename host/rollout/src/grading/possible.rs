//! Whether a task can be graded at all: found out from what it says, before a model is paid for it.

use assay_grade::rule::{Ended, Rule, Run, Unscored, Verdict, grade};

use super::script;
use crate::task::LoadedTask;

/// Whether the task's tests can be run, and the rule can score them.
///
/// # Errors
/// Why not, in a sentence. What only a container can show is not found here.
pub fn can_be_graded(task: &LoadedTask, rule: Rule) -> Result<(), String> {
    script::script(&task.task, rule == Rule::Strict)?;
    let scenario = task.task.scenario().ok_or_else(|| "no log parser is known for its repository".to_owned())?;
    // A rule says of any log whether it fits the task's expectations.
    match grade(rule, &scenario, Run { log: "", ended: &Ended::Exited(0), junit: None }) {
        Verdict::Unscored(Unscored::InvalidScenario(why)) => Err(why),
        Verdict::Scored(_) | Verdict::Unscored(_) => Ok(()),
    }
}
