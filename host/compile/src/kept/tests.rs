//! What is in the key.

use super::{file, fingerprint};
use crate::sdk::sdk_hash;
use crate::toolchain::Toolchain;
use std::collections::BTreeSet;
use std::path::PathBuf;

fn toolchain(version: &str, commit: &str, sysroot: &str) -> Toolchain {
    Toolchain { sysroot: PathBuf::from(sysroot), version: version.to_owned(), commit: commit.to_owned() }
}

#[test]
fn compiler_and_sdk_are_in_the_key_and_their_place_is_not() {
    let ours = toolchain("1.95.0", "59807616e", "/here");
    let other_sdk = blake3::hash(b"another SDK");
    let keys = [
        fingerprint(&ours, &sdk_hash()),
        fingerprint(&ours, &other_sdk),
        fingerprint(&toolchain("1.96.0", "59807616e", "/here"), &sdk_hash()),
        fingerprint(&toolchain("1.95.0", "69807616e", "/here"), &sdk_hash()),
        fingerprint(&toolchain("1.95.05", "9807616e", "/here"), &sdk_hash()),
    ];
    let different: BTreeSet<_> = keys.iter().map(blake3::Hash::to_hex).map(|key| key.to_string()).collect();
    assert_eq!(different.len(), keys.len());
    assert_eq!(keys[0], fingerprint(&toolchain("1.95.0", "59807616e", "/elsewhere"), &sdk_hash()));
}

#[test]
fn text_and_arguments_are_in_the_key() {
    let key = |arguments: &[&str], text: &str| file(arguments.iter().copied(), text);
    let keys = [
        key(&["-o", "a"], "text"),
        key(&["-o", "a"], "text "),
        key(&["-o", "b"], "text"),
        key(&["-oa"], "text"),
        key(&["text", "-o"], "a"),
        super::library(),
    ];
    let different: BTreeSet<_> = keys.iter().map(|key| key.to_hex().to_string()).collect();
    assert_eq!(different.len(), keys.len());
    assert_eq!(keys[0], key(&["-o", "a"], "text"));
}
