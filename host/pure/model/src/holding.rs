//! A position with its average cost: what the shares held were bought for (or, when short, sold for), and what closed shares have earned.
//!
//! Average-cost accounting: shares that close a part of the position take that part of its cost with them; shares beyond it begin a new
//! position. Invariants: whole numbers only; cash spent is always cost held less what was realised, to the micro-cent; fees are left out.

/// Micro-cents in a cent.
const MICROCENTS: i128 = 1_000_000;
/// Micro-cents in a thousandth of a cent.
const PER_MILLICENT: i128 = 1_000;

/// See the module documentation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Holding {
    /// Shares; negative when short.
    shares: i64,
    /// What they cost, in micro-cents; negative when short.
    cost: i128,
    /// What closed shares have earned, in micro-cents.
    realised: i128,
}

impl Holding {
    /// Shares held; negative when short.
    pub(crate) const fn shares(&self) -> i64 {
        self.shares
    }

    /// Takes in a trade of `signed` shares (negative: sold) at a price in cents.
    pub(crate) fn trade(&mut self, signed: i64, cents: i64) {
        let price = i128::from(cents) * MICROCENTS;
        let closes = if self.shares.signum() * signed.signum() < 0 { signed.abs().min(self.shares.abs()) } else { 0 };
        if closes > 0 {
            // The division is exact when the whole position goes; else it drops less than a micro-cent, which stays with the rest.
            let part = self.cost * i128::from(closes) / i128::from(self.shares.abs());
            let closed = signed.signum() * closes;
            self.realised -= part + i128::from(closed) * price;
            self.cost -= part;
            self.shares += closed;
        }
        let opened = signed - signed.signum() * closes;
        self.cost += i128::from(opened) * price;
        self.shares += opened;
    }

    /// Average price of the shares held, in thousandths of a cent, rounded toward zero; none without shares.
    pub(crate) fn average_cost(&self) -> Option<i64> {
        let average = (self.shares != 0).then(|| self.cost / i128::from(self.shares) / PER_MILLICENT)?;
        i64::try_from(average).ok()
    }

    /// What closed shares have earned, in cents, rounded toward zero; fees are left out.
    pub(crate) fn realised(&self) -> i64 {
        i64::try_from(self.realised / MICROCENTS).unwrap_or(if self.realised < 0 { i64::MIN } else { i64::MAX })
    }
}

#[cfg(test)]
mod tests {
    use super::Holding;

    /// Plays trades of (signed shares, cents); then position, average cost in millicents, realised cents.
    fn check(trades: &[(i64, i64)], shares: i64, average: Option<i64>, realised: i64) {
        let mut holding = Holding::default();
        let mut spent = 0;
        for (signed, cents) in trades {
            holding.trade(*signed, *cents);
            spent += i128::from(signed * cents) * super::MICROCENTS;
            assert_eq!(spent, holding.cost - holding.realised, "cash, cost and profit add up after {trades:?}");
        }
        let seen = (holding.shares(), holding.average_cost(), holding.realised());
        assert_eq!(seen, (shares, average, realised), "{trades:?}");
    }

    #[test]
    fn average_cost_and_profit_follow_the_trades() {
        check(&[], 0, None, 0);
        check(&[(10, 100)], 10, Some(100_000), 0);
        check(&[(10, 100), (10, 103)], 20, Some(101_500), 0);
        check(&[(10, 100), (10, 103), (-5, 110)], 15, Some(101_500), 42);
        check(&[(10, 100), (-10, 99)], 0, None, -10);
        // Through zero: the rest is a new position at the trade's price.
        check(&[(10, 100), (-15, 104)], -5, Some(104_000), 40);
        check(&[(-10, 100), (4, 90)], -6, Some(100_000), 40);
        check(&[(-10, 100), (-10, 101), (30, 95)], 10, Some(95_000), 110);
        // Thirds of a cent are cut off, and nothing is lost for it in the end.
        check(&[(1, 100), (2, 101)], 3, Some(100_666), 0);
        check(&[(1, 100), (2, 101), (-1, 101), (-1, 101), (-1, 101)], 0, None, 1);
        // The largest that a trade can be, a thousand times.
        check(&vec![(1_000_000, 100_000_000); 1_000], 1_000_000_000, Some(100_000_000_000), 0);
    }
}
