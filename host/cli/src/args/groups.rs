//! The groups in which `assay --help` lists the commands. Each command is in one group; a test holds that.

use super::Cli;
use clap::{Command, CommandFactory as _};
use std::fmt::Write as _;

/// Title and commands, in the order of the help.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Strategies", &["guide", "new", "check", "run", "refine", "arena", "gate", "board"]),
    ("Markets", &["scenarios", "observe"]),
    ("Bug fixes", &["rollout", "tasks", "trace"]),
    ("Agents", &["worlds"]),
    ("What has been run", &["serve", "runs", "show", "explain", "compare", "leaderboard", "query", "export", "rm"]),
    ("This installation", &["doctor", "completions", "man"]),
];

/// The command line, with a help page that lists the commands by group.
///
/// # Panics
/// If a group names a command that does not exist, which is a bug.
pub(crate) fn command() -> Command {
    let command = Cli::command().bin_name("assay");
    let mut listed = String::new();
    for (title, names) in GROUPS {
        let part =
            Command::new("part").max_term_width(100).disable_help_subcommand(true).help_template("{subcommands}");
        let mut part = names.iter().enumerate().fold(part, |part, (place, name)| {
            let one = command.find_subcommand(name).expect("groups name commands that exist");
            part.subcommand(one.clone().display_order(place))
        });
        let style = command.get_styles().get_header();
        let _ = write!(listed, "{style}{title}:{style:#}\n{}\n", part.render_help().ansi());
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{listed}Options:\n{{options}}{{after-help}}"
    ))
}

#[cfg(test)]
mod tests {
    use super::{Cli, GROUPS};
    use clap::CommandFactory as _;

    const README: &str = include_str!("../../../../docs/README.md");

    #[test]
    fn each_command_is_in_the_readme() {
        for name in GROUPS.iter().flat_map(|(_, names)| *names) {
            let is_there = [" ", "`"].iter().any(|end| README.contains(&format!("`assay {name}{end}")));
            assert!(is_there, "docs/README.md does not mention `assay {name}`");
        }
    }

    #[test]
    fn each_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let command = Cli::command();
        let mut all: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }
}
