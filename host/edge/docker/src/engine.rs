//! Which engine, and the connection to it.

use crate::error::failed;
use crate::settings::BenchSettings;
use crate::ssh::Tunnel;
use assay_rollout::ports::BenchError;
use bollard::{API_DEFAULT_VERSION, Docker};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, OnceLock};
use thiserror::Error;

/// Where an engine listens: `unix:///PATH`, `tcp://HOST:PORT`, `http://HOST:PORT` or `ssh://[USER@]HOST[:PORT]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EngineUrl {
    /// A local socket.
    Unix(PathBuf),
    /// Plain HTTP over TCP: whoever reaches the port commands the machine, so it belongs in a private network only.
    Tcp(String),
    /// The socket of another machine, by way of its SSH server and `docker system dial-stdio` there.
    Ssh {
        /// `[USER@]HOST`.
        destination: String,
        /// Where its SSH server listens, if not as usual.
        port: Option<u16>,
    },
}

impl Default for EngineUrl {
    /// The local socket.
    fn default() -> Self {
        Self::Unix("/var/run/docker.sock".into())
    }
}

/// The text names no engine.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{text:?} names no Docker engine: {why}")]
pub struct InvalidUrl {
    text: String,
    why: &'static str,
}

impl FromStr for EngineUrl {
    type Err = InvalidUrl;

    fn from_str(text: &str) -> Result<Self, InvalidUrl> {
        let invalid = |why| InvalidUrl { text: text.to_owned(), why };
        let (scheme, rest) =
            text.split_once("://").ok_or_else(|| invalid("it begins with unix://, tcp://, http:// or ssh://"))?;
        let rest = if scheme == "unix" { rest } else { rest.trim_end_matches('/') };
        // What reaches a command line or a request must not be taken for anything else there.
        let is_host = |host: &str| {
            !host.is_empty()
                && !host.starts_with('-')
                && host.chars().all(|letter| letter.is_ascii_alphanumeric() || "-._@:[]".contains(letter))
        };
        match scheme {
            "unix" if rest.starts_with('/') => Ok(Self::Unix(rest.into())),
            "unix" => Err(invalid("the path of the socket must be absolute, as in unix:///var/run/docker.sock")),
            "tcp" | "http" if !is_host(rest) => {
                Err(invalid("a host and a port must follow, as in tcp://10.0.0.5:2375"))
            }
            "tcp" | "http" => Ok(Self::Tcp(rest.to_owned())),
            "ssh" => {
                let (destination, port) = match rest.rsplit_once(':') {
                    Some((destination, port)) => {
                        (destination, Some(port.parse().map_err(|_| invalid("the port is no number from 1 to 65535"))?))
                    }
                    None => (rest, None),
                };
                if !is_host(destination) {
                    return Err(invalid("a host must follow, as in ssh://me@builder"));
                }
                Ok(Self::Ssh { destination: destination.to_owned(), port })
            }
            _ => Err(invalid("it begins with unix://, tcp://, http:// or ssh://")),
        }
    }
}

impl fmt::Display for EngineUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix://{}", path.display()),
            Self::Tcp(address) => write!(f, "tcp://{address}"),
            Self::Ssh { destination, port: None } => write!(f, "ssh://{destination}"),
            Self::Ssh { destination, port: Some(port) } => write!(f, "ssh://{destination}:{port}"),
        }
    }
}

/// The way to an engine that need not be there yet.
#[derive(Clone)]
pub(crate) struct Engine(Arc<Way>);

struct Way {
    url: EngineUrl,
    answer_seconds: u64,
    /// Carries the connections of an SSH engine; they end with it.
    tunnel: Option<Tunnel>,
    docker: OnceLock<Docker>,
}

impl Engine {
    /// Sets the way up; nothing is sent yet.
    pub(crate) fn new(settings: &BenchSettings) -> Result<Self, BenchError> {
        let tunnel = match &settings.url {
            EngineUrl::Ssh { destination, port } => Some(
                Tunnel::open(&settings.ssh, destination, *port)
                    .map_err(|error| BenchError::Failed { why: format!("failed to open the SSH tunnel: {error}") })?,
            ),
            EngineUrl::Unix(_) | EngineUrl::Tcp(_) => None,
        };
        let answer_seconds = settings.patience.answer_seconds;
        Ok(Self(Arc::new(Way { url: settings.url.clone(), answer_seconds, tunnel, docker: OnceLock::new() })))
    }

    /// The client. Only a socket that is not there is an error, and one that comes later is found then.
    pub(crate) fn docker(&self) -> Result<&Docker, BenchError> {
        let way = &self.0;
        if let Some(docker) = way.docker.get() {
            return Ok(docker);
        }
        let unix =
            |path: &Path| Docker::connect_with_unix(&path.to_string_lossy(), way.answer_seconds, API_DEFAULT_VERSION);
        let docker = match (&way.tunnel, &way.url) {
            (Some(tunnel), _) => unix(tunnel.socket()),
            (None, EngineUrl::Unix(path)) => unix(path),
            (None, EngineUrl::Tcp(address) | EngineUrl::Ssh { destination: address, .. }) => {
                Docker::connect_with_http(address, way.answer_seconds, API_DEFAULT_VERSION)
            }
        };
        let docker = docker.map_err(failed("set up the connection"))?;
        Ok(way.docker.get_or_init(|| docker))
    }
}

#[cfg(test)]
mod tests {
    use super::EngineUrl;

    #[test]
    fn urls_are_checked_when_they_are_read() {
        for url in [
            "unix:///var/run/docker.sock",
            "tcp://10.0.0.5:2375",
            "tcp://[::1]:2375",
            "ssh://me@builder:2222",
            "ssh://builder",
        ] {
            assert_eq!(url.parse::<EngineUrl>().expect(url).to_string(), url);
        }
        assert_eq!("http://a:1/".parse::<EngineUrl>().expect("a URL").to_string(), "tcp://a:1");
        for url in [
            "",
            "docker",
            "unix://docker.sock",
            "https://a:1",
            "tcp://",
            "tcp://a b",
            "ssh://-oProxyCommand=x",
            "ssh://a:b",
            "ssh://a;b",
        ] {
            assert!(url.parse::<EngineUrl>().is_err(), "{url}");
        }
    }
}
