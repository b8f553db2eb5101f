//! One interpreter for all tests, and the published packages.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use assay_sandbox::python::{PYTHON_COMPONENT_HINT, PythonEngine, PythonSettings, locate_component};
use assay_worlds::{LoadError, World, load_with};

/// The interpreter, compiled once for the machine: the cache is the user's.
pub(crate) fn engine() -> &'static PythonEngine {
    static ENGINE: OnceLock<PythonEngine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let component = locate_component(None, |name| std::env::var(name).ok()).expect("there is a home folder");
        let cache = component.parent().map_or_else(PathBuf::new, |folder| folder.join("artifacts"));
        let settings = PythonSettings::new(component, cache, PathBuf::from(env!("CARGO_BIN_EXE_assay-worlds-helper")));
        PythonEngine::open(&settings).unwrap_or_else(|error| panic!("{error:?}\nhint: {PYTHON_COMPONENT_HINT}"))
    })
}

/// Loads a world that may have tools in Python.
pub(crate) fn load(path: &Path) -> Result<World, LoadError> {
    load_with(path, &|| Ok(engine().clone()))
}

/// Files of a world: name and content.
pub(crate) type Files<'f> = &'f [(&'f str, &'f str)];

pub(crate) fn write(folder: &Path, files: Files<'_>) {
    for (name, content) in [("policy.md", "Do it.")].iter().chain(files) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, content).expect("written");
    }
}

/// The interpreter of the published packages, and the folder that they are installed in. Without them the test says that it is skipped.
pub(crate) fn packages() -> Option<(PathBuf, PathBuf)> {
    let root = root();
    let requirements = root.join("tests/benchmarks/requirements.txt");
    let setup = Command::new(root.join("tests/python/setup")).arg("--where").arg(requirements).output().ok()?;
    let python = PathBuf::from(String::from_utf8_lossy(&setup.stdout).trim());
    let library = python.parent()?.parent()?.join("lib");
    let version = fs::read_dir(&library).ok().and_then(|mut entries| entries.next()?.ok());
    let site = version.map(|version| version.path().join("site-packages")).filter(|site| site.join("tau2").is_dir());
    if site.is_none() {
        let words = "skipped: tests against published benchmarks; `make setup-python` installs them\n";
        let _ = std::io::stderr().write_all(words.as_bytes());
    }
    Some((python, site?))
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The lines of JSON that a program beside the packages prints.
pub(crate) fn peer(python: &Path, program: &str, arguments: &[&str]) -> Vec<serde_json::Value> {
    let output = Command::new(python)
        .arg(root().join("tests/benchmarks").join(program))
        .args(arguments)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}
