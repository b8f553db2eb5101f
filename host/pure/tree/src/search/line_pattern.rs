//! A regular expression that matches within a line or not at all.
//!
//! The pattern is changed so that nothing in it can match a line end and every anchor is one of lines. Then many lines can be searched
//! in one pass, and what is found is what searching them one by one would find.
//!
//! Two engines search. The fast one follows all possibilities at once and remembers what it has seen; it gives up where a pattern has too
//! many of them, and at letters beyond ASCII if the pattern asks for the edges of words. Then the slow one searches that line, at a price
//! for each byte and each state of the pattern, which is as many steps as it can take.

use super::{CLASS_PRICE, CLASSES_MAX, Meter, PATTERN_BYTE_PRICE, PATTERN_BYTES_MAX, SearchError, check_length, pay};
use regex_automata::hybrid::dfa::{Cache as FastCache, DFA};
use regex_automata::nfa::thompson::pikevm::{Cache as SlowCache, PikeVM};
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::util::prefilter::Prefilter;
use regex_automata::{Input, MatchErrorKind, MatchKind};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition,
};

/// Memory of a compiled pattern.
const COMPILED_BYTES_MAX: usize = 2 << 20;
/// Memory of what the fast engine remembers.
const REMEMBERED_BYTES_MAX: usize = 4 << 20;
/// How often it may forget everything before it gives up. Each time costs as much as filling that memory: milliseconds.
const FORGETS_MAX: usize = 4;
/// How often it may give up before it is left alone, and what each time costs.
const GIVES_UP_MAX: u32 = 3;
const GIVE_UP_PRICE: u64 = 100_000_000;
/// Price of a search of the fast engine, besides that of the bytes.
const SEARCH_PRICE: u64 = 50;
/// Price of the slow engine for each byte and state.
const STEP_PRICE: u64 = 2;

/// A compiled pattern and what its engines remember.
pub(super) struct LinePattern {
    fast: Option<Fast>,
    slow: PikeVM,
    slow_cache: SlowCache,
    states: u64,
    gave_up: u32,
}

struct Fast {
    dfa: DFA,
    cache: FastCache,
}

/// What the fast engine says.
enum Found {
    At(usize),
    Nothing,
    /// It cannot tell, here.
    Unknown {
        offset: usize,
        gave_up: bool,
    },
}

impl LinePattern {
    /// Reads a pattern; a literal one means itself.
    pub(super) fn compile(
        pattern: &str,
        literal: bool,
        ignore_case: bool,
        meter: &mut dyn Meter,
    ) -> Result<Self, SearchError> {
        check_length(pattern, PATTERN_BYTES_MAX)?;
        let classes = if literal { 0 } else { classes(pattern) };
        if classes > CLASSES_MAX {
            let message = format!("it has {classes} brackets and classes such as \\w, at most {CLASSES_MAX}");
            return Err(SearchError::Pattern(message));
        }
        pay(meter, pattern.len() as u64 * PATTERN_BYTE_PRICE + classes as u64 * CLASS_PRICE)?;
        let escaped = if literal { regex_syntax::escape(pattern) } else { pattern.to_owned() };
        let hir = ParserBuilder::new()
            .utf8(false)
            .multi_line(true)
            .case_insensitive(ignore_case)
            .build()
            .parse(&escaped)
            .map_err(|error| SearchError::Pattern(error.to_string()))?;
        let hir = within_line(hir);
        let too_large = |error: &dyn std::fmt::Display| SearchError::Pattern(format!("it is too large: {error}"));
        let config = thompson::Config::new()
            .utf8(false)
            .nfa_size_limit(Some(COMPILED_BYTES_MAX))
            .which_captures(WhichCaptures::None);
        let nfa =
            thompson::Compiler::new().configure(config).build_from_hir(&hir).map_err(|error| too_large(&error))?;
        let (states, fast) = (nfa.states().len() as u64, Fast::new(nfa.clone(), &hir));
        let slow = PikeVM::new_from_nfa(nfa).map_err(|error| too_large(&error))?;
        let slow_cache = slow.create_cache();
        Ok(Self { fast, slow, slow_cache, states, gave_up: 0 })
    }

    /// A place in the first line of `text` that matches, of those from `at` on, where a line begins. The bytes have been paid for as far as
    /// the fast engine goes.
    pub(super) fn find(
        &mut self,
        text: &[u8],
        mut at: usize,
        meter: &mut dyn Meter,
    ) -> Result<Option<usize>, SearchError> {
        while at < text.len() {
            pay(meter, SEARCH_PRICE)?;
            let start = match self.fast.as_mut().map(|fast| fast.find(text, at)) {
                Some(Found::At(offset)) => return Ok(Some(offset)),
                Some(Found::Nothing) => return Ok(None),
                Some(Found::Unknown { offset, gave_up }) => {
                    if gave_up {
                        self.give_up(meter)?;
                    }
                    text[at..offset].iter().rposition(|byte| *byte == b'\n').map_or(at, |end| at + end + 1)
                }
                None => at,
            };
            let end = text[start..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| start + end);
            pay(meter, (end - start + 1) as u64 * self.states * STEP_PRICE)?;
            if self.slow.is_match(&mut self.slow_cache, Input::new(text).span(start..end).earliest(true)) {
                return Ok(Some(start));
            }
            at = end + 1;
        }
        Ok(None)
    }

    fn give_up(&mut self, meter: &mut dyn Meter) -> Result<(), SearchError> {
        self.gave_up += 1;
        if self.gave_up >= GIVES_UP_MAX {
            self.fast = None;
        }
        pay(meter, GIVE_UP_PRICE)
    }
}

impl Fast {
    /// None if the engine cannot have such a pattern.
    fn new(nfa: NFA, hir: &Hir) -> Option<Self> {
        let config = DFA::config()
            .prefilter(Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, hir))
            .unicode_word_boundary(true)
            .cache_capacity(REMEMBERED_BYTES_MAX)
            .minimum_cache_clear_count(Some(FORGETS_MAX));
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).ok()?;
        Some(Self { cache: dfa.create_cache(), dfa })
    }

    fn find(&mut self, text: &[u8], at: usize) -> Found {
        let input = Input::new(text).span(at..text.len()).earliest(true);
        let (offset, gave_up) = match self.dfa.try_search_fwd(&mut self.cache, &input) {
            Ok(Some(found)) => return Found::At(found.offset()),
            Ok(None) => return Found::Nothing,
            Err(error) => match *error.kind() {
                MatchErrorKind::Quit { offset, .. } => (offset, false),
                MatchErrorKind::GaveUp { offset } => (offset, true),
                // What only searches of other kinds say.
                _ => (at, true),
            },
        };
        if gave_up {
            self.dfa.reset_cache(&mut self.cache);
        }
        Found::Unknown { offset: offset.clamp(at, text.len()), gave_up }
    }
}

/// How many classes a pattern has at most; an escaped bracket counts as well.
fn classes(pattern: &str) -> usize {
    let named = pattern.as_bytes().windows(2).filter(|pair| pair[0] == b'\\' && b"wWdDsSpPbB".contains(&pair[1]));
    named.count() + pattern.matches('[').count()
}

/// The parser limits how deep patterns nest, and so how deep this goes.
fn within_line(hir: Hir) -> Hir {
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => Hir::fail(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(Class::Unicode(mut class)) => {
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(mut class)) => {
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Look(Look::Start) => Hir::look(Look::StartLF),
        HirKind::Look(Look::End) => Hir::look(Look::EndLF),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(repetition) => {
            let sub = Box::new(within_line(*repetition.sub));
            Hir::repetition(Repetition { sub, ..repetition })
        }
        HirKind::Capture(capture) => within_line(*capture.sub),
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(within_line).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.into_iter().map(within_line).collect()),
    }
}
