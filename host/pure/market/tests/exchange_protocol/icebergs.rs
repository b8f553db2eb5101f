//! Icebergs: what is shown, when it is shown anew, and what changes do to the rest.

use crate::floor::{Floor, bid, buy, check, market, modify, offer, order, reduce, replace, sell};
use Side::Buy;
use assay_model::{PostOnly, RequestKind, Side};

/// Ten shares offered by agent 0, three shown.
fn iceberg() -> (u32, RequestKind) {
    (0, order(offer(10, 100).iceberg(3)))
}

#[test]
fn an_iceberg_shows_a_part() {
    check(&[iceberg()], "0#1 accepted, 10 left\nquote 1: - 3@100, last -, volume 0");
    let mut floor = Floor::open();
    floor.send(0, iceberg().1);
    assert_eq!(floor.exchange.bid_ask_totals(), (0, 3));
    // No more than it has.
    check(&[(0, order(offer(2, 100).iceberg(3)))], "0#1 accepted, 2 left\nquote 1: - 2@100, last -, volume 0");
}

#[test]
fn a_part_of_what_is_shown_is_not_made_up_for() {
    check(
        &[iceberg(), (1, market(Buy, 2))],
        "1#1 accepted, 2 left
         trade 2 at 100: 0#1 by 1#1 Buy
         0#1 fill 2 at 100 Maker, 8 left
         1#1 fill 2 at 100 Taker, 0 left
         quote 2: - 1@100, last 100, volume 2",
    );
}

#[test]
fn a_refill_goes_to_the_end_of_the_queue() {
    let mut floor = Floor::open();
    floor.play(&[iceberg(), (1, sell(4, 100)), (2, market(Buy, 5))]);
    floor.expect_trades("trade 3 at 100: 0#1 by 2#1 Buy\ntrade 2 at 100: 1#1 by 2#1 Buy");
    floor.send(2, market(Buy, 4));
    floor.expect_trades("trade 2 at 100: 1#1 by 2#2 Buy\ntrade 2 at 100: 0#1 by 2#2 Buy");
    // Exactly what is shown: the refill waits behind who came in between.
    let mut floor = Floor::open();
    floor.play(&[iceberg(), (2, market(Buy, 3)), (1, sell(4, 100)), (2, market(Buy, 4))]);
    floor.expect_trades(
        "trade 3 at 100: 0#1 by 2#1 Buy
         trade 3 at 100: 0#1 by 2#2 Buy
         trade 1 at 100: 1#1 by 2#2 Buy",
    );
}

#[test]
fn a_large_taker_takes_it_slice_by_slice() {
    check(
        &[iceberg(), (1, buy(11, 100))],
        "1#1 accepted, 11 left
         trade 3 at 100: 0#1 by 1#1 Buy
         0#1 fill 3 at 100 Maker, 7 left
         1#1 fill 3 at 100 Taker, 8 left
         trade 3 at 100: 0#1 by 1#1 Buy
         0#1 fill 3 at 100 Maker, 4 left
         1#1 fill 3 at 100 Taker, 5 left
         trade 3 at 100: 0#1 by 1#1 Buy
         0#1 fill 3 at 100 Maker, 1 left
         1#1 fill 3 at 100 Taker, 2 left
         trade 1 at 100: 0#1 by 1#1 Buy
         0#1 fill 1 at 100 Maker, 0 left
         1#1 fill 1 at 100 Taker, 1 left
         quote 2: 1@100 -, last 100, volume 10",
    );
}

#[test]
fn a_reduction_takes_the_hidden_shares_first_and_keeps_the_place() {
    for (change, answer) in [(reduce(1, 7), "reduced 7, 3 left"), (modify(1, 3, 100), "modified at 100, 3 left")] {
        check(&[iceberg(), (0, change)], &format!("0#1>2 {answer}"));
    }
    for (change, answer) in [(reduce(1, 8), "reduced 8, 2 left"), (modify(1, 2, 100), "modified at 100, 2 left")] {
        check(&[iceberg(), (0, change)], &format!("0#1>2 {answer}\nquote 2: - 2@100, last -, volume 0"));
        let mut floor = Floor::open();
        floor.play(&[iceberg(), (1, sell(4, 100)), (0, change), (2, market(Buy, 3))]);
        floor.expect_trades("trade 2 at 100: 0#1 by 2#1 Buy\ntrade 1 at 100: 1#1 by 2#1 Buy");
    }
    check(&[iceberg(), (0, reduce(1, 10))], "0#1>2 cancelled Requested, 0 left\nquote 2: - -, last -, volume 0");
}

#[test]
fn growth_or_a_new_price_loses_the_place_and_shows_a_full_slice() {
    let book = [iceberg(), (2, market(Buy, 2)), (1, sell(4, 100))];
    check(
        &[book[0], book[1], book[2], (0, modify(1, 9, 100))],
        "0#1>2 modified at 100, 9 left
         quote 4: - 7@100, last 100, volume 2",
    );
    let changes = [vec![modify(1, 9, 100)], vec![modify(1, 8, 101), modify(1, 8, 100)], vec![replace(1, 8, 100)]];
    for changes in changes {
        let mut floor = Floor::open();
        floor.play(&book);
        changes.into_iter().for_each(|change| floor.send(0, change));
        floor.forget();
        floor.send(2, market(Buy, 8));
        let order = if floor.said().contains("0#2") { "0#2" } else { "0#1" };
        floor.expect_trades(&format!(
            "trade 4 at 100: 1#1 by 2#2 Buy
             trade 3 at 100: {order} by 2#2 Buy
             trade 1 at 100: {order} by 2#2 Buy"
        ));
    }
}

#[test]
fn an_iceberg_takes_whole_and_shows_what_is_left_in_parts() {
    check(
        &[(1, buy(4, 100)), iceberg()],
        "0#1 accepted, 10 left
         trade 4 at 100: 1#1 by 0#1 Sell
         1#1 fill 4 at 100 Maker, 0 left
         0#1 fill 4 at 100 Taker, 6 left
         quote 2: - 3@100, last 100, volume 4",
    );
}

#[test]
fn an_iceberg_can_slide() {
    let slides = order(bid(10, 101).iceberg(3).post_only(PostOnly::Slide));
    check(
        &[(1, sell(4, 100)), (0, slides)],
        "0#1 accepted, 10 left
         0#1 modified at 99, 10 left
         quote 2: 3@99 4@100, last -, volume 0",
    );
    check(&[(1, sell(4, 100)), (0, slides), (0, modify(1, 10, 105))], "0#1>2 modified at 99, 10 left");
}
