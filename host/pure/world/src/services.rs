//! The services behind an agent's tools: how often each was called, until when it refuses calls or is slow, and how its interface has changed.
//!
//! Invariant: what is kept here changes only with the agent's own calls, so the same calls meet the same services.

use std::collections::BTreeMap;

use assay_model::{Nanos, Time};
use serde_json::{Map, Value};

use crate::called::{CallError, INTERFACE_CHANGED, NEEDED, error};
use crate::limits::ARGUMENT_BYTES_MAX;

/// How many times as long a slow service takes.
const SLOWER: u64 = 100;
/// For how long.
const SLOW_FOR: Nanos = Nanos::from_secs(24 * 3_600);

/// See the module documentation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Services(BTreeMap<String, Service>);

#[derive(Clone, Debug, Default)]
struct Service {
    calls: u64,
    blocked: Time,
    slow: Time,
    drift: Option<Drift>,
}

/// How an interface has changed.
#[derive(Clone, Debug)]
enum Drift {
    /// It wants an argument more.
    Argument,
    /// The first field of the next answer gets another name.
    Field,
    /// This field has another name.
    Renamed { old: String, new: String },
}

/// What a tool makes of the text of a call's arguments.
pub(crate) enum Wanted {
    /// It takes it as it is.
    AsIs,
    /// It takes it without the argument that only the service looks at.
    Without(String),
    /// An argument is missing.
    Missing,
}

impl Services {
    fn of(&mut self, name: &str) -> &mut Service {
        self.0.entry(name.to_owned()).or_default()
    }

    /// Counts a call, and says which it is, from 1.
    pub(crate) fn count(&mut self, name: &str) -> u64 {
        let service = self.of(name);
        service.calls += 1;
        service.calls
    }

    /// Until when a service refuses calls, if it does so now.
    pub(crate) fn blocked(&self, name: &str, now: Time) -> Option<Time> {
        self.0.get(name).map(|service| service.blocked).filter(|until| *until > now)
    }

    /// Lets a service refuse calls.
    pub(crate) fn block(&mut self, name: &str, until: Time) {
        self.of(name).blocked = until;
    }

    /// Makes a service slow from now on.
    pub(crate) fn slow(&mut self, name: &str, now: Time) {
        self.of(name).slow = now + SLOW_FOR;
    }

    /// How long a call takes that begins now.
    pub(crate) fn latency(&self, name: &str, usual: Nanos, now: Time) -> Nanos {
        let is_slow = self.0.get(name).is_some_and(|service| service.slow > now);
        if is_slow { Nanos(usual.0.saturating_mul(SLOWER).min(SLOW_FOR.0)) } else { usual }
    }

    /// Changes the interface of a service: the name of a field of its answers, or an argument that it wants. What has changed stays; whether it changes now.
    pub(crate) fn drift(&mut self, name: &str, is_field: bool) -> bool {
        let service = self.of(name);
        let is_new = service.drift.is_none();
        service.drift.get_or_insert(if is_field { Drift::Field } else { Drift::Argument });
        is_new
    }

    /// Whether the schema of arguments has one that is called like the one that a service would want.
    pub(crate) fn names_needed(properties: &Value) -> bool {
        properties.get(NEEDED.0).is_some()
    }

    /// The error of a call without the argument that is wanted now.
    pub(crate) fn changed() -> CallError {
        let (name, value) = NEEDED;
        let what = "the interface has changed, and nothing was done";
        error(
            INTERFACE_CHANGED,
            format!("{what}: `{name}` is required now; add \"{name}\": \"{value}\" to the arguments"),
        )
    }

    /// What a tool makes of a call's arguments, now that its interface may have changed.
    pub(crate) fn wanted(&self, name: &str, raw: &str) -> Wanted {
        let is_changed = matches!(self.0.get(name).and_then(|service| service.drift.as_ref()), Some(Drift::Argument));
        if !is_changed || raw.len() > ARGUMENT_BYTES_MAX {
            return Wanted::AsIs;
        }
        let Ok(mut arguments) = serde_json::from_str::<Map<String, Value>>(raw) else { return Wanted::AsIs };
        match arguments.remove(NEEDED.0) {
            Some(value) if value == NEEDED.1 => Wanted::Without(Value::Object(arguments).to_string()),
            _ => Wanted::Missing,
        }
    }

    /// An answer as the service gives it, now that its interface may have changed.
    pub(crate) fn answered(&mut self, name: &str, value: Value) -> Value {
        let Some(service) = self.0.get_mut(name) else { return value };
        let Value::Object(fields) = value else { return value };
        if let Some(Drift::Field) = service.drift {
            let first = fields.keys().find(|key| !fields.contains_key(&renamed(key)));
            let Some(old) = first.cloned() else { return Value::Object(fields) };
            service.drift = Some(Drift::Renamed { new: renamed(&old), old });
        }
        let Some(Drift::Renamed { old, new }) = &service.drift else { return Value::Object(fields) };
        let rename = |(key, value): (String, Value)| (if key == *old { new.clone() } else { key }, value);
        Value::Object(fields.into_iter().map(rename).collect())
    }
}

/// What a new release calls a field: `order_id` is `orderId`, `status` is `status_v2`.
fn renamed(name: &str) -> String {
    let mut parts = name.split('_').filter(|part| !part.is_empty());
    let first = parts.next().unwrap_or_default().to_owned();
    let whole = parts.fold(first, |whole, part| {
        let (head, tail) = part.split_at(part.chars().next().map_or(0, char::len_utf8));
        whole + &head.to_uppercase() + tail
    });
    if whole == name || whole.is_empty() { format!("{name}_v2") } else { whole }
}
