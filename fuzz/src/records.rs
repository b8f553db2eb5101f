//! Trajectories, those of others, test logs, task rows, patches.

use assay_grade::rule::{Ended, Evidence, Expected, Rule, Run, Scenario, flags, grade};
use assay_grade::{Parser, Status, StatusMap, decode_log, patch as grade_patch, task};
use assay_model::Time;
use assay_trace::import::Importer;
use assay_trace::{Digest, Filter, ReadLimits, Trajectory, export, read_with_limits, show, show_stats, stats, verify};
use assay_tree::patch::{apply, diff};
use assay_tree::{Content, Limits, Tree};
use std::sync::LazyLock;

/// Limits of reading small enough for an input to reach them.
const LIMITS: ReadLimits = ReadLimits { line_bytes: 4 << 10, file_bytes: 64 << 10, memory_bytes: Some(MEMORY_BYTES) };
const MEMORY_BYTES: u64 = 1 << 20;

/// A trajectory file, or with a first byte of `+` the open lines of one, which are then sealed as they should be so that what comes after the seal
/// is reached too. What is read can be shown, counted and exported.
pub fn trajectory(bytes: &[u8]) {
    match bytes.split_first() {
        Some((b'+', lines)) => read_trajectory(&sealed(lines)),
        _ => read_trajectory(bytes),
    }
}

fn sealed(lines: &[u8]) -> Vec<u8> {
    let mut previous = Digest::ZERO;
    let mut file = Vec::new();
    for open in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        previous = Digest::chained(previous, open);
        file.extend_from_slice(open);
        file.extend_from_slice(format!(",\"_hash\":\"{previous}\"}}\n").as_bytes());
    }
    file
}

fn read_trajectory(file: &[u8]) {
    let (loaded, verified) = (read_with_limits(file, LIMITS), verify(file));
    let Ok(loaded) = loaded else { return };
    assert!(loaded.memory_bytes <= MEMORY_BYTES, "more is held than may be");
    let verified = verified.expect("what is read can be verified");
    assert!(loaded.damage.is_some() || verified.damage.is_none(), "one reader finds damage, the other does not");
    use_trajectory(loaded.trajectory);
}

fn use_trajectory(trajectory: Trajectory) {
    let shown = show(&trajectory, &Filter::default(), 10);
    assert!(!shown.contains('\u{1b}'), "a file reaches the terminal");
    let _ = show_stats(&stats(&trajectory));
    let _ = export::chat::chat_row(&trajectory);
    let _ = export::steps::step_rows(&trajectory).count();
    let _ = export::otel::otel(&trajectory, &export::otel::Parents::new(), true);
    let _ = export::atif::atif(&trajectory, &[]);
    let _ = export::inspect::inspect_log(&[trajectory]);
}

/// What others recorded, a JSON value a line: what is taken can be used like a trajectory of ours.
pub fn foreign_trace(bytes: &[u8]) {
    let mut importer = Importer::new("fuzz");
    let lines = bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    let made: Vec<Trajectory> = lines.flat_map(|value| importer.take(value).made).collect();
    made.into_iter().chain(importer.end()).for_each(use_trajectory);
}

/// A test log through the parser that its first byte chooses, and through every rule.
pub fn test_log(bytes: &[u8]) {
    let Some((&choice, log)) = bytes.split_first() else { return };
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| Parser::names().collect());
    let name = NAMES[usize::from(choice) % NAMES.len()];
    let parser: Parser = name.parse().expect("a parser of that name");
    let log = decode_log(log);
    let _ = parser.parse(&log);
    let exit = Ended::Exited(i32::from(choice));
    let run = Run { log: &log, ended: &exit, junit: Some(&log) };
    let expected = Expected::Map { after: StatusMap::from_iter([("t", Status::Passed)]), before: None };
    let scenario = Scenario { expected, parser, nested_summaries: false };
    for rule in [Rule::Strict, Rule::R2eCompat, Rule::SweBench] {
        let _ = grade(rule, &scenario, run);
    }
    let _ = flags(Evidence { patch: &log, log: &log, exit: Some(0), protected: &[], nested_summaries: false });
}

/// A row of a data set: a task, or the row's number and what is wrong.
pub fn task_row(bytes: &[u8]) {
    match task::import_line(7, bytes) {
        Ok(task) => {
            let _ = (task.parser(), task.protected_files(), task.scenario());
        }
        Err(error) => assert!(error.to_string().contains('7'), "an error without its row"),
    }
}

/// A patch on a small tree: refused with the tree untouched, or applied so that the difference of the trees, applied, gives the same tree.
pub fn patch(bytes: &[u8]) {
    let tree = small_tree();
    let before = tree.digest();
    let _ = grade_patch::touched_files(&String::from_utf8_lossy(bytes));
    let applied = apply(&tree, bytes, Time(0));
    assert_eq!(tree.digest(), before, "a patch changed the tree that it was applied to");
    let Ok(target) = applied else { return };
    let again = diff(&tree, &target).expect("a tree in memory is readable");
    let same = apply(&tree, &again, Time(0)).expect("our own patch applies");
    assert!(diff(&same, &target).expect("readable").is_empty(), "our own patch gives another tree");
}

fn small_tree() -> Tree {
    let limits = Limits { bytes_max: 1 << 20, inodes_max: 1_000 };
    let mut tree = Tree::new(limits);
    for (path, text) in
        [(&b"a"[..], &b"one\ntwo\nthree\nfour\n"[..]), (b"d/b", b"x\n"), (b"empty", b""), (b"d/c", b"\xff\0")]
    {
        tree.mkdir_all(b"d", Time(0)).expect("there is room");
        tree.put(path, Content::from(text), Time(0)).expect("there is room");
    }
    tree.symlink(b"d", b"link", Time(0)).expect("there is room");
    tree
}
