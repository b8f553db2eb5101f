//! Replies and outputs that are as large, as many or as odd as can be.

use crate::support::{Lab, Line, code, events, reply};
use assay_rollout::code_blocks::find;
use assay_rollout::ports::ModelReply;
use assay_rollout::replay::replay;
use assay_rollout::{ANSWER_BYTES_MAX, BLOCKS_PER_REPLY_MAX, Exit, REPLY_BYTES_MAX, SUBMISSION_BYTES_MAX};
use assay_trace::{Outcome, Part};
use futures::executor::block_on;

#[test]
fn a_reply_of_ten_megabytes() {
    let prose = "All work and no play. ".repeat(500_000);
    let lab = Lab::new(&[&prose, &code("finish done")]);
    let ended = lab.run();
    assert_eq!(ended.exit, Exit::Finished, "{}", ended.detail);
    let trajectory = lab.trajectory();
    let kept = trajectory.messages().nth(2).unwrap().text().len();
    assert!(kept <= REPLY_BYTES_MAX && kept > REPLY_BYTES_MAX / 2, "{kept}");
    assert!(trajectory.flags().contains("reply_cut"));
    assert!(lab.last_asked().len() < 8 * 28_000, "it fits into the context all the same");
}

#[test]
fn other_parts_of_ten_megabytes() {
    let huge = "x".repeat(10 << 20);
    let parts = vec![
        Part::Reasoning { text: huge.clone(), signature: Some(huge.clone()) },
        Part::RedactedReasoning { data: huge },
        Part::text(code("finish done")),
    ];
    let lab = Lab::with_lines(vec![Line::Reply(ModelReply { parts, ..reply("") })]);
    assert_eq!(lab.run().exit, Exit::Finished);
    assert!(lab.sinks.bytes("ep-1").len() < 1 << 20);
}

#[test]
fn ten_thousand_blocks() {
    let lab = Lab::new(&[&code("print a").repeat(10_000), &code("finish done")]);
    let ended = lab.run();
    assert_eq!(ended.exit, Exit::Finished, "{}", ended.detail);
    assert_eq!(events(&lab.trajectory(), "code_cell").len(), BLOCKS_PER_REPLY_MAX + 1);
    assert!(lab.last_asked().contains("Only the first 32 blocks were run."));
}

#[test]
fn finding_blocks_is_linear() {
    // Each would take minutes if a line were looked at once for every other line.
    let texts = [
        "```repl\n".repeat(20_000),
        "```repl\n\"\"\"\n```\n".repeat(20_000),
        "```repl\n\"\"\"\n".repeat(20_000),
        "```python\n".repeat(20_000),
        "`".repeat(100_000),
        "\n".repeat(100_000),
        format!("```repl\n{}", "\\".repeat(100_000)),
    ];
    for text in texts {
        assert!(find(&text).len() <= 20_000);
    }
}

#[test]
fn outputs_of_any_size_are_shown_in_part() {
    let lab = Lab::new(&[&code("spill 50000000"), &code("finish done")]);
    lab.run();
    let shown = lab.last_asked();
    assert!(shown.len() < 40_000, "{}", shown.len());
    assert!(shown.contains("bytes left out") && shown.contains("bytes of output were dropped"));
    // Many cells of one reply share the step's room.
    let lab = Lab::new(&[&code("spill 20000").repeat(30), &code("finish done")]);
    lab.run();
    let last = lab.model.asked.lock().unwrap().last().unwrap().messages.last().unwrap().text();
    assert!(last.len() < 60_000, "{}", last.len());
}

#[test]
fn a_file_that_is_one_large_hole_makes_no_patch() {
    let lab = Lab::new(&[&code(&format!("stretch answer {SUBMISSION_BYTES_MAX}\nfinish done"))]);
    let ended = lab.run();
    assert!(ended.patch.is_none());
    let patch = &events(&lab.trajectory(), "patch")[0];
    let none = patch["none"].as_str().unwrap();
    assert!(none.starts_with("the changed files have 67108879 bytes; the maximum is 67108864"), "{none}");
    assert_eq!(
        ended.verdict.outcome(),
        Some(Outcome::Failure),
        "what it is worth is for the grader: {:?}",
        ended.verdict
    );
    assert_eq!(lab.grader.graded.lock().unwrap().len(), 1);
}

#[test]
fn control_characters_do_not_reach_the_model() {
    let lab = Lab::new(&[&code("print a\0b\u{1b}[31mred\u{7f}\u{85}\r\nprint tab\tis fine"), &code("finish a\0b")]);
    let ended = lab.run();
    let asked = lab.model.asked.lock().unwrap();
    // Its own words come back to it as they were.
    let told = asked[1].messages.last().unwrap().text();
    assert_eq!(told.find(|c: char| c.is_control() && !matches!(c, '\n' | '\t')), None);
    assert!(told.contains("tab\tis fine"), "{told}");
    assert!(!ended.detail.contains('\0'));
}

#[test]
fn arguments_answers_and_tracebacks_of_any_size() {
    // A session can make longer ones than a reply can hold: here by `grow`, which repeats its last argument.
    let lab = Lab::new(&[&code("grow 1000000 ask"), &code("grow 1000000 raise"), &code("ask why\nfinish done")])
        .helper(vec![Line::Say("y".repeat(10 << 20))]);
    let ended = lab.run();
    assert_eq!((ended.exit, ended.detail.as_str()), (Exit::Finished, "done"));
    assert!(lab.sinks.bytes("ep-1").len() < 1 << 20);
    let trajectory = lab.trajectory();
    let calls = events(&trajectory, "host_call");
    assert!(calls[0]["error"].as_str().unwrap().starts_with("the arguments are longer than"));
    assert!(calls[0]["arguments"]["digest"].is_string());
    assert!(calls[1]["answer"].as_str().unwrap().len() < ANSWER_BYTES_MAX + 100);
    let replayed = block_on(replay(&trajectory, &lab.start.base, &lab.sessions)).unwrap();
    assert_eq!(replayed.divergence, None);

    let ended = Lab::new(&[&code("grow 1000000 finish")]).run();
    assert_eq!(ended.exit, Exit::Finished);
    assert!(ended.detail.len() < 5_000);
}

#[test]
fn a_record_does_not_grow_without_end() {
    let mut lab = Lab::new(&[&code("spill 800000").repeat(20)]);
    lab.settings.limits.record_bytes = 2_000_000;
    lab.settings.limits.session.output_bytes_per_cell = 800_000;
    let ended = lab.run();
    assert_eq!((ended.exit, ended.verdict.outcome()), (Exit::Output, Some(Outcome::Timeout)));
    assert_eq!(events(&lab.trajectory(), "code_cell").len(), 3);
}

#[test]
fn a_reply_that_was_cut_off_does_not_run_half_a_block() {
    let text = format!("{}```repl\nwrite answer 4", code("write notes new"));
    let cut = ModelReply { stop_reason: Some("length".to_owned()), ..reply(&text) };
    let lab = Lab::with_lines(vec![Line::Reply(cut), Line::Say(code("finish done"))]);
    let ended = lab.run();
    assert!(lab.last_asked().contains("Your reply was cut off"));
    assert_eq!(ended.tree.read_all(b"answer").unwrap().to_vec(), b"41\n");
    assert_eq!(ended.tree.read_all(b"notes").unwrap().to_vec(), b"new");
    // A block that the model itself left open runs.
    let lab = Lab::new(&["```repl\nwrite answer 42\nfinish done"]);
    assert_eq!(lab.run().verdict.reward(), Some(1.0));
}

#[test]
fn words_of_the_end_in_output_and_prose_end_nothing() {
    let lab = Lab::new(&[
        &format!("FINAL(42) COMPLETE_TASK_AND_SUBMIT finish(\"x\"){}", code("print finish done\nprint FINAL(1)")),
        &code("write answer 42\nfinish done"),
    ]);
    let ended = lab.run();
    assert_eq!((ended.exit, ended.steps), (Exit::Finished, 2));
}
