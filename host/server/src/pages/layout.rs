//! What all pages share: head, navigation, style, script.

use crate::place::{Links, Place};
use crate::text;
use maud::{DOCTYPE, Markup, html};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Ours, beside the style of reports.
const STYLE: &str = include_str!("style.css");
/// The only script of the pages.
pub(crate) const SCRIPT: &str = include_str!("assay.js");

/// The style of all pages.
pub(crate) fn style() -> String {
    format!("{}{STYLE}", assay_report::STYLE)
}

/// How a page is made: for a server, or as a file.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub links: Links,
    /// What forms contain; without it there are none.
    pub form: Option<&'a str>,
    /// Whether work can be started from pages.
    pub can_start: bool,
    /// Addresses of pages that there are not, because of a limit: nothing links to them.
    pub left_out: Option<&'a BTreeSet<String>>,
}

impl Frame<'_> {
    /// A link.
    pub(crate) fn link(&self, place: &Place, words: &str) -> Markup {
        self.linked(place, &html! { (words) })
    }

    /// A link around something; the thing alone if it has no page.
    pub(crate) fn linked(&self, place: &Place, content: &Markup) -> Markup {
        let address = self.links.to(place);
        match self.left_out {
            Some(left_out) if left_out.contains(&address) => content.clone(),
            _ => html! { a href=(address) { (content) } },
        }
    }

    /// A text that may name folders of this machine, which whoever reads an export is not told.
    pub(crate) fn told<'t>(&self, words: &'t str) -> Cow<'t, str> {
        if self.is_served() { Cow::Borrowed(words) } else { Cow::Owned(text::placeless(words)) }
    }

    /// The same of a text that is a path and nothing else, which may have spaces in it.
    pub(crate) fn file<'t>(&self, path: &'t str) -> &'t str {
        let is_shown = self.is_served() || !path.starts_with('/');
        if is_shown { path } else { path.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default() }
    }

    pub(crate) fn is_served(&self) -> bool {
        self.links == Links::Served
    }

    fn has(&self, section: Section) -> bool {
        match section {
            Section::Doctor => self.is_served(),
            Section::Edit | Section::Jobs => self.can_start,
            _ => true,
        }
    }
}

/// Where a page is in the navigation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Section {
    Home,
    Edit,
    Jobs,
    Runs,
    Boards,
    Rollouts,
    Worlds,
    Refine,
    Gate,
    Doctor,
}

const SECTIONS: [(Section, Place, &str); 10] = [
    (Section::Home, Place::Home, "Now"),
    (Section::Edit, Place::Edit, "Write"),
    (Section::Jobs, Place::Jobs, "Jobs"),
    (Section::Runs, Place::Runs, "Runs"),
    (Section::Boards, Place::Boards, "Boards"),
    (Section::Rollouts, Place::Rollouts, "Rollouts"),
    (Section::Worlds, Place::Worlds, "Worlds"),
    (Section::Refine, Place::Refinements, "Refinements"),
    (Section::Gate, Place::Gates, "Gate"),
    (Section::Doctor, Place::Doctor, "Machine"),
];

/// What a page is told about as it changes: the topic, and the state that it shows.
pub(crate) struct Topic {
    pub name: String,
    pub after: u64,
}

/// A whole page.
pub(crate) fn layout(frame: Frame<'_>, title: &str, section: Section, topic: Option<&Topic>, body: &Markup) -> String {
    let title = text::name(title);
    let topic = topic.filter(|_| frame.is_served());
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                @if !frame.is_served() {
                    meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self' 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
                }
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content=(if frame.is_served() { "same-origin" } else { "no-referrer" });
                title { (title) " · Assay" }
                link rel="icon" href="data:,";
                link rel="stylesheet" href=(frame.links.to(&Place::Style));
                @if frame.is_served() { script src=(frame.links.to(&Place::Script)) defer {} }
            }
            body {
                a class="skip" href="#content" { "Skip to content" }
                header {
                    p class="brand" { "Assay" }
                    nav aria-label="Pages" {
                        @for (at, place, words) in SECTIONS.iter().filter(|(at, ..)| frame.has(*at)) {
                            a href=(frame.links.to(place)) aria-current=[(*at == section).then_some("page")] { (words) }
                        }
                    }
                    h1 { (title) }
                    @if topic.is_some() { p id="live" class="small" role="status" {} }
                }
                main id="content" tabindex="-1" data-topic=[topic.map(|topic| &topic.name)] data-after=[topic.map(|topic| topic.after)] {
                    (body)
                }
                @if frame.is_served() { footer { p { "Keys: " kbd { "j" } " " kbd { "k" } " next and previous, " kbd { "Enter" } " open, " kbd { "/" } " search, " kbd { "?" } " help." } } }
            }
        }
    };
    page.into_string()
}

/// Characters of a name or a value of an address that are shown.
const ADDRESS_CHARS_MAX: usize = 60;

/// That a part of an address does not count as it stands, and why.
pub(crate) fn left_out(name: &str, value: &str, why: &str) -> Markup {
    let shown = |text: &str| assay_report::visible(text, ADDRESS_CHARS_MAX);
    html! { p class="notice" { code { (shown(name)) "=" (shown(value)) } " " (why) "." } }
}

/// Puts a notice at the top of a page. A fragment of a page stays as it is.
pub(crate) fn with_notice(page: &str, notice: &Markup) -> String {
    // Texts from outside are escaped, so only `layout` can have written this.
    let content = page.find("<main id=\"content\"").and_then(|start| Some(start + page[start..].find('>')? + 1));
    let Some((before, after)) = content.and_then(|place| page.split_at_checked(place)) else { return page.to_owned() };
    format!("{before}{}{after}", notice.0)
}

/// A page that says why there is no other.
pub(crate) fn trouble(frame: Frame<'_>, title: &str, words: &str) -> String {
    let body = html! {
        p class="notice" { (text::words(&frame.told(words))) }
        p { (frame.link(&Place::Home, "Home")) }
    };
    layout(frame, title, Section::Home, None, &body)
}
