//! The guides to writing a strategy, as they are shown to a person and to a model.

/// The guide to a strategy in Rust.
pub const GUIDE: &str = include_str!("../../../guest-sdk/GUIDE.md");
/// The guide to a strategy in Python.
pub const GUIDE_PYTHON: &str = include_str!("../../../guest-sdk/GUIDE-python.md");
