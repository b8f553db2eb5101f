//! The formulas. Only `libm` functions, sums in the order of the sample: the same bits everywhere.

/// Lags at which the decay of an autocorrelation is fitted: evenly spread over the logarithm, so that no decade outweighs another.
const DECAY_LAGS: [usize; 11] = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144];
/// Steps of one hundredth in which the exponent of a decay is sought.
const EXPONENTS: i32 = 200;

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The `power`-th central moment.
fn moment(values: &[f64], power: i32) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(power)).sum::<f64>() / values.len() as f64
}

/// `None` unless it is a number.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Kurtosis above that of a normal distribution.
pub(super) fn excess_kurtosis(values: &[f64]) -> Option<f64> {
    let variance = moment(values, 2);
    finite(moment(values, 4) / (variance * variance) - 3.0)
}

/// Sample autocorrelation at `lag`.
pub(super) fn autocorrelation(values: &[f64], lag: usize) -> Option<f64> {
    let mean = mean(values);
    let products = values.iter().zip(values.get(lag..)?).map(|(early, late)| (early - mean) * (late - mean));
    finite(products.sum::<f64>() / values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>())
}

/// Pearson's correlation.
pub(super) fn correlation(xs: &[f64], ys: &[f64]) -> Option<f64> {
    let (x_mean, y_mean) = (mean(xs), mean(ys));
    let products = xs.iter().zip(ys).map(|(x, y)| (x - x_mean) * (y - y_mean));
    finite(products.sum::<f64>() / xs.len() as f64 / (moment(xs, 2) * moment(ys, 2)).sqrt())
}

/// Standard deviation over mean.
pub(super) fn coefficient_of_variation(values: &[f64]) -> Option<f64> {
    finite(moment(values, 2).sqrt() / mean(values))
}

/// Variance of overlapping differences over `step` points by `step` times that of single ones (Lo & `MacKinlay` 1988, without drift).
pub(super) fn variance_ratio(levels: &[f64], step: usize) -> Option<f64> {
    let mean_square = |step: usize| {
        let differences = levels.iter().zip(levels.get(step..)?).map(|(early, late)| late - early);
        Some(differences.map(|difference| difference * difference).sum::<f64>() / (levels.len() - step) as f64)
    };
    finite(mean_square(step)? / (step as f64 * mean_square(1)?))
}

/// Hill's (1975) estimate of the tail index from the largest `share` of absolute values.
pub(super) fn hill(values: &[f64], share: f64) -> Option<f64> {
    let mut sizes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    let count = (share * sizes.len() as f64) as usize;
    let threshold = *sizes.get(count).filter(|threshold| **threshold > 0.0)?;
    finite(count as f64 / sizes[..count].iter().map(|size| libm::log(size / threshold)).sum::<f64>())
}

/// The exponent β for which c · lag^−β fits the autocorrelations up to `longest` best, by least squares; `None` if they are not positive on the whole.
pub(super) fn decay(values: &[f64], longest: usize) -> Option<f64> {
    let points: Vec<(f64, f64)> = DECAY_LAGS
        .iter()
        .filter(|lag| **lag <= longest)
        .map(|lag| Some((*lag as f64, autocorrelation(values, *lag)?)))
        .collect::<Option<_>>()?;
    let fit = |hundredths: i32| {
        let exponent = f64::from(hundredths) / 100.0;
        let powers = || points.iter().map(|(lag, found)| (libm::pow(*lag, -exponent), found));
        let scale = powers().map(|(power, found)| power * found).sum::<f64>()
            / powers().map(|(power, _)| power * power).sum::<f64>();
        let error: f64 = powers().map(|(power, found)| (found - scale * power) * (found - scale * power)).sum();
        (error, scale, exponent)
    };
    let best = (0..=EXPONENTS).map(fit).min_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.1 > 0.0).then_some(best.2)
}

/// The value below which `share` of the sorted values lie, between neighbours in proportion; not a number if there are none.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let below = place as usize;
    let above = (below + 1).min(last);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests;
