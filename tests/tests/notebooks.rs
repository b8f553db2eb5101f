//! The notebooks of `examples/` run from top to bottom, in a market that is a minute long.
//!
//! The tools come from `make setup-python`; without them these tests fail and say so.

use assay_tests::{assay, root, show};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// The interpreter that `make setup-python` has prepared.
fn python() -> PathBuf {
    let setup = Command::new(root().join("tests/python/setup"))
        .arg("--where")
        .arg(root().join("tests/notebooks/requirements.txt"))
        .output()
        .expect("bash is there");
    assert!(setup.status.success(), "{}", show(&setup));
    let python = PathBuf::from(String::from_utf8_lossy(&setup.stdout).trim());
    assert!(python.is_file(), "{} is not there: run `make setup-python`", python.display());
    python
}

/// Executes a notebook; it must print all of `parts`, and draw so many charts.
fn check(name: &str, parts: &[&str], charts: u64) {
    let home = tempfile::tempdir().expect("a folder");
    let place = |name: &str| home.path().join(name);
    // The program under test, with the cache of all tests.
    let ours = assay(home.path());
    let mut command = Command::new(python());
    command.arg(root().join("tests/notebooks/execute.py")).arg(root().join("examples").join(name));
    command.arg(root().join("examples")).current_dir(home.path()).env("ASSAY", ours.get_program());
    for (key, value) in ours.get_envs() {
        match value {
            Some(value) => command.env(key, value),
            None => command.env_remove(key),
        };
    }
    command.env("ASSAY_NOTEBOOK_SCENARIO", "smoke").env("ASSAY_NOTEBOOK_SAMPLES", "2").env("TMPDIR", home.path());
    command.env("IPYTHONDIR", place("ipython")).env("MPLCONFIGDIR", place("matplotlib"));
    command.env("JUPYTER_RUNTIME_DIR", place("runtime")).env("JUPYTER_CONFIG_DIR", place("config"));
    let output = command.output().expect("python runs");
    assert!(output.status.success(), "{name}\n{}", show(&output));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = found["text"].as_str().expect("text");
    for part in parts {
        assert!(text.contains(part), "{name} does not print {part}:\n{text}");
    }
    assert_eq!(found["charts"], charts, "{name}\n{text}");
}

#[test]
fn the_quick_start_runs_reads_plots_refines_and_compares() {
    check("quickstart.ipynb", &["half_spread", "## Promotion trials", "difference", "standard error"], 4);
}

#[test]
fn the_benchmark_of_models_tells_scripted_ones_apart() {
    check("llm_benchmark.ipynb", &["usable programs", "careful", "withheld", "shuffled", "uplift"], 1);
}
