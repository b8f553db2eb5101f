//! The command by which a task rewards in its own way.

use assay_grade::rule::Ended;

use super::artifacts::{GradingRecord, PATCH, RECORD};
use crate::ports::{Job, OverlayFile, TestBench};

/// Where a reward command finds what it may want to read: outside of the repository, which may have files of the same names.
const INPUTS: &str = "/tmp/assay-reward";
/// How these files get there: an overlay reaches no further than the repository.
const CARRIED: &str = ".assay-reward-inputs";

/// Runs a reward command. `job` is the one of the tests with the untouched files as its overlay.
pub(super) async fn run_command(
    bench: &dyn TestBench,
    command: &str,
    mut job: Job,
    record: &GradingRecord,
    patch: &[u8],
) -> Result<f64, String> {
    let file = |bytes: Vec<u8>| OverlayFile::Regular { bytes, executable: false };
    let inputs = [(RECORD, record.to_bytes()), (PATCH, patch.to_vec())];
    let carried = inputs.map(|(name, bytes)| (format!("{CARRIED}/{name}").into_bytes(), file(bytes)));
    job.overlay.files.extend(carried);
    job.script = format!(
        "mkdir -p /tmp && rm -rf {INPUTS} && mv {CARRIED} {INPUTS} || exit\n\
         export ASSAY_GRADING={INPUTS}/{RECORD} ASSAY_SUBMISSION={INPUTS}/{PATCH}\n{command}\n"
    );
    job.junit = None;
    job.label.push_str("-reward");
    let run = bench.run(job).await.map_err(|error| format!("the reward command could not run: {error}"))?;
    if run.ended != Ended::Exited(0) {
        return Err(format!("the reward command failed: {:?}", run.ended));
    }
    let text = String::from_utf8_lossy(&run.log);
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match line.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(format!(
            "the reward command's last line is not a number: `{}`",
            line.chars().take(80).collect::<String>().escape_debug()
        )),
    }
}
