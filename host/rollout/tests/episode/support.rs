//! The world around the loop, made of plain parts: everything is deterministic, and everything can be made to fail.

use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use assay_grade::rule::Ended as Exited;
use assay_grade::task::Public;
use assay_model::{Nanos, Seed, Time};
use assay_rollout::episode::{Ended, Ports, Start, run};
use assay_rollout::ports::*;
use assay_rollout::{Settings, Submission};
use assay_trace::score::{Finite, ScoreNode};
use assay_trace::{
    Durable, EventKind, Metadata, Outcome, Part, Record, Trajectory, TrajectoryId, Usage, Verdict, Writer, read,
};
use assay_tree::{Content, Limits as TreeLimits, Tree};
use futures::executor::block_on;
use futures::future::{BoxFuture, FutureExt as _, ready};

/// A reply whose only code is `commands`.
pub(crate) fn code(commands: &str) -> String {
    format!("Let me see.\n\n```repl\n{commands}\n```\n")
}

/// What a scripted model does with one request.
#[derive(Clone)]
pub(crate) enum Line {
    Say(String),
    /// A reply with all that belongs to one.
    Reply(ModelReply),
    Fail(ModelError),
    /// No answer ever; the clock goes on by so much.
    Hang(Nanos),
    /// A reply for which the clock goes on by so much.
    Late(Nanos, String),
}

pub(crate) fn reply(text: &str) -> ModelReply {
    ModelReply {
        parts: vec![Part::text(text)],
        tool_calls: Vec::new(),
        usage: Some(Usage { input: 100, output: 10, ..Usage::default() }),
        cost_microdollars: Some(50),
        retries: 0,
        stop_reason: Some("stop".to_owned()),
    }
}

/// Replies in turn, and keeps what it was asked.
pub(crate) struct Script {
    lines: Mutex<VecDeque<Line>>,
    pub(crate) asked: Mutex<Vec<ModelRequest>>,
    clock: Arc<StillClock>,
    /// Only one request at a time, as where a provider allows no more.
    permit: Option<Arc<futures::lock::Mutex<()>>>,
}

impl Script {
    pub(crate) fn new(lines: Vec<Line>, clock: &Arc<StillClock>) -> Self {
        Self { lines: Mutex::new(lines.into()), asked: Mutex::default(), clock: Arc::clone(clock), permit: None }
    }

    pub(crate) fn with_permit(mut self, permit: &Arc<futures::lock::Mutex<()>>) -> Self {
        self.permit = Some(Arc::clone(permit));
        self
    }
}

impl Model for Script {
    fn name(&self) -> &str {
        "test:script"
    }

    fn ask(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        async move {
            let _permit = match &self.permit {
                Some(permit) => Some(permit.lock().await),
                None => None,
            };
            yield_now().await;
            self.asked.lock().unwrap().push(request);
            let line = self.lines.lock().unwrap().pop_front();
            match line {
                Some(Line::Say(text)) => Ok(reply(&text)),
                Some(Line::Reply(reply)) => Ok(reply),
                Some(Line::Fail(error)) => Err(error),
                Some(Line::Hang(length)) => {
                    self.clock.advance(length);
                    std::future::pending().await
                }
                Some(Line::Late(length, text)) => {
                    self.clock.advance(length);
                    Ok(reply(&text))
                }
                None => Err(ModelError::NoAnswer { why: "the script is over".to_owned() }),
            }
        }
        .boxed()
    }
}

/// Lets everybody else have a turn.
pub(crate) async fn yield_now() {
    let mut is_first = true;
    poll_fn(|context| {
        if std::mem::take(&mut is_first) {
            context.waker().wake_by_ref();
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    })
    .await;
}

/// A clock that goes on by a millisecond whenever it is looked at, and otherwise only when it is told.
#[derive(Default)]
pub(crate) struct StillClock {
    now: AtomicU64,
    waiting: Mutex<Vec<Waker>>,
}

impl StillClock {
    pub(crate) fn advance(&self, length: Nanos) {
        self.now.fetch_add(length.0, Ordering::SeqCst);
        self.waiting.lock().unwrap().drain(..).for_each(Waker::wake);
    }
}

impl Clock for StillClock {
    fn now(&self) -> Time {
        Time(self.now.fetch_add(1_000_000, Ordering::SeqCst))
    }

    fn sleep(&self, length: Nanos) -> BoxFuture<'_, ()> {
        let until = self.now.load(Ordering::SeqCst).saturating_add(length.0);
        poll_fn(move |context| {
            if self.now.load(Ordering::SeqCst) >= until {
                return Poll::Ready(());
            }
            self.waiting.lock().unwrap().push(context.waker().clone());
            Poll::Pending
        })
        .boxed()
    }
}

/// Sessions of a tiny language, one command a line: see [`Tiny::command`].
pub(crate) struct TinySessions {
    pub(crate) clock: Arc<StillClock>,
    /// What a session does that does not keep its word: printed by `drift`.
    pub(crate) drift: String,
    pub(crate) refuses: bool,
}

impl Sessions for TinySessions {
    fn start(&self, start: SessionStart) -> BoxFuture<'_, Result<Box<dyn Session>, SessionError>> {
        if self.refuses {
            let hint = Some("run `make setup`".to_owned());
            return ready(Err(SessionError { why: "no interpreter".to_owned(), hint })).boxed();
        }
        let SessionStart { tree, seed, limits, .. } = start;
        let (clock, drift) = (Arc::clone(&self.clock), self.drift.clone());
        let tiny = Tiny { tree, seed, limits, clock, drift, cells: 0 };
        ready(Ok(Box::new(tiny) as Box<dyn Session>)).boxed()
    }

    fn help(&self) -> &str {
        "read_file(path) gives a file's text."
    }
}

struct Tiny {
    tree: Tree,
    seed: Seed,
    limits: SessionLimits,
    clock: Arc<StillClock>,
    drift: String,
    cells: u64,
}

/// What stops a cell.
enum Halt {
    Code(CellError),
    Host(SessionError),
}

impl Tiny {
    /// Runs `NAME ARGUMENT`; `\n` in an argument is a line break.
    async fn command(&mut self, line: &str, cell: &mut Cell, host: &dyn Host) -> Result<(), Halt> {
        let (name, argument) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        // `grow N COMMAND` gives the command an argument of N bytes.
        let (name, argument) = match argument.split_once(' ').filter(|_| name == "grow") {
            Some((bytes, name)) => (name, "z".repeat(bytes.parse().unwrap())),
            None => (name, argument.replace("\\n", "\n")),
        };
        let number = || argument.parse::<u64>().unwrap_or_default();
        let exception =
            |summary: String| Halt::Code(CellError::Exception { traceback: format!("Traceback\n{summary}"), summary });
        let died = |reason| Halt::Code(CellError::Died { reason });
        cell.fuel += 10;
        let call = match name {
            "" => return Ok(()),
            "print" => return print(cell, &argument),
            "error" => {
                cell.stderr.push_str(&argument);
                return Ok(());
            }
            "drift" => return print(cell, &self.drift),
            "random" => return print(cell, &format!("{}", self.seed.0.wrapping_mul(self.cells + 1))),
            "spill" => {
                let bytes = usize::try_from(number()).unwrap();
                let kept = bytes.min(self.limits.output_bytes_per_cell);
                cell.stdout.push_str(&"x".repeat(kept));
                cell.dropped_bytes += (bytes - kept) as u64;
                return Ok(());
            }
            "write" => {
                let (path, text) = argument.split_once(' ').unwrap_or((&argument, ""));
                let content = Content::from(text.as_bytes().to_vec());
                let put = self.tree.put(path.as_bytes(), content, Time(0));
                return put.map_err(|error| exception(error.to_string()));
            }
            "stretch" => {
                let (path, bytes) = argument.split_once(' ').unwrap();
                let stretched = self.tree.truncate(path.as_bytes(), bytes.parse().unwrap(), Time(0));
                return stretched.map_err(|error| exception(error.to_string()));
            }
            "rm" => {
                return self.tree.unlink(argument.as_bytes(), Time(0)).map_err(|error| exception(error.to_string()));
            }
            "raise" => return Err(exception(argument)),
            "burn" => {
                cell.fuel += number();
                let is_out = cell.fuel > self.limits.fuel_per_cell;
                return if is_out { Err(died(Death::OutOfFuel)) } else { Ok(()) };
            }
            "die" => return Err(died(Death::Trap(argument))),
            "sleep" => {
                self.clock.advance(Nanos::from_secs(number()));
                return Ok(());
            }
            "hang" => {
                self.clock.advance(Nanos::from_secs(number()));
                return std::future::pending().await;
            }
            "break" => return Err(Halt::Host(SessionError { why: "the host broke".to_owned(), hint: None })),
            "run_tests" => HostCall::RunTests { tests: argument.split_whitespace().map(str::to_owned).collect() },
            "shell" => HostCall::Shell { command: argument },
            "ask" => HostCall::Ask { prompt: argument },
            "sub_agent" => HostCall::SubAgent { task: argument },
            "finish" => HostCall::Finish { summary: argument },
            _ => return Err(exception(format!("NameError: {name}"))),
        };
        match host.call(call, self.tree.fork()).await {
            Ok(answer) => print(cell, &answer),
            Err(message) => Err(exception(message)),
        }
    }
}

fn print(cell: &mut Cell, text: &str) -> Result<(), Halt> {
    cell.stdout.push_str(text);
    cell.stdout.push('\n');
    Ok(())
}

impl Session for Tiny {
    fn run<'a>(&'a mut self, code: &'a str, host: &'a dyn Host) -> BoxFuture<'a, Result<Cell, SessionError>> {
        async move {
            self.cells += 1;
            let mut cell =
                Cell { stdout: String::new(), stderr: String::new(), dropped_bytes: 0, error: None, fuel: 100 };
            for line in code.lines() {
                match self.command(line, &mut cell, host).await {
                    Ok(()) => {}
                    Err(Halt::Code(error)) => {
                        cell.error = Some(error);
                        break;
                    }
                    Err(Halt::Host(error)) => return Err(error),
                }
            }
            Ok(cell)
        }
        .boxed()
    }

    fn tree(&self) -> Tree {
        self.tree.fork()
    }

    fn parts(&self) -> Vec<(String, assay_trace::Digest)> {
        vec![("cells".to_owned(), assay_trace::Digest::of(&self.cells.to_le_bytes()))]
    }
}

/// Files are right where `answer` says 42. `bench down` in it is an engine that does not answer.
#[derive(Default)]
pub(crate) struct FileGrader {
    pub(crate) graded: Mutex<Vec<SoFar>>,
    pub(crate) commands: Mutex<Vec<String>>,
    /// How many gradings from now on meet an engine that does not answer.
    pub(crate) down_for: AtomicU64,
    /// What a grading takes: waiting for its turn, then running.
    pub(crate) takes: Option<(Arc<StillClock>, Nanos, Nanos)>,
    pub(crate) ran: AtomicU64,
}

impl FileGrader {
    /// Lets the time of a grading pass, and everybody else have a turn.
    async fn pass(&self) {
        if let Some((clock, queue, running)) = &self.takes {
            clock.advance(*queue);
            yield_now().await;
            clock.advance(*running);
            self.ran.fetch_add(running.0, Ordering::SeqCst);
        }
    }
}

impl Grader for FileGrader {
    fn bench_time(&self) -> Nanos {
        Nanos(self.ran.load(Ordering::SeqCst))
    }

    fn grade(&self, Submission { tree, .. }: Submission, so_far: SoFar) -> BoxFuture<'_, Graded> {
        self.graded.lock().unwrap().push(so_far);
        let is_down = self.down_for.load(Ordering::SeqCst) > 0;
        self.down_for.fetch_sub(u64::from(is_down), Ordering::SeqCst);
        let answer = tree.read_all(b"answer").map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let answer = answer.unwrap_or_default();
        let (at, scorer) = (Time(1), "file grader 1");
        let scored = |outcome, number, reason: &str| {
            let score = ScoreNode::scored("answer", Finite::new(number).unwrap());
            Verdict::scored(at, scorer, outcome, reason, score).unwrap()
        };
        let verdict = match answer.trim() {
            _ if is_down => Verdict::unscored(at, scorer, "no test engine").unwrap(),
            "42" => scored(Outcome::Success, 1.0, "every test is as expected"),
            "bench down" => Verdict::unscored(at, scorer, "no test engine").unwrap(),
            "ambiguous" => Verdict::unscored(at, scorer, "two tests share the key `test_hidden`").unwrap(),
            "cheat" => scored(Outcome::SafetyViolation, 0.0, "the tests were touched"),
            guess if guess.starts_with("guess") => scored(Outcome::Failure, 0.0, "a wrong test passed"),
            _ => scored(Outcome::Failure, 0.0, "1 tests are not as expected"),
        };
        let flag = assay_trace::Flag { name: "looked_at".to_owned(), detail: "by the grader".to_owned() };
        let events = if answer.contains("cheat") { vec![EventKind::Flag(flag)] } else { Vec::new() };
        let caught = assay_trace::Flag { name: "control_passed".to_owned(), detail: answer.trim().to_owned() };
        let contradiction = answer.starts_with("guess").then_some(caught);
        let feedback = match verdict.outcome() {
            None => Err("the tests could not be run".to_owned()),
            Some(_) => Ok(format!("{} of 1 tests are as expected", u8::from(answer.trim() == "42"))),
        };
        async move {
            self.pass().await;
            Graded { verdict, events, feedback, contradiction }
        }
        .boxed()
    }

    fn shell(&self, command: String, _tree: Tree) -> BoxFuture<'_, Result<TestRun, BenchError>> {
        let log = format!("ran {command}\n").into_bytes();
        self.commands.lock().unwrap().push(command);
        let run = TestRun {
            log,
            dropped_bytes: 0,
            artifact: None,
            ended: Exited::Exited(0),
            junit: None,
            nanoseconds: 5,
            is_open: false,
        };
        ready(Ok(run)).boxed()
    }
}

/// Trajectories in memory, in the form of files.
#[derive(Default)]
pub(crate) struct MemorySinks {
    files: Arc<Mutex<BTreeMap<TrajectoryId, Vec<u8>>>>,
    /// After this many batches, begun trajectories included, the disk is full.
    room: Option<u64>,
    batches: Arc<AtomicU64>,
}

impl MemorySinks {
    pub(crate) fn with_room(batches: u64) -> Self {
        Self { room: Some(batches), ..Self::default() }
    }

    pub(crate) fn bytes(&self, id: &str) -> Vec<u8> {
        self.files.lock().unwrap()[&TrajectoryId::new(id).unwrap()].clone()
    }

    pub(crate) fn trajectory(&self, id: &str) -> Trajectory {
        let loaded = read(&self.bytes(id)[..]).unwrap();
        assert!(loaded.damage.is_none(), "{:?}", loaded.damage);
        loaded.trajectory
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.files.lock().unwrap().keys().map(ToString::to_string).collect()
    }
}

struct MemoryFile {
    id: TrajectoryId,
    files: Arc<Mutex<BTreeMap<TrajectoryId, Vec<u8>>>>,
    room: Option<u64>,
    batches: Arc<AtomicU64>,
}

impl io::Write for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.files.lock().unwrap().entry(self.id.clone()).or_default().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let batches = self.batches.fetch_add(1, Ordering::SeqCst);
        if self.room.is_some_and(|room| batches >= room) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }
}

impl Durable for MemoryFile {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&mut self, _bytes: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

struct MemorySink(Writer<MemoryFile>);

impl Sink for MemorySink {
    fn append(&mut self, records: Vec<Record>) -> BoxFuture<'_, Result<(), SinkError>> {
        let done = self.0.append(&records).map_err(|error| SinkError { why: error.to_string() });
        ready(done).boxed()
    }
}

impl Sinks for MemorySinks {
    fn begin(&self, metadata: Metadata) -> BoxFuture<'_, Result<Box<dyn Sink>, SinkError>> {
        let file = MemoryFile {
            id: metadata.id.clone(),
            files: Arc::clone(&self.files),
            room: self.room,
            batches: Arc::clone(&self.batches),
        };
        let writer = Writer::create(file, &metadata).map_err(|error| SinkError { why: error.to_string() });
        ready(writer.map(|writer| Box::new(MemorySink(writer)) as Box<dyn Sink>)).boxed()
    }
}

/// Everything an episode needs, to be changed before it runs.
pub(crate) struct Lab {
    pub(crate) clock: Arc<StillClock>,
    pub(crate) model: Arc<Script>,
    pub(crate) helper: Option<Arc<Script>>,
    pub(crate) sessions: TinySessions,
    pub(crate) grader: Arc<FileGrader>,
    pub(crate) sinks: Arc<MemorySinks>,
    pub(crate) supervisor: Arc<dyn Supervisor>,
    pub(crate) settings: Settings,
    pub(crate) start: Start,
}

impl Lab {
    pub(crate) fn new(replies: &[&str]) -> Self {
        Self::with_lines(replies.iter().map(|reply| Line::Say((*reply).to_owned())).collect())
    }

    pub(crate) fn with_lines(lines: Vec<Line>) -> Self {
        let clock = Arc::new(StillClock::default());
        let mut base = Tree::new(TreeLimits { bytes_max: 1 << 30, inodes_max: 10_000 });
        base.put(b"answer", Content::from(b"41\n".to_vec()), Time(0)).unwrap();
        base.put(b"notes", Content::from(b"old\n".to_vec()), Time(0)).unwrap();
        Self {
            model: Arc::new(Script::new(lines, &clock)),
            helper: None,
            sessions: TinySessions { clock: Arc::clone(&clock), drift: "here".to_owned(), refuses: false },
            grader: Arc::default(),
            sinks: Arc::default(),
            supervisor: Arc::new(Unwatched),
            settings: Settings::standard(),
            start: start(base),
            clock,
        }
    }

    pub(crate) fn helper(mut self, lines: Vec<Line>) -> Self {
        self.helper = Some(Arc::new(Script::new(lines, &self.clock)));
        self
    }

    pub(crate) fn ports(&self) -> Ports {
        let TinySessions { clock, drift, refuses } = &self.sessions;
        Ports {
            model: Arc::clone(&self.model) as Arc<dyn Model>,
            helper_model: self.helper.clone().map(|helper| helper as Arc<dyn Model>),
            sessions: Arc::new(TinySessions { clock: Arc::clone(clock), drift: drift.clone(), refuses: *refuses }),
            grader: Arc::clone(&self.grader) as Arc<dyn Grader>,
            sinks: Arc::clone(&self.sinks) as Arc<dyn Sinks>,
            clock: Arc::clone(&self.clock) as Arc<dyn Clock>,
            supervisor: Arc::clone(&self.supervisor),
            observer: Arc::new(Unwatched),
        }
    }

    pub(crate) fn run(&self) -> Ended {
        block_on(assert_send(run(&self.ports(), self.start.clone(), &self.settings)))
    }

    pub(crate) fn trajectory(&self) -> Trajectory {
        self.sinks.trajectory("ep-1")
    }

    /// What the model was asked last, as one text.
    pub(crate) fn last_asked(&self) -> String {
        let asked = self.model.asked.lock().unwrap();
        asked.last().unwrap().messages.iter().map(|message| message.text()).collect::<Vec<_>>().join("\n")
    }
}

/// Runs are spawned on threads.
fn assert_send<T: Send>(work: T) -> T {
    work
}

pub(crate) fn start(base: Tree) -> Start {
    Start {
        id: TrajectoryId::new("ep-1").unwrap(),
        run: Some("run-1".to_owned()),
        attempt: 1,
        seed: Seed(7),
        task: Public {
            instance_id: "lab__answer-1".to_owned(),
            repository: "lab/answer".to_owned(),
            problem_statement: "The answer is off by one.".to_owned(),
            language: "python".to_owned(),
        },
        folder: "/testbed".to_owned(),
        base,
        versions: [("agent".to_owned(), "1.0".to_owned())].into(),
        hashes: BTreeMap::new(),
        tags: vec!["lab".to_owned()],
    }
}

/// The bodies of the events of a kind, in order, as JSON.
pub(crate) fn events(trajectory: &Trajectory, kind: &str) -> Vec<serde_json::Value> {
    let bodies = trajectory.events().filter(|event| event.kind.name() == kind);
    bodies.map(|event| serde_json::to_value(event).unwrap()["body"].clone()).collect()
}
