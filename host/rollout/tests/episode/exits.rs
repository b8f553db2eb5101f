//! Every exit, as data: what leads to it, what it is worth, what was run for it.

use crate::support::{Lab, Line, MemorySinks, code, events, reply};
use assay_model::Nanos;
use assay_rollout::ports::{Decision, ModelError, ModelReply, Supervisor};
use assay_rollout::{Exit, Worth};
use assay_trace::{Message, Outcome};
use futures::future::{BoxFuture, FutureExt as _, ready};
use std::collections::BTreeSet;
use std::sync::Arc;

struct Case {
    exit: Exit,
    lines: Vec<Line>,
    change: fn(&mut Lab),
    outcome: Option<Outcome>,
    /// The verdict's reason begins so.
    reason: &'static str,
    gradings: usize,
}

fn say(text: &str) -> Line {
    Line::Say(text.to_owned())
}

fn fixes() -> Line {
    say(&code("write answer 42"))
}

fn unchanged(_: &mut Lab) {}

fn unavailable() -> ModelError {
    ModelError::Unavailable { why: "status 529".to_owned(), retries: 4 }
}

/// Stops everything.
struct Impatient;

impl Supervisor for Impatient {
    fn before_request<'a>(&'a self, _: u32, _: &'a [Arc<Message>]) -> BoxFuture<'a, Decision> {
        ready(Decision::Stop).boxed()
    }
}

fn case(
    exit: Exit,
    lines: Vec<Line>,
    change: fn(&mut Lab),
    outcome: Option<Outcome>,
    reason: &'static str,
    gradings: usize,
) -> Case {
    Case { exit, lines, change, outcome, reason, gradings }
}

fn graded_cases() -> Vec<Case> {
    let done = || say(&code("finish done"));
    let spins = |times: usize| vec![say(&code("print again")); times];
    vec![
        case(
            Exit::Finished,
            vec![fixes(), done()],
            unchanged,
            Some(Outcome::Success),
            "finished: every test is as expected",
            1,
        ),
        case(
            Exit::Finished,
            vec![say(&code("write answer 43\nfinish done"))],
            unchanged,
            Some(Outcome::Failure),
            "finished: 1 tests are",
            1,
        ),
        case(Exit::Finished, vec![done()], unchanged, Some(Outcome::Failure), "finished: no modified files", 0),
        // Changed and changed back.
        case(
            Exit::Finished,
            vec![fixes(), say(&code("write answer 41\\n\nfinish never mind"))],
            unchanged,
            Some(Outcome::Failure),
            "finished: no modified files",
            0,
        ),
        case(
            Exit::Finished,
            vec![say(&code("write answer bench down\nfinish done"))],
            unchanged,
            None,
            "no test engine",
            1,
        ),
        case(
            Exit::Finished,
            vec![say(&code("write answer cheat\nfinish done"))],
            unchanged,
            Some(Outcome::SafetyViolation),
            "finished: the tests were touched",
            1,
        ),
        case(
            Exit::SolvedEarly,
            vec![say(&code("write answer 42\nrun_tests"))],
            unchanged,
            Some(Outcome::Success),
            "solved_early: every test",
            1,
        ),
        case(
            Exit::NoCode,
            vec![say("What now?"), say("I would write code."), say("Well.")],
            unchanged,
            Some(Outcome::Failure),
            "no_code: no modified files",
            0,
        ),
        case(Exit::Stuck, spins(6), unchanged, Some(Outcome::Failure), "stuck: no modified files", 0),
    ]
}

fn limit_cases() -> Vec<Case> {
    let wrong = || say(&code("write answer 43"));
    vec![
        case(
            Exit::Steps,
            vec![wrong(), say(&code("print b"))],
            |lab| lab.settings.limits.steps = 2,
            Some(Outcome::Timeout),
            "steps: 1 tests are",
            1,
        ),
        case(
            Exit::Steps,
            vec![say(&code("print b"))],
            |lab| lab.settings.limits.steps = 1,
            Some(Outcome::Timeout),
            "steps: no modified files",
            0,
        ),
        // Solved by luck: a success, with a flag.
        case(
            Exit::Steps,
            vec![fixes()],
            |lab| lab.settings.limits.steps = 1,
            Some(Outcome::Success),
            "steps: every test",
            1,
        ),
        case(
            Exit::Tokens,
            vec![wrong(), wrong()],
            |lab| lab.settings.limits.tokens = Some(110),
            Some(Outcome::Timeout),
            "tokens: 1 tests",
            1,
        ),
        case(
            Exit::Cost,
            vec![wrong(), wrong()],
            |lab| lab.settings.limits.cost_microdollars = Some(50),
            Some(Outcome::Timeout),
            "cost: 1 tests",
            1,
        ),
    ]
}

fn time_cases() -> Vec<Case> {
    let wrong = || say(&code("write answer 43"));
    vec![
        // The clock goes on within a cell, within a cell that never ends, and within a request that never ends.
        case(
            Exit::WallTime,
            vec![say(&code("write answer 43\nsleep 3600"))],
            unchanged,
            Some(Outcome::Timeout),
            "wall_time: 1 tests",
            1,
        ),
        case(
            Exit::WallTime,
            vec![say(&code("write answer 43\nhang 3600"))],
            unchanged,
            Some(Outcome::Timeout),
            "wall_time: 1 tests",
            1,
        ),
        case(
            Exit::WallTime,
            vec![wrong(), Line::Hang(Nanos::from_secs(3600))],
            unchanged,
            Some(Outcome::Timeout),
            "wall_time: 1 tests",
            1,
        ),
        case(
            Exit::WorkingTime,
            vec![say(&code("write answer 43\nsleep 60"))],
            |lab| lab.settings.limits.working = Some(Nanos::from_secs(60)),
            Some(Outcome::Timeout),
            "working_time: 1 tests",
            1,
        ),
    ]
}

/// The run's budget is spent in the middle of an episode: what was paid for is graded.
fn budget_cases() -> Vec<Case> {
    let spent = || Line::Fail(ModelError::BudgetSpent { what: "5 dollars".to_owned() });
    vec![
        case(Exit::Budget, vec![fixes(), spent()], unchanged, Some(Outcome::Success), "budget: every test", 1),
        case(
            Exit::Budget,
            vec![say(&code("write answer 43")), spent()],
            unchanged,
            Some(Outcome::Timeout),
            "budget: 1 tests",
            1,
        ),
        case(
            Exit::Budget,
            vec![say(&code("write answer 42\nask why")), spent()],
            unchanged,
            Some(Outcome::Success),
            "budget: every test",
            1,
        ),
        // The sub-agent ends with what it has, and its sender at its own next request.
        case(
            Exit::Budget,
            vec![say(&code("write answer 42\nsub_agent look")), spent(), spent()],
            unchanged,
            Some(Outcome::Success),
            "budget: every test",
            1,
        ),
    ]
}

fn context_cases() -> Vec<Case> {
    vec![
        case(
            Exit::ContextTooLong,
            vec![],
            |lab| lab.settings.limits.context_tokens = 10,
            Some(Outcome::Timeout),
            "context_too_long: no modified files",
            0,
        ),
        case(
            Exit::ContextTooLong,
            vec![Line::Fail(ModelError::ContextTooLong { why: "32768 tokens".to_owned() }); 3],
            unchanged,
            Some(Outcome::Timeout),
            "context_too_long: no modified files",
            0,
        ),
    ]
}

fn unscored_cases() -> Vec<Case> {
    let fail = |error: ModelError| vec![fixes(), Line::Fail(error)];
    let refused = ModelError::Refused { why: "no such model".to_owned(), hint: None };
    let unpriced = Line::Reply(ModelReply { cost_microdollars: None, ..reply(&code("write answer 42")) });
    vec![
        // Nothing was paid for it yet: it has not begun.
        case(
            Exit::Budget,
            vec![Line::Fail(ModelError::BudgetSpent { what: "5 dollars".to_owned() })],
            unchanged,
            None,
            "budget: the run's budget",
            0,
        ),
        case(
            Exit::PriceUnknown,
            vec![unpriced],
            |lab| lab.settings.limits.cost_microdollars = Some(1_000),
            None,
            "price_unknown: ",
            0,
        ),
        case(Exit::ScriptEnded, vec![fixes()], unchanged, None, "script_ended: no recorded answer", 0),
        case(Exit::ModelRefused, fail(refused), unchanged, None, "model_refused: the provider", 0),
        case(Exit::ModelUnavailable, fail(unavailable()), unchanged, None, "model_unavailable: the model", 0),
        // What a question meets is no more the agent's fault.
        case(
            Exit::ModelUnavailable,
            vec![say(&code("write answer 42\nask why")), Line::Fail(unavailable())],
            unchanged,
            None,
            "model_unavailable: the model",
            0,
        ),
        case(
            Exit::ModelUnavailable,
            vec![say(&code("write answer 42\nsub_agent look")), Line::Fail(unavailable())],
            unchanged,
            None,
            "model_unavailable: in a sub-agent",
            0,
        ),
        case(
            Exit::SessionFailed,
            vec![say(&code("write answer 42\nbreak"))],
            unchanged,
            None,
            "session_failed: the session failed: the host broke",
            0,
        ),
        case(
            Exit::SessionFailed,
            vec![],
            |lab| lab.sessions.refuses = true,
            None,
            "session_failed: the session failed: no interpreter (hint: run `make setup`)",
            0,
        ),
        case(Exit::Cancelled, vec![fixes()], |lab| lab.supervisor = Arc::new(Impatient), None, "cancelled: ", 0),
    ]
}

#[test]
fn each_exit_has_its_worth() {
    let mut seen = BTreeSet::new();
    let limits = limit_cases().into_iter().chain(time_cases()).chain(context_cases()).chain(budget_cases());
    for case in graded_cases().into_iter().chain(limits).chain(unscored_cases()) {
        let mut lab = Lab::with_lines(case.lines);
        (case.change)(&mut lab);
        let ended = lab.run();
        let name = format!("{}: {}", case.exit, case.reason);
        assert_eq!(ended.exit, case.exit, "{name}: {}", ended.detail);
        assert_eq!(ended.verdict.outcome(), case.outcome, "{name}");
        assert!(ended.verdict.reason().starts_with(case.reason), "{name}: {}", ended.verdict.reason());
        assert_eq!(lab.grader.graded.lock().unwrap().len(), case.gradings, "{name}");
        let trajectory = lab.trajectory();
        assert_eq!(trajectory.verdict(), Some(&ended.verdict), "{name}");
        assert_eq!(events(&trajectory, "exit")[0]["exit"], case.exit.name());
        // Luck after a limit is flagged, and nothing else is.
        let is_lucky = case.exit.worth() == Worth::GradedAfterLimit && case.outcome == Some(Outcome::Success);
        assert_eq!(trajectory.flags().contains("success_after_limit"), is_lucky, "{name}");
        let was_cut = case.exit == Exit::Budget && case.outcome.is_some();
        assert_eq!(trajectory.flags().contains("budget_spent"), was_cut, "{name}");
        assert_eq!(ended.flags.len(), trajectory.flags().len(), "{name}");
        seen.insert(case.exit);
    }
    // The full disk has its own test below, and the full record one among the hostile ones.
    seen.extend([Exit::SinkFailed, Exit::Output]);
    assert_eq!(seen, Exit::ALL.iter().copied().collect(), "every exit is in the table");
}

#[test]
fn a_full_disk_is_no_score_at_any_moment() {
    let lines = || vec![fixes(), say(&code("finish done"))];
    let whole = Lab::with_lines(lines());
    assert_eq!(whole.run().exit, Exit::Finished);
    let mut rooms = 0;
    for room in 0.. {
        let mut lab = Lab::with_lines(lines());
        lab.sinks = Arc::new(MemorySinks::with_room(room));
        let ended = lab.run();
        if ended.exit == Exit::Finished {
            rooms = room;
            break;
        }
        assert_eq!((ended.exit, ended.verdict.outcome()), (Exit::SinkFailed, None), "room for {room}");
        assert!(ended.exit.is_infrastructure());
        // Nothing goes on without its record.
        let asked = lab.model.asked.lock().unwrap().len() as u64;
        assert!(asked <= room, "{asked} requests with room for {room} batches");
    }
    assert!(rooms > 4, "the loop wrote {rooms} times only");
}

#[test]
fn names_differ_and_are_documented() {
    let names: BTreeSet<_> = Exit::ALL.iter().map(|exit| exit.name()).collect();
    assert_eq!(names.len(), Exit::ALL.len());
    let page = include_str!("../../../../docs/rollouts.md");
    for name in names {
        assert!(page.contains(&format!("`{name}`")), "{name} is not in docs/rollouts.md");
    }
}
