//! Flags about verdicts: the forms of CI in which they are written, the keys that sign and verify them.

use clap::Args;
use std::path::PathBuf;

/// In which forms, and signed by whom, verdicts are written.
#[derive(Args, Debug)]
pub(crate) struct VerdictOutputArgs {
    /// Write the verdicts as XML in the form of `JUnit`.
    #[arg(long, value_name = "FILE", help_heading = "Output for CI")]
    pub junit: Option<PathBuf>,
    /// Write the verdicts as SARIF 2.1.0.
    #[arg(long, value_name = "FILE", help_heading = "Output for CI")]
    pub sarif: Option<PathBuf>,
    /// Write the verdicts as markdown, for the summary of a job.
    #[arg(long, value_name = "FILE", help_heading = "Output for CI")]
    pub markdown: Option<PathBuf>,
    /// Write the verdicts as a code quality report of GitLab.
    #[arg(long, value_name = "FILE", help_heading = "Output for CI")]
    pub code_quality: Option<PathBuf>,
    /// Print annotations of GitHub Actions to standard output, and nothing else there.
    #[arg(long, help_heading = "Output for CI")]
    pub github: bool,
    /// Sign each verdict with this private key, in a file .dsse.json beside it. [default: the key in `ASSAY_GATE_KEY`, if it is set]
    #[arg(long, value_name = "FILE", help_heading = "Output for CI")]
    pub key: Option<PathBuf>,
}

/// `assay gate verify`.
#[derive(Args, Debug)]
#[command(after_help = VERIFY_HELP)]
pub(crate) struct VerifyVerdictArgs {
    /// The signed verdict, as `assay gate --key` wrote it.
    #[arg(value_name = "VERDICT")]
    pub verdict: PathBuf,
    /// The public key of whoever you expect to have signed it, as PEM.
    #[arg(long, value_name = "FILE")]
    pub public_key: PathBuf,
    /// The submission that it has to be about.
    #[arg(long, value_name = "FILE")]
    pub submission: Option<PathBuf>,
    /// The policy that has to have decided.
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
}

const VERIFY_HELP: &str = "\
Exit codes: 0 all of it holds, 1 something does not (it is said what), 2 usage.
A valid verdict is not a passed one: read what it says, or compare its decision in a script.
The format is explained in docs/verdicts.md.";

/// `assay gate keygen`.
#[derive(Args, Debug)]
pub(crate) struct KeygenArgs {
    /// File of the private key; the public one is FILE.pub. Existing files are not touched.
    #[arg(value_name = "FILE", default_value = "assay-gate.key")]
    pub file: PathBuf,
}

/// `assay gate report`.
#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// Verdicts as JSON: files of one each, as `assay gate --out` writes them, or lists of them.
    #[arg(required = true, value_name = "VERDICT")]
    pub verdicts: Vec<PathBuf>,
    /// The policy that decided, for places in it.
    #[arg(long, value_name = "FILE", default_value = "gate.toml")]
    pub policy: PathBuf,
    /// The folder of the submissions, for places in them.
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// What to write.
    #[command(flatten)]
    pub output: VerdictOutputArgs,
}
