//! The limits that the process sets itself, for good, before it looks at anything.

use assay_data::QueryLimits;
use rustix::process::{Resource, Rlimit, setrlimit};
use std::time::Duration;

/// Address space beyond what the process has and the query may hold: its thread's stack, of which little is touched, what the allocator sets aside, and
/// what the engine does not count.
const BESIDE_BYTES: u64 = (512 << 20) + (768 << 20);
/// Taken for what a process has where the system does not say.
const OWN_BYTES: u64 = 4 << 30;
/// Processor time beyond the query's time: the engine stops by itself first.
const GRACE: Duration = Duration::from_secs(5);

/// Limits this process: address space, processor time, no core dump.
pub(crate) fn this_process(limits: QueryLimits) -> rustix::io::Result<()> {
    let space = own_bytes().saturating_add(limits.memory_bytes as u64).saturating_add(BESIDE_BYTES);
    let seconds = limits.time.as_secs().saturating_add(GRACE.as_secs());
    for (resource, most) in [(Resource::As, space), (Resource::Cpu, seconds), (Resource::Core, 0)] {
        // There may be a lower limit already, which stays.
        let most = rustix::process::getrlimit(resource).maximum.map_or(most, |hard| hard.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}

/// The address space that the process has now.
fn own_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let size =
        status.lines().find_map(|line| line.strip_prefix("VmSize:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    size.map_or(OWN_BYTES, |kibibytes| kibibytes << 10)
}
