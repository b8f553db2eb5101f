//! The component level of linking: the linked module in the place of many, every index that moved written anew.

use super::module::{self, Merged};
use super::{Item, Kind, Links, MergeError, nested, sections, uses};
use std::collections::BTreeMap;
use wasm_encoder::reencode::{Error, Reencode, ReencodeComponent};
use wasm_encoder::{
    Alias, CanonicalFunctionSection, Component, ComponentAliasSection, ComponentTypeSection, ExportKind,
    InstanceSection, ModuleArg, ModuleSection, RawSection,
};
use wasmparser::{CanonicalFunction, ComponentAlias, Instance, Payload};

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
pub(super) struct Writer<'a> {
    merged: Merged,
    links: Links<'a>,
    is_instantiated: bool,
    encoded: Component,
    items: Indices,
    /// New indices of instances, by old ones; and how many there are, with the linked module's.
    instances: BTreeMap<u32, u32>,
    instance_count: u32,
    /// Where the modules that are not linked went. The linked one comes first.
    modules: BTreeMap<u32, u32>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(merged: Merged, links: Links<'a>) -> Self {
        Self {
            merged,
            links,
            is_instantiated: false,
            encoded: Component::new(),
            items: Indices::default(),
            instances: BTreeMap::new(),
            instance_count: 0,
            modules: BTreeMap::new(),
        }
    }

    /// Writes `component`, which the links are of.
    pub(super) fn write(mut self, component: &[u8]) -> Result<Vec<u8>, MergeError> {
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
                    if self.links.modules.contains(&(modules - 1)) {
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
        if self.is_instantiated || !items.iter().any(|item| self.links.wanted.contains_key(item)) {
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
        for (item, (instance, name)) in &self.links.wanted {
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
            Instance::Instantiate { .. } if self.links.instances.contains(&old) => return Ok(()),
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
            Instance::FromExports(_) if !self.links.kept.contains(&old) => return Ok(()),
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
                if self.links.instances.contains(&instance_index) {
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
