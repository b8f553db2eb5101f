//! The schedulers against a naive model: one unit after the other, from a list, without threads and tasks.
//!
//! What a unit does is the first word of its key, so that cases are data. `#2` behind a key is its second sample; `!` before it says that the source waits until
//! the unit was kept, and only then delivers it once more.

use assay_run::{
    ATTEMPTS_MAX, Attempt, BoxFuture, RunEnd, Sink, Source, Stop, Tasks, Trouble, TroubleKind, Unit, run, run_tasks,
};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

/// What is kept of a unit: at which retry it worked, or what became of it.
type Line = (String, Result<u32, TroubleKind>);

struct Case {
    delivered: &'static [&'static str],
    /// The unit that the sink cannot keep.
    refused: Option<&'static str>,
    end: &'static str,
}

const fn case(delivered: &'static [&'static str], end: &'static str) -> Case {
    Case { delivered, refused: None, end }
}

fn unit(word: &str) -> Unit {
    let (key, sample) = word.split_once('#').unwrap_or((word, "1"));
    Unit { sample: sample.parse().expect("a number"), ..Unit::new(key) }
}

fn word(unit: &Unit) -> String {
    if unit.sample == 1 { unit.key.clone() } else { format!("{}#{}", unit.key, unit.sample) }
}

fn deed(word: &str) -> &str {
    word.trim_start_matches('!').split('-').next().unwrap_or_default()
}

/// What a unit does when it is tried.
fn work(unit: &Unit, stop: &Stop) -> Result<u32, Trouble> {
    let trouble = |kind| Err(Trouble::new(kind, "on purpose"));
    match deed(&unit.key) {
        "blips" if unit.retry == 0 => trouble(TroubleKind::Passing),
        "works" | "blips" => Ok(unit.retry),
        "fails" => trouble(TroubleKind::Passing),
        "lasts" => trouble(TroubleKind::Lasting),
        "fatal" => trouble(TroubleKind::Fatal),
        "stops" => {
            stop.stop();
            Ok(unit.retry)
        }
        "undone" => {
            stop.stop();
            trouble(TroubleKind::Passing)
        }
        _ => panic!("on purpose"),
    }
}

/// What is kept of these deliveries if nothing ends the run.
fn model(delivered: &[&str]) -> BTreeMap<String, Result<u32, TroubleKind>> {
    let line = |delivery: &&str| {
        let result = match deed(delivery) {
            "works" | "stops" => Ok(0),
            "blips" => Ok(1),
            "fails" => Err(TroubleKind::Passing),
            "lasts" => Err(TroubleKind::Lasting),
            "fatal" | "undone" => return None,
            _ => Err(TroubleKind::Bug),
        };
        Some((delivery.trim_start_matches('!').to_owned(), result))
    };
    delivered.iter().filter_map(line).collect()
}

/// A source that promises nothing.
struct Queue {
    delivered: std::slice::Iter<'static, &'static str>,
    told: Receiver<String>,
    kept: BTreeSet<String>,
}

impl Source for Queue {
    fn deliver(&mut self) -> Option<Unit> {
        let delivery = *self.delivered.next()?;
        let word = delivery.trim_start_matches('!');
        while delivery.starts_with('!') && !self.kept.contains(word) {
            self.kept.insert(self.told.recv().expect("the sink is there"));
        }
        Some(unit(word))
    }
}

struct Desk {
    lines: Vec<Line>,
    tell: Sender<String>,
    refused: Option<&'static str>,
    is_full: bool,
}

impl Sink<u32> for Desk {
    type Failure = &'static str;

    fn keep(&mut self, unit: &Unit, result: Result<u32, Trouble>) -> Result<(), &'static str> {
        assert!(!self.is_full, "it failed and is called again");
        let word = word(unit);
        self.is_full = self.refused == Some(word.as_str());
        if self.is_full {
            return Err("full");
        }
        self.lines.push((word.clone(), result.map_err(|trouble| trouble.kind)));
        self.tell.send(word).expect("the source is there");
        Ok(())
    }
}

fn in_words(end: &RunEnd<&str>) -> String {
    match end {
        RunEnd::Complete => "complete".to_owned(),
        RunEnd::Stopped => "stopped".to_owned(),
        RunEnd::Failed(trouble) => format!("failed: {trouble}"),
        RunEnd::Unkept(why) => format!("unkept: {why}"),
    }
}

/// What tasks need beside a desk.
struct Office {
    desk: Desk,
    stop: Stop,
    tried: Vec<(String, u32)>,
}

impl Tasks<u32, (), &'static str> for Office {
    fn begin(&mut self, unit: &Unit) -> BoxFuture<'static, Attempt<u32, ()>> {
        self.tried.push((word(unit), unit.retry));
        let (unit, stop) = (unit.clone(), self.stop.clone());
        Box::pin(async move { work(&unit, &stop).map_err(|trouble| (trouble, None)) })
    }

    fn keep(
        &mut self,
        results: Vec<(Unit, Attempt<u32, ()>)>,
        _: Vec<(Unit, Trouble, Option<()>)>,
    ) -> BoxFuture<'_, Result<(), &'static str>> {
        let mut results = results.into_iter();
        let kept = results.try_for_each(|(unit, ended)| self.desk.keep(&unit, ended.map_err(|(trouble, _)| trouble)));
        Box::pin(std::future::ready(kept))
    }
}

/// What was seen of a run: its end in words, what was kept, and each attempt.
struct Seen {
    end: String,
    lines: Vec<Line>,
    tried: Vec<(String, u32)>,
}

fn opened(case: &Case) -> (Queue, Desk) {
    let (tell, told) = channel();
    let source = Queue { delivered: case.delivered.iter(), told, kept: BTreeSet::new() };
    (source, Desk { lines: Vec::new(), tell, refused: case.refused, is_full: false })
}

fn in_threads(case: &Case, workers: NonZeroUsize) -> Seen {
    let (source, mut desk) = opened(case);
    let (tried, stop) = (Mutex::new(Vec::new()), Stop::new());
    let end = run(source, &mut desk, workers, &stop, |unit: &Unit| {
        tried.lock().expect("nobody panics with it").push((word(unit), unit.retry));
        work(unit, &stop)
    });
    Seen { end: in_words(&end), lines: desk.lines, tried: tried.into_inner().expect("nobody panicked with it") }
}

fn in_tasks(case: &Case, at_once: NonZeroUsize) -> Seen {
    let (source, desk) = opened(case);
    let stop = Stop::new();
    let mut office = Office { desk, stop: stop.clone(), tried: Vec::new() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let ran = run_tasks::<u32, (), &'static str>(source, &mut office, at_once, ATTEMPTS_MAX, &stop);
    let end = runtime.block_on(ran);
    Seen { end: in_words(&end), lines: office.desk.lines, tried: office.tried }
}

fn check(case: &Case) {
    for workers in [1, 2, 8] {
        let at_once = NonZeroUsize::new(workers).expect("not zero");
        check_seen(case, in_threads(case, at_once), workers == 1, &format!("{workers} threads"));
        // Tasks have nowhere a source could wait.
        if !case.delivered.iter().any(|delivery| delivery.starts_with('!')) {
            check_seen(case, in_tasks(case, at_once), false, &format!("{workers} tasks"));
        }
    }
}

/// Checks a run; of one that was stopped, all that could be kept was kept where it `keeps_all`.
fn check_seen(Case { delivered, end, .. }: &Case, seen: Seen, keeps_all: bool, how: &str) {
    let Seen { end: found, lines, tried } = seen;
    assert_eq!(found, *end, "{delivered:?} with {how}");
    let attempts: BTreeSet<_> = tried.iter().collect();
    assert_eq!(attempts.len(), tried.len(), "an attempt was made twice: {tried:?}");
    assert!(tried.iter().all(|(_, retry)| *retry < ATTEMPTS_MAX), "too many attempts: {tried:?}");
    let kept: BTreeMap<_, _> = lines.iter().cloned().collect();
    assert_eq!(kept.len(), lines.len(), "a unit was kept twice: {lines:?}");
    let whole = model(delivered);
    assert!(kept.iter().all(|(word, result)| whole.get(word) == Some(result)), "{kept:?} is not of {whole:?}");
    let ends = |delivery: &&str| matches!(deed(delivery), "stops" | "undone");
    let last = delivered.iter().position(ends).map_or(delivered.len(), |place| place + 1);
    if *end == "complete" || *end == "stopped" && keeps_all {
        assert_eq!(kept, model(&delivered[..last]), "{delivered:?} with {how}");
    }
}

#[test]
fn every_unit_has_one_result() {
    const CASES: &[Case] = &[
        case(&[], "complete"),
        case(&["works-1", "works-2", "works-3", "works-1#2", "works-2#2"], "complete"),
        case(&["blips-1", "works-1", "fails-1", "lasts-1", "blips-2"], "complete"),
        case(&["panics-1", "works-1", "panics-2", "panics-3", "works-2"], "complete"),
    ];
    CASES.iter().for_each(check);
}

#[test]
fn a_queue_may_deliver_as_it_likes() {
    const CASES: &[Case] = &[
        // At once, and later among others.
        case(&["works-1", "works-1", "works-2", "works-1"], "complete"),
        // Out of order.
        case(&["works-3", "works-1#2", "works-2", "works-1", "works-2", "works-3"], "complete"),
        // After it was kept, whatever was kept.
        case(&["works-1", "!works-1", "works-2", "!works-1", "!works-2"], "complete"),
        case(&["fails-1", "!fails-1", "panics-1", "!panics-1", "lasts-1", "!lasts-1"], "complete"),
        case(&["blips-1", "blips-1", "!blips-1", "blips-1"], "complete"),
    ];
    CASES.iter().for_each(check);
}

#[test]
fn a_run_ends_before_its_time() {
    const CASES: &[Case] = &[
        case(&["works-1", "works-2", "stops-1", "works-3", "works-4"], "stopped"),
        case(&["works-1", "undone-1", "works-2", "works-3"], "stopped"),
        case(&["works-1", "fatal-1", "works-2"], "failed: on purpose"),
        case(&["fatal-1", "fatal-2", "fatal-3"], "failed: on purpose"),
        Case { delivered: &["works-1", "works-2", "works-3"], refused: Some("works-2"), end: "unkept: full" },
        Case { delivered: &["works-1", "lasts-1", "lasts-1"], refused: Some("lasts-1"), end: "unkept: full" },
    ];
    CASES.iter().for_each(check);
}

#[test]
fn a_delivery_that_was_tried_elsewhere_has_fewer_attempts_left() {
    for retry in [0, 1, 2, ATTEMPTS_MAX, u32::MAX] {
        let tried = Mutex::new(0_u32);
        let mut kept = 0_u32;
        let mut keep = |_: &Unit, result: Result<(), Trouble>| {
            kept += u32::from(result.is_err());
            Ok::<(), Trouble>(())
        };
        let source = std::iter::once(Unit { retry, ..Unit::new("a") });
        let end = run(source, &mut keep, NonZeroUsize::MIN, &Stop::new(), |_: &Unit| {
            *tried.lock().expect("nobody panics with it") += 1;
            Err::<(), _>(Trouble::new(TroubleKind::Passing, "on purpose"))
        });
        assert_eq!((end, kept), (RunEnd::Complete, 1));
        assert_eq!(tried.into_inner().expect("nobody panicked with it"), ATTEMPTS_MAX.saturating_sub(retry).max(1));
    }
}
