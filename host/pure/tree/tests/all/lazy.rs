//! Contents that are loaded when they are read, and not before.

use crate::operation::{LIMITS, NOW};
use assay_tree::patch::diff;
use assay_tree::{BlobError, Blobs, CHUNK_BYTES, Content, Digest, Tree, TreeError};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Default)]
struct Store {
    blobs: BTreeMap<Digest, Arc<[u8]>>,
    loads: AtomicUsize,
}

impl Blobs for Store {
    fn load(&self, digest: Digest) -> Result<Arc<[u8]>, BlobError> {
        self.loads.fetch_add(1, Ordering::Relaxed);
        self.blobs.get(&digest).cloned().ok_or_else(|| BlobError { digest, reason: "not in the store".into() })
    }
}

fn text(file: usize) -> Vec<u8> {
    format!("file {file}\n").repeat(file + 1).into_bytes()
}

/// A tree of 5,000 files that are all in the store, and the same with all bytes in it.
fn trees() -> (Arc<Store>, Tree, Tree) {
    let mut store = Store::default();
    for file in 0..5_000 {
        store.blobs.insert(Digest::of(&text(file % 50)), text(file % 50).into());
    }
    let store = Arc::new(store);
    let (mut lazy, mut whole) = (Tree::with_blobs(LIMITS, store.clone()), Tree::new(LIMITS));
    for file in 0..5_000 {
        let (path, text) = (format!("d{}/f{file}", file % 70), text(file % 50));
        for tree in [&mut lazy, &mut whole] {
            tree.mkdir_all(format!("d{}", file % 70).as_bytes(), NOW).expect("there is room");
        }
        lazy.put(path.as_bytes(), Content::stored(Digest::of(&text), text.len() as u64), NOW).expect("there is room");
        whole.put(path.as_bytes(), text.into(), NOW).expect("there is room");
    }
    (store, lazy, whole)
}

#[test]
fn only_what_is_read_is_loaded() {
    let (store, lazy, whole) = trees();
    let loads = || store.loads.load(Ordering::Relaxed);
    assert_eq!((lazy.digest(), lazy.used()), (whole.digest(), whole.used()), "where the bytes are makes no difference");
    assert!(diff(&lazy, &whole).expect("nothing is to be loaded").is_empty());
    assert_eq!(loads(), 0);

    assert_eq!(lazy.read(b"d3/f73", 5, 2).expect("it is in the store"), b"23");
    assert_eq!(loads(), 1);

    let mut edited = lazy.fork();
    edited.write(b"d3/f73", 0, b"F", NOW).expect("it is in the store");
    assert_eq!(loads(), 2);
    let patch = diff(&lazy, &edited).expect("it is in the store");
    assert_eq!(loads(), 3, "only the old side of the one changed file");
    assert!(patch.starts_with(b"diff --git a/d3/f73 b/d3/f73\n"));
    assert_ne!(edited.digest(), lazy.digest());
    edited.write(b"d3/f73", 0, b"f", NOW).expect("it is here");
    assert_eq!(edited.digest(), lazy.digest());
}

#[test]
fn what_cannot_be_loaded_is_an_input_output_error_and_changes_nothing() {
    let store = Arc::new(Store::default());
    let mut tree = Tree::with_blobs(LIMITS, store);
    let digest = Digest::of(b"gone");
    tree.put(b"x", Content::stored(digest, 4), NOW).expect("there is room");
    let before = (tree.digest(), tree.stat(b"x"));
    let lost = TreeError::Blob(BlobError { digest, reason: "not in the store".into() });
    assert_eq!(tree.read(b"x", 0, 1), Err(lost.clone()));
    assert_eq!(tree.write(b"x", 1, b"y", NOW), Err(lost.clone()));
    assert_eq!(tree.truncate(b"x", 1, NOW), Err(lost.clone()));
    assert_eq!((tree.digest(), tree.stat(b"x")), before);
    assert_eq!(lost.errno_name(), "EIO");
    tree.put(b"x", b"here".into(), NOW).expect("what was lost is not needed");
    assert_eq!(&*tree.read_all(b"x").expect("it is here"), b"here");
}

#[test]
fn a_store_with_other_bytes_is_found_out_by_their_number() {
    let digest = Digest::of(b"four");
    let store = Store { blobs: [(digest, Arc::from(*b"three"))].into(), ..Store::default() };
    let mut tree = Tree::with_blobs(LIMITS, Arc::new(store));
    tree.put(b"x", Content::stored(digest, 4), NOW).expect("there is room");
    let error = tree.read_all(b"x").err().expect("the store is wrong");
    assert_eq!(error.to_string(), format!("content {digest} cannot be loaded: it has 5 bytes, not 4"));
}

#[test]
fn edits_across_chunks_are_those_of_a_vector() {
    let bytes: Vec<u8> = (0..3 * CHUNK_BYTES + 17).map(|index| (index % 251) as u8).collect();
    let digest = Digest::of(&bytes);
    let store = Store { blobs: [(digest, Arc::from(&bytes[..]))].into(), ..Store::default() };
    let mut tree = Tree::with_blobs(LIMITS, Arc::new(store));
    tree.put(b"x", Content::stored(digest, bytes.len() as u64), NOW).expect("there is room");
    let mut expected = bytes;
    let edges = [
        0,
        1,
        CHUNK_BYTES - 1,
        CHUNK_BYTES,
        CHUNK_BYTES + 1,
        2 * CHUNK_BYTES,
        3 * CHUNK_BYTES + 16,
        3 * CHUNK_BYTES + 17,
    ];
    for (round, edge) in edges.into_iter().enumerate() {
        for length in [1, 2, CHUNK_BYTES, CHUNK_BYTES + 3] {
            let fork = tree.fork();
            let data = vec![round as u8; length];
            tree.write(b"x", edge as u64, &data, NOW).expect("there is room");
            expected.resize(expected.len().max(edge + length), 0);
            expected[edge..edge + length].copy_from_slice(&data);
            assert_eq!(&*tree.read_all(b"x").expect("it is here"), &expected[..]);
            assert_eq!(tree.file_digest(b"x"), Ok(Digest::of(&expected)));
            assert_eq!(
                tree.read(b"x", edge as u64, 9).expect("it is here"),
                expected[edge..expected.len().min(edge + 9)]
            );
            drop(fork);
        }
        let size = [edge, edge + 2 * CHUNK_BYTES, 3 * CHUNK_BYTES + 17];
        for size in size {
            tree.truncate(b"x", size as u64, NOW).expect("there is room");
            expected.resize(size, 0);
            assert_eq!(&*tree.read_all(b"x").expect("it is here"), &expected[..]);
        }
    }
}
