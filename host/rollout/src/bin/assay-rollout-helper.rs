//! A program for this crate's own tests: a run of tiny episodes without a model, which they kill and start again.
//!
//! `assay-rollout-helper FOLDER EPISODES CONCURRENCY` prints a line for each finished episode.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;

use assay_model::{Seed, Time};
use assay_rollout::ports::Sinks as _;
use assay_rollout::run::{
    self, EpisodeFiles, EpisodeRecord, EpisodeSpec, RunEnd, RunFolder, RunRecord, ScheduleSettings, Stop, Trouble,
    Watch, Work,
};
use assay_trace::score::{Finite, ScoreNode};
use assay_trace::{Message, MessageId, Metadata, Outcome, Part, TrajectoryId, Verdict};

/// Steps of an episode: enough that a kill often falls into one.
const STEPS: usize = 5;

struct Printer;

impl Watch for Printer {
    fn began(&self, _: &EpisodeSpec) {}
    fn will_retry(&self, _: &EpisodeSpec, _: &Trouble) {}
    fn finished(&self, record: &EpisodeRecord) {
        let _ = writeln!(std::io::stdout(), "{}", record.id);
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match start(&arguments) {
        Ok(RunEnd::Complete) => ExitCode::SUCCESS,
        Ok(end) => {
            let _ = writeln!(std::io::stderr(), "{end:?}");
            ExitCode::FAILURE
        }
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn start(arguments: &[String]) -> Result<RunEnd, Box<dyn std::error::Error>> {
    let [folder, episodes, concurrency] = arguments else { return Err("FOLDER EPISODES CONCURRENCY".into()) };
    let tasks: Vec<String> = (1..=episodes.parse::<u32>()?).map(|number| format!("task-{number}")).collect();
    let plan = run::plan(&tasks, 1, Seed(7))?;
    let digests = tasks.iter().map(|task| (task.clone(), "tiny".to_owned())).collect();
    let mut folder = RunFolder::open(Path::new(folder), &RunRecord::new(BTreeMap::new(), digests), &plan, false)?;
    let settings = ScheduleSettings { concurrency: concurrency.parse::<NonZeroUsize>()?, attempts: 1 };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    Ok(runtime.block_on(run::run(&mut folder, settings, episode, &Printer, &Stop::new())))
}

async fn episode(spec: EpisodeSpec, _: Work, files: EpisodeFiles) -> Result<(), Trouble> {
    tell(&spec, &files).await.map_err(Trouble::bug)
}

async fn tell(spec: &EpisodeSpec, files: &EpisodeFiles) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let id = TrajectoryId::new(spec.id())?;
    let mut sink = files.begin(Metadata::new(id, spec.task.clone(), "none", spec.seed, Time(0))).await?;
    let artifacts = files.folder().join(files.artifacts());
    std::fs::create_dir_all(&artifacts)?;
    std::fs::write(artifacts.join("log"), "half")?;
    for step in 0..STEPS {
        let message = Message::assistant(MessageId::new(format!("a{step}"))?, vec![Part::text("a step")], vec![])?;
        sink.append(vec![message.into()]).await?;
        tokio::task::yield_now().await;
    }
    let score = ScoreNode::scored("score", Finite::new(1.0)?);
    sink.append(vec![Verdict::scored(Time(1), "helper", Outcome::Success, "finished", score)?.into()]).await?;
    Ok(())
}
