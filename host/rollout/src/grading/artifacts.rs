//! What was graded, kept so that it can be audited and graded again: `grading.json`, `log.txt`, `junit.xml`, `submission.patch`.
//!
//! Invariants: `grading.json` is written last and names the digests of the others; the trajectory names its digest, and so its hash chain vouches
//! for all of them. Nothing that is there is overwritten with something else.

use std::io;
use std::path::{Path, PathBuf};

use assay_files::{Folder, Links};
use assay_grade::StatusMap;
use assay_grade::rule::{self, Ended, Evidence, Flag, Rule, Run, Scenario, Verdict};
use assay_trace::score::ScoreNode;
use assay_tree::Digest;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::control;
use super::{ArtifactFolder, Control, EpisodeFacts, Graded, SecondOpinion, score};
use crate::reward::CustomReward;

/// The version of `grading.json`; it grows when older readers would misread.
const VERSION: u32 = 1;
/// The record's name in its folder.
pub(super) const RECORD: &str = "grading.json";
const LOG: &str = "log.txt";
const JUNIT: &str = "junit.xml";
pub(super) const PATCH: &str = "submission.patch";
/// Bytes of an artifact that are read back; what is written is limited by the bench and by the plan.
const ARTIFACT_BYTES_MAX: u64 = 1 << 30;
/// Contradicted successes of one episode after which it is worth nothing.
const CONTRADICTED_MAX: u32 = 2;
/// Who may read what is kept.
const MODE: u32 = 0o644;

/// All that a rule is told, and what it said: `grading.json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GradingRecord {
    /// The version of this form.
    pub version: u32,
    /// The task.
    pub instance_id: String,
    /// What the container was labelled with.
    pub label: String,
    /// Which rule scored.
    pub rule: Rule,
    /// What was graded against; none where nothing ran.
    pub scenario: Option<Scenario>,
    /// How the tests ended; none where nothing ran.
    pub ended: Option<Ended>,
    /// How often the tests ran.
    pub runs: u32,
    /// What the control run of an older version showed.
    #[serde(default)]
    pub control: Option<Control>,
    /// What the confirming runs showed, where there were any.
    #[serde(default)]
    pub controls: Vec<Control>,
    /// Why there could be none.
    #[serde(default)]
    pub no_control: Option<String>,
    /// The second opinion, from a process that never loaded the submission.
    #[serde(default)]
    pub second: SecondOpinion,
    /// How the tests ended, twice, that have a result without the submission.
    #[serde(default)]
    pub forced: Option<String>,
    /// Whether the tests could reach what watches over their container.
    #[serde(default)]
    pub is_open: bool,
    /// How often the tests came to an end of their own making that is not a result.
    #[serde(default)]
    pub own_ends: u32,
    /// Wall time of the last run, in nanoseconds.
    pub nanoseconds: u64,
    /// Bytes of output that the log lacks.
    pub log_dropped_bytes: u64,
    /// Whether the strict rule believes a success only with a report.
    pub report_required: bool,
    /// The files that the task's tests consist of; a folder ends in `/`.
    pub protected: Vec<String>,
    /// In how many earlier gradings of the episode a confirming run contradicted a success.
    #[serde(default)]
    pub contradicted_before: u32,
    /// What was dropped from the submission before the tests ran.
    pub dropped: Vec<Flag>,
    /// Files that the submission changes.
    pub changed_files: u64,
    /// Lines that it adds or removes.
    pub changed_lines: u64,
    /// What the episode had used.
    pub facts: EpisodeFacts,
    /// The task's own reward.
    pub reward: Option<CustomReward>,
    /// What its command gave, which is not run again: the number, or why there is none.
    pub command_value: Option<Result<f64, String>>,
    /// What the rule said.
    pub verdict: Verdict,
    /// The score tree.
    pub score: ScoreNode,
    /// All flags.
    pub flags: Vec<assay_trace::Flag>,
    /// The digest of the log, in hexadecimal.
    pub log_digest: String,
    /// The digest of the report, where there is one.
    pub junit_digest: Option<String>,
    /// The digest of the submission.
    pub patch_digest: String,
}

/// What a rule reads beside the record.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Evidences {
    pub(super) log: Vec<u8>,
    pub(super) junit: Option<String>,
    pub(super) patch: Vec<u8>,
}

impl GradingRecord {
    pub(super) const fn current_version() -> u32 {
        VERSION
    }

    pub(super) fn seal(&mut self, evidence: &Evidences) {
        self.log_digest = Digest::of(&evidence.log).to_string();
        self.junit_digest = evidence.junit.as_ref().map(|report| Digest::of(report.as_bytes()).to_string());
        self.patch_digest = Digest::of(&evidence.patch).to_string();
    }

    /// Scores the evidence by `rule` and renews verdict, score and flags.
    pub(super) fn judge(&mut self, rule: Rule, evidence: &Evidences) {
        self.rule = rule;
        let log = assay_grade::decode_log(&evidence.log);
        let mut found = self.dropped.clone();
        // Where nothing ran there is nothing that another rule would see otherwise.
        if let (Some(scenario), Some(ended)) = (&self.scenario, &self.ended) {
            let run = Run { log: &log, ended, junit: evidence.junit.as_deref() };
            self.verdict = rule::grade(rule, scenario, run);
            let lacks_report = rule == Rule::Strict && self.report_required && evidence.junit.is_none();
            if lacks_report && self.verdict.reward().is_some_and(|reward| reward > 0.0) {
                let reason = rule::Reason::Forfeit(Flag::NoReport);
                self.verdict =
                    Verdict::Scored(rule::Score { reward: 0.0, reason, parts: Vec::new(), differences: Vec::new() });
            }
            // The published rules know no such thing, and their numbers are to compare with others'.
            let is_confirmed = rule == Rule::Strict && self.is_solved();
            let controls = self.control.iter().chain(&self.controls).filter(|_| is_confirmed);
            if let Some(objection) = control::first_objection(controls) {
                self.verdict = objection;
            }
            if let (true, Some(objection)) = (is_confirmed && self.is_solved(), self.second.objection()) {
                self.verdict = objection;
            }
            if let (Rule::Strict, Some(how), Verdict::Unscored(why)) = (rule, &self.forced, &self.verdict)
                && why.is_of_the_tests()
            {
                let reason = rule::Reason::Unfinished { how: how.clone() };
                self.verdict =
                    Verdict::Scored(rule::Score { reward: 0.0, reason, parts: Vec::new(), differences: Vec::new() });
            }
            found.extend(self.own_flags());
            if rule == Rule::Strict {
                self.end_guessing(&mut found);
            }
        }
        found.extend(rule::flags(Evidence {
            patch: &String::from_utf8_lossy(&evidence.patch),
            log: &log,
            exit: match self.ended {
                Some(Ended::Exited(code)) => Some(code),
                _ => None,
            },
            protected: &self.protected,
            nested_summaries: self.scenario.as_ref().is_some_and(|scenario| scenario.nested_summaries),
        }));
        if let Verdict::Scored(rule::Score { reason: rule::Reason::Forfeit(flag), .. }) = &self.verdict {
            found.push(flag.clone());
        }
        self.flags = score::flags(found);
        self.rate();
    }

    /// The flag of a confirming run that contradicted a success; none where there was none.
    pub(super) fn contradiction(&self) -> Option<&Flag> {
        match &self.verdict {
            Verdict::Scored(rule::Score { reason: rule::Reason::Forfeit(flag), .. }) => {
                Some(flag).filter(|flag| matches!(flag, Flag::ControlPassed { .. } | Flag::ControlDiffers { .. }))
            }
            _ => None,
        }
    }

    /// Nothing is worth anything in an episode in which successes were contradicted twice: whoever guesses would go on until the guess is right.
    fn end_guessing(&mut self, found: &mut Vec<Flag>) {
        let own = self.contradiction().cloned();
        let times = self.contradicted_before.saturating_add(u32::from(own.is_some()));
        if times >= CONTRADICTED_MAX && matches!(self.verdict, Verdict::Scored(_)) {
            found.extend(own);
            self.verdict = super::zero(rule::Reason::Forfeit(Flag::ControlTwice));
        }
    }

    /// What the runs showed beside what the log says.
    fn own_flags(&self) -> Vec<Flag> {
        let mut found: Vec<Flag> = self.controls.iter().flat_map(Control::flags).collect();
        found.extend(self.no_control.iter().map(|why| Flag::NoControl { why: why.clone() }));
        found.extend(self.forced.iter().map(|how| Flag::ForcedUnscored { how: how.clone() }));
        found.extend(self.is_open.then_some(Flag::OpenContainer));
        if let Verdict::Scored(rule::Score { reason: rule::Reason::Unfinished { how }, .. }) = &self.verdict {
            found.push(Flag::ForcedUnscored { how: how.clone() });
        }
        found
    }

    pub(super) fn is_solved(&self) -> bool {
        self.verdict.reward().is_some_and(|reward| reward >= 1.0)
    }

    /// Makes the score tree anew.
    pub(super) fn rate(&mut self) {
        let tests = score::tree(&self.verdict);
        self.score = match &self.reward {
            None => tests,
            Some(_) if matches!(self.verdict, Verdict::Unscored(_)) => tests,
            Some(CustomReward::Expression(expression)) => {
                score::with_custom(tests, expression.value(&|name| self.fact(name)))
            }
            Some(CustomReward::Command(_)) => {
                let value = self.command_value.clone();
                score::with_custom(tests, value.unwrap_or_else(|| Err("the reward command has not run".to_owned())))
            }
        };
    }

    /// The value of one of [`VARIABLES`](crate::reward::VARIABLES); `None` where it is unknown.
    #[expect(clippy::cast_precision_loss, reason = "counts of an episode are far below 2^52")]
    fn fact(&self, name: &str) -> Option<f64> {
        let Verdict::Scored(score) = &self.verdict else { return None };
        let facts = &self.facts;
        let truth = |holds: bool| Some(if holds { 1.0 } else { 0.0 });
        let count = |count: Option<u64>| count.map(|count| count as f64);
        match name {
            "solved" => truth(score.reward >= 1.0),
            "forfeited" => truth(matches!(score.reason, rule::Reason::Forfeit(_))),
            "flags" => Some(self.flags.len() as f64),
            "changed_files" => count(Some(self.changed_files)),
            "changed_lines" => count(Some(self.changed_lines)),
            "steps" => count(facts.steps),
            "tokens" => count(facts.tokens),
            "cost" => count(facts.cost_microdollars).map(|cost| cost / 1e6),
            "seconds" => facts.seconds,
            part => share(score, part),
        }
    }

    /// The record's bytes, as they are on disk.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// What each test said.
    pub(super) fn statuses(&self, evidence: &Evidences) -> StatusMap {
        match (&self.scenario, &self.ended) {
            (Some(scenario), Some(_)) => scenario.parser.parse(&assay_grade::decode_log(&evidence.log)),
            _ => StatusMap::new(),
        }
    }

    pub(super) fn graded(self, hint: Option<String>, evidence: Evidences, kept: Option<KeptAs>) -> Graded {
        let statuses = self.statuses(&evidence);
        let contradiction = self.contradiction().map(score::flag);
        Graded {
            contradiction,
            rule: self.rule,
            verdict: self.verdict,
            score: self.score,
            flags: self.flags,
            hint,
            patch: evidence.patch,
            script_error: None,
            statuses,
            kept,
            began: self.ended.is_some(),
            nanoseconds: self.nanoseconds,
        }
    }
}

/// A part of the score. Where the tests told nothing, because the submission broke them or changed nothing, none of them is as it should be.
fn share(score: &rule::Score, name: &str) -> Option<f64> {
    let found = score.parts.iter().find(|part| part.name == name).map(|part| part.value);
    found.or((score.parts.is_empty() && score.reward == 0.0).then_some(0.0))
}

/// Where artifacts were put, and the digest of their record: for the trajectory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptAs {
    /// The folder, relative to that of the trajectory's file.
    pub folder: PathBuf,
    /// BLAKE3 of `grading.json`, in hexadecimal.
    pub digest: String,
}

impl KeptAs {
    /// The kind of the event that holds it.
    pub const EVENT: &str = "grading";
}

/// Keeps what was graded.
pub(super) fn keep(folder: &ArtifactFolder, record: &GradingRecord, evidence: &Evidences) -> io::Result<KeptAs> {
    let place = folder.root.join(&folder.inside);
    // Whole or not there. An episode that a crash undid writes its files again.
    let place = Folder::make(&place)?;
    place.write(LOG, &evidence.log, MODE)?;
    place.write(PATCH, &evidence.patch, MODE)?;
    if let Some(report) = &evidence.junit {
        place.write(JUNIT, report.as_bytes(), MODE)?;
    }
    let bytes = record.to_bytes();
    place.write(RECORD, &bytes, MODE)?;
    Ok(KeptAs { folder: folder.inside.clone(), digest: Digest::of(&bytes).to_string() })
}

/// Why artifacts cannot be graded again.
#[derive(Debug, Error)]
pub enum ArtifactError {
    /// A file cannot be read.
    #[error("failed to read {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file is not the one that was kept.
    #[error("{} has changed since it was stored: its digest differs", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The record is none, or a later version's.
    #[error("{} is not a record of a grading: {why}", path.display())]
    NoRecord {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

/// A grading as it was kept.
#[derive(Clone, PartialEq, Debug)]
pub struct Kept {
    record: GradingRecord,
    evidence: Evidences,
    kept: KeptAs,
}

impl Kept {
    /// Reads a grading back and checks that it is the one that was kept. `root` is the folder of the trajectory's file.
    ///
    /// # Errors
    /// Something is missing or is not what it was.
    pub fn load(root: &Path, kept: &KeptAs) -> Result<Self, ArtifactError> {
        let place = root.join(&kept.folder);
        let read = |name: &str, digest: &str| {
            let path = place.join(name);
            let failed = |error| ArtifactError::Read { path: path.clone(), error };
            let bytes =
                assay_files::read(&path, Links::Refused, ARTIFACT_BYTES_MAX).map_err(|error| failed(error.into()))?;
            if Digest::of(&bytes).to_string() == digest { Ok(bytes) } else { Err(ArtifactError::Changed { path }) }
        };
        let no_record = |why: String| ArtifactError::NoRecord { path: place.join(RECORD), why };
        let bytes = read(RECORD, &kept.digest)?;
        let record: GradingRecord = serde_json::from_slice(&bytes).map_err(|error| no_record(error.to_string()))?;
        if record.version != VERSION {
            return Err(no_record(format!("its version is {}, but this program reads {VERSION}", record.version)));
        }
        let junit = record.junit_digest.as_deref().map(|digest| read(JUNIT, digest)).transpose()?;
        let evidence = Evidences {
            log: read(LOG, &record.log_digest)?,
            junit: junit.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            patch: read(PATCH, &record.patch_digest)?,
        };
        Ok(Self { record, evidence, kept: kept.clone() })
    }

    /// What was recorded.
    #[must_use]
    pub const fn record(&self) -> &GradingRecord {
        &self.record
    }

    /// Grades it again by `rule`. Nothing is run: a reward command's number is the one that it gave then.
    #[must_use]
    pub fn rescore(&self, rule: Rule) -> Graded {
        let mut record = self.record.clone();
        record.judge(rule, &self.evidence);
        record.graded(None, self.evidence.clone(), Some(self.kept.clone()))
    }
}
