//! `assay observe`: its flags as settings.

use crate::args::ObserveArgs;
use assay_commands::observe::{self, ObserveSettings};
use assay_commands::{Ending, Failure};

pub(crate) fn run(args: &ObserveArgs) -> Result<Ending, Failure> {
    let settings = ObserveSettings {
        scenario: args.scenario.clone(),
        set: args.set.clone(),
        seeds: args.seeds.clone(),
        out: args.out.clone(),
        threads: args.threads,
        data: args.data,
        json: args.json,
    };
    observe::run(&settings)
}
