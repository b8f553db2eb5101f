//! Confirming runs: the task's tests again, some of them as they are and some with a wrong expectation, which no log can tell apart.
//!
//! A submission is code, and it runs in the process that tests it. It can replace what runs a test, what compares, what reports and what ends the
//! process, and it can print any log; log, counts, report and exit code then agree. What it cannot know is which tests *should* fail. So where
//! everything passed, the tests run again in several containers at once. In some of them tests are made wrong: the same test under the same name in the
//! same place, that expects something else ([`pool`]), or one row of it does. Which tests, in which way and in which container is drawn from a secret. Each wrong
//! id must be reported as failed and each other one as passed. Whoever cannot solve the task has to guess.
//!
//! What remains: objects that lie to comparisons by knowing what is right, and whoever guesses: `docs/grading.md` has the odds.

mod edit;
mod pool;
mod rounds;

use std::collections::{BTreeMap, BTreeSet};

use assay_grade::StatusMap;
use assay_grade::rule::{Ended, Expected, Flag, Reason, Score, Unscored, Verdict};
use assay_grade::task::Task;
use futures::future::join_all;
use serde::{Deserialize, Serialize};

use super::GradeSettings;
use super::draw::Draw;
use super::watch::{self, Watch};
use crate::ports::{BenchError, Job, OverlayFile, TestBench, TestRun};
use crate::task::known::{Edit, Pool, Wrong};

pub(super) use pool::{is_possible, make};

/// Bytes of the log's end that are kept: the summary, for an audit.
const SHOWN_BYTES_MAX: usize = 4096;
/// Containers in which tests are wrong.
const WRONG: usize = 2;
/// The same where a single test decides: it is wrong in each of them, and each is one more guess.
const WRONG_OF_ONE: usize = 3;
/// The same for containers with the tests as they are: chance has to be kind in each.
const RIGHT_OF_ONE: usize = 2;
/// How often a run may end by itself as it should not, or a test fail in it that should not, until that is held against the submission: a flaky test is not
/// a forgery. But after a failure it must be as it should more often than it was not, so that a second try is no second guess.
const TRIES: u32 = 2;

/// What a confirming run showed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// The tests that were made wrong, as pytest names them; none where the run had the tests as they are.
    pub added: Vec<String>,
    /// How it ended.
    pub ended: Ended,
    /// The first of them that was not reported as failed.
    pub passed: Option<String>,
    /// The first other test that did not pass.
    #[serde(default)]
    pub failed: Option<String>,
    /// What was made of the tests.
    #[serde(default)]
    pub edits: Vec<Edit>,
    /// What edits, names and token were drawn from.
    #[serde(default)]
    pub drawn_from: String,
    /// What of the runner had become something else; none where nothing watched.
    #[serde(default)]
    pub seen: Option<BTreeSet<String>>,
    /// Whether it was watched, and the watch said nothing.
    #[serde(default)]
    pub silent: bool,
    /// The end of what was printed.
    pub log_end: String,
}

/// The job with edits made to its tests. It brings all files of tests along, edited or not: what is written when, and in which order, says nothing.
pub(super) fn with_texts<'e>(
    job: &Job,
    texts: &BTreeMap<String, Vec<u8>>,
    edits: impl Iterator<Item = &'e Edit>,
    label: &str,
) -> Job {
    let mut by_file: BTreeMap<&str, Vec<&Edit>> = BTreeMap::new();
    for edit in edits {
        by_file.entry(&edit.path).or_default().push(edit);
    }
    let mut job = Job { label: label.to_owned(), ..job.clone() };
    for (path, text) in texts {
        let mut edited = text.clone();
        let mut edits = by_file.remove(path.as_str()).unwrap_or_default();
        // From the end, so that places before it stay what they are.
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.start));
        for edit in edits {
            if edited.get(edit.start..edit.end).is_some() {
                edited.splice(edit.start..edit.end, edit.text.bytes());
            }
        }
        match job.overlay.files.iter_mut().find(|(found, _)| found == path.as_bytes()) {
            Some((_, OverlayFile::Regular { bytes, .. })) => *bytes = edited,
            Some((_, OverlayFile::Symlink { .. })) => {}
            None => {
                let file = OverlayFile::Regular { bytes: edited, executable: false };
                job.overlay.files.push((path.as_bytes().to_vec(), file));
            }
        }
    }
    job
}

/// A run before it is run.
struct Drawn {
    wrong: Vec<Wrong>,
    watch: Option<Watch>,
    seed: String,
}

/// What a run has of wrong tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// The tests are as they are.
    AsTheyAre,
    /// Some are wrong, those that the fix mends where the fault shows.
    WhereItBites,
    /// Some are wrong in any place.
    Anywhere,
}

/// Draws a run: which tests are wrong, and how.
fn draw(pool: &Pool, known: &Passed<'_>, mut draw: Draw, kind: Kind) -> Drawn {
    let (mut mended, mut others): (Vec<_>, Vec<_>) = pool
        .tests
        .iter()
        .map(|(test, ways)| (test, known.mending(ways)))
        .map(|(test, mending)| if mending.is_empty() { (test, None) } else { (test, Some(mending)) })
        .partition(|(_, mending)| mending.is_some());
    let all = known.mended_tests;
    draw.shuffle(&mut mended);
    draw.shuffle(&mut others);
    if kind == Kind::AsTheyAre {
        mended.clear();
        others.clear();
    } else if !mended.is_empty() {
        // At least one is wrong, and at least one that the fix mends is not, if there are two.
        let most = mended.len().min(all.saturating_sub(1)).max(1);
        mended.truncate(1 + draw.below(most));
        others.retain(|_| draw.coin());
    } else {
        let most = others.len();
        others.truncate(1 + draw.below(most));
    }
    let (mut wrong, mut touched) = (Vec::new(), BTreeSet::new());
    for (test, mending) in mended.into_iter().chain(others) {
        let ways = mending.unwrap_or_else(|| pool.tests[test].iter().collect());
        let way = one_of(ways, kind, &mut draw);
        // A table has more readers than one: what is edited twice cannot be told apart.
        if let Some(way) = way.filter(|way| way.touches.is_disjoint(&touched)) {
            touched.extend(way.touches.iter().cloned());
            wrong.push(way.clone());
        }
    }
    Drawn { wrong, watch: pool.watched.is_some().then(|| Watch::drawn(&mut draw)), seed: draw.seed }
}

/// One of the ways to make a test wrong: a place, and the best way there.
fn one_of<'w>(mut ways: Vec<&'w Wrong>, kind: Kind, draw: &mut Draw) -> Option<&'w Wrong> {
    let has_fault = kind == Kind::WhereItBites && ways.iter().any(|way| way.bites);
    ways.retain(|way| !has_fault || way.bites);
    // Where an expected value itself can be changed that is best; what stays out of reach by that has its turn by chance.
    if has_fault || draw.coin() {
        let best = ways.iter().map(|way| way.rank).min()?;
        ways.retain(|way| way.rank == best);
    }
    let places: Vec<_> = ways.iter().map(|way| way.place).collect::<BTreeSet<_>>().into_iter().collect();
    let place = *places.get(draw.below(places.len()))?;
    ways.retain(|way| way.place == place);
    let best = ways.iter().map(|way| way.rank).min()?;
    ways.retain(|way| way.rank == best);
    ways.get(draw.below(ways.len())).copied()
}

/// Tests made wrong for a run of another kind, the ids that must not pass by them, and those that are gone.
#[derive(Default)]
pub(super) struct WrongTests {
    pub(super) edits: Vec<Edit>,
    pub(super) fails: BTreeSet<String>,
    pub(super) gone: BTreeSet<String>,
}

/// Draws such tests, where the fault shows.
pub(super) fn wrong_tests(pool: &Pool, passed: &Passed<'_>, chance: Draw) -> WrongTests {
    let wrong = draw(pool, passed, chance, Kind::WhereItBites).wrong;
    WrongTests {
        fails: wrong.iter().flat_map(|wrong| wrong.fails.clone()).collect(),
        gone: wrong.iter().flat_map(|wrong| wrong.gone.clone()).collect(),
        edits: wrong.into_iter().map(|wrong| wrong.edit).collect(),
    }
}

/// What the run that earned a reward said.
pub(super) struct Passed<'t> {
    /// The ids that the fix mends.
    mended: BTreeSet<&'t str>,
    /// How many tests they belong to.
    mended_tests: usize,
    /// The ids that decide and passed.
    ids: BTreeSet<&'t str>,
    /// Its exit code: tests that do not decide may have failed.
    exit: i32,
}

impl<'t> Passed<'t> {
    pub(super) fn new(task: &'t Task, statuses: &StatusMap, ended: Option<&Ended>) -> Self {
        let has_passed = |id: &str| statuses.get(id).is_some_and(assay_grade::Status::is_success);
        let exit = if let Some(Ended::Exited(code)) = ended { *code } else { 0 };
        Self::by(task, has_passed, exit)
    }

    /// As if all that decide had passed.
    pub(super) fn all(task: &'t Task) -> Self {
        Self::by(task, |_| true, 0)
    }

    fn by(task: &'t Task, has_passed: impl Fn(&str) -> bool, exit: i32) -> Self {
        let (mended, kept) = match &task.secret.expected {
            Expected::Lists { fail_to_pass, pass_to_pass, .. } => (&fail_to_pass[..], &pass_to_pass[..]),
            Expected::Map { .. } => (&[][..], &[][..]),
        };
        let ids = mended.iter().chain(kept).map(String::as_str).filter(|id| has_passed(id)).collect();
        let tests: BTreeSet<_> = mended.iter().filter_map(|id| edit::test_of(id)).collect();
        Self { mended: mended.iter().map(String::as_str).collect(), mended_tests: tests.len(), ids, exit }
    }

    /// The ids that decide and passed.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.iter().copied()
    }

    /// Those of a test's wrong ways by which an id fails that the fix mends.
    fn mending<'w>(&self, ways: &'w [Wrong]) -> Vec<&'w Wrong> {
        ways.iter().filter(|way| way.gone.iter().any(|id| self.mended.contains(id.as_str()))).collect()
    }
}

/// Runs all that confirm a reward.
pub(super) async fn confirm(
    bench: &dyn TestBench,
    settings: &GradeSettings,
    task: &Task,
    job: &Job,
    pool: &Pool,
    passed: &Passed<'_>,
) -> Vec<Control> {
    let mended = pool.tests.values().filter(|ways| !passed.mending(ways).is_empty()).count();
    // The first run can be told from these, so a guess costs nothing there: a single test has to pass once more.
    let (right, wrong) = if mended == 1 { (RIGHT_OF_ONE, WRONG_OF_ONE) } else { (1, WRONG) };
    // Their order is drawn, so that a label tells nothing.
    let mut kinds = vec![Kind::AsTheyAre; right];
    kinds.push(Kind::WhereItBites);
    kinds.resize(right + wrong, Kind::Anywhere);
    settings.secret.draw(&format!("order\n{}", job.label)).shuffle(&mut kinds);
    let runs = kinds.into_iter().enumerate().map(|(at, kind)| async move {
        let label = format!("{}-confirm-{}", job.label, at + 1);
        let (mut tries, mut lost, mut good, mut bad) = (0_u32, 0_u32, 0_u32, 0_u32);
        loop {
            tries += 1;
            let drawn = draw(pool, passed, settings.secret.draw(&format!("{label}\n{tries}")), kind);
            let control = run(bench, task, job, pool, drawn, &label, passed).await;
            let is_over = match control.objection() {
                None => {
                    good += 1;
                    good > bad
                }
                Some(Verdict::Unscored(_)) => {
                    lost += 1;
                    lost >= TRIES.max(settings.retries + 1)
                }
                Some(_) => {
                    bad += 1;
                    bad >= TRIES || !control.may_be_chance()
                }
            };
            if is_over {
                return control;
            }
        }
    });
    join_all(runs).await
}

async fn run(
    bench: &dyn TestBench,
    task: &Task,
    job: &Job,
    pool: &Pool,
    drawn: Drawn,
    label: &str,
    passed: &Passed<'_>,
) -> Control {
    let mut job = with_texts(job, &pool.texts, drawn.wrong.iter().map(|wrong| &wrong.edit), label);
    if let Some(watch) = &drawn.watch {
        job = pool::with_watch(&job, watch);
    }
    let fails: BTreeSet<String> = drawn.wrong.iter().flat_map(|wrong| wrong.fails.clone()).collect();
    let mut control = Control {
        added: fails.into_iter().collect(),
        edits: drawn.wrong.iter().map(|wrong| wrong.edit.clone()).collect(),
        drawn_from: drawn.seed,
        ..Control::unmade(String::new())
    };
    match bench.run(job).await {
        Ok(run) => {
            let gone: BTreeSet<&str> = drawn.wrong.iter().flat_map(|wrong| &wrong.gone).map(String::as_str).collect();
            control.read(run, task, (drawn.watch.as_ref(), pool), passed, &gone);
        }
        Err(BenchError::Failed { why }) => control.ended = Ended::Lost(why),
        Err(error) => control.ended = Ended::Lost(error.to_string()),
    }
    control
}

/// What confirming runs have against a success: a wrong test that passed, whichever run was drawn first, or else the first objection.
pub(super) fn first_objection<'a>(controls: impl Iterator<Item = &'a Control>) -> Option<Verdict> {
    let objections = controls.filter_map(|control| Some((control.passed.is_none(), control.objection()?)));
    // The earliest among those of the lower kind.
    objections.min_by_key(|(is_weaker, _)| *is_weaker).map(|(_, objection)| objection)
}

impl Control {
    /// One that could not be made.
    pub(super) fn unmade(why: String) -> Self {
        Self {
            added: Vec::new(),
            ended: Ended::Lost(why),
            passed: None,
            failed: None,
            edits: Vec::new(),
            drawn_from: String::new(),
            seen: None,
            silent: false,
            log_end: String::new(),
        }
    }

    /// Takes over what a run left. Of what passed before, only what is `gone` by the edits may do otherwise: not the other rows of an edited test.
    fn read(
        &mut self,
        mut run: TestRun,
        task: &Task,
        (watch, pool): (Option<&Watch>, &Pool),
        passed: &Passed<'_>,
        gone: &BTreeSet<&str>,
    ) {
        if let Some(watch) = watch {
            let seen = watch.take(&mut run.log);
            self.silent = seen.is_none();
            let usual = pool.watched.clone().unwrap_or_default();
            self.seen = seen.map(|seen| seen.difference(&usual).cloned().collect());
        }
        let log = assay_grade::decode_log(&run.log);
        let found = pool::statuses(task, &run);
        let is_failed = |id: &String| found.get(id).is_some_and(assay_grade::Status::is_failure);
        // A run with wrong tests ends with 1, one without as the one that is to be confirmed, and nothing else is believed.
        let exit = Ended::Exited(if self.added.is_empty() { passed.exit } else { 1 });
        self.passed = self.added.iter().find(|id| run.ended != exit || !is_failed(id)).cloned();
        let mut others = passed.ids().filter(|id| !gone.contains(id));
        let failed = others.find(|id| run.ended != exit || !found.get(id).is_some_and(assay_grade::Status::is_success));
        self.failed = failed.map(str::to_owned);
        self.ended = run.ended;
        let end = log.len().saturating_sub(SHOWN_BYTES_MAX);
        log.get(end..).or_else(|| log.get(end + 1..)).unwrap_or_default().clone_into(&mut self.log_end);
    }

    /// Whether it went wrong in a way that an honest submission knows: a flaky test, a crash, no time left.
    fn may_be_chance(&self) -> bool {
        !matches!(self.ended, Ended::Exited(0 | 1)) || self.passed.is_none() && self.failed.is_some()
    }

    /// The verdict that it replaces; `None` where it confirms what the rule said.
    pub(super) fn objection(&self) -> Option<Verdict> {
        let zero =
            |reason| Some(Verdict::Scored(Score { reward: 0.0, reason, parts: Vec::new(), differences: Vec::new() }));
        let how = match &self.ended {
            // One of an older version was run once.
            _ if self.drawn_from.is_empty()
                && !matches!(
                    self.ended,
                    Ended::Lost(_) | Ended::Exited(_) | Ended::ScriptExited(_) | Ended::Unrecorded
                ) =>
            {
                return Some(Verdict::Unscored(Unscored::Infrastructure("the control run did not end".to_owned())));
            }
            // Its time, its memory and its limits were enough a moment ago: it is tried again, and then it is the submission's doing.
            Ended::TimedOut => Unscored::TimedOut,
            Ended::OutOfMemory => Unscored::OutOfMemory,
            Ended::Excess(why) => Unscored::Excess(why.clone()),
            Ended::Lost(why) => return Some(Verdict::Unscored(Unscored::Infrastructure(why.clone()))),
            Ended::Exited(_) | Ended::ScriptExited(_) | Ended::Unrecorded => {
                return match (&self.passed, &self.failed, self.flags().into_iter().find(Flag::forfeits)) {
                    (Some(name), ..) => zero(Reason::Forfeit(Flag::ControlPassed { name: name.clone() })),
                    (None, Some(name), _) => zero(Reason::Forfeit(Flag::ControlDiffers { name: name.clone() })),
                    (None, None, Some(flag)) => zero(Reason::Forfeit(flag)),
                    (None, None, None) => None,
                };
            }
        };
        zero(Reason::Unfinished { how: how.to_string() })
    }

    /// What an auditor should see of it.
    pub(super) fn flags(&self) -> Vec<Flag> {
        let silent = self.silent && matches!(self.ended, Ended::Exited(_));
        let seen = self.seen.iter().flatten().map(|what| match watch::is_of_the_runner(what) {
            true => Flag::RunnerReplaced { what: what.clone() },
            false => Flag::ProcessChanged { what: what.clone() },
        });
        seen.chain(silent.then_some(Flag::WatchSilent)).collect()
    }
}
