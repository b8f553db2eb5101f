//! Mailboxes and chat channels: letters by address, in the order in which they came.
//!
//! Invariants: a letter never changes; a fork is a clone. When a letter came is not part of what states are compared by: the time of a call is modelled,
//! and a careful agent takes longer than a careless one.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_model::Time;
use assay_trace::Digest;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use thiserror::Error;

use crate::changes::Leaves;
use crate::limits::{LETTER_BYTES_MAX, LETTERS_MAX, MAIL_BYTES_MAX, NAME_BYTES_MAX};

/// One letter, or one message in a channel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Letter {
    /// Who sent it.
    pub from: String,
    /// The address or channel.
    pub to: String,
    /// Its subject; empty in a channel.
    #[serde(default)]
    pub subject: String,
    /// Its text.
    pub body: String,
    /// When it came; the world's beginning for those that were there.
    #[serde(default)]
    pub at: Time,
}

impl Letter {
    /// Whether it says the same to the same, whenever it came.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let of = |letter: &Self| (letter.from.clone(), letter.to.clone(), letter.subject.clone(), letter.body.clone());
        of(self) == of(other)
    }
}

/// Why a letter was not sent.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MailError {
    /// The address is unknown.
    #[error("{0:?} is not an address: use 1 to {NAME_BYTES_MAX} bytes without `/` and control characters")]
    Address(String),
    /// It is too long.
    #[error("a message has at most {LETTER_BYTES_MAX} bytes")]
    Long,
    /// The mailboxes are full.
    #[error("the mailboxes are full ({LETTERS_MAX} messages, {MAIL_BYTES_MAX} bytes)")]
    Full,
}

/// All mailboxes. Cloning is a fork.
#[derive(Clone, Debug, Default)]
pub struct Mail {
    boxes: Arc<BTreeMap<String, Vec<Arc<Letter>>>>,
    count: usize,
    bytes: u64,
}

impl Mail {
    /// Puts a letter into the box of its address.
    ///
    /// # Errors
    /// The address is none, the letter is too long or the boxes are full; nothing has changed then.
    pub fn send(&mut self, letter: Letter) -> Result<(), MailError> {
        let to = &letter.to;
        if to.is_empty() || to.len() > NAME_BYTES_MAX || to.contains(|c: char| c == '/' || c.is_control()) {
            return Err(MailError::Address(crate::words::cut(to, 80).to_owned()));
        }
        let bytes = letter.subject.len() + letter.body.len() + letter.from.len();
        if bytes > LETTER_BYTES_MAX {
            return Err(MailError::Long);
        }
        let bytes = self.bytes.saturating_add((bytes + to.len()) as u64);
        if self.count >= LETTERS_MAX || bytes > MAIL_BYTES_MAX {
            return Err(MailError::Full);
        }
        self.bytes = bytes;
        let boxes = Arc::make_mut(&mut self.boxes);
        boxes.entry(to.clone()).or_default().push(Arc::new(letter));
        self.count += 1;
        Ok(())
    }

    /// The letters of an address, oldest first.
    pub fn letters(&self, address: &str) -> impl Iterator<Item = &Letter> {
        self.boxes.get(address).into_iter().flatten().map(|letter| &**letter)
    }

    /// The addresses that have letters.
    pub fn addresses(&self) -> impl Iterator<Item = &str> {
        self.boxes.keys().map(String::as_str)
    }

    /// The digest of all letters, without their times.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let letters = self.boxes.values().flatten();
        letters.fold(Digest::ZERO, |sum, letter| Digest::chained(sum, shown(letter).to_string().as_bytes()))
    }

    /// The leaves of the letters in which the two differ.
    pub fn differing(&self, other: &Self, ours: &mut Leaves, theirs: &mut Leaves) {
        if Arc::ptr_eq(&self.boxes, &other.boxes) {
            return;
        }
        for (one, another, into) in [(self, other, ours), (other, self, theirs)] {
            for (address, letters) in one.boxes.iter() {
                let counterparts = another.boxes.get(address);
                for (index, letter) in letters.iter().enumerate() {
                    let same = counterparts.and_then(|letters| letters.get(index));
                    if same.is_none_or(|same| shown(same) != shown(letter)) {
                        crate::value::leaves(&format!("mail/{address}/{index}"), &shown(letter), into);
                    }
                }
            }
        }
    }
}

/// A letter as tools show it and states compare it.
#[must_use]
pub(crate) fn shown(letter: &Letter) -> Value {
    let Letter { from, to, subject, body, .. } = letter;
    json!({ "from": from, "to": to, "subject": subject, "body": body })
}
