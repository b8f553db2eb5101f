//! What the gate and the commands about its verdicts are asked for.

use crate::settings::RecordSettings;
use std::path::PathBuf;

/// What to gate, by which policy, and where the verdicts go.
#[derive(Clone, Debug)]
pub struct GateSettings {
    /// Files, crate folders, or one folder of them; empty where `list` names them.
    pub submissions: Vec<PathBuf>,
    /// The policy that decides.
    pub policy: PathBuf,
    /// A file that lists submissions, one per line, relative to its own folder.
    pub list: Option<PathBuf>,
    /// Public seeds only, for the author of a submission.
    pub feedback: bool,
    /// The day, `YYYY-MM-DD`, that decides which exceptions have expired.
    pub date: Option<String>,
    /// The folder of a batch's verdicts.
    pub out: Option<PathBuf>,
    /// Submissions at once; otherwise one a processor.
    pub jobs: Option<usize>,
    /// Whether to wait for another process that is using the same folder.
    pub wait: bool,
    /// The file for the verdict, or the list of verdicts, as JSON.
    pub json: Option<PathBuf>,
    /// The forms of CI, and signatures.
    pub output: VerdictOutputSettings,
    /// Where the verdicts are recorded.
    pub record: RecordSettings,
}

/// The forms in which verdicts are written besides, and who signs them.
#[derive(Clone, Debug, Default)]
pub struct VerdictOutputSettings {
    /// The file for `JUnit` XML.
    pub junit: Option<PathBuf>,
    /// The file for SARIF 2.1.0.
    pub sarif: Option<PathBuf>,
    /// The file for markdown, as the summary of a CI job.
    pub markdown: Option<PathBuf>,
    /// The file for a GitLab code quality report.
    pub code_quality: Option<PathBuf>,
    /// Whether the only result is annotations of GitHub Actions.
    pub github: bool,
    /// The private key that signs; otherwise the one in the environment, if there is one.
    pub key: Option<PathBuf>,
}

/// A signed verdict, and what it is expected to be about.
#[derive(Clone, Debug)]
pub struct VerifyVerdictSettings {
    /// The signed verdict.
    pub verdict: PathBuf,
    /// The public key of the expected signer, as PEM.
    pub public_key: PathBuf,
    /// The submission that the verdict must be about.
    pub submission: Option<PathBuf>,
    /// The policy that must have made the decision.
    pub policy: Option<PathBuf>,
}

/// Verdicts that there are already, and what becomes of them.
#[derive(Clone, Debug)]
pub struct ReportSettings {
    /// Files with one verdict each, or with a list of verdicts.
    pub verdicts: Vec<PathBuf>,
    /// The policy that was used, to point to lines in it.
    pub policy: PathBuf,
    /// The folder of the submissions, to point to lines in them.
    pub folder: Option<PathBuf>,
    /// What to write.
    pub output: VerdictOutputSettings,
}
