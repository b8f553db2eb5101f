//! What a macro of the strategy binds, and what may become of it.
//!
//! No macro is expanded here. Every token of an expansion stands somewhere in the text, in a body or among arguments, so words that are refused in
//! any order are found where they stand. What depends on the order of harmless tokens is held here: an attribute comes out of a macro only as it
//! went in, between its own brackets; a `$` is never an argument; every `$name` of a body is bound by its own rule.

use super::context::{Bound, Context};
use super::imports::{is_punct, plain};
use super::names;
use super::paths::{is_separator, path_part, read_path};
use super::walk::Walk;
use proc_macro2::{Delimiter, Group, TokenTree};

/// The rules of a `macro_rules!`, left and right side of each; `None` if the text has another shape.
pub(super) fn rules(definition: &Group) -> Option<Vec<(Group, Group)>> {
    let list: Vec<TokenTree> = definition.stream().into_iter().collect();
    let mut rules = Vec::new();
    let mut at = 0;
    while at < list.len() {
        let [TokenTree::Group(matcher), equals, greater, TokenTree::Group(body), ..] = &list[at..] else { return None };
        if !is_punct(Some(equals), '=') || !is_punct(Some(greater), '>') {
            return None;
        }
        rules.push((matcher.clone(), body.clone()));
        at += 4;
        match list.get(at) {
            None => {}
            separator if is_punct(separator, ';') => at += 1,
            Some(_) => return None,
        }
    }
    Some(rules)
}

impl Walk<'_> {
    /// `$name` or `$(…)`: whether the name is bound, since it stays a word if not; whether it names a macro to call; whether it may be the `#`
    /// of an attribute.
    pub(super) fn fragment(&mut self, list: &[TokenTree], at: usize, context: Context<'_>) -> usize {
        let span = list[at].span();
        let (bang, next) = match list.get(at + 1) {
            Some(TokenTree::Ident(word)) => {
                let word = plain(&word.to_string()).to_owned();
                if names::is_macro_ingredient(&word) {
                    self.obscured(span, &format!("`${word}` hides a name in a macro"));
                } else if !context.binds(&word) {
                    self.obscured(span, &format!("`${word}` stands for nothing here"));
                }
                (at + 2, at + 2)
            }
            // `$( … )*`: the inside is still to be read, so go on at the group.
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                if self.declared.attributes_in_arguments && context.bound().is_some() && context.tears_apart(group) {
                    self.obscured(span, "a macro puts tokens together that may become an attribute");
                }
                (at + 3, at + 1)
            }
            _ => {
                self.obscured(span, "a `$` that is not followed by a name");
                return at + 1;
            }
        };
        if self.declared.attributes_in_arguments && context.makes_attribute(list, at) {
            self.obscured(span, "a macro puts tokens together that may become an attribute");
        }
        if is_punct(list.get(bang), '!') && matches!(list.get(bang + 1), Some(TokenTree::Group(_))) {
            self.obscured(span, "a macro is called by a name that only its caller knows");
        }
        // `$module::fs::read`: the root may be the standard library.
        let beneath = next == bang
            && !matches!(&list[at + 1], TokenTree::Ident(word) if word == "crate")
            && is_separator(list, next);
        if beneath && list.get(next + 2).and_then(path_part).is_some() {
            let path = read_path(list, next + 2, &[]);
            if path.parts.len() > 1 && names::ruling(&path.parts).is_some() {
                self.obscured(span, &format!("`$…::{}` may be of the standard library", path.parts.join("::")));
            }
        }
        next
    }

    /// `macro_rules! name { … }`, also with a macro's `$name`: each rule with what it binds.
    pub(super) fn definition(&mut self, list: &[TokenTree], at: usize, context: Context<'_>) -> usize {
        if matches!(context, Context::Matcher | Context::Arguments(_)) {
            self.obscured(list[at].span(), "a macro is defined among the arguments of another");
            return at + 1;
        }
        if !is_punct(list.get(at + 1), '!') {
            return at + 1;
        }
        let name = at + 2 + usize::from(is_punct(list.get(at + 2), '$'));
        let Some(TokenTree::Group(group)) = list.get(name + 1) else { return at + 1 };
        let Some(rules) = rules(group) else {
            self.stream(group.stream(), Context::Arguments(context.bound()));
            return name + 2;
        };
        for (matcher, body) in rules {
            self.stream(matcher.stream(), Context::Matcher);
            let bound = Bound::of(&matcher, context.bound());
            self.stream(body.stream(), Context::Body(&bound));
        }
        name + 2
    }
}
