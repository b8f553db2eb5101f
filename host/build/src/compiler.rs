//! Runs rustc in the jail: the flags, the limits, and what its end means.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_files::{Folder, Kind, Links, OpenError};
use assay_jail::{Ended, Invocation, Jail, JailedOutput, Limits, Protections, system_libraries};
use tempfile::TempDir;

use crate::BuildSettings;
use crate::error::{BuildError, Exceeded};
use crate::kept;
use crate::message::{self, CompileMessage, Level};
use crate::sdk;
use crate::source::{SourceText, is_rust_file};
use crate::toolchain::Toolchain;

/// Flags of every compilation, the SDK's included.
///
/// No link-time optimisation: it takes three times as long and saves a tenth of the size; what is hot in the SDK is generic or
/// inline. Debug information goes, function names stay for backtraces. The default 1 MiB of stack would be most of a small memory.
pub(crate) const FLAGS: [&str; 13] = [
    "--edition=2024",
    "--target=wasm32-unknown-unknown",
    "-Copt-level=3",
    "-Ccodegen-units=1",
    "-Clto=off",
    "-Cembed-bitcode=no",
    "-Cpanic=abort",
    "-Cdebuginfo=0",
    "-Cstrip=debuginfo",
    "-Clink-arg=-zstack-size=262144",
    // Messages name the user's files; everything that ends up in the output is renamed.
    "--remap-path-scope=macro,debuginfo,coverage,object",
    "--error-format=json",
    "--diagnostic-width=120",
];

/// Folder in the cache in which compilations work.
const SCRATCH: &str = "scratch";

/// What a compilation's folder is called there, followed by six letters and digits.
const WORK_PREFIX: &str = "build-";

/// Entries that are looked at there.
const SCRATCH_ENTRIES_MAX: usize = 1 << 16;

/// What is older there was left by a build that was killed: no build may take that long.
const SCRATCH_AGE_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// Link in the folder of a compilation to the toolchain, so that the environment, which source can read, names no path of this machine.
pub(crate) const TOOLCHAIN: &str = "toolchain";

/// Codes with which rustc refuses a library that it was given: of another crate or compiler, missing, or damaged.
const BAD_LIBRARY_CODES: [&str; 5] = ["E0460", "E0461", "E0463", "E0514", "E0786"];

/// Name under which one file is compiled, whatever the user calls it: panics and bytes do not depend on the user's name.
const FILE_NAME: &str = "strategy.rs";

const MODULE: &str = "strategy.wasm";

/// Largest module read back. The validator's limit on components is below.
const MODULE_BYTES_MAX: u64 = 32 << 20;

/// `SIGBUS` and `SIGSEGV`: what a process dies of that runs over the end of its stack.
const MEMORY_FAULTS: [i32; 2] = [7, 11];

/// Characters kept of what a failing program said.
const LAST_WORDS_CHARS_MAX: usize = 2000;

/// A core module and what was said about it.
pub(crate) struct Compiled {
    pub(crate) module: Vec<u8>,
    pub(crate) warnings: Vec<CompileMessage>,
    pub(crate) protections: Protections,
}

/// A folder for one compilation in the cache, gone when dropped. What killed builds left there goes first.
pub(crate) fn work_folder(settings: &BuildSettings) -> Result<TempDir, BuildError> {
    let path = settings.cache.join(SCRATCH);
    let scratch = Folder::own(&settings.cache)
        .and_then(|cache| cache.own_folder(SCRATCH))
        .map_err(|why| BuildError::io("use the cache folder", &path)(why.into()))?;
    let path = path.canonicalize().map_err(BuildError::io("find the folder", &path))?;
    sweep(&scratch);
    tempfile::Builder::new().prefix(WORK_PREFIX).tempdir_in(&path).map_err(BuildError::io("make a folder in", path))
}

/// Removes old folders of builds, as far as that works: what stays only takes space. Whatever else is there is not ours.
fn sweep(scratch: &Folder) {
    for name in scratch.entries(SCRATCH_ENTRIES_MAX).unwrap_or_default() {
        let Ok(Some(found)) = scratch.look(&name) else { continue };
        let is_ours = is_work(&name) && found.kind == Kind::Folder && found.owner == assay_files::user();
        if is_ours && found.modified.elapsed().is_ok_and(|age| age > SCRATCH_AGE_MAX) {
            let _ = fs::remove_dir_all(scratch.path().join(&name));
        }
    }
}

/// Whether a name is one that [`work_folder`] gives.
fn is_work(name: &OsStr) -> bool {
    let random = name.to_str().and_then(|name| name.strip_prefix(WORK_PREFIX));
    random.is_some_and(|random| random.len() == 6 && random.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// What the compiler is told about a file of this name, besides [`FLAGS`]. All of it decides about the module or its messages.
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
pub(crate) fn compile_file(
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
    let messages = message::parse(&output.stderr.bytes, |file| file == name);
    if let Some(message) = messages.iter().find(|message| blames_sdk(message)) {
        return Err(BuildError::Sdk { message: message.rendered.clone() });
    }
    let warnings = conclude(&output, messages, settings.limits.file_wall, settings)?;
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

/// Runs rustc in the jail with [`FLAGS`] and `args`, in the folder `work`. Its environment is the same wherever that lies and whatever
/// the jail could rename.
pub(crate) fn rustc(
    toolchain: &Toolchain,
    settings: &BuildSettings,
    work: &Path,
    args: &[String],
) -> Result<JailedOutput, BuildError> {
    link_toolchain(toolchain, work)?;
    let mut all: Vec<OsString> = FLAGS.iter().map(OsString::from).collect();
    all.extend(remaps(toolchain, work).map(OsString::from));
    all.extend(args.iter().map(OsString::from));
    let invocation = Invocation {
        program: toolchain.rustc(),
        args: all,
        env: vec![("TMPDIR".into(), ".".into()), ("LD_LIBRARY_PATH".into(), format!("{TOOLCHAIN}/lib").into())],
        stdin: Vec::new(),
    };
    Ok(jail(toolchain, settings, work, &[], settings.limits.file_wall).run(&invocation)?)
}

/// Links [`TOOLCHAIN`] in the folder `work` to the toolchain.
pub(crate) fn link_toolchain(toolchain: &Toolchain, work: &Path) -> Result<(), BuildError> {
    let link = work.join(TOOLCHAIN);
    std::os::unix::fs::symlink(&toolchain.sysroot, &link).map_err(BuildError::io("make the link", link))
}

/// Renames every path of this machine that could enter the output: the folder of the build, and the standard library's sources,
/// which have a path of this machine only where they are installed.
pub(crate) fn remaps(toolchain: &Toolchain, work: &Path) -> [String; 2] {
    let library = toolchain.sysroot.join("lib/rustlib/src/rust");
    [
        format!("--remap-path-prefix={}=", work.display()),
        format!("--remap-path-prefix={}=/rustc/{}", library.display(), toolchain.commit),
    ]
}

pub(crate) fn jail(
    toolchain: &Toolchain,
    settings: &BuildSettings,
    work: &Path,
    read_only: &[PathBuf],
    wall: Duration,
) -> Jail {
    Jail {
        helper: settings.helper.clone(),
        read_only: system_libraries()
            .into_iter()
            .chain([toolchain.sysroot.clone()])
            .chain(read_only.iter().cloned())
            .collect(),
        writable: work.to_path_buf(),
        limits: Limits {
            memory_bytes: settings.limits.memory_bytes,
            // Two threads may be busy at once; the wall clock is the limit that counts.
            cpu_seconds: 2 * wall.as_secs().max(1),
            wall,
            // rustc runs a handful of threads, cargo a compiler for each processor.
            processes: 256,
            file_bytes: 256 << 20,
            open_files: 512,
            output_bytes: 4 << 20,
        },
    }
}

/// The warnings if the compiler ended well.
pub(crate) fn conclude(
    output: &JailedOutput,
    messages: Vec<CompileMessage>,
    wall: Duration,
    settings: &BuildSettings,
) -> Result<Vec<CompileMessage>, BuildError> {
    let exceeded = match output.ended {
        Ended::Exited(0) => return Ok(messages),
        Ended::Exited(_) if messages.iter().any(|message| message.level == Level::Error) => {
            return Err(BuildError::Compile(messages));
        }
        Ended::Signalled(signal) if MEMORY_FAULTS.contains(&signal) => Exceeded::Stack,
        Ended::Exited(code) | Ended::Signalled(code) => {
            return Err(BuildError::CompilerFailed { code, message: last_words(&output.stderr.bytes) });
        }
        Ended::Deadline => Exceeded::Time { limit: wall },
        Ended::OutOfMemory => Exceeded::Memory { limit_bytes: settings.limits.memory_bytes },
        Ended::KilledByKernel => Exceeded::Kernel,
    };
    Err(BuildError::CompilerExceeded(exceeded))
}

/// The end of what a program said, where the reason usually is.
pub(crate) fn last_words(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let text = text.trim();
    let from = text.char_indices().rev().nth(LAST_WORDS_CHARS_MAX - 1).map_or(0, |(at, _)| at);
    text[from..].to_owned()
}

/// Reads the module that a compiler left. The jail could have put anything in its place.
pub(crate) fn finish(
    output: &JailedOutput,
    module: &Path,
    warnings: Vec<CompileMessage>,
) -> Result<Compiled, BuildError> {
    let module = match assay_files::read(module, Links::Refused, MODULE_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(why @ (OpenError::TooLarge { .. } | OpenError::Link | OpenError::NotAFile)) => {
            return Err(BuildError::NotAStrategy { message: format!("the compiled module is not taken: {why}") });
        }
        Err(why) => return Err(BuildError::io("read", module)(why.into())),
    };
    Ok(Compiled { module, warnings, protections: output.protections })
}
