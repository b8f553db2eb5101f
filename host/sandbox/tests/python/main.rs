//! The Python engine, through its public interface.

mod cells;
mod support;
