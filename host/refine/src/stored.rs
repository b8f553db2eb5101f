//! Requests of a session to its models: a reply is in the log before anybody reads it, and one that is there is never asked for again.

use crate::ask::{Answer, Ask, NoAnswer, Picture, Speaker};
use crate::core::event::Body;
use crate::core::place::Place;
use crate::core::plan::Cost;
use crate::core::purpose::Purpose;
use crate::core::step::Means;
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
        // A request that had no answer is kept as an empty one; a slot without a program says so itself.
        let is_program = Purpose::of(attempt) == Purpose::Writing;
        let told = |text: String, tokens, microdollars| {
            let is_silent = text.is_empty() && !is_program;
            if is_silent { Err("there was no answer".to_owned()) } else { Ok(Answer { text, tokens, microdollars }) }
        };
        if let Some(hash) = work.state().reply(candidate, attempt) {
            return Ok(told(work.journal().reply(hash)?, 0, 0));
        }
        if work.means() == Means::NoTime {
            return Ok(Err("the time was up".to_owned()));
        }
        let (usual, least) =
            (work.state().usual_cost(Purpose::of(attempt), self.model.unwrap_or(0)), self.ask.least_cost(messages));
        let expected =
            Cost { tokens: usual.tokens.max(least.tokens), microdollars: usual.microdollars.max(least.microdollars) };
        if !work.covers(expected) {
            return Ok(Err("the rest of the budget does not cover the request".to_owned()));
        }
        work.note(Body::Asked { candidate, attempt, model: self.model })?;
        let Answer { text, tokens, microdollars } = match self.ask.ask_showing(messages, self.pictures, replies) {
            Ok(answer) => answer,
            Err(NoAnswer::Slot(why)) if is_program => return Ok(Err(why)),
            Err(NoAnswer::Slot(_)) => Answer { text: String::new(), tokens: 0, microdollars: 0 },
            Err(NoAnswer::Session(why)) => return Err(Trouble::Infrastructure(why)),
        };
        let reply = work.journal().keep_reply(&text)?;
        work.note(Body::Answered { candidate, attempt, reply, tokens, microdollars })?;
        Ok(told(text, tokens, microdollars))
    }
}
