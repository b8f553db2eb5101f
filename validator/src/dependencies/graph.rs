//! What cargo itself makes of the crate: its targets and, where a lock file pins it, the whole graph.
//!
//! Nothing of the guest runs: `cargo metadata` builds nothing, is offline, and is started in the root folder, where no configuration of the
//! guest applies. Without a lock file the graph is not asked for, because cargo would write one into the guest's folder;
//! the allow-list of direct dependencies is the guard then. Every other failure to answer refuses the crate.

use super::allow_list::{self, SDK};
use super::at;
use crate::code::Code;
use crate::finding::Findings;
use crate::limits::{CARGO_ANSWER_BYTES_MAX, CARGO_WALL};
use cargo_metadata::{Metadata, MetadataCommand, Package};
use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// How often is looked whether cargo has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// All that cargo sees of the host's environment: where it and its registry are, and which toolchain the host chose.
const ENVIRONMENT: &[&str] = &["PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"];

/// Asks cargo, and adds what only cargo can know.
pub(super) fn check(manifest_path: &Path, locked: bool, findings: &mut Findings) {
    let manifest_path = match manifest_path.canonicalize() {
        Ok(path) => path,
        Err(error) => return unresolved(&error.to_string(), findings),
    };
    let mut own = MetadataCommand::new();
    own.manifest_path(&manifest_path).current_dir("/").other_options(["--offline".to_owned()]);
    let mut whole = own.clone();
    own.no_deps();
    whole.other_options(["--offline".to_owned(), "--locked".to_owned()]);
    let own = match ask(&own) {
        Ok(metadata) => metadata,
        Err(reason) => return unresolved(&reason, findings),
    };
    for package in &own.packages {
        check_targets("Cargo.toml", package, findings);
    }
    if !locked || findings.has_errors() {
        return;
    }
    match ask(&whole) {
        Ok(metadata) => {
            let own: Vec<_> = own.packages.iter().map(|package| &package.id).collect();
            for package in metadata.packages.iter().filter(|package| !own.contains(&&package.id)) {
                check_package(package, findings);
            }
        }
        Err(reason) => unresolved(&reason, findings),
    }
}

/// Runs cargo with bounds on time, output and what it sees of the host. The error says why there is no answer.
fn ask(command: &MetadataCommand) -> Result<Metadata, String> {
    let known = ENVIRONMENT.iter().filter_map(|&name| Some((name, std::env::var_os(name)?)));
    let mut command = command.cargo_command();
    command.env_clear().envs(known).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("cargo cannot be started: {error}"))?;
    let answer = read_apart(child.stdout.take());
    let complaint = read_apart(child.stderr.take());
    let deadline = Instant::now() + CARGO_WALL;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Ok(status),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(POLL_INTERVAL),
            Ok(None) => break Err(format!("cargo did not answer within {} s", CARGO_WALL.as_secs())),
            Err(error) => break Err(error.to_string()),
        }
    };
    let status = status.inspect_err(|_| {
        // It may have ended by itself meanwhile, which is as good.
        let _ = child.kill();
        let _ = child.wait();
    })?;
    // Something that cargo started may hold the pipes open: waiting for it has the same deadline.
    let text = |pipe: Receiver<Vec<u8>>| {
        let left = deadline.saturating_duration_since(Instant::now());
        pipe.recv_timeout(left).map_err(|_| "cargo's answer is incomplete".to_owned())
    };
    if !status.success() {
        return Err(String::from_utf8_lossy(&text(complaint)?).into_owned());
    }
    let answer = text(answer)?;
    if answer.len() as u64 > CARGO_ANSWER_BYTES_MAX {
        return Err(format!("cargo's answer is larger than {CARGO_ANSWER_BYTES_MAX} bytes"));
    }
    MetadataCommand::parse(String::from_utf8_lossy(&answer)).map_err(|error| error.to_string())
}

/// Reads a pipe on a thread of its own, up to one byte above the limit. Closing it then ends a cargo that goes on writing.
fn read_apart(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // What was read before an error is judged like a shorter answer: it does not parse.
            let _ = pipe.take(CARGO_ANSWER_BYTES_MAX + 1).read_to_end(&mut bytes);
        }
        // Nobody waits any more after the deadline.
        let _ = sender.send(bytes);
    });
    receiver
}

fn unresolved(text: &str, findings: &mut Findings) {
    // Cargo's message is long and names folders of the host; its first line says what is wrong.
    let reason =
        text.lines().find(|line| line.contains("error:")).or_else(|| text.lines().next()).unwrap_or_default().trim();
    let message = format!("cargo cannot resolve the crate offline: {}", reason.chars().take(200).collect::<String>());
    findings.push(at(Code::UnresolvedGraph, "Cargo.toml", "", message));
}

fn check_targets(file: &str, package: &Package, findings: &mut Findings) {
    for target in &package.targets {
        let key = format!("{}.{}", package.name, target.name);
        if target.is_custom_build() {
            findings.push(at(Code::BuildScript, file, &key, format!("`{}` has a build script", package.name)));
        }
        if target.is_proc_macro() {
            findings.push(at(Code::ProcMacroCrate, file, &key, format!("`{}` is a procedural macro", package.name)));
        }
    }
    if package.links.is_some() {
        findings.push(at(
            Code::NativeLibrary,
            file,
            &package.name,
            format!("`{}` links a native library", package.name),
        ));
    }
}

fn check_package(package: &Package, findings: &mut Findings) {
    let from_registry = package.source.as_ref().is_some_and(cargo_metadata::Source::is_crates_io);
    let name = package.name.as_str();
    let known = match allow_list::find(name) {
        Some(allowed) => from_registry && allowed.range().matches(&package.version),
        None => name == SDK && package.source.is_none(),
    };
    if !known {
        let message = format!("`{name} {}` is not an allowed crate", package.version);
        findings.push(at(Code::UnlistedCrate, "Cargo.lock", name, message).limit(allow_list::names()));
    }
    check_targets("Cargo.lock", package, findings);
}
