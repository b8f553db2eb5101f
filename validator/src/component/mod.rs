//! The component pass: what may enter the sandbox.
//!
//! Four stages over the same bytes. The *survey* reads every payload once and applies the limits; the *validator* of `wasmparser` decides,
//! with exactly the proposals that the engine has, whether the bytes mean anything; the *interface* stage compares imports and exports with
//! the world of `guest-sdk/wit`, types included. A finding of one stage does not hide those of the others, except that types of an
//! invalid component cannot be compared. A component without findings is then held against what the encoder makes of its module
//! (*encoding*), because the module is what runs.
//!
//! Invariant: a [`CheckedComponent`] exists only if no stage found an error.

mod encoding;
mod features;
mod identify;
mod interface;
mod module;
mod operators;
mod survey;
mod types;

use crate::code::Code;
use crate::finding::{Findings, FunctionPlace, Place};
use crate::parameters::Parameter;
pub use encoding::{EncodeError, encode_component};
use std::ops::Range;

/// What was measured while a component was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Facts {
    /// Bytes of the component.
    pub bytes: u64,
    /// Core modules.
    pub modules: u64,
    /// Functions of all modules, imported ones included.
    pub functions: u64,
    /// Bytes of the largest function.
    pub function_bytes_max: u64,
    /// Pages of 64 KiB that the memory starts with.
    pub memory_pages: u64,
    /// Elements of all tables.
    pub table_elements: u64,
}

/// Bytes that passed the component pass.
#[derive(Clone, Debug)]
pub struct CheckedComponent {
    bytes: Vec<u8>,
    hash: blake3::Hash,
    facts: Facts,
    module: Range<usize>,
    parameters: Vec<Parameter>,
}

impl CheckedComponent {
    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The core module in it; what it imports and exports by name is all that the component does.
    #[must_use]
    pub fn module(&self) -> &[u8] {
        &self.bytes[self.module.clone()]
    }

    /// The parameters that it declares, by number.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// BLAKE3 of the bytes.
    #[must_use]
    pub fn hash(&self) -> blake3::Hash {
        self.hash
    }

    /// What was measured.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }
}

/// What bytes are instead of a component, as far as their beginning and their size tell; [`check_component`] says the same of them.
#[must_use]
pub fn not_a_component(bytes: &[u8]) -> Option<Code> {
    identify::refusal(bytes).map(|finding| finding.code)
}

/// Checks a component.
///
/// # Errors
/// All findings, when one of them is an error.
pub fn check_component(bytes: Vec<u8>) -> Result<CheckedComponent, Findings> {
    if let Some(finding) = identify::refusal(&bytes) {
        return Err(Findings::from_iter([finding]));
    }
    let survey = survey::survey(&bytes);
    let mut findings = survey.findings.clone();
    if let Some(types) = features::validate(&bytes, &survey, &mut findings) {
        interface::compare(&types, &survey, &mut findings);
    }
    if findings.has_errors() {
        return Err(findings);
    }
    let module = encoding::module(&bytes)?;
    let facts = Facts { bytes: bytes.len() as u64, ..survey.facts };
    Ok(CheckedComponent { hash: blake3::hash(&bytes), facts, module, parameters: survey.parameters, bytes })
}

/// A place outside of functions.
fn place(section: &'static str, offset: usize) -> Place {
    Place::Component { section, function: None, offset: offset as u64 }
}

/// A place in a function.
fn function_place(function: FunctionPlace, offset: usize) -> Place {
    Place::Component { section: "code", function: Some(function), offset: offset as u64 }
}
