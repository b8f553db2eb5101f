//! From text to a policy: everything but the rules about measures.

use super::error::PolicyError;
use super::read::{Field, Section, name, nearest, sentence};
use super::rules;
use super::seeds;
use super::{
    BudgetCap, FindingRule, HiddenRule, Origin, OutcomeKind, OutcomeRule, POLICY_BYTES_MAX, POLICY_RULES_MAX,
    POLICY_SEEDS_MAX, Policy, ScenarioRule, SignOffRule,
};
use assay_evaluate::Seeds;
use assay_market::presets;
use assay_validator::{Code, Severity};
use std::time::Duration;
use toml::de::DeTable;

const ROOT_KEYS: [&str; 9] =
    ["name", "secret", "scenarios", "rules", "outcomes", "budget", "findings", "sign_offs", "scored_seeds_min"];
const SCENARIO_KEYS: [&str; 3] = ["scenario", "public", "hidden"];
const BUDGET_KEYS: [&str; 6] = ["fuel_initialize", "fuel_callback", "fuel_episode", "memory_bytes", "watchdog", "wall"];
const SIGN_OFF_KEYS: [&str; 5] = ["code", "submission", "by", "reason", "until"];

/// Time for all episodes of a submission where the policy is silent.
const WALL: Duration = Duration::from_secs(10 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl Policy {
    /// Parses and checks a policy.
    ///
    /// # Errors
    /// The first thing that is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        if text.len() > POLICY_BYTES_MAX {
            let what = format!("the file has {} bytes; the maximum is {POLICY_BYTES_MAX}", text.len());
            return Err(PolicyError::new("", &(0..0), "", what, None));
        }
        let document = DeTable::parse(text).map_err(|error| {
            let what = format!("not valid TOML: {}", error.message().trim().replace('\n', ", "));
            PolicyError::new(text, &error.span().unwrap_or(0..0), "", what, None)
        })?;
        let root = Section::root(text, document.get_ref()).only(&ROOT_KEYS)?;
        let secret = root.get("secret").map(|field| origin(&field)).transpose()?;
        let scenarios = scenarios(&root, secret.is_some())?;
        let names: Vec<&str> = scenarios.iter().map(|rule| rule.scenario.as_str()).collect();
        let policy = Self {
            name: name(&root.need("name", "name = \"my-policy\"")?)?,
            hash: blake3::hash(text.as_bytes()).to_string(),
            rules: rules::rules(&root, &names)?,
            outcomes: outcomes(&root)?,
            budget: budget(&root)?,
            findings: findings(&root)?,
            sign_offs: sign_offs(&root)?,
            scored_seeds_min: root
                .get("scored_seeds_min")
                .map(|field| field.whole(1..=POLICY_SEEDS_MAX))
                .transpose()?,
            secret,
            scenarios,
        };
        Ok(policy)
    }
}

fn origin(field: &Field<'_>) -> Result<Origin, PolicyError> {
    let table = field.table(&["file", "env"])?;
    let hint = "write { env = \"VARIABLE\" } or { file = \"path\" }";
    match (table.get("file"), table.get("env")) {
        (Some(file), None) => Ok(Origin::File(file.text()?.to_owned())),
        (None, Some(variable)) => {
            let text = variable.text()?;
            if text.is_empty() || text.contains(['=', '\0']) {
                return Err(variable.fail("this is not the name of an environment variable", hint));
            }
            Ok(Origin::Environment(text.to_owned()))
        }
        _ => Err(field.fail("expected either `file` or `env`", hint)),
    }
}

fn scenarios(root: &Section<'_>, has_secret: bool) -> Result<Vec<ScenarioRule>, PolicyError> {
    let hint = "[[scenarios]]\nscenario = \"rmsc04\"\npublic = 5";
    let field = root.need("scenarios", hint)?;
    let tables = field.tables(&SCENARIO_KEYS)?;
    if tables.is_empty() || tables.len() > POLICY_RULES_MAX {
        return Err(field.fail("a policy needs at least one scenario", hint));
    }
    let mut scenarios: Vec<ScenarioRule> = Vec::new();
    for table in tables {
        let scenario = scenario(&table, has_secret)?;
        if scenarios.iter().any(|other| other.scenario == scenario.scenario) {
            let what = format!("the scenario `{}` is listed twice", scenario.scenario);
            return Err(table.fail(what, "put all its seeds into one [[scenarios]]"));
        }
        scenarios.push(scenario);
    }
    Ok(scenarios)
}

fn scenario(table: &Section<'_>, has_secret: bool) -> Result<ScenarioRule, PolicyError> {
    let field = table.need("scenario", "scenario = \"rmsc04\"; `assay scenarios` lists them")?;
    let text = field.text()?;
    let is_file = text.ends_with(".toml");
    if !is_file && !presets().iter().any(|preset| preset.name == text) {
        let hint = match nearest(text, presets().iter().map(|preset| preset.name)) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "`assay scenarios` lists them; the name of your own file must end in .toml".to_owned(),
        };
        return Err(field.fail(format!("there is no scenario `{text}`"), hint));
    }
    let public = table.get("public").map(|field| public(&field)).transpose()?;
    let hidden = table.get("hidden").map(|field| hidden(&field, has_secret)).transpose()?;
    if public.is_none() && hidden.is_none() {
        let hint = "`public = 5` uses the seeds 1 to 5; `hidden = 20` uses 20 seeds that nobody can know";
        return Err(table.fail("this scenario has no seeds", hint));
    }
    Ok(ScenarioRule { scenario: text.to_owned(), line: table.line(), public, hidden })
}

fn public(field: &Field<'_>) -> Result<Seeds, PolicyError> {
    let hint = "5 means the seeds 1 to 5, \"5..8\" means 5, 6, 7 and 8, \"3,7,11\" means just those";
    let seeds = match field.as_text() {
        // As a number is a count, a text with one number would be mistaken for one.
        Some(text) if text.trim().parse::<u64>().is_ok() => {
            return Err(field.fail("it is unclear whether this is a count or a seed", hint));
        }
        Some(text) => seeds::listed_seeds(text).map_err(|error| field.fail(error, hint))?,
        None => Seeds::count(field.whole(1..=POLICY_SEEDS_MAX)?).map_err(|error| field.fail(error, hint))?,
    };
    Ok(seeds)
}

fn hidden(field: &Field<'_>, has_secret: bool) -> Result<HiddenRule, PolicyError> {
    let rule = if field.is_table() {
        HiddenRule::Listed(origin(field)?)
    } else {
        HiddenRule::Derived(field.whole(1..=POLICY_SEEDS_MAX)?)
    };
    if has_secret {
        return Ok(rule);
    }
    Err(field.fail(
        "hidden seeds need a secret",
        "add `secret = { env = \"ASSAY_GATE_SECRET\" }` at the top of the file, and set that variable to a long random text",
    ))
}

fn outcomes(root: &Section<'_>) -> Result<OutcomeRule, PolicyError> {
    let default = OutcomeRule { allowed: vec![OutcomeKind::Finished], line: 1 };
    let Some(field) = root.get("outcomes") else { return Ok(default) };
    let Some(allowed) = field.table(&["allowed"])?.get("allowed") else { return Ok(default) };
    let kinds = allowed.list()?.iter().map(|item| item.one_of("outcome", &OutcomeKind::ALL)).collect::<Result<_, _>>();
    let rule = OutcomeRule { allowed: kinds?, line: allowed.line() };
    if rule.allowed.is_empty() {
        return Err(allowed.fail("this allows nothing, so no submission can pass", "allowed = [\"finished\"]"));
    }
    Ok(rule)
}

fn budget(root: &Section<'_>) -> Result<BudgetCap, PolicyError> {
    let mut cap = BudgetCap {
        fuel_initialize: None,
        fuel_callback: None,
        fuel_episode: None,
        memory_bytes: None,
        watchdog: None,
        wall: WALL,
    };
    let Some(field) = root.get("budget") else { return Ok(cap) };
    let table = field.table(&BUDGET_KEYS)?;
    let whole = |key: &str| table.get(key).map(|field| field.whole(1..=i64::MAX as u64)).transpose();
    cap.fuel_initialize = whole("fuel_initialize")?;
    cap.fuel_callback = whole("fuel_callback")?;
    cap.fuel_episode = whole("fuel_episode")?;
    cap.memory_bytes = whole("memory_bytes")?;
    if let (Some(callback), Some(episode)) = (cap.fuel_callback, cap.fuel_episode)
        && callback > episode
    {
        return Err(table.fail(
            format!("a callback may use {callback} fuel, but a whole episode only {episode}"),
            "raise fuel_episode or lower fuel_callback",
        ));
    }
    let duration = |key: &str| table.get(key).map(|field| field.duration(Duration::from_millis(10)..=DAY)).transpose();
    cap.watchdog = duration("watchdog")?;
    cap.wall = duration("wall")?.unwrap_or(WALL);
    Ok(cap)
}

/// A finding's code by id or name.
fn code(field: &Field<'_>) -> Result<Code, PolicyError> {
    let text = field.text()?;
    let found = Code::ALL.iter().find(|code| code.id() == text || code.name() == text);
    found.copied().ok_or_else(|| {
        // Ids are too short to be mistyped by much; names are told by a letter or two.
        let names = Code::ALL.iter().flat_map(|code| [code.id(), code.name()]);
        let hint = match nearest(text, names.filter(|name| text.len() > 5 || name.len() <= 5)) {
            Some(nearest) if text.len() > 5 => format!("did you mean `{nearest}`?"),
            _ => "docs/findings.md lists them".to_owned(),
        };
        field.fail(format!("there is no finding `{text}`"), hint)
    })
}

fn findings(root: &Section<'_>) -> Result<FindingRule, PolicyError> {
    let Some(field) = root.get("findings") else { return Ok(FindingRule::default()) };
    let table = field.table(&["deny_warnings", "allow", "deny"])?;
    let warnings = |key: &str, hint: &str| -> Result<Vec<Code>, PolicyError> {
        let Some(list) = table.get(key) else { return Ok(Vec::new()) };
        let warning = |item: &Field<'_>| {
            let code = code(item)?;
            match code.severity() {
                Severity::Warning => Ok(code),
                Severity::Error => {
                    Err(item.fail(format!("{} is an error, which always rejects the submission", code.id()), hint))
                }
            }
        };
        list.list()?.iter().map(warning).collect()
    };
    let rule = FindingRule {
        deny_warnings: table.get("deny_warnings").map(|field| field.flag()).transpose()?.unwrap_or_default(),
        allow: warnings("allow", "to accept it for one submission, use [[sign_offs]]")?,
        deny: warnings("deny", "leave it out")?,
    };
    if let Some(both) = rule.allow.iter().find(|code| rule.deny.contains(code)) {
        return Err(table.fail(format!("{} is both allowed and denied", both.id()), "keep one of the two"));
    }
    Ok(rule)
}

fn sign_offs(root: &Section<'_>) -> Result<Vec<SignOffRule>, PolicyError> {
    let Some(field) = root.get("sign_offs") else { return Ok(Vec::new()) };
    field.tables(&SIGN_OFF_KEYS)?.iter().map(sign_off).collect()
}

fn sign_off(table: &Section<'_>) -> Result<SignOffRule, PolicyError> {
    let field = table.need("code", "add `code = \"S005\"`: the finding that is accepted")?;
    let code = code(&field)?;
    // What the checks of the source say is advice that somebody may answer for; what guards host and build is not.
    if code.severity() == Severity::Error && !code.id().starts_with(['S', 'P']) {
        return Err(field.fail(
            format!("{} cannot be signed off", code.id()),
            "only findings about the source (S…, P…) and warnings can be signed off: the others protect the host",
        ));
    }
    let field = table.need("submission", "add `submission = \"…\"`: the submission's hash, which is in the verdict")?;
    let submission = field.text()?;
    if submission.len() != 64 || !submission.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Err(field.fail("this is not the hash of a submission", "copy the 64 digits from the verdict"));
    }
    let words = |key: &str, hint: &str| sentence(&table.need(key, hint)?);
    Ok(SignOffRule {
        code,
        submission: submission.to_owned(),
        by: words("by", "add `by = \"…\"`: who takes responsibility for it")?,
        reason: words("reason", "add `reason = \"…\"`: why it is accepted")?,
        until: table.get("until").map(|field| field.date()).transpose()?,
    })
}
