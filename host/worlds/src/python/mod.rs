//! Tools that are written in Python: each call runs in a fresh interpreter of the sandbox, on what its object remembers.
//!
//! ```text
//! call ──► request.json ──► runner.py (fresh interpreter, the world's modules) ──► answer.json ──► memory, document, answer
//! ```
//!
//! Invariants: a call is a function of its object's memory, the arguments, and, unless the object is timeless, of the world's time and seed; so it is done
//! once and remembered, and an episode can be done again. What a call leaves is committed with the call or not at all. The interpreter has no file but the
//! world's modules, and limits for fuel, memory and answers; every end of it has a name. What comes back is believed in its form only.

mod wait;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};

use assay_model::{Seed, Time};
use assay_rollout::task::LoadError;
use assay_sandbox::python::{
    CellError, HostAnswer, HostCall, HostCalls, PythonEngine, PythonError, PythonLimits, SessionConfig,
};
use assay_tree::{Limits, Tree, TreeError};
use assay_world::limits::{DOCUMENT_BYTES_MAX, MEMORY_BYTES_MAX};
use assay_world::{Caller, Native, NativeError, State};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::format::PythonTable;

/// The collection with the public attributes of objects.
pub(crate) const OBJECTS: &str = "python";
/// Objects of a world.
pub(crate) const OBJECTS_MAX: usize = 64;
/// Files of a world's modules; the largest library of a benchmark has 100.
pub(crate) const MODULE_FILES_MAX: u64 = 1_000;
/// Bytes of a world's modules, and of what compiling them leaves beside them.
const MODULE_BYTES_MAX: u64 = 32 << 20;
/// What a call may use: two seconds of an interpreter, an eighth of a gigabyte, no host.
const LIMITS: PythonLimits = PythonLimits {
    fuel_cell: 2_000_000_000,
    fuel_episode: 2_000_000_000,
    memory_bytes: 128 << 20,
    output_bytes: 4 << 10,
    descriptors: 64,
    host_calls_cell: 0,
    code_bytes: 64 << 10,
};
/// The same for a check, which no agent can call: published ones compare two whole environments more than once.
const CHECK_LIMITS: PythonLimits = PythonLimits { fuel_cell: 6_000_000_000, fuel_episode: 6_000_000_000, ..LIMITS };
/// The same for compiling the modules of an object, once for each process.
const COMPILE_LIMITS: PythonLimits = PythonLimits { fuel_cell: 30_000_000_000, fuel_episode: 30_000_000_000, ..LIMITS };
/// Bytes of an answer file: a memory, in base64, and a document.
const ANSWER_BYTES_MAX: u64 = (2 * MEMORY_BYTES_MAX + 2 * DOCUMENT_BYTES_MAX) as u64;
/// Bytes of calls that are remembered; beyond it all are forgotten.
const REMEMBERED_BYTES_MAX: usize = 64 << 20;
/// Interpreters at once: a thread has one, and machines have few processors.
pub const AT_ONCE: u32 = 16;
/// Where the modules are.
const FOLDER: &str = "/tools";

/// What every call runs.
const RUNNER: &str = include_str!("runner.py");

/// Opens the interpreter, for worlds that need one.
pub type OpenPython<'o> = dyn Fn() -> Result<PythonEngine, LoadError> + 'o;

/// The modules of a world and the interpreter that they run in.
pub(crate) struct Program {
    engine: PythonEngine,
    modules: Tree,
    /// The time for objects for which it stands still.
    begins: Time,
    free: (Mutex<u32>, Condvar),
    remembered: Mutex<Remembered>,
}

#[derive(Default)]
struct Remembered {
    calls: HashMap<[u8; 32], Arc<Done>>,
    bytes: usize,
}

/// What came of a call: the object as it is then, or why not.
type Done = Result<After, String>;

/// An object after a call.
#[derive(Debug)]
struct After {
    answer: Value,
    memory: Box<[u8]>,
    public: Value,
}

/// What `answer.json` says.
#[derive(Deserialize)]
struct AnswerFile {
    error: Option<String>,
    #[serde(default)]
    answer: Value,
    #[serde(default)]
    memory: String,
    #[serde(default)]
    public: Value,
}

/// What `request.json` says.
#[derive(Serialize)]
struct Request<'r> {
    module: &'r str,
    class: &'r str,
    load: Option<&'r str>,
    skip: &'r [String],
    is_text: bool,
    is_first: bool,
    method: Option<&'r str>,
    arguments: &'r Value,
    begin: Option<&'r str>,
    memory: Option<&'r str>,
}

/// An object of a world: its class, and the modules as compiling them has left them.
pub(crate) struct Object {
    table: PythonTable,
    compiled: OnceLock<Result<Tree, String>>,
}

/// All objects of a world.
pub(crate) struct Objects {
    program: Program,
    objects: Vec<Object>,
}

/// A tool: a method of an object.
pub(crate) struct PythonTool {
    objects: Arc<Objects>,
    object: usize,
    method: String,
    limits: PythonLimits,
}

impl fmt::Debug for PythonTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.objects.objects[self.object].table.name, self.method)
    }
}

impl PythonTool {
    /// A method of an object, by the object's name; none if the object does not exist. Who may call it says how long it may take.
    pub(crate) fn new(objects: &Arc<Objects>, name: &str, method: &str, callers: Option<&[Caller]>) -> Option<Self> {
        let object = objects.objects.iter().position(|object| object.table.name == name)?;
        let limits = if callers == Some(&[Caller::Operator]) { CHECK_LIMITS } else { LIMITS };
        Some(Self { objects: Arc::clone(objects), object, method: method.to_owned(), limits })
    }
}

impl Native for PythonTool {
    fn call(&self, arguments: &Value, state: &mut State) -> Result<Value, NativeError> {
        self.begin(state)?;
        self.objects.step(&self.objects.objects[self.object], Some(&self.method), arguments, state, self.limits)
    }

    fn begin(&self, state: &mut State) -> Result<(), NativeError> {
        // All objects that the task has begin together, so that what is compared does not depend on which was used first.
        for object in &self.objects.objects {
            let name = &object.table.name;
            let is_begun = state.memories.get(name).is_some_and(|memory| !memory.starts_with(b"{"));
            let is_in_task = state.memories.get(name).is_some() || object.table.name == self.name();
            if !is_begun && is_in_task {
                self.objects.step(object, None, &Value::Null, state, LIMITS)?;
            }
        }
        Ok(())
    }
}

impl PythonTool {
    fn name(&self) -> &str {
        &self.objects.objects[self.object].table.name
    }
}

impl Objects {
    /// The objects of a world that begins at a time, whose modules lie in `modules`.
    pub(crate) fn new(engine: PythonEngine, modules: Tree, begins: Time, tables: Vec<PythonTable>) -> Self {
        let free = (Mutex::new(AT_ONCE), Condvar::new());
        let program = Program { engine, modules, begins, free, remembered: Mutex::default() };
        let objects = tables.into_iter().map(|table| Object { table, compiled: OnceLock::new() });
        Self { program, objects: objects.collect() }
    }

    /// Whether the methods of an object look at their arguments themselves.
    pub(crate) fn is_unchecked(&self, name: &str) -> bool {
        self.objects.iter().any(|object| object.table.name == name && object.table.unchecked)
    }

    /// The names of the objects.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.objects.iter().map(|object| object.table.name.as_str())
    }

    /// Makes an object, or calls a method of one, and puts it back into the state.
    fn step(
        &self,
        object: &Object,
        method: Option<&str>,
        arguments: &Value,
        state: &mut State,
        limits: PythonLimits,
    ) -> Result<Value, NativeError> {
        let name = &object.table.name;
        let before = state.memories.get(name).cloned();
        let done = self.done(object, method, arguments, before.as_deref(), state, limits)?;
        let after = match &*done {
            Ok(after) => after,
            Err(why) => return Err(NativeError::Refused(why.clone())),
        };
        let refused = |why: String| NativeError::Refused(why);
        state.memories.set(name, &after.memory).map_err(refused)?;
        let public = after.public.clone();
        state.documents.put(OBJECTS, name, public).map_err(|error| refused(error.to_string()))?;
        Ok(after.answer.clone())
    }

    /// The modules of an object, compiled.
    fn compiled(&self, object: &Object) -> Result<Tree, NativeError> {
        if let Some(known) = object.compiled.get() {
            return known.clone().map_err(NativeError::Refused);
        }
        // A machine that failed may work the next time; what the modules did wrong they would do again.
        let made = match self.program.compile(&object.table) {
            Ok(tree) => Ok(tree),
            Err(NativeError::Refused(why)) => Err(why),
            Err(broken) => return Err(broken),
        };
        object.compiled.get_or_init(|| made).clone().map_err(NativeError::Refused)
    }

    /// What comes of a call, which is done only if it has not been done before.
    fn done(
        &self,
        object: &Object,
        method: Option<&str>,
        arguments: &Value,
        memory: Option<&[u8]>,
        state: &State,
        limits: PythonLimits,
    ) -> Result<Arc<Done>, NativeError> {
        let table = &object.table;
        let (now, seed) = if table.timeless { (self.program.begins, Seed(0)) } else { (state.now(), state.seed()) };
        let key = key(table, method, arguments, memory, (now, seed), limits);
        let remembered = &self.program.remembered;
        let known = remembered.lock().unwrap_or_else(PoisonError::into_inner).calls.get(&key).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let tree = self.compiled(object)?;
        let text = memory.map(String::from_utf8_lossy);
        let is_begin = text.as_ref().is_some_and(|text| text.starts_with('{'));
        let request = Request {
            method,
            arguments,
            begin: text.as_deref().filter(|_| is_begin).or(table.begin.as_deref()),
            memory: text.as_deref().filter(|_| !is_begin),
            ..request(table)
        };
        let done = Arc::new(self.program.run(tree, &request, now, seed, limits)?);
        let bytes =
            done.as_ref().as_ref().map_or(0, |after| after.memory.len() + after.public.to_string().len()) + 1_024;
        let mut remembered = remembered.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.bytes.saturating_add(bytes) > REMEMBERED_BYTES_MAX {
            *remembered = Remembered::default();
        }
        remembered.bytes += bytes;
        remembered.calls.insert(key, Arc::clone(&done));
        Ok(done)
    }
}

/// A request that only makes the object.
fn request(table: &PythonTable) -> Request<'_> {
    Request {
        module: &table.module,
        class: &table.class,
        load: table.load.as_deref(),
        skip: &table.skip,
        is_text: table.text,
        is_first: false,
        method: None,
        arguments: &Value::Null,
        begin: None,
        memory: None,
    }
}

/// Everything that a call depends on, beside the modules.
fn key(
    table: &PythonTable,
    method: Option<&str>,
    arguments: &Value,
    memory: Option<&[u8]>,
    (now, seed): (Time, Seed),
    limits: PythonLimits,
) -> [u8; 32] {
    let mut hash = blake3::Hasher::new();
    let mut part = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    part(table.name.as_bytes());
    part(method.unwrap_or_default().as_bytes());
    part(arguments.to_string().as_bytes());
    part(if memory.is_some() { b"1" } else { b"0" });
    part(memory.unwrap_or_default());
    part(&now.0.to_le_bytes());
    part(&seed.0.to_le_bytes());
    part(&limits.fuel_cell.to_le_bytes());
    *hash.finalize().as_bytes()
}

impl Program {
    /// The modules, with what compiling those of an object leaves beside them.
    fn compile(&self, table: &PythonTable) -> Result<Tree, NativeError> {
        let request = Request { is_first: true, ..request(table) };
        let (tree, error) =
            self.cell(RUNNER, self.modules.fork(), &request, Time::default(), Seed(0), COMPILE_LIMITS)?;
        let why = match error {
            None => not_loaded(&tree),
            Some(error) => Some(ended(&error)),
        };
        match why {
            None => Ok(tree),
            Some(why) => Err(NativeError::Refused(format!("{} cannot be loaded: {why}", table.module))),
        }
    }

    fn run(
        &self,
        tree: Tree,
        request: &Request<'_>,
        now: Time,
        seed: Seed,
        limits: PythonLimits,
    ) -> Result<Done, NativeError> {
        let (tree, error) = self.cell(RUNNER, tree, request, now, seed, limits)?;
        if let Some(error) = error {
            return Ok(Err(ended(&error)));
        }
        Ok(answer(&tree))
    }

    /// Runs code over some files and a request: the files afterwards, and what went wrong.
    fn cell(
        &self,
        code: &str,
        mut tree: Tree,
        request: &impl Serialize,
        now: Time,
        seed: Seed,
        limits: PythonLimits,
    ) -> Result<(Tree, Option<CellError>), NativeError> {
        let broken = |why: String| NativeError::Broken(why);
        let text = serde_json::to_vec(request).map_err(|error| broken(error.to_string()))?;
        tree.put(b"request.json", text.into(), Time::default()).map_err(|error| broken(error.to_string()))?;
        let config = SessionConfig { tree, folder: FOLDER.to_owned(), seed, start_time: now, limits };
        let _turn = self.turn();
        wait::block_on(async {
            let mut session = self.engine.start(config).await?;
            let outcome = session.run(code, &NoHost).await?;
            Ok((session.tree(), outcome.error))
        })
        .map_err(|error: PythonError| broken(error.to_string()))
    }

    /// Waits until an interpreter is free.
    fn turn(&self) -> Turn<'_> {
        let (free, changed) = &self.free;
        let mut free = free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = changed.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        Turn(self)
    }
}

/// A place for modules.
pub(crate) fn modules_tree() -> Tree {
    Tree::new(Limits { bytes_max: MODULE_BYTES_MAX, inodes_max: 2 * MODULE_FILES_MAX })
}

/// Puts a module into its place; the folders of its path are made.
///
/// # Errors
/// There is no room for it.
pub(crate) fn put_module(modules: &mut Tree, path: &str, text: &str) -> Result<(), String> {
    let failed = |error: TreeError| error.to_string();
    if let Some((folder, _)) = path.rsplit_once('/') {
        modules.mkdir_all(folder.as_bytes(), Time::default()).map_err(failed)?;
    }
    modules.put(path.as_bytes(), text.as_bytes().to_vec().into(), Time::default()).map_err(failed)
}

/// Runs a program of ours over modules and a request: what it answers.
///
/// # Errors
/// It ends without an answer, or the machine fails; in words for people.
pub(crate) fn script(engine: &PythonEngine, modules: Tree, code: &str, request: &Value) -> Result<Value, String> {
    let free = (Mutex::new(1), Condvar::new());
    let begins = Time::default();
    let program = Program { engine: engine.clone(), modules, begins, free, remembered: Mutex::default() };
    let done = program.cell(code, program.modules.fork(), request, Time::default(), Seed(0), COMPILE_LIMITS);
    let (tree, error) = done.map_err(|error| match error {
        NativeError::Refused(why) | NativeError::Broken(why) => why,
    })?;
    if let Some(error) = error {
        return Err(match error {
            CellError::Exception { summary, .. } => summary,
            other => ended(&other),
        });
    }
    let bytes = tree.read_all(b"answer.json").map_err(|error| error.to_string())?;
    serde_json::from_slice(&bytes).map_err(|error| error.to_string())
}

/// The use of an interpreter.
struct Turn<'p>(&'p Program);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.free.0.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.free.1.notify_one();
    }
}

/// A tool has nobody to ask.
struct NoHost;

impl HostCalls for NoHost {
    fn call<'a>(&'a self, _: HostCall, _: Tree) -> BoxFuture<'a, HostAnswer> {
        Box::pin(async { HostAnswer::Refused("tools have no host".to_owned()) })
    }
}

/// How a tool ended that did not come to an answer, for its caller.
fn ended(error: &CellError) -> String {
    match error {
        CellError::Exception { summary, .. } => format!("the tool failed: {summary}"),
        CellError::OutOfFuel | CellError::Slow => "the tool ran too long and was stopped".to_owned(),
        CellError::OutOfMemory => "the tool ran out of memory".to_owned(),
        CellError::StackOverflow => "the tool recursed too deeply".to_owned(),
        CellError::TooLong { .. } | CellError::Exited { .. } | CellError::Limit { .. } | CellError::Trap { .. } => {
            format!("the tool ended: {error}")
        }
    }
}

/// What `answer.json` says of modules that cannot be loaded.
fn not_loaded(tree: &Tree) -> Option<String> {
    let size = tree.stat(b"answer.json").ok()?.size;
    let bytes = (size <= ANSWER_BYTES_MAX).then(|| tree.read_all(b"answer.json").ok()).flatten()?;
    let AnswerFile { error, .. } = serde_json::from_slice(&bytes).ok()?;
    error
}

/// What `answer.json` says, in the form that it must have.
fn answer(tree: &Tree) -> Done {
    let size = tree.stat(b"answer.json").map_err(|_| "the tool left no answer".to_owned())?.size;
    if size > ANSWER_BYTES_MAX {
        return Err(format!("the tool's answer and object take {size} bytes, at most {ANSWER_BYTES_MAX}"));
    }
    let bytes = tree.read_all(b"answer.json").map_err(|error| error.to_string())?;
    let file: AnswerFile =
        serde_json::from_slice(&bytes).map_err(|error| format!("the tool's answer has no known form: {error}"))?;
    let AnswerFile { error, answer, memory, public } = file;
    if let Some(error) = error {
        return Err(error);
    }
    if memory.is_empty() || memory.starts_with('{') {
        return Err("the tool's object has no known form".to_owned());
    }
    Ok(After { answer, memory: memory.into_bytes().into(), public })
}
