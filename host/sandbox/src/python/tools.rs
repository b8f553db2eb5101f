//! The tools of a cell that the host serves: searching and comparing here, everything else by whoever runs the session.
//!
//! A call that leaves the sandbox is put into a [`Mailbox`](super::calls::Mailbox); the session takes it out, asks its [`HostCalls`](super::HostCalls) and hands the answer back,
//! while the guest waits. So an answer may take any time and borrow anything, and no thread waits.

use super::calls::{HostAnswer, HostCall, Request};
use super::limits::{HOST_ANSWER_BYTES_MAX, PythonLimits};
use super::state::{Guest, SharedRef};
use super::stop::Stop;
use assay_tree::search::{FindQuery, Glob, GrepLimits, GrepQuery, Meter, SearchError, find, grep};
use assay_tree::{Kind, PATH_MAX, Tree, patch};
use futures::channel::oneshot;
use serde::de::{Error as DeError, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use wasmtime::component::Linker;
use wasmtime::{StoreContextMut, Trap};

/// Fuel for any call, and for each byte of text that goes in or out.
const CALL_FUEL: u64 = 2_000;
/// Bytes of what one `find` or `grep` answers, before they are written as JSON, which makes six of one at most: as much as a model can use.
const SEARCH_ANSWER_BYTES_MAX: usize = 128 << 10;
const GREP_LIMITS: GrepLimits =
    GrepLimits { matches_max: 500, output_bytes_max: SEARCH_ANSWER_BYTES_MAX, line_bytes_max: 400 };
/// Paths in the answer of one `find`.
const FIND_ENTRIES_MAX: usize = 2_000;
/// Work of a search between two looks at the clock.
const WORK_PER_LOOK: u64 = 1_000_000;
/// Bytes of changed files, before and after, and of their paths that `diff` compares: its answer is cut at a sixteenth of it.
const DIFF_BYTES_MAX: u64 = 16 << 20;
/// Fuel for each entry that is compared, and for each byte that differs: seconds at worst.
const COMPARED_FUEL: u64 = 500;
const DIFF_BYTE_FUEL: u64 = 256;
const CUT: &str = "\n[cut off here]";

/// Links the one function that the runner of cells calls.
pub(crate) fn link(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker
        .instance("assay:python/host@0.1.0")?
        .func_wrap_async("call", |store, (name, arguments): (String, String)| Box::new(call(store, name, arguments)))
}

/// The same for a strategy, which has no host to call: nobody would answer, and searching is not what a market charges for.
pub(crate) fn link_refused(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.instance("assay:python/host@0.1.0")?.func_wrap("call", |_, (_, _): (String, String)| {
        Err::<(Answer,), _>(Stop::Breach("a strategy called the host as cells do").into())
    })
}

async fn call(
    mut store: StoreContextMut<'_, Guest>,
    name: String,
    arguments: String,
) -> wasmtime::Result<(Result<String, String>,)> {
    pay(&mut store, CALL_FUEL + (name.len() + arguments.len()) as u64)?;
    let answer = match name.as_str() {
        "diff" => diff(&mut store)?,
        "grep" | "find" => look(&mut store, &name, &arguments)?,
        "finish" => finish(store.data_mut(), &arguments),
        _ => ask(store.data_mut(), &name, &arguments).await?,
    };
    let answer = answer.map(cut).map_err(cut);
    pay(&mut store, answer.as_ref().map_or_else(String::len, String::len) as u64)?;
    Ok((answer,))
}

fn pay(store: &mut StoreContextMut<'_, Guest>, price: u64) -> wasmtime::Result<()> {
    store.data().shared.lock().on_time()?;
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

/// A text that a cell tells somebody. Python's may have halves of surrogate pairs, one for each byte of a file that is not UTF-8: they become U+FFFD, as
/// wherever such bytes are shown.
struct Told(String);

impl<'de> Deserialize<'de> for Told {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // As bytes: a text with such a half is an error.
        deserializer.deserialize_bytes(Halves)
    }
}

/// Reads UTF-8 in which halves of surrogate pairs are written as if they were characters (WTF-8).
struct Halves;

impl Visitor<'_> for Halves {
    type Value = Told;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E: DeError>(self, bytes: &[u8]) -> Result<Told, E> {
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            // Each half is three bytes, each a chunk of its own, and only the first is this one.
            if chunk.invalid().starts_with(&[0xed]) {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        Ok(Told(text))
    }
}

/// Why arguments cannot be read, for the cell.
fn unreadable(arguments: &str, error: &serde_json::Error) -> String {
    // Python's own JSON has this mistake and hardly another.
    if error.is_syntax() && arguments.contains("\\ud") {
        "a text has half of a surrogate pair (such as '\\udce9'), which is not a character: leave it out".to_owned()
    } else {
        format!("the arguments cannot be read: {error}")
    }
}

#[derive(Deserialize)]
struct Finish {
    summary: Told,
}

fn finish(guest: &mut Guest, arguments: &str) -> Answer {
    let Finish { summary } = serde_json::from_str(arguments).map_err(|error| unreadable(arguments, &error))?;
    guest.finished = Some(cut(summary.0));
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

/// Arguments of a call: one text under its own name. Whatever else there is takes no room.
#[derive(Deserialize)]
struct Asked {
    #[serde(alias = "command", alias = "prompt", alias = "task")]
    text: Told,
}

fn parse(name: &str, arguments: &str) -> Result<HostCall, String> {
    let text = || {
        let asked: Asked = serde_json::from_str(arguments).map_err(|error| unreadable(arguments, &error))?;
        Ok::<_, String>(asked.text.0)
    };
    Ok(match name {
        "run_tests" => HostCall::RunTests,
        "shell" => HostCall::Shell { command: text()? },
        "llm_query" => HostCall::LlmQuery { prompt: text()? },
        "sub_agent" => HostCall::SubAgent { task: text()? },
        _ => return Err("there is no such call".to_owned()),
    })
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

/// Pays for a search out of the cell's fuel.
struct Purse<'a> {
    shared: &'a SharedRef,
    left: u64,
    /// Work since the last look at the clock.
    unseen: u64,
    /// Why no more is paid.
    stop: Option<Stop>,
}

impl Meter for Purse<'_> {
    fn spend(&mut self, work: u64) -> bool {
        self.unseen = self.unseen.saturating_add(work);
        let seen = self.unseen >= WORK_PER_LOOK;
        let on_time = if seen { self.shared.lock().on_time() } else { Ok(()) };
        self.unseen = if seen { 0 } else { self.unseen };
        self.stop = match (self.left.checked_sub(work), on_time) {
            (_, Err(stop)) => Some(stop),
            (None, _) => Some(Stop::OutOfFuel),
            (Some(left), Ok(())) => {
                self.left = left;
                return true;
            }
        };
        false
    }
}

/// What has changed since the session began.
fn diff(store: &mut StoreContextMut<'_, Guest>) -> wasmtime::Result<Answer> {
    let tree = store.data().shared.lock().mounts.episode.fork();
    let used = tree.used();
    // Files of the same length are read to see whether they differ.
    pay(store, used.inodes.saturating_mul(COMPARED_FUEL).saturating_add(used.bytes / 2))?;
    let bytes = patch::changed_bytes(&store.data().base, &tree);
    if bytes > DIFF_BYTES_MAX {
        let message = format!(
            "the changed files have {bytes} bytes, at most {DIFF_BYTES_MAX} are compared: remove what is not source"
        );
        return Ok(Err(message));
    }
    pay(store, bytes.saturating_mul(DIFF_BYTE_FUEL))?;
    let patch = patch::diff(&store.data().base, &tree).map_err(|error| Stop::Infrastructure(error.to_string()))?;
    Ok(Ok(String::from_utf8_lossy(&patch).into_owned()))
}

/// Answers by searching the files.
fn look(store: &mut StoreContextMut<'_, Guest>, name: &str, arguments: &str) -> wasmtime::Result<Answer> {
    let look: Look = match serde_json::from_str(arguments) {
        Ok(look) => look,
        Err(error) => return Ok(Err(unreadable(arguments, &error))),
    };
    if look.prefix.len() >= PATH_MAX || look.path.len() >= PATH_MAX {
        return Ok(Err(format!("a path has at most {} bytes", PATH_MAX - 1)));
    }
    let shared = store.data().shared.clone();
    let (tree, folder) = {
        let shared = shared.lock();
        (shared.mounts.episode.fork(), shared.mounts.folder.clone())
    };
    let Some(root) = look.path.strip_prefix(&folder).filter(|rest| rest.is_empty() || rest.starts_with('/')) else {
        return Ok(Err(format!("{} is outside {folder}", look.path)));
    };
    let root = if root.is_empty() { "/" } else { root };
    let mut purse = Purse { shared: &shared, left: store.get_fuel()?, unseen: 0, stop: None };
    let found =
        if name == "grep" { search(&tree, root, &look, &mut purse) } else { list(&tree, root, &look, &mut purse) };
    store.set_fuel(purse.left)?;
    Ok(match found {
        Ok(lines) => serde_json::to_string(&lines.list).map_err(|error| error.to_string()),
        Err(SearchError::Ended) => return Err(purse.stop.unwrap_or(Stop::OutOfFuel).into()),
        Err(SearchError::Tree(assay_tree::TreeError::Blob(error))) => {
            return Err(Stop::Infrastructure(error.to_string()).into());
        }
        Err(error) => Err(error.to_string()),
    })
}

/// The lines of an answer, as many as there is room for.
#[derive(Default)]
struct Lines {
    list: Vec<String>,
    bytes: usize,
}

impl Lines {
    /// Whether there was room for it.
    fn push(&mut self, line: String) -> bool {
        self.bytes += line.len();
        let fits = self.bytes <= SEARCH_ANSWER_BYTES_MAX;
        if fits {
            self.list.push(line);
        }
        fits
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

fn search(tree: &Tree, root: &str, look: &Look, meter: &mut dyn Meter) -> Result<Lines, SearchError> {
    let glob = look.glob.as_deref().map(Glob::new).transpose()?;
    let query = GrepQuery {
        pattern: &look.pattern,
        literal: look.literal,
        ignore_case: look.ignore_case,
        root: root.as_bytes(),
        glob: glob.as_ref(),
        limits: GREP_LIMITS,
    };
    let found = grep(tree, &query, meter)?;
    let line = |found: &assay_tree::search::GrepMatch| {
        format!("{}:{}: {}", shown(&look.prefix, &found.path), found.line_number, String::from_utf8_lossy(&found.line))
    };
    let mut lines = Lines::default();
    let fits = found.matches.iter().all(|found| lines.push(line(found)));
    if found.truncated || !fits {
        lines.list.push("[more matches: narrow the search by path, glob or pattern]".to_owned());
    }
    if found.large_files > 0 {
        let (files, max) = (found.large_files, assay_tree::search::SEARCHED_BYTES_MAX >> 20);
        lines.list.push(format!("[not searched: {files} of more than {max} MiB]"));
    }
    Ok(lines)
}

fn list(tree: &Tree, root: &str, look: &Look, meter: &mut dyn Meter) -> Result<Lines, SearchError> {
    let glob = Glob::new(&look.pattern)?;
    let query = FindQuery {
        root: root.as_bytes(),
        glob: Some(&glob),
        kinds: None,
        entries_max: FIND_ENTRIES_MAX,
        output_bytes_max: SEARCH_ANSWER_BYTES_MAX,
    };
    let found = find(tree, &query, meter)?;
    let line = |(path, stat): &(Vec<u8>, assay_tree::Stat)| {
        let slash = if stat.kind == Kind::Directory { "/" } else { "" };
        shown(&look.prefix, path) + slash
    };
    let mut lines = Lines::default();
    let fits = found.entries.iter().all(|entry| lines.push(line(entry)));
    if found.truncated || !fits {
        lines.list.push("[more entries: narrow the search by path or pattern]".to_owned());
    }
    Ok(lines)
}
