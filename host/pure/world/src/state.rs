//! A world's state: everything that an episode can change.
//!
//! Invariants: every part is a value that shares what it can, so [`State::fork`] takes microseconds and neither side sees what the other does next; each
//! part has a digest by content; the clock only moves forward.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use assay_model::{Nanos, Seed, Stream, Time};
use assay_trace::{Digest, StateHash};
use assay_tree::{Limits, Tree};
use serde_json::Value;

use crate::agenda::Agenda;
use crate::changes::{Change, Leaves, between};
use crate::database::{Ambient, Database};
use crate::documents::Documents;
use crate::limits::{FILE_BYTES_MAX, FILES_MAX, QUERY_FUEL};
use crate::mail::Mail;
use crate::memory::Memories;

/// See the module documentation.
#[derive(Clone)]
pub struct State {
    /// Files.
    pub files: Tree,
    /// Documents.
    pub documents: Documents,
    /// Mailboxes and channels.
    pub mail: Mail,
    /// Databases by name.
    pub databases: BTreeMap<String, Box<dyn Database>>,
    /// What programs remember; never compared.
    pub memories: Memories,
    /// What will happen.
    pub agenda: Agenda,
    now: Time,
    seed: Seed,
    /// How many ids were drawn, by prefix and by what they are of.
    draws: Arc<BTreeMap<String, u64>>,
}

impl State {
    /// An empty world at a time. What is drawn in it depends on the seed and on what it is drawn for, never on the order.
    #[must_use]
    pub fn new(now: Time, seed: Seed) -> Self {
        Self {
            files: Tree::new(Limits { bytes_max: FILE_BYTES_MAX, inodes_max: FILES_MAX }),
            documents: Documents::default(),
            mail: Mail::default(),
            databases: BTreeMap::new(),
            memories: Memories::default(),
            agenda: Agenda::default(),
            now,
            seed,
            draws: Arc::default(),
        }
    }

    /// A state that is equal now and independent from here on.
    #[must_use]
    pub fn fork(&self) -> Self {
        self.clone()
    }

    /// The same, with other draws from here on.
    #[must_use]
    pub fn with_seed(self, seed: Seed) -> Self {
        Self { seed, ..self }
    }

    /// What every draw depends on.
    #[must_use]
    pub const fn seed(&self) -> Seed {
        self.seed
    }

    /// The world's time.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Moves the clock forward.
    pub fn pass(&mut self, time: Nanos) {
        self.now = self.now + time;
    }

    /// Moves the clock forward to a time; earlier ones leave it where it is.
    pub fn pass_to(&mut self, time: Time) {
        self.now = self.now.max(time);
    }

    /// A new id: the same for the same prefix and `of` in the same episode, whatever was done before; another each time it is asked for again.
    pub fn new_id(&mut self, prefix: &str, of: &str) -> String {
        let place = format!("{prefix} {of}");
        let count = self.count(&place);
        let bits = draw(self.seed, &format!("id {place}"), count).bits();
        format!("{prefix}{:08X}", bits >> 32)
    }

    /// How often something was drawn at a place, this time included.
    pub(crate) fn count(&mut self, place: &str) -> u64 {
        let count = Arc::make_mut(&mut self.draws).entry(place.to_owned()).or_default();
        *count += 1;
        *count
    }

    /// The digest of every part and of the whole. The agenda and the clock are parts: two episodes that did the same at other times differ in them.
    #[must_use]
    pub fn hash(&self) -> StateHash {
        let draws = self
            .draws
            .iter()
            .fold(Digest::ZERO, |sum, (place, count)| Digest::chained(sum, format!("{count} {place}").as_bytes()));
        let files = Digest::from_hex(self.files.digest().to_string().as_bytes()).unwrap_or(Digest::ZERO);
        let fixed = [
            ("agenda", self.agenda.digest()),
            ("clock", Digest::of(&self.now.0.to_le_bytes())),
            ("documents", self.documents.digest()),
            ("draws", draws),
            ("files", files),
            ("mail", self.mail.digest()),
        ];
        let parts = fixed.into_iter().map(|(name, digest)| (name.to_owned(), digest));
        let databases = self.databases.iter().map(|(name, one)| (format!("database {name}"), one.digest()));
        let memories = self.memories.digests().map(|(name, digest)| (format!("memory {name}"), digest));
        StateHash::new(parts.chain(databases).chain(memories).collect())
    }

    /// The first value of the first row that a query finds in a database, which stays as it is.
    ///
    /// # Errors
    /// There is no such database, or it refuses, in its own words.
    pub fn ask(&self, database: &str, sql: &str) -> Result<Option<Value>, String> {
        let found = self.databases.get(database).ok_or_else(|| format!("there is no database {database:?}"))?;
        let answer = found.fork().run(sql, &[], Ambient { now: self.now, seed: 0, fuel: QUERY_FUEL })?;
        let row = answer.get("rows").and_then(|rows| rows.get(0)).and_then(Value::as_object);
        Ok(row.and_then(|row| row.values().next()).cloned())
    }

    /// What a later state has that this one has not, and the other way round: documents, mail, files and databases, leaf by leaf. Neither the clock nor
    /// the agenda counts.
    ///
    /// # Errors
    /// A database cannot be read, or two changes have one path; in words for people.
    pub fn changes(&self, later: &Self) -> Result<Vec<Change>, String> {
        let (mut before, mut after) = (Leaves::new(), Leaves::new());
        self.documents.differing(&later.documents, &mut before, &mut after);
        self.mail.differing(&later.mail, &mut before, &mut after);
        if self.files.digest() != later.files.digest() {
            before.extend(files(&self.files));
            after.extend(files(&later.files));
        }
        let mut changes = between(before, after);
        for (name, database) in &self.databases {
            let Some(other) = later.databases.get(name) else { continue };
            let rows =
                database.changes(&**other).map_err(|why| format!("the database {name} cannot be read: {why}"))?;
            let rows = rows.into_iter();
            changes.extend(rows.map(|row| Change { path: format!("databases/{name}/{}", row.path), ..row }));
        }
        let mut paths = BTreeSet::new();
        match changes.iter().find(|change| !paths.insert(change.path.as_str())) {
            Some(twice) => Err(format!("two changes have the path {}", twice.path)),
            None => Ok(changes),
        }
    }
}

/// The files of a tree as leaves: text where it is text, else a digest.
pub(crate) fn files(tree: &Tree) -> Leaves {
    let Ok(walk) = tree.walk(b"/") else { return Leaves::new() };
    let regular = walk.filter(|(_, stat)| stat.kind.is_file());
    let leaves = regular.filter_map(|(path, _)| {
        let content = tree.read_all(&path).ok()?;
        let value = match std::str::from_utf8(&content) {
            Ok(text) => Value::from(text),
            Err(_) => Value::from(Digest::of(&content).to_string()),
        };
        Some((format!("files/{}", String::from_utf8_lossy(&path)), value))
    });
    leaves.collect()
}

/// The stream of the n-th draw for something in an episode: keyed by place, so that what else is drawn does not matter.
#[must_use]
pub fn draw(seed: Seed, what: &str, n: u64) -> Stream {
    Stream::new(seed, what, &n.to_string())
}
