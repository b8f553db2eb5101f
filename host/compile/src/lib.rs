//! Source to WebAssembly component: rustc in a jail, the embedded SDK, component wrapping.
//!
//! ```text
//! Source::open ──► one file ──► kept, or rustc against the prepared SDK ─┐
//!             ├──► a crate  ──► check, then cargo --offline ─────────────┴─► core module ──► component
//!             └──► a component ────────────────────────────────────────────► as it is
//! ```
//!
//! Invariants: hostile source never meets a compiler outside the jail; nothing of a crate runs while it is built; the same source,
//! SDK and compiler give the same bytes wherever and under whatever file name they are built; every wait and every buffer is
//! bounded; what was compiled before is used again only if nobody else can have written it. The SDK travels inside this library, so
//! an installed binary builds without the repository.
//!
//! Absent on purpose: the checks of source and component, which belong to the caller. Only the dependency check is here,
//! because cargo must not start before it.

mod cargo;
mod compiler;
mod error;
mod file;
mod hint;
mod kept;
mod message;
mod sdk;
mod source;
mod toolchain;
mod wrap;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use compiler::Compiled;
use kept::Shelf;

pub use assay_cache::{CacheError, Distrust, Origin};
pub use assay_jail::{Allowance, Protections};
pub use error::{BuildError, Exceeded};
pub use kept::KEPT_BYTES_MAX;
pub use message::{CompileMessage, Level, MESSAGE_CHARS_MAX, MESSAGES_MAX, Place, brief};
pub use sdk::{SDK_VERSION, sdk_hash};
pub use source::{CrateSource, Source, SourceError, SourceText, read_file};
pub use toolchain::{TARGET, Toolchain, ToolchainError};

/// How much a compiler may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BuildLimits {
    /// Processor time of each compiler process for one file or for the SDK, in whole seconds. The author's limit.
    pub file_seconds: u64,
    /// The same for a crate with its dependencies.
    pub crate_seconds: u64,
    /// Wall-clock time of one attempt at a file or at the SDK. It says something about the machine only: there is a second attempt.
    pub file_wall: Duration,
    /// The same for a crate.
    pub crate_wall: Duration,
    /// Wall-clock time of all attempts at one of them.
    pub wall: Duration,
    /// Address space of each compiler process, in bytes.
    pub memory_bytes: u64,
}

impl BuildLimits {
    /// An honest file takes well under a second and 600 MiB of address space; the rest is room for slow machines.
    pub const STANDARD: Self = Self {
        file_seconds: 20,
        crate_seconds: 120,
        file_wall: Duration::from_secs(300),
        crate_wall: Duration::from_secs(1_200),
        wall: Duration::from_secs(2_400),
        memory_bytes: 2 << 30,
    };

    /// These limits where nothing may take longer than `wall`.
    #[must_use]
    pub fn within(self, wall: Duration) -> Self {
        Self { wall: self.wall.min(wall), ..self }
    }
}

/// What a build needs to know about where it runs.
#[derive(Clone, Debug)]
pub struct BuildSettings {
    /// An executable that calls [`assay_jail::helper_main`] when its first argument is [`assay_jail::HELPER_WORD`].
    pub helper: PathBuf,
    /// Folder that keeps what was compiled between builds and in which builds work; made when missing.
    pub cache: PathBuf,
    /// Bytes that may be kept; [`BuildSettings::new`] says [`KEPT_BYTES_MAX`]. With 0 every file is compiled, and only the SDK is kept.
    pub kept_bytes_max: u64,
    /// Limits.
    pub limits: BuildLimits,
    /// The compiler, if it is known already: finding it takes two processes a build.
    pub toolchain: Option<Toolchain>,
    /// What the author may compute in all, of which compiling the source is a part. That of the SDK is not.
    pub allowance: Option<Allowance>,
}

impl BuildSettings {
    /// Settings with [`BuildLimits::STANDARD`].
    #[must_use]
    pub fn new(helper: PathBuf, cache: PathBuf) -> Self {
        let (limits, kept_bytes_max) = (BuildLimits::STANDARD, KEPT_BYTES_MAX);
        Self { helper, cache, kept_bytes_max, limits, toolchain: None, allowance: None }
    }

    /// Whole seconds of processor time that a compiler process may use where its own limit is `seconds`.
    pub(crate) fn seconds(&self, seconds: u64) -> u64 {
        let whole = |allowance: &Allowance| allowance.limit().as_millis().div_ceil(1_000).max(1);
        let allowed = self.allowance.as_ref().map_or(u128::MAX, whole);
        seconds.min(u64::try_from(allowed).unwrap_or(u64::MAX))
    }
}

/// What compiled a component; recorded with every result that depends on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MadeBy {
    /// Release of the SDK.
    pub sdk_version: &'static str,
    /// Hash of the SDK's sources and interface.
    pub sdk_hash: blake3::Hash,
    /// Release of rustc with its commit, as in `1.95.0 (59807616e 2026-04-14)`.
    pub rustc_version: String,
    /// Which protections held while it compiled.
    pub protections: Protections,
}

/// How long each phase took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Timings {
    /// Finding the compiler.
    pub toolchain: Duration,
    /// Looking for the module among what is kept, and keeping it.
    pub kept: Duration,
    /// Compiling the SDK; close to nothing when it was kept, nothing when it was not needed.
    pub sdk: Duration,
    /// Compiling the source, jail included; nothing when the module was kept.
    pub compile: Duration,
    /// Making a component of the module.
    pub wrap: Duration,
}

/// A component, not yet checked. Whether it was compiled now or before shows in `origin`, `cache_warning` and `timings` alone.
#[derive(Debug)]
pub struct Built {
    /// The component's bytes.
    pub component: Vec<u8>,
    /// The source: the file, or the crate's root file; `None` for a ready component.
    pub source: Option<SourceText>,
    /// What compiled it; `None` for a ready component.
    pub made_by: Option<MadeBy>,
    /// What the compiler warned about.
    pub warnings: Vec<CompileMessage>,
    /// Where the module came from; `None` for a ready component. [`Origin::Recompiled`] if the kept module or SDK could not be trusted.
    pub origin: Option<Origin>,
    /// Why what was compiled could not be kept, if it could not.
    pub cache_warning: Option<CacheError>,
    /// How long it took.
    pub timings: Timings,
}

/// Makes a component of a source.
///
/// # Errors
/// What the source got wrong ([`BuildError::Compile`], [`BuildError::Dependencies`], [`BuildError::NotAStrategy`],
/// [`BuildError::CompilerExceeded`]) and what this machine lacks (the rest).
pub fn build(source: &Source, settings: &BuildSettings) -> Result<Built, BuildError> {
    let mut timings = Timings::default();
    let find = |timings: &mut Timings| {
        timed(&mut timings.toolchain, || settings.toolchain.clone().map_or_else(Toolchain::find, Ok))
    };
    let (toolchain, compiled, (origin, cache_warning)) = match source {
        Source::Component { bytes, .. } => {
            return Ok(Built {
                component: bytes.clone(),
                source: None,
                made_by: None,
                warnings: Vec::new(),
                origin: None,
                cache_warning: None,
                timings,
            });
        }
        Source::File(text) => {
            let toolchain = find(&mut timings)?;
            let mut shelf = timed(&mut timings.kept, || Shelf::open(&toolchain, settings));
            let compiled = compiled_file(text, &toolchain, settings, &mut shelf, &mut timings)?;
            (toolchain, compiled, shelf.close())
        }
        Source::Crate(files) => {
            let toolchain = find(&mut timings)?;
            let compiled = timed(&mut timings.compile, || cargo::compile(files, &toolchain, settings))
                .map_err(|error| sdk::blamed(error, &toolchain, settings))?;
            (toolchain, compiled, (Origin::Compiled, None))
        }
    };
    let component = timed(&mut timings.wrap, || wrap::wrap(&compiled.module))?;
    let made_by = MadeBy {
        sdk_version: SDK_VERSION,
        sdk_hash: sdk_hash(),
        rustc_version: toolchain.version,
        protections: compiled.protections,
    };
    Ok(Built {
        component,
        source: source.root().cloned(),
        made_by: Some(made_by),
        warnings: compiled.warnings,
        origin: Some(origin),
        cache_warning,
        timings,
    })
}

/// What the compiler makes of a file, or made of it before.
fn compiled_file(
    text: &SourceText,
    toolchain: &Toolchain,
    settings: &BuildSettings,
    shelf: &mut Shelf,
    timings: &mut Timings,
) -> Result<Compiled, BuildError> {
    let identity = file::identity(text);
    if let Some(kept) = timed(&mut timings.kept, || shelf.module(&identity)) {
        return Ok(kept);
    }
    let library = timed(&mut timings.sdk, || library(toolchain, settings, shelf))?;
    // By now, what the attempt has written is gone.
    let compiled = timed(&mut timings.compile, || file::compile(text, &library, toolchain, settings))
        .map_err(|error| sdk::blamed(error, toolchain, settings))?;
    timed(&mut timings.kept, || shelf.keep_module(&identity, &compiled));
    Ok(compiled)
}

/// The compiled SDK, from the shelf or compiled now.
fn library(toolchain: &Toolchain, settings: &BuildSettings, shelf: &mut Shelf) -> Result<Vec<u8>, BuildError> {
    if let Some(bytes) = shelf.library() {
        return Ok(bytes);
    }
    let bytes = sdk::compile(toolchain, settings)?;
    shelf.keep_library(&bytes);
    Ok(bytes)
}

/// Adds the time that the work takes to what was spent.
fn timed<T>(spent: &mut Duration, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let result = work();
    *spent += started.elapsed();
    result
}
