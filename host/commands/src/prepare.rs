//! From a path to something that can be run: open, check the source, build, check the component; or, for a Python file, check it in the
//! sandbox. Every command that takes a strategy shares it.

mod python;

use crate::settings::Machine;
use crate::{Failure, chain, face};
use assay_compile::{BuildError, BuildSettings, Built, CompileMessage, Level, Source, SourceError};
use assay_files::Links;
use assay_sandbox::python::PythonEngine;
use assay_sandbox::{CacheError, Origin};
use assay_validator::{CheckedComponent, Code, Finding, Findings, Parameter, Place};
pub(crate) use python::{Interpreter, PythonFile};
use std::path::Path;

/// A strategy that passed every check. Warnings may remain.
pub struct Prepared {
    /// What it is called: its file's name.
    pub name: String,
    /// What there is to run.
    pub(crate) code: Runnable,
    /// The warnings.
    pub findings: Findings,
}

/// What there is to run.
#[expect(clippy::large_enum_variant, reason = "there is one for each strategy")]
pub(crate) enum Runnable {
    Compiled { checked: CheckedComponent, built: Built },
    Python { engine: PythonEngine, text: String, parameters: Vec<Parameter> },
}

/// A strategy that did not.
pub struct Refused {
    /// What it is called.
    pub name: String,
    /// What is wrong with it.
    pub findings: Findings,
    /// The compiler's own drawings of what it did not like, for people.
    pub drawings: Vec<String>,
}

/// Checks and builds what is to run in up to `episodes` episodes at once. The outer error is the user's or ours, the inner one the strategy's.
///
/// # Errors
///
/// Where there is no such strategy, or this machine or Assay fails.
pub fn prepare(machine: &Machine, path: &Path, episodes: usize) -> Result<Result<Prepared, Refused>, Failure> {
    if python::is_python(path) {
        let interpreter = Interpreter::new(machine, None, episodes);
        return match PythonFile::open(path, Links::Followed)? {
            Ok(file) => file.check(&interpreter, &Findings::has_errors),
            Err(refused) => Ok(Err(refused)),
        };
    }
    let settings = BuildSettings::new(machine.helper.clone(), machine.cache.join("sdk"));
    match open(path, Links::Followed)? {
        Ok(source) => {
            let prepared = build(&settings, &source, path, &Findings::has_errors)?;
            if let Ok(Prepared { code: Runnable::Compiled { built, .. }, .. }) = &prepared
                && let Some(origin) = built.origin
            {
                warn_of_cache(origin, built.cache_warning.as_ref());
            }
            Ok(prepared)
        }
        Err(refused) => Ok(Err(refused)),
    }
}

/// Reads a strategy. The outer error is the user's, the inner one the strategy's.
pub(crate) fn open(path: &Path, links: Links) -> Result<Result<Source, Refused>, Failure> {
    match Source::open_as(path, links) {
        Ok(source) => Ok(Ok(source)),
        Err(error) => refuse_or_fail(path, &error).map(Err),
    }
}

/// Checks and builds what was read from `path`. Whether findings about the source end it is asked of `refuses`: they are advice; what
/// guards build and host is not asked for.
pub(crate) fn build(
    settings: &BuildSettings,
    source: &Source,
    path: &Path,
    refuses: &dyn Fn(&Findings) -> bool,
) -> Result<Result<Prepared, Refused>, Failure> {
    let name = source.name();
    let mut findings = check_source(source, path);
    if assay_validator::is_fault_of_host(&findings) {
        return Err(Failure::infrastructure("failed to start the parser: this machine has no room for another thread")
            .hint("end other programs, or raise the limits on processes and memory, and try again"));
    }
    if refuses(&findings) {
        return Ok(Err(Refused { name, findings, drawings: Vec::new() }));
    }
    let built = match assay_compile::build(source, settings) {
        Ok(built) => built,
        Err(error) if error.is_fault_of_source() => return Ok(Err(refused(name, source, path, findings, error))),
        Err(error) => return Err(with_hint(Failure::infrastructure(&error), error.hint())),
    };
    findings.extend(compile_findings(source, path, &built.warnings));
    match assay_validator::check_component(built.component.clone()) {
        Ok(checked) => Ok(Ok(Prepared { name, code: Runnable::Compiled { checked, built }, findings })),
        Err(more) => {
            findings.extend(more);
            Ok(Err(Refused { name, findings, drawings: Vec::new() }))
        }
    }
}

/// What a hostile submission got wrong is a finding; what the person at the terminal got wrong is usage.
fn refuse_or_fail(path: &Path, error: &SourceError) -> Result<Refused, Failure> {
    let code = match error {
        SourceError::Missing { .. }
        | SourceError::Unreadable { .. }
        | SourceError::Extension { .. }
        | SourceError::NoManifest { .. } => return Err(with_hint(Failure::usage(error), error.hint())),
        SourceError::NotAFile { .. } => Code::UnreadableSource,
        SourceError::TooLarge { path, .. } if path.extension().is_some_and(|extension| extension == "wasm") => {
            Code::ComponentTooLarge
        }
        SourceError::TooLarge { .. } => Code::SourceTooLarge,
        SourceError::TooManyFiles { .. } | SourceError::TooDeep { .. } => Code::TooManySources,
        SourceError::NotUtf8 { .. } => Code::NotUtf8,
        SourceError::NotAComponent { code, .. } => *code,
    };
    let name = path.display().to_string();
    let mut finding = Finding::new(code, Place::File { file: name.clone() }, error.to_string());
    if let Some(hint) = error.hint() {
        finding = finding.hint(hint);
    }
    Ok(Refused { name, findings: Findings::from_iter([finding]), drawings: Vec::new() })
}

/// Checks what was read, so that what is compiled is what was checked. Findings name files as the user did.
fn check_source(source: &Source, path: &Path) -> Findings {
    match source {
        Source::File(file) => assay_validator::check_source(&path.to_string_lossy(), &file.text),
        Source::Crate(_) => {
            let named: Vec<_> = source
                .rust_files()
                .map(|file| (path.join(&file.name).display().to_string(), file.text.as_str()))
                .collect();
            let files = named.iter().map(|(name, text)| (name.as_str(), *text));
            let mut findings = assay_validator::check_crate_files(files);
            findings.extend(assay_validator::check_dependencies(&path.join("Cargo.toml")));
            findings
        }
        Source::Component { .. } => Findings::new(),
    }
}

/// A build error that is the strategy's, as findings.
fn refused(name: String, source: &Source, path: &Path, mut findings: Findings, error: BuildError) -> Refused {
    let hint = error.hint();
    let mut drawings = Vec::new();
    match error {
        BuildError::Compile(messages) => {
            findings.extend(compile_findings(source, path, &messages));
            drawings = messages.into_iter().map(|message| message.rendered).collect();
        }
        BuildError::Dependencies(more) => findings.extend(more),
        error => {
            let code =
                if matches!(error, BuildError::CompilerExceeded(_)) { Code::CompilerLimit } else { Code::NotAStrategy };
            let mut finding = Finding::new(code, Place::File { file: name.clone() }, error.to_string());
            if let Some(hint) = hint {
                finding = finding.hint(hint);
            }
            findings.push(finding);
        }
    }
    Refused { name, findings, drawings }
}

/// The compiler's messages as findings; shortened, because models read them.
fn compile_findings(source: &Source, path: &Path, messages: &[CompileMessage]) -> Findings {
    let finding = |message: CompileMessage| {
        let code = match message.level {
            Level::Error => Code::CompileError,
            Level::Warning => Code::CompileWarning,
        };
        let place = message.place.as_ref().and_then(|place| {
            let file = source.rust_files().find(|file| file.name == place.file)?;
            let name = match source {
                Source::Crate(_) => path.join(&file.name),
                _ => path.to_path_buf(),
            };
            Some(assay_validator::source_place(&name.to_string_lossy(), &file.text, place.line, place.column))
        });
        let place = place.unwrap_or_else(|| Place::File { file: path.display().to_string() });
        let text = message
            .code
            .as_ref()
            .map_or_else(|| message.message.clone(), |code| format!("{} [{code}]", message.message));
        let finding = Finding::new(code, place, text);
        match message.help {
            Some(help) => finding.hint(help),
            None => finding,
        }
    };
    assay_compile::brief(messages).into_iter().map(finding).collect()
}

/// Says when compiled code could not be taken from the cache or kept there.
pub(crate) fn warn_of_cache(origin: Origin, warning: Option<&CacheError>) {
    if let Some(warning) = warning {
        face::warn(&format!("compiled code is not cached: {}", chain(warning)));
    }
    if let Origin::Recompiled { why } = origin {
        face::warn(&format!("a cached artifact could not be trusted and was recompiled ({why:?})"));
    }
}

fn with_hint(failure: Failure, hint: Option<String>) -> Failure {
    Failure { hint, ..failure }
}
