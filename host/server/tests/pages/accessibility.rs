//! Every kind of page can be used by everybody: no finding of axe-core in light and dark, no sideways scrolling at 320 pixels, a visible focus, a title of
//! its own, tables whose columns have room for words.

use crate::chromium::{Tab, find};
use crate::fixture::{Server, batch_folder, rollout_folder, session_folder};
use crate::{start, stored};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What axe-core has found, as a list of lines.
const FINDINGS: &str = "axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations.map((one) => \
     one.id + ' (' + one.impact + '): ' + one.help + '\\n' + one.nodes.slice(0, 3).map((node) => '  ' + node.html).join('\\n')))";
/// Cells of tables in which a text has no room: words stand one a line, or in pieces.
const CRAMPED: &str = "Array.from(document.querySelectorAll('.scroll td, .scroll tbody th')).filter((cell) => \
     cell.clientWidth > 0 && cell.clientWidth < 72 && cell.innerText.trim().length > 24).map((cell) => cell.innerText.trim().slice(0, 80))";
/// Pixels across that every page must do with.
const NARROW: u64 = 320;

/// axe-core, if `make setup-python` has put it there.
fn axe() -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let setup = root.join("tests/python/setup");
    let output = Command::new(setup).arg("--where").arg(root.join("tests/axe/requirements.txt")).output().ok()?;
    let python = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    let versions = std::fs::read_dir(python.parent()?.parent()?.join("lib")).ok()?;
    let file = |version: PathBuf| version.join("site-packages/axe_playwright_python/axe.min.js");
    versions.flatten().find_map(|version| std::fs::read_to_string(file(version.path())).ok())
}

/// What a page is, whatever it is about: the parts of its address that are not ids, and the names of its query.
fn kind(path: &str) -> String {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let fixed = [
        "", "c", "record", "runs", "rollouts", "worlds", "board", "arena", "gate", "refine", "compare", "t", "doctor",
        "edit", "jobs", "new", "fork",
    ];
    let part = |part: &str| {
        if fixed.contains(&part) {
            part.to_owned()
        } else if part.contains('.') {
            "*.*".to_owned()
        } else {
            "*".to_owned()
        }
    };
    let names = query.split('&').map(|pair| pair.split('=').next().unwrap_or_default());
    format!("{}?{}", path.split('/').map(part).collect::<Vec<_>>().join("/"), names.collect::<Vec<_>>().join("&"))
}

/// The address of a page of each kind.
fn kinds(server: &Server) -> BTreeMap<String, String> {
    let mut kinds: BTreeMap<String, String> = BTreeMap::new();
    for (path, page) in server.crawl() {
        if page.status == 200 && !path.ends_with(".js") {
            kinds.entry(kind(&path)).or_insert(path);
        }
    }
    kinds
}

/// What axe-core finds on the page that is shown, light and dark.
fn look(tab: &mut Tab, axe: &str, path: &str) -> Vec<String> {
    tab.value(&format!("{axe}; true"));
    let mut findings = Vec::new();
    for colours in ["light", "dark"] {
        tab.ask(
            "Emulation.setEmulatedMedia",
            json!({"features": [{"name": "prefers-color-scheme", "value": colours}]}),
        );
        let found = tab.value(FINDINGS);
        let found = found.as_array().expect("a list").iter().filter_map(|finding| finding.as_str());
        findings.extend(found.map(|finding| format!("{path}, {colours}: {finding}")));
    }
    findings
}

/// The same of what forms answer: what it would take, and what is wrong.
fn answers(tab: &mut Tab, axe: &str, host: &str) -> Vec<String> {
    let mut findings = Vec::new();
    for (path, before) in [
        ("/rollouts/new", ""),
        ("/worlds/new", ""),
        ("/worlds/new", "document.querySelector('[name=samples]').value = 'x';"),
    ] {
        tab.visit(&format!("{host}{path}"));
        tab.follow(&format!("{before} document.querySelector('button[value=estimate]').click()"));
        let is_answer = tab.value("!!document.querySelector('#estimate, [role=alert]')");
        assert!(is_answer == true, "{path} {before}");
        findings.extend(look(tab, axe, &format!("{path}, sent {before}")));
    }
    findings
}

#[test]
fn everybody_can_use_every_page() {
    let Some(chromium) = find() else { return };
    let Some(axe) = axe() else {
        let _ = writeln!(std::io::stderr(), "skipped: tests that need axe-core; `make setup-python` installs it");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let (_, change) = stored::everything(folder.path());
    let results = folder.path().join("results");
    rollout_folder(&results.join("bugs"), 3);
    batch_folder(&results.join("verdicts"), "a batch");
    session_folder(&results.join("session"), "an idea");
    let brought = start::work(folder.path());
    let server = Server::start_with(&[&results], |settings| {
        change(settings);
        settings.work = Some(brought);
    });
    start::fill(&server);
    let kinds = kinds(&server);
    assert!(kinds.len() >= 28, "{kinds:#?}");

    let mut tab = Tab::open(&chromium);
    // What tests a page must not be stopped by its policy, which another test is about.
    tab.ask("Page.setBypassCSP", json!({"enabled": true}));
    let host = format!("http://127.0.0.1:{}", server.port());
    tab.visit(&format!("{host}/?token={}", server.token()));
    let (mut findings, mut titles): (Vec<String>, BTreeMap<String, String>) = (Vec::new(), BTreeMap::new());
    for path in kinds.values() {
        tab.ask(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": 1_200, "height": 900, "deviceScaleFactor": 1, "mobile": false}),
        );
        tab.visit(&format!("{host}{path}"));
        let title = tab.value("document.title").to_string();
        // A list with another filter is the same page.
        let page = path.split('?').next().unwrap_or_default();
        let other = titles.entry(title.clone()).or_insert_with(|| page.to_owned());
        if other != page {
            findings.push(format!("{path}: {other} is also called {title}"));
        }
        findings.extend(look(&mut tab, &axe, path));
        let cramped = tab.value(CRAMPED);
        findings.extend(cramped.as_array().expect("a list").iter().map(|cell| format!("{path}: no room for {cell}")));
        for kind in ["keyDown", "keyUp"] {
            tab.ask(
                "Input.dispatchKeyEvent",
                json!({"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}),
            );
        }
        let outline = tab.value("getComputedStyle(document.activeElement).outlineStyle");
        if outline == "none" || tab.value("document.activeElement === document.body") == true {
            findings.push(format!("{path}: the focus cannot be seen"));
        }
        tab.ask(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": NARROW, "height": 640, "deviceScaleFactor": 1, "mobile": false}),
        );
        let width = tab.value("document.documentElement.scrollWidth").as_u64().expect("a number");
        if width > NARROW {
            findings.push(format!("{path}: {width} pixels across where there are {NARROW}"));
        }
    }
    findings.extend(answers(&mut tab, &axe, &host));
    assert!(findings.is_empty(), "{} findings on {} pages:\n{}", findings.len(), kinds.len(), findings.join("\n"));
}
