//! `assay gate keygen` and `assay gate verify`: keys that nobody else can read, and a yes or a no with the part that does not hold.

use assay_gate::sign::{PrivateKey, sign};
use assay_gate::verdict::{
    Check, Decision, PolicyReference, SCHEMA_NAME, SCHEMA_VERSION, Schema, Seeds, Submission, SubmissionKind, Tool,
    Trial, Verdict,
};
use assay_tests::{assay, show};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

const SUBMISSION: &str = "a strategy\n";
const POLICY: &str = "name = \"house\"\n[[scenarios]]\nscenario = \"rmsc04\"\npublic = 20\n\n[[rules]]\nname = \"quiet\"\nmeasure = \"orders\"\nbelow = 500\nwhy = \"It sends too many orders.\"\n";

fn verdict() -> Verdict {
    let hash = |text: &str| blake3::hash(text.as_bytes()).to_string();
    Verdict {
        schema: Schema { name: SCHEMA_NAME.to_owned(), version: SCHEMA_VERSION.to_owned() },
        decision: Decision::Pass,
        summary: "Every rule holds.\n::error::forged \u{1b}[2J".to_owned(),
        submission: Submission {
            name: "submission.rs".to_owned(),
            kind: SubmissionKind::RustFile,
            hash: Some(hash(SUBMISSION)),
            component_hash: Some(hash("component")),
            sdk_version: Some("0.1.0".to_owned()),
            sdk_hash: Some("5d".repeat(32)),
            rustc_version: Some("1.95.0".to_owned()),
        },
        policy: PolicyReference { name: "house".to_owned(), hash: hash(POLICY) },
        tool: Tool { assay: "0.1.0".to_owned(), wasmtime: "48.0.8".to_owned(), python_component: None },
        checks: ["outcome", "quiet"].map(passed).to_vec(),
        findings: Vec::new(),
        findings_omitted: 0,
        trials: vec![Trial {
            scenario: "rmsc04".to_owned(),
            scenario_hash: hash("scenario"),
            seeds: Seeds::Hidden { count: 20, commitment: hash("seeds") },
            record_hash: hash("record"),
        }],
    }
}

fn passed(rule: &str) -> Check {
    Check {
        rule: rule.to_owned(),
        policy_line: 1,
        scenario: "rmsc04".to_owned(),
        measure: None,
        asks: "every seed ends as finished".to_owned(),
        saw: "as allowed in 20 seeds".to_owned(),
        decision: Decision::Pass,
        hint: None,
    }
}

/// A folder with two key pairs, a submission, a policy, and a signed verdict about them.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["gate.key", "other.key"] {
        let output = assay(folder.path()).args(["gate", "keygen", name]).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{}", show(&output));
    }
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("written");
    write("submission.rs", SUBMISSION.as_bytes());
    write("other.rs", b"another strategy\n");
    write("gate.toml", POLICY.as_bytes());
    let pem = std::fs::read_to_string(folder.path().join("gate.key")).expect("it is there");
    let key = PrivateKey::from_pem(&pem).expect("a key");
    let signed = sign(&verdict(), &key).expect("signed");
    write("v.json", &signed);
    std::fs::create_dir_all(folder.path().join("crate/src")).expect("made");
    write("crate/Cargo.toml", b"[package]");
    write("crate/src/lib.rs", SUBMISSION.as_bytes());
    let mut of_crate = verdict();
    let source = assay_compile::Source::open(&folder.path().join("crate")).expect("a crate");
    (of_crate.submission.kind, of_crate.submission.hash) = (SubmissionKind::RustCrate, Some(source.hash().to_string()));
    write("crate.json", &sign(&of_crate, &key).expect("signed"));
    // What a rule said against it has been taken out.
    let mut cut = verdict();
    cut.checks.truncate(1);
    write("cut.json", &sign(&cut, &key).expect("signed"));
    write("changed.json", String::from_utf8(signed).expect("text").replacen("payload", "Payload", 1).as_bytes());
    write("huge.json", &vec![b' '; (16 << 20) + 1]);
    folder
}

fn check(folder: &Path, arguments: &[&str], exit: i32, words: &[&str]) {
    let output = assay(folder).arg("gate").args(arguments).output().expect("it runs");
    let text = show(&output);
    assert_eq!(output.status.code(), Some(exit), "{arguments:?}\n{text}");
    for word in words {
        assert!(text.contains(word), "{arguments:?}: {word:?}\n{text}");
    }
    assert!(!text.contains('\u{1b}') && !text.contains("forged\n") && !text.contains("\n::error::"), "{text}");
    assert!(!text.contains("PRIVATE KEY"), "{text}");
}

#[test]
fn keys_are_made_once_and_for_one_reader() {
    let folder = folder();
    let mode = |name: &str| folder.path().join(name).metadata().expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode("gate.key"), 0o600);
    assert_eq!(mode("gate.key.pub") & 0o400, 0o400);
    let before = std::fs::read(folder.path().join("gate.key")).expect("a key");
    check(folder.path(), &["keygen", "gate.key"], 2, &["already exists", "hint"]);
    std::fs::write(folder.path().join("half.key.pub"), "mine").expect("written");
    check(folder.path(), &["keygen", "half.key"], 2, &["half.key.pub already exists"]);
    assert!(!folder.path().join("half.key").exists());
    check(folder.path(), &["keygen", "nowhere/gate.key"], 2, &["nowhere"]);
    assert_eq!(std::fs::read(folder.path().join("gate.key")).expect("a key"), before);
}

#[test]
fn verdicts_are_rendered_and_signed_elsewhere() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("verdicts")).expect("made");
    let file = folder.path().join("verdicts/submission.rs.json");
    std::fs::write(&file, serde_json::to_vec_pretty(&verdict()).expect("JSON")).expect("written");
    let forms =
        ["report", "verdicts/submission.rs.json", "--junit", "j.xml", "--sarif", "s.json", "--markdown", "m.md"];
    let more = ["--code-quality", "q.json", "--github", "--key", "gate.key"];
    check(folder.path(), &[forms.as_slice(), &more].concat(), 0, &["Signed verdicts/submission.rs.dsse.json"]);
    for (name, word) in
        [("j.xml", "<testsuite "), ("s.json", "2.1.0"), ("m.md", "1 of 1 submissions pass"), ("q.json", "[]")]
    {
        let text = std::fs::read_to_string(folder.path().join(name)).expect("it is there");
        assert!(text.contains(word), "{name}: {text}");
    }
    let verify =
        ["verify", "verdicts/submission.rs.dsse.json", "--public-key", "gate.key.pub", "--submission", "submission.rs"];
    check(folder.path(), &verify, 0, &["matches submission.rs", "     valid"]);
    // A decision that does not follow, a list, no verdict, a key that others can read.
    let mut wrong = verdict();
    wrong.decision = Decision::Fail;
    let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).expect("written");
    write("wrong.json", serde_json::to_string(&wrong).expect("JSON"));
    write("list.json", serde_json::to_string(&[wrong]).expect("JSON"));
    check(folder.path(), &["report", "wrong.json", "--key", "gate.key"], 2, &["cannot be signed", "does not follow"]);
    check(folder.path(), &["report", "list.json", "--key", "gate.key"], 2, &["a list of verdicts", "hint"]);
    check(
        folder.path(),
        &["report", "list.json", "--github"],
        0,
        &["::error file=submission.rs,title=Submission fail::"],
    );
    check(folder.path(), &["report", "gate.toml", "--junit", "x.xml"], 2, &["gate.toml does not contain a verdict"]);
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(folder.path().join("gate.key"), open).expect("changed");
    check(
        folder.path(),
        &["report", "wrong.json", "--key", "gate.key"],
        2,
        &["can be read by others (mode 644)", "chmod 600"],
    );
    check(folder.path(), &["report", "wrong.json", "--key", "gate.toml"], 2, &["gate.toml"]);
}

#[test]
fn verify_says_which_part_does_not_hold() {
    let folder = folder();
    let cases: [(&[&str], i32, &[&str]); 16] = [
        (
            &["v.json", "--public-key", "gate.key.pub"],
            0,
            &["decision  pass", "not compared", "20 hidden seeds", "     valid  v.json"],
        ),
        (
            &["v.json", "--public-key", "gate.key.pub", "--submission", "submission.rs", "--policy", "gate.toml"],
            0,
            &["matches submission.rs", "matches gate.toml", "     valid  v.json"],
        ),
        (
            &["v.json", "--public-key", "gate.key.pub", "--submission", "other.rs", "--policy", "gate.toml"],
            1,
            &["submission  does not match", "matches gate.toml", " not valid  v.json"],
        ),
        (
            &["v.json", "--public-key", "gate.key.pub", "--policy", "other.rs"],
            1,
            &["policy  does not match", " not valid"],
        ),
        (
            &["cut.json", "--public-key", "gate.key.pub", "--policy", "gate.toml"],
            1,
            &["checks  do not match", "matches gate.toml", " not valid"],
        ),
        (&["v.json", "--public-key", "other.key.pub"], 1, &["not valid", "another key"]),
        (&["changed.json", "--public-key", "gate.key.pub"], 1, &["not valid", "not a signed verdict"]),
        (&["huge.json", "--public-key", "gate.key.pub"], 1, &["not valid", "more than 16777216 bytes"]),
        (&["submission.rs", "--public-key", "gate.key.pub"], 1, &["not valid", "not a signed verdict"]),
        (&["v.json", "--public-key", "gate.key"], 2, &["a private key, but a public key is needed"]),
        (&["v.json", "--public-key", "v.json"], 2, &["not a verification key", "gate keygen"]),
        (&["missing.json", "--public-key", "gate.key.pub"], 2, &["missing.json", "hint"]),
        (&["v.json", "--public-key", "gate.key.pub", "--submission", "missing.rs"], 2, &["missing.rs"]),
        (
            &["crate.json", "--public-key", "gate.key.pub", "--submission", "crate"],
            0,
            &["matches crate", "     valid  crate.json"],
        ),
        (&["v.json", "--public-key", "gate.key.pub", "--submission", "crate"], 1, &["submission  does not match"]),
        (&["v.json"], 2, &["--public-key"]),
    ];
    for (arguments, exit, words) in cases {
        check(folder.path(), &[&["verify"], arguments].concat(), exit, words);
    }
}
