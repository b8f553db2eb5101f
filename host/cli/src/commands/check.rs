//! `assay check`: its flags as settings.

use crate::args::{CheckArgs, Format};
use assay_commands::check::{self, CheckSettings};
use assay_commands::settings::Machine;
use assay_commands::{Ending, Failure};

pub(crate) fn run(machine: &Machine, args: &CheckArgs) -> Result<Ending, Failure> {
    let format = match args.format {
        Format::Text => check::Format::Text,
        Format::Json => check::Format::Json,
        Format::Sarif => check::Format::Sarif,
    };
    check::run(machine, &CheckSettings { strategy: args.strategy.clone(), format })
}
