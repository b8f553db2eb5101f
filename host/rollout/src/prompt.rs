//! Every word that the loop itself says to a model.
//!
//! Invariant: what is said of a task is made from [`Public`], a type without a secret field, and from nothing else.

use assay_grade::task::Public;

use crate::code_blocks::LANGUAGE;
use crate::settings::Calls;
use crate::text::{cut_middle, printable};

/// A bug report or a sub-agent's task is no longer than this in a prompt: half of the standard context. Real reports have a few thousand bytes.
const REPORT_BYTES_MAX: usize = 40_000;

/// What the system prompt says of the rules.
pub(crate) struct Rules<'a> {
    /// [`Sessions::help`](crate::ports::Sessions::help).
    pub(crate) help: &'a str,
    pub(crate) folder: &'a str,
    pub(crate) steps: u32,
    pub(crate) shown_bytes_per_cell: usize,
    pub(crate) calls: &'a Calls,
    /// How deep sub-agents may still go.
    pub(crate) depth_left: u32,
}

/// The instructions of the agent that repairs the bug.
pub(crate) fn system(rules: &Rules<'_>) -> String {
    format!(
        "You repair a bug in a software repository. You work alone: nobody answers questions.\n\n{}\n\
        Mend the cause in the source files with as small a change as does it well. Do not change tests or test settings to make them pass: the \
        tests that decide are kept elsewhere and put in place before they run. When the bug is mended and you have checked it, call \
        finish(summary) with a sentence or two on what you changed.\n",
        working(rules)
    )
}

/// The instructions of an agent that another one sent off.
pub(crate) fn sub_agent_system(rules: &Rules<'_>) -> String {
    format!(
        "You do a task that another agent gives you, in a copy of its files. You work alone: nobody answers questions.\n\n{}\n\
        The other agent sees nothing but the summary that you give to finish(summary) and a patch of the files that you changed. Call it as soon \
        as the task is done, with all that the other agent must know.\n",
        working(rules)
    )
}

fn working(rules: &Rules<'_>) -> String {
    let Rules { help, folder, steps, shown_bytes_per_cell, .. } = rules;
    format!(
        "# How you work\n\
        The repository is at {folder}, which is the working folder. You act by writing Python in fenced blocks tagged `{LANGUAGE}`:\n\n\
        ```{LANGUAGE}\n\
        print(read_file(\"setup.py\"))\n\
        ```\n\n\
        All `{LANGUAGE}` blocks of a reply run in order, in one session that lasts: variables, functions and files stay. Blocks with another tag do \
        not run. Then you are shown what they printed, at most {shown_bytes_per_cell} bytes of each, and write the next reply. Think before you \
        act, look before you change, and check what you changed. There is no network, no other program and no other file than those here.\n\n\
        # Tools\n\
        {help}\n\n\
        {}\n\
        # Limits\n\
        You have {steps} replies. A block that runs too long or takes too much memory is stopped; then variables are lost, files are not.\n",
        calls(rules.calls, rules.depth_left),
        help = help.trim(),
    )
}

fn calls(calls: &Calls, depth_left: u32) -> String {
    let sub_agents = if depth_left == 0 { 0 } else { calls.sub_agents };
    let lines = [
        (
            "run_tests",
            calls.test_runs,
            "it runs all tests over your files and tells whether every one is as it should be",
        ),
        ("shell", calls.shell_commands, "it runs in a fresh container over your files; changes that it makes are lost"),
        ("llm_query", calls.questions, "the one asked sees nothing but the prompt"),
        ("sub_agent", sub_agents, "it works on a copy of your files and returns a summary and a patch"),
    ];
    let line = |(name, times, what): &(&str, u32, &str)| match times {
        0 => format!("{name} is not available here.\n"),
        _ => format!("{name} can be called {times} times: {what}.\n"),
    };
    lines.iter().map(line).collect()
}

/// The first message: the bug report.
pub(crate) fn report(task: &Public) -> String {
    let Public { instance_id: _, repository, problem_statement, language } = task;
    let intro = format!("The repository is {repository}, written in {language}.");
    if problem_statement.trim().is_empty() {
        return format!(
            "{intro} There is no bug report: find out what is broken from the code and its tests, and mend it.\n"
        );
    }
    let statement = printable(problem_statement);
    format!("{intro} This is the bug report:\n\n{}\n", cut_middle(statement.trim(), REPORT_BYTES_MAX))
}

/// The first message of a sub-agent.
pub(crate) fn sub_agent_task(task: &str) -> String {
    format!("Your task:\n\n{}\n", cut_middle(printable(task).trim(), REPORT_BYTES_MAX))
}

/// The answer to a reply without code; `nudge` takes the place of our words on how to go on.
pub(crate) fn no_code(replies_left: u32, nudge: Option<&str>) -> String {
    let how = nudge.map_or_else(
        || {
            format!(
                "Write code like this:\n\n```{LANGUAGE}\nprint(ls())\n```\n\n\
                If the work is done, call finish(summary) in such a block."
            )
        },
        str::to_owned,
    );
    format!(
        "Your reply holds no block tagged `{LANGUAGE}`, so nothing was run. {how} After {replies_left} more replies without code the work ends.\n"
    )
}

/// The answer to a reply that the limit of tokens cut off within its code.
pub(crate) const CUT_OFF: &str = "Your reply was cut off at its longest allowed length, so its last, unfinished block was not run. Write less at a time.\n";

/// What a model is told that goes in circles; `nudge` takes the place of our words on how to go on.
pub(crate) fn circling(nudge: Option<&str>) -> String {
    let how = nudge.unwrap_or("Try something else; if you cannot get further, call finish(summary).");
    format!(
        "You are repeating yourself: the same code gave the same output several times. {how} If you go on like this, the work ends.\n"
    )
}

/// The last line of what a step printed.
pub(crate) fn steps_remaining(steps: u32) -> String {
    format!("Steps remaining: {steps}\n")
}
