//! The only user of wasmtime: compile, cache, run and meter checked components.
