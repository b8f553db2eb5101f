//! Raw flags become settings once; nothing below looks at flags, the environment or the folder layout again.

use crate::data;
use crate::exit::Failure;
use crate::ui;
use assay_evaluate::Seeds;
use assay_files::{Folder, Kind, Links};
use assay_market::{Draft, Scenario, ScenarioError};
use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::Read as _;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What this machine offers.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// The running executable, which is also the helper that locks itself in.
    pub helper: PathBuf,
    /// Where artifacts and the prepared SDK are kept; exists.
    pub cache: PathBuf,
}

impl Machine {
    /// Finds the executable and makes the cache folder.
    pub(crate) fn resolve(cache: Option<PathBuf>) -> Result<Self, Failure> {
        let helper = std::env::current_exe()
            .map_err(|error| Failure::infrastructure(format!("failed to find the running executable: {error}")))?;
        let cache = cache.or_else(default_cache).ok_or_else(|| {
            Failure::usage("no cache folder: neither HOME nor XDG_CACHE_HOME is set")
                .hint("name one with --cache-dir or ASSAY_CACHE_DIR")
        })?;
        std::fs::create_dir_all(&cache).and_then(|()| cache.canonicalize()).map(|cache| Self { helper, cache }).map_err(
            |error| {
                Failure::usage(format!("failed to make the cache folder {}: {error}", cache.display()))
                    .hint("name another folder with --cache-dir or ASSAY_CACHE_DIR")
            },
        )
    }
}

/// The folder that an environment variable names.
fn named(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn default_cache() -> Option<PathBuf> {
    named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache"))).map(|folder| folder.join("assay"))
}

/// Where `docker login` keeps who pulls from a registry.
pub(crate) fn docker_logins() -> Option<PathBuf> {
    let folder = named("DOCKER_CONFIG").or_else(|| named("HOME").map(|home| home.join(".docker")));
    folder.map(|folder| folder.join("config.json"))
}

/// The market of commands that are not told another.
pub(crate) const DEFAULT_SCENARIO: &str = "calm";

/// A scenario file larger than this is not one.
const SCENARIO_BYTES_MAX: u64 = 1 << 20;

/// A preset by name, or a TOML file by path, with the data files that it names.
pub(crate) fn scenario(text: &str) -> Result<Scenario, Failure> {
    changed_scenario(text, &[])
}

/// The same with `changes` on top, each a `key=value` as in TOML: `strategy.latency="5ms"`.
pub(crate) fn changed_scenario(text: &str, changes: &[String]) -> Result<Scenario, Failure> {
    let path = Path::new(text);
    if !is_scenario_path(text) && !assay_market::presets().iter().any(|preset| preset.name == text) {
        return Err(unknown_scenario(text));
    }
    let failed = |why: &dyn std::fmt::Display| Failure::usage(format!("failed to read the scenario {text}: {why}"));
    let explained = |error: ScenarioError| {
        let failure = failed(&error);
        match error.hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    };
    if changes.is_empty() && !is_scenario_path(text) {
        // As it was written: its text is what is shown, and what its hash is of.
        return Scenario::preset(text).ok_or_else(|| unknown_scenario(text));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let toml = if changes.is_empty() && is_scenario_path(text) {
        scenario_text(path).map_err(|why| failed(&why))?
    } else {
        // The last part of the path, because bases are looked for in the same folder.
        let base =
            if is_scenario_path(text) { path.file_name().unwrap_or_default().to_string_lossy() } else { text.into() };
        format!("base = {}\n{}\n", toml_string(&base), changes.join("\n"))
    };
    let mut find = |name: &str| {
        if !is_scenario_path(name) {
            return Err(format!("unknown preset `{name}`"));
        }
        let read = if path.file_name() == Some(OsStr::new(name)) {
            // The file that the user has named; whatever names it below is told that it goes in a circle.
            scenario_text(path)
        } else {
            base_text(folder, name)
        };
        read.map_err(|why| format!("failed to read {name}: {why}"))
    };
    let draft = Draft::parse_over(&toml, &mut find).map_err(explained)?;
    let data = data::load(&draft, folder)?;
    draft.complete(data).map_err(explained)
}

fn is_scenario_path(text: &str) -> bool {
    Path::new(text).extension().is_some_and(|extension| extension == "toml") || text.contains('/')
}

/// The text of a scenario file.
fn scenario_text(path: &Path) -> Result<String, String> {
    assay_files::read_text(path, Links::Followed, SCENARIO_BYTES_MAX).map_err(|error| error.to_string())
}

/// The text of a base. Scenarios come from others, so what one names is opened only where it lies itself, and not through a link.
fn base_text(folder: &Path, name: &str) -> Result<String, String> {
    let plain = name.trim_start_matches("./");
    if plain.contains('/') || plain == ".." {
        return Err("a base is a preset, or a file in the folder of the scenario".to_owned());
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    assay_files::read_text(&folder.join(plain), Links::Refused, SCENARIO_BYTES_MAX).map_err(|error| error.to_string())
}

/// Text as a TOML string: what JSON escapes, TOML's basic strings escape alike.
fn toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The error for a name that is not a preset, with the nearest one.
pub(crate) fn unknown_scenario(name: &str) -> Failure {
    let failure = Failure::usage(format!("there is no scenario `{name}`"));
    match assay_market::nearest(name) {
        Some(nearest) => failure.hint(format!("did you mean `{nearest}`? `assay scenarios` lists them all")),
        None => failure.hint("`assay scenarios` lists them all; a file needs a path that ends in .toml"),
    }
}

/// `20`, `5..8` or `3,7,11`.
pub(crate) fn seeds(text: &str) -> Result<Seeds, Failure> {
    let wrong = || {
        Failure::usage(format!("`{text}` is not a valid set of seeds"))
            .hint("`20` means seeds 1 to 20, `5..8` means 5, 6, 7 and 8, `3,7,11` means just those")
    };
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
    let seeds = if let Some((from, to)) = text.split_once("..") {
        Seeds::range(number(from)?, number(to.trim_start_matches('='))?)
    } else if text.contains(',') {
        Seeds::list(text.split(',').map(number).collect::<Result<_, _>>()?)
    } else {
        Seeds::count(number(text)?)
    };
    seeds.map_err(|error| Failure::usage(error).hint("for example: --seeds 20"))
}

/// As many as asked for, or one a processor.
pub(crate) fn threads(asked: Option<usize>) -> Result<NonZeroUsize, Failure> {
    const THREADS_MAX: usize = 1_024;
    match asked {
        None => Ok(std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)),
        Some(threads) => NonZeroUsize::new(threads).filter(|threads| threads.get() <= THREADS_MAX).ok_or_else(|| {
            Failure::usage(format!("--threads {threads} is out of range")).hint(format!("use 1 to {THREADS_MAX}"))
        }),
    }
}

/// A length of time such as `30s`: a number and a unit.
pub(crate) fn time_limit(text: &str) -> Result<Duration, Failure> {
    const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
    let wrong = || {
        Failure::usage(format!("`{text}` is not a valid timeout"))
            .hint("use a number and a unit, above zero and at most one day: `500ms`, `30s`, `5min`, `1h`")
    };
    let units = [("ms", 0.001), ("min", 60.0), ("s", 1.0), ("h", 3600.0)];
    let (number, seconds) =
        units.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds))).ok_or_else(wrong)?;
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number: f64 = number.parse().ok().filter(|_| is_plain).ok_or_else(wrong)?;
    let limit = Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())?;
    if limit.is_zero() || limit > LONGEST { Err(wrong()) } else { Ok(limit) }
}

/// Steps of an episode: `4`, `3..9` with both ends, `3..` or `..9`.
pub(crate) fn steps(text: &str) -> Result<RangeInclusive<usize>, Failure> {
    let wrong = || {
        Failure::usage(format!("`{text}` is not a valid range of steps"))
            .hint("`4` is one step, `3..9` is steps 3 to 9 inclusive, `3..` and `..9` are open-ended")
    };
    let number = |text: &str, open: usize| match text.trim() {
        "" => Ok(open),
        digits => digits.parse::<usize>().map_err(|_| wrong()),
    };
    let (from, to) = match text.split_once("..") {
        Some((from, to)) => (number(from, 0)?, number(to.trim_start_matches('='), usize::MAX)?),
        None => text.trim().parse().map(|step| (step, step)).map_err(|_| wrong())?,
    };
    if from > to { Err(wrong()) } else { Ok(from..=to) }
}

/// The name that a person who wrote `word` most likely meant: at most a third of its letters (two for a short word) are wrong.
pub(crate) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let tolerance = (word.chars().count() / 3).max(2);
    names
        .map(|name| (strsim::osa_distance(&word.to_lowercase(), name), name))
        .filter(|(distance, _)| *distance <= tolerance)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Files of which one stands beside each page.
const RECORDS: [&str; 2] = ["run.json", "observation.json"];

/// Entries of a report's folder that are looked at for what an earlier run has left: more than there are markets.
const LEFTOVERS_MAX: usize = 1_000;

/// Whether a file starts like a record of ours.
fn is_record(folder: &Folder, name: &str) -> bool {
    const OPENING_BYTES: u64 = 200;
    let mut opening = Vec::new();
    let Ok(file) = folder.file(name) else { return false };
    let read = file.take(OPENING_BYTES).read_to_end(&mut opening);
    let opening = String::from_utf8_lossy(&opening);
    read.is_ok()
        && [assay_evaluate::SCHEMA_NAME, assay_evaluate::OBSERVATION_SCHEMA_NAME]
            .iter()
            .any(|name| opening.contains(name))
}

/// The folder for the report: made, and proven writable before any work is done.
#[derive(Debug)]
pub(crate) struct ReportFolder {
    folder: Folder,
    /// Held as long as the run lasts: two runs would overwrite each other's files.
    _lock: File,
}

impl ReportFolder {
    /// Makes the folder and writes a probe into it. Refuses a folder whose index.html is somebody else's.
    pub(crate) fn prepare(path: &Path) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| {
            Failure::usage(format!("failed to write into the report folder {}: {error}", path.display()))
                .hint("choose another one with --out")
        };
        let folder = Folder::make(path).map_err(failed)?;
        let is_there = |name: &str| !matches!(folder.kind(name), Ok(None));
        let is_taken = is_there("index.html") || RECORDS.iter().any(|name| is_there(name));
        if is_taken && !RECORDS.iter().any(|name| is_record(&folder, name)) {
            return Err(Failure::usage(format!(
                "{} contains an index.html or a run.json that was not written by Assay; it was not touched",
                path.display()
            ))
            .hint("choose another folder with --out"));
        }
        folder.draft(0o600).map_err(failed)?;
        let lock = File::from(folder.as_fd().try_clone_to_owned().map_err(failed)?);
        match lock.try_lock() {
            Ok(()) => Ok(Self { folder, _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                Err(Failure::usage(format!("another run is writing into {}", path.display()))
                    .hint("wait for it, or choose another folder with --out"))
            }
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    /// A folder within this one for a report of its own.
    pub(crate) fn below(&self, name: &str) -> Result<Self, Failure> {
        Self::prepare(&self.folder.path().join(name))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Whether an earlier run left its report here.
    pub(crate) fn holds_report(&self) -> bool {
        matches!(self.folder.kind("run.json"), Ok(Some(Kind::File)))
    }

    /// Tells of reports in folders within this one that are not of `now`, the folders of this run's markets: an earlier run has left them.
    pub(crate) fn tell_leftovers(&self, now: &[String]) {
        let Ok(entries) = std::fs::read_dir(self.folder.path()) else { return };
        let is_old = |name: &String| {
            let record =
                Folder::open(&self.folder.path().join(name), Links::Refused).map(|below| is_record(&below, RECORDS[0]));
            !now.contains(name) && record.unwrap_or(false)
        };
        let names = entries.take(LEFTOVERS_MAX).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut old: Vec<String> = names.filter(is_old).collect();
        old.sort_unstable();
        if !old.is_empty() {
            let list: Vec<String> = old.iter().map(|name| ui::visible(name)).collect();
            ui::note(&format!(
                "{} also has reports of an earlier run: {}",
                self.folder.path().display(),
                list.join(", ")
            ));
        }
    }

    /// Writes a file whole or not at all.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
        let path = self.folder.path().join(name);
        self.folder
            .write(name, bytes, 0o644)
            .map_err(|error| Failure::infrastructure(format!("failed to write {}: {error}", path.display())))?;
        Ok(path)
    }
}
