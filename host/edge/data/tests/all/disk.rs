//! A disk that is full: the recording fails with the cause, whatever was written is marked as partial, and nothing is offered.

use crate::events::random;
use crate::support::{recorder, tell};
use assay_data::{PARTIAL, ReadError, RunData, WriteError};
use assay_evaluate::EpisodeKind;
use std::path::Path;
use std::process::Command;

/// The folder, for the copy of this program that may write small files only.
const FOLDER: &str = "ASSAY_TEST_FULL_DISK_FOLDER";

/// Does nothing unless it runs inside [`a_full_disk_leaves_partial_files_only`].
#[test]
fn inside_the_full_disk() {
    let Some(run) = std::env::var_os(FOLDER) else { return };
    let run = Path::new(&run);
    let recorder = recorder(&RunData::folder_of(run), 2);
    let told = random(3, 40_000);
    for seed in 1..9 {
        tell(&recorder, seed, &[(EpisodeKind::Strategy, &told), (EpisodeKind::Baseline, &told)], true);
    }
    let failure = recorder.finish().unwrap_err();
    assert!(matches!(&failure, WriteError::Io { action: "write", .. }), "{failure:?}");
    assert!(failure.to_string().starts_with("failed to write "), "{failure}");
}

#[test]
fn a_full_disk_leaves_partial_files_only() {
    let run = tempfile::tempdir().unwrap();
    std::fs::write(run.path().join("run.json"), "{}").unwrap();
    // No file may grow beyond 64 KiB; without the signal that goes with it, that is an error like a full disk's.
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" --exact disk::inside_the_full_disk --nocapture";
    let program = std::env::current_exe().unwrap();
    let output = Command::new("bash").arg("-c").arg(script).arg(program).env(FOLDER, run.path()).output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    let entries = std::fs::read_dir(RunData::folder_of(run.path())).unwrap();
    let names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!names.is_empty() && names.iter().all(|name| name.ends_with(PARTIAL)), "{names:?}");
    let offered = RunData::open(run.path());
    assert!(matches!(offered, Err(ReadError::Unfinished { .. })), "{offered:?}");
}
