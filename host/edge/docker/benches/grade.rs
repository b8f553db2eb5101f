//! What grading costs beyond the test command: a container from its creation to the result, over the command's own time.
//!
//! `grade-overhead-ms`: a job with a patch of five files and a `JUnit` report, from the call to the result, minus the time that the same command took in
//! it by its own clock; at most 300 ms. Beside it, `docker run --rm` with the same image and limits over the same command, without patch or report.
//! Without `--json` it also shows the same for the first job of its kind, which has no container started ahead.
//!
//! `cargo bench -p assay-docker --bench grade [-- --json]`. It needs a Docker engine with the image of the tests (`make setup-docker`); where
//! there is none it says so and gives no figure.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the result of a bench")]

use assay_docker::{BenchSettings, DockerBench, EngineUrl};
use assay_grade::rule::Ended;
use assay_rollout::ports::{BenchLimits, Job, Overlay, OverlayFile, TestBench as _};
use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Ours and the peer are timed in turn, so that a busy spell of the machine hits them alike.
const ROUNDS: usize = 15;
/// The third job of a kind is the first that finds a container started ahead.
const WARM_UP: usize = 3;
/// The command says how long it took, so that the rest is what we cost.
const SCRIPT: &str = "start=$EPOCHREALTIME
python3 -m pytest -q -p no:cacheprovider --junitxml=/tmp/report.xml test_it.py
code=$?
end=$EPOCHREALTIME
echo \"microseconds ${start/./} ${end/./}\"
exit $code";
const TEST: &str = "def test_a():\n    assert 1 + 1 == 2\n";
const LIMITS: BenchLimits = BenchLimits {
    seconds: 60,
    memory_bytes: 512 << 20,
    millicpus: 2000,
    pids: 64,
    log_bytes: 1 << 20,
    artifact_bytes: 1 << 24,
};

fn main() -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(measure(std::env::args().any(|argument| argument == "--json")))
}

async fn measure(json: bool) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let url: EngineUrl = match std::env::var("DOCKER_HOST") {
        Ok(url) => url.parse()?,
        Err(_) => EngineUrl::default(),
    };
    let mut settings = BenchSettings::new(url, folder.path().join("artifacts"), folder.path().join("cache"));
    settings.pull = false;
    let image = image()?;
    let bench = DockerBench::new(settings)?;
    if let Err(error) = bench.prepare(&image).await {
        eprintln!("grade-overhead-ms is not measured: {error} (run `make setup-docker`)");
        return Ok(());
    }
    let (mut ours, mut cold, mut peer, mut command) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    // The first rounds warm both up.
    for round in 0..ROUNDS + WARM_UP {
        let mine = graded(&bench, &image, LIMITS).await?;
        // Limits that no job had before fit no container that was started ahead.
        let first = BenchLimits { seconds: LIMITS.seconds + 1 + u32::try_from(round)?, ..LIMITS };
        let unprepared = graded(&bench, &image, first).await?;
        let theirs = docker_run(&image)?;
        if round >= WARM_UP {
            ours.push(mine.0 - mine.1);
            cold.push(unprepared.0 - unprepared.1);
            peer.push(theirs.0 - theirs.1);
            command.push(mine.1);
        }
    }
    bench.close().await;
    let (median, versus_median) = (median_of(ours), median_of(peer));
    let ratio = median / versus_median;
    if json {
        println!(
            r#"{{"id":"grade-overhead-ms","median":{median:.3},"unit":"ms","versus":"docker run --rm, without patch and report","versus_median":{versus_median:.3},"ratio":{ratio:.4}}}"#
        );
    } else {
        println!("grade-overhead-ms  {median:9.3} ms   docker run --rm {versus_median:9.3}   ratio {ratio:.4}");
        println!("  no container started ahead {:9.3} ms", median_of(cold));
        println!("  the command itself         {:9.3} ms", median_of(command));
    }
    Ok(())
}

fn median_of(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn image() -> Outcome<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/bugs/image/build");
    Ok(String::from_utf8(Command::new(script).arg("--name").output()?.stdout)?.trim().to_owned())
}

/// Milliseconds in all, and of the command.
async fn graded(bench: &DockerBench, image: &str, limits: BenchLimits) -> Outcome<(f64, f64)> {
    let regular = |bytes: &str| OverlayFile::Regular { bytes: bytes.into(), executable: false };
    let mut files = vec![(b"test_it.py".to_vec(), regular(TEST))];
    files.extend((0..4).map(|number| (format!("package/part_{number}.py").into_bytes(), regular("value = 1\n"))));
    let job = Job {
        image: image.to_owned(),
        folder: "/opt".into(),
        overlay: Overlay { files, removed: vec![b"old.py".to_vec()] },
        script: SCRIPT.into(),
        junit: Some("/tmp/report.xml".into()),
        users: false,
        limits,
        label: "bench".into(),
    };
    let start = Instant::now();
    let run = bench.run(job).await?;
    let all = start.elapsed().as_secs_f64() * 1e3;
    if run.ended != Ended::Exited(0) || run.junit.is_none() {
        return Err(format!("the job went wrong: {:?}: {}", run.ended, String::from_utf8_lossy(&run.log)).into());
    }
    Ok((all, command_milliseconds(&run.log)?))
}

fn docker_run(image: &str) -> Outcome<(f64, f64)> {
    let script = format!("cd /opt && printf '%s' '{TEST}' > test_it.py\n{SCRIPT}");
    let start = Instant::now();
    let output = Command::new("docker")
        .args(["run", "--rm", "--network", "none", "--memory", "512m", "--cpus", "2", "--pids-limit", "64"])
        .args(["--cap-drop", "ALL", "--security-opt", "no-new-privileges", image, "bash", "-c", &script])
        .output()?;
    let all = start.elapsed().as_secs_f64() * 1e3;
    if !output.status.success() {
        return Err(format!("docker run failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok((all, command_milliseconds(&output.stdout)?))
}

fn command_milliseconds(log: &[u8]) -> Outcome<f64> {
    let text = String::from_utf8_lossy(log);
    let line =
        text.lines().find_map(|line| line.strip_prefix("microseconds ")).ok_or("the command's time is missing")?;
    let (start, end) = line.split_once(' ').ok_or("the command's time is cut")?;
    Ok((end.parse::<f64>()? - start.parse::<f64>()?) / 1e3)
}
