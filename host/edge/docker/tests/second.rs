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
use support::{bench, examples, infected, is_whole, root};

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
    let tasks = examples(&bench).await;
    for (task, workspace) in tasks {
        let gold = task.gold_tree(workspace).expect("it applies");
        let found = opinion(&bench, task, workspace, &gold, "gold").await;
        assert_eq!(found.says, Says::Agreed, "{}: {}", task.id(), found.log_end);
        assert!(found.nanoseconds > 0 && !found.edits.is_empty(), "{}", task.id());
        let found = opinion(&bench, task, workspace, workspace.base(), "none").await;
        assert!(matches!(found.says, Says::Disagreed { .. }), "{}: {:?}", task.id(), found.says);
    }
    // Each attack, or every third one, over one task in turn: what becomes of all of them over each is for `attacks.rs`.
    for (number, path) in attacks.iter().enumerate().filter(|(number, _)| is_whole() || number % 3 == 0) {
        let (task, workspace) = &tasks[number / 3 % tasks.len()];
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
own = os.getcwd()
if os.stat(own).st_uid != me:
    found.append("no folder of its own")
for path in glob.glob("/testbed/tests/*.py") + glob.glob(own + "/tests/*.py"):
    try:
        open(path).read()
        found.append("read " + path)
    except OSError:
        pass
shared = ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue"]
for place in sys.path + glob.glob("/testbed/**/", recursive=True) + ["/usr/bin", "/usr/lib/python3/dist-packages"]:
    if place == own or place.startswith(own + "/"):
        continue
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
# Its own folder and what everybody may write are empty of what others wrote, so it leaves there what it can.
for place in shared + [own, own + "/tests", os.path.dirname(__file__)]:
    names = [name for name in os.listdir(place) if name.startswith("left")]
    if names:
        found.append("left by another: " + place + repr(names))
    open(place + "/left-file", "w").close()
    if place != "/dev/mqueue":
        os.makedirs(place + "/left/" + "/".join(["l" * 200] * 15))
        os.symlink("/testbed", place + "/left-link")
# The rooms of those before.
for room in glob.glob("/tmp/*/holder-*"):
    if room not in own:
        try:
            os.listdir(room + "/home")
            found.append("entered " + room)
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
    let tasks = examples(&bench).await;
    for (task, workspace) in tasks.iter().step_by(if is_whole() { 1 } else { 3 }) {
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

/// A module where the tests could read it, which makes all of them pass in whatever process it is loaded.
const LEADS_ASTRAY: &str = r#"
import os as _o, sys as _s
_place = "/tmp/found-here"
if not _o.path.exists(_place):
    _o.mkdir(_place)
    with open(_place + "/report.py", "w") as _f:
        _f.write("""
import sys
def agenda(room):
    return "free: 120 minutes in 2 slots"
if "_pytest" in sys.modules:
    import _pytest.python
    _pytest.python.Function.runtest = lambda self: None
""")
"#;
/// How a package says that its modules are there.
const LEADS: [&str; 4] = [
    "__path__.insert(0, _place)\n",
    "__path__ = [_place]\n",
    "__spec__.submodule_search_locations[:] = [_place]\n__path__ = __spec__.submodule_search_locations\n",
    "class _M(type(_s)):\n    def __getattribute__(self, name):\n        \
     return [_place] if name in ('__path__', '__file__') else super().__getattribute__(name)\n_s.modules[__name__].__class__ = _M\n",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_package_does_not_say_where_the_tests_find_modules() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bench = bench(folder.path());
    let tasks = examples(&bench).await;
    let (task, workspace) = tasks.iter().find(|(task, _)| task.id() == "slotbook").expect("it is an example");
    let mut wrong = Vec::new();
    for lead in LEADS {
        // Without the fix.
        let mut tree = workspace.base().fork();
        let path = b"slotbook/__init__.py";
        let text = [&*tree.read_all(path).expect("it is there"), LEADS_ASTRAY.as_bytes(), lead.as_bytes()].concat();
        tree.put(path, text.into(), Time::default()).expect("there is room");
        let found = opinion(&bench, task, workspace, &tree, "astray").await;
        if !matches!(found.says, Says::Disagreed { .. }) {
            wrong.push(format!("{lead}: {:?}\n{}", found.says, found.log_end));
        }
    }
    bench.close().await;
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// What right fixes may do besides, after the fix in `schedule.py` of the example "daybreak".
const DOES_BESIDES: [(&str, &str); 13] = [
    ("a list of the library's", "from collections import UserList as _As\n"),
    ("a list of its own", "class _As(list):\n    pass\n"),
    ("its own of the library's", "from collections import UserList\nclass _As(UserList):\n    pass\n"),
    (
        "a file beside its module",
        "import pathlib as _p\n_As = list\n(_p.Path(__file__).parent / '_cache.txt').write_text('x')\n",
    ),
    (
        "the same by its real path",
        "import os as _o\n_As = list\n_o.mkdir(_o.path.join(_o.path.dirname(_o.path.realpath(__file__)), 'cache'))\n",
    ),
    ("a file in its folder", "_As = list\nopen('state.db', 'a').close()\n"),
    ("its own module again", "_As = list\nopen(__file__, 'a').close()\n"),
    ("a temporary folder", "import tempfile as _t\n_As = list\n_t.mkdtemp(dir='/tmp')\n_t.mkdtemp(dir='/var/tmp')\n"),
    ("the same file for each", "_As = list\nopen('/tmp/daybreak.lock', 'x').close()\n"),
    ("a lock of processes", "import multiprocessing as _m\n_As = list\n_L = _m.Lock()\n"),
    ("moments of its own", "class _D(timedelta):\n    pass\nDAY = _D(days=1)\n_As = list\n"),
    ("a double-ended one, as a list", "from collections import deque as _d\n_As = lambda found: list(_d(found))\n"),
    ("a view", "_As = lambda found: list(dict.fromkeys(found).keys())\n"),
];
/// And what none may be, whatever it says that it is.
const CLAIMS: [(&str, &str); 4] = [
    (
        "a list that equals all",
        "class _As(list):\n    def __eq__(self, other): return True\n    def __iter__(self): return iter([])\n",
    ),
    (
        "a list of the library's that equals all",
        "from collections import UserList\nclass _As(UserList):\n    def __eq__(self, other): return True\n    def __init__(self, found): self.data = []\n",
    ),
    (
        "a class by the name of one of the library's",
        "class UserList:\n    def __init__(self, found): self.data = list(found)\n    def __eq__(self, other): return True\nUserList.__module__ = 'collections'\n_As = UserList\n",
    ),
    ("a queue in the place of a list", "from collections import deque as _As\n"),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_a_right_fix_does_besides_is_nothing_against_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bench = bench(folder.path());
    let tasks = examples(&bench).await;
    let (task, workspace) = tasks.iter().find(|(task, _)| task.id() == "daybreak").expect("it is an example");
    let mut wrong = Vec::new();
    // Each, or every second one.
    let does_besides = DOES_BESIDES.into_iter().step_by(if is_whole() { 1 } else { 2 });
    for (is_right, (name, more)) in
        does_besides.map(|case| (true, case)).chain(CLAIMS.into_iter().map(|case| (false, case)))
    {
        let mut tree = task.gold_tree(workspace).expect("it applies");
        let path = b"daybreak/schedule.py";
        let uses = "_plain = Daily.upcoming\nDaily.upcoming = lambda self, *a, **k: _As(_plain(self, *a, **k))\n";
        let text = [&*tree.read_all(path).expect("it is there"), b"\n", more.as_bytes(), uses.as_bytes()].concat();
        tree.put(path, text.into(), Time::default()).expect("there is room");
        let found = opinion(&bench, task, workspace, &tree, "besides").await;
        if (found.says == Says::Agreed) != is_right {
            wrong.push(format!("{name}: {:?}\n{}", found.says, found.log_end));
        }
    }
    // What it cannot do is said in its own words.
    let mut tree = task.gold_tree(workspace).expect("it applies");
    let init = b"daybreak/__init__.py";
    tree.put(init, b"open('/usr/daybreak', 'w')\n".as_slice().into(), Time::default()).expect("there is room");
    let found = opinion(&bench, task, workspace, &tree, "besides").await;
    bench.close().await;
    let told = "the import of daybreak: PermissionError: [Errno 13] Permission denied failed";
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(found.says, Says::Disagreed { what: told.to_owned() });
}

const PLACES: &str = include_str!("../../../rollout/src/grading/second/places.py");
const HOSTILE_PLACES: &str = include_str!("second/hostile_places.py");

#[tokio::test(flavor = "multi_thread")]
async fn what_a_holder_leaves_is_gone_and_nothing_else() {
    let files = [("places.py", PLACES.to_owned()), ("hostile.py", HOSTILE_PLACES.to_owned())];
    assert_eq!(run_beside("hostile-places", files, true).await, "all is as it was\n");
}

const WIRE: &str = include_str!("../../../rollout/src/grading/second/wire.py");
const JUDGE: &str = include_str!("../../../rollout/src/grading/second/judge.py");
/// Holders that keep to no form, each against a judge that asks for one attribute.
const HOSTILE: &str = include_str!("second/hostile_holders.py");

/// Runs `hostile.py` beside other files in a container; gives what it printed.
async fn run_beside(label: &str, files: [(&str, String); 2], users: bool) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bench = bench(folder.path());
    let (task, _) = &examples(&bench).await[0];
    let file = |(name, text): (&str, String)| {
        (name.as_bytes().to_vec(), OverlayFile::Regular { bytes: text.into_bytes(), executable: false })
    };
    let job = Job {
        image: task.task.bench.image.clone(),
        folder: "/testbed".to_owned(),
        overlay: Overlay { files: files.into_iter().map(file).collect(), removed: Vec::new() },
        script: "python3 hostile.py".to_owned(),
        junit: None,
        users,
        limits: BenchLimits { memory_bytes: 512 << 20, seconds: 60, ..GradeSettings::default().limits },
        label: label.to_owned(),
    };
    let run = bench.run(job).await.expect("it runs");
    let log = String::from_utf8_lossy(&run.log).into_owned();
    bench.close().await;
    assert!(run.ended == Ended::Exited(0), "{:?}: {log}", run.ended);
    log
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_holder_can_only_fail() {
    let files = [("judge.py", format!("{WIRE}{JUDGE}")), ("hostile.py", HOSTILE.to_owned())];
    assert!(run_beside("hostile-holder", files, false).await.ends_with("all held\n"));
}
