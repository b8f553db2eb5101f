//! Writing a world folder.

use std::path::Path;

use assay_files::Folder;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::format::wrong;
use crate::load::LoadError;

/// A world folder that is being written.
pub(super) struct WorldFolder(Folder);

impl WorldFolder {
    /// A new one.
    ///
    /// # Errors
    /// Something is there already, or the place cannot be written to.
    pub(super) fn new(path: &Path) -> Result<Self, LoadError> {
        if path.symlink_metadata().is_ok() {
            let hint = "choose another name".to_owned();
            return Err(wrong(path, None, "it already exists; it was not touched".to_owned(), Some(hint)));
        }
        let folder = Folder::make(path).map_err(|error| wrong(path, None, error.to_string(), None))?;
        Ok(Self(folder))
    }

    /// Writes a file; `path` has `/` between its parts.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn text(&self, path: &str, text: &str) -> Result<(), LoadError> {
        let place = self.0.path().join(path);
        let failed = |error: &dyn std::fmt::Display| wrong(&place, None, error.to_string(), None);
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut inside: Option<Folder> = None;
        for part in folders.split('/').filter(|part| !part.is_empty()) {
            let made = inside.as_ref().unwrap_or(&self.0).make_folder(part, 0o777).map_err(|error| failed(&error))?;
            inside = Some(made);
        }
        let folder = inside.as_ref().unwrap_or(&self.0);
        folder.write(name, text.as_bytes(), 0o644).map_err(|error| failed(&error))
    }

    /// Writes a TOML file.
    ///
    /// # Errors
    /// It cannot be written, or holds what TOML cannot.
    pub(super) fn toml(&self, path: &str, value: &impl Serialize) -> Result<(), LoadError> {
        let place = self.0.path().join(path);
        let failed = |error: &dyn std::fmt::Display| wrong(&place, None, error.to_string(), None);
        let value = toml::Value::try_from(value).map_err(|error| failed(&error))?;
        let text = toml::to_string(&value).map_err(|error| failed(&error))?;
        self.text(path, &text)
    }

    /// Writes a collection, a document on each line.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn collection(&self, name: &str, documents: &Map<String, Value>) -> Result<(), LoadError> {
        let rows = documents.iter().map(|(id, document)| format!("{}: {document}", Value::from(id.as_str())));
        let text = format!("{{\n{}\n}}\n", rows.collect::<Vec<_>>().join(",\n"));
        self.text(&format!("data/{name}.json"), &text)
    }
}
