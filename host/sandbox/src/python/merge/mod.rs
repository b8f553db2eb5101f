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

use module::{Merged, Part};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use wasm_encoder::reencode::{Error, Reencode, ReencodeComponent};
use wasm_encoder::{
    Alias, CanonicalFunctionSection, Component, ComponentAliasSection, ComponentTypeSection, ExportKind,
    InstanceSection, ModuleArg, ModuleSection, RawSection,
};
use wasmparser::{CanonicalFunction, CanonicalOption, ComponentAlias, ExternalKind, Import, Instance, Parser, Payload};

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
    let writer = Writer {
        merged,
        linked_modules,
        linked: instances,
        kept,
        wanted,
        is_instantiated: false,
        encoded: Component::new(),
        items: Indices::default(),
        instances: BTreeMap::new(),
        instance_count: 0,
        modules: BTreeMap::new(),
    };
    writer.write(component)
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

/// New indices of core items, by old ones.
#[derive(Default)]
struct Indices {
    places: BTreeMap<Item, u32>,
    counts: BTreeMap<Kind, u32>,
}

impl Indices {
    fn push(&mut self, old: Item) {
        let count = self.counts.entry(old.0).or_default();
        self.places.insert(old, *count);
        *count += 1;
    }

    fn find(&self, old: Item) -> Result<u32, MergeError> {
        let place = self.places.get(&old).copied();
        place.ok_or_else(|| MergeError(format!("{:?} {} is used before it can be there", old.0, old.1)))
    }
}

impl Reencode for Indices {
    type Error = MergeError;

    fn function_index(&mut self, index: u32) -> Result<u32, Error<MergeError>> {
        self.find((Kind::Function, index)).map_err(Error::UserError)
    }

    fn table_index(&mut self, index: u32) -> Result<u32, Error<MergeError>> {
        self.find((Kind::Table, index)).map_err(Error::UserError)
    }

    fn memory_index(&mut self, index: u32) -> Result<u32, Error<MergeError>> {
        self.find((Kind::Memory, index)).map_err(Error::UserError)
    }
}

impl ReencodeComponent for Indices {}

/// Writes the component anew around the linked module.
struct Writer<'a> {
    merged: Merged,
    linked_modules: BTreeSet<u32>,
    /// Instances that became part of the linked module.
    linked: BTreeSet<u32>,
    /// Instances that other modules are given.
    kept: BTreeSet<u32>,
    /// Items that are exports of the linked module, and are used.
    wanted: BTreeMap<Item, (u32, &'a str)>,
    is_instantiated: bool,
    encoded: Component,
    items: Indices,
    /// New indices of instances, by old ones; and how many there are, with the linked module's.
    instances: BTreeMap<u32, u32>,
    instance_count: u32,
    /// Where the modules that are not linked went. The linked one comes first.
    modules: BTreeMap<u32, u32>,
}

impl Writer<'_> {
    fn write(mut self, component: &[u8]) -> Result<Vec<u8>, MergeError> {
        let (mut modules, mut instances, mut items) = (0, 0, BTreeMap::<Kind, u32>::new());
        let mut next = |kind: Kind| {
            let count = items.entry(kind).or_default();
            *count += 1;
            (kind, *count - 1)
        };
        self.encoded.section(&ModuleSection(&self.merged.module));
        for section in sections(component) {
            let section = section?;
            match &section {
                Payload::Version { .. } | Payload::End(_) => continue,
                Payload::ModuleSection { .. } => {
                    modules += 1;
                    if self.linked_modules.contains(&(modules - 1)) {
                        continue;
                    }
                    self.modules.insert(modules - 1, self.modules.len() as u32 + 1);
                }
                Payload::InstanceSection(section) => {
                    for instance in section.clone() {
                        self.instance(instances, &instance?)?;
                        instances += 1;
                    }
                    continue;
                }
                Payload::ComponentAliasSection(section) => {
                    for alias in section.clone() {
                        self.alias(alias?, &mut next)?;
                    }
                    continue;
                }
                Payload::ComponentCanonicalSection(section) => {
                    for function in section.clone() {
                        let function = function?;
                        let made = (!matches!(function, CanonicalFunction::Lift { .. })).then(|| next(Kind::Function));
                        self.canonical(function, made)?;
                    }
                    continue;
                }
                Payload::ComponentTypeSection(section) => {
                    let mut types = ComponentTypeSection::new();
                    self.items.parse_component_type_section(&mut types, section.clone())?;
                    self.encoded.section(&types);
                    continue;
                }
                _ => {}
            }
            if let Some((id, range)) = section.as_section() {
                self.encoded.section(&RawSection { id, data: nested(component, range)? });
            }
        }
        Ok(self.encoded.finish())
    }

    /// Instantiates the linked module if one of `items` is an export of it.
    fn need(&mut self, items: &[Item]) -> Result<(), MergeError> {
        if self.is_instantiated || !items.iter().any(|item| self.wanted.contains_key(item)) {
            return Ok(());
        }
        self.is_instantiated = true;
        let mut given = Vec::new();
        for function in &self.merged.imports {
            given.push((function.to_string(), ExportKind::Func, self.items.find((Kind::Function, *function))?));
        }
        let mut section = InstanceSection::new();
        section.export_items(given.iter().map(|(name, kind, index)| (name.as_str(), *kind, *index)));
        section.instantiate(0, [("", ModuleArg::Instance(self.instance_count))]);
        self.encoded.section(&section);
        let mut aliases = ComponentAliasSection::new();
        for (item, (instance, name)) in &self.wanted {
            let (kind, name) = (item.0.encoded(), module::exported(*instance, name));
            aliases.alias(Alias::CoreInstanceExport { instance: self.instance_count + 1, kind, name: &name });
            self.items.push(*item);
        }
        self.encoded.section(&aliases);
        self.instance_count += 2;
        Ok(())
    }

    fn instance(&mut self, old: u32, instance: &Instance<'_>) -> Result<(), MergeError> {
        let mut section = InstanceSection::new();
        match instance {
            Instance::Instantiate { .. } if self.linked.contains(&old) => return Ok(()),
            Instance::Instantiate { module_index, args } => {
                let missing = || MergeError(format!("module {module_index} is given what is not there"));
                let module = *self.modules.get(module_index).ok_or_else(missing)?;
                let mut given = Vec::new();
                for argument in args {
                    let index = *self.instances.get(&argument.index).ok_or_else(missing)?;
                    given.push((argument.name, ModuleArg::Instance(index)));
                }
                section.instantiate(module, given);
            }
            Instance::FromExports(_) if !self.kept.contains(&old) => return Ok(()),
            Instance::FromExports(exports) => {
                let mut items = Vec::new();
                for export in exports {
                    items.push((Kind::of(export.kind)?, export.index));
                }
                self.need(&items)?;
                let mut given = Vec::new();
                for (export, item) in exports.iter().zip(items) {
                    given.push((export.name, item.0.encoded(), self.items.find(item)?));
                }
                section.export_items(given);
            }
        }
        self.encoded.section(&section);
        self.instances.insert(old, self.instance_count);
        self.instance_count += 1;
        Ok(())
    }

    fn alias(&mut self, alias: ComponentAlias<'_>, next: &mut impl FnMut(Kind) -> Item) -> Result<(), MergeError> {
        let alias = match alias {
            ComponentAlias::CoreInstanceExport { kind, instance_index, name } => {
                let item = next(Kind::of(kind)?);
                if self.linked.contains(&instance_index) {
                    return Ok(());
                }
                let missing = || MergeError(format!("there is no instance {instance_index}"));
                let instance = *self.instances.get(&instance_index).ok_or_else(missing)?;
                self.items.push(item);
                Alias::CoreInstanceExport { instance, kind: item.0.encoded(), name }
            }
            alias => self.items.component_alias(alias)?,
        };
        self.encoded.section(ComponentAliasSection::new().alias(alias));
        Ok(())
    }

    fn canonical(&mut self, function: CanonicalFunction, made: Option<Item>) -> Result<(), MergeError> {
        self.need(&uses(&function))?;
        let mut section = CanonicalFunctionSection::new();
        self.items.parse_component_canonical(&mut section, function)?;
        self.encoded.section(&section);
        if let Some(item) = made {
            self.items.push(item);
        }
        Ok(())
    }
}
