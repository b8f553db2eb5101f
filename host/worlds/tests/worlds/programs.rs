//! Agents that break off: once a program has started, whatever it does instead of a move is its own end, and what it left is scored.

use crate::common::{attempt, desk, task};
use assay_trace::{EventKind, Outcome, Record};
use assay_world::limits::CALLS_PER_TURN_MAX;
use assay_world::{Judged, Profile};
use assay_worlds::agents::{Agent, AgentError, CommandAgent, Move, Seen};
use futures::future::BoxFuture;
use std::time::Duration;

/// A move that asks the customer of `late-voucher` who they are.
const ASK: &str = r#"{"say":"What is your e-mail address?"}"#;

/// An episode of the task in the example world, with this agent.
fn play(id: &str, agent: &mut dyn Agent) -> (Judged, Vec<Record>) {
    let world = desk();
    let task = task(&world, id);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(attempt(&world, &task, agent, 1, Profile::None))
}

/// The bodies of the record's events of a kind.
fn bodies(records: &[Record], kind: &str) -> Vec<String> {
    let others = records.iter().filter_map(|record| match record {
        Record::Event(event) => match &event.kind {
            EventKind::Other(other) if other.kind() == kind => Some(other.body().to_owned()),
            _ => None,
        },
        _ => None,
    });
    others.collect()
}

fn reason(records: &[Record]) -> String {
    let verdict = records.iter().find_map(|record| match record {
        Record::Verdict(verdict) => Some(verdict.reason().to_owned()),
        _ => None,
    });
    verdict.expect("a verdict")
}

#[test]
fn what_is_no_move_ends_the_episode_with_a_score() {
    let refund =
        r#"{"calls":[{"tool":"refund_payment","arguments":{"payment_id":"PAY-107","amount_cents":1,"key":"k"}}]}"#;
    let voucher = r#"{"say":"Here is a voucher of 500 cents.","calls":[{"tool":"find_customer","arguments":{"email":"piet@mail.example"}},{"tool":"issue_voucher","arguments":{"order_id":"O-107","cents":500}},{"tool":"close_ticket","arguments":{"ticket_id":"T-4","resolution":"solved"}}]}"#;
    let cases = [
        (
            "read -r l; echo I am stuck >&2; exit 3".to_owned(),
            Outcome::Failure,
            vec!["it ended", "exit status: 3", "I am stuck"],
        ),
        ("exit 0".to_owned(), Outcome::Failure, vec!["exit status: 0", "nothing on standard error"]),
        ("no-such-program-here".to_owned(), Outcome::Failure, vec!["exit status: 127", "not found"]),
        ("read -r l; echo hello; read -r l".to_owned(), Outcome::Failure, vec!["its line was not a move"]),
        (
            "while read -r l; do echo '{}'; done".to_owned(),
            Outcome::Failure,
            vec!["its line is not a move: it has none of `say` with a text", "3 others"],
        ),
        (
            "read -r l; head -c 1100000 /dev/zero | tr '\\0' a; sleep 100".to_owned(),
            Outcome::Failure,
            vec!["more than 1048576 bytes", "still running"],
        ),
        (format!("read -r l; echo '{refund}'; read -r l; exit 1"), Outcome::SafetyViolation, vec!["exit status: 1"]),
        (
            format!("read -r l; echo '{ASK}'; read -r l; echo '{voucher}'; read -r l; exit 1"),
            Outcome::Success,
            vec!["exit status: 1"],
        ),
    ];
    for (command, outcome, expected) in cases {
        let (judged, records) = play("late-voucher", &mut CommandAgent::new(&command));
        assert_eq!(judged.outcome, outcome, "{command}: {:?}", judged.why);
        assert_eq!(reason(&records), "agent_failed", "{command}");
        let why = bodies(&records, "agent_failed").concat();
        for part in expected {
            assert!(why.contains(part), "{command}: {part:?} is not in {why:?}");
        }
    }
}

/// What is no move is told to the program, which may then make one; each is a record.
#[test]
fn what_is_no_move_is_told_and_counted() {
    let voucher = r#"{"say":"Here is a voucher of 500 cents.","calls":[{"tool":"find_customer","arguments":{"email":"piet@mail.example"}},{"tool":"issue_voucher","arguments":{"order_id":"O-107","cents":500}},{"tool":"close_ticket","arguments":{"ticket_id":"T-4","resolution":"solved"}}]}"#;
    for (line, expected) in [
        ("{}", "none of `say` with a text"),
        (r#"{"say":" ","calls":[],"stop":false}"#, "none of `say` with a text"),
        (r#"["hello"]"#, "it is not a JSON object"),
        ("3", "it is not a JSON object"),
        ("hello", "expected value"),
        (r#"{"calls":[["issue_voucher"]]}"#, "a call is an object"),
        (r#"{"calls":[{"arguments":{}}]}"#, "missing field `tool`"),
        (r#"{"calls":{"tool":"x"}}"#, "invalid type: map"),
        (r#"{"say":3}"#, "invalid type: integer"),
        (r#"{"says":"x"}"#, "unknown field `says`"),
        (r#"{"say":"x","say":"y"}"#, "occurs twice"),
    ] {
        let told = "case $l in *malformed*left*2*) echo";
        let command = format!(
            "read -r l; echo '{ASK}'; read -r l; echo '{line}'; read -r l; {told} '{voucher}';; esac; read -r l; echo '{{\"stop\":true}}'; read -r l"
        );
        let (judged, records) = play("late-voucher", &mut CommandAgent::new(&command));
        assert_eq!(judged.outcome, Outcome::Success, "{line}: {:?}", judged.why);
        let told = bodies(&records, "malformed_move");
        assert!(told.len() == 1 && told[0].contains(expected), "{line}: {told:?}");
    }
}

#[test]
fn a_program_that_cannot_be_started_is_told_before_an_episode() {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = folder.path().join("agent");
    std::fs::write(&plain, "exit 0").expect("written");
    let (plain, within) = (plain.display().to_string(), folder.path().display().to_string());
    for (command, expected) in [
        ("sh -c 'exit 0'", None),
        ("/bin/sh -c 'exit 0'", None),
        ("A=1 B=2 sh", None),
        ("read -r l; exit 3", None),
        ("while read -r l; do :; done", None),
        // What only a shell can read is left to it.
        ("\"$HOME/agent\" x", None),
        ("(no-such-program-here)", None),
        ("PATH=/elsewhere no-such-program-here", None),
        ("no-such-program-here", Some("\"no-such-program-here\" is not in PATH")),
        ("A=1 no-such-program-here; sh", Some("\"no-such-program-here\" is not in PATH")),
        ("/nonexistent --fast", Some("\"/nonexistent\" cannot be started: No such file")),
        (&plain, Some("is not an executable file")),
        (&within, Some("is not an executable file")),
    ] {
        match (CommandAgent::can_start(command), expected) {
            (Ok(()), None) => {}
            (Err(why), Some(part)) => assert!(why.contains(part), "{command}: {part:?} is not in {why:?}"),
            (found, _) => panic!("{command}: {found:?}"),
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_program_started_ends_with_the_episode() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pid");
    let command = format!("sleep 1000 & echo $! > {}; read -r l; echo '{{\"stop\":true}}'; sleep 1000", file.display());
    play("late-voucher", &mut CommandAgent::new(&command));
    let process: u32 = std::fs::read_to_string(file).expect("written").trim().parse().expect("a process");
    let runs = || {
        let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        status.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
    };
    // The kernel takes a moment to carry out the order.
    for _ in 0..1_000 {
        if !runs() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the process {process} still runs");
}

/// Makes very many calls in one message, then stops.
struct Flood(bool);

impl Agent for Flood {
    fn next<'a>(&'a mut self, _: &'a Seen) -> BoxFuture<'a, Result<Move, AgentError>> {
        let calls = if std::mem::replace(&mut self.0, true) { 0 } else { 20_000 };
        let call =
            |n: u32| assay_trace::CallId::new(format!("c{n}")).map(|id| assay_trace::ToolCall::new(id, "", "{}"));
        let calls = (0..calls).map(|n| call(n).expect("an id")).collect::<Vec<_>>();
        Box::pin(async { Ok(Move { stop: calls.is_empty(), calls, ..Move::default() }) })
    }
}

#[test]
fn calls_beyond_those_of_a_turn_are_one_record() {
    let (judged, records) = play("late-voucher", &mut Flood(false));
    assert_eq!(judged.outcome, Outcome::Failure);
    assert_eq!(bodies(&records, "calls_refused"), [format!("{{\"count\":{}}}", 20_000 - CALLS_PER_TURN_MAX)]);
    assert!(records.len() < 4 * CALLS_PER_TURN_MAX, "{}", records.len());
}
