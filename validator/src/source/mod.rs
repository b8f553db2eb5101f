//! The source pass: what a strategy's text may not contain.
//!
//! The rules work on tokens, not on the syntax tree, so that macro bodies and macro arguments are held to them too; strings and comments
//! are never looked into. `syn` decides whether the text is Rust at all. The text is judged before anything recursive reads it:
//! size, encoding, hidden characters, and the depth of nesting. Parsing runs on a thread of its own with a large stack, which also
//! drops the parser's thread-local source map with every check.
//!
//! Sandbox and compile jail do not rely on this pass: it exists to refuse early, all at once, with a place and a hint.

mod attributes;
mod context;
mod crate_files;
mod imports;
mod macros;
mod names;
mod paths;
mod shape;
mod slips;
pub(crate) mod text;
mod walk;

use crate::code::Code;
use crate::finding::{Finding, Findings, Place};
use crate::limits;
use imports::Declared;
use proc_macro2::{LexError, LineColumn, TokenStream};
use text::SourceText;

pub use crate_files::{check_crate_files, check_crate_sources};

/// Whether modules may live in other files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// One file compiled against the SDK alone.
    OneFile,
    /// One of the files of a crate.
    Crate,
}

/// A file to be checked.
struct SourceFile {
    name: String,
    bytes: Vec<u8>,
}

/// Checks the text of a one-file strategy. `name` appears in the findings as given.
#[must_use]
pub fn check_source(name: &str, text: &str) -> Findings {
    check_source_bytes(name, text.as_bytes())
}

/// Checks a one-file strategy that may not even be text.
#[must_use]
pub fn check_source_bytes(name: &str, bytes: &[u8]) -> Findings {
    // Judged by size before the copy for the parser's thread is made.
    if let Some(finding) = too_large(name, bytes.len() as u64) {
        return Findings::from_iter([finding]);
    }
    check_files(vec![SourceFile { name: name.to_owned(), bytes: bytes.to_vec() }], Layout::OneFile)
}

/// The place of a character in a text, line and column from 1: for whoever finds something there by other means, such as a compiler.
/// A position outside the text becomes the nearest inside.
#[must_use]
pub fn source_place(name: &str, text: &str, line: u32, column: u32) -> Place {
    let at = LineColumn { line: line as usize, column: (column as usize).saturating_sub(1) };
    SourceText::new(name, text).place(at, at)
}

/// The finding for a file above the limit.
fn too_large(name: &str, bytes: u64) -> Option<Finding> {
    let place = Place::File { file: crate::escape::escape(name) };
    (bytes > limits::SOURCE_BYTES_MAX).then(|| {
        Finding::new(Code::SourceTooLarge, place, "the source file is too large")
            .observed(format_args!("{bytes} bytes"))
    })
}

/// Checks all files of one strategy on a thread with a stack that the nesting limits cannot exhaust.
fn check_files(files: Vec<SourceFile>, layout: Layout) -> Findings {
    let name = files.first().map_or_else(String::new, |file| crate::escape::escape(&file.name));
    let parser = std::thread::Builder::new().name("assay-source".to_owned()).stack_size(limits::PARSE_STACK_BYTES);
    let outcome = parser.spawn(move || check_on_this_stack(&files, layout)).map(std::thread::JoinHandle::join);
    match outcome {
        Ok(Ok(findings)) => findings,
        // Refusing is the safe answer both when the host has no room for the thread and when a parser panics.
        Ok(Err(_)) => unreadable(name, "the parser failed on this file"),
        Err(error) => unreadable(name, &format!("{NOT_STARTED}: {error}")),
    }
}

/// How the finding begins that is the host's fault.
const NOT_STARTED: &str = "the parser could not be started";

/// Whether these findings refuse a strategy because this machine had no room for its parser, so that nothing is known about it.
#[must_use]
pub fn is_fault_of_host(findings: &Findings) -> bool {
    findings.iter().any(|finding| finding.code == Code::UnreadableSource && finding.message.starts_with(NOT_STARTED))
}

fn unreadable(file: String, message: &str) -> Findings {
    Findings::from_iter([Finding::new(Code::UnreadableSource, Place::File { file }, message)])
}

/// A file that came through the reading stage.
struct ReadFile<'a> {
    text: SourceText<'a>,
    tokens: TokenStream,
}

fn check_on_this_stack(files: &[SourceFile], layout: Layout) -> Findings {
    let mut findings = Findings::new();
    let read: Vec<ReadFile<'_>> = files.iter().filter_map(|file| read_file(file, &mut findings)).collect();
    let mut declared = Declared::default();
    // Twice, so that a name may be imported before the text that says what it stands for.
    for file in read.iter().chain(&read) {
        declared.collect(&file.tokens);
    }
    let mut entries = walk::EntryPoints::default();
    let mut parsed_all = read.len() == files.len();
    for ReadFile { text, tokens } in read {
        walk::walk(&text, tokens.clone(), &declared, layout, &mut entries, &mut findings);
        if let Err(error) = syn::parse2::<syn::File>(tokens) {
            parsed_all = false;
            for error in error {
                let place = text.place(error.span().start(), error.span().end());
                findings.push(Finding::new(Code::SyntaxError, place, format!("not Rust: {error}")));
            }
        }
    }
    if parsed_all {
        let place =
            Place::File { file: files.first().map_or_else(String::new, |file| crate::escape::escape(&file.name)) };
        entries.judge(&place, &mut findings);
    }
    findings
}

/// Size, encoding, hidden characters, tokens and nesting, in the order in which each makes the next one safe.
fn read_file<'a>(file: &'a SourceFile, findings: &mut Findings) -> Option<ReadFile<'a>> {
    if let Some(finding) = too_large(&file.name, file.bytes.len() as u64) {
        findings.push(finding);
        return None;
    }
    let text = match std::str::from_utf8(&file.bytes) {
        Ok(text) => SourceText::new(&file.name, text),
        Err(error) => {
            let place = Place::File { file: crate::escape::escape(&file.name) };
            let observed = format!("an invalid sequence at byte {}", error.valid_up_to());
            findings.push(Finding::new(Code::NotUtf8, place, "the source file is not UTF-8").observed(observed));
            return None;
        }
    };
    for (offset, character) in text.hidden_characters() {
        if !findings.wants(Code::HiddenCharacter) {
            findings.omit(Code::HiddenCharacter.severity());
            continue;
        }
        let message = format!("hidden character U+{:04X}", u32::from(character));
        findings.push(Finding::new(Code::HiddenCharacter, text.place_at(offset, character.len_utf8()), message));
    }
    let tokens = match text.without_shebang().parse::<TokenStream>() {
        Ok(tokens) => tokens,
        Err(error) => {
            let (start, end) = lex_error_span(&error);
            let message = "cannot be split into tokens: an unclosed bracket, quote or comment, or a character that Rust does not know";
            findings.push(Finding::new(Code::SyntaxError, text.place(start, end), message));
            return None;
        }
    };
    if let Err(problem) = shape::check(&tokens) {
        let place = text.place(problem.span.start(), problem.span.end());
        let finding = Finding::new(Code::NestedTooDeep, place, problem.message).limit(problem.limit);
        findings.push(finding.observed(problem.observed));
        return None;
    }
    Some(ReadFile { text, tokens })
}

fn lex_error_span(error: &LexError) -> (LineColumn, LineColumn) {
    (error.span().start(), error.span().end())
}
