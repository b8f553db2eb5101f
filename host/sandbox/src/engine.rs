//! The engine: which WebAssembly a strategy may use, how it is metered, and how much room an instance gets.
//!
//! Invariants: fuel decides and the epoch is only a watchdog; every proposal that strategies do not need is off; NaNs are
//! canonical; growth is priced. [`config`] alone fixes what compiled code looks like, so the compile child
//! ([`compiler`]) and the running side ([`runner`]) always agree on the artifact's compatibility hash.

use std::num::NonZeroUsize;
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, OperatorCost, OptLevel, PoolingAllocationConfig};
use wasmtime::{Strategy, WasmFeatures};

/// The most linear memory that one instance can be given, in bytes; a budget may only ask for less. Fixed by the pool's slots.
pub const MEMORY_BYTES_MAX: u64 = 64 << 20;
/// Entries of an instance's tables: room for the function pointers of a large strategy.
pub const TABLE_ELEMENTS_MAX: usize = 10_000;
/// Tables in a strategy: its function pointers, and one to spare.
pub const TABLES_MAX: u32 = 2;
/// Guest stack in bytes. Deep recursion traps long before the host's stack is in danger.
const STACK_BYTES: usize = 256 << 10;
/// Frames kept of a guest's backtrace: the panic machinery takes about eight.
const BACKTRACE_FRAMES_MAX: NonZeroUsize = NonZeroUsize::new(32).unwrap();
/// Memory kept resident in a freed slot, in bytes: zeroing it is cheaper than faulting it in again.
const RESIDENT_BYTES: usize = 1 << 20;
/// The same for a table; all of the largest.
const TABLE_RESIDENT_BYTES: usize = TABLE_ELEMENTS_MAX * size_of::<usize>();
/// Fuel for each 64 KiB page of growth; the largest the engine can charge. Zeroing pages is work that plain fuel does not see.
const FUEL_PER_PAGE: u8 = 255;

/// What operators cost; `docs/fuel.md` is written from it.
pub(crate) fn operator_cost() -> OperatorCost {
    let mut cost = OperatorCost::new();
    cost.variable.memory_grow_per_page = FUEL_PER_PAGE;
    cost
}

/// What strategies and cells have in common of everything that shapes compiled code or guest-visible behaviour: the same instructions are off, besides those
/// in `off`, and nothing depends on the machine.
pub(crate) fn base_config(off: WasmFeatures) -> Config {
    let never = WasmFeatures::SIMD
        | WasmFeatures::RELAXED_SIMD
        | WasmFeatures::THREADS
        | WasmFeatures::MEMORY64
        | WasmFeatures::MULTI_MEMORY
        | WasmFeatures::TAIL_CALL
        | WasmFeatures::EXCEPTIONS
        | WasmFeatures::GC
        | WasmFeatures::GC_TYPES
        | WasmFeatures::FUNCTION_REFERENCES
        | WasmFeatures::CUSTOM_PAGE_SIZES
        | WasmFeatures::WIDE_ARITHMETIC
        | WasmFeatures::STACK_SWITCHING;
    let mut config = Config::new();
    config
        .strategy(Strategy::Cranelift)
        .cranelift_opt_level(OptLevel::Speed)
        .cranelift_nan_canonicalization(true)
        .relaxed_simd_deterministic(true)
        .wasm_features(never | off, false)
        .shared_memory(false)
        .consume_fuel(true)
        .operator_cost(operator_cost())
        .memory_init_cow(true)
        .memory_may_move(false)
        .native_unwind_info(false)
        // Function names come from the name section; offsets into the binary would help nobody.
        .generate_address_map(false)
        // Said outright, because the default reads an environment variable.
        .wasm_backtrace_details(wasmtime::WasmBacktraceDetails::Disable);
    config
}

fn config() -> Config {
    let mut config = base_config(WasmFeatures::EXTENDED_CONST | WasmFeatures::COMPONENT_MODEL);
    config
        .epoch_interruption(true)
        .max_wasm_stack(STACK_BYTES)
        .memory_reservation(MEMORY_BYTES_MAX)
        .memory_guard_size(32 << 20)
        .wasm_backtrace_max_frames(Some(BACKTRACE_FRAMES_MAX));
    config
}

/// So many freed slots are given back to the system together.
const DECOMMIT_BATCH: u32 = 16;

/// An engine that only compiles: no pool, so it fits under a small address-space limit.
pub(crate) fn compiler() -> wasmtime::Result<Engine> {
    Engine::new(&config())
}

/// An engine that runs `instances` at once, and some more, with memory reserved for all of them.
pub(crate) fn runner(instances: u32) -> wasmtime::Result<Engine> {
    let mut pool = PoolingAllocationConfig::new();
    // A slot that was freed is not there at once: one batch may be waiting while another thread empties the last.
    let slots = instances.saturating_add(2 * DECOMMIT_BATCH);
    pool.total_core_instances(slots)
        .total_memories(slots)
        .total_tables(slots.saturating_mul(TABLES_MAX))
        .max_memory_size(MEMORY_BYTES_MAX as usize)
        .max_memories_per_module(1)
        .max_tables_per_module(TABLES_MAX)
        .table_elements(TABLE_ELEMENTS_MAX)
        .linear_memory_keep_resident(RESIDENT_BYTES)
        .table_keep_resident(TABLE_RESIDENT_BYTES)
        .decommit_batch_size(DECOMMIT_BATCH as usize)
        .pagemap_scan(Enabled::Auto);
    let mut config = config();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    Engine::new(&config)
}

/// What an artifact depends on besides the module: compiler, target, features, fuel costs. Equal for [`compiler`] and [`runner`].
pub(crate) fn fingerprint(engine: &Engine) -> blake3::Hash {
    let mut hasher = Blake3Hasher(blake3::Hasher::new());
    std::hash::Hash::hash(&engine.precompile_compatibility_hash(), &mut hasher);
    hasher.0.finalize()
}

/// Feeds `Hash` implementations into BLAKE3: the result must hold across processes, which the standard hasher does not promise.
struct Blake3Hasher(blake3::Hasher);

impl std::hash::Hasher for Blake3Hasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let mut first = [0; 8];
        first.copy_from_slice(&self.0.finalize().as_bytes()[..8]);
        u64::from_le_bytes(first)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_pool_does_not_change_the_fingerprint() {
        let (compiler, runner) = (super::compiler().unwrap(), super::runner(2).unwrap());
        assert_eq!(super::fingerprint(&compiler), super::fingerprint(&runner));
    }
}
