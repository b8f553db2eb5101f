//! Slips that compile and then fail in every market: an empty side of the quote that is taken for granted, code that nothing ever runs.
//!
//! Types are not known here, so the names of the SDK's fields and methods have to do; that is why these are warnings. What the compiler
//! refuses is not looked for: whoever builds says what mends it.

use super::imports::{is_punct, name};
use super::walk::Walk;
use crate::code::Code;
use proc_macro2::{Delimiter, TokenTree};

/// Fields and methods whose value is absent when a side of the book is empty, or nothing has traded yet.
const FIELDS: &[&str] = &["bid", "ask", "last"];
const METHODS: &[&str] = &["mid", "spread", "imbalance", "level"];

impl Walk<'_> {
    /// Looks at what follows a dot.
    pub(super) fn judge_empty_side(&mut self, list: &[TokenTree], dot: usize) {
        let Some(member) = list.get(dot + 1).and_then(name) else { return };
        let called = is_arguments(list.get(dot + 2));
        let known = if called { METHODS } else { FIELDS };
        if !known.contains(&member.as_str()) {
            return;
        }
        let next = dot + 2 + usize::from(called);
        let taken = list.get(next + 1).and_then(name).filter(|word| matches!(word.as_str(), "unwrap" | "expect"));
        if let Some(taken) = taken.filter(|_| is_punct(list.get(next), '.') && is_arguments(list.get(next + 2))) {
            let shown = if called { format!("{member}(…)") } else { member };
            let message = format!("`{shown}.{taken}(…)` panics when there is none");
            self.report(Code::EmptySide, list[dot + 1].span(), &message, "");
        }
    }
}

fn is_arguments(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
}
