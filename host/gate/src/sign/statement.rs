//! The statement: in-toto Statement v1 (<https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md>). Its subject is the submission by digest,
//! its predicate the verdict.

use super::{Refusal, beginning};
use crate::verdict::{Decision, SCHEMA_NAME, SCHEMA_VERSION, Verdict};
use serde::{Deserialize, Serialize};
use thiserror::Error;

const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// What the predicate of a statement about a verdict is. The number is that of the schema's major version.
pub const PREDICATE_TYPE: &str = "urn:assay:verdict:v1";

/// Why a verdict cannot be signed.
#[derive(Debug, Error)]
pub enum SignError {
    /// A statement is about something with a digest.
    #[error("{0} could not be read, so it has no hash to sign")]
    NoHash(String),
    /// It was written by another Assay, whose verdicts this one does not know.
    #[error("it is of schema {name:?} {version:?}, not {SCHEMA_NAME} {SCHEMA_VERSION}")]
    Schema {
        /// The schema's name.
        name: String,
        /// The schema's version.
        version: String,
    },
    /// A signature would not make it true.
    #[error("its decision, {}, does not follow from its checks and findings", .0.word())]
    Decision(Decision),
    /// Nobody would take it.
    #[error("it would have more than {} bytes", super::ENVELOPE_BYTES_MAX)]
    TooLong,
    /// Not for verdicts that exist.
    #[error("failed to write it as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Statement {
    #[serde(rename = "_type")]
    kind: String,
    subject: [Subject; 1],
    #[serde(rename = "predicateType")]
    predicate_type: String,
    predicate: Verdict,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Subject {
    name: String,
    digest: Digest,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Digest {
    blake3: String,
}

impl Statement {
    pub(super) fn of(verdict: &Verdict) -> Result<Self, SignError> {
        let name = verdict.submission.name.clone();
        let Some(blake3) = verdict.submission.hash.clone() else { return Err(SignError::NoHash(name)) };
        Ok(Self {
            kind: STATEMENT_TYPE.to_owned(),
            subject: [Subject { name, digest: Digest { blake3 } }],
            predicate_type: PREDICATE_TYPE.to_owned(),
            predicate: verdict.clone(),
        })
    }

    /// The verdict, if all of it agrees with itself.
    pub(super) fn into_verdict(self) -> Result<Verdict, Refusal> {
        let Self { kind, subject: [subject], predicate_type, predicate: verdict } = self;
        let fields = [
            ("_type", kind, STATEMENT_TYPE),
            ("predicateType", predicate_type, PREDICATE_TYPE),
            ("schema.name", verdict.schema.name.clone(), SCHEMA_NAME),
            ("schema.version", verdict.schema.version.clone(), SCHEMA_VERSION),
        ];
        for (field, found, expected) in fields {
            if found != expected {
                return Err(Refusal::Other { field, found: beginning(&found), expected });
            }
        }
        let submission = &verdict.submission;
        if subject.name != submission.name || Some(&subject.digest.blake3) != submission.hash.as_ref() {
            return Err(Refusal::Subject);
        }
        if verdict.decision_follows() { Ok(verdict) } else { Err(Refusal::Decision(verdict.decision)) }
    }
}
