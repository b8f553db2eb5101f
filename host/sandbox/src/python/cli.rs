//! The rest of WASI that an interpreter needs: environment, standard streams, exit, random numbers; and clocks, which are linked by hand
//! because the time is the fuel. Sockets exist in name only: every attempt to make one is refused.
//!
//! Invariants: nothing here asks the machine for anything. The clock begins at the session's start time and moves by a nanosecond for each
//! unit of fuel, and by sleeping, which takes no real time. For a strategy it shows the simulation's time. Random bytes come from the seed.

use super::bindings::wasi::cli::{environment, exit, stderr, stdin, stdout, terminal_input, terminal_output};
use super::bindings::wasi::cli::{terminal_stderr, terminal_stdin, terminal_stdout};
use super::bindings::wasi::clocks::wall_clock::Datetime;
use super::bindings::wasi::random::random;
use super::files::{Nothing, Printed};
use super::limits::RANDOM_BYTES_MAX;
use super::state::{Guest, SharedRef};
use super::stop::Stop;
use wasmtime::component::types::{ComponentFunc, ComponentItem};
use wasmtime::component::{Component, Linker, Resource, ResourceAny, ResourceType, Val};
use wasmtime::{AsContext, StoreContextMut};
use wasmtime_wasi_io::async_trait;
use wasmtime_wasi_io::bindings::wasi::io::poll;
use wasmtime_wasi_io::poll::{DynPollable, Pollable, subscribe};
use wasmtime_wasi_io::streams::{DynInputStream, DynOutputStream};

/// No guest ever has one.
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub enum NoTerminal {}

/// A network that nothing can be reached by.
struct NoNetwork;

impl environment::Host for Guest {
    fn get_environment(&mut self) -> wasmtime::Result<Vec<(String, String)>> {
        let folder = self.shared.lock().folder()?;
        let fixed =
            [("HOME", "/tmp"), ("LANG", "C.UTF-8"), ("TMPDIR", "/tmp"), ("USER", "user"), ("PWD", folder.as_str())];
        Ok(fixed.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec())
    }

    fn get_arguments(&mut self) -> wasmtime::Result<Vec<String>> {
        self.shared.lock().charge(0)?;
        Ok(vec![String::new()])
    }

    fn initial_cwd(&mut self) -> wasmtime::Result<Option<String>> {
        Ok(Some(self.shared.lock().folder()?))
    }
}

impl exit::Host for Guest {
    fn exit(&mut self, status: Result<(), ()>) -> wasmtime::Result<()> {
        Err(Stop::Exited(u8::from(status.is_err())).into())
    }

    fn exit_with_code(&mut self, code: u8) -> wasmtime::Result<()> {
        Err(Stop::Exited(code).into())
    }
}

impl stdin::Host for Guest {
    fn get_stdin(&mut self) -> wasmtime::Result<Resource<DynInputStream>> {
        self.shared.lock().charge_handle()?;
        let stream: DynInputStream = Box::new(Nothing);
        Ok(self.table.push(stream)?)
    }
}

impl stdout::Host for Guest {
    fn get_stdout(&mut self) -> wasmtime::Result<Resource<DynOutputStream>> {
        self.printed(0)
    }
}

impl stderr::Host for Guest {
    fn get_stderr(&mut self) -> wasmtime::Result<Resource<DynOutputStream>> {
        self.printed(1)
    }
}

impl Guest {
    fn printed(&mut self, stream: usize) -> wasmtime::Result<Resource<DynOutputStream>> {
        self.shared.lock().charge_handle()?;
        let stream: DynOutputStream = Box::new(Printed { shared: self.shared.clone(), stream });
        Ok(self.table.push(stream)?)
    }
}

impl terminal_input::Host for Guest {}
impl terminal_output::Host for Guest {}

impl terminal_input::HostTerminalInput for Guest {
    fn drop(&mut self, handle: Resource<NoTerminal>) -> wasmtime::Result<()> {
        self.shared.lock().charge_handle()?;
        self.table.delete(handle)?;
        Ok(())
    }
}

impl terminal_output::HostTerminalOutput for Guest {
    fn drop(&mut self, handle: Resource<NoTerminal>) -> wasmtime::Result<()> {
        self.shared.lock().charge_handle()?;
        self.table.delete(handle)?;
        Ok(())
    }
}

impl terminal_stdin::Host for Guest {
    fn get_terminal_stdin(&mut self) -> wasmtime::Result<Option<Resource<NoTerminal>>> {
        self.shared.lock().charge_handle()?;
        Ok(None)
    }
}

impl terminal_stdout::Host for Guest {
    fn get_terminal_stdout(&mut self) -> wasmtime::Result<Option<Resource<NoTerminal>>> {
        self.shared.lock().charge_handle()?;
        Ok(None)
    }
}

impl terminal_stderr::Host for Guest {
    fn get_terminal_stderr(&mut self) -> wasmtime::Result<Option<Resource<NoTerminal>>> {
        self.shared.lock().charge_handle()?;
        Ok(None)
    }
}

impl random::Host for Guest {
    fn get_random_bytes(&mut self, length: u64) -> wasmtime::Result<Vec<u8>> {
        if length > RANDOM_BYTES_MAX {
            return Err(Stop::Limit { what: "random bytes in one request", max: RANDOM_BYTES_MAX }.into());
        }
        self.shared.lock().charge(length as usize)?;
        let mut bytes = vec![0; length as usize];
        self.random.fill(&mut bytes);
        Ok(bytes)
    }

    fn get_random_u64(&mut self) -> wasmtime::Result<u64> {
        self.shared.lock().charge_handle()?;
        let mut bytes = [0; 8];
        self.random.fill(&mut bytes);
        Ok(u64::from_le_bytes(bytes))
    }
}

/// Sleeping: done as soon as anybody waits for it, with the clock moved on.
struct Sleep {
    shared: SharedRef,
    until: u64,
}

#[async_trait]
impl Pollable for Sleep {
    async fn ready(&mut self) {
        let mut shared = self.shared.lock();
        let slept = self.until.saturating_sub(shared.now);
        shared.slept = shared.slept.saturating_add(slept);
        shared.now = shared.now.saturating_add(slept);
    }
}

/// The time now, in nanoseconds since the epoch.
fn now(store: &StoreContextMut<'_, Guest>) -> wasmtime::Result<u64> {
    let guest = store.data();
    if guest.seat.is_taken {
        guest.shared.lock().charge(0)?;
        return Ok(guest.seat.desk.now().0);
    }
    let used = guest.fuel_before + guest.fuel_given.saturating_sub(store.as_context().get_fuel()?);
    let mut shared = guest.shared.lock();
    shared.charge(0)?;
    let time = guest.start_time.0.saturating_add(used).saturating_add(shared.slept);
    shared.now = time.max(shared.now.saturating_add(1));
    Ok(shared.now)
}

fn datetime(nanoseconds: u64) -> Datetime {
    Datetime { seconds: nanoseconds / 1_000_000_000, nanoseconds: (nanoseconds % 1_000_000_000) as u32 }
}

/// Links both clocks.
pub(crate) fn link_clocks(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    let mut wall = linker.instance("wasi:clocks/wall-clock@0.2.12")?;
    wall.func_wrap("now", |store, ()| Ok((datetime(now(&store)?),)))?;
    wall.func_wrap("resolution", |store, ()| {
        store.data().shared.lock().charge_handle()?;
        Ok((datetime(1),))
    })?;
    let mut monotonic = linker.instance("wasi:clocks/monotonic-clock@0.2.12")?;
    monotonic.func_wrap("now", |store, ()| {
        let start = store.data().start_time.0;
        Ok((now(&store)? - start,))
    })?;
    monotonic.func_wrap("resolution", |store, ()| {
        store.data().shared.lock().charge_handle()?;
        Ok((1_u64,))
    })?;
    monotonic.func_wrap("subscribe-instant", |mut store, (instant,): (u64,)| {
        let until = store.data().start_time.0.saturating_add(instant);
        Ok((sleep(&mut store, until)?,))
    })?;
    monotonic.func_wrap("subscribe-duration", |mut store, (duration,): (u64,)| {
        let until = now(&store)?.saturating_add(duration);
        Ok((sleep(&mut store, until)?,))
    })
}

fn sleep(store: &mut StoreContextMut<'_, Guest>, until: u64) -> wasmtime::Result<Resource<DynPollable>> {
    let guest = store.data_mut();
    guest.shared.lock().charge(0)?;
    let sleep = guest.table.push(Sleep { shared: guest.shared.clone(), until })?;
    subscribe(&mut guest.table, sleep)
}

/// Fuel for each thing that is waited for at once; a list may name the same one any number of times.
const POLLED_FUEL: usize = 100;

/// Puts a price on the one call of `wasi:io` that takes a list.
pub(crate) fn link_poll(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    linker.instance("wasi:io/poll@0.2.12")?.func_wrap_async(
        "poll",
        |mut store: StoreContextMut<'_, Guest>, (waited_for,): (Vec<Resource<DynPollable>>,)| {
            Box::new(async move {
                let guest = store.data_mut();
                guest.shared.lock().charge(waited_for.len() * POLLED_FUEL)?;
                Ok((poll::Host::poll(&mut guest.table, waited_for).await?,))
            })
        },
    )?;
    linker.allow_shadowing(false);
    Ok(())
}

/// Links what the component names of sockets: making one and looking up a name are refused, and nothing else can be reached without one.
pub(crate) fn link_refused_sockets(linker: &mut Linker<Guest>, component: &Component) -> wasmtime::Result<()> {
    let engine = linker.engine().clone();
    for (interface, item) in component.component_type().imports(&engine) {
        let ComponentItem::ComponentInstance(instance) = item.ty else { continue };
        if !interface.starts_with("wasi:sockets/") {
            continue;
        }
        let mut linked = linker.instance(interface)?;
        for (name, item) in instance.exports(&engine) {
            match item.ty {
                // These belong to `wasi:io` and are linked there.
                ComponentItem::Resource(_) if matches!(name, "pollable" | "input-stream" | "output-stream") => {}
                ComponentItem::Resource(_) => {
                    linked.resource(name, ResourceType::host::<NoNetwork>(), |_, _| Ok(()))?;
                }
                ComponentItem::ComponentFunc(_) => linked.func_new_async(name, refusal(name))?,
                _ => {}
            }
        }
    }
    Ok(())
}

type Refused<'a> = Box<dyn Future<Output = wasmtime::Result<()>> + Send + 'a>;
type Refusal = for<'a> fn(StoreContextMut<'a, Guest>, ComponentFunc, &'a [Val], &'a mut [Val]) -> Refused<'a>;

fn refusal(name: &str) -> Refusal {
    match name {
        "instance-network" => |mut store, _, _, results| {
            Box::new(async move {
                store.data().shared.lock().charge(0)?;
                let network = ResourceAny::try_from_resource(Resource::<NoNetwork>::new_own(0), &mut store)?;
                results[0] = Val::Resource(network);
                Ok(())
            })
        },
        "create-tcp-socket" | "create-udp-socket" | "resolve-addresses" => |mut store, _, parameters, results| {
            Box::new(async move {
                let bytes = parameters.iter().map(|value| if let Val::String(text) = value { text.len() } else { 0 });
                store.data().shared.lock().charge(bytes.sum())?;
                for parameter in parameters {
                    if let Val::Resource(borrowed) = parameter {
                        borrowed.resource_drop_async(&mut store).await?;
                    }
                }
                results[0] = Val::Result(Err(Some(Box::new(Val::Enum("access-denied".to_owned())))));
                Ok(())
            })
        },
        _ => |_, _, _, _| Box::new(async { Err(Stop::Limit { what: "sockets", max: 0 }.into()) }),
    }
}
