//! The tree through its interface: against a naive model, against Linux, and its patches against git.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the tests ask real file systems and git what is right"
)]

mod hostile;
mod lazy;
mod linux;
mod model;
mod operation;
mod patch_bad;
mod patch_cases;
mod patch_git;
mod patch_trees;
mod search;
