//! The feedback benchmark: whose explanation of a run helps a writer most, by how much, and at what cost.
//!
//! ```text
//! unit = strategy × sample ──► arm: what is told of its run ──► the same writer ──► program ──► points on the unit's seeds
//!                              withheld · shuffled · summary · each model's explanation
//! ```
//!
//! Within a unit all arms have the same writer, prompt, number of tries and seeds, so the difference between two arms is due to what was told. The
//! uplift of an arm is its points less those of the arm that is told nothing, unit by unit; units have seeds of their own. The shuffled arm, which is told of
//! another strategy's run, shows what a text is worth that has nothing to say.
//!
//! Invariants: a reply is stored before it is read, under what was asked; one that is stored is never asked for again, so a run that was killed is
//! continued by running it again. A unit counts only if every arm of it was written. An answer that cannot be used leaves the strategy as it was.

use crate::core::place::Place;
use crate::core::plan::{Budget, Cost};
use crate::core::seeds::{Family, block};
use crate::core::state::{Spent, mean};
use crate::explain::Explanation;
use crate::flaws::Diagnosis;
use crate::journal;
use crate::model::{Answer, Ask, Draft, NoAnswer, SUMMARY_BYTES_MAX, Speaker, Told, filled, proposal, validated};
use crate::session::Trouble;
use assay_evaluate::{Interval, Sample, holm, ranks};
use assay_files::Folder;
use assay_model::Seed;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of a stored reply.
const REPLY_BYTES_MAX: u64 = 8 << 20;
/// What the arm without feedback is told.
const NOTHING: &str = "nothing is known of its runs";
const TASK: &str = "Improve what it does.";
/// Arms before those of the models.
const WITHHELD: &str = "withheld";
const SHUFFLED: &str = "shuffled";
const SUMMARY: &str = "summary";

/// A strategy to be improved, and what can be done with it.
pub trait Subject {
    /// Its file name.
    fn name(&self) -> &str;

    /// Its source.
    fn source(&self) -> &str;

    /// What it did, for a reader: the plain summary.
    fn summary(&self) -> &str;

    /// The flaw that was planted in it; `None` for a healthy one.
    fn flaw(&self) -> Option<&str> {
        None
    }

    /// Why it did so, in a model's words.
    ///
    /// # Errors
    /// [`NoAnswer`].
    fn explain(&self, model: &dyn Ask) -> Result<Explanation, NoAnswer>;

    /// What is wrong with a program, if anything is.
    ///
    /// # Errors
    /// [`Trouble`], never for what the program does.
    fn check(&self, source: &str) -> Result<Result<(), String>, Trouble>;

    /// Points of a program that was checked, in blocks of seeds.
    ///
    /// # Errors
    /// [`Trouble`], never for what the program does.
    fn score(&self, source: &str, blocks: &[Vec<Seed>]) -> Result<Vec<f64>, Trouble>;
}

/// What is compared, and how much of it.
pub struct Setup<'a> {
    /// The strategies; the shuffled arm needs two.
    pub subjects: &'a [&'a dyn Subject],
    /// Who writes, in every arm.
    pub writer: (&'a str, &'a dyn Ask),
    /// Who explains.
    pub models: &'a [(String, &'a dyn Ask)],
    /// Flaws that strategies may have, by name; empty if none are planted.
    pub flaws: &'a BTreeMap<String, String>,
    /// What the writer is asked for.
    pub goal: &'a str,
    /// How strategies are written.
    pub guide: &'a str,
    /// Units of each strategy.
    pub samples: u32,
    /// Blocks of a unit, and seeds of a block.
    pub blocks: (u32, u32),
    /// What seeds are drawn by.
    pub seed: u64,
    /// Limits of what is spent over all runs with the same folder: tokens and micro-dollars.
    pub budget: (Option<u64>, Option<u64>),
    /// Where replies are kept.
    pub folder: &'a Folder,
    /// Once it is set, nobody is asked any more.
    pub stop: &'a AtomicBool,
}

/// What came of it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Benchmark {
    /// Who wrote.
    pub writer: String,
    /// The strategies.
    pub strategies: Vec<String>,
    /// Units that every arm finished, and those that were planned.
    pub units: usize,
    /// See [`Benchmark::units`].
    pub units_planned: usize,
    /// Whether the budget ended it.
    pub budget_spent: bool,
    /// Best first.
    pub arms: Vec<ArmRecord>,
}

/// One arm.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ArmRecord {
    /// `withheld`, `shuffled`, `summary`, or a model.
    pub arm: String,
    /// One more than the number of arms that are told to be better.
    pub rank: usize,
    /// Mean points of what was written over those of the strategy as it was.
    pub gain: f64,
    /// Mean points over the arm that was told nothing.
    pub uplift: f64,
    /// 95% interval of the uplift.
    pub interval: Option<Interval>,
    /// Two-sided p-value of no uplift after Holm's correction for all arms.
    pub p_corrected: Option<f64>,
    /// `helps`, `harms`, `not told apart`, or `reference`.
    pub verdict: &'static str,
    /// Units in which no answer could be used.
    pub unusable: usize,
    /// Units in which the model gave no explanation, and the plain summary was told instead.
    pub fallen_back: usize,
    /// Numbers that explanations had and the run had not.
    pub struck: usize,
    /// How well the model named planted flaws, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnosis: Option<Diagnosis>,
    /// Tokens of explaining and writing, in all units.
    pub tokens: u64,
    /// What explaining cost, in all units, in micro-dollars.
    pub explaining_microdollars: u64,
    /// What explaining and writing cost.
    pub microdollars: u64,
}

/// What one arm did, unit by unit.
#[derive(Default)]
struct Arm {
    gains: Vec<f64>,
    unusable: usize,
    fallen_back: usize,
    struck: usize,
    diagnosis: Option<Diagnosis>,
    tokens: u64,
    explaining: u64,
    microdollars: u64,
}

/// Why a run of the benchmark ends early.
enum Early {
    Budget,
    Trouble(Trouble),
}

impl From<Trouble> for Early {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

/// Runs the benchmark. `watch` hears of each unit that is done, and of how many.
///
/// # Errors
/// [`Trouble`]: a model or a market cannot be reached. What was answered is stored, so running it again continues.
pub fn run<'a>(setup: &'a Setup<'a>, watch: &mut dyn FnMut(usize, usize)) -> Result<Benchmark, Trouble> {
    let names = arms(setup);
    let mut arms: Vec<Arm> = names.iter().map(|_| Arm::default()).collect();
    let spent = RefCell::new(Spent::default());
    let planned = setup.subjects.len() * setup.samples as usize;
    let mut early = false;
    for unit in 0..planned {
        match self::unit(setup, &names, unit, &spent) {
            Ok(done) => {
                for (arm, done) in arms.iter_mut().zip(done) {
                    arm.add(done);
                }
                watch(unit + 1, planned);
            }
            Err(Early::Budget) => {
                early = true;
                break;
            }
            Err(Early::Trouble(trouble)) => return Err(trouble),
        }
    }
    Ok(Benchmark {
        writer: setup.writer.0.to_owned(),
        strategies: setup.subjects.iter().map(|subject| subject.name().to_owned()).collect(),
        units: arms.first().map_or(0, |arm| arm.gains.len()),
        units_planned: planned,
        budget_spent: early,
        arms: records(&names, &arms),
    })
}

/// The arms, the one that is told nothing first.
#[must_use]
pub fn arms(setup: &Setup<'_>) -> Vec<String> {
    let plain = [WITHHELD, SHUFFLED, SUMMARY].into_iter().filter(|arm| *arm != SHUFFLED || setup.subjects.len() > 1);
    plain.map(str::to_owned).chain(setup.models.iter().map(|(name, _)| name.clone())).collect()
}

impl Arm {
    fn add(&mut self, unit: Self) {
        self.gains.extend(unit.gains);
        self.unusable += unit.unusable;
        self.fallen_back += unit.fallen_back;
        self.struck += unit.struck;
        self.diagnosis = match (self.diagnosis, unit.diagnosis) {
            (Some(all), Some(one)) => Some(all.and(one)),
            (all, one) => all.or(one),
        };
        self.tokens += unit.tokens;
        self.explaining += unit.explaining;
        self.microdollars += unit.microdollars;
    }
}

/// One unit: what each arm did in it.
fn unit<'a>(setup: &'a Setup<'a>, names: &[String], unit: usize, spent: &'a RefCell<Spent>) -> Result<Vec<Arm>, Early> {
    let count = setup.subjects.len();
    let (subject, sample) = (setup.subjects[unit % count], unit / count);
    let foreign = setup.subjects[(unit + 1) % count];
    let family = Family::Unit { number: unit as u32 };
    let blocks: Vec<_> = (0..setup.blocks.0).map(|number| block(setup.seed, family, number, setup.blocks.1)).collect();
    let mut written = Vec::new();
    for (index, name) in names.iter().enumerate() {
        if setup.stop.load(Ordering::Relaxed) {
            return Err(Trouble::Interrupted.into());
        }
        let mut arm = Arm::default();
        let label = format!("{} {} {sample} {name}", setup.seed, subject.name());
        let mut told = match name.as_str() {
            WITHHELD => NOTHING.to_owned(),
            SHUFFLED if count > 1 => foreign.summary().to_owned(),
            SUMMARY => subject.summary().to_owned(),
            _ => {
                let (_, model) = &setup.models[index + setup.models.len() - names.len()];
                let told = explained(subject, &Kept::new(*model, setup, format!("explain {label}"), spent), &mut arm)?;
                if !setup.flaws.is_empty() {
                    arm.diagnosis = Some(Diagnosis::of(&told, subject.flaw(), setup.flaws));
                }
                told
            }
        };
        told.truncate(told.floor_char_boundary(SUMMARY_BYTES_MAX));
        let writer = Kept::new(setup.writer.1, setup, format!("write {label}"), spent);
        let program = write(setup, subject, &told, &writer, &mut arm)?;
        written.push((program, arm));
    }
    // Equal programs have equal points, and what was written is run only once it is certain that the unit counts.
    let mut points: BTreeMap<String, f64> = BTreeMap::new();
    let mut of = |source: &str| -> Result<f64, Trouble> {
        if let Some(points) = points.get(source) {
            return Ok(*points);
        }
        let found = mean(&subject.score(source, &blocks)?);
        points.insert(source.to_owned(), found);
        Ok(found)
    };
    let origin = of(subject.source())?;
    let mut done = Vec::new();
    for (program, mut arm) in written {
        arm.gains.push(of(program.as_deref().unwrap_or(subject.source()))? - origin);
        done.push(arm);
    }
    Ok(done)
}

/// A model's explanation; the plain summary if there is none.
fn explained(subject: &dyn Subject, kept: &Kept<'_>, arm: &mut Arm) -> Result<String, Early> {
    match subject.explain(kept) {
        Ok(Explanation { text, struck, tokens, microdollars, .. }) => {
            arm.struck += struck;
            arm.tokens += tokens;
            arm.explaining += microdollars;
            arm.microdollars += microdollars;
            Ok(text)
        }
        Err(_) if kept.is_over() => Err(Early::Budget),
        Err(NoAnswer::Session(why)) => Err(Trouble::Infrastructure(why).into()),
        Err(NoAnswer::Slot(_)) => {
            arm.fallen_back += 1;
            Ok(subject.summary().to_owned())
        }
    }
}

/// What the writer makes of a strategy when it is told this; `None` if nothing of it can be used.
fn write(
    setup: &Setup<'_>,
    subject: &dyn Subject,
    told: &str,
    kept: &Kept<'_>,
    arm: &mut Arm,
) -> Result<Option<String>, Early> {
    let place = Place { generation: 1, slot: 0 };
    let nothing =
        Told { goal: setup.goal, program: subject.source(), did: told, other: "", tried: "nothing yet\n", hints: "" };
    let request = filled((place, Place::ORIGIN), TASK, &nothing);
    let mut reply = |messages: &[(Speaker, String)], attempt: u32| match kept.ask(messages, attempt) {
        Ok(Answer { text, tokens, microdollars }) => {
            arm.tokens += tokens;
            arm.microdollars += microdollars;
            Ok(Ok(text))
        }
        Err(NoAnswer::Slot(why)) => Ok(Err(why)),
        Err(NoAnswer::Session(why)) => Err(Trouble::Infrastructure(why)),
    };
    let check = |source: &str| subject.check(source);
    let mut validate = |draft: &Draft| validated(&check, draft);
    let proposed = proposal((setup.guide, &request), subject.source(), false, &mut reply, &mut validate);
    if kept.is_over() {
        return Err(Early::Budget);
    }
    let program = proposed?.ok().map(|proposal| proposal.program);
    arm.unusable += usize::from(program.is_none());
    Ok(program)
}

/// A model whose replies are kept under what it was asked, and which is not asked beyond the budget.
struct Kept<'a> {
    ask: &'a dyn Ask,
    setup: &'a Setup<'a>,
    /// Who is asked for what: the same words in another arm or sample are another question.
    label: String,
    spent: &'a RefCell<Spent>,
    is_over: std::cell::Cell<bool>,
}

/// A stored reply.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    text: String,
    tokens: u64,
    microdollars: u64,
}

impl<'a> Kept<'a> {
    fn new(ask: &'a dyn Ask, setup: &'a Setup<'a>, label: String, spent: &'a RefCell<Spent>) -> Self {
        Self { ask, setup, label, spent, is_over: false.into() }
    }

    fn is_over(&self) -> bool {
        self.is_over.get()
    }

    fn key(&self, messages: &[(Speaker, String)]) -> String {
        let mut hasher = blake3::Hasher::new();
        for text in std::iter::once(&self.label).chain(messages.iter().map(|(_, text)| text)) {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        format!("{}.json", hasher.finalize().to_hex())
    }

    /// `None` if there is none. A damaged one was paid for, so it is not asked for again behind the user's back.
    fn stored(&self, key: &str) -> Result<Option<Stored>, NoAnswer> {
        let damaged = |error: &dyn std::fmt::Display| {
            NoAnswer::Session(format!("the stored reply {key} is damaged ({error}); remove it to ask for it again"))
        };
        match self.setup.folder.read(key, REPLY_BYTES_MAX) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| damaged(&error)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(damaged(&error)),
        }
    }

    fn asked(&self, key: &str, messages: &[(Speaker, String)], attempt: u32) -> Result<Stored, NoAnswer> {
        let (spent, (tokens, money)) = (*self.spent.borrow(), self.setup.budget);
        let budget = Budget { microdollars: money, tokens, minutes: None };
        if !budget.covers(spent.cost(), self.ask.least_cost(messages)) {
            self.is_over.set(true);
            return Err(NoAnswer::Session("the budget is spent".to_owned()));
        }
        let before = self.ask.spent();
        let answer = self.ask.ask(messages, attempt);
        let counted = self.ask.spent().beyond(before);
        let Answer { text, tokens, microdollars } = answer.inspect_err(|_| {
            // What failed is not kept, but it is paid for.
            let mut spent = self.spent.borrow_mut();
            spent.tokens = spent.tokens.saturating_add(counted.tokens);
            spent.microdollars = spent.microdollars.saturating_add(counted.microdollars);
        })?;
        let Cost { tokens, microdollars } = counted.or_more(Cost { tokens, microdollars });
        let reply = Stored { text: journal::cut(text), tokens, microdollars };
        let failed = |error: &dyn std::fmt::Display| NoAnswer::Session(format!("failed to store a reply: {error}"));
        let bytes = serde_json::to_vec(&reply).map_err(|error| failed(&error))?;
        self.setup.folder.write(key, &bytes, 0o600).map_err(|error| failed(&error))?;
        Ok(reply)
    }
}

impl Ask for Kept<'_> {
    fn ask(&self, messages: &[(Speaker, String)], attempt: u32) -> Result<Answer, NoAnswer> {
        let key = self.key(messages);
        let Stored { text, tokens, microdollars } = match self.stored(&key)? {
            Some(reply) => reply,
            None => self.asked(&key, messages, attempt)?,
        };
        let mut spent = self.spent.borrow_mut();
        spent.replies += 1;
        spent.tokens = spent.tokens.saturating_add(tokens);
        spent.microdollars = spent.microdollars.saturating_add(microdollars);
        Ok(Answer { text, tokens, microdollars })
    }
}

/// The arms as a reader has them, best first.
fn records(names: &[String], arms: &[Arm]) -> Vec<ArmRecord> {
    let gains: Vec<Sample> = arms.iter().map(|arm| Sample::of_distinct(arm.gains.clone())).collect();
    let standings = ranks(&gains.iter().collect::<Vec<_>>(), gains.len(), true);
    let uplifts: Vec<Sample> = gains.iter().map(|own| own.minus(&gains[0]).unwrap_or_default()).collect();
    let estimates: Vec<_> = uplifts.iter().map(Sample::estimate).collect();
    // The arm that is told nothing is not compared with itself.
    let p: Vec<Option<f64>> = estimates.iter().map(|estimate| estimate.as_ref()?.p).collect();
    let mut corrected =
        holm(&p.iter().flatten().copied().collect::<Vec<_>>(), arms.len().saturating_sub(1)).into_iter();
    let mut records: Vec<ArmRecord> = Vec::new();
    for (index, (name, arm)) in names.iter().zip(arms).enumerate() {
        let interval = estimates[index].and_then(|estimate| estimate.interval);
        let uplift = uplifts[index].mean().unwrap_or_default();
        let p_corrected = p[index].and_then(|_| corrected.next());
        let is_told = p_corrected.is_some_and(|p| p <= 0.05) && interval.is_some_and(|one| one.excludes_zero());
        let verdict = match (index, is_told) {
            (0, _) => "reference",
            (_, true) if uplift > 0.0 => "helps",
            (_, true) => "harms",
            (_, false) => "not told apart",
        };
        records.push(ArmRecord {
            arm: name.clone(),
            rank: standings[index].rank,
            gain: mean(&arm.gains),
            uplift,
            interval: interval.filter(|_| index > 0),
            p_corrected,
            verdict,
            unusable: arm.unusable,
            fallen_back: arm.fallen_back,
            struck: arm.struck,
            diagnosis: arm.diagnosis,
            tokens: arm.tokens,
            explaining_microdollars: arm.explaining,
            microdollars: arm.microdollars,
        });
    }
    records.sort_by(|a, b| b.uplift.total_cmp(&a.uplift));
    records
}
