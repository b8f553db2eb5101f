//! Flags of `assay gate`.

use super::{KeygenArgs, RecordArgs, ReportArgs, VerdictOutputArgs, VerifyVerdictArgs};
use clap::{Args, Subcommand};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  assay gate init                                          write gate.toml, a commented policy to start from
  assay gate my-strategy.rs                                one verdict, with reasons
  assay gate my-strategy.rs --feedback                     the same for its author: with public seeds only
  assay gate submissions/ --jobs 8 --out verdicts/         every submission in a folder, one verdict file each
  assay gate --list today.txt --out verdicts/              those that a file names, one a line

In a folder, every .rs, .py and .wasm file and every folder with a Cargo.toml is a submission. A batch goes on where it
was: what has a verdict under the same policy and release is not run again, what could not be scored is. Ctrl-C keeps
all verdicts that are written. Verdicts are also recorded in the store, once each, where `assay runs --kind gate` lists
them (docs/store.md); a store that cannot be written is a warning and changes nothing else.

Exit codes: 0 every verdict is a pass, 1 rejected before it ran, 2 usage, 3 it ran and failed, 4 no verdict (something of
this machine failed; gate it again), 130 interrupted. Of a batch: 4 if any has no verdict, else 1 if any was rejected, else
3 if any failed. docs/gate.md explains policies and verdicts.";

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
    /// Write a commented policy that works at once; an existing file is not touched.
    Init {
        /// The file to write.
        #[arg(value_name = "FILE", default_value = "gate.toml")]
        file: PathBuf,
    },
    /// Check a signed verdict: signature, schema, that the decision follows from its reasons, and that it is about the files you name.
    Verify(VerifyVerdictArgs),
    /// Make a key pair that signs verdicts: FILE, which only you may read, and FILE.pub for whoever verifies.
    Keygen(KeygenArgs),
    /// Write verdicts that there are already in the forms of CI, or sign them.
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
    /// A file that names submissions, one a line, from its own folder on; `#` begins a comment.
    #[arg(long, value_name = "FILE", conflicts_with = "submissions")]
    pub list: Option<PathBuf>,
    /// Try the public seeds only, for the author of a submission.
    #[arg(long)]
    pub feedback: bool,
    /// The day on which exceptions with an end are looked at; a policy with such exceptions needs it.
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub date: Option<String>,
    /// Folder of the verdicts, one file a submission; made if it is not there, gone on with if it is. [default: verdicts, for more than one]
    #[arg(long, value_name = "DIR", help_heading = "Batches")]
    pub out: Option<PathBuf>,
    /// Submissions at once. [default: all processors]
    #[arg(long, value_name = "N", help_heading = "Batches")]
    pub jobs: Option<usize>,
    /// Wait for another process that works in the same folder.
    #[arg(long, help_heading = "Batches")]
    pub wait: bool,
    /// Write the verdict as JSON; of a batch, a list of them.
    #[arg(long, value_name = "FILE", help_heading = "Output for CI")]
    pub json: Option<PathBuf>,
    /// The forms of CI, and signatures.
    #[command(flatten)]
    pub output: VerdictOutputArgs,
    /// The store.
    #[command(flatten, next_help_heading = "Store")]
    pub record: RecordArgs,
}
