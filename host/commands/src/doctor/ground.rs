//! Where attacks are carried out, and the look at them from outside.
//!
//! ```text
//! ground/
//!   canary/secret     what no attack may read, change or send anywhere
//!   N/work            the attack's folder: its file, and a report if it runs in a market
//!   N/tmp             its TMPDIR, empty again in the end
//! ```
//!
//! Each attack is a process of its own: `assay check`, `assay run`, or the hidden word [`super::attack::WORD`]. Time and memory
//! are what the kernel says of it and of all processes that it waited for; [`super::scale`] reads them, and ends what is over time.
//!
//! Invariant: whatever a child does, this process answers with a [`Trial`]; only a machine on which nothing starts is an error.

use super::attack::{self, Answer, Order};
use super::scale::{Ended, measure};
use super::score;
use crate::Failure;
use crate::settings::Machine;
use assay_hostile::{Attack, MEGABYTE, Means};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io;
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// Characters of a child's last words that are kept.
const WORDS_CHARS_MAX: usize = 300;
/// The exit code of a Rust program that panicked.
const EXIT_PANIC: i32 = 101;

/// What became of an attack.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Trial {
    /// What was seen, in the words of the tables.
    pub seen: String,
    /// More about it, for a person.
    pub detail: String,
    /// Wall-clock time.
    pub seconds: f64,
    /// Most resident memory of one process, in megabytes.
    pub megabytes: u64,
    /// What did not hold; nothing if all did.
    pub faults: Vec<String>,
}

/// See the module documentation.
pub(super) struct Ground {
    folder: TempDir,
    helper: PathBuf,
    cache: PathBuf,
    token: String,
    canary: PathBuf,
    listener: TcpListener,
}

impl Ground {
    /// Makes the ground, with a secret that nobody else knows.
    pub(super) fn prepare(machine: &Machine) -> Result<Self, Failure> {
        let failed = |error: io::Error| {
            Failure::infrastructure(format!("failed to create a folder for the attacks: {error}"))
                .hint("check that the folder for temporary files has room, or set TMPDIR to another one")
        };
        let make = || -> io::Result<Self> {
            let folder = tempfile::Builder::new().prefix("assay-doctor-").tempdir()?;
            let canary = folder.path().canonicalize()?.join("canary");
            std::fs::create_dir(&canary)?;
            let token = format!("canary-{}", blake3::hash(folder.path().as_os_str().as_encoded_bytes()).to_hex());
            std::fs::write(canary.join("secret"), &token)?;
            let listener = TcpListener::bind("127.0.0.1:0")?;
            listener.set_nonblocking(true)?;
            let (helper, cache) = (machine.helper.clone(), machine.cache.clone());
            Ok(Self { folder, helper, cache, token, canary: canary.join("secret"), listener })
        };
        make().map_err(failed)
    }

    /// Carries out one attack. `number` is its alone.
    pub(super) fn run(&self, number: usize, attack: &Attack) -> Result<Trial, Failure> {
        let failed = |error: &dyn std::fmt::Display| {
            Failure::infrastructure(format!("failed to run the attack {}: {error}", attack.id))
        };
        let attack = self.addressed(attack).map_err(|error| failed(&error))?;
        let place = self.folder.path().join(number.to_string());
        let (work, temporary) = (place.join("work"), place.join("tmp"));
        std::fs::create_dir_all(&work)
            .and_then(|()| std::fs::create_dir(&temporary))
            .map_err(|error| failed(&error))?;
        // Whoever is paid in the first look is looked at again; every other attack has one.
        let mut looks = score::LOOKS.into_iter();
        let (given, ended, seen, detail) = loop {
            let seeds = looks.next().unwrap_or_default();
            let (mut command, input) = self.command(&attack, &work, seeds).map_err(|error| failed(&error))?;
            command.current_dir(&work).env("TMPDIR", &temporary);
            let given = listing(&work);
            let most = Duration::from_secs(attack.seconds);
            let ended = measure(&self.helper, &command, input, most).map_err(|error| failed(&error))?;
            let (seen, detail) = see(&attack, &ended, &work);
            if seen != score::PAYS || looks.len() == 0 {
                break (given, ended, seen, detail);
            }
        };
        let mut faults = bounds(&attack, &ended);
        if !attack.expect.fits(&seen) {
            faults.push(format!("expected {}, saw {seen}", attack.expect));
        }
        faults.extend(self.witness(&ended));
        let mut left: BTreeSet<String> = listing(&work).difference(&given).cloned().collect();
        left.remove("report");
        left.extend(listing(&temporary));
        if !left.is_empty() && !ended.killed {
            faults.push(format!("left files behind: {}", left.into_iter().collect::<Vec<_>>().join(", ")));
        }
        // What is left of it goes with the ground; this only keeps the disk from filling up meanwhile.
        let _ = std::fs::remove_dir_all(&place);
        Ok(Trial { seen, detail, seconds: ended.seconds, megabytes: megabytes(&ended), faults })
    }

    /// The attack with the places filled in that it goes for.
    fn addressed(&self, attack: &Attack) -> Result<Attack, Failure> {
        let wrong = |error: &dyn std::fmt::Display| Failure::infrastructure(error);
        let port = self.listener.local_addr().map_err(|error| wrong(&error))?.port();
        let text = serde_json::to_string(attack).map_err(|error| wrong(&error))?;
        let text = text.replace("⟦port⟧", &port.to_string()).replace("⟦canary⟧", &self.canary.to_string_lossy());
        serde_json::from_str(&text).map_err(|error| wrong(&error))
    }

    /// The child, and what it is told on standard input; `seeds` are those of an attack on the score.
    fn command(&self, attack: &Attack, work: &Path, seeds: &str) -> Result<(Command, Vec<u8>), String> {
        let mut command = Command::new(&self.helper);
        command.env("ASSAY_CACHE_DIR", &self.cache).env("ASSAY_CANARY", &self.token).env("NO_COLOR", "1");
        let file = |material: &assay_hostile::Material| -> Result<PathBuf, String> {
            if let assay_hostile::Material::File(path) = material {
                return path.canonicalize().map_err(|error| error.to_string());
            }
            let (ending, bytes) = material.bytes().map_err(|error| error.to_string())?.unwrap_or(("", Vec::new()));
            let path = work.join("attack").with_extension(ending);
            std::fs::write(&path, bytes).map_err(|error| error.to_string())?;
            Ok(path)
        };
        let through_market = |command: &mut Command, path: &Path| {
            command.arg("run").arg(path).args(["--scenario", "smoke", "--seeds", "1", "--threads", "1", "--no-store"]);
        };
        match &attack.by {
            Means::Check(material) => {
                command.arg("check").arg(file(material)?).args(["--format", "json"]);
            }
            Means::Run(material) => through_market(&mut command, &file(material)?),
            Means::Score(attack) => {
                let path = work.join(&attack.file);
                std::fs::write(&path, &attack.text).map_err(|error| error.to_string())?;
                command.arg("run").arg(path).args(score::arguments(attack, seeds));
            }
            Means::Any(path) if path.extension().is_none_or(|ending| ending != "py") => {
                through_market(&mut command, &path.canonicalize().map_err(|error| error.to_string())?);
            }
            Means::Any(_)
            | Means::Play(_)
            | Means::Compile(_)
            | Means::Cache(_)
            | Means::Same(_)
            | Means::Python(_) => {
                let order = Order { means: attack.by.clone(), cache: self.cache.join("artifacts") };
                let order = serde_json::to_vec(&order).map_err(|error| error.to_string())?;
                command.arg(attack::WORD);
                return Ok((command, order));
            }
        }
        Ok((command, Vec::new()))
    }

    /// Whether the secret stayed where it is and as it is.
    fn witness(&self, ended: &Ended) -> Vec<String> {
        let mut faults = Vec::new();
        let holds = |bytes: &[u8]| bytes.windows(self.token.len()).any(|window| window == self.token.as_bytes());
        if holds(&ended.stdout) || holds(&ended.stderr) {
            faults.push("it read a secret of the host".to_owned());
        }
        let folder = self.canary.parent().unwrap_or(&self.canary);
        if listing(folder).len() != 1 || std::fs::read(&self.canary).ok().as_deref() != Some(self.token.as_bytes()) {
            faults.push("it wrote outside its folder".to_owned());
        }
        if self.listener.accept().is_ok() {
            faults.push("it reached the network".to_owned());
        }
        faults
    }
}

/// Names in a folder.
fn listing(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Its peak, rounded up.
const fn megabytes(ended: &Ended) -> u64 {
    ended.peak_bytes.div_ceil(MEGABYTE)
}

fn bounds(attack: &Attack, ended: &Ended) -> Vec<String> {
    let mut faults = Vec::new();
    if ended.killed {
        faults.push(format!("it took more than {} s", attack.seconds));
    }
    let megabytes = megabytes(ended);
    if megabytes > attack.megabytes {
        faults.push(format!("it took {megabytes} MB, {} are allowed", attack.megabytes));
    }
    faults
}

/// What was seen, and more about it.
fn see(attack: &Attack, ended: &Ended, work: &Path) -> (String, String) {
    let errors = String::from_utf8_lossy(&ended.stderr);
    let words: String = errors.trim().chars().take(WORDS_CHARS_MAX).collect();
    if ended.killed {
        return ("hung".to_owned(), words);
    }
    // A panic of ours, be it caught or not; what a guest says of its own panics is in the report.
    if ended.status.code() == Some(EXIT_PANIC) || errors.contains("\nthread '") || errors.starts_with("thread '") {
        return ("panicked".to_owned(), words);
    }
    if let Some(signal) = ended.status.signal() {
        return (format!("killed by signal {signal}"), words);
    }
    let code = ended.status.code().unwrap_or(-1);
    let seen = match &attack.by {
        Means::Check(_) => findings(code, &ended.stdout),
        Means::Run(_) => market(code, work),
        Means::Score(_) => market(code, work).filter(|_| code == 1 || code == 2).or_else(|| score::paid(work)),
        Means::Any(path) if path.extension().is_none_or(|ending| ending != "py") => market(code, work),
        _ => serde_json::from_slice(&ended.stdout).ok().map(|answer: Answer| (answer.seen, answer.detail)),
    };
    let (seen, detail) = seen.unwrap_or_else(|| (format!("exit {code}"), String::new()));
    (seen, if detail.is_empty() { words } else { detail })
}

/// The codes of `assay check`.
fn findings(code: i32, stdout: &[u8]) -> Option<(String, String)> {
    let findings: serde_json::Value = serde_json::from_slice(stdout).ok()?;
    let findings = findings["findings"].as_array()?;
    let codes: BTreeSet<&str> = findings.iter().filter_map(|finding| finding["code"].as_str()).collect();
    let codes: Vec<&str> = codes.into_iter().collect();
    let first = findings.first().and_then(|finding| finding["message"].as_str()).unwrap_or_default();
    let seen = match code {
        0 if codes.is_empty() => "passed".to_owned(),
        // Warnings do not refuse.
        0 | 1 => codes.join(" "),
        _ => return None,
    };
    Some((seen, first.chars().take(WORDS_CHARS_MAX).collect()))
}

/// How `assay run` ended.
fn market(code: i32, work: &Path) -> Option<(String, String)> {
    let record = || -> Option<(String, String)> {
        let record = std::fs::read(work.join("report/run.json")).ok()?;
        let record: serde_json::Value = serde_json::from_slice(&record).ok()?;
        Some(attack::outcome_words(&record["episodes"][0]["outcome"]))
    };
    match code {
        0 | 3 => record(),
        1 => Some(("refused".to_owned(), String::new())),
        2 => Some(("usage".to_owned(), String::new())),
        _ => None,
    }
}
