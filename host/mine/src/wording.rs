//! The bug report, from the message of the commit that mends the bug, without what gives the mending away.
//!
//! Invariant: what is taken from a message passes [`Secrets::first_in`]: no name and no line that only the fix adds is in it, whatever the message says.

use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;

use crate::secrets::{Secrets, names};

/// Bytes of a message that are read.
const MESSAGE_BYTES_MAX: usize = 64 << 10;
/// Bytes of a report.
const REPORT_BYTES_MAX: usize = 2_000;
/// Paragraphs of a message that are taken, its first line included: what follows tells how.
const PARAGRAPHS_MAX: usize = 3;
/// Words without which a sentence says nothing.
const WORDS_MIN: usize = 3;
/// Tests that are named where there is no description.
const TOPICS_MAX: usize = 6;

type Pattern = LazyLock<Regex>;

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("patterns are constants, and a test compiles each")
}

/// Lines at the end of a message that say who and where, by their form: `Signed-off-by: …`, `Fixes #12`.
static TRAILER: Pattern = LazyLock::new(|| {
    pattern(
        r"(?i)^\s*(?:[a-z][a-z-]*-(?:by|to|id|url|from|link):|(?:refs?|see|closes|fixes|resolves|fixed|closed|bug|issue|link|reviewed|cc|change-id|git-svn-id)\s*:|(?:closes|fixes|fixed|resolves|refs?|see|part of)\s+(?:issue\s+)?(?:#|gh-|https?:)|\(cherry picked|this reverts commit|conflicts:)",
    )
});
/// `fix(parser)!: `.
static CONVENTION: Pattern = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:fix|feat|feature|bug|bugfix|hotfix|chore|docs?|tests?|refactor|perf|style|ci|build)(?:\([^)]*\))?!?:\s*",
    )
});
/// References, addresses, hashes, files.
static REFERENCES: Pattern = LazyLock::new(|| {
    pattern(
        r"(?ix)
        https?://\S+ | \b[\w.+-]+@[\w-]+\.[\w.]+ | [\w.-]+/[\w.-]+\#\d+ | \bgh-\d+ | (?:issue|pr|bug|ticket)?\s*\#\d+
        | \b[0-9a-f]{7,64}\b
        | (?:[\w.-]*/)*[\w-]+\.(?:pyx?|pyi|md|rst|txt|toml|cfg|ini|json|ya?ml|jsx?|tsx?|go|rs|java|c|h|cc|cpp|hpp|rb|php|sh|html|css|lock)\b(?::\d+)?
        | (?:[\w.-]+/){2,}[\w.-]*
        ",
    )
});
/// What says how it is mended, to the end of its sentence.
static HOW: Pattern = LazyLock::new(|| {
    pattern(r"(?i)[,;]?\s+(?:by\s+\w+ing|using|via|instead\s+of|in\s+favou?r\s+of|so\s+that\s+we|rather\s+than)\b.*$")
});
/// Sentences of a message's body that begin like this say what was done to the code.
static DONE: Pattern = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:[-*+]\s*)?(?:also\s+|now\s+|we\s+(?:now\s+)?|this\s+(?:commit|change|patch|pr)\b|the\s+fix\b|i\s+)?(?:uses?|using|replaced?s?|switch(?:ed|es)?|refactor\w*|renam\w+|mov(?:e|ed|es)|extract\w*|bump\w*|revert\w*|introduc\w+|implement\w*|add(?:s|ed)?|remov\w+|delet\w+|chang\w+|updat\w+|this\s+(?:commit|change|patch|pr)|the\s+fix|mak(?:e|es|ing))\b",
    )
});
/// Sentences like this say what was put in the place of what, titles too.
static SWAP: Pattern = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:uses?|using|replaced?s?|switch(?:ed|es)?|renam\w+|mov(?:e|ed|es)|chang\w+|revert\w*)\b|[<>=!+*/-]=|\s[<>=]\s",
    )
});
/// A name or a call between backquotes.
static NAME: Pattern = LazyLock::new(|| pattern(r"^[A-Za-z_][\w.]*(?:\(\))?$"));

/// Words that say nothing of a bug.
const EMPTY_WORDS: [&str; 40] = [
    "fix", "fixes", "fixed", "fixing", "bug", "bugs", "bugfix", "issue", "issues", "error", "errors", "test", "tests",
    "testing", "update", "updates", "updated", "typo", "wip", "cleanup", "clean", "refactor", "version", "bump",
    "release", "code", "some", "more", "for", "and", "the", "add", "added", "adds", "minor", "small", "changes",
    "change", "misc", "review",
];

/// What a message says of the bug, as sentences; none where nothing of use is left.
pub(crate) fn described(message: &str, secrets: &Secrets) -> Option<String> {
    let mut paragraphs = Vec::new();
    for (index, paragraph) in paragraphs_of(message).into_iter().take(PARAGRAPHS_MAX).enumerate() {
        let sentences: Vec<String> =
            sentences_of(&paragraph).into_iter().filter_map(|sentence| told(&sentence, index == 0, secrets)).collect();
        let is_useful = sentences.iter().any(|sentence| says_something(sentence));
        if is_useful {
            paragraphs.push(sentences.join(" "));
        } else if index == 0 && paragraphs.is_empty() {
            // Without its first line a message is about something else.
            continue;
        }
    }
    // Each sentence passed; together they might still spell a line.
    while secrets.first_in(&paragraphs.join("\n\n")).is_some() {
        paragraphs.pop();
    }
    let mut text = paragraphs.join("\n\n");
    while text.len() > REPORT_BYTES_MAX && paragraphs.len() > 1 {
        paragraphs.pop();
        text = paragraphs.join("\n\n");
    }
    (!text.is_empty() && text.len() <= REPORT_BYTES_MAX).then_some(text)
}

/// The paragraphs of a message, without code, trailers and the first line of a merge.
fn paragraphs_of(message: &str) -> Vec<String> {
    let mut end = message.len().min(MESSAGE_BYTES_MAX);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    let mut paragraphs = vec![String::new()];
    let mut is_fenced = false;
    for (number, line) in message[..end].trim_start().lines().enumerate() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            is_fenced = !is_fenced;
            continue;
        }
        let is_merge = number == 0 && line.starts_with("Merge ");
        let is_code = line.starts_with("    ")
            || line.starts_with('\t')
            || [">>>", "$ ", "diff --git", "@@ ", "+++ ", "--- ", "Traceback "]
                .iter()
                .any(|mark| line.trim_start().starts_with(mark));
        let is_cut = is_fenced || is_merge || is_code || TRAILER.is_match(line);
        if line.trim().is_empty() || is_cut || line.trim_start().starts_with(['-', '*', '+']) {
            paragraphs.push(String::new());
        }
        // The first line is a paragraph of its own, whatever follows it.
        if !is_cut && let Some(last) = paragraphs.last_mut() {
            let gap = if last.is_empty() { "" } else { " " };
            let _ = write!(last, "{gap}{}", line.trim());
        }
        if number == 0 {
            paragraphs.push(String::new());
        }
    }
    paragraphs.retain(|paragraph| !paragraph.trim().is_empty());
    paragraphs
}

fn sentences_of(paragraph: &str) -> Vec<String> {
    let mut sentences = vec![String::new()];
    let mut words = paragraph.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if let Some(last) = sentences.last_mut() {
            let gap = if last.is_empty() { "" } else { " " };
            let _ = write!(last, "{gap}{word}");
        }
        if word.ends_with(['.', '!', '?']) && words.peek().is_some_and(|next| next.starts_with(char::is_uppercase)) {
            sentences.push(String::new());
        }
    }
    sentences
}

/// A sentence without what does not belong into a report; none where it gives the fix away or nothing is left of it.
fn told(sentence: &str, is_title: bool, secrets: &Secrets) -> Option<String> {
    // Names are looked for in the sentence as it was: a reference may hide one.
    if secrets.first_in(sentence).is_some() || !is_title && DONE.is_match(sentence) {
        return None;
    }
    let text = if is_title { CONVENTION.replace(sentence, "") } else { sentence.into() };
    let text = REFERENCES.replace_all(&text, "");
    let text = without_code(&text);
    if SWAP.is_match(&text) {
        return None;
    }
    let text = HOW.replace(&text, "");
    let text = text.replace("()", "\u{1}").replace("( )", "");
    let text = text.replace("(,", "(").replace('\u{1}', "()");
    let empty_brackets = text.split_whitespace().filter(|word| !matches!(*word, "()" | "[]" | "," | "(" | ")" | ";"));
    let text = empty_brackets.collect::<Vec<_>>().join(" ");
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*' | ',' | ';' | ':'));
    if text.is_empty() || text.chars().any(char::is_control) || secrets.first_in(text).is_some() {
        return None;
    }
    if !is_title && names(text).count() < 2 {
        return None;
    }
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    Some(format!("{text}{end}"))
}

/// Without what stands between backquotes, unless it is a name.
fn without_code(text: &str) -> String {
    let text = text.replace("``", "`");
    let mut kept = String::new();
    for (index, part) in text.split('`').enumerate() {
        if index % 2 == 0 {
            kept.push_str(part);
        } else if NAME.is_match(part) {
            let _ = write!(kept, "`{part}`");
        }
    }
    kept
}

fn says_something(sentence: &str) -> bool {
    let words = names(sentence).filter(|word| !EMPTY_WORDS.contains(&word.to_lowercase().as_str()));
    words.count() >= WORDS_MIN
}

/// What the tests that fail are about, from their names.
fn topics(fail_to_pass: &[String], secrets: &Secrets) -> Vec<String> {
    let mut topics: Vec<String> = Vec::new();
    for id in fail_to_pass {
        let name = id.split('[').next().unwrap_or(id);
        let mut parts = name.rsplit("::");
        let test = parts.next().unwrap_or_default().trim_start_matches("test_").trim_start_matches("test");
        let words = test.replace(['_', '.'], " ");
        let topic = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_plain = topic.chars().all(|c| c.is_alphanumeric() || c == ' ') && topic.len() <= 100;
        if !topic.is_empty()
            && is_plain
            && !topics.contains(&topic)
            && [topic.as_str(), test].into_iter().all(|text| secrets.first_in(text).is_none())
        {
            topics.push(topic);
        }
    }
    topics.truncate(TOPICS_MAX);
    topics
}

/// The whole of `problem.md`.
pub(crate) fn problem(repository: &str, described: Option<&str>, fail_to_pass: &[String], secrets: &Secrets) -> String {
    if let Some(text) = described {
        let quoted: Vec<String> =
            text.lines().map(|line| if line.is_empty() { ">".to_owned() } else { format!("> {line}") }).collect();
        return format!(
            "Something in `{repository}` does not work as it should. The change that mends it was described like this; how it was done is left out:\n\n{}\n\n\
             Find the cause and mend it. Existing behaviour that is right must stay as it is.\n",
            quoted.join("\n")
        );
    }
    let topics = topics(fail_to_pass, secrets);
    let about = if topics.is_empty() {
        String::new()
    } else {
        format!(" What is wrong has to do with: {}.", topics.join("; "))
    };
    format!(
        "Something in `{repository}` does not work as it should. No description of the bug was given.{about}\n\n\
         Find the cause and mend it. Existing behaviour that is right must stay as it is.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_model::Time;
    use assay_tree::{Limits, Tree, patch};
    use proptest::prelude::*;

    fn secrets(added: &str) -> Secrets {
        let tree = |text: &str| {
            let mut tree = Tree::new(Limits { bytes_max: 1 << 20, inodes_max: 10 });
            tree.put(b"a.py", text.as_bytes().into(), Time::default()).unwrap();
            tree
        };
        let base = tree("def parse(text):\n    return text\n");
        let fix = patch::diff(&base, &tree(&format!("def parse(text):\n{added}\n    return text\n"))).unwrap();
        Secrets::of(std::str::from_utf8(&fix).unwrap(), &base)
    }

    #[test]
    fn every_pattern_compiles() {
        for pattern in [&TRAILER, &CONVENTION, &REFERENCES, &HOW, &DONE, &SWAP, &NAME] {
            assert!(!pattern.as_str().is_empty());
        }
    }

    #[test]
    fn a_message_becomes_a_report() {
        let secrets = secrets("    stripped_text = text.strip()");
        for (message, report) in [
            ("Raise in parse when length is invalid (#603)\n", Some("Raise in parse when length is invalid.")),
            ("fix(parser)!: handle empty lines in tables, closes #12\n", Some("handle empty lines in tables, closes.")),
            ("Fix crash on empty input by returning early", Some("Fix crash on empty input.")),
            (
                "Fix crash in `parse` of `a = b + 1` lines, see src/a/parser.py:12",
                Some("Fix crash in `parse` of lines, see."),
            ),
            (
                "Parsing of blank lines fails\n\nA blank line raises a TypeError. Use stripped_text now.\nWe now use another way.\n\n    code\n\nSigned-off-by: A B <a@b.c>\n",
                Some("Parsing of blank lines fails.\n\nA blank line raises a TypeError."),
            ),
            (
                "Merge pull request #1 from a/fix-blank\n\nBlank lines raise an error",
                Some("Blank lines raise an error."),
            ),
            ("Fix bug", None),
            ("Replace < with <= in range check", None),
            ("Use floor division instead of round", None),
            ("fix: `n` should be compared with x >= 0 in ranges", None),
            ("WIP", None),
            ("", None),
            ("Set stripped_text to what it should always have been", None),
            ("\u{1b}[31mred alert for everybody here", None),
            ("```\nall of this is code\n```", None),
        ] {
            assert_eq!(described(message, &secrets).as_deref(), report, "{message}");
        }
    }

    #[test]
    fn without_a_description_the_tests_say_what_it_is_about() {
        let ids = ["tests/test_a.py::TestA::test_empty_lines[1-2]", "tests/test_a.py::test_stripped_text", "x"]
            .map(str::to_owned);
        let text = problem("toolz", None, &ids, &secrets("    stripped_text = 1"));
        assert!(text.contains("No description") && text.contains("empty lines; "), "{text}");
        let text = problem("toolz", Some("One.\n\nTwo."), &ids, &Secrets::default());
        assert!(text.contains("> One.\n>\n> Two.") && !text.contains("No description"), "{text}");
    }

    proptest! {
        /// Whatever a message is made of, no line and no name of the fix is in the report.
        #[test]
        fn nothing_of_the_fix_is_in_the_report(
            pieces in prop::collection::vec(
                prop_oneof![
                    Just("stripped_text".to_owned()), Just("    stripped_text = text.strip()".to_owned()),
                    Just("stripped_text = text.strip()".to_owned()), Just("if not text.strip(): raise".to_owned()),
                    Just("`stripped_text`".to_owned()), Just("STRIPPED_TEXT".to_owned()), Just("\n\n".to_owned()), Just(". ".to_owned()),
                    Just("Blank lines raise an error".to_owned()), Just("#12".to_owned()), Just("if not".to_owned()), Just("text.strip():".to_owned()),
                    "[ -~\n]{0,40}",
                ],
                0..14,
            ),
            joint in prop_oneof![Just(" "), Just(""), Just("\n")],
        ) {
            let secrets = secrets("    stripped_text = text.strip()\n    if not text.strip(): raise");
            if let Some(report) = described(&pieces.join(joint), &secrets) {
                let folded = report.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
                for word in names(&report) {
                    prop_assert!(!word.eq_ignore_ascii_case("stripped_text") && !word.eq_ignore_ascii_case("strip"), "{report}");
                }
                for line in ["stripped_text = text.strip()", "if not text.strip(): raise"] {
                    prop_assert!(!folded.contains(line), "{report}");
                }
            }
        }
    }
}
