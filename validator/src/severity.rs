//! Whether a finding refuses the strategy.

use serde::Serialize;

/// Whether a finding refuses the strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The strategy is refused.
    Error,
    /// Worth mending, not refused.
    Warning,
}
