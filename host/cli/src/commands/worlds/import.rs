//! `assay worlds import`: published benchmarks as world folders.

use super::{MachineOf, as_failure, python};
use crate::args::{DomainName, SuiteName, WorldsImportCommand};
use crate::exit::{Exit, Failure};
use crate::ui;
use assay_worlds::import::{self, Domain, Imported, Suite};
use std::path::{Path, PathBuf};

/// The name of no attack.
const NO_ATTACK: &str = "none";

pub(super) fn run(command: &WorldsImportCommand, machine: &MachineOf<'_>) -> Result<Exit, Failure> {
    let (imported, out) = match command {
        WorldsImportCommand::Tau2(args) => {
            let domain = match args.domain {
                DomainName::Retail => Domain::Retail,
                DomainName::Airline => Domain::Airline,
                DomainName::Telecom => Domain::Telecom,
            };
            let out = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("tau2-{}", domain.name())));
            (import::tau2(&args.package, domain, &out), out)
        }
        WorldsImportCommand::Bfcl(args) => {
            let out = args.out.clone().unwrap_or_else(|| PathBuf::from("bfcl"));
            (import::bfcl(&args.package, &out, &|| python::open(machine)), out)
        }
        WorldsImportCommand::Agentdojo(args) => {
            let suite = match args.suite {
                SuiteName::Workspace => Suite::Workspace,
                SuiteName::Travel => Suite::Travel,
                SuiteName::Banking => Suite::Banking,
                SuiteName::Slack => Suite::Slack,
            };
            let out = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("agentdojo-{}", suite.name())));
            let attack = Some(args.attack.as_str()).filter(|name| *name != NO_ATTACK);
            (import::agentdojo(&args.package, suite, attack, &out, &|| python::open(machine)), out)
        }
    };
    show(&imported.map_err(as_failure)?, &out);
    Ok(Exit::Success)
}

fn show(imported: &Imported, out: &Path) {
    let Imported { tasks, tools, left_out } = imported;
    for why in left_out {
        ui::warn(&format!("left out: {}", ui::visible(why)));
    }
    ui::step("Imported", &format!("{} ({tasks} tasks, {tools} tools)", ui::visible(&out.display().to_string())));
    let name = out.display();
    ui::note(&ui::lines(&format!("Next:\n  assay worlds check {name}\n  assay worlds run {name} --agent scripted")));
}
