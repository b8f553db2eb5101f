//! `assay new`: its flags, handed on.

use crate::args::NewArgs;
use assay_commands::{Ending, Failure, new};

pub(crate) fn run(args: &NewArgs) -> Result<Ending, Failure> {
    new::run(&args.name, args.python)
}
