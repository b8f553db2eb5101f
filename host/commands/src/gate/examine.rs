//! One submission, from its bytes to its verdict.

use super::phases::add;
use super::plan::{Market, Plan};
use super::submissions::Entry;
use crate::prepare::{self, Prepared, PythonFile, Refused, Runnable};
use crate::{Failure, chain};
use assay_compile::{BuildSettings, Built, Origin, Source, Timings};
use assay_evaluate::{Guest, RunRecord, StrategyRecord, ToolRecord, Trial};
use assay_gate::judge::{Course, Evidence, RanIn};
use assay_gate::verdict::{Submission, SubmissionKind, Tool};
use assay_gate::{Verdict, judge};
use assay_model::Budget;
use assay_results::{Disclosure, kpis};
use assay_sandbox::python::PythonProgram;
use assay_sandbox::{Allowance, CompileError, LoadError, Program};
use assay_store::Kpi;
use assay_validator::{CheckedComponent, Code, Finding, Findings, Place};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A submission that has been read: what is judged is what was read, whatever becomes of the file.
pub(super) struct Opened {
    pub entry: Entry,
    /// BLAKE3 of it, if it could be read.
    pub hash: Option<String>,
    content: Result<Content, Findings>,
}

/// What was read.
enum Content {
    Rust(Source),
    Python(PythonFile),
}

/// A submission that can trade.
enum Loaded {
    Compiled(Program),
    Python(PythonProgram),
}

impl Loaded {
    fn guest(&self, budget: Budget, allowance: &Allowance) -> Guest {
        let guest = match self {
            Self::Compiled(program) => Guest::new(program.clone(), budget),
            Self::Python(program) => Guest::python(program.clone(), budget),
        };
        guest.within(allowance.clone())
    }
}

/// What came out of a submission.
pub(super) struct Examined {
    pub verdict: Verdict,
    /// What was measured where it ran, as far as that may be told: see [`Disclosure`].
    pub kpis: Vec<Kpi>,
}

/// Reads a submission. The error is of the person at the terminal.
pub(super) fn open(plan: &Plan, entry: &Entry) -> Result<Opened, Failure> {
    let started = Instant::now();
    let content = if entry.kind == SubmissionKind::PythonFile {
        PythonFile::open(&entry.path, entry.links)?.map(Content::Python).map_err(|refused| refused.findings)
    } else {
        prepare::open(&entry.path, entry.links)?.map(Content::Rust).map_err(|refused| refused.findings)
    };
    let hash = content.as_ref().ok().map(|content| match content {
        Content::Rust(source) => source.hash().to_string(),
        Content::Python(file) => file.hash().to_string(),
    });
    add(&plan.phases.checks, started.elapsed());
    Ok(Opened { entry: entry.clone(), hash, content })
}

/// Checks, compiles, runs and judges. `None` if it was asked to end before there was a verdict.
pub(super) fn examine(plan: &Plan, opened: &Opened, cancel: &AtomicBool) -> Option<Examined> {
    let mut case = Case::new(plan, opened);
    let prepared = match &opened.content {
        Ok(content) => case.prepare(content),
        Err(findings) => {
            case.findings = findings.clone();
            Err(Course::Refused)
        }
    };
    // What was found wrong with it stands, however late: no clock refuses a submission. Nor does it matter then what it has used up.
    if !matches!(prepared, Err(Course::Refused)) {
        if case.allowance.is_used_up() {
            return Some(case.out_of_time());
        }
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
    }
    let loaded = match prepared.and_then(|code| case.load(code)) {
        Err(Course::Refused) => return Some(case.conclude(Course::Refused)),
        _ if case.allowance.is_used_up() => return Some(case.out_of_time()),
        Ok(loaded) => loaded,
        Err(course) => return Some(case.conclude(course)),
    };
    let started = Instant::now();
    let records: Result<Vec<RunRecord>, String> =
        plan.markets.iter().map(|market| case.run(market, &loaded, cancel)).collect();
    add(&plan.phases.market, started.elapsed());
    if case.allowance.is_used_up() {
        return Some(case.out_of_time());
    }
    let records = match records {
        Ok(records) if records.iter().all(|record| record.complete) => records,
        Ok(_) => return None,
        Err(what) => return Some(case.conclude(Course::Unscored(what))),
    };
    Some(case.conclude(Course::Ran(&ran_in(plan, &records))))
}

/// The records of all markets, beside the policy.
fn ran_in<'a>(plan: &'a Plan, records: &'a [RunRecord]) -> Vec<RanIn<'a>> {
    let markets = plan.markets.iter().zip(records);
    markets.map(|(market, record)| RanIn { scenario: &market.rule, hidden: market.hidden.as_ref(), record }).collect()
}

/// The verdict about a submission that something of ours kept from being tried.
pub(super) fn unscored(plan: &Plan, opened: &Opened, what: String) -> Examined {
    Case::new(plan, opened).conclude(Course::Unscored(what))
}

/// The verdict about a submission that was there when the batch began, and is not any more, or cannot be read.
pub(super) fn vanished(plan: &Plan, entry: &Entry, failure: &Failure) -> Examined {
    let opened = Opened { entry: entry.clone(), hash: None, content: Err(Findings::new()) };
    unscored(plan, &opened, in_words(failure))
}

/// A submission on its way.
struct Case<'a> {
    plan: &'a Plan,
    opened: &'a Opened,
    submission: Submission,
    tool: Tool,
    findings: Findings,
    /// What it may compute in all.
    allowance: Allowance,
}

impl<'a> Case<'a> {
    fn new(plan: &'a Plan, opened: &'a Opened) -> Self {
        let submission = Submission {
            name: opened.entry.name.clone(),
            kind: opened.entry.kind,
            hash: opened.hash.clone(),
            component_hash: None,
            sdk_version: None,
            sdk_hash: None,
            rustc_version: None,
        };
        let mut tool = Plan::tool();
        if submission.kind == SubmissionKind::PythonFile {
            tool.python_component = plan.interpreter.get().ok().map(|engine| engine.component_hash().to_string());
        }
        let allowance = Allowance::new(plan.policy.budget.wall);
        Self { plan, opened, submission, tool, findings: Findings::new(), allowance }
    }

    /// Checks and compiles, as far as the policy lets it.
    fn prepare(&mut self, content: &Content) -> Result<Runnable, Course<'static>> {
        let Plan { policy, today, phases, build, interpreter, .. } = self.plan;
        let build = &BuildSettings { allowance: Some(self.allowance.clone()), ..build.clone() };
        let refuses = |findings: &Findings| policy.refuses(findings, self.opened.hash.as_deref(), *today);
        let started = Instant::now();
        let prepared = match content {
            Content::Rust(source) => prepare::build(build, source, &self.opened.entry.path, &refuses),
            Content::Python(file) => file.check(interpreter, &refuses),
        };
        let timings = match &prepared {
            Ok(Ok(Prepared { code: Runnable::Compiled { built, .. }, .. })) => built.timings,
            _ => Timings::default(),
        };
        let compile = timings.toolchain + timings.sdk + timings.compile;
        add(&phases.compile, compile);
        add(&phases.checks, started.elapsed().saturating_sub(compile));
        match prepared {
            Ok(Ok(Prepared { code, findings, .. })) => {
                self.findings = findings;
                if let Runnable::Compiled { checked, built } = &code {
                    self.made_of(checked, built);
                }
                // What the compiler warned about may be denied too.
                if refuses(&self.findings) { Err(Course::Refused) } else { Ok(code) }
            }
            Ok(Err(Refused { findings, .. })) => {
                self.findings = findings;
                Err(Course::Refused)
            }
            Err(failure) => Err(Course::Unscored(in_words(&failure))),
        }
    }

    fn made_of(&mut self, checked: &CheckedComponent, built: &Built) {
        if let Some(origin) = built.origin {
            self.plan.phases.kept.fetch_add(u64::from(origin == Origin::Cached), Ordering::Relaxed);
            self.plan.caches.note(origin, built.cache_warning.as_ref());
        }
        self.submission.component_hash = Some(checked.hash().to_string());
        if let Some(made_by) = &built.made_by {
            self.submission.sdk_version = Some(made_by.sdk_version.to_owned());
            self.submission.sdk_hash = Some(made_by.sdk_hash.to_string());
            self.submission.rustc_version = Some(made_by.rustc_version.clone());
        }
    }

    /// Makes machine code of it, unless an interpreter runs it.
    fn load(&mut self, code: Runnable) -> Result<Loaded, Course<'static>> {
        let checked = match code {
            Runnable::Python { engine, text, .. } => {
                return Ok(Loaded::Python(PythonProgram::new(engine, &self.submission.name, &text)));
            }
            Runnable::Compiled { checked, .. } => checked,
        };
        let started = Instant::now();
        let loaded = self.plan.sandbox.load_within(&checked, Some(&self.allowance));
        add(&self.plan.phases.translate, started.elapsed());
        match loaded {
            Ok(program) => {
                self.plan.caches.note(program.origin(), program.cache_warning());
                Ok(Loaded::Compiled(program))
            }
            Err(error @ LoadError::Compile(CompileError::Component(_))) => {
                let place = Place::File { file: self.opened.entry.path.display().to_string() };
                self.findings.push(Finding::new(Code::CompilerLimit, place, chain(&error)));
                Err(Course::Refused)
            }
            Err(error) => Err(Course::Unscored(chain(&error))),
        }
    }

    /// Every seed of one market.
    fn run(&self, market: &Market, loaded: &Loaded, cancel: &AtomicBool) -> Result<RunRecord, String> {
        let guest = loaded.guest(market.scenario.budget, &self.allowance);
        assay_evaluate::evaluate(&self.trial(market), &guest, &(), cancel).map_err(|error| chain(&error))
    }

    /// The verdict that it used up what it may compute, wherever it was by then.
    fn out_of_time(self) -> Examined {
        let plan = self.plan;
        let records: Vec<RunRecord> =
            plan.markets.iter().map(|market| assay_evaluate::not_run(&self.trial(market))).collect();
        self.conclude(Course::OutOfTime(&ran_in(plan, &records)))
    }

    fn trial<'b>(&'b self, market: &'b Market) -> Trial<'b> {
        let Self { submission, tool, .. } = self;
        let component = submission.component_hash.as_ref().or(tool.python_component.as_ref());
        Trial {
            scenario: &market.scenario,
            seeds: &market.seeds,
            threads: self.plan.threads,
            tool: ToolRecord { assay: tool.assay.clone(), wasmtime: tool.wasmtime.clone() },
            command: "assay gate".to_owned(),
            strategy: StrategyRecord {
                file_name: submission.name.clone(),
                source: None,
                source_hash: submission.hash.clone(),
                component_hash: component.cloned().unwrap_or_default(),
                sdk_version: submission.sdk_version.clone(),
                rustc_version: submission.rustc_version.clone(),
            },
            findings: Vec::new(),
            findings_omitted: 0,
            recorder: None,
            baselines: Some(&market.baselines),
        }
    }

    fn conclude(self, course: Course<'_>) -> Examined {
        let measured = |ran: &RanIn<'_>| {
            let disclosure = if ran.hidden.is_some() { Disclosure::AllTogether } else { Disclosure::BySeed };
            kpis(ran.record, disclosure)
        };
        let kpis = match &course {
            Course::Ran(runs) => runs.iter().flat_map(measured).collect(),
            Course::Refused | Course::Unscored(_) | Course::OutOfTime(_) => Vec::new(),
        };
        let path = self.opened.entry.path.to_string_lossy();
        let evidence = Evidence {
            submission: self.submission,
            path: &path,
            tool: self.tool,
            findings: &self.findings,
            course,
            today: self.plan.today,
        };
        Examined { verdict: judge(&self.plan.policy, evidence), kpis }
    }
}

fn in_words(failure: &Failure) -> String {
    match &failure.hint {
        Some(hint) => format!("{} ({hint})", failure.message),
        None => failure.message.clone(),
    }
}
