//! What stands before every handler: what has to be in an address or a form is there, a number is one, a word is one of those that there are, and nothing is
//! named that nobody knows.
//!
//! Invariant: it only refuses. Whether what is there can be found, or done, is for the handler.

use super::answers::wrong;
use super::operations::{Method, Operation};
use super::trouble;
use crate::code::Code;
use crate::form::{BODY_BYTES_MAX, Form};
use crate::parameter::{Parameter, known};
use crate::safety::{FORM_FIELD, field};
use crate::views::Problem;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Uri, header};
use axum::middleware::Next;
use axum::response::Response;

/// Refuses what the table says is no question.
pub(super) async fn require(State(operation): State<&'static Operation>, request: Request, next: Next) -> Response {
    if let Err(problem) = check_address(operation, request.uri()) {
        return trouble(problem);
    }
    if operation.method == Method::Get {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    // Whoever admitted the request has read it within the same bound.
    let Ok(bytes) = to_bytes(body, BODY_BYTES_MAX).await else { return trouble(Problem::bug()) };
    if !bytes.is_empty() && !may_be_form(&parts.headers) {
        let words = "Send application/x-www-form-urlencoded, e.g. `curl -d strategy=... -d seeds=20`.";
        return trouble(Problem::new(Code::UnsupportedMediaType, "The body is not a form", words));
    }
    if let Err(problem) = check_form(operation, &Form::parse(&bytes)) {
        return trouble(problem);
    }
    next.run(Request::from_parts(parts, Body::from(bytes))).await
}

/// Whether a body is a form, as far as its headers say what it is.
fn may_be_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).map(|kind| kind.to_str().unwrap_or_default());
    let essence = kind.map(|kind| kind.split(';').next().unwrap_or_default().trim());
    essence.is_none_or(|essence| essence.eq_ignore_ascii_case("application/x-www-form-urlencoded"))
}

fn check_address(operation: &Operation, uri: &Uri) -> Result<(), Problem> {
    for parameter in operation.query {
        let value = field(uri, parameter.name);
        there(parameter, value.as_deref())?;
        judged(parameter, parameter.check(value.as_deref().unwrap_or_default()))?;
        let named = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
        judged(parameter, parameter.times(named.filter(|(name, _)| name == parameter.name).count()))?;
    }
    let mut named = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    named.try_for_each(|(name, _)| is_known(operation.query, &name, "parameter"))
}

/// What a form has beyond that is for the handler, which says it in the words of its page.
fn check_form(operation: &Operation, form: &Form) -> Result<(), Problem> {
    for parameter in operation.fields {
        there(parameter, form.all(parameter.name).next())?;
        judged(parameter, parameter.times(form.all(parameter.name).count()))?;
    }
    for parameter in operation.fields {
        form.all(parameter.name).try_for_each(|value| judged(parameter, parameter.is_one_of(value)))?;
    }
    // A browser sends the token of its form, too.
    let mut named = form.names().filter(|name| *name != FORM_FIELD);
    named.try_for_each(|name| is_known(operation.fields, name, "field"))
}

/// Characters of a name in an error.
const NAME_CHARS_MAX: usize = 60;

/// A name is one of those that there are.
fn is_known(there_are: &[Parameter], name: &str, what: &str) -> Result<(), Problem> {
    match known(there_are, name, what) {
        Ok(_) => Ok(()),
        Err(why) => Err(wrong(&assay_report::visible(name, NAME_CHARS_MAX), &why)),
    }
}

/// What is wrong with a parameter, for whoever asks.
fn judged(parameter: &Parameter, judgement: Result<(), String>) -> Result<(), Problem> {
    judgement.map_err(|why| wrong(parameter.name, &why))
}

/// What has to be there is.
fn there(parameter: &Parameter, value: Option<&str>) -> Result<(), Problem> {
    if !parameter.is_required || value.is_some_and(|value| !value.trim().is_empty()) {
        return Ok(());
    }
    let words =
        format!("{}: it has to be there. {} GET /api/openapi.json describes it.", parameter.name, parameter.what);
    Err(Problem::new(Code::Missing, "Something is missing", words).about(parameter.name))
}
