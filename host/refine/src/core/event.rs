//! What happens in a session, in the order in which it happened.

use super::node::Node;
use super::operator::Operator;
use super::place::Place;
use super::plan::{Plan, is_zero};
use assay_evaluate::score::{POINTS_MAX, POINTS_MIN};
use serde::{Deserialize, Serialize};

/// An event with its number and what may differ between two runs of the same session.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Counts from 1, without gaps.
    pub seq: u64,
    /// Milliseconds of work before it, over all processes of the session.
    pub at_ms: u64,
    /// The process that wrote it.
    pub owner: u32,
    /// What happened.
    pub body: Body,
}

/// What happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case", deny_unknown_fields)]
pub enum Body {
    /// The session began. Comes first.
    Began {
        /// What it set out to do.
        plan: Box<Plan>,
    },
    /// Another session goes on from here, with draws of its own and without the sealed seeds.
    Forked {
        /// The session that it comes from.
        from: String,
        /// Its events up to this one are shared.
        at: u64,
        /// What draws are keyed by from here on.
        seed: u64,
    },
    /// A person gave a hint for the writer.
    Hinted {
        /// The hint.
        text: String,
    },
    /// A node of the loop begins. Since version 5, as its end where no other event marks it.
    Entered {
        /// Which.
        node: Node,
        /// The candidate that it is about; for what is about a whole generation, its first slot.
        candidate: Place,
        /// Counts the visits of a candidate to a node that it comes to more than once, from 0.
        #[serde(default, skip_serializing_if = "is_zero")]
        number: u32,
        /// What a slot is asked for, where a model fills it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        operator: Option<Operator>,
    },
    /// A node ends that no other event ends ([`Node`] says which).
    Left {
        /// Which.
        node: Node,
        /// As it began.
        candidate: Place,
        /// As it began.
        #[serde(default, skip_serializing_if = "is_zero")]
        number: u32,
        /// What is wrong with an answer that was validated; it holds words of programs, and is not trusted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// A request to a model is about to be sent. One without an answer was in flight when its process ended, and may have been paid.
    Asked {
        /// For this candidate.
        candidate: Place,
        /// The first try is 0; what a request is for goes by its number ([`Purpose`](super::purpose::Purpose)).
        attempt: u32,
        /// Which of the writing models is asked, where there are several; counted from 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<u32>,
    },
    /// The model has answered, and its reply is stored.
    Answered {
        /// For this candidate.
        candidate: Place,
        /// To this try.
        attempt: u32,
        /// BLAKE3 of the reply, which names its file.
        reply: String,
        /// Tokens of input and output.
        tokens: u64,
        /// Cost in micro-dollars; 0 without a price.
        microdollars: u64,
        /// Why it is no reply, if it is none: then the text is empty, and nobody asks again. What was spent may be more than nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// A request has failed that will be sent again, after something of it had been paid for.
    Paid {
        /// For this candidate.
        candidate: Place,
        /// As this try.
        attempt: u32,
        /// Tokens of input and output.
        tokens: u64,
        /// Cost in micro-dollars; 0 without a price.
        microdollars: u64,
    },
    /// A candidate exists.
    Written {
        /// Where.
        candidate: Place,
        /// What it was made from, if from anything.
        parent: Option<Place>,
        /// What it was crossed with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        other: Option<Place>,
        /// What it is.
        program: Program,
        /// What it tries, in its writer's words; not trusted.
        idea: String,
        /// Whether its writer changed the draft on looking it over; `None` if it did not look.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        revised: Option<bool>,
    },
    /// No candidate came of a slot.
    Unwritten {
        /// Where.
        candidate: Place,
        /// Why.
        why: String,
    },
    /// A candidate ran on the probe seeds.
    Probed {
        /// Which.
        candidate: Place,
        /// Equal for candidates that place the same orders.
        print: String,
        /// What it did wrong, if it did.
        failure: Option<String>,
        /// How it trades.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        behaviour: Option<Behaviour>,
    },
    /// A candidate, or the champion beside them, was scored on seeds of the search.
    Scored {
        /// Which.
        candidate: Place,
        /// The first of the blocks.
        from_block: u32,
        /// Points of each.
        points: Vec<f64>,
        /// Points of each in each market, where there are several.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        by_market: Vec<Vec<f64>>,
    },
    /// Candidate and champion met on seeds that nobody has seen.
    Compared {
        /// The trial, counted from 1.
        trial: u32,
        /// The challenger.
        candidate: Place,
        /// The first of the blocks.
        from_block: u32,
        /// Points of challenger and champion in each.
        pairs: Vec<(f64, f64)>,
        /// The veto of the score that the challenger met, if it did: it cannot be promoted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        veto: Option<String>,
    },
    /// A challenger that had won its trial met the champion once more, over many fresh seeds together. Since version 7.
    Pooled {
        /// The trial.
        trial: u32,
        /// The challenger.
        candidate: Place,
        /// What came of it.
        found: Pooled,
    },
    /// A trial was decided.
    Decided {
        /// The trial.
        trial: u32,
        /// The challenger.
        candidate: Place,
        /// Whether it is the champion now.
        promoted: bool,
        /// The evidence, as an e-value: the odds against its being no better.
        e_value: f64,
        /// What was needed.
        needed: f64,
        /// Blocks that were looked at.
        blocks: u32,
    },
    /// A model proposed markets to look at besides. They tell writers something, and count nowhere.
    Planned(Planned),
    /// A model said what it thinks of the challenger of a trial. It decides nothing.
    Judged(Judged),
    /// A generation is over.
    Closed {
        /// Which.
        generation: u32,
    },
    /// Champion and origin met on the sealed seeds. Happens once.
    Unsealed {
        /// Points of champion and origin in each block.
        pairs: Vec<(f64, f64)>,
        /// The same in each market of the family, in the order of the plan.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        family: Vec<Vec<(f64, f64)>>,
        /// The two over all sealed seeds together. Since version 7.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pooled: Option<Pooled>,
    },
    /// The session is over.
    Ended {
        /// Why.
        why: End,
    },
}

/// Challenger and champion, or champion and origin, each scored over the same seeds together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pooled {
    /// Seeds of each market.
    pub seeds: u32,
    /// The challenger's score.
    pub challenger: f64,
    /// The champion's.
    pub champion: f64,
    /// What the challenger has over the champion at least, in points, at the level of the trial.
    pub at_least: f64,
    /// The veto of the score that the challenger met, or that it certainly loses more money, if either is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub veto: Option<String>,
}

impl Pooled {
    /// Whether the challenger is certainly ahead.
    #[must_use]
    pub fn is_ahead(&self) -> bool {
        self.at_least > 0.0 && self.veto.is_none()
    }

    /// Whether scores can be so.
    pub(super) fn is_possible(&self) -> bool {
        let scale = POINTS_MIN..=POINTS_MAX;
        let is_score = |points: f64| scale.contains(&points);
        let is_lead = self.at_least >= POINTS_MIN - POINTS_MAX && self.at_least <= self.challenger - self.champion;
        is_score(self.challenger) && is_score(self.champion) && is_lead
    }
}

/// What came of asking for markets.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planned {
    /// The proposals that were taken.
    pub markets: Vec<Proposed>,
    /// Those that were refused.
    pub refused: Vec<Refused>,
    /// Why there are none at all, if the model gave no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A market that a model proposed: one of the session's with some of its numbers multiplied.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposed {
    /// What it is called: lower-case letters, digits and hyphens.
    pub name: String,
    /// The market of the session that it changes.
    pub base: String,
    /// What is multiplied, and by what.
    pub changes: Vec<(String, f64)>,
    /// What it is to show, in the model's words; not trusted.
    pub why: String,
}

/// A proposal that was refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// What it was called; not trusted.
    pub name: String,
    /// What is wrong with it.
    pub why: String,
}

/// What a model thought of a challenger, beside what the trial decided.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// The trial.
    pub trial: u32,
    /// The challenger.
    pub candidate: Place,
    /// What it thought, if it said so.
    pub verdict: Option<Judgement>,
    /// Whether it recommended what was decided.
    pub agreed: Option<bool>,
    /// Why the verdict is missing, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A judge's verdict.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// Its guess of the challenger's score, from 1 to 10.
    pub score: f64,
    /// The challenger beside the champion.
    pub comparison: Comparison,
    /// What it would do.
    pub recommendation: Recommendation,
    /// Why, in its words; not trusted.
    pub reasoning: String,
}

/// How a challenger compares with the champion, as a judge sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Comparison {
    Better,
    Worse,
    Same,
}

/// What a judge would do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recommendation {
    /// Make the challenger champion.
    Promote,
    /// Keep the champion.
    Keep,
}

impl Judgement {
    /// Whether it recommended what was decided.
    #[must_use]
    pub fn agrees(&self, promoted: bool) -> bool {
        (self.recommendation == Recommendation::Promote) == promoted
    }
}

impl Comparison {
    /// In a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Same => "same",
        }
    }
}

impl Recommendation {
    /// In a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Promote => "promote",
            Self::Keep => "keep",
        }
    }
}

/// What a candidate is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Program {
    /// The origin with its parameters set.
    Settings(Vec<f64>),
    /// A source text, by its BLAKE3, which names its file.
    Source(String),
}

/// How a candidate trades on the probe seeds: what the grid of the archive is about.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Behaviour {
    /// Fills in a run, on average.
    pub fills: f64,
    /// The part of its fills that its resting orders made, from 0 to 1.
    pub maker_share: f64,
}

impl Behaviour {
    /// Its cell in the grid: 4 rows by the power of ten of the fills, 3 columns by the part that rests.
    #[must_use]
    pub fn cell(&self) -> (u8, u8) {
        let row = [1.0, 10.0, 100.0].into_iter().filter(|bound| self.fills >= *bound).count();
        let column = [1.0 / 3.0, 2.0 / 3.0].into_iter().filter(|bound| self.maker_share >= *bound).count();
        (row as u8, column as u8)
    }
}

/// Why a session ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The champion's interval lies above the target.
    Target,
    /// No promotion in the last generations.
    Plateau,
    /// All generations are done.
    Generations,
    /// All trials are used, and with them the fresh seeds.
    Validation,
    /// Money, tokens or minutes are spent.
    Budget,
}

impl End {
    /// In words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Target => "the target is met",
            Self::Plateau => "no certain gain in the last generations",
            Self::Generations => "all generations are done",
            Self::Validation => "all promotion trials are used",
            Self::Budget => "the budget is spent",
        }
    }
}
