//! The Python pass apart from the interpreter: what is judged before it sees a text, and what its answers come to, sound or not.
//! `tests/tests/python_strategies.rs` runs the whole of it over the corpus.

use assay_validator::{Code, check_python_survey, check_python_text, limits};

fn ids<'a>(findings: impl IntoIterator<Item = &'a assay_validator::Finding>) -> Vec<&'static str> {
    findings.into_iter().map(|finding| finding.code.id()).collect()
}

#[test]
fn bytes_are_judged_before_any_parser_sees_them() {
    let large = vec![b'#'; limits::PYTHON_SOURCE_BYTES_MAX as usize + 1];
    let cases: [(&[u8], &[&str], Option<&str>); 5] = [
        (b"x = 1\n", &[], Some("x = 1\n")),
        ("\u{feff}x = 1\n".as_bytes(), &[], Some("x = 1\n")),
        ("x = 'a\u{202e}b'\r\n".as_bytes(), &["S025"], Some("x = 'a\u{202e}b'\r\n")),
        (b"x = '\xff'\n", &["S024"], None),
        (&large, &["S023"], None),
    ];
    for (bytes, wanted, text) in cases {
        let (findings, found) = check_python_text("s.py", bytes);
        assert_eq!((ids(&findings).as_slice(), found), (wanted, text), "{findings}");
    }
}

/// The codes of a survey of this text.
fn check(survey: &str, wanted: &[&str]) {
    let findings = check_python_survey("s.py", "class S(Strategy): pass\n", survey);
    assert_eq!(ids(&findings), wanted, "{survey}\n{findings}");
}

/// A survey of one strategy, with more in it.
fn survey(more: &str) -> String {
    let class = r#"{"name": "S", "place": [1, 0, 1, 23], "bases": ["Strategy"], "methods": []}"#;
    format!(r#"{{"depth": 3, "deepest": [1, 0, 1, 1], "classes": [{class}]{more}}}"#)
}

#[test]
fn a_survey_is_judged() {
    check(&survey(""), &[]);
    check(
        &survey(r#", "imports": [["math", [1, 0, 1, 4]], ["collections.abc", [1, 0, 1, 4]], ["assay", [1, 0, 1, 4]]]"#),
        &[],
    );
    check(&survey(r#", "imports": [["os.path", [1, 0, 1, 4]]]"#), &["P002"]);
    check(
        &survey(r#", "names": [["len", [1, 0, 1, 3]], ["eval", [1, 4, 1, 8]], ["open", [1, 9, 1, 13]]]"#),
        &["P003", "P004"],
    );
    check(&survey(r#", "internal": [["__init__", [1, 0, 1, 3]], ["__mro__", [1, 4, 1, 8]]]"#), &["P005"]);
    check(&survey(r#", "cut": true"#), &["P010"]);
    check(r#"{"syntax": {"message": "bad", "place": [7, 3, 9, 1]}}"#, &["P001"]);
    check(r#"{"too_deep": "so deep"}"#, &["P010"]);
    check("{}", &["P006"]);
}

#[test]
fn whatever_the_interpreter_answers_is_a_finding_at_worst() {
    let far = u32::MAX;
    for answer in ["", "null", "[]", "{\"depth\": -1}", "{\"unknown\": 1}", "\u{202e}"] {
        let findings = check_python_survey("s.py", "x = 1\n", answer);
        assert!(findings.has_errors(), "{answer}: {findings}");
    }
    let place = format!("[{far}, {far}, 0, 0]");
    check(&survey(&format!(r#", "names": [["eval", {place}], ["exec", [0, 0, 0, 0]]]"#)), &["P003", "P003"]);
    let many: Vec<String> = (0..1_000).map(|line| format!(r#"["eval", [{line}, 0, {line}, 4]]"#)).collect();
    let findings = check_python_survey("s.py", "x = 1\n", &survey(&format!(r#", "names": [{}]"#, many.join(","))));
    assert!(
        findings.iter().filter(|finding| finding.code == Code::DynamicCode).count() <= limits::FINDINGS_OF_A_CODE_MAX
    );
    assert_eq!(findings.count(), 1_000, "those that are not kept are counted");
}
