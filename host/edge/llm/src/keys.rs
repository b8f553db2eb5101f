//! Keys of providers: where they come from, and that they go nowhere but into a request's header.
//!
//! Invariant: a key is held as a secret, whose debug text hides it; every text that comes from a provider or the network passes
//! [`Key::scrub`] before anybody sees it.

use crate::spec::Provider;
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeMap;

/// The environment variables that hold keys, with whose key it is. The only ones that this crate's users have to read.
pub const KEY_VARIABLES: [(Provider, &str); 5] = [
    (Provider::OpenAi, "OPENAI_API_KEY"),
    (Provider::OpenAiCompatible, "OPENAI_COMPATIBLE_API_KEY"),
    (Provider::OpenRouter, "OPENROUTER_API_KEY"),
    (Provider::Anthropic, "ANTHROPIC_API_KEY"),
    (Provider::Gemini, "GEMINI_API_KEY"),
];

/// Keys of providers have 30 bytes and more; what is shorter than this is not a secret of anybody's.
const SECRET_BYTES_MIN: usize = 12;
/// What stands where a key was.
pub const SCRUBBED: &str = "[key]";

/// The variable with the key of a provider.
#[must_use]
pub fn key_variable(provider: Provider) -> &'static str {
    KEY_VARIABLES.iter().find(|(known, _)| *known == provider).map_or("", |(_, variable)| variable)
}

/// The keys at hand.
#[derive(Clone, Debug, Default)]
pub struct Keys(BTreeMap<Provider, Key>);

impl Keys {
    /// Looks up every variable of [`KEY_VARIABLES`]. A program passes a look-up in its environment, a test one of its own.
    #[must_use]
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let keys = KEY_VARIABLES.into_iter().filter_map(|(provider, variable)| {
            let key = lookup(variable)?.trim().to_owned();
            (!key.is_empty()).then(|| (provider, Key(key.into())))
        });
        Self(keys.collect())
    }

    pub(crate) fn of(&self, provider: Provider) -> Option<&Key> {
        self.0.get(&provider)
    }
}

/// One provider's key.
#[derive(Clone, Debug)]
pub(crate) struct Key(SecretString);

impl Key {
    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// Whether the key can stand in a header.
    pub(crate) fn is_printable(&self) -> bool {
        self.expose().bytes().all(|byte| byte.is_ascii_graphic())
    }

    /// The answer of a model without the key. A key so short that it may be a word, such as the `EMPTY` that local servers are given, is not a secret, and
    /// taking it out would change the model's code.
    pub(crate) fn scrub_answer(&self, text: &str) -> String {
        if self.expose().len() < SECRET_BYTES_MIN { text.to_owned() } else { self.scrub(text) }
    }

    /// The text without the key, in whichever of the usual spellings it is: as it is, percent-encoded, escaped in JSON.
    pub(crate) fn scrub(&self, text: &str) -> String {
        let key = self.expose();
        let percent: String = key
            .bytes()
            .map(|byte| {
                let plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
                if plain { char::from(byte).to_string() } else { format!("%{byte:02X}") }
            })
            .collect();
        let escaped = serde_json::Value::from(key).to_string();
        let escaped = escaped.trim_matches('"');
        [key, &percent, escaped].into_iter().fold(text.to_owned(), |text, spelling| text.replace(spelling, SCRUBBED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(key: &str) -> Keys {
        Keys::from_lookup(|variable| (variable == "OPENAI_API_KEY").then(|| key.to_owned()))
    }

    #[test]
    fn a_key_is_scrubbed_in_every_spelling() {
        let keys = keys(" sk-a/b+c\"d \n");
        let key = keys.of(Provider::OpenAi).expect("it is set");
        let text = key.scrub("raw sk-a/b+c\"d, url sk-a%2Fb%2Bc%22d, json sk-a/b+c\\\"d");
        assert_eq!(text, "raw [key], url [key], json [key]");
        assert!(!format!("{keys:?}").contains("sk-a"));
    }

    #[test]
    fn an_empty_variable_is_no_key() {
        assert!(keys("  ").of(Provider::OpenAi).is_none());
        assert!(keys("x").of(Provider::Gemini).is_none());
    }
}
