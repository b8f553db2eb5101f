//! One pass over every payload of the component: limits, forbidden items, and where each component function comes from.
//!
//! Nothing here trusts a declared count: what is counted is what can be read from bytes that are there. Work is linear in the size of the
//! component, which is bounded.

use super::module::{Module, Totals, judge_count, judge_name};
use super::{Facts, place};
use crate::code::Code;
use crate::finding::{Finding, Findings, FunctionPlace};
use crate::limits;
use crate::parameters::{self, Malformed, PARAMETERS_SECTION, Parameter};
use std::collections::BTreeMap;
use std::ops::Range;
use wasmparser::{
    CanonicalFunction, CanonicalOption, ComponentAlias, ComponentExternalKind, ComponentImport, ComponentType,
    Encoding, ExternalKind, FromReader, Instance, Parser, Payload, Result, SectionLimited,
};

/// Where a function of the component level comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The host, perhaps lowered or through a bundle of exports.
    Host,
    /// A module of the component.
    Guest,
}

/// An import or export of the component.
pub(super) struct External {
    pub(super) name: String,
    pub(super) offset: usize,
}

/// What the pass found out.
pub(super) struct Survey {
    pub(super) findings: Findings,
    pub(super) facts: Facts,
    pub(super) imports: Vec<External>,
    pub(super) exports: Vec<External>,
    /// Offset and reason where reading had to stop.
    pub(super) broken: Option<(usize, String)>,
    /// The parameters that a module declares.
    pub(super) parameters: Vec<Parameter>,
    functions: Vec<(Range<usize>, FunctionPlace)>,
}

impl Survey {
    /// The function whose body holds this offset.
    pub(super) fn function_at(&self, offset: usize) -> Option<FunctionPlace> {
        let at = self.functions.partition_point(|(range, _)| range.end <= offset);
        self.functions.get(at).filter(|(range, _)| range.contains(&offset)).map(|(_, function)| function.clone())
    }
}

/// Reads the component.
pub(super) fn survey(bytes: &[u8]) -> Survey {
    let mut reading = Reading::default();
    let outcome = reading.run(bytes);
    reading.end_modules();
    let broken = outcome.err().map(|error| (error.offset(), format!("cannot be read: {}", error.message())));
    let Reading { mut findings, totals, imports, exports, functions, modules, custom_bytes, parameters, .. } = reading;
    totals.judge(&mut findings);
    if custom_bytes > limits::CUSTOM_BYTES_MAX {
        let finding = Finding::new(Code::CustomSections, place("custom", 0), "the custom sections are too large");
        findings.push(finding.observed(format_args!("{custom_bytes} bytes")));
    }
    let facts = Facts {
        bytes: bytes.len() as u64,
        modules,
        functions: totals.functions,
        function_bytes_max: totals.function_bytes_max,
        memory_pages: totals.memory_pages,
        table_elements: totals.table_elements,
    };
    Survey { findings, facts, imports, exports, broken, parameters: parameters.unwrap_or_default(), functions }
}

/// An instance of the core level.
enum CoreInstance {
    Module,
    /// Functions bundled under names.
    Bundle(BTreeMap<String, Origin>),
}

#[derive(Default)]
struct Reading {
    findings: Findings,
    totals: Totals,
    imports: Vec<External>,
    exports: Vec<External>,
    functions: Vec<(Range<usize>, FunctionPlace)>,
    modules: u64,
    module_instances: u64,
    instances: u64,
    items: u64,
    custom_bytes: u64,
    custom_sections: u64,
    parameters: Option<Vec<Parameter>>,
    /// Open modules and components, outermost first; `None` is a component.
    open: Vec<Option<Module>>,
    core_instances: Vec<CoreInstance>,
    core_functions: Vec<Origin>,
    component_functions: Vec<Origin>,
}

impl Reading {
    fn run(&mut self, bytes: &[u8]) -> Result<()> {
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload?;
            match &payload {
                Payload::Version { encoding: Encoding::Module, .. } => self.open.push(Some(Module::new())),
                Payload::Version { encoding: Encoding::Component, .. } => self.open.push(None),
                Payload::End(_) => self.end_innermost(),
                Payload::CustomSection(section) => {
                    self.custom_bytes += section.range().len() as u64;
                    self.custom_sections += 1;
                    if self.custom_sections == limits::CUSTOM_SECTIONS_MAX + 1 {
                        let finding = Finding::new(
                            Code::CustomSections,
                            place("custom", section.range().start),
                            "there are too many custom sections",
                        );
                        let limit = format_args!("{} sections", limits::CUSTOM_SECTIONS_MAX).to_string();
                        self.findings.push(finding.observed(format_args!("more than {limit}")).limit(limit));
                    }
                    if section.name() == PARAMETERS_SECTION && matches!(self.open.last(), Some(Some(_))) {
                        self.parameters(section.data(), section.data_offset());
                    }
                }
                _ => {}
            }
            let depth = self.open.len();
            match self.open.last_mut() {
                Some(Some(module)) => module.payload(&payload, &mut self.totals, &mut self.findings)?,
                // Inside a nested component nothing is looked at but its modules: it is refused as such.
                _ if depth == 1 => self.component(&payload)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// The declaration of the parameters, of which there is one at most.
    fn parameters(&mut self, bytes: &[u8], offset: usize) {
        let read = match self.parameters {
            None => parameters::read(bytes),
            Some(_) => Err(Malformed("the parameters are declared more than once".to_owned())),
        };
        match read {
            Ok(found) => self.parameters = Some(found),
            Err(why) => self.push(Code::ParameterDeclaration, "custom", offset, &why.0),
        }
    }

    fn end_innermost(&mut self) {
        if let Some(Some(module)) = self.open.pop() {
            self.functions.extend(module.finish(&mut self.findings));
        }
    }

    /// Closes what broken bytes left open, so that no finding is lost.
    fn end_modules(&mut self) {
        while !self.open.is_empty() {
            self.end_innermost();
        }
    }

    fn component(&mut self, payload: &Payload<'_>) -> Result<()> {
        match payload {
            Payload::ModuleSection { unchecked_range, .. } => {
                self.modules += 1;
                self.limit(
                    Code::ModuleCount,
                    ("modules", unchecked_range.start),
                    self.modules,
                    limits::MODULES_MAX,
                    "modules",
                );
            }
            Payload::ComponentSection { unchecked_range, .. } => {
                self.push(
                    Code::NestedComponent,
                    "components",
                    unchecked_range.start,
                    "there is a component inside the component",
                );
            }
            Payload::InstanceSection(section) => {
                self.each(section, |reading, offset, instance| reading.core_instance(&instance, offset))?;
            }
            Payload::ComponentInstanceSection(section) => {
                self.push(
                    Code::ForbiddenItem,
                    "instances",
                    section.range().start,
                    "the component makes component instances",
                );
            }
            Payload::ComponentStartSection { range, .. } => {
                self.push(Code::ForbiddenItem, "start", range.start, "the component has a start definition");
            }
            Payload::ComponentAliasSection(section) => self.each(section, |reading, _, alias| reading.alias(&alias))?,
            Payload::CoreTypeSection(section) => self.each(section, |_, _, _| {})?,
            Payload::ComponentTypeSection(section) => self.each(section, |reading, offset, item| {
                if let ComponentType::Resource { .. } = item {
                    reading.push(Code::ForbiddenItem, "types", offset, "the component defines a resource");
                }
            })?,
            Payload::ComponentCanonicalSection(section) => {
                self.each(section, |reading, offset, function| reading.canonical(&function, offset))?;
            }
            Payload::ComponentImportSection(section) => {
                self.each(section, |reading, offset, import| reading.import(&import, offset))?;
            }
            Payload::ComponentExportSection(section) => {
                self.each(section, |reading, offset, export| reading.export(&export, offset))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Counts and judges the items of a section, as far as they can be read.
    fn each<'a, T: FromReader<'a>>(
        &mut self,
        section: &SectionLimited<'a, T>,
        mut judge: impl FnMut(&mut Self, usize, T),
    ) -> Result<()> {
        for item in section.clone().into_iter_with_offsets() {
            let (offset, item) = item?;
            self.items += 1;
            self.limit(
                Code::ComponentItems,
                ("component", offset),
                self.items,
                limits::COMPONENT_ITEMS_MAX,
                "component-level items",
            );
            judge(self, offset, item);
        }
        Ok(())
    }

    fn push(&mut self, code: Code, section: &'static str, offset: usize, message: &str) {
        self.findings.push(Finding::new(code, place(section, offset), message));
    }

    /// Complains once, at the item with which the limit is passed.
    fn limit(&mut self, code: Code, at: (&'static str, usize), measure: u64, limit: u64, what: &str) {
        if measure == limit + 1 {
            judge_count(code, at, measure, limit, what, &mut self.findings);
        }
    }

    fn import(&mut self, import: &ComponentImport<'_>, offset: usize) {
        judge_name(import.name.name, "imports", offset, &mut self.findings);
        if import.ty.kind() == ComponentExternalKind::Func {
            self.component_functions.push(Origin::Host);
        }
        self.imports.push(External { name: import.name.name.to_owned(), offset });
    }

    fn core_instance(&mut self, instance: &Instance<'_>, offset: usize) {
        self.instances += 1;
        self.limit(Code::ModuleCount, ("instances", offset), self.instances, limits::INSTANCES_MAX, "instances");
        match instance {
            Instance::Instantiate { .. } => {
                self.module_instances += 1;
                let (measure, limit) = (self.module_instances, limits::MODULE_INSTANCES_MAX);
                self.limit(Code::ModuleCount, ("instances", offset), measure, limit, "module instances");
                self.core_instances.push(CoreInstance::Module);
            }
            Instance::FromExports(exports) => {
                let functions = exports.iter().filter(|export| export.kind == ExternalKind::Func);
                let bundle = functions.map(|export| (export.name.to_owned(), self.core_origin(export.index)));
                self.core_instances.push(CoreInstance::Bundle(bundle.collect()));
            }
        }
    }

    /// An index out of range is the validator's to complain about.
    fn core_origin(&self, index: u32) -> Origin {
        self.core_functions.get(index as usize).copied().unwrap_or(Origin::Guest)
    }

    fn alias(&mut self, alias: &ComponentAlias<'_>) {
        match *alias {
            ComponentAlias::CoreInstanceExport { kind: ExternalKind::Func, instance_index, name } => {
                let origin = match self.core_instances.get(instance_index as usize) {
                    Some(CoreInstance::Bundle(functions)) => functions.get(name).copied().unwrap_or(Origin::Guest),
                    Some(CoreInstance::Module) | None => Origin::Guest,
                };
                self.core_functions.push(origin);
            }
            // Component instances are imported ones: making others is refused.
            ComponentAlias::InstanceExport { kind: ComponentExternalKind::Func, .. } => {
                self.component_functions.push(Origin::Host);
            }
            _ => {}
        }
    }

    fn canonical(&mut self, function: &CanonicalFunction, offset: usize) {
        match function {
            CanonicalFunction::Lift { core_func_index, options, .. } => {
                self.options(options, offset);
                let origin = self.core_origin(*core_func_index);
                self.component_functions.push(origin);
            }
            CanonicalFunction::Lower { options, .. } => {
                self.options(options, offset);
                self.core_functions.push(Origin::Host);
            }
            _ => {
                self.push(
                    Code::ForbiddenItem,
                    "canonical functions",
                    offset,
                    "the component uses a built-in of the component model",
                );
                self.core_functions.push(Origin::Host);
            }
        }
    }

    fn options(&mut self, options: &[CanonicalOption], offset: usize) {
        for option in options {
            let observed = match option {
                CanonicalOption::UTF8
                | CanonicalOption::Memory(_)
                | CanonicalOption::Realloc(_)
                | CanonicalOption::PostReturn(_) => continue,
                CanonicalOption::UTF16 => "UTF-16",
                CanonicalOption::CompactUTF16 => "Latin-1 or UTF-16",
                CanonicalOption::Async | CanonicalOption::Callback(_) => "async",
                CanonicalOption::CoreType(_) | CanonicalOption::Gc => "gc",
            };
            let finding = Finding::new(
                Code::CanonicalOption,
                place("canonical functions", offset),
                "a canonical option is not allowed",
            );
            self.findings.push(finding.observed(observed).limit("UTF-8, memory, realloc, post-return"));
        }
    }

    fn export(&mut self, export: &wasmparser::ComponentExport<'_>, offset: usize) {
        judge_name(export.name.name, "exports", offset, &mut self.findings);
        self.exports.push(External { name: export.name.name.to_owned(), offset });
        if export.kind == ComponentExternalKind::Func {
            let origin = self.component_functions.get(export.index as usize).copied().unwrap_or(Origin::Guest);
            if origin == Origin::Host {
                let message = format!("`{}` is a function of the host", export.name.name);
                self.push(Code::ReexportedImport, "exports", offset, &message);
            }
            // An export is a function of its own in the index space.
            self.component_functions.push(origin);
        }
    }
}
