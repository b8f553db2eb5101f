//! Repositories in and out of the cache: what a tar stream becomes, what is left out, and what survives damage.

use assay_rollout::repository::{Key, RepositoryCache, RepositoryError};
use assay_tree::Tree;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tar::{Builder, EntryType, Header};

/// Adds an entry whose names are taken as they are, hostile ones included.
fn add(tar: &mut Builder<Vec<u8>>, kind: EntryType, path: &[u8], target: &[u8], bytes: &[u8], mode: u32) {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(bytes.len() as u64);
    header.set_mode(mode);
    let fields = header.as_gnu_mut().expect("it was made as one");
    fields.name[..path.len()].copy_from_slice(path);
    fields.linkname[..target.len()].copy_from_slice(target);
    header.set_cksum();
    tar.append(&header, bytes).expect("memory takes it");
}

fn tar(entries: &[(EntryType, &str, &str, &str, u32)]) -> Vec<u8> {
    let mut tar = Builder::new(Vec::new());
    for (kind, path, target, bytes, mode) in entries {
        add(&mut tar, *kind, path.as_bytes(), target.as_bytes(), bytes.as_bytes(), *mode);
    }
    tar.into_inner().expect("memory takes it")
}

/// A line for each entry: its path, then its kind and content.
fn listing(tree: &Tree) -> Vec<String> {
    tree.walk(b"/")
        .expect("the root is a folder")
        .map(|(path, stat)| {
            let content = match stat.kind {
                kind if kind.is_file() => tree.read_all(&path).expect("it loads").escape_ascii().to_string(),
                assay_tree::Kind::Symlink => tree.readlink(&path).expect("it is one").escape_ascii().to_string(),
                _ => String::new(),
            };
            format!("{} {:?} {content}", path.escape_ascii(), stat.kind).trim_end().to_owned()
        })
        .collect()
}

fn open(folder: &Path) -> RepositoryCache {
    RepositoryCache::open(folder).expect("a cache opens")
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("it is there") {
        let path = entry.expect("it is listed").path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found
}

const KEPT_OUT: &[&str] = &["run_tests.sh", "r2e_tests/", "/deep/secret"];

fn keep_out() -> Vec<String> {
    KEPT_OUT.iter().map(|path| (*path).to_owned()).collect()
}

fn ordinary() -> Vec<u8> {
    use EntryType::{Block, Char, Directory, Fifo, Link, Regular, Symlink};
    tar(&[
        (Directory, "testbed/", "", "", 0o755),
        (Regular, "testbed/a.py", "", "a = 1\n", 0o644),
        (Regular, "testbed/run", "", "#!/bin/sh\n", 0o755),
        (Symlink, "testbed/out", "/etc/passwd", "", 0o777),
        (Symlink, "testbed/up", "../../x", "", 0o777),
        (Link, "testbed/hard", "testbed/run", "", 0o755),
        (Directory, "testbed/empty/", "", "", 0o755),
        (Regular, "testbed/deep/er/b", "", "b", 0o600),
        (Regular, "testbed/.git/config", "", "secret", 0o644),
        (Regular, "testbed/sub/.git", "", "gitdir: ../..", 0o644),
        (Regular, "testbed/run_tests.sh", "", "secret", 0o755),
        (Regular, "testbed/run_tests.sh.txt", "", "kept", 0o644),
        (Regular, "testbed/r2e_tests/test_1.py", "", "secret", 0o644),
        (Symlink, "testbed/deep/secret", "/r2e_tests", "", 0o777),
        (Link, "testbed/leak", "testbed/run_tests.sh", "", 0o755),
        (Char, "testbed/null", "", "", 0o666),
        (Block, "testbed/disk", "", "", 0o666),
        (Fifo, "testbed/pipe", "", "", 0o666),
    ])
}

const ORDINARY: &[&str] = &[
    "a.py File a = 1\\n",
    "deep Directory",
    "deep/er Directory",
    "deep/er/b File b",
    "empty Directory",
    "hard Executable #!/bin/sh\\n",
    "out Symlink /etc/passwd",
    "run Executable #!/bin/sh\\n",
    "run_tests.sh.txt File kept",
    "up Symlink ../../x",
];

#[test]
fn a_tar_stream_becomes_a_tree_and_is_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cache = open(folder.path());
    let key = Key::of(["image", "/testbed"]);
    assert!(cache.find(key).expect("it can be asked").is_none());
    let tree = cache.import_tar(key, ordinary().as_slice(), 1, &keep_out()).expect("it is brought in");
    assert_eq!(listing(&tree), ORDINARY);

    let again = open(folder.path()).find(key).expect("it can be asked").expect("it was kept");
    assert_eq!(listing(&again), ORDINARY);
    assert_eq!(again.digest(), tree.digest());
    assert!(cache.find(Key::of(["image/", "testbed"])).expect("it can be asked").is_none(), "where a word ends counts");
    assert!(files_below(&folder.path().join("unfinished")).is_empty());
    for path in files_below(folder.path()) {
        let bytes = fs::read(&path).expect("it is readable");
        assert!(
            !bytes.windows(6).any(|window| window == b"secret" && !path.starts_with(folder.path().join("manifests"))),
            "{path:?}"
        );
    }
}

#[test]
fn what_is_damaged_is_brought_in_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let key = Key::of(["image"]);
    let import =
        || open(folder.path()).import_tar(key, ordinary().as_slice(), 1, &keep_out()).expect("it is brought in");
    let (blobs, manifests) = (folder.path().join("blobs"), folder.path().join("manifests"));
    import();

    // The same length, other bytes: found, but it does not load, and is not found from then on.
    for path in files_below(&blobs) {
        let length = fs::read(&path).expect("it is readable").len();
        fs::write(&path, vec![b'!'; length]).expect("it is written");
    }
    let tree = open(folder.path()).find(key).expect("it can be asked").expect("all sizes are right");
    let error = tree.read_all(b"a.py").err().expect("it must not load").to_string();
    assert!(error.contains("damaged"), "{error}");
    assert!(open(folder.path()).find(key).expect("it can be asked").is_none());
    // Damage that has the right size is noticed when it is read; cut files and damaged manifests at once.
    fs::remove_dir_all(&blobs).expect("it is removed");
    assert_eq!(listing(&import()), ORDINARY);
    let first = files_below(&blobs).remove(0);
    fs::write(first, b"").expect("it is written");
    assert!(open(folder.path()).find(key).expect("it can be asked").is_none());
    assert_eq!(listing(&import()), ORDINARY);

    let manifest = files_below(&manifests).remove(0);
    let whole = fs::read(&manifest).expect("it is readable");
    for cut in [0, 10, whole.len() / 2, whole.len() - 1] {
        fs::write(&manifest, &whole[..cut]).expect("it is written");
        assert!(open(folder.path()).find(key).expect("it can be asked").is_none(), "cut at {cut}");
    }
}

#[test]
fn large_files_go_to_disk_as_they_come() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut builder = Builder::new(Vec::new());
    let large: Vec<u8> = (0..3_000_000_u32).map(|number| (number / 7) as u8).collect();
    for (path, bytes) in [("exact", &large[..1 << 20]), ("large", &large[..]), ("small", &large[..(1 << 20) - 1])] {
        add(&mut builder, EntryType::Regular, path.as_bytes(), b"", bytes, 0o644);
    }
    let tar = builder.into_inner().expect("memory takes it");
    let cache = open(folder.path());
    let tree = cache.import_tar(Key::of(["large"]), tar.as_slice(), 0, &[]).expect("it is brought in");
    assert!(*tree.read_all(b"large").expect("it loads") == large[..]);
    assert!(*tree.read_all(b"exact").expect("it loads") == large[..1 << 20]);
    assert!(*tree.read_all(b"small").expect("it loads") == large[..(1 << 20) - 1]);
}

#[test]
fn hostile_streams_are_refused() {
    use EntryType::{Directory, Link, Regular, Symlink};
    let long = "n".repeat(90);
    let deep = format!("{}x", "d/".repeat(45));
    let check = |what: &str, stream: Vec<u8>, expected: &str| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = open(&folder.path().join("cache"));
        let key = Key::of(["hostile"]);
        let error =
            cache.import_tar(key, stream.as_slice(), 1, &[]).err().unwrap_or_else(|| panic!("{what} was taken"));
        assert!(error.to_string().contains(expected), "{what}: {error}");
        assert!(cache.find(key).expect("it can be asked").is_none(), "{what} was kept");
        let names: Vec<_> =
            fs::read_dir(folder.path()).expect("it is there").map(|e| e.expect("listed").file_name()).collect();
        assert_eq!(names, ["cache"], "{what} got out");
    };
    check("a way up", tar(&[(Regular, "t/../../evil", "", "x", 0o644)]), "leads outside");
    check("an absolute path", tar(&[(Regular, "/t/evil", "", "x", 0o644)]), "absolute");
    check(
        "a file through a link",
        tar(&[(Symlink, "t/a", "/tmp", "", 0o777), (Regular, "t/a/evil", "", "x", 0o644)]),
        "its parent is not a folder",
    );
    check(
        "a file through a file",
        tar(&[(Regular, "t/a", "", "x", 0o644), (Regular, "t/a/b/c", "", "x", 0o644)]),
        "its parent is not a folder",
    );
    check("a hard link to outside", tar(&[(Link, "t/a", "/etc/passwd", "", 0o644)]), "absolute");
    check("a hard link up", tar(&[(Link, "t/a", "t/../../etc/passwd", "", 0o644)]), "leads outside");
    check("a hard link to nothing", tar(&[(Link, "t/a", "t/b", "", 0o644)]), "hard link");
    check(
        "a hard link to a folder",
        tar(&[(Directory, "t/b/", "", "", 0o755), (Link, "t/a", "t/b", "", 0o644)]),
        "hard link",
    );
    check("a symlink to nothing at all", tar(&[(Symlink, "t/a", "", "", 0o777)]), "no such file");
    let whole = tar(&[(Regular, "t/a", "", "some bytes", 0o644), (Regular, &format!("t/{long}"), "", "x", 0o644)]);
    check("a stream cut in a file", whole[..515].to_vec(), "failed to");
    check("a stream cut in a header", whole[..1_100].to_vec(), "failed to");
    check("noise", (0..5_000_u32).map(|number| (number * 7 % 251) as u8).collect(), "failed to");

    // What only looks hostile is taken.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let stream = tar(&[
        (Regular, &format!("t/{deep}"), "", "x", 0o644),
        (Regular, "t/..a", "", "y", 0o644),
        (Regular, "t/a b\n", "", "z", 0o644),
    ]);
    let tree = open(folder.path()).import_tar(Key::of(["odd"]), stream.as_slice(), 1, &[]).expect("it is brought in");
    assert_eq!(*tree.read_all(deep.as_bytes()).expect("it loads"), *b"x");
}

/// A file that never ends.
struct Endless;

impl io::Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(buffer.len())
    }
}

#[test]
fn a_file_that_claims_too_much_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut header = Header::new_gnu();
    header.set_path("t/huge").expect("it fits");
    header.set_size(1 << 40);
    header.set_mode(0o644);
    header.set_cksum();
    let stream = io::Read::chain(header.as_bytes().as_slice(), Endless);
    let error = open(folder.path()).import_tar(Key::of(["huge"]), stream, 1, &[]).err().expect("it must be refused");
    assert!(matches!(error, RepositoryError::TooLarge { unit: "bytes in one file", .. }), "{error}");
}

#[test]
fn what_killed_processes_left_is_removed_at_the_next_start() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    open(folder.path());
    let unfinished = folder.path().join("unfinished");
    let mine = assay_rollout::owner::Owner::current().to_string();
    let (rest, started) = mine.rsplit_once('-').expect("it has three parts");
    let earlier = format!("{rest}-{}", started.parse::<u64>().expect("a number") + 1);
    for name in [format!("{mine}.a"), format!("{earlier}.b"), "elsewhere-1-1.c".into(), "strange".into()] {
        fs::write(unfinished.join(name), b"").expect("it is written");
    }
    open(folder.path());
    let mut left: Vec<String> = files_below(&unfinished)
        .iter()
        .map(|path| path.extension().map_or("none".into(), |end| end.to_string_lossy().into_owned()))
        .collect();
    left.sort();
    assert_eq!(left, ["a", "c", "none"]);
}
