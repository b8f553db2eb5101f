//! The second model of a session: it explains to the writer why the program that it begins with did as it did.
//!
//! Invariants: a reply is stored before it is read, under the program that it is about, so a program is explained once, however many candidates come of it;
//! no stored reply is asked for again; a request that had no answer is stored as an empty one. Without an explanation the writer hears the plain summary.

use crate::ask::{Answer, Ask, NoAnswer, Picture, Speaker};
use crate::core::event::Program;
use crate::core::place::Place;
use crate::core::purpose::Purpose;
use crate::session::{Trouble, Work};
use crate::stored::Request;
use assay_model::Seed;
use std::cell::{Cell, RefCell};

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

impl Ask for Noted<'_, '_, '_> {
    fn ask(&self, messages: &[(Speaker, String)], replies: u32) -> Result<Answer, NoAnswer> {
        self.ask_showing(messages, &[], replies)
    }

    fn ask_showing(
        &self,
        messages: &[(Speaker, String)],
        pictures: &[Picture],
        replies: u32,
    ) -> Result<Answer, NoAnswer> {
        let attempt = Purpose::Explaining.first() + self.next.replace(self.next.get() + 1);
        let request = Request { ask: self.ask, model: None, candidate: self.place, attempt, pictures };
        match request.reply(&mut self.work.borrow_mut(), messages, replies) {
            Ok(reply) => reply.map_err(NoAnswer::Slot),
            Err(trouble) => {
                self.trouble.replace(Some(trouble));
                Err(NoAnswer::Session("the session cannot go on".to_owned()))
            }
        }
    }
}
