//! `assay gate`: dispatch of its words.

mod key;
mod keygen;
mod outputs;
mod report;
mod verify;

use crate::args::{GateArgs, GateCommand};
use crate::exit::{Exit, Failure};

pub(crate) fn run(args: &GateArgs) -> Result<Exit, Failure> {
    match &args.command {
        GateCommand::Verify(args) => verify::run(args),
        GateCommand::Keygen(args) => keygen::run(args),
        GateCommand::Report(args) => report::run(args),
    }
}
