//! The gate: batches of verdicts in folders, verdicts of the store, and one verdict rule by rule.

use super::folders::folders;
use super::layout::{Frame, Section, layout};
use super::runs::run_table;
use crate::id::{ItemId, Name};
use crate::library::{Found, Scan, What};
use crate::place::Place;
use crate::text;
use assay_gate::verdict::{Check, Finding, Level, Seeds};
use assay_gate::{Decision, Verdict};
use assay_store::RunRow;
use maud::{Markup, html};

/// Lines of a batch.
pub(crate) const LINES_MAX: usize = 2_000;
/// Checks and findings of a verdict.
const CHECKS_MAX: usize = 2_000;
/// Verdicts that are named because the summary does not list them.
const UNLISTED_MAX: usize = 20;

/// What the summary of a batch says of a submission.
pub(crate) struct Line {
    /// The file of its verdict, without the ending.
    pub name: Name,
    pub submission: String,
    pub hash: Option<String>,
    pub decision: String,
    pub summary: String,
}

/// What the verdict of a line proves.
pub(crate) struct Proof {
    /// What was decided; `None` where nothing proves it.
    pub decision: Option<Decision>,
    /// Why, as the verdict says.
    pub summary: Option<String>,
    /// What is wrong with the line, or with its verdict.
    pub doubt: Option<String>,
}

/// A batch with what its verdicts prove: of the first [`LINES_MAX`] lines.
pub(crate) struct Batch<'a> {
    pub found: &'a Found,
    pub lines: &'a [Line],
    pub proofs: &'a [Proof],
    /// Lines with names that cannot be linked.
    pub left_out: usize,
    /// Verdicts that the summary does not list.
    pub unlisted: &'a [Name],
    /// Whether a process judges in its folder now: then nothing is doubted.
    pub is_judged: bool,
}

/// A batch of which some rows are not proven by their verdicts.
pub(crate) struct Unbacked<'a> {
    pub found: &'a Found,
    pub doubted: usize,
    /// Rows in all.
    pub rows: usize,
}

/// What comparing the batches of a list with their verdicts has found.
pub(crate) struct Compared<'a> {
    pub unbacked: Vec<Unbacked<'a>>,
    /// Whether every batch was compared.
    pub is_whole: bool,
}

pub(crate) fn list(
    frame: Frame<'_>,
    scan: &Scan,
    (stored, trouble): (&[RunRow], Option<&str>),
    compared: &Compared<'_>,
) -> String {
    let found: Vec<&Found> = scan.of(What::Batch).collect();
    let rows: Vec<&RunRow> = stored.iter().collect();
    let body = html! {
        @if frame.can_start { p { a href="/gate/new" { "Judge a strategy" } } }
        @if let Some(why) = trouble { p class="notice" { (text::words(&frame.told(why))) } }
        @if found.is_empty() && rows.is_empty() {
            p { "No verdicts are here. This makes some:" }
            pre { "assay gate init gate.toml\nassay gate submissions/ --policy gate.toml --out report/gate" }
        }
        @if !found.is_empty() {
            h2 { "Batches" }
            @for batch in &compared.unbacked {
                p class="notice" {
                    (frame.link(&Place::Batch(batch.found.id), &text::name(&batch.found.name))) ": " (batch.doubted) " of "
                    (text::counted(batch.rows, "row", "rows")) @if batch.doubted == 1 { " is" } @else { " are" }
                    " not backed by the verdicts beside " code { "summary.json" } "."
                }
            }
            @if !compared.is_whole {
                p class="small" { "Not every batch was compared with its verdicts: there is more than this page reads. The page of a batch compares its own." }
            }
            (folders(frame, found.into_iter()))
        }
        @if !rows.is_empty() { h2 { "Verdicts in the store" } (run_table(frame, &rows)) }
    };
    layout(frame, "Gate", Section::Gate, None, &body)
}

/// How many of each decision there are, as far as verdicts prove them.
fn tally(proofs: &[Proof]) -> String {
    let count = |decision: Decision| proofs.iter().filter(|proof| proof.decision == Some(decision)).count();
    let all = [Decision::Pass, Decision::Fail, Decision::Unscored, Decision::Rejected];
    let told = all.into_iter().map(|decision| (count(decision), decision.word())).filter(|(count, _)| *count > 0);
    let told: Vec<String> = told.map(|(count, word)| format!("{count} {word}")).collect();
    if told.is_empty() { "none".to_owned() } else { told.join(", ") }
}

pub(crate) fn batch(frame: Frame<'_>, batch: &Batch<'_>) -> String {
    let Batch { found, lines, proofs, left_out, unlisted, is_judged } = *batch;
    let doubted = proofs.iter().filter(|proof| proof.doubt.is_some()).count();
    let verdict = |name: &Name| Place::Verdict(ItemId { folder: found.id, name: name.clone() });
    let body = html! {
        p { "Decisions that verdicts prove: " (tally(proofs)) "." }
        @if is_judged {
            p class="notice" {
                "This batch is being judged. Until that is done, " code { "summary.json" } " may be of an earlier time, so it is not compared with the verdicts."
            }
        }
        @if doubted > 0 {
            p class="notice" {
                (text::counted(doubted, "row is", "rows are")) " not backed by the verdict beside " code { "summary.json" }
                ": one of them was changed, or is not there. A gate that was killed leaves that, too. Each such row says what differs. "
                "Judge the submissions again to have verdicts that hold."
            }
        }
        @if !unlisted.is_empty() {
            p class="notice" {
                (text::counted(unlisted.len(), "verdict in this folder is", "verdicts in this folder are")) " not in " code { "summary.json" } ": "
                @for name in unlisted.iter().take(UNLISTED_MAX) { (frame.link(&verdict(name), name.as_str())) " " }
                @if unlisted.len() > UNLISTED_MAX { (text::counted(unlisted.len() - UNLISTED_MAX, "more", "more")) }
            }
        }
        div class="scroll" tabindex="0" role="group" aria-label="Table" { table {
            thead { tr { th scope="col" { "Submission" } th scope="col" { "Decision" } th scope="col" { "Why" } } }
            tbody {
                @for (line, proof) in lines.iter().zip(proofs) {
                    tr data-row="" {
                        td class="id" { (frame.link(&verdict(&line.name), &text::name(frame.file(&line.submission)))) }
                        td { (tag(proof.decision.map_or("not proven", Decision::word))) }
                        td class="prose" {
                            (assay_report::visible(&frame.told(proof.summary.as_deref().unwrap_or(&line.summary)), 500))
                            @if let Some(why) = &proof.doubt { span class="sd" { "Not backed: " (assay_report::visible(&frame.told(why), 500)) } }
                        }
                    }
                }
            }
        } }
        @if lines.len() > LINES_MAX { p class="small" { (text::counted(lines.len() - LINES_MAX, "more verdict", "more verdicts")) } }
        @if left_out > 0 { p class="small" { (text::counted(left_out, "verdict has a name that cannot be linked", "verdicts have names that cannot be linked")) } }
    };
    layout(frame, &found.name, Section::Gate, None, &body)
}

fn tag(decision: &str) -> Markup {
    let class = match decision {
        "pass" => "tag good",
        "fail" | "rejected" => "tag bad",
        _ => "tag doubtful",
    };
    html! { span class=(class) { (text::name(decision)) } }
}

/// One verdict. `is_signed` tells whether an envelope with a signature lies beside it, which only `assay gate verify` can check.
pub(crate) fn verdict(frame: Frame<'_>, verdict: &Verdict, is_signed: Option<bool>) -> String {
    let good = if verdict.decision == Decision::Pass { "good" } else { "bad" };
    let body = html! {
        p class={ "verdict " (good) } { (verdict.decision.word()) }
        p class="lead" { (assay_report::visible(&frame.told(&verdict.summary), 1_000)) }
        @if !verdict.decision_follows() { p class="notice" { "The decision does not follow from the checks and findings in this file: it has been changed." } }
        dl {
            dt { "policy" } dd { (text::name(&frame.told(&verdict.policy.name))) " " code { (text::name(&frame.told(&verdict.policy.hash))) } }
            dt { "submission" } dd { (text::name(frame.file(&verdict.submission.name))) @if let Some(hash) = &verdict.submission.hash { " " code { (text::name(&frame.told(hash))) } } }
            dt { "made by" } dd { "Assay " (text::name(&frame.told(&verdict.tool.assay))) }
            @if let Some(is_signed) = is_signed {
                dt { "signature" } dd { @if is_signed { "there is one; " code { "assay gate verify" } " checks it" } @else { "none" } }
            }
        }
        @if !verdict.checks.is_empty() { h2 { "Rules" } (checks(frame, &verdict.checks)) }
        @if !verdict.findings.is_empty() { h2 { "Findings" } (findings(frame, &verdict.findings)) }
        @if verdict.findings_omitted > 0 { p class="small" { (text::counted(verdict.findings_omitted, "more finding was", "more findings were")) " counted but not kept" } }
        @if !verdict.trials.is_empty() {
            h2 { "Markets" }
            ul { @for trial in verdict.trials.iter().take(CHECKS_MAX) {
                li { (text::name(&frame.told(&trial.scenario))) ": " @match &trial.seeds {
                    Seeds::Public { seeds } => (text::counted(seeds.len(), "public seed", "public seeds")),
                    Seeds::Hidden { count, .. } => { (text::counted(*count, "hidden seed", "hidden seeds")) },
                } }
            } }
        }
    };
    layout(frame, frame.file(&verdict.submission.name), Section::Gate, None, &body)
}

fn checks(frame: Frame<'_>, checks: &[Check]) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="Table" { table {
            thead { tr { th scope="col" { "Rule" } th scope="col" { "Market" } th scope="col" { "Asks" } th scope="col" { "Saw" } th scope="col" { "Decision" } } }
            tbody {
                @for check in checks.iter().take(CHECKS_MAX) {
                    tr data-row="" {
                        td class="id" { (text::name(&frame.told(&check.rule))) span class="sd" { "line " (check.policy_line) } }
                        td class="id" { (text::name(&frame.told(&check.scenario))) }
                        td class="prose" { (assay_report::visible(&frame.told(&check.asks), 500)) }
                        td class="prose" { (assay_report::visible(&frame.told(&check.saw), 500)) @if let Some(hint) = &check.hint { span class="sd" { (assay_report::visible(&frame.told(hint), 500)) } } }
                        td { (tag(check.decision.word())) }
                    }
                }
            }
        } }
    }
}

fn findings(frame: Frame<'_>, findings: &[Finding]) -> Markup {
    html! {
        @for finding in findings.iter().take(CHECKS_MAX) {
            div class={ "finding" (if finding.level == Level::Error { " error" } else { "" }) } {
                p {
                    strong { (text::name(&frame.told(&finding.code))) } " " (text::name(frame.file(&finding.place.file)))
                    @if let Some(region) = &finding.place.region { ":" (region.start_line) ":" (region.start_column) }
                }
                p { (assay_report::visible(&frame.told(&finding.message), 1_000)) }
                p class="small" { (assay_report::visible(&frame.told(&finding.hint), 1_000)) }
                @if let Some(sign_off) = &finding.sign_off { p class="small" { "Accepted by " (text::name(&frame.told(&sign_off.by))) ": " (assay_report::visible(&frame.told(&sign_off.reason), 500)) } }
            }
        }
    }
}
