//! `assay gate`: its flags as settings.

use crate::args::{GateArgs, GateCommand, GateRunArgs, ReportArgs, VerdictOutputArgs, VerifyVerdictArgs};
use assay_commands::gate::{self, GateSettings, ReportSettings, VerdictOutputSettings, VerifyVerdictSettings};
use assay_commands::settings::Machine;
use assay_commands::{Ending, Failure};

pub(crate) fn run(args: &GateArgs, machine: impl FnOnce() -> Result<Machine, Failure>) -> Result<Ending, Failure> {
    match &args.command {
        Some(GateCommand::Init { file }) => gate::init(file),
        Some(GateCommand::Verify(args)) => gate::verify(&VerifyVerdictSettings::from(args)),
        Some(GateCommand::Keygen(args)) => gate::keygen(&args.file),
        Some(GateCommand::Report(args)) => gate::report(&ReportSettings::from(args)),
        None => gate::run(machine()?, &GateSettings::from(&args.run)),
    }
}

impl From<&GateRunArgs> for GateSettings {
    fn from(args: &GateRunArgs) -> Self {
        Self {
            submissions: args.submissions.clone(),
            policy: args.policy.clone(),
            list: args.list.clone(),
            feedback: args.feedback,
            date: args.date.clone(),
            out: args.out.clone(),
            jobs: args.jobs,
            wait: args.wait,
            json: args.json.clone(),
            output: (&args.output).into(),
            record: (&args.record).into(),
        }
    }
}

impl From<&VerdictOutputArgs> for VerdictOutputSettings {
    fn from(args: &VerdictOutputArgs) -> Self {
        Self {
            junit: args.junit.clone(),
            sarif: args.sarif.clone(),
            markdown: args.markdown.clone(),
            code_quality: args.code_quality.clone(),
            github: args.github,
            key: args.key.clone(),
        }
    }
}

impl From<&VerifyVerdictArgs> for VerifyVerdictSettings {
    fn from(args: &VerifyVerdictArgs) -> Self {
        Self {
            verdict: args.verdict.clone(),
            public_key: args.public_key.clone(),
            submission: args.submission.clone(),
            policy: args.policy.clone(),
        }
    }
}

impl From<&ReportArgs> for ReportSettings {
    fn from(args: &ReportArgs) -> Self {
        Self {
            verdicts: args.verdicts.clone(),
            policy: args.policy.clone(),
            folder: args.folder.clone(),
            output: (&args.output).into(),
        }
    }
}
