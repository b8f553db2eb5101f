//! The tools of a cell that the host serves: searching and comparing here, everything else by whoever runs the session.
//!
//! A call that leaves the sandbox is put into a [`Mailbox`]; the session takes it out, asks its [`HostCalls`] and hands the answer back,
//! while the guest waits. So an answer may take any time and borrow anything, and no thread waits.

use super::limits::{HOST_ANSWER_BYTES_MAX, PythonLimits};
use super::state::{Guest, Stop};
use assay_world::search::{FindQuery, Glob, GrepLimits, GrepQuery, SearchError, find, grep};
use assay_world::{Kind, Tree, patch};
use futures::channel::oneshot;
use futures::future::BoxFuture;
use serde::Deserialize;
use std::sync::{Arc, Mutex, PoisonError};
use wasmtime::component::Linker;
use wasmtime::{StoreContextMut, Trap};

/// What a cell asks of whoever runs the session. All text is the model's.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum HostCall {
    /// Run the repository's tests over the files as they are.
    RunTests,
    /// Run a command over the files as they are.
    Shell {
        /// The command line.
        command: String,
    },
    /// Ask a language model.
    LlmQuery {
        /// What to ask.
        prompt: String,
    },
    /// Give another agent a copy of the files and a task.
    SubAgent {
        /// What to do.
        task: String,
    },
}

/// What becomes of a [`HostCall`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostAnswer {
    /// The call's value in the cell.
    Text(String),
    /// Raised in the cell as `ToolError`: not allowed, out of budget, wrongly asked.
    Refused(String),
    /// The host could not do it through no fault of the cell; the cell ends unscored.
    Infrastructure(String),
}

/// Serves the calls of one session, one at a time.
pub trait HostCalls: Send + Sync {
    /// Answers a call. `tree` is the files as the cell sees them, for this call to keep or change.
    fn call<'a>(&'a self, call: HostCall, tree: Tree) -> BoxFuture<'a, HostAnswer>;
}

/// A call on its way out.
pub(crate) struct Request {
    pub(crate) call: HostCall,
    pub(crate) tree: Tree,
    pub(crate) answer: oneshot::Sender<HostAnswer>,
}

/// Holds the call that the guest waits for.
#[derive(Clone, Default)]
pub(crate) struct Mailbox(Arc<Mutex<Option<Request>>>);

impl Mailbox {
    fn post(&self, request: Request) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(request);
    }

    pub(crate) fn take(&self) -> Option<Request> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Fuel for any call, and for each byte of text that goes in or out.
const CALL_FUEL: u64 = 2_000;
/// Fuel for each file or folder that a search passes.
const ENTRY_FUEL: u64 = 500;
/// Bytes searched for one fuel.
const SEARCHED_BYTES_PER_FUEL: u64 = 2;
/// What one search may answer: as much as a model can use.
const GREP_LIMITS: GrepLimits = GrepLimits { matches_max: 500, output_bytes_max: 128 << 10, line_bytes_max: 400 };
/// Paths in the answer of one `find`.
const FIND_ENTRIES_MAX: usize = 2_000;
/// Bytes of changed files, before and after, that `diff` compares: its answer is cut at a sixteenth of it, and comparing takes a fraction of a second.
const DIFF_BYTES_MAX: u64 = 16 << 20;
const CUT: &str = "\n[cut off here]";

/// Links the one function that the runner calls.
pub(crate) fn link(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker
        .instance("assay:python/host@0.1.0")?
        .func_wrap_async("call", |store, (name, arguments): (String, String)| Box::new(call(store, name, arguments)))
}

async fn call(
    mut store: StoreContextMut<'_, Guest>,
    name: String,
    arguments: String,
) -> wasmtime::Result<(Result<String, String>,)> {
    pay(&mut store, CALL_FUEL + (name.len() + arguments.len()) as u64)?;
    let answer = match name.as_str() {
        "grep" | "find" | "diff" => {
            let used = store.data().shared.lock().mounts.episode.used();
            pay(&mut store, used.inodes * ENTRY_FUEL + used.bytes / SEARCHED_BYTES_PER_FUEL)?;
            look(store.data(), &name, &arguments)?
        }
        "finish" => finish(store.data_mut(), &arguments),
        _ => ask(store.data_mut(), &name, &arguments).await?,
    };
    let answer = answer.map(cut).map_err(cut);
    pay(&mut store, answer.as_ref().map_or_else(String::len, String::len) as u64)?;
    Ok((answer,))
}

fn pay(store: &mut StoreContextMut<'_, Guest>, price: u64) -> wasmtime::Result<()> {
    match store.get_fuel()?.checked_sub(price) {
        Some(left) => store.set_fuel(left),
        None => {
            store.set_fuel(0)?;
            Err(Trap::OutOfFuel.into())
        }
    }
}

fn cut(mut text: String) -> String {
    if text.len() > HOST_ANSWER_BYTES_MAX {
        text.truncate(text.floor_char_boundary(HOST_ANSWER_BYTES_MAX - CUT.len()));
        text.push_str(CUT);
    }
    text
}

type Answer = Result<String, String>;

#[derive(Deserialize)]
struct Finish {
    summary: String,
}

fn finish(guest: &mut Guest, arguments: &str) -> Answer {
    let Finish { summary } = serde_json::from_str(arguments).map_err(|error| error.to_string())?;
    guest.finished = Some(cut(summary));
    Ok(String::new())
}

async fn ask(guest: &mut Guest, name: &str, arguments: &str) -> wasmtime::Result<Answer> {
    let PythonLimits { host_calls_cell, .. } = guest.limits;
    if guest.host_calls >= host_calls_cell {
        return Ok(Err(format!("at most {host_calls_cell} such calls in one cell")));
    }
    guest.host_calls += 1;
    let call = match parse(name, arguments) {
        Ok(call) => call,
        Err(message) => return Ok(Err(message)),
    };
    let tree = guest.shared.lock().mounts.episode.fork();
    let (sender, receiver) = oneshot::channel();
    guest.mailbox.post(Request { call, tree, answer: sender });
    match receiver.await {
        Ok(HostAnswer::Text(text)) => Ok(Ok(text)),
        Ok(HostAnswer::Refused(message)) => Ok(Err(message)),
        Ok(HostAnswer::Infrastructure(message)) => Err(Stop::Infrastructure(message).into()),
        Err(_) => Err(Stop::Infrastructure("nobody answers the cell's calls".to_owned()).into()),
    }
}

fn parse(name: &str, arguments: &str) -> Result<HostCall, String> {
    let mut object: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(arguments).map_err(|error| format!("the arguments cannot be read: {error}"))?;
    object.insert("name".to_owned(), name.into());
    serde_json::from_value(object.into()).map_err(|error| format!("there is no such call: {error}"))
}

#[derive(Deserialize)]
struct Look {
    path: String,
    /// What the cell called that path; shown before each path of the answer.
    prefix: String,
    pattern: String,
    glob: Option<String>,
    #[serde(default)]
    ignore_case: bool,
    #[serde(default)]
    literal: bool,
}

/// Answers by looking at the files. The guest's answer, or infrastructure trouble.
fn look(guest: &Guest, name: &str, arguments: &str) -> Result<Answer, Stop> {
    let shared = guest.shared.lock();
    let (tree, folder) = (&shared.mounts.episode, shared.mounts.folder.as_str());
    if name == "diff" {
        let bytes = patch::changed_bytes(&guest.base, tree);
        if bytes > DIFF_BYTES_MAX {
            let message = format!(
                "the changed files have {bytes} bytes, at most {DIFF_BYTES_MAX} are compared: remove what is not source"
            );
            return Ok(Err(message));
        }
        let patch = patch::diff(&guest.base, tree).map_err(|error| Stop::Infrastructure(error.to_string()))?;
        return Ok(Ok(String::from_utf8_lossy(&patch).into_owned()));
    }
    let look: Look = match serde_json::from_str(arguments) {
        Ok(look) => look,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let Some(root) = look.path.strip_prefix(folder).filter(|rest| rest.is_empty() || rest.starts_with('/')) else {
        return Ok(Err(format!("{} is outside {folder}", look.path)));
    };
    let root = if root.is_empty() { "/" } else { root };
    let found = if name == "grep" { search(tree, root, &look) } else { list(tree, root, &look) };
    match found {
        Ok(lines) => Ok(serde_json::to_string(&lines).map_err(|error| error.to_string())),
        Err(SearchError::Tree(assay_world::TreeError::Blob(error))) => Err(Stop::Infrastructure(error.to_string())),
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// A path below the place that was searched, as the cell would write it.
fn shown(prefix: &str, path: &[u8]) -> String {
    let path = String::from_utf8_lossy(path);
    match (prefix, path.as_ref()) {
        ("", path) => path.to_owned(),
        (prefix, "") => prefix.to_owned(),
        (prefix, path) => format!("{}/{path}", prefix.trim_end_matches('/')),
    }
}

fn search(tree: &Tree, root: &str, look: &Look) -> Result<Vec<String>, SearchError> {
    let glob = look.glob.as_deref().map(Glob::new).transpose()?;
    let found = grep(
        tree,
        &GrepQuery {
            pattern: &look.pattern,
            literal: look.literal,
            ignore_case: look.ignore_case,
            root: root.as_bytes(),
            glob: glob.as_ref(),
            limits: GREP_LIMITS,
        },
    )?;
    let line = |found: &assay_world::search::GrepMatch| {
        format!("{}:{}: {}", shown(&look.prefix, &found.path), found.line_number, String::from_utf8_lossy(&found.line))
    };
    let mut lines: Vec<_> = found.matches.iter().map(line).collect();
    if found.truncated {
        lines.push("[more matches: narrow the search by path, glob or pattern]".to_owned());
    }
    Ok(lines)
}

fn list(tree: &Tree, root: &str, look: &Look) -> Result<Vec<String>, SearchError> {
    let glob = Glob::new(&look.pattern)?;
    let query = FindQuery { root: root.as_bytes(), glob: Some(&glob), kinds: None, entries_max: FIND_ENTRIES_MAX };
    let found = find(tree, &query)?;
    let line = |(path, stat): &(Vec<u8>, assay_world::Stat)| {
        let slash = if stat.kind == Kind::Directory { "/" } else { "" };
        shown(&look.prefix, path) + slash
    };
    let mut lines: Vec<_> = found.entries.iter().map(line).collect();
    if found.truncated {
        lines.push("[more entries: narrow the search by path or pattern]".to_owned());
    }
    Ok(lines)
}
