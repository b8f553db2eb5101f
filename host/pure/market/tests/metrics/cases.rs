//! Hand-computed cases.

use crate::harness::*;
use assay_market::Venue;
use assay_market::metrics::{
    Better, Collector, DEPTH_COLUMNS, DEPTH_ROWS, FILL_MARKS_MAX, Fee, Fees, KPIS, Kpi, Settings,
};
use assay_market::{AgentIndex, EventSink, Exchange};
use assay_model::{Nanos, Request, RequestId, RequestKind};
use std::collections::BTreeSet;

#[test]
fn a_trader_that_does_nothing_has_nothing_and_no_invented_zeros() {
    check(
        1_800,
        Fees::NONE,
        &BOOK,
        &[
            (Kpi::Pnl, Ok(0.0)),
            (Kpi::MaxDrawdown, Ok(0.0)),
            (Kpi::InventorySd, Ok(0.0)),
            (Kpi::PnlAtMid, Ok(0.0)),
            (Kpi::LiquidationCost, Ok(0.0)),
            (Kpi::Sharpe, Err("0 returns other than 0, at least 10 needed")),
            (Kpi::SharpeReturns, Ok(60.0)),
            (Kpi::FillRateOrders, Err("0 orders submitted, at least 1 needed")),
            (Kpi::FillRatePassive, Err("0 shares rested in the book, at least 1 needed")),
            (Kpi::OrderToTrade, Err("0 fills, at least 1 needed")),
            (Kpi::Shortfall, Err("0 fills, at least 20 needed")),
            (Kpi::EffectiveSpreadPaid, Err("0 fills, at least 20 needed")),
            (Kpi::Participation, Err("0 shares traded in the market, at least 1 needed")),
            (Kpi::Vpin, Err("0 shares traded in the market, at least 50 needed")),
            (Kpi::ReturnSd60s, Ok(0.0)),
            (Kpi::Volatility300s, Err("6 returns, at least 20 needed")),
            (Kpi::Spread, Ok(10.0)),
            (Kpi::MidRange, Ok(0.0)),
            (Kpi::BidSize, Ok(1_000.0)),
            (Kpi::AskSize, Ok(1_000.0)),
            (Kpi::OneSidedTime, Ok(0.0)),
        ],
    );
}

#[test]
fn an_empty_market_has_no_prices() {
    check(
        1_800,
        Fees::NONE,
        &[(0, 0, LIMIT_BID)],
        &[
            (Kpi::Spread, Err("0 two-sided quotes, at least 1 needed")),
            (Kpi::MidRange, Err("0 two-sided quotes, at least 1 needed")),
            (Kpi::BidSize, Ok(1_000.0)),
            (Kpi::AskSize, Ok(0.0)),
            (Kpi::OneSidedTime, Ok(1.0)),
            (Kpi::BidEmptyTime, Ok(0.0)),
            (Kpi::AskEmptyTime, Ok(1.0)),
            (Kpi::ReturnSd60s, Err("0 returns, at least 20 needed")),
        ],
    );
}

#[test]
fn buying_realises_nothing() {
    // 10 at 100.10, at the mid of 100.05: 50 cents down, all of it unrealised. Sold to the bid of 100.00 they lose 100.
    let steps = with_book(&[(1_000, 2, buy(10))]);
    let expected = [
        (Kpi::RealisedPnl, Ok(0.0)),
        (Kpi::UnrealisedPnl, Ok(-50.0)),
        (Kpi::PnlAtMid, Ok(-50.0)),
        (Kpi::LiquidationCost, Ok(50.0)),
        (Kpi::Pnl, Ok(-100.0)),
        (Kpi::MaxDrawdown, Ok(100.0)),
        (Kpi::InventoryFinal, Ok(10.0)),
        (Kpi::InventoryMax, Ok(10.0)),
        (Kpi::Participation, Ok(1.0)),
    ];
    check(100, Fees::NONE, &steps, &expected);
}

#[test]
fn a_position_is_closed_at_average_cost_and_reversed() {
    // 10 at 100.10 and 10 at 100.20 cost 100.15 on average; 30 sold at 100.00: 20 close at −15 each, 10 go short at 100.00.
    // The book is then 100.00 bid and 100.20 offered: mid 100.10, the short is 10 cents under water, and costs 10 more and the fee of 3
    // to close.
    let steps = [
        (0, 0, bid(10_000, 1_000)),
        (0, 0, ask(10_010, 10)),
        (0, 0, ask(10_020, 100)),
        (1_000, 2, buy(10)),
        (2_000, 2, buy(10)),
        (3_000, 2, sell(30)),
    ];
    let fees = Fees {
        maker: Fee { microcents_per_share: -100_000, notional_millionths: 0 },
        taker: Fee { microcents_per_share: 300_000, notional_millionths: 0 },
    };
    let expected = [
        (Kpi::RealisedPnl, Ok(-300.0)),
        (Kpi::UnrealisedPnl, Ok(-100.0)),
        (Kpi::Fees, Ok(15.0)),
        (Kpi::PnlAtMid, Ok(-415.0)),
        (Kpi::LiquidationCost, Ok(103.0)),
        (Kpi::Pnl, Ok(-518.0)),
        (Kpi::InventoryFinal, Ok(-10.0)),
        (Kpi::InventoryMax, Ok(20.0)),
        (Kpi::Fills, Ok(3.0)),
        (Kpi::SharesTraded, Ok(50.0)),
    ];
    check(100, fees, &steps, &expected);
}

#[test]
fn inventory_is_weighed_by_time() {
    // 0 for 10 s, 20 for 30 s, 0 for 60 s: mean 6, mean square 120, variance 84.
    let steps = with_book(&[(10_000, 2, buy(20)), (40_000, 2, sell(20))]);
    check(100, Fees::NONE, &steps, &[(Kpi::InventoryMean, Ok(6.0)), (Kpi::InventorySd, Ok(84_f64.sqrt()))]);
}

#[test]
fn drawdown_sees_open_losses_between_fills() {
    // Long 10 from 100.10 at a mid of 100.05 (−50). The bid falls to 90.00: mid 95.05 for the fourth second, so that the mean of the
    // four is 98.80 (−1300). Back to 100.00, and sold there.
    let steps = with_book(&[
        (1_000, 2, buy(10)),
        (2_000, 1, bid(9_000, 10)),
        (3_000, 0, cancel(1)),
        (4_000, 0, bid(10_000, 10)),
        (5_000, 2, sell(10)),
    ]);
    check(
        100,
        Fees::NONE,
        &steps,
        &[(Kpi::MaxDrawdown, Ok(1_300.0)), (Kpi::Pnl, Ok(-100.0)), (Kpi::MidRange, Ok(500.0))],
    );
}

#[test]
fn states_within_a_request_are_not_measured() {
    // The taker sweeps two levels: half way it holds 10 against a mid from before; only the state afterwards counts.
    let steps = [
        (0, 0, bid(10_000, 100)),
        (0, 0, ask(10_010, 10)),
        (0, 0, ask(10_030, 10)),
        (0, 0, ask(10_040, 10)),
        (1_000, 2, buy(20)),
    ];
    // Bought 10 at 100.10 and 10 at 100.30, mid afterwards 100.20: even; sold to the bid of 100.00 it loses 400.
    let expected = [
        (Kpi::PnlAtMid, Ok(0.0)),
        (Kpi::Pnl, Ok(-400.0)),
        (Kpi::MaxDrawdown, Ok(400.0)),
        (Kpi::InventoryMax, Ok(20.0)),
    ];
    check(100, Fees::NONE, &steps, &expected);
}

#[test]
fn orders_and_messages_are_counted_once() {
    let steps = with_book(&[
        (1_000, 2, bid(9_990, 100)), // 1: rests, cancelled by 5
        (2_000, 2, ask(10_005, 40)), // 2: rests, filled by two takers
        (3_000, 1, buy(10)),         //    first fill of 2
        (4_000, 1, buy(30)),         //    second fill of 2
        (5_000, 2, buy(5)),          // 3: taker fill
        (6_000, 2, RequestKind::Modify { order: RequestId(1), price: 9_980, quantity: 150 }), // 4: grows by 50
        (7_000, 2, RequestKind::Reduce { order: RequestId(1), by: 20 }), // 5
        (8_000, 2, RequestKind::Replace { order: RequestId(1), price: 9_970, quantity: 60 }), // 6
        (9_000, 2, cancel(99)),      // 7: rejected
        (10_000, 2, bid(-1, 5)),     // 8: rejected
        (11_000, 2, RequestKind::CancelAll), // 9: cancels 6
    ]);
    let expected = [
        (Kpi::Orders, Ok(5.0)),
        (Kpi::Rejections, Ok(2.0)),
        (Kpi::Fills, Ok(3.0)),
        // Orders 2 and 3 filled, of 1, 2, 3, 6 and 8: two fills of one order count once.
        (Kpi::FillRateOrders, Ok(2.0 / 5.0)),
        // 45 of 100 + 50, 40, 5, 60 and 5.
        (Kpi::FillRateQuantity, Ok(45.0 / 260.0)),
        // 40 of 100 + 50, 40 and 60.
        (Kpi::FillRatePassive, Ok(40.0 / 250.0)),
        // 5 orders, modify, reduce, the replace's cancel, the refused cancel, the cancel-all's one: 10 messages, 3 fills.
        (Kpi::OrderToTrade, Ok(10.0 / 3.0 - 1.0)),
        // Orders 210, modify to 150, reduce by 20, replace cancels 130, cancel-all cancels 60.
        (Kpi::OrderToTradeVolume, Ok(570.0 / 45.0 - 1.0)),
        (Kpi::SharesTraded, Ok(45.0)),
        (Kpi::Volume, Ok(45.0)),
        (Kpi::Trades, Ok(3.0)),
    ];
    check(100, Fees::NONE, &steps, &expected);
}

#[test]
fn spreads_use_the_mid_before_the_taker() {
    // Each of 20 buys of 10 pays 100.10 when the mid is 100.05: effective 10 cents. 100 ms after each, the bid is raised to 100.04
    // (mid 100.07) for the rest of the second-long round, so the realised spread after 1 s is that of the next round's start.
    let mut steps = BOOK.to_vec();
    for round in 0..20 {
        steps.push((round * 10_000, 2, buy(10)));
        steps.push((round * 10_000 + 100, 1, bid(10_004, 1)));
        steps.push((round * 10_000 + 3_000, 1, cancel(2 * round + 1)));
    }
    let expected = [
        (Kpi::EffectiveSpreadPaid, Ok(10.0)),
        // After 1 s the mid is 100.07: 2·(100.10 − 100.07) = 6, impact 4; after 5 s it is back.
        (Kpi::RealisedSpreadPaid1s, Ok(6.0)),
        (Kpi::Impact1s, Ok(4.0)),
        (Kpi::RealisedSpreadPaid5s, Ok(10.0)),
        (Kpi::Impact5s, Ok(0.0)),
        // The last six fills are within 60 s of the close.
        (Kpi::RealisedSpreadPaid60s, Err("14 fills with a later mid, at least 20 needed")),
        (Kpi::EffectiveSpreadEarned, Err("0 fills, at least 20 needed")),
        // 20 · 10 shares, 5 cents over an arrival mid of 100.05 each.
        (Kpi::Shortfall, Ok(5.0 / 10_005.0 * 1e4)),
    ];
    check(195, Fees::NONE, &steps, &expected);
}

#[test]
fn a_maker_earns_the_spread_and_suffers_adverse_selection() {
    // The trader offers at 100.08 inside 100.00 to 100.10: mid 100.04. A buyer takes it (2·4 = 8 to the market), the mid is then
    // 100.05. Others' mid is 100.05 all along, so the trader earns 2·3 = 6 and its own quote's coming and going is not adverse selection.
    let mut steps = BOOK.to_vec();
    for round in 0..20 {
        steps.push((round * 10_000, 2, ask(10_008, 10)));
        steps.push((round * 10_000 + 1_000, 1, buy(10)));
    }
    let expected = [
        (Kpi::EffectiveSpreadEarned, Ok(6.0)),
        (Kpi::RealisedSpreadEarned1s, Ok(6.0)),
        (Kpi::AdverseSelection1s, Ok(0.0)),
        (Kpi::AdverseSelection100ms, Ok(0.0)),
        (Kpi::MakerShare, Ok(1.0)),
        // The market's only trades are these.
        (Kpi::MarketEffectiveSpread, Ok(8.0)),
        (Kpi::MarketRealisedSpread1s, Ok(6.0)),
        (Kpi::MarketImpact1s, Ok(2.0)),
        (Kpi::FillRatePassive, Ok(1.0)),
        // Arrival mid is 100.05, before the order itself moved it: it sold 3 cents above.
        (Kpi::Shortfall, Ok(-3.0 / 10_005.0 * 1e4)),
        // All volume is buyer-initiated.
        (Kpi::Vpin, Ok(1.0)),
    ];
    check(300, Fees::NONE, &steps, &expected);
}

#[test]
fn adverse_selection_is_seen_as_it_comes() {
    // As above, but 300 ms after each sale the offer of 100.10 is raised to 100.14: mid 100.07, and back 3 s later.
    let mut steps = BOOK.to_vec();
    for round in 0..20 {
        steps.push((round * 10_000, 2, ask(10_008, 10)));
        steps.push((round * 10_000 + 1_000, 1, buy(10)));
        steps.push((
            round * 10_000 + 1_300,
            0,
            RequestKind::Modify { order: RequestId(2), price: 10_014, quantity: 1_000 },
        ));
        steps.push((
            round * 10_000 + 4_300,
            0,
            RequestKind::Modify { order: RequestId(2), price: 10_010, quantity: 1_000 },
        ));
    }
    let expected = [
        (Kpi::AdverseSelection100ms, Ok(0.0)),
        (Kpi::AdverseSelection500ms, Ok(4.0)),
        (Kpi::AdverseSelection1s, Ok(4.0)),
        (Kpi::AdverseSelection5s, Ok(0.0)),
        (Kpi::AdverseSelection60s, Err("14 fills with a later mid, at least 20 needed")),
    ];
    check(199, Fees::NONE, &steps, &expected);
}

#[test]
fn trades_of_others_are_judged_too() {
    // 20 market orders between the background agents, 5 cents from the mid of 100.05; the offer then is 100.12 until the next second.
    let mut steps = BOOK.to_vec();
    steps.push((0, 0, ask(10_012, 10_000)));
    steps.push((0, 0, cancel(2)));
    for round in 0..20 {
        steps.push((round * 10_000, 0, ask(10_010, 10)));
        steps.push((round * 10_000 + 500, 1, buy(10)));
    }
    let expected = [
        (Kpi::Fills, Ok(0.0)),
        (Kpi::EffectiveSpreadPaid, Err("0 fills, at least 20 needed")),
        (Kpi::MarketEffectiveSpread, Ok(10.0)),
        // The mid is 100.06 one and five seconds later: 2·(100.10 − 100.06).
        (Kpi::MarketRealisedSpread1s, Ok(8.0)),
        (Kpi::MarketImpact1s, Ok(2.0)),
        (Kpi::MarketRealisedSpread5s, Ok(8.0)),
        (Kpi::MarketImpact5s, Ok(2.0)),
        (Kpi::MarketRealisedSpread60s, Err("14 trades with a later mid, at least 20 needed")),
        (Kpi::MakerShare, Err("0 fills, at least 1 needed")),
    ];
    check(196, Fees::NONE, &steps, &expected);
    check(100, Fees::NONE, &steps[..10], &[(Kpi::MarketEffectiveSpread, Err("3 trades, at least 20 needed"))]);
}

#[test]
fn nobody_takes_in_an_auction() {
    let venue = Venue { opening_auction: Nanos::from_secs(60), ..Venue::default() };
    let steps = [(1_000, 0, bid(10_010, 1_000)), (2_000, 2, ask(10_000, 400)), (70_000, 0, ask(10_020, 5))];
    let (collected, _) = run_at(venue, 100, Fees::NONE, &steps);
    let expected = [
        (Kpi::Volume, Ok(400.0)),
        (Kpi::Fills, Ok(1.0)),
        (Kpi::MarketEffectiveSpread, Err("0 trades, at least 20 needed")),
        (Kpi::Vpin, Err("0 shares traded in the market, at least 50 needed")),
    ];
    expect_all(&collected, &expected);
}

#[test]
fn sharpe_is_of_equity_differences_on_a_grid_of_half_minutes() {
    // One share long from the start: −5 at the mid. Then 20 s before each minute the mid moves by 2 cents, to and fro, which the mark
    // has followed by the minute: −5, −3, −3, −5, −5, … every 30 s. Closing it at the bid of 100.00 leaves −10.
    let minutes = 40;
    let mut steps = with_book(&[(0, 2, buy(1))]);
    let mut equity = vec![-5.0_f64];
    for minute in 1..=minutes {
        let raised = minute % 2 == 1;
        let kind = if raised { bid(10_004, 1) } else { cancel(minute - 1) };
        steps.push((minute * 60_000 - 20_000, 1, kind));
        equity.extend([equity[equity.len() - 1], if raised { -3.0 } else { -5.0 }]);
    }
    let last = equity.len() - 1;
    equity[last] = -10.0;
    let differences: Vec<f64> = equity.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let sd = (differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    let year = (252.0 * 6.5 * 120.0_f64).sqrt();
    let expected = [(Kpi::SharpeReturns, Ok(80.0)), (Kpi::Sharpe, Ok(mean / sd * year)), (Kpi::MaxDrawdown, Ok(10.0))];
    check(minutes * 60, Fees::NONE, &steps, &expected);
}

#[test]
fn one_jump_is_no_sharpe_ratio() {
    let steps = with_book(&[(605_000, 2, buy(1)), (606_000, 2, sell(1))]);
    let expected = [(Kpi::Sharpe, Err("1 returns other than 0, at least 10 needed"))];
    check(1_800, Fees::NONE, &steps, &expected);
}

#[test]
fn the_first_mid_stands_for_the_opening() {
    // The book appears 10 s late; 30 minutes still give 30 one-minute returns, of which one is not 0.
    let steps = [(10_000, 0, bid(10_000, 100)), (10_000, 0, ask(10_010, 100)), (90_000, 1, bid(10_002, 1))];
    let r = libm::log(10_006.0 / 10_005.0);
    let sd = ((r * r - r * r / 30.0) / 29.0).sqrt();
    let expected = [
        (Kpi::ReturnSd60s, Ok(sd * 1e4)),
        (Kpi::Volatility60s, Ok((r * r * 252.0 * 6.5 * 3_600.0 / 1_800.0).sqrt())),
        (Kpi::OneSidedTime, Ok(10.0 / 1_800.0)),
        (Kpi::Spread, Ok((10.0 * 80.0 + 8.0 * 1_710.0) / 1_790.0)),
    ];
    check(1_800, Fees::NONE, &steps, &expected);
}

#[test]
fn spread_shocks_recover() {
    // 25 times the spread jumps from 2 to 52 cents for a second and comes back.
    let mut steps = vec![(0, 0, bid(10_000, 100)), (0, 0, ask(10_052, 100)), (0, 1, ask(10_002, 1))];
    for shock in 0..25 {
        steps.push((shock * 20_000 + 10_000, 1, cancel(2 * shock + 1)));
        steps.push((shock * 20_000 + 11_000, 1, ask(10_002, 1)));
    }
    check(600, Fees::NONE, &steps, &[(Kpi::SpreadRecovery, Ok(1.0)), (Kpi::SpreadShocks, Ok(25.0))]);
    let few = [(Kpi::SpreadRecovery, Err("2 spread shocks, at least 20 needed")), (Kpi::SpreadShocks, Ok(2.0))];
    check(600, Fees::NONE, &steps[..7], &few);
    // One more that the close cuts off: it is counted, and censored.
    steps.push((595_000, 1, cancel(51)));
    check(600, Fees::NONE, &steps, &[(Kpi::SpreadRecovery, Ok(1.0)), (Kpi::SpreadShocks, Ok(26.0))]);
}

#[test]
fn the_catalogue_is_consistent() {
    let keys: BTreeSet<_> = KPIS.iter().map(|info| info.key).collect();
    assert_eq!(keys.len(), KPIS.len());
    for info in KPIS {
        assert_eq!(info.kpi.info(), &info);
        assert!(info.key.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_')), "{}", info.key);
        assert!(info.definition.ends_with('.'), "{}", info.key);
    }
    assert_eq!(Kpi::Pnl.info().better, Better::Higher);
}

#[test]
fn fill_marks_are_thinned_evenly() {
    let trades = 4 * FILL_MARKS_MAX as u64;
    let mut steps = vec![(0, 0, bid(10_000, 1_000_000)), (0, 0, ask(10_010, 1_000_000))];
    steps.extend((0..trades).map(|index| (index * 10, 2, if index % 2 == 0 { buy(1) } else { sell(1) })));
    let (collected, _) = run(trades / 100 + 1, Fees::NONE, &steps);
    let fills = &collected.series.fills;
    assert_eq!(collected.series.fills_total, trades);
    assert!((FILL_MARKS_MAX / 2..=FILL_MARKS_MAX).contains(&fills.len()), "{}", fills.len());
    let gaps: BTreeSet<u64> = fills.windows(2).map(|pair| pair[1].at.since(pair[0].at).0).collect();
    assert_eq!(gaps.len(), 1, "{gaps:?}");
}

#[test]
fn order_flow_is_what_came_to_the_touch_less_what_left_it() {
    // A bucket of a 600 s session is a second. In each: what happens, and the imbalance it makes.
    let steps = [
        (500, 0, bid(10_000, 100)),  // a bid of 100 comes: +100
        (1_500, 0, ask(10_010, 80)), // an offer of 80 comes: −80
        (2_500, 1, bid(10_000, 50)), // 50 join the bid: +50
        (3_500, 1, bid(10_001, 30)), // a better bid of 30: +30
        (4_500, 2, buy(20)),         // 20 leave the offer: +20
        (5_500, 2, sell(30)),        // the bid of 30 goes, 150 behind it are best: −30
        (6_500, 0, cancel(2)),       // the offer of 60 goes: +60
    ];
    let (collected, _) = run(600, Fees::NONE, &steps);
    assert_eq!(collected.series.order_flow[..8], [100, -80, 50, 30, 20, -30, 60, 0]);
}

#[test]
fn the_signature_has_the_measures_in_it() {
    let steps = [(10_000, 0, bid(10_000, 100)), (10_000, 0, ask(10_010, 100)), (90_000, 1, bid(10_002, 1))];
    let (collected, _) = run(1_800, Fees::NONE, &steps);
    let signature = &collected.series.signature;
    let seconds: Vec<u64> = signature.iter().map(|point| point.seconds).collect();
    assert_eq!(seconds, [1, 2, 5, 10, 20, 30, 60, 120, 300]);
    for (seconds, kpi) in [(1, Kpi::Volatility1s), (10, Kpi::Volatility10s), (60, Kpi::Volatility60s)] {
        let point = signature.iter().find(|point| point.seconds == seconds).unwrap();
        assert_eq!(point.volatility, collected.measures[kpi].value());
        assert!(point.returns >= 30);
    }
    assert_eq!(signature.last().map(|point| (point.returns, point.volatility)), Some((6, None)));
}

#[test]
fn depth_is_drawn_where_the_mid_goes() {
    let close = OPEN + Nanos::from_secs(1_200);
    let settings = Settings { trader: AgentIndex(TRADER), open: OPEN, from: OPEN, close, fees: Fees::NONE };
    let mut collector = Collector::new(settings).with_depth();
    let interval = collector.depth_interval().unwrap();
    assert_eq!(interval, Nanos::from_secs(10));
    let mut exchange = Exchange::new(AGENTS);
    exchange.open(OPEN, &mut collector);
    let far = [bid(9_000, 7), bid(10_000, 100), bid(9_999, 40), ask(10_010, 80), ask(10_011, 5)];
    for (id, kind) in (1..).zip(far) {
        exchange.handle(OPEN, AgentIndex(0), &Request { id: RequestId(id), kind }, &mut collector);
    }
    for column in 1..=DEPTH_COLUMNS as u64 + 3 {
        collector.depth(OPEN + Nanos(column * interval.0), &exchange);
    }
    let depth = collector.finish().series.depth.unwrap();
    // The mid of 100.05 and 12 cents on either side, a cent a row; the bid at 90.00 is far outside.
    assert_eq!((depth.step, depth.price_low, depth.price_step), (interval, 9_993, 1));
    assert_eq!(depth.columns.len(), DEPTH_COLUMNS);
    let shares: Vec<(usize, u64)> =
        depth.columns[0].iter().copied().enumerate().filter(|(_, shares)| *shares > 0).collect();
    assert_eq!(shares, [(6, 40), (7, 100), (17, 80), (18, 5)]);
    assert!(depth.columns.iter().all(|column| *column == depth.columns[0] && column.len() <= DEPTH_ROWS));
    assert_eq!(Collector::new(settings).depth_interval(), None);
}
