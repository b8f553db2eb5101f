//! Who acts in episodes, as the settings say.

use crate::Failure;
use crate::rollout::prices;
use assay_llm::{Budget, Keys, ModelSpec};
use assay_rollout::ports::Model;
use assay_world::{Profile, Task};
use assay_worlds::agents::{Agent, Agents, CommandAgent, ModelAgent, OwnAgent};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

/// What begins the name of a program.
const COMMAND: &str = "cmd:";

/// Who acts.
#[derive(Clone, Debug, Default)]
pub struct AgentSettings {
    /// One of our own agents by its name, or a program as `cmd:COMMAND`; without a model and without this, the scripted one.
    pub agent: Option<String>,
    /// A model as the agent, in the place of all others: `PROVIDER:NAME`, `scripted:FILE` or `cassette:FILE`.
    pub model: Option<String>,
    /// URL of the model's provider.
    pub model_url: Option<String>,
    /// TOML file with prices to use instead of the built-in ones.
    pub prices: Option<PathBuf>,
}

/// Who acts, and where.
#[derive(Clone, Debug)]
pub struct ActorSettings {
    /// Who acts.
    pub who: AgentSettings,
    /// How often tools fail.
    pub faults: Profile,
    /// What every draw depends on.
    pub seed: u64,
}

/// A program.
struct Program {
    name: String,
    command: String,
}

impl Agents for Program {
    fn name(&self) -> &str {
        &self.name
    }

    fn agent(&self, _: &Arc<Task>, _: u32) -> Box<dyn Agent> {
        Box::new(CommandAgent::new(&self.command))
    }
}

/// A model.
struct Modelled(Arc<dyn Model>);

impl Agents for Modelled {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn agent(&self, _: &Arc<Task>, sample: u32) -> Box<dyn Agent> {
        Box::new(ModelAgent::new(Arc::clone(&self.0), sample))
    }
}

/// The agents that the settings name, for up to `concurrency` episodes at once, a model within its budget. Must be called within a runtime.
pub(super) fn agents(
    settings: &AgentSettings,
    concurrency: NonZeroUsize,
    budget: Budget,
) -> Result<Arc<dyn Agents>, Failure> {
    if let Some(spec) = &settings.model {
        return Ok(Arc::new(Modelled(model(settings, spec, concurrency, budget)?)));
    }
    let name = settings.agent.as_deref().unwrap_or(OwnAgent::Scripted.name());
    if let Some(command) = name.strip_prefix(COMMAND).filter(|command| !command.trim().is_empty()) {
        CommandAgent::can_start(command).map_err(|why| {
            let hint = "cmd:COMMAND is a command for the shell: begin it with a program in PATH, or with a program's path, as in `cmd:./agent.sh`";
            Failure::usage(why).hint(hint)
        })?;
        return Ok(Arc::new(Program { name: name.to_owned(), command: command.to_owned() }));
    }
    match OwnAgent::ALL.iter().find(|own| own.name() == name) {
        Some(own) => Ok(Arc::new(*own)),
        None => {
            let names: Vec<&str> = OwnAgent::ALL.iter().map(|own| own.name()).collect();
            let near = assay_world::words::nearest(name, names.iter().copied());
            let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            Err(Failure::usage(format!("there is no agent {name:?}"))
                .hint(format!("{near}agents are {}, and cmd:COMMAND", names.join(", "))))
        }
    }
}

fn model(
    settings: &AgentSettings,
    spec: &str,
    concurrency: NonZeroUsize,
    budget: Budget,
) -> Result<Arc<dyn Model>, Failure> {
    let spec = ModelSpec::parse(spec).map_err(|error| Failure::usage(&error).hint(error.hint()))?;
    let access = assay_llm::Settings {
        base_url: settings.model_url.clone(),
        keys: Keys::from_lookup(|name| std::env::var(name).ok()),
        reasoning: None,
        record: None,
        needs_price: false,
        limits: assay_llm::Limits::STANDARD,
        retry: assay_llm::Retry::STANDARD,
        concurrency_max: concurrency.get(),
        waits: |_, _| (),
    };
    let run = assay_llm::Run::new(budget, prices(settings.prices.as_deref())?);
    assay_llm::open(&spec, &access, &run).map_err(|error| {
        let failure = Failure::usage(&error);
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })
}
