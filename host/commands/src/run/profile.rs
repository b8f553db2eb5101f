//! The profile that was asked for: the first seed once more with a program that tells where its fuel goes.

use crate::settings::ReportFolder;
use crate::{Failure, chain, face};
use assay_evaluate::{Guest, ProfileRecord, RunRecord};
use assay_market::Scenario;
use assay_model::Seed;
use assay_sandbox::Sandbox;
use assay_validator::CheckedComponent;
use std::sync::atomic::AtomicBool;

/// The drawing in the report's folder.
const FILE: &str = "profile.svg";

/// Profiles the first scored seed, puts the functions into the record and the flame graph into the folder.
pub(super) fn run(
    sandbox: &Sandbox,
    checked: &CheckedComponent,
    scenario: &Scenario,
    cancel: &AtomicBool,
    folder: &ReportFolder,
    record: &mut RunRecord,
) -> Result<(), Failure> {
    let Some(first) = record.episodes.first() else { return Ok(()) };
    let (seed, scored_fuel) = (Seed(first.seed), first.usage.fuel());
    let failed = |what: String| Failure::infrastructure(format!("failed to profile the strategy: {what}"));
    let program = sandbox.load_profiled(checked).map_err(|error| failed(chain(&error)))?;
    let guest = Guest::new(program, scenario.budget);
    let profile = assay_evaluate::profile(scenario, &guest, seed, cancel).map_err(|error| failed(error.what))?;
    // Interrupted: the report says so.
    let Some(profile) = profile else { return Ok(()) };
    let found = ProfileRecord::new(seed, &profile);
    if found.fuel != scored_fuel {
        face::warn(&format!(
            "the profile of seed {seed} used {} fuel, but the scored episode used {scored_fuel}",
            found.fuel,
            seed = seed.0
        ));
    }
    let title = format!("{} on {}, seed {}", record.strategy.file_name, scenario.name, seed.0);
    folder.write(FILE, assay_report::flame_graph(&profile, &title).as_bytes())?;
    record.profile = Some(found);
    Ok(())
}
