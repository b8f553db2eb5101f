//! What one call, or one event, may use: how much it looks at, and how much memory it builds.
//!
//! Invariant: memory is taken before it is used, so a world that would build a lot fails while it is still small.

use serde_json::Value;

use crate::limits::{BUILT_BYTES_MAX, WORK_PER_CALL_MAX};
use crate::value;

/// What a call may still look at, see [`WORK_PER_CALL_MAX`], and build, see [`BUILT_BYTES_MAX`].
#[derive(Debug)]
pub(crate) struct Work {
    looks: u64,
    bytes: u64,
}

impl Work {
    /// All of it.
    #[must_use]
    pub(crate) const fn new() -> Self {
        Self { looks: WORK_PER_CALL_MAX, bytes: BUILT_BYTES_MAX }
    }

    /// Takes some.
    ///
    /// # Errors
    /// There is none left.
    pub(crate) fn take(&mut self, amount: u64) -> Result<(), String> {
        self.looks = self.looks.checked_sub(amount).ok_or("the call looked at too much")?;
        Ok(())
    }

    /// Takes bytes of memory, before they are used.
    ///
    /// # Errors
    /// Fewer are left.
    pub(crate) fn build(&mut self, bytes: u64) -> Result<(), String> {
        let left = self.bytes.checked_sub(bytes);
        self.bytes = left.ok_or_else(|| format!("the call needs more than {BUILT_BYTES_MAX} bytes of memory"))?;
        Ok(())
    }

    /// A copy of a value.
    ///
    /// # Errors
    /// It takes more memory than is left.
    pub(crate) fn copy(&mut self, value: &Value) -> Result<Value, String> {
        self.build(value::weight(value))?;
        Ok(value.clone())
    }
}

impl Default for Work {
    fn default() -> Self {
        Self::new()
    }
}
