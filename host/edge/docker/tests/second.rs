//! The second opinion alone, as if the log, the watch and the confirming runs had all been beaten: the right fixes pass, no fix and no attack does, and
//! a holder that says anything at all can do no more than fail a test.

#[path = "support/examples.rs"]
mod support;

use std::fs;
use std::path::PathBuf;

use assay_docker::DockerBench;
use assay_grade::rule::Ended;
use assay_model::Time;
use assay_rollout::grading::{GradeSettings, Says, SecondOpinion, second_opinion};
use assay_rollout::ports::{BenchLimits, Job, Overlay, OverlayFile, TestBench};
use assay_rollout::task::{LoadedTask, Workspace};
use assay_tree::Tree;
use support::{bench, examples, infected, root};

async fn opinion(bench: &DockerBench, task: &LoadedTask, files: &Workspace, tree: &Tree, label: &str) -> SecondOpinion {
    let found = second_opinion(bench, task, files, tree, &GradeSettings::default(), label).await;
    found.unwrap_or_else(|error| panic!("{label} on {}: {error}", task.id()))
}

#[tokio::test(flavor = "multi_thread")]
async fn right_fixes_agree_and_nothing_else_does() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bench = bench(folder.path());
    let entries = fs::read_dir(root().join("tests/attacks/anywhere")).expect("the folder is there");
    let mut attacks: Vec<PathBuf> = entries.map(|entry| entry.expect("it is readable").path()).collect();
    attacks.sort();
    assert!(attacks.len() > 12, "where are the attacks?");
    let mut wrong = Vec::new();
    let tasks = examples(&bench, 40).await;
    for (task, workspace) in &tasks {
        let gold = task.gold_tree(workspace).expect("it applies");
        let found = opinion(&bench, task, workspace, &gold, "gold").await;
        assert_eq!(found.says, Says::Agreed, "{}: {}", task.id(), found.log_end);
        assert!(found.nanoseconds > 0 && !found.edits.is_empty(), "{}", task.id());
        let found = opinion(&bench, task, workspace, workspace.base(), "none").await;
        assert!(matches!(found.says, Says::Disagreed { .. }), "{}: {:?}", task.id(), found.says);
    }
    // Each attack over one task in turn: what becomes of all of them over each is for `attacks.rs`.
    for (number, path) in attacks.iter().enumerate() {
        let (task, workspace) = &tasks[number % tasks.len()];
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let tree = infected(task, workspace, &fs::read(path).expect("it is readable"));
        let found = opinion(&bench, task, workspace, &tree, &name).await;
        if !matches!(found.says, Says::Disagreed { .. } | Says::Unfinished { .. }) {
            wrong.push(format!("{name} on {}: {:?}", task.id(), found.says));
        }
    }
    bench.close().await;
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// What a submission tries on the other process: its files, its memory, its end, the log, the tests; and on the processes of other tests.
const REACHES_OUT: &str = r#"
import ctypes, fcntl, glob, os, signal, sys
found = []
me = os.getuid()
for place in glob.glob("/proc/[0-9]*"):
    pid = int(place[6:])
    try:
        other = os.stat(place).st_uid != me
    except OSError:
        continue
    if not other:
        continue
    for name, mode in [("mem", "r+b"), ("environ", "rb"), ("fd/1", "wb")]:
        try:
            with open(place + "/" + name, mode) as file:
                if name != "environ" or file.read(1): found.append(name)
        except OSError:
            pass
    for number in (0, signal.SIGSTOP, signal.SIGKILL):
        try:
            os.kill(pid, number)
            found.append("kill")
        except OSError:
            pass
    if ctypes.CDLL(None).ptrace(16, pid, 0, 0) == 0:
        found.append("ptrace")
for path in glob.glob("/testbed/tests/*.py"):
    try:
        open(path).read()
        found.append("read " + path)
    except OSError:
        pass
for place in sys.path + ["/testbed", "/usr/bin", "/usr/lib/python3/dist-packages"]:
    try:
        open(place + "/assay_probe", "w").close()
        found.append("write " + place)
    except OSError:
        pass
for step in (os.setuid, os.setgid):
    try:
        step(0)
        found.append("root")
    except OSError:
        pass
# What one test's process leaves to the next: flags of an open file, the priority of a session, the name of a dead process.
flags = fcntl.fcntl(0, fcntl.F_GETFL)
if flags & os.O_NONBLOCK:
    found.append("flags left by another")
fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_NONBLOCK)
try:
    with open("/proc/self/autogroup", "r+") as file:
        # Empty where sessions have none.
        if "nice 0" not in (file.read() or "nice 0"):
            found.append("a priority left by another")
        file.write("5")
except OSError:
    pass
for place in glob.glob("/proc/[0-9]*/comm"):
    try:
        if open(place).read().startswith("left"): found.append("a dead process left by another")
    except OSError:
        pass
CLONE, PARENT, NAME = 56, 0x8000, 15
if ctypes.CDLL(None).syscall(CLONE, PARENT | signal.SIGCHLD, 0, 0, 0, 0) == 0:
    ctypes.CDLL(None).prctl(NAME, b"left", 0, 0, 0)
    os._exit(0)
if "pytest" in sys.modules or os.environ.get("ASSAY_SECOND") or me == 0 or found:
    raise RuntimeError("reached: " + repr((me, found)))
"#;

#[tokio::test(flavor = "multi_thread")]
async fn the_submission_reaches_nothing_of_the_tests() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bench = bench(folder.path());
    for (task, workspace) in &examples(&bench, 40).await {
        // With the right fix, so that whatever it reached would be what fails.
        let mut tree = task.gold_tree(workspace).expect("it applies");
        let init = [task.id().as_bytes(), b"/__init__.py"].concat();
        let text = [&*tree.read_all(&init).expect("it is there"), REACHES_OUT.as_bytes()].concat();
        tree.put(&init, text.into(), Time::default()).expect("there is room");
        let found = opinion(&bench, task, workspace, &tree, "reach").await;
        assert_eq!(found.says, Says::Agreed, "{}: {}", task.id(), found.log_end);
    }
    bench.close().await;
}

const WIRE: &str = include_str!("../../../rollout/src/grading/second/wire.py");
const JUDGE: &str = include_str!("../../../rollout/src/grading/second/judge.py");
/// Holders that keep to no form, each against a judge that asks for one attribute.
const HOSTILE: &str = include_str!("second/hostile_holders.py");

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_holder_can_only_fail() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bench = bench(folder.path());
    let (task, _) = examples(&bench, 40).await.remove(0);
    let file = |name: &str, text: String| {
        (name.as_bytes().to_vec(), OverlayFile::Regular { bytes: text.into_bytes(), executable: false })
    };
    let files = vec![file("judge.py", format!("{WIRE}{JUDGE}")), file("hostile.py", HOSTILE.to_owned())];
    let job = Job {
        image: task.task.bench.image.clone(),
        folder: "/testbed".to_owned(),
        overlay: Overlay { files, removed: Vec::new() },
        script: "python3 hostile.py".to_owned(),
        junit: None,
        users: false,
        limits: BenchLimits { memory_bytes: 512 << 20, seconds: 60, ..GradeSettings::default().limits },
        label: "hostile-holder".to_owned(),
    };
    let run = bench.run(job).await.expect("it runs");
    let log = String::from_utf8_lossy(&run.log).into_owned();
    bench.close().await;
    assert!(run.ended == Ended::Exited(0) && log.ends_with("all held\n"), "{:?}: {log}", run.ended);
}
