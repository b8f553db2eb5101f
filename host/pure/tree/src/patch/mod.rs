//! Patches as git writes them: the difference of two trees as bytes, and bytes applied to a tree.
//!
//! Invariants: an unchanged tree gives an empty patch; `apply(a, diff(a, b))` holds the files and symlinks of `b`; `git apply` takes what
//! [`diff`] writes, and [`apply`] what `git diff --binary` writes. Applying is strict: every line at the place the patch names, no fuzz
//! and no offsets, all or nothing.
//!
//! As in git, a patch knows no empty directories: `diff` does not see them, and `apply` removes those that it empties.

mod apply;
mod binary;
mod compare;
mod difference;
mod error;
mod hunk;
mod lines;
mod parse;
mod parse_body;
mod quote;
mod rename;
mod write;

pub use apply::apply;
pub use compare::{ChangedPath, changed_bytes, changed_paths};
pub use error::{PatchError, Problem};
pub(crate) use hunk::is_text;
pub use write::diff;
