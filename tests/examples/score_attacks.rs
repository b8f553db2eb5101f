//! What attacks on the score earn, and whether they pass the gate: every strategy of some folders in some markets, over seeds and secrets that nobody
//! has used, as markdown.
//!
//! ```console
//! $ cargo run --release -p assay-tests --example score_attacks -- --scenarios calm,rmsc04 --seeds 20001..20100 --more 21001..22000 --secrets 100
//! ```
//!
//! Everything goes through the `assay` binary, as a user's runs do. So `--assay OLDER` shows the same strategies before a change.
//! Without files or folders it takes class J of the hostile corpus; `--only NAME[,NAME]` takes some of it, with or without the ending of the file.
//!
//! The rows of a market are written when it is finished. A strategy without a figure has a row that says what happened, and the exit code is 1 at the end.

use assay_tests::root;
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
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

/// One strategy in one market.
struct Row {
    name: String,
    scenario: String,
    seeds: String,
    /// What it earned, or what happened instead.
    earned: Result<Earned, String>,
}

/// What a strategy earned, in dollars a session.
struct Earned {
    mean: f64,
    /// The ends of the 95 % interval.
    interval: (f64, f64),
    /// The lower 95 % bound.
    bound: f64,
    worst: f64,
    outcome: String,
}

impl Row {
    fn pays(&self) -> bool {
        self.earned.as_ref().is_ok_and(|earned| earned.bound > 0.0)
    }
}

fn main() -> ExitCode {
    match plan().and_then(|plan| report(&plan)) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(failed) => {
            note(&format!("error: {failed} runs have no figure"));
            ExitCode::FAILURE
        }
        Err(error) => {
            note(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Writes a part of the result at once: what follows can take hours, or fail.
fn show(text: &str) -> Outcome<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
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
    let mut only = None;
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
            "--only" => only = Some(value()?),
            path => plan.strategies.extend(strategies(Path::new(path))?),
        }
    }
    if plan.strategies.is_empty() {
        plan.strategies = strategies(&root().join("tests/hostile/j"))?;
    }
    if let Some(names) = &only {
        plan.strategies = chosen(&plan.strategies, names)?;
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

/// The strategies with these names, which may leave out the ending of the file.
fn chosen(strategies: &[PathBuf], names: &str) -> Outcome<Vec<PathBuf>> {
    for wanted in names.split(',') {
        if !strategies.iter().any(|file| is_called(file, wanted)) {
            return Err(format!("--only: none of the strategies is called `{wanted}`").into());
        }
    }
    let is_wanted = |file: &&PathBuf| names.split(',').any(|wanted| is_called(file, wanted));
    Ok(strategies.iter().filter(is_wanted).cloned().collect())
}

fn is_called(file: &Path, wanted: &str) -> bool {
    name(file) == wanted || file.file_stem().is_some_and(|stem| stem == wanted)
}

/// Shows the rows of each market when it is finished, then the gate. Returns how many runs failed.
fn report(plan: &Plan) -> Outcome<usize> {
    show(&head(plan))?;
    let (mut bounds, mut paid, mut failed) = (0, 0, 0);
    let mut add = |rows: &[Row]| {
        bounds += rows.iter().filter(|row| row.earned.is_ok()).count();
        paid += rows.iter().filter(|row| row.pays()).count();
        failed += rows.iter().filter(|row| row.earned.is_err()).count();
        show(&rows.iter().map(line).collect::<String>())
    };
    for scenario in &plan.scenarios {
        let first = earned(plan, scenario, &plan.seeds, &plan.strategies);
        add(&first)?;
        let has_paid = |file: &&PathBuf| first.iter().any(|row| row.name == name(file) && row.pays());
        let again: Vec<PathBuf> = plan.strategies.iter().filter(has_paid).cloned().collect();
        if let (Some(more), false) = (&plan.more, again.is_empty()) {
            add(&earned(plan, scenario, more, &again))?;
        }
    }
    show(&format!("\n{paid} of {bounds} bounds are above 0.\n"))?;
    if plan.secrets > 0 {
        let (text, failed_secrets) = gate(plan)?;
        show(&format!("\n{text}"))?;
        failed += failed_secrets;
    }
    Ok(failed)
}

/// Does `work` on every item, some at once, and keeps the order.
fn in_parallel<I: Sync, T: Send>(
    jobs: usize,
    items: &[I],
    work: impl Fn(usize, &I) -> Outcome<T> + Sync,
) -> Vec<Outcome<T>> {
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

/// What the strategies earn in a market over these seeds, by name: a row for each, even if nothing could be run.
fn earned(plan: &Plan, scenario: &str, seeds: &str, strategies: &[PathBuf]) -> Vec<Row> {
    note(&format!("{scenario}, seeds {seeds}: {} strategies", strategies.len()));
    let row = |name: String, earned: Outcome<Earned>| Row {
        name,
        scenario: scenario.to_owned(),
        seeds: seeds.to_owned(),
        earned: earned.map_err(|error| error.to_string()),
    };
    let (verdicts, trouble) = match profit_verdicts(plan, scenario, seeds, strategies) {
        Ok(verdicts) => (verdicts, "the gate gave no verdict".to_owned()),
        Err(error) => (Vec::new(), error.to_string()),
    };
    let mut rows: Vec<Row> = verdicts.iter().map(|verdict| row(submission(verdict), figures(verdict))).collect();
    for name in strategies.iter().map(|file| name(file)) {
        if !rows.iter().any(|row| row.name == name) {
            rows.push(row(name, Err(trouble.as_str().into())));
        }
    }
    for row in &rows {
        if let Err(what) = &row.earned {
            note(&format!("{} in {scenario}, seeds {seeds}: {what}", row.name));
        }
    }
    rows
}

/// Verdicts about [`RULES`] in one market. The gate shares the market's baselines between the strategies, so this takes half the time of a run for each.
fn profit_verdicts(plan: &Plan, scenario: &str, seeds: &str, strategies: &[PathBuf]) -> Outcome<Vec<Value>> {
    let folder = tempfile::tempdir_in(plan.scratch.path())?;
    let rules = RULES.map(|(name, statistic, limit)| {
        format!("[[rules]]\nname = \"{name}\"\nmeasure = \"pnl\"\nstatistic = \"{statistic}\"\n{limit} = 0\n")
    });
    let policy = folder.path().join("policy.toml");
    let head = format!("name = \"profit\"\n[[scenarios]]\nscenario = \"{scenario}\"\npublic = \"{seeds}\"\n");
    std::fs::write(&policy, format!("{head}{}[budget]\nwall = \"6h\"\n", rules.concat()))?;
    let submissions = submissions(&folder.path().join("submissions"), strategies)?;
    verdicts(plan, &policy, &submissions, &folder.path().join("verdicts"), plan.jobs, "")
}

/// The rules that make a verdict say what a strategy earned: name, statistic, and which way its limit of 0 points.
const RULES: [(&str, &str, &str); 4] = [
    ("bound", "lower 95% bound", "above"),
    ("low", "lower 97.5% bound", "above"),
    ("high", "upper 97.5% bound", "above"),
    ("worst", "every seed", "minimum"),
];

/// What a verdict is about.
fn submission(verdict: &Value) -> String {
    verdict["submission"]["name"].as_str().unwrap_or("?").to_owned()
}

/// Reads a verdict about [`RULES`].
fn figures(verdict: &Value) -> Outcome<Earned> {
    let saw = |rule: &str| {
        let check = verdict["checks"].as_array().into_iter().flatten().find(|check| check["rule"] == rule);
        let check = check.ok_or_else(|| verdict["summary"].as_str().unwrap_or("no summary").to_owned())?;
        let saw = check["saw"].as_str().unwrap_or_default();
        // What an unscored check saw can begin with a number that is not money: "99 of 100 seeds scored".
        if check["decision"] == "unscored" { Err(saw.to_owned()) } else { Ok(saw) }
    };
    // "-1,204.5 cents (mean 310.25, sd 1,001, 20 seeds)"
    let dollars = |words: &str| -> Outcome<f64> {
        let number: String = words.chars().take_while(|c| "-0123456789.,".contains(*c)).collect();
        Ok(number.replace(',', "").parse::<f64>().map_err(|_| format!("no figure: {words}"))? / 100.0)
    };
    let bound = saw("bound")?;
    let mean = bound.split_once("(mean ").map_or(bound, |(_, mean)| mean);
    Ok(Earned {
        mean: dollars(mean)?,
        interval: (dollars(saw("low")?)?, dollars(saw("high")?)?),
        bound: dollars(bound)?,
        worst: dollars(saw("worst")?)?,
        outcome: saw("outcome")?.replace("as allowed in", "finished in"),
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

/// What stands above the rows.
fn head(plan: &Plan) -> String {
    let more = plan.more.as_ref().map_or_else(String::new, |more| format!(", {more} where the bound is above 0"));
    format!(
        "## Profit\n\nIn dollars a session, seeds {}{more}; mean, 95 % interval, lower 95 % bound, worst seed.\n\n\
         | strategy | market | seeds | mean | interval | bound | worst | outcomes | |\n|---|---|--:|--:|--:|--:|--:|---|---|\n",
        plan.seeds
    )
}

/// A row of the table, with the end of its line.
fn line(row: &Row) -> String {
    let start = format!("| `{}` | {} | {} |", row.name, row.scenario, row.seeds);
    match &row.earned {
        Ok(earned) => {
            let (low, high) = earned.interval;
            format!(
                "{start} {:.2} | {low:.2} to {high:.2} | {:.2} | {:.2} | {} | {} |\n",
                earned.mean,
                earned.bound,
                earned.worst,
                earned.outcome,
                if row.pays() { "**pays**" } else { "" }
            )
        }
        Err(what) => format!("{start} | | | | failed: {} | |\n", in_a_cell(what)),
    }
}

/// A text on one line, without what divides cells.
fn in_a_cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
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

/// Tries the gate's policy with fresh secrets: what came of it, and how many secrets could not be tried.
fn gate(plan: &Plan) -> Outcome<(String, usize)> {
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
    let tried = in_parallel(plan.jobs, &secrets, |number, secret| {
        let out = folder.join(format!("verdicts-{number}"));
        let secret_words = format!("a fresh secret of the harness, number {secret}");
        let verdicts = verdicts(plan, &policy, &submissions, &out, 1, &secret_words)?;
        note(&format!("secret {secret} of {}", plan.secrets));
        Ok(verdicts)
    });
    let mut verdicts = Vec::new();
    for (secret, tried) in secrets.iter().zip(tried) {
        match tried {
            Ok(of_one) => verdicts.push(of_one),
            Err(error) => note(&format!("secret {secret}: {error}")),
        }
    }
    Ok((table(&verdicts), plan.secrets - verdicts.len()))
}

/// How often each strategy passed, over the verdicts of each secret.
fn table(verdicts: &[Vec<Value>]) -> String {
    let mut passes: BTreeMap<String, Passes> = BTreeMap::new();
    for verdict in verdicts.iter().flatten() {
        let entry = passes.entry(submission(verdict)).or_default();
        entry.passed += usize::from(verdict["decision"] == "pass");
        let checks = verdict["checks"].as_array().into_iter().flatten();
        for check in checks.filter(|check| check["decision"] != "pass") {
            *entry.failed_by.entry(check["rule"].as_str().unwrap_or("?").to_owned()).or_default() += 1;
        }
    }
    let mut text = format!(
        "## The gate\n\nThe policy over {} fresh secrets: how often it passes, and the rules that it breaks.\n\n| strategy | passes | breaks |\n|---|--:|---|\n",
        verdicts.len()
    );
    for (name, of) in &passes {
        let mut rules: Vec<(&String, &usize)> = of.failed_by.iter().collect();
        rules.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        let rules: Vec<String> = rules.into_iter().map(|(rule, count)| format!("{rule} {count}")).collect();
        let _ = writeln!(text, "| `{name}` | {} | {} |", of.passed, rules.join(", "));
    }
    text
}
