//! Modules made up by `wasm-smith` in the shape of a strategy: valid, and like nothing that a compiler makes.
//!
//! The inputs are choices of the generator and mean nothing without it, so none is kept: what is found is kept as a module.

use arbitrary::{Arbitrary as _, Unstructured};
use std::sync::LazyLock;
use wasm_smith::{Config, Module};

/// A module generated from the bytes, as [`module`](crate::module) takes it.
pub fn generated(choices: &[u8]) {
    if let Some(module) = generate(choices) {
        crate::module(&module);
    }
}

fn generate(choices: &[u8]) -> Option<Vec<u8>> {
    static SHAPE: LazyLock<Vec<u8>> =
        LazyLock::new(|| wat::parse_str(include_str!("shape.wat")).expect("the shape is valid"));
    let mut choices = Unstructured::new(choices);
    let config = Config {
        module_shape: Some(SHAPE.clone()),
        allow_start_export: false,
        // What the validator refuses anyhow would only hide the rest.
        gc_enabled: false,
        exceptions_enabled: false,
        tail_call_enabled: false,
        simd_enabled: false,
        relaxed_simd_enabled: false,
        threads_enabled: false,
        memory64_enabled: false,
        extended_const_enabled: false,
        wide_arithmetic_enabled: false,
        custom_page_sizes_enabled: false,
        reference_types_enabled: false,
        max_memories: 1,
        max_tables: 1,
        max_table_elements: 1_000,
        max_memory32_bytes: 4 << 20,
        max_instructions: 2_000,
        ..Config::arbitrary(&mut choices).ok()?
    };
    Some(Module::new(config, &mut choices).ok()?.to_bytes())
}
