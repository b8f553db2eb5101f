//! Answers from what was recorded: what a record says of its run, two runs compared measure by measure, the place where they part, and boards with their
//! seasons.
//!
//! The command line and the pages ask here, so both say the same. Each has its own form: nothing here prints, aligns or escapes. Texts from records are
//! returned as they are, and whoever shows them makes them visible.
//!
//! Invariants: what is read is bounded and checked before it is used; nothing is written but seasons of boards, which are journals and files that are
//! replaced whole.

pub mod board;
mod compare;
mod json;
mod meaning;
mod measures;
mod parting;

pub use compare::{CompareError, Compared, Method, compare, difference, expected_by_chance, same_kind, same_meaning};
pub use json::{compared_json, estimate_json, spread_json};
pub use meaning::Meaning;
pub use measures::{Disclosure, enter, kpis, scenario};
pub use parting::{Parting, parting};
