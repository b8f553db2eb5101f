//! What happens in a run, as JSON lines for a program that looks on, in a place that may be a file, a named pipe or `/dev/fd/N`.
//!
//! Invariants: nothing here waits for the reader, so a reader that is slow, or stops, costs lines and never time: what does not fit in the queue is
//! left out, and a line says how much. A line holds one whole JSON object, of a bounded length.

use assay_rollout::ports::{Phase, Progress};
use assay_rollout::run::{EpisodeRecord, EpisodeSpec, Trouble};
use assay_trace::Record;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Lines that wait for the reader.
const QUEUE_LINES: usize = 16_384;
/// Bytes of them.
const QUEUE_BYTES: usize = 64 << 20;
/// The longest line; of a longer record only its length is told.
const LINE_BYTES: usize = 1 << 20;
/// How long the reader may take for the rest, once the run is over.
const REST: Duration = Duration::from_secs(5);

/// The lines of a run.
pub(super) struct Events {
    queue: Mutex<Option<SyncSender<String>>>,
    shared: Arc<Counts>,
    writer: Mutex<Option<JoinHandle<()>>>,
    path: PathBuf,
}

#[derive(Default)]
struct Counts {
    /// Bytes in the queue.
    bytes: AtomicUsize,
    /// Lines left out since the last one that says so.
    left_out: AtomicU64,
    /// Lines left out at all.
    lost: AtomicU64,
}

impl Events {
    /// Begins to write. The place is opened when the reader is there: a named pipe waits for it, the run does not.
    pub(super) fn begin(path: &Path) -> std::io::Result<Self> {
        let (queue, lines) = sync_channel(QUEUE_LINES);
        let shared = Arc::new(Counts::default());
        let (counts, to) = (Arc::clone(&shared), path.to_owned());
        let write = move || write(&to, &lines, &counts);
        let writer = std::thread::Builder::new().name("events".to_owned()).spawn(write)?;
        Ok(Self { queue: Mutex::new(Some(queue)), shared, writer: Mutex::new(Some(writer)), path: path.to_owned() })
    }

    /// Tells of something.
    fn tell(&self, event: &str, episode: &str, mut body: Value) {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        body["event"] = event.into();
        body["episode"] = episode.into();
        body["at_ns"] = u64::try_from(at.as_nanos()).unwrap_or(u64::MAX).into();
        let mut line = body.to_string();
        if line.len() > LINE_BYTES {
            line =
                json!({"event": event, "episode": episode, "at_ns": body["at_ns"], "too_long": line.len()}).to_string();
        }
        line.push('\n');
        let bytes = line.len();
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(queue) = queue.as_ref() else { return };
        let fits = self.shared.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes <= QUEUE_BYTES;
        let sent = if fits { queue.try_send(line) } else { Err(TrySendError::Full(line)) };
        if sent.is_err() {
            self.shared.bytes.fetch_sub(bytes, Ordering::Relaxed);
            self.shared.left_out.fetch_add(1, Ordering::Relaxed);
            self.shared.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn began(&self, spec: &EpisodeSpec) {
        self.tell("began", &spec.id(), json!({"task": spec.task, "sample": spec.sample, "attempt": spec.attempt}));
    }

    pub(super) fn will_retry(&self, spec: &EpisodeSpec, trouble: &Trouble) {
        self.tell("retry", &spec.id(), json!({"why": trouble.why}));
    }

    pub(super) fn finished(&self, record: &EpisodeRecord) {
        self.tell("finished", &record.id, json!({ "result": record }));
    }

    pub(super) fn progress(&self, episode: &str, progress: &Progress) {
        let phase = match progress.phase {
            Phase::Starting => "starting",
            Phase::Model => "model",
            Phase::Cell => "cell",
            Phase::Grading => "grading",
            Phase::Ended => "ended",
        };
        let (tokens, cost) = (progress.usage.total(), progress.cost_microdollars);
        let body = json!({"phase": phase, "step": progress.step, "tokens": tokens, "cost_microdollars": cost});
        self.tell("phase", episode, body);
    }

    pub(super) fn heard(&self, episode: &str, text: &str) {
        self.tell("chunk", episode, json!({ "text": text }));
    }

    pub(super) fn recorded(&self, episode: &str, records: &[Record]) {
        for record in records {
            let (kind, body) = match record {
                Record::Message(message) => ("message", serde_json::to_value(message)),
                Record::Event(event) => ("event", serde_json::to_value(event)),
                Record::Verdict(verdict) => ("score", serde_json::to_value(verdict)),
            };
            if let Ok(mut body) = body {
                body["_type"] = kind.into();
                self.tell("record", episode, json!({ "record": body }));
            }
        }
    }

    /// Writes the rest, as far as the reader takes it in time. The number of lines that were left out, and where.
    pub(super) fn finish(&self) -> Option<(u64, &Path)> {
        drop(self.queue.lock().unwrap_or_else(PoisonError::into_inner).take());
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let until = Instant::now() + REST;
        if let Some(writer) = writer {
            while !writer.is_finished() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
            if writer.is_finished() {
                let _ = writer.join();
            }
        }
        let unread = u64::from(self.shared.bytes.load(Ordering::Relaxed) > 0);
        let lost = self.shared.lost.load(Ordering::Relaxed) + unread;
        (lost > 0).then_some((lost, self.path.as_path()))
    }
}

/// Writes lines as they come. A reader that is gone has all later ones thrown away.
fn write(path: &Path, lines: &Receiver<String>, counts: &Counts) {
    let mut file = File::options().append(true).create(true).open(path).ok();
    for line in lines {
        counts.bytes.fetch_sub(line.len(), Ordering::Relaxed);
        let left_out = counts.left_out.swap(0, Ordering::Relaxed);
        let said = (left_out > 0).then(|| format!("{}\n", json!({"event": "left_out", "lines": left_out})));
        let texts = said.iter().chain(std::iter::once(&line));
        let written =
            file.as_mut().map(|file| texts.map(|text| file.write_all(text.as_bytes())).all(|done| done.is_ok()));
        if written != Some(true) {
            file = None;
            counts.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(path: &Path, chunks: usize, text: &str) -> (Vec<Value>, bool) {
        let events = Events::begin(path).expect("a thread");
        (0..chunks).for_each(|_| events.heard("a.s1", text));
        let is_whole = events.finish().is_none();
        // A device can be read without end.
        let written = if path.is_file() { std::fs::read_to_string(path).expect("text") } else { String::new() };
        (written.lines().map(|line| serde_json::from_str(line).expect("whole lines")).collect(), is_whole)
    }

    #[test]
    fn a_reader_gets_whole_lines_of_bounded_length() {
        let folder = tempfile::tempdir().expect("a folder");
        let (lines, is_whole) = told(&folder.path().join("a.jsonl"), 3, "a\nb");
        assert!(is_whole && lines.len() == 3, "{lines:?}");
        assert_eq!(
            (&lines[0]["event"], &lines[0]["text"], &lines[0]["episode"]),
            (&"chunk".into(), &"a\nb".into(), &"a.s1".into())
        );
        let (lines, _) = told(&folder.path().join("b.jsonl"), 1, &"x".repeat(LINE_BYTES));
        assert!(lines[0]["too_long"].as_u64() > Some(1 << 20) && lines[0].get("text").is_none());
    }

    #[test]
    fn a_reader_that_stops_or_never_comes_costs_lines_and_no_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let (lines, is_whole) = told(Path::new("/dev/full"), 10, "x");
        assert!(lines.is_empty() && !is_whole);
        let (lines, is_whole) = told(&folder.path().join("no/such/folder"), 10, "x");
        assert!(lines.is_empty() && !is_whole);

        // A pipe that nobody reads.
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there");
        assert!(made.success());
        let events = Events::begin(&pipe).expect("a thread");
        let began = Instant::now();
        (0..2 * QUEUE_LINES).for_each(|_| events.heard("a.s1", "x"));
        assert!(began.elapsed() < REST, "nobody waits");
        let lost = events.finish().map(|(lost, _)| lost);
        assert!(lost >= Some(QUEUE_LINES as u64), "{lost:?}");
    }
}
