//! The artifact cache: what is on disk is not believed until it is verified, and never needed.

use crate::support::{Guest, budget, helper, play, settings, tangle};
use assay_sandbox::{CompileFailure, Distrust, Origin, Outcome, Program, Sandbox, SandboxSettings, compile};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

const GUEST: Guest<'static> = Guest {
    items: "",
    allocate: "",
    initialize: "",
    on_tick: "",
    on_market_data: "",
    on_order_update: "",
    on_simulation_end: "",
};

fn load(settings: &SandboxSettings, guest: &Guest<'_>) -> Program {
    let sandbox = Sandbox::new(settings).expect("the sandbox starts");
    let program = sandbox.load(&guest.checked()).expect("the guest loads");
    assert_eq!(play(&program, &budget()).outcome, Outcome::Finished);
    program
}

fn entries(cache: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(cache)
        .expect("the cache is a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "artifact"))
        .collect();
    entries.sort();
    entries
}

/// Spoils the one entry of a fresh cache, then expects the reason for which it is not used, and that it is whole again after.
#[track_caller]
fn check(spoil: impl Fn(&Path, &Path), expected: Distrust) {
    let cache = tempfile::tempdir().expect("a folder");
    let settings = settings(cache.path());
    assert_eq!(load(&settings, &GUEST).origin(), Origin::Compiled);
    assert_eq!(load(&settings, &GUEST).origin(), Origin::Cached);
    let entry = entries(cache.path()).remove(0);
    spoil(cache.path(), &entry);
    assert_eq!(load(&settings, &GUEST).origin(), Origin::Recompiled { why: expected });
    assert_eq!(load(&settings, &GUEST).origin(), Origin::Cached);
}

fn edit(path: &Path, change: impl Fn(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).expect("the entry reads");
    change(&mut bytes);
    fs::write(path, bytes).expect("the entry writes");
}

#[test]
fn a_changed_entry_is_never_mapped() {
    // The first bytes are the format, then come code, fingerprint, owner, kind and payload; every part is covered.
    for place in [8, 39, 40, 72, 104, 105, 1_000] {
        check(|_, entry| edit(entry, |bytes| bytes[place] ^= 1), Distrust::Tampered);
    }
    check(|_, entry| edit(entry, |bytes| *bytes.last_mut().expect("bytes") ^= 0x80), Distrust::Tampered);
    check(|_, entry| edit(entry, |bytes| bytes.push(0)), Distrust::Tampered);
}

#[test]
fn a_truncated_entry_is_never_mapped() {
    for length in [0, 1, 104] {
        check(|_, entry| edit(entry, |bytes| bytes.truncate(length)), Distrust::Truncated);
    }
    for length in [105, 5_000] {
        check(|_, entry| edit(entry, |bytes| bytes.truncate(length)), Distrust::Tampered);
    }
}

#[test]
fn an_entry_of_another_format_is_never_mapped() {
    check(|_, entry| edit(entry, |bytes| bytes[7] = b'0'), Distrust::Format);
    // What a precompiled artifact looks like to somebody who does not know the format.
    let artifact =
        compile(&helper(), &settings(Path::new("/")).compile, GUEST.checked().module()).expect("it compiles");
    check(|_, entry| fs::write(entry, &artifact).expect("writes"), Distrust::Format);
}

#[test]
fn an_entry_of_another_component_is_never_mapped() {
    let other = Guest { on_tick: "(drop (call $cash))", ..GUEST };
    let swap = |cache: &Path, entry: &Path| {
        load(&settings(cache), &other);
        let foreign = entries(cache).into_iter().find(|path| path != entry).expect("the other entry");
        fs::rename(foreign, entry).expect("renames");
    };
    check(swap, Distrust::Foreign);
}

#[test]
fn an_entry_signed_with_another_key_is_never_mapped() {
    check(|cache, _| fs::remove_file(cache.join("key")).expect("removes"), Distrust::Tampered);
    check(|cache, _| fs::write(cache.join("key"), b"short").expect("writes"), Distrust::Tampered);
    // A key that others can read is not a secret.
    let open = |cache: &Path, _: &Path| {
        fs::set_permissions(cache.join("key"), fs::Permissions::from_mode(0o644)).expect("sets the mode");
    };
    check(open, Distrust::Tampered);
}

/// Puts a pipe that nobody writes to in the place of a file.
fn replace_by_pipe(path: &Path) {
    fs::remove_file(path).expect("removes");
    let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo runs");
    assert!(made.success());
}

#[test]
fn what_is_no_regular_file_is_never_opened() {
    check(|_, entry| replace_by_pipe(entry), Distrust::Format);
    check(|cache, _| replace_by_pipe(&cache.join("key")), Distrust::Tampered);
    // A sparse file: reading it would take its whole length in memory.
    check(|_, entry| fs::File::create(entry).expect("opens").set_len(50 << 30).expect("grows"), Distrust::Format);
}

#[test]
fn the_key_is_ours_alone() {
    let cache = tempfile::tempdir().expect("a folder");
    let folder = cache.path().join("made/here");
    load(&settings(&folder), &GUEST);
    let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join("key"))), (0o700, 0o600));
}

#[test]
fn a_cache_that_cannot_be_used_is_a_warning() {
    // A file where the folder should be: fails for every user, root included.
    let place = tempfile::NamedTempFile::new().expect("a file");
    let program = load(&settings(place.path()), &GUEST);
    assert_eq!(program.origin(), Origin::Compiled);
    let warning = program.cache_warning().expect("a warning").to_string();
    assert!(warning.starts_with("failed to use the cache folder"), "{warning}");
}

#[test]
fn a_cache_that_cannot_be_written_is_a_warning() {
    let cache = tempfile::tempdir().expect("a folder");
    let sandbox = Sandbox::new(&settings(cache.path())).expect("the sandbox starts");
    fs::remove_dir_all(cache.path()).expect("the folder goes");
    let program = sandbox.load(&GUEST.checked()).expect("the guest loads");
    let warning = program.cache_warning().expect("a warning").to_string();
    assert!(warning.starts_with("failed to write the cache entry"), "{warning}");
    assert_eq!(play(&program, &budget()).outcome, Outcome::Finished);
}

#[test]
fn the_entries_unused_longest_make_room() {
    let cache = tempfile::tempdir().expect("a folder");
    let mut settings = settings(cache.path());
    let bodies = ["(drop (call $cash))", "(drop (call $position))", "(drop (call $random))"];
    let guest = |index: usize| Guest { on_tick: bodies[index], ..GUEST };
    load(&settings, &guest(0));
    let size = fs::metadata(&entries(cache.path())[0]).expect("it exists").len();
    settings.cache_bytes_max = size * 5 / 2;
    load(&settings, &guest(1));
    // The first is used again, so the second is the oldest when the third needs room.
    for (entry, age) in entries(cache.path()).iter().zip([1, 2]) {
        let past = std::time::SystemTime::now() - std::time::Duration::from_secs(1_000 * age);
        fs::File::options().append(true).open(entry).and_then(|file| file.set_modified(past)).expect("sets the time");
    }
    assert_eq!(load(&settings, &guest(0)).origin(), Origin::Cached);
    load(&settings, &guest(2));
    assert_eq!(entries(cache.path()).len(), 2);
    assert_eq!(load(&settings, &guest(0)).origin(), Origin::Cached);
    assert_eq!(load(&settings, &guest(2)).origin(), Origin::Cached);
    assert_eq!(load(&settings, &guest(1)).origin(), Origin::Compiled);
}

#[test]
fn a_failed_compilation_is_remembered() {
    const MEMORY_BYTES: u64 = 64 << 20;
    let cache = tempfile::tempdir().expect("a folder");
    let mut settings = settings(cache.path());
    // Enough for an ordinary component, too little for this one.
    settings.compile.memory_bytes = MEMORY_BYTES;
    let component = Guest { items: &tangle(900, 900), ..GUEST }.checked();
    let error = |settings: &SandboxSettings| {
        let sandbox = Sandbox::new(settings).expect("the sandbox starts");
        sandbox.load(&component).err().expect("it does not compile").to_string()
    };
    load(&settings, &GUEST);
    let first = error(&settings);
    assert_eq!(entries(cache.path()).len(), 2);
    let failure = CompileFailure::TooMuchMemory { memory_bytes: MEMORY_BYTES };
    assert_eq!(first, format!("failed to compile the component: {failure}"));
    // With less memory it would fail with other words, but nobody tries again.
    settings.compile.memory_bytes = MEMORY_BYTES / 2;
    assert_eq!(error(&settings), first);
    // With more it may compile, so it is tried again.
    settings.compile.memory_bytes = 1 << 30;
    let sandbox = Sandbox::new(&settings).expect("the sandbox starts");
    assert_eq!(sandbox.load(&component).expect("it compiles").origin(), Origin::Compiled);
    assert_eq!(entries(cache.path()).len(), 2);
}

/// Signs an entry anew after a change to what is signed.
fn resign(cache: &Path, entry: &Path, change: impl Fn(&mut Vec<u8>)) {
    let key: [u8; 32] = fs::read(cache.join("key")).expect("the key reads").try_into().expect("it has 32 bytes");
    edit(entry, |bytes| {
        change(bytes);
        let code = blake3::keyed_hash(&key, &bytes[40..]);
        bytes[8..40].copy_from_slice(code.as_bytes());
    });
}

#[test]
fn an_authentic_entry_of_another_engine_is_never_mapped() {
    check(|cache, entry| resign(cache, entry, |bytes| bytes[40] ^= 1), Distrust::Stale);
    // Nor one of a kind that there is not.
    check(|cache, entry| resign(cache, entry, |bytes| bytes[104] = 9), Distrust::Unreadable);
}

#[test]
fn a_crash_is_believed_for_a_day() {
    let cache = tempfile::tempdir().expect("a folder");
    let settings = settings(cache.path());
    load(&settings, &GUEST);
    let entry = entries(cache.path()).remove(0);
    let failure = CompileFailure::Crashed { message: "signal 11".to_owned() };
    let said = serde_json::to_vec(&failure).expect("it serialises");
    resign(cache.path(), &entry, |bytes| {
        bytes.truncate(104);
        bytes.push(1);
        bytes.extend_from_slice(&said);
    });
    let sandbox = Sandbox::new(&settings).expect("the sandbox starts");
    let error = sandbox.load(&GUEST.checked()).err().expect("it is said to crash the compiler").to_string();
    assert_eq!(error, format!("failed to compile the component: {failure}"));
    let yesterday = std::time::SystemTime::now() - std::time::Duration::from_secs(25 * 60 * 60);
    fs::File::options().append(true).open(&entry).and_then(|file| file.set_modified(yesterday)).expect("sets the time");
    assert_eq!(load(&settings, &GUEST).origin(), Origin::Compiled);
}
