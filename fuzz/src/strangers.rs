//! Folders that a stranger has filled: links, pipes, folders and files where others are expected.

use assay_files::{Folder, Links};
use assay_rollout::task::load_tasks;
use assay_validator::{check_crate_sources, check_dependencies};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// What lies outside, and must neither be read nor changed.
const SECRET: &str = "secret_of_the_house";
/// Places in the folder that something of ours opens.
const NAMES: [&str; 16] = [
    "task.toml",
    "problem.md",
    "gold.patch",
    "tests.patch",
    "model.jsonl",
    "repository",
    "repository/x.py",
    "tests",
    "tests/t.py",
    "Cargo.toml",
    "Cargo.lock",
    "src",
    "src/lib.rs",
    "src/a",
    "src/a/b.rs",
    "other.json",
];
/// Where links lead.
const TARGETS: [&str; 8] =
    ["../outside/file", "../outside", "..", ".", "/dev/zero", "nowhere", "src", "../folder/problem.md"];
const TASK: &str = "id = \"t\"\nlanguage = \"python\"\n[image]\nname = \"i:1\"\nfrom = \"present\"\n[tests]\ncommand = \"pytest\"\nparser = \"pytest\"\nfail_to_pass = [\"t.py::t\"]\n";
const GOLD: &str = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n";

/// Each byte pair is a change to a folder that is a good task and a crate; then everything of ours looks at it, and writes into it.
pub fn folder(bytes: &[u8]) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let (folder, outside) = (home.path().join("folder"), home.path().join("outside"));
    fs::create_dir_all(outside.join("inner")).expect("made");
    for name in ["file", "lib.rs", "task.toml", "inner/b.rs"] {
        fs::write(outside.join(name), format!("{SECRET} {{")).expect("written");
    }
    good(&folder);
    for pair in bytes.chunks_exact(2).take(40) {
        change(&folder, pair[0], pair[1]);
    }
    let seen = [
        format!("{:?}", load_tasks(&folder)),
        check_crate_sources(&folder).to_json().to_string(),
        check_dependencies(&folder.join("Cargo.toml")).to_json().to_string(),
    ];
    assert!(seen.iter().all(|seen| !seen.contains(SECRET)), "what lies outside was read: {seen:?}");
    if let Ok(opened) = Folder::open(&folder, Links::Refused) {
        for name in NAMES.iter().filter(|name| !name.contains('/')) {
            let _ = opened.read(name, 1 << 20).map(|bytes| assert!(!String::from_utf8_lossy(&bytes).contains(SECRET)));
            let _ = opened.write(name, b"written", 0o644);
            let _ = opened.file_to_change(name, 0o644).and_then(|file| Ok(file.set_len(0)?));
            let _ = opened.remove_file(name);
        }
    }
    for name in ["file", "lib.rs", "task.toml", "inner/b.rs"] {
        let now = fs::read_to_string(outside.join(name)).expect("it is there");
        assert_eq!(now, format!("{SECRET} {{"), "what lies outside was changed");
    }
    assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 4, "something was made outside");
}

fn good(folder: &Path) {
    for name in ["repository", "tests", "src/a"] {
        fs::create_dir_all(folder.join(name)).expect("made");
    }
    let lib = "use assay_sdk::*;";
    for (name, text) in [
        ("task.toml", TASK),
        ("problem.md", "It is wrong."),
        ("gold.patch", GOLD),
        ("repository/x.py", "a = 1\n"),
        ("tests/t.py", "pass\n"),
        ("src/lib.rs", lib),
        ("src/a/b.rs", ""),
    ] {
        fs::write(folder.join(name), text).expect("written");
    }
}

/// Puts something in the place of something else. What cannot be done is not done.
fn change(folder: &Path, what: u8, how: u8) {
    let place = folder.join(NAMES[usize::from(what) % NAMES.len()]);
    // A folder that is a link by now would have it happen outside.
    let is_inside = place
        .parent()
        .and_then(|parent| parent.canonicalize().ok())
        .is_some_and(|parent| folder.canonicalize().is_ok_and(|folder| parent.starts_with(folder)));
    if !is_inside {
        return;
    }
    let _ = fs::remove_file(&place);
    let _ = fs::remove_dir_all(&place);
    let target = TARGETS[usize::from(how >> 3) % TARGETS.len()];
    let _ = match how % 8 {
        0..=3 => symlink(target, &place),
        4 => std::process::Command::new("mkfifo").arg(&place).status().map(drop),
        5 => fs::create_dir(&place),
        6 => fs::write(&place, [how; 100]),
        _ => Ok(()),
    };
}
