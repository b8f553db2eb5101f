//! A model that goes in circles: the same code with the same output, again and again.
//!
//! What counts: the same step three times in a row, or two or three steps in turn, four times over (`OpenHands` counts alike). The first time
//! the model is told; the second time the episode ends.

use std::collections::VecDeque;

use assay_trace::Digest;

/// How many steps make a pattern, and how often it must be seen.
const PATTERNS: &[(usize, usize)] = &[(1, 3), (2, 4), (3, 4)];
/// No pattern is longer.
const STEPS_KEPT: usize = 12;

/// What the last steps look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sight {
    /// Progress, as far as one can tell.
    Moving,
    /// In circles, for the first time.
    Circling,
    /// In circles although it was told.
    Stuck,
}

/// Watches steps.
#[derive(Default, Debug)]
pub(crate) struct Watch {
    recent: VecDeque<Digest>,
    told: bool,
}

impl Watch {
    /// Takes the next step: the digest of its code and output.
    pub(crate) fn see(&mut self, step: Digest) -> Sight {
        self.recent.push_front(step);
        self.recent.truncate(STEPS_KEPT);
        if !PATTERNS.iter().any(|&(length, times)| self.repeats(length, times)) {
            Sight::Moving
        } else if self.told {
            Sight::Stuck
        } else {
            self.told = true;
            // What came before the warning does not count against what comes after.
            self.recent.clear();
            Sight::Circling
        }
    }

    fn repeats(&self, length: usize, times: usize) -> bool {
        let span = length * times;
        self.recent.len() >= span && (length..span).all(|place| self.recent[place] == self.recent[place - length])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        // Steps as letters; where the watch speaks up, by place from 1.
        let cases: &[(&str, Option<usize>, Option<usize>)] = &[
            ("aab", None, None),
            ("aaa", Some(3), None),
            ("xaaa", Some(4), None),
            ("aaaaa", Some(3), None),
            ("aaaaaa", Some(3), Some(6)),
            ("aaabcdaaa", Some(3), Some(9)),
            ("abababa", None, None),
            ("abababab", Some(8), None),
            ("abcabcabcabc", Some(12), None),
            ("abcabcabcabcxbcabcabcabcab", Some(12), Some(25)),
            ("abcdabcdabcdabcdabcd", None, None),
            ("aabbaabbaabb", None, None),
        ];
        for (steps, circling, stuck) in cases {
            let mut watch = Watch::default();
            let sights: Vec<Sight> = steps.bytes().map(|step| watch.see(Digest::of(&[step]))).collect();
            let first = |wanted| sights.iter().position(|sight| *sight == wanted).map(|place| place + 1);
            assert_eq!((first(Sight::Circling), first(Sight::Stuck)), (*circling, *stuck), "{steps}");
        }
    }
}
