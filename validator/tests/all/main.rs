//! Tests of the validator through its public interface, one binary.

mod component;
mod corpus;
mod crates;
mod documentation;
mod python;
mod render;
mod robustness;
mod support;
