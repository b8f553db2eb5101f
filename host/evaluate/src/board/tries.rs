//! What a board is, and what becomes of a submission.

use crate::statistics::Sample;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Name and version of the files of a board.
pub const BOARD_FORMAT: &str = "assay.board 2";
/// Tries that a season takes: pairs are corrected for all of them, and beyond this nothing could be told any more.
pub const BOARD_TRIES_MAX: usize = 1_000;
/// Seeds of one kind: two are an interval, and a thousand take a second.
pub const BOARD_SEEDS: RangeInclusive<u64> = 2..=1_000;

/// A season of a board; see the module documentation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardDefinition {
    /// [`BOARD_FORMAT`].
    pub format: String,
    /// The board's name.
    pub name: String,
    /// Which season, from 1.
    pub season: u32,
    /// The release of Assay whose figures it holds.
    pub release: String,
    /// Version of the run record: figures of another mean something else.
    pub schema: String,
    /// What is ranked, more being better.
    pub measure: String,
    /// The market.
    pub scenario: BoardScenario,
    /// Seeds that everybody may know, ascending.
    pub public: Vec<u64>,
    /// Seeds that only the holder of the secret knows.
    pub sealed: SealedSeeds,
    /// Step of the Ladder where there is no deviation to take it from, as in a recorded market, in the measure's unit.
    pub step: f64,
    /// When it was made, milliseconds since the epoch.
    pub created_ms: i64,
}

/// The market of a board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardScenario {
    /// What `--scenario` was given: a preset or a file.
    pub reference: String,
    /// Its name.
    pub name: String,
    /// BLAKE3 of its text.
    pub hash: String,
    /// Hash of the recorded market, if it is one.
    pub recording: Option<String>,
    /// Hash of the series that the fundamental value follows, if it follows one.
    pub series: Option<String>,
}

/// What may be published of sealed seeds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealedSeeds {
    /// How many.
    pub count: u64,
    /// Keyed BLAKE3 of them and of all else that the definition says.
    pub commitment: String,
}

/// Why a submission cannot be compared with what is on the board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Mismatch {
    /// Another release.
    #[error(
        "the board was made with Assay {board}, but this is {here}: results of different releases are not compared"
    )]
    Release {
        /// The board's.
        board: String,
        /// This one.
        here: String,
    },
    /// Another record.
    #[error(
        "the board's results use run record {board}, but this Assay writes {here}: the figures mean different things"
    )]
    Schema {
        /// The board's.
        board: String,
        /// This one.
        here: String,
    },
    /// Another market under the same name.
    #[error("the scenario `{reference}` has changed since the board was created: {what}")]
    Scenario {
        /// How it is named.
        reference: String,
        /// What differs.
        what: String,
    },
}

impl BoardDefinition {
    /// Whether figures of this release and market may stand on the board.
    ///
    /// # Errors
    /// What differs.
    pub fn check(&self, release: &str, schema: &str, scenario: &BoardScenario) -> Result<(), Mismatch> {
        if self.release != release {
            return Err(Mismatch::Release { board: self.release.clone(), here: release.to_owned() });
        }
        if self.schema != schema {
            return Err(Mismatch::Schema { board: self.schema.clone(), here: schema.to_owned() });
        }
        let changed = |what: String| Mismatch::Scenario { reference: self.scenario.reference.clone(), what };
        let start = |hash: &str| hash.chars().take(12).collect::<String>();
        if self.scenario.hash != scenario.hash {
            let (was, is) = (start(&self.scenario.hash), start(&scenario.hash));
            return Err(changed(format!("its text had the hash {was}… and now has {is}…")));
        }
        if (&self.scenario.recording, &self.scenario.series) != (&scenario.recording, &scenario.series) {
            return Err(changed("its data files have changed".to_owned()));
        }
        Ok(())
    }

    /// What is wrong with its numbers, if they are none that a board is made with: a file may say anything.
    #[must_use]
    pub fn flaw(&self) -> Option<&'static str> {
        if !is_board_step(self.step) {
            Some("its step is not an amount above 0")
        } else if !BOARD_SEEDS.contains(&(self.public.len() as u64)) || !BOARD_SEEDS.contains(&self.sealed.count) {
            Some("it has too few or too many seeds")
        } else if self.public.is_sorted_by(|one, next| one < next) {
            None
        } else {
            Some("its public seeds do not ascend")
        }
    }

    /// What the sealed seeds are derived for: no other board, season or market has the same.
    #[must_use]
    pub fn label(name: &str, season: u32, scenario_hash: &str) -> String {
        format!("{name}\u{0}{season}\u{0}{scenario_hash}")
    }
}

/// Whether an amount can be the step of a board.
#[must_use]
pub fn is_board_step(step: f64) -> bool {
    step.is_finite() && step > 0.0
}

/// One submission, as everybody may read it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardTry {
    /// From 1, in the order of arrival.
    pub number: u64,
    /// When, milliseconds since the epoch.
    pub at_ms: i64,
    /// Who says to have submitted it.
    pub author: String,
    /// What the file was called; says nothing about what it is.
    pub file: String,
    /// Hash of what was submitted; `None` if it was refused before there was anything to hash.
    pub content: Option<String>,
    /// What became of it.
    pub outcome: TryOutcome,
    /// The measure in each public seed, if it ran: seed, market path, value.
    pub public: Vec<(u64, String, f64)>,
}

/// What became of a submission.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TryOutcome {
    /// It is an entry.
    Entry,
    /// The same author has submitted the same content before: nothing new.
    Again {
        /// The try that it repeats.
        of: u64,
    },
    /// Somebody else has submitted the same content before, who keeps it.
    Copy {
        /// That try.
        of: u64,
    },
    /// Another content with the same results in every seed as an earlier entry: that one in another dress.
    SameResults {
        /// That try.
        of: u64,
    },
    /// It failed in a seed, so its figures are of something that broke.
    Failed {
        /// How, and in how many seeds.
        what: String,
    },
    /// The checks refused it before it ran.
    Refused {
        /// Why.
        what: String,
    },
}

impl TryOutcome {
    /// Whether it was run, and so was one more chance to be lucky.
    #[must_use]
    pub fn was_run(&self) -> bool {
        matches!(self, Self::Entry | Self::SameResults { .. } | Self::Failed { .. })
    }
}

/// The sealed results of a try; only for whoever holds the secret.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealedRow {
    /// Which try.
    pub number: u64,
    /// The measure in each sealed seed, in their order, with the market path.
    pub values: Vec<(String, f64)>,
}

impl SealedRow {
    /// As evidence.
    #[must_use]
    pub fn sample(&self) -> Sample {
        Sample::of_paths(self.values.iter().map(|(path, value)| (path.as_str(), *value)))
    }
}

/// What becomes of content by what is known of it; `None` if it is new and has to be run.
#[must_use]
pub fn classify(tries: &[BoardTry], author: &str, content: &str) -> Option<TryOutcome> {
    // The first who ran it owns it; tries that only repeat it own nothing.
    let first = tries.iter().find(|known| known.outcome.was_run() && known.content.as_deref() == Some(content))?;
    let of = first.number;
    Some(if first.author == author { TryOutcome::Again { of } } else { TryOutcome::Copy { of } })
}

/// What becomes of results that are new as content: the same in every seed as those of an earlier entry, or an entry.
#[must_use]
pub fn classify_results(
    tries: &[BoardTry],
    rows: &[SealedRow],
    public: &[(u64, String, f64)],
    sealed: &[(String, f64)],
) -> TryOutcome {
    let values = |row: &SealedRow| row.values == sealed;
    let same = tries.iter().filter(|known| known.outcome == TryOutcome::Entry && known.public == public);
    let found =
        same.map(|known| known.number).find(|number| rows.iter().any(|row| row.number == *number && values(row)));
    found.map_or(TryOutcome::Entry, |of| TryOutcome::SameResults { of })
}
