//! Orders of many episodes: a model that mends the repositories of tasks, an agent in a world.
//!
//! Invariants: those of [`crate::order`]; whatever costs money has a limit; an agent is one of our own or a model that was named at start, never a program.

use crate::order::{Budget, OrderError, path, wrong};
use assay_world::Profile;
use assay_worlds::agents::{Agents as _, OwnAgent};
use std::path::{Path, PathBuf};

/// Episodes of each task.
pub const SAMPLES_MAX: u32 = 1_000;
/// Episodes at once.
pub const AT_ONCE_MAX: u32 = 64;
/// Replies of a model in an episode.
const STEPS_MAX: u32 = 10_000;
/// Bytes of a pattern, and of names of tasks.
const CHOICE_BYTES_MAX: usize = 400;
/// The model that is the script of each task.
pub const SCRIPTED: &str = "scripted";

/// How many episodes there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Amount {
    /// Of each task.
    pub samples: u32,
    /// At once.
    pub at_once: u32,
    /// What every draw depends on.
    pub seed: u64,
}

impl Amount {
    fn check(self) -> Result<(), OrderError> {
        if !(1..=SAMPLES_MAX).contains(&self.samples) {
            return wrong("samples", format!("use 1 to {SAMPLES_MAX}, or the command line"));
        }
        if !(1..=AT_ONCE_MAX).contains(&self.at_once) {
            return wrong("at_once", format!("use 1 to {AT_ONCE_MAX}, or the command line"));
        }
        Ok(())
    }

    fn words(self) -> [String; 3] {
        let Self { samples, at_once, seed } = self;
        [format!("--samples={samples}"), format!("--concurrency={at_once}"), format!("--seed={seed}")]
    }
}

/// Whether a model answers from a file, and costs nothing.
fn is_free(model: &str) -> bool {
    model == SCRIPTED || ["scripted:", "cassette:"].iter().any(|start| model.starts_with(start))
}

fn check_budget(model: &str, budget: Budget) -> Result<(), OrderError> {
    budget.check()?;
    if !is_free(model) && budget.dollars.is_none() && budget.tokens.is_none() {
        return wrong("dollars", "a model needs a limit in dollars or tokens");
    }
    Ok(())
}

fn words_of_budget(budget: Budget) -> impl Iterator<Item = String> {
    let dollars = budget.dollars.map(|dollars| format!("--budget-usd={dollars}"));
    dollars.into_iter().chain(budget.tokens.map(|tokens| format!("--budget-tokens={tokens}")))
}

/// The words that say what a command would take.
fn of_estimate(mut words: Vec<String>) -> Vec<String> {
    words.insert(2, "--dry-run".to_owned());
    words
}

/// The words that go on with it, and try again what has no score.
fn of_resume(mut words: Vec<String>) -> Vec<String> {
    words.insert(2, "--retry-unscored".to_owned());
    words
}

/// `assay rollout run`
#[derive(Clone, PartialEq, Debug)]
pub struct RolloutOrder {
    /// The tasks.
    pub tasks: PathBuf,
    /// Which of them, as a pattern; all if it is empty.
    pub only: String,
    /// [`SCRIPTED`], or one that was named at start.
    pub model: String,
    /// How many episodes.
    pub amount: Amount,
    /// Replies of the model in an episode; the command's own number if none is said.
    pub steps: Option<u32>,
    /// What it may cost.
    pub budget: Budget,
}

impl RolloutOrder {
    /// Checks what can be wrong with it.
    ///
    /// # Errors
    /// A number is out of range, or a model has no limit to what it may spend.
    pub fn check(&self) -> Result<(), OrderError> {
        self.amount.check()?;
        if self.steps.is_some_and(|steps| !(1..=STEPS_MAX).contains(&steps)) {
            return wrong("steps", format!("use 1 to {STEPS_MAX}"));
        }
        if self.only.len() > CHOICE_BYTES_MAX {
            return wrong("only", format!("use at most {CHOICE_BYTES_MAX} bytes"));
        }
        check_budget(&self.model, self.budget)
    }

    /// The words of the command that keeps the run in the folder `out`.
    #[must_use]
    pub fn words(&self, out: &Path) -> Vec<String> {
        let mut words = vec!["rollout".to_owned(), "run".to_owned(), path(&self.tasks)];
        words.push(format!("--model={}", self.model));
        words.extend(Some(&self.only).filter(|only| !only.is_empty()).map(|only| format!("--instance-id={only}")));
        words.extend(self.amount.words());
        words.extend(self.steps.map(|steps| format!("--steps={steps}")));
        words.extend(words_of_budget(self.budget));
        words.push(format!("--out={}", path(out)));
        words
    }

    /// The words of the command that says what it would take.
    #[must_use]
    pub fn words_of_estimate(&self, out: &Path) -> Vec<String> {
        of_estimate(self.words(out))
    }

    /// The words of the command that goes on with it.
    #[must_use]
    pub fn words_of_resume(&self, out: &Path) -> Vec<String> {
        of_resume(self.words(out))
    }
}

/// Who acts in a world.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Actor {
    /// One of our own.
    Own(OwnAgent),
    /// A model that was named at start.
    Model(String),
}

impl Actor {
    fn check(&self, budget: Budget) -> Result<(), OrderError> {
        match self {
            Self::Own(_) => Ok(()),
            Self::Model(model) => check_budget(model, budget),
        }
    }

    fn words(&self, budget: Budget) -> Vec<String> {
        match self {
            Self::Own(agent) => vec![format!("--agent={}", agent.name())],
            Self::Model(model) => std::iter::once(format!("--model={model}")).chain(words_of_budget(budget)).collect(),
        }
    }
}

/// `assay worlds run`
#[derive(Clone, PartialEq, Debug)]
pub struct WorldsOrder {
    /// The world's folder.
    pub world: PathBuf,
    /// Names of tasks with commas between them; all if it is empty.
    pub only: String,
    /// Who acts.
    pub actor: Actor,
    /// How often tools fail.
    pub faults: Profile,
    /// How many episodes.
    pub amount: Amount,
    /// What a model may cost.
    pub budget: Budget,
}

impl WorldsOrder {
    /// Checks what can be wrong with it.
    ///
    /// # Errors
    /// A number is out of range, or a model has no limit to what it may spend.
    pub fn check(&self) -> Result<(), OrderError> {
        self.amount.check()?;
        if self.only.len() > CHOICE_BYTES_MAX {
            return wrong("only", format!("use at most {CHOICE_BYTES_MAX} bytes"));
        }
        self.actor.check(self.budget)
    }

    /// The words of the command that keeps the run in the folder `out`.
    #[must_use]
    pub fn words(&self, out: &Path) -> Vec<String> {
        let mut words = vec!["worlds".to_owned(), "run".to_owned(), path(&self.world)];
        words.extend(self.actor.words(self.budget));
        words.extend(Some(&self.only).filter(|only| !only.is_empty()).map(|only| format!("--task={only}")));
        words.push(format!("--faults={}", self.faults.name()));
        words.extend(self.amount.words());
        words.push(format!("--out={}", path(out)));
        words
    }

    /// The words of the command that says what it would take.
    #[must_use]
    pub fn words_of_estimate(&self, out: &Path) -> Vec<String> {
        of_estimate(self.words(out))
    }

    /// The words of the command that goes on with it.
    #[must_use]
    pub fn words_of_resume(&self, out: &Path) -> Vec<String> {
        of_resume(self.words(out))
    }
}

/// `assay worlds fork`
#[derive(Clone, PartialEq, Debug)]
pub struct ForkOrder {
    /// The world's folder.
    pub world: PathBuf,
    /// The trajectory of an episode.
    pub episode: PathBuf,
    /// After which of its steps to go on.
    pub step: u32,
    /// Who acts.
    pub actor: Actor,
    /// How many episodes; the seed is that of the trajectory.
    pub amount: Amount,
    /// What a model may cost.
    pub budget: Budget,
}

impl ForkOrder {
    /// Checks what can be wrong with it.
    ///
    /// # Errors
    /// A number is out of range, or a model has no limit to what it may spend.
    pub fn check(&self) -> Result<(), OrderError> {
        self.amount.check()?;
        self.actor.check(self.budget)
    }

    /// The words of the command that keeps the run in the folder `out`.
    #[must_use]
    pub fn words(&self, out: &Path) -> Vec<String> {
        let episode = format!("{}@{}", path(&self.episode), self.step);
        let mut words = vec!["worlds".to_owned(), "fork".to_owned(), path(&self.world), episode];
        words.extend(self.actor.words(self.budget));
        words.extend(self.amount.words().into_iter().take(2));
        words.push(format!("--out={}", path(out)));
        words
    }

    /// The words of the command that says what it would take.
    #[must_use]
    pub fn words_of_estimate(&self, out: &Path) -> Vec<String> {
        of_estimate(self.words(out))
    }

    /// The words of the command that goes on with it.
    #[must_use]
    pub fn words_of_resume(&self, out: &Path) -> Vec<String> {
        of_resume(self.words(out))
    }
}

/// `assay worlds state`, which writes nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateQuestion {
    /// The world's folder.
    pub world: PathBuf,
    /// The trajectory of an episode.
    pub episode: PathBuf,
    /// After which of its steps.
    pub step: u64,
    /// Which part; none for the list of parts.
    pub part: Option<String>,
    /// The first row.
    pub from: u64,
    /// Rows at most.
    pub count: usize,
}

impl StateQuestion {
    /// The words of the command that answers as JSON.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let episode = format!("{}@{}", path(&self.episode), self.step);
        let mut words = vec!["worlds".to_owned(), "state".to_owned(), path(&self.world), episode];
        words.extend(self.part.as_deref().map(|part| format!("--part={part}")));
        words.extend([format!("--from={}", self.from), format!("--count={}", self.count), "--format=json".to_owned()]);
        words
    }
}

/// `assay trace replay` up to a step, which writes nothing but caches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilesQuestion {
    /// The trajectory of an episode of a rollout.
    pub episode: PathBuf,
    /// The tasks of the run.
    pub tasks: PathBuf,
    /// Up to which of its steps.
    pub step: u64,
    /// A file whose text is wanted.
    pub file: Option<String>,
}

impl FilesQuestion {
    /// The words of the command that answers as JSON.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let words = ["trace", "replay"].map(str::to_owned).into_iter();
        let values =
            [path(&self.episode), format!("--tasks={}", path(&self.tasks)), format!("--files-at={}", self.step)];
        words.chain(values).chain(self.file.as_deref().map(|file| format!("--show={file}"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AMOUNT: Amount = Amount { samples: 2, at_once: 4, seed: 7 };

    fn rollout(model: &str, only: &str) -> RolloutOrder {
        let (model, only) = (model.to_owned(), only.to_owned());
        RolloutOrder { tasks: "/t".into(), only, model, amount: AMOUNT, steps: Some(9), budget: Budget::default() }
    }

    #[test]
    fn what_is_typed_is_a_value_and_never_a_flag() {
        let order = rollout(SCRIPTED, "--out=/elsewhere");
        assert_eq!(order.check(), Ok(()));
        assert_eq!(
            order.words_of_resume(Path::new("/out")).join(" "),
            "rollout run --retry-unscored /t --model=scripted --instance-id=--out=/elsewhere --samples=2 --concurrency=4 --seed=7 --steps=9 --out=/out"
        );
        let order = WorldsOrder {
            world: "/w".into(),
            only: "--out=/elsewhere".to_owned(),
            actor: Actor::Model("openai:x".to_owned()),
            faults: Profile::Rough,
            amount: AMOUNT,
            budget: Budget { dollars: Some(0.5), ..Budget::default() },
        };
        assert_eq!(order.check(), Ok(()));
        assert_eq!(
            order.words_of_estimate(Path::new("/out")).join(" "),
            "worlds run --dry-run /w --model=openai:x --budget-usd=0.5 --task=--out=/elsewhere --faults=rough --samples=2 --concurrency=4 --seed=7 --out=/out"
        );
        let fork = ForkOrder {
            world: "/w".into(),
            episode: "/e.jsonl".into(),
            step: 3,
            actor: order.actor.clone(),
            amount: AMOUNT,
            budget: order.budget,
        };
        assert_eq!(fork.check(), Ok(()));
        assert_eq!(
            fork.words(Path::new("/out")).join(" "),
            "worlds fork /w /e.jsonl@3 --model=openai:x --budget-usd=0.5 --samples=2 --concurrency=4 --out=/out"
        );
        let own = WorldsOrder { actor: Actor::Own(OwnAgent::TalkOnly), only: String::new(), ..order };
        assert!(own.words(Path::new("/out")).contains(&"--agent=talk-only".to_owned()));
    }

    #[test]
    fn what_has_no_limit_or_is_out_of_range_is_refused() {
        let with = |change: &dyn Fn(&mut RolloutOrder)| {
            let mut order = rollout(SCRIPTED, "");
            change(&mut order);
            order.check().map_err(|error| error.field)
        };
        for (change, expected) in [
            (&(|_: &mut RolloutOrder| {}) as &dyn Fn(&mut RolloutOrder), Ok(())),
            (&|order: &mut RolloutOrder| order.model = "openai:x".to_owned(), Err("dollars")),
            (&|order: &mut RolloutOrder| order.model = "cassette:x".to_owned(), Ok(())),
            (&|order: &mut RolloutOrder| order.budget.dollars = Some(f64::NAN), Err("dollars")),
            (&|order: &mut RolloutOrder| order.budget.tokens = Some(0), Err("tokens")),
            (&|order: &mut RolloutOrder| order.amount.samples = 0, Err("samples")),
            (&|order: &mut RolloutOrder| order.amount.samples = SAMPLES_MAX + 1, Err("samples")),
            (&|order: &mut RolloutOrder| order.amount.at_once = 0, Err("at_once")),
            (&|order: &mut RolloutOrder| order.amount.at_once = AT_ONCE_MAX + 1, Err("at_once")),
            (&|order: &mut RolloutOrder| order.steps = Some(0), Err("steps")),
            (&|order: &mut RolloutOrder| order.only = "x".repeat(CHOICE_BYTES_MAX + 1), Err("only")),
        ] {
            assert_eq!(with(change), expected);
        }
    }
}
