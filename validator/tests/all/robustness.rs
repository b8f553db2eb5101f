//! Whatever the bytes, the answer is findings: no panic, no exhausted stack, bounded work.

use crate::support::{MEMORY, component, files, module};
use assay_validator::{TextStyle, check_component, check_source_bytes};
use proptest::prelude::*;

/// Renders everything, so that no rendering panics either.
fn survive(findings: &assay_validator::Findings) {
    let _ = findings.to_text(TextStyle { width: 40, colour: true });
    let _ = findings.to_json();
    let _ = findings.to_sarif("guest");
    assert!(findings.iter().count() <= assay_validator::limits::FINDINGS_MAX);
}

fn survive_component(bytes: Vec<u8>) {
    match check_component(bytes) {
        Ok(checked) => assert!(checked.facts().memory_pages <= assay_validator::limits::MEMORY_PAGES_MAX),
        Err(findings) => {
            assert!(findings.has_errors(), "refused without an error");
            survive(&findings);
        }
    }
}

/// A change to bytes.
#[derive(Clone, Debug)]
enum Mutation {
    Set(prop::sample::Index, u8),
    Remove(prop::sample::Index, usize),
    Insert(prop::sample::Index, Vec<u8>),
    Repeat(prop::sample::Index, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        6 => (index(), any::<u8>()).prop_map(|(at, byte)| Mutation::Set(at, byte)),
        1 => (index(), 1..40_usize).prop_map(|(at, count)| Mutation::Remove(at, count)),
        1 => (index(), prop::collection::vec(any::<u8>(), 1..12)).prop_map(|(at, bytes)| Mutation::Insert(at, bytes)),
        1 => (index(), 1..200_usize).prop_map(|(at, count)| Mutation::Repeat(at, count)),
    ]
}

fn apply(bytes: &mut Vec<u8>, mutation: Mutation) {
    if bytes.is_empty() {
        return;
    }
    match mutation {
        Mutation::Set(at, byte) => *at.get_mut(bytes) = byte,
        Mutation::Remove(at, count) => {
            let at = at.index(bytes.len());
            bytes.drain(at..bytes.len().min(at + count));
        }
        Mutation::Insert(at, more) => {
            let at = at.index(bytes.len());
            bytes.splice(at..at, more);
        }
        Mutation::Repeat(at, count) => {
            let at = at.index(bytes.len());
            let copied = bytes[at..bytes.len().min(at + count)].to_vec();
            bytes.splice(at..at, copied);
        }
    }
}

fn honest_component() -> Vec<u8> {
    let extra = "(table 2 2 funcref) (elem (i32.const 0) $tick) (global $g (mut i32) (i32.const 7)) (data (i32.const 8) \"data\")";
    component(&module(
        MEMORY,
        "(local i64 f64) (block (loop (br_if 1 (i32.const 1)) (br 0))) i32.const 1 i32.const 2 call $log",
        extra,
    ))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_components(changes in prop::collection::vec(mutation(), 1..8)) {
        let mut bytes = honest_component();
        for change in changes {
            apply(&mut bytes, change);
        }
        survive_component(bytes);
    }

    #[test]
    fn random_bytes_behind_a_header(body in prop::collection::vec(any::<u8>(), 0..300)) {
        survive_component([b"\0asm\x0d\0\x01\0".as_slice(), &body].concat());
    }

    #[test]
    fn random_bytes_as_source(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        survive(&check_source_bytes("random.rs", &bytes));
    }

    #[test]
    fn random_tokens_as_source(words in prop::collection::vec(prop::sample::select(WORDS), 0..120)) {
        survive(&check_source_bytes("words.rs", words.join(" ").as_bytes()));
    }
}

/// Floods of findings on one line: work must not grow with their number times the length of the line.
#[test]
fn floods_of_findings_take_linear_time() {
    let long_path = format!("use {}{{{}}};", "a::".repeat(500), "x,".repeat(50_000));
    let floods = [
        "unsafe ".repeat(25_000),
        "\u{202e}".repeat(20_000),
        "use a,".repeat(40_000),
        "use std::io as a,".repeat(12_000),
        "std::fs::a;".repeat(20_000),
        "#[no_mangle]".repeat(20_000),
        long_path,
    ];
    for text in floods {
        let findings = check_source_bytes("flood.rs", text.as_bytes());
        assert!(findings.has_errors());
        survive(&findings);
    }
}

/// What the rules look at, in every order.
const WORDS: &[&str] = &[
    "use",
    "std",
    "::",
    "fs",
    "io",
    "stdin",
    "as",
    "*",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    "!",
    "#",
    "$",
    "'a",
    "self",
    "mod",
    "macro_rules",
    "export",
    "Strategy",
    "for",
    "impl",
    "unsafe",
    "extern",
    "crate",
    "static",
    "mut",
    "derive",
    "cfg_attr",
    "path",
    "r#unsafe",
    "include_str",
    ".",
    "..",
    "&",
    "<",
    ">",
    "=",
    "1",
    "\"text\"",
    "'c'",
    "/// doc\n",
    "//! doc\n",
    "é",
];

#[test]
fn mutated_corpus() {
    for path in files("tests/hostile/source", "rs").into_iter().chain(files("tests/honest/source", "rs")) {
        let bytes = std::fs::read(&path).expect("the file is readable");
        for cut in [1, 3, 7] {
            survive(&check_source_bytes("cut.rs", &bytes[..bytes.len() / 8 * cut]));
        }
    }
}

/// Chains and nestings that are just within the limits, so that every reader has to walk them on its stack.
#[test]
fn the_deepest_code_within_the_limits_is_read() {
    let chain = 1_950;
    let deep = [
        format!("const A: bool = {}true;", "!".repeat(chain)),
        format!("fn a(_: {}u8) {{}}", "&".repeat(chain)),
        format!("const A: u64 = {}1;", "1+".repeat(chain / 2)),
        format!("type A = {}u8{};", "A<".repeat(chain / 3), ">".repeat(chain / 3)),
        format!("fn a() {{ x{}; }}", ".f()".repeat(chain / 3)),
        format!("fn a() {{ {}1; }}", "|_| ".repeat(chain / 3)),
        format!("fn a() {{ if x {{}}{} }}", " else if x {}".repeat(chain / 4)),
        format!("fn a() {{ {}{} }}", "{".repeat(60), "}".repeat(60)),
        format!("fn a() {{ {}1{} }}", "!(".repeat(60), ")".repeat(60)),
        format!("fn a() {{ {}1{}; }}", "vec!(".repeat(60), ")".repeat(60)),
        format!("type A = {}u8{};", "(".repeat(62), ",)".repeat(62)),
        format!("fn a() {{ {}1{} }}", "match x { _ => { ".repeat(30), "}}".repeat(30)),
        format!("fn a() {{ {}x; }}", "return ".repeat(chain)),
        format!("#[a = {}x] fn a() {{}}", "!".repeat(chain)),
    ];
    for text in deep {
        let findings = check_source_bytes("deep.rs", text.as_bytes());
        assert!(findings.iter().all(|finding| finding.code.id() != "S026"), "{findings}");
    }
}

/// The same shapes without bound.
#[test]
fn a_flood_of_nesting_is_refused_before_anything_recursive_reads_it() {
    // Bytes: a thousand times what overflows a stack, and a unit of text is at most 14 of them.
    let size = 1 << 18;
    for unit in [
        "(",
        "[",
        "{",
        "!",
        "-",
        "&",
        "*",
        "1+",
        "a.",
        "A<",
        "|_|",
        "if x {} else ",
        "/*",
        "\"",
        "'",
        "r#",
        "#[",
        "a::",
        "fn a(",
        "vec![",
    ] {
        let text = unit.repeat(size / unit.len());
        let findings = check_source_bytes("flood.rs", text.as_bytes());
        assert!(findings.has_errors(), "{unit}");
        survive(&findings);
    }
}
