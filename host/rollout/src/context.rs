//! What of the conversation is sent: all of it while it fits, else without its oldest steps.
//!
//! Invariants: the head (system prompt and report) and the newest step are always sent; what is left out is whole steps, oldest first, stays left out,
//! and a note in the report says so; messages keep their order; what is sent is never more than the budget by the estimate, or nothing is.
//!
//! **Caches.** Providers keep what a request begins with, and charge less for it in the next one. So steps are not left out one at a time: where
//! they no longer fit, so many go that the rest fills half of the room, and the note is the same each time.
//!
//! **What a provider refuses.** After a request was too long, no later one has more than three quarters of its bytes.
//!
//! **Estimate.** A message counts the bytes of its texts and [`MESSAGE_BYTES`] for its frame, an image [`IMAGE_BYTES`]. At first three bytes are a token (English
//! has about four, code about three, so this errs on the safe side); after each reply whose usage is known, the tokens per byte of that request,
//! within [`BYTES_PER_TOKEN_MAX`] and one, hold for the next.

use std::sync::Arc;

use assay_trace::{Message, Meta, Part, Role};

use crate::text::cut_middle;

/// What a message's frame (role, separators) counts: about four tokens.
pub const MESSAGE_BYTES: u64 = 12;
/// What an image counts: about 1,500 tokens, as providers charge for one of a megapixel.
pub const IMAGE_BYTES: u64 = 4_500;
/// No text is believed to have more bytes a token: a provider that counts only a part of the input would blow up the context.
pub const BYTES_PER_TOKEN_MAX: u64 = 8;
/// Stands where steps are left out.
const NOTE: &str = "[The first steps of your work are left out here to save space. Their effects on the files and the session remain.]";
/// What the note of left-out steps counts.
const NOTE_BYTES: u64 = 160;
/// Below this, a message is not worth cutting to.
const CUT_BYTES_MIN: u64 = 256;
/// What stands for an assistant's message without text: some providers refuse an empty one.
const NO_TEXT: &str = "(no text)";

/// A conversation, and what of it fits.
#[derive(Clone, Debug)]
pub struct Conversation {
    head: Vec<Arc<Message>>,
    steps: Vec<Vec<Arc<Message>>>,
    /// Steps at the beginning that are no longer sent.
    left_out: usize,
    /// Tokens and bytes of what was last measured.
    rate: (u64, u64),
    /// The most bytes that the provider is believed to take.
    bytes_max: u64,
    /// Whether the last request was too long: the next one uses all of the room that is left.
    was_refused: bool,
}

/// What is sent.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The messages, oldest first.
    pub messages: Vec<Arc<Message>>,
    /// How many steps were left out.
    pub steps_left_out: usize,
    /// What they count by the rule of the estimate.
    pub bytes: u64,
    /// How many tokens that is, by the estimate.
    pub tokens: u64,
}

/// Not even the head and the newest step fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the report and the newest step need about {needed} tokens, but {allowed} are allowed")]
pub struct TooLong {
    /// What they take, by the estimate.
    pub needed: u64,
    /// The budget.
    pub allowed: u64,
}

impl Conversation {
    /// A conversation that begins with `head`, of which nothing is ever left out.
    #[must_use]
    pub fn new(head: Vec<Arc<Message>>) -> Self {
        Self { head, steps: Vec::new(), left_out: 0, rate: (1, 3), bytes_max: u64::MAX, was_refused: false }
    }

    /// Appends a message. The assistant's begin a step.
    pub fn push(&mut self, message: Arc<Message>) {
        match self.steps.last_mut() {
            _ if message.role() == Role::Assistant => self.steps.push(vec![message]),
            Some(step) => step.push(message),
            None => self.head.push(message),
        }
    }

    /// Notes how many tokens a request of `bytes` bytes had, according to the provider.
    pub fn measured(&mut self, bytes: u64, tokens: u64) {
        if bytes > 0 && tokens > 0 {
            self.rate = (tokens.clamp(bytes.div_ceil(BYTES_PER_TOKEN_MAX), bytes), bytes);
        }
        self.was_refused = false;
    }

    /// Notes that the provider refused a request of `bytes` bytes as too long: from now on three quarters of them are all that is sent.
    pub fn was_too_long(&mut self, bytes: u64) {
        self.bytes_max = self.bytes_max.min(bytes / 4 * 3);
        self.was_refused = true;
    }

    /// What is sent where at most `tokens_max` tokens may be.
    ///
    /// # Errors
    /// Not even the head and the newest step fit.
    pub fn fit(&mut self, tokens_max: u64) -> Result<Fitted, TooLong> {
        let bytes_max = u64::try_from(u128::from(tokens_max) * u128::from(self.rate.1) / u128::from(self.rate.0));
        let bytes_max = bytes_max.unwrap_or(u64::MAX).min(self.bytes_max);
        let head: u64 = self.head.iter().map(|message| weight(message)).sum();
        let sizes: Vec<u64> = self.steps.iter().map(|step| step.iter().map(|message| weight(message)).sum()).collect();
        let note = if self.left_out > 0 { NOTE_BYTES } else { 0 };
        if head + note + sizes[self.left_out..].iter().sum::<u64>() <= bytes_max {
            return Ok(self.fitted(self.steps[self.left_out..].iter().flatten().cloned().collect()));
        }
        let room = bytes_max.saturating_sub(head + NOTE_BYTES);
        let aim = if self.was_refused { room } else { room / 2 };
        // The newest step is worth all of the room.
        let kept = newest_within(&sizes, aim).max(newest_within(&sizes, room).min(1));
        if kept > 0 {
            self.left_out = self.left_out.max(self.steps.len() - kept);
            return Ok(self.fitted(self.steps[self.left_out..].iter().flatten().cloned().collect()));
        }
        let too_long = || TooLong { needed: self.tokens(head + sizes.last().unwrap_or(&0)), allowed: tokens_max };
        let newest = self.steps.last().ok_or_else(too_long)?;
        let cut = cut_to(newest, room).ok_or_else(too_long)?;
        self.left_out = self.steps.len() - 1;
        Ok(self.fitted(cut))
    }

    fn fitted(&self, steps: Vec<Arc<Message>>) -> Fitted {
        let steps_left_out = self.left_out;
        let mut messages = self.head.clone();
        if steps_left_out > 0
            && let Some(last) = messages.last_mut()
        {
            *last = with_note(last);
        }
        messages.extend(steps.into_iter().map(with_text));
        let bytes = messages.iter().map(|message| weight(message)).sum();
        Fitted { messages, steps_left_out, bytes, tokens: self.tokens(bytes) }
    }

    /// The tokens of `bytes` bytes, rounded up.
    #[must_use]
    pub fn tokens(&self, bytes: u64) -> u64 {
        let tokens = (u128::from(bytes) * u128::from(self.rate.0)).div_ceil(u128::from(self.rate.1));
        u64::try_from(tokens).unwrap_or(u64::MAX)
    }
}

/// What a message counts.
#[must_use]
pub fn weight(message: &Message) -> u64 {
    let part = |part: &Part| match part {
        Part::Text { text } => text.len() as u64,
        Part::Reasoning { text, signature } => (text.len() + signature.as_ref().map_or(0, String::len)) as u64,
        Part::RedactedReasoning { data } => data.len() as u64,
        Part::Image { .. } => IMAGE_BYTES,
    };
    // An assistant's message without text is sent with one.
    let stand_in = if message.role() == Role::Assistant { NO_TEXT.len() as u64 } else { 0 };
    MESSAGE_BYTES + stand_in + message.parts().iter().map(part).sum::<u64>()
}

/// How many of the newest steps fit.
fn newest_within(sizes: &[u64], mut room: u64) -> usize {
    let fits = |size: &&u64| {
        let fits = **size <= room;
        room = room.saturating_sub(if fits { **size } else { room });
        fits
    };
    sizes.iter().rev().take_while(fits).count()
}

fn with_note(message: &Message) -> Arc<Message> {
    let parts = message.parts().iter().cloned().chain([Part::text(NOTE)]).collect();
    rebuilt(message, parts)
}

fn with_text(message: Arc<Message>) -> Arc<Message> {
    let has_text = message.parts().iter().any(|part| match part {
        Part::Text { text } => !text.trim().is_empty(),
        Part::Image { .. } => true,
        Part::Reasoning { .. } | Part::RedactedReasoning { .. } => false,
    });
    if has_text || message.role() != Role::Assistant {
        return message;
    }
    let reasoning = message.parts().iter().filter(|part| !matches!(part, Part::Text { .. })).cloned();
    rebuilt(&message, reasoning.chain([Part::text(NO_TEXT)]).collect())
}

/// The messages of one step cut so that they fit, each to its share: the middle of texts goes, and reasoning as a whole.
fn cut_to(step: &[Arc<Message>], room: u64) -> Option<Vec<Arc<Message>>> {
    // Beside its share of text a message has its frame and the note of the cut.
    let share = (room / step.len() as u64).checked_sub(MESSAGE_BYTES + NO_TEXT.len() as u64 + CUT_BYTES_MIN / 2)?;
    if share < CUT_BYTES_MIN / 2 {
        return None;
    }
    let cut = |message: &Arc<Message>| {
        if weight(message) <= share {
            return Arc::clone(message);
        }
        let text = cut_middle(&message.text(), usize::try_from(share).unwrap_or(usize::MAX)).into_owned();
        rebuilt(message, vec![Part::text(text)])
    };
    Some(step.iter().map(cut).collect())
}

fn rebuilt(message: &Message, parts: Vec<Part>) -> Arc<Message> {
    let made = Message::new(message.id().clone(), message.speaker().clone(), parts, Meta::new());
    // Parts of the same kinds as before suit the same speaker.
    Arc::new(made.unwrap_or_else(|_| message.clone()))
}
