//! One job, from the image to the result.
//!
//! Invariant: an error means that the script did not run, or that this machine's disk failed; once it ran, what happened is data, even if
//! its end was lost.

use crate::Shared;
use crate::container::{Container, JUNIT_BYTES_MAX};
use crate::error::words;
use crate::output::Output;
use crate::payload::payload;
use crate::spares::{self, Shape, Started};
use assay_grade::rule::Ended;
use assay_rollout::ports::{BenchError, Job, TestRun};
use bollard::container::{AttachContainerResults, LogOutput};
use bollard::query_parameters::InspectContainerOptionsBuilder;
use futures::StreamExt as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::time::{Instant, timeout};

/// How much later than we the container gives up by itself: only if we are gone.
const BACKSTOP: Duration = Duration::from_mins(1);
/// Bytes that a job may write to the container's disk; the engine has no such limit of its own that works on every storage driver.
const DISK_BYTES_MAX: i64 = 1 << 33;
/// What `prologue.sh` says, and its exit codes.
const READY: &[u8] = b"ready\n";
const OPEN: &[u8] = b"open\n";
const JUNIT: &[u8] = b"junit\n";
const END: &[u8] = b"end\n";
const NO_FOLDER: i64 = 124;
/// Bytes of its standard error: the report, and a few words.
const CONTROL_BYTES_MAX: usize = JUNIT_BYTES_MAX + 4096;

pub(crate) async fn run(shared: &Arc<Shared>, job: Job) -> Result<TestRun, BenchError> {
    let lifetime = shared.settings.patience.prepare + Duration::from_secs(job.limits.seconds.into()) + BACKSTOP;
    let payload = payload(&job, lifetime.as_secs())?;
    shared.breaker.admit(std::time::Instant::now())?;
    // Before it waits for its turn: a pull takes minutes.
    shared.images.get(&job.image).await?;
    let _turn = shared.grading.acquire().await;
    // Others may have needed the room meanwhile.
    let image = shared.images.get(&job.image).await?;
    // It may have opened while this job waited.
    shared.breaker.admit(std::time::Instant::now())?;
    let result = run_in(shared, &job, &image, &payload, lifetime).await;
    if let Err(BenchError::Failed { why }) = &result
        && why.contains("No such image")
    {
        shared.images.forget(&job.image);
    }
    let failure = match &result {
        Err(BenchError::NoEngine { why } | BenchError::Failed { why }) | Ok((_, Some(why))) => Some(why.clone()),
        _ => None,
    };
    shared.breaker.record(failure, std::time::Instant::now());
    result.map(|(run, _)| run)
}

/// Why the output stopped.
enum Stop {
    /// All of it came.
    Closed,
    /// The time is up.
    Deadline,
    /// The guest took more than it may; the text says of what.
    Excess(String),
    /// The connection failed.
    Broken(String),
}

/// A running container and what has come out of it.
struct Running<'s> {
    shared: &'s Shared,
    container: Container,
    output: Output,
    control: Vec<u8>,
    /// When the script began, once it has.
    ready: Option<Instant>,
    /// Whether the script can reach the container's first process.
    open: bool,
}

/// The result, and why the engine is to blame for it if it is.
type Judged = (TestRun, Option<String>);

async fn run_in(
    shared: &Arc<Shared>,
    job: &Job,
    image: &str,
    payload: &[u8],
    lifetime: Duration,
) -> Result<Judged, BenchError> {
    let shape = Shape::of(job, image);
    let next = || spares::prepare_next(shared, shape.clone(), job.label.clone(), lifetime);
    if let Some(started) = shared.spares.take(&shape) {
        next();
        match run_started(shared, job, started, payload).await {
            // A spare may have died while it waited; nothing has run in it.
            Err(BenchError::Failed { .. }) => {}
            done => return done,
        }
    }
    let started = spares::start(shared, &shape, &job.label, lifetime).await?;
    next();
    run_started(shared, job, started, payload).await
}

async fn run_started(shared: &Arc<Shared>, job: &Job, started: Started, payload: &[u8]) -> Result<Judged, BenchError> {
    let disk = |error: std::io::Error| BenchError::Failed { why: format!("failed to keep the output: {error}") };
    let limits = &job.limits;
    let output = Output::new(&shared.settings.unfinished(), limits.log_bytes, limits.artifact_bytes).map_err(disk)?;
    let Started { container, stream } = started;
    let mut running = Running { shared, container, output, control: Vec::new(), ready: None, open: false };
    let stop = running.follow(stream, payload, Duration::from_secs(limits.seconds.into())).await.map_err(disk)?;
    let closed = matches!(stop, Stop::Closed);
    let seen = running.end(stop).await;
    let Some(ready) = running.ready else { return Err(running.unprepared(seen)) };
    let nanoseconds = u64::try_from(ready.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let Running { output, control, open, .. } = running;
    let (log, dropped_bytes, artifact) = output.finish(&shared.settings.artifacts, &job.label).map_err(disk)?;
    let blame = match &seen {
        Seen::Lost(why) => Some(why.clone()),
        Seen::Excess(_) | Seen::TimedOut | Seen::Exited { .. } => None,
    };
    let junit = (closed && job.junit.is_some()).then(|| report(&control)).flatten();
    let ended = seen.into_ended();
    let run = TestRun { log, dropped_bytes, artifact: Some(artifact), ended, junit, nanoseconds, is_open: open };
    Ok((run, blame))
}

/// What the engine says of the end.
enum Seen {
    Exited { code: i64, out_of_memory: bool },
    TimedOut,
    Excess(String),
    Lost(String),
}

impl Seen {
    fn into_ended(self) -> Ended {
        match self {
            // A command that coped with the loss of a child has ended by itself.
            Self::Exited { code, out_of_memory: true } if code != 0 => Ended::OutOfMemory,
            Self::Exited { code, .. } => {
                i32::try_from(code).map_or_else(|_| Ended::Lost(format!("exit code {code}")), Ended::Exited)
            }
            Self::TimedOut => Ended::TimedOut,
            Self::Excess(why) => Ended::Excess(why),
            Self::Lost(why) => Ended::Lost(why),
        }
    }
}

impl Running<'_> {
    /// Sends what goes in and takes what comes out, until one of the ends.
    async fn follow(
        &mut self,
        stream: AttachContainerResults,
        payload: &[u8],
        time: Duration,
    ) -> std::io::Result<Stop> {
        let AttachContainerResults { mut output, mut input } = stream;
        // A container that ended early does not read on: what it says then matters, not that we could not write.
        let mut send = std::pin::pin!(async {
            if input.write_all(payload).await.is_ok() {
                let _ = input.shutdown().await;
            }
        });
        let mut sent = false;
        let mut deadline = Instant::now() + self.shared.settings.patience.prepare;
        let mut written = std::pin::pin!(written_too_much(&self.container, self.shared.settings.patience.look));
        loop {
            tokio::select! {
                () = tokio::time::sleep_until(deadline) => return Ok(Stop::Deadline),
                () = &mut send, if !sent => sent = true,
                stop = &mut written => return Ok(stop),
                piece = output.next() => match piece {
                    None => return Ok(Stop::Closed),
                    Some(Err(error)) => return Ok(Stop::Broken(words(&error))),
                    Some(Ok(LogOutput::StdErr { message })) => {
                        self.control.extend_from_slice(&message);
                        if self.control.len() > CONTROL_BYTES_MAX {
                            return Ok(Stop::Excess("the job wrote too much besides its output and its report".into()));
                        }
                        if self.ready.is_none()
                            && let Some(end) = end_of_ready(&self.control)
                        {
                            let said: Vec<u8> = self.control.drain(..end).collect();
                            self.open = said.windows(OPEN.len()).any(|words| words == OPEN);
                            self.ready = Some(Instant::now());
                            deadline = Instant::now() + time;
                        }
                    }
                    // What is not in a whole frame is the rest of one.
                    Some(Ok(LogOutput::Console { .. })) => return Ok(Stop::Broken("it was cut".into())),
                    Some(Ok(other)) => {
                        if !self.output.take(&other.into_bytes())? {
                            return Ok(Stop::Excess("the job's output is beyond its limit".into()));
                        }
                    }
                },
            }
        }
    }

    /// Asks the engine how it ended, or ends it.
    async fn end(&self, stop: Stop) -> Seen {
        match stop {
            Stop::Closed => {}
            // The container is removed, which kills it, when it is dropped.
            Stop::Deadline => return Seen::TimedOut,
            Stop::Excess(why) => return Seen::Excess(why),
            Stop::Broken(why) => return Seen::Lost(format!("the connection to the engine failed: {why}")),
        }
        let (docker, name) = (&self.container.docker, &self.container.name);
        let waited = async {
            match docker.wait_container(name, None).next().await {
                // A code other than 0 comes as an error; either way it has ended.
                Some(Ok(_) | Err(bollard::errors::Error::DockerContainerWaitError { .. })) => Ok(()),
                Some(Err(error)) => Err(words(&error)),
                None => Err("the answer was empty".to_owned()),
            }?;
            docker.inspect_container(name, None).await.map_err(|error| words(&error))
        };
        let state = match timeout(self.shared.settings.patience.end, waited).await {
            Ok(Ok(found)) => found.state,
            Ok(Err(why)) => return Seen::Lost(format!("the engine did not report how the command ended: {why}")),
            Err(_) => return Seen::Lost("the output ended, but the container did not".into()),
        };
        match state {
            Some(state) if state.running != Some(true) => match state.exit_code {
                // Without its last word some of the output may be lost, and what is left of it would read as tests that did not run.
                Some(_) if state.oom_killed != Some(true) && self.ready.is_some() && !self.control.ends_with(END) => {
                    Seen::Lost("the end of the output is missing".into())
                }
                Some(code) => Seen::Exited { code, out_of_memory: state.oom_killed == Some(true) },
                None => Seen::Lost("the engine did not report how the command ended".into()),
            },
            _ => Seen::Lost("the output ended, but the container did not".into()),
        }
    }

    /// Why the script did not run.
    fn unprepared(&self, seen: Seen) -> BenchError {
        let said = String::from_utf8_lossy(&self.control).trim().to_owned();
        match seen {
            Seen::Exited { code: NO_FOLDER, .. } => {
                BenchError::Invalid { why: format!("the image lacks the job's folder: {said}") }
            }
            Seen::Exited { code, out_of_memory } => {
                let memory = if out_of_memory { ", out of memory" } else { "" };
                BenchError::Failed { why: format!("the container could not be prepared (code {code}{memory}): {said}") }
            }
            Seen::TimedOut => BenchError::Failed { why: "the container was not ready in time".into() },
            Seen::Excess(why) | Seen::Lost(why) => BenchError::Failed { why },
        }
    }
}

/// Ends when the container has written too much to its disk. It runs beside what reads the output: the daemon counts files, which can take longer
/// than the time between two looks.
async fn written_too_much(container: &Container, pause: Duration) -> Stop {
    loop {
        tokio::time::sleep(pause).await;
        let options = InspectContainerOptionsBuilder::new().size(true).build();
        let found = container.docker.inspect_container(&container.name, Some(options)).await;
        if found.ok().and_then(|found| found.size_rw).is_some_and(|bytes| bytes > DISK_BYTES_MAX) {
            return Stop::Excess(format!("the job wrote more than {DISK_BYTES_MAX} bytes to its disk"));
        }
    }
}

/// Where the line "ready" ends: warnings may precede it, and a short job's last words may come in the same piece.
fn end_of_ready(control: &[u8]) -> Option<usize> {
    let begins_line = |at: usize| at == 0 || control[at - 1] == b'\n';
    let found = |at: &usize| control[*at..].starts_with(READY) && begins_line(*at);
    (0..control.len()).find(found).map(|at| at + READY.len())
}

/// The report in what came beside the output. It is the guest's word, like the log.
fn report(control: &[u8]) -> Option<String> {
    let report = control.strip_prefix(JUNIT)?.strip_suffix(END)?;
    // One byte short of the limit was whole for certain.
    (report.len() < JUNIT_BYTES_MAX).then(|| String::from_utf8_lossy(report).into_owned())
}
