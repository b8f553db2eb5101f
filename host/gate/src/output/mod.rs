//! What CI gets from verdicts: `JUnit` XML, SARIF, a markdown summary, annotations of GitHub, the code quality report of GitLab.
//!
//! Every rendering is a pure function of verdicts. Invariants: whatever stands in a verdict, it is shown as text and cannot become markup, a link, a
//! mention, a command of the runner or a control character; every rendering has a named limit and says how much it leaves out.

mod code_quality;
mod github;
mod junit;
mod markdown;
mod problem;
mod sarif;
mod text;

pub use code_quality::code_quality;
pub use github::{ANNOTATIONS_MAX, annotations};
pub use junit::junit;
pub use markdown::{SUMMARY_BYTES_MAX, markdown};
pub use sarif::{SARIF_BYTES_MAX, SARIF_RESULTS_MAX, sarif};

use crate::verdict::Decision;

/// What the renderings need to know beside the verdicts.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The policy's file, relative to the root of the repository.
    pub policy_file: &'a str,
    /// The folder that names of submissions are relative to, itself relative to the root of the repository; empty for the root.
    pub folder: &'a str,
    /// Exit code of the command.
    pub exit_code: u8,
}

impl Decision {
    /// The decision in one word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unscored => "unscored",
            Self::Rejected => "rejected",
        }
    }
}
