//! One container: created with its limits, and removed however its job ends.
//!
//! Invariant: from before the engine is asked to create a container until the engine says that it is gone, a [`Container`] or a task of
//! [`Removals`] knows its name.

use crate::error::{failed, status, words};
use assay_rollout::owner::Owner;
use assay_rollout::ports::{BenchError, BenchLimits};
use bollard::Docker;
use bollard::container::AttachContainerResults;
use bollard::errors::Error;
use bollard::models::{ContainerCreateBody, HealthConfig, HostConfig, HostConfigLogConfig, ResourcesUlimits};
use bollard::query_parameters::{
    AttachContainerOptionsBuilder, CreateContainerOptionsBuilder, RemoveContainerOptionsBuilder,
};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::runtime::Handle;
use tokio::task::JoinSet;

/// Whose container it is, as [`Owner`] writes itself.
pub(crate) const LABEL_OWNER: &str = "dev.assay.owner";
/// When nobody can need it any more, in seconds since 1970.
pub(crate) const LABEL_DEADLINE: &str = "dev.assay.deadline";
/// The job.
const LABEL_JOB: &str = "dev.assay.job";
/// Processes of ours beside the job's: the first one, the two that wait for the time to be up, the one that hands the script over, and one to spare.
const OWN_PROCESSES: i64 = 5;
/// Bytes of one file that a job writes, so that one call cannot fill a disk.
const FILE_BYTES_MAX: i64 = 1 << 32;
/// The longest pause between two tries to remove a container; they begin with a tenth of a second and double.
const REMOVE_PAUSE_MAX: Duration = Duration::from_secs(5);
/// Capabilities that act on the container's own files only: test suites write where others own, and `root` without these is weaker than any user.
/// `SETPCAP` is process 1's own: it gives it up for the script, which therefore cannot trace it. `SETGID` and `SETUID` go with it, but for a job with users.
const CAPABILITIES: &[&str] = &["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETPCAP", "SETUID"];
const PROLOGUE: &str = include_str!("prologue.sh");

/// Bytes of a `JUnit` report: a suite of 100,000 tests writes about 15 MB.
pub(crate) const JUNIT_BYTES_MAX: usize = 1 << 25;

/// A container, or a name that may become one. Dropping it removes it.
pub(crate) struct Container {
    pub(crate) name: String,
    pub(crate) docker: Docker,
    removals: Arc<Removals>,
    /// Whether the engine said that it is there: if not, it may still come.
    created: bool,
}

impl Drop for Container {
    fn drop(&mut self) {
        self.removals.begin(self.docker.clone(), std::mem::take(&mut self.name), self.created);
    }
}

impl Container {
    /// Asks the engine for a container that does nothing yet.
    pub(crate) async fn create(
        docker: &Docker,
        removals: &Arc<Removals>,
        job: &str,
        lifetime: Duration,
        mut body: ContainerCreateBody,
    ) -> Result<Self, BenchError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let owner = Owner::current();
        let name = format!("assay-{owner}-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let deadline = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default() + lifetime;
        body.labels = Some(HashMap::from([
            (LABEL_OWNER.to_owned(), owner.to_string()),
            (LABEL_DEADLINE.to_owned(), deadline.as_secs().to_string()),
            (LABEL_JOB.to_owned(), job.to_owned()),
        ]));
        let mut container =
            Self { name: name.clone(), docker: docker.clone(), removals: removals.clone(), created: false };
        let options = CreateContainerOptionsBuilder::new().name(&name).build();
        match docker.create_container(Some(options), body).await {
            Ok(_) => {
                container.created = true;
                Ok(container)
            }
            Err(error) => {
                // An answer is certain, and so is a connection that never was: then there is nothing to remove.
                let certain = status(&error).is_some_and(|status| status < 500);
                let failure = failed("create a container")(error);
                if certain || matches!(failure, BenchError::NoEngine { .. }) {
                    container.forget();
                }
                Err(failure)
            }
        }
    }

    /// What is written to and what comes out. To be called before [`start`](Self::start), so that nothing is missed.
    pub(crate) async fn attach(&self) -> Result<AttachContainerResults, BenchError> {
        let options = AttachContainerOptionsBuilder::new().stdin(true).stdout(true).stderr(true).stream(true).build();
        self.docker.attach_container(&self.name, Some(options)).await.map_err(failed("attach to a container"))
    }

    /// Starts it.
    pub(crate) async fn start(&self) -> Result<(), BenchError> {
        self.docker.start_container(&self.name, None).await.map_err(|error| match status(&error) {
            // The engine's words for an image that has no such program.
            Some(400) if words(&error).contains("bash") => {
                BenchError::Invalid { why: format!("the image has no bash: {}", words(&error)) }
            }
            _ => failed("start a container")(error),
        })
    }

    /// There is nothing to remove.
    fn forget(mut self) {
        self.name.clear();
    }
}

/// A container that runs a job's script.
pub(crate) fn body(image_id: &str, limits: &BenchLimits, processors: u32) -> ContainerCreateBody {
    let strings = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
    // Checked with the job: it fits.
    let memory = i64::try_from(limits.memory_bytes).ok();
    let ulimit = |name: &str, most| ResourcesUlimits { name: Some(name.into()), soft: Some(most), hard: Some(most) };
    ContainerCreateBody {
        image: Some(image_id.to_owned()),
        hostname: Some("bench".into()),
        entrypoint: Some(vec!["bash".into(), "-c".into(), PROLOGUE.into(), "assay".into()]),
        cmd: Some(vec![JUNIT_BYTES_MAX.to_string()]),
        attach_stdin: Some(true),
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        open_stdin: Some(true),
        stdin_once: Some(true),
        tty: Some(false),
        healthcheck: Some(HealthConfig { test: strings(&["NONE"]), ..HealthConfig::default() }),
        host_config: Some(HostConfig {
            network_mode: Some("none".into()),
            memory,
            memory_swap: memory,
            // Engines refuse more processors than there are.
            nano_cpus: Some(i64::from(limits.millicpus.min(processors.saturating_mul(1000))) * 1_000_000),
            pids_limit: Some(i64::from(limits.pids) + OWN_PROCESSES),
            cap_drop: strings(&["ALL"]),
            cap_add: strings(CAPABILITIES),
            security_opt: strings(&["no-new-privileges"]),
            ulimits: Some(vec![ulimit("core", 0), ulimit("fsize", FILE_BYTES_MAX)]),
            // The output is streamed to us; the daemon keeps none.
            log_config: Some(HostConfigLogConfig { typ: Some("none".into()), config: None }),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    }
}

/// Removals that are under way.
pub(crate) struct Removals {
    runtime: Handle,
    /// How long a removal is tried.
    time: Duration,
    tasks: Mutex<JoinSet<()>>,
}

impl Removals {
    pub(crate) fn new(time: Duration) -> Self {
        Self { runtime: Handle::current(), time, tasks: Mutex::default() }
    }

    fn begin(&self, docker: Docker, name: String, created: bool) {
        if name.is_empty() {
            return;
        }
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn_on(remove(docker, name, created, self.time), &self.runtime);
    }

    /// Waits for all of them.
    pub(crate) async fn finish(&self) {
        loop {
            let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
            if tasks.is_empty() {
                return;
            }
            while tasks.join_next().await.is_some() {}
        }
    }
}

/// Removes a container, running or not, with its volumes. One that cannot be removed in this time is left to the reaper.
async fn remove(docker: Docker, name: String, created: bool, time: Duration) {
    let (begun, mut pause) = (Instant::now(), Duration::from_millis(100));
    loop {
        match remove_once(&docker, &name).await {
            Ok(()) => return,
            Err(error) if created && status(&error) == Some(404) => return,
            Err(_) if begun.elapsed() + pause > time => return,
            Err(_) => {}
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(REMOVE_PAUSE_MAX);
    }
}

pub(crate) async fn remove_once(docker: &Docker, name: &str) -> Result<(), Error> {
    let options = RemoveContainerOptionsBuilder::new().force(true).v(true).build();
    docker.remove_container(name, Some(options)).await
}
