//! The second model of a session: it explains to the writer why the program that it begins with did as it did.
//!
//! Invariants: a reply is stored before it is read, under the program that it is about, so a program is explained once, however many candidates come of it;
//! no stored reply is asked for again; a request that had no answer is stored as an empty one. Without an explanation the writer hears the plain summary.

use crate::ask::{Answer, Ask, NoAnswer, Speaker};
use crate::core::event::{Body, Program};
use crate::core::place::Place;
use crate::session::{Trouble, Work};
use assay_model::Seed;
use std::cell::{Cell, RefCell};

/// Tries from this number on are requests for an explanation, not for a program.
const EXPLAINING: u32 = 1_000;
/// Bytes of an explanation that the writer is told: some 300 words, of which a market's share is smaller the more there are.
const TEXT_BYTES_MAX: usize = 3_000;

/// Explains a program's run on these seeds by this model, market by market. The inner error is the model's.
pub type Explain<'a> = dyn Fn(&Program, &[Seed], &dyn Ask) -> Result<Result<String, NoAnswer>, Trouble> + 'a;

/// A model that explains, and how.
pub struct Analyst<'a> {
    /// The model.
    pub ask: &'a dyn Ask,
    /// How it is told of a run.
    pub explain: &'a Explain<'a>,
}

impl Analyst<'_> {
    /// Why the program at `place` did as it did on `seeds`; `None` if there is no explanation.
    ///
    /// # Errors
    /// [`Trouble`]: the model cannot be reached, or the folder not be written.
    pub(crate) fn why(
        &self,
        work: &mut Work<'_>,
        place: Place,
        program: &Program,
        seeds: &[Seed],
    ) -> Result<Option<String>, Trouble> {
        let noted =
            Noted { work: RefCell::new(work), ask: self.ask, place, next: Cell::new(0), trouble: RefCell::default() };
        let explained = (self.explain)(program, seeds, &noted);
        if let Some(trouble) = noted.trouble.into_inner() {
            return Err(trouble);
        }
        match explained? {
            Ok(mut text) => {
                text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
                Ok(Some(text).filter(|text| !text.trim().is_empty()))
            }
            Err(NoAnswer::Slot(_)) => Ok(None),
            Err(NoAnswer::Session(why)) => Err(Trouble::Infrastructure(why)),
        }
    }
}

/// The model, with every reply in the session's log.
struct Noted<'a, 'b, 'c> {
    work: RefCell<&'a mut Work<'b>>,
    ask: &'c dyn Ask,
    place: Place,
    next: Cell<u32>,
    /// What was ours.
    trouble: RefCell<Option<Trouble>>,
}

impl Noted<'_, '_, '_> {
    fn reply(&self, messages: &[(Speaker, String)], replies: u32) -> Result<Result<Answer, NoAnswer>, Trouble> {
        let mut work = self.work.borrow_mut();
        let (candidate, attempt) = (self.place, EXPLAINING + self.next.replace(self.next.get() + 1));
        let told = |text: String, tokens, microdollars| {
            if text.is_empty() {
                return Err(NoAnswer::Slot("there was no answer".to_owned()));
            }
            Ok(Answer { text, tokens, microdollars })
        };
        if let Some(hash) = work.state().reply(candidate, attempt) {
            return Ok(told(work.journal().reply(hash)?, 0, 0));
        }
        if work.is_spent() {
            return Ok(Err(NoAnswer::Slot("the budget was spent".to_owned())));
        }
        work.note(Body::Asked { candidate, attempt })?;
        let answer = match self.ask.ask(messages, replies) {
            Ok(answer) => answer,
            Err(NoAnswer::Slot(_)) => Answer { text: String::new(), tokens: 0, microdollars: 0 },
            Err(error) => return Ok(Err(error)),
        };
        let Answer { text, tokens, microdollars } = answer;
        let reply = work.journal().keep_reply(&text)?;
        work.note(Body::Answered { candidate, attempt, reply, tokens, microdollars })?;
        Ok(told(text, tokens, microdollars))
    }
}

impl Ask for Noted<'_, '_, '_> {
    fn ask(&self, messages: &[(Speaker, String)], replies: u32) -> Result<Answer, NoAnswer> {
        self.reply(messages, replies).unwrap_or_else(|trouble| {
            self.trouble.replace(Some(trouble));
            Err(NoAnswer::Session("the session cannot go on".to_owned()))
        })
    }
}
