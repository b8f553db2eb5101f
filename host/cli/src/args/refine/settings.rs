//! Flags of `assay refine` and `assay explain` as settings.

use super::{ExplainArgs, RefineBeginArgs, RefineBenchArgs, RefineResumeArgs, SearchName, WriterName};
use assay_commands::refine::{BeginSettings, BenchSettings, ExplainSettings, ResumeSettings, Search, WriterKind};

impl From<WriterName> for WriterKind {
    fn from(name: WriterName) -> Self {
        match name {
            WriterName::Tuner => Self::Tuner,
            WriterName::Model => Self::Model,
        }
    }
}

impl From<SearchName> for Search {
    fn from(name: SearchName) -> Self {
        match name {
            SearchName::Evolve => Self::Evolve,
            SearchName::Chain => Self::Chain,
            SearchName::BestOfN => Self::BestOfN,
        }
    }
}

impl From<&RefineBeginArgs> for BeginSettings {
    fn from(args: &RefineBeginArgs) -> Self {
        Self {
            words: args.words.clone(),
            from: args.from.clone(),
            writer: args.writer.map(WriterKind::from),
            model: args.model.clone(),
            explain_model: args.explain_model.clone(),
            judge_model: args.judge_model.clone(),
            plan_model: args.plan_model.clone(),
            self_review: args.self_review,
            budget_usd: args.budget_usd,
            budget_tokens: args.budget_tokens,
            access: (&args.access).into(),
            tape: args.tape.clone(),
            scenario: args.scenario.clone(),
            family: args.family.clone(),
            goal: args.goal.goal(),
            search: args.search.into(),
            seed: args.seed,
            generations: args.generations,
            width: args.width,
            plateau: args.plateau,
            trials: args.trials,
            target: args.target,
            budget_minutes: args.budget_minutes,
            dry_run: args.dry_run,
            threads: args.threads,
            json: args.json,
            record: (&args.record).into(),
            dir: args.dir.clone(),
        }
    }
}

impl From<&RefineResumeArgs> for ResumeSettings {
    fn from(args: &RefineResumeArgs) -> Self {
        Self {
            id: args.id.clone(),
            threads: args.threads,
            json: args.json,
            access: (&args.access).into(),
            tape: args.tape.clone(),
            record: (&args.record).into(),
        }
    }
}

impl From<&RefineBenchArgs> for BenchSettings {
    fn from(args: &RefineBenchArgs) -> Self {
        Self {
            models: args.models.clone(),
            from: args.from.clone(),
            flaws: args.flaws.clone(),
            model: args.model.clone(),
            words: args.words.clone(),
            samples: args.samples,
            blocks: args.blocks,
            scenario: args.scenario.clone(),
            goal: args.goal.goal(),
            seed: args.seed,
            budget_usd: args.budget_usd,
            budget_tokens: args.budget_tokens,
            access: (&args.access).into(),
            dry_run: args.dry_run,
            threads: args.threads,
            json: args.json,
            page: args.page.clone(),
            out: args.out.clone(),
        }
    }
}

impl From<&ExplainArgs> for ExplainSettings {
    fn from(args: &ExplainArgs) -> Self {
        Self {
            run: args.run.clone(),
            model: args.model.clone(),
            tape: args.tape.clone(),
            access: (&args.access).into(),
        }
    }
}
