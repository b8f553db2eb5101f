//! JSON schemas of arguments and documents: written out, and with errors that name the path.

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::Value;

use crate::words::cut;

/// Errors of one value that are told.
const ERRORS_MAX: usize = 8;
/// Bytes of one of them.
const ERROR_BYTES_MAX: usize = 300;

/// Compiles a schema.
///
/// # Errors
/// It is none, or refers to another: schemas are small, and those that refer to themselves never end.
pub(crate) fn compiled(schema: &Value) -> Result<Validator, String> {
    if let Some(reference) = reference(schema) {
        return Err(format!("it refers to {reference}; write the schema out"));
    }
    jsonschema::validator_for(schema).map_err(|error| error.to_string())
}

/// What of a value the schema does not allow, each with its path; nothing where it fits.
pub(crate) fn errors(schema: &Validator, value: &Value) -> Option<String> {
    let told = schema.iter_errors(value).take(ERRORS_MAX).map(|error| {
        let (path, message) = (error.instance_path().to_string(), error.to_string());
        let message = cut(&message, ERROR_BYTES_MAX).to_owned();
        if path.is_empty() { message } else { format!("{path}: {message}") }
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| told.join("; "))
}

fn reference(schema: &Value) -> Option<String> {
    match schema {
        Value::Object(fields) => fields.iter().find_map(|(key, value)| match value {
            Value::String(target) if matches!(key.as_str(), "$ref" | "$dynamicRef" | "$recursiveRef") => {
                Some(target.clone())
            }
            _ => reference(value),
        }),
        Value::Array(items) => items.iter().find_map(reference),
        _ => None,
    }
}

/// What of a value a schema does not allow; nothing where it fits, or where the schema is none.
#[must_use]
pub fn misfit(schema: &Value, value: &Value) -> Option<String> {
    errors(&compiled(schema).ok()?, value)
}

/// What the documents of some collections must look like: as it was written, and compiled.
#[derive(Debug, Default)]
pub struct Schemas(BTreeMap<String, (Value, Validator)>);

impl Schemas {
    /// Documents of this collection must fit this schema.
    ///
    /// # Errors
    /// It is none, in words for people.
    pub fn add(&mut self, collection: &str, schema: &Value) -> Result<(), String> {
        self.0.insert(collection.to_owned(), (schema.clone(), compiled(schema)?));
        Ok(())
    }

    /// The schema of a collection, as it was written.
    #[must_use]
    pub fn get(&self, collection: &str) -> Option<&Value> {
        self.0.get(collection).map(|(schema, _)| schema)
    }

    /// The names of the collections that have one, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// What is wrong with a document; nothing where its collection has no schema.
    pub(crate) fn errors(&self, collection: &str, document: &Value) -> Option<String> {
        errors(&self.0.get(collection)?.1, document)
    }
}
