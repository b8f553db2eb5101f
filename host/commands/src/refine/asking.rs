//! How a command asks its models: where they are, what they may write, and whether it means it.

use crate::settings::ModelAccess;
use std::path::Path;

/// How models are asked.
pub(super) struct Asking<'a> {
    pub access: &'a ModelAccess,
    /// Where the replies of a single model are recorded.
    pub tape: Option<&'a Path>,
    /// Whether nobody is asked in the end, so that a missing key is only told, and nothing is written.
    pub is_trial: bool,
}
