//! In the place of the store where this build has none: nothing is recorded, and that is said.

use crate::settings::RecordSettings;
use crate::{Ending, Failure, face};
use assay_evaluate::RunRecord;
use assay_market::Scenario;
use std::path::Path;

/// Nowhere.
pub(crate) enum Place {}

impl Place {
    /// Warns unless the command was told not to record what it does: like a store that cannot be had, that does not keep it from working.
    pub(crate) fn to_record(settings: &RecordSettings) -> Result<Option<Self>, Failure> {
        if !settings.no_store {
            let Failure { message, hint, .. } = Failure::left_out("store");
            face::warn(&format!("not recorded: {message}"));
            if let Some(hint) = hint {
                face::hint(&format!("{hint}; --no-store does without"));
            }
        }
        Ok(None)
    }
}

/// Nothing of what is known before work begins.
pub(crate) struct About;

impl About {
    pub(crate) fn run(_: &Path, _: String, _: &Scenario) -> Self {
        Self
    }
}

/// Nothing of what work leaves.
pub(crate) struct Kept;

impl Kept {
    pub(crate) fn record(&mut self, _: &RunRecord, _: &[u8]) {}
}

/// No store.
pub(crate) struct Ledger;

impl Ledger {
    pub(crate) fn open(_: Option<&Place>) -> Self {
        Self
    }

    /// Does work.
    pub(crate) fn recorded(
        &self,
        About: About,
        work: impl FnOnce(&mut Kept) -> Result<Ending, Failure>,
    ) -> Result<Ending, Failure> {
        work(&mut Kept)
    }

    pub(crate) fn close(self) {}
}
