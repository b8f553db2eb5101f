//! Rules on attributes: an allow-list, because what an attribute may do is open-ended.

use super::context::Context;
use super::imports::{is_punct, name};
use super::names::{attribute_ruling, is_standard_derive, is_standard_root, is_tool};
use super::walk::Walk;
use crate::code::Code;
use proc_macro2::{TokenStream, TokenTree};

const WHOLE: &str = "Take attributes as `$(#[$meta:meta])*` and hand them on as `$(#[$meta])*`.";

impl Walk<'_> {
    /// Judges what stands between the brackets of an attribute; `cfg_attr(…)` and `unsafe(…)` hold attributes themselves.
    pub(super) fn attribute(&mut self, tokens: TokenStream, context: Context<'_>) {
        let list: Vec<TokenTree> = tokens.into_iter().collect();
        if context.is_macro() && is_punct(list.first(), '$') {
            // What the caller wrote between brackets was judged there.
            if !context.is_whole_attribute(&list) {
                self.report(Code::ObscuredName, list[0].span(), "a macro puts an attribute together", WHOLE);
            }
            return;
        }
        let Some(word) = list.first().and_then(name) else { return };
        let span = list[0].span();
        let inside = list.iter().find_map(|token| match token {
            TokenTree::Group(group) => Some(group.stream()),
            _ => None,
        });
        match word.as_str() {
            "unsafe" => self.attribute(inside.unwrap_or_default(), context),
            "cfg_attr" => {
                let parts: Vec<TokenTree> = inside.unwrap_or_default().into_iter().collect();
                if context.is_macro() && (parts.is_empty() || parts.iter().any(|part| is_punct(Some(part), '$'))) {
                    self.report(Code::ObscuredName, span, "a macro puts a conditional attribute together", WHOLE);
                }
                for attribute in parts.split(|token| is_punct(Some(token), ',')).skip(1) {
                    self.attribute(attribute.iter().cloned().collect(), context);
                }
            }
            "derive" => self.derive(inside.unwrap_or_default(), context),
            tool if is_tool(tool) && is_punct(list.get(1), ':') => {}
            _ if is_punct(list.get(1), ':') => self.refuse(Code::UnlistedAttribute, span, &path_text(&list)),
            _ => {
                if let Some(code) = attribute_ruling(&word) {
                    self.refuse(code, span, &word);
                }
            }
        }
    }

    fn refuse(&mut self, code: Code, span: proc_macro2::Span, word: &str) {
        let hint = if word == "no_std" { "Remove it; the SDK uses `std`, which is all there." } else { "" };
        self.report(code, span, &format!("the attribute `{word}` is not allowed"), hint);
    }

    fn derive(&mut self, tokens: TokenStream, context: Context<'_>) {
        let list: Vec<TokenTree> = tokens.into_iter().collect();
        for path in list.split(|token| is_punct(Some(token), ',')) {
            let words: Vec<String> = path.iter().filter_map(name).collect();
            let (Some(first), Some(last)) = (words.first(), words.last()) else { continue };
            let computed = context.is_macro() && path.iter().any(|token| is_punct(Some(token), '$'));
            let standard = is_standard_derive(last) && (words.len() == 1 || is_standard_root(first));
            if !computed && !standard {
                self.report(
                    Code::UnlistedDerive,
                    path[0].span(),
                    &format!("`derive({})` is not allowed", words.join("::")),
                    "",
                );
            }
        }
    }
}

fn path_text(list: &[TokenTree]) -> String {
    list.iter()
        .map_while(|token| matches!(token, TokenTree::Ident(_) | TokenTree::Punct(_)).then(|| token.to_string()))
        .collect()
}
