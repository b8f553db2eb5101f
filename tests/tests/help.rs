//! `docs/commands.md` holds the help of every command, word for word: a change of help is a change that somebody reads. `ASSAY_BLESS=1` writes the page.

use assay_tests::{assay, root, show};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const INTRODUCTION: &str = "# Commands

The help of every command, as `assay COMMAND --help` prints it. `assay man DIR` writes the same as manual pages, and `assay completions SHELL` prints what
a shell needs to complete commands and flags.
";

/// What changes the help: variables whose values it shows, and the width.
const VARIABLES: [&str; 5] = ["ASSAY_ARTIFACTS", "ASSAY_BOARDS", "ASSAY_CACHE_DIR", "COLUMNS", "DOCKER_HOST"];

/// What a command prints on standard output.
fn printed(folder: &Path, arguments: &[&str]) -> String {
    let mut command = assay(folder);
    VARIABLES.iter().for_each(|name| _ = command.env_remove(name));
    let output = command.args(arguments).output().expect("it starts");
    assert!(output.status.success(), "{arguments:?}\n{}", show(&output));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The only command whose own name has a hyphen.
const HYPHENATED: &str = "parse-log";

/// The commands, from the names of the manual pages: `assay-gate-verify.1` is that of `assay gate verify`.
fn commands(folder: &Path) -> Vec<Vec<String>> {
    printed(folder, &["man", "pages"]);
    let pages = fs::read_dir(folder.join("pages")).expect("a folder");
    let names = pages.map(|page| page.expect("an entry").file_name().into_string().expect("UTF-8"));
    let mut commands: Vec<Vec<String>> = names
        .map(|name| {
            let name = name.strip_suffix(".1").expect("a page of section 1");
            let (name, last) = name.strip_suffix(HYPHENATED).map_or((name, None), |name| (name, Some(HYPHENATED)));
            name.split('-').skip(1).filter(|word| !word.is_empty()).chain(last).map(str::to_owned).collect()
        })
        .collect();
    commands.sort();
    commands
}

#[test]
fn the_page_of_commands_is_what_they_print() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut page = INTRODUCTION.to_owned();
    for words in commands(folder.path()) {
        let mut arguments: Vec<&str> = words.iter().map(String::as_str).collect();
        let name = ["assay"].iter().chain(&arguments).copied().collect::<Vec<_>>().join(" ");
        arguments.push("--help");
        let help = printed(folder.path(), &arguments);
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        let _ = write!(page, "\n## {name}\n\n```text\n{}\n```\n", lines.join("\n").trim_end());
    }
    let path = root().join("docs/commands.md");
    if std::env::var_os("ASSAY_BLESS").is_some() {
        fs::write(&path, &page).expect("written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == page,
        "docs/commands.md is not what the commands print; run `make docs`\n{}",
        first_difference(&kept, &page)
    );
}

fn first_difference(kept: &str, page: &str) -> String {
    let pair = kept.lines().zip(page.lines()).find(|(old, new)| old != new);
    pair.map_or_else(|| "one is longer".to_owned(), |(old, new)| format!("- {old}\n+ {new}"))
}

#[test]
fn shells_get_their_completions() {
    let folder = tempfile::tempdir().expect("a folder");
    for (shell, word) in [("bash", "complete -F"), ("zsh", "#compdef assay"), ("fish", "complete -c assay")] {
        let script = printed(folder.path(), &["completions", shell]);
        assert!(script.contains(word) && script.contains("leaderboard"), "{shell}:\n{script}");
    }
    let output = assay(folder.path()).args(["man", "/dev/null/pages"]).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2), "{}", show(&output));
}

/// An installed program has no folder of documents beside it.
#[test]
fn the_guides_are_in_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    for (arguments, file) in [(&["guide"] as &[&str], "GUIDE.md"), (&["guide", "--python"], "GUIDE-python.md")] {
        let guide = fs::read_to_string(root().join("guest-sdk").join(file)).expect("it is there");
        assert!(printed(folder.path(), arguments) == guide, "{file}");
    }
}
