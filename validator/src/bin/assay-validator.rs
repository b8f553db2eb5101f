//! The validator as a program of its own: checks files and crates, prints the findings.
//!
//! Exit code 0 when nothing is refused, 1 when something is, 2 when the command line or a file is wrong.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this binary exists to print")]

use assay_validator::{
    Findings, TextStyle, check_component, check_crate_sources, check_dependencies, check_source_bytes,
    findings_markdown,
};
use std::io::{IsTerminal as _, Read as _};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: assay-validator [--format text|json|sarif] PATH…\n       assay-validator --findings-markdown\n\n\
                     PATH is a Rust file, the folder of a crate, or a component (.wasm).";
/// Bytes read of any file: one more than the largest that a pass accepts.
const READ_MAX: u64 = assay_validator::limits::COMPONENT_BYTES_MAX + 1;
const WIDTH: usize = 100;

#[derive(Clone, Copy)]
enum Format {
    Text,
    Json,
    Sarif,
}

fn main() -> ExitCode {
    let mut format = Format::Text;
    let mut paths = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--findings-markdown" => {
                print!("{}", findings_markdown());
                return ExitCode::SUCCESS;
            }
            "--format" => match arguments.next().as_deref() {
                Some("text") => format = Format::Text,
                Some("json") => format = Format::Json,
                Some("sarif") => format = Format::Sarif,
                _ => return usage(),
            },
            option if option.starts_with('-') => return usage(),
            path => paths.push(path.to_owned()),
        }
    }
    if paths.is_empty() {
        return usage();
    }
    let mut refused = false;
    for path in &paths {
        match check(path) {
            Ok(findings) => {
                refused |= findings.has_errors();
                show(path, &findings, format);
            }
            Err(error) => {
                eprintln!("error: failed to read {path}: {error}");
                return ExitCode::from(2);
            }
        }
    }
    ExitCode::from(u8::from(refused))
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

fn check(path: &str) -> std::io::Result<Findings> {
    if Path::new(path).is_dir() {
        let mut findings = check_crate_sources(Path::new(path));
        findings.extend(check_dependencies(&Path::new(path).join("Cargo.toml")));
        return Ok(findings);
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(READ_MAX).read_to_end(&mut bytes)?;
    let is_component = Path::new(path).extension().is_some_and(|extension| extension == "wasm");
    Ok(if is_component { check_component(bytes).err().unwrap_or_default() } else { check_source_bytes(path, &bytes) })
}

fn show(path: &str, findings: &Findings, format: Format) {
    match format {
        Format::Text if findings.is_empty() => println!("{path}: nothing found"),
        Format::Text => {
            let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            print!("{}", findings.to_text(TextStyle { width: WIDTH, colour }));
        }
        Format::Json => println!("{:#}", findings.to_json()),
        Format::Sarif => println!("{:#}", findings.to_sarif(path)),
    }
}
