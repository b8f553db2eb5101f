//! The state of a world as somebody looks at it: its parts, and a page of one of them, with what the last step changed.
//!
//! ```text
//! databases/NAME/TABLE    the rows of a table            documents/COLLECTION    documents by id
//! files, files/PATH       the files; one of them         mail/ADDRESS            letters, the oldest first
//! ```
//!
//! Invariants: of a part no more is given than a page, within bounds of rows, of characters of a value and of bytes in all; what was changed is told by
//! comparing two states, never by what an agent says.

use assay_sql::Value as Sql;
use assay_tree::Tree;
use assay_world::{Letter, State};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::database::{SqlDatabase, to_json};
use crate::fork::States;

mod tables;

/// Rows of a page.
pub const ROWS_MAX: usize = 100;
/// Bytes of the list of parts.
const PARTS_BYTES_MAX: usize = 20 << 10;
/// Characters of a value.
const VALUE_CHARS_MAX: usize = 1_000;
/// Bytes of a page: it is sent through a pipe of 64 KiB, with its parts.
const PAGE_BYTES_MAX: usize = 20 << 10;
/// Bytes of a file's text, and of the text before the step.
const TEXT_BYTES_MAX: usize = 8 << 10;
/// Columns of a table.
const COLUMNS_MAX: usize = 60;

/// What became of a row in the step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// It was not there before.
    Added,
    /// It was another one before.
    Changed,
    /// It is not there any more.
    Removed,
}

/// A row, a document, a file in a list, or a letter.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Line {
    /// What became of it, if anything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    /// Its values, in the order of the columns, each cut to a length that can be shown.
    pub cells: Vec<String>,
    /// Its values before, if they were others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
}

/// A part that can be looked at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PartHead {
    /// Its path.
    pub path: String,
    /// Rows, documents, files or letters in it.
    pub entries: u64,
    /// How many of them the step has added, changed or removed.
    pub changed: u64,
}

/// A page of a part.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Page {
    /// The part's path.
    pub path: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// What the step has removed, as far as it fits; on the first page only.
    pub removed: Vec<Line>,
    /// The rows.
    pub lines: Vec<Line>,
    /// The number of the first, from 0.
    pub from: u64,
    /// Where the next page begins, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
    /// All rows of the part.
    pub total: u64,
}

/// A file with its text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileView {
    /// Its path.
    pub path: String,
    /// Its size; none if it is not there.
    pub bytes: Option<u64>,
    /// Its text, as far as it is shown; none if it is not text, or not there.
    pub text: Option<String>,
    /// The same before the step, if it was another one.
    pub before: Option<String>,
    /// Whether there was no such file before.
    pub is_new: bool,
}

/// See the module documentation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct View {
    /// After which step.
    pub step: usize,
    /// The steps of the episode.
    pub steps: usize,
    /// The world's clock.
    pub now_ns: u64,
    /// The digest of the state.
    pub root: String,
    /// What there is, by path, as far as it is listed.
    pub parts: Vec<PartHead>,
    /// Parts that are not listed.
    pub parts_left_out: usize,
    /// The part that was asked for.
    pub page: Option<Page>,
    /// The file that was asked for.
    pub file: Option<FileView>,
}

/// Why a view cannot be given.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ViewError {
    /// The state has no such part.
    #[error("the state has no part {0:?}")]
    NoPart(String),
    /// A database cannot be read.
    #[error("the database {0} cannot be read: {1}")]
    Unreadable(String, String),
}

/// What is to be seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked<'a> {
    /// Which part; none for the list of parts alone.
    pub part: Option<&'a str>,
    /// The first row, from 0.
    pub from: u64,
    /// Rows at most, up to [`ROWS_MAX`].
    pub count: usize,
}

/// Looks at a state.
///
/// # Errors
/// The part does not exist, or a database cannot be read.
pub fn view(states: &States, (step, steps): (usize, usize), asked: &Asked<'_>) -> Result<View, ViewError> {
    let State { documents, mail, files, .. } = &states.now;
    let before = states.before.as_ref();
    let mut parts = tables::heads(states)?;
    for collection in documents.collections() {
        let entries = documents.list(collection).count() as u64;
        let changed = changed_documents(&states.now, before, collection);
        parts.push(PartHead { path: format!("documents/{collection}"), entries, changed });
    }
    if files.walk(b"/").is_ok_and(|mut walk| walk.next().is_some())
        || before.is_some_and(|before| !same_files(before, &states.now))
    {
        let list = listed_files(&states.now, before);
        let changed = list.iter().filter(|(_, _, mark)| mark.is_some()).count() as u64;
        let entries = list.iter().filter(|(_, _, mark)| *mark != Some(Mark::Removed)).count() as u64;
        parts.push(PartHead { path: "files".to_owned(), entries, changed });
    }
    for address in mail.addresses() {
        let entries = mail.letters(address).count() as u64;
        let old = before.map_or(entries, |before| before.mail.letters(address).count() as u64);
        parts.push(PartHead { path: format!("mail/{address}"), entries, changed: entries.saturating_sub(old) });
    }
    let (mut left, all) = (PARTS_BYTES_MAX, parts.len());
    let fit =
        parts.iter().take_while(|head| left.checked_sub(head.path.len() + 60).inspect(|rest| left = *rest).is_some());
    let fit = fit.count();
    parts.truncate(fit);
    let parts_left_out = all - fit;
    let asked = Asked { count: asked.count.clamp(1, ROWS_MAX), ..asked.clone() };
    let (page, file) = match asked.part {
        None => (None, None),
        Some(path) => part(states, path, &asked)?,
    };
    let (now_ns, root) = (states.now.now().0, states.root.to_string());
    Ok(View { step, steps, now_ns, root, parts, parts_left_out, page, file })
}

type Part = (Option<Page>, Option<FileView>);

fn part(states: &States, path: &str, asked: &Asked<'_>) -> Result<Part, ViewError> {
    let no_part = || ViewError::NoPart(path.to_owned());
    let (kind, rest) = path.split_once('/').map_or((path, None), |(kind, rest)| (kind, Some(rest)));
    match (kind, rest) {
        ("databases", Some(rest)) => {
            let (name, table) = rest.split_once('/').ok_or_else(no_part)?;
            tables::page(states, (name, table), asked)?.ok_or_else(no_part).map(|page| (Some(page), None))
        }
        ("documents", Some(collection)) => {
            documents(states, collection, asked).ok_or_else(no_part).map(|page| (Some(page), None))
        }
        ("files", None) => Ok((Some(files(states, asked)), None)),
        ("files", Some(path)) => file(states, path).ok_or_else(no_part).map(|file| (None, Some(file))),
        ("mail", Some(address)) => letters(states, address, asked).ok_or_else(no_part).map(|page| (Some(page), None)),
        _ => Err(no_part()),
    }
}

/// A value as it is shown.
fn cell(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match text.char_indices().nth(VALUE_CHARS_MAX) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text,
    }
}

impl Line {
    fn bytes(&self) -> usize {
        // Quotation marks, commas and what is escaped.
        self.cells.iter().chain(&self.before).map(|cell| 8 + cell.len() + cell.len() / 8).sum::<usize>() + 40
    }
}

impl Page {
    /// As many of the lines as fit; they begin with number `from`.
    fn of(path: String, columns: Vec<String>, from: u64, total: u64, lines: impl Iterator<Item = Line>) -> Self {
        let (mut left, mut kept) = (PAGE_BYTES_MAX, Vec::new());
        for line in lines {
            let bytes = line.bytes();
            if bytes > left && !kept.is_empty() {
                break;
            }
            left = left.saturating_sub(bytes);
            kept.push(line);
        }
        let next = from.saturating_add(kept.len() as u64);
        Self { path, columns, removed: Vec::new(), lines: kept, from, next: (next < total).then_some(next), total }
    }

    fn with_removed(mut self, removed: impl Iterator<Item = Line>) -> Self {
        let mut left = PAGE_BYTES_MAX / 4;
        if self.from == 0 {
            self.removed = removed
                .take_while(|line| left.checked_sub(line.bytes()).inspect(|rest| left = *rest).is_some())
                .collect();
        }
        self
    }
}

fn skipped(asked: &Asked<'_>) -> usize {
    usize::try_from(asked.from).unwrap_or(usize::MAX)
}

fn changed_documents(now: &State, before: Option<&State>, collection: &str) -> u64 {
    let Some(before) = before else { return 0 };
    let (ours, theirs) = (&now.documents, &before.documents);
    let here = ours.list(collection).filter(|(id, value)| theirs.get(collection, id) != Some(*value)).count();
    let gone = theirs.list(collection).filter(|(id, _)| ours.get(collection, id).is_none()).count();
    (here + gone) as u64
}

fn documents(states: &States, collection: &str, asked: &Asked<'_>) -> Option<Page> {
    let now = &states.now.documents;
    let before = states.before.as_ref().map(|before| &before.documents);
    let total = now.list(collection).count() as u64;
    if total == 0
        && before.is_none_or(|before| before.list(collection).next().is_none())
        && !now.collections().any(|name| name == collection)
    {
        return None;
    }
    let line = |(id, value): (&str, &Value)| {
        let old = before.map(|before| before.get(collection, id));
        let (mark, before) = match old {
            Some(None) => (Some(Mark::Added), Vec::new()),
            Some(Some(old)) if old != value => (Some(Mark::Changed), vec![id.to_owned(), cell(old)]),
            None | Some(Some(_)) => (None, Vec::new()),
        };
        Line { mark, cells: vec![id.to_owned(), cell(value)], before }
    };
    let lines = now.list(collection).skip(skipped(asked)).take(asked.count).map(line);
    let columns = ["id", "document"].map(str::to_owned).to_vec();
    let gone = before
        .into_iter()
        .flat_map(|before| before.list(collection))
        .filter(|(id, _)| now.get(collection, id).is_none());
    let gone = gone.map(|(id, value)| Line {
        mark: Some(Mark::Removed),
        cells: vec![id.to_owned(), cell(value)],
        before: Vec::new(),
    });
    Some(Page::of(format!("documents/{collection}"), columns, asked.from, total, lines).with_removed(gone))
}

fn letters(states: &States, address: &str, asked: &Asked<'_>) -> Option<Page> {
    let total = states.now.mail.letters(address).count() as u64;
    let old = states.before.as_ref().map_or(total, |before| before.mail.letters(address).count() as u64);
    let line = |(number, letter): (usize, &Letter)| {
        let texts = [&letter.from, &letter.subject, &letter.body].map(|text| cell(&Value::from(text.as_str())));
        let mark = (number as u64 >= old).then_some(Mark::Added);
        Line { mark, cells: texts.to_vec(), before: Vec::new() }
    };
    let lines = states.now.mail.letters(address).enumerate().skip(skipped(asked)).take(asked.count).map(line);
    let columns = ["from", "subject", "text"].map(str::to_owned).to_vec();
    (total > 0).then(|| Page::of(format!("mail/{address}"), columns, asked.from, total, lines))
}

fn same_files(one: &State, other: &State) -> bool {
    one.files.digest() == other.files.digest()
}

/// The regular files of both states by path, with their size and what became of them.
fn listed_files(now: &State, before: Option<&State>) -> Vec<(String, u64, Option<Mark>)> {
    let of = |tree: &Tree| -> Vec<(Vec<u8>, u64)> {
        let walk = tree
            .walk(b"/")
            .map(|walk| walk.filter(|(_, stat)| stat.kind.is_file()).map(|(path, stat)| (path, stat.size)).collect());
        walk.unwrap_or_default()
    };
    let shown = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
    let is_unchanged = before.is_none_or(|before| same_files(before, now));
    let mark = |path: &[u8]| {
        let old = before.filter(|_| !is_unchanged)?.files.file_digest(path);
        match old {
            Err(_) => Some(Mark::Added),
            Ok(old) => now.files.file_digest(path).is_ok_and(|new| new != old).then_some(Mark::Changed),
        }
    };
    let mut list: Vec<_> = of(&now.files).into_iter().map(|(path, size)| (shown(&path), size, mark(&path))).collect();
    if let Some(before) = before.filter(|_| !is_unchanged) {
        let gone = of(&before.files).into_iter().filter(|(path, _)| now.files.file_digest(path).is_err());
        list.extend(gone.map(|(path, size)| (shown(&path), size, Some(Mark::Removed))));
        list.sort_by(|one, other| one.0.cmp(&other.0));
    }
    list
}

fn files(states: &States, asked: &Asked<'_>) -> Page {
    let list = listed_files(&states.now, states.before.as_ref());
    let total = list.len() as u64;
    let line = |(path, size, mark): &(String, u64, Option<Mark>)| Line {
        mark: *mark,
        cells: vec![path.clone(), size.to_string()],
        before: Vec::new(),
    };
    let lines = list.iter().skip(skipped(asked)).take(asked.count).map(line);
    let columns = ["path", "bytes"].map(str::to_owned).to_vec();
    Page::of("files".to_owned(), columns, asked.from, total, lines)
}

fn file(states: &States, path: &str) -> Option<FileView> {
    let read = |state: &State| state.files.read_all(path.as_bytes()).ok().map(|bytes| bytes.to_vec());
    let text = |bytes: &Vec<u8>| {
        let whole = std::str::from_utf8(bytes).ok()?;
        let end = whole.floor_char_boundary(TEXT_BYTES_MAX);
        Some(if end < whole.len() { format!("{}\n\u{2026}", &whole[..end]) } else { whole.to_owned() })
    };
    let (now, before) = (read(&states.now), states.before.as_ref().map(read));
    let old = before.clone().flatten();
    if now.is_none() && old.is_none() {
        return None;
    }
    let is_new = before.is_some() && old.is_none();
    let before = old.filter(|old| now.as_ref() != Some(old)).as_ref().and_then(text);
    let bytes = now.as_ref().map(|now| now.len() as u64);
    Some(FileView { path: path.to_owned(), bytes, text: now.as_ref().and_then(text), before, is_new })
}
