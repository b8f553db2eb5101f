//! The event log of a seed has one hash: in debug and release, on one thread or eight, with and without keeping the bytes.
//!
//! The market is pure, so its example program is built in both profiles and compared; that needs no sandbox and takes seconds.

use assay_tests::root;
use std::process::Command;

/// What `event_hash` prints for rmsc04.
fn hashes(profile: &[&str], arguments: &[&str]) -> String {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(root())
        .args(["run", "--quiet", "--locked", "-p", "assay-market", "--example", "event_hash"])
        .args(profile)
        .arg("--")
        .args(arguments)
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("hashes are text")
}

#[test]
fn one_seed_has_one_hash() {
    let reference = hashes(&[], &["rmsc04", "1", "2", "3", "--threads", "1"]);
    assert_eq!(reference.lines().count(), 3, "a line a seed:\n{reference}");
    for profile in [&[][..], &["--release"]] {
        for arguments in [&["--threads", "1"][..], &["--threads", "8"], &["--threads", "8", "--keep-bytes"]] {
            let got = hashes(profile, &[&["rmsc04", "1", "2", "3"], arguments].concat());
            assert_eq!(got, reference, "{profile:?} {arguments:?}");
        }
    }
}
