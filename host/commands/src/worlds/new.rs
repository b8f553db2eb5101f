//! `assay worlds new`: writes a commented world.

use crate::face;
use crate::{Ending, Failure};
use assay_files::Folder;
use std::path::Path;

/// The files of the template; tests check the world that they make.
const FILES: [(&str, &str, &str); 7] = [
    ("", "world.toml", include_str!("template/world.toml")),
    ("", "policy.md", include_str!("template/policy.md")),
    ("schemas", "tickets.json", include_str!("template/schemas/tickets.json")),
    ("data", "accounts.json", include_str!("template/data/accounts.json")),
    ("data", "tickets.json", include_str!("template/data/tickets.json")),
    ("tasks", "reopen.toml", include_str!("template/tasks/reopen.toml")),
    ("tasks", "balance.toml", include_str!("template/tasks/balance.toml")),
];

/// Makes the folder `path` with the template in it: tools, data, policy, a user and two tasks.
///
/// # Errors
/// Something already exists there, or the folder cannot be written.
pub fn new(path: &Path) -> Result<Ending, Failure> {
    let failed = |what: &Path, error: &dyn std::fmt::Display| {
        Failure::usage(format!("failed to write {}: {error}", what.display()))
            .hint("name a folder that you can write to")
    };
    if path.symlink_metadata().is_ok() {
        return Err(Failure::usage(format!("{} already exists; it was not touched", path.display()))
            .hint("choose another name"));
    }
    let folder = Folder::make(path).map_err(|error| failed(path, &error))?;
    for (within, name, text) in FILES {
        let place = path.join(within).join(name);
        let written = if within.is_empty() {
            folder.write(name, text.as_bytes(), 0o644)
        } else {
            let inside = folder.make_folder(within, 0o777).map_err(|error| failed(&place, &error))?;
            inside.write(name, text.as_bytes(), 0o644)
        };
        written.map_err(|error| failed(&place, &error))?;
    }
    face::step("Created", &path.display().to_string());
    let name = path.display();
    let next =
        format!("Next:\n  assay worlds check {name}\n  assay worlds run {name} --agent scripted --out {name}-run");
    face::note(&face::lines(&next));
    Ok(Ending::Success)
}
