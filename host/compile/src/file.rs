//! One file: what it is kept under, and how it is compiled against the SDK's library.

use std::fs;

use crate::BuildSettings;
use crate::compiler::{Compiled, conclude, finish, rustc, work_folder};
use crate::error::BuildError;
use crate::kept;
use crate::message::{self, CompileMessage};
use crate::sdk;
use crate::source::{SourceText, is_rust_file};
use crate::toolchain::Toolchain;

/// Codes with which rustc refuses a library that it was given: of another crate or compiler, missing, or damaged.
const BAD_LIBRARY_CODES: [&str; 5] = ["E0460", "E0461", "E0463", "E0514", "E0786"];

/// Name under which one file is compiled, whatever the user calls it: panics and bytes do not depend on the user's name.
const FILE_NAME: &str = "strategy.rs";

const MODULE: &str = "strategy.wasm";

/// What the compiler is told about a file of this name, besides [`FLAGS`](crate::compiler::FLAGS). All of it decides about the module or its messages.
fn arguments(name: &str) -> Vec<String> {
    let library = format!("--extern=assay_sdk={}", sdk::LIBRARY);
    let mut arguments =
        ["--crate-name=strategy", "--crate-type=cdylib", "-o", MODULE, &library, name].map(str::to_owned).to_vec();
    if name != FILE_NAME {
        arguments.push(format!("--remap-path-prefix={name}={FILE_NAME}"));
    }
    arguments
}

/// What a file's module is kept under. Names are in it, because messages have them.
pub(crate) fn identity(source: &SourceText) -> blake3::Hash {
    kept::file(arguments(harmless_name(&source.name)).iter().map(String::as_str), &source.text)
}

/// Compiles one file against the SDK's library.
pub(crate) fn compile(
    source: &SourceText,
    library: &[u8],
    toolchain: &Toolchain,
    settings: &BuildSettings,
) -> Result<Compiled, BuildError> {
    let work = work_folder(settings)?;
    let name = harmless_name(&source.name);
    for (file, bytes) in [(name, source.text.as_bytes()), (sdk::LIBRARY, library)] {
        let path = work.path().join(file);
        fs::write(&path, bytes).map_err(BuildError::io("write", path))?;
    }
    let output = rustc(toolchain, settings, work.path(), &arguments(name))?;
    let messages = message::parse(&output.stderr, output.ended, |file| file == name);
    if let Some(message) = messages.iter().find(|message| blames_sdk(message)) {
        return Err(BuildError::Sdk { message: message.rendered.clone() });
    }
    let warnings = conclude(&output, messages, settings.limits.file_seconds, settings)?;
    finish(&output, &work.path().join(MODULE), warnings)
}

/// Whether the compiler could not use the compiled SDK, whatever the source says.
fn blames_sdk(message: &CompileMessage) -> bool {
    let is_bad_library = message.code.as_deref().is_some_and(|code| BAD_LIBRARY_CODES.contains(&code));
    is_bad_library && message.message.contains("`assay_sdk`")
}

/// The user's name if a command line and a message can carry it.
fn harmless_name(name: &str) -> &str {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.');
    let fits = name.len() <= 100 && is_rust_file(name) && name.starts_with(|first: char| first.is_ascii_alphanumeric());
    if fits && name.chars().all(is_plain) { name } else { FILE_NAME }
}
