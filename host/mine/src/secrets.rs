//! What only the fix brings: names and lines that no bug report may show.
//!
//! Invariant: a text that [`Secrets::first_in`] finds nothing in holds no name and no line that the fix adds and the repository does not have.

use std::collections::BTreeSet;

use assay_grade::patch::touched_files;
use assay_tree::Tree;

/// Letters of a name below which it says nothing: `i`, `x1`.
const NAME_MIN: usize = 3;
/// Bytes of a line below which it says nothing: `else:`.
const LINE_MIN: usize = 8;
/// Bytes of a file that is looked through for names: generated data is larger.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// See the module documentation.
#[derive(Clone, Default, Debug)]
pub(crate) struct Secrets {
    /// In lower case.
    names: BTreeSet<String>,
    /// Without the spaces around them, in lower case.
    lines: BTreeSet<String>,
    /// Those of the names that the fix defines, as they are spelt.
    defined: BTreeSet<String>,
}

impl Secrets {
    /// What `fix` (a patch against `base`) adds.
    pub(crate) fn of(fix: &str, base: &Tree) -> Self {
        let mut secrets = Self::default();
        for file in touched_files(fix) {
            let mut text = Quoted::default();
            for line in file.added_lines {
                let trimmed = line.trim();
                if trimmed.len() >= LINE_MIN && trimmed.chars().any(char::is_alphanumeric) {
                    secrets.lines.insert(quotable(trimmed));
                }
                let code = text.without(line);
                // A patch may begin within a text in quotation marks, and then what follows it looks quoted: a definition counts in either reading.
                for code in [&code, &Quoted::default().without(line)] {
                    let defined = defined(code);
                    secrets.names.extend(defined.iter().map(|name| name.to_lowercase()));
                    secrets.defined.extend(defined);
                }
                secrets.names.extend(names(&code).map(str::to_lowercase));
                // In words for people too, what is spelt as a name is one.
                secrets.names.extend(names(line).filter(|name| is_spelt_as_name(name)).map(str::to_lowercase));
            }
        }
        secrets.forget(base);
        secrets
    }

    /// What the repository has is no secret.
    fn forget(&mut self, base: &Tree) {
        let Ok(walk) = base.walk(b"/") else { return };
        for (path, stat) in walk {
            if !stat.kind.is_file() || stat.size > FILE_BYTES_MAX {
                continue;
            }
            let Ok(bytes) = base.read_all(&path) else { continue };
            let Ok(text) = std::str::from_utf8(&bytes) else { continue };
            for line in text.lines() {
                if !self.lines.is_empty() {
                    self.lines.remove(&quotable(line.trim()));
                }
                for name in names(line) {
                    if self.names.remove(&name.to_lowercase()) {
                        self.defined.retain(|defined| !defined.eq_ignore_ascii_case(name));
                    }
                }
            }
        }
        let names = &self.names;
        self.defined.retain(|name| names.contains(&name.to_lowercase()));
    }

    /// The first name or line of the fix that a text shows.
    pub(crate) fn first_in(&self, text: &str) -> Option<String> {
        let shown = names(text).find(|name| self.names.contains(&name.to_lowercase()));
        shown.map(str::to_owned).or_else(|| {
            let text = folded(text);
            self.lines.iter().find(|line| text.contains(line.as_str())).cloned()
        })
    }

    /// The first name that the fix defines and the tests use: whoever does not know it cannot pass them.
    pub(crate) fn needed_by(&self, tests: &str) -> Option<String> {
        let mut own: BTreeSet<String> = BTreeSet::new();
        let mut used = Vec::new();
        for file in touched_files(tests) {
            let mut text = Quoted::default();
            for line in file.added_lines {
                let code = text.without(line);
                own.extend(defined(&code));
                used.extend([code, Quoted::default().without(line)]);
            }
        }
        let of_fix = |name: &&str| self.defined.contains(*name) && !own.contains(*name);
        used.iter().find_map(|code| uses(code).find(of_fix).map(str::to_owned))
    }
}

/// In lower case, with single spaces.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// A line as people quote it: without the marks that end it.
fn quotable(line: &str) -> String {
    folded(line.trim_end_matches([' ', ':', ';', ',', '{', '\\']))
}

/// What could be a name in a program.
pub(crate) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| word.len() >= NAME_MIN && !word.starts_with(|c: char| c.is_ascii_digit()))
}

/// `snake_case`, `camelCase`, `name2`: no word of a sentence.
fn is_spelt_as_name(word: &str) -> bool {
    word.trim_matches('_').contains('_')
        || word.chars().any(|c| c.is_ascii_digit())
        || word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase)
}

/// Takes comments and quoted text out of lines that follow each other, as far as that can be told from some lines of a file.
#[derive(Default)]
struct Quoted {
    /// The mark that ends the quoted block that lines stand in.
    open: Option<&'static str>,
}

impl Quoted {
    fn without(&mut self, line: &str) -> String {
        let mut code = String::new();
        let mut rest = line;
        while !rest.is_empty() {
            if let Some(mark) = self.open {
                match rest.split_once(mark) {
                    Some((_, after)) => (self.open, rest) = (None, after),
                    None => return code,
                }
                continue;
            }
            if let Some(mark) = ["\"\"\"", "'''"].into_iter().find(|mark| rest.starts_with(mark)) {
                (self.open, rest) = (Some(mark), &rest[mark.len()..]);
                continue;
            }
            let Some(letter) = rest.chars().next() else { break };
            rest = &rest[letter.len_utf8()..];
            match letter {
                '#' => return code,
                '/' if rest.starts_with('/') => return code,
                '"' | '\'' => {
                    let mut escaped = false;
                    let end = rest.char_indices().find(|(_, c)| {
                        let ends = *c == letter && !escaped;
                        escaped = *c == '\\' && !escaped;
                        ends
                    });
                    // An apostrophe of a comment's line that began above: the rest is words.
                    let Some((end, _)) = end else { return code };
                    rest = &rest[end + 1..];
                    code.push(' ');
                }
                other => code.push(other),
            }
        }
        code
    }
}

/// The names that a line of code defines: of functions, their parameters, types, variables, fields.
fn defined(code: &str) -> Vec<String> {
    const WORDS: [&str; 14] = [
        "def",
        "class",
        "fn",
        "func",
        "function",
        "struct",
        "enum",
        "trait",
        "type",
        "interface",
        "const",
        "let",
        "var",
        "static",
    ];
    let mut found = Vec::new();
    let words: Vec<&str> = code.split_whitespace().collect();
    for pair in words.windows(2) {
        if WORDS.contains(&pair[0]) {
            found.extend(names(pair[1]).next().map(str::to_owned));
        }
    }
    let is_function = words.iter().any(|word| ["def", "fn", "func", "function"].contains(word));
    let parameters = match code.split_once('(') {
        Some((_, rest)) if is_function => rest,
        // A line of a long list of parameters.
        None if code.trim_end().ends_with(',') => code,
        _ => "",
    };
    for parameter in parameters.split(',') {
        let name = parameter.split([':', '=', ')']).next().unwrap_or_default().trim().trim_start_matches('*');
        found.extend(names(name).next().filter(|only| only.len() == name.len()).map(str::to_owned));
    }
    if let Some((left, right)) = code.split_once('=')
        && !right.starts_with('=')
        && !left.contains('(')
    {
        let left = left.trim().trim_end_matches(['+', '-', '*', '/', '|', '&', ':']);
        for target in left.split(',') {
            let target = target.split(':').next().unwrap_or_default().trim();
            found.extend(names(target.rsplit('.').next().unwrap_or_default()).last().map(str::to_owned));
        }
    }
    found
}

/// The names that a line of code takes from elsewhere: imported, after a dot, called, or as the name of an argument.
fn uses(code: &str) -> impl Iterator<Item = &str> {
    let imports = code.trim_start().starts_with("import ")
        || code.trim_start().starts_with("from ")
        // A line of a long import.
        || code.trim().trim_end_matches(',').chars().all(|c| c.is_alphanumeric() || c == '_');
    let start = code.as_ptr() as usize;
    names(code).filter(move |name| {
        let at = name.as_ptr() as usize - start;
        let (before, after) = (&code[..at], &code[at + name.len()..]);
        let is_argument = after.starts_with('=') && !after.starts_with("==") && before.trim_end().ends_with(['(', ',']);
        imports || before.ends_with('.') || after.starts_with('(') || is_argument
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_model::Time;
    use assay_tree::{Limits, patch};

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::new(Limits { bytes_max: 1 << 20, inodes_max: 100 });
        for (path, text) in files {
            tree.put(path.as_bytes(), text.as_bytes().into(), Time::default()).unwrap();
        }
        tree
    }

    fn secrets(old: &str, new: &str) -> Secrets {
        let base = tree(&[("a.py", old)]);
        let fix = patch::diff(&base, &tree(&[("a.py", new)])).unwrap();
        Secrets::of(std::str::from_utf8(&fix).unwrap(), &base)
    }

    #[test]
    fn what_the_repository_has_is_no_secret() {
        let found = secrets(
            "def size(word):\n    return 1\n",
            "def size(word):\n    # Count the letters of negative_ones, it's short.\n    width = len(word)  # 'wide'\n    return width\n",
        );
        for (text, shown) in [
            ("The size of a word is wrong.", None),
            ("Count the letters.", None),
            ("Return the width.", Some("width")),
            ("The Width is wrong", Some("Width")),
            ("see negative_ones", Some("negative_ones")),
            ("it is wide", None),
            ("it says  return\n  width", Some("width")),
        ] {
            assert_eq!(found.first_in(text).as_deref(), shown, "{text}");
        }
    }

    #[test]
    fn tests_that_need_a_new_name_are_found() {
        let found = secrets(
            "def size(word):\n    return 1\n",
            "def size(word, *, padding=0, **more):\n    total = 1\n    return total\n\n\ndef extra_size(word):\n    return 2\n",
        );
        let base = tree(&[("a.py", "x\n")]);
        let needed = |line: &str| {
            let tests = patch::diff(&base, &tree(&[("a.py", "x\n"), ("test_a.py", line)])).unwrap();
            found.needed_by(std::str::from_utf8(&tests).unwrap())
        };
        for (line, name) in [
            ("assert a.extra_size('x') == 2\n", Some("extra_size")),
            ("from a import size, extra_size\n", Some("extra_size")),
            ("assert size('x', padding=1) == 2\n", Some("padding")),
            ("assert size('x') == 1  # extra_size(1)\n", None),
            ("assert size('extra_size(1)') == 1\n", None),
            ("total = size('x')\nassert total == 1\n", None),
            ("def extra_size(x):\n    return 1\n\n\nassert extra_size(1)\n", None),
        ] {
            assert_eq!(needed(line).as_deref(), name, "{line}");
        }
    }
}
