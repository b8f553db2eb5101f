//! The job of a second opinion: the same files and the same command, between two users of the container.
//!
//! Invariant: a file of the submission is never readable by the process of the tests, and one of the tests that decide never by the submission's.

use std::collections::BTreeSet;

use serde_json::json;

use super::Protection;
use crate::grading::draw::Draw;
use crate::grading::watch::PLACES;
use crate::ports::{Job, OverlayFile};
use crate::task::{LoadedTask, Workspace};

const WIRE: &str = include_str!("wire.py");
const HOLDER: &str = include_str!("holder.py");
const NURSERY: &str = include_str!("nursery.py");
const JUDGE: &str = include_str!("judge.py");
const PLUGIN: &str = include_str!("plugin.py");
const PLACES_OF_HOLDERS: &str = include_str!("places.py");
const LAUNCH: &str = include_str!("launch.py");
/// How much longer than in one process the tests may take: each access to an object of the submission's is a question.
const TIMES_LONGER: u32 = 4;
/// What each test may take besides: it has processes of its own, which load the package anew. Most need a tenth of a second; the rest is for packages
/// that load slowly and machines that are busy.
const SECONDS_A_TEST: u32 = 2;

/// What is drawn for one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    /// The plugin's name as a module; it need not be secret, only no other module's.
    module: String,
    /// What the line of the report begins with.
    pub(super) token: String,
}

impl Mark {
    pub(super) fn drawn(mut draw: Draw) -> Self {
        Self { module: format!("_{}", &draw.hex()[..12]), token: draw.hex() }
    }
}

/// Which files are whose, relative to the job's folder.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Sides {
    /// Modules that the process of the tests may load: those of the tests.
    tests: BTreeSet<String>,
    /// What decides: for the process of the tests only.
    hidden: BTreeSet<String>,
    /// What the submission may have written: for its own process only.
    submitted: BTreeSet<String>,
}

impl Sides {
    pub(super) fn of(task: &LoadedTask, workspace: &Workspace, job: &Job) -> Self {
        let protection = Protection::of(task);
        let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
        let image = workspace.image.walk(b"/").into_iter().flatten().map(|(path, _)| path);
        let laid = job.overlay.files.iter().filter(|(_, file)| matches!(file, OverlayFile::Regular { .. }));
        let mut sides = Self::default();
        for path in image.chain(laid.clone().map(|(path, _)| path.clone())) {
            if path.ends_with(b".py") && protection.refusal(&path).is_some() {
                sides.tests.insert(text(&path));
            }
        }
        let is_free = |path: &&Vec<u8>| protection.refusal(path).is_none();
        sides.submitted = laid.map(|(path, _)| path).filter(is_free).map(|path| text(path)).collect();
        sides.hidden = protection.decisive().iter().filter(|path| path.ends_with(".py")).cloned().collect();
        sides
    }
}

/// The job that gives the opinion on this many tests.
pub(super) fn second(job: &Job, sides: &Sides, mark: &Mark, tests: usize) -> Job {
    let mut limits = job.limits;
    let tests = u32::try_from(tests).unwrap_or(u32::MAX);
    limits.seconds = limits.seconds.saturating_mul(TIMES_LONGER).saturating_add(tests.saturating_mul(SECONDS_A_TEST));
    let settings = json!({
        "token": mark.token, "module": mark.module, "seconds": limits.seconds, "places": PLACES,
        "tests": sides.tests, "hidden": sides.hidden, "submitted": sides.submitted,
    });
    let parts = json!({ "wire": WIRE, "holder": HOLDER, "nursery": NURSERY, "judge": JUDGE, "plugin": PLUGIN });
    // A text in JSON is one in Python.
    let literal = |text: String| serde_json::Value::String(text).to_string();
    let script = format!(
        "for python in python3 python /opt/miniconda3/bin/python /usr/bin/python3; do\n  \
         \"$python\" -I -S -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2> /dev/null || continue\n  \
         exec \"$python\" -I -S - << 'END_OF_LAUNCH'\nimport json\nSETTINGS = json.loads({})\nPARTS = json.loads({})\nSCRIPT = {}\n{PLACES_OF_HOLDERS}{LAUNCH}END_OF_LAUNCH\n\
         done\nexit 9\n",
        literal(settings.to_string()),
        literal(parts.to_string()),
        literal(job.script.clone()),
    );
    Job { script, junit: None, users: true, limits, ..job.clone() }
}
