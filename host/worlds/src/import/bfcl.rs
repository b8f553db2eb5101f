//! The conversations with tools of the Berkeley Function-Calling Leaderboard (Apache-2.0): the classes run unchanged in the sandboxed interpreter, the calls
//! of the answers are read there, and every task is a conversation that is written out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Imported;
use super::source::{lines, missing, modules_of, text};
use super::write::WorldFolder;
use crate::OpenPython;
use crate::format::wrong;
use crate::load::LoadError;
use crate::python::{modules_tree, script};

/// Sets of conversations.
const SETS: [&str; 4] = ["base", "miss_func", "miss_param", "long_context"];
/// Classes with their modules and the files of their functions' descriptions.
const CLASSES: [(&str, &str, &str); 8] = [
    ("GorillaFileSystem", "gorilla_file_system", "gorilla_file_system"),
    ("MathAPI", MATH, "math_api"),
    ("MessageAPI", "message_api", "message_api"),
    ("TicketAPI", "ticket_api", "ticket_api"),
    ("TradingBot", "trading_bot", "trading_bot"),
    ("TravelAPI", "travel_booking", "travel_booking"),
    ("TwitterAPI", "posting_api", "posting_api"),
    ("VehicleControlAPI", "vehicle_control", "vehicle_control"),
];
/// The one class without anything to begin with, and the library that it needs.
const MATH: &str = "math_api";
const MATH_LIBRARY: &str = "mpmath";
/// What several classes import.
const SHARED: &str = "long_context";
/// Where the modules are, in the package and in the world.
const PLACE: &str = "eval_checker/multi_turn_eval/func_source_code";
/// Steps that the authors give an agent for each turn of the conversation, and one for its last word.
const STEPS_PER_TURN: u32 = 21;
/// When episodes begin, and the time at which it stands still for the classes: the day of the package. Some look at how old a traveller is.
const BEGINS: u64 = 1_774_224_000;
/// Seconds are no help; words are: what an agent is told.
const POLICY: &str = "You have tools. Do what the user asks for with them, and say so in a message without calls when it is done. If a tool or a detail is missing, say which.\n";
const HINT: &str = "name the package's folder or the one that it is installed in: pip install --no-deps --target DIR bfcl-eval==2026.3.23 mpmath==1.3.0";
const CALLS: &str = include_str!("calls.py");

#[derive(Deserialize)]
struct Row {
    id: String,
    question: Vec<Vec<Said>>,
    initial_config: Map<String, Value>,
    involved_classes: Vec<String>,
    #[serde(default)]
    excluded_function: Vec<String>,
    #[serde(default)]
    missed_function: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct Said {
    content: String,
}

#[derive(Deserialize)]
struct Answer {
    id: String,
    ground_truth: Vec<Vec<String>>,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    description: String,
    parameters: Value,
}

#[derive(Serialize)]
struct WorldOut {
    name: &'static str,
    begins: u64,
    python: Vec<ObjectOut>,
    tool: Vec<ToolOut>,
}

#[derive(Serialize)]
struct ObjectOut {
    name: &'static str,
    module: String,
    class: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    load: Option<&'static str>,
    skip: [&'static str; 1],
    text: bool,
    timeless: bool,
    unchecked: bool,
}

#[derive(Serialize)]
struct ToolOut {
    name: String,
    python: &'static str,
    description: String,
    parameters: Value,
}

#[derive(Serialize)]
struct TaskOut {
    id: String,
    turns: u32,
    gold: Vec<DeedOut>,
    tools: Vec<String>,
    begin: BTreeMap<String, String>,
    turn: Vec<TurnOut>,
}

#[derive(Serialize)]
struct TurnOut {
    say: String,
    tools: Vec<String>,
    gold: Vec<DeedOut>,
}

#[derive(Clone, Serialize, Deserialize)]
struct DeedOut {
    #[serde(rename(serialize = "call", deserialize = "tool"))]
    call: String,
    #[serde(rename(serialize = "with", deserialize = "arguments"))]
    with: Map<String, Value>,
}

/// What the interpreter says of a call.
#[derive(Deserialize)]
#[serde(untagged)]
enum Read {
    Wrong { error: String },
    Call(DeedOut),
}

/// A row with where it stands and its answer.
struct Conversation {
    path: PathBuf,
    line: usize,
    row: Row,
    answer: Answer,
    is_long: bool,
}

pub(super) fn import(package: &Path, out: &Path, python: &OpenPython<'_>) -> Result<Imported, LoadError> {
    let root = root(package).ok_or_else(|| missing(package, "BFCL_v4_multi_turn_base.json", HINT))?;
    let library =
        root.parent().map(|site| site.join(MATH_LIBRARY)).filter(|library| library.join("__init__.py").is_file());
    let mut imported = Imported::default();
    if library.is_none() {
        let why = format!("MathAPI needs {MATH_LIBRARY}, which is not beside the package");
        imported.left_out.push(format!("the conversations with MathAPI: {why}"));
    }
    let classes: Vec<_> = CLASSES.into_iter().filter(|(_, module, _)| *module != MATH || library.is_some()).collect();
    let functions = functions(&root, &classes)?;
    let mut rows = Vec::new();
    for set in SETS {
        rows.extend(conversations(&root, set)?);
    }
    let has_all = |one: &Conversation| {
        one.row.involved_classes.iter().all(|class| classes.iter().any(|(known, _, _)| known == class))
    };
    let before = rows.len();
    rows.retain(has_all);
    if rows.len() < before {
        imported.left_out.push(format!("{} conversations with classes that are not here", before - rows.len()));
    }
    let deeds = deeds(&rows, &functions, python)?;
    let more = more_functions(&root)?;
    let folder = WorldFolder::new(out)?;
    folder.text("policy.md", POLICY)?;
    let world = world(&classes, &functions);
    imported.tools = world.tool.len();
    folder.toml("world.toml", &world)?;
    modules(&root, &classes, library.as_deref(), &folder)?;
    for (one, deeds) in rows.iter().zip(deeds) {
        let task = task(one, deeds, &functions, &more)?;
        folder.toml(&format!("tasks/{}.toml", task.id), &task)?;
        imported.tasks += 1;
    }
    Ok(imported)
}

/// The package's own folder.
fn root(package: &Path) -> Option<PathBuf> {
    let places =
        [Some(package.join("bfcl_eval")), Some(package.to_path_buf()), package.parent().map(Path::to_path_buf)];
    places.into_iter().flatten().find(|root| root.join("data/BFCL_v4_multi_turn_base.json").is_file())
}

/// The functions of the classes, each under its class.
type Functions = Vec<(&'static str, Vec<Function>)>;

fn functions(root: &Path, classes: &[(&'static str, &str, &str)]) -> Result<Functions, LoadError> {
    let one = |(class, _, docs): &(&'static str, &str, &str)| {
        let path = root.join("data/multi_turn_func_doc").join(format!("{docs}.json"));
        let functions: Vec<(usize, Function)> = lines(&path)?;
        Ok((*class, functions.into_iter().map(|(_, function)| function).collect()))
    };
    classes.iter().map(one).collect()
}

fn conversations(root: &Path, set: &str) -> Result<Vec<Conversation>, LoadError> {
    let name = format!("BFCL_v4_multi_turn_{set}.json");
    let (path, answers_path) = (root.join("data").join(&name), root.join("data/possible_answer").join(&name));
    let answers: Vec<(usize, Answer)> = lines(&answers_path)?;
    let mut answers: BTreeMap<String, Answer> =
        answers.into_iter().map(|(_, answer)| (answer.id.clone(), answer)).collect();
    let rows: Vec<(usize, Row)> = lines(&path)?;
    let with_answer = |(line, row): (usize, Row)| {
        let at = |what: String| wrong(&path, Some(line), what, None);
        let answer = answers.remove(&row.id).ok_or_else(|| at(format!("{} has no answer", row.id)))?;
        if answer.ground_truth.len() != row.question.len() {
            let (asked, answered) = (row.question.len(), answer.ground_truth.len());
            return Err(at(format!("{} has {asked} turns, and answers for {answered}", row.id)));
        }
        Ok(Conversation { path: path.clone(), line, row, answer, is_long: set == "long_context" })
    };
    rows.into_iter().map(with_answer).collect()
}

/// The calls of all answers, turn by turn, as the interpreter reads them.
fn deeds(
    rows: &[Conversation],
    functions: &Functions,
    python: &OpenPython<'_>,
) -> Result<Vec<Vec<Vec<DeedOut>>>, LoadError> {
    let parameters = functions.iter().flat_map(|(_, functions)| functions).map(|function| {
        let properties = function.parameters.get("properties").and_then(Value::as_object);
        let names: Vec<&String> = properties.into_iter().flat_map(Map::keys).collect();
        (function.name.clone(), json!(names))
    });
    let parameters: Map<String, Value> = parameters.collect();
    let calls: Vec<&String> = rows.iter().flat_map(|one| one.answer.ground_truth.iter().flatten()).collect();
    let request = json!({ "calls": calls, "parameters": parameters });
    let unread = |what: String| match rows.first() {
        Some(one) => wrong(&one.path, None, format!("the answers cannot be read: {what}"), None),
        None => wrong(Path::new("data"), None, what, None),
    };
    let answer = script(&python()?, modules_tree(), CALLS, &request).map_err(unread)?;
    let read: Vec<Read> = serde_json::from_value(answer).map_err(|error| unread(error.to_string()))?;
    if read.len() != calls.len() {
        return Err(unread(format!("{} of {} calls were read", read.len(), calls.len())));
    }
    let mut read = read.into_iter();
    let mut all = Vec::new();
    for one in rows {
        let mut turns = Vec::new();
        for turn in &one.answer.ground_truth {
            let mut deeds = Vec::new();
            for (text, read) in turn.iter().zip(&mut read) {
                match read {
                    Read::Call(deed) => deeds.push(deed),
                    Read::Wrong { error } => {
                        let what = format!("the answer {text:?} of {} cannot be read: {error}", one.row.id);
                        return Err(wrong(&one.path, Some(one.line), what, None));
                    }
                }
            }
            turns.push(deeds);
        }
        all.push(turns);
    }
    Ok(all)
}

/// What the authors say where functions that were missing come back.
fn more_functions(root: &Path) -> Result<String, LoadError> {
    const NAME: &str = "DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC = ";
    let path = root.join("constants/default_prompts.py");
    let text = text(&path)?;
    let found = text.split_once(NAME).and_then(|(_, rest)| rest.split('"').nth(1)).map(str::to_owned);
    found.ok_or_else(|| wrong(&path, None, "there is no prompt for additional functions".to_owned(), None))
}

fn world(classes: &[(&'static str, &str, &str)], functions: &Functions) -> WorldOut {
    let module = |name: &str| format!("bfcl_eval.{}.{name}", PLACE.replace('/', "."));
    let object = |(class, name, _): &(&'static str, &str, &str)| ObjectOut {
        name: class,
        module: module(name),
        class,
        load: (*name != MATH).then_some("_load_scenario"),
        skip: ["parent"],
        text: true,
        timeless: true,
        unchecked: true,
    };
    let tools = functions.iter().flat_map(|(class, functions)| {
        functions.iter().map(|function| ToolOut {
            name: function.name.clone(),
            python: class,
            description: function.description.clone(),
            parameters: schema(&function.parameters),
        })
    });
    WorldOut { name: "bfcl", begins: BEGINS, python: classes.iter().map(object).collect(), tool: tools.collect() }
}

/// A JSON schema of the authors' types.
fn schema(value: &Value) -> Value {
    let Value::Object(fields) = value else { return value.clone() };
    let mut schema = Map::new();
    for (key, field) in fields {
        let field = match (key.as_str(), field) {
            ("type", Value::String(name)) => match name.as_str() {
                "dict" => "object".into(),
                "float" => "number".into(),
                "tuple" => "array".into(),
                "any" => continue,
                other => other.into(),
            },
            ("properties", Value::Object(properties)) => {
                properties.iter().map(|(name, property)| (name.clone(), self::schema(property))).collect()
            }
            ("items", items) => self::schema(items),
            ("required" | "description" | "enum", _) => field.clone(),
            // Defaults are often no value of their type; the classes know them.
            _ => continue,
        };
        schema.insert(key.clone(), field);
    }
    schema.into()
}

/// Copies the modules of the classes, and the library that one needs.
fn modules(
    root: &Path,
    classes: &[(&'static str, &str, &str)],
    library: Option<&Path>,
    folder: &WorldFolder,
) -> Result<(), LoadError> {
    let mut place = String::from("python/bfcl_eval");
    folder.text(&format!("{place}/__init__.py"), "")?;
    for part in PLACE.split('/') {
        place = format!("{place}/{part}");
        folder.text(&format!("{place}/__init__.py"), "")?;
    }
    for name in classes.iter().map(|(_, name, _)| *name).chain([SHARED]) {
        let text = text(&root.join(PLACE).join(format!("{name}.py")))?;
        folder.text(&format!("{place}/{name}.py"), &text)?;
    }
    for (path, text) in library.map(|library| modules_of(library, MATH_LIBRARY)).transpose()?.unwrap_or_default() {
        folder.text(&format!("python/{path}"), &text)?;
    }
    Ok(())
}

fn task(one: &Conversation, deeds: Vec<Vec<DeedOut>>, functions: &Functions, more: &str) -> Result<TaskOut, LoadError> {
    let Conversation { row, is_long, .. } = one;
    let at = |what: String| wrong(&one.path, Some(one.line), what, None);
    if !assay_rollout::task::is_task_id(&row.id) {
        return Err(at(format!("{:?} cannot be the id of a task", row.id)));
    }
    let missed: BTreeSet<&String> = row.missed_function.values().flatten().chain(&row.excluded_function).collect();
    let involved = functions.iter().filter(|(class, _)| row.involved_classes.iter().any(|name| name == class));
    let tools = involved.flat_map(|(_, functions)| functions).map(|function| function.name.clone());
    let mut turns = Vec::new();
    for (index, (said, gold)) in row.question.iter().zip(deeds).enumerate() {
        let say = said.iter().map(|said| said.content.as_str()).collect::<Vec<_>>().join("\n");
        let say = if said.is_empty() { more.to_owned() } else { say };
        let tools = row.missed_function.get(&index.to_string()).cloned().unwrap_or_default();
        turns.push(TurnOut { say, tools, gold });
    }
    // Whoever makes one call in each step must be able to make them all.
    let calls = turns.iter().map(|turn: &TurnOut| turn.gold.len() + 1).sum::<usize>();
    let steps = STEPS_PER_TURN.saturating_mul(u32::try_from(turns.len()).unwrap_or(u32::MAX));
    let begin = row.involved_classes.iter().map(|class| {
        let config = row.initial_config.get(class).cloned().unwrap_or_else(|| json!({}));
        let begin = json!({ "with": config, "options": { "long_context": is_long } });
        (class.clone(), begin.to_string())
    });
    Ok(TaskOut {
        id: row.id.clone(),
        turns: steps.max(u32::try_from(calls).unwrap_or(u32::MAX)),
        gold: Vec::new(),
        tools: tools.filter(|name| !missed.contains(name)).collect(),
        begin: begin.collect(),
        turn: turns,
    })
}
