//! `JUnit` XML, the form that the xUnit plugin of Jenkins defines (`junit-10.xsd`) and that every CI reads.
//!
//! A suite for each submission. Its cases are the passes of the static check, each rule in each scenario, and, where a submission was rejected or
//! nothing is known of it and none of these says why, the submission itself. Rejected and failed are failures; unscored is an error, for it says
//! nothing about the submission; what was never reached is skipped. There is no time in it, as there is none in a verdict.

use super::text::{line, lines};
use crate::verdict::{Decision, Finding, Level, Seeds, SubmissionKind, Verdict};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io::Result;

/// Bytes of a name or a value.
const NAME_BYTES_MAX: usize = 500;
/// Bytes of a message or of the text below it.
const TEXT_BYTES_MAX: usize = 10_000;

/// One case.
struct Case {
    name: String,
    end: End,
    /// What is worth reading though it decides nothing.
    notes: String,
}

/// How a case ended.
enum End {
    Passed,
    /// What happened in a line, and all of it.
    Failed(Decision, String, String),
    Skipped(&'static str),
}

/// The verdicts as one document.
#[must_use]
pub fn junit(verdicts: &[Verdict]) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    let written = document(&mut writer, verdicts);
    debug_assert!(written.is_ok(), "writing to memory cannot fail");
    String::from_utf8_lossy(&writer.into_inner()).into_owned() + "\n"
}

fn document(writer: &mut Writer<Vec<u8>>, verdicts: &[Verdict]) -> Result<()> {
    let suites: Vec<Vec<Case>> = verdicts.iter().map(cases).collect();
    let sum = |count: fn(&[Case]) -> usize| suites.iter().map(|cases| count(cases)).sum::<usize>().to_string();
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    writer
        .create_element("testsuites")
        .with_attributes([
            ("name", "assay gate"),
            ("tests", &sum(<[Case]>::len)),
            ("failures", &sum(failures)),
            ("errors", &sum(errors)),
        ])
        .write_inner_content(|writer| {
            verdicts.iter().zip(&suites).try_for_each(|(verdict, cases)| suite(writer, verdict, cases))
        })?;
    Ok(())
}

fn suite(writer: &mut Writer<Vec<u8>>, verdict: &Verdict, cases: &[Case]) -> Result<()> {
    let mut name = line(&verdict.submission.name, NAME_BYTES_MAX);
    if name.is_empty() {
        name.push('?');
    }
    writer
        .create_element("testsuite")
        .with_attributes([
            ("name", name.as_str()),
            ("tests", &cases.len().to_string()),
            ("failures", &failures(cases).to_string()),
            ("errors", &errors(cases).to_string()),
            ("skipped", &cases.iter().filter(|case| matches!(case.end, End::Skipped(_))).count().to_string()),
        ])
        .write_inner_content(|writer| {
            writer.create_element("properties").write_inner_content(|writer| {
                properties(verdict).iter().try_for_each(|(name, value)| {
                    let attributes = [("name", line(name, NAME_BYTES_MAX)), ("value", line(value, NAME_BYTES_MAX))];
                    let attributes = attributes.iter().map(|(name, value)| (*name, value.as_str()));
                    writer.create_element("property").with_attributes(attributes).write_empty().map(|_| ())
                })
            })?;
            cases.iter().try_for_each(|case| write_case(writer, &name, case))
        })?;
    Ok(())
}

fn write_case(writer: &mut Writer<Vec<u8>>, suite: &str, case: &Case) -> Result<()> {
    writer
        .create_element("testcase")
        .with_attributes([("classname", suite), ("name", &line(&case.name, NAME_BYTES_MAX))])
        .write_inner_content(|writer| {
            match &case.end {
                End::Passed => {}
                End::Skipped(why) => {
                    writer.create_element("skipped").with_attribute(("message", *why)).write_empty()?;
                }
                End::Failed(decision, message, text) => {
                    let element = if *decision == Decision::Unscored { "error" } else { "failure" };
                    let attributes = [("type", decision.word()), ("message", &line(message, NAME_BYTES_MAX))];
                    let text = lines(text, TEXT_BYTES_MAX);
                    writer
                        .create_element(element)
                        .with_attributes(attributes)
                        .write_text_content(BytesText::new(&text))?;
                }
            }
            if !case.notes.is_empty() {
                let notes = lines(&case.notes, TEXT_BYTES_MAX);
                writer.create_element("system-out").write_text_content(BytesText::new(&notes))?;
            }
            Ok(())
        })?;
    Ok(())
}

fn failures(cases: &[Case]) -> usize {
    let failed =
        |case: &&Case| matches!(case.end, End::Failed(Decision::Fail | Decision::Rejected | Decision::Pass, ..));
    cases.iter().filter(failed).count()
}

fn errors(cases: &[Case]) -> usize {
    cases.iter().filter(|case| matches!(case.end, End::Failed(Decision::Unscored, ..))).count()
}

/// What names the thing that was judged, and what judged it.
fn properties(verdict: &Verdict) -> Vec<(String, String)> {
    let (submission, tool) = (&verdict.submission, &verdict.tool);
    let mut all = vec![("decision".to_owned(), verdict.decision.word().to_owned())];
    let mut add = |name: &str, value: Option<&String>| all.extend(value.map(|value| (name.to_owned(), value.clone())));
    add("summary", Some(&verdict.summary));
    add("submission.blake3", submission.hash.as_ref());
    add("component.blake3", submission.component_hash.as_ref());
    add("sdk.version", submission.sdk_version.as_ref());
    add("sdk.blake3", submission.sdk_hash.as_ref());
    add("rustc.version", submission.rustc_version.as_ref());
    add("policy.name", Some(&verdict.policy.name));
    add("policy.blake3", Some(&verdict.policy.hash));
    add("assay.version", Some(&tool.assay));
    add("wasmtime.version", Some(&tool.wasmtime));
    add("python.blake3", tool.python_component.as_ref());
    for trial in &verdict.trials {
        let seeds = match &trial.seeds {
            Seeds::Public { seeds } => seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(","),
            Seeds::Hidden { count, commitment } => format!("{count} hidden, commitment {commitment}"),
        };
        add(&format!("scenario.{}.blake3", trial.scenario), Some(&trial.scenario_hash));
        add(&format!("scenario.{}.seeds", trial.scenario), Some(&seeds));
        add(&format!("scenario.{}.record.blake3", trial.scenario), Some(&trial.record_hash));
    }
    all
}

fn cases(verdict: &Verdict) -> Vec<Case> {
    let mut cases = static_cases(verdict);
    cases.extend(verdict.checks.iter().map(|check| {
        let hint = check.hint.as_deref().unwrap_or_default();
        let text = format!("asked: {}\nseen: {}\n{hint}", check.asks, check.saw);
        Case {
            name: format!("{} ({})", check.rule, check.scenario),
            end: match check.decision {
                Decision::Pass => End::Passed,
                decision => End::Failed(decision, format!("asked: {}; seen: {}", check.asks, check.saw), text),
            },
            notes: if check.decision == Decision::Pass { format!("seen: {}", check.saw) } else { String::new() },
        }
    }));
    let explained = cases.iter().any(|case| matches!(case.end, End::Failed(..)));
    let end = match verdict.decision {
        Decision::Pass if cases.is_empty() => End::Passed,
        Decision::Fail | Decision::Unscored | Decision::Rejected if !explained => {
            End::Failed(verdict.decision, verdict.summary.clone(), verdict.summary.clone())
        }
        _ => return cases,
    };
    cases.insert(0, Case { name: "submission".to_owned(), end, notes: String::new() });
    cases
}

/// The passes of the static check that apply, by the letter of their findings.
fn static_cases(verdict: &Verdict) -> Vec<Case> {
    let mut passes: Vec<(&str, &str)> = match verdict.submission.kind {
        SubmissionKind::RustFile => vec![("S", "source"), ("B", "build"), ("C", "component")],
        SubmissionKind::RustCrate => vec![("S", "source"), ("D", "dependencies"), ("B", "build"), ("C", "component")],
        SubmissionKind::Component => vec![("C", "component")],
        SubmissionKind::PythonFile => vec![("P", "source")],
        SubmissionKind::Unknown => Vec::new(),
    };
    let known = passes.clone();
    let is_other = |finding: &Finding| !known.iter().any(|(letter, _)| finding.code.starts_with(letter));
    if verdict.findings.iter().any(is_other) {
        passes.insert(0, ("", "other"));
    }
    // Where nothing ran, a pass without a finding need not have been reached.
    let ran = verdict.decision != Decision::Unscored || !verdict.checks.is_empty();
    let mut refused = false;
    let mut cases = Vec::new();
    for (letter, name) in passes {
        let of_pass =
            |finding: &&Finding| if letter.is_empty() { is_other(finding) } else { finding.code.starts_with(letter) };
        let findings = verdict.findings.iter().filter(of_pass);
        let refuses = |finding: &&Finding| finding.level == Level::Error && finding.sign_off.is_none();
        let (errors, notes): (Vec<&Finding>, Vec<&Finding>) = findings.partition(refuses);
        let end = match errors.first() {
            Some(first) => End::Failed(Decision::Rejected, format!("{}: {}", first.code, first.message), list(&errors)),
            // Build and component come after the others, which run side by side.
            None if ran && !(refused && matches!(letter, "B" | "C")) => End::Passed,
            None => End::Skipped("not reached"),
        };
        refused |= !errors.is_empty();
        cases.push(Case { name: format!("check: {name}"), end, notes: list(&notes) });
    }
    cases
}

fn list(findings: &[&Finding]) -> String {
    let text = |finding: &&Finding| {
        let region = finding.place.region;
        let at = region.map(|at| format!(":{}:{}", at.start_line, at.start_column)).unwrap_or_default();
        let accepted = finding.sign_off.as_ref();
        let accepted = accepted.map(|sign_off| format!(" (accepted by {}: {})", sign_off.by, sign_off.reason));
        format!(
            "{}{at}: {} {} {}{}",
            line(&finding.place.file, NAME_BYTES_MAX),
            finding.code,
            finding.message,
            finding.hint,
            accepted.unwrap_or_default()
        )
    };
    findings.iter().map(text).collect::<Vec<_>>().join("\n")
}
