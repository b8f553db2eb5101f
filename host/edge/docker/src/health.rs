//! Whether the engine answers.

use crate::engine::Engine;
use crate::error::words;
use crate::settings::BenchSettings;
use crate::url::EngineUrl;
use assay_rollout::ports::BenchError;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// Between two questions.
const PERIOD: Duration = Duration::from_secs(5);
/// A daemon that takes longer for a ping is of no use to a job.
const ANSWER: Duration = Duration::from_secs(10);

/// What the monitor saw last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Health {
    /// It was not asked yet.
    Unknown,
    /// It answers.
    Up {
        /// How long the answer took, in microseconds.
        microseconds: u64,
    },
    /// It does not.
    Down {
        /// What came instead.
        why: String,
    },
}

/// Asks once.
pub(crate) async fn ping(engine: &Engine) -> Result<Duration, BenchError> {
    let (docker, asked) = (engine.docker()?, Instant::now());
    match tokio::time::timeout(ANSWER, docker.ping()).await {
        Ok(Ok(_)) => Ok(asked.elapsed()),
        Ok(Err(error)) => Err(BenchError::NoEngine { why: words(&error) }),
        Err(_) => Err(BenchError::NoEngine { why: format!("it did not answer a ping within {} s", ANSWER.as_secs()) }),
    }
}

/// The name and version of an engine, as it says them.
///
/// # Errors
/// [`BenchError::NoEngine`] if it does not answer.
pub async fn engine_version(url: EngineUrl) -> Result<String, BenchError> {
    let engine = Engine::new(&BenchSettings::new(url, PathBuf::new(), PathBuf::new()))?;
    let none = |why| BenchError::NoEngine { why };
    let version = tokio::time::timeout(ANSWER, engine.docker()?.version())
        .await
        .map_err(|_| none(format!("it did not answer within {} s", ANSWER.as_secs())))?
        .map_err(|error| none(words(&error)))?;
    let name = version.platform.map_or_else(|| "engine".to_owned(), |platform| platform.name);
    let unknown = || "unknown".to_owned();
    let (number, api) = (version.version.unwrap_or_else(unknown), version.api_version.unwrap_or_else(unknown));
    Ok(format!("{name} {number}, API {api}").trim().to_owned())
}

/// Asks every few seconds until the task is aborted.
pub(crate) fn watch(engine: Engine) -> (watch::Receiver<Health>, AbortHandle) {
    let (sender, receiver) = watch::channel(Health::Unknown);
    let task = tokio::spawn(async move {
        let mut ticks = tokio::time::interval(PERIOD);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            sender.send_replace(match ping(&engine).await {
                // A ping of half a million years is none.
                Ok(took) => Health::Up { microseconds: u64::try_from(took.as_micros()).unwrap_or(u64::MAX) },
                Err(error) => Health::Down { why: error.to_string() },
            });
        }
    });
    (receiver, task.abort_handle())
}
