//! One core module: counts, sizes, and what may not be in it.

use super::operators::{InFunction, scan};
use super::{function_place, place};
use crate::code::Code;
use crate::escape::escape;
use crate::finding::{Finding, Findings, FunctionPlace};
use crate::limits;
use std::collections::BTreeMap;
use std::ops::Range;
use wasmparser::{
    CompositeInnerType, CustomSectionReader, ExternalKind, KnownCustom, MemoryType, Name, Payload, Result, TableType,
    TypeRef,
};

/// Characters of a function name shown in a finding; mangled names can be kilobytes.
const NAME_SHOWN: usize = 200;

/// What is counted over all modules of a component.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) types: u64,
    pub(super) functions: u64,
    pub(super) function_bytes_max: u64,
    pub(super) memories: u64,
    pub(super) memory_pages: u64,
    pub(super) tables: u64,
    pub(super) table_elements: u64,
    pub(super) globals: u64,
    pub(super) data_segments: u64,
    pub(super) element_segments: u64,
}

/// A module while it is read.
pub(super) struct Module {
    imported_functions: u32,
    bodies: u32,
    pending: Vec<(u32, InFunction)>,
    names: BTreeMap<u32, String>,
    /// Where each body lies.
    pub(super) ranges: Vec<(Range<usize>, FunctionPlace)>,
}

impl Module {
    pub(super) fn new() -> Self {
        Self { imported_functions: 0, bodies: 0, pending: Vec::new(), names: BTreeMap::new(), ranges: Vec::new() }
    }

    /// Judges one payload of the module.
    pub(super) fn payload(
        &mut self,
        payload: &Payload<'_>,
        totals: &mut Totals,
        findings: &mut Findings,
    ) -> Result<()> {
        match payload {
            Payload::TypeSection(section) => {
                for group in section.clone().into_iter_with_offsets() {
                    let (offset, group) = group?;
                    for sub_type in group.into_types() {
                        totals.types += 1;
                        if let CompositeInnerType::Func(signature) = &sub_type.composite_type.inner {
                            judge_signature(signature.params().len(), signature.results().len(), offset, findings);
                        }
                    }
                }
            }
            Payload::ImportSection(section) => self.imports(section, totals, findings)?,
            Payload::FunctionSection(section) => totals.functions += u64::from(section.count()),
            Payload::TableSection(section) => {
                for table in section.clone().into_iter_with_offsets() {
                    let (offset, table) = table?;
                    judge_table(&table.ty, offset, totals, findings);
                }
            }
            Payload::MemorySection(section) => {
                for memory in section.clone().into_iter_with_offsets() {
                    let (offset, memory) = memory?;
                    judge_memory(&memory, offset, totals, findings);
                }
            }
            Payload::GlobalSection(section) => totals.globals += u64::from(section.count()),
            Payload::ExportSection(section) => self.exports(section, findings)?,
            Payload::StartSection { range, .. } => {
                findings.push(Finding::new(
                    Code::StartFunction,
                    place("start", range.start),
                    "the module has a start function",
                ));
            }
            Payload::ElementSection(section) => totals.element_segments += u64::from(section.count()),
            Payload::DataSection(section) => totals.data_segments += u64::from(section.count()),
            Payload::CodeSectionEntry(body) => {
                let index = self.imported_functions.saturating_add(self.bodies);
                self.bodies += 1;
                totals.function_bytes_max = totals.function_bytes_max.max(body.range().len() as u64);
                self.ranges.push((body.range(), FunctionPlace { index, name: None }));
                self.pending.extend(scan(body)?.into_iter().map(|found| (index, found)));
            }
            Payload::CustomSection(section) => self.read_names(section, findings),
            _ => {}
        }
        Ok(())
    }

    fn imports(
        &mut self,
        section: &wasmparser::ImportSectionReader<'_>,
        totals: &mut Totals,
        findings: &mut Findings,
    ) -> Result<()> {
        let mut count = 0_u64;
        for import in section.clone().into_imports_with_offsets() {
            let (offset, import) = import?;
            count += 1;
            judge_name(import.module, "imports", offset, findings);
            judge_name(import.name, "imports", offset, findings);
            if let TypeRef::Func(_) | TypeRef::FuncExact(_) = import.ty {
                self.imported_functions = self.imported_functions.saturating_add(1);
                totals.functions += 1;
            }
        }
        let offset = section.range().start;
        judge_count(Code::ImportCount, ("imports", offset), count, limits::IMPORTS_MAX, "imports", findings);
        Ok(())
    }

    fn exports(&mut self, section: &wasmparser::ExportSectionReader<'_>, findings: &mut Findings) -> Result<()> {
        let count = u64::from(section.count());
        judge_count(
            Code::ExportCount,
            ("exports", section.range().start),
            count,
            limits::EXPORTS_MAX,
            "exports",
            findings,
        );
        for export in section.clone().into_iter_with_offsets() {
            let (offset, export) = export?;
            judge_name(export.name, "exports", offset, findings);
            if export.kind == ExternalKind::Func && export.index < self.imported_functions {
                let message = "a module exports a function that it imports";
                findings.push(
                    Finding::new(Code::ReexportedImport, place("exports", offset), message).observed(export.name),
                );
            }
        }
        Ok(())
    }

    /// Reads the names of functions; broken names are not a finding; they are just left out.
    fn read_names(&mut self, section: &CustomSectionReader<'_>, findings: &mut Findings) {
        let KnownCustom::Name(subsections) = section.as_known() else { return };
        let offset = section.range().start;
        for subsection in subsections.into_iter().flatten() {
            let names = match subsection {
                Name::Function(names) => names,
                Name::Module { name, .. } => {
                    judge_given_name(name, offset, findings);
                    continue;
                }
                _ => continue,
            };
            for naming in names.into_iter().flatten().take(2 * limits::FUNCTIONS_MAX as usize) {
                judge_given_name(naming.name, offset, findings);
                let shown: String = naming.name.chars().take(NAME_SHOWN).collect();
                self.names.insert(naming.index, escape(&shown));
            }
        }
    }

    /// Places what was found in functions, now that their names are known.
    pub(super) fn finish(mut self, findings: &mut Findings) -> Vec<(Range<usize>, FunctionPlace)> {
        for (index, found) in self.pending {
            if !findings.wants(found.code) {
                findings.omit(found.code.severity());
                continue;
            }
            let function = FunctionPlace { index, name: self.names.get(&index).cloned() };
            let finding = Finding::new(found.code, function_place(function, found.offset), found.message);
            findings.push(finding.observed(found.observed));
        }
        for (_, function) in &mut self.ranges {
            function.name = self.names.remove(&function.index);
        }
        self.ranges
    }
}

impl Totals {
    /// Judges what is limited over all modules.
    pub(super) fn judge(&self, findings: &mut Findings) {
        let mut judge =
            |code, measure, limit, what| judge_count(code, ("component", 0), measure, limit, what, findings);
        judge(Code::TypeCount, self.types, limits::TYPES_MAX, "types");
        judge(Code::FunctionCount, self.functions, limits::FUNCTIONS_MAX, "functions");
        judge(Code::GlobalCount, self.globals, limits::GLOBALS_MAX, "globals");
        judge(Code::SegmentCount, self.data_segments, limits::SEGMENTS_MAX, "data segments");
        judge(Code::SegmentCount, self.element_segments, limits::SEGMENTS_MAX, "element segments");
        if self.tables > limits::TABLES_MAX {
            let finding = Finding::new(Code::TableSize, place("component", 0), "the component has too many tables");
            findings.push(
                finding
                    .observed(format_args!("{} tables", self.tables))
                    .limit(format_args!("{} tables", limits::TABLES_MAX)),
            );
        }
        if self.memories != 1 {
            let finding =
                Finding::new(Code::MemoryCount, place("component", 0), "the component must have exactly one memory");
            findings.push(finding.observed(format_args!("{} memories", self.memories)));
        }
    }
}

/// A finding when a count exceeds its limit.
pub(super) fn judge_count(
    code: Code,
    at: (&'static str, usize),
    measure: u64,
    limit: u64,
    what: &str,
    findings: &mut Findings,
) {
    if measure > limit {
        let finding = Finding::new(code, place(at.0, at.1), format!("there are too many {what}"));
        findings.push(finding.observed(format_args!("{measure} {what}")).limit(format_args!("{limit} {what}")));
    }
}

/// A finding when a name is too long.
pub(super) fn judge_name(name: &str, section: &'static str, offset: usize, findings: &mut Findings) {
    if name.len() as u64 > limits::NAME_BYTES_MAX {
        let finding = Finding::new(Code::NameLength, place(section, offset), "a name is too long");
        findings.push(finding.observed(format_args!("{} bytes", name.len())));
    }
}

/// The same for a name that a guest gives a function or itself: it is shown to people, so somebody has to read it.
fn judge_given_name(name: &str, offset: usize, findings: &mut Findings) {
    if name.len() as u64 > limits::FUNCTION_NAME_BYTES_MAX {
        let finding =
            Finding::new(Code::NameLength, place("name", offset), "the name of a function or module is too long");
        let finding = finding.observed(format_args!("{} bytes", name.len()));
        let hint = "A function's name spells out the types that it is generic over: put a struct or a `Box<dyn …>` in between, or strip the names.";
        findings.push(finding.limit(format_args!("{} bytes", limits::FUNCTION_NAME_BYTES_MAX)).hint(hint));
    }
}

fn judge_signature(parameters: usize, results: usize, offset: usize, findings: &mut Findings) {
    let widest = parameters.max(results) as u64;
    if widest > limits::PARAMETERS_MAX {
        let finding = Finding::new(Code::SignatureSize, place("types", offset), "a function type is too wide");
        findings.push(finding.observed(format_args!("{parameters} parameters, {results} results")));
    }
}

fn judge_table(table: &TableType, offset: usize, totals: &mut Totals, findings: &mut Findings) {
    totals.tables += 1;
    totals.table_elements = totals.table_elements.saturating_add(table.initial);
    let largest = table.maximum.unwrap_or(0).max(table.initial);
    if largest > limits::TABLE_ELEMENTS_MAX {
        let finding = Finding::new(Code::TableSize, place("tables", offset), "a table is too large");
        findings.push(finding.observed(format_args!("{largest} elements")));
    }
}

fn judge_memory(memory: &MemoryType, offset: usize, totals: &mut Totals, findings: &mut Findings) {
    totals.memories += 1;
    totals.memory_pages = totals.memory_pages.saturating_add(memory.initial);
    if memory.initial > limits::MEMORY_PAGES_MAX {
        let finding = Finding::new(Code::MemoryMax, place("memories", offset), "the memory starts too large");
        findings.push(finding.observed(format_args!("{} pages", memory.initial)));
    } else if memory.maximum.is_some_and(|maximum| maximum > limits::MEMORY_PAGES_MAX) {
        let finding = Finding::new(Code::MemoryMax, place("memories", offset), "the memory may grow too large");
        findings.push(finding.observed(format_args!("{} pages", memory.maximum.unwrap_or(0))));
    }
}
