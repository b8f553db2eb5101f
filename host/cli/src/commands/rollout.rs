//! `assay rollout`: its flags as settings.

use crate::args::{DebugArgs, EpisodeArgs, GradeArgs, RolloutCommand, RolloutRunArgs};
use assay_commands::rollout::{self, DebugSettings, EpisodeSettings, GradeSettings, RunSettings};
use assay_commands::settings::Machine;
use assay_commands::{Ending, Failure};

pub(crate) fn run(machine: &Machine, command: &RolloutCommand) -> Result<Ending, Failure> {
    match command {
        RolloutCommand::Run(args) => rollout::run(machine, &args.into()),
        RolloutCommand::Grade(args) => rollout::grade(machine, &args.into()),
        RolloutCommand::Debug(args) => rollout::debug(machine, &args.into()),
    }
}

impl From<&EpisodeArgs> for EpisodeSettings {
    fn from(args: &EpisodeArgs) -> Self {
        Self {
            tasks: args.tasks.clone(),
            model: args.model.clone(),
            model_url: args.model_url.clone(),
            prices: args.prices.clone(),
            reasoning: args.reasoning.clone(),
            record: args.record.clone(),
            temperature: args.temperature.clone(),
            temperature_step: args.temperature_step,
            temperature_max: args.temperature_max,
            no_seed: args.no_seed,
            steps: args.steps,
            tokens: args.tokens,
            cost: args.cost,
            time: args.time.clone(),
            context_tokens: args.context_tokens,
            test_runs: args.test_runs,
            allow_shell: args.allow_shell,
            no_early_stop: args.no_early_stop,
            no_stuck_detection: args.no_stuck_detection,
            nudge: args.nudge.clone(),
            rule: args.rule.into(),
            docker_url: args.docker_url.clone(),
            image_cache: args.image_cache.clone(),
            images_max: args.images_max,
            instance_id: args.instance_id.clone(),
            seed: args.seed,
        }
    }
}

impl From<&RolloutRunArgs> for RunSettings {
    fn from(args: &RolloutRunArgs) -> Self {
        Self {
            episode: (&args.episode).into(),
            out: args.out.clone(),
            samples: args.samples,
            concurrency: args.concurrency,
            limit: args.limit,
            attempts: args.attempts,
            retry_unscored: args.retry_unscored,
            budget_usd: args.budget_usd,
            budget_tokens: args.budget_tokens,
            dry_run: args.dry_run,
            keep_logs: args.keep_logs,
            events: args.events.clone(),
            format: args.format.into(),
            recording: (&args.recording).into(),
        }
    }
}

impl From<&GradeArgs> for GradeSettings {
    fn from(args: &GradeArgs) -> Self {
        Self {
            run: args.run.clone(),
            tasks: args.tasks.clone(),
            concurrency: args.concurrency,
            attempts: args.attempts,
            docker_url: args.docker_url.clone(),
            image_cache: args.image_cache.clone(),
            images_max: args.images_max,
            format: args.format.into(),
            recording: (&args.recording).into(),
        }
    }
}

impl From<&DebugArgs> for DebugSettings {
    fn from(args: &DebugArgs) -> Self {
        Self {
            episode: (&args.episode).into(),
            sample: args.sample,
            interactive: args.interactive,
            out: args.out.clone(),
        }
    }
}
