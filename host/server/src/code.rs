//! What errors are called for programs: a word that stays the same, whatever an error is told in.
//!
//! Invariants: every error has one of these, and the status of its answer follows from it; a word that has been told keeps its meaning.

/// Codes, each with its word and the status of an answer that has it.
macro_rules! codes {
    ($($(#[$what:meta])* $name:ident => $word:literal, $status:literal;)+) => {
        /// See the module documentation.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Code {
            $($(#[$what])* $name),+
        }

        impl Code {
            /// All of them, by their statuses.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$name),+];

            const fn row(self) -> (&'static str, u16) {
                match self {
                    $(Self::$name => ($word, $status)),+
                }
            }
        }
    };
}

codes! {
    /// Something that has to be there is not.
    Missing => "missing", 400;
    /// No token, or another one.
    Unauthorized => "unauthorized", 401;
    /// The request comes from another page, or without the form of one of ours.
    Forbidden => "forbidden", 403;
    /// This server starts and changes nothing.
    ReadOnly => "read_only", 403;
    /// There is no such thing, or no such address.
    NotFound => "not_found", 404;
    /// The address does not answer this method.
    MethodNotAllowed => "method_not_allowed", 405;
    /// The request did not arrive in time.
    Timeout => "timeout", 408;
    /// It is not in the state for that: a job that has ended cannot be stopped.
    Conflict => "conflict", 409;
    /// The request is too large.
    TooLarge => "too_large", 413;
    /// The body is not a form.
    UnsupportedMediaType => "unsupported_media_type", 415;
    /// `Host` does not name this server.
    WrongHost => "wrong_host", 421;
    /// A parameter or a field is wrong.
    InvalidRequest => "invalid_request", 422;
    /// The question is right, and cannot be done with what is there.
    Unprocessable => "unprocessable", 422;
    /// A file is damaged, of another schema, or of a later release.
    Unreadable => "unreadable", 422;
    /// A fault of Assay, or of its machine.
    Internal => "internal", 500;
    /// The server is busy: try again in a moment.
    Busy => "busy", 503;
    /// As many jobs wait, or are kept, as may.
    TooMany => "too_many", 503;
    /// The store cannot be read, or the server is stopping.
    Unavailable => "unavailable", 503;
}

impl Code {
    /// As programs read it.
    pub(crate) const fn word(self) -> &'static str {
        self.row().0
    }

    /// The status of an answer that has it.
    pub(crate) const fn status(self) -> u16 {
        self.row().1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn words_are_plain_and_different() {
        let is_plain = |word: &str| !word.is_empty() && word.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_'));
        let words: BTreeSet<&str> = Code::ALL.iter().map(|code| code.word()).collect();
        assert!(words.len() == Code::ALL.len() && words.iter().all(|word| is_plain(word)), "{words:?}");
        assert!(Code::ALL.iter().all(|code| (400..600).contains(&code.status())));
        assert!(Code::ALL.is_sorted_by_key(|code| code.status()));
    }
}
