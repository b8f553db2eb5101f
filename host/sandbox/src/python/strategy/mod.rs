//! The interface between a Python strategy and the host: the functions that the interpreter has for it, and what passes between it and its desk
//! (`wire.rs`).

mod wire;

pub(crate) use wire::{carry_out, initialize, link, link_refused, state, update};

use wasmtime::AsContextMut;
use wasmtime::component::{Component, ComponentExportIndex, ComponentType, Instance, Lift, TypedFunc};

/// An exception, as the runner describes it. Not trusted.
#[derive(ComponentType, Lift)]
#[component(record)]
pub(crate) struct Raised {
    pub(crate) summary: String,
    pub(crate) traceback: String,
}

/// File, source, name of the symbol, state.
type Load = TypedFunc<(String, String, String, Vec<u8>), (Result<u32, Raised>,)>;

/// Callback, state.
type Call = TypedFunc<(u32, Vec<u8>), (Result<Vec<u8>, Raised>,)>;

/// The functions by which a strategy is driven.
pub(crate) struct Functions {
    pub(crate) load: Load,
    pub(crate) call: Call,
}

/// Where the functions of the interface are.
pub(crate) struct StrategyExports {
    load: ComponentExportIndex,
    call: ComponentExportIndex,
    pub(crate) survey: ComponentExportIndex,
}

impl StrategyExports {
    pub(crate) fn of(component: &Component) -> wasmtime::Result<Self> {
        let missing = |name: &str| wasmtime::Error::msg(format!("it does not export {name}"));
        let interface = "assay:python/strategy@0.1.0";
        let strategy = component.get_export_index(None, interface).ok_or_else(|| missing(interface))?;
        let find = |name: &str| component.get_export_index(Some(&strategy), name).ok_or_else(|| missing(name));
        Ok(Self { load: find("load")?, call: find("call")?, survey: find("survey")? })
    }

    pub(crate) fn functions(&self, instance: &Instance, mut store: impl AsContextMut) -> wasmtime::Result<Functions> {
        let load = instance.get_typed_func(&mut store, self.load)?;
        Ok(Functions { load, call: instance.get_typed_func(&mut store, self.call)? })
    }
}
