//! The envelope: DSSE 1.0 (<https://github.com/secure-systems-lab/dsse>), with one signature and in one spelling: compact JSON, members in the order below,
//! standard base64 with padding, a line feed at the end. Any reader of DSSE takes it; we take no other, which is stricter than the standard asks.

use super::{FormError, PrivateKey, PublicKey, Refusal, beginning, exactly, spell};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

/// Bytes of a signed verdict: findings and rules are bounded, a real one has some tens of kilobytes.
pub const ENVELOPE_BYTES_MAX: usize = 16 << 20;
/// Media type of in-toto statements.
const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Envelope {
    payload_type: String,
    payload: String,
    signatures: Vec<Signature>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signature {
    keyid: String,
    sig: String,
}

/// The file with the payload, signed.
pub(super) fn seal(payload: &[u8], key: &PrivateKey) -> Result<Vec<u8>, serde_json::Error> {
    let envelope = Envelope {
        payload_type: PAYLOAD_TYPE.to_owned(),
        payload: STANDARD.encode(payload),
        signatures: vec![Signature {
            keyid: key.public().id(),
            sig: STANDARD.encode(key.sign(&pre_authentication_encoding(payload))),
        }],
    };
    let mut file = spell(&envelope)?;
    file.push(b'\n');
    Ok(file)
}

/// The payload of the file, if `key` signed it.
pub(super) fn open(file: &[u8], key: &PublicKey) -> Result<Vec<u8>, Refusal> {
    let not_spelled = || Refusal::Envelope(FormError::Spelling);
    if file.len() > ENVELOPE_BYTES_MAX {
        return Err(Refusal::TooLong);
    }
    let envelope: Envelope = exactly(file.strip_suffix(b"\n").unwrap_or(file)).map_err(Refusal::Envelope)?;
    if !file.ends_with(b"\n") {
        return Err(not_spelled());
    }
    if envelope.payload_type != PAYLOAD_TYPE {
        return Err(Refusal::PayloadType(beginning(&envelope.payload_type)));
    }
    let [signature] = envelope.signatures.as_slice() else {
        return Err(Refusal::Signatures(envelope.signatures.len()));
    };
    // Outside the signature, and only there to say which key: it may not say anything else.
    if signature.keyid != key.id() {
        return Err(Refusal::OtherKey(beginning(&signature.keyid)));
    }
    // The engine takes no other padding, and no stray bits at the end.
    let payload = STANDARD.decode(&envelope.payload).map_err(|_| not_spelled())?;
    let bytes = STANDARD.decode(&signature.sig).map_err(|_| not_spelled())?;
    let bytes: [u8; 64] = bytes.try_into().map_err(|_| Refusal::Signature)?;
    if key.verifies(&pre_authentication_encoding(&payload), &bytes) { Ok(payload) } else { Err(Refusal::Signature) }
}

/// What is signed: type and payload, each with its length before it.
fn pre_authentication_encoding(payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {PAYLOAD_TYPE} {} ", PAYLOAD_TYPE.len(), payload.len());
    [head.as_bytes(), payload].concat()
}
