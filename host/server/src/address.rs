//! What the addresses of pages may ask for. Whatever else one asks for is left out before the page is made, and the page says so: a link that somebody has
//! shared still leads somewhere, and nobody takes a page for what it is not.
//!
//! Invariants: what a page does not understand never reaches it; a page that is not in the table understands nothing. `/api` refuses the same instead.

use crate::pages::{self, with_notice};
use crate::parameter::{
    FROM, KIND, LANGUAGE, ONLY, PAGE, Parameter, SCENARIO, STATUS, STEP, STRATEGY, WINDOW_FROM, WINDOW_TO, known, may,
};
use crate::text;
use axum::body::{Body, to_bytes};
use axum::extract::{MatchedPath, Request};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use maud::{Markup, html};

/// What is told of an address at most.
const TOLD_MAX: usize = 10;

const STRATEGY_ID: Parameter = may("strategy", "string", "The strategy that is chosen.");
const WORLD: Parameter = may("world", "string", "The world that is chosen.");
const TASKS: Parameter = may("tasks", "string", "The tasks that are chosen.");

/// Pages with what their addresses may tell; all others may tell nothing.
const PAGES: &[(&str, &[Parameter])] = &[
    ("/runs", &[KIND, STATUS, SCENARIO, STRATEGY, PAGE]),
    ("/runs/{id}", &[WINDOW_FROM, WINDOW_TO]),
    ("/runs/{id}/charts", &[WINDOW_FROM, WINDOW_TO]),
    ("/runs/{id}/charts/{file}", &[WINDOW_FROM, WINDOW_TO]),
    (
        "/compare",
        &[
            may("a", "string", "The first run."),
            may("b", "string", "The other one."),
            may("measure", "string", "The measure that is shown seed by seed."),
            SCENARIO,
            may("seed", "integer", "The seed in which the first different order is looked for."),
            PAGE,
        ],
    ),
    ("/board/{name}", &[may("season", "integer", "An earlier season.")]),
    ("/t/{id}", &[FROM, may("q", "string", "The text that is looked for.")]),
    ("/t/{id}/compare", &[may("with", "string", "The other trajectory.")]),
    ("/t/{id}/outline", &[FROM, ONLY]),
    ("/t/{id}/state", &[STEP, WORLD, may("part", "string", "The part of the state."), FROM]),
    ("/t/{id}/files", &[STEP, TASKS, may("file", "string", "The file that is shown.")]),
    ("/t/{id}/rows", &[FROM, may("count", "integer", "How many rows.")]),
    (
        "/t/{id}/record/{number}",
        &[may("all", "string", "All of a long record."), may("part", "string", "The record alone.")],
    ),
    (
        "/edit",
        &[
            may("open", "string", "The strategy that is opened."),
            may("run", "string", "The run whose strategy is opened."),
            may("report", "string", "The report whose strategy is opened."),
            may("session", "string", "The refinement whose candidate is opened."),
            may("candidate", "string", "Which of its candidates."),
            may("job", "string", "The job whose strategy is opened."),
            LANGUAGE,
            may("saved", "string", "Whether it has just been saved."),
        ],
    ),
    ("/runs/new", &[STRATEGY_ID]),
    ("/gate/new", &[STRATEGY_ID]),
    ("/refine/new", &[STRATEGY_ID]),
    ("/rollouts/new", &[TASKS]),
    ("/worlds/new", &[WORLD]),
    ("/worlds/fork", &[may("episode", "string", "The episode that is forked."), STEP, WORLD]),
];

/// What an address tells and its page does not understand.
pub(crate) struct LeftOut {
    name: String,
    value: String,
    why: String,
}

/// Takes what the page does not understand out of the address of a request.
pub(crate) fn sift(request: &mut Request) -> Vec<LeftOut> {
    let (Some(path), Some(query)) = (request.extensions().get::<MatchedPath>(), request.uri().query()) else {
        return Vec::new();
    };
    let there_are = PAGES.iter().find(|(page, _)| *page == path.as_str()).map_or(&[][..], |(_, known)| *known);
    let (mut kept, mut left_out): (Vec<(String, String)>, Vec<LeftOut>) = (Vec::new(), Vec::new());
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let (name, value) = (name.into_owned(), value.into_owned());
        let times = 1 + kept.iter().filter(|(other, _)| *other == name).count();
        match judge(there_are, (&name, value.trim()), times) {
            // Pages read what was judged. A text that is looked for may begin with a space.
            Ok(()) if name == "q" => kept.push((name, value)),
            Ok(()) => kept.push((name, value.trim().to_owned())),
            Err(why) => left_out.push(LeftOut { name, value, why }),
        }
    }
    left_out.extend(no_window(there_are, &mut kept));
    let rest = form_urlencoded::Serializer::new(String::new()).extend_pairs(&kept).finish();
    match format!("{}?{rest}", request.uri().path()).parse::<Uri>() {
        Ok(sifted) => *request.uri_mut() = sifted,
        // Written anew, an address may be longer than one may be.
        Err(_) => {
            let too_long = |(name, value)| LeftOut { name, value, why: "the address is too long".to_owned() };
            left_out.extend(kept.into_iter().map(too_long));
            if let Ok(bare) = request.uri().path().parse::<Uri>() {
                *request.uri_mut() = bare;
            }
        }
    }
    left_out
}

/// Removes the ends of a window that does not have both, or has them in the wrong order.
fn no_window(there_are: &[Parameter], kept: &mut Vec<(String, String)>) -> Vec<LeftOut> {
    let end = |name: &str| kept.iter().find(|(known, _)| known == name)?.1.parse::<u64>().ok();
    let is_window = matches!((end("from"), end("to")), (Some(from), Some(to)) if from < to);
    if is_window || !there_are.iter().any(|parameter| parameter.name == WINDOW_TO.name) {
        return Vec::new();
    }
    let ends = kept.extract_if(.., |(name, value)| (name == "from" || name == "to") && !value.is_empty());
    ends.map(|(name, value)| LeftOut { name, value, why: "a window has a `from` and a later `to`".to_owned() })
        .collect()
}

fn judge(there_are: &[Parameter], (name, value): (&str, &str), times: usize) -> Result<(), String> {
    let parameter = known(there_are, name, "parameter")?;
    parameter.times(times).and_then(|()| parameter.check(value)).and_then(|()| parameter.is_within(value))
}

/// Has a page say what was left out of its address. A part of a page, or a file, cannot.
pub(crate) async fn tell(response: Response, left_out: &[LeftOut]) -> Response {
    let is_page =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if left_out.is_empty() || !is_page {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // It is one of our own pages, and in memory already.
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    let page = with_notice(&String::from_utf8_lossy(&bytes), &notice(left_out));
    Response::from_parts(parts, Body::from(page))
}

fn notice(left_out: &[LeftOut]) -> Markup {
    html! {
        @for one in left_out.iter().take(TOLD_MAX) {
            (pages::left_out(&one.name, &one.value, &format!("was not understood and is left out: {}", one.why)))
        }
        @if left_out.len() > TOLD_MAX {
            p class="notice" { (text::counted(left_out.len() - TOLD_MAX, "more parameter was left out", "more parameters were left out")) "." }
        }
    }
}
