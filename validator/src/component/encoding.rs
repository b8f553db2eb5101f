//! Modules and the components around them.
//!
//! The sandbox runs a component's module itself, with the host's functions as its imports, and leaves the rest unread. That means the
//! same only if the rest is what the encoder makes of that module, so this stage encodes the module again and compares.
//!
//! Invariant: the module of a checked component, linked by the names of its imports and exports, behaves as the component does.

use super::place;
use crate::code::Code;
use crate::finding::{Finding, Findings};
use std::ops::Range;
use wasmparser::{BinaryReader, Parser, Payload};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

pub(super) const WIT: &str = include_str!("../../../guest-sdk/wit/strategy.wit");
/// Custom sections in which a module may describe a world of its own; ours is the only one.
const WORLD_SECTION: &str = "component-type";
/// The one interface, as modules name it.
const EXCHANGE: &str = "assay:strategy/exchange@0.1.0";
/// Exports that tell the encoder to do something beyond the plain names: another mangling, other allocators, functions to call
/// before or after.
const SPECIAL_EXPORTS: [&str; 7] = [
    "cm32p2",
    "_initialize",
    "cabi_post_",
    "cabi_import_realloc",
    "cabi_export_realloc",
    "cabi_realloc_adapter",
    "canonical_abi_realloc",
];
/// Component preamble: magic, version, layer.
const PREAMBLE_BYTES: usize = 8;
const CUSTOM_SECTION: u8 = 0;

/// Why a module makes no component of the strategy's interface: the encoder's words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EncodeError(pub String);

impl std::fmt::Display for EncodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EncodeError {}

/// The component of the `strategy` world around a core module.
///
/// # Errors
/// [`EncodeError`], when the module lacks a function of the world, imports something else, or describes a world of its own.
pub fn encode_component(module: &[u8]) -> Result<Vec<u8>, EncodeError> {
    refuse_own_world(module)?;
    let mut module = module.to_vec();
    let mut encode = || {
        let mut resolve = Resolve::default();
        let package = resolve.push_source("strategy.wit", WIT)?;
        let world = resolve.select_world(&[package], Some("strategy"))?;
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)?;
        // Whether the result is valid is for `check_component` to say, which comes next for every component.
        ComponentEncoder::default().validate(false).module(&module)?.encode()
    };
    encode().map_err(|error| EncodeError(format!("{error:#}")))
}

fn refuse_own_world(module: &[u8]) -> Result<(), EncodeError> {
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload.map_err(|error| EncodeError(error.to_string()))?;
        if let Payload::CustomSection(section) = payload
            && section.name().starts_with(WORLD_SECTION)
        {
            return Err(EncodeError(format!("the module has a section `{}` of its own", section.name())));
        }
    }
    Ok(())
}

/// Where the module lies in a valid component that is as the encoder makes it.
pub(super) fn module(component: &[u8]) -> Result<Range<usize>, Findings> {
    let foreign = |offset, message: &str, observed: String| {
        let finding = Finding::new(Code::ForeignEncoding, place("component", offset), message);
        Findings::from_iter([if observed.is_empty() { finding } else { finding.observed(observed) }])
    };
    let first = Parser::new(0).parse_all(component).find_map(|payload| match payload {
        Ok(Payload::ModuleSection { unchecked_range, .. }) => Some(unchecked_range),
        _ => None,
    });
    let range = first.ok_or_else(|| foreign(0, "there is no module in the component", String::new()))?;
    let module = &component[range.clone()];
    if let Some(name) = special_name(module) {
        return Err(foreign(range.start, "the module asks for more than plain calls", name));
    }
    let again =
        encode_component(module).map_err(|error| foreign(range.start, "the module makes no component", error.0))?;
    if sections(component) == sections(&again) {
        Ok(range)
    } else {
        Err(foreign(0, "the component is not what the encoder makes of its module", String::new()))
    }
}

/// An import or export that is more than a name of the interface.
fn special_name(module: &[u8]) -> Option<String> {
    for payload in Parser::new(0).parse_all(module).flatten() {
        match payload {
            Payload::ImportSection(section) => {
                let other = |import: &wasmparser::Import<'_>| import.module != EXCHANGE;
                let found = section.into_imports().flatten().find(other);
                if let Some(import) = found {
                    return Some(format!("import {}#{}", import.module, import.name));
                }
            }
            Payload::ExportSection(section) => {
                let special = |name: &str| SPECIAL_EXPORTS.iter().any(|special| name.starts_with(special));
                if let Some(export) = section.into_iter().flatten().find(|export| special(export.name)) {
                    return Some(format!("export {}", export.name));
                }
            }
            _ => {}
        }
    }
    None
}

/// The sections of a component but for the custom ones, which mean nothing; `None` if they cannot be told apart.
fn sections(component: &[u8]) -> Option<Vec<(u8, &[u8])>> {
    let mut reader = BinaryReader::new(component.get(PREAMBLE_BYTES..)?, PREAMBLE_BYTES);
    let mut sections = Vec::new();
    while !reader.eof() {
        let id = reader.read_u8().ok()?;
        let length = reader.read_var_u32().ok()?;
        let content = reader.read_bytes(length as usize).ok()?;
        if id != CUSTOM_SECTION {
            sections.push((id, content));
        }
    }
    Some(sections)
}
