//! The walk of docs/pages.md in a real Chromium with the real program: a strategy is written, corrected, run and compared; a refinement is started, survives
//! the end of its server, and is forked. With `ASSAY_PICTURES` set to a folder, it takes the pictures of the documentation on its way.
//!
//! Nothing waits for a fixed time: pages say when they have changed.

#[path = "../../host/server/tests/pages/chromium.rs"]
mod chromium;

use assay_tests::{assay, root};
use chromium::{Tab, find};
use serde_json::json;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A server of the program under test.
struct Server {
    child: Child,
    host: String,
    link: String,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut child = assay(folder)
            .args(["serve", "--port", "0", "--runs", "report", "--sources"])
            .arg(root().join("examples/refine"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("assay starts");
        let mut link = String::new();
        BufReader::new(child.stdout.take().expect("stdout is piped")).read_line(&mut link).expect("a link");
        let link = link.trim().to_owned();
        let (host, _) = link.split_once("/?").expect("a link");
        Self { child, host: host.to_owned(), link }
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.host)
    }

    fn get(&self, path: &str) -> String {
        let (host, token) = self.link.trim_start_matches("http://").split_once("/?token=").expect("a link");
        let mut stream = TcpStream::connect(host).expect("it listens");
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    /// As a power cut does.
    fn kill(mut self) {
        self.child.kill().and_then(|()| self.child.wait()).expect("assay ends");
    }

    fn stop(mut self) {
        let status = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().expect("kill starts");
        assert!(status.success());
        assert_eq!(self.child.wait().expect("assay ends").code(), Some(0));
    }
}

/// Takes a picture for the documentation, if they are wanted.
fn picture(tab: &mut Tab, name: &str, height: u64) {
    if let Some(folder) = std::env::var_os("ASSAY_PICTURES") {
        let clip = json!({"x": 0, "y": 0, "width": 1_200, "height": height, "scale": 1});
        let taken =
            tab.ask("Page.captureScreenshot", json!({"format": "png", "clip": clip, "captureBeyondViewport": true}));
        let picture = base64(taken["data"].as_str().expect("a picture"));
        std::fs::write(Path::new(&folder).join(format!("{name}.png")), picture).expect("written");
    }
}

/// What base64 says.
fn base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let bytes: Vec<u8> = text.bytes().filter(|byte| *byte != b'=').map(value).collect();
    let groups = bytes.chunks(4).flat_map(|group| {
        let bits = group.iter().fold(0_u32, |bits, value| bits << 6 | u32::from(*value)) << (6 * (4 - group.len()));
        bits.to_be_bytes()[1..group.len()].to_vec()
    });
    groups.collect()
}

/// Puts something into a field, as if it were typed.
fn fill(tab: &mut Tab, field: &str, text: &str) {
    tab.value(&format!("{{ const field = document.querySelector({field:?}); field.focus(); field.select(); }} true"));
    tab.ask("Input.insertText", json!({"text": text}));
}

/// Chooses from a list by the words of an entry.
fn choose(tab: &mut Tab, list: &str, words: &str) {
    let chosen = tab.value(&format!(
        "{{ const list = document.querySelector({list:?}); const entry = [...list.options].find((entry) => entry.text.includes({words:?})); \
         if (entry) list.value = entry.value; !!entry }}"
    ));
    assert!(chosen == true, "{list} has no {words}");
}

/// Presses a button by its words.
fn press(tab: &mut Tab, words: &str) {
    let found = tab
        .value(&format!("[...document.querySelectorAll('button')].some((button) => button.innerText === {words:?})"));
    assert!(found == true, "there is no button {words}: {}", tab.value("document.body.innerText"));
    tab.follow(&format!(
        "[...document.querySelectorAll('button')].find((button) => button.innerText === {words:?}).click()"
    ));
}

fn has(words: &str) -> String {
    format!("document.body.innerText.includes({words:?})")
}

#[test]
fn a_strategy_is_written_corrected_run_and_compared_and_a_refinement_survives_its_server() {
    let Some(chromium) = find() else {
        println!("skipped: there is no Chromium here; `apt-get install chromium` installs it on Debian");
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("report")).expect("made");
    let server = Server::start(folder.path());
    let mut tab = Tab::open(&chromium);
    tab.ask(
        "Emulation.setDeviceMetricsOverride",
        json!({"width": 1_200, "height": 900, "deviceScaleFactor": 1, "mobile": false}),
    );
    tab.visit(&server.link);
    write_and_run(&mut tab, &server);
    let session = refine(&mut tab, &server);
    server.kill();

    let server = Server::start(folder.path());
    tab.visit(&server.link);
    resumed_and_forked(&mut tab, &server, &session);
    let runs = server.get("/api/runs?kind=run&size=10");
    assert!(runs.contains("\"total\":2") && runs.contains("my-strategy.rs"), "{runs}");
    server.stop();
}

/// The editor: a fault is found where it is, mended, and the strategy runs against its saved version.
fn write_and_run(tab: &mut Tab, server: &Server) {
    tab.visit(&server.at("/edit"));
    // Behind the words about the file.
    let at = tab.value("source.value.indexOf('\\nuse ') + 1").as_u64().expect("a place");
    tab.value(&format!("source.focus(); source.setSelectionRange({at}, {at}); true"));
    tab.ask("Input.insertText", json!({"text": "unsafe fn peek() {}\n"}));
    tab.until(
        "document.querySelector('#gutter .error') && document.getElementById('edit').dataset.state === 'checked'",
    );
    let marked = tab.value("[...document.querySelectorAll('#gutter .error')].map((line) => line.textContent).join()");
    assert_eq!(marked, tab.value(&format!("String(source.value.slice(0, {at}).split('\\n').length)")));
    tab.until(&has("It would be refused."));
    picture(tab, "edit", 1_100);
    tab.value(&format!("source.focus(); source.setSelectionRange({at}, {at} + 20); document.execCommand('delete')"));
    tab.until(&has("It passes."));
    assert_eq!(tab.value("document.querySelectorAll('#gutter .error').length"), 0);
    press(tab, "Save");
    tab.until(&has("Saved as my-strategy.rs."));

    choose(tab, "select[name=market]", "smoke");
    fill(tab, "input[name=seeds]", "3");
    press(tab, "Run");
    tab.until(&has("The whole report"));
    assert_eq!(tab.value("document.getElementById('job').innerText.includes('doing nothing')"), true);
    tab.value(
        "{ const at = source.value.indexOf('= 100;') + 2; source.focus(); source.setSelectionRange(at, at + 3); document.execCommand('insertText', false, '30'); }",
    );
    choose(tab, "select[name=baseline]", "my-strategy.rs");
    press(tab, "Run");
    tab.until("document.querySelector('#job table')");
    let head = tab.value("document.querySelector('#job thead').innerText");
    assert!(head.as_str().is_some_and(|head| head.contains("my-strategy.rs")), "{head}");
    tab.until("document.querySelector('#job a[href^=\"/compare\"]')");
    picture(tab, "run", 1_560);
    tab.follow("document.querySelector('#job a[href^=\"/compare\"]').click()");
    tab.until(&has("Choose the run"));
}

/// A refinement from a form: first what it would take, then it runs. The address of its job.
fn refine(tab: &mut Tab, server: &Server) -> String {
    tab.visit(&server.at("/refine/new"));
    choose(tab, "select[name=strategy]", "mistuned_maker.rs");
    tab.value("document.querySelector('input[value=calm]').checked = false; document.querySelector('input[value=smoke]').checked = true");
    fill(tab, "input[name=generations]", "1");
    fill(tab, "input[name=width]", "2");
    press(tab, "Estimate");
    tab.until(&has("at most 1 generations of 2 candidates"));
    picture(tab, "refine-new", 640);
    press(tab, "Start it");
    tab.until(&has("Session"));
    tab.value("location.pathname").as_str().expect("an address").to_owned()
}

/// What was running when the server was killed goes on, ends, and can be forked.
fn resumed_and_forked(tab: &mut Tab, server: &Server, job: &str) {
    tab.visit(&server.at(job));
    tab.until(&has("The session"));
    tab.until("/\\bdone\\b/.test(document.querySelector('#job .tag').innerText)");
    tab.follow("[...document.querySelectorAll('a')].find((link) => link.innerText === 'The session').click()");
    tab.until(&has("over:"));
    picture(tab, "refine", 740);
    fill(tab, "input[name=at]", "3");
    press(tab, "Fork");
    tab.until("/\\bdone\\b/.test(document.querySelector('#job .tag').innerText)");
}
