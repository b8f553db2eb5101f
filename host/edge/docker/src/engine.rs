//! The connection to an engine.

use crate::error::failed;
use crate::settings::BenchSettings;
use crate::ssh::Tunnel;
use crate::url::EngineUrl;
use assay_rollout::ports::BenchError;
use bollard::{API_DEFAULT_VERSION, Docker};
use std::path::Path;
use std::sync::{Arc, OnceLock};

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
