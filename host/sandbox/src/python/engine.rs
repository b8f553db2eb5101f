//! The Python engine: one compiled interpreter, shared by all sessions of a process.
//!
//! ```text
//! component ──(linked and compiled in a jail, or authenticated cache)──► artifact ──map once──► PythonEngine ──start──► PythonSession
//! ```
//!
//! Invariants: its own engine, whose settings no strategy sees; a session's memory is a copy-on-write view of the frozen interpreter's, so a
//! start copies nothing; whatever the component imports and is not linked here makes opening fail.

use super::bindings::wasi::{cli as cli_bindings, filesystem, random};
use super::exports::Exports;
use super::guest::{self, GuestError};
use super::limits::{MEMORY_BYTES_MAX, TABLE_ELEMENTS_MAX};
use super::merge::merge;
use super::state::Guest;
use super::strategy::{self, StrategyExports};
use super::{cli, tools};
use crate::cache::{self, obtain};
use crate::compile::{self, Artifact, CompileError, CompileLimits};
use crate::engine::base_config;
use crate::{CACHE_BYTES_MAX, CacheError, Origin};
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use wasmtime::component::{Component, HasSelf, InstancePre, Linker};
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, WasmFeatures};

/// Core instances in the component once its modules are linked: the interpreter, and the glue before and after it.
const CORE_INSTANCES_MAX: u32 = 4;
/// Tables of one session: the function pointers of the interpreter, and the glue's.
const TABLES_MAX: u32 = 4;
/// Bytes of a core instance's own data: the interpreter imports and exports thousands of functions.
const CORE_INSTANCE_BYTES_MAX: usize = 4 << 20;
/// Guest stack in bytes. Python's own limit on recursion is met first, except by code that recurses in C.
const STACK_BYTES: usize = 4 << 20;
/// Stack of the fiber that a call runs on: the guest's, and room for host functions.
const FIBER_STACK_BYTES: usize = STACK_BYTES + (1 << 20);
/// Memory kept resident in a freed slot, in bytes: what an ordinary session has written, so that it need not be faulted in again.
const RESIDENT_BYTES: usize = 1 << 20;
/// Table entries kept resident in a freed slot, in bytes: the interpreter's function pointers.
const TABLE_RESIDENT_BYTES: usize = 64 << 10;

/// How an engine is set up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PythonSettings {
    /// The interpreter; see [`super::locate_component`].
    pub component: PathBuf,
    /// Folder of compiled artifacts; made if it is missing. May be the one of strategies.
    pub cache_dir: PathBuf,
    /// Bytes that the folder may hold.
    pub cache_bytes_max: u64,
    /// An executable that answers to `jail` and [`crate::PRECOMPILE_WORD`].
    pub helper: PathBuf,
    /// How many sessions may exist at once. 6 GiB of address space is reserved for each, memory is not.
    pub sessions: u32,
    /// Computing time of one cell, waiting for host calls not counted, after which it is taken to hang. Generous: fuel is what stops cells.
    pub watchdog: Duration,
    /// What the compilation may use.
    pub compile: CompileLimits,
}

impl PythonSettings {
    /// 64 sessions, a watchdog of 300 s, a compilation of at most 600 CPU seconds in 6 GiB.
    #[must_use]
    pub fn new(component: PathBuf, cache_dir: PathBuf, helper: PathBuf) -> Self {
        Self {
            component,
            cache_dir,
            cache_bytes_max: CACHE_BYTES_MAX,
            helper,
            sessions: 64,
            watchdog: Duration::from_secs(300),
            compile: CompileLimits { memory_bytes: 6 << 30, cpu_seconds: 600, wall: Duration::from_secs(900) },
        }
    }
}

type EngineError = Box<dyn Error + Send + Sync>;

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The component is not there. [`super::PYTHON_COMPONENT_HINT`] helps.
    #[error(transparent)]
    Guest(#[from] GuestError),
    /// The helper executable is not there.
    #[error("failed to find the helper executable {path}")]
    Helper {
        /// Where it should be.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The component does not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The engine did not take the configuration, or address space for the pool could not be reserved.
    #[error("failed to set up the Python engine for {sessions} sessions")]
    Engine {
        /// Pool size.
        sessions: u32,
        /// The engine's words.
        source: EngineError,
    },
    /// The artifact does not fit the engine.
    #[error("failed to load the compiled Python interpreter")]
    Artifact(#[source] EngineError),
    /// The component imports what there is none of, or lacks an export.
    #[error("failed to link the Python interpreter")]
    Link(#[source] EngineError),
}

/// A compiled interpreter. Cheap to clone; shared by threads.
#[derive(Clone)]
pub struct PythonEngine(pub(super) Arc<Opened>);

pub(super) struct Opened {
    pub(super) engine: Engine,
    /// For cells.
    pub(super) instance_pre: InstancePre<Guest>,
    /// For strategies, and for reading them: what only cells have is refused.
    pub(super) strategy_pre: InstancePre<Guest>,
    pub(super) exports: Exports,
    pub(super) strategy: StrategyExports,
    pub(super) watchdog: Duration,
    component: blake3::Hash,
    origin: Origin,
    cache_warning: Option<CacheError>,
}

impl PythonEngine {
    /// Compiles the interpreter, which takes some tens of seconds, or takes it from the cache.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(settings: &PythonSettings) -> Result<Self, OpenError> {
        let component = guest::read(&settings.component)?;
        let helper = compile::resolve_helper(&settings.helper)
            .map_err(|source| OpenError::Helper { path: settings.helper.clone(), source })?;
        let sessions = settings.sessions;
        let engine = runner(sessions).map_err(|source| OpenError::Engine { sessions, source: source.into() })?;
        let hash = blake3::hash(&component);
        let cache = cache::open(&settings.cache_dir, fingerprint(&engine), settings.cache_bytes_max);
        let compile = || compile::compile_as(Artifact::Python, &helper, &settings.compile, &component, None);
        let obtained = obtain(cache.as_ref().ok(), &hash, &settings.compile, compile)?;
        let origin = obtained.origin;
        let cache_warning = obtained.warning.or(cache.err());
        let compiled = map(&engine, &obtained.artifact)?;
        let link = || {
            let instance_pre = linker(&engine, &compiled, Use::Cells)?.instantiate_pre(&compiled)?;
            let strategy_pre = linker(&engine, &compiled, Use::Strategies)?.instantiate_pre(&compiled)?;
            Ok((instance_pre, strategy_pre, Exports::of(&compiled)?, StrategyExports::of(&compiled)?))
        };
        let (instance_pre, strategy_pre, exports, strategy) =
            link().map_err(|error: wasmtime::Error| OpenError::Link(error.into()))?;
        let opened = Opened {
            engine,
            instance_pre,
            strategy_pre,
            exports,
            strategy,
            watchdog: settings.watchdog,
            component: hash,
            origin,
            cache_warning,
        };
        Ok(Self(Arc::new(opened)))
    }

    /// The hash of the interpreter. Sessions behave the same only on the same one: a trajectory should say which.
    #[must_use]
    pub fn component_hash(&self) -> blake3::Hash {
        self.0.component
    }

    /// Where its native code came from.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.0.origin
    }

    /// Why the cache was of no use, if it was not.
    #[must_use]
    pub fn cache_warning(&self) -> Option<&CacheError> {
        self.0.cache_warning.as_ref()
    }
}

/// Everything that shapes compiled code or guest-visible behaviour.
fn config() -> Config {
    let mut config = base_config(WasmFeatures::CM_ASYNC);
    config
        .concurrency_support(false)
        .max_wasm_stack(STACK_BYTES)
        .async_stack_size(FIBER_STACK_BYTES)
        .wasm_backtrace_max_frames(None);
    config
}

/// The artifact of a component.
pub(crate) fn compile(component: &[u8]) -> wasmtime::Result<Vec<u8>> {
    Engine::new(&config())?.precompile_component(&merge(component)?)
}

fn runner(sessions: u32) -> wasmtime::Result<Engine> {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(sessions)
        .total_core_instances(sessions.saturating_mul(CORE_INSTANCES_MAX))
        .total_memories(sessions)
        .total_tables(sessions.saturating_mul(TABLES_MAX))
        // A session in a cell has one; a destructor of a resource that the cell drops may need a second one for a moment.
        .total_stacks(sessions.saturating_mul(2))
        .max_core_instances_per_component(CORE_INSTANCES_MAX)
        .max_memories_per_component(1)
        .max_tables_per_component(TABLES_MAX)
        .max_tables_per_module(TABLES_MAX)
        .max_memories_per_module(1)
        .max_memory_size(MEMORY_BYTES_MAX as usize)
        .max_core_instance_size(CORE_INSTANCE_BYTES_MAX)
        .max_component_instance_size(CORE_INSTANCE_BYTES_MAX)
        .table_elements(TABLE_ELEMENTS_MAX)
        .linear_memory_keep_resident(RESIDENT_BYTES)
        .table_keep_resident(TABLE_RESIDENT_BYTES)
        .decommit_batch_size(16)
        .pagemap_scan(Enabled::Auto);
    let mut config = config();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    Engine::new(&config)
}

/// What the engine makes of a component, [`merge`] included; artifacts of strategies have another.
const ARTIFACT_KIND: &[u8] = b"python, one module";

fn fingerprint(engine: &Engine) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(ARTIFACT_KIND);
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
    hasher.update(crate::engine::fingerprint(engine).as_bytes());
    hasher.finalize()
}

fn map(engine: &Engine, artifact: &[u8]) -> Result<Component, OpenError> {
    #[expect(unsafe_code, reason = "the engine offers no other way to load code that was compiled elsewhere")]
    // SAFETY: as for strategies: the bytes came from the pipe of our own compile child, or from a cache entry whose MAC verified in this
    // process's memory, and are copied.
    let component = unsafe { Component::deserialize(engine, artifact) };
    component.map_err(|error| OpenError::Artifact(error.into()))
}

/// What an interpreter is for. The component is the same and imports the same; what is behind an import is not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    /// Cells of a session: files and the host's tools, no exchange.
    Cells,
    /// One strategy: the exchange, no tools.
    Strategies,
}

/// Everything that the component may import, interface by interface. `docs/hostile.md` has an entry for each.
pub(crate) fn linker(engine: &Engine, component: &Component, of: Use) -> wasmtime::Result<Linker<Guest>> {
    let mut linker = Linker::new(engine);
    wasmtime_wasi_io::add_to_linker_async(&mut linker)?;
    cli::link_poll(&mut linker)?;
    let l = &mut linker;
    type D = HasSelf<Guest>;
    cli_bindings::environment::add_to_linker::<_, D>(l, |guest| guest)?;
    cli_bindings::exit::add_to_linker::<_, D>(l, |guest| guest)?;
    cli_bindings::stdin::add_to_linker::<_, D>(l, |guest| guest)?;
    cli_bindings::stdout::add_to_linker::<_, D>(l, |guest| guest)?;
    cli_bindings::stderr::add_to_linker::<_, D>(l, |guest| guest)?;
    cli_bindings::terminal_input::add_to_linker::<_, D>(l, |guest| guest)?;
    cli_bindings::terminal_output::add_to_linker::<_, D>(l, |guest| guest)?;
    cli_bindings::terminal_stdin::add_to_linker::<_, D>(l, |guest| guest)?;
    cli_bindings::terminal_stdout::add_to_linker::<_, D>(l, |guest| guest)?;
    cli_bindings::terminal_stderr::add_to_linker::<_, D>(l, |guest| guest)?;
    filesystem::types::add_to_linker::<_, D>(l, |guest| guest)?;
    filesystem::preopens::add_to_linker::<_, D>(l, |guest| guest)?;
    random::random::add_to_linker::<_, D>(l, |guest| guest)?;
    cli::link_clocks(&mut linker)?;
    cli::link_refused_sockets(&mut linker, component)?;
    match of {
        Use::Cells => {
            tools::link(&mut linker)?;
            strategy::link_refused(&mut linker)?;
        }
        Use::Strategies => {
            tools::link_refused(&mut linker)?;
            strategy::link(&mut linker)?;
        }
    }
    Ok(linker)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use wit_component::DecodedWasm;
    use wit_parser::WorldItem;

    const PAGE: &str = include_str!("../../../../docs/hostile.md");

    /// What an interpreter can call is what its component imports: anything else that is linked is out of its reach.
    #[test]
    fn every_host_call_has_an_entry_in_the_table() {
        let path =
            super::guest::locate_component(None, |name| std::env::var(name).ok()).expect("there is a home folder");
        let component = super::guest::read(&path)
            .unwrap_or_else(|error| panic!("{error}; {}", super::super::PYTHON_COMPONENT_HINT));
        let Ok(DecodedWasm::Component(resolve, world)) = wit_component::decode(&component) else {
            panic!("the interpreter is a component")
        };
        let mut missing = BTreeMap::new();
        for (key, item) in &resolve.worlds[world].imports {
            let WorldItem::Interface { id, .. } = item else { continue };
            let interface = resolve.name_world_key(key);
            let interface = interface.split('@').next().unwrap_or_default();
            let functions: BTreeSet<String> = resolve.interfaces[*id]
                .functions
                .keys()
                .map(|name| name.split(']').next_back().unwrap_or(name).to_owned())
                .collect();
            let mut listed = crate::table::calls_of(PAGE, interface);
            if interface == "assay:python/host" {
                // What can be asked for by its one call.
                listed.retain(|call| call == "call");
            }
            let refused = interface.starts_with("wasi:sockets/") && PAGE.contains("| `wasi:sockets/*` |");
            let unlisted: Vec<String> = functions.difference(&listed).cloned().collect();
            if !refused && !unlisted.is_empty() {
                missing.insert(interface.to_owned(), unlisted);
            }
        }
        assert!(missing.is_empty(), "{missing:#?}");
    }
}
