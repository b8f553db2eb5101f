//! `JUnit` XML, the report that pytest, Maven, Gradle, Go and Jest converters write.
//!
//! No reference rule exists; ours: a test is named `classname::name`, or `name` where there is no class. `<failure>` is FAILED, `<error>` ERROR,
//! `<skipped>` SKIPPED, or XFAIL where its type is `pytest.xfail`; the worst wins, and so does the worst of two cases of one name, as
//! pytest reports an error of tear-down as a second one. Entities beyond XML's five are not expanded, so no bomb can be made of them.
//! A report cut off or malformed yields what stood before that place.

use std::collections::BTreeMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::status::{Status, StatusMap};

/// The bytes of a report that are read. A report of 100,000 tests has about 20 MB.
pub const REPORT_BYTES_MAX: usize = 64 << 20;

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = element.try_get_attribute(name).ok()??;
    let text = std::str::from_utf8(&attribute.value).ok()?;
    Some(quick_xml::escape::unescape(text).map_or_else(|_| text.to_owned(), std::borrow::Cow::into_owned))
}

fn rank(status: &Status) -> u8 {
    match status {
        Status::Passed => 0,
        Status::Failed => 3,
        Status::Error => 4,
        _ => 1,
    }
}

/// `a/b.py::C::test[x]` as pytest's report names it: `a.b.C::test[x]`.
#[must_use]
pub fn name_of(id: &str) -> Option<String> {
    let (file, rest) = id.split_once("::")?;
    let module = file.strip_suffix(".py").unwrap_or(file).replace('/', ".");
    // A parameter may hold `::` itself.
    let bracket = rest.find('[').unwrap_or(rest.len());
    Some(match rest[..bracket].rsplit_once("::") {
        Some((classes, _)) => format!("{module}.{}::{}", classes.replace("::", "."), &rest[classes.len() + 2..]),
        None => format!("{module}::{rest}"),
    })
}

/// Whether a name of a report is of this test function: its own, or that of one of its rows.
#[must_use]
pub fn is_of(name: &str, test: &str) -> bool {
    name.strip_prefix(test).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
}

/// What a report says about a test that failed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Failure {
    /// The beginning, such as `assert 1 == 2`.
    pub message: String,
    /// All of it, with the traceback.
    pub text: String,
}

impl Failure {
    /// Whether an assertion failed, and not something on the way to it.
    #[must_use]
    pub fn is_assertion(&self) -> bool {
        ["assert", "AssertionError", "Failed: DID NOT RAISE"].iter().any(|start| self.message.starts_with(start))
    }

    /// The first line of this file in the traceback.
    #[must_use]
    pub fn line_in(&self, path: &str) -> Option<usize> {
        self.text.lines().find_map(|line| {
            let rest = line.trim_start().strip_prefix(path)?.strip_prefix(':')?;
            rest.split(':').next()?.parse().ok()
        })
    }
}

/// The failures of a report, errors left out, by name.
#[must_use]
pub fn failures(report: &str) -> BTreeMap<String, Failure> {
    let (mut found, mut name) = (BTreeMap::new(), None);
    let mut open: Option<(String, Failure)> = None;
    let mut reader = reader(report);
    while let Ok(event) = reader.read_event() {
        let (element, is_empty) = match event {
            Event::Start(element) => (element, false),
            Event::Empty(element) => (element, true),
            Event::Text(text) => {
                if let (Some((_, failure)), Ok(text)) = (&mut open, text.decode()) {
                    failure.text.push_str(&text);
                }
                continue;
            }
            Event::End(element) if element.local_name().as_ref() == b"failure" => {
                found.extend(open.take());
                continue;
            }
            Event::Eof => break,
            _ => continue,
        };
        match element.local_name().as_ref() {
            b"testcase" => name = case_name(&element),
            b"failure" => {
                let message = attribute(&element, "message").unwrap_or_default();
                open = name.take().map(|name| (name, Failure { message, text: String::new() }));
                if is_empty {
                    found.extend(open.take());
                }
            }
            _ => {}
        }
    }
    found
}

fn reader(report: &str) -> Reader<&[u8]> {
    // What stands before the declaration is a log's; a reader would take it for text of the document.
    let start = report.find("<testsuite").unwrap_or(report.len());
    let end = report.floor_char_boundary(REPORT_BYTES_MAX.saturating_add(start).min(report.len()));
    Reader::from_str(&report[start..end])
}

fn keep_worst(map: &mut StatusMap, name: String, status: Status) {
    if map.get(&name).is_none_or(|known| rank(known) < rank(&status)) {
        map.insert(name, status);
    }
}

fn case_name(element: &BytesStart<'_>) -> Option<String> {
    let name = attribute(element, "name")?;
    match attribute(element, "classname") {
        Some(class) if !class.is_empty() => Some(format!("{class}::{name}")),
        _ => Some(name),
    }
}

fn child_status(element: &BytesStart<'_>) -> Option<Status> {
    match element.local_name().as_ref() {
        b"failure" => Some(Status::Failed),
        b"error" => Some(Status::Error),
        b"skipped" if attribute(element, "type").as_deref() == Some("pytest.xfail") => Some(Status::Xfail),
        b"skipped" => Some(Status::Skipped),
        _ => None,
    }
}

pub(crate) fn parse(report: &str) -> StatusMap {
    let mut map = StatusMap::new();
    let mut reader = reader(report);
    let mut open: Option<(String, Status)> = None;
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(element) if element.local_name().as_ref() == b"testcase" => {
                open = case_name(&element).map(|name| (name, Status::Passed));
            }
            Event::Empty(element) if element.local_name().as_ref() == b"testcase" => {
                if let Some(name) = case_name(&element) {
                    keep_worst(&mut map, name, Status::Passed);
                }
            }
            Event::Start(element) | Event::Empty(element) => {
                if let (Some((_, known)), Some(status)) = (&mut open, child_status(&element))
                    && rank(known) < rank(&status)
                {
                    *known = status;
                }
            }
            Event::End(element) if element.local_name().as_ref() == b"testcase" => {
                if let Some((name, status)) = open.take() {
                    keep_worst(&mut map, name, status);
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    map
}
