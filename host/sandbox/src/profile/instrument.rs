//! Puts a wrapper around every function and import of a module.
//!
//! ```text
//! before   imports │ functions
//! after    imports │ enter, exit │ functions │ wrappers: one for each import, one for each function
//! ```
//!
//! A wrapper calls `enter` with its number, passes its parameters on, and calls `exit`. Everything that named a function (calls, tables,
//! exports) names its wrapper; bodies are otherwise as they were, so they cost what they cost. Names of functions come from the name section, which is
//! read for people only, bounded, and may hold anything.

use super::{ENTER, EXIT, Function, HOOKS};
use crate::names::readable;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use wasm_encoder::reencode::{Error as ReencodeError, Reencode};
use wasm_encoder::{
    CodeSection, DataCountSection, DataSection, ElementSection, EntityType, ExportSection, FunctionSection,
    GlobalSection, ImportSection, MemorySection, Module, TableSection, TypeSection, ValType,
};
use wasmparser::{FuncType, KnownCustom, Name, Parser, Payload, TypeRef};

/// What host calls are called.
const HOST: &str = "exchange.";

/// Why a module could not be instrumented; the validator lets none of these through.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InstrumentError {
    /// Not a module as the validator knows it.
    #[error("the module cannot be read: {0}")]
    Read(#[from] wasmparser::BinaryReaderError),
    /// Not one that can be written again.
    #[error("the module cannot be written again: {0}")]
    Write(String),
}

impl From<ReencodeError> for InstrumentError {
    fn from(error: ReencodeError) -> Self {
        Self::Write(error.to_string())
    }
}

/// The instrumented module, and its functions by the number that wrappers report.
pub(crate) fn instrument(module: &[u8]) -> Result<(Vec<u8>, Vec<Function>), InstrumentError> {
    let survey = Survey::of(module)?;
    let mut numbering = Numbering { imported: survey.imported, defined: survey.types.len() as u32 - survey.imported };
    let mut sections = Sections::default();
    for payload in Parser::new(0).parse_all(module) {
        sections.take(&mut numbering, payload?)?;
    }
    Ok((sections.finish(&survey, numbering), survey.functions()))
}

/// What is known of a module before it is written anew.
struct Survey {
    imported: u32,
    signatures: Vec<FuncType>,
    /// The type of each function, imported ones first.
    types: Vec<u32>,
    names: BTreeMap<u32, String>,
}

impl Survey {
    fn of(module: &[u8]) -> Result<Self, InstrumentError> {
        let mut survey = Self { imported: 0, signatures: Vec::new(), types: Vec::new(), names: BTreeMap::new() };
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(section) => {
                    survey.signatures = section.into_iter_err_on_gc_types().collect::<Result<_, _>>()?;
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let import = import?;
                        if let TypeRef::Func(signature) = import.ty {
                            survey.names.insert(survey.imported, format!("{HOST}{}", import.name));
                            survey.types.push(signature);
                            survey.imported += 1;
                        }
                    }
                }
                Payload::FunctionSection(section) => {
                    for signature in section {
                        survey.types.push(signature?);
                    }
                }
                Payload::CustomSection(section) => {
                    if let KnownCustom::Name(names) = section.as_known() {
                        survey.take_names(names);
                    }
                }
                _ => {}
            }
        }
        Ok(survey)
    }

    /// Damaged names are not names.
    fn take_names(&mut self, names: wasmparser::NameSectionReader<'_>) {
        let functions = names.into_iter().filter_map(Result::ok).filter_map(|name| match name {
            Name::Function(map) => Some(map),
            _ => None,
        });
        for naming in functions.flat_map(|map| map.into_iter().filter_map(Result::ok)) {
            // Host calls keep the names of the interface; names of functions that do not exist, and second names, are not looked at.
            if (naming.index as usize) < self.types.len()
                && let Entry::Vacant(place) = self.names.entry(naming.index)
            {
                place.insert(readable(naming.name));
            }
        }
    }

    fn signature(&self, function: usize) -> Result<&FuncType, InstrumentError> {
        let signature = self.signatures.get(self.types[function] as usize);
        signature.ok_or_else(|| InstrumentError::Write("a function has no type".to_owned()))
    }

    fn functions(&self) -> Vec<Function> {
        let parameters = |function| self.signature(function).map_or(0, |signature| signature.params().len() as u64);
        let name = |function| self.names.get(&(function as u32)).cloned();
        let functions = (0..self.types.len()).map(|function| Function {
            name: name(function).unwrap_or_else(|| format!("function {function}")),
            parameters: parameters(function),
        });
        functions.collect()
    }
}

/// Old function numbers to new ones.
#[derive(Clone, Copy)]
struct Numbering {
    imported: u32,
    defined: u32,
}

impl Numbering {
    /// Where the function itself is.
    const fn itself(self, function: u32) -> u32 {
        if function < self.imported { function } else { function + 2 }
    }

    const fn enter(self) -> u32 {
        self.imported
    }

    const fn wrapper(self, function: u32) -> u32 {
        self.imported + 2 + self.defined + function
    }
}

impl Reencode for Numbering {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, ReencodeError> {
        Ok(self.wrapper(function))
    }
}

/// The module's sections, written anew, in whatever order they are found.
#[derive(Default)]
struct Sections {
    types: TypeSection,
    imports: ImportSection,
    functions: FunctionSection,
    tables: TableSection,
    memories: MemorySection,
    globals: GlobalSection,
    exports: ExportSection,
    elements: ElementSection,
    data_count: Option<u32>,
    code: CodeSection,
    data: DataSection,
}

impl Sections {
    fn take(&mut self, numbering: &mut Numbering, payload: Payload<'_>) -> Result<(), InstrumentError> {
        match payload {
            Payload::TypeSection(section) => numbering.parse_type_section(&mut self.types, section)?,
            Payload::ImportSection(section) => numbering.parse_import_section(&mut self.imports, section)?,
            Payload::FunctionSection(section) => numbering.parse_function_section(&mut self.functions, section)?,
            Payload::TableSection(section) => numbering.parse_table_section(&mut self.tables, section)?,
            Payload::MemorySection(section) => numbering.parse_memory_section(&mut self.memories, section)?,
            Payload::GlobalSection(section) => numbering.parse_global_section(&mut self.globals, section)?,
            Payload::ExportSection(section) => numbering.parse_export_section(&mut self.exports, section)?,
            Payload::ElementSection(section) => numbering.parse_element_section(&mut self.elements, section)?,
            Payload::DataCountSection { count, .. } => self.data_count = Some(count),
            Payload::CodeSectionEntry(body) => numbering.parse_function_body(&mut self.code, body)?,
            Payload::DataSection(section) => numbering.parse_data_section(&mut self.data, section)?,
            Payload::StartSection { .. } => return Err(InstrumentError::Write("it has a start function".to_owned())),
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self, survey: &Survey, numbering: Numbering) -> Vec<u8> {
        let hooks = self.types.len();
        self.types.ty().function([ValType::I32], []);
        self.types.ty().function([], []);
        self.imports.import(HOOKS, ENTER, EntityType::Function(hooks));
        self.imports.import(HOOKS, EXIT, EntityType::Function(hooks + 1));
        for (function, signature) in (0..).zip(&survey.types) {
            self.functions.function(*signature);
            let parameters = survey.signatures[*signature as usize].params().len() as u32;
            let mut wrapper = wasm_encoder::Function::new([]);
            let mut body = wrapper.instructions();
            body.i32_const(function as i32).call(numbering.enter());
            for parameter in 0..parameters {
                body.local_get(parameter);
            }
            body.call(numbering.itself(function)).call(numbering.enter() + 1).end();
            self.code.function(&wrapper);
        }
        let mut module = Module::new();
        module.section(&self.types).section(&self.imports).section(&self.functions).section(&self.tables);
        module.section(&self.memories).section(&self.globals).section(&self.exports).section(&self.elements);
        if let Some(count) = self.data_count {
            module.section(&DataCountSection { count });
        }
        module.section(&self.code).section(&self.data);
        module.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{NameMap, NameSection, Section as _};

    /// A module of two functions with these sections of function names, one after the other.
    fn named(sections: &[Vec<(u32, &str)>]) -> Vec<u8> {
        let mut module = wat::parse_str("(module (func) (func))").expect("it is valid text");
        for names in sections {
            let (mut map, mut section) = (NameMap::new(), NameSection::new());
            for (index, name) in names {
                map.append(*index, name);
            }
            section.functions(&map);
            section.append_to(&mut module);
        }
        module
    }

    #[test]
    fn only_names_of_functions_that_exist_are_looked_at_and_once() {
        // Taken apart, it doubles five times.
        let doubled = "_RINvC1c1fTuuETB7_B7_ETBb_Bb_ETBj_Bj_ETBr_Br_ETBz_Bz_EE";
        let honest = vec![(0, "a"), (1, "b")];
        let nowhere: Vec<(u32, &str)> = (2..100_000).map(|index| (index, doubled)).collect();
        let twice = vec![(1, doubled); 100_000];
        let (numbers, names) = (["function 0", "function 1"], ["a", "b"]);
        for (what, sections, expected) in [
            ("none", vec![], numbers),
            ("of functions that do not exist", vec![nowhere], numbers),
            ("the last index there is", vec![vec![(u32::MAX, doubled)]], numbers),
            ("one for each", vec![honest.clone()], names),
            ("second names", vec![honest.clone(), vec![(0, "c"), (1, "d")]], names),
            ("one again and again", vec![honest, twice], names),
        ] {
            let survey = Survey::of(&named(&sections)).expect("it is a module");
            assert!(survey.names.len() <= 2, "{what}: {}", survey.names.len());
            let found: Vec<String> = survey.functions().into_iter().map(|function| function.name).collect();
            assert_eq!(found, expected, "{what}");
        }
    }
}
