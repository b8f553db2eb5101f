//! Markets that a model proposes: those of the session with some of their numbers multiplied, to show writers what a program does under stress.
//!
//! Invariants: no proposal takes the place of a market of the session, and none counts in a race, a trial or the seal, so an easy one gains nothing; only
//! what [`DIALS`] lists can be changed, within its factors; each proposal is taken or refused for a reason that is recorded; a proposal makes the same
//! market again whenever it is asked.

use crate::ask::{Ask, Speaker};
use crate::core::event::{Body, Planned, Program, Proposed, Refused};
use crate::core::place::Place;
use crate::core::purpose::Purpose;
use crate::prompt::{as_data, filled};
use crate::reply::REPLY_BYTES_MAX;
use crate::session::{Trouble, Work};
use crate::stored::Request;
use assay_market::{Draft, Scenario, ScenarioData};
use assay_model::Seed;
use std::fmt::Write as _;

pub(crate) const PROMPT: &str = include_str!("../prompts/plan.md");
/// Proposals that are taken: each takes its time with every program that is shown.
pub const PROPOSALS_MAX: usize = 2;
/// Changes of one proposal.
const CHANGES_MAX: usize = 4;
/// Refused proposals that are named.
pub const REFUSED_MAX: usize = 8;
/// Characters of a name.
const NAME_CHARS_MAX: usize = 40;
/// Characters of what a proposal is to show, or of what it got wrong.
const WORDS_CHARS_MAX: usize = 200;
/// What can be changed, `*` being any group, and the least and the greatest factor. Money is not among it: fees, rebates, cash and limits are the user's.
const DIALS: [(&str, f64, f64); 6] = [
    ("strategy.latency", 1.0, 50.0),
    ("fundamental.volatility_per_root_second", 0.25, 4.0),
    ("fundamental.shock_interval", 0.1, 10.0),
    ("fundamental.shock_mean", 0.0, 4.0),
    ("agents.*.count", 0.0, 2.0),
    ("agents.*.wake_interval", 0.25, 4.0),
];
/// The latency of a market that names none.
const LATENCY: &str = "1ms";

/// Runs a program on these seeds of the proposed markets: what it did there, for a reader.
pub type Stress<'a> = dyn Fn(&Program, &[Seed], &[Proposed]) -> Result<String, Trouble> + 'a;

/// The model that proposes, and the markets that it may change.
#[derive(Clone, Copy)]
pub struct Planner<'a> {
    /// The model.
    pub ask: &'a dyn Ask,
    /// The markets of the session, in the order of its plan.
    pub markets: &'a [Scenario],
}

impl Planner<'_> {
    /// Asks for proposals, and says which are taken.
    pub(crate) fn plan(&self, work: &mut Work<'_>) -> Result<Body, Trouble> {
        let plan = work.state().plan();
        let goal = plan.writer.models().map_or("", |models| models.goal.as_str());
        let shown = work.source(Place::ORIGIN)?;
        let prompt = filled(PROMPT, |name| {
            Some(match name {
                "goal" => goal.to_owned(),
                "most" => PROPOSALS_MAX.to_string(),
                "changes" => CHANGES_MAX.to_string(),
                "markets" => as_data(&self.described()),
                "program" => as_data(&shown),
                _ => return None,
            })
        });
        let names: Vec<String> = plan.markets.iter().map(|market| market.name.clone()).collect();
        let request = Request {
            ask: self.ask,
            model: None,
            candidate: Place::ORIGIN,
            attempt: Purpose::Planning.first(),
            pictures: &[],
        };
        let reply = request.reply(work, &[(Speaker::User, prompt)], 0)?;
        Ok(Body::Planned(match reply {
            Ok(answer) => read(&answer.text, &names, self.markets),
            Err(why) => Planned { markets: Vec::new(), refused: Vec::new(), why: Some(why) },
        }))
    }

    fn described(&self) -> String {
        let mut text = String::new();
        for (number, market) in (1..).zip(self.markets) {
            let _infallible = writeln!(text, "market {number}: {}, {}", market.name, market.summary);
            let Ok(table) = market.to_toml().parse::<toml::Table>() else { continue };
            for (key, low, high) in DIALS {
                for key in keys(&table, key) {
                    if let Some(value) = value(&table, &key) {
                        let _infallible = writeln!(text, "{key} = {value}, x {low} to {high}");
                    }
                }
            }
        }
        text
    }
}

/// A dial's keys in a market: one, or one for each group.
fn keys(table: &toml::Table, dial: &str) -> Vec<String> {
    let Some((before, after)) = dial.split_once('*') else { return vec![dial.to_owned()] };
    let groups = table.get("agents").and_then(toml::Value::as_array).into_iter().flatten();
    groups.filter_map(group_name).map(|name| format!("{before}{name}{after}")).collect()
}

fn group_name(group: &toml::Value) -> Option<&str> {
    group.get("name").or_else(|| group.get("kind"))?.as_str()
}

/// The value of a key in a market, if it is a number or a duration.
fn value(table: &toml::Table, key: &str) -> Option<toml::Value> {
    let (section, rest) = key.split_once('.')?;
    let found = match rest.rsplit_once('.') {
        Some((group, key)) => {
            let mut groups = table.get(section)?.as_array()?.iter();
            groups.find(|one| group_name(one) == Some(group))?.get(key).cloned()
        }
        None => table.get(section).and_then(|section| section.get(rest)).cloned(),
    };
    let found = found.or_else(|| (key == "strategy.latency").then(|| LATENCY.into()));
    found.filter(|value| value.is_integer() || value.is_float() || value.is_str())
}

/// A number, a whole number or a duration, multiplied; `None` of anything else.
fn multiplied(value: &toml::Value, factor: f64) -> Option<String> {
    match value {
        toml::Value::Integer(whole) => Some(format!("{:.0}", libm::round(*whole as f64 * factor))),
        toml::Value::Float(number) => Some(format!("{:?}", number * factor)),
        toml::Value::String(text) => {
            let unit = text.find(|c: char| c.is_ascii_alphabetic())?;
            let number: f64 = text[..unit].trim().parse().ok()?;
            Some(format!("\"{}{}\"", number * factor, &text[unit..]))
        }
        _ => None,
    }
}

/// The market that a proposal makes of its base.
///
/// # Errors
/// What is wrong with the proposal, in words.
pub fn scenario(proposed: &Proposed, base: &Scenario) -> Result<Scenario, String> {
    let table: toml::Table = base.to_toml().parse().map_err(|error: toml::de::Error| error.to_string())?;
    let mut text = format!("base = \"the market\"\nname = \"{}\"\n", proposed.name);
    for (key, factor) in &proposed.changes {
        let dial = DIALS.iter().find(|(dial, ..)| keys(&table, dial).contains(key));
        let Some((_, low, high)) = dial else {
            return Err(format!("`{}` cannot be changed", words(key)));
        };
        if !(*low..=*high).contains(factor) {
            return Err(format!("`{key}` can be multiplied by {low} to {high}, not by {factor}"));
        }
        let changed = value(&table, key).and_then(|value| multiplied(&value, *factor));
        let changed = changed.ok_or_else(|| format!("the market has no number for `{key}`"))?;
        let quoted: Vec<String> = key.split('.').map(|part| toml::Value::from(part).to_string()).collect();
        let _infallible = writeln!(text, "{} = {changed}", quoted.join("."));
    }
    let draft = Draft::parse_over(&text, &mut |_| Ok(base.to_toml().to_owned()));
    draft.and_then(|draft| draft.complete(ScenarioData::default())).map_err(|error| words(&error.to_string()))
}

/// The proposals of a reply: which are taken, and why others are not.
#[must_use]
pub fn read(reply: &str, names: &[String], markets: &[Scenario]) -> Planned {
    let mut planned = Planned { markets: Vec::new(), refused: Vec::new(), why: None };
    if reply.len() > REPLY_BYTES_MAX {
        planned.why = Some(format!("the answer has {} bytes; at most {REPLY_BYTES_MAX} are read", reply.len()));
        return planned;
    }
    for block in reply.split("MARKET:").skip(1) {
        let (head, rest) = block.split_once('\n').unwrap_or((block, ""));
        let (name, number) = head.split_once(" over ").unwrap_or((head, ""));
        let (name, number) = (words(name.trim()), number.trim().parse::<usize>().ok());
        let base = number.and_then(|number| number.checked_sub(1)).filter(|index| *index < markets.len());
        let made = match base {
            Some(index) => proposal(&name, (&names[index], &markets[index]), rest, names, &planned.markets),
            None => Err("it does not say over which market it is".to_owned()),
        };
        match made {
            Ok(proposed) => planned.markets.push(proposed),
            Err(why) if planned.refused.len() < REFUSED_MAX => planned.refused.push(Refused { name, why }),
            Err(_) => {}
        }
    }
    planned
}

/// One proposal, checked.
fn proposal(
    name: &str,
    (base_name, base): (&str, &Scenario),
    text: &str,
    names: &[String],
    taken: &[Proposed],
) -> Result<Proposed, String> {
    if taken.len() == PROPOSALS_MAX {
        return Err(format!("{PROPOSALS_MAX} are taken already"));
    }
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > NAME_CHARS_MAX || !name.chars().all(is_plain) {
        return Err(format!("a name has 1 to {NAME_CHARS_MAX} lower-case letters, digits and hyphens"));
    }
    if names.iter().any(|other| other == name) || taken.iter().any(|other| other.name == name) {
        return Err("there is a market of that name".to_owned());
    }
    let mut proposed =
        Proposed { name: name.to_owned(), base: base_name.to_owned(), changes: Vec::new(), why: String::new() };
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(why) = line.strip_prefix("WHY:") {
            proposed.why = words(why.trim());
            break;
        }
        let change = line.split_once(" x ").and_then(|(key, factor)| {
            let factor: f64 = factor.trim().parse().ok()?;
            Some((key.trim().to_owned(), factor))
        });
        let change = change.ok_or_else(|| format!("`{}` does not say what is multiplied by what", words(line)))?;
        if proposed.changes.iter().any(|(key, _)| *key == change.0) {
            return Err(format!("`{}` is changed twice", words(&change.0)));
        }
        proposed.changes.push(change);
        if proposed.changes.len() > CHANGES_MAX {
            return Err(format!("it changes more than {CHANGES_MAX} numbers"));
        }
    }
    // Numbers that are none are in no range, so they are refused below.
    if proposed.changes.iter().all(|(_, factor)| (factor - 1.0).abs() < f64::EPSILON) {
        return Err("it changes nothing".to_owned());
    }
    scenario(&proposed, base)?;
    Ok(proposed)
}

/// Words of a model, shortened to one line.
fn words(text: &str) -> String {
    let plain = |c: char| if c.is_control() || assay_validator::is_hidden(c) { ' ' } else { c };
    text.chars().take(WORDS_CHARS_MAX).map(plain).collect()
}
