//! The hash by which the benchmark compares states: SHA-256 of the whole database as Python writes it.
//!
//! Invariant: it is the hash of the whole text, however little has changed. What is the same as in the beginning is neither written nor hashed again: the
//! hasher keeps the text of every record of the beginning, and how far the hash had come before it.

use assay_world::Documents;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::python::{dumps, string};

/// Tables in the order of their names, each with the keys of its records whose numbers are floats.
#[derive(Clone, Copy, Debug)]
pub struct Shape(pub &'static [(&'static str, &'static [&'static str])]);

/// A piece of the beginning's text: the head of a table, a record, or the end of a table.
#[derive(Debug)]
struct Piece {
    text: String,
    /// The hash of everything before it.
    before: Sha256,
}

/// Hashes states that come from one beginning.
#[derive(Debug)]
pub struct Hasher {
    shape: Shape,
    beginning: Documents,
    pieces: Vec<Piece>,
    /// Where the pieces of each table begin.
    tables: Vec<usize>,
    /// The hash of all pieces.
    whole: Sha256,
}

impl Hasher {
    /// A hasher of states that come from this one.
    #[must_use]
    pub fn new(shape: Shape, beginning: &Documents) -> Self {
        let (mut pieces, mut tables, mut whole) = (Vec::new(), Vec::new(), Sha256::new());
        let mut add = |text: String, pieces: &mut Vec<Piece>| {
            let before = whole.clone();
            whole.update(&text);
            pieces.push(Piece { text, before });
        };
        for (index, (table, floats)) in shape.0.iter().enumerate() {
            tables.push(pieces.len());
            add(head(index, table), &mut pieces);
            for (place, (id, value)) in beginning.list(table).enumerate() {
                add(record(place == 0, id, value, floats), &mut pieces);
            }
            add("}".to_owned(), &mut pieces);
        }
        Self { shape, beginning: beginning.clone(), pieces, tables, whole }
    }

    /// The hash of a state, in hexadecimal.
    #[must_use]
    pub fn hash(&self, state: &Documents) -> String {
        // As long as the next piece is that of the beginning, only its number counts.
        let mut walk = Walk { hasher: self, next: 0, hash: None };
        for (index, (table, floats)) in self.shape.0.iter().enumerate() {
            let first = self.tables[index];
            walk.piece(Some(first), || head(index, table));
            for (count, (id, value, same)) in state.beside(&self.beginning, table).into_iter().enumerate() {
                // The first record of a table has no comma before it.
                let known = same.filter(|place| (*place == 0) == (count == 0)).map(|place| first + 1 + place);
                walk.piece(known, || record(count == 0, id, value, floats));
            }
            let end = self.tables.get(index + 1).copied().unwrap_or(self.pieces.len()) - 1;
            walk.piece(Some(end), || "}".to_owned());
        }
        let mut hash = walk.hash.unwrap_or_else(|| self.whole.clone());
        hash.update("}");
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The hash of a text, in hexadecimal.
pub(crate) fn of(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The way through the pieces of a state.
struct Walk<'h> {
    hasher: &'h Hasher,
    /// The piece of the beginning that comes next, while nothing has differed.
    next: usize,
    /// The hash so far, once something has.
    hash: Option<Sha256>,
}

impl Walk<'_> {
    /// A piece: one of the beginning, or another text.
    fn piece(&mut self, known: Option<usize>, text: impl FnOnce() -> String) {
        if self.hash.is_none() && known == Some(self.next) {
            self.next += 1;
            return;
        }
        let pieces = &self.hasher.pieces;
        let begin = || pieces.get(self.next).map_or_else(|| self.hasher.whole.clone(), |piece| piece.before.clone());
        let hash = self.hash.get_or_insert_with(begin);
        match known {
            Some(known) => hash.update(&pieces[known].text),
            None => hash.update(text()),
        }
    }
}

/// What stands before the records of a table.
fn head(index: usize, table: &str) -> String {
    let mut text = String::from(if index > 0 { ", " } else { "{" });
    string(table, &mut text);
    text.push_str(": {");
    text
}

/// A record with its id.
fn record(is_first: bool, id: &str, value: &Value, floats: &[&str]) -> String {
    let mut text = String::from(if is_first { "" } else { ", " });
    string(id, &mut text);
    text.push_str(": ");
    dumps(value, floats, &mut text);
    text
}
