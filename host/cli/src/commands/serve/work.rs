//! What pages start: commands of this binary as jobs, and checks as `assay check` makes them.

use crate::args::ServeArgs;
use assay_commands::new::{PYTHON_TEMPLATE, RUST_TEMPLATE};
use assay_commands::prepare::{self, Refused};
use assay_commands::settings::Machine;
use assay_commands::{Failure, face};
use assay_gate::policy::TEMPLATE;
use assay_server::{CheckStrategy, Checked, Work};
use assay_store::Location;
use assay_work::jobs::{AT_ONCE_MAX, Jobs, JobsError, Program};
use assay_work::offers::{Offers, StrategyName};
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

/// Makes an ordinary command one that ends once its standard input does: it stands before the command.
const JOB_WORD: &str = "job";
/// Where the work of pages is, beside the store of a project.
const FOLDER: &str = "pages";

/// The words of a command that may be a job's: this process then ends with whoever has started it.
pub(in crate::commands) fn of_job(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1).is_some_and(|word| word == JOB_WORD) {
        words.remove(1);
        std::thread::spawn(end_with_input);
    }
    words
}

/// Has this process asked to stop, as by a polite kill, once nobody holds the other end of its standard input.
fn end_with_input() {
    let mut buffer = [0; 256];
    while matches!(std::io::stdin().read(&mut buffer), Ok(1..)) {}
    // There is no other way to do what Ctrl-C does, whatever the command is at.
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM);
}

/// What starts work; none if another server does so in the same folder.
pub(super) fn open(machine: &Machine, args: &ServeArgs) -> Result<Option<Work>, Failure> {
    if !(1..=AT_ONCE_MAX).contains(&args.jobs) {
        return Err(
            Failure::usage(format!("--jobs {} is out of range", args.jobs)).hint(format!("use 1 to {AT_ONCE_MAX}"))
        );
    }
    let program = Program {
        path: machine.helper.clone(),
        before: vec![JOB_WORD.to_owned()],
        environment: environment(machine, args),
    };
    let path = folder(args)?;
    let jobs = match Jobs::open(&path, program, args.jobs) {
        Ok(jobs) => jobs,
        Err(error @ JobsError::Busy(_)) if args.work.is_none() => {
            face::warn(&format!("{error}: these pages start none"));
            face::hint("name another folder with --work");
            return Ok(None);
        }
        Err(error) => return Err(Failure::usage(&error).hint("name another folder with --work, or use --read-only")),
    };
    let failed = |path: &std::path::Path, why: &dyn std::fmt::Display| {
        Failure::usage(format!("failed to use the folder {}: {why}", path.display())).hint("name a folder that exists")
    };
    let saved = jobs.strategies().map_err(|error| failed(&path, &error))?;
    let offers = Offers::open(saved, &args.sources).map_err(|(path, error)| failed(&path, &error))?;
    let machine = machine.clone();
    Ok(Some(Work {
        jobs: Arc::new(jobs),
        offers: Arc::new(offers),
        check: CheckStrategy(Arc::new(move |name, text| check(&machine, name, text))),
        models: args.model.clone(),
        templates: [RUST_TEMPLATE, PYTHON_TEMPLATE],
        policy: TEMPLATE,
    }))
}

/// What jobs have to be told that was given here as flags.
fn environment(machine: &Machine, args: &ServeArgs) -> Vec<(OsString, OsString)> {
    let mut environment = vec![("ASSAY_CACHE_DIR".into(), machine.cache.clone().into_os_string())];
    let flags = [("ASSAY_STORE", &args.store.store), ("ASSAY_ARTIFACTS", &args.store.artifacts)];
    environment.extend(flags.into_iter().filter_map(|(name, value)| Some((name.into(), value.clone()?.into()))));
    environment
}

fn folder(args: &ServeArgs) -> Result<PathBuf, Failure> {
    if let Some(folder) = &args.work {
        return Ok(folder.clone());
    }
    let here = std::env::current_dir()
        .map_err(|error| Failure::usage(format!("failed to find the current folder: {error}")))?;
    Ok(match Location::of_project(&here) {
        Location::Sqlite(file) => file.with_file_name(FOLDER),
        Location::Postgres(_) => here.join(".assay").join(FOLDER),
    })
}

/// Checks a text as `assay check` checks a file.
fn check(machine: &Machine, name: &StrategyName, text: &str) -> Result<Checked, String> {
    let kept = |error: std::io::Error| format!("failed to keep the source for a moment: {error}");
    let folder = tempfile::tempdir().map_err(kept)?;
    let path = folder.path().join(name.as_str());
    std::fs::File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes())).map_err(kept)?;
    let start = format!("{}/", folder.path().display());
    let told = |failure: Failure| {
        let said = match failure.hint {
            Some(hint) => format!("{}; {hint}", failure.message),
            None => failure.message,
        };
        said.replace(&start, "")
    };
    let (findings, has_passed) = match prepare::prepare(machine, &path, 1).map_err(told)? {
        Ok(prepared) => (prepared.findings, true),
        Err(Refused { findings, .. }) => (findings, false),
    };
    Ok(Checked { findings: findings.without_folder(&folder.path().to_string_lossy()), has_passed })
}
