//! Where code is found in replies.

use assay_rollout::code_blocks::{Block, find};
use proptest::prelude::*;

#[test]
fn blocks() {
    // The text, and the code of each block; an unclosed one ends with `…`.
    let cases: &[(&str, &[&str])] = &[
        ("", &[]),
        ("no code", &[]),
        ("```repl\nx\n```", &["x\n"]),
        ("```repl\nx\n```\nand\n```repl\ny\n```\n", &["x\n", "y\n"]),
        ("text\r\n```repl\r\nx\r\ny\r\n```\r\n", &["x\ny\n"]),
        ("```repl title=a.py\nx\n```", &["x\n"]),
        ("~~~repl\nx\n~~~", &["x\n"]),
        // Other languages do not run, whatever is in them.
        ("```python\nx\n```", &[]),
        ("```\nx\n```", &[]),
        ("```replica\nx\n```", &[]),
        ("```REPL\nx\n```", &[]),
        ("```text\n```repl\nx\n```\n", &[]),
        ("````markdown\n```repl\nx\n```\n````\n```repl\ny\n```", &["y\n"]),
        // Inline code and prose are not code.
        ("use ```repl x``` here", &[]),
        ("```repl x```\n", &[]),
        ("FINAL(x) and finish(\"x\")", &[]),
        // Fences within code.
        ("````repl\n```\nx\n```\n````", &["```\nx\n```\n"]),
        ("```repl\ns = \"\"\"\n```python\nx\n```\n\"\"\"\ny\n```", &["s = \"\"\"\n```python\nx\n```\n\"\"\"\ny\n"]),
        ("```repl\ns = '''\n```repl\nx\n```\n'''\n```", &["s = '''\n```repl\nx\n```\n'''\n"]),
        ("```repl\n# it's \"\"\"\n```\nafter '''", &["# it's \"\"\"\n"]),
        ("```repl\ns = '\"\"\"'\n```\nafter", &["s = '\"\"\"'\n"]),
        ("```repl\ns = \"\\\"\"\"\n```\nafter", &["s = \"\\\"\"\"\n"]),
        ("```repl\nx  # ```\n```", &["x  # ```\n"]),
        // A string that nobody ended does not swallow what follows.
        ("```repl\ns = \"\"\"a\n```\nprose\n```repl\ny\n```", &["s = \"\"\"a\n", "y\n"]),
        ("```repl\ns = \"\"\"a\n```\nprose", &["s = \"\"\"a\n"]),
        // Nor does a fence that nobody closed.
        ("```repl\nx\n\n```repl\ny\n```", &["x\n\n…", "y\n"]),
        ("```repl\nx", &["x…"]),
        ("```repl\nx\n``", &["x\n``…"]),
        ("```repl", &[]),
        // Indented as in a list; no more than the fence's indentation is taken away.
        ("1. do\n   ```repl\n   if x:\n       y\n   ```\n", &["if x:\n    y\n"]),
        ("  ```repl\nx\n  ```\n", &["x\n"]),
        // Nothing in it.
        ("```repl\n\n  \n```\n```repl\nx\n```", &["x\n"]),
        ("```repl\n```", &[]),
    ];
    for (text, expected) in cases {
        let found: Vec<String> =
            find(text).into_iter().map(|Block { code, closed }| code + if closed { "" } else { "…" }).collect();
        assert_eq!(found, *expected, "{text:?}");
    }
}

/// Pieces that matter to the finder.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "```repl\n",
        "```\n",
        "````\n",
        "```python\n",
        "~~~repl\n",
        "~~~\n",
        "\"\"\"",
        "'''",
        "'",
        "\"",
        "\\",
        "#",
        "x",
        "é",
        " ",
        "   ",
        "\n",
        "\r\n",
        "```",
    ])
}

proptest! {
    /// Whatever the text: the code of blocks is in the text, in order, but for line ends and indentation; only the last of a run can be unclosed
    /// unless another block follows.
    #[test]
    fn found_code_is_in_the_text(pieces in prop::collection::vec(piece(), 0..60)) {
        let text = pieces.concat();
        let squeeze = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let all = squeeze(&text);
        let mut rest = all.as_str();
        for block in find(&text) {
            let code = squeeze(&block.code);
            let at = rest.find(&code);
            prop_assert!(at.is_some(), "{:?} in {:?}", code, text);
            rest = &rest[at.unwrap() + code.len()..];
        }
    }

    /// Code that holds neither fences nor open strings comes back as it was written, among any prose.
    #[test]
    fn plain_code_comes_back(codes in prop::collection::vec("[a-z(][a-z0-9 ()=+\n]{0,40}", 1..6), prose in "[a-zA-Z .\n]{0,40}") {
        let text: String = codes.iter().map(|code| format!("{prose}\n```repl\n{code}\n```\n")).collect();
        let found: Vec<_> = find(&text).into_iter().map(|block| block.code).collect();
        let expected: Vec<_> = codes.iter().map(|code| format!("{code}\n")).collect();
        prop_assert_eq!(found, expected);
    }
}
