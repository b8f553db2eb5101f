//! `assay refine` and `assay explain`.

use crate::args::{ExplainArgs, RefineArgs, RefineCommand};
use assay_commands::settings::Machine;
use assay_commands::{Ending, Failure, refine};

pub(super) fn run(args: &RefineArgs, machine: impl Fn() -> Result<Machine, Failure>) -> Result<Ending, Failure> {
    let dir = &args.begin.dir;
    match &args.command {
        None => refine::begin(&machine()?, &(&args.begin).into()),
        Some(RefineCommand::Status { json }) => refine::status(dir, *json),
        Some(RefineCommand::Show { id, json, after }) => refine::show(dir, id, *json, *after),
        Some(RefineCommand::Resume(args)) => refine::resume(&machine()?, dir, &args.into()),
        Some(RefineCommand::Hint { id, text }) => refine::hint(dir, id, text),
        Some(RefineCommand::Stop { id }) => refine::stop(dir, id),
        Some(RefineCommand::Fork { from }) => refine::fork(dir, from),
        #[cfg(feature = "rollouts")]
        Some(RefineCommand::Bench(args)) => refine::bench(&machine()?, &(&**args).into()),
        #[cfg(not(feature = "rollouts"))]
        Some(RefineCommand::Bench(_)) => Err(Failure::left_out("language models")),
        Some(RefineCommand::Export { id, out }) => refine::export(dir, id, out.as_deref()),
    }
}

pub(super) fn explain(args: &ExplainArgs) -> Result<Ending, Failure> {
    refine::explain(&args.into())
}
