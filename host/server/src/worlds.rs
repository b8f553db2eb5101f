//! Worlds over HTTP: the Model Context Protocol for agents under test, and a door of its own for the operator.
//!
//! ```text
//! Host ──► Origin, Sec-Fetch-Site ──► token ──► /NAME/mcp, /NAME/FORK/mcp   the agent's: messages of the protocol
//!   421             403                401, 403 └► /NAME/control            the operator's: status, end, reset, fork
//! ```
//!
//! Invariants: only this machine is listened to; each address takes the token of one side, so the agent's opens nothing of the operator's and the other way
//! round; a GET changes nothing; what is sent is JSON of a bounded size, which no form of a browser can send; what a client says is answered, never printed.

use crate::listen::{accept, bind};
use crate::safety::{Rules, Secret, bearer, is_same};
use crate::{ServeError, Stop};
use assay_worlds::mcp::{ControlError, MESSAGE_BYTES_MAX, Order, Reply, Revision, Room, Session, receive};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// The port where none is named.
pub const WORLDS_PORT: u16 = 7_118;

/// How long a message may take to arrive.
const BODY_WAIT: Duration = Duration::from_secs(10);
/// The session that a message belongs to.
const SESSION: &str = "mcp-session-id";
/// The revision of the protocol that a message follows.
const REVISION: &str = "mcp-protocol-version";
/// How the operator's addresses end.
const CONTROL: &str = "/control";

/// Where worlds are served, and to whom.
#[derive(Clone, Debug)]
pub struct WorldsAt {
    /// The addresses for agents, by the worlds' names.
    pub agents: BTreeMap<String, String>,
    /// The addresses for the operator.
    pub controls: BTreeMap<String, String>,
    /// What an agent sends in `Authorization: Bearer`.
    pub agent_token: String,
    /// The same for the operator.
    pub operator_token: String,
}

struct Door {
    rooms: BTreeMap<String, Arc<Room>>,
    /// Knows the operator's token, and the names of this server.
    rules: Rules,
    agent: Secret,
}

type Shared = State<Arc<Door>>;

/// Serves rooms to this machine until it is stopped. Once it listens, `ready` is told where.
///
/// # Errors
/// It cannot begin.
pub async fn serve_worlds(
    rooms: Vec<Arc<Room>>,
    port: u16,
    stop: &Stop,
    ready: impl FnOnce(&WorldsAt),
) -> Result<(), ServeError> {
    let secret = || Secret::random().map_err(|error| ServeError::Start(error.to_string()));
    let (agent, operator) = (secret()?, secret()?);
    let (listener, bound) = bind(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)).await?;
    let at = |rooms: &[Arc<Room>], end: &str| -> BTreeMap<String, String> {
        rooms.iter().map(|room| (room.name().to_owned(), format!("http://{bound}/{}{end}", room.name()))).collect()
    };
    ready(&WorldsAt {
        agents: at(&rooms, "/mcp"),
        controls: at(&rooms, CONTROL),
        agent_token: agent.text().to_owned(),
        operator_token: operator.text().to_owned(),
    });
    let rules = Rules::new(&operator, bound.ip(), bound.port(), &[]);
    let rooms = rooms.into_iter().map(|room| (room.name().to_owned(), room)).collect();
    accept(&listener, &router(Arc::new(Door { rooms, rules, agent })), &stop.0).await;
    Ok(())
}

fn router(door: Arc<Door>) -> Router {
    Router::new()
        .route("/{world}/mcp", post(message).delete(close))
        .route("/{world}/{fork}/mcp", post(message_of_fork).delete(close))
        .route("/{world}/control", get(status).post(order))
        .fallback(async || problem(StatusCode::NOT_FOUND, "there is nothing here; agents ask at /NAME/mcp"))
        .layer(from_fn_with_state(Arc::clone(&door), guard))
        .with_state(door)
}

/// Stands before everything.
async fn guard(State(door): Shared, request: Request, next: Next) -> Response {
    let mut response = match door.refusal(&request) {
        Some((status, why)) => {
            let mut response = problem(status, why).into_response();
            if status == StatusCode::UNAUTHORIZED {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            response
        }
        None => next.run(request).await,
    };
    for (name, value) in [("x-content-type-options", "nosniff"), ("cache-control", "no-store")] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

impl Door {
    /// Why a request is not answered.
    fn refusal(&self, request: &Request) -> Option<(StatusCode, &'static str)> {
        let (uri, headers) = (request.uri(), request.headers());
        if !self.rules.is_own_host(uri, headers) {
            return Some((StatusCode::MISDIRECTED_REQUEST, "this is not the name of this server"));
        }
        // Whoever brings a token is no victim of another page; one that says where it is from has to be from here all the same.
        if !self.rules.comes_from_us(true, true, headers) {
            return Some((StatusCode::FORBIDDEN, "another page has asked for this"));
        }
        let token = bearer(headers).unwrap_or_default();
        let (is_agent, is_operator) = (is_same(token, self.agent.text()), self.rules.is_token(token));
        let needs_operator = uri.path().ends_with(CONTROL);
        match (is_agent, is_operator) {
            (true, _) if !needs_operator => None,
            (_, true) if needs_operator => None,
            (false, false) => Some((StatusCode::UNAUTHORIZED, "send a token: Authorization: Bearer TOKEN")),
            (true, _) => Some((StatusCode::FORBIDDEN, "this is the operator's, and the token is the agent's")),
            (_, true) => Some((StatusCode::FORBIDDEN, "this is the agent's, and the token is the operator's")),
        }
    }

    fn room(&self, name: &str) -> Result<&Arc<Room>, Problem> {
        self.rooms.get(name).ok_or_else(|| problem(StatusCode::NOT_FOUND, "there is no such world"))
    }
}

fn json_response(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// An error outside of the protocol.
struct Problem {
    status: StatusCode,
    why: String,
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        json_response(self.status, &json!({ "error": { "message": self.why } }))
    }
}

fn problem(status: StatusCode, why: impl Into<String>) -> Problem {
    Problem { status, why: why.into() }
}

fn one<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// The body of a request, which is JSON of a bounded size.
async fn body(headers: &HeaderMap, body: Body) -> Result<Vec<u8>, Problem> {
    let kind = one(headers, "content-type").unwrap_or_default();
    if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        return Err(problem(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send JSON: Content-Type: application/json"));
    }
    match tokio::time::timeout(BODY_WAIT, to_bytes(body, MESSAGE_BYTES_MAX)).await {
        Ok(Ok(bytes)) => Ok(bytes.into()),
        Ok(Err(_)) => {
            let why = format!("a message has at most {MESSAGE_BYTES_MAX} bytes");
            Err(problem(StatusCode::PAYLOAD_TOO_LARGE, why))
        }
        Err(_) => Err(problem(StatusCode::REQUEST_TIMEOUT, "the message did not arrive in time")),
    }
}

/// The session that a request names: `None` if it names none, an error if the session is unknown.
fn session(room: &Room, headers: &HeaderMap) -> Result<Option<Arc<Session>>, Problem> {
    let Some(id) = headers.get(SESSION) else { return Ok(None) };
    let found = id.to_str().ok().and_then(|id| room.session(id));
    let gone = || problem(StatusCode::NOT_FOUND, "there is no such session, or it was closed; send `initialize`");
    found.map(Some).ok_or_else(gone)
}

/// A name for a session that nobody guesses.
fn fresh() -> Result<String, Problem> {
    let secret = Secret::random().map(|secret| secret.text().to_owned());
    secret.map_err(|_| problem(StatusCode::SERVICE_UNAVAILABLE, "this machine gives no random numbers"))
}

async fn message(State(door): Shared, Path(world): Path<String>, request: Request) -> Result<Response, Problem> {
    answer(&door, &world, "", request).await
}

async fn message_of_fork(
    State(door): Shared,
    Path((world, fork)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    answer(&door, &world, &fork, request).await
}

async fn answer(door: &Door, world: &str, fork: &str, request: Request) -> Result<Response, Problem> {
    let room = door.room(world)?;
    let (parts, content) = request.into_parts();
    let bytes = body(&parts.headers, content).await?;
    let session = session(room, &parts.headers)?;
    // A client that has not begun yet may try another revision; with a session, both sides have agreed on one.
    if session.is_some() && parts.headers.contains_key(REVISION) {
        one(&parts.headers, REVISION)
            .and_then(Revision::named)
            .ok_or_else(|| problem(StatusCode::BAD_REQUEST, "this revision of the protocol is not known here"))?;
    }
    let reply = receive(room, session.as_deref(), fork, &fresh()?, &bytes).await;
    Ok(match reply {
        Reply::Nothing => StatusCode::ACCEPTED.into_response(),
        Reply::Message(message) => json_response(StatusCode::OK, &message),
        Reply::Refused(message) => json_response(StatusCode::BAD_REQUEST, &message),
        Reply::Begun { session, message } => {
            let mut response = json_response(StatusCode::OK, &message);
            let name = HeaderValue::from_str(&session);
            response.headers_mut().extend(name.ok().map(|name| (header::HeaderName::from_static(SESSION), name)));
            response
        }
    })
}

/// The client is done with its session.
async fn close(State(door): Shared, Path(parts): Path<Vec<String>>, headers: HeaderMap) -> Result<StatusCode, Problem> {
    let room = door.room(parts.first().map(String::as_str).unwrap_or_default())?;
    let none = || problem(StatusCode::BAD_REQUEST, "name the session: Mcp-Session-Id");
    let session = session(room, &headers)?.ok_or_else(none)?;
    room.leave(&session).await.map_err(|error| failure(&error))?;
    Ok(StatusCode::NO_CONTENT)
}

fn failure(error: &ControlError) -> Problem {
    let status = match error {
        ControlError::NoSession(_) => StatusCode::NOT_FOUND,
        ControlError::Which(_) | ControlError::NoneLeft(_) | ControlError::Forks => StatusCode::CONFLICT,
        ControlError::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
    };
    problem(status, error.to_string())
}

async fn status(State(door): Shared, Path(world): Path<String>) -> Result<Response, Problem> {
    Ok(json_response(StatusCode::OK, &door.room(&world)?.status()))
}

async fn order(State(door): Shared, Path(world): Path<String>, request: Request) -> Result<Response, Problem> {
    let room = door.room(&world)?;
    let (parts, content) = request.into_parts();
    let bytes = body(&parts.headers, content).await?;
    let order: Order = serde_json::from_slice(&bytes).map_err(|error| {
        let why = format!("this is no order ({error}); for example {{\"do\": \"end\"}}, or \"reset\", or \"fork\"");
        problem(StatusCode::BAD_REQUEST, why)
    })?;
    let done = room.obey(order, &fresh()?).await.map_err(|error| failure(&error))?;
    Ok(json_response(StatusCode::OK, &done))
}
