//! Who pulls: what `docker login` has kept for a registry, so that a registry's limits are the user's own and private images can be had.
//!
//! Invariants: what is kept for one registry is given to no other, as the host in the image's name says; nothing of it is in an error. A configuration
//! that is not there is none.

use assay_files::{Links, OpenError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bollard::auth::DockerCredentials;
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

/// Bytes of the configuration: it has a line or two for each registry.
const CONFIG_BYTES_MAX: u64 = 1 << 20;
/// How long a helper is waited for: some ask a person to open a wallet.
const HELPER_TIME: Duration = Duration::from_mins(1);
/// How a helper says that the secret is a token and not a password.
const TOKEN_USER: &str = "<token>";
/// Docker Hub, whose images name no host, by the key under which it is kept.
const HUB_KEY: &str = "https://index.docker.io/v1/";
const HUB_HOSTS: [&str; 3] = ["docker.io", "index.docker.io", "registry-1.docker.io"];

/// Where the credentials of a registry are.
#[derive(Debug, PartialEq)]
enum Kept {
    Nowhere,
    Here(DockerCredentials),
    /// In the keeping of this program.
    With(String),
}

/// The credentials for an image's registry by the configuration in this file; `None` where there are none.
///
/// # Errors
/// The configuration or its helper cannot be understood.
pub(crate) async fn credentials(config: &Path, image: &str) -> Result<Option<DockerCredentials>, String> {
    let text = match assay_files::read_text(config, Links::Followed, CONFIG_BYTES_MAX) {
        Ok(text) => text,
        Err(OpenError::Missing) => return Ok(None),
        Err(error) => return Err(format!("{}: {error}", config.display())),
    };
    let host = registry(image);
    let no_form = || format!("{} has no form that `docker login` writes for {host}", config.display());
    let config: Value = serde_json::from_str(&text).map_err(|_| no_form())?;
    match kept(&config, host).ok_or_else(no_form)? {
        Kept::Nowhere => Ok(None),
        Kept::Here(credentials) => Ok(Some(credentials)),
        Kept::With(helper) => ask(&helper, host).await,
    }
}

/// The host of an image's registry.
fn registry(image: &str) -> &str {
    match image.split_once('/') {
        Some((host, _)) if !HUB_HOSTS.contains(&host) && (host.contains(['.', ':']) || host == "localhost") => host,
        _ => HUB_HOSTS[0],
    }
}

/// Whether a key of the configuration is about this host.
fn is_about(key: &str, host: &str) -> bool {
    let rest = key.split_once("://").map_or(key, |(_, rest)| rest);
    let named = rest.split('/').next().unwrap_or(rest);
    named == host || HUB_HOSTS.contains(&named) && host == HUB_HOSTS[0]
}

/// Where the credentials for a host are; `None` for what has no form.
fn kept(config: &Value, host: &str) -> Option<Kept> {
    let of = |table: &str| {
        let entries = config[table].as_object().into_iter().flatten();
        entries.into_iter().find(|(key, _)| is_about(key, host)).map(|(_, value)| value)
    };
    if let Some(helper) = of("credHelpers")
        .or(Some(&config["credsStore"]))
        .filter(|helper| !helper.is_null() && helper.as_str() != Some(""))
    {
        let name = helper.as_str()?;
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        return (!name.is_empty() && name.chars().all(is_plain)).then(|| Kept::With(name.to_owned()));
    }
    let Some(entry) = of("auths") else { return Some(Kept::Nowhere) };
    let text = |key: &str| entry[key].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let (mut username, mut password) = (text("username"), text("password"));
    if let Some(auth) = text("auth") {
        let pair = String::from_utf8(STANDARD.decode(auth.trim()).ok()?).ok()?;
        let (user, word) = pair.split_once(':')?;
        (username, password) = (Some(user.to_owned()), Some(word.trim_end_matches('\0').to_owned()));
    }
    let identitytoken = text("identitytoken");
    if username.is_none() && identitytoken.is_none() {
        return Some(Kept::Nowhere);
    }
    Some(Kept::Here(of_host(host, username, password, identitytoken)))
}

fn of_host(
    host: &str,
    username: Option<String>,
    password: Option<String>,
    identitytoken: Option<String>,
) -> DockerCredentials {
    let serveraddress = Some(server(host).to_owned());
    DockerCredentials { username, password, identitytoken, serveraddress, ..DockerCredentials::default() }
}

fn server(host: &str) -> &str {
    if host == HUB_HOSTS[0] { HUB_KEY } else { host }
}

/// Asks a program of the user's, as `docker` does. One that fails has none.
async fn ask(helper: &str, host: &str) -> Result<Option<DockerCredentials>, String> {
    let program = format!("docker-credential-{helper}");
    let failed = |why: &dyn std::fmt::Display| format!("{program}: {why}");
    let mut command = Command::new(&program);
    command.arg("get").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| failed(&error))?;
    if let Some(mut input) = child.stdin.take() {
        // One that does not listen says so by its answer.
        let _ = input.write_all(server(host).as_bytes()).await;
    }
    let output = tokio::time::timeout(HELPER_TIME, child.wait_with_output()).await;
    let output = output.map_err(|_| failed(&"no answer in time"))?.map_err(|error| failed(&error))?;
    if !output.status.success() {
        return Ok(None);
    }
    let answer: Value = serde_json::from_slice(&output.stdout).map_err(|_| failed(&"its answer is not JSON"))?;
    let text = |key: &str| answer[key].as_str().map(str::to_owned);
    let (Some(username), Some(secret)) = (text("Username"), text("Secret")) else {
        return Err(failed(&"its answer has no `Username` and `Secret`"));
    };
    Ok(Some(if username == TOKEN_USER {
        of_host(host, None, None, Some(secret))
    } else {
        of_host(host, Some(username), Some(secret), None)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_image_names_its_registry() {
        for (image, host) in [
            ("python:3", "docker.io"),
            ("some/image:1", "docker.io"),
            ("docker.io/some/image", "docker.io"),
            ("ghcr.io/some/image@sha256:1", "ghcr.io"),
            ("localhost/x", "localhost"),
            ("bench:5000/x", "bench:5000"),
        ] {
            assert_eq!(registry(image), host, "{image}");
        }
    }

    #[test]
    fn a_registry_is_given_its_own_and_nothing_else() {
        let config = json!({
            "auths": {
                "https://index.docker.io/v1/": { "auth": "bWU6c2VjcmV0OjE=" },
                "ghcr.io": { "identitytoken": "t" },
                "https://bench:5000/v2/": { "username": "me", "password": "p" },
                "empty.io": {},
                "broken.io": { "auth": "!" },
            },
            "credHelpers": { "aws.io": "ecr-login", "bad.io": "../x", "worse.io": 1 },
        });
        let here = |user: Option<&str>, word: Option<&str>, token: Option<&str>, host: &str| {
            let own = |text: Option<&str>| text.map(str::to_owned);
            Some(Kept::Here(of_host(host, own(user), own(word), own(token))))
        };
        assert_eq!(kept(&config, "docker.io"), here(Some("me"), Some("secret:1"), None, "docker.io"));
        assert_eq!(kept(&config, "ghcr.io"), here(None, None, Some("t"), "ghcr.io"));
        assert_eq!(kept(&config, "bench:5000"), here(Some("me"), Some("p"), None, "bench:5000"));
        assert_eq!(kept(&config, "aws.io"), Some(Kept::With("ecr-login".to_owned())));
        for (host, expected) in [
            ("empty.io", Some(Kept::Nowhere)),
            ("evil-ghcr.io", Some(Kept::Nowhere)),
            ("bench", Some(Kept::Nowhere)),
            ("broken.io", None),
            ("bad.io", None),
            ("worse.io", None),
        ] {
            assert_eq!(kept(&config, host), expected, "{host}");
        }
        assert_eq!(
            kept(&json!({ "credsStore": "secretservice" }), "x.io"),
            Some(Kept::With("secretservice".to_owned()))
        );
        assert_eq!(kept(&json!({}), "docker.io"), Some(Kept::Nowhere));
    }
}
