//! Arguments of `assay gate` and its words.

use super::{KeygenArgs, ReportArgs, VerifyVerdictArgs};
use clap::{Args, Subcommand};

/// `assay gate`.
#[derive(Args, Debug)]
pub(crate) struct GateArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: GateCommand,
}

/// Under `assay gate`.
#[derive(Subcommand, Debug)]
pub(crate) enum GateCommand {
    /// Check a signed verdict: signature, schema, that the decision follows from its reasons, and that it is about the files you name.
    Verify(VerifyVerdictArgs),
    /// Make a key pair that signs verdicts: FILE, which only you may read, and FILE.pub for whoever verifies.
    Keygen(KeygenArgs),
    /// Write verdicts that there are already in the forms of CI, or sign them.
    Report(ReportArgs),
}
