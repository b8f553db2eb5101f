//! The child's side of a compilation: a module on standard input, native code on standard output.

use crate::compile::{EXIT_REFUSED, PYTHON_WORD};
use crate::{engine, python};
use std::io::{Read as _, Write as _};
use std::process::ExitCode;

/// Bytes of module that the child reads; the validator allows far less, the Python interpreter has about 30 MB.
const MODULE_BYTES_MAX: u64 = 128 << 20;

/// The whole life of a compile child. An executable calls this when its first argument is [`PRECOMPILE_WORD`](crate::PRECOMPILE_WORD) and returns the code
/// as its own.
#[must_use]
pub fn precompile_main() -> ExitCode {
    match precompile() {
        Ok(artifact) => match std::io::stdout().write_all(&artifact) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        Err(error) => {
            // The caller reads it from the pipe; if that is gone, nobody does.
            let _ = write!(std::io::stderr(), "{error:#}");
            ExitCode::from(EXIT_REFUSED)
        }
    }
}

fn precompile() -> wasmtime::Result<Vec<u8>> {
    let mut wasm = Vec::new();
    std::io::stdin().take(MODULE_BYTES_MAX).read_to_end(&mut wasm)?;
    if std::env::args().nth(2).is_some_and(|word| word == PYTHON_WORD) {
        return python::compile(&wasm);
    }
    engine::compiler()?.precompile_module(&wasm)
}
