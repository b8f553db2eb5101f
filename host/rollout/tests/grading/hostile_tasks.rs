//! Task folders that are wrong, each in one way: an error that says where and, where that can be guessed, how to mend it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use assay_rollout::task::load_tasks;
use tempfile::TempDir;

use crate::support::{TASK, good_task, write};

/// What is wrong with the good task after `break_it`: the error, then the hint.
fn complaint(break_it: impl FnOnce(&Path)) -> String {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &good_task());
    break_it(folder.path());
    let error = load_tasks(folder.path()).expect_err("it is broken");
    let place = folder.path().display().to_string();
    format!("{error} ({})", error.hint.clone().unwrap_or_default()).replace(&place, "TASK")
}

#[test]
fn documents_are_read_strictly() {
    let cases = [
        ("command =", "comand =", "task.toml, line 10: unknown field `comand`", "did you mean `command`?"),
        ("[tests]", "[test]", "unknown field `test`", "did you mean `tests`?"),
        ("id = \"median\"\n", "", "missing field `id`", ""),
        ("id = \"median\"", "id = \"../x\"", "key `id`", ""),
        ("id = \"median\"", "id = 7", "expected a string", ""),
        ("id = \"median\"", "id = \"", "line 2", ""),
        ("from = \"present\"", "from = \"presnt\"", "unknown variant `presnt`", "did you mean `present`?"),
        ("from = \"present\"", "from = \"build\"", "key `image.build`", "needs `build`"),
        ("from = \"present\"", "from = \"present\"\nfolder = \"/a/../b\"", "key `image.folder`", ""),
        ("from = \"present\"", "from = \"present\"\nfolder = \"testbed\"", "key `image.folder`", ""),
        ("\"pytest\"", "\"pytset\"", "no log parser `pytset`", "did you mean `pytest`?"),
        ("[\"tests/test_median.py::test_even\"]", "[]", "key `tests.fail_to_pass`: it is empty", ""),
        ("parser =", "protected = [\"../x\"]\nparser =", "`../x` is not a path within the repository", ""),
        ("parser =", "allowed = [\"/etc/passwd\"]\nparser =", "`/etc/passwd` is not a path within the repository", ""),
        ("parser =", "allowed = [\"a//b\"]\nparser =", "`a//b` is not a path", ""),
    ];
    for (from, to, error, hint) in cases {
        let found = complaint(|folder| fs::write(folder.join("task.toml"), TASK.replacen(from, to, 1)).unwrap());
        assert!(found.contains(error) && found.contains(hint), "{to}: {found}");
    }
    for (tail, error) in [
        ("[limits]\nseconds = 0\n", "key `limits.seconds`"),
        ("[limits]\nseconds = -1\n", "invalid value"),
        ("[limits]\ncpus = nan\n", "key `limits.cpus`"),
        ("[limits]\ncpus = 1e9\n", "key `limits.cpus`"),
        ("[limits]\nmemory_mib = 1\n", "key `limits.memory_mib`"),
        ("[reward]\nexpression = \"solvd\"\n", "did you mean `solved`?"),
        ("[reward]\nexpression = \"1\"\ncommand = \"x\"\n", "either an `expression` or a `command`"),
        ("[reward]\n", "either an `expression` or a `command`"),
    ] {
        let found = complaint(|folder| fs::write(folder.join("task.toml"), format!("{TASK}{tail}")).unwrap());
        assert!(found.contains(error), "{tail}: {found}");
    }
}

#[test]
fn missing_misspelt_and_misplaced_files_are_named() {
    type Break = fn(&Path);
    let cases: [(&str, Break, &str); 16] = [
        ("no report", |f| fs::remove_file(f.join("problem.md")).unwrap(), "TASK/problem.md: it is not there"),
        ("an empty report", |f| fs::write(f.join("problem.md"), " \n").unwrap(), "TASK/problem.md: it is empty"),
        ("no fix", |f| fs::remove_file(f.join("gold.patch")).unwrap(), "TASK/gold.patch: it is not there"),
        ("no repository", |f| fs::remove_dir_all(f.join("repository")).unwrap(), "TASK/repository: it is not there"),
        ("a misspelt part", |f| fs::write(f.join("gold.path"), "").unwrap(), "did you mean `gold.patch`?"),
        ("another part", |f| fs::create_dir(f.join("solution")).unwrap(), "no part of a task has this name"),
        (
            "a fix that does not apply",
            |f| fs::write(f.join("repository/median.py"), "x\n").unwrap(),
            "TASK/gold.patch: it does not apply",
        ),
        ("a fix that is none", |f| fs::write(f.join("gold.patch"), "").unwrap(), "TASK/gold.patch: it changes nothing"),
        (
            "a fix elsewhere",
            |f| fs::write(f.join("gold.patch"), "--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n").unwrap(),
            "TASK/gold.patch",
        ),
        ("a report that is not a text", |f| fs::write(f.join("problem.md"), b"\xff").unwrap(), "byte 0 is not UTF-8"),
        (
            "a test that is not a text",
            |f| fs::write(f.join("tests/data.bin"), b"a\xff").unwrap(),
            "byte 1 is not UTF-8",
        ),
        ("tests twice", |f| fs::write(f.join("tests.patch"), "").unwrap(), "there is also a folder `tests`"),
        ("a symlink among tests", |f| symlink("/etc/passwd", f.join("tests/x.py")).unwrap(), "it is a symbolic link"),
        (
            "tests without a file",
            |f| {
                fs::remove_dir_all(f.join("tests")).unwrap();
                fs::create_dir(f.join("tests")).unwrap();
            },
            "it contains no files",
        ),
        (
            "a folder for a file",
            |f| {
                fs::remove_file(f.join("problem.md")).unwrap();
                fs::create_dir(f.join("problem.md")).unwrap();
            },
            "it is not a regular file",
        ),
        (
            "a huge file",
            |f| fs::File::create(f.join("problem.md")).unwrap().set_len(65 << 20).unwrap(),
            "more than 67108864 bytes",
        ),
    ];
    for (name, break_it, error) in cases {
        let found = complaint(break_it);
        assert!(found.contains(error), "{name}: {found}");
    }
}

/// What no episode can mend is said to whoever wrote the task, before anything runs.
#[test]
fn a_reward_that_is_never_a_number_is_refused() {
    let with = |text: &str| {
        complaint(|folder| {
            let file = folder.join("task.toml");
            let task = fs::read_to_string(&file).unwrap() + &format!("\n[reward]\nexpression = \"{text}\"\n");
            fs::write(file, task).unwrap();
        })
    };
    for text in ["1/0", "0/0", "if(solved, 1, 1/0)", "solved/(partial-partial)", "min(1, -1/0)"] {
        assert!(with(text).contains("is a finite number for no episode (look for"), "{text}: {}", with(text));
    }
    for text in ["1/steps", "solved/(partial-1)", "1/(solved-1)", "if(steps > 0, cost/steps, 0)"] {
        let expression = assay_rollout::grading::Expression::parse(text).unwrap();
        assert!(!expression.is_hopeless(), "{text}");
    }
}

/// Puts a pipe there that nobody writes to.
fn fifo(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn links_and_pipes_in_the_place_of_a_part_are_refused() {
    let secret = TempDir::new().unwrap();
    let secret_file = secret.path().join("secret");
    fs::write(&secret_file, "the secret of somebody else").unwrap();
    for name in ["task.toml", "problem.md", "gold.patch", "tests.patch", "model.jsonl"] {
        let put = |what: &dyn Fn(&Path)| {
            complaint(|folder| {
                let _ = fs::remove_file(folder.join(name));
                if name == "tests.patch" {
                    fs::remove_dir_all(folder.join("tests")).unwrap();
                }
                what(&folder.join(name));
            })
        };
        for (to, what) in
            [(secret_file.as_path(), "a file"), (Path::new("/dev/zero"), "a device"), (Path::new("no"), "none")]
        {
            let found = put(&|place| symlink(to, place).unwrap());
            assert!(found.contains(&format!("TASK/{name}: it is a symbolic link")), "{name} -> {what}: {found}");
            assert!(!found.contains("somebody else"), "{found}");
        }
        let found = put(&fifo);
        assert!(found.contains("it is not a regular file"), "{name}: {found}");
        assert!(found.contains("replace it with a regular file"), "{name}: {found}");
    }
    for name in ["repository", "tests"] {
        let found = complaint(|folder| {
            fs::remove_dir_all(folder.join(name)).unwrap();
            symlink(secret.path(), folder.join(name)).unwrap();
        });
        assert!(found.contains("it is a symbolic link"), "{name}: {found}");
    }
    let found = complaint(|folder| fifo(&folder.join("repository/pipe")));
    assert!(found.contains("neither a file nor a folder"), "{found}");
    let found = complaint(|folder| fifo(&folder.join("tests/pipe.py")));
    assert!(found.contains("neither a file nor a folder"), "{found}");
    let found = complaint(|folder| {
        let document = TASK.replace("from = \"present\"", "from = \"build\"\nbuild = \"make-it\"");
        fs::write(folder.join("task.toml"), document).unwrap();
        symlink(&secret_file, folder.join("make-it")).unwrap();
    });
    assert!(found.contains("no part of a task") || found.contains("it is a symbolic link"), "{found}");
    let found = complaint(|folder| fs::create_dir_all(folder.join("repository").join("d/".repeat(300))).unwrap());
    assert!(found.contains("nest more than 200 deep"), "{found}");
}

#[test]
fn a_folder_of_tasks_may_hold_no_links_to_tasks() {
    let others = TempDir::new().unwrap();
    write(&others.path().join("theirs"), &good_task());
    fs::write(others.path().join("theirs.json"), "{}").unwrap();
    for (name, to) in [("linked", "theirs"), ("linked.json", "theirs.json")] {
        let folder = TempDir::new().unwrap();
        write(&folder.path().join("mine"), &good_task());
        symlink(others.path().join(to), folder.path().join(name)).unwrap();
        let found = load_tasks(folder.path()).unwrap_err();
        assert!(found.to_string().contains("it is a symbolic link") && found.hint.is_some(), "{name}: {found}");
    }
    // Whoever names a task may name a link to it.
    let folder = TempDir::new().unwrap();
    symlink(others.path().join("theirs"), folder.path().join("linked")).unwrap();
    assert_eq!(load_tasks(&folder.path().join("linked")).unwrap().len(), 1);
    fifo(&folder.path().join("rows.jsonl"));
    fifo(&folder.path().join("task.json"));
    for name in ["rows.jsonl", "task.json"] {
        assert!(
            load_tasks(&folder.path().join(name)).unwrap_err().to_string().contains("not a regular file"),
            "{name}"
        );
    }
}

#[test]
fn symlinks_of_a_repository_are_kept_and_not_followed() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &good_task());
    symlink("/etc", folder.path().join("repository/etc")).unwrap();
    symlink("..", folder.path().join("repository/up")).unwrap();
    fs::create_dir(folder.path().join("repository/.git")).unwrap();
    let task = load_tasks(folder.path()).unwrap().remove(0);
    let workspace = crate::support::workspace(&task, &crate::support::Bench::default());
    assert_eq!(workspace.base().readlink(b"etc").unwrap(), b"/etc");
    assert!(workspace.base().lstat(b".git").is_err());
    assert!(workspace.base().used().inodes < 12);
}

#[test]
fn other_paths_and_files() {
    let folder = TempDir::new().unwrap();
    let check = |name: &str, text: &str, error: &str| {
        fs::write(folder.path().join(name), text).unwrap();
        let found = load_tasks(&folder.path().join(name)).unwrap_err().to_string();
        assert!(found.contains(error), "{name}: {found}");
    };
    check("rows.csv", "x", "neither .json nor .jsonl");
    check("empty.jsonl", "\n", "it has no rows");
    check("bad.jsonl", "{\"a\":1}\n", "row 1: its keys fit none of");
    check("bad.json", "{\"secret\":\"the fix\"}", "it is not an imported task");
    let secret = fs::read_to_string(folder.path().join("bad.json")).unwrap();
    assert!(!load_tasks(&folder.path().join("bad.json")).unwrap_err().to_string().contains(&secret));
    assert!(load_tasks(&folder.path().join("none")).is_err());
    let empty = TempDir::new().unwrap();
    assert!(load_tasks(empty.path()).unwrap_err().to_string().contains("there is no task in it"));
    write(&empty.path().join("a"), &good_task());
    write(&empty.path().join("b"), &good_task());
    assert!(load_tasks(empty.path()).unwrap_err().to_string().contains("the id `median` is already used by"));
}
