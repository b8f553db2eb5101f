//! `assay doctor`.

use crate::args::{DoctorArgs, DoctorPart};
use assay_commands::doctor::{self, DoctorSettings, Parts};
use assay_commands::settings::Machine;
use assay_commands::{Ending, Failure};

pub(super) fn run(machine: &Machine, args: &DoctorArgs) -> Result<Ending, Failure> {
    let DoctorArgs { all, corpus, only, skip, jobs, json } = args;
    let parts =
        Parts { python: !skip.contains(&DoctorPart::Python), containers: !skip.contains(&DoctorPart::Containers) };
    let settings =
        DoctorSettings { all: *all, corpus: corpus.clone(), only: only.clone(), parts, jobs: *jobs, json: *json };
    doctor::run(machine, &settings)
}
