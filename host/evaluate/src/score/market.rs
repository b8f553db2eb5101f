//! One market's record as columns of numbers, one row a market path: what the measures behind the axes are made from.
//!
//! Invariants: every number in a column is finite. A seed in which the baseline has a measure and the strategy has not makes the measure the
//! strategy's to answer for; one in which the baseline has none is left out. Seeds of the same market path are one row, their mean.

use super::scale::{
    Axis, Comparison, DRAWDOWN_FLOOR, EMPTY_SPREAD_FACTOR, GAUGES, Gauge, PARTICIPATION_MIN, REJECTED_SHARE_MAX,
    REJECTIONS_JUDGED_MIN, RUIN_SHARE, UNMEASURED_COST,
};
use crate::outcome::outcome_name;
use crate::record::{EpisodeRecord, MeasureMap, RunRecord};
use crate::score_record::WorstSeedRecord;
use std::collections::BTreeMap;

/// One market, ready to be scored on any subset of its seeds.
pub(super) struct Sheet<'a> {
    pub(super) record: &'a RunRecord,
    /// Why no score can be had of it.
    pub(super) problem: Option<String>,
    /// Each veto, and what struck.
    pub(super) vetoes: Vec<(&'static str, Option<String>)>,
    /// One for each of [`GAUGES`].
    pub(super) columns: Vec<Column>,
    /// PnL of each seed as a share of the starting cash.
    pub(super) returns: Vec<f64>,
}

/// What a gauge reads, seed by seed.
pub(super) enum Column {
    /// Two values of each seed; `None` where the baseline has none.
    Pairs(Vec<Option<(f64, f64)>>),
    /// The strategy keeps it from being measured, or does nothing that could be.
    Withheld(String),
    /// Nobody can measure it in this market.
    Unknown(String),
}

impl<'a> Sheet<'a> {
    pub(super) fn new(record: &'a RunRecord) -> Self {
        let cash = record.scenario.starting_cash.filter(|cash| *cash > 0).map(|cash| cash as f64);
        let vetoes = vetoes(record, cash);
        let problem = problem(record, cash);
        let columns = match (&problem, cash) {
            (None, Some(cash)) => {
                let is_chosen = record.baseline.is_some();
                let column = |gauge| column(gauge, &record.episodes, cash, is_chosen);
                GAUGES.iter().map(|gauge| column(gauge).answered_for(is_chosen).by_path(record)).collect()
            }
            _ => Vec::new(),
        };
        let pnl = |episode: &EpisodeRecord| number(&episode.measures, "pnl").unwrap_or_default();
        let share = |episode| Some((pnl(episode) / cash.unwrap_or(f64::INFINITY), 0.0));
        let returns =
            by_path(record, record.episodes.iter().map(share)).into_iter().flatten().map(|row| row.0).collect();
        Self { record, problem, vetoes, columns, returns }
    }

    /// Rows.
    pub(super) fn len(&self) -> usize {
        self.returns.len()
    }

    /// What struck, in one line.
    pub(super) fn veto(&self) -> Option<String> {
        let struck: Vec<_> = self.vetoes.iter().filter_map(|(_, struck)| struck.clone()).collect();
        (!struck.is_empty()).then(|| struck.join("; "))
    }

    /// The share of the seeds in which a veto strikes: all, where it strikes over all of them together.
    pub(super) fn struck_share(&self) -> f64 {
        let episodes = &self.record.episodes;
        if rejected(episodes).is_some() {
            return 1.0;
        }
        let cash = self.record.scenario.starting_cash.filter(|cash| *cash > 0).map(|cash| cash as f64);
        let struck = episodes.iter().filter(|episode| !episode.succeeded() || is_ruin(episode, cash)).count();
        struck as f64 / episodes.len().max(1) as f64
    }

    pub(super) fn worst_seed(&self) -> Option<WorstSeedRecord> {
        let pnl = |episode: &EpisodeRecord| {
            number(&episode.measures, "pnl").map(|pnl| WorstSeedRecord { seed: episode.seed, pnl })
        };
        let all = self.record.episodes.iter().filter_map(pnl);
        all.reduce(|worst, other| if other.pnl < worst.pnl { other } else { worst })
    }
}

impl Column {
    /// Beside a chosen baseline, what that baseline has no value of is the choice's doing: an axis that is left out would give its weight to the others.
    fn answered_for(self, is_chosen: bool) -> Self {
        match self {
            Self::Unknown(why) if is_chosen => Self::Withheld(why),
            Self::Pairs(rows) if is_chosen && rows.iter().any(Option::is_none) => {
                let missing = rows.iter().filter(|row| row.is_none()).count();
                Self::Withheld(format!("the chosen baseline has no value in {missing} of {} seeds", rows.len()))
            }
            other => other,
        }
    }

    fn by_path(self, record: &RunRecord) -> Self {
        match self {
            Self::Pairs(rows) => Self::Pairs(by_path(record, rows.into_iter())),
            other => other,
        }
    }
}

/// One row for each market path, in the order of first appearance: the mean of its seeds that have values.
pub(super) fn by_path(record: &RunRecord, rows: impl Iterator<Item = Option<(f64, f64)>>) -> Vec<Option<(f64, f64)>> {
    let mut paths: BTreeMap<&str, usize> = BTreeMap::new();
    let mut sums: Vec<(f64, f64, f64)> = Vec::new();
    for (episode, row) in record.episodes.iter().zip(rows) {
        let place = *paths.entry(episode.path()).or_insert_with(|| {
            sums.push((0.0, 0.0, 0.0));
            sums.len() - 1
        });
        if let (Some((a, b)), sum) = (row, &mut sums[place]) {
            *sum = (sum.0 + a, sum.1 + b, sum.2 + 1.0);
        }
    }
    sums.into_iter().map(|(a, b, n)| (n > 0.0).then(|| (a / n, b / n))).collect()
}

/// A finite number of an episode.
pub(super) fn number(measures: &MeasureMap, key: &str) -> Option<f64> {
    measures.get(key).and_then(|measure| measure.value).filter(|value| value.is_finite())
}

/// Why a record has no score, whatever the strategy did in it.
fn problem(record: &RunRecord, cash: Option<f64>) -> Option<String> {
    let episodes = &record.episodes;
    if episodes.is_empty() {
        return Some("no seed was scored".to_owned());
    }
    if !record.complete {
        return Some("the run was interrupted, and the seeds that are missing may be the bad ones".to_owned());
    }
    if !record.unscored.is_empty() {
        let seeds = record.unscored.len();
        return Some(format!("{seeds} of {} seeds could not be scored, and may be the bad ones", record.seeds.len()));
    }
    if episodes.len() < 2 {
        return Some("1 seed: a score needs at least 2, to tell skill from luck".to_owned());
    }
    if episodes.iter().all(|episode| episode.path() == episodes[0].path()) {
        return Some(
            "every seed is the same market path: that is one observation, and a score needs at least 2".to_owned(),
        );
    }
    if cash.is_none() {
        return Some("the record does not contain the starting cash (it was written before 2.0)".to_owned());
    }
    None
}

/// Whether a seed cost so much that it is a veto.
fn is_ruin(episode: &EpisodeRecord, cash: Option<f64>) -> bool {
    let loss = number(&episode.measures, "pnl").zip(cash).is_some_and(|(pnl, cash)| pnl < -RUIN_SHARE * cash);
    loss || episode.is_ruined()
}

fn vetoes(record: &RunRecord, cash: Option<f64>) -> Vec<(&'static str, Option<String>)> {
    let episodes = &record.episodes;
    let total = episodes.len();
    let ruined = |episode: &&EpisodeRecord| is_ruin(episode, cash);
    let broken = |episode: &&EpisodeRecord| !episode.succeeded() && !ruined(episode);
    let limits = first_and_count(episodes.iter().filter(broken)).map(|(first, count)| {
        format!("{} in {count} of {total} seeds, first in seed {}", outcome_name(first), first.seed)
    });
    let ruin = first_and_count(episodes.iter().filter(ruined)).map(|(first, count)| {
        format!("ruined in {count} of {total} seeds, first in seed {}: it lost more than half of the starting cash, or was removed from the market", first.seed)
    });
    vec![("broken limits", limits), ("ruin", ruin), ("rejected requests", rejected(episodes))]
}

fn first_and_count<'a>(mut all: impl Iterator<Item = &'a EpisodeRecord>) -> Option<(&'a EpisodeRecord, usize)> {
    let first = all.next()?;
    Some((first, 1 + all.count()))
}

/// Too many rejections, over all seeds together, so that a small seed counts little.
fn rejected(episodes: &[EpisodeRecord]) -> Option<String> {
    if let Some(episode) = episodes.iter().find(|episode| number(&episode.measures, "rejections").is_none()) {
        return Some(format!("rejections were not counted in seed {}", episode.seed));
    }
    let rejections: f64 = episodes.iter().filter_map(|episode| number(&episode.measures, "rejections")).sum();
    let requests: f64 = episodes.iter().map(|episode| requests(&episode.measures)).sum();
    let is_too_many = rejections >= REJECTIONS_JUDGED_MIN && rejections > REJECTED_SHARE_MAX * requests;
    is_too_many.then(|| {
        format!(
            "{rejections} requests rejected, of at least {} sent; at most {:.0}% may be rejected",
            requests,
            REJECTED_SHARE_MAX * 100.0
        )
    })
}

/// Orders, changes and cancels: by the order-to-trade ratio where there were fills, else the orders alone.
fn requests(measures: &MeasureMap) -> f64 {
    let orders = number(measures, "orders").unwrap_or_default();
    let by_ratio = number(measures, "order_to_trade").zip(number(measures, "fills"));
    by_ratio.map_or(orders, |(ratio, fills)| ((ratio + 1.0) * fills).max(orders))
}

/// `is_chosen` if the baseline is another strategy, which may have made its market narrow or wide.
fn column(gauge: &Gauge, episodes: &[EpisodeRecord], cash: f64, is_chosen: bool) -> Column {
    match gauge.axis {
        Axis::Profit => profit(episodes, is_chosen),
        Axis::Risk => {
            let is_idle = |episode: &EpisodeRecord| {
                ["inventory_max", "shares_traded"].iter().all(|key| number(&episode.measures, key) == Some(0.0))
            };
            if episodes.iter().all(is_idle) {
                return Column::Withheld("no shares were held, so no risk was taken".to_owned());
            }
            pairs(episodes, "", |episode| {
                let found = number(&episode.measures, "pnl").zip(number(&episode.measures, "max_drawdown"));
                let risk = |(pnl, drawdown): (f64, f64)| (pnl, drawdown.max(-pnl).max(0.0) + DRAWDOWN_FLOOR * cash);
                Some(found.map(risk).ok_or("PnL or drawdown"))
            })
        }
        Axis::Execution => execution(episodes, is_chosen),
        Axis::Volatility | Axis::Spread | Axis::Liquidity => change(gauge, episodes),
    }
}

/// What liquidity is worth is the baseline's. Beside a chosen one, it is that of either market, whichever gives fewer points: losses count in the smaller, gains in
/// the larger.
#[derive(Clone, Copy)]
struct Worth {
    is_chosen: bool,
    is_loss: bool,
}

impl Worth {
    /// `None` where the baseline has none.
    fn of(
        self,
        episode: &EpisodeRecord,
        read: impl Fn(&MeasureMap) -> Option<f64>,
    ) -> Option<Result<f64, &'static str>> {
        let baseline = read(&episode.baseline_measures)?;
        if !self.is_chosen {
            return Some(Ok(baseline));
        }
        let pick = if self.is_loss { f64::min } else { f64::max };
        Some(read(&episode.measures).map(|own| pick(own, baseline)).ok_or("effective spread of the market"))
    }
}

/// PnL, and what takers paid for immediacy.
fn profit(episodes: &[EpisodeRecord], is_chosen: bool) -> Column {
    let pnl = |episode: &EpisodeRecord| number(&episode.measures, "pnl");
    let worth = Worth { is_chosen, is_loss: episodes.iter().filter_map(pnl).sum::<f64>() < 0.0 };
    pairs(episodes, "the baseline has too few trades to say how much could be earned", |episode| {
        let pool = worth.of(episode, |measures| {
            Some(number(measures, "market_effective_spread")?.max(0.0) / 2.0 * number(measures, "volume")?)
        })?;
        Some(pool.and_then(|pool| pnl(episode).ok_or("PnL").map(|pnl| (pnl, pool))))
    })
}

/// What comes of each seed: `None` if the baseline has none of it, an error if the strategy keeps it from being known.
fn pairs(
    episodes: &[EpisodeRecord],
    unknown: &str,
    read: impl Fn(&EpisodeRecord) -> Option<Result<(f64, f64), &'static str>>,
) -> Column {
    let rows: Vec<_> = episodes.iter().map(|episode| (episode.seed, read(episode))).collect();
    let mut withheld = rows.iter().filter_map(|(seed, row)| Some((seed, row.as_ref()?.as_ref().err()?)));
    if let Some((seed, what)) = withheld.next() {
        let seeds = 1 + withheld.count();
        return Column::Withheld(format!("no {what} in {seeds} of {} seeds, first in seed {seed}", rows.len()));
    }
    if rows.iter().all(|(_, row)| row.is_none()) {
        return Column::Unknown(unknown.to_owned());
    }
    Column::Pairs(rows.into_iter().map(|(_, row)| row.and_then(Result::ok)).collect())
}

/// What trading cost or earned beyond the mid a minute later, and its price in half spreads of the baseline.
fn execution(episodes: &[EpisodeRecord], is_chosen: bool) -> Column {
    let shares = |episode: &EpisodeRecord| number(&episode.measures, "shares_traded").unwrap_or_default();
    let volume = |episode: &EpisodeRecord| {
        let of = |measures: &MeasureMap| number(measures, "volume").unwrap_or_default();
        // A chosen baseline may have kept others from trading.
        let own = if is_chosen { of(&episode.measures) } else { 0.0 };
        of(&episode.baseline_measures).max(own)
    };
    let (traded, market) = (episodes.iter().map(shares).sum::<f64>(), episodes.iter().map(volume).sum::<f64>());
    if traded <= 0.0 || traded < PARTICIPATION_MIN * market {
        let least = PARTICIPATION_MIN * 100.0;
        return Column::Withheld(format!("{traded} shares traded in all, less than {least}% of the baseline's volume"));
    }
    // The sum of no shares is minus nothing.
    let measured = episodes.iter().map(|episode| measured_shares(&episode.measures)).sum::<f64>() + 0.0;
    if measured < traded / 2.0 {
        return Column::Withheld(format!(
            "the cost of only {measured:.0} of {traded:.0} shares is known: there are too few fills per seed to average over"
        ));
    }
    let half = |measures: &MeasureMap| {
        number(measures, "market_effective_spread").filter(|spread| *spread > 0.0).map(|spread| spread / 2.0)
    };
    // Shares whose cost is not known are charged by the wider market.
    let wide = Worth { is_chosen, is_loss: false };
    let net = |episode: &EpisodeRecord| {
        Some(wide.of(episode, half)?.and_then(|half| net_of_trading(&episode.measures, half).ok_or("fees")))
    };
    let total: f64 = episodes.iter().filter_map(net).filter_map(Result::ok).sum();
    let worth = Worth { is_chosen, is_loss: total < 0.0 };
    pairs(episodes, "the baseline has too few trades for an effective spread", |episode| {
        let (net, half) = (net(episode)?, worth.of(episode, half)?);
        let Some(traded) = number(&episode.measures, "shares_traded") else { return Some(Err("shares traded")) };
        Some(net.and_then(|net| half.map(|half| (net, traded * half))))
    })
}

fn sides(measures: &MeasureMap) -> [(f64, Option<f64>); 2] {
    let shares = number(measures, "shares_traded").unwrap_or_default();
    let made = shares * number(measures, "maker_share").unwrap_or_default().clamp(0.0, 1.0);
    let paid = number(measures, "realised_spread_paid_60s").map(|paid| -paid);
    [(made, number(measures, "realised_spread_earned_60s")), (shares - made, paid)]
}

fn measured_shares(measures: &MeasureMap) -> f64 {
    sides(measures).into_iter().filter(|(_, spread)| spread.is_some()).map(|(shares, _)| shares).sum()
}

/// In cents; `None` without fees. Shares whose cost cannot be measured are charged what [`UNMEASURED_COST`] says.
fn net_of_trading(measures: &MeasureMap, half_spread: f64) -> Option<f64> {
    let side = |(shares, spread): (f64, Option<f64>)| {
        shares * spread.map_or(-UNMEASURED_COST * half_spread, |spread| spread / 2.0)
    };
    Some(sides(measures).map(side).iter().sum::<f64>() - number(measures, "fees")?)
}

fn change(gauge: &Gauge, episodes: &[EpisodeRecord]) -> Column {
    // The mean over the seeds, so that a seed with a narrow spread is not judged by itself.
    let spreads: Vec<_> = episodes.iter().filter_map(|episode| number(&episode.baseline_measures, "spread")).collect();
    let usual_spread = spreads.iter().sum::<f64>() / spreads.len().max(1) as f64;
    let read = |measures: &MeasureMap| match gauge.key {
        "spread" => {
            let (spread, empty) = (number(measures, "spread")?, number(measures, "one_sided_time")?);
            Some(spread * (1.0 - empty) + EMPTY_SPREAD_FACTOR * usual_spread * empty)
        }
        // Records of 1.x have both sides in one.
        key @ ("bid_empty_time" | "ask_empty_time") => {
            number(measures, key).or_else(|| number(measures, "one_sided_time"))
        }
        key => number(measures, key),
    };
    let unknown = format!("the baseline has no `{}`", gauge.key);
    let column = pairs(episodes, &unknown, |episode| {
        let baseline = read(&episode.baseline_measures)?;
        Some(read(&episode.measures).map(|strategy| (strategy, baseline)).ok_or(gauge.key))
    });
    // A size or a volatility of nothing has no percentage.
    match (&column, gauge.comparison) {
        (Column::Pairs(rows), Comparison::Change) if rows.iter().flatten().all(|(_, baseline)| *baseline <= 0.0) => {
            Column::Unknown(format!("the baseline's `{}` is zero", gauge.key))
        }
        _ => column,
    }
}
