//! What a gate says about its caches: once, however many submissions there are.

use crate::{chain, face};
use assay_sandbox::{CacheError, Origin};
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// What was seen of the caches of modules and of machine code.
#[derive(Default)]
pub(super) struct Caches {
    /// How many entries could not be trusted, by the reason.
    distrusted: Mutex<BTreeMap<String, usize>>,
    /// Why something could not be kept, the first time.
    not_kept: OnceLock<String>,
}

impl Caches {
    /// Takes note of where one thing came from, and of why it could not be kept.
    pub(super) fn note(&self, origin: Origin, warning: Option<&CacheError>) {
        if let Some(warning) = warning {
            self.not_kept.get_or_init(|| chain(warning));
        }
        if let Origin::Recompiled { why } = origin {
            let mut distrusted = self.distrusted.lock().unwrap_or_else(PoisonError::into_inner);
            *distrusted.entry(format!("{why:?}")).or_default() += 1;
        }
    }

    /// Warns of what there is to warn of.
    pub(super) fn warn(&self) {
        if let Some(warning) = self.not_kept.get() {
            face::warn(&format!("compiled code is not cached: {warning}"));
        }
        let distrusted = self.distrusted.lock().unwrap_or_else(PoisonError::into_inner);
        if !distrusted.is_empty() {
            let reasons: Vec<_> = distrusted.iter().map(|(why, times)| format!("{times} {why}")).collect();
            face::warn(&format!("cached artifacts could not be trusted and were recompiled ({})", reasons.join(", ")));
        }
    }
}
