//! Modules and the components around them.
//!
//! The sandbox runs a component's module itself, with the host's functions as its imports, and leaves the rest unread. That means the
//! same only if the rest is what the encoder makes of that module, so this stage encodes the module again and compares.
//!
//! Custom sections are left out of it. Invariant: the module of a checked component, linked by the names of its imports and exports, behaves as the component does.

use super::place;
use crate::code::Code;
use crate::finding::{Finding, Findings};
use std::ops::Range;
use wasmparser::{BinaryReader, ExternalKind, Parser, Payload};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

pub(super) const WIT: &str = include_str!("../../../guest-sdk/wit/strategy.wit");
/// Custom sections in which a module may describe a world of its own; ours is the only one.
const WORLD_SECTION: &str = "component-type";
/// The one interface, as modules name it.
const EXCHANGE: &str = "assay:strategy/exchange@0.2.0";
/// The functions that a strategy exports; other names may mean something to the encoder.
const EXPORTS: [&str; 6] =
    ["initialize", "on-tick", "on-market-data", "on-order-update", "on-simulation-end", "cabi_realloc"];
/// Magic and version, of modules and components alike.
const PREAMBLE_BYTES: usize = 8;
const CUSTOM_SECTION: u8 = 0;
/// A core module, among the sections of a component.
const MODULE_SECTION: u8 = 1;

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
/// [`EncodeError`], when the module lacks a function of the world, imports or exports others, or describes a world of its own.
pub fn encode_component(module: &[u8]) -> Result<Vec<u8>, EncodeError> {
    refuse_other_names(module)?;
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

/// Lets only plain names of the interface through. The encoder knows many more, some change what it makes of a module, and some that
/// contradict each other make it panic.
fn refuse_other_names(module: &[u8]) -> Result<(), EncodeError> {
    let refused = |what: &str, name: &str| Err(EncodeError(format!("the module has {what} `{name}`")));
    let broken = |error: wasmparser::BinaryReaderError| EncodeError(error.to_string());
    for payload in Parser::new(0).parse_all(module) {
        match payload.map_err(broken)? {
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let import = import.map_err(broken)?;
                    if import.module != EXCHANGE || import.name.starts_with('[') {
                        return refused("the import", &format!("{}#{}", import.module, import.name));
                    }
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export.map_err(broken)?;
                    if export.kind == ExternalKind::Func && !EXPORTS.contains(&export.name) {
                        return refused("the export", export.name);
                    }
                }
            }
            Payload::CustomSection(section) if section.name().starts_with(WORLD_SECTION) => {
                return refused("a world of its own in the section", section.name());
            }
            _ => {}
        }
    }
    Ok(())
}

/// Where the module lies in a valid component that is as the encoder makes it.
pub(super) fn module(component: &[u8]) -> Result<Range<usize>, Findings> {
    let first = Parser::new(0).parse_all(component).find_map(|payload| match payload {
        Ok(Payload::ModuleSection { unchecked_range, .. }) => Some(unchecked_range),
        _ => None,
    });
    let foreign = |offset, message: &str, observed: &str| {
        let finding = Finding::new(Code::ForeignEncoding, place("component", offset), message);
        Findings::from_iter([if observed.is_empty() { finding } else { finding.observed(observed) }])
    };
    let range = first.ok_or_else(|| foreign(0, "there is no module in the component", ""))?;
    let again = bare(&component[range.clone()])
        .and_then(|module| encode_component(&module))
        .map_err(|error| foreign(range.start, "the module is not a strategy's", &error.0))?;
    if essence(component).is_some_and(|essence| Some(essence) == self::essence(&again)) {
        Ok(range)
    } else {
        Err(foreign(0, "the component is not what the encoder makes of its module", ""))
    }
}

/// A section: its number and what is in it.
type Section<'a> = (u8, &'a [u8]);

/// The sections of a module or component but for the custom ones, which mean nothing; `None` if they cannot be told apart.
fn sections(bytes: &[u8]) -> Option<Vec<Section<'_>>> {
    let mut reader = BinaryReader::new(bytes.get(PREAMBLE_BYTES..)?, PREAMBLE_BYTES);
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

/// A component's sections, those of its modules taken apart likewise.
fn essence(component: &[u8]) -> Option<Vec<(u8, Vec<Section<'_>>)>> {
    let apart = |(id, content)| match id {
        MODULE_SECTION => Some((id, sections(content)?)),
        _ => Some((id, vec![(id, content)])),
    };
    sections(component)?.into_iter().map(apart).collect()
}

/// A module without its custom sections: the encoder rewrites some, and reads others that may be broken.
fn bare(module: &[u8]) -> Result<Vec<u8>, EncodeError> {
    let unreadable = || EncodeError("the sections of the module cannot be told apart".to_owned());
    let mut bare = module.get(..PREAMBLE_BYTES).ok_or_else(unreadable)?.to_vec();
    for (id, content) in sections(module).ok_or_else(unreadable)? {
        bare.push(id);
        // Its length in LEB128; components are bounded far below 4 GiB.
        let mut length = content.len() as u32;
        while length >= 0x80 {
            bare.push(length as u8 | 0x80);
            length >>= 7;
        }
        bare.push(length as u8);
        bare.extend_from_slice(content);
    }
    Ok(bare)
}
