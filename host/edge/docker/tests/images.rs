//! Images that are built from a folder, and those that are remembered, on the real engine.

mod support;

use assay_docker::{DockerBench, Progress};
use assay_rollout::ports::{BenchError, Job, TestBench as _};
use assay_rollout::task::ImageSource;
use std::process::Command;
use std::sync::{Arc, Mutex};
use support::{image, job, require_engine, settings, text};

#[tokio::test]
async fn an_image_that_is_not_there_is_built_from_its_folder() {
    let ready = require_engine().await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let context = folder.path().join("context");
    std::fs::create_dir(&context).expect("it is made");
    let dockerfile = |lines: &str| {
        let text = format!("FROM {}\n{lines}\n", image());
        std::fs::write(context.join("Dockerfile"), text).expect("it is written");
    };
    std::fs::write(context.join("hello"), "hello from the context\n").expect("it is written");
    std::os::unix::fs::symlink("hello", context.join("link")).expect("it is made");

    let name = format!("assay/test-build:{}", std::process::id());
    let said = Arc::new(Mutex::new(String::new()));
    let mut settings = settings(support::engine_url(), folder.path());
    settings.sources.insert(name.clone(), ImageSource::Build(context.clone()));
    let sink = said.clone();
    settings.progress =
        Arc::new(move |progress: Progress<'_>| sink.lock().expect("no panic").push_str(progress.status));
    let bench = DockerBench::new(settings).expect("a bench");

    dockerfile("COPY not-there /opt/");
    let refused = bench.prepare(&name).await.expect_err("it cannot be built");
    assert!(matches!(&refused, BenchError::NoImage { why, .. } if why.contains("not-there")), "{refused}");

    dockerfile("COPY hello link /opt/\nUSER 1000");
    let shown = Job { image: name.clone(), ..job("cat hello; id -u; touch /opt/x 2>&1 | grep -c denied") };
    let run = bench.run(shown).await.expect("it runs");
    assert_eq!(text(&run), "hello from the context\n1000\n1\n");
    // Whoever is not root has no capability to give up.
    assert!(run.is_open);
    assert!(said.lock().expect("no panic").contains("Step 1/3"), "{said:?}");
    bench.close().await;
    ready.close().await;
    let removed = Command::new("docker").args(["rmi", "--force", &name]).output().expect("the docker client runs");
    assert!(removed.status.success(), "{removed:?}");
}

/// What is in the cache needs no engine: a replay or a look at an episode works without one.
#[tokio::test]
async fn a_repository_that_was_read_needs_no_engine() {
    let ready = require_engine().await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bench = DockerBench::new(settings(support::engine_url(), folder.path())).expect("a bench");
    let tree = bench.repository(&image(), "/etc", &[]).await.expect("it is read");
    bench.close().await;
    let nowhere = format!("unix://{}", folder.path().join("no.sock").display()).parse().expect("a URL");
    let bench = DockerBench::new(settings(nowhere, folder.path())).expect("a bench");
    let again = bench.repository(&image(), "/etc", &[]).await.expect("it is in the cache");
    assert_eq!(again.digest(), tree.digest());
    for (name, inside) in [(image(), "/bin"), ("somebody/else:1".to_owned(), "/etc")] {
        let read = bench.repository(&name, inside, &[]).await;
        assert!(matches!(read, Err(BenchError::NoEngine { .. })), "{name} {inside} was never read");
    }
    bench.close().await;
    ready.close().await;
}
