//! Statistics, filters, the text for people, and the comparison of two episodes.

use crate::support::{call_id, event, example, id, metadata, model_call, state, tool_run};
use assay_model::Nanos;
use assay_trace::{
    Action, Diff, EventKind, Filter, Flag, Latency, Message, Record, Role, Row, ToolCall, Trajectory, Usage, diff,
    show, show_stats, stats,
};
use proptest::prelude::*;

fn trajectory(records: Vec<Record>) -> Trajectory {
    let mut trajectory = Trajectory::new(metadata("t"));
    for record in records {
        trajectory.push(record).unwrap();
    }
    trajectory
}

#[test]
fn figures_are_counted_and_the_unknown_stays_unknown() {
    let figures = stats;
    let stats = figures(&example());
    assert_eq!(stats.messages[&Role::Assistant], 2);
    assert_eq!((stats.model_calls, stats.model_errors), (2, 0));
    let usage = Usage { input: 200, output: 60, cache_read: 100, cache_write: 20, reasoning: 40 };
    assert_eq!(stats.tokens.total(), Some(usage));
    assert_eq!((usage.input_total(), usage.total()), (320, 380));
    assert_eq!((stats.cost_microdollars.known, stats.cost_microdollars.unknown), (1_250, 1));
    assert_eq!(stats.cost_microdollars.total(), None, "one price is unknown, so the sum is");
    let read = &stats.tools["read_file"];
    assert_eq!((read.calls, read.malformed, read.runs, read.errors), (2, 1, 2, 1));
    assert_eq!(stats.duration_ns, 1_855_000_000);
    assert_eq!((stats.outcome, stats.reward), (Some("success"), Some(1.0)));
    assert_eq!(stats.steps.len(), 3);
    let (first, second) = (&stats.steps[1], &stats.steps[2]);
    assert_eq!((first.tool_calls, first.errors, first.cells, first.model_ns), (2, 1, 0, 900_000_000));
    assert_eq!((second.tool_calls, second.cells, second.flags), (0, 1, 1));
    assert_eq!(second.cost_microdollars.total(), None);
    let json = serde_json::to_value(&stats).unwrap();
    assert_eq!(json["messages"]["assistant"], 2);

    let silent = figures(&trajectory(vec![event(1, model_call(None, None, 5))]));
    assert_eq!((silent.tokens.total(), silent.tokens.unknown), (None, 1));
    let unrecorded = figures(&trajectory(vec![Message::assistant(id("a"), vec![], vec![]).unwrap().into()]));
    assert_eq!(
        (unrecorded.tokens.total(), unrecorded.cost_microdollars.total(), unrecorded.model_calls),
        (None, None, 0)
    );
    let empty = figures(&trajectory(vec![]));
    assert_eq!((empty.tokens.total(), empty.model_latency, empty.outcome), (Some(Usage::default()), None, None));
}

#[test]
fn figures_are_shown_with_what_is_unknown() {
    let text = show_stats(&stats(&example()));
    for line in [
        "outcome   success, reward 1\n",
        "messages  1 system, 1 user, 2 assistant, 2 tool\n",
        "tokens    320 in (100 read from cache, 20 written), 60 out (40 reasoning)\n",
        "cost      $0.001250, unknown for 1 calls\n",
        "model     2 calls, 0 failed; fastest 400.000 ms, median 400.000 ms, 95th percentile 900.000 ms, slowest 900.000 ms\n",
        "tool      read_file: 2 calls, 1 malformed, 2 runs, 1 failed; fastest 3.000 ms",
        "flag      test_files_touched\n",
    ] {
        assert!(text.contains(line), "{line:?} is not in\n{text}");
    }
}

#[test]
fn percentiles_are_by_nearest_rank() {
    let check = |times: &[u64], expected: (u64, u64, u64, u64, u64)| {
        let times: Vec<Nanos> = times.iter().map(|time| Nanos(*time)).collect();
        let found = Latency::of(&times).unwrap();
        assert_eq!((found.min_ns, found.max_ns, found.mean_ns, found.p50_ns, found.p95_ns), expected, "{times:?}");
    };
    check(&[7], (7, 7, 7, 7, 7));
    check(&[4, 1], (1, 4, 2, 1, 4));
    check(&[5, 1, 3], (1, 5, 3, 3, 5));
    check(&(1..=20).collect::<Vec<_>>(), (1, 20, 10, 10, 19));
    check(&(1..=100).rev().collect::<Vec<_>>(), (1, 100, 50, 50, 95));
    check(&[u64::MAX, u64::MAX], (u64::MAX, u64::MAX, u64::MAX, u64::MAX, u64::MAX));
    assert_eq!(Latency::of(&[]), None);
}

#[test]
fn filters_pick_by_role_step_tool_and_flag() {
    let trajectory = example();
    let check = |filter: Filter, expected: &[&str]| {
        let picked: Vec<_> = filter
            .pick(&trajectory)
            .iter()
            .map(|placed| match placed.record {
                Record::Message(message) => format!("{} {}", placed.step, message.id()),
                Record::Event(event) => format!("{} {}", placed.step, event.kind.name()),
                Record::Verdict(_) => format!("{} score", placed.step),
            })
            .collect();
        assert_eq!(picked, expected, "{filter:?}");
    };
    let none = Filter::default();
    assert_eq!(none.pick(&trajectory).len(), trajectory.records().len());
    check(Filter { roles: Some([Role::Tool, Role::User].into()), ..none.clone() }, &["0 u1", "1 t1", "1 t2"]);
    check(Filter { steps: Some(0..=0), ..none.clone() }, &["0 s1", "0 u1", "0 state"]);
    let tool = Some("read_file".to_owned());
    let of_tool = ["1 a1", "1 tool_run", "1 t1", "1 tool_run", "1 t2"];
    check(Filter { tool: tool.clone(), ..none.clone() }, &of_tool);
    check(Filter { tool: Some("python".into()), ..none.clone() }, &["2 code_cell"]);
    let flag = Some("test_files_touched".to_owned());
    check(Filter { flag: flag.clone(), roles: Some([Role::Assistant].into()), ..none.clone() }, &["2 a2"]);
    check(Filter { flag, tool, ..none }, &[]);
}

#[test]
fn the_text_for_people_says_everything_and_steers_no_terminal() {
    let text = show(&example(), &Filter::default(), 5);
    for words in [
        "example-1 · scenario bugs/off-by-one",
        "[1] assistant",
        "→ call-2 read_file {\"path\":\n  not understood: EOF",
        "<redacted reasoning, 6 bytes>",
        "160 in, 30 out · $0.001250 · 900.000 ms",
        "cost unknown",
        "world disk slow_read (fault)",
        "flag test_files_touched",
        "of_my_own {\"a\":[null,1.5],\"b\":1}",
        "success by tests 1.0 (finished)\n  reward = gate: 1\n    patch applies: 1\n    tests = weighted sum: 1",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
    let hostile = trajectory(vec![Message::user(id("u"), "a\u{1b}[2J\u{202e}b\n1\n2\n3\n4\n5").into()]);
    let text = show(&hostile, &Filter::default(), 3);
    assert!(text.contains("a\\u{1b}[2J\\u{202e}b\n1\n2\n… 3 more lines"), "{text}");
}

/// An episode of one tool call for each letter, with a hash of the state after it where one is given.
fn letters(course: &[(&str, Option<&str>)], first_state: &str) -> Trajectory {
    let mut records = vec![event(0, state(first_state))];
    for (at, (letter, after)) in course.iter().enumerate() {
        let call = ToolCall::new(call_id(&format!("c{at}")), "press", format!("{{\"key\": \"{letter}\"}}"));
        records.push(Message::assistant(id(&format!("a{at}")), vec![], vec![call]).unwrap().into());
        records.push(event(1, tool_run(&format!("c{at}"), "press", None)));
        records.extend(after.map(|files| event(2, state(files))));
    }
    trajectory(records)
}

/// The comparison of two episodes of which each letter is an action.
fn diff_of(left: &str, right: &str) -> Diff {
    let episode = |text: &str| {
        let keys: Vec<String> = text.chars().map(String::from).collect();
        letters(&keys.iter().map(|key| (key.as_str(), None)).collect::<Vec<_>>(), "same")
    };
    diff(&episode(left), &episode(right))
}

#[test]
fn episodes_part_where_the_first_action_differs() {
    let check = |left: &str, right: &str, same_before: Option<usize>, rows: &str| {
        let found = diff_of(left, right);
        assert_eq!(found.first_action.as_ref().map(|first| first.same_before), same_before, "{left} {right}");
        let shape = found.alignment.iter().map(|row| match row {
            Row::Both { .. } => '=',
            Row::Left(_) => '-',
            Row::Right(_) => '+',
        });
        assert_eq!(shape.collect::<String>(), rows, "{left} {right}");
        assert_eq!(found.first_state, None);
        assert_eq!(found.is_same(), same_before.is_none(), "{left} {right}");
    };
    check("", "", None, "");
    check("abc", "abc", None, "===");
    check("abc", "abd", Some(2), "==-+");
    check("abc", "ab", Some(2), "==-");
    check("", "ab", Some(0), "++");
    check("abcd", "xbcd", Some(0), "-+===");
    check("abcbdab", "bdcaba", Some(0), "-=--=+==+");
}

/// The length of the longest common subsequence, by the definition.
fn common(left: &[Action], right: &[Action]) -> usize {
    match (left, right) {
        ([first, left_rest @ ..], [other, right_rest @ ..]) if first.arguments == other.arguments => {
            1 + common(left_rest, right_rest)
        }
        ([_, left_rest @ ..], [_, right_rest @ ..]) => common(left_rest, right).max(common(left, right_rest)),
        _ => 0,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_alignment_is_whole_in_order_and_longest(left in "[abc]{0,8}", right in "[abc]{0,8}") {
        let found = diff_of(&left, &right);
        let (mut lefts, mut rights, mut both) = (Vec::new(), Vec::new(), 0);
        for row in &found.alignment {
            match *row {
                Row::Both { left, right } => {
                    prop_assert_eq!(&found.left[left].arguments, &found.right[right].arguments);
                    lefts.push(left);
                    rights.push(right);
                    both += 1;
                }
                Row::Left(place) => lefts.push(place),
                Row::Right(place) => rights.push(place),
            }
        }
        prop_assert_eq!(lefts, (0..left.len()).collect::<Vec<_>>());
        prop_assert_eq!(rights, (0..right.len()).collect::<Vec<_>>());
        prop_assert_eq!(both, common(&found.left, &found.right));
    }
}

#[test]
fn states_are_compared_where_the_same_was_done() {
    let left = letters(&[("a", Some("1")), ("x", Some("L")), ("b", Some("2"))], "start");
    let right = letters(&[("a", Some("1")), ("b", Some("9"))], "start");
    let found = diff(&left, &right);
    let state = found.first_state.clone().unwrap();
    assert_eq!((state.left_step, state.right_step, state.parts.as_slice()), (3, 2, &["files".to_owned()][..]));
    let after = Action { step: 3, tool: "press".into(), arguments: "{\"key\":\"b\"}".into() };
    assert_eq!(state.after, Some(after));
    let text = found.to_string();
    for words in [
        "  step 1: press {\"key\":\"a\"}\n- step 2: press {\"key\":\"x\"}\n  step 3",
        "actions: part after 1\n  left:  step 2: press {\"key\":\"x\"}\n  right: step 2: press {\"key\":\"b\"}",
        "states: part after step 3: press {\"key\":\"b\"}, in files",
        "left:  no verdict",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
    assert_eq!(serde_json::to_value(&found).unwrap()["first_state"]["parts"][0], "files");

    let other_start = letters(&[("a", Some("1"))], "elsewhere");
    let at_start = diff(&letters(&[("a", Some("1"))], "start"), &other_start).first_state.unwrap();
    assert_eq!((at_start.left_step, at_start.after), (0, None));
    let unhashed = letters(&[("a", None)], "start");
    assert_eq!(diff(&letters(&[("a", Some("1"))], "start"), &unhashed).first_state, None);
    assert!(diff(&example(), &example()).to_string().contains("actions: the same, 3\nstates: the same"));
}

#[test]
fn a_flag_is_known_by_name() {
    let flag = EventKind::Flag(Flag { name: "b".into(), detail: String::new() });
    let trajectory = trajectory(vec![event(1, flag.clone()), event(2, flag)]);
    assert_eq!(trajectory.flags().into_iter().collect::<Vec<_>>(), ["b"]);
}
