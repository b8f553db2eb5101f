//! The helper for this crate's own tests and benches: answers to the words `jail` and `precompile`. In production the `assay` binary does.

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some(assay_jail::HELPER_WORD) => assay_jail::helper_main(),
        Some(assay_sandbox::PRECOMPILE_WORD) => assay_sandbox::precompile_main(),
        _ => ExitCode::FAILURE,
    }
}
