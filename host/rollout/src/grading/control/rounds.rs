//! In which order edits are tried on the right fix: each round has at most one edit for each test, and no two that reach the same test.
//!
//! Invariants: which places of a test are tried is drawn, those first where the task's fault shows; a test that the fix mends has more rounds than
//! another, so that few of its assertions stay out of reach.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use assay_grade::parse::junit;
use assay_grade::rule::Expected;
use assay_grade::task::Task;
use assay_grade::{Status, StatusMap};

use super::edit::{FoundEdit, FoundTest, test_of};
use crate::grading::draw::Draw;
use crate::ports::TestRun;
use crate::task::known::{Edit, Place, Test};

/// Rounds of every test.
const ROUNDS: usize = 4;
/// Rounds of a test that the fix mends.
const ROUNDS_OF_MENDED: usize = 10;

/// What the tests say with the right fix and without it.
pub(super) struct Gold {
    /// What every test says with the right fix.
    statuses: StatusMap,
    /// The ids that decide and pass with it.
    passing: BTreeSet<String>,
    /// The ids that pass only with it.
    mended: BTreeSet<String>,
    /// The line of each test at which it fails without the fix.
    lines: BTreeMap<Test, usize>,
}

impl Gold {
    pub(super) fn new(task: &Task, statuses: StatusMap, unfixed: &TestRun) -> Self {
        let (mended, kept) = match &task.secret.expected {
            Expected::Lists { fail_to_pass, pass_to_pass, .. } => (&fail_to_pass[..], &pass_to_pass[..]),
            Expected::Map { .. } => (&[][..], &[][..]),
        };
        let passes = |id: &&String| statuses.get(id).is_some_and(Status::is_success);
        let passing = mended.iter().chain(kept).filter(passes).cloned().collect();
        let failures = unfixed.junit.as_deref().map(junit::failures).unwrap_or_default();
        let line = |(path, name): Test| {
            let whole = junit::name_of(&format!("{path}::{name}"))?;
            let near = failures.range(whole.clone()..).take_while(|(found, _)| found.starts_with(&whole));
            let rows = near.filter(|(found, _)| junit::is_of(found, &whole));
            let line = rows.filter_map(|(_, failure)| failure.line_in(&path)).min()?;
            Some(((path, name), line))
        };
        let lines = mended.iter().filter_map(|id| line(test_of(id)?)).collect();
        Self { statuses, passing, mended: mended.iter().cloned().collect(), lines }
    }

    /// Whether it says something that this id failed: it passes otherwise, or nobody has heard of it.
    pub(super) fn is_news(&self, id: &str) -> bool {
        self.passing.contains(id) || self.statuses.get(id).is_none()
    }

    pub(super) fn passing(&self) -> impl Iterator<Item = &String> {
        self.passing.iter()
    }

    /// Whether an id among these passes only with the fix.
    pub(super) fn mends(&self, ids: &BTreeSet<String>) -> bool {
        !self.mended.is_disjoint(ids)
    }

    /// Whether the fix mends ids of a test.
    fn has_mended(&self, test: &Test) -> bool {
        self.mended.iter().any(|id| test_of(id).as_ref() == Some(test))
    }

    /// Where a test's fault shows: in the rows that only the fix makes pass, or at the line of its failure or the next assertion after it. Where it is not
    /// known of which row of a table an id speaks, it may be any.
    fn biting(&self, test: &Test, edits: &[FoundEdit]) -> BTreeSet<Place> {
        let line = self.lines.get(test);
        let after = edits.iter().filter(|edit| line.is_some_and(|line| edit.lines.1 >= *line));
        let first = after.min_by_key(|edit| edit.lines.1).map(|edit| edit.place);
        let is_known = edits.iter().any(|edit| edit.bites);
        let rows = edits.iter().filter(|edit| edit.bites || !is_known && edit.lines == (0, 0)).map(|edit| edit.place);
        rows.chain(first).collect()
    }
}

/// An edit that is tried.
pub(super) struct Tried {
    pub(super) edit: Edit,
    pub(super) rank: u8,
    pub(super) raises: bool,
    pub(super) place: Place,
    pub(super) touches: BTreeSet<Test>,
    pub(super) may_bite: bool,
    /// Whether it is made outside of its test, in something that others may read as well.
    is_shared: bool,
}

/// Edits that are tried at once.
#[derive(Default)]
pub(super) struct Round {
    pub(super) tried: Vec<Tried>,
    touched: BTreeSet<Test>,
}

impl Round {
    pub(super) fn edits(&self) -> impl Iterator<Item = &Edit> {
        self.tried.iter().map(|tried| &tried.edit)
    }

    /// Takes tests that failed although no edit was known to reach them. A method that a class of another file inherits has the name of its origin;
    /// where that does not tell, what is shared is taken back, or else everything.
    pub(super) fn explain(&mut self, strays: impl Iterator<Item = Test>) {
        let method = |name: &str| name.rsplit("::").next().map(str::to_owned);
        let mut is_blurred = false;
        for stray in strays {
            let mut origins = self.tried.iter_mut().filter(|tried| method(&tried.edit.test) == method(&stray.1));
            match (origins.next(), origins.next()) {
                (Some(origin), None) => drop(origin.touches.insert(stray)),
                _ => is_blurred = true,
            }
        }
        if is_blurred {
            let has_shared = self.tried.iter().any(|tried| tried.is_shared);
            self.tried.retain(|tried| has_shared && !tried.is_shared);
        }
    }
}

/// Edits by round.
pub(super) fn rounds(found: Vec<FoundTest>, gold: &Gold, draw: &mut Draw) -> Vec<Round> {
    let mut rounds: Vec<Round> = (0..ROUNDS_OF_MENDED).map(|_| Round::default()).collect();
    let mut queues: Vec<(usize, VecDeque<Tried>)> = found
        .into_iter()
        .map(|test| {
            let most = if gold.has_mended(&(test.path.clone(), test.name.clone())) { ROUNDS_OF_MENDED } else { ROUNDS };
            (most, queue(test, gold, draw))
        })
        .collect();
    for (at, round) in rounds.iter_mut().enumerate() {
        for (_, queue) in queues.iter_mut().filter(|(most, _)| at < *most) {
            let free = queue.iter().position(|tried| round.touched.is_disjoint(&tried.touches));
            if let Some(tried) = free.and_then(|free| queue.remove(free)) {
                round.touched.extend(tried.touches.iter().cloned());
                round.tried.push(tried);
            }
        }
    }
    rounds.retain(|round| !round.tried.is_empty());
    rounds
}

/// A test's edits in the order in which they are tried: one of each place, then another one of each.
fn queue(test: FoundTest, gold: &Gold, draw: &mut Draw) -> VecDeque<Tried> {
    let FoundTest { path, name, start: first, end: last, mut edits } = test;
    let bites = gold.biting(&(path.clone(), name.clone()), &edits);
    draw.shuffle(&mut edits);
    edits.sort_by_key(|edit| edit.rank);
    let mut places: BTreeMap<Place, VecDeque<FoundEdit>> = BTreeMap::new();
    for edit in edits {
        places.entry(edit.place).or_default().push_back(edit);
    }
    let mut order: Vec<Place> = places.keys().copied().collect();
    draw.shuffle(&mut order);
    order.sort_by_key(|place| !bites.contains(place));
    let mut queue = VecDeque::new();
    while !places.is_empty() {
        for place in &order {
            let next = places.get_mut(place).and_then(VecDeque::pop_front);
            let Some(found) = next else {
                places.remove(place);
                continue;
            };
            let touches = found.touches.into_iter().map(|test| (path.clone(), test)).collect();
            let FoundEdit { start, end, text, rank, raises, place, .. } = found;
            let edit = Edit { path: path.clone(), test: name.clone(), start, end, text };
            let is_shared = start < first || last < end;
            queue.push_back(Tried { edit, rank, raises, place, touches, may_bite: bites.contains(&place), is_shared });
        }
    }
    queue
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(name: &str, is_shared: bool) -> Tried {
        let edit = Edit { path: "a.py".to_owned(), test: name.to_owned(), start: 0, end: 1, text: String::new() };
        let touches = BTreeSet::from([("a.py".to_owned(), name.to_owned())]);
        Tried { edit, rank: 0, raises: false, place: 0, touches, may_bite: false, is_shared }
    }

    #[test]
    fn tests_that_fail_unasked_are_explained_or_nothing_is_kept() {
        for (what, edits, stray, expected) in [
            (
                "a class of another file",
                &[("A::test_x", false), ("test_y", false)][..],
                "B::test_x",
                "A::test_x+1 test_y",
            ),
            ("shared, so not told", &[("test_x", true), ("test_y", false)], "test_z", "test_y"),
            ("nobody's", &[("test_x", false), ("test_y", false)], "test_z", ""),
            ("of two, so not told", &[("A::test_x", false), ("B::test_x", true)], "C::test_x", "A::test_x"),
        ] {
            let tried = edits.iter().map(|(name, is_shared)| tried(name, *is_shared)).collect();
            let mut round = Round { tried, touched: BTreeSet::new() };
            round.explain(std::iter::once(("b.py".to_owned(), stray.to_owned())));
            let more = |tried: &Tried| if tried.touches.len() > 1 { "+1" } else { "" };
            let kept: Vec<_> = round.tried.iter().map(|tried| format!("{}{}", tried.edit.test, more(tried))).collect();
            assert_eq!(kept.join(" "), expected, "{what}");
        }
    }
}
