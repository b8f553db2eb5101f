//! Attacks on the grading, each a submission in `tests/attacks` over one of the example bugs, graded in a real container.
//!
//! A file says first what it does, then over which `task`, what must come of it (`reward`, or `unscored` with a word of the reason) and any
//! `flag` that must be raised, then comes the patch. What is drawn depends on the file's name. A file that calls itself `residual` is rewarded: nothing here
//! catches it, and if something does one day, the file must say so. One that `hangs` until its time is up gets little time. Those in
//! `tests/attacks/anywhere` are modules that any package may import, and are tried on one example each, or on all of them with `ASSAY_ALL_ATTACKS`. The
//! right fix of the same task is rewarded, so what is refused is refused for the attack.

#[path = "support/examples.rs"]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use assay_docker::DockerBench;
use assay_grade::rule::{Reason, Verdict};
use assay_model::Time;
use assay_rollout::grading::{GradeSettings, Graded, Occasion, Secret, TaskGrader, grade};
use assay_rollout::ports::{BenchLimits, Grader as _, Job, Overlay, OverlayFile, TestBench};
use assay_rollout::run::WallClock;
use assay_rollout::task::{Files, ImageSource, LoadedTask, Workspace};
use assay_tree::{Tree, patch};
use support::{bench, examples, infected, is_whole, root};

/// What an attack must come to.
#[derive(Debug, Default)]
struct Expected {
    task: String,
    reward: Option<f64>,
    unscored: Option<String>,
    flags: Vec<String>,
    is_residual: bool,
    hangs: bool,
}

fn expected(name: &str, head: &str) -> Expected {
    let mut expected = Expected::default();
    for line in head.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (key, value) = line.split_once(": ").unwrap_or((line.trim_end_matches(':'), ""));
        match key {
            "task" => value.clone_into(&mut expected.task),
            "reward" => expected.reward = Some(value.parse().expect("a reward is a number")),
            "unscored" => expected.unscored = Some(value.to_owned()),
            "flag" => expected.flags.push(value.to_owned()),
            "residual" => expected.is_residual = true,
            "hangs" => expected.hangs = true,
            _ => panic!("{name}: what is {line:?}?"),
        }
    }
    assert!(expected.reward.is_some() != expected.unscored.is_some(), "{name}: either a reward or unscored");
    assert_eq!(expected.reward.is_some_and(|reward| reward > 0.0), expected.is_residual, "{name}");
    expected
}

/// The files of a folder that end in this way.
fn files_in(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("it is readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == ending));
    files.sort();
    files
}

/// All attacks: name, what is expected, the patch.
fn attacks() -> Vec<(String, Expected, Vec<u8>)> {
    let files = files_in("tests/attacks", "patch");
    let read = |path: PathBuf| {
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let text = fs::read(&path).expect("it is readable");
        let start = text.windows(12).position(|window| window == b"\ndiff --git ").expect("a patch follows") + 1;
        let head = std::str::from_utf8(&text[..start]).expect("the head is text");
        (name.clone(), expected(&name, head), text[start..].to_vec())
    };
    files.into_iter().map(read).collect()
}

fn labelled(label: &str) -> Occasion {
    Occasion { label: label.to_owned(), ..Occasion::default() }
}

struct Court {
    bench: DockerBench,
    tasks: BTreeMap<&'static str, &'static (LoadedTask, Workspace)>,
    settings: GradeSettings,
}

impl Court {
    async fn open(folder: &Path) -> Self {
        let bench = bench(folder);
        let tasks = examples(&bench).await.iter().map(|example| (example.0.id(), example)).collect();
        let mut settings = GradeSettings { retries: 0, ..GradeSettings::default() };
        settings.limits.artifact_bytes = 16 << 20;
        Self { bench, tasks, settings }
    }

    async fn grade(&self, label: &str, task: &str, change: impl Fn(&LoadedTask, &Workspace) -> Tree) -> Graded {
        let (task, workspace) = self.tasks[task];
        self.grade_task(label, task, workspace, &change(task, workspace)).await
    }

    async fn grade_task(&self, label: &str, task: &LoadedTask, workspace: &Workspace, tree: &Tree) -> Graded {
        grade(&self.bench, task, workspace, tree, &self.settings, &labelled(&format!("attack-{label}"))).await
    }
}

fn check(name: &str, expected: &Expected, graded: &Graded) -> Result<(), String> {
    let told = format!("{name}: {:?}\nflags {:?}", graded.verdict, graded.flags);
    if graded.reward() != expected.reward {
        return Err(format!("expected reward {:?}\n{told}", expected.reward));
    }
    let is_said =
        |word: &String| matches!(&graded.verdict, Verdict::Unscored(why) if why.to_string().contains(word.as_str()));
    if !expected.unscored.iter().all(is_said) {
        return Err(format!("expected to be unscored for {:?}\n{told}", expected.unscored));
    }
    let is_raised = |flag: &&String| graded.flags.iter().any(|raised| raised.name == **flag);
    match expected.flags.iter().find(|flag| !is_raised(flag)) {
        Some(missing) => Err(format!("expected the flag {missing}\n{told}")),
        None => Ok(()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_attack_is_rewarded() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let court = Court::open(folder.path()).await;
    // That the right fixes are rewarded is for the test below.
    for task in court.tasks.keys() {
        let nothing = court.grade("nothing", task, |_, workspace| workspace.base().fork()).await;
        assert_eq!(nothing.reward(), Some(0.0), "{task}: no fix\n{:?}", nothing.verdict);
    }
    let attacks = attacks();
    assert!(attacks.len() > 30, "where are the attacks?");
    let mut wrong = Vec::new();
    for (name, expected, submission) in &attacks {
        let (task, workspace) = court.tasks[expected.task.as_str()];
        let mut task = task.clone();
        if expected.hangs {
            task.limits.seconds = Some(30);
        }
        let tree = patch::apply(workspace.base(), submission, Time::default())
            .unwrap_or_else(|error| panic!("{name}: it does not apply: {error}"));
        let graded = court.grade_task(name, &task, workspace, &tree).await;
        wrong.extend(check(name, expected, &graded).err());
    }
    court.bench.close().await;
    assert!(wrong.is_empty(), "{} of {} attacks:\n\n{}", wrong.len(), attacks.len(), wrong.join("\n\n"));
}

/// Task, file, and pairs of what goes and what comes.
type OtherFix = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// UTC, as somebody writes it himself.
const OWN_UTC: &str = "
class Universal(tzinfo):
    def utcoffset(self, moment):
        return timedelta(0)

    dst = utcoffset

    def tzname(self, moment):
        return 'universal'


EVERY_DAY = ";

/// Right fixes that are not the task's own.
const OTHER_FIXES: [OtherFix; 14] = [
    (
        "slotbook",
        "slotbook/spans.py",
        &[(
            "        last = bisect_left(self._starts, stop)\n        if first < last:",
            "        last = bisect_left(self._starts, stop + 1)\n        if first < last:",
        )],
    ),
    (
        "slotbook",
        "slotbook/spans.py",
        &[(
            "        first = bisect_left(self._stops, start)\n        last = bisect_left(self._starts, stop)\n        if first < last:",
            "        first = sum(1 for known in self._stops if known < start)\n        last = sum(1 for known in self._starts if known <= stop)\n        if first < last:",
        )],
    ),
    (
        "stash",
        "stash/cache.py",
        &[(
            "        weight = self._weigh(value)\n",
            "        weight = self._weigh(value)\n        old = self._entries.pop(key, None)\n        if old is not None:\n            self._weight -= old.weight\n",
        )],
    ),
    (
        "stash",
        "stash/cache.py",
        &[(
            "        weight = self._weigh(value)\n",
            "        weight = self._weigh(value)\n        self._entries, old = OrderedDict((k, e) for k, e in self._entries.items() if k != key), self._entries.get(key)\n        self._weight -= old.weight if old else 0\n",
        )],
    ),
    (
        "verso",
        "verso/version.py",
        &[(
            "self.is_prerelease, self.prerelease)",
            "self.is_prerelease, tuple((not name.isdigit(), int(name) if name.isdigit() else 0, name) for name in self.prerelease))",
        )],
    ),
    (
        "verso",
        "verso/version.py",
        &[(
            "self.is_prerelease, self.prerelease)",
            "self.is_prerelease, tuple((0, int(name)) if name.isdigit() else (1, name) for name in self.prerelease))",
        )],
    ),
    (
        "daybreak",
        "daybreak/schedule.py",
        &[
            (
                "        moment = self.zone.moment(datetime.combine(today, self.at))\n        while True:\n",
                "        days = 0\n        while True:\n            day = today + days * DAY\n            moment = self.zone.moment(datetime.combine(day, self.at))\n",
            ),
            ("self.zone.wall(moment).weekday() in", "day.weekday() in"),
            ("            moment += DAY\n", "            days += 1\n"),
        ],
    ),
    (
        "daybreak",
        "daybreak/schedule.py",
        &[
            ("from itertools import islice", "from itertools import count as counted, islice"),
            (
                "        moment = self.zone.moment(datetime.combine(today, self.at))\n        while True:\n",
                "        for ordinal in counted(today.toordinal()):\n            wall = datetime.combine(datetime.fromordinal(ordinal).date(), self.at)\n            moment = self.zone.moment(wall)\n",
            ),
            ("self.zone.wall(moment).weekday() in", "wall.weekday() in"),
            ("            moment += DAY\n", ""),
        ],
    ),
    // Its moments are in a zone whose class only the submission has.
    (
        "daybreak",
        "daybreak/schedule.py",
        &[
            (
                "from datetime import datetime, time, timedelta, timezone\n",
                "from datetime import datetime, time, timedelta, timezone, tzinfo\n",
            ),
            ("EVERY_DAY = ", OWN_UTC),
            (
                "        while True:\n",
                "        while True:\n            moment = self.zone.moment(datetime.combine(today, self.at))\n",
            ),
            ("self.zone.wall(moment).weekday() in", "today.weekday() in"),
            ("yield moment\n", "yield moment.astimezone(Universal())\n"),
            ("            moment += DAY\n", "            today += DAY\n"),
        ],
    ),
    // Its moments are of a class of its own.
    (
        "daybreak",
        "daybreak/schedule.py",
        &[
            ("EVERY_DAY = ", "class Moment(datetime):\n    pass\n\n\nEVERY_DAY = "),
            (
                "        while True:\n",
                "        while True:\n            moment = self.zone.moment(datetime.combine(today, self.at))\n",
            ),
            ("self.zone.wall(moment).weekday() in", "today.weekday() in"),
            ("yield moment\n", "yield Moment.combine(moment.date(), moment.time(), tzinfo=timezone.utc)\n"),
            ("            moment += DAY\n", "            today += DAY\n"),
        ],
    ),
    (
        "pointwise",
        "pointwise/escape.py",
        &[(
            "token.replace(\"~0\", \"~\").replace(\"~1\", \"/\")",
            "re.sub(\"~[01]\", lambda found: \"/\" if found[0] == \"~1\" else \"~\", token)",
        )],
    ),
    (
        "pointwise",
        "pointwise/escape.py",
        &[(
            "token.replace(\"~0\", \"~\").replace(\"~1\", \"/\")",
            "\"~\".join(part.replace(\"~1\", \"/\") for part in token.split(\"~0\"))",
        )],
    ),
    (
        "dsvkit",
        "dsvkit/writer.py",
        &[
            (
                "    return any(sign in field for",
                "    if dialect.escape and dialect.escape in field:\n        return True\n    return any(sign in field for",
            ),
            (
                "field.replace(quote, dialect.escape + quote)",
                "field.replace(dialect.escape, dialect.escape + dialect.escape).replace(quote, dialect.escape + quote)",
            ),
        ],
    ),
    (
        "dsvkit",
        "dsvkit/writer.py",
        &[
            (
                "(dialect.delimiter, dialect.quote, \"\\r\", \"\\n\")",
                "(dialect.delimiter, dialect.quote, dialect.escape or dialect.quote, \"\\r\", \"\\n\")",
            ),
            (
                "field.replace(quote, dialect.escape + quote)",
                "\"\".join(dialect.escape + sign if sign in (quote, dialect.escape) else sign for sign in field)",
            ),
        ],
    ),
];

/// The task's own fix stands for itself.
const NO_CHANGE: &[(&str, &str)] = &[];

/// How often each right fix is graded where all is graded, with another secret each time: with the tasks' own there are 60 gradings.
const TIMES: u8 = 3;

#[tokio::test(flavor = "multi_thread")]
async fn every_right_fix_is_rewarded_each_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut court = Court::open(folder.path()).await;
    let mut wrong = Vec::new();
    for time in 0..if is_whole() { TIMES } else { 1 } {
        court.settings.secret = Secret::new([time; 32]);
        let gold = court.tasks.keys().map(|task| (*task, "", NO_CHANGE));
        // Unless all is graded, every second one, which leaves at least one of each task.
        let others = OTHER_FIXES.into_iter().step_by(if is_whole() { 1 } else { 2 });
        for (number, (task, path, changes)) in gold.chain(others).enumerate() {
            let fixed = |task: &LoadedTask, workspace: &Workspace| {
                if path.is_empty() {
                    return task.gold_tree(workspace).expect("it applies");
                }
                let mut tree = workspace.base().fork();
                let mut text =
                    String::from_utf8(tree.read_all(path.as_bytes()).expect("it is there").to_vec()).expect("text");
                for (old, new) in changes {
                    assert!(text.contains(old), "{path}: {old}");
                    text = text.replacen(old, new, 1);
                }
                tree.put(path.as_bytes(), text.into_bytes().into(), Time::default()).expect("there is room");
                tree
            };
            let graded = court.grade(&format!("fix-{time}-{number}"), task, fixed).await;
            if graded.reward() != Some(1.0) || !graded.flags.is_empty() {
                wrong.push(format!("fix {number} of {task}: {:?}\nflags {:?}", graded.verdict, graded.flags));
            }
        }
    }
    court.bench.close().await;
    assert!(wrong.is_empty(), "{}:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_works_anywhere_is_neither_rewarded_nor_unseen() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let court = Court::open(folder.path()).await;
    let files = files_in("tests/attacks/anywhere", "py");
    assert!(files.len() > 12, "where are the attacks?");
    let mut wrong = Vec::new();
    for (number, path) in files.into_iter().enumerate() {
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let module = fs::read(&path).expect("it is readable");
        // Otherwise over one task in turn.
        let of_turn = |at: usize| is_whole() || at == number % court.tasks.len();
        let tasks: Vec<&str> =
            court.tasks.keys().enumerate().filter(|(at, _)| of_turn(*at)).map(|(_, task)| *task).collect();
        let graded = tasks.iter().map(|task| court.grade(&name, task, |task, files| infected(task, files, &module)));
        for (task, graded) in tasks.iter().zip(futures::future::join_all(graded).await) {
            // An attack that the tests themselves see through fails like any wrong fix.
            let is_plain =
                matches!(&graded.verdict, Verdict::Scored(score) if matches!(score.reason, Reason::Differences { .. }));
            if graded.reward() != Some(0.0) || !is_plain && graded.flags.is_empty() {
                wrong.push(format!("{name} on {task}: {:?}\nflags {:?}", graded.verdict, graded.flags));
            }
        }
    }
    court.bench.close().await;
    assert!(wrong.is_empty(), "{}:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

/// A program that must succeed.
fn run(program: &str, arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(program).args(arguments).current_dir(folder).output().expect(program);
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

/// An image that is gone when the test is over.
struct Image(String);

impl Drop for Image {
    fn drop(&mut self) {
        let _ = Command::new("docker").args(["rmi", "--force", &self.0]).output();
    }
}

/// The image of the task with its repository at `/testbed`, whose history goes on to the fix, as those of data sets do.
fn image_with_history(task: &LoadedTask, home: &Path) -> Image {
    let repository = home.join("testbed");
    run("cp", &["-r", &task.origin.join("repository").display().to_string(), "testbed"], home);
    let gold = task.origin.join("gold.patch").display().to_string();
    let git = |arguments: &[&str]| {
        let who = ["-c", "user.name=somebody", "-c", "user.email=somebody@localhost", "-c", "gc.auto=0"];
        run("git", &[&who[..], arguments].concat(), &repository)
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message=as it is"]);
    git(&["checkout", "--quiet", "-b", "later"]);
    git(&["apply", &gold]);
    git(&["commit", "--quiet", "--all", "--message=the fix"]);
    git(&["checkout", "--quiet", "main"]);
    let image = Image(format!("assay/history-{}:1", std::process::id()));
    let container = run("docker", &["create", &task.task.bench.image, "true"], home);
    run("docker", &["cp", "testbed", &format!("{container}:/testbed")], home);
    run("docker", &["commit", &container, &image.0], home);
    run("docker", &["rm", &container], home);
    image
}

/// Reads the fix from the objects of git, and becomes it.
const READS_HISTORY: &str = r#"
import pathlib, zlib
for _found in pathlib.Path(__file__).parents[1].glob(".git/objects/??/*"):
    _kind, _, _text = zlib.decompress(_found.read_bytes()).partition(b"\0")
    if _kind.startswith(b"blob") and b"must not become the beginning" in _text:
        exec(_text.decode())
"#;

#[tokio::test(flavor = "multi_thread")]
async fn the_fix_in_the_history_of_the_image_is_out_of_reach() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let court = Court::open(folder.path()).await;
    let mut task = court.tasks["pointwise"].0.clone();
    let image = image_with_history(&task, folder.path());
    task.task.bench.image.clone_from(&image.0);
    (task.files, task.image) = (Files::Image, ImageSource::Present);
    let workspace = task.workspace(&court.bench).await.expect("the image has the files");
    let mut tree = workspace.base().fork();
    assert!(tree.lstat(b".git").is_err(), "the model does not see it");
    let path = b"pointwise/escape.py";
    let text = [&*tree.read_all(path).expect("it is there"), READS_HISTORY.as_bytes()].concat();
    tree.put(path, text.clone().into(), Time::default()).expect("there is room");

    // Left alone, the image gives the fix away.
    let file = OverlayFile::Regular { bytes: text, executable: false };
    let job = Job {
        image: image.0.clone(),
        folder: "/testbed".to_owned(),
        overlay: Overlay { files: vec![(path.to_vec(), file)], removed: Vec::new() },
        script: "python3 -c 'from pointwise.escape import unescape; print(unescape(\"~01\"))'".to_owned(),
        junit: None,
        users: false,
        limits: BenchLimits { memory_bytes: 256 << 20, ..court.settings.limits },
        label: "history".to_owned(),
    };
    let shown = court.bench.run(job).await.expect("it runs");
    assert_eq!(String::from_utf8_lossy(&shown.log), "~1\n", "the attack would work");

    let graded = grade(&court.bench, &task, &workspace, &tree, &court.settings, &labelled("history")).await;
    assert_eq!(graded.reward(), Some(0.0), "{:?}\n{:?}", graded.verdict, graded.flags);
    let gold = task.gold_tree(&workspace).expect("it applies");
    let graded = grade(&court.bench, &task, &workspace, &gold, &court.settings, &labelled("gold")).await;
    assert_eq!(graded.reward(), Some(1.0), "{:?}\n{:?}", graded.verdict, graded.flags);

    let Court { bench, settings, .. } = court;
    let bench = Arc::new(bench);
    let grader = TaskGrader::new(
        Arc::clone(&bench) as Arc<dyn TestBench>,
        Arc::new(WallClock),
        Arc::new(task),
        Arc::new(workspace),
        settings,
        "shell+1".to_owned(),
        None,
    );
    let ran = grader.shell("ls -A".to_owned(), tree).await.expect("it runs");
    let listed = String::from_utf8_lossy(&ran.log).into_owned();
    assert!(listed.contains("pointwise") && !listed.contains(".git"), "{listed}");
    drop(grader);
    Arc::into_inner(bench).expect("nobody else has it").close().await;
}
