//! Numbers of a session as a person writes them: points, e-values, costs.

use assay_model::known_dollars;

/// Points with their sign, to two places: `+1.33`. What rounds to nothing is `+0.00`, from either side.
#[must_use]
pub fn points(points: f64) -> String {
    // Adding zero takes the sign from a zero that has one.
    format!("{:+.2}", (points * 100.0).round() / 100.0 + 0.0)
}

/// An e-value for a reader: `0.31`, `70`, `1,250`, `1.2 million`.
#[must_use]
pub fn plain(e_value: f64) -> String {
    // Rounded first, so that 999.6 is 1,000 and 999,999.6 a million.
    let whole = e_value.round();
    if e_value < 0.01 || e_value.is_nan() {
        "below 0.01".to_owned()
    } else if e_value < 9.995 {
        trimmed(&format!("{e_value:.2}"))
    } else if whole < 1e3 {
        format!("{whole}")
    } else if whole < 1e6 {
        let whole = whole as u64;
        format!("{},{:03}", whole / 1_000, whole % 1_000)
    } else if whole < 9.995e8 {
        format!("{} million", trimmed(&format!("{:.1}", e_value / 1e6)))
    } else if whole < 9.995e11 {
        format!("{} billion", trimmed(&format!("{:.1}", e_value / 1e9)))
    } else {
        // From here on nobody counts.
        "a trillion or more".to_owned()
    }
}

/// Whether a price is missing: models have used tokens, and that has cost nothing.
#[must_use]
pub(crate) const fn is_unpriced(tokens: u64, microdollars: u64) -> bool {
    tokens > 0 && microdollars == 0
}

/// What so many tokens have cost: `$0.0123`, or `unknown` where no price is known.
#[must_use]
pub fn cost(tokens: u64, microdollars: u64) -> String {
    known_dollars(microdollars, is_unpriced(tokens, microdollars))
}

/// Without zeros at the end of the fraction.
fn trimmed(decimal: &str) -> String {
    decimal.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e_values_read_as_a_person_writes_them() {
        let check = |e_value: f64, shown: &str| assert_eq!(plain(e_value), shown, "{e_value}");
        check(69.92, "70");
        check(0.311, "0.31");
        check(9.999, "10");
        check(1_250.2, "1,250");
        check(999.6, "1,000");
        check(1_006.0, "1,006");
        check(999_999.6, "1 million");
        check(1.24e6, "1.2 million");
        check(2e6, "2 million");
        check(9.999e8, "1 billion");
        check(3.14e9, "3.1 billion");
        check(1e40, "a trillion or more");
        check(f64::INFINITY, "a trillion or more");
        check(1e-7, "below 0.01");
        check(1.0, "1");
    }

    #[test]
    fn points_have_a_sign_and_nothing_is_nothing_from_either_side() {
        let check = |value: f64, shown: &str| assert_eq!(points(value), shown, "{value}");
        check(1.333, "+1.33");
        check(-0.5, "-0.50");
        check(-0.004, "+0.00");
        check(-0.0, "+0.00");
        check(0.004, "+0.00");
    }
}
