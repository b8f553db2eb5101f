//! Readers of short runs of tokens: a path, the arguments of a call, a module's name. They move no state and recurse nowhere.

use super::context::Context;
use super::imports::{is_punct, name, plain};
use crate::limits::PATH_PARTS_MAX;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenTree};

/// A path as read from the tokens.
pub(super) struct ReadPath {
    pub(super) parts: Vec<String>,
    pub(super) span: Span,
    /// Index of the first token after it.
    pub(super) end: usize,
}

/// Reads `a::b::c`, beginning with the word at `at`; a `self` of a use tree stands for the tree's own prefix.
pub(super) fn read_path(list: &[TokenTree], at: usize, prefix: &[String]) -> ReadPath {
    let mut path = ReadPath { parts: prefix.to_vec(), span: list[at].span(), end: at };
    while let Some(part) = list.get(path.end).and_then(path_part) {
        if (part != "self" || path.parts.is_empty()) && path.parts.len() < PATH_PARTS_MAX {
            path.parts.push(part);
        }
        path.end += 1;
        if !is_separator(list, path.end) || list.get(path.end + 2).and_then(path_part).is_none() {
            break;
        }
        path.end += 2;
    }
    path
}

/// A word that can be a part of a path; a keyword after `::` is none, and may become what it says in a macro.
pub(super) fn path_part(token: &TokenTree) -> Option<String> {
    let TokenTree::Ident(word) = token else { return None };
    let is_item = word == "unsafe" || word == "extern" || word == "macro_rules";
    if is_keyword(word) || is_item { None } else { name(token) }
}

pub(super) fn is_separator(list: &[TokenTree], at: usize) -> bool {
    is_punct(list.get(at), ':') && is_punct(list.get(at + 1), ':')
}

/// The arguments of a macro call whose name ends before `at`: a `!` and a group. `a != (b)` is none, its `!` belongs to `=`.
pub(super) fn macro_call(list: &[TokenTree], at: usize) -> Option<&Group> {
    if !is_punct(list.get(at), '!') {
        return None;
    }
    match list.get(at + 1) {
        Some(TokenTree::Group(group)) => Some(group),
        _ => None,
    }
}

pub(super) fn group_at(list: &[TokenTree], at: usize, delimiter: Delimiter) -> Option<&Group> {
    match list.get(at) {
        Some(TokenTree::Group(group)) if group.delimiter() == delimiter => Some(group),
        _ => None,
    }
}

/// Whether this `mod` is, or may become, `mod name;`. A body may have `mod name { … }`, also with a macro's `$name`; what is handed to a macro comes
/// out in any order.
pub(super) fn names_file(list: &[TokenTree], at: usize, context: Context<'_>) -> bool {
    let after = at + 2 + usize::from(is_punct(list.get(at + 1), '$'));
    let named = matches!(list.get(after - 1), Some(TokenTree::Ident(_)));
    match context {
        Context::Plain => named && is_punct(list.get(after), ';'),
        Context::Matcher => false,
        Context::Body(_) => !named || group_at(list, after, Delimiter::Brace).is_none(),
        Context::Arguments(_) => true,
    }
}

/// Words that can stand before a path but are none, so that `impl std::…` is read from `std`.
pub(super) fn is_keyword(word: &Ident) -> bool {
    const WORDS: &[&str] = &[
        "as", "async", "await", "box", "break", "const", "continue", "dyn", "else", "enum", "fn", "for", "if", "impl",
        "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "static", "struct", "trait",
        "type", "use", "where", "while", "yield",
    ];
    let word = word.to_string();
    plain(&word) == word && WORDS.contains(&word.as_str())
}
