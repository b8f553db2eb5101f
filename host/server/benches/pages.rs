//! How fast pages are, seen from a browser: the first rows of a long trajectory, a filtered list of very many runs, what streams cost, and how late a page
//! tells of an event.
//!
//! The server is a process of its own, this program started once more, so that its processor time is not that of whoever asks. One JSON line is printed a
//! figure; without a Chromium, only the streams are measured. Parts can be named: `cargo bench --bench pages -- trajectory runs`.

#[path = "../tests/pages/chromium.rs"]
#[expect(dead_code, reason = "tests do more in a tab")]
mod chromium;

use assay_server::{ArtifactPlace, Location, Settings, Sources, Stop};
use assay_store::{Access, Better, Kind, Kpi, Limits, Run, RunEntry, RunId, Scenario, Spread, Status, Store, Time};
use chromium::{Tab, find};
use serde_json::{Value, json};
use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Events of the long trajectory.
const EVENTS: usize = 300_000;
/// Runs of the store.
const RUNS: u32 = 1_000_000;
/// Conditions each of which holds for very many runs, and that never hold together.
const NEVER_TOGETHER: [&str; 2] = ["?status=cancelled&scenario=market-3", "?strategy=maker&scenario=market-3"];
/// Written in one transaction.
const BATCH: u32 = 5_000;
/// Visits of a page; the median is quoted.
const VISITS: usize = 9;
/// Streams, the trajectories that they follow, and the events of each in a second.
const STREAMS: usize = 100;
const FOLLOWED: usize = 10;
const EVENTS_A_SECOND: u32 = 10;
/// How long streams are measured.
const STREAMED: Duration = Duration::from_secs(20);
/// Events whose way to the page is measured.
const LAGS: usize = 200;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let measured = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["serve", folder] => serve(Path::new(folder)),
        words => parts(words).and_then(|parts| measure(&parts)),
    };
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            note(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// What can be measured alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Streams,
    Lag,
    Trajectory,
    Runs,
}

const PARTS: [(&str, Part); 4] =
    [("streams", Part::Streams), ("lag", Part::Lag), ("trajectory", Part::Trajectory), ("runs", Part::Runs)];

/// The parts that are named; all where none is. What cargo adds begins with a hyphen.
fn parts(words: &[&str]) -> Outcome<Vec<Part>> {
    let part = |word: &&str| PARTS.iter().find(|(name, _)| name == word).map(|(_, part)| *part);
    let named: Option<Vec<Part>> = words.iter().filter(|word| !word.starts_with('-')).map(part).collect();
    let named = named.ok_or_else(|| format!("the parts are {}", PARTS.map(|(name, _)| name).join(", ")))?;
    Ok(if named.is_empty() { PARTS.map(|(_, part)| part).to_vec() } else { named })
}

#[expect(clippy::print_stdout, reason = "the result of a bench")]
fn print(line: &str) {
    println!("{line}");
}

#[expect(clippy::print_stderr, reason = "a program for people")]
fn note(text: &str) {
    eprintln!("{text}");
}

/// The server alone, until its standard input ends.
fn serve(folder: &Path) -> Outcome<()> {
    let sources = Sources {
        store: Location::of_project(folder),
        artifacts: ArtifactPlace::Folder(folder.join("artifacts")),
        folders: vec![folder.join("results")],
        boards: None,
        cache: folder.join("cache"),
    };
    let stop = Stop::default();
    let asked = stop.clone();
    std::thread::spawn(move || {
        let mut rest = Vec::new();
        let _ = std::io::stdin().read_to_end(&mut rest);
        asked.stop();
    });
    assay_server::serve(Settings { port: 0, ..Settings::local(sources) }, &stop, print)?;
    Ok(())
}

/// A server in a process of its own.
struct Server {
    child: Child,
    host: String,
    token: String,
}

impl Server {
    fn start(folder: &Path) -> Outcome<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve")
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut link = String::new();
        BufReader::new(child.stdout.take().ok_or("stdout is piped")?).read_line(&mut link)?;
        let rest = link.trim().strip_prefix("http://").ok_or("a link")?;
        let (host, token) = rest.split_once("/?token=").ok_or("a token")?;
        Ok(Self { child, host: host.to_owned(), token: token.to_owned() })
    }

    fn ask(&self, path: &str) -> Outcome<TcpStream> {
        let mut stream = TcpStream::connect(&self.host)?;
        let (host, token) = (&self.host, &self.token);
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        )?;
        Ok(stream)
    }

    fn get(&self, path: &str) -> Outcome<String> {
        let mut answer = String::new();
        self.ask(path)?.read_to_string(&mut answer)?;
        Ok(answer)
    }

    /// The first link of a page that begins so.
    fn link(&self, page: &str, start: &str) -> Outcome<String> {
        let answer = self.get(page)?;
        let mut links = answer.split("href=\"").skip(1).filter_map(|part| part.split('"').next());
        Ok(links.find(|link| link.starts_with(start) && *link != start).ok_or("no such link")?.to_owned())
    }

    fn trajectory(&self, name: &str) -> Outcome<String> {
        let folder = self.link("/rollouts", "/rollouts/")?;
        let answer = self.get(&folder)?;
        let mut links = answer.split("href=\"").skip(1).filter_map(|part| part.split('"').next());
        Ok(links.find(|link| link.ends_with(name)).ok_or("no such trajectory")?.to_owned())
    }

    /// Processor time that it has taken.
    fn processor(&self) -> Outcome<Duration> {
        let text = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields: Vec<&str> = text.rsplit_once(')').ok_or("a name")?.1.split_whitespace().collect();
        let ticks = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
        // Linux counts them in hundredths of a second on every machine that we build for.
        Ok(Duration::from_millis(10 * ticks))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn event(text: &str) -> String {
    let hash = "0".repeat(64);
    format!(
        "{{\"_type\":\"event\",\"at_ns\":1,\"kind\":\"note\",\"body\":{{\"name\":\"{text}\"}},\"_hash\":\"{hash}\"}}\n"
    )
}

fn write_trajectory(path: &Path, events: usize) -> Outcome<()> {
    fs::create_dir_all(path.parent().ok_or("a folder")?)?;
    let mut out = BufWriter::new(File::create(path)?);
    let hash = "0".repeat(64);
    writeln!(
        out,
        "{{\"_type\":\"metadata\",\"format\":\"assay-trajectory\",\"version\":\"1.0\",\"id\":\"x\",\"scenario\":\"bench\",\"_hash\":\"{hash}\"}}"
    )?;
    for number in 0..events {
        out.write_all(
            event(&format!("event {number} of a long trajectory, with as many words as one has")).as_bytes(),
        )?;
    }
    Ok(out.flush()?)
}

fn measure(parts: &[Part]) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let results = folder.path().join("results");
    write_trajectory(&results.join("long.jsonl"), EVENTS)?;
    write_trajectory(&results.join("live.jsonl"), 1_000)?;
    for number in 0..FOLLOWED {
        write_trajectory(&results.join(format!("followed-{number}.jsonl")), 1_000)?;
    }
    let server = Server::start(folder.path())?;
    if parts.contains(&Part::Streams) {
        streams(&server, &results)?;
    }
    if *parts == [Part::Streams] {
        return Ok(());
    }
    let Some(chromium) = find() else {
        return Ok(());
    };
    let mut tab = Tab::open(&chromium);
    tab.visit(&format!("http://{}/?token={}", server.host, server.token));
    if parts.contains(&Part::Lag) {
        lag(&server, &mut tab, &results.join("live.jsonl"))?;
    }
    if parts.contains(&Part::Trajectory) {
        trajectory(&server, &mut tab)?;
    }
    if parts.contains(&Part::Runs) {
        fill(folder.path())?;
        runs(&server, &mut tab)?;
    }
    Ok(())
}

fn figure(id: &str, value: f64, unit: &str, bar: f64, versus: &str, extra: &Value) {
    let mut line =
        json!({"id": id, "median": value, "unit": unit, "versus": versus, "versus_median": bar, "ratio": value / bar});
    if let (Some(line), Some(extra)) = (line.as_object_mut(), extra.as_object()) {
        line.extend(extra.clone());
    }
    print(&line.to_string());
}

/// Milliseconds from the beginning of a navigation to the first picture of its page.
fn visit(tab: &mut Tab, address: &str) -> f64 {
    tab.visit(address);
    let painted = tab.value(
        "new Promise((found) => new PerformanceObserver((list) => { const entry = list.getEntriesByName('first-contentful-paint')[0]; \
         if (entry) found(entry.startTime); }).observe({type: 'paint', buffered: true}))",
    );
    painted.as_f64().unwrap_or(f64::NAN)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The first rows of the long trajectory.
fn trajectory(server: &Server, tab: &mut Tab) -> Outcome<()> {
    let path = server.trajectory(".long")?;
    let address = format!("http://{}{path}", server.host);
    let without = visit(tab, &address);
    let shown = tab.value("document.querySelectorAll('#rows > li').length");
    if shown != 1_000 {
        return Err(format!("{shown} rows are shown").into());
    }
    let visits = (0..VISITS).map(|_| visit(tab, &address)).collect();
    let extra = json!({"without_index_ms": without});
    figure("page-trajectory-ms", median(visits), "ms", 300.0, "the bar, with 300,000 events", &extra);
    Ok(())
}

/// The slowest of some filters of the list of runs.
fn runs(server: &Server, tab: &mut Tab) -> Outcome<()> {
    let (mut slowest, mut which) = (0.0_f64, "");
    for query in [
        "",
        "?status=failed",
        "?scenario=market-3",
        "?strategy=strategy-7",
        "?strategy=maker",
        "?status=failed&scenario=market-5",
        "?kind=run&status=failed",
        "?kind=gate&page=200",
        NEVER_TOGETHER[0],
        NEVER_TOGETHER[1],
    ] {
        let address = format!("http://{}/runs{query}", server.host);
        let visits: Vec<f64> = (0..VISITS).map(|_| visit(tab, &address)).collect();
        let rows = tab.value("document.querySelectorAll('[data-row]').length").as_u64().unwrap_or(0);
        let is_right = if NEVER_TOGETHER.contains(&query) { rows == 0 } else { rows >= 50 };
        if !is_right {
            return Err(format!("{query}: {rows} rows are shown").into());
        }
        let middle = median(visits);
        note(&format!("/runs{query}: {middle:.0} ms"));
        if middle > slowest {
            (slowest, which) = (middle, query);
        }
    }
    let extra = json!({"slowest_filter": which});
    figure("page-runs-ms", slowest, "ms", 100.0, "the bar, with 1,000,000 runs", &extra);
    Ok(())
}

/// What it costs that many streams tell of many events.
fn streams(server: &Server, results: &Path) -> Outcome<()> {
    let heard = Arc::new(AtomicUsize::new(0));
    for number in 0..STREAMS {
        let topic = server.trajectory(&format!(".followed-{}", number % FOLLOWED))?.replace("/t/", "t-");
        let stream = BufReader::new(server.ask(&format!("/live?topic={topic}&after=1001"))?);
        let heard = Arc::clone(&heard);
        std::thread::spawn(move || {
            for line in stream.lines().map_while(Result::ok) {
                if line.starts_with("event: change") {
                    heard.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
    }
    let mut files = Vec::new();
    for number in 0..FOLLOWED {
        files.push(OpenOptions::new().append(true).open(results.join(format!("followed-{number}.jsonl")))?);
    }
    let (began, before) = (Instant::now(), server.processor()?);
    let mut written = 0_u32;
    while began.elapsed() < STREAMED {
        let due = began + Duration::from_secs(1) * written / EVENTS_A_SECOND;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        for file in &mut files {
            file.write_all(event("a step").as_bytes())?;
        }
        written += 1;
    }
    let used = server.processor()?.saturating_sub(before).as_secs_f64() / began.elapsed().as_secs_f64();
    let told = heard.load(Ordering::Relaxed) as f64 / STREAMS as f64 / began.elapsed().as_secs_f64();
    let extra = json!({"events_told_a_second_and_stream": told});
    figure(
        "page-streams-cpu-percent",
        100.0 * used,
        "percent of a core",
        5.0,
        "the bar, with 100 streams and 10 events a second each",
        &extra,
    );
    Ok(())
}

fn now_ms() -> Outcome<u128> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis())
}

/// How long an event on the disk takes until it is a row of an open page.
fn lag(server: &Server, tab: &mut Tab, file: &Path) -> Outcome<()> {
    let path = server.trajectory(".live")?;
    tab.visit(&format!("http://{}{path}?from=1000", server.host));
    tab.value(
        "window.lags = []; new MutationObserver((changes) => { for (const change of changes) for (const row of change.addedNodes) { \
         const sent = row.textContent && row.textContent.match(/sent at (\\d+) ms/); if (sent) window.lags.push(Date.now() - Number(sent[1])); } }) \
         .observe(document.getElementById('rows'), {childList: true}); true",
    );
    tab.until("document.getElementById('live').textContent.startsWith('live')");
    let mut out = OpenOptions::new().append(true).open(file)?;
    for number in 0..LAGS {
        out.write_all(event(&format!("sent at {} ms", now_ms()?)).as_bytes())?;
        // Not in step with anything.
        std::thread::sleep(Duration::from_millis(150 + (number as u64 * 37) % 91));
    }
    tab.until(&format!("window.lags.length >= {LAGS}"));
    let lags = tab.value("window.lags");
    let mut lags: Vec<f64> = lags.as_array().ok_or("a list")?.iter().filter_map(Value::as_f64).collect();
    lags.sort_by(f64::total_cmp);
    let p99 = lags[(lags.len() * 99).div_ceil(100) - 1];
    figure(
        "page-live-lag-ms",
        p99,
        "ms, 99th percentile",
        250.0,
        "the bar",
        &json!({"middle_ms": lags[lags.len() / 2]}),
    );
    Ok(())
}

fn fill(folder: &Path) -> Outcome<()> {
    let began = Instant::now();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        let artifacts = ArtifactPlace::Folder(folder.join("artifacts"));
        let store = Store::open(&Location::of_project(folder), &artifacts, Access::Write, Limits::STANDARD).await?;
        for first in (0..RUNS).step_by(BATCH as usize) {
            let batch: Vec<RunEntry> = (first..first + BATCH).map(entry).collect();
            store.put_all(&batch).await?;
        }
        store.close().await;
        Ok::<_, Box<dyn Error>>(())
    })?;
    note(&format!("{RUNS} runs written in {:.0} s", began.elapsed().as_secs_f64()));
    Ok(())
}

/// A run a second, most of them completed.
fn entry(index: u32) -> RunEntry {
    let created = Time(i64::from(index) * 1_000);
    let status = match index % 20 {
        0 => Status::Cancelled,
        1 | 2 => Status::Failed,
        _ => Status::Completed,
    };
    let scenario = Scenario {
        hash: format!("{:064x}", index % 12),
        name: format!("market-{}", index % 12),
        summary: "a market".to_owned(),
        source: "seconds = 1".to_owned(),
    };
    let kpi = Kpi {
        scenario: scenario.hash.clone(),
        measure: "pnl".to_owned(),
        unit: "cents".to_owned(),
        better: Better::Higher,
        spread: Spread { n: 20, mean: f64::from(index), interval: Some((0.0, 1.0)) },
        samples: vec![(1, f64::from(index))],
    };
    let mut entry = RunEntry::of(Run {
        id: RunId::now(),
        kind: if index.is_multiple_of(3) { Kind::Gate } else { Kind::Run },
        status,
        // Every second one is the same strategy.
        subject: if index.is_multiple_of(2) { "maker.rs".to_owned() } else { format!("strategy-{}.rs", index % 400) },
        subject_hash: Some(format!("{index:064x}")),
        command: "assay run strategy.rs --scenario market --seeds 20".to_owned(),
        tool: "0.1.0".to_owned(),
        verdict: Some("finished".to_owned()),
        trouble: None,
        owner: None,
        created,
        started: Some(created),
        finished: Some(created),
    });
    entry.scenarios = vec![scenario];
    entry.kpis = vec![kpi];
    entry
}
