//! What a rollout reads of strangers: images' archives and models' replies.

use assay_rollout::code_blocks;
use assay_rollout::repository::{Key, RepositoryCache};

/// An image's archive: refused, or a tree that is found again under its key.
pub fn tarball(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cache = RepositoryCache::open(folder.path()).expect("a new cache opens");
    let key = Key::of(["fuzz"]);
    match cache.import_tar(key, bytes, 1, &["keep/out".to_owned()]) {
        Ok(tree) => {
            let found = cache.find(key).expect("the disk works").expect("what was kept is found");
            assert_eq!(found.digest(), tree.digest());
            assert!(tree.lstat(b"keep/out").is_err(), "what is kept out got in");
        }
        Err(_) => assert!(cache.find(key).expect("the disk works").is_none(), "something refused was kept"),
    }
}

/// A model's reply: its code blocks are parts of it.
pub fn reply(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let blocks = code_blocks::find(&text);
    assert!(blocks.len() <= text.len());
}
