//! Trajectories in the forms of others: chat fine-tuning rows and pairs, ATIF 1.8, Inspect logs, OpenTelemetry spans.
//!
//! Invariants: an export is a function of the trajectory alone; what the other format has no place for goes into its free-form fields
//! where it has some; a cost or score that is unknown is left out, never written as 0; a body of an event that no JSON value can hold goes along as text.

pub mod atif;
mod atif_schema;
pub mod chat;
pub mod inspect;
mod inspect_events;
mod inspect_parts;
pub mod otel;
pub mod steps;

use crate::identifier::TrajectoryId;
use assay_model::Time;
use thiserror::Error;

/// Why a trajectory cannot be exported.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ExportError {
    /// There is nothing to export.
    #[error("there is nothing to export: the trajectory {id} has no messages")]
    NoMessage {
        /// The trajectory.
        id: TrajectoryId,
    },
    /// There is not even a trajectory.
    #[error("there is no trajectory to export")]
    NoTrajectory,
    /// Two trajectories have one name, so references to them are ambiguous; or one has sent itself.
    #[error("two trajectories are named {id}")]
    DuplicateTrajectory {
        /// The name.
        id: TrajectoryId,
    },
    /// One log has one model.
    #[error("the trajectories are from different models, {one} and {other}: export each model separately")]
    MixedModels {
        /// One of them.
        one: String,
        /// Another.
        other: String,
    },
}

/// A time as ISO 8601 in UTC, to the microsecond: `2026-01-02T03:04:05.000000+00:00`. Other formats' readers know no finer.
pub(crate) fn iso8601(time: Time) -> String {
    let (seconds, nanos) = (time.0 / 1_000_000_000, time.0 % 1_000_000_000);
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil_from_days(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:06}+00:00", nanos / 1_000)
}

/// The date of a day, counted from 1970-01-01 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`).
const fn civil_from_days(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

/// Nanoseconds as seconds.
pub(crate) fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

/// Micro-dollars as dollars.
pub(crate) fn dollars(microdollars: u64) -> f64 {
    microdollars as f64 / 1e6
}
