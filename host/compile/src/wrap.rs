//! Makes a component of the `strategy` world out of a core module.

use crate::error::BuildError;

/// Describes the module as the `strategy` world and encodes it.
pub(crate) fn wrap(module: &[u8]) -> Result<Vec<u8>, BuildError> {
    assay_validator::encode_component(module).map_err(|error| BuildError::NotAStrategy { message: error.0 })
}
