//! Which model: `PROVIDER:NAME`, or a file that stands in for one.
//!
//! Invariant: a name that parses can stand in a URL's path and in one line of a log as it is.

use std::fmt;
use std::path::PathBuf;
use thiserror::Error;

/// The longest name of a model, in bytes. Those of gateways, with an organisation and a variant, stay below a hundred.
pub const NAME_BYTES_MAX: usize = 256;

/// Who runs the model, and so which dialect it speaks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Provider {
    /// `OpenAI`'s own chat completions.
    OpenAi,
    /// A server of one's own that speaks `OpenAI`'s chat completions, for example vLLM.
    OpenAiCompatible,
    /// The gateway `OpenRouter`.
    OpenRouter,
    /// Anthropic's messages.
    Anthropic,
    /// Google's Gemini.
    Gemini,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::OpenAi, Self::OpenAiCompatible, Self::OpenRouter, Self::Anthropic, Self::Gemini];

    /// The name before the colon.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenAiCompatible => "openai-compatible",
            Self::OpenRouter => "openrouter",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// Where it listens, unless a setting says otherwise; a server of one's own has no such place.
    #[must_use]
    pub const fn base_url(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::OpenAiCompatible => None,
            Self::OpenRouter => Some("https://openrouter.ai/api/v1"),
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta"),
        }
    }
}

/// What a model is spoken to in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dialect {
    /// `OpenAI`'s chat completions.
    Chat,
    /// `OpenAI`'s responses.
    Responses,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's contents.
    Gemini,
}

/// What the names of models hold that `OpenAI` offers through its responses only. Source: the pages of its models, "Endpoints".
const RESPONSES_ONLY: [&str; 4] = ["codex", "-pro", "deep-research", "computer-use"];

impl Dialect {
    /// How a model is spoken to.
    pub(crate) fn of(provider: Provider, model: &str) -> Self {
        match provider {
            // The rest of a fine-tuned model's name is its owner's; such models speak chat.
            Provider::OpenAi if !model.starts_with("ft:") && RESPONSES_ONLY.iter().any(|word| model.contains(word)) => {
                Self::Responses
            }
            Provider::OpenAi | Provider::OpenAiCompatible | Provider::OpenRouter => Self::Chat,
            Provider::Anthropic => Self::Anthropic,
            Provider::Gemini => Self::Gemini,
        }
    }
}

const SCRIPTED: &str = "scripted";
const CASSETTE: &str = "cassette";

/// A model as a user names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ModelSpec {
    /// A model behind HTTP.
    Hosted {
        /// Who runs it.
        provider: Provider,
        /// Its name there.
        model: String,
    },
    /// A file of answers, see [`crate::Scripted`].
    Scripted(PathBuf),
    /// Recorded answers, see [`crate::Cassette`].
    Cassette(PathBuf),
}

impl ModelSpec {
    /// Reads `PROVIDER:NAME`, `scripted:FILE` or `cassette:FILE`.
    ///
    /// # Errors
    /// The provider is unknown or the name cannot be one.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let Some((kind, name)) = text.split_once(':') else {
            return Err(SpecError::NoProvider { text: text.to_owned() });
        };
        if name.is_empty() {
            return Err(SpecError::NoName { kind: kind.to_owned() });
        }
        match kind {
            SCRIPTED => return Ok(Self::Scripted(name.into())),
            CASSETTE => return Ok(Self::Cassette(name.into())),
            _ => {}
        }
        let Some(provider) = Provider::ALL.into_iter().find(|provider| provider.name() == kind) else {
            return Err(SpecError::UnknownProvider { given: kind.to_owned() });
        };
        let in_place = |c: char| c.is_ascii_graphic() && !"?#%\\\"".contains(c);
        if name.len() > NAME_BYTES_MAX || !name.chars().all(in_place) || name.contains("..") {
            return Err(SpecError::BadName { name: name.chars().take(NAME_BYTES_MAX).collect() });
        }
        Ok(Self::Hosted { provider, model: name.to_owned() })
    }
}

impl fmt::Display for ModelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hosted { provider, model } => write!(f, "{}:{model}", provider.name()),
            Self::Scripted(path) => write!(f, "{SCRIPTED}:{}", path.display()),
            Self::Cassette(path) => write!(f, "{CASSETTE}:{}", path.display()),
        }
    }
}

/// Why a text names no model.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SpecError {
    /// There is no colon.
    #[error("the model `{text}` does not name a provider")]
    NoProvider {
        /// What was given.
        text: String,
    },
    /// Nothing follows the colon.
    #[error("`{kind}:` is not followed by a name")]
    NoName {
        /// What stands before the colon.
        kind: String,
    },
    /// Nobody of that name.
    #[error("unknown provider `{given}`")]
    UnknownProvider {
        /// What was given.
        given: String,
    },
    /// No model has such a name.
    #[error("`{name}` cannot be a model's name")]
    BadName {
        /// What was given.
        name: String,
    },
}

impl SpecError {
    /// What the user can do.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownProvider { given } => match nearest(given) {
                Some(name) => format!("did you mean `{name}`?"),
                None => format!("known providers are {}", known().collect::<Vec<_>>().join(", ")),
            },
            Self::NoProvider { .. } | Self::NoName { .. } => {
                "write PROVIDER:NAME, for example `openai:gpt-4.1-mini`, or `scripted:FILE`".to_owned()
            }
            Self::BadName { .. } => format!(
                "a name is at most {NAME_BYTES_MAX} printable ASCII characters, without spaces, `..`, `?`, `#`, `%`, `\\` or quotes"
            ),
        }
    }
}

fn known() -> impl Iterator<Item = &'static str> {
    Provider::ALL.into_iter().map(Provider::name).chain([SCRIPTED, CASSETTE])
}

/// The known provider that a mistyped one is closest to, if it is close at all.
fn nearest(given: &str) -> Option<&'static str> {
    let given = given.to_ascii_lowercase();
    known()
        .map(|name| (strsim::jaro_winkler(&given, name), name))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_come_back_as_they_were_written() {
        for text in [
            "openai:gpt-4.1-mini",
            "openai-compatible:Qwen/Qwen2.5-Coder-7B",
            "openrouter:anthropic/claude-sonnet-4.5:beta",
            "anthropic:claude-sonnet-4-5-20250929",
            "gemini:gemini-2.5-pro",
            "scripted:fix.toml",
            "cassette:runs/a.jsonl",
        ] {
            assert_eq!(ModelSpec::parse(text).expect(text).to_string(), text);
        }
    }

    #[test]
    fn mistakes_come_with_a_hint() {
        let check = |text: &str, message: &str, hint: &str| {
            let error = ModelSpec::parse(text).expect_err(text);
            assert!(error.to_string().contains(message), "{text}: {error}");
            assert!(error.hint().contains(hint), "{text}: {}", error.hint());
        };
        check("antropic:claude", "unknown provider `antropic`", "did you mean `anthropic`?");
        check("OpenAI:gpt", "unknown provider", "`openai`");
        check("script:a", "unknown provider", "`scripted`");
        check("zzz:a", "unknown provider", "known providers are openai, openai-compatible");
        check("gpt-4o", "does not name a provider", "PROVIDER:NAME");
        check("openai:", "not followed by a name", "PROVIDER:NAME");
        for name in ["a b", "a\nb", "a/../b", "a?b", "ä", &"x".repeat(NAME_BYTES_MAX + 1)] {
            check(&format!("openai:{name}"), "cannot be a model's name", "printable ASCII");
        }
    }
}
