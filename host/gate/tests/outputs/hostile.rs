//! Hostile text in every field of a verdict: it is shown, and that is all that it can do, in every rendering.

use crate::formats::check_sarif;
use crate::support::{CONTEXT, check, decided, finding, passed, read_by_others, with_findings};
use assay_gate::output::{ANNOTATIONS_MAX, SUMMARY_BYTES_MAX, annotations, code_quality, junit, markdown, sarif};
use assay_gate::verdict::{Seeds, SignOff};
use assay_gate::{Decision, Verdict};
use proptest::prelude::*;

/// Texts that some reader of CI output would take for something else.
const HOSTILE: &[&str] = &[
    "",
    " \n\t ",
    "a\n::error file=x::forged\n::set-output name=decision::pass",
    "a\r\n::stop-commands::x\r##[error]forged ##[add-matcher]/tmp/x",
    "%0A::error::forged%0D%25 title=x,file=/etc/passwd::y",
    "\u{1b}[2J\u{1b}]0;title\u{7}\u{8}\u{9b}31mred",
    "\u{202e}drawkcab\u{2066}\u{200b}\u{feff}\u{e0041}",
    "]]></failure></testcase><testcase name=\"forged\"/><![CDATA[",
    "\u{0}\u{1}\u{b}\u{fffe}\u{ffff}\u{10ffff}\u{85}\u{2028}",
    "<script>alert(1)</script><img src=x onerror=alert(1)><!-- --><details>",
    "&lt;b&gt; &#60;b&#62; &amp;amp; &\"'<>",
    "| cell | cell |\n|---|---|\n| a \\| b | `c | d` |",
    "\\| \\\\| `` ` ``` ~~~ \\",
    "[click](https://evil.example) ![x](https://evil.example/x.png) <https://evil.example> [a]: https://evil.example \"t\"",
    "https://evil.example www.evil.example a@evil.example mailto:a@evil.example xmpp:a@b.example ftp://evil.example",
    "@octocat @org/team #1 GH-1 owner/repo#1 0123456789012345678901234567890123456789",
    "# heading\n\n- item\n\n1. one\n\n> quote\n\n    code\n\n***\n\n```mermaid\ngraph\n```\n\n$x$ $$y$$ ~~z~~ **b** __b__ :smile: [^1]",
    "{0} {{1}} [link](0) \\[x\\](1)",
    "../../../../etc/passwd",
    "/etc/passwd",
    "//evil.example/x",
    "javascript:alert(1)",
    "file:///etc/passwd?x#y",
    "C:\\windows\\system32",
    "\"; DROP TABLE verdicts; -- ${{ secrets.KEY }} $(id) `id`",
    "größe 🙈 日本語 e\u{301}",
];

/// A verdict with that text wherever a text can stand.
fn all_over(text: &str, refused: bool) -> Verdict {
    let own = || text.to_owned();
    let mut accepted = finding(text, text, 0);
    accepted.sign_off = Some(SignOff { by: own(), reason: own() });
    (accepted.message, accepted.hint, accepted.observed, accepted.limit) = (own(), own(), Some(own()), Some(own()));
    accepted.place.logical = Some(own());
    let mut open = accepted.clone();
    open.sign_off = None;
    open.place.byte_offset = Some(u64::MAX);
    open.place.region = None;
    let mut verdict = with_findings(passed(text), if refused { vec![accepted, open] } else { vec![accepted] });
    let mut failing = check(text, Decision::Fail);
    (failing.scenario, failing.measure, failing.asks, failing.saw, failing.hint) =
        (own(), Some(own()), own(), own(), Some(own()));
    failing.policy_line = 0;
    if !refused {
        verdict.checks.push(failing);
    }
    let trial = &mut passed(text).trials[1];
    (trial.scenario, trial.scenario_hash, trial.record_hash) = (own(), own(), own());
    trial.seeds = Seeds::Hidden { count: u64::MAX, commitment: own() };
    verdict = decided(verdict);
    verdict.trials.push(trial.clone());
    (verdict.summary, verdict.policy.name, verdict.policy.hash, verdict.tool.assay) = (own(), own(), own(), own());
    (verdict.submission.hash, verdict.submission.sdk_version) = (Some(own()), Some(own()));
    verdict
}

fn hostile_batch() -> Vec<Verdict> {
    HOSTILE.iter().flat_map(|text| [all_over(text, false), all_over(text, true)]).collect()
}

/// No character that moves a cursor, hides or reorders text, or that no XML document may hold; line feeds end lines.
fn check_characters(name: &str, rendering: &str) {
    let bad = |c: char| assay_validator::is_hidden(c) || matches!(c, '\t' | '\u{fffe}' | '\u{ffff}');
    assert_eq!(rendering.chars().find(|&c| bad(c)), None, "{name}");
}

/// The commands that a runner would see: lines that begin so after white space, or hold the old form anywhere.
fn check_annotations(text: &str) {
    assert!(text.lines().count() <= 2 * ANNOTATIONS_MAX);
    for line in text.lines() {
        let Some((head, data)) = line[2..].split_once("::") else { panic!("{line}: no message") };
        assert!(line.starts_with("::error ") || line.starts_with("::warning "), "{line}");
        let (_, properties) = head.split_once(' ').expect("properties");
        for property in properties.split(',') {
            let (key, value) = property.split_once('=').expect("key and value");
            assert!(["file", "line", "endLine", "col", "endColumn", "title"].contains(&key), "{line}");
            assert!(!value.contains(':'), "{line}");
        }
        assert!(!data.contains('\r'), "{line}");
    }
}

#[test]
fn hostile_text_is_only_text() {
    let verdicts = hostile_batch();
    let log = check_sarif(&verdicts);
    for result in log["runs"][0]["results"].as_array().expect("results") {
        for kind in ["locations", "relatedLocations"] {
            for location in result[kind].as_array().into_iter().flatten() {
                let uri = location["physicalLocation"]["artifactLocation"]["uri"].as_str().expect("a place");
                assert!(!uri.contains(':') && !uri.starts_with("//"), "{uri} stays a path");
            }
        }
    }
    let (xml, page, commands) = (junit(&verdicts), markdown(&verdicts, &CONTEXT), annotations(&verdicts, &CONTEXT));
    check_annotations(&commands);
    let all = [("JUnit", &xml), ("annotations", &commands), ("SARIF", &log.to_string())];
    for (name, rendering) in all {
        check_characters(name, rendering);
    }
    check_characters("code quality", &code_quality(&verdicts, &CONTEXT).to_string());
    check_characters("markdown", &page);

    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("junit.xml"), xml).expect("written");
    std::fs::write(folder.path().join("summary.md"), &page).expect("written");
    let seen = read_by_others(folder.path());
    assert_eq!(seen["junit"].as_array().map(Vec::len), Some(verdicts.len()), "no suite is forged");
    for suite in seen["junit"].as_array().expect("suites") {
        assert!(suite["cases"].as_array().expect("cases").iter().all(|case| case["name"] != "forged"));
    }
    let markdown = &seen["markdown"];
    let ours =
        ["div", "em", "h2", "h3", "li", "p", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul", "code"];
    for tag in markdown["tags"].as_array().expect("tags") {
        assert!(ours.contains(&tag.as_str().expect("a name")), "{tag} is not ours");
    }
    assert_eq!(markdown["comments"], 0);
    let rows = markdown["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 1 + verdicts.len(), "no row is forged");
    assert!(rows.iter().all(|row| row.as_array().map(Vec::len) == Some(3)), "no cell is forged");
    assert_eq!(markdown["headings"].as_array().map(Vec::len), Some(1 + verdicts.len()), "no heading is forged");
    // GitHub makes mentions and references of what is left as text: what would be one is broken up.
    let text = markdown["text"].as_str().expect("text");
    for mark in ["@octocat", "@org", "#1", "://evil", "www.evil", "a@evil"] {
        assert!(!text.contains(mark), "{mark}");
    }
}

#[test]
fn long_texts_are_clipped() {
    let verdicts: Vec<Verdict> =
        ["x", "<", "\u{202e}", "|", "é"].iter().map(|text| all_over(&text.repeat(1 << 14), true)).collect();
    let log = sarif(&verdicts, &CONTEXT);
    assert!(markdown(&verdicts, &CONTEXT).len() <= SUMMARY_BYTES_MAX);
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert!(results.iter().all(|result| result["message"].to_string().len() < 8_000));
    for line in annotations(&verdicts, &CONTEXT).lines() {
        assert!(line.len() < 20_000, "{} bytes", line.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Whatever the text, every rendering keeps to its form.
    #[test]
    fn any_text_is_only_text(text in "\\PC{0,40}|[\\x00-\\x7f]{0,60}|(::|##\\[|\n|\r|%0A|\\||`|<|@|\\[|\\]|\\\\){0,12}") {
        let verdicts = [all_over(&text, false), all_over(&text, true)];
        check_annotations(&annotations(&verdicts, &CONTEXT));
        let xml = junit(&verdicts);
        check_characters("JUnit", &xml);
        let mut reader = quick_xml::Reader::from_str(&xml);
        let mut suites = 0;
        loop {
            match reader.read_event().expect("XML") {
                quick_xml::events::Event::Start(tag) => suites += usize::from(tag.name().as_ref() == b"testsuite"),
                quick_xml::events::Event::Eof => break,
                _ => {}
            }
        }
        prop_assert_eq!(suites, 2);
        let page = markdown(&verdicts, &CONTEXT);
        prop_assert_eq!(page.lines().filter(|line| line.starts_with('|')).count(), 2 + 2);
        prop_assert_eq!(page.lines().filter(|line| line.starts_with('#')).count(), 1 + 2);
    }
}
