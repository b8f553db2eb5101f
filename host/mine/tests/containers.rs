//! A made-up history of six commits, mined on the real engine: what is admitted, what is refused, and what its probes say.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use assay_docker::{BenchSettings, DockerBench, EngineUrl};
use assay_grade::rule::Rule;
use assay_mine::{
    History, HistorySettings, Judged, Reason, ReportFrom, Standing, TaskFolder, TaskSettings, Watch, WorkSettings, mine,
};
use assay_rollout::grading::{GradeSettings, Occasion, Secret, grade};
use assay_rollout::run::Stop;
use assay_rollout::task::load_tasks;

/// A repository that the test makes, with fixed dates and none of this machine's settings.
struct Repository(PathBuf);

impl Repository {
    fn new(path: PathBuf) -> Self {
        std::fs::create_dir(&path).expect("made");
        let made = Self(path);
        made.git(&["init", "--quiet", "--initial-branch=main"]);
        made
    }

    fn git(&self, arguments: &[&str]) {
        let status = Command::new("git")
            .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
            .args(arguments)
            .current_dir(&self.0)
            .env("HOME", &self.0)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", "1700000000 +0000")
            .env("GIT_COMMITTER_DATE", "1700000000 +0000")
            .stdin(Stdio::null())
            .status()
            .expect("git starts");
        assert!(status.success(), "git {arguments:?}");
    }

    fn commit(&self, message: &str, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = self.0.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, text).expect("written");
        }
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }
}

const AREA: &str =
    "def area(width, height):\n    return width + height\n\n\ndef edge(width, height):\n    return width + height\n";
const AREA_MENDED: &str =
    "def area(width, height):\n    return width * height\n\n\ndef edge(width, height):\n    return width + height\n";
const BOTH_MENDED: &str = "def area(width, height):\n    return width * height\n\n\ndef edge(width, height):\n    return 2 * (width + height)\n";
const TEST: &str = "from shapes import area\n\n\ndef test_square():\n    assert area(2, 2) == 4\n";
const TESTS: &str = "from shapes import area\n\n\ndef test_square():\n    assert area(2, 2) == 4\n\n\ndef test_long():\n    assert area(2, 3) == 6\n";
const EDGE_TESTS: &str = "import shapes\n\n\ndef test_edge_of_a_square():\n    assert shapes.edge(1, 1) == 4\n\n\ndef test_edge_of_nothing():\n    assert shapes.edge(0, 0) == 0\n";
/// One passes in any case, one in none.
const LINE_TESTS: &str = "import shapes\n\n\ndef test_nothing():\n    assert shapes.area(0, 0) == 0\n\n\ndef test_line():\n    assert shapes.area(1, 0) == -1\n";

fn shapes(folder: &Path) -> Repository {
    let shapes = Repository::new(folder.join("shapes"));
    shapes.commit("Begin", &[("shapes.py", AREA), ("tests/test_shapes.py", TEST)]);
    shapes.commit(
        "The area of a long rectangle is wrong (#12)\n\nFixes #12\n",
        &[("shapes.py", AREA_MENDED), ("tests/test_shapes.py", TESTS)],
    );
    shapes.commit("Words", &[("README.md", "Shapes.\n")]);
    shapes.commit("Fix", &[("shapes.py", BOTH_MENDED), ("tests/test_edge.py", EDGE_TESTS)]);
    shapes.commit(
        "A line has no area",
        &[("shapes.py", &format!("{BOTH_MENDED}\n\nflat = True\n")), ("tests/test_line.py", LINE_TESTS)],
    );
    shapes.commit(
        "Breaks off",
        &[
            ("shapes.py", &format!("{BOTH_MENDED}\n\nrounded = True\n")),
            ("tests/test_line.py", "import nowhere\n\n\ndef test_a():\n    pass\n"),
        ],
    );
    shapes
}

/// The image of the tests, by the word of the script that makes it.
fn image() -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bugs/image/build");
    let output = Command::new(script).arg("--name").output().expect("the script runs");
    String::from_utf8(output.stdout).expect("a name").trim().to_owned()
}

async fn bench(folder: &Path) -> DockerBench {
    let url = std::env::var("DOCKER_HOST")
        .map_or_else(|_| EngineUrl::default(), |url| url.parse().expect("DOCKER_HOST names an engine"));
    let mut settings = BenchSettings::new(url, folder.join("artifacts"), folder.join("cache"));
    settings.pull = false;
    let bench = DockerBench::new(settings).expect("a bench");
    for ready in [bench.check().await, bench.prepare(&image()).await] {
        ready.unwrap_or_else(|error| {
            panic!("{error}; this test needs a Docker engine and the image of the tests: run `make setup-docker`")
        });
    }
    bench
}

struct Quiet;

impl Watch for Quiet {
    fn began(&self, _: &str) {}
    fn ended(&self, _: &Judged) {}
}

#[tokio::test(flavor = "multi_thread")]
async fn six_commits_become_two_tasks() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let shapes = shapes(home.path());
    let settings = TaskSettings {
        name: "shapes".to_owned(),
        image: Some(image()),
        install: Vec::new(),
        test_command: None,
        log_parser: None,
        seconds: 60,
        repeat: 1,
    };
    let history =
        HistorySettings { repository: shapes.0.clone(), git: "git".into(), from: None, commits: 10, merges: false };
    let history = History::read(&history, &settings).expect("a history");
    assert_eq!((history.commits, history.candidates(), history.refused.len()), (6, 4, 2));
    let out = home.path().join("tasks");
    let grading = GradeSettings { rule: Rule::Strict, secret: Secret::new([7; 32]), ..GradeSettings::default() };
    let work = WorkSettings { grading, concurrency: 2, limit: None };
    let bench = bench(home.path()).await;

    let folder = TaskFolder::open(&out, &settings).expect("a folder");
    let judged = mine(&bench, &history, &folder, &settings, &work, &Quiet, &Stop::new()).await.expect("it is mined");
    let of = |subject: &str| judged.iter().find(|judged| judged.subject.starts_with(subject)).expect("it was judged");
    let area = of("The area");
    assert_eq!((area.standing, area.fail_to_pass, area.pass_to_pass), (Standing::Admitted, 1, 1), "{area:?}");
    assert_eq!((area.report, area.attacks), (Some(ReportFrom::Message), 3), "{area:?}");
    assert!(area.controls > Some(0) && area.second_opinion, "{area:?}");
    let edge = of("Fix");
    assert_eq!((edge.standing, edge.report), (Standing::Admitted, Some(ReportFrom::Tests)), "{edge:?}");
    assert_eq!((of("A line").reason, of("Breaks").reason), (Some(Reason::NoFailToPass), Some(Reason::TestsDoNotRun)));

    // What a model is told.
    let read =
        |judged: &Judged, name: &str| std::fs::read_to_string(out.join(&judged.task).join(name)).expect("a file");
    let problem = read(area, "problem.md");
    assert!(problem.contains("> The area of a long rectangle is wrong.\n") && !problem.contains('#'), "{problem}");
    assert!(read(edge, "problem.md").contains("has to do with: edge of a square"), "{}", read(edge, "problem.md"));

    // Everybody else loads them; the right fix solves them, a submission that changes nothing does not.
    let tasks = load_tasks(&out).expect("tasks");
    assert_eq!(tasks.len(), 2);
    for task in &tasks {
        let workspace = task.workspace(&bench).await.expect("files");
        let gold = task.gold_tree(&workspace).expect("the fix");
        for (tree, solved) in [(&gold, true), (workspace.base(), false)] {
            let occasion = Occasion { label: format!("{}-{solved}", task.id()), ..Occasion::default() };
            let graded = grade(&bench, task, &workspace, tree, &work.grading, &occasion).await;
            assert_eq!(graded.is_solved(), solved, "{}: {:?}", task.id(), graded.verdict);
        }
    }

    // Again: all is known, and nothing runs. An engine that is not there is not missed.
    drop(folder);
    let folder = TaskFolder::open(&out, &settings).expect("the folder");
    let nowhere = "unix:///nonexistent/engine.sock".parse().expect("a URL");
    let other =
        DockerBench::new(BenchSettings::new(nowhere, home.path().join("a"), home.path().join("c"))).expect("a bench");
    let again = mine(&other, &history, &folder, &settings, &work, &Quiet, &Stop::new()).await.expect("it is known");
    assert_eq!(again, judged);
    // A line that was lost with its process: the task is there, and is not run again.
    drop(folder);
    let journal = std::fs::read_to_string(out.join("mined.jsonl")).expect("a journal");
    let kept: String =
        journal.lines().filter(|line| !line.contains(&area.commit)).map(|line| format!("{line}\n")).collect();
    std::fs::write(out.join("mined.jsonl"), kept).expect("written");
    let folder = TaskFolder::open(&out, &settings).expect("the folder");
    let again = mine(&other, &history, &folder, &settings, &work, &Quiet, &Stop::new()).await.expect("it is found");
    assert_eq!(again.iter().filter(|judged| judged.standing == Standing::Admitted).count(), 2);
    other.close().await;
    bench.close().await;
}
