//! A session that begins or is resumed: everything that a user can get wrong is found before the first event.

use super::asking::Asking;
use super::estimate::estimate;
use super::settings::{BeginSettings, ResumeSettings, WriterKind};
use super::work::{Manner, open_models, work};
use super::workshop::{Workshop, is_python};
use super::{MICRO, failed, folder, new_id};
use crate::guide::{GUIDE, GUIDE_PYTHON};
use crate::new::RUST_TEMPLATE;
use crate::scenarios::warn_of_gifts;
use crate::settings::{self, Machine, ModelAccess};
use crate::{Ending, Failure, chain, face};
use assay_files::Links;
use assay_market::Scenario;
use assay_refine::core::bounds::{
    GENERATIONS_MAX, GOAL_BYTES_MAX, MARKETS_MAX, MICRODOLLARS_MAX, MODELS_MAX, WIDTH_MAX,
};
use assay_refine::core::event::Body;
use assay_refine::core::plan::{Budget, MarketPlan, ModelPlan, Plan, RULES_VERSION, Rules, Tunable, WriterPlan};
use assay_refine::core::state::Spent;
use assay_refine::journal::Journal;
use assay_refine::model::prompts_hash;
use assay_refine::source::with_defaults;
use std::net::IpAddr;
use std::path::Path;

/// Bytes of a strategy.
const SOURCE_BYTES_MAX: u64 = 1 << 20;

/// Begins a session and works at it, or only says what it would take.
///
/// # Errors
///
/// Where the settings are wrong, the strategy is refused, or the machine fails; and where the session is interrupted.
pub fn run(machine: &Machine, settings: &BeginSettings) -> Result<Ending, Failure> {
    check_numbers(settings)?;
    let scenarios = scenarios(&settings.scenario)?;
    let family_names = family_names(settings);
    let family = family(&family_names, &scenarios)?;
    let threads = settings::threads(settings.threads)?;
    let (name, source) = origin(settings)?;
    let workshop = Workshop::new(machine, &name, &source, threads)?;
    let plan = plan(
        (settings, seed(settings)?),
        (&scenarios, planned(&family_names, &family)),
        &workshop,
        writer(settings, &workshop)?,
    );
    // So that it can be resumed.
    plan.validate().map_err(Failure::usage)?;
    estimate(&plan, &workshop, &settings.access)?;
    let manner = Manner { threads, json: settings.json, record: &settings.record };
    let asking = Asking { access: &settings.access, tape: settings.tape.as_deref(), is_trial: settings.dry_run };
    let models = open_models((&plan, Spent::default()), &asking)?;
    if settings.dry_run {
        return Ok(Ending::Success);
    }
    let id = new_id(&settings.dir, &Path::new(&name).file_stem().unwrap_or_default().to_string_lossy())?;
    let path = settings.dir.join(&id);
    std::fs::create_dir_all(&settings.dir)
        .map_err(|error| Failure::usage(format!("failed to make the folder {}: {error}", settings.dir.display())))?;
    let seed = plan.seed;
    let began = Body::Began { plan: Box::new(plan) };
    let journal = Journal::begin(&path, began, &source, std::process::id()).map_err(|error| {
        Failure::usage(format!("failed to begin a session in {}: {}", path.display(), chain(&error)))
            .hint("choose another folder with --dir")
    })?;
    face::step("Session", &format!("{id} in {}, seed {seed}", path.display()));
    work(journal, &workshop, (&scenarios, &family), &models, &manner)
}

/// Works on at a session of the folder `dir`.
///
/// # Errors
///
/// Where there is no such session or it cannot go on as it began, or the machine fails; and where it is interrupted again.
pub fn resume(machine: &Machine, dir: &Path, settings: &ResumeSettings) -> Result<Ending, Failure> {
    let path = &folder(dir, &settings.id)?;
    let journal = Journal::open(path, std::process::id()).map_err(|error| failed(path, &error))?;
    let plan = journal.state().plan();
    if plan.rules_version != RULES_VERSION || plan.assay != env!("CARGO_PKG_VERSION") {
        return Err(Failure::usage(format!(
            "the session was begun by Assay {} with rules {}, and this is {} with rules {RULES_VERSION}",
            plan.assay,
            plan.rules_version,
            env!("CARGO_PKG_VERSION")
        ))
        .hint("resume it with that version; `assay refine export` writes its champion with any"));
    }
    let scenarios = distinct(plan.markets.iter().map(begun).collect::<Result<_, _>>()?)?;
    let family = unseen(distinct(plan.family.iter().map(begun).collect::<Result<_, _>>()?)?, &scenarios)?;
    let threads = settings::threads(settings.threads)?;
    let source = journal.program(&plan.source_hash).map_err(|error| failed(path, &error))?;
    let workshop = Workshop::new(machine, &plan.strategy, &source, threads)?;
    if let WriterPlan::Model(models) = &plan.writer
        && models.prompts_hash != prompts_hash_of(&workshop, models)
    {
        return Err(Failure::usage("the prompts have changed since the session began")
            .hint("resume it with the version of Assay that began it"));
    }
    let access = ModelAccess { model_url: url_of(plan, settings)?, ..settings.access.clone() };
    if let WriterPlan::Model(models) = &plan.writer {
        check_access(models, &access)?;
    }
    let asking = Asking { access: &access, tape: settings.tape.as_deref(), is_trial: false };
    let models = open_models((plan, journal.state().spent()), &asking)?;
    let manner = Manner { threads, json: settings.json, record: &settings.record };
    work(journal, &workshop, (&scenarios, &family), &models, &manner)
}

/// Where the provider listens: where the user says, or where it did when the session began, if that is this machine. A log may come from anybody, and what
/// opens the provider's door is sent there.
fn url_of(plan: &Plan, settings: &ResumeSettings) -> Result<Option<String>, Failure> {
    let begun = plan.writer.models().and_then(|models| models.model_url.clone());
    match (&settings.access.model_url, begun) {
        (None, Some(url)) if !is_of_this_machine(&url) => Err(Failure::usage(format!(
            "the session asks a model at {}, where your API key would be sent",
            face::visible(&url)
        ))
        .hint("if that is right, give the same --model-url again: a log does not say who wrote it")),
        (said, begun) => Ok(said.clone().or(begun)),
    }
}

/// Whether a URL names a host by which only this machine can be meant.
fn is_of_this_machine(url: &str) -> bool {
    let (_, rest) = url.split_once("://").unwrap_or_default();
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let bracketed = authority.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let host = bracketed.map_or_else(|| authority.split(':').next().unwrap_or_default(), |(host, _)| host);
    let is_loopback = host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    !authority.contains('@') && (host == "localhost" || is_loopback)
}

/// A session is resumed with the prices that it began with: its budget is counted in them.
fn check_access(models: &ModelPlan, access: &ModelAccess) -> Result<(), Failure> {
    if prices_hash(models, access)? == models.prices_hash {
        return Ok(());
    }
    Err(Failure::usage("the prices of the models have changed since the session began")
        .hint("resume it with the same --prices, and with the version of Assay that began it"))
}

#[cfg(feature = "rollouts")]
use super::model::prices_hash;

/// Without models, nothing has a price.
#[cfg(not(feature = "rollouts"))]
fn prices_hash(_: &ModelPlan, _: &ModelAccess) -> Result<String, Failure> {
    Err(Failure::left_out("language models"))
}

/// Name and source of what the session begins with.
fn origin(settings: &BeginSettings) -> Result<(String, String), Failure> {
    let Some(path) = &settings.from else {
        if settings.model.is_empty() {
            return Err(Failure::usage("there is no strategy to begin with")
                .hint("for example: assay refine --from my-strategy.rs"));
        }
        return Ok(("strategy.rs".to_owned(), RUST_TEMPLATE.to_owned()));
    };
    strategy(path)
}

/// Name and source of a strategy.
pub(super) fn strategy(path: &Path) -> Result<(String, String), Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !is_python(&name) && path.extension().is_none_or(|extension| extension != "rs") {
        return Err(Failure::usage(format!("{} is not a .rs or .py file", path.display())));
    }
    let source = assay_files::read_text(path, Links::Followed, SOURCE_BYTES_MAX)
        .map_err(|error| Failure::usage(format!("failed to read {}: {error}", path.display())))?;
    // Places in a source count from after a byte order mark, which is not part of it.
    Ok((name, source.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(source)))
}

/// Who writes, and what with.
fn writer(settings: &BeginSettings, workshop: &Workshop) -> Result<WriterPlan, Failure> {
    let helpers = [&settings.explain_model, &settings.judge_model, &settings.plan_model];
    if settings.model.is_empty() && (settings.self_review || helpers.into_iter().any(Option::is_some)) {
        let flags = "--explain-model, --judge-model, --plan-model and --self-review need a model that writes";
        return Err(Failure::usage(flags).hint("name one with --model"));
    }
    let usual = if settings.model.is_empty() { WriterKind::Tuner } else { WriterKind::Model };
    let writes = settings.writer.unwrap_or(usual);
    match (writes, settings.model.first(), &settings.words) {
        (WriterKind::Model, Some(_), Some(goal)) if (1..=GOAL_BYTES_MAX).contains(&goal.trim().len()) => {
            Ok(WriterPlan::Model(models(settings, goal.trim(), workshop)?))
        }
        (WriterKind::Model, Some(_), _) => {
            Err(Failure::usage(format!("a model needs a goal of 1 to {GOAL_BYTES_MAX} bytes"))
                .hint("for example: assay refine \"quote both sides, keep inventory low\" --model SPEC"))
        }
        (WriterKind::Model, None, _) => Err(Failure::usage("there is no model to write").hint("name one with --model")),
        (WriterKind::Tuner, Some(_), _) => Err(Failure::usage("the tuner needs no model").hint("leave --model out")),
        (WriterKind::Tuner, None, Some(_)) => {
            Err(Failure::usage("the tuner does not read goals")
                .hint("name a model with --model, or leave the goal out"))
        }
        (WriterKind::Tuner, None, None) => tuner(workshop),
    }
}

fn models(settings: &BeginSettings, goal: &str, workshop: &Workshop) -> Result<ModelPlan, Failure> {
    if settings.model.len() > MODELS_MAX {
        return Err(Failure::usage(format!(
            "{} models were given; a session takes 1 to {MODELS_MAX}",
            settings.model.len()
        )));
    }
    let mut indexed = settings.model.iter().enumerate();
    if let Some((_, twice)) = indexed.find(|(index, model)| settings.model[..*index].contains(model)) {
        return Err(Failure::usage(format!("the model {twice} was given twice")));
    }
    let mut models = ModelPlan {
        model: settings.model[0].clone(),
        others: settings.model[1..].to_vec(),
        goal: goal.to_owned(),
        prompts_hash: String::new(),
        model_url: settings.access.model_url.clone(),
        prices_hash: String::new(),
        explain_model: settings.explain_model.clone(),
        judge_model: settings.judge_model.clone(),
        plan_model: settings.plan_model.clone(),
        self_review: settings.self_review,
    };
    models.prompts_hash = prompts_hash_of(workshop, &models);
    models.prices_hash = prices_hash(&models, &settings.access)?;
    Ok(models)
}

fn tuner(workshop: &Workshop) -> Result<WriterPlan, Failure> {
    let parameters: Vec<Tunable> = workshop.parameters().iter().map(Tunable::from).collect();
    if parameters.is_empty() {
        return Err(Failure::usage(format!("{} declares no parameters that could be tuned", workshop.name()))
            .hint("`assay guide` shows how to declare them, `assay guide --python` for Python"));
    }
    // The champion is this source with other defaults, so they must be found in it before anything is spent.
    let others: Vec<f64> = parameters.iter().map(|one| one.default + 1.0).collect();
    with_defaults(workshop.source(), &parameters, &others).map_err(Failure::usage)?;
    Ok(WriterPlan::Tuner { parameters })
}

fn prompts_hash_of(workshop: &Workshop, models: &ModelPlan) -> String {
    prompts_hash(if workshop.is_python() { GUIDE_PYTHON } else { GUIDE }, models)
}

fn check_numbers(settings: &BeginSettings) -> Result<(), Failure> {
    let out_of_range = |name: &str, range: String| Err(Failure::usage(format!("--{name} is out of range")).hint(range));
    if !(1..=WIDTH_MAX).contains(&settings.width) {
        return out_of_range("width", format!("use 1 to {WIDTH_MAX}"));
    }
    if !(1..=GENERATIONS_MAX).contains(&settings.generations) {
        return out_of_range("generations", format!("use 1 to {GENERATIONS_MAX}"));
    }
    if settings.trials == 0 {
        return out_of_range("trials", "use a number above zero".to_owned());
    }
    if !(1.0..=10.0).contains(&settings.target) {
        return out_of_range("target", "use a score, from 1 to 10".to_owned());
    }
    if settings.budget_usd.is_some_and(|dollars| !(dollars > 0.0 && dollars * MICRO < MICRODOLLARS_MAX as f64)) {
        return out_of_range("budget-usd", "use a number above zero".to_owned());
    }
    if settings.budget_tokens == Some(0) {
        return out_of_range("budget-tokens", "use a number above zero".to_owned());
    }
    if settings.budget_minutes.is_some_and(|minutes| !(minutes > 0.0 && minutes.is_finite())) {
        return out_of_range("budget-minutes", "use a number above zero".to_owned());
    }
    Ok(())
}

pub(super) fn scenarios(names: &[String]) -> Result<Vec<Scenario>, Failure> {
    if names.is_empty() || names.len() > MARKETS_MAX {
        return Err(Failure::usage(format!("{} markets were given; a session takes 1 to {MARKETS_MAX}", names.len())));
    }
    let found = distinct(names.iter().map(|name| settings::scenario(name.trim())).collect::<Result<_, _>>()?)?;
    found.iter().for_each(warn_of_gifts);
    Ok(found)
}

/// A market as the session began with it. Its name is from a log, which may come from anybody and name any file: nothing is told of a file that is not
/// that market.
fn begun(market: &MarketPlan) -> Result<Scenario, Failure> {
    let found = settings::scenario(&market.name).ok().filter(|scenario| hash(scenario) == market.hash);
    found.ok_or_else(|| {
        Failure::usage(format!("the market {} is missing, or has changed since the session began", market.name))
            .hint("put it back as it was, and resume from the folder in which the session began")
    })
}

/// These, if they are all different.
fn distinct(scenarios: Vec<Scenario>) -> Result<Vec<Scenario>, Failure> {
    for (index, scenario) in scenarios.iter().enumerate() {
        if scenarios[..index].iter().any(|other| hash(other) == hash(scenario)) {
            return Err(Failure::usage(format!("the market {} was given twice", scenario.name)));
        }
    }
    Ok(scenarios)
}

/// Half-hour markets of one kind: whoever improves a strategy in some of them asks at the end how it does in the others.
const FAMILY: [&str; 5] = ["calm", "lively", "volatile", "stable", "thin"];

/// The markets that are kept for the end.
fn family_names(settings: &BeginSettings) -> Vec<String> {
    let named: Vec<&str> = settings.scenario.iter().map(|name| name.trim()).collect();
    match &settings.family {
        Some(names) if names.iter().any(|name| name.trim() == "none") => Vec::new(),
        Some(names) => names.iter().map(|name| name.trim().to_owned()).collect(),
        None if named.iter().all(|name| FAMILY.contains(name)) => {
            FAMILY.iter().filter(|name| !named.contains(name)).map(|name| (*name).to_owned()).collect()
        }
        None => Vec::new(),
    }
}

/// Their scenarios, none of which the session sees before.
fn family(names: &[String], seen: &[Scenario]) -> Result<Vec<Scenario>, Failure> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    unseen(scenarios(names)?, seen)
}

/// These, if none of them is seen before.
fn unseen(family: Vec<Scenario>, seen: &[Scenario]) -> Result<Vec<Scenario>, Failure> {
    match family.iter().find(|unseen| seen.iter().any(|scenario| hash(scenario) == hash(unseen))) {
        Some(both) => Err(Failure::usage(format!("the market {} is in --scenario and in --family", both.name))
            .hint("what candidates are chosen by cannot confirm them")),
        None => Ok(family),
    }
}

fn planned(names: &[String], scenarios: &[Scenario]) -> Vec<MarketPlan> {
    let markets = names.iter().zip(scenarios);
    markets.map(|(name, scenario)| MarketPlan { name: name.trim().to_owned(), hash: hash(scenario) }).collect()
}

fn hash(scenario: &Scenario) -> String {
    blake3::hash(scenario.to_toml().as_bytes()).to_hex().to_string()
}

/// The seed that is asked for, or a new one: a session with the seed of another would meet sealed seeds that have been used.
fn seed(settings: &BeginSettings) -> Result<u64, Failure> {
    let mut bytes = [0; 4];
    let drawn = || getrandom::fill(&mut bytes).map(|()| u64::from(u32::from_le_bytes(bytes)));
    settings.seed.map_or_else(drawn, Ok).map_err(|error| {
        Failure::infrastructure(format!("failed to draw a seed: {error}")).hint("choose one with `--seed`")
    })
}

fn plan(
    (settings, seed): (&BeginSettings, u64),
    (scenarios, family): (&[Scenario], Vec<MarketPlan>),
    workshop: &Workshop,
    writer: WriterPlan,
) -> Plan {
    Plan {
        rules_version: RULES_VERSION,
        assay: env!("CARGO_PKG_VERSION").to_owned(),
        seed,
        goal: settings.goal.name().to_owned(),
        markets: planned(&settings.scenario, scenarios),
        family,
        strategy: workshop.name().to_owned(),
        source_hash: blake3::hash(workshop.source().as_bytes()).to_hex().to_string(),
        writer,
        search: settings.search,
        rules: Rules {
            generations: settings.generations,
            width: settings.width,
            plateau: settings.plateau,
            target: settings.target,
            trials_max: settings.trials,
            ..Rules::default()
        },
        budget: Budget {
            microdollars: settings.budget_usd.map(|dollars| (dollars * MICRO) as u64),
            tokens: settings.budget_tokens,
            minutes: settings.budget_minutes,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::is_of_this_machine;

    #[test]
    fn only_hosts_that_can_be_no_other_are_of_this_machine() {
        for (url, is_here) in [
            ("http://127.0.0.1:8000/v1", true),
            ("http://localhost/v1", true),
            ("http://[::1]:8000/v1", true),
            ("https://api.example.com/v1", false),
            ("http://127.0.0.1@example.com/v1", false),
            ("http://127.0.0.1.example.com/v1", false),
            ("http://localhost.example.com", false),
            ("http:\\\\example.com@localhost", false),
            ("http://example.com\\@localhost/v1", false),
            ("http://example.com/localhost", false),
            ("localhost:8000", false),
            ("", false),
        ] {
            assert_eq!(is_of_this_machine(url), is_here, "{url}");
        }
    }
}
