//! What this machine has of what Assay needs: tools, protections of the kernel, room.

use super::Parts;
use super::attack::{self, Answer, Order};
use super::scale::measure;
use crate::settings::Machine;
use assay_compile::Toolchain;
use assay_docker::EngineUrl;
use assay_hostile::{Means, Python as Cells};
use assay_jail::{Invocation, Jail, JailError, Landlock, Limits, Network, Protections, system_libraries};
use assay_sandbox::PRECOMPILE_WORD;
use assay_sandbox::python::{PYTHON_COMPONENT_HINT, locate_component};
use serde::Serialize;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Memory that should be free: a compiler of each kind at its limit.
const MEMORY_MEGABYTES_MIN: u64 = 3 << 10;
/// Room that should be left where the cache is: its own limit, and a build.
const DISK_MEGABYTES_MIN: u64 = 2 << 10;

/// How it is with one thing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// There, and as it should be.
    Ok,
    /// There, with less than could be.
    Limited,
    /// Not there, and needed.
    Missing,
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub struct Probe {
    /// What it is.
    pub name: &'static str,
    /// How it is with it.
    pub state: State,
    /// What was found.
    pub found: String,
    /// What mends it: a command where there is one.
    pub hint: Option<String>,
}

impl Probe {
    fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, state: State::Ok, found: found.into(), hint: None }
    }

    fn limited(name: &'static str, found: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { name, state: State::Limited, found: found.into(), hint: Some(hint.into()) }
    }

    fn missing(name: &'static str, found: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { name, state: State::Missing, found: found.into(), hint: Some(hint.into()) }
    }
}

/// Looks at everything; `told` hears of each when it is known.
pub(super) fn examine(machine: &Machine, parts: Parts, mut told: impl FnMut(&Probe)) -> Vec<Probe> {
    let mut all = Vec::new();
    let mut add = |probes: Vec<Probe>| {
        probes.iter().for_each(&mut told);
        all.extend(probes);
    };
    add(toolchain());
    add(vec![cache(machine)]);
    add(jail(machine));
    add(vec![memory(), disk(machine)]);
    if parts.python {
        add(vec![python(machine)]);
    }
    if parts.containers {
        add(vec![engine()]);
    }
    all
}

/// Looks at what can be told at once: nothing is locked in, compiled or run but the compiler's `--version`.
pub fn look(machine: &Machine) -> Vec<Probe> {
    const PYTHON: &str = "Python guest";
    let mut probes = toolchain();
    probes.extend([cache(machine), memory(), disk(machine)]);
    probes.push(match component() {
        Ok(component) => Probe::ok(PYTHON, component),
        Err(found) => Probe::missing(PYTHON, found, PYTHON_COMPONENT_HINT),
    });
    probes.push(engine());
    probes
}

fn toolchain() -> Vec<Probe> {
    const NAMES: [&str; 2] = ["Rust compiler", "linker"];
    let toolchain = match Toolchain::find() {
        Ok(toolchain) => toolchain,
        Err(error) => return vec![Probe::missing(NAMES[0], error.to_string(), error.hint())],
    };
    let found = format!("{}, target {} installed", toolchain.version, assay_compile::TARGET);
    let linker = match toolchain.linker() {
        Some(_) => Probe::ok(NAMES[1], "rust-lld, part of the toolchain"),
        None => Probe::missing(
            NAMES[1],
            format!("no rust-lld in {}", toolchain.sysroot.display()),
            "install Rust with rustup (https://rustup.rs): its toolchains include the linker for WebAssembly",
        ),
    };
    vec![Probe::ok(NAMES[0], found), linker]
}

fn cache(machine: &Machine) -> Probe {
    const NAME: &str = "cache folder";
    let path = machine.cache.display();
    if let Err(error) = tempfile::tempfile_in(&machine.cache) {
        return Probe::missing(
            NAME,
            format!("{path} cannot be written: {error}"),
            "name another folder with --cache-dir or ASSAY_CACHE_DIR",
        );
    }
    Probe::ok(NAME, format!("{path}, {} MB in it", folder_bytes(&machine.cache) >> 20))
}

/// Bytes of the files in a folder and those below.
fn folder_bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => folder_bytes(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    bytes.sum()
}

/// Locks a child in and asks it what held.
fn jail(machine: &Machine) -> Vec<Probe> {
    match protections(&machine.helper) {
        Ok(held) => protection_probes(&held),
        Err(error) => {
            vec![Probe::missing("jail", error.to_string(), "compilers run in it, so nothing can be compiled here")]
        }
    }
}

fn protections(helper: &Path) -> Result<Protections, JailError> {
    let io = |source| JailError::Io { step: "create a folder for the jail", source };
    let folder = tempfile::tempdir().map_err(io)?;
    let mut read_only = system_libraries();
    read_only.push(helper.to_path_buf());
    let limits = Limits {
        memory_bytes: 1 << 30,
        cpu_seconds: 10,
        wall: Duration::from_secs(30),
        processes: 4,
        file_bytes: 0,
        open_files: 32,
        output_bytes: 1 << 10,
    };
    let jail = Jail { helper: helper.to_path_buf(), read_only, writable: folder.path().to_path_buf(), limits };
    // The compiler, with nothing to compile: it starts, and says no.
    let args = vec![PRECOMPILE_WORD.into()];
    let invocation = Invocation { program: helper.to_path_buf(), args, env: Vec::new(), stdin: Vec::new() };
    Ok(jail.run(&invocation)?.protections)
}

fn protection_probes(held: &Protections) -> Vec<Probe> {
    const NAMESPACES: &str = "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, or kernel.apparmor_restrict_unprivileged_userns=0)";
    let abi = held.landlock_abi;
    let landlock = match held.landlock {
        Landlock::Full => {
            Probe::ok("Landlock", format!("ABI {abi}: files, TCP, abstract sockets and signals are confined"))
        }
        Landlock::Partial => Probe::limited(
            "Landlock",
            format!("ABI {abi}: files are confined, but some of the rest is not"),
            "use Linux 6.12 or later, which confines all of it",
        ),
        Landlock::None => Probe::limited(
            "Landlock",
            "none: a compiler can read everything that its user can read",
            "boot a kernel of 5.13 or later with lsm=landlock",
        ),
    };
    let network = match held.network {
        Network::Namespace => Probe::ok("no network", "a separate network namespace"),
        Network::Landlock => Probe::limited("no network", "TCP is blocked, other protocols are open", NAMESPACES),
        Network::None => Probe::limited("no network", "a compiler can reach the network", NAMESPACES),
    };
    let yes = |name, holds: bool, good: &str, bad: &str| {
        if holds { Probe::ok(name, good) } else { Probe::limited(name, bad, NAMESPACES) }
    };
    vec![
        landlock,
        network,
        yes("private file tree", held.private_root, "only named paths exist", "file names are visible"),
        yes(
            "process tree",
            held.process_tree,
            "killing a process also kills its children",
            "a child process may survive",
        ),
        yes("process limit", held.processes, "limited per jail", "not enforced"),
        Probe::ok(
            "system calls",
            "not filtered: the jail does not use seccomp, so it does not contain kernel vulnerabilities",
        ),
    ]
}

fn memory() -> Probe {
    const NAME: &str = "memory";
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    room(NAME, kilobytes.map(|kilobytes| kilobytes >> 10), MEMORY_MEGABYTES_MIN, "close other programs")
}

fn disk(machine: &Machine) -> Probe {
    let free = rustix::fs::statvfs(&machine.cache).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) >> 20);
    room("disk", free, DISK_MEGABYTES_MIN, "name a cache folder with more room: --cache-dir or ASSAY_CACHE_DIR")
}

fn room(name: &'static str, megabytes: Option<u64>, least: u64, hint: &str) -> Probe {
    match megabytes {
        None => Probe::limited(name, "unknown", "mount /proc"),
        Some(free) if free < least => Probe::limited(name, format!("{free} MB free, {least} recommended"), hint),
        Some(free) => Probe::ok(name, format!("{free} MB free")),
    }
}

/// Runs an empty cell, so that the attacks find the interpreter compiled. In a child, as the attacks are.
fn python(machine: &Machine) -> Probe {
    const NAME: &str = "Python guest";
    /// A compilation of some tens of seconds on a slow machine, and its retry.
    const PATIENCE: Duration = Duration::from_secs(30 * 60);
    let missing = |found: String| Probe::missing(NAME, found, PYTHON_COMPONENT_HINT);
    let component = match component() {
        Ok(component) => component,
        Err(found) => return missing(found),
    };
    let means = Means::Python(Cells { cells: vec!["1 + 1".to_owned()] });
    let Ok(order) = serde_json::to_vec(&Order { means, cache: machine.cache.join("artifacts") }) else {
        return missing("it does not accept instructions".to_owned());
    };
    let ended = measure(&machine.helper, Command::new(&machine.helper).arg(attack::WORD), order, PATIENCE);
    let answer = ended.ok().and_then(|ended| serde_json::from_slice::<Answer>(&ended.stdout).ok());
    match answer {
        Some(answer) if answer.seen == "fine 2" => Probe::ok(NAME, component),
        Some(answer) => missing(format!("{component}: {} {}", answer.seen, answer.detail)),
        None => missing(format!("{component} does not start")),
    }
}

/// Where the interpreter is, or why it is nowhere.
fn component() -> Result<String, String> {
    match locate_component(None, |name| std::env::var(name).ok()) {
        Ok(component) if component.is_file() => Ok(component.display().to_string()),
        Ok(component) => Err(format!("there is no {}", component.display())),
        Err(error) => Err(error.to_string()),
    }
}

fn engine() -> Probe {
    const NAME: &str = "container engine";
    const HINT: &str = "make setup-docker (in a checkout), or https://docs.docker.com/engine/install; or --skip containers if you do not run bug-fix rollouts";
    let url = match std::env::var("DOCKER_HOST").ok().filter(|text| !text.is_empty()).map(|text| text.parse()) {
        None => EngineUrl::default(),
        Some(Ok(url)) => url,
        Some(Err(error)) => return Probe::missing(NAME, format!("DOCKER_HOST: {error}"), HINT),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Probe::missing(NAME, error.to_string(), HINT),
    };
    match runtime.block_on(assay_docker::engine_version(url)) {
        Ok(version) => Probe::ok(NAME, version),
        Err(error) => Probe::missing(NAME, error.to_string(), HINT),
    }
}
