//! The editor: where its text comes from, and what the buttons below it do.

use super::asking::{Refusal, Refused, chosen_baseline, chosen_markets};
use super::desk::{editor_address, shown, topic, unwell};
use super::{Done, Problem, View, known, report_bytes, session};
use crate::code::Code;
use crate::form::Form;
use crate::id::FolderId;
use crate::library::Library;
use crate::pages::Frame;
use crate::pages::edit::{Beside, Draft, findings, page};
use crate::pages::jobs::Shown;
use crate::safety::field;
use crate::starting::{Checked, Work};
use assay_evaluate::{SCHEMA_NAME, SCHEMA_VERSION};
use assay_refine::core::event::Program;
use assay_refine::core::place::Place as Slot;
use assay_store::RunId;
use assay_work::jobs::{Job, JobId, Plan, What as JobWhat};
use assay_work::offers::{Offer, OfferId, SOURCE_BYTES_MAX, StrategyName, version};
use assay_work::order::{RunOrder, Seeds, goal};
use axum::http::Uri;
use serde::Deserialize;

/// Seeds of a run that nobody said more about.
const SEEDS: &str = "20";
const MARKET: &str = "calm";
const GOAL: &str = "balanced";

/// What the address of the editor asks for.
pub(crate) struct Asked<'a> {
    pub uri: &'a Uri,
    /// The record of a run in the store.
    pub stored: Option<&'a [u8]>,
    /// A job, and the run that it has made.
    pub job: Option<(Option<RunId>, JobId)>,
}

fn draft(name: &str, source: String, base: &str) -> Draft {
    let (market, goal, base) = (MARKET.to_owned(), GOAL.to_owned(), base.to_owned());
    let name = StrategyName::like(name).to_string();
    Draft { name, source, base, market, seeds: SEEDS.to_owned(), goal, baseline: String::new() }
}

/// What of the record of a run is edited.
#[derive(Deserialize)]
struct Record {
    strategy: Strategy,
}

#[derive(Deserialize)]
struct Strategy {
    file_name: String,
    source: Option<String>,
}

/// The strategy of a recorded run, where the record has its source.
pub(super) fn of_record(bytes: &[u8]) -> Result<Draft, Problem> {
    known(bytes, (SCHEMA_NAME, SCHEMA_VERSION), "run.json")?;
    let record: Record = serde_json::from_slice(bytes).map_err(|error| Problem::unreadable("run.json", error))?;
    let source = record.strategy.source.ok_or_else(|| {
        let words = "The record of this run does not contain the source of its strategy: only single files are kept.";
        Problem::new(Code::NotFound, "There is no source", words)
    })?;
    Ok(draft(&record.strategy.file_name, source, ""))
}

/// The editor as an address asks for it.
pub(crate) fn open(library: &Library, frame: Frame<'_>, work: &Work, asked: &Asked<'_>) -> View {
    let offers = work.offers.list();
    if let Some((run, id)) = &asked.job {
        let topic = topic(work, id);
        let shown = shown(library, work, id, *run)?;
        let draft = of_job(work, &offers, &shown)?;
        let beside = Beside { offers: &offers, job: Some(&shown), topic: Some(topic), ..Beside::default() };
        return Ok(page(frame, &draft, &beside));
    }
    let draft = of_address(library, work, &offers, asked)?;
    let has_saved = field(asked.uri, "saved").is_some_and(|text| !text.is_empty());
    let news = has_saved.then(|| format!("Saved as {}.", draft.name));
    let beside = Beside { offers: &offers, news: news.as_deref(), ..Beside::default() };
    Ok(page(frame, &draft, &beside))
}

/// The text that an address asks for, and how it would run.
pub(crate) fn draft_of(library: &Library, work: &Work, asked: &Asked<'_>) -> Result<Draft, Problem> {
    let offers = work.offers.list();
    match &asked.job {
        Some((run, id)) => of_job(work, &offers, &shown(library, work, id, *run)?),
        None => of_address(library, work, &offers, asked),
    }
}

fn of_address(library: &Library, work: &Work, offers: &[Offer], asked: &Asked<'_>) -> Result<Draft, Problem> {
    let query = |name: &str| field(asked.uri, name).filter(|text| !text.is_empty());
    Ok(if let Some(bytes) = asked.stored {
        of_record(bytes)?
    } else if query("run").is_some() {
        return Err(Problem::nothing());
    } else if let Some(report) = query("report") {
        let id = report.parse::<FolderId>().map_err(|_| Problem::nothing())?;
        of_record(&report_bytes(library, id)?)?
    } else if let Some(id) = query("session") {
        of_candidate(library, &id, &query("candidate").unwrap_or_default())?
    } else if let Some(id) = query("open") {
        let offer = id.parse::<OfferId>().ok().and_then(|id| offers.iter().find(|offer| offer.id == id));
        let offer = offer
            .filter(|offer| offer.kind.is_strategy())
            .ok_or_else(|| Problem::none("There is no such strategy among the files that may be used."))?;
        let text = offer.read().map_err(|error| Problem::of_file(&offer.name, &error))?;
        let base = if offer.is_saved { version(&text) } else { String::new() };
        draft(&offer.file_name, text, &base)
    } else {
        let is_python = query("language").is_some_and(|language| language == "python");
        let (name, text) =
            if is_python { ("my-strategy.py", work.templates[1]) } else { ("my-strategy.rs", work.templates[0]) };
        draft(name, text.to_owned(), "")
    })
}

fn of_candidate(library: &Library, session_id: &str, slot: &str) -> Result<Draft, Problem> {
    let id = session_id.parse::<FolderId>().map_err(|_| Problem::nothing())?;
    let slot = Slot::try_from(slot.to_owned()).map_err(|_| Problem::nothing())?;
    let (_, kept) = session(library, id)?;
    let plan = kept.state.plan();
    let candidate = kept.state.candidates().get(&slot).and_then(|candidate| candidate.program.as_ref());
    let read = |hash: &str| kept.program(hash).map_err(|error| Problem::unreadable("the program", error));
    let source = match (candidate.ok_or_else(Problem::nothing)?, &plan.writer) {
        (Program::Source(hash), _) => read(hash)?,
        (Program::Settings(values), assay_refine::core::plan::WriterPlan::Tuner { parameters }) => {
            let source = read(&plan.source_hash)?;
            assay_refine::source::with_defaults(&source, parameters, values)
                .map_err(|error| Problem::unreadable("the program", error))?
        }
        (Program::Settings(_), _) => read(&plan.source_hash)?,
    };
    Ok(draft(&plan.strategy, source, ""))
}

/// What a job ran.
fn of_job(work: &Work, offers: &[Offer], shown: &Shown) -> Result<Draft, Problem> {
    let text = work.jobs.text(&shown.job.id, &shown.job.subject, SOURCE_BYTES_MAX);
    let text = text.map_err(|error| Problem::of_file(&shown.job.subject, &error))?;
    let name = StrategyName::like(&shown.job.subject);
    // As long as nobody else saves it, it may be saved over what it was made from.
    let base =
        work.offers.saved(&name).and_then(|offer| offer.read().ok()).map_or_else(String::new, |text| version(&text));
    let mut draft = draft(&shown.job.subject, text, &base);
    let word = |start: &str| shown.job.words.iter().find_map(|word| word.strip_prefix(start)).map(str::to_owned);
    let id_of = |path: &str| {
        let offer = offers.iter().find(|offer| offer.path().to_str() == Some(path));
        offer.map(|offer| offer.id.to_string())
    };
    draft.market = word("--scenario=").map_or(draft.market, |market| id_of(&market).unwrap_or(market));
    draft.seeds = word("--seeds=").unwrap_or(draft.seeds);
    draft.goal = word("--goal=").unwrap_or(draft.goal);
    draft.baseline = word("--baseline=").and_then(|path| id_of(&path)).unwrap_or_default();
    Ok(draft)
}

/// What was typed, and its name if it is one.
fn typed(form: &Form) -> (Draft, Result<StrategyName, Refused>) {
    let text = |name: &str| form.get(name).trim().to_owned();
    let draft = Draft {
        name: text("name"),
        source: form.get("source").to_owned(),
        base: Some(text("base")).filter(|base| base.bytes().all(|byte| byte.is_ascii_hexdigit())).unwrap_or_default(),
        market: text("market"),
        seeds: text("seeds"),
        goal: text("goal"),
        baseline: text("baseline"),
    };
    let name = draft.name.parse::<StrategyName>().map_err(|error| Refused::of("name", error));
    (draft, name)
}

fn with_trouble(frame: Frame<'_>, work: &Work, draft: &Draft, trouble: &str) -> Done {
    let offers = work.offers.list();
    let beside = Beside { offers: &offers, trouble: Some(trouble), ..Beside::default() };
    Done::Page(422, page(frame, draft, &beside))
}

/// Checks what was typed: a page, or the findings alone for the script.
pub(crate) fn check(frame: Frame<'_>, work: &Work, form: &Form) -> Result<Done, Problem> {
    let is_part = !form.get("part").is_empty();
    match checked(work, form) {
        Ok(checked) if is_part => Ok(Done::Page(200, findings(&checked).into_string())),
        Ok(checked) => Ok(Done::Page(200, with_findings(frame, work, &typed(form).0, &checked))),
        Err(refusal) if is_part => Err(unwell(&refusal.words())),
        Err(refusal) => Ok(with_trouble(frame, work, &typed(form).0, &refusal.words())),
    }
}

fn with_findings(frame: Frame<'_>, work: &Work, draft: &Draft, checked: &Checked) -> String {
    let offers = work.offers.list();
    page(frame, draft, &Beside { offers: &offers, checked: Some(checked), ..Beside::default() })
}

/// Saves what was typed.
pub(crate) fn save(frame: Frame<'_>, work: &Work, form: &Form) -> Result<Done, Problem> {
    Ok(match saved(work, form) {
        Ok(id) => Done::Go(format!("/edit?open={id}&saved=1")),
        Err(refusal) => with_trouble(frame, work, &typed(form).0, &refusal.words()),
    })
}

/// The same for whoever makes no page of it: what the saved strategy is called in forms, or why it is not saved.
pub(crate) fn saved(work: &Work, form: &Form) -> Result<OfferId, Refusal> {
    let (draft, name) = typed(form);
    let base = Some(draft.base.as_str()).filter(|base| !base.is_empty());
    work.offers.save(&name?, &draft.source, base).map_err(|error| Refusal::Other(unwell(&error.to_string())))
}

/// What is found in what was typed, or why it cannot be checked.
pub(crate) fn checked(work: &Work, form: &Form) -> Result<Checked, Refusal> {
    let (draft, name) = typed(form);
    (work.check.0)(&name?, &draft.source).map_err(|why| Refusal::Other(unwell(&why)))
}

/// Why what was typed does not run.
pub(crate) enum Held {
    /// It does not pass.
    Findings(Checked),
    /// Something else is wrong.
    Wrong(Refusal),
}

impl From<Refusal> for Held {
    fn from(refusal: Refusal) -> Self {
        Self::Wrong(refusal)
    }
}

/// Runs what was typed, if it passes.
pub(crate) fn run(frame: Frame<'_>, work: &Work, form: &Form) -> Result<Done, Problem> {
    Ok(match start(work, form) {
        Ok(job) => Done::Go(editor_address(&job.id)),
        Err(Held::Findings(checked)) => Done::Page(422, with_findings(frame, work, &typed(form).0, &checked)),
        Err(Held::Wrong(refusal)) => with_trouble(frame, work, &typed(form).0, &refusal.words()),
    })
}

/// The same for whoever makes no page of it.
pub(crate) fn start(work: &Work, form: &Form) -> Result<Job, Held> {
    let (draft, name) = typed(form);
    let name = name.map_err(Refusal::from)?;
    let checked = (work.check.0)(&name, &draft.source).map_err(|why| Refusal::Other(unwell(&why)))?;
    if !checked.has_passed {
        return Err(Held::Findings(checked));
    }
    let asked = (|| {
        let baseline = chosen_baseline(work, &draft.baseline)?;
        let (seeds, goal) = (Seeds::parse(&draft.seeds)?, goal(&draft.goal)?);
        Ok::<_, Refusal>((seeds, goal, baseline, chosen_markets(work, "market", [draft.market.as_str()])?))
    })();
    let (seeds, goal, baseline, markets) = asked?;
    let started = work.jobs.start(name.stem(), |own| {
        let (strategy, result) = (own.join(name.as_str()), own.join("report"));
        let order = RunOrder { strategy, markets, seeds, goal, baseline, keeps_data: false };
        Ok(Plan {
            what: JobWhat::Run,
            subject: name.to_string(),
            files: vec![(name.to_string(), draft.source.clone())],
            words: order.words(&result),
            again: None,
            session: None,
            hint: None,
            result,
        })
    });
    started.map_err(|error| Refusal::from(error).into())
}
