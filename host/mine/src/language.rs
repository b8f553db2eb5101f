//! Languages, by the names of files: what counts as code, and which files of tests a runner is given.

/// Extensions and the languages that they are of, by the names that tasks use.
const EXTENSIONS: [(&str, &str); 22] = [
    ("py", "python"),
    ("pyx", "python"),
    ("js", "javascript"),
    ("jsx", "javascript"),
    ("mjs", "javascript"),
    ("ts", "typescript"),
    ("tsx", "typescript"),
    ("go", "go"),
    ("rs", "rust"),
    ("java", "java"),
    ("kt", "kotlin"),
    ("c", "c"),
    ("h", "c"),
    ("cc", "cpp"),
    ("cpp", "cpp"),
    ("hpp", "cpp"),
    ("cs", "csharp"),
    ("rb", "ruby"),
    ("php", "php"),
    ("scala", "scala"),
    ("swift", "swift"),
    ("lua", "lua"),
];

/// The language of a source file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Language(&'static str);

impl Language {
    /// The language of a file; none where it is no source.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, extension) = name.rsplit_once('.')?;
        // What builds or configures is code, but none that tests try.
        if matches!(name, "setup.py" | "noxfile.py" | "fabfile.py" | "tasks.py") && !path.contains('/') {
            return None;
        }
        EXTENSIONS.iter().find(|(known, _)| *known == extension).map(|(_, language)| Self(language))
    }

    pub(crate) const fn name(self) -> &'static str {
        self.0
    }

    pub(crate) fn is_python(self) -> bool {
        self.0 == "python"
    }

    /// Whether the runner is given this file of tests: a module of tests, not a helper.
    pub(crate) fn is_run(self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.split('.').next().unwrap_or(name);
        match Self::of(path) {
            Some(language) if language.is_python() => {
                name.ends_with(".py")
                    && (stem.starts_with("test_") || stem.ends_with("_test") || matches!(stem, "test" | "tests"))
            }
            Some(language) => language == self,
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_and_tests_are_told_by_their_names() {
        for (path, language) in [
            ("a/b.py", Some("python")),
            ("setup.py", None),
            ("docs/setup.py", Some("python")),
            ("README.md", None),
            ("py", None),
            ("src/main.go", Some("go")),
        ] {
            assert_eq!(Language::of(path).map(Language::name), language, "{path}");
        }
        let python = Language::of("a.py").unwrap();
        for (path, is_run) in [
            ("tests/test_a.py", true),
            ("a_test.py", true),
            ("app/tests.py", true),
            ("tests/conftest.py", false),
            ("tests/helpers.py", false),
            ("tests/data.json", false),
        ] {
            assert_eq!(python.is_run(path), is_run, "{path}");
        }
    }
}
