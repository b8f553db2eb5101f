//! Every parser by small logs of each form that its rule knows, and the map from repository to parser.

use assay_grade::{Parser, Status, decode_log};

#[track_caller]
fn check(parser: &str, log: &str, expected: &[(&str, &str)]) {
    let parser: Parser = parser.parse().expect("the test names a parser");
    let found = parser.parse(log);
    let found: Vec<(&str, &str)> = found.iter().map(|(name, status)| (name, status.as_str())).collect();
    assert_eq!(found, expected, "{parser} on {log:?}");
}

#[test]
fn plain_pytest() {
    check(
        "pytest",
        "PASSED a.py::t\nFAILED a.py::u - E: x\nERROR b.py - ImportError\nXFAIL a.py::v - why\n",
        &[("a.py::t", "PASSED"), ("a.py::u", "FAILED"), ("b.py", "ERROR"), ("a.py::v", "XFAIL")],
    );
    check(
        "pytest",
        "SKIPPED [2] a.py:3: no network\nSKIPPED a.py::t\nPASSED [100%]\nXPASS a.py::u",
        &[("a.py::t", "SKIPPED"), ("[100%]", "PASSED")],
    );
    check(
        "pytest",
        "ERROR: file not found\nERRORS everywhere\nPASSED\n PASSED a\nFAILED - a.py::t",
        &[("file", "ERROR:"), ("everywhere", "ERRORS"), ("a.py::t", "FAILED")],
    );
    check("pytest", "PASSED a\nPASSED b\nFAILED a", &[("a", "FAILED"), ("b", "PASSED")]);
    check("pytest", "PASSED a::t[x y]\nPASSED\u{1f}b", &[("a::t[x", "PASSED"), ("b", "PASSED")]);
}

#[test]
fn pytest_with_options() {
    check(
        "pytest_options",
        "PASSED a::t[/home/me/x.py]\nPASSED a::u[//net/x]\nPASSED a::v[/x/*.py]\nPASSED a::w[1]tail\nPASSED a::z[cut",
        &[
            ("a::t[/x.py]", "PASSED"),
            ("a::u[//net/x]", "PASSED"),
            ("a::v[/x/*.py]", "PASSED"),
            ("a::w[1]", "PASSED"),
            ("a::z[cut", "PASSED"),
        ],
    );
    check("pytest_options", "FAILED a::t[/x/y[0]] - E", &[("a::t[/y[0]]", "FAILED")]);
}

#[test]
fn pytest_v2() {
    check(
        "pytest_v2",
        "\u{1b}[32mPASSED\u{1b}[0m a.py::\u{1b}[1mt[x  y]\u{1b}[0m\n[31mFAILED[0m a.py::u v - boom - bang",
        &[("a.py::t[x y]", "PASSED"), ("a.py::u v", "FAILED")],
    );
    check(
        "pytest_v2",
        "a.py::t[x y] PASSED\nPASSED\nit is NOTPASSED\n\u{1b}[1;31mFAILED a",
        &[("a.py::t[x y]", "PASSED"), ("it is", "NOTPASSED")],
    );
    check("pytest_v2", "ERROR a.py - boom", &[("a.py - boom", "ERROR")]);
    check(
        "pytest_pydantic",
        "FAILED [ 3%] a::t - E\na::u PASSED\nPASSED\nPASSED b::v",
        &[("a::t", "FAILED"), ("a::u", "PASSED"), ("b::v", "PASSED")],
    );
}

#[test]
fn matplotlib_and_seaborn() {
    check("matplotlib", "PASSED a::t[MouseButton.LEFT-MouseButton.RIGHT]", &[("a::t[1-3]", "PASSED")]);
    check(
        "seaborn",
        "a::t PASSED [ 50%]\nPASSED b::u\nFAILED c::v - E\nERROR d::w\nx y PASSED z\nPASSED",
        &[("a::t", "PASSED"), ("b::u", "PASSED"), ("c::v", "FAILED")],
    );
}

#[test]
fn django() {
    check(
        "django",
        "test_a (x.T) ... ok\nA docstring. ... OK\ntest_b (x.T) ... skipped 'why'\ntest_c (x.T) ... FAIL\n\
         test_d (x.T) ... ERROR\nFAIL: test_e (x.T)\nERROR: test_f (x.T)\nFAIL:\n",
        &[
            ("test_a (x.T)", "PASSED"),
            ("A docstring.", "PASSED"),
            ("test_b (x.T)", "SKIPPED"),
            ("test_c (x.T)", "FAILED"),
            ("test_d (x.T)", "ERROR"),
            ("test_e", "FAILED"),
            ("test_f", "ERROR"),
        ],
    );
    check("django", "test_a (x.T) ... noise\nmore noise\nok\n", &[("test_a (x.T)", "PASSED")]);
    check("django", "ok\n", &[]);
    check(
        "django",
        "Applying sites.0002_alter_domain_unique...test_no_migrations (x.T) ... ok",
        &[("test_no_migrations (x.T)", "PASSED")],
    );
    check(
        "django",
        "--version is equivalent to version ... 1.0\n",
        &[("--version is equivalent to version", "PASSED")],
    );
    check(
        "django",
        "test_a (x.T) ... Testing against Django installed in '/x' with\nlines (0 silenced).\nok\n\
         test_b (x.T) ... Internal Server Error: /a/\nok\n\
         test_c (x.T) ... System check identified no issues (0 silenced)\nok",
        &[("test_a (x.T)", "PASSED"), ("test_b (x.T)", "PASSED"), ("test_c (x.T)", "PASSED")],
    );
}

#[test]
fn sympy() {
    check(
        "sympy",
        "test_a ok\ntest_b F\ntest_c E\ntest_d f\n____ sympy/x.py:test_b ____\nFile a.py:3 in x\ntest_e  ok",
        &[
            ("sympy/x.py:test_b", "FAILED"),
            ("a.py:3 in", "FAILED"),
            ("test_a", "PASSED"),
            ("test_b", "FAILED"),
            ("test_c", "ERROR"),
            ("test_e", "PASSED"),
        ],
    );
}

#[test]
fn unittest() {
    check(
        "unittest",
        "test_a (m.C.test_a) ... ok\ntest_b (m.C.test_b)\nA docstring. ... FAIL\ntest_c (m.C) ... skipped 'why'\n\
         test_d (m.C) ... expected failure\ntest_e (m.C) ... unexpected success\ntest_f (m.C) ... prints\nthis\nok\n\
         test_g (m.C) ... book\nERROR: setUpClass (m.D)\nFAIL: test_a (m.C.test_a) (i=1)\nok\n",
        &[
            ("test_a (m.C.test_a)", "FAILED"),
            ("test_b (m.C.test_b)", "FAILED"),
            ("test_c (m.C)", "SKIPPED"),
            ("test_d (m.C)", "XFAIL"),
            ("test_e (m.C)", "XPASS"),
            ("test_f (m.C)", "PASSED"),
            ("setUpClass (m.D)", "ERROR"),
            ("test_g (m.C)", "PASSED"),
        ],
    );
}

#[test]
fn one_line_runners() {
    check(
        "gotest",
        "=== RUN TestA\n--- PASS: TestA (0.00s)\n    --- FAIL: TestA/b_(c) (0.1s)\n--- SKIP: TestB (0.00s)\n--- PASS: x\n",
        &[("TestA", "PASSED"), ("TestA/b_(c)", "FAILED"), ("TestB", "SKIPPED")],
    );
    check(
        "cargo",
        "test a::b ... ok\ntest a::c ... FAILED\ntest a::d ... ignored\ntest a::e - should panic ... ok\ntest result: ok. 1 passed",
        &[("a::b", "PASSED"), ("a::c", "FAILED")],
    );
    check(
        "redis",
        "[ok]: a b (3 ms)\n[err]: c in tests/x.tcl\n[skip]: d\n[ignore]: e",
        &[("a b", "PASSED"), ("c", "FAILED"), ("d", "SKIPPED"), ("e", "SKIPPED")],
    );
    check("jq", "PASS: a\nFAIL: b", &[("a", "PASSED"), ("b", "FAILED")]);
    check(
        "micropython_test",
        "pass  a.py\nFAIL  b.py\nskip  c.py",
        &[("a.py", "PASSED"), ("b.py", "FAILED"), ("c.py", "SKIPPED")],
    );
    check(
        "googletest",
        "[       OK ] a.b (0 ms)\n[  FAILED  ] a.c (1 ms)\n[  FAILED  ] a.c",
        &[("a.b", "PASSED"), ("a.c", "FAILED")],
    );
    check(
        "jest",
        "  ✓ adds (3 ms)\n  ✕ subtracts\n  ○ skips",
        &[("adds", "PASSED"), ("subtracts", "FAILED"), ("skips", "SKIPPED")],
    );
    check("jest_json", "[PASSED] a > b\n[FAILED] c", &[("a > b", "PASSED"), ("c", "FAILED")]);
    check("vitest", " ✓ a > b 3ms\n × c\n ↓ d [skipped]", &[("a > b", "PASSED"), ("c", "FAILED"), ("d", "SKIPPED")]);
    check("tap", "ok 1 a\nnot ok 2 b\n1..2", &[("a", "PASSED"), ("b", "FAILED")]);
    check("ant", "  [junit] [PASS] a\n  [junit] [ERR] b", &[("a", "PASSED"), ("b", "FAILED")]);
    check("minitest", "T#test_a = 0.01 s = .\nmod. T#test_b = 0.02 s = F", &[("mod", "FAILED")]);
    check("cucumber", "a feature ....\nb feature ..F", &[("a feature", "PASSED"), ("b feature", "FAILED")]);
    check("ruby_unit", "test: a:  .: (0.1)\nb: F\nc: O", &[("a", "PASSED"), ("b", "FAILED"), ("c", "SKIPPED")]);
    check("rspec_transformed_json", "a b - passed\nc - failed", &[("a b", "PASSED"), ("c", "FAILED")]);
}

#[test]
fn suites() {
    check(
        "maven",
        "[INFO] BUILD FAILURE\n+ mvn -Dtest=A#a\n+ mvn test -Dtest=B -pl x\n[INFO] BUILD SUCCESS\n",
        &[("A#a", "PASSED"), ("B", "FAILED")],
    );
    check(
        "gradle_custom",
        "> Task :test\na.B > c PASSED\na.B > d\nwarning\nFAILED\nPASSED\n> x PASSED",
        &[("a.B > c", "PASSED"), ("a.B > d", "FAILED")],
    );
    check(
        "phpunit",
        " ✔ Early\nMoney (Tests\\Money)\n ✔ Adds up\n ✘ Divides\n ↩ Waits",
        &[
            ("None > Early", "PASSED"),
            ("Money > Adds up", "PASSED"),
            ("Money > Divides", "FAILED"),
            ("Money > Waits", "SKIPPED"),
        ],
    );
}

#[test]
fn smith() {
    check(
        "smith_pytest",
        "a.py::t PASSED [ 1%]\na.py::u  FAILED\n PASSED\nPASSED a.py::v",
        &[("a.py::t", "PASSED"), ("a.py::u", "FAILED")],
    );
    check("smith_mypy", "[gw1] PASSED a b::t\nFAILED c", &[("b::t", "PASSED"), ("c", "FAILED")]);
    check(
        "smith_slugify",
        "test_a (x.T) ... ok\ntest_b ... FAIL\ntest_c ... ERROR\ntest;d ... ok",
        &[("test_a (x.T)", "PASSED"), ("test_b", "FAILED"), ("test_c", "ERROR")],
    );
    check(
        "smith_tornado",
        "test_a (x.T) ... ok\ntest_b ... skipped 'x'\nFAIL: test_c (x.T) more\nERROR:",
        &[("test_a (x.T)", "PASSED"), ("test_b", "SKIPPED"), ("test_c (x.T)", "FAILED"), ("", "FAILED")],
    );
    check("smith_paramiko", "PASSED a::t x\nFAILED  b\nERRORS c", &[("a::t", "PASSED")]);
    check("smith_autograd", "[gw3] PASSED a::t\nPASSED b", &[("a::t", "PASSED")]);
}

#[test]
fn junit() {
    let report = "noise before\n<?xml version='1.0'?><testsuites><testsuite name='s'>\
        <testcase classname='a.B' name='t[&lt;x&gt;]'/>\
        <testcase classname='a.B' name='u'><failure message='m'>text</failure></testcase>\
        <testcase classname='' name='v'><error/></testcase>\
        <testcase classname='a' name='w'><skipped type='pytest.xfail'/></testcase>\
        <testcase classname='a' name='x'><skipped/></testcase>\
        <testcase classname='a' name='y'/><testcase classname='a' name='y'><error/></testcase>\
        </testsuite></testsuites>";
    let expected = [
        ("a.B::t[<x>]", "PASSED"),
        ("a.B::u", "FAILED"),
        ("v", "ERROR"),
        ("a::w", "XFAIL"),
        ("a::x", "SKIPPED"),
        ("a::y", "ERROR"),
    ];
    check("junit", report, &expected);
    let cut = &report[..report.find("<error/>").unwrap()];
    check("junit", cut, &expected[..2]);
    check("junit", "no report at all", &[]);
    check(
        "junit",
        "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><testsuite><testcase name='&b;'/></testsuite>",
        &[("&b;", "PASSED")],
    );
}

#[test]
fn a_log_is_decoded_as_python_decodes_it() {
    for (bytes, text) in [(&b"a\r\nb\rc\n"[..], "a\nb\nc\n"), (&b"\xffPASSED"[..], "\u{fffd}PASSED")] {
        assert_eq!(decode_log(bytes), text);
    }
}

#[test]
fn repositories_have_their_parsers() {
    for (repository, parser) in [
        ("astropy/astropy", Some("pytest_v2")),
        ("Django/django", Some("django")),
        ("sympy/sympy", Some("sympy")),
        ("sympy", Some("r2e")),
        ("psf/requests", Some("pytest_options")),
        ("pydantic/pydantic", Some("pytest_pydantic")),
        ("getmoto/moto", Some("pytest")),
        ("swesmith/pandas-dev__pandas.95280573", Some("smith_pytest")),
        ("swesmith/un33k__python-slugify.872b3750", Some("smith_slugify")),
        ("swesmith/HIPS__autograd.ac044f0d", Some("smith_autograd")),
        ("tokio-rs/tokio", Some("cargo")),
        ("google/gson", Some("maven")),
        ("nobody/nothing", None),
    ] {
        assert_eq!(Parser::for_repository(repository).map(Parser::name), parser, "{repository}");
    }
    for (name, parser) in [("parse_log_scikit", "pytest_v2"), ("parse_log_gotest", "gotest"), ("junit", "junit")] {
        assert_eq!(name.parse::<Parser>().unwrap().name(), parser);
    }
    let error = "parse_log_calypso".parse::<Parser>().unwrap_err();
    assert!(error.to_string().contains("`parse_log_calypso`"), "{error}");
}

#[test]
fn statuses_keep_their_words() {
    for word in ["PASSED", "FAILED", "ERROR", "SKIPPED", "XFAIL", "XPASS", "ERROR:"] {
        assert_eq!(Status::from_word(word).as_str(), word);
    }
}
