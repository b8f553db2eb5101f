//! Attacks in Python: cells in a session, then an honest cell, which must find the files as they were.

use super::{Answer, Trouble};
use assay_model::{Seed, Time};
use assay_sandbox::python::{
    CellError, CellOutcome, HostAnswer, HostCall, HostCalls, PythonEngine, PythonLimits, PythonSession, PythonSettings,
    SessionConfig, locate_component,
};
use assay_tree::{Content, Limits, Tree};
use futures::future::BoxFuture;
use std::path::Path;

/// In the place of a cell: the session is restarted, and what the cells before have left must be gone.
const RESTART: &str = "⟦restart⟧";
/// Enough for everything honest that attacks do, and spent within seconds.
const LIMITS: PythonLimits =
    PythonLimits { fuel_cell: 1_000_000_000, memory_bytes: 128 << 20, ..PythonLimits::STANDARD };
/// What an honest cell reads and prints.
const HONEST: &str =
    "import os; os.chdir('/testbed'); open('kept.txt').read(), sum('kept.txt' in line for line in grep('kept')), 1 + 1";
const HONEST_ANSWER: &str = "('kept', 1, 2)\n";

/// A host that answers no call.
struct Silent;

impl HostCalls for Silent {
    fn call<'a>(&'a self, _: HostCall, _: Tree) -> BoxFuture<'a, HostAnswer> {
        Box::pin(async { HostAnswer::Refused("nobody is there".to_owned()) })
    }
}

pub(super) fn run(helper: &Path, cache: &Path, cells: &[String]) -> Result<Answer, Trouble> {
    let component = locate_component(None, |name| std::env::var(name).ok())?;
    let mut settings = PythonSettings::new(component, cache.to_path_buf(), helper.to_path_buf());
    settings.sessions = 2;
    let engine = PythonEngine::open(&settings)?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(attack(&engine, cells))
}

async fn attack(engine: &PythonEngine, cells: &[String]) -> Result<Answer, Trouble> {
    let config = || -> Result<SessionConfig, Trouble> {
        Ok(SessionConfig {
            tree: tree()?,
            folder: "/testbed".to_owned(),
            seed: Seed(1),
            start_time: Time(1_700_000_000_000_000_000),
            limits: LIMITS,
        })
    };
    let mut session = engine.start(config()?).await?;
    let mut answer = Answer::new("nothing", "");
    for cell in cells {
        if cell == RESTART {
            session.restart().await?;
            continue;
        }
        revive(&mut session).await?;
        let outcome = session.run(cell, &Silent).await?;
        if outcome.fuel > LIMITS.fuel_cell || outcome.stdout.len() + outcome.stderr.len() > 6 * LIMITS.output_bytes {
            return Ok(Answer::new("past its limits", format!("{outcome:?}")));
        }
        answer = words(&outcome);
    }
    revive(&mut session).await?;
    let mut after = session.run(HONEST, &Silent).await?;
    // What broke the interpreter without ending it is the episode's own trouble; a fresh one must do.
    if after.error.is_some() {
        session.restart().await?;
        after = session.run(HONEST, &Silent).await?;
    }
    if after.stdout != HONEST_ANSWER || after.error.is_some() {
        return Ok(Answer::new("the next cell is broken", format!("{after:?}")));
    }
    Ok(answer)
}

async fn revive(session: &mut PythonSession) -> Result<(), Trouble> {
    if !session.is_alive() {
        session.restart().await?;
    }
    Ok(())
}

fn tree() -> Result<Tree, Trouble> {
    let mut tree = Tree::new(Limits { bytes_max: 64 << 20, inodes_max: 20_000 });
    tree.mkdir_all(b"src", Time::default())?;
    for (path, text) in [("kept.txt", "kept"), ("src/a.py", "A = 1\n")] {
        tree.put(path.as_bytes(), Content::from(text.as_bytes()), Time::default())?;
    }
    Ok(tree)
}

/// How a cell ended, as the tables write it.
fn words(outcome: &CellOutcome) -> Answer {
    let detail = outcome.error.as_ref().map(ToString::to_string).unwrap_or_default();
    let seen = match &outcome.error {
        None => format!("fine {}", outcome.stdout.trim()).trim().to_owned(),
        Some(CellError::Exception { summary, .. }) => {
            format!("raises {}", summary.split(':').next().unwrap_or_default().trim())
        }
        Some(CellError::TooLong { .. }) => "too_long".to_owned(),
        Some(CellError::OutOfFuel) => "out_of_fuel".to_owned(),
        Some(CellError::Slow) => "slow".to_owned(),
        Some(CellError::OutOfMemory) => "out_of_memory".to_owned(),
        Some(CellError::StackOverflow) => "stack_overflow".to_owned(),
        Some(CellError::Exited { code }) => format!("exited {code}"),
        Some(CellError::Limit { .. }) => "limit".to_owned(),
        Some(CellError::Trap { .. }) => "trap".to_owned(),
    };
    Answer::new(seen, detail)
}
