//! The work itself: a writer and a bench for the session, events shown as they come, the result written.

use super::explain::explain_all;
use super::failed;
use super::workshop::{Workshop, champion};
use crate::args::{ModelAccessArgs, RecordArgs};
use crate::commands::manual::{GUIDE, GUIDE_PYTHON};
use crate::commands::run;
use crate::exit::{Exit, Failure};
use crate::{store, ui};
use assay_evaluate::{Goal, RunRecord};
use assay_market::Scenario;
use assay_model::Seed;
use assay_refine::analyst::Analyst;
use assay_refine::core::event::{Body, Event, Program};
use assay_refine::core::place::Place;
use assay_refine::core::plan::WriterPlan;
use assay_refine::core::state::{State, mean};
use assay_refine::core::step::interval;
use assay_refine::evidence::plain;
use assay_refine::journal::Journal;
use assay_refine::market::Markets;
use assay_refine::model::{Ask, ModelWriter};
use assay_refine::session::{Trouble, Tuner, Work, Writer};
use assay_refine::story;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

/// How a session is worked at.
pub(super) struct Manner<'a> {
    /// Seeds in parallel.
    pub threads: NonZeroUsize,
    /// Whether events are printed.
    pub json: bool,
    /// How models are reached.
    pub access: &'a ModelAccessArgs,
    /// Where it is recorded, if anywhere.
    pub record: &'a RecordArgs,
}

/// Works until the session is over or interrupted, and records it.
pub(super) fn work(
    journal: Journal,
    workshop: &Workshop,
    markets: (&[Scenario], &[Scenario]),
    manner: &Manner<'_>,
) -> Result<Exit, Failure> {
    let place = store::Place::to_record(manner.record)?;
    let ledger = store::Ledger::open(place.as_ref());
    let about = about(&journal, markets.0);
    let result = ledger.recorded(about, |kept| session(journal, workshop, markets, manner, kept));
    ledger.close();
    result
}

#[cfg(feature = "stores")]
fn about(journal: &Journal, scenarios: &[Scenario]) -> store::About {
    super::ledger::about(journal.path(), journal.state(), scenarios)
}

#[cfg(not(feature = "stores"))]
const fn about(_: &Journal, _: &[Scenario]) -> store::About {
    store::About
}

/// Works until the session is over or interrupted, and writes what there is.
fn session(
    mut journal: Journal,
    workshop: &Workshop,
    (scenarios, family): (&[Scenario], &[Scenario]),
    manner: &Manner<'_>,
    kept: &mut store::Kept,
) -> Result<Exit, Failure> {
    let (threads, json, access) = (manner.threads, manner.json, manner.access);
    let path = journal.path().to_owned();
    let goal: Goal = serde_json::from_value(journal.state().plan().goal.clone().into())
        .map_err(|_| Failure::usage("the session's goal is not a valid one"))?;
    let cancel = run::cancel_on_interrupt();
    let load = |program: &Program| workshop.load(&path, program);
    let bench = Markets::new(scenarios, goal, threads, &load, &cancel).with_unseen(family);
    let check = |source: &str| workshop.check(source);
    let ran = Ran { bench: &bench, kept: RefCell::default() };
    let tell = |program: &Program, seeds: &[Seed]| {
        let records = ran.records(program, seeds)?;
        Ok(records.iter().map(assay_report::run_summary).collect::<Vec<_>>().join("\n"))
    };
    let explain = |program: &Program, seeds: &[Seed], model: &dyn Ask| {
        let records = ran.records(program, seeds)?;
        Ok(explain_all(model, &records, &BTreeMap::new()).map(|all| all.text))
    };
    let (asked, explains) = ask(&journal, access)?;
    let analyst = explains.as_ref().map(|asked| Analyst { ask: &**asked, explain: &explain });
    let guide = if workshop.is_python() { GUIDE_PYTHON } else { GUIDE };
    let mut writer: Box<dyn Writer + '_> = match &asked {
        None => Box::new(Tuner),
        Some(asked) => Box::new(ModelWriter::new(&**asked, &check, &tell, guide).with_analyst(analyst)),
    };
    let started = Instant::now();
    let clock = || u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut watch = |state: &State, event: &Event| show(state, event, json);
    let result = Work::new(&mut journal, &mut watch, &clock).run(&mut *writer, &bench, &cancel);
    let champion_name = if workshop.is_python() { "champion.py" } else { "champion.rs" };
    let state = journal.state();
    let files = [(champion_name, champion(&path, state)?), (STORY_NAME, story::story(state))];
    for (name, text) in &files {
        journal.write(name, text).map_err(|error| failed(&path, &error))?;
    }
    #[cfg(feature = "stores")]
    super::ledger::keep(kept, &path, state, &files);
    #[cfg(not(feature = "stores"))]
    let _ = kept;
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
            ui::step("Result", &format!("{}: {champion_name}, {STORY_NAME}", path.display()));
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

/// How a champion came about.
const STORY_NAME: &str = "story.md";
/// Programs whose runs for a reader are kept: those that the candidates of a generation come from, mostly.
const RAN_MAX: usize = 8;

/// What a program did for a reader: its probe seeds do not change within a session, so they are run once for all that is told of them.
struct Ran<'a> {
    bench: &'a Markets<'a>,
    kept: RefCell<Vec<(Program, Rc<Vec<RunRecord>>)>>,
}

impl Ran<'_> {
    fn records(&self, program: &Program, seeds: &[Seed]) -> Result<Rc<Vec<RunRecord>>, Trouble> {
        let mut kept = self.kept.borrow_mut();
        if let Some((_, records)) = kept.iter().find(|(known, _)| known == program) {
            return Ok(Rc::clone(records));
        }
        let records = Rc::new(self.bench.records(program, seeds)?);
        if kept.len() >= RAN_MAX {
            kept.remove(0);
        }
        kept.push((program.clone(), Rc::clone(&records)));
        Ok(records)
    }
}

/// The models of a session: who writes, and who explains.
type Models = (Option<Box<dyn Ask>>, Option<Box<dyn Ask>>);

#[cfg(feature = "rollouts")]
fn ask(journal: &Journal, access: &ModelAccessArgs) -> Result<Models, Failure> {
    let state = journal.state();
    let WriterPlan::Model { model, explain_model, .. } = &state.plan().writer else { return Ok((None, None)) };
    let open = |model: &String| -> Result<Box<dyn Ask>, Failure> {
        Ok(Box::new(super::model::Asked::open(model, access, state.plan().budget, state.spent())?))
    };
    Ok((Some(open(model)?), explain_model.as_ref().map(open).transpose()?))
}

/// There are no models in this build.
#[cfg(not(feature = "rollouts"))]
fn ask(journal: &Journal, _: &ModelAccessArgs) -> Result<Models, Failure> {
    match &journal.state().plan().writer {
        WriterPlan::Model { .. } => Err(Failure::left_out("language models")),
        WriterPlan::Tuner { .. } => Ok((None, None)),
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
        Body::Closed { generation } if *generation > 0 => ("Closed", closed(state, *generation)),
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

/// A generation that is over: the champion and its evidence, what became of the candidates, what was spent.
fn closed(state: &State, generation: u32) -> String {
    let of: Vec<_> = state.candidates().iter().filter(|(place, _)| place.generation == generation).collect();
    let out = of.iter().filter(|(_, candidate)| candidate.out.is_some()).count();
    let mut text = format!("generation {generation}: the champion is {}", state.champion());
    if let Some(trial) = state.trials().iter().rev().find(|trial| trial.promoted == Some(true)) {
        let differences: Vec<f64> = trial.pairs.iter().map(|pair| pair.0 - pair.1).collect();
        let (low, high) = interval(&differences);
        text.push_str(&format!(
            ", {:+.2} ({low:+.2} to {high:+.2}) over {}, e-value {}",
            mean(&differences),
            trial.champion,
            plain(trial.wager.wealth())
        ));
    }
    text.push_str(&format!("; {} of {} candidates raced", of.len() - out, of.len()));
    let spent = state.spent();
    if spent.replies > 0 {
        let dollars = spent.microdollars as f64 / 1e6;
        text.push_str(&format!("; {} replies, {} tokens, ${dollars:.4}", spent.replies, spent.tokens));
    }
    text
}
