//! From text to the rules about measures.

use super::error::PolicyError;
use super::read::{Field, Section, name, nearest, sentence};
use super::{Amount, Limit, POLICY_RULES_MAX, POLICY_SEEDS_MAX, Rule, Statistic};
use assay_evaluate::{Confidence, Tail};
use assay_market::metrics::{Better, Group, KPIS, KpiInfo};

const KEYS: [&str; 12] = [
    "name",
    "measure",
    "statistic",
    "against",
    "above",
    "below",
    "minimum",
    "maximum",
    "worse_by_at_most",
    "missing_seeds_max",
    "scenarios",
    "why",
];
const STATISTIC_HINT: &str = "use \"mean\", \"every seed\", \"lower 95% bound\" or \"upper 95% bound\"";
const PERCENT_HINT: &str = "write a number in the measure's unit, or a percentage of the baseline such as \"10%\"";

pub(super) fn rules(root: &Section<'_>, scenarios: &[&str]) -> Result<Vec<Rule>, PolicyError> {
    let Some(field) = root.get("rules") else { return Ok(Vec::new()) };
    let tables = field.tables(&KEYS)?;
    if tables.len() > POLICY_RULES_MAX {
        return Err(field
            .fail(format!("{} rules are too many: the maximum is {POLICY_RULES_MAX}", tables.len()), "remove some"));
    }
    let mut rules: Vec<Rule> = Vec::new();
    for table in &tables {
        let rule = rule(table, scenarios)?;
        if rules.iter().any(|other| other.name == rule.name) {
            let what = format!("two rules have the name `{}`", rule.name);
            return Err(table.fail(what, "give each rule its own name: verdicts refer to rules by name"));
        }
        rules.push(rule);
    }
    Ok(rules)
}

fn rule(table: &Section<'_>, scenarios: &[&str]) -> Result<Rule, PolicyError> {
    let measure =
        measure(&table.need("measure", "for example `measure = \"pnl\"`; docs/measures.md lists the measures")?)?;
    let worse = table.get("worse_by_at_most");
    let against_baseline = worse.is_some()
        || match table.get("against") {
            Some(field) => field.one_of("comparison", &[("baseline", true)])?,
            None => false,
        };
    let (lower, upper) = match &worse {
        Some(field) => {
            if let Some(other) = ["above", "below", "minimum", "maximum"].iter().find_map(|key| table.get(key)) {
                return Err(other.fail("this and `worse_by_at_most` contradict each other", "keep one of the two"));
            }
            worse_by(field, measure)?
        }
        None => limits(table, measure, against_baseline)?,
    };
    let statistic = table.get("statistic").map_or(Ok(Statistic::Mean), |field| statistic(&field))?;
    Ok(Rule {
        name: name(&table.need("name", "name = \"earns-money\"")?)?,
        line: table.line(),
        measure,
        statistic,
        against_baseline,
        lower,
        upper,
        missing_max: table.get("missing_seeds_max").map_or(Ok(0), |field| field.whole(0..=POLICY_SEEDS_MAX))?,
        scenarios: table.get("scenarios").map(|field| some_scenarios(&field, scenarios)).transpose()?,
        why: table.get("why").map(|field| sentence(&field)).transpose()?,
    })
}

fn measure(field: &Field<'_>) -> Result<&'static KpiInfo, PolicyError> {
    let text = field.text()?;
    if let Some(info) = KPIS.iter().find(|info| info.key == text) {
        return Ok(info);
    }
    let hint = match nearest(text, KPIS.iter().map(|info| info.key)) {
        Some(nearest) => format!("did you mean `{nearest}`? docs/measures.md lists them"),
        None => "docs/measures.md lists them, for example pnl, max_drawdown, spread, fill_rate_orders".to_owned(),
    };
    Err(field.fail(format!("there is no measure `{text}`"), hint))
}

/// `mean`, `every seed`, `lower 95% bound`, `upper 99.5% bound`.
fn statistic(field: &Field<'_>) -> Result<Statistic, PolicyError> {
    let text = field.text()?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let (tail, percent) = match words.as_slice() {
        ["mean"] => return Ok(Statistic::Mean),
        ["every", "seed"] => return Ok(Statistic::EverySeed),
        ["lower", percent, "bound"] => (Tail::Lower, percent),
        ["upper", percent, "bound"] => (Tail::Upper, percent),
        _ => return Err(field.fail(format!("there is no statistic `{text}`"), STATISTIC_HINT)),
    };
    let percent = percent.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
    let percent = percent.ok_or_else(|| field.fail(format!("there is no statistic `{text}`"), STATISTIC_HINT))?;
    let confidence = Confidence::percent(percent).ok_or_else(|| {
        field
            .fail(format!("{percent}% is not a confidence level"), "use more than 50% and at most 99.99%; 95% is usual")
    })?;
    Ok(Statistic::Bound { tail, percent, confidence })
}

type Limits = (Option<Limit>, Option<Limit>);

fn limits(table: &Section<'_>, measure: &KpiInfo, against_baseline: bool) -> Result<Limits, PolicyError> {
    let end = |strict_key: &str, key: &str| -> Result<Option<(Limit, Field<'_>)>, PolicyError> {
        let (field, strict) = match (table.get(strict_key), table.get(key)) {
            (Some(_), Some(field)) => {
                let what = format!("`{strict_key}` and `{key}` say the same thing twice");
                return Err(
                    field.fail(what, format!("`{key}` allows the number itself, `{strict_key}` does not; keep one"))
                );
            }
            (Some(field), None) => (field, true),
            (None, Some(field)) => (field, false),
            (None, None) => return Ok(None),
        };
        let amount = amount(&field, measure, against_baseline)?;
        Ok(Some((Limit { amount, strict }, field)))
    };
    let (lower, upper) = (end("above", "minimum")?, end("below", "maximum")?);
    if let (Some((low, _)), Some((high, field))) = (&lower, &upper)
        && let (Amount::Absolute(low_number), Amount::Absolute(high_number))
        | (Amount::OfBaseline(low_number), Amount::OfBaseline(high_number)) = (low.amount, high.amount)
        && (low_number > high_number || low_number == high_number && (low.strict || high.strict))
    {
        return Err(field.fail(
            format!("no number is both above {low_number} and below {high_number}"),
            "the lower limit must lie below the upper one",
        ));
    }
    if lower.is_none() && upper.is_none() {
        let hint = "add `above`, `below`, `minimum`, `maximum` or `worse_by_at_most`";
        return Err(table.fail("this rule has no limit", hint));
    }
    Ok((lower.map(|(limit, _)| limit), upper.map(|(limit, _)| limit)))
}

/// A number in the measure's unit, or a percentage of the baseline.
fn amount(field: &Field<'_>, measure: &KpiInfo, against_baseline: bool) -> Result<Amount, PolicyError> {
    let Some(text) = field.as_text() else { return field.number().map(Amount::Absolute) };
    let percent = text.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let percent = percent
        .filter(|percent| percent.is_finite())
        .ok_or_else(|| field.fail(format!("`{text}` is not an amount"), PERCENT_HINT))?;
    if !against_baseline {
        return Err(field.fail(format!("{text} of what?"), "add `against = \"baseline\"`, or write a plain number"));
    }
    if measure.group != Group::Market {
        let hint = "the baseline does nothing, so that this measure is 0 with it; write a number in the measure's unit";
        return Err(field.fail(format!("{text} of the baseline's {} is always 0", measure.title), hint));
    }
    Ok(Amount::OfBaseline(percent / 100.0))
}

/// No worse than the baseline by more than this: which way is worse, the catalogue knows.
fn worse_by(field: &Field<'_>, measure: &KpiInfo) -> Result<Limits, PolicyError> {
    let amount = amount(field, measure, true)?;
    let (Amount::Absolute(number) | Amount::OfBaseline(number)) = amount;
    if number < 0.0 {
        return Err(field.fail(
            "less than nothing worse",
            "to require a result better than the baseline, use `against` and `above`",
        ));
    }
    let negative = match amount {
        Amount::Absolute(number) => Amount::Absolute(-number),
        Amount::OfBaseline(fraction) => Amount::OfBaseline(-fraction),
    };
    let limit = |amount| Some(Limit { amount, strict: false });
    match measure.better {
        Better::Lower => Ok((None, limit(amount))),
        Better::Higher => Ok((limit(negative), None)),
        Better::Neutral => Err(field.fail(
            format!("neither more nor less {} is worse", measure.title),
            "say which way: `against = \"baseline\"` with `minimum` or `maximum`",
        )),
    }
}

fn some_scenarios(field: &Field<'_>, known: &[&str]) -> Result<Vec<String>, PolicyError> {
    let known: Vec<(&str, &str)> = known.iter().map(|name| (*name, *name)).collect();
    let items = field.list()?;
    let named = items.iter().map(|item| item.one_of("scenario in this policy", &known).map(str::to_owned));
    let named: Vec<String> = named.collect::<Result<_, _>>()?;
    if named.is_empty() {
        return Err(field.fail("this rule applies to no scenario", "omit `scenarios` to apply it to all scenarios"));
    }
    Ok(named)
}
