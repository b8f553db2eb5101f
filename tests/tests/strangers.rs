//! Places that somebody else has filled, through the binary: a checkout with links, pipes and forged verdicts in it must not be followed, waited for or believed.

use assay_tests::gate::{POLICY, component, home, json, strategy, verdicts};
use assay_tests::{assay, root, show};
use flate2::{Compression, write::GzEncoder};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const PASS: i32 = 0;
const REJECTED: i32 = 1;
const USAGE: i32 = 2;
const FAIL: i32 = 3;
const INTERRUPTED: i32 = 130;
/// Far above what any of it takes on a busy machine, far below for ever.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits, but not for ever.
fn ended(mut child: Child, what: &str) -> Output {
    let began = Instant::now();
    while child.try_wait().expect("it can be waited for").is_none() {
        if began.elapsed() > PATIENCE {
            child.kill().expect("it is ours");
            panic!("{what}: it does not end\n{}", show(&child.wait_with_output().expect("it has ended")));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().expect("it has ended")
}

fn started(folder: &Path, arguments: &[&str]) -> Child {
    let mut command = assay(folder);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("assay starts")
}

#[track_caller]
fn run(folder: &Path, arguments: &[&str], exit: i32, words: &[&str]) -> String {
    let output = ended(started(folder, arguments), &arguments.join(" "));
    let text = show(&output);
    assert_eq!(output.status.code(), Some(exit), "{arguments:?}\n{text}");
    for word in words {
        assert!(text.contains(word), "{arguments:?}: {word:?}\n{text}");
    }
    text
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
}

/// A policy and two submissions, of which one passes and one fails.
fn house() -> tempfile::TempDir {
    let home = home(POLICY);
    fs::create_dir(home.path().join("subs")).expect("made");
    for (name, work) in [("good.wasm", ""), ("bad.wasm", "panic!()")] {
        fs::write(home.path().join("subs").join(name), component(home.path(), work)).expect("written");
    }
    home
}

const GATE: [&str; 4] = ["gate", "subs", "--out", "out"];
const AGAIN: &str = "could not be authenticated";

fn edit(path: &Path, change: impl Fn(&str) -> String) {
    let text = fs::read_to_string(path).expect("it is there");
    fs::write(path, change(&text)).expect("written");
}

/// Other outputs take no verdict's place, however the folder is named.
#[test]
fn other_outputs_are_not_written_over_verdicts() {
    let house = house();
    run(house.path(), &GATE, 3, &[]);
    let names = fs::read_dir(house.path().join("out")).expect("a folder").flatten().map(|entry| entry.file_name());
    let names: Vec<String> = names.map(|name| name.into_string().expect("text")).collect();
    let name = names.iter().find(|name| name.starts_with("good") && name.ends_with(".json")).expect("a verdict");
    let verdict = house.path().join("out").join(name);
    let before = fs::read(&verdict).expect("a verdict");
    for (flag, file) in [
        ("--junit", format!("out/{name}")),
        ("--sarif", format!("./out/../out/{name}")),
        ("--markdown", "out/.lock".to_owned()),
        ("--code-quality", "out/other.json".to_owned()),
        ("--json", format!("out/{name}")),
    ] {
        run(house.path(), &[&GATE[..], &[flag, &file]].concat(), 2, &["could be the name of a verdict", "hint"]);
        assert_eq!(fs::read(&verdict).expect("a verdict"), before, "{flag}");
    }
    run(house.path(), &[&GATE[..], &["--junit", "out/junit.xml", "--json", "all.json"]].concat(), 3, &[]);
    let submission = house.path().join("subs/good.wasm");
    let before = fs::read(&submission).expect("a submission");
    for flag in ["--junit", "--json", "--markdown"] {
        run(house.path(), &[&GATE[..], &[flag, "subs/good.wasm"]].concat(), 2, &["it was not replaced", "hint"]);
        assert!(fs::read(&submission).expect("a submission") == before, "{flag}");
    }
}

/// What somebody may do who can write to the folder of verdicts: each is run again.
#[test]
fn a_verdict_that_is_not_ours_is_not_taken_over() {
    let home = house();
    let out = home.path().join("out");
    run(home.path(), &GATE, FAIL, &["1 pass, 1 fail"]);
    let honest = verdicts(&out);
    let text = run(home.path(), &GATE, FAIL, &["2 verdicts from an earlier run"]);
    assert!(!text.contains(AGAIN));
    let seals = fs::read(out.join(".seals")).expect("it is there");
    let forge = |text: &str| text.replace("\"decision\": \"fail\"", "\"decision\": \"pass\"");
    let attacks: [(&str, &dyn Fn()); 7] = [
        ("the decision is edited", &|| edit(&out.join("bad.wasm.json"), forge)),
        ("one byte of white space", &|| edit(&out.join("bad.wasm.json"), |text| format!("{text}\n"))),
        ("no codes", &|| fs::remove_file(out.join(".seals")).expect("removed")),
        ("codes of another machine", &|| {
            let foreign: String = (0..4).map(|_| "ab".repeat(32) + "\n").collect();
            fs::write(out.join(".seals"), foreign).expect("written");
        }),
        ("the code of another verdict, twice", &|| {
            let first = seals.split(|byte| *byte == b'\n').next().expect("a line");
            fs::write(out.join(".seals"), [first, b"\n", first, b"\n"].concat()).expect("written");
        }),
        ("a whole folder from elsewhere", &|| {
            let elsewhere = house();
            let mut command = assay(elsewhere.path());
            command.args(GATE).env("ASSAY_CACHE_DIR", elsewhere.path().join("cache")).output().expect("assay starts");
            for name in ["bad.wasm.json", "good.wasm.json", ".seals"] {
                fs::copy(elsewhere.path().join("out").join(name), out.join(name)).expect("copied");
            }
            edit(&out.join("bad.wasm.json"), forge);
        }),
        ("a garbled file of codes", &|| fs::write(out.join(".seals"), [0xff; 10_000]).expect("written")),
    ];
    for (what, attack) in attacks {
        attack();
        let text = run(home.path(), &GATE, FAIL, &["1 pass, 1 fail", AGAIN]);
        assert!(text.contains("earlier run that could not"), "{what}\n{text}");
        assert!(verdicts(&out) == honest, "{what}: the same verdicts come out");
        // And now they are ours.
        let text = run(home.path(), &GATE, FAIL, &["2 verdicts from an earlier run"]);
        assert!(!text.contains(AGAIN), "{what}\n{text}");
    }
}

#[test]
fn a_verdict_about_another_submission_policy_or_seeds_is_not_taken_over() {
    let home = house();
    let out = home.path().join("out");
    run(home.path(), &GATE, FAIL, &[]);
    // An authentic verdict under another name.
    fs::copy(out.join("good.wasm.json"), out.join("bad.wasm.json")).expect("copied");
    run(home.path(), &GATE, FAIL, &["1 pass, 1 fail", "1 verdict from an earlier run"]);
    // An authentic one about what the submission was.
    fs::copy(home.path().join("subs/bad.wasm"), home.path().join("subs/good.wasm")).expect("copied");
    run(home.path(), &GATE, FAIL, &["0 pass, 2 fail", "1 verdict from an earlier run"]);
    // And under another policy.
    fs::write(home.path().join("gate.toml"), POLICY.replace("public = 1", "public = 2")).expect("written");
    let text = run(home.path(), &GATE, FAIL, &["0 pass, 2 fail"]);
    assert!(!text.contains("from an earlier run"), "{text}");
}

/// What somebody puts into a folder beforehand.
type Prepare<'a> = &'a dyn Fn(&Path);

#[test]
fn nothing_in_a_folder_of_verdicts_is_written_through() {
    let refused: [(&str, Prepare<'_>); 8] = [
        ("the lock is a link", &|home| symlink("../victim", home.join("out/.lock")).expect("linked")),
        ("the lock is a hard link", &|home| {
            fs::hard_link(home.join("victim"), home.join("out/.lock")).expect("linked");
        }),
        ("the lock is a pipe", &|home| fifo(&home.join("out/.lock"))),
        ("the codes are a link", &|home| symlink("../victim", home.join("out/.seals")).expect("linked")),
        ("a verdict is a link", &|home| symlink("../victim", home.join("out/good.wasm.json")).expect("linked")),
        ("a verdict is a pipe", &|home| fifo(&home.join("out/good.wasm.json"))),
        ("a signed verdict is a folder", &|home| fs::create_dir(home.join("out/good.wasm.dsse.json")).expect("made")),
        ("the folder is a link", &|home| {
            fs::remove_dir(home.join("out")).expect("it is empty");
            symlink("victims", home.join("out")).expect("linked");
        }),
    ];
    let home = house();
    let home = home.path();
    fs::write(home.join("victim"), "mine").expect("written");
    fs::create_dir(home.join("victims")).expect("made");
    for (what, attack) in refused {
        let _ = fs::remove_file(home.join("out"));
        let _ = fs::remove_dir_all(home.join("out"));
        fs::create_dir(home.join("out")).expect("made");
        attack(home);
        let text = run(home, &GATE, USAGE, &["--out"]);
        let is_said = if what.ends_with("a hard link") {
            text.contains("several names (hard links)")
        } else {
            text.contains("symbolic link") || text.contains("regular file")
        };
        assert!(is_said, "{what}\n{text}");
        assert_eq!(fs::read_to_string(home.join("victim")).expect("it is there"), "mine", "{what}");
        assert_eq!(fs::read_dir(home.join("victims")).expect("a folder").count(), 0, "{what}");
    }
    // What only looks like a draft of ours stays where it is and is in nobody's way; a summary that is a link is somebody else's.
    fs::remove_file(home.join("out")).expect("removed");
    fs::create_dir_all(home.join("out/.assay-draft-0123456789abcdef/inner")).expect("made");
    fs::create_dir_all(home.join("out/.assay-draft-x")).expect("made");
    symlink("../victim", home.join("out/.assay-draft-fedcba9876543210")).expect("linked");
    run(home, &GATE, FAIL, &["1 pass, 1 fail"]);
    assert!(home.join("out/.assay-draft-0123456789abcdef/inner").is_dir() && home.join("out/.assay-draft-x").is_dir());
    fs::remove_file(home.join("out/summary.json")).expect("removed");
    symlink("../victim", home.join("out/summary.json")).expect("linked");
    run(home, &GATE, USAGE, &["summary.json is not an Assay summary"]);
    assert_eq!(fs::read_to_string(home.join("victim")).expect("it is there"), "mine");
}

#[test]
fn reports_replace_links_and_leave_what_is_no_file() {
    let home = house();
    let home = home.path();
    fs::write(home.join("victim"), "mine").expect("written");
    symlink("victim", home.join("junit.xml")).expect("linked");
    symlink("/dev/full", home.join("gate.sarif")).expect("linked");
    let gate = |more: &[&str], exit: i32, words: &[&str]| {
        run(home, &[&["gate", "subs/good.wasm"], more].concat(), exit, words)
    };
    gate(&["--junit", "junit.xml", "--sarif", "gate.sarif"], PASS, &[]);
    assert_eq!(fs::read_to_string(home.join("victim")).expect("it is there"), "mine");
    assert!(fs::read_to_string(home.join("junit.xml")).expect("written").contains("<testsuites"));
    assert!(home.join("gate.sarif").symlink_metadata().expect("it is there").is_file());
    // A folder on the way that is a link, a pipe, a device.
    fs::create_dir(home.join("victims")).expect("made");
    symlink("victims", home.join("reports")).expect("linked");
    fifo(&home.join("pipe"));
    for (place, word) in
        [("reports/junit.xml", "symbolic link"), ("pipe", "regular file"), ("/dev/full", "regular file")]
    {
        for form in ["--junit", "--sarif", "--markdown", "--code-quality", "--json"] {
            gate(&[form, place], USAGE, &[word, "hint"]);
        }
    }
    assert_eq!(fs::read_dir(home.join("victims")).expect("a folder").count(), 0);
    assert!(home.join("pipe").symlink_metadata().expect("it is there").file_type().is_fifo());
    // Their own streams are not places of somebody else.
    gate(&["--junit", "/dev/null"], PASS, &[]);
    let text = gate(&["--junit", "/dev/stdout"], PASS, &[]);
    assert!(text.contains("<testsuites"), "{text}");
}

#[test]
fn nobody_is_waited_for_at_the_other_end_of_a_pipe() {
    let home = house();
    let home = home.path();
    run(home, &["gate", "keygen", "key"], PASS, &[]);
    run(home, &["gate", "subs/good.wasm", "--json", "v.json", "--key", "key"], PASS, &[]);
    fifo(&home.join("pipe"));
    symlink("pipe", home.join("link")).expect("linked");
    symlink("/dev/zero", home.join("zero")).expect("linked");
    for name in ["fifo.rs", "fifo.py", "fifo.wasm", "rows.jsonl", "scenario.toml", "script.jsonl"] {
        fifo(&home.join(name));
    }
    for pipe in ["pipe", "link", "zero", "."] {
        run(home, &["gate", "subs/good.wasm", "--json", "w.json", "--key", pipe], USAGE, &["key"]);
        run(home, &["gate", "verify", "v.dsse.json", "--public-key", pipe], USAGE, &["key"]);
        run(home, &["gate", "verify", pipe, "--public-key", "key.pub"], USAGE, &[]);
        run(home, &["gate", "report", pipe], USAGE, &[]);
        run(home, &["gate", "subs", "--policy", pipe], USAGE, &["policy"]);
        run(home, &["gate", "--list", pipe], USAGE, &["list"]);
        run(home, &["tasks", "import", pipe], USAGE, &[]);
        run(home, &["trace", "show", pipe], USAGE, &[]);
    }
    for name in ["fifo.rs", "fifo.wasm", "fifo.py"] {
        run(home, &["check", name], REJECTED, &["regular file"]);
        run(home, &["run", name], REJECTED, &["regular file"]);
        run(home, &["gate", name], REJECTED, &["regular file"]);
    }
    run(home, &["run", "subs/good.wasm", "--scenario", "./scenario.toml"], USAGE, &["regular file"]);
    // What the shell makes of `<(command)` is a stream of the process's own.
    let mut shell = Command::new("bash");
    let words = "\"$0\" gate verify v.dsse.json --public-key <(cat key.pub)";
    shell.args(["-c", words]).arg(assay_tests::assay_binary()).current_dir(home);
    let output = shell.output().expect("bash is there");
    assert_eq!(output.status.code(), Some(PASS), "{}", show(&output));
}

#[test]
fn a_crate_is_its_own_files_only() {
    let home = home(POLICY);
    let home = home.path();
    let secret = "// the secret of alice\n";
    for name in ["alice", "mallory", "subs/eve", "subs/trent"] {
        fs::create_dir_all(home.join(name)).expect("made");
        fs::write(
            home.join(name).join("Cargo.toml"),
            "[package]\nname = \"s\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
        )
        .expect("written");
    }
    fs::create_dir(home.join("alice/src")).expect("made");
    fs::write(home.join("alice/src/lib.rs"), format!("{secret}{}", strategy("let unused = 1;"))).expect("written");
    symlink("../alice/src", home.join("mallory/src")).expect("linked");
    symlink("../../alice/src", home.join("subs/eve/src")).expect("linked");
    fs::create_dir(home.join("subs/trent/src")).expect("made");
    symlink("../../../alice/src/lib.rs", home.join("subs/trent/src/lib.rs")).expect("linked");
    symlink("../alice", home.join("subs/linked")).expect("linked");
    fs::write(home.join("list.txt"), "mallory\nsubs/linked\n").expect("written");
    let secretless = |text: &str| assert!(!text.contains("secret of alice") && !text.contains("unused"), "{text}");
    for command in ["check", "run", "gate"] {
        secretless(&run(home, &[command, "mallory"], REJECTED, &["S028"]));
    }
    secretless(&run(home, &["gate", "subs", "--json", "all.json"], REJECTED, &["3 submissions", "3 rejected"]));
    secretless(&run(home, &["gate", "--list", "list.txt", "--out", "listed"], REJECTED, &["2 rejected"]));
    secretless(&run(home, &["gate", "mallory", "subs/linked", "--out", "named"], REJECTED, &["2 rejected"]));
    secretless(&json(&home.join("all.json")).to_string());
}

#[test]
fn data_of_somebody_else_is_left_alone() {
    let home = house();
    let home = home.path();
    let data = |exit: i32, words: &[&str]| {
        run(
            home,
            &["run", "subs/good.wasm", "--scenario", "smoke", "--seeds", "1", "--data", "--out", "report"],
            exit,
            words,
        )
    };
    fs::create_dir_all(home.join("report/data")).expect("made");
    fs::create_dir(home.join("victims")).expect("made");
    fs::write(home.join("victims/trades.parquet"), "mine").expect("written");
    // Tables without a manifest, and not ours.
    fs::write(home.join("report/data/trades.parquet"), "mine").expect("written");
    data(USAGE, &["trades.parquet", "not touched", "--out"]);
    assert_eq!(fs::read(home.join("report/data/trades.parquet")).expect("it is there"), b"mine");
    // A table that is a link, then the whole folder, then the folder of the report.
    fs::remove_file(home.join("report/data/trades.parquet")).expect("removed");
    symlink("../../victims/trades.parquet", home.join("report/data/trades.parquet")).expect("linked");
    data(USAGE, &["trades.parquet", "not touched"]);
    fs::remove_dir_all(home.join("report")).expect("removed");
    fs::create_dir(home.join("report")).expect("made");
    symlink("../victims", home.join("report/data")).expect("linked");
    let text = run(
        home,
        &["run", "subs/good.wasm", "--scenario", "smoke", "--seeds", "1", "--data", "--out", "report"],
        4,
        &[],
    );
    assert!(text.contains("symbolic link"), "{text}");
    fs::remove_dir_all(home.join("report")).expect("removed");
    symlink("victims", home.join("report")).expect("linked");
    data(USAGE, &["symbolic link", "--out"]);
    assert_eq!(fs::read(home.join("victims/trades.parquet")).expect("it is there"), b"mine");
    assert_eq!(fs::read_dir(home.join("victims")).expect("a folder").count(), 1);
    // Ours is replaced.
    fs::remove_file(home.join("report")).expect("removed");
    data(PASS, &["Data"]);
    data(PASS, &["Data"]);
    // A killed run leaves tables without a manifest; they say whose they are.
    fs::remove_file(home.join("report/data/data.json")).expect("removed");
    data(PASS, &["Data"]);
}

#[test]
fn a_query_is_stopped_where_functions_make_gigabytes() {
    let home = house();
    let home = home.path();
    run(home, &["run", "subs/good.wasm", "--scenario", "smoke", "--seeds", "1", "--data"], PASS, &["Data"]);
    let query = |sql: &str, exit: i32, words: &[&str]| {
        run(home, &["query", "report", sql, "--format", "csv", "--timeout", "5min"], exit, words)
    };
    query("select length(repeat('x', 1000)) as n", PASS, &["1000"]);
    for sql in [
        "select length(repeat('x', 2000000000))",
        "select length(lpad('x', 2147483646, 'abc'))",
        "select length(rpad('x', 2147483646, 'abc'))",
        "select length(concat(repeat('x', 500000000), repeat('x', 500000000), repeat('x', 500000000), repeat('x', 500000000)))",
        "select length(replace(repeat('x', 100000000), 'x', repeat('y', 1000)))",
        "select count(*) from (select repeat('x', 1000000) as t from quotes) where length(repeat(t, 1000)) > 1",
        "select length(regexp_replace(repeat('x', 50000000), 'x', repeat('y', 1000), 'g'))",
        "select string_agg(repeat('x', 10000), ',') from quotes a, quotes b",
        "select length(encode(repeat('x', 1500000000), 'hex'))",
        "with recursive t(x) as (select 'x' union all select concat(x, x) from t where length(x) < 4000000000) select max(length(x)) from t",
    ] {
        let text = query(sql, USAGE, &["MiB", "hint"]);
        assert!(!text.contains("panicked") && !text.contains("memory allocation of"), "{text}");
    }
    run(
        home,
        &[
            "query",
            "report",
            "select sum(a.seed * b.seed + c.seed) from quotes a, quotes b, quotes c",
            "--timeout",
            "1s",
        ],
        USAGE,
        &["exceeded its timeout of 1 s"],
    );
    query("select seed from nothing", USAGE, &["there is no table `nothing`"]);
    query("drop table quotes", USAGE, &["only queries"]);
}

#[test]
fn a_packed_bomb_is_not_unpacked() {
    let home = tempfile::tempdir().expect("a folder");
    let pack = |name: &str, bytes: &[u8], mebibytes: usize| {
        let mut encoder = GzEncoder::new(fs::File::create(home.path().join(name)).expect("made"), Compression::best());
        for _ in 0..mebibytes {
            encoder.write_all(bytes).expect("written");
        }
        encoder.finish().expect("written");
    };
    pack("feeds.jsonl.gz", &vec![b'\n'; 1 << 20], 300);
    pack("zeros.jsonl.gz", &vec![b'0'; 1 << 20], 300);
    let row = format!("{{\"instance_id\": \"{}\"}}\n", "x".repeat(1000));
    pack("rows.jsonl.gz", row.repeat(1000).as_bytes(), 300);
    // Many packed pieces in a row, each of which is small.
    let piece = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).expect("written");
        encoder.finish().expect("written")
    };
    let pieces = piece(&vec![b'\n'; 1 << 20]).repeat(300);
    fs::write(home.path().join("pieces.jsonl.gz"), &pieces).expect("written");
    // The same behind rows that hardly pack.
    let row = |n: u32| format!("{{\"instance_id\": \"{}\"}}\n", blake3::hash(&n.to_le_bytes()));
    let rows: String = (0..1_000).map(row).collect();
    fs::write(home.path().join("head.jsonl.gz"), [piece(rows.as_bytes()), pieces].concat()).expect("written");
    for name in ["feeds.jsonl.gz", "zeros.jsonl.gz", "rows.jsonl.gz", "pieces.jsonl.gz", "head.jsonl.gz"] {
        run(home.path(), &["tasks", "import", name], USAGE, &["expands to more than 200 times its size", "hint"]);
    }
}

#[test]
fn the_files_beside_verdicts_are_passed_over() {
    let home = house();
    let home = home.path();
    run(home, &["gate", "keygen", "key"], PASS, &[]);
    run(home, &["gate", "subs", "--out", "out", "--key", "key"], FAIL, &[]);
    // As the shell makes it of `out/*.json`.
    let all = [
        "out/bad.wasm.dsse.json",
        "out/bad.wasm.json",
        "out/good.wasm.dsse.json",
        "out/good.wasm.json",
        "out/summary.json",
    ];
    let report = |files: &[&str], exit: i32, words: &[&str]| {
        run(home, &[&["gate", "report"], files, &["--key", "key", "--markdown", "m.md"]].concat(), exit, words)
    };
    report(&all, PASS, &["Signed", "good.wasm.dsse.json"]);
    report(&["out/summary.json"], USAGE, &["none of these files contains a verdict"]);
    report(&["gate.toml"], USAGE, &["does not contain a verdict"]);
    // A pass without a check is none, whoever wrote it.
    edit(&home.join("out/bad.wasm.json"), |text| {
        let mut verdict: serde_json::Value = serde_json::from_str(text).expect("JSON");
        verdict["decision"] = "pass".into();
        verdict["checks"] = serde_json::Value::Array(Vec::new());
        verdict.to_string()
    });
    report(&["out/bad.wasm.json"], USAGE, &["cannot be signed", "does not follow"]);
}

#[test]
fn findings_stand_beside_a_compiler_error() {
    let home = tempfile::tempdir().expect("a folder");
    let source = strategy("let x: u8 = \"text\"; let _ = std::collections::HashMap::<u8, u8>::new();");
    fs::write(home.path().join("s.rs"), source).expect("written");
    let text = run(home.path(), &["check", "s.rs"], REJECTED, &["mismatched types"]);
    let all = run(home.path(), &["check", "s.rs", "--format", "json"], REJECTED, &["mismatched types"]);
    let from = all.find('{').expect("JSON");
    let to = all.rfind('}').expect("JSON");
    let all: serde_json::Value = serde_json::from_str(&all[from..=to]).expect("JSON");
    for finding in all["findings"].as_array().expect("a list") {
        let message = finding["message"].as_str().expect("text").split(" [").next().expect("text");
        assert!(text.contains(message), "{message}\n{text}");
    }
}

#[test]
fn a_polite_kill_ends_a_gate_that_waits() {
    // So many seeds that no machine gates them before the kill.
    let home = home(&POLICY.replace("public = 1\n", "public = 1_000\n"));
    fs::create_dir(home.path().join("subs")).expect("made");
    let endless = component(home.path(), "loop { core::hint::black_box(1); }");
    for number in 0..50 {
        fs::write(home.path().join(format!("subs/s{number}.wasm")), &endless).expect("written");
    }
    let first = started(home.path(), &["gate", "subs", "--out", "out", "--jobs", "1"]);
    let began = Instant::now();
    while !home.path().join("out/.lock").exists() {
        assert!(began.elapsed() < PATIENCE, "the first gate does not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    // One that waits for the first, and the first.
    let second = started(home.path(), &["gate", "subs", "--out", "out", "--wait"]);
    std::thread::sleep(Duration::from_secs(2));
    for (child, what) in [(second, "waiting"), (first, "gating")] {
        let began = Instant::now();
        assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill starts").success());
        let output = ended(child, what);
        assert_eq!(output.status.code(), Some(INTERRUPTED), "{what}\n{}", show(&output));
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: {:?}", began.elapsed());
    }
}

#[test]
fn caches_that_are_links_are_refused_and_keep_what_is_behind_them() {
    let home = home(POLICY);
    let home = home.path();
    fs::write(home.join("s.rs"), strategy("")).expect("written");
    let old = std::time::SystemTime::now() - Duration::from_secs(10 * 86_400);
    let photos = home.join("photos");
    for name in ["thesis/chapter1", "build-abcdef"] {
        fs::create_dir_all(photos.join(name)).expect("made");
    }
    for name in ["thesis/chapter1/text", "wedding.raw", "note.kept"] {
        fs::write(photos.join(name), "mine").expect("written");
        fs::File::options().append(true).open(photos.join(name)).and_then(|file| file.set_modified(old)).expect("set");
    }
    for name in ["thesis", "build-abcdef"] {
        fs::File::open(photos.join(name)).and_then(|folder| folder.set_modified(old)).expect("set");
    }
    let before = fs::read_dir(&photos).expect("a folder").count();
    for (place, exit) in [("sdk/scratch", 4), ("sdk", 4), ("sdk/kept", 0), ("artifacts", 0)] {
        let cache = home.join("cache");
        let _ = fs::remove_dir_all(&cache);
        fs::create_dir_all(cache.join(place).parent().expect("a folder")).expect("made");
        symlink(&photos, cache.join(place)).expect("linked");
        let mut command = assay(home);
        command.env("ASSAY_CACHE_DIR", &cache).args(["run", "s.rs", "--scenario", "smoke", "--seeds", "1"]);
        let output = command.output().expect("assay starts");
        let text = show(&output);
        assert_eq!(output.status.code(), Some(exit), "{place}\n{text}");
        assert!(text.contains("symbolic link"), "{place}\n{text}");
        assert_eq!(fs::read_dir(&photos).expect("a folder").count(), before, "{place}: nothing came or went");
        assert_eq!(fs::read(photos.join("thesis/chapter1/text")).expect("it is there"), b"mine", "{place}");
    }
    assert!(root().is_dir());
}
