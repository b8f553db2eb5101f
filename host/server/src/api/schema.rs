//! Schemas of answers, written in a line each.
//!
//! ```text
//! total:integer rows:[Row] next:integer? ~record:any *      ~ not always there, ? may be null, [] a list, * and more, a capital: one of the others,
//!                                                          `code`: a word of crate::code, `status`: one of a run
//! ```
//!
//! Invariant: every name with a capital is in the table below; a test looks for each.

use crate::code::Code;
use crate::pages::runs::statuses;
use serde_json::{Map, Value, json};

/// What answers consist of.
pub(super) const COMPONENTS: &[(&str, &str, &str)] = &[
    ("Error", "Why there is no answer.", "error:Trouble"),
    (
        "Trouble",
        "What happened, and what to do, in words for people. `code` says it in a word that stays the same; `field` is the parameter or the field that is wrong, where it is one.",
        "status:integer code:code title:string detail:string ~field:string",
    ),
    (
        "Spread",
        "A mean over seeds, with its 95% interval where there is one.",
        "n:integer mean:number? low:number? high:number?",
    ),
    (
        "Run",
        "A run of the store, or the report in a folder. A list has `pnl`, in cents; one run has the counts and its files. A report does not say when its run began and ended: \
         `created_ms` is when its file was written. `lost` is a run that the store has as running, and whose process is gone. One run has `contradictions`, too: what in its `run.json` cannot be so. If there are \
         any, do not believe its figures.",
        "id:string kind:string status:status verdict:string? subject:string subject_hash:string? command:string tool:string scenarios:[string] \
         created_ms:integer started_ms:integer? finished_ms:integer? error:string? ~pnl:Spread? ~files:[File] ~measures:integer ~episodes:integer ~contradictions:[string]",
    ),
    (
        "Runs",
        "A page of runs. Where `total_is_exact` is false, there may be more: a thousand beyond the page are counted.",
        "total:integer total_is_exact:boolean page:integer size:integer runs:[Run]",
    ),
    (
        "Series",
        "Columns of the same length, with `null` where nothing is known.",
        "seed:integer start_ns:integer step_ns:integer total:integer from:integer columns:object",
    ),
    (
        "Outline",
        "Part of an outline; `next` is where it goes on.",
        "id:string only:string? entries:[Entry] from:integer next:integer? total:integer broken:integer?",
    ),
    (
        "Spending",
        "By kind of work. `behind` are folders that are still to be read: ask again.",
        "rollouts:Spent worlds:Spent refinements:Spent behind:integer unreadable:integer",
    ),
    ("File", "A file of a run.", "name:string bytes:integer"),
    (
        "Measure",
        "A measure of a run; `samples` are pairs of seed and value.",
        "n:integer mean:number? low:number? high:number? measure:string scenario:string unit:string better:string ~samples:[any]",
    ),
    (
        "Report",
        "`run.json` as docs/runs.md describes it, without `episodes` and `series`. `contradictions` say what in it cannot be so: its figures are not to be believed. `unchecked` say which could not be computed again, and why.",
        "schema:object command:string ~contradictions:[string] ~unchecked:[string] *",
    ),
    ("Chart", "Names of columns, and a row for each interval.", "id:string title:string head:[string] rows:[any]"),
    ("Table", "A table with its columns.", "name:string bytes:integer columns:[Column]"),
    ("Column", "A column.", "name:string type:string"),
    (
        "Comparison",
        "Every measure of A and B with its difference; one measure seed by seed; lines in which the sources differ; where the two did something different first.",
        "a:Run b:Run measures:[Compared] tested:integer expected_by_chance:number drawn:Drawn? changes:[string]? orders:Orders?",
    ),
    (
        "Compared",
        "A measure of two runs; the difference is A less B.",
        "measure:string scenario:string unit:string a:Spread b:Spread difference:Difference method:string p:number? p_corrected:number? told:boolean answer:string",
    ),
    (
        "Difference",
        "A difference with its 95% interval.",
        "n:integer mean:number? low:number? high:number? told:boolean",
    ),
    ("Drawn", "A measure seed by seed: seed, A, B.", "measure:string scenario:string pairs:[any]"),
    (
        "Orders",
        "Where two runs part in one seed. `told` is one of: `same`, `missing` (of each side the `command` that records the seed, and the folders whose tables are passed over, `refused`, with `why`), `unreadable`, `found`.",
        "seed:integer seeds:[integer] differing:integer shared:integer told:object",
    ),
    (
        "Folder",
        "A folder of results. `damage` says why it cannot be told what it holds.",
        "id:string what:string name:string modified_ms:integer damage:string? page:string",
    ),
    ("Spent", "Today (UTC) and in all.", "today:Cost total:Cost"),
    (
        "Cost",
        "Tokens and micro-dollars, and whether some of it is not known.",
        "tokens:integer microdollars:integer is_partly_unknown:boolean",
    ),
    (
        "Board",
        "A board with its last season, or why that cannot be read.",
        "name:string season:object? trouble:string?",
    ),
    (
        "Arena",
        "`arena.json` as docs/arena.md describes it, with the games that were asked for.",
        "name:string schema:object command:string entrants:[object] pairs:[object] flows:[object] total:integer from:integer games:[object] *",
    ),
    (
        "Episodes",
        "A run of episodes: `total` have a result, of `planned` (`null`: not known). `pass_all` are the chances that all of k samples solve a task; `under_way` are trajectories of episodes that have no result yet, or `unfinished` where no process works on the run; `unlisted` are those of them that have ended, so that only their line is missing, `shortened` those that no longer hold the record that their result names. `broken` are episodes whose line of `results.jsonl` contradicts the trajectory: they are in no figure, and not in `episodes`. `damaged` are lines that cannot be read, `altered` settings that are not those with which episodes ran, `unsealed` trajectories whose first line does not have the hash that it states. Of a folder that holds trajectories alone, `trajectories` are their ids, and `total` is how many there are.",
        "id:string name:string settings:object command:string? tasks:[string] tasks_total:integer figures:object pass_all:[object] total:integer planned:integer? \
         from:integer episodes:[Episode] under_way:[string] ~unfinished:[string] ~unlisted:[string] ~broken:[Broken] ~damaged:[Damaged] ~altered:[Altered] ~unsealed:[string] ~shortened:[string] ~trajectories:[string]",
    ),
    (
        "Episode",
        "What became of an episode; `trajectory` is the id of its record, if that is there.",
        "id:string task:string sample:integer attempt:integer result:any reason:string steps:integer trajectory:string? *",
    ),
    (
        "Broken",
        "A line of `results.jsonl`, from 1, that is not believed, and what differs.",
        "id:string task:string sample:integer line:integer why:string trajectory:string?",
    ),
    (
        "Altered",
        "A setting as `run.json` has it (`run`), and what a trajectory says instead (`its`).",
        "setting:string run:string trajectory:string its:string",
    ),
    ("Damaged", "A line of `results.jsonl`, from 1, that cannot be read, and why.", "line:integer why:string"),
    (
        "Verdict",
        "Of one verdict: the verdict, whether the decision follows from what is in it, and whether a signature lies beside it. Of a batch: the lines of its summary, and `unlisted`, the verdicts beside it that it does not list; while `is_being_judged`, nothing is doubted.",
        "~verdict:object ~decision_follows:boolean ~is_signed:boolean? ~id:string ~name:string ~total:integer ~from:integer ~left_out:integer ~verdicts:[Line] ~unlisted:[string] ~is_being_judged:boolean",
    ),
    (
        "Line",
        "What the summary of a batch says of a submission. `proven` is the decision that the verdict beside it proves, and `doubt` what differs between the two, or why nothing is proven.",
        "id:string submission:string decision:string summary:string proven:string? doubt:string?",
    ),
    (
        "Refinement",
        "A session as `assay refine status --json` tells of it, with its plan, trials, sealed seeds and hints.",
        "id:string session:string status:string outcome:string champion:string plan:object trials:[object] sealed:object? hints:[string] *",
    ),
    (
        "Candidate",
        "A candidate. Alone, it has its source, the lines that differ from what it was made from (`null`: not known), and its trials.",
        "id:string operator:string is_champion:boolean parent:string? idea:string out:string? gain:any ~source:string? ~source_trouble:string? \
         ~changes:[string]? ~trials:[object] *",
    ),
    (
        "Trajectory",
        "`broken` is the first record that does not follow from the one before: from there on, the file is not as it was written. As large as `total`, it says that the file ends before the record that the result of its episode names. `reach` says how far it is indexed: \
         `whole`, `behind` (ask again), `full`, `long_line`; `rest` are bytes that are not.",
        "id:string total:integer rest:integer reach:string broken:integer?",
    ),
    (
        "Records",
        "Part of a trajectory. `broken` counts these records as they are now, too.",
        "id:string total:integer rest:integer reach:string broken:integer? from:integer next:integer? rows:[Row]",
    ),
    (
        "Row",
        "A record in short; with its record where that was asked for. `line` is the beginning of a line that is not JSON or is too long.",
        "number:integer bytes:integer step:integer kind:string is_marked:boolean text:string ~record:any ~line:string? ~is_whole:boolean ~total:integer ~broken:integer?",
    ),
    (
        "Entry",
        "What a place in a trajectory is, with its row.",
        "entry:string number:integer bytes:integer step:integer kind:string is_marked:boolean text:string",
    ),
    (
        "State",
        "A world after a step. `told` is one of: `view`, `refused` (why the steps could not be made again), `unknown`. Then `known` are the places that the record names.",
        "id:string step:integer steps:integer chosen:string? broken:integer? told:any known:object?",
    ),
    (
        "Files",
        "Files after a step. `told` as for a world; `patch` is what the record ends with where the files are not known.",
        "id:string step:integer steps:integer chosen:string? broken:integer? told:any wanted:string? patch:string?",
    ),
    (
        "Aside",
        "Actions of both, in the order in which they belong together; `first` is the first row that differs.",
        "left:string right:string left_broken:integer? right_broken:integer? left_result:object? right_result:object? first:integer? first_state:object? total:integer from:integer rows:[Pair]",
    ),
    (
        "Pair",
        "`both`, `left` or `right`, with the action of each. Arguments are cut.",
        "side:string left:object? right:object?",
    ),
    (
        "Check",
        "One thing that was looked at: `ok`, `limited` or `missing`.",
        "name:string condition:string found:string hint:string?",
    ),
    (
        "Draft",
        "A strategy as text, and how it would run. `base` is its version where it was saved from a page.",
        "name:string source:string base:string market:string seeds:string goal:string baseline:string",
    ),
    ("Checked", "Findings as `assay check --format json` writes them.", "has_passed:boolean findings:object"),
    (
        "Choices",
        "What fields may name.",
        "strategies:[Named] policies:[Named] markets:[Named] scenarios:[Named] tasks:[Named] worlds:[Named] writers:[string] models:[string] agents:[string] \
         faults:[string] goals:[string]",
    ),
    ("Named", "Its id, and what people call it.", "id:string name:string ~summary:string"),
    (
        "Job",
        "Something that was started. Alone, it has the end of what it printed, the folder of its results and the run of the store that it made.",
        "id:string kind:string subject:string state:string is_over:boolean exit_code:integer? can_resume:boolean command:[string] asked_ms:integer \
         began_ms:integer? ended_ms:integer? resumes:integer page:string ~output:string ~output_bytes:integer ~result:string? ~run:string?",
    ),
];

/// A schema from its line.
pub(super) fn schema(line: &str) -> Value {
    if !line.contains(':') {
        return kind(line);
    }
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for field in line.split_whitespace() {
        let Some((name, of)) = field.split_once(':') else { continue };
        let sure = name.strip_prefix('~');
        properties.insert(sure.unwrap_or(name).to_owned(), kind(of));
        if sure.is_none() {
            required.push(Value::from(name));
        }
    }
    let is_open = line.split_whitespace().any(|word| word == "*");
    json!({"type": "object", "required": required, "properties": properties, "additionalProperties": is_open})
}

fn kind(of: &str) -> Value {
    if let Some(of) = of.strip_suffix('?') {
        return json!({"anyOf": [kind(of), {"type": "null"}]});
    }
    if let Some(of) = of.strip_prefix('[').and_then(|of| of.strip_suffix(']')) {
        return json!({"type": "array", "items": kind(of)});
    }
    match of {
        "any" => json!({}),
        "code" => json!({"type": "string", "enum": Code::ALL.iter().map(|code| code.word()).collect::<Vec<_>>()}),
        "status" => json!({"type": "string", "enum": statuses()}),
        of if of.starts_with(char::is_uppercase) => json!({"$ref": format!("#/components/schemas/{of}")}),
        of => json!({"type": of}),
    }
}

/// All components.
pub(super) fn components() -> Value {
    let all = COMPONENTS.iter().map(|(name, what, line)| {
        let mut value = schema(line);
        value["description"] = (*what).into();
        ((*name).to_owned(), value)
    });
    Value::Object(all.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::operations::all;

    #[test]
    fn every_name_with_a_capital_is_a_component() {
        let lines = COMPONENTS.iter().map(|(.., line)| *line);
        let lines =
            lines.chain(all().flat_map(|operation| [Some(operation.answer), operation.made].into_iter().flatten()));
        for line in lines {
            for word in
                line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.starts_with(char::is_uppercase))
            {
                assert!(COMPONENTS.iter().any(|(name, ..)| *name == word), "{word} of {line}");
            }
        }
    }

    #[test]
    fn a_line_becomes_a_schema() {
        let expected = json!({
            "type": "object", "required": ["total", "rows"], "additionalProperties": false,
            "properties": {
                "total": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                "rows": {"type": "array", "items": {"$ref": "#/components/schemas/Row"}}, "more": {},
            },
        });
        assert_eq!(schema("total:integer? rows:[Row] ~more:any"), expected);
        assert_eq!(schema("a:any *")["additionalProperties"], true);
        assert_eq!(schema("object"), json!({"type": "object"}));
    }
}
