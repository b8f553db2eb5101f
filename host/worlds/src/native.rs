//! Programs that come with Assay, by the names under which worlds ask for them: `tau2.DOMAIN.TOOL`.

use std::sync::Arc;

use assay_tau2::{Domain, ToolRow};
use assay_world::Native;
use assay_world::words::nearest;

/// What all names begin with.
const TAU2: &str = "tau2.";

/// A program.
///
/// # Errors
/// There is none of this name.
pub(crate) fn find(name: &str) -> Result<Arc<dyn Native>, String> {
    let found = split(name).and_then(|(domain, tool)| domain.tool(tool));
    found.ok_or_else(|| {
        let all = Domain::ALL.iter().flat_map(|domain| {
            domain.tools().into_iter().map(|ToolRow { name, .. }| format!("{TAU2}{}.{name}", domain.name()))
        });
        let all: Vec<String> = all.collect();
        let near = nearest(name, all.iter().map(String::as_str));
        let near = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
        format!("there is no program {name:?}{near}")
    })
}

/// Whether a program changes anything.
pub(crate) fn is_write(name: &str) -> bool {
    let rows = split(name).map(|(domain, tool)| (domain.tools(), tool));
    rows.is_none_or(|(rows, tool)| rows.into_iter().find(|row| row.name == tool).is_none_or(|row| row.is_write))
}

fn split(name: &str) -> Option<(Domain, &str)> {
    let (domain, tool) = name.strip_prefix(TAU2)?.split_once('.')?;
    Some((Domain::of(domain)?, tool))
}
