//! `assay explain`: why a run went as it did, by a model; without one, what a model would be told.

use crate::args::ExplainArgs;
use crate::exit::{Exit, Failure};
use crate::ui;
use assay_evaluate::RunRecord;
use assay_files::Links;
use assay_refine::explain::{prompt, shown};
use assay_report::run_summary;

/// A record larger than this is not one.
const RECORD_BYTES_MAX: u64 = 256 << 20;

pub(crate) fn run(args: &ExplainArgs) -> Result<Exit, Failure> {
    let path = if args.run.is_dir() { args.run.join("run.json") } else { args.run.clone() };
    let unreadable =
        |why: &dyn std::fmt::Display| Failure::usage(format!("failed to read the run {}: {why}", path.display()));
    let bytes = assay_files::read(&path, Links::Followed, RECORD_BYTES_MAX).map_err(|error| unreadable(&error))?;
    let record: RunRecord = serde_json::from_slice(&bytes).map_err(|error| unreadable(&error))?;
    let summary = run_summary(&record);
    match &args.model {
        None => ui::out(&ui::lines(&prompt(&shown(&summary, &record)))),
        Some(model) => ask(model, args, &record, &summary)?,
    }
    Ok(Exit::Success)
}

#[cfg(feature = "rollouts")]
fn ask(model: &str, args: &ExplainArgs, record: &RunRecord, summary: &str) -> Result<(), Failure> {
    use assay_refine::core::plan::Budget;
    use assay_refine::core::state::Spent;
    use assay_refine::explain::{Explanation, explain};
    use assay_refine::model::NoAnswer;

    let asked = super::model::Asked::open(model, &args.access, Budget::default(), Spent::default())?;
    match explain(&asked, record, &shown(summary, record)) {
        Ok(Explanation { text, struck, questions, tokens, microdollars }) => {
            ui::out(&ui::lines(&text));
            if struck > 0 {
                ui::warn(&format!("{struck} numbers of the model's are not in what it was told of the run"));
            }
            let cost = microdollars as f64 / 1e6;
            ui::step("Spent", &format!("{questions} questions, {tokens} tokens, ${cost:.4}"));
        }
        Err(NoAnswer::Slot(why) | NoAnswer::Session(why)) => {
            ui::warn(&format!("the model gave no answer: {why}"));
            ui::out(&ui::lines(summary));
        }
    }
    Ok(())
}

#[cfg(not(feature = "rollouts"))]
fn ask(_: &str, _: &ExplainArgs, _: &RunRecord, _: &str) -> Result<(), Failure> {
    Err(Failure::left_out("language models"))
}
