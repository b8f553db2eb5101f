//! `assay trace`: looks at recorded episodes, compares them, checks their files, and exports them.

mod export;
mod figures;
mod import;
mod replay;
mod rescore;

use crate::args::{DiffFormat, RoleName, ShowArgs, TraceCommand};
use crate::exit::{Exit, Failure};
use crate::input::{self, Input};
use crate::{settings, ui};
use assay_trace::{Filter, Loaded, ReadError, Role, Trajectory, Verified};
use std::path::{Path, PathBuf};

/// `machine` resolves what only a replay needs.
pub(crate) fn run(
    command: &TraceCommand,
    machine: impl FnOnce() -> Result<settings::Machine, Failure>,
) -> Result<Exit, Failure> {
    match command {
        TraceCommand::Show(args) => show(args),
        TraceCommand::Stats(args) => figures::run(args),
        TraceCommand::Diff(args) => diff(&args.left, &args.right, args.format),
        TraceCommand::Verify(args) => verify(&args.files),
        TraceCommand::Export(args) => export::run(args),
        TraceCommand::Import(args) => import::run(args),
        TraceCommand::Rescore(args) => rescore::run(args),
        TraceCommand::Replay(args) => replay::run(&machine()?, args),
    }
}

/// An episode, with what to call its file.
struct Named {
    name: String,
    loaded: Loaded,
}

fn load(path: &Path) -> Result<Named, Failure> {
    let Input { name, source } = Input::open(path)?;
    let loaded = assay_trace::read(source).map_err(|error| unreadable(&name, error))?;
    Ok(Named { name, loaded })
}

/// An episode as far as its file is good, with a warning if that is not to its end.
fn load_what_is_good(path: &Path) -> Result<Named, Failure> {
    let named = load(path)?;
    if let Some(damage) = &named.loaded.damage {
        ui::warn(&format!("{}: {damage}", named.name));
    }
    Ok(named)
}

/// The trajectory of an episode, for other commands.
pub(super) fn trajectory(path: &Path) -> Result<Trajectory, Failure> {
    Ok(load_what_is_good(path)?.loaded.trajectory)
}

fn unreadable(name: &str, error: ReadError) -> Failure {
    match error {
        ReadError::Io(error) => input::interrupted(name, &error),
        ReadError::NoLine { .. } | ReadError::NotSealed(_) => Failure::usage(format!("failed to read {name}: {error}"))
            .hint("a trajectory is JSON lines, each ending with its `_hash`, the first of type metadata: docs/trajectories.md"),
        ReadError::NotReadable(_) => Failure::usage(format!("failed to read {name}: {error}"))
            .hint(format!("this release of Assay reads version {} and its older minor versions", assay_trace::FormatVersion::CURRENT)),
    }
}

fn show(args: &ShowArgs) -> Result<Exit, Failure> {
    let role = |name: &RoleName| match name {
        RoleName::System => Role::System,
        RoleName::User => Role::User,
        RoleName::Assistant => Role::Assistant,
        RoleName::Tool => Role::Tool,
    };
    let filter = Filter {
        roles: (!args.role.is_empty()).then(|| args.role.iter().map(role).collect()),
        steps: args.steps.as_deref().map(settings::steps).transpose()?,
        tool: args.tool.clone(),
        flag: args.flag.clone(),
    };
    let trajectory = load_what_is_good(&args.file)?.loaded.trajectory;
    ui::out(ui::lines(&assay_trace::show(&trajectory, &filter, args.lines)).trim_end());
    if filter.pick(&trajectory).is_empty() {
        ui::note(&ui::dim(&format!("nothing to show: the episode has {} steps", trajectory.steps())));
    }
    super::DONE
}

fn diff(left: &PathBuf, right: &PathBuf, format: DiffFormat) -> Result<Exit, Failure> {
    input::at_most_one_standard_input([left, right])?;
    let (left, right) = (load_what_is_good(left)?.loaded.trajectory, load_what_is_good(right)?.loaded.trajectory);
    let diff = assay_trace::diff(&left, &right);
    match format {
        DiffFormat::Text => ui::out(ui::lines(&diff.to_string()).trim_end()),
        DiffFormat::Json => crate::output::to_stdout(|out| {
            serde_json::to_writer_pretty(&mut *out, &diff)?;
            Ok(writeln!(out)?)
        })?,
    }
    Ok(if diff.is_same() { Exit::Success } else { Exit::Rejected })
}

fn verify(files: &[PathBuf]) -> Result<Exit, Failure> {
    input::at_most_one_standard_input(files)?;
    let mut exit = Exit::Success;
    for path in files {
        let Input { name, source } = Input::open(path)?;
        let (is_whole, finding) = match assay_trace::verify(source) {
            Ok(verified) => (verified.damage.is_none(), finding(&verified)),
            Err(error @ (ReadError::NoLine { .. } | ReadError::NotSealed(_))) => (false, error.to_string()),
            Err(error) => return Err(unreadable(&name, error)),
        };
        ui::out(&ui::visible(&format!("{name}: {finding}")));
        if !is_whole {
            exit = Exit::Rejected;
        }
    }
    Ok(exit)
}

fn finding(verified: &Verified) -> String {
    let Verified { messages, events, verdict, head, damage, .. } = verified;
    match damage {
        Some(damage) => format!("{damage}; the {} lines before it are intact", head.lines),
        None => {
            let worth = match verdict {
                Some(verdict) => verdict.outcome().map_or("unscored", assay_trace::Outcome::name),
                None => "no score, so lines may be missing at the end",
            };
            format!(
                "intact: {} lines, {messages} messages, {events} events; {worth}; last hash {}",
                head.lines, head.hash
            )
        }
    }
}
