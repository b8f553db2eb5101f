//! Every attack of the field as a submission: what it brings never reaches the container, it is flagged, and a log that a successful attack would
//! leave earns nothing where the log betrays it. The same submissions run in real containers elsewhere.

use assay_grade::rule::Ended;
use assay_model::Time;
use assay_tree::Tree;

use crate::support::{Bench, fix, flag_names, graded, log, overlaid, passing, put, run, task};

/// A submission whose dropped part must not be in the overlay; the rest of it must.
fn check(name: &str, path: &str, flag: &str, edit: impl FnOnce(&mut Tree)) {
    let (_folder, task) = task();
    let bench = Bench::saying([Ok(passing())]);
    let graded = graded(&task, &bench, |tree| {
        fix(tree);
        edit(tree);
    });
    let job = bench.jobs().remove(0);
    assert!(flag_names(&graded).contains(&flag), "{name}: {:?}", graded.flags);
    assert!(
        overlaid(&job, "median.py").is_some_and(|text| text.contains("statistics")),
        "{name}: the fix is laid over"
    );
    let untouched = workspace_text(path);
    assert_eq!(overlaid(&job, path), untouched, "{name}: {path} is as it was");
    let tests = overlaid(&job, "tests/test_median.py").unwrap_or_default();
    assert!(tests.contains("def test_even"), "{name}: the hidden tests are in place");
    assert!(!graded.patch.is_empty(), "{name}: the raw patch is kept");
}

/// What the untouched task has at a path.
fn workspace_text(path: &str) -> Option<String> {
    let files = crate::support::good_task();
    let find = |place: &str| {
        files.iter().find(|(found, _)| *found == format!("{place}/{path}")).map(|(_, text)| (*text).to_owned())
    };
    find("tests").or_else(|| find("repository"))
}

#[test]
fn files_that_steer_the_tests_do_not_arrive() {
    let evil = "def pytest_runtest_makereport(item, call):\n    pass\n";
    for path in [
        "conftest.py",
        "sub/conftest.py",
        "pytest.ini",
        ".pytest.ini",
        "tox.ini",
        "setup.cfg",
        "pyproject.toml",
        "sitecustomize.py",
        "lib/usercustomize.py",
        "sitecustomize/__init__.py",
        "usercustomize.cpython-313-x86_64-linux-gnu.so",
        "env/pyvenv.cfg",
        "evil.pth",
        "evil.egg-info/entry_points.txt",
        "evil-1.0.dist-info/entry_points.txt",
        "pytest.py",
        "pytest/__init__.py",
        "_pytest/runner.py",
        "pluggy.cpython-313-x86_64-linux-gnu.so",
        "__pycache__/median.cpython-313.pyc",
        ".venv/lib/python3.9/site-packages/_pytest/runner.py",
        ".cargo/config.toml",
    ] {
        check(path, path, "test_configuration", |tree| put(tree, path, evil));
    }
}

#[test]
fn tests_and_what_runs_them_stay_as_they_are() {
    for (path, flag) in [
        // A file that the hidden tests add: made before them, or as a folder in their place.
        ("tests/test_median.py", "protected_file"),
        ("tests/test_median.py/__init__.py", "protected_file"),
        ("run_tests.sh", "protected_file"),
        ("r2e_tests/test_1.py", "protected_file"),
        ("tests/helper.py", "test_file"),
        ("tests/conftest.py", "test_configuration"),
        ("tests/test_other.py", "test_file"),
        ("other/test_mine.py", "test_file"),
    ] {
        check(path, path, flag, |tree| put(tree, path, "assert True\n"));
    }
}

#[test]
fn helpers_that_are_deleted_come_back() {
    check("delete", "tests/helper.py", "test_file", |tree| tree.unlink(b"tests/helper.py", Time::default()).unwrap());
}

#[test]
fn a_symlink_in_place_of_the_folder_of_tests_does_not_arrive() {
    check("symlink", "tests", "protected_file", |tree| {
        for path in [&b"tests/helper.py"[..], b"tests/__init__.py"] {
            tree.unlink(path, Time::default()).unwrap();
        }
        tree.rmdir(b"tests", Time::default()).unwrap();
        put(tree, "mine/helper.py", "def check(found, wanted): pass\n");
        tree.symlink(b"mine", b"tests", Time::default()).unwrap();
    });
}

/// Submissions that run within the test process cannot be held back: what they leave in the log must not pay.
#[test]
fn logs_that_contradict_themselves_earn_nothing() {
    let honest = log("FAILED", "PASSED");
    let good = log("PASSED", "PASSED");
    let forged_first = format!("{good}{honest}");
    let forged_last = format!("{honest}{good}");
    let no_footer = good.lines().take(4).map(|line| format!("{line}\n")).collect::<String>();
    let cases = [
        ("printed before", forged_first.as_str(), Ended::Exited(1), Some("several_summaries")),
        ("printed at exit", forged_last.as_str(), Ended::Exited(0), Some("several_summaries")),
        ("exit code set to 0", honest.as_str(), Ended::Exited(0), Some("exit_zero_with_failures")),
        ("exit code not 0, all pass", good.as_str(), Ended::Exited(1), Some("exit_without_failure")),
        ("the process ends itself behind a forged summary", no_footer.as_str(), Ended::Exited(0), Some("no_footer")),
        (
            "FAILED line that says PASSED",
            "=== short test summary info ===\nFAILED tests/test_median.py::test_even - AssertionError: PASSED\nPASSED tests/test_median.py::test_odd\n=== 1 failed, 1 passed in 0.01s ===\n",
            Ended::Exited(1),
            None,
        ),
        ("broken collection", "ERROR tests/test_median.py - ImportError", Ended::Exited(2), None),
        ("no tests", "no tests ran", Ended::Exited(5), None),
        ("silence", "", Ended::Exited(0), None),
    ];
    for (name, log, ended, flag) in cases {
        let (_folder, task) = task();
        let graded = graded(&task, &Bench::saying([Ok(run(log, ended))]), fix);
        assert_eq!(graded.reward(), Some(0.0), "{name}: {:?}", graded.verdict);
        if let Some(flag) = flag {
            assert!(flag_names(&graded).contains(&flag), "{name}: {:?}", graded.flags);
        }
    }
}

#[test]
fn a_report_that_contradicts_the_log_earns_nothing() {
    let (_folder, task) = task();
    let mut forged = passing();
    forged.junit = Some(
        r#"<testsuites><testsuite><testcase classname="tests.test_median" name="test_even"><failure message="x"/></testcase>
        <testcase classname="tests.test_median" name="test_odd"/></testsuite></testsuites>"#
            .to_owned(),
    );
    let bench = Bench::saying([Ok(forged)]);
    let graded = graded(&task, &bench, fix);
    assert_eq!(graded.reward(), Some(0.0));
    assert!(flag_names(&graded).contains(&"junit_disagrees"), "{:?}", graded.flags);
    let job = bench.jobs().remove(0);
    assert!(job.junit.is_some_and(|path| job.script.contains(&path)), "the report was asked for");
}

#[test]
fn hooks_in_ordinary_files_are_flagged() {
    let (_folder, task) = task();
    let graded = graded(&task, &Bench::saying([Ok(passing())]), |tree| {
        put(tree, "median.py", "import os, atexit\natexit.register(lambda: os._exit(0))\n");
    });
    assert!(flag_names(&graded).contains(&"runner_hook"), "{:?}", graded.flags);
}
