//! What stands before every handler: what has to be in an address or a form is there, and a number is one.
//!
//! Invariant: it only refuses. Whether what is there can be found, or done, is for the handler.

use super::answers::wrong;
use super::operations::{Operation, Parameter};
use super::trouble;
use crate::form::{BODY_BYTES_MAX, Form};
use crate::safety::field;
use crate::views::Problem;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

/// Refuses what the table says is no question.
pub(super) async fn require(State(operation): State<&'static Operation>, request: Request, next: Next) -> Response {
    for parameter in operation.query {
        if let Err(problem) = check(parameter, field(request.uri(), parameter.name).as_deref()) {
            return trouble(problem);
        }
    }
    if operation.fields.is_empty() {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    // Whoever admitted the request has read it within the same bound.
    let Ok(bytes) = to_bytes(body, BODY_BYTES_MAX).await else { return trouble(Problem::bug()) };
    let form = Form::parse(&bytes);
    for parameter in operation.fields.iter().filter(|parameter| parameter.is_required) {
        let value = form.all(parameter.name).next();
        if let Err(problem) = there(parameter, value) {
            return trouble(problem);
        }
    }
    next.run(Request::from_parts(parts, Body::from(bytes))).await
}

/// What has to be there is.
fn there(parameter: &Parameter, value: Option<&str>) -> Result<(), Problem> {
    if !parameter.is_required || value.is_some_and(|value| !value.trim().is_empty()) {
        return Ok(());
    }
    let words =
        format!("{}: it has to be there. {} GET /api/openapi.json describes it.", parameter.name, parameter.what);
    Err(Problem { status: 400, title: "Something is missing", words })
}

/// What is there is of its kind.
fn check(parameter: &Parameter, value: Option<&str>) -> Result<(), Problem> {
    there(parameter, value)?;
    let Some(value) = value.filter(|value| !value.is_empty()) else { return Ok(()) };
    let name = parameter.name;
    match parameter.kind {
        "integer" if value.parse::<u64>().is_err() => Err(wrong(&format!("{name}: it is not a number"))),
        "boolean" if !["true", "false"].contains(&value) => Err(wrong(&format!("{name}: use true or false"))),
        words if words.contains('|') && !words.split('|').any(|word| word == value) => {
            Err(wrong(&format!("{name}: use one of {}", words.replace('|', ", "))))
        }
        _ => Ok(()),
    }
}
