//! What the tests of grading share: the example bugs over the real engine, and a submission that brings a module of an attacker's along.

use std::path::Path;

use assay_docker::{BenchSettings, DockerBench, EngineUrl};
use assay_model::Time;
use assay_rollout::task::{Files, LoadedTask, Workspace, load_tasks};
use assay_tree::Tree;
use tokio::sync::OnceCell;

/// The root of the checkout.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).expect("this crate lies in host/edge/docker")
}

/// Whether everything is graded (`make attacks-grading`), which takes half an hour on two cores, or a part of it in turn.
pub(crate) fn is_whole() -> bool {
    std::env::var_os("ASSAY_ALL_ATTACKS").is_some()
}

/// A bench on the engine that the tests use, with its files in this folder.
pub(crate) fn bench(folder: &Path) -> DockerBench {
    let url = std::env::var("DOCKER_HOST")
        .map_or_else(|_| EngineUrl::default(), |url| url.parse().expect("DOCKER_HOST names an engine"));
    let mut settings = BenchSettings::new(url, folder.join("artifacts"), folder.join("cache"));
    settings.pull = false;
    DockerBench::new(settings).expect("a bench can be made")
}

/// How long tests may take: far longer than they need, even on a busy machine.
const SECONDS: u32 = 120;

/// The example bugs with their files, each within 256 MiB. All tests of a program share them, so that what grading finds out about a task
/// is found out once.
pub(crate) async fn examples(bench: &DockerBench) -> &'static [(LoadedTask, Workspace)] {
    static EXAMPLES: OnceCell<Vec<(LoadedTask, Workspace)>> = OnceCell::const_new();
    let load = || async {
        let mut tasks = Vec::new();
        for mut task in load_tasks(&root().join("examples/bugs")).expect("the examples are tasks") {
            (task.limits.memory_bytes, task.limits.seconds) = (Some(256 << 20), Some(SECONDS));
            assert!(
                matches!(task.files, Files::Folder(_)),
                "the bench of the first test may be gone when another reads its files"
            );
            let workspace = task.workspace(bench).await.expect("an example brings its files along");
            tasks.push((task, workspace));
        }
        tasks
    };
    EXAMPLES.get_or_init(load).await
}

/// The files of a task with a module of the attacker's in its package, which imports it.
pub(crate) fn infected(task: &LoadedTask, workspace: &Workspace, module: &[u8]) -> Tree {
    let mut tree = workspace.base().fork();
    let package = task.id().as_bytes();
    let path = |name: &str| [package, b"/", name.as_bytes()].concat();
    let init = path("__init__.py");
    let text = [&*tree.read_all(&init).expect("it is there"), b"\nfrom . import _speedups\n"].concat();
    tree.put(&init, text.into(), Time::default()).expect("there is room");
    tree.put(&path("_speedups.py"), module.into(), Time::default()).expect("there is room");
    tree
}
