//! Saved by an editor that writes a byte order mark and carriage returns.

use assay_sdk::*;

/// Größe, größer, 数量, العربية, עברית, 👨‍👩‍👧.
const GREETING: &str = "héllo 🚀 مرحبا";

struct Honest;

impl Strategy for Honest {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        let µ = GREETING.len();
        let _ = µ;
        Honest
    }
}

assay_sdk::export!(Honest);
