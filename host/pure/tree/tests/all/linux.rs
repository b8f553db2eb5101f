//! The same operations on a real folder: errors and answers must be those of Linux.
//!
//! Without `..` and absolute targets, which would lead out of the folder; the model has them.

use crate::operation::{Answer, LIMITS, Operation, operations, paths, perform};
use assay_tree::{Kind, Tree};
use proptest::prelude::*;
use std::ffi::OsStr;
use std::fs::{self, Metadata, OpenOptions, Permissions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

const EINVAL: i32 = 22;
const EBUSY: i32 = 16;

fn is(metadata: &Metadata) -> Answer {
    let kind = match metadata {
        _ if metadata.is_dir() => return Answer::Is(Kind::Directory, 0),
        _ if metadata.is_symlink() => Kind::Symlink,
        _ if metadata.permissions().mode() & 0o100 != 0 => Kind::Executable,
        _ => Kind::File,
    };
    Answer::Is(kind, metadata.len())
}

fn real(root: &Path, operation: &Operation) -> io::Result<Answer> {
    // Not `join`, which tidies.
    let at = |path: &[u8]| PathBuf::from(OsStr::from_bytes(&[root.as_os_str().as_bytes(), b"/", path].concat()));
    let done = |()| Answer::Done;
    match operation {
        Operation::Create(path) => OpenOptions::new().write(true).create_new(true).open(at(path)).map(|_| Answer::Done),
        Operation::Put(path, bytes) => fs::write(at(path), bytes).map(done),
        Operation::Write(path, offset, bytes) => {
            let mut file = OpenOptions::new().write(true).open(at(path))?;
            // An empty write makes no gap on Linux; the tree is asked for one by name.
            if file.metadata()?.len() < offset + bytes.len() as u64 {
                file.set_len(offset + bytes.len() as u64)?;
            }
            file.seek(SeekFrom::Start(*offset))?;
            file.write_all(bytes).map(done)
        }
        Operation::Truncate(path, size) => OpenOptions::new().write(true).open(at(path))?.set_len(*size).map(done),
        Operation::SetExecutable(path, executable) => {
            // Opened to write, because of directories the tree refuses and Linux does not.
            let file = OpenOptions::new().write(true).open(at(path))?;
            file.set_permissions(Permissions::from_mode(if *executable { 0o755 } else { 0o644 })).map(done)
        }
        Operation::Mkdir(path) => fs::create_dir(at(path)).map(done),
        Operation::Rmdir(path) => fs::remove_dir(at(path)).map(done),
        Operation::Unlink(path) => fs::remove_file(at(path)).map(done),
        Operation::Rename(from, to) => fs::rename(at(from), at(to)).map(done),
        Operation::Symlink(target, path) => symlink(OsStr::from_bytes(target), at(path)).map(done),
        Operation::Read(path) => fs::read(at(path)).map(Answer::Bytes),
        Operation::Readlink(path) => {
            fs::read_link(at(path)).map(|target| Answer::Bytes(target.into_os_string().into_vec()))
        }
        Operation::Readdir(path) => {
            let names = fs::read_dir(at(path))?.map(|entry| Ok(entry?.file_name().into_vec()));
            let mut names: Vec<Vec<u8>> = names.collect::<io::Result<_>>()?;
            names.sort();
            Ok(Answer::Names(names))
        }
        Operation::Stat(path) => fs::metadata(at(path)).map(|metadata| is(&metadata)),
        Operation::Lstat(path) => fs::symlink_metadata(at(path)).map(|metadata| is(&metadata)),
    }
}

const NAMES: &[&str] = &["a", "b", "c", "d", "a", "b", "c", "d", "."];
const TARGETS: &[&str] = &["a", "b", "c", "d"];

/// A path that is nothing but dots and slashes means the folder itself, which is not the test's to remove.
fn named(path: &[u8]) -> bool {
    path.iter().any(u8::is_ascii_lowercase)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn answers_as_linux(
        operations in operations(
            paths(NAMES, false).prop_filter("names something", |path| named(path)).boxed(),
            paths(TARGETS, false),
        ),
    ) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut tree = Tree::new(LIMITS);
        for operation in &operations {
            let expected = real(folder.path(), operation).map_err(|error| match error.raw_os_error() {
                // Linux is not of one mind about `.`; the tree is.
                Some(EBUSY) => Some(EINVAL),
                other => other,
            });
            let answer = perform(&mut tree, operation).map_err(|error| Some(error.errno()));
            prop_assert_eq!(answer, expected, "{:?}", operation);
        }
    }
}
