//! Reports that somebody else may have written: refused with the place, or drawn whatever they say.

use crate::support::record;
use assay_report::{body, read, render};
use assay_sandbox::Outcome;
use serde_json::{Value, json};

/// What becomes of a report with other values at some places: `None` if it is shown.
fn check(changes: &[(&str, Value)], expected: Option<&str>) {
    let mut value = serde_json::to_value(record(2, Outcome::Finished)).unwrap();
    for (place, new) in changes {
        *value.pointer_mut(place).unwrap_or_else(|| panic!("no {place}")) = new.clone();
    }
    match (read(value.to_string().as_bytes()), expected) {
        (Ok(record), None) => drop(body(&record)),
        (Err(error), Some(words)) => assert!(error.to_string().contains(words), "{changes:?}: {error}"),
        (read, _) => panic!("{changes:?}: {:?}", read.map(|_| "it is shown")),
    }
}

#[test]
fn damaged_reports_are_refused_with_the_place() {
    let uneven = json!([vec![1; 1_000], Vec::<u64>::new(), Vec::<u64>::new()]);
    for (place, value, expected) in [
        ("/series/depth/columns", uneven, "series.depth.columns has columns of different lengths"),
        ("/series/depth/columns", json!(vec![[1]; 5_000]), "series.depth.columns has more entries"),
        ("/series/depth/price_step", json!(0), "series.depth.price_step"),
        ("/series/depth/step_ns", json!(u64::MAX), "series.depth.step_ns"),
        ("/series/position/min", json!([]), "series.position is not as long as series.volume"),
        ("/series/drawdown/max", json!([1.0]), "series.drawdown"),
        ("/series/volume_own", json!([1]), "series.volume_own"),
        ("/series/volume", json!(vec![1; 30_000]), "series.volume has more entries"),
        ("/series/pnl/last/0", json!(1e300), "series.pnl holds a number that is too large"),
        ("/series/step_ns", json!(u64::MAX), "series.step_ns"),
        ("/series/start_ns", json!(u64::MAX), "series.step_ns"),
        ("/series/signature/0/step_seconds", json!(0), "series.signature holds a grid without a step"),
        ("/episodes/0/pnl_curve", json!(vec![1.0; 30_000]), "episodes.pnl_curve"),
        ("/series", json!("text"), "damaged, or of another version"),
    ] {
        check(&[(place, value)], Some(expected));
    }
}

#[test]
fn whatever_else_they_say_is_drawn() {
    let none = || json!([]);
    for changes in [
        &[][..],
        // As records of 1.0 have them.
        &[("/series/order_flow", none()), ("/series/signature", none()), ("/series/depth", Value::Null)],
        &[("/series/volume/0", json!(u64::MAX)), ("/series/volume/1", json!(u64::MAX))],
        &[("/series/order_flow/0", json!(i64::MIN)), ("/series/order_flow/1", json!(i64::MIN))],
        &[("/findings_omitted", json!(u64::MAX))],
        &[("/series/mid/max/0", json!(1e19)), ("/series/mid/min/0", json!(-1e19))],
        &[("/series/depth/price_low", json!(i64::MAX)), ("/series/depth/price_step", json!(i64::MAX))],
        &[("/series/fills_total", json!(u64::MAX)), ("/series/spread/max/0", json!(5e-324))],
    ] {
        check(changes, None);
    }
}

#[test]
fn charts_end_whatever_they_draw() {
    let mut plain = record(2, Outcome::Finished);
    let series = plain.series.as_mut().unwrap();
    for values in [&mut series.position.last, &mut series.position.min, &mut series.position.max] {
        values.fill(Some(0.0));
    }
    // Between these two there is no step.
    series.position.max[0] = Some(5e-324);
    assert!(render(&plain).contains("chart-inventory"));
    // Nobody has looked at this one, and it is drawn in no time.
    let series = plain.series.as_mut().unwrap();
    series.position.min.clear();
    let depth = series.depth.as_mut().unwrap();
    depth.columns = vec![vec![1; 100_000]];
    depth.columns.resize(100_000, Vec::new());
    assert!(render(&plain).contains("chart-depth"));
}

#[test]
fn no_text_turns_the_line_around() {
    let mut plain = record(2, Outcome::Finished);
    plain.scenario.symbols = vec!["ONE\u{202e}".to_owned(), "TWO\u{202e}".to_owned()];
    plain.summary.evidence.cautions.push("careful\u{202e}".to_owned());
    let page = render(&plain);
    for text in ["The market trades ONE", "careful"] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!page.contains('\u{202e}'));
}
