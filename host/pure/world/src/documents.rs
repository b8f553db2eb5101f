//! Documents: collection → id → JSON.
//!
//! Invariants: a fork is a clone and shares everything; values are normal (see [`normal`](crate::value::normal)); whoever changes a collection copies its
//! index first if anybody else has it; digests of what has not changed are not computed again.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use assay_trace::Digest;
use serde_json::Value;
use thiserror::Error;

use crate::changes::Leaves;
use crate::limits::{COLLECTIONS_MAX, DOCUMENT_BYTES_MAX, DOCUMENTS_BYTES_MAX, DOCUMENTS_MAX, NAME_BYTES_MAX};
use crate::schema::Schemas;
use crate::value;

/// Why a document cannot be kept.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DocumentError {
    /// Its id or the name of its collection cannot be one.
    #[error(
        "{0:?} cannot be the name of a document or collection: use 1 to {NAME_BYTES_MAX} bytes without `/` and control characters"
    )]
    Name(String),
    /// It is too large.
    #[error("the document {0} has {1} bytes, at most {DOCUMENT_BYTES_MAX}")]
    Large(String, usize),
    /// It has too many levels.
    #[error("the document {0} has too many levels")]
    Deep(String),
    /// It is not what the schema of its collection allows.
    #[error("the document {0} does not fit the schema of its collection: {1}")]
    Unfit(String, String),
    /// There are too many.
    #[error("a world has at most {COLLECTIONS_MAX} collections and {DOCUMENTS_MAX} documents")]
    Many,
    /// They take too much memory together.
    #[error("the documents of a world take at most {DOCUMENTS_BYTES_MAX} bytes of memory")]
    Full,
}

/// All collections. Cloning is a fork.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    collections: Arc<BTreeMap<String, Arc<Collection>>>,
    schemas: Arc<Schemas>,
    count: usize,
    bytes: u64,
}

#[derive(Debug, Default)]
struct Collection {
    /// By id; a copy of the index shares the ids.
    documents: BTreeMap<Arc<str>, Arc<Document>>,
    digest: OnceLock<Digest>,
}

/// The copy is about to change, so it has no digest yet.
impl Clone for Collection {
    fn clone(&self) -> Self {
        Self { documents: self.documents.clone(), digest: OnceLock::new() }
    }
}

impl Collection {
    /// Each document in order, with its place on the other side if it is the same there. Both sides are walked once: to look up each of a hundred
    /// thousand ids would take ten times as long.
    fn paired<'d>(&'d self, other: Option<&'d Self>) -> impl Iterator<Item = (&'d str, &'d Document, Option<usize>)> {
        let mut rest = other.into_iter().flat_map(|other| other.documents.iter()).enumerate().peekable();
        self.documents.iter().map(move |(id, document)| {
            while rest.next_if(|(_, (before, _))| *before < id).is_some() {}
            let same = rest.next_if(|(_, (other, _))| *other == id);
            let same = same.filter(|(_, (_, other))| Arc::ptr_eq(document, other) || document.digest == other.digest);
            (&**id, &**document, same.map(|(place, _)| place))
        })
    }
}

#[derive(Debug)]
struct Document {
    value: Value,
    digest: Digest,
    bytes: u64,
}

impl Documents {
    /// No documents yet, and what those of some collections must look like.
    #[must_use]
    pub fn with_schemas(schemas: Schemas) -> Self {
        Self { schemas: Arc::new(schemas), ..Self::default() }
    }

    /// What the documents of some collections must look like.
    #[must_use]
    pub fn schemas(&self) -> &Schemas {
        &self.schemas
    }

    /// A document.
    #[must_use]
    pub fn get(&self, collection: &str, id: &str) -> Option<&Value> {
        Some(&self.collections.get(collection)?.documents.get(id)?.value)
    }

    /// The names of the collections, in order.
    pub fn collections(&self) -> impl Iterator<Item = &str> {
        self.collections.keys().map(String::as_str)
    }

    /// The documents of a collection by id, in order; empty for an unknown collection.
    pub fn list(&self, collection: &str) -> impl Iterator<Item = (&str, &Value)> {
        let found = self.collections.get(collection).into_iter();
        found.flat_map(|found| found.documents.iter().map(|(id, document)| (&**id, &document.value)))
    }

    /// The documents of a collection in order, each with its place in the same collection of the other side if it is the same there.
    pub fn beside<'d>(&'d self, other: &'d Self, collection: &str) -> Vec<(&'d str, &'d Value, Option<usize>)> {
        let Some(ours) = self.collections.get(collection) else { return Vec::new() };
        let theirs = other.collections.get(collection);
        if theirs.is_some_and(|theirs| Arc::ptr_eq(ours, theirs)) {
            let all = ours.documents.iter().enumerate();
            return all.map(|(place, (id, document))| (&**id, &document.value, Some(place))).collect();
        }
        let paired = ours.paired(theirs.map(|theirs| &**theirs));
        paired.map(|(id, document, place)| (id, &document.value, place)).collect()
    }

    /// How many documents there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Keeps a document, in the place of one with the same id.
    ///
    /// # Errors
    /// A name, the document or the whole is beyond a limit, or the document does not fit its schema; nothing has changed then.
    pub fn put(&mut self, collection: &str, id: &str, value: Value) -> Result<(), DocumentError> {
        for name in [collection, id] {
            if name.is_empty() || name.len() > NAME_BYTES_MAX || name.contains(|c: char| c == '/' || c.is_control()) {
                return Err(DocumentError::Name(value::plain(&Value::from(crate::words::cut(name, 80)))));
            }
        }
        if !value::is_shallow(&value) {
            return Err(DocumentError::Deep(id.to_owned()));
        }
        let value = value::normal(value);
        let canonical = value::canonical(&value);
        if canonical.len() > DOCUMENT_BYTES_MAX {
            return Err(DocumentError::Large(id.to_owned(), canonical.len()));
        }
        if let Some(why) = self.schemas.errors(collection, &value) {
            return Err(DocumentError::Unfit(id.to_owned(), why));
        }
        let is_new = self.get(collection, id).is_none();
        let is_first = !self.collections.contains_key(collection);
        if is_new && self.count >= DOCUMENTS_MAX || is_first && self.collections.len() >= COLLECTIONS_MAX {
            return Err(DocumentError::Many);
        }
        let bytes = value::weight(&value);
        let rest = self.bytes - self.bytes_of(collection, id);
        if rest.saturating_add(bytes) > DOCUMENTS_BYTES_MAX {
            return Err(DocumentError::Full);
        }
        self.bytes = rest + bytes;
        let document = Arc::new(Document { value, bytes, digest: Digest::of(canonical.as_bytes()) });
        self.collection(collection).documents.insert(Arc::from(id), document);
        self.count += usize::from(is_new);
        Ok(())
    }

    /// What a document counts; nothing where it is not there.
    fn bytes_of(&self, collection: &str, id: &str) -> u64 {
        let found = self.collections.get(collection).and_then(|found| found.documents.get(id));
        found.map_or(0, |document| document.bytes)
    }

    /// Removes a document; whether there was one.
    pub fn remove(&mut self, collection: &str, id: &str) -> bool {
        let is_there = self.get(collection, id).is_some();
        if is_there {
            self.bytes -= self.bytes_of(collection, id);
            self.collection(collection).documents.remove(id);
            self.count -= 1;
        }
        is_there
    }

    fn collection(&mut self, name: &str) -> &mut Collection {
        let collections = Arc::make_mut(&mut self.collections);
        let found = Arc::make_mut(collections.entry(name.to_owned()).or_default());
        found.digest = OnceLock::new();
        found
    }

    /// The digest of all, by content.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut whole = Digest::ZERO;
        for (name, collection) in self.collections.iter().filter(|(_, collection)| !collection.documents.is_empty()) {
            let digest = collection.digest.get_or_init(|| {
                collection.documents.iter().fold(Digest::ZERO, |sum, (id, document)| {
                    Digest::chained(Digest::chained(sum, id.as_bytes()), document.digest.as_bytes())
                })
            });
            whole = Digest::chained(Digest::chained(whole, name.as_bytes()), digest.as_bytes());
        }
        whole
    }

    /// The leaves of the documents in which the two differ: `documents/COLLECTION/ID/PATH`, of this side and of the other.
    pub fn differing(&self, other: &Self, ours: &mut Leaves, theirs: &mut Leaves) {
        if Arc::ptr_eq(&self.collections, &other.collections) {
            return;
        }
        for (one, another, into) in [(self, other, ours), (other, self, theirs)] {
            for (name, collection) in one.collections.iter() {
                let counterpart = another.collections.get(name);
                if counterpart.is_some_and(|counterpart| Arc::ptr_eq(counterpart, collection)) {
                    continue;
                }
                for (id, document, place) in collection.paired(counterpart.map(|counterpart| &**counterpart)) {
                    if place.is_none() {
                        value::leaves(&format!("documents/{name}/{id}"), &document.value, into);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn documents(all: &[(&str, &str, i64)]) -> Documents {
        let mut documents = Documents::default();
        for (collection, id, number) in all {
            documents.put(collection, id, json!({ "n": number })).expect("it fits");
        }
        documents
    }

    /// As they are found by looking up each document.
    fn looked_up(one: &Documents, other: &Documents) -> Leaves {
        let mut leaves = Leaves::new();
        for name in one.collections() {
            for (id, value) in one.list(name).filter(|(id, value)| other.get(name, id) != Some(*value)) {
                value::leaves(&format!("documents/{name}/{id}"), value, &mut leaves);
            }
        }
        leaves
    }

    #[test]
    fn what_differs_is_what_looking_up_each_document_finds() {
        let cases: [&[(&str, &str, i64)]; 7] = [
            &[],
            &[("a", "2", 1)],
            &[("a", "1", 1), ("a", "2", 1), ("a", "3", 1)],
            &[("a", "1", 1), ("a", "2", 2), ("a", "4", 1)],
            &[("a", "0", 1), ("a", "3", 1), ("b", "1", 1)],
            &[("b", "1", 2), ("b", "10", 2), ("b", "2", 2)],
            &[("b", "10", 2), ("c", "1", 1)],
        ];
        for one in cases.map(documents) {
            for other in cases.map(documents) {
                let (mut ours, mut theirs) = (Leaves::new(), Leaves::new());
                one.differing(&other, &mut ours, &mut theirs);
                assert_eq!(ours, looked_up(&one, &other), "{one:?} {other:?}");
                assert_eq!(theirs, looked_up(&other, &one), "{one:?} {other:?}");
            }
        }
    }
}
