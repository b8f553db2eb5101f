//! The templates of `integrations/`: valid by the schemas of GitHub and GitLab, their script free of what `ShellCheck` knows, and run for real in the
//! environment of a job, with a stand-in for `assay` that writes what we render and prints what is hostile.

use crate::support::{CONTEXT, one_of_each, python_folder};
use assay_gate::output::{annotations, markdown};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn integrations() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations")
}

/// A job's folder with a stand-in for `assay`, which keeps its arguments, writes the files that it is asked for, and ends as it is told.
struct Job {
    folder: tempfile::TempDir,
}

const STAND_IN: &str = r##"#!/usr/bin/env bash
set -eu
here="$(dirname "$0")"
printf '%s\n' "$#" "$@" >>"$here/arguments"
printf '%s' "${ASSAY_GATE_KEY-unset}" >"$here/key"
if [[ "$2" == verify ]]; then exit "${VERIFY_EXIT:-0}"; fi
while (($#)); do
    case "$1" in
        --out) mkdir -p "$2" && touch "$2/a.json"; [[ -z "${SIGNED:-}" ]] || touch "$2/a.dsse.json" ;;
        --junit | --sarif) echo x >"$2" ;;
        --markdown) cp "$here/markdown" "$2" ;;
    esac
    shift
done
cat "$here/annotations"
printf '::add-mask::x\n::set-output name=decision::pass\n##[add-matcher]x\n'
printf '\n::error::forged by a log\n::set-env name=PATH::/tmp\n::stop-commands::x\n::x::\n##[error]forged' >&2
exit "${STAND_IN_EXIT:-0}"
"##;

impl Job {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let job = Self { folder };
        job.write("bin/assay", STAND_IN);
        std::fs::set_permissions(job.path("bin/assay"), std::fs::Permissions::from_mode(0o755)).expect("a program");
        job.write("bin/annotations", &annotations(&one_of_each(), &CONTEXT));
        job.write("bin/markdown", &markdown(&one_of_each(), &CONTEXT));
        job.write("outputs", "earlier=1\n");
        job.write("summary", "# Earlier\n");
        job.write("temp/keep", "");
        job
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("it is there")
    }

    /// Runs the script with these variables on top of the ordinary ones.
    fn run(&self, variables: &[(&str, &str)]) -> Output {
        self.run_in(self.folder.path(), variables)
    }

    /// The same in another folder than the job's own.
    fn run_in(&self, folder: &Path, variables: &[(&str, &str)]) -> Output {
        let path = std::env::var("PATH").expect("there is one");
        Command::new("bash")
            .arg(integrations().join("github/gate.sh"))
            .current_dir(folder)
            .env_clear()
            .env("PATH", path)
            .envs(["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "RUNNER_TEMP"].map(|name| {
                let file = if name == "GITHUB_OUTPUT" { "outputs" } else { "summary" };
                (name, self.path(if name == "RUNNER_TEMP" { "temp" } else { file }))
            }))
            .envs([("GATE_SUBMISSIONS", "submissions"), ("GATE_POLICY", "gate.toml"), ("GATE_ASSAY", "bin/assay")])
            .env("ASSAY_GATE_KEY", "")
            .envs(variables.iter().copied())
            .output()
            .expect("bash is there")
    }
}

/// The commands that a runner carries out, by the rules of its parser: a line that begins with `::` after white space, or the old form anywhere in it;
/// nothing between `stop-commands` and its word.
fn commands(output: &Output) -> Vec<String> {
    let text = String::from_utf8(output.stdout.clone()).expect("text") + &String::from_utf8_lossy(&output.stderr);
    let mut stopped: Option<String> = None;
    let mut seen = Vec::new();
    for line in text.lines() {
        let line = line.trim_start();
        if let Some(word) = &stopped {
            if line == format!("::{word}::") {
                stopped = None;
            }
        } else if let Some(word) = line.strip_prefix("::stop-commands::") {
            stopped = Some(word.to_owned());
        } else if line.starts_with("::") || line.contains("##[") {
            seen.push(line.to_owned());
        }
    }
    assert_eq!(stopped, None, "commands are taken again at the end");
    seen
}

/// The script of the template for GitLab, as its runner hands it to a shell.
fn gitlab_script() -> String {
    let template = std::fs::read_to_string(integrations().join("gitlab/assay-gate.yml")).expect("it is there");
    let (_, from) = template.split_once("  script:\n    - |\n").expect("a script of one block");
    let (script, _) = from.split_once("\n  artifacts:").expect("it ends");
    script.lines().map(|line| line.strip_prefix("      ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// A checkout in which somebody has put links and files wherever a template might write.
fn hostile_checkout(job: &Job) -> PathBuf {
    let checkout = job.path("checkout");
    for victim in ["victim", "victims/junit.xml", "victims/verdicts/a.json"] {
        job.write(victim, "mine");
    }
    job.write("checkout/gate.toml", "");
    for (name, to) in [
        ("assay-gate", "../victims"),
        (".assay", "../victims"),
        ("verdicts", "../victims"),
        (".lock", "../victim"),
        ("junit.xml", "../victim"),
        ("summary", "../victim"),
        ("temp", "../victims"),
        ("tmp", "../victims"),
    ] {
        std::os::unix::fs::symlink(to, checkout.join(name)).expect("linked");
    }
    checkout
}

fn nothing_was_touched(job: &Job, what: &str) {
    for victim in ["victim", "victims/junit.xml", "victims/verdicts/a.json"] {
        assert_eq!(job.read(victim), "mine", "{what}: {victim}");
    }
    let left: Vec<_> = std::fs::read_dir(job.path("victims")).expect("a folder").collect();
    assert_eq!(left.len(), 2, "{what}: nothing was added");
}

#[test]
fn gitlab_keeps_its_outputs_out_of_a_hostile_checkout() {
    for code in [0, 1, 3, 4, 130] {
        for folder_instead in [false, true] {
            let job = Job::new();
            let checkout = hostile_checkout(&job);
            if folder_instead {
                // A forged verdict, to be taken for an earlier one, and links within a folder.
                std::fs::remove_file(checkout.join("assay-gate")).expect("removed");
                job.write("checkout/assay-gate/verdicts/forged.json", "a verdict");
                std::os::unix::fs::symlink("../../victim", checkout.join("assay-gate/junit.xml")).expect("linked");
            }
            let output = Command::new("sh")
                .args(["-e", "-c", &gitlab_script()])
                .current_dir(&checkout)
                .env_clear()
                .envs([("PATH", std::env::var("PATH").expect("there is one")), ("STAND_IN_EXIT", code.to_string())])
                .env("CI_PROJECT_DIR", &checkout)
                .env("TMPDIR", job.path("temp"))
                .envs([("GATE_SUBMISSIONS", "submissions"), ("GATE_POLICY", "gate.toml"), ("GATE_SOURCE", ".")])
                .env("GATE_ASSAY", job.path("bin/assay"))
                .output()
                .expect("sh is there");
            assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
            nothing_was_touched(&job, "GitLab");
            let outputs = checkout.join("assay-gate");
            assert!(outputs.symlink_metadata().expect("it is there").is_dir(), "the artifacts are in a folder");
            assert!(outputs.join("verdicts/a.json").exists() && outputs.join("junit.xml").exists());
            assert!(!outputs.join("verdicts/forged.json").exists(), "nothing of the checkout passes for an output");
            let arguments = job.read("bin/arguments");
            let out = arguments.lines().skip_while(|line| *line != "--out").nth(1).expect("it is given");
            assert!(!Path::new(out).starts_with(&checkout), "{out}");
            assert!(arguments.contains("\n--no-store\n"), "{arguments}");
        }
    }
}

#[test]
fn github_keeps_its_outputs_out_of_a_hostile_checkout() {
    let job = Job::new();
    let checkout = hostile_checkout(&job);
    let output = job.run_in(&checkout, &[("GATE_ASSAY", &job.path("bin/assay").to_string_lossy())]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    nothing_was_touched(&job, "GitHub");
    let arguments = job.read("bin/arguments");
    let out = arguments.lines().skip_while(|line| *line != "--out").nth(1).expect("it is given");
    assert!(Path::new(out).starts_with(job.path("temp")), "{out}");
}

#[test]
fn exit_codes_become_decisions() {
    for (code, decision) in
        [(0, "pass"), (1, "rejected"), (3, "fail"), (4, "unscored"), (2, "error"), (130, "error"), (101, "error")]
    {
        for fail in ["true", "false", ""] {
            let job = Job::new();
            let output = job.run(&[("STAND_IN_EXIT", &code.to_string()), ("GATE_FAIL", fail)]);
            let outputs = job.read("outputs");
            assert!(
                outputs.starts_with(&format!("earlier=1\ndecision={decision}\nexit-code={code}\nverdicts=")),
                "{outputs}"
            );
            assert_eq!(outputs.lines().count(), 6);
            let expected = if fail == "false" && decision != "error" { 0 } else { code };
            assert_eq!(output.status.code(), Some(expected), "{decision}, fail: {fail:?}");
        }
    }
}

#[test]
fn annotations_get_through_and_nothing_else() {
    let job = Job::new();
    let seen = commands(&job.run(&[]));
    let own = annotations(&one_of_each(), &CONTEXT);
    assert_eq!(seen, own.lines().collect::<Vec<_>>());
    let summary = job.read("summary");
    assert_eq!(summary, format!("# Earlier\n{}", markdown(&one_of_each(), &CONTEXT)));
    for name in ["junit", "sarif", "verdicts"] {
        let outputs = job.read("outputs");
        let line = outputs.lines().find_map(|line| line.strip_prefix(&format!("{name}="))).expect("an output");
        assert!(Path::new(line).exists(), "{line}");
    }
}

#[test]
fn names_and_inputs_are_no_commands() {
    let names = [
        "$(touch pwned)",
        "`touch pwned`",
        "; touch pwned #",
        "a\ntouch pwned",
        "--out=/",
        "-x",
        "verify",
        "* ?",
        "'\"$IFS",
        "${{ github.token }}",
        "a b\tc",
        "\u{1b}[2J",
        "größe",
    ];
    for name in names {
        let job = Job::new();
        let output = job.run(&[("GATE_SUBMISSIONS", name), ("GATE_POLICY", name), ("GATE_JOBS", name)]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!job.path("pwned").exists(), "{name}");
        let arguments = job.read("bin/arguments");
        assert!(arguments.starts_with("17\ngate\n--policy\n"), "{arguments}");
        assert!(
            arguments.contains(&format!("--policy\n{name}\n")) && arguments.ends_with(&format!("--\n{name}\n")),
            "{arguments}"
        );
    }
}

#[test]
fn a_store_is_used_where_the_job_names_one() {
    for (store, is_off) in [(None, true), (Some(""), true), (Some("postgres://ci@host/gate"), false)] {
        let job = Job::new();
        job.run(store.map(|store| ("ASSAY_STORE", store)).as_slice());
        let arguments = job.read("bin/arguments");
        assert_eq!(arguments.contains("\n--no-store\n"), is_off, "{store:?}: {arguments}");
    }
}

#[test]
fn what_cannot_work_is_said() {
    type Variables<'a> = &'a [(&'a str, &'a str)];
    let cases: [(Variables<'_>, i32, &str); 4] = [
        (&[("GATE_SUBMISSIONS", "")], 2, "::error title=Assay gate::the input 'submissions' is empty"),
        (
            &[("GATE_ASSAY", "missing\n::error::x%")],
            2,
            "::error title=Assay gate::there is no program ./missing%0A::error::x%25:",
        ),
        (&[("GATE_VERIFY_KEY", "key.pub")], 2, "::error title=Assay gate::There is no decision"),
        (
            &[("GATE_VERIFY_KEY", "key.pub"), ("SIGNED", "1"), ("VERIFY_EXIT", "1")],
            1,
            "::error title=Assay gate::There is no decision",
        ),
    ];
    for (variables, code, word) in cases {
        let job = Job::new();
        let output = job.run(variables);
        assert_eq!(output.status.code(), Some(code), "{variables:?}");
        let seen = commands(&output);
        assert!(seen.iter().any(|line| line.starts_with(word)), "{word}: {seen:?}");
    }
}

#[test]
fn without_rust_it_says_what_to_do() {
    let job = Job::new();
    let tools = job.path("tools");
    std::fs::create_dir(&tools).expect("made");
    for tool in ["bash", "mktemp"] {
        let found =
            ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(tool)).into_iter().find(|path| path.exists());
        std::os::unix::fs::symlink(found.expect("a tool of every system"), tools.join(tool)).expect("linked");
    }
    let output = job.run(&[("GATE_ASSAY", ""), ("PATH", &tools.to_string_lossy())]);
    assert_eq!(output.status.code(), Some(2));
    let seen = commands(&output);
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert!(seen[0].contains("there is no Rust to build Assay with"), "{seen:?}");
}

/// Stands in for cargo and rustup: says what it is, where and with what it was started, and what cargo would find there and above what it builds.
const TOOL: &str = r##"#!/bin/sh
here="$(dirname "$0")"
{
    printf '%s %s\n' "$(basename "$0")" "$(pwd)"
    printf 'key %s store %s toolchain %s\n' "${ASSAY_GATE_KEY-unset}" "${ASSAY_STORE-unset}" "${RUSTUP_TOOLCHAIN-unset}"
    for name in rust-toolchain.toml rust-toolchain .cargo/config.toml .cargo/config; do
        if [ -e "$name" ]; then echo "found $name"; fi
    done
} >>"$here/told"
if [ "$(basename "$0")" = rustup ]; then echo 'stable-x86_64-unknown-linux-gnu (default)'; exit 0; fi
while [ "$#" -gt 0 ]; do
    case "$1" in
        --path) path="$2" ;;
        --root) root="$2" ;;
    esac
    shift
done
case "$path$root" in /*) ;; *) echo "a relative path" >>"$here/told" ;; esac
[ -e "$path/Cargo.toml" ] || echo "no source" >>"$here/told"
at="$path"
while [ "$at" != / ]; do
    at="$(dirname "$at")"
    for name in rust-toolchain.toml rust-toolchain .cargo/config.toml .cargo/config; do
        if [ -e "$at/$name" ]; then echo "found $at/$name" >>"$here/told"; fi
    done
done
mkdir -p "$root/bin" && cp -R "$here/../bin/." "$root/bin"
"##;

/// A checkout may say which compiler to use, or which program to run instead of one: nothing that sees the key may listen.
#[test]
fn a_build_takes_no_settings_from_the_checkout() {
    let hostile = [
        ("rust-toolchain.toml", "[toolchain]\npath = \"/checkout/evil\"\n"),
        ("rust-toolchain", "evil"),
        (".cargo/config.toml", "[build]\nrustc = \"./evil\"\n[alias]\ninstall = \"run\"\n"),
        (".cargo/config", "[build]\nrustc-wrapper = \"./evil\"\n"),
    ];
    // Elsewhere, within the checkout, and the checkout itself.
    for (source, name) in [("source", "../source"), ("checkout/nested", "nested"), ("checkout", ".")] {
        for template in ["github", "gitlab"] {
            let job = Job::new();
            for (file, text) in hostile {
                job.write(&format!("checkout/{file}"), text);
            }
            job.write("checkout/gate.toml", "");
            job.write(&format!("{source}/host/cli/Cargo.toml"), "");
            for tool in ["cargo", "rustup"] {
                job.write(&format!("tools/{tool}"), TOOL);
                std::fs::set_permissions(job.path(&format!("tools/{tool}")), std::fs::Permissions::from_mode(0o755))
                    .expect("a program");
            }
            let path = format!("{}:{}", job.path("tools").display(), std::env::var("PATH").expect("there is one"));
            let (temp, checkout) = (job.path("temp"), job.path("checkout"));
            let variables = [
                ("PATH", path.as_str()),
                ("GATE_ASSAY", ""),
                ("GATE_SOURCE", name),
                ("ASSAY_GATE_KEY", "secret"),
                ("ASSAY_STORE", "postgres://ci:secret@host/gate"),
                ("CI_PROJECT_DIR", checkout.to_str().expect("text")),
                ("TMPDIR", temp.to_str().expect("text")),
                ("GATE_SUBMISSIONS", "submissions"),
                ("GATE_POLICY", "gate.toml"),
            ];
            let output = if template == "github" {
                job.run_in(&checkout, &variables)
            } else {
                let mut shell = Command::new("sh");
                shell.args(["-e", "-c", &gitlab_script()]).current_dir(&checkout).env_clear().envs(variables);
                shell.output().expect("sh is there")
            };
            let what = format!("{template}, {name}: {}", String::from_utf8_lossy(&output.stderr));
            assert_eq!(output.status.code(), Some(0), "{what}");
            assert_eq!(
                job.read("tools/told"),
                "rustup /\nkey unset store unset toolchain unset\n\
                 cargo /\nkey unset store unset toolchain stable-x86_64-unknown-linux-gnu\n",
                "{what}"
            );
            // The gate itself has the key.
            let keys = [temp.join("assay/bin/key")].into_iter().chain(
                std::fs::read_dir(&temp).expect("a folder").flatten().map(|entry| entry.path().join("assay/bin/key")),
            );
            let keys: Vec<String> = keys.filter_map(|key| std::fs::read_to_string(key).ok()).collect();
            assert_eq!(keys, ["secret"], "{what}");
        }
    }
}

#[test]
fn the_interpreter_is_made_where_it_is_needed() {
    type Variables<'a> = &'a [(&'a str, &'a str)];
    let cases: [(&str, Variables<'_>, bool); 7] = [
        ("submissions/one.py", &[], true),
        // The gate looks no deeper either.
        ("submissions/deep/one.py", &[], false),
        ("submissions/one.rs", &[], false),
        ("-x/one.py", &[("GATE_SUBMISSIONS", "-x")], true),
        ("submissions/one.py", &[("GATE_SUBMISSIONS", "submissions/one.py")], true),
        ("submissions/one.py", &[("ASSAY_PYTHON_COMPONENT", "kept.wasm")], false),
        ("submissions/one.py", &[("GATE_SOURCE", "elsewhere")], false),
    ];
    for (file, variables, is_made) in cases {
        for fails in [false, true] {
            let job = Job::new();
            job.write(file, "");
            let setup = "#!/usr/bin/env bash\necho \"${ASSAY_GATE_KEY-unset}\" >\"$(dirname \"$0\")/../../../made\"\n\
                         echo '::error::forged by a log'\nexit ";
            job.write("source/guest-sdk/python/setup", &format!("{setup}{}\n", i32::from(fails)));
            let made = job.path("source/guest-sdk/python/setup");
            std::fs::set_permissions(made, std::fs::Permissions::from_mode(0o755)).expect("a program");
            let output = job.run(&[&[("GATE_SOURCE", "source"), ("ASSAY_GATE_KEY", "secret")], variables].concat());
            assert_eq!(output.status.code(), Some(0), "{file}: {}", String::from_utf8_lossy(&output.stderr));
            assert_eq!(job.path("made").exists(), is_made, "{file} {variables:?}");
            assert!(!is_made || job.read("made") == "unset\n", "what makes it gets no secret");
            assert!(commands(&output).iter().all(|line| !line.contains("forged")), "{file}");
        }
    }
}

#[test]
fn keys_reach_the_gate_and_verdicts_are_verified() {
    let job = Job::new();
    job.run(&[]);
    assert_eq!(job.read("bin/key"), "unset", "an empty secret is none");
    let job = Job::new();
    let output = job.run(&[("ASSAY_GATE_KEY", "secret"), ("SIGNED", "1"), ("GATE_VERIFY_KEY", "key.pub")]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(job.read("bin/key"), "secret");
    let arguments = job.read("bin/arguments");
    assert!(
        arguments.contains("\ngate\nverify\n") && arguments.ends_with("--public-key\nkey.pub\n--policy\ngate.toml\n"),
        "{arguments}"
    );
    assert!(!String::from_utf8_lossy(&output.stdout).contains("secret"), "the key is not printed");
}

#[test]
fn templates_are_valid() {
    let setup = Command::new(python_folder().join("setup")).arg("--where").output().expect("bash is there");
    let python = String::from_utf8(setup.stdout).expect("a path");
    let tool = |name: &str| Path::new(python.trim()).with_file_name(name);
    let cases: [(&str, &[&str], &str); 4] = [
        ("check-jsonschema", &["--builtin-schema", "vendor.github-actions"], "github/action.yml"),
        ("check-jsonschema", &["--builtin-schema", "vendor.github-workflows"], "github/example.yml"),
        (
            "check-jsonschema",
            &["--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci"],
            "gitlab/assay-gate.yml",
        ),
        ("shellcheck", &["--severity", "style"], "github/gate.sh"),
    ];
    for (name, options, file) in cases {
        let output = Command::new(tool(name)).args(options).arg(integrations().join(file)).output();
        let output = output.expect("run `make setup-python` first");
        assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stdout));
    }
    // What is between `${{` and `}}` is put into a script before the shell reads it: no script may hold any.
    let action = std::fs::read_to_string(integrations().join("github/action.yml")).expect("it is there");
    let (_, scripts) = action.split_once("run: ").expect("a script");
    assert!(!scripts.contains("${{"), "{scripts}");
}
