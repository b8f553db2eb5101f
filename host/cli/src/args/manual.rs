//! `assay guide`, `assay completions` and `assay man`: what there is to read, and what helps to type.

use clap::Args;
use std::path::PathBuf;

/// `assay guide`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay guide | less\n  assay guide > guide.md      to put into a model's prompt\n  assay guide --python"
)]
pub(crate) struct GuideArgs {
    /// Print the guide for Python strategies; it assumes that the reader knows the other one.
    #[arg(long)]
    pub python: bool,
}

/// `assay completions`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay completions bash > ~/.local/share/bash-completion/completions/assay\n  assay completions zsh > ~/.zfunc/_assay\n  assay completions fish > ~/.config/fish/completions/assay.fish"
)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// `assay man`.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// The folder; created if it does not exist. Pages of the same names are replaced.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}
