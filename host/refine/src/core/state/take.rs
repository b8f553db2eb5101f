//! What each event changes.
//!
//! Invariant: an event that cannot come next is refused. The state may have changed in part by then, so it is not used any more: the journal applies
//! events to a copy.

use super::{Candidate, Reply, State, Trial, mean};
use crate::core::event::{Body, Judged, Planned, Pooled, Program};
use crate::core::node::{Node, Visit};
use crate::core::place::Place;
use crate::core::wager::{Wager, certain};

impl State {
    pub(super) fn take(&mut self, body: &Body) -> Result<(), &'static str> {
        match body {
            Body::Began { .. } => return Err("a session begins once"),
            Body::Forked { seed, .. } => {
                (self.seed, self.may_unseal, self.ended) = (*seed, false, None);
                // What the sealed seeds said is its parent's.
                (self.sealed, self.sealed_pooled, self.family) = (None, None, Vec::new());
            }
            Body::Hinted { text } => self.hints.push(text.clone()),
            Body::Entered { node, candidate, number, operator } => {
                let visit = Visit { node: *node, candidate: *candidate, number: *number };
                if self.has_begun(visit) {
                    return Err("the node has begun already");
                }
                self.open.push(visit);
                self.operators.extend(operator.map(|operator| (*candidate, operator)));
            }
            Body::Left { node, candidate, number, .. } => {
                let visit = Visit { node: *node, candidate: *candidate, number: *number };
                if !self.open.contains(&visit) {
                    return Err("the node has not begun");
                }
                self.open.retain(|open| *open != visit);
                self.left.insert(visit);
            }
            Body::Asked { candidate, attempt, model } => {
                let asked = Reply { hash: None, why: None, model: model.unwrap_or(0), tokens: 0, microdollars: 0 };
                if self.replies.insert((*candidate, *attempt), asked).is_some() {
                    self.spent.lost += 1;
                }
            }
            Body::Answered { candidate, attempt, reply, tokens, microdollars, why } => {
                let asked = self.replies.get_mut(&(*candidate, *attempt)).ok_or("nobody asked")?;
                (asked.hash, asked.tokens, asked.microdollars) = (Some(reply.clone()), *tokens, *microdollars);
                asked.why.clone_from(why);
                self.spent.replies += u64::from(why.is_none());
                self.spend(*tokens, *microdollars);
            }
            Body::Paid { tokens, microdollars, .. } => self.spend(*tokens, *microdollars),
            Body::Written { candidate, parent, other, program, idea, revised } => {
                self.slot(*candidate, (*parent, *other), Some(program.clone()), idea)?;
                self.candidate_mut(*candidate)?.revised = *revised;
            }
            Body::Unwritten { candidate, why } => {
                self.slot(*candidate, (None, None), None, why)?;
                self.candidate_mut(*candidate)?.out = Some(why.clone());
            }
            Body::Probed { candidate, print, failure, behaviour } => {
                self.probed(*candidate, print, failure.as_ref())?;
                self.candidate_mut(*candidate)?.behaviour = *behaviour;
            }
            Body::Scored { candidate, from_block, points, by_market } => {
                self.scored(*candidate, *from_block, points, by_market)?;
            }
            Body::Compared { trial, candidate, from_block, pairs, veto } => {
                self.compared((*trial, *candidate), *from_block, pairs, veto.as_ref())?;
            }
            Body::Pooled { trial, candidate, found } => self.pooled((*trial, *candidate), found)?,
            Body::Decided { trial, candidate, promoted, .. } => self.decided(*trial, *candidate, *promoted)?,
            Body::Planned(planned) => self.plan_markets(planned)?,
            Body::Judged(judged) => self.judge(judged)?,
            Body::Closed { generation } => self.close(*generation)?,
            Body::Unsealed { pairs, family, pooled } => self.unsealed(pairs, family, pooled.as_ref())?,
            Body::Ended { why } => {
                self.ended = Some(*why);
                self.open.clear();
            }
        }
        self.end_node(body);
        Ok(())
    }

    /// What a provider says may be anything, so sums have an end.
    const fn spend(&mut self, tokens: u64, microdollars: u64) {
        self.spent.tokens = self.spent.tokens.saturating_add(tokens);
        self.spent.microdollars = self.spent.microdollars.saturating_add(microdollars);
    }

    /// The node that an event ends by the way. Logs of earlier versions have not begun it.
    fn end_node(&mut self, body: &Body) {
        let ended = match body {
            Body::Planned(_) => (Node::Plan, None),
            Body::Written { candidate, .. } | Body::Unwritten { candidate, .. } => (Node::Write, Some(*candidate)),
            Body::Probed { candidate, .. }
            | Body::Scored { candidate, .. }
            | Body::Compared { candidate, .. }
            | Body::Pooled { candidate, .. } => (Node::Execute, Some(*candidate)),
            Body::Unsealed { .. } => (Node::Execute, None),
            Body::Decided { candidate, .. } => (Node::Judge, Some(*candidate)),
            Body::Judged(judged) => (Node::Advise, Some(judged.candidate)),
            Body::Closed { .. } => (Node::Aggregate, None),
            _ => return,
        };
        self.open.retain(|open| open.node != ended.0 || ended.1.is_some_and(|candidate| open.candidate != candidate));
    }

    fn slot(
        &mut self,
        place: Place,
        (parent, other): (Option<Place>, Option<Place>),
        program: Option<Program>,
        idea: &str,
    ) -> Result<(), &'static str> {
        if place.generation != self.generation || self.candidates.contains_key(&place) {
            return Err("the slot is not open");
        }
        for parent in [parent, other].into_iter().flatten() {
            self.candidate_mut(parent)?.children += 1;
        }
        let candidate = Candidate {
            parent,
            other,
            program,
            idea: idea.to_owned(),
            print: None,
            out: None,
            behaviour: None,
            points: Vec::new(),
            by_market: Vec::new(),
            gain: None,
            gains: Vec::new(),
            edge: 0.0,
            children: 0,
            revised: None,
        };
        self.candidates.insert(place, candidate);
        Ok(())
    }

    fn probed(&mut self, place: Place, print: &str, failure: Option<&String>) -> Result<(), &'static str> {
        let twin = self.candidates.iter().find(|(_, other)| other.print.as_deref() == Some(print));
        let twin = twin.map(|(twin, _)| format!("places the same orders as {twin}"));
        let candidate = self.candidate_mut(place)?;
        candidate.print = Some(print.to_owned());
        candidate.out = failure.cloned().or(twin);
        Ok(())
    }

    fn scored(
        &mut self,
        place: Place,
        from_block: u32,
        points: &[f64],
        by_market: &[Vec<f64>],
    ) -> Result<(), &'static str> {
        let is_current = place.generation == self.generation || place == self.champion;
        let candidate = self.candidate_mut(place)?;
        if !is_current || candidate.points.len() != from_block as usize {
            return Err("other blocks are to be scored");
        }
        let fits = by_market.len() == candidate.by_market.len() || from_block == 0;
        if !fits || by_market.iter().any(|market| market.len() != points.len()) {
            return Err("the markets have other points");
        }
        candidate.points.extend(points);
        candidate.by_market.resize(by_market.len(), Vec::new());
        for (all, new) in candidate.by_market.iter_mut().zip(by_market) {
            all.extend(new);
        }
        Ok(())
    }

    fn compared(
        &mut self,
        (number, candidate): (u32, Place),
        from_block: u32,
        pairs: &[(f64, f64)],
        veto: Option<&String>,
    ) -> Result<(), &'static str> {
        let is_next = number as usize == self.trials.len() + 1;
        if number as usize != self.trials.len() && !is_next {
            return Err("another trial is open");
        }
        if is_next && self.trials.last().is_none_or(|last| last.promoted.is_some()) {
            let wager = Wager::new(self.plan.rules.bet_max);
            let champion = self.champion;
            let (pairs, veto, pooled, promoted) = (Vec::new(), None, None, None);
            self.trials.push(Trial { candidate, champion, pairs, wager, veto, pooled, promoted });
        }
        let trial = self.trials.last_mut().filter(|trial| trial.candidate == candidate && trial.promoted.is_none());
        let is_next = |trial: &&mut Trial| trial.pairs.len() == from_block as usize && trial.pooled.is_none();
        let trial = trial.filter(is_next).ok_or("no such trial is open")?;
        for pair in pairs {
            trial.wager.push(pair.0 - pair.1);
        }
        trial.pairs.extend(pairs);
        trial.veto = trial.veto.take().or_else(|| veto.cloned());
        Ok(())
    }

    fn pooled(&mut self, (number, candidate): (u32, Place), pooled: &Pooled) -> Result<(), &'static str> {
        if number as usize != self.trials.len() {
            return Err("another trial is open");
        }
        let (needed, rules) = (1.0 / self.plan.level(number as usize), &self.plan.rules);
        let last = self.trials.last_mut().filter(|last| last.candidate == candidate && last.promoted.is_none());
        let last = last.ok_or("no such trial is open")?;
        if rules.pooled_blocks == 0 || last.pooled.is_some() || !last.has_blocks(needed) {
            return Err("many seeds together follow blocks that have won, once a trial");
        }
        if pooled.seeds != rules.pooled_blocks.saturating_mul(rules.block_seeds) {
            return Err("it has another number of seeds than the plan");
        }
        if !pooled.is_possible() {
            return Err("no score is outside its scale");
        }
        last.pooled = Some(pooled.clone());
        Ok(())
    }

    fn decided(&mut self, number: u32, candidate: Place, promoted: bool) -> Result<(), &'static str> {
        if number as usize != self.trials.len() {
            return Err("another trial is open");
        }
        let needed = 1.0 / self.plan.level(number as usize);
        let last = self.trials.last_mut().filter(|last| last.candidate == candidate && last.promoted.is_none());
        let last = last.ok_or("no such trial is open")?;
        if last.awaits_seeds(needed, &self.plan.rules) {
            return Err("the trial has won its blocks, and is decided by many seeds together, which are missing");
        }
        match (promoted, last.is_won(needed, &self.plan.rules)) {
            (true, false) => return Err("the trial does not show that it was won"),
            (false, true) => return Err("the trial shows that it was won"),
            _ => {}
        }
        last.promoted = Some(promoted);
        if promoted {
            (self.champion, self.since_gain) = (candidate, 0);
        }
        Ok(())
    }

    fn unsealed(
        &mut self,
        pairs: &[(f64, f64)],
        family: &[Vec<(f64, f64)>],
        pooled: Option<&Pooled>,
    ) -> Result<(), &'static str> {
        if !self.may_unseal || self.sealed.is_some() {
            return Err("the sealed seeds are used once, by the session that they belong to");
        }
        if !family.is_empty() && family.len() != self.plan.family.len() {
            return Err("the family has other markets");
        }
        let rules = &self.plan.rules;
        let fits = |pooled: &Pooled| pooled.seeds == rules.sealed_blocks.saturating_mul(rules.block_seeds);
        if pooled.is_some() != (rules.pooled_blocks > 0) || pooled.is_some_and(|one| !fits(one) || !one.is_possible()) {
            return Err("the sealed seeds are not scored together as the plan has it");
        }
        self.sealed = Some(pairs.to_vec());
        (self.sealed_pooled, self.family) = (pooled.cloned(), family.to_vec());
        Ok(())
    }

    fn plan_markets(&mut self, planned: &Planned) -> Result<(), &'static str> {
        if self.planned.is_some() || self.generation != 0 {
            return Err("markets are proposed once, before the first generation");
        }
        self.planned = Some(planned.clone());
        Ok(())
    }

    fn judge(&mut self, judged: &Judged) -> Result<(), &'static str> {
        let trial = (judged.trial as usize).checked_sub(1).and_then(|index| self.trials.get(index));
        let decided = trial.filter(|trial| trial.candidate == judged.candidate).and_then(|trial| trial.promoted);
        let decided = decided.ok_or("a verdict is about a trial that is decided")?;
        if judged.agreed != judged.verdict.as_ref().map(|verdict| verdict.agrees(decided)) {
            return Err("the verdict agrees with another decision");
        }
        let earlier = self.judged.insert(judged.trial, judged.clone());
        if earlier.is_some() { Err("the trial has a verdict") } else { Ok(()) }
    }

    fn close(&mut self, generation: u32) -> Result<(), &'static str> {
        if generation != self.generation {
            return Err("another generation is open");
        }
        let last = self.trials.last();
        let gained = last.is_some_and(|trial| trial.promoted == Some(true) && trial.candidate.generation == generation);
        // The origin alone is no search.
        self.since_gain = if gained || generation == 0 { 0 } else { self.since_gain + 1 };
        self.settle();
        self.generation += 1;
        // A program is explained once, however many candidates come of it.
        self.left.retain(|visit| visit.node == Node::Explain);
        Ok(())
    }

    /// At the end of a generation: what its candidates have over the champion that they met. The champion's points are of this generation's seeds.
    fn settle(&mut self) {
        // The one that they met, which a promotion since has made the former.
        let met = self.trials.last().filter(|trial| trial.candidate.generation == self.generation);
        let met = met.map_or(self.champion, |trial| trial.champion);
        let reference = self.candidates.get(&met).map(|champion| (champion.points.clone(), champion.by_market.clone()));
        let (points, by_market) = reference.unwrap_or_default();
        for (place, candidate) in &mut self.candidates {
            if place.generation == self.generation && *place != met && !candidate.points.is_empty() {
                let gain = |own: &[f64], other: &[f64]| {
                    let seen = own.len().min(other.len());
                    mean(&own[..seen]) - mean(&other[..seen])
                };
                let total = gain(&candidate.points, &points);
                candidate.edge = certain(candidate.points.iter().zip(&points).map(|(own, other)| own - other));
                let markets = candidate.by_market.iter().zip(&by_market);
                candidate.gains = markets.map(|(own, other)| gain(own, other)).collect();
                if candidate.gains.is_empty() {
                    candidate.gains.push(total);
                }
                candidate.gain = Some((total, met));
            }
        }
        for candidate in self.candidates.values_mut() {
            candidate.points.clear();
            candidate.by_market.clear();
        }
    }

    fn candidate_mut(&mut self, place: Place) -> Result<&mut Candidate, &'static str> {
        self.candidates.get_mut(&place).ok_or("there is no such candidate")
    }
}
