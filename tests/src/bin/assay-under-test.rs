//! The same program as `assay`, built with the tests: always fresh, and with the dependencies that they have compiled anyway.

use std::process::ExitCode;

fn main() -> ExitCode {
    assay_cli::main()
}
