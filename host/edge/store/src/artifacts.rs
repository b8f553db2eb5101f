//! Files by content: named by the BLAKE3 of their bytes, in a folder (`ab/cdef…`) or in an S3-compatible bucket.
//!
//! Invariants: a file appears whole or not at all, and is on disk when [`Artifacts::put`] returns; what [`Artifacts::get`] returns has the hash that was
//! asked for. A damaged file is reported, and replaced when the same content is put again.

use crate::own_folder;
use assay_files::{Existing, Folder, Links};
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt as _};
use std::fmt::{self, Display};
use std::fs;
use std::io::{Error, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The largest artifact: it is held in memory while it is hashed.
pub const ARTIFACT_BYTES_MAX: u64 = 256 << 20;

/// BLAKE3 of an artifact's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArtifactHash(blake3::Hash);

impl ArtifactHash {
    /// The hash of these bytes.
    #[must_use]
    pub fn of(content: &[u8]) -> Self {
        Self(blake3::hash(content))
    }

    /// Folder and file name.
    fn parts(self) -> (String, String) {
        let hex = self.0.to_hex();
        let (folder, file) = hex.split_at(2);
        (folder.to_owned(), file.to_owned())
    }
}

impl Display for ArtifactHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

impl FromStr for ArtifactHash {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        blake3::Hash::from_hex(text).map(Self).map_err(|error| error.to_string())
    }
}

/// Where artifacts are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArtifactPlace {
    /// A folder; made when the first one is put there.
    Folder(PathBuf),
    /// A bucket and what keys begin with. Server, region and keys come from the `AWS_…` variables.
    Bucket {
        /// Name of the bucket.
        bucket: String,
        /// What keys begin with; may be empty.
        prefix: String,
    },
}

impl ArtifactPlace {
    /// `s3://bucket/prefix`, or the path of a folder.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        match text.strip_prefix("s3://") {
            Some(rest) => {
                let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
                Self::Bucket { bucket: bucket.to_owned(), prefix: prefix.trim_matches('/').to_owned() }
            }
            None => Self::Folder(PathBuf::from(text)),
        }
    }
}

impl Display for ArtifactPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => write!(f, "{}", path.display()),
            Self::Bucket { bucket, prefix } => write!(f, "s3://{bucket}/{prefix}"),
        }
    }
}

/// What can go wrong with an artifact.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// It is not there.
    #[error("the artifact {hash} is not in {place}")]
    Missing {
        /// Which.
        hash: ArtifactHash,
        /// Where it should be.
        place: String,
    },
    /// Its bytes are not those that were put there.
    #[error("the artifact {hash} in {place} is damaged: its content does not match its hash")]
    Damaged {
        /// Which.
        hash: ArtifactHash,
        /// Where it is.
        place: String,
    },
    /// It is larger than [`ARTIFACT_BYTES_MAX`].
    #[error("an artifact of {bytes} bytes is too large: the maximum is {ARTIFACT_BYTES_MAX}")]
    TooLarge {
        /// How large.
        bytes: u64,
    },
    /// The folder or the bucket failed.
    #[error("the artifacts in {place} failed: {why}")]
    Failed {
        /// Which place.
        place: String,
        /// What happened.
        why: String,
    },
}

impl ArtifactError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Missing { .. } => Some("name the location where it was stored with --artifacts or ASSAY_ARTIFACTS"),
            Self::Damaged { .. } => Some("it was left as it is; restore it from a backup, or run again"),
            Self::TooLarge { .. } => None,
            Self::Failed { place, .. } if !place.contains("://") => {
                Some("check --artifacts or ASSAY_ARTIFACTS, and that its disk has room")
            }
            Self::Failed { .. } => {
                Some("check --artifacts or ASSAY_ARTIFACTS; the keys for a bucket come from the AWS_… variables")
            }
        }
    }
}

/// An open place for artifacts.
#[derive(Debug)]
pub struct Artifacts {
    place: Open,
    name: String,
}

#[derive(Debug)]
enum Open {
    Folder(PathBuf),
    Bucket { bucket: Box<dyn ObjectStore>, prefix: String },
}

impl Artifacts {
    /// Opens a place; nothing is made or asked yet.
    ///
    /// # Errors
    /// The settings of a bucket do not make one.
    pub fn open(place: &ArtifactPlace) -> Result<Self, ArtifactError> {
        let name = place.to_string();
        let place = match place {
            ArtifactPlace::Folder(path) => Open::Folder(path.clone()),
            ArtifactPlace::Bucket { bucket, prefix } => {
                let built = connect(bucket).map_err(|error| failed(&name, &error))?;
                Open::Bucket { bucket: Box::new(built), prefix: prefix.clone() }
            }
        };
        Ok(Self { place, name })
    }

    /// Keeps these bytes.
    ///
    /// # Errors
    /// They are too many, or the place fails.
    pub async fn put(&self, content: &[u8]) -> Result<ArtifactHash, ArtifactError> {
        let bytes = content.len() as u64;
        if bytes > ARTIFACT_BYTES_MAX {
            return Err(ArtifactError::TooLarge { bytes });
        }
        let hash = ArtifactHash::of(content);
        // What is there already is read first: if it is whole, it is left alone.
        if self.get(hash).await.is_err() {
            match &self.place {
                Open::Folder(root) => write(root, hash, content).map_err(|error| failed(&self.name, &error))?,
                Open::Bucket { bucket, prefix } => {
                    let put = bucket.put(&key(prefix, hash), content.to_vec().into()).await;
                    put.map_err(|error| failed(&self.name, &error))?;
                }
            }
        }
        Ok(hash)
    }

    /// Reads the bytes with this hash.
    ///
    /// # Errors
    /// They are not there, not the same, or the place fails.
    pub async fn get(&self, hash: ArtifactHash) -> Result<Vec<u8>, ArtifactError> {
        let missing = || ArtifactError::Missing { hash, place: self.name.clone() };
        let content = match &self.place {
            Open::Folder(root) => match read(root, hash) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Err(missing()),
                content => content.map_err(|error| failed(&self.name, &error))?,
            },
            Open::Bucket { bucket, prefix } => {
                let found = match bucket.get(&key(prefix, hash)).await {
                    Err(object_store::Error::NotFound { .. }) => return Err(missing()),
                    found => found.map_err(|error| failed(&self.name, &error))?,
                };
                if found.meta.size > ARTIFACT_BYTES_MAX {
                    return Err(ArtifactError::TooLarge { bytes: found.meta.size });
                }
                found.bytes().await.map_err(|error| failed(&self.name, &error))?.to_vec()
            }
        };
        if ArtifactHash::of(&content) != hash {
            return Err(ArtifactError::Damaged { hash, place: self.name.clone() });
        }
        Ok(content)
    }

    /// Removes the bytes with this hash, if they are there.
    pub(crate) async fn remove(&self, hash: ArtifactHash) -> Result<(), ArtifactError> {
        match &self.place {
            Open::Folder(root) => match remove(root, hash) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(&self.name, &error)),
                _ => Ok(()),
            },
            Open::Bucket { bucket, prefix } => match bucket.delete(&key(prefix, hash)).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
                Err(error) => Err(failed(&self.name, &error)),
            },
        }
    }
}

/// The bucket as the environment describes it. Over plain HTTP only if somebody named such a server: one on this machine, or of tests.
fn connect(bucket: &str) -> Result<AmazonS3, object_store::Error> {
    let endpoint = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"];
    let endpoint = endpoint.iter().find_map(|name| std::env::var(name).ok());
    let builder = AmazonS3Builder::from_env().with_bucket_name(bucket);
    match endpoint {
        Some(url) => builder.with_allow_http(url.starts_with("http://")).with_endpoint(url).build(),
        None => builder.build(),
    }
}

/// An error with what caused it.
fn failed(name: &str, error: &dyn std::error::Error) -> ArtifactError {
    let why: Vec<String> =
        std::iter::successors(Some(error), |error| error.source()).map(ToString::to_string).collect();
    ArtifactError::Failed { place: name.to_owned(), why: why.join(": ") }
}

fn key(prefix: &str, hash: ArtifactHash) -> Key {
    let (folder, file) = hash.parts();
    Key::from(format!("{prefix}/{folder}/{file}"))
}

/// The folder of the artifacts. One that lies in a project's own is not reached through a link.
fn opened(root: &Path, make: bool) -> Result<Folder, Error> {
    match (own_folder(root, make), root.file_name()) {
        (Some(folder), Some(name)) if make => Ok(folder?.make_folder(name, 0o777)?),
        (Some(folder), Some(name)) => Ok(folder?.folder(name)?),
        _ => {
            if make {
                fs::create_dir_all(root)?;
            }
            Ok(Folder::open(root, Links::Followed)?)
        }
    }
}

fn read(root: &Path, hash: ArtifactHash) -> Result<Vec<u8>, Error> {
    let (folder, file) = hash.parts();
    Ok(opened(root, false)?.folder(folder)?.read(file, ARTIFACT_BYTES_MAX)?)
}

fn remove(root: &Path, hash: ArtifactHash) -> Result<(), Error> {
    let (folder, file) = hash.parts();
    Ok(opened(root, false)?.folder(folder)?.remove_file(file)?)
}

/// Written to another name, synced, renamed, and the folder synced: after a crash the file is whole or not there.
fn write(root: &Path, hash: ArtifactHash, content: &[u8]) -> Result<(), Error> {
    let (folder, file) = hash.parts();
    let folder = opened(root, true)?.make_folder(folder, 0o777)?;
    let mut draft = folder.draft(0o644)?;
    draft.write_all(content)?;
    draft.file().sync_all()?;
    draft.name(file.as_ref(), Existing::Replaced)?;
    folder.sync()
}
