//! `assay check`: every finding at once, for a person, a model or CI.

use super::prepare::{self, Refused};
use crate::args::{CheckArgs, Format};
use crate::exit::{Exit, Failure};
use crate::settings::Machine;
use crate::ui;
use assay_validator::{Findings, TextStyle};

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

/// Prints findings for a person. Where the compiler has drawn its own messages, they say more than ours about the same errors.
pub(crate) fn show(findings: &Findings, drawings: &[String]) {
    if drawings.is_empty() {
        let style = TextStyle { width: ui::width(), colour: ui::wants_colour() };
        ui::out(findings.to_text(style).trim_end());
    } else {
        for drawing in drawings {
            ui::out(&ui::visible(drawing));
        }
        ui::out(&findings.summary());
    }
}

fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}")
}
