//! Two runs, measure by measure, with what can be told and what cannot.
//!
//! Invariants: seeds are compared in pairs only if both runs have the same ones in the same version of a scenario; p-values are corrected within each group
//! of measures of each scenario; figures of different meanings are never subtracted.

use crate::meaning::{Meaning, Trouble};
use assay_evaluate::{Estimate, Sample, family_of, holm, welch};
use assay_store::{Better, Kind, Kpi, Run, RunDetail};
use std::collections::BTreeMap;

/// Below it, a p-value tells something.
const SIGNIFICANT: f64 = 0.05;

/// How two runs were compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Seed by seed.
    Paired,
    /// As independent samples.
    Welch,
}

impl Method {
    /// For tables.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Paired => "paired",
            Self::Welch => "Welch",
        }
    }
}

/// Why two runs cannot be compared.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CompareError {
    /// One is a rollout, say, and the other is not.
    #[error("A is a {} and B is a {}; only runs of one kind can be compared", .0.word(), .1.word())]
    Kinds(Kind, Kind),
    /// Their figures mean different things.
    #[error(
        "the two runs cannot be compared: A follows {} (Assay {}), B follows {} (Assay {}), and their measures do not mean the same",
        .a.words, .a.tool, .b.words, .b.tool
    )]
    Meanings {
        /// What those of the one follow.
        a: Box<Meaning>,
        /// What those of the other one follow.
        b: Box<Meaning>,
    },
    /// The record of one says what cannot be.
    #[error("{run} has a run.json that contradicts itself: {why}")]
    Contradicted {
        /// Which of them.
        run: &'static str,
        /// What cannot be so.
        why: String,
    },
    /// The record of one is not what it says it is.
    #[error("{run} has a run.json that cannot be read: {why}")]
    Unreadable {
        /// Which of them.
        run: &'static str,
        /// Why.
        why: String,
    },
    /// One of them has only figures over all of its seeds.
    #[error("the two runs cannot be compared: values of hidden seeds are not stored")]
    Hidden,
    /// They have no measure in common.
    #[error("the two runs have nothing to compare: they share no measure in a scenario of the same name")]
    Nothing,
}

impl CompareError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Kinds(a, b) => {
                let (a, b) = (a.word(), b.word());
                format!("`assay runs --kind {a}` and `assay runs --kind {b}` list them")
            }
            Self::Meanings { .. } => {
                "run both strategies again with this release; `assay show ID` has the command".to_owned()
            }
            Self::Contradicted { .. } | Self::Unreadable { .. } => {
                "run its strategy again; `assay show ID` has the command".to_owned()
            }
            Self::Hidden => "use `assay gate --feedback` or `assay run`, which record values seed by seed".to_owned(),
            Self::Nothing => "`assay show ID` lists what a run contains".to_owned(),
        }
    }
}

/// A measure that both runs have, in scenarios of the same name.
#[derive(Clone, Debug)]
pub struct Compared<'a> {
    /// The scenario's name.
    pub scenario: &'a str,
    /// The measure in the one run.
    pub a: &'a Kpi,
    /// The measure in the other one.
    pub b: &'a Kpi,
    /// The difference a − b.
    pub estimate: Estimate,
    /// How it was found.
    pub method: Method,
    /// The p-value after Holm's correction for all measures of the group in the scenario.
    pub p_corrected: Option<f64>,
}

impl Compared<'_> {
    /// Whether the difference can be told from zero after the correction.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.estimate.is_told() && self.p_corrected.is_some_and(|p| p <= SIGNIFICANT)
    }

    /// What the difference says, in words.
    #[must_use]
    pub fn answer(&self) -> &'static str {
        match (self.is_told(), self.a.better, self.estimate.mean > 0.0) {
            _ if self.estimate.n < 2 => "one observation: no conclusion",
            (false, _, _) => "no significant difference",
            (true, Better::Higher, true) | (true, Better::Lower, false) => "A is better",
            (true, Better::Higher, false) | (true, Better::Lower, true) => "B is better",
            (true, Better::Neutral, true) => "A is higher",
            (true, Better::Neutral, false) => "B is higher",
        }
    }

    /// Whether the runs saw different versions of the scenario, so that a difference may be the scenario's.
    #[must_use]
    pub fn is_of_two_versions(&self) -> bool {
        self.a.scenario != self.b.scenario
    }

    /// The values of each seed that both have, `(seed, a, b)`, ascending by seed; none unless they were compared in pairs.
    #[must_use]
    pub fn pairs(&self) -> Vec<(u64, f64, f64)> {
        if self.method != Method::Paired {
            return Vec::new();
        }
        let (of_a, of_b) = (by_seed(self.a), by_seed(self.b));
        of_a.into_iter().filter_map(|(seed, a)| Some((seed, a, *of_b.get(&seed)?))).collect()
    }
}

fn by_seed(kpi: &Kpi) -> BTreeMap<u64, f64> {
    kpi.samples.iter().copied().collect()
}

/// The difference a − b of one measure: by pairs if both have the same seeds of the same scenario. The store keeps one value for each market path.
#[must_use]
pub fn difference(a: &Kpi, b: &Kpi) -> Option<(Estimate, Method)> {
    let (of_a, of_b) = (by_seed(a), by_seed(b));
    let is_paired = a.scenario == b.scenario && of_a.keys().eq(of_b.keys());
    let sample = |seeds: BTreeMap<u64, f64>| Sample::of_distinct(seeds.into_values().collect());
    let (of_a, of_b) = (sample(of_a), sample(of_b));
    if is_paired {
        return Some((of_a.minus(&of_b)?.estimate()?, Method::Paired));
    }
    Some((welch(&of_a, &of_b)?, Method::Welch))
}

/// Every measure that both runs have, or those of `wanted`, in the order of the first one.
///
/// # Errors
/// There is none. Whether figures of the two may be subtracted is asked first: [`same_kind`], [`same_meaning`](crate::same_meaning).
pub fn compare<'a>(a: &'a RunDetail, b: &'a RunDetail, wanted: &[String]) -> Result<Vec<Compared<'a>>, CompareError> {
    fn name<'a>(detail: &'a RunDetail, hash: &str) -> &'a str {
        let found = detail.entry.scenarios.iter().find(|scenario| scenario.hash == hash);
        found.map_or("", |scenario| scenario.name.as_str())
    }
    let (mut rows, mut is_hidden) = (Vec::new(), false);
    for ours in &a.entry.kpis {
        let scenario = name(a, &ours.scenario);
        let is_same = |theirs: &&Kpi| theirs.measure == ours.measure && name(b, &theirs.scenario) == scenario;
        let is_wanted = wanted.is_empty() || wanted.contains(&ours.measure);
        let Some(theirs) = b.entry.kpis.iter().find(is_same).filter(|_| is_wanted) else { continue };
        is_hidden |= ours.samples.is_empty() || theirs.samples.is_empty();
        if let Some((estimate, method)) = difference(ours, theirs) {
            rows.push(Compared { scenario, a: ours, b: theirs, estimate, method, p_corrected: None });
        }
    }
    if rows.is_empty() {
        return Err(if is_hidden { CompareError::Hidden } else { CompareError::Nothing });
    }
    correct(&mut rows);
    Ok(rows)
}

/// Holm's correction within each group of measures of each scenario.
fn correct(rows: &mut [Compared<'_>]) {
    let mut families: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| row.estimate.p.is_some()) {
        families.entry((row.scenario, family_of(&row.a.measure))).or_default().push(index);
    }
    for family in families.into_values() {
        let raw: Vec<f64> = family.iter().filter_map(|index| rows[*index].estimate.p).collect();
        for (index, corrected) in family.into_iter().zip(holm(&raw, raw.len())) {
            rows[index].p_corrected = Some(corrected);
        }
    }
}

/// How many differences were tested, and how many of them chance alone would show without the correction.
#[must_use]
pub fn expected_by_chance(rows: &[Compared<'_>]) -> (usize, f64) {
    let tested = rows.iter().filter(|row| row.estimate.p.is_some()).count();
    (tested, tested as f64 * SIGNIFICANT)
}

/// Refuses to subtract figures that do not mean the same, or that the record of their run denies.
///
/// # Errors
/// They do not, or it does.
pub fn same_meaning(a: &Meaning, b: &Meaning) -> Result<(), CompareError> {
    for (run, meaning) in [("A", a), ("B", b)] {
        match meaning.trouble.clone() {
            Some(Trouble::Contradicts(why)) => return Err(CompareError::Contradicted { run, why }),
            Some(Trouble::Unreadable(why)) => return Err(CompareError::Unreadable { run, why }),
            None => {}
        }
    }
    let is_same = if a.has_record && b.has_record { a.words == b.words } else { a.tool == b.tool };
    if is_same {
        return Ok(());
    }
    Err(CompareError::Meanings { a: Box::new(a.clone()), b: Box::new(b.clone()) })
}

/// Refuses runs of different kinds.
///
/// # Errors
/// They are.
pub fn same_kind(a: &Run, b: &Run) -> Result<(), CompareError> {
    if a.kind == b.kind { Ok(()) } else { Err(CompareError::Kinds(a.kind, b.kind)) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use assay_store::{RunEntry, RunId, Scenario, Spread, Status, Time};

    /// A finished run that says nothing.
    pub(crate) fn plain(kind: Kind) -> Run {
        Run {
            id: RunId::now(),
            kind,
            status: Status::Completed,
            subject: "s.rs".to_owned(),
            subject_hash: None,
            command: String::new(),
            tool: "0.1.0".to_owned(),
            verdict: None,
            trouble: None,
            owner: None,
            created: Time(0),
            started: None,
            finished: None,
        }
    }

    fn run(kind: Kind, samples: &[(u64, f64)]) -> RunDetail {
        let scenario = || "calm".to_owned();
        let kpi = Kpi {
            scenario: scenario(),
            measure: "pnl".to_owned(),
            unit: "cents".to_owned(),
            better: Better::Higher,
            spread: Spread { n: samples.len() as u32, mean: 0.0, interval: None },
            samples: samples.to_vec(),
        };
        let scenario = Scenario { hash: scenario(), name: scenario(), summary: String::new(), source: String::new() };
        let entry = RunEntry { scenarios: vec![scenario], kpis: vec![kpi], ..RunEntry::of(plain(kind)) };
        RunDetail { entry, artifacts: Vec::new() }
    }

    #[test]
    fn seeds_are_paired_only_where_both_have_the_same() {
        let value = |factor: f64| (1..=9).map(|seed| (seed, factor * seed as f64)).collect::<Vec<_>>();
        let (a, b, other) =
            (run(Kind::Run, &value(3.0)), run(Kind::Run, &value(1.0)), run(Kind::Run, &value(1.0)[1..]));
        let rows = compare(&a, &b, &[]).expect("comparable");
        assert_eq!((rows[0].method, rows[0].pairs().len(), rows[0].answer()), (Method::Paired, 9, "A is better"));
        assert_eq!(rows[0].pairs()[1], (2, 6.0, 2.0));
        let rows = compare(&a, &other, &[]).expect("comparable");
        assert_eq!((rows[0].method, rows[0].pairs().len()), (Method::Welch, 0));
    }

    #[test]
    fn what_cannot_be_compared_says_why() {
        let (a, hidden) = (run(Kind::Run, &[(1, 1.0), (2, 2.0)]), run(Kind::Run, &[]));
        assert!(matches!(compare(&a, &hidden, &[]), Err(CompareError::Hidden)));
        assert!(matches!(compare(&a, &a, &["beauty".to_owned()]), Err(CompareError::Nothing)));
        let rollout = run(Kind::Rollout, &[]);
        let error = same_kind(&a.entry.run, &rollout.entry.run).expect_err("of two kinds");
        assert!(error.to_string().contains("A is a run and B is a rollout"), "{error}");
    }
}
