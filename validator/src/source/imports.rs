//! What the files declare, collected before the rules are applied: macros, modules, and short names for the standard library.
//!
//! Scopes are ignored: a short name counts everywhere. That can only make the rules stricter.

use super::names::{has_refused_inside, is_standard_macro, is_standard_root};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};

/// Declarations of all files of a strategy.
#[derive(Default)]
pub(super) struct Declared {
    /// Macros defined by `macro_rules!`.
    pub(super) macros: BTreeSet<String>,
    /// Names given by `as`, which may hide what a macro is.
    renamed: BTreeSet<String>,
    /// A macro may define or rename macros, so that any name may be one of the file's.
    any_name: bool,
    /// Some macro is handed an attribute, and with it a `#` that it could put elsewhere.
    pub(super) attributes_in_arguments: bool,
    /// Modules, and whatever is imported from inside another path: names that are not crates here.
    pub(super) local: BTreeSet<String>,
    /// Short names of modules of the standard library in which something is refused, and what they stand for beneath `std`.
    standard: BTreeMap<String, BTreeSet<Vec<String>>>,
    /// Other names of the SDK's `Strategy` and `export`.
    sdk: BTreeMap<String, &'static str>,
}

impl Declared {
    /// Adds the declarations of one file.
    pub(super) fn collect(&mut self, tokens: &TokenStream) {
        self.collect_in(tokens, false, false);
    }

    /// Whether a macro called by this name is known to be the standard library's.
    pub(super) fn is_standard_macro(&self, name: &str) -> bool {
        is_standard_macro(name) && !self.any_name && !self.macros.contains(name) && !self.renamed.contains(name)
    }

    fn collect_in(&mut self, tokens: &TokenStream, in_macro: bool, in_arguments: bool) {
        let list: Vec<TokenTree> = tokens.clone().into_iter().collect();
        for (at, token) in list.iter().enumerate() {
            match token {
                TokenTree::Group(group) => {
                    let named = at > 0 && matches!(list[at - 1], TokenTree::Ident(_) | TokenTree::Punct(_));
                    let called = named && list[..at].iter().rev().take(2).any(|token| is_punct(Some(token), '!'));
                    let handed = in_arguments || self.is_handed_over(&list, at);
                    self.collect_in(&group.stream(), in_macro || called, handed);
                }
                TokenTree::Punct(punct) if punct.as_char() == '#' => self.attributes_in_arguments |= in_arguments,
                TokenTree::Ident(word) if word == "use" => {
                    self.any_name |= in_macro;
                    self.import(use_tree(&list, at), &[]);
                }
                TokenTree::Ident(word) if word == "mod" => {
                    self.local.extend(list.get(at + 1).and_then(name));
                }
                TokenTree::Ident(word) if word == "macro_rules" => {
                    self.any_name |= in_macro;
                    self.macros.extend(list.get(at + 2).and_then(name));
                }
                _ => {}
            }
        }
    }

    /// Whether the group at `at` may be arguments of a macro that is not the standard library's: it follows `name!`, or what a macro puts there.
    fn is_handed_over(&self, list: &[TokenTree], at: usize) -> bool {
        let before = |back: usize| at.checked_sub(back).and_then(|at| list.get(at));
        if is_punct(before(1), '!') && !is_punct(before(2), '#') {
            return !before(2).and_then(name).is_some_and(|name| self.is_standard_macro(&name));
        }
        is_punct(before(2), '$') || before(1).is_some_and(is_repeater)
    }

    /// What a short name may stand for beneath `std`.
    pub(super) fn standard(&self, name: &str) -> impl Iterator<Item = &Vec<String>> {
        self.standard.get(name).into_iter().flatten()
    }

    /// The SDK's name behind a name of the file.
    pub(super) fn sdk_name<'a>(&self, name: &'a str) -> &'a str {
        self.sdk.get(name).copied().unwrap_or(name)
    }

    /// One or more use trees separated by commas, beneath `prefix`.
    fn import(&mut self, tokens: &[TokenTree], prefix: &[String]) {
        for tree in tokens.split(|token| is_punct(Some(token), ',')) {
            let mut path = prefix.to_vec();
            let mut alias = None;
            let mut at = 0;
            while let Some(token) = tree.get(at) {
                match token {
                    TokenTree::Ident(word) if word == "as" => {
                        alias = tree.get(at + 1).and_then(name);
                        self.renamed.extend(alias.clone());
                        break;
                    }
                    TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
                    TokenTree::Ident(_) => path.extend(name(token)),
                    TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                        self.import(&inner, &path);
                        path.clear();
                        break;
                    }
                    _ => {}
                }
                at += 1;
            }
            if let Some(last) = path.last().cloned() {
                self.remember(&path, alias.unwrap_or(last));
            }
        }
    }

    fn remember(&mut self, path: &[String], alias: String) {
        if path.len() > 1 {
            self.local.insert(alias.clone());
        }
        if let Some(root) = path.iter().position(|part| is_standard_root(part)) {
            let beneath = &path[root + 1..];
            if !beneath.is_empty() && has_refused_inside(beneath) {
                self.standard.entry(alias).or_default().insert(beneath.to_vec());
            }
        } else {
            // A second hop, `use std::io; … use super::io as q;`, keeps what the first one meant.
            let known: Vec<_> = path.last().into_iter().flat_map(|last| self.standard(last)).cloned().collect();
            if !known.is_empty() {
                self.standard.entry(alias).or_default().extend(known);
            } else if path.first().is_some_and(|root| root == "assay_sdk") {
                match path.last().map(String::as_str) {
                    Some("Strategy") => self.sdk.insert(alias, "Strategy"),
                    Some("export") => self.sdk.insert(alias, "export"),
                    _ => None,
                };
            }
        }
    }
}

/// What follows the `use` at `at`. A comma of this level is not part of an import, nor is another `use`; with both the distance is bounded by
/// the limit on chains, and no tree is read twice.
pub(super) fn use_tree(list: &[TokenTree], at: usize) -> &[TokenTree] {
    let is_end = |token: &TokenTree| match token {
        TokenTree::Ident(word) => word == "use",
        other => is_punct(Some(other), ';') || is_punct(Some(other), ','),
    };
    let rest = &list[at + 1..];
    &rest[..rest.iter().position(is_end).unwrap_or(rest.len())]
}

/// The name that an identifier stands for: a raw identifier that is not a keyword is the same name without `r#`.
pub(super) fn plain(word: &str) -> &str {
    word.strip_prefix("r#").unwrap_or(word)
}

/// The plain name of an identifier token.
pub(super) fn name(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Ident(word) => Some(plain(&word.to_string()).to_owned()),
        _ => None,
    }
}

/// Whether a token says how often a macro repeats what is before it.
pub(super) fn is_repeater(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if matches!(punct.as_char(), '*' | '+' | '?'))
}

/// Whether a token is this punctuation character.
pub(super) fn is_punct(token: Option<&TokenTree>, character: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}
