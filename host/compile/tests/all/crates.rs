//! Crates.

use std::fs;

use assay_compile::{BuildError, Source, build};

use crate::{INERT, build_crate, folder, nosy, places, settings};

const MANIFEST: &str =
    "[package]\nname = \"mine\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nassay-sdk = \"0.1\"\n";

/// A library of two files.
fn library() -> String {
    format!("mod helper;\n{INERT}\n#[used]\nstatic KEPT: fn(usize) -> u8 = helper::pick;\n")
}

const HELPER: &str = "pub fn pick(at: usize) -> u8 {\n    [1, 2, 3][at]\n}\n";

#[test]
fn a_crate_of_several_files_builds_the_same_bytes_anywhere() {
    let library = library();
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", &library), ("src/helper.rs", HELPER)];
    let first = build_crate(&files).unwrap();
    assert_eq!(first.component[..8], *b"\0asm\x0d\0\x01\0");
    assert_eq!(first.source.unwrap().text, library);
    assert!(build_crate(&files).unwrap().component == first.component);
    let holds = |words: &str| first.component.windows(words.len()).any(|window| window == words.as_bytes());
    assert!(holds("src/helper.rs"), "panics name the crate's own file");
    for place in places() {
        assert!(!holds(&place), "{place} entered the component");
    }
}

#[test]
fn what_the_compiler_tells_a_crate_is_the_same_every_time() {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", &nosy())];
    let first = build_crate(&files).unwrap();
    let same = build_crate(&files).unwrap().component == first.component;
    // Cargo tells sources where the crate lies; only a private root can give that a fixed name.
    let told = first.component.windows(17).any(|window| window == b"/assay-work/crate");
    let private_root = first.made_by.unwrap().protections.private_root;
    assert_eq!((same, told), (private_root, private_root));
    let flags = b"--remap-path-prefix";
    assert!(
        !first.component.windows(flags.len()).any(|window| window == flags),
        "the compiler's flags name its folder"
    );
}

#[test]
fn configuration_and_other_files_of_the_folder_take_no_part() {
    let library = library();
    let marker = tempfile::tempdir().unwrap();
    let touched = marker.path().join("touched");
    let evil = format!("[build]\nrustc = \"{0}\"\nrustc-wrapper = \"{0}\"\n", marker.path().join("evil").display());
    fs::write(marker.path().join("evil"), format!("#!/bin/sh\ntouch {}\n", touched.display())).unwrap();
    let folder = folder(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", &library),
        ("src/helper.rs", HELPER),
        (".cargo/config.toml", &evil),
        ("rust-toolchain.toml", "[toolchain]\npath = \"/nowhere\"\n"),
        ("target/left-over", ""),
    ]);
    assert!(build(&Source::open(folder.path()).unwrap(), &settings()).is_ok());
    assert!(!touched.exists());
    assert!(!folder.path().join("Cargo.lock").exists(), "nothing is written to the user's folder");
}

#[test]
fn compile_errors_name_the_crates_files() {
    let error = build_crate(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", "mod inner;"),
        ("src/inner.rs", "\n  fn f() -> u8 { 1.5 }\n"),
    ])
    .unwrap_err();
    let BuildError::Compile(messages) = &error else { panic!("{error:?}") };
    let place = messages[0].place.as_ref().unwrap();
    assert_eq!((place.file.as_str(), place.line, place.column), ("src/inner.rs", 2, 18));
    assert!(messages[0].rendered.contains("--> src/inner.rs:2:18"), "{}", messages[0].rendered);
}

/// Builds a crate with this manifest and an extra file; the codes of the findings that refused it.
fn refused(manifest: &str, extra: (&str, &str)) -> Vec<String> {
    match build_crate(&[("Cargo.toml", manifest), ("src/lib.rs", INERT), extra]) {
        Err(BuildError::Dependencies(findings)) => findings.iter().map(|finding| finding.message.clone()).collect(),
        other => panic!("{manifest}: {other:?}"),
    }
}

#[test]
fn what_could_run_code_or_reach_outside_is_refused_before_cargo_starts() {
    let marker = tempfile::tempdir().unwrap();
    let touched = marker.path().join("touched");
    let script = format!("fn main() {{ std::fs::write({:?}, \"\").unwrap(); }}\n", touched.display().to_string());
    let nothing = ("src/other.rs", "");
    let with = |more: &str| format!("{MANIFEST}{more}");
    let cases = [
        (MANIFEST.to_owned(), ("build.rs", script.as_str())),
        (
            with("\n[package.metadata]\n").replace("edition", "build = \"src/other.rs\"\nedition"),
            ("src/other.rs", script.as_str()),
        ),
        (with("\n[lib]\nproc-macro = true\n"), nothing),
        (with("near = { path = \"/tmp\" }\n"), nothing),
        (with("far = { git = \"https://example.com/far.git\" }\n"), nothing),
        (with("serde = \"1\"\n"), nothing),
        (with("\n[patch.crates-io]\nassay-sdk = { path = \"/tmp\" }\n"), nothing),
        (with("\n[workspace]\nmembers = [\"/tmp\"]\n"), nothing),
        (with("\n[target.'cfg(all())'.dependencies]\nlibc = \"0.2\"\n"), nothing),
        (with("\n[lib]\npath = \"/etc/passwd\"\n"), nothing),
        // The report would show another source than the one that runs.
        (with("\n[lib]\npath = \"src/other.rs\"\n"), ("src/other.rs", INERT)),
        ("not toml".to_owned(), nothing),
        (String::new(), nothing),
    ];
    for (manifest, extra) in &cases {
        assert!(!refused(manifest, *extra).is_empty(), "{manifest}");
    }
    assert!(!touched.exists());
}

#[test]
fn an_allowed_crate_comes_from_the_local_registry() {
    // One that this workspace depends on itself, so it has been downloaded.
    let manifest = format!("{MANIFEST}arrayvec = \"0.7\"\n");
    let library = format!(
        "{INERT}\n#[used]\nstatic KEPT: fn(u32) -> usize = probe;\nfn probe(x: u32) -> usize {{ arrayvec::ArrayVec::from([x, 2]).len() }}\n"
    );
    let built = build_crate(&[("Cargo.toml", &manifest), ("src/lib.rs", &library)]).unwrap();
    assert!(!built.component.windows(9).any(|window| window == b"/registry"));
    let again = build_crate(&[("Cargo.toml", &manifest), ("src/lib.rs", &library)]).unwrap();
    assert!(built.component == again.component);
}

#[test]
fn a_path_to_some_sdk_means_the_embedded_one() {
    let manifest = MANIFEST.replace("\"0.1\"", "{ path = \"../../somewhere/else\", package = \"assay-sdk\" }");
    assert!(build_crate(&[("Cargo.toml", &manifest), ("src/lib.rs", INERT)]).is_ok());
    let renamed =
        MANIFEST.replace("assay-sdk = \"0.1\"", "sdk = { package = \"assay-sdk\", version = \"0.1\" }\n\n[workspace]");
    let text = INERT.replace("assay_sdk", "sdk");
    assert!(build_crate(&[("Cargo.toml", &renamed), ("src/lib.rs", &text)]).is_ok());
}
