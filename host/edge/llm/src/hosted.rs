//! A model behind HTTP: places, retries, budget, deadlines around one exchange after another.
//!
//! ```text
//! ask ─► reserve ─► place ─► exchange ─┬─ answer ──► settle
//!          ▲                           ├─ passing ─► wait ─┐
//!          └───────────────────────────┼───────────────────┘
//!                                      └─ final ───► error
//! ```
//!
//! Invariants: a place is held only while an exchange is under way, never while waiting; whatever a provider has begun to answer counts
//! against the budget, even if the answer never came whole; dropping the future cancels all of it.

use crate::budget::{Amount, Ledger, Reservation, amount, assumed};
use crate::keys::Key;
use crate::listen::{Answer, Listener};
use crate::pace::Pace;
use crate::price::Price;
use crate::request::{request_bytes, request_digest};
use crate::retry::Retry;
use crate::speak::{self, Reasoning};
use crate::spec::Provider;
use crate::trouble::{Trouble, from_library};
use assay_rollout::ports::{Model, ModelError, ModelReply, ModelRequest};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use genai::adapter::AdapterKind;
use genai::chat::{ChatFrameSink, ChatOptions, ChatRequest, ChatStreamEvent, FrameCtx, RawFrameRef};
use genai::resolver::{AuthData, Endpoint};
use genai::{Headers, ModelIden, ServiceTarget};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout_at};
use tracing::instrument::WithSubscriber;
use tracing::subscriber::NoSubscriber;

/// The output reserved for an answer whose length has no limit. Most steps of an agent stay below.
const OUTPUT_TOKENS_ASSUMED: u64 = 4_096;

/// How long and how large an exchange with a provider may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// From the request to the first frame of the answer.
    pub first_frame: Duration,
    /// From one frame to the next.
    pub next_frame: Duration,
    /// The whole question, from the first request, retries included.
    pub deadline: Duration,
    /// The largest answer, in bytes of its frames.
    pub response_bytes_max: usize,
}

impl Limits {
    /// A model may think ten minutes before its first word. An answer of 128,000 tokens takes some 40 MB of frames, as each carries a few
    /// hundred bytes around its token.
    pub const STANDARD: Self = Self {
        first_frame: Duration::from_mins(10),
        next_frame: Duration::from_mins(2),
        deadline: Duration::from_mins(30),
        response_bytes_max: 64 << 20,
    };
}

/// A model behind HTTP.
pub(crate) struct Hosted {
    pub(crate) name: String,
    pub(crate) provider: Provider,
    pub(crate) model: String,
    /// Without a slash at the end.
    pub(crate) base_url: String,
    pub(crate) key: Option<Key>,
    pub(crate) client: genai::Client,
    pub(crate) reasoning: Option<Reasoning>,
    pub(crate) limits: Limits,
    pub(crate) retry: Retry,
    pub(crate) pace: Arc<Pace>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) price: Option<Price>,
}

impl Model for Hosted {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        // The library logs what servers say as it comes, and that may be our key.
        async move { self.answer(&request).await }.with_subscriber(NoSubscriber::default()).boxed()
    }
}

impl Hosted {
    async fn answer(&self, request: &ModelRequest) -> Result<ModelReply, ModelError> {
        let bytes_in = request_bytes(request);
        let estimate = self.estimate(request, bytes_in);
        let mut deadline = None;
        let mut retries = 0;
        loop {
            let mut reservation = self.ledger.reserve(estimate).await?;
            let place = self.pace.place().await;
            let deadline = *deadline.get_or_insert_with(|| Instant::now() + self.limits.deadline);
            let exchange = self.exchange(request, bytes_in, &mut reservation);
            let heard = match timeout_at(deadline, exchange).await {
                Ok(heard) => heard.map_err(|trouble| trouble.presentable(self.key.as_ref())),
                Err(_) => Err(Trouble::Final(self.late(retries))),
            };
            let (why, asked) = match heard {
                Ok((answer, guess)) => {
                    place.answered();
                    let usage = answer.usage;
                    reservation.settle(amount(&usage.unwrap_or(guess), self.price));
                    return Ok(self.reply(answer, retries));
                }
                Err(Trouble::Final(error)) => return Err(error),
                Err(Trouble::Passing { why, asked, throttled }) => {
                    if throttled {
                        place.throttled();
                    } else {
                        drop(place);
                    }
                    (why, asked)
                }
            };
            drop(reservation);
            if retries >= self.retry.retries_max {
                return Err(ModelError::Unavailable { why, retries });
            }
            retries += 1;
            let wait = self.retry.wait(&request_digest(&self.name, request), retries, asked);
            let until = Instant::now() + wait;
            if until >= deadline {
                return Err(ModelError::Unavailable { why, retries: retries - 1 });
            }
            sleep_until(until).await;
        }
    }

    fn estimate(&self, request: &ModelRequest, bytes_in: usize) -> Amount {
        let mut usage = assumed(bytes_in, 0);
        usage.output = request.output_tokens_max.map_or(OUTPUT_TOKENS_ASSUMED, u64::from);
        amount(&usage, self.price)
    }

    fn late(&self, retries: u32) -> ModelError {
        ModelError::Unavailable { why: format!("no answer within {:?}", self.limits.deadline), retries }
    }

    fn reply(&self, answer: Answer, retries: u32) -> ModelReply {
        let answer = match &self.key {
            Some(key) => answer.scrubbed(key),
            None => answer,
        };
        ModelReply {
            parts: answer.parts,
            tool_calls: answer.tool_calls,
            usage: answer.usage,
            cost_microdollars: answer.usage.and_then(|usage| self.price.map(|price| price.of(&usage))),
            retries,
            stop_reason: answer.stop_reason,
        }
    }

    /// One request and its stream. Gives the answer and the usage to assume where it reports none.
    async fn exchange(
        &self,
        request: &ModelRequest,
        bytes_in: usize,
        reservation: &mut Reservation,
    ) -> Result<(Answer, assay_trace::Usage), Trouble> {
        let ear = Arc::new(Ear::new(self.provider, self.limits.response_bytes_max));
        let conversation = speak::conversation(self.provider, request)?;
        let options = speak::options(self.provider, &self.model, self.reasoning, request);
        let options = options.with_raw_frame_sink_arc(Arc::clone(&ear) as Arc<dyn ChatFrameSink>);
        let mut stream = self.open(conversation, &options).await?;
        let mut until = Instant::now() + self.limits.first_frame;
        let ended = loop {
            let next = std::future::poll_fn(|context| {
                let polled = stream.poll_next_unpin(context);
                if ear.hearing().trouble.is_some() { Poll::Ready(None) } else { polled }
            });
            // The library adds up what servers say in 32 bits, and may well have more of the kind.
            let next = AssertUnwindSafe(next).catch_unwind();
            let next = timeout_at(until, next).await;
            let (frames, last, bytes_out) = ear.progress();
            if frames > 0 {
                until = last + self.limits.next_frame;
                reservation.uses(amount(&assumed(bytes_in, bytes_out), self.price));
            }
            match next {
                Ok(Ok(Some(Ok(ChatStreamEvent::End(_))) | None)) => break Ok(()),
                Ok(Ok(Some(Ok(_)))) => {}
                Ok(Ok(Some(Err(error)))) => break Err(from_library(self.provider, &error)),
                Ok(Err(_)) => break Err(Trouble::passing("the client library gave up on the stream")),
                Err(_) if until > Instant::now() => {}
                Err(_) if frames == 0 => {
                    break Err(Trouble::passing(format!("no answer began within {:?}", self.limits.first_frame)));
                }
                Err(_) => {
                    break Err(Trouble::passing(format!("the stream stalled for {:?}", self.limits.next_frame)));
                }
            }
        };
        drop(stream);
        let hearing = ear.take();
        let guess = assumed(bytes_in, hearing.listener.bytes());
        match (hearing.trouble, ended) {
            (Some(trouble), _) => Err(trouble),
            // What ended well before the connection broke is an answer.
            (None, ended) => match (hearing.listener.finish(), ended) {
                (Ok(answer), _) => Ok((answer, guess)),
                (Err(_), Err(trouble)) | (Err(trouble), Ok(())) => Err(trouble),
            },
        }
    }

    async fn open(&self, conversation: ChatRequest, options: &ChatOptions) -> Result<genai::chat::ChatStream, Trouble> {
        let kind = match self.provider {
            Provider::OpenAi | Provider::OpenAiCompatible | Provider::OpenRouter => AdapterKind::OpenAI,
            Provider::Anthropic => AdapterKind::Anthropic,
            Provider::Gemini => AdapterKind::Gemini,
        };
        // Address and headers are ours: the library would cut what it takes for an effort off the model's name, and wants a key always.
        let target = ServiceTarget {
            endpoint: Endpoint::from_owned(format!("{}/", self.base_url)),
            auth: AuthData::RequestOverride { url: self.url(), headers: self.headers() },
            model: ModelIden::new(kind, self.model.as_str()),
        };
        let opened = self.client.exec_chat_stream(target, conversation, Some(options)).await;
        opened.map(|response| response.stream).map_err(|error| from_library(self.provider, &error))
    }

    fn url(&self) -> String {
        let (base, model) = (&self.base_url, &self.model);
        match self.provider {
            Provider::OpenAi | Provider::OpenAiCompatible | Provider::OpenRouter => format!("{base}/chat/completions"),
            Provider::Anthropic => format!("{base}/messages"),
            Provider::Gemini => format!("{base}/models/{model}:streamGenerateContent?alt=sse"),
        }
    }

    fn headers(&self) -> Headers {
        let key = self.key.as_ref().map(Key::expose);
        let headers: Vec<(String, String)> = match self.provider {
            Provider::OpenAi | Provider::OpenAiCompatible | Provider::OpenRouter => {
                key.map(|key| ("authorization".to_owned(), format!("Bearer {key}"))).into_iter().collect()
            }
            Provider::Anthropic => vec![
                ("x-api-key".to_owned(), key.unwrap_or_default().to_owned()),
                ("anthropic-version".to_owned(), "2023-06-01".to_owned()),
            ],
            Provider::Gemini => vec![("x-goog-api-key".to_owned(), key.unwrap_or_default().to_owned())],
        };
        Headers::from(headers)
    }
}

/// What hears the frames of one stream.
struct Ear {
    hearing: Mutex<Hearing>,
    bytes_max: usize,
    provider: Provider,
}

struct Hearing {
    listener: Listener,
    trouble: Option<Trouble>,
    frames: usize,
    bytes: usize,
    last: Instant,
}

impl Hearing {
    fn new(provider: Provider) -> Self {
        Self { listener: Listener::new(provider), trouble: None, frames: 0, bytes: 0, last: Instant::now() }
    }
}

impl Ear {
    fn new(provider: Provider, bytes_max: usize) -> Self {
        Self { hearing: Mutex::new(Hearing::new(provider)), bytes_max, provider }
    }

    fn hearing(&self) -> MutexGuard<'_, Hearing> {
        self.hearing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many frames came, when the last one did, and how many bytes the model has said in them.
    fn progress(&self) -> (usize, Instant, usize) {
        let hearing = self.hearing();
        (hearing.frames, hearing.last, hearing.listener.bytes())
    }

    fn take(&self) -> Hearing {
        std::mem::replace(&mut *self.hearing(), Hearing::new(self.provider))
    }
}

impl ChatFrameSink for Ear {
    fn on_frame(&self, _: &FrameCtx, frame: RawFrameRef<'_>) {
        let mut hearing = self.hearing();
        hearing.frames += 1;
        hearing.bytes = hearing.bytes.saturating_add(frame.data.len());
        hearing.last = Instant::now();
        if hearing.trouble.is_some() || frame.data.is_empty() {
            return;
        }
        let heard = if hearing.bytes > self.bytes_max {
            // Asking again would bring as much again.
            Err(Trouble::refused(format!("the answer is larger than {} bytes", self.bytes_max), None))
        } else {
            hearing.listener.hear(frame.data)
        };
        hearing.trouble = heard.err();
    }
}
