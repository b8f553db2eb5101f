//! What cargo itself makes of the crate: its targets and, where a lock file pins it, the whole graph.
//!
//! Nothing of the guest runs: `cargo metadata` builds nothing, is offline, and is started in the root folder, where no configuration of the
//! guest applies. Without a lock file the graph is not asked for, because cargo would write one into the guest's folder.

use super::allow_list::{self, SDK};
use super::at;
use crate::code::Code;
use crate::finding::Findings;
use cargo_metadata::{MetadataCommand, Package};
use std::path::Path;

/// Asks cargo, and adds what only cargo can know.
pub(super) fn check(manifest_path: &Path, locked: bool, findings: &mut Findings) {
    let Ok(manifest_path) = manifest_path.canonicalize() else { return };
    let command = |options: &[&str]| {
        let mut command = MetadataCommand::new();
        command.manifest_path(&manifest_path).current_dir("/");
        command.other_options(options.iter().map(|&option| option.to_owned()).collect::<Vec<_>>());
        command
    };
    let own = match command(&["--offline"]).no_deps().exec() {
        Ok(metadata) => metadata,
        Err(error) => {
            unresolved(&error, findings);
            return;
        }
    };
    for package in &own.packages {
        check_targets("Cargo.toml", package, findings);
    }
    if !locked || findings.has_errors() {
        return;
    }
    match command(&["--offline", "--locked"]).exec() {
        Ok(metadata) => {
            let own: Vec<_> = own.packages.iter().map(|package| &package.id).collect();
            for package in metadata.packages.iter().filter(|package| !own.contains(&&package.id)) {
                check_package(package, findings);
            }
        }
        Err(error) => unresolved(&error, findings),
    }
}

fn unresolved(error: &cargo_metadata::Error, findings: &mut Findings) {
    // Cargo's message is long and names folders of the host; its first line says what is wrong.
    let text = error.to_string();
    let reason =
        text.lines().find(|line| line.contains("error:")).or_else(|| text.lines().next()).unwrap_or_default().trim();
    let message = format!("cargo cannot resolve the crate offline: {}", reason.chars().take(200).collect::<String>());
    findings.push(at(Code::UnresolvedGraph, "Cargo.toml", "", message));
}

fn check_targets(file: &str, package: &Package, findings: &mut Findings) {
    for target in &package.targets {
        let key = format!("{}.{}", package.name, target.name);
        if target.is_custom_build() {
            findings.push(at(Code::BuildScript, file, &key, format!("`{}` has a build script", package.name)));
        }
        if target.is_proc_macro() {
            findings.push(at(Code::ProcMacroCrate, file, &key, format!("`{}` is a procedural macro", package.name)));
        }
    }
    if package.links.is_some() {
        findings.push(at(
            Code::NativeLibrary,
            file,
            &package.name,
            format!("`{}` links a native library", package.name),
        ));
    }
}

fn check_package(package: &Package, findings: &mut Findings) {
    let from_registry = package.source.as_ref().is_some_and(cargo_metadata::Source::is_crates_io);
    let name = package.name.as_str();
    let known = match allow_list::find(name) {
        Some(allowed) => from_registry && allowed.range().matches(&package.version),
        None => name == SDK && package.source.is_none(),
    };
    if !known {
        let message = format!("`{name} {}` is not an allowed crate", package.version);
        findings.push(at(Code::UnlistedCrate, "Cargo.lock", name, message).limit(allow_list::names()));
    }
    check_targets("Cargo.lock", package, findings);
}
