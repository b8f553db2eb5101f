//! The work itself: a writer and a bench for the session, events shown as they come, the result written.

use super::asking::Asking;
use super::explain::explain_all;
use super::failed;
use super::table::Table;
use super::workshop::{Workshop, champion};
use crate::guide::{GUIDE, GUIDE_PYTHON};
use crate::interrupt::cancel_on_interrupt;
use crate::settings::RecordSettings;
use crate::{Ending, Failure, face, ledger};
use assay_evaluate::{Goal, RunRecord};
use assay_market::Scenario;
use assay_model::Seed;
use assay_refine::analyst::Analyst;
use assay_refine::core::event::{End, Event, Program, Proposed};
use assay_refine::core::plan::{MarketPlan, Plan};
use assay_refine::core::state::{Spent, State};
use assay_refine::journal::Journal;
use assay_refine::market::Markets;
use assay_refine::model::{Ask, ModelWriter};
use assay_refine::planner::{self, Planner, Stress};
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
    /// Where it is recorded, if anywhere.
    pub record: &'a RecordSettings,
}

/// Works until the session is over or interrupted, and records it.
pub(super) fn work(
    journal: Journal,
    workshop: &Workshop,
    markets: (&[Scenario], &[Scenario]),
    models: &Models,
    manner: &Manner<'_>,
) -> Result<Ending, Failure> {
    let place = ledger::Place::to_record(manner.record)?;
    let books = ledger::Ledger::open(place.as_ref());
    let about = about(&journal, markets.0);
    let result = books.recorded(about, |kept| session(journal, workshop, markets, (models, manner), kept));
    books.close();
    result
}

#[cfg(feature = "stores")]
fn about(journal: &Journal, scenarios: &[Scenario]) -> ledger::About {
    super::ledger::about(journal.path(), journal.state(), scenarios)
}

#[cfg(not(feature = "stores"))]
const fn about(_: &Journal, _: &[Scenario]) -> ledger::About {
    ledger::About
}

/// Works until the session is over or interrupted, and writes what there is.
fn session(
    mut journal: Journal,
    workshop: &Workshop,
    (scenarios, family): (&[Scenario], &[Scenario]),
    (models, manner): (&Models, &Manner<'_>),
    kept: &mut ledger::Kept,
) -> Result<Ending, Failure> {
    let (threads, json) = (manner.threads, manner.json);
    let path = journal.path().to_owned();
    let plan = journal.state().plan().clone();
    let goal: Goal = serde_json::from_value(plan.goal.clone().into())
        .map_err(|_| Failure::usage("the session's goal is not a valid one"))?;
    let cancel = cancel_on_interrupt();
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
    let stress = |program: &Program, seeds: &[Seed], proposed: &[Proposed]| {
        let proposed = proposed_scenarios(&plan.markets, scenarios, proposed)?;
        Markets::new(&proposed, goal, threads, &load, &cancel).brief(program, seeds)
    };
    let analyst = models.explains.as_ref().map(|asked| Analyst { ask: &**asked, explain: &explain });
    let planner =
        models.plans.as_ref().map(|asked| (Planner { ask: &**asked, markets: scenarios }, &stress as &Stress<'_>));
    let guide = if workshop.is_python() { GUIDE_PYTHON } else { GUIDE };
    let mut writer: Box<dyn Writer + '_> = if models.writes.is_empty() {
        Box::new(Tuner)
    } else {
        let writer = ModelWriter::new(&models.writes, &check, &tell, guide);
        Box::new(writer.with_analyst(analyst).with_judge(models.judges.as_deref()).with_planner(planner))
    };
    let started = Instant::now();
    let clock = || u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let table = Table::new(journal.state(), json);
    let mut watch = |state: &State, event: &Event| table.show(state, event);
    let result = Work::new(&mut journal, &mut watch, &clock).run(&mut *writer, &bench, &cancel);
    table.finish();
    let champion_name = if workshop.is_python() { "champion.py" } else { "champion.rs" };
    let state = journal.state();
    let files = [(champion_name, champion(&path, state)?), (STORY_NAME, story::story(state))];
    for (name, text) in &files {
        match journal.write(name, text).map_err(|error| failed(&path, &error)) {
            // What stopped the session matters more than what it could not write then.
            Err(failure) if result.is_ok() => return Err(failure),
            written => drop(written),
        }
    }
    #[cfg(feature = "stores")]
    super::ledger::keep(kept, &path, state, &files);
    #[cfg(not(feature = "stores"))]
    let _ = kept;
    ended(result, (path.as_path(), champion_name), state, json)
}

/// What there is to say at the end.
fn ended(
    result: Result<End, Trouble>,
    (path, champion_name): (&Path, &str),
    state: &State,
    json: bool,
) -> Result<Ending, Failure> {
    let resume = format!("`{}` continues it", super::resume_command(path));
    match result {
        Ok(why) => {
            face::step("Over", why.words());
            if !json {
                face::out(&story::outcome(state));
                if let Some(words) = story::elsewhere(state) {
                    face::out(&words);
                }
            }
            face::step("Result", &format!("{}: {champion_name}, {STORY_NAME}", path.display()));
            Ok(Ending::Success)
        }
        Err(Trouble::Interrupted) => Err(Failure {
            ending: Ending::Interrupted,
            message: format!("interrupted after event {}", state.seq()),
            hint: Some(resume),
        }),
        Err(Trouble::Journal(error)) => Err(failed(path, &error)),
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

/// The markets that a model proposed for these.
fn proposed_scenarios(
    markets: &[MarketPlan],
    scenarios: &[Scenario],
    proposed: &[Proposed],
) -> Result<Vec<Scenario>, Trouble> {
    let one = |proposed: &Proposed| {
        let base =
            markets.iter().position(|market| market.name == proposed.base).and_then(|index| scenarios.get(index));
        let base = base.ok_or_else(|| format!("unknown market `{}`", proposed.base));
        let made = base.and_then(|base| planner::scenario(proposed, base));
        made.map_err(|why| {
            Trouble::Infrastructure(format!("the proposed market {} cannot be made: {why}", proposed.name))
        })
    };
    proposed.iter().map(one).collect()
}

/// The models of a session, opened.
#[derive(Default)]
pub(super) struct Models {
    /// Those that write; none for the tuner.
    writes: Vec<Box<dyn Ask>>,
    explains: Option<Box<dyn Ask>>,
    judges: Option<Box<dyn Ask>>,
    plans: Option<Box<dyn Ask>>,
}

/// Opens the models of a session that has spent something already. No request is made, but whatever the user must mend is found.
#[cfg(feature = "rollouts")]
pub(super) fn open_models((plan, spent): (&Plan, Spent), asking: &Asking<'_>) -> Result<Models, Failure> {
    let Some(models) = plan.writer.models() else { return Ok(Models::default()) };
    let shared = super::model::Shared::new(asking, plan.budget, spent)?;
    let is_one = models.others.is_empty() && models.helpers().next().is_none();
    if asking.tape.is_some() && !is_one {
        return Err(Failure::usage("--record takes the replies of one model, and several were given"));
    }
    let open =
        |model: &str| -> Result<Box<dyn Ask>, Failure> { Ok(Box::new(super::model::Asked::open(model, &shared)?)) };
    let maybe = |model: &Option<String>| model.as_deref().map(open).transpose();
    Ok(Models {
        writes: models.writers().map(open).collect::<Result<_, _>>()?,
        explains: maybe(&models.explain_model)?,
        judges: maybe(&models.judge_model)?,
        plans: maybe(&models.plan_model)?,
    })
}

/// There are no models in this build.
#[cfg(not(feature = "rollouts"))]
pub(super) fn open_models((plan, _): (&Plan, Spent), _: &Asking<'_>) -> Result<Models, Failure> {
    if plan.writer.models().is_some() { Err(Failure::left_out("language models")) } else { Ok(Models::default()) }
}
