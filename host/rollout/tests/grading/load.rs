//! What loads, and what comes of it. What does not is in `hostile_tasks.rs`.

use std::fs;
use std::path::{Path, PathBuf};

use assay_grade::task::{Kind, Tests};
use assay_rollout::task::{Files, ImageSource, load_tasks};
use tempfile::TempDir;

use crate::support::{TASK, good_task, task, task_with, write};

#[test]
fn a_folder_becomes_a_task() {
    let (folder, task) = task_with(|toml| {
        format!(
            "{toml}protected = [\"tools/\"]\nallowed = [\"setup.cfg\"]\n[limits]\nseconds = 7\nmemory_mib = 64\ncpus = 0.5\npids = 9\n[agent]\nshell = true\n[reward]\nexpression = \"if(solved, 1, partial)\"\n"
        )
    });
    assert_eq!((task.id(), task.task.kind), ("median", Kind::Native));
    assert_eq!(task.public().problem_statement, "The median of an even number of values is wrong.");
    assert_eq!(task.files, Files::Folder(folder.path().join("repository")));
    assert_eq!(task.image, ImageSource::Present);
    assert_eq!((task.limits.seconds, task.limits.memory_bytes), (Some(7), Some(64 << 20)));
    assert_eq!((task.limits.millicpus, task.limits.pids), (Some(500), Some(9)));
    assert!(task.shell && task.reward.is_some() && task.model.is_none());
    assert!(matches!(&task.task.secret.tests, Tests::Files(files) if files[0].0 == "tests/test_median.py"));
    let public = format!("{:?}", task.public());
    assert!(!public.contains("half") && !public.contains("test_even"), "nothing secret: {public}");
}

#[test]
fn tests_may_be_a_patch_or_be_there_already() {
    let patch = "diff --git a/check_it.py b/check_it.py\nnew file mode 100644\n--- /dev/null\n+++ b/check_it.py\n@@ -0,0 +1 @@\n+pass\n";
    let folder = TempDir::new().unwrap();
    let files: Vec<_> = good_task().into_iter().filter(|(path, _)| !path.starts_with("tests/")).collect();
    write(folder.path(), &files);
    assert_eq!(load_tasks(folder.path()).unwrap()[0].task.secret.tests, Tests::InImage);
    write(folder.path(), &[("tests.patch", patch)]);
    assert_eq!(load_tasks(folder.path()).unwrap()[0].task.secret.tests, Tests::Patch(patch.to_owned()));
}

#[test]
fn folders_of_tasks_and_imported_ones_load_together() {
    let folder = TempDir::new().unwrap();
    write(&folder.path().join("b"), &good_task());
    let (_other, other) = task_with(|toml| toml.replace("median", "other"));
    fs::write(folder.path().join("a.json"), serde_json::to_vec(&other.task).unwrap()).unwrap();
    fs::write(folder.path().join("notes.txt"), "no task").unwrap();
    let tasks = load_tasks(folder.path()).unwrap();
    let found: Vec<_> = tasks.iter().map(|task| (task.id(), task.files == Files::Image)).collect();
    assert_eq!(found, [("other", true), ("median", false)]);
    assert_eq!(load_tasks(&folder.path().join("a.json")).unwrap().len(), 1);
    assert_eq!(load_tasks(&folder.path().join("b/task.toml")).unwrap().len(), 1);
}

/// A data set of R2E-Gym has megabytes in each row that no grading reads.
#[test]
fn what_nobody_reads_of_a_row_is_not_held_and_still_counts() {
    let folder = TempDir::new().unwrap();
    let load = |logs: &str| {
        let row = serde_json::json!({
            "instance_id": "r__r-1", "repo": "r/r", "base_commit": "c", "problem_statement": "It breaks.", "patch": "p", "test_patch": "t",
            "FAIL_TO_PASS": ["t.py::t"], "PASS_TO_PASS": [], "version": "1", "logs": logs,
        });
        fs::write(folder.path().join("rows.jsonl"), row.to_string()).unwrap();
        load_tasks(&folder.path().join("rows.jsonl")).unwrap().remove(0)
    };
    let [first, again, other] = ["a", "a", "b"].map(|letter| load(&letter.repeat(1 << 20)));
    assert!(first.task.secret.other.is_empty() && serde_json::to_vec(&first.task).unwrap().len() < 1_000);
    assert!(first.row.is_some() && first.row == again.row && first.row != other.row);
}

#[test]
fn an_image_is_built_from_what_is_there() {
    let folder = TempDir::new().unwrap();
    write(&folder.path().join("median"), &good_task());
    let toml = TASK.replace("from = \"present\"", "from = \"build\"\nbuild = \"../image\"");
    fs::write(folder.path().join("median/task.toml"), toml).unwrap();
    assert!(
        load_tasks(folder.path()).unwrap_err().to_string().contains("neither a script nor a folder with a Dockerfile")
    );
    write(folder.path(), &[("image/Dockerfile", "FROM scratch\n")]);
    let source = load_tasks(folder.path()).unwrap().remove(0).image;
    assert_eq!(source, ImageSource::Build(folder.path().join("median/../image")));
}

/// Where real rows lie: a folder named by `ASSAY_DATA`, or `shared/data` beside the repository. They are not part of it.
fn rows() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("ASSAY_DATA").map_or(beside, PathBuf::from);
    Some(data.join("rows")).filter(|rows| rows.is_dir())
}

#[test]
fn real_rows_load_where_they_are() {
    let Some(rows) = rows() else { return };
    for entry in fs::read_dir(rows).unwrap() {
        let path = entry.unwrap().path();
        let tasks = load_tasks(&path).unwrap_or_else(|error| panic!("{error}"));
        assert!(!tasks.is_empty());
        for task in tasks {
            crate::planning::plans_as_row(&task);
        }
    }
}

#[test]
fn nothing_of_a_loaded_task_spills_its_secrets() {
    let (_folder, task) = task();
    let shown = format!("{task:?}");
    assert!(!shown.contains("half = len(xs)") && !shown.contains("def test_even"), "{shown}");
}
