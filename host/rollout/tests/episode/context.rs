//! What of a conversation is sent.

use crate::support::{Lab, Line, code, events};
use assay_rollout::Exit;
use assay_rollout::context::{Conversation, weight};
use assay_rollout::ports::ModelError;
use assay_trace::{Message, MessageId, Part, Role};
use proptest::prelude::*;
use std::sync::Arc;

fn message(place: usize, is_reply: bool, bytes: usize) -> Arc<Message> {
    let (id, text) = (MessageId::by_position(place), "x".repeat(bytes));
    Arc::new(if is_reply {
        Message::assistant(id, vec![Part::text(text)], Vec::new()).unwrap()
    } else {
        Message::user(id, text)
    })
}

proptest! {
    /// Whatever the sizes: what is sent fits, holds the head and the newest step, and lacks the oldest steps only.
    #[test]
    fn what_is_sent_fits(
        head in 0usize..3_000,
        steps in prop::collection::vec((0usize..4_000, 0usize..4_000), 0..12),
        budget in 1u64..4_000,
        measured in prop::option::of((1u64..10_000, 1u64..40_000)),
    ) {
        let mut conversation = Conversation::new(vec![message(1, false, head / 2), message(2, false, head / 2)]);
        for (place, (reply, output)) in steps.iter().enumerate() {
            conversation.push(message(3 + 2 * place, true, *reply));
            conversation.push(message(4 + 2 * place, false, *output));
        }
        if let Some((tokens, bytes)) = measured {
            conversation.measured(bytes, tokens);
        }
        let smallest = conversation.tokens((head + 2 * 12 + 160 + 1_200) as u64);
        match conversation.fit(budget) {
            Err(_) => prop_assert!(budget < smallest, "{budget} of {smallest} is not enough"),
            Ok(fitted) => {
                prop_assert!(fitted.tokens <= budget, "{} of {budget}", fitted.tokens);
                prop_assert_eq!(fitted.bytes, fitted.messages.iter().map(|message| weight(message)).sum::<u64>());
                let ids: Vec<String> = fitted.messages.iter().map(|message| message.id().to_string()).collect();
                let left_out = 2 * fitted.steps_left_out;
                let all = 2 + 2 * steps.len();
                let expected: Vec<_> = (1..=2).chain(3 + left_out..=all).map(|place| format!("m{place}")).collect();
                prop_assert_eq!(ids, expected);
                let note = fitted.messages[1].text().contains("steps of your work are left out");
                prop_assert_eq!(note, left_out > 0);
                prop_assert!(steps.is_empty() || fitted.steps_left_out < steps.len());
            }
        }
    }
}

/// What a request begins with is what the last one began with, but for a few: a provider's cache holds it.
#[test]
fn requests_begin_alike() {
    let mut conversation = Conversation::new(vec![message(1, false, 1_000)]);
    let (mut before, mut changes) = (Vec::new(), 0);
    for step in 0..60 {
        conversation.push(message(2 + 2 * step, true, 500));
        conversation.push(message(3 + 2 * step, false, 500));
        let sent = conversation.fit(4_000).unwrap().messages;
        changes += usize::from(!sent.starts_with(&before));
        before = sent;
    }
    assert!((4..=14).contains(&changes), "{changes}");
}

#[test]
fn what_a_provider_refused_is_not_tried_again() {
    let mut conversation = Conversation::new(vec![message(1, false, 1_000)]);
    for step in 0..10 {
        conversation.push(message(2 + 2 * step, true, 1_000));
        conversation.push(message(3 + 2 * step, false, 1_000));
    }
    let refused = conversation.fit(1_000_000).unwrap().bytes;
    conversation.was_too_long(refused);
    for step in 10..40 {
        let fitted = conversation.fit(1_000_000).unwrap();
        assert!(fitted.bytes <= refused / 4 * 3, "{} of {refused}", fitted.bytes);
        // That it went well says nothing of more.
        conversation.measured(fitted.bytes, fitted.bytes / 4);
        conversation.push(message(2 + 2 * step, true, 1_000));
        conversation.push(message(3 + 2 * step, false, 1_000));
    }
}

#[test]
fn empty_replies_are_sent_with_a_text() {
    let mut conversation = Conversation::new(vec![message(1, false, 10)]);
    conversation.push(message(2, true, 0));
    let fitted = conversation.fit(1_000).unwrap();
    assert_eq!(fitted.messages[1].text(), "(no text)");
    assert_eq!(fitted.messages[1].role(), Role::Assistant);
}

#[test]
fn an_episode_leaves_out_its_oldest_steps_and_says_so() {
    let mut replies: Vec<String> = (0..20).map(|n| code(&format!("print step-{n}\nspill 3000"))).collect();
    replies.push(code("finish done"));
    let mut lab = Lab::new(&replies.iter().map(String::as_str).collect::<Vec<_>>());
    lab.settings.limits.context_tokens = 4_000;
    // The fake usage of 100 tokens for each request would stretch the estimate to eight bytes a token.
    lab.run();
    let asked = lab.last_asked();
    assert!(asked.contains("The answer is off by one."), "the report stays");
    assert!(asked.contains("You repair a bug"), "the system prompt stays");
    assert!(asked.contains("step-19") && !asked.contains("step-3\n"), "old steps go first");
    assert!(asked.contains("steps of your work are left out here"));
    let trims = events(&lab.trajectory(), "context_trimmed");
    // Half of the room is made free at once: between two trims a cache holds.
    assert!((2..=4).contains(&trims.len()), "{trims:?}");
    // The record itself lacks nothing.
    assert_eq!(lab.trajectory().messages().count(), 2 + 20 * 2 + 1);
}

#[test]
fn a_request_that_the_provider_finds_too_long_is_tried_with_less() {
    let too_long = Line::Fail(ModelError::ContextTooLong { why: "32768 tokens".to_owned() });
    let step = |n: u32| Line::Say(code(&format!("print step-{n}\nspill 3000")));
    let lines = (0..5).map(step).chain([too_long.clone(), too_long, Line::Say(code("finish done"))]);
    let mut lab = Lab::with_lines(lines.collect());
    lab.settings.limits.context_tokens = 5_500;
    assert_eq!(lab.run().exit, Exit::Finished);
    let asked = lab.model.asked.lock().unwrap();
    let sizes: Vec<usize> = asked[5..].iter().map(|request| request.messages.len()).collect();
    assert!(sizes[0] > sizes[1] && sizes[1] > sizes[2], "{sizes:?}");
}
