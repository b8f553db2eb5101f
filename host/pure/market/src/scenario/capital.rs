//! The `[strategy]` keys that say what a strategy may put at risk.

use super::error::{ScenarioError, ScenarioFault};
use super::limits::SHARE;
use super::read::Section;
use crate::exchange::Margin;
use crate::fees::Fees;

/// The keys of `[strategy]` that are read here.
pub(super) const KEYS: [&str; 3] = ["margin_long", "margin_short", "maintenance_margin"];
/// FINRA Rule 4210(f)(8)(B): in equity securities a day trader's buying power is four times what is above the maintenance margin, for longs
/// and shorts alike.
const INITIAL: f64 = 0.25;
/// FINRA Rule 4210(g): portfolio margin is what a position in one equity would lose in a move of 15 % against it.
const MAINTENANCE: f64 = 0.15;

const HINT: &str = "a share of what the position is worth: 0.25 lets a strategy hold four times what it has";

/// None if both initial margins are zero: buying power is not looked at.
pub(super) fn margin(strategy: &Section<'_, '_>, capital: i64, fees: Fees) -> Result<Option<Margin>, ScenarioError> {
    let share = |key, default| {
        let wrong = |error: ScenarioError| ScenarioError { hint: error.hint.or(Some(HINT.to_owned())), ..error };
        strategy.number(key, SHARE, Some(default)).map_err(wrong)
    };
    let (long, short) = (share(KEYS[0], INITIAL)?, share(KEYS[1], INITIAL)?);
    let maintenance = share(KEYS[2], MAINTENANCE.min(long).min(short))?;
    for (key, initial) in [(KEYS[0], long), (KEYS[1], short)] {
        if maintenance > initial {
            let hint = "a strategy would be ruined by its first trade; lower it, or raise the initial margin";
            let what = ScenarioFault::Greater { other: key };
            return Err(strategy.fault(KEYS[2], what, Some(hint.to_owned())));
        }
    }
    // Shares of one, so the casts keep them.
    let basis_points = |share: f64| (share * 10_000.0).round() as u32;
    let (long, short, maintenance) = (basis_points(long), basis_points(short), basis_points(maintenance));
    Ok((long > 0 || short > 0).then_some(Margin { capital, long, short, maintenance, fees }))
}
