//! One record of a trajectory, field by field, whatever it holds.
//!
//! Invariants: a record of any shape is shown; every field, entry and text is charged against a budget, and where that ends, it is said and there is a link to
//! all of it; nothing in a record becomes a link or markup.

use super::layout::{Frame, Section, layout};
use crate::chain::Break;
use crate::id::ItemId;
use crate::index::Row;
use crate::place::Place;
use crate::prefix::completed;
use crate::text;
use assay_trace::{MEMORY_BYTES_MAX, weight};
use maud::{Markup, PreEscaped, Render as _, html};
use serde_json::Value;

/// Bytes of a record that are read and shown unless all are asked for.
pub(crate) const BODY_BYTES: usize = 64 << 10;
/// Bytes that are read and shown at most.
pub(crate) const BODY_BYTES_MAX: usize = 8 << 20;
/// What a field or an entry takes of the budget beside its texts: about its tags.
const NODE_BYTES: usize = 32;
/// Levels of a record: more than a parser lets through.
const DEPTH_MAX: usize = 130;
/// A text of at most this many bytes stays in its line.
const SHORT_BYTES_MAX: usize = 100;
/// Fields that say nothing to a reader.
const HIDDEN: [&str; 1] = ["_type"];

/// The body of a record. `line` is its beginning, `is_whole` if nothing is missing; `all` is the address of a page that shows more.
pub(crate) fn body(line: &[u8], is_whole: bool, bytes_max: usize, all: Option<&str>) -> Markup {
    // A closing bracket that is put in weighs nothing.
    let is_small = weight(line) <= MEMORY_BYTES_MAX;
    let parsed = match is_whole {
        _ if !is_small => None,
        true => serde_json::from_slice(line).ok(),
        false => serde_json::from_str::<Value>(&completed(line)).ok(),
    };
    let is_changes = parsed.as_ref().is_some_and(|value| value["_type"] == "event" && value["kind"] == "changes");
    let mut writer = Writer { out: String::new(), left: bytes_max, is_cut: !is_whole, is_changes };
    if let Some(value) = &parsed {
        writer.field(value, 0);
    } else {
        let words = match is_small {
            true => "This line is not a record.".to_owned(),
            false => format!("Taken apart, this line needs more than {} MiB of memory.", MEMORY_BYTES_MAX >> 20),
        };
        html! { p class="notice" { (words) } }.render_to(&mut writer.out);
        writer.text(&String::from_utf8_lossy(line));
    }
    html! {
        @if writer.is_cut {
            p class="notice" { "Only part of it is shown." @if let Some(all) = all { " " a href=(all) { "Show all of it" } } }
        }
        (PreEscaped(writer.out))
    }
}

/// Fields as markup in one buffer.
struct Writer {
    out: String,
    left: usize,
    is_cut: bool,
    /// Whether the record is what a step changed in a world.
    is_changes: bool,
}

impl Writer {
    /// Takes from the budget. Once it is spent, nothing else is written.
    fn charge(&mut self, bytes: usize) -> bool {
        let is_there = self.left >= bytes;
        self.left = if is_there { self.left - bytes } else { 0 };
        self.is_cut |= !is_there;
        is_there
    }

    fn missing(&mut self, word: &str) {
        html! { span class="missing" { (word) } }.render_to(&mut self.out);
    }

    fn field(&mut self, value: &Value, depth: usize) {
        if depth == DEPTH_MAX {
            self.is_cut = true;
            return;
        }
        match value {
            Value::Null => self.missing("none"),
            Value::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Value::Number(value) => value.to_string().render_to(&mut self.out),
            Value::String(value) => self.text(value),
            Value::Array(values) if values.is_empty() => self.missing("empty"),
            Value::Array(values) => {
                self.out.push_str("<ol>");
                for value in values {
                    if !self.charge(NODE_BYTES) {
                        break;
                    }
                    self.out.push_str("<li>");
                    self.field(value, depth + 1);
                    self.out.push_str("</li>");
                }
                self.out.push_str("</ol>");
            }
            Value::Object(fields) if fields.is_empty() => self.missing("empty"),
            Value::Object(fields) => {
                self.out.push_str("<dl>");
                for (name, value) in fields.iter().filter(|(name, _)| depth > 0 || !HIDDEN.contains(&name.as_str())) {
                    if !self.charge(NODE_BYTES + name.len()) {
                        break;
                    }
                    self.out.push_str("<dt>");
                    text::whole(name).render_to(&mut self.out);
                    self.out.push_str("</dt><dd>");
                    match value {
                        Value::Array(changes) if self.is_changes && depth == 1 && name == "changes" => {
                            self.changes(changes, depth + 1);
                        }
                        value => self.field(value, depth + 1),
                    }
                    self.out.push_str("</dd>");
                }
                self.out.push_str("</dl>");
            }
        }
    }

    /// What a step changed, a row for each place.
    fn changes(&mut self, changes: &[Value], depth: usize) {
        self.out.push_str(
            "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Changes\"><table><thead><tr><th scope=\"col\">Change</th>\
             <th scope=\"col\">Where</th><th scope=\"col\">Before</th><th scope=\"col\">After</th></tr></thead><tbody>",
        );
        for change in changes {
            if !self.charge(4 * NODE_BYTES) {
                break;
            }
            let (before, after) = (change.get("before"), change.get("after"));
            self.out.push_str(match (before, after) {
                (None, Some(_)) => "<tr><td>added</td><td>",
                (Some(_), None) => "<tr><td>removed</td><td>",
                _ => "<tr><td>changed</td><td>",
            });
            self.field(change.get("path").unwrap_or(&Value::Null), depth + 1);
            for value in [before, after] {
                self.out.push_str("</td><td>");
                if let Some(value) = value {
                    self.field(value, depth + 1);
                }
            }
            self.out.push_str("</td></tr>");
        }
        self.out.push_str("</tbody></table></div>");
    }

    /// A text with its lines, as far as the budget goes.
    fn text(&mut self, text: &str) {
        let shown = &text[..text.floor_char_boundary(self.left)];
        self.charge(text.len());
        if text.len() <= SHORT_BYTES_MAX && !text.contains('\n') {
            text::whole(shown).render_to(&mut self.out);
            return;
        }
        self.out.push_str("<pre>");
        for (number, line) in shown.split('\n').enumerate() {
            if number > 0 {
                self.out.push('\n');
            }
            text::whole(line).render_to(&mut self.out);
        }
        self.out.push_str("</pre>");
        let rest = text.len() - shown.len();
        if rest > 0 {
            html! { p class="small" { (text::count(rest as u64)) " more bytes" } }.render_to(&mut self.out);
        }
    }
}

/// Where a record is shown as far as can be.
pub(crate) fn all(id: &ItemId, number: u64) -> String {
    format!("/t/{id}/record/{number}?all=1")
}

/// A record as a page. `total` is how many there are, `broken` the first that does not follow from the one before.
pub(crate) fn page(
    frame: Frame<'_>,
    id: &ItemId,
    row: &Row,
    (total, broken): (u64, Option<Break>),
    body: &Markup,
) -> String {
    let record = |number: u64| Place::Record(id.clone(), number);
    let first = row.number - row.number % super::trajectory::ROWS_PER_PAGE;
    let list = format!("/t/{id}?from={first}#{}", row.number);
    let body = html! {
        nav aria-label="Records" {
            a href=(list) { "All records" }
            @if row.number > 0 { a rel="prev" href=(frame.links.to(&record(row.number - 1))) { "Previous" } }
            @if row.number + 1 < total { a rel="next" href=(frame.links.to(&record(row.number + 1))) { "Next" } }
        }
        @if let Some(at) = broken.filter(|at| at.number <= row.number) { (super::broken::notice(frame, id, at)) }
        p { span class="tag" { (row.kind.word()) } " step " (row.step) ", " (text::count(u64::from(row.bytes))) " bytes" }
        div class="record" { (body) }
    };
    layout(frame, &format!("{} · {}", id.name, row.number), Section::Rollouts, None, &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_too_much_memory_is_shown_as_it_stands() {
        for (count, is_parsed) in [(1_000, true), (2_000_000, false)] {
            let line = format!("[{}]", vec!["{}"; count].join(","));
            let shown = body(line.as_bytes(), true, BODY_BYTES, None).into_string();
            assert_eq!(shown.contains("<ol>"), is_parsed, "{count}");
            assert_eq!(shown.contains("needs more than 1024 MiB of memory"), !is_parsed, "{count}");
        }
    }

    #[test]
    fn what_a_step_changed_is_a_table() {
        let changes = r#"[{"path":"documents/a<b","after":{"n":1}},{"path":"x","before":"old"},{"path":"y","before":1,"after":[2]},7]"#;
        for (kind, rows) in [("changes", 4), ("other", 0)] {
            let line =
                format!("{{\"_type\":\"event\",\"kind\":\"{kind}\",\"body\":{{\"changes\":{changes},\"count\":4}}}}");
            let shown = body(line.as_bytes(), true, BODY_BYTES, None).into_string();
            assert_eq!(shown.matches("<tr><td>").count(), rows, "{shown}");
            assert!(shown.contains("documents/a&lt;b"), "{shown}");
            assert_eq!(shown.contains("<tr><td>added</td><td>"), rows > 0, "{shown}");
            // Half of it is a table all the same.
            let half = body(&line.as_bytes()[..line.len() - 40], false, BODY_BYTES, None).into_string();
            for tag in ["<tr>", "<td>", "<table>", "<dl>"] {
                assert_eq!(half.matches(tag).count(), half.matches(&tag.replace('<', "</")).count(), "{tag} {half}");
            }
        }
    }

    #[test]
    fn what_is_cut_is_said_and_all_of_it_can_be_had() {
        let line = format!("{{\"text\":\"{}the end\"}}", "x".repeat(20_000));
        let lines = format!("{{\"text\":\"{}the end\"}}", "line\\n".repeat(9_000));
        let entries = format!("{{\"list\":[{}\"the end\"]}}", "1,".repeat(9_000));
        let names =
            format!("{{{}\"z\":\"the end\"}}", (0..9_000).map(|n| format!("\"n{n}\":{{}},")).collect::<String>());
        let plain = format!("{}the end", "no record ".repeat(10_000));
        for whole in [&line, &lines, &entries, &names, &plain] {
            let shown = body(whole.as_bytes(), true, BODY_BYTES_MAX, Some("/all")).into_string();
            assert!(shown.contains("the end") && !shown.contains("Only part"), "{}", &shown[..200]);
            for (start, is_whole, bytes_max) in [(&whole[..whole.len() / 2], false, BODY_BYTES), (whole, true, 10_000)]
            {
                let shown = body(start.as_bytes(), is_whole, bytes_max, Some("/all")).into_string();
                assert!(shown.contains("Only part of it is shown. <a href=\"/all\">Show all of it</a>"), "{shown}");
                assert!(!shown.contains("the end") && shown.len() < 3 * bytes_max, "{}", shown.len());
                for tag in ["dl", "ol", "dt", "dd", "li", "pre"] {
                    let count = |text: String| shown.matches(text.as_str()).count();
                    assert_eq!(count(format!("<{tag}>")), count(format!("</{tag}>")), "{tag}");
                }
            }
        }
    }
}
