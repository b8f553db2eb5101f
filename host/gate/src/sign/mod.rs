//! Signed verdicts: a DSSE envelope over an in-toto statement whose predicate is the verdict. `docs/verdicts.md` has the format.
//!
//! Invariants: a verdict has one spelling, so nothing in a signed file is outside the signature and any changed byte is refused; nothing of the payload is
//! read before its signature holds; what [`verify`] returns is what was signed.

mod envelope;
mod key;
mod statement;

pub use envelope::ENVELOPE_BYTES_MAX;
pub use key::{KeyError, PrivateKey, PublicKey};
pub use statement::{PREDICATE_TYPE, SignError};

use crate::verdict::{Decision, SCHEMA_NAME, SCHEMA_VERSION, Schema, Verdict};
use serde::{Serialize, de::DeserializeOwned};
use thiserror::Error;

/// Why a signed verdict is not taken.
#[derive(Debug, Error)]
pub enum Refusal {
    /// It is larger than any verdict.
    #[error("it has more than {ENVELOPE_BYTES_MAX} bytes")]
    TooLong,
    /// It is not an envelope of the one form that is taken.
    #[error("it is not a signed verdict: {0}")]
    Envelope(#[source] FormError),
    /// It is an envelope of something else.
    #[error("its payload is of type {0:?}, not an in-toto statement")]
    PayloadType(String),
    /// A verdict has one signature.
    #[error("it has {0} signatures, but exactly one is needed")]
    Signatures(usize),
    /// It was signed with another key.
    #[error("it was signed with another key: {0:?}")]
    OtherKey(String),
    /// Somebody changed it, or it was signed with another key.
    #[error("the signature is not valid")]
    Signature,
    /// The key signed something that is not a verdict.
    #[error("what was signed is not a verdict: {0}")]
    Statement(#[source] FormError),
    /// The key signed a statement of something else, or of another version.
    #[error("{field} is {found:?}, not {expected:?}")]
    Other {
        /// Which field.
        field: &'static str,
        /// What it says.
        found: String,
        /// What it would have to say.
        expected: &'static str,
    },
    /// The statement is about another submission than the verdict in it.
    #[error("the subject of the statement is not the submission of its verdict")]
    Subject,
    /// The decision does not follow from the checks and findings.
    #[error("the decision, {}, does not follow from its checks and findings", .0.word())]
    Decision(Decision),
}

/// Why bytes are not the one spelling of something.
#[derive(Debug, Error)]
pub enum FormError {
    /// Not JSON of this form.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// White space, order, escapes, repeated or foreign members, base64 that is not canonical: another spelling than the one that is written.
    #[error("it is not in canonical form")]
    Spelling,
}

/// Signs a verdict. The bytes are a file of one line.
///
/// # Errors
/// If nobody could verify it: it is of another schema, the decision does not follow from its reasons, the submission could not be read, or the verdict is
/// too large.
pub fn sign(verdict: &Verdict, key: &PrivateKey) -> Result<Vec<u8>, SignError> {
    let Schema { name, version } = &verdict.schema;
    if name != SCHEMA_NAME || version != SCHEMA_VERSION {
        return Err(SignError::Schema { name: beginning(name), version: beginning(version) });
    }
    if !verdict.decision_follows() {
        return Err(SignError::Decision(verdict.decision));
    }
    let payload = spell(&statement::Statement::of(verdict)?)?;
    let file = envelope::seal(&payload, key)?;
    if file.len() > ENVELOPE_BYTES_MAX { Err(SignError::TooLong) } else { Ok(file) }
}

/// The verdict in a signed file, if `key` signed it and it is one: of this schema, about its subject, with a decision that follows from its reasons.
///
/// # Errors
/// The first thing that does not hold.
pub fn verify(file: &[u8], key: &PublicKey) -> Result<Verdict, Refusal> {
    let payload = envelope::open(file, key)?;
    exactly::<statement::Statement>(&payload).map_err(Refusal::Statement)?.into_verdict()
}

/// What `bytes` spell, if they are the only spelling of it.
fn exactly<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> Result<T, FormError> {
    let value: T = serde_json::from_slice(bytes)?;
    if spell(&value)? == bytes { Ok(value) } else { Err(FormError::Spelling) }
}

/// The beginning of a text from a file, for a message.
fn beginning(text: &str) -> String {
    text.chars().take(80).collect()
}

fn spell<T: Serialize>(value: &T) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(value)
}
