//! The event log of a seed has one hash: in debug and release, on one thread or eight, with and without keeping the bytes.
//!
//! The market is pure, so its example program is built in both profiles and compared; that needs no sandbox and takes seconds.

use assay_tests::root;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The example program in this profile. It is built with the features of the whole workspace, so what the tests have compiled already is not compiled again.
fn build(profile: &str) -> PathBuf {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(root())
        .args(["build", "--quiet", "--locked", "--workspace", "--example", "event_hash", "--profile", profile])
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // This program is `target/debug/deps/determinism-…`.
    let this = std::env::current_exe().expect("it has a path");
    let target = this.ancestors().nth(3).expect("cargo built it");
    target.join(if profile == "dev" { "debug" } else { profile }).join("examples/event_hash")
}

/// What it prints for rmsc04.
fn hashes(program: &Path, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("hashes are text")
}

#[test]
fn one_seed_has_one_hash() {
    let programs = ["dev", "release"].map(build);
    let reference = hashes(&programs[0], &["rmsc04", "1", "2", "3", "--threads", "1"]);
    assert_eq!(reference.lines().count(), 3, "a line a seed:\n{reference}");
    for program in &programs {
        for arguments in [&["--threads", "1"][..], &["--threads", "8"], &["--threads", "8", "--keep-bytes"]] {
            let got = hashes(program, &[&["rmsc04", "1", "2", "3"], arguments].concat());
            assert_eq!(got, reference, "{} {arguments:?}", program.display());
        }
    }
}
