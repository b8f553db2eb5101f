//! The story of a session, for a person: how the champion came about, and what is known about it.

use crate::cell::quoted;
use crate::core::event::{Pooled, Program};
use crate::core::hypotheses::{Fate, Hypothesis, hypotheses};
use crate::core::place::Place;
use crate::core::plan::WriterPlan;
use crate::core::state::{State, Trial, mean};
use crate::core::step::interval;
use crate::core::wager::Wager;
use crate::council;
use crate::evidence::{plain, points};
use assay_model::known_dollars;
use std::fmt::Write as _;

/// Candidates that are listed, the last ones.
const LISTED_MAX: usize = 200;
/// The e-value that confirms a champion: 1 in 20.
pub const CONFIRMED: f64 = 20.0;

/// What the sealed comparison says.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// Mean points of the champion.
    pub champion: f64,
    /// Mean points of the origin.
    pub origin: f64,
    /// 95% interval of the mean difference.
    pub interval: (f64, f64),
    /// The evidence that the difference is above zero.
    pub e_value: f64,
    /// Blocks.
    pub blocks: usize,
    /// The same seeds together; `None` in an unseen market, and before rules of version 7.
    pub pooled: Option<Pooled>,
}

impl Verdict {
    /// Of pairs of points.
    #[must_use]
    pub fn of(pairs: &[(f64, f64)], bet_max: f64) -> Self {
        let differences: Vec<f64> = pairs.iter().map(|pair| pair.0 - pair.1).collect();
        Self {
            champion: mean(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>()),
            origin: mean(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>()),
            interval: interval(&differences),
            e_value: Wager::over(bet_max, differences).wealth(),
            blocks: pairs.len(),
            pooled: None,
        }
    }

    /// The mean difference and its interval, for a reader: `+1.33 points (+0.95 to +1.70)`.
    #[must_use]
    pub fn difference(&self) -> String {
        let (low, high) = self.interval;
        format!("{} points ({} to {})", points(self.champion - self.origin), points(low), points(high))
    }

    /// What the seeds say together, to follow something else; empty if they were not scored so.
    #[must_use]
    pub fn at_once(&self) -> String {
        self.pooled.as_ref().map_or_else(String::new, |pooled| format!("; over all seeds together {}", at_once(pooled)))
    }

    /// Whether the champion is better on seeds that nothing was chosen by.
    #[must_use]
    pub fn is_confirmed(&self) -> bool {
        let agrees = self.pooled.as_ref().is_none_or(Pooled::is_ahead);
        self.e_value >= CONFIRMED && self.interval.0 > 0.0 && agrees
    }
}

/// What the sealed comparison of a session says, if there was one.
#[must_use]
pub fn verdict(state: &State) -> Option<Verdict> {
    let pooled = state.sealed_pooled().cloned();
    state.sealed().map(|pairs| Verdict { pooled, ..Verdict::of(pairs, state.plan().rules.bet_max) })
}

/// What came of a session, in one sentence.
#[must_use]
pub fn outcome(state: &State) -> String {
    if state.champion() == Place::ORIGIN {
        return nothing(state);
    }
    let champion = state.champion();
    match verdict(state) {
        Some(verdict) if verdict.is_confirmed() => {
            format!("{champion} is better than the origin: {} on sealed seeds", verdict.difference())
        }
        Some(verdict) => format!(
            "{champion} won its trials, but the sealed seeds do not confirm it: {}, e-value {} of {CONFIRMED}{}",
            verdict.difference(),
            plain(verdict.e_value),
            verdict.at_once()
        ),
        None if state.ended().is_none() => {
            format!("{champion} won its trials so far; the sealed seeds come at the end")
        }
        None => format!("{champion} won its trials; the sealed seeds were not used"),
    }
}

/// What came of a session whose origin is the best. One in which no program was written has not looked for anything.
fn nothing(state: &State) -> String {
    let mut candidates = state.candidates().iter().filter(|(place, _)| **place != Place::ORIGIN).map(|(_, one)| one);
    let first = candidates.clone().next().and_then(|candidate| candidate.out.as_deref());
    match (state.ended(), first) {
        (None, _) => "nothing better has been found so far".to_owned(),
        (Some(_), Some(why)) if candidates.all(|candidate| candidate.program.is_none()) => {
            format!("no candidate was written, so nothing was tried: {}", quoted(why))
        }
        (Some(_), _) => "nothing better was found".to_owned(),
    }
}

/// See the module documentation.
#[must_use]
pub fn story(state: &State) -> String {
    let plan = state.plan();
    let markets: Vec<&str> = plan.markets.iter().map(|market| market.name.as_str()).collect();
    let mut text = format!(
        "# {}\n\n{}.\n\nMarkets: {}. Goal of the score: {}. A block is {} seeds of each market, and its points are their score.\n",
        plan.strategy,
        sentence(&outcome(state)),
        markets.join(", "),
        plan.goal,
        plan.rules.block_seeds
    );
    let spent = state.spent();
    let mut line = |words: String| {
        let _infallible = writeln!(text, "{words}");
    };
    let why = state
        .ended()
        .map_or_else(|| "It has not ended yet.".to_owned(), |end| format!("It ended because {}.", end.words()));
    line(format!(
        "Generations: {}. Candidates: {}. Time: {:.0} s. {why}",
        state.generation().saturating_sub(1),
        state.candidates().len().saturating_sub(1),
        state.at_ms() as f64 / 1_000.0
    ));
    if spent.replies > 0 {
        line(format!(
            "Replies: {}, {} tokens, cost {}; requests in flight at an interruption, which may have been paid: {}.",
            spent.replies,
            spent.tokens,
            known_dollars(spent.microdollars, spent.replies > 0),
            spent.lost
        ));
    }
    if let Some(verdict) = verdict(state) {
        line(format!(
            "\n## Sealed seeds\n\nUsed once, after everything was decided: {} blocks. Champion {:.2} points, origin {:.2}; difference, with its 95% interval, {}; e-value {}{}.",
            verdict.blocks,
            verdict.champion,
            verdict.origin,
            verdict.difference(),
            plain(verdict.e_value),
            verdict.at_once()
        ));
    }
    if !state.family().is_empty() {
        line(unseen(state));
    }
    line(
        "\n## Promotion trials\n\nEach on seeds that no candidate had seen. The e-value must reach what is needed, and the challenger must certainly be ahead over many seeds together.\n"
            .to_owned(),
    );
    line("| trial | challenger | against | blocks | difference | e-value | needed | many seeds together | answer |\n|---|---|---|---|---|---|---|---|---|".to_owned());
    for (index, trial) in state.trials().iter().enumerate() {
        line(row(index + 1, trial, plan.level(index + 1)));
    }
    text + &council::sections(state) + &candidates(state)
}

/// What the sealed markets say: whether the champion is good elsewhere too.
#[must_use]
pub fn unseen(state: &State) -> String {
    let mut text = format!(
        "\n## Unseen markets\n\nNothing ran in them before the end; champion and origin met there once, over {} blocks each.\n\n| market | champion | origin | difference | |\n|---|---|---|---|---|\n",
        state.plan().rules.family_blocks
    );
    for (market, pairs) in state.plan().family.iter().zip(state.family()) {
        let verdict = Verdict::of(pairs, state.plan().rules.bet_max);
        let (low, high) = verdict.interval;
        let words = if low > 0.0 {
            "better"
        } else if high < 0.0 {
            "worse"
        } else {
            "not told apart"
        };
        let _infallible = writeln!(
            text,
            "| {} | {:.2} | {:.2} | {} | {words} |",
            quoted(&market.name),
            verdict.champion,
            verdict.origin,
            verdict.difference()
        );
    }
    text.trim_end().to_owned()
}

/// How the champion does in unseen markets, in one sentence; nothing if there are none.
#[must_use]
pub fn elsewhere(state: &State) -> Option<String> {
    let names = |fits: fn((f64, f64)) -> bool| {
        let markets = state.plan().family.iter().zip(state.family());
        let fitting = markets.filter(|(_, pairs)| fits(Verdict::of(pairs, state.plan().rules.bet_max).interval));
        fitting.map(|(market, _)| quoted(&market.name)).collect::<Vec<_>>()
    };
    let (better, worse) = (names(|(low, _)| low > 0.0), names(|(_, high)| high < 0.0));
    let listed = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let count = state.family().len();
    (count > 0).then(|| {
        format!(
            "of {count} markets that it never saw, it is better in {}; worse in {}",
            listed(&better),
            listed(&worse)
        )
    })
}

fn row(number: usize, trial: &Trial, level: f64) -> String {
    let differences: Vec<f64> = trial.pairs.iter().map(|pair| pair.0 - pair.1).collect();
    let (low, high) = interval(&differences);
    let verdict = match (trial.promoted, trial.any_veto()) {
        (Some(true), _) => "promoted".to_owned(),
        (Some(false), Some(veto)) => format!("veto: {}", quoted(veto)),
        (Some(false), None) => "not certainly better".to_owned(),
        (None, _) => "open".to_owned(),
    };
    format!(
        "| {number} | {} | {} | {} | {:+.3} ({low:+.3} to {high:+.3}) | {} | {} | {} | {verdict} |",
        trial.candidate,
        trial.champion,
        trial.pairs.len(),
        mean(&differences),
        plain(trial.wager.wealth()),
        plain(1.0 / level),
        trial.pooled.as_ref().map_or_else(String::new, at_once),
    )
}

/// What many seeds together say, for a reader: `4.12 against 2.70, a lead of at least +0.35`.
#[must_use]
pub fn at_once(pooled: &Pooled) -> String {
    format!("{:.2} against {:.2}, a lead of at least {}", pooled.challenger, pooled.champion, points(pooled.at_least))
}

fn candidates(state: &State) -> String {
    let mut text =
        "\n## Candidates\n\nGain: points over the champion that it met, on the seeds of its generation.\n\n| candidate | from | gain | what it tries | result |\n|---|---|---|---|---|\n"
            .to_owned();
    let all = hypotheses(state);
    for one in all.iter().skip(all.len().saturating_sub(LISTED_MAX)) {
        let Hypothesis { place, candidate, fate } = one;
        let parents: Vec<String> = candidate.parent.iter().chain(&candidate.other).map(Place::to_string).collect();
        let (parent, gain) = (parents.join(" and "), one.gained().unwrap_or_default());
        let result = match fate {
            Fate::Out(why) => quoted(why),
            Fate::Confirmed(trial) => format!("confirmed in trial {trial}"),
            Fate::NotConfirmed(trial) => format!("not confirmed in trial {trial}"),
            Fate::Raced => "no trial".to_owned(),
            Fate::Open => "open".to_owned(),
        };
        let _infallible = writeln!(text, "| {place} | {parent} | {gain} | {} | {result} |", quoted(&candidate.idea));
    }
    text.push_str(&tally(&all));
    if let WriterPlan::Tuner { parameters } = &state.plan().writer
        && let Some(Program::Settings(values)) =
            state.candidates().get(&state.champion()).and_then(|candidate| candidate.program.as_ref())
    {
        text.push_str("\n## Parameters\n\n| parameter | origin | champion |\n|---|---|---|\n");
        for (parameter, value) in parameters.iter().zip(values) {
            let _infallible = writeln!(text, "| `{}` | {} | {value} |", parameter.name, parameter.default);
        }
    }
    text
}

/// How many ideas had which fate.
fn tally(all: &[Hypothesis<'_>]) -> String {
    let count = |fits: fn(&Fate) -> bool| all.iter().filter(|one| fits(&one.fate)).count();
    format!(
        "\nIdeas: {}. Confirmed on fresh seeds: {}. Led their generation, but not confirmed: {}. Did not lead: {}. Out before: {}.\n",
        all.len(),
        count(|fate| matches!(fate, Fate::Confirmed(_))),
        count(|fate| matches!(fate, Fate::NotConfirmed(_))),
        count(|fate| matches!(fate, Fate::Raced)),
        count(|fate| matches!(fate, Fate::Out(_)))
    )
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
