//! What all forms that start work are read with: ids of offered files, numbers, markets, money; and what comes of a form.

use super::Problem;
use super::desk::{refused, unwell};
use crate::pages::start::Filled;
use crate::starting::Work;
use assay_work::jobs::{Asked, Job, StartError};
use assay_work::offers::{Kind, Offer, OfferId};
use assay_work::order::{Budget, Markets, OrderError};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// How long a command may take to say what it would do, or what is wrong: it compiles a strategy, or probes the tasks of a world.
const ASK_WAIT: Duration = Duration::from_secs(120);

/// What comes of a form.
pub(crate) enum Begun {
    /// A job.
    Job(Box<Job>),
    /// What the command says that it would take.
    Estimate(Asked),
}

/// Why nothing comes of it.
pub(crate) enum Refusal {
    /// Something in the form is wrong.
    Form(String),
    /// Something else is.
    Other(Problem),
}

impl From<String> for Refusal {
    fn from(why: String) -> Self {
        Self::Form(why)
    }
}

impl From<OrderError> for Refusal {
    fn from(error: OrderError) -> Self {
        Self::Form(error.to_string())
    }
}

impl From<StartError> for Refusal {
    fn from(error: StartError) -> Self {
        Self::Other(refused(&error))
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Form(why) => for_programs(&why),
            Refusal::Other(problem) => problem,
        }
    }
}

/// Why the fields that a program sent are refused: by the names of the API, and without the lists that a form shows.
pub(crate) fn for_programs(why: &str) -> Problem {
    let Some((field, rest)) = why.split_once(": ") else { return unwell(why) };
    let name = match field {
        "compare with" => "baseline",
        "who writes candidates" => "writer",
        "at once" => "at_once",
        "agent" => "model",
        other => other,
    };
    let told = match (name, rest) {
        ("family", "choose one of the list") => "use `none`, or leave it empty",
        ("family", "choose none, or name some") => "`none` and `unseen` exclude each other",
        ("episode", "open it and follow the link to this form") => "it is not the id of a trajectory",
        (_, "choose one of the list") => "it is none of those that GET /api/choices lists",
        (_, rest) => rest,
    };
    unwell(&format!("{name}: {told}"))
}

/// A number that was typed.
pub(super) fn number<T: FromStr>(text: &str, field: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{field}: it is not a number"))
}

/// The same where nothing may be typed, too.
pub(super) fn optional<T: FromStr>(text: &str, field: &str) -> Result<Option<T>, String> {
    if text.is_empty() { Ok(None) } else { number(text, field).map(Some) }
}

/// Asks a command what it would take.
pub(super) fn estimate(work: &Work, words: &[String]) -> Result<Begun, Refusal> {
    let asked = work.jobs.ask(words, ASK_WAIT);
    asked.map(Begun::Estimate).map_err(|error| Refusal::Other(unwell(&error.to_string())))
}

/// What an id of a form names.
pub(super) fn offer(
    work: &Work,
    id: &str,
    is_right: impl Fn(Kind) -> bool,
    field: &'static str,
) -> Result<Offer, OrderError> {
    let found = id.parse::<OfferId>().ok().and_then(|id| work.offers.find(id));
    found
        .filter(|offer| is_right(offer.kind))
        .ok_or_else(|| OrderError { field, why: "choose one of the list".to_owned() })
}

/// The path of what a run is compared with; none for a trader that does nothing.
pub(super) fn chosen_baseline(work: &Work, id: &str) -> Result<Option<PathBuf>, OrderError> {
    if id.is_empty() {
        return Ok(None);
    }
    offer(work, id, Kind::is_strategy, "compare with").map(|offer| Some(offer.path()))
}

/// Markets that were chosen. What is wrong with a scenario file is said in the words of the command line.
pub(super) fn chosen_markets<'a>(work: &Work, names: impl IntoIterator<Item = &'a str>) -> Result<Markets, String> {
    let file = |id: &str| offer(work, id, |kind| kind == Kind::Scenario, "market").ok().map(|offer| offer.path());
    let markets = Markets::parse(names, file).map_err(|error| error.to_string())?;
    for path in markets.files() {
        let asked = work.jobs.ask(&Markets::words_of_check(path), ASK_WAIT).map_err(|error| error.to_string())?;
        if asked.code != Some(0) {
            let said = asked.output.trim().trim_start_matches("error:").replace("\n hint:", ";");
            return Err(said.trim().to_owned());
        }
    }
    Ok(markets)
}

/// What may be spent.
pub(super) fn money(filled: &Filled) -> Result<Budget, String> {
    let (dollars, tokens) = (optional(&filled.dollars, "dollars")?, optional(&filled.tokens, "tokens")?);
    Ok(Budget { dollars, tokens, minutes: None })
}
