//! Where tokens stand, and what the macro around them binds.
//!
//! An attribute comes out of a macro only as it went in, between its own brackets; every `$name` of a body is bound by its own rule.

use super::imports::{is_punct, is_repeater, name};
use super::names;
use proc_macro2::{Delimiter, Group, TokenTree};
use std::collections::BTreeMap;

/// Where tokens stand: among the file's own items, or where a macro puts them together.
#[derive(Clone, Copy)]
pub(super) enum Context<'a> {
    /// Read by the compiler as it stands.
    Plain,
    /// The left side of a rule: matched, never put out.
    Matcher,
    /// The right side of a rule.
    Body(&'a Bound<'a>),
    /// Handed to a macro that is not the standard library's, with what the body around the call binds.
    Arguments(Option<&'a Bound<'a>>),
}

impl<'a> Context<'a> {
    pub(super) fn is_macro(self) -> bool {
        !matches!(self, Self::Plain)
    }

    /// What a body around binds.
    pub(super) fn bound(self) -> Option<&'a Bound<'a>> {
        match self {
            Self::Plain | Self::Matcher => None,
            Self::Body(bound) => Some(bound),
            Self::Arguments(bound) => bound,
        }
    }

    /// Whether `$name` stands for something here.
    pub(super) fn binds(self, name: &str) -> bool {
        matches!(self, Self::Matcher) || name == "crate" || self.bound().is_some_and(|bound| bound.find(name).is_some())
    }

    /// Whether the content of `#[…]` is one attribute as a caller wrote it between these brackets: `$meta` or `$($word)*`, bound in the same shape.
    pub(super) fn is_whole_attribute(self, content: &[TokenTree]) -> bool {
        let found =
            |word: &str| self.bound().and_then(|bound| bound.find(word)).is_some_and(|found| found.is_attribute);
        matches!(self, Self::Matcher) || sole(content).is_some_and(|word| found(&word))
    }

    /// Whether what ends before `at` may be any token, a `!` or a `#` for one: `$token` or `$(…)*`.
    pub(super) fn may_end_in_any_token(self, list: &[TokenTree], at: usize) -> bool {
        if !matches!(self, Self::Body(_) | Self::Arguments(Some(_))) {
            return false;
        }
        let fragment = at.checked_sub(2).filter(|&dollar| is_punct(list.get(dollar), '$'));
        if let Some(word) = fragment.and_then(|dollar| list.get(dollar + 1)).and_then(name) {
            return self.is_token(&word);
        }
        // The operator of a repetition, and a separator before it.
        (2..=3).any(|back| {
            let group = at.checked_sub(back).filter(|_| list.get(at - 1).is_some_and(is_repeater));
            let group = group.filter(|&group| matches!(list.get(group), Some(TokenTree::Group(_))));
            group.is_some_and(|group| group > 0 && is_punct(list.get(group - 1), '$'))
        })
    }

    fn is_token(self, word: &str) -> bool {
        self.bound().and_then(|bound| bound.find(word)).is_none_or(|found| found.is_token)
    }

    /// Whether the `$token` at `at`, which may be a `#` torn from its brackets, stands before brackets that would make an attribute of it.
    pub(super) fn makes_attribute(self, list: &[TokenTree], at: usize) -> bool {
        let Some(word) = list.get(at + 1).and_then(name).filter(|word| word != "crate") else { return false };
        if matches!(self, Self::Plain | Self::Matcher) || !self.is_token(&word) {
            return false;
        }
        match list.get(at + 2) {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => {
                let first = group.stream().into_iter().next();
                is_punct(first.as_ref(), '$')
                    || first.as_ref().and_then(name).is_some_and(|word| names::is_attribute_word(&word))
            }
            Some(TokenTree::Punct(punct)) if punct.as_char() == '$' => match list.get(at + 3).and_then(name) {
                Some(next) => next != "crate" && self.is_token(&next),
                None => true,
            },
            _ => false,
        }
    }

    /// The same for what is repeated: tokens keep their order if nothing stands beside them, here and where they were bound.
    pub(super) fn tears_apart(self, repeated: &Group) -> bool {
        let list: Vec<TokenTree> = repeated.stream().into_iter().collect();
        let [.., dollar, last] = list.as_slice() else { return false };
        let Some(word) = name(last).filter(|_| is_punct(Some(dollar), '$')) else { return false };
        let in_order = |bound: &Bound<'_>| bound.find(&word).is_some_and(|found| found.is_sequence);
        self.is_token(&word) && (list.len() > 2 || !self.bound().is_some_and(in_order))
    }
}

/// What one `$name` of a rule stands for.
#[derive(Clone, Copy)]
struct Fragment {
    /// Any token at all: `tt`. Other kinds are whole pieces of syntax that no longer come apart.
    is_token: bool,
    /// A run of tokens in their order: `$($name:tt)*`.
    is_sequence: bool,
    /// All that stands between the brackets of an attribute.
    is_attribute: bool,
}

/// The names that one rule binds, within the rule around it.
pub(super) struct Bound<'a> {
    outer: Option<&'a Bound<'a>>,
    own: BTreeMap<String, Fragment>,
}

impl<'a> Bound<'a> {
    /// What this left side binds.
    pub(super) fn of(matcher: &Group, outer: Option<&'a Bound<'a>>) -> Self {
        let mut bound = Self { outer, own: BTreeMap::new() };
        bound.collect(&matcher.stream().into_iter().collect::<Vec<_>>(), false, false);
        bound
    }

    /// The rule around comes first: it has replaced its names before this one is read.
    fn find(&self, name: &str) -> Option<Fragment> {
        self.outer.and_then(|outer| outer.find(name)).or_else(|| self.own.get(name).copied())
    }

    fn collect(&mut self, list: &[TokenTree], in_attribute: bool, in_sequence: bool) {
        for (at, token) in list.iter().enumerate() {
            if let TokenTree::Group(group) = token {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                let is_repetition = at > 0 && is_punct(list.get(at - 1), '$');
                let is_content = !is_repetition && is_attribute_bracket(list, at, group);
                let is_whole = is_repetition && in_attribute && at == 1 && list.len() == 3;
                self.collect(&inside, is_content || is_whole, is_repetition);
            } else if is_punct(Some(token), '$')
                && is_punct(list.get(at + 2), ':')
                && let (Some(word), Some(kind)) = (list.get(at + 1).and_then(name), list.get(at + 3).and_then(name))
            {
                let alone = list.len() == 4;
                let is_token = kind == "tt";
                let fragment = Fragment {
                    is_token,
                    is_sequence: is_token && in_sequence && alone,
                    is_attribute: in_attribute && alone,
                };
                self.own.insert(word, fragment);
            }
        }
    }
}

/// Whether the group at `at` is what stands behind `#` or `#!`.
fn is_attribute_bracket(list: &[TokenTree], at: usize, group: &Group) -> bool {
    let before = |back: usize, character| at >= back && is_punct(list.get(at - back), character);
    group.delimiter() == Delimiter::Bracket && (before(1, '#') || (before(1, '!') && before(2, '#')))
}

/// The word of `$word` or `$($word)*`, if nothing else is there.
fn sole(content: &[TokenTree]) -> Option<String> {
    match content {
        [dollar, word] if is_punct(Some(dollar), '$') => name(word),
        [dollar, TokenTree::Group(group), repeater] if is_punct(Some(dollar), '$') && is_repeater(repeater) => {
            match group.stream().into_iter().collect::<Vec<_>>().as_slice() {
                [dollar, word] if is_punct(Some(dollar), '$') => name(word),
                _ => None,
            }
        }
        _ => None,
    }
}
