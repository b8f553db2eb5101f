//! What processes that were killed left behind, and engines that are reached by way of others.

mod support;

use assay_docker::DockerBench;
use assay_grade::rule::Ended;
use assay_rollout::owner::Owner;
use assay_rollout::ports::TestBench as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use support::{Bench, containers, image, job, require_engine, settings, text};

/// Makes a container that is not ours, with these labels.
fn foreign(job: &str, owner: &str, deadline: u64) {
    let done = Command::new("docker")
        .args(["create", "--network", "none", "--label", &format!("dev.assay.job={job}")])
        .args(["--label", &format!("dev.assay.owner={owner}"), "--label", &format!("dev.assay.deadline={deadline}")])
        .args([&image(), "true"])
        .output()
        .expect("the docker client runs");
    assert!(done.status.success(), "{done:?}");
}

#[tokio::test]
async fn only_what_nobody_can_need_is_removed() {
    let bench = require_engine().await;
    let mine = Owner::current().to_string();
    let (rest, started) = mine.rsplit_once('-').expect("it has three parts");
    let dead = format!("{rest}-{}", started.parse::<u64>().expect("a number") + 1);
    let far = 1 << 40;
    let check = async |what: &str, owner: &str, deadline: u64, stays: bool| {
        let label = format!("reaped-{what}-{}", std::process::id());
        foreign(&label, owner, deadline);
        bench.bench.reap().await.expect("it reaps");
        let left = containers(&label);
        assert_eq!(!left.is_empty(), stays, "{what}");
        for name in left {
            Command::new("docker").args(["rm", "-f", &name]).output().expect("the docker client runs");
        }
    };
    check("alive", &mine, far, true).await;
    check("elsewhere", "elsewhere-1-1", far, true).await;
    check("dead", &dead, far, false).await;
    check("past-its-deadline", &mine, 1_000, false).await;
    check("elsewhere-and-past", "elsewhere-1-1", 1_000, false).await;
    check("of-nobody", "nonsense", 1_000, false).await;
    bench.close().await;
}

/// Says to a process that it is to run a job until it is killed.
const CHILD: &str = "ASSAY_TEST_LEFT_BEHIND";

/// What the killed process does; started by the tests below only.
#[tokio::test]
async fn in_the_process_that_is_killed() {
    let Ok(folder) = std::env::var(CHILD) else { return };
    let bench = DockerBench::new(settings(support::engine_url(), folder.as_ref())).expect("a bench");
    let mut job = job("echo running; sleep 600");
    job.label = format!("killed-{}", std::process::id());
    let _ = bench.run(job).await;
}

#[tokio::test]
async fn a_killed_process_leaves_nothing_after_the_next_start() {
    let bench = require_engine().await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut child = Command::new(std::env::current_exe().expect("this file"))
        .args(["--exact", "in_the_process_that_is_killed"])
        .env(CHILD, folder.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    let label = format!("killed-{}", child.id());
    let unfinished = folder.path().join("artifacts/unfinished");
    let written = || std::fs::read_dir(&unfinished).is_ok_and(|files| files.count() > 0);
    while containers(&label).is_empty() || !written() {
        assert!(child.try_wait().expect("it can be asked").is_none(), "it ended by itself");
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    assert!(!containers(&label).is_empty() && written(), "it left nothing, so that this shows nothing");

    let next = DockerBench::new(settings(support::engine_url(), folder.path())).expect("a bench");
    next.reap().await.expect("it reaps");
    assert_eq!(containers(&label), Vec::<String>::new());
    assert!(!written());
    next.close().await;
    bench.close().await;
}

#[tokio::test]
async fn an_engine_is_reached_over_ssh() {
    // An `ssh` that runs its command here: what it is told, and what goes through it, is as with a real one.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ssh = folder.path().join("ssh");
    let told = folder.path().join("told");
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> '{}'\nwhile [ \"$1\" != -- ]; do shift; done\nshift 2\nexec \"$@\"\n",
        told.display()
    );
    std::fs::write(&ssh, script).expect("it is written");
    std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o755)).expect("it is set");
    let local = require_engine().await;

    let mut settings = settings("ssh://me@builder:2222".parse().expect("a URL"), folder.path());
    settings.ssh = ssh;
    let far = Bench { bench: DockerBench::new(settings).expect("a bench"), folder };
    far.bench.check().await.expect("it answers");
    let run = far.run(job("cat; echo over there; exit 4")).await;
    assert_eq!((run.ended.clone(), text(&run).as_str()), (Ended::Exited(4), "over there\n"));
    let told = std::fs::read_to_string(told).expect("it was told");
    assert!(told.lines().all(|line| line.ends_with("-p 2222 -- me@builder docker system dial-stdio")), "{told}");
    assert!(told.contains("BatchMode=yes") && told.contains("ControlMaster=auto"), "{told}");
    far.close().await;
    local.close().await;
}

#[tokio::test]
async fn jobs_of_one_kind_find_containers_started_ahead_and_share_nothing() {
    let bench = require_engine().await;
    for round in 0..5 {
        let run = bench.run(job("ls /opt /tmp; touch /opt/left /tmp/left")).await;
        assert_eq!((run.ended.clone(), text(&run).as_str()), (Ended::Exited(0), "/opt:\n\n/tmp:\n"), "round {round}");
    }
    let owner = Owner::current().to_string();
    let mine = || {
        let filter = format!("label=dev.assay.owner={owner}");
        let list =
            Command::new("docker").args(["ps", "-aq", "--filter", &filter]).output().expect("the docker client runs");
        String::from_utf8(list.stdout).expect("ids").lines().count()
    };
    // Other tests of this process may have some as well; the last one's are gone when this bench is.
    assert!(mine() > 0, "none was started ahead");
    bench.close().await;
}
