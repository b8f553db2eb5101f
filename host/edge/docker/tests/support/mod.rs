//! What the tests of the bench share: a bench on the real engine, jobs, and a look at what containers are left.

#![expect(dead_code, reason = "each test binary uses its part")]

pub(crate) mod fake;

use assay_docker::{BenchSettings, DockerBench, EngineUrl};
use assay_rollout::ports::{BenchError, BenchLimits, Job, Overlay, OverlayFile, TestBench as _, TestRun};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The engine that the tests use: `DOCKER_HOST`, or the local socket.
pub(crate) fn engine_url() -> EngineUrl {
    std::env::var("DOCKER_HOST")
        .map_or_else(|_| EngineUrl::default(), |url| url.parse().expect("DOCKER_HOST names an engine"))
}

/// The image of the tests, by the word of the script that makes it.
pub(crate) fn image() -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/bugs/image/build");
    let output = Command::new(script).arg("--name").output().expect("the script runs");
    String::from_utf8(output.stdout).expect("a name").trim().to_owned()
}

/// A bench of its own folder.
pub(crate) struct Bench {
    pub(crate) bench: DockerBench,
    pub(crate) folder: TempDir,
}

/// Settings in this folder.
pub(crate) fn settings(url: EngineUrl, folder: &Path) -> BenchSettings {
    BenchSettings::new(url, folder.join("artifacts"), folder.join("cache"))
}

/// A bench on the real engine. A test that cannot have one fails: it has not shown what it should.
pub(crate) async fn require_engine() -> Bench {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut settings = settings(engine_url(), folder.path());
    settings.pull = false;
    let bench = DockerBench::new(settings).expect("a bench");
    for ready in [bench.check().await, bench.prepare(&image()).await] {
        ready.unwrap_or_else(|error| {
            panic!("{error}; this test needs a Docker engine and the image of the tests: run `make setup-docker`")
        });
    }
    Bench { bench, folder }
}

/// Enough for a small command, and no more than a test should take.
pub(crate) const LIMITS: BenchLimits = BenchLimits {
    seconds: 60,
    memory_bytes: 256 << 20,
    millicpus: 1000,
    pids: 64,
    log_bytes: 1 << 16,
    artifact_bytes: 1 << 20,
};

/// A job that runs this script in `/opt`.
pub(crate) fn job(script: &str) -> Job {
    Job {
        image: image(),
        folder: "/opt".into(),
        overlay: Overlay::default(),
        script: script.into(),
        junit: None,
        users: false,
        limits: LIMITS,
        label: "test".into(),
    }
}

pub(crate) fn file(path: &str, bytes: &str) -> (Vec<u8>, OverlayFile) {
    (path.into(), OverlayFile::Regular { bytes: bytes.into(), executable: false })
}

pub(crate) fn link(path: &str, target: &str) -> (Vec<u8>, OverlayFile) {
    (path.into(), OverlayFile::Symlink { target: target.into() })
}

impl Bench {
    pub(crate) async fn try_run(&self, job: Job) -> Result<TestRun, BenchError> {
        self.bench.run(job).await
    }

    pub(crate) async fn run(&self, job: Job) -> TestRun {
        self.try_run(job).await.expect("the job runs")
    }

    /// Waits for the removals and sees that nothing of this process is left, on the engine or on disk.
    pub(crate) async fn close(self) {
        let unfinished: PathBuf = self.folder.path().join("artifacts/unfinished");
        self.bench.close().await;
        let left = std::fs::read_dir(unfinished).expect("it is there").count();
        assert_eq!(left, 0, "unfinished artifacts are left");
    }
}

pub(crate) fn text(run: &TestRun) -> String {
    String::from_utf8_lossy(&run.log).into_owned()
}

/// The names of the containers with this label, running or not.
pub(crate) fn containers(label: &str) -> Vec<String> {
    let output = Command::new("docker")
        .args(["ps", "--all", "--format", "{{.Names}}", "--filter", &format!("label=dev.assay.job={label}")])
        .output()
        .expect("the docker client runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("names").lines().map(str::to_owned).collect()
}
