//! Requests of a session to its models: a reply is in the log before anybody reads it, and one that is there is never asked for again.

use crate::ask::{Answer, Ask, NoAnswer, Picture, Speaker};
use crate::core::event::Body;
use crate::core::place::Place;
use crate::core::plan::Cost;
use crate::core::purpose::Purpose;
use crate::core::step::Means;
use crate::journal;
use crate::session::{Trouble, Work};

/// Who is asked, and under which number of which candidate the reply is kept.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub ask: &'a dyn Ask,
    /// Which of the writing models it is, where there are several.
    pub model: Option<u32>,
    pub candidate: Place,
    pub attempt: u32,
    /// What it is shown.
    pub pictures: &'a [Picture],
}

impl Request<'_> {
    /// The reply to a conversation that has this many replies; the inner error is why there is none, which is nobody's trouble.
    pub(crate) fn reply(
        &self,
        work: &mut Work<'_>,
        messages: &[(Speaker, String)],
        replies: u32,
    ) -> Result<Result<Answer, String>, Trouble> {
        let (candidate, attempt) = (self.candidate, self.attempt);
        // Helpers with nothing to say have no answer; a slot without a program says so itself.
        let is_program = Purpose::of(attempt) == Purpose::Writing;
        let told = |text: String, tokens, microdollars| {
            let is_silent = text.is_empty() && !is_program;
            if is_silent { Err("there was no answer".to_owned()) } else { Ok(Answer { text, tokens, microdollars }) }
        };
        if let Some(known) = work.state().answered(candidate, attempt) {
            return match (&known.why, &known.hash) {
                (Some(why), _) => Ok(Err(why.clone())),
                (None, hash) => Ok(told(work.journal().reply(hash.as_deref().unwrap_or_default())?, 0, 0)),
            };
        }
        if work.means() == Means::NoTime {
            return Ok(Err("the time was up".to_owned()));
        }
        let (usual, least) =
            (work.state().usual_cost(Purpose::of(attempt), self.model.unwrap_or(0)), self.ask.least_cost(messages));
        if !work.covers(usual.or_more(least)) {
            return Ok(Err("the rest of the budget does not cover the request".to_owned()));
        }
        work.note(Body::Asked { candidate, attempt, model: self.model })?;
        self.ask.wait_at_most(work.time_left());
        let before = self.ask.spent();
        let asked = self.ask.ask_showing(messages, self.pictures, replies);
        let counted = self.ask.spent().beyond(before);
        let (text, cost, why) = match asked {
            Ok(Answer { text, tokens, microdollars }) => {
                (journal::cut(text), counted.or_more(Cost { tokens, microdollars }), None)
            }
            Err(NoAnswer::Slot(why)) => (String::new(), counted, Some(why)),
            Err(NoAnswer::Session(why)) => {
                let Cost { tokens, microdollars } = counted;
                if counted != Cost::default() {
                    work.note(Body::Paid { candidate, attempt, tokens, microdollars })?;
                }
                return Err(Trouble::Infrastructure(why));
            }
        };
        let Cost { tokens, microdollars } = cost;
        let reply = work.journal().keep_reply(&text)?;
        work.note(Body::Answered { candidate, attempt, reply, tokens, microdollars, why: why.clone() })?;
        if let Some(why) = why {
            return Ok(Err(why));
        }
        Ok(told(text, tokens, microdollars))
    }
}
