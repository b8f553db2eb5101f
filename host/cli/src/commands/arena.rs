//! `assay arena`: its flags as settings.

use crate::args::ArenaArgs;
use assay_commands::arena::{self, ArenaSettings};
use assay_commands::settings::Machine;
use assay_commands::{Ending, Failure};

pub(crate) fn run(machine: &Machine, args: &ArenaArgs) -> Result<Ending, Failure> {
    let settings = ArenaSettings {
        strategies: args.strategies.clone(),
        scenario: args.scenario.clone(),
        seeds: args.seeds.clone(),
        json: args.json.clone(),
        threads: args.threads,
    };
    arena::run(machine, &settings)
}
