//! Whether B is better than A, from paired differences, looked at as often as one likes: a betting e-process.
//!
//! A gambler starts with 1 and bets on each difference that it is above zero. If it is not above zero on average, the wealth K is a supermartingale, so it
//! reaches 1/α with probability α at most (Ville 1939; Waudby-Smith and Ramdas, JRSS B 86, 2024). Differences are clipped at a scale that the first blocks
//! give, which are then dropped, so no assumption about tails is made beyond that the clipped mean is not above zero.

/// Blocks that only give the scale.
pub const BURN_IN: usize = 8;
/// The clip, in medians of the absolute differences of the burn-in.
const CLIP_MEDIANS: f64 = 6.0;

/// The wealth of the gambler after some differences.
#[derive(Clone, PartialEq, Debug)]
pub struct Wager {
    bet_max: f64,
    burn_in: Vec<f64>,
    clip: f64,
    sum: f64,
    squares: f64,
    wealth: f64,
    blocks: usize,
}

impl Wager {
    /// Nothing bet. At most `bet_max` of the wealth is bet on one block.
    #[must_use]
    pub const fn new(bet_max: f64) -> Self {
        Self { bet_max, burn_in: Vec::new(), clip: 0.0, sum: 0.0, squares: 0.0, wealth: 1.0, blocks: 0 }
    }

    /// Bets on the next difference. One that is no number counts as a loss of the scale.
    pub fn push(&mut self, difference: f64) {
        self.blocks += 1;
        if self.burn_in.len() < BURN_IN {
            self.burn_in.push(if difference.is_finite() { difference.abs() } else { 0.0 });
            if self.burn_in.len() == BURN_IN {
                self.clip = scale(&mut self.burn_in);
            }
            return;
        }
        let clipped = if difference.is_finite() { difference.clamp(-self.clip, self.clip) } else { -self.clip };
        let x = if self.clip > 0.0 { clipped / self.clip } else { 0.0 };
        // A log may say any number.
        let bet = (self.sum / (self.squares + 0.25)).clamp(0.0, self.bet_max.max(0.0));
        self.wealth *= 1.0 + bet * x;
        self.sum += x;
        self.squares += x * x;
    }

    /// The wealth: an e-value.
    #[must_use]
    pub const fn wealth(&self) -> f64 {
        self.wealth
    }

    /// Differences so far.
    #[must_use]
    pub const fn blocks(&self) -> usize {
        self.blocks
    }

    /// Of these differences in a row.
    #[must_use]
    pub fn over(bet_max: f64, differences: impl IntoIterator<Item = f64>) -> Self {
        let mut wager = Self::new(bet_max);
        differences.into_iter().for_each(|difference| wager.push(difference));
        wager
    }
}

/// Differences from which on their mean says something: fewer say nothing about their own spread.
const CERTAIN_MIN: usize = 6;

/// What the mean of these differences is at least, by its 95% interval: from 0 to 1 point; 0 of too few. Noise is worth next to nothing by it, however much.
#[must_use]
pub fn certain(differences: impl Iterator<Item = f64>) -> f64 {
    let differences: Vec<f64> = differences.collect();
    if differences.len() < CERTAIN_MIN || differences.iter().any(|one| !one.is_finite()) {
        return 0.0;
    }
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let squares = differences.iter().map(|one| (one - mean) * (one - mean)).sum::<f64>();
    // Student's t at 97.5% is near 2 for the blocks of a race and of any trial.
    (mean - 2.0 * (squares / (n - 1.0) / n).sqrt()).clamp(0.0, 1.0)
}

/// The clip for these absolute differences. Where most are zero, the largest.
fn scale(absolute: &mut [f64]) -> f64 {
    absolute.sort_by(f64::total_cmp);
    let median = f64::midpoint(absolute[BURN_IN / 2 - 1], absolute[BURN_IN / 2]);
    if median > 0.0 { CLIP_MEDIANS * median } else { absolute[BURN_IN - 1] }
}
