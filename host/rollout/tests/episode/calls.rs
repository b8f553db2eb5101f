//! Calls of the host: what they answer, what they cost, that they are limited, and that they cannot deadlock.

use crate::support::{Lab, Line, Script, code, events, reply};
use assay_model::Nanos;
use assay_rollout::Exit;
use assay_rollout::episode::run;
use assay_trace::{EventKind, Usage, stats};
use futures::executor::block_on;
use futures::future::join_all;
use std::sync::Arc;

fn say(text: &str) -> Line {
    Line::Say(text.to_owned())
}

/// Runs `commands` in one cell with `helper` for questions and sub-agents, then gives what the model was shown of it.
fn shown(commands: &str, helper: Vec<Line>, change: impl FnOnce(&mut Lab)) -> (String, Lab) {
    let mut lab = Lab::new(&[&code(commands), &code("finish done")]).helper(helper);
    change(&mut lab);
    lab.run();
    let asked = lab.model.asked.lock().unwrap();
    let text = asked[1].messages.last().unwrap().text();
    drop(asked);
    (text, lab)
}

#[test]
fn why_tests_could_not_run_is_recorded_and_not_told() {
    let (text, lab) = shown("write answer ambiguous\nrun_tests", Vec::new(), |_| ());
    assert!(text.contains("the tests could not be run") && !text.contains("test_hidden"), "{text}");
    let flags = events(&lab.trajectory(), "flag");
    assert!(
        flags.iter().any(|flag| flag["detail"].as_str().is_some_and(|why| why.contains("test_hidden"))),
        "{flags:?}"
    );
}

#[test]
fn answers() {
    type Change = fn(&mut Lab);
    // The commands, what the helper says, a change, and what the model is shown.
    let cases: Vec<(&str, &[&str], Change, &[&str])> = vec![
        ("write answer 43\nrun_tests", &[], |_| (), &["0 of 1 tests are as expected"]),
        ("write answer 43\nrun_tests tests/a.py", &[], |_| (), &["All tests were run", "0 of 1 tests"]),
        ("write answer bench down\nrun_tests", &[], |_| (), &["the tests could not be run"]),
        ("run_tests", &[], |lab| lab.settings.calls.test_runs = 0, &["run_tests is not available here"]),
        (
            "run_tests\nrun_tests",
            &[],
            |lab| lab.settings.calls.test_runs = 1,
            &["0 of 1 tests", "run_tests was called 1 times already"],
        ),
        ("shell ls", &[], |_| (), &["shell is not available here"]),
        ("shell ls", &[], |lab| lab.settings.calls.shell_commands = 1, &["ran ls", "[exit code 0]"]),
        ("ask Why?", &["Because."], |_| (), &["Because."]),
        (
            "ask Why?\nask Why?",
            &["Because.", "So."],
            |lab| lab.settings.calls.question_tokens = 1,
            &["Because.", "the 1 tokens for questions are used up"],
        ),
        (
            "sub_agent look",
            &["```repl\nwrite notes new\nfinish looked\n```"],
            |_| (),
            &["looked", "diff --git a/notes b/notes", "-old", "+new"],
        ),
        ("sub_agent look", &["```repl\nfinish looked\n```"], |_| (), &["looked", "It changed no files."]),
        (
            "sub_agent look",
            &["```repl\nprint a\n```"],
            |lab| lab.settings.calls.sub_agent_steps = 1,
            &["[it did not finish: steps: 1 of 1 used]"],
        ),
        ("sub_agent look", &[], |lab| lab.settings.calls.sub_agent_depth = 0, &["sub_agent is not available here"]),
    ];
    for (commands, helper, change, expected) in cases {
        let helper = helper.iter().map(|text| say(text)).collect();
        let (text, _) = shown(commands, helper, change);
        for part in expected {
            assert!(text.contains(part), "{commands}: {part:?} in {text}");
        }
    }
}

#[test]
fn what_was_guessed_on_the_way_is_counted_and_flagged() {
    // The cell, what a sub-agent does, and how many contradicted successes each grading knows of.
    let cases: [(&str, &[&str], &[u32]); 5] = [
        ("write answer guess\nrun_tests\nrun_tests\nfinish done", &[], &[0]),
        (
            "write answer guess 1\nrun_tests\nwrite answer guess 2\nrun_tests\nwrite answer 42\nfinish done",
            &[],
            &[0, 1, 2],
        ),
        ("write answer guess 1\nrun_tests\nwrite answer 43\nrun_tests\nwrite answer 42\nfinish done", &[], &[0, 1, 1]),
        ("sub_agent look\nwrite answer 42\nfinish done", &["write answer guess\nrun_tests\nfinish looked"], &[0, 1]),
        // A score that its sender's files have already is asked for again.
        (
            "write answer 42\nrun_tests\nsub_agent look\nfinish done",
            &["write answer guess\nrun_tests\nfinish looked"],
            &[0, 0, 1],
        ),
    ];
    for (cell, helper, expected) in cases {
        let helper = helper.iter().map(|text| say(&code(text))).collect();
        let mut lab = Lab::new(&[&code(cell)]).helper(helper);
        lab.settings.early_stop = false;
        let ended = lab.run();
        let before: Vec<u32> = lab.grader.graded.lock().unwrap().iter().map(|so_far| so_far.contradicted).collect();
        assert_eq!(before, expected, "{cell}");
        assert!(ended.flags.iter().any(|flag| flag.name == "control_passed"), "{cell}: {:?}", ended.flags);
        let times = events(&lab.trajectory(), "flag").iter().filter(|flag| flag["name"] == "control_passed").count();
        assert_eq!(times, 1 + usize::from(cell.contains("guess 2")), "{cell}");
    }
}

#[test]
fn a_sub_agent_has_its_own_record_and_leaves_the_files_alone() {
    let helper = vec![say(&code("write notes new\nfinish looked"))];
    let (_, lab) = shown("sub_agent look at it\nread_nothing", helper, |_| ());
    assert_eq!(lab.sinks.names(), ["ep-1", "ep-1.1"]);
    let sub_agent = lab.sinks.trajectory("ep-1.1");
    assert_eq!(sub_agent.metadata().parent.as_ref().unwrap().trajectory_id.as_str(), "ep-1");
    assert!(sub_agent.messages().any(|message| message.text().contains("look at it")));
    assert_eq!(sub_agent.verdict().unwrap().reason(), "finished: a sub-agent is not graded by itself");
    let sent = lab.trajectory().events().any(|event| matches!(&event.kind, EventKind::SubAgent(_)));
    assert!(sent);
    assert_eq!(events(&lab.trajectory(), "patch")[0]["bytes"], 0, "the sender's files are as they were");
}

#[test]
fn what_helpers_use_is_the_episodes() {
    let used = |input| Usage { input, output: 1, ..Usage::default() };
    let line =
        |text: &str, input| Line::Reply(assay_rollout::ports::ModelReply { usage: Some(used(input)), ..reply(text) });
    let helper = vec![line("Because.", 1_000), line(&code("finish looked"), 10_000)];
    let mut lab = Lab::new(&[&code("ask Why?\nsub_agent look"), &code("finish done")]).helper(helper);
    let ended = lab.run();
    assert_eq!(ended.spent.usage.input, 1_000 + 10_000 + 2 * 100);
    assert_eq!(ended.spent.cost_microdollars, Some(4 * 50));
    assert_eq!(ended.sub_agents.len(), 1);
    // The file of the sender holds what it and its questions used; the sub-agent's is in its own.
    assert_eq!(stats(&lab.trajectory()).tokens.known.input, 1_000 + 2 * 100);
    assert_eq!(stats(&lab.sinks.trajectory("ep-1.1")).tokens.known.input, 10_000);

    // A sub-agent cannot spend what its sender does not have: the sender's limit ends it, and the sender too.
    let spin = code("print a");
    let spins: Vec<Line> = (0..40).map(|n| line(&format!("{spin}{n}"), 1_000)).collect();
    lab = Lab::new(&[&code("sub_agent look")]).helper(spins);
    lab.settings.limits.tokens = Some(5_000);
    let ended = lab.run();
    assert_eq!(ended.exit, Exit::Tokens);
    assert!(ended.spent.usage.total() < 6_200, "{:?}", ended.spent);
    assert_eq!(events(&lab.sinks.trajectory("ep-1.1"), "exit")[0]["exit"], "tokens");
}

/// Recorded answers are known by their requests, and a provider gives equal requests equal answers: who asks again wants another.
#[test]
fn a_question_that_was_asked_before_has_another_seed() {
    let helper = ["a", "b", "c", "d"].map(say).into();
    let (_, lab) = shown("ask Why?\nask Why?\nask How?\nask Why?", helper, |_| ());
    let asked = lab.helper.as_ref().expect("a helper").asked.lock().unwrap();
    let seeds: Vec<u64> = asked.iter().map(|request| request.seed.expect("a seed")).collect();
    let own = lab.model.asked.lock().unwrap()[0].seed.expect("a seed");
    assert_eq!(seeds, [own, own + 1, own, own + 2]);

    let helper = ["a", "b"].map(say).into();
    let (_, lab) = shown("ask Why?\nask Why?", helper, |lab| lab.settings.send_seed = false);
    assert!(lab.helper.as_ref().expect("a helper").asked.lock().unwrap().iter().all(|request| request.seed.is_none()));
}

#[test]
fn calls_of_sub_agents_count_as_the_senders() {
    let helper = vec![say(&code("run_tests\nwrite answer 40\nrun_tests\nfinish looked"))];
    let (text, lab) = shown("sub_agent look\nrun_tests\nwrite answer 39\nrun_tests", helper, |lab| {
        lab.settings.calls.test_runs = 3;
    });
    assert!(text.contains("run_tests was called 3 times already"), "{text}");
    // Three of them, and the one at the end.
    assert_eq!(lab.grader.graded.lock().unwrap().len(), 3 + 1);
}

#[test]
fn files_that_were_just_graded_are_not_graded_again() {
    let mut lab = Lab::new(&[&code("write answer 43\nrun_tests\nrun_tests\nfinish done")]);
    lab.settings.early_stop = false;
    lab.run();
    assert_eq!(lab.grader.graded.lock().unwrap().len(), 1);
}

#[test]
fn solved_files_must_still_be_there_at_the_end_of_the_cell() {
    let lab = Lab::new(&[&code("write answer 42\nrun_tests\nwrite answer 43"), &code("finish done")]);
    assert_eq!(lab.run().exit, Exit::Finished);
    let mut lab = Lab::new(&[&code("write answer 42\nrun_tests"), &code("write notes b\nfinish done")]);
    lab.settings.early_stop = false;
    assert_eq!(lab.run().exit, Exit::Finished);
}

#[test]
fn depth_is_limited() {
    let helper = vec![say(&code("sub_agent deeper")), say(&code("finish looked"))];
    let (_, lab) = shown("sub_agent look", helper, |_| ());
    let told = lab.sinks.trajectory("ep-1.1");
    assert!(told.messages().any(|message| message.text().contains("sub_agent is not available here")));

    // However deep the settings allow, the stack is not put at risk.
    let deep = (0..8).map(|_| say(&code("sub_agent deeper"))).chain((0..20).map(|_| say(&code("finish x"))));
    let mut lab = Lab::new(&[&code("sub_agent look"), &code("finish done")]).helper(deep.collect());
    lab.settings.calls.sub_agent_depth = 1_000;
    assert_eq!(lab.run().sub_agents.len(), 8);

    let helper = vec![say(&code("sub_agent deeper")), say(&code("finish deep")), say(&code("finish looked"))];
    let lab = {
        let mut lab = Lab::new(&[&code("sub_agent look"), &code("finish done")]).helper(helper);
        lab.settings.calls.sub_agent_depth = 2;
        let ended = lab.run();
        assert_eq!(ended.sub_agents.len(), 2);
        lab
    };
    assert_eq!(lab.sinks.names(), ["ep-1", "ep-1.1", "ep-1.1.1"]);
}

/// One permit for all requests of all models: episodes with questions and sub-agents, nested two deep, all at once, come to their end.
#[test]
fn one_permit_is_enough() {
    let permit = Arc::new(futures::lock::Mutex::new(()));
    let labs: Vec<Lab> = (0..8)
        .map(|_| {
            let mut lab = Lab::new(&[]);
            let lines = vec![say(&code("ask Why?\nsub_agent look\nrun_tests")), say(&code("finish done"))];
            let helper = vec![
                say("Because."),
                say(&code("ask Why?\nsub_agent deeper")),
                say("So."),
                say(&code("run_tests\nfinish deep")),
                say(&code("finish looked")),
            ];
            lab.model = Arc::new(Script::new(lines, &lab.clock).with_permit(&permit));
            lab.helper = Some(Arc::new(Script::new(helper, &lab.clock).with_permit(&permit)));
            lab.settings.calls.sub_agent_depth = 2;
            lab
        })
        .collect();
    let ports: Vec<_> = labs.iter().map(Lab::ports).collect();
    let runs = labs.iter().zip(&ports).map(|(lab, ports)| run(ports, lab.start.clone(), &lab.settings));
    for ended in block_on(join_all(runs)) {
        assert_eq!(ended.exit, Exit::Finished, "{}", ended.detail);
        assert_eq!(ended.sub_agents.len(), 2);
    }
}

/// The sender of a sub-agent waits while the sub-agent waits: its working time does not run.
#[test]
fn waiting_of_sub_agents_is_no_working_time() {
    let helper = vec![say(&code("sleep 5")), Line::Late(Nanos::from_secs(600), code("finish looked"))];
    let mut lab = Lab::new(&[&code("sub_agent look"), &code("finish done")]).helper(helper);
    lab.settings.limits.working = Some(Nanos::from_secs(60));
    let ended = lab.run();
    assert_eq!(ended.exit, Exit::Finished, "{}", ended.detail);
    assert!(ended.spent.working < Nanos::from_secs(7) && ended.spent.wall > Nanos::from_secs(605));
}

/// Nobody but the sender can say that a request was made which was under way when its cell was broken off.
#[test]
fn a_request_that_is_cut_off_with_its_cell_is_of_unknown_cost() {
    let lab = Lab::new(&[&code("ask Why?")]).helper(vec![Line::Hang(Nanos::from_secs(3_600))]);
    assert_eq!(lab.run().exit, Exit::WallTime);
    let trajectory = lab.trajectory();
    let broken = trajectory.events().filter(
        |event| matches!(&event.kind, EventKind::ModelCall(call) if call.error.is_some() && call.usage.is_none()),
    );
    assert_eq!(broken.count(), 1);
}

#[test]
fn the_senders_time_ends_a_sub_agent_that_hangs() {
    let helper = vec![Line::Hang(Nanos::from_secs(3_600))];
    let lab = Lab::new(&[&code("write answer 43\nsub_agent look")]).helper(helper);
    let ended = lab.run();
    assert_eq!(ended.exit, Exit::WallTime);
    assert_eq!(ended.sub_agents.len(), 1);
    assert_eq!(events(&lab.sinks.trajectory("ep-1.1"), "exit")[0]["exit"], "wall_time");
}
