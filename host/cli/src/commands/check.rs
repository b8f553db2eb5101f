//! `assay check`: every finding at once, for a person, a model or CI.

use super::prepare::{self, Refused};
use crate::args::{CheckArgs, Format};
use crate::exit::{Exit, Failure};
use crate::settings::Machine;
use crate::ui;
use assay_validator::{Code, Finding, Findings, TextStyle};

pub(crate) fn run(machine: &Machine, args: &CheckArgs) -> Result<Exit, Failure> {
    let (exit, name, findings, drawings) = match prepare::prepare(machine, &args.strategy, 1)? {
        Ok(prepared) => (Exit::Success, prepared.name, prepared.findings, Vec::new()),
        Err(Refused { name, findings, drawings }) => (Exit::Rejected, name, findings, drawings),
    };
    match args.format {
        Format::Text if exit == Exit::Success => {
            show(&findings, &[]);
            ui::out(&format!("{}: passed", ui::visible(&name)));
        }
        Format::Text => show(&findings, &drawings),
        Format::Json => ui::out(&pretty(&findings.to_json())),
        Format::Sarif => ui::out(&pretty(&findings.to_sarif(&args.strategy.to_string_lossy()))),
    }
    Ok(exit)
}

/// Prints findings for a person. Where the compiler has drawn its own messages, they say more than ours about the same errors; what only we have found stands
/// before them.
pub(crate) fn show(findings: &Findings, drawings: &[String]) {
    ui::out(&text(findings, drawings));
}

/// Findings as a person reads them.
pub(crate) fn text(findings: &Findings, drawings: &[String]) -> String {
    let style = TextStyle { width: ui::width(), colour: ui::wants_colour() };
    if drawings.is_empty() {
        return findings.to_text(style).trim_end().to_owned();
    }
    let is_drawn = |finding: &&Finding| matches!(finding.code, Code::CompileError | Code::CompileWarning);
    let others: Findings = findings.iter().filter(|finding| !is_drawn(finding)).cloned().collect();
    let found = others.to_text(style);
    let found = found.trim_end().strip_suffix(&others.summary()).filter(|_| !others.is_empty());
    let drawn = drawings.iter().map(|drawing| ui::lines(drawing));
    let parts = found.map(|found| found.trim_end().to_owned()).into_iter().chain(drawn).chain([findings.summary()]);
    parts.collect::<Vec<_>>().join("\n")
}

fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}")
}
