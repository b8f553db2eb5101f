//! The module level of linking: many index spaces become one.

use super::{Kind, MergeError, Outline, Source};
use std::collections::{BTreeMap, BTreeSet};
use wasm_encoder::reencode::{Error, Reencode, RoundtripReencoder, utils};
use wasm_encoder::{
    CodeSection, DataCountSection, DataSection, ElementSection, EntityType, ExportSection, FunctionSection,
    GlobalSection, ImportSection, Instruction, MemorySection, Module, TableSection, TypeSection,
};
use wasmparser::{FuncType, Operator, Payload, TypeRef};

/// A module that is linked.
pub(super) struct Part<'p, 'a> {
    /// Its instance.
    pub(super) instance: u32,
    pub(super) module: u32,
    pub(super) payloads: &'p [Payload<'a>],
    /// Instances that it is given, by the name that it imports from.
    pub(super) arguments: BTreeMap<&'a str, u32>,
}

/// The linked module.
pub(super) struct Merged {
    pub(super) module: Module,
    /// Functions of the component that it imports, by their index there, which is also their name.
    pub(super) imports: Vec<u32>,
}

/// The name of an export of the linked module.
pub(super) fn exported(instance: u32, name: &str) -> String {
    format!("{instance}.{name}")
}

/// Whether a module is one of the two that `wit-component` breaks circles with.
pub(super) fn is_linkage(payloads: &[Payload<'_>]) -> Result<bool, MergeError> {
    for payload in payloads {
        match payload {
            Payload::ImportSection(section) => {
                for import in section.clone().into_imports() {
                    if import?.module.is_empty() {
                        return Ok(true);
                    }
                }
            }
            Payload::ExportSection(section) => {
                for export in section.clone() {
                    if export?.name == "$imports" {
                        return Ok(true);
                    }
                }
            }
            _ => {}
        }
    }
    Ok(false)
}

/// Where the items of one part are in the linked module.
#[derive(Default)]
struct Space<'a> {
    types: Vec<u32>,
    items: BTreeMap<Kind, Vec<u32>>,
    /// How many segments come before its own.
    elements: u32,
    data: u32,
    exports: BTreeMap<&'a str, (Kind, u32)>,
}

#[derive(Default)]
struct Spaces<'a> {
    types: Vec<FuncType>,
    /// Imported functions, with their types.
    imports: Vec<(u32, u32)>,
    counts: BTreeMap<Kind, u32>,
    parts: BTreeMap<u32, Space<'a>>,
}

/// Links `parts`; of their exports, those in `exports` remain.
pub(super) fn merge<'a>(
    outline: &Outline<'a>,
    parts: &[Part<'_, 'a>],
    instances: &BTreeSet<u32>,
    exports: &BTreeSet<(u32, &'a str)>,
) -> Result<Merged, MergeError> {
    let mut spaces = Spaces::default();
    for part in parts {
        spaces.declare(outline, part, instances)?;
    }
    spaces.counts.insert(Kind::Function, spaces.imports.len() as u32);
    let (mut elements, mut data) = (0, 0);
    for part in parts {
        let mut space = spaces.place(outline, part, instances)?;
        (space.elements, space.data) = (elements, data);
        for payload in part.payloads {
            match payload {
                Payload::ElementSection(section) => elements += section.count(),
                Payload::DataSection(section) => data += section.count(),
                _ => {}
            }
        }
        spaces.parts.insert(part.instance, space);
    }
    let mut named = ExportSection::new();
    let mut written = written(parts, &spaces)?;
    for (instance, name) in exports {
        let found = spaces.parts.get(instance).and_then(|space| space.exports.get(name));
        let (kind, index) = *found.ok_or_else(|| MergeError(format!("instance {instance} does not export {name}")))?;
        named.export(&exported(*instance, name), kind.encoded(), index);
        if kind == Kind::Global {
            written.insert(index);
        }
    }
    let module = define(parts, &spaces, &written, &named, data)?;
    Ok(Merged { module, imports: spaces.imports.into_iter().map(|(function, _)| function).collect() })
}

impl<'a> Spaces<'a> {
    /// Notes a part's types, and which functions it needs from outside.
    fn declare(
        &mut self,
        outline: &Outline<'a>,
        part: &Part<'_, 'a>,
        instances: &BTreeSet<u32>,
    ) -> Result<(), MergeError> {
        let mut space = Space::default();
        for payload in part.payloads {
            match payload {
                Payload::TypeSection(section) => {
                    for ty in section.clone().into_iter_err_on_gc_types() {
                        let ty = ty?;
                        let at = self.types.iter().position(|known| *known == ty).unwrap_or_else(|| {
                            self.types.push(ty);
                            self.types.len() - 1
                        });
                        space.types.push(at as u32);
                    }
                }
                Payload::ImportSection(section) => {
                    for import in section.clone().into_imports() {
                        let import = import?;
                        let Source::Outside(function) = outline.source(part, &import, instances)? else { continue };
                        let TypeRef::Func(ty) = import.ty else {
                            return Err(MergeError(format!("{}.{} is not a function", import.module, import.name)));
                        };
                        if self.imports.iter().all(|(known, _)| *known != function) {
                            self.imports.push((function, look_up(&space.types, ty)?));
                        }
                    }
                }
                Payload::StartSection { .. } => {
                    return Err(MergeError(format!("module {} has a start function", part.module)));
                }
                _ => {}
            }
        }
        self.parts.insert(part.instance, space);
        Ok(())
    }

    /// Gives the items of a part their places. Those before it have theirs.
    fn place(
        &mut self,
        outline: &Outline<'a>,
        part: &Part<'_, 'a>,
        instances: &BTreeSet<u32>,
    ) -> Result<Space<'a>, MergeError> {
        let mut space = self.parts.remove(&part.instance).unwrap_or_default();
        let mut own = |space: &mut Space<'a>, kind: Kind, count: u32| {
            let next = self.counts.entry(kind).or_default();
            space.items.entry(kind).or_default().extend(*next..*next + count);
            *next += count;
        };
        for payload in part.payloads {
            match payload {
                Payload::ImportSection(section) => {
                    for import in section.clone().into_imports() {
                        let import = import?;
                        let missing = || MergeError(format!("{}.{} is missing", import.module, import.name));
                        let (kind, index) = match outline.source(part, &import, instances)? {
                            Source::Outside(function) => {
                                let at = self.imports.iter().position(|(known, _)| *known == function);
                                (Kind::Function, at.ok_or_else(missing)? as u32)
                            }
                            Source::Part(instance, name) => {
                                let exporter = self.parts.get(&instance).ok_or_else(missing)?;
                                *exporter.exports.get(name).ok_or_else(missing)?
                            }
                        };
                        space.items.entry(kind).or_default().push(index);
                    }
                }
                Payload::FunctionSection(section) => own(&mut space, Kind::Function, section.count()),
                Payload::TableSection(section) => own(&mut space, Kind::Table, section.count()),
                Payload::MemorySection(section) => own(&mut space, Kind::Memory, section.count()),
                Payload::GlobalSection(section) => own(&mut space, Kind::Global, section.count()),
                Payload::ExportSection(section) => {
                    for export in section.clone() {
                        let export = export?;
                        let kind = Kind::of(export.kind)?;
                        space.exports.insert(export.name, (kind, space.item(kind, export.index)?));
                    }
                }
                _ => {}
            }
        }
        Ok(space)
    }
}

impl Space<'_> {
    fn item(&self, kind: Kind, index: u32) -> Result<u32, MergeError> {
        look_up(self.items.get(&kind).map_or(&[], Vec::as_slice), index)
    }
}

fn look_up(places: &[u32], index: u32) -> Result<u32, MergeError> {
    places.get(index as usize).copied().ok_or_else(|| MergeError(format!("there is no item {index}")))
}

/// Globals that code writes to.
fn written(parts: &[Part<'_, '_>], spaces: &Spaces<'_>) -> Result<BTreeSet<u32>, MergeError> {
    let mut written = BTreeSet::new();
    for part in parts {
        let Some(space) = spaces.parts.get(&part.instance) else { continue };
        for payload in part.payloads {
            let Payload::CodeSectionEntry(body) = payload else { continue };
            for operator in body.get_operators_reader()? {
                if let Operator::GlobalSet { global_index } = operator? {
                    written.insert(space.item(Kind::Global, global_index)?);
                }
            }
        }
    }
    Ok(written)
}

/// Moves the items of one part.
struct Relocate<'s, 'a> {
    space: &'s Space<'a>,
    /// Values of globals that never change.
    constants: &'s BTreeMap<u32, i32>,
}

impl Relocate<'_, '_> {
    fn item(&self, kind: Kind, index: u32) -> Result<u32, Error<MergeError>> {
        self.space.item(kind, index).map_err(Error::UserError)
    }
}

impl Reencode for Relocate<'_, '_> {
    type Error = MergeError;

    fn type_index(&mut self, index: u32) -> Result<u32, Error<MergeError>> {
        look_up(&self.space.types, index).map_err(Error::UserError)
    }

    fn function_index(&mut self, index: u32) -> Result<u32, Error<MergeError>> {
        self.item(Kind::Function, index)
    }

    fn table_index(&mut self, index: u32) -> Result<u32, Error<MergeError>> {
        self.item(Kind::Table, index)
    }

    fn memory_index(&mut self, index: u32) -> Result<u32, Error<MergeError>> {
        self.item(Kind::Memory, index)
    }

    fn global_index(&mut self, index: u32) -> Result<u32, Error<MergeError>> {
        self.item(Kind::Global, index)
    }

    fn element_index(&mut self, index: u32) -> Result<u32, Error<MergeError>> {
        Ok(self.space.elements.saturating_add(index))
    }

    fn data_index(&mut self, index: u32) -> Result<u32, Error<MergeError>> {
        Ok(self.space.data.saturating_add(index))
    }

    /// What never changes is its value: a table's segment whose place is known needs no code to be put there.
    fn instruction<'a>(&mut self, operator: Operator<'a>) -> Result<Instruction<'a>, Error<MergeError>> {
        let instruction = utils::instruction(self, operator)?;
        let Instruction::GlobalGet(global) = &instruction else { return Ok(instruction) };
        Ok(self.constants.get(global).map_or(instruction, |value| Instruction::I32Const(*value)))
    }
}

/// Writes the module: `data` segments in all.
fn define(
    parts: &[Part<'_, '_>],
    spaces: &Spaces<'_>,
    written: &BTreeSet<u32>,
    exports: &ExportSection,
    data: u32,
) -> Result<Module, MergeError> {
    let mut types = TypeSection::new();
    for ty in &spaces.types {
        types.ty().func_type(&RoundtripReencoder.func_type(ty.clone())?);
    }
    let mut imports = ImportSection::new();
    for (function, ty) in &spaces.imports {
        imports.import("", &function.to_string(), EntityType::Function(*ty));
    }
    let (mut functions, mut tables, mut memories) = (FunctionSection::new(), TableSection::new(), MemorySection::new());
    let (mut globals, mut elements) = (GlobalSection::new(), ElementSection::new());
    let (mut code, mut segments) = (CodeSection::new(), DataSection::new());
    let mut constants = BTreeMap::new();
    for part in parts {
        let Some(space) = spaces.parts.get(&part.instance) else { continue };
        for payload in part.payloads {
            if let Payload::GlobalSection(section) = payload {
                globals_of(section, space, written, &mut constants, &mut globals)?;
                continue;
            }
            let mut relocate = Relocate { space, constants: &constants };
            match payload {
                Payload::FunctionSection(section) => {
                    relocate.parse_function_section(&mut functions, section.clone())?;
                }
                Payload::TableSection(section) => relocate.parse_table_section(&mut tables, section.clone())?,
                Payload::MemorySection(section) => relocate.parse_memory_section(&mut memories, section.clone())?,
                Payload::ElementSection(section) => relocate.parse_element_section(&mut elements, section.clone())?,
                Payload::CodeSectionEntry(body) => relocate.parse_function_body(&mut code, body.clone())?,
                Payload::DataSection(section) => relocate.parse_data_section(&mut segments, section.clone())?,
                _ => {}
            }
        }
    }
    let mut module = Module::new();
    module.section(&types).section(&imports).section(&functions).section(&tables).section(&memories);
    module.section(&globals).section(exports).section(&elements).section(&DataCountSection { count: data });
    module.section(&code).section(&segments);
    Ok(module)
}

/// Writes the globals of a part. What no code writes to becomes immutable, and a constant if its value is told.
fn globals_of(
    section: &wasmparser::GlobalSectionReader<'_>,
    space: &Space<'_>,
    written: &BTreeSet<u32>,
    constants: &mut BTreeMap<u32, i32>,
    globals: &mut GlobalSection,
) -> Result<(), MergeError> {
    for global in section.clone() {
        let mut global = global?;
        let place = globals.len();
        global.ty.mutable &= written.contains(&place);
        let mut operators = global.init_expr.get_operators_reader();
        if let (Operator::I32Const { value }, false) = (operators.read()?, global.ty.mutable)
            && matches!(operators.read()?, Operator::End)
        {
            constants.insert(place, value);
        }
        Relocate { space, constants }.parse_global(globals, global)?;
    }
    Ok(())
}
