//! `assay worlds`: its flags as settings, the calls that they ask for, and the server that lets agents in.

use super::serve::failure;
use crate::args::{
    ActorArgs, AgentArgs, DomainName, FaultsName, SpendingArgs, SuiteName, WorldsCommand, WorldsDebugArgs,
    WorldsForkArgs, WorldsImportCommand, WorldsRunArgs, WorldsServeArgs, WorldsStateArgs,
};
use assay_commands::settings::Machine;
use assay_commands::worlds::{
    self, ActorSettings, AgentSettings, DebugSettings, Domain, ForkSettings, MachineOf, Profile, RunSettings,
    ServeSettings, SpendingSettings, StateSettings, Suite,
};
use assay_commands::{Ending, Failure, face};
use assay_server::{Stop, WorldsAt, serve_worlds};

/// The name of no attack.
const NO_ATTACK: &str = "none";

pub(crate) fn run(command: &WorldsCommand, machine: impl Fn() -> Result<Machine, Failure>) -> Result<Ending, Failure> {
    let machine: &MachineOf<'_> = &machine;
    match command {
        WorldsCommand::New(args) => worlds::new(&args.folder),
        WorldsCommand::Check(args) => worlds::check(&args.world, machine),
        WorldsCommand::Run(args) => worlds::run(&of_run(args), machine),
        WorldsCommand::Debug(args) if args.interactive => worlds::debug_by_hand(&of_debug(args), machine),
        WorldsCommand::Debug(args) => worlds::debug(&of_debug(args), machine),
        WorldsCommand::Fork(args) => worlds::fork(&of_fork(args), machine),
        WorldsCommand::State(args) => worlds::state(&of_state(args), machine),
        WorldsCommand::Serve(args) => serve(args, machine),
        WorldsCommand::Import(args) => import(&args.command, machine),
    }
}

fn import(command: &WorldsImportCommand, machine: &MachineOf<'_>) -> Result<Ending, Failure> {
    match command {
        WorldsImportCommand::Tau2(args) => {
            let domain = match args.domain {
                DomainName::Retail => Domain::Retail,
                DomainName::Airline => Domain::Airline,
                DomainName::Telecom => Domain::Telecom,
            };
            worlds::import_tau2(&args.package, domain, args.out.as_deref())
        }
        WorldsImportCommand::Bfcl(args) => worlds::import_bfcl(&args.package, args.out.as_deref(), machine),
        WorldsImportCommand::Agentdojo(args) => {
            let suite = match args.suite {
                SuiteName::Workspace => Suite::Workspace,
                SuiteName::Travel => Suite::Travel,
                SuiteName::Banking => Suite::Banking,
                SuiteName::Slack => Suite::Slack,
            };
            let attack = Some(args.attack.as_str()).filter(|name| *name != NO_ATTACK);
            worlds::import_agentdojo(&args.package, suite, attack, args.out.as_deref(), machine)
        }
    }
}

fn serve(args: &WorldsServeArgs, machine: &MachineOf<'_>) -> Result<Ending, Failure> {
    let settings = ServeSettings {
        worlds: args.worlds.clone(),
        task: args.task.clone(),
        samples: args.samples,
        faults: profile(args.faults),
        seed: args.seed,
        stdio: args.stdio,
        out: args.out.clone(),
    };
    let stop = Stop::default();
    let (door, asked, port) = (&stop, stop.clone(), args.port);
    let open = |rooms| async move { serve_worlds(rooms, port, door, announce).await.map_err(|error| failure(&error)) };
    worlds::serve(&settings, machine, open, move || asked.stop())
}

fn announce(at: &WorldsAt) {
    face::step("Serving", "until Ctrl-C; clients send `Authorization: Bearer TOKEN`");
    for (name, url) in &at.agents {
        face::out(&format!("agent     {url}"));
        face::out(&format!("operator  {}", at.controls.get(name).map_or("", String::as_str)));
    }
    face::out(&format!("agent's token     {}", at.agent_token));
    face::out(&format!("operator's token  {}", at.operator_token));
}

const fn profile(name: FaultsName) -> Profile {
    match name {
        FaultsName::None => Profile::None,
        FaultsName::Light => Profile::Light,
        FaultsName::Rough => Profile::Rough,
    }
}

fn agent(args: &AgentArgs) -> AgentSettings {
    AgentSettings {
        agent: args.agent.clone(),
        model: args.model.clone(),
        model_url: args.model_url.clone(),
        prices: args.prices.clone(),
    }
}

fn actor(args: &ActorArgs) -> ActorSettings {
    ActorSettings { who: agent(&args.who), faults: profile(args.faults), seed: args.seed }
}

fn limits(args: &SpendingArgs) -> SpendingSettings {
    SpendingSettings { budget_usd: args.budget_usd, budget_tokens: args.budget_tokens, dry_run: args.dry_run }
}

fn of_run(args: &WorldsRunArgs) -> RunSettings {
    RunSettings {
        world: args.world.clone(),
        actor: actor(&args.actor),
        task: args.task.clone(),
        samples: args.samples,
        concurrency: args.concurrency,
        attempts: args.attempts,
        limits: limits(&args.limits),
        out: args.out.clone(),
        retry_unscored: args.retry_unscored,
        format: args.format.into(),
    }
}

fn of_debug(args: &WorldsDebugArgs) -> DebugSettings {
    DebugSettings { world: args.world.clone(), task: args.task.clone(), actor: actor(&args.actor), sample: args.sample }
}

fn of_fork(args: &WorldsForkArgs) -> ForkSettings {
    ForkSettings {
        world: args.world.clone(),
        episode: args.episode.clone(),
        who: agent(&args.who),
        samples: args.samples,
        concurrency: args.concurrency,
        attempts: args.attempts,
        limits: limits(&args.limits),
        out: args.out.clone(),
        retry_unscored: args.retry_unscored,
        format: args.format.into(),
    }
}

fn of_state(args: &WorldsStateArgs) -> StateSettings {
    StateSettings {
        world: args.world.clone(),
        episode: args.episode.clone(),
        part: args.part.clone(),
        from: args.from,
        count: args.count,
        format: args.format.into(),
    }
}
