//! A run while it goes: a table that is redrawn where somebody watches; elsewhere a line for each finished episode, and one that tells what is waited for
//! where none has finished for a while.

use super::events::Events;
use super::words;
use crate::bench::Waits;
use crate::face::{self, Bar};
use assay_model::Nanos;
use assay_rollout::ports::{Observer, Phase, Progress};
use assay_rollout::run::{BenchNews, EpisodeRecord, EpisodeSpec, OUTAGE_MAX, Trouble, Watch, figures};
use assay_trace::Record;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Running episodes that are shown: the rest is counted.
const ROWS_MAX: usize = 12;
/// How long nothing is said where nobody watches before a line tells what is waited for.
const SILENCE_MAX: Duration = Duration::from_secs(30);
/// The same once the run was asked to stop: somebody waits for it.
const STOPPING_SILENCE_MAX: Duration = Duration::from_secs(3);
/// How often the table is drawn.
pub(super) const REDRAW: Duration = Duration::from_millis(200);

/// See the module documentation.
pub(super) struct Board {
    bar: Bar,
    interactive: bool,
    state: Mutex<State>,
    /// Which images are being got.
    waits: Waits,
    /// Who else is told.
    events: Option<Events>,
}

struct State {
    total: usize,
    /// Finished before this invocation.
    before: usize,
    finished: Vec<EpisodeRecord>,
    running: BTreeMap<String, Row>,
    began: Instant,
    /// When something was said last.
    said: Instant,
}

#[derive(Clone, Copy)]
struct Row {
    since: Instant,
    progress: Option<Progress>,
}

impl Board {
    /// A board over `total` episodes, of which some have finished earlier. What it is told, it passes on to `events`.
    pub(super) fn new(total: usize, finished: Vec<EpisodeRecord>, events: Option<Events>) -> Arc<Self> {
        let interactive = face::is_interactive();
        let bar = face::bar("   Running {bar:24.cyan/dim} {pos}/{len}  {msg}", Some(total as u64));
        let before = finished.len();
        let now = Instant::now();
        let state = State { total, before, finished, running: BTreeMap::new(), began: now, said: now };
        Arc::new(Self { bar, interactive, state: Mutex::new(state), waits: Waits::default(), events })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where it is noted which images are being got.
    pub(super) fn waits(&self) -> Waits {
        self.waits.clone()
    }

    /// Draws the table, where there is somebody to see it; elsewhere ends a silence.
    pub(super) fn draw(&self, is_stopping: bool) {
        let images = self.waits.lines();
        if !self.interactive {
            let most = if is_stopping { STOPPING_SILENCE_MAX } else { SILENCE_MAX };
            let text = {
                let state = self.state();
                (state.said.elapsed() >= most).then(|| state.silence(&images, is_stopping))
            };
            if let Some(text) = text {
                self.say(&text);
            }
            return;
        }
        let (done, text) = {
            let state = self.state();
            (state.finished.len() as u64, state.table(&images, is_stopping))
        };
        self.bar.set_position(done);
        self.bar.set_message(text);
    }

    /// Takes the table off the screen.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
        if let Some((lost, path)) = self.events.as_ref().and_then(Events::finish) {
            face::warn(&format!("{}: at least {lost} events were left out: nobody took them in time", path.display()));
        }
    }

    fn tell(&self, what: impl FnOnce(&Events)) {
        if let Some(events) = &self.events {
            what(events);
        }
    }

    /// Says something without spoiling the table.
    fn say(&self, text: &str) {
        self.state().said = Instant::now();
        self.bar.suspend(|| face::note(&face::lines(text)));
    }

    /// Says when episodes wait for the test engine.
    pub(super) fn bench_news(self: &Arc<Self>) -> impl Fn(BenchNews) + Send + Sync + 'static {
        let board = Arc::clone(self);
        move |news| match news {
            BenchNews::Waiting(error) => {
                let minutes = OUTAGE_MAX.0 / Nanos::from_secs(60).0;
                board.say(&format!("{error}; grading waits for it, up to {minutes} minutes"));
            }
            BenchNews::Back => board.say("the test engine answers again"),
        }
    }

    /// Follows one episode.
    pub(super) fn observer(self: &Arc<Self>, id: &str) -> Arc<dyn Observer> {
        Arc::new(Follower { board: Arc::clone(self), id: id.to_owned() })
    }
}

impl State {
    fn table(&self, images: &[String], is_stopping: bool) -> String {
        let figures = figures(&self.finished);
        let reward = figures.reward.as_ref().map_or_else(|| "no reward yet".to_owned(), words::interval);
        let unscored: usize = figures.unscored.values().sum();
        let mut text = format!(
            "{}{}\n           solved {} · failed {} · unscored {unscored} · reward {reward} · {} tokens · {}",
            words::duration(self.began.elapsed()),
            self.left().map_or_else(String::new, |left| format!(" (left {})", words::duration(left))),
            figures.solved,
            figures.failed,
            words::count(figures.tokens),
            words::dollars(figures.cost_microdollars),
        );
        for (id, row) in self.running.iter().take(ROWS_MAX) {
            text.push_str(&format!("\n           {}", face::dim(&row.line(id))));
        }
        let hidden = self.running.len().saturating_sub(ROWS_MAX);
        if hidden > 0 {
            text.push_str(&format!("\n           {}", face::dim(&format!("and {hidden} more"))));
        }
        for image in images.iter().take(ROWS_MAX) {
            text.push_str(&format!("\n           {}", face::dim(image)));
        }
        if is_stopping {
            text.push_str("\n           stopping: waiting until these have let go");
        }
        text
    }

    /// What is waited for, in a line.
    fn silence(&self, images: &[String], is_stopping: bool) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for row in self.running.values() {
            *counts.entry(row.what()).or_default() += 1;
        }
        let counts: Vec<String> = counts.into_iter().map(|(what, count)| format!("{what} {count}")).collect();
        let running = if counts.is_empty() { "none".to_owned() } else { counts.join(", ") };
        let stopping = if is_stopping { "stopping, " } else { "" };
        let head = format!(
            "{}: {stopping}{} of {} finished",
            words::duration(self.began.elapsed()),
            self.finished.len(),
            self.total
        );
        let images = images.iter().map(|image| format!("; {image}")).collect::<String>();
        format!("{head}; running: {running}{images}")
    }

    /// What the pace of this invocation promises.
    fn left(&self) -> Option<Duration> {
        let done = u32::try_from(self.finished.len() - self.before).ok().filter(|done| *done > 0)?;
        let left = u32::try_from(self.total - self.finished.len().min(self.total)).ok()?;
        Some(self.began.elapsed() / done * left)
    }
}

impl Row {
    /// What it does, in a word. Before its first step it waits for the files of its task, and so for its image.
    fn what(&self) -> &'static str {
        let Some(progress) = self.progress else { return "files" };
        match progress.phase {
            Phase::Starting => "starting",
            Phase::Model => "model",
            Phase::Cell => "code",
            Phase::Grading => "tests",
            Phase::Ended => "done",
        }
    }

    fn line(&self, id: &str) -> String {
        let (what, time) = (self.what(), words::duration(self.since.elapsed()));
        let Some(progress) = self.progress else { return format!("{id}  {what}  {time}") };
        let cost = progress.cost_microdollars.map_or_else(|| "cost unknown".to_owned(), words::dollars);
        let tokens = words::count(progress.usage.total());
        format!("{id}  step {} {what}  {tokens} tokens  {cost}  {time}", progress.step)
    }
}

impl Watch for Board {
    fn began(&self, spec: &EpisodeSpec) {
        self.state().running.insert(spec.id(), Row { since: Instant::now(), progress: None });
        self.tell(|events| events.began(spec));
    }

    fn will_retry(&self, spec: &EpisodeSpec, trouble: &Trouble) {
        self.state().running.remove(&spec.id());
        self.tell(|events| events.will_retry(spec, trouble));
        self.say(&format!("{} will be tried again: {trouble}", spec.id()));
    }

    fn finished(&self, record: &EpisodeRecord) {
        self.tell(|events| events.finished(record));
        let (done, total) = {
            let mut state = self.state();
            state.running.remove(&record.id);
            // With --retry-unscored, an episode takes the place of its earlier self.
            let key = (record.task.clone(), record.sample);
            state.finished.retain(|earlier| (&earlier.task, earlier.sample) != (&key.0, key.1));
            state.finished.push(record.clone());
            (state.finished.len(), state.total)
        };
        if self.interactive {
            self.draw(false);
        } else {
            self.say(&format!("{done}/{total} {} {}", record.id, words::result(record)));
        }
    }
}

struct Follower {
    board: Arc<Board>,
    id: String,
}

impl Observer for Follower {
    fn progress(&self, progress: &Progress) {
        if let Some(row) = self.board.state().running.get_mut(&self.id) {
            row.progress = Some(*progress);
        }
        self.board.tell(|events| events.progress(&self.id, progress));
    }

    fn heard(&self, text: &str) {
        self.board.tell(|events| events.heard(&self.id, text));
    }

    fn recorded(&self, records: &[Record]) {
        self.board.tell(|events| events.recorded(&self.id, records));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_trace::Usage;

    #[test]
    fn a_silence_is_explained() {
        let row = |phase: Option<Phase>| {
            let progress = |phase| Progress { phase, step: 1, usage: Usage::default(), cost_microdollars: None };
            Row { since: Instant::now(), progress: phase.map(progress) }
        };
        for (phases, images, is_stopping, expected) in [
            (
                &[None, None, Some(Phase::Grading)][..],
                &["building the image a:1", "pulling the image b:1"][..],
                false,
                "0 of 9 finished; running: files 2, tests 1; building the image a:1; pulling the image b:1",
            ),
            (&[Some(Phase::Cell)], &[], true, "stopping, 0 of 9 finished; running: code 1"),
            (&[], &[], false, "0 of 9 finished; running: none"),
        ] {
            let now = Instant::now();
            let running = phases.iter().enumerate().map(|(index, phase)| (index.to_string(), row(*phase))).collect();
            let state = State { total: 9, before: 0, finished: Vec::new(), running, began: now, said: now };
            let images: Vec<String> = images.iter().map(|image| (*image).to_owned()).collect();
            let line = state.silence(&images, is_stopping);
            // Before it stands how long the run has gone on.
            assert_eq!(line.split_once(": ").map(|(_, rest)| rest), Some(expected));
        }
    }
}
