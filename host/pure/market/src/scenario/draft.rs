//! A scenario whose text has been checked and whose data files have not been loaded yet.
//!
//! The text names files; somebody with a file system reads them and hands over what is in them. Invariant: a [`Scenario`] comes out of a draft only with
//! everything it names, so whoever holds one can run it.

use std::num::NonZeroU32;
use std::sync::Arc;

use assay_model::{Nanos, Seed, Time};

use super::error::{ScenarioError, ScenarioFault};
use super::parse::AGENTS_MAX;
use super::read::{Section, clock_text};
use super::settings::{FundamentalSettings, Scenario};
use crate::exchange::Halt;
use crate::oracle::FundamentalSeries;
use crate::replay::Recording;
use crate::replay::lobster::{LobsterSettings, TICK_CENTS_MAX};

/// Longest path of a data file, as on Linux.
const PATH_BYTES_MAX: usize = 4_096;

/// Where a recorded market comes from. Paths are as the scenario has them: relative to its own file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplaySource {
    /// A LOBSTER file pair.
    Lobster {
        /// Path of the message file.
        messages: String,
        /// Path of the order book file.
        orderbook: String,
        /// Prices are multiples of this many cents.
        tick_cents: NonZeroU32,
    },
    /// The requests of an episode that was recorded as data.
    Orders {
        /// Path of the table.
        orders: String,
        /// The episode's seed and whether it is the baseline; none if the table holds one episode only.
        episode: Option<(Seed, bool)>,
    },
}

/// A recorded market and where it came from.
#[derive(Clone, PartialEq, Debug)]
pub struct ReplayMarket {
    /// The files.
    pub source: ReplaySource,
    /// What is in them.
    pub recording: Arc<Recording>,
}

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

/// The `[replay]` table, if there is one.
pub(super) fn replay(root: &Section<'_, '_>) -> Result<Option<(ReplaySource, usize)>, ScenarioError> {
    if !root.has("replay") {
        return Ok(None);
    }
    let known = ["format", "messages", "orderbook", "tick_cents", "orders", "seed", "episode"];
    let section = root.section("replay", &known)?;
    let source = match section.word("format", &["lobster", "orders"])? {
        0 => lobster(&section.only(&["format", "messages", "orderbook", "tick_cents"])?)?,
        _ => orders(&section.only(&["format", "orders", "seed", "episode"])?)?,
    };
    Ok(Some((source, root.line("replay"))))
}

fn lobster(section: &Section<'_, '_>) -> Result<ReplaySource, ScenarioError> {
    Ok(ReplaySource::Lobster {
        messages: path(section, "messages")?,
        orderbook: path(section, "orderbook")?,
        // Within its range, so the casts are exact and the least never stands in.
        tick_cents: NonZeroU32::new(section.integer("tick_cents", 1..=TICK_CENTS_MAX, Some(1))? as u32)
            .unwrap_or(NonZeroU32::MIN),
    })
}

fn orders(section: &Section<'_, '_>) -> Result<ReplaySource, ScenarioError> {
    let episode = if section.has("seed") || section.has("episode") {
        let seed = Seed(section.integer("seed", 0..=i64::MAX, None)? as u64);
        Some((seed, section.word("episode", &["strategy", "baseline"])? == 1))
    } else {
        None
    };
    Ok(ReplaySource::Orders { orders: path(section, "orders")?, episode })
}

/// The path of a data file.
pub(super) fn path(section: &Section<'_, '_>, key: &str) -> Result<String, ScenarioError> {
    let text = section.text(key, None)?;
    if text.is_empty() || text.len() > PATH_BYTES_MAX || text.chars().any(char::is_control) {
        let hint = format!("a path relative to the scenario's file, of 1 to {PATH_BYTES_MAX} bytes");
        return Err(section.fault(key, ScenarioFault::NotAPath(text.chars().take(100).collect()), Some(hint)));
    }
    Ok(text)
}

/// A time of day for an error about a recording, to the second.
pub(super) fn clock_of_day(at: u64) -> String {
    clock_text(Nanos(at % super::parse::DAY.0))
}

/// Whether two times, in nanoseconds since the epoch, are of different days.
pub(super) fn is_other_day(a: u64, b: u64) -> bool {
    a / super::parse::DAY.0 != b / super::parse::DAY.0
}
