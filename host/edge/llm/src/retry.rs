//! When a request that failed is sent again.
//!
//! The wait doubles with each retry, is cut at a cap, and is spread over its upper half so that requests which failed together do not come
//! back together. A provider that names a time is waited for, up to a cap of its own. The spread is a function of the seed, the
//! request and the number of the retry, so the same run waits the same.

use assay_trace::Digest;
use std::time::{Duration, SystemTime};

/// How often, and after what time, a request is sent again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retry {
    /// Requests beyond the first, those apart that follow a provider's word that it was too much.
    pub retries_max: u32,
    /// Requests that follow such a word.
    pub throttled_max: u32,
    /// The wait before the first retry.
    pub wait_first: Duration,
    /// The longest wait of ours.
    pub wait_max: Duration,
    /// The longest wait that a provider may ask for; beyond it we come back sooner.
    pub asked_wait_max: Duration,
    /// Seeds the spread.
    pub seed: u64,
}

impl Retry {
    /// Half a minute of waiting altogether, and a provider may ask for two minutes at a time. One that has too much to do is waited for as long as the
    /// deadline of the question allows: it is there, and will have less.
    pub const STANDARD: Self = Self {
        retries_max: 5,
        throttled_max: 120,
        wait_first: Duration::from_secs(1),
        wait_max: Duration::from_secs(30),
        asked_wait_max: Duration::from_mins(2),
        seed: 0,
    };

    /// The wait before the retry of that number, from 1, when the provider asked for `asked`.
    pub(crate) fn wait(&self, request: &Digest, number: u32, asked: Option<Duration>) -> Duration {
        let doubled = self.wait_first.saturating_mul(2_u32.saturating_pow(number.saturating_sub(1)));
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.seed.to_le_bytes()).update(request.as_bytes()).update(&number.to_le_bytes());
        let spread = f64::from(hasher.finalize().as_bytes()[0]) / 512.0 + 0.5;
        let ours = doubled.min(self.wait_max).mul_f64(spread);
        ours.max(asked.unwrap_or_default().min(self.asked_wait_max))
    }
}

/// The wait that a response asks for: `retry-after-ms`, or `retry-after` in seconds or as a date (RFC 9110, sections 10.2.3 and 5.6.7).
pub(crate) fn asked_wait<'a>(header: impl Fn(&str) -> Option<&'a str>, now: SystemTime) -> Option<Duration> {
    if let Some(milliseconds) = header("retry-after-ms").and_then(|text| text.trim().parse().ok()) {
        return Some(Duration::from_millis(milliseconds));
    }
    let text = header("retry-after")?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = http_date(text)?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// A date in the form that servers must send (`Sun, 06 Nov 1994 08:49:37 GMT`).
fn http_date(text: &str) -> Option<SystemTime> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let rest = text.split_once(", ")?.1.strip_suffix(" GMT")?;
    let mut words = rest.split(' ');
    let day: u64 = words.next()?.parse().ok().filter(|day| (1..=31).contains(day))?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|known| *known == month)? as u64 + 1;
    let year: u64 = words.next()?.parse().ok().filter(|year| (1970..=9999).contains(year))?;
    let mut clock = words.next()?.split(':').map(|part| part.parse::<u64>().ok().filter(|part| *part <= 60));
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    // Days since the epoch by the civil calendar, with years that begin in March so that the leap day is the last.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1;
    let days = days.checked_sub(719_468)?;
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second;
    Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_spread_and_stay_under_their_caps() {
        let retry = Retry { seed: 7, ..Retry::STANDARD };
        let request = Digest::of(b"request");
        for number in 1..=40 {
            let full = Duration::from_secs(1 << (number - 1).min(10)).min(retry.wait_max);
            let wait = retry.wait(&request, number, None);
            assert!(wait >= full / 2 && wait <= full, "{number}: {wait:?}");
            assert_eq!(wait, retry.wait(&request, number, None));
        }
        assert_ne!(retry.wait(&request, 1, None), retry.wait(&Digest::of(b"another"), 1, None));
        assert_ne!(retry.wait(&request, 1, None), Retry { seed: 8, ..retry }.wait(&request, 1, None));
        assert_eq!(retry.wait(&request, 1, Some(Duration::from_secs(20))), Duration::from_secs(20));
        assert_eq!(retry.wait(&request, 1, Some(Duration::from_secs(86_400))), retry.asked_wait_max);
    }

    #[test]
    fn a_provider_that_has_too_much_to_do_for_ten_minutes_is_waited_for() {
        let retry = Retry::STANDARD;
        for seed in 0..20 {
            let request = Digest::of(&[seed]);
            let waits = (1..=retry.throttled_max).map(|number| retry.wait(&request, number, None));
            assert!(waits.sum::<Duration>() > Duration::from_mins(30), "longer than a question may take");
        }
    }

    #[test]
    fn a_provider_asks_in_three_forms() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770);
        let check = |headers: &[(&str, &str)], wait: Option<u64>| {
            let find = |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
            assert_eq!(asked_wait(find, now), wait.map(Duration::from_millis), "{headers:?}");
        };
        check(&[("retry-after", "7")], Some(7_000));
        check(&[("retry-after", "7"), ("retry-after-ms", "250")], Some(250));
        check(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], Some(7_000));
        check(&[("retry-after", "Sun, 06 Nov 1994 08:49:00 GMT")], Some(0));
        check(&[("retry-after", "Thu, 29 Feb 1996 00:00:00 GMT")], Some((825_552_000 - 784_111_770) * 1_000));
        for nonsense in
            ["", "-1", "soon", "Sun, 06 Nov 1994", "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08 GMT"]
        {
            check(&[("retry-after", nonsense)], None);
        }
        check(&[], None);
    }
}
