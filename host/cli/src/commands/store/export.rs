//! `assay export`: a run as files: what the store says of it, its own files, and the page of its record.

use super::show;
use crate::args::ExportRunArgs;
use crate::commands::DONE;
use crate::exit::{Exit, Failure};
use crate::output::place;
use crate::store::Open;
use crate::ui;
use assay_evaluate::RunRecord;
use assay_store::Store;
use std::path::{Component, Path};

pub(crate) fn run(args: &ExportRunArgs) -> Result<Exit, Failure> {
    let open = Open::to_read(&args.store)?;
    let detail = open.ask(async |store: &Store| store.get(store.resolve(&args.id).await?).await)?;
    assay_files::Folder::make(&args.to).map_err(|error| {
        Failure::usage(format!("failed to make {}: {error}", args.to.display())).hint("choose another folder with --to")
    })?;
    let write = |name: &str, content: &[u8]| {
        let path = args.to.join(name);
        place(&path, content)?;
        ui::step("Wrote", &path.display().to_string());
        Ok::<(), Failure>(())
    };
    write("store.json", format!("{:#}\n", show::json(&detail)).as_bytes())?;
    for artifact in &detail.artifacts {
        let content = open.ask(async |store| store.artifact(artifact.hash).await)?;
        if !is_plain(&artifact.name) {
            ui::warn(&format!("a file named {:?} was left out: that is not a plain name", artifact.name));
            continue;
        }
        write(&artifact.name, &content)?;
        // The page is computed from the record, so it is not kept.
        if artifact.name == "run.json" {
            match serde_json::from_slice::<RunRecord>(&content) {
                Ok(record) => write("index.html", assay_report::render(&record).as_bytes())?,
                Err(error) => ui::warn(&format!("no page was made: run.json is of another version ({error})")),
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
