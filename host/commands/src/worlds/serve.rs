//! `assay worlds serve`: worlds over the Model Context Protocol; what agents do there is kept as `worlds run` keeps it.
//!
//! Absent on purpose: addresses and tokens. Whoever calls this lets agents into the rooms, and is told when to close them.

use super::run::{Lines, admitted, attacked, chosen, record};
use super::{MachineOf, load, proven, summary};
use crate::face;
use crate::interrupt::{SHORT, on_interrupt};
use crate::rollout::{conclude, runtime, unusable};
use crate::settings::FiguresFormat;
use crate::{Ending, Failure};
use assay_model::Seed;
use assay_rollout::run::{self, EpisodeRecord, RunEnd, RunFolder, Stop};
use assay_world::Profile;
use assay_worlds::World;
use assay_worlds::mcp::{EPISODES_MAX, OWN_TOOLS, Room, RoomPlan, host, serve_lines};
use futures::future::{Either, select};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::BufReader;
use tokio::task::JoinHandle;

/// What records call the agent: nobody knows what is at the other end.
const AGENT: &str = "mcp";
/// Worlds of one server.
const WORLDS_MAX: usize = 64;
/// How long threads may take that wait for standard input.
const END_WAIT: Duration = Duration::from_secs(1);

/// A world, and the run that it fills.
struct Place {
    room: Arc<Room>,
    folder: RunFolder,
    out: PathBuf,
    attacked: BTreeSet<String>,
    planned: usize,
}

/// Which worlds are served, and where what agents do there is kept.
#[derive(Clone, Debug)]
pub struct ServeSettings {
    /// The worlds' folders.
    pub worlds: Vec<PathBuf>,
    /// Only these tasks; all of them if there are none.
    pub task: Vec<String>,
    /// Episodes of each task.
    pub samples: u32,
    /// How often tools fail.
    pub faults: Profile,
    /// What every draw depends on.
    pub seed: u64,
    /// Speak to one client over standard input and output; nothing is opened then.
    pub stdio: bool,
    /// Folder for the results, with a run's folder for each world.
    pub out: PathBuf,
}

/// Serves worlds until an interruption, or until the one client has gone. `open` lets agents into the rooms until `close` is called, which an interruption
/// does.
///
/// # Errors
/// The settings are wrong, a world cannot be used, the rooms cannot be opened, episodes have no score, or the machine fails.
pub fn serve<S: Future<Output = Result<(), Failure>>>(
    settings: &ServeSettings,
    machine: &MachineOf<'_>,
    open: impl FnOnce(Vec<Arc<Room>>) -> S,
    close: impl Fn() + Send + 'static,
) -> Result<Ending, Failure> {
    let stop = Stop::new();
    let places = places(settings, machine, &stop)?;
    let asked = stop.clone();
    on_interrupt("stopping: episodes that are under way begin anew next time", SHORT, move || {
        asked.stop();
        close();
    });
    let runtime = runtime()?;
    let served = runtime.block_on(until_stopped(settings, places, &stop, open));
    runtime.shutdown_timeout(END_WAIT);
    served
}

fn places(settings: &ServeSettings, machine: &MachineOf<'_>, stop: &Stop) -> Result<Vec<Place>, Failure> {
    if !(1..=run::SAMPLES_MAX).contains(&settings.samples) {
        return Err(Failure::usage(format!("--samples must be 1 to {}", run::SAMPLES_MAX)));
    }
    if settings.worlds.len() > WORLDS_MAX {
        return Err(Failure::usage(format!("{} worlds, at most {WORLDS_MAX}", settings.worlds.len())));
    }
    if settings.stdio && settings.worlds.len() > 1 {
        return Err(Failure::usage("--stdio serves one world").hint("leave out --stdio to serve several"));
    }
    let worlds = settings.worlds.iter().map(|path| load(path, machine).map(Arc::new)).collect::<Result<Vec<_>, _>>()?;
    all_known(&worlds, &settings.task)?;
    let mut names = BTreeSet::new();
    let mut places = Vec::new();
    for world in worlds {
        let name = address(&world.definition.name);
        if !names.insert(name.clone()) {
            return Err(Failure::usage(format!("two worlds have the name {name}"))
                .hint("change `name` in the world.toml of one of them"));
        }
        places.push(place(settings, world, name, stop)?);
    }
    Ok(places)
}

/// Every task that was asked for is in one of the worlds.
fn all_known(worlds: &[Arc<World>], wanted: &[String]) -> Result<(), Failure> {
    for id in wanted {
        if !worlds.iter().any(|world| world.tasks.iter().any(|task| task.id == *id))
            && let Some(world) = worlds.first()
        {
            chosen(world, std::slice::from_ref(id))?;
        }
    }
    Ok(())
}

/// A world's name as part of an address and as the name of a folder.
fn address(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = name.chars().take(64).map(plain).collect();
    if name.is_empty() { "world".to_owned() } else { name }
}

fn place(settings: &ServeSettings, world: Arc<World>, name: String, stop: &Stop) -> Result<Place, Failure> {
    if let Some(taken) = OWN_TOOLS.into_iter().find(|tool| world.definition.tools.contains_key(*tool)) {
        return Err(Failure::usage(format!(
            "the world {name} has a tool {taken}, by which agents talk where a world is served"
        ))
        .hint("give the tool another name in world.toml"));
    }
    let has = |id: &&String| world.tasks.iter().any(|task| task.id == **id);
    let wanted: Vec<String> = settings.task.iter().filter(has).cloned().collect();
    if wanted.is_empty() && !settings.task.is_empty() {
        return Err(Failure::usage(format!("the world {name} has none of the tasks of --task"))
            .hint("leave out the world, or name one of its tasks too"));
    }
    let tasks = admitted(&world, chosen(&world, &wanted)?)?;
    let ids: Vec<String> = tasks.into_keys().collect();
    let episodes = run::plan(&ids, settings.samples, Seed(settings.seed)).map_err(Failure::usage)?;
    if episodes.len() > EPISODES_MAX {
        return Err(Failure::usage(format!("{} episodes of the world {name}, at most {EPISODES_MAX}", episodes.len()))
            .hint("choose tasks with --task, or fewer --samples"));
    }
    let faults = settings.faults;
    let decisive = [
        ("agent", json!(AGENT)),
        ("faults", json!(faults.name())),
        ("samples", json!(settings.samples)),
        ("seed", json!(settings.seed)),
    ];
    let record = record(&world, &ids, decisive);
    let out = settings.out.join(&name);
    let folder = RunFolder::open(&out, &record, &episodes, false).map_err(unusable)?;
    proven(&folder)?;
    if folder.pending().is_empty() {
        return Err(Failure::usage(format!("every episode in {} has ended", out.display()))
            .hint("begin another run with --out, or remove the folder"));
    }
    let (agent, forks) = (AGENT.to_owned(), settings.out.join(format!("{name}.forks")));
    let attacked = attacked(&world);
    let plan = RoomPlan { name, world, faults, agent, record, forks };
    let room = Room::new(plan, Arc::new(Lines), stop.clone());
    Ok(Place { room, folder, out, attacked, planned: episodes.len() })
}

/// A run that is filled by agents.
struct Hosted {
    host: JoinHandle<(RunEnd, RunFolder)>,
    out: PathBuf,
    attacked: BTreeSet<String>,
    planned: usize,
}

async fn until_stopped<S: Future<Output = Result<(), Failure>>>(
    settings: &ServeSettings,
    places: Vec<Place>,
    stop: &Stop,
    open: impl FnOnce(Vec<Arc<Room>>) -> S,
) -> Result<Ending, Failure> {
    let (mut rooms, mut hosted) = (Vec::new(), Vec::new());
    for Place { room, folder, out, attacked, planned } in places {
        let (count, hosting) = (folder.pending().len(), Arc::clone(&room));
        let host = tokio::spawn(async move {
            let name = hosting.name().to_owned();
            let (end, folder) = host(hosting, folder).await;
            if end != RunEnd::Stopped {
                face::note(&format!("{name}: every episode has ended; scores can be read until Ctrl-C"));
            }
            (end, folder)
        });
        room.offers(count).await;
        rooms.push(room);
        hosted.push(Hosted { host, out, attacked, planned });
    }
    let served = match rooms.first() {
        Some(room) if settings.stdio => lines(room, stop).await,
        _ => open(rooms).await,
    };
    stop.stop();
    let mut ending = Ok(Ending::Success);
    for Hosted { host, out, attacked, planned } in hosted {
        let (end, folder) = host.await.map_err(|error| Failure::infrastructure(format!("internal error: {error}")))?;
        let records: Vec<EpisodeRecord> = folder.finished().cloned().collect();
        if served.is_ok() {
            // Every world has its summary; the first that ended badly decides.
            let one = concluded(settings, &out, end, &records, &attacked, planned);
            if ending.is_ok() {
                ending = one;
            }
        }
    }
    served.and(ending)
}

/// What was left when the server was stopped, which is how it ends.
fn concluded(
    settings: &ServeSettings,
    out: &Path,
    end: RunEnd,
    records: &[EpisodeRecord],
    attacked: &BTreeSet<String>,
    planned: usize,
) -> Result<Ending, Failure> {
    // Standard output is the client's.
    if !settings.stdio {
        summary::show(out, AGENT, settings.faults, planned, records, attacked, FiguresFormat::Table)?;
    }
    let end = if end == RunEnd::Stopped { RunEnd::Complete } else { end };
    conclude(out, end, records, planned)
}

async fn lines(room: &Room, stop: &Stop) -> Result<(), Failure> {
    let spoken = serve_lines(room, BufReader::new(tokio::io::stdin()), tokio::io::stdout());
    match select(pin!(spoken), pin!(stop.asked())).await {
        Either::Left((spoken, _)) => {
            spoken.map_err(|error| Failure::usage(format!("the client cannot be answered: {error}")))
        }
        Either::Right(_) => Ok(()),
    }
}
