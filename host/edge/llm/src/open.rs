//! From a model's name and settings to the model: everything that can be wrong before the first request is found here.

use crate::budget::{Budget, Ledger};
use crate::cassette::{Cassette, CassetteError};
use crate::hosted::{Hosted, Limits};
use crate::keys::{Key, Keys, key_variable};
use crate::pace::Paces;
use crate::price::PriceTable;
use crate::retry::Retry;
use crate::scripted::{ScriptError, Scripted};
use crate::speak::Reasoning;
use crate::spec::{ModelSpec, Provider};
use assay_rollout::ports::Model;
use reqwest::{Client, Url, redirect};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use std::time::Duration;
use thiserror::Error;

/// How long a connection may take to stand.
const CONNECT_MAX: Duration = Duration::from_secs(20);

/// How a model is asked.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the provider listens, instead of its usual place: up to and including the version, for example `http://localhost:8000/v1`.
    pub base_url: Option<String>,
    /// The keys at hand.
    pub keys: Keys,
    /// How much the model thinks; the provider's choice where none is set.
    pub reasoning: Option<Reasoning>,
    /// A cassette to record into.
    pub record: Option<PathBuf>,
    /// Whether a model without a price is refused even where the run has no budget of money: an episode has one.
    pub needs_price: bool,
    /// How long and how large an exchange may be.
    pub limits: Limits,
    /// When a request is sent again.
    pub retry: Retry,
    /// The most requests under way at one provider.
    pub concurrency_max: usize,
    /// Hears why a request is going to be sent again, and after which wait.
    pub waits: fn(&str, Duration),
}

/// What all models of one run share: its budget, its prices, the paces of its providers.
#[derive(Debug)]
pub struct Run {
    ledger: Arc<Ledger>,
    prices: PriceTable,
    paces: Paces,
}

impl Run {
    /// A run that has spent nothing.
    #[must_use]
    pub fn new(budget: Budget, prices: PriceTable) -> Self {
        Self { ledger: Arc::new(Ledger::new(budget)), prices, paces: Paces::default() }
    }

    /// What the run has spent.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

/// Why there is no model to ask.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The key is not in the environment.
    #[error("the environment variable {variable} is not set")]
    MissingKey {
        /// Where it should be.
        variable: &'static str,
    },
    /// The key cannot be one.
    #[error(
        "the environment variable {variable} does not contain a valid key: it has spaces, line breaks or other characters that cannot be in a header"
    )]
    BadKey {
        /// Where it is.
        variable: &'static str,
    },
    /// A server of one's own has no usual place.
    #[error("`{model}` needs the URL of its server")]
    MissingUrl {
        /// Which model.
        model: String,
    },
    /// The URL is none.
    #[error("`{url}` is not a URL of a model's server: {why}")]
    BadUrl {
        /// What was given; nothing of it where it may hold a password.
        url: String,
        /// What is wrong.
        why: String,
    },
    /// Money is limited and the model has no price.
    #[error("the price of `{model}` is unknown, but the cost is limited")]
    UnknownPrice {
        /// Which model.
        model: String,
    },
    /// The dialect has no word for it.
    #[error("`{model}` does not accept a number of reasoning tokens")]
    ReasoningTokens {
        /// Which model.
        model: String,
    },
    /// The script is none.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// The cassette is none.
    #[error("{}: {error}", path.display())]
    Cassette {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: CassetteError,
    },
    /// The HTTP client cannot be made.
    #[error("failed to prepare the HTTP client: {why}")]
    Client {
        /// What happened.
        why: String,
    },
}

impl OpenError {
    /// What the user can do.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::MissingKey { variable } => {
                Some(format!("set it: export {variable}=…; keys come from the environment only"))
            }
            Self::BadKey { .. } => Some("copy the key again, without quotes or line breaks".to_owned()),
            Self::MissingUrl { .. } => Some("give its URL, for example http://localhost:8000/v1".to_owned()),
            Self::BadUrl { .. } => Some("write it up to the version, for example http://localhost:8000/v1".to_owned()),
            Self::UnknownPrice { model } => {
                Some(format!("add `{model}` to your own price table, or limit tokens instead of cost"))
            }
            Self::ReasoningTokens { .. } => Some("use off, low, medium or high".to_owned()),
            Self::Cassette { error: CassetteError::OtherModel { .. }, .. } => {
                Some("record each model to its own file".to_owned())
            }
            Self::Script(_) | Self::Cassette { .. } => Some("docs/models.md describes the file".to_owned()),
            Self::Client { .. } => None,
        }
    }
}

/// Opens a model. No request is made.
///
/// # Errors
/// The key is missing, the URL is wrong, the price is unknown where money is limited, or a file cannot be read.
pub fn open(spec: &ModelSpec, settings: &Settings, run: &Run) -> Result<Arc<dyn Model>, OpenError> {
    let model: Arc<dyn Model> = match spec {
        ModelSpec::Hosted { provider, model } => Arc::new(hosted(*provider, model, settings, run)?),
        ModelSpec::Scripted(path) => {
            let price = run.prices.price(&Scripted::name_of(path));
            Arc::new(Scripted::open(path, Arc::clone(&run.ledger), price)?)
        }
        ModelSpec::Cassette(path) => {
            let cassette = Cassette::replay(path).map_err(unusable(path))?;
            if settings.needs_price && !cassette.is_priced() {
                return Err(OpenError::UnknownPrice { model: spec.to_string() });
            }
            Arc::new(cassette)
        }
    };
    Ok(match &settings.record {
        Some(path) => Arc::new(Cassette::record(path, model).map_err(unusable(path))?),
        None => model,
    })
}

fn unusable(path: &Path) -> impl FnOnce(CassetteError) -> OpenError {
    |error| OpenError::Cassette { path: path.to_owned(), error }
}

fn hosted(provider: Provider, model: &str, settings: &Settings, run: &Run) -> Result<Hosted, OpenError> {
    let name = format!("{}:{model}", provider.name());
    if provider == Provider::OpenAi && matches!(settings.reasoning, Some(Reasoning::Tokens(_))) {
        return Err(OpenError::ReasoningTokens { model: name });
    }
    let price = run.prices.price(&name);
    if price.is_none() && (settings.needs_price || run.ledger.limits_money()) {
        return Err(OpenError::UnknownPrice { model: name });
    }
    let key = key(provider, settings)?;
    let url = base_url(provider, &name, settings, key.is_some())?;
    let base_url = url.as_str().trim_end_matches('/').to_owned();
    Ok(Hosted {
        client: client(&url)?,
        pace: run.paces.of(&format!("{} {base_url}", provider.name()), settings.concurrency_max),
        ledger: Arc::clone(&run.ledger),
        reasoning: settings.reasoning,
        limits: settings.limits,
        retry: settings.retry,
        waits: settings.waits,
        model: model.to_owned(),
        name,
        provider,
        base_url,
        key,
        price,
    })
}

/// The key. A server of one's own may do without.
fn key(provider: Provider, settings: &Settings) -> Result<Option<Key>, OpenError> {
    let variable = key_variable(provider);
    match settings.keys.of(provider) {
        None if provider == Provider::OpenAiCompatible => Ok(None),
        None => Err(OpenError::MissingKey { variable }),
        Some(key) if !key.is_printable() => Err(OpenError::BadKey { variable }),
        Some(key) => Ok(Some(key.clone())),
    }
}

fn base_url(provider: Provider, name: &str, settings: &Settings, has_key: bool) -> Result<Url, OpenError> {
    let text = settings.base_url.as_deref().or(provider.base_url());
    let text = text.ok_or_else(|| OpenError::MissingUrl { model: name.to_owned() })?;
    // What stands before an `@` may be a password.
    let shown = if text.contains('@') { "…" } else { text };
    let bad = |why: &str| OpenError::BadUrl { url: shown.to_owned(), why: why.to_owned() };
    let url = Url::parse(text).map_err(|error| bad(&error.to_string()))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("it contains a user or a password; keys come from the environment"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(bad("it has more after the path"));
    }
    match url.scheme() {
        "https" => Ok(url),
        // Servers of one's own stand in one's own network, often without a certificate.
        "http" if !has_key || provider == Provider::OpenAiCompatible || is_loopback(&url) => Ok(url),
        "http" => Err(bad("the key would be sent unencrypted; use https")),
        _ => Err(bad("neither http nor https")),
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn client(url: &Url) -> Result<Client, OpenError> {
    static PROVIDER: Once = Once::new();
    // An error means that the program has installed one already, which is as good.
    PROVIDER.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
    let mut builder = Client::builder()
        .connect_timeout(CONNECT_MAX)
        // A redirect would take the key, and the conversation, to where the user did not send it.
        .redirect(redirect::Policy::none())
        // A few kilobytes of compressed answer could be gigabytes.
        .gzip(false);
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    if url.scheme() == "http" {
        // Reading the system's certificates takes longer than all the rest.
        builder = builder.tls_built_in_root_certs(false);
    }
    builder.build().map_err(|error| OpenError::Client { why: error.to_string() })
}
