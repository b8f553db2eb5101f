//! The stream of requests from files that are not as they should be: each complaint names file, row and column.

use crate::events::random;
use crate::support::record;
use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray, TimestampNanosecondArray, UInt64Array};
use assay_data::{ORDERS, read_orders};
use assay_evaluate::EpisodeKind;
use assay_market::AgentIndex;
use assay_model::{Request, RequestId, RequestKind, Seed, Side, Terms, Time};
use parquet::arrow::ArrowWriter;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Three limit orders as another tool would write them, plain types, without columns of answers.
fn made() -> Vec<(&'static str, ArrayRef)> {
    let none = || Arc::new(StringArray::from(vec![None::<&str>; 3])) as ArrayRef;
    let no_number = || Arc::new(Int64Array::from(vec![None::<i64>; 3])) as ArrayRef;
    let texts = |texts: [&str; 3]| Arc::new(StringArray::from(texts.to_vec())) as ArrayRef;
    let numbers = |numbers: [i64; 3]| Arc::new(Int64Array::from(numbers.to_vec())) as ArrayRef;
    vec![
        ("seed", Arc::new(UInt64Array::from(vec![1, 1, 1]))),
        ("episode", texts(["baseline"; 3])),
        ("symbol", texts(["ASSAY"; 3])),
        ("time", Arc::new(TimestampNanosecondArray::from(vec![10, 10, 12]))),
        ("agent", numbers([0, 1, 0])),
        ("message", texts(["limit", "market", "order"])),
        ("request", numbers([1, 1, 2])),
        ("order", no_number()),
        ("side", texts(["buy", "sell", "sell"])),
        ("price", numbers([100, 0, 101])),
        ("quantity", numbers([5, 6, 7])),
        ("time_in_force", none()),
        ("expires", Arc::new(TimestampNanosecondArray::from(vec![None::<i64>; 3]))),
        ("display", none()),
        ("shown", no_number()),
        ("post_only", none()),
        ("trigger", none()),
        ("trigger_price", no_number()),
    ]
}

fn write(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true))).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// What the stream says of a file with one column changed or left out.
fn check(column: &str, changed: Option<&ArrayRef>, complaint: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("foreign.parquet");
    let columns = made().into_iter().filter_map(|(name, array)| match changed {
        _ if name != column => Some((name, array)),
        Some(changed) => Some((name, Arc::clone(changed))),
        None => None,
    });
    write(&path, columns.collect());
    let said = match read_orders(&path, "ASSAY", None) {
        Err(error) => error.to_string(),
        Ok(stream) => {
            let last = stream.last().unwrap();
            last.expect_err(&format!("{column}: no complaint")).to_string()
        }
    };
    assert_eq!(said, format!("{}{complaint}", path.display()));
}

fn texts(texts: [Option<&str>; 3]) -> Option<ArrayRef> {
    Some(Arc::new(StringArray::from(texts.to_vec())))
}

fn numbers(numbers: [Option<i64>; 3]) -> Option<ArrayRef> {
    Some(Arc::new(Int64Array::from(numbers.to_vec())))
}

#[test]
fn files_of_other_tools_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("foreign.parquet");
    write(&path, made());
    let read: Vec<_> = read_orders(&path, "ASSAY", None).unwrap().map(Result::unwrap).collect();
    let request = |id, kind| Request { id: RequestId(id), kind };
    let limit = RequestKind::Limit { side: Side::Buy, price: 100, quantity: 5, qualifiers: Default::default() };
    let wanted = vec![
        (Time(10), AgentIndex(0), request(1, limit)),
        (Time(10), AgentIndex(1), request(1, RequestKind::Market { side: Side::Sell, quantity: 6 })),
        (Time(12), AgentIndex(0), request(2, RequestKind::Order(Terms::limit(Side::Sell, 101, 7)))),
    ];
    assert_eq!(read, wanted);
}

#[test]
fn complaints_name_file_row_and_column() {
    let times = |times: [i64; 3]| Some(Arc::new(TimestampNanosecondArray::from(times.to_vec())) as ArrayRef);
    let big = Some(i64::from(u32::MAX) + 1);
    let cases: Vec<(&str, Option<ArrayRef>, &str)> = vec![
        ("price", None, ", column `price`: expected integer, found no such column"),
        ("trigger", None, ", column `trigger`: expected text (dictionary), found no such column"),
        ("price", texts([Some("1"); 3]), ", column `price`: expected integer, found Utf8"),
        ("time", numbers([Some(1); 3]), ", column `time`: expected timestamp (ns, UTC), found Int64"),
        ("price", numbers([None; 3]), ", row 1, column `price`: expected an integer, found none"),
        (
            "quantity",
            numbers([Some(1), Some(-4), Some(1)]),
            ", row 2, column `quantity`: expected a number that is not negative, found -4",
        ),
        (
            "quantity",
            numbers([Some(1), Some(1), big]),
            ", row 3, column `quantity`: expected a number of shares of 32 bits, found 4294967296",
        ),
        (
            "agent",
            numbers([Some(1), Some(-1), Some(1)]),
            ", row 2, column `agent`: expected an agent's number, found -1",
        ),
        (
            "side",
            texts([Some("buy"), Some("bid"), None]),
            ", row 2, column `side`: expected one of buy, sell, found `bid`",
        ),
        ("side", texts([Some("buy"), None, None]), ", row 2, column `side`: expected `buy` or `sell`, found none"),
        (
            "message",
            texts([Some("limit"), Some("limit"), Some("buy")]),
            ", row 3, column `message`: expected one of limit, market, cancel, cancel_all, modify, reduce, replace, order, accepted, fill, cancelled, all_cancelled, modified, reduced, rejected, triggered, found `buy`",
        ),
        (
            "message",
            texts([Some("limit"), Some("cancel"), None]),
            ", row 2, column `order`: expected an integer, found none",
        ),
        ("time", times([10, 9, 12]), ", row 2, column `time`: expected at least 10 ns, as in the row before, found 9"),
        ("time", times([-10, 9, 12]), ", row 1, column `time`: expected a time since 1970, found -10"),
        (
            "seed",
            Some(Arc::new(UInt64Array::from(vec![1, 1, 2]))),
            ", row 3, column `seed`: expected seed 1 and episode `baseline` only, or a choice of one, found seed 2 and episode `baseline`",
        ),
        (
            "seed",
            Some(Arc::new(UInt64Array::from(vec![Some(1), None, None]))),
            ", row 2, column `seed`: expected a seed, found none",
        ),
    ];
    for (column, changed, complaint) in cases {
        check(column, changed.as_ref(), complaint);
    }
}

#[test]
fn a_truncated_or_foreign_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1, EpisodeKind::Strategy, &random(1, 3_000)).unwrap();
    let path = folder.path().join(ORDERS.file_name());
    let whole = std::fs::read(&path).unwrap();
    for (name, bytes) in [("truncated", &whole[..whole.len() / 2]), ("empty", &[][..]), ("text", b"a,b\n1,2\n3,4\n")] {
        std::fs::write(&path, bytes).unwrap();
        let said = read_orders(&path, "ASSAY", None).unwrap_err().to_string();
        assert!(
            said.starts_with(&format!("{}: expected a whole Parquet file, found ", path.display())),
            "{name}: {said}"
        );
    }
    let missing = read_orders(&folder.path().join("nowhere.parquet"), "ASSAY", None).unwrap_err().to_string();
    assert!(missing.contains("nowhere.parquet: expected a Parquet file"), "{missing}");
    // Damage in the middle is found where it is, or reads as other values; it never panics.
    for place in (0..whole.len()).step_by(97) {
        let mut spoilt = whole.clone();
        spoilt[place] ^= 0x55;
        std::fs::write(&path, &spoilt).unwrap();
        if let Ok(stream) = read_orders(&path, "ASSAY", None) {
            stream.for_each(drop);
        }
    }
}

#[test]
fn one_episode_of_many_is_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = crate::support::recorder(folder.path(), 1);
    let told: Vec<_> = (0..4).map(|seed| random(seed, 500)).collect();
    let (strategy, baseline) = (EpisodeKind::Strategy, EpisodeKind::Baseline);
    crate::support::tell(&recorder, 8, &[(strategy, &told[0]), (baseline, &told[1])], true);
    crate::support::tell(&recorder, u64::MAX, &[(strategy, &told[2]), (baseline, &told[3])], true);
    recorder.finish().unwrap();
    let path = folder.path().join(ORDERS.file_name());
    for (seed, kind, told) in [(8, strategy, 0), (8, baseline, 1), (u64::MAX, strategy, 2), (u64::MAX, baseline, 3)]
        .map(|(seed, kind, index): (u64, _, usize)| (seed, kind, &told[index]))
    {
        let read: Vec<_> = read_orders(&path, "ASSAY", Some((Seed(seed), kind))).unwrap().map(Result::unwrap).collect();
        let wanted = told.events.iter().filter_map(|event| match event.kind {
            assay_market::EventKind::Request { agent, request } => Some((event.at, agent, request)),
            _ => None,
        });
        assert_eq!(read, wanted.collect::<Vec<_>>(), "seed {seed}");
    }
    assert_eq!(read_orders(&path, "ASSAY", Some((Seed(9), strategy))).unwrap().count(), 0);
    assert!(read_orders(&path, "ASSAY", None).unwrap().any(|request| request.is_err()), "there are several episodes");
}
