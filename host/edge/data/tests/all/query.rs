//! SQL over a recorded run: answers, and what is said to queries that are wrong, reach out, or never end.

use crate::events::random;
use crate::support::{Told, recorder, tell};
use arrow::array::AsArray as _;
use arrow::datatypes::Int64Type;
use assay_data::{Format, ORDERS, QueryError, QueryLimits, RunData, SQL_BYTES_MAX, TABLES, TRADES};
use assay_evaluate::EpisodeKind;
use assay_query::{Written, query, write_answer};
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

fn told() -> &'static Told {
    static TOLD: OnceLock<Told> = OnceLock::new();
    TOLD.get_or_init(|| random(21, 4_000))
}

/// A run of two seeds.
fn recorded(folder: &Path) -> RunData {
    std::fs::write(folder.join("run.json"), "{}").unwrap();
    let recorder = recorder(&RunData::folder_of(folder), 1);
    for seed in [1, 2] {
        tell(&recorder, seed, &[(EpisodeKind::Strategy, told()), (EpisodeKind::Baseline, told())], true);
    }
    recorder.finish().unwrap();
    RunData::open(folder).unwrap()
}

fn run() -> &'static RunData {
    static RUN: OnceLock<(tempfile::TempDir, RunData)> = OnceLock::new();
    let make = || {
        let folder = tempfile::tempdir().unwrap();
        let run = recorded(folder.path());
        (folder, run)
    };
    &RUN.get_or_init(make).1
}

fn written(sql: &str, format: Format) -> Result<String, QueryError> {
    let mut out = Vec::new();
    let answer = query(run(), sql, None, QueryLimits::default())?;
    match write_answer(answer, format, &mut out) {
        Ok(Written::Whole(_)) => Ok(String::from_utf8(out).unwrap()),
        other => panic!("{sql}: {other:?}"),
    }
}

#[test]
fn answers_are_right() {
    let trades = written("select count(*) as trades, sum(quantity) as shares from trades", Format::Csv).unwrap();
    let quantities = told().events.iter().filter_map(|event| match event.kind {
        assay_market::EventKind::Trade { quantity, .. } => Some(i64::from(quantity)),
        _ => None,
    });
    let quantities: Vec<i64> = quantities.collect();
    let (count, shares) = (4 * quantities.len(), 4 * quantities.iter().sum::<i64>());
    assert_eq!(trades, format!("trades,shares\n{count},{shares}\n"));
    let every_table: Vec<String> =
        TABLES.iter().map(|table| format!("select '{0}' as name, count(*) as rows from {0}", table.name)).collect();
    let counts = written(&format!("{} order by name", every_table.join(" union all ")), Format::Csv).unwrap();
    let mut wanted: Vec<String> = run().tables().map(|(table, rows)| format!("{},{rows}\n", table.name)).collect();
    wanted.sort();
    assert_eq!(counts, format!("name,rows\n{}", wanted.concat()));
}

#[test]
fn every_feature_that_the_documents_show_is_there() {
    for sql in [
        "select date_bin(interval '1 minute', time) as minute, avg(bid_price + ask_price) / 2 as mid from quotes where seed = 1 and episode = 'baseline' group by minute order by minute",
        "select reason, count(*) from orders where message = 'rejected' group by reason",
        "with last as (select side, price, last_value(quantity order by event) as shares from depth where seed = 1 and episode = 'baseline' group by side, price) select * from last where shares > 0 order by side, price desc limit 5",
        "select kind, count(*) from orders join agents using (agent) group by kind",
        "select * from agents a, sessions s",
        "select lag(price) over (order by event) from trades where seed = 2",
        "SELECT round(sqrt(value), 2), upper(symbol), date_trunc('hour', time) FROM fundamental LIMIT 3;",
        "select t.seed, t.event, q.bid_price from trades t join quotes q on t.seed = q.seed and t.episode = q.episode and q.event = t.event + 1",
    ] {
        written(sql, Format::Csv).unwrap_or_else(|error| panic!("{sql}: {error} {:?}", error.hint()));
    }
}

#[test]
fn formats_say_the_same() {
    let sql = "select seed, message, price, time from orders where event < 3 and seed = 1 and episode = 'strategy' order by event";
    let csv = written(sql, Format::Csv).unwrap();
    let json: Vec<serde_json::Value> = serde_json::from_str(&written(sql, Format::Json).unwrap()).unwrap();
    let table = written(sql, Format::Table).unwrap();
    assert_eq!(csv.lines().count(), json.len() + 1, "{csv}");
    assert_eq!(table.lines().count(), json.len() + 2, "{table}");
    for (row, object) in csv.lines().skip(1).zip(&json) {
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!(cells[0], object["seed"].to_string());
        assert_eq!(cells[1], object["message"].as_str().unwrap());
        assert!(object["price"].is_null() == cells[2].is_empty());
    }
    let mut bytes = Vec::new();
    write_answer(query(run(), sql, None, QueryLimits::default()).unwrap(), Format::Arrow, &mut bytes).unwrap();
    let batches = arrow::ipc::reader::StreamReader::try_new(bytes.as_slice(), None).unwrap();
    assert_eq!(batches.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), json.len());
    let none = "select price from trades where seed = 77";
    assert_eq!(written(none, Format::Csv).unwrap(), "price\n");
    assert_eq!(written(none, Format::Json).unwrap().trim(), "[]");
}

#[test]
fn rows_come_in_the_order_of_the_run_and_are_limited() {
    let answer = query(run(), "select event from orders", Some(7), QueryLimits::default()).unwrap();
    let batches: Vec<_> = answer.map(Result::unwrap).collect();
    let events = batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec());
    let first = told().events.iter().zip(0..).filter(|(event, _)| {
        matches!(event.kind, assay_market::EventKind::Request { .. } | assay_market::EventKind::Update { .. })
    });
    assert!(events.eq(first.map(|(_, number)| number).take(7)));
}

#[test]
fn hostile_log_lines_cannot_drive_a_terminal() {
    let table = written("select line from log where seed = 1", Format::Table).unwrap();
    assert!(!table.contains(['\u{202e}', '\0']), "{table:?}");
    assert!(table.contains("\\u{202e}"), "{table}");
}

/// What is said to a query: the message and its hint.
fn said(sql: &str) -> String {
    let error = match query(run(), sql, Some(10), QueryLimits::default()) {
        Err(error) => error,
        Ok(mut answer) => answer.find_map(Result::err).unwrap_or_else(|| panic!("{sql}: answered")),
    };
    assert!(!error.is_ours(), "{sql}: {error}");
    format!("{error} | {}", error.hint().unwrap_or_default())
}

#[test]
fn what_is_wrong_is_said_with_its_place_and_what_there_is() {
    let list = "agents, log, fundamental";
    for (sql, words) in [
        ("selec price from trades", vec!["the SQL cannot be read", "line 1, column 1"]),
        ("select price from trades where", vec!["the SQL cannot be read"]),
        ("select\n  (price from trades", vec!["line 2, column 10"]),
        ("select 'abc from trades", vec!["the SQL cannot be read", "line 1, column 8"]),
        ("", vec!["the SQL contains no query"]),
        (" ; ", vec!["the SQL contains no query"]),
        ("select pric from trades", vec!["there is no column `pric` (line 1, column 8)", "did you mean `price`?"]),
        ("select bid_price\nfrom trades", vec!["there is no column `bid_price` (line 1, column 8)", "it is in quotes"]),
        ("select trades.sid from trades", vec!["there is no column `trades.sid`"]),
        ("select * from trade", vec!["there is no table `trade`", "did you mean `trades`?", list]),
        ("select * from nothing_like_it", vec!["there is no table `nothing_like_it`", list]),
        (
            "select price from trades t join quotes q using (seed) where event = 3",
            vec!["`event` may be a column of several tables"],
        ),
        ("select nosuch(price) from trades", vec!["nosuch"]),
        ("select sum(line) from log", vec!["sum"]),
        ("select price from trades group by seed", vec!["price"]),
        ("select 1; select 2", vec!["the SQL has 2 statements"]),
        ("select 1 / 0 from trades", vec!["ivide by zero"]),
    ] {
        let said = said(sql);
        for word in words {
            assert!(said.contains(word), "{sql}: {said}");
        }
    }
    let long = format!("select {} 1", "1 + ".repeat(SQL_BYTES_MAX));
    assert!(said(&long).starts_with("the query has "));
    // Deep, but not too long: whatever is said, we live.
    let nested = format!("select {}1{}", "(".repeat(8_000), ")".repeat(8_000));
    assert!(said(&nested).contains("recursion limit"), "{}", said(&nested));
    let chain = format!("select {}1 as sum from trades limit 1", "1+".repeat(500));
    assert_eq!(written(&chain, Format::Csv).unwrap(), "sum\n501\n");
}

#[test]
fn nothing_but_the_run_can_be_read_or_changed() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.parquet");
    std::fs::copy(run().path(&TRADES), &secret).unwrap();
    let (file, before) = (secret.display(), std::fs::read(run().path(&ORDERS)).unwrap());
    for (sql, word) in [
        (format!("select * from '{file}'"), "there is no table"),
        (format!("select * from \"{file}\""), "there is no table"),
        ("select * from '/etc/passwd'".to_owned(), "there is no table"),
        ("select * from \"../run.json\"".to_owned(), "there is no table"),
        ("select * from 'https://example.org/x.parquet'".to_owned(), "there is no table"),
        ("select * from 'run://data/trades.parquet'".to_owned(), "there is no table"),
        (format!("select * from read_parquet('{file}')"), "read_parquet"),
        ("select * from read_csv('/etc/passwd')".to_owned(), "read_csv"),
        ("select * from generate_series(1, 9)".to_owned(), "generate_series"),
        ("select * from range(1, 9)".to_owned(), "range"),
        ("select * from information_schema.tables".to_owned(), "there is no table"),
        ("select * from datafusion.public.trades".to_owned(), "there is no table"),
        (format!("create external table x stored as parquet location '{file}'"), "only queries"),
        ("create table x as select 1".to_owned(), "only queries"),
        ("create view x as select 1".to_owned(), "only queries"),
        ("drop table trades".to_owned(), "only queries"),
        ("insert into trades select * from trades".to_owned(), "only queries"),
        ("delete from trades".to_owned(), "only queries"),
        ("update trades set price = 1".to_owned(), "only queries"),
        (format!("copy trades to '{}'", outside.path().join("out.parquet").display()), "only queries"),
        ("set datafusion.execution.batch_size = 1".to_owned(), "only queries"),
        ("show tables".to_owned(), "only queries"),
        ("explain analyze select * from trades".to_owned(), "only queries"),
        ("prepare x as select 1".to_owned(), "only queries"),
        ("begin".to_owned(), "only queries"),
        ("select * into other from trades".to_owned(), ""),
        ("with x as (insert into trades select * from trades) select 1".to_owned(), ""),
    ] {
        let said = said(&sql);
        assert!(said.contains(word), "{sql}: {said}");
    }
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1, "something was written");
    assert_eq!(std::fs::read(run().path(&ORDERS)).unwrap(), before);
}

#[test]
fn what_runs_for_ever_or_too_large_is_stopped() {
    let limits = QueryLimits { time: Duration::from_millis(300), memory_bytes: 32 << 20 };
    let product = "from orders a, orders b, orders c, orders d, orders e";
    let failure = |sql: &str| match query(run(), sql, None, limits) {
        Err(error) => error,
        Ok(mut answer) => answer.find_map(Result::err).unwrap_or_else(|| panic!("{sql}: answered")),
    };
    let slow = failure(&format!("select count(*) {product} where a.price + b.price = c.price + d.price + e.price"));
    assert!(matches!(slow, QueryError::TooSlow { .. }), "{slow:?}");
    assert_eq!(slow.to_string(), "the query exceeded its timeout of 0.3 s");
    let endless = failure(&format!("select a.event {product}"));
    assert!(matches!(endless, QueryError::TooSlow { .. }), "rows without end: {endless:?}");
    let wide = QueryLimits { time: Duration::from_secs(3_600), ..limits };
    let large = "select a.event, b.event from orders a, orders b order by a.price + b.price, a.event * b.event";
    let large = match query(run(), large, None, wide) {
        Err(error) => error,
        Ok(mut answer) => answer.find_map(Result::err).unwrap(),
    };
    assert!(matches!(large, QueryError::TooLarge { .. }), "{large:?}");
    assert_eq!(large.to_string(), "the query needs more than 32 MiB of memory");
}

/// A copy of the run with a table's file replaced; what is said to a query that reads it.
fn spoilt(bytes: &[u8]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let run = recorded(folder.path());
    std::fs::write(run.path(&TRADES), bytes).unwrap();
    let other = query(&run, "select count(*) from quotes", None, QueryLimits::default());
    assert!(other.is_ok(), "tables are looked at when they are asked for");
    let asked = query(&run, "select sum(price) from trades", None, QueryLimits::default());
    let error = asked.expect_err("a spoilt table was read");
    (error.to_string(), run.path(&TRADES).display().to_string())
}

#[test]
fn files_that_are_not_as_they_should_be_are_named() {
    let whole = std::fs::read(run().path(&TRADES)).unwrap();
    let orders = std::fs::read(run().path(&ORDERS)).unwrap();
    let (said, path) = spoilt(&whole[..whole.len() - 100]);
    assert!(said.starts_with(&format!("{path}: expected a whole Parquet file, found ")), "{said}");
    let (said, path) = spoilt(b"PAR1 not really PAR1");
    assert!(said.starts_with(&format!("{path}: expected a whole Parquet file, found ")), "{said}");
    let (said, path) = spoilt(b"");
    assert!(said.starts_with(&format!("{path}: expected a whole Parquet file, found ")), "{said}");
    // A table of another kind lacks columns.
    let (said, path) = spoilt(&orders);
    assert_eq!(said, format!("{path}, column `taker_side`: expected text (dictionary), found no such column"));
    let folder = tempfile::tempdir().unwrap();
    let run = recorded(folder.path());
    std::fs::remove_file(run.path(&TRADES)).unwrap();
    let gone = query(&run, "select 1 from trades", None, QueryLimits::default()).unwrap_err().to_string();
    assert!(gone.contains("trades.parquet: expected a Parquet file, found no such file"), "{gone}");
    std::os::unix::fs::symlink(super::query::run().path(&TRADES), run.path(&TRADES)).unwrap();
    let link = query(&run, "select 1 from trades", None, QueryLimits::default()).unwrap_err().to_string();
    assert!(link.contains("trades.parquet: expected a plain file"), "{link}");
}

#[test]
fn a_run_without_readable_data_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let error = RunData::open(folder.path()).unwrap_err();
        format!("{error} | {}", error.hint().unwrap_or_default())
    };
    assert!(open().contains("is not a run") && open().contains("assay run --out"), "{}", open());
    std::fs::write(folder.path().join("run.json"), "{}").unwrap();
    assert!(open().contains("has no data | run it again with --data"), "{}", open());
    let data = RunData::folder_of(folder.path());
    std::fs::create_dir(&data).unwrap();
    std::fs::write(data.join("orders.parquet.partial"), "").unwrap();
    assert!(open().contains("is incomplete"), "{}", open());
    for (manifest, word) in [
        ("", "expected a manifest"),
        ("{\"schema\": 1}", "expected a manifest"),
        (
            r#"{"schema":"assay.data","version":"2.0","run":"r","symbol":"s","seeds":[],"tables":[]}"#,
            "has schema assay.data 2.0",
        ),
        (r#"{"schema":"other","version":"1.0","run":"r","symbol":"s","seeds":[],"tables":[]}"#, "has schema other 1.0"),
    ] {
        std::fs::write(data.join("data.json"), manifest).unwrap();
        assert!(open().contains(word), "{manifest}: {}", open());
    }
    // A later minor version, by its run.json.
    let later = r#"{"schema":"assay.data","version":"1.9","run":"r","symbol":"s","seeds":[],"tables":[]}"#;
    std::fs::write(data.join("data.json"), later).unwrap();
    assert!(RunData::open(&folder.path().join("run.json")).is_ok());
}

/// A reader that takes a few bytes and goes away.
struct Leaves(usize);

impl std::io::Write for Leaves {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0 == 0 {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for format in [Format::Table, Format::Csv, Format::Json, Format::Arrow] {
        let answer = query(run(), "select * from orders", None, QueryLimits::default()).unwrap();
        let written = write_answer(answer, format, &mut Leaves(100));
        assert!(matches!(written, Ok(Written::Unread)), "{format:?}: {written:?}");
    }
}
