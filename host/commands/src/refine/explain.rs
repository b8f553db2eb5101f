//! What `assay explain` does: says why a run went as it did, or a market was as it was, by a model; without one, what a model would be told.

#[cfg(feature = "rollouts")]
mod recorded;

use super::settings::ExplainSettings;
use crate::{Ending, Failure, face};
use assay_evaluate::{OBSERVATION_SCHEMA_NAME, OBSERVATION_SCHEMA_VERSION, ObservationRecord, RunRecord, check_schema};
use assay_files::Links;
use assay_refine::explain::{Explanation, Market, Recorded, Run, Told, explain, prompt};
use assay_refine::flaws::Diagnosed;
use assay_refine::model::{Ask, NoAnswer};
use assay_report::run_summary;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A record larger than this is not one.
const RECORD_BYTES_MAX: u64 = 256 << 20;
/// What a folder of a run or of an observation holds.
const RECORDS: [&str; 2] = ["run.json", "observation.json"];

/// What is to be explained.
enum Record {
    Run(Box<RunRecord>),
    Market(Box<ObservationRecord>),
}

/// Explains a run or an observed market; without a model, shows what one would be told.
///
/// # Errors
///
/// Where there is no such record, or the model cannot be had.
pub fn run(settings: &ExplainSettings) -> Result<Ending, Failure> {
    let path = record_of(&settings.run);
    let record = read(&path)?;
    // Who could ask about the data is left out of the small build.
    #[cfg(feature = "rollouts")]
    let kept = recorded::Kept::find(&path);
    #[cfg(feature = "rollouts")]
    let data = |episode| kept.as_ref().map(|query| Recorded { query, episode });
    #[cfg(not(feature = "rollouts"))]
    let data = |_: &'static str| None::<Recorded<'_>>;
    match &record {
        Record::Run(record) => {
            let summary = run_summary(record);
            let told = Run { record, summary: &summary, data: data("strategy") };
            answer(settings, &told, &summary)?;
        }
        Record::Market(record) => {
            let told = Market { record, data: data("baseline") };
            answer(settings, &told, &told.shown())?;
        }
    }
    Ok(Ending::Success)
}

/// A model's explanations of one program's runs in several markets, one after the other; if there are `flaws`, it is asked to name the one.
pub(super) fn explain_all(
    model: &dyn Ask,
    records: &[RunRecord],
    flaws: &BTreeMap<String, String>,
) -> Result<Explanation, NoAnswer> {
    let mut all = Explanation { text: String::new(), struck: 0, questions: 0, tokens: 0, microdollars: 0 };
    for record in records {
        let summary = run_summary(record);
        let told = Run { record, summary: &summary, data: None };
        let one =
            if flaws.is_empty() { explain(model, &told)? } else { explain(model, &Diagnosed { told: &told, flaws })? };
        all.text.push_str(&format!("{}:\n{}\n", record.scenario.name, one.text.trim()));
        all.struck += one.struck;
        all.questions += one.questions;
        all.tokens += one.tokens;
        all.microdollars += one.microdollars;
    }
    Ok(all)
}

/// The record that a path names: itself, or the one in the folder.
fn record_of(path: &Path) -> PathBuf {
    if !path.is_dir() {
        return path.to_owned();
    }
    let there = RECORDS.iter().map(|name| path.join(name)).find(|path| path.is_file());
    there.unwrap_or_else(|| path.join(RECORDS[0]))
}

fn read(path: &Path) -> Result<Record, Failure> {
    let failed =
        |why: &dyn std::fmt::Display| Failure::usage(format!("failed to read the run {}: {why}", path.display()));
    let unreadable = |why: &dyn std::fmt::Display| failed(why).hint("run its command again to write it anew");
    /// Which of the two it is.
    #[derive(serde::Deserialize)]
    struct Head {
        schema: assay_evaluate::SchemaRecord,
    }
    let bytes = assay_files::read(path, Links::Followed, RECORD_BYTES_MAX)
        .map_err(|error| failed(&error).hint("name the folder that `assay run` or `assay observe` wrote"))?;
    let is_market =
        serde_json::from_slice::<Head>(&bytes).is_ok_and(|head| head.schema.name == OBSERVATION_SCHEMA_NAME);
    if is_market {
        check_schema(&bytes, OBSERVATION_SCHEMA_NAME, OBSERVATION_SCHEMA_VERSION).map_err(|error| failed(&error))?;
        return serde_json::from_slice(&bytes).map(Record::Market).map_err(|error| unreadable(&error));
    }
    assay_report::read(&bytes).map(|record| Record::Run(Box::new(record))).map_err(|error| unreadable(&error))
}

/// The model's explanation; without a model, what it would be told.
fn answer(settings: &ExplainSettings, told: &dyn Told, summary: &str) -> Result<(), Failure> {
    match &settings.model {
        None => {
            face::out(&face::lines(&prompt(told)));
            Ok(())
        }
        Some(model) => ask(model, settings, told, summary),
    }
}

#[cfg(feature = "rollouts")]
fn ask(model: &str, settings: &ExplainSettings, told: &dyn Told, summary: &str) -> Result<(), Failure> {
    use assay_model::known_dollars;
    use assay_refine::core::plan::Budget;
    use assay_refine::core::state::Spent;

    let asking = super::asking::Asking { access: &settings.access, tape: settings.tape.as_deref(), is_trial: false };
    let shared = super::model::Shared::new(&asking, Budget::default(), Spent::default())?;
    let asked = super::model::Asked::open(model, &shared)?;
    match explain(&asked, told) {
        Ok(Explanation { text, struck, questions, tokens, microdollars }) => {
            face::out(&face::lines(&text));
            if struck > 0 {
                face::warn(&format!("{struck} numbers of the model's are not in what it was told"));
            }
            let words = if questions == 1 { "question" } else { "questions" };
            let cost = known_dollars(microdollars, true);
            face::step("Spent", &format!("{questions} {words}, {tokens} tokens, cost {cost}"));
        }
        Err(NoAnswer::Slot(why) | NoAnswer::Session(why)) => {
            face::warn(&format!("the model gave no answer: {why}"));
            face::out(&face::lines(summary));
        }
    }
    Ok(())
}

#[cfg(not(feature = "rollouts"))]
fn ask(_: &str, _: &ExplainSettings, _: &dyn Told, _: &str) -> Result<(), Failure> {
    Err(Failure::left_out("language models"))
}
