//! What a file says it is, before anything else of it is believed.
//!
//! Invariant: a file that says nothing of it, or is not JSON, passes: whoever reads it says what is wrong.

use serde::Deserialize;

/// A file of a schema, or of a version of it, that this release does not read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SchemaError {
    /// A major version that is newer, or none that is known.
    #[error("it is a file of a later release: made with schema {name} version {version}; this release reads {known}")]
    Later {
        /// The schema.
        name: String,
        /// Its version in the file.
        version: String,
        /// The version that this release writes.
        known: String,
    },
    /// Another kind of file.
    #[error("it has the schema {found}, and {expected} is needed here")]
    Other {
        /// What it says.
        found: String,
        /// What it should say.
        expected: String,
    },
}

/// Of a file that may have more in any place.
#[derive(Deserialize)]
struct Opening {
    schema: Named,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    version: String,
}

/// Characters of a name in an error.
const NAME_CHARS_MAX: usize = 80;

/// Looks at the `schema` of a file. Earlier major versions pass: whether they can still be read is for their reader.
///
/// # Errors
/// [`SchemaError`].
pub fn check_schema(bytes: &[u8], name: &str, known: &str) -> Result<(), SchemaError> {
    let Ok(Opening { schema }) = serde_json::from_slice::<Opening>(bytes) else { return Ok(()) };
    let cut = |text: &str| text.chars().take(NAME_CHARS_MAX).collect::<String>();
    if schema.name != name {
        return Err(SchemaError::Other { found: cut(&schema.name), expected: name.to_owned() });
    }
    let major = |version: &str| version.split('.').next().and_then(|part| part.parse::<u64>().ok());
    let is_known = major(&schema.version).zip(major(known)).is_some_and(|(found, known)| found <= known);
    if is_known {
        Ok(())
    } else {
        Err(SchemaError::Later { name: name.to_owned(), version: cut(&schema.version), known: known.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_and_other_files_are_told_apart() {
        for (text, expected) in [
            (r#"{"schema":{"name":"assay.run","version":"2.0"}}"#, ""),
            (r#"{"schema":{"name":"assay.run","version":"2.7"},"new":[]}"#, ""),
            (r#"{"schema":{"name":"assay.run","version":"1.3"}}"#, ""),
            (
                r#"{"schema":{"name":"assay.run","version":"3.0"}}"#,
                "schema assay.run version 3.0; this release reads 2.0",
            ),
            (r#"{"schema":{"name":"assay.run","version":"new"}}"#, "version new; this release reads 2.0"),
            (r#"{"schema":{"name":"assay.other","version":"2.0"}}"#, "it has the schema assay.other"),
            (r#"{"schema":7}"#, ""),
            ("{}", ""),
            ("", ""),
        ] {
            let said = check_schema(text.as_bytes(), "assay.run", "2.0")
                .map_or_else(|error| error.to_string(), |()| String::new());
            assert_eq!((said.is_empty(), said.contains(expected)), (expected.is_empty(), true), "{text}: {said}");
        }
    }
}
