//! Patches against git itself: it takes ours, we take its, and both give the target.

use crate::operation::NOW;
use crate::patch_trees::{Leaf, Leaves, build, pairs};
use assay_tree::patch::{apply, diff};
use assay_tree::{Kind, TreeError};
use proptest::prelude::*;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

/// A repository of its own, which no configuration of the machine reaches.
struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().expect("a temporary folder"));
        repository.git(&["init", "--quiet", "--template="], b"");
        repository
    }

    fn git(&self, arguments: &[&str], input: &[u8]) -> Vec<u8> {
        let mut child = Command::new("git")
            .args(["-c", "core.symlinks=true", "-c", "core.fileMode=true", "-c", "core.fsync=none"])
            .args(arguments)
            .current_dir(self.0.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("git is installed");
        child.stdin.take().expect("it is piped").write_all(input).expect("git reads its input");
        let output = child.wait_with_output().expect("git ends");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {error}\n{}", input.escape_ascii());
        output.stdout
    }

    fn clear(&self) {
        for entry in fs::read_dir(self.0.path()).expect("the folder is readable") {
            let entry = entry.expect("the folder is readable");
            if entry.file_name() == ".git" {
                continue;
            }
            let is_directory = entry.file_type().expect("it is there").is_dir();
            if is_directory { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) }
                .expect("it is ours");
        }
    }

    fn put(&self, leaves: &Leaves) {
        self.clear();
        for (path, leaf) in leaves {
            let path = self.0.path().join(OsStr::from_bytes(path));
            fs::create_dir_all(path.parent().expect("it is in the folder")).expect("the folder is writable");
            match leaf {
                Leaf::Symlink(target) => symlink(OsStr::from_bytes(target), path).expect("the folder is writable"),
                Leaf::File(bytes, executable) => {
                    fs::write(&path, bytes).expect("the folder is writable");
                    let mode = if *executable { 0o755 } else { 0o644 };
                    fs::set_permissions(&path, Permissions::from_mode(mode)).expect("it is ours");
                }
            }
        }
    }

    fn leaves(&self) -> Leaves {
        let mut leaves = Leaves::new();
        collect(self.0.path(), b"", &mut leaves);
        leaves
    }

    /// What git calls a tree of these files.
    fn write_tree(&self, leaves: &Leaves) -> String {
        self.put(leaves);
        self.git(&["add", "--all", "--force"], b"");
        String::from_utf8(self.git(&["write-tree"], b"")).expect("a tree's name").trim().to_owned()
    }
}

fn collect(folder: &Path, prefix: &[u8], leaves: &mut Leaves) {
    for entry in fs::read_dir(folder).expect("the folder is readable") {
        let entry = entry.expect("the folder is readable");
        let path = [prefix, entry.file_name().as_bytes()].concat();
        let kind = entry.file_type().expect("it is there");
        if kind.is_dir() {
            if path != b".git" {
                collect(&entry.path(), &[&path[..], b"/"].concat(), leaves);
            }
        } else if kind.is_symlink() {
            let target = fs::read_link(entry.path()).expect("it is a link").into_os_string().into_vec();
            leaves.insert(path, Leaf::Symlink(target));
        } else {
            let executable = entry.metadata().expect("it is there").permissions().mode() & 0o100 != 0;
            leaves.insert(path, Leaf::File(fs::read(entry.path()).expect("it is ours"), executable));
        }
    }
}

const GIT_WAYS: &[&[&str]] = &[
    &["--find-renames"],
    &["--no-renames"],
    &["--find-copies-harder", "--unified=1"],
    &["--unified=0"],
    &["--patience"],
];

/// What must hold of one pair. The repository serves all pairs: making one costs more than using it.
fn check(repository: &Repository, base: &Leaves, target: &Leaves, way: &[&str]) -> Result<(), TestCaseError> {
    let (base_tree, target_tree) = (build(base), build(target));
    // Git looks through a symlink that is to become a directory, and stumbles if it leads to itself; so it does with its own patches.
    let loops = |path: &[u8]| base_tree.stat(path) == Err(TreeError::Loop);
    prop_assume!(
        !base.keys().any(|path| loops(path) && target_tree.stat(path).is_ok_and(|there| there.kind == Kind::Directory))
    );
    let ours = diff(&base_tree, &target_tree).expect("nothing is to be loaded");
    prop_assert_eq!(ours.is_empty(), base == target);
    prop_assert!(diff(&base_tree, &build(base)).expect("nothing is to be loaded").is_empty());
    let applied = apply(&base_tree, &ours, NOW).unwrap_or_else(|error| panic!("{error}\n{}", ours.escape_ascii()));
    prop_assert_eq!(applied.digest(), target_tree.digest());
    prop_assert_eq!(applied.used(), target_tree.used());

    let (to, from) = (repository.write_tree(target), repository.write_tree(base));
    if !ours.is_empty() {
        repository.git(&["apply", "--binary", "--whitespace=nowarn"], &ours);
    }
    prop_assert_eq!(&repository.leaves(), target, "{}", ours.escape_ascii());

    let its = repository.git(&[&["diff", "--binary", "--full-index"], way, &[&*from, &*to]].concat(), b"");
    let applied = apply(&base_tree, &its, NOW).unwrap_or_else(|error| panic!("{error}\n{}", its.escape_ascii()));
    prop_assert_eq!(applied.digest(), target_tree.digest(), "{}", its.escape_ascii());
    Ok(())
}

#[test]
fn git_takes_ours_and_we_take_its() {
    let repository = Repository::new();
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let config = ProptestConfig { cases: config.cases / 2, ..config };
    let cases = (pairs(), proptest::sample::select(GIT_WAYS));
    proptest::test_runner::TestRunner::new(config)
        .run(&cases, |((base, target), way)| check(&repository, &base, &target, way))
        .unwrap_or_else(|error| panic!("{error}"));
}
