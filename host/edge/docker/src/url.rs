//! Which engine.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
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
#[error("{text:?} does not name a Docker engine: {why}")]
pub struct InvalidUrl {
    text: String,
    why: &'static str,
}

impl FromStr for EngineUrl {
    type Err = InvalidUrl;

    fn from_str(text: &str) -> Result<Self, InvalidUrl> {
        let invalid = |why| InvalidUrl { text: text.to_owned(), why };
        let (scheme, rest) =
            text.split_once("://").ok_or_else(|| invalid("it must start with unix://, tcp://, http:// or ssh://"))?;
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
                    Some((destination, port)) => (
                        destination,
                        Some(port.parse().map_err(|_| invalid("the port is not a number from 1 to 65535"))?),
                    ),
                    None => (rest, None),
                };
                if !is_host(destination) {
                    return Err(invalid("a host must follow, as in ssh://me@builder"));
                }
                Ok(Self::Ssh { destination: destination.to_owned(), port })
            }
            _ => Err(invalid("it must start with unix://, tcp://, http:// or ssh://")),
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
