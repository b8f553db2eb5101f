//! Flags of `assay gate`.

use super::{KeygenArgs, RecordArgs, ReportArgs, VerdictOutputArgs, VerifyVerdictArgs};
use clap::{Args, Subcommand};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  assay gate init                                          write gate.toml, a commented policy to start from
  assay gate my-strategy.rs                                one verdict, with reasons
  assay gate my-strategy.rs --feedback                     the same for its author, with public seeds only
  assay gate submissions/ --jobs 8 --out verdicts/         every submission in a folder, one verdict file each
  assay gate --list today.txt --out verdicts/              the submissions that a file lists, one per line

In a folder, every .rs, .py and .wasm file and every folder with a Cargo.toml is a submission. A batch resumes where it
stopped: a submission that already has a verdict from the same policy and release is skipped; one that could not be scored
is tried again. Ctrl-C keeps all verdicts written so far. Each verdict is also recorded in the store, where
`assay runs --kind gate` lists them (docs/store.md). If the store cannot be written, you get a warning and nothing else
changes.

Exit codes: 0 every verdict is a pass, 1 rejected before it ran, 2 usage error, 3 it ran and failed, 4 no verdict (this
machine failed; gate it again), 130 interrupted. For a batch: 4 if any has no verdict, else 1 if any was rejected, else 3
if any failed. docs/gate.md explains policies and verdicts.";

/// `assay gate`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = EXAMPLES)]
pub(crate) struct GateArgs {
    /// What to do, if not to gate.
    #[command(subcommand)]
    pub command: Option<GateCommand>,
    /// The submissions.
    #[command(flatten)]
    pub run: GateRunArgs,
}

/// Under `assay gate`.
#[derive(Subcommand, Debug)]
pub(crate) enum GateCommand {
    /// Write a commented policy that works as it is; an existing file is not touched.
    Init {
        /// The file to write.
        #[arg(value_name = "FILE", default_value = "gate.toml")]
        file: PathBuf,
    },
    /// Check a signed verdict: signature, schema, that the decision follows from its reasons, and that it is about the files you name.
    Verify(VerifyVerdictArgs),
    /// Create a key pair for signing verdicts: FILE, readable only by you, and FILE.pub for those who verify.
    Keygen(KeygenArgs),
    /// Convert existing verdicts to CI formats, or sign them.
    Report(ReportArgs),
}

/// Flags of the gate itself.
#[derive(Args, Debug)]
pub(crate) struct GateRunArgs {
    /// Submissions: .rs, .py or .wasm files, crate folders, or a folder of them.
    #[arg(value_name = "SUBMISSION", required_unless_present = "list")]
    pub submissions: Vec<PathBuf>,
    /// The policy that decides.
    #[arg(long, value_name = "FILE", default_value = "gate.toml")]
    pub policy: PathBuf,
    /// A file that lists submissions, one per line, relative to its own folder; `#` starts a comment.
    #[arg(long, value_name = "FILE", conflicts_with = "submissions")]
    pub list: Option<PathBuf>,
    /// Run the public seeds only, for the author of a submission.
    #[arg(long)]
    pub feedback: bool,
    /// The date used to decide which exceptions have expired; required if the policy has exceptions with an end date.
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub date: Option<String>,
    /// Folder for the verdicts, one file per submission; created if it does not exist, resumed if it does. [default: verdicts, for more than one submission]
    #[arg(long, value_name = "DIR", help_heading = "Batches")]
    pub out: Option<PathBuf>,
    /// Number of submissions to gate in parallel. [default: all processors]
    #[arg(long, value_name = "N", help_heading = "Batches")]
    pub jobs: Option<usize>,
    /// Wait for another process that is using the same folder.
    #[arg(long, help_heading = "Batches")]
    pub wait: bool,
    /// Write the verdict as JSON; for a batch, a list of verdicts.
    #[arg(long, value_name = "FILE", help_heading = "Output for CI")]
    pub json: Option<PathBuf>,
    /// The forms of CI, and signatures.
    #[command(flatten)]
    pub output: VerdictOutputArgs,
    /// The store.
    #[command(flatten, next_help_heading = "Store")]
    pub record: RecordArgs,
}
