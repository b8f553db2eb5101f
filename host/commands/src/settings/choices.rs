//! Settings that several commands share.

use std::path::PathBuf;

/// Where the store and its artifacts are, as somebody has said it.
#[derive(Clone, Debug, Default)]
pub struct StoreSettings {
    /// A file, or `postgres://USER@HOST/DATABASE`; otherwise the project's own.
    pub store: Option<String>,
    /// A folder, or `s3://BUCKET/PREFIX`; otherwise the folder `artifacts` next to the store.
    pub artifacts: Option<String>,
}

/// Where a command records what it does, if it does.
#[derive(Clone, Debug, Default)]
pub struct RecordSettings {
    /// The store.
    pub store: StoreSettings,
    /// Not at all.
    pub no_store: bool,
}

/// How figures are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FiguresFormat {
    /// Aligned columns, for a person.
    Table,
    /// For a program.
    Json,
}

/// Rules by which tests are scored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GradeRule {
    /// A log is believed only if everything agrees.
    Strict,
    /// R2E-Gym's published rule.
    R2eCompat,
    /// SWE-bench's published rule.
    SweBench,
}

/// How a model is reached.
#[derive(Clone, Debug, Default)]
pub struct ModelAccess {
    /// URL of the model's provider.
    pub model_url: Option<String>,
    /// TOML file with prices to use instead of the built-in ones.
    pub prices: Option<PathBuf>,
    /// Charts are sent as pictures, too.
    pub pictures: bool,
}
