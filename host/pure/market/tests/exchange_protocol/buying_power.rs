//! Attacks on capital and on the price by which it is counted: each asks for more than the account can bear, and must not get it.

use crate::floor::{Floor, band, bid, buy, market, modify, offer, on_margin, order, replace, sell, slow_band, stop};
use Side::{Buy, Sell};
use assay_market::{AgentIndex, Exchange, Fee, Fees, Margin, PriceBand, TraderLimits, Venue};
use assay_model::{Nanos, RequestKind, Side, Terms, TimeInForce};

/// Ten thousand cents and a band of a tenth around 1,000 that nothing here moves: forty shares.
fn forty() -> Floor {
    Floor::of(on_margin(10_000, slow_band(1_000_000, 1_000_000)))
}

/// Whether the last order of the first agent is refused for lack of buying power.
#[track_caller]
fn check(mut floor: Floor, script: &[(u32, RequestKind)], fits: bool) {
    let (last, before) = script.split_last().expect("a script has a last request");
    floor.play(before);
    assert!(!floor.said().contains("BuyingPower"), "before the last:\n{}", floor.said());
    floor.forget();
    floor.play(&[*last]);
    assert_eq!(floor.said().contains("rejected BuyingPower"), !fits, "{last:?}:\n{}", floor.said());
    floor.close();
}

#[test]
fn buying_power_is_capital_over_margin_at_order_prices() {
    for (kind, fits) in [
        (buy(40, 1_000), true),
        (buy(41, 1_000), false),
        (sell(40, 1_000), true),
        (sell(41, 1_000), false),
        // Below the reference a bid is no cheaper, for what it buys is to be held.
        (buy(40, 900), true),
        (buy(41, 900), false),
        // Ten cents above it are lost at once: 38 need 9,500 and lose 380.
        (buy(38, 1_010), true),
        (buy(39, 1_010), false),
        (sell(38, 990), true),
        (sell(39, 990), false),
        // At market, as far as the band lets it go: a hundred cents off.
        (market(Buy, 28), true),
        (market(Buy, 29), false),
        (market(Sell, 28), true),
        (market(Sell, 29), false),
        // What shows little, or nothing yet, counts whole.
        (order(bid(41, 1_000).iceberg(1)), false),
        (order(bid(41, 1_000).stop(1_050)), false),
        (order(offer(41, 1_000).with(TimeInForce::ImmediateOrCancel)), false),
        (stop(Buy, 29, 1_050), false),
        (stop(Buy, 28, 1_050), true),
    ] {
        check(forty(), &[(0, kind)], fits);
    }
}

#[test]
fn everything_open_counts_on_both_sides() {
    // Bids and offers each for all there is: either side may trade alone, so both pass; neither may grow.
    let both = [(0, buy(40, 950)), (0, sell(40, 1_050))];
    check(forty(), &both, true);
    for more in [buy(1, 901), sell(1, 1_099), order(bid(1, 950).iceberg(1)), stop(Buy, 1, 1_080), modify(1, 41, 950)] {
        check(forty(), &[both[0], both[1], (0, more)], false);
    }
    // What the one side would lose is missing on the other.
    check(forty(), &[(0, buy(20, 1_000)), (0, order(offer(38, 990).stop(950)))], true);
    check(forty(), &[(0, buy(39, 1_000)), (0, order(offer(38, 990).stop(950)))], false);
}

#[test]
fn an_order_cannot_grow_past_buying_power_by_being_changed() {
    let first = (0, buy(30, 950));
    for (change, fits) in [
        (modify(1, 40, 950), true),
        (modify(1, 41, 950), false),
        (modify(1, 39, 1_010), false),
        (replace(1, 40, 950), true),
        (replace(1, 41, 950), false),
        (replace(1, 39, 1_010), false),
    ] {
        check(forty(), &[first, (0, change)], fits);
    }
    let waits = (0, order(bid(30, 950).stop(1_050)));
    check(forty(), &[waits, (0, modify(1, 40, 950))], true);
    check(forty(), &[waits, (0, modify(1, 41, 950))], false);
}

#[test]
fn what_reduces_a_position_or_an_order_always_passes() {
    let mut floor = Floor::of(on_margin(10_000, band(1_000)));
    floor.play(&[(1, sell(40, 1_000)), (0, buy(40, 1_000)), (0, buy(5, 901))]);
    assert!(floor.said().contains("0#2 rejected BuyingPower"), "{}", floor.said());
    // At 920 there is 6,800 left of 36,800: nothing can be bought, and everything sold, but not more.
    floor.print(920);
    floor.forget();
    floor.play(&[(0, buy(1, 900)), (0, sell(40, 930)), (0, order(offer(1, 930).stop(850)))]);
    let said: Vec<&str> = floor.said().lines().filter(|line| !line.starts_with("quote")).collect();
    assert_eq!(said, ["0#3 rejected BuyingPower, 0 left", "0#4 accepted, 40 left", "0#5 rejected BuyingPower, 0 left"]);
    floor.forget();
    floor.play(&[(0, replace(4, 30, 910)), (0, modify(6, 20, 950)), (0, market(Sell, 10)), (0, sell(9, 990))]);
    assert!(!floor.said().contains("BuyingPower"), "{}", floor.said());
}

#[test]
fn unrealised_profits_count_at_the_reference_and_not_at_ones_own_prints() {
    // Forty bought at 1,000; then prints of one's own at 1,100: by the last trade there were room for more, and with it for the next print.
    let script: Vec<(u32, RequestKind)> = std::iter::once((1, sell(40, 1_000)))
        .chain([(0, buy(40, 1_000))])
        .chain((0..50).flat_map(|_| [(1, buy(1, 1_090)), (0, sell(1, 1_090)), (1, sell(1, 1_095)), (0, buy(1, 1_095))]))
        .collect();
    let mut floor = Floor::of(on_margin(10_000, slow_band(100, 1_000)));
    floor.play(&script);
    floor.forget();
    floor.play(&[(0, buy(20, 1_000))]);
    assert!(floor.said().contains("rejected BuyingPower"), "{}", floor.said());
    // When others trade there, the profit is real.
    (0..30).for_each(|_| floor.play(&[(1, sell(10, 1_090)), (2, buy(10, 1_090))]));
    floor.forget();
    floor.play(&[(0, buy(5, 1_000))]);
    assert!(floor.said().contains("accepted"), "{}", floor.said());
}

#[test]
fn fees_come_out_of_buying_power() {
    let fees = Fees {
        maker: Fee { microcents_per_share: -1_000_000, notional_millionths: 0 },
        taker: Fee { microcents_per_share: 5_000_000, notional_millionths: 5_000 },
    };
    let margin = Margin { capital: 10_000, long: 2_500, short: 2_500, maintenance: 1_500, fees };
    let limits = TraderLimits { position: 1_000, loss: None, margin: Some(margin) };
    let exchange =
        || Exchange::new(3).with_band(slow_band(1_000_000, 1_000_000)).with_trader_limits(AgentIndex(0), limits);
    // Ten cents a share: 38 need 9,500 and 380.
    check(Floor::of(exchange()), &[(0, buy(38, 1_000))], true);
    check(Floor::of(exchange()), &[(0, buy(39, 1_000))], false);
    // Paid, they stay gone.
    check(Floor::of(exchange()), &[(1, sell(20, 1_000)), (0, buy(20, 1_000)), (0, buy(18, 1_000))], true);
    check(Floor::of(exchange()), &[(1, sell(20, 1_000)), (0, buy(20, 1_000)), (0, buy(19, 1_000))], false);
}

#[test]
fn a_stop_is_paid_for_when_it_becomes_an_order() {
    // Thirty-four at market fit at 1,000, not at 1,190.
    let mut floor = Floor::of(on_margin(10_000, band(300)));
    floor.play(&[(0, stop(Buy, 34, 1_150)), (1, sell(100, 1_025))]);
    assert!(!floor.said().contains("BuyingPower"), "{}", floor.said());
    for price in [1_024, 1_050, 1_080, 1_110, 1_140, 1_170] {
        floor.play(&[(2, buy(1, price)), (1, sell(1, price))]);
        floor.play(&[(2, RequestKind::CancelAll), (1, RequestKind::CancelAll)]);
    }
    assert!(floor.said().contains("0#1 triggered, 34 left\n0#1 cancelled BuyingPower, 0 left"), "{}", floor.said());
}

#[test]
fn what_was_collected_for_an_auction_is_paid_for_when_it_is_held() {
    let venue = Venue { closing_auction: Some(assay_model::Time(50)), ..Venue::default() };
    let exchange = on_margin(10_000, band(1_000)).with_venue(venue);
    let mut floor = Floor::of(exchange);
    let at_close = order(Terms::market(Buy, 14).with(TimeInForce::AtClose));
    floor.play(&[(0, at_close), (0, at_close)]);
    [1_090, 1_180, 1_280].into_iter().for_each(|price| floor.print(price));
    floor.play(&[(1, sell(100, 1_300))]);
    floor.wait_until(60);
    floor.forget();
    floor.close();
    // The newer one goes; what is left fits.
    assert!(floor.said().starts_with("0#2 cancelled BuyingPower, 0 left\ntrade 14 at 1300: "), "{}", floor.said());
}

#[test]
fn ruin_ends_everything_and_leaves_the_position() {
    for (side, falls) in [(Buy, [905, 880]), (Sell, [1_080, 1_140])] {
        let mut floor = Floor::of(on_margin(10_000, band(1_000)));
        let (enters, faces) = match side {
            Buy => (buy(40, 1_000), sell(40, 1_000)),
            Sell => (sell(40, 1_000), buy(40, 1_000)),
        };
        let close = if side == Buy { sell(5, 1_090) } else { buy(5, 905) };
        let later = if side == Buy { stop(Sell, 5, 500) } else { stop(Buy, 5, 2_000) };
        floor.play(&[(1, faces), (0, enters), (0, close), (0, later)]);
        floor.print(falls[0]);
        assert!(!floor.said().contains("Ruined"), "{side:?}: {}", floor.said());
        assert_eq!(floor.exchange.take_ruined(), None);
        floor.forget();
        floor.print(falls[1]);
        let gone: Vec<&str> = floor.said().lines().filter(|line| line.contains("Ruined")).collect();
        assert_eq!(
            gone,
            ["0#2 cancelled Ruined, 0 left", "0#3 cancelled Ruined, 0 left"],
            "{side:?}: {}",
            floor.said()
        );
        assert_eq!(floor.exchange.take_ruined(), Some(AgentIndex(0)));
        assert_eq!(floor.exchange.take_ruined(), None, "it is told once");
        // Nothing gets it back in, not even what would reduce.
        floor.print(1_000);
        floor.forget();
        floor.play(&[(0, sell(1, 1_000)), (0, RequestKind::CancelAll)]);
        let said: Vec<&str> = floor.said().lines().collect();
        assert_eq!(said, ["0#4 rejected Ruined, 0 left", "0#5 rejected Ruined, 0 left"]);
        floor.close();
    }
}

#[test]
fn who_is_ruined_elsewhere_is_out_here() {
    let mut floor = Floor::of(on_margin(10_000, band(1_000)));
    floor.play(&[(0, buy(5, 990)), (1, buy(5, 990))]);
    floor.forget();
    floor.exchange.expel(floor.now, AgentIndex(0), &mut floor.tape);
    assert!(floor.said().starts_with("0#1 cancelled Ruined, 0 left\n"), "{}", floor.said());
    floor.send(0, buy(1, 990));
    assert!(floor.said().ends_with("0#2 rejected Ruined, 0 left\n"), "{}", floor.said());
}

/// A short on a thin book, squeezed by prints of one share.
#[test]
fn a_short_is_not_squeezed_by_a_few_shares() {
    let mut floor = Floor::of(on_margin(10_000, slow_band(1_000, 100)));
    floor.play(&[(1, buy(40, 1_000)), (0, sell(40, 1_000))]);
    // By the last trade it had lost 3,600 of its 10,000 and were ruined at 1,090; by a thousand shares' mean nothing has happened.
    (0..20).for_each(|_| floor.print(1_090));
    assert!(!floor.said().contains("Ruined"), "{}", floor.said());
    // When a thousand shares have traded there it is.
    (0..30).for_each(|_| floor.play(&[(1, sell(100, 1_090)), (2, buy(100, 1_090))]));
    (0..30).for_each(|_| floor.play(&[(1, sell(100, 1_190)), (2, buy(100, 1_190))]));
    assert!(
        floor.said().contains("rejected OutsideBand") || floor.exchange.take_ruined().is_some(),
        "{}",
        floor.said()
    );
}

/// The reference as the edge of the band shows it: the highest bid that is let in, of somebody whom nothing limits.
fn reference(floor: &mut Floor, near: i64) -> i64 {
    // Within a tenth of it, and outside.
    let (mut highest, mut beyond) = (near, 2 * near);
    while beyond - highest > 1 {
        let price = (highest + beyond) / 2;
        floor.forget();
        floor.send(2, order(Terms::limit(Buy, price, 1).stop(100_000)));
        if floor.said().contains("OutsideBand") { beyond = price } else { highest = price }
    }
    floor.send(2, RequestKind::CancelAll);
    highest * 10 / 11
}

/// Each round the first agent lifts the price to the edge with trades of its own, and looks how far the band has followed.
#[test]
fn a_band_is_not_walked_with_ones_own_prints() {
    for (shares, rounds) in [(1, 200), (100, 50)] {
        let limits = TraderLimits { position: 1_000_000, loss: None, margin: None };
        let rule = PriceBand { window: Nanos(1_000_000), ..slow_band(1_000, 0) };
        let mut floor = Floor::of(Exchange::new(3).with_band(rule).with_trader_limits(AgentIndex(0), limits));
        for _ in 0..rounds {
            let edge = reference(&mut floor, 1_000) * 11 / 10 - 2;
            floor.play(&[(1, sell(shares, edge)), (0, buy(shares, edge))]);
        }
        let end = reference(&mut floor, 1_000);
        // A fifth of the reference, at prices a tenth off it: two per cent, and that of the two per cent, and so on.
        assert!((990..=1_030).contains(&end), "{shares} shares, {rounds} times: {end}");
    }
}

/// Two watched traders that trade with each other move nothing more than one does.
#[test]
fn a_band_is_not_walked_by_two() {
    let limits = TraderLimits { position: 1_000_000, loss: None, margin: None };
    let rule = PriceBand { window: Nanos(1_000_000), ..slow_band(1_000, 0) };
    let exchange = Exchange::new(3).with_band(rule);
    let exchange = exchange.with_trader_limits(AgentIndex(0), limits).with_trader_limits(AgentIndex(1), limits);
    let mut floor = Floor::of(exchange);
    for _ in 0..50 {
        let edge = reference(&mut floor, 1_000) * 11 / 10 - 2;
        floor.play(&[(1, sell(100, edge)), (0, buy(100, edge))]);
    }
    let end = reference(&mut floor, 1_000);
    assert!((990..=1_030).contains(&end), "{end}");
}

#[test]
fn a_market_that_trends_takes_the_band_along_beyond_the_session_limits() {
    let mut floor = Floor::of(Exchange::new(3).with_band(slow_band(1_000, 100)));
    let mut price = 1_000;
    // Up by half a per cent each round, until it is twice as high: the session limits are at 1,300.
    while price < 2_000 {
        price += price / 200;
        (0..10).for_each(|_| floor.play(&[(1, sell(100, price)), (2, buy(100, price))]));
        assert!(!floor.said().contains("OutsideBand"), "at {price}: {}", floor.said());
        floor.forget();
    }
    let seen = reference(&mut floor, price);
    assert!(seen > 1_950, "{seen}");
}

#[test]
fn one_print_of_a_share_moves_nothing() {
    let mut floor = Floor::of(Exchange::new(3).with_band(slow_band(1_000, 10)));
    for _ in 0..20 {
        floor.print(1_090);
    }
    let seen = reference(&mut floor, 1_000);
    // Twenty shares of more than a thousand, at nine per cent.
    assert!((999..=1_003).contains(&seen), "{seen}");
    // Nor does one of a million: it counts for a tenth of what the reference rests on.
    floor.play(&[(1, sell(1_000_000, 1_090)), (2, buy(1_000_000, 1_090))]);
    let seen = reference(&mut floor, 1_000);
    assert!((1_003..=1_011).contains(&seen), "{seen}");
}

#[test]
fn margin_is_looked_at_without_a_band_that_forbids() {
    let unlimited = PriceBand { basis_points: PriceBand::UNLIMITED, ..slow_band(1_000, 100) };
    let mut floor = Floor::of(on_margin(10_000, unlimited));
    floor.play(&[(1, sell(100, 5_000)), (2, buy(100, 1)), (0, buy(2, 5_000)), (0, buy(40, 999))]);
    let said: Vec<&str> = floor.said().lines().filter(|line| line.starts_with('0')).collect();
    // Two at five times the reference lose 8,000 at once, and eight more are too many.
    assert_eq!(said[0], "0#1 accepted, 2 left", "{said:?}");
    assert!(said.contains(&"0#2 rejected BuyingPower, 0 left"), "{said:?}");
}
