//! Each rule in each scenario: what was seen, and whether that is what the rule asks.

use super::RanIn;
use super::words::{amount, asks, bare, number, seeds};
use crate::policy::{Amount, Limit, OutcomeKind, Policy, Rule, Statistic};
use crate::verdict::{Check, Decision, OUTCOME_RULE};
use assay_evaluate::{EpisodeRecord, MORE_MARKETS_HINT, Sample, outcome_detail, outcome_name};
use assay_market::metrics::{Group, Unit};
use assay_sandbox::Outcome;
use assay_validator::escape;

/// Characters that a submission's own words may have in a verdict.
const GUEST_WORDS_CHARS_MAX: usize = 200;
/// Figures over fewer hidden seeds than this are figures of single seeds, in which a submission can say what it saw there.
const SEEDS_SHOWN_MIN: usize = 3;
const UNSCORED_HINT: &str = "the infrastructure failed, which says nothing about the submission; gate it again";

/// In the order of the policy: outcomes first, then the rules; each in its scenarios.
pub(super) fn checks(policy: &Policy, runs: &[RanIn<'_>]) -> Vec<Check> {
    each(policy, runs, |rule, ran| {
        let seen = too_few_scored(policy, ran);
        let Some(rule) = rule else { return seen.unwrap_or_else(|| outcomes(policy, ran)) };
        let mut seen = seen.unwrap_or_else(|| see(rule, ran));
        if seen.decision == Decision::Fail {
            seen.hint = rule.why.clone().or(seen.hint);
        }
        seen
    })
}

/// The same of a submission that used up its processor time: all fail.
pub(super) fn out_of_time(policy: &Policy, runs: &[RanIn<'_>]) -> Vec<Check> {
    let limit = policy.budget.wall.as_secs_f64();
    each(policy, runs, |_, _| Seen {
        saw: format!("stopped after it had used more than {limit} s of processor time, compilation included"),
        decision: Decision::Fail,
        hint: Some(format!(
            "the policy allows {limit} s in all (`wall`), in which time spent waiting for a processor does not count: make it compute less in each \
             callback (`assay run SUBMISSION --profile` shows where), or leave the compiler less to do"
        )),
    })
}

/// What is seen in each scenario: first of outcomes, without a rule, then of each rule that applies there.
fn each(policy: &Policy, runs: &[RanIn<'_>], seen: impl Fn(Option<&Rule>, &RanIn<'_>) -> Seen) -> Vec<Check> {
    let seen = &seen;
    let outcomes = runs.iter().map(|ran| outcome_check(policy, ran, seen(None, ran)));
    let rules = policy.rules.iter().flat_map(move |rule| {
        let is_for = |ran: &&RanIn<'_>| {
            rule.scenarios.as_ref().is_none_or(|scenarios| scenarios.contains(&ran.scenario.scenario))
        };
        runs.iter().filter(is_for).map(move |ran| rule_check(rule, ran, seen(Some(rule), ran)))
    });
    outcomes.chain(rules).collect()
}

/// What came of looking at a rule.
struct Seen {
    saw: String,
    decision: Decision,
    hint: Option<String>,
}

impl Seen {
    fn unscored(saw: String, hint: &str) -> Self {
        Self { saw, decision: Decision::Unscored, hint: Some(hint.to_owned()) }
    }
}

/// Too few seeds were scored to say anything.
fn too_few_scored(policy: &Policy, ran: &RanIn<'_>) -> Option<Seen> {
    let (asked, scored) = (ran.record.seeds.len(), ran.record.episodes.len());
    let need = policy.scored_seeds_min.map_or(asked, |need| asked.min(need as usize));
    if scored >= need {
        return None;
    }
    let first = ran.record.unscored.first().filter(|_| ran.hidden.is_none());
    let first = first.map(|unscored| format!(": {}", guest_words(&unscored.what)));
    let saw = format!("{scored} of {} scored, {need} needed{}", seeds(asked), first.unwrap_or_default());
    Some(Seen::unscored(saw, UNSCORED_HINT))
}

fn outcome_check(policy: &Policy, ran: &RanIn<'_>, seen: Seen) -> Check {
    let names: Vec<&str> = policy.outcomes.allowed.iter().map(|kind| kind.name()).collect();
    let Seen { saw, decision, hint } = seen;
    Check {
        rule: OUTCOME_RULE.to_owned(),
        policy_line: policy.outcomes.line,
        scenario: ran.record.scenario.name.clone(),
        measure: None,
        asks: format!("every seed ends as {}", names.join(" or ")),
        saw,
        decision,
        hint,
    }
}

fn outcomes(policy: &Policy, ran: &RanIn<'_>) -> Seen {
    let episodes = &ran.record.episodes;
    let is_bad = |episode: &&EpisodeRecord| !policy.outcomes.allowed.contains(&kind(episode));
    let Some(first) = episodes.iter().find(is_bad) else {
        let saw = format!("as allowed in {}", seeds(episodes.len()));
        return Seen { saw, decision: Decision::Pass, hint: None };
    };
    let bad = episodes.iter().filter(is_bad).count();
    let name = outcome_name(first);
    // Of a hidden seed not even the submission's own words may come out: they can tell what it saw.
    let detail = outcome_detail(first).filter(|_| ran.hidden.is_none());
    let detail = detail.map(|detail| format!(" ({})", guest_words(&detail))).unwrap_or_default();
    let place = if ran.hidden.is_none() { format!(", first in seed {}", first.seed) } else { String::new() };
    let saw = format!("{name} in {bad} of {}{place}{detail}", seeds(episodes.len()));
    let hint = match &first.outcome {
        Outcome::OutOfFuel { .. } => {
            "it uses more fuel than the budget allows: look for loops that grow with the session"
        }
        Outcome::LimitExceeded { limit: assay_sandbox::Limit::ProcessorTime, .. } => {
            "a callback computes for longer than the policy or the sandbox allows (`watchdog`): do less in each"
        }
        Outcome::OutOfMemory { .. } => "it uses more memory than the budget allows: bound its lists",
        Outcome::Trapped { .. } => {
            "it panicked, raised an exception or did what WebAssembly forbids: check indexing, unwrap and arithmetic"
        }
        _ => "it sends or requests more than the interface allows: send less",
    };
    // Not `assay run`: it knows neither the policy's budget nor its folder.
    let again = "; `assay gate SUBMISSION --feedback`, with this policy, runs the public seeds again and says more";
    Seen { saw, decision: Decision::Fail, hint: Some(format!("{hint}{again}")) }
}

fn kind(episode: &EpisodeRecord) -> OutcomeKind {
    match (&episode.outcome, episode.stopped.is_some()) {
        (Outcome::Finished, false) => OutcomeKind::Finished,
        (Outcome::OutOfFuel { .. }, _) => OutcomeKind::OutOfFuel,
        (Outcome::OutOfMemory { .. }, _) => OutcomeKind::OutOfMemory,
        (Outcome::Trapped { .. }, _) => OutcomeKind::Trapped,
        (Outcome::LimitExceeded { .. }, _) => OutcomeKind::LimitExceeded,
        // The others are never in an episode that was scored.
        (Outcome::Finished, true) | (Outcome::Rejected { .. } | Outcome::Infrastructure { .. }, _) => {
            OutcomeKind::Stopped
        }
    }
}

fn guest_words(text: &str) -> String {
    let clipped: String = text.chars().take(GUEST_WORDS_CHARS_MAX).collect();
    escape(&clipped)
}

fn rule_check(rule: &Rule, ran: &RanIn<'_>, seen: Seen) -> Check {
    let Seen { saw, decision, hint } = seen;
    Check {
        rule: rule.name.clone(),
        policy_line: rule.line,
        scenario: ran.record.scenario.name.clone(),
        measure: Some(rule.measure.key.to_owned()),
        asks: asks(rule),
        saw,
        decision,
        hint,
    }
}

/// A seed in which the measure has a value.
struct Value<'a> {
    seed: u64,
    /// Path of its market: seeds of one path are one observation.
    path: &'a str,
    /// What the rule looks at: the value, or its difference to the baseline's.
    value: f64,
    /// With the baseline.
    baseline: Option<f64>,
}

/// Values in seed order, and of what is missing: how much, the first reason, and whether the strategy could have helped it.
struct Values<'a> {
    values: Vec<Value<'a>>,
    missing: u64,
    reason: Option<String>,
    is_strategys: bool,
}

fn values<'a>(rule: &Rule, ran: &RanIn<'a>) -> Values<'a> {
    let mut all = Values { values: Vec::new(), missing: 0, reason: None, is_strategys: false };
    let key = rule.measure.key;
    for episode in &ran.record.episodes {
        let (seed, path) = (episode.seed, episode.path());
        let (own, other) = (episode.measures.get(key), episode.baseline_measures.get(key));
        let number = |measure: Option<&assay_evaluate::MeasureRecord>| measure.and_then(|measure| measure.value);
        let (value, baseline) = (number(own), number(other));
        match (value, baseline, rule.against_baseline) {
            (Some(value), baseline, false) => all.values.push(Value { seed, path, value, baseline }),
            (Some(value), Some(other), true) => {
                all.values.push(Value { seed, path, value: value - other, baseline });
            }
            _ => {
                all.missing += 1;
                let source = if value.is_none() { own } else { other };
                let reason = source.and_then(|measure| measure.missing.clone());
                all.reason = all.reason.or(reason);
                // A measure of the market that is missing without it as well is not its doing.
                all.is_strategys |= value.is_none() && (rule.measure.group != Group::Market || baseline.is_some());
            }
        }
    }
    all
}

fn see(rule: &Rule, ran: &RanIn<'_>) -> Seen {
    let Values { values, missing, reason, is_strategys } = values(rule, ran);
    let needed = if matches!(rule.statistic, Statistic::Bound { .. }) { 2 } else { 1 };
    if missing > rule.missing_max || values.len() < needed {
        let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        if missing == 0 {
            let saw = format!("{}, a bound takes at least {needed}", seeds(values.len()));
            return Seen::unscored(saw, "give the scenario more seeds in the policy");
        }
        let saw = format!("no value in {missing} of {}{reason}", seeds(ran.record.episodes.len()));
        if is_strategys {
            let hint = "The submission does too little for this to be measured; the policy may allow it with `missing_seeds_max`";
            return Seen { saw, decision: Decision::Fail, hint: Some(hint.to_owned()) };
        }
        return Seen::unscored(saw, "the market itself has no value here: the rule does not fit the scenario");
    }
    let sample = sample(&values);
    if needed > sample.n() {
        let saw = format!(
            "{} of one market path, which are 1 observation; a bound takes at least {needed}",
            seeds(values.len())
        );
        return Seen::unscored(saw, MORE_MARKETS_HINT);
    }
    let mut seen = match rule.statistic {
        Statistic::EverySeed => every_seed(rule, ran, &values),
        Statistic::Mean | Statistic::Bound { .. } => over_seeds(rule, &values, &sample),
    };
    // The least and the greatest value are each of one seed.
    let is_of_few = values.len() < SEEDS_SHOWN_MIN || matches!(rule.statistic, Statistic::EverySeed);
    if ran.hidden.is_some() && is_of_few {
        seen.saw = withheld(rule, &values, seen.decision);
    }
    if missing > 0 {
        seen.saw.push_str(&format!("; no value in {missing}"));
    }
    seen
}

/// What is said of hidden seeds where a figure would be that of a single one.
fn withheld(rule: &Rule, values: &[Value<'_>], decision: Decision) -> String {
    let count = seeds(values.len());
    if !matches!(rule.statistic, Statistic::EverySeed) {
        let word = if decision == Decision::Pass { "as asked" } else { "not as asked" };
        return format!("{word} in {count}; figures of fewer than {SEEDS_SHOWN_MIN} hidden seeds are not shown");
    }
    let bad = values.iter().filter(|value| !keeps(rule, value.value, value.baseline.unwrap_or(0.0))).count();
    let what = if bad == 0 { format!("as asked in {count}") } else { format!("beyond it in {bad} of {count}") };
    format!("{what}; figures of single hidden seeds are not shown")
}

/// Two numbers that are nearer than this, relative to their size, are equal: sums and differences of decimal fractions are not exact.
const ROUNDING: f64 = 1e-9;

/// Whether a value keeps to the limits, which are shares of `of` where they are shares of the baseline.
fn keeps(rule: &Rule, value: f64, of: f64) -> bool {
    let distance = |limit: Limit| {
        let size = match limit.amount {
            Amount::Absolute(amount) => amount,
            Amount::OfBaseline(fraction) => fraction * of.abs(),
        };
        let distance = value - size;
        if distance.abs() <= ROUNDING * value.abs().max(size.abs()) { 0.0 } else { distance }
    };
    // A distance that is not a number keeps to nothing.
    let above = rule.lower.is_none_or(|limit| distance(limit) > 0.0 || !limit.strict && distance(limit) == 0.0);
    let below = rule.upper.is_none_or(|limit| distance(limit) < 0.0 || !limit.strict && distance(limit) == 0.0);
    above && below
}

/// What the rule looks at, as evidence.
fn sample(values: &[Value<'_>]) -> Sample {
    Sample::of_paths(values.iter().map(|value| (value.path, value.value)))
}

fn baseline_mean(values: &[Value<'_>]) -> f64 {
    let baselines = values.iter().filter_map(|value| Some((value.path, value.baseline?)));
    Sample::of_paths(baselines).mean().unwrap_or(0.0)
}

fn over_seeds(rule: &Rule, values: &[Value<'_>], sample: &Sample) -> Seen {
    let unit = rule.measure.unit;
    let baseline = baseline_mean(values);
    let beside = if rule.against_baseline { format!("baseline {}, ", bare(baseline, unit)) } else { String::new() };
    let count = match sample.repeats() {
        true => format!("{} of {} market paths", seeds(sample.seeds()), sample.n()),
        false => seeds(sample.seeds()),
    };
    let mean = sample.mean();
    let (value, details) = match (rule.statistic, mean) {
        (Statistic::Bound { tail, confidence, .. }, Some(mean)) => (
            sample.bound(tail, confidence),
            format!("mean {}, sd {}, {beside}{count}", bare(mean, unit), bare(sample.sd().unwrap_or(0.0), unit)),
        ),
        (_, mean) => (
            mean,
            match sample.sd() {
                Some(sd) => format!("sd {}, {beside}{count}", bare(sd, unit)),
                None => format!("{beside}{count}"),
            },
        ),
    };
    // There are enough values: that has been seen to.
    let value = value.unwrap_or(f64::NAN);
    let decision = if keeps(rule, value, baseline) { Decision::Pass } else { Decision::Fail };
    let share = if rule.uses_share() && baseline != 0.0 {
        format!(", {} of the baseline", bare(value / baseline.abs(), Unit::Fraction))
    } else {
        String::new()
    };
    Seen { saw: format!("{}{share} ({details})", amount(value, unit)), decision, hint: None }
}

fn every_seed(rule: &Rule, ran: &RanIn<'_>, values: &[Value<'_>]) -> Seen {
    let unit = rule.measure.unit;
    let low = values.iter().map(|value| value.value).fold(f64::INFINITY, f64::min);
    let high = values.iter().map(|value| value.value).fold(f64::NEG_INFINITY, f64::max);
    let range = match (rule.lower.is_some(), rule.upper.is_some()) {
        (false, _) => format!("{} at most", amount(high, unit)),
        (true, false) => format!("{} at least", amount(low, unit)),
        (true, true) => format!("{} to {}", number(low), amount(high, unit)),
    };
    let count = seeds(values.len());
    let is_bad = |value: &&Value<'_>| !keeps(rule, value.value, value.baseline.unwrap_or(0.0));
    let Some(first) = values.iter().find(is_bad) else {
        return Seen { saw: format!("{range} in {count}"), decision: Decision::Pass, hint: None };
    };
    let bad = values.iter().filter(is_bad).count();
    let place = if ran.hidden.is_none() { format!(", first in seed {}", first.seed) } else { String::new() };
    Seen {
        saw: format!("{range}, and outside the limit in {bad} of {count}{place}"),
        decision: Decision::Fail,
        hint: None,
    }
}

impl Rule {
    /// Whether a limit is a share of the baseline.
    fn uses_share(&self) -> bool {
        let is_share = |limit: Option<Limit>| limit.is_some_and(|limit| matches!(limit.amount, Amount::OfBaseline(_)));
        is_share(self.lower) || is_share(self.upper)
    }
}
