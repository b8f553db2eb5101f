//! `assay board` through the binary: a season from its beginning to its end, and what is refused. The attacks on ranks are in `host/evaluate/tests/board.rs`.

use super::{DONE, FAILED, INFRASTRUCTURE, USAGE, answer, both, check};
use assay_tests::gate::component;
use assay_tests::{assay, show};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;

const SECRET: &[&str] = &["--secret-file", "secret.txt"];
/// The files that say what the board is.
const PUBLISHED: [&str; 2] = ["board.json", "standings.json"];

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

/// Whoever does the obvious thing would lead.
#[test]
fn a_market_that_gives_profit_away_ranks_nobody() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let path = home.path();
    std::fs::write(path.join("secret.txt"), "a secret of many characters\n").expect("written");
    let gift = "base = \"smoke\"\ngives_away = \"everybody earns\"\n";
    std::fs::write(path.join("gift.toml"), gift).expect("written");
    for market in ["rmsc03", "rmsc04-day", "trending", "gift.toml"] {
        let new = ["board", "new", "spring", "--scenario", market];
        check(path, &both(&new, SECRET), USAGE, &["gives profit away", "such as calm"]);
    }
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
    let folder = path.join(".assay/boards/spring/season-1");
    let whole = PUBLISHED.map(|file| std::fs::read(folder.join(file)).expect("read"));
    edit(&folder, &PUBLISHED, "release", &json!("0.0.1"));
    submit(path, "idle.wasm", "ada", USAGE, &["the board was made with Assay 0.0.1", "not compared"]);
    PUBLISHED.iter().zip(whole).for_each(|(file, whole)| std::fs::write(folder.join(file), whole).expect("written"));
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
        submit(path, "buyer.wasm", "bob", INFRASTRUCTURE, &["is damaged", "left as it is"]);
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

/// Writes another value into what these files say that the board is.
fn edit(folder: &Path, files: &[&str], field: &str, value: &Value) {
    for file in files {
        let path = folder.join(file);
        let mut whole: Value = serde_json::from_slice(&std::fs::read(&path).expect("read")).expect("JSON");
        let board = if *file == "board.json" { &mut whole } else { &mut whole["board"] };
        assert_ne!(&board[field], value);
        board[field] = value.clone();
        std::fs::write(path, whole.to_string()).expect("written");
    }
}

/// The step decides how finely sealed means are shown, the seeds decide everything else.
#[test]
fn an_edited_board_is_refused_before_anything_is_run_or_written() {
    let home = ground();
    let path = home.path();
    submit(path, "idle.wasm", "ada", DONE, &[]);
    let folder = path.join(".assay/boards/spring/season-1");
    let all = || {
        ["board.json", "standings.json", "tries.log", "sealed.log"]
            .map(|file| std::fs::read(folder.join(file)).expect("read"))
    };
    let whole = all();
    let sealed = |count: u64| json!({"count": count, "commitment": "0"});
    let cases: [(&[&str], &str, Value); 14] = [
        (&["board.json"], "step", json!(0.0)),
        (&["board.json"], "step", json!(-1e308)),
        (&["board.json"], "step", json!(0.001)),
        (&["board.json"], "measure", json!("sharpe")),
        (&["board.json"], "public", json!([1, 2, 3])),
        (&["board.json"], "sealed", sealed(4)),
        (&["board.json"], "created_ms", json!(1)),
        (&["standings.json"], "step", json!(0.001)),
        // Where both agree, the numbers are still none.
        (&PUBLISHED, "step", json!(0.0)),
        (&PUBLISHED, "step", json!(-1e308)),
        (&PUBLISHED, "public", json!([])),
        (&PUBLISHED, "public", json!([2, 1, 3])),
        (&PUBLISHED, "sealed", sealed(u64::MAX)),
        (&PUBLISHED, "sealed", sealed(0)),
    ];
    for (files, field, value) in cases {
        edit(&folder, files, field, &value);
        let before = all();
        let new = ["board", "new", "spring", "--scenario", "mine.toml"];
        submit(path, "buyer.wasm", "bob", INFRASTRUCTURE, &["is damaged", "left as it is"]);
        for command in [&["board", "close", "spring"][..], &["board", "show", "spring"], &both(&new, SECRET)] {
            check(path, command, INFRASTRUCTURE, &["is damaged", "left as it is"]);
        }
        assert!(all() == before, "{files:?}: {field} {value}: nothing was written");
        for (file, bytes) in PUBLISHED.iter().zip(&whole) {
            std::fs::write(folder.join(file), bytes).expect("written");
        }
    }
    // A season that was closed stays closed.
    check(path, &["board", "close", "spring"], DONE, &["Closed"]);
    std::fs::write(folder.join("tries.log"), &whole[2]).expect("written");
    for command in [&["board", "close", "spring"][..], &["board", "show", "spring"]] {
        check(path, command, INFRASTRUCTURE, &["the season is closed in the published standings"]);
    }
    submit(path, "buyer.wasm", "bob", INFRASTRUCTURE, &["is damaged"]);
}

/// Files that agree are still not what the holder of the secret made.
#[test]
fn a_board_that_was_edited_throughout_takes_nothing() {
    let home = ground();
    let path = home.path();
    submit(path, "idle.wasm", "ada", DONE, &[]);
    let folder = path.join(".assay/boards/spring/season-1");
    let whole = PUBLISHED.map(|file| std::fs::read(folder.join(file)).expect("read"));
    let journals = || ["tries.log", "sealed.log"].map(|file| std::fs::read(folder.join(file)).expect("read"));
    let before = journals();
    let board: Value = serde_json::from_slice(&whole[0]).expect("JSON");
    let fewer = json!({"count": 3, "commitment": board["sealed"]["commitment"]});
    for (field, value) in [
        ("step", json!(0.001)),
        ("measure", json!("sharpe")),
        ("public", json!([1, 2, 3])),
        ("sealed", fewer),
        ("created_ms", json!(1)),
    ] {
        edit(&folder, &PUBLISHED, field, &value);
        submit(path, "buyer.wasm", "bob", USAGE, &["board.json was changed since the season was made", "hint"]);
        assert!(journals() == before, "{field}: nothing was run or written");
        for (file, bytes) in PUBLISHED.iter().zip(&whole) {
            std::fs::write(folder.join(file), bytes).expect("written");
        }
    }
    submit(path, "buyer.wasm", "bob", DONE, &["Entered", "try 2"]);
}

#[test]
fn what_stands_behind_the_last_try_is_told() {
    let home = ground();
    let path = home.path();
    submit(path, "idle.wasm", "ada", DONE, &[]);
    let file = path.join(".assay/boards/spring/season-1/tries.log");
    let whole = std::fs::read(&file).expect("read");
    for tail in [vec![0; 1 << 20], vec![b'a'; 3 << 20], b"no try".to_vec(), [&whole[..65], &[0; 9]].concat()] {
        let changed = [whole.as_slice(), &tail].concat();
        std::fs::write(&file, &changed).expect("written");
        check(path, &["board", "show", "spring"], INFRASTRUCTURE, &["tries.log is damaged"]);
        submit(path, "buyer.wasm", "bob", INFRASTRUCTURE, &["tries.log is damaged"]);
        assert!(std::fs::read(&file).expect("read") == changed, "it was left alone");
    }
    // What a crash may leave of a try is no damage.
    std::fs::write(&file, [whole.as_slice(), &whole[..100]].concat()).expect("written");
    check(path, &["board", "show", "spring"], DONE, &["idle.wasm", "100 bytes of a try that was never finished"]);
    submit(path, "buyer.wasm", "bob", DONE, &["Entered", "try 2"]);
    let output = check(path, &["board", "show", "spring"], DONE, &["buyer.wasm"]);
    assert!(!show(&output).contains("never finished"), "{}", show(&output));
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
