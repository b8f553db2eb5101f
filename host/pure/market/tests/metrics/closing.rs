//! What a position is worth, by hand: at the close, and beyond the reach of the trader's own orders.

use crate::harness::*;
use assay_market::metrics::{Collector, Fees, Kpi, Settings};
use assay_market::{AgentIndex, EventSink, Exchange, Halt, SelfTrade, Venue};
use assay_model::{
    Display, Nanos, Qualifiers, Request, RequestId, RequestKind, Side, SymbolIndex, Terms, TimeInForce, Trigger,
};

const HIDDEN: Qualifiers = Qualifiers { hidden: true, post_only: false };

fn shown(side: Side, price: i64, quantity: u64, display: Display, shown: u32) -> RequestKind {
    RequestKind::Order(Terms { display, shown, ..Terms::limit(side, price, quantity) })
}

#[test]
fn own_orders_are_worth_nothing() {
    // Ten shares at 100.10, sold to others' bid of 100.00 whatever the trader shows, hides or promises to comply with.
    let walls = [
        bid(10_009, 900_000),
        RequestKind::Limit { side: Side::Buy, price: 10_009, quantity: 900_000, qualifiers: HIDDEN },
        shown(Side::Buy, 10_009, 900_000, Display::Iceberg, 1_000),
        shown(Side::Buy, 10_008, 900_000, Display::Comply, 0),
    ];
    for wall in walls {
        for at in [2_000, 50_000, 99_999] {
            let steps = with_book(&[(1_000, 2, buy(10)), (at, 2, wall)]);
            let expected = [(Kpi::Pnl, Ok(-100.0)), (Kpi::MaxDrawdown, Ok(100.0))];
            check(100, Fees::NONE, &steps, &expected);
        }
    }
    // The mid follows a shown wall, which is why nobody is paid by it.
    let steps = with_book(&[(1_000, 2, buy(10)), (2_000, 2, walls[0])]);
    check(100, Fees::NONE, &steps, &[(Kpi::PnlAtMid, Ok(-5.0)), (Kpi::LiquidationCost, Ok(95.0))]);
}

#[test]
fn two_orders_before_the_close_lose_what_the_sweep_cost() {
    // An offer far up and a bid below it that takes every other offer: marked at its own quotes, the position would earn.
    let steps = with_book(&[(99_000, 2, ask(10_450, 1)), (99_000, 2, bid(10_449, 1_500))]);
    let expected = [(Kpi::PnlAtMid, Ok(1_000.0 * 439.5)), (Kpi::Pnl, Ok(-10_000.0)), (Kpi::MaxDrawdown, Ok(10_000.0))];
    check(100, Fees::NONE, &steps, &expected);
}

#[test]
fn beyond_the_depth_a_penalty_is_paid() {
    // Five of ten shares go at 100.00. The others at 5% below the mark of 100.05: 95.0475, rounded down.
    let small = [(0, 0, bid(10_000, 5)), (0, 0, ask(10_010, 1_000)), (1_000, 2, buy(10))];
    check(100, Fees::NONE, &small, &[(Kpi::Pnl, Ok(5.0 * -10.0 + 5.0 * (9_504.0 - 10_010.0)))]);
    // The same for a short: five at 100.10, the others at 105.0525, rounded up.
    let short = [(0, 0, bid(10_000, 1_000)), (0, 0, ask(10_010, 5)), (1_000, 2, sell(10))];
    check(100, Fees::NONE, &short, &[(Kpi::Pnl, Ok(5.0 * -10.0 + 5.0 * (10_000.0 - 10_506.0)))]);
    // What an iceberg does not show is not depth.
    let iceberg = shown(Side::Buy, 10_000, 1_000, Display::Iceberg, 5);
    let hides = [(0, 0, iceberg), (0, 0, ask(10_010, 1_000)), (1_000, 2, buy(10))];
    check(100, Fees::NONE, &hides, &[(Kpi::Pnl, Ok(5.0 * -10.0 + 5.0 * (9_504.0 - 10_010.0)))]);
}

#[test]
fn an_empty_side_never_leaves_a_position_without_a_value() {
    // The bid is gone at the close: 5% below the last mark of 100.05, 95.0475, rounded down.
    let steps = with_book(&[(1_000, 2, buy(10)), (90_000, 0, cancel(1))]);
    check(100, Fees::NONE, &steps, &[(Kpi::Pnl, Ok(10.0 * (9_504.0 - 10_010.0)))]);
    // The trader takes the bids away itself, and goes short by it: no offer is left either.
    let steps = with_book(&[(1_000, 2, buy(1_000)), (90_000, 0, cancel(1)), (90_000, 2, bid(10_000, 1_000))]);
    check(100, Fees::NONE, &steps, &[(Kpi::Pnl, Ok(1_000.0 * (9_504.0 - 10_010.0)))]);
    // The last level is worse than 5% off the mark: two sides were shown for a millisecond, at a mid of 100.50, and then an offer of one
    // share at 120.00.
    let far = [
        (0, 0, bid(10_000, 5)),
        (1_000, 2, sell(3)),
        (2_000, 0, ask(10_100, 1)),
        (2_001, 0, RequestKind::CancelAll),
        (3_000, 0, ask(12_000, 1)),
    ];
    check(100, Fees::NONE, &far, &[(Kpi::Pnl, Ok(3.0 * (10_000.0 - 12_000.0)))]);
    // Others never showed two sides: the last level of 120.00 stands for the mark.
    let one_sided = [(0, 0, bid(10_000, 3)), (1_000, 2, sell(3)), (3_000, 0, ask(12_000, 1))];
    check(100, Fees::NONE, &one_sided, &[(Kpi::Pnl, Ok(10_000.0 * 3.0 - 12_000.0 - 2.0 * 12_600.0))]);
    // Nobody ever showed anything: a long loses its cost, a short as much as it brought.
    let hidden = |side, price| RequestKind::Limit { side, price, quantity: 10, qualifiers: HIDDEN };
    let long = [(0, 0, hidden(Side::Sell, 10_000)), (1_000, 2, buy(10))];
    check(100, Fees::NONE, &long, &[(Kpi::Pnl, Ok(-100_000.0)), (Kpi::MaxDrawdown, Ok(100_000.0))]);
    let short = [(0, 0, hidden(Side::Buy, 10_000)), (1_000, 2, sell(10))];
    check(100, Fees::NONE, &short, &[(Kpi::Pnl, Ok(-100_000.0)), (Kpi::MaxDrawdown, Ok(100_000.0))]);
}

#[test]
fn in_a_halt_what_rests_counts_and_what_is_collected_does_not() {
    let halt = Halt { at: OPEN + Nanos::from_secs(50), lasts: Nanos::from_secs(500) };
    let venue = Venue { halts: vec![halt], ..Venue::default() };
    let steps = with_book(&[(1_000, 2, buy(10)), (60_000, 1, bid(10_400, 1_000)), (61_000, 1, ask(10_500, 1))]);
    let (collected, _) = run_at(venue, 100, Fees::NONE, &steps);
    expect_all(&collected, &[(Kpi::Pnl, Ok(-100.0))]);
}

#[test]
fn a_closing_auction_comes_before_the_liquidation() {
    let venue = Venue { closing_auction: Some(OPEN + Nanos::from_secs(90)), ..Venue::default() };
    let at_close = |side, quantity| {
        RequestKind::Order(Terms { time_in_force: TimeInForce::AtClose, ..Terms::market(side, quantity) })
    };
    // Six of the ten shares go to the bid of 100.00 in the auction, which is the book's best price then; the others at 100.00 too.
    let steps = with_book(&[(1_000, 2, buy(10)), (91_000, 2, at_close(Side::Sell, 6))]);
    let (collected, _) = run_at(venue, 100, Fees::NONE, &steps);
    let expected = [
        (Kpi::InventoryFinal, Ok(4.0)),
        (Kpi::Pnl, Ok(-100.0)),
        (Kpi::RealisedPnl, Ok(-60.0)),
        // One fill made nothing and took nothing.
        (Kpi::MakerShare, Ok(0.0)),
        (Kpi::FillRatePassive, Err("0 shares rested in the book, at least 1 needed")),
    ];
    expect_all(&collected, &expected);
}

#[test]
fn the_warm_up_counts_in_no_average() {
    // A wide book and a trade in the first minute; then 100.00 to 100.10, and a trade of the trader's with agent 0.
    let steps = [
        (0, 0, bid(9_000, 10)),
        (0, 0, ask(11_000, 10)),
        (30_000, 1, buy(5)),
        (59_000, 0, bid(10_000, 1_000)),
        (59_000, 0, ask(10_010, 1_000)),
        (110_000, 2, buy(10)),
    ];
    let from = OPEN + Nanos::from_secs(60);
    let (collected, _) = run_from(from, Venue::default(), 160, Fees::NONE, &steps);
    let expected = [
        (Kpi::Spread, Ok(10.0)),
        (Kpi::MidRange, Ok(0.0)),
        (Kpi::Volume, Ok(10.0)),
        (Kpi::Trades, Ok(1.0)),
        (Kpi::Participation, Ok(1.0)),
        (Kpi::InventoryMean, Ok(5.0)),
        (Kpi::BidSize, Ok(1_000.0)),
        (Kpi::AskSize, Ok(995.0)),
        (Kpi::OneSidedTime, Ok(0.0)),
        (Kpi::SharpeReturns, Ok(3.0)),
    ];
    expect_all(&collected, &expected);
}

#[test]
fn what_waits_does_not_rest() {
    let stop = Terms { trigger: Trigger::Stop, trigger_at: 10_010, ..Terms::limit(Side::Buy, 10_005, 70) };
    let steps = with_book(&[
        (1_000, 2, RequestKind::Order(stop)), // waits: 0 of 70 rest
        (2_000, 2, bid(10_001, 100)),         // 100 rest
        // Grows by 150 at a price at which it takes 40: the 210 left are 110 more than rested before.
        (3_000, 0, ask(10_003, 40)),
        (4_000, 2, RequestKind::Modify { order: RequestId(2), price: 10_003, quantity: 250 }),
        (5_000, 1, sell(21)), // 21 of them are made
    ]);
    let expected = [(Kpi::FillRatePassive, Ok(0.1)), (Kpi::MakerShare, Ok(21.0 / 61.0))];
    check(100, Fees::NONE, &steps, &expected);
    // Set off at the limit of the offer, what it leaves rests.
    let set_off = [steps, vec![(6_000, 1, buy(10))]].concat();
    check(100, Fees::NONE, &set_off, &[(Kpi::FillRatePassive, Ok(21.0 / 280.0))]);
}

#[test]
fn an_own_quote_makes_no_purchase_cheaper() {
    // Twenty purchases at 100.10. Each time a bid of one share at 100.09 has lifted the mid to 100.095; others' is 100.05.
    let mut steps = BOOK.to_vec();
    for round in 0..20 {
        steps.push((round * 5_000, 2, bid(10_009, 1)));
        steps.push((round * 5_000 + 1_000, 2, buy(10)));
        steps.push((round * 5_000 + 2_000, 2, cancel(3 * round + 1)));
    }
    let expected = [(Kpi::EffectiveSpreadPaid, Ok(10.0)), (Kpi::Shortfall, Ok(5.0 / 10_005.0 * 1e4))];
    check(200, Fees::NONE, &steps, &expected);
}

#[test]
fn a_side_that_is_empty_has_no_mid() {
    // Twenty trades as others show both sides, and one after the bid is gone, which nothing is known to compare with.
    let mut steps = BOOK.to_vec();
    steps.extend((0..20).map(|round| (round * 1_000, 2, buy(10))));
    steps.extend([(21_000, 0, cancel(1)), (22_000, 2, buy(10))]);
    let expected = [
        (Kpi::EffectiveSpreadPaid, Ok(10.0)),
        (Kpi::MarketEffectiveSpread, Ok(10.0)),
        (Kpi::Fills, Ok(21.0)),
        // Of the twenty, those of the last five seconds have no mid 5 s later.
        (Kpi::RealisedSpreadPaid5s, Err("16 fills with a later mid, at least 20 needed")),
    ];
    check(100, Fees::NONE, &steps, &expected);
}

#[test]
fn a_trade_with_oneself_counts_once() {
    let venue = Venue { self_trade: SelfTrade::Allow, ..Venue::default() };
    let steps = with_book(&[(1_000, 2, ask(10_005, 50)), (2_000, 2, buy(50)), (3_000, 1, buy(50))]);
    let (collected, _) = run_at(venue, 100, Fees::NONE, &steps);
    expect_all(&collected, &[(Kpi::Participation, Ok(0.5)), (Kpi::SharesTraded, Ok(100.0)), (Kpi::Pnl, Ok(0.0))]);
}

#[test]
fn a_symbol_that_stops_quoting_is_closed_in_its_own_empty_book() {
    let close = OPEN + Nanos::from_secs(100);
    let settings = Settings { trader: AgentIndex(TRADER), open: OPEN, from: OPEN, close, fees: Fees::NONE };
    let mut collector = Collector::new(settings);
    let exchange = || Exchange::new(AGENTS).telling_others(&collector.leaves_out());
    let mut exchanges = [exchange(), exchange().for_symbol(SymbolIndex(1))];
    exchanges.iter_mut().for_each(|exchange| exchange.open(OPEN, &mut collector));
    // Ten shares of the first at 100.10, bid at 100.00; ten of the second at 50.00, at a mid of 49.95 until everybody leaves.
    let steps = [
        (0, 0, LIMIT_BID, 0),
        (0, 0, ask(10_010, 1_000), 0),
        (0, 0, bid(4_990, 100), 1),
        (0, 0, ask(5_000, 100), 1),
        (1, 2, buy(10), 0),
        (1, 2, buy(10), 1),
        (2, 0, RequestKind::CancelAll, 1),
    ];
    for (id, (seconds, agent, kind, symbol)) in (1..).zip(steps) {
        let (at, request) = (OPEN + Nanos::from_secs(seconds), Request { id: RequestId(id), kind });
        exchanges[symbol].handle(at, AgentIndex(agent), &request, &mut collector);
    }
    exchanges.iter_mut().for_each(|exchange| exchange.close(close, &mut collector));
    expect_all(&collector.finish(), &[(Kpi::Pnl, Ok(10.0 * -10.0 + 10.0 * (4_745.0 - 5_000.0)))]);
}
