//! A model's reply: what of it is kept, what it used, and how a request for one is made.

use std::sync::Arc;

use assay_model::Nanos;
use assay_trace::{Message, ModelCall, Part, Usage};

use crate::ports::{ModelError, ModelReply, ModelRequest};
use crate::start::Context;

/// The longest reply that is kept: a hundred times what models write, and little enough for a line of the record.
pub const REPLY_BYTES_MAX: usize = 1 << 20;
/// Why a provider stopped when it cut off a reply, in the words of the dialects that we know.
const CUT_OFF_REASONS: &[&str] = &["length", "max_tokens", "MAX_TOKENS", "model_length", "max_output_tokens"];

/// Seeds that every provider takes: 31 bits.
const SEED_MASK: u64 = 0x7fff_ffff;

/// What the loop needs of a reply.
pub(crate) struct Reply {
    pub(crate) text: String,
    /// Whether the limit of tokens ended it.
    pub(crate) was_cut_off: bool,
}

/// The request for the answer to a conversation that has had `replies` replies.
pub(crate) fn request(context: &Context, messages: Vec<Arc<Message>>, replies: u32) -> ModelRequest {
    let Context { settings, start, .. } = context;
    ModelRequest {
        messages,
        tools: Vec::new().into(),
        temperature: settings.temperature.of_attempt(start.attempt),
        output_tokens_max: settings.limits.reply_tokens,
        seed: settings.send_seed.then_some(start.seed.0 & SEED_MASK),
        replies,
        epoch: start.attempt,
    }
}

/// The seed of a request that was made so often before.
pub(crate) const fn next_seed(seed: u64, earlier: u64) -> u64 {
    seed.wrapping_add(earlier) & SEED_MASK
}

pub(crate) fn text_of(reply: &ModelReply) -> String {
    let texts = reply.parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// What a request used where the provider does not say: a token for every three bytes.
pub(crate) fn estimated(input_bytes: u64, output_bytes: u64) -> Usage {
    Usage { input: input_bytes.div_ceil(3), output: output_bytes.div_ceil(3), ..Default::default() }
}

pub(crate) fn model_call(model: &str, latency: Nanos, reply: Result<&ModelReply, &ModelError>) -> ModelCall {
    let model = model.to_owned();
    match reply {
        Ok(reply) => ModelCall {
            model,
            usage: reply.usage,
            cost_microdollars: reply.cost_microdollars,
            latency,
            retries: reply.retries,
            stop_reason: reply.stop_reason.clone(),
            error: None,
        },
        // Only a provider that broke off may have charged for what nobody got: the others refused, or were not asked.
        Err(error) => ModelCall {
            model,
            usage: (!error.is_infrastructure()).then(Usage::default),
            cost_microdollars: (!error.is_infrastructure()).then_some(0),
            latency,
            retries: if let ModelError::Unavailable { retries, .. } = error { *retries } else { 0 },
            stop_reason: None,
            error: Some(error.to_string()),
        },
    }
}

/// Whether the limit of tokens ended a reply.
pub(crate) fn was_cut_off(reply: &ModelReply) -> bool {
    reply.stop_reason.as_deref().is_some_and(|reason| CUT_OFF_REASONS.contains(&reason))
}

/// A reply that no model gave.
pub(crate) fn reply_of(parts: Vec<Part>) -> ModelReply {
    ModelReply { parts, tool_calls: Vec::new(), usage: None, cost_microdollars: None, retries: 0, stop_reason: None }
}

/// The parts of a reply up to [`REPLY_BYTES_MAX`]: a longer text is cut, other parts that do not fit are left out. And whether all is there.
pub(crate) fn bounded(parts: Vec<Part>) -> (Vec<Part>, bool) {
    let mut room = REPLY_BYTES_MAX;
    let mut is_whole = true;
    let mut kept = Vec::new();
    for part in parts {
        let bytes = match &part {
            Part::Text { text } => text.len(),
            Part::Reasoning { text, signature } => text.len() + signature.as_ref().map_or(0, String::len),
            Part::RedactedReasoning { data } => data.len(),
            Part::Image { source, media_type } => source.to_url(*media_type).len(),
        };
        if bytes <= room {
            room -= bytes;
            kept.push(part);
            continue;
        }
        is_whole = false;
        if let Part::Text { mut text } = part {
            text.truncate(text.floor_char_boundary(room));
            room -= text.len();
            kept.push(Part::Text { text });
        }
    }
    (kept, is_whole)
}
