//! The rendering for CI: SARIF 2.1.0 with one rule per code and one result per finding.
//!
//! Source findings carry a region in characters (`columnKind` says so); component findings a byte offset.

use crate::code::Code;
use crate::finding::{Finding, Findings, Place};
use crate::severity::Severity;
use serde_json::{Value, json};

impl Findings {
    /// The findings as a SARIF 2.1.0 log. `artifact` names the checked component where a finding has no file of its own.
    #[must_use]
    pub fn to_sarif(&self, artifact: &str) -> Value {
        let rules: Vec<Value> = Code::ALL.iter().map(|&code| rule(code)).collect();
        let results: Vec<Value> = self.iter().map(|finding| result(finding, artifact)).collect();
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "assay-validator",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                }},
                "columnKind": "unicodeCodePoints",
                "properties": { "omitted": self.omitted() },
                "results": results,
            }],
        })
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn rule(code: Code) -> Value {
    let meaning = code.meaning();
    json!({
        "id": meaning.id,
        "name": meaning.name,
        "shortDescription": { "text": meaning.means },
        "fullDescription": { "text": meaning.why },
        "help": { "text": meaning.mend },
        "defaultConfiguration": { "level": level(code.severity()) },
    })
}

fn result(finding: &Finding, artifact: &str) -> Value {
    let index = Code::ALL.iter().position(|&code| code == finding.code);
    let mut text = finding.message.clone();
    if let Some(observed) = &finding.observed {
        text.push_str(&format!(" Seen: {observed}."));
    }
    text.push_str(&format!(" {}", finding.hint));
    json!({
        "ruleId": finding.code.id(),
        "ruleIndex": index,
        "level": level(finding.severity),
        "message": { "text": text },
        "locations": [location(&finding.place, artifact)],
    })
}

fn location(place: &Place, artifact: &str) -> Value {
    match place {
        Place::File { file } => json!({ "physicalLocation": { "artifactLocation": { "uri": uri(file) } } }),
        Place::Source { file, start, end, .. } => json!({ "physicalLocation": {
            "artifactLocation": { "uri": uri(file) },
            "region": { "startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column },
        }}),
        Place::Manifest { file, key } => json!({
            "physicalLocation": { "artifactLocation": { "uri": uri(file) } },
            "logicalLocations": [{ "fullyQualifiedName": key }],
        }),
        Place::Component { section, function, offset } => {
            let function = function.as_ref().map(|function| match &function.name {
                Some(name) => format!("{section}: function {} {name}", function.index),
                None => format!("{section}: function {}", function.index),
            });
            json!({
                "physicalLocation": { "artifactLocation": { "uri": uri(artifact) }, "region": { "byteOffset": offset, "byteLength": 0 } },
                "logicalLocations": [{ "fullyQualifiedName": function.unwrap_or_else(|| (*section).to_owned()) }],
            })
        }
    }
}

/// A relative URI reference: everything outside the unreserved characters and the slash is percent-encoded.
fn uri(path: &str) -> String {
    path.replace('\\', "/")
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect()
}
