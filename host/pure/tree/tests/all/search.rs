//! Lines and names: what is found, in which order, and where it stops.

use crate::operation::{LIMITS, NOW};
use assay_tree::search::{
    CLASSES_MAX, FindQuery, Found, GLOB_STARS_MAX, Glob, GrepLimits, GrepQuery, Grepped, Meter, SEARCHED_BYTES_MAX,
    SearchError, Unmetered,
};
use assay_tree::{Kind, Tree};
use proptest::prelude::*;

const UNLIMITED: GrepLimits =
    GrepLimits { matches_max: usize::MAX, output_bytes_max: usize::MAX, line_bytes_max: usize::MAX };

fn grep(tree: &Tree, query: &GrepQuery<'_>) -> Result<Grepped, SearchError> {
    assay_tree::search::grep(tree, query, &mut Unmetered)
}

fn find(tree: &Tree, query: &FindQuery<'_>) -> Result<Found, SearchError> {
    assay_tree::search::find(tree, query, &mut Unmetered)
}

/// Adds up what is asked for and ends the search when there has been enough of it.
struct Purse {
    spent: u64,
    max: u64,
}

impl Meter for Purse {
    fn spend(&mut self, work: u64) -> bool {
        self.spent += work;
        self.spent <= self.max
    }
}

fn query<'q>(pattern: &'q str, root: &'q str) -> GrepQuery<'q> {
    GrepQuery { pattern, literal: false, ignore_case: false, root: root.as_bytes(), glob: None, limits: UNLIMITED }
}

fn tree(files: &[(&str, &[u8])]) -> Tree {
    let mut tree = Tree::new(LIMITS);
    for (path, bytes) in files {
        if let Some((directory, _)) = path.rsplit_once('/') {
            tree.mkdir_all(directory.as_bytes(), NOW).expect("there is room");
        }
        tree.put(path.as_bytes(), (*bytes).into(), NOW).expect("there is room");
    }
    tree
}

#[track_caller]
fn check(tree: &Tree, query: &GrepQuery<'_>, expected: &[&str]) {
    let found = grep(tree, query).expect("the pattern is right");
    let shown: Vec<String> = found
        .matches
        .iter()
        .map(|m| format!("{}:{}:{}", m.path.escape_ascii(), m.line_number, m.line.escape_ascii()))
        .collect();
    assert_eq!(shown, expected, "{query:?}");
}

#[test]
fn lines_are_found_in_order_with_their_numbers() {
    let mut tree = tree(&[
        ("a.rs", b"fn main() {\n    todo()\n}\n\nfn other() {}"),
        ("b/c.py", b"def main():\r\n    pass\r\n"),
        ("b/z.bin", b"fn main\0"),
        ("b.txt", b"\xff main \xfe\n"),
        ("empty", b""),
    ]);
    tree.symlink(b"a.rs", b"link", NOW).expect("there is room");
    check(&tree, &query("main", "/"), &["a.rs:1:fn main() {", "b/c.py:1:def main():\\r", "b.txt:1:\\xff main \\xfe"]);
    check(&tree, &query("^fn|pass$", "/"), &["a.rs:1:fn main() {", "a.rs:5:fn other() {}"]);
    check(&tree, &query(r"\Afn other|^\z", "/"), &["a.rs:4:", "a.rs:5:fn other() {}"]);
    check(&tree, &query(r"\{[^x]*\}|(?s)main.*todo", "a.rs"), &[":5:fn other() {}"]);
    check(&tree, &query(r"\n", "/"), &[]);
    check(&tree, &query("", "b/c.py"), &[":1:def main():\\r", ":2:    pass\\r"]);
    check(&tree, &GrepQuery { literal: true, ..query("() {", "/") }, &["a.rs:1:fn main() {", "a.rs:5:fn other() {}"]);
    check(&tree, &GrepQuery { ignore_case: true, ..query("MAIN\\(", "b") }, &["c.py:1:def main():\\r"]);
    let glob = Glob::new("*.py").expect("it is well formed");
    check(&tree, &GrepQuery { glob: Some(&glob), ..query("main", "/") }, &["b/c.py:1:def main():\\r"]);
    check(&tree, &query("fn", "link"), &[":1:fn main() {", ":5:fn other() {}"]);
    let found = grep(&tree, &query("main", "/")).expect("the pattern is right");
    assert_eq!((found.files_searched, found.binary_files, found.truncated), (4, 1, false));
}

#[test]
fn limits_end_the_search_and_are_told() {
    let tree = tree(&[("x", &b"a line that matches\n".repeat(1_000)[..])]);
    let count = |limits| {
        let found = grep(&tree, &GrepQuery { limits, ..query("a", "/") }).expect("the pattern is right");
        (found.matches.len(), found.matches[0].line.len(), found.truncated)
    };
    assert_eq!(count(UNLIMITED), (1_000, 19, false));
    assert_eq!(count(GrepLimits { matches_max: 1_000, ..UNLIMITED }), (1_000, 19, false));
    assert_eq!(count(GrepLimits { matches_max: 7, ..UNLIMITED }), (7, 19, true));
    assert_eq!(count(GrepLimits { output_bytes_max: 100, ..UNLIMITED }), (5, 19, true));
    assert_eq!(count(GrepLimits { line_bytes_max: 4, output_bytes_max: 5_000, ..UNLIMITED }), (1_000, 4, false));
}

#[test]
fn hostile_patterns_are_refused_or_take_linear_time() {
    let tree = tree(&[("x", &[b"a".repeat(200_000), b"!\n".to_vec()].concat()), ("y", &b"foo(\n".repeat(50_000)[..])]);
    for pattern in ["(", "a{1000}{1000}", "(?i", "[z-a]", &"a".repeat(5_000), &"(".repeat(2_000)] {
        assert!(matches!(grep(&tree, &query(pattern, "/")), Err(SearchError::Pattern(_))), "{pattern}");
    }
    for pattern in ["\\w".repeat(2_048), "[a]".repeat(CLASSES_MAX + 1), r"(?i)[\x00-\u{10ffff}]".repeat(100)] {
        assert!(matches!(grep(&tree, &query(&pattern, "/")), Err(SearchError::Pattern(_))), "{pattern}");
    }
    for pattern in ["*".repeat(GLOB_STARS_MAX + 1), "a".repeat(1_025)] {
        assert!(matches!(Glob::new(&pattern), Err(SearchError::Pattern(_))), "{pattern}");
    }
    check(&tree, &query("(a*)*b|(a|aa)+$", "/"), &[]);
    // Were lines not kept apart, each of these would look through the rest of the file.
    check(&tree, &query(r"foo\([^)]*\)", "/"), &[]);
    assert!(matches!(grep(&tree, &query("a", "nowhere")), Err(SearchError::Tree(_))));
}

#[test]
fn a_search_costs_what_it_takes_and_ends_when_nobody_pays() {
    let text = b"ab".repeat(500).iter().copied().chain([b'\n']).collect::<Vec<u8>>().repeat(50);
    let tree = tree(&[("x", &text), ("y", "é fin\n".repeat(1_000).as_bytes())]);
    let price = |pattern: &str, max| {
        let mut purse = Purse { spent: 0, max };
        let ended = assay_tree::search::grep(&tree, &query(pattern, "/"), &mut purse).err();
        (purse.spent, ended)
    };
    let (plain, ended) = price("xyz", u64::MAX);
    assert_eq!(ended, None);
    assert!((25_000..1_000_000).contains(&plain), "{plain}");
    // The edges of words beside letters that are not ASCII, and too many possibilities for the fast engine: line by line.
    for pattern in [r"\bfin\b.x", "[ab]*a[ab]{900}x", r"(?:\w\w|\w\S|a.){10}!"] {
        let (spent, ended) = price(pattern, u64::MAX);
        assert_eq!(ended, None, "{pattern}");
        assert!(spent > 2 * plain, "{pattern}: {spent}, not {plain}");
        assert_eq!(price(pattern, plain).1, Some(SearchError::Ended), "{pattern}");
    }
    let mut purse = Purse { spent: 0, max: 700 };
    let all = FindQuery { root: b"/", glob: None, kinds: None, entries_max: 99, output_bytes_max: 99 };
    assert_eq!(assay_tree::search::find(&tree, &all, &mut purse), Err(SearchError::Ended));
}

#[test]
fn both_engines_find_the_same() {
    let text = "fin\né fin\nfiné\n\nfin fin é\nx fin\r\n".repeat(3_000);
    let tree = tree(&[("x", text.as_bytes())]);
    let numbers = |pattern: &str| -> Vec<u64> {
        let found = grep(&tree, &query(pattern, "/")).expect("the pattern is right");
        found.matches.iter().map(|found| found.line_number).collect()
    };
    let expected: Vec<u64> = (0..3_000).flat_map(|n| [1, 2, 5, 6].map(|line| n * 6 + line)).collect();
    assert_eq!(numbers(r"\bfin\b"), expected, "the slow one beside é");
    assert_eq!(numbers(r"(?:^|[^\w])fin(?:$|\W)"), expected, "the fast one");
}

#[test]
fn large_files_are_passed_over_and_counted() {
    let mut tree = tree(&[("small", b"fin\n"), ("large", b"fin\n")]);
    tree.truncate(b"large", SEARCHED_BYTES_MAX + 1, NOW).expect("there is room");
    let found = grep(&tree, &query("fin", "/")).expect("the pattern is right");
    assert_eq!((found.matches.len(), found.large_files), (1, 1));
}

#[test]
fn globs_are_those_of_the_shell() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("*.rs", &["a.rs", "d/b.rs", ".rs"], &["a.rsx", "a/rs"]),
        ("d/*.rs", &["d/b.rs"], &["a.rs", "d/e/b.rs", "x/d/b.rs"]),
        ("**/*.rs", &["a.rs", "d/b.rs", "d/e/b.rs"], &["a"]),
        ("/a", &["a"], &["d/a"]),
        ("d/**", &["d/a", "d/e/f"], &["d", "a"]),
        ("d/**/f", &["d/f", "d/e/f", "d/e/g/f"], &["f", "d/ef"]),
        ("?.[a-c]", &["x.a", "d/x.c"], &["x.d", "xx.a"]),
        ("[!a]x", &["bx"], &["ax", "a/x"]),
        ("[]]", &["]"], &["["]),
        ("[a-]", &["-", "a"], &["b"]),
        ("\\*", &["*"], &["a"]),
        ("a.b", &["a.b"], &["aXb"]),
    ];
    for (pattern, matching, other) in cases {
        let glob = Glob::new(pattern).expect("it is well formed");
        matching.iter().for_each(|path| assert!(glob.matches(path.as_bytes()), "{pattern} {path}"));
        other.iter().for_each(|path| assert!(!glob.matches(path.as_bytes()), "{pattern} {path}"));
    }
    assert!(Glob::new("*").expect("it is well formed").matches(b"\xff\n"));
    for pattern in ["[", "[a", "a\\", "[z-a]"] {
        assert!(Glob::new(pattern).is_err(), "{pattern}");
    }
}

#[test]
fn entries_are_found_by_name_and_kind() {
    let mut tree = tree(&[("a/x.rs", b""), ("a/b/y.rs", b""), ("z.rs", b"")]);
    tree.symlink(b"z.rs", b"a/l.rs", NOW).expect("there is room");
    let glob = Glob::new("*.rs").expect("it is well formed");
    let names = |query: &FindQuery<'_>| {
        let found = find(&tree, query).expect("the root is a directory");
        let names: Vec<String> = found.entries.iter().map(|(path, _)| path.escape_ascii().to_string()).collect();
        (names.join(" "), found.truncated)
    };
    let all = FindQuery { root: b"/", glob: None, kinds: None, entries_max: 99, output_bytes_max: usize::MAX };
    assert_eq!(names(&all), ("a a/b a/b/y.rs a/l.rs a/x.rs z.rs".into(), false));
    let some = FindQuery { glob: Some(&glob), kinds: Some(&[Kind::File]), ..all.clone() };
    assert_eq!(names(&some), ("a/b/y.rs a/x.rs z.rs".into(), false));
    assert_eq!(names(&FindQuery { root: b"a", ..some.clone() }), ("b/y.rs x.rs".into(), false));
    assert_eq!(names(&FindQuery { entries_max: 2, ..some.clone() }), ("a/b/y.rs a/x.rs".into(), true));
    assert_eq!(
        names(&FindQuery { output_bytes_max: 15, ..some }),
        ("a/b/y.rs a/x.rs".into(), true),
        "z.rs has no room"
    );
}

const PATTERNS: &[&str] = &[
    "a",
    "ab",
    "^a",
    "b$",
    "^$",
    "",
    r"\s",
    r"a\s*b",
    r"\Aa",
    r"b\z",
    "[^a]",
    "(?s)a.b",
    "a|b",
    r"\bb",
    "(?-m)^a",
    "a.*b",
    r"\n",
    "a\nb",
    "(?m)b$",
    r"[\s\S]{2}",
    r"\W$",
    "(?R)a$",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_file_is_searched_as_its_lines_would_be(
        bytes in proptest::collection::vec(proptest::sample::select(b"ab \n\n\r".to_vec()), 0..40),
        pattern in proptest::sample::select(PATTERNS),
    ) {
        let tree = tree(&[("x", &bytes)]);
        let found = grep(&tree, &query(pattern, "x")).expect("the pattern is right");
        let numbers: Vec<u64> = found.matches.iter().map(|found| found.line_number).collect();
        let each = |line: &[u8]| {
            let tree = self::tree(&[("x", line)]);
            // An empty file has no line; an empty line has its end.
            let tree = if line.is_empty() { self::tree(&[("x", b"\n")]) } else { tree };
            !grep(&tree, &query(pattern, "x")).expect("the pattern is right").matches.is_empty()
        };
        let lines = bytes.split_inclusive(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line));
        let expected: Vec<u64> = (1..).zip(lines).filter(|(_, line)| each(line)).map(|(number, _)| number).collect();
        prop_assert_eq!(numbers, expected);
    }
}
