//! What a Claude model takes, by its name: how much it says at most, and how it is told to think.
//!
//! Sources: <https://docs.anthropic.com/en/docs/about-claude/models/overview>, <https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking>,
//! <https://platform.claude.com/docs/en/build-with-claude/effort>. A name that says nothing of a version is taken for a model of the 4.0 line.

use super::Reasoning;
use serde_json::{Value, json};

/// Tokens of thinking where a model takes a budget only.
const BUDGETS: [u32; 3] = [1_024, 8_000, 24_000];

/// A model's name, read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Claude {
    family: Family,
    /// Major and minor; zeros where the name does not say.
    version: (u32, u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    Opus,
    Sonnet,
    Haiku,
    /// Fable and Mythos: always think.
    Thinker,
    Unknown,
}

/// The fields that say how much a model thinks.
#[derive(PartialEq, Debug, Default)]
pub(super) struct Thinking {
    pub(super) thinking: Option<Value>,
    pub(super) effort: Option<&'static str>,
}

impl Claude {
    /// Reads `claude-FAMILY-MAJOR-MINOR-DATE`, or the older `claude-MAJOR-MINOR-FAMILY-DATE`, wherever it stands in the name.
    pub(super) fn of(model: &str) -> Self {
        let rest = model.split_once("claude-").map_or("", |(_, rest)| rest);
        let (mut family, mut version) = (Family::Unknown, Vec::new());
        for word in rest.split('-') {
            match word {
                "opus" => family = Family::Opus,
                "sonnet" => family = Family::Sonnet,
                "haiku" => family = Family::Haiku,
                "fable" | "mythos" => family = Family::Thinker,
                // What has more digits is a date.
                number if number.len() <= 2 => version.extend(number.parse::<u32>()),
                _ => {}
            }
        }
        let number = |place: usize| version.get(place).copied().unwrap_or(0);
        Self { family, version: (number(0), number(1)) }
    }

    pub(super) fn output_tokens_max(self) -> u32 {
        match (self.family, self.version) {
            (Family::Thinker, _) => 128_000,
            (Family::Opus, version) if version >= (4, 8) => 128_000,
            (Family::Opus, version) if version >= (4, 5) => 64_000,
            (Family::Haiku, version) if version >= (5, 0) => 128_000,
            (Family::Opus | Family::Haiku, (3, 0)) => 4_096,
            (_, (3, 5)) => 8_192,
            (Family::Opus, _) => 32_000,
            _ => 64_000,
        }
    }

    /// Whether it takes a word for how much it works.
    fn takes_effort(self) -> bool {
        match self.family {
            Family::Opus => self.version >= (4, 5),
            _ => self.thinks_as_it_sees_fit(),
        }
    }

    /// Whether it decides itself when to think.
    fn thinks_as_it_sees_fit(self) -> bool {
        match self.family {
            Family::Opus | Family::Sonnet => self.version >= (4, 6),
            Family::Haiku => self.version >= (5, 0),
            Family::Thinker => true,
            Family::Unknown => false,
        }
    }

    pub(super) fn thinking(self, reasoning: Reasoning) -> Thinking {
        let (effort, budget) = match reasoning {
            Reasoning::Off => {
                // Others do not think unless told to, and Fable and Mythos refuse not to.
                let must_be_told = self.family != Family::Thinker && self.version >= (5, 0);
                return Thinking { thinking: must_be_told.then(|| json!({"type": "disabled"})), effort: None };
            }
            Reasoning::Low => ("low", BUDGETS[0]),
            Reasoning::Medium => ("medium", BUDGETS[1]),
            Reasoning::High => ("high", BUDGETS[2]),
            Reasoning::Tokens(tokens) => ("", tokens),
        };
        let is_number = effort.is_empty();
        let thinking = if self.thinks_as_it_sees_fit() {
            // Without the display, thoughts come empty.
            let mut thinking = json!({"type": "adaptive", "display": "summarized"});
            if is_number {
                thinking["budget_tokens"] = json!(budget);
            }
            Some(thinking)
        } else if is_number || !self.takes_effort() {
            Some(json!({"type": "enabled", "budget_tokens": budget}))
        } else {
            None
        };
        Thinking { thinking, effort: (!is_number && self.takes_effort()).then_some(effort) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_model_takes() {
        let adaptive = || Some(json!({"type": "adaptive", "display": "summarized"}));
        let enabled = |tokens: u32| Some(json!({"type": "enabled", "budget_tokens": tokens}));
        for (name, most, thinking, effort) in [
            ("claude-3-haiku-20240307", 4_096, enabled(8_000), None),
            ("claude-3-opus-20240229", 4_096, enabled(8_000), None),
            ("claude-3-5-sonnet-20241022", 8_192, enabled(8_000), None),
            ("claude-3-7-sonnet-latest", 64_000, enabled(8_000), None),
            ("claude-opus-4-20250514", 32_000, enabled(8_000), None),
            ("claude-opus-4-1", 32_000, enabled(8_000), None),
            ("claude-sonnet-4-5-20250929", 64_000, enabled(8_000), None),
            ("claude-opus-4-5", 64_000, None, Some("medium")),
            ("claude-opus-4-6", 64_000, adaptive(), Some("medium")),
            ("claude-sonnet-4-6", 64_000, adaptive(), Some("medium")),
            ("claude-opus-4-8", 128_000, adaptive(), Some("medium")),
            ("claude-sonnet-5", 64_000, adaptive(), Some("medium")),
            ("claude-haiku-4-5", 64_000, enabled(8_000), None),
            ("eu.anthropic.claude-opus-5-20260601", 128_000, adaptive(), Some("medium")),
            ("claude-fable", 128_000, adaptive(), Some("medium")),
            ("something-else", 64_000, enabled(8_000), None),
        ] {
            let claude = Claude::of(name);
            assert_eq!(claude.output_tokens_max(), most, "{name}");
            assert_eq!(claude.thinking(Reasoning::Medium), Thinking { thinking, effort }, "{name}");
        }
        let off = |name: &str| Claude::of(name).thinking(Reasoning::Off).thinking;
        assert_eq!(off("claude-opus-5"), Some(json!({"type": "disabled"})));
        assert_eq!((off("claude-opus-4-8"), off("claude-fable-5")), (None, None));
        let budget = Claude::of("claude-opus-4-5").thinking(Reasoning::Tokens(5));
        assert_eq!(budget, Thinking { thinking: enabled(5), effort: None });
    }
}
