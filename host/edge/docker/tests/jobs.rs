//! Jobs on the real engine: what goes in, what comes out, and that nothing stays.

mod support;

use assay_grade::rule::Ended;
use assay_rollout::ports::{BenchError, Job, Overlay, OverlayFile, TestBench as _};
use support::{containers, file, image, job, link, require_engine, text};

#[tokio::test]
async fn a_job_runs_its_script_over_its_files() {
    let bench = require_engine().await;
    let script = "cat a.txt b/c.txt; ls -la run gone 2>&1; readlink l; pwd; ./run; echo err >&2; echo out; exit 3";
    let mut job = job(script);
    job.overlay = Overlay {
        files: vec![
            file("a.txt", "a\n"),
            file("b/c.txt", "c\n"),
            (b"run".to_vec(), OverlayFile::Regular { bytes: b"#!/bin/sh\necho ran\n".into(), executable: true }),
            link("l", "../../etc"),
        ],
        removed: vec![b"gone".to_vec()],
    };
    let run = bench.run(job).await;
    let log = text(&run);
    assert_eq!(run.ended, Ended::Exited(3), "{log}");
    for part in ["a\nc\n", "-rwxr-xr-x 1 root root", "'gone': No such file", "../../etc\n/opt\nran\nerr\nout\n"] {
        assert!(log.contains(part), "{part:?} in {log}");
    }
    assert_eq!(run.dropped_bytes, 0);
    let artifact = run.artifact.expect("one is kept");
    assert_eq!(std::fs::read(&artifact).expect("it is there"), run.log);
    assert!(artifact.ends_with("artifacts/test.log"));
    assert!(run.nanoseconds > 0 && run.nanoseconds < 30_000_000_000);
    bench.close().await;
}

#[tokio::test]
async fn what_the_script_is_told_is_exactly_what_was_given() {
    let bench = require_engine().await;
    let mut scripts = vec![
        ("echo \"$#,$0\"", "0,assay\n".to_owned(), 0),
        ("printf '%s' 'ä\\n€'", "ä\\n€".into(), 0),
        ("cat <<'END'\n$HOME \"'`\nEND", "$HOME \"'`\n".into(), 0),
        ("false", String::new(), 1),
        ("set -e\nfalse\necho no", String::new(), 1),
        ("exec bash -c 'exit 7'", String::new(), 7),
        ("read -r line; echo \"[$line]\"", "[]\n".into(), 0),
        ("sleep 1 & wait; echo waited", "waited\n".into(), 0),
        ("trap 'echo bye' EXIT; exit 4", "bye\n".into(), 4),
        ("kill -TERM $BASHPID", String::new(), 143),
        ("set -u; (echo a; exit 5)", "a\n".into(), 5),
        ("echo )", String::new(), 2),
        ("", String::new(), 0),
    ];
    let long = format!("# {}\necho long", "ü".repeat(200_000));
    scripts.push((&long, "long\n".into(), 0));
    for (script, log, code) in scripts {
        let run = bench.run(job(script)).await;
        let shown = &script[..script.len().min(60)];
        assert_eq!(run.ended, Ended::Exited(code), "{shown}: {}", text(&run));
        if code != 2 {
            assert_eq!(text(&run), log, "{shown}");
        }
    }
    bench.close().await;
}

#[tokio::test]
async fn removals_come_first_and_folders_become_files_and_back() {
    let bench = require_engine().await;
    // The image's own files play the repository.
    let overlay = Overlay {
        files: vec![
            file("adduser.conf", "mine\n"),
            file("alternatives", "a file now\n"),
            file("debian_version/inside", "a folder now\n"),
            file("init.d/new", "alone\n"),
        ],
        removed: ["init.d", "passwd", "never/was", "cron.daily/dpkg", "alternatives", "shadow/below-a-file"]
            .map(|path| path.as_bytes().to_vec())
            .into(),
    };
    let script = "cat adduser.conf alternatives debian_version/inside; ls init.d; ls passwd cron.daily/dpkg 2>&1 | wc -l; test -f shadow && echo kept";
    let run = bench.run(Job { folder: "/etc".into(), overlay, ..job(script) }).await;
    assert_eq!(text(&run), "mine\na file now\na folder now\nnew\n2\nkept\n");
    bench.close().await;
}

#[tokio::test]
async fn pytest_reports_as_junit() {
    let bench = require_engine().await;
    let test = "def test_a():\n    pass\ndef test_b():\n    assert False\n";
    let mut job = job("python3 -m pytest -q --junitxml=/tmp/report.xml");
    job.overlay.files = vec![file("test_it.py", test)];
    job.junit = Some("/tmp/report.xml".into());
    let run = bench.run(job.clone()).await;
    assert_eq!(run.ended, Ended::Exited(1), "{}", text(&run));
    assert!(text(&run).contains("1 failed, 1 passed"));
    let report = run.junit.expect("it was made");
    assert!(report.starts_with("<?xml") && report.ends_with("</testsuites>"), "{report}");

    // A report that was there before is none of this run's.
    job.script = "true".into();
    job.folder = "/tmp".into();
    job.overlay.files = vec![file("report.xml", "<old/>")];
    assert_eq!(bench.run(job).await.junit, None);
    bench.close().await;
}

#[tokio::test]
async fn artifacts_of_one_label_do_not_overwrite_each_other() {
    let bench = require_engine().await;
    let runs = futures::future::join_all((0..3).map(|number| bench.run(job(&format!("echo {number}"))))).await;
    let mut seen = std::collections::BTreeSet::new();
    for run in &runs {
        let path = run.artifact.clone().expect("one is kept");
        assert_eq!(std::fs::read(&path).expect("it is there"), run.log);
        assert!(seen.insert(path));
    }
    bench.close().await;
}

#[tokio::test]
async fn a_dropped_job_leaves_no_container() {
    let bench = require_engine().await;
    let mut job = job("sleep 600");
    job.label = format!("dropped-{}", std::process::id());
    let label = job.label.clone();
    let task = async {
        let _ = bench.try_run(job).await;
    };
    let seen = async {
        while containers(&label).is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = task => panic!("it must not end"),
        () = seen => {}
    }
    bench.close().await;
    assert_eq!(containers(&label), Vec::<String>::new());
}

#[tokio::test]
async fn a_folder_that_the_image_lacks_is_made() {
    let bench = require_engine().await;
    let mut job = job("pwd");
    job.folder = "/not/here".into();
    let run = bench.try_run(job).await.expect("a result");
    assert_eq!((run.log.as_slice(), run.ended), (b"/not/here\n".as_slice(), Ended::Exited(0)));
}

#[tokio::test]
async fn impossible_jobs_are_refused_with_reasons() {
    let bench = require_engine().await;
    let check = async |what: &str, change: &dyn Fn(&mut Job), expected: &str| {
        let mut job = job("true");
        change(&mut job);
        match bench.try_run(job).await {
            Err(BenchError::Invalid { why }) => assert!(why.contains(expected), "{what}: {why}"),
            other => panic!("{what}: {other:?}"),
        }
    };
    check("a relative folder", &|job| job.folder = "opt".into(), "not an absolute path").await;
    check("the root", &|job| job.folder = "/".into(), "not an absolute path").await;
    check("a way up", &|job| job.folder = "/opt/..".into(), "not an absolute path").await;
    check("a strange label", &|job| job.label = "../x".into(), "label").await;
    check("a hidden label", &|job| job.label = ".x".into(), "label").await;
    check("a long label", &|job| job.label = "x".repeat(241), "label").await;
    check("no time", &|job| job.limits.seconds = 0, "limit is 0").await;
    check("a zero byte", &|job| job.script = "a\0b".into(), "zero byte").await;
    check("a relative report", &|job| job.junit = Some("x.xml".into()), "not an absolute path").await;
    for path in ["", "/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/", "a\0b"] {
        check(path, &|job| job.overlay.files = vec![file(path, "x")], "not a clean relative one").await;
        check(path, &|job| job.overlay.removed = vec![path.into()], "not a clean relative one").await;
    }
    check("twice", &|job| job.overlay.files = vec![file("a", ""), file("a", "")], "twice").await;
    check("below a link", &|job| job.overlay.files = vec![link("a", "/etc"), file("a/passwd", "")], "lies below").await;
    check("a link to nothing", &|job| job.overlay.files = vec![link("a", "")], "an invalid target").await;
    let missing = Job { image: "assay/not-here:1".into(), ..job("true") };
    assert!(matches!(bench.try_run(missing).await, Err(BenchError::NoImage { .. })));
    bench.close().await;
}

#[tokio::test]
async fn a_folder_of_the_image_becomes_a_tree_once() {
    let bench = require_engine().await;
    let keep_out = ["passwd".to_owned(), "cron.daily/".to_owned()];
    let tree = bench.bench.repository(&image(), "/etc", &keep_out).await.expect("it is read");
    assert!(tree.read_all(b"debian_version").expect("it loads").starts_with(b"12."));
    assert!(tree.stat(b"passwd").is_err() && tree.stat(b"cron.daily").is_err());
    assert!(tree.lstat(b"mtab").is_ok() || tree.lstat(b"os-release").is_ok());
    let again = bench.bench.repository(&image(), "/etc", &keep_out).await.expect("it is kept");
    assert_eq!(again.digest(), tree.digest());
    let other = bench.bench.repository(&image(), "/etc", &[]).await.expect("it is read");
    assert!(other.stat(b"passwd").is_ok());
    // A folder that is a link is followed, within the image.
    let linked = bench.bench.repository(&image(), "/bin", &[]).await.expect("it is read");
    assert!(linked.stat(b"bash").is_ok());
    for folder in ["/not/here", "etc", "/", "/etc/../etc"] {
        let refused = bench.bench.repository(&image(), folder, &[]).await.err();
        assert!(matches!(refused, Some(BenchError::Invalid { .. })), "{folder}: {refused:?}");
    }
    bench.close().await;
}
