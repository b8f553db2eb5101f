//! What goes into a container: a job, checked, as the bytes that `prologue.sh` reads.
//!
//! Invariant: whatever passes the check is written inside of the job's folder, through no link of the image's and none of the overlay's own.

use assay_rollout::ports::{BenchError, Job, Overlay, OverlayFile};
use assay_tree::{NAME_MAX, PATH_MAX};
use std::collections::BTreeSet;
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};
use tar::{EntryType, Header};

/// Bytes of a label: with a number and an ending it is the name of a file, which has 255. The longest id of a task leaves 40 for what follows it.
const LABEL_MAX: usize = 240;
/// The least memory that engines take.
const MEMORY_MIN: u64 = 16 << 20;
/// Paths of an overlay: a patch that touches more than this is none.
const OVERLAY_PATHS_MAX: usize = 100_000;
/// Bytes of an overlay's files: they are held in memory on the way.
const OVERLAY_BYTES_MAX: usize = 1 << 28;
/// Bytes of a script.
const SCRIPT_BYTES_MAX: usize = 1 << 24;

/// The job as bytes for the container's standard input. `seconds` is when the container gives up by itself.
pub(crate) fn payload(job: &Job, seconds: u64) -> Result<Vec<u8>, BenchError> {
    check(job).map_err(|why| BenchError::Invalid { why })?;
    let script = format!("{}\n", job.script);
    let mut bytes = Vec::new();
    let length = script.len().to_string();
    let users = if job.users { "users" } else { "" };
    let words = [&job.folder, job.junit.as_deref().unwrap_or_default(), users, &seconds.to_string(), &length];
    for word in words {
        bytes.extend_from_slice(word.as_bytes());
        bytes.push(0);
    }
    bytes.extend_from_slice(script.as_bytes());
    let removed = job.overlay.removed.iter().map(|path| (b'-', path));
    let written = job.overlay.files.iter().map(|(path, _)| (b'+', path));
    for (sign, path) in removed.chain(written) {
        bytes.push(sign);
        bytes.extend_from_slice(path);
        bytes.push(0);
    }
    bytes.push(0);
    if !job.overlay.files.is_empty() {
        append_tar(&mut bytes, &job.overlay)
            .map_err(|error| BenchError::Failed { why: format!("failed to pack the overlay: {error}") })?;
    }
    Ok(bytes)
}

fn append_tar(bytes: &mut Vec<u8>, overlay: &Overlay) -> io::Result<()> {
    let mut tar = tar::Builder::new(bytes);
    // Now, and no fixed time: Python takes a compiled file for current if its source's time and size are what they were.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    for (path, file) in &overlay.files {
        let mut header = Header::new_gnu();
        header.set_mtime(now);
        match file {
            OverlayFile::Regular { bytes, executable } => {
                header.set_entry_type(EntryType::Regular);
                header.set_mode(if *executable { 0o755 } else { 0o644 });
                header.set_size(bytes.len() as u64);
                tar.append_data(&mut header, as_path(path), bytes.as_slice())?;
            }
            OverlayFile::Symlink { target } => {
                header.set_entry_type(EntryType::Symlink);
                header.set_mode(0o777);
                header.set_size(0);
                tar.append_link(&mut header, as_path(path), as_path(target))?;
            }
        }
    }
    tar.finish()
}

fn as_path(bytes: &[u8]) -> &std::path::Path {
    use std::os::unix::ffi::OsStrExt as _;
    std::path::Path::new(std::ffi::OsStr::from_bytes(bytes))
}

fn check(job: &Job) -> Result<(), String> {
    let absolute = |what: &str, path: &str| match path.strip_prefix('/') {
        Some(rest) if is_inside(rest.trim_end_matches('/').as_bytes()) => Ok(()),
        _ => Err(format!("{what} {path:?} is not an absolute path below /")),
    };
    absolute("the folder", &job.folder)?;
    if let Some(junit) = &job.junit {
        absolute("the JUnit report", junit)?;
    }
    let is_label = |letter: char| letter.is_ascii_alphanumeric() || "-_.+".contains(letter);
    if job.label.is_empty()
        || job.label.len() > LABEL_MAX
        || job.label.starts_with('.')
        || !job.label.chars().all(is_label)
    {
        return Err(format!(
            "the label {:?} is not 1 to {LABEL_MAX} letters, digits, `-`, `_`, `.` and `+`",
            job.label
        ));
    }
    if job.script.contains('\0') || job.script.len() > SCRIPT_BYTES_MAX {
        return Err(format!("the script contains a zero byte or more than {SCRIPT_BYTES_MAX} bytes"));
    }
    let limits = &job.limits;
    if limits.seconds == 0 || limits.millicpus == 0 || limits.pids == 0 || limits.memory_bytes < MEMORY_MIN {
        return Err(format!("a limit is 0, or memory is below {MEMORY_MIN} bytes"));
    }
    if i64::try_from(limits.memory_bytes).is_err() {
        return Err("the memory limit is beyond what an engine can count".into());
    }
    check_overlay(&job.overlay)
}

fn check_overlay(overlay: &Overlay) -> Result<(), String> {
    if overlay.files.len() + overlay.removed.len() > OVERLAY_PATHS_MAX {
        return Err(format!("the overlay has more than {OVERLAY_PATHS_MAX} paths"));
    }
    let show = |path: &[u8]| path.escape_ascii().to_string();
    for path in overlay.files.iter().map(|(path, _)| path).chain(&overlay.removed) {
        if !is_inside(path) {
            return Err(format!("the overlay's path {} is not a clean relative one", show(path)));
        }
    }
    let (mut total, mut written) = (0_usize, BTreeSet::new());
    for (path, file) in &overlay.files {
        match file {
            OverlayFile::Regular { bytes, .. } => total = total.saturating_add(bytes.len()),
            OverlayFile::Symlink { target } if target.is_empty() || target.contains(&0) || target.len() >= PATH_MAX => {
                return Err(format!("the overlay's link {} has an invalid target", show(path)));
            }
            OverlayFile::Symlink { .. } => {}
        }
        if !written.insert(path.as_slice()) {
            return Err(format!("the overlay writes {} twice", show(path)));
        }
    }
    if total > OVERLAY_BYTES_MAX {
        return Err(format!("the overlay's files hold more than {OVERLAY_BYTES_MAX} bytes"));
    }
    for path in &written {
        let mut ancestors = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| &path[..end]);
        if ancestors.any(|ancestor| written.contains(ancestor)) {
            return Err(format!("the overlay's path {} lies below a file or a link of the overlay", show(path)));
        }
    }
    Ok(())
}

/// Whether a path is relative and clean, so that it leads nowhere but down.
fn is_inside(path: &[u8]) -> bool {
    path.len() < PATH_MAX
        && !path.contains(&0)
        && path.split(|byte| *byte == b'/').all(|name| !matches!(name, b"" | b"." | b"..") && name.len() <= NAME_MAX)
}
