//! A regular expression that matches within a line or not at all.
//!
//! The pattern is rewritten so that nothing in it can match a line end and every anchor is one of lines. Then a whole file can be searched
//! in one pass, and finds what searching its lines one by one would find.

use super::{SearchError, check_length, compile};
use regex::bytes::Regex;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition,
};

pub(super) fn compile_for_lines(pattern: &str, ignore_case: bool) -> Result<Regex, SearchError> {
    check_length(pattern)?;
    let hir = ParserBuilder::new()
        .utf8(false)
        .multi_line(true)
        .case_insensitive(ignore_case)
        .build()
        .parse(pattern)
        .map_err(|error| SearchError::Pattern(error.to_string()))?;
    compile(&within_line(hir).to_string())
}

/// The parser limits how deep patterns nest, and so how deep this goes.
fn within_line(hir: Hir) -> Hir {
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => Hir::fail(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(Class::Unicode(mut class)) => {
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(mut class)) => {
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Look(Look::Start) => Hir::look(Look::StartLF),
        HirKind::Look(Look::End) => Hir::look(Look::EndLF),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(repetition) => {
            let sub = Box::new(within_line(*repetition.sub));
            Hir::repetition(Repetition { sub, ..repetition })
        }
        HirKind::Capture(capture) => within_line(*capture.sub),
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(within_line).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.into_iter().map(within_line).collect()),
    }
}
