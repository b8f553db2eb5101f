//! A Chromium that a test drives: one process, one tab, and its own protocol over two pipes, so no port is open and nothing else is needed.
//!
//! <https://chromedevtools.github.io/devtools-protocol/>; with `--remote-debugging-pipe`, messages are JSON, each with a zero byte after it, read from
//! descriptor 3 and written to descriptor 4.

use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tempfile::TempDir;

/// Far beyond what any answer takes.
const PATIENCE: Duration = Duration::from_secs(300);

/// Where Chromium is. If there is none, says so straight to standard error, because the test runner hides what a passing test prints.
pub(crate) fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut places = std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name)));
    let found = places.find(|path| path.is_file());
    if found.is_none() {
        let _ = writeln!(
            std::io::stderr(),
            "skipped: everything that needs Chromium; `apt-get install chromium` installs it on Debian"
        );
    }
    found
}

/// What every Chromium of the tests is told: it asks nobody but this machine.
pub(crate) const ARGUMENTS: [&str; 9] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--enable-logging=stderr",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/// See the module documentation.
pub(crate) struct Tab {
    child: Child,
    to: File,
    from: Receiver<Value>,
    session: Option<String>,
    last: u64,
    _folder: TempDir,
}

impl Tab {
    pub(crate) fn open(chromium: &std::path::Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (input, output) = (folder.path().join("in"), folder.path().join("out"));
        let made = Command::new("mkfifo").args([&input, &output]).status().expect("mkfifo starts");
        assert!(made.success(), "two pipes");
        // Both ends are opened here, so that nobody waits for the other.
        let child = Command::new("sh")
            .args(["-c", r#"exec "$@" 3<>"$TAB_IN" 4<>"$TAB_OUT""#, "sh"])
            .arg(chromium)
            .args(ARGUMENTS)
            .arg("--remote-debugging-pipe")
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .env("TAB_IN", &input)
            .env("TAB_OUT", &output)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("Chromium starts");
        let to = OpenOptions::new().write(true).open(&input).expect("a pipe");
        let from = File::open(&output).expect("a pipe");
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let mut from = BufReader::new(from);
            loop {
                let mut message = Vec::new();
                let is_over = !matches!(from.read_until(0, &mut message), Ok(1..));
                message.pop();
                let sent = serde_json::from_slice(&message).ok().map(|message| sender.send(message));
                if is_over || matches!(sent, Some(Err(_))) {
                    return;
                }
            }
        });
        let mut tab = Self { child, to, from: receiver, session: None, last: 0, _folder: folder };
        let target = tab.ask("Target.createTarget", json!({"url": "about:blank"}));
        let attached = tab.ask("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        tab.session = attached["sessionId"].as_str().map(str::to_owned);
        tab.ask("Page.enable", json!({}));
        tab
    }

    fn send(&mut self, method: &str, parameters: &Value) {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).expect("Chromium listens");
    }

    /// Waits for a message.
    fn wait(&self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.from.recv_timeout(PATIENCE).expect("Chromium answers");
            if is_it(&message) {
                return message;
            }
        }
    }

    /// Asks something of the browser or, once it is there, of the tab.
    #[expect(clippy::needless_pass_by_value, reason = "parameters are made where they are given")]
    pub(crate) fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.send(method, &parameters);
        let id = self.last;
        let answer = self.wait(|message| message["id"] == id);
        assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        answer["result"].clone()
    }

    /// Opens a page and waits until all of it is there.
    pub(crate) fn visit(&mut self, address: &str) {
        self.send("Page.navigate", &json!({"url": address}));
        self.wait(|message| message["method"] == "Page.loadEventFired");
    }

    /// Does something that leads to another page, and waits until all of that is there.
    pub(crate) fn follow(&mut self, expression: &str) {
        self.send("Runtime.evaluate", &json!({"expression": expression, "userGesture": true}));
        self.wait(|message| message["method"] == "Page.loadEventFired");
    }

    /// Waits until something is so on the page, which changes by itself.
    pub(crate) fn until(&mut self, condition: &str) {
        let met = self.value(&format!(
            "new Promise((met) => {{ \
               const is_so = () => {{ try {{ return {condition}; }} catch {{ return false; }} }}; \
               const look = () => {{ if (is_so()) {{ watch.disconnect(); met(true); }} }}; \
               const watch = new MutationObserver(look); \
               watch.observe(document, {{subtree: true, childList: true, attributes: true, characterData: true}}); \
               look(); \
               setTimeout(() => met(document.body.innerText), {}); \
             }})",
            PATIENCE.as_millis() / 2
        ));
        assert!(met == true, "never: {condition}\n{met}");
    }

    /// The value of an expression, once it is there.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.ask("Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
