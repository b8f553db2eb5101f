//! Batches of verdicts in folders: what the summary says of each submission, and what the verdict beside it proves.
//!
//! Invariants: a decision counts where a verdict has it, whatever the summary says; what is read of a folder is bounded, and what was not read proves nothing;
//! nothing is doubted while a process judges in the folder, which writes the summary last.

use super::{FILE_BYTES_MAX, Problem, View, folder, known, verdict_from, verdict_page};
use crate::id::{FolderId, ItemId, Name};
use crate::library::{BATCH_SCHEMA_NAME, ENTRIES_MAX, Found, Library, SUMMARY, Scan, What, starts_with_schema};
use crate::pages::Frame;
use crate::pages::gate::{self as page, Batch, Compared, LINES_MAX, Line, Proof, Unbacked};
use assay_files::{Folder, Kind, OpenError};
use assay_gate::verdict::SCHEMA_NAME as VERDICT_SCHEMA;
use assay_gate::{LOCK_NAME, Verdict};
use assay_store::RunId;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::ffi::OsString;

/// The version of the summary of a batch of verdicts that is read.
const BATCH_SCHEMA_VERSION: &str = "1.0";
/// Files that are looked at for verdicts that the summary does not list.
const OTHERS_MAX: usize = 2_000;
/// Batches of a list that are looked at, the newest first.
const LISTED_MAX: usize = 200;

/// What may still be read of verdicts, and of the summaries of a list.
struct Budget {
    verdicts: usize,
    bytes: u64,
}

/// Of one batch, for its page or for a part of it.
const OF_BATCH: Budget = Budget { verdicts: LINES_MAX, bytes: 256 << 20 };
/// Of all batches together, for their list.
const OF_LIST: Budget = Budget { verdicts: 500, bytes: 16 << 20 };

/// `summary.json` of a batch, as far as it is shown.
#[derive(Deserialize)]
struct Summary {
    verdicts: Vec<SummaryLine>,
}

/// What came of reading one for a list.
enum Read {
    Whole(Summary),
    /// It is more than may still be read.
    TooLarge,
}

#[derive(Deserialize)]
struct SummaryLine {
    id: String,
    name: String,
    #[serde(default)]
    hash: Option<String>,
    decision: String,
    summary: String,
    /// What the store calls it.
    #[serde(default)]
    run: Option<String>,
}

impl SummaryLine {
    /// `None` of a name that cannot be linked.
    fn line(self) -> Option<Line> {
        let name = self.id.parse().ok()?;
        Some(Line { name, submission: self.name, hash: self.hash, decision: self.decision, summary: self.summary })
    }
}

impl Budget {
    fn is_spent(&self) -> bool {
        self.verdicts == 0 || self.bytes == 0
    }

    /// Reads the summary of a batch of a list; `None` of one that cannot be read.
    fn summary(&mut self, found: &Found) -> Option<Read> {
        if found.damage.is_some() {
            return None;
        }
        let most = self.bytes.min(FILE_BYTES_MAX);
        let bytes = match found.open().and_then(|folder| folder.read(SUMMARY, most)) {
            Ok(bytes) => bytes,
            Err(OpenError::TooLarge { .. }) => return Some(Read::TooLarge),
            Err(_) => return None,
        };
        self.bytes = self.bytes.saturating_sub(bytes.len() as u64);
        summary_from(&bytes).ok().map(Read::Whole)
    }

    /// Reads a verdict, or says why it proves nothing.
    fn verdict(&mut self, folder: &Folder, file: &str) -> Result<Verdict, String> {
        let unseen = || format!("{file} was not read: there is more beside {SUMMARY} than a page reads");
        if self.is_spent() {
            return Err(unseen());
        }
        self.verdicts -= 1;
        let most = self.bytes.min(FILE_BYTES_MAX);
        let bytes = match folder.read(file, most) {
            Ok(bytes) => bytes,
            Err(OpenError::TooLarge { .. }) if most < FILE_BYTES_MAX => {
                self.bytes = 0;
                return Err(unseen());
            }
            Err(error) if error.is_missing() => return Err(format!("{file} is missing")),
            Err(error) => return Err(format!("{file} cannot be read: {error}")),
        };
        self.bytes = self.bytes.saturating_sub(bytes.len() as u64);
        verdict_from(&bytes).map_err(|problem| format!("{file} cannot be read: {}", problem.words))
    }

    fn proof(&mut self, folder: &Folder, line: &Line) -> Proof {
        let file = format!("{}.json", line.name);
        match self.verdict(folder, &file) {
            Ok(verdict) => weighed(line, &file, &verdict),
            Err(why) => Proof { decision: None, summary: None, doubt: Some(why) },
        }
    }
}

/// What a verdict proves of a line. One of another submission, or whose decision does not follow, proves nothing.
fn weighed(line: &Line, file: &str, verdict: &Verdict) -> Proof {
    let its = &verdict.submission;
    let no_proof = if !verdict.decision_follows() {
        Some(format!("the decision in {file} does not follow from its checks and findings"))
    } else if its.name != line.submission {
        Some(format!("{file} is about {}", its.name))
    } else if its.hash != line.hash {
        Some(format!("{file} is about a submission with another hash than {SUMMARY} says"))
    } else {
        None
    };
    let decision = no_proof.is_none().then_some(verdict.decision);
    let word = verdict.decision.word();
    let other = (word != line.decision).then(|| format!("{SUMMARY} says {}, and {file} says {word}", line.decision));
    Proof { decision, summary: Some(verdict.summary.clone()), doubt: no_proof.or(other) }
}

fn summary(found: &Found) -> Result<Summary, Problem> {
    if let Some(why) = &found.damage {
        return Err(Problem::unreadable(&found.name, why));
    }
    let read = found.open().and_then(|folder| folder.read(SUMMARY, FILE_BYTES_MAX));
    summary_from(&read.map_err(|error| Problem::of_file(SUMMARY, &error))?)
}

fn summary_from(bytes: &[u8]) -> Result<Summary, Problem> {
    known(bytes, (BATCH_SCHEMA_NAME, BATCH_SCHEMA_VERSION), SUMMARY)?;
    serde_json::from_slice(bytes).map_err(|error| Problem::unreadable(SUMMARY, error))
}

/// Whether a process judges in the folder of a batch now.
fn is_judged(found: &Found) -> bool {
    found.open().is_ok_and(|folder| folder.is_locked(LOCK_NAME))
}

/// The run of the store that the first verdict of a folder is.
pub(super) fn run_of_verdict(library: &Library, id: FolderId) -> Option<RunId> {
    let found = folder(library, id, &[What::Batch]).ok()?;
    summary(&found).ok()?.verdicts.first()?.run.as_deref()?.parse().ok()
}

/// What the summary of a folder of verdicts says.
pub(crate) struct Listed {
    pub found: Found,
    pub lines: Vec<Line>,
    /// How many have names that cannot be linked.
    pub left_out: usize,
    /// Whether a process judged there before it was read.
    was_judged: bool,
}

/// What the summary of a folder of verdicts says of them.
pub(crate) fn lines(library: &Library, id: FolderId) -> Result<Listed, Problem> {
    let found = folder(library, id, &[What::Batch])?;
    // First: a process that is done by the time its verdicts are read has replaced this summary.
    let was_judged = is_judged(&found);
    let all = summary(&found)?.verdicts;
    let count = all.len();
    let lines: Vec<Line> = all.into_iter().filter_map(SummaryLine::line).collect();
    let left_out = count - lines.len();
    Ok(Listed { found, lines, left_out, was_judged })
}

/// What the verdicts beside the summary prove of these of its lines, in their order, and whether they are being given: then nothing is doubted.
pub(crate) fn proofs<'l>(
    listed: &Listed,
    lines: impl Iterator<Item = &'l Line>,
) -> Result<(Vec<Proof>, bool), Problem> {
    let found = &listed.found;
    let folder = found.open().map_err(|error| Problem::of_file(&found.name, &error))?;
    let mut left = OF_BATCH;
    let mut proofs: Vec<Proof> = lines.map(|line| left.proof(&folder, line)).collect();
    // It may have begun meanwhile.
    let is_judged = listed.was_judged || is_judged(found);
    if is_judged {
        for proof in &mut proofs {
            proof.doubt = None;
        }
    }
    Ok((proofs, is_judged))
}

/// Verdicts in the folder of a batch that its summary does not list.
pub(crate) fn unlisted(found: &Found, lines: &[Line]) -> Vec<Name> {
    let Ok(folder) = found.open() else { return Vec::new() };
    let listed: BTreeSet<&str> = lines.iter().map(|line| line.name.as_str()).collect();
    let other = |name: &OsString| -> Option<Name> {
        let name = name.to_str()?.strip_suffix(".json")?;
        let is_other = !name.ends_with(".dsse") && !listed.contains(name);
        if is_other { name.parse().ok() } else { None }
    };
    let is_verdict = |name: &Name| starts_with_schema(&folder, &format!("{name}.json"), VERDICT_SCHEMA);
    let names = folder.entries(ENTRIES_MAX).unwrap_or_default();
    let mut found: Vec<Name> = names.iter().filter_map(other).take(OTHERS_MAX).filter(is_verdict).collect();
    found.sort_unstable();
    found
}

/// Batches with rows that their verdicts do not prove, as far as a list looks.
pub(super) fn unbacked(scan: &Scan) -> Compared<'_> {
    let mut left = OF_LIST;
    let mut compared = Compared { unbacked: Vec::new(), is_whole: true };
    for (index, found) in scan.of(What::Batch).enumerate() {
        if index == LISTED_MAX || left.is_spent() {
            compared.is_whole = false;
            break;
        }
        // Looked at before the summary is read, which is of an earlier time then.
        if is_judged(found) {
            continue;
        }
        let Some(told) = left.summary(found) else { continue };
        let lines: Vec<Line> = match told {
            Read::Whole(summary) => summary.verdicts.into_iter().filter_map(SummaryLine::line).collect(),
            Read::TooLarge => {
                compared.is_whole = false;
                continue;
            }
        };
        if lines.len() > left.verdicts {
            compared.is_whole = false;
            continue;
        }
        let Ok((doubted, is_read)) = doubted(found, &lines, &mut left) else { continue };
        // What was not read is no reason to doubt it in a list.
        if !is_read {
            compared.is_whole = false;
            break;
        }
        if doubted > 0 {
            compared.unbacked.push(Unbacked { found, doubted, rows: lines.len() });
        }
    }
    compared
}

/// How many of these lines of a batch are not proven, and whether all of their verdicts were read.
fn doubted(found: &Found, lines: &[Line], left: &mut Budget) -> Result<(usize, bool), OpenError> {
    let folder = found.open()?;
    let doubted = lines.iter().filter(|line| left.proof(&folder, line).doubt.is_some()).count();
    let doubted = if is_judged(found) { 0 } else { doubted };
    Ok((doubted, left.bytes > 0))
}

/// A folder of verdicts.
pub(crate) fn batch(frame: Frame<'_>, library: &Library, id: FolderId) -> View {
    let listed = lines(library, id)?;
    let Listed { found, lines, left_out, .. } = &listed;
    let (proofs, is_judged) = proofs(&listed, lines.iter().take(LINES_MAX))?;
    let unlisted = if is_judged { Vec::new() } else { unlisted(found, lines) };
    let batch = Batch { found, lines, proofs: &proofs, left_out: *left_out, unlisted: &unlisted, is_judged };
    Ok(page::batch(frame, &batch))
}

/// The names of the verdicts of a folder.
pub(crate) fn verdicts(library: &Library, id: FolderId) -> Result<Vec<Name>, Problem> {
    let Listed { found, lines, .. } = lines(library, id)?;
    let mut names = unlisted(&found, &lines);
    names.extend(lines.into_iter().map(|line| line.name));
    Ok(names)
}

/// A verdict of a batch.
pub(crate) fn verdict(frame: Frame<'_>, library: &Library, id: &ItemId) -> View {
    let (bytes, is_signed) = verdict_of_batch(library, id)?;
    verdict_page(frame, &bytes, Some(is_signed))
}

/// The bytes of a verdict of a batch, and whether a signature lies beside it.
pub(crate) fn verdict_of_batch(library: &Library, id: &ItemId) -> Result<(Vec<u8>, bool), Problem> {
    let found = folder(library, id.folder, &[What::Batch])?;
    let folder = found.open().map_err(|error| Problem::of_file("the folder", &error))?;
    let name = format!("{}.json", id.name);
    let bytes = folder.read(&name, FILE_BYTES_MAX).map_err(|error| Problem::of_file(&name, &error))?;
    let is_signed = matches!(folder.kind(format!("{}.dsse.json", id.name)), Ok(Some(Kind::File)));
    Ok((bytes, is_signed))
}
