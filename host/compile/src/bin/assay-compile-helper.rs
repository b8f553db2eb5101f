//! The jail helper for programs that build but cannot be their own helper, such as this crate's tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args_os().nth(1) {
        Some(word) if word == assay_jail::HELPER_WORD => assay_jail::helper_main(),
        _ => ExitCode::from(2),
    }
}
