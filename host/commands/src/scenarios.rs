//! What `assay scenarios` does: what there is, one of them in full, a copy to edit, and how lifelike a market is.

use crate::{DONE, Ending, Failure, face, output, settings};
use assay_evaluate::Seeds;
use assay_market::realism::{self, Observation};
use assay_market::replay::Findings;
use assay_market::{Preset, Scenario};
use assay_model::Seed;
use assay_run::{RunEnd, Stop, Trouble, TroubleKind, Unit};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

/// Which markets are judged, and on how many days.
#[derive(Clone, Debug)]
pub struct ValidateSettings {
    /// The markets: names, or TOML files.
    pub scenarios: Vec<String>,
    /// The seeds: `20`, `5..8` or `3,7,11`.
    pub seeds: String,
    /// How many seeds run in parallel; otherwise one a processor.
    pub threads: Option<usize>,
}

/// Lists the markets that have a name.
pub fn list() {
    let presets = assay_market::presets();
    let width = presets.iter().map(|preset| preset.name.len()).max().unwrap_or(0);
    for preset in presets {
        face::out(&format!("{:width$}  {}", preset.name, preset.summary));
    }
}

/// Shows a market: its text, and what is in the data files that it names.
///
/// # Errors
///
/// Where there is no such market, or it cannot be read.
pub fn show(name: &str) -> Result<Ending, Failure> {
    describe(&settings::scenario(name)?);
    DONE
}

/// Copies the market called `from` into a new file.
///
/// # Errors
///
/// Where there is no such market, or the file cannot be written.
pub fn new(file: &Path, from: &str) -> Result<Ending, Failure> {
    copy(file, preset(from)?)?;
    DONE
}

/// Judges how realistic markets are.
///
/// # Errors
///
/// Where the settings are wrong, or a market has no sessions that can be judged.
pub fn validate(settings: &ValidateSettings) -> Result<Ending, Failure> {
    let scenarios: Vec<_> = settings.scenarios.iter().map(|name| settings::scenario(name)).collect::<Result<_, _>>()?;
    judge(&scenarios, &settings::seeds(&settings.seeds)?, settings::threads(settings.threads)?)?;
    DONE
}

/// The text, and beside it what is in the data files that it names.
fn describe(scenario: &Scenario) {
    face::out(scenario.to_toml().trim_end());
    if let Some(replay) = &scenario.replay {
        let recording = &replay.recording;
        let requests = recording.requests().len();
        face::step(
            "Recording",
            &format!("{requests} requests, {} halts, BLAKE3 {}", recording.halts().len(), recording.hash()),
        );
        if let Some(findings) = recording.findings() {
            let Findings { executed, executed_hidden, hidden_left_out, crosses_left_out, .. } = findings;
            face::step(
                "Shares",
                &format!(
                    "{executed} executed, {executed_hidden} of hidden orders; left out: {hidden_left_out} of hidden orders, {crosses_left_out} of crosses and halts"
                ),
            );
        }
    }
    if let Some(series) = &scenario.fundamental_series {
        face::step("Series", &format!("BLAKE3 {}", series.hash()));
    }
}

/// What is to be said of a scenario whose background is the same whatever the seed.
pub(crate) fn warn_of_seeds(scenario: &Scenario, seeds: &Seeds) {
    if scenario.replay.is_some() && scenario.agents.is_empty() && seeds.as_slice().len() > 1 {
        face::warn(
            "a recorded market is the same for every seed: intervals over seeds show only the strategy's own randomness",
        );
    }
}

/// Warns before a profit is taken for skill.
pub(crate) fn warn_of_gifts(scenario: &Scenario) {
    if !scenario.gives_away.is_empty() {
        face::warn(&gift(scenario));
        face::hint(GIFT_HINT);
    }
}

/// The same as an error, where strategies would be ranked.
pub(crate) fn refuse_gifts(scenario: &Scenario) -> Result<(), Failure> {
    if scenario.gives_away.is_empty() { Ok(()) } else { Err(Failure::usage(gift(scenario)).hint(GIFT_HINT)) }
}

/// Of a text that may be as long as its file.
const GIFT_CHARS_MAX: usize = 300;
const GIFT_HINT: &str = "see there whether a strategy survives, and rank or reward profit in another market, such as calm (docs/realism.md)";

fn gift(scenario: &Scenario) -> String {
    let what: String = scenario.gives_away.chars().take(GIFT_CHARS_MAX).collect();
    format!("{} gives profit away: {what}", scenario.name)
}

fn preset(name: &str) -> Result<&'static Preset, Failure> {
    let preset = assay_market::presets().iter().find(|preset| preset.name == name);
    preset.ok_or_else(|| settings::unknown_scenario(name))
}

fn copy(file: &Path, from: &Preset) -> Result<(), Failure> {
    let path = file.display();
    if file.extension().is_none_or(|extension| extension != "toml") {
        return Err(Failure::usage(format!("{path} is not a valid scenario name"))
            .hint(format!("use a name that ends in .toml: assay scenarios new --from {} my-market.toml", from.name)));
    }
    output::to_new_file(file, |out| Ok(out.write_all(from.toml.as_bytes())?))?;
    face::step("Created", &path.to_string());
    face::note(&format!("Next:\n  assay scenarios validate {path}\n  assay run my-strategy.rs --scenario {path}"));
    Ok(())
}

fn judge(scenarios: &[Scenario], seeds: &Seeds, threads: NonZeroUsize) -> Result<(), Failure> {
    for scenario in scenarios {
        if scenario.close.since(scenario.open) < realism::SESSION_MIN {
            return Err(Failure::usage(format!("the session of `{}` is too short to be judged", scenario.name))
                .hint("the facts are about trading days: set `close` at least two hours after `open`"));
        }
    }
    for scenario in scenarios {
        warn_of_seeds(scenario, seeds);
        let observations = observe(scenario, seeds, threads, &Stop::new(), || {})?;
        let report = realism::report(&scenario.name, observations.len(), &realism::scorecard(&observations));
        face::out(&report);
    }
    Ok(())
}

/// One observation a seed, in the order of the seeds, whatever the number of threads; those that are finished by then, if it is asked to `stop`. `seen`
/// hears of each.
pub(crate) fn observe(
    scenario: &Scenario,
    seeds: &Seeds,
    threads: NonZeroUsize,
    stop: &Stop,
    seen: impl Fn(),
) -> Result<Vec<Observation>, Failure> {
    let day = |(sample, seed): (u32, &Seed)| Unit { seed: seed.0, sample, ..Unit::new(&scenario.name) };
    let mut found = BTreeMap::new();
    let mut keep = |unit: &Unit, observation: Result<Observation, Trouble>| {
        found.insert(unit.sample, observation?);
        seen();
        Ok::<(), Trouble>(())
    };
    let days = (1..).zip(seeds.as_slice()).map(day);
    let work = |unit: &Unit| {
        let observed = realism::observe_unless(scenario, Seed(unit.seed), &|| stop.is_asked());
        observed.ok_or_else(|| Trouble::new(TroubleKind::Passing, "interrupted"))
    };
    match assay_run::run(days, &mut keep, threads, stop, work) {
        RunEnd::Complete | RunEnd::Stopped => Ok(found.into_values().collect()),
        RunEnd::Failed(trouble) | RunEnd::Unkept(trouble) => Err(Failure::infrastructure(trouble)),
    }
}
