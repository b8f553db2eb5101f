//! The `assay-query` binary: calls the library and exits with the code that it returns.

use std::process::ExitCode;

fn main() -> ExitCode {
    assay_query::main()
}
