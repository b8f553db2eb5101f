//! What the tree costs: a fork, an edit, bringing in a folder, searching it. Each beside what one would do without it, in the same run.
//!
//! `tree-fork-us`: forking (and dropping) a tree of 10 MB in 1,000 files; at most 50 µs. Beside it, a copy of the same as a map.
//! `tree-edit-us`: forking a tree with a file of 10 MB and changing one byte in it. Beside it, a copy of the file.
//! `tree-import-5000-ms`: reading a folder of 5,000 files into a tree and hashing it all, beside `cp -r`.
//! `tree-grep-5000-ms`: one pattern over that tree, beside `grep -rn` over the folder; both must find as many lines.
//!
//! `cargo bench -p assay-tree --bench tree [-- --json]`. It needs a temporary folder, `cp` and `grep`.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock, its arguments and a folder, starts its peers and prints what it found"
)]

use assay_model::Time;
use assay_tree::search::{GrepLimits, GrepQuery, Unmetered, grep};
use assay_tree::{Limits, Tree};
use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const LIMITS: Limits = Limits { bytes_max: 1 << 30, inodes_max: 1 << 20 };
const NOW: Time = Time(0);
/// Ours and the peer are timed in turn, so that a busy spell of the machine hits them alike.
const ROUNDS: usize = 15;
/// Forks in a sample, one after the other.
const FORKS: u32 = 1_000;
const FILES: usize = 5_000;
const PATTERN: &str = "fn .*needle";

struct Measure {
    id: &'static str,
    unit: &'static str,
    versus: &'static str,
    medians: [f64; 2],
}

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("source");
    write_folder(&source);
    let json = std::env::args().any(|argument| argument == "--json");
    for Measure { id, unit, versus, medians: [median, peer] } in
        [fork(), edit(), import(folder.path(), &source), search(&source)]
    {
        let ratio = median / peer;
        if json {
            println!(
                r#"{{"id":"{id}","median":{median:.3},"unit":"{unit}","versus":"{versus}","versus_median":{peer:.3},"ratio":{ratio:.4}}}"#
            );
        } else {
            println!("{id:<20} {median:9.3} {unit}   {versus} {peer:9.3}   ratio {ratio:.4}");
        }
    }
}

/// Medians in units of `seconds`.
fn medians(seconds: f64, mut ours: impl FnMut(), mut peers: impl FnMut()) -> [f64; 2] {
    let mut samples = [const { Vec::new() }; 2];
    for _ in 0..ROUNDS {
        let runs: [&mut dyn FnMut(); 2] = [&mut ours, &mut peers];
        for (run, samples) in runs.into_iter().zip(&mut samples) {
            let start = Instant::now();
            run();
            samples.push(start.elapsed().as_secs_f64() / seconds);
        }
    }
    samples.map(|mut samples| {
        samples.sort_by(f64::total_cmp);
        samples[ROUNDS / 2]
    })
}

fn fork() -> Measure {
    let mut tree = Tree::new(LIMITS);
    let mut map = BTreeMap::new();
    for file in 0..1_000 {
        let (path, bytes) = (format!("d{}/f{file}", file % 40), vec![file as u8; 10_000]);
        tree.mkdir_all(format!("d{}", file % 40).as_bytes(), NOW).expect("there is room");
        tree.put(path.as_bytes(), bytes.clone().into(), NOW).expect("there is room");
        map.insert(path, bytes);
    }
    let ours = || (0..FORKS).for_each(|_| drop(black_box(black_box(&tree).fork())));
    let mut medians = medians(1e-6, ours, || drop(black_box(black_box(&map).clone())));
    medians[0] /= f64::from(FORKS);
    Measure { id: "tree-fork-us", unit: "us", versus: "map copy", medians }
}

fn edit() -> Measure {
    let bytes = vec![7; 10_000_000];
    let mut tree = Tree::new(LIMITS);
    tree.put(b"big", bytes.clone().into(), NOW).expect("there is room");
    let ours = || {
        for _ in 0..FORKS {
            let mut fork = black_box(&tree).fork();
            fork.write(b"big", 5_000_000, b"x", NOW).expect("there is room");
            black_box(fork);
        }
    };
    let peers = || {
        let mut copy = black_box(&bytes).clone();
        copy[5_000_000] = b'x';
        black_box(copy);
    };
    let mut medians = medians(1e-6, ours, peers);
    medians[0] /= f64::from(FORKS);
    Measure { id: "tree-edit-us", unit: "us", versus: "file copy", medians }
}

fn import(folder: &Path, source: &Path) -> Measure {
    let mut copies = 0;
    let ours = || {
        let tree = read_folder(source);
        assert_eq!(tree.walk(b"/").expect("it is a directory").count(), FILES + 100);
        black_box(tree.digest());
    };
    let peers = || {
        copies += 1;
        let copied = Command::new("cp").arg("-r").arg(source).arg(folder.join(format!("copy{copies}"))).status();
        assert!(copied.expect("cp is installed").success());
    };
    Measure { id: "tree-import-5000-ms", unit: "ms", versus: "cp -r", medians: medians(1e-3, ours, peers) }
}

fn search(source: &Path) -> Measure {
    let tree = read_folder(source);
    let limits = GrepLimits { matches_max: usize::MAX, output_bytes_max: usize::MAX, line_bytes_max: usize::MAX };
    let query = GrepQuery { pattern: PATTERN, literal: false, ignore_case: false, root: b"/", glob: None, limits };
    let (mut found, mut found_by_peer) = (0, 0);
    let ours = || found = grep(&tree, &query, &mut Unmetered).expect("the pattern is right").matches.len();
    let peers = || {
        let output = Command::new("grep").args(["-rn", PATTERN]).arg(source).output().expect("grep is installed");
        found_by_peer = output.stdout.iter().filter(|byte| **byte == b'\n').count();
    };
    let medians = medians(1e-3, ours, peers);
    assert_eq!(found, found_by_peer, "they do not search the same");
    assert!(found > 0);
    Measure { id: "tree-grep-5000-ms", unit: "ms", versus: "grep -rn", medians }
}

/// 5,000 files of source-like lines, 3 kB on the average, in 100 folders. One line in a thousand has the needle.
fn write_folder(folder: &Path) {
    let words =
        ["let", "fn", "match", "self", "return", "value", "index", "=>", "{", "}", "(", ")", "tree", "node", "name"];
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for file in 0..FILES {
        let mut text = String::new();
        for _ in 0..random(200) {
            for _ in 0..random(12) {
                text.push_str(words[random(words.len())]);
                text.push(' ');
            }
            text.push_str(if random(1_000) == 0 { "fn find_needle\n" } else { "\n" });
        }
        let folder = folder.join(format!("folder{}", file % 100));
        fs::create_dir_all(&folder).expect("the folder is writable");
        fs::write(folder.join(format!("file{file}.rs")), text).expect("the folder is writable");
    }
}

fn read_folder(source: &Path) -> Tree {
    let mut tree = Tree::new(LIMITS);
    read_into(&mut tree, source, b"");
    tree
}

fn read_into(tree: &mut Tree, folder: &Path, prefix: &[u8]) {
    for entry in fs::read_dir(folder).expect("the folder is readable") {
        let entry = entry.expect("the folder is readable");
        let path = [prefix, entry.file_name().as_bytes()].concat();
        if entry.file_type().expect("it is there").is_dir() {
            tree.mkdir(&path, NOW).expect("there is room");
            read_into(tree, &entry.path(), &[&path[..], b"/"].concat());
        } else {
            tree.put(&path, fs::read(entry.path()).expect("it is readable").into(), NOW).expect("there is room");
        }
    }
}
