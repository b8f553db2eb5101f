//! The folder that builds keep: what is in it is believed only if it is authentic, damage is mended or named, left-overs go.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use assay_compile::{BuildError, BuildSettings, Built, Distrust, KEPT_BYTES_MAX, Origin, Toolchain};
use tempfile::TempDir;

use crate::{INERT, build_file, folder, settings};

/// Bytes of an entry before what its authentication code covers, and before its payload.
const SIGNED_FROM: usize = 40;
const PAYLOAD_FROM: usize = 104;

/// Settings with a cache of their own that keeps modules.
fn own_cache() -> (TempDir, BuildSettings) {
    let cache = tempfile::tempdir().expect("a temporary folder");
    let settings = BuildSettings { cache: cache.path().to_path_buf(), kept_bytes_max: KEPT_BYTES_MAX, ..settings() };
    (cache, settings)
}

/// The same without modules: what is kept is the SDK.
fn own_cache_for_sdk() -> (TempDir, BuildSettings) {
    let (cache, settings) = own_cache();
    (cache, BuildSettings { kept_bytes_max: 0, ..settings })
}

/// All entries of a cache.
fn entries(cache: &Path) -> BTreeSet<PathBuf> {
    let Ok(files) = fs::read_dir(cache.join("kept")) else { return BTreeSet::new() };
    let paths = files.map(|entry| entry.expect("it can be listed").path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "kept")).collect()
}

/// Builds, and says which entry that has made.
fn entry_of(name: &str, text: &str, settings: &BuildSettings) -> PathBuf {
    let before = entries(&settings.cache);
    build_file(name, text, settings).expect("it builds");
    let after = entries(&settings.cache);
    let mut new = after.difference(&before);
    let entry = new.next().expect("the module is kept");
    assert!(new.next().is_none(), "one entry a file");
    entry.clone()
}

fn origin(built: &Built) -> Origin {
    assert!(built.cache_warning.is_none(), "{:?}", built.cache_warning);
    built.origin.expect("it was compiled at some time")
}

/// A strategy that the compiler warns about.
fn with_warning() -> String {
    format!("{INERT}\nfn unused() {{}}\n")
}

/// Signs an entry anew after a change to what is signed.
fn sign(bytes: &mut [u8], key: &[u8; 32]) {
    let code = blake3::keyed_hash(key, &bytes[SIGNED_FROM..]);
    bytes[8..SIGNED_FROM].copy_from_slice(code.as_bytes());
}

fn key_of(cache: &Path) -> [u8; 32] {
    fs::read(cache.join("kept/key")).expect("the key reads").try_into().expect("it has 32 bytes")
}

fn edit(path: &Path, change: impl Fn(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).expect("the entry reads");
    change(&mut bytes);
    fs::write(path, bytes).expect("the entry writes");
}

fn replace_by_pipe(path: &Path) {
    fs::remove_file(path).expect("removes");
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
}

#[test]
fn what_is_kept_is_what_was_compiled() {
    let (_cache, settings) = own_cache();
    for text in [INERT.to_owned(), with_warning()] {
        let first = build_file("mine.rs", &text, &settings).unwrap();
        let second = build_file("mine.rs", &text, &settings).unwrap();
        assert_eq!((origin(&first), origin(&second)), (Origin::Compiled, Origin::Cached));
        assert!(first.component == second.component);
        assert_eq!(first.warnings, second.warnings);
        assert_eq!(first.made_by, second.made_by);
        assert_eq!(first.source, second.source);
        let [first, second] = [first.timings, second.timings];
        assert!(first.compile > Duration::ZERO && first.sdk > Duration::ZERO);
        assert_eq!((second.compile, second.sdk), (Duration::ZERO, Duration::ZERO));
        // And the compiler would say the same again.
        let fresh = build_file("mine.rs", &text, &crate::settings()).unwrap();
        let kept = build_file("mine.rs", &text, &settings).unwrap();
        assert_eq!((origin(&fresh), origin(&kept)), (Origin::Compiled, Origin::Cached));
        assert!(fresh.component == kept.component && fresh.warnings == kept.warnings);
    }
}

#[test]
fn another_source_is_compiled() {
    let (cache, settings) = own_cache();
    let text = with_warning();
    build_file("mine.rs", &text, &settings).unwrap();
    let cases = [
        ("a line more", "mine.rs", format!("{text}\n")),
        ("another name, which warnings tell", "yours.rs", text.clone()),
    ];
    for (case, name, text) in cases {
        let built = build_file(name, &text, &settings).unwrap();
        assert_eq!(origin(&built), Origin::Compiled, "{case}");
        let place = built.warnings[0].place.as_ref().expect("the warning has a place");
        assert_eq!(place.file, name, "{case}");
        assert_eq!(origin(&build_file(name, &text, &settings).unwrap()), Origin::Cached, "{case}");
    }
    assert_eq!(origin(&build_file("mine.rs", &text, &settings).unwrap()), Origin::Cached);
    // Limits guard the machine; what was compiled within others is the same module.
    let limits = assay_compile::BuildLimits { memory_bytes: 1 << 30, ..settings.limits };
    let built = build_file("mine.rs", &text, &BuildSettings { limits, ..settings }).unwrap();
    assert_eq!((origin(&built), entries(cache.path()).len()), (Origin::Cached, 4));
}

#[test]
fn another_compiler_compiles_anew() {
    let (_cache, settings) = own_cache();
    build_file("mine.rs", INERT, &settings).unwrap();
    let found = Toolchain::find().unwrap();
    let version = format!("{} (patched)", found.version);
    let other = BuildSettings { toolchain: Some(Toolchain { version: version.clone(), ..found }), ..settings };
    let built = build_file("mine.rs", INERT, &other).unwrap();
    assert_eq!(origin(&built), Origin::Recompiled { why: Distrust::Stale });
    assert_eq!(built.made_by.unwrap().rustc_version, version);
    assert_eq!(origin(&build_file("mine.rs", INERT, &other).unwrap()), Origin::Cached);
}

#[test]
fn neither_errors_nor_crates_are_kept() {
    let (cache, settings) = own_cache();
    build_file("mine.rs", INERT, &settings).unwrap();
    let before = entries(cache.path());
    assert!(matches!(build_file("mine.rs", "fn broken(", &settings), Err(BuildError::Compile(_))));
    assert_eq!(entries(cache.path()), before);
    let manifest =
        "[package]\nname = \"mine\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nassay-sdk = \"0.1\"\n";
    let files = folder(&[("Cargo.toml", manifest), ("src/lib.rs", INERT)]);
    for _ in 0..2 {
        let source = assay_compile::Source::open(files.path()).unwrap();
        assert_eq!(origin(&assay_compile::build(&source, &settings).unwrap()), Origin::Compiled);
    }
    assert_eq!(entries(cache.path()), before);
}

/// What is changed about an entry, whether it is signed anew with the folder's key, and why it is not believed then.
type Edit = (&'static str, fn(&mut Vec<u8>), bool, Distrust);

const EDITS: [Edit; 12] = [
    ("a changed code", |bytes| bytes[8] ^= 1, false, Distrust::Tampered),
    ("a changed length", |bytes| bytes[PAYLOAD_FROM] ^= 1, false, Distrust::Tampered),
    ("a changed module", |bytes| *bytes.last_mut().expect("bytes") ^= 1, false, Distrust::Tampered),
    ("a longer module", |bytes| bytes.push(0), false, Distrust::Tampered),
    ("a shorter module", |bytes| bytes.truncate(bytes.len() - 1), false, Distrust::Tampered),
    ("a cut entry", |bytes| bytes.truncate(100), false, Distrust::Truncated),
    ("another format", |bytes| bytes[7] ^= 1, false, Distrust::Format),
    ("another key", |bytes| sign(bytes, &[7; 32]), false, Distrust::Tampered),
    ("another SDK", |bytes| bytes[SIGNED_FROM] ^= 1, true, Distrust::Stale),
    ("facts longer than all", |bytes| bytes[PAYLOAD_FROM + 3] = 0xff, true, Distrust::Unreadable),
    ("facts that are none", |bytes| bytes[PAYLOAD_FROM + 4] = b'?', true, Distrust::Unreadable),
    ("less than a length", |bytes| bytes.truncate(PAYLOAD_FROM + 3), true, Distrust::Unreadable),
];

#[test]
fn a_module_that_cannot_be_trusted_is_compiled_anew() {
    let (cache, settings) = own_cache();
    // Compiles the SDK, so that what comes next makes one entry.
    build_file("first.rs", INERT, &settings).unwrap();
    let foreign = entry_of("foreign.rs", &with_warning(), &settings);
    let entry = entry_of("mine.rs", INERT, &settings);
    let intact = build_file("mine.rs", INERT, &settings).unwrap().component;
    let check = |what: &str, spoil: &dyn Fn(), why: Distrust| {
        spoil();
        let built = build_file("mine.rs", INERT, &settings).unwrap();
        assert_eq!(origin(&built), Origin::Recompiled { why }, "{what}");
        assert!(built.component == intact && built.warnings.is_empty(), "{what}");
        assert_eq!(origin(&build_file("mine.rs", INERT, &settings).unwrap()), Origin::Cached, "{what}");
    };
    for (what, change, is_signed, why) in EDITS {
        let spoil = || {
            edit(&entry, |bytes| {
                change(bytes);
                if is_signed {
                    sign(bytes, &key_of(cache.path()));
                }
            });
        };
        check(what, &spoil, why);
    }
    check("another file's", &|| assert!(fs::copy(&foreign, &entry).unwrap() > 0), Distrust::Foreign);
    check("a pipe", &|| replace_by_pipe(&entry), Distrust::Format);
    let link = || {
        let elsewhere = entry.with_extension("elsewhere");
        fs::rename(&entry, &elsewhere).unwrap();
        symlink(elsewhere, &entry).unwrap();
    };
    check("a link to itself elsewhere", &link, Distrust::Format);
}

#[test]
fn the_sdk_that_cannot_be_trusted_is_compiled_anew() {
    let (cache, settings) = own_cache_for_sdk();
    let component = build_file("inert.rs", INERT, &settings).unwrap().component;
    let library = entries(cache.path()).pop_first().expect("the SDK is kept");
    let truncate = |bytes| File::options().write(true).open(&library).unwrap().set_len(bytes).unwrap();
    let damages: [(&str, Distrust, &dyn Fn()); 5] = [
        ("cut", Distrust::Tampered, &|| truncate(1000)),
        ("huge", Distrust::Format, &|| truncate(50 << 30)),
        ("changed", Distrust::Tampered, &|| edit(&library, |bytes| bytes[PAYLOAD_FROM + 1000] ^= 1)),
        ("forged", Distrust::Tampered, &|| edit(&library, |bytes| sign(bytes, &[7; 32]))),
        ("a link", Distrust::Format, &|| {
            fs::remove_file(&library).unwrap();
            symlink("/dev/zero", &library).unwrap();
        }),
    ];
    for (name, why, damage) in damages {
        damage();
        let built = build_file("inert.rs", INERT, &settings).unwrap();
        assert_eq!(origin(&built), Origin::Recompiled { why }, "{name}");
        assert!(built.component == component, "{name}");
        assert_eq!(origin(&build_file("inert.rs", INERT, &settings).unwrap()), Origin::Compiled, "{name}");
    }
}

#[test]
fn an_unusable_sdk_is_no_fault_of_the_source() {
    let (cache, settings) = own_cache_for_sdk();
    build_file("inert.rs", INERT, &settings).unwrap();
    let library = entries(cache.path()).pop_first().expect("the SDK is kept");
    edit(&library, |bytes| {
        bytes.truncate(1000);
        sign(bytes, &key_of(cache.path()));
    });
    let error = build_file("inert.rs", INERT, &settings).unwrap_err();
    assert!(matches!(error, BuildError::Sdk { .. }) && !error.is_fault_of_source(), "{error:?}");
}

#[test]
fn a_cache_that_cannot_be_used_is_a_warning() {
    let (cache, settings) = own_cache();
    // A file where the folder should be: fails for every user, root included.
    fs::write(cache.path().join("kept"), "").unwrap();
    let (expected, name) = (build_file("inert.rs", INERT, &crate::settings()).unwrap(), "inert.rs");
    for _ in 0..2 {
        let built = build_file(name, INERT, &settings).unwrap();
        assert_eq!(built.origin, Some(Origin::Compiled));
        assert!(built.component == expected.component);
        let warning = built.cache_warning.expect("a warning").to_string();
        assert!(warning.starts_with("failed to use the cache folder"), "{warning}");
    }
    // A folder in the place of an entry.
    fs::remove_file(cache.path().join("kept")).unwrap();
    build_file("first.rs", INERT, &settings).unwrap();
    let entry = entry_of(name, INERT, &settings);
    fs::remove_file(&entry).unwrap();
    fs::create_dir(&entry).unwrap();
    let built = build_file(name, INERT, &settings).unwrap();
    assert_eq!(built.origin, Some(Origin::Recompiled { why: Distrust::Format }));
    assert!(built.component == expected.component);
    let warning = built.cache_warning.expect("a warning").to_string();
    assert!(warning.starts_with("failed to write the cache entry"), "{warning}");
}

#[test]
fn what_was_unused_longest_makes_room() {
    let (cache, settings) = own_cache();
    build_file("first.rs", INERT, &settings).unwrap();
    let (old, new) = (entry_of("old.rs", INERT, &settings), entry_of("new.rs", INERT, &settings));
    let size = |path: &Path| fs::metadata(path).unwrap().len();
    for (age, entry) in entries(cache.path()).iter().filter(|entry| **entry != new).enumerate() {
        let past = SystemTime::now() - Duration::from_secs(1_000 * (1 + age as u64));
        File::options().append(true).open(entry).and_then(|file| file.set_modified(past)).unwrap();
    }
    // Room for what is there without `first.rs` and `old.rs`, one of which is used again.
    assert_eq!(origin(&build_file("old.rs", INERT, &settings).unwrap()), Origin::Cached);
    let all: u64 = entries(cache.path()).iter().map(|path| size(path)).sum();
    let tight = BuildSettings { kept_bytes_max: all, ..settings };
    build_file("another.rs", INERT, &tight).unwrap();
    let left = entries(cache.path());
    assert_eq!(left.len(), 4, "the SDK and three modules");
    assert!(left.contains(&old) && left.contains(&new));
    assert_eq!(origin(&build_file("first.rs", INERT, &tight).unwrap()), Origin::Compiled);
}

#[test]
fn one_cache_serves_many_builds_at_once() {
    let (cache, settings) = own_cache();
    let components: Vec<_> = std::thread::scope(|scope| {
        let builds: Vec<_> =
            (0..3).map(|_| scope.spawn(|| build_file("inert.rs", INERT, &settings).unwrap().component)).collect();
        builds.into_iter().map(|build| build.join().unwrap()).collect()
    });
    assert!(components.windows(2).all(|pair| pair[0] == pair[1]));
    let kept: Vec<_> =
        fs::read_dir(cache.path().join("kept")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(kept.len(), 3, "losers of the race leave nothing behind: {kept:?}");
    assert_eq!(origin(&build_file("inert.rs", INERT, &settings).unwrap()), Origin::Cached);
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
    make("build-old001", 25);
    make("build-run001", 23);
    build_file("inert.rs", INERT, &settings).unwrap();
    let left: Vec<_> = fs::read_dir(&scratch).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["build-run001"]);
}
