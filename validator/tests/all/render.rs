//! What a person, a model and CI get to see.

use crate::support::{MEMORY, component, expected, files, ids, module};
use assay_validator::{Findings, JSON_SCHEMA, TextStyle, check_component, check_source, check_source_bytes, limits};
use serde_json::{Value, json};

const PLAIN: TextStyle = TextStyle { width: 100, colour: false };

fn example() -> Findings {
    check_source("guest.rs", "fn a() {\n    let größe = unsafe { 1 };\n    println!(\"{größe}\");\n}\n")
}

#[test]
fn text_shows_place_caret_and_hint() {
    let text = example().to_text(PLAIN);
    for part in [
        "S001 unsafe-code",
        "guest.rs:2:17",
        "let größe = unsafe { 1 };",
        "here",
        "help: Write it in safe Rust",
        "S022",
        "3 errors, 1 warning",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "no colour was asked for");
    let coloured = example().to_text(TextStyle { width: 100, colour: true });
    assert!(coloured.contains("\u{1b}["), "colour was asked for");
    assert_eq!(Findings::new().to_text(PLAIN), "");
}

#[test]
fn a_folder_that_nobody_knows_is_not_named() {
    let found = check_source("/tmp/copy/guest.rs", "fn a() { unsafe {} }").without_folder("/tmp/copy");
    assert!(found.to_string().contains(" guest.rs:1:"), "{found}");
    assert!(!found.to_json().to_string().contains("/tmp/"), "{found}");
}

#[test]
fn nothing_of_the_guest_reaches_the_terminal_unescaped() {
    let nasty = "fn a() { unsafe { \"\u{1b}[2J\u{202e}\u{7}\" } } // \u{200b}\u{e0041}\r";
    let name = "evil\u{1b}[2J\u{202e}.rs";
    for findings in [check_source(name, nasty), check_source_bytes(name, b"\xff"), check_source(name, "(")] {
        assert!(findings.has_errors());
        let outputs = [
            findings.to_text(PLAIN),
            findings.to_string(),
            findings.to_json().to_string(),
            findings.to_sarif(name).to_string(),
        ];
        for output in outputs {
            let hidden = output.chars().find(|&character| assay_validator::is_hidden(character));
            assert_eq!(hidden, None, "{output:?}");
        }
    }
}

#[test]
fn lines_of_a_million_characters_are_clipped() {
    let long = format!(
        "const A: &str = \"{}\"; fn a() {{ unsafe {{}} }} const B: &str = \"{}\";",
        "x".repeat(400_000),
        "y".repeat(400_000)
    );
    let text = check_source("long.rs", &long).to_text(PLAIN);
    assert!(text.len() < 4_000, "{} bytes", text.len());
    assert!(text.contains("fn a() { unsafe {} }"), "{text}");
}

#[test]
fn findings_are_sorted_and_capped() {
    let many = "unsafe { asm!() }; static mut A: u8 = 1; include!(); println!();\n".repeat(250);
    let findings = check_source("many.rs", &format!("fn a() {{\n{many}}}\n"));
    let kept: Vec<&str> = findings.iter().map(|finding| finding.code.id()).collect();
    for code in ["S001", "S009", "S010", "S016", "S022"] {
        let of_code = kept.iter().filter(|id| **id == code).count();
        assert!((1..=limits::FINDINGS_OF_A_CODE_MAX).contains(&of_code), "{of_code} of {code}");
    }
    assert_eq!(findings.iter().count(), limits::FINDINGS_MAX);
    // Five on each line and two for the entry points that are missing.
    assert_eq!((findings.count(), findings.errors(), findings.warnings(), findings.omitted()), (1252, 1002, 250, 1152));
    let lines: Vec<u64> = findings.to_json()["findings"]
        .as_array()
        .expect("findings are a list")
        .iter()
        .filter_map(|finding| finding["place"]["start"]["line"].as_u64())
        .collect();
    assert!(lines.is_sorted() && lines.first() == Some(&2), "{lines:?}");
    assert!(findings.to_text(PLAIN).contains("(1152 not shown)"));
    let one_code = check_source("one.rs", &"unsafe {}\n".repeat(250));
    assert_eq!(ids(&one_code), expected("S001 S027"));
    assert_eq!((one_code.iter().count(), one_code.errors()), (limits::FINDINGS_OF_A_CODE_MAX + 1, 251));
}

#[test]
fn json_has_everything_under_a_versioned_schema() {
    let document = example().to_json();
    assert_eq!(document["schema"], JSON_SCHEMA);
    assert_eq!((&document["errors"], &document["warnings"], &document["omitted"]), (&json!(3), &json!(1), &json!(0)));
    let finding = document["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|finding| finding["code"] == "S001")
        .expect("S001 is there");
    assert_eq!(finding["name"], "unsafe-code");
    assert_eq!(finding["severity"], "error");
    assert_eq!(finding["place"]["kind"], "source");
    assert_eq!(finding["place"]["start"], json!({ "line": 2, "column": 17 }));
    assert_eq!(finding["place"]["end"], json!({ "line": 2, "column": 23 }));
    let excerpt = &finding["place"]["excerpt"];
    let (text, start, length) = (excerpt["text"].as_str(), excerpt["start"].as_u64(), excerpt["length"].as_u64());
    let (Some(text), Some(start), Some(length)) = (text, start, length) else {
        panic!("an excerpt has three parts: {excerpt}")
    };
    assert_eq!(&text[start as usize..(start + length) as usize], "unsafe");
    for key in ["message", "why", "hint"] {
        assert!(finding[key].as_str().is_some_and(|text| !text.is_empty()), "{key}");
    }
}

/// The part of SARIF 2.1.0 that is used, closed: a property that the standard does not have would fail.
fn sarif_schema() -> Value {
    let text = json!({ "type": "object", "required": ["text"], "properties": { "text": { "type": "string", "minLength": 1 } }, "additionalProperties": false });
    let level = json!({ "enum": ["none", "note", "warning", "error"] });
    let positive = json!({ "type": "integer", "minimum": 1 });
    let natural = json!({ "type": "integer", "minimum": 0 });
    let object = |required: &[&str], properties: Value| json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false });
    let region = object(
        &[],
        json!({
            "startLine": positive, "startColumn": positive, "endLine": positive, "endColumn": positive, "byteOffset": natural, "byteLength": natural,
        }),
    );
    let location = object(
        &["physicalLocation"],
        json!({
            "physicalLocation": object(&["artifactLocation"], json!({
                "artifactLocation": object(&["uri"], json!({ "uri": { "type": "string", "pattern": "^([A-Za-z0-9._~/-]|%[0-9A-F]{2})*$" } })),
                "region": region,
            })),
            "logicalLocations": { "type": "array", "items": object(&["fullyQualifiedName"], json!({ "fullyQualifiedName": { "type": "string" } })) },
        }),
    );
    let result = object(
        &["ruleId", "ruleIndex", "level", "message", "locations"],
        json!({
            "ruleId": { "type": "string" }, "ruleIndex": natural, "level": level, "message": text,
            "locations": { "type": "array", "minItems": 1, "items": location },
        }),
    );
    let rule = object(
        &["id", "name", "shortDescription", "help", "defaultConfiguration"],
        json!({
            "id": { "type": "string", "pattern": "^[SPDCB][0-9]{3}$" }, "name": { "type": "string" }, "shortDescription": text,
            "fullDescription": text, "help": text, "defaultConfiguration": object(&["level"], json!({ "level": level })),
        }),
    );
    let driver = object(
        &["name", "rules"],
        json!({
            "name": { "type": "string" }, "semanticVersion": { "type": "string" }, "rules": { "type": "array", "uniqueItems": true, "items": rule },
        }),
    );
    let run = object(
        &["tool", "results"],
        json!({
            "tool": object(&["driver"], json!({ "driver": driver })), "columnKind": { "enum": ["utf16CodeUnits", "unicodeCodePoints"] },
            "properties": { "type": "object" }, "results": { "type": "array", "items": result },
        }),
    );
    object(
        &["version", "runs"],
        json!({
            "$schema": { "type": "string" }, "version": { "const": "2.1.0" }, "runs": { "type": "array", "minItems": 1, "items": run },
        }),
    )
}

#[test]
fn sarif_has_the_structure_of_the_standard() {
    let schema = jsonschema::validator_for(&sarif_schema()).expect("the schema is one");
    let mut logs = vec![Findings::new().to_sarif("x.wasm"), example().to_sarif("x.wasm")];
    let bomb = component(&module(MEMORY, "table.size 0 drop", "(table 1 1 funcref) (memory 1)"));
    logs.push(check_component(bomb).expect_err("a bomb is refused").to_sarif("a folder/größe.wasm"));
    for path in files("tests/hostile/source", "rs") {
        let bytes = std::fs::read(&path).expect("the file is readable");
        logs.push(check_source_bytes("source.rs", &bytes).to_sarif("x.wasm"));
    }
    for log in logs {
        let errors: Vec<String> = schema.iter_errors(&log).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}\n{log:#}");
        let run = &log["runs"][0];
        for result in run["results"].as_array().expect("results are a list") {
            let index = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        }
    }
}
