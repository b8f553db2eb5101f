//! `Cargo.toml` and `Cargo.lock` read as plain data: an allow-list of keys and of crates.

use super::allow_list::{self, SDK};
use super::at;
use crate::code::Code;
use crate::finding::Findings;
use crate::limits::DEPENDENCIES_MAX;
use cargo_metadata::semver::{Version, VersionReq};
use std::path::Path;
use toml::{Table, Value};

const FILE: &str = "Cargo.toml";
/// The only root that a library may have.
const LIB_PATH: &str = "src/lib.rs";
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The editions that the source pass reads as the compiler does. In older ones the same characters make other tokens: `cr#"…"#` is one literal today
/// and was four tokens before 2021.
const EDITIONS: &[&str] = &["2021", "2024"];

const PACKAGE_KEYS: &[&str] = &[
    "name",
    "version",
    "edition",
    "rust-version",
    "authors",
    "description",
    "license",
    "publish",
    "readme",
    "keywords",
    "categories",
    "repository",
    "homepage",
    "documentation",
    "metadata",
    "autobins",
    "autoexamples",
    "autotests",
    "autobenches",
    "resolver",
];
const LIB_KEYS: &[&str] = &["name", "path", "crate-type", "crate_type", "doctest", "test", "bench", "doc"];
const DEPENDENCY_KEYS: &[&str] =
    &["version", "features", "default-features", "default_features", "optional", "package"];

/// Checks the manifest of the crate in `folder`.
pub(super) fn check(manifest: &Table, folder: &Path, findings: &mut Findings) {
    if manifest.get("package").and_then(Value::as_table).is_none() {
        findings.push(at(Code::UnreadableManifest, FILE, "package", "there is no `[package]`"));
    }
    for (key, value) in manifest {
        match (key.as_str(), value) {
            ("package", Value::Table(package)) => check_package(package, findings),
            ("lib", Value::Table(lib)) => check_lib(lib, findings),
            ("dependencies" | "dev-dependencies", Value::Table(dependencies)) => {
                check_dependencies(key, dependencies, folder, findings);
            }
            ("features", Value::Table(features)) => check_features(features, manifest, findings),
            ("lints", Value::Table(_)) => {}
            ("workspace", Value::Table(workspace)) if workspace.is_empty() => {}
            ("patch" | "replace", _) => {
                findings.push(at(Code::ReplacedSource, FILE, key, format!("`[{key}]` is not allowed")));
            }
            _ => unlisted(key, findings),
        }
    }
}

fn unlisted(key: &str, findings: &mut Findings) {
    findings.push(at(Code::UnlistedKey, FILE, key, format!("the key `{key}` is not allowed")));
}

/// An edition at `key`; one that is absent means 2015 to cargo.
fn check_edition(key: &str, edition: Option<&Value>, findings: &mut Findings) {
    if edition.and_then(Value::as_str).is_some_and(|edition| EDITIONS.contains(&edition)) {
        return;
    }
    let message = match edition {
        Some(_) => "this edition of Rust is not allowed",
        None => "there is no `edition`, which means the edition of 2015",
    };
    let finding = at(Code::OtherEdition, FILE, key, message).limit(EDITIONS.join(", "));
    findings.push(match edition {
        Some(edition) => finding.observed(edition),
        None => finding,
    });
}

fn check_package(package: &Table, findings: &mut Findings) {
    check_edition("package.edition", package.get("edition"), findings);
    for (key, value) in package {
        match key.as_str() {
            // `build = false` says that there is no build script, which is what is wanted.
            "build" if value.as_bool() == Some(false) => {}
            "build" | "metabuild" => {
                findings.push(
                    at(Code::BuildScript, FILE, &format!("package.{key}"), "a build script is not allowed")
                        .observed(value),
                );
            }
            "links" => {
                let finding = at(Code::NativeLibrary, FILE, "package.links", "linking a native library is not allowed");
                findings.push(finding.observed(value));
            }
            known if PACKAGE_KEYS.contains(&known) && !inherits(value) => {}
            _ => unlisted(&format!("package.{key}"), findings),
        }
    }
}

/// `key.workspace = true`: the value is in a manifest that is not checked.
fn inherits(value: &Value) -> bool {
    value.get("workspace").is_some()
}

fn check_lib(lib: &Table, findings: &mut Findings) {
    for (key, value) in lib {
        match (key.as_str(), value) {
            ("proc-macro" | "proc_macro" | "plugin", Value::Boolean(false)) => {}
            ("proc-macro" | "proc_macro" | "plugin", _) => {
                findings.push(at(
                    Code::ProcMacroCrate,
                    FILE,
                    &format!("lib.{key}"),
                    "a procedural-macro crate is not allowed",
                ));
            }
            ("crate-type" | "crate_type", Value::Array(kinds)) => {
                for kind in
                    kinds.iter().filter_map(Value::as_str).filter(|kind| !matches!(*kind, "cdylib" | "rlib" | "lib"))
                {
                    let code = if kind == "proc-macro" { Code::ProcMacroCrate } else { Code::UnlistedKey };
                    let message = format!("the crate type `{kind}` is not allowed");
                    findings.push(at(code, FILE, "lib.crate-type", message).limit("cdylib, rlib, lib"));
                }
            }
            // The root that every reader of the crate agrees on.
            ("path", path) if path.as_str() != Some(LIB_PATH) => {
                let message = format!("the library's root must be `{LIB_PATH}`");
                findings.push(at(Code::UnlistedKey, FILE, "lib.path", message).observed(path).limit(LIB_PATH));
            }
            ("edition", edition) => check_edition("lib.edition", Some(edition), findings),
            (known, _) if LIB_KEYS.contains(&known) => {}
            _ => unlisted(&format!("lib.{key}"), findings),
        }
    }
}

fn check_dependencies(section: &str, dependencies: &Table, folder: &Path, findings: &mut Findings) {
    if dependencies.len() as u64 > DEPENDENCIES_MAX {
        let finding = at(Code::TooManyDependencies, FILE, section, "there are too many dependencies");
        findings.push(finding.observed(format_args!("{} dependencies", dependencies.len())));
    }
    for (name, value) in dependencies {
        let key = format!("{section}.{name}");
        let table = match value {
            Value::String(_) => Table::from_iter([("version".to_owned(), value.clone())]),
            Value::Table(table) => table.clone(),
            _ => {
                unlisted(&key, findings);
                continue;
            }
        };
        let crate_name = table.get("package").and_then(Value::as_str).unwrap_or(name);
        check_source(&key, crate_name, &table, folder, findings);
        check_crate(&key, crate_name, &table, findings);
    }
}

/// Where a dependency comes from.
fn check_source(key: &str, crate_name: &str, table: &Table, folder: &Path, findings: &mut Findings) {
    for (part, value) in table {
        let (code, message) = match part.as_str() {
            "path" if crate_name == SDK && value.as_str().is_some_and(|path| is_outside(folder, path)) => continue,
            "path" => (Code::PathDependency, "a dependency by path is not allowed"),
            "git" => (Code::GitDependency, "a dependency from git is not allowed"),
            // These say more about a git source, which is one finding already.
            "branch" | "tag" | "rev" if table.contains_key("git") => continue,
            "registry" | "registry-index" => (Code::OtherRegistry, "a dependency from another registry is not allowed"),
            known if DEPENDENCY_KEYS.contains(&known) => continue,
            _ => (Code::UnlistedKey, "this key of a dependency is not allowed"),
        };
        findings.push(at(code, FILE, &format!("{key}.{part}"), message).observed(value));
    }
}

/// Whether an SDK path leads out of the crate's folder: a folder inside it is the guest's, not the SDK.
fn is_outside(folder: &Path, path: &str) -> bool {
    match (folder.canonicalize(), folder.join(path).canonicalize()) {
        (Ok(folder), Ok(path)) => !path.starts_with(folder),
        // What does not exist cannot be compiled; the build says so.
        (_, Err(_)) => true,
        (Err(_), _) => false,
    }
}

/// Which crate it is, at which version, with which features.
fn check_crate(key: &str, crate_name: &str, table: &Table, findings: &mut Findings) {
    if crate_name == SDK {
        return;
    }
    let Some(allowed) = allow_list::find(crate_name) else {
        let message = format!("the crate `{crate_name}` is not on the list of allowed crates");
        findings.push(at(Code::UnlistedCrate, FILE, key, message).observed(crate_name).limit(allow_list::names()));
        return;
    };
    let requirement = table.get("version").and_then(Value::as_str).unwrap_or("*");
    if !VersionReq::parse(requirement).is_ok_and(|requirement| allowed.admits(&requirement)) {
        let message = format!("this version of `{crate_name}` was not reviewed");
        findings.push(at(Code::UnlistedVersion, FILE, key, message).observed(requirement).limit(allowed.range()));
    }
    let features = table.get("features").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for feature in features {
        check_feature(key, allowed, feature, findings);
    }
}

fn check_feature(key: &str, allowed: &allow_list::Allowed, feature: &str, findings: &mut Findings) {
    if !allowed.features.contains(&feature) {
        let message = format!("the feature `{feature}` of `{}` was not reviewed", allowed.name);
        findings
            .push(at(Code::UnlistedFeature, FILE, key, message).observed(feature).limit(allowed.features.join(", ")));
    }
}

/// The crate's own features may switch on features of its dependencies: `"smallvec/serde"`, `"smallvec?/serde"`. The name before the slash
/// is the dependency's key, not the crate's name; one that no dependency has is refused.
fn check_features(features: &Table, manifest: &Table, findings: &mut Findings) {
    for (name, values) in features {
        let key = format!("features.{name}");
        for value in values.as_array().into_iter().flatten().filter_map(Value::as_str) {
            let Some((dependency, feature)) = value.split_once('/') else { continue };
            let dependency = dependency.strip_prefix("dep:").unwrap_or(dependency).trim_end_matches('?');
            let crate_names: Vec<&str> = ["dependencies", "dev-dependencies"]
                .iter()
                .filter_map(|part| meant(manifest, part, dependency))
                .collect();
            if crate_names.is_empty() {
                let message = format!("`{value}` does not name a dependency");
                findings.push(at(Code::UnlistedFeature, FILE, &key, message).observed(value));
            }
            for crate_name in crate_names {
                match allow_list::find(crate_name) {
                    Some(allowed) => check_feature(&key, allowed, feature, findings),
                    None if crate_name == SDK => {
                        let message = format!("`{SDK}` has no features");
                        findings.push(at(Code::UnlistedFeature, FILE, &key, message).observed(value));
                    }
                    // A finding of the dependency itself.
                    None => {}
                }
            }
        }
    }
}

/// The crate behind a key of this section.
fn meant<'a>(manifest: &'a Table, section: &str, key: &'a str) -> Option<&'a str> {
    let value = manifest.get(section)?.get(key)?;
    Some(value.get("package").and_then(Value::as_str).unwrap_or(key))
}

/// Checks what `Cargo.lock` pins: every package is the crate itself, the SDK, or an allowed crate from crates.io with its checksum.
pub(super) fn check_lock(lock: &Table, own_name: Option<&str>, findings: &mut Findings) {
    for package in lock.get("package").and_then(Value::as_array).into_iter().flatten() {
        let text = |key: &str| package.get(key).and_then(Value::as_str).unwrap_or_default();
        let (name, source) = (text("name"), text("source"));
        let key = format!("package.{name}");
        match (source, allow_list::find(name)) {
            ("", _) if name == SDK || Some(name) == own_name => {}
            ("", _) => {
                let message = "a dependency by path is not allowed";
                findings.push(at(Code::PathDependency, "Cargo.lock", &key, message).observed(name));
            }
            (CRATES_IO, Some(allowed)) => {
                if !is_checksum(text("checksum")) {
                    let message = format!("`{name}` is locked without its checksum");
                    findings.push(at(Code::UnresolvedGraph, "Cargo.lock", &key, message).observed(text("checksum")));
                }
                if !Version::parse(text("version")).is_ok_and(|version| allowed.range().matches(&version)) {
                    let message = format!("this version of `{name}` was not reviewed");
                    let finding = at(Code::UnlistedVersion, "Cargo.lock", &key, message).observed(text("version"));
                    findings.push(finding.limit(allowed.range()));
                }
            }
            (CRATES_IO, None) => {
                let message = format!("the crate `{name}` is not on the list of allowed crates");
                findings.push(
                    at(Code::UnlistedCrate, "Cargo.lock", &key, message).observed(name).limit(allow_list::names()),
                );
            }
            (git, _) if git.starts_with("git+") => {
                findings.push(
                    at(Code::GitDependency, "Cargo.lock", &key, "a dependency from git is not allowed")
                        .observed(source),
                );
            }
            _ => {
                let message = "a dependency from another registry is not allowed";
                findings.push(at(Code::OtherRegistry, "Cargo.lock", &key, message).observed(source));
            }
        }
    }
}

/// A SHA-256 in hexadecimal digits.
fn is_checksum(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
