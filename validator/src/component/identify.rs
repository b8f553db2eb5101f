//! What kind of file it is, before anything is parsed.

use super::place;
use crate::code::Code;
use crate::finding::Finding;
use crate::limits::COMPONENT_BYTES_MAX;
use wasmparser::Parser;

const WASM_MAGIC: &[u8] = b"\0asm";
/// ELF is also what wasmtime's precompiled artifacts are.
const NATIVE_MAGICS: &[(&[u8], &str)] = &[
    (b"\x7fELF", "an ELF file"),
    (b"MZ", "a Windows executable"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O file"),
    (b"\xca\xfe\xba\xbe", "a universal Mach-O file"),
];

/// The finding for bytes that are not a component at all.
pub(super) fn refusal(bytes: &[u8]) -> Option<Finding> {
    let finding = |code, message: &str| Some(Finding::new(code, place("file", 0), message));
    if bytes.is_empty() {
        return finding(Code::EmptyInput, "the file is empty");
    }
    if let Some((_, kind)) = NATIVE_MAGICS.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return finding(Code::PrecompiledArtifact, &format!("this is {kind}, not a component"));
    }
    if bytes.len() as u64 > COMPONENT_BYTES_MAX {
        return finding(Code::ComponentTooLarge, "the component is too large")
            .map(|finding| finding.observed(format_args!("{} bytes", bytes.len())));
    }
    if Parser::is_core_wasm(bytes) {
        return finding(Code::CoreModule, "this is a core module, not a component");
    }
    if !bytes.starts_with(WASM_MAGIC) {
        // A look at the start is enough to tell text from binary.
        let text = bytes.iter().take(256).all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e | 0x80..));
        let message = if text { "this is text, not a binary component" } else { "this is not WebAssembly" };
        return finding(Code::NotWebAssembly, message);
    }
    if !Parser::is_component(bytes) {
        let observed: String = bytes.iter().skip(4).take(4).map(|byte| format!("{byte:02x}")).collect();
        return finding(Code::InvalidComponent, "this is WebAssembly of an unknown version or kind")
            .map(|finding| finding.observed(format_args!("header bytes {observed}")).limit("0d000100"));
    }
    None
}
