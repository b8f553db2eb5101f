//! What somebody asks for, checked, and the words of the command that does it.
//!
//! Invariants: every value is written as `--name=value`, or stands behind `--`, so none of it can be read as another flag; markets are presets by name, or
//! files; paths are those of [`crate::offers`] and of a job's own folder, and are whole.

use assay_evaluate::Goal;
use assay_refine::core::bounds::{GENERATIONS_MAX, GOAL_BYTES_MAX, WIDTH_MAX};
use std::path::{Path, PathBuf};

/// Markets of one order.
pub const MARKETS_MAX: usize = 8;
/// Bytes of a set of seeds: `5..8`, or a list.
const SEEDS_BYTES_MAX: usize = 400;
/// Seeds of a run that is asked for in a form: some minutes on two processors.
pub const SEEDS_MAX: u64 = 1_000;
/// Bytes of a goal in words, as `assay refine` has it.
pub const WORDS_BYTES_MAX: usize = GOAL_BYTES_MAX;

/// What is wrong with an order, for whoever asked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{field}: {why}")]
pub struct OrderError {
    /// The field of the form, by its name.
    pub field: &'static str,
    /// What is wrong with it.
    pub why: String,
}

pub(crate) fn wrong<T>(field: &'static str, why: impl Into<String>) -> Result<T, OrderError> {
    Err(OrderError { field, why: why.into() })
}

/// Markets, at least one: presets by name, and files of named folders.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Markets {
    words: Vec<String>,
    files: Vec<PathBuf>,
}

impl Markets {
    /// Checks names. `file` is told what is no preset, and finds the scenario file that a form calls so.
    ///
    /// # Errors
    /// One of them is not a market, or there are none or too many.
    pub fn parse<'a>(
        names: impl IntoIterator<Item = &'a str>,
        file: impl Fn(&str) -> Option<PathBuf>,
    ) -> Result<Self, OrderError> {
        let mut markets = Self { words: Vec::new(), files: Vec::new() };
        for name in names {
            let word = if assay_market::presets().iter().any(|preset| preset.name == name) {
                name.to_owned()
            } else if let Some(found) = file(name) {
                let word = path(&found);
                if word.contains(',') {
                    return wrong("market", format!("{word} has a comma in its path; rename the file or its folder"));
                }
                markets.files.push(found);
                word
            } else {
                return wrong("market", format!("there is no market `{}`", name.escape_debug()));
            };
            if !markets.words.contains(&word) {
                markets.words.push(word);
            }
        }
        match markets.words.len() {
            1..=MARKETS_MAX => Ok(markets),
            count => wrong("market", format!("choose 1 to {MARKETS_MAX} of them, not {count}")),
        }
    }

    /// Those that are files, for whoever checks what is in them.
    #[must_use]
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The words of the command that reads a scenario file and says what is wrong with it.
    #[must_use]
    pub fn words_of_check(file: &Path) -> Vec<String> {
        vec!["scenarios".to_owned(), "show".to_owned(), path(file)]
    }

    fn word(&self) -> String {
        format!("--scenario={}", self.words.join(","))
    }
}

/// A set of seeds: `20`, `5..8` or `3,7,11`, as `assay run` reads it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seeds(String);

impl Seeds {
    /// Checks it, as far as its size goes. What it means is the command's.
    ///
    /// # Errors
    /// It is none, or too large.
    pub fn parse(text: &str) -> Result<Self, OrderError> {
        let text = text.trim();
        let hint = "`20` means seeds 1 to 20, `5..8` means 5, 6, 7 and 8, `3,7,11` means just those";
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || b".,= ".contains(&byte));
        if text.is_empty() || text.len() > SEEDS_BYTES_MAX || !is_plain {
            return wrong("seeds", hint);
        }
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let count = match text.split_once("..") {
            Some((from, to)) => number(to.trim_start_matches('='))
                .zip(number(from))
                .and_then(|(to, from)| to.checked_sub(from)?.checked_add(1)),
            None if text.contains(',') => Some(text.split(',').count() as u64),
            None => number(text),
        };
        match count {
            Some(1..=SEEDS_MAX) => Ok(Self(text.to_owned())),
            Some(count) => wrong("seeds", format!("{count} seeds; use 1 to {SEEDS_MAX}, or `assay run`")),
            None => wrong("seeds", hint),
        }
    }
}

/// A goal of the score by its name.
///
/// # Errors
/// It is none.
pub fn goal(word: &str) -> Result<Goal, OrderError> {
    let found = GOALS.iter().find(|goal| goal.name() == word);
    found.copied().ok_or_else(|| {
        let names = GOALS.map(Goal::name).join(", ");
        OrderError { field: "goal", why: format!("use one of {names}") }
    })
}

/// Every goal of the score.
pub const GOALS: [Goal; 5] = [Goal::Balanced, Goal::Profit, Goal::Risk, Goal::Execution, Goal::Impact];

/// `assay run`
#[derive(Clone, PartialEq, Debug)]
pub struct RunOrder {
    /// The strategy.
    pub strategy: PathBuf,
    /// Where.
    pub markets: Markets,
    /// On which seeds.
    pub seeds: Seeds,
    /// What counts.
    pub goal: Goal,
    /// Another strategy to compare it with.
    pub baseline: Option<PathBuf>,
    /// Whether quotes, trades and orders are kept as tables.
    pub keeps_data: bool,
}

impl RunOrder {
    /// The words of the command that writes its report into `out`.
    #[must_use]
    pub fn words(&self, out: &Path) -> Vec<String> {
        let mut words = vec!["run".to_owned(), path(&self.strategy), self.markets.word()];
        words.push(format!("--seeds={}", self.seeds.0));
        words.push(format!("--goal={}", self.goal.name()));
        words.extend(self.baseline.as_deref().map(|baseline| format!("--baseline={}", path(baseline))));
        if self.keeps_data {
            words.push("--data".to_owned());
        }
        words.push(format!("--out={}", path(out)));
        words
    }
}

/// `assay gate`
#[derive(Clone, PartialEq, Debug)]
pub struct GateOrder {
    /// The submission.
    pub submission: PathBuf,
    /// The policy.
    pub policy: PathBuf,
    /// Whether only public seeds run.
    pub is_feedback: bool,
}

impl GateOrder {
    /// The words of the command that writes its verdict into the folder `out`.
    #[must_use]
    pub fn words(&self, out: &Path) -> Vec<String> {
        let mut words = vec!["gate".to_owned(), path(&self.submission), format!("--policy={}", path(&self.policy))];
        if self.is_feedback {
            words.push("--feedback".to_owned());
        }
        words.push(format!("--out={}", path(out)));
        words
    }
}

/// Who writes candidates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Writer {
    /// Sets the parameters that the strategy declares.
    Tuner,
    /// A model that was named at start, asked for something.
    Model {
        /// Which.
        model: String,
        /// For what.
        words: String,
    },
}

/// What a session may take.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Budget {
    /// Dollars of a model.
    pub dollars: Option<f64>,
    /// Its tokens.
    pub tokens: Option<u64>,
    /// Minutes of work.
    pub minutes: Option<f64>,
}

impl Budget {
    pub(crate) fn check(self) -> Result<(), OrderError> {
        let is_right = |amount: f64| amount > 0.0 && amount < 1e6;
        let above = "use a number above zero";
        match self {
            Self { minutes: Some(minutes), .. } if !is_right(minutes) => wrong("minutes", above),
            Self { dollars: Some(dollars), .. } if !is_right(dollars) => wrong("dollars", above),
            Self { tokens: Some(0), .. } => wrong("tokens", above),
            _ => Ok(()),
        }
    }
}

/// The markets in which nothing of a session runs before its end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Unseen {
    /// As the command has it: of the half-hour markets, those that are not among the others.
    #[default]
    Usual,
    /// None.
    None,
    /// These.
    These(Markets),
}

impl Unseen {
    fn word(&self) -> Option<String> {
        match self {
            Self::Usual => None,
            Self::None => Some("--family=none".to_owned()),
            Self::These(markets) => Some(format!("--family={}", markets.words.join(","))),
        }
    }

    /// The first market that is among others, too.
    fn shared(&self, seen: &Markets) -> Option<&str> {
        let Self::These(markets) = self else { return None };
        markets.words.iter().find(|word| seen.words.contains(word)).map(String::as_str)
    }
}

/// `assay refine`
#[derive(Clone, PartialEq, Debug)]
pub struct RefineOrder {
    /// The strategy to begin with; a model can do without.
    pub from: Option<PathBuf>,
    /// Who writes.
    pub writer: Writer,
    /// Where.
    pub markets: Markets,
    /// The markets that only its end sees.
    pub family: Unseen,
    /// What counts.
    pub goal: Goal,
    /// What every draw depends on.
    pub seed: u64,
    /// Generations at most.
    pub generations: u32,
    /// Candidates in each.
    pub width: u32,
    /// What it may take.
    pub budget: Budget,
}

impl RefineOrder {
    /// Checks what can be wrong with it.
    ///
    /// # Errors
    /// A number is out of range, or a model has no limit to what it may spend.
    pub fn check(&self) -> Result<(), OrderError> {
        let Budget { dollars, tokens, .. } = self.budget;
        if !(1..=GENERATIONS_MAX).contains(&self.generations) {
            return wrong("generations", format!("use 1 to {GENERATIONS_MAX}"));
        }
        if !(1..=WIDTH_MAX).contains(&self.width) {
            return wrong("width", format!("use 1 to {WIDTH_MAX}"));
        }
        self.budget.check()?;
        if let Some(both) = self.family.shared(&self.markets) {
            return wrong(
                "unseen",
                format!("{both} is among the markets, too: what candidates are chosen by cannot confirm them"),
            );
        }
        match &self.writer {
            Writer::Tuner if self.from.is_none() => wrong("strategy", "the tuner needs a strategy to begin with"),
            Writer::Model { words, .. } if !(1..=WORDS_BYTES_MAX).contains(&words.trim().len()) => {
                wrong("words", format!("say in 1 to {WORDS_BYTES_MAX} bytes what the model is to do"))
            }
            Writer::Model { .. } if dollars.is_none() && tokens.is_none() => {
                wrong("dollars", "a model needs a limit in dollars or tokens")
            }
            _ => Ok(()),
        }
    }

    /// The words of the command that keeps its session in a folder of `dir`.
    #[must_use]
    pub fn words(&self, dir: &Path) -> Vec<String> {
        let mut words = vec!["refine".to_owned()];
        words.extend(self.from.as_deref().map(|from| format!("--from={}", path(from))));
        words.push(self.markets.word());
        words.extend(self.family.word());
        words.push(format!("--goal={}", self.goal.name()));
        words.push(format!("--seed={}", self.seed));
        words.push(format!("--generations={}", self.generations));
        words.push(format!("--width={}", self.width));
        words.extend(self.budget.dollars.map(|dollars| format!("--budget-usd={dollars}")));
        words.extend(self.budget.tokens.map(|tokens| format!("--budget-tokens={tokens}")));
        words.extend(self.budget.minutes.map(|minutes| format!("--budget-minutes={minutes}")));
        words.push(format!("--dir={}", path(dir)));
        if let Writer::Model { model, words: goal } = &self.writer {
            words.extend([format!("--model={model}"), "--".to_owned(), goal.trim().to_owned()]);
        }
        words
    }

    /// The words of the command that says what it would take.
    #[must_use]
    pub fn words_of_estimate(&self, dir: &Path) -> Vec<String> {
        let mut words = self.words(dir);
        words.insert(1, "--dry-run".to_owned());
        words
    }
}

/// The words of `assay refine resume` for the session in a folder; `None` where it is not in one.
#[must_use]
pub fn resume(session: &Path) -> Option<Vec<String>> {
    let (dir, id) = (session.parent()?, session.file_name()?.to_str()?);
    Some(vec!["refine".to_owned(), "resume".to_owned(), format!("--dir={}", path(dir)), "--".to_owned(), id.to_owned()])
}

pub(crate) fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_typed_becomes_a_flag() {
        let order = RefineOrder {
            from: Some(PathBuf::from("/files/a.rs")),
            writer: Writer::Model { model: "scripted:x".to_owned(), words: "--dir=/elsewhere".to_owned() },
            markets: Markets::parse(["calm", "calm", "volatile"], |_| None).expect("presets"),
            family: Unseen::Usual,
            goal: Goal::Risk,
            seed: 7,
            generations: 3,
            width: 4,
            budget: Budget { tokens: Some(5), ..Budget::default() },
        };
        assert_eq!(order.check(), Ok(()));
        assert_eq!(
            order.words_of_estimate(Path::new("/out")).join(" "),
            "refine --dry-run --from=/files/a.rs --scenario=calm,volatile --goal=risk --seed=7 --generations=3 --width=4 --budget-tokens=5 --dir=/out \
             --model=scripted:x -- --dir=/elsewhere"
        );
        let unseen = |names: &[&str]| Unseen::These(Markets::parse(names.iter().copied(), |_| None).expect("presets"));
        for (family, word) in [(Unseen::None, "--family=none"), (unseen(&["thin", "stable"]), "--family=thin,stable")] {
            let order = RefineOrder { family, ..order.clone() };
            assert_eq!(order.check(), Ok(()));
            assert!(order.words(Path::new("/out")).contains(&word.to_owned()), "{word}");
        }
        let both = RefineOrder { family: unseen(&["thin", "calm"]), ..order };
        assert_eq!(both.check().map_err(|error| error.field), Err("unseen"));
        let run = RunOrder {
            strategy: PathBuf::from("/s.py"),
            markets: Markets::parse(["calm", "one"], |name| (name == "one").then(|| "/m/x.toml".into()))
                .expect("markets"),
            seeds: Seeds::parse("5..8").expect("seeds"),
            goal: Goal::Balanced,
            baseline: Some(PathBuf::from("/b.rs")),
            keeps_data: true,
        };
        assert_eq!(
            run.words(Path::new("/out")).join(" "),
            "run /s.py --scenario=calm,/m/x.toml --seeds=5..8 --goal=balanced --baseline=/b.rs --data --out=/out"
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, is_right) in [
            ("20", true),
            ("5..8", true),
            ("5..=8", true),
            ("3, 7,11", true),
            ("1000", true),
            ("1001", false),
            ("0", false),
            ("8..5", false),
            ("0..18446744073709551615", false),
            ("", false),
            ("--out=/x", false),
            ("99999999999999999999999", false),
        ] {
            assert_eq!(Seeds::parse(text).is_ok(), is_right, "{text}");
        }
        for names in [&["nowhere"][..], &[], &["../x.toml"], &["--data"]] {
            assert!(Markets::parse(names.iter().copied(), |_| None).is_err(), "{names:?}");
        }
        // A comma ends a name on the command line.
        assert!(Markets::parse(["one"], |_| Some("/m/a,b.toml".into())).is_err());
        assert!(goal("money").is_err() && goal("profit") == Ok(Goal::Profit));
    }
}
