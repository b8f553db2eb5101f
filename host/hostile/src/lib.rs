//! The corpus of attacks as data: what each tries, what must become of it within which bounds, and the bytes that it is made of.
//!
//! ```text
//! tests/hostile/{a..j}.toml ──► Corpus ──► Attack ──► Material::bytes ──► a file for `assay`
//! tests/hostile/{source,component,crates,any,j}/…
//! ```
//!
//! The ten classes are those of the project's threat list, A to J; `docs/hostile.md` explains them. The tables travel inside this library,
//! so that an installed copy can attack itself; the folders of files are for a checkout.
//!
//! Invariants: an id is used once; every attack says what is expected and has a bound on time and memory; what [`expand()`] makes is bounded.
//!
//! Absent on purpose: running anything. Whoever runs an attack does so in a process of its own and looks at it from outside.

mod attack;
mod corpus;
mod expand;
mod guest;
mod score;

pub use attack::{
    Attack, Budget, Cache, Class, Compile, Expectation, MEGABYTE, Material, MaterialError, Means, Play, Python, Same,
    Spoil, Vary,
};
pub use corpus::{Corpus, CorpusError};
pub use expand::{CANARY, EXPANDED_BYTES_MAX, ExpandError, expand};
pub use guest::Guest;
pub use score::Score;
