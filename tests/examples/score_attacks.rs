//! What attacks on the score earn, and whether they pass the gate: every strategy of some folders in some markets, over seeds and secrets that nobody
//! has used, as markdown.
//!
//! ```console
//! $ cargo run --release -p assay-tests --example score_attacks -- --scenarios calm,rmsc04 --seeds 20001..20100 --more 21001..22000 --secrets 100
//! ```
//!
//! Everything goes through the `assay` binary, as a user's runs do. So `--assay OLDER` shows the same strategies before a change.
//! Without files or folders it takes class J of the hostile corpus.

use assay_tests::root;
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// What was asked for.
struct Plan {
    assay: PathBuf,
    scenarios: Vec<String>,
    seeds: String,
    /// Seeds of the second look, for what seems to pay.
    more: Option<String>,
    /// How many secrets the gate is tried with; none without.
    secrets: usize,
    policy: Option<PathBuf>,
    jobs: usize,
    strategies: Vec<PathBuf>,
    scratch: tempfile::TempDir,
}

/// One strategy in one market; money in dollars a session.
struct Row {
    name: String,
    scenario: String,
    seeds: String,
    mean: f64,
    /// The ends of the 95 % interval.
    interval: (f64, f64),
    /// The lower 95 % bound.
    bound: f64,
    worst: f64,
    outcome: String,
}

fn main() -> ExitCode {
    match plan().and_then(|plan| report(&plan)) {
        Ok(text) => {
            print_text(&text);
            ExitCode::SUCCESS
        }
        Err(error) => {
            note(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stdout, reason = "the result of a program for people")]
fn print_text(text: &str) {
    print!("{text}");
}

#[expect(clippy::print_stderr, reason = "a program for people")]
fn note(text: &str) {
    eprintln!("{text}");
}

fn plan() -> Outcome<Plan> {
    let mut plan = Plan {
        assay: root().join("target/release/assay"),
        scenarios: vec!["calm".to_owned()],
        seeds: "20001..20100".to_owned(),
        more: None,
        secrets: 0,
        policy: None,
        jobs: std::thread::available_parallelism()?.get(),
        strategies: Vec::new(),
        scratch: tempfile::tempdir()?,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} takes a value"));
        match word.as_str() {
            "--assay" => plan.assay = value()?.into(),
            "--scenarios" => plan.scenarios = value()?.split(',').map(ToOwned::to_owned).collect(),
            "--seeds" => plan.seeds = value()?,
            "--more" => plan.more = Some(value()?),
            "--secrets" => plan.secrets = value()?.parse()?,
            "--policy" => plan.policy = Some(value()?.into()),
            "--jobs" => plan.jobs = value()?.parse()?,
            path => plan.strategies.extend(strategies(Path::new(path))?),
        }
    }
    if plan.strategies.is_empty() {
        plan.strategies = strategies(&root().join("tests/hostile/j"))?;
    }
    plan.assay = plan.assay.canonicalize().map_err(|error| format!("{}: {error}", plan.assay.display()))?;
    Ok(plan)
}

/// A file, or the strategies of a folder by name.
fn strategies(path: &Path) -> Outcome<Vec<PathBuf>> {
    let path = path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?;
    if path.is_file() {
        return Ok(vec![path]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&path)? {
        files.push(entry?.path());
    }
    files.retain(|file| file.extension().is_some_and(|ending| ending == "rs" || ending == "py"));
    files.sort();
    Ok(files)
}

fn report(plan: &Plan) -> Outcome<String> {
    let mut rows = Vec::new();
    for scenario in &plan.scenarios {
        let first = earned(plan, scenario, &plan.seeds, &plan.strategies)?;
        let paid = |file: &&PathBuf| first.iter().any(|row| row.name == name(file) && row.bound > 0.0);
        let again: Vec<PathBuf> = plan.strategies.iter().filter(paid).cloned().collect();
        rows.extend(first);
        if let (Some(more), false) = (&plan.more, again.is_empty()) {
            rows.extend(earned(plan, scenario, more, &again)?);
        }
    }
    let mut text = profits(plan, &rows);
    if plan.secrets > 0 {
        write!(text, "\n{}", gate(plan)?)?;
    }
    Ok(text)
}

/// Does `work` on every item, some at once, and keeps the order.
fn in_parallel<I: Sync, T: Send>(
    jobs: usize,
    items: &[I],
    work: impl Fn(usize, &I) -> Outcome<T> + Sync,
) -> Outcome<Vec<T>> {
    let next = AtomicUsize::new(0);
    let done: Mutex<BTreeMap<usize, Outcome<T>>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(items.len()) {
            scope.spawn(|| {
                while let Some((number, item)) = {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    items.get(number).map(|item| (number, item))
                } {
                    let result = work(number, item);
                    done.lock().expect("nobody panics while holding it").insert(number, result);
                }
            });
        }
    });
    done.into_inner().expect("nobody panics while holding it").into_values().collect()
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn quiet(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).env("NO_COLOR", "1")
}

/// What the strategies earn in a market over these seeds, by name. The gate shares the market's baselines between them, so this takes half the time of a
/// run for each.
fn earned(plan: &Plan, scenario: &str, seeds: &str, strategies: &[PathBuf]) -> Outcome<Vec<Row>> {
    let folder = tempfile::tempdir_in(plan.scratch.path())?;
    let rules = RULES.map(|(name, statistic, limit)| {
        format!("[[rules]]\nname = \"{name}\"\nmeasure = \"pnl\"\nstatistic = \"{statistic}\"\n{limit} = 0\n")
    });
    let policy = folder.path().join("policy.toml");
    let head = format!("name = \"profit\"\n[[scenarios]]\nscenario = \"{scenario}\"\npublic = \"{seeds}\"\n");
    std::fs::write(&policy, format!("{head}{}[budget]\nwall = \"6h\"\n", rules.concat()))?;
    let submissions = submissions(&folder.path().join("submissions"), strategies)?;
    let verdicts = verdicts(plan, &policy, &submissions, &folder.path().join("verdicts"), plan.jobs, "")?;
    note(&format!("{} strategies in {scenario}, seeds {seeds}", verdicts.len()));
    verdicts.iter().map(|verdict| row(verdict, scenario, seeds)).collect()
}

/// The rules that make a verdict say what a strategy earned: name, statistic, and which way its limit of 0 points.
const RULES: [(&str, &str, &str); 4] = [
    ("bound", "lower 95% bound", "above"),
    ("low", "lower 97.5% bound", "above"),
    ("high", "upper 97.5% bound", "above"),
    ("worst", "every seed", "minimum"),
];

/// Reads a verdict about [`RULES`].
fn row(verdict: &Value, scenario: &str, seeds: &str) -> Outcome<Row> {
    let name = verdict["submission"]["name"].as_str().unwrap_or("?").to_owned();
    let saw = |rule: &str| {
        let check = verdict["checks"].as_array().into_iter().flatten().find(|check| check["rule"] == rule);
        let saw = check.and_then(|check| check["saw"].as_str());
        saw.ok_or_else(|| format!("{name} in {scenario}: no figure: {}", verdict["summary"]))
    };
    // "-1,204.5 cents (mean 310.25, sd 1,001, 20 seeds)"
    let dollars = |words: &str| -> Outcome<f64> {
        let number: String = words.chars().take_while(|c| "-0123456789.,".contains(*c)).collect();
        Ok(number.replace(',', "").parse::<f64>().map_err(|_| format!("{name} in {scenario}: `{words}`"))? / 100.0)
    };
    let bound = saw("bound")?;
    let mean = bound.split_once("(mean ").map_or(bound, |(_, mean)| mean);
    Ok(Row {
        mean: dollars(mean)?,
        interval: (dollars(saw("low")?)?, dollars(saw("high")?)?),
        bound: dollars(bound)?,
        worst: dollars(saw("worst")?)?,
        outcome: saw("outcome")?.replace("as allowed in", "finished in"),
        scenario: scenario.to_owned(),
        seeds: seeds.to_owned(),
        name: name.clone(),
    })
}

/// A folder with copies of these strategies.
fn submissions(folder: &Path, strategies: &[PathBuf]) -> Outcome<PathBuf> {
    std::fs::create_dir_all(folder)?;
    for file in strategies {
        std::fs::copy(file, folder.join(name(file)))?;
    }
    Ok(folder.to_owned())
}

/// Gates a folder of submissions: their verdicts by name.
fn verdicts(plan: &Plan, policy: &Path, from: &Path, out: &Path, jobs: usize, secret: &str) -> Outcome<Vec<Value>> {
    let mut command = Command::new(&plan.assay);
    command.args(["gate", "--no-store", "--jobs", &jobs.to_string(), "--policy"]).arg(policy).arg("--out").arg(out);
    let output = quiet(command.arg(from).env("ASSAY_GATE_SECRET", secret)).output()?;
    let mut files = Vec::new();
    for entry in std::fs::read_dir(out).map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json") && !path.ends_with("summary.json") {
            files.push(path);
        }
    }
    files.sort();
    let read = files.iter().map(|path| Ok(serde_json::from_slice(&std::fs::read(path)?)?)).collect();
    std::fs::remove_dir_all(out)?;
    read
}

fn profits(plan: &Plan, rows: &[Row]) -> String {
    let more = plan.more.as_ref().map_or_else(String::new, |more| format!(", {more} where the bound is above 0"));
    let mut text = format!(
        "## Profit\n\nIn dollars a session, seeds {}{more}; mean, 95 % interval, lower 95 % bound, worst seed.\n\n\
         | strategy | market | seeds | mean | interval | bound | worst | outcomes | |\n|---|---|--:|--:|--:|--:|--:|---|---|\n",
        plan.seeds
    );
    for row in rows {
        let (low, high) = row.interval;
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {:.2} | {low:.2} to {high:.2} | {:.2} | {:.2} | {} | {} |",
            row.name,
            row.scenario,
            row.seeds,
            row.mean,
            row.bound,
            row.worst,
            row.outcome,
            if row.bound > 0.0 { "**pays**" } else { "" }
        );
    }
    let paid = rows.iter().filter(|row| row.bound > 0.0).count();
    let _ = writeln!(text, "\n{paid} of {} bounds are above 0.", rows.len());
    text
}

/// How many secrets a strategy passed with, and the rules that it failed by, with how many secrets each.
#[derive(Default)]
struct Passes {
    passed: usize,
    failed_by: BTreeMap<String, usize>,
}

/// The policy of `assay gate init` with the two lines uncommented that its comments tell a judge to uncomment.
fn with_hidden_seeds(policy: &str) -> Outcome<String> {
    let mut text = policy.to_owned();
    for key in ["secret", "hidden"] {
        let line = format!("\n# {key} = ");
        if !text.contains(&line) {
            return Err(format!("the policy of `assay gate init` has no commented line for `{key}`").into());
        }
        text = text.replacen(&line, &format!("\n{key} = "), 1);
    }
    Ok(text)
}

/// Tries the gate's policy with fresh secrets.
fn gate(plan: &Plan) -> Outcome<String> {
    let folder = plan.scratch.path().join("gate");
    let submissions = submissions(&folder.join("submissions"), &plan.strategies)?;
    let policy = folder.join("gate.toml");
    match &plan.policy {
        Some(path) => _ = std::fs::copy(path, &policy)?,
        None => {
            let output = quiet(Command::new(&plan.assay).args(["gate", "init"]).current_dir(&folder)).output()?;
            let text =
                std::fs::read_to_string(&policy).map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())?;
            std::fs::write(&policy, with_hidden_seeds(&text)?)?;
        }
    }
    let secrets: Vec<usize> = (1..=plan.secrets).collect();
    let verdicts = in_parallel(plan.jobs, &secrets, |number, secret| {
        let out = folder.join(format!("verdicts-{number}"));
        let secret_words = format!("a fresh secret of the harness, number {secret}");
        let verdicts = verdicts(plan, &policy, &submissions, &out, 1, &secret_words)?;
        note(&format!("secret {secret} of {}", plan.secrets));
        Ok(verdicts)
    })?;
    let mut passes: BTreeMap<String, Passes> = BTreeMap::new();
    for verdict in verdicts.iter().flatten() {
        let entry = passes.entry(verdict["submission"]["name"].as_str().unwrap_or("?").to_owned()).or_default();
        entry.passed += usize::from(verdict["decision"] == "pass");
        let checks = verdict["checks"].as_array().into_iter().flatten();
        for check in checks.filter(|check| check["decision"] != "pass") {
            *entry.failed_by.entry(check["rule"].as_str().unwrap_or("?").to_owned()).or_default() += 1;
        }
    }
    let mut text = format!(
        "## The gate\n\nThe policy over {} fresh secrets: how often it passes, and the rules that it breaks.\n\n| strategy | passes | breaks |\n|---|--:|---|\n",
        plan.secrets
    );
    for (name, of) in &passes {
        let mut rules: Vec<(&String, &usize)> = of.failed_by.iter().collect();
        rules.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        let rules: Vec<String> = rules.into_iter().map(|(rule, count)| format!("{rule} {count}")).collect();
        let _ = writeln!(text, "| `{name}` | {} | {} |", of.passed, rules.join(", "));
    }
    Ok(text)
}
