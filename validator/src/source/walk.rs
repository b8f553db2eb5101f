//! The walk over the tokens of one file that applies the rules.
//!
//! Recursion is bounded: the nesting of brackets was checked before.

use super::Layout;
use super::imports::{Declared, is_punct, name, plain, use_tree};
use super::names;
use super::text::SourceText;
use crate::code::Code;
use crate::finding::{Finding, Findings, Place};
use crate::limits::PATH_PARTS_MAX;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

/// Where the tokens stand: among the file's own items, or where a macro of the file puts them together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    Plain,
    /// The body of a `macro_rules!` of the strategy, or the arguments of a macro that is not the standard library's.
    Macro,
}

/// What makes the text a strategy, counted over all of its files.
#[derive(Default)]
pub(super) struct EntryPoints {
    implementations: usize,
    exports: usize,
    /// Inside macros, where a count says little: enough not to complain that there is none.
    exports_in_macros: usize,
}

impl EntryPoints {
    /// Complains about what is missing; a surplus was found at its place.
    pub(super) fn judge(&self, file: &Place, findings: &mut Findings) {
        if self.implementations == 0 {
            findings.push(Finding::new(Code::MissingStrategy, file.clone(), "there is no `impl Strategy for …`"));
        }
        if self.exports + self.exports_in_macros == 0 {
            findings.push(Finding::new(Code::MissingExport, file.clone(), "there is no `export!(…)`"));
        }
    }
}

/// Applies the rules to one file.
pub(super) fn walk(
    text: &SourceText<'_>,
    tokens: TokenStream,
    declared: &Declared,
    layout: Layout,
    entries: &mut EntryPoints,
    findings: &mut Findings,
) {
    Walk { text, declared, layout, entries, findings }.stream(tokens, Context::Plain);
}

pub(super) struct Walk<'a> {
    text: &'a SourceText<'a>,
    declared: &'a Declared,
    layout: Layout,
    entries: &'a mut EntryPoints,
    findings: &'a mut Findings,
}

/// A path as read from the tokens.
struct ReadPath {
    parts: Vec<String>,
    span: Span,
    /// Index of the first token after it.
    end: usize,
}

impl Walk<'_> {
    fn stream(&mut self, tokens: TokenStream, context: Context) {
        let list: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < list.len() {
            at = self.step(&list, at, context);
        }
    }

    /// Judges the token at `at` and what belongs to it; returns the index to go on from.
    fn step(&mut self, list: &[TokenTree], at: usize, context: Context) -> usize {
        match &list[at] {
            TokenTree::Group(group) => self.stream(group.stream(), context),
            TokenTree::Literal(_) => {}
            TokenTree::Ident(word) => return self.word(list, at, word, context),
            TokenTree::Punct(punct) => match punct.as_char() {
                // A lifetime is a quote and a word: `&'static mut` is no `static mut`.
                '\'' => return at + 2,
                '#' => {
                    let bracket = at + 1 + usize::from(is_punct(list.get(at + 1), '!'));
                    if let Some(group) = group_at(list, bracket, Delimiter::Bracket) {
                        self.attribute(group.stream(), context);
                        self.stream(group.stream(), context);
                        return bracket + 1;
                    }
                }
                '$' if context == Context::Macro => return self.fragment(list, at),
                _ => {}
            },
        }
        at + 1
    }

    /// `$name` or `$(…)`: the questions are whether it names a macro to call, and whether the name is bound: if not, it stays a word.
    fn fragment(&mut self, list: &[TokenTree], at: usize) -> usize {
        if let Some(word) = list.get(at + 1).and_then(name).filter(|word| names::is_macro_ingredient(word)) {
            self.report(Code::ObscuredName, list[at].span(), &format!("`${word}` hides a name in a macro"), "");
        }
        let (bang, next) = match list.get(at + 1) {
            Some(TokenTree::Ident(_)) => (at + 2, at + 2),
            // `$( … )*`: the inside is still to be read, so go on at the group.
            Some(TokenTree::Group(_)) => (at + 3, at + 1),
            _ => return at + 1,
        };
        if is_punct(list.get(bang), '!') && matches!(list.get(bang + 1), Some(TokenTree::Group(_))) {
            self.report(
                Code::ObscuredName,
                list[at].span(),
                "a macro is called by a name that only its caller knows",
                "",
            );
        }
        next
    }

    fn word(&mut self, list: &[TokenTree], at: usize, word: &Ident, context: Context) -> usize {
        let next = list.get(at + 1);
        if word == "unsafe" {
            self.report(Code::UnsafeCode, word.span(), "`unsafe` is not allowed", "");
        } else if word == "extern" {
            self.report(Code::ExternCode, word.span(), "`extern` is not allowed", "");
        } else if word == "static" && matches!(next, Some(TokenTree::Ident(next)) if next == "mut") {
            self.report(Code::StaticMut, word.span(), "`static mut` is not allowed", "");
        } else if word == "mod" && self.layout == Layout::OneFile && ends_after_name(list, at) {
            self.report(Code::FileModule, word.span(), "the text of this module is in another file", "");
        } else if word == "macro_rules" && is_punct(next, '!') {
            let body = at + 2 + usize::from(matches!(list.get(at + 2), Some(TokenTree::Ident(_))));
            if let Some(TokenTree::Group(group)) = list.get(body) {
                self.stream(group.stream(), Context::Macro);
                return body + 1;
            }
        } else if word == "use" && !is_punct(next, '<') {
            self.renamed_macros(use_tree(list, at));
        } else if !is_keyword(word) {
            return self.path(list, at, &[], context);
        }
        at + 1
    }

    /// Another name for a macro that is known by its name alone, wherever it is imported from.
    fn renamed_macros(&mut self, tree: &[TokenTree]) {
        for (at, token) in tree.iter().enumerate() {
            if let TokenTree::Group(group) = token {
                self.renamed_macros(&group.stream().into_iter().collect::<Vec<_>>());
            }
            let renamed = matches!(tree.get(at + 1), Some(TokenTree::Ident(next)) if next == "as");
            if let Some(word) = name(token).filter(|_| renamed)
                && let Some(code) = names::macro_ruling(&word)
            {
                self.report(code, token.span(), &format!("`{word}` is renamed"), "");
            }
        }
    }

    /// A path, or a tree of paths beneath `prefix`, and what follows it: a rename, a glob, a call of a macro, an implementation.
    fn path(&mut self, list: &[TokenTree], at: usize, prefix: &[String], context: Context) -> usize {
        let path = read_path(list, at, prefix);
        let shown = path.parts.join("::");
        // A field or method; but a macro may throw the dot away and keep the name.
        let after_dot = at > 0 && is_punct(list.get(at - 1), '.') && !(at > 1 && is_punct(list.get(at - 2), '.'));
        let ingredient = context == Context::Macro && names::is_macro_ingredient(&shown);
        if after_dot && !ingredient && names::word_ruling(&shown).is_none() {
            return path.end;
        }
        if path.parts.len() >= PATH_PARTS_MAX {
            self.report(Code::ObscuredName, path.span, "a path has too many parts", "");
            return path.end;
        }
        let separated = is_punct(list.get(path.end), ':') && is_punct(list.get(path.end + 1), ':');
        if separated {
            match list.get(path.end + 2) {
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                    self.tree(group, &path.parts, context);
                    return path.end + 3;
                }
                Some(TokenTree::Punct(punct)) if punct.as_char() == '*' => {
                    self.glob(&path, &shown);
                    return path.end + 3;
                }
                Some(TokenTree::Punct(punct))
                    if punct.as_char() == '$' && path.parts.iter().any(|part| names::is_standard_root(part)) =>
                {
                    self.report(
                        Code::ObscuredName,
                        path.span,
                        &format!("`{shown}::$…` puts a path together from pieces"),
                        "",
                    );
                    return path.end + 2;
                }
                _ => {}
            }
        }
        if let Some(bang) = macro_call(list, path.end) {
            self.macro_call(&path, bang, context);
            // Past the `!` and the arguments: reading these twice would be exponential in the nesting.
            return path.end + 2;
        }
        self.judge_path(list, &path, &shown, context);
        path.end
    }

    /// The inside of `{…}` in a use tree.
    fn tree(&mut self, group: &Group, prefix: &[String], context: Context) {
        let list: Vec<TokenTree> = group.stream().into_iter().collect();
        let mut at = 0;
        while at < list.len() {
            at = match &list[at] {
                TokenTree::Ident(word) if word == "as" => at + 2,
                TokenTree::Ident(_) => self.path(&list, at, prefix, context),
                TokenTree::Punct(punct) if punct.as_char() == '*' => {
                    let path = ReadPath { parts: prefix.to_vec(), span: punct.span(), end: at + 1 };
                    self.glob(&path, &prefix.join("::"));
                    at + 1
                }
                _ => at + 1,
            };
        }
    }

    fn glob(&mut self, path: &ReadPath, shown: &str) {
        for beneath in self.meanings(&path.parts) {
            if let Some((code, hint)) = names::ruling(&beneath) {
                self.report(code, path.span, &format!("`{shown}` is not available to a strategy"), hint);
            } else if names::has_refused_inside(&beneath) {
                self.report(Code::ObscuredName, path.span, &format!("`{shown}::*` imports more than may be used"), "");
            }
        }
    }

    /// What a path means beneath `std`: once by its own words, and once for each short name in it. Empty when it is not of the
    /// standard library.
    fn meanings(&self, parts: &[String]) -> Vec<Vec<String>> {
        if let Some(root) = parts.iter().position(|part| names::is_standard_root(part)) {
            return vec![parts[root + 1..].to_vec()];
        }
        let expand = |(at, part): (usize, &String)| {
            self.declared
                .standard(part)
                .map(|meaning| meaning.iter().chain(&parts[at + 1..]).cloned().collect())
                .collect::<Vec<_>>()
        };
        parts.iter().enumerate().flat_map(expand).collect()
    }

    fn judge_path(&mut self, list: &[TokenTree], path: &ReadPath, shown: &str, context: Context) {
        let followed_by = |word: &str| matches!(list.get(path.end), Some(TokenTree::Ident(next)) if next == word);
        let bare_root = matches!(path.parts.as_slice(), [root] if names::is_standard_root(root));
        if bare_root && followed_by("as") {
            self.report(Code::ObscuredName, path.span, &format!("`{shown}` is renamed"), "");
        }
        let last = path.parts.last().map_or("", String::as_str);
        let meanings = self.meanings(&path.parts);
        let by_pieces = (path.parts.len() == 1 && names::is_macro_ingredient(last))
            || (meanings.is_empty() && names::macro_ruling(last).is_some());
        if context == Context::Macro && by_pieces {
            self.report(Code::ObscuredName, path.span, &format!("`{shown}` is handed to a macro in pieces"), "");
        } else if meanings.is_empty()
            && let Some(code) = path.parts.iter().find_map(|part| names::word_ruling(part))
        {
            self.report(code, path.span, &format!("`{shown}` is the name of a built-in macro"), "");
        }
        if self.declared.sdk_name(last) == "Strategy" && followed_by("for") {
            self.entries.implementations += 1;
        }
        for beneath in meanings {
            if let Some((code, hint)) = names::ruling(&beneath) {
                self.report(
                    code,
                    path.span,
                    &format!("`std::{}` is not available to a strategy", beneath.join("::")),
                    hint,
                );
            } else if context == Context::Macro && !beneath.is_empty() && names::has_refused_inside(&beneath) {
                self.report(Code::ObscuredName, path.span, &format!("`{shown}` is handed to a macro in pieces"), "");
            }
        }
        self.judge_root(path);
    }

    /// A path of two parts or more whose root is a crate that a one-file strategy does not have.
    fn judge_root(&mut self, path: &ReadPath) {
        let [root, _, ..] = path.parts.as_slice() else { return };
        if matches!(root.as_str(), "proc_macro" | "proc_macro2") {
            self.report(Code::ProceduralMacro, path.span, &format!("`{root}` is not allowed"), "");
        } else if let Some(hint) = names::foreign_crate(root)
            && self.layout == Layout::OneFile
            && !self.declared.local.contains(root)
        {
            self.report(
                Code::ForeignCrate,
                path.span,
                &format!("the crate `{root}` is not available to a one-file strategy"),
                hint,
            );
        }
    }

    fn macro_call(&mut self, path: &ReadPath, arguments: &Group, context: Context) {
        let last = path.parts.last().map_or("", String::as_str);
        if let Some(code) = names::macro_ruling(last) {
            self.report(code, path.span, &format!("`{last}!` is not allowed"), "");
        }
        if names::prints(last) && !self.declared.macros.contains(last) {
            self.report(Code::NoEffect, path.span, &format!("`{last}!` prints to nowhere"), "");
        }
        if self.declared.sdk_name(last) == "export" && !self.declared.macros.contains(last) {
            match context {
                Context::Macro => self.entries.exports_in_macros += 1,
                Context::Plain => self.entries.exports += 1,
            }
            if self.entries.exports > 1 {
                self.report(Code::DuplicateExport, path.span, "a second `export!`", "");
            }
        }
        let inside = if self.declared.is_standard_macro(last) { context } else { Context::Macro };
        self.stream(arguments.stream(), inside);
    }

    /// Adds a finding at a span; an empty hint leaves the code's own.
    pub(super) fn report(&mut self, code: Code, span: Span, message: &str, hint: &str) {
        if !self.findings.wants(code) {
            self.findings.omit(code.severity());
            return;
        }
        let finding = Finding::new(code, self.text.place(span.start(), span.end()), message);
        self.findings.push(if hint.is_empty() { finding } else { finding.hint(hint) });
    }
}

/// Reads `a::b::c`, beginning with the word at `at`; a `self` of a use tree stands for the tree's own prefix.
fn read_path(list: &[TokenTree], at: usize, prefix: &[String]) -> ReadPath {
    let mut path = ReadPath { parts: prefix.to_vec(), span: list[at].span(), end: at };
    while let Some(part) = list.get(path.end).and_then(name) {
        if (part != "self" || path.parts.is_empty()) && path.parts.len() < PATH_PARTS_MAX {
            path.parts.push(part);
        }
        path.end += 1;
        let separated = is_punct(list.get(path.end), ':') && is_punct(list.get(path.end + 1), ':');
        if !separated || !matches!(list.get(path.end + 2), Some(TokenTree::Ident(_))) {
            break;
        }
        path.end += 2;
    }
    path
}

/// The arguments of a macro call whose name ends before `at`: a `!` and a group. `a != (b)` is none, its `!` belongs to `=`.
fn macro_call(list: &[TokenTree], at: usize) -> Option<&Group> {
    if !is_punct(list.get(at), '!') {
        return None;
    }
    match list.get(at + 1) {
        Some(TokenTree::Group(group)) => Some(group),
        _ => None,
    }
}

fn group_at(list: &[TokenTree], at: usize, delimiter: Delimiter) -> Option<&Group> {
    match list.get(at) {
        Some(TokenTree::Group(group)) if group.delimiter() == delimiter => Some(group),
        _ => None,
    }
}

/// `mod name ;`, also with a macro's `$name`.
fn ends_after_name(list: &[TokenTree], at: usize) -> bool {
    let fragment = usize::from(is_punct(list.get(at + 1), '$'));
    matches!(list.get(at + 1 + fragment), Some(TokenTree::Ident(_))) && is_punct(list.get(at + 2 + fragment), ';')
}

/// Words that can stand before a path but are none, so that `impl std::…` is read from `std`.
fn is_keyword(word: &Ident) -> bool {
    const WORDS: &[&str] = &[
        "as", "async", "await", "box", "break", "const", "continue", "dyn", "else", "enum", "fn", "for", "if", "impl",
        "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "static", "struct", "trait",
        "type", "use", "where", "while", "yield",
    ];
    let word = word.to_string();
    plain(&word) == word && WORDS.contains(&word.as_str())
}
