//! The Python engine, through its public interface.

mod cells;
mod determinism;
mod hostile;
mod strategies;
mod support;
