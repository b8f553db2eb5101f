//! Removes what others left: the containers of processes that are gone, and those that nobody can need any more.

use crate::container::{LABEL_DEADLINE, LABEL_OWNER, remove_once};
use crate::engine::Engine;
use crate::error::{failed, status};
use assay_rollout::owner::{Owner, State};
use assay_rollout::ports::BenchError;
use bollard::Docker;
use bollard::errors::Error;
use bollard::query_parameters::ListContainersOptionsBuilder;
use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Between two rounds.
const PERIOD: Duration = Duration::from_mins(1);
/// How far the clocks of two machines that share an engine may differ, in seconds.
const CLOCKS_DIFFER_MAX: u64 = 300;

/// How long another's removal is waited for, and how long between two looks.
const REMOVAL_MAX: Duration = Duration::from_secs(10);
const REMOVAL_PAUSE: Duration = Duration::from_millis(50);

/// What a round did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reaped {
    /// Containers that were removed.
    pub removed: usize,
    /// Containers of ours that are in use.
    pub in_use: usize,
    /// Containers that should go and could not be removed; the next round tries again.
    pub stuck: usize,
}

/// One round.
pub(crate) async fn reap(engine: &Engine) -> Result<Reaped, BenchError> {
    let docker = engine.docker()?;
    let filters = HashMap::from([("label", vec![LABEL_OWNER])]);
    let options = ListContainersOptionsBuilder::new().all(true).filters(&filters).build();
    let containers = docker.list_containers(Some(options)).await.map_err(failed("list the containers"))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let mut reaped = Reaped::default();
    for container in containers {
        let (Some(id), Some(labels)) = (container.id, container.labels) else { continue };
        let owner = labels.get(LABEL_OWNER).and_then(|text| text.parse::<Owner>().ok());
        let deadline = labels.get(LABEL_DEADLINE).and_then(|text| text.parse::<u64>().ok());
        let dead = owner.is_some_and(|owner| owner.state() == State::Dead);
        if !dead && deadline.is_some_and(|deadline| now <= deadline.saturating_add(CLOCKS_DIFFER_MAX)) {
            reaped.in_use += 1;
            continue;
        }
        match remove(docker, &id).await {
            Ok(()) => reaped.removed += 1,
            // Another process was quicker.
            Err(error) if status(&error) == Some(404) => {}
            Err(_) => reaped.stuck += 1,
        }
    }
    Ok(reaped)
}

/// Removes one; where another process is at it, waits until it is gone.
async fn remove(docker: &Docker, id: &str) -> Result<(), Error> {
    let begun = Instant::now();
    loop {
        match remove_once(docker, id).await {
            Err(error) if status(&error) == Some(409) && begun.elapsed() < REMOVAL_MAX => {
                tokio::time::sleep(REMOVAL_PAUSE).await;
            }
            done => return done,
        }
    }
}

/// A round at once and one every minute, until the task is aborted. An engine that does not answer has a health monitor to say so.
pub(crate) async fn periodically(engine: Engine) {
    let mut ticks = tokio::time::interval(PERIOD);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let _ = reap(&engine).await;
    }
}
