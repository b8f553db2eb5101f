//! Recorded data as a user has it: `assay run --data`, `assay query`, and the files in the Python tools that people use.
//!
//! The tools come from `make setup-python`; without them these tests fail and say so.

use assay_tests::{assay, assay_binary, root, show};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// A folder with a recorded run in `report`, made once.
fn recorded() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let make = || {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let strategy = root().join("examples/strategies/market_maker.rs");
        let output = assay(folder.path())
            .arg("run")
            .arg(strategy)
            // Closes when a recording of it would.
            .args(["--scenario", "smoke", "--set", "market.close_window=\"0s\"", "--seeds", "3", "--data"])
            .output()
            .expect("assay runs");
        assert!(output.status.success(), "{}", show(&output));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("Data") && said.contains("rows in 8 tables"), "{said}");
        folder
    };
    FOLDER.get_or_init(make).path()
}

fn query(arguments: &[&str]) -> Output {
    assay(recorded()).arg("query").args(arguments).output().expect("assay runs")
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", show(output));
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// The interpreter that `make setup-python` has prepared.
fn python() -> PathBuf {
    let setup = Command::new(root().join("tests/python/setup")).arg("--where").output().expect("bash is there");
    assert!(setup.status.success(), "{}", show(&setup));
    let python = PathBuf::from(String::from_utf8_lossy(&setup.stdout).trim());
    assert!(python.is_file(), "{} is not there: run `make setup-python`", python.display());
    python
}

fn run_python(arguments: &[&str]) -> Output {
    let output = Command::new(python())
        .args(arguments)
        .current_dir(recorded())
        .env("MPLBACKEND", "Agg")
        .env("MPLCONFIGDIR", recorded())
        .output()
        .expect("python runs");
    assert!(output.status.success(), "{}", show(&output));
    output
}

#[test]
fn the_script_of_the_page_draws_the_mid_price() {
    let page = std::fs::read_to_string(root().join("docs/data.md")).expect("the page");
    let script = page.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a script");
    assert!(script.lines().count() <= 5, "five lines were promised");
    run_python(&["-c", script]);
    let picture = std::fs::read(recorded().join("mid.png")).expect("the script has drawn");
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 5_000, "{} bytes", picture.len());
}

#[test]
fn every_table_opens_as_it_is_in_python() {
    let script = root().join("tests/python/opens.py");
    let output = run_python(&[script.to_str().expect("a path of text"), "report"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 8, "{}", show(&output));
}

#[test]
fn an_arrow_stream_goes_straight_into_python() {
    let answer = query(&["report", "select price, quantity from trades", "--format", "arrow"]);
    assert!(answer.status.success(), "{}", show(&answer));
    std::fs::write(recorded().join("answer.arrows"), &answer.stdout).expect("the folder can be written");
    let script = "import polars; print(polars.read_ipc_stream('answer.arrows')['quantity'].sum())";
    let shares = stdout(&query(&["report", "select sum(quantity) as shares from trades", "--format", "csv"]));
    assert_eq!(format!("shares\n{}", String::from_utf8_lossy(&run_python(&["-c", script]).stdout)), shares);
}

#[test]
fn recording_does_not_change_the_record_and_goes_with_its_report() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = |out: &str, more: &[&str]| {
        let strategy = root().join("examples/strategies/market_maker.rs");
        let mut command = assay(folder.path());
        command.arg("run").arg(strategy).args(["--scenario", "smoke", "--seeds", "2", "--out", out]).args(more);
        let output = command.output().expect("assay runs");
        assert!(output.status.success(), "{}", show(&output));
        let text = std::fs::read_to_string(folder.path().join(out).join("run.json")).expect("a record");
        let mut record: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        for field in assay_evaluate::UNHASHED_FIELDS {
            record[field].take();
        }
        record
    };
    let plain = run("plain", &[]);
    assert_eq!(run("kept", &["--data", "--threads", "3"]), plain);
    assert!(folder.path().join("kept/data/data.json").is_file());
    assert!(!folder.path().join("plain/data").exists());
    // The old data would not belong to the new report.
    run("kept", &[]);
    assert!(!folder.path().join("kept/data/data.json").exists());
    let output = assay(folder.path()).args(["query", "kept"]).output().expect("assay runs");
    assert_eq!(output.status.code(), Some(2), "{}", show(&output));
    assert!(String::from_utf8_lossy(&output.stderr).contains("run it again with --data"), "{}", show(&output));
}

#[test]
fn tables_are_listed_and_queried_in_every_format() {
    let list = stdout(&query(&["report"]));
    for word in ["quotes", "depth", "trades", "orders", "fundamental", "bid_price", "rows"] {
        assert!(list.contains(word), "{list}");
    }
    assert_eq!(list, stdout(&query(&["report/run.json"])));
    let sql = "select episode, count(*) as n from sessions group by episode order by episode";
    let csv = stdout(&query(&["report", sql, "--format", "csv"]));
    assert_eq!(csv, "episode,n\nbaseline,6\nstrategy,6\n");
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&query(&["report", sql, "--format", "json"]))).expect("JSON");
    assert_eq!(json[1]["n"], 6);
    assert!(stdout(&query(&["report", sql])).contains("strategy  6"));
    let limited = stdout(&query(&["report", "select * from orders", "--limit", "4", "--format", "csv"]));
    assert_eq!(limited.lines().count(), 5);
    let cut = query(&["report", "select event from orders"]);
    assert_eq!(stdout(&cut).lines().count(), 102);
    assert!(String::from_utf8_lossy(&cut.stderr).contains("--limit"), "{}", show(&cut));
}

/// A copy of the binary in a folder of its own, so that no engine lies beside it.
#[test]
fn without_the_engine_the_command_that_builds_it_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let alone = folder.path().join("assay");
    std::fs::copy(assay_binary(), &alone).expect("a binary can be copied");
    let asked = |sql: &[&str]| {
        let mut command = Command::new(&alone);
        command.current_dir(recorded()).env("PATH", folder.path()).env("NO_COLOR", "1").args(["query", "report"]);
        command.args(sql).output().expect("assay runs")
    };
    let output = asked(&["select 1"]);
    assert_eq!(output.status.code(), Some(4), "{}", show(&output));
    assert!(show(&output).contains("make query"), "{}", show(&output));
    assert!(stdout(&asked(&[])).contains("trades"), "a list of tables needs no engine");
    std::os::unix::fs::symlink("/bin/false", folder.path().join("assay-query")).expect("a link");
    let output = asked(&["select 1"]);
    assert_eq!(output.status.code(), Some(4), "{}", show(&output));
    assert!(show(&output).contains("ended without an answer"), "{}", show(&output));
}

#[test]
fn bad_questions_end_with_code_two_and_a_hint() {
    for (arguments, words) in [
        (vec!["report", "selec 1"], vec!["the SQL cannot be read", "line 1, column 1"]),
        (vec!["report", "select pric from trades"], vec!["no column `pric`", "did you mean `price`"]),
        (vec!["report", "select * from trade"], vec!["no table `trade`", "did you mean `trades`"]),
        (vec!["report", "select * from '/etc/passwd'"], vec!["no table", "only read the tables of its run"]),
        (vec!["report", "copy trades to 'x.csv'"], vec!["only queries"]),
        (
            vec![
                "report",
                "select count(*) from orders a, orders b, orders c where a.price + b.price < c.price",
                "--timeout=200ms",
            ],
            vec!["exceeded its timeout of 0.2 s", "--timeout"],
        ),
        (vec!["report", "select 1", "--timeout=soon"], vec!["`soon` is not a valid timeout"]),
        (vec!["report", "select 1", "--timeout=0s"], vec!["`0s` is not a valid timeout"]),
        (vec!["report", "select 1", "--timeout=-3s"], vec!["`-3s` is not a valid timeout"]),
        (vec!["nowhere"], vec!["nowhere is not a run", "hint"]),
        (vec!["report", "select 1", "--format", "xml"], vec!["xml"]),
    ] {
        let output = query(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", show(&output));
        let said = String::from_utf8_lossy(&output.stderr);
        for word in words {
            assert!(said.contains(word), "{arguments:?}: {said}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let mut child = assay(recorded())
        .args(["query", "report", "select * from orders a, agents b", "--format", "csv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("assay runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", show(&output));
}

#[test]
fn a_full_disk_fails_the_run_as_infrastructure_and_offers_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // No file may grow beyond 4 MiB: four whole days write more than that, the compiler and the report do not.
    let strategy = root().join("examples/strategies/market_maker.rs");
    let prepared = assay(folder.path());
    let mut command = Command::new("bash");
    command.current_dir(folder.path()).envs(prepared.get_envs().filter_map(|(key, value)| Some((key, value?))));
    command.args(["-c", "trap '' XFSZ; ulimit -f 4096; exec \"$0\" \"$@\""]).arg(prepared.get_program());
    command.arg("run").arg(&strategy).args(["--scenario", "rmsc04-day", "--seeds", "4", "--data", "--out", "full"]);
    let output = command.output().expect("bash runs");
    assert_eq!(output.status.code(), Some(4), "{}", show(&output));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("failed to write ") && said.contains(".partial"), "{said}");
    assert!(folder.path().join("full/run.json").is_file(), "the report is not the data's hostage");
    let entries = std::fs::read_dir(folder.path().join("full/data")).expect("the folder is there");
    let names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    assert!(names.iter().all(|name| name.ends_with(".partial")), "{names:?}");
    let asked = assay(folder.path()).args(["query", "full"]).output().expect("assay runs");
    assert_eq!(asked.status.code(), Some(2), "{}", show(&asked));
    assert!(String::from_utf8_lossy(&asked.stderr).contains("is incomplete"), "{}", show(&asked));
}

#[test]
fn a_killed_run_leaves_partial_files_only() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut child = assay(folder.path())
        .arg("run")
        .arg(root().join("examples/strategies/market_maker.rs"))
        .args(["--scenario", "rmsc04", "--seeds", "5000", "--data"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("assay runs");
    let data = folder.path().join("report/data");
    // Once something has been written; a run of five thousand seeds does not end before.
    while !std::fs::metadata(data.join("orders.parquet.partial")).is_ok_and(|file| file.len() > 0) {
        assert!(child.try_wait().expect("a child").is_none(), "the run ended too early");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().expect("it can be killed");
    assert_eq!(child.wait().expect("it ends").signal(), Some(9));
    let entries = std::fs::read_dir(&data).expect("the folder is there");
    let names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    assert!(!names.is_empty() && names.iter().all(|name| name.ends_with(".partial")), "{names:?}");
}

/// A recorded episode as the market of another run. The price band is the first run's, so the same requests are refused.
const AGAIN: &str = r#"
name = "again"
symbol = "ASSAY"
[market]
date = 2021-02-05
open = 09:30:00
close = 09:32:00
price_band_basis_points = 500
[fundamental]
mean = 10_000
mean_reversion_per_second = 0.0
volatility_per_root_second = 0.0
[replay]
format = "orders"
orders = "report/data/orders.parquet"
seed = 2
episode = "baseline"
[strategy]
warm_up = "10s"
"#;

#[test]
fn a_recorded_episode_happens_again_as_a_market() {
    let folder = recorded();
    std::fs::write(folder.join("again.toml"), AGAIN).expect("the folder is writable");
    let strategy = root().join("examples/strategies/market_maker.rs");
    let run = |scenario: &str| {
        let mut command = assay(folder);
        command.arg("run").arg(&strategy).args(["--scenario", scenario, "--seeds", "1", "--out", "again/"]);
        command.output().expect("assay runs")
    };
    let output = run("again.toml");
    assert!(output.status.success(), "{}", show(&output));
    let measures = |record: &str, index: usize| {
        let text = std::fs::read_to_string(folder.join(record).join("run.json")).expect("the run left a record");
        let record: serde_json::Value = serde_json::from_str(&text).expect("run.json is JSON");
        let measures = record["episodes"][index]["baseline_measures"].clone();
        ["trades", "volume", "spread", "mid_range", "bid_size"].map(|key| measures[key].clone())
    };
    assert_eq!(measures("again", 0), measures("report", 1), "the market is the recorded one");

    for (from, to, complaint) in [
        ("seed = 2", "seed = 99", "no orders for symbol ASSAY of seed 99, baseline"),
        ("symbol = \"ASSAY\"", "symbol = \"OTHER\"", "no orders for symbol OTHER"),
        ("open = 09:30:00", "open = 09:31:00", "before `open`"),
        ("seed = 2\nepisode = \"baseline\"", "", "or a choice of one"),
        ("episode = \"baseline\"", "episode = \"both\"", "replay.episode"),
        ("orders.parquet", "missing.parquet", "missing.parquet"),
        ("data/orders.parquet", "run.json", "run.json"),
        ("format = \"orders\"", "format = \"orders\"\nmessages = \"a.csv\"", "replay.messages"),
    ] {
        assert!(AGAIN.contains(from), "{from}");
        std::fs::write(folder.join("wrong.toml"), AGAIN.replace(from, to)).expect("the folder is writable");
        let output = run("wrong.toml");
        assert_eq!(output.status.code(), Some(2), "{to}\n{}", show(&output));
        assert!(show(&output).contains(complaint), "{to} must be answered with {complaint:?}\n{}", show(&output));
    }
}

#[test]
fn a_bit_that_has_flipped_is_seen() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copied = Command::new("cp").arg("-r").arg(recorded().join("report")).arg(folder.path()).status();
    assert!(copied.expect("cp is there").success());
    let trades = folder.path().join("report/data/trades.parquet");
    let mut bytes = std::fs::read(&trades).expect("the table is there");
    let middle = bytes.len() / 3;
    bytes[middle] ^= 1;
    std::fs::write(&trades, bytes).expect("the table can be written");
    let asked = |sql: &str| assay(folder.path()).args(["query", "report", sql]).output().expect("assay runs");
    let output = asked("select sum(quantity) from trades");
    assert_eq!(output.status.code(), Some(2), "{}", show(&output));
    assert!(show(&output).contains("trades.parquet"), "{}", show(&output));
    assert!(asked("-- other tables are whole\nselect count(*) from quotes").status.success());
}

#[test]
fn a_folder_in_use_is_left_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let report = folder.path().join("report");
    std::fs::create_dir(&report).expect("the folder is writable");
    let held = std::fs::File::open(&report).expect("the folder can be opened");
    held.try_lock().expect("nobody else has it");
    let strategy = root().join("examples/strategies/market_maker.rs");
    let output = assay(folder.path()).arg("run").arg(strategy).args(["--scenario", "smoke"]).output().expect("runs");
    assert_eq!(output.status.code(), Some(2), "{}", show(&output));
    assert!(show(&output).contains("another run is writing"), "{}", show(&output));
}

#[test]
fn a_reader_of_csv_may_go_away() {
    let mut child = assay(recorded())
        .args(["query", "report", "select * from orders", "--format", "csv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("assay runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", show(&output));
}
