//! What has been run: listed, shown, compared, ranked, exported, removed; and what these commands say where there is nothing, or nothing that they know.

use super::{DONE, FAILED, INFRASTRUCTURE, Other, USAGE, answer, both, check, make_newer, warnings};
use assay_tests::gate::component;
use assay_tests::{assay, assay_binary, show};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// A folder in which strategies were run on `smoke`, and the ids of the runs, oldest first: one that buys, one that breaks, one that does nothing, and
/// that one again over fewer seeds.
fn ground() -> (tempfile::TempDir, [String; 4]) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let path = home.path();
    for (name, work) in
        [("buyer", "exchange.market(Side::Buy, Quantity::of(1));"), ("broken", "panic!(\"no idea\")"), ("idle", "")]
    {
        std::fs::write(path.join(format!("{name}.wasm")), component(path, work)).expect("written");
    }
    for (name, seeds, code) in [("buyer", "4", DONE), ("broken", "1", FAILED), ("idle", "4", DONE), ("idle", "2", DONE)]
    {
        let file = format!("{name}.wasm");
        let output = check(path, &["run", &file, "--scenario", "smoke", "--seeds", seeds], code, &[]);
        assert_eq!(warnings(&output), 0, "{}", show(&output));
    }
    let mut ids = column(&answer(path, &["runs"]), "id");
    ids.reverse();
    (home, ids.try_into().expect("four runs"))
}

/// One field of every run of a listing.
fn column(listing: &Value, key: &str) -> Vec<String> {
    let runs = listing["runs"].as_array().expect("a list").iter();
    runs.map(|run| run[key].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn what_was_run_can_be_looked_at_and_taken_away() {
    let (home, ids) = ground();
    listing(home.path(), &ids);
    showing(home.path(), &ids);
    comparing(home.path(), &ids);
    ranking(home.path());
    exporting(home.path());
    removing(home.path(), &ids);
}

fn listing(home: &Path, ids: &[String; 4]) {
    let all = ["idle.wasm", "idle.wasm", "broken.wasm", "buyer.wasm"];
    for (arguments, total, expected) in [
        (&[][..], 4, &all[..]),
        (&["--status", "completed"], 3, &["idle.wasm", "idle.wasm", "buyer.wasm"]),
        (&["--status", "failed"], 1, &["broken.wasm"]),
        (&["--status", "cancelled"], 0, &[]),
        (&["--strategy", "buyer.wasm"], 1, &["buyer.wasm"]),
        (&["--strategy", "nobody"], 0, &[]),
        (&["--scenario", "smoke"], 4, &all),
        (&["--scenario", "rmsc04"], 0, &[]),
        (&["--kind", "run", "--since", "1h"], 4, &all),
        (&["--kind", "gate"], 0, &[]),
        (&["--since", "2999-01-01"], 0, &[]),
        (&["--limit", "3"], 4, &all[..3]),
        (&["--limit", "3", "--page", "2"], 4, &all[3..]),
        (&["--limit", "3", "--page", "3"], 4, &[]),
        (&["--strategy", "idle.wasm", "--limit", "1", "--page", "2"], 2, &all[1..2]),
    ] {
        let found = answer(home, &both(&["runs"], arguments));
        assert_eq!(
            (column(&found, "strategy"), found["total"].as_u64()),
            (to_owned(expected), Some(total)),
            "{found:#}"
        );
    }
    let newest = &answer(home, &["runs"])["runs"][0];
    assert_eq!((&newest["pnl"]["n"], &newest["scenarios"][0]), (&Value::from(2), &Value::from("smoke")));
    for (arguments, code, words) in [
        (&[][..], DONE, &["STRATEGY", "buyer.wasm", "completed", "failed", "smoke", "finished", &ids[3][..13]][..]),
        (&["--limit", "3"], DONE, &["3 of 4 runs, page 1 of 2"]),
        (&["--limit", "3", "--page", "3"], DONE, &["that page is empty"]),
        (&["--kind", "rollout"], DONE, &["no run matches"]),
        (&["--limit", "0"], USAGE, &["no page 1 of 0 runs", "--limit takes 1 to 1000"]),
        (&["--page", "0"], USAGE, &["no page 0", "--page counts from 1"]),
        (&["--since", "yesterday"], USAGE, &["`yesterday` is neither a date nor a time span", "30min"]),
        (&["--status", "odd"], USAGE, &["completed"]),
    ] {
        check(home, &both(&["runs"], arguments), code, words);
    }
}

fn to_owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn showing(home: &Path, ids: &[String; 4]) {
    // The shortest beginning that is this run's alone.
    let unique = |id: &String| {
        let is_alone = |length: &usize| ids.iter().filter(|other| other.starts_with(&id[..*length])).count() == 1;
        id[..(1..=36).find(is_alone).expect("ids differ")].to_owned()
    };
    let (buyer, upper) = (unique(&ids[0]), ids[1].to_uppercase());
    for (id, code, words) in [
        (
            "latest",
            DONE,
            &["idle.wasm", "completed", "scenario", "smoke", "run.json", "MEASURE", "pnl", "95% INTERVAL"][..],
        ),
        (&buyer, DONE, &["buyer.wasm", &ids[0], "assay run buyer.wasm --scenario smoke --seeds 4"]),
        (&upper, DONE, &["broken.wasm", "failed", "the strategy failed: trapped", "no idea"]),
        (&ids[0][..1], USAGE, &["several runs have ids that begin with", "give more characters of the id"]),
        ("ffff", USAGE, &["no run has an id that begins with `ffff`", "`assay runs` lists them"]),
        ("", USAGE, &["no run has an id"]),
        ("%", USAGE, &["no run has an id"]),
    ] {
        check(home, &["show", id], code, words);
    }
    let found = answer(home, &["show", &ids[0]]);
    let pnl = found["kpis"].as_array().expect("a list").iter().find(|kpi| kpi["measure"] == "pnl").expect("it traded");
    let seeds: Vec<_> = pnl["samples"].as_array().expect("a list").iter().filter_map(|pair| pair[0].as_u64()).collect();
    assert_eq!(seeds, [1, 2, 3, 4]);
    assert!(pnl["low"].as_f64() < pnl["mean"].as_f64() && pnl["mean"].as_f64() < pnl["high"].as_f64(), "{pnl}");
    assert_eq!((&found["status"], &found["lost"]), (&Value::from("completed"), &Value::from(false)));
}

fn comparing(home: &Path, ids: &[String; 4]) {
    let [buyer, broken, idle, shorter] = ids.each_ref().map(String::as_str);
    for (arguments, code, words) in [
        (&[buyer, idle][..], DONE, &["A  ", "B  ", "pnl (cents)", "paired, 4 seeds", "A - B, 95% INTERVAL"][..]),
        (&[buyer, "latest"], DONE, &["Welch, 2 seeds"]),
        (&[idle, idle, "--measure", "pnl"], DONE, &["0 [0, 0]", "no significant difference"]),
        (&[buyer, idle, "--measure", "pnl", "--measure", "orders"], DONE, &["orders", "A is higher"]),
        (&[buyer, broken], DONE, &["Welch"]),
        (&[buyer, idle, "--measure", "beauty"], USAGE, &["nothing to compare", "assay show"]),
        (&[buyer, "ffff"], USAGE, &["begins with `ffff`", "hint"]),
        (&[buyer], USAGE, &["<B>"]),
    ] {
        check(home, &both(&["compare"], arguments), code, words);
    }
    let found = answer(home, &["compare", buyer, shorter, "--measure", "pnl"]);
    let [row] = found["measures"].as_array().expect("a list").as_slice() else { panic!("{found:#}") };
    let is = (row["method"].as_str(), row["a"]["n"].as_u64(), row["b"]["n"].as_u64());
    assert_eq!(is, (Some("welch"), Some(4), Some(2)));
    assert_eq!(found["runs"]["b"]["strategy"], "idle.wasm");
}

fn ranking(home: &Path) {
    for (arguments, code, words) in [
        (&["smoke"][..], DONE, &["RANK", "PNL (cents), 95% INTERVAL", "buyer.wasm", "idle.wasm"][..]),
        (&["rmsc04"], USAGE, &["no completed `assay run` has the measure `pnl` in the scenario `rmsc04`", "hint"]),
        (&["smoke", "--measure", "beauty"], USAGE, &["the measure `beauty`"]),
        (&["smoke", "--measure", "inventory_final"], USAGE, &["cannot rank strategies", "docs/measures.md"]),
    ] {
        let output = check(home, &both(&["leaderboard", "--scenario"], arguments), code, words);
        assert!(!show(&output).contains("broken.wasm"), "who failed has no place: {}", show(&output));
    }
    check(home, &["leaderboard"], USAGE, &["in the scenario `calm`"]);
    check(home, &["runs"], DONE, &["PNL, 95% INTERVAL ($)"]);
    let found = answer(home, &["leaderboard", "--scenario", "smoke"]);
    let places = found["board"].as_array().expect("a list");
    assert_eq!(places.len(), 2, "each content once, on the seeds that most ran on: {found:#}");
    assert_eq!((&places[0]["rank"], &places[0]["behind"]), (&Value::from(1), &Value::Null));
    let idle = places.iter().find(|place| place["strategy"] == "idle.wasm").expect("it is there");
    assert_eq!((&idle["value"]["n"], &idle["runs"]), (&Value::from(4), &Value::from(2)));
}

fn exporting(home: &Path) {
    for _ in 0..2 {
        check(
            home,
            &["export", "latest", "--to", "files/out"],
            DONE,
            &["Wrote", "store.json", "run.json", "index.html"],
        );
    }
    let exported = std::fs::read(home.join("files/out/run.json")).expect("exported");
    assert!(exported == std::fs::read(home.join("report/run.json")).expect("the report of the same run"));
    std::fs::write(home.join("files/out/index.html"), "mine").expect("written");
    check(home, &["export", "latest", "--to", "files/out"], USAGE, &["already exists; it was not touched", "hint"]);
    check(home, &["export", "latest", "--to", "buyer.wasm"], USAGE, &["failed to make buyer.wasm", "--to"]);
    check(home, &["export", "ffff", "--to", "none"], USAGE, &["begins with `ffff`"]);
    assert!(!home.join("none").exists());
    // A file that is not what was put there is not handed out.
    let artifacts = home.join(".assay/artifacts");
    for folder in std::fs::read_dir(&artifacts).expect("a folder") {
        for file in std::fs::read_dir(folder.expect("an entry").path()).expect("a folder") {
            std::fs::write(file.expect("an entry").path(), "changed").expect("written");
        }
    }
    check(home, &["export", "latest", "--to", "damaged"], INFRASTRUCTURE, &["is damaged", "hint"]);
    assert!(!home.join("damaged/run.json").exists());
}

fn removing(home: &Path, ids: &[String; 4]) {
    let [buyer, broken, idle, _] = ids.each_ref().map(String::as_str);
    let total = || answer(home, &["runs"])["total"].as_u64();
    check(
        home,
        &["rm", "latest"],
        USAGE,
        &["nothing was removed: there is no terminal to ask for confirmation", "--yes"],
    );
    check(home, &["rm", buyer, "ffff", "--yes"], USAGE, &["begins with `ffff`"]);
    assert_eq!(total(), Some(4));
    for (reply, words, left) in [
        ("n\n", &["buyer.wasm", "remove these permanently? [y/N]", "nothing was removed"][..], 4),
        ("\n", &["nothing was removed"], 4),
        ("y\n", &["Removed 1 run"], 3),
    ] {
        let text = at_a_terminal(home, &["rm", buyer], reply);
        assert!(words.iter().all(|word| text.contains(word)), "{reply:?}: {text}");
        assert_eq!(total(), Some(left));
    }
    check(home, &["show", buyer], USAGE, &["no run has an id"]);
    check(home, &["rm", broken, idle, "-y"], DONE, &["Removed 2 runs"]);
    check(home, &["rm", "latest", "--yes"], DONE, &["Removed 1 run"]);
    check(home, &["runs"], DONE, &["nothing has been run yet"]);
    check(home, &["rm", "latest", "--yes"], USAGE, &["no run has an id"]);
}

/// Runs a command at a terminal of its own, where somebody types; what was on the screen.
fn at_a_terminal(home: &Path, arguments: &[&str], typed: &str) -> String {
    let command = format!("'{}' {}", assay_binary().display(), arguments.join(" "));
    let mut child = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(home)
        .env("NO_COLOR", "1")
        .env("SHELL", "/bin/sh")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("`script` of util-linux makes terminals");
    child.stdin.take().expect("it is piped").write_all(typed.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", show(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_run_under_way_is_told_from_one_that_was_killed() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let path = home.path();
    std::fs::write(path.join("idle.wasm"), component(path, "")).expect("written");
    let mut child = assay(path)
        .args(["run", "idle.wasm", "--scenario", "smoke", "--threads", "1", "--seeds", "5000"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("assay starts");
    let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
    assert!(lines.any(|line| line.is_ok_and(|line| line.contains("seed 1 "))), "it ended before its first seed");
    let row = || answer(path, &["runs", "--status", "running"])["runs"][0].clone();
    assert_eq!((row()["strategy"].as_str(), row()["lost"].as_bool()), (Some("idle.wasm"), Some(false)));
    check(path, &["runs"], DONE, &["running"]);
    check(path, &["rm", "latest", "--yes"], USAGE, &["is running", "wait for it to finish"]);
    child.kill().expect("it is ours");
    child.wait().expect("it ends");
    assert_eq!(row()["lost"], true);
    check(path, &["runs"], DONE, &["lost"]);
    check(path, &["show", "latest"], DONE, &["lost: its process disappeared without recording how it ended"]);
    check(path, &["rm", "latest", "--yes"], DONE, &["Removed 1 run"]);
}

/// Every command over the store.
const COMMANDS: &[&[&str]] = &[
    &["runs"],
    &["runs", "--json"],
    &["show", "latest"],
    &["compare", "a", "b"],
    &["leaderboard", "--scenario", "smoke"],
    &["export", "latest", "--to", "out"],
    &["rm", "latest", "--yes"],
];

#[test]
fn where_there_is_no_store_none_is_made() {
    let home = tempfile::tempdir().expect("a temporary folder");
    for command in COMMANDS {
        check(home.path(), command, USAGE, &["there is no store at ", ".assay/store.db", "hint", "assay run"]);
        let named = both(command, &["--store", "nowhere.db"]);
        check(home.path(), &named, USAGE, &["nowhere.db", "hint"]);
    }
    assert_eq!(std::fs::read_dir(home.path()).expect("the folder").count(), 0, "it is as it was");
}

#[test]
fn what_is_no_store_or_a_later_one_is_said_and_left_alone() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let path = home.path();
    std::fs::write(path.join("idle.wasm"), component(path, "")).expect("written");
    let run = ["run", "idle.wasm", "--scenario", "smoke", "--seeds", "1"];
    check(path, &run, DONE, &[]);
    let store = path.join(".assay/store.db");
    let whole = std::fs::read(&store).expect("a run makes one");
    let mut torn = whole.clone();
    torn[4096..].iter_mut().for_each(|byte| *byte ^= 0x5a);
    let foreign = {
        std::fs::remove_file(&store).expect("it is there");
        std::fs::write(&store, "").expect("written");
        let mut other = Other::at(&store);
        other.say("CREATE TABLE diary (day TEXT)");
        other.close();
        std::fs::read(&store).expect("it is there")
    };
    std::fs::write(&store, &whole).expect("written");
    make_newer(&store);
    let newer = std::fs::read(&store).expect("it is there");
    for (content, code, words) in [
        (b"a text that somebody wrote".repeat(200), INFRASTRUCTURE, &["is damaged, or is not a store", "hint"][..]),
        (torn, INFRASTRUCTURE, &["is damaged, or is not a store", "hint"]),
        (foreign, INFRASTRUCTURE, &["another program", "hint"]),
        (
            newer,
            USAGE,
            &["has schema version 99, but this Assay supports versions up to", "use the Assay that wrote it"],
        ),
    ] {
        std::fs::write(&store, &content).expect("written");
        for command in COMMANDS {
            check(path, command, code, words);
        }
        // Work is done all the same.
        let output = check(path, &run, DONE, &both(&["not recorded", "--no-store"], words));
        assert_eq!(warnings(&output), 1, "{}", show(&output));
        assert!(std::fs::read(&store).expect("it is there") == content, "{words:?}: it was touched");
    }
    // Moved away, a new one is made.
    std::fs::remove_file(&store).expect("it is there");
    check(path, &run, DONE, &[]);
    assert_eq!(answer(path, &["runs"])["total"], 1);
}
