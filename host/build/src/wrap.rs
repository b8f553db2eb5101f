//! Makes a component of the `strategy` world out of a core module.

use wasmparser::{Parser, Payload};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

use crate::error::BuildError;
use crate::sdk::WIT;

/// Custom sections in which a module may describe a world of its own; ours is the only one.
const WORLD_SECTION: &str = "component-type";

/// Describes the module as the `strategy` world and encodes it.
pub(crate) fn wrap(module: &[u8]) -> Result<Vec<u8>, BuildError> {
    refuse_own_world(module)?;
    let mut module = module.to_vec();
    let mut encode = || {
        let mut resolve = Resolve::default();
        let package = resolve.push_source("strategy.wit", WIT)?;
        let world = resolve.select_world(&[package], Some("strategy"))?;
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)?;
        ComponentEncoder::default().validate(true).module(&module)?.encode()
    };
    encode().map_err(|error| BuildError::NotAStrategy { message: format!("{error:#}") })
}

fn refuse_own_world(module: &[u8]) -> Result<(), BuildError> {
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload.map_err(|error| BuildError::NotAStrategy { message: error.to_string() })?;
        if let Payload::CustomSection(section) = payload
            && section.name().starts_with(WORLD_SECTION)
        {
            let message = format!("the module has a section `{}` of its own", section.name());
            return Err(BuildError::NotAStrategy { message });
        }
    }
    Ok(())
}
