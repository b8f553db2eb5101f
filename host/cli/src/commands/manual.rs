//! `assay guide`, `assay completions` and `assay man`: the guide to strategies, and what a shell and a reader of manual pages get, made from the
//! definitions that also parse the command line.

use crate::args::{self, CompletionsArgs, GuideArgs, ManArgs};
use assay_commands::guide::{GUIDE, GUIDE_PYTHON};
use assay_commands::{Ending, Failure, face, output};
use clap::Command;
use clap_mangen::Man;
use std::path::Path;

/// Writes the guide to standard output.
pub(crate) fn guide(args: &GuideArgs) -> Result<Ending, Failure> {
    let text = if args.python { GUIDE_PYTHON } else { GUIDE };
    output::to_stdout(|out| Ok(out.write_all(text.as_bytes())?))?;
    Ok(Ending::Success)
}

/// Writes a shell's completion script to standard output.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Ending, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "assay", &mut script);
    output::to_stdout(|out| Ok(out.write_all(&script)?))?;
    Ok(Ending::Success)
}

/// Writes `assay.1`, `assay-run.1` and so on.
pub(crate) fn man(args: &ManArgs) -> Result<Ending, Failure> {
    std::fs::create_dir_all(&args.folder).map_err(|error| {
        Failure::usage(format!("failed to create {}: {error}", args.folder.display()))
            .hint("name a folder that you can write to")
    })?;
    let mut whole = args::command().disable_help_subcommand(true);
    whole.build();
    let pages = write_pages(&whole, &args.folder)?;
    face::step("Wrote", &format!("{pages} pages; read one with: man {}", args.folder.join("assay.1").display()));
    Ok(Ending::Success)
}

/// The page of a command and those of its subcommands; returns how many.
fn write_pages(command: &Command, folder: &Path) -> Result<usize, Failure> {
    let page = Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text)
        .map_err(|error| Failure::infrastructure(format!("failed to make a manual page: {error}")))?;
    output::replace(&folder.join(page.get_filename()), &text)?;
    let below = command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help");
    below.map(|below| write_pages(below, folder)).sum::<Result<usize, Failure>>().map(|pages| pages + 1)
}
