//! Builds a crate with cargo in the jail, after the dependency check.
//!
//! ```text
//! work/                 a workspace made here, so that no folder above it takes part
//! ├── crate/            the user's files; neither cargo's nor rustup's configuration is among them
//! ├── assay-sdk/        the embedded SDK; the crate's dependency on it is rewritten to this path
//! ├── home/registry/    index and downloaded packages of the user's cargo, linked read-only; packages are unpacked here
//! ├── home/config.toml  the compiler and its flags: sources can read the environment, but not this. Where cargo itself lies, cargo tells them all the same
//! ├── toolchain         a link to the toolchain
//! └── target/
//! ```
//!
//! Cargo hashes paths relative to the workspace into symbol names, so this layout gives the same bytes wherever it lies.
//!
//! No build script and no procedural macro can run: the check refuses those of the crate, and the jail executes nothing that
//! was written inside it and shows no linker for the machine itself.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use assay_jail::{Ended, Invocation, JailedOutput, PRIVATE_WRITABLE};
use assay_validator::check_dependencies;
use serde::Deserialize;
use toml::{Table, Value};

use crate::compiler::{self, Compiled, FLAGS};
use crate::error::BuildError;
use crate::message::{self, CompileMessage, Diagnostic, Level};
use crate::sdk;
use crate::source::{CrateSource, ROOT};
use crate::toolchain::{TARGET, Toolchain};
use crate::{BuildLimits, BuildSettings};

#[cfg(test)]
mod tests;

/// What the SDK is called as a package.
const SDK: &str = "assay-sdk";
/// Cargo's exit code for whatever it could not do.
const CARGO_FAILED: i32 = 101;
/// How a line of cargo's begins that brings one of the compiler's.
const FROM_COMPILER: &[u8] = br#"{"reason":"compiler-message","#;
const CRATE: &str = "crate";
const TARGET_FOLDER: &str = "target";
const HOME: &str = "home";

/// Flags that cargo passes itself, or that would stop it from reading rustc's output.
const CARGO_OWN_FLAGS: [&str; 4] =
    ["--edition=2024", "--target=wasm32-unknown-unknown", "--error-format=json", "--diagnostic-width=120"];

/// The profile that makes cargo compile as [`FLAGS`] do, whatever the manifest says.
const PROFILE: [(&str, &str); 8] = [
    ("OPT_LEVEL", "3"),
    ("CODEGEN_UNITS", "1"),
    ("LTO", "off"),
    ("PANIC", "abort"),
    ("DEBUG", "0"),
    ("STRIP", "debuginfo"),
    ("INCREMENTAL", "false"),
    ("DEBUG_ASSERTIONS", "false"),
];

pub(crate) fn compile(
    source: &CrateSource,
    toolchain: &Toolchain,
    settings: &BuildSettings,
) -> Result<Compiled, BuildError> {
    let work = compiler::work_folder(settings)?;
    let work = work.path();
    lay_out(source, work)?;
    let findings = check_dependencies(&work.join(CRATE).join("Cargo.toml"));
    if findings.has_errors() {
        return Err(BuildError::Dependencies(findings));
    }
    fix_root(&work.join(CRATE).join("Cargo.toml"))?;
    let registry = link_registry(&work.join(HOME).join("registry"))?;
    compiler::link_toolchain(toolchain, work)?;
    write(work, "home/config.toml", &configuration(toolchain, work))?;
    let BuildLimits { crate_seconds, crate_wall, .. } = settings.limits;
    let jail = compiler::jail(toolchain, settings, work, &registry, (crate_seconds, crate_wall));
    let is_crash = |output: &JailedOutput| !is_refusal(output) && compiler::is_crash(output, &messages(output));
    let output = compiler::attempts(jail, &invocation(toolchain, work), settings, is_crash)?;
    let messages = messages(&output);
    let is_error = |message: &CompileMessage| message.level == Level::Error;
    if is_refusal(&output) && !messages.iter().any(is_error) {
        return Err(BuildError::Cargo { message: words(&output, work) });
    }
    let warnings = compiler::conclude(&output, messages, crate_seconds, settings)?;
    let module = built_module(&work.join(TARGET_FOLDER).join(TARGET).join("release"))?;
    compiler::finish(&output, &module, warnings)
}

/// Whether cargo ended as it does where it does not take a crate, or where the compiler does not, and not for a crash below it or for lack of room.
fn is_refusal(output: &JailedOutput) -> bool {
    let said = String::from_utf8_lossy(&output.stderr.bytes);
    output.ended == Ended::Exited(CARGO_FAILED)
        && !compiler::has_failed_child(&said)
        && !compiler::says_disk_is_full(&said)
}

/// Writes the workspace: the crate, its lock file where cargo looks for it, and the SDK.
fn lay_out(source: &CrateSource, work: &Path) -> Result<(), BuildError> {
    for file in &source.files {
        match file.name.as_str() {
            "Cargo.toml" => write(work, "crate/Cargo.toml", &rewritten(&file.text))?,
            name => write(work, &format!("{CRATE}/{name}"), &file.text)?,
        }
        if file.name == "Cargo.lock" {
            write(work, "Cargo.lock", &file.text)?;
        }
    }
    write(work, "Cargo.toml", &format!("[workspace]\nresolver = \"3\"\nmembers = [\"{CRATE}\"]\n"))?;
    let folder = work.join(sdk::FOLDER);
    fs::create_dir_all(&folder).map_err(BuildError::io("make the folder", &folder))?;
    sdk::unpack(&folder)?;
    let (name, version) = (SDK, sdk::SDK_VERSION);
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n"
    );
    write(&folder, "Cargo.toml", &manifest)
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), BuildError> {
    let path = folder.join(name);
    let parent = path.parent().unwrap_or(folder);
    fs::create_dir_all(parent).map_err(BuildError::io("make the folder", parent))?;
    fs::write(&path, text).map_err(BuildError::io("write", path))
}

/// The manifest with every dependency on the SDK replaced by the embedded one, and without an empty `[workspace]`, because the crate is
/// a member of ours. One that is not TOML stays as it is: the check says so.
fn rewritten(manifest: &str) -> String {
    let Ok(mut table) = manifest.parse::<Table>() else { return manifest.to_owned() };
    if table.get("workspace").and_then(Value::as_table).is_some_and(Table::is_empty) {
        table.remove("workspace");
    }
    for section in ["dependencies", "dev-dependencies"] {
        let Some(Value::Table(dependencies)) = table.get_mut(section) else { continue };
        for (name, value) in dependencies.iter_mut() {
            let package = value.get("package").and_then(Value::as_str).unwrap_or(name);
            if package == SDK {
                let parts = [("package", SDK.to_owned()), ("path", format!("../{}", sdk::FOLDER))];
                *value =
                    Value::Table(parts.map(|(key, part)| (key.to_owned(), Value::String(part))).into_iter().collect());
            }
        }
    }
    table.to_string()
}

/// Makes cargo compile the file that [`Source::root`](crate::Source::root) shows, whatever the manifest says. Comes after the check,
/// which sees the manifest as its author wrote it.
fn fix_root(manifest: &Path) -> Result<(), BuildError> {
    let text = fs::read_to_string(manifest).map_err(BuildError::io("read", manifest))?;
    fs::write(manifest, with_fixed_root(&text)).map_err(BuildError::io("write", manifest))
}

fn with_fixed_root(manifest: &str) -> String {
    let Ok(mut table) = manifest.parse::<Table>() else { return manifest.to_owned() };
    if let Value::Table(library) = table.entry("lib").or_insert_with(|| Value::Table(Table::new())) {
        library.insert("path".to_owned(), Value::String(ROOT.to_owned()));
    }
    table.to_string()
}

/// Makes the registry of the jail's cargo. Returns the folders of the user's registry that it leads to.
fn link_registry(home: &Path) -> Result<Vec<PathBuf>, BuildError> {
    fs::create_dir_all(home).map_err(BuildError::io("make the folder", home))?;
    let Some(registry) = user_registry() else { return Ok(Vec::new()) };
    let parts = ["index", "cache"].map(|part| (registry.join(part), home.join(part)));
    let found: Vec<_> = parts.into_iter().filter(|(part, _)| part.is_dir()).collect();
    for (part, link) in &found {
        std::os::unix::fs::symlink(part, link).map_err(BuildError::io("link to", part))?;
    }
    Ok(found.into_iter().map(|(part, _)| part).collect())
}

/// Where the user's cargo keeps the registry.
fn user_registry() -> Option<PathBuf> {
    let named = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = named("CARGO_HOME").or_else(|| named("HOME").map(|home| home.join(".cargo")))?;
    home.join("registry").canonicalize().ok()
}

/// What cargo is to compile with. Its paths are relative to the folder above that of the file.
fn configuration(toolchain: &Toolchain, work: &Path) -> String {
    let from_profile = |flag: &str| flag.starts_with("-C") && !flag.starts_with("-Clink-arg");
    let own = |flag: &&str| !CARGO_OWN_FLAGS.contains(flag) && !from_profile(flag);
    let flags = FLAGS.iter().copied().filter(own).map(str::to_owned);
    let remaps = compiler::remaps(toolchain, work).into_iter().chain([
        // What the folder is called inside.
        format!("--remap-path-prefix={PRIVATE_WRITABLE}="),
        // Panics name the crate's own files as its author knows them.
        format!("--remap-path-prefix={CRATE}="),
    ]);
    let flags: Vec<Value> = flags.chain(remaps).map(Value::String).collect();
    let rustc = Value::String(format!("{}/bin/rustc", compiler::TOOLCHAIN));
    let build = Table::from_iter([("rustc".to_owned(), rustc), ("rustflags".to_owned(), Value::Array(flags))]);
    Table::from_iter([("build".to_owned(), Value::Table(build))]).to_string()
}

fn invocation(toolchain: &Toolchain, work: &Path) -> Invocation {
    let path = |part: &str| work.join(part).into_os_string();
    let mut args: Vec<OsString> =
        ["rustc", "--lib", "--crate-type=cdylib", "--release", "--offline", "--message-format=json"]
            .map(OsString::from)
            .to_vec();
    args.extend(["--target".into(), TARGET.into()]);
    args.extend(["--manifest-path".into(), path("crate/Cargo.toml"), "--target-dir".into(), path(TARGET_FOLDER)]);
    let mut env: Vec<(OsString, OsString)> = vec![
        ("CARGO_HOME".into(), path(HOME)),
        ("HOME".into(), path(HOME)),
        ("TMPDIR".into(), work.into()),
        ("LD_LIBRARY_PATH".into(), path(&format!("{}/lib", compiler::TOOLCHAIN))),
        ("CARGO_TERM_COLOR".into(), "never".into()),
    ];
    env.extend(PROFILE.map(|(name, value)| (format!("CARGO_PROFILE_RELEASE_{name}").into(), value.into())));
    Invocation { program: toolchain.cargo(), args, env, stdin: Vec::new() }
}

/// One line of cargo's JSON, as far as it matters.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    message: Diagnostic<'a>,
}

fn messages(output: &JailedOutput) -> Vec<CompileMessage> {
    let lines = output.stdout.bytes.split(|byte| *byte == b'\n');
    let diagnostics = lines.filter_map(|line| match serde_json::from_slice::<Line<'_>>(line) {
        Ok(line) => Some(Some(line.message)),
        Err(_) => line.starts_with(FROM_COMPILER).then_some(None),
    });
    let inside = format!("{CRATE}/src/");
    let is_own_file = |file: &str| file.starts_with(&inside);
    let mut messages = message::collect(diagnostics, &output.stdout, output.ended, is_own_file);
    for message in &mut messages {
        message.rendered = message.rendered.replace(&inside, "src/");
        if let Some(place) = &mut message.place {
            place.file = place.file.replace(&inside, "src/");
        }
    }
    messages
}

/// What cargo itself said, without the folder's random name.
fn words(output: &JailedOutput, work: &Path) -> String {
    let said = compiler::last_words(&output.stderr.bytes);
    [Path::new(PRIVATE_WRITABLE), work]
        .iter()
        .fold(said, |said, folder| said.replace(&format!("{}/", folder.display()), ""))
}

/// The one module that cargo left.
fn built_module(release: &Path) -> Result<PathBuf, BuildError> {
    let entries = fs::read_dir(release).map_err(BuildError::io("list", release))?;
    let modules: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "wasm"))
        .collect();
    match modules.as_slice() {
        [module] => Ok(module.clone()),
        _ => Err(BuildError::NotAStrategy { message: format!("the crate made {} modules, not one", modules.len()) }),
    }
}
