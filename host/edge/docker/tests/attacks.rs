//! Attacks on the grading, each a submission in `tests/attacks` over one of the example bugs, graded in a real container.
//!
//! A file says first what it does, then over which `task`, what must come of it (`reward`, or `unscored` with a word of the reason) and any
//! `flag` that must be raised, then comes the patch. A file that calls itself `residual` is rewarded: nothing here catches it, and if something does one
//! day, the file must say so. The right fix of the same task is rewarded, so what is refused is refused for the attack.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use assay_docker::{BenchSettings, DockerBench, EngineUrl};
use assay_grade::rule::Verdict;
use assay_model::Time;
use assay_rollout::grading::{GradeSettings, Graded, Occasion, TaskGrader, grade};
use assay_rollout::ports::{BenchLimits, Grader as _, Job, Overlay, OverlayFile, TestBench};
use assay_rollout::run::WallClock;
use assay_rollout::task::{Files, ImageSource, LoadedTask, Workspace, load_tasks};
use assay_world::{Tree, patch};

/// The root of the checkout.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).expect("this crate lies in host/edge/docker")
}

/// What an attack must come to.
#[derive(Debug, Default)]
struct Expected {
    task: String,
    reward: Option<f64>,
    unscored: Option<String>,
    flags: Vec<String>,
    is_residual: bool,
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
            _ => panic!("{name}: what is {line:?}?"),
        }
    }
    assert!(expected.reward.is_some() != expected.unscored.is_some(), "{name}: either a reward or unscored");
    assert_eq!(expected.reward.is_some_and(|reward| reward > 0.0), expected.is_residual, "{name}");
    expected
}

/// All attacks: name, what is expected, the patch.
fn attacks() -> Vec<(String, Expected, Vec<u8>)> {
    let mut files: Vec<PathBuf> = fs::read_dir(root().join("tests/attacks"))
        .expect("the folder is there")
        .map(|entry| entry.expect("it is readable").path())
        .collect();
    files.sort();
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
    tasks: BTreeMap<String, (LoadedTask, Workspace)>,
    settings: GradeSettings,
}

impl Court {
    async fn open(folder: &Path) -> Self {
        let url = std::env::var("DOCKER_HOST")
            .map_or_else(|_| EngineUrl::default(), |url| url.parse().expect("DOCKER_HOST names an engine"));
        let mut settings = BenchSettings::new(url, folder.join("artifacts"), folder.join("cache"));
        settings.pull = false;
        let bench = DockerBench::new(settings).expect("a bench can be made");
        let mut tasks = BTreeMap::new();
        for mut task in load_tasks(&root().join("examples/bugs")).expect("the examples are tasks") {
            task.limits.memory_bytes = Some(256 << 20);
            let workspace = task.workspace(&bench).await.expect("an example brings its files along");
            tasks.insert(task.id().to_owned(), (task, workspace));
        }
        let mut settings = GradeSettings { retries: 0, ..GradeSettings::default() };
        settings.limits.artifact_bytes = 16 << 20;
        Self { bench, tasks, settings }
    }

    async fn grade(&self, label: &str, task: &str, change: impl Fn(&LoadedTask, &Workspace) -> Tree) -> Graded {
        let (task, workspace) = &self.tasks[task];
        let tree = change(task, workspace);
        let occasion = labelled(&format!("attack-{label}"));
        grade(&self.bench, task, workspace, &tree, &self.settings, &occasion).await
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
    for task in court.tasks.keys() {
        let gold = court.grade("gold", task, |task, workspace| task.gold_tree(workspace).expect("it applies")).await;
        assert_eq!(gold.reward(), Some(1.0), "{task}: the right fix\n{:?}\n{:?}", gold.verdict, gold.flags);
        let nothing = court.grade("nothing", task, |_, workspace| workspace.base().fork()).await;
        assert_eq!(nothing.reward(), Some(0.0), "{task}: no fix\n{:?}", nothing.verdict);
    }
    let attacks = attacks();
    assert!(attacks.len() > 30, "where are the attacks?");
    let mut wrong = Vec::new();
    for (name, expected, submission) in &attacks {
        let graded = court
            .grade(name, &expected.task, |_, workspace| {
                patch::apply(workspace.base(), submission, Time::default())
                    .unwrap_or_else(|error| panic!("{name}: it does not apply: {error}"))
            })
            .await;
        wrong.extend(check(name, expected, &graded).err());
    }
    court.bench.close().await;
    assert!(wrong.is_empty(), "{} of {} attacks:\n\n{}", wrong.len(), attacks.len(), wrong.join("\n\n"));
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
    let (mut task, _) = court.tasks["pointwise"].clone();
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
