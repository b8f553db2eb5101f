//! A scenario whose text has been checked and whose data files have not been loaded yet.
//!
//! The text names files; somebody with a file system reads them and hands over what is in them. Invariant: a [`Scenario`] comes out of a draft only with
//! everything it names, so whoever holds one can run it.

use std::num::NonZeroU32;
use std::sync::Arc;

use assay_model::{Nanos, Time};

use super::error::{ScenarioError, ScenarioFault};
use super::recorded::{ReplayMarket, ReplaySource};
use super::settings::{FundamentalSettings, Scenario};
use crate::AGENTS_MAX;
use crate::exchange::Halt;
use crate::replay::Recording;
use crate::replay::lobster::LobsterSettings;
use crate::series::FundamentalSeries;

/// What a scenario's data files hold.
#[derive(Clone, Debug, Default)]
pub struct ScenarioData {
    /// For `[replay]`.
    pub recording: Option<Arc<Recording>>,
    /// For `series` in `[fundamental]`.
    pub series: Option<Arc<FundamentalSeries>>,
}

/// See the module documentation.
#[derive(Clone, Debug)]
pub struct Draft {
    pub(super) scenario: Scenario,
    pub(super) midnight: Time,
    pub(super) replay: Option<(ReplaySource, usize)>,
    pub(super) series: Option<(String, usize)>,
    /// The text says nothing of a fundamental value, so that of the recording stands in.
    pub(super) lacks_fundamental: bool,
}

impl Draft {
    /// Where the recorded market is to be read from, if there is to be one.
    #[must_use]
    pub fn replay(&self) -> Option<&ReplaySource> {
        self.replay.as_ref().map(|(source, _)| source)
    }

    /// The path of the fundamental series, if there is to be one; relative to the scenario's file.
    #[must_use]
    pub fn series(&self) -> Option<&str> {
        self.series.as_ref().map(|(path, _)| path.as_str())
    }

    /// How to read a LOBSTER file pair for this scenario.
    #[must_use]
    pub fn lobster_settings(&self, tick_cents: NonZeroU32) -> LobsterSettings {
        let Scenario { open, close, .. } = self.scenario;
        LobsterSettings { midnight: self.midnight, open, close, tick_cents }
    }

    /// The first symbol.
    #[must_use]
    pub fn symbol(&self) -> &str {
        &self.scenario.symbol
    }

    /// Midnight before the session, its open and its close.
    #[must_use]
    pub fn session(&self) -> (Time, Time, Time) {
        (self.midnight, self.scenario.open, self.scenario.close)
    }

    /// The scenario, with its data.
    ///
    /// # Errors
    /// Data that the text names is not there, or does not fit the session.
    pub fn complete(self, data: ScenarioData) -> Result<Scenario, ScenarioError> {
        let fault = |key: &str, line, what, hint: &str| ScenarioError {
            key: key.to_owned(),
            line,
            what,
            hint: Some(hint.to_owned()),
        };
        let (needs_recording, has_recording) = (self.replay.is_some(), data.recording.is_some());
        let (needs_series, has_series) = (self.series.is_some(), data.series.is_some());
        let mut scenario = self.scenario;
        match (self.series, data.series) {
            (Some(_), Some(series)) => scenario.set_series(series),
            (Some((_, line)), None) => {
                let hint = "read the file that it names and hand it over with the draft";
                return Err(fault("fundamental.series", line, ScenarioFault::NotLoaded, hint));
            }
            _ => {}
        }
        match (self.replay, data.recording) {
            (Some((source, line)), Some(recording)) => {
                scenario.add_recording(&recording).map_err(|what| {
                    let hint = "set `date`, `open` and `close` in [market] to a session that the recording covers";
                    fault("replay", line, what, hint)
                })?;
                if self.lacks_fundamental {
                    scenario.fundamental = FundamentalSettings::constant(recording.reference().cents() as f64);
                }
                scenario.replay = Some(ReplayMarket { source, recording });
            }
            (Some((_, line)), None) => {
                let hint = "read the files that it names and hand them over with the draft";
                return Err(fault("replay", line, ScenarioFault::NotLoaded, hint));
            }
            _ => {}
        }
        if (has_recording && !needs_recording) || (has_series && !needs_series) {
            let hint = "add [replay], or `series` to [fundamental], to the scenario";
            return Err(fault("", 1, ScenarioFault::NotAskedFor, hint));
        }
        Ok(scenario)
    }
}

impl Scenario {
    fn set_series(&mut self, series: Arc<FundamentalSeries>) {
        self.fundamental = FundamentalSettings::constant(series.value_at(self.open));
        self.fundamental_series = Some(series);
    }

    /// Checks that a recording fits, and takes over its halts.
    fn add_recording(&mut self, recording: &Recording) -> Result<(), ScenarioFault> {
        let (Some(first), Some(last)) = (recording.requests().first(), recording.requests().last()) else {
            return Ok(());
        };
        let outside = [first.at, last.at].into_iter().find(|at| *at < self.open || *at >= self.close);
        if let Some(at) = outside {
            let (open, close) = (self.open, self.close);
            return Err(ScenarioFault::RecordingOutside { at: at.0, open: open.0, close: close.0 });
        }
        let total = u64::from(self.agent_count()) + u64::from(recording.participants());
        if total > AGENTS_MAX {
            return Err(ScenarioFault::TooManyAgents { total, limit: AGENTS_MAX });
        }
        for halt in recording.halts() {
            let lasts = halt.until.unwrap_or(self.close).since(halt.from);
            if lasts > Nanos(0) {
                self.venue.halts.push(Halt { at: halt.from, lasts });
            }
        }
        self.venue.halts.sort_by_key(|halt| halt.at);
        Ok(())
    }
}
