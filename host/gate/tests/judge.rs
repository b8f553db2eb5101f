//! Judging: what is seen, what is decided, and what of hidden seeds comes out.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_evaluate::{BASELINE, MeasureRecord, RunRecord, Seeds, StrategyRecord, ToolRecord, Trial, evaluate};
use assay_gate::judge::{Course, Evidence, RanIn};
use assay_gate::policy::{Policy, Secret};
use assay_gate::verdict::{Seeds as VerdictSeeds, Submission, SubmissionKind, Tool};
use assay_gate::{Decision, Verdict, judge};
use assay_market::Scenario;
use assay_sandbox::{Callback, Outcome, TrapKind};
use assay_validator::{Code, Finding, Findings, Place};
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

const HEAD: &str = "name = \"p\"\n[[scenarios]]\nscenario = \"smoke\"\npublic = 4\n";

/// Four seeds in which nothing happens, to be rewritten.
fn record() -> RunRecord {
    static RECORD: OnceLock<RunRecord> = OnceLock::new();
    let make = || {
        let trial = Trial {
            scenario: &Scenario::preset("smoke").unwrap(),
            seeds: &Seeds::count(4).unwrap(),
            threads: NonZeroUsize::MIN,
            tool: ToolRecord { assay: "0".to_owned(), wasmtime: "0".to_owned() },
            command: "assay gate".to_owned(),
            strategy: StrategyRecord {
                file_name: "s.rs".to_owned(),
                source: None,
                source_hash: None,
                component_hash: "0".repeat(64),
                sdk_version: None,
                rustc_version: None,
            },
            findings: Vec::new(),
            findings_omitted: 0,
            recorder: None,
            baselines: None,
        };
        evaluate(&trial, &BASELINE, &(), &AtomicBool::new(false)).unwrap()
    };
    RECORD.get_or_init(make).clone()
}

/// The record with `values` of a measure, and with `baseline` in each seed.
fn with(key: &str, values: [Option<f64>; 4], baseline: Option<f64>) -> RunRecord {
    let mut record = record();
    let measure = |value: Option<f64>| MeasureRecord {
        value,
        missing: value.is_none().then(|| "3 fills, at least 20 needed".to_owned()),
    };
    for (episode, value) in record.episodes.iter_mut().zip(values) {
        episode.measures.insert(key.to_owned(), measure(value));
        episode.baseline_measures.insert(key.to_owned(), measure(baseline));
    }
    record
}

fn evidence<'a>(findings: &'a Findings, course: Course<'a>) -> Evidence<'a> {
    Evidence {
        submission: Submission {
            name: "s.rs".to_owned(),
            kind: SubmissionKind::RustFile,
            hash: Some("ab".repeat(32)),
            component_hash: None,
            sdk_version: None,
            sdk_hash: None,
            rustc_version: None,
        },
        path: "/some/where/s.rs",
        tool: Tool { assay: "0".to_owned(), wasmtime: "0".to_owned(), python_component: None },
        findings,
        course,
        today: None,
    }
}

fn verdict(policy: &str, record: &RunRecord) -> Verdict {
    let policy = Policy::parse(policy).unwrap();
    let runs = [RanIn { scenario: &policy.scenarios[0], hidden: None, record }];
    judge(&policy, evidence(&Findings::new(), Course::Ran(&runs)))
}

/// One rule about values of `key`: the decision, and words of what it asks and of what was seen.
#[track_caller]
fn check(keys: &str, record: &RunRecord, decision: Decision, asks: &str, saw: &str) {
    let verdict = verdict(&format!("{HEAD}[[rules]]\nname = \"r\"\n{keys}\n"), record);
    let check = verdict.checks.iter().find(|check| check.rule == "r").unwrap();
    assert_eq!((check.asks.as_str(), check.saw.as_str()), (asks, saw), "{verdict:#?}");
    assert_eq!((check.decision, verdict.decision), (decision, decision), "{verdict:#?}");
    assert_eq!(check.policy_line, 5);
    assert!(!verdict.summary.is_empty() && verdict.schema.name == "assay.verdict");
}

const FOUR: [Option<f64>; 4] = [Some(1_000.0), Some(2_000.0), Some(3_000.0), Some(4_000.0)];

#[test]
fn rules_say_what_they_ask_and_what_was_seen() {
    use Decision::{Fail, Pass};
    let pnl = with("pnl", FOUR, Some(0.0));
    let mean = "2,500 cents (sd 1,290.99, 4 seeds)";
    check("measure = \"pnl\"\nabove = 0", &pnl, Pass, "mean PnL above 0 cents", mean);
    check("measure = \"pnl\"\nabove = 2500", &pnl, Fail, "mean PnL above 2,500 cents", mean);
    check("measure = \"pnl\"\nminimum = 2500", &pnl, Pass, "mean PnL at least 2,500 cents", mean);
    let between = "mean PnL at least -5 cents and below 2,500.5 cents";
    check("measure = \"pnl\"\nminimum = -5\nbelow = 2500.5", &pnl, Pass, between, mean);
    // t(0.95, 3) is 2.353, t(0.99, 3) is 4.541 (any table): 2500 − 2.35336·1290.99/2, and so on.
    let bound = |percent: &str| format!("measure = \"pnl\"\nstatistic = \"{percent} bound\"\nabove = 0");
    let details = "(mean 2,500, sd 1,290.99, 4 seeds)";
    check(&bound("lower 95%"), &pnl, Pass, "lower 95% bound of PnL above 0 cents", &format!("980.91 cents {details}"));
    check(&bound("lower 99%"), &pnl, Fail, "lower 99% bound of PnL above 0 cents", &format!("-431.01 cents {details}"));
    check(
        &bound("upper 95%"),
        &pnl,
        Pass,
        "upper 95% bound of PnL above 0 cents",
        &format!("4,019.09 cents {details}"),
    );

    let every = |limit: &str| format!("measure = \"max_drawdown\"\nstatistic = \"every seed\"\n{limit}");
    let drawdown = with("max_drawdown", FOUR, Some(0.0));
    let asks = "Max drawdown below 5,000 cents in every seed";
    check(&every("below = 5_000"), &drawdown, Pass, asks, "4,000 cents at most in 4 seeds");
    let asks = "Max drawdown at most 2,500 cents in every seed";
    let saw = "4,000 cents at most, and outside the limit in 2 of 4 seeds, first in seed 3";
    check(&every("maximum = 2_500"), &drawdown, Fail, asks, saw);
}

#[test]
fn rules_against_the_baseline_know_which_way_is_worse() {
    use Decision::{Fail, Pass};
    let spread = |value: f64| with("spread", [Some(value); 4], Some(2.0));
    let worse = "measure = \"spread\"\nworse_by_at_most = \"10%\"";
    let asks = "mean Spread minus the baseline's at most 10% of the baseline's";
    let saw = |text: &str| format!("{text} of the baseline (sd 0, baseline 2, 4 seeds)");
    check(worse, &spread(2.2), Pass, asks, &saw("0.2 cents a share, 10%"));
    check(worse, &spread(2.3), Fail, asks, &saw("0.3 cents a share, 15%"));
    check(worse, &spread(2.1), Pass, asks, &saw("0.1 cents a share, 5%"));
    check(worse, &spread(1.0), Pass, asks, &saw("-1 cents a share, -50%"));
    let size = with("bid_size", [Some(80.0); 4], Some(100.0));
    let asks = "mean Best bid size minus the baseline's at least -30 shares";
    check(
        "measure = \"bid_size\"\nworse_by_at_most = 30",
        &size,
        Pass,
        asks,
        "-20 shares (sd 0, baseline 100, 4 seeds)",
    );
    let better = "measure = \"pnl\"\nagainst = \"baseline\"\nabove = 0";
    let pnl = with("pnl", FOUR, Some(1_000.0));
    check(
        better,
        &pnl,
        Pass,
        "mean PnL minus the baseline's above 0 cents",
        "1,500 cents (sd 1,290.99, baseline 1,000, 4 seeds)",
    );
}

#[test]
fn what_is_missing_fails_only_whom_it_belongs_to() {
    use Decision::{Fail, Pass, Unscored};
    let some = [Some(1.0), None, Some(3.0), None];
    let paid = with("effective_spread_paid", some, None);
    let rule = "measure = \"effective_spread_paid\"\nbelow = 5";
    let asks = "mean Effective spread paid below 5 cents a share";
    check(rule, &paid, Fail, asks, "no value in 2 of 4 seeds: 3 fills, at least 20 needed");
    let tolerant = format!("{rule}\nmissing_seeds_max = 2");
    check(&tolerant, &paid, Pass, asks, "2 cents a share (sd 1.41, 2 seeds); no value in 2");
    // The market has no value without the strategy either: the rule does not fit.
    let asks = "mean VPIN below 50%";
    check(
        "measure = \"vpin\"\nbelow = 0.5",
        &with("vpin", some, None),
        Unscored,
        asks,
        "no value in 2 of 4 seeds: 3 fills, at least 20 needed",
    );
    check(
        "measure = \"vpin\"\nbelow = 0.5",
        &with("vpin", some, Some(0.1)),
        Fail,
        asks,
        "no value in 2 of 4 seeds: 3 fills, at least 20 needed",
    );
}

#[test]
fn infrastructure_trouble_is_unscored() {
    let mut record = with("pnl", FOUR, Some(0.0));
    let lost = record.episodes.pop().unwrap();
    record.unscored.push(assay_evaluate::UnscoredRecord { seed: lost.seed, what: "watchdog".to_owned() });
    let rule = "[[rules]]\nname = \"r\"\nmeasure = \"pnl\"\nabove = 99_000\n";
    let found = verdict(&format!("{HEAD}{rule}"), &record);
    assert_eq!(found.decision, Decision::Unscored, "even though what was scored fails");
    assert!(found.summary.contains("3 of 4 seeds scored, 4 needed: watchdog"), "{}", found.summary);
    let enough = HEAD.replace("name = \"p\"", "name = \"p\"\nscored_seeds_min = 3");
    assert_eq!(verdict(&format!("{enough}{rule}"), &record).decision, Decision::Fail);

    let policy = Policy::parse(HEAD).unwrap();
    let found = judge(&policy, evidence(&Findings::new(), Course::Unscored("no rustc".to_owned())));
    assert_eq!((found.decision, found.checks.len()), (Decision::Unscored, 0));
    assert!(found.summary.contains("no rustc") && found.summary.contains("says nothing about the submission"));
}

#[test]
fn who_used_up_the_time_has_failed_whatever_the_policy_allows() {
    let rule = "[[rules]]\nname = \"r\"\nmeasure = \"pnl\"\nabove = -99_000\nwhy = \"It loses.\"\n";
    let allowed = "[outcomes]\nallowed = [\"finished\", \"limit-exceeded\"]\n[budget]\nwall = \"1500ms\"\n";
    let policy = Policy::parse(&format!("{HEAD}{allowed}{rule}")).unwrap();
    let record = record();
    let runs = [RanIn { scenario: &policy.scenarios[0], hidden: None, record: &record }];
    let found = judge(&policy, evidence(&Findings::new(), Course::OutOfTime(&runs)));
    let decisions: Vec<Decision> = found.checks.iter().map(|check| check.decision).collect();
    assert_eq!((found.decision, decisions), (Decision::Fail, vec![Decision::Fail; 2]));
    assert!(found.decision_follows() && found.answers(&policy), "{found:#?}");
    for words in ["more than 1.5 s of processor time", "the policy allows 1.5 s", "`wall`", "--profile"] {
        assert!(found.summary.contains(words), "{words}: {}", found.summary);
    }
    assert!(!found.summary.contains("It loses."), "{}", found.summary);
}

#[test]
fn outcomes_are_judged_and_hidden_seeds_stay_hidden() {
    let mut record = record();
    record.episodes[2].outcome = Outcome::Trapped {
        callback: Callback::OnTick,
        trap: TrapKind::Unreachable,
        message: "bid was 99871\u{1b}[2J".to_owned(),
    };
    let shown = verdict(HEAD, &record);
    let check = &shown.checks[0];
    assert_eq!((check.decision, check.measure.as_deref()), (Decision::Fail, None));
    assert!(check.saw.contains("trapped in on-tick in 1 of 4 seeds, first in seed 3"), "{check:?}");
    assert!(check.saw.contains("bid was 99871") && !check.saw.contains('\u{1b}'), "{check:?}");
    let allowed = format!("{HEAD}[outcomes]\nallowed = [\"finished\", \"trapped\"]\n");
    assert_eq!(verdict(&allowed, &record).decision, Decision::Pass);

    let text =
        HEAD.replace("public = 4", "hidden = 4").replace("name = \"p\"", "name = \"p\"\nsecret = { env = \"S\" }");
    let policy = Policy::parse(&format!(
        "{text}[[rules]]\nname = \"r\"\nmeasure = \"pnl\"\nstatistic = \"every seed\"\nabove = 9\n"
    ))
    .unwrap();
    let secret = Secret::new("correct horse battery staple").unwrap();
    let hidden = policy.scenarios[0].hidden_seeds(&secret, None).unwrap().unwrap();
    let names: Vec<u64> = hidden.seeds.as_slice().iter().map(|seed| seed.0).collect();
    record.seeds.clone_from(&names);
    record.episodes.iter_mut().zip(&names).for_each(|(episode, seed)| episode.seed = *seed);
    let runs = [RanIn { scenario: &policy.scenarios[0], hidden: Some(&hidden), record: &record }];
    let kept = judge(&policy, evidence(&Findings::new(), Course::Ran(&runs)));
    let json = serde_json::to_string(&kept).unwrap();
    assert!(names.iter().all(|seed| !json.contains(&seed.to_string())), "{json}");
    assert!(!json.contains("99871"), "what it saw of a hidden market stays there\n{json}");
    assert_eq!(kept.trials[0].seeds, VerdictSeeds::Hidden { count: 4, commitment: hidden.commitment.clone() });
    assert!(kept.checks.iter().all(|check| check.decision == Decision::Fail));
}

/// A strategy can say what it saw in a measure of its own: here 51,855 shares.
#[test]
fn figures_of_single_hidden_seeds_are_not_shown() {
    let secret = Secret::new("correct horse battery staple").unwrap();
    let some = Some(51_855.0);
    for (count, statistic, values, is_shown) in [
        (1, "mean", [some, None, None, None], false),
        (2, "mean", [some; 4], false),
        (2, "lower 95% bound", [some, Some(51_854.0), None, None], false),
        (3, "mean", [some; 4], true),
        // Four seeds, and only two of them have a value.
        (4, "mean", [some, some, None, None], false),
        // The least and the greatest are each of one seed, however many there are.
        (4, "every seed", [some, Some(1.0), Some(2.0), Some(3.0)], false),
        (4, "every seed", [some; 4], false),
    ] {
        let head = HEAD
            .replace("public = 4", &format!("hidden = {count}"))
            .replace("name = \"p\"", "name = \"p\"\nsecret = { env = \"S\" }");
        for limit in ["above = 9", "above = 900_000", "above = 9\nworse_by_at_most = \"10%\""] {
            let rule = format!(
                "[[rules]]\nname = \"r\"\nmeasure = \"inventory_max\"\nmissing_seeds_max = 4\nstatistic = \"{statistic}\"\n{limit}\n"
            );
            // Not every statistic goes with every limit.
            let Ok(policy) = Policy::parse(&format!("{head}{rule}")) else { continue };
            let hidden = policy.scenarios[0].hidden_seeds(&secret, None).unwrap().unwrap();
            let mut record = with("inventory_max", values, Some(51_855.0));
            record.seeds = hidden.seeds.as_slice().iter().map(|seed| seed.0).collect();
            record.episodes.truncate(count);
            let runs = [RanIn { scenario: &policy.scenarios[0], hidden: Some(&hidden), record: &record }];
            let verdict = judge(&policy, evidence(&Findings::new(), Course::Ran(&runs)));
            let text = serde_json::to_string(&verdict).unwrap();
            assert_eq!(text.contains("51,855"), is_shown, "{count} seeds, {statistic}, {limit}: {text}");
            assert!(!verdict.summary.contains("The seeds are public"), "{}", verdict.summary);
            assert!(verdict.decision_follows());
        }
    }
    // Of public seeds everything is shown, and that they are public is said.
    let shown = verdict(
        &format!("{HEAD}[[rules]]\nname = \"r\"\nmeasure = \"inventory_max\"\nabove = 9\n"),
        &with("inventory_max", [some; 4], None),
    );
    assert!(shown.checks[1].saw.contains("51,855") && shown.summary.ends_with("may have been tuned to them."));
}

#[test]
fn a_pass_without_checks_does_not_follow() {
    let good = verdict(HEAD, &record());
    assert!(good.decision == Decision::Pass && good.decision_follows());
    let mut none = good.clone();
    none.checks.clear();
    assert!(!none.decision_follows());
    let mut elsewhere = good.clone();
    elsewhere.checks[0].scenario = "another".to_owned();
    assert!(!elsewhere.decision_follows());
    let mut one_more = good.clone();
    one_more.trials.push(assay_gate::verdict::Trial { scenario: "another".to_owned(), ..good.trials[0].clone() });
    assert!(!one_more.decision_follows());
    // Another check does not stand in for the one about how it ended.
    let mut renamed = good.clone();
    renamed.checks[0].rule = "spread".to_owned();
    assert!(!renamed.decision_follows());
    let mut never_ran = good;
    never_ran.trials.clear();
    assert!(!never_ran.decision_follows());
}

#[test]
fn findings_refuse_unless_somebody_answers_for_them() {
    let place = || Place::Manifest { file: "/some/where/s.rs/Cargo.toml".to_owned(), key: "a.b".to_owned() };
    let found = |codes: &[Code]| {
        Findings::from_iter(codes.iter().map(|code| Finding::new(*code, place(), "in /some/where/s.rs it is so")))
    };
    let off = format!(
        "[[sign_offs]]\ncode = \"S005\"\nsubmission = \"{}\"\nby = \"Ada\"\nreason = \"seen\"\n",
        "ab".repeat(32)
    );
    for (policy, codes, refuses) in [
        ("", &[][..], false),
        ("", &[Code::UnlistedAttribute], true),
        ("", &[Code::CompileWarning], false),
        ("[findings]\ndeny_warnings = true\n", &[Code::CompileWarning], true),
        ("[findings]\ndeny_warnings = true\nallow = [\"B002\"]\n", &[Code::CompileWarning], false),
        ("[findings]\ndeny = [\"B002\"]\n", &[Code::CompileWarning], true),
        (&off, &[Code::UnlistedAttribute], false),
        (&off, &[Code::UnlistedAttribute, Code::UnsafeCode], true),
    ] {
        let policy = Policy::parse(&format!("{HEAD}{policy}")).unwrap();
        let findings = found(codes);
        let hash = "ab".repeat(32);
        assert_eq!(policy.refuses(&findings, Some(&hash), None), refuses, "{codes:?}");
        assert_eq!(policy.refuses(&findings, None, None), refuses || policy.sign_offs.len() == 1, "{codes:?}");
        let course = if refuses { Course::Refused } else { Course::Ran(&[]) };
        let verdict = judge(&policy, evidence(&findings, course));
        assert_eq!(verdict.decision == Decision::Rejected, refuses);
        let json = serde_json::to_string(&verdict).unwrap();
        assert!(!json.contains("/some/where"), "no path of the machine\n{json}");
        assert_eq!(json.contains("Ada"), codes.contains(&Code::UnlistedAttribute) && policy.sign_offs.len() == 1);
        if refuses {
            assert!(verdict.summary.starts_with("Rejected before it ran: in s.rs it is so"), "{}", verdict.summary);
        }
    }
}

#[test]
fn the_same_evidence_gives_the_same_bytes() {
    let record = with("pnl", FOUR, Some(0.0));
    let policy = format!("{HEAD}[[rules]]\nname = \"r\"\nmeasure = \"pnl\"\nabove = 0\n");
    let bytes = || serde_json::to_string(&verdict(&policy, &record)).unwrap();
    assert_eq!(bytes(), bytes());
    let read: Verdict = serde_json::from_str(&bytes()).unwrap();
    assert_eq!(read, verdict(&policy, &record));
}

#[test]
fn one_path_copied_is_no_bound() {
    let mut record = with("pnl", FOUR, Some(0.0));
    let policy =
        format!("{HEAD}[[rules]]\nname = \"r\"\nmeasure = \"pnl\"\nstatistic = \"lower 95% bound\"\nabove = 0\n");
    assert_eq!(verdict(&policy, &record).decision, Decision::Pass, "four markets");
    // Whatever the strategy's own logs look like: the market is the same in all four.
    let path = record.episodes[0].baseline_event_log_hash.clone();
    record.episodes.iter_mut().for_each(|episode| episode.baseline_event_log_hash.clone_from(&path));
    let found = verdict(&policy, &record);
    let check = found.checks.iter().find(|check| check.rule == "r").unwrap();
    assert_eq!(found.decision, Decision::Unscored);
    assert_eq!(check.saw, "4 seeds of one market path, which are 1 observation; a bound takes at least 2");
    assert!(check.hint.as_deref().unwrap().contains("more recordings or another market"), "{check:?}");
    // Two markets, one of them three times: the copies weigh as one.
    record.episodes[3].baseline_event_log_hash = "another".to_owned();
    let found = verdict(&policy.replace("lower 95% bound", "mean"), &record);
    let check = found.checks.iter().find(|check| check.rule == "r").unwrap();
    assert_eq!(check.saw, "3,000 cents (sd 1,414.21, 4 seeds of 2 market paths)");
}
