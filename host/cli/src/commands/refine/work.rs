//! The work itself: a writer and a bench for the session, events shown as they come, the result written.

use super::failed;
use super::workshop::{Workshop, champion};
use crate::args::ModelAccessArgs;
use crate::commands::manual::{GUIDE, GUIDE_PYTHON};
use crate::commands::run;
use crate::exit::{Exit, Failure};
use crate::ui;
use assay_evaluate::Goal;
use assay_market::Scenario;
use assay_model::Seed;
use assay_refine::core::event::{Body, Event, Program};
use assay_refine::core::place::Place;
use assay_refine::core::plan::WriterPlan;
use assay_refine::core::state::{State, mean};
use assay_refine::evidence::plain;
use assay_refine::journal::Journal;
use assay_refine::market::Markets;
use assay_refine::model::{Ask, ModelWriter};
use assay_refine::session::{Trouble, Tuner, Work, Writer};
use assay_refine::story;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

/// Works until the session is over or interrupted, and writes what there is.
pub(super) fn work(
    mut journal: Journal,
    workshop: &Workshop,
    (scenarios, family): (&[Scenario], &[Scenario]),
    threads: NonZeroUsize,
    (json, access): (bool, &ModelAccessArgs),
) -> Result<Exit, Failure> {
    let path = journal.path().to_owned();
    let goal: Goal = serde_json::from_value(journal.state().plan().goal.clone().into())
        .map_err(|_| Failure::usage("the session's goal is not a valid one"))?;
    let cancel = run::cancel_on_interrupt();
    let load = |program: &Program| workshop.load(&path, program);
    let bench = Markets::new(scenarios, goal, threads, &load, &cancel).with_unseen(family);
    let check = |source: &str| workshop.check(source);
    let tell = |program: &Program, seeds: &[Seed]| {
        let records = bench.records(program, seeds)?;
        Ok(records.iter().map(assay_report::run_summary).collect::<Vec<_>>().join("\n"))
    };
    let asked = ask(&journal, access)?;
    let guide = if workshop.is_python() { GUIDE_PYTHON } else { GUIDE };
    let mut writer: Box<dyn Writer + '_> = match &asked {
        None => Box::new(Tuner),
        Some(asked) => Box::new(ModelWriter::new(&**asked, &check, &tell, guide)),
    };
    let started = Instant::now();
    let clock = || u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut watch = |state: &State, event: &Event| show(state, event, json);
    let result = Work::new(&mut journal, &mut watch, &clock).run(&mut *writer, &bench, &cancel);
    let champion_name = if workshop.is_python() { "champion.py" } else { "champion.rs" };
    journal
        .write(champion_name, &champion(&path, journal.state())?)
        .and_then(|()| journal.write("story.md", &story::story(journal.state())))
        .map_err(|error| failed(&path, &error))?;
    let state = journal.state();
    let resume = format!("`assay refine resume {}` continues it", id_of(&path));
    match result {
        Ok(why) => {
            ui::step("Over", why.words());
            if !json {
                ui::out(&story::outcome(state));
                if let Some(words) = story::elsewhere(state) {
                    ui::out(&words);
                }
            }
            ui::step("Result", &format!("{}: {champion_name}, story.md", path.display()));
            Ok(Exit::Success)
        }
        Err(Trouble::Interrupted) => Err(Failure {
            exit: Exit::Interrupted,
            message: format!("interrupted after event {}", state.seq()),
            hint: Some(resume),
        }),
        Err(Trouble::Journal(error)) => Err(failed(&path, &error)),
        Err(Trouble::Infrastructure(what)) => {
            Err(Failure::infrastructure(what).hint(format!("nothing is lost: {resume}")))
        }
    }
}

/// The model of a session that has one.
#[cfg(feature = "rollouts")]
pub(super) fn ask(journal: &Journal, access: &ModelAccessArgs) -> Result<Option<Box<dyn Ask>>, Failure> {
    let state = journal.state();
    let WriterPlan::Model { model, .. } = &state.plan().writer else { return Ok(None) };
    let asked = super::model::Asked::open(model, access, state.plan().budget, state.spent())?;
    Ok(Some(Box::new(asked)))
}

/// The model of a session that has one: there are none in this build.
#[cfg(not(feature = "rollouts"))]
pub(super) fn ask(journal: &Journal, _: &ModelAccessArgs) -> Result<Option<Box<dyn Ask>>, Failure> {
    match &journal.state().plan().writer {
        WriterPlan::Model { .. } => Err(Failure::left_out("language models")),
        WriterPlan::Tuner { .. } => Ok(None),
    }
}

fn id_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// One event, as it comes.
fn show(state: &State, event: &Event, json: bool) {
    if json {
        ui::out(&serde_json::to_string(event).unwrap_or_default());
        return;
    }
    let Some((verb, text)) = line(state, event) else { return };
    ui::step(verb, &text);
}

fn line(state: &State, event: &Event) -> Option<(&'static str, String)> {
    let rungs = &state.plan().rules.rungs;
    Some(match &event.body {
        Body::Written { candidate, idea, .. } if *candidate != Place::ORIGIN => {
            ("Written", format!("{candidate}: {}", ui::visible(idea)))
        }
        Body::Unwritten { candidate, why } => ("Unwritten", format!("{candidate}: {}", ui::visible(why))),
        Body::Probed { candidate, .. } => {
            let out = state.candidates().get(candidate)?.out.as_ref()?;
            ("Out", format!("{candidate}: {}", ui::visible(out)))
        }
        Body::Scored { candidate, .. } => {
            let points = &state.candidates().get(candidate)?.points;
            let name = if *candidate == state.champion() { "champion " } else { "" };
            (
                "Scored",
                format!("{name}{candidate}: {:.2} over {} of {} blocks", mean(points), points.len(), rungs.last()?),
            )
        }
        Body::Compared { trial, candidate, .. } => {
            let trial_state = state.trials().last()?;
            let differences: Vec<f64> = trial_state.pairs.iter().map(|pair| pair.0 - pair.1).collect();
            (
                "Trial",
                format!(
                    "{trial}: {candidate} against {}: {:+.2} over {} fresh blocks, e-value {} of {}",
                    trial_state.champion,
                    mean(&differences),
                    differences.len(),
                    plain(trial_state.wager.wealth()),
                    plain(1.0 / state.plan().level(*trial as usize))
                ),
            )
        }
        Body::Decided { candidate, promoted: true, .. } => ("Promoted", format!("{candidate} is the champion")),
        Body::Decided { candidate, promoted: false, .. } => ("Kept", format!("{candidate} is not better for certain")),
        Body::Closed { generation } if *generation > 0 => {
            ("Closed", format!("generation {generation}; the champion is {}", state.champion()))
        }
        Body::Unsealed { .. } => {
            let verdict = story::verdict(state)?;
            (
                "Unsealed",
                format!(
                    "champion {:.2}, origin {:.2}: {:+.2} ({:+.2} to {:+.2}) over {} blocks, e-value {}",
                    verdict.champion,
                    verdict.origin,
                    verdict.champion - verdict.origin,
                    verdict.interval.0,
                    verdict.interval.1,
                    verdict.blocks,
                    plain(verdict.e_value)
                ),
            )
        }
        _ => return None,
    })
}
