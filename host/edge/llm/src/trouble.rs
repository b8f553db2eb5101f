//! What went wrong with one request, told apart: what passes, what the user has to mend, what the model cannot take.
//!
//! Invariant: no text leaves this file that is longer than [`WHY_BYTES_MAX`] or holds the key.

use crate::keys::{Key, key_variable};
use crate::retry::asked_wait;
use crate::spec::Provider;
use assay_rollout::ports::ModelError;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::error::Error;
use std::time::{Duration, SystemTime};

/// The longest text of an error. Providers explain themselves in a few hundred bytes; proxies send whole web pages.
pub(crate) const WHY_BYTES_MAX: usize = 1_000;

/// What went wrong with one request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Trouble {
    /// It may work the next time.
    Passing {
        /// What happened.
        why: String,
        /// How long the provider asks us to wait.
        asked: Option<Duration>,
        /// The provider said that it was too much.
        throttled: bool,
    },
    /// It will fail the same way again.
    Final(ModelError),
}

impl Trouble {
    pub(crate) fn passing(why: impl Into<String>) -> Self {
        Self::Passing { why: why.into(), asked: None, throttled: false }
    }

    pub(crate) fn refused(why: impl Into<String>, hint: impl Into<Option<String>>) -> Self {
        Self::Final(ModelError::Refused { why: why.into(), hint: hint.into() })
    }

    /// The same without the key, and no longer than it may be.
    pub(crate) fn presentable(self, key: Option<&Key>) -> Self {
        let clean = |text: String| {
            let scrubbed = key.map_or_else(|| text.clone(), |key| key.scrub(&text));
            let mut end = scrubbed.len().min(WHY_BYTES_MAX);
            while !scrubbed.is_char_boundary(end) {
                end -= 1;
            }
            scrubbed[..end].replace(|c: char| c.is_control(), " ")
        };
        match self {
            Self::Passing { why, asked, throttled } => Self::Passing { why: clean(why), asked, throttled },
            Self::Final(ModelError::Refused { why, hint }) => {
                Self::Final(ModelError::Refused { why: clean(why), hint: hint.map(clean) })
            }
            Self::Final(ModelError::ContextTooLong { why }) => {
                Self::Final(ModelError::ContextTooLong { why: clean(why) })
            }
            Self::Final(other) => Self::Final(other),
        }
    }
}

/// What the HTTP client complains of: nothing came, or not all.
pub(crate) fn from_client(error: reqwest::Error) -> Trouble {
    let error = error.without_url();
    if error.is_builder() {
        return Trouble::refused(chain(&error), None);
    }
    Trouble::passing(chain(&error))
}

/// What a response that is not a success means.
pub(crate) fn from_response(provider: Provider, status: StatusCode, headers: &HeaderMap, body: &str) -> Trouble {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    from_status(provider, status.as_u16(), body, asked_wait(header, SystemTime::now()))
}

/// An error and what caused it, in one line.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut texts = vec![error.to_string()];
    let mut source = error.source();
    while let Some(error) = source {
        let text = error.to_string();
        if !texts.iter().any(|known| known.contains(&text)) {
            texts.push(text);
        }
        source = error.source();
    }
    texts.join(": ")
}

/// What a status that is not success means. 529 is Anthropic's "overloaded"; the others are of RFC 9110.
fn from_status(provider: Provider, status: u16, body: &str, asked: Option<Duration>) -> Trouble {
    let said = message_of(body);
    let why = if said.is_empty() { format!("status {status}") } else { format!("status {status}: {said}") };
    let variable = key_variable(provider);
    match status {
        400 | 413 | 422 if is_about_length(body) => Trouble::Final(ModelError::ContextTooLong { why }),
        429 if body.contains("insufficient_quota") => {
            Trouble::refused(why, format!("the account for the key in {variable} has no credit left"))
        }
        429 => Trouble::Passing { why, asked, throttled: true },
        408 | 409 | 425 | 500..=599 => Trouble::Passing { why, asked, throttled: false },
        300..=399 => Trouble::refused(
            format!("status {status}: it redirects"),
            "redirects are not followed, because the key would be sent along; set the model's URL to the target"
                .to_owned(),
        ),
        401 | 403 => Trouble::refused(why, format!("check the key in {variable} and its permissions")),
        402 => Trouble::refused(why, format!("the account for the key in {variable} has no credit left")),
        404 => Trouble::refused(why, "check the model's name and its URL".to_owned()),
        413 => Trouble::Final(ModelError::ContextTooLong { why }),
        _ => Trouble::refused(why, None),
    }
}

/// What an error amid a stream means: `{"error": {"message", "type" or "code"}}` or only the inside of it.
pub(crate) fn from_event(provider: Provider, body: &Value) -> Trouble {
    let error = body.get("error").unwrap_or(body);
    let text = body.to_string();
    let said = message_of(&text);
    let word = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let kind = if word("type").is_empty() { word("status") } else { word("type") };
    let status = match error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok()) {
        Some(code) if code >= 300 => code,
        _ => match kind {
            "invalid_request_error" | "INVALID_ARGUMENT" => 400,
            "authentication_error" => 401,
            "permission_error" | "PERMISSION_DENIED" => 403,
            "not_found_error" | "NOT_FOUND" => 404,
            "request_too_large" => 413,
            "rate_limit_error" | "RESOURCE_EXHAUSTED" => 429,
            "overloaded_error" | "UNAVAILABLE" => 529,
            _ => 500,
        },
    };
    match from_status(provider, status, &text, None) {
        Trouble::Passing { throttled, .. } => {
            Trouble::Passing { why: format!("the stream ended with an error: {said}"), asked: None, throttled }
        }
        other => other,
    }
}

/// The provider's own words out of a body, or the body where it has none.
fn message_of(body: &str) -> String {
    let parsed: Option<Value> = serde_json::from_str(body).ok();
    let message = parsed.as_ref().and_then(|value| {
        let error = match value {
            Value::Array(list) => list.first()?.get("error")?,
            value => value.get("error").unwrap_or(value),
        };
        error.get("message").or(Some(error)).and_then(Value::as_str)
    });
    message.unwrap_or(body).trim().to_owned()
}

/// Whether a refusal is about the conversation's length. Providers have no common code for it, so their words have to do.
fn is_about_length(body: &str) -> bool {
    const MARKS: [&str; 8] = [
        "context_length_exceeded",
        "maximum context length",
        "prompt is too long",
        "exceeds the maximum number of tokens",
        "exceed context limit",
        "context window",
        "input is too long",
        "maximum model length",
    ];
    let body = body.to_ascii_lowercase();
    MARKS.iter().any(|mark| body.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_told_apart() {
        let check = |status: u16, body: &str, kind: &str| {
            let trouble = from_status(Provider::OpenAi, status, body, None);
            let found = match &trouble {
                Trouble::Passing { throttled: true, .. } => "throttled",
                Trouble::Passing { .. } => "passing",
                Trouble::Final(ModelError::Refused { hint: Some(_), .. }) => "refused with hint",
                Trouble::Final(ModelError::Refused { .. }) => "refused",
                Trouble::Final(ModelError::ContextTooLong { .. }) => "too long",
                Trouble::Final(_) => "other",
            };
            assert_eq!(found, kind, "{status} {body}");
        };
        for status in [408, 500, 502, 503, 504, 529] {
            check(status, "", "passing");
        }
        check(429, "", "throttled");
        check(429, r#"{"error":{"code":"insufficient_quota"}}"#, "refused with hint");
        for status in [302, 307, 401, 402, 403, 404] {
            check(status, "", "refused with hint");
        }
        check(400, "{}", "refused");
        check(413, "", "too long");
        check(429, "too many requests with a long context window", "throttled");
        for said in [
            r#"{"error":{"code":"context_length_exceeded","message":"x"}}"#,
            "This model's maximum context length is 8192 tokens.",
            r#"{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).",
        ] {
            check(400, said, "too long");
        }
    }

    #[test]
    fn a_providers_words_are_found() {
        assert_eq!(message_of(r#"{"error":{"message":"no","code":1}}"#), "no");
        assert_eq!(message_of(r#"[{"error":{"message":"no"}}]"#), "no");
        assert_eq!(message_of(r#"{"error":"no"}"#), "no");
        assert_eq!(message_of(r#"{"message":"no"}"#), "no");
        assert_eq!(message_of(" <html>\n"), "<html>");
    }

    #[test]
    fn texts_are_cut_between_characters_and_hold_no_control_characters() {
        let why = format!("a\n\u{1b}[31m{}", "ä".repeat(WHY_BYTES_MAX));
        let Trouble::Passing { why, .. } = Trouble::passing(why).presentable(None) else {
            panic!("it stays what it is");
        };
        assert!(why.len() <= WHY_BYTES_MAX && why.starts_with("a  [31mä"), "{why}");
    }
}
