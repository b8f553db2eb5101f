//! Scenarios that change another one: `base = "calm"`, and then only the keys that differ.
//!
//! Tables merge key by key, to any depth. `[agents.NAME]` and `[symbols.NAME]` change the group or symbol of that name; one that the base does not have is added if it says its `kind`, or
//! its `symbol`. A text that only adds may also use `[[agents]]` and `[[symbols]]`. Any other array, and every plain value, takes the place of the base's. Invariant: the result is a whole scenario. Its text names no base, so a record that holds it
//! means the same market in every release.

use toml::de::{DeArray, DeTable, DeValue, Error};
use toml::map::Map;
use toml::{Spanned, Value};

use super::error::{ScenarioError, ScenarioFault};
use super::limits::SCENARIO_BYTES_MAX;
use super::presets::{nearest, presets};
use super::read::{NAMED, line_of, name_of};

/// Bases of bases: more than anybody needs, and an end to files that name each other.
const DEPTH_MAX: usize = 8;

/// Finds the text of a base that is not a preset; the error says why there is none.
pub type FindBase<'a> = &'a mut dyn FnMut(&str) -> Result<String, String>;

/// The base of a text.
pub(super) struct Base {
    /// The base's whole text behind as many spaces as the text above it has bytes, so that a place in one is not a place in the other.
    pub(super) text: String,
    /// Where the text names it.
    pub(super) at: usize,
}

/// A TOML document, or what is wrong with its syntax.
pub(super) fn document(text: &str) -> Result<DeTable<'_>, ScenarioError> {
    if text.len() > SCENARIO_BYTES_MAX {
        let what = ScenarioFault::TooLong { bytes: text.len(), limit: SCENARIO_BYTES_MAX };
        return Err(ScenarioError { key: String::new(), line: 1, what, hint: None });
    }
    DeTable::parse(text).map(Spanned::into_inner).map_err(|error| syntax(text, &error))
}

fn syntax(text: &str, error: &Error) -> ScenarioError {
    ScenarioError {
        key: String::new(),
        line: line_of(text, error.span().map_or(0, |span| span.start)),
        what: ScenarioFault::Syntax(error.message().trim().replace('\n', ", ")),
        hint: None,
    }
}

/// The base that `root`, the document of `text`, names, if it does.
pub(super) fn base(text: &str, root: &DeTable<'_>, find: FindBase<'_>) -> Result<Option<Base>, ScenarioError> {
    base_within(text, root, find, &mut Vec::new())
}

fn base_within(
    text: &str,
    root: &DeTable<'_>,
    find: FindBase<'_>,
    above: &mut Vec<String>,
) -> Result<Option<Base>, ScenarioError> {
    let Some(entry) = root.get("base") else { return Ok(None) };
    let at = entry.span().start;
    let fault =
        |what, hint: Option<String>| ScenarioError { key: "base".to_owned(), line: line_of(text, at), what, hint };
    let Some(name) = entry.get_ref().as_str() else {
        let found = entry.get_ref().type_str();
        return Err(fault(ScenarioFault::WrongType { expected: "a string", found }, None));
    };
    // However it is written: all bases are in one folder.
    let plain = name.trim_start_matches("./");
    if let Some(first) = above.iter().position(|above| above == plain) {
        let circle: Vec<&str> = above[first..].iter().map(String::as_str).chain([plain]).collect();
        let hint = "a file must not be its own base, directly or through other files";
        return Err(fault(ScenarioFault::BasesInACircle(circle.join(" → ")), Some(hint.to_owned())));
    }
    if above.len() == DEPTH_MAX {
        return Err(fault(ScenarioFault::BasesTooDeep { limit: DEPTH_MAX }, None));
    }
    let found = match presets().iter().find(|preset| preset.name == name) {
        Some(preset) => preset.toml.to_owned(),
        None => find(name).map_err(|why| fault(ScenarioFault::NoBase(why), hint_for(name)))?,
    };
    above.push(plain.to_owned());
    let whole = flatten(&found, find, above).map_err(|error| {
        let what = match error.what {
            // Of the bases together, which say it best once.
            what @ (ScenarioFault::BasesInACircle(_) | ScenarioFault::BasesTooDeep { .. }) => what,
            _ => ScenarioFault::BrokenBase { base: name.to_owned(), what: error.to_string() },
        };
        fault(what, error.hint)
    })?;
    // Spaces mean nothing to TOML, and keep every place in the base beyond the text's end.
    let text = format!("{}{}", " ".repeat(text.len()), whole.as_deref().unwrap_or(&found));
    Ok(Some(Base { text, at }))
}

fn hint_for(name: &str) -> Option<String> {
    let near = nearest(name).map(|near| format!("did you mean `{near}`? "));
    Some(format!(
        "{}name a preset of `assay scenarios`, or a file by a path that ends in .toml",
        near.unwrap_or_default()
    ))
}

/// The text with its base merged in; none if it has no base.
fn flatten(text: &str, find: FindBase<'_>, above: &mut Vec<String>) -> Result<Option<String>, ScenarioError> {
    let root = document(text)?;
    let Some(base) = base_within(text, &root, find, above)? else { return Ok(None) };
    let below = padded(&base)?;
    Ok(Some(written(&merged(text, root, below)?)))
}

/// The document of a base; its places are those of the padded text.
pub(super) fn padded(base: &Base) -> Result<DeTable<'_>, ScenarioError> {
    DeTable::parse(&base.text).map(Spanned::into_inner).map_err(|error| syntax(&base.text, &error))
}

/// `above` over `below`.
pub(super) fn merged<'i>(
    text: &str,
    mut above: DeTable<'i>,
    mut below: DeTable<'i>,
) -> Result<DeTable<'i>, ScenarioError> {
    above.remove("base");
    for (key, ways) in NAMED {
        let Some(DeValue::Array(entries)) = below.get_mut(key).map(Spanned::get_mut) else { continue };
        match above.get(key).map(Spanned::get_ref) {
            Some(DeValue::Table(changes)) => {
                for (name, change) in changes {
                    same_kind(text, entries, key, ways, name.get_ref(), change)?;
                    change_entry(entries, ways, name.get_ref(), change).map_err(|(what, hint)| ScenarioError {
                        key: format!("{key}.{}", name.get_ref()),
                        line: line_of(text, name.span().start),
                        what,
                        hint,
                    })?;
                }
            }
            Some(DeValue::Array(added)) if added.iter().all(|item| item.get_ref().is_table()) => {
                added.iter().for_each(|entry| entries.push(entry.clone()));
            }
            // Nothing, or a type that the base's readers refuse by its place.
            _ => continue,
        }
        above.remove(key);
    }
    Ok(over(above, below))
}

/// Refuses another kind for the group that has this name: its keys would be those of the base's kind, and mean nothing.
fn same_kind(
    text: &str,
    entries: &DeArray<'_>,
    key: &str,
    ways: &[&str],
    name: &str,
    change: &Spanned<DeValue<'_>>,
) -> Result<(), ScenarioError> {
    const KIND: &str = "kind";
    let kind =
        |value: &Spanned<DeValue<'_>>| Some(value.get_ref().as_table()?.get(KIND)?.get_ref().as_str()?.to_owned());
    let Some(entry) = entries.iter().find(|entry| name_of(entry.get_ref(), ways) == Some(name)) else { return Ok(()) };
    let (Some(old), Some(new)) = (kind(entry), kind(change)) else { return Ok(()) };
    if old == new {
        return Ok(());
    }
    let at = change.get_ref().as_table().and_then(|table| table.get(KIND)).map_or(0, |kind| kind.span().start);
    let hint = format!(
        "a group keeps its kind: write `count = 0` under [{key}.{name}] to remove it, and add one of another name with kind = \"{new}\""
    );
    Err(ScenarioError {
        key: format!("{key}.{name}.{KIND}"),
        line: line_of(text, at),
        what: ScenarioFault::OtherKind(old),
        hint: Some(hint),
    })
}

/// Changes the entry that has this name, or adds one.
fn change_entry<'i>(
    entries: &mut DeArray<'i>,
    ways: &[&str],
    name: &str,
    change: &Spanned<DeValue<'i>>,
) -> Result<(), (ScenarioFault, Option<String>)> {
    let DeValue::Table(change_table) = change.get_ref() else {
        let found = change.get_ref().type_str();
        return Err((ScenarioFault::WrongType { expected: "a table", found }, None));
    };
    let named = |entry: &&mut Spanned<DeValue<'i>>| name_of(entry.get_ref(), ways) == Some(name);
    if let Some(entry) = entries.iter_mut().find(named) {
        let whole = match std::mem::replace(entry.get_mut(), DeValue::Boolean(false)) {
            DeValue::Table(table) => over(change_table.clone(), table),
            // Whatever has a name is a table.
            _ => change_table.clone(),
        };
        *entry = Spanned::new(change.span(), DeValue::Table(whole));
        return Ok(());
    }
    let needed = ways[ways.len() - 1];
    if change_table.get(needed).is_some() {
        let mut added = change_table.clone();
        if added.get(ways[0]).is_none() {
            let text = |text: &str| text.to_owned().into();
            added.insert(
                Spanned::new(change.span(), text(ways[0])),
                Spanned::new(change.span(), DeValue::String(text(name))),
            );
        }
        entries.push(Spanned::new(change.span(), DeValue::Table(added)));
        return Ok(());
    }
    let known: Vec<&str> = entries.iter().filter_map(|entry| name_of(entry.get_ref(), ways)).collect();
    let hint = match assay_model::nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? To add a new one, give its `{needed}`"),
        None => format!("known here: {}; to add a new one, give its `{needed}`", known.join(", ")),
    };
    Err((ScenarioFault::UnknownKey, Some(hint)))
}

/// The keys of `above`, and those of `below` that it does not have; tables in both merge.
fn over<'i>(above: DeTable<'i>, mut below: DeTable<'i>) -> DeTable<'i> {
    for (key, value) in above {
        let span = value.span();
        let value = match (value.into_inner(), below.remove(key.get_ref().as_ref()).map(Spanned::into_inner)) {
            (DeValue::Table(above), Some(DeValue::Table(below))) => DeValue::Table(over(above, below)),
            (value, _) => value,
        };
        below.insert(key, Spanned::new(span, value));
    }
    below
}

/// The document as text.
pub(super) fn written(root: &DeTable<'_>) -> String {
    // Every value of a TOML document can be written as one.
    toml::to_string(&table(root)).unwrap_or_default()
}

fn table(from: &DeTable<'_>) -> Map<String, Value> {
    from.iter().map(|(key, item)| (key.get_ref().to_string(), value(item.get_ref()))).collect()
}

fn value(from: &DeValue<'_>) -> Value {
    match from {
        DeValue::String(text) => Value::String(text.to_string()),
        // One that 64 bits do not hold is outside every range, as its stand-in is.
        DeValue::Integer(integer) => {
            Value::Integer(i64::from_str_radix(integer.as_str(), integer.radix()).unwrap_or(i64::MAX))
        }
        DeValue::Float(float) => Value::Float(float.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(is) => Value::Boolean(*is),
        DeValue::Datetime(datetime) => Value::Datetime(*datetime),
        DeValue::Array(array) => Value::Array(array.iter().map(|item| value(item.get_ref())).collect()),
        DeValue::Table(inner) => Value::Table(table(inner)),
    }
}
