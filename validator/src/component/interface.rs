//! Imports and exports against the world of the WIT source, types included.
//!
//! A component may leave out what it does not use; whatever it names must be there, with the same type. Types are compared by structure, as
//! linking does.

use super::encoding::WIT;
use super::survey::{External, Survey};
use super::{place, types};
use crate::code::Code;
use crate::finding::{Finding, Findings};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use wasmparser::component_types::ComponentEntityType;
use wasmparser::types::{Types, TypesRef};
use wit_parser::{Resolve, WorldItem, WorldKey};

/// The world as text: names and written-out types.
struct World {
    /// Interfaces that may be imported, and what each has.
    interfaces: BTreeMap<String, BTreeMap<String, String>>,
    /// Types that may be imported by their own name.
    types: BTreeMap<String, String>,
    /// Functions that must be exported.
    exports: BTreeMap<String, String>,
}

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let mut resolve = Resolve::default();
    let package =
        resolve.push_str("strategy.wit", WIT).expect("the embedded WIT source is part of the program and tested");
    let world = resolve.select_world(&[package], None).expect("the embedded WIT source has one world");
    let mut found = World { interfaces: BTreeMap::new(), types: BTreeMap::new(), exports: BTreeMap::new() };
    for (key, item) in &resolve.worlds[world].imports {
        match item {
            WorldItem::Interface { id, .. } => {
                let interface = &resolve.interfaces[*id];
                let functions = interface
                    .functions
                    .iter()
                    .map(|(name, function)| (name.clone(), types::expected_function(&resolve, function)));
                let named =
                    interface.types.iter().map(|(name, id)| (name.clone(), types::expected_type(&resolve, *id)));
                found.interfaces.insert(name_of(&resolve, key), functions.chain(named).collect());
            }
            WorldItem::Type { id, .. } => {
                found.types.insert(name_of(&resolve, key), types::expected_type(&resolve, *id));
            }
            WorldItem::Function(_) => {}
        }
    }
    for (key, item) in &resolve.worlds[world].exports {
        if let WorldItem::Function(function) = item {
            found.exports.insert(name_of(&resolve, key), types::expected_function(&resolve, function));
        }
    }
    found
});

fn name_of(resolve: &Resolve, key: &WorldKey) -> String {
    resolve.name_world_key(key)
}

/// Another version of the interface than ours, if the component imports one.
fn other_version(survey: &Survey) -> Option<Finding> {
    let split = |name: &str| name.split_once('@').map(|(base, version)| (base.to_owned(), version.to_owned()));
    let ours: Vec<_> = WORLD.interfaces.keys().filter_map(|name| split(name)).collect();
    let differs = |(base, version): (String, String)| ours.iter().any(|own| own.0 == base && own.1 != version);
    let other = survey.imports.iter().find(|import| split(&import.name).is_some_and(differs))?;
    let message = "the component was built against another version of the strategy interface";
    let finding = Finding::new(Code::OtherInterface, place("imports", other.offset), message);
    Some(finding.observed(&other.name).limit(known_imports()))
}

/// Compares a valid component with the world.
pub(super) fn compare(component: &Types, survey: &Survey, findings: &mut Findings) {
    // Whatever else differs follows from it.
    if let Some(finding) = other_version(survey) {
        return findings.push(finding);
    }
    let component = component.as_ref();
    for import in &survey.imports {
        compare_import(component, import, findings);
    }
    for export in &survey.exports {
        compare_export(component, export, findings);
    }
    for name in WORLD.exports.keys().filter(|name| !survey.exports.iter().any(|export| export.name == **name)) {
        let message = format!("the entry point `{name}` is missing");
        findings.push(Finding::new(Code::MissingExportFunction, place("exports", 0), message));
    }
}

fn compare_import(component: TypesRef<'_>, import: &External, findings: &mut Findings) {
    let at = place("imports", import.offset);
    let Some(item) = component.component_item_for_import(&import.name) else { return };
    if let Some(expected) = WORLD.types.get(&import.name) {
        if let Some(finding) =
            mismatch(Code::ImportType, at, &import.name, &types::entity(component, &item.ty), expected)
        {
            findings.push(finding);
        }
        return;
    }
    let Some(interface) = WORLD.interfaces.get(&import.name) else {
        let message = format!("the import `{}` is not part of the strategy interface", import.name);
        findings.push(Finding::new(Code::UnknownImport, at, message).observed(&import.name).limit(known_imports()));
        return;
    };
    let ComponentEntityType::Instance(id) = &item.ty else {
        findings.extend(
            mismatch(Code::ImportType, at, &import.name, &types::entity(component, &item.ty), "instance")
                .into_iter()
                .collect(),
        );
        return;
    };
    for (name, item) in component.get(*id).into_iter().flat_map(|instance| &instance.exports) {
        let full_name = format!("{}#{name}", import.name);
        let Some(expected) = interface.get(name) else {
            let message = format!("`{full_name}` is not part of the strategy interface");
            let have: Vec<&str> = interface.keys().map(String::as_str).collect();
            findings.push(
                Finding::new(Code::UnknownImport, at.clone(), message).observed(&full_name).limit(have.join(", ")),
            );
            continue;
        };
        findings.extend(
            mismatch(Code::ImportType, at.clone(), &full_name, &types::entity(component, &item.ty), expected)
                .into_iter()
                .collect(),
        );
    }
}

fn known_imports() -> String {
    let names: Vec<&str> = WORLD.interfaces.keys().map(String::as_str).collect();
    names.join(", ")
}

fn compare_export(component: TypesRef<'_>, export: &External, findings: &mut Findings) {
    let at = place("exports", export.offset);
    let Some(expected) = WORLD.exports.get(&export.name) else {
        let message = format!("the export `{}` is not part of the strategy interface", export.name);
        let names: Vec<&str> = WORLD.exports.keys().map(String::as_str).collect();
        findings.push(Finding::new(Code::UnknownExport, at, message).observed(&export.name).limit(names.join(", ")));
        return;
    };
    let Some(item) = component.component_item_for_export(&export.name) else { return };
    findings.extend(
        mismatch(Code::ExportType, at, &export.name, &types::entity(component, &item.ty), expected)
            .into_iter()
            .collect(),
    );
}

fn mismatch(code: Code, at: crate::finding::Place, name: &str, observed: &str, expected: &str) -> Option<Finding> {
    (observed != expected).then(|| {
        let message = format!("`{name}` has a different type in the strategy interface");
        Finding::new(code, at, message).observed(observed).limit(expected)
    })
}
