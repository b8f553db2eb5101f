//! The file tree that a bug-fix episode edits: what it works on, what it is diffed against, what is graded.
//!
//! Invariants: nothing here touches a real file, a clock or a thread. Contents come in through [`Blobs`], times as arguments. A [`Tree`] is a
//! value: [`Tree::fork`] shares everything and neither side sees what the other does next. No path leaves the tree.
//!
//! Absent on purpose: owners, groups and permissions but the executable bit (git keeps no others), hard links, devices, open files (a
//! descriptor is its holder's business: a path and an id to check it by).

mod change;
mod content;
mod digest;
mod error;
mod limits;
mod name;
mod node;
pub mod patch;
mod resolve;
pub mod search;
mod tree;
mod walk;

pub use content::{Blobs, Bytes, CHUNK_BYTES, Content, NoBlobs};
pub use digest::Digest;
pub use error::{BlobError, TreeError};
pub use limits::{DEPTH_MAX, Limits, NAME_MAX, PATH_MAX, SYMLINK_BYTES_FOLLOWED_MAX, SYMLINKS_FOLLOWED_MAX, Usage};
pub use name::Name;
pub use node::{Kind, Stat};
pub use tree::{DirectoryEntry, Tree};
pub use walk::Walk;
