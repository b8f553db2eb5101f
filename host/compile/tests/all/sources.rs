//! Paths that are not sources.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use assay_compile::{Source, SourceError};
use assay_files::Links;

use crate::folder;

/// Opens `name` in a folder that `prepare` filled; the description of the error.
fn check(name: &str, prepare: impl Fn(&Path)) -> SourceError {
    let folder = folder(&[]);
    prepare(folder.path());
    let error = Source::open(&folder.path().join(name)).expect_err(name);
    assert!(error.to_string().starts_with("failed to "), "{error}");
    error
}

#[test]
fn bad_files_are_named_for_what_they_are() {
    let write =
        |name: &'static str, bytes: &'static [u8]| move |folder: &Path| fs::write(folder.join(name), bytes).unwrap();
    assert!(matches!(check("none.rs", |_| ()), SourceError::Missing { .. }));
    assert!(matches!(check("s.rs", write("s.rs", b"ab\xff")), SourceError::NotUtf8 { offset: 2, .. }));
    assert!(matches!(check("s.txt", write("s.txt", b"")), SourceError::Extension { .. }));
    assert!(matches!(check("s", write("s", b"")), SourceError::Extension { .. }));
    assert!(matches!(check("", |_| ()), SourceError::NoManifest { .. }));
    assert!(matches!(
        check("s.rs", |folder| symlink("/dev/zero", folder.join("s.rs")).unwrap()),
        SourceError::NotAFile { .. }
    ));
    assert!(matches!(
        check("s.rs", |folder| symlink("s.rs", folder.join("s.rs")).unwrap()),
        SourceError::NotAFile { .. }
    ));

    let python = check("s.py", write("s.py", b""));
    assert!(python.hint().unwrap().contains("Python"));
}

#[test]
fn a_name_that_ends_in_rs_is_a_rust_file() {
    for name in [".rs", "s.rs", "s.wasm.rs"] {
        let folder = folder(&[(name, "")]);
        let source = Source::open(&folder.path().join(name)).unwrap();
        assert_eq!(source.rust_files().map(|file| file.name.as_str()).collect::<Vec<_>>(), [name]);
    }
}

#[test]
fn large_files_are_refused_unread() {
    // A sparse file: reading it would take its whole length in memory.
    for name in ["s.rs", "s.wasm"] {
        let error = check(name, |folder| File::create(folder.join(name)).unwrap().set_len(50 << 30).unwrap());
        assert!(matches!(error, SourceError::TooLarge { bytes, .. } if bytes == 50 << 30), "{error:?}");
    }
}

#[test]
fn wasm_files_that_are_no_component_are_told_apart() {
    let cases: [(&[u8], &str); 9] = [
        (b"", "C001"),
        (b" ", "C002"),
        (b"garbage", "C002"),
        (b" (component)", "C002"),
        (b"\0asm\x01\0\0\0", "C003"),
        (b"\x7fELF\x02\x01\x01", "C004"),
        (b"MZ\x90\0", "C004"),
        (b"\0asm", "C006"),
        (b"\0asm\x09\0\x01\0", "C006"),
    ];
    for (bytes, expected) in cases {
        let error = check("s.wasm", |folder| fs::write(folder.join("s.wasm"), bytes).unwrap());
        assert!(
            matches!(error, SourceError::NotAComponent { code, .. } if code.id() == expected),
            "{bytes:?}: {error:?}"
        );
        assert!(error.hint().is_some());
    }
}

#[test]
fn hostile_crate_folders_are_bounded() {
    let manifest = |folder: &Path| {
        fs::write(folder.join("Cargo.toml"), "").unwrap();
        fs::create_dir(folder.join("src")).unwrap();
    };
    let many = check("", |folder| {
        manifest(folder);
        (0..200).for_each(|number| fs::write(folder.join(format!("src/f{number}.rs")), "").unwrap());
    });
    assert!(matches!(many, SourceError::TooManyFiles { .. }));
    let deep = check("", |folder| {
        manifest(folder);
        fs::create_dir_all(folder.join("src").join("d/".repeat(40))).unwrap();
    });
    assert!(matches!(deep, SourceError::TooDeep { .. }));
    let large = check("", |folder| {
        manifest(folder);
        (0..5).for_each(|number| fs::write(folder.join(format!("src/f{number}.rs")), vec![b' '; 1 << 20]).unwrap());
    });
    assert!(matches!(large, SourceError::TooLarge { .. }));
    let link = check("", |folder| {
        manifest(folder);
        symlink("/etc/passwd", folder.join("src/lib.rs")).unwrap();
    });
    assert!(matches!(link, SourceError::NotAFile { .. }));
    let manifest_link = check("", |folder| symlink("/etc/passwd", folder.join("Cargo.toml")).unwrap());
    assert!(matches!(manifest_link, SourceError::NotAFile { .. }));
    let loop_of_links = check("", |folder| {
        manifest(folder);
        symlink("..", folder.join("src/up")).unwrap();
        fs::remove_file(folder.join("Cargo.toml")).unwrap();
    });
    assert!(matches!(loop_of_links, SourceError::NoManifest { .. }));
}

/// A strategy of somebody else, beside the crate that is opened.
fn alice(folder: &Path) {
    fs::create_dir_all(folder.join("alice/src")).expect("a file is written");
    fs::write(folder.join("alice/src/lib.rs"), "// the secret of alice").expect("a file is written");
    fs::create_dir(folder.join("mallory")).expect("a file is written");
    fs::write(folder.join("mallory/Cargo.toml"), "").expect("a file is written");
}

#[test]
fn no_link_in_a_crate_is_followed() {
    let linked = |name: &'static str, to: &'static str| {
        check("mallory", move |folder| {
            alice(folder);
            let place = folder.join("mallory").join(name);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&place);
            symlink(to, &place).unwrap();
        })
    };
    for (name, to) in [
        ("src", "../alice/src"),
        ("src", "nowhere"),
        ("src", "."),
        ("src/lib.rs", "../../alice/src/lib.rs"),
        ("src/a/b.rs", "../../../alice/src/lib.rs"),
        ("Cargo.toml", "../alice/src/lib.rs"),
        ("Cargo.lock", "../alice/src/lib.rs"),
        ("build.rs", "../alice/src/lib.rs"),
    ] {
        let error = linked(name, to);
        assert!(matches!(error, SourceError::NotAFile { .. }), "{name} -> {to}: {error:?}");
    }
    // A folder that is a link is none, as if it were not there.
    let folder = folder(&[]);
    alice(folder.path());
    fs::create_dir(folder.path().join("mallory/src")).unwrap();
    symlink("../../alice/src", folder.path().join("mallory/src/inner")).unwrap();
    let source = Source::open(&folder.path().join("mallory")).unwrap();
    assert_eq!(source.rust_files().count(), 0);
    // The crate itself: followed for whoever names it, and not where somebody else may have put it.
    symlink("mallory", folder.path().join("link")).unwrap();
    Source::open(&folder.path().join("link")).unwrap();
    let refused = Source::open_as(&folder.path().join("link"), Links::Refused).unwrap_err();
    assert!(matches!(refused, SourceError::NotAFile { .. }));
}

#[test]
fn nobody_is_waited_for() {
    let started = Instant::now();
    for name in ["s.rs", "s.wasm", "s/Cargo.toml", "s/build.rs", "s/src/lib.rs", "s/src"] {
        let error = check(name.split('/').next().unwrap(), |folder| {
            let place = folder.join(name);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            if name.starts_with("s/") && name != "s/Cargo.toml" {
                fs::write(folder.join("s/Cargo.toml"), "").unwrap();
            }
            let made = Command::new("mkfifo").arg(&place).status().unwrap();
            assert!(made.success());
            if name == "s/src" {
                // No folder, and so no source: the crate has none.
                fs::remove_file(folder.join("s/Cargo.toml")).unwrap();
            }
        });
        assert!(matches!(error, SourceError::NotAFile { .. } | SourceError::NoManifest { .. }), "{name}: {error:?}");
    }
    assert!(started.elapsed() < Duration::from_secs(20));
}
