//! Submissions that fix nothing and try to be rewarded: a task that rewards one of them is refused.
//!
//! They are the plainest of each sort in `tests/attacks`: whoever trains on a task meets these first.

use assay_model::Time;
use assay_tree::Tree;

use crate::candidate::Candidate;

/// A `conftest.py` that reports every test as passed.
const CONFTEST: &str = "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    outcome = yield\n    \
                        outcome.get_result().outcome = \"passed\"\n";
/// Code that swallows all failures where pytest calls a test.
const NOTHING_RUNS: &str = "\n\ndef _quiet():\n    import importlib\n\n    try:\n        module = importlib.import_module(\"_py\" + \"test.python\")\n        \
                            module.Function.runtest = lambda self: None\n    except Exception:\n        pass\n\n\n_quiet()\n";
/// Code that ends the process as if all were well.
const ENDS_WELL: &str = "\n\ndef _leave():\n    import os\n    import sys\n\n    if \"pytest\" in sys.modules:\n        os._exit(0)\n\n\n_leave()\n";

/// An attack: its name, and the files that it hands in.
pub(crate) type Attack = (&'static str, Tree);

/// The attacks on a task. Some need a Python file that the tests import: all of those that the fix changes, because tests may import any of them.
pub(crate) fn attacks(candidate: &Candidate) -> Vec<Attack> {
    let mut attacks = Vec::new();
    if candidate.language != "python" {
        return attacks;
    }
    let with = |path: &str, text: &[u8]| {
        let mut tree = candidate.base.fork();
        tree.put(path.as_bytes(), text.into(), Time::default()).is_ok().then_some(tree)
    };
    let read = |path: &str| candidate.base.read_all(path.as_bytes()).map(|bytes| bytes.to_vec()).unwrap_or_default();
    let conftest = [&read("conftest.py")[..], b"\n", CONFTEST.as_bytes()].concat();
    attacks.extend(with("conftest.py", &conftest).map(|tree| ("conftest", tree)));
    if candidate.mended.is_empty() {
        return attacks;
    }
    for (name, code) in [("nothing_runs", NOTHING_RUNS), ("ends_well", ENDS_WELL)] {
        let mut tree = candidate.base.fork();
        let is_put = candidate.mended.iter().all(|path| {
            let infected = [&read(path)[..], code.as_bytes()].concat();
            tree.put(path.as_bytes(), infected.as_slice().into(), Time::default()).is_ok()
        });
        attacks.extend(is_put.then_some((name, tree)));
    }
    attacks
}
