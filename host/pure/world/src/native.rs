//! The port for tools whose bodies are programs: compiled ones that come with Assay, and those that run in an interpreter of a world's own.
//!
//! This crate holds none; a world has those that its loader gives it. A body is a function of its arguments and the state: nothing else may decide what it
//! does, so that an episode can be done again.

use std::fmt::Debug;

use serde_json::Value;

use crate::state::State;

/// Why a body has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NativeError {
    /// The tool refuses, in words for the caller. What it did to the state is thrown away.
    Refused(String),
    /// The machine failed, not the tool: the episode has no score.
    Broken(String),
}

/// A tool's body as a program.
pub trait Native: Send + Sync + Debug {
    /// Does what a call asks for. The arguments fit the tool's schema and are as the caller wrote them: `25.0` is not `25`. An answer that is a text is shown
    /// as it is.
    ///
    /// # Errors
    /// See [`NativeError`].
    fn call(&self, arguments: &Value, state: &mut State) -> Result<Value, NativeError>;

    /// Makes what the first call makes before anything else, if it is not there; a call of a state that has it does not make it again.
    ///
    /// # Errors
    /// See [`NativeError`].
    fn begin(&self, _state: &mut State) -> Result<(), NativeError> {
        Ok(())
    }
}
