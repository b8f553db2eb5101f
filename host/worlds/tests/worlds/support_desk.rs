//! The example world with the agents that come with Assay.

use crate::common::{desk, episode, task};
use assay_model::Seed;
use assay_trace::{Outcome, Record, Role};
use assay_world::{Action, Deed, End, Episode, Fault, Heard, Profile, Single, Task};
use assay_worlds::agents::OwnAgent;
use std::sync::Arc;

#[test]
fn the_same_episode_leaves_the_same_records() {
    let world = desk();
    for task in &world.tasks {
        for faults in [Profile::None, Profile::Rough] {
            let first = episode(&world, task, &OwnAgent::Scripted, 7, faults).1;
            let threads = std::thread::scope(|scope| {
                let again = || episode(&world, task, &OwnAgent::Scripted, 7, faults).1;
                let handles: Vec<_> = (0..4).map(|_| scope.spawn(again)).collect();
                handles.into_iter().map(|handle| handle.join().expect("no panic")).collect::<Vec<_>>()
            });
            assert!(threads.iter().all(|records| *records == first), "{}", task.id);
        }
    }
}

/// A contented user is gone, and the agent may still finish what it began.
#[test]
fn an_agent_finishes_after_its_user_is_content() {
    let world = desk();
    let task = task(&world, "late-voucher");
    let mut episode = Episode::begin(&world.definition, &task, Seed(1), Profile::None).expect("it begins");
    let say = |text: &str| Action { say: Some(text.to_owned()), ..Action::default() };
    let call = |tool: &str, arguments: &str| Action {
        calls: vec![(tool.to_owned(), arguments.to_owned())],
        ..Action::default()
    };
    episode.act(&say("What is your e-mail address?"));
    episode.act(&call("find_customer", r#"{"email":"piet@mail.example"}"#));
    episode.act(&call("issue_voucher", r#"{"order_id":"O-107","cents":500}"#));
    let turn = episode.act(&say("Here is a voucher of 500 cents. I will close your ticket now."));
    assert!(matches!(&turn.heard[..], [Heard::User(text)] if text.contains("all I needed")), "{:?}", turn.heard);
    assert_eq!(episode.end(), None);
    episode.act(&call("list_tickets", r#"{"customer_id":"C-4"}"#));
    episode.act(&call("close_ticket", r#"{"ticket_id":"T-4","resolution":"solved"}"#));
    episode.act(&say("It is closed."));
    assert_eq!(episode.end(), Some(End::UserContent));
    assert_eq!(episode.judge().expect("comparable").outcome, Outcome::Success);
}

/// What the reference actions name, the agent can learn: from the request, from the user or from answers.
#[test]
fn every_ticket_that_must_be_named_can_be_found() {
    let world = desk();
    for task in &world.tasks {
        let (_, records) = episode(&world, task, &OwnAgent::Scripted, 1, Profile::None);
        let heard = records.iter().filter_map(|record| match record {
            Record::Message(message) if message.role() != Role::Assistant => Some(message.text()),
            _ => None,
        });
        let heard: String = heard.collect();
        for deed in &task.gold {
            if let Deed::Call { arguments, .. } = deed
                && let Some(ticket) = arguments.get("ticket_id").and_then(|ticket| ticket.as_str())
            {
                assert!(heard.contains(ticket), "{}: {ticket}", task.id);
            }
        }
    }
}

/// Each fault befalls the first call to the tool that decides a task.
#[test]
fn each_fault_that_hides_work_fails_the_hasty_and_not_the_careful() {
    let world = desk();
    let base = task(&world, "refund-damaged");
    for (fault, hasty_fails) in [
        (Fault::RateLimit, true),
        (Fault::ServerError, true),
        (Fault::TimeoutBefore, true),
        // Done, whatever the answer: not looking is no harm here, and neither is trying again.
        (Fault::TimeoutAfter, false),
        (Fault::Malformed, false),
        (Fault::Truncated, false),
        (Fault::Duplicate, false),
        (Fault::ConcurrentWriter, true),
        (Fault::SchemaDrift, true),
        (Fault::SlowDays, false),
    ] {
        let faults = vec![Single::new("refund_payment", 1, fault)];
        let task = Arc::new(Task { faults, ..(*base).clone() });
        for (agent, fails) in [(OwnAgent::Scripted, false), (OwnAgent::Hasty, hasty_fails)] {
            let (judged, _) = episode(&world, &task, &agent, 1, Profile::None);
            assert_eq!(judged.outcome != Outcome::Success, fails, "{fault:?} {agent:?}: {:?}", judged.why);
        }
    }
}
