//! How a model is asked: messages in, an answer or none out. Who asks whom, and what becomes of answers, is not known here.

use crate::core::plan::Cost;
use std::time::Duration;

/// Who speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Speaker {
    /// The instructions.
    System,
    /// The loop.
    User,
    /// The model.
    Assistant,
}

/// A model's answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// What it said.
    pub text: String,
    /// Tokens of input and output; 0 if unknown.
    pub tokens: u64,
    /// Cost in micro-dollars; 0 if unknown.
    pub microdollars: u64,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoAnswer {
    /// Not for this request: the slot stays empty.
    Slot(String),
    /// The model cannot be reached, or the user must mend something: the session stops and can be resumed.
    Session(String),
}

/// A picture that goes with a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// Which message, counted from 0.
    pub message: usize,
    /// The picture, in PNG.
    pub png: Vec<u8>,
}

/// Asks a model.
pub trait Ask {
    /// Asks for the next message. `attempt` is how many replies the conversation has.
    ///
    /// # Errors
    /// [`NoAnswer`].
    fn ask(&self, messages: &[(Speaker, String)], attempt: u32) -> Result<Answer, NoAnswer>;

    /// The same with pictures, which a model that does not see is not sent.
    ///
    /// # Errors
    /// [`NoAnswer`].
    fn ask_showing(&self, messages: &[(Speaker, String)], _: &[Picture], attempt: u32) -> Result<Answer, NoAnswer> {
        self.ask(messages, attempt)
    }

    /// How long the next answer may take; as long as it will without a limit.
    fn wait_at_most(&self, _: Option<Duration>) {}

    /// What all models of this command have taken so far, estimates included where nobody counted; nothing where nobody knows.
    fn spent(&self) -> Cost {
        Cost::default()
    }

    /// What sending these messages takes however short the answer is, about; nothing where nobody knows.
    fn least_cost(&self, _: &[(Speaker, String)]) -> Cost {
        Cost::default()
    }
}
