//! Source text, and what is said about it.

use assay_validator::{Findings, TextStyle, check_source_bytes};

/// Source text: findings that can be shown in every form.
pub fn source(bytes: &[u8]) {
    survive(&check_source_bytes("fuzz.rs", bytes));
}

pub(crate) fn survive(findings: &Findings) {
    let text = findings.to_text(TextStyle { width: 40, colour: false });
    assert!(!text.contains('\u{1b}'), "a guest's text reaches the terminal");
    let _ = findings.to_json();
    let _ = findings.to_sarif("fuzz");
    assert!(findings.iter().count() <= assay_validator::limits::FINDINGS_MAX);
}
