//! Test logs: text in, [`StatusMap`] out. [`Parser`] names every rule and knows which repository needs which.
//!
//! Invariants: no parser fails or panics on any text, and each is linear in it. A parser a file; each cites the rule that it reproduces. Where
//! a reference stops with an error, ours passes the line over, and the file says so.

mod django;
pub mod junit;
mod lines;
mod pytest;
mod pytest_v2;
pub(crate) mod r2e;
mod seaborn;
mod smith;
mod suites;
mod sympy;
mod unittest;

use std::fmt;
use std::str::FromStr;

pub use junit::REPORT_BYTES_MAX;
pub use lines::Runner;
pub use smith::Smith;

use crate::status::StatusMap;

/// A rule by which a log is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Parser {
    /// `pytest -rA`, the plain rule.
    Pytest,
    /// `pytest -rA`, absolute paths in brackets cut to their last part.
    PytestOptions,
    /// `pytest -rA` with colours, ids with spaces, or the status last.
    PytestV2,
    /// SWE-Gym's rule for pydantic.
    PytestPydantic,
    /// pytest, mouse buttons by number.
    Matplotlib,
    /// seaborn's mixture of status first and status second.
    Seaborn,
    /// Django's runner.
    Django,
    /// `SymPy`'s runner.
    Sympy,
    /// Python's unittest, verbose.
    Unittest,
    /// R2E-Gym's published rule.
    R2e,
    /// `JUnit` XML.
    Junit,
    /// Maven, one command per test.
    Maven,
    /// Gradle, with SWE-bench's reporter.
    Gradle,
    /// `PHPUnit` with `--testdox`.
    Phpunit,
    /// SWE-smith's own parsers.
    Smith(Smith),
    /// One line per test, by pattern.
    Lines(Runner),
}

/// A parser was asked for by a name that no parser has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no log parser `{name}`; examples are pytest, pytest_v2, django, sympy, gotest, cargo, unittest and junit"
)]
pub struct UnknownParser {
    /// The name as it was given.
    pub name: String,
}

const NAMED: [(&str, Parser); 14] = [
    ("pytest", Parser::Pytest),
    ("pytest_options", Parser::PytestOptions),
    ("pytest_v2", Parser::PytestV2),
    ("pytest_pydantic", Parser::PytestPydantic),
    ("matplotlib", Parser::Matplotlib),
    ("seaborn", Parser::Seaborn),
    ("django", Parser::Django),
    ("sympy", Parser::Sympy),
    ("unittest", Parser::Unittest),
    ("r2e", Parser::R2e),
    ("junit", Parser::Junit),
    ("maven", Parser::Maven),
    ("gradle_custom", Parser::Gradle),
    ("phpunit", Parser::Phpunit),
];

/// Other names of the same rules in SWE-bench's `PARSER_REGISTRY`.
const ALIASES: [(&str, Parser); 13] = [
    ("astroid", Parser::Pytest),
    ("flask", Parser::Pytest),
    ("marshmallow", Parser::Pytest),
    ("pvlib", Parser::Pytest),
    ("pyvista", Parser::Pytest),
    ("sqlfluff", Parser::Pytest),
    ("xarray", Parser::Pytest),
    ("pydicom", Parser::PytestOptions),
    ("requests", Parser::PytestOptions),
    ("pylint", Parser::PytestOptions),
    ("astropy", Parser::PytestV2),
    ("scikit", Parser::PytestV2),
    ("sphinx", Parser::PytestV2),
];

/// Repository to rule, in lower case. Sources: the `MAP_REPO_TO_PARSER_*` of SWE-bench 5.0.1, then those that SWE-Gym's fork adds, then
/// R2E-Gym's bare names (`parse_log_fn`).
const REPOSITORIES: &[(&str, Parser)] = &[
    ("astropy/astropy", Parser::PytestV2),
    ("django/django", Parser::Django),
    ("marshmallow-code/marshmallow", Parser::Pytest),
    ("matplotlib/matplotlib", Parser::Matplotlib),
    ("mwaskom/seaborn", Parser::Seaborn),
    ("pallets/flask", Parser::Pytest),
    ("psf/requests", Parser::PytestOptions),
    ("pvlib/pvlib-python", Parser::Pytest),
    ("pydata/xarray", Parser::Pytest),
    ("pydicom/pydicom", Parser::PytestOptions),
    ("pylint-dev/astroid", Parser::Pytest),
    ("pylint-dev/pylint", Parser::PytestOptions),
    ("pytest-dev/pytest", Parser::Pytest),
    ("pyvista/pyvista", Parser::Pytest),
    ("scikit-learn/scikit-learn", Parser::PytestV2),
    ("sqlfluff/sqlfluff", Parser::Pytest),
    ("sphinx-doc/sphinx", Parser::PytestV2),
    ("sympy/sympy", Parser::Sympy),
    ("caddyserver/caddy", Parser::Lines(Runner::Go)),
    ("hashicorp/terraform", Parser::Lines(Runner::Go)),
    ("prometheus/prometheus", Parser::Lines(Runner::Go)),
    ("gohugoio/hugo", Parser::Lines(Runner::Go)),
    ("gin-gonic/gin", Parser::Lines(Runner::Go)),
    ("burntsushi/ripgrep", Parser::Lines(Runner::Cargo)),
    ("sharkdp/bat", Parser::Lines(Runner::Cargo)),
    ("astral-sh/ruff", Parser::Lines(Runner::Cargo)),
    ("tokio-rs/tokio", Parser::Lines(Runner::Cargo)),
    ("uutils/coreutils", Parser::Lines(Runner::Cargo)),
    ("nushell/nushell", Parser::Lines(Runner::Cargo)),
    ("tokio-rs/axum", Parser::Lines(Runner::Cargo)),
    ("redis/redis", Parser::Lines(Runner::Redis)),
    ("valkey-io/valkey", Parser::Lines(Runner::Redis)),
    ("jqlang/jq", Parser::Lines(Runner::Automake)),
    ("micropython/micropython", Parser::Lines(Runner::Micropython)),
    ("fmtlib/fmt", Parser::Lines(Runner::GoogleTest)),
    ("babel/babel", Parser::Lines(Runner::Jest)),
    ("facebook/docusaurus", Parser::Lines(Runner::Jest)),
    ("vuejs/core", Parser::Lines(Runner::Vitest)),
    ("mrdoob/three.js", Parser::Lines(Runner::Tap)),
    ("axios/axios", Parser::Lines(Runner::Tap)),
    ("projectlombok/lombok", Parser::Lines(Runner::Ant)),
    ("google/gson", Parser::Maven),
    ("apache/druid", Parser::Maven),
    ("javaparser/javaparser", Parser::Maven),
    ("apache/lucene", Parser::Gradle),
    ("reactivex/rxjava", Parser::Gradle),
    ("phpoffice/phpspreadsheet", Parser::Phpunit),
    ("laravel/framework", Parser::Phpunit),
    ("php-cs-fixer/php-cs-fixer", Parser::Phpunit),
    ("briannesbitt/carbon", Parser::Phpunit),
    ("fluent/fluentd", Parser::Lines(Runner::RubyUnit)),
    ("faker-ruby/faker", Parser::Lines(Runner::RubyUnit)),
    ("fastlane/fastlane", Parser::Lines(Runner::Rspec)),
    ("jordansissel/fpm", Parser::Lines(Runner::Rspec)),
    ("rubocop/rubocop", Parser::Lines(Runner::Rspec)),
    ("bokeh/bokeh", Parser::Pytest),
    ("conan-io/conan", Parser::Pytest),
    ("dask/dask", Parser::Pytest),
    ("facebookresearch/hydra", Parser::Pytest),
    ("getmoto/moto", Parser::Pytest),
    ("hypothesisworks/hypothesis", Parser::Pytest),
    ("iterative/dvc", Parser::Pytest),
    ("mne-tools/mne-python", Parser::Pytest),
    ("modin-project/modin", Parser::Pytest),
    ("pandas-dev/pandas", Parser::Pytest),
    ("project-monai/monai", Parser::Pytest),
    ("pydantic/pydantic", Parser::PytestPydantic),
    ("python/mypy", Parser::Pytest),
    ("aiohttp", Parser::R2e),
    ("coveragepy", Parser::R2e),
    ("datalad", Parser::R2e),
    ("numpy", Parser::R2e),
    ("orange3", Parser::R2e),
    ("pandas", Parser::R2e),
    ("pillow", Parser::R2e),
    ("pyramid", Parser::R2e),
    ("scrapy", Parser::R2e),
    ("sympy", Parser::R2e),
    ("tornado", Parser::R2e),
];

/// SWE-smith's exceptions, by `<owner>/<name>` in lower case.
const SMITH_REPOSITORIES: [(&str, Parser); 6] = [
    ("gin-gonic/gin", Parser::Lines(Runner::Go)),
    ("hips/autograd", Parser::Smith(Smith::Autograd)),
    ("paramiko/paramiko", Parser::Smith(Smith::Paramiko)),
    ("python/mypy", Parser::Smith(Smith::Mypy)),
    ("tornadoweb/tornado", Parser::Smith(Smith::Tornado)),
    ("un33k/python-slugify", Parser::Smith(Smith::Slugify)),
];

fn find(list: &[(&str, Parser)], name: &str) -> Option<Parser> {
    list.iter().find(|(known, _)| *known == name).map(|&(_, parser)| parser)
}

impl Parser {
    /// The rule for a repository's logs: `owner/name` as in SWE-bench and SWE-Gym, `swesmith/owner__name.commit` as in SWE-smith, or
    /// a bare name as in R2E-Gym. Case does not matter. `None` for a repository that no data set of these knows.
    #[must_use]
    pub fn for_repository(repository: &str) -> Option<Self> {
        let repository = repository.to_lowercase();
        if let Some(smith) = repository.strip_prefix("swesmith/") {
            let name = crate::text::before(smith, ".").replacen("__", "/", 1);
            return Some(find(&SMITH_REPOSITORIES, &name).unwrap_or(Self::Smith(Smith::Pytest)));
        }
        find(REPOSITORIES, &repository)
    }

    /// Every name that [`Parser::from_str`] takes, but for SWE-bench's prefix `parse_log_`.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let named = NAMED.iter().chain(&ALIASES).map(|(name, _)| *name);
        named.chain(Runner::ALL.map(Runner::name)).chain(Smith::ALL.map(Smith::name))
    }

    /// The repositories that [`Parser::for_repository`] knows by name, in lower case.
    pub fn repositories() -> impl Iterator<Item = &'static str> {
        REPOSITORIES.iter().map(|(name, _)| *name)
    }

    /// The statuses that a log reports.
    #[must_use]
    pub fn parse(self, log: &str) -> StatusMap {
        match self {
            Self::Pytest => pytest::plain(log),
            Self::PytestOptions => pytest::options(log),
            Self::PytestV2 => pytest_v2::parse(log),
            Self::PytestPydantic => pytest_v2::pydantic(log),
            Self::Matplotlib => pytest::matplotlib(log),
            Self::Seaborn => seaborn::parse(log),
            Self::Django => django::parse(log),
            Self::Sympy => sympy::parse(log),
            Self::Unittest => unittest::parse(log),
            Self::R2e => r2e::parse(log),
            Self::Junit => junit::parse(log),
            Self::Maven => suites::maven(log),
            Self::Gradle => suites::gradle(log),
            Self::Phpunit => suites::phpunit(log),
            Self::Smith(smith) => smith.parse(log),
            Self::Lines(runner) => runner.parse(log),
        }
    }

    /// The parser's name, by which [`Parser::from_str`] finds it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Smith(smith) => smith.name(),
            Self::Lines(runner) => runner.name(),
            _ => NAMED.iter().find(|(_, parser)| *parser == self).map_or("pytest", |(name, _)| name),
        }
    }

    /// Whether results are read off pytest's summary, so that what stands elsewhere is none.
    #[must_use]
    pub fn reads_summary(self) -> bool {
        self.is_pytest() && !matches!(self, Self::Smith(_))
    }

    /// Whether the log comes from pytest, so that its exit codes can be relied on.
    #[must_use]
    pub fn is_pytest(self) -> bool {
        matches!(
            self,
            Self::Pytest
                | Self::PytestOptions
                | Self::PytestV2
                | Self::PytestPydantic
                | Self::Matplotlib
                | Self::Seaborn
                | Self::R2e
                | Self::Smith(Smith::Pytest | Smith::Mypy | Smith::Paramiko | Smith::Autograd)
        )
    }
}

impl fmt::Display for Parser {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Takes our names and those of a SWE-bench row's `log_parser`, such as `parse_log_astropy`.
impl FromStr for Parser {
    type Err = UnknownParser;

    fn from_str(name: &str) -> Result<Self, UnknownParser> {
        let short = name.strip_prefix("parse_log_").unwrap_or(name);
        find(&NAMED, short)
            .or_else(|| find(&ALIASES, short))
            .or_else(|| Runner::by_name(short).map(Self::Lines))
            .or_else(|| Smith::ALL.into_iter().find(|smith| smith.name() == short).map(Self::Smith))
            .ok_or_else(|| UnknownParser { name: name.to_owned() })
    }
}
