//! Addresses to pages, behind [`crate::safety`].
//!
//! Invariants: nothing is routed that was not admitted; a POST carries a form token, or the token itself; what panics is a page that says so, and the server
//! goes on.

use crate::address;
use crate::api;
use crate::app::{App, html, text};
use crate::charts;
use crate::code::Code;
use crate::desk;
use crate::form::BODY_BYTES_MAX;
use crate::id::{FolderId, Id, ItemId};
use crate::library::Library;
use crate::live;
use crate::pages::trajectory::ROWS_PER_PAGE;
use crate::pages::{Frame, SCRIPT, style, trouble};
use crate::query;
use crate::safety::{Admission, FORM_FIELD, HEADERS, Refusal, field};
use crate::starting::Work;
use crate::turn::{turn, turn_of, work, work_in_turn};
use crate::views::compare::Chosen;
use crate::views::{self, Problem, View};
use assay_report::Window;
use assay_store::RunId;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use std::sync::Arc;
use std::time::Duration;

/// How long a form may take to arrive.
const BODY_WAIT: Duration = Duration::from_secs(10);

type Shared = State<Arc<App>>;

/// Everything that is served.
pub(crate) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(home))
        .route("/style.css", get(async || text("text/css; charset=utf-8", style())))
        .route("/assay.js", get(async || text("text/javascript; charset=utf-8", SCRIPT.to_owned())))
        .route("/runs", get(runs))
        .route("/runs/{id}", get(run))
        .route("/compare", get(compare))
        .route("/board", get(boards))
        .route("/board/{name}", get(board))
        .route("/arena/{id}", get(arena))
        .route("/rollouts", get(rollouts))
        .route("/rollouts/{id}", get(rollout))
        .route("/worlds", get(worlds))
        .route("/worlds/{id}", get(world))
        .route("/refine", get(refinements))
        .route("/refine/{id}", get(refinement))
        .route("/refine/{id}/c/{candidate}", get(candidate))
        .route("/refine/{id}/stop", post(stop))
        .route("/gate", get(gates))
        .route("/gate/{id}", get(verdict))
        .route("/t/{id}", get(trajectory))
        .route("/t/{id}/compare", get(aside))
        .route("/t/{id}/outline", get(outline))
        .route("/t/{id}/state", get(state))
        .route("/t/{id}/files", get(files))
        .route("/t/{id}/rows", get(rows))
        .route("/t/{id}/record/{number}", get(record))
        .route("/doctor", get(doctor))
        .route("/live", get(live::stream))
        .merge(api::routes())
        .merge(charts::routes())
        .merge(desk::routes())
        .fallback(async |State(app): Shared, uri: Uri| no_page(&app, api::is_here(&uri)))
        .layer(from_fn_with_state(Arc::clone(&app), guard))
        .with_state(app)
}

/// Stands before everything: see [`crate::safety`].
async fn guard(State(app): Shared, request: Request, next: Next) -> Response {
    // A stream is for scripts: a page of words would say nothing to them.
    let of_api = api::is_here(request.uri()) || request.uri().path() == "/live";
    let is_text = is_text(request.uri());
    let mut response = match app.rules.admit(request.method(), request.uri(), request.headers()) {
        Admission::Refused(refusal) if of_api => refuse_program(refusal),
        Admission::Refused(refusal) => refuse(&app, refusal),
        Admission::SignedIn { cookie, to } => signed_in(&cookie, &to),
        Admission::Welcome { .. } if !is_text => no_page(&app, of_api),
        Admission::Welcome { needs_form } => {
            let changes = *request.method() == Method::POST;
            match checked(&app, request, changes, needs_form).await {
                Ok(request) => answered(&app, request, next, of_api).await,
                Err(problem) if of_api => api::trouble(problem),
                Err(problem) => app.problem(&problem),
            }
        }
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The answer of a handler. A page says what of its address was left out.
async fn answered(app: &App, mut request: Request, next: Next, of_api: bool) -> Response {
    let is_page = !of_api && *request.method() != Method::POST;
    let left_out = if is_page { address::sift(&mut request) } else { Vec::new() };
    let response = next.run(request).await;
    // There is such an address, for another method: the router says so without words.
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        return refuse_method(app, &response, of_api);
    }
    address::tell(response, &left_out).await
}

/// That nothing has this address, as whoever asks reads it.
fn no_page(app: &App, of_api: bool) -> Response {
    if of_api { api::trouble(api::nothing()) } else { app.problem(&Problem::no_address()) }
}

/// Whether what an address has in `%` is text: nothing that is not has a page.
fn is_text(uri: &Uri) -> bool {
    // It puts U+FFFD where something is none; nothing of ours has that in its name.
    let is_broken = |text: &str| text.contains(char::REPLACEMENT_CHARACTER);
    !form_urlencoded::parse(uri.path().as_bytes()).any(|(name, value)| is_broken(&name) || is_broken(&value))
}

/// Says which methods an address has, as whoever asks reads it.
fn refuse_method(app: &App, bare: &Response, of_api: bool) -> Response {
    let allowed = bare.headers().get(header::ALLOW);
    let words = match allowed.and_then(|allowed| allowed.to_str().ok()) {
        Some(allowed) => format!("This address answers {allowed}."),
        None => "GET /api/openapi.json says what this address answers.".to_owned(),
    };
    let problem = Problem::new(Code::MethodNotAllowed, "Not with this method", words);
    let mut response = if of_api { api::trouble(problem) } else { app.problem(&problem) };
    if let Some(allowed) = allowed {
        response.headers_mut().insert(header::ALLOW, allowed.clone());
    }
    response
}

/// A request that changes something is read whole, so that no handler has to remember to look at its form.
async fn checked(app: &App, request: Request, changes: bool, needs_form: bool) -> Result<Request, Problem> {
    if !changes {
        return Ok(request);
    }
    if app.is_read_only {
        let words = "The server was started with --read-only.";
        return Err(Problem::new(Code::ReadOnly, "Nothing can be changed here", words));
    }
    let too_large =
        || Problem::new(Code::TooLarge, "That is too much", format!("A form has at most {BODY_BYTES_MAX} bytes."));
    let announced = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|bytes: u64| bytes > BODY_BYTES_MAX as u64) {
        return Err(too_large());
    }
    let (parts, body) = request.into_parts();
    let bytes = match tokio::time::timeout(BODY_WAIT, to_bytes(body, BODY_BYTES_MAX)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => return Err(too_large()),
        Err(_) => {
            let words = format!("The form did not arrive within {} s.", BODY_WAIT.as_secs());
            return Err(Problem::new(Code::Timeout, "Too slow", words));
        }
    };
    let is_own = || {
        let mut fields = form_urlencoded::parse(&bytes);
        fields.any(|(name, value)| name == FORM_FIELD && app.rules.is_own_form(&value))
    };
    if needs_form && !is_own() {
        let (title, words) = Refusal::Form.words();
        return Err(Problem::new(Refusal::Form.code(), title, words));
    }
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

/// Says no to a program, and nothing about what is here.
fn refuse_program(refusal: Refusal) -> Response {
    let (title, words) = match refusal {
        Refusal::Stranger => (
            "The token is missing or wrong",
            "Send the token of the link that `assay serve` printed: `Authorization: Bearer TOKEN`.",
        ),
        other => other.words(),
    };
    parting(api::trouble(Problem::new(refusal.code(), title, words)))
}

/// Says no, and nothing about what is here: whoever asks is a stranger.
fn refuse(app: &App, refusal: Refusal) -> Response {
    let (title, words) = refusal.words();
    let frame = Frame { form: None, can_start: false, ..app.frame() };
    parting(html(refusal.code().status(), trouble(frame, title, words)))
}

/// A stranger keeps no place.
fn parting(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

fn signed_in(cookie: &str, to: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    for (name, value) in [(header::SET_COOKIE, cookie), (header::LOCATION, to)] {
        match HeaderValue::from_str(value) {
            Ok(value) => drop(response.headers_mut().insert(name, value)),
            Err(_) => return StatusCode::BAD_REQUEST.into_response(),
        }
    }
    response
}

async fn home(State(app): Shared) -> Response {
    let view = views::home(app.frame(), &app.library, app.starts.as_ref(), &app.ledger).await;
    app.answer(view)
}

async fn runs(State(app): Shared, uri: Uri) -> Response {
    let page = query::number(&uri, "page").and_then(|page| u32::try_from(page).ok()).unwrap_or(1).saturating_sub(1);
    let filter = query::filter(&uri);
    let view = views::runs(app.frame(), &app.library, &filter, page).await;
    app.answer(view)
}

async fn run(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let window = query::window(&uri);
    match views::id(&id) {
        Ok(Id::Run(id)) => stored_run(app, id, window).await,
        Ok(Id::Folder(id)) => work(app, move |frame, library| views::report(frame, library, id, window)).await,
        Ok(Id::Item(_)) => app.problem(&Problem::nothing()),
        Err(problem) => app.problem(&problem),
    }
}

async fn stored_run(app: Arc<App>, id: RunId, window: Option<Window>) -> Response {
    let read = async {
        let turn = turn(&app).await?;
        Ok((turn, views::stored(&app.library, id).await?))
    };
    match read.await {
        Ok((turn, (detail, record))) => {
            let record = move |frame: Frame<'_>, library: &Library| {
                views::run(frame, library, &detail, (record.as_deref(), window))
            };
            work_in_turn(app, turn, record).await
        }
        Err(problem) => app.problem(&problem),
    }
}

async fn stored_verdict(app: Arc<App>, id: RunId) -> Response {
    let read = async {
        let turn = turn(&app).await?;
        Ok((turn, views::stored_verdict(&app.library, id).await?))
    };
    match read.await {
        Ok((turn, bytes)) => work_in_turn(app, turn, move |frame, _| views::verdict_page(frame, &bytes, None)).await,
        Err(problem) => app.problem(&problem),
    }
}

/// Two runs, or a list to choose them from.
async fn compare(State(app): Shared, uri: Uri) -> Response {
    let id = |name: &str| match field(&uri, name).filter(|text| !text.is_empty()) {
        Some(text) => text.parse::<RunId>().map(Some).map_err(|_| Problem::nothing()),
        None => Ok(None),
    };
    let (a, b) = match id("a").and_then(|a| Ok((a, id("b")?))) {
        Ok(ids) => ids,
        Err(problem) => return app.problem(&problem),
    };
    let (Some(a), Some(b)) = (a, b) else {
        let page = query::number(&uri, "page").and_then(|page| u32::try_from(page).ok()).unwrap_or(1).saturating_sub(1);
        let view = views::compare::choice(app.frame(), &app.library, a.or(b), page).await;
        return app.answer(view);
    };
    let read = async {
        let turn = turn(&app).await?;
        let (a, b) = (views::compare::read(&app.library, a).await?, views::compare::read(&app.library, b).await?);
        Ok((turn, a, b))
    };
    let (measure, scenario, seed) = (field(&uri, "measure"), field(&uri, "scenario"), query::number(&uri, "seed"));
    let chosen = Chosen { measure, scenario, seed };
    match read.await {
        Ok((turn, a, b)) => {
            let make =
                move |frame: Frame<'_>, library: &Library| views::compare::both(frame, library, (&a, &b), &chosen);
            work_in_turn(app, turn, make).await
        }
        Err(problem) => app.problem(&problem),
    }
}

async fn boards(State(app): Shared) -> Response {
    work(app, views::boards::list).await
}

async fn board(State(app): Shared, Path(name): Path<String>, uri: Uri) -> Response {
    let season = match field(&uri, "season").map(|text| text.parse::<u32>()) {
        None => None,
        Some(Ok(season)) => Some(season),
        Some(Err(_)) => return app.problem(&Problem::no_board()),
    };
    work(app, move |frame, library| views::boards::board(frame, library, &name, season)).await
}

async fn arena(State(app): Shared, Path(id): Path<String>) -> Response {
    match id.parse::<FolderId>() {
        Ok(id) => work(app, move |frame, library| views::arena::arena(frame, library, id)).await,
        Err(_) => app.problem(&Problem::nothing()),
    }
}

async fn doctor(State(app): Shared) -> Response {
    let examine = app.examine.clone();
    work(app, move |frame, _| Ok(views::machine(frame, examine.as_ref()))).await
}

async fn worlds(State(app): Shared) -> Response {
    work(app, views::worlds).await
}

async fn world(State(app): Shared, Path(id): Path<String>) -> Response {
    match id.parse::<FolderId>() {
        Ok(id) => work(app, move |frame, library| views::world(frame, library, id)).await,
        Err(_) => app.problem(&Problem::nothing()),
    }
}

async fn rollouts(State(app): Shared) -> Response {
    work(app, views::rollouts).await
}

async fn rollout(State(app): Shared, Path(id): Path<String>) -> Response {
    match id.parse::<FolderId>() {
        Ok(id) => work(app, move |frame, library| views::rollout(frame, library, id)).await,
        Err(_) => app.problem(&Problem::nothing()),
    }
}

async fn refinements(State(app): Shared) -> Response {
    work(app, views::refinements).await
}

async fn refinement(State(app): Shared, Path(id): Path<String>) -> Response {
    match id.parse::<FolderId>() {
        Ok(id) => {
            let starts = app.starts.clone();
            work(app, move |frame, library| views::refinement(frame, library, id, starts.as_ref())).await
        }
        Err(_) => app.problem(&Problem::nothing()),
    }
}

async fn candidate(State(app): Shared, Path((id, slot)): Path<(String, String)>) -> Response {
    match id.parse::<FolderId>() {
        Ok(id) => work(app, move |frame, library| views::candidate(frame, library, id, &slot)).await,
        Err(_) => app.problem(&Problem::nothing()),
    }
}

/// Asks a session to stop, and goes back to its page.
async fn stop(State(app): Shared, Path(id): Path<String>) -> Response {
    let Ok(id) = id.parse::<FolderId>() else { return app.problem(&Problem::nothing()) };
    let worker = Arc::clone(&app);
    let asked = tokio::task::spawn_blocking(move || views::stop(&worker.library, id)).await;
    match asked.unwrap_or_else(|_| Err(Problem::bug())) {
        Ok(()) => (StatusCode::SEE_OTHER, [(header::LOCATION, format!("/refine/{id}"))]).into_response(),
        Err(problem) => app.problem(&problem),
    }
}

async fn gates(State(app): Shared) -> Response {
    let view = views::gates(app.frame(), &app.library).await;
    app.answer(view)
}

async fn verdict(State(app): Shared, Path(id): Path<String>) -> Response {
    match views::id(&id) {
        Ok(Id::Folder(id)) => work(app, move |frame, library| views::batch(frame, library, id)).await,
        Ok(Id::Item(id)) => work(app, move |frame, library| views::verdict(frame, library, &id)).await,
        Ok(Id::Run(id)) => stored_verdict(app, id).await,
        Err(problem) => app.problem(&problem),
    }
}

async fn trajectory(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let Ok(id) = id.parse::<ItemId>() else { return app.problem(&Problem::nothing()) };
    let (from, search) = (query::number(&uri, "from").unwrap_or(0), field(&uri, "q"));
    let part = (from - from % ROWS_PER_PAGE, ROWS_PER_PAGE);
    work(app, move |frame, library| views::records::trajectory(frame, library, &id, part, search.as_deref(), false))
        .await
}

async fn aside(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let Ok(id) = id.parse::<ItemId>() else { return app.problem(&Problem::nothing()) };
    let other = field(&uri, "with");
    work(app, move |frame, library| views::aside::aside(frame, library, &id, other.as_deref())).await
}

async fn outline(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let Ok(id) = id.parse::<ItemId>() else { return app.problem(&Problem::nothing()) };
    let (from, only) = (query::number(&uri, "from").unwrap_or(0), field(&uri, "only"));
    work(app, move |frame, library| views::outline::outline(frame, library, &id, from, only.as_deref())).await
}

/// What has to be made again by a command waits for its turn as checks do.
async fn made_again(
    app: Arc<App>,
    make: impl FnOnce(Frame<'_>, &Library, Option<&Work>) -> View + Send + 'static,
) -> Response {
    match turn_of(&app.checks).await {
        Ok(turn) => {
            let starts = app.starts.clone();
            work_in_turn(app, turn, move |frame, library| make(frame, library, starts.as_ref())).await
        }
        Err(problem) => app.problem(&problem),
    }
}

async fn state(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let Ok(id) = id.parse::<ItemId>() else { return app.problem(&Problem::nothing()) };
    let question = query::of_state(&uri);
    made_again(app, move |frame, library, work| views::state::state(frame, library, work, &id, &question)).await
}

async fn files(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let Ok(id) = id.parse::<ItemId>() else { return app.problem(&Problem::nothing()) };
    let question = query::of_files(&uri);
    made_again(app, move |frame, library, work| views::files::files(frame, library, work, &id, &question)).await
}

async fn rows(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let Ok(id) = id.parse::<ItemId>() else { return app.problem(&Problem::nothing()) };
    let (from, count) =
        (query::number(&uri, "from").unwrap_or(0), query::number(&uri, "count").unwrap_or(ROWS_PER_PAGE));
    work(app, move |frame, library| views::records::rows(frame, library, &id, from, count)).await
}

async fn record(State(app): Shared, Path((id, record)): Path<(String, String)>, uri: Uri) -> Response {
    let (Ok(id), Ok(record)) = (id.parse::<ItemId>(), record.parse::<u64>()) else {
        return app.problem(&Problem::nothing());
    };
    let how = (field(&uri, "all").is_some(), field(&uri, "part").is_some());
    work(app, move |frame, library| views::records::record(frame, library, &id, record, how)).await
}
