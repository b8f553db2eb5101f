//! One submission, from its bytes to its verdict.

use super::plan::{Market, Plan};
use super::submissions::Entry;
use crate::commands::prepare::{self, Prepared, Refused, Runnable};
use crate::exit::{Exit, Failure, chain};
use assay_build::{Source, Timings};
use assay_evaluate::{Guest, RunRecord, StrategyRecord, ToolRecord, Trial};
use assay_gate::judge::{Course, Evidence, RanIn};
use assay_gate::verdict::{Submission, SubmissionKind};
use assay_gate::{Verdict, judge};
use assay_sandbox::{CompileError, LoadError, Program};
use assay_validator::{CheckedComponent, Code, Finding, Findings, Place};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A submission that has been read: what is judged is what was read, whatever becomes of the file.
pub(super) struct Opened {
    pub entry: Entry,
    /// BLAKE3 of it, if it could be read.
    pub hash: Option<String>,
    source: Result<Source, Findings>,
}

/// Where the time of all submissions together went, in microseconds.
#[derive(Default)]
pub(super) struct Phases {
    /// Checks of source and component, wrapping.
    pub checks: AtomicU64,
    /// rustc and what comes before it.
    pub compile: AtomicU64,
    /// WebAssembly to machine code.
    pub translate: AtomicU64,
    /// Episodes.
    pub market: AtomicU64,
}

fn add(phase: &AtomicU64, time: Duration) {
    phase.fetch_add(u64::try_from(time.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

/// Reads a submission. The error is of the person at the terminal.
pub(super) fn open(plan: &Plan, entry: &Entry) -> Result<Opened, Failure> {
    if entry.kind == SubmissionKind::PythonFile {
        return Err(Failure::usage(format!("{}: Python strategies cannot be gated yet", entry.name))
            .hint("`assay run` puts one on trial"));
    }
    let started = Instant::now();
    let source = if entry.is_link {
        let place = Place::File { file: entry.path.display().to_string() };
        Err(Findings::from_iter([Finding::new(
            Code::UnreadableSource,
            place,
            "the submission is a link to somewhere else",
        )]))
    } else {
        prepare::open(&entry.path)?.map_err(|refused| refused.findings)
    };
    let hash = source.as_ref().ok().map(|source| source.hash().to_string());
    add(&plan.phases.checks, started.elapsed());
    Ok(Opened { entry: entry.clone(), hash, source })
}

/// Checks, compiles, runs and judges. `None` if it was asked to end before there was a verdict.
pub(super) fn examine(plan: &Plan, opened: &Opened, cancel: &AtomicBool) -> Option<Verdict> {
    let mut case = Case { plan, opened, submission: submission(opened), findings: Findings::new() };
    let source = match &opened.source {
        Ok(source) => source,
        Err(findings) => {
            case.findings = findings.clone();
            return Some(case.conclude(Course::Refused));
        }
    };
    let checked = match case.prepare(source) {
        Ok(checked) => checked,
        Err(course) => return Some(case.conclude(course)),
    };
    if cancel.load(Ordering::Relaxed) {
        return None;
    }
    let started = Instant::now();
    let loaded = plan.sandbox.load(&checked);
    add(&plan.phases.translate, started.elapsed());
    let program = match loaded {
        Ok(program) => program,
        Err(error @ LoadError::Compile(CompileError::Component(_))) => {
            let place = Place::File { file: opened.entry.path.display().to_string() };
            case.findings.push(Finding::new(Code::CompilerLimit, place, chain(&error)));
            return Some(case.conclude(Course::Refused));
        }
        Err(error) => return Some(case.conclude(Course::Unscored(chain(&error)))),
    };
    let started = Instant::now();
    let records: Result<Vec<RunRecord>, String> =
        plan.markets.iter().map(|market| run(plan, market, &program, &case.submission, cancel)).collect();
    add(&plan.phases.market, started.elapsed());
    let records = match records {
        Ok(records) if records.iter().all(|record| record.complete) => records,
        Ok(_) => return None,
        Err(what) => return Some(case.conclude(Course::Unscored(what))),
    };
    let runs: Vec<RanIn<'_>> = plan
        .markets
        .iter()
        .zip(&records)
        .map(|(market, record)| RanIn { scenario: &market.rule, hidden: market.hidden.as_ref(), record })
        .collect();
    Some(case.conclude(Course::Ran(&runs)))
}

/// The verdict about a submission that something of ours kept from being tried.
pub(super) fn unscored(plan: &Plan, opened: &Opened, what: String) -> Verdict {
    let case = Case { plan, opened, submission: submission(opened), findings: Findings::new() };
    case.conclude(Course::Unscored(what))
}

/// The verdict about a submission that was there when the batch began, and is not any more, or cannot be read.
pub(super) fn vanished(plan: &Plan, entry: &Entry, failure: &Failure) -> Verdict {
    let opened = Opened { entry: entry.clone(), hash: None, source: Err(Findings::new()) };
    unscored(plan, &opened, in_words(failure))
}

fn submission(opened: &Opened) -> Submission {
    Submission {
        name: opened.entry.name.clone(),
        kind: opened.entry.kind,
        hash: opened.hash.clone(),
        component_hash: None,
        sdk_version: None,
        rustc_version: None,
    }
}

/// A submission on its way.
struct Case<'a> {
    plan: &'a Plan,
    opened: &'a Opened,
    submission: Submission,
    findings: Findings,
}

impl Case<'_> {
    /// Checks and compiles, as far as the policy lets it.
    fn prepare(&mut self, source: &Source) -> Result<CheckedComponent, Course<'static>> {
        let Plan { policy, today, phases, build, .. } = self.plan;
        let refuses = |findings: &Findings| policy.refuses(findings, self.opened.hash.as_deref(), *today);
        let started = Instant::now();
        let prepared = prepare::build(build, source, &self.opened.entry.path, &refuses);
        let timings = match &prepared {
            Ok(Ok(Prepared { code: Runnable::Compiled { built, .. }, .. })) => built.timings,
            _ => Timings::default(),
        };
        let compile = timings.toolchain + timings.sdk + timings.compile;
        add(&phases.compile, compile);
        add(&phases.checks, started.elapsed().saturating_sub(compile));
        match prepared {
            Ok(Ok(Prepared { code: Runnable::Python { .. }, .. })) => {
                Err(Course::Unscored("Python strategies cannot be gated yet".to_owned()))
            }
            Ok(Ok(Prepared { code: Runnable::Compiled { checked, built }, findings, .. })) => {
                self.findings = findings;
                self.submission.component_hash = Some(checked.hash().to_string());
                if let Some(made_by) = &built.made_by {
                    self.submission.sdk_version = Some(made_by.sdk_version.to_owned());
                    self.submission.rustc_version = Some(made_by.rustc_version.clone());
                }
                // What the compiler warned about may be denied too.
                if refuses(&self.findings) { Err(Course::Refused) } else { Ok(checked) }
            }
            Ok(Err(Refused { findings, .. })) => {
                self.findings = findings;
                Err(Course::Refused)
            }
            Err(failure) => Err(Course::Unscored(in_words(&failure))),
        }
    }

    fn conclude(self, course: Course<'_>) -> Verdict {
        let path = self.opened.entry.path.to_string_lossy();
        let evidence = Evidence {
            submission: self.submission,
            path: &path,
            tool: Plan::tool(),
            findings: &self.findings,
            course,
            today: self.plan.today,
        };
        judge(&self.plan.policy, evidence)
    }
}

fn in_words(failure: &Failure) -> String {
    match &failure.hint {
        Some(hint) => format!("{} ({hint})", failure.message),
        None => failure.message.clone(),
    }
}

fn run(
    plan: &Plan,
    market: &Market,
    program: &Program,
    submission: &Submission,
    cancel: &AtomicBool,
) -> Result<RunRecord, String> {
    let tool = Plan::tool();
    let trial = Trial {
        scenario: &market.scenario,
        seeds: &market.seeds,
        threads: plan.threads,
        tool: ToolRecord { assay: tool.assay, wasmtime: tool.wasmtime },
        command: "assay gate".to_owned(),
        strategy: StrategyRecord {
            file_name: submission.name.clone(),
            source: None,
            source_hash: submission.hash.clone(),
            component_hash: submission.component_hash.clone().unwrap_or_default(),
            sdk_version: submission.sdk_version.clone(),
            rustc_version: submission.rustc_version.clone(),
        },
        findings: Vec::new(),
        findings_omitted: 0,
        recorder: None,
        baselines: Some(&market.baselines),
    };
    let guest = Guest::new(program.clone(), market.scenario.budget);
    assay_evaluate::evaluate(&trial, &guest, &(), cancel).map_err(|error| chain(&error))
}

/// What an interrupted command says.
pub(super) fn interrupted(message: String) -> Failure {
    Failure { exit: Exit::Interrupted, message, hint: None }
}
