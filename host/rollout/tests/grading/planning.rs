//! What a container is given: properties over any submission, and the commands of the data sets.

use assay_grade::patch::{Change, touched_files};
use assay_grade::rule::Expected;
use assay_grade::task::{Gold, Kind, Task, Tests, import_row};
use assay_model::Time;
use assay_rollout::SUBMISSION_BYTES_MAX;
use assay_rollout::grading::{GradeSettings, Plan, PlanError, PlanSettings, Work, plan};
use assay_rollout::ports::Job;
use assay_rollout::task::LoadedTask;
use assay_tree::Tree;
use futures::executor::block_on;
use proptest::prelude::*;
use serde_json::json;

use crate::support::{Bench, idle, overlaid, put, task, tree, workspace};

fn planned(task: &LoadedTask, bench: &Bench, edit: impl FnOnce(&mut Tree)) -> Result<Plan, PlanError> {
    let workspace = block_on(task.workspace(bench)).unwrap();
    let mut tree = workspace.base().fork();
    edit(&mut tree);
    let limits = GradeSettings::default().limits;
    plan(
        task,
        &workspace,
        &tree,
        PlanSettings { limits, with_report: true, label: "a b/c", patch: None, run_unchanged: false },
    )
}

fn job(plan: Plan) -> Job {
    match plan.work {
        Work::Run { job, .. } => *job,
        other => panic!("nothing to run: {other:?}"),
    }
}

const PATHS: [&str; 14] = [
    "median.py",
    "new.py",
    "lib/new.py",
    "lib",
    "tests",
    "tests/helper.py",
    "tests/test_median.py",
    "tests/test_median.py/x",
    "tests/data/x",
    "conftest.py",
    "conftest.py/x",
    "a.egg-info/entry_points.txt",
    "run_tests.sh",
    "pyproject.toml",
];
const PROTECTED: [&str; 10] = [
    "tests",
    "tests/helper.py",
    "tests/__init__.py",
    "tests/test_median.py/x",
    "tests/data/x",
    "conftest.py",
    "conftest.py/x",
    "a.egg-info/entry_points.txt",
    "run_tests.sh",
    "pyproject.toml",
];

/// One thing that a submission does; what the tree refuses is not done.
fn act(tree: &mut Tree, (what, path, target): (u8, usize, usize)) {
    let (path, now) = (PATHS[path].as_bytes(), Time::default());
    let parent = path.iter().rposition(|byte| *byte == b'/').map_or(&b""[..], |slash| &path[..slash]);
    let _ = match what {
        0 => tree.mkdir_all(parent, now).and_then(|()| tree.put(path, b"evil\n".into(), now)),
        1 => tree.unlink(path, now),
        2 => tree.symlink([&b"/etc"[..], b"..", b"lib", b"median.py"][target % 4], path, now),
        3 => tree.rename(path, PATHS[target % PATHS.len()].as_bytes(), now),
        4 => tree.rmdir(path, now),
        _ => tree.set_executable(path, true),
    };
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn no_submission_reaches_the_tests(acts in proptest::collection::vec((0_u8..6, 0..PATHS.len(), 0_usize..28), 1..30)) {
        let (_folder, task) = task();
        let bench = idle();
        let edit = |tree: &mut Tree| acts.iter().for_each(|action| act(tree, *action));
        let one = planned(&task, &bench, edit).unwrap();
        prop_assert_eq!(&one, &planned(&task, &bench, edit).unwrap(), "planning is deterministic");
        let Work::Run { job, .. } = one.work else { return Ok(()) };
        for path in PROTECTED {
            let untouched = match path {
                "tests/helper.py" => Some("def check(found, wanted):\n    assert found == wanted\n".to_owned()),
                "tests/__init__.py" => Some(String::new()),
                _ => None,
            };
            prop_assert_eq!(overlaid(&job, path), untouched, "{}", path);
        }
        prop_assert!(overlaid(&job, "tests/test_median.py").is_some_and(|text| text.contains("def test_even")));
        let paths: Vec<&Vec<u8>> = job.overlay.files.iter().map(|(path, _)| path).chain(&job.overlay.removed).collect();
        for path in &paths {
            let parts = path.split(|byte| *byte == b'/');
            prop_assert!(parts.into_iter().all(|part| !matches!(part, b"" | b"." | b"..")), "{:?}", path);
        }
        // No file lies beneath another file or symlink of the overlay.
        for (path, _) in &job.overlay.files {
            let beneath = |other: &[u8]| other.strip_prefix(path.as_slice()).is_some_and(|rest| rest.starts_with(b"/"));
            prop_assert!(!job.overlay.files.iter().any(|(other, _)| beneath(other)), "{:?}", path);
        }
    }
}

#[test]
fn an_image_is_given_only_what_differs() {
    let (_folder, mut task) = task();
    task.files = assay_rollout::task::Files::Image;
    let image = tree(&[
        ("median.py", "old\n"),
        ("same.py", "same\n"),
        ("gone.py", "x\n"),
        ("dir/a.py", "x\n"),
        ("link.py", "x\n"),
    ]);
    let bench = Bench { image: Some(image), ..Bench::default() };
    let plan = planned(&task, &bench, |tree| {
        put(tree, "median.py", "new\n");
        let now = Time::default();
        tree.unlink(b"gone.py", now).unwrap();
        tree.unlink(b"dir/a.py", now).unwrap();
        tree.rmdir(b"dir", now).unwrap();
        put(tree, "dir", "now a file\n");
        tree.unlink(b"link.py", now).unwrap();
        tree.symlink(b"median.py", b"link.py", now).unwrap();
    });
    let job = job(plan.unwrap());
    let files: Vec<_> = job.overlay.files.iter().map(|(path, _)| String::from_utf8_lossy(path)).collect();
    assert_eq!(files, ["dir", "link.py", "median.py", "tests/test_median.py"]);
    let mut removed = job.overlay.removed.clone();
    removed.sort();
    assert_eq!(removed, [&b".git"[..], b"dir", b"dir/a.py", b"gone.py", b"link.py"]);
    assert_eq!(job.label, "a-b-c");
}

#[test]
fn what_the_fix_or_the_task_changes_is_let_through() {
    let (_folder, mut task) = task();
    task.allowed = vec!["setup.cfg".to_owned(), "tests/test_median.py".to_owned()];
    task.task.secret.gold =
        Gold::Patch("--- a/pkg/testing/tools.py\n+++ b/pkg/testing/tools.py\n@@ -1 +1 @@\n-a\n+b\n".to_owned());
    let plan = planned(&task, &idle(), |tree| {
        for path in ["setup.cfg", "pkg/testing/tools.py", "pkg/testing/other.py", "tests/test_median.py"] {
            put(tree, path, "mine\n");
        }
    });
    let job = job(plan.unwrap());
    assert_eq!(overlaid(&job, "setup.cfg").as_deref(), Some("mine\n"));
    assert_eq!(overlaid(&job, "pkg/testing/tools.py").as_deref(), Some("mine\n"));
    assert_eq!(overlaid(&job, "pkg/testing/other.py"), None);
    assert!(
        overlaid(&job, "tests/test_median.py").is_some_and(|text| text.contains("def test_even")),
        "what decides never is"
    );
}

#[test]
fn too_large_a_submission_is_not_run() {
    let (_folder, task) = task();
    let plan = planned(&task, &idle(), |tree| {
        put(tree, "big", "");
        tree.truncate(b"big", SUBMISSION_BYTES_MAX + 1, Time::default()).unwrap();
    });
    let plan = plan.unwrap();
    assert_eq!((plan.work, plan.patch.len()), (Work::TooLarge, 0));
}

fn row(value: serde_json::Value) -> LoadedTask {
    LoadedTask::from_row(import_row(1, value).unwrap(), "rows.jsonl".into())
}

fn swe_bench(repository: &str, id: &str) -> serde_json::Value {
    json!({
        "repo": repository, "instance_id": id, "base_commit": "c", "environment_setup_commit": "c", "version": "1", "created_at": "",
        "patch": "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n",
        "test_patch": "diff --git a/tests/a_b/tests.py b/tests/a_b/tests.py\nnew file mode 100644\n--- /dev/null\n+++ b/tests/a_b/tests.py\n@@ -0,0 +1 @@\n+pass\n",
        "problem_statement": "p", "hints_text": "", "FAIL_TO_PASS": ["t"], "PASS_TO_PASS": [],
    })
}

fn script(task: &LoadedTask, files: &[(&str, &str)]) -> Result<Job, PlanError> {
    let bench = Bench { image: Some(tree(files)), ..Bench::default() };
    planned(task, &bench, |tree| put(tree, "x.py", "b\n")).map(job)
}

#[test]
fn each_data_set_has_its_command() {
    let commands = [
        ("django/django", "./tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1 'a_b.tests'", false),
        ("sympy/sympy", "bin/test -C --verbose 'tests/a_b/tests.py'", false),
        ("psf/requests", "\npytest -rA 'tests/a_b/tests.py'", true),
        // `--no-header` is a usage error before pytest 6.0.
        ("pytest-dev/pytest", "\npytest -rA 'tests/a_b/tests.py'", false),
        ("sphinx-doc/sphinx", "\ntox --current-env -epy39 -v -- 'tests/a_b/tests.py'", true),
        ("mwaskom/seaborn", "\npytest --no-header -rA 'tests/a_b/tests.py'", true),
        ("astropy/astropy", "\npytest -rA 'tests/a_b/tests.py'", true),
        ("pydantic/pydantic", "-vv -o console_output_style=classic --no-header 'tests/a_b/tests.py'", true),
    ];
    for (repository, command, report) in commands {
        let job = script(&row(swe_bench(repository, "a__b-1")), &[("x.py", "a\n")]).unwrap();
        assert!(job.script.contains(command), "{}", job.script);
        assert_eq!(job.junit.is_some(), report, "{repository}");
        assert!(job.script.contains(">>>>> Start Test Output"), "so that SWE-bench's rule can read it");
        assert!(overlaid(&job, "tests/a_b/tests.py").is_some());
    }
    for (version, before, command) in [
        ("1.6", None, "--verbosity 2 --settings=test_sqlite --parallel 1"),
        (
            "1.9",
            Some("export LC_ALL=en_US.UTF-8\nexport PYTHONIOENCODING=utf8\n"),
            "runtests.py --verbosity 2 'a_b.tests'",
        ),
        ("2.2", Some("export LANG=en_US.UTF-8\n"), "--verbosity 2 --settings=test_sqlite --parallel 1"),
        ("3.1", Some("locale-gen\nexport LANG=en_US.UTF-8\n"), "--verbosity 2 --settings=test_sqlite --parallel 1"),
        ("4.0", None, "--verbosity 2 --settings=test_sqlite --parallel 1"),
    ] {
        let mut django = swe_bench("django/django", "a__b-1");
        django["version"] = json!(version);
        let job = script(&row(django), &[("x.py", "a\n")]).unwrap();
        assert!(job.script.contains(command), "{version}: {}", job.script);
        match before {
            Some(before) => assert!(job.script.contains(before), "{version}: {}", job.script),
            None => assert!(!job.script.contains("en_US"), "{version}: {}", job.script),
        }
    }
    let error = script(&row(swe_bench("nobody/knows", "a__b-1")), &[("x.py", "a\n")]).unwrap_err();
    assert_eq!(error, PlanError::CannotRun("no log parser is known for its repository".to_owned()));

    let mut five = swe_bench("psf/requests", "a__b-1");
    five["image"] = json!("i:1");
    five["eval_script"] = json!("git apply tests; pytest");
    let job = script(&row(five), &[("x.py", "a\n")]).unwrap();
    assert!(job.script.ends_with("git apply tests; pytest\n") && overlaid(&job, "tests/a_b/tests.py").is_none());
}

#[test]
fn a_rows_command_comes_before_its_lists() {
    for (command, required) in [("pytest -rA 'tests/a_b/tests.py'", true), ("tox -e py -- -rA", false)] {
        let mut row_of_others = swe_bench("some/body", "a__b-1");
        row_of_others["image_name"] = json!("i:1");
        let task = import_row(1, row_of_others).unwrap().with_tests(Some(command), "pytest".parse().ok());
        let task = LoadedTask::from_row(task, "rows.jsonl".into());
        assert!(task.shell, "the row says nothing about it, so the user decides");
        let bench = Bench { image: Some(tree(&[("x.py", "a\n")])), ..Bench::default() };
        let Work::Run { job, report_required } = planned(&task, &bench, |tree| put(tree, "x.py", "b\n")).unwrap().work
        else {
            panic!("nothing to run");
        };
        assert!(job.script.contains(&format!("(\n{command}\n)\n")), "{}", job.script);
        assert!(overlaid(&job, "tests/a_b/tests.py").is_some());
        assert_eq!((job.junit.is_some(), report_required), (true, required), "{command}");
    }
}

/// The commands after the tests have exit codes of their own.
#[test]
fn a_rows_script_ends_with_the_exit_code_of_its_tests() {
    let ends = "assay_exit=$?\n: '>>>>> End Test Output'\ngit checkout x\n\nexit \"${assay_exit-$?}\"\n";
    for (script_of_row, expected) in [
        ("pytest\n: '>>>>> End Test Output'\ngit checkout x\n", ends),
        ("pytest\necho a && \\\n  echo '>>>>> End Test Output'\n", "echo '>>>>> End Test Output'\n\n"),
        ("pytest\necho '>>>>> Test Exit Code: 0'\n: '>>>>> End Test Output'\n", "End Test Output'\n\n"),
        ("pytest\ngit checkout x\n", "pytest\ngit checkout x\n\n"),
    ] {
        let mut five = swe_bench("psf/requests", "a__b-1");
        five["image"] = json!("i:1");
        five["eval_script"] = json!(script_of_row);
        let job = script(&row(five), &[("x.py", "a\n")]).unwrap();
        assert!(job.script.ends_with(expected), "{}", job.script);
    }
}

#[test]
fn rows_of_r2e_run_their_own_script_and_hide_it() {
    let row = row(json!({
        "repo_name": "orange3", "docker_image": "i:1", "commit_hash": "0123456789abcdef", "problem_statement": "p",
        "parsed_commit_content": {"file_diffs": []}, "expected_output_json": {"test_a": "PASSED"},
        "execution_result_content": {"test_file_names": ["test_1.py"], "test_file_codes": ["pass"]},
    }));
    assert_eq!(row.kept_out(), ["r2e_tests/", "run_tests.sh", ".venv/"]);
    let job = script(&row, &[("x.py", "a\n")]).unwrap();
    assert!(job.script.ends_with("bash run_tests.sh\n") && job.script.contains("ln -s /r2e_tests r2e_tests"));
    assert_eq!(job.overlay.files.len(), 1, "the tests are in the image");
}

#[test]
fn rows_of_smith_begin_with_their_bug_and_without_their_tests() {
    let task = row(json!({
        "instance_id": "a__b.1.x", "repo": "swesmith/a__b.1", "image_name": "i:1", "base_commit": "c", "problem_statement": "p",
        "patch": "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-good\n+bad\n", "FAIL_TO_PASS": ["tests/test_x.py::test_it"], "PASS_TO_PASS": [],
    }));
    let before_bug = tree(&[("x.py", "good\n"), ("tests/test_x.py", "real\n")]);
    for image in [before_bug.fork(), {
        let mut tree = before_bug.fork();
        put(&mut tree, "x.py", "bad\n");
        tree
    }] {
        let bench = Bench { image: Some(image.fork()), ..Bench::default() };
        let workspace = workspace(&task, &bench);
        assert_eq!(&*workspace.base().read_all(b"x.py").unwrap(), b"bad\n");
        assert!(workspace.base().lstat(b"tests/test_x.py").is_err(), "hidden");
        let gold = task.gold_tree(&workspace).unwrap();
        assert_eq!(&*gold.read_all(b"x.py").unwrap(), b"good\n");
        let job = job(planned(&task, &bench, |tree| {
            put(tree, "x.py", "better\n");
            put(tree, "tests/test_x.py", "fake\n");
        })
        .unwrap());
        assert_eq!(overlaid(&job, "x.py").as_deref(), Some("better\n"));
        assert_eq!(overlaid(&job, "tests/test_x.py"), None, "as it is in the image");
        assert!(job.overlay.removed == [b".git"] && job.script.contains("--verbose 'tests/test_x.py'"));
    }
    // Neither with nor without the bug: over such files any change would be worth 1.
    let bench = Bench { image: Some(tree(&[("x.py", "other\n")])), ..Bench::default() };
    let error = block_on(task.workspace(&bench)).err().expect("the image is another").to_string();
    assert!(error.contains("the patch that makes its bug fits neither"), "{error}");
    assert!(!error.contains("good"), "nothing of the fix: {error}");
}

/// A row of a real data set plans, over an image that has nothing but what its tests change.
pub(crate) fn plans_as_row(task: &LoadedTask) {
    let mut task = task.clone();
    let Task { kind, secret, .. } = &mut task.task;
    if let Tests::Patch(patch) = &secret.tests {
        let made = touched_files(patch).into_iter().filter(|file| file.change != Change::Deleted).map(|file| {
            let path = file.path;
            format!("diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+pass\n")
        });
        secret.tests = Tests::Patch(made.collect());
    }
    if let Gold::Bug(bug) = &mut secret.gold {
        // The image has the bug already.
        *bug = "diff --git a/gone.py b/gone.py\ndeleted file mode 100644\n--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-pass\n".to_owned();
    }
    assert!(matches!(secret.expected, Expected::Lists { .. }));
    let kind = *kind;
    let job = script(&task, &[]).unwrap_or_else(|error| panic!("{kind} {}: {error}", task.id()));
    assert!(
        ["pytest", "runtests.py", "bin/test", "tox"].iter().any(|runner| job.script.contains(runner)),
        "{}",
        job.script
    );
    assert!(kind != Kind::SweSmith || job.overlay.files.len() == 1);
}
