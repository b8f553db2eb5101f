//! Random operations on short paths of few names, so that they meet.

use assay_model::Time;
use assay_tree::{Content, Digest, Kind, Limits, Stat, Tree, TreeError};
use proptest::collection::vec;
use proptest::prelude::*;

pub(crate) const LIMITS: Limits = Limits { bytes_max: 1 << 40, inodes_max: 1 << 20 };
pub(crate) const NOW: Time = Time(7);

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Create(Vec<u8>),
    Put(Vec<u8>, Vec<u8>),
    Write(Vec<u8>, u64, Vec<u8>),
    Truncate(Vec<u8>, u64),
    SetExecutable(Vec<u8>, bool),
    Mkdir(Vec<u8>),
    Rmdir(Vec<u8>),
    Unlink(Vec<u8>),
    Rename(Vec<u8>, Vec<u8>),
    Symlink(Vec<u8>, Vec<u8>),
    Read(Vec<u8>),
    Readlink(Vec<u8>),
    Readdir(Vec<u8>),
    Stat(Vec<u8>),
    Lstat(Vec<u8>),
}

/// What an operation says, in terms that a model has too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Done,
    Bytes(Vec<u8>),
    Names(Vec<Vec<u8>>),
    /// Kind, and size unless it is a directory.
    Is(Kind, u64),
}

/// Paths of these components, with slashes where they may be.
pub(crate) fn paths(components: &'static [&'static str], absolute: bool) -> BoxedStrategy<Vec<u8>> {
    let component = proptest::sample::select(components);
    let start =
        if absolute { prop_oneof![3 => Just(""), 1 => Just("/"), 1 => Just("//")].boxed() } else { Just("").boxed() };
    (start, vec(component, 1..5), prop_oneof![6 => Just(""), 1 => Just("/")])
        .prop_map(|(start, components, end)| format!("{start}{}{end}", components.join("/")).into_bytes())
        .boxed()
}

pub(crate) fn operations(
    paths: BoxedStrategy<Vec<u8>>,
    targets: BoxedStrategy<Vec<u8>>,
) -> impl Strategy<Value = Vec<Operation>> {
    use Operation as O;
    let (path, one, other) = (move || paths.clone(), 0_u64..200_000, 0_u64..9);
    let offset = move || prop_oneof![9 => other.clone(), 1 => one.clone()];
    let bytes = || vec(any::<u8>(), 0..6);
    let operation = prop_oneof![
        3 => path().prop_map(O::Create),
        3 => (path(), bytes()).prop_map(|(path, bytes)| O::Put(path, bytes)),
        3 => (path(), offset(), bytes()).prop_map(|(path, offset, bytes)| O::Write(path, offset, bytes)),
        1 => (path(), offset()).prop_map(|(path, size)| O::Truncate(path, size)),
        1 => (path(), any::<bool>()).prop_map(|(path, executable)| O::SetExecutable(path, executable)),
        6 => path().prop_map(O::Mkdir),
        2 => path().prop_map(O::Rmdir),
        2 => path().prop_map(O::Unlink),
        6 => (path(), path()).prop_map(|(from, to)| O::Rename(from, to)),
        4 => (targets, path()).prop_map(|(target, path)| O::Symlink(target, path)),
        1 => path().prop_map(O::Read),
        1 => path().prop_map(O::Readlink),
        1 => path().prop_map(O::Readdir),
        1 => path().prop_map(O::Stat),
        1 => path().prop_map(O::Lstat),
    ];
    vec(operation, 1..60)
}

fn is(stat: Stat) -> Answer {
    Answer::Is(stat.kind, stat.size)
}

/// Does it to the tree. An error must leave no trace.
pub(crate) fn perform(tree: &mut Tree, operation: &Operation) -> Result<Answer, TreeError> {
    let before: (Digest, _) = (tree.digest(), tree.used());
    let answer = match operation {
        Operation::Create(path) => tree.create(path, NOW).map(|()| Answer::Done),
        Operation::Put(path, bytes) => tree.put(path, Content::from(&bytes[..]), NOW).map(|()| Answer::Done),
        Operation::Write(path, offset, bytes) => tree.write(path, *offset, bytes, NOW).map(|()| Answer::Done),
        Operation::Truncate(path, size) => tree.truncate(path, *size, NOW).map(|()| Answer::Done),
        Operation::SetExecutable(path, executable) => tree.set_executable(path, *executable).map(|()| Answer::Done),
        Operation::Mkdir(path) => tree.mkdir(path, NOW).map(|()| Answer::Done),
        Operation::Rmdir(path) => tree.rmdir(path, NOW).map(|()| Answer::Done),
        Operation::Unlink(path) => tree.unlink(path, NOW).map(|()| Answer::Done),
        Operation::Rename(from, to) => tree.rename(from, to, NOW).map(|()| Answer::Done),
        Operation::Symlink(target, path) => tree.symlink(target, path, NOW).map(|()| Answer::Done),
        Operation::Read(path) => tree.read_all(path).map(|bytes| Answer::Bytes(bytes.to_vec())),
        Operation::Readlink(path) => tree.readlink(path).map(|target| Answer::Bytes(target.to_vec())),
        Operation::Readdir(path) => {
            tree.readdir(path).map(|all| Answer::Names(all.map(|entry| entry.name.as_bytes().to_vec()).collect()))
        }
        Operation::Stat(path) => tree.stat(path).map(is),
        Operation::Lstat(path) => tree.lstat(path).map(is),
    };
    if answer.is_err() {
        assert_eq!((tree.digest(), tree.used()), before, "{operation:?} failed and changed something");
    }
    answer
}
