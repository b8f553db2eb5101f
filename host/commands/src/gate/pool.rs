//! A submission under watch, so that one that brings down or holds up a thread does neither to the others.

use super::examine::{self, Examined, Opened};
use super::interrupted;
use super::plan::{Plan, patience};
use crate::Failure;
use assay_gate::watch::{Ended, Watch, watched};
use assay_run::Stop;
use std::sync::Arc;
use std::time::Duration;

/// What a submission may still take after it was asked to end: the compiler of its component has limits of its own (twice 30 s), and ends within them.
const GRACE: Duration = Duration::from_secs(60);

/// What came out of it. The only error is that `stop` came first.
pub(super) fn examine(plan: &Arc<Plan>, opened: Opened, stop: &Stop) -> Result<Examined, Failure> {
    let opened = Arc::new(opened);
    let wall = plan.policy.budget.wall;
    let watch = Watch { wall: patience(wall), grace: GRACE };
    let (its_plan, its_opened) = (Arc::clone(plan), Arc::clone(&opened));
    let ended = watched(watch, stop, move |cancel| examine::examine(&its_plan, &its_opened, cancel));
    let seconds = watch.wall.as_secs_f64();
    let what = match ended {
        Ended::Done(Some(examined)) => return Ok(examined),
        _ if stop.is_asked() => {
            return Err(interrupted("interrupted before there was a verdict".to_owned()));
        }
        Ended::Done(None) => format!(
            "the machine was too busy: in {seconds} s it did not get the {} s of processor time that the policy allows it (`wall`)",
            wall.as_secs_f64()
        ),
        Ended::Hung => format!("it hung for more than {seconds} s and was abandoned"),
        Ended::Panicked(words) => format!("internal error: {}", assay_validator::escape(&words)),
    };
    Ok(examine::unscored(plan, &opened, what))
}
