//! What a user hands in: one Rust file, a crate folder or a ready component, read once and bounded.
//!
//! No link in a crate is followed, and anything that is not a regular file is refused at once ([`assay_files`]).
//! Everything later works on the bytes read here, so a file that changes meanwhile cannot differ between check and build.
//! Of a crate only `Cargo.toml`, `Cargo.lock`, `build.rs` and the `.rs` files under `src` are read: nothing else is compiled, and
//! cargo's or rustup's own configuration files in the folder never take effect.

use std::path::{Path, PathBuf};

use assay_files::{Folder, Kind, Links, OpenError};
use assay_validator::Code;
use assay_validator::limits::{
    COMPONENT_BYTES_MAX, CRATE_BYTES_MAX, CRATE_FILES_MAX, CRATE_FOLDER_DEPTH_MAX, SOURCE_BYTES_MAX,
};

/// Entries of one folder that are looked at, of whatever kind: far above what the limit on files lets through.
const FOLDER_ENTRIES_MAX: usize = 10_000;

/// A crate's root file. Cargo compiles no other.
pub(crate) const ROOT: &str = "src/lib.rs";

/// A file's name for people, and its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceText {
    /// File name, or the path inside a crate with `/` between its parts.
    pub name: String,
    /// The text.
    pub text: String,
}

/// The parts of a crate folder that take part in a build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrateSource {
    /// The folder.
    pub folder: PathBuf,
    /// `Cargo.toml`, the lock file and `build.rs` where there are some, then `src/**/*.rs`; sorted by name.
    pub files: Vec<SourceText>,
}

/// A strategy as handed in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// One Rust file.
    File(SourceText),
    /// A crate.
    Crate(CrateSource),
    /// A ready component, not yet checked.
    Component {
        /// File name.
        name: String,
        /// Content.
        bytes: Vec<u8>,
    },
}

/// Why a path is not a source.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// Nothing is there.
    #[error("failed to open {path}: no such file or folder")]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// It is there but cannot be read.
    #[error("failed to read {path}: {source}")]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Neither a file nor a folder, or a link inside a crate.
    #[error("failed to read {path}: it is not a regular file")]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// Too many bytes.
    #[error("failed to read {path}: it has {bytes} bytes, at most {limit} are allowed")]
    TooLarge {
        /// The path.
        path: PathBuf,
        /// Its size, or the size read so far.
        bytes: u64,
        /// Most allowed.
        limit: u64,
    },
    /// Too many files.
    #[error("failed to read {path}: the crate has more than {limit} files")]
    TooManyFiles {
        /// The crate's folder.
        path: PathBuf,
        /// Most allowed.
        limit: u64,
    },
    /// Folders nest too deeply.
    #[error("failed to read {path}: folders nest more than {limit} deep")]
    TooDeep {
        /// The folder that is too deep.
        path: PathBuf,
        /// Most allowed.
        limit: u64,
    },
    /// Not text.
    #[error("failed to read {path}: byte {offset} is not UTF-8")]
    NotUtf8 {
        /// The path.
        path: PathBuf,
        /// The first bad byte.
        offset: usize,
    },
    /// A folder that is not a crate.
    #[error("failed to open {path}: the folder has no Cargo.toml")]
    NoManifest {
        /// The folder.
        path: PathBuf,
    },
    /// A file of another kind.
    #[error("failed to open {path}: a strategy is a .rs or .py file, a crate folder or a .wasm component")]
    Extension {
        /// The file.
        path: PathBuf,
    },
    /// A `.wasm` file that is not a component.
    #[error("failed to open {path}: it is {}, not a component", describe(*code))]
    NotAComponent {
        /// The file.
        path: PathBuf,
        /// What it is, in the validator's words.
        code: Code,
    },
}

fn describe(code: Code) -> &'static str {
    match code {
        Code::EmptyInput => "empty",
        Code::CoreModule => "a core WebAssembly module",
        Code::PrecompiledArtifact => "machine code",
        Code::InvalidComponent => "WebAssembly of an unknown version",
        _ => "not WebAssembly",
    }
}

impl SourceError {
    /// What to do about it, if there is something to say.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Missing { .. } => "check the path; `assay new NAME` creates a strategy to start from".to_owned(),
            Self::TooLarge { .. } | Self::TooManyFiles { .. } | Self::TooDeep { .. } => {
                "a strategy is code only: leave out data and generated tables".to_owned()
            }
            Self::NotUtf8 { .. } => "save the file as UTF-8 text".to_owned(),
            Self::NoManifest { .. } => "name the .rs file itself, or a folder with a Cargo.toml".to_owned(),
            Self::Extension { path } => match path.extension() {
                Some(other) if other == "py" => "a Python strategy is not compiled; pass it to `assay` as it is".to_owned(),
                _ => "rename Rust source to end in .rs, Python source to end in .py".to_owned(),
            },
            Self::NotAComponent { code: Code::CoreModule, .. } => {
                "pass the Rust source instead, or wrap the module as the `strategy` world with `wasm-tools component new`".to_owned()
            }
            Self::NotAComponent { code: Code::PrecompiledArtifact, .. } => {
                "machine code is never accepted; pass the component that it was compiled from".to_owned()
            }
            Self::NotAComponent { .. } => "pass the Rust source, or a component of the `strategy` world".to_owned(),
            Self::NotAFile { .. } => "pass a regular file; links and devices are not followed".to_owned(),
            Self::Unreadable { .. } => return None,
        };
        Some(hint)
    }
}

impl Source {
    /// Reads what is at `path`: a `.rs` file, a folder with a `Cargo.toml`, or a `.wasm` component. Should it be a link, that is followed, unlike links in a
    /// crate.
    ///
    /// # Errors
    /// When there is nothing there, or something else, or too much of it.
    pub fn open(path: &Path) -> Result<Self, SourceError> {
        Self::open_as(path, Links::Followed)
    }

    /// The same, where somebody else may have put a link in its place.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn open_as(path: &Path, links: Links) -> Result<Self, SourceError> {
        match Folder::open(path, links) {
            Ok(folder) => return CrateSource::read(&folder).map(Self::Crate),
            Err(OpenError::NotAFolder) => {}
            Err(error) => return Err(not_opened(path, error)),
        }
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension {
            _ if is_rust_file(&file_name(path)) => {
                Ok(Self::File(SourceText { name: file_name(path), text: read_text(path, links)? }))
            }
            Some("wasm") => {
                let bytes = read_file(path, links, COMPONENT_BYTES_MAX)?;
                match assay_validator::not_a_component(&bytes) {
                    None => Ok(Self::Component { name: file_name(path), bytes }),
                    Some(code) => Err(SourceError::NotAComponent { path: path.to_path_buf(), code }),
                }
            }
            _ => Err(SourceError::Extension { path: path.to_path_buf() }),
        }
    }

    /// Name for people: of the file, or of the crate's folder.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::File(text) => text.name.clone(),
            Self::Crate(source) => file_name(&source.folder),
            Self::Component { name, .. } => name.clone(),
        }
    }

    /// The Rust files, for the source check.
    pub fn rust_files(&self) -> impl Iterator<Item = &SourceText> {
        let files = match self {
            Self::File(text) => std::slice::from_ref(text),
            Self::Crate(source) => &source.files,
            Self::Component { .. } => &[],
        };
        files.iter().filter(|file| is_rust_file(&file.name))
    }

    /// BLAKE3 of everything that was handed in: the file's bytes, or names and contents of a crate's files, each after its length.
    #[must_use]
    pub fn hash(&self) -> blake3::Hash {
        let source = match self {
            Self::File(text) => return blake3::hash(text.text.as_bytes()),
            Self::Component { bytes, .. } => return blake3::hash(bytes),
            Self::Crate(source) => source,
        };
        let mut hasher = blake3::Hasher::new();
        for part in source.files.iter().flat_map(|file| [&file.name, &file.text]) {
            // Lengths keep one part's end from passing for the next one's start.
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        hasher.finalize()
    }

    /// The file, or the crate's `src/lib.rs`.
    #[must_use]
    pub fn root(&self) -> Option<&SourceText> {
        match self {
            Self::File(text) => Some(text),
            Self::Crate(source) => source.files.iter().find(|file| file.name == ROOT),
            Self::Component { .. } => None,
        }
    }
}

impl CrateSource {
    fn read(folder: &Folder) -> Result<Self, SourceError> {
        let mut source = Self { folder: folder.path().to_path_buf(), files: Vec::new() };
        let mut left = CRATE_BYTES_MAX;
        for name in ["Cargo.toml", "Cargo.lock", "build.rs"] {
            if kind(folder, name)?.is_some() {
                source.add(folder, name, name.to_owned(), &mut left)?;
            } else if name == "Cargo.toml" {
                return Err(SourceError::NoManifest { path: source.folder });
            }
        }
        match kind(folder, "src")? {
            Some(Kind::Folder) => source.add_folder(&inner(folder, "src")?, "src", 1, &mut left)?,
            // What it leads to may be somebody else's.
            Some(Kind::Link) => return Err(SourceError::NotAFile { path: source.folder.join("src") }),
            _ => {}
        }
        source.files.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(source)
    }

    fn add_folder(&mut self, folder: &Folder, name: &str, depth: u64, left: &mut u64) -> Result<(), SourceError> {
        if depth > CRATE_FOLDER_DEPTH_MAX {
            return Err(SourceError::TooDeep { path: folder.path().to_path_buf(), limit: CRATE_FOLDER_DEPTH_MAX });
        }
        for entry in folder.entries(FOLDER_ENTRIES_MAX).map_err(|error| not_opened(folder.path(), error))? {
            // A name that is not UTF-8 cannot be the name of a module.
            let Some(part) = entry.to_str() else { continue };
            let inside = format!("{name}/{part}");
            if kind(folder, part)? == Some(Kind::Folder) {
                self.add_folder(&inner(folder, part)?, &inside, depth + 1, left)?;
            } else if is_rust_file(&inside) {
                self.add(folder, part, inside, left)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, folder: &Folder, part: &str, name: String, left: &mut u64) -> Result<(), SourceError> {
        if self.files.len() as u64 == CRATE_FILES_MAX {
            return Err(SourceError::TooManyFiles { path: self.folder.clone(), limit: CRATE_FILES_MAX });
        }
        let text =
            folder.read_text(part, SOURCE_BYTES_MAX).map_err(|error| not_opened(&folder.path().join(part), error))?;
        let bytes = text.len() as u64;
        *left = left.checked_sub(bytes).ok_or_else(|| SourceError::TooLarge {
            path: self.folder.clone(),
            bytes: CRATE_BYTES_MAX - *left + bytes,
            limit: CRATE_BYTES_MAX,
        })?;
        self.files.push(SourceText { name, text });
        Ok(())
    }
}

fn kind(folder: &Folder, name: &str) -> Result<Option<Kind>, SourceError> {
    folder.kind(name).map_err(|error| not_opened(&folder.path().join(name), error))
}

fn inner(folder: &Folder, name: &str) -> Result<Folder, SourceError> {
    folder.folder(name).map_err(|error| not_opened(&folder.path().join(name), error))
}

/// Whether a file of this name is Rust source: it ends in `.rs`, so that `.rs` itself is one too.
pub(crate) fn is_rust_file(name: &str) -> bool {
    name.ends_with(".rs")
}

fn file_name(path: &Path) -> String {
    // `.` and `..` have no file name, but the folder they stand for has.
    let resolved = path.canonicalize();
    let named = path.file_name().or_else(|| resolved.as_deref().ok()?.file_name());
    named.map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn read_text(path: &Path, links: Links) -> Result<String, SourceError> {
    assay_files::read_text(path, links, SOURCE_BYTES_MAX).map_err(|error| not_opened(path, error))
}

/// Reads a regular file of at most `limit` bytes; a larger one is refused unread.
///
/// # Errors
/// When it is not there, no regular file, a link that is not to be followed, or larger.
pub fn read_file(path: &Path, links: Links, limit: u64) -> Result<Vec<u8>, SourceError> {
    assay_files::read(path, links, limit).map_err(|error| not_opened(path, error))
}

fn not_opened(path: &Path, error: OpenError) -> SourceError {
    let path = path.to_path_buf();
    match error {
        OpenError::Missing => SourceError::Missing { path },
        OpenError::Link | OpenError::HardLink | OpenError::NotAFile | OpenError::NotAFolder => {
            SourceError::NotAFile { path }
        }
        OpenError::TooLarge { bytes, limit } => SourceError::TooLarge { path, bytes, limit },
        OpenError::TooMany { limit } => SourceError::TooManyFiles { path, limit: limit as u64 },
        OpenError::NotUtf8 { offset } => SourceError::NotUtf8 { path, offset },
        other @ (OpenError::Foreign { .. } | OpenError::Io(_)) => {
            SourceError::Unreadable { path, source: other.into() }
        }
    }
}
