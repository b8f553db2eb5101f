//! What a text denies: the clauses of a text, and the negations in them.
//!
//! A clause is what stands between `.` `;` `:` `!` `?`, a comma, a dash, the end of a line, and [`TURNS`], the words that turn to something else. What
//! stands between two digits or within a value ends none, nor does a comma behind a weekday. What is denied has a negation before it in its clause, or a
//! verb with one right behind it ("6.4.0 is not live"). A negation in brackets says nothing about what stands behind them.
//!
//! Invariants: whatever has any negation before it in its clause is denied; it is excused only where nothing turns the negation round. So a text
//! that is hard to read counts against whoever wrote it. Linear in the text's length.
//! Absent on purpose: negations in other languages, and those without a word for them ("I doubt it").

use std::ops::Range;

use crate::months::is_weekday;

/// Words that begin a clause, but not right behind a negation ("not so sure").
const TURNS: &[&str] = &["but", "and", "so", "because", "while", "however", "although", "whereas"];
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "neither", "nor", "none", "nothing", "nobody", "nowhere", "cannot", "without", "hardly",
    "unlikely", "aint", "arent", "cant", "couldnt", "didnt", "doesnt", "dont", "hasnt", "havent", "isnt", "shouldnt",
    "wasnt", "werent", "wont", "wouldnt",
];
/// Negations of two words.
const PAIRS: &[(&str, &str)] = &[("instead", "of"), ("rather", "than")];
/// Words beside a negation with which it may mean the opposite, or something else: "not only", "no doubt", "no later than", "no problem".
const TWISTS: &[&str] = &[
    "only",
    "just",
    "merely",
    "simply",
    "alone",
    "doubt",
    "doubts",
    "question",
    "questions",
    "deny",
    "denied",
    "exclude",
    "excluded",
    "wonder",
    "surprise",
    "later",
    "earlier",
    "sooner",
    "before",
    "until",
    "till",
    "unless",
    "except",
    "other",
    "else",
    "less",
    "more",
    "fewer",
    "least",
    "different",
    "why",
    "problem",
    "problems",
    "worry",
    "worries",
    "matter",
    "wrong",
    "false",
    "mistake",
    "hesitate",
    "forget",
    "miss",
    "help",
    "idea",
    "secret",
    "wait",
];
/// Verbs that a negation may follow.
const VERBS: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "had", "does", "do", "did", "will", "would", "can", "could", "should",
    "may", "must",
];
/// What says that something is not so, behind a verb and a negation. "14 December is not a problem" says that it is.
const FALLS_SHORT: &[&str] = &[
    "allowed",
    "available",
    "correct",
    "deployed",
    "enough",
    "live",
    "longer",
    "open",
    "possible",
    "ready",
    "released",
    "right",
    "running",
    "true",
    "valid",
    "yet",
];
/// Words between a negation and what it plainly denies.
const REACH: usize = 6;

/// A word, and what stands before it in its clause.
#[derive(Clone, Copy, Default)]
struct Mark {
    start: usize,
    clause: usize,
    sentence: usize,
    before: Before,
    is_negation: bool,
    is_verb: bool,
    /// A negation that is a verb, too: `isn't`.
    is_both: bool,
    falls_short: bool,
}

/// The negations of a clause up to a word.
#[derive(Clone, Copy, Default)]
struct Before {
    negations: usize,
    /// Words since the last of them.
    words: usize,
    is_twisted: bool,
}

enum Piece<'t> {
    Word(Range<usize>, &'t str),
    End(char),
    Open,
    Close,
}

/// The clauses of a text.
pub(crate) struct Clauses {
    marks: Vec<Mark>,
    /// Of each sentence, whether it is a question.
    questions: Vec<bool>,
}

impl Clauses {
    /// Those of a text in small letters, whose values stand at these places.
    pub(crate) fn new(text: &str, values: &[Range<usize>]) -> Self {
        let covered = covered(text, values);
        let pieces = pieces(text, &covered);
        let (mut marks, mut questions) = (Vec::new(), Vec::new());
        let (mut before, mut clause, mut outside) = (Before::default(), 0, Vec::new());
        let mut inside = covered.iter().peekable();
        let mut last = "";
        for piece in pieces {
            match piece {
                Piece::Open => outside.push(before),
                Piece::Close => before = outside.pop().unwrap_or(before),
                Piece::End(',' | '.') if is_weekday(last) => {}
                Piece::End(c) => {
                    (before, clause, last) = (Before::default(), clause + 1, "");
                    if matches!(c, '.' | '!' | '?' | '\n') {
                        questions.push(c == '?');
                    }
                }
                Piece::Word(place, word) => {
                    while inside.next_if(|range| range.end <= place.start).is_some() {}
                    let is_inside = inside.peek().is_some_and(|range| range.contains(&place.start));
                    let here =
                        Mark { start: place.start, clause, sentence: questions.len(), before, ..Mark::default() };
                    let mark = mark(word, last, here);
                    marks.push(mark);
                    if TURNS.contains(&word) && !is_inside && !is_negation(last) {
                        (before, clause) = (Before::default(), clause + 1);
                    } else if mark.is_negation {
                        before = Before { negations: before.negations + 1, words: 0, ..before };
                    } else {
                        before.words += 1;
                    }
                    before.is_twisted |= TWISTS.contains(&word);
                    last = word;
                }
            }
        }
        marks.push(Mark { start: text.len(), clause, sentence: questions.len(), before, ..Mark::default() });
        questions.push(false);
        Self { marks, questions }
    }

    /// Whether what stands at a place may be denied. What begins with a negation is one itself, in whatever company.
    pub(crate) fn denies(&self, place: &Range<usize>) -> bool {
        let mark = self.at(place.start);
        !mark.is_negation && (mark.before.negations > 0 || self.behind(place).is_some())
    }

    /// Whether what stands at a place is plainly denied: by one negation close before it, or one right behind it, and not in a question.
    pub(crate) fn excuses(&self, place: &Range<usize>) -> bool {
        let mark = self.at(place.start);
        let Before { negations, words, is_twisted } = mark.before;
        let falls_short =
            || self.behind(place).and_then(|next| self.marks.get(next)).is_some_and(|next| next.falls_short);
        let is_plain = match negations {
            0 => falls_short(),
            1 => words <= REACH,
            _ => false,
        };
        is_plain && !is_twisted && !self.is_asked(mark.sentence)
    }

    /// The number of the sentence of what begins at a place.
    pub(crate) fn sentence(&self, start: usize) -> usize {
        self.at(start).sentence
    }

    /// Whether a sentence is a question.
    pub(crate) fn is_asked(&self, sentence: usize) -> bool {
        self.questions.get(sentence).is_some_and(|is_question| *is_question)
    }

    /// The word at a place, or the next one.
    fn at(&self, start: usize) -> Mark {
        let index = self.marks.partition_point(|mark| mark.start < start);
        self.marks.get(index).or(self.marks.last()).copied().unwrap_or_default()
    }

    /// The word after a negation that follows what stands at a place, with its verb.
    fn behind(&self, place: &Range<usize>) -> Option<usize> {
        let clause = self.at(place.start).clause;
        let index = self.marks.partition_point(|mark| mark.start < place.end);
        let is_here = |index: usize| self.marks.get(index).filter(|mark| mark.clause == clause);
        let next = is_here(index)?;
        if next.is_both {
            return Some(index + 1);
        }
        (next.is_verb && is_here(index + 1).is_some_and(|mark| mark.is_negation)).then_some(index + 2)
    }
}

/// What a word is, behind `last`.
fn mark(word: &str, last: &str, mark: Mark) -> Mark {
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return mark;
    }
    let is_contracted = word.ends_with("n't") || word == "cannot" || word == "never";
    let is_flat = word.ends_with("nt") && NEGATIONS.contains(&word);
    Mark {
        is_negation: is_negation(word) || PAIRS.contains(&(last, word)),
        is_verb: VERBS.contains(&word),
        is_both: is_contracted || is_flat,
        falls_short: FALLS_SHORT.contains(&word),
        ..mark
    }
}

fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word) || word.ends_with("n't")
}

/// The places of values in order, those that touch or that "and" joins as one.
fn covered(text: &str, values: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut values = values.to_vec();
    values.sort_by_key(|range| (range.start, range.end));
    let mut all: Vec<Range<usize>> = Vec::new();
    for range in values {
        match all.last_mut() {
            Some(last) if range.start <= last.end || text[last.end..range.start].trim() == "and" => {
                last.end = last.end.max(range.end);
            }
            _ => all.push(range),
        }
    }
    all
}

/// The words of a text and what ends clauses.
fn pieces<'t>(text: &'t str, covered: &[Range<usize>]) -> Vec<Piece<'t>> {
    let mut all = Vec::new();
    let mut covered = covered.iter().peekable();
    let mut begin = None;
    let mut last = ' ';
    let mut rest = text.char_indices().peekable();
    while let Some((index, c)) = rest.next() {
        while covered.next_if(|range| range.end <= index).is_some() {}
        let is_covered = covered.peek().is_some_and(|range| range.contains(&index));
        let next = rest.peek().map_or(' ', |(_, next)| *next);
        if c.is_alphanumeric() || c == '\'' && begin.is_some() && next.is_alphanumeric() {
            begin.get_or_insert(index);
        } else {
            all.extend(begin.take().map(|begin: usize| Piece::Word(begin..index, &text[begin..index])));
            let between = last.is_ascii_digit() && next.is_ascii_digit();
            match c {
                '(' => all.push(Piece::Open),
                ')' => all.push(Piece::Close),
                _ if is_covered => {}
                '.' | ',' | ':' if between => {}
                '-' if last == ' ' && next == ' ' => all.push(Piece::End(c)),
                '.' | ',' | ':' | ';' | '!' | '?' | '\n' | crate::fold::DASH => all.push(Piece::End(c)),
                _ => {}
            }
        }
        last = c;
    }
    all.extend(begin.map(|begin| Piece::Word(begin..text.len(), &text[begin..])));
    all
}
