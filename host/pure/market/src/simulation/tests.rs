//! The kernel's data structures against naive ones.

use assay_model::{Nanos, Side, SymbolIndex, Time};
use proptest::prelude::*;

use super::letters::Letters;
use super::market_data::{ImbalanceWatch, Tape};
use super::message::{Letter, Message};
use super::queue::{Class, Next, Queue};
use super::seats::{Admission, Seat};
use crate::AgentIndex;

fn letter(message: Message) -> Letter {
    Letter { symbol: SymbolIndex::FIRST, message }
}

const CLASSES: [Class; 3] = [Class::Hours, Class::Exchange, Class::Agent];

proptest! {
    /// Pops come in order of time, class and push, however pushes and pops alternate.
    #[test]
    fn the_queue_is_a_stable_sort(
        steps in prop::collection::vec(prop::option::of((0u64..20, 0usize..4)), 1..300),
        expected_timers in 0usize..200,
    ) {
        let mut queue = Queue::new();
        // Some timers lie before and some after the time for which they are expected.
        queue.expect_timers(expected_timers, Time(3), Time(15));
        let mut naive: Vec<(Time, usize, usize)> = Vec::new();
        for (sequence, step) in steps.into_iter().enumerate() {
            match step {
                Some((at, class)) => {
                    match CLASSES.get(class) {
                        Some(class) => queue.push(Time(at), *class, sequence),
                        None => queue.set_timer(Time(at), sequence as u32),
                    }
                    naive.push((Time(at), class, sequence));
                    naive.sort_unstable();
                }
                None => {
                    let expected = (!naive.is_empty()).then(|| naive.remove(0)).map(|(at, class, sequence)| {
                        (at, if class < CLASSES.len() { Next::Happening(sequence) } else { Next::Timer(sequence as u32) })
                    });
                    prop_assert_eq!(queue.next_at(), expected.map(|(at, _)| at));
                    // What is not due yet stays.
                    let due = expected.map_or(Time(0), |(at, _)| at);
                    prop_assert_eq!(queue.pop_before(due), None);
                    prop_assert_eq!(queue.pop_before(due + Nanos(1)), expected);
                }
            }
        }
    }

    /// The volume of any window is what adding up the trades in it gives.
    #[test]
    fn the_tape_knows_the_volume_of_any_window(
        trades in prop::collection::vec((0u64..5, any::<bool>(), 1u32..100), 0..50),
        window in 0u64..40,
    ) {
        let mut tape = Tape::default();
        let mut now = 0;
        let mut naive = Vec::new();
        for (wait, buys, quantity) in trades {
            now += wait;
            tape.record(Time(now), if buys { Side::Buy } else { Side::Sell }, quantity);
            naive.push((now, buys, u64::from(quantity)));
        }
        let sum = |wanted| -> u64 {
            let inside = naive.iter().filter(|(at, buys, _)| *buys == wanted && at + window >= now);
            inside.map(|(_, _, quantity)| quantity).sum()
        };
        prop_assert_eq!(tape.volume(Time(now), Nanos(window)), (sum(true), sum(false)));
    }
}

#[test]
fn an_imbalance_is_told_when_it_begins_or_changes_sides() {
    // Totals of bids and offers, and whether a subscriber at 0.9 is told.
    let cases = [
        ((0, 0), false),
        ((100, 0), true),
        ((100, 1), false),
        ((100, 10), false),
        ((100, 11), false),
        ((100, 9), true),
        ((9, 100), true),
        ((0, 100), false),
        ((100, 100), false),
        ((0, 0), false),
        ((0, 1), true),
    ];
    let mut watch = ImbalanceWatch::default();
    watch.subscribe(AgentIndex(3), 0.9);
    for (totals, expected) in cases {
        let mut told = Vec::new();
        watch.look(totals, |agent| told.push(agent));
        assert_eq!(told, if expected { vec![AgentIndex(3)] } else { vec![] }, "{totals:?}");
    }
}

/// Each message that reaches a busy agent waits once: serving n of them takes n services, not n².
#[test]
fn a_busy_agent_serves_its_inbox_in_turn() {
    let (mut seat, mut letters) = (Seat::new(0), Letters::default());
    seat.busy_until = Time(50);
    assert!(matches!(seat.admit(Time(10), letter(Message::Imbalance), &mut letters), Admission::ServeAt(Time(50))));
    for _ in 0..9 {
        // Even one that arrives when the agent is free again goes behind those that wait.
        assert!(matches!(seat.admit(Time(50), letter(Message::Wake), &mut letters), Admission::Waits));
    }
    assert!(matches!(seat.next(&mut letters), Some(Letter { message: Message::Imbalance, .. })));
    let mut services = 1;
    while let Some(at) = seat.serve_again() {
        assert!(matches!(seat.next(&mut letters), Some(Letter { message: Message::Wake, .. })));
        seat.busy_until = at + Nanos(50);
        services += 1;
    }
    assert_eq!(services, 10);
    assert!(matches!(seat.admit(seat.busy_until, letter(Message::Wake), &mut letters), Admission::Now(_)));
}
