//! Bounds the recursion of everything that reads the syntax tree, before anything does. Not recursive itself.
//!
//! The depth of a tree is at most the number of tokens on the way to its deepest leaf. A *chain* is a run of tokens of one bracket
//! level without a separator (`;`, `,`, or a closing brace after which something new begins); the weight of a bracket is its
//! heaviest chain, and the weight of a chain its tokens plus its heaviest bracket. So the weight of a file bounds the depth of
//! `!!!!x`, `1+1+1`, `&&&&T`, `A<A<A>>`, `else if` ladders and nested brackets alike. Attributes add only what is inside them: they are lists.

use crate::limits::{BRACKET_DEPTH_MAX, CHAIN_TOKENS_MAX};
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

/// What is too deep, where.
pub(super) struct TooDeep {
    pub(super) span: Span,
    pub(super) message: &'static str,
    pub(super) observed: String,
    pub(super) limit: String,
}

/// One open bracket on the way down.
struct Level {
    rest: std::iter::Peekable<proc_macro2::token_stream::IntoIter>,
    span: Span,
    chain: u64,
    /// How much of `=>` was just read: a brace after it is a whole arm of a `match`.
    arrow: u8,
    /// The chain ends with the bracket that is being read.
    ends_with_bracket: bool,
    heaviest_inside: u64,
    heaviest_chain: u64,
}

impl Level {
    fn new(stream: TokenStream, span: Span) -> Self {
        let rest = stream.into_iter().peekable();
        Self { rest, span, chain: 0, arrow: 0, ends_with_bracket: false, heaviest_inside: 0, heaviest_chain: 0 }
    }

    fn end_chain(&mut self) {
        self.heaviest_chain = self.heaviest_chain.max(self.chain + self.heaviest_inside);
        self.chain = 0;
        self.heaviest_inside = 0;
        self.ends_with_bracket = false;
    }
}

/// Checks the depth of brackets and the weight of chains.
pub(super) fn check(tokens: &TokenStream) -> Result<(), TooDeep> {
    let mut levels = vec![Level::new(tokens.clone(), Span::call_site())];
    let mut after_hash = false;
    while let Some(level) = levels.last_mut() {
        let Some(token) = level.rest.next() else {
            level.end_chain();
            let (weight, span) = (level.heaviest_chain, level.span);
            levels.pop();
            if weight > CHAIN_TOKENS_MAX {
                return Err(too_long(span, weight));
            }
            if let Some(outer) = levels.last_mut() {
                outer.heaviest_inside = outer.heaviest_inside.max(weight);
                if outer.ends_with_bracket {
                    outer.end_chain();
                }
            }
            continue;
        };
        match token {
            TokenTree::Group(group) => {
                let in_attribute = after_hash && group.delimiter() == Delimiter::Bracket;
                after_hash = false;
                level.chain += u64::from(!in_attribute);
                let is_arm = level.arrow == 2;
                level.arrow = 0;
                level.ends_with_bracket =
                    group.delimiter() == Delimiter::Brace && begins_anew(level.rest.peek(), is_arm);
                let span = group.span_open();
                levels.push(Level::new(group.stream(), span));
                if levels.len() as u64 > BRACKET_DEPTH_MAX + 1 {
                    let observed = format!("more than {BRACKET_DEPTH_MAX}");
                    let limit = format!("{BRACKET_DEPTH_MAX} open brackets");
                    return Err(TooDeep { span, message: "brackets are nested too deep", observed, limit });
                }
            }
            TokenTree::Punct(punct) if matches!(punct.as_char(), ';' | ',') => level.end_chain(),
            TokenTree::Punct(punct) if punct.as_char() == '#' => after_hash = true,
            TokenTree::Punct(punct) if after_hash && punct.as_char() == '!' => {}
            other => {
                after_hash = false;
                level.arrow = match &other {
                    TokenTree::Punct(punct) if punct.as_char() == '=' => 1,
                    TokenTree::Punct(punct) if punct.as_char() == '>' && level.arrow == 1 => 2,
                    _ => 0,
                };
                level.chain += 1;
                if level.chain > CHAIN_TOKENS_MAX {
                    return Err(too_long(other.span(), level.chain));
                }
            }
        }
    }
    Ok(())
}

fn too_long(span: Span, weight: u64) -> TooDeep {
    let message = "an expression, type or pattern is chained or nested too long";
    TooDeep {
        span,
        message,
        observed: format!("at least {weight} tokens"),
        limit: format!("{CHAIN_TOKENS_MAX} tokens"),
    }
}

/// Whether the token after a closing brace starts a new statement or item: a word that does not continue an expression, a literal,
/// a label, another block, an attribute, or the end. After the body of an arm only a method call or `?` continues.
fn begins_anew(next: Option<&TokenTree>, is_arm: bool) -> bool {
    match next {
        None | Some(TokenTree::Literal(_)) => true,
        Some(TokenTree::Ident(word)) => word != "else" && word != "as",
        Some(TokenTree::Group(group)) => is_arm || group.delimiter() == Delimiter::Brace,
        Some(TokenTree::Punct(punct)) => {
            matches!(punct.as_char(), '#' | '\'') || (is_arm && !matches!(punct.as_char(), '.' | '?'))
        }
    }
}
