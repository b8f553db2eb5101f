//! The corpus: every hostile file yields exactly the codes that it announces, every honest one none.

use crate::support::{expectation, files, ids};
use assay_validator::{Code, Findings, check_component, check_source_bytes};
use std::collections::BTreeSet;
use std::path::Path;

/// The task of this corpus: at least as many one-file attacks.
const HOSTILE_SOURCES_MIN: usize = 50;

fn check_all(
    paths: &[std::path::PathBuf],
    check: impl Fn(&str, Vec<u8>) -> Findings,
    expect: impl Fn(&[u8]) -> BTreeSet<String>,
) {
    let mut failures = Vec::new();
    for path in paths {
        let bytes = std::fs::read(path).expect("the file is readable");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let wanted = expect(&bytes);
        let findings = check(&name, bytes);
        if ids(&findings) != wanted {
            failures.push(format!("{name}: wanted {wanted:?}, found\n{findings}"));
        }
        for finding in &findings {
            assert!(!finding.message.is_empty() && !finding.hint.is_empty(), "{name}: an empty message or hint");
        }
    }
    assert!(failures.is_empty(), "{} of {} files:\n{}", failures.len(), paths.len(), failures.join("\n"));
}

#[test]
fn hostile_sources_are_found_out_exactly() {
    let paths = files("tests/hostile/source", "rs");
    assert!(paths.len() >= HOSTILE_SOURCES_MIN, "only {} hostile files", paths.len());
    check_all(&paths, |name, bytes| check_source_bytes(name, &bytes), expectation);
}

#[test]
fn hostile_components_are_found_out_exactly() {
    let paths = files("tests/hostile/component", "wat");
    assert!(!paths.is_empty());
    let check = |_: &str, text: Vec<u8>| {
        let text = String::from_utf8(text).expect("the text format is text");
        check_component(wat::parse_str(text).expect("the attack is well-formed text")).err().unwrap_or_default()
    };
    check_all(&paths, check, expectation);
}

#[test]
fn honest_sources_raise_no_alarm() {
    let mut paths = files("tests/honest/source", "rs");
    assert!(paths.len() >= 12);
    paths.extend(files("examples/strategies", "rs"));
    paths.extend(files("guest-sdk/template", "rs"));
    check_all(&paths, |name, bytes| check_source_bytes(name, &bytes), |_| BTreeSet::new());
}

#[test]
fn every_code_of_the_source_pass_that_one_file_can_cause_has_an_attack() {
    // A crate's folder, a file of a megabyte: these have tests of their own.
    let elsewhere = ["S023", "S028", "S029"];
    let announced: BTreeSet<String> = files("tests/hostile/source", "rs")
        .iter()
        .flat_map(|path| expectation(&std::fs::read(Path::new(path)).expect("the file is readable")))
        .collect();
    let missing: Vec<&str> = Code::ALL
        .iter()
        .map(|code| code.id())
        .filter(|id| id.starts_with('S') && !elsewhere.contains(id) && !announced.contains(*id))
        .collect();
    assert!(missing.is_empty(), "no attack for {missing:?}");
}

/// The least that is a strategy, around a line.
fn around(line: &str) -> String {
    format!(
        "use assay_sdk::*;\nstruct S;\nimpl Strategy for S {{\n    fn initialize(_: &Config, _: &mut Exchange) -> Self {{\n        S\n    }}\n}}\nexport!(S);\nfn f(quote: &Quote, exchange: &mut Exchange) {{\n    {line}\n}}\n"
    )
}

#[test]
fn slips_that_compile_are_warned_of() {
    for (line, codes) in [
        ("let _ = quote.bid.unwrap();", "S030"),
        ("let _ = quote.ask.expect(\"an offer\").price;", "S030"),
        ("let _ = exchange.quote().bid.unwrap().price;", "S030"),
        ("let _ = quote.last.unwrap();", "S030"),
        ("let _ = quote.mid().unwrap() + exchange.quote().spread().unwrap() as f64;", "S030"),
        ("let _ = format!(\"{}\", quote.imbalance().unwrap());", "S030"),
        ("let _ = quote.level(Side::Buy).expect(\"a bid\");", "S030"),
        ("let _ = quote.bid.map(|bid| bid.price);", ""),
        ("let _ = quote.bid.unwrap_or_default();", ""),
        ("let _ = quote.mid().unwrap_or(0.0);", ""),
        ("let (bid, _) = (Some(1), 2); let _ = bid.unwrap();", ""),
        ("let _ = vec![1].last().unwrap();", ""),
        ("let _ = async { quote.volume };", "S022"),
        ("let _ = std::time::Instant::now();", "S012"),
        ("let _ = rand::random::<u64>();", "S018"),
        ("println!(\"{}\", quote.volume);", "S022"),
    ] {
        let findings = check_source_bytes("slip.rs", around(line).as_bytes());
        let wanted: BTreeSet<String> = codes.split_whitespace().map(str::to_owned).collect();
        assert_eq!(ids(&findings), wanted, "{line}:\n{findings}");
        let refused = matches!(codes, "S012" | "S018");
        assert_eq!(findings.has_errors(), refused, "{line}");
    }
}
