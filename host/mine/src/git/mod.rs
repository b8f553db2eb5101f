//! Reading a git repository that a stranger made.
//!
//! ```text
//! HEAD, refs ──(bounded reads, no link followed)──► an object's id ──► `git cat-file`, in a git folder of our own ──► commits, trees, files
//! ```
//!
//! Invariants: nothing of the repository is run or obeyed. `git` is given the folder of objects and nothing else: its git folder is an empty one of
//! ours, so the repository's configuration, hooks, attributes, filters, replacements and grafts are never read. Nothing is fetched, nothing is checked out,
//! no name of a tree becomes a path of this machine. Whatever is read has a limit, and whoever waits for `git` has a deadline.

mod objects;
mod parse;
mod place;

pub(crate) use objects::{ObjectError, Objects};
pub(crate) use parse::Commit;
pub(crate) use parse::{Entry, Mode, Oid, Sort, commit, tag_target, tree};
pub(crate) use place::Place;
pub use place::PlaceError;
