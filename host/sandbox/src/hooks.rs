//! The host calls by which a profiled program reports where it is; see [`crate::profile`].

use crate::guest::Guest;
use crate::profile::{ENTER, ENTER_FUEL, EXIT, EXIT_FUEL, HOOKS};
use wasmtime::{Caller, Linker, Trap};

/// Offers the hooks to instrumented modules.
pub(crate) fn add_hooks(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.func_wrap(HOOKS, ENTER, |mut host: Caller<'_, Guest>, function: u32| {
        let left = look(&host, ENTER_FUEL)?;
        let Some(recorder) = &mut host.data_mut().recorder else { return Ok(()) };
        recorder.enter(function as usize, left);
        let to_come = recorder.functions[function as usize].parameters + 1;
        host.set_fuel(left + to_come)
    })?;
    linker.func_wrap(HOOKS, EXIT, |mut host: Caller<'_, Guest>| {
        let left = look(&host, EXIT_FUEL)?;
        let Some(recorder) = &mut host.data_mut().recorder else { return Ok(()) };
        recorder.exit(left);
        host.set_fuel(left)
    })?;
    Ok(())
}

/// The fuel that would be left without the wrapper. A tank that is empty may have been overdrawn, and nobody can say by how much.
fn look(host: &Caller<'_, Guest>, refund: u64) -> wasmtime::Result<u64> {
    match host.get_fuel()? {
        0 => Err(Trap::OutOfFuel.into()),
        left => Ok(left + refund),
    }
}
