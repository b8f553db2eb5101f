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

use crate::aloud::Aloud;
use crate::budget::{Amount, Ledger, Reservation, amount, assumed};
use crate::keys::Key;
use crate::listen::{Answer, Listener};
use crate::pace::Pace;
use crate::price::Price;
use crate::request::{request_bytes, request_digest};
use crate::retry::Retry;
use crate::speak::{self, Reasoning};
use crate::spec::{Dialect, Provider};
use crate::trouble::{Trouble, from_client, from_response};
use crate::wire::{self, Events};
use assay_rollout::ports::{Hear, Model, ModelError, ModelReply, ModelRequest};
use futures::FutureExt;
use futures::future::BoxFuture;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, Response};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::coop::consume_budget;
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
    /// The largest answer, in bytes as they come, whether or not they make frames.
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
    pub(crate) client: Client,
    pub(crate) reasoning: Option<Reasoning>,
    pub(crate) limits: Limits,
    pub(crate) retry: Retry,
    pub(crate) waits: fn(&str, Duration),
    pub(crate) pace: Arc<Pace>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) price: Option<Price>,
}

impl Model for Hosted {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        self.ask_aloud(request, &|_| ())
    }

    fn ask_aloud<'a>(
        &'a self,
        request: ModelRequest,
        hear: &'a Hear<'a>,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        // The HTTP client may log what servers say as it comes, and that may be our key.
        async move { self.answer(&request, hear).await }.with_subscriber(NoSubscriber::default()).boxed()
    }
}

impl Hosted {
    async fn answer(&self, request: &ModelRequest, hear: &Hear<'_>) -> Result<ModelReply, ModelError> {
        let bytes_in = request_bytes(request);
        let estimate = self.estimate(request, bytes_in);
        let mut deadline = None;
        let (mut retries, mut throttles) = (0, 0);
        loop {
            let mut reservation = self.ledger.reserve(estimate).await?;
            let place = self.pace.place().await;
            let deadline = *deadline.get_or_insert_with(|| Instant::now() + self.limits.deadline);
            let exchange = self.exchange(request, bytes_in, &mut reservation, hear);
            let heard = match timeout_at(deadline, exchange).await {
                Ok(heard) => heard.map_err(|trouble| trouble.presentable(self.key.as_ref())),
                Err(_) => Err(Trouble::Final(self.late(retries))),
            };
            let (why, asked, is_spent) = match heard {
                Ok((answer, guess)) => {
                    place.answered();
                    let mut used = amount(&answer.usage.unwrap_or(guess), self.price);
                    used.microdollars = answer.cost_microdollars.unwrap_or(used.microdollars);
                    reservation.settle(used);
                    return Ok(self.reply(answer, retries));
                }
                Err(Trouble::Final(error)) => return Err(error),
                Err(Trouble::Passing { why, asked, throttled }) => {
                    let is_spent = if throttled {
                        place.throttled();
                        throttles += 1;
                        throttles > self.retry.throttled_max
                    } else {
                        drop(place);
                        retries - throttles >= self.retry.retries_max
                    };
                    (why, asked, is_spent)
                }
            };
            drop(reservation);
            if is_spent {
                return Err(ModelError::Unavailable { why, retries });
            }
            retries += 1;
            let wait = self.retry.wait(&request_digest(&self.name, request), retries, asked);
            let until = Instant::now() + wait;
            if until >= deadline {
                return Err(ModelError::Unavailable { why, retries: retries - 1 });
            }
            (self.waits)(&why, wait);
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
            cost_microdollars: answer.cost_microdollars.or_else(|| Some(self.price?.of(&answer.usage?))),
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
        hear: &Hear<'_>,
    ) -> Result<(Answer, assay_trace::Usage), Trouble> {
        let mut until = Instant::now() + self.limits.first_frame;
        let mut response = self.open(request, until).await?;
        let mut events = Events::new(self.limits.response_bytes_max);
        let mut listener = Listener::new(self.provider, &self.model);
        let mut aloud = Aloud::new(hear, self.key.as_ref());
        let ended = loop {
            let next = timeout_at(until, response.chunk()).await;
            // A server that is faster than we are must not keep others, or the clock, from their turn.
            consume_budget().await;
            let chunk = match next {
                Ok(Ok(Some(chunk))) => chunk,
                Ok(Ok(None)) => break events.finish(|data| listener.hear(data)),
                Ok(Err(error)) => break Err(from_client(error)),
                Err(_) => break Err(self.silence(events.ended)),
            };
            let before = events.ended;
            // Some gateways add a trailer of their own to the end.
            events.take(&chunk, |data| if listener.is_over() { Ok(()) } else { listener.hear(data) })?;
            if events.ended > before {
                until = Instant::now() + self.limits.next_frame;
                reservation.uses(amount(&assumed(bytes_in, listener.bytes()), self.price));
                aloud.say(listener.saying());
            }
            if listener.is_over() {
                break Ok(());
            }
        };
        aloud.finish();
        let guess = assumed(bytes_in, listener.bytes());
        // What ended well before the connection broke is an answer.
        match (listener.finish(), ended) {
            (Ok(answer), _) => Ok((answer, guess)),
            (Err(_), Err(trouble)) | (Err(trouble), Ok(())) => Err(trouble),
        }
    }

    fn silence(&self, frames: usize) -> Trouble {
        if frames == 0 {
            return Trouble::passing(format!("no answer began within {:?}", self.limits.first_frame));
        }
        Trouble::passing(format!("the stream stalled for {:?}", self.limits.next_frame))
    }

    /// Sends the request. What comes back is the beginning of a success.
    async fn open(&self, request: &ModelRequest, until: Instant) -> Result<Response, Trouble> {
        let body = speak::body(self.provider, &self.model, self.reasoning, request)?.to_string();
        let mut asked = self.client.post(self.url()).header(CONTENT_TYPE, "application/json").body(body);
        for (name, value) in self.headers() {
            let mut value =
                HeaderValue::try_from(value).map_err(|_| Trouble::refused("the key cannot be in a header", None))?;
            value.set_sensitive(true);
            asked = asked.header(name, value);
        }
        let sent = timeout_at(until, asked.send()).await.map_err(|_| self.silence(0))?;
        let mut response = sent.map_err(from_client)?;
        if response.status().is_success() {
            return Ok(response);
        }
        let said = wire::error_text(&mut response, until).await;
        Err(from_response(self.provider, response.status(), response.headers(), &said))
    }

    fn url(&self) -> String {
        let (base, model) = (&self.base_url, &self.model);
        match Dialect::of(self.provider, model) {
            Dialect::Chat => format!("{base}/chat/completions"),
            Dialect::Responses => format!("{base}/responses"),
            Dialect::Anthropic => format!("{base}/messages"),
            Dialect::Gemini => format!("{base}/models/{model}:streamGenerateContent?alt=sse"),
        }
    }

    /// The key, where it stands, and what else a provider wants to be told.
    fn headers(&self) -> Vec<(HeaderName, String)> {
        let key = self.key.as_ref().map(Key::expose);
        let name = HeaderName::from_static;
        match self.provider {
            Provider::OpenAi | Provider::OpenAiCompatible | Provider::OpenRouter => {
                key.map(|key| (AUTHORIZATION, format!("Bearer {key}"))).into_iter().collect()
            }
            Provider::Anthropic => vec![
                (name("x-api-key"), key.unwrap_or_default().to_owned()),
                (name("anthropic-version"), "2023-06-01".to_owned()),
            ],
            Provider::Gemini => vec![(name("x-goog-api-key"), key.unwrap_or_default().to_owned())],
        }
    }
}
