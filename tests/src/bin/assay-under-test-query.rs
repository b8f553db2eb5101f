//! The same program as `assay-query`, beside `assay-under-test`, which looks for it there.

use std::process::ExitCode;

fn main() -> ExitCode {
    assay_query::main()
}
