//! What all forms that start work are read with: ids of offered files, numbers, markets, money; and what comes of a form.

use super::Problem;
use super::desk::{refused, unwell};
use crate::code::Code;
use crate::pages::start::Filled;
use crate::starting::Work;
use assay_work::jobs::{Asked, Job, StartError};
use assay_work::offers::{Kind, Offer, OfferId};
use assay_work::order::{Budget, Markets, OrderError};
use std::fmt::Display;
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
    /// A field of the form is wrong.
    Form(Refused),
    /// Something else is.
    Other(Problem),
}

impl Refusal {
    /// For whoever sees the form.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Form(refused) => refused.words(),
            Self::Other(problem) => problem.words.clone(),
        }
    }
}

/// A field that is wrong. A form says it in its own words; programs are told the name, and see no lists.
pub(crate) struct Refused {
    /// By its name, in forms and in the API.
    field: &'static str,
    /// What the form calls it.
    label: &'static str,
    why: String,
    /// What programs are told instead.
    told: Option<&'static str>,
}

impl Refused {
    pub(super) fn of(field: &'static str, why: impl Display) -> Self {
        Self { field, label: field, why: why.to_string(), told: None }
    }

    /// It is none of those that there are to choose from.
    pub(super) fn unlisted(field: &'static str) -> Self {
        Self::of(field, "choose one of the list").or_told("it is none of those that GET /api/choices lists")
    }

    /// With another name in the form.
    pub(super) fn called(self, label: &'static str) -> Self {
        Self { label, ..self }
    }

    /// With other words for programs.
    pub(super) fn or_told(self, told: &'static str) -> Self {
        Self { told: Some(told), ..self }
    }

    /// For whoever sees the form.
    pub(crate) fn words(&self) -> String {
        format!("{}: {}", self.label.replace('_', " "), self.why)
    }
}

impl From<OrderError> for Refused {
    fn from(error: OrderError) -> Self {
        Self::of(error.field, error.why)
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        Self::Form(refused)
    }
}

impl From<OrderError> for Refusal {
    fn from(error: OrderError) -> Self {
        Self::Form(error.into())
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
            Refusal::Form(Refused { field, why, told, .. }) => {
                let words = format!("{field}: {}", told.unwrap_or(&why));
                Self::new(Code::InvalidRequest, "That cannot be done", words).about(field)
            }
            Refusal::Other(problem) => problem,
        }
    }
}

/// A number that was typed.
pub(super) fn number<T: FromStr>(text: &str, field: &'static str) -> Result<T, Refused> {
    text.parse().map_err(|_| Refused::of(field, "it is not a number"))
}

/// The same where nothing may be typed, too.
pub(super) fn optional<T: FromStr>(text: &str, field: &'static str) -> Result<Option<T>, Refused> {
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
) -> Result<Offer, Refused> {
    let found = id.parse::<OfferId>().ok().and_then(|id| work.offers.find(id));
    found.filter(|offer| is_right(offer.kind)).ok_or_else(|| Refused::unlisted(field))
}

/// The path of what a run is compared with; none for a trader that does nothing.
pub(super) fn chosen_baseline(work: &Work, id: &str) -> Result<Option<PathBuf>, Refused> {
    if id.is_empty() {
        return Ok(None);
    }
    let found = offer(work, id, Kind::is_strategy, "baseline").map_err(|refused| refused.called("compare with"))?;
    Ok(Some(found.path()))
}

/// Markets that were chosen in a field. What is wrong with a scenario file is said in the words of the command line.
pub(super) fn chosen_markets<'a>(
    work: &Work,
    field: &'static str,
    names: impl IntoIterator<Item = &'a str>,
) -> Result<Markets, Refusal> {
    let file = |id: &str| offer(work, id, |kind| kind == Kind::Scenario, field).ok().map(|offer| offer.path());
    let markets = Markets::parse(names, file).map_err(|error| Refused::of(field, error.why))?;
    for path in markets.files() {
        let asked = work.jobs.ask(&Markets::words_of_check(path), ASK_WAIT);
        let asked = asked.map_err(|error| Refusal::Other(unwell(&error.to_string())))?;
        if asked.code != Some(0) {
            let said = asked.output.trim().trim_start_matches("error:").replace("\n hint:", ";");
            return Err(Refused::of(field, said.trim()).into());
        }
    }
    Ok(markets)
}

/// What may be spent.
pub(super) fn money(filled: &Filled) -> Result<Budget, Refused> {
    let (dollars, tokens) = (optional(&filled.dollars, "dollars")?, optional(&filled.tokens, "tokens")?);
    Ok(Budget { dollars, tokens, minutes: None })
}
