//! What an address or a form may tell: names, kinds and bounds, and what is wrong with what is told. Pages and `/api` judge by the same functions.
//!
//! Invariant: nothing here decides what becomes of something wrong. `/api` refuses it; a page leaves it out and says so.

/// Pages of a list that can be counted.
const PAGES_MAX: u64 = 4_294_967_295;

pub(crate) const KIND: Parameter = may("kind", "run|gate|rollout|refine", "Only runs of this kind.");
pub(crate) const STATUS: Parameter = may(
    "status",
    "pending|running|completed|failed|cancelled|lost",
    "Only runs with this status. `lost` are those whose process is gone; they are among those that are `running`, too, which is their last word.",
);
pub(crate) const SCENARIO: Parameter = may("scenario", "string", "Only runs in this scenario.");
pub(crate) const STRATEGY: Parameter = may("strategy", "string", "Only runs of this strategy or model.");
pub(crate) const PAGE: Parameter = may("page", "integer", "The page, from 1.").or("1").within(1, PAGES_MAX);
pub(crate) const FROM: Parameter = may("from", "integer", "The first row, from 0.").or("0");
pub(crate) const WINDOW_FROM: Parameter =
    may("from", "integer", "Where the window begins, in nanoseconds of exchange time; the whole session without it.");
pub(crate) const WINDOW_TO: Parameter = may("to", "integer", "Where it ends.");
pub(crate) const STEP: Parameter = may("step", "integer", "After which step; the last one if it is missing or larger.");
pub(crate) const ONLY: Parameter = may("only", "step|tool|tests|error|score", "Only entries of this kind.");
pub(crate) const LANGUAGE: Parameter = may("language", "rust|python", "Of the template.").or("rust");

/// Something that is told in an address or a form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub name: &'static str,
    /// A type of JSON Schema, or words with `|` between them, one of which it is.
    pub kind: &'static str,
    pub is_required: bool,
    /// Whether there may be several.
    pub is_many: bool,
    /// What counts where it is missing.
    pub default: Option<&'static str>,
    /// The least and the most, of a number.
    pub bounds: Option<(u64, u64)>,
    pub what: &'static str,
}

/// What has to be there.
pub(crate) const fn needs(name: &'static str, kind: &'static str, what: &'static str) -> Parameter {
    Parameter { name, kind, is_required: true, is_many: false, default: None, bounds: None, what }
}

/// What may be there.
pub(crate) const fn may(name: &'static str, kind: &'static str, what: &'static str) -> Parameter {
    Parameter { is_required: false, ..needs(name, kind, what) }
}

impl Parameter {
    pub(crate) const fn many(self) -> Self {
        Self { is_many: true, ..self }
    }

    pub(crate) const fn or(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    pub(crate) const fn within(self, low: u64, high: u64) -> Self {
        Self { bounds: Some((low, high)), ..self }
    }

    /// What may be there once is there once: nobody knows which of several was meant.
    pub(crate) fn times(&self, times: usize) -> Result<(), String> {
        if self.is_many || times <= 1 { Ok(()) } else { Err("it may be there only once".to_owned()) }
    }

    /// What is there is of its kind. Nothing is.
    pub(crate) fn check(&self, value: &str) -> Result<(), String> {
        match self.kind {
            _ if value.is_empty() => Ok(()),
            "integer" if value.parse::<u64>().is_err() => Err("it is not a number".to_owned()),
            "boolean" if !["true", "false"].contains(&value) => Err("use true or false".to_owned()),
            _ => self.is_one_of(value),
        }
    }

    /// A word is one of those that there are, where the table lists them.
    pub(crate) fn is_one_of(&self, value: &str) -> Result<(), String> {
        let words = self.kind;
        if value.is_empty() || !words.contains('|') || words.split('|').any(|word| word == value) {
            return Ok(());
        }
        Err(format!("use one of {}", words.replace('|', ", ")))
    }

    /// A number is neither too small nor too large.
    pub(crate) fn is_within(&self, value: &str) -> Result<(), String> {
        match (self.bounds, value.parse::<u64>()) {
            (Some((low, _)), Ok(number)) if number < low => Err(format!("use {low} or more")),
            (Some((_, high)), Ok(number)) if number > high => Err(format!("use {high} or less")),
            _ => Ok(()),
        }
    }
}

/// The one of a name, or which there are. `what` they are called.
pub(crate) fn known<'a>(known: &'a [Parameter], name: &str, what: &str) -> Result<&'a Parameter, String> {
    known.iter().find(|parameter| parameter.name == name).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|parameter| parameter.name).collect();
        let there_are =
            if names.is_empty() { "there are none".to_owned() } else { format!("there are {}", names.join(", ")) };
        format!("no such {what}; {there_are}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::runs::statuses;
    use assay_store::Kind;

    #[test]
    fn the_words_are_those_of_the_store() {
        let joined = |words: Vec<&str>| words.join("|");
        assert_eq!(KIND.kind, joined(Kind::ALL.iter().map(|kind| kind.word()).collect()));
        assert_eq!(STATUS.kind, joined(statuses()));
    }
}
