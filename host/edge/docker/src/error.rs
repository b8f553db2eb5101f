//! The engine's errors in the bench's words.

use assay_rollout::ports::BenchError;
use bollard::errors::Error;

/// The status of an answer that the engine did give.
pub(crate) fn status(error: &Error) -> Option<u16> {
    match error {
        Error::DockerResponseServerError { status_code, .. } => Some(*status_code),
        _ => None,
    }
}

/// The engine's own words, without what surrounds them.
pub(crate) fn words(error: &Error) -> String {
    match error {
        Error::DockerResponseServerError { message, .. } => message.trim().to_owned(),
        Error::RequestTimeoutError => "it did not answer in time".into(),
        other => chain(other),
    }
}

/// An error with its causes: the outermost words of a connection's error say only that there was one.
fn chain(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        cause = error.source();
    }
    words
}

/// `what` completes "failed to …".
pub(crate) fn failed(what: &str) -> impl Fn(Error) -> BenchError + '_ {
    move |error| match &error {
        Error::HyperLegacyError { err } if err.is_connect() => BenchError::NoEngine { why: words(&error) },
        Error::SocketNotFoundError(_) => BenchError::NoEngine { why: words(&error) },
        _ => BenchError::Failed { why: format!("failed to {what}: {}", words(&error)) },
    }
}
