//! What people get wrong, and what Assay says: a clear error, a hint, the documented exit code, and nothing lost.

use assay_tests::{assay, show};
use std::fs::File;
use std::path::Path;

/// Refused by the checks.
const REJECTED: i32 = 1;
/// Cannot be carried out as given.
const USAGE: i32 = 2;

/// Runs `assay` in a folder that `prepare` has filled; expects the exit code, every one of `words` in what it prints, and no report.
fn check(prepare: impl FnOnce(&Path), arguments: &[&str], exit: i32, words: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    prepare(folder.path());
    let output = assay(folder.path()).args(arguments).output().expect("assay starts");
    let printed = show(&output);
    assert_eq!(output.status.code(), Some(exit), "assay {arguments:?}\n{printed}");
    for word in words {
        assert!(printed.contains(word), "assay {arguments:?} must say {word:?}\n{printed}");
    }
    assert!(!printed.contains("panicked at host"), "assay {arguments:?} must not panic\n{printed}");
    assert!(!folder.path().join("report/run.json").exists(), "assay {arguments:?} must leave no record");
}

fn file(name: &'static str, bytes: impl AsRef<[u8]> + 'static) -> impl FnOnce(&Path) {
    move |folder| std::fs::write(folder.join(name), bytes).expect("a file can be written")
}

fn nothing(_: &Path) {}

const GOOD: &str = include_str!("../../guest-sdk/template/strategy.rs");

#[test]
fn files_that_are_no_strategy() {
    check(nothing, &["run", "absent.rs"], USAGE, &["absent.rs", "hint"]);
    check(nothing, &["check", "absent.rs"], USAGE, &["absent.rs", "hint"]);
    check(nothing, &["run", "."], USAGE, &["Cargo.toml", "hint"]);
    check(file("s.txt", GOOD), &["run", "s.txt"], USAGE, &["s.txt", "hint"]);
    check(file("s.rs", "this is not Rust"), &["run", "s.rs"], REJECTED, &["s.rs"]);
    check(file("s.rs", b"\xff\xfe\x00 not text"), &["run", "s.rs"], REJECTED, &["UTF-8"]);
    check(file("s.rs", ""), &["run", "s.rs"], REJECTED, &["export!"]);
    // 50 MB, sparse: it must be refused by its size, not read.
    let huge = |folder: &Path| {
        File::create(folder.join("s.rs")).and_then(|file| file.set_len(50_000_000)).expect("a sparse file");
    };
    check(huge, &["run", "s.rs"], REJECTED, &["50000000", "leave out data"]);
    check(huge, &["check", "s.rs"], REJECTED, &["50000000", "leave out data"]);
}

#[test]
fn every_refusal_can_be_read_by_a_program() {
    check(file("s.rs", b"\xff"), &["check", "s.rs", "--format", "json"], REJECTED, &["\"S024\"", "assay.findings"]);
    check(file("s.wasm", "garbage"), &["check", "s.wasm", "--format", "sarif"], REJECTED, &["\"C002\"", "2.1.0"]);
    check(file("s.wasm", ""), &["check", "s.wasm", "--format", "json"], REJECTED, &["\"C001\"", "it is empty"]);
    check(file("s.rs", "fn"), &["check", "s.rs", "--format", "json"], REJECTED, &["\"S027\""]);
    let wrong_type = GOOD.replace("fn initialize", "const X: u8 = \"no\";\n fn initialize");
    check(
        file("s.rs", wrong_type),
        &["check", "s.rs", "--format", "json"],
        REJECTED,
        &["\"B001\"", "mismatched types"],
    );
    let nested = |folder: &Path| {
        std::fs::create_dir(folder.join("sub")).expect("a folder");
        std::fs::write(folder.join("sub/s.rs"), "fn").expect("a file can be written");
    };
    check(nested, &["check", "sub/s.rs", "--format", "sarif"], REJECTED, &["\"sub/s.rs\""]);
}

#[test]
fn a_full_disk_behind_standard_output_is_no_success() {
    let full = File::options().write(true).open("/dev/full").expect("Linux has a full device");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let status =
        assay(folder.path()).args(["scenarios", "show", "rmsc04"]).stdout(full).status().expect("assay starts");
    assert_eq!(status.code(), Some(4), "infrastructure");
}

#[test]
fn strategies_that_are_refused() {
    let wrong_type = GOOD.replace("fn initialize", "const X: u8 = \"no\";\n fn initialize");
    check(file("s.rs", wrong_type), &["run", "s.rs"], REJECTED, &["mismatched types", "s.rs:"]);
    let forbidden = format!("{GOOD}\nfn f() {{ unsafe {{ std::hint::unreachable_unchecked() }} }}\n");
    check(file("s.rs", forbidden), &["run", "s.rs"], REJECTED, &["unsafe", "s.rs:"]);
    let reads = format!("{GOOD}\nconst P: &str = include_str!(\"/etc/passwd\");\n");
    check(file("s.rs", reads), &["run", "s.rs"], REJECTED, &["include_str"]);
    let endless = format!(
        "{GOOD}\nconst N: u64 = {{ let mut i = 0u64; loop {{ i = i.wrapping_add(1); if i == u64::MAX {{ break i }} }} }};\npub static M: u64 = N;\n"
    );
    check(file("s.rs", endless), &["run", "s.rs"], REJECTED, &["s.rs"]);
}

#[test]
fn components_that_are_refused() {
    check(file("s.wasm", "garbage"), &["run", "s.wasm"], REJECTED, &["s.wasm"]);
    check(file("s.wasm", ""), &["run", "s.wasm"], REJECTED, &["s.wasm"]);
    check(file("s.wasm", b"\0asm\x01\0\0\0"), &["run", "s.wasm"], REJECTED, &["core WebAssembly module"]);
    check(file("s.wasm", b"\x7fELF\x02\x01\x01\0"), &["run", "s.wasm"], REJECTED, &["machine code"]);
    check(file("s.wasm", b"\0asm\x0d\0\x01\0"), &["run", "s.wasm"], REJECTED, &["initialize"]);
}

#[test]
fn settings_that_make_no_sense() {
    let strategy = || file("s.rs", GOOD);
    check(strategy(), &["run", "s.rs", "--scenario", "rmsc4"], USAGE, &["rmsc4", "did you mean `rmsc04`"]);
    check(nothing, &["scenarios", "show", "smoek"], USAGE, &["did you mean `smoke`"]);
    check(nothing, &["scenarios", "new", "mine.toml", "--from", "smoek"], USAGE, &["did you mean `smoke`"]);
    check(nothing, &["scenarios", "new", "mine", "--from", "smoke"], USAGE, &["mine", ".toml"]);
    check(file("mine.toml", "x"), &["scenarios", "new", "mine.toml", "--from", "smoke"], USAGE, &["already exists"]);
    check(nothing, &["scenarios", "validate", "livley"], USAGE, &["did you mean `lively`"]);
    check(nothing, &["scenarios", "validate", "smoke"], USAGE, &["too short", "two hours"]);
    check(nothing, &["scenarios", "validate", "lively", "--seeds", "0"], USAGE, &["seed", "hint"]);
    check(strategy(), &["run", "s.rs", "--scenario", "absent.toml"], USAGE, &["absent.toml"]);
    check(strategy(), &["run", "s.rs", "--seeds", "0"], USAGE, &["seed", "hint"]);
    check(strategy(), &["run", "s.rs", "--seeds", "many"], USAGE, &["many", "5..8"]);
    check(strategy(), &["run", "s.rs", "--seeds", "9..3"], USAGE, &["seed", "hint"]);
    check(strategy(), &["run", "s.rs", "--seeds", "999999999"], USAGE, &["seed", "hint"]);
    check(strategy(), &["run", "s.rs", "--threads", "0"], USAGE, &["threads"]);
    check(strategy(), &["run", "s.rs", "--out", "s.rs"], USAGE, &["s.rs", "--out"]);
    check(strategy(), &["run", "s.rs", "--out", "/proc/report"], USAGE, &["/proc/report", "--out"]);
    check(strategy(), &["new", "s"], USAGE, &["already exists"]);
    check(nothing, &["new", "../escape"], USAGE, &["not a valid strategy name"]);
    check(nothing, &["rnu"], USAGE, &["rnu"]);
}

#[test]
fn a_page_of_somebody_else_is_not_overwritten() {
    let prepare = |folder: &Path| {
        file("s.rs", GOOD)(folder);
        file("index.html", "my home page")(folder);
    };
    check(prepare, &["run", "s.rs", "--out", "."], USAGE, &["index.html", "not touched"]);
}

#[test]
fn scenario_files_are_checked_with_place_and_hint() {
    for (edit, words) in [
        (("open = ", "opne = "), &["opne", "`open`", "line "][..]),
        (
            ("mean_reversion_per_second", "mean_reversion_per_secnd"),
            &["mean_reversion_per_secnd", "`mean_reversion_per_second`"],
        ),
        (("count = 20", "count = 1000000000"), &["1000000000", "0 to 1000000"]),
        (("close = 09:32:00", "close = 09:29:00"), &["close", "09:30:00"]),
        (("\"noise\"", "\"nosie\""), &["nosie", "noise"]),
        (("weight = 0.8", "weight = -0.8"), &["-0.8"]),
    ] {
        let prepare = |folder: &Path| {
            file("s.rs", GOOD)(folder);
            let smoke = assay(folder).args(["scenarios", "show", "smoke"]).output().expect("assay starts").stdout;
            let smoke = String::from_utf8(smoke).expect("UTF-8");
            assert!(smoke.contains(edit.0), "smoke has a key {}", edit.0);
            std::fs::write(folder.join("mine.toml"), smoke.replacen(edit.0, edit.1, 1)).expect("a file can be written");
        };
        check(prepare, &["run", "s.rs", "--scenario", "mine.toml"], USAGE, words);
    }
    let broken = |folder: &Path| {
        file("s.rs", GOOD)(folder);
        file("mine.toml", "name = \n")(folder);
    };
    check(broken, &["run", "s.rs", "--scenario", "mine.toml"], USAGE, &["mine.toml", "line 1"]);
}

/// A base is a file that lies in the scenario's folder itself: scenarios come from others, and what they name is opened here.
#[test]
fn a_base_lies_in_the_folder_of_the_scenario() {
    let apart = "a base is a preset, or a file in the folder of the scenario";
    for (base, words) in [
        ("../../../etc/passwd", &["line 1, `base`", apart][..]),
        ("/etc/passwd", &[apart]),
        ("./..", &[apart]),
        ("below/house.toml", &[apart]),
        ("link.toml", &["link.toml", "symbolic link"]),
        ("mine.toml", &["bases go in a circle: mine.toml → mine.toml"]),
        ("./mine.toml", &["bases go in a circle: mine.toml → mine.toml"]),
        ("other.toml", &["bases go in a circle: other.toml → mine.toml → other.toml"]),
    ] {
        let prepare = |folder: &Path| {
            file("mine.toml", format!("base = \"{base}\"\nname = \"t\"\n"))(folder);
            file("other.toml", "base = \"mine.toml\"\n")(folder);
            file("house.toml", "base = \"smoke\"\n")(folder);
            std::os::unix::fs::symlink("house.toml", folder.join("link.toml")).expect("a link can be made");
        };
        check(prepare, &["scenarios", "show", "./mine.toml"], USAGE, words);
    }
}
