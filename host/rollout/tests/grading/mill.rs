//! What the mill finds to make wrong: run as it is in a container, over files of tests that are written here. Needs `python3`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

const MILL: &str = include_str!("../../src/grading/control/mill.py");

/// The lines that the mill prints about these tests of a file.
fn milled(source: &str, names: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("test_it.py"), source).expect("there is room");
    let tests: BTreeMap<&str, [&str; 2]> = names.iter().map(|name| (*name, ["2-q", "two"])).collect();
    let asked = Value::String(json!({ "seed": "7", "tests": { "test_it.py": tests } }).to_string());
    let program = format!("import json\nASKED = json.loads({asked})\n{MILL}");
    let mut python = Command::new("python3")
        .args(["-I", "-"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 is installed");
    python.stdin.take().expect("it is piped").write_all(program.as_bytes()).expect("it reads");
    let output = python.wait_with_output().expect("it ends");
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).expect("text");
    lines
        .lines()
        .map(|line| serde_json::from_str(line.strip_prefix("assay-mill ").expect("the mark")).expect("JSON"))
        .collect()
}

/// The edits of the best rank, as the text before and after, with the tests that they reach.
fn best(source: &str, names: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for test in milled(source, names) {
        let edits = test["edits"].as_array().expect("a list");
        let rank = edits.iter().filter_map(|edit| edit["rank"].as_u64()).min();
        for edit in edits.iter().filter(|edit| edit["rank"].as_u64() == rank) {
            let place = |key: &str| usize::try_from(edit[key].as_u64().expect("a place")).expect("it fits");
            let touches: Vec<&str> =
                edit["touches"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
            let (old, new) = (&source[place("start")..place("end")], edit["text"].as_str().expect("a text"));
            found.insert(format!("{old} -> {new} in {}", touches.join(" ")));
        }
    }
    found
}

#[test]
fn an_edit_is_made_where_the_expected_value_comes_from() {
    for (what, source, names, expected) in [
        ("a literal", "def test_a():\n    assert f(3) == 7\n", &["test_a"][..], &["7 -> 17", "7 -> 6", "7 -> 8"][..]),
        ("on the left", "def test_a():\n    assert 7.5 == f(3)\n", &["test_a"], &["7.5 -> 8.0"]),
        ("a name", "def test_a():\n    want = 'x'\n    assert f(3) == want\n", &["test_a"], &["'x' -> 'y'"]),
        (
            "a result with a name",
            "def test_a():\n    got = f(3)\n    assert got == 'x'\n",
            &["test_a"],
            &["'x' -> 'y'"],
        ),
        (
            "a name that is asked as well",
            "def test_a():\n    x = 'x'\n    assert f(x) == x\n",
            &["test_a"],
            &[" -> x = x + 1; ", " -> x = x + x[:1]; ", " -> x = x[1:]; "],
        ),
        (
            "rows",
            "import pytest\n@pytest.mark.parametrize('a, b', [(1, 'p'), pytest.param(2, 'q', id='z')])\ndef test_a(a, b):\n    assert f(a) == b\n",
            &["test_a"],
            &["'p' -> 'q'", "'q' -> 'r'"],
        ),
        (
            "a loop",
            "def test_a():\n    for a, b in ((1, 'p'), (2, 'q')):\n        assert f(a) == b\n",
            &["test_a"],
            &["'p' -> 'q'", "'q' -> 'r'"],
        ),
        (
            "another form of it",
            "import pytest\n@pytest.mark.parametrize('a, b', [(1, 'p')])\ndef test_a(a, b):\n    assert b == f(a)\n    assert list(b.upper()) == f(a + 1)\n",
            &["test_a"],
            &["'p' -> 'q'"],
        ),
        (
            "unittest",
            "class T:\n    def test_a(self):\n        self.assertEqual(f(1), 'p')\n",
            &["T::test_a"],
            &["'p' -> 'q'"],
        ),
    ] {
        let found = best(source, names);
        let expected: BTreeSet<String> = expected.iter().map(|edit| format!("{edit} in {}", names.join(" "))).collect();
        assert_eq!(found, expected, "{what}");
    }
}

#[test]
fn rows_that_only_the_fix_makes_pass_are_known_by_their_ids() {
    for (what, rows, expected) in [
        ("by what they hold", "[(1, 'p'), (2, 'q'), (3, 'r')]", &["'q'"][..]),
        ("by a name of their own", "[pytest.param(1, 'p', id='one'), pytest.param(5, 's', id='two words')]", &["'s'"]),
        ("not at all", "[(1, 'p'), (3, 'r')]", &[]),
    ] {
        let source = format!(
            "import pytest\n@pytest.mark.parametrize('a, b', {rows})\ndef test_a(a, b):\n    assert f(a) == b\n"
        );
        let test = milled(&source, &["test_a"]).remove(0);
        let place = |edit: &Value, key: &str| usize::try_from(edit[key].as_u64().expect("a place")).expect("it fits");
        let bites = test["edits"].as_array().expect("a list").iter().filter(|edit| edit["bites"] == json!(true));
        let found: BTreeSet<&str> = bites.map(|edit| &source[place(edit, "start")..place(edit, "end")]).collect();
        assert_eq!(found, expected.iter().copied().collect(), "{what}");
    }
}

#[test]
fn whoever_else_reads_it_is_known() {
    for (what, source, names, expected) in [
        (
            "a table of the module",
            "import pytest\nT = [(1, 'p')]\n@pytest.mark.parametrize('a,b', T)\ndef test_a(a, b):\n    assert f(a) == b\ndef test_c():\n    assert T\n",
            &["test_a"][..],
            &["'p' -> 'q' in test_a test_c"][..],
        ),
        (
            "a method that is inherited",
            "class A:\n    def test_a(self):\n        assert f(1) == 'p'\nclass B(A):\n    pass\nclass C(B):\n    def test_a(self):\n        assert f(1) == 's'\n",
            &["B::test_a", "A::test_a", "C::test_a"],
            &["'p' -> 'q' in A::test_a B::test_a", "'s' -> 't' in C::test_a"],
        ),
    ] {
        let found = best(source, names);
        assert_eq!(found, expected.iter().map(|edit| (*edit).to_owned()).collect(), "{what}");
    }
}

#[test]
fn what_it_cannot_read_is_left_out() {
    for source in ["def test_a(:", "\0", "", "def test_a():\n    pass\n"] {
        assert!(milled(source, &["test_a", "test_b"]).iter().all(|test| test["edits"] == json!([])), "{source:?}");
    }
}

#[test]
fn a_test_that_is_nested_too_deeply_costs_no_other() {
    let deep = format!(
        "def test_a():\n    assert f(1) == {}'p'{}\ndef test_b():\n    assert f(1) == 'p'\n",
        "-(".repeat(90),
        ")".repeat(90)
    );
    let long =
        format!("def test_a():\n    assert f(1) == x{}\ndef test_b():\n    assert f(1) == 'p'\n", ".y()".repeat(900));
    for source in [deep, long] {
        let found = milled(&source, &["test_a", "test_b"]);
        assert!(found.iter().any(|test| test["name"] == "test_b" && test["edits"] != json!([])), "{found:?}");
    }
}
