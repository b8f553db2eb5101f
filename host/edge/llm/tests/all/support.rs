//! A small HTTP server that sends prepared bytes and keeps what it was asked, and short ways to open and ask a model.

use assay_llm::{Budget, Keys, Limits, ModelSpec, OpenError, PriceTable, Retry, Run, Settings, open};
use assay_rollout::ports::{Model, ModelError, ModelReply, ModelRequest};
use assay_trace::{Message, MessageId, Role};
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// The key that no text may show.
pub(crate) const KEY: &str = "sk-SECRET/0123+456789";

/// What the server does next in one response.
#[derive(Clone)]
pub(crate) enum Step {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Sends the bytes again and again until the client leaves.
    Flood(Vec<u8>),
    /// Says nothing until the client leaves.
    Stall,
    /// Waits until it is told to go on.
    Wait(Arc<Notify>),
}

/// One response: the server closes the connection after the last step.
pub(crate) type Response = Vec<Step>;

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Seen {
    pub(crate) fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }
}

/// The server. The first request gets the first response and so on; the last response is given again and again.
pub(crate) struct Server {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    under_way: Arc<AtomicUsize>,
    peak: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(responses: Vec<Response>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/v1", listener.local_addr().expect("bound"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (under_way, peak) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let shared = (Arc::clone(&seen), Arc::clone(&under_way), Arc::clone(&peak));
        let task = tokio::spawn(async move {
            let mut handlers = tokio::task::JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.expect("the listener stands");
                let (seen, under_way, peak) = shared.clone();
                let responses = responses.clone();
                handlers.spawn(async move {
                    peak.fetch_max(under_way.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    let _ = serve(stream, &seen, &responses).await;
                    under_way.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Self { url, seen, under_way, peak, task }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("nobody panicked").clone()
    }

    pub(crate) fn peak(&self) -> usize {
        self.peak.load(Ordering::SeqCst)
    }

    /// Waits until `count` requests are under way.
    pub(crate) async fn until_under_way(&self, count: usize) {
        while self.under_way.load(Ordering::SeqCst) != count {
            tokio::task::yield_now().await;
        }
    }

    /// Waits until `count` requests have arrived.
    pub(crate) async fn until_seen(&self, count: usize) {
        while self.seen.lock().expect("nobody panicked").len() < count {
            tokio::task::yield_now().await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: TcpStream, seen: &Mutex<Vec<Seen>>, responses: &[Response]) -> std::io::Result<()> {
    let request = read_request(&mut stream).await?;
    let response = {
        let mut seen = seen.lock().expect("nobody panicked");
        seen.push(request);
        responses[(seen.len() - 1).min(responses.len() - 1)].clone()
    };
    let mut rest = [0; 64];
    for step in response {
        match step {
            Step::Send(bytes) => stream.write_all(&bytes).await?,
            Step::Flood(bytes) => loop {
                stream.write_all(&bytes).await?;
            },
            Step::Stall => while stream.read(&mut rest).await? > 0 {},
            Step::Wait(notify) => notify.notified().await,
        }
    }
    stream.shutdown().await
}

async fn read_request(stream: &mut TcpStream) -> std::io::Result<Seen> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 16_384];
        let count = stream.read(&mut chunk).await?;
        if count == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&chunk[..count]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let seen = Seen { head, body: Value::Null };
        let length: usize = seen.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        if bytes.len() >= end + 4 + length {
            let body = serde_json::from_slice(&bytes[end + 4..]).expect("requests are JSON");
            return Ok(Seen { body, ..seen });
        }
    }
}

/// A response head of that status, with further headers.
pub(crate) fn head(status: u16, headers: &str) -> Step {
    Step::Send(format!("HTTP/1.1 {status} Status\r\nconnection: close\r\n{headers}\r\n").into_bytes())
}

/// A response that is not a stream.
pub(crate) fn plain(status: u16, headers: &str, body: &str) -> Response {
    vec![head(status, headers), Step::Send(body.as_bytes().to_vec())]
}

/// The head of a stream.
pub(crate) fn stream_head() -> Step {
    head(200, "content-type: text/event-stream\r\n")
}

/// Frames as Anthropic names them, and as the others do not mind.
pub(crate) fn frames(frames: &[&str]) -> Step {
    let mut text = String::new();
    for frame in frames {
        let kind =
            serde_json::from_str::<Value>(frame).ok().and_then(|value| Some(value.get("type")?.as_str()?.to_owned()));
        if let Some(kind) = kind {
            text += &format!("event: {kind}\n");
        }
        text += &format!("data: {frame}\n\n");
    }
    Step::Send(text.into_bytes())
}

/// A whole stream.
pub(crate) fn stream(of: &[&str]) -> Response {
    vec![stream_head(), frames(of)]
}

/// A short whole answer in `OpenAI`'s dialect.
pub(crate) fn hello() -> Response {
    stream(&[
        r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"hello"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}}"#,
        "[DONE]",
    ])
}

/// Limits so short that a test that runs into them ends at once, and so long that others do not.
pub(crate) const LIMITS: Limits = Limits {
    first_frame: Duration::from_secs(20),
    next_frame: Duration::from_secs(20),
    deadline: Duration::from_secs(60),
    response_bytes_max: 1 << 20,
};

/// Retries without noticeable waits.
pub(crate) const RETRY: Retry = Retry {
    retries_max: 2,
    throttled_max: 2,
    wait_first: Duration::from_millis(1),
    wait_max: Duration::from_millis(2),
    asked_wait_max: Duration::from_millis(40),
    seed: 0,
};

pub(crate) fn settings(server: &Server) -> Settings {
    Settings {
        base_url: Some(server.url.clone()),
        keys: Keys::from_lookup(|_| Some(KEY.to_owned())),
        reasoning: None,
        record: None,
        needs_price: false,
        limits: LIMITS,
        retry: RETRY,
        concurrency_max: 8,
        waits: |_, _| (),
    }
}

pub(crate) fn unlimited() -> Run {
    Run::new(Budget::UNLIMITED, PriceTable::built_in())
}

pub(crate) fn try_open(spec: &str, settings: &Settings, run: &Run) -> Result<Arc<dyn Model>, OpenError> {
    open(&ModelSpec::parse(spec).expect(spec), settings, run)
}

pub(crate) fn model(spec: &str, settings: &Settings) -> Arc<dyn Model> {
    try_open(spec, settings, &unlimited()).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

pub(crate) fn id(text: &str) -> MessageId {
    MessageId::new(text).expect("an identifier")
}

pub(crate) fn request(messages: Vec<Message>) -> ModelRequest {
    let replies = messages.iter().filter(|message| message.role() == Role::Assistant).count();
    ModelRequest {
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: Arc::from([]),
        temperature: None,
        output_tokens_max: None,
        seed: None,
        replies: replies.try_into().expect("few"),
        epoch: 0,
    }
}

pub(crate) fn user(text: &str) -> ModelRequest {
    request(vec![Message::user(id("u"), text)])
}

/// Asks a model of a server that gives these responses. Also tells how many requests came.
pub(crate) async fn ask(spec: &str, responses: Vec<Response>) -> (Result<ModelReply, ModelError>, usize) {
    let server = Server::start(responses).await;
    let result = model(spec, &settings(&server)).ask(user("hi")).await;
    (result, server.seen().len())
}

/// A model, its server gone: for what fails before any request.
pub(crate) fn offline() -> Settings {
    Settings {
        base_url: None,
        keys: Keys::from_lookup(|_| Some(KEY.to_owned())),
        reasoning: None,
        record: None,
        needs_price: false,
        limits: LIMITS,
        retry: RETRY,
        concurrency_max: 8,
        waits: |_, _| (),
    }
}
