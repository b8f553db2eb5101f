//! The Ladder: what is shown of sealed results, so that asking often tells little.
//!
//! A. Blum and M. Hardt, "The Ladder: a reliable leaderboard for machine learning competitions", ICML 2015. A mean is shown only if it beats the best one
//! shown by more than chance, rounded to a step. Over independent paths the step comes from the data, as in their parameter-free form: a paired one-sided
//! test against the holder of the best, and the standard error for rounding. Over a single path, as in a recorded market, the step is the board's.

use crate::statistics::{Confidence, Sample, Tail};

/// The best that was shown so far.
#[derive(Clone, Debug, Default)]
pub struct Ladder {
    holder: Option<(Sample, f64)>,
}

impl Ladder {
    /// Shows the mean of `entry`, rounded, if it is the first or beats the holder; `None` otherwise, whatever it is.
    pub fn climb(&mut self, entry: &Sample, board_step: f64) -> Option<f64> {
        let mean = entry.mean()?;
        let step = entry.sd().filter(|sd| *sd > 0.0).map_or(board_step, |sd| nice(sd / (entry.n() as f64).sqrt()));
        let climbs = match &self.holder {
            None => true,
            Some((holder, shown)) => match (entry.minus(holder), Confidence::percent(95.0)) {
                (Some(difference), Some(confidence)) if difference.n() >= 2 => {
                    difference.bound(Tail::Lower, confidence).is_some_and(|bound| bound > 0.0)
                }
                _ => mean > shown + board_step,
            },
        };
        let shown = (mean / step).round() * step;
        climbs.then(|| {
            self.holder = Some((entry.clone(), shown));
            shown
        })
    }
}

/// The next of 1, 2 and 5 times a power of ten: a step that tells nothing by its digits.
fn nice(size: f64) -> f64 {
    if !size.is_finite() || size <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(size.log10().floor());
    [1.0, 2.0, 5.0].map(|step| step * power).into_iter().find(|step| *step >= size).unwrap_or(10.0 * power)
}
