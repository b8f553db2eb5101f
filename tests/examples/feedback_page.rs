//! Makes `docs/llm-feedback.md` (`make feedback`): scripted models of known skill explain every strategy of the corpus of planted flaws, and a scripted
//! writer, who can mend only what is named rightly, rewrites it.
//!
//! Usage: `feedback_page --assay PROGRAM`, in the root of the checkout. The page goes to standard output.

use assay_refine::flaws::{Corpus, Planted};
use serde_json::{Value, json};
use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};

const CORPUS: &str = "examples/refine/flaws/corpus.toml";
const INTRODUCTION: &str = "# Whose feedback helps

`assay refine bench` compares what models say about a run by what a writer makes of it ([docs/refine.md](refine.md#whose-feedback-helps)). This page is a run of it over the strategies of
[`examples/refine/flaws`](../examples/refine/flaws/corpus.toml), 24 with a planted flaw and 3 healthy ones. `make feedback` makes it again.

No real model took part, because nobody paid for one. These are scripts of known skill: `expert` names every flaw, `novice` every other one and something wrong otherwise, `chatterbox` names none and makes up a number. The writer
is a script as well: it mends a flaw that is named rightly, and otherwise changes nothing. So the page shows that the benchmark ranks known skill rightly, and counts what is named and made up. It does **not** show
how real models do, what they cost, or whether real writers use what they are told. For that, run the command with real models in the place of the scripts:

```console
$ assay refine bench --flaws examples/refine/flaws/corpus.toml --models PROVIDER:A,PROVIDER:B --samples 2 --budget-usd 20 --page feedback.md
```

## Scripted models
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--assay", assay] => page(Path::new(assay)),
        _ => Err("usage: feedback_page --assay PROGRAM".into()),
    };
    match done {
        Ok(text) => {
            print(&text);
            ExitCode::SUCCESS
        }
        Err(error) => {
            fail(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stdout, reason = "the page")]
fn print(text: &str) {
    print!("{text}");
}

#[expect(clippy::print_stderr, reason = "a program for people")]
fn fail(text: &str) {
    eprintln!("error: {text}");
}

fn page(assay: &Path) -> Result<String, Box<dyn Error>> {
    let folder = Path::new(CORPUS).parent().unwrap_or(Path::new("."));
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).map_err(|error| error.to_string());
    let corpus = Corpus::read(&std::fs::read_to_string(CORPUS)?, &read)?;
    let home = tempfile::tempdir()?;
    let path = |name: &str| home.path().join(name);
    let names: Vec<&String> = corpus.flaws.keys().collect();
    let wrong = |flaw: &String| names[(names.iter().position(|name| *name == flaw).unwrap_or(0) + 1) % names.len()];
    let expert = |_: usize, one: &Planted| one.flaw.clone();
    let novice = |index: usize, one: &Planted| {
        one.flaw.as_ref().map(|flaw| if index.is_multiple_of(2) { flaw.clone() } else { wrong(flaw).clone() })
    };
    let answers = |named: &dyn Fn(usize, &Planted) -> Option<String>| {
        let one = |(index, one): (usize, &Planted)| {
            let text = said(one, named(index, one).as_deref());
            json!({"about": format!("`{}`", one.name), "text": text, "usage": {"input": 2_000, "output": 200}})
        };
        corpus.strategies.iter().enumerate().map(one).collect::<Vec<_>>()
    };
    let chatter = json!({"text": "It earned 987654.32 because markets are hard.\nFLAW: none", "usage": {"input": 2_000, "output": 900}});
    write(&path("expert.jsonl"), &answers(&expert))?;
    write(&path("novice.jsonl"), &answers(&novice))?;
    write(&path("chatterbox.jsonl"), &[chatter])?;
    write(&path("writer.jsonl"), &writer(&corpus))?;
    std::fs::write(
        path("prices.toml"),
        "version = \"1\"\nsource = \"made up\"\n\n[models.\"scripted:*\"]\ninput = 1.0\noutput = 5.0\n",
    )?;

    let corpus_path = Path::new(CORPUS).canonicalize()?;
    let output = Command::new(assay.canonicalize()?)
        .current_dir(home.path())
        .args(["refine", "bench", "--models", "scripted:expert.jsonl,scripted:novice.jsonl,scripted:chatterbox.jsonl"])
        .args([
            "--model",
            "scripted:writer.jsonl",
            "--prices",
            "prices.toml",
            "--page",
            "page.md",
            "--samples",
            "1",
            "--blocks",
            "3",
        ])
        .arg("--flaws")
        .arg(&corpus_path)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let text = std::fs::read_to_string(path("page.md"))?.replace(&corpus_path.display().to_string(), CORPUS);
    let tables = text.split_once("\n\n").map_or(text.as_str(), |(_, rest)| rest);
    Ok(format!("{INTRODUCTION}\n{}", tables.replace("\n## ", "\n### ")))
}

/// What a model says of a strategy when it names this.
fn said(one: &Planted, flaw: Option<&str>) -> String {
    format!("FLAW: {}\nThat is how it is with {}.", flaw.unwrap_or("none"), one.name)
}

/// Mends what is named rightly; a comment otherwise.
fn writer(corpus: &Corpus) -> Vec<Value> {
    let usage = json!({"input": 6_000, "output": 800});
    let flawed = corpus.strategies.iter().filter(|one| one.flaw.is_some());
    let mut answers: Vec<Value> = flawed
        .map(|one| {
            let text = format!("IDEA: mend it\n```rust\n{}```\n", one.healthy);
            json!({"about": said(one, one.flaw.as_deref()), "text": text, "usage": usage})
        })
        .collect();
    let edit = "IDEA: leave it\n<<<<<<< SEARCH\nuse assay_sdk::*;\n=======\nuse assay_sdk::*;\n// As it was.\n>>>>>>> REPLACE\n";
    answers.push(json!({"text": edit, "usage": usage}));
    answers
}

fn write(path: &Path, answers: &[Value]) -> std::io::Result<()> {
    let lines: Vec<String> = answers.iter().map(Value::to_string).collect();
    std::fs::write(path, lines.join("\n"))
}
