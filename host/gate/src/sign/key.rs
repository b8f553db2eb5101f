//! Keys: Ed25519 (RFC 8032), in the PEM files that OpenSSL writes and reads (PKCS #8, SPKI; RFC 8410).
//!
//! Invariants: a [`PublicKey`] is a point of large order, so no signature holds for every message; a private key is wiped from memory when it goes, and
//! is never printed.

use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{
    DecodePrivateKey as _, DecodePublicKey as _, EncodePrivateKey as _, EncodePublicKey as _, KeypairBytes,
};
use ed25519_dalek::{Signature, SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};
use std::fmt;
use thiserror::Error;

/// Why a text is not a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum KeyError {
    /// Not a private key of this kind.
    #[error("it is not an Ed25519 private key in PEM (-----BEGIN PRIVATE KEY-----)")]
    Private,
    /// Not a public key of this kind.
    #[error("it is not an Ed25519 public key in PEM (-----BEGIN PUBLIC KEY-----)")]
    Public,
    /// A private key where a public one belongs.
    #[error("it is a private key, but a public key is needed")]
    NotPublic,
    /// A key that anybody can forge signatures for.
    #[error("it is a weak key: signatures for it can be forged")]
    Weak,
}

/// What signs.
pub struct PrivateKey(SigningKey);

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivateKey({})", self.public().id())
    }
}

impl PrivateKey {
    /// The key of a secret of 32 random bytes.
    #[must_use]
    pub fn from_secret(secret: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(secret))
    }

    /// Reads PEM.
    ///
    /// # Errors
    /// If it is none, or that of another kind of key.
    pub fn from_pem(pem: &str) -> Result<Self, KeyError> {
        SigningKey::from_pkcs8_pem(pem.trim()).map(Self).map_err(|_| KeyError::Private)
    }

    /// Writes PEM, without the public key in it: OpenSSL reads no other.
    ///
    /// # Errors
    /// Never for a key that exists.
    pub fn to_pem(&self) -> Result<impl std::ops::Deref<Target = String> + use<>, KeyError> {
        let bytes = KeypairBytes { secret_key: self.0.to_bytes(), public_key: None };
        bytes.to_pkcs8_pem(LineEnding::LF).map_err(|_| KeyError::Private)
    }

    /// The key that verifies what this one signs.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    pub(super) fn sign(&self, message: &[u8]) -> [u8; 64] {
        use ed25519_dalek::Signer as _;
        self.0.sign(message).to_bytes()
    }
}

/// What verifies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// Reads PEM.
    ///
    /// # Errors
    /// If it is none, that of another kind of key, or a weak key.
    pub fn from_pem(pem: &str) -> Result<Self, KeyError> {
        let pem = pem.trim();
        if PrivateKey::from_pem(pem).is_ok() {
            return Err(KeyError::NotPublic);
        }
        let key = VerifyingKey::from_public_key_pem(pem).map_err(|_| KeyError::Public)?;
        if key.is_weak() { Err(KeyError::Weak) } else { Ok(Self(key)) }
    }

    /// Writes PEM.
    ///
    /// # Errors
    /// Never for a key that exists.
    pub fn to_pem(&self) -> Result<String, KeyError> {
        self.0.to_public_key_pem(LineEnding::LF).map_err(|_| KeyError::Public)
    }

    /// Its name: SHA-256 of its DER form in hexadecimal, as `openssl pkey -pubin -outform DER | sha256sum` says it.
    #[must_use]
    pub fn id(&self) -> String {
        /// What DER puts before the 32 bytes of an Ed25519 key (RFC 8410, section 4).
        const PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
        let digest = Sha256::new().chain_update(PREFIX).chain_update(self.0.as_bytes()).finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub(super) fn verifies(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        self.0.verify_strict(message, &Signature::from_bytes(signature)).is_ok()
    }
}
