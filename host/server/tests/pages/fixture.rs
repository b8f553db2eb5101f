//! A server on a port of its own, a client that speaks HTTP by hand, and folders of results with hostile text in every field.

use assay_gate::verdict::SCHEMA_VERSION;
use assay_refine::core::event::Body;
use assay_refine::journal::Journal;
use assay_rollout::run::RunRecord;
use assay_server::{ArtifactPlace, Location, Settings, Sources, Stop};
use assay_trace::Durable;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;

/// Far beyond what anything here takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a page must not do with a text from outside.
pub(crate) fn evil() -> String {
    "\"><script>alert(1)</script><img src=x onerror=alert(2)><a href=\"https://evil.example/\">x</a> javascript:alert(3) \u{202e}gnp \u{1b}[31m </pre>\u{0}"
        .to_owned()
}

/// A page of hostile text is well formed, loads nothing from elsewhere and runs nothing.
pub(crate) fn check_is_inert(path: &str, page: &Answer) {
    let body = &page.body;
    for raw in [
        "<script>",
        "<img",
        "\u{202e}",
        "\u{1b}",
        "\u{0}",
        "</pre>\u{0}",
        "href=\"https",
        "href=\"http",
        "href=\"javascript",
    ] {
        assert!(!body.contains(raw), "{path} contains {raw:?}\n{body}");
    }
    assert_eq!(body.matches("<script").count(), 1, "{path}: only our own script");
    for name in ["href", "src", "action"] {
        for part in body.split(&format!(" {name}=\"")).skip(1) {
            let target = part.split('"').next().unwrap_or_default();
            let is_ours =
                (target.starts_with('/') && !target.starts_with("//")) || target.starts_with('#') || target == "data:,";
            assert!(is_ours, "{path}: {name} leads to {target}");
        }
    }
}

pub(crate) fn sources(folders: &[&Path], cache: &Path) -> Sources {
    Sources {
        store: Location::Sqlite(cache.join("nothing/store.db")),
        artifacts: ArtifactPlace::Folder(cache.join("nothing/artifacts")),
        folders: folders.iter().map(|path| path.to_path_buf()).collect(),
        boards: None,
        cache: cache.to_owned(),
    }
}

/// What a server that does not begin says.
pub(crate) fn refused(change: &mut dyn FnMut(&mut Settings)) -> String {
    let cache = tempfile::tempdir().expect("a folder");
    let mut settings = Settings::local(sources(&[], &cache.path().join("cache")));
    change(&mut settings);
    assay_server::serve(settings, &Stop::default(), |link| panic!("it serves {link}")).expect_err("refused").to_string()
}

/// A server that ends with the test.
pub(crate) struct Server {
    port: u16,
    token: String,
    cookie: String,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
    _cache: TempDir,
}

impl Server {
    pub(crate) fn start(folders: &[&Path]) -> Self {
        Self::start_with(folders, |_| {})
    }

    pub(crate) fn start_with(folders: &[&Path], change: impl FnOnce(&mut Settings)) -> Self {
        let cache = tempfile::tempdir().expect("a folder");
        let mut settings = Settings::local(sources(folders, &cache.path().join("cache")));
        settings.port = 0;
        change(&mut settings);
        let (stop, (sender, receiver)) = (Stop::default(), mpsc::channel());
        let asked = stop.clone();
        let thread = std::thread::spawn(move || {
            assay_server::serve(settings, &asked, |link| sender.send(link.to_owned()).expect("heard")).expect("served");
        });
        let link = receiver.recv_timeout(PATIENCE).expect("a link");
        let rest = link.strip_prefix("http://127.0.0.1:").expect("this machine's own address");
        let (port, token) = rest.split_once("/?token=").expect("a token");
        let (port, token) = (port.parse().expect("a port"), token.to_owned());
        let mut server = Self { port, token, cookie: String::new(), stop, thread: Some(thread), _cache: cache };
        let host = format!("Host: localhost:{port}");
        let answer = server.ask(&format!("GET /?token={}", server.token), &[&host]);
        let cookie = answer.header("set-cookie").expect("a cookie");
        server.cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        server
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    pub(crate) fn cookie(&self) -> &str {
        &self.cookie
    }

    fn connect(&self) -> std::io::Result<TcpStream> {
        let stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(stream)
    }

    fn send(&self, request: &str, headers: &[&str], body: &str) -> std::io::Result<TcpStream> {
        let mut stream = self.connect()?;
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        // A server that has already said no may have closed.
        let _ = stream.write_all(format!("{request} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n{body}").as_bytes());
        Ok(stream)
    }

    /// Sends exactly these headers, and reads to the end.
    pub(crate) fn ask(&self, request: &str, headers: &[&str]) -> Answer {
        self.ask_with(request, headers, "")
    }

    /// The same, with a body.
    pub(crate) fn ask_with(&self, request: &str, headers: &[&str], body: &str) -> Answer {
        self.send(request, headers, body).and_then(Answer::read).expect("an answer")
    }

    /// Asks as a browser does that was let in.
    pub(crate) fn try_get(&self, path: &str) -> Option<Answer> {
        let (host, cookie) = self.own();
        self.send(&format!("GET {path}"), &[&host, &cookie], "").and_then(Answer::read).ok()
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.try_get(path).expect("an answer")
    }

    pub(crate) fn post(&self, path: &str, form: &str, headers: &[&str]) -> Answer {
        let (host, cookie) = self.own();
        let length = format!("Content-Length: {}", form.len());
        let headers = [&[host.as_str(), &cookie, &length], headers].concat();
        self.send(&format!("POST {path}"), &headers, form).and_then(Answer::read).expect("an answer")
    }

    fn own(&self) -> (String, String) {
        (format!("Host: localhost:{}", self.port), format!("Cookie: {}", self.cookie))
    }

    /// The first link of a page that begins so.
    pub(crate) fn link(&self, page: &str, start: &str) -> String {
        let answer = self.get(page);
        let found = answer.links().into_iter().find(|link| link.starts_with(start));
        found.unwrap_or_else(|| panic!("{page} has no link to {start}\n{}", answer.body))
    }

    /// All pages that can be reached, by path.
    pub(crate) fn crawl(&self) -> BTreeMap<String, Answer> {
        let (mut pages, mut left) = (BTreeMap::new(), vec!["/".to_owned()]);
        while let Some(path) = left.pop() {
            let path = path.split('#').next().unwrap_or_default().to_owned();
            if path.is_empty() || path == "/style.css" || pages.contains_key(&path) || pages.len() == 300 {
                continue;
            }
            let answer = self.get(&path);
            left.extend(answer.links().into_iter().filter(|link| link.starts_with('/')));
            pages.insert(path, answer);
        }
        pages
    }

    pub(crate) fn stream(&self, path: &str, headers: &[&str]) -> Stream {
        let (host, cookie) = self.own();
        let headers = [&[host.as_str(), &cookie], headers].concat();
        Stream(BufReader::new(self.send(&format!("GET {path}"), &headers, "").expect("a connection")))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A stream of events.
pub(crate) struct Stream(BufReader<TcpStream>);

impl Stream {
    /// The next event and its number.
    pub(crate) fn event(&mut self) -> (String, u64) {
        let (mut kind, mut number) = (None, None);
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).expect("an event") > 0, "the stream has ended");
            if let Some(name) = line.strip_prefix("event: ") {
                kind = Some(name.trim().to_owned());
            }
            if let Some(id) = line.strip_prefix("id: ") {
                number = id.trim().parse().ok();
            }
            if let (Some(kind), Some(number), true) = (&kind, number, line.trim().is_empty()) {
                return (kind.clone(), number);
            }
        }
    }
}

/// What a server has answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    fn read(mut stream: TcpStream) -> std::io::Result<Self> {
        let mut bytes = Vec::new();
        let read = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            read?;
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        };
        let status = head.get(9..12).and_then(|status| status.parse().ok()).expect("a status");
        Ok(Self { status, head: head.to_owned(), body: body.to_owned() })
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn between(&self, start: &str, end: &str) -> Option<&str> {
        self.body.split_once(start)?.1.split_once(end).map(|(found, _)| found)
    }

    fn links(&self) -> Vec<String> {
        let links = self.body.split("href=\"").skip(1).filter_map(|part| part.split('"').next());
        links.map(|link| link.replace("&amp;", "&")).collect()
    }
}

/// A file that is none.
#[derive(Default)]
pub(crate) struct Memory(pub(crate) Vec<u8>);

impl std::io::Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Durable for Memory {
    fn sync(&mut self) -> std::io::Result<()> {
        Ok(())
    }

    fn truncate(&mut self, bytes: u64) -> std::io::Result<()> {
        self.0.truncate(usize::try_from(bytes).unwrap_or(usize::MAX));
        Ok(())
    }
}

/// A line as trajectories have them: 0 begins one, 1 is a message, 2 an event, 3 a score.
pub(crate) fn trajectory_line(kind: usize, text: &str) -> String {
    let hash = "0".repeat(64);
    let line = match kind {
        0 => {
            json!({"_type": "metadata", "format": "assay-trajectory", "version": "1.0", "id": "x", "scenario": text, "model": text, "tools": [{"function": {"description": text}}], "_hash": hash})
        }
        1 => {
            json!({"_type": "message", "id": text, "role": "assistant", "parts": [{"type": "text", "text": text}], "tool_calls": [{"id": text, "tool": text, "arguments_raw": text}], "_hash": hash})
        }
        2 => {
            json!({"_type": "event", "at_ns": 1, "kind": text, "body": {"error": text, text: [text, {"x": text}]}, "_hash": hash})
        }
        _ => {
            json!({"_type": "score", "at_ns": 1, "scorer": text, "outcome": text, "reason": text, "score": {"name": text}, "_hash": hash})
        }
    };
    line.to_string()
}

pub(crate) fn write_trajectory(path: &Path, lines: &[String]) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    // In place, as whoever appends does: it stays the same file.
    fs::write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).expect("written");
}

/// A rollout of some tasks, one of them with a hostile name.
pub(crate) fn rollout_folder(path: &Path, tasks: usize) {
    fs::create_dir_all(path.join("episodes")).expect("made");
    let mut names: BTreeMap<String, String> = (0..tasks).map(|task| (format!("task-{task}"), "0".to_owned())).collect();
    names.insert(evil(), "0".to_owned());
    let settings = BTreeMap::from([("model".to_owned(), json!(evil())), ("samples".to_owned(), json!(2))]);
    let record = RunRecord::new(settings, names).begun_with("/".into(), evil());
    fs::write(path.join("run.json"), serde_json::to_vec(&record).expect("JSON")).expect("written");
    let mut journal = String::new();
    for task in 0..tasks {
        let id = format!("task-{task}.s1");
        let result =
            if task == 0 { json!({"scored": {"reward": 1.0, "outcome": "success"}}) } else { json!("unscored") };
        let line = json!({
            "id": id, "task": format!("task-{task}"), "sample": 1, "attempt": 1, "seed": 7, "result": result, "reason": evil(), "steps": 1,
            "tokens": 10, "cost_microdollars": null, "flags": [evil()], "duration_ns": 5, "hash": null,
        });
        journal.push_str(&format!("{line}\n"));
        write_trajectory(
            &path.join(format!("episodes/{id}.jsonl")),
            &[trajectory_line(0, &evil()), trajectory_line(1, "hello")],
        );
    }
    // Under way.
    write_trajectory(&path.join("episodes/task-1.s2.jsonl"), &[trajectory_line(0, "x")]);
    fs::write(path.join("results.jsonl"), journal).expect("written");
}

/// A batch with two verdicts, and a third whose name leads elsewhere.
pub(crate) fn batch_folder(path: &Path, text: &str) {
    fs::create_dir_all(path).expect("made");
    let place = json!({"file": text});
    let verdict = json!({
        "schema": {"name": "assay.verdict", "version": SCHEMA_VERSION}, "decision": "fail", "summary": text,
        "submission": {"name": text, "kind": "rust_file", "hash": text, "component_hash": null, "sdk_version": null, "sdk_hash": null, "rustc_version": null},
        "policy": {"name": text, "hash": text}, "tool": {"assay": text, "wasmtime": text},
        "checks": [{"rule": text, "policy_line": 1, "scenario": text, "measure": null, "asks": text, "saw": text, "decision": "fail", "hint": text}],
        "findings": [{"code": text, "level": "error", "place": place, "message": text, "observed": text, "limit": text, "hint": text, "sign_off": {"by": text, "reason": text}}],
        "findings_omitted": 0,
        "trials": [{"scenario": text, "scenario_hash": text, "seeds": {"kind": "hidden", "count": 20, "commitment": text}, "record_hash": text}],
    });
    let line = |id: &str| json!({"id": id, "name": text, "hash": null, "decision": text, "summary": text});
    let summary = json!({"schema": {"name": "assay.verdicts", "version": "1.0"}, "verdicts": [line("one"), line("two.rs~9047"), line("../../x")]});
    for name in ["one", "two.rs~9047"] {
        fs::write(path.join(format!("{name}.json")), verdict.to_string()).expect("written");
    }
    fs::write(path.join("summary.json"), summary.to_string()).expect("written");
}

/// A session with its origin, a champion that has won a trial, and sealed seeds.
pub(crate) fn session_folder(path: &Path, text: &str) {
    let plan = json!({
        "rules_version": 1, "assay": text, "seed": 1, "goal": text, "markets": [{"name": text, "hash": text}], "strategy": text,
        "source_hash": blake3::hash(text.as_bytes()).to_hex().as_str(),
        "writer": {"kind": "model", "model": text, "goal": text, "prompts_hash": text}, "search": "evolve",
        "rules": serde_json::to_value(assay_refine::core::plan::Rules::default()).expect("JSON"),
        "budget": {"microdollars": null, "tokens": null, "minutes": null},
    });
    let plan = Box::new(serde_json::from_value(plan).expect("a plan"));
    let mut journal = Journal::begin(path, Body::Began { plan }, text, 1).expect("begun");
    let program = json!({"source": journal.keep_program(text).expect("kept")});
    let pairs: Vec<(f64, f64)> = (0..12).map(|block| (f64::from(block), 1.5)).collect();
    let won: Vec<(f64, f64)> = (0..60).map(|block| (3.0 + f64::from(block % 3), 1.5)).collect();
    for event in [
        json!({"what": "written", "candidate": "0.0", "program": program, "idea": text}),
        json!({"what": "planned", "markets": [{"name": text, "base": text, "changes": [[text, 2.0]], "why": text}], "refused": [{"name": text, "why": text}]}),
        json!({"what": "closed", "generation": 0}),
        json!({"what": "written", "candidate": "1.0", "parent": "0.0", "program": program, "idea": text}),
        json!({"what": "unwritten", "candidate": "1.1", "why": text}),
        json!({"what": "compared", "trial": 1, "candidate": "1.0", "from_block": 0, "pairs": won}),
        json!({"what": "pooled", "trial": 1, "candidate": "1.0", "found": {"seeds": 1024, "challenger": 4.0, "champion": 1.5, "at_least": 1.9}}),
        json!({"what": "decided", "trial": 1, "candidate": "1.0", "promoted": true, "e_value": 90.0, "needed": 33.0, "blocks": 60}),
        json!({"what": "judged", "trial": 1, "candidate": "1.0", "agreed": false, "verdict": {"score": 3.5, "comparison": "worse", "recommendation": "keep", "reasoning": text}}),
        json!({"what": "written", "candidate": "1.2", "parent": "0.0", "program": program, "idea": text}),
        json!({"what": "compared", "trial": 2, "candidate": "1.2", "from_block": 0, "pairs": pairs, "veto": text}),
        json!({"what": "decided", "trial": 2, "candidate": "1.2", "promoted": false, "e_value": 1.0, "needed": 132.0, "blocks": 12}),
        json!({"what": "closed", "generation": 1}),
        json!({"what": "unsealed", "pairs": pairs, "pooled": {"seeds": 384, "challenger": 4.0, "champion": 1.5, "at_least": 1.9}}),
    ] {
        journal.note(1, serde_json::from_value(event).expect("an event")).expect("noted");
    }
    journal.note(2, Body::Hinted { text: text.to_owned() }).expect("noted");
}

/// A process that runs it, as far as others can see.
pub(crate) fn run_session(path: &Path) -> Journal {
    Journal::open(path, 1).expect("it is free")
}
