//! What tokens cost: a versioned table, and the arithmetic.
//!
//! Invariants: money is integer; a cost is rounded up, once, at the end; a model that the table does not cover has no price, which is
//! not a price of zero. Names match as `prices.toml` says: exactly, or by the longest entry that ends in `*`. A bare name never
//! stands for its successors: the price of `gpt-5` says nothing about that of `gpt-5.6`.

use assay_trace::Usage;
use serde::Deserialize;
use std::collections::BTreeMap;
use thiserror::Error;

const BUILT_IN: &str = include_str!("prices.toml");

/// The dearest price believed, in dollars for a million tokens. Nothing on the market comes near; beyond it a figure is a mistake in units.
const DOLLARS_MAX: f64 = 100_000.0;

/// What one model's tokens cost, in nano-dollars each, which is thousandths of the dollars for a million tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Price {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
}

impl Price {
    /// The cost in micro-dollars, rounded up.
    #[must_use]
    pub fn of(&self, usage: &Usage) -> u64 {
        let nano = [
            (usage.input, self.input),
            (usage.output, self.output),
            (usage.cache_read, self.cache_read),
            (usage.cache_write, self.cache_write),
        ]
        .into_iter()
        .fold(0_u128, |sum, (tokens, price)| sum.saturating_add(u128::from(tokens) * u128::from(price)));
        u64::try_from(nano.div_ceil(1_000)).unwrap_or(u64::MAX)
    }
}

/// Prices by name, of one version.
#[derive(Clone, PartialEq, Debug)]
pub struct PriceTable {
    versions: Vec<String>,
    exact: BTreeMap<String, Price>,
    prefixes: BTreeMap<String, Price>,
}

impl PriceTable {
    /// The table that comes with the program.
    ///
    /// # Panics
    /// Never: a test reads it.
    #[must_use]
    pub fn built_in() -> Self {
        Self::parse(BUILT_IN).expect("the built-in price table is well-formed")
    }

    /// Reads a table from TOML in the form of `prices.toml`.
    ///
    /// # Errors
    /// It is no such TOML, or a price is negative, not finite or absurd.
    pub fn parse(text: &str) -> Result<Self, PriceError> {
        let file: File = toml::from_str(text).map_err(|error| PriceError::Format { why: error.to_string() })?;
        let version = format!("{} ({})", file.version, file.source);
        let mut table = Self { versions: vec![version], exact: BTreeMap::new(), prefixes: BTreeMap::new() };
        for (name, entry) in file.models {
            let price = entry.price().ok_or_else(|| PriceError::Absurd { name: name.clone() })?;
            match name.strip_suffix('*') {
                Some(prefix) => table.prefixes.insert(prefix.to_owned(), price),
                None => table.exact.insert(name, price),
            };
        }
        Ok(table)
    }

    /// This table with the entries of another put before its own.
    #[must_use]
    pub fn overridden_by(mut self, other: Self) -> Self {
        // An exact name of ours must not win over a prefix of theirs.
        self.exact.retain(|name, _| !other.prefixes.keys().any(|prefix| name.starts_with(prefix.as_str())));
        self.prefixes.retain(|name, _| !other.prefixes.keys().any(|prefix| name.starts_with(prefix.as_str())));
        self.exact.extend(other.exact);
        self.prefixes.extend(other.prefixes);
        self.versions.extend(other.versions);
        self
    }

    /// The price of a model, named as `provider:model`.
    #[must_use]
    pub fn price(&self, name: &str) -> Option<Price> {
        let longest = || {
            let fitting = self.prefixes.iter().filter(|(prefix, _)| name.starts_with(prefix.as_str()));
            fitting.max_by_key(|(prefix, _)| prefix.len()).map(|(_, price)| *price)
        };
        self.exact.get(name).copied().or_else(longest)
    }

    /// Which tables these prices are from, with their sources.
    #[must_use]
    pub fn versions(&self) -> &[String] {
        &self.versions
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: String,
    source: String,
    #[serde(default)]
    models: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
}

impl Entry {
    fn price(&self) -> Option<Price> {
        Some(Price {
            input: nano_dollars(self.input)?,
            output: nano_dollars(self.output)?,
            cache_read: nano_dollars(self.cache_read.unwrap_or(self.input))?,
            cache_write: nano_dollars(self.cache_write.unwrap_or(self.input))?,
        })
    }
}

fn nano_dollars(dollars_per_million: f64) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
    (0.0..=DOLLARS_MAX).contains(&dollars_per_million).then(|| (dollars_per_million * 1_000.0).ceil() as u64)
}

/// Why a text is not a price table.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PriceError {
    /// Not the form of a price table.
    #[error("failed to read the price table: {why}")]
    Format {
        /// What is wrong, and where.
        why: String,
    },
    /// A price that cannot be one.
    #[error(
        "failed to read the price table: a price of `{name}` is not between 0 and {DOLLARS_MAX} dollars for a million tokens"
    )]
    Absurd {
        /// Whose.
        name: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64, cache_read: u64, cache_write: u64) -> Usage {
        Usage { input, output, cache_read, cache_write, reasoning: 0 }
    }

    #[test]
    fn names_match_exactly_or_by_the_longest_prefix() {
        let table = PriceTable::built_in();
        for known in [
            "openai:gpt-5",
            "openai:gpt-5-2025-08-07",
            "anthropic:claude-sonnet-4-5-20250929",
            "openai:gpt-5.2",
            "anthropic:claude-opus-4-5-20251101",
            "anthropic:claude-opus-5-5",
            "gemini:gemini-3.1-pro-preview",
        ] {
            assert!(table.price(known).is_some(), "{known}");
        }
        for unknown in ["openai:gpt-5.6", "openai:gpt-5-pro", "openai:", "anthropic:claude-opus-9", "gpt-5"] {
            assert_eq!(table.price(unknown), None, "{unknown}");
        }
        assert_ne!(table.price("anthropic:claude-opus-4-1"), table.price("anthropic:claude-sonnet-4-5"));
    }

    #[test]
    fn a_cost_is_rounded_up_once() {
        let price = PriceTable::built_in().price("anthropic:claude-sonnet-4-5").expect("listed");
        assert_eq!(price.of(&usage(1_000_000, 0, 0, 0)), 3_000_000);
        assert_eq!(price.of(&usage(1_000, 200, 5_000, 100)), 3_000 + 3_000 + 1_500 + 375);
        assert_eq!(price.of(&usage(0, 0, 1, 0)), 1, "0.3 micro-dollars");
        assert_eq!(price.of(&usage(u64::MAX, u64::MAX, u64::MAX, u64::MAX)), u64::MAX);
    }

    #[test]
    fn a_users_table_wins() {
        let text = "version = \"x\"\nsource = \"mine\"\n[models.\"openai:gpt-5*\"]\ninput = 1\noutput = 1\n";
        let table = PriceTable::built_in().overridden_by(PriceTable::parse(text).expect("well-formed"));
        assert_eq!(table.price("openai:gpt-5").map(|price| price.of(&usage(1_000, 0, 0, 0))), Some(1_000));
        assert_eq!(table.price("openai:gpt-5.6").map(|price| price.of(&usage(0, 0, 7, 7))), Some(14));
        assert!(table.price("openai:gpt-4.1").is_some());
        assert_eq!(table.versions().len(), 2);
    }

    #[test]
    fn nonsense_is_refused() {
        let model = |price: &str| format!("version = \"1\"\nsource = \"s\"\n[models.\"a:b\"]\n{price}\n");
        for text in ["", "version = 1", &model("input = 1"), &model("input = 1\noutput = 1\nper_token = 3")] {
            assert!(matches!(PriceTable::parse(text), Err(PriceError::Format { .. })), "{text}");
        }
        for price in ["-1", "nan", "inf", "1e9"] {
            let text = model(&format!("input = 1.0\noutput = {price}"));
            assert!(matches!(PriceTable::parse(&text), Err(PriceError::Absurd { .. })), "{text}");
        }
    }
}
