//! Who may ask: everything that keeps a page from being read or worked by another page, another machine or another user.
//!
//! ```text
//! Host ──► Origin, Sec-Fetch-Site ──► method ──► token or cookie ──► form token ──► page
//!   421          403                    405           401               403
//! ```
//!
//! Invariants: [`admit`] is asked before routing, for every method and every path; a name that is not ours is refused even with the right token, which is
//! what stops DNS rebinding; secrets are compared as hashes, in constant time; the token leaves the address at once; no error says what was wrong with a
//! secret.

use crate::code::Code;
use crate::host::Host;
use axum::http::{HeaderMap, Method, Uri, header};
use std::net::IpAddr;

/// Bytes of a secret that we make.
const SECRET_BYTES: usize = 32;
/// The least characters of a secret that somebody has chosen: 128 bits in hexadecimal.
const SECRET_CHARS_MIN: usize = 32;
const SECRET_CHARS_MAX: usize = 256;
/// What the link calls its token.
pub(crate) const TOKEN_FIELD: &str = "token";
/// What forms call theirs.
pub(crate) const FORM_FIELD: &str = "form";

/// What pages may do: load what is ours, send forms to us, and nothing else.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; \
     base-uri 'none'; frame-ancestors 'none'";
/// Headers of every answer. The address of a page is told to us alone; with `no-referrer`, browsers would send our own forms as from nowhere (`Origin: null`),
/// which is refused.
pub(crate) const HEADERS: [(&str, &str); 7] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
];

/// The secret in the link. Never shown by `Debug`.
#[derive(Clone)]
pub struct Secret(String);

/// A text that is no secret.
#[derive(Debug, thiserror::Error)]
#[error(
    "a token has {SECRET_CHARS_MIN} to {SECRET_CHARS_MAX} letters, digits, `-` and `_`; `openssl rand -hex 32` makes a good one"
)]
pub struct SecretError;

impl Secret {
    /// A secret that somebody has chosen.
    ///
    /// # Errors
    /// It is too short to be one, too long, or has other characters.
    pub fn parse(text: &str) -> Result<Self, SecretError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if (SECRET_CHARS_MIN..=SECRET_CHARS_MAX).contains(&text.len()) && text.bytes().all(is_plain) {
            Ok(Self(text.to_owned()))
        } else {
            Err(SecretError)
        }
    }

    /// A new one of 256 bits.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; SECRET_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The rules of one server.
pub(crate) struct Rules {
    /// What `Host` may say, in lower case.
    hosts: Vec<String>,
    /// Origins of our own pages, in lower case.
    origins: Vec<String>,
    cookie: String,
    token: blake3::Hash,
    session: String,
    form: String,
}

/// What to do with a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Admission {
    /// It may be answered. One that changes something has to bring the form token, unless it came with the token itself, which no browser sends by itself.
    Welcome { needs_form: bool },
    /// It has come with the token in its address: it gets the cookie, and is sent on to where there is no token.
    SignedIn { cookie: String, to: String },
    /// It is not answered.
    Refused(Refusal),
}

/// Why not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    Host,
    Origin,
    Method,
    Stranger,
    Form,
}

impl Refusal {
    pub(crate) const fn code(self) -> Code {
        match self {
            Self::Host => Code::WrongHost,
            Self::Origin | Self::Form => Code::Forbidden,
            Self::Method => Code::MethodNotAllowed,
            Self::Stranger => Code::Unauthorized,
        }
    }

    /// For a person.
    pub(crate) const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Host => (
                "This is not the name of this server",
                "Open the link that `assay serve` printed. To reach it under another name, start it with --host NAME.",
            ),
            Self::Origin => (
                "Another page has asked for this",
                "If it was you who followed a link from elsewhere, open the page from its address bar, or from the link that `assay serve` printed.",
            ),
            Self::Method => ("Pages are read with GET, and forms sent with POST", "Nothing else is answered here."),
            Self::Stranger => (
                "This browser has not been let in",
                "Open the link that `assay serve` printed when it started; it contains a token, which is different at every start.",
            ),
            Self::Form => ("The form is not from this server", "Go back, reload the page, and send the form again."),
        }
    }
}

impl Rules {
    /// The rules of a server at a port. `hosts` are names of its own beside this machine's.
    pub(crate) fn new(secret: &Secret, address: IpAddr, port: u16, hosts: &[Host]) -> Self {
        let mut names: Vec<String> = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")).to_vec();
        if address.is_loopback() && !names.iter().any(|name| name == &written(address, port)) {
            names.push(written(address, port));
        }
        let mut origins: Vec<String> = names.iter().map(|name| format!("http://{name}")).collect();
        for host in hosts {
            for name in [host.to_string(), host.at(port)] {
                // Behind a proxy that speaks TLS, a browser says https.
                origins.extend([format!("http://{name}"), format!("https://{name}")]);
                names.push(name);
            }
        }
        let derived = |purpose| blake3::derive_key(purpose, secret.text().as_bytes());
        let hex = |key: [u8; 32]| blake3::Hash::from_bytes(key).to_hex().to_string();
        Self {
            hosts: names,
            origins,
            cookie: format!("assay_{port}"),
            token: blake3::hash(secret.text().as_bytes()),
            session: hex(derived("assay serve 2026 session cookie")),
            form: hex(derived("assay serve 2026 form token")),
        }
    }

    /// What forms of our pages contain.
    pub(crate) fn form_token(&self) -> &str {
        &self.form
    }

    /// Whether a form is from one of our pages.
    pub(crate) fn is_own_form(&self, token: &str) -> bool {
        is_same(token, &self.form)
    }

    /// See [`Admission`].
    pub(crate) fn admit(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Admission {
        if !self.is_own_host(uri, headers) {
            return Admission::Refused(Refusal::Host);
        }
        let changes = match *method {
            Method::GET | Method::HEAD => false,
            Method::POST => true,
            _ => return Admission::Refused(Refusal::Method),
        };
        // A browser never adds this header by itself, so whoever brings it is no victim of another page.
        let is_program = bearer(headers).is_some_and(|token| self.is_token(token));
        if !self.comes_from_us(changes, is_program, headers) {
            return Admission::Refused(Refusal::Origin);
        }
        if is_program {
            return Admission::Welcome { needs_form: false };
        }
        if let Some(token) = field(uri, TOKEN_FIELD) {
            return if !changes && self.is_token(&token) {
                let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie, self.session);
                Admission::SignedIn { cookie, to: without_token(uri) }
            } else {
                Admission::Refused(Refusal::Stranger)
            };
        }
        if self.has_cookie(headers) {
            Admission::Welcome { needs_form: changes }
        } else {
            Admission::Refused(Refusal::Stranger)
        }
    }

    pub(crate) fn is_own_host(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
        let Ok(host) = host.to_str() else { return false };
        let is_ours = |name: &str| self.hosts.contains(&name.to_ascii_lowercase());
        // A request may name its host a second time, as it does to a proxy.
        is_ours(host) && uri.authority().is_none_or(|authority| is_ours(authority.as_str()))
    }

    pub(crate) fn comes_from_us(&self, changes: bool, is_program: bool, headers: &HeaderMap) -> bool {
        let one = |name: &str| {
            let mut values = headers.get_all(name).iter();
            match (values.next(), values.next()) {
                (None, _) => Ok(None),
                (Some(value), None) => value.to_str().map(Some).map_err(drop),
                (Some(_), Some(_)) => Err(()),
            }
        };
        let (Ok(origin), Ok(site)) = (one("origin"), one("sec-fetch-site")) else { return false };
        let is_own_origin = origin.is_none_or(|origin| self.origins.contains(&origin.to_ascii_lowercase()));
        let is_own_site = match site {
            None | Some("same-origin") => true,
            // Typed, or opened by another program.
            Some("none") => !changes,
            Some(_) => false,
        };
        let is_said = origin.is_some() || site.is_some();
        is_own_origin && is_own_site && (!changes || is_said || is_program)
    }

    pub(crate) fn is_token(&self, token: &str) -> bool {
        blake3::hash(token.as_bytes()) == self.token
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let own = pairs.filter(|(name, _)| *name == self.cookie).map(|(_, value)| value);
        own.fold(false, |found, value| found | is_same(value, &self.session))
    }
}

/// As it stands in an address.
fn written(address: IpAddr, port: u16) -> String {
    std::net::SocketAddr::new(address, port).to_string()
}

/// Compares secrets in constant time.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    blake3::hash(one.as_bytes()) == blake3::hash(other.as_bytes())
}

/// The token of a program. A scheme's name may be written in any case (RFC 9110, 11.1).
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// A field of a query.
pub(crate) fn field(uri: &Uri, name: &str) -> Option<String> {
    let query = uri.query()?;
    form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// The same page, by an address that may be seen. Always one of ours: it begins with exactly one slash.
fn without_token(uri: &Uri) -> String {
    let path = format!("/{}", uri.path().trim_start_matches(['/', '\\']));
    let rest = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).filter(|(key, _)| key != TOKEN_FIELD);
    let mut query = form_urlencoded::Serializer::new(String::new());
    let query = query.extend_pairs(rest).finish();
    if query.is_empty() { path } else { format!("{path}?{query}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn rules() -> Rules {
        let address = IpAddr::from([127, 0, 0, 1]);
        Rules::new(&Secret::parse(TOKEN).unwrap(), address, 7117, &["lab.example".parse().unwrap()])
    }

    /// What becomes of a request. `cookie` stands for the right one.
    fn check(request: &str, headers: &[(&str, &str)], expected: &str) {
        let rules = rules();
        let (method, uri) = request.split_once(' ').unwrap();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let value = value.replace("COOKIE", &format!("assay_7117={}", rules.session));
            map.append(
                axum::http::HeaderName::from_bytes(name.as_bytes()).unwrap(),
                HeaderValue::from_str(&value).unwrap(),
            );
        }
        let seen = match rules.admit(&method.parse().unwrap(), &uri.parse().unwrap(), &map) {
            Admission::Welcome { needs_form: false } => "welcome".to_owned(),
            Admission::Welcome { needs_form: true } => "welcome with form".to_owned(),
            Admission::SignedIn { to, .. } => format!("to {to}"),
            Admission::Refused(refusal) => format!("{refusal:?}"),
        };
        assert_eq!(seen, expected, "{request} {headers:?}");
    }

    #[test]
    fn only_our_own_browser_is_let_in() {
        const HOST: (&str, &str) = ("host", "localhost:7117");
        const COOKIE: (&str, &str) = ("cookie", "other=1; COOKIE");
        let bearer = format!("Bearer {TOKEN}");
        let bearer = ("authorization", bearer.as_str());
        let small = format!("bearer {TOKEN}");
        let small = ("authorization", small.as_str());
        let basic = format!("Basic {TOKEN}");
        let basic = ("authorization", basic.as_str());
        let link = format!("GET /?token={TOKEN}");
        let deep = format!("GET //evil.example/x?a=1&token={TOKEN}");
        for (request, headers, expected) in [
            ("GET /", &[HOST, COOKIE][..], "welcome"),
            ("GET /", &[("host", "127.0.0.1:7117"), COOKIE], "welcome"),
            ("GET /", &[("host", "[::1]:7117"), COOKIE], "welcome"),
            ("GET /", &[("host", "LAB.example"), COOKIE], "welcome"),
            ("GET /", &[("host", "lab.example:7117"), COOKIE], "welcome"),
            // Rebinding: the right cookie or token does not help.
            ("GET /", &[("host", "evil.example:7117"), COOKIE], "Host"),
            ("GET /", &[("host", "evil.example:7117"), bearer], "Host"),
            ("GET /", &[("host", "localhost:7118"), COOKIE], "Host"),
            ("GET /", &[("host", "localhost"), COOKIE], "Host"),
            ("GET /", &[("host", "localhost:7117.evil.example"), COOKIE], "Host"),
            ("GET /", &[COOKIE], "Host"),
            ("GET /", &[HOST, HOST, COOKIE], "Host"),
            ("GET /", &[HOST, ("host", "evil.example"), COOKIE], "Host"),
            ("GET http://evil.example/", &[HOST, COOKIE], "Host"),
            ("GET http://localhost:7117/", &[HOST, COOKIE], "welcome"),
            // Other pages in the same browser.
            ("GET /", &[HOST, COOKIE, ("origin", "http://localhost:7117")], "welcome"),
            ("GET /", &[HOST, COOKIE, ("origin", "http://evil.example")], "Origin"),
            ("GET /", &[HOST, COOKIE, ("origin", "http://localhost:8888")], "Origin"),
            ("GET /", &[HOST, COOKIE, ("origin", "null")], "Origin"),
            ("GET /", &[HOST, COOKIE, ("origin", "http://localhost:7117"), ("origin", "null")], "Origin"),
            ("GET /", &[HOST, COOKIE, ("sec-fetch-site", "same-origin")], "welcome"),
            ("GET /", &[HOST, COOKIE, ("sec-fetch-site", "none")], "welcome"),
            ("GET /", &[HOST, COOKIE, ("sec-fetch-site", "cross-site")], "Origin"),
            ("GET /", &[HOST, COOKIE, ("sec-fetch-site", "same-site")], "Origin"),
            ("GET /", &[HOST, bearer, ("sec-fetch-site", "cross-site")], "Origin"),
            // Programs.
            ("GET /", &[HOST, bearer], "welcome"),
            ("GET /", &[HOST, small], "welcome"),
            ("GET /", &[HOST, basic], "Stranger"),
            // Strangers.
            ("GET /", &[HOST], "Stranger"),
            ("GET /", &[HOST, ("cookie", "assay_7117=0")], "Stranger"),
            ("GET /", &[HOST, ("cookie", "assay_7118=COOKIE")], "Stranger"),
            ("GET /?token=", &[HOST, COOKIE], "Stranger"),
            ("GET /?token=wrong", &[HOST], "Stranger"),
            ("GET /", &[HOST, ("authorization", "Bearer wrong")], "Stranger"),
            ("GET /", &[HOST, ("authorization", "Basic x")], "Stranger"),
            (&link, &[HOST], "to /"),
            (&deep, &[HOST], "to /evil.example/x?a=1"),
            (&link, &[HOST, ("sec-fetch-site", "cross-site")], "Origin"),
            ("GET /", &[HOST, bearer], "welcome"),
            // What changes something.
            ("POST /", &[HOST, COOKIE], "Origin"),
            ("POST /", &[HOST, COOKIE, ("sec-fetch-site", "none")], "Origin"),
            ("POST /", &[HOST, COOKIE, ("sec-fetch-site", "same-origin")], "welcome with form"),
            ("POST /", &[HOST, COOKIE, ("origin", "http://localhost:7117")], "welcome with form"),
            ("POST /", &[HOST, COOKIE, ("origin", "http://evil.example")], "Origin"),
            ("POST /", &[HOST, ("sec-fetch-site", "same-origin")], "Stranger"),
            ("POST /", &[HOST, bearer], "welcome"),
            ("DELETE /", &[HOST, COOKIE], "Method"),
            ("OPTIONS /", &[HOST, COOKIE], "Method"),
        ] {
            check(request, headers, expected);
        }
    }

    #[test]
    fn secrets_are_long_and_plain_and_not_shown() {
        for (text, expected) in [(TOKEN, true), ("short", false), ("", false), (&"x y".repeat(20), false)] {
            assert_eq!(Secret::parse(text).is_ok(), expected, "{text}");
        }
        let random = Secret::random().unwrap();
        assert_eq!(random.text().len(), 2 * SECRET_BYTES);
        assert!(!format!("{random:?}").contains(random.text()));
    }
}
