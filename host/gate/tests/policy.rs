//! Policies: what is read out of them, and that every mistake is named with its place, its line and a way out.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_gate::policy::{HiddenRule, OutcomeKind, Policy, Secret, Statistic, TEMPLATE, date, listed_seeds};
use assay_model::{Budget, Seed};
use assay_validator::Code;

const HEAD: &str =
    "name = \"p\"\nsecret = { env = \"S\" }\n[[scenarios]]\nscenario = \"rmsc04\"\npublic = \"3..5\"\nhidden = 4\n";

/// A policy with `rest` after the head must not parse; the error must be about `line` of `rest`, point at `marked`, and say all `words`.
#[track_caller]
fn check_wrong(rest: &str, line: u32, marked: &str, words: &[&str]) {
    let error = Policy::parse(&format!("{HEAD}{rest}")).unwrap_err();
    let text = format!("{error}\nhint: {}", error.hint.clone().unwrap_or_default());
    assert_eq!(error.line, line + 6, "{text}");
    let shown: String = error.excerpt.0.chars().skip(error.column as usize - 1).take(error.excerpt.1).collect();
    assert_eq!(shown, marked, "{text}");
    assert!(text.contains(rest.lines().nth(line as usize - 1).unwrap_or_default()), "the line is shown\n{text}");
    for word in words {
        assert!(text.contains(word), "{word}\n{text}");
    }
}

fn rule(keys: &str) -> String {
    format!("[[rules]]\nname = \"r\"\n{keys}")
}

#[test]
fn mistakes_are_named_with_place_line_and_hint() {
    check_wrong("[outcoms]\n", 1, "outcoms", &["unknown key", "did you mean `outcomes`?"]);
    check_wrong("[outcomes]\nallowed = [\"finnished\"]\n", 2, "\"finnished\"", &["no outcome", "`finished`"]);
    check_wrong("[outcomes]\nallowed = []\n", 2, "[]", &["no submission can pass"]);
    check_wrong("[budget]\nfuel_callback = \"many\"\n", 2, "\"many\"", &["expected a whole number, found a string"]);
    check_wrong("[budget]\nfuel_callback = 0\n", 2, "0", &["out of range"]);
    check_wrong("[budget]\nfuel_callback = 9\nfuel_episode = 8\n", 1, "[budget]", &["a callback may use 9 fuel"]);
    check_wrong("[budget]\nwall = \"10 parsecs\"\n", 2, "\"10 parsecs\"", &["not a duration", "5min"]);
    check_wrong("[findings]\ndeny_warnings = 1\n", 2, "1", &["expected true or false, found an integer"]);
    check_wrong("[findings]\nallow = [\"S001\"]\n", 2, "\"S001\"", &["always rejects", "[[sign_offs]]"]);
    check_wrong(
        "[findings]\ndeny = [\"compile-waring\"]\n",
        2,
        "\"compile-waring\"",
        &["did you mean `compile-warning`"],
    );
    check_wrong("[findings]\ndeny = [\"B999\"]\n", 2, "\"B999\"", &["no finding", "docs/findings.md"]);
    check_wrong("[findings]\nallow = [\"B002\"]\ndeny = [\"B002\"]\n", 1, "[findings]", &["both"]);
    let off = "[[sign_offs]]\ncode = \"C012\"\nsubmission = \"x\"\nby = \"Ada\"\nreason = \"so\"\n";
    check_wrong(off, 2, "\"C012\"", &["cannot be signed off", "protect the host"]);
    check_wrong(&off.replace("C012", "S001"), 3, "\"x\"", &["not the hash", "verdict"]);
    check_wrong("[[scenarios]]\nscenario = \"rmsc4\"\npublic = 1\n", 2, "\"rmsc4\"", &["did you mean `rmsc04`"]);
    check_wrong("[[scenarios]]\nscenario = \"smoke\"\n", 1, "[[scenarios]]", &["no seeds", "public = 5"]);
    check_wrong("[[scenarios]]\nscenario = \"rmsc04\"\npublic = 1\n", 1, "[[scenarios]]", &["listed twice"]);
    check_wrong("[[scenarios]]\nscenario = \"smoke\"\npublic = \"7\"\n", 3, "\"7\"", &["a count or a seed"]);
    check_wrong("scored_seeds_min 5\n", 1, "", &["not valid TOML"]);
}

#[test]
fn mistakes_in_rules_are_named_too() {
    let wrong = |keys: &str, line: u32, marked: &str, words: &[&str]| check_wrong(&rule(keys), line, marked, words);
    wrong("measure = \"pln\"\nabove = 0\n", 3, "\"pln\"", &["no measure `pln`", "did you mean `pnl`?"]);
    wrong("above = 0\n", 1, "[[rules]]", &["`measure` is missing"]);
    wrong("measure = \"pnl\"\n", 1, "[[rules]]", &["has no limit"]);
    wrong("measure = \"pnl\"\nabove = 5\nbelow = 5\n", 5, "5", &["no number is both above 5 and below 5"]);
    wrong("measure = \"pnl\"\nminimum = 6\nmaximum = 5\n", 5, "5", &["lower limit must lie below"]);
    wrong("measure = \"pnl\"\nabove = 5\nminimum = 5\n", 5, "5", &["twice", "keep one"]);
    wrong("measure = \"pnl\"\nabove = inf\n", 4, "inf", &["not a finite number"]);
    wrong("measure = \"pnl\"\nabove = \"0\"\n", 4, "\"0\"", &["not an amount"]);
    wrong("measure = \"pnl\"\nabove = 0\nstatistic = \"lower bound\"\n", 5, "\"lower bound\"", &["lower 95% bound"]);
    let level = "measure = \"pnl\"\nabove = 0\nstatistic = \"lower 100% bound\"\n";
    wrong(level, 5, "\"lower 100% bound\"", &["not a confidence level", "95%"]);
    wrong("measure = \"spread\"\nmaximum = \"10%\"\n", 4, "\"10%\"", &["of what?", "baseline"]);
    wrong("measure = \"pnl\"\nworse_by_at_most = \"10%\"\n", 4, "\"10%\"", &["always 0", "unit"]);
    wrong("measure = \"volume\"\nworse_by_at_most = 5\n", 4, "5", &["neither more nor less Volume is worse"]);
    wrong("measure = \"spread\"\nworse_by_at_most = -5\n", 4, "-5", &["better than the baseline"]);
    wrong("measure = \"spread\"\nworse_by_at_most = 5\nabove = 1\n", 5, "1", &["contradict"]);
    wrong("measure = \"spread\"\nabove = 1\nagainst = \"basline\"\n", 5, "\"basline\"", &["did you mean `baseline`"]);
    wrong("measure = \"pnl\"\nabove = 0\nscenarios = [\"smoke\"]\n", 5, "\"smoke\"", &["no scenario in this policy"]);
    wrong("measure = \"pnl\"\nabove = 0\nwhy = \"\"\n", 5, "\"\"", &["cannot be used"]);
    let twice = format!("{}{}", rule("measure = \"pnl\"\nabove = 0\n"), rule("measure = \"fees\"\nabove = 0\n"));
    check_wrong(&twice, 5, "[[rules]]", &["two rules have the name `r`"]);
}

#[test]
fn what_is_missing_as_a_whole_is_told() {
    for (text, words) in [
        ("", "scenarios"),
        ("name = \"p\"\n", "scenarios"),
        ("[[scenarios]]\nscenario = \"rmsc04\"\npublic = 1\n", "`name` is missing"),
        ("name = \"p\"\n[[scenarios]]\nscenario = \"rmsc04\"\nhidden = 3\n", "hidden seeds need a secret"),
        ("name = 5\n[[scenarios]]\nscenario = \"rmsc04\"\npublic = 1\n", "expected a string"),
    ] {
        let error = Policy::parse(text).unwrap_err();
        assert!(error.to_string().contains(words), "{text}\n{error}");
        assert!(error.hint.is_some(), "{text}");
    }
    let long = "#".repeat(2 << 20);
    assert!(Policy::parse(&long).unwrap_err().to_string().contains("bytes"));
}

#[test]
fn arbitrary_text_is_no_policy_and_no_panic() {
    let whole = format!("{TEMPLATE}{}", rule("measure = \"fees\"\nabove = 0\n"));
    for end in (0..whole.len()).step_by(7).filter(|end| whole.is_char_boundary(*end)) {
        let _ = Policy::parse(&whole[..end]).map_err(|error| error.to_string());
    }
    for (text, line) in [("\u{feff}x = \"é\u{202e}", 1), ("a = \"\"\"\n\n", 3), ("\0", 1)] {
        assert!(Policy::parse(text).unwrap_err().line <= line, "{text:?}");
    }
}

#[test]
fn the_template_is_a_policy() {
    let policy = Policy::parse(TEMPLATE).unwrap();
    assert_eq!(policy.rules.len(), 11);
    assert!(matches!(policy.rules[0].statistic, Statistic::Bound { percent: 99.0, .. }));
    let spread = &policy.rules[6];
    assert!(spread.against_baseline && spread.upper.is_some() && spread.lower.is_none());
    assert_eq!(policy.outcomes.allowed, [OutcomeKind::Finished]);
    // What is commented out is a policy too, once it is taken into use.
    let text = TEMPLATE
        .replace("# secret", "secret")
        .replace("# hidden = ", "hidden = ")
        .replace("# fuel", "fuel")
        .replace("# memory", "memory");
    let text = text.replace("# [[sign", "[[sign").replace("# code", "code").replace("# submission", "submission");
    let text = text.replace("# by", "by").replace("# reason", "reason").replace("# until", "until");
    let policy = Policy::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(policy.scenarios[0].hidden, Some(HiddenRule::Derived(200)));
    assert!(policy.needs_date() && policy.budget.memory_bytes == Some(8 << 20));
}

#[test]
fn budgets_only_go_down() {
    let policy = Policy::parse(&format!("{HEAD}[budget]\nfuel_callback = 5\nmemory_bytes = 99_000_000_000\n")).unwrap();
    let own = Budget::default();
    let lowered = policy.budget.lower(own);
    assert_eq!(lowered, Budget { fuel_callback: 5, ..own });
}

#[test]
fn exceptions_hold_for_one_submission_until_their_day() {
    let hash = "ab".repeat(32);
    let off = format!(
        "[[sign_offs]]\ncode = \"unlisted-attribute\"\nsubmission = \"{hash}\"\nby = \"Ada\"\nreason = \"seen\"\nuntil = 2030-12-31\n"
    );
    let policy = Policy::parse(&format!("{HEAD}{off}")).unwrap();
    for (code, submission, day, holds) in [
        (Code::UnlistedAttribute, hash.as_str(), Some("2030-12-31"), true),
        (Code::UnlistedAttribute, &hash, Some("2031-01-01"), false),
        (Code::UnlistedAttribute, &hash, None, false),
        (Code::UnsafeCode, &hash, Some("2030-01-01"), false),
        (Code::UnlistedAttribute, &"cd".repeat(32), Some("2030-01-01"), false),
    ] {
        let day = day.map(|day| date(day).unwrap());
        assert_eq!(policy.sign_off(code, submission, day).is_some(), holds, "{code:?} {submission} {day:?}");
    }
    assert_eq!(date("2030-13-01"), None);
    assert_eq!(date("2030-12-01T00:00:00"), None);
}

#[test]
fn hidden_seeds_follow_from_the_secret_and_stay_hidden() {
    let policy = Policy::parse(HEAD).unwrap();
    let rule = &policy.scenarios[0];
    assert!(Secret::new("too short").is_none());
    let secret = |text: &str| Secret::new(text).unwrap();
    let one = rule.hidden_seeds(&secret("correct horse battery staple"), None).unwrap().unwrap();
    let same = rule.hidden_seeds(&secret(" correct horse battery staple\n"), None).unwrap().unwrap();
    let other = rule.hidden_seeds(&secret("correct horse battery stapler"), None).unwrap().unwrap();
    assert_eq!(one, same);
    assert!(one.commitment != other.commitment && one.seeds != other.seeds);
    assert_eq!(one.seeds.as_slice().len(), 4);
    let shown = format!("{one:?}{policy:?}{:?}", secret("correct horse battery staple"));
    assert!(!shown.contains("horse") && one.seeds.as_slice().iter().all(|seed| !shown.contains(&seed.0.to_string())));
    // The format: the same forever.
    assert_eq!(one.commitment, "3319ec7319263a17f363f9d0e3a33e56dfa47f14ae96b9587504f63b6952f695");

    // Listed ones are committed to with the same secret.
    let listed = Policy::parse(&HEAD.replace("hidden = 4", "hidden = { env = \"SEEDS\" }")).unwrap();
    let of = |list: &str| listed.scenarios[0].hidden_seeds(&secret("correct horse battery staple"), Some(list));
    let found = of("9, 7 # salt\n11..13\n").unwrap().unwrap();
    assert_eq!(found.seeds.as_slice(), [7, 9, 11, 12, 13].map(Seed));
    for (list, words) in [
        ("", "no seed"),
        ("9, x7", "item 2"),
        ("9 9", "twice"),
        ("4", "among the public"),
        ("1..100000", "more than"),
        ("8..6", "item 1"),
    ] {
        let error = of(list).unwrap_err().to_string();
        assert!(error.contains(words) && !error.contains("x7"), "{list}: {error}");
    }
    assert!(listed_seeds("18446744073709551615").is_ok());
    assert!(listed_seeds("0..18446744073709551615").is_err());
}
