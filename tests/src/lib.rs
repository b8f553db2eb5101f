//! Helpers for tests that go through the `assay` binary, as a user does.
//!
//! The binary is this crate's `assay-under-test`, the same program: cargo builds it with the tests, so `cargo test` alone is enough.

pub mod gate;
pub mod native;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The root of the checkout.
///
/// # Panics
/// Never: this crate lies in a folder of it.
#[must_use]
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests crate lies in a folder of the workspace")
}

/// The binary under test. Cargo builds it before it runs the tests of this crate, one folder above them.
///
/// # Panics
/// If it is not there: then no test of it means anything.
#[must_use]
pub fn assay_binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let test = std::env::current_exe().expect("a running test has a path");
        let binary = test.ancestors().nth(2).expect("tests lie in `deps`").join("assay-under-test");
        assert!(binary.is_file(), "{} is not there: run `cargo test -p assay-tests`", binary.display());
        binary
    })
}

/// A command that runs `assay` in `folder`, with colours off and a cache shared by all tests of this checkout.
///
/// # Panics
/// If the binary is not there.
#[must_use]
pub fn assay(folder: &Path) -> Command {
    let mut command = Command::new(assay_binary());
    let cache = assay_binary().parent().expect("a binary lies in a folder").join("assay-test-cache");
    command.current_dir(folder).env("NO_COLOR", "1").env("ASSAY_CACHE_DIR", cache).env_remove("ASSAY_LOG");
    command
}

/// What a finished command printed, for messages of failed assertions.
#[must_use]
pub fn show(output: &Output) -> String {
    format!(
        "exit: {:?}\n--- stdout\n{}\n--- stderr\n{}",
        output.status.code(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
