//! What can be wrong with a scenario, told so that its writer can mend it.

use super::clock::{clock_of_day, is_other_day};
use thiserror::Error;

/// A scenario that cannot be used: which key, where, what, and how to mend it. The text completes "failed to read the scenario: …".
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}{}: {what}", if key.is_empty() { String::new() } else { format!(", `{key}`") })]
pub struct ScenarioError {
    /// The key with its path, for example `agents[2].count`; empty for the file as a whole.
    pub key: String,
    /// Line in the file, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: ScenarioFault,
    /// How to mend it.
    pub hint: Option<String>,
}

/// See [`ScenarioError`].
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ScenarioFault {
    /// Longer than the limit.
    #[error("the file has {bytes} bytes, more than the limit of {limit}")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// Not TOML.
    #[error("not valid TOML: {0}")]
    Syntax(String),
    /// A key that means nothing here.
    #[error("unknown key")]
    UnknownKey,
    /// A key that must be there.
    #[error("missing")]
    Missing,
    /// Another type of value is needed.
    #[error("expected {expected}, found {found}")]
    WrongType {
        /// What is needed.
        expected: &'static str,
        /// What is there.
        found: &'static str,
    },
    /// A value outside its limits.
    #[error("{found} is not within {range}")]
    OutOfRange {
        /// What is there.
        found: String,
        /// The smallest and the largest value allowed.
        range: String,
    },
    /// The base cannot be found.
    #[error("{0}")]
    NoBase(String),
    /// The base is not a scenario itself.
    #[error("the base `{base}` cannot be used: {what}")]
    BrokenBase {
        /// Its name.
        base: String,
        /// What is wrong with it.
        what: String,
    },
    /// Bases of bases without an end.
    #[error("bases are nested more than {limit} deep")]
    BasesTooDeep {
        /// How many there may be.
        limit: usize,
    },
    /// Bases that lead back to themselves.
    #[error("bases go in a circle: {0}")]
    BasesInACircle(String),
    /// A kind of agent that is not the one that the group of that name has.
    #[error("the base's group of this name is of the kind `{0}`")]
    OtherKind(String),
    /// A duration that does not parse.
    #[error("`{0}` is not a duration")]
    NotADuration(String),
    /// A word that is not among those allowed.
    #[error("`{found}` is not one of {allowed}")]
    UnknownWord {
        /// What is there.
        found: String,
        /// The words allowed, separated by commas.
        allowed: String,
    },
    /// Text that is empty, too long or has characters that file names and tables cannot carry.
    #[error("`{0}` is not a name")]
    NotAName(String),
    /// Two agent groups, or a group and a part of the market, have one name.
    #[error("the name `{0}` is taken")]
    NameTaken(String),
    /// The market closes before it opens.
    #[error("the market closes at {close}, not after it opens at {open}")]
    CloseNotAfterOpen {
        /// Opening time of day.
        open: String,
        /// Closing time of day.
        close: String,
    },
    /// One symbol more than a market can have.
    #[error("a market has at most {limit} symbols")]
    TooManySymbols {
        /// How many there may be, the first included.
        limit: usize,
    },
    /// The groups together are too many.
    #[error("{total} agents are more than the limit of {limit}")]
    TooManyAgents {
        /// All groups together.
        total: u64,
        /// The limit.
        limit: u64,
    },
    /// Two numbers that must be ordered are not.
    #[error("must be less than `{other}`")]
    NotLess {
        /// The key that must be greater.
        other: &'static str,
    },
    /// Two keys of which there can be one.
    #[error("cannot be combined with `{other}`")]
    NotWith {
        /// The other one.
        other: &'static str,
    },
    /// A least that is more than the most.
    #[error("must not be greater than `{other}`")]
    Greater {
        /// The key that must not be less.
        other: &'static str,
    },
    /// Text that cannot be the path of a file.
    #[error("`{}` is not a path", .0.escape_default())]
    NotAPath(String),
    /// The data that this names has not been handed over.
    #[error("its data has not been loaded")]
    NotLoaded,
    /// Data that the text does not name.
    #[error("data was loaded that the scenario does not name")]
    NotAskedFor,
    /// A recording that is of another time than the session.
    #[error("the recording has a request at {}, outside the session from {} to {}{}", clock_of_day(*at), clock_of_day(*open), clock_of_day(*close), if is_other_day(*at, *open) { ", on another day" } else { "" })]
    RecordingOutside {
        /// Time of the request, in nanoseconds since the epoch.
        at: u64,
        /// The open, likewise.
        open: u64,
        /// The close, likewise.
        close: u64,
    },
    /// Fees of which both sides of a trade together get more than they pay.
    #[error("at a price of ${}.{:02}, these fees pay the two sides of a trade {microcents} micro-cents a share in total", price / 100, price % 100)]
    PaysBothSides {
        /// Such a price.
        price: i64,
        /// What they are paid at it.
        microcents: i64,
    },
    /// The mixture's weights do not add to one.
    #[error("the weights add up to {0}, not to 1")]
    WeightsNotOne(String),
}
