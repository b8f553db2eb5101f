//! The judge: what a model thinks of a challenger, beside what the trial decided.
//!
//! Invariants: it is asked once the trial is decided, so it decides nothing; it is told nothing of the trial's seeds nor of the decision, so whether it
//! agreed says something about it; nobody who writes is told what it said; a reply in any other form does not count as a verdict.

use crate::ask::{Ask, Speaker};
use crate::core::event::{Body, Comparison, Judged, Judgement, Program, Recommendation};
use crate::core::place::Place;
use crate::core::purpose::Purpose;
use crate::core::seeds::{Family, block};
use crate::core::state::{State, mean};
use crate::prompt::{as_data, filled};
use crate::session::{Tell, Trouble, Work};
use crate::stored::Request;

pub(crate) const PROMPT: &str = include_str!("../prompts/judge.md");
/// Bytes of what a program did, as the judge is told.
const DID_BYTES_MAX: usize = 5_000;
/// Bytes of a program that is shown.
const PROGRAM_BYTES_MAX: usize = 40_000;
/// Characters of a reasoning that are kept.
pub const REASONING_CHARS_MAX: usize = 1_000;

/// Asks for the verdict on a trial.
pub(crate) fn judge(work: &mut Work<'_>, ask: &dyn Ask, tell: &Tell<'_>, number: u32) -> Result<Body, Trouble> {
    let trial = (number as usize).checked_sub(1).and_then(|index| work.state().trials().get(index));
    let trial = trial.ok_or_else(|| Trouble::Infrastructure(format!("trial {number} does not exist")))?;
    let (candidate, champion, promoted) = (trial.candidate, trial.champion, trial.promoted == Some(true));
    let prompt = prompt(work, tell, candidate, champion)?;
    let request = Request { ask, model: None, candidate, attempt: Purpose::Judging.first(), pictures: &[] };
    let reply = request.reply(work, &[(Speaker::User, prompt)], 0)?;
    let (verdict, why) = match reply.and_then(|answer| read(&answer.text)) {
        Ok(verdict) => (Some(verdict), None),
        Err(why) => (None, Some(why)),
    };
    let agreed = verdict.as_ref().map(|verdict| verdict.agrees(promoted));
    Ok(Body::Judged(Judged { trial: number, candidate, verdict, agreed, why }))
}

fn prompt(work: &Work<'_>, tell: &Tell<'_>, challenger: Place, champion: Place) -> Result<String, Trouble> {
    let plan = work.state().plan();
    let seeds = block(plan.seed, Family::Probe, 0, plan.rules.probe_seeds);
    let shown = |place: Place| -> Result<(String, String), Trouble> {
        let mut text = work.source(place)?;
        let mut did = tell(&Program::Source(blake3::hash(text.as_bytes()).to_hex().to_string()), &seeds)?;
        text.truncate(text.floor_char_boundary(PROGRAM_BYTES_MAX));
        did.truncate(did.floor_char_boundary(DID_BYTES_MAX));
        Ok((as_data(&text), as_data(&did)))
    };
    let (old, new) = (shown(champion)?, shown(challenger)?);
    let goal = plan.writer.models().map_or("", |models| models.goal.as_str());
    Ok(filled(PROMPT, |name| {
        Some(match name {
            "goal" => goal.to_owned(),
            "champion" => champion.to_string(),
            "challenger" => challenger.to_string(),
            "champion_program" => old.0.clone(),
            "champion_did" => old.1.clone(),
            "challenger_program" => new.0.clone(),
            "challenger_did" => new.1.clone(),
            "search" => search(work.state(), challenger, champion),
            _ => return None,
        })
    }))
}

/// What both scored in the race, while its points are still there.
fn search(state: &State, challenger: Place, champion: Place) -> String {
    let points = |place: Place| state.candidates().get(&place).map_or(&[][..], |candidate| &candidate.points[..]);
    let (new, old) = (points(challenger), points(champion));
    let blocks = new.len().min(old.len());
    let (new, old) = (mean(&new[..blocks]), mean(&old[..blocks]));
    format!("the champion has {old:.2} points and the challenger {new:.2}, over {blocks} blocks.")
}

/// A verdict from a reply.
///
/// # Errors
/// Why it is none, in words.
pub fn read(reply: &str) -> Result<Judgement, String> {
    let field = |name: &str| -> Result<&str, String> {
        let mut found = reply.lines().filter_map(|line| line.trim().strip_prefix(name)?.strip_prefix(':'));
        match (found.next(), found.next()) {
            (Some(value), None) => Ok(value.trim()),
            (None, _) => Err(format!("the verdict has no line {name}")),
            (Some(_), Some(_)) => Err(format!("the verdict has several lines {name}")),
        }
    };
    let score = field("SCORE")?.parse().ok().filter(|score| (1.0..=10.0).contains(score));
    let score = score.ok_or("the score of the verdict is not a number from 1 to 10")?;
    let comparison = match field("COMPARISON")? {
        "better" => Comparison::Better,
        "worse" => Comparison::Worse,
        "same" => Comparison::Same,
        _ => return Err("the comparison of the verdict is not better, worse or same".to_owned()),
    };
    let recommendation = match field("RECOMMENDATION")? {
        "promote" => Recommendation::Promote,
        "keep" => Recommendation::Keep,
        _ => return Err("the recommendation of the verdict is not promote or keep".to_owned()),
    };
    let reasoning = field("REASONING")?.chars().take(REASONING_CHARS_MAX).collect();
    Ok(Judgement { score, comparison, recommendation, reasoning })
}
