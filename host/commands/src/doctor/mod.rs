//! What `assay doctor` does: attacks this installation and says which limits held, and what is missing.
//!
//! Limits that are configured and never tried are limits that do not hold one day. So each attack is carried out on this machine, with this
//! binary, and looked at from outside.

pub mod attack;
mod ground;
mod installation;
pub mod scale;
mod score;
mod table;

use crate::face::{self, Bar};
use crate::settings::{self, Machine};
use crate::{Ending, Failure};
use assay_hostile::{Attack, Class, Corpus, CorpusError};
use assay_run::{Stop, Trouble, Unit};
use ground::{Ground, Trial};
pub use installation::{Probe, State, look};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

/// What is attacked, and how it is said.
#[derive(Clone, Debug)]
pub struct DoctorSettings {
    /// Every attack in this binary, not only the quick ones.
    pub all: bool,
    /// The attacks in this folder instead.
    pub corpus: Option<PathBuf>,
    /// Only attacks of these classes, or with these words in their names; all if there are none.
    pub only: Vec<String>,
    /// What is looked at besides strategies in Rust.
    pub parts: Parts,
    /// Attacks at once; one a processor if nobody says.
    pub jobs: Option<usize>,
    /// The results are written as JSON.
    pub json: bool,
}

/// What is looked at besides strategies in Rust.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// The Python interpreter of bug-fix episodes.
    pub python: bool,
    /// The container engine that grades them.
    pub containers: bool,
}

/// Everything that was found.
struct Report {
    probes: Vec<Probe>,
    /// In the order of the corpus.
    trials: Vec<(Attack, Trial)>,
    /// Attacks that need what is missing.
    not_run: usize,
    seconds: f64,
}

impl Report {
    fn held(&self) -> usize {
        self.trials.iter().filter(|(_, trial)| trial.faults.is_empty()).count()
    }
}

/// Looks at this installation, attacks it, and says what was found.
///
/// # Errors
/// Where an attack was not held, something is missing that is needed, the settings are wrong, or the machine fails.
pub fn run(machine: &Machine, asked: &DoctorSettings) -> Result<Ending, Failure> {
    let started = Instant::now();
    let jobs = settings::threads(asked.jobs)?;
    let parts = asked.parts;
    let mut attacks = choose(asked)?;
    face::note("Checking the installation");
    let probes = installation::examine(machine, parts, |probe| face::note(&table::probe_line(probe)));
    let is_missing = |name: &str| probes.iter().any(|probe| probe.name == name && probe.state == State::Missing);
    let python = parts.python && !is_missing("Python guest");
    let chosen = attacks.len();
    attacks.retain(|attack| python || !attack.needs_python());
    let not_run = if parts.python { chosen - attacks.len() } else { 0 };
    let ground = Ground::prepare(machine)?;
    let trials = carry_out(&ground, attacks, jobs)?;
    let report = Report { probes, trials, not_run, seconds: started.elapsed().as_secs_f64() };
    if asked.json {
        face::out_json(&table::json(&report));
    } else {
        face::out(&table::render(&report, asked.all || asked.corpus.is_some()));
    }
    conclude(&report)
}

/// The attacks that were asked for.
fn choose(asked: &DoctorSettings) -> Result<Vec<Attack>, Failure> {
    let wrong = |error: CorpusError| {
        Failure::usage(error).hint("docs/hostile.md describes the folder; `--corpus tests/hostile` in a checkout")
    };
    let corpus = match &asked.corpus {
        Some(folder) => Corpus::read(folder).map_err(wrong)?,
        None => Corpus::built_in().map_err(wrong)?,
    };
    let mut attacks = corpus.attacks;
    if asked.corpus.is_none() && !asked.all {
        attacks.retain(|attack| attack.doctor);
    }
    if !asked.only.is_empty() {
        let is_asked = |attack: &Attack| {
            asked.only.iter().any(|word| {
                let is_class = Class::ALL.iter().any(|class| class.to_string().eq_ignore_ascii_case(word));
                if is_class {
                    attack.class.to_string().eq_ignore_ascii_case(word)
                } else {
                    attack.id.contains(word.as_str())
                }
            })
        };
        attacks.retain(is_asked);
    }
    if attacks.is_empty() {
        return Err(Failure::usage("no attack matches --only").hint("--only takes a class, A to J, or part of a name"));
    }
    Ok(attacks)
}

/// Carries all attacks out, some at once. One that cannot be carried out keeps no other from it.
fn carry_out(ground: &Ground, attacks: Vec<Attack>, jobs: NonZeroUsize) -> Result<Vec<(Attack, Trial)>, Failure> {
    let bar = bar(attacks.len());
    let numbers: BTreeMap<&str, usize> = attacks.iter().map(|attack| attack.id.as_str()).zip(0..).collect();
    let mut done: BTreeMap<usize, Result<Trial, Failure>> = BTreeMap::new();
    let mut keep = |unit: &Unit, trial: Result<Result<Trial, Failure>, Trouble>| {
        let fell = |why: Trouble| Err(Failure::infrastructure(format!("failed to run the attack {}: {why}", unit.key)));
        done.insert(numbers[unit.key.as_str()], trial.unwrap_or_else(fell));
        Ok::<(), Infallible>(())
    };
    let units = attacks.iter().map(|attack| Unit::new(&attack.id));
    // Nothing ends it but its end.
    assay_run::run(units, &mut keep, jobs, &Stop::new(), |unit| {
        let number = numbers[unit.key.as_str()];
        let attack = &attacks[number];
        bar.set_message(format!("{}: {}", attack.class, attack.tries));
        let trial = ground.run(number, attack);
        bar.inc(1);
        Ok(trial)
    });
    bar.finish_and_clear();
    attacks.into_iter().zip(done.into_values()).map(|(attack, trial)| Ok((attack, trial?))).collect()
}

fn bar(attacks: usize) -> Bar {
    face::bar(" Attacking {bar:32.cyan/dim} {pos}/{len}  {elapsed}  {wide_msg}", Some(attacks as u64))
}

fn conclude(report: &Report) -> Result<Ending, Failure> {
    let fallen = report.trials.len() - report.held();
    if fallen > 0 {
        return Err(Failure {
            ending: Ending::Rejected,
            message: format!("{fallen} of {} attacks were not held", report.trials.len()),
            hint: Some("do not run untrusted code here; `--json` shows all details".to_owned()),
        });
    }
    let missing: Vec<&Probe> = report.probes.iter().filter(|probe| probe.state == State::Missing).collect();
    match missing.first() {
        None => Ok(Ending::Success),
        Some(first) => {
            let names: Vec<&str> = missing.iter().map(|probe| probe.name).collect();
            let failure = Failure::infrastructure(format!("all attacks were held; missing: {}", names.join(", ")));
            Err(Failure { hint: first.hint.clone(), ..failure })
        }
    }
}
