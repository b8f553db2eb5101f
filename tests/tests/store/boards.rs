//! `assay board` through the binary: a season from its beginning to its end, and what is refused. The attacks on ranks are in `host/evaluate/tests/board.rs`.

use super::{DONE, FAILED, INFRASTRUCTURE, USAGE, answer, both, check};
use assay_tests::gate::component;
use assay_tests::{assay, show};
use std::path::Path;
use std::process::Stdio;

const SECRET: &[&str] = &["--secret-file", "secret.txt"];

/// A folder with strategies, a scenario file of its own, and a board on it.
fn ground() -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a temporary folder");
    let path = home.path();
    for (name, work) in
        [("buyer", "exchange.market(Side::Buy, Quantity::of(1));"), ("broken", "panic!(\"no idea\")"), ("idle", "")]
    {
        std::fs::write(path.join(format!("{name}.wasm")), component(path, work)).expect("written");
    }
    std::fs::write(path.join("secret.txt"), "a secret of many characters\n").expect("written");
    check(path, &["scenarios", "new", "--from", "smoke", "mine.toml"], DONE, &[]);
    let new = ["board", "new", "spring", "--scenario", "mine.toml", "--public", "3", "--sealed", "4"];
    check(path, &both(&new, SECRET), DONE, &["Created", "season 1 of spring", "3 public seeds and 4 sealed ones"]);
    home
}

#[track_caller]
fn submit(home: &Path, file: &str, author: &str, code: i32, words: &[&str]) {
    check(home, &both(&["board", "submit", "spring", file, "--author", author], SECRET), code, words);
}

#[test]
fn a_season_from_its_beginning_to_its_end() {
    let home = ground();
    let path = home.path();
    check(path, &["board", "show", "spring"], DONE, &["season 1 (open)", "No entry yet", "0 tries"]);
    submit(path, "buyer.wasm", "ada", DONE, &["Entered", "RANK", "buyer.wasm"]);
    submit(path, "buyer.wasm", "ada", DONE, &["try 2 repeats try 1", "was not run"]);
    // Under another name it is the same, and somebody else's copy stays the first one's.
    std::fs::copy(path.join("buyer.wasm"), path.join("renamed.wasm")).expect("copied");
    submit(path, "renamed.wasm", "ada", DONE, &["try 3 repeats try 1"]);
    submit(
        path,
        "renamed.wasm",
        "eve",
        DONE,
        &["try 4 has the same content as try 1, which belongs to whoever submitted it first"],
    );
    submit(path, "broken.wasm", "bob", FAILED, &["try 5 has no rank", "it failed in 3 public seeds", "hint"]);
    submit(path, "idle.wasm", "bob", DONE, &["Entered", "try 6", "idle.wasm", "buyer.wasm"]);
    let words = ["6 tries by 3 authors; 3 different contents were run", "corrected for all of these tries", "is luck"];
    check(path, &["board", "show", "spring"], DONE, &words);
    let found = answer(path, &["board", "show", "spring"]);
    let rows = found["rows"].as_array().expect("rows");
    assert_eq!((rows.len(), &found["chances"], &found["observations"]), (2, &3.into(), &4.into()), "{found:#}");
    let first = rows.iter().find(|row| row["number"] == 1).expect("the first try");
    assert_eq!((&first["author"], &first["file"], &first["repeats"]), (&"ada".into(), &"buyer.wasm".into(), &3.into()));

    // Nothing that everybody may read holds a sealed seed or what came of one.
    let folder = path.join(".assay/boards/spring/season-1");
    let sealed = std::fs::read_to_string(folder.join("sealed.log")).expect("the owner reads it");
    let published = ["board.json", "tries.log", "standings.json"]
        .map(|file| std::fs::read_to_string(folder.join(file)).expect("read"));
    let paths = sealed.match_indices("[\"").map(|(start, _)| &sealed[start + 2..start + 66]);
    assert!(paths.clone().count() >= 8, "{sealed}");
    for path in paths {
        assert!(published.iter().all(|text| !text.contains(path)), "the market of a sealed seed is published");
    }
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(folder.join("sealed.log")).expect("there").permissions(),
    );
    assert_eq!(mode & 0o077, 0, "nobody else reads the sealed results");

    check(path, &["board", "close", "spring"], DONE, &["Closed"]);
    submit(path, "idle.wasm", "ada", USAGE, &["season 1 of spring is closed", "to start the next season"]);
    check(path, &["board", "close", "spring"], USAGE, &["is closed"]);
    let new = ["board", "new", "spring", "--scenario", "mine.toml", "--public", "3", "--sealed", "4"];
    check(path, &both(&new, SECRET), DONE, &["season 2 of spring"]);
    let seeds =
        |season: &str| answer(path, &["board", "show", "spring", "--season", season])["board"]["public"].clone();
    assert_ne!(seeds("1"), seeds("2"), "another season has other seeds");
    check(path, &["board", "show", "spring", "--season", "3"], USAGE, &["has no season 3", "its last one is 2"]);
}

#[test]
fn what_does_not_belong_on_a_board_is_refused_with_the_reason() {
    let home = ground();
    let path = home.path();
    let new = ["board", "new", "spring", "--scenario", "mine.toml"];
    check(path, &both(&new, SECRET), USAGE, &["season 1 of spring is still open", "assay board close spring"]);
    check(path, &["board", "show", "autumn"], USAGE, &["there is no board `autumn`", "there are: spring"]);
    for (change, words) in [
        (&["Spring"][..], "is not a valid board name"),
        (&["../up"], "is not a valid board name"),
        (&["x", "--sealed", "1"], "--sealed 1 is out of range"),
        (&["x", "--public", "100000"], "--public 100000 is out of range"),
        (&["x", "--measure", "max_drawdown"], "cannot be used to rank"),
        (&["x", "--measure", "beauty"], "cannot be used to rank"),
        (&["x", "--step", "0"], "is not a valid step"),
    ] {
        let command = [&["board", "new"], change, &["--scenario", "smoke"], SECRET].concat();
        check(path, &command, USAGE, &[words, "hint"]);
    }
    std::fs::write(path.join("short.txt"), "short").expect("written");
    std::fs::write(path.join("other.txt"), "another secret of many characters").expect("written");
    let submit_with = |secret: &[&str], words: &[&str]| {
        check(path, &both(&["board", "submit", "spring", "idle.wasm", "--author", "ada"], secret), USAGE, words);
    };
    submit_with(&["--secret-file", "other.txt"], &["this is not the secret of season 1 of spring", "hint"]);
    submit_with(&["--secret-file", "short.txt"], &["too short for a secret"]);
    submit_with(&["--secret-file", "none.txt"], &["failed to read the secret from none.txt"]);
    submit_with(&["--secret-env", "ASSAY_NO_SUCH_SECRET"], &["the variable ASSAY_NO_SUCH_SECRET"]);
    submit_with(&[], &["--secret-env", "--secret-file"]);
    submit(path, "idle.wasm", "a\u{202e}b", USAGE, &["that is not a valid author name"]);

    // The market changes under the board.
    let text = std::fs::read_to_string(path.join("mine.toml")).expect("read");
    std::fs::write(path.join("mine.toml"), format!("{text}# changed\n")).expect("written");
    submit(
        path,
        "idle.wasm",
        "ada",
        USAGE,
        &["the scenario `mine.toml` has changed since the board was created", "hash"],
    );
    std::fs::write(path.join("mine.toml"), text).expect("written");

    // Another release's figures.
    let board = path.join(".assay/boards/spring/season-1/board.json");
    let whole = std::fs::read_to_string(&board).expect("read");
    let release = format!("\"release\": \"{}\"", env!("CARGO_PKG_VERSION"));
    std::fs::write(&board, whole.replace(&release, "\"release\": \"0.0.1\"")).expect("written");
    submit(path, "idle.wasm", "ada", USAGE, &["the board was made with Assay 0.0.1", "not compared"]);
    std::fs::write(&board, whole).expect("written");
    let found = answer(path, &["board", "show", "spring"]);
    assert_eq!(found["tries"], 0, "what was refused before it was looked at is not a try");
}

#[test]
fn a_damaged_board_is_said_to_be_and_left_alone() {
    let home = ground();
    let path = home.path();
    submit(path, "idle.wasm", "ada", DONE, &[]);
    let folder = path.join(".assay/boards/spring/season-1");
    for file in ["tries.log", "sealed.log", "board.json", "standings.json"] {
        let whole = std::fs::read(folder.join(file)).expect("read");
        let mut changed = whole.clone();
        let middle = changed.len() / 2;
        changed[middle] = changed[middle].wrapping_add(1);
        changed[2] = b'x';
        std::fs::write(folder.join(file), &changed).expect("written");
        if file != "standings.json" {
            submit(path, "buyer.wasm", "bob", INFRASTRUCTURE, &["is damaged", "left as it is"]);
        }
        if file != "sealed.log" {
            check(path, &["board", "show", "spring"], INFRASTRUCTURE, &["is damaged"]);
        }
        assert!(std::fs::read(folder.join(file)).expect("read") == changed, "{file} was left alone");
        std::fs::write(folder.join(file), whole).expect("written");
    }
    // Tries cut off at the end: what was published knows better.
    std::fs::write(folder.join("tries.log"), "").expect("written");
    check(path, &["board", "show", "spring"], INFRASTRUCTURE, &["include tries that are not in it"]);
}

#[test]
fn two_processes_submit_at_once() {
    let home = ground();
    let path = home.path();
    let start = |file: &str, author: &str| {
        let arguments = both(&["board", "submit", "spring", file, "--author", author], SECRET);
        let mut command = assay(path);
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("assay starts")
    };
    // Two contents, one of them twice: whoever comes second with it is a copy.
    let all = [start("idle.wasm", "ada"), start("buyer.wasm", "bob"), start("idle.wasm", "eve")];
    for process in all {
        let output = process.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(DONE), "{}", show(&output));
    }
    let found = answer(path, &["board", "show", "spring"]);
    assert_eq!((&found["tries"], &found["chances"]), (&3.into(), &2.into()), "{found:#}");
    assert_eq!(found["rows"].as_array().map(Vec::len), Some(2));
}
