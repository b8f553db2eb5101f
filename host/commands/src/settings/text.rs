//! What people write in a word: seeds, counts, times, ranges of steps.

use crate::Failure;
use assay_evaluate::Seeds;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::time::Duration;

/// `20`, `5..8` or `3,7,11`.
pub(crate) fn seeds(text: &str) -> Result<Seeds, Failure> {
    let wrong = || {
        Failure::usage(format!("`{text}` is not a valid set of seeds"))
            .hint("`20` means seeds 1 to 20, `5..8` means 5, 6, 7 and 8, `3,7,11` means just those")
    };
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
    let seeds = if let Some((from, to)) = text.split_once("..") {
        Seeds::range(number(from)?, number(to.trim_start_matches('='))?)
    } else if text.contains(',') {
        Seeds::list(text.split(',').map(number).collect::<Result<_, _>>()?)
    } else {
        Seeds::count(number(text)?)
    };
    seeds.map_err(|error| Failure::usage(error).hint("for example: --seeds 20"))
}

/// As many as asked for, or one a processor.
pub(crate) fn threads(asked: Option<usize>) -> Result<NonZeroUsize, Failure> {
    const THREADS_MAX: usize = 1_024;
    match asked {
        None => Ok(std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)),
        Some(threads) => NonZeroUsize::new(threads).filter(|threads| threads.get() <= THREADS_MAX).ok_or_else(|| {
            Failure::usage(format!("--threads {threads} is out of range")).hint(format!("use 1 to {THREADS_MAX}"))
        }),
    }
}

/// A length of time such as `30s`: a number and a unit.
pub(crate) fn time_limit(text: &str) -> Result<Duration, Failure> {
    const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
    let wrong = || {
        Failure::usage(format!("`{text}` is not a valid timeout"))
            .hint("use a number and a unit, above zero and at most one day: `500ms`, `30s`, `5min`, `1h`")
    };
    let units = [("ms", 0.001), ("min", 60.0), ("s", 1.0), ("h", 3600.0)];
    let (number, seconds) =
        units.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds))).ok_or_else(wrong)?;
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number: f64 = number.parse().ok().filter(|_| is_plain).ok_or_else(wrong)?;
    let limit = Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())?;
    if limit.is_zero() || limit > LONGEST { Err(wrong()) } else { Ok(limit) }
}

/// Steps of an episode: `4`, `3..9` with both ends, `3..` or `..9`.
pub(crate) fn steps(text: &str) -> Result<RangeInclusive<usize>, Failure> {
    let wrong = || {
        Failure::usage(format!("`{text}` is not a valid range of steps"))
            .hint("`4` is one step, `3..9` is steps 3 to 9 inclusive, `3..` and `..9` are open-ended")
    };
    let number = |text: &str, open: usize| match text.trim() {
        "" => Ok(open),
        digits => digits.parse::<usize>().map_err(|_| wrong()),
    };
    let (from, to) = match text.split_once("..") {
        Some((from, to)) => (number(from, 0)?, number(to.trim_start_matches('='), usize::MAX)?),
        None => text.trim().parse().map(|step| (step, step)).map_err(|_| wrong())?,
    };
    if from > to { Err(wrong()) } else { Ok(from..=to) }
}
