//! Links the shared libraries of a component into one module.
//!
//! ```text
//! shim ◄── env ◄── libc ◄── python ◄── bindings ◄── fixups        shim ◄── one module ◄── fixups
//! ```
//!
//! The Python component is made of a dozen modules, linked like shared objects: thousands of imports are looked up and thousands of table
//! entries written whenever it is instantiated. Here that is done once, before compilation.
//!
//! Invariants: what the component imports, exports and does stays the same; the shim, which exports `$imports`, and the fixups, which
//! import from the empty name, stay as they are, because `wit-component` breaks with them the circle between the memory and the functions
//! that need it. Whatever is not laid out like this is refused. The input need not be trusted: the result is validated like any component.

mod module;
mod writer;

use module::Part;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use wasm_encoder::ExportKind;
use wasm_encoder::reencode::Error;
use wasmparser::{CanonicalFunction, CanonicalOption, ComponentAlias, ExternalKind, Import, Instance, Parser, Payload};
use writer::Writer;

/// Why a component cannot be linked.
#[derive(Debug, thiserror::Error)]
#[error("failed to link the modules of the component: {0}")]
pub(crate) struct MergeError(String);

impl From<wasmparser::Error> for MergeError {
    fn from(error: wasmparser::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<Error<Infallible>> for MergeError {
    fn from(error: Error<Infallible>) -> Self {
        Self(error.to_string())
    }
}

impl From<Error<MergeError>> for MergeError {
    fn from(error: Error<MergeError>) -> Self {
        match error {
            Error::UserError(error) => error,
            error => Self(error.to_string()),
        }
    }
}

/// A core item of the component, by the index that the component gives it.
pub(super) type Item = (Kind, u32);

/// Kind of a core item.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    Function,
    Table,
    Memory,
    Global,
}

impl Kind {
    pub(super) fn of(kind: ExternalKind) -> Result<Self, MergeError> {
        match kind {
            ExternalKind::Func => Ok(Self::Function),
            ExternalKind::Table => Ok(Self::Table),
            ExternalKind::Memory => Ok(Self::Memory),
            ExternalKind::Global => Ok(Self::Global),
            _ => Err(MergeError(format!("{kind:?} is of a kind that it may not have"))),
        }
    }

    pub(super) fn encoded(self) -> ExportKind {
        match self {
            Self::Function => ExportKind::Func,
            Self::Table => ExportKind::Table,
            Self::Memory => ExportKind::Memory,
            Self::Global => ExportKind::Global,
        }
    }
}

/// What a core item is: an export of an instance, unless the component makes it.
type Exported<'a> = Option<(u32, &'a str)>;

/// Where an import of a linked module comes from.
enum Source<'a> {
    /// A function that the component makes or takes from elsewhere.
    Outside(u32),
    /// An export of an instance of a linked module.
    Part(u32, &'a str),
}

/// The component as it is: its modules and core instances, and what its core items are.
#[derive(Default)]
struct Outline<'a> {
    modules: Vec<Vec<Payload<'a>>>,
    instances: Vec<Instance<'a>>,
    items: BTreeMap<Kind, Vec<Exported<'a>>>,
    /// Items that canonical functions use.
    used: BTreeSet<Item>,
}

/// What becomes of what.
struct Links<'a> {
    /// Modules that are linked.
    modules: BTreeSet<u32>,
    /// Their instances, which become one.
    instances: BTreeSet<u32>,
    /// Instances that other modules are given.
    kept: BTreeSet<u32>,
    /// Items that are exports of the linked module, and are used.
    wanted: BTreeMap<Item, (u32, &'a str)>,
}

/// Links the modules of `component`.
///
/// # Errors
/// See [`MergeError`].
pub(crate) fn merge(component: &[u8]) -> Result<Vec<u8>, MergeError> {
    let outline = Outline::of(component)?;
    let parts = outline.parts()?;
    let instances: BTreeSet<u32> = parts.iter().map(|part| part.instance).collect();
    let kept = outline.arguments(&instances);
    let mut used = outline.used.clone();
    for index in &kept {
        if let Some(Instance::FromExports(exports)) = outline.instances.get(*index as usize) {
            for export in exports {
                used.insert((Kind::of(export.kind)?, export.index));
            }
        }
    }
    let wanted: BTreeMap<Item, (u32, &str)> = used
        .into_iter()
        .filter_map(|item| Some((item, outline.alias(item).filter(|(instance, _)| instances.contains(instance))?)))
        .collect();
    let merged = module::merge(&outline, &parts, &instances, &wanted.values().copied().collect())?;
    let linked_modules = parts.iter().map(|part| part.module).collect();
    let links = Links { modules: linked_modules, instances, kept, wanted };
    Writer::new(merged, links).write(component)
}

/// The sections of a component, without those of what is nested in it.
fn sections(component: &[u8]) -> impl Iterator<Item = Result<Payload<'_>, wasmparser::Error>> {
    let mut parser = Parser::new(0);
    let mut rest = component;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let payload = match parser.parse(rest, true) {
            Ok(wasmparser::Chunk::Parsed { consumed, payload }) => {
                rest = &rest[consumed..];
                payload
            }
            // It says what is missing by an error, because the end is told.
            Ok(wasmparser::Chunk::NeedMoreData(_)) => return None,
            Err(error) => {
                rest = &[];
                return Some(Err(error));
            }
        };
        if let Payload::ModuleSection { unchecked_range, .. } | Payload::ComponentSection { unchecked_range, .. } =
            &payload
        {
            rest = rest.get(unchecked_range.len()..).unwrap_or_default();
        }
        Some(Ok(payload))
    })
}

fn nested(component: &[u8], range: std::ops::Range<usize>) -> Result<&[u8], MergeError> {
    component.get(range).ok_or_else(|| MergeError("it ends in the middle of a section".to_owned()))
}

impl<'a> Outline<'a> {
    fn of(component: &'a [u8]) -> Result<Self, MergeError> {
        let mut outline = Self::default();
        for section in sections(component) {
            match section? {
                Payload::ModuleSection { unchecked_range, .. } => {
                    let module = nested(component, unchecked_range)?;
                    outline.modules.push(Parser::new(0).parse_all(module).collect::<Result<_, _>>()?);
                }
                Payload::InstanceSection(section) => {
                    for instance in section {
                        outline.instances.push(instance?);
                    }
                }
                Payload::ComponentAliasSection(section) => {
                    for alias in section {
                        if let ComponentAlias::CoreInstanceExport { kind, instance_index, name } = alias? {
                            outline.items.entry(Kind::of(kind)?).or_default().push(Some((instance_index, name)));
                        }
                    }
                }
                Payload::ComponentCanonicalSection(section) => {
                    for function in section {
                        let function = function?;
                        outline.used.extend(uses(&function));
                        if !matches!(function, CanonicalFunction::Lift { .. }) {
                            outline.items.entry(Kind::Function).or_default().push(None);
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(outline)
    }

    fn alias(&self, (kind, index): Item) -> Exported<'a> {
        *self.items.get(&kind)?.get(index as usize)?
    }

    /// The modules that are linked, in the order in which they are instantiated.
    fn parts(&self) -> Result<Vec<Part<'_, 'a>>, MergeError> {
        let mut parts: Vec<Part<'_, 'a>> = Vec::new();
        for (instance, made) in (0..).zip(&self.instances) {
            let Instance::Instantiate { module_index, args } = made else { continue };
            let Some(payloads) = self.modules.get(*module_index as usize) else {
                return Err(MergeError(format!("there is no module {module_index}")));
            };
            if module::is_linkage(payloads)? {
                continue;
            }
            if parts.iter().any(|part| part.module == *module_index) {
                return Err(MergeError(format!("module {module_index} is instantiated twice")));
            }
            let arguments = args.iter().map(|argument| (argument.name, argument.index)).collect();
            parts.push(Part { instance, module: *module_index, payloads, arguments });
        }
        Ok(parts)
    }

    /// Instances that modules outside of `linked` are given.
    fn arguments(&self, linked: &BTreeSet<u32>) -> BTreeSet<u32> {
        let mut given = BTreeSet::new();
        for (index, instance) in (0..).zip(&self.instances) {
            if let (Instance::Instantiate { args, .. }, false) = (instance, linked.contains(&index)) {
                given.extend(args.iter().map(|argument| argument.index));
            }
        }
        given
    }

    /// Where an import of a part comes from, which may be one of `merged`.
    fn source(
        &self,
        part: &Part<'_, 'a>,
        import: &Import<'a>,
        merged: &BTreeSet<u32>,
    ) -> Result<Source<'a>, MergeError> {
        let wrong = |why: &str| MergeError(format!("module {}, {}.{}: {why}", part.module, import.module, import.name));
        let instance = *part.arguments.get(import.module).ok_or_else(|| wrong("nothing is given for it"))?;
        if merged.contains(&instance) {
            return Ok(Source::Part(instance, import.name));
        }
        let Some(Instance::FromExports(exports)) = self.instances.get(instance as usize) else {
            return Err(wrong("it comes from a module that is not linked"));
        };
        let export = exports.iter().find(|export| export.name == import.name);
        let export = export.ok_or_else(|| wrong("it is not among what is given"))?;
        let item = (Kind::of(export.kind)?, export.index);
        match self.alias(item) {
            Some((instance, name)) if merged.contains(&instance) => Ok(Source::Part(instance, name)),
            _ if item.0 == Kind::Function => Ok(Source::Outside(item.1)),
            _ => Err(wrong("only functions may come from a module that is not linked")),
        }
    }
}

/// The core items that a canonical function names.
fn uses(function: &CanonicalFunction) -> Vec<Item> {
    let (function, options) = match function {
        CanonicalFunction::Lift { core_func_index, options, .. } => (Some(*core_func_index), options),
        CanonicalFunction::Lower { options, .. } => (None, options),
        _ => return Vec::new(),
    };
    let options = options.iter().filter_map(|option| match option {
        CanonicalOption::Memory(index) => Some((Kind::Memory, *index)),
        CanonicalOption::Realloc(index) | CanonicalOption::PostReturn(index) | CanonicalOption::Callback(index) => {
            Some((Kind::Function, *index))
        }
        _ => None,
    });
    function.map(|index| (Kind::Function, index)).into_iter().chain(options).collect()
}
