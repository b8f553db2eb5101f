//! What goes into a call and what comes out of it: values with their types, the answer, and the clock, draws and fuel of the caller.

use assay_model::Stream;
use std::cmp::Ordering;

/// A value of SQLite, with its type. Text that is not UTF-8 is given as a blob.
#[derive(Clone, Debug)]
pub enum Value {
    /// No value.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number of double precision; SQLite stores no NaN.
    Real(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Value {
    /// Bytes that the value takes in an answer, for its limit.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Null => 1,
            Self::Integer(_) | Self::Real(_) => 8,
            Self::Text(text) => text.len(),
            Self::Blob(bytes) => bytes.len(),
        }
    }

    /// Adds the value to a digest: type, length, bytes, so that no two lists of values read the same.
    pub(crate) fn hash(&self, hasher: &mut blake3::Hasher) {
        let number;
        let bytes: &[u8] = match self {
            Self::Null => &[],
            Self::Integer(integer) => {
                number = integer.to_le_bytes();
                &number
            }
            Self::Real(real) => {
                number = real.to_bits().to_le_bytes();
                &number
            }
            Self::Text(text) => text.as_bytes(),
            Self::Blob(blob) => blob,
        };
        hasher.update(&[self.rank()]);
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Integer(_) => 1,
            Self::Real(_) => 2,
            Self::Text(_) => 3,
            Self::Blob(_) => 4,
        }
    }
}

impl Ord for Value {
    /// First by type, then by value, bytes as bytes: 1 and 1.0 are two values.
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.cmp(b),
            (Self::Real(a), Self::Real(b)) => a.total_cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Blob(a), Self::Blob(b)) => a.cmp(b),
            (a, b) => a.rank().cmp(&b.rank()),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Value {}

impl From<i64> for Value {
    fn from(integer: i64) -> Self {
        Self::Integer(integer)
    }
}

impl From<f64> for Value {
    fn from(real: f64) -> Self {
        Self::Real(real)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// What a call answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Names of the columns of the last statement that returns rows; empty if none does.
    pub columns: Vec<String>,
    /// The rows of that statement, in SQLite's order. Without ORDER BY that order holds for one version of SQLite only.
    pub rows: Vec<Vec<Value>>,
    /// Rows inserted, updated and deleted by all statements, and by triggers.
    pub changed: u64,
    /// Steps of SQLite's machine that the call has used.
    pub fuel: u64,
}

/// What is ambient elsewhere: the world's clock, its draws, and what the call may cost. A call moves `random` and `fuel` on.
#[derive(Clone, Debug)]
pub struct Ambient {
    /// Now, in nanoseconds since the epoch. It stands still during a call.
    pub now: i64,
    /// Where `random()` and `randomblob()` draw from.
    pub random: Stream,
    /// Steps of SQLite's machine that are left.
    pub fuel: u64,
}
