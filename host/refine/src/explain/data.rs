//! The data that a run kept, as a model may ask about it: who traded with whom, what became of an order, and any query.
//!
//! Invariants: whoever answers queries changes nothing and reads nothing but the tables of the run; seeds and numbers in ready-made queries are numbers,
//! so nothing of a question becomes SQL but what was asked as SQL.

use std::fmt::Write as _;

/// Rows of an answer that are asked for.
pub const ROWS_MAX: usize = 60;

/// Answers queries over the tables of one run.
pub trait Query {
    /// The tables: name and columns of each, one a line.
    fn tables(&self) -> String;

    /// The answer as comma-separated values with a header, [`ROWS_MAX`] rows at most.
    ///
    /// # Errors
    /// Why there is none, for the model.
    fn query(&self, sql: &str) -> Result<String, String>;
}

/// The data of a run with a strategy, or of a market without one.
#[derive(Clone, Copy)]
pub struct Recorded<'a> {
    /// Who answers.
    pub query: &'a dyn Query,
    /// Which of the episodes of a seed is asked about: `strategy`, or `baseline` where there is no strategy.
    pub episode: &'static str,
}

/// Whether a question is a query.
pub(super) fn is_query(question: &str) -> bool {
    question.split_whitespace().next() == Some("sql")
}

/// The agent that stands in the strategy's place.
const OWN: &str = "(select agent from agents where kind = 'strategy')";

impl Recorded<'_> {
    /// The questions, for the model.
    #[must_use]
    pub fn questions(&self) -> String {
        include_str!("../../prompts/questions-data.md").replace("{tables}", self.query.tables().trim_end())
    }

    /// The answer to a question about the data; `None` if it is none.
    #[must_use]
    pub fn answer(&self, question: &str) -> Option<String> {
        let words: Vec<&str> = question.split_whitespace().collect();
        let numbers: Option<Vec<u64>> = words.iter().skip(1).map(|word| word.parse().ok()).collect();
        let sql = match (words.first()?, numbers.as_deref()) {
            (&"sql", _) => question.trim_start().strip_prefix("sql")?.trim().to_owned(),
            (&"parties", Some([seed])) => self.parties(*seed),
            (&"agent", Some([seed, agent])) => self.agent(*seed, *agent),
            (&"order", Some([seed, order])) => self.order(*seed, *order),
            _ => return None,
        };
        Some(match self.query.query(&sql) {
            // A comma between two digits would make one number of two.
            Ok(answer) => answer.replace(',', ", "),
            // What is wrong may repeat the query; without its digits, no number in it counts as told.
            Err(why) => why.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect(),
        })
    }

    /// With a strategy: its counterparties by kind. Without: all kinds.
    fn parties(&self, seed: u64) -> String {
        let with = format!("from trades where seed = {seed} and episode = '{}'", self.episode);
        let kinds = "(select distinct agent, kind, name from agents)";
        let mut sql = String::new();
        if self.episode == "strategy" {
            let _infallible = write!(
                sql,
                "select kind, name, liquidity as strategy_was, side as strategy_side, count(*) as trades, sum(quantity) as shares, \
                 sum(price * quantity) * 1.0 / sum(quantity) as mean_price from (\
                 select taker_agent as other, 'maker' as liquidity, case taker_side when 'buy' then 'sell' else 'buy' end as side, price, quantity {with} and maker_agent in {OWN} \
                 union all \
                 select maker_agent as other, 'taker' as liquidity, taker_side as side, price, quantity {with} and taker_agent in {OWN}) \
                 join {kinds} on agent = other group by kind, name, liquidity, side order by shares desc"
            );
        } else {
            let _infallible = write!(
                sql,
                "select kind, name, liquidity, count(*) as trades, sum(quantity) as shares from (\
                 select maker_agent as who, 'maker' as liquidity, quantity {with} \
                 union all select taker_agent as who, 'taker' as liquidity, quantity {with}) \
                 join {kinds} on agent = who group by kind, name, liquidity order by shares desc"
            );
        }
        sql
    }

    fn agent(&self, seed: u64, agent: u64) -> String {
        format!(
            "select time, case when maker_agent = {agent} then 'maker' else 'taker' end as liquidity, \
             case when (maker_agent = {agent}) = (taker_side = 'buy') then 'sell' else 'buy' end as side, price, quantity \
             from trades where seed = {seed} and episode = '{}' and (maker_agent = {agent} or taker_agent = {agent}) order by event",
            self.episode
        )
    }

    fn order(&self, seed: u64, order: u64) -> String {
        format!(
            "select time, message, side, price, quantity, remaining, reason, liquidity from orders \
             where seed = {seed} and episode = '{}' and agent in {OWN} and (\"order\" = {order} or request = {order}) order by event",
            self.episode
        )
    }
}
