//! The pages in a real Chromium, if there is one: no complaint on the console, no request to anybody else, and nothing of a hostile text runs.
//!
//! What a page asks of another host fails to resolve here, or is refused by the content security policy, and the console says so either way.

use crate::chromium::{ARGUMENTS, find};
use crate::fixture::{Server, batch_folder, evil, rollout_folder, session_folder};
use std::process::Command;

/// Pages that are opened: one of each kind.
const KINDS: [&str; 12] = [
    "/",
    "/runs",
    "/rollouts",
    "/rollouts/",
    "/t/",
    "/record/",
    "/refine",
    "/refine/",
    "/c/",
    "/gate",
    "/gate/",
    ".one",
];

#[test]
fn a_browser_has_nothing_to_complain_about() {
    let Some(chromium) = find() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    rollout_folder(&folder.path().join("bugs"), 3);
    batch_folder(&folder.path().join("verdicts"), &evil());
    session_folder(&folder.path().join("session"), &evil());
    let server = Server::start(&[folder.path()]);
    let all: Vec<String> = server.crawl().into_keys().collect();
    for kind in KINDS {
        // The shortest address with these letters is the page of that kind.
        let is_of = |path: &&String| {
            if kind.ends_with('/') { path.contains(kind) && *path != kind } else { path.ends_with(kind) }
        };
        let path =
            if all.iter().any(|path| path == kind) { Some(kind) } else { all.iter().find(is_of).map(String::as_str) };
        let path = path.unwrap_or_else(|| panic!("no page of the kind {kind}: {all:?}"));
        let joint = if path.contains('?') { '&' } else { '?' };
        let address = format!("http://127.0.0.1:{}{path}{joint}token={}", server.port(), server.token());
        let profile = folder.path().join("profile");
        let output = Command::new(&chromium)
            .args(ARGUMENTS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .args(["--dump-dom", &address])
            .output()
            .expect("Chromium starts");
        let (page, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(page.contains("<main id=\"content\"") && page.contains("aria-current"), "{path}\n{page}\n{log}");
        let complaints: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
        assert!(complaints.is_empty(), "{path}: {complaints:#?}");
        assert!(!page.contains(server.token()), "{path}: the token is on the page");
    }
}
