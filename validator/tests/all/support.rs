//! Shared by all tests: the corpus on disk, sets of codes, and components built the way the host builds them.

use assay_validator::Findings;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// The root of the checkout.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in a folder of the workspace").to_owned()
}

/// Files with this extension directly in a folder, sorted; none if the folder is not there.
pub(crate) fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(root().join(folder)) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder is readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files.sort();
    files
}

/// The distinct ids, in order.
pub(crate) fn ids(findings: &Findings) -> BTreeSet<String> {
    findings.iter().map(|finding| finding.code.id().to_owned()).collect()
}

/// The ids in a text such as `S001 S002`.
pub(crate) fn expected(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// What the first line of a file of the corpus expects: `//@ expect: S001` (or `;;@`, `#@`).
pub(crate) fn expectation(bytes: &[u8]) -> BTreeSet<String> {
    let first = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let first = String::from_utf8_lossy(first);
    let (_, codes) = first.split_once("@ expect:").expect("the first line of a hostile file says what is expected");
    let codes = codes.split("*/").next().unwrap_or_default();
    expected(codes)
}

/// A component around a core module given as text, encoded as the host does it, not yet validated by anyone.
pub(crate) fn component(module: &str) -> Vec<u8> {
    component_of(wat::parse_str(module).expect("the module is well-formed text"))
}

/// The same around a binary module.
pub(crate) fn component_of(mut module: Vec<u8>) -> Vec<u8> {
    let mut resolve = Resolve::default();
    let wit = include_str!("../../../guest-sdk/wit/strategy.wit");
    let package = resolve.push_str("strategy.wit", wit).expect("the interface parses");
    let world = resolve.select_world(&[package], None).expect("the interface has one world");
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).expect("the metadata fits");
    let mut encoder =
        ComponentEncoder::default().validate(false).module(&module).expect("the module fits the interface");
    encoder.encode().expect("the component can be encoded")
}

/// A core module that does nothing but fit the interface. `fields` go before the functions, `extra` after everything, `tick` is the body
/// of `on-tick`.
pub(crate) fn module(fields: &str, tick: &str, extra: &str) -> String {
    format!(
        r#"(module
            (import "assay:strategy/exchange@0.2.0" "log" (func $log (param i32 i32)))
            (import "assay:strategy/exchange@0.2.0" "depth" (func $depth (param i32 i32 i32)))
            (import "assay:strategy/exchange@0.2.0" "wake-at" (func $wake-at (param i64)))
            (import "assay:strategy/exchange@0.2.0" "random" (func $random (result i64)))
            {fields}
            (func (export "initialize") (param i32))
            (func $tick (export "on-tick") (param i64 i64 i64 i64 i64 i64 i64) {tick})
            (func (export "on-market-data") (param i64 i64 i64 i64 i64 i64 i64))
            (func (export "on-order-update") (param i64 i64 i64 i64 i64 i64 i64 i64 i64 i32 i32 i64 i64 i64 i32 i32))
            (func (export "on-simulation-end") (param i64))
            (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) i32.const 1024)
            {extra})"#
    )
}

/// The usual memory.
pub(crate) const MEMORY: &str = r#"(memory (export "memory") 17)"#;
