//! JSON in which no key occurs twice.
//!
//! Invariant: of two values under one key none is dropped without a word: the second one is an error, where it stands.

use assay_world::limits::DOCUMENTS_MAX;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// What the keys of a collection are called.
const ID: &str = "id";

/// The documents of a collection, each under its id.
pub(crate) struct Collection(pub(crate) Map<String, Value>);

impl<'de> Deserialize<'de> for Collection {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Ids;
        impl<'de> Visitor<'de> for Ids {
            type Value = Map<String, Value>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Self::Value, A::Error> {
                all(entries, ID)
            }
        }
        from.deserialize_map(Ids).map(Self)
    }
}

/// A value, as `serde_json` reads it.
pub(crate) struct Unique(pub(crate) Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Any).map(Self)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Unique(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Value, A::Error> {
        all(entries, "field").map(Value::Object)
    }
}

/// The entries of a map whose keys are of this kind.
fn all<'de, A: MapAccess<'de>>(mut entries: A, kind: &str) -> Result<Map<String, Value>, A::Error> {
    let mut map = Map::new();
    while let Some(key) = entries.next_key::<String>()? {
        if map.contains_key(&key) {
            return Err(A::Error::custom(format!("the {kind} {key:?} occurs twice")));
        }
        if kind == ID && map.len() >= DOCUMENTS_MAX {
            return Err(A::Error::custom(format!(
                "there are more than {DOCUMENTS_MAX} documents, the most that a world has"
            )));
        }
        let Unique(value) = entries.next_value()?;
        map.insert(key, value);
    }
    Ok(map)
}
