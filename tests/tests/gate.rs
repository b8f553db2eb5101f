//! `assay gate` through the binary: verdicts and exit codes, what stays hidden, and batches that outlive kills, full disks and each other.

use assay_model::{Seed, Stream};
use assay_tests::gate::{POLICY, decided, home, json, recorded, start, strategy, submissions, verdicts};
use assay_tests::{assay, assay_binary, root, show};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

const PASS: i32 = 0;
const REJECTED: i32 = 1;
const USAGE: i32 = 2;
const FAIL: i32 = 3;
const UNSCORED: i32 = 4;

#[track_caller]
fn gate(home: &Path, arguments: &[&str], code: i32) -> Output {
    let output = assay(home).arg("gate").args(arguments).output().expect("assay starts");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{}", show(&output));
    output
}

#[track_caller]
fn contains(output: &Output, words: &[&str]) {
    let text = show(output);
    for word in words {
        assert!(text.contains(word), "{word}\n{text}");
    }
}

#[test]
fn each_verdict_has_its_exit_code_and_its_reason() {
    let home = home(POLICY);
    let gated = |name: &str, text: &str, code: i32, words: &[&str]| {
        std::fs::write(home.path().join(name), text).expect("written");
        let output = gate(home.path(), &[name, "--json", "verdict.json"], code);
        contains(&output, words);
        json(&home.path().join("verdict.json"))
    };
    let verdict =
        gated("quiet.rs", &strategy(""), PASS, &["pass", "mean Orders submitted below 500", "Passed: 2 rules"]);
    assert_eq!(verdict["decision"], "pass");
    assert_eq!(verdict["trials"][0]["seeds"]["seeds"], serde_json::json!([1]));
    let noisy = "for _ in 0..10 { exchange.market(Side::Buy, Quantity::of(1)); }";
    gated(
        "noisy.rs",
        &strategy(noisy),
        FAIL,
        &["fail", "Failed in smoke", "It sends too many orders.", "asked", "seen"],
    );
    gated(
        "panics.rs",
        &strategy("panic!(\"no idea\")"),
        FAIL,
        &["trapped in on-tick in 1 of 1 seed", "no idea", "seed 1"],
    );
    gated("loops.rs", &strategy("loop { std::hint::black_box(0); }"), FAIL, &["out of fuel in on-tick"]);
    let verdict =
        gated("unsafe.rs", &strategy("unsafe {}"), REJECTED, &["S001", "unsafe.rs:12", "Rejected before it ran"]);
    assert_eq!(verdict["checks"], serde_json::json!([]));
    assert_eq!(verdict["findings"][0]["place"]["file"], "unsafe.rs");
    gated("wrong.rs", &strategy("nonsense();"), REJECTED, &["B001", "nonsense"]);
    gated("core.wasm", "\0asm\x01\0\0\0", REJECTED, &["C003"]);

    // Time counts, that of the compiler too.
    std::fs::write(home.path().join("gate.toml"), POLICY.replace("[[rules]]", "[budget]\nwall = \"10ms\"\n[[rules]]"))
        .expect("written");
    // New in every run of this test, so that it has to be compiled.
    gated(
        "slow.rs",
        &strategy(&format!("// {}", home.path().display())),
        FAIL,
        &["Failed: stopped after it had used more than 0.01 s of processor time", "the policy allows 0.01 s"],
    );
}

#[test]
fn mistakes_are_named_before_anything_begins() {
    let home = home(POLICY);
    std::fs::write(home.path().join("s.rs"), strategy("")).expect("written");
    std::fs::write(home.path().join("bad.toml"), POLICY.replace("orders", "order")).expect("written");
    std::fs::write(
        home.path().join("secret.toml"),
        format!("secret = {{ env = \"NOT_SET_ANYWHERE\" }}\n{}", POLICY.replace("public = 1", "hidden = 2")),
    )
    .expect("written");
    std::fs::create_dir(home.path().join("empty")).expect("made");
    for (arguments, words) in [
        (&["nowhere.rs"][..], &["nowhere.rs", "hint"][..]),
        (&["gate.toml"], &["not a submission", "hint"]),
        (&["empty"], &["no submission in empty", "hint"]),
        (&["s.rs", "--policy", "nowhere.toml"], &["nowhere.toml", "assay gate init"]),
        (
            &["s.rs", "--policy", "bad.toml"],
            &["bad.toml", "line 8, column 11", "measure = \"order\"", "^^^^^^^", "did you mean `orders`"],
        ),
        (&["s.rs", "--policy", "secret.toml"], &["NOT_SET_ANYWHERE", "--feedback"]),
        (&["s.rs", "--policy", "secret.toml", "--feedback"], &["no public seeds"]),
        (&["s.rs", "--date", "tomorrow"], &["`tomorrow` is not a valid date"]),
        (&["s.rs", "--jobs", "0"], &["--jobs 0"]),
        (&["--list", "gate.toml"], &["hint"]),
        (&["init", "gate.toml"], &["already exists", "not touched"]),
    ] {
        contains(&gate(home.path(), arguments, USAGE), words);
    }
    contains(&gate(home.path(), &["--help"], 0), &["assay gate init", "--feedback", "Exit codes: 0"]);
}

#[test]
fn a_new_policy_works_at_once() {
    let home = tempfile::tempdir().expect("a temporary folder");
    contains(&gate(home.path(), &["init"], 0), &["Created gate.toml", "assay gate my-strategy.rs"]);
    let maker = root().join("examples/strategies/buy_and_hold.rs");
    let output = assay(home.path()).arg("gate").arg(&maker).output().expect("assay starts");
    assert!(matches!(output.status.code(), Some(PASS | FAIL)), "{}", show(&output));
    contains(&output, &["earns-money", "lower 99% bound of PnL above 0 cents", "200 seeds"]);
}

#[test]
fn the_bad_example_fails_for_a_reason_that_a_newcomer_understands() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let examples = root().join("examples");
    let policy = examples.join("gate/gate.toml");
    let arguments = ["--policy", policy.to_str().expect("a plain path"), "--out", "verdicts"];
    let names = ["breakout", "buy_and_hold", "market_maker", "mean_reversion", "momentum", "reckless", "twap"];
    let strategies = names.map(|name| examples.join(format!("strategies/{name}.rs")).display().to_string());
    let strategies: Vec<&str> = strategies.iter().map(String::as_str).collect();
    let output = gate(home.path(), &[&strategies[..], &arguments[..]].concat(), FAIL);
    contains(&output, &["6 pass, 1 fail, 0 rejected, 0 unscored"]);
    let written = std::fs::read_dir(home.path().join("verdicts")).expect("verdicts").filter_map(Result::ok);
    let mut named = written.map(|entry| entry.path()).filter(|path| path.to_string_lossy().contains("reckless"));
    let verdict = json(&named.next().expect("a verdict about it"));
    let summary = verdict["summary"].as_str().expect("a sentence");
    for word in ["Failed in rmsc04", "lower 95% bound of PnL above -30,000 cents", "20 seeds", "pays the spread"] {
        assert!(summary.contains(word), "{word}\n{summary}");
    }
}

#[test]
fn hidden_seeds_are_never_shown() {
    let policy = "name = \"p\"\nsecret = { env = \"GATE_SECRET\" }\n[[scenarios]]\nscenario = \"smoke\"\npublic = 2\nhidden = { env = \"GATE_SEEDS\" }\n";
    let home = home(policy);
    std::fs::write(home.path().join("s.rs"), strategy("if exchange.random_below(2) == 3 { panic!() }"))
        .expect("written");
    let hidden = ["7446744073709551", "8446744073709552", "9446744073709553"];
    let run = |arguments: &[&str]| {
        let mut command = assay(home.path());
        command.arg("gate").arg("s.rs").args(arguments).args(["--json", "v.json"]);
        command.env("GATE_SECRET", "correct horse battery staple").env("GATE_SEEDS", hidden.join(" "));
        let output = command.output().expect("assay starts");
        assert_eq!(output.status.code(), Some(PASS), "{}", show(&output));
        format!("{}{}", show(&output), std::fs::read_to_string(home.path().join("v.json")).expect("written"))
    };
    let text = run(&[]);
    assert!(text.contains("3 hidden seeds") && text.contains("commitment"), "{text}");
    assert!(!text.contains("horse") && hidden.iter().all(|seed| !text.contains(seed)), "{text}");
    // Authors need no secret.
    let output = gate(home.path(), &["s.rs", "--feedback"], PASS);
    contains(&output, &["2 public seeds"]);
}

#[test]
fn nothing_is_compiled_twice_and_what_was_tampered_with_is_compiled_again() {
    let home = home(POLICY);
    let cache = home.path().join("cache");
    std::fs::create_dir(home.path().join("subs")).expect("made");
    for (name, work) in [("a.rs", ""), ("b.rs", "let unused = 1;")] {
        std::fs::write(home.path().join("subs").join(name), strategy(work)).expect("written");
    }
    let gated = |out: &str| {
        let mut command = assay(home.path());
        command.env("ASSAY_CACHE_DIR", &cache).args(["gate", "subs", "--out", out, "--jobs", "1"]);
        let output = command.output().expect("assay starts");
        assert_eq!(output.status.code(), Some(PASS), "{}", show(&output));
        (String::from_utf8_lossy(&output.stderr).into_owned(), verdicts(&home.path().join(out)))
    };
    let (said, first) = gated("first");
    assert!(!said.contains("compiled before") && !said.contains("warning"), "{said}");
    let (said, second) = gated("second");
    assert!(said.contains("(2 compiled before)") && !said.contains("warning"), "{said}");
    // One warning, whatever the number of submissions, and the verdicts stay as they were.
    let kept = std::fs::read_dir(cache.join("sdk/kept"))
        .expect("the folder is there")
        .map(|entry| entry.expect("read").path());
    for path in kept.filter(|path| path.extension().is_some_and(|extension| extension == "kept")) {
        let mut bytes = std::fs::read(&path).expect("read");
        *bytes.last_mut().expect("it is not empty") ^= 1;
        std::fs::write(&path, bytes).expect("written");
    }
    let (said, third) = gated("third");
    let warning = "cached artifacts could not be trusted and were recompiled (2 Tampered)";
    assert!(said.contains(warning) && !said.contains("compiled before"), "{said}");
    assert_eq!(said.matches("warning").count(), 1, "{said}");
    assert!(first == second && second == third);
    let (said, _) = gated("fourth");
    assert!(said.contains("(2 compiled before)") && !said.contains("warning"), "{said}");
}

#[test]
fn twenty_kills_lose_no_verdict_and_double_none() {
    const COUNT: usize = 200;
    let home = submissions(COUNT);
    let out = home.path().join("out");
    let mut random = Stream::new(Seed(5), "kill", "moments");
    let mut known: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for kill in 1..=20 {
        let mut batch = start(home.path(), &["--jobs", "3"]);
        // Moments are counted in verdicts, not in time: the same ones on a slow machine. The first falls before there is any.
        let now = batch.said(if kill == 1 { 0 } else { 1 + random.below(8) as usize });
        batch.signal("-KILL");
        batch.exit();
        let there = verdicts(&out);
        for id in &now {
            assert!(!known.contains_key(id), "kill {kill}: {id} was gated twice");
            assert!(there.contains_key(id), "kill {kill}: the verdict about {id} is lost");
        }
        for (id, bytes) in &known {
            assert_eq!(there.get(id), Some(bytes), "kill {kill}: the verdict about {id} has changed");
        }
        known = there;
    }
    assert!(known.len() < COUNT, "the kills came too late to mean anything");
    let mut batch = start(home.path(), &[]);
    let rest = batch.said(usize::MAX);
    assert_eq!(batch.exit(), Some(FAIL));
    assert!(rest.iter().all(|id| !known.contains_key(id)), "a submission was gated twice");
    assert_eq!(rest.len() + known.len(), COUNT);
    assert_eq!(verdicts(&out).len(), COUNT);
    let summary = json(&out.join("summary.json"));
    assert_eq!((&summary["complete"], &summary["submissions"]), (&Value::from(true), &Value::from(COUNT)));
    assert_eq!(summary["decisions"], serde_json::json!({ "fail": COUNT / 2, "pass": COUNT / 2 }));
    let names = std::fs::read_dir(&out).expect("the folder").map(|entry| entry.expect("an entry").file_name());
    let others: BTreeSet<_> = names.filter(|name| !name.to_string_lossy().ends_with(".json")).collect();
    assert_eq!(others, BTreeSet::from([".lock".into(), ".seals".into()]), "nothing half-done is left");

    // The store has them once each, those of killed starts and those that were given just before a kill included.
    assert_eq!(recorded(home.path()), decided(&out));

    // The same in one go gives the same bytes: nothing of time, order or threads is in them. To the store they are the same verdicts.
    gate(home.path(), &["subs", "--out", "again", "--jobs", "1"], FAIL);
    assert!(verdicts(&out) == verdicts(&home.path().join("again")));
    assert_eq!(recorded(home.path()), decided(&out));
}

#[test]
fn a_batch_goes_on_where_it_was_whatever_the_clock_says() {
    let home = submissions(4);
    let batch = |code: i32| {
        let output = gate(home.path(), &["subs", "--out", "out"], code);
        let text = show(&output);
        text.lines()
            .filter(|line| {
                line.contains(".wasm") && line.contains('/') && line.starts_with(|c: char| c.is_ascii_digit())
            })
            .count()
    };
    assert_eq!(batch(FAIL), 4);
    assert_eq!(batch(FAIL), 0, "nothing has changed");
    // Times of files are not evidence: they may lie in the future, or be set back.
    let first = verdicts(&home.path().join("out"));
    for (file, time) in [
        ("subs/s000.wasm", SystemTime::now() + Duration::from_secs(40 * 365 * 86_400)),
        ("subs/s001.wasm", SystemTime::UNIX_EPOCH),
        ("out/s000.wasm.json", SystemTime::now() + Duration::from_secs(86_400)),
        ("out/s001.wasm.json", SystemTime::UNIX_EPOCH),
        ("gate.toml", SystemTime::now() + Duration::from_secs(86_400)),
    ] {
        let file = std::fs::File::options().append(true).open(home.path().join(file)).expect("it is there");
        file.set_modified(time).expect("it is ours");
    }
    assert_eq!(batch(FAIL), 0, "only times have changed");
    // Content is.
    std::fs::copy(home.path().join("subs/s001.wasm"), home.path().join("subs/s000.wasm")).expect("copied");
    assert_eq!(batch(FAIL), 1);
    let policy = home.path().join("gate.toml");
    std::fs::write(&policy, POLICY.replace("below = 500", "below = 501")).expect("written");
    assert_eq!(batch(FAIL), 4);
    std::fs::write(&policy, POLICY).expect("written");
    assert_eq!(batch(FAIL), 4);
    let now = verdicts(&home.path().join("out"));
    assert!(now["s001.wasm"] == first["s001.wasm"] && now["s000.wasm"] != first["s000.wasm"]);
    // Somebody else's file is in the way.
    std::fs::write(home.path().join("out/s000.wasm.json"), "{}").expect("written");
    contains(&gate(home.path(), &["subs", "--out", "out"], USAGE), &["s000.wasm.json", "not touched", "--out"]);
}

#[test]
fn two_processes_do_not_work_in_one_folder() {
    let home = submissions(60);
    let mut first = start(home.path(), &["--jobs", "1"]);
    let begun = first.said(1);
    // It works, and another one does not get in, unless it waits.
    first.signal("-STOP");
    let refused = gate(home.path(), &["subs", "--out", "out"], USAGE);
    contains(&refused, &["is already writing verdicts to out", &first.child.id().to_string(), "--wait"]);
    let mut second = start(home.path(), &["--wait"]);
    let line = second.lines.next().expect("it says something").expect("it is text");
    assert!(line.contains("waiting for it to finish"), "{line}");
    first.signal("-CONT");
    let rest = first.said(usize::MAX);
    assert_eq!(first.exit(), Some(FAIL));
    assert_eq!(begun.len() + rest.len(), 60);
    assert!(second.said(usize::MAX).is_empty(), "the second one finds everything done");
    assert_eq!(second.exit(), Some(FAIL));
}

#[test]
fn a_full_disk_loses_no_verdict() {
    let home = submissions(24);
    let out = home.path().join("out");
    std::fs::create_dir(&out).expect("made");
    // A small file system where that is allowed, otherwise a limit on the size of files, which has the same effect on all of them.
    let mount = |options: &str| {
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&out).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let is_mounted = mount("size=48k");
    let output = if is_mounted {
        gate(home.path(), &["subs", "--out", "out"], UNSCORED)
    } else {
        let limited = "trap '' XFSZ; ulimit -f 1; exec \"$0\" gate subs --out out";
        let mut command = assay(home.path());
        let cache = command
            .get_envs()
            .find(|(name, _)| *name == "ASSAY_CACHE_DIR")
            .and_then(|(_, value)| value)
            .map(ToOwned::to_owned);
        command = Command::new("sh");
        command.args(["-c", limited]).arg(assay_binary()).current_dir(home.path()).env("NO_COLOR", "1");
        command.env("ASSAY_CACHE_DIR", cache.expect("the tests share a cache")).output().expect("assay starts")
    };
    assert_eq!(output.status.code(), Some(UNSCORED), "{}", show(&output));
    contains(&output, &["failed to write", "hint", "repeat the command to resume"]);
    let kept = verdicts(&out);
    assert!(kept.len() < 24 && (!is_mounted || !kept.is_empty()), "{} verdicts", kept.len());
    if is_mounted {
        assert!(mount("remount,size=10m"), "it grows");
    }
    gate(home.path(), &["subs", "--out", "out"], FAIL);
    let all = verdicts(&out);
    assert!(all.len() == 24 && kept.iter().all(|(id, bytes)| all[id] == *bytes));
    if is_mounted {
        assert!(Command::new("umount").arg(&out).status().expect("umount starts").success());
    }
}

#[test]
fn an_interruption_keeps_what_has_a_verdict() {
    let home = submissions(60);
    let mut batch = start(home.path(), &["--jobs", "1"]);
    let mut now = batch.said(2);
    batch.signal("-INT");
    now.extend(batch.said(usize::MAX));
    assert_eq!(batch.exit(), Some(130));
    let out = home.path().join("out");
    assert_eq!(verdicts(&out).into_keys().collect::<Vec<_>>(), now);
    assert_eq!(json(&out.join("summary.json"))["complete"], false);
}

#[test]
fn lists_names_and_links_are_taken_with_care() {
    let home = submissions(2);
    let odd = home.path().join("subs/a b\u{202e}.wasm");
    std::fs::copy(home.path().join("subs/s000.wasm"), &odd).expect("copied");
    std::fs::write(home.path().join("secret.rs"), "the secret of the house").expect("written");
    std::os::unix::fs::symlink(home.path().join("secret.rs"), home.path().join("subs/link.rs")).expect("made");
    let output = gate(home.path(), &["subs", "--json", "all.json"], REJECTED);
    contains(&output, &["4 submissions", "1 rejected"]);
    assert!(!show(&output).contains("the house") && !show(&output).contains('\u{202e}'));
    let all = json(&home.path().join("all.json"));
    let link = all.as_array().expect("a list").iter().find(|verdict| verdict["submission"]["name"] == "link.rs");
    assert_eq!(link.expect("it is there")["findings"][0]["code"], "S028");
    let ids = verdicts(&home.path().join("verdicts"));
    assert!(
        ids.keys().all(|id| id.is_ascii()) && ids.keys().any(|id| id.starts_with("a-b-.wasm~")),
        "{:?}",
        ids.keys()
    );

    // What is not taken is said: somebody may have meant it.
    for name in [".hidden.rs", "UP.RS", "x.rs ", "notes\n.txt"] {
        std::fs::write(home.path().join("subs").join(name), "").expect("written");
    }
    let output = gate(home.path(), &["subs", "--json", "all.json"], REJECTED);
    contains(&output, &["Skipped `.hidden.rs`, `UP.RS`, `x.rs `, `notes\\n.txt` of subs", "4 submissions"]);

    std::fs::write(home.path().join("list.txt"), "# today\nsubs/s000.wasm\n\nsubs/s001.wasm\n").expect("written");
    contains(&gate(home.path(), &["--list", "list.txt", "--out", "listed"], PASS), &["2 submissions: 2 pass"]);
}

/// The compiler waits for something that never comes, as it does while others have the processors: that is not a verdict, and is not kept as one.
#[test]
fn a_machine_that_is_busy_rejects_nobody() {
    let home = home(&POLICY.replace("[[rules]]", "[budget]\nwall = \"100ms\"\n[[rules]]"));
    std::fs::create_dir(home.path().join("subs")).expect("made");
    // New in every run of this test, so that it has to be compiled.
    let text = strategy(&format!("// {}", home.path().display()));
    std::fs::write(home.path().join("subs/honest.rs"), text).expect("written");
    let sysroot = home.path().join("toolchain");
    let library = sysroot.join("lib/rustlib/wasm32-unknown-unknown/lib");
    for folder in [&library, &sysroot.join("bin")] {
        std::fs::create_dir_all(folder).expect("made");
    }
    std::fs::write(library.join("libcore-fake.rlib"), "").expect("written");
    for tool in ["sh", "sleep"] {
        std::fs::copy(format!("/bin/{tool}"), sysroot.join("bin").join(tool)).expect("copied");
    }
    let compiler = format!(
        "#!{0}/bin/sh\ncase \"$1\" in\n--print) echo {0};;\n-vV) echo 'rustc 1.95.0 (fake)'; echo 'release: 1.95.0';;\n*) exec {0}/bin/sleep 1000;;\nesac\n",
        sysroot.display()
    );
    std::fs::write(sysroot.join("bin/rustc"), compiler).expect("written");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(sysroot.join("bin/rustc"), executable).expect("executable");
    let path = std::env::var_os("PATH").expect("there is one");
    let paths = [sysroot.join("bin")].into_iter().chain(std::env::split_paths(&path));
    let busy = std::env::join_paths(paths).expect("plain paths");
    let mut command = assay(home.path());
    let output = command.args(["gate", "subs", "--out", "out"]).env("PATH", busy).output().expect("assay starts");
    assert_eq!(output.status.code(), Some(UNSCORED), "{}", show(&output));
    contains(&output, &["1 unscored", "0 rejected"]);

    // The next run with time enough judges it.
    std::fs::write(home.path().join("gate.toml"), POLICY).expect("written");
    contains(&gate(home.path(), &["subs", "--out", "out"], PASS), &["1 pass"]);
}
