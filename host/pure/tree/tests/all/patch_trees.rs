//! Random pairs of trees, the second made from the first by edits, with everything that makes names and contents hard.

use crate::operation::{LIMITS, NOW};
use assay_tree::{Content, Tree};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::collections::BTreeMap;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Leaf {
    File(Vec<u8>, bool),
    Symlink(Vec<u8>),
}

/// Files and symlinks by path. No path leads through another, so it is a tree without empty directories.
pub(crate) type Leaves = BTreeMap<Vec<u8>, Leaf>;

pub(crate) fn build(leaves: &Leaves) -> Tree {
    let mut tree = Tree::new(LIMITS);
    for (path, leaf) in leaves {
        if let Some(slash) = path.iter().rposition(|byte| *byte == b'/') {
            tree.mkdir_all(&path[..slash], NOW).expect("no path leads through another");
        }
        match leaf {
            Leaf::Symlink(target) => tree.symlink(target, path, NOW).expect("no two have one path"),
            Leaf::File(bytes, executable) => {
                tree.put(path, Content::from(&bytes[..]), NOW).expect("no two have one path");
                tree.set_executable(path, *executable).expect("it has just been made");
            }
        }
    }
    tree
}

fn insert(leaves: &mut Leaves, path: Vec<u8>, leaf: Leaf) {
    let below = |one: &[u8], other: &[u8]| one.starts_with(other) && one.get(other.len()) == Some(&b'/');
    leaves.retain(|known, _| !below(known, &path) && !below(&path, known));
    leaves.insert(path, leaf);
}

const NAMES: &[&[u8]] = &[
    b"a",
    b"b",
    b"a.b",
    b"a-b",
    b"c d",
    b" lead",
    b"trail ",
    b"tab\there",
    b"new\nline",
    b"quo\"te",
    b"back\\slash",
    b"\xff\xfe",
    "é".as_bytes(),
    b"cr\r",
    b"-dash",
    b"bell\x07",
    b"del\x7f",
    b"=>",
    b"{b}",
    b"b b",
    b"~",
    b"a b b",
];

fn paths() -> impl Strategy<Value = Vec<u8>> {
    vec(select(NAMES), 1..4).prop_map(|names| names.join(&b'/'))
}

fn lines() -> impl Strategy<Value = Vec<u8>> {
    let line = select(vec![
        "one",
        "two",
        "three",
        "four",
        "",
        "",
        "}",
        "    indented",
        "crlf\r",
        "\tx ",
        "-minus",
        "--- a/x",
        "+++ b/x",
        "@@ -1 +1 @@",
        "diff --git a/x b/x",
        "\\ No newline at end of file",
        "ünïcode",
        "latin\u{e9}",
        "long line of more than sixty-four bytes, so that it is cut in two somewhere",
    ]);
    (vec(line, 0..30), any::<bool>()).prop_map(|(lines, end)| {
        let mut text = lines.join("\n").into_bytes();
        if end && !text.is_empty() {
            text.push(b'\n');
        }
        text
    })
}

fn contents() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        6 => lines(),
        1 => Just(Vec::new()),
        1 => Just(b"\n".to_vec()),
        1 => vec(any::<u8>(), 0..300),
        1 => (vec(select(vec![0_u8, 1, 255, b'\n', b'a']), 1..200), 1..60_usize).prop_map(|(bytes, times)| bytes.repeat(times)),
    ]
}

fn leaf() -> impl Strategy<Value = Leaf> {
    prop_oneof![
        8 => (contents(), any::<bool>()).prop_map(|(bytes, executable)| Leaf::File(bytes, executable)),
        1 => paths().prop_map(Leaf::Symlink),
        1 => select(vec!["/etc/passwd", "../..", "a\nb\n", "dangling"]).prop_map(|target| Leaf::Symlink(target.into())),
    ]
}

#[derive(Clone, Debug)]
enum Edit {
    Add(Vec<u8>, Leaf),
    Remove(Index),
    Replace(Index, Leaf),
    Move(Index, Vec<u8>),
    MoveBelow(Index),
    Flip(Index),
    Splice(Index, Index, usize, Vec<u8>),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        2 => (paths(), leaf()).prop_map(|(path, leaf)| Edit::Add(path, leaf)),
        1 => any::<Index>().prop_map(Edit::Remove),
        1 => (any::<Index>(), leaf()).prop_map(|(index, leaf)| Edit::Replace(index, leaf)),
        2 => (any::<Index>(), paths()).prop_map(|(index, path)| Edit::Move(index, path)),
        1 => any::<Index>().prop_map(Edit::MoveBelow),
        1 => any::<Index>().prop_map(Edit::Flip),
        5 => (any::<Index>(), any::<Index>(), 0..4_usize, lines())
            .prop_map(|(index, at, cut, lines)| Edit::Splice(index, at, cut, lines)),
    ]
}

fn perform(leaves: &mut Leaves, edit: Edit) {
    let path = |leaves: &Leaves, index: &Index| leaves.keys().nth(index.index(leaves.len().max(1))).cloned();
    match edit {
        Edit::Add(path, leaf) => insert(leaves, path, leaf),
        Edit::Remove(index) => {
            path(leaves, &index).and_then(|path| leaves.remove(&path));
        }
        Edit::Replace(index, leaf) => {
            path(leaves, &index).map(|path| leaves.insert(path, leaf));
        }
        Edit::Move(index, to) => {
            if let Some(leaf) = path(leaves, &index).and_then(|path| leaves.remove(&path)) {
                insert(leaves, to, leaf);
            }
        }
        Edit::MoveBelow(index) => {
            if let Some((path, leaf)) = path(leaves, &index).and_then(|path| leaves.remove_entry(&path)) {
                insert(leaves, [&path[..], b"/below"].concat(), leaf);
            }
        }
        Edit::Flip(index) => {
            if let Some(Leaf::File(_, executable)) = path(leaves, &index).and_then(|path| leaves.get_mut(&path)) {
                *executable = !*executable;
            }
        }
        Edit::Splice(index, at, cut, lines) => {
            if let Some(Leaf::File(bytes, _)) = path(leaves, &index).and_then(|path| leaves.get_mut(&path)) {
                let mut all: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
                let at = at.index(all.len() + 1);
                all.splice(at..all.len().min(at + cut), [&lines[..]]);
                *bytes = all.concat();
            }
        }
    }
}

pub(crate) fn pairs() -> impl Strategy<Value = (Leaves, Leaves)> {
    (vec((paths(), leaf()), 0..8), vec(edit(), 0..8)).prop_map(|(start, edits)| {
        let mut base = Leaves::new();
        for (path, leaf) in start {
            insert(&mut base, path, leaf);
        }
        let mut target = base.clone();
        for edit in edits {
            perform(&mut target, edit);
        }
        (base, target)
    })
}
