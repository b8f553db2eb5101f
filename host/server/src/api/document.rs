//! The description of the API in `OpenAPI` 3.1, made of the table of its operations.

use super::operations::{Method, Operation, all};
use super::schema::{components, schema};
use crate::parameter::Parameter;
use serde_json::{Map, Value, json};

/// Text that is no type of JSON Schema by itself.
const JSON_TYPES: [&str; 6] = ["string", "integer", "number", "boolean", "object", "array"];

/// See the module documentation.
pub(super) fn document() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Assay", "version": env!("CARGO_PKG_VERSION"),
            "description": "What the pages of `assay serve` show and start, for programs. No GET changes anything. Send the token of the printed link as `Authorization: Bearer TOKEN`. Prices and cash are in integer cents, quantities in shares, times in nanoseconds or milliseconds since 1970, as names say. A parameter that has to be there and is not is answered with 400, one that is wrong with 422.",
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths(),
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}, "schemas": components()},
    })
}

fn paths() -> Value {
    let mut paths = Map::new();
    for operation in all() {
        let methods = paths.entry(operation.path).or_insert_with(|| json!({}));
        methods[operation.method.word()] = described(operation);
    }
    paths.insert("/live".to_owned(), live());
    Value::Object(paths)
}

/// The stream of [`crate::live`], which is none of the table: pages follow it, too.
fn live() -> Value {
    let topic = "What is followed: `store`, `jobs`, `job-ID` of a job, `t-ID` of a trajectory, or `folder-ID` of a folder of results.";
    let after = "The number of the state that is known already; 0 without it.";
    let last = "The same, from a client that comes back. It counts more than `after`.";
    let stream = "Events as `text/event-stream`. `change`: there is another state. `gap`: there are fewer records than were known, so all of them have to be read again; only of a trajectory. \
                  `id` and `data` of both are the number of the state: of a trajectory, how many records it has. Read what has changed from its own address. \
                  Lines that begin with a colon only keep the connection. It ends after some minutes: come back with the last `id`.";
    let number = json!({"type": "integer", "minimum": 0});
    json!({"get": {
        "operationId": "live", "summary": "A stream that says whenever something has changed.",
        "parameters": [
            {"name": "topic", "in": "query", "required": true, "description": topic, "schema": {"type": "string"}},
            {"name": "after", "in": "query", "required": false, "description": after, "schema": number},
            {"name": "Last-Event-ID", "in": "header", "required": false, "description": last, "schema": number},
        ],
        "responses": {
            "200": {"description": stream, "content": {"text/event-stream": {"schema": {"type": "string"}}}},
            "400": error("No topic."),
            "401": error("No token, or another one."),
            "404": error("Unknown topic."),
            "503": error("Too many streams are open."),
        },
    }})
}

fn described(operation: &Operation) -> Value {
    let of_path = operation.parts.iter().map(|(name, what)| {
        json!({"name": name, "in": "path", "required": true, "description": what, "schema": {"type": "string"}})
    });
    let of_query = operation.query.iter().map(|parameter| {
        json!({
            "name": parameter.name, "in": "query", "required": parameter.is_required, "description": parameter.what,
            "schema": type_of(parameter),
        })
    });
    let mut value = json!({
        "operationId": operation.id, "summary": operation.what, "parameters": of_path.chain(of_query).collect::<Vec<_>>(),
        "responses": responses(operation),
    });
    if operation.method == Method::Post && !operation.fields.is_empty() {
        let form = json!({"schema": form(operation.fields)});
        value["requestBody"] = json!({"required": true, "content": {"application/x-www-form-urlencoded": form}});
    }
    value
}

/// An answer that says why there is none.
fn error(what: &str) -> Value {
    let schema = json!({"$ref": "#/components/schemas/Error"});
    json!({"description": what, "content": {"application/json": {"schema": schema}}})
}

fn responses(operation: &Operation) -> Value {
    let mut content = Map::new();
    if !operation.answer.is_empty() {
        content.insert("application/json".to_owned(), json!({"schema": schema(operation.answer)}));
    }
    for kind in operation.kinds {
        content.insert((*kind).to_owned(), json!({"schema": {"type": "string", "format": "binary"}}));
    }
    let mut responses = json!({
        "200": {"description": operation.what, "content": content},
        "401": error("No token, or another one."),
        "default": error("Why there is no answer."),
    });
    if operation.query.iter().chain(operation.fields).any(|parameter| parameter.is_required) {
        responses["400"] = error("Something that has to be there is not.");
    }
    if operation.method == Method::Post {
        responses["403"] = error("Nothing can be started, or the request comes from another page.");
        responses["415"] = error("The body is not a form.");
    }
    if let Some(made) = operation.made {
        let content = json!({"application/json": {"schema": schema(made)}});
        responses["201"] = json!({"description": "It is a job now.", "content": content});
    }
    responses
}

fn form(fields: &[Parameter]) -> Value {
    let required: Vec<&str> = fields.iter().filter(|field| field.is_required).map(|field| field.name).collect();
    let properties: Map<String, Value> = fields
        .iter()
        .map(|field| {
            let mut value = type_of(field);
            value["description"] = field.what.into();
            (field.name.to_owned(), value)
        })
        .collect();
    json!({"type": "object", "required": required, "properties": properties})
}

fn type_of(parameter: &Parameter) -> Value {
    let mut value = if JSON_TYPES.contains(&parameter.kind) {
        json!({"type": parameter.kind})
    } else {
        json!({"type": "string", "enum": parameter.kind.split('|').collect::<Vec<_>>()})
    };
    if let Some(default) = parameter.default {
        // A number, or a word.
        value["default"] = serde_json::from_str(default).unwrap_or_else(|_| default.into());
    }
    if let Some((low, high)) = parameter.bounds {
        (value["minimum"], value["maximum"]) = (low.into(), high.into());
    }
    if parameter.is_many { json!({"type": "array", "items": value}) } else { value }
}
