//! Submissions, batches that can be killed, and what they leave: what the tests of `assay gate` share.

use crate::{assay, assay_binary, show};
use assay_compile::{BuildSettings, Source, build};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

/// One small market, one public seed, one rule.
pub const POLICY: &str = "name = \"small\"\n[[scenarios]]\nscenario = \"smoke\"\npublic = 1\n\n[[rules]]\nname = \"quiet\"\nmeasure = \"orders\"\nbelow = 500\nwhy = \"It sends too many orders.\"\n";

/// A strategy that does `work` at each tick.
#[must_use]
pub fn strategy(work: &str) -> String {
    format!(
        "use assay_sdk::*;\n\nstruct S;\n\nimpl Strategy for S {{\n    fn initialize(_: &Config, _: &mut Exchange) -> Self {{\n        S\n    }}\n\n    \
         fn on_tick(&mut self, exchange: &mut Exchange) {{\n        let _ = &exchange;\n        {work}\n    }}\n}}\n\nexport!(S);\n"
    )
}

/// The component of a strategy.
///
/// # Panics
/// If it does not compile.
#[must_use]
pub fn component(folder: &Path, work: &str) -> Vec<u8> {
    let path = folder.join("source.rs");
    std::fs::write(&path, strategy(work)).expect("written");
    component_of(&path)
}

/// The component of a source file.
///
/// # Panics
/// If it does not compile.
#[must_use]
pub fn component_of(path: &Path) -> Vec<u8> {
    let cache = assay_binary().parent().expect("a binary lies in a folder").join("assay-test-cache/sdk");
    let source = Source::open(path).expect("it is Rust");
    build(&source, &BuildSettings::new(assay_binary().to_owned(), cache)).expect("it compiles").component
}

/// A folder with the policy.
///
/// # Panics
/// If the disk takes nothing.
#[must_use]
pub fn home(policy: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(home.path().join("gate.toml"), policy).expect("written");
    home
}

/// A folder with `count` submissions that take turns among a few contents: two that pass, two that fail.
///
/// # Panics
/// If they cannot be made.
#[must_use]
pub fn submissions(count: usize) -> tempfile::TempDir {
    let home = home(POLICY);
    let folder = home.path().join("subs");
    std::fs::create_dir(&folder).expect("made");
    let works = [
        "",
        "exchange.market(Side::Buy, Quantity::of(1));",
        "panic!()",
        "for _ in 0..10 { exchange.market(Side::Sell, Quantity::of(1)); }",
    ];
    let components = works.map(|work| component(home.path(), work));
    for number in 0..count {
        let bytes = &components[number % components.len()];
        std::fs::write(folder.join(format!("s{number:03}.wasm")), bytes).expect("written");
    }
    home
}

/// A batch that is running, and what it says.
#[derive(Debug)]
pub struct Running {
    /// The process.
    pub child: Child,
    /// Its standard error.
    pub lines: Lines<BufReader<ChildStderr>>,
}

/// Starts a batch over `subs`, with its verdicts in `out`.
///
/// # Panics
/// If it does not start.
#[must_use]
pub fn start(home: &Path, more: &[&str]) -> Running {
    let mut command: Command = assay(home);
    command.args(["gate", "subs", "--out", "out"]).args(more).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("assay starts");
    let lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
    Running { child, lines }
}

impl Running {
    /// The submissions of which it says that they have a verdict, until it has said `most` or it ends.
    pub fn said(&mut self, most: usize) -> Vec<String> {
        let lines = self.lines.by_ref().map_while(Result::ok);
        let ids = lines.filter_map(|line| {
            let (place, rest) = line.split_once(' ')?;
            let is_count = place.contains('/') && place.starts_with(|first: char| first.is_ascii_digit());
            is_count.then(|| rest.split(' ').next().unwrap_or_default().to_owned())
        });
        ids.take(most).collect()
    }

    /// Sends it a signal, for example `-KILL`.
    ///
    /// # Panics
    /// If there is no `kill`.
    pub fn signal(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(status.expect("kill starts").success());
    }

    /// Waits for its end; the exit code, unless a signal ended it.
    ///
    /// # Panics
    /// If it cannot be waited for.
    pub fn exit(mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }
}

/// A file as JSON.
///
/// # Panics
/// If it is not there, or something else.
#[must_use]
pub fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("it is there")).expect("it is JSON")
}

/// The verdicts in a folder by id; every file must be whole.
///
/// # Panics
/// If one is not.
#[must_use]
pub fn verdicts(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let Ok(entries) = std::fs::read_dir(out) else { return BTreeMap::new() };
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"));
    let ids = names.filter_map(|name| name.strip_suffix(".json").map(str::to_owned)).filter(|id| id != "summary");
    ids.map(|id| {
        let bytes = std::fs::read(out.join(format!("{id}.json"))).expect("it is there");
        let value: Value = serde_json::from_slice(&bytes).expect("a verdict is there whole or not at all");
        assert_eq!(value["schema"]["name"], "assay.verdict");
        (id, bytes)
    })
    .collect()
}

/// The decisions in a folder of verdicts, by name of the submission.
///
/// # Panics
/// If a verdict is not whole.
#[must_use]
pub fn decided(out: &Path) -> BTreeMap<String, String> {
    let decision = |bytes: Vec<u8>| {
        let value: Value = serde_json::from_slice(&bytes).expect("a verdict");
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        (text(&value["submission"]["name"]), text(&value["decision"]))
    };
    verdicts(out).into_values().map(decision).collect()
}

/// What the store of a folder has of the gate: decisions by name of the submission.
///
/// # Panics
/// If a submission is there twice.
#[must_use]
pub fn recorded(home: &Path) -> BTreeMap<String, String> {
    let listing = assay(home).args(["runs", "--kind", "gate", "--limit", "1000", "--json"]).output();
    let listing = listing.expect("assay starts");
    assert!(listing.status.success(), "{}", show(&listing));
    let listing: Value = serde_json::from_slice(&listing.stdout).expect("JSON");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let runs = listing["runs"].as_array().expect("a list");
    let found: BTreeMap<String, String> =
        runs.iter().map(|run| (text(&run["strategy"]), text(&run["verdict"]))).collect();
    assert_eq!(
        (found.len(), listing["total"].as_u64()),
        (runs.len(), Some(runs.len() as u64)),
        "once each: {listing:#}"
    );
    found
}
