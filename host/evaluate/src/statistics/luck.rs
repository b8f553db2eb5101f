//! The best of many tries: how good it would be by luck alone.
//!
//! Deflated Sharpe ratio: D. Bailey and M. López de Prado, "The Deflated Sharpe Ratio", J. Portfolio Management 40(5), 2014. Probability of backtest
//! overfitting: D. Bailey, J. Borwein, M. López de Prado and Q. Zhu, J. Computational Finance 20(4), 2017. Here a period is a market path, so
//! periods are independent and blocks of them can be put together at will.

use super::sample::Sample;
use statrs::distribution::{ContinuousCDF as _, Normal};

/// Euler's and Mascheroni's constant.
const EULER: f64 = 0.577_215_664_901_532_9;
/// Blocks of observations; half of them choose and half judge, in all 252 ways.
const BLOCKS: usize = 10;
/// Observations below which blocks would be single ones.
const OBSERVATIONS_MIN: usize = 2 * BLOCKS;

/// How far the best of several tries may be luck.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Luck {
    /// Mean over deviation of the winner's observations.
    pub sharpe: f64,
    /// The expected best of that many tries without any skill.
    pub sharpe_by_luck: f64,
    /// Probability that the winner's true ratio is above that: the deflated Sharpe ratio.
    pub deflated: f64,
}

/// The deflated Sharpe ratio of the best of `tries`: PSR(S*) = Φ((S − S*)√(n − 1)/√(1 − γ₃S + (γ₄ − 1)/4·S²)) with plain kurtosis γ₄, at the S* that the best of
/// `tries` without skill is expected to reach. Their spread is what chance gives independent ones, a variance of 1/(n − 1). The paper takes the spread that
/// the tries show; then near-copies of one strategy would make luck look small, and one hopeless entry would make every winner look lucky.
///
/// `None` below two observations, or without any deviation.
#[must_use]
pub fn deflated_sharpe(winner: &Sample, tries: usize) -> Option<Luck> {
    let sharpe = winner.mean()? / winner.sd().filter(|sd| *sd > 0.0)?;
    let (skewness, kurtosis) = (winner.skewness()?, winner.kurtosis()?);
    let periods = winner.n() as f64 - 1.0;
    let sharpe_by_luck = expected_maximum(tries) / periods.sqrt();
    let variance = 1.0 - skewness * sharpe + (kurtosis - 1.0) / 4.0 * sharpe * sharpe;
    let normal = Normal::new(0.0, 1.0).ok()?;
    let deflated = (variance > 0.0).then(|| normal.cdf((sharpe - sharpe_by_luck) * (periods / variance).sqrt()))?;
    Some(Luck { sharpe, sharpe_by_luck, deflated })
}

/// The expected largest of `tries` standard normal numbers, in the paper's approximation; 0 for one.
fn expected_maximum(tries: usize) -> f64 {
    let tries = tries as f64;
    match Normal::new(0.0, 1.0) {
        Ok(normal) if tries > 1.0 => {
            (1.0 - EULER) * normal.inverse_cdf(1.0 - 1.0 / tries)
                + EULER * normal.inverse_cdf(1.0 - 1.0 / (tries * std::f64::consts::E))
        }
        _ => 0.0,
    }
}

/// The share of all ways to split the observations into halves in which the winner of one half is not above the median in the other.
///
/// `rows` hold the entries' values over the same paths. `None` below two entries or twenty paths.
#[must_use]
pub fn overfitting_probability(rows: &[&Sample]) -> Option<f64> {
    let n = rows.first()?.n();
    if rows.len() < 2 || n < OBSERVATIONS_MIN || rows.iter().any(|row| row.n() != n) {
        return None;
    }
    let bounds: Vec<usize> = (0..=BLOCKS).map(|block| block * n / BLOCKS).collect();
    let block_sums = |row: &&Sample| -> Vec<f64> {
        bounds.windows(2).map(|ends| row.values()[ends[0]..ends[1]].iter().sum()).collect()
    };
    let sums: Vec<Vec<f64>> = rows.iter().map(block_sums).collect();
    let (mut splits, mut lost) = (0_u32, 0_u32);
    for chosen in 0..1_u32 << BLOCKS {
        if chosen.count_ones() as usize != BLOCKS / 2 {
            continue;
        }
        splits += 1;
        let half = |row: &Vec<f64>, inside: bool| -> f64 {
            let is_in = |block: usize| (chosen >> block & 1 == 1) == inside;
            row.iter().enumerate().filter(|(block, _)| is_in(*block)).map(|(_, sum)| sum).sum()
        };
        let (best, _) = sums
            .iter()
            .enumerate()
            .map(|(entry, row)| (entry, half(row, true)))
            .fold((0, f64::NEG_INFINITY), |best, found| if found.1 > best.1 { found } else { best });
        let own = half(&sums[best], false);
        let below = sums.iter().filter(|row| half(row, false) < own).count();
        let above = sums.iter().filter(|row| half(row, false) > own).count();
        lost += u32::from(below <= above);
    }
    Some(f64::from(lost) / f64::from(splits))
}
