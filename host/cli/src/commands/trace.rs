//! `assay trace`: its flags as settings, and the calls.

use crate::args::{DiffFormat, ExportArgs, ExportForm, OutcomeName, RoleName, TraceCommand};
use assay_commands::settings::Machine;
use assay_commands::trace::{
    self, DiffSettings, ExportSettings, ImportSettings, Outcome, ReplaySettings, RescoreSettings, Role, ShowSettings,
    StatsSettings,
};
use assay_commands::{Ending, Failure};

/// `machine` resolves what only a replay needs.
pub(crate) fn run(
    command: &TraceCommand,
    machine: impl FnOnce() -> Result<Machine, Failure>,
) -> Result<Ending, Failure> {
    match command {
        TraceCommand::Show(args) => trace::show(&ShowSettings {
            file: args.file.clone(),
            steps: args.steps.clone(),
            role: args.role.iter().copied().map(role).collect(),
            tool: args.tool.clone(),
            flag: args.flag.clone(),
            lines: args.lines,
        }),
        TraceCommand::Stats(args) => {
            trace::stats(&StatsSettings { files: args.files.clone(), format: args.format.into() })
        }
        TraceCommand::Diff(args) => {
            let format = match args.format {
                DiffFormat::Text => trace::DiffFormat::Text,
                DiffFormat::Json => trace::DiffFormat::Json,
            };
            trace::diff(&DiffSettings { left: args.left.clone(), right: args.right.clone(), format })
        }
        TraceCommand::Verify(args) => trace::verify(&args.files),
        TraceCommand::Export(args) => trace::export(&export(args)),
        TraceCommand::Import(args) => {
            trace::import(&ImportSettings { files: args.files.clone(), out: args.out.clone() })
        }
        TraceCommand::Rescore(args) => trace::rescore(&RescoreSettings {
            files: args.files.clone(),
            rule: args.rule.into(),
            dry_run: args.dry_run,
            root: args.root.clone(),
        }),
        TraceCommand::Replay(args) => trace::replay(
            &machine()?,
            &ReplaySettings {
                file: args.file.clone(),
                tasks: args.tasks.clone(),
                files_at: args.files_at,
                show: args.show.clone(),
                docker_url: args.docker_url.clone(),
                image_cache: args.image_cache.clone(),
            },
        ),
    }
}

fn export(args: &ExportArgs) -> ExportSettings {
    ExportSettings {
        files: args.files.clone(),
        to: match args.to {
            ExportForm::Chat => trace::ExportForm::Chat,
            ExportForm::Steps => trace::ExportForm::Steps,
            ExportForm::Atif => trace::ExportForm::Atif,
            ExportForm::Inspect => trace::ExportForm::Inspect,
            ExportForm::Otel => trace::ExportForm::Otel,
        },
        out: args.out.clone(),
        min_reward: args.min_reward,
        outcome: args.outcome.iter().copied().map(outcome).collect(),
        all: args.all,
        max_reward: args.max_reward,
        max_tokens: args.max_tokens,
        max_cost: args.max_cost,
        max_seconds: args.max_seconds,
        max_latency: args.max_latency,
        keep_flagged: args.keep_flagged,
        keep_malformed: args.keep_malformed,
        content: args.content,
    }
}

const fn role(name: RoleName) -> Role {
    match name {
        RoleName::System => Role::System,
        RoleName::User => Role::User,
        RoleName::Assistant => Role::Assistant,
        RoleName::Tool => Role::Tool,
    }
}

const fn outcome(name: OutcomeName) -> Outcome {
    match name {
        OutcomeName::Success => Outcome::Success,
        OutcomeName::Failure => Outcome::Failure,
        OutcomeName::Timeout => Outcome::Timeout,
        OutcomeName::SafetyViolation => Outcome::SafetyViolation,
    }
}
