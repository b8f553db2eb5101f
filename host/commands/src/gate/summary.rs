//! The summary of a batch, which lies beside its verdicts.

use super::ledger::VerdictLedger;
use super::plan::Plan;
use super::submissions::Entry;
use assay_gate::verdict::{PolicyReference, Schema, Tool};
use assay_gate::{Decision, Verdict};
use serde::Serialize;
use std::collections::BTreeMap;

/// Name of the summary's schema.
pub(super) const SUMMARY_SCHEMA_NAME: &str = "assay.verdicts";
const SUMMARY_SCHEMA_VERSION: &str = "1.1";

/// `summary.json`: made from the verdicts of this batch.
#[derive(Serialize)]
pub(super) struct Summary {
    schema: Schema,
    policy: PolicyReference,
    tool: Tool,
    /// Every submission has a verdict; `false` after an interruption.
    pub(super) complete: bool,
    /// Submissions in all.
    submissions: usize,
    /// How many of each decision.
    decisions: BTreeMap<&'static str, usize>,
    /// Each, in order.
    verdicts: Vec<Line>,
}

/// One verdict in short.
#[derive(Serialize)]
struct Line {
    id: String,
    name: String,
    hash: Option<String>,
    decision: Decision,
    summary: String,
    /// What the store calls it, if there is a store; since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
}

impl Summary {
    pub(super) fn new(
        plan: &Plan,
        entries: &[Entry],
        verdicts: &BTreeMap<usize, Verdict>,
        ledger: &VerdictLedger<'_>,
    ) -> Self {
        let mut decisions = BTreeMap::new();
        for verdict in verdicts.values() {
            *decisions.entry(verdict.decision.word()).or_default() += 1;
        }
        let line = |(index, verdict): (&usize, &Verdict)| Line {
            id: entries[*index].id.clone(),
            name: verdict.submission.name.clone(),
            hash: verdict.submission.hash.clone(),
            decision: verdict.decision,
            summary: verdict.summary.clone(),
            run: ledger.name(verdict),
        };
        Self {
            schema: Schema { name: SUMMARY_SCHEMA_NAME.to_owned(), version: SUMMARY_SCHEMA_VERSION.to_owned() },
            policy: PolicyReference { name: plan.policy.name.clone(), hash: plan.policy.hash.clone() },
            tool: Plan::tool(),
            complete: verdicts.len() == entries.len(),
            submissions: entries.len(),
            decisions,
            verdicts: verdicts.iter().map(line).collect(),
        }
    }
}
