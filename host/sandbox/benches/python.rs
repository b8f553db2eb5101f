//! What the Python engine costs: starting a session and running an empty cell, beside a Python process, and a container if there is an
//! engine and an image, in the same run. Beside that, what a session holds in memory.
//!
//! `--json` prints one line for each measure instead of the table.

#[path = "../tests/python/support.rs"]
#[expect(dead_code, reason = "the tests use the rest")]
mod support;

use assay_sandbox::python::PythonSession;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Instant;
use support::{Echo, block_on, config, engine, tree};

/// Samples of each side; the median of an odd number is one of them.
const SAMPLES: usize = 101;
/// Samples of a process or a container, which take far longer.
const PROCESS_SAMPLES: usize = 11;
/// Cells in a sample.
const CELLS: usize = 100;
/// Sessions that exist at once when memory is measured.
const SESSIONS: u32 = 1000;

fn main() -> std::io::Result<()> {
    let json = std::env::args().any(|argument| argument == "--json");
    let mut out = std::io::stdout().lock();
    let process = median(PROCESS_SAMPLES, || micros(|| succeeds(Command::new("python3").args(["-c", "pass"]))));
    let container = container();
    let start = median(SAMPLES, start);
    let cell = cell();
    let mut measures = vec![
        ("python-start-ms", start / 1e3, "ms", "python3 -c pass", process / 1e3),
        ("python-cell-us", cell, "us", "python3 -c pass", process),
    ];
    match container {
        Some(container) => {
            measures.push(("python-start-container-ms", start / 1e3, "ms", "container start", container / 1e3));
        }
        None => writeln!(std::io::stderr(), "no container start: docker is absent, or has no image")?,
    }
    for (id, median, unit, versus, versus_median) in measures {
        let ratio = median / versus_median;
        if json {
            let line = serde_json::json!({
                "id": id, "median": median, "unit": unit, "versus": versus, "versus_median": versus_median, "ratio": ratio
            });
            writeln!(out, "{line}")?;
        } else {
            writeln!(out, "{id:26} {median:9.3} {unit}   {versus_median:9.2} {unit} {versus} ({ratio:.5})")?;
        }
    }
    let (fresh, used) = memory();
    writeln!(
        std::io::stderr(),
        "resident memory of a session: {fresh:.2} MiB fresh, {used:.2} MiB after a cell ({SESSIONS} at once)"
    )
}

fn median(samples: usize, sample: impl FnMut() -> f64) -> f64 {
    let mut samples: Vec<f64> = std::iter::repeat_with(sample).take(samples).collect();
    samples.sort_unstable_by(f64::total_cmp);
    samples[samples.len() / 2]
}

fn micros(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_nanos() as f64 / 1e3
}

fn succeeds(command: &mut Command) {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    assert!(status.is_ok_and(|status| status.success()), "the peer runs");
}

/// A session from nothing to ready; dropping it is not timed.
fn start() -> f64 {
    let repository = tree(&[("a.py", "A = 1\n")]);
    block_on(async {
        let started = Instant::now();
        let mut session = engine().start(config(repository, 1)).await.expect("a session");
        let elapsed = started.elapsed().as_nanos() as f64 / 1e3;
        run(&mut session, "x = 1").await;
        elapsed
    })
}

/// One empty cell of many in a session.
fn cell() -> f64 {
    block_on(async {
        let mut session = engine().start(config(tree(&[]), 1)).await.expect("a session");
        let mut samples = Vec::new();
        for _ in 0..SAMPLES {
            let started = Instant::now();
            for _ in 0..CELLS {
                run(&mut session, "").await;
            }
            samples.push(started.elapsed().as_nanos() as f64 / 1e3 / CELLS as f64);
        }
        samples.sort_unstable_by(f64::total_cmp);
        samples[SAMPLES / 2]
    })
}

async fn run(session: &mut PythonSession, code: &str) {
    let outcome = session.run(code, &Echo::default()).await.expect("no trouble with the machine");
    assert_eq!(outcome.error, None);
}

/// Microseconds of `docker run` with the first image that the engine has.
fn container() -> Option<f64> {
    let images = Command::new("docker").args(["image", "ls", "--quiet"]).output().ok()?;
    let image = String::from_utf8(images.stdout).ok()?.lines().next()?.to_owned();
    let run = || {
        let mut command = Command::new("docker");
        command.args(["run", "--rm", "--network", "none", "--entrypoint", "true", &image]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    run().then(|| median(PROCESS_SAMPLES, || micros(|| assert!(run(), "the container runs"))))
}

/// MiB of resident memory of one session of many, fresh and after a cell.
fn memory() -> (f64, f64) {
    // What is mapped from the frozen interpreter and only read is one copy for all, so only anonymous memory counts.
    let resident = || {
        let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let kib = text.lines().find_map(|line| line.strip_prefix("RssAnon:")?.trim().strip_suffix(" kB")?.parse().ok());
        kib.unwrap_or(0.0_f64) / 1024.0
    };
    let engine = support::open(SESSIONS);
    block_on(async {
        let before = resident();
        let mut sessions = Vec::new();
        for seed in 0..u64::from(SESSIONS) {
            sessions.push(engine.start(config(tree(&[]), seed)).await.expect("a session"));
        }
        let fresh = resident();
        for session in &mut sessions {
            run(session, "import json\nx = json.loads(json.dumps([{'a': i} for i in range(100)]))").await;
        }
        ((fresh - before) / f64::from(SESSIONS), (resident() - before) / f64::from(SESSIONS))
    })
}
