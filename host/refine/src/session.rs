//! A session: does what comes next until it is over, writing down everything that happens.

use crate::core::bandit::choose_operator;
use crate::core::event::{Behaviour, Body, End, Event, Pooled, Program};
use crate::core::node::{Node, Visit};
use crate::core::place::Place;
use crate::core::plan::Cost;
use crate::core::purpose::Purpose;
use crate::core::seeds::{Family, block};
use crate::core::state::State;
use crate::core::step::{Means, Step, next};
use crate::core::tuner::{Proposal, propose};
use crate::journal::{Journal, JournalError};
use assay_model::Seed;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The level of the sealed comparison over all seeds together: the lower end of a 95% interval.
const SEALED_LEVEL: f64 = 0.025;

/// Why a session cannot go on. None of these is a candidate's doing; it can be resumed.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// Its folder.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A market could not be run, or a model not be asked.
    #[error("{0}")]
    Infrastructure(String),
    /// It was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// What a candidate did on the probe seeds.
#[derive(Clone, PartialEq, Debug)]
pub struct Probe {
    /// Equal for equal orders.
    pub print: String,
    /// What it did wrong, if it did.
    pub failure: Option<String>,
    /// How it trades.
    pub behaviour: Option<Behaviour>,
}

/// Points of some blocks.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Points {
    /// Of each block, from 1 to 10.
    pub points: Vec<f64>,
    /// Of each block in each market, where there are several.
    pub by_market: Vec<Vec<f64>>,
    /// The first veto of the score, if there was one.
    pub veto: Option<String>,
}

/// Runs candidates.
pub trait Bench {
    /// Runs a candidate on a few seeds of each market.
    ///
    /// # Errors
    /// [`Trouble`], never for what the candidate does.
    fn probe(&self, program: &Program, seeds: &[Seed]) -> Result<Probe, Trouble>;

    /// Scores a candidate on blocks of seeds of each market.
    ///
    /// # Errors
    /// [`Trouble`], never for what the candidate does.
    fn score(&self, program: &Program, blocks: &[Vec<Seed>]) -> Result<Points, Trouble>;

    /// Scores challenger and champion over all these seeds of each market together. `level` is the probability that the difference is below what is given as
    /// its least.
    ///
    /// # Errors
    /// [`Trouble`], never for what the candidates do.
    fn pool(&self, challenger: &Program, champion: &Program, seeds: &[Seed], level: f64) -> Result<Pooled, Trouble>;

    /// Points of each block in each market of the sealed family, in the order of the plan.
    ///
    /// # Errors
    /// [`Trouble`], never for what the candidate does.
    fn score_unseen(&self, program: &Program, blocks: &[Vec<Seed>]) -> Result<Vec<Vec<f64>>, Trouble>;
}

/// Runs a program on a few seeds: what it did, for a reader.
pub type Tell<'a> = dyn Fn(&Program, &[Seed]) -> Result<String, Trouble> + 'a;

/// Makes candidates.
pub trait Writer {
    /// Fills a slot: the last event that it gives is [`Body::Written`] or [`Body::Unwritten`].
    ///
    /// # Errors
    /// [`Trouble`].
    fn write(&mut self, work: &mut Work<'_>, place: Place) -> Result<Body, Trouble>;

    /// Asks which markets to look at besides: the last event that it gives is [`Body::Planned`]. Only a session with a model for it comes to this.
    ///
    /// # Errors
    /// [`Trouble`].
    fn plan(&mut self, _: &mut Work<'_>) -> Result<Body, Trouble> {
        Err(Trouble::Infrastructure("nobody plans in this session".to_owned()))
    }

    /// Asks what somebody thinks of the challenger of a trial: the last event that it gives is [`Body::Judged`]. Only a session with a model for it comes to
    /// this.
    ///
    /// # Errors
    /// [`Trouble`].
    fn judge(&mut self, _: &mut Work<'_>, _trial: u32) -> Result<Body, Trouble> {
        Err(Trouble::Infrastructure("nobody judges in this session".to_owned()))
    }
}

/// Hears every event when it is written down.
pub type Watch<'a> = dyn FnMut(&State, &Event) + 'a;

/// A session at work: its journal, its time, and who watches.
pub struct Work<'a> {
    journal: &'a mut Journal,
    watch: &'a mut Watch<'a>,
    /// Milliseconds since this process took the session up.
    clock: &'a dyn Fn() -> u64,
    before_ms: u64,
}

impl<'a> Work<'a> {
    /// Takes a session up. `clock` counts milliseconds from now.
    pub fn new(journal: &'a mut Journal, watch: &'a mut Watch<'a>, clock: &'a dyn Fn() -> u64) -> Self {
        let before_ms = journal.state().at_ms();
        Self { journal, watch, clock, before_ms }
    }

    /// The state.
    #[must_use]
    pub const fn state(&self) -> &State {
        self.journal.state()
    }

    /// The journal, for stored texts.
    #[must_use]
    pub const fn journal(&self) -> &Journal {
        self.journal
    }

    /// The source of a candidate that is one.
    ///
    /// # Errors
    /// [`Trouble`]: there is none.
    pub fn source(&self, place: Place) -> Result<String, Trouble> {
        match self.program(place)? {
            Program::Source(hash) => Ok(self.journal.program(hash)?),
            Program::Settings(_) => Err(Trouble::Infrastructure(format!("there is no program of {place}"))),
        }
    }

    /// Writes down what happened.
    ///
    /// # Errors
    /// [`Trouble::Journal`].
    pub fn note(&mut self, body: Body) -> Result<(), Trouble> {
        let event = self.journal.note(self.elapsed_ms(), body)?;
        (self.watch)(self.journal.state(), &event);
        Ok(())
    }

    /// Writes down that a node begins, unless the log says so already: what an interruption has cut off is begun once.
    ///
    /// # Errors
    /// [`Trouble::Journal`].
    pub fn enter(&mut self, node: Node, candidate: Place, number: u32) -> Result<(), Trouble> {
        if self.state().has_begun(Visit { node, candidate, number }) {
            return Ok(());
        }
        let operator = if node == Node::Write { choose_operator(self.state(), candidate) } else { None };
        self.note(Body::Entered { node, candidate, number, operator })
    }

    /// Writes down that a node ends which no other event ends, unless the log says so already; and what is wrong with an answer that was validated.
    ///
    /// # Errors
    /// [`Trouble::Journal`].
    pub fn leave(&mut self, node: Node, candidate: Place, number: u32, why: Option<String>) -> Result<(), Trouble> {
        let visit = Visit { node, candidate, number };
        if self.state().open().contains(&visit) {
            self.note(Body::Left { node, candidate, number, why })?;
        }
        Ok(())
    }

    fn elapsed_ms(&self) -> u64 {
        self.before_ms + (self.clock)()
    }

    /// What is left to work with: whether the writer that has been the cheapest can be asked again.
    #[must_use]
    pub fn means(&self) -> Means {
        let state = self.state();
        if state.plan().budget.minutes.is_some_and(|limit| self.elapsed_ms() as f64 / 60_000.0 >= limit) {
            return Means::NoTime;
        }
        let writers = state.plan().writer.models().map_or(0, |models| models.writers().count() as u32);
        let fits = |model| self.covers(state.usual_cost(Purpose::Writing, model));
        if writers == 0 || (0..writers).any(fits) { Means::Enough } else { Means::NoRequests }
    }

    /// How much of the time is left, if it is limited.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        let minutes = self.state().plan().budget.minutes?;
        let left_ms = minutes * 60_000.0 - self.elapsed_ms() as f64;
        // Up to the millisecond in which the time is up. What is too long to be counted is no limit.
        Duration::try_from_secs_f64((left_ms.max(0.0).ceil() + 1.0) / 1e3).ok()
    }

    /// Whether a request that is expected to cost this fits in the budget.
    #[must_use]
    pub fn covers(&self, expected: Cost) -> bool {
        self.state().plan().budget.covers(self.state().spent().cost(), expected)
    }

    /// Works until the session is over.
    ///
    /// # Errors
    /// [`Trouble`]: [`Trouble::Interrupted`] once `stop` is set or the session was asked to stop.
    pub fn run(&mut self, writer: &mut dyn Writer, bench: &dyn Bench, stop: &AtomicBool) -> Result<End, Trouble> {
        loop {
            if stop.load(Ordering::Relaxed) || self.journal.take_stop()? {
                return Err(Trouble::Interrupted);
            }
            match next(self.state(), self.means()) {
                Step::Over(why) => return Ok(why),
                Step::Note(body) => {
                    if let Body::Closed { generation } = body {
                        self.enter(Node::Aggregate, Place { generation, slot: 0 }, 0)?;
                    }
                    self.note(body)?;
                }
                step => self.act(&step, writer, bench)?,
            }
        }
    }

    /// Does the next thing that takes time. Of several slots or candidates the first one only: an interruption and the budget are looked at between them.
    fn act(&mut self, step: &Step, writer: &mut dyn Writer, bench: &dyn Bench) -> Result<(), Trouble> {
        let body = match step {
            Step::Over(_) | Step::Note(_) => return Ok(()),
            Step::Write(places) => {
                let Some(&place) = places.first() else { return Ok(()) };
                self.enter(Node::Write, place, 0)?;
                if place.generation == 0 { self.origin() } else { writer.write(self, place)? }
            }
            Step::Probe(places) => {
                let Some(&candidate) = places.first() else { return Ok(()) };
                self.enter(Node::Execute, candidate, 0)?;
                let plan = self.state().plan();
                let seeds = block(plan.seed, Family::Probe, 0, plan.rules.probe_seeds);
                let Probe { print, failure, behaviour } = bench.probe(self.program(candidate)?, &seeds)?;
                Body::Probed { candidate, print, failure, behaviour }
            }
            Step::Score { candidates, blocks } => {
                let Some(&candidate) = candidates.first() else { return Ok(()) };
                self.enter(Node::Execute, candidate, 0)?;
                let family = Family::Search { generation: self.state().generation() };
                let scored = bench.score(self.program(candidate)?, &self.blocks(family, blocks.clone()))?;
                let Points { points, by_market, .. } = scored;
                Body::Scored { candidate, from_block: blocks.start, points, by_market }
            }
            Step::Compare { trial, candidate, champion, blocks } => {
                let (trial, candidate) = (*trial, *candidate);
                self.enter(Node::Judge, candidate, 0)?;
                self.enter(Node::Execute, candidate, 0)?;
                let seeds = self.blocks(Family::Trial { number: trial }, blocks.clone());
                let challenger = bench.score(self.program(candidate)?, &seeds)?;
                let holder = bench.score(self.program(*champion)?, &seeds)?;
                let pairs = challenger.points.into_iter().zip(holder.points).collect();
                Body::Compared { trial, candidate, from_block: blocks.start, pairs, veto: challenger.veto }
            }
            Step::Pool { trial, candidate, champion, blocks } => {
                let (trial, candidate) = (*trial, *candidate);
                self.enter(Node::Execute, candidate, 0)?;
                let seeds = self.blocks(Family::Pooled { number: trial }, blocks.clone()).concat();
                let level = self.state().plan().level(trial as usize);
                let found = bench.pool(self.program(candidate)?, self.program(*champion)?, &seeds, level)?;
                Body::Pooled { trial, candidate, found }
            }
            Step::Plan => {
                self.enter(Node::Plan, Place::ORIGIN, 0)?;
                writer.plan(self)?
            }
            Step::Judge { trial } => {
                let judged = (*trial as usize).checked_sub(1).and_then(|index| self.state().trials().get(index));
                let candidate = judged.map_or(self.state().champion(), |judged| judged.candidate);
                self.enter(Node::Advise, candidate, 0)?;
                writer.judge(self, *trial)?
            }
            Step::Unseal { champion, blocks } => {
                self.enter(Node::Execute, *champion, 0)?;
                self.unsealed(*champion, blocks.clone(), bench)?
            }
        };
        self.note(body)
    }

    /// Champion and origin on the sealed seeds.
    fn unsealed(&self, champion: Place, blocks: Range<u32>, bench: &dyn Bench) -> Result<Body, Trouble> {
        let seeds = self.blocks(Family::Sealed, blocks);
        let best = bench.score(self.program(champion)?, &seeds)?;
        let origin = bench.score(self.program(Place::ORIGIN)?, &seeds)?;
        let pairs = best.points.into_iter().zip(origin.points).collect();
        let (best, origin) = (self.program(champion)?, self.program(Place::ORIGIN)?);
        let is_pooled = self.state().plan().rules.pooled_blocks > 0;
        let pooled = is_pooled.then(|| bench.pool(best, origin, &seeds.concat(), SEALED_LEVEL)).transpose()?;
        Ok(Body::Unsealed { pairs, family: self.unseen(champion, bench)?, pooled })
    }

    /// Points of champion and origin in each market of the sealed family.
    fn unseen(&self, champion: Place, bench: &dyn Bench) -> Result<Vec<Vec<(f64, f64)>>, Trouble> {
        if self.state().plan().family.is_empty() {
            return Ok(Vec::new());
        }
        let seeds = self.blocks(Family::Unseen, 0..self.state().plan().rules.family_blocks);
        let best = bench.score_unseen(self.program(champion)?, &seeds)?;
        let origin = bench.score_unseen(self.program(Place::ORIGIN)?, &seeds)?;
        Ok(best.into_iter().zip(origin).map(|(best, origin)| best.into_iter().zip(origin).collect()).collect())
    }

    /// What the session began with, as a candidate.
    fn origin(&self) -> Body {
        let program = match &self.state().plan().writer {
            crate::core::plan::WriterPlan::Tuner { parameters } => {
                Program::Settings(parameters.iter().map(|parameter| parameter.default).collect())
            }
            crate::core::plan::WriterPlan::Model(_) => Program::Source(self.state().plan().source_hash.clone()),
        };
        let idea = "what it began with".to_owned();
        Body::Written { candidate: Place::ORIGIN, parent: None, other: None, program, idea, revised: None }
    }

    fn blocks(&self, family: Family, blocks: Range<u32>) -> Vec<Vec<Seed>> {
        // Those of the search may be seen again by a fork; those of trials and of the seal not.
        let seed = self.state().seed();
        blocks.map(|number| block(seed, family, number, self.state().plan().rules.block_seeds)).collect()
    }

    fn program(&self, place: Place) -> Result<&Program, Trouble> {
        let candidate = self.state().candidates().get(&place);
        candidate
            .and_then(|candidate| candidate.program.as_ref())
            .ok_or_else(|| Trouble::Infrastructure(format!("there is no candidate {place}")))
    }
}

/// The tuner as a writer.
pub struct Tuner;

impl Writer for Tuner {
    fn write(&mut self, work: &mut Work<'_>, place: Place) -> Result<Body, Trouble> {
        let crate::core::plan::WriterPlan::Tuner { parameters } = &work.state().plan().writer else {
            return Err(Trouble::Infrastructure("the session is not the tuner's".to_owned()));
        };
        let Proposal { values, parent, other, idea } = propose(work.state(), place, parameters);
        let program = Program::Settings(values);
        Ok(Body::Written { candidate: place, parent, other, program, idea, revised: None })
    }
}
