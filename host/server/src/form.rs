//! A form as it was sent: fields by name, lines as they were typed.

/// Bytes of a form.
pub(crate) const BODY_BYTES_MAX: usize = 1 << 20;
/// Fields that are looked at.
const FIELDS_MAX: usize = 100;

/// See the module documentation.
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    pub(crate) fn parse(body: &[u8]) -> Self {
        // Browsers send every line end as two characters.
        let field = |(name, value): (std::borrow::Cow<'_, str>, std::borrow::Cow<'_, str>)| {
            (name.into_owned(), value.replace("\r\n", "\n"))
        };
        Self(form_urlencoded::parse(body).take(FIELDS_MAX).map(field).collect())
    }

    /// A field; empty where it is not there.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default()
    }

    /// The names of its fields, once for each.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Every field of a name.
    pub(crate) fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_they_were_typed() {
        let form = Form::parse(b"source=a%0D%0Ab%0Ac&market=calm&market=thin&empty=+");
        assert_eq!(form.get("source"), "a\nb\nc");
        assert_eq!(form.all("market").collect::<Vec<_>>(), ["calm", "thin"]);
        assert_eq!(form.get("absent"), "");
    }
}
