//! `assay tasks mine` through the binary, without an engine: histories that the test makes, honest and hostile. `host/mine/tests` mines one in containers.

use assay_tests::{assay, show};
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const REJECTED: i32 = 1;
const USAGE: i32 = 2;
const INFRASTRUCTURE: i32 = 4;

/// An engine that answers nobody.
const NO_ENGINE: [&str; 2] = ["--docker-url", "unix:///nonexistent/engine.sock"];

/// A git repository with fixed dates, made with none of this machine's settings.
struct Repository {
    home: tempfile::TempDir,
}

impl Repository {
    fn new() -> Self {
        let made = Self { home: tempfile::tempdir().expect("a temporary folder") };
        std::fs::create_dir(made.path()).expect("made");
        made.git(&["init", "--quiet", "--initial-branch=main"], b"");
        made
    }

    fn path(&self) -> PathBuf {
        self.home.path().join("shapes")
    }

    /// Runs git in the repository; what it prints.
    fn git(&self, arguments: &[&str], input: &[u8]) -> String {
        let mut child = Command::new("git")
            .args(arguments)
            .current_dir(self.path())
            .env("HOME", self.home.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs([
                ("GIT_AUTHOR_NAME", "A"),
                ("GIT_AUTHOR_EMAIL", "a@example.org"),
                ("GIT_AUTHOR_DATE", "1700000000 +0000"),
            ])
            .envs([
                ("GIT_COMMITTER_NAME", "A"),
                ("GIT_COMMITTER_EMAIL", "a@example.org"),
                ("GIT_COMMITTER_DATE", "1700000000 +0000"),
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("git starts");
        child.stdin.take().expect("a pipe").write_all(input).expect("git reads");
        let output = child.wait_with_output().expect("git ends");
        assert!(output.status.success(), "git {arguments:?}\n{}", show(&output));
        String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
    }

    /// Writes files and commits them all.
    fn commit(&self, message: &str, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = self.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, text).expect("written");
        }
        self.git(&["add", "--all"], b"");
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message], b"");
    }

    /// Makes the branch a commit of a tree with this listing, as `git mktree` takes it, on top of it.
    fn commit_entries(&self, message: &str, entries: &[(&str, &str, &[u8])]) {
        let mut tree = Vec::new();
        for (mode, name, content) in entries {
            let id = match *mode {
                "160000" => "a".repeat(40),
                _ => self.git(&["hash-object", "-w", "--stdin"], content),
            };
            tree.extend(format!("{mode} {name}\0").as_bytes());
            tree.extend((0..20).map(|at| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).expect("hexadecimal")));
        }
        let tree = self.git(&["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], &tree);
        let commit = self.git(&["commit-tree", &tree, "-p", "HEAD", "-m", message], b"");
        self.git(&["update-ref", "refs/heads/main", &commit], b"");
    }

    /// Mines it from its parent folder.
    fn mine(&self, flags: &[&str], code: i32) -> Output {
        let output =
            assay(self.home.path()).args(["tasks", "mine", "shapes"]).args(flags).output().expect("assay starts");
        assert_eq!(output.status.code(), Some(code), "{flags:?}\n{}", show(&output));
        assert!(!show(&output).contains("panicked"), "{}", show(&output));
        output
    }

    /// What was found of each commit: its subject and the reason for which it is no task, if there is one.
    fn reasons(&self, flags: &[&str]) -> Vec<(String, String)> {
        let output = self.mine(&[&["--dry-run", "--format", "json"], flags].concat(), 0);
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let judged = report["judged"].as_array().expect("a list").iter();
        judged.map(|judged| (text(&judged["subject"]), text(&judged["reason"]))).collect()
    }
}

const AREA: &str = "def area(width, height):\n    return width + height\n";
const AREA_MENDED: &str = "def area(width, height):\n    return width * height\n";
const AREA_TESTS: &str = "from shapes import area\n\n\ndef test_square():\n    assert area(2, 2) == 4\n\n\ndef test_long():\n    assert area(2, 3) == 6\n";
const MENDED: &str = "The area of a long rectangle is wrong (#12)\n\nA rectangle of 2 by 3 has the area 5. See shapes.py:2\n\nFixes #12\nSigned-off-by: A <a@example.org>\n";

/// A repository with a bug, and the commit that mends it.
fn shapes() -> Repository {
    let shapes = Repository::new();
    shapes.commit(
        "Begin",
        &[
            ("shapes.py", AREA),
            ("tests/test_shapes.py", "from shapes import area\n\n\ndef test_square():\n    assert area(2, 2) == 4\n"),
        ],
    );
    shapes.commit(MENDED, &[("shapes.py", AREA_MENDED), ("tests/test_shapes.py", AREA_TESTS)]);
    shapes
}

#[test]
fn commits_are_told_apart_without_running_anything() {
    let shapes = shapes();
    shapes.commit("Words only", &[("README.md", "Shapes.\n")]);
    shapes.commit("Code only", &[("shapes.py", "def area(width, height):\n    return height * width\n")]);
    shapes.commit("Tests only", &[("tests/test_more.py", "def test_nothing():\n    pass\n")]);
    shapes.commit(
        "A new function",
        &[
            (
                "shapes.py",
                "def area(width, height):\n    return height * width\n\n\ndef volume(side):\n    return side**3\n",
            ),
            ("tests/test_more.py", "from shapes import volume\n\n\ndef test_volume():\n    assert volume(2) == 8\n"),
        ],
    );
    shapes.git(&["checkout", "--quiet", "-b", "side"], b"");
    shapes.commit(
        "Size of nothing is an error for everybody",
        &[
            ("shapes.py", "def area(width, height):\n    return 1 * width * height\n"),
            ("tests/test_more.py", "def test_one():\n    assert 1\n"),
        ],
    );
    shapes.git(&["checkout", "--quiet", "main"], b"");
    shapes.commit("Between", &[("README.md", "More shapes.\n")]);
    shapes.git(&["merge", "--quiet", "--no-edit", "side"], b"");

    let reasons = shapes.reasons(&[]);
    for (subject, reason) in [
        ("Merge branch 'side'", "merge"),
        ("Between", "no_code"),
        ("A new function", "new_names"),
        ("Tests only", "no_code"),
        ("Code only", "no_tests"),
        ("Words only", "no_code"),
        ("The area of a long rectangle is wrong (#12)", ""),
        ("Begin", "no_parent"),
    ] {
        assert!(reasons.contains(&(subject.to_owned(), reason.to_owned())), "{subject}: {reason}\n{reasons:#?}");
    }
    assert_eq!(reasons.len(), 8, "commits of the side are not on the line of first parents\n{reasons:#?}");
    // A merge may be taken for one change.
    let merged = shapes.reasons(&["--merges", "--commits", "1"]);
    assert_eq!(merged, [("Merge branch 'side'".to_owned(), String::new())]);
    // Another beginning.
    let tip = shapes.git(&["rev-parse", "HEAD~1"], b"");
    shapes.git(&["tag", "--annotate", "v1", "--message", "one", "HEAD~1"], b"");
    for name in [tip.as_str(), "v1"] {
        assert_eq!(shapes.reasons(&["--from", name, "--commits", "1"])[0].0, "Between", "{name}");
    }
    shapes.git(&["pack-refs", "--all"], b"");
    shapes.git(&["gc", "--quiet"], b"");
    assert_eq!(shapes.reasons(&["--from", "v1", "--commits", "1"])[0].0, "Between", "packed");
    // The report says what is wrong, and nothing else of the message.
    let printed = show(&shapes.mine(&["--dry-run"], 0));
    let said = "The area of a long rectangle is wrong.\\n\\nA rectangle of 2 by 3 has the area 5.";
    assert!(printed.contains(said), "{printed}");
    for secret in ["#12", "shapes.py:2", "Signed-off", "width * height"] {
        assert!(!printed.contains(secret), "{secret}\n{printed}");
    }
}

#[test]
fn what_cannot_be_a_task_is_refused_by_name() {
    let mended: &[(&str, &str, &[u8])] =
        &[("100644", "shapes.py", AREA_MENDED.as_bytes()), ("100644", "test_shapes.py", AREA_TESTS.as_bytes())];
    let huge = vec![b'x'; 17 << 20];
    let many: Vec<(String, String)> =
        (0..70).map(|number| (format!("part{number:02}.py"), format!("number = {number}\n"))).collect();
    let many: Vec<(&str, &str, &[u8])> =
        many.iter().map(|(name, text)| ("100644", name.as_str(), text.as_bytes())).collect();
    for (reason, more) in [
        ("submodule", &[("160000", "vendored", &b""[..])][..]),
        ("unsafe_name", &[("100644", "..", b"x\n")]),
        ("unsafe_name", &[("100644", ".GIT", b"x\n")]),
        ("unsafe_name", &[("100644", "a/../../b", b"x\n")]),
        ("link", &[("120000", "z", b"/etc/passwd")]),
        ("binary", &[("100644", "z.bin", b"\0\x01")]),
        ("binary", &[("100644", "z.txt", b"\xff\xfe")]),
        ("too_large", &[("100644", "z.txt", &huge)]),
        ("too_large", &many),
        ("damaged", &[("100644", "test_shapes.py", b"twice\n")]),
    ] {
        let shapes = Repository::new();
        shapes.commit("Begin", &[("shapes.py", AREA)]);
        let mut entries = [mended, more].concat();
        entries.sort_by_key(|(_, name, _)| *name);
        shapes.commit_entries("The area of a rectangle is wrong", &entries);
        let reasons = shapes.reasons(&["--commits", "1"]);
        assert_eq!(reasons[0].1, reason, "{more:?}", more = more.iter().map(|entry| entry.1).collect::<Vec<_>>());
    }
}

/// Everything by which a repository has git run something of its own.
#[test]
fn nothing_of_the_repository_is_run() {
    let shapes = shapes();
    let canary = shapes.home.path().join("canary");
    let command = format!("touch {}", canary.display());
    shapes.commit("Attributes", &[(".gitattributes", "* filter=evil diff=evil\n")]);
    for (key, value) in [
        ("core.fsmonitor", command.as_str()),
        ("core.sshCommand", &command),
        ("core.pager", &command),
        ("core.editor", &command),
        ("core.alternateRefsCommand", &command),
        ("core.gitProxy", &command),
        ("core.hooksPath", "hooks"),
        ("filter.evil.smudge", &command),
        ("filter.evil.clean", &command),
        ("filter.evil.process", &command),
        ("diff.evil.textconv", &command),
        ("diff.evil.command", &command),
        ("diff.external", &command),
        ("gpg.program", &command),
        ("log.showSignature", "true"),
        ("alias.cat-file", &format!("!{command}")),
        ("remote.origin.url", &format!("ext::sh -c '{command}'")),
        ("remote.origin.promisor", "true"),
        ("remote.origin.uploadpack", &command),
        ("protocol.allow", "always"),
        ("extensions.partialClone", "origin"),
        ("core.repositoryFormatVersion", "1"),
        ("include.path", "/etc/passwd"),
    ] {
        let config = shapes.path().join(".git/config");
        let (section, name) = key.rsplit_once('.').expect("a key");
        let section = section.split_once('.').map_or(section.to_owned(), |(head, rest)| format!("{head} \"{rest}\""));
        let mut file = std::fs::OpenOptions::new().append(true).open(config).expect("opened");
        writeln!(file, "[{section}]\n\t{name} = \"{}\"", value.replace('"', "\\\"")).expect("written");
    }
    for hook in ["post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"] {
        for folder in [".git/hooks", "hooks"] {
            use std::os::unix::fs::PermissionsExt as _;
            let path = shapes.path().join(folder).join(hook);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(&path, format!("#!/bin/sh\n{command}\n")).expect("written");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("set");
        }
    }
    // An object that is not there would be fetched from the remote.
    let commit = std::fs::read_to_string(shapes.path().join(".git/refs/heads/main")).expect("read");
    let before = shapes.reasons(&[]);
    assert!(before.iter().any(|(subject, reason)| subject.starts_with("The area") && reason.is_empty()), "{before:?}");
    let (folder, rest) = commit.trim().split_at(2);
    std::fs::remove_file(shapes.path().join(".git/objects").join(folder).join(rest)).expect("removed");
    let printed = show(&shapes.mine(&["--dry-run"], INFRASTRUCTURE));
    assert!(printed.contains("is missing"), "{printed}");
    assert!(!canary.exists(), "something of the repository was run");
}

#[test]
fn what_is_no_repository_says_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let check = |name: &str, flags: &[&str], words: &[&str]| {
        let output = assay(folder.path()).args(["tasks", "mine", name]).args(flags).output().expect("assay starts");
        assert_eq!(output.status.code(), Some(USAGE), "{name} {flags:?}\n{}", show(&output));
        let printed = show(&output);
        for word in words.iter().chain(&["hint"]) {
            assert!(printed.contains(word), "{word}\n{printed}");
        }
    };
    let make = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    check("nothing", &[], &["failed to read the repository nothing: no such file"]);
    make("plain/a.py", "a = 1\n");
    check("plain", &[], &["it has no .git"]);
    make("linked/.git", "gitdir: ../other/.git\n");
    check("linked", &[], &["its .git is a file"]);
    make("borrowed/.git/objects/info/alternates", "../../other/.git/objects\n");
    check("borrowed", &[], &["borrows objects"]);
    // Git would open these and wait, whichever it is.
    let pipes = [
        "00/11",
        "pack/pack-1.idx",
        "pack/pack-1.pack",
        "pack/multi-pack-index",
        "info/commit-graph",
        "info/commit-graphs/x",
        "pack",
    ];
    for (number, pipe) in pipes.iter().enumerate() {
        let name = format!("piped{number}");
        make(&format!("{name}/.git/HEAD"), "ref: refs/heads/main\n");
        let pipe = folder.path().join(&name).join(".git/objects").join(pipe);
        std::fs::create_dir_all(pipe.parent().expect("a folder")).expect("made");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there").success());
        let began = Instant::now();
        check(&name, &[], &["is a pipe, a socket or a device"]);
        assert!(began.elapsed() < Duration::from_secs(30), "{name}: it did not wait");
    }
    make("deep/.git/objects/a/b/c/d/e/f", "");
    check("deep", &[], &["more than 4 deep"]);
    make("turning/.git/HEAD", "ref: HEAD\n");
    make("turning/.git/objects/x", "");
    check("turning", &[], &["stands for other names without an end"]);
    make("leaving/.git/HEAD", "ref: ../../secret\n");
    make("leaving/.git/objects/x", "");
    check("leaving", &[], &["is not the name of a reference"]);
    check("leaving", &["--from", "../x"], &["is not the name of a reference"]);
    make("empty/.git/HEAD", "ref: refs/heads/main\n");
    make("empty/.git/objects/x", "");
    check("empty", &["--from", "main"], &["`main` names no commit"]);
    for (flags, words) in [
        (&["--log-parser", "pytset"][..], &["did you mean `pytest`?"][..]),
        (&["--test-command", " "], &["--test-command is empty"]),
        (&["--image", "a b"], &["--image is not the name of an image"]),
    ] {
        check("plain", flags, words);
    }
}

/// Git that waits for a file does not see that its input has ended: it must go with whoever started it, however that one goes.
#[test]
fn nothing_is_left_of_a_command_that_is_killed() {
    let shapes = shapes();
    let tools = shapes.home.path().join("tools");
    std::fs::create_dir(&tools).expect("made");
    // It says its number in a file beside it, and never answers.
    let git = "#!/bin/sh\necho $$ >\"$(dirname \"$0\")/new\" && mv \"$(dirname \"$0\")/new\" \"$(dirname \"$0\")/number\"\nexec sleep 1000\n";
    std::fs::write(tools.join("git"), git).expect("written");
    let mode = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
    std::fs::set_permissions(tools.join("git"), mode).expect("a program");
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").expect("there is one"));
    let wait = |what: &str, is_so: &dyn Fn() -> bool| {
        let until = Instant::now() + Duration::from_secs(120);
        while !is_so() {
            assert!(Instant::now() < until, "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    for signal in ["TERM", "KILL"] {
        let mut command = assay(shapes.home.path());
        command.args(["tasks", "mine", "shapes", "--dry-run"]).env("PATH", &path);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("assay starts");
        let number = tools.join("number");
        wait("git starts", &|| number.exists());
        let git = std::fs::read_to_string(&number).expect("a number");
        std::fs::remove_file(&number).expect("removed");
        let killed = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        assert!(killed.expect("kill is there").success());
        child.wait().expect("it ended");
        // Where nobody takes what is left of it, it is a zombie.
        let state = format!("/proc/{}/stat", git.trim());
        wait("git ends", &|| std::fs::read_to_string(&state).map_or(true, |state| state.contains(") Z ")));
    }
}

#[test]
fn a_long_history_is_read_only_as_far_as_asked() {
    let long = Repository::new();
    let mut stream = String::new();
    for number in 0..100_000 {
        stream.push_str(&format!(
            "commit refs/heads/main\nmark :{}\ncommitter A <a@example.org> {} +0000\ndata 2\nx\n",
            number + 1,
            1_000_000 + number
        ));
    }
    long.git(&["fast-import", "--quiet"], stream.as_bytes());
    let began = Instant::now();
    assert_eq!(long.reasons(&["--commits", "50"]).len(), 50);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn a_folder_goes_on_with_the_settings_that_it_began_with() {
    let shapes = shapes();
    let run = [&NO_ENGINE[..], &["--image", "assay/none:1"]].concat();
    let printed = show(&shapes.mine(&run, INFRASTRUCTURE));
    assert!(printed.contains("no test engine") && printed.contains("hint"), "{printed}");
    let journal = shapes.home.path().join("tasks/mined.jsonl");
    let begun = std::fs::read_to_string(&journal).expect("a journal");
    assert_eq!(begun.lines().count(), 1, "{begun}");
    let printed = show(&shapes.mine(&[&run[..], &["--seconds", "7"]].concat(), USAGE));
    assert!(printed.contains("seconds was 300, now it is 7"), "{printed}");
    // A line that was half written is cut off; one that is damaged is named.
    std::fs::write(&journal, format!("{begun}{{\"commit\":")).expect("written");
    shapes.mine(&run, INFRASTRUCTURE);
    assert_eq!(std::fs::read_to_string(&journal).expect("a journal"), begun);
    std::fs::write(&journal, format!("{begun}{{}}\n")).expect("written");
    let printed = show(&shapes.mine(&run, USAGE));
    assert!(printed.contains("line 2 of") && printed.contains("damaged"), "{printed}");
}

#[test]
fn a_history_without_bug_fixes_gives_no_task() {
    let shapes = Repository::new();
    shapes.commit("Begin", &[("README.md", "Shapes.\n")]);
    let printed = show(&shapes.mine(&NO_ENGINE, REJECTED));
    assert!(printed.contains("no commit became a task") && printed.contains("--merges"), "{printed}");
}

#[test]
fn tasks_are_not_written_through_links() {
    let shapes = shapes();
    let outside = tempfile::tempdir().expect("a temporary folder");
    std::os::unix::fs::symlink(outside.path(), shapes.home.path().join("tasks")).expect("linked");
    let printed = show(&shapes.mine(&[&NO_ENGINE[..], &["--image", "assay/none:1"]].concat(), INFRASTRUCTURE));
    assert!(printed.contains("symbolic link"), "{printed}");
    assert_eq!(std::fs::read_dir::<&Path>(outside.path()).expect("a folder").count(), 0);
}
