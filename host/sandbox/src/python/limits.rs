//! Every limit of a Python session, by name.

/// What a session may use. `STANDARD` suits the repair of a repository by a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PythonLimits {
    /// Fuel of one cell. A fuel is about one WebAssembly operator or a nanosecond; the interpreter takes about a hundred for one bytecode.
    pub fuel_cell: u64,
    /// Fuel of all cells together.
    pub fuel_episode: u64,
    /// Linear memory in bytes, at most [`MEMORY_BYTES_MAX`]. The frozen interpreter begins with about 40 MB of it, shared until written.
    pub memory_bytes: u64,
    /// Bytes kept of each of standard output and standard error, for each cell; the rest is counted and dropped.
    pub output_bytes: usize,
    /// Files and folders open at once.
    pub descriptors: u32,
    /// Calls to the host's tools in one cell.
    pub host_calls_cell: u32,
    /// Bytes of a cell's source.
    pub code_bytes: usize,
}

impl PythonLimits {
    /// 20 G fuel a cell (some 20 s of work), 200 G an episode, 512 MiB, 64 KiB of output, 256 descriptors, 64 host calls, 256 KiB of code.
    pub const STANDARD: Self = Self {
        fuel_cell: 20_000_000_000,
        fuel_episode: 200_000_000_000,
        memory_bytes: 512 << 20,
        output_bytes: 64 << 10,
        descriptors: 256,
        host_calls_cell: 64,
        code_bytes: 256 << 10,
    };
}

/// The most linear memory that one session can be given, in bytes.
pub const MEMORY_BYTES_MAX: u64 = 2 << 30;
/// Bytes of the name and the arguments of one call to the host; more ends the interpreter. The runner refuses far earlier.
pub const HOST_CALL_BYTES_MAX: usize = 8 << 20;
/// Bytes that go back into the guest from one call; the rest is cut off, and the text says so.
pub const HOST_ANSWER_BYTES_MAX: usize = 1 << 20;
/// Bytes of random data in one request; more ends the interpreter. `os.urandom` asks for 256 at a time.
pub(crate) const RANDOM_BYTES_MAX: u64 = 64 << 10;
/// Entries of all folders that are being listed at once, which lie in the host's memory. Larger folders can be searched, not listed.
pub(crate) const LISTED_ENTRIES_MAX: usize = 400_000;
/// Bytes that one read or write moves; more is done in pieces, as the interface allows.
pub(crate) const TRANSFER_BYTES_MAX: usize = 1 << 20;
/// Bytes of all scratch files, which lie in the host's memory.
pub(crate) const SCRATCH_BYTES_MAX: u64 = 64 << 20;
/// Scratch files and folders.
pub(crate) const SCRATCH_INODES_MAX: u64 = 10_000;
/// Things that the guest holds handles of, for each file that it may have open: the descriptor, a stream, what waits on it.
pub(crate) const HANDLES_PER_DESCRIPTOR: usize = 4;
/// Handles besides those of open files: standard streams and mounts.
pub(crate) const HANDLES_BASE: usize = 64;
/// Bytes kept of a failure's summary and of its traceback. The runner cuts as well; it cannot be relied upon.
pub(crate) const SUMMARY_BYTES_MAX: usize = 4 << 10;
pub(crate) const TRACEBACK_BYTES_MAX: usize = 64 << 10;
/// Names in a note about restored tools.
pub(crate) const RESTORED_MAX: usize = 32;
/// Fuel between two moments at which a running cell lets go of its thread: about a millisecond at most.
pub(crate) const FUEL_PER_SLICE: u64 = 500_000;
/// Entries of a table.
pub(crate) const TABLE_ELEMENTS_MAX: usize = 32_768;
/// Fuel for starting; not the session's.
pub(super) const START_FUEL: u64 = 10_000_000_000;
