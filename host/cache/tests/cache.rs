//! The cache through its boundary: what is on disk is not believed until it is verified, and never needed.

use assay_cache::{Cache, Distrust, Kind, Seals};
use blake3::Hash;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

const KIND: Kind = Kind { magic: *b"testing1", extension: "entry", payload_bytes_max: 10_000 };
const PAYLOAD: &[u8] = b"what took long to make";
/// Where the signed part of an entry begins, and where its payload does.
const SIGNED_FROM: usize = 40;
const PAYLOAD_FROM: usize = 104;
/// What drafts are called.
const DEAD: &str = ".assay-draft-00000000000dead0";
const ALIVE: &str = ".assay-draft-0000000000a11ce0";
/// Names the folder in which the second process works.
const FOLDER_VARIABLE: &str = "ASSAY_CACHE_TEST_FOLDER";

fn open(folder: &Path) -> Cache {
    open_as(folder, "this engine")
}

fn open_as(folder: &Path, engine: &str) -> Cache {
    Cache::open(folder, KIND, blake3::hash(engine.as_bytes()), 1 << 20).expect("the folder can be used")
}

fn owner(name: &str) -> Hash {
    blake3::hash(name.as_bytes())
}

fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join(owner(name).to_hex().as_str()).with_extension("entry")
}

/// The payload of an owner, or why there is none.
fn load(cache: &Cache, name: &str) -> Result<Option<Vec<u8>>, Distrust> {
    Ok(cache.load(&owner(name))?.map(|kept| kept.payload().to_vec()))
}

/// Spoils the one entry of a fresh folder, then expects the reason for which it is not used, and that one that is kept afterwards is.
#[track_caller]
fn check(what: &str, spoil: impl Fn(&Path, &Path), expected: Distrust) {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let cache = open(folder);
    assert_eq!(load(&cache, "owner"), Ok(None), "{what}");
    cache.store(&owner("owner"), &[b"what took ", b"", b"long to make"]).expect("it is kept");
    assert_eq!(load(&open(folder), "owner"), Ok(Some(PAYLOAD.to_vec())), "{what}");
    spoil(folder, &path(folder, "owner"));
    let cache = open(folder);
    assert_eq!(load(&cache, "owner"), Err(expected), "{what}");
    cache.store(&owner("owner"), &[PAYLOAD]).expect("it is kept again");
    assert_eq!(load(&open(folder), "owner"), Ok(Some(PAYLOAD.to_vec())), "{what}");
}

fn edit(path: &Path, change: impl Fn(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).expect("the entry reads");
    change(&mut bytes);
    fs::write(path, bytes).expect("the entry writes");
}

/// Signs an entry anew after a change to what is signed.
fn sign(bytes: &mut [u8], key: &[u8; 32]) {
    let code = blake3::keyed_hash(key, &bytes[SIGNED_FROM..]);
    bytes[8..SIGNED_FROM].copy_from_slice(code.as_bytes());
}

fn key_of(folder: &Path) -> [u8; 32] {
    fs::read(folder.join("key")).expect("the key reads").try_into().expect("it has 32 bytes")
}

#[test]
fn a_changed_entry_is_not_believed() {
    // The first bytes are the format, then come code, fingerprint, owner and payload; every part is covered.
    let end = PAYLOAD_FROM + PAYLOAD.len();
    for place in [8, 39, 40, 71, 72, 103, 104, end - 1] {
        check(&format!("byte {place}"), |_, entry| edit(entry, |bytes| bytes[place] ^= 1), Distrust::Tampered);
    }
    check("longer", |_, entry| edit(entry, |bytes| bytes.push(0)), Distrust::Tampered);
    for length in [0, 7, 40, PAYLOAD_FROM] {
        check(&format!("cut to {length}"), |_, entry| edit(entry, |bytes| bytes.truncate(length)), Distrust::Truncated);
    }
    for length in [PAYLOAD_FROM + 1, end - 1] {
        check(&format!("cut to {length}"), |_, entry| edit(entry, |bytes| bytes.truncate(length)), Distrust::Tampered);
    }
    check("another format", |_, entry| edit(entry, |bytes| bytes[7] = b'0'), Distrust::Format);
    check("no entry at all", |_, entry| fs::write(entry, [7; 500]).expect("writes"), Distrust::Format);
}

#[test]
fn an_entry_of_another_owner_engine_or_key_is_not_believed() {
    let foreign = |folder: &Path, entry: &Path| {
        open(folder).store(&owner("other"), &[b"another payload"]).expect("it is kept");
        fs::rename(path(folder, "other"), entry).expect("renames");
    };
    check("another owner's", foreign, Distrust::Foreign);
    let stale = |folder: &Path, _: &Path| {
        open_as(folder, "another engine").store(&owner("owner"), &[b"another payload"]).expect("it is kept");
    };
    check("another engine's", stale, Distrust::Stale);
    // All in order, but for a key that the folder does not have.
    let forged = |_: &Path, entry: &Path| {
        edit(entry, |bytes| {
            bytes.truncate(PAYLOAD_FROM);
            bytes.extend_from_slice(b"forged");
            sign(bytes, &[7; 32]);
        });
    };
    check("forged", forged, Distrust::Tampered);
    check("no key", |folder, _| fs::remove_file(folder.join("key")).expect("removes"), Distrust::Tampered);
    check("a short key", |folder, _| fs::write(folder.join("key"), b"short").expect("writes"), Distrust::Tampered);
    check("a long key", |folder, _| edit(&folder.join("key"), |key| key.push(0)), Distrust::Tampered);
}

/// Puts a key into the folder that somebody else knows, and an entry signed with it.
fn plant(folder: &Path, entry: &Path, put: impl Fn(&Path, &[u8; 32])) {
    const KNOWN: [u8; 32] = [7; 32];
    let key = folder.join("key");
    fs::remove_file(&key).expect("removes");
    put(&key, &KNOWN);
    edit(entry, |bytes| {
        bytes.truncate(PAYLOAD_FROM);
        bytes.extend_from_slice(b"forged");
        sign(bytes, &KNOWN);
    });
}

#[test]
fn a_key_that_somebody_else_may_know_is_no_key() {
    let write = |path: &Path, key: &[u8; 32], mode: u32| {
        fs::write(path, key).expect("writes");
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("sets the mode");
    };
    for mode in [0o604, 0o640, 0o601, 0o660] {
        let open = |folder: &Path, entry: &Path| plant(folder, entry, |path, key| write(path, key, mode));
        check(&format!("mode {mode:o}"), open, Distrust::Tampered);
    }
    let linked = |folder: &Path, entry: &Path| {
        plant(folder, entry, |path, key| {
            let elsewhere = path.with_extension("elsewhere");
            write(&elsewhere, key, 0o600);
            symlink(elsewhere, path).expect("links");
        });
    };
    check("a link", linked, Distrust::Tampered);
    // Only root can give files away, and so be shown one of somebody else's that it can read.
    let probe = tempfile::NamedTempFile::new().expect("a file");
    if chown(probe.path(), Some(1), None).is_ok() {
        let given = |folder: &Path, entry: &Path| {
            plant(folder, entry, |path, key| {
                write(path, key, 0o600);
                chown(path, Some(1), None).expect("gives it away");
            });
        };
        check("somebody else's", given, Distrust::Tampered);
    }
}

/// Puts a pipe that nobody writes to in the place of a file.
fn replace_by_pipe(path: &Path) {
    fs::remove_file(path).expect("removes");
    let made = Command::new("mkfifo").arg(path).status().expect("mkfifo runs");
    assert!(made.success());
}

#[test]
fn what_is_no_regular_file_is_never_read() {
    check("a pipe", |_, entry| replace_by_pipe(entry), Distrust::Format);
    check("a pipe for a key", |folder, _| replace_by_pipe(&folder.join("key")), Distrust::Tampered);
    // A link even to an authentic entry: what it leads to may be anybody's.
    let linked = |folder: &Path, entry: &Path| {
        fs::rename(entry, folder.join("elsewhere")).expect("renames");
        symlink(folder.join("elsewhere"), entry).expect("links");
    };
    check("a link", linked, Distrust::Format);
    // A sparse file: reading it would take its whole length in memory.
    check("50 GB", |_, entry| File::create(entry).expect("opens").set_len(50 << 30).expect("grows"), Distrust::Format);
}

#[test]
fn a_folder_in_the_place_of_an_entry_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = open(folder.path());
    fs::create_dir_all(path(folder.path(), "owner").join("inner")).expect("a folder");
    assert_eq!(load(&cache, "owner"), Err(Distrust::Format));
    let error = cache.store(&owner("owner"), &[PAYLOAD]).expect_err("nothing can be written there").to_string();
    assert!(error.starts_with("failed to write the cache entry"), "{error}");
    assert!(path(folder.path(), "owner").join("inner").is_dir());
    assert_eq!(names(folder.path()).len(), 2, "nothing is left behind: {:?}", names(folder.path()));
}

/// What lies in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder can be listed");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_folder_that_cannot_be_used_is_an_error_with_its_name() {
    // A file where the folder should be: fails for every user, root included.
    let place = tempfile::NamedTempFile::new().expect("a file");
    let opened = Cache::open(place.path(), KIND, owner("engine"), 1 << 20);
    let error = opened.err().expect("a file is not a folder").to_string();
    assert_eq!(error, format!("failed to use the cache folder {}", place.path().display()));
    let folder = tempfile::tempdir().expect("a folder");
    let cache = open(folder.path());
    fs::remove_dir_all(folder.path()).expect("the folder goes");
    assert_eq!(load(&cache, "owner"), Ok(None));
    let error = cache.store(&owner("owner"), &[PAYLOAD]).expect_err("there is no folder").to_string();
    assert!(error.starts_with("failed to write the cache entry"), "{error}");
}

#[test]
fn folder_key_and_entries_are_ours_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().join("made/here");
    open(&folder).store(&owner("owner"), &[PAYLOAD]).expect("it is kept");
    let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
    assert_eq!([&folder, &folder.join("key"), &path(&folder, "owner")].map(|path| mode(path)), [0o700, 0o600, 0o600]);
}

#[test]
fn what_is_empty_or_too_large_is_not_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = open(folder.path());
    for (bytes, is_kept) in [(0, false), (1, true), (10_000, true), (10_001, false)] {
        let name = format!("{bytes} bytes");
        cache.store(&owner(&name), &[&vec![7; bytes]]).expect("it is not an error");
        assert_eq!(load(&cache, &name), Ok(is_kept.then(|| vec![7; bytes])), "{name}");
    }
}

#[test]
fn the_entries_unused_longest_make_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let entry_bytes = (PAYLOAD_FROM + PAYLOAD.len()) as u64;
    let cache = Cache::open(folder, KIND, owner("engine"), entry_bytes * 5 / 2).expect("the folder can be used");
    // Half-written files of a dead process and of one that is at work.
    for name in [DEAD, ALIVE] {
        fs::write(folder.join(name), [0; 10]).expect("writes");
    }
    for name in ["first", "second"] {
        cache.store(&owner(name), &[PAYLOAD]).expect("it is kept");
    }
    for (file, age) in
        [(folder.join(DEAD), 5), (folder.join(ALIVE), 3), (path(folder, "first"), 2), (path(folder, "second"), 1)]
    {
        let past = SystemTime::now() - Duration::from_secs(1_000 * age);
        File::options().append(true).open(file).and_then(|file| file.set_modified(past)).expect("sets the time");
    }
    let first = cache.load(&owner("first")).expect("it is authentic").expect("it is there");
    assert!(first.age() > Duration::from_secs(1_999), "{:?}", first.age());
    // Used again, so the second is the oldest when the third needs room.
    first.mark_used();
    cache.store(&owner("third"), &[PAYLOAD]).expect("it is kept");
    let left = ["first", "second", "third"].map(|name| load(&cache, name).expect("it is authentic").is_some());
    assert_eq!(left, [true, false, true]);
    assert!(!folder.join(DEAD).exists() && folder.join(ALIVE).exists());
    fs::remove_file(folder.join(ALIVE)).expect("removes");
    // The one that was just kept stays, however little room there is, and so does the key.
    let tight = Cache::open(folder, KIND, owner("engine"), 0).expect("the folder can be used");
    tight.store(&owner("fourth"), &[PAYLOAD]).expect("it is kept");
    assert_eq!(names(folder).len(), 2, "{:?}", names(folder));
    assert_eq!(load(&tight, "fourth"), Ok(Some(PAYLOAD.to_vec())));
}

#[test]
fn a_folder_that_is_a_link_or_somebody_elses_is_refused() {
    let place = tempfile::tempdir().expect("a folder");
    let photos = place.path().join("photos");
    fs::create_dir(&photos).expect("made");
    fs::write(photos.join("wedding.raw"), [7; 1000]).expect("written");
    symlink(&photos, place.path().join("link")).expect("links");
    symlink("nowhere", place.path().join("dangling")).expect("links");
    for name in ["link", "dangling"] {
        let refused = Cache::open(&place.path().join(name), KIND, owner("engine"), 0).err().expect("a link is refused");
        let cause = std::error::Error::source(&refused).expect("it has a cause").to_string();
        assert!(cause.contains("symbolic link"), "{name}: {cause}");
        assert!(Seals::open(&place.path().join(name)).is_err(), "{name}");
    }
    assert_eq!(names(&photos), ["wedding.raw"], "nothing was put there or taken away");
    assert!(!place.path().join("nowhere").exists());
    // Only root can give folders away.
    if chown(&photos, Some(1), None).is_ok() {
        let refused = Cache::open(&photos, KIND, owner("engine"), 0).err().expect("somebody else's is refused");
        assert!(std::error::Error::source(&refused).expect("a cause").to_string().contains("another user"));
        assert_eq!(names(&photos), ["wedding.raw"]);
    }
}

#[test]
fn only_what_we_made_is_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let named = |name: &str| folder.join(name);
    let like_an_entry = format!("{}.entry", "g".repeat(64));
    let theirs = ["note.entry", "wedding.raw", ".assay-draft-x", "deadbeef.entry", ".tmpAbCdEf", &like_an_entry];
    for name in theirs {
        fs::write(named(name), [7; 1000]).expect("written");
        let past = SystemTime::now() - Duration::from_secs(1_000_000);
        File::options().append(true).open(named(name)).and_then(|file| file.set_modified(past)).expect("sets the time");
    }
    fs::create_dir(path(folder, "a folder")).expect("made");
    symlink("wedding.raw", path(folder, "a link")).expect("links");
    let tight = Cache::open(folder, KIND, owner("engine"), 0).expect("the folder can be used");
    for name in ["first", "second"] {
        tight.store(&owner(name), &[PAYLOAD]).expect("it is kept");
    }
    assert!(!path(folder, "first").exists() && path(folder, "second").exists());
    for name in theirs {
        assert!(named(name).exists(), "{name}");
    }
    assert!(path(folder, "a folder").is_dir() && path(folder, "a link").symlink_metadata().is_ok());
}

#[test]
fn a_seal_holds_for_what_it_was_made_for_under_its_key() {
    let (folder, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let seals = Seals::open(folder.path()).expect("a key");
    let code = seals.seal(&[b"ab", b"c"]);
    assert!(Seals::open(folder.path()).expect("the key").seal(&[b"ab", b"c"]) == code);
    assert!(seals.seal(&[b"a", b"bc"]) != code, "parts are kept apart");
    assert!(seals.seal(&[b"ab"]) != code && seals.seal(&[b"ab", b"c", b""]) != code);
    assert!(Seals::open(other.path()).expect("a key").seal(&[b"ab", b"c"]) != code, "another machine's");
}

/// What a process does that shares its folder with others: whatever is there must be whole.
fn work(folder: &Path) {
    let cache = open(folder);
    for round in 0..200_usize {
        let name = format!("shared {}", round % 5);
        let payload = name.repeat(100).into_bytes();
        match load(&cache, &name) {
            Ok(None) => {}
            Ok(Some(found)) => assert!(found == payload, "{name}"),
            Err(why) => panic!("{name}: {why:?}"),
        }
        cache.store(&owner(&name), &[&payload]).expect("it is kept");
    }
}

/// The part of the test below that runs in processes of its own.
#[test]
fn one_of_several_processes() {
    if let Some(folder) = std::env::var_os(FOLDER_VARIABLE) {
        work(Path::new(&folder));
    }
}

#[test]
fn several_processes_share_a_folder_and_its_key() {
    let folder = tempfile::tempdir().expect("a folder");
    // Nothing is there yet: they make the folder and the key at the same time.
    let shared = folder.path().join("shared");
    let start = || {
        let program = std::env::current_exe().expect("a test has a path");
        let mut command = Command::new(program);
        command.args(["--exact", "one_of_several_processes"]).env(FOLDER_VARIABLE, &shared);
        command.stdout(std::process::Stdio::null()).spawn().expect("it starts")
    };
    let mut processes = [start(), start(), start(), start()];
    for process in &mut processes {
        assert!(process.wait().expect("it ends").success());
    }
    let mut left = names(&shared);
    left.sort();
    assert_eq!((left.len(), left.last().map(String::as_str)), (6, Some("key")), "five entries: {left:?}");
    let key = key_of(&shared);
    work(&shared);
    assert_eq!(key_of(&shared), key);
}
