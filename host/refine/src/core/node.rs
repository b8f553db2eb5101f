//! The nodes of the loop, whose beginnings and ends are events with numbers, so that others can follow a session from any point.
//!
//! ```text
//! plan ──► write ( feed back ( explain ) ── validate ) ──► execute ──► judge ( execute ) ──► advise ──► aggregate ──► write …
//! ```

use super::place::Place;
use serde::{Deserialize, Serialize};

/// See the module documentation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node {
    /// A model proposes markets. Ends with `planned`.
    Plan,
    /// A slot is filled. Ends with `written` or `unwritten`.
    Write,
    /// What the writer is told is put together. Ends with `left`.
    FeedBack,
    /// A model explains a program, which is named. Ends with `left`.
    Explain,
    /// An answer is read, checked and built. Ends with `left`, which says what is wrong with it.
    Validate,
    /// A candidate runs. Ends with `probed`, `scored`, `compared` or `unsealed`.
    Execute,
    /// A candidate meets the champion on fresh seeds. Ends with `decided`.
    Judge,
    /// A model says what it thinks of the challenger. Ends with `judged`.
    Advise,
    /// What a generation has shown is put together. Ends with `closed`.
    Aggregate,
}

impl Node {
    /// In a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Write => "write",
            Self::FeedBack => "feed back",
            Self::Explain => "explain",
            Self::Validate => "validate",
            Self::Execute => "execute",
            Self::Judge => "judge",
            Self::Advise => "advise",
            Self::Aggregate => "aggregate",
        }
    }
}

/// One visit to a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Visit {
    /// The node.
    pub node: Node,
    /// The candidate that it is about; for what is about a whole generation, its first slot.
    pub candidate: Place,
    /// Counts the visits of a candidate to a node that it comes to more than once, from 0.
    pub number: u32,
}
