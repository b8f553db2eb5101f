//! The rules of the house that a machine can check: arrows between crates, one owner per heavy dependency, file openings and lengths,
//! inherited lints, and the two clippy configurations.

use assay_tests::root;
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every crate and its floor. A crate may depend only on crates of lower floors. ARCHITECTURE.md shows the same list.
const FLOORS: &[(&str, u8)] = &[
    ("assay-sdk", 0),
    ("assay-files", 0),
    ("assay-validator", 1),
    ("assay-run", 1),
    ("assay-model", 0),
    ("assay-jail", 0),
    ("assay-cache", 1),
    ("assay-hostile", 2),
    ("assay-market", 2),
    ("assay-trace", 2),
    ("assay-grade", 2),
    ("assay-tree", 2),
    ("assay-world", 3),
    ("assay-tau2", 4),
    ("assay-compile", 3),
    ("assay-sandbox", 3),
    ("assay-sql", 4),
    ("assay-evaluate", 4),
    ("assay-rollout", 4),
    ("assay-worlds", 5),
    ("assay-mine", 5),
    ("assay-refine", 5),
    ("assay-report", 5),
    ("assay-gate", 5),
    ("assay-data", 5),
    ("assay-docker", 5),
    ("assay-llm", 5),
    ("assay-store", 5),
    ("assay-query", 6),
    ("assay-results", 6),
    ("assay-work", 6),
    ("assay-server", 7),
    ("assay-commands", 7),
    ("assay-cli", 8),
    ("assay-tests", 9),
];

/// Heavy dependencies and the only crates that may name each: one, or two for what both the report and the pages are made of.
const OWNERS: &[(&str, &str)] = &[
    ("axum", "assay-server"),
    ("hyper", "assay-server"),
    ("hyper-util", "assay-server"),
    ("wasmtime", "assay-sandbox"),
    ("wasmtime-wasi-io", "assay-sandbox"),
    ("landlock", "assay-jail"),
    ("maud", "assay-report"),
    ("maud", "assay-server"),
    ("clap", "assay-cli"),
    ("wait4", "assay-commands"),
    ("indicatif", "assay-cli"),
    ("syn", "assay-validator"),
    ("rayon", "assay-evaluate"),
    ("arrow", "assay-data"),
    ("parquet", "assay-data"),
    ("datafusion", "assay-query"),
    ("bollard", "assay-docker"),
    ("flate2", "assay-commands"),
    ("imara-diff", "assay-tree"),
    ("reqwest", "assay-llm"),
    ("rustls", "assay-llm"),
    ("ed25519-dalek", "assay-gate"),
    ("secrecy", "assay-llm"),
    ("libc", "assay-jail"),
    ("libsqlite3-sys", "assay-store"),
    ("sqlx", "assay-store"),
    ("rusqlite", "assay-sql"),
    ("object_store", "assay-store"),
];

/// Pure crates: they may depend only on these, so that no clock, file or thread comes in by the back door.
const PURE: &[&str] =
    &["assay-model", "assay-market", "assay-trace", "assay-grade", "assay-tree", "assay-world", "assay-tau2"];
const PURE_MAY_USE: &[&str] = &[
    "assay-model",
    "assay-trace",
    "assay-tree",
    "assay-world",
    "blake3",
    "imara-diff",
    "jsonschema",
    "libm",
    "miniz_oxide",
    "quick-xml",
    "rand_core",
    "rand_pcg",
    "regex",
    "regex-automata",
    "regex-syntax",
    "serde",
    "serde_json",
    "sha1",
    "sha2",
    "strsim",
    "thiserror",
    "toml",
    "unicode-normalization",
];

const FILE_LINES_MAX: usize = 800;

/// The lines around the drawing in ARCHITECTURE.md.
const DRAWING_BEGINS: &str = "```mermaid\n";
const DRAWING_ENDS: &str = "```\n";

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata reads the workspace")
}

fn tracked_files(extension: &str) -> Vec<PathBuf> {
    let output = Command::new("git")
        .current_dir(root())
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .output()
        .expect("git lists the files");
    let files: Vec<PathBuf> = String::from_utf8(output.stdout)
        .expect("file names are UTF-8")
        .lines()
        .map(PathBuf::from)
        .filter(|path| path.extension().is_some_and(|found| found == extension) && root().join(path).exists())
        .collect();
    assert!(!files.is_empty(), "no .{extension} file found: the check would be empty");
    files
}

/// Guests written to be refused keep whatever form their attack needs.
fn is_house_code(path: &Path) -> bool {
    !path.starts_with("tests/hostile") && !path.starts_with("tests/honest")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(root().join(path)).expect("tracked files are readable UTF-8")
}

fn floor(name: &str) -> u8 {
    FLOORS
        .iter()
        .find(|(known, _)| *known == name)
        .unwrap_or_else(|| panic!("{name} has no floor: add it to FLOORS and to ARCHITECTURE.md"))
        .1
}

#[test]
fn the_map_has_the_same_floors() {
    let row = |line: &'static str| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let floor = cells.next()?.parse::<u8>().ok()?;
        Some((cells.next()?.strip_prefix('`')?.strip_suffix('`')?, floor))
    };
    let rows: BTreeMap<&str, u8> = include_str!("../../ARCHITECTURE.md").lines().filter_map(row).collect();
    assert_eq!(rows, FLOORS.iter().copied().collect(), "the table in ARCHITECTURE.md (left) and FLOORS (right) differ");
}

/// Everything that a crate depends on, directly or not.
fn below<'a>(uses: &'a BTreeMap<String, BTreeSet<String>>, start: &str) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut next: Vec<&str> = uses[start].iter().map(String::as_str).collect();
    while let Some(name) = next.pop() {
        if seen.insert(name) {
            next.extend(uses[name].iter().map(String::as_str));
        }
    }
    seen
}

/// The crates of each floor, from the highest, with arrows to what they depend on. A dependency has no arrow if one of the others leads there.
fn drawing() -> String {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in metadata().packages {
        let ours = package.dependencies.iter().filter(|d| d.name.starts_with("assay-"));
        let normal = ours.filter(|d| d.kind == DependencyKind::Normal);
        uses.insert(package.name.to_string(), normal.map(|d| d.name.clone()).collect());
    }
    let mut floors: BTreeMap<u8, BTreeSet<&str>> = BTreeMap::new();
    for (name, floor) in FLOORS {
        floors.entry(*floor).or_default().insert(name);
    }
    let short = |name: &str| name.trim_start_matches("assay-").to_owned();
    let mut text = "flowchart TB\n".to_owned();
    for (floor, crates) in floors.iter().rev() {
        let _ = writeln!(text, "    subgraph floor{floor}[\"floor {floor}\"]");
        for name in crates {
            let _ = writeln!(text, "        {}", short(name));
        }
        text.push_str("    end\n");
    }
    for name in floors.values().rev().flatten() {
        let direct = &uses[*name];
        let further: BTreeSet<&str> = direct.iter().flat_map(|other| below(&uses, other)).collect();
        for other in direct.iter().filter(|other| !further.contains(other.as_str())) {
            let _ = writeln!(text, "    {} --> {}", short(name), short(other));
        }
    }
    text
}

#[test]
fn the_drawing_has_the_same_arrows() {
    let path = root().join("ARCHITECTURE.md");
    let page = read(Path::new("ARCHITECTURE.md"));
    let (before, rest) = page.split_once(DRAWING_BEGINS).expect("ARCHITECTURE.md has a drawing");
    let (kept, after) = rest.split_once(DRAWING_ENDS).expect("the drawing ends");
    let drawing = drawing();
    if std::env::var_os("ASSAY_BLESS").is_some() {
        let page = [before, DRAWING_BEGINS, &drawing, DRAWING_ENDS, after].concat();
        std::fs::write(path, page).expect("written");
    } else {
        assert!(kept == drawing, "the drawing in ARCHITECTURE.md is stale; run `make docs`. It should be:\n{drawing}");
    }
}

#[test]
fn arrows_point_down() {
    for package in metadata().packages {
        for dependency in package
            .dependencies
            .iter()
            .filter(|d| d.name.starts_with("assay-") && d.kind != DependencyKind::Development)
        {
            assert!(
                floor(&dependency.name) < floor(&package.name),
                "{} (floor {}) must not depend on {} (floor {})",
                package.name,
                floor(&package.name),
                dependency.name,
                floor(&dependency.name)
            );
        }
    }
}

#[test]
fn heavy_dependencies_have_one_owner() {
    for package in metadata().packages {
        for dependency in package.dependencies.iter().filter(|d| d.kind != DependencyKind::Development) {
            let owners = OWNERS.iter().filter(|(heavy, _)| *heavy == dependency.name);
            let owners: Vec<&str> = owners.map(|(_, owner)| *owner).collect();
            let is_free = owners.is_empty() || owners.contains(&package.name.as_str());
            assert!(is_free, "{}: only {owners:?} may name {}", package.name, dependency.name);
        }
    }
}

#[test]
fn pure_crates_depend_on_pure_things_only() {
    for package in metadata().packages.into_iter().filter(|p| PURE.contains(&p.name.as_str())) {
        for dependency in package.dependencies.iter().filter(|d| d.kind == DependencyKind::Normal) {
            assert!(
                PURE_MAY_USE.contains(&dependency.name.as_str()),
                "{} must not depend on {}",
                package.name,
                dependency.name
            );
        }
    }
}

#[test]
fn members_inherit_lints_edition_and_versions() {
    for package in metadata().packages {
        let manifest = std::fs::read_to_string(&package.manifest_path).expect("manifests are readable");
        let table: toml::Table = manifest.parse().expect("cargo has read it already");
        assert_eq!(
            table["lints"]["workspace"].as_bool(),
            Some(true),
            "{}: [lints] workspace = true is missing",
            package.name
        );
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let Some(dependencies) = table.get(section).and_then(toml::Value::as_table) else { continue };
            for (name, value) in dependencies {
                let inherited = value.get("workspace").and_then(toml::Value::as_bool) == Some(true);
                assert!(inherited, "{}: {name} must take its version from the workspace", package.name);
            }
        }
    }
}

#[test]
fn every_file_opens_with_its_purpose_and_fits_in_the_head() {
    for path in tracked_files("rs").into_iter().filter(|path| is_house_code(path)) {
        let text = read(&path);
        assert!(text.starts_with("//!"), "{}: the first line must be //! and say what the file is for", path.display());
        let lines = text.lines().count();
        assert!(lines <= FILE_LINES_MAX, "{}: {lines} lines, at most {FILE_LINES_MAX}", path.display());
    }
}

#[test]
fn nothing_is_left_open_or_switched_off() {
    // Built from pieces so that this file does not find itself.
    let banned = [
        concat!("#[", "ignore"),
        concat!("#[", "allow("),
        concat!("#[should_", "panic"),
        concat!("to", "do!("),
        concat!("unimpl", "emented!("),
    ];
    for path in tracked_files("rs").into_iter().filter(|path| is_house_code(path)) {
        for (number, line) in read(&path).lines().enumerate() {
            for word in banned {
                assert!(!line.contains(word), "{}:{}: {word}", path.display(), number + 1);
            }
        }
    }
}

#[test]
fn results_are_stamped_with_the_engine_that_made_them() {
    let lock: toml::Table = read(Path::new("Cargo.lock")).parse().expect("cargo has read it already");
    let packages = lock["package"].as_array().expect("a list of packages");
    let wasmtime =
        packages.iter().find(|package| package["name"].as_str() == Some("wasmtime")).expect("wasmtime is used");
    assert_eq!(wasmtime["version"].as_str(), Some(assay_sandbox::ENGINE_VERSION));
}

#[test]
fn pure_clippy_repeats_the_bans_of_the_root() {
    let parse = |path: &str| read(Path::new(path)).parse::<toml::Table>().expect("clippy.toml is TOML");
    let (base, pure) = (parse("clippy.toml"), parse("host/pure/clippy.toml"));
    for (key, value) in &base {
        match (value, pure.get(key)) {
            (toml::Value::Array(bans), Some(toml::Value::Array(repeated))) => {
                for ban in bans {
                    assert!(repeated.contains(ban), "host/pure/clippy.toml lacks {ban} of {key}");
                }
            }
            (value, repeated) => assert_eq!(Some(value), repeated, "host/pure/clippy.toml differs in {key}"),
        }
    }
}
