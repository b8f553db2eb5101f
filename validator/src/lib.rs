//! Source, dependency and component checks on untrusted strategies.
//!
//! Three passes, each usable alone; each returns all of its findings at once:
//! [`check_source`] and [`check_crate_files`] read Rust text, [`check_python_text`] and [`check_python_survey`] Python text, [`check_dependencies`] a crate's manifest and graph, and [`check_component`]
//! WebAssembly bytes. Only the last one guards the host: a [`CheckedComponent`] cannot be made otherwise, and it is the only thing the
//! sandbox takes. The other two refuse early, with a place and a hint.
//!
//! Every limit is in [`limits`], every code in [`Code`]; `docs/findings.md` is generated from both. Hostile input never panics and
//! never takes more than bounded time, stack and memory. Nothing is printed here.

pub mod limits;

mod code;
mod component;
mod dependencies;
mod escape;
mod finding;
mod parameters;
mod python;
mod render;
mod severity;
mod source;

pub use code::{Code, Meaning};
pub use component::{CheckedComponent, EncodeError, Facts, check_component, encode_component, not_a_component};
pub use dependencies::check_dependencies;
pub use escape::{JsonEscaper, escape, escape_json, is_hidden};
pub use finding::{Excerpt, Finding, Findings, FunctionPlace, Place, Position};
pub use parameters::{NotInRange, PARAMETERS_SECTION, Parameter, ParameterKind, ParameterScale};
pub use python::{check_python_survey, check_python_text, python_modules, python_parameters, python_unreadable};
pub use render::{JSON_SCHEMA, TextStyle, findings_markdown};
pub use severity::Severity;
pub use source::{
    check_crate_files, check_crate_sources, check_source, check_source_bytes, is_fault_of_host, source_place,
};
