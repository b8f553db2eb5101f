//! The Python pass apart from the interpreter: what is judged before it sees a text, and what its answers come to, sound or not.
//! `tests/tests/python_strategies.rs` runs the whole of it over the corpus.

use assay_validator::{Code, ParameterKind, check_python_survey, check_python_text, limits, python_parameters};

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

/// What is found of the parameters in an answer for this text.
fn parameters(text: &str, declared: &[&str], ids_wanted: &[&str]) -> Vec<assay_validator::Parameter> {
    let answer = survey(&format!(r#", "parameters": [{}]"#, declared.join(",")));
    let findings = check_python_survey("s.py", text, &answer);
    assert_eq!(ids(&findings), ids_wanted, "{declared:?}\n{findings}");
    python_parameters(text, &answer)
}

#[test]
fn parameters_stand_where_the_text_has_them() {
    let text =
        "class S(Strategy):\n    né = 1; a = parameter(2.5, 1, 1_0, log=True)\n    b = parameter(-1_000, -2000, 7)\n";
    let a = r#"{"name": "a", "whole": false, "numbers": [2.5, 1.0, 10.0], "log": true, "default": [2, 26, 2, 29]}"#;
    let b =
        r#"{"name": "b", "whole": true, "numbers": [-1000.0, -2000.0, 7.0], "log": false, "default": [3, 18, 3, 24]}"#;
    // In the order of the text, whatever the order of the answer.
    let found = parameters(text, &[b, a], &[]);
    let seen: Vec<_> = found
        .iter()
        .map(|one| (one.name.as_str(), one.kind, &text[one.default_at.map_or(0..0, |at| at.0..at.1)]))
        .collect();
    assert_eq!(seen, [("a", ParameterKind::Number, "2.5"), ("b", ParameterKind::Integer, "-1_000")]);

    let changed = |from: &str, to: &str| a.replacen(from, to, 1);
    for wrong in [
        changed("[2, 26, 2, 29]", "[2, 26, 2, 28]"),
        changed("[2, 26, 2, 29]", "[2, 25, 2, 29]"),
        changed("[2, 26, 2, 29]", "[2, 29, 2, 26]"),
        changed("[2, 26, 2, 29]", "[4294967295, 4294967295, 0, 0]"),
        changed("2.5, 1.0", "2.5, 3.0"),
        changed("2.5, 1.0", "2.5, -1.0"),
        changed("\"a\"", "\"a b\""),
        changed("\"a\"", "\"\\u202e\""),
        changed("true", "false").replace("false, \"numbers\"", "true, \"numbers\""),
    ] {
        assert!(parameters(text, &[&wrong], &["C040"]).is_empty(), "{wrong}");
    }
    assert!(parameters(text, &[a, a], &["C040"]).is_empty(), "declared twice");
    check(&survey(r#", "stray_parameters": [[1, 0, 1, 4]]"#), &["C040"]);
}
