//! Runners that print one line per test: a pattern and the words it can find. Go, Cargo and a dozen others.
//!
//! Source: SWE-bench 5.0.1, `harness/log_parsers/{go,rust,c,java,javascript,ruby}.py`. Each line is stripped, and the pattern must match from
//! its start. Absent on purpose: the parsers of JavaScript suites that need more than the line (Calypso, Karma, p5.js …),
//! nlohmann's doctest XML, and the two that choose a rule by the instance (jekyll, immutable-js).

use regex::Regex;
use std::sync::LazyLock;

use crate::status::{Status, StatusMap};
use crate::text::{Pattern, python_pattern, strip};

/// The runners, each with a line as it prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Runner {
    /// `go test -v`: `--- PASS: TestName (0.00s)`.
    Go,
    /// `cargo test`: `test path::name ... ok`. Ignored tests are not recorded.
    Cargo,
    /// The Tcl suite of Redis and Valkey: `[ok]: name (3 ms)`.
    Redis,
    /// Automake's `PASS: name`, as jq prints it.
    Automake,
    /// `MicroPython`'s `pass  name`.
    Micropython,
    /// `GoogleTest`'s `[       OK ] Suite.Test (0 ms)`.
    GoogleTest,
    /// Jest with `--verbose`.
    Jest,
    /// Jest's JSON, transformed to `[PASSED] name`.
    JestJson,
    /// Vitest with the verbose reporter.
    Vitest,
    /// The Test Anything Protocol: `ok 1 name`.
    Tap,
    /// `JUnit` under Ant: `[junit] [PASS] name`.
    Ant,
    /// Ruby's minitest, verbose.
    Minitest,
    /// Cucumber's progress format.
    Cucumber,
    /// Ruby's test-unit, verbose.
    RubyUnit,
    /// `RSpec`'s JSON, transformed to `name - passed`.
    Rspec,
}

struct Rule {
    pattern: Regex,
    status_group: usize,
    name_group: usize,
    words: &'static [(&'static str, Status)],
}

use Status::{Failed, Passed, Skipped};

impl Runner {
    pub(super) const ALL: [Self; 15] = [
        Self::Go,
        Self::Cargo,
        Self::Redis,
        Self::Automake,
        Self::Micropython,
        Self::GoogleTest,
        Self::Jest,
        Self::JestJson,
        Self::Vitest,
        Self::Tap,
        Self::Ant,
        Self::Minitest,
        Self::Cucumber,
        Self::RubyUnit,
        Self::Rspec,
    ];

    fn rule(self) -> Rule {
        let (pattern, status_group, name_group, words): (_, _, _, &'static [_]) = match self {
            Self::Go => (
                r"^--- (PASS|FAIL|SKIP): (.+) \((.+)\)$",
                1,
                2,
                &[("PASS", Passed), ("FAIL", Failed), ("SKIP", Skipped)],
            ),
            Self::Cargo => (r"^test\s+(\S+)\s+\.\.\.\s+(\w+)$", 2, 1, &[("ok", Passed), ("FAILED", Failed)]),
            Self::Redis => (
                r"^\[(ok|err|skip|ignore)\]:\s(.+?)(?:\s\((\d+\s*m?s)\))?$",
                1,
                2,
                &[("ok", Passed), ("err", Failed), ("skip", Skipped), ("ignore", Skipped)],
            ),
            Self::Automake => (r"^\s*(PASS|FAIL):\s(.+)$", 1, 2, &[("PASS", Passed), ("FAIL", Failed)]),
            Self::Micropython => {
                (r"^(pass|FAIL|skip)\s+(.+)$", 1, 2, &[("pass", Passed), ("FAIL", Failed), ("skip", Skipped)])
            }
            Self::GoogleTest => {
                (r"^.*\[\s*(OK|FAILED)\s*\]\s(.*)\s\(.*\)$", 1, 2, &[("OK", Passed), ("FAILED", Failed)])
            }
            Self::Jest => {
                (r"^\s*(✓|✕|○)\s(.+?)(?:\s\((\d+\s*m?s)\))?$", 1, 2, &[("✓", Passed), ("✕", Failed), ("○", Skipped)])
            }
            Self::JestJson => (r"^\[(PASSED|FAILED)\]\s(.+)$", 1, 2, &[("PASSED", Passed), ("FAILED", Failed)]),
            Self::Vitest => (
                r"^\s*(✓|×|↓)\s(.+?)(?:\s(\d+\s*m?s?|\[skipped\]))?$",
                1,
                2,
                &[("✓", Passed), ("×", Failed), ("↓", Skipped)],
            ),
            Self::Tap => (r"^(ok|not ok) (\d+) (.+)$", 1, 3, &[("ok", Passed), ("not ok", Failed)]),
            Self::Ant => (
                r"^\s*\[junit\]\s+\[(PASS|FAIL|ERR)\]\s+(.*)$",
                1,
                2,
                &[("PASS", Passed), ("FAIL", Failed), ("ERR", Failed)],
            ),
            Self::Minitest => (r"^(.+)\. .*=.*(\.|F|E).*$", 2, 1, &[(".", Passed), ("F", Failed), ("E", Failed)]),
            Self::Cucumber => (r"^(.*) \.+(\.|F)", 2, 1, &[(".", Passed), ("F", Failed)]),
            Self::RubyUnit => (
                r"^\s*(?:test: )?(.+):\s+(\.|E\b|F\b|O\b)",
                2,
                1,
                &[(".", Passed), ("E", Failed), ("F", Failed), ("O", Skipped)],
            ),
            Self::Rspec => (r"^(.+) - (passed|failed)", 2, 1, &[("passed", Passed), ("failed", Failed)]),
        };
        Rule { pattern: python_pattern(pattern), status_group, name_group, words }
    }

    /// The name that `log_parser` of a SWE-bench row gives this parser, without its `parse_log_`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Go => "gotest",
            Self::Cargo => "cargo",
            Self::Redis => "redis",
            Self::Automake => "jq",
            Self::Micropython => "micropython_test",
            Self::GoogleTest => "googletest",
            Self::Jest => "jest",
            Self::JestJson => "jest_json",
            Self::Vitest => "vitest",
            Self::Tap => "tap",
            Self::Ant => "ant",
            Self::Minitest => "minitest",
            Self::Cucumber => "cucumber",
            Self::RubyUnit => "ruby_unit",
            Self::Rspec => "rspec_transformed_json",
        }
    }

    /// The runner of that name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|runner| runner.name() == name)
    }

    pub(super) fn parse(self, log: &str) -> StatusMap {
        static RULES: LazyLock<[Rule; Runner::ALL.len()]> = LazyLock::new(|| Runner::ALL.map(Runner::rule));
        let rule = &RULES[self as usize];
        let mut map = StatusMap::new();
        for line in log.split('\n').map(strip) {
            let Some(found) = rule.pattern.captures(line) else { continue };
            let word = &found[rule.status_group];
            let Some((_, status)) = rule.words.iter().find(|(known, _)| *known == word) else { continue };
            map.insert(self.tidy_name(&found[rule.name_group], status), status.clone());
        }
        map
    }

    fn tidy_name<'a>(self, name: &'a str, status: &Status) -> &'a str {
        static PLACE: Pattern = LazyLock::new(|| python_pattern(r"\s+in\s+\S+$"));
        match self {
            // A failure names the file it was seen in, a pass does not.
            Self::Redis if *status == Failed => PLACE.find(name).map_or(name, |place| &name[..place.start()]),
            Self::Jest => strip(name),
            _ => name,
        }
    }
}
