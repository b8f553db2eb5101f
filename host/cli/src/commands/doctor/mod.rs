//! `assay doctor`: attacks this installation and says which limits held, and what is missing.
//!
//! Limits that are configured and never tried are limits that do not hold one day. So each attack is carried out on this machine, with this
//! binary, and looked at from outside.

pub(crate) mod attack;
mod ground;
mod installation;
pub(crate) mod scale;
mod score;
mod table;

use crate::args::{DoctorArgs, DoctorPart};
use crate::exit::{Exit, Failure};
use crate::settings::{self, Machine};
use crate::ui;
use assay_hostile::{Attack, Class, Corpus, CorpusError};
use ground::{Ground, Trial};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
pub(super) use installation::{Probe, State, look};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// What is looked at besides strategies in Rust.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub python: bool,
    pub containers: bool,
}

/// Everything that was found.
pub(super) struct Report {
    pub probes: Vec<Probe>,
    /// In the order of the corpus.
    pub trials: Vec<(Attack, Trial)>,
    /// Attacks that need what is missing.
    pub not_run: usize,
    pub seconds: f64,
}

impl Report {
    pub(super) fn held(&self) -> usize {
        self.trials.iter().filter(|(_, trial)| trial.faults.is_empty()).count()
    }
}

pub(crate) fn run(machine: &Machine, args: &DoctorArgs) -> Result<Exit, Failure> {
    let started = Instant::now();
    let jobs = settings::threads(args.jobs)?.get();
    let parts = Parts {
        python: !args.skip.contains(&DoctorPart::Python),
        containers: !args.skip.contains(&DoctorPart::Containers),
    };
    let mut attacks = choose(args)?;
    ui::note("Checking the installation");
    let probes = installation::examine(machine, parts, |probe| ui::note(&table::probe_line(probe)));
    let is_missing = |name: &str| probes.iter().any(|probe| probe.name == name && probe.state == State::Missing);
    let python = parts.python && !is_missing("Python guest");
    let chosen = attacks.len();
    attacks.retain(|attack| python || !attack.needs_python());
    let not_run = if parts.python { chosen - attacks.len() } else { 0 };
    let ground = Ground::prepare(machine)?;
    let trials = carry_out(&ground, attacks, jobs)?;
    let report = Report { probes, trials, not_run, seconds: started.elapsed().as_secs_f64() };
    ui::out(&if args.json { table::json(&report) } else { table::render(&report, args.all || args.corpus.is_some()) });
    conclude(&report)
}

/// The attacks that were asked for.
fn choose(args: &DoctorArgs) -> Result<Vec<Attack>, Failure> {
    let wrong = |error: CorpusError| {
        Failure::usage(error).hint("docs/hostile.md describes the folder; `--corpus tests/hostile` in a checkout")
    };
    let corpus = match &args.corpus {
        Some(folder) => Corpus::read(folder).map_err(wrong)?,
        None => Corpus::built_in().map_err(wrong)?,
    };
    let mut attacks = corpus.attacks;
    if args.corpus.is_none() && !args.all {
        attacks.retain(|attack| attack.doctor);
    }
    if !args.only.is_empty() {
        let is_asked = |attack: &Attack| {
            args.only.iter().any(|word| {
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

/// Carries all attacks out, some at once.
fn carry_out(ground: &Ground, attacks: Vec<Attack>, jobs: usize) -> Result<Vec<(Attack, Trial)>, Failure> {
    let bar = bar(attacks.len());
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<Trial, Failure>)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(attacks.len()) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(attack) = attacks.get(number) else { break };
                    bar.set_message(format!("{}: {}", attack.class, attack.tries));
                    let trial = ground.run(number, attack);
                    bar.inc(1);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((number, trial));
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    attacks.into_iter().zip(done).map(|(attack, (_, trial))| Ok((attack, trial?))).collect()
}

fn bar(attacks: usize) -> ProgressBar {
    let target = if ui::is_interactive() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(attacks as u64), target);
    // The template is a constant; should it not parse, the plain default bar serves.
    let style = ProgressStyle::with_template(" Attacking {bar:32.cyan/dim} {pos}/{len}  {elapsed}  {wide_msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

fn conclude(report: &Report) -> Result<Exit, Failure> {
    let fallen = report.trials.len() - report.held();
    if fallen > 0 {
        return Err(Failure {
            exit: Exit::Rejected,
            message: format!("{fallen} of {} attacks were not held", report.trials.len()),
            hint: Some("do not run untrusted code here; `--json` shows all details".to_owned()),
        });
    }
    let missing: Vec<&Probe> = report.probes.iter().filter(|probe| probe.state == State::Missing).collect();
    match missing.first() {
        None => Ok(Exit::Success),
        Some(first) => {
            let names: Vec<&str> = missing.iter().map(|probe| probe.name).collect();
            let failure = Failure::infrastructure(format!("all attacks were held; missing: {}", names.join(", ")));
            Err(Failure { hint: first.hint.clone(), ..failure })
        }
    }
}
