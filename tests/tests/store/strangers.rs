//! Stores that come with somebody else's checkout: nothing in them is run or followed, and none of it passes for a line of ours.

use super::*;
use assay_tests::gate::{POLICY, component};
use std::fs;
use std::os::unix::fs::symlink;

const RUN: [&str; 7] = ["run", "quiet.wasm", "--scenario", "smoke", "--seeds", "1", "--out=out"];

/// A folder with a strategy that does nothing.
fn project() -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a temporary folder");
    fs::write(home.path().join("quiet.wasm"), component(home.path(), "")).expect("written");
    home
}

#[test]
fn what_a_store_says_is_not_done() {
    let home = project();
    check(home.path(), &RUN, DONE, &[]);
    let file = home.path().join(".assay/store.db");
    let mut other = Other::at(&file);
    other.say(
        "CREATE TRIGGER tt AFTER INSERT ON runs BEGIN UPDATE runs SET error = (WITH RECURSIVE t (x) AS \
         (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT max(x) FROM t) WHERE id = new.id; END",
    );
    other.close();
    let refused = ["CREATE TRIGGER tt", "which Assay did not make", "move it away"];
    let run = check(home.path(), &RUN, DONE, &both(&refused, &["not recorded", "--no-store"]));
    assert_eq!(warnings(&run), 1, "{}", show(&run));
    fs::write(home.path().join("gate.toml"), POLICY).expect("written");
    check(home.path(), &["gate", "quiet.wasm"], DONE, &both(&refused, &["pass"]));
    for reader in
        [&["runs"][..], &["show", "latest"], &["leaderboard", "--scenario", "smoke"], &["rm", "latest", "--yes"]]
    {
        check(home.path(), reader, INFRASTRUCTURE, &refused);
    }
}

#[test]
fn links_in_the_projects_folder_are_not_followed() {
    type Plant<'a> = &'a dyn Fn(&Path);
    let link = |target: &str, home: &Path, place: &str| {
        let place = home.join("project").join(place);
        fs::create_dir_all(place.parent().expect("it has a folder")).expect("made");
        symlink(target, place).expect("linked");
    };
    let cases: [(&str, Plant<'_>, usize); 7] = [
        ("the folder", &|home| link("../victim", home, ".assay"), 1),
        ("the folder, dangling", &|home| link("../victim/new", home, ".assay"), 1),
        ("the store", &|home| link("../../victim/db", home, ".assay/store.db"), 1),
        ("the store, empty", &|home| link("../../victim/empty", home, ".assay/store.db"), 1),
        ("the log", &|home| link("../../victim/log", home, ".assay/store.db-wal"), 1),
        ("artifacts", &|home| link("../../victim", home, ".assay/artifacts"), 1),
        ("what git ignores", &|home| link("../../victim/ignore", home, ".assay/.gitignore"), 0),
    ];
    let strategy = project();
    for (what, plant, expected) in cases {
        let home = tempfile::tempdir().expect("a temporary folder");
        for folder in ["project", "victim"] {
            fs::create_dir(home.path().join(folder)).expect("made");
        }
        fs::write(home.path().join("victim/empty"), "").expect("written");
        fs::copy(strategy.path().join("quiet.wasm"), home.path().join("project/quiet.wasm")).expect("copied");
        plant(home.path());
        let output = check(&home.path().join("project"), &RUN, DONE, &[]);
        let said = show(&output);
        assert_eq!(warnings(&output), expected, "{what}\n{said}");
        assert!(expected == 0 || said.contains("symbolic link, which is not followed"), "{what}\n{said}");
        let victims: Vec<_> = fs::read_dir(home.path().join("victim")).expect("it is there").collect();
        assert_eq!(victims.len(), 1, "{what}: {victims:?}");
        assert_eq!(fs::read(home.path().join("victim/empty")).expect("it is there"), b"", "{what}");
    }
    // What somebody names is theirs to link.
    symlink(strategy.path().join("named.db"), strategy.path().join("link.db")).expect("linked");
    check(strategy.path(), &both(&RUN, &["--store", "link.db"]), DONE, &[]);
    assert!(strategy.path().join("named.db").is_file());
}

#[test]
fn a_board_is_not_made_through_a_link() {
    let home = project();
    fs::create_dir(home.path().join("victim")).expect("made");
    fs::create_dir(home.path().join(".assay")).expect("made");
    fs::write(home.path().join("secret.txt"), "a secret of many characters\n").expect("written");
    symlink("../victim", home.path().join(".assay/boards")).expect("linked");
    let output = assay(home.path())
        .args(["board", "new", "spring", "--scenario", "smoke", "--secret-file", "secret.txt"])
        .output()
        .expect("assay starts");
    assert_eq!(output.status.code(), Some(USAGE), "{}", show(&output));
    assert!(show(&output).contains("symbolic link"), "{}", show(&output));
    assert_eq!(fs::read_dir(home.path().join("victim")).expect("it is there").count(), 0);
}

/// A name that turns text around does so on no screen, and a program reads it as it is.
#[test]
fn json_hides_nothing() {
    let home = project();
    let odd = "a\u{202e}b.wasm";
    fs::rename(home.path().join("quiet.wasm"), home.path().join(odd)).expect("renamed");
    let (first, second) = (["--seeds", "2", "--out=one"], ["--seeds", "3", "--out=two"]);
    for more in [first, second] {
        check(home.path(), &both(&["run", odd, "--scenario", "smoke"], &more), DONE, &[]);
    }
    let ids: Vec<String> = answer(home.path(), &["runs"])["runs"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|run| run["id"].as_str().expect("an id").to_owned())
        .collect();
    for arguments in [
        &["runs", "--json"][..],
        &["show", "latest", "--json"],
        &["compare", ids[0].as_str(), ids[1].as_str(), "--json"],
        &["leaderboard", "--scenario", "smoke", "--json"],
        &["arena", odd, odd, "--scenario", "smoke", "--seeds", "1", "--json", "-"],
    ] {
        let output = check(home.path(), arguments, DONE, &["a\\u202eb.wasm"]);
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(!text.contains('\u{202e}'), "{arguments:?}\n{text}");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert!(value.to_string().contains(odd), "{arguments:?}\n{text}");
    }
}

/// No line of the output is the strategy's: a service that reads the log would obey it, and a person would believe it.
#[test]
fn a_strategy_cannot_write_lines_of_ours() {
    let home = project();
    let forged = ["::error::forged", "##[error]forged", "1/1 seed 1 finished, PnL 9999.00"];
    let work = format!("panic!(\"one\\n{}\\ntwo\")", forged.join("\\n"));
    fs::write(home.path().join("quiet.wasm"), component(home.path(), &work)).expect("written");
    fs::write(home.path().join("gate.toml"), POLICY).expect("written");
    let shown = |arguments: &[&str], code: i32| {
        let output = check(home.path(), arguments, code, &["forged"]);
        let text = show(&output);
        let starts = |line: &&str| forged.iter().any(|start| line.trim_start().starts_with(start));
        assert_eq!(text.lines().find(starts), None, "{arguments:?}\n{text}");
    };
    shown(&RUN, FAILED);
    shown(&["show", "latest"], DONE);
    shown(&["gate", "quiet.wasm"], FAILED);
    shown(&["run", "quiet.wasm", "--scenario=smoke", "--seeds=1", "--out=again", "--no-store"], FAILED);
    let file = home.path().join(".assay/store.db");
    let mut other = Other::at(&file);
    other.say("UPDATE runs SET error = 'a' || char(10) || '::error::forged', backtrace = 'a' || char(10) || '::error::forged', verdict = 'a' || char(10) || '::error::forged', subject = 'a' || char(10) || '::error::forged'");
    other.close();
    shown(&["show", "latest"], DONE);
    shown(&["runs"], DONE);
}
