//! The `[[symbols]]` tables of a scenario, checked: symbols beside the first.

use assay_model::{SYMBOLS_MAX, Time};

use super::agents::AgentGroup;
use super::error::{ScenarioError, ScenarioFault};
use super::fundamental::process;
use super::population::agents;
use super::read::{Section, name};
use super::settings::{FundamentalSettings, OtherSymbol};
use crate::AGENTS_MAX;

/// What a symbol has where its table does not say otherwise.
pub(super) struct First<'s> {
    pub(super) symbol: &'s str,
    /// None if its value comes from a file.
    pub(super) process: Option<&'s FundamentalSettings>,
    pub(super) agents: &'s [AgentGroup],
}

/// Every further symbol, in the order of the file.
pub(super) fn others(
    root: &Section<'_, '_>,
    midnight: Time,
    first: &First<'_>,
) -> Result<Vec<OtherSymbol>, ScenarioError> {
    let mut others: Vec<OtherSymbol> = Vec::new();
    if !root.has("symbols") {
        return Ok(others);
    }
    let mut total = count(first.agents);
    for section in root.sections("symbols")? {
        let section = section.only(&["symbol", "beta", "fundamental", "agents"])?;
        if others.len() + 1 == SYMBOLS_MAX {
            let what = ScenarioFault::TooManySymbols { limit: SYMBOLS_MAX };
            return Err(section.fault("symbol", what, None));
        }
        let symbol = name(&section, "symbol", None)?;
        if symbol == first.symbol || others.iter().any(|other| other.symbol == symbol) {
            return Err(section.fault("symbol", ScenarioFault::NameTaken(symbol), None));
        }
        let own = |key: &str| section.has(key);
        let agents = if own("agents") { agents(&section, midnight)? } else { first.agents.to_vec() };
        total += count(&agents);
        if total > AGENTS_MAX {
            return Err(section.fault("agents", ScenarioFault::TooManyAgents { total, limit: AGENTS_MAX }, None));
        }
        let fundamental = match first.process {
            Some(process) if !own("fundamental") => process.clone(),
            _ => process(&section)?,
        };
        others.push(OtherSymbol {
            symbol,
            fundamental,
            beta: section.number("beta", -100.0..=100.0, Some(0.0))?,
            agents,
        });
    }
    Ok(others)
}

fn count(agents: &[AgentGroup]) -> u64 {
    agents.iter().map(|group| u64::from(group.count)).sum()
}
