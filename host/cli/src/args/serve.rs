//! `assay serve` as clap sees it.

use super::{BoardsArgs, StoreArgs};
use clap::Args;
use std::net::IpAddr;
use std::path::PathBuf;

/// `assay serve`.
#[derive(Args, Debug)]
#[command(after_help = NOTES)]
pub(crate) struct ServeArgs {
    /// A folder with results: reports, rollouts, refinements, verdicts, trajectories, in it or below. May be given several times.
    #[arg(long, value_name = "DIR")]
    pub runs: Vec<PathBuf>,
    /// The port; 0 picks a free one.
    #[arg(long, default_value_t = 7117, value_name = "N")]
    pub port: u16,
    /// The address to listen on. One that other machines can reach needs --host and --token-file.
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    pub listen: IpAddr,
    /// A name, with or without a port, under which browsers may ask for pages, beside localhost. May be given several times.
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// A file with the token of the link: 32 characters or more, one line. [default: a new token at each start]
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Show everything, and offer nothing that changes anything.
    #[arg(long)]
    pub read_only: bool,
    /// Folder for what is started from pages: saved strategies, jobs and their results; created if it does not exist. [default: .assay/pages of the project]
    #[arg(long, value_name = "DIR")]
    pub work: Option<PathBuf>,
    /// A folder whose strategies (.rs, .py), gate policies and scenario files (.toml), tasks of rollouts and worlds forms may use, two levels deep. May be
    /// given several times.
    #[arg(long, value_name = "DIR")]
    pub sources: Vec<PathBuf>,
    /// A model that refinements, rollouts and runs in worlds started from pages may use, as for `assay refine --model`. May be given several times.
    /// [default: none, only the tuner, scripts of tasks and our own agents]
    #[arg(long, value_name = "SPEC")]
    pub model: Vec<String>,
    /// Number of jobs that run at once; others wait.
    #[arg(long, default_value_t = 2, value_name = "N")]
    pub jobs: usize,
    /// Write the pages to a folder instead of serving them. Files of the same names are replaced.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "listen", "host", "token_file"])]
    pub export: Option<PathBuf>,
    #[command(flatten)]
    pub boards: BoardsArgs,
    #[command(flatten)]
    pub store: StoreArgs,
}

const NOTES: &str = "\
Examples:
  assay serve --runs report                  the store of this project, and everything below report/
  assay serve --runs report --export site/   the same pages as files, to be shared
  assay serve --runs report --boards boards  the boards of another folder than the project's
  assay serve --runs report --sources src    strategies, policies, markets, tasks and worlds in src/ can be used

Open the printed link: it contains a token that lets this browser in. Pages are served to this
machine only, unless --listen says otherwise. Nothing outside of the named folders, the store
and the folder of boards is read. What is started from a page is the same command as here, in a
process of its own; it is stopped with the server, and the next one resumes all but plain runs.
docs/pages.md describes the pages.";
