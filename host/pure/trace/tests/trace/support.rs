//! What the tests share: one trajectory with everything in it, and a disk that fails when told to.

use assay_model::{Nanos, Seed, Time};
use assay_trace::score::{Finite, Rule, ScoreNode, Term};
use assay_trace::{
    Base64, CallId, CodeCell, Digest, Durable, Event, EventKind, Flag, ImageSource, Limit, LimitReached, MediaType,
    Message, MessageId, Meta, Metadata, ModelCall, OtherEvent, Outcome, Parent, Part, Record, Speaker, StateHash,
    SubAgent, ToolCall, ToolRun, Trajectory, TrajectoryId, Usage, Verdict, WorldEvent, Writer,
};
use serde_json::json;
use std::io::{self, Write};

/// 2026-01-02 03:04:05 UTC.
pub(crate) const START: Time = Time(1_767_323_045_000_000_000);

pub(crate) fn id(text: &str) -> MessageId {
    MessageId::new(text).unwrap()
}

pub(crate) fn call_id(text: &str) -> CallId {
    CallId::new(text).unwrap()
}

pub(crate) fn number(value: f64) -> Finite {
    Finite::new(value).unwrap()
}

pub(crate) fn leaf(name: &str, value: f64) -> ScoreNode {
    ScoreNode::scored(name, number(value))
}

/// An event at a number of milliseconds after the start.
pub(crate) fn event(millis: u64, kind: EventKind) -> Record {
    Event { at: START + Nanos(millis * 1_000_000), kind }.into()
}

pub(crate) fn state(files: &str) -> EventKind {
    let parts = [("files", files), ("clock", "noon")];
    EventKind::State(StateHash::new(parts.map(|(name, text)| (name.to_owned(), Digest::of(text.as_bytes()))).into()))
}

pub(crate) fn model_call(usage: Option<Usage>, cost_microdollars: Option<u64>, latency_millis: u64) -> EventKind {
    EventKind::ModelCall(ModelCall {
        model: "test/model-1".into(),
        usage,
        cost_microdollars,
        latency: Nanos(latency_millis * 1_000_000),
        retries: 0,
        stop_reason: Some("stop".into()),
        error: None,
    })
}

pub(crate) fn tool_run(call: &str, tool: &str, error: Option<&str>) -> EventKind {
    EventKind::ToolRun(ToolRun {
        call_id: Some(call_id(call)),
        tool: tool.into(),
        latency: Nanos(3_000_000),
        error: error.map(str::to_owned),
    })
}

pub(crate) fn metadata(name: &str) -> Metadata {
    let mut metadata =
        Metadata::new(TrajectoryId::new(name).unwrap(), "bugs/off-by-one", "test/model-1", Seed(7), START);
    metadata.run = Some("run-1".into());
    metadata.versions = [("agent".into(), "1.2.0".into()), ("engine".into(), "48.0.8".into())].into();
    metadata.hashes = [("scenario".into(), Digest::of(b"scenario").to_string())].into();
    metadata.limits = [("steps".into(), 40), ("tokens".into(), 100_000)].into();
    metadata.tags = vec!["example".into()];
    metadata.tools = vec![
        serde_json::from_value(json!({"function": {
            "description": "Reads a file",
            "name": "read_file",
            "parameters": {"properties": {"path": {"type": "string"}}, "required": ["path"], "type": "object"},
        }, "type": "function"}))
        .unwrap(),
    ];
    metadata
}

/// The score of the example: half a point for the tests, gated on the patch applying.
pub(crate) fn score(tests: f64) -> ScoreNode {
    let sum = Rule::WeightedSum(vec![
        Term { weight: number(0.5), of: leaf("fixed tests", tests) },
        Term { weight: number(0.5), of: leaf("kept tests", 1.0) },
    ]);
    let gate = Rule::Gate {
        needs: Box::new(leaf("patch applies", 1.0)),
        at_least: number(1.0),
        then: Box::new(ScoreNode { name: "tests".into(), rule: sum }),
    };
    ScoreNode { name: "reward".into(), rule: gate }
}

/// An episode in which everything happens once.
pub(crate) fn example() -> Trajectory {
    let mut trajectory = Trajectory::new(metadata("example-1"));
    for record in example_records() {
        trajectory.push(record).unwrap();
    }
    trajectory
}

pub(crate) fn example_records() -> Vec<Record> {
    let image =
        Part::Image { media_type: MediaType::Png, source: ImageSource::Data(Base64::new("iVBORw0KGgo=").unwrap()) };
    let thinking = vec![
        Part::Reasoning { text: "First look.".into(), signature: Some("SIG-A".into()) },
        Part::RedactedReasoning { data: "OPAQUE".into() },
        Part::text("I shall read the file."),
    ];
    let usage = Usage { input: 100, output: 30, cache_read: 50, cache_write: 10, reasoning: 20 };
    let read = ToolCall::new(call_id("call-1"), "read_file", "{\"path\": \"src/lib.py\"}");
    let broken = ToolCall::new(call_id("call-2"), "read_file", "{\"path\": ");
    let user = Message::new(id("u1"), Speaker::User, vec![Part::text("It is off by one."), image], Meta::new());
    vec![
        Message::system(id("s1"), "You repair programs.").into(),
        user.unwrap().into(),
        event(0, state("as found")),
        Message::assistant(id("a1"), thinking, vec![read, broken]).unwrap().into(),
        event(900, model_call(Some(usage), Some(1_250), 900)),
        event(905, tool_run("call-1", "read_file", None)),
        Message::tool(id("t1"), call_id("call-1"), "for i in range(n + 1):").into(),
        event(906, tool_run("call-2", "read_file", Some("arguments are not JSON"))),
        Message::tool(id("t2"), call_id("call-2"), "error: arguments are not JSON").into(),
        event(
            907,
            EventKind::World(WorldEvent {
                source: "disk".into(),
                name: "slow_read".into(),
                fault: true,
                detail: json!({"extra_ms": 5}),
            }),
        ),
        event(908, state("as found")),
        Message::assistant(id("a2"), vec![Part::text("```repl\nedit()\n```")], vec![]).unwrap().into(),
        event(1_800, model_call(Some(usage), None, 400)),
        event(
            1_850,
            EventKind::CodeCell(CodeCell {
                call_id: None,
                language: "python".into(),
                source: "edit()".into(),
                stdout: "done\n".into(),
                stderr: String::new(),
                dropped_bytes: 0,
                error: None,
                fuel: 12_345,
                latency: Nanos(50_000_000),
            }),
        ),
        event(1_851, state("repaired")),
        event(
            1_852,
            EventKind::SubAgent(SubAgent { trajectory_id: TrajectoryId::new("example-1.sub").unwrap(), call_id: None }),
        ),
        event(1_853, EventKind::Flag(Flag { name: "test_files_touched".into(), detail: "tests/conftest.py".into() })),
        event(1_854, EventKind::LimitReached(LimitReached { limit: Limit::Steps, allowed: 2, used: 2 })),
        event(1_855, EventKind::Other(OtherEvent::new("of_my_own", &json!({"a": [null, 1.5], "b": 1})).unwrap())),
        Verdict::scored(START + Nanos(2_000_000_000), "tests 1.0", Outcome::Success, "finished", score(1.0))
            .unwrap()
            .into(),
    ]
}

/// The sub-agent's episode.
pub(crate) fn sub_agent() -> Trajectory {
    let mut metadata = metadata("example-1.sub");
    metadata.parent = Some(Parent { trajectory_id: TrajectoryId::new("example-1").unwrap(), call_id: None });
    let mut trajectory = Trajectory::new(metadata);
    trajectory.push(Message::user(id("u1"), "Count the lines.")).unwrap();
    trajectory.push(Message::assistant(id("a1"), vec![Part::text("12")], vec![]).unwrap()).unwrap();
    trajectory
}

/// A file in memory that takes `accepts` bytes at most and then fails for good, a few bytes at a time.
#[derive(Debug, Default)]
pub(crate) struct Disk {
    pub(crate) bytes: Vec<u8>,
    /// How many bytes are known to be durable.
    pub(crate) synced: usize,
    /// Fails after this many bytes.
    pub(crate) accepts: Option<usize>,
    /// Takes at most this many bytes in one call.
    pub(crate) short_writes: Option<usize>,
    pub(crate) sync_fails: bool,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.accepts.map_or(usize::MAX, |accepts| accepts - self.bytes.len());
        let taken = bytes.len().min(room).min(self.short_writes.unwrap_or(usize::MAX));
        if taken == 0 && !bytes.is_empty() {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        self.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Durable for Disk {
    fn sync(&mut self) -> io::Result<()> {
        if self.sync_fails {
            return Err(io::Error::other("the disk does not answer"));
        }
        self.synced = self.bytes.len();
        Ok(())
    }

    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        self.bytes.truncate(usize::try_from(bytes).unwrap());
        Ok(())
    }
}

/// The trajectory as a file, one sync for each record.
pub(crate) fn file_of(trajectory: &Trajectory) -> Vec<u8> {
    let mut writer = Writer::create(Disk::default(), trajectory.metadata()).unwrap();
    for record in trajectory.records() {
        writer.append(std::slice::from_ref(record)).unwrap();
    }
    writer.into_sink().bytes
}
