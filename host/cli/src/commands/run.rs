//! `assay run`: its flags as settings.

use crate::args::RunArgs;
use assay_commands::run::{self, RunSettings};
use assay_commands::settings::Machine;
use assay_commands::{Ending, Failure};

pub(crate) fn run(machine: &Machine, args: &RunArgs) -> Result<Ending, Failure> {
    let settings = RunSettings {
        strategy: args.strategy.clone(),
        scenario: args.scenario.clone(),
        set: args.set.clone(),
        param: args.param.clone(),
        seeds: args.seeds.clone(),
        goal: args.goal.goal(),
        baseline: args.baseline.clone(),
        out: args.out.clone(),
        threads: args.threads,
        data: args.data,
        profile: args.profile,
        record: (&args.record).into(),
    };
    run::run(machine, &settings)
}
