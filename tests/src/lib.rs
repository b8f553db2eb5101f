//! Helpers for tests that go through the `assay` binary, as a user does.
//!
//! The binary is built once per test process with the cargo and the profile that run the tests, so `cargo test` alone is enough.

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

/// The `assay` binary, built if it is not up to date.
///
/// # Panics
/// If it does not build: then no test of it means anything.
#[must_use]
pub fn assay_binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root()).args(["build", "--locked", "-p", "assay-cli", "--message-format=json"]);
        if !cfg!(debug_assertions) {
            cargo.arg("--release");
        }
        let output = cargo.output().expect("cargo starts");
        assert!(output.status.success(), "assay builds:\n{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout)
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .filter(|message| message["target"]["name"] == "assay")
            .find_map(|message| message["executable"].as_str().map(PathBuf::from))
            .expect("cargo names the executable it built")
    })
}

/// A command that runs `assay` in `folder`, with colours off and a cache shared by all tests of this checkout.
///
/// # Panics
/// If the binary does not build.
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
