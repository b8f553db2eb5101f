//! Flags about verdicts: the forms of CI in which they are written, the keys that sign and verify them.

use clap::Args;
use std::path::PathBuf;

/// The formats of verdicts, and who signs them.
#[derive(Args, Debug)]
pub(crate) struct VerdictOutputArgs {
    /// Write the verdicts as `JUnit` XML.
    #[arg(long, value_name = "FILE", help_heading = "Output for CI")]
    pub junit: Option<PathBuf>,
    /// Write the verdicts as SARIF 2.1.0.
    #[arg(long, value_name = "FILE", help_heading = "Output for CI")]
    pub sarif: Option<PathBuf>,
    /// Write the verdicts as markdown, for the summary of a CI job.
    #[arg(long, value_name = "FILE", help_heading = "Output for CI")]
    pub markdown: Option<PathBuf>,
    /// Write the verdicts as a GitLab code quality report.
    #[arg(long, value_name = "FILE", help_heading = "Output for CI")]
    pub code_quality: Option<PathBuf>,
    /// Print only GitHub Actions annotations to standard output.
    #[arg(long, help_heading = "Output for CI")]
    pub github: bool,
    /// Sign each verdict with this private key; the signed verdict goes to a .dsse.json file next to it. [default: the key in `ASSAY_GATE_KEY`, if set]
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
    /// The public key of the expected signer, as PEM.
    #[arg(long, value_name = "FILE")]
    pub public_key: PathBuf,
    /// The submission that the verdict must be about.
    #[arg(long, value_name = "FILE")]
    pub submission: Option<PathBuf>,
    /// The policy that must have made the decision.
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
}

const VERIFY_HELP: &str = "\
Exit codes: 0 everything holds, 1 something does not (the output says what), 2 usage error.
A valid verdict is not necessarily a pass: read its decision, or compare it in a script.
docs/verdicts.md explains the format.";

/// `assay gate keygen`.
#[derive(Args, Debug)]
pub(crate) struct KeygenArgs {
    /// File for the private key; the public key goes to FILE.pub. Existing files are not touched.
    #[arg(value_name = "FILE", default_value = "assay-gate.key")]
    pub file: PathBuf,
}

/// `assay gate report`.
#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// Verdicts as JSON: files with one verdict each, as `assay gate --out` writes them, or with a list of verdicts.
    #[arg(required = true, value_name = "VERDICT")]
    pub verdicts: Vec<PathBuf>,
    /// The policy that was used, to point to lines in it.
    #[arg(long, value_name = "FILE", default_value = "gate.toml")]
    pub policy: PathBuf,
    /// The folder of the submissions, to point to lines in them.
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// What to write.
    #[command(flatten)]
    pub output: VerdictOutputArgs,
}
