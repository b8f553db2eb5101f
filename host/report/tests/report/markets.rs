//! The score on page and summary, the pages of several markets, and that of a market without a strategy.

use crate::page::well_formed;
use crate::support::record;
use assay_evaluate::{
    Goal, LogRecord, MarketsRecord, RunRecord, Seeds, StopCauseRecord, StopRecord, ToolRecord, Watch, observe,
};
use assay_market::Scenario;
use assay_report::{
    SUMMARY_TOKENS_MAX, markets_summary, render, render_markets, render_observation, run_summary, tokens_at_most,
};
use assay_sandbox::Outcome;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

fn named(mut record: RunRecord, name: &str) -> (String, RunRecord) {
    name.clone_into(&mut record.scenario.name);
    (name.to_lowercase(), record)
}

#[test]
fn the_score_is_on_page_and_summary_with_its_axes() {
    let record = record(20, Outcome::Finished);
    let score = record.score.clone().unwrap();
    let (page, summary) = (render(&record), run_summary(&record));
    let number = format!("Score {:.1} of 10 for the goal balanced", score.value.unwrap());
    assert!(page.contains(&number) && summary.contains(&number), "{summary}");
    for axis in ["profit", "risk", "execution", "volatility", "spread", "liquidity"] {
        assert!(page.contains(&format!("<th scope=\"row\">{axis}</th>")), "{axis}");
        assert!(summary.contains(&format!("\n- {axis} ")), "{axis} in\n{summary}");
    }
    for words in ["Best offer size", "Best bid size", "Effective spread, all trades", "change in %: Spread "] {
        assert!(summary.contains(words), "{words} in\n{summary}");
        assert!(words.starts_with("change") || page.contains(words), "{words}");
    }
    assert!(page.contains("Worst seed: "));
}

#[test]
fn a_veto_is_told_with_its_reason() {
    let mut record = record(5, Outcome::Finished);
    record.episodes[2].stopped = Some(StopRecord { at_ns: 1, cause: StopCauseRecord::Ruined });
    record.score = Some(record.score(Goal::Profit));
    let words = "Score 1.0 of 10 for the goal profit: vetoed. ruined in 1 of 5 seeds, first in seed 3";
    assert!(render(&record).contains(words) && run_summary(&record).contains(words), "{}", run_summary(&record));
    record.episodes[2].log = vec![LogRecord { at_ns: 0, text: String::new() }];
}

#[test]
fn several_markets_share_a_page_and_a_summary() {
    let hostile = "x`\n# <script>alert(1)</script>\u{202e}";
    let records = [
        named(record(4, Outcome::Finished), "Calm"),
        named(record(4, Outcome::Rejected { reason: hostile.to_owned() }), "Thin"),
        named(record(1, Outcome::Finished), hostile),
    ];
    let whole = MarketsRecord::new("assay run x.rs --scenario calm,thin".to_owned(), Goal::Balanced, &records).unwrap();
    let page = render_markets(&whole);
    well_formed(&page);
    assert!(page.contains("href=\"calm/index.html\"") && !page.contains("<script"));
    assert!(page.contains("Half the mean of the markets plus half the worst one."));
    let summary = markets_summary(&whole);
    assert!(tokens_at_most(&summary) <= SUMMARY_TOKENS_MAX, "{summary}");
    assert!(summary.lines().all(|line| line.matches('`').count().is_multiple_of(2)), "{summary}");
    assert_eq!(summary.lines().filter(|line| line.starts_with("# ")).count(), 1, "{summary}");
    for words in ["## `Calm`", "## `Thin`", "Thin: rejected in 4 of 4 seeds", "vetoed", "3 markets"] {
        assert!(summary.contains(words), "{words} in\n{summary}");
    }
}

#[test]
fn a_market_without_a_strategy_has_a_page() {
    let scenario = Scenario::preset("smoke").unwrap();
    let watch = Watch {
        scenario: &scenario,
        seeds: &Seeds::count(3).unwrap(),
        threads: NonZeroUsize::MIN,
        tool: ToolRecord { assay: "0.1.0".to_owned(), wasmtime: "48.0.8".to_owned() },
        command: "assay observe smoke --seeds 3".to_owned(),
        recorder: None,
    };
    let record = observe(&watch, &|_, _| {}, &AtomicBool::new(false)).unwrap();
    let page = render_observation(&record, Some("| gate | <b>\n"));
    well_formed(&page);
    for words in
        ["Who trades, and what moves the price", "Halts and jumps", "&lt;b&gt;", "assay observe smoke --seeds 3"]
    {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("the strategy\u{2019}s part") && !page.contains("without the strategy ("));
    assert_eq!(page.matches("<svg ").count(), 6);
}
