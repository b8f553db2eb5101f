//! The best level without one agent's orders: right, and no dearer behind ten thousand of them.

use super::*;
use crate::book::{Book, Resting};
use assay_model::{Price, Qualifiers, RequestId, Side};

const OTHER: AgentIndex = AgentIndex(0);
const OWN: AgentIndex = AgentIndex(1);

fn offer(agent: AgentIndex, id: u64, cents: i64) -> Resting {
    let (id, price) = (RequestId(id), Price::clamped(cents));
    Resting { agent, id, side: Side::Sell, price, quantity: 1, qualifiers: Qualifiers::default() }
}

/// Steps that a thousand changes at the touch cost behind a number of own levels.
fn steps(own: u64) -> u64 {
    let mut book = Book::new();
    book.watch_without(&[LeftOut::One(OWN)]);
    book.rest(offer(OTHER, 1, 200_000));
    for id in 0..own {
        book.rest(offer(OWN, 2 + id, 100_000 + id as i64));
    }
    let count = |book: &Book| book.steps_without(Side::Sell);
    let before = count(&book);
    for change in 0..1_000 {
        let handle = book.rest(offer(OTHER, 20_000 + change, 100_000));
        assert_eq!(book.best_without(0, Side::Sell), Price::new(100_000));
        book.remove(handle);
        assert_eq!(book.best_without(0, Side::Sell), Price::new(200_000));
    }
    count(&book) - before
}

#[test]
fn ten_thousand_own_levels_cost_what_ten_cost() {
    let few = steps(10);
    assert!(few <= 10_000, "{few} steps for 2,000 changes");
    assert_eq!(few, steps(1_000));
    assert_eq!(few, steps(10_000));
}

/// What is shown without all from an agent on does not show any of them, however they stand in front of each other.
#[test]
fn a_group_is_left_out_as_one() {
    let mut book = Book::new();
    book.watch_without(&[LeftOut::From(OWN), LeftOut::One(OWN)]);
    book.rest(offer(OTHER, 1, 200_000));
    let mut own = Vec::new();
    for (id, agent, cents) in [(2, 1, 150_000), (3, 2, 140_000), (4, 3, 140_000), (5, 2, 200_000)] {
        own.push(book.rest(offer(AgentIndex(agent), id, cents)));
        assert_eq!(book.best_without(0, Side::Sell), Price::new(200_000), "without any of them, at {id}");
    }
    assert_eq!(book.best_without(1, Side::Sell), Price::new(140_000), "without one of them");
    own.into_iter().for_each(|handle| _ = book.remove(handle));
    assert_eq!(book.best_without(0, Side::Sell), Price::new(200_000));
}

#[test]
fn an_agent_that_shows_nothing_costs_nothing() {
    let mut book = Book::new();
    book.watch_without(&[LeftOut::One(OWN)]);
    for id in 0..100 {
        book.rest(offer(OTHER, id + 1, 100_000 + id as i64));
    }
    assert_eq!(book.steps_without(Side::Sell), 0);
    assert_eq!(book.best_without(0, Side::Sell), Price::new(100_000));
}
