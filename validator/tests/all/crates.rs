//! Crates: the source pass over folders and the dependency pass over manifests.

use crate::support::{expectation, expected, ids, root};
use assay_validator::{Findings, check_crate_files, check_crate_sources, check_dependencies};
use std::path::Path;

const HONEST_SOURCE: &str =
    "mod signal;\nuse assay_sdk::*;\npub struct A;\nimpl Strategy for A {}\nassay_sdk::export!(A);\n";

fn check_crate(folder: &Path) -> Findings {
    let mut findings = check_crate_sources(folder);
    findings.extend(check_dependencies(&folder.join("Cargo.toml")));
    findings
}

#[test]
fn hostile_crates_are_found_out_exactly() {
    let folder = root().join("tests/hostile/crates");
    let mut crates: Vec<_> =
        std::fs::read_dir(folder).expect("the corpus is there").flatten().map(|entry| entry.path()).collect();
    crates.sort();
    assert!(crates.len() >= 10, "only {} crates", crates.len());
    let mut failures = Vec::new();
    for path in crates {
        let wanted = expectation(&std::fs::read(path.join("expect")).expect("every crate says what is expected"));
        let found = check_crate(&path);
        if ids(&found) != wanted {
            failures.push(format!("{}: wanted {wanted:?}, found\n{found}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A crate in a temporary folder: an honest one, with the given files over it.
fn temporary(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("there is room for a temporary folder");
    let honest = [
        ("Cargo.toml", "[package]\nname = \"guest\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n"),
        ("src/lib.rs", HONEST_SOURCE),
        ("src/signal.rs", "//! Nothing yet.\n"),
    ];
    for (name, text) in honest.iter().chain(files) {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("every file lies in the folder")).expect("folders can be made");
        std::fs::write(path, text).expect("files can be written");
    }
    folder
}

fn check_files(name: &str, files: &[(&str, &str)], codes: &str) {
    let folder = temporary(files);
    let found = check_crate(folder.path());
    assert_eq!(ids(&found), expected(codes), "{name}:\n{found}");
}

fn manifest(rest: &str) -> String {
    format!("[package]\nname = \"guest\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{rest}\n[workspace]\n")
}

#[test]
fn an_honest_crate_raises_no_alarm() {
    check_files("plain", &[], "");
    let full = manifest(
        "build = false\ndescription = \"d\"\n[lib]\ncrate-type = [\"cdylib\", \"rlib\"]\npath = \"src/lib.rs\"\n\
         [dependencies]\narrayvec = \"0.7\"\nshort = { package = \"smallvec\", version = \"1.13\", features = [\"union\"] }\n\
         itertools = { version = \"0.14\", default-features = false }\n[features]\ndefault = []\n[lints.rust]\nunsafe_code = \"forbid\"\n",
    );
    check_files("with dependencies", &[("Cargo.toml", &full)], "");
}

#[test]
fn every_requirement_that_leaves_the_reviewed_range_is_refused() {
    for (requirement, allowed) in [
        ("0.7", true),
        ("0.7.4", true),
        ("^0.7.6", true),
        ("~0.7.6", true),
        ("=0.7.6", true),
        ("=0.7.2", false),
        ("0.6", false),
        ("0", false),
        ("1", false),
        ("*", false),
        (">=0.7", false),
        ("<99", false),
        ("0.7.4-alpha", false),
        ("not a version", false),
    ] {
        let text = manifest(&format!("[dependencies]\narrayvec = \"{requirement}\"\n"));
        let folder = temporary(&[("Cargo.toml", &text)]);
        let found = ids(&check_dependencies(&folder.path().join("Cargo.toml")));
        assert_eq!(found.contains("D006"), !allowed, "{requirement}: {found:?}");
    }
}

#[test]
fn manifests_that_cannot_be_read() {
    check_files("not TOML", &[("Cargo.toml", "[package\nname=")], "D001");
    check_files("empty", &[("Cargo.toml", "")], "D001");
    check_files("nested", &[("Cargo.toml", &format!("a = {}", "[".repeat(30_000)))], "D001");
    check_files("huge", &[("Cargo.toml", &"# filler\n".repeat(20_000))], "D001");
    let folder = tempfile::tempdir().expect("there is room for a temporary folder");
    assert_eq!(ids(&check_crate(folder.path())), expected("D001 S028"));
}

#[test]
fn nothing_of_a_refused_crate_is_run() {
    // A wrapper that would leave a trace, in a configuration that cargo would read if it were started here.
    let folder = temporary(&[]);
    let trace = folder.path().join("trace");
    let script = folder.path().join("wrapper.sh");
    std::fs::write(&script, format!("#!/bin/sh\ntouch {}\nexec \"$@\"\n", trace.display()))
        .expect("the script can be written");
    let configuration = format!("[build]\nrustc = \"{0}\"\nrustc-wrapper = \"{0}\"\n", script.display());
    std::fs::create_dir(folder.path().join(".cargo")).expect("folders can be made");
    std::fs::write(folder.path().join(".cargo/config.toml"), configuration).expect("files can be written");
    assert_eq!(ids(&check_crate(folder.path())), expected("D010"));
    assert!(!trace.exists(), "the guest's wrapper was run");
}

#[test]
fn lock_files_are_held_to_the_list() {
    let package = |name: &str, version: &str, source: &str| {
        format!(
            "version = 4\n[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"{source}\"\nchecksum = \"{}\"\n",
            "0a".repeat(32)
        )
    };
    let crates_io = "registry+https://github.com/rust-lang/crates.io-index";
    for (lock, codes) in [
        (package("openssl-sys", "0.9.1", crates_io), "D002"),
        (package("arrayvec", "0.6.0", crates_io), "D006"),
        (package("arrayvec", "0.7.6", "git+https://example.com/a#1"), "D004"),
        (package("arrayvec", "0.7.6", "registry+https://example.com/index"), "D005"),
        (package("assay-sdk", "0.1.0", crates_io), "D002"),
        ("not a lock file".to_owned(), "D001"),
        // Allowed, but no dependency of the crate: cargo says that the lock file is not the crate's.
        (package("arrayvec", "0.7.6", crates_io), "D015"),
    ] {
        check_files(&lock, &[("Cargo.lock", &lock)], codes);
    }
}

/// In older editions the same characters make other tokens, so what the checks read would not be what is compiled.
#[test]
fn the_edition_is_one_that_the_checks_read() {
    let with = |rest: &str| format!("[package]\nname = \"guest\"\nversion = \"0.1.0\"\n{rest}\n[workspace]\n");
    for (rest, codes) in [
        ("edition = \"2021\"", ""),
        ("edition = \"2024\"", ""),
        ("edition = \"2018\"", "D016"),
        ("edition = \"2015\"", "D016"),
        // None means 2015 to cargo.
        ("", "D016"),
        ("edition = 2018", "D016"),
        ("edition = \"2021 \"", "D016"),
        ("edition = \"2027\"", "D016"),
        ("edition = [\"2024\"]", "D016"),
        ("edition = \"2024\"\n[lib]\nedition = \"2018\"", "D016"),
        ("edition = \"2018\"\n[lib]\nedition = \"2024\"", "D016"),
        // Other targets have editions of their own; there are none.
        ("edition = \"2024\"\n[[bin]]\nname = \"b\"\npath = \"src/lib.rs\"\nedition = \"2018\"", "D013"),
        ("edition = \"2024\"\n[[example]]\nname = \"e\"\npath = \"src/lib.rs\"\nedition = \"2018\"", "D013"),
    ] {
        check_files(rest, &[("Cargo.toml", &with(rest))], codes);
    }
}

#[test]
fn a_sdk_by_path_must_lie_outside_the_crate() {
    let inside = manifest("[dependencies]\nassay-sdk = { path = \"sdk\" }\n");
    let sdk = "[package]\nname = \"assay-sdk\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    check_files("inside", &[("Cargo.toml", &inside), ("sdk/Cargo.toml", sdk), ("sdk/src/lib.rs", "")], "D003");
    let outside = manifest(&format!("[dependencies]\nassay-sdk = {{ path = {:?} }}\n", root().join("guest-sdk/rust")));
    check_files("outside", &[("Cargo.toml", &outside)], "");
}

#[test]
fn sources_of_a_crate_are_read_with_limits() {
    let large = format!("// {}\n", "x".repeat(1 << 20));
    check_files("a file above the limit", &[("src/signal.rs", &large)], "S023");
    let files: Vec<(String, String)> = (0..101).map(|n| (format!("src/m{n}.rs"), String::new())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    check_files("too many files", &files, "S029");
    let deep = format!("src/{}x.rs", "d/".repeat(20));
    check_files("folders too deep", &[(&deep, "")], "S029");
    check_files(
        "findings of any file",
        &[("src/signal.rs", "pub fn a() { unsafe {} }\n#[path = \"/etc/passwd\"]\nmod x;\n")],
        "S001 S008",
    );
    check_files(
        "macros and names reach over files",
        &[("src/signal.rs", "use std::io as voice;\n"), ("src/b.rs", "use crate::signal::voice::stdin;\n")],
        "S011",
    );
    check_files("no entry points", &[("src/lib.rs", "mod signal;\n")], "S019 S020");
    check_files("two exports in two files", &[("src/signal.rs", "assay_sdk::export!(B);\n")], "S021");
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let folder = temporary(&[]);
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("src/passwd.rs")).expect("links can be made");
    std::os::unix::fs::symlink("/", folder.path().join("src/root")).expect("links can be made");
    assert_eq!(ids(&check_crate(folder.path())), expected("S028"));
    std::fs::remove_file(folder.path().join("Cargo.toml")).expect("the manifest can be removed");
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("Cargo.toml")).expect("links can be made");
    assert_eq!(ids(&check_crate(folder.path())), expected("D001 S028"));
}

#[test]
fn files_in_memory_are_checked_like_files_on_disk() {
    let many: Vec<(String, String)> = (0..101).map(|n| (format!("src/m{n}.rs"), String::new())).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[("src/lib.rs", HONEST_SOURCE), ("src/signal.rs", ""), ("Cargo.toml", "unsafe {}")], ""),
        (&[("src/lib.rs", HONEST_SOURCE), ("src/.rs", "fn a() { unsafe {} }")], "S001"),
        (&[("src/lib.rs", HONEST_SOURCE), ("src/b.rs", "use std::fs;")], "S011"),
        (&[("Cargo.toml", "")], "S028"),
        (&[], "S028"),
        (&many, "S029"),
    ];
    for (files, codes) in cases {
        let found = check_crate_files(files.iter().copied());
        assert_eq!(ids(&found), expected(codes), "{found}");
    }
}
