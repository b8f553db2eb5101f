//! A world folder as docs/worlds.md describes it: `world.toml`, `policy.md`, `schemas/*.json`, `data/*.json`, `databases/*.sql`, `mail.json`, `files/`, `tasks/*.toml`.
//!
//! Invariants: the folder is untrusted: regular files only, none followed through a link, all within limits; one bad file spoils the whole, with its
//! name and line; tasks come in the order of their ids.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use assay_files::{Folder, Kind, Links, OpenError};
use assay_model::{Seed, Time};
use assay_rollout::task::is_task_id;
use assay_world::limits::{DOCUMENT_BYTES_MAX, EVENTS_MAX, FILES_MAX, SAID_TURNS_MAX, SECONDS_MAX, TOOLS_MAX};
use assay_world::words::{cut, nearest};
use assay_world::{
    Ambient, Body, BuiltIn, Definition, Documents, Letter, Native, Profile, Reach, Schemas, State, Step, Task, Tool,
    ToolError, ToolSpec, Tools,
};
use assay_world::{Episode, LATENCY, TaskError};
use serde_json::{Value, json};

use crate::database::SqlDatabase;
use crate::format::{PythonTable, ToolTable, WorldFile, hint, line_of, line_of_key, line_with, parse, wrong};
use crate::layout;
use crate::native;
use crate::python::{OBJECTS_MAX, Objects, OpenPython, PythonTool, modules_tree, put_module};
use crate::slips::{collections, slip};
use crate::unique::Collection;

pub use assay_rollout::task::LoadError;

/// Tasks of a world; the largest benchmark has 2,285.
pub const TASKS_MAX: usize = 10_000;
/// Bytes of a file with text: `world.toml`, a policy, a task.
const TEXT_BYTES_MAX: u64 = 4 << 20;
/// Bytes of a file with data; the largest benchmark world has 7 MB.
const DATA_BYTES_MAX: u64 = 64 << 20;
/// Databases of a world: each is forked with every step.
const DATABASES_MAX: usize = 16;
/// Turns of an agent in one episode.
const TURNS_MAX: u32 = 1_000;
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
const SCHEMA_HINT: &str = "a file of `schemas` is the JSON schema of each document in the collection of its name";
/// When episodes begin at the latest: in the year 2200.
const BEGINS_MAX: u64 = 7_258_118_400;
/// Folders within `files`.
const DEPTH_MAX: usize = 32;

/// A world as it was loaded.
#[derive(Clone)]
pub struct World {
    /// What all episodes share.
    pub definition: Definition,
    /// The tasks.
    pub tasks: Vec<Arc<Task>>,
    /// The digest of everything that each task's results depend on, by the task's id.
    pub digests: BTreeMap<String, String>,
    /// Where each task was written, by its id.
    pub(crate) places: BTreeMap<String, Place>,
}

/// Where a task was written.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The file's name within the world's folder.
    file: String,
    /// The lines of its `[[gold]]` and its `[[script]]`.
    deeds: [Vec<usize>; 2],
}

impl Place {
    fn new(name: &str, text: &str) -> Self {
        let lines = |header: &str| -> Vec<usize> {
            let all = text.lines().enumerate().filter(|(_, line)| line.trim() == header);
            all.map(|(index, _)| index + 1).collect()
        };
        Self { file: format!("tasks/{name}"), deeds: [lines("[[gold]]"), lines("[[script]]")] }
    }

    /// The place of a reference action, by its number from 1.
    pub(crate) fn gold(&self, number: usize) -> String {
        self.deed(0, number)
    }

    /// The place of an action of the script, by its number from 1.
    pub(crate) fn script(&self, number: usize) -> String {
        self.deed(1, number)
    }

    fn deed(&self, of: usize, number: usize) -> String {
        match number.checked_sub(1).and_then(|index| self.deeds[of].get(index)) {
            Some(line) => format!("{}, line {line}", self.file),
            None => self.file.clone(),
        }
    }
}

/// Loads a world folder.
///
/// # Errors
/// Something in it is missing, wrong or too large.
pub fn load(path: &Path) -> Result<World, LoadError> {
    load_with(path, &|| {
        let hint = "this program cannot run them; `assay worlds` can".to_owned();
        Err(LoadError { place: "world.toml".to_owned(), what: "its tools are in Python".to_owned(), hint: Some(hint) })
    })
}

/// Loads a world folder, whose tools may be in Python.
///
/// # Errors
/// Something in it is missing, wrong or too large, or there is no interpreter.
pub fn load_with(path: &Path, python: &OpenPython<'_>) -> Result<World, LoadError> {
    let folder = Folder::open(path, Links::Followed).map_err(|error| {
        wrong(
            path,
            None,
            error.to_string(),
            Some("name a world's folder, or make one with `assay worlds new`".to_owned()),
        )
    })?;
    let text = need(&folder, "world.toml")?;
    let file: WorldFile = parse(&path.join("world.toml"), &text)?;
    if file.begins > BEGINS_MAX {
        let what = format!("`begins` is {}, at most {BEGINS_MAX} seconds since the epoch", file.begins);
        return Err(wrong(&path.join("world.toml"), line_of_key(&text, "begins"), what, None));
    }
    if file.policy.contains('/') || file.policy == ".." {
        let what = format!("`policy` is {:?}, which does not lie in the world's folder itself", file.policy);
        let hint = "give the name of a file that lies beside world.toml".to_owned();
        return Err(wrong(&path.join("world.toml"), line_of_key(&text, "policy"), what, Some(hint)));
    }
    layout::check(&folder, &file.policy)?;
    let (objects, modules) = objects(&folder, &text, &file, python)?;
    let tools = tools(&path.join("world.toml"), &text, &file, objects.as_ref())?;
    let policy = need(&folder, &file.policy)?;
    let mut state = State::new(Time(file.begins.saturating_mul(1_000_000_000)), Seed(0));
    let mut hash = blake3::Hasher::new();
    for text in [&text, &policy] {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.update(modules.as_bytes());
    state.documents = Documents::with_schemas(schemas(&folder, &mut hash)?);
    data(&folder, &mut state)?;
    databases(&folder, &mut state)?;
    known_databases(&path.join("world.toml"), &text, &tools, &state)?;
    mail(&folder, &mut state)?;
    files(&folder, &mut state)?;
    hash.update(state.hash().root().as_bytes());
    let definition = Definition { name: file.name, policy, tools: Arc::new(tools), state };
    let names = file.objects.iter().map(|object| object.name.as_str()).collect::<Vec<_>>();
    let (tasks, digests, places) = tasks(&folder, &definition, &names, &hash)?;
    known_collections(&folder, &text, &definition, &tasks)?;
    Ok(World { definition, tasks, digests, places })
}

fn not_opened(path: &Path, error: &OpenError) -> LoadError {
    let hint = match error {
        OpenError::Link => Some("replace it with the file or folder itself: links in a world could point anywhere"),
        OpenError::NotAFile => Some("replace it with a regular file: pipes, sockets, devices and folders are not read"),
        _ => None,
    };
    wrong(path, None, error.to_string(), hint.map(str::to_owned))
}

/// A text that must be there.
fn need(folder: &Folder, name: &str) -> Result<String, LoadError> {
    match folder.kind(name) {
        Ok(None) => {
            let mut failure = not_opened(&folder.path().join(name), &OpenError::Missing);
            failure.hint = Some("docs/worlds.md describes a world's files".to_owned());
            Err(failure)
        }
        _ => read_text(folder, name, TEXT_BYTES_MAX),
    }
}

/// A file's text. If it is not UTF-8, the error has the line of the first wrong byte.
fn read_text(folder: &Folder, name: impl AsRef<OsStr>, bytes_max: u64) -> Result<String, LoadError> {
    let path = folder.path().join(name.as_ref());
    let mut bytes = folder.read(name, bytes_max).map_err(|error| not_opened(&path, &error))?;
    // Some editors write a byte order mark, which means nothing in UTF-8.
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..offset];
        let lines = before.iter().filter(|byte| **byte == b'\n').count();
        let hint = "save the file as UTF-8".to_owned();
        wrong(&path, Some(lines + 1), OpenError::NotUtf8 { offset }.to_string(), Some(hint))
    })
}

/// The files of a folder within the world's that end like this, by name; none where it is not there.
fn entries(folder: &Folder, name: &str, ending: &str, most: usize) -> Result<Option<(Folder, Vec<String>)>, LoadError> {
    let path = folder.path().join(name);
    match folder.kind(name).map_err(|error| not_opened(&path, &error))? {
        None => return Ok(None),
        Some(Kind::Folder) => {}
        Some(Kind::Link) => return Err(not_opened(&path, &OpenError::Link)),
        Some(_) => return Err(wrong(&path, None, "it is not a folder".to_owned(), None)),
    }
    let inside = folder.folder(name).map_err(|error| not_opened(&path, &error))?;
    let names = inside.entries(most).map_err(|error| wrong(&path, None, error.to_string(), None))?;
    let names = names.into_iter().filter_map(|name| name.into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(ending) && !name.starts_with('.')).collect();
    names.sort();
    Ok(Some((inside, names)))
}

/// The objects whose methods are tools, and the digest of their modules.
fn objects(
    folder: &Folder,
    text: &str,
    file: &WorldFile,
    python: &OpenPython<'_>,
) -> Result<(Option<Arc<Objects>>, String), LoadError> {
    let path = folder.path().join("world.toml");
    let at = |word: &str, what: String| wrong(&path, line_of(text, word), what, None);
    if file.objects.is_empty() {
        return Ok((None, String::new()));
    }
    if file.objects.len() > OBJECTS_MAX {
        return Err(wrong(&path, None, format!("{} objects, at most {OBJECTS_MAX}", file.objects.len()), None));
    }
    for (index, object) in file.objects.iter().enumerate() {
        let PythonTable { name, begin, .. } = object;
        if file.objects[..index].iter().any(|other| other.name == *name) {
            return Err(at(name, format!("two objects have the name {name}")));
        }
        if let Some(why) = begin.as_deref().and_then(wrong_begin) {
            return Err(at(name, format!("`begin` of {name} {why}")));
        }
    }
    let mut modules = modules_tree();
    let place = folder.path().join("python");
    if folder.kind("python").map_err(|error| not_opened(&place, &error))?.is_none() {
        let hint = "objects have their modules in the folder `python`".to_owned();
        return Err(wrong(&place, None, "it is not there".to_owned(), Some(hint)));
    }
    let inside = folder.folder("python").map_err(|error| not_opened(&place, &error))?;
    take(&inside, "", DEPTH_MAX, &mut |path, text| put_module(&mut modules, path, text))?;
    for object in &file.objects {
        let module = object.module.replace('.', "/");
        let is_there = [format!("{module}.py"), format!("{module}/__init__.py")];
        if !is_there.iter().any(|path| modules.stat(path.as_bytes()).is_ok()) {
            return Err(at(&object.module, format!("there is no module {:?} in the folder `python`", object.module)));
        }
    }
    let digest = modules.digest().to_string();
    let objects =
        Objects::new(python()?, modules, Time(file.begins.saturating_mul(1_000_000_000)), file.objects.clone());
    Ok((Some(Arc::new(objects)), digest))
}

/// What is wrong with the beginning of an object.
fn wrong_begin(text: &str) -> Option<String> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(_)) if text.starts_with('{') => None,
        Ok(_) => Some("is not a JSON object".to_owned()),
        Err(error) => Some(format!("is not JSON: {error}")),
    }
}

fn tools(path: &Path, text: &str, file: &WorldFile, objects: Option<&Arc<Objects>>) -> Result<Tools, LoadError> {
    let mut tools = Tools::new();
    if file.tools.len() > TOOLS_MAX {
        return Err(wrong(path, None, format!("{} tools, at most {TOOLS_MAX}", file.tools.len()), None));
    }
    for table in &file.tools {
        let tool =
            tool(table, &file.address, objects).map_err(|why| wrong(path, line_of(text, &called(table)), why, None))?;
        let name = tool.spec.name.clone();
        if tools.insert(name.clone(), tool).is_some() {
            let line = line_of(text, &name);
            return Err(wrong(path, line, format!("two tools have the name {name}"), Some("rename one".to_owned())));
        }
    }
    Ok(tools)
}

/// What a table calls its tool; empty where it has no name.
fn called(table: &ToolTable) -> String {
    let builtin = || table.builtin.map(|kind| assay_world::value::plain(&json!(kind)));
    table.name.clone().or_else(builtin).unwrap_or_default()
}

fn tool(table: &ToolTable, address: &str, objects: Option<&Arc<Objects>>) -> Result<Tool, String> {
    let change = |spec: &mut ToolSpec| {
        spec.name = table.name.clone().unwrap_or_else(|| spec.name.clone());
        spec.description = table.description.clone().unwrap_or_else(|| spec.description.clone());
        spec.callers = table.callers.clone().unwrap_or_else(|| spec.callers.clone());
        spec.is_idempotent = table.idempotent.unwrap_or(spec.is_idempotent);
        spec.latency = table.latency_ms.map_or(LATENCY, |ms| assay_model::Nanos(ms.saturating_mul(1_000_000)));
    };
    if let Some(ms) = table.latency_ms.filter(|ms| *ms > SECONDS_MAX * 1_000) {
        return Err(format!("`latency_ms` of {} is {ms}, at most {}", called(table), SECONDS_MAX * 1_000));
    }
    let said = |error: ToolError| error.to_string();
    if let Some(kind) = table.builtin {
        if !table.steps.is_empty() || table.parameters.is_some() || table.answer.is_some() {
            return Err("a built-in tool has no `steps`, `parameters` or `answer` of its own".to_owned());
        }
        match (kind == BuiltIn::DatabaseQuery, table.database.is_empty()) {
            (true, true) => {
                return Err("`database` is missing: `database` names the database that the tool asks".to_owned());
            }
            (false, false) => return Err("`database` belongs to `database_query` and to no other tool".to_owned()),
            _ => {}
        }
        let (collections, database) = (table.collections.clone(), table.database.clone());
        let reach = Reach { collections, address: address.to_owned(), database };
        return Tool::built_in(kind, reach, change).map_err(said);
    }
    if let Some(body) = program(table, objects)? {
        let is_unchecked = |object: &String| objects.is_some_and(|objects| objects.is_unchecked(object));
        let tool = native_tool(table, body, change).map_err(said)?;
        return Ok(if table.python.as_ref().is_some_and(is_unchecked) { tool.unchecked() } else { tool });
    }
    if table.name.is_none() || table.description.is_none() || table.steps.is_empty() && table.answer.is_none() {
        return Err("a tool has `builtin`, or `name`, `description`, and `steps` or `answer`".to_owned());
    }
    let mut spec = ToolSpec { is_write: table.steps.iter().any(Step::is_write), ..ToolSpec::default() };
    spec.is_idempotent = !spec.is_write;
    if let Some(parameters) = &table.parameters {
        spec.parameters = parameters.clone();
    }
    change(&mut spec);
    let answer = table.answer.clone().unwrap_or_else(|| json!({ "done": true }));
    Tool::new(spec, Body::Rules { steps: table.steps.clone(), answer }).map_err(said)
}

/// The program that is a tool's body, where one is.
fn program(table: &ToolTable, objects: Option<&Arc<Objects>>) -> Result<Option<Arc<dyn Native>>, String> {
    let body: Arc<dyn Native> = match (&table.native, &table.python) {
        (None, None) if table.method.is_some() || table.reads.is_some() => {
            return Err("`method` and `reads` belong to `python`".to_owned());
        }
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => return Err("a tool has either `native` or `python`".to_owned()),
        (Some(name), None) => native::find(name)?,
        (None, Some(object)) => {
            let method = table.method.as_ref().or(table.name.as_ref()).ok_or("a tool has a `name`")?;
            let found = objects.and_then(|objects| PythonTool::new(objects, object, method, table.callers.as_deref()));
            let known = objects.into_iter().flat_map(|objects| objects.names());
            let near = nearest(object, known).map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
            Arc::new(found.ok_or_else(|| format!("there is no object {object:?}{near}"))?)
        }
    };
    if !table.steps.is_empty() || table.answer.is_some() {
        return Err("a tool that is a program has no `steps` or `answer` of its own".to_owned());
    }
    Ok(Some(body))
}

fn native_tool(
    table: &ToolTable,
    body: Arc<dyn Native>,
    change: impl FnOnce(&mut ToolSpec),
) -> Result<Tool, ToolError> {
    let is_write = match &table.native {
        Some(name) => native::is_write(name),
        None => !table.reads.unwrap_or(false),
    };
    let mut spec = ToolSpec { is_write, is_idempotent: !is_write, ..ToolSpec::default() };
    if let Some(parameters) = &table.parameters {
        spec.parameters = parameters.clone();
    }
    change(&mut spec);
    Tool::new(spec, Body::Native(body))
}

/// Every tool's database is there.
fn known_databases(path: &Path, text: &str, tools: &Tools, state: &State) -> Result<(), LoadError> {
    for tool in tools.values() {
        if let Body::BuiltIn(BuiltIn::DatabaseQuery, reach) = &tool.body
            && !state.databases.contains_key(&reach.database)
        {
            let near = nearest(&reach.database, state.databases.keys().map(String::as_str));
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            let what = format!("there is no database {:?}", reach.database);
            return Err(wrong(path, line_of(text, &reach.database), what, hint));
        }
    }
    Ok(())
}

/// What the documents of some collections must look like: in the data, in tasks, and whatever tools write.
fn schemas(folder: &Folder, hash: &mut blake3::Hasher) -> Result<Schemas, LoadError> {
    let mut schemas = Schemas::default();
    let Some((inside, names)) = entries(folder, "schemas", ".json", assay_world::limits::COLLECTIONS_MAX * 4)? else {
        return Ok(schemas);
    };
    for name in names {
        let path = inside.path().join(&name);
        let text = read_text(&inside, &name, DOCUMENT_BYTES_MAX as u64)?;
        hash.update(name.as_bytes());
        hash.update(text.as_bytes());
        let schema: Value = serde_json::from_str(&text)
            .map_err(|error| wrong(&path, Some(error.line()), unplaced(&error), Some(SCHEMA_HINT.to_owned())))?;
        let collection = name.trim_end_matches(".json");
        schemas.add(collection, &schema).map_err(|why| {
            // Whoever says what is wrong quotes it.
            let line = why.split('"').nth(1).and_then(|word| line_of(&text, word)).or_else(|| line_of(&text, "$ref"));
            wrong(&path, line.or(Some(1)), why, Some(SCHEMA_HINT.to_owned()))
        })?;
    }
    Ok(schemas)
}

fn data(folder: &Folder, state: &mut State) -> Result<(), LoadError> {
    let Some((inside, names)) = entries(folder, "data", ".json", assay_world::limits::COLLECTIONS_MAX * 4)? else {
        return Ok(());
    };
    for name in names {
        let path = inside.path().join(&name);
        let text = read_text(&inside, &name, DATA_BYTES_MAX)?;
        let Collection(documents) = serde_json::from_str(&text).map_err(|error| {
            let what = unplaced(&error);
            let hint = match what.as_str() {
                "recursion limit exceeded" => "a document has at most 32 levels",
                _ => "a file of data is one JSON object: each document under an id of its own",
            };
            wrong(&path, Some(error.line()), what, Some(hint.to_owned()))
        })?;
        let collection = name.trim_end_matches(".json");
        for (id, document) in documents {
            if !document.is_object() {
                let what =
                    format!("the document {id:?} is {}, and no object with fields", cut(&document.to_string(), 80));
                let hint = "write its fields in braces, for example { \"status\": \"open\" }".to_owned();
                return Err(wrong(&path, line_of(&text, &id), what, Some(hint)));
            }
            state
                .documents
                .put(collection, &id, document)
                .map_err(|error| wrong(&path, line_of(&text, &id), error.to_string(), None))?;
        }
    }
    Ok(())
}

const MAIL_HINT: &str = "`mail.json` is a list of objects with `from`, `to`, `subject` and `body`";

/// What is wrong with a JSON text, without the place: that stands before it.
fn unplaced(error: &serde_json::Error) -> String {
    let whole = error.to_string();
    whole.rsplit_once(" at line ").map_or(whole.as_str(), |(what, _)| what).to_owned()
}

/// The databases: each is what its script makes of an empty one.
fn databases(folder: &Folder, state: &mut State) -> Result<(), LoadError> {
    let Some((inside, names)) = entries(folder, "databases", ".sql", DATABASES_MAX)? else { return Ok(()) };
    for name in names {
        let path = inside.path().join(&name);
        let script = read_text(&inside, &name, DATA_BYTES_MAX)?;
        let ambient = Ambient { now: state.now(), seed: 0, fuel: 0 };
        let database = SqlDatabase::filled(&script, ambient).map_err(|(line, why)| {
            let hint = "the line is the one in which the statement begins".to_owned();
            wrong(&path, line, why, line.map(|_| hint))
        })?;
        state.databases.insert(name.trim_end_matches(".sql").to_owned(), Box::new(database));
    }
    Ok(())
}

fn mail(folder: &Folder, state: &mut State) -> Result<(), LoadError> {
    let path = folder.path().join("mail.json");
    if folder.kind("mail.json").map_err(|error| not_opened(&path, &error))?.is_none() {
        return Ok(());
    }
    let text = read_text(folder, "mail.json", DATA_BYTES_MAX)?;
    let letters: Vec<Letter> = serde_json::from_str(&text).map_err(|error| {
        let what = unplaced(&error);
        let hint = hint(&what).unwrap_or_else(|| MAIL_HINT.to_owned());
        wrong(&path, Some(error.line()), what, Some(hint))
    })?;
    for letter in letters {
        let (at, line) = (state.now(), line_of(&text, &letter.to));
        state.mail.send(Letter { at, ..letter }).map_err(|error| wrong(&path, line, error.to_string(), None))?;
    }
    Ok(())
}

fn files(folder: &Folder, state: &mut State) -> Result<(), LoadError> {
    let path = folder.path().join("files");
    match folder.kind("files").map_err(|error| not_opened(&path, &error))? {
        None => Ok(()),
        Some(Kind::Folder) => {
            let inside = folder.folder("files").map_err(|error| not_opened(&path, &error))?;
            take(&inside, "", DEPTH_MAX, &mut |path, text| assay_world::write(state, path, text))
        }
        Some(Kind::Link) => Err(not_opened(&path, &OpenError::Link)),
        Some(_) => Err(wrong(&path, None, "it is not a folder".to_owned(), None)),
    }
}

/// Takes in the files of a folder that lies at `before`, which ends in `/` or is empty.
fn take(
    folder: &Folder,
    before: &str,
    depth: usize,
    keep: &mut dyn FnMut(&str, &str) -> Result<(), String>,
) -> Result<(), LoadError> {
    let names = folder.entries(FILES_MAX as usize).map_err(|error| not_opened(folder.path(), &error))?;
    for name in names {
        let path = folder.path().join(&name);
        let Some(plain) = name.to_str() else {
            return Err(wrong(&path, None, "its name is not UTF-8".to_owned(), None));
        };
        match folder.kind(&name).map_err(|error| not_opened(&path, &error))? {
            Some(Kind::Folder) if depth > 0 => {
                let inside = folder.folder(&name).map_err(|error| not_opened(&path, &error))?;
                take(&inside, &format!("{before}{plain}/"), depth - 1, keep)?;
            }
            Some(Kind::File) => {
                let text = read_text(folder, &name, DOCUMENT_BYTES_MAX as u64)?;
                keep(&format!("{before}{plain}"), &text).map_err(|why| wrong(&path, None, why, None))?;
            }
            Some(Kind::Folder) => {
                return Err(wrong(&path, None, format!("folders nest more than {DEPTH_MAX} deep"), None));
            }
            Some(Kind::Link) => return Err(not_opened(&path, &OpenError::Link)),
            _ => return Err(not_opened(&path, &OpenError::NotAFile)),
        }
    }
    Ok(())
}

type Loaded = (Vec<Arc<Task>>, BTreeMap<String, String>, BTreeMap<String, Place>);

fn tasks(folder: &Folder, world: &Definition, objects: &[&str], whole: &blake3::Hasher) -> Result<Loaded, LoadError> {
    let (mut tasks, mut digests, mut places) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    if let Some((inside, names)) = entries(folder, "tasks", ".toml", TASKS_MAX * 2)? {
        for name in names {
            let path = inside.path().join(&name);
            let text = read_text(&inside, &name, TEXT_BYTES_MAX)?;
            let task = parse::<Task>(&path, &text)?.complete();
            begins(&path, &text, objects, &task)?;
            fits(&path, &text, world, &task)?;
            let id = task.id.clone();
            let mut hash = whole.clone();
            hash.update(text.as_bytes());
            digests.insert(id.clone(), hash.finalize().to_hex().to_string());
            places.insert(id.clone(), Place::new(&name, &text));
            if tasks.insert(id.clone(), Arc::new(task)).is_some() {
                return Err(wrong(&path, line_of(&text, &id), format!("two tasks have the id {id}"), None));
            }
        }
    }
    if tasks.is_empty() || tasks.len() > TASKS_MAX {
        let what = format!("{} tasks; a world has 1 to {TASKS_MAX}", tasks.len());
        return Err(wrong(&folder.path().join("tasks"), None, what, None));
    }
    Ok((tasks.into_values().collect(), digests, places))
}

/// What objects begin with in a task.
fn begins(path: &Path, text: &str, objects: &[&str], task: &Task) -> Result<(), LoadError> {
    for (name, begin) in &task.begin {
        if !objects.contains(&name.as_str()) {
            let hint = nearest(name, objects.iter().copied()).map(|near| format!("did you mean `{near}`?"));
            return Err(wrong(
                path,
                line_of(text, name),
                format!("there is no object {name:?} that could begin"),
                hint,
            ));
        }
        if let Some(why) = wrong_begin(begin) {
            return Err(wrong(path, line_of_key(text, name), format!("`begin` of {name} {why}"), None));
        }
    }
    Ok(())
}

/// The lines in which tables with these headers begin.
fn headers<'a>(text: &'a str, wanted: &'a [&str]) -> impl Iterator<Item = usize> + 'a {
    let lines = text.lines().enumerate().filter(|(_, line)| wanted.contains(&line.trim()));
    lines.map(|(index, _)| index + 1)
}

/// Every collection that a built-in tool reaches is there, or can be made in a task.
fn known_collections(folder: &Folder, text: &str, world: &Definition, tasks: &[Arc<Task>]) -> Result<(), LoadError> {
    let reached = world.tools.values().filter_map(|tool| match &tool.body {
        Body::BuiltIn(_, reach) => Some(&reach.collections),
        _ => None,
    });
    let reached: Vec<&String> = reached.flatten().collect();
    if reached.is_empty() {
        return Ok(());
    }
    let files = entries(folder, "data", ".json", assay_world::limits::COLLECTIONS_MAX * 4)?;
    let files = files.map(|(_, names)| names).unwrap_or_default();
    let mut known: BTreeSet<&str> = files.iter().map(|name| name.trim_end_matches(".json")).collect();
    known.extend(world.state.documents.schemas().names());
    tasks.iter().for_each(|task| known.extend(collections(world, task)));
    let Some(name) = reached.into_iter().find(|name| !known.contains(name.as_str())) else { return Ok(()) };
    let hint = nearest(name, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
    let line = line_with(text, &[format!("\"{name}\"").as_str(), "collections"]);
    Err(wrong(&folder.path().join("world.toml"), line, format!("there is no collection {name:?}"), hint))
}

/// What of a task can be checked without trying it.
fn fits(path: &Path, text: &str, world: &Definition, task: &Task) -> Result<(), LoadError> {
    let at = |word: &str, what: String| wrong(path, line_of(text, word), what, None);
    if !is_task_id(&task.id) {
        return Err(at(&task.id, format!("{:?} cannot be the id of a task", task.id)));
    }
    if !(1..=TURNS_MAX).contains(&task.turns) {
        let what = format!("`turns` is {}; a task has 1 to {TURNS_MAX}", task.turns);
        return Err(wrong(path, line_of_key(text, "turns"), what, None));
    }
    let given = [task.request.is_some(), task.user.is_some(), !task.said.is_empty()];
    if given.into_iter().filter(|is_given| *is_given).count() != 1 {
        let hint = "`request` is what an agent is asked without a person; `[user]` is the person; a list of `[[turn]]` is a conversation that is written out".to_owned();
        let last = headers(text, &["[user]", "[[turn]]"]).last().max(line_of_key(text, "request"));
        let line = last.or_else(|| line_of_key(text, "id"));
        return Err(wrong(path, line, "a task has one of `request`, `[user]` and `[[turn]]`".to_owned(), Some(hint)));
    }
    if task.said.len() > SAID_TURNS_MAX {
        return Err(wrong(path, None, format!("{} turns, at most {SAID_TURNS_MAX}", task.said.len()), None));
    }
    if task.events.len() > EVENTS_MAX {
        let line = headers(text, &["[[event]]"]).nth(EVENTS_MAX);
        return Err(wrong(path, line, format!("{} events, at most {EVENTS_MAX}", task.events.len()), None));
    }
    if let Some((word, leak)) = task.user.as_ref().and_then(|user| user.leaks().into_iter().next()) {
        let hint = "a template may only mention what its moment tells; see docs/worlds.md#users".to_owned();
        return Err(wrong(path, line_of(text, word), leak, Some(hint)));
    }
    // In a benchmark's task, users say what its authors tell them.
    let hides_goal = task.authors.is_none();
    if let Some((key, template)) = task.user.as_ref().filter(|_| hides_goal).and_then(|user| user.tells_goal()) {
        let hint = "nobody in the episode sees `goal`: let the user say it in other words".to_owned();
        let what = format!("{key}: gives away the goal, word for word");
        return Err(wrong(path, line_of(text, template), what, Some(hint)));
    }
    if let Some(slip) = slip(world, task) {
        let words: Vec<&str> = slip.words.iter().map(String::as_str).collect();
        return Err(wrong(path, line_with(text, &words), slip.what, slip.hint));
    }
    for event in &task.events {
        let mut known = vec!["now".to_owned()];
        if let Some(name) = assay_world::unbound(&event.steps, &mut known) {
            return Err(at(&event.source, format!("the event of {} uses `{name}`, which has no value", event.source)));
        }
    }
    match Episode::begin(world, &Arc::new(task.clone()), Seed(0), Profile::None) {
        Ok(_) => Ok(()),
        Err(TaskError::Unfit { what, word, why }) => Err(at(&word, format!("{what}: {why}"))),
        Err(error) => Err(wrong(path, None, error.to_string(), None)),
    }
}
