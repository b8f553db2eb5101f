//! Where the functions of the interpreter's component are.

use wasmtime::component::{Component, ComponentExportIndex};

/// Where the component's functions are.
pub(crate) struct Exports {
    pub(super) start: ComponentExportIndex,
    pub(super) run_cell: ComponentExportIndex,
}

impl Exports {
    pub(crate) fn of(component: &Component) -> wasmtime::Result<Self> {
        let missing = |name: &str| wasmtime::Error::msg(format!("it does not export {name}"));
        let repl = component.get_export_index(None, "assay:python/repl@0.1.0").ok_or_else(|| missing("repl"))?;
        let find = |name: &str| component.get_export_index(Some(&repl), name).ok_or_else(|| missing(name));
        Ok(Self { start: find("start")?, run_cell: find("run-cell")? })
    }
}
