//! The recorded events of an episode: the tables beside the report in which it is, whichever folder that is.
//!
//! Invariants: an episode is known by the hash of its event log, so the tables are of that very episode, whatever a folder or a file is called; tables are
//! believed that have the length, the hash and the run of which their manifest speaks, beside a report of that run that can be read; what is read of a folder is
//! bounded, and links in it are not followed.

use crate::id::FolderId;
use crate::library::{Found, Library, What};
use assay_data::{
    AGENTS, MANIFEST, Manifest, ORDERS, OrderStream, PartFormat, PartQuestion, SCHEMA_NAME, Table, TableFile,
    read_orders_of, read_part,
};
use assay_evaluate::{EpisodeKind, RunRecord};
use assay_files::Folder;
use assay_model::{Request, Seed, Time};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::fmt::Display;
use std::fs::File;
use std::path::Path;

/// The folder of the tables of a run, beside its report.
pub(crate) const DATA: &str = "data";
/// The agents of a market that are looked through for the strategy.
const AGENTS_MAX: usize = 10_000;
/// Bytes of a manifest.
const MANIFEST_BYTES_MAX: u64 = 4 << 20;
/// Bytes of a table whose hash is computed again.
const HASHED_BYTES_MAX: u64 = 1 << 30;
/// Bytes of a record in which an episode is looked for.
const RECORD_BYTES_MAX: u64 = 64 << 20;
/// How far apart in time two orders may be and still be the same: far less than between two ticks.
const COMPUTING_NS: u64 = 1_000_000;
/// Records in which it is looked for, the newest first.
const RECORDS_MAX: usize = 20;

/// What of a record says which events an episode has left.
#[derive(Deserialize)]
struct Record {
    #[serde(default)]
    episodes: Vec<Episode>,
}

/// An episode of a record, as far as it is told apart from others.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub(crate) struct Episode {
    /// The seed.
    pub seed: u64,
    /// The hash of its events.
    pub event_log_hash: String,
}

/// The tables of an episode.
pub(crate) struct Recording {
    /// The folder of the report.
    pub folder: FolderId,
    /// The same for a person.
    pub name: String,
    data: Folder,
    seed: u64,
    symbol: String,
}

/// The tables beside a report that has an episode, where they are not its own.
pub(crate) struct Refused {
    /// The folder of the report, and the same for a person.
    pub folder: (FolderId, String),
    /// In what they differ.
    pub why: String,
}

/// A request of the strategy, and the row of the table in which it is, from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub row: u64,
    pub at: Time,
    pub request: Request,
}

impl Sent {
    /// Whether the same was asked, at about the same time: what is computed before it takes simulated time, so another line of code moves all that comes
    /// after it by some nanoseconds.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.request == other.request && self.at.0.abs_diff(other.at.0) <= COMPUTING_NS
    }
}

impl Recording {
    /// The tables of an episode, if a folder that may be read has them; else those that are passed over. Blocks on files.
    pub(crate) fn find(library: &Library, episode: &Episode) -> Result<Self, Vec<Refused>> {
        let scan = library.scan();
        let with_tables = scan.of(What::Report).filter_map(|found| Some((found, of_seed(found, episode.seed)?)));
        let mut refused = Vec::new();
        for (found, tables) in with_tables.take(RECORDS_MAX) {
            let Some(record) = with_episode(found, episode) else { continue };
            let own = tables.and_then(|(data, manifest)| match disagreement(&data, &manifest, &record) {
                Some(why) => Err(why),
                None => Ok((data, manifest)),
            });
            let (folder, name) = (found.id, found.name.clone());
            match own {
                Ok((data, manifest)) => {
                    return Ok(Self { folder, name, data, seed: episode.seed, symbol: manifest.symbol });
                }
                Err(why) => refused.push(Refused { folder: (folder, name), why }),
            }
        }
        Err(refused)
    }

    fn table(&self, name: &str) -> Result<File, String> {
        self.data.file(name).map_err(|error| format!("{name}: {error}"))
    }

    /// The number of the strategy among the agents.
    fn strategy(&self) -> Result<u64, String> {
        let columns = ["agent", "kind"].map(str::to_owned).to_vec();
        let rows = self.rows_of(&AGENTS.file_name(), columns, (0, AGENTS_MAX))?;
        let found = rows.iter().find(|row| row.get("kind").and_then(Value::as_str) == Some("strategy"));
        found.and_then(|row| row.get("agent")?.as_u64()).ok_or_else(|| "the table of agents has no strategy".to_owned())
    }

    fn rows_of(
        &self,
        name: &str,
        columns: Vec<String>,
        (from, count): (u64, usize),
    ) -> Result<Vec<Map<String, Value>>, String> {
        let question = PartQuestion { columns, from, count, format: PartFormat::Json };
        let (bytes, _) = read_part(self.table(name)?, &question).map_err(|error| format!("{name}: {error}"))?;
        if bytes.is_empty() {
            Ok(Vec::new())
        } else {
            serde_json::from_slice(&bytes).map_err(|error| error.to_string())
        }
    }

    /// What the strategy has asked of the exchange, in order.
    pub(crate) fn requests(&self) -> Result<Requests, String> {
        let strategy = self.strategy()?;
        let name = ORDERS.file_name();
        let episode = Some((Seed(self.seed), EpisodeKind::Strategy));
        let stream = read_orders_of(self.table(&name)?, Path::new(&name), &self.symbol, episode);
        Ok(Requests { stream: stream.map_err(|error| error.to_string())?, strategy })
    }

    /// What reached and left the exchange around a row of the table of orders, from 1: as many rows before it as after it.
    pub(crate) fn around(&self, row: u64, beside: u64) -> Result<Vec<Map<String, Value>>, String> {
        let columns =
            ["seed", "episode", "time", "agent", "message", "request", "order", "side", "price", "quantity", "reason"];
        let from = row.saturating_sub(1 + beside);
        let count = usize::try_from(2 * beside + 1).unwrap_or(usize::MAX);
        let mut rows = self.rows_of(&ORDERS.file_name(), columns.map(str::to_owned).to_vec(), (from, count))?;
        let strategy = self.strategy()?;
        for (place, found) in rows.iter_mut().enumerate() {
            let is_own = found.get("agent").and_then(Value::as_u64) == Some(strategy);
            found.insert("row".to_owned(), (from + 1 + place as u64).into());
            found.insert("is_own".to_owned(), is_own.into());
        }
        let seed = self.seed;
        rows.retain(|found| {
            found.get("seed").and_then(Value::as_u64) == Some(seed)
                && found.get("episode").and_then(Value::as_str) == Some(EpisodeKind::Strategy.name())
        });
        Ok(rows)
    }
}

/// The requests of one agent.
pub(crate) struct Requests {
    stream: OrderStream,
    strategy: u64,
}

impl Iterator for Requests {
    type Item = Result<Sent, String>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.stream.next()? {
                Ok((at, agent, request)) if u64::from(agent.0) == self.strategy => {
                    return Some(Ok(Sent { row: self.stream.row(), at, request }));
                }
                Ok(_) => {}
                Err(error) => return Some(Err(error.to_string())),
            }
        }
    }
}

/// The tables of a report, if it has some of this seed, or why nobody can tell of which seeds they are.
fn of_seed(found: &Found, seed: u64) -> Option<Result<(Folder, Manifest), String>> {
    let data = found.open().ok()?.folder(DATA).ok()?;
    match manifest_of(&data) {
        Ok(manifest) => manifest.seeds.contains(&seed).then_some(Ok((data, manifest))),
        // Where there are no tables either, nothing is passed over.
        Err(why) => {
            let has_tables = [&ORDERS, &AGENTS].iter().any(|table| data.file(table.file_name()).is_ok());
            has_tables.then_some(Err(why))
        }
    }
}

/// What the tables in a folder say that they are, or why that cannot be read.
fn manifest_of(data: &Folder) -> Result<Manifest, String> {
    let failed = |why: &dyn Display| format!("{MANIFEST} cannot be read: {why}");
    let bytes = data.read(MANIFEST, MANIFEST_BYTES_MAX).map_err(|error| failed(&error))?;
    serde_json::from_slice(&bytes).map_err(|error| failed(&error))
}

/// The record of a report that can be read and has this very episode.
fn with_episode(found: &Found, episode: &Episode) -> Option<RunRecord> {
    let bytes = found.open().ok()?.read("run.json", RECORD_BYTES_MAX).ok()?;
    let record = serde_json::from_slice::<Record>(&bytes).ok()?;
    if !record.episodes.contains(episode) {
        return None;
    }
    // A report that has no page is not taken at its word.
    assay_report::read(&bytes).ok()
}

/// In what the tables that are read here are not those of the report; nothing where they are.
fn disagreement(data: &Folder, manifest: &Manifest, record: &RunRecord) -> Option<String> {
    other_run(manifest, record)
        .or_else(|| [&ORDERS, &AGENTS].into_iter().find_map(|table| misfit(data, manifest, table)))
}

/// In what tables in a folder are not those of a run, without reading them; nothing where they are.
pub(crate) fn foreign(data: &Folder, tables: &[&'static Table], record: &RunRecord) -> Option<String> {
    let manifest = match manifest_of(data) {
        Ok(manifest) => manifest,
        Err(why) => return Some(why),
    };
    let has_length = |table: &Table| {
        let entry = manifest.tables.iter().find(|entry| entry.table == table.name)?;
        Some(data.file(table.file_name()).ok()?.metadata().ok()?.len() == entry.bytes)
    };
    let other_file = || tables.iter().find(|table| has_length(table) != Some(true));
    let words = |table: &&Table| format!("{} is not the file of which {MANIFEST} speaks", table.file_name());
    other_run(&manifest, record).or_else(|| other_file().map(words))
}

/// In what one of them is not the one that was written, by its bytes; nothing where it is.
pub(crate) fn changed(data: &Folder, table: &Table) -> Option<String> {
    match manifest_of(data) {
        Ok(manifest) => misfit(data, &manifest, table),
        Err(why) => Some(why),
    }
}

/// That a manifest speaks of another run.
fn other_run(manifest: &Manifest, record: &RunRecord) -> Option<String> {
    let name = record.data_name();
    if manifest.schema != SCHEMA_NAME {
        return Some(format!("{MANIFEST} does not have the schema {SCHEMA_NAME}"));
    }
    if manifest.run != name {
        return Some(format!(
            "{MANIFEST} speaks of run {}, and run.json of run {name}: another strategy, scenario or release, other seeds, or tables of an earlier build",
            manifest.run
        ));
    }
    None
}

/// In what a table is not the one of which the manifest speaks.
fn misfit(data: &Folder, manifest: &Manifest, table: &Table) -> Option<String> {
    let name = table.file_name();
    let look = || {
        let entry = manifest.tables.iter().find(|entry| entry.table == table.name)?;
        let file = data.file(&name).ok()?;
        let is_it = file.metadata().ok()?.len() == entry.bytes && has_hash(&file, entry)?;
        Some((is_it, is_it && is_of_run(data.file(&name).ok()?, &manifest.run)?))
    };
    match look() {
        None => Some(format!("{name} cannot be read, or {MANIFEST} does not name it")),
        Some((false, _)) => Some(format!("{name} is not the file of which {MANIFEST} speaks")),
        Some((true, false)) => Some(format!("the rows of {name} are those of another run")),
        Some((true, true)) => None,
    }
}

/// Whether a file has the hash of its entry. One that is too large for that is known by its length alone.
fn has_hash(file: &File, entry: &TableFile) -> Option<bool> {
    if entry.bytes > HASHED_BYTES_MAX {
        return Some(true);
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file).ok()?;
    Some(hasher.finalize().to_hex().as_str() == entry.hash)
}

/// Whether the first row of a table, if it has one, is of a run.
fn is_of_run(file: File, run: &str) -> Option<bool> {
    let question = PartQuestion { columns: vec!["run".to_owned()], from: 0, count: 1, format: PartFormat::Json };
    let (bytes, _) = read_part(file, &question).ok()?;
    if bytes.is_empty() {
        return Some(true);
    }
    let rows: Vec<Map<String, Value>> = serde_json::from_slice(&bytes).ok()?;
    Some(rows.first().is_none_or(|row| row.get("run").and_then(Value::as_str) == Some(run)))
}
