//! The commands over what has been run, `assay runs` and those after it: their flags as settings, and the calls.

use crate::args::{
    CompareArgs, ExportRunArgs, KindName, LeaderboardArgs, RemoveArgs, RunsArgs, ShowRunArgs, StatusName,
};
use assay_commands::store::{
    self, CompareSettings, ExportSettings, Kind, LeaderboardSettings, RemoveSettings, RunsSettings, ShowSettings,
    Status,
};
use assay_commands::{Ending, Failure};

pub(crate) fn runs(args: &RunsArgs) -> Result<Ending, Failure> {
    store::runs(&RunsSettings {
        status: args.status.map(status),
        scenario: args.scenario.clone(),
        strategy: args.strategy.clone(),
        kind: args.kind.map(kind),
        since: args.since.clone(),
        limit: args.limit,
        page: args.page,
        json: args.json,
        store: (&args.store).into(),
    })
}

pub(crate) fn show(args: &ShowRunArgs) -> Result<Ending, Failure> {
    store::show(&ShowSettings { id: args.id.clone(), json: args.json, store: (&args.store).into() })
}

pub(crate) fn compare(args: &CompareArgs) -> Result<Ending, Failure> {
    store::compare(&CompareSettings {
        a: args.a.clone(),
        b: args.b.clone(),
        measure: args.measure.clone(),
        json: args.json,
        store: (&args.store).into(),
    })
}

pub(crate) fn leaderboard(args: &LeaderboardArgs) -> Result<Ending, Failure> {
    store::leaderboard(&LeaderboardSettings {
        scenario: args.scenario.clone(),
        measure: args.measure.clone(),
        json: args.json,
        store: (&args.store).into(),
    })
}

pub(crate) fn remove(args: &RemoveArgs) -> Result<Ending, Failure> {
    store::remove(&RemoveSettings { ids: args.ids.clone(), yes: args.yes, store: (&args.store).into() })
}

pub(crate) fn export(args: &ExportRunArgs) -> Result<Ending, Failure> {
    store::export(&ExportSettings { id: args.id.clone(), to: args.to.clone(), store: (&args.store).into() })
}

const fn status(name: StatusName) -> Status {
    match name {
        StatusName::Pending => Status::Pending,
        StatusName::Running => Status::Running,
        StatusName::Completed => Status::Completed,
        StatusName::Failed => Status::Failed,
        StatusName::Cancelled => Status::Cancelled,
    }
}

const fn kind(name: KindName) -> Kind {
    match name {
        KindName::Run => Kind::Run,
        KindName::Gate => Kind::Gate,
        KindName::Rollout => Kind::Rollout,
        KindName::Refine => Kind::Refine,
    }
}
