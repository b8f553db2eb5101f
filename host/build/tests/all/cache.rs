//! The folder that builds keep: damage is mended or named, left-overs go.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use assay_build::{BuildError, BuildSettings};
use tempfile::TempDir;

use crate::{INERT, build_file, settings};

/// Settings with a cache of their own.
fn own_cache() -> (TempDir, BuildSettings) {
    let cache = tempfile::tempdir().expect("a temporary folder");
    let settings = BuildSettings { cache: cache.path().to_path_buf(), ..settings() };
    (cache, settings)
}

/// The compiled SDK and the file with its checksum.
fn kept(cache: &Path) -> (PathBuf, PathBuf) {
    let mut folders = fs::read_dir(cache.join("sdk")).expect("a build keeps the SDK");
    let folder = folders.next().expect("there is one").expect("it can be listed").path();
    (folder.join("libassay_sdk.rlib"), folder.join("libassay_sdk.blake3"))
}

#[test]
fn a_damaged_sdk_is_compiled_anew() {
    let (cache, settings) = own_cache();
    let component = build_file("inert.rs", INERT, &settings).unwrap().component;
    let (library, checksum) = kept(cache.path());
    let intact = fs::read(&library).unwrap();
    let truncate = |path: &Path, bytes| File::options().write(true).open(path).unwrap().set_len(bytes).unwrap();
    let damages: [(&str, &dyn Fn()); 7] = [
        ("cut library", &|| truncate(&library, 1000)),
        ("longer library", &|| truncate(&library, intact.len() as u64 + 1)),
        ("huge library", &|| truncate(&library, 50 << 30)),
        ("no library", &|| fs::remove_file(&library).unwrap()),
        ("link for a library", &|| {
            fs::remove_file(&library).unwrap();
            symlink("/dev/zero", &library).unwrap();
        }),
        ("cut checksum", &|| truncate(&checksum, 10)),
        ("no checksum", &|| fs::remove_file(&checksum).unwrap()),
    ];
    for (name, damage) in damages {
        damage();
        assert!(build_file("inert.rs", INERT, &settings).unwrap().component == component, "{name}");
        assert!(fs::read(&library).unwrap() == intact, "{name}");
    }
}

#[test]
fn an_unusable_sdk_is_no_fault_of_the_source() {
    let (cache, settings) = own_cache();
    build_file("inert.rs", INERT, &settings).unwrap();
    let (library, checksum) = kept(cache.path());
    let cut = fs::read(&library).unwrap()[..1000].to_vec();
    fs::write(&checksum, blake3::hash(&cut).to_hex().as_str()).unwrap();
    fs::write(&library, cut).unwrap();
    let error = build_file("inert.rs", INERT, &settings).unwrap_err();
    assert!(matches!(error, BuildError::Sdk { .. }) && !error.is_fault_of_source(), "{error:?}");
}

#[test]
fn left_overs_of_killed_builds_go_after_a_day() {
    let (cache, settings) = own_cache();
    let scratch = cache.path().join("scratch");
    let make = |name: &str, age_hours: u64| {
        let folder = scratch.join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("strategy.rs"), INERT).unwrap();
        let modified = SystemTime::now() - Duration::from_secs(age_hours * 60 * 60);
        File::open(&folder).unwrap().set_modified(modified).unwrap();
    };
    make("build-old", 25);
    make("build-running", 23);
    build_file("inert.rs", INERT, &settings).unwrap();
    let left: Vec<_> = fs::read_dir(&scratch).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["build-running"]);
}
