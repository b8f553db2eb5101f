//! A program as an agent: JSON lines in, JSON lines out. docs/worlds.md has the protocol.
//!
//! A move is one JSON object with at least one of `say` (a text that is not blank), `calls` (at least one call, each an object) and `stop` (true), and
//! with no other key and none twice. A line that is something else is answered by `{"malformed": …}`, [`MALFORMED_MAX`] times in an episode.
//!
//! Invariants: the program gets what every agent sees; once it has started, whatever else it does instead of a move is its own end, which is scored; a
//! program that does not answer is stopped; neither it nor what it started in its process group outlives its episode.

use std::fmt::Display;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assay_trace::{CallId, Message, Part, Role, ToolCall};
use assay_world::words::cut;
use futures::future::BoxFuture;
use rustix::process::{Pid, Signal, kill_process_group};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use super::{Agent, AgentError, Move, Seen};
use crate::unique::Unique;

/// Bytes of one line of a program.
pub const LINE_BYTES_MAX: u64 = 1 << 20;
/// How long a program may think about one move: as long as a slow model behind it.
const MOVE_MAX: Duration = Duration::from_secs(600);
/// Bytes of a program's last words on standard error.
const LAST_WORDS_MAX: usize = 2_000;
/// Lines of an episode that may be no moves; one more ends it.
pub const MALFORMED_MAX: u32 = 3;
/// Bytes of the words with which a line is refused: they may quote it.
const WHY_BYTES_MAX: usize = 500;
/// How long a program that said something wrong has to end by itself, so that its exit status can be told.
const ENDING_MAX: Duration = Duration::from_millis(500);

/// See the module documentation.
pub struct CommandAgent {
    command: String,
    running: Option<Running>,
    calls: u32,
    /// Lines that were no moves.
    malformed: u32,
}

struct Running {
    /// Killed, with its process group, when this is dropped.
    child: Child,
    group: Option<Pid>,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// The end of what it wrote to standard error.
    last_words: Arc<Mutex<Vec<u8>>>,
}

impl Running {
    fn kill_group(&mut self) {
        // Fails where nobody of the group is left.
        if let Some(group) = self.group.take() {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// How the program ended, and what it said last.
    async fn ending(&mut self) -> String {
        let status = tokio::time::timeout(ENDING_MAX, self.child.wait()).await;
        self.kill_group();
        let status = match status {
            Ok(Ok(status)) => status.to_string(),
            _ => "it was still running".to_owned(),
        };
        // What it wrote is read as soon as the runtime comes to it.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let words = self.last_words.lock().map(|words| String::from_utf8_lossy(&words).trim().to_owned());
        match words.unwrap_or_default() {
            words if words.is_empty() => format!("{status}, nothing on standard error"),
            words => format!("{status}, standard error ends in: {words}"),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill_group();
    }
}

/// Reads a program's standard error to its end and keeps the last bytes of it.
async fn listen(mut from: ChildStderr, last_words: Arc<Mutex<Vec<u8>>>) {
    let mut some = [0; 1_024];
    while let Ok(count @ 1..) = from.read(&mut some).await {
        let Ok(mut words) = last_words.lock() else { return };
        words.extend_from_slice(&some[..count]);
        let too_many = words.len().saturating_sub(LAST_WORDS_MAX);
        words.drain(..too_many);
    }
}

/// A move as a program writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    say: Option<String>,
    #[serde(default)]
    calls: Vec<LineCall>,
    #[serde(default)]
    stop: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineCall {
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

/// The word of a command that names its program, where that can be told without a shell: what it sets before is passed over.
fn first_word(command: &str) -> Option<&str> {
    let mut rest = command.trim_start();
    loop {
        let end = rest.find(|c: char| c.is_whitespace() || ";&|<>()".contains(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        if word.is_empty() || behind.starts_with('(') || word.contains(|c: char| "'\"`\\$*?[]{}~#!".contains(c)) {
            return None;
        }
        match word.split_once('=') {
            None => return Some(word),
            // Then it is another place where the program is looked for.
            Some(("PATH", _)) => return None,
            Some(_) => rest = behind.trim_start(),
        }
    }
}

fn is_program(file: &std::fs::Metadata) -> bool {
    file.is_file() && file.permissions().mode() & 0o111 != 0
}

/// Whether the shell itself knows a word that names no program.
fn is_known_to_shell(word: &str) -> bool {
    let asked = std::process::Command::new("sh")
        .args(["-c", "command -v -- \"$1\"", "sh", word])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    asked.is_ok_and(|status| status.success())
}

impl CommandAgent {
    /// A program that is started, by the shell, with the first move.
    #[must_use]
    pub fn new(command: &str) -> Self {
        Self { command: command.to_owned(), running: None, calls: 0, malformed: 0 }
    }

    /// Why a command cannot be started, as far as its first word tells: a path, a name in `PATH`, or a word that the shell knows itself. What the shell
    /// has to read first, as quotes and variables, is left to it.
    ///
    /// # Errors
    /// The program does not exist, or is not an executable file.
    pub fn can_start(command: &str) -> Result<(), String> {
        let Some(word) = first_word(command) else { return Ok(()) };
        if word.contains('/') {
            return match std::fs::metadata(word) {
                Ok(file) if is_program(&file) => Ok(()),
                Ok(_) => Err(format!("the agent's program {word:?} is not an executable file")),
                Err(error) => Err(format!("the agent's program {word:?} cannot be started: {error}")),
            };
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let is_there = |folder: &Path| std::fs::metadata(folder.join(word)).is_ok_and(|file| is_program(&file));
        if std::env::split_paths(&path).any(|folder| is_there(&folder)) || is_known_to_shell(word) {
            return Ok(());
        }
        Err(format!("the agent's program {word:?} is not in PATH"))
    }

    fn start(&self) -> Result<Running, AgentError> {
        let failed = |why: &dyn std::fmt::Display| AgentError::Fatal {
            why: format!("failed to start the agent `{}`: {why}", self.command),
            hint: Some("--agent cmd:… takes a command for the shell".to_owned()),
        };
        let mut child = Command::new("sh")
            .args(["-c", &self.command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| failed(&error))?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let (Some(input), Some(output), Some(errors)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(failed(&"it has no standard input and output"));
        };
        let last_words = Arc::default();
        tokio::spawn(listen(errors, Arc::clone(&last_words)));
        Ok(Running { child, group, input, output: BufReader::new(output), last_words })
    }

    async fn ask(&mut self, seen: &Seen) -> Result<Move, AgentError> {
        let is_first = self.running.is_none();
        let mut line = json!({ "messages": fresh(seen, is_first) });
        if is_first {
            self.running = Some(self.start()?);
            // In a fork, others have called before.
            let calls: usize = seen.messages.iter().map(|message| message.tool_calls().len()).sum();
            self.calls = u32::try_from(calls).unwrap_or(u32::MAX);
            line["tools"] = Value::Array(seen.tools.to_vec());
        }
        let not_running = || AgentError::Passing("the agent's program is not running".to_owned());
        let running = self.running.as_mut().ok_or_else(not_running)?;
        let mut malformed: Vec<String> = Vec::new();
        let line = loop {
            let why = match talk(running, &line).await.map(|answer| read_move(&answer)) {
                Ok(Ok(line)) => break line,
                Ok(Err(why)) if self.malformed < MALFORMED_MAX => {
                    self.malformed += 1;
                    line = json!({ "malformed": { "why": why, "left": MALFORMED_MAX - self.malformed } });
                    malformed.push(why);
                    continue;
                }
                Ok(Err(why)) => format!("its line is not a move: {why}; {MALFORMED_MAX} others were none either"),
                Err(why) => match malformed.last() {
                    Some(before) => format!("{why}, after its line was not a move: {before}"),
                    None => why,
                },
            };
            let ending = running.ending().await;
            return Err(AgentError::Own(format!("the agent's program failed: {why} ({ending})")));
        };
        let mut calls = Vec::new();
        for call in line.calls {
            self.calls += 1;
            let id = CallId::new(format!("call-{}", self.calls));
            let id = id.map_err(|error| AgentError::Passing(error.to_string()))?;
            calls.push(ToolCall::new(id, call.tool, Value::Object(call.arguments).to_string()));
        }
        let parts: Vec<Part> = line.say.into_iter().filter(|say| !say.trim().is_empty()).map(Part::text).collect();
        let stop = line.stop || calls.is_empty() && !seen.has_user;
        Ok(Move { parts, calls, stop, malformed, ..Move::default() })
    }
}

/// The move that a line is, or why it is none.
fn read_move(line: &[u8]) -> Result<Line, String> {
    let why = |why: &dyn Display| cut(&why.to_string(), WHY_BYTES_MAX).to_owned();
    let Unique(value) = serde_json::from_slice(line).map_err(|error| why(&error))?;
    let Value::Object(fields) = &value else { return Err("it is not a JSON object".to_owned()) };
    let mut calls = fields.get("calls").and_then(Value::as_array).into_iter().flatten();
    if !calls.all(Value::is_object) {
        return Err("a call is an object with `tool` and `arguments`".to_owned());
    }
    let line: Line = serde_json::from_value(value).map_err(|error| why(&error))?;
    let says = line.say.as_ref().is_some_and(|say| !say.trim().is_empty());
    if says || line.stop || !line.calls.is_empty() {
        return Ok(line);
    }
    Err("it has none of `say` with a text, `calls` with a call, and `stop` with true".to_owned())
}

/// Sends a line and reads the answer; otherwise why there is none.
async fn talk(running: &mut Running, line: &Value) -> Result<Vec<u8>, String> {
    let Running { input, output, .. } = running;
    let exchange = async {
        // A program that ended without reading may still have answered.
        let sent = async {
            input.write_all(format!("{line}\n").as_bytes()).await?;
            input.flush().await
        };
        let sent = sent.await;
        let mut answer = Vec::new();
        output.take(LINE_BYTES_MAX).read_until(b'\n', &mut answer).await?;
        if answer.is_empty() { sent.map(|()| answer) } else { Ok(answer) }
    };
    let answer = tokio::time::timeout(MOVE_MAX, exchange).await;
    let answer: Result<Vec<u8>, std::io::Error> = answer.map_err(|_| "no answer in ten minutes".to_owned())?;
    let answer = answer.map_err(|error| error.to_string())?;
    if answer.last() != Some(&b'\n') {
        let is_long = answer.len() as u64 >= LINE_BYTES_MAX;
        return Err(if is_long {
            format!("its line has more than {LINE_BYTES_MAX} bytes")
        } else {
            "it ended".to_owned()
        });
    }
    Ok(answer)
}

/// The messages that the program has not seen. What it did itself it knows; what was done before its first move, in a fork, it does not.
fn fresh(seen: &Seen, is_first: bool) -> Vec<Value> {
    let old = seen.messages.len().saturating_sub(seen.fresh);
    let line = |message: &Message| {
        let mut line = json!({ "role": message.role().name(), "text": message.text() });
        if let Some(call) = message.answers() {
            line["call"] = call.as_str().into();
        }
        let call = |call: &ToolCall| json!({ "id": call.id(), "tool": call.tool(), "arguments": call.arguments() });
        if !message.tool_calls().is_empty() {
            line["calls"] = message.tool_calls().iter().map(call).collect();
        }
        line
    };
    let new = seen.messages[old..].iter();
    new.filter(|message| is_first || message.role() != Role::Assistant).map(|message| line(message)).collect()
}

impl Agent for CommandAgent {
    fn next<'a>(&'a mut self, seen: &'a Seen) -> BoxFuture<'a, Result<Move, AgentError>> {
        Box::pin(self.ask(seen))
    }
}
