//! A policy with everything that it names: scenarios loaded, hidden seeds known, the sandbox ready.

use super::settings::GateSettings;
use super::submissions::Entry;
use crate::prepare::Interpreter;
use crate::settings::{self, Machine};
use crate::{Failure, scenarios};
use assay_compile::{BuildSettings, SDK_VERSION, Toolchain};
use assay_evaluate::{Baselines, Seeds};
use assay_files::Links;
use assay_gate::policy::{
    self, Hidden, HiddenRule, Origin, POLICY_BYTES_MAX, Policy, PolicyError, ScenarioRule, Secret,
};
use assay_gate::verdict::{SubmissionKind, Tool};
use assay_market::Scenario;
use assay_sandbox::{Sandbox, SandboxSettings};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A secret or a list of seeds longer than this is none.
const ORIGIN_BYTES_MAX: u64 = 1 << 20;

/// Folder in the cache.
const KEYS: &str = "verdicts";

/// See the module documentation.
pub(super) struct Plan {
    pub policy: Policy,
    /// One for each scenario of the policy that has seeds now, in its order.
    pub markets: Vec<Market>,
    pub build: BuildSettings,
    pub sandbox: Sandbox,
    /// For the submissions that need it.
    pub interpreter: Interpreter,
    /// Submissions at once.
    pub jobs: NonZeroUsize,
    /// Episodes of a submission at once.
    pub threads: NonZeroUsize,
    pub today: Option<policy::Date>,
    pub phases: super::phases::Phases,
    pub caches: super::caches::Caches,
    /// The folder of the key that authenticates this machine's verdicts.
    pub keys: PathBuf,
}

/// One scenario of the policy.
pub(super) struct Market {
    pub rule: ScenarioRule,
    /// With the policy's budget.
    pub scenario: Scenario,
    pub seeds: Seeds,
    /// The same seeds, if they are hidden.
    pub hidden: Option<Hidden>,
    /// Shared by all submissions.
    pub baselines: Baselines,
}

impl Market {
    /// BLAKE3 of the scenario's text, as verdicts have it.
    pub(super) fn scenario_hash(&self) -> String {
        blake3::hash(self.scenario.to_toml().as_bytes()).to_string()
    }
}

impl Plan {
    /// For `submissions` submissions.
    pub(super) fn resolve(machine: Machine, settings: &GateSettings, submissions: usize) -> Result<Self, Failure> {
        let processors = settings::threads(None)?;
        let jobs = settings.jobs.map_or(Ok(processors), |jobs| {
            settings::threads(Some(jobs))
                .map_err(|failure| Failure { message: format!("--jobs {jobs} is out of range"), ..failure })
        })?;
        let jobs = NonZeroUsize::new(jobs.get().min(submissions)).unwrap_or(NonZeroUsize::MIN);
        let threads = NonZeroUsize::new(processors.get() / jobs.get()).unwrap_or(NonZeroUsize::MIN);
        let policy = read_policy(&settings.policy)?;
        let today = today(settings.date.as_deref(), &policy)?;
        let folder = settings.policy.parent().unwrap_or(Path::new(""));
        let markets = markets(&policy, folder, settings.feedback)?;
        let sandbox = sandbox(&machine, &policy, jobs.get() * threads.get())?;
        let interpreter = Interpreter::new(&machine, Some(longest_callback(&policy)), jobs.get() * threads.get());
        let keys = machine.cache.join(KEYS);
        let mut build = BuildSettings::new(machine.helper, machine.cache.join("sdk"));
        // Without one, each submission that needs it says so.
        build.toolchain = Toolchain::find().ok();
        build.limits = build.limits.within(patience(policy.budget.wall).saturating_add(COMPILER_GRACE));
        let (phases, caches) = Default::default();
        Ok(Self { policy, markets, build, sandbox, interpreter, jobs, threads, today, phases, caches, keys })
    }

    /// Does now what is done once, so that it is not a submission's time that goes into it.
    pub(super) fn prepare_for(&self, entries: &[Entry]) {
        if entries.iter().any(|entry| entry.kind == SubmissionKind::PythonFile) {
            // Where there is none, each submission that needs it says so.
            let _ = self.interpreter.get();
        }
    }

    /// Whether an exception of the policy about the submission with this hash ends on some day.
    pub(super) fn is_dated(&self, hash: &str) -> bool {
        self.policy.sign_offs.iter().any(|rule| rule.submission == hash && rule.until.is_some())
    }

    /// What makes the verdicts; those about Python files name the interpreter too.
    pub(super) fn tool() -> Tool {
        // The SDK is released together with this binary.
        Tool {
            assay: SDK_VERSION.to_owned(),
            wasmtime: assay_sandbox::ENGINE_VERSION.to_owned(),
            python_component: None,
        }
    }
}

fn read_policy(path: &Path) -> Result<Policy, Failure> {
    let name = path.display();
    let text = assay_files::read_text(path, Links::Followed, POLICY_BYTES_MAX as u64).map_err(|error| {
        Failure::usage(format!("failed to read the policy {name}: {error}"))
            .hint("create one with `assay gate init`, or name another with --policy")
    })?;
    Policy::parse(&text).map_err(|error| {
        let PolicyError { hint, .. } = &error;
        let failure = Failure::usage(format!("failed to read the policy {name}: {error}"));
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })
}

fn today(date: Option<&str>, policy: &Policy) -> Result<Option<policy::Date>, Failure> {
    match date {
        Some(text) => policy::date(text).map(Some).ok_or_else(|| {
            Failure::usage(format!("`{text}` is not a valid date")).hint("use the form YYYY-MM-DD: --date 2030-12-31")
        }),
        None if policy.needs_date() => Err(Failure::usage("the policy has exceptions with an end date")
            .hint("give the current date: --date \"$(date -I)\"; verdicts do not use the system clock")),
        None => Ok(None),
    }
}

fn markets(policy: &Policy, folder: &Path, feedback: bool) -> Result<Vec<Market>, Failure> {
    // Authors have no secret: for feedback none is needed.
    let wants_hidden = !feedback && policy.scenarios.iter().any(|rule| rule.hidden.is_some());
    let secret =
        if wants_hidden { policy.secret.as_ref().map(|origin| secret(origin, folder)).transpose()? } else { None };
    let mut markets = Vec::new();
    for rule in &policy.scenarios {
        let hidden = match (&secret, &rule.hidden) {
            (Some(secret), Some(hidden)) => hidden_seeds(rule, hidden, secret, folder)?,
            _ => None,
        };
        let seeds = match (&hidden, &rule.public) {
            (Some(hidden), _) => hidden.seeds.clone(),
            (None, Some(public)) => public.clone(),
            // With `--feedback`, a scenario without public seeds is not tried.
            (None, None) => continue,
        };
        let path = folder.join(&rule.scenario).to_string_lossy().into_owned();
        let name = if rule.scenario.ends_with(".toml") { &path } else { &rule.scenario };
        let mut scenario = settings::scenario(name)?;
        scenarios::warn_of_gifts(&scenario);
        scenario.budget = policy.budget.lower(scenario.budget);
        let baselines = Baselines::new(&scenario);
        markets.push(Market { rule: rule.clone(), scenario, seeds, hidden, baselines });
    }
    if markets.is_empty() {
        return Err(Failure::usage("the policy has no public seeds for --feedback to run")
            .hint("add `public = 5` to a [[scenarios]], or omit --feedback"));
    }
    Ok(markets)
}

fn secret(origin: &Origin, folder: &Path) -> Result<Secret, Failure> {
    let text = fetch(origin, folder, "the secret of the policy")?;
    Secret::new(&text).ok_or_else(|| {
        Failure::usage(format!("{} is too short for a secret", in_words(origin))).hint(format!(
            "use at least {} characters, for example: head -c 24 /dev/urandom | base64",
            policy::SECRET_CHARS_MIN
        ))
    })
}

/// Nothing here names a seed.
fn hidden_seeds(
    rule: &ScenarioRule,
    hidden: &HiddenRule,
    secret: &Secret,
    folder: &Path,
) -> Result<Option<Hidden>, Failure> {
    let list = match hidden {
        HiddenRule::Derived(_) => None,
        HiddenRule::Listed(origin) => Some((origin, fetch(origin, folder, "the hidden seeds")?)),
    };
    rule.hidden_seeds(secret, list.as_ref().map(|(_, text)| text.as_str())).map_err(|fault| {
        let place = list.as_ref().map_or_else(|| "the hidden seeds".to_owned(), |(origin, _)| in_words(origin));
        Failure::usage(format!("failed to read {place} for {}: {fault}", rule.scenario))
            .hint("separate seeds with commas, spaces or newlines; `5..8` is 5, 6, 7 and 8")
    })
}

fn fetch(origin: &Origin, folder: &Path, what: &str) -> Result<String, Failure> {
    let failed = |why: &dyn std::fmt::Display, hint: &str| {
        Failure::usage(format!("failed to read {what} from {}: {why}", in_words(origin))).hint(hint)
    };
    match origin {
        Origin::File(path) => {
            assay_files::read_text(&folder.join(path), Links::Followed, ORIGIN_BYTES_MAX).map_err(|error| {
                failed(
                    &error,
                    "its path is relative to the policy's folder; authors can check their work with --feedback",
                )
            })
        }
        Origin::Environment(name) => std::env::var(name).map_err(|error| {
            failed(&error, &format!("set it: export {name}=…; authors can check their work with --feedback"))
        }),
    }
}

fn in_words(origin: &Origin) -> String {
    match origin {
        Origin::File(path) => path.clone(),
        Origin::Environment(name) => format!("the variable {name}"),
    }
}

/// What the compiler has beyond the time of its submission, so that the watch over that is first and the verdict names the policy, not the compiler.
const COMPILER_GRACE: Duration = Duration::from_secs(1);

/// On a machine that is not too busy, a submission gets at least this fraction (one over it) of the clock's time.
const SHARE: u32 = 10;
/// What it is waited for besides: a short time is soon lost.
const PATIENCE_MIN: Duration = Duration::from_secs(20);

/// How long a submission is waited for that may compute for `wall`. By then it has done so, or a machine that others use kept it from it.
pub(super) fn patience(wall: Duration) -> Duration {
    wall.saturating_mul(SHARE).saturating_add(PATIENCE_MIN)
}

/// How long a callback may compute: no submission gets further than its wall in a single one, and it is asked to end between two.
fn longest_callback(policy: &Policy) -> Duration {
    policy.budget.watchdog.unwrap_or(policy.budget.wall).min(policy.budget.wall)
}

fn sandbox(machine: &Machine, policy: &Policy, instances: usize) -> Result<Sandbox, Failure> {
    let mut settings = SandboxSettings::new(machine.cache.join("artifacts"), machine.helper.clone());
    settings.instances = settings.instances.max(u32::try_from(instances).unwrap_or(u32::MAX));
    settings.watchdog = settings.watchdog.min(longest_callback(policy));
    let whole = u64::try_from(policy.budget.wall.as_millis().div_ceil(1_000)).unwrap_or(u64::MAX);
    settings.compile.cpu_seconds = settings.compile.cpu_seconds.min(whole.max(1));
    Sandbox::new(&settings).map_err(|error| Failure::infrastructure(crate::chain(&error)))
}
