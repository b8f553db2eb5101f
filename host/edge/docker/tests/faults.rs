//! An engine that fails: each failure has its own word, none is a result, and no container stays.

mod support;

use assay_docker::{BenchSettings, DockerBench, EngineUrl, Health, Patience, Progress};
use assay_grade::rule::Ended;
use assay_rollout::ports::{BenchError, Job, TestBench as _, TestRun};
use assay_rollout::task::ImageSource;
use futures::FutureExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::fake::{Fake, Fault};

const PATIENCE: Patience = Patience {
    answer_seconds: 1,
    prepare: Duration::from_millis(300),
    end: Duration::from_millis(300),
    look: Duration::from_millis(10),
    late: Duration::from_secs(3),
    pull: Duration::from_millis(1),
};

fn settings(url: EngineUrl, folder: &Path) -> BenchSettings {
    let mut settings = support::settings(url, folder);
    settings.patience = PATIENCE;
    settings
}

fn job() -> Job {
    Job { image: "some/image:1".into(), ..support::job("true") }
}

/// Runs one job on an engine with this fault; nothing may be left.
async fn run(fault: Fault) -> Result<TestRun, BenchError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let socket = folder.path().join("engine");
    let fake = Fake::listen(fault, &socket);
    let bench = DockerBench::new(settings(EngineUrl::Unix(socket), folder.path())).expect("a bench");
    let result = bench.run(job()).await;
    bench.close().await;
    assert_eq!(fake.containers(), Vec::<String>::new(), "{fault:?} left a container");
    let unfinished = std::fs::read_dir(folder.path().join("artifacts/unfinished")).expect("it is there").count();
    assert_eq!(unfinished, 0, "{fault:?} left a file");
    result
}

#[tokio::test]
async fn a_job_whose_end_is_lost_has_no_other_end() {
    let check = async |fault: Fault, expected: &dyn Fn(&Ended) -> bool| {
        let run = run(fault).await.unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        assert!(expected(&run.ended), "{fault:?}: {:?}", run.ended);
        assert_eq!(run.log, b"1 passed\n", "{fault:?}");
    };
    check(Fault::None, &|ended| *ended == Ended::Exited(0)).await;
    check(Fault::OnePiece, &|ended| *ended == Ended::Exited(0)).await;
    check(Fault::SlowSize, &|ended| *ended == Ended::Exited(0)).await;
    check(Fault::FullDisk, &|ended| matches!(ended, Ended::Excess(why) if why.contains("to its disk"))).await;
    check(Fault::RemoveError, &|ended| *ended == Ended::Exited(0)).await;
    check(Fault::OutOfMemory, &|ended| *ended == Ended::OutOfMemory).await;
    check(Fault::NoEnd, &|ended| matches!(ended, Ended::Lost(_))).await;
}

#[tokio::test]
async fn an_output_that_is_cut_is_no_exit() {
    // The engine, asked, would say 0: what was lost in between nobody knows.
    for fault in [Fault::CutOutput, Fault::CutQuietly] {
        let cut = run(fault).await.expect("the script had begun");
        assert!(matches!(cut.ended, Ended::Lost(_)), "{fault:?}: {:?}", cut.ended);
        assert_eq!(cut.log, b"1 passed\n", "{fault:?}");
    }
}

#[tokio::test]
async fn a_script_that_did_not_begin_is_an_error() {
    let check = async |fault: Fault, expected: &str| {
        let error = run(fault).await.expect_err("it did not begin");
        assert!(
            matches!(error, BenchError::Failed { .. }) && error.to_string().contains(expected),
            "{fault:?}: {error}"
        );
    };
    check(Fault::SilentContainer, "not ready in time").await;
    check(Fault::CutBeforeReady, "").await;
    check(Fault::LateCreate, "did not answer in time").await;
    check(Fault::CreateError, "no space left on device").await;
    check(Fault::StartError, "cgroup is gone").await;
    let invalid = run(Fault::NoFolder).await.expect_err("it did not begin");
    assert!(matches!(&invalid, BenchError::Invalid { why } if why.contains("No such file")), "{invalid}");
}

#[tokio::test]
async fn an_image_that_cannot_be_had_is_said_once_for_all_who_wait() {
    // What a registry says for good is asked once; what it says for now is asked again, and is no word on the image.
    for (fault, expected, pulls) in
        [(Fault::PullError, "manifest unknown", 1), (Fault::BusyRegistry, "toomanyrequests", 4)]
    {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let socket = folder.path().join("engine");
        let fake = Fake::listen(fault, &socket);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let mut settings = settings(EngineUrl::Unix(socket), folder.path());
        let sink = seen.clone();
        settings.progress = Arc::new(move |progress: Progress<'_>| {
            // The rest is ours: which stage begins, when it is tried again.
            if progress.bytes.is_some() {
                let line = format!("{} {:?} {:?}", progress.image, progress.status, progress.bytes);
                sink.lock().expect("no panic").push(line);
            }
        });
        let bench = DockerBench::new(settings).expect("a bench");
        for result in futures::future::join_all((0..8).map(|_| bench.run(job()))).await {
            match result {
                Err(BenchError::NoImage { image, why }) if pulls == 1 => {
                    assert!(image == "some/image:1" && why.contains(expected), "{why}");
                }
                Err(BenchError::Failed { why }) if pulls > 1 => {
                    assert!(why.contains("some/image:1") && why.contains(expected), "{why}");
                }
                other => panic!("{fault:?}: {other:?}"),
            }
        }
        assert_eq!(fake.requests("POST /images/create"), pulls, "{fault:?}");
        assert_eq!(*seen.lock().expect("no panic"), vec!["some/image:1 \"Downloading\" Some((1, 2))"; pulls]);
        bench.close().await;
    }
}

/// Whoever stops must not wait for what nobody needs any more.
#[tokio::test]
async fn closing_breaks_off_a_pull_that_does_not_end() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let socket = folder.path().join("engine");
    let fake = Fake::listen(Fault::EndlessPull, &socket);
    let stages = Arc::new(Mutex::new(Vec::new()));
    let mut settings = settings(EngineUrl::Unix(socket), folder.path());
    // One at a time: the second image waits for the first.
    settings.pulls = std::num::NonZeroUsize::MIN;
    settings.patience.answer_seconds = Patience::default().answer_seconds;
    let sink = stages.clone();
    settings.progress = Arc::new(move |progress: Progress<'_>| {
        sink.lock().expect("no panic").push(format!("{} {:?}", progress.image, progress.stage));
    });
    let bench = DockerBench::new(settings).expect("a bench");
    for (image, until) in [("some/image:1", "some/image:1 Pulling"), ("some/image:2", "some/image:2 Waiting")] {
        let mut run = bench.run(Job { image: image.into(), ..job() });
        while !stages.lock().expect("no panic").iter().any(|stage| stage == until) {
            assert!((&mut run).now_or_never().is_none(), "{image}");
            tokio::task::yield_now().await;
        }
    }
    bench.close().await;
    let mut over = stages.lock().expect("no panic").split_off(2);
    over.sort();
    assert_eq!(over, ["some/image:1 Over", "some/image:2 Over"]);
    assert_eq!(fake.containers(), Vec::<String>::new());
}

#[tokio::test]
async fn an_image_that_is_said_to_be_present_or_built_is_never_pulled() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (source, expected) in [
        (ImageSource::Present, "never pulled"),
        (ImageSource::Build(folder.path().join("script")), "build it with"),
        (ImageSource::Pull, "manifest unknown"),
    ] {
        let socket = folder.path().join("engine");
        let fake = Fake::listen(Fault::PullError, &socket);
        let mut settings = settings(EngineUrl::Unix(socket.clone()), folder.path());
        settings.sources.insert("some/image:1".to_owned(), source.clone());
        let bench = DockerBench::new(settings).expect("a bench");
        let error = bench.run(job()).await.expect_err("it is not there");
        assert!(matches!(&error, BenchError::NoImage { why, .. } if why.contains(expected)), "{error}");
        let pulls = usize::from(source == ImageSource::Pull);
        assert_eq!(fake.requests("POST /images/create"), pulls, "{source:?}");
        bench.close().await;
        std::fs::remove_file(socket).expect("it was listened on");
    }
}

#[tokio::test]
async fn images_are_pulled_as_the_user_and_only_so_many_stay() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let socket = folder.path().join("engine");
    let fake = Fake::listen(Fault::NoImages, &socket);
    let mut settings = settings(EngineUrl::Unix(socket), folder.path());
    settings.pull = true;
    settings.pulled_max = std::num::NonZeroUsize::new(2);
    let logins = folder.path().join("config.json");
    std::fs::write(&logins, r#"{ "auths": { "https://index.docker.io/v1/": { "auth": "bWU6c2VjcmV0" } } }"#)
        .expect("written");
    settings.logins = Some(logins.clone());
    let bench = DockerBench::new(settings).expect("a bench");
    let run = async |image: &str| {
        let job = Job { image: image.to_owned(), ..support::job("true") };
        bench.run(job).await.map(|run| run.ended)
    };
    for (image, there) in [
        ("some/a:1", &["some/a:1"][..]),
        ("ghcr.io/b:1", &["ghcr.io/b:1", "some/a:1"]),
        // The one that was used longest ago goes.
        ("some/a:1", &["ghcr.io/b:1", "some/a:1"]),
        ("some/c:1", &["some/a:1", "some/c:1"]),
        ("ghcr.io/b:1", &["ghcr.io/b:1", "some/c:1"]),
    ] {
        assert_eq!(run(image).await, Ok(Ended::Exited(0)), "{image}");
        assert_eq!(fake.images(), there, "after {image}");
    }
    let is_mine: Vec<bool> = fake.logins().iter().map(|login| login.len() > 20).collect();
    assert_eq!(is_mine, [true, false, true, false], "{:?}", fake.logins());
    // What cannot be read is said, and nothing of it.
    std::fs::write(&logins, r#"{ "auths": { "https://index.docker.io/v1/": { "auth": "!secret" } } }"#)
        .expect("written");
    let error = run("some/d:1").await.expect_err("it is not pulled").to_string();
    assert!(error.contains("credentials") && error.contains("config.json") && !error.contains("secret"), "{error}");
    bench.close().await;
}

#[tokio::test]
async fn an_engine_that_fails_most_jobs_is_given_a_rest() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let socket = folder.path().join("engine");
    let fake = Fake::listen(Fault::StartError, &socket);
    let bench = DockerBench::new(settings(EngineUrl::Unix(socket), folder.path())).expect("a bench");
    for _ in 0..5 {
        assert!(matches!(bench.run(job()).await, Err(BenchError::Failed { .. })));
    }
    let asked = fake.requests("POST /containers/create");
    assert!(matches!(bench.run(job()).await, Err(BenchError::Resting { why }) if why.contains("cgroup is gone")));
    assert_eq!(fake.requests("POST /containers/create"), asked, "it is left alone");
    bench.close().await;
    assert_eq!(fake.containers(), Vec::<String>::new());
}

#[tokio::test]
async fn no_engine_has_its_own_word_and_a_hint() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for url in [EngineUrl::Unix(folder.path().join("nothing")), "tcp://127.0.0.1:1".parse().expect("a URL")] {
        let bench = DockerBench::new(settings(url.clone(), folder.path())).expect("that is not an error yet");
        for error in [bench.check().await.err(), bench.run(job()).await.err(), bench.prepare("x").await.err()] {
            let error = error.unwrap_or_else(|| panic!("{url} cannot work"));
            assert!(matches!(error, BenchError::NoEngine { .. }), "{url}: {error:?}");
            assert!(error.hint().is_some_and(|hint| hint.contains("--docker-url")));
        }
        let mut health = bench.health();
        let state = health.wait_for(|health| *health != Health::Unknown).await.expect("it is watched").clone();
        assert!(matches!(state, Health::Down { .. }), "{state:?}");
        bench.close().await;
    }
}

#[tokio::test]
async fn an_engine_is_reached_over_tcp() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (fake, address) = Fake::listen_tcp(Fault::None).await;
    let url = format!("tcp://{address}").parse().expect("a URL");
    let bench = DockerBench::new(settings(url, folder.path())).expect("a bench");
    assert_eq!(bench.run(job()).await.expect("it runs").ended, Ended::Exited(0));
    let mut health = bench.health();
    health.wait_for(|health| matches!(health, Health::Up { .. })).await.expect("it is watched");
    bench.close().await;
    assert_eq!(fake.containers(), Vec::<String>::new());
}
