//! Policies, verdicts in every form they are shown in, and signed verdicts.

use assay_gate::policy::{POLICY_BYTES_MAX, POLICY_RULES_MAX};
use assay_gate::sign::{PrivateKey, sign, verify};
use assay_gate::{Policy, Verdict, output};
use std::sync::LazyLock;

/// A key of these tests' own.
static KEY: LazyLock<PrivateKey> = LazyLock::new(|| PrivateKey::from_secret(&[0x42; 32]));

/// A policy's text is refused at a place in it, or becomes a policy without contradictions.
pub fn policy(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    match Policy::parse(text) {
        Ok(policy) => {
            assert!(text.len() <= POLICY_BYTES_MAX, "longer than any policy");
            assert_eq!(policy.hash, blake3::hash(bytes).to_string(), "it is of this text");
            assert!(!policy.scenarios.is_empty() && policy.rules.len() <= POLICY_RULES_MAX);
            for rule in &policy.rules {
                assert!(rule.lower.is_some() || rule.upper.is_some(), "{} asks for nothing", rule.name);
            }
            let lines = text.lines().count() as u32;
            assert!(policy.rules.iter().all(|rule| (1..=lines).contains(&rule.line)), "a rule from no line");
        }
        Err(error) => {
            let lines = text.split('\n').count() as u32;
            assert!((1..=lines).contains(&error.line) && error.column >= 1, "{error} is outside of the text");
            let (line, meant) = &error.excerpt;
            assert!(error.column as usize + meant <= line.chars().count() + 2, "{error} is outside of its line");
        }
    }
}

/// Bytes are not a signed verdict unless the key signed them. A verdict, whatever it says, is shown in every form; signed, it is taken as it was.
pub fn verdict(bytes: &[u8]) {
    assert!(verify(bytes, &KEY.public()).is_err(), "nobody signed this");
    let Ok(verdict) = serde_json::from_slice::<Verdict>(bytes) else { return };
    let verdicts = std::slice::from_ref(&verdict);
    let context = output::Context { policy_file: "gate.toml", folder: "", exit_code: 0 };
    let shown = [
        output::junit(verdicts),
        output::markdown(verdicts, &context),
        output::annotations(verdicts, &context),
        output::sarif(verdicts, &context).to_string(),
        output::code_quality(verdicts, &context).to_string(),
    ];
    for form in shown {
        assert!(!form.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "a control character in {form}");
    }
    if let Ok(file) = sign(&verdict, &KEY) {
        assert_eq!(verify(&file, &KEY.public()).expect("it was signed"), verdict);
    }
}
