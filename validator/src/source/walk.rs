//! The walk over the tokens of one file that applies the rules.
//!
//! Recursion is bounded: the nesting of brackets was checked before.

use super::Layout;
use super::context::Context;
use super::imports::{Declared, is_punct, name, use_tree};
use super::names;
use super::paths::{ReadPath, group_at, is_keyword, is_separator, macro_call, names_file, path_part, read_path};
use super::text::SourceText;
use crate::code::Code;
use crate::finding::{Finding, Findings, Place};
use crate::limits::PATH_PARTS_MAX;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

const ASYNC: &str = "Nothing polls a future here. Write plain functions; `exchange.wake_in(…)` continues later.";

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
    pub(super) declared: &'a Declared,
    layout: Layout,
    entries: &'a mut EntryPoints,
    findings: &'a mut Findings,
}

impl Walk<'_> {
    pub(super) fn stream(&mut self, tokens: TokenStream, context: Context<'_>) {
        let list: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < list.len() {
            at = self.step(&list, at, context);
        }
    }

    /// Judges the token at `at` and what belongs to it; returns the index to go on from.
    fn step(&mut self, list: &[TokenTree], at: usize, context: Context<'_>) -> usize {
        match &list[at] {
            TokenTree::Group(group) if context.may_end_in_any_token(list, at) => {
                self.stream(group.stream(), Context::Arguments(context.bound()));
            }
            TokenTree::Group(group) => self.stream(group.stream(), context),
            TokenTree::Literal(_) => {}
            TokenTree::Ident(word) => return self.word(list, at, word, context),
            TokenTree::Punct(punct) => match punct.as_char() {
                // A lifetime is a quote and a word: `&'static mut` is not a `static mut`.
                '\'' => return at + 2,
                '#' => {
                    let bracket = at + 1 + usize::from(is_punct(list.get(at + 1), '!'));
                    if let Some(group) = group_at(list, bracket, Delimiter::Bracket) {
                        self.attribute(group.stream(), context);
                        self.stream(group.stream(), context);
                        return bracket + 1;
                    }
                    if matches!(context, Context::Body(_) | Context::Arguments(_)) {
                        self.obscured(punct.span(), "a `#` without its brackets: a macro makes an attribute of it");
                    }
                }
                '$' if context.is_macro() => return self.fragment(list, at, context),
                '.' => self.judge_empty_side(list, at),
                _ => {}
            },
        }
        at + 1
    }

    fn word(&mut self, list: &[TokenTree], at: usize, word: &Ident, context: Context<'_>) -> usize {
        let next = list.get(at + 1);
        if word == "unsafe" {
            self.report(Code::UnsafeCode, word.span(), "`unsafe` is not allowed", "");
        } else if word == "extern" {
            self.report(Code::ExternCode, word.span(), "`extern` is not allowed", "");
        } else if word == "static" && matches!(next, Some(TokenTree::Ident(next)) if next == "mut") {
            self.report(Code::StaticMut, word.span(), "`static mut` is not allowed", "");
        } else if word == "static"
            && context.bound().is_some()
            && is_punct(next, '$')
            && !is_punct(list.get(at + 3), ':')
        {
            self.report(Code::StaticMut, word.span(), "what follows `static` is known to the macro's caller only", "");
        } else if word == "mod" && self.layout == Layout::OneFile && names_file(list, at, context) {
            self.report(Code::FileModule, word.span(), "the text of this module is in another file", "");
        } else if word == "async" {
            self.report(Code::NoEffect, word.span(), "`async` code never runs", ASYNC);
        } else if word == "macro_rules" {
            return self.definition(list, at, context);
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
            let Some(word) = name(token).filter(|_| renamed) else { continue };
            if let Some(code) = names::macro_ruling(&word) {
                self.report(code, token.span(), &format!("`{word}` is renamed"), "");
            } else if names::is_attribute_macro(&word) {
                self.obscured(token.span(), &format!("`{word}` is renamed"));
            } else if tree
                .get(at + 2)
                .and_then(name)
                .is_some_and(|alias| !alias.is_ascii() && self.names_standard(&alias))
            {
                self.obscured(
                    token.span(),
                    "a part of the standard library gets a name that can be spelt in several ways",
                );
            }
        }
    }

    fn names_standard(&self, alias: &str) -> bool {
        self.declared.standard(alias).next().is_some()
    }

    /// A path, or a tree of paths beneath `prefix`, and what follows it: a rename, a glob, a call of a macro, an implementation.
    fn path(&mut self, list: &[TokenTree], at: usize, prefix: &[String], context: Context<'_>) -> usize {
        let path = read_path(list, at, prefix);
        let shown = path.parts.join("::");
        // A field or method; but a macro may throw the dot away and keep the name.
        let after_dot = at > 0 && is_punct(list.get(at - 1), '.') && !(at > 1 && is_punct(list.get(at - 2), '.'));
        let in_pieces = context.is_macro() && self.judge_parts(list, &path, &path.parts[prefix.len()..]);
        if after_dot && names::word_ruling(&shown).is_none() {
            return path.end;
        }
        if path.parts.len() >= PATH_PARTS_MAX {
            self.report(Code::ObscuredName, path.span, "a path has too many parts", "");
            return path.end;
        }
        if is_separator(list, path.end) {
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
        self.judge_path(list, &path, &shown, context.is_macro(), in_pieces);
        path.end
    }

    /// Whether a macro that gets this path in pieces could make something of them that is refused. The last name of a call is judged with the call.
    fn judge_parts(&mut self, list: &[TokenTree], path: &ReadPath, own: &[String]) -> bool {
        let calls = macro_call(list, path.end).is_some();
        let judged = if calls { &own[..own.len().saturating_sub(1)] } else { own };
        let is_root = |at: usize, part: &str| names::is_standard_root(part) && (at > 0 || own.len() == 1);
        let found = judged.iter().enumerate().find(|&(at, part)| {
            is_root(at, part) || (!names::is_standard_root(part) && names::is_macro_ingredient(part))
        });
        if let Some((_, part)) = found {
            self.obscured(path.span, &format!("`{part}` is handed to a macro in pieces"));
        }
        found.is_some()
    }

    /// The inside of `{…}` in a use tree.
    fn tree(&mut self, group: &Group, prefix: &[String], context: Context<'_>) {
        let list: Vec<TokenTree> = group.stream().into_iter().collect();
        let mut at = 0;
        while at < list.len() {
            at = match &list[at] {
                TokenTree::Ident(word) if word == "as" && list.get(at + 1).and_then(path_part).is_some() => at + 2,
                token @ TokenTree::Ident(_) if path_part(token).is_some() => self.path(&list, at, prefix, context),
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    self.tree(group, prefix, context);
                    at + 1
                }
                TokenTree::Punct(punct) if punct.as_char() == '*' => {
                    let path = ReadPath { parts: prefix.to_vec(), span: punct.span(), end: at + 1 };
                    self.glob(&path, &prefix.join("::"));
                    at + 1
                }
                // No part of an import; what a macro is handed need not be one.
                _ => self.step(&list, at, context),
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

    fn judge_path(&mut self, list: &[TokenTree], path: &ReadPath, shown: &str, in_macro: bool, in_pieces: bool) {
        let followed_by = |word: &str| matches!(list.get(path.end), Some(TokenTree::Ident(next)) if next == word);
        let bare_root = matches!(path.parts.as_slice(), [root] if names::is_standard_root(root));
        if bare_root && followed_by("as") {
            self.report(Code::ObscuredName, path.span, &format!("`{shown}` is renamed"), "");
        }
        let last = path.parts.last().map_or("", String::as_str);
        let meanings = self.meanings(&path.parts);
        if in_pieces {
            // Said already, with the part that matters.
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
            } else if in_macro && !beneath.is_empty() && names::has_refused_inside(&beneath) {
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

    fn macro_call(&mut self, path: &ReadPath, arguments: &Group, context: Context<'_>) {
        let last = path.parts.last().map_or("", String::as_str);
        if let Some(code) = names::macro_ruling(last) {
            self.report(code, path.span, &format!("`{last}!` is not allowed"), "");
        }
        if names::prints(last) && !self.declared.macros.contains(last) {
            self.report(Code::NoEffect, path.span, &format!("`{last}!` prints to nowhere"), "");
        }
        if self.declared.sdk_name(last) == "export" && !self.declared.macros.contains(last) {
            match context {
                Context::Plain => self.entries.exports += 1,
                _ => self.entries.exports_in_macros += 1,
            }
            if self.entries.exports > 1 {
                self.report(Code::DuplicateExport, path.span, "a second `export!`", "");
            }
        }
        let inside = if self.declared.is_standard_macro(last) { context } else { Context::Arguments(context.bound()) };
        self.stream(arguments.stream(), inside);
    }

    pub(super) fn obscured(&mut self, span: Span, message: &str) {
        self.report(Code::ObscuredName, span, message, "");
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
