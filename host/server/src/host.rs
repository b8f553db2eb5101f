//! A name under which browsers may ask for pages.
//!
//! Invariant: what a [`Host`] holds is what a browser says in `Host`: a name or an address, in lower case, with or without a port, and nothing else of a URL.

use std::fmt::{self, Display};
use std::net::Ipv6Addr;
use std::str::FromStr;

/// The longest name of a host that there is.
const NAME_BYTES_MAX: usize = 253;

/// See the module documentation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Host {
    name: String,
    port: Option<u16>,
}

/// A text that is no host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HostError {
    /// It is an address of a page.
    #[error("give the name alone, without `http://` and without a path")]
    Url,
    /// It is none.
    #[error(
        "a host is a name of letters, digits, `-`, `_` and `.`, or an address; IPv6 in brackets; a port may follow, as in `lab.example:8443`"
    )]
    Name,
}

impl FromStr for Host {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        if text.contains('/') {
            return Err(HostError::Url);
        }
        let (name, port) = match text.rsplit_once(':') {
            // A colon in brackets is one of an address.
            Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
            _ => (text, None),
        };
        let is_number = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        let port = match port {
            Some(port) => {
                Some(port.parse().ok().filter(|number| *number > 0 && is_number(port)).ok_or(HostError::Name)?)
            }
            None => None,
        };
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let is_name = match address {
            Some(address) => address.parse::<Ipv6Addr>().is_ok(),
            None => (1..=NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_plain),
        };
        if is_name { Ok(Self { name: name.to_ascii_lowercase(), port }) } else { Err(HostError::Name) }
    }
}

impl Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl Host {
    /// With its own port, or this one.
    pub(crate) fn at(&self, port: u16) -> String {
        format!("{}:{}", self.name, self.port.unwrap_or(port))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_are_hosts() {
        for (text, expected) in [
            ("lab.example", Ok("lab.example:7117")),
            ("LAB.example:8443", Ok("lab.example:8443")),
            ("my_box-1", Ok("my_box-1:7117")),
            ("192.0.2.7", Ok("192.0.2.7:7117")),
            ("[2001:db8::1]", Ok("[2001:db8::1]:7117")),
            ("[2001:DB8::1]:80", Ok("[2001:db8::1]:80")),
            ("", Err(HostError::Name)),
            (":8443", Err(HostError::Name)),
            ("lab.example:", Err(HostError::Name)),
            ("lab.example:0", Err(HostError::Name)),
            ("lab.example:+80", Err(HostError::Name)),
            ("lab.example:65536", Err(HostError::Name)),
            ("2001:db8::1", Err(HostError::Name)),
            ("[lab]", Err(HostError::Name)),
            ("a b", Err(HostError::Name)),
            ("user@lab.example", Err(HostError::Name)),
            ("http://lab.example", Err(HostError::Url)),
            ("lab.example/x", Err(HostError::Url)),
        ] {
            let host = text.parse::<Host>().map(|host| host.at(7117));
            assert_eq!(host.as_deref().map_err(|error| *error), expected, "{text}");
        }
    }
}
