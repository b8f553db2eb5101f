//! In the place of recorded orders where this build cannot read them.

use crate::Failure;
use assay_market::Draft;
use assay_market::replay::Recording;
use assay_model::Seed;
use std::path::Path;

pub(super) fn read(_: &Draft, _: &Path, _: &str, _: Option<(Seed, bool)>) -> Result<Recording, Failure> {
    Err(Failure::left_out("recorded orders"))
}
