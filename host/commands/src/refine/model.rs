//! Models of `assay-llm` as the loop asks them.

use super::asking::Asking;
use crate::settings::ModelAccess;
use crate::{Failure, face};
use assay_files::Links;
use assay_llm::{Keys, ModelSpec, OpenError, Price, PriceTable};
use assay_refine::core::plan::{Budget, Cost, ModelPlan};
use assay_refine::core::state::Spent;
use assay_refine::model::{Answer, Ask, NoAnswer, Picture, Speaker};
use assay_rollout::ports::{Model, ModelError, ModelRequest};
use assay_trace::{Base64, ImageSource, MediaType, Message, MessageId, Meta, Part};
use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;

/// The largest price table.
const PRICES_BYTES_MAX: u64 = 1 << 20;
/// The longest answer, in tokens: a program and what is said about it.
const ANSWER_TOKENS_MAX: u32 = 16_000;

/// See the module documentation.
pub(super) struct Asked {
    model: Arc<dyn Model>,
    runtime: Runtime,
    /// Whether it is sent pictures.
    sees: bool,
    /// Whether its answers were recorded: what is not among them is the user's to mend.
    is_tape: bool,
    price: Option<Price>,
    run: Rc<assay_llm::Run>,
    /// How long the next answer may take.
    patience: Cell<Option<Duration>>,
}

impl Asked {
    /// Opens a model that may use what is left to all of them. No request is made.
    pub(super) fn open(spec: &str, shared: &Shared<'_>) -> Result<Self, Failure> {
        let access = shared.access;
        let price = shared.prices.price(spec);
        let spec = ModelSpec::parse(spec).map_err(|error| usage(&error, Some(error.hint())))?;
        let is_tape = matches!(spec, ModelSpec::Cassette(_));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime =
            runtime.map_err(|error| Failure::infrastructure(format!("failed to start a runtime: {error}")))?;
        let mut settings = assay_llm::Settings {
            base_url: access.model_url.clone(),
            keys: Keys::from_lookup(|name| std::env::var(name).ok()),
            reasoning: None,
            record: shared.tape.map(Path::to_owned),
            needs_price: shared.is_money_limited,
            limits: assay_llm::Limits::STANDARD,
            retry: assay_llm::Retry::STANDARD,
            concurrency_max: 1,
            waits: |why, wait| {
                // The table on a terminal says what is waited for.
                if !face::is_interactive() {
                    face::step("Waiting", &format!("{} s: {}", wait.as_secs().max(1), face::visible(why)));
                }
            },
        };
        let model = {
            let _within = runtime.enter();
            let mut opened = assay_llm::open(&spec, &settings, &shared.run);
            if let Err(error @ OpenError::MissingKey { .. }) = &opened
                && shared.is_trial
            {
                face::warn(&error.to_string());
                settings.keys = Keys::from_lookup(|_| Some("no-request-is-made".to_owned()));
                opened = assay_llm::open(&spec, &settings, &shared.run);
            }
            opened.map_err(|error| usage(&error, error.hint()))?
        };
        let (run, patience) = (Rc::clone(&shared.run), Cell::new(None));
        Ok(Self { model, runtime, sees: access.pictures, is_tape, price, run, patience })
    }
}

/// What all models of one command share: how they are reached, what they cost, and what is left to spend.
pub(super) struct Shared<'a> {
    access: &'a ModelAccess,
    prices: PriceTable,
    run: Rc<assay_llm::Run>,
    is_money_limited: bool,
    is_trial: bool,
    tape: Option<&'a Path>,
}

impl<'a> Shared<'a> {
    /// With a budget of which something may have been spent already.
    pub(super) fn new(asking: &Asking<'a>, budget: Budget, spent: Spent) -> Result<Self, Failure> {
        let left = assay_llm::Budget {
            tokens: budget.tokens.map(|tokens| tokens.saturating_sub(spent.tokens)),
            microdollars: budget.microdollars.map(|money| money.saturating_sub(spent.microdollars)),
        };
        let &Asking { access, tape, is_trial } = asking;
        let prices = prices(access)?;
        let tape = tape.filter(|_| !is_trial);
        let run = Rc::new(assay_llm::Run::new(left, prices.clone()));
        let is_money_limited = budget.microdollars.is_some();
        Ok(Self { access, prices, run, is_money_limited, is_trial, tape })
    }
}

/// BLAKE3 of what these models cost.
pub(super) fn prices_hash(models: &ModelPlan, access: &ModelAccess) -> Result<String, Failure> {
    let table = prices(access)?;
    let named = models.writers().chain(models.helpers());
    let priced: Vec<String> = named.map(|model| format!("{model} {:?}", table.price(model))).collect();
    Ok(blake3::hash(priced.join("\n").as_bytes()).to_hex().to_string())
}

/// Bytes of a token, about: of programs and reports in English.
pub(super) const TOKEN_BYTES: u64 = 4;

/// What a request with so many tokens of input and output costs, in micro-dollars; `None` for a model without a price.
pub(super) fn cost(spec: &str, access: &ModelAccess, input: u64, output: u64) -> Result<Option<u64>, Failure> {
    let price = prices(access)?.price(spec);
    let usage = assay_trace::Usage { input, output, ..Default::default() };
    Ok(price.map(|price| price.of(&usage)))
}

fn prices(access: &ModelAccess) -> Result<PriceTable, Failure> {
    let Some(path) = &access.prices else { return Ok(PriceTable::built_in()) };
    let failed = |error: &dyn std::fmt::Display| {
        Failure::usage(format!("failed to read the prices {}: {error}", path.display()))
            .hint("docs/models.md describes the file")
    };
    let text = assay_files::read_text(path, Links::Followed, PRICES_BYTES_MAX).map_err(|error| failed(&error))?;
    Ok(PriceTable::built_in().overridden_by(PriceTable::parse(&text).map_err(|error| failed(&error))?))
}

fn usage(error: &dyn std::fmt::Display, hint: Option<String>) -> Failure {
    let failure = Failure::usage(error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn part(picture: &Picture) -> Part {
    Part::Image { media_type: MediaType::Png, source: ImageSource::Data(Base64::of(&picture.png)) }
}

impl Ask for Asked {
    fn wait_at_most(&self, patience: Option<Duration>) {
        self.patience.set(patience);
    }

    fn spent(&self) -> Cost {
        let assay_llm::Amount { tokens, microdollars } = self.run.ledger().spent();
        Cost { tokens, microdollars }
    }

    fn least_cost(&self, messages: &[(Speaker, String)]) -> Cost {
        let bytes: usize = messages.iter().map(|(_, text)| text.len()).sum();
        let usage = assay_trace::Usage { input: bytes as u64 / TOKEN_BYTES, ..Default::default() };
        Cost { tokens: usage.input, microdollars: self.price.map_or(0, |price| price.of(&usage)) }
    }

    fn ask(&self, messages: &[(Speaker, String)], attempt: u32) -> Result<Answer, NoAnswer> {
        self.ask_showing(messages, &[], attempt)
    }

    fn ask_showing(
        &self,
        messages: &[(Speaker, String)],
        pictures: &[Picture],
        attempt: u32,
    ) -> Result<Answer, NoAnswer> {
        let shown = |index: usize| pictures.iter().filter(move |picture| self.sees && picture.message == index);
        let messages = messages.iter().enumerate().filter_map(|(index, (speaker, text))| {
            let id = MessageId::by_position(index);
            match speaker {
                Speaker::System => Some(Message::system(id, text)),
                Speaker::User => {
                    let parts = std::iter::once(Part::text(text)).chain(shown(index).map(part)).collect();
                    // Text and images are always a valid message of a user.
                    Message::new(id, assay_trace::Speaker::User, parts, Meta::new()).ok()
                }
                // Plain text without calls is always a valid message.
                Speaker::Assistant => Message::assistant(id, vec![Part::text(text)], Vec::new()).ok(),
            }
        });
        let request = ModelRequest {
            messages: messages.map(Arc::new).collect(),
            tools: Arc::from([]),
            temperature: None,
            output_tokens_max: Some(ANSWER_TOKENS_MAX),
            seed: None,
            replies: attempt,
            epoch: 0,
        };
        let asked = async {
            let asked = self.model.ask(request);
            let Some(patience) = self.patience.get() else { return Some(asked.await) };
            tokio::time::timeout(patience, asked).await.ok()
        };
        let answer = self.runtime.block_on(asked);
        let answer = answer.ok_or_else(|| NoAnswer::Slot("the time was up before there was an answer".to_owned()))?;
        let reply = answer.map_err(|error| match error {
            error @ ModelError::NoAnswer { .. } if self.is_tape => NoAnswer::Session(error.to_string()),
            ModelError::Unavailable { .. } | ModelError::Refused { .. } => NoAnswer::Session(error.to_string()),
            ModelError::ContextTooLong { .. } | ModelError::BudgetSpent { .. } | ModelError::NoAnswer { .. } => {
                NoAnswer::Slot(error.to_string())
            }
        })?;
        let text: Vec<&str> = reply
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let used = reply.usage.unwrap_or_default();
        Ok(Answer { text: text.join("\n"), tokens: used.total(), microdollars: reply.cost_microdollars.unwrap_or(0) })
    }
}
