//! What models may say beside writing: verdicts and proposals that have the agreed form, and attacks on both.

use assay_market::Scenario;
use assay_refine::core::event::{Comparison, Recommendation};
use assay_refine::judge::{self, REASONING_CHARS_MAX};
use assay_refine::planner::{self, REFUSED_MAX, scenario};
use assay_refine::reply::REPLY_BYTES_MAX;

fn verdict(reply: &str, expected: Result<(f64, Comparison, Recommendation, &str), &str>) {
    let found = judge::read(reply);
    let found = found.as_ref().map_err(String::as_str);
    let found = found.map(|one| (one.score, one.comparison, one.recommendation, one.reasoning.as_str()));
    assert_eq!(found, expected, "{reply:.80}");
}

#[test]
fn what_has_another_form_is_no_verdict() {
    let whole = |score: &str, comparison: &str, recommendation: &str| {
        format!("SCORE: {score}\nCOMPARISON: {comparison}\nRECOMMENDATION: {recommendation}\nREASONING: so it is")
    };
    let right = (6.5, Comparison::Better, Recommendation::Promote, "so it is");
    verdict(&whole("6.5", "better", "promote"), Ok(right));
    verdict(&format!("Well.\n{}\nThat is all.", whole("6.5", "better", "promote")), Ok(right));
    for score in ["11", "0.99", "NaN", "inf", "1e999", "-3", "ten", ""] {
        verdict(&whole(score, "better", "promote"), Err("the score of the verdict is not a number from 1 to 10"));
    }
    verdict(&whole("6", "much better", "keep"), Err("the comparison of the verdict is not better, worse or same"));
    verdict(&whole("6", "same", "promote!"), Err("the recommendation of the verdict is not promote or keep"));
    let twice = format!("{}\nSCORE: 9", whole("6", "same", "keep"));
    verdict(&twice, Err("the verdict has several lines SCORE"));
    verdict("It is better.", Err("the verdict has no line SCORE"));
    verdict("", Err("the verdict has no line SCORE"));
    let long = whole("6", "same", "keep") + &"x".repeat(1 << 20);
    assert_eq!(judge::read(&long).map(|one| one.reasoning.len()), Ok(REASONING_CHARS_MAX));
}

/// The proposals of a reply over `smoke`: the names of those that are taken, and why others are not.
fn check(reply: &str, taken: &[&str], refused: &[&str]) {
    let market = Scenario::preset("smoke").expect("a preset");
    let planned = planner::read(reply, &["smoke".to_owned()], std::slice::from_ref(&market));
    let names: Vec<&str> = planned.markets.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, taken, "{reply}\n{planned:?}");
    assert_eq!(planned.refused.len(), refused.len(), "{reply}\n{planned:?}");
    for (one, part) in planned.refused.iter().zip(refused) {
        assert!(one.why.contains(part), "{reply}\n{one:?}");
    }
    for one in &planned.markets {
        let made = scenario(one, &market).expect("it was taken");
        assert_eq!(made.name, one.name);
        assert_ne!(made.to_toml(), market.to_toml(), "{one:?}");
    }
}

#[test]
fn only_what_is_listed_can_be_changed_and_only_so_far() {
    let block = |changes: &str| format!("Here:\nMARKET: hard over 1\n{changes}\nWHY: to see\n");
    check(&block("fundamental.volatility_per_root_second x 2.5\nstrategy.latency x 10"), &["hard"], &[]);
    check(&block("agents.noise.count x 0.5\nagents.value.wake_interval x 4"), &["hard"], &[]);
    check("Nothing to propose.", &[], &[]);
    check("", &[], &[]);
    for (changes, why) in [
        // An easy market: no fees, a huge rebate, cash, room to lose, another family, other hours, a longer budget.
        ("fees.taker_microcents_per_share x 0", "cannot be changed"),
        ("fees.maker_microcents_per_share x 1000", "cannot be changed"),
        ("strategy.starting_cash x 100", "cannot be changed"),
        ("strategy.limits.position x 100", "cannot be changed"),
        ("strategy.budget.fuel_episode x 100", "cannot be changed"),
        ("market.close x 2", "cannot be changed"),
        ("base = \"calm\"", "does not say what"),
        ("base x 2", "cannot be changed"),
        ("agents.*.count x 0", "cannot be changed"),
        ("agents.nobody.count x 0", "cannot be changed"),
        ("agents.noise.count\" = 0\nfees x 0", "does not say what"),
        ("REMOVE smoke", "does not say what"),
        // Too far, or no number.
        ("strategy.latency x 0.01", "by 1 to 50, not by 0.01"),
        ("agents.noise.count x 1000000", "by 0 to 2"),
        ("fundamental.volatility_per_root_second x -1", "by 0.25 to 4"),
        ("fundamental.volatility_per_root_second x NaN", "by 0.25 to 4"),
        ("fundamental.volatility_per_root_second x inf", "by 0.25 to 4"),
        ("fundamental.shock_mean x 2", "no number for"),
        ("agents.noise.wake_interval x 2", "no number for"),
        ("strategy.latency x 1", "changes nothing"),
        ("", "changes nothing"),
        ("strategy.latency x 2\nstrategy.latency x 3", "changed twice"),
    ] {
        check(&block(changes), &[], &[why]);
    }
}

#[test]
fn names_and_numbers_of_proposals_are_bounded() {
    let block = |head: &str| format!("MARKET: {head}\nstrategy.latency x 2\n");
    for (head, why) in [
        ("smoke over 1", "a market of that name"),
        ("Hard over 1", "lower-case"),
        ("../calm over 1", "lower-case"),
        ("a\u{202e}b over 1", "lower-case"),
        (" over 1", "lower-case"),
        ("hard over 2", "over which market"),
        ("hard over 0", "over which market"),
        ("hard", "over which market"),
    ] {
        check(&block(head), &[], &[why]);
    }
    check(&[block("a over 1"), block("a over 1")].concat(), &["a"], &["a market of that name"]);
    let many: String = (0..5).map(|number| block(&format!("m{number} over 1"))).collect();
    check(&many, &["m0", "m1"], &["2 are taken already"; 3]);
    let flood: String = (0..1_000).map(|number| block(&format!("M{number} over 1"))).collect();
    check(&flood, &[], &["lower-case"; REFUSED_MAX]);
    let long = planner::read(&"x".repeat(REPLY_BYTES_MAX + 1), &[], &[]);
    assert!(long.why.is_some_and(|why| why.contains("at most")) && long.markets.is_empty());
}
