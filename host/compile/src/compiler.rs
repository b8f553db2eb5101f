//! Runs rustc in the jail: the flags, the limits, and what its end means.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use assay_files::{Folder, Kind, Links, OpenError};
use assay_jail::{Ended, Invocation, Jail, JailedOutput, Limits, Protections, system_libraries};
use tempfile::TempDir;

use crate::error::{BuildError, Exceeded};
use crate::message::{self, CompileMessage, Level};
use crate::toolchain::Toolchain;
use crate::{BuildLimits, BuildSettings};

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

/// Largest module read back. The validator's limit on components is below.
const MODULE_BYTES_MAX: u64 = 32 << 20;

/// `SIGBUS` and `SIGSEGV`: what a process dies of that runs over the end of its stack.
const MEMORY_FAULTS: [i32; 2] = [7, 11];

/// How cargo's line about a compiler that failed begins, and rustc's about its linker.
const CHILD_OF_CARGO: &str = "process didn't exit successfully: `";
const LINKER: &str = "linking with `";

/// How they and the linker say that the disk is full.
const DISK_FULL: [&str; 2] = ["No space left on device", "Disk quota exceeded"];

/// How both name the signals that the kernel ends programs with.
const ENDED_BY: [(&str, Ended); 2] = [("SIGXCPU", Ended::ProcessorTime), ("SIGKILL", Ended::KilledByKernel)];

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
    let BuildLimits { file_seconds, file_wall, .. } = settings.limits;
    let is_crash = |output: &JailedOutput| is_crash(output, &message::parse(&output.stderr, output.ended, |_| true));
    attempts(jail(toolchain, settings, work, &[], (file_seconds, file_wall)), &invocation, settings, is_crash)
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
    (cpu_seconds, wall): (u64, Duration),
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
            cpu_seconds: settings.seconds(cpu_seconds),
            wall,
            // rustc runs a handful of threads, cargo a compiler for each processor.
            processes: 256,
            file_bytes: 256 << 20,
            open_files: 512,
            output_bytes: 4 << 20,
        },
    }
}

/// Runs a compiler, and once more where the clock or the kernel ended it without its own doing, which is the machine's fault and not the source's, or where
/// it crashed, which may be either's. Whoever has used up the allowance by then has met that limit, whatever came first.
pub(crate) fn attempts(
    mut jail: Jail,
    invocation: &Invocation,
    settings: &BuildSettings,
    is_crash: impl Fn(&JailedOutput) -> bool,
) -> Result<JailedOutput, BuildError> {
    let (began, wall) = (Instant::now(), jail.limits.wall);
    let mut is_first = true;
    loop {
        jail.limits.wall = wall.min(settings.limits.wall.saturating_sub(began.elapsed()));
        let mut output = jail.run(invocation)?;
        output.ended = ended_below(&output);
        let processor = output.processor;
        let is_spent = settings.allowance.as_ref().is_some_and(|allowance| {
            allowance.spend(processor);
            allowance.is_used_up()
        });
        let again = std::mem::take(&mut is_first) && began.elapsed() < settings.limits.wall;
        let error = match output.ended {
            Ended::Deadline | Ended::KilledByKernel if is_spent => {
                output.ended = Ended::ProcessorTime;
                return Ok(output);
            }
            Ended::Deadline => BuildError::Late { limit: jail.limits.wall, processor },
            Ended::KilledByKernel => BuildError::Killed { processor },
            _ if again && is_crash(&output) => continue,
            _ => return Ok(output),
        };
        if !again {
            return Err(error);
        }
    }
}

/// Whether a compiler ended below all of its limits, and without an answer: it crashed, or cannot run here.
pub(crate) fn is_crash(output: &JailedOutput, messages: &[CompileMessage]) -> bool {
    match output.ended {
        Ended::Exited(code) => code != 0 && !is_answer(messages),
        Ended::Signalled(signal) => !MEMORY_FAULTS.contains(&signal),
        Ended::OutOfMemory | Ended::ProcessorTime | Ended::KilledByKernel | Ended::Deadline => false,
    }
}

/// Whether messages have an error that is the source's. That a disk is full has no place in it.
fn is_answer(messages: &[CompileMessage]) -> bool {
    let is_of_disk = |message: &CompileMessage| message.place.is_none() && says_disk_is_full(&message.rendered);
    messages.iter().any(|message| message.level == Level::Error && !is_of_disk(message))
}

/// Whether a program says that it could not write for lack of room.
pub(crate) fn says_disk_is_full(said: &str) -> bool {
    DISK_FULL.iter().any(|words| said.contains(words))
}

/// What cargo says of programs that it started and that failed.
fn of_children(cargo: &str) -> impl Iterator<Item = &str> {
    cargo.lines().filter(|line| line.trim_start().starts_with(CHILD_OF_CARGO))
}

/// Whether cargo says that a compiler failed.
pub(crate) fn has_failed_child(cargo: &str) -> bool {
    of_children(cargo).next().is_some()
}

/// How the run ended, where a program that cargo or rustc started was ended by the kernel: they say so and exit. Source cannot say it: what rustc says
/// about source has a place, and cargo says it of itself, after the command, in which the crate's name is.
fn ended_below(output: &JailedOutput) -> Ended {
    let Ended::Exited(1..) = output.ended else { return output.ended };
    let cargo = String::from_utf8_lossy(&output.stderr.bytes);
    let messages = message::parse(&output.stderr, output.ended, |_| true);
    let of_cargo = of_children(&cargo);
    let of_rustc = messages.iter().filter(|message| message.place.is_none() && message.message.starts_with(LINKER));
    let said = of_cargo.chain(of_rustc.map(|message| message.message.as_str()));
    let mut ends = said.filter_map(|text| text.rsplit('`').next());
    match ends.find_map(|text| ENDED_BY.iter().find(|(word, _)| text.contains(word))) {
        Some((_, ended)) => *ended,
        None => output.ended,
    }
}

/// The warnings if the compiler ended well.
pub(crate) fn conclude(
    output: &JailedOutput,
    messages: Vec<CompileMessage>,
    cpu_seconds: u64,
    settings: &BuildSettings,
) -> Result<Vec<CompileMessage>, BuildError> {
    let exceeded = match output.ended {
        Ended::Exited(0) => return Ok(messages),
        Ended::Exited(_) if is_answer(&messages) => return Err(BuildError::Compile(messages)),
        Ended::Signalled(signal) if MEMORY_FAULTS.contains(&signal) => Exceeded::Stack,
        Ended::Exited(code) | Ended::Signalled(code) => {
            return Err(BuildError::CompilerFailed { code, message: last_words(&output.stderr.bytes) });
        }
        Ended::ProcessorTime => Exceeded::Time { limit: Duration::from_secs(settings.seconds(cpu_seconds)) },
        Ended::OutOfMemory => Exceeded::Memory { limit_bytes: settings.limits.memory_bytes },
        Ended::Deadline => return Err(BuildError::Late { limit: output.elapsed, processor: output.processor }),
        Ended::KilledByKernel => return Err(BuildError::Killed { processor: output.processor }),
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
