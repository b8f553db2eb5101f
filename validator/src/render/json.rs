//! The rendering for a model or a program: a versioned schema, everything a finding holds, nothing else.

use crate::finding::{Finding, Findings};
use serde_json::{Value, json};

/// Name and version of the JSON layout; the number after the slash changes when a field changes its meaning or goes away.
pub const JSON_SCHEMA: &str = "assay.findings/1";

impl Findings {
    /// The findings as data, schema [`JSON_SCHEMA`].
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "schema": JSON_SCHEMA,
            "errors": self.errors(),
            "warnings": self.warnings(),
            "omitted": self.omitted(),
            "findings": self.iter().map(entry).collect::<Vec<_>>(),
        })
    }
}

fn entry(finding: &Finding) -> Value {
    json!({
        "code": finding.code.id(),
        "name": finding.code.name(),
        "severity": finding.severity,
        "message": finding.message,
        "place": finding.place,
        "observed": finding.observed,
        "limit": finding.limit,
        "why": finding.code.meaning().why,
        "hint": finding.hint,
    })
}
