//! The walk of docs/pages.md in a real Chromium with the real program: a strategy is written, corrected, run and compared; a refinement is started, survives
//! the end of its server, and is forked; another one is hinted; a run in a world and a rollout are watched while they run. With `ASSAY_PICTURES` set to a
//! folder, it takes the pictures of the documentation on its way.
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
            .args([
                "serve",
                "--port",
                "0",
                "--runs",
                "report",
                "--sources",
                "markets",
                "--model",
                "scripted:script.jsonl",
            ])
            .args(["refine", "bugs", "worlds"].map(|name| format!("--sources={}/examples/{name}", root().display())))
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
    let Some(chromium) = find() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let server = Server::start(&home(folder.path()));
    let mut tab = Tab::open(&chromium);
    tab.ask(
        "Emulation.setDeviceMetricsOverride",
        json!({"width": 1_200, "height": 900, "deviceScaleFactor": 1, "mobile": false}),
    );
    tab.visit(&server.link);
    write_and_run(&mut tab, &server);
    own_market(&mut tab, &server);
    lists(&mut tab, &server);
    hinted(&mut tab, &server, folder.path());
    let session = refine(&mut tab, &server);
    server.kill();

    let server = Server::start(folder.path());
    tab.visit(&server.link);
    resumed_and_forked(&mut tab, &server, &session);
    let runs = server.get("/api/runs?kind=run&size=10");
    assert!(runs.contains("\"total\":3") && runs.contains("my-strategy.rs"), "{runs}");
    server.stop();
}

/// A folder for results, and one with markets, a broken one among them.
fn home(folder: &Path) -> std::path::PathBuf {
    for name in ["report", "markets"] {
        std::fs::create_dir(folder.join(name)).expect("made");
    }
    for (name, text) in
        [("slow.toml", "base = \"smoke\"\nstrategy.latency = \"80ms\"\n"), ("broken.toml", "base = \"smok\"\n")]
    {
        std::fs::write(folder.join("markets").join(name), text).expect("written");
    }
    folder.to_owned()
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

/// Has a box of a form ticked, by the words beside it.
fn tick(tab: &mut Tab, words: &str, is_ticked: bool) {
    let found = tab.value(&format!(
        "{{ const label = [...document.querySelectorAll('label')].find((label) => label.innerText.trim() === {words:?}); \
         if (label) label.querySelector('input').checked = {is_ticked}; !!label }}"
    ));
    assert!(found == true, "there is no box {words}");
}

/// A scenario file of one's own: what is wrong with it is said, and the right one is run in.
fn own_market(tab: &mut Tab, server: &Server) {
    tab.visit(&server.at("/runs/new"));
    choose(tab, "select[name=strategy]", "my-strategy.rs");
    fill(tab, "input[name=seeds]", "2");
    tick(tab, "calm", false);
    tick(tab, "markets/broken.toml", true);
    press(tab, "Run");
    tab.until("document.querySelector('[role=alert]').innerText.includes('failed to read the scenario')");
    tick(tab, "markets/broken.toml", false);
    tick(tab, "markets/slow.toml", true);
    press(tab, "Run");
    follow_link(tab, "The whole report");
    drawings(tab);
    courses(tab);
}

/// One crosshair through all charts, moved by keys and by the mouse, and windows that the server draws: by keys, by dragging and by links.
fn courses(tab: &mut Tab) {
    let key = |tab: &mut Tab, key: &str| {
        for kind in ["keyDown", "keyUp"] {
            tab.ask("Input.dispatchKeyEvent", json!({"type": kind, "key": key}));
        }
    };
    let shown = "[...document.querySelectorAll('.values')].filter((one) => !one.hidden)";
    tab.value("document.querySelector('[data-chart=price]').focus(); true");
    key(tab, "ArrowRight");
    tab.until(&format!("{shown}.length >= 5"));
    let times = format!(
        "[...new Set({shown}.filter((one) => one.previousElementSibling.dataset.chart !== 'depth').map((one) => one.textContent.split(' ')[1]))]"
    );
    assert_eq!(tab.value(&format!("{times}.length")), 1, "all charts are at one time: {}", tab.value(&times));
    assert_eq!(
        tab.value("document.querySelectorAll('[data-chart] .crosshair').length"),
        tab.value("document.querySelectorAll('[data-chart]').length")
    );
    let before = tab.value(&format!("{times}[0]"));
    key(tab, "ArrowLeft");
    tab.until(&format!("{times}[0] !== {before}"));

    let span = "Number(charts.dataset.to) - Number(charts.dataset.from)";
    let whole = tab.value(span).as_f64().expect("a number");
    key(tab, "+");
    tab.until(&format!("{span} < {whole} * 0.6"));
    assert_eq!(tab.value("document.activeElement.dataset.chart"), "price", "the focus stays");
    assert_eq!(tab.value("location.search.startsWith('?from=')"), true);
    tab.until(&has("This is a part of the session."));
    key(tab, "0");
    tab.until(&format!("{span} === {whole}"));

    // Dragging chooses what is seen.
    let place = |tab: &mut Tab, at: f64| {
        let x = tab.value(&format!(
            "{{ const box = document.querySelector('[data-chart=price] svg').getBoundingClientRect(); box.left + box.width * {at} }}"
        ));
        let y = tab.value("{ const box = document.querySelector('[data-chart=price] svg').getBoundingClientRect(); box.top + box.height / 2 }");
        (x.as_f64().expect("a number"), y.as_f64().expect("a number"))
    };
    tab.value("document.querySelector('[data-chart=price]').scrollIntoView({block: 'center'}); true");
    let ((left, y), (right, _)) = (place(tab, 0.4), place(tab, 0.6));
    for (kind, x, buttons) in
        [("mouseMoved", left, 0), ("mousePressed", left, 1), ("mouseMoved", right, 1), ("mouseReleased", right, 0)]
    {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        tab.ask("Input.dispatchMouseEvent", json!({"type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1, "pointerType": "mouse"}));
    }
    tab.until(&format!("{span} < {whole} * 0.3"));
    // And without a mouse or script, a link does.
    tab.follow("[...document.querySelectorAll('#charts nav a')].find((link) => link.innerText === 'All').click()");
    assert_eq!(tab.value(span).as_f64(), Some(whole));
}

/// A list is sorted by its headings and saved, and no text in it becomes a formula.
fn lists(tab: &mut Tab, server: &Server) {
    tab.visit(&server.at("/runs"));
    for (turn, expected) in [("", "ascending"), (".reverse()", "descending")] {
        tab.value(
            "[...document.querySelectorAll('th button')].find((one) => one.innerText.startsWith('Started')).click()",
        );
        assert_eq!(tab.value("document.querySelector('th[aria-sort]').getAttribute('aria-sort')"), expected);
        let column = "[...document.querySelectorAll('main table')][0].querySelectorAll('td:nth-child(2)')";
        let shown = tab.value(&format!("[...{column}].map((cell) => cell.innerText).join()"));
        assert_eq!(shown, tab.value(&format!("[...{column}].map((cell) => cell.innerText).sort(){turn}.join()")));
    }
    tab.value("document.querySelector('td:nth-child(6)').textContent = '=1+1'; URL.createObjectURL = (saved) => { window.saved = saved; return '#'; }; true");
    tab.value("document.querySelector('button.save').click()");
    let saved = tab.value("window.saved.text()");
    let saved = saved.as_str().expect("a text");
    assert!(saved.starts_with("\"Run\",\"Started (UTC)\"") && saved.contains("\"'=1+1\""), "{saved}");
}

/// A drawing of a report is saved as a file that needs no page.
fn drawings(tab: &mut Tab) {
    tab.value("URL.createObjectURL = (file) => { window.file = file; return '#'; }; true");
    tab.value("document.querySelector('figure button.save').click()");
    let drawing = tab.value("window.file.text()");
    let drawing = drawing.as_str().expect("a text");
    assert!(
        drawing.starts_with("<svg ")
            && drawing.contains("xmlns=")
            && !drawing.contains("class=")
            && drawing.contains("stroke=\"rgb("),
        "{drawing}"
    );
    tab.value("document.querySelectorAll('figure button.save')[1].click()");
    tab.value("new Promise((done) => { const look = () => (window.file.type === 'image/png' ? done(true) : setTimeout(look, 20)); look(); })");
}

/// A refinement by a model that fails first: it is given a hint, its model is mended, and it goes on to its end.
fn hinted(tab: &mut Tab, server: &Server, folder: &Path) {
    let script = |answer: serde_json::Value| {
        std::fs::write(folder.join("script.jsonl"), answer.to_string()).expect("written");
    };
    script(json!({"text": "", "error": "unavailable"}));
    tab.visit(&server.at("/refine/new"));
    choose(tab, "select[name=strategy]", "mistuned_maker.rs");
    choose(tab, "select[name=writer]", "scripted:script.jsonl");
    fill(tab, "textarea[name=words]", "quote nearer");
    tick(tab, "calm", false);
    tick(tab, "smoke", true);
    for (field, number) in [("generations", "1"), ("width", "1"), ("tokens", "100000"), ("seed", "1")] {
        fill(tab, &format!("input[name={field}]"), number);
    }
    press(tab, "Estimate");
    tab.until(&has("to scripted:script.jsonl"));
    press(tab, "Start it");
    tab.until("document.querySelector('#job .tag').innerText === 'failed'");
    follow_link(tab, "The session");
    fill(tab, "input[name=hint]", "one cent from the middle");
    press(tab, "Give the hint");
    tab.until(&has("one cent from the middle"));
    let edit = "<<<<<<< SEARCH\nhalf_spread: f64 = 14.0 in\n=======\nhalf_spread: f64 = 1.0 in\n>>>>>>> REPLACE\n";
    script(json!({"about": "candidate 1.0", "text": format!("IDEA: nearer\n{edit}")}));
    press(tab, "Resume");
    tab.until(&has("over:"));
}

/// A refinement from a form: first what it would take, then it runs. The address of its job.
fn refine(tab: &mut Tab, server: &Server) -> String {
    tab.visit(&server.at("/refine/new"));
    choose(tab, "select[name=strategy]", "mistuned_maker.rs");
    tab.value("document.querySelector('input[value=calm]').checked = false; document.querySelector('input[value=smoke]').checked = true");
    for (field, number) in [("generations", "1"), ("width", "2"), ("seed", "1")] {
        fill(tab, &format!("input[name={field}]"), number);
    }
    press(tab, "Estimate");
    tab.until(&has("at most 1 generation of 2 candidates"));
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

#[test]
fn episodes_are_watched_while_they_run_and_while_the_server_is_killed_and_restarted() {
    let Some(chromium) = find() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let server = Server::start(&home(folder.path()));
    let mut tab = Tab::open(&chromium);
    tab.visit(&server.link);
    let (job, planned) = world(&mut tab, &server);
    server.kill();

    let server = Server::start(folder.path());
    tab.visit(&server.link);
    tab.visit(&server.at(&job));
    tab.until(&has("resumed 1 time after the server ended"));
    tab.until("document.querySelector('#job .tag').innerText === 'done'");
    follow_link(&mut tab, "The run");
    tab.until(&format!("{FINISHED} === {planned}"));
    // What an agent did: a record opens beneath its row.
    tab.follow("document.querySelector('.grid a').click()");
    tab.until("document.querySelectorAll('#rows > li').length > 3");
    tab.value("document.querySelector('#rows > li.tool > a').click()");
    tab.until("document.querySelector('#rows > li.tool > .record dl')");
    // Another attempt at the same task, side by side; and an agent that goes on from a step.
    let episode = tab.value("location.pathname").as_str().expect("an address").to_owned();
    follow_link(&mut tab, "Compare with another one");
    press(&mut tab, "Compare");
    tab.until("document.querySelector('table.aside tbody tr')");
    state(&mut tab, &server, &episode);
    tab.visit(&server.at(&episode));
    follow_link(&mut tab, "Fork it from a step");
    choose(&mut tab, "select[name=world]", "support-desk");
    fill(&mut tab, "input[name=step]", "1");
    press(&mut tab, "Estimate");
    tab.until(&has("1 task × 1 sample = 1 episode"));
    press(&mut tab, "Start it");
    tab.until("document.querySelector('#job .tag').innerText === 'done'");

    let image = Command::new("docker").args(["image", "inspect", "assay/python-tests:1"]).output();
    if image.is_ok_and(|image| image.status.success()) {
        rollout(&mut tab, &server);
    } else {
        let _ = writeln!(
            std::io::stderr(),
            "skipped: watching a rollout, because no Docker engine here has the image of the tests; `make setup-docker` makes it"
        );
    }
    server.stop();
}

/// Episodes that have ended, on the page of their run.
const FINISHED: &str = "Number((document.querySelector('main').innerText.match(/([\\d,]+)(?: of [\\d,]+)? episodes?: /) || ['', '0'])[1].replaceAll(',', ''))";
/// Far more samples than there is time for.
const SAMPLES: &str = "150";

fn follow_link(tab: &mut Tab, words: &str) {
    tab.until(&format!("[...document.querySelectorAll('a')].some((link) => link.innerText === {words:?})"));
    tab.follow(&format!("[...document.querySelectorAll('a')].find((link) => link.innerText === {words:?}).click()"));
}

/// A run in a world from a form, watched until the server ends: the address of its job, and how many episodes there are to be.
fn world(tab: &mut Tab, server: &Server) -> (String, u64) {
    tab.visit(&server.at("/worlds"));
    follow_link(tab, "Start a run in a world");
    choose(tab, "select[name=world]", "support-desk");
    choose(tab, "select[name=faults]", "one call in four");
    fill(tab, "input[name=samples]", SAMPLES);
    press(tab, "Estimate");
    tab.until(&has("no model, no cost"));
    let planned = tab.value("Number(document.getElementById('estimate').innerText.match(/= (\\d+) episodes/)[1])");
    press(tab, "Start it");
    let job = tab.value("location.pathname").as_str().expect("an address").to_owned();
    follow_link(tab, "The run");
    // The page changes by itself, and is not loaded again.
    tab.value("window.isTheSame = true");
    tab.until(&format!("{FINISHED} > 0"));
    let before = tab.value(FINISHED);
    tab.until(&format!("{FINISHED} > {before}"));
    assert_eq!(tab.value("window.isTheSame"), true);
    (job, planned.as_u64().expect("a number"))
}

/// The world at each step of an episode: what the step changed is marked, and an agent can go on from there.
fn state(tab: &mut Tab, server: &Server, episode: &str) {
    tab.visit(&server.at(episode));
    follow_link(tab, "Outline");
    tab.until("document.querySelectorAll('ol.outline > li.step').length > 1");
    tab.follow("document.querySelector('ol.outline > li.step a.small').click()");
    // Not all steps change something.
    let marked = "document.querySelector('#parts ~ .scroll tr.changed a')";
    for step in 1..40 {
        if tab.value(&format!("!!{marked}")) == true {
            break;
        }
        let next = format!("Step {}", step + 1);
        tab.follow(&format!(
            "[...document.querySelectorAll('nav a')].find((link) => link.innerText === {next:?}).click()"
        ));
    }
    assert!(
        tab.value("document.body.innerText.includes('left the state that was recorded')") == true,
        "{}",
        tab.value("document.body.innerText")
    );
    tab.follow(&format!("{marked}.click()"));
    tab.until("document.querySelector('table.state tr.added, table.state tr.changed, table.state tr.removed')");
    let step = tab.value("document.querySelector('input[name=step]').value");
    if tab.value("[...document.querySelectorAll('a')].some((link) => link.innerText === 'Fork from here')") == true {
        follow_link(tab, "Fork from here");
        assert_eq!(tab.value("document.querySelector('input[name=step]').value"), step);
        assert_eq!(
            tab.value("document.querySelector('select[name=world]').selectedOptions[0].text.includes('support-desk')"),
            true
        );
    }
}

/// A rollout from a form: its trajectory grows while it is open, and its tests decide.
fn rollout(tab: &mut Tab, server: &Server) {
    tab.visit(&server.at("/rollouts"));
    follow_link(tab, "Start a rollout");
    choose(tab, "select[name=tasks]", "bugs/stash");
    fill(tab, "input[name=samples]", "2");
    fill(tab, "input[name=at_once]", "1");
    press(tab, "Estimate");
    tab.until(&has("scripted answers from a file, at no cost"));
    press(tab, "Start it");
    follow_link(tab, "The rollout");
    let page = tab.value("location.pathname").as_str().expect("an address").to_owned();
    tab.until("[...document.querySelectorAll('.grid a')].some((link) => link.innerText === 'under way')");
    tab.follow("[...document.querySelectorAll('.grid a')].find((link) => link.innerText === 'under way').click()");
    tab.value("window.isTheSame = true");
    tab.until("document.querySelector('#rows > li.score')");
    assert_eq!(tab.value("window.isTheSame"), true);
    tab.visit(&server.at(&page));
    tab.until("document.querySelectorAll('.grid .tag.good').length === 2");
}
