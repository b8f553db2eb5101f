//! Verdicts to render, and the tools that read the renderings.

use assay_gate::output::Context;
use assay_gate::verdict::{
    Check, Decision, Finding, Level, Place, PolicyReference, Region, SCHEMA_NAME, SCHEMA_VERSION, Schema, Seeds,
    SignOff, Submission, SubmissionKind, Tool, Trial, Verdict,
};
use cargo_metadata::MetadataCommand;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the batch lies.
pub(crate) const CONTEXT: Context<'_> = Context { policy_file: "ci/gate.toml", folder: "submissions", exit_code: 3 };

/// A verdict with one passed check.
pub(crate) fn passed(name: &str) -> Verdict {
    Verdict {
        schema: Schema { name: SCHEMA_NAME.to_owned(), version: SCHEMA_VERSION.to_owned() },
        decision: Decision::Pass,
        summary: "Every rule holds.".to_owned(),
        submission: Submission {
            name: name.to_owned(),
            kind: SubmissionKind::RustFile,
            hash: Some("a1".repeat(32)),
            component_hash: Some("b2".repeat(32)),
            sdk_version: Some("0.1.0".to_owned()),
            sdk_hash: Some("5d".repeat(32)),
            rustc_version: Some("1.95.0".to_owned()),
        },
        policy: PolicyReference { name: "house".to_owned(), hash: "c3".repeat(32) },
        tool: Tool { assay: "0.1.0".to_owned(), wasmtime: "48.0.8".to_owned(), python_component: None },
        checks: vec![
            check("outcome", Decision::Pass),
            Check { scenario: "volatile".to_owned(), ..check("outcome", Decision::Pass) },
        ],
        findings: Vec::new(),
        findings_omitted: 0,
        trials: vec![
            trial("rmsc04", Seeds::Public { seeds: vec![1, 2, 3] }),
            trial("volatile", Seeds::Hidden { count: 20, commitment: "d4".repeat(32) }),
        ],
    }
}

fn trial(scenario: &str, seeds: Seeds) -> Trial {
    let (scenario_hash, record_hash) = ("e5".repeat(32), "f6".repeat(32));
    Trial { scenario: scenario.to_owned(), scenario_hash, seeds, record_hash }
}

/// A check of that name.
pub(crate) fn check(rule: &str, decision: Decision) -> Check {
    Check {
        rule: rule.to_owned(),
        policy_line: 12,
        scenario: "rmsc04".to_owned(),
        measure: Some("pnl".to_owned()),
        asks: "lower 95% bound of PnL above 0 cents".to_owned(),
        saw: "-1,204 cents (mean 310, 20 seeds)".to_owned(),
        decision,
        hint: (decision != Decision::Pass).then(|| "Look at the inventory chart of the report.".to_owned()),
    }
}

/// A finding at a place in the submission.
pub(crate) fn finding(code: &str, file: &str, line: u32) -> Finding {
    let region = Some(Region { start_line: line, start_column: 5, end_line: line, end_column: 11 });
    Finding {
        code: code.to_owned(),
        level: Level::Error,
        place: Place { file: file.to_owned(), region, logical: None, byte_offset: None },
        message: "The keyword `unsafe`.".to_owned(),
        observed: Some("unsafe".to_owned()),
        limit: None,
        hint: "Write it in safe Rust; see [the guide](guide.md) {0}.".to_owned(),
        sign_off: None,
    }
}

/// The same with these findings, decided anew.
pub(crate) fn with_findings(mut verdict: Verdict, findings: Vec<Finding>) -> Verdict {
    verdict.findings = findings;
    decided(verdict)
}

/// With the decision that follows; what is rejected never ran.
pub(crate) fn decided(mut verdict: Verdict) -> Verdict {
    let refused = verdict.findings.iter().any(|finding| finding.level == Level::Error && finding.sign_off.is_none());
    let worst = verdict.checks.iter().map(|check| check.decision).max();
    verdict.decision = if refused { Decision::Rejected } else { worst.unwrap_or(Decision::Unscored) };
    if refused || worst.is_none() {
        (verdict.checks, verdict.trials) = (Vec::new(), Vec::new());
    }
    verdict.summary = format!("It is a {:?}.", verdict.decision);
    verdict
}

/// One of each decision: pass, pass with a sign-off, fail, unscored rule, unscored as a whole, rejected.
pub(crate) fn one_of_each() -> Vec<Verdict> {
    let mut accepted = finding("S001", "accepted.rs", 3);
    accepted.sign_off = Some(SignOff { by: "Ada".to_owned(), reason: "reviewed by hand".to_owned() });
    let mut warning = finding("B003", "accepted.rs", 4);
    warning.level = Level::Warning;
    let failing = |decision| {
        let mut verdict = passed("folder/failed.rs");
        verdict.checks.push(check("drawdown", decision));
        decided(verdict)
    };
    let mut blank = passed("blank.rs");
    blank.checks.clear();
    let mut component = finding("C002", "refused.wasm", 1);
    (component.place.region, component.place.byte_offset) = (None, Some(77));
    component.place.logical = Some("code: function 3 on_market_data".to_owned());
    let mut binary = with_findings(passed("refused.wasm"), vec![component]);
    binary.submission.kind = SubmissionKind::Component;
    vec![
        passed("good.rs"),
        with_findings(passed("accepted.rs"), vec![accepted, warning]),
        failing(Decision::Fail),
        failing(Decision::Unscored),
        decided(blank),
        with_findings(passed("refused.rs"), vec![finding("S001", "refused.rs", 9), finding("S002", "refused.rs", 10)]),
        binary,
    ]
}

/// The folder of the tests' Python part.
pub(crate) fn python_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/python")
}

/// Runs the reader of `tests/python` over a folder and returns what it has seen.
pub(crate) fn read_by_others(folder: &Path) -> Value {
    let setup = Command::new(python_folder().join("setup")).arg("--where").output().expect("bash is there");
    let python = String::from_utf8(setup.stdout).expect("a path");
    let output = Command::new(python.trim())
        .arg(python_folder().join("reads.py"))
        .arg(folder)
        .output()
        .expect("run `make setup-python` first");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("the reader prints JSON")
}

/// The official schema of SARIF 2.1.0, which a crate carries along that is fetched and not compiled.
pub(crate) fn sarif_schema() -> Value {
    let metadata = MetadataCommand::new()
        .manifest_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .other_options(["--locked".to_owned()])
        .exec()
        .expect("cargo reads the workspace, and may have to fetch a crate");
    let carrier = metadata.packages.iter().find(|package| package.name.as_str() == "serde-sarif").expect("it is used");
    let file = carrier.manifest_path.parent().expect("a folder").join("src/schema.json");
    serde_json::from_slice(&std::fs::read(file).expect("the schema is there")).expect("it is JSON")
}
