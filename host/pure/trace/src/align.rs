//! The longest common subsequence of two lists.
//!
//! Invariant: both lists come out whole and in order; what is paired is equal. Memory is bounded by [`ALIGN_CELLS_MAX`].

use serde::Serialize;

/// The largest table, in cells of four bytes: two episodes that differ over 4,000 actions each. Beyond it, only the equal beginning and
/// the equal end are paired.
pub const ALIGN_CELLS_MAX: usize = 16_000_000;

/// One row of an alignment; the numbers are places in the two lists, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Row {
    /// The same on both sides.
    Both {
        /// Place on the left.
        left: usize,
        /// Place on the right.
        right: usize,
    },
    /// On the left only.
    Left(usize),
    /// On the right only.
    Right(usize),
}

/// Pairs what two lists have in common, as much as possible; among equally good pairings the one that takes what is left-only first.
pub(crate) fn align<T: PartialEq>(left: &[T], right: &[T]) -> Vec<Row> {
    let start = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let (left_rest, right_rest) = (&left[start..], &right[start..]);
    let end = left_rest.iter().rev().zip(right_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (left_end, right_end) = (left.len() - end, right.len() - end);

    let mut rows: Vec<Row> = (0..start).map(|place| Row::Both { left: place, right: place }).collect();
    align_middle(&left[start..left_end], &right[start..right_end], start, &mut rows);
    rows.extend((0..end).map(|place| Row::Both { left: left_end + place, right: right_end + place }));
    rows
}

fn align_middle<T: PartialEq>(left: &[T], right: &[T], offset: usize, rows: &mut Vec<Row>) {
    let width = right.len() + 1;
    let (mut i, mut j) = (0, 0);
    if (left.len() + 1).saturating_mul(width) <= ALIGN_CELLS_MAX {
        // common[i * width + j]: the length of the longest common subsequence of left[i..] and right[j..].
        let mut common = vec![0u32; (left.len() + 1) * width];
        for i in (0..left.len()).rev() {
            for j in (0..right.len()).rev() {
                common[i * width + j] = if left[i] == right[j] {
                    common[(i + 1) * width + j + 1] + 1
                } else {
                    common[(i + 1) * width + j].max(common[i * width + j + 1])
                };
            }
        }
        while i < left.len() && j < right.len() {
            if left[i] == right[j] {
                rows.push(Row::Both { left: offset + i, right: offset + j });
                (i, j) = (i + 1, j + 1);
            } else if common[(i + 1) * width + j] >= common[i * width + j + 1] {
                rows.push(Row::Left(offset + i));
                i += 1;
            } else {
                rows.push(Row::Right(offset + j));
                j += 1;
            }
        }
    }
    rows.extend((i..left.len()).map(|place| Row::Left(offset + place)));
    rows.extend((j..right.len()).map(|place| Row::Right(offset + place)));
}
