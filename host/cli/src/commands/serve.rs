//! `assay serve`: the pages of what has been run, in a browser or as files.

mod work;

use crate::args::ServeArgs;
use assay_commands::board::boards;
use assay_commands::doctor::{Probe, State, look};
use assay_commands::interrupt::{LONG, on_interrupt};
use assay_commands::ledger::Place;
use assay_commands::settings::{Machine, StoreSettings};
use assay_commands::{DONE, Ending, Failure, face};
use assay_files::Links;
use assay_server::{Check, Condition, Examine, Host, Secret, ServeError, Settings, Sources, Stop};
use std::path::Path;
use std::sync::Arc;
pub(super) use work::of_job;

/// Where indexes of long files are, in the cache.
const INDEXES: &str = "indexes";
/// A token and its line feed, with room for a comment that is then refused with words.
const TOKEN_BYTES_MAX: u64 = 4_096;

pub(crate) fn run(machine: &Machine, args: &ServeArgs) -> Result<Ending, Failure> {
    let (store, artifacts) = Place::resolve(&StoreSettings::from(&args.store))?.into_parts();
    let boards = Some(boards(args.boards.boards.as_deref())?);
    let sources = Sources { store, artifacts, folders: args.runs.clone(), boards, cache: machine.cache.join(INDEXES) };
    if let Some(to) = &args.export {
        let exported = assay_server::export(sources, to).map_err(|error| failure(&error))?;
        let size = exported.bytes as f64 / f64::from(1 << 20);
        face::step("Wrote", &format!("{} pages, {size:.1} MiB, to {}", exported.pages, to.display()));
        if exported.left_out > 0 {
            let pages = match exported.left_out {
                1 => "1 page could not be made, or exceeds".to_owned(),
                count => format!("{count} pages could not be made, or exceed"),
            };
            face::warn(&format!("{pages} the limits of an export"));
        }
        return DONE;
    }
    let settings = Settings {
        address: args.listen,
        port: args.port,
        hosts: args.host.iter().map(|name| host(name)).collect::<Result<_, _>>()?,
        secret: args.token_file.as_deref().map(secret).transpose()?,
        read_only: args.read_only,
        examine: Some(examine(machine)),
        work: if args.read_only { None } else { work::open(machine, args)? },
        ..Settings::local(sources)
    };
    let stop = Stop::default();
    let asked = stop.clone();
    on_interrupt("stopping; jobs keep what they have (press again to stop immediately)", LONG, move || asked.stop());
    let served = assay_server::serve(settings, &stop, |link| {
        face::step("Serving", "until Ctrl-C; open this link:");
        face::out(link);
    });
    served.map_err(|error| failure(&error))?;
    DONE
}

/// What `assay doctor` looks at before it attacks anything.
fn examine(machine: &Machine) -> Examine {
    let machine = machine.clone();
    Examine(Arc::new(move || {
        let check = |probe: Probe| Check {
            name: probe.name.to_owned(),
            condition: match probe.state {
                State::Ok => Condition::Ok,
                State::Limited => Condition::Limited,
                State::Missing => Condition::Missing,
            },
            found: probe.found,
            hint: probe.hint,
        };
        look(&machine).into_iter().map(check).collect()
    }))
}

fn secret(path: &Path) -> Result<Secret, Failure> {
    let failed = |why: &dyn std::fmt::Display| Failure::usage(format!("failed to read {}: {why}", path.display()));
    let text = assay_files::read_text(path, Links::Followed, TOKEN_BYTES_MAX).map_err(|error| failed(&error))?;
    Secret::parse(text.trim()).map_err(|error| failed(&error))
}

fn host(name: &str) -> Result<Host, Failure> {
    name.parse().map_err(|error| Failure::usage(format!("--host {name}: {error}")))
}

pub(super) fn failure(error: &ServeError) -> Failure {
    let failure = match error {
        ServeError::Start(_) => Failure::infrastructure(error),
        _ => Failure::usage(error),
    };
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
