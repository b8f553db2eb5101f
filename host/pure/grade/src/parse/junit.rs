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

/// The failures of a report, errors left out: name and message.
#[must_use]
pub fn failures(report: &str) -> BTreeMap<String, String> {
    let (mut found, mut name) = (BTreeMap::new(), None);
    let mut reader = reader(report);
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(element) if element.local_name().as_ref() == b"testcase" => name = case_name(&element),
            Event::Start(element) | Event::Empty(element) if element.local_name().as_ref() == b"failure" => {
                let message = attribute(&element, "message").unwrap_or_default();
                found.extend(name.take().map(|name| (name, message)));
            }
            Event::Eof => break,
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
