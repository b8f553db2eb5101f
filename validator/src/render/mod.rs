//! Findings for a person (text), a model (JSON), CI (SARIF), and the documentation of all codes (Markdown).

mod json;
mod markdown;
mod sarif;
mod text;

pub use json::JSON_SCHEMA;
pub use markdown::findings_markdown;
pub use text::TextStyle;
