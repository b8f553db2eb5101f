//! `assay tasks`: its flags as settings, and the calls.

use crate::args::{MineArgs, TasksCommand, VerifyTasksArgs};
use assay_commands::settings::Machine;
use assay_commands::tasks::{self, ImportSettings, LogRule, MineSettings, ParseLogSettings, VerifySettings};
use assay_commands::{Ending, Failure};

/// `machine` resolves what only some of the commands need.
pub(crate) fn run(
    command: &TasksCommand,
    machine: impl FnOnce() -> Result<Machine, Failure>,
) -> Result<Ending, Failure> {
    match command {
        TasksCommand::Import(args) => tasks::import(&ImportSettings {
            rows: args.rows.clone(),
            out: args.out.clone(),
            test_command: args.test_command.clone(),
            log_parser: args.log_parser.clone(),
        }),
        TasksCommand::Mine(args) => tasks::mine(&machine()?, &mine(args)),
        TasksCommand::ParseLog(args) => tasks::parse_log(&ParseLogSettings {
            log: args.log.clone(),
            rule: LogRule { repo: args.rule.repo.clone(), parser: args.rule.parser.clone() },
            format: args.format.into(),
        }),
        TasksCommand::Verify(args) => tasks::verify(&machine()?, &verify(args)),
    }
}

fn mine(args: &MineArgs) -> MineSettings {
    MineSettings {
        repository: args.repository.clone(),
        out: args.out.clone(),
        dry_run: args.dry_run,
        commits: args.commits,
        from: args.from.clone(),
        merges: args.merges,
        limit: args.limit,
        name: args.name.clone(),
        image: args.image.clone(),
        install: args.install.clone(),
        test_command: args.test_command.clone(),
        log_parser: args.log_parser.clone(),
        seconds: args.seconds,
        repeat: args.repeat,
        concurrency: args.concurrency,
        docker_url: args.docker_url.clone(),
        image_cache: args.image_cache.clone(),
        format: args.format.into(),
    }
}

fn verify(args: &VerifyTasksArgs) -> VerifySettings {
    VerifySettings {
        path: args.path.clone(),
        repeat: args.repeat,
        concurrency: args.concurrency,
        rule: args.rule.into(),
        docker_url: args.docker_url.clone(),
        image_cache: args.image_cache.clone(),
        images_max: args.images_max,
        format: args.format.into(),
    }
}
