//! `assay scenarios`: its subcommands, each a call.

use crate::args::ScenariosCommand;
use assay_commands::scenarios::{self, ValidateSettings};
use assay_commands::{DONE, Ending, Failure};

pub(crate) fn run(command: Option<&ScenariosCommand>) -> Result<Ending, Failure> {
    match command {
        None => {
            scenarios::list();
            DONE
        }
        Some(ScenariosCommand::Show { name }) => scenarios::show(name),
        Some(ScenariosCommand::New { file, from }) => scenarios::new(file, from),
        Some(ScenariosCommand::Validate { scenarios: names, seeds, threads }) => {
            let settings = ValidateSettings { scenarios: names.clone(), seeds: seeds.clone(), threads: *threads };
            scenarios::validate(&settings)
        }
    }
}
