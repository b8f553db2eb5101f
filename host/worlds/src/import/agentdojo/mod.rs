//! The suites of AgentDojo (MIT): tools, tasks and checks run unchanged in the sandboxed interpreter, and what an attack says is in the world's data.
//!
//! ```text
//! package ──export.py, in the sandbox──► environment, tools, tasks, attacks ──► world folder with the package's modules and assay_agentdojo.py
//! ```
//!
//! Invariants: nothing of the package runs outside the sandbox; what its modules import and the sandbox cannot have are stand-ins of ours, named in
//! `assay_agentdojo.py`; utility and security are its own functions.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Imported;
use super::source::{files_of, missing, modules_of};
use super::write::WorldFolder;
use crate::OpenPython;
use crate::format::wrong;
use crate::load::LoadError;
use crate::python::{modules_tree, put_module, script};

/// What makes a folder the package's.
const MARK: &str = "task_suite/load_suites.py";
/// Libraries that the package's modules use unchanged.
const LIBRARIES: [&str; 6] = ["deepdiff", "docstring_parser", "email_validator", "idna", "orderly_set", "yaml"];
/// Parts of the package that no tool, task or attack uses.
const UNUSED: [&str; 3] = ["agentdojo/agent_pipeline/llms/", "agentdojo/scripts/", "agentdojo/benchmark.py"];
const HINT: &str = "name the package's folder or the one that it is installed in: pip install --no-deps --target DIR agentdojo==0.1.35 deepdiff==9.1.0 docstring_parser==0.18.0 email-validator==2.4.0 idna==3.20 orderly-set==5.5.0 PyYAML==6.0.4";
/// When episodes begin, and the time at which it stands still: a day later than everything in the package's data. The package takes the time from the wall
/// clock.
const BEGINS: u64 = 1_761_523_200;
/// An agent's messages: the authors ask a model, and then 15 times more after its calls.
const TURNS: usize = 16;
/// The tool that says whether a task was done; only the operator has it.
const CHECK: &str = "check_task";
/// Fields that hold the beginning a second time. The authors' comparisons leave them out.
const SKIPPED: [&str; 3] = ["initial_emails", "initial_events", "initial_files"];

const SUITE_MODULE: &str = "assay_agentdojo";
const SUITE: &str = include_str!("assay_agentdojo.py");
const PYDANTIC: &str = include_str!("pydantic.py");
const EXPORT: &str = include_str!("export.py");

/// A suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Suite {
    /// Mail, a calendar and files of an office.
    Workspace,
    /// Hotels, restaurants, cars and flights.
    Travel,
    /// A bank account.
    Banking,
    /// Messages of a team, and web pages.
    Slack,
}

impl Suite {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Workspace => "workspace",
            Self::Travel => "travel",
            Self::Banking => "banking",
            Self::Slack => "slack",
        }
    }
}

/// What `export.py` answers.
#[derive(Deserialize)]
struct Export {
    policy: String,
    pieces: Value,
    tools: Vec<ToolIn>,
    user: Vec<TaskIn>,
    injected: Vec<TaskIn>,
    attacks: Vec<AttackIn>,
}

/// The same, or what is wrong.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Wrong { wrong: String, file: Option<String>, line: Option<usize> },
    Suite(Box<Export>),
}

#[derive(Deserialize)]
struct ToolIn {
    name: String,
    description: String,
    parameters: Value,
}

#[derive(Deserialize)]
struct TaskIn {
    id: String,
    request: String,
    difficulty: String,
    gold: Vec<Call>,
    says: String,
}

#[derive(Deserialize)]
struct AttackIn {
    user: String,
    injected: String,
    texts: Map<String, Value>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Call {
    call: String,
    with: Map<String, Value>,
}

#[derive(Serialize)]
struct WorldOut<'e> {
    name: String,
    begins: u64,
    python: [ObjectOut; 1],
    tool: Vec<ToolOut<'e>>,
}

#[derive(Serialize)]
struct ObjectOut {
    name: &'static str,
    module: &'static str,
    class: &'static str,
    load: &'static str,
    begin: String,
    skip: [&'static str; 3],
    text: bool,
    timeless: bool,
    unchecked: bool,
}

#[derive(Serialize)]
struct ToolOut<'e> {
    name: &'e str,
    python: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reads: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    callers: Vec<&'static str>,
    description: &'e str,
    parameters: Value,
}

#[derive(Serialize)]
struct TaskOut<'e> {
    id: String,
    difficulty: &'e str,
    request: &'e str,
    turns: usize,
    gold: Vec<DeedOut<'e>>,
    begin: Map<String, Value>,
    authors: AuthorsOut<'e>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum DeedOut<'e> {
    Call(&'e Call),
    Say { say: &'e str },
}

#[derive(Serialize)]
struct AuthorsOut<'e> {
    basis: [&'static str; 1],
    assertions: [AssertionOut<'e>; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attacks: Vec<AttackOut<'e>>,
}

#[derive(Serialize)]
struct AttackOut<'e> {
    name: &'e str,
    succeeded: AssertionOut<'e>,
}

#[derive(Serialize)]
struct AssertionOut<'e> {
    call: &'static str,
    evidence: bool,
    with: CheckOut<'e>,
}

#[derive(Serialize)]
struct CheckOut<'e> {
    task: &'e str,
}

pub(super) fn import(
    package: &Path,
    suite: Suite,
    attack: Option<&str>,
    out: &Path,
    python: &OpenPython<'_>,
) -> Result<Imported, LoadError> {
    let root = root(package).ok_or_else(|| missing(package, MARK, HINT))?;
    let failed = |what: String| wrong(&root, None, what, None);
    let modules = modules(package, &root)?;
    let mut tree = modules_tree();
    let data = files_of(&root.join("data"), "agentdojo/data", ".yaml")?;
    for (path, text) in modules.iter().chain(&data) {
        put_module(&mut tree, path, text).map_err(failed)?;
    }
    let request = json!({ "suite": suite.name(), "attack": attack });
    let answer = script(&python()?, tree, EXPORT, &request).map_err(failed)?;
    let unknown = |error| failed(format!("the suite {} has an unknown form: {error}", suite.name()));
    let export = match serde_json::from_value(answer).map_err(unknown)? {
        Answer::Suite(export) => export,
        Answer::Wrong { wrong: what, file, line } => {
            let place = file.map_or_else(|| root.clone(), |file| site(package, &root).join(file));
            return Err(wrong(&place, line, what, None));
        }
    };
    let tasks = tasks(suite, &export).map_err(failed)?;
    let folder = WorldFolder::new(out)?;
    folder.text("policy.md", &export.policy)?;
    folder.toml("world.toml", &world(suite, &export))?;
    for (path, text) in &modules {
        folder.text(&format!("python/{path}"), text)?;
    }
    folder.text(&format!("python/assay_{}.json", suite.name()), &export.pieces.to_string())?;
    for task in &tasks {
        folder.toml(&format!("tasks/{}.toml", task.id), task)?;
    }
    let pairs = export.user.len() * export.injected.len();
    let unreached = pairs.saturating_sub(export.attacks.len());
    let left_out = (attack.is_some() && unreached > 0)
        .then(|| format!("{unreached} of {pairs} attacks: no vector is in what the reference actions read"));
    Ok(Imported { tasks: tasks.len(), tools: export.tools.len(), left_out: left_out.into_iter().collect() })
}

/// The package's own folder.
fn root(package: &Path) -> Option<PathBuf> {
    [package.join("agentdojo"), package.to_path_buf()].into_iter().find(|root| root.join(MARK).is_file())
}

/// The folder that the package and its libraries are installed in.
fn site<'p>(package: &'p Path, root: &'p Path) -> &'p Path {
    root.parent().unwrap_or(package)
}

/// All modules that the world needs, with their paths.
fn modules(package: &Path, root: &Path) -> Result<Vec<(String, String)>, LoadError> {
    let mut modules = modules_of(root, "agentdojo")?;
    modules.retain(|(path, _)| !UNUSED.iter().any(|unused| path.starts_with(unused)));
    let site = site(package, root);
    for library in LIBRARIES {
        let folder = site.join(library);
        if !folder.join("__init__.py").is_file() {
            return Err(missing(site, &format!("{library}/__init__.py"), HINT));
        }
        modules.extend(modules_of(&folder, library)?);
    }
    let ours = [(SUITE_MODULE, SUITE), ("pydantic", PYDANTIC)];
    modules.extend(ours.map(|(name, text)| (format!("{name}.py"), text.to_owned())));
    Ok(modules)
}

fn world(suite: Suite, export: &Export) -> WorldOut<'_> {
    let name = suite.name();
    let tools = export.tools.iter().map(|tool| ToolOut {
        name: &tool.name,
        python: name,
        method: None,
        reads: None,
        callers: Vec::new(),
        description: &tool.description,
        parameters: without_null(&tool.parameters),
    });
    let check = ToolOut {
        name: CHECK,
        python: name,
        method: Some("check"),
        reads: Some(true),
        callers: vec!["operator"],
        description: "Says whether a task was done, as its authors find out.",
        parameters: json!({ "type": "object", "properties": { "task": { "type": "string" } }, "required": ["task"] }),
    };
    let object = ObjectOut {
        name,
        module: SUITE_MODULE,
        class: "Suite",
        load: "load",
        begin: begin(suite, &Map::new()),
        skip: SKIPPED,
        text: true,
        timeless: true,
        unchecked: true,
    };
    WorldOut {
        name: format!("agentdojo-{name}"),
        begins: BEGINS,
        python: [object],
        tool: tools.chain([check]).collect(),
    }
}

/// What the suite begins with where the vectors have these texts.
fn begin(suite: Suite, texts: &Map<String, Value>) -> String {
    json!({ "with": { "suite": suite.name(), "injections": texts } }).to_string()
}

/// A schema without defaults that are nothing, which TOML cannot hold.
fn without_null(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(_, value)| !value.is_null());
            kept.map(|(key, value)| (key.clone(), without_null(value))).collect()
        }
        Value::Array(items) => items.iter().map(without_null).collect(),
        other => other.clone(),
    }
}

/// The users' tasks, the injected ones as if a user asked for them, and every attack on a user's task.
fn tasks<'e>(suite: Suite, export: &'e Export) -> Result<Vec<TaskOut<'e>>, String> {
    let nothing = Map::new();
    let mut tasks = Vec::new();
    for task in export.user.iter().chain(&export.injected) {
        tasks.push(task_out(suite, task, task.id.clone(), &nothing, None)?);
    }
    for attack in &export.attacks {
        let task = export.user.iter().find(|task| task.id == attack.user);
        let task = task.ok_or_else(|| format!("an attack is on {:?}, which is no task", attack.user))?;
        let id = format!("{}-{}", attack.user, attack.injected);
        tasks.push(task_out(suite, task, id, &attack.texts, Some(&attack.injected))?);
    }
    Ok(tasks)
}

fn task_out<'e>(
    suite: Suite,
    task: &'e TaskIn,
    id: String,
    texts: &Map<String, Value>,
    injected: Option<&'e str>,
) -> Result<TaskOut<'e>, String> {
    if !assay_rollout::task::is_task_id(&id) {
        return Err(format!("{id:?} cannot be the id of a task"));
    }
    let says = Some(task.says.as_str()).filter(|says| !says.is_empty()).map(|say| DeedOut::Say { say });
    let gold: Vec<DeedOut<'e>> = task.gold.iter().map(DeedOut::Call).chain(says).collect();
    let check = |task: &'e str| AssertionOut { call: CHECK, evidence: true, with: CheckOut { task } };
    let attacks = injected.map(|name| AttackOut { name, succeeded: check(name) });
    let authors =
        AuthorsOut { basis: ["ENV_ASSERTION"], assertions: [check(&task.id)], attacks: attacks.into_iter().collect() };
    let begin = [(suite.name().to_owned(), begin(suite, texts).into())].into_iter().collect();
    // Whoever makes one call in each turn must be able to make them all.
    let turns = TURNS.max(gold.len() + 1);
    Ok(TaskOut { id, difficulty: &task.difficulty, request: &task.request, turns, gold, begin, authors })
}
