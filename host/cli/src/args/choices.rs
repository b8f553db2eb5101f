//! Choices that flags of several commands offer.

use assay_commands::settings;
use clap::ValueEnum;

/// Output formats of figures.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FiguresFormat {
    /// Aligned columns, for a person.
    Table,
    /// For a program.
    Json,
}

/// Rules by which tests are scored.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
#[value(rename_all = "snake_case")]
pub(crate) enum GradeRule {
    /// A log is believed only if everything agrees.
    Strict,
    /// R2E-Gym's published rule.
    R2eCompat,
    /// SWE-bench's published rule.
    SweBench,
}

impl From<FiguresFormat> for settings::FiguresFormat {
    fn from(format: FiguresFormat) -> Self {
        match format {
            FiguresFormat::Table => Self::Table,
            FiguresFormat::Json => Self::Json,
        }
    }
}

impl From<GradeRule> for settings::GradeRule {
    fn from(rule: GradeRule) -> Self {
        match rule {
            GradeRule::Strict => Self::Strict,
            GradeRule::R2eCompat => Self::R2eCompat,
            GradeRule::SweBench => Self::SweBench,
        }
    }
}
