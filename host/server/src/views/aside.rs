//! Two trajectories side by side, as `assay trace diff` compares them.

use super::records::broken_in;
use super::{Problem, View, indexed};
use crate::chain::Break;
use crate::id::{ItemId, Name};
use crate::library::Library;
use crate::pages::{Frame, aside as page};
use assay_trace::{Diff, ReadLimits, Trajectory, read_with_limits};
use std::io::BufReader;

/// Bytes of each of them: both are held whole.
const BYTES_MAX: u64 = 32 << 20;
/// Others that can be chosen.
const OTHERS_MAX: usize = 500;

fn read(library: &Library, id: &ItemId) -> Result<Trajectory, Problem> {
    let opened = library.trajectory(id).ok_or_else(Problem::nothing)?;
    let (file, _) = opened.map_err(|error| Problem::of_file("the trajectory", &error))?;
    let bytes = file.metadata().map_err(|error| Problem::unreadable(id.name.as_str(), error))?.len();
    if bytes > BYTES_MAX {
        let why =
            format!("it has {bytes} bytes; at most {BYTES_MAX} are compared here, and more by `assay trace diff`");
        return Err(Problem::unreadable(id.name.as_str(), why));
    }
    let limits = ReadLimits { file_bytes: BYTES_MAX, ..ReadLimits::BOUNDED };
    let loaded = read_with_limits(BufReader::new(file), limits);
    loaded.map(|loaded| loaded.trajectory).map_err(|error| Problem::unreadable(id.name.as_str(), error))
}

/// The two, or a list to choose the other one from.
pub(crate) fn aside(frame: Frame<'_>, library: &Library, id: &ItemId, other: Option<&str>) -> View {
    let Some(other) = other.filter(|other| !other.is_empty()) else {
        let found = library.folder(id.folder).ok_or_else(Problem::nothing)?;
        let names = found.trajectories().map_err(|error| Problem::of_file(&found.name, &error))?;
        return Ok(page::choice(frame, id, &others(&id.name, names)));
    };
    let other: ItemId = other.parse().map_err(|_| Problem::nothing())?;
    let (diff, broken) = difference(library, id, &other)?;
    Ok(page::page(frame, (id, &other), &diff, broken))
}

/// Where two trajectories part, and of each the first record that is not as it was written.
pub(crate) fn difference(
    library: &Library,
    left: &ItemId,
    right: &ItemId,
) -> Result<(Diff, [Option<Break>; 2]), Problem> {
    let diff = assay_trace::diff(&read(library, left)?, &read(library, right)?);
    Ok((diff, [broken(library, left)?, broken(library, right)?]))
}

fn broken(library: &Library, id: &ItemId) -> Result<Option<Break>, Problem> {
    let (file, index) = indexed(library, id)?;
    broken_in(&file, &index).map_err(|error| Problem::of_index(&error))
}

/// Others to compare with: first the other attempts at the same task.
fn others(own: &Name, mut names: Vec<Name>) -> Vec<Name> {
    let task = |name: &Name| name.as_str().rsplit_once(".s").map(|(task, _)| task.to_owned());
    let of_own = task(own);
    names.retain(|name| name != own);
    names.sort_by_cached_key(|name| (task(name) != of_own, name.as_str().to_owned()));
    names.truncate(OTHERS_MAX);
    names
}
