//! The first order that differs between two runs of one seed.
//!
//! Invariants: seeds are told apart by the hashes of their events, which every record has; orders are read from the tables of exactly those events, up to a
//! bound, and of the rest a few rows are read.

use crate::library::Library;
use crate::pages::orders::{Drawn, Found, Missing, Order, Parted, Told};
use crate::recording::{Episode, Recording, Refused, Requests, Sent};
use assay_results::{Parting, parting};
use assay_store::Run;
use std::cell::Cell;
use std::collections::BTreeMap;

/// Orders of one side that are looked at.
const ORDERS_MAX: u64 = 2_000_000;
/// Equal orders before the first that differs that are shown.
const BEFORE: usize = 5;
/// Rows of the exchange's record that are shown on either side of it.
const BESIDE: u64 = 6;
/// Seeds of a list.
const SEEDS_MAX: usize = 60;

/// One of the runs, as far as its orders can be found.
#[derive(Clone, Copy)]
pub(super) struct Course<'a> {
    pub run: &'a Run,
    pub episodes: &'a [Episode],
    /// The seed whose course its report draws.
    pub drawn: Option<Drawn>,
    /// Whether the store has what it needs to be made again.
    pub can_be_made_again: bool,
}

/// Where the two part in a seed: in the one that was asked for, else in the first in which they do. None where no seed is in both.
pub(super) fn parted(library: &Library, courses: [Course<'_>; 2], asked: Option<u64>) -> Option<Parted> {
    let [a, b] = courses.each_ref().map(|course| {
        course.episodes.iter().map(|episode| (episode.seed, episode)).collect::<BTreeMap<u64, &Episode>>()
    });
    let shared: Vec<(u64, bool)> =
        a.iter().filter_map(|(seed, one)| Some((*seed, one.event_log_hash == b.get(seed)?.event_log_hash))).collect();
    let differing: Vec<u64> = shared.iter().filter(|(_, is_same)| !is_same).map(|(seed, _)| *seed).collect();
    let is_there = |seed: &u64| shared.iter().any(|(shared, _)| shared == seed);
    let seed = asked.filter(is_there).or_else(|| differing.first().copied()).or_else(|| Some(shared.first()?.0))?;
    let told =
        if differing.contains(&seed) { look(library, &courses, [*a.get(&seed)?, *b.get(&seed)?]) } else { Told::Same };
    let (seeds, of) = (differing.iter().copied().take(SEEDS_MAX).collect(), (differing.len(), shared.len()));
    Some(Parted { seed, seeds, of, told })
}

fn look(library: &Library, courses: &[Course<'_>; 2], episodes: [&Episode; 2]) -> Told {
    let seed = episodes[0].seed;
    let (a, b) = match episodes.map(|episode| Recording::find(library, episode)) {
        [Ok(a), Ok(b)] => (a, b),
        recordings => {
            let missing = |(recording, course): (Result<Recording, Vec<Refused>>, &Course<'_>)| {
                let (command, can_be_made_again) =
                    (recording_command(&course.run.command, seed), course.can_be_made_again);
                recording.err().map(|refused| Missing { command, can_be_made_again, refused })
            };
            let mut missing = recordings.into_iter().zip(courses).map(missing);
            return Told::Missing([missing.next().flatten(), missing.next().flatten()]);
        }
    };
    let found = a.requests().and_then(|ours| Ok((ours, b.requests()?))).and_then(|(ours, theirs)| first(ours, theirs));
    match found {
        Ok((parting, shifted)) => Told::Found(Box::new(Found { shifted, ..shown(&parting, [&a, &b], courses) })),
        Err(why) => Told::Unreadable(why),
    }
}

/// Where they part, and the number of the first order, from 1, that only came at another time.
fn first(ours: Requests, theirs: Requests) -> Result<(Parting<Sent>, Option<u64>), String> {
    let (seen, shifted) = (Cell::new(0_u64), Cell::new(None));
    let is_same = |one: &Sent, other: &Sent| {
        seen.set(seen.get() + 1);
        let is_same = one.is_same(other);
        if is_same && one.at != other.at && shifted.get().is_none() {
            shifted.set(Some(seen.get()));
        }
        is_same
    };
    let parting = parting(ours, theirs, is_same, (ORDERS_MAX, BEFORE))?;
    Ok((parting, shifted.get()))
}

fn shown(parting: &Parting<Sent>, recordings: [&Recording; 2], courses: &[Course<'_>; 2]) -> Found {
    let order = |sent: &Sent| Order { at_ns: sent.at.0, request: sent.request };
    let first = [parting.first.0, parting.first.1];
    let around = |(sent, recording): (&Option<Sent>, &Recording)| {
        sent.as_ref().and_then(|sent| Some((sent.row, recording.around(sent.row, BESIDE).ok()?)))
    };
    let mut around = first.iter().zip(recordings).map(around);
    Found {
        same: parting.same,
        shifted: None,
        is_cut: parting.is_cut,
        before: parting.before.iter().map(order).collect(),
        first: first.map(|sent| sent.as_ref().map(order)),
        around: [around.next().flatten(), around.next().flatten()],
        folders: recordings.map(|recording| (recording.folder, recording.name.clone())),
        drawn: [courses[0].drawn, courses[1].drawn],
    }
}

/// The command that made a run, for one seed and with its events.
fn recording_command(command: &str, seed: u64) -> String {
    const SEEDS: &str = " --seeds ";
    let more = format!("{SEEDS}{seed}..={seed}");
    let one = match command.split_once(SEEDS) {
        Some((before, after)) => {
            let rest = after.split_once(' ').map_or(String::new(), |(_, rest)| format!(" {rest}"));
            format!("{before}{more}{rest}")
        }
        None => format!("{command}{more}"),
    };
    format!("{one} --data --out recorded")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_records_a_seed_is_that_of_the_run() {
        for (command, expected) in [
            (
                "assay run a.rs --scenario calm --seeds 20",
                "assay run a.rs --scenario calm --seeds 7..=7 --data --out recorded",
            ),
            (
                "assay run a.rs --seeds 1,2 --goal risk",
                "assay run a.rs --seeds 7..=7 --goal risk --data --out recorded",
            ),
            ("assay run a.rs", "assay run a.rs --seeds 7..=7 --data --out recorded"),
        ] {
            assert_eq!(recording_command(command, 7), expected);
        }
    }
}
