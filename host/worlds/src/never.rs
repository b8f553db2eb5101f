//! Conditions that can never hold, or always do: tests that a schema excludes, tests that exclude each other, documents that nobody can make.
//!
//! Invariant: whatever is refused here holds in no state of the world, or in every one, or names a place as nobody else would.

use assay_world::limits::NAME_BYTES_MAX;
use assay_world::words::nearest;
use assay_world::{About, Body, BuiltIn, Condition, Definition, Step, Task, Test, misfit, value};
use serde_json::{Map, Value};

use crate::database::statements;
use crate::slip::{Slip, quoted};

/// What is wrong, and what to do.
type Found = (String, Option<String>);

/// Why a condition can never hold, or always does.
pub(crate) fn holds(world: &Definition, task: &Task, one: &Condition) -> Option<Slip> {
    let found = match &one.about {
        About::Document { collection, id, path } => document(world, task, [collection, id, path], &one.test),
        About::Called { tool, arguments } => calls(&one.test).or_else(|| called(world, tool, arguments)),
        About::Query { sql, .. } => asked(sql),
        _ => None,
    };
    let found = found.or_else(|| place(&one.about)).or_else(|| test(&one.test)).or_else(|| denied(one));
    found.map(|(what, hint)| Slip { words: words(one), what, hint })
}

/// Two tests of one place, in a list of which all must hold at once, that exclude each other.
pub(crate) fn together(all: &[Condition]) -> Option<Slip> {
    all.iter().enumerate().find_map(|(index, second)| {
        let mut same = all[..index].iter().filter(|first| first.about == second.about);
        let first = same.find(|first| excludes(&first.test, &second.test) || excludes(&second.test, &first.test))?;
        let (one, other) = (said(&first.test), said(&second.test));
        let what = format!("two tests of one place exclude each other, so the list never holds: {one} and {other}");
        let hint =
            Some("one list says what holds at the same time; for either of two values there is `one_of`".to_owned());
        Some(Slip { words: words(second), what, hint })
    })
}

/// The words that stand in a condition's line.
fn words(one: &Condition) -> Vec<String> {
    let mut words = match &one.about {
        About::Document { collection, id, path } if path.is_empty() => vec![quoted(&format!("{collection}/{id}"))],
        About::Document { collection, id, path } => vec![quoted(&format!("{collection}/{id}")), quoted(path)],
        About::Query { sql, .. } => vec![quoted(sql), "sql".to_owned()],
        About::Called { tool, arguments } => {
            let arguments = arguments.keys().cloned();
            [quoted(tool), "called".to_owned()].into_iter().chain(arguments).collect()
        }
        other => match other {
            About::Mail(place) | About::File(place) => vec![quoted(place)],
            _ => vec!["when".to_owned()],
        },
    };
    // `called` alone means at least once, which nobody wrote.
    if one.test != Test::AtLeast(Value::from(1)) {
        let scalars = one.test.values().into_iter().filter(|value| !value.is_array() && !value.is_object());
        words.extend(scalars.map(Value::to_string));
    }
    words
}

/// A test as it stands in files.
fn said(test: &Test) -> String {
    match test {
        Test::Exists(wanted) => format!("exists = {wanted}"),
        Test::Equals(value) => format!("equals = {value}"),
        Test::NotEquals(value) => format!("not_equals = {value}"),
        Test::OneOf(values) => format!("one_of = {}", Value::from(values.clone())),
        Test::AtMost(value) => format!("at_most = {value}"),
        Test::AtLeast(value) => format!("at_least = {value}"),
        Test::Contains(value) => format!("contains = {value}"),
    }
}

/// Whether no value that passes the one passes the other.
fn excludes(one: &Test, other: &Test) -> bool {
    let fails = |value: &Value| !other.holds(Some(value));
    match one {
        Test::Exists(false) => !other.holds(None),
        Test::Equals(value) => fails(value),
        Test::OneOf(values) => values.iter().all(fails),
        Test::AtLeast(least) => match other {
            Test::AtMost(most) => least.as_f64().zip(most.as_f64()).is_some_and(|(least, most)| least > most),
            _ => false,
        },
        _ => false,
    }
}

/// A test that no value passes, or every one.
fn test(test: &Test) -> Option<Found> {
    match test {
        Test::AtMost(bound) | Test::AtLeast(bound) if !bound.is_number() => {
            let hint = "write the number without quotes, or compare with `equals`".to_owned();
            Some((format!("`at_most` and `at_least` compare numbers, and {bound} is none"), Some(hint)))
        }
        Test::OneOf(values) if values.is_empty() => Some(("`one_of` is empty, so it never holds".to_owned(), None)),
        Test::Contains(Value::String(part)) if part.is_empty() => {
            let hint = "to ask whether there is something, write `exists = true`".to_owned();
            Some(("`contains` is empty, so every text has it".to_owned(), Some(hint)))
        }
        _ => None,
    }
}

/// A wrong answer that is the right one.
fn denied(one: &Condition) -> Option<Found> {
    let Test::Contains(Value::String(part)) = &one.test else { return None };
    let plain = |text: &str| text.trim().to_lowercase();
    let wrong = one.not.iter().find(|wrong| plain(wrong) == plain(part))?;
    Some((format!("{wrong:?} stands in `contains` and in `not`, so it never holds"), None))
}

/// A place as nobody names one.
fn place(about: &About) -> Option<Found> {
    match about {
        About::File(path) if path.split('/').any(|part| matches!(part, "" | "." | "..")) => {
            let hint = "write it as below the folder `files`, for example notes/today.md".to_owned();
            Some((format!("{path:?} is not the path of a file of the world"), Some(hint)))
        }
        About::Mail(address) if !is_address(address) => {
            let hint = "name an address or a channel, without spaces and `/`".to_owned();
            Some((format!("{address:?} is not an address"), Some(hint)))
        }
        _ => None,
    }
}

fn is_address(text: &str) -> bool {
    let is_odd = |c: char| c == '/' || c.is_control() || c.is_whitespace();
    (1..=NAME_BYTES_MAX).contains(&text.len()) && !text.contains(is_odd)
}

/// A query that is none, or several.
fn asked(sql: &str) -> Option<Found> {
    let what = match statements(sql) {
        0 => "the query of a condition is empty".to_owned(),
        1 => return None,
        count => format!("the query of a condition has {count} statements"),
    };
    Some((what, Some("write one SELECT, whose first value is looked at".to_owned())))
}

/// A number of calls that never is, or always.
fn calls(test: &Test) -> Option<Found> {
    let is_count = |value: &Value| value.as_u64().is_some();
    let never = |value: &Value| format!("a tool is never called {value} times");
    let what = match test {
        Test::Exists(_) => Some("`called` is a number, which always exists".to_owned()),
        Test::Contains(_) => Some("`called` is a number, which contains nothing".to_owned()),
        Test::Equals(value) | Test::NotEquals(value) => (!is_count(value)).then(|| never(value)),
        Test::OneOf(values) => values.iter().find(|value| !is_count(value)).map(never),
        Test::AtMost(most) => {
            let is_negative = most.as_f64().is_some_and(|most| most < 0.0);
            is_negative.then(|| format!("a tool is never called at most {most} times"))
        }
        Test::AtLeast(least) => {
            let is_nothing = least.as_f64().is_some_and(|least| least <= 0.0);
            is_nothing.then(|| format!("a tool is always called at least {least} times"))
        }
    };
    let hint = "`called` alone means at least once, `equals = 0` means never, `at_most = 2` at most twice".to_owned();
    what.map(|what| (what, Some(hint)))
}

/// An argument with a value that the tool refuses.
fn called(world: &Definition, tool: &str, arguments: &Map<String, Value>) -> Option<Found> {
    // Programs may take what their schemas do not allow.
    let known = world.tools.get(tool).filter(|tool| !matches!(tool.body, Body::Native(_)))?;
    arguments.iter().find_map(|(path, value)| {
        let schema = within(&known.spec.parameters, path).ok()??;
        let why = misfit(schema, value)?;
        Some((format!("{tool} refuses {path} = {value}, so no such call is ever done: {why}"), near(schema, value)))
    })
}

/// A document that cannot be, or a value that its field cannot have.
fn document(world: &Definition, task: &Task, [collection, id, path]: [&String; 3], test: &Test) -> Option<Found> {
    if !can_be(world, task, collection, id) {
        let near = nearest(id, world.state.documents.list(collection).map(|(id, _)| id));
        let hint = near.map(|near| format!("did you mean `{collection}/{near}`?"));
        return Some((format!("there is no document {collection}/{id}, and nothing could make it"), hint));
    }
    let schema = world.state.documents.schemas().get(collection)?;
    match within(schema, path) {
        Err(whole) => {
            let hint = Some(format!("write `path = {whole:?}`"));
            Some((format!("{whole} of {collection} has no parts, so nothing lies at {path:?}"), hint))
        }
        Ok(found) => excluded(found?, &format!("{path:?} of {collection}"), test),
    }
}

/// Whether a document is there, or could be made.
pub(crate) fn can_be(world: &Definition, task: &Task, collection: &str, id: &str) -> bool {
    let is_it = |document: &str| document.split_once('/') == Some((collection, id));
    let is_there = world.state.documents.get(collection, id).is_some();
    let by_tool = || {
        world.tools.values().any(|tool| match &tool.body {
            Body::Native(_) => true,
            Body::Rules { steps, .. } => makes(steps, collection, id),
            Body::BuiltIn(kind, _) => *kind == BuiltIn::CalendarAdd && collection == "calendar",
        })
    };
    let mut others = task.events.iter().map(|event| &event.steps).chain(task.faults.iter().map(|fault| &fault.steps));
    is_there
        || task.overlays.iter().any(|overlay| is_it(&overlay.document))
        || by_tool()
        || others.any(|steps| makes(steps, collection, id))
}

/// Whether steps could make a document.
fn makes(steps: &[Step], collection: &str, id: &str) -> bool {
    steps.iter().any(|step| match step {
        Step::Insert { at, .. } => at.collection == collection && (!is_plain(&at.id) || value::plain(&at.id) == id),
        Step::Later { steps, .. } => makes(steps, collection, id),
        _ => false,
    })
}

/// Whether a value stands for itself: no name in it is filled in.
pub(crate) fn is_plain(value: &Value) -> bool {
    !value::any_text(value, &mut |text: &str| text.contains(['$', '{']))
}

/// The schema of what lies at a path, where that is said.
///
/// # Errors
/// The way there leads through something that has no parts: the path of that.
pub(crate) fn within<'s>(schema: &'s Value, path: &str) -> Result<Option<&'s Value>, String> {
    let (mut schema, mut before) = (schema, Vec::new());
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let types = types(schema);
        let may_be = |kind: &str| types.as_ref().is_none_or(|types| types.contains(&kind));
        if !may_be("object") && !may_be("array") {
            return Err(before.join("."));
        }
        let is_position = part.parse::<usize>().is_ok();
        let inner = if is_position && may_be("array") {
            let is_uniform = !may_be("object") && schema.get("prefixItems").is_none();
            schema.get("items").filter(|_| is_uniform)
        } else {
            schema.get("properties").and_then(|properties| properties.get(part))
        };
        let Some(inner) = inner else { return Ok(None) };
        schema = inner;
        before.push(part);
    }
    Ok(Some(schema))
}

/// The types that a schema allows, where it names them.
fn types(schema: &Value) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(one) => Some(vec![one]),
        Value::Array(all) => Some(all.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

/// The values that a schema allows, where it lists them.
fn listed(schema: &Value) -> Option<&Vec<Value>> {
    schema.get("enum").and_then(Value::as_array)
}

/// Whether a value of one of these types may fit a schema.
fn may_be(schema: &Value, kinds: &[&str], is_it: impl Fn(&Value) -> bool) -> bool {
    types(schema).is_none_or(|types| types.iter().any(|kind| kinds.contains(kind)))
        && listed(schema).is_none_or(|values| values.iter().any(is_it))
}

/// A test that nothing passes of what a schema allows.
fn excluded(schema: &Value, place: &str, test: &Test) -> Option<Found> {
    let never = |value: &Value| misfit(schema, value).filter(|_| !value.is_null());
    let (value, why) = match test {
        Test::Equals(value) | Test::NotEquals(value) => (value, never(value)?),
        Test::OneOf(values) => values.iter().find_map(|value| Some((value, never(value)?)))?,
        Test::AtMost(_) | Test::AtLeast(_) => {
            let is_number = may_be(schema, &["number", "integer"], Value::is_number);
            return (!is_number)
                .then(|| (format!("{place} is never a number"), Some("compare it with `equals`".to_owned())));
        }
        Test::Contains(part) => return contained(schema, place, part),
        Test::Exists(_) => return None,
    };
    Some((format!("{place} is never {value}: its schema says that {why}"), near(schema, value)))
}

/// What is never in a text or a list.
fn contained(schema: &Value, place: &str, part: &Value) -> Option<Found> {
    if may_be(schema, &["array"], Value::is_array) {
        return None;
    }
    let Value::String(text) = part else {
        let hint = "write a text in quotes, or compare with `equals`".to_owned();
        return Some((format!("{place} is never a list, so it does not contain {part}"), Some(hint)));
    };
    let has = |value: &Value| value.as_str().is_some_and(|whole| whole.to_lowercase().contains(&text.to_lowercase()));
    let is_never = !may_be(schema, &["string"], has);
    is_never.then(|| (format!("{place} never contains {part}: its schema excludes it"), near(schema, part)))
}

/// What was meant instead of a value that a schema excludes.
pub(crate) fn near(schema: &Value, value: &Value) -> Option<String> {
    let texts = || listed(schema).into_iter().flatten().filter_map(Value::as_str);
    let near = value.as_str().and_then(|text| nearest(text, texts()));
    near.map(|near| format!("did you mean `{near}`?"))
}
