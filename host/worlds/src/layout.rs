//! What lies in a world's folder and nothing reads: a name with a slip, most likely.
//!
//! Invariant: what has a name of its own beside a world's files, a README say, is nobody's slip.

use assay_files::Folder;
use assay_rollout::task::LoadError;
use assay_world::words::nearest;

use crate::format::wrong;

/// The files and folders of a world, beside its policy.
const KNOWN: [&str; 8] = ["world.toml", "data", "schemas", "databases", "mail.json", "files", "python", "tasks"];
/// What the files of some folders end in.
const ENDINGS: [(&str, &str); 4] = [("data", ".json"), ("schemas", ".json"), ("databases", ".sql"), ("tasks", ".toml")];
/// Entries that are looked at; a world with more is too large, as its loader says.
const ENTRIES_MAX: usize = 20_000;

/// Every file is one that is read, as far as names tell.
///
/// # Errors
/// The first that is not.
pub(crate) fn check(folder: &Folder, policy: &str) -> Result<(), LoadError> {
    let is_own = |name: &str| KNOWN.contains(&name) || name == policy || is_beside(name) || name == "tests";
    for name in names(folder) {
        let near = || nearest(&name, KNOWN.into_iter().chain([policy]));
        if let Some(near) = (!is_own(&name)).then(near).flatten() {
            let hint = Some(format!("did you mean `{near}`?"));
            return Err(wrong(&folder.path().join(&name), None, "nothing reads it".to_owned(), hint));
        }
    }
    for (inside, ending) in ENDINGS {
        // What cannot be opened is told by whoever reads it.
        let Ok(inside) = folder.folder(inside) else { continue };
        if let Some(name) = names(&inside).into_iter().find(|name| !name.ends_with(ending) && !is_beside(name)) {
            let hint = Some(format!("the files of this folder end in `{ending}`; rename it, or take it away"));
            return Err(wrong(&inside.path().join(&name), None, "nothing reads it".to_owned(), hint));
        }
    }
    Ok(())
}

/// Whether a file is for people or for an editor.
fn is_beside(name: &str) -> bool {
    name.starts_with('.') || name.ends_with('~') || name.to_ascii_lowercase().starts_with("readme")
}

fn names(folder: &Folder) -> Vec<String> {
    let all = folder.entries(ENTRIES_MAX).unwrap_or_default();
    let mut names: Vec<String> = all.into_iter().filter_map(|name| name.into_string().ok()).collect();
    names.sort();
    names
}
