//! The page: whole, well-formed, self-contained, bounded, and safe against whatever a strategy puts into it.

use crate::support::{beside, multiplied, record};
use assay_evaluate::{FindingRecord, LogRecord, RecordingRecord, ReplayRecord, RunRecord, UnscoredRecord};
use assay_market::ReplayCounts;
use assay_market::replay::Findings;
use assay_report::render;
use assay_sandbox::{Callback, Outcome, TrapKind};

/// A page of twenty seeds may have this many bytes, and one of a thousand too.
const PAGE_BYTES_MAX: usize = 2_000_000;

const CHARTS: [&str; 9] =
    ["price", "depth", "inventory", "pnl", "drawdown", "spread", "volume", "order-flow", "signature"];

/// What holds for every page: every element is closed in order, nothing is loaded or run, all sections are there, and the size
/// is bounded.
#[track_caller]
fn check(record: &RunRecord) -> String {
    let page = render(record);
    assert!(page.len() <= PAGE_BYTES_MAX, "{} bytes", page.len());
    assert!(page.starts_with("<!DOCTYPE html>"));
    well_formed(&page);
    for (tag, attributes) in tags(&page) {
        assert!(
            !["script", "link", "img", "iframe", "object", "embed", "form", "image", "use", "base"].contains(&tag),
            "<{tag}>"
        );
        for attribute in ["src=", "srcdoc=", "action=", "xlink:", "xmlns", " on"] {
            assert!(!outside_quotes(attributes).contains(attribute), "<{tag}{attributes}>");
        }
        if let Some(target) = attributes.split("href=\"").nth(1) {
            assert!(target.starts_with('#'), "<{tag}{attributes}>");
        }
    }
    assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'; img-src data:"));
    for id in ["result", "score", "charts", "measures", "seeds", "resources", "findings", "log", "source", "reproduce"]
    {
        assert!(page.contains(&format!("<section id=\"{id}\">")), "{id}");
        assert!(page.contains(&format!("href=\"#{id}\"")), "{id}");
    }
    let hidden = |char: char| {
        char.is_control() && char != '\n' || matches!(char, '\u{202a}'..='\u{202e}' | '\u{200b}'..='\u{200f}')
    };
    assert!(!page.contains(hidden), "invisible characters");
    page
}

/// Every tag with its attributes. Text cannot hold a `<`, and no attribute value holds a `>`: that is asserted by the nesting.
fn tags(page: &str) -> Vec<(&str, &str)> {
    let inside = page.split('<').skip(1).map(|rest| rest.split_once('>').expect("a tag ends").0);
    inside
        .filter(|tag| !tag.starts_with('!'))
        .map(|tag| {
            tag.split_at(tag.find([' ', '/']).unwrap_or(tag.len()).max(usize::from(tag.starts_with('/')) * tag.len()))
        })
        .collect()
}

fn outside_quotes(attributes: &str) -> String {
    attributes.split('"').step_by(2).collect()
}

#[track_caller]
pub(crate) fn well_formed(page: &str) {
    let mut open = Vec::new();
    for (tag, attributes) in tags(page) {
        assert!(attributes.matches('"').count().is_multiple_of(2), "<{tag}{attributes}>");
        match tag.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed), "closing tags nest"),
            None if ["meta", "br", "col"].contains(&tag) || attributes.ends_with('/') => {}
            None => open.push(tag),
        }
    }
    assert!(open.is_empty(), "{open:?} never closed");
}

#[test]
fn a_finished_run_has_everything() {
    let record = record(3, Outcome::Finished);
    let page = check(&record);
    for chart in CHARTS {
        assert!(page.contains(&format!("<title id=\"title-{chart}\">")), "{chart}");
    }
    assert_eq!(page.matches("<svg ").count(), CHARTS.len());
    assert_eq!(page.matches("As a table").count(), CHARTS.len(), "each chart is a table as well");
    assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("url("));
    for text in [
        "Finished in 3 seeds",
        "assay run alternating.rs --scenario smoke --seeds 3",
        "1 to 3",
        "48.0.8",
        "1.95.0",
        "use assay_sdk::*;",
    ] {
        assert!(page.contains(text), "{text}");
    }
    for definition in &record.measures {
        assert!(page.contains(&format!("<code>{}</code>", definition.key)), "{}", definition.key);
    }
    for episode in &record.episodes {
        assert!(page.contains(&episode.event_log_hash));
    }
    assert_eq!(page, render(&record), "the page is a function of the record");
}

#[test]
fn a_chosen_baseline_is_named_and_the_headline_remains_that_of_the_strategy() {
    let alone = record(20, Outcome::Finished);
    let headline = |page: &str| {
        let after = page.split("Mean PnL ").nth(1).expect("a headline");
        after.split('<').next().unwrap().to_owned()
    };
    let own = headline(&check(&alone));
    let page = check(&beside(alone, "other.rs"));
    assert_eq!(headline(&page), own, "the interval is that of the mean, not of the difference");
    for text in [
        "seeds, with other.rs in place of the strategy. Difference",
        "mid with other.rs in place of the strategy",
        "in another way than other.rs",
        "with the baseline ($)",
        "Doing nothing scores at most ",
    ] {
        assert!(page.contains(text), "{text}");
    }
    for text in ["a trader that does nothing", "mid without the strategy", "without it (%)"] {
        assert!(!page.contains(text), "{text}");
    }
}

#[test]
fn a_failure_is_told_with_its_place() {
    let message = "panicked at strategy.rs:7: <b>boom</b>".to_owned();
    let page = check(&record(2, Outcome::Trapped { callback: Callback::OnTick, trap: TrapKind::Unreachable, message }));
    assert!(page.contains("Failed in 2 of 2 seeds"));
    assert!(page.contains("trapped in on-tick"));
    assert!(page.contains("strategy.rs:7: &lt;b&gt;boom&lt;/b&gt;"));
}

#[test]
fn a_run_without_any_score_says_so() {
    let what = "the host ran out of memory".to_owned();
    let page = check(&record(2, Outcome::Infrastructure { what: what.clone() }));
    assert!(page.contains("Not scored") && page.contains(&what) && page.contains("nothing to draw"));
}

#[test]
fn an_interruption_is_told() {
    let mut record = record(2, Outcome::Finished);
    record.complete = false;
    record.seeds = (1..=9).collect();
    record.not_run = (3..=9).collect();
    let page = check(&record);
    assert!(page.contains("Interrupted: 7 of 9 seeds were not run") && page.contains("Not run: 3 to 9"));
}

#[test]
fn hostile_text_stays_text() {
    let hostile = "</script><script>alert(1)</script><!-- --> ]]> \u{1b}[31mred\u{7f} \u{202e}txet\u{200b} \" onload=\"x &amp; '\u{0}\r";
    let mut record = record(1, Outcome::Rejected { reason: hostile.to_owned() });
    let line = LogRecord { at_ns: record.series.as_ref().unwrap().start_ns, text: hostile.to_owned() };
    record.episodes[0].log = vec![line];
    record.strategy.file_name = hostile.to_owned();
    record.strategy.source = Some(hostile.to_owned());
    record.strategy.rustc_version = Some(hostile.to_owned());
    record.scenario.name = hostile.to_owned();
    record.scenario.summary = hostile.to_owned();
    record.scenario.text = hostile.to_owned();
    record.command = hostile.to_owned();
    record.unscored = vec![UnscoredRecord { seed: 1, what: hostile.to_owned() }];
    let text = || hostile.to_owned();
    record.findings = vec![FindingRecord {
        code: text(),
        severity: text(),
        place: text(),
        observed: Some(text()),
        limit: Some(text()),
        message: text(),
        hint: text(),
    }];
    let page = check(&record);
    assert!(!page.contains("<script"));
    assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
    assert!(
        page.contains("\u{241b}[31mred\u{2421}") && page.contains("\u{27e8}U+202E\u{27e9}txet\u{27e8}U+200B\u{27e9}")
    );
}

#[test]
fn every_list_is_bounded_and_says_so() {
    let few = record(20, Outcome::Finished);
    check(&few);
    let mut many = multiplied(few, 1_000);
    for episode in &mut many.episodes {
        episode.log = vec![LogRecord { at_ns: 0, text: "\u{1b}<>&\"".repeat(2_000) }; 20];
    }
    many.strategy.source = Some(format!("{}\n", "<".repeat(300)).repeat(20_000));
    let finding = FindingRecord {
        code: "S001".to_owned(),
        severity: "warning".to_owned(),
        place: "x.rs:1:1".to_owned(),
        observed: None,
        limit: None,
        message: "<".repeat(10_000),
        hint: String::new(),
    };
    many.findings = vec![finding; 1_000];
    let page = render(&many);
    well_formed(&page);
    assert!(page.len() < 2 * PAGE_BYTES_MAX, "{} bytes", page.len());
    for more in [
        "and 800 more in run.json",
        "and 19,167 more in run.json",
        "and 900 more in run.json",
        "and 19,800 more in run.json",
        "(799 more in run.json)",
    ] {
        assert!(page.contains(more), "{more}");
    }
    many.strategy.source = None;
    many.findings.clear();
    many.episodes.iter_mut().for_each(|episode| episode.log.truncate(1));
    check(&many);
}

#[test]
fn colours_come_from_the_style_sheet() {
    let page = check(&record(3, Outcome::Finished));
    let style = page.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    for drawing in page.split("<svg ").skip(1).map(|rest| rest.split("</svg>").next().unwrap()) {
        for fixed in ["fill=", "stroke=", "style=", "font-", "opacity"] {
            assert!(!drawing.contains(fixed), "{fixed} in {}", &drawing[..200]);
        }
        assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{}", &drawing[..200]);
        for class in drawing.split("class=\"").skip(1).flat_map(|rest| rest.split('"').next().unwrap().split(' ')) {
            assert!(class == "t" || style.contains(&format!(".{class} ")), "class {class} has no style");
        }
    }
    for scheme in ["@media print", "prefers-color-scheme: dark"] {
        assert!(style.contains(scheme), "{scheme}");
    }
}

#[test]
fn what_never_happened_has_a_sentence_instead_of_empty_axes() {
    let mut record = record(2, Outcome::Finished);
    let series = record.series.as_mut().unwrap();
    let nothing = |values: &mut Vec<Option<f64>>| values.iter_mut().for_each(|value| *value = Some(0.0));
    for range in [&mut series.position, &mut series.pnl, &mut series.drawdown] {
        [&mut range.last, &mut range.min, &mut range.max].into_iter().for_each(nothing);
    }
    record.episodes.iter_mut().for_each(|episode| episode.pnl_curve.fill(0.0));
    (series.fills, series.fills_total, series.depth) = (Vec::new(), 0, None);
    (series.order_flow, series.signature, series.baseline_signature) = (Vec::new(), Vec::new(), Vec::new());
    let page = check(&record);
    assert_eq!(page.matches("<svg ").count(), 3, "price, spread and volume");
    for sentence in [
        "(no fills)",
        "The strategy never held a share.",
        "No profit or loss was made.",
        "Equity was never below its highest so far.",
        "The book never had two sides when it was sampled.",
        "No grid has the 30 returns that a volatility takes.",
    ] {
        assert!(page.contains(sentence), "{sentence}");
    }
}

#[test]
fn fills_are_thinned_and_it_says_so() {
    let mut record = record(1, Outcome::Finished);
    let series = record.series.as_mut().unwrap();
    series.fills = series.fills.iter().copied().cycle().take(1_000).collect();
    series.fills_total = 123_456;
    let page = check(&record);
    let chart = page.split("id=\"chart-price\"").nth(1).unwrap().split("</figure>").next().unwrap();
    assert_eq!(chart.matches("h10z").count(), 200, "one triangle a fill");
    assert!(chart.contains("200 of 123,456 fills, evenly chosen"));
}

#[test]
fn a_recorded_market_is_named_with_its_limits() {
    let plain = record(2, Outcome::Finished);
    assert!(!check(&plain).contains("id=\"replay\""), "only where it is one");
    let mut recorded = plain;
    recorded.scenario.recording = Some(RecordingRecord {
        hash: "c".repeat(64),
        requests: 12_345,
        participants: 3,
        halts: 1,
        findings: Some(Findings { executed: 9_000, hidden_left_out: 77, ..Findings::default() }),
    });
    for episode in &mut recorded.episodes {
        let baseline = ReplayCounts { requests: 12_345, traded: 2_000, late: 1, ..ReplayCounts::default() };
        let strategy = ReplayCounts { unfilled: 50, late: 4, taken_by_others: 120, ..baseline };
        episode.replay = Some(ReplayRecord { strategy, baseline });
    }
    let page = check(&recorded);
    let words = [
        "The market is a recording",
        "Nobody reacts.",
        "Seeds do not change the background.",
        "12,345",
        "9,000",
        "2.50 %",
    ];
    for words in words {
        assert!(page.contains(words), "{words}");
    }
}
