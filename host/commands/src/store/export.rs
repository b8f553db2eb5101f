//! What `assay export` does: a run as files: what the store says of it, its own files, and the page of its record.

use super::show;
use crate::ledger::Open;
use crate::output::place;
use crate::settings::StoreSettings;
use crate::{DONE, Ending, Failure, face};
use assay_evaluate::RunRecord;
use assay_store::Store;
use std::path::{Component, Path, PathBuf};

/// A run that becomes files.
#[derive(Clone, Debug)]
pub struct ExportSettings {
    /// The run: the beginning of its id, or `latest`.
    pub id: String,
    /// The folder to write to; created if it does not exist. Nothing in it is overwritten.
    pub to: PathBuf,
    /// The store.
    pub store: StoreSettings,
}

/// Exports a run to files: its record, report page and artifacts.
///
/// # Errors
///
/// Where the run is not there, the store cannot be read, or the folder cannot be written.
pub fn run(settings: &ExportSettings) -> Result<Ending, Failure> {
    let open = Open::to_read(&settings.store)?;
    let detail = open.ask(async |store: &Store| store.get(store.resolve(&settings.id).await?).await)?;
    assay_files::Folder::make(&settings.to).map_err(|error| {
        Failure::usage(format!("failed to make {}: {error}", settings.to.display()))
            .hint("choose another folder with --to")
    })?;
    let write = |name: &str, content: &[u8]| {
        let path = settings.to.join(name);
        place(&path, content)?;
        face::step("Wrote", &path.display().to_string());
        Ok::<(), Failure>(())
    };
    write("store.json", format!("{:#}\n", show::json(&detail)).as_bytes())?;
    for artifact in &detail.artifacts {
        let content = open.ask(async |store| store.artifact(artifact.hash).await)?;
        if !is_plain(&artifact.name) {
            face::warn(&format!("a file named {:?} was left out: that is not a plain name", artifact.name));
            continue;
        }
        write(&artifact.name, &content)?;
        // The page is computed from the record, so it is not kept.
        if artifact.name == "run.json" {
            match serde_json::from_slice::<RunRecord>(&content) {
                Ok(record) => write("index.html", assay_report::render(&record).as_bytes())?,
                Err(error) => face::warn(&format!("no page was made: run.json is of another version ({error})")),
            }
        }
    }
    open.close();
    DONE
}

/// Whether a name from the store is a file's within the folder and nothing else.
fn is_plain(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(only)), None) if only == name)
}
