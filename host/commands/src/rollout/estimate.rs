//! What a run of episodes would take, said before anything is begun.

use crate::face;
use assay_llm::{Budget, PriceTable};
use assay_trace::Usage;

/// Tokens of an answer, about: some code, or some calls with a word about them.
const ANSWER_TOKENS: u64 = 500;
/// Micro-dollars of a dollar.
const MICRO: f64 = 1e6;

/// See the module documentation.
pub(crate) struct Estimate<'a> {
    /// Tasks that are run.
    pub(crate) tasks: usize,
    /// Episodes of each.
    pub(crate) samples: u32,
    /// What the steps of an episode are called, and how many there are at most, over all episodes.
    pub(crate) steps: (&'a str, u64),
    /// Who is asked at each of them; `None` for what needs no model.
    pub(crate) model: Option<&'a str>,
    /// Tokens of a request, as many as there can be or about as many as there are.
    pub(crate) request_tokens: u64,
    /// What the run may cost.
    pub(crate) budget: Budget,
}

impl Estimate<'_> {
    /// Says it.
    pub(crate) fn show(&self, prices: &PriceTable) {
        face::step("Plan", &face::visible(&self.words(prices)));
    }

    fn words(&self, prices: &PriceTable) -> String {
        let episodes = self.tasks as u64 * u64::from(self.samples);
        let counted =
            |count: u64, one: &str, several: &str| format!("{count} {}", if count == 1 { one } else { several });
        let (name, steps) = self.steps;
        let begin = format!(
            "{} × {} = {}, at most {steps} {name} in all",
            counted(self.tasks as u64, "task", "tasks"),
            counted(u64::from(self.samples), "sample", "samples"),
            counted(episodes, "episode", "episodes"),
        );
        let Some(model) = self.model else { return format!("{begin}; no model, no cost") };
        if model == "scripted" || ["scripted:", "cassette:"].iter().any(|start| model.starts_with(start)) {
            return format!("{begin}; {model} answers from a file, at no cost");
        }
        let usage = Usage { input: self.request_tokens * steps, output: ANSWER_TOKENS * steps, ..Usage::default() };
        let cost = match prices.price(model).map(|price| price.of(&usage)) {
            Some(cost) => format!(
                "about ${:.2} if every one of them is taken, with {} tokens in each request",
                cost as f64 / MICRO,
                self.request_tokens
            ),
            None => "no price is known for it".to_owned(),
        };
        format!("{begin}, each a request to {model}; {cost}; {}", self.end())
    }

    /// What ends it at the latest.
    fn end(&self) -> String {
        let dollars = self.budget.microdollars.map(|most| format!("${:.2}", most as f64 / MICRO));
        let tokens = self.budget.tokens.map(|most| format!("{most} tokens"));
        match [dollars, tokens].into_iter().flatten().collect::<Vec<_>>().join(" or ") {
            none if none.is_empty() => "nothing limits what it may spend".to_owned(),
            most => format!("it begins no more episodes once {most} are spent"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_spoken_of_where_it_is_spent() {
        let said = |model, budget| {
            let steps = ("steps", 400);
            let estimate = Estimate { tasks: 5, samples: 2, steps, model, request_tokens: 28_000, budget };
            estimate.words(&PriceTable::built_in())
        };
        let tokens = Budget { tokens: Some(9), microdollars: Some(2_500_000) };
        for (model, budget, expected) in [
            (None, Budget::UNLIMITED, "5 tasks × 2 samples = 10 episodes, at most 400 steps in all; no model, no cost"),
            (Some("scripted"), Budget::UNLIMITED, "scripted answers from a file, at no cost"),
            (Some("nobody:nothing"), Budget::UNLIMITED, "no price is known for it; nothing limits what it may spend"),
            (Some("openai:gpt-4.1-mini"), tokens, "no more episodes once $2.50 or 9 tokens are spent"),
            (Some("openai:gpt-4.1-mini"), tokens, "each a request to openai:gpt-4.1-mini; about $"),
        ] {
            let words = said(model, budget);
            assert!(words.contains(expected), "{words}");
        }
    }
}
