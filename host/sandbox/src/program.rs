//! A sandbox, and the programs loaded into it.
//!
//! Invariant: native code is mapped only if this process's compile child has just made it or its authentication code verified.

use crate::cache::{self, CACHE_BYTES_MAX, obtain};
use crate::callback::Callback;
use crate::compile::{self, Artifact, CompileError, CompileLimits};
use crate::guest::Guest;
use crate::interface::{MEMORY, REALLOC};
use crate::profile::{self, Function};
use crate::watchdog::Watchdog;
use crate::{MEMORY_BYTES_MAX, engine, hooks, host};
use assay_cache::{Cache, CacheError, Origin};
use assay_jail::Allowance;
use assay_validator::CheckedComponent;
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use wasmtime::{Engine, InstancePre, Linker, Module, ModuleExport};

/// How a sandbox is set up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SandboxSettings {
    /// Folder of compiled artifacts; made if it is missing.
    pub cache_dir: PathBuf,
    /// Bytes that the folder may hold; [`SandboxSettings::new`] says [`CACHE_BYTES_MAX`].
    pub cache_bytes_max: u64,
    /// An executable that answers to `jail` and [`crate::PRECOMPILE_WORD`].
    pub helper: PathBuf,
    /// How many instances may exist at once. Address space is reserved for all of them.
    pub instances: u32,
    /// Wall-clock time after which a callback is taken to hang. Generous: fuel is what stops guests.
    pub watchdog: Duration,
    /// What a compilation may use.
    pub compile: CompileLimits,
}

impl SandboxSettings {
    /// 64 instances, a watchdog of 10 s, standard limits.
    #[must_use]
    pub fn new(cache_dir: PathBuf, helper: PathBuf) -> Self {
        Self {
            cache_dir,
            cache_bytes_max: CACHE_BYTES_MAX,
            helper,
            instances: 64,
            watchdog: Duration::from_secs(10),
            compile: CompileLimits::STANDARD,
        }
    }
}

/// What the engine says about a failure.
type EngineError = Box<dyn Error + Send + Sync>;

/// Why there is no sandbox.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The engine did not take the configuration, or memory for the pool could not be reserved.
    #[error("failed to set up the engine for {instances} instances")]
    Engine {
        /// Pool size.
        instances: u32,
        /// The engine's words.
        source: EngineError,
    },
    /// The watchdog thread did not start.
    #[error("failed to start the watchdog")]
    Watchdog(#[source] std::io::Error),
    /// The helper executable is not there.
    #[error("failed to find the helper executable {path}")]
    Helper {
        /// Where it should be.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
}

/// Why a component could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It does not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The artifact does not fit the engine or the pool.
    #[error("failed to load the compiled component")]
    Artifact(#[source] EngineError),
    /// It cannot be made to tell where its fuel goes.
    #[error("failed to instrument the component")]
    Instrument(#[source] EngineError),
    /// It does not fit the interface.
    #[error("failed to link the component to the exchange interface")]
    Link(#[source] EngineError),
    /// It lacks something that every strategy exports.
    #[error("failed to find the export `{0}` in the component")]
    Export(&'static str),
}

/// Why an instance could not be started. None of these is the guest's doing.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// As many instances as the pool holds exist already.
    #[error("failed to start an instance: the pool is full")]
    PoolFull,
    /// The budget names more memory than an instance can have.
    #[error("failed to start an instance with {asked} bytes of memory: the maximum is {MEMORY_BYTES_MAX}")]
    MemoryBudget {
        /// What was asked.
        asked: u64,
    },
    /// The engine failed.
    #[error("failed to start an instance")]
    Host(#[source] EngineError),
}

impl StartError {
    pub(crate) fn host(error: wasmtime::Error) -> Self {
        Self::Host(error.into())
    }
}

/// Compiles and runs checked components. Dropping it leaves its programs working.
pub struct Sandbox {
    shared: Arc<Shared>,
    /// A cache that did not open is a warning for every program, not an error.
    cache: Result<Cache, Arc<CacheError>>,
    helper: PathBuf,
    compile: CompileLimits,
}

struct Shared {
    engine: Engine,
    linker: Linker<Guest>,
    /// The same with the hooks of profiled programs.
    profiling_linker: Linker<Guest>,
    watchdog_period: Duration,
    _watchdog: Watchdog,
}

/// Where the callbacks, the memory and the allocator are among a module's exports.
#[derive(Clone)]
pub(crate) struct ExportIndices {
    pub(crate) initialize: ModuleExport,
    pub(crate) on_tick: ModuleExport,
    pub(crate) on_market_data: ModuleExport,
    pub(crate) on_order_update: ModuleExport,
    pub(crate) on_simulation_end: ModuleExport,
    pub(crate) memory: ModuleExport,
    pub(crate) realloc: ModuleExport,
}

/// A loaded component, ready to start any number of times, from any thread. Cheap to clone.
#[derive(Clone)]
pub struct Program {
    loaded: Arc<Loaded>,
    parameters: Arc<[Option<f64>]>,
}

struct Loaded {
    instance_pre: InstancePre<Guest>,
    exports: ExportIndices,
    /// Of a profiled program, by the numbers that its wrappers report.
    functions: Option<Arc<[Function]>>,
    origin: Origin,
    cache_warning: Option<Arc<CacheError>>,
    shared: Arc<Shared>,
}

impl Sandbox {
    /// Reserves the pool, starts the watchdog, opens the cache.
    ///
    /// # Errors
    /// See [`SandboxError`]. A cache that cannot be used is not an error; each program carries the warning.
    pub fn new(settings: &SandboxSettings) -> Result<Self, SandboxError> {
        let instances = settings.instances;
        let helper = compile::resolve_helper(&settings.helper)
            .map_err(|source| SandboxError::Helper { path: settings.helper.clone(), source })?;
        let setup = || {
            let engine = engine::runner(instances)?;
            let linker = host::linker(&engine)?;
            let mut profiling_linker = linker.clone();
            hooks::add_hooks(&mut profiling_linker)?;
            Ok((engine, linker, profiling_linker))
        };
        let (engine, linker, profiling_linker) =
            setup().map_err(|source: wasmtime::Error| SandboxError::Engine { instances, source: source.into() })?;
        let watchdog = Watchdog::start(&engine, settings.watchdog).map_err(SandboxError::Watchdog)?;
        let cache = cache::open(&settings.cache_dir, fingerprint(&engine), settings.cache_bytes_max).map_err(Arc::new);
        let watchdog_period = settings.watchdog;
        let shared = Shared { engine, linker, profiling_linker, watchdog_period, _watchdog: watchdog };
        Ok(Self { shared: Arc::new(shared), cache, helper, compile: settings.compile })
    }

    /// Compiles a component, or takes it from the cache, and links it.
    ///
    /// # Errors
    /// See [`LoadError`]. A component that failed to compile fails at once the next time, unless the limits have grown meanwhile.
    pub fn load(&self, component: &CheckedComponent) -> Result<Program, LoadError> {
        self.load_within(component, None)
    }

    /// As [`load`](Self::load), where what the compiler computes is taken out of the `allowance`.
    ///
    /// # Errors
    /// See [`LoadError`]. Whether the allowance is used up, whoever gave it asks.
    pub fn load_within(
        &self,
        component: &CheckedComponent,
        allowance: Option<&Allowance>,
    ) -> Result<Program, LoadError> {
        let module = component.module();
        let hash = component.hash();
        let compile = || compile::compile_as(Artifact::Strategy, &self.helper, &self.compile, module, allowance);
        let obtained = obtain(self.cache.as_ref().ok(), &hash, &self.compile, compile)?;
        let cache_warning = obtained.warning.map(Arc::new).or_else(|| self.cache.as_ref().err().cloned());
        self.link(&obtained.artifact, obtained.origin, cache_warning, None)
    }

    /// Compiles a component so that its verdicts hold a [`Profile`](crate::Profile): the same fuel and outcome as [`load`](Self::load) gives,
    /// at many times the cost. Never cached, because it is seldom wanted.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn load_profiled(&self, component: &CheckedComponent) -> Result<Program, LoadError> {
        let (module, functions) =
            profile::instrument(component.module()).map_err(|error| LoadError::Instrument(error.into()))?;
        let artifact = compile::compile(&self.helper, &self.compile, &module)?;
        self.link(&artifact, Origin::Compiled, None, Some(functions.into()))
    }

    fn link(
        &self,
        artifact: &[u8],
        origin: Origin,
        cache_warning: Option<Arc<CacheError>>,
        functions: Option<Arc<[Function]>>,
    ) -> Result<Program, LoadError> {
        let module = map(&self.shared.engine, artifact)?;
        let linker = if functions.is_some() { &self.shared.profiling_linker } else { &self.shared.linker };
        let instance_pre = linker.instantiate_pre(&module).map_err(|error| LoadError::Link(error.into()))?;
        let exports = ExportIndices::of(&module)?;
        let shared = Arc::clone(&self.shared);
        let loaded = Arc::new(Loaded { instance_pre, exports, functions, origin, cache_warning, shared });
        Ok(Program { loaded, parameters: Arc::default() })
    }
}

impl Program {
    /// The same program with its parameters set, by number; `None` leaves one at its default. Nothing is compiled.
    #[must_use]
    pub fn with_parameters(&self, parameters: impl Into<Arc<[Option<f64>]>>) -> Self {
        Self { loaded: Arc::clone(&self.loaded), parameters: parameters.into() }
    }

    pub(crate) fn parameters(&self) -> &Arc<[Option<f64>]> {
        &self.parameters
    }

    /// Where its native code came from.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.loaded.origin
    }

    /// Why the cache was of no use, if it was not.
    #[must_use]
    pub fn cache_warning(&self) -> Option<&CacheError> {
        self.loaded.cache_warning.as_deref()
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.loaded.shared.engine
    }

    pub(crate) fn instance_pre(&self) -> &InstancePre<Guest> {
        &self.loaded.instance_pre
    }

    pub(crate) fn exports(&self) -> &ExportIndices {
        &self.loaded.exports
    }

    /// Those of a profiled program.
    pub(crate) fn functions(&self) -> Option<&Arc<[Function]>> {
        self.loaded.functions.as_ref()
    }

    pub(crate) fn watchdog_period(&self) -> Duration {
        self.loaded.shared.watchdog_period
    }
}

impl ExportIndices {
    fn of(module: &Module) -> Result<Self, LoadError> {
        let find = |name: &'static str| module.get_export_index(name).ok_or(LoadError::Export(name));
        Ok(Self {
            initialize: find(Callback::Initialize.name())?,
            on_tick: find(Callback::OnTick.name())?,
            on_market_data: find(Callback::OnMarketData.name())?,
            on_order_update: find(Callback::OnOrderUpdate.name())?,
            on_simulation_end: find(Callback::OnSimulationEnd.name())?,
            memory: find(MEMORY)?,
            realloc: find(REALLOC)?,
        })
    }
}

/// What the engine makes of a component; a cache may hold artifacts of other kinds from other versions.
const ARTIFACT_KIND: &[u8] = b"module";

/// What an artifact depends on besides its component. The validator is in it because what it lets through is what was compiled.
fn fingerprint(engine: &Engine) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(ARTIFACT_KIND);
    // All crates of the workspace share one version.
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
    hasher.update(engine::fingerprint(engine).as_bytes());
    hasher.finalize()
}

/// Turns an artifact into code.
fn map(engine: &Engine, artifact: &[u8]) -> Result<Module, LoadError> {
    #[expect(unsafe_code, reason = "the engine offers no other way to load code that was compiled elsewhere")]
    // SAFETY: `deserialize` needs bytes that `precompile_module` made and nobody changed. They came either from the pipe of our
    // own compile child or from a cache entry whose MAC verified in this process's memory, which only a holder of the key can
    // make. They are copied, so a later change to the file does not matter. The engine checks its version and settings itself.
    let module = unsafe { Module::deserialize(engine, artifact) };
    module.map_err(|error| LoadError::Artifact(error.into()))
}
