//! Where two courses of the same thing part: the requests of a strategy in two runs of one seed, say.
//!
//! Invariants: both are read once, side by side, and no further than to their first difference; only a few of what is the same are kept; whoever reads sets the
//! bound.

use std::collections::VecDeque;

/// Where two courses part, or how far they were found to be the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parting<T> {
    /// How many are the same before that.
    pub same: u64,
    /// The last of those, the oldest first.
    pub before: Vec<T>,
    /// The first that differs; none in both where all are the same, and none in one that has ended before the other.
    pub first: (Option<T>, Option<T>),
    /// Whether the bound was met before a difference or an end.
    pub is_cut: bool,
}

impl<T> Parting<T> {
    /// Whether a difference was found.
    #[must_use]
    pub fn is_found(&self) -> bool {
        self.first.0.is_some() || self.first.1.is_some()
    }
}

/// Reads both until they differ, at most `most` of each, and keeps the last `kept` of what is the same, as the first has them.
///
/// # Errors
/// The first error of either.
pub fn parting<T, E>(
    a: impl IntoIterator<Item = Result<T, E>>,
    b: impl IntoIterator<Item = Result<T, E>>,
    is_same: impl Fn(&T, &T) -> bool,
    (most, kept): (u64, usize),
) -> Result<Parting<T>, E> {
    let (mut a, mut b) = (a.into_iter(), b.into_iter());
    let (mut same, mut before) = (0, VecDeque::new());
    while same < most {
        match (a.next().transpose()?, b.next().transpose()?) {
            (Some(one), Some(other)) if is_same(&one, &other) => {
                same += 1;
                before.push_back(one);
                if before.len() > kept {
                    before.pop_front();
                }
            }
            first => return Ok(Parting { same, before: before.into(), first, is_cut: false }),
        }
    }
    Ok(Parting { same, before: before.into(), first: (None, None), is_cut: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_found_and_no_more_is_read() {
        type Found = (u64, Vec<u8>, (Option<u8>, Option<u8>), bool);
        let cases: [(&[u8], &[u8], Found); 6] = [
            (&[1, 2, 3, 4], &[1, 2, 9, 4], (2, vec![1, 2], (Some(3), Some(9)), false)),
            (&[1, 2, 3, 4], &[1, 2, 3], (3, vec![2, 3], (Some(4), None), false)),
            (&[], &[7], (0, vec![], (None, Some(7)), false)),
            (&[5, 6], &[5, 6], (2, vec![5, 6], (None, None), false)),
            (&[1, 2, 3, 4, 5, 6], &[1, 2, 3, 4, 5, 7], (5, vec![4, 5], (None, None), true)),
            (&[], &[], (0, vec![], (None, None), false)),
        ];
        for (a, b, (same, before, first, is_cut)) in cases {
            let ok = |values: &[u8]| values.iter().map(|value| Ok::<u8, String>(*value)).collect::<Vec<_>>();
            let found = parting(ok(a), ok(b), |a, b| a == b, (5, 2)).expect("no error");
            assert_eq!(found, Parting { same, before, first, is_cut }, "{a:?} {b:?}");
            assert_eq!(found.is_found(), first != (None, None));
        }
        let damaged = vec![Ok(1), Err("damaged")];
        assert_eq!(parting(damaged, vec![Ok(1), Ok(2)], |a, b| a == b, (9, 1)), Err("damaged"));
    }
}
