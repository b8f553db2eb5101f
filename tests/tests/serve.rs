//! `assay serve` as a user starts it: a run of the store and a session in a folder become pages; Ctrl-C ends it; the export is the same as files.

use assay_tests::{assay, root, show};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A run in the store and in `report/`.
fn one_run(folder: &Path, scenario: &str) {
    let strategy = root().join("examples/strategies/queue_aware_maker.rs");
    let output = assay(folder)
        .arg("run")
        .arg(strategy)
        .args(["--scenario", scenario, "--seeds", "2", "--out", "report/one"])
        .output()
        .expect("assay starts");
    assert!(output.status.success(), "{}", show(&output));
}

fn begin(folder: &Path) -> (Child, String) {
    let mut child = assay(folder)
        .args(["serve", "--port", "0", "--runs", "report"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("assay starts");
    let mut link = String::new();
    BufReader::new(child.stdout.take().expect("stdout is piped")).read_line(&mut link).expect("a link");
    (child, link.trim().to_owned())
}

fn get(link: &str, path: &str) -> String {
    String::from_utf8_lossy(&bytes(link, path)).into_owned()
}

fn bytes(link: &str, path: &str) -> Vec<u8> {
    ask(link, &format!("GET {path}"), "")
}

fn post(link: &str, path: &str, form: &str) -> String {
    String::from_utf8_lossy(&ask(link, &format!("POST {path}"), form)).into_owned()
}

fn ask(link: &str, what: &str, body: &str) -> Vec<u8> {
    let (host, token) = link.strip_prefix("http://").and_then(|rest| rest.split_once("/?token=")).expect("a link");
    let mut stream = TcpStream::connect(host).expect("it listens");
    let length = body.len();
    let request = format!(
        "{what} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    answer
}

#[test]
fn runs_become_pages_and_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    one_run(folder.path(), "smoke");
    let (mut child, link) = begin(folder.path());
    let list = get(&link, "/runs");
    assert!(list.starts_with("HTTP/1.1 200") && list.contains("queue_aware_maker.rs"), "{list}");
    let ids = list.split("href=\"/runs/").skip(1).filter_map(|part| part.split('"').next());
    let pages: Vec<String> = ids.filter(|id| *id != "new").map(|id| format!("/runs/{id}")).collect();
    // One of the store and one of the folder, each with the whole report.
    assert_eq!(pages.len(), 2, "{list}");
    for page in &pages {
        let answer = get(&link, page);
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("id=\"measures\""), "{page}\n{answer}");
        assert!(answer.contains("id=\"tables\"") && answer.contains("There are none."), "{page}\n{answer}");
    }
    for (page, words) in [
        ("/compare", "Choose the first of two runs"),
        ("/board", "No board is here"),
        ("/worlds", "No run in a world is here"),
        ("/doctor", "Rust compiler"),
    ] {
        let answer = get(&link, page);
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(words), "{page}\n{answer}");
    }
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill starts");
    assert!(status.success());
    assert_eq!(child.wait().expect("assay ends").code(), Some(0));

    let output =
        assay(folder.path()).args(["serve", "--runs", "report", "--export", "site"]).output().expect("assay starts");
    assert!(output.status.success(), "{}", show(&output));
    let index = std::fs::read_to_string(folder.path().join("site/index.html")).expect("a page");
    assert!(index.contains("queue_aware_maker.rs"), "{index}");
}

#[test]
fn a_program_is_told_of_series_seeds_and_tables() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let strategy = root().join("examples/strategies/queue_aware_maker.rs");
    let output = assay(folder.path())
        .arg("run")
        .arg(strategy)
        .args(["--scenario", "smoke", "--seeds", "2", "--data", "--out", "report/one"])
        .output()
        .expect("assay starts");
    assert!(output.status.success(), "{}", show(&output));
    let (mut child, link) = begin(folder.path());
    let list = get(&link, "/runs");
    let ids: Vec<&str> = list.split("href=\"/runs/").skip(1).filter_map(|part| part.split('"').next()).collect();
    let stored = ids.iter().find(|id| id.contains('-')).expect("a run of the store");
    let report = ids.iter().find(|id| id.len() == 16).expect("a report in a folder");
    for (path, expected) in [
        (format!("/api/runs/{stored}/series?columns=bid,pnl&from=1&count=2"), "\"columns\":{\"bid\":["),
        (format!("/api/runs/{report}/series?columns=bid&count=1"), "\"from\":0"),
        (format!("/api/runs/{report}/series?columns=beauty"), "there is no `beauty`; there are baseline_mid, bid"),
        (format!("/api/runs/{stored}/episodes?columns=pnl"), "\"measures\":{\"pnl\":"),
        (format!("/api/runs/{report}/episodes?from=1&count=5"), "\"seed\":2"),
        (format!("/api/runs/{report}/episodes?count=999999"), "at most 10000 rows"),
        (format!("/api/runs/{report}/tables"), "{\"name\":\"trades\",\"bytes\":"),
        (
            format!("/api/runs/{report}/tables/trades?columns=seed,price&count=2"),
            "\"from\":0,\"rows\":[{\"seed\":1,\"price\":",
        ),
        (format!("/api/runs/{report}/tables/trades?columns=seed,price&count=2&format=csv"), "seed,price\n1,"),
        (format!("/api/runs/{report}/tables/trades?columns=time&count=1"), "\"from\":0,\"rows\":[{\"time\":\""),
        (format!("/api/runs/{report}/tables/trades?columns=time&count=1&format=csv"), "\ntime\n"),
        (format!("/api/runs/{report}/tables/trades?columns=beauty"), "there is no column `beauty`"),
        (format!("/api/runs/{report}/tables/trades?format=xml"), "use one of json, csv, arrow, parquet"),
        (format!("/api/runs/{report}/tables/beauty"), "\"status\":404"),
        (format!("/api/runs/{stored}/tables"), "{\"name\":\"trades\",\"bytes\":"),
        (format!("/api/runs/{stored}/tables/trades?columns=seed,price&count=2&format=csv"), "seed,price\n1,"),
        (format!("/api/runs/{stored}/tables/beauty"), "\"status\":404"),
        (format!("/runs/{stored}"), &format!("href=\"/api/runs/{stored}/tables/trades?format=csv\"")),
        (format!("/runs/{report}"), &format!("href=\"/api/runs/{report}/tables/orders?format=parquet\"")),
        (format!("/api/runs/{report}/report"), "\"schema\":{\"name\":\"assay.run\""),
        (format!("/api/runs/{stored}/report"), "\"summary\":{"),
        (format!("/api/runs/{report}/charts/pnl.csv"), "content-disposition: attachment; filename=\"pnl.csv\""),
        (format!("/api/runs/{stored}/charts/pnl.svg"), "<svg"),
        (format!("/api/runs/{report}/charts/beauty.csv"), "{\"error\":{\"status\":404"),
        ("/api/folders?what=report".to_owned(), "\"what\":\"report\",\"name\":\"report/one\""),
        (format!("/api/edit?report={report}"), "\"name\":\"queue_aware_maker.rs\""),
    ] {
        let answer = get(&link, &path);
        assert!(answer.contains(expected), "{path}: {expected}\n{answer}");
    }
    // The store and the folder tell the same of one run, as far as both know it.
    let value = |path: &str| -> serde_json::Value {
        let answer = get(&link, path);
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{path}: {error}\n{answer}"))
    };
    let (ours, theirs) = (value(&format!("/api/runs/{stored}")), value(&format!("/api/runs/{report}")));
    for name in ["kind", "status", "verdict", "subject", "subject_hash", "tool", "scenarios", "measures", "error"] {
        assert_eq!(ours[name], theirs[name], "{name}\n{theirs}");
    }
    assert!(theirs["id"] == *report && theirs["started_ms"].is_null() && theirs["created_ms"].is_i64(), "{theirs}");
    let measures =
        |id: &str| value(&format!("/api/runs/{id}/measures?samples=true&scenario=smoke"))["measures"].clone();
    assert!(measures(report).as_array().is_some_and(|rows| rows.len() > 10), "{}", measures(report));
    assert_eq!(measures(stored), measures(report));
    let whole = std::fs::read(folder.path().join("report/one/data/trades.parquet")).expect("a table");
    let sent = bytes(&link, &format!("/api/runs/{report}/tables/trades?format=parquet"));
    assert!(sent.ends_with(&whole), "{} bytes instead of {}", sent.len(), whole.len());
    let arrow = bytes(&link, &format!("/api/runs/{report}/tables/trades?format=arrow&count=1"));
    assert!(arrow.windows(4).any(|part| part == [0xff; 4]), "it is no stream of Arrow");
    child.kill().and_then(|()| child.wait()).expect("assay ends");
}

fn strategy_run(folder: &Path, strategy: &str, more: &[&str]) {
    let strategy = root().join("examples/strategies").join(strategy);
    let output = assay(folder).arg("run").arg(strategy).args(["--scenario", "smoke"]).args(more).output();
    let output = output.expect("assay starts");
    assert!(output.status.success(), "{}", show(&output));
}

/// Two strategies on two seeds, the second of them recorded later: until then the page says what records it.
#[test]
fn two_runs_part_at_an_order() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = |strategy: &str, more: &[&str]| strategy_run(folder.path(), strategy, more);
    run("queue_aware_maker.rs", &["--seeds", "2", "--data", "--out", "report/one"]);
    run("market_maker.rs", &["--seeds", "2", "--out", "report/two"]);
    let (mut child, link) = begin(folder.path());
    let list = get(&link, "/api/runs?kind=run");
    let ids: Vec<&str> = list.split("\"id\":\"").skip(1).filter_map(|part| part.split('"').next()).collect();
    assert_eq!(ids.len(), 2, "{list}");
    let path = format!("/compare?a={}&b={}&seed=2", ids[0], ids[1]);
    let before = get(&link, &path);
    for words in [
        "First different order",
        "differ in 2 of 2 seeds",
        "market_maker.rs --scenario smoke --seeds 2..=2 --data --out recorded",
    ] {
        assert!(before.contains(words), "{words}\n{before}");
    }
    assert!(
        !before.contains("queue_aware_maker.rs --scenario smoke --seeds"),
        "what is recorded needs no command\n{before}"
    );
    // A job makes the same episode again.
    let sent = post(&link, "/compare/record", &format!("run={}&seed=2", ids[0]));
    assert!(sent.starts_with("HTTP/1.1 303") && sent.contains("location: /jobs/"), "{sent}");
    // Folders are looked at once a second.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let after = loop {
        let page = get(&link, &path);
        if page.contains("The moment in A") {
            break page;
        }
        assert!(std::time::Instant::now() < deadline, "{page}");
        std::thread::sleep(std::time::Duration::from_millis(100));
    };
    for words in ["only A", "only B", "The moment in B", "the strategy", "← differs", "/tables/orders?from="] {
        assert!(after.contains(words), "{words}\n{after}");
    }
    // The same run beside itself does not part.
    let same = get(&link, &format!("/compare?a={}&b={}", ids[0], ids[0]));
    assert!(same.contains("every order, fill and quote is the same"), "{same}");

    // Charts of a window, and as files.
    let run = format!("/runs/{}", ids[0]);
    let values = get(&link, &format!("/api{run}/charts"));
    let number = |name: &str| -> u64 {
        let text = values.split(&format!("\"{name}\":")).nth(1).expect("a number");
        text.chars().take_while(char::is_ascii_digit).collect::<String>().parse().expect("a number")
    };
    let (from, to) = (number("from_ns"), number("to_ns"));
    let window = format!("?from={}&to={}", from + (to - from) / 4, from + (to - from) / 2);
    let rows = |answer: &str| answer.lines().count();
    let (whole, part) =
        (get(&link, &format!("{run}/charts/price.csv")), get(&link, &format!("{run}/charts/price.csv{window}")));
    assert!(whole.contains("\"until\",\"mid ($)\"") && whole.contains("attachment; filename=\"price.csv\""), "{whole}");
    assert!(rows(&part) < rows(&whole) / 2 && rows(&part) > 10, "{} of {}", rows(&part), rows(&whole));
    for (address, words) in [
        (format!("{run}/charts/price.svg{window}"), "<svg xmlns="),
        (format!("{run}{window}"), "This is a part of the session."),
        (format!("{run}/charts{window}"), "<section id=\"charts\" data-address="),
        (format!("{run}/charts/beauty.csv"), "HTTP/1.1 404"),
        (format!("{run}/charts/price.exe"), "HTTP/1.1 404"),
        (format!("{run}?from=5&to=1"), "equal intervals"),
        (format!("{run}?from=0&to=1"), "This is a part of the session."),
        (format!("{run}?from=18446744073709551614&to=18446744073709551615"), "This is a part of the session."),
    ] {
        let answer = get(&link, &address);
        assert!(answer.contains(words), "{address}: {words}\n{answer}");
    }
    child.kill().and_then(|()| child.wait()).expect("assay ends");
}

/// What is done to the tables of one run, with those of another at hand, and why they are passed over then.
type Swap = (&'static str, fn(&Path, &Path), Option<&'static str>);

const SWAPS: [Swap; 8] = [
    ("nothing", |_, _| {}, None),
    (
        "a table is changed",
        |one, _| {
            let file = one.join("orders.parquet");
            let mut bytes = std::fs::read(&file).expect("a table");
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            std::fs::write(file, bytes).expect("written");
        },
        Some("orders.parquet is not the file of which data.json speaks"),
    ),
    (
        "the tables are those of the other run",
        |one, two| copied(two, one, &["orders.parquet", "agents.parquet"]),
        Some("orders.parquet is not the file of which data.json speaks"),
    ),
    (
        "data.json is that of the other run",
        |one, two| copied(two, one, &["data.json"]),
        Some("data.json speaks of run"),
    ),
    (
        "data.json says nothing",
        |one, _| std::fs::write(one.join("data.json"), "{}").expect("written"),
        Some("data.json cannot be read: missing field"),
    ),
    (
        "data.json is gone",
        |one, _| std::fs::remove_file(one.join("data.json")).expect("removed"),
        Some("data.json cannot be read: no such file"),
    ),
    (
        "both are those of the other run",
        |one, two| copied(two, one, &["data.json", "orders.parquet", "agents.parquet"]),
        Some("data.json speaks of run"),
    ),
    (
        "both are those of the other run, under the name of this one",
        |one, two| {
            let (own, other) = (manifest(one), manifest(two));
            copied(two, one, &["orders.parquet", "agents.parquet"]);
            std::fs::write(one.join("data.json"), other.0.replace(&other.1, &own.1)).expect("written");
        },
        Some("the rows of orders.parquet are those of another run"),
    ),
];

fn copied(from: &Path, to: &Path, names: &[&str]) {
    for name in names {
        std::fs::copy(from.join(name), to.join(name)).expect("copied");
    }
}

/// The text of `data.json`, and the run of which it speaks.
fn manifest(data: &Path) -> (String, String) {
    let text = std::fs::read_to_string(data.join("data.json")).expect("a manifest");
    let value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let run = value["run"].as_str().expect("a name").to_owned();
    (text, run)
}

#[test]
fn tables_that_are_not_those_of_the_report_are_passed_over() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (strategy, out) in [("queue_aware_maker.rs", "report/one"), ("market_maker.rs", "report/two")] {
        strategy_run(folder.path(), strategy, &["--seeds", "2", "--data", "--out", out]);
    }
    let [one, two] = ["one", "two"].map(|name| folder.path().join("report").join(name).join("data"));
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("a file");
        (path, bytes)
    };
    let whole: Vec<_> = std::fs::read_dir(&one).expect("a folder").map(read).collect();
    let (mut child, link) = begin(folder.path());
    let list = get(&link, "/api/runs?kind=run");
    let ids: Vec<&str> = list.split("\"id\":\"").skip(1).filter_map(|part| part.split('"').next()).collect();
    assert_eq!(ids.len(), 2, "{list}");
    let path = format!("/compare?a={}&b={}&seed=2", ids[0], ids[1]);
    for (name, swap, expected) in SWAPS {
        swap(&one, &two);
        let (page, told) = (get(&link, &path), get(&link, &format!("/api{path}")));
        assert_eq!(page.contains("The moment in A"), expected.is_none(), "{name}\n{page}");
        assert_eq!(told.contains("\"told\":{\"found\":"), expected.is_none(), "{name}\n{told}");
        // The tables of the other run are right, and not spoken of.
        let passed_over = usize::from(expected.is_some());
        assert_eq!(page.matches("are passed over").count(), passed_over, "{name}\n{page}");
        assert_eq!(told.matches("\"why\":").count(), passed_over, "{name}\n{told}");
        let handed_out =
            |id: &&&str| get(&link, &format!("/api/runs/{id}/tables/orders?count=1")).starts_with("HTTP/1.1 200");
        assert_eq!(ids.iter().filter(handed_out).count(), 2 - passed_over, "{name}");
        if let Some(words) = expected {
            assert!(page.contains(words) && told.contains(words), "{name}: {words}\n{page}\n{told}");
            assert!(
                page.contains("report/one") && page.contains("queue_aware_maker.rs --scenario smoke --seeds 2..=2"),
                "{name}\n{page}"
            );
        }
        for (path, bytes) in &whole {
            std::fs::write(path, bytes).expect("written");
        }
    }
    child.kill().and_then(|()| child.wait()).expect("assay ends");
}

#[test]
fn a_run_over_several_markets_links_to_each() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    one_run(folder.path(), "smoke,calm");
    let (mut child, link) = begin(folder.path());
    let list = get(&link, "/runs");
    let row = list.split("<tr").find(|row| row.contains("report over several markets")).expect("a row of the folder");
    let page = row.split("href=\"").nth(1).and_then(|part| part.split('"').next()).expect("a link");
    let answer = get(&link, page);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    for market in ["smoke", "calm"] {
        assert!(answer.contains(&format!("<h2>{market}</h2>")), "{market}\n{answer}");
    }
    let links = answer.split("href=\"/runs/").skip(1).filter_map(|part| part.split('"').next());
    let pages: Vec<String> = links.map(|id| format!("/runs/{id}")).collect();
    assert_eq!(pages.len(), 2, "{answer}");
    for page in &pages {
        assert!(get(&link, page).contains("id=\"measures\""), "{page}");
    }
    let over_all = get(&link, &format!("/api{page}"));
    assert!(over_all.contains("each of its markets has a report of its own"), "{over_all}");
    for page in &pages {
        let one = get(&link, &format!("/api{page}/measures?measure=pnl"));
        assert!(one.contains("\"measure\":\"pnl\""), "{page}\n{one}");
    }
    let absent = get(&link, "/runs?page=7");
    assert!(absent.contains("There is no page 7: the list has 1 page."), "{absent}");
    child.kill().and_then(|()| child.wait()).expect("assay ends");
}

#[test]
fn what_cannot_be_served_is_refused_with_a_hint() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("token"), "short\n").expect("written");
    for (arguments, expected) in [
        (&["serve", "--listen", "0.0.0.0"][..], "--token-file"),
        (&["serve", "--runs", "absent"], "name a folder that exists"),
        (&["serve", "--token-file", "token"], "32 to 256"),
        (&["serve", "--export", "site", "--port", "1"], "cannot be used with"),
        (&["serve", "--host", "http://lab.example"], "without `http://`"),
        (&["serve", "--host", "a b"], "a host is a name"),
    ] {
        let output = assay(folder.path()).args(arguments).output().expect("assay starts");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}\n{}", show(&output));
        assert!(String::from_utf8_lossy(&output.stderr).contains(expected), "{arguments:?}\n{}", show(&output));
    }
}
