//! The rendering for a model or a program: a versioned schema, everything a finding holds, nothing else.

use crate::finding::{Findings, Place, Severity};
use serde::Serialize;

/// Name and version of the JSON layout; the number after the slash changes when a field changes its meaning or goes away.
pub const JSON_SCHEMA: &str = "assay.findings/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    errors: usize,
    warnings: usize,
    omitted: usize,
    findings: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    code: &'static str,
    name: &'static str,
    severity: Severity,
    message: &'a str,
    place: &'a Place,
    observed: Option<&'a str>,
    limit: Option<&'a str>,
    why: &'static str,
    hint: &'a str,
}

impl Findings {
    /// The findings as data, schema [`JSON_SCHEMA`].
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let findings = self
            .iter()
            .map(|finding| Entry {
                code: finding.code.id(),
                name: finding.code.name(),
                severity: finding.severity,
                message: &finding.message,
                place: &finding.place,
                observed: finding.observed.as_deref(),
                limit: finding.limit.as_deref(),
                why: finding.code.meaning().why,
                hint: &finding.hint,
            })
            .collect();
        let (errors, warnings, omitted) = (self.errors(), self.warnings(), self.omitted());
        let document = Document { schema: JSON_SCHEMA, errors, warnings, omitted, findings };
        serde_json::to_value(document).expect("strings, numbers and named fields are always JSON")
    }
}
