//! What a script asks SQLite's compiler to do, estimated before it sees a word: how deep the text is nested, and how many SELECTs it comes to once views and
//! common table expressions are unfolded.
//!
//! SQLite recurses over both on the thread's stack, and copies a view for each time that it is named, without a limit and before anything that can be
//! interrupted. The estimate reads tokens, not grammar, and errs upwards: a column that is called like a view counts as that view.

use crate::error::{ErrorKind, SqlError};
use crate::limits::Limits;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// One statement of a script.
pub(crate) struct Piece<'a> {
    /// Its text, without what ends it.
    pub(crate) text: &'a str,
    part: Part,
    /// The name, if it creates a view.
    view: Option<String>,
    is_trigger: bool,
    /// Foreign keys that act.
    actions: usize,
}

impl Piece<'_> {
    /// Whether later statements may set off what this one creates.
    fn defines(&self) -> bool {
        self.view.is_some() || self.is_trigger || self.actions > 0
    }
}

/// A part of a text that is unfolded as a whole.
#[derive(Clone, Default, Debug)]
struct Body {
    selects: u64,
    /// Depth of parentheses.
    depth: usize,
    /// Words within, and the depth at which they stand.
    words: Vec<(String, usize)>,
}

/// A statement or a view: what it says itself, and its common table expressions by name.
#[derive(Clone, Default, Debug)]
struct Part {
    body: Body,
    expressions: BTreeMap<String, Body>,
}

impl Part {
    /// Adds a common table expression. Two of one name could stand for one another, and the estimate knows names only.
    fn define(&mut self, name: String, body: Body) -> Result<(), SqlError> {
        match self.expressions.entry(name) {
            Entry::Vacant(entry) => {
                entry.insert(body);
            }
            // What is computed, and windows, look the same.
            Entry::Occupied(_) if body.selects == 0 => {}
            Entry::Occupied(mut entry) if entry.get().selects == 0 => {
                entry.insert(body);
            }
            Entry::Occupied(entry) => {
                let message = format!("WITH {} twice in one statement", entry.key());
                return Err(SqlError::refused(message, "give each common table expression a name of its own"));
            }
        }
        Ok(())
    }
}

/// The views, triggers and acting foreign keys of a schema.
#[derive(Clone, Default, Debug)]
pub(crate) struct Shapes {
    /// A script may drop a view and create another of that name.
    views: BTreeMap<String, Vec<Part>>,
    /// SELECTs of all triggers, and the greatest depth of one.
    triggers: Weight,
    actions: usize,
}

#[derive(Clone, Copy, Default, Debug)]
struct Weight {
    selects: u64,
    depth: usize,
}

impl Weight {
    fn add(&mut self, other: Self, at: usize) {
        self.selects = self.selects.saturating_add(other.selects);
        self.depth = self.depth.max(at.saturating_add(other.depth));
    }
}

impl Shapes {
    /// The shapes of a schema's definitions.
    ///
    /// # Errors
    /// `Refused` if one of them is too deep or unfolds to too much.
    pub(crate) fn of_schema<'a>(definitions: impl Iterator<Item = &'a str>, limits: &Limits) -> Result<Self, SqlError> {
        let mut pieces = Vec::new();
        for definition in definitions {
            pieces.append(&mut split(definition)?);
        }
        Ok(Self::default().with(&pieces, limits)?.into_owned())
    }

    /// The statements of a script that is to run with this schema.
    ///
    /// # Errors
    /// `Refused` if one of them is too deep or unfolds to too much, `Parameters` if the text has a zero in it.
    pub(crate) fn pieces<'a>(&self, script: &'a str, limits: &Limits) -> Result<Vec<Piece<'a>>, SqlError> {
        if script.len() > limits.sql_bytes as usize {
            let message = format!("the script has {} bytes, at most {}", script.len(), limits.sql_bytes);
            return Err(SqlError::refused(message, "send it in parts"));
        }
        let pieces = split(script)?;
        // What the script defines counts for all of its statements.
        self.with(&pieces, limits)?;
        Ok(pieces)
    }

    /// These shapes with what `pieces` define, if all of it and all of them are within limits.
    fn with(&self, pieces: &[Piece<'_>], limits: &Limits) -> Result<Cow<'_, Self>, SqlError> {
        if !pieces.iter().any(Piece::defines) {
            self.check_all(pieces, limits)?;
            return Ok(Cow::Borrowed(self));
        }
        let mut all = self.clone();
        for piece in pieces {
            all.actions += piece.actions + usize::from(piece.is_trigger);
            if let Some(name) = &piece.view {
                all.views.entry(name.clone()).or_default().push(piece.part.clone());
            }
        }
        if all.actions > usize::from(limits.actions) {
            let message = format!(
                "{} triggers and foreign keys that delete or change rows, at most {}",
                all.actions, limits.actions
            );
            return Err(SqlError::refused(message, "do with fewer of them"));
        }
        for piece in pieces.iter().filter(|piece| piece.is_trigger) {
            let weight = all.weigh(piece);
            all.triggers.add(weight, 0);
        }
        all.check_all(pieces, limits)?;
        Ok(Cow::Owned(all))
    }

    fn check_all(&self, pieces: &[Piece<'_>], limits: &Limits) -> Result<(), SqlError> {
        for (index, piece) in pieces.iter().enumerate() {
            let mut weight = self.weigh(piece);
            weight.add(self.triggers, 0);
            check(weight, limits).map_err(|error| error.at(index + 1))?;
        }
        Ok(())
    }

    fn weigh(&self, piece: &Piece<'_>) -> Weight {
        let mut search = Search { views: &self.views, known: BTreeMap::new(), open: Vec::new() };
        let mut weight = search.part(piece.view.as_deref().unwrap_or_default(), &piece.part);
        // Also what nothing refers to is read once.
        for body in piece.part.expressions.values() {
            weight.add(Weight { selects: body.selects, depth: body.depth }, 1);
        }
        weight
    }
}

/// A name, and the view in which it is a common table expression; empty for the statement, none for a view.
type Name<'a> = (Option<&'a str>, &'a str);

/// One walk over what names stand for.
struct Search<'a> {
    views: &'a BTreeMap<String, Vec<Part>>,
    known: BTreeMap<Name<'a>, Weight>,
    open: Vec<Name<'a>>,
}

impl<'a> Search<'a> {
    const TOO_MUCH: Weight = Weight { selects: u64::MAX, depth: usize::MAX };

    fn part(&mut self, name: &'a str, part: &'a Part) -> Weight {
        self.body(name, part, &part.body)
    }

    /// Unfolds `body`, which lies in `part`, the view called `view` or the statement.
    fn body(&mut self, view: &'a str, part: &'a Part, body: &'a Body) -> Weight {
        let mut weight = Weight { selects: body.selects, depth: body.depth };
        for (word, depth) in &body.words {
            if let Some(inner) = part.expressions.get(word) {
                weight.add(self.named((Some(view), word), |search| search.body(view, part, inner)), *depth);
            }
            // What a view says about its own name is about a column: it cannot be within itself.
            if let Some((word, views)) = self.views.get_key_value(word).filter(|(word, _)| *word != view) {
                let inner = self.named((None, word), |search| {
                    let mut sum = Weight::default();
                    views.iter().for_each(|part| sum.add(search.part(word, part), 0));
                    sum
                });
                weight.add(inner, *depth);
            }
        }
        weight
    }

    fn named(&mut self, name: Name<'a>, unfold: impl FnOnce(&mut Self) -> Weight) -> Weight {
        if let Some(known) = self.known.get(&name) {
            return *known;
        }
        // Recursion of a common table expression.
        if self.open.last() == Some(&name) {
            return Weight::default();
        }
        // A circle; or deeper than any limit, and this function recurses too.
        if self.open.contains(&name) || self.open.len() > usize::from(u8::MAX) {
            return Self::TOO_MUCH;
        }
        self.open.push(name);
        let mut weight = unfold(self);
        self.open.pop();
        weight.depth = weight.depth.saturating_add(1);
        self.known.insert(name, weight);
        weight
    }
}

fn check(weight: Weight, limits: &Limits) -> Result<(), SqlError> {
    if weight.depth > usize::from(limits.nesting) {
        let message = format!("nested deeper than {} levels, views and WITH included", limits.nesting);
        return Err(SqlError::refused(message, "use fewer parentheses and views within one another"));
    }
    if weight.selects > u64::from(limits.selects) {
        let message = format!("more than {} SELECTs, views and WITH unfolded", limits.selects);
        return Err(SqlError::refused(message, "name views and expressions less often, or keep results in a table"));
    }
    Ok(())
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Word(String),
    Open,
    Close,
    End,
    Dot,
    Other,
}

/// Cuts a script into statements, as `sqlite3_complete` would: the end of a trigger is END between two semicolons.
fn split(script: &str) -> Result<Vec<Piece<'_>>, SqlError> {
    if script.contains('\0') {
        return Err(SqlError::new(ErrorKind::Parameters, "the script has a zero byte in it"));
    }
    let mut pieces = Vec::new();
    let (mut at, mut start) = (0, 0);
    let mut tokens = Vec::new();
    loop {
        let token = next(script.as_bytes(), &mut at)?;
        let is_over = token.is_none();
        let ends = match &token {
            None => true,
            Some(Token::End) => {
                let is_trigger = creates(&tokens) == Some("trigger");
                !is_trigger || tokens.ends_with(&[Token::End, Token::Word("end".to_owned())])
            }
            Some(_) => false,
        };
        if ends {
            let end = if is_over { at } else { at - 1 };
            if !tokens.is_empty() {
                pieces.push(piece(&script[start..end], &tokens).map_err(|error| error.at(pieces.len() + 1))?);
            }
            tokens.clear();
            start = at;
        } else if let Some(token) = token {
            tokens.push(token);
        }
        if is_over {
            return Ok(pieces);
        }
    }
}

fn word(token: Option<&Token>) -> Option<&str> {
    match token {
        Some(Token::Word(word)) => Some(word),
        _ => None,
    }
}

/// What a statement creates: `view`, `trigger`, `table`.
fn creates(tokens: &[Token]) -> Option<&str> {
    let mut words = tokens.iter().map(|token| word(Some(token)));
    loop {
        match words.next()?? {
            "explain" | "query" | "plan" => {}
            "create" => break,
            _ => return None,
        }
    }
    loop {
        match words.next()?? {
            "temp" | "temporary" => {}
            what => return Some(what),
        }
    }
}

/// The name that follows VIEW.
fn name_of_view(tokens: &[Token]) -> Option<String> {
    let at = tokens.iter().position(|token| word(Some(token)) == Some("view"))?;
    let mut rest = &tokens[at + 1..];
    while let Some("if" | "not" | "exists") = word(rest.first()) {
        rest = &rest[1..];
    }
    if rest.get(1) == Some(&Token::Dot) {
        rest = &rest[2..];
    }
    word(rest.first()).map(str::to_owned)
}

/// An open parenthesis: the word before it, and whether a common table expression began with it.
struct Level {
    before: Option<String>,
    expression: Option<(String, Body)>,
}

fn piece<'a>(text: &'a str, tokens: &[Token]) -> Result<Piece<'a>, SqlError> {
    let mut part = Part::default();
    let mut levels: Vec<Level> = Vec::new();
    // The name before AS, while only NOT and MATERIALIZED follow.
    let mut pending: Option<String> = None;
    let mut before: Option<String> = None;
    for token in tokens {
        let depth = levels.len();
        let base = levels.iter().rposition(|level| level.expression.is_some()).map_or(0, |at| at + 1);
        let current = match levels.get_mut(base.wrapping_sub(1)) {
            Some(Level { expression: Some((_, inner)), .. }) => inner,
            _ => &mut part.body,
        };
        match token {
            Token::Word(word) => {
                current.selects += u64::from(word == "select");
                // Behind AS stands the name of a column, or of a table in this place.
                if before.as_deref() != Some("as") {
                    current.words.push((word.clone(), depth - base));
                }
                match word.as_str() {
                    "as" => pending = before.take(),
                    "not" | "materialized" => {}
                    _ => pending = None,
                }
                before = Some(word.clone());
            }
            Token::Open => {
                current.depth = current.depth.max(depth - base + 1);
                let expression = pending.take().map(|name| (name, Body::default()));
                levels.push(Level { before: before.take(), expression });
            }
            Token::Close => {
                pending = None;
                before = None;
                if let Some(level) = levels.pop() {
                    before = level.before;
                    if let Some((name, inner)) = level.expression {
                        part.define(name, inner)?;
                    }
                }
            }
            Token::End | Token::Dot | Token::Other => {
                pending = None;
                before = None;
            }
        }
    }
    for (name, inner) in levels.into_iter().filter_map(|level| level.expression) {
        part.define(name, inner)?;
    }
    let what = creates(tokens);
    Ok(Piece {
        text,
        part,
        view: if what == Some("view") { name_of_view(tokens) } else { None },
        is_trigger: what == Some("trigger"),
        actions: actions(tokens),
    })
}

/// Foreign keys that act: `ON DELETE CASCADE`, `ON UPDATE SET NULL`.
fn actions(tokens: &[Token]) -> usize {
    let acts = |part: &[Token]| {
        let words = [word(part.first()), word(part.get(1)), word(part.get(2))];
        matches!(words, [Some("on"), Some("delete" | "update"), Some("cascade" | "set")])
    };
    tokens.windows(3).filter(|part| acts(part)).count()
}

/// The next token, as SQLite's own tokenizer cuts them. Names in quotes are words without them; so is text, which SQLite takes for a name where one
/// must stand.
fn next(text: &[u8], at: &mut usize) -> Result<Option<Token>, SqlError> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80;
    while let Some(&first) = text.get(*at) {
        let rest = &text[*at..];
        let (length, token) = match first {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c => (1, None),
            b'-' if rest.starts_with(b"--") => (rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()), None),
            b'/' if rest.starts_with(b"/*") && rest.len() > 2 => {
                (rest[2..].windows(2).position(|pair| pair == b"*/").map_or(rest.len(), |end| end + 4), None)
            }
            b'\'' | b'"' | b'`' => {
                let (length, word) = quoted(rest, first);
                (length, Some(Token::Word(word)))
            }
            b'[' => {
                let end = rest.iter().position(|b| *b == b']').unwrap_or(rest.len() - 1);
                (end + 1, Some(Token::Word(lower(&rest[1..end.max(1)]))))
            }
            b'(' => (1, Some(Token::Open)),
            b')' => (1, Some(Token::Close)),
            b';' => (1, Some(Token::End)),
            b'.' => (1, Some(Token::Dot)),
            b'$' | b'@' | b':' | b'#' => {
                let length = 1 + rest[1..].iter().take_while(|b| is_part(**b) || **b == b':').count();
                if length > 1 && rest.get(length) == Some(&b'(') {
                    let message = "a parameter's name has a parenthesis in it";
                    return Err(SqlError::refused(message, "name parameters with letters, digits and _"));
                }
                (length, Some(Token::Other))
            }
            _ if is_part(first) => {
                let length = rest.iter().take_while(|b| is_part(**b)).count();
                (length, Some(Token::Word(lower(&rest[..length]))))
            }
            _ => (1, Some(Token::Other)),
        };
        *at += length;
        if token.is_some() {
            return Ok(token);
        }
    }
    Ok(None)
}

/// Text in quotes, and its length with them; a quote within is written twice.
fn quoted(rest: &[u8], quote: u8) -> (usize, String) {
    let mut inner = Vec::new();
    let mut at = 1;
    while let Some(&byte) = rest.get(at) {
        at += 1;
        if byte == quote {
            if rest.get(at) != Some(&quote) {
                break;
            }
            at += 1;
        }
        inner.push(byte);
    }
    (at, lower(&inner))
}

/// SQLite compares names without case, of ASCII letters only.
fn lower(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).to_ascii_lowercase()
}
