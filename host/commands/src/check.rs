//! What `assay check` does: every finding at once, for a person, a model or CI.

use crate::prepare::{self, Refused};
use crate::settings::Machine;
use crate::{Ending, Failure, face};
use assay_validator::{Code, Finding, Findings, TextStyle};
use std::path::PathBuf;

/// What is checked.
#[derive(Clone, Debug)]
pub struct CheckSettings {
    /// A strategy: a .rs or .py file, a crate folder, or a compiled .wasm component.
    pub strategy: PathBuf,
    /// How its findings are shown.
    pub format: Format,
}

/// How findings are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For a person: source excerpts and hints.
    Text,
    /// For a model or a script.
    Json,
    /// SARIF 2.1.0, for CI and editors.
    Sarif,
}

/// Checks a strategy without running it, and shows what was found.
///
/// # Errors
///
/// Where there is no such strategy, or this machine fails. A strategy that is refused is not an error, but an ending.
pub fn run(machine: &Machine, settings: &CheckSettings) -> Result<Ending, Failure> {
    let (ending, name, findings, drawings) = match prepare::prepare(machine, &settings.strategy, 1)? {
        Ok(prepared) => (Ending::Success, prepared.name, prepared.findings, Vec::new()),
        Err(Refused { name, findings, drawings }) => (Ending::Rejected, name, findings, drawings),
    };
    match settings.format {
        Format::Text if ending == Ending::Success => {
            show(&findings, &[]);
            face::out(&format!("{}: passed", face::visible(&name)));
        }
        Format::Text => show(&findings, &drawings),
        Format::Json => face::out_json(&pretty(&findings.to_json())),
        Format::Sarif => face::out_json(&pretty(&findings.to_sarif(&settings.strategy.to_string_lossy()))),
    }
    Ok(ending)
}

/// Prints findings for a person. Where the compiler has drawn its own messages, they say more than ours about the same errors; what only we have found stands
/// before them.
pub(crate) fn show(findings: &Findings, drawings: &[String]) {
    face::out(&text(findings, drawings));
}

/// Findings as a person reads them.
pub(crate) fn text(findings: &Findings, drawings: &[String]) -> String {
    let style = TextStyle { width: face::width(), colour: face::wants_colour() };
    if drawings.is_empty() {
        return findings.to_text(style).trim_end().to_owned();
    }
    let is_drawn = |finding: &&Finding| matches!(finding.code, Code::CompileError | Code::CompileWarning);
    let others: Findings = findings.iter().filter(|finding| !is_drawn(finding)).cloned().collect();
    let found = others.to_text(style);
    let found = found.trim_end().strip_suffix(&others.summary()).filter(|_| !others.is_empty());
    let drawn = drawings.iter().map(|drawing| face::lines(drawing));
    let parts = found.map(|found| found.trim_end().to_owned()).into_iter().chain(drawn).chain([findings.summary()]);
    parts.collect::<Vec<_>>().join("\n")
}

fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}")
}
