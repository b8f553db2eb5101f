//! Files that are kept between runs, and believed only if a holder of the folder's key has written them.
//!
//! ```text
//! entry = magic 8 │ mac 32 │ fingerprint 32 │ owner 32 │ payload, a byte at least
//!         mac = BLAKE3 keyed with the folder's key, over everything after it
//! ```
//!
//! One entry for each owner, which is the hash of what the payload was made from and names the file. The fingerprint, a hash of
//! everything else that shapes the payload (engine, compiler, versions), is inside, so that an upgrade replaces entries instead
//! of piling them up.
//!
//! Where a file must lie elsewhere, [`Seals`] gives a code for it under such a key.
//!
//! Invariants: a folder that is a link or belongs to somebody else is refused; only what has the name of an entry or of a draft of ours is ever removed; a payload is returned only if its MAC verifies and it was made from this owner under this fingerprint; links and
//! anything that is not a regular file are never read; writers replace whole files, so concurrent readers see an old entry or a new one;
//! reading and keeping are bounded by [`Kind::payload_bytes_max`] and by the bytes that the folder may hold. Whoever can write
//! the folder without reading the key can make entries go away, and nothing else. An attacker who can read the key file can
//! already write this program's memory, so the key's owner and mode are what is guarded.
//!
//! Absent on purpose: what a payload means, and what to do about one that is missing. Each user has a folder, a [`Kind`] and
//! limits of its own.

mod error;
mod folder;
mod key;
mod seal;

pub use error::{CacheError, Distrust};
pub use folder::{Cache, Kept, Kind, Origin};
pub use seal::Seals;
