//! Every address below `/api`: what it takes and what it answers.
//!
//! Invariants: an address is served only if it is in this table, and the document is made of the same table, so neither has what the other lacks; what the
//! table says must be there is looked for before a handler runs.

/// A list that lives as long as the program does.
macro_rules! list {
    ($of:ty, $($item:expr),+ $(,)?) => {{
        const LIST: &[$of] = &[$($item),+];
        LIST
    }};
}

mod posts;
mod reads;

use crate::parameter::Parameter;
use posts::POSTS;
use reads::READS;

/// How something is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Method {
    Get,
    Post,
}

impl Method {
    /// As the document writes it.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Post => "post",
        }
    }
}

/// A part of an address in braces, and what it is.
pub(super) type Part = (&'static str, &'static str);

/// One of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub method: Method,
    /// What its functions and the document call it.
    pub id: &'static str,
    pub path: &'static str,
    pub what: &'static str,
    /// What the parts of the address in braces are.
    pub parts: &'static [Part],
    pub query: &'static [Parameter],
    /// Fields of the form that is posted.
    pub fields: &'static [Parameter],
    /// The answer, as [`super::schema`] reads it.
    pub answer: &'static str,
    /// Forms of the answer beside JSON.
    pub kinds: &'static [&'static str],
    /// What it answers with 201, where something was made.
    pub made: Option<&'static str>,
}

const fn read(id: &'static str, path: &'static str, what: &'static str, answer: &'static str) -> Operation {
    Operation {
        method: Method::Get,
        id,
        path,
        what,
        parts: &[],
        query: &[],
        fields: &[],
        answer,
        kinds: &[],
        made: None,
    }
}

const fn post(id: &'static str, path: &'static str, what: &'static str, answer: &'static str) -> Operation {
    Operation { method: Method::Post, ..read(id, path, what, answer) }
}

impl Operation {
    const fn at(self, parts: &'static [Part]) -> Self {
        Self { parts, ..self }
    }

    const fn asks(self, query: &'static [Parameter]) -> Self {
        Self { query, ..self }
    }

    const fn takes(self, fields: &'static [Parameter]) -> Self {
        Self { fields, ..self }
    }

    const fn or_as(self, kinds: &'static [&'static str]) -> Self {
        Self { kinds, ..self }
    }

    const fn makes(self, made: &'static str) -> Self {
        Self { made: Some(made), ..self }
    }
}

/// All of them.
pub(super) fn all() -> impl Iterator<Item = &'static Operation> {
    READS.iter().chain(POSTS)
}
